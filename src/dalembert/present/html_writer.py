"""A page in HTML: for a report, which is a file of its own, and for a notebook."""

from __future__ import annotations

import gzip
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from dalembert.errors import DalembertError
from dalembert.expr.display import FONTS, mathml, mathml_equations, mathml_groups, mathml_matrix
from dalembert.expr.display.names import words_lettered
from dalembert.expr.display.writers import LEFT_CELL, RIGHT_CELL
from dalembert.expr.graph import Expr
from dalembert.expr.walk import tree_size
from dalembert.model.claim import Claim
from dalembert.present.animation import STYLE as FILM_STYLE
from dalembert.present.combinations import combination_mathml
from dalembert.present.page import (
    LINE,
    PARTS,
    Block,
    Claims,
    Code,
    Combination,
    Components,
    Equations,
    Formula,
    Group,
    Listing,
    Matrix,
    Picture,
    Section,
    Table,
    Words,
)  # fmt: skip
from dalembert.present.scripts import copier

_WIDE = 45
"""A formula with more nodes gets a line of its own, or several,"""
_BROKEN = 80.0
"""as long as this, in letters."""
_MEANINGS = {
    "proved": "by exact algebra",
    "certain": "zero in exact arithmetic at random points, with a bound for the error",
    "by a witness": "shown by a point where the opposite fails",
    "measured": "along the computed motion",
    "refuted": "wrong at a point that is named; where it answers a question, that is an answer too",
    "undecided": "not known, and why",
}
_PRINTER = """<script>
window.addEventListener('beforeprint', function () {
  document.querySelectorAll('details').forEach(function (d) { d.open = true; });
});
</script>"""
"""Browsers that do not know how to print what is folded get it unfolded."""


def html(block: Block) -> str:
    """Return a block as HTML.

    >>> html(Words("x < y", verdict="proved"))
    '<p>x &lt; y <span class="verdict proved">proved</span></p>'
    """
    match block:
        case Words():
            return _words(block)
        case Equations():
            return _equations(block.groups)
        case Components():
            return _components(block)
        case Claims():
            return _claims(block)
        case Table():
            return _table(block)
        case Listing():
            return _listing(block)
        case Picture():
            caption = f'<figcaption class="evidence">{escape(block.caption)}</figcaption>' if block.caption else ""
            return f"<figure>{block.html}{caption}</figure>" if block.html.startswith("<svg") else block.html
        case Code():
            return f"<pre>{escape(block.text)}</pre>"
        case Section():
            return _section(block)
    return _cell(block)


def html_of_blocks(blocks: Iterable[Block]) -> str:
    """Return blocks one below the other; pictures that follow each other stand side by side."""
    parts: list[str] = []
    drawn: list[str] = []
    for block in blocks:
        if isinstance(block, Picture) and block.html.startswith("<svg"):
            drawn.append(html(block))
            continue
        parts += [_side_by_side(drawn), html(block)]
        drawn = []
    return "".join([*parts, _side_by_side(drawn)])


def _side_by_side(figures: Sequence[str]) -> str:
    return f'<div class="plots">{"".join(figures)}</div>' if figures else ""


def badge(kind: str, *, question: bool = False) -> str:
    """Return the badge of a kind of verdict, or nothing where there is none; a no to a question is no alarm.

    >>> badge("proved")
    '<span class="verdict proved">proved</span>'
    """
    look = "no" if question and kind == "refuted" else kind.rpartition(" ")[2]
    return f'<span class="verdict {look}">{kind}</span>' if kind else ""


# -- words and formulas --------------------------------------------------------------------------------------
def _said(block: Words) -> str:
    text = escape(words_lettered(block.text) if block.names else block.text)
    formulas = ", ".join(mathml(formula, block=False) for formula in block.formulas)
    note = f'<span class="evidence">{escape(block.note)}</span>' if block.note else ""
    return " ".join(part for part in (text, formulas, note, badge(block.verdict)) if part)


