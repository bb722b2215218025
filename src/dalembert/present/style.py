"""The look of a page: for wide and narrow windows, light and dark, and for paper."""

from __future__ import annotations

from typing import Final

STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 Inter, system-ui, 'DejaVu Sans', sans-serif; max-width: 62rem;
  margin: 0 auto 4rem; padding: 0 1.5rem; color: #17202b; background: #fff; overflow-wrap: break-word; }
body.moving { max-width: 120rem; } .moving > :not(.columns, nav) { max-width: 62rem; }
a { color: #2563a8; }
@media (prefers-color-scheme: dark) { body { color: #e6e9ed; background: #12171d; } a { color: #8dbbf2; } }
h1 { font-size: 1.7rem; line-height: 1.2; margin: .3rem 0; }
h2 { margin: 2.6rem 0 .8rem; padding-bottom: .15rem; border-bottom: 1px solid #8886; line-height: 1.25; }
h3 { margin: 1.6rem 0 .5rem; font-size: 1.08rem; }
h1::first-letter { text-transform: uppercase; }
td math { display: inline math; overflow-wrap: normal; } .whole { white-space: nowrap; }
.evidence { font-size: .88rem; opacity: .78; overflow-wrap: anywhere; } .evidence math { font-size: 1.05em; }
.evidence:has(> a) { opacity: 1; }
math { font-size: 1.06rem; font-family: STIX Two Math, Cambria Math, Latin Modern Math, DejaVu Math TeX Gyre, math; }
mtd.l { text-align: right; text-align: -webkit-right; padding: 0.25em 0; }
mtd.r { text-align: left; text-align: -webkit-left; padding: 0.25em 0 0.25em 0.28em; }
.copier { position: absolute; z-index: 9; display: flex; gap: .2rem; } .copier[hidden] { display: none; }
.copier button { font: .72rem system-ui, sans-serif; padding: .05rem .45rem; }
 .formulas, .wide { overflow-x: auto; overflow-y: hidden; margin: .6rem 0; }
.formulas { container-type: inline-size; display: block; }
td:has(> .group) { width: 99%; } td:has(> .group) ~ td { min-width: 7rem; }
tr > td:last-child > .evidence:only-child { overflow-wrap: break-word; }
.formulas math { width: max-content; margin: 0 auto; font-size: clamp(.5rem, calc(97cqw / var(--wide, 1)), 1.06rem); }
table { border-collapse: collapse; width: 100%; font-size: .93rem; }
td, th { text-align: left; vertical-align: baseline; padding: .35rem .7rem .35rem 0; border-bottom: 1px solid #8884; }
th { font: 600 .8rem system-ui, sans-serif; opacity: .8; }
td { overflow-wrap: anywhere; } td:first-child, td.evidence { white-space: nowrap; width: 1%; overflow-wrap: normal; }
code, pre { font-family: ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; font-size: .8rem; }
pre { overflow-x: auto; background: #8881; padding: .8rem 1rem; border-radius: .4rem; line-height: 1.45; }
pre.lines { max-height: 24rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
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
.group { display: grid; grid-template-columns: 9.5rem minmax(0, 1fr); gap: 0 1rem; margin: .2rem 0; }
.group > p { margin: .35rem 0 0; font: .84rem/1.5 system-ui, sans-serif; opacity: .8; }
.group .formulas { margin: .1rem 0; } td .group { grid-template-columns: minmax(0, 1fr); }
.group .formulas math { margin: 0; }
p.place { font: 600 .84rem/1.5 system-ui, sans-serif; margin: .9rem 0 .1rem; }
.columns { display: grid; gap: 0 2rem; align-items: start; margin: 1rem 0 2rem;
  grid-template-columns: minmax(0, calc((100vh - 10rem) * 1.633)) minmax(29.75rem, 1fr); }
.reading > .columns { display: none; }
.columns > * { grid-column: 1; grid-row: 1; margin-top: 0; } .columns > .beside { grid-column: 2; }
.columns > .beside:only-child { grid-column: 1 / -1; }
.title p { margin: 0 0 .3rem; } .title .evidence { margin-bottom: 1rem; }
.columns .group { grid-template-columns: minmax(0, 1fr); margin: 0 0 .3rem; }
.beside section.part { margin: 0 0 1.2rem; } .beside p { margin: 0; }
.beside section.part > h2 { margin: 0 0 .3rem; border: 0; font-size: .75rem; letter-spacing: .06em;
  text-transform: uppercase; opacity: .75; }
.beside .formulas math { font-size: clamp(.5rem, calc(97cqw / var(--wide, 1)), 1.06rem); }
.beside p:has(> span > .verdict) { padding: .4rem 6rem .4rem 1.5rem; border-top: 1px solid #8883; position: relative; }
.beside p > .formulas { margin-right: -6rem; }
.beside p:has(> span > .verdict:not(.undecided)):not(:has(> .verdict))::before {
  content: '\\2713'; position: absolute; left: 0; color: #1b7a3d; font-weight: 600; }
.beside p > span > .verdict { position: absolute; right: 0; top: .4rem; background: none; color: inherit;
  opacity: .75; padding: 0; font-weight: 400; line-height: 2; }
@media (prefers-color-scheme: dark) { .beside p::before { color: #66c98f !important; } }
body > section.part { display: grid; grid-template-columns: 9.5rem minmax(0, 1fr); gap: 0 1rem; margin: .7rem 0; }
body > section.part > h2 { font: 600 .82rem/1.9 system-ui, sans-serif; opacity: .8; margin: 0; border: 0; }
section.part > div { min-width: 0; overflow-x: auto; overflow-y: hidden; } section.part p { margin: 0 0 .2rem; }
nav { font-size: .85rem; line-height: 3rem; height: 3rem; border-bottom: 1px solid #8884; white-space: nowrap;
  overflow: auto hidden; scrollbar-width: none; } nav a { margin-right: 1.4rem; text-decoration: none; }
@media (max-width: 64rem) {
  .columns { display: flex; flex-direction: column; align-items: stretch; margin: .5rem 0 1rem; }
  .columns > .living, .columns > .beside { display: contents; }
  .columns > *, .columns > .living > *, .beside > * { min-width: 0; order: 3; }
  .columns .title { order: 0; } .beside > section.part { order: 2; } .columns > .animation,
  .columns > .living > svg, .living > .stage, .living > .controls, .living > .telling { order: 1; }
}
@media (max-width: 40rem) {
  body > section.part, .group { grid-template-columns: minmax(0, 1fr); }
  body { padding: 0 .9rem; } h1 { font-size: 1.5rem; } math { font-size: 1rem; }
  td.evidence { display: none; }
  .wide tr { display: block; border-bottom: 1px solid #8884; padding: .3rem 0; } .wide th { display: none; }
  .wide td { display: block; width: auto !important; white-space: normal !important; border: 0; padding: .1rem 0;
    container-type: inline-size; }
  .wide td > math { font-size: clamp(.5rem, calc(97cqw / var(--wide, 1)), 1rem); }
}
@media print {
  @page { margin: 14mm 14mm; }
  body { max-width: none; margin: 0; padding: 0; font-size: 9.5pt; line-height: 1.4; color: #000; background: #fff; }
  math { font-size: 8pt; } .formulas math { font-size: clamp(4.5pt, calc(97cqw / var(--wide, 1)), 8pt); }
  details math, td math { font-size: 7.2pt; }
  .where .formulas math { font-size: clamp(4.5pt, calc(97cqw / var(--wide, 1)), 7.2pt); }
  h1 { font-size: 18pt; } h2 { font-size: 13pt; margin: 1rem 0 .4rem; } h3 { margin: .6rem 0 .2rem; }
  h2, h3, summary { break-after: avoid; } p { margin: .3rem 0; } summary { list-style: none; font-size: 8.5pt; }
  .where { display: block; }
  .where:not(.many)::details-content { content-visibility: visible; display: block; height: auto; }
  summary::-webkit-details-marker { display: none; } .legend { display: none; }
  table, .evidence { font-size: 8pt; } td, th { padding-top: .15rem; padding-bottom: .15rem; }
  code, pre { font-size: 6.8pt; } pre { white-space: pre-wrap; padding: .3rem .6rem; line-height: 1.3; }
  #references ~ pre, #model ~ pre { columns: 2; }
  tr, figure, .animation, .group { break-inside: avoid; } .stage { break-inside: avoid; }
  .columns { display: grid; grid-template-columns: minmax(0, 1fr) 80mm; gap: 0 1rem; margin: 0; }
  .columns > .beside { display: block; grid-column: 1; grid-row: 1 / span 2; }
  .columns > .living { display: contents; } .columns > .living > * { grid-column: 1 / -1; }
  .columns > .animation, .columns > .living > svg, .columns > .living > .stage { grid-column: 2; grid-row: 1; }
  .plots, .living .plots { grid-template-columns: 1fr 1fr; } .living .curve { break-inside: avoid; }
  svg.plot { font-size: 13px; } .living .curve text { font-size: 16px !important; }
  .living .curve svg { overflow: visible; } .living .curve .cursor, .living .curve .frame { display: none; }
  .living .curve .axis[transform] { translate: -4px; }
  .verdict { print-color-adjust: exact; font-size: 7pt; }
  .group { margin: .1rem 0; grid-template-columns: 4.6rem minmax(0, 1fr); } .group > p { font-size: 7pt; }
  td .group, .columns .group { grid-template-columns: minmax(0, 1fr); }
  .formulas, .wide, section.part > div { overflow: visible; } nav, .copier { display: none; }
  a { color: inherit; text-decoration: none; }
}
"""
"""Greys are the ink made thin, so they go with whatever page they stand on, a notebook's too."""
