"""The look of a report, in one style sheet: for wide and narrow windows, light and dark, and for paper.

Greys are the ink made thin, so they go with whatever page they stand on, a notebook's too.
"""

from __future__ import annotations

__all__ = ["STYLE"]

STYLE = """
:root { color-scheme: light dark; }
body { font: 17px/1.55 Charter, 'Bitstream Charter', Georgia, 'Times New Roman', serif; max-width: 62rem;
  margin: 2rem auto 4rem; padding: 0 1.2rem; color: #1c2127; background: #fff; overflow-wrap: break-word; }
@media (prefers-color-scheme: dark) { body { color: #e3e6ea; background: #16191d; } a { color: #8dbbf2; } }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .3rem; }
h2 { margin: 2.6rem 0 .8rem; padding-bottom: .15rem; border-bottom: 1px solid #8886; line-height: 1.25; }
h3 { margin: 1.6rem 0 .5rem; font-size: 1.08rem; }
h1::first-letter { text-transform: uppercase; }
td math { display: inline math; }
.evidence { font-size: .88rem; opacity: .78; overflow-wrap: anywhere; }
math { font-size: 1.06rem; } .formulas, .wide { overflow-x: auto; overflow-y: hidden; margin: .6rem 0; }
.formulas math { width: max-content; margin: 0 auto; }
table { border-collapse: collapse; width: 100%; font-size: .93rem; }
td, th { text-align: left; vertical-align: baseline; padding: .35rem .7rem .35rem 0; border-bottom: 1px solid #8884; }
th { font: 600 .8rem system-ui, sans-serif; opacity: .8; }
td { overflow-wrap: anywhere; } td:first-child, td.evidence { white-space: nowrap; width: 1%; overflow-wrap: normal; }
code, pre { font-family: ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; font-size: .8rem; }
pre { overflow-x: auto; background: #8881; padding: .8rem 1rem; border-radius: .4rem; line-height: 1.45; }
.verdict { font: 600 .75rem/1.5 system-ui, sans-serif; padding: .08rem .5rem; border-radius: .6rem; color: #fff;
  white-space: nowrap; }
.proved, .witness { background: #1b7a3d; } .certain { background: #2f6fb3; } .measured { background: #6450c4; }
.refuted { background: #b3392f; } .undecided, .no { background: #626b76; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 25rem), 1fr)); gap: 1rem 1.6rem; }
figure { margin: 0; max-width: 36rem; }
figcaption { padding: .2rem 0 0 3.6rem; line-height: 1.4; }
svg.plot { width: 100%; height: auto; display: block; }
details { margin: .5rem 0; } details details { margin: .35rem 0 .35rem 1.1rem; }
summary { cursor: pointer; font: .95rem/1.6 system-ui, sans-serif; }
details[open] > summary { font-weight: 600; } .where > summary { font-weight: 400 !important; font-size: .88rem; }
.entries { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); gap: .1rem 1.6rem;
  margin: .3rem 0 .8rem; }
.entries > div { display: flex; gap: .9rem; align-items: baseline; overflow-x: auto; overflow-y: hidden;
  border-bottom: 1px solid #8883; padding: .25rem 0; }
.entries .long { grid-column: 1 / -1; }
.entries .key { flex: none; min-width: 4.5rem; font-size: .9rem; opacity: .8; }
header section.part { display: grid; grid-template-columns: 10.5rem 1fr; gap: 0 1.2rem; margin: .7rem 0; }
header section.part > h3 { font: 600 .82rem/1.9 system-ui, sans-serif; opacity: .8; margin: 0; }
section.part p { margin: 0 0 .3rem; } header > p:first-of-type { margin: 0 0 1.2rem; font-size: 1.06rem; }
nav { font: .92rem/1.9 system-ui, sans-serif; margin: 1.4rem 0 0; } nav a { margin-right: 1.1rem; white-space: nowrap; }
@media (max-width: 40rem) { header section.part { grid-template-columns: 1fr; } }
@media (max-width: 40rem) {
  body { font-size: 16px; margin-top: 1rem; padding: 0 .9rem; } h1 { font-size: 1.6rem; } math { font-size: 1rem; }
  td.evidence { display: none; }
}
@media print {
  @page { margin: 16mm 15mm; }
  body { max-width: none; margin: 0; padding: 0; font-size: 10pt; color: #000; background: #fff; }
  math { font-size: 9.5pt; } details math { font-size: 8pt; }
  h1 { font-size: 20pt; } h2 { font-size: 14pt; margin-top: 1.4rem; } h2, h3, summary { break-after: avoid; }
  details { display: block; } details::details-content { content-visibility: visible; display: block; height: auto; }
  details table, details .entries, .evidence { font-size: 8pt; } code, pre { font-size: 7.5pt; }
  pre { white-space: pre-wrap; } summary { list-style: none; font-size: 9.5pt; font-weight: 600; }
  summary::-webkit-details-marker { display: none; }
  tr, figure, .animation, .entries > div { break-inside: avoid; }
  .entries { display: flex; flex-wrap: wrap; gap: .1rem 1.6rem; } .entries > div { max-width: 100%; }
  .entries .key { min-width: 0; } .entries .long { flex-basis: 100%; }
  .plots { grid-template-columns: 1fr 1fr; } details .plots { grid-template-columns: 1fr 1fr 1fr; }
  .verdict { print-color-adjust: exact; }
  .formulas, .wide, .entries > div { overflow: visible; } nav { display: none; }
}
"""