def _words(block: Words) -> str:
    return f'<p class="evidence">{_said(block)}</p>' if block.quiet else f"<p>{_said(block)}</p>"


def _cell(block: Block) -> str:
    """Return a block inside a cell of a table or an item of a list."""
    match block:
        case Words():
            return f'<span class="evidence">{_said(block)}</span>' if block.quiet and block.text else _said(block)
        case Formula():
            return _formula(block)
        case Matrix():
            return mathml_matrix(block.rows, block=False)
        case Combination():
            return f"{escape(block.title)}{combination_mathml(block)}"
    return html(block)


def _formula(block: Formula) -> str:
    expression = block.expression
    if block.left is None and tree_size(expression) <= _WIDE:
        return mathml(expression, block=False)
    line = LINE if block.left is not None else _BROKEN  # it may have to be broken
    return mathml_equations([(block.left, expression)], longest=line).replace(' display="block"', "")


def _equations(groups: Sequence[Group]) -> str:
    """Return equations on lines of their own; where many parts are named, these are folded."""
    try:
        above, below, names = mathml_groups([group.pairs for group in groups], longest=LINE)
    except DalembertError as fault:
        return f'<p class="evidence">{escape(str(fault))}</p>'
    shown = "".join(f"{_title(g.title)}{_lines(math)}" for g, math in zip(groups, above, strict=True) if math)
    return shown + _where(below, names)


def _where(below: str, names: int) -> str:
    if not below:
        return ""
    state = " open" if names <= PARTS else ""
    word = "part has a name" if names == 1 else "parts have names"
    return f"<details class='where'{state}><summary>where {names} {word}</summary>{_lines(below)}</details>"


def _title(title: str) -> str:
    return f"<p>{escape(words_lettered(title[:1].upper() + title[1:]))}</p>" if title else ""


def _lines(math: str) -> str:
    return f'<div class="formulas">{math}</div>'


def _components(block: Components) -> str:
    """Return components with their labels; long ones are written together, so that they share the names of parts."""
    long = [e.expression for _, e in block.entries if isinstance(e, Formula) and tree_size(e.expression) > _WIDE]
    try:
        above, below, names = mathml_groups([[(None, e)] for e in long], longest=_BROKEN)
    except DalembertError:  # nothing of it has a formula
        above, below, names = [], "", 0
    written = {e: math.replace(' display="block"', "") for e, math in zip(long, above, strict=False)}
    rows = "".join(_component(label, entry, written) for label, entry in block.entries)
    many = block.zeros
    rest = f'<p class="evidence">{many} further component{"s" * (many != 1)}: zero</p>' if many else ""
    return f'<div class="entries">{rows}</div>{_where(below, names)}{rest}'


def _component(label: str, entry: Formula | Words, written: Mapping[Expr, str]) -> str:
    math = written.get(entry.expression) if isinstance(entry, Formula) else None
    wide = ' class="long"' if math is not None else ""
    key = f'<span class="key">{escape(words_lettered(label))}</span>' if label else ""
    return f"<div{wide}>{key}{_cell(entry) if math is None else math}</div>"


# -- claims, tables, lists -----------------------------------------------------------------------------------
def _claims(block: Claims) -> str:
    """Return claims, folded behind their count where they are several; what failed is not folded away."""
    table = _claim_rows(block.claims, block.again) + _more(block.more)
    if block.fold == "none" or len(block.claims) == 1:
        return table
    failed = [k for k, claim in enumerate(block.claims) if claim.failed]
    alarm = ""
    if failed and block.fold == "closed":
        rows = _claim_rows([block.claims[k] for k in failed], [block.again[k] for k in failed] if block.again else ())
        alarm = f"<h3>What failed</h3>{rows}"
    state = " open" if block.fold == "open" else ""
    return f"{alarm}<details{state}><summary>{_counts(block.claims, block.more)}</summary>{table}</details>"


def _claim_rows(claims: Sequence[Claim], again: Sequence[str]) -> str:
    rows = []
    for k, claim in enumerate(claims):
        look = badge(claim.verdict.kind, question=claim.role == "question")
        command = f"<br><code>{escape(again[k])}</code>" if again else ""
        said = f'{escape(claim.statement)}<br><span class="evidence">{escape(claim.verdict.evidence)}{command}</span>'
        rows.append(f'<tr><td>{look}</td><td>{said}</td><td class="evidence">{claim.role}</td></tr>')
    return f"<table>{''.join(rows)}</table>" if rows else ""


def _counts(claims: Sequence[Claim], more: int) -> str:
    counts = Counter(badge(c.verdict.kind, question=c.role == "question" and not c.verdict.holds) for c in claims)
    shown = [f"{number} {look}" for look, number in counts.most_common()]
    return f"{len(claims) + more} claims: {' '.join(shown)}{' …' if more else ''}"


def _table(block: Table) -> str:
    head = "".join(f"<th>{escape(title)}</th>" for title in block.head)
    rows = [f"<tr>{head}</tr>"] if head else []
    rows += [f"<tr>{''.join(f'<td>{_cell(cell)}</td>' for cell in row)}</tr>" for row in block.rows]
    return f'<div class="wide"><table>{"".join(rows)}</table></div>{_more(block.more)}' if rows else ""


def _listing(block: Listing) -> str:
    match block.form:
        case "inline":
            return ", ".join(_cell(item) for item in block.items)
        case "plain":
            return html_of_blocks(block.items)
    return f"<ol>{''.join(f'<li>{_cell(item)}</li>' for item in block.items)}</ol>{_more(block.more)}"


def _more(many: int) -> str:
    return f'<p class="evidence">and {many} more</p>' if many else ""


# -- sections and files --------------------------------------------------------------------------------------
def _section(block: Section) -> str:
    body = html_of_blocks(block.blocks)
    if block.folded:
        return f"<details><summary>{escape(block.title)}</summary>{body}</details>"
    anchor = f' id="{escape(block.anchor)}"' if block.anchor else ""
    title = f"<h{block.level}{anchor}>{escape(block.title)}</h{block.level}>" if block.title else ""
    if not block.anchor:
        return f'<section class="part">{title}<div>{body}</div></section>'
    return f"<section>{title}{body}</section>"


def document(page: Section, style: str = "") -> str:
    """Return a page as a file that opens offline, prints, and needs no download; its sections are listed at its top."""
    first = next((k for k, block in enumerate(page.blocks) if _has_anchor(block)), len(page.blocks))
    top, rest = page.blocks[:first], page.blocks[first:]
    links = [(one.anchor, one.title) for one in rest if isinstance(one, Section) and one.anchor]
    shown = "".join(f'<a href="#{escape(anchor)}">{escape(title)}</a>' for anchor, title in links)
    contents = f'{_LEGEND}<nav aria-label="contents">{shown}</nav>' if links else ""
    body = "\n".join(html(one) for one in rest)
    title = escape(page.title)
    return _slim(
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}{style}</style></head>\n'
        f"<body>\n<header><h1>{title}</h1>{html_of_blocks(top)}{contents}</header>\n{body}\n{_PRINTER}"
        f"<script>{copier()}</script></body></html>\n"
    )


def _slim(page: str) -> str:
    """Return a page with what its style sheet says said there alone: in a notebook formulas have no style sheet."""
    for long, short in _SAID_ONCE.items():
        page = page.replace(long, short)
    return page


_SAID_ONCE = {
    ' xmlns="http://www.w3.org/1998/Math/MathML"': "",
    f' style="font-family: {FONTS}"': "",
    LEFT_CELL: '<mtd class="l">',
    RIGHT_CELL: '<mtd class="r">',
}


def _has_anchor(block: Block) -> bool:
    return isinstance(block, Section) and bool(block.anchor)


_LEGEND = (
    '<details class="legend"><summary>What the verdicts mean</summary><table>'
    + "".join(f"<tr><td>{badge(kind)}</td><td>{words}</td></tr>" for kind, words in _MEANINGS.items())
    + "</table></details>"
)


# -- pages within a page, for a notebook ----------------------------------------------------------------------
def film_page(body: str) -> str:
    """Return the page of an animation."""
    return f"<!DOCTYPE html><meta charset='utf-8'><style>{STYLE}{FILM_STYLE} body {{ margin: 0; }}</style>{body}"


def unpacked(page: str) -> str:
    """Return a page that unpacks another one: a tenth of its size, and still nothing to download."""
    packed = b64encode(gzip.compress(page.encode(), mtime=0)).decode()
    return (
        "<!DOCTYPE html><meta charset='utf-8'><p>Unpacking ...</p><script>(async function () {"
        f"var raw = Uint8Array.from(atob('{packed}'), function (c) {{ return c.charCodeAt(0); }});"
        "var text = await new Response(new Blob([raw]).stream().pipeThrough(new DecompressionStream('gzip'))).text();"
        "document.open(); document.write(text); document.close(); })();</script>"
    )


def framed(page: str, title: str, *, fit: bool = True) -> str:
    """Return a page of its own inside a notebook, where its scripts and its names are nobody else's.

    It gets as high as it needs to be, or as high as a hand, with a bar to move it.
    """
    quoted = page.replace("&", "&amp;").replace('"', "&quot;")
    high = "this.style.height = this.contentDocument.body.offsetHeight + 12 + 'px'"
    look = "max-width: 680px; height: 480px; border: 0" if fit else "height: 36rem; border: 1px solid #8886"
    loaded = f' onload="{high}"' if fit else ""
    return f'<iframe srcdoc="{quoted}" style="width: 100%; {look}"{loaded} title="{title}"></iframe>'


# -- the look of it: for wide and narrow windows, light and dark, and for paper --------------------------------
STYLE = """
:root { color-scheme: light dark; }
body { font: 17px/1.55 Charter, 'Bitstream Charter', Georgia, 'Times New Roman', serif; max-width: 62rem;
  margin: 2rem auto 4rem; padding: 0 1.2rem; color: #1c2127; background: #fff; overflow-wrap: break-word; }
@media (prefers-color-scheme: dark) { body { color: #e3e6ea; background: #16191d; } a { color: #8dbbf2; } }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .3rem; }
h2 { margin: 2.6rem 0 .8rem; padding-bottom: .15rem; border-bottom: 1px solid #8886; line-height: 1.25; }
h3 { margin: 1.6rem 0 .5rem; font-size: 1.08rem; }
h1::first-letter { text-transform: uppercase; }
td math { display: inline math; overflow-wrap: normal; }
.evidence { font-size: .88rem; opacity: .78; overflow-wrap: anywhere; }
math { font-size: 1.06rem; font-family: STIX Two Math, Cambria Math, Latin Modern Math, DejaVu Math TeX Gyre, math; }
mtd.l { text-align: right; text-align: -webkit-right; padding: 0.25em 0; }
mtd.r { text-align: left; text-align: -webkit-left; padding: 0.25em 0 0.25em 0.28em; }
.copier { position: absolute; z-index: 9; display: flex; gap: .2rem; } .copier[hidden] { display: none; }
.copier button { font: .72rem system-ui, sans-serif; padding: .05rem .45rem; }
 .formulas, .wide { overflow-x: auto; overflow-y: hidden; margin: .6rem 0; }
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
header section.part > h2 { font: 600 .82rem/1.9 system-ui, sans-serif; opacity: .8; margin: 0; border: 0; }
section.part > div { min-width: 0; overflow-x: auto; overflow-y: hidden; }
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
  math { font-size: 9pt; } details math, td math { font-size: 7.2pt; }
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
  .formulas, .wide, .entries > div { overflow: visible; } nav, .copier { display: none; }
}
"""
"""Greys are the ink made thin, so they go with whatever page they stand on, a notebook's too."""
