"""A page in HTML: for a report, which is a file of its own, and for a notebook."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from types import MappingProxyType

from dalembert.errors import DalembertError
from dalembert.expr.display import FONTS, mathml, mathml_equations, mathml_groups, mathml_matrix
from dalembert.expr.display.equations import avoiding
from dalembert.expr.display.names import words_lettered
from dalembert.expr.display.writers import LEFT_CELL, RIGHT_CELL
from dalembert.expr.graph import Expr
from dalembert.expr.walk import tree_size
from dalembert.model.claim import Claim
from dalembert.present.combinations import combination_mathml
from dalembert.present.frames import gzipped
from dalembert.present.page import (
    LINE,
    NARROW,
    PARTS,
    Block,
    Claims,
    Code,
    Columns,
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
from dalembert.present.scripts import copier, script, script_tag
from dalembert.present.style import STYLE
from dalembert.present.typeset import typeset_html

_WIDE = 45
"""A formula with more nodes gets a line of its own, or several,"""
_BEHIND = 24
"""and behind a sentence one with more than this;"""
_BROKEN = 80.0
"""as long as this, in letters."""
_PAPER = 16
"""More named parts than these stay folded on paper."""
_LARGE = 1_000_000
"""Bytes of a page whose objects, and motions behind folds, are packed."""
_OBJECT, _END = "<!-- an object -->", "<!-- its end -->"
"""What is packed stands between these,"""
_PARTS, _NAMED = "<!-- many parts -->", "<!-- named -->"
"""and many parts with names, where they are not inside an object."""
_UNPACKER = """
document.addEventListener('toggle', async function (event) {
  const box = event.target.querySelector(':scope > .packed');
  if (!box || !event.target.open || !box.dataset.packed) { return; }
  const raw = Uint8Array.from(atob(box.dataset.packed), c => c.charCodeAt(0));
  delete box.dataset.packed;
  box.innerHTML = await new Response(new Blob([raw]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
  box.classList.remove('packed');
  box.dispatchEvent(new Event('unpacked', { bubbles: true }));
}, true);
"""
_LOOKS = {"yes": "proved", "open": "undecided", "FAILS": "refuted", "counterexample": "witness"}
"""The looks of answers, and of how they are known, that have no look of their own."""
_READING = 'document.body.classList.add("reading");'
"""The first screen is shown when it is whole and its formulas have their size: nothing on it moves while it is read."""
_AS_LINES = ' class="lines"'
"""Long formulas as text, which scroll."""
_MEANINGS = {
    "proved": "by exact algebra",
    "certain": "zero in exact arithmetic at random points, with a bound for the error",
    "counterexample": "a point where the statement is wrong",
    "measured": "along the computed motion",
    "undecided": "not known, and why",
    "yes": "the statement holds",
    "no": "the answer to a question is no, which is no failure",
    "open": "not decided",
    "FAILS": "what must hold does not",
}


def html(block: Block, typeset: Mapping[int, str] = MappingProxyType({})) -> str:
    """Return a block as HTML; what is typeset already is found by its ``id``.

    >>> html(Words("this & that", verdict="proved"))
    '<p>this &amp; that <span class="verdict proved">proved</span></p>'
    """
    if id(block) in typeset:
        return typeset[id(block)]
    match block:
        case Words():
            return _words(block)
        case Equations():
            return _equations(block.groups, NARROW if block.narrow else LINE) + _more(block.more)
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
            above = f'<p class="evidence">{escape(block.title)}</p>' if block.title else ""
            return f"{above}<pre{_AS_LINES if block.instead else ''}>{escape(block.text)}</pre>"
        case Section():
            with avoiding(block.names):
                return _section(block, typeset)
        case Columns():
            return _columns(block)
    return _cell(block)


def _columns(block: Columns, above: str = "") -> str:
    """Return words, below a title, beside what is drawn."""
    beside = f'<div class="beside">{above}{html_of_blocks(block.left)}</div>'
    return f'<div class="columns">{beside}{html_of_blocks(block.right)}</div>'


def html_of_blocks(blocks: Iterable[Block], typeset: Mapping[int, str] = MappingProxyType({})) -> str:
    """Return blocks one below the other; pictures that follow each other stand side by side."""
    parts: list[str] = []
    drawn: list[str] = []
    for block in blocks:
        if isinstance(block, Picture) and block.html.startswith("<svg"):
            drawn.append(html(block))
            continue
        parts += [_side_by_side(drawn), html(block, typeset)]
        drawn = []
    return "".join([*parts, _side_by_side(drawn)])


def _side_by_side(figures: Sequence[str]) -> str:
    return f'<div class="plots">{"".join(figures)}</div>' if figures else ""


def badge(said: str) -> str:
    """Return the badge of an answer, or of how it is known; nothing where there is none.

    >>> badge("proved"), badge("FAILS")
    ('<span class="verdict proved">proved</span>', '<span class="verdict refuted">FAILS</span>')
    """
    return f'<span class="verdict {_LOOKS.get(said, said)}">{said}</span>' if said else ""


# -- words and formulas --------------------------------------------------------------------------------------
def _said(block: Words) -> str:
    text = typeset_html(block.text, block.letters)
    text = f'<a href="#{escape(block.link)}">{text}</a>' if block.link else text
    formulas = _in_words(block.formulas)
    note = f'<span class="evidence">{typeset_html(block.note)}</span>' if block.note else ""
    mark = badge(block.verdict)
    mark = f'<span title="{escape(block.source)}">{mark}</span>' if mark and block.source else mark
    return " ".join(part for part in (badge(block.answer), text, formulas, note, mark) if part)


def _in_words(formulas: Sequence[Expr]) -> str:
    """Return formulas behind a sentence, with commas; a long one has lines of its own, as half a page is wide."""
    parts: list[str] = []
    for formula in formulas:
        if tree_size(formula) > _BEHIND:
            parts.append(f'<span class="formulas">{mathml_equations([(None, formula)], longest=NARROW)}</span>')
        else:
            parts += [*([", "] if parts and parts[-1].startswith("<math") else []), mathml(formula, block=False)]
    return "".join(parts)


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


def _equations(groups: Sequence[Group], longest: float) -> str:
    """Return equations on lines of their own; where many parts are named, these are folded."""
    try:
        above, below, names = mathml_groups([group.pairs for group in groups], longest=longest)
    except DalembertError as fault:
        return f'<p class="evidence">{escape(str(fault))}</p>'
    shown = "".join(
        f'<div class="group">{_title(g.title)}{_lines(math)}</div>'
        for g, math in zip(groups, above, strict=True)
        if math
    )
    return shown + _where(below, names)


def _where(below: str, names: int) -> str:
    if not below:
        return ""
    state = " open" if names <= PARTS else ""
    word = "part has a name" if names == 1 else "parts have names"
    look, parts = "where", _lines(below)
    if names > _PAPER:
        look, parts = "where many", f"{_PARTS}{parts}{_NAMED}"
    return f"<details class='{look}'{state}><summary>where {names} {word}</summary>{parts}</details>"


def _title(title: str) -> str:
    return f"<p>{typeset_html(title[:1].upper() + title[1:])}</p>" if title else "<p></p>"


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
    table = _claim_groups(block.claims, block.again) + _more(block.more)
    if block.fold == "none" or len(block.claims) == 1:
        return table
    failed = [k for k, claim in enumerate(block.claims) if claim.failed]
    alarm = ""
    if failed and block.fold == "closed":
        rows = _claim_rows([block.claims[k] for k in failed], [block.again[k] for k in failed] if block.again else ())
        alarm = f"<h3>What failed</h3>{rows}"
    state = " open" if block.fold == "open" else ""
    counts = _counts(block.claims, block.more)
    return f'{alarm}<details class="claims"{state}><summary>{counts}</summary>{table}</details>'


def _claim_groups(claims: Sequence[Claim], again: Sequence[str]) -> str:
    """Return claims by the theorems they belong to, in the order in which their papers first occur."""
    rows: list[str] = []
    papers = list(dict.fromkeys(claim.place.partition(", ")[0] for claim in claims))
    places = list(dict.fromkeys(claim.place for claim in claims))
    for place in sorted(places, key=lambda one: papers.index(one.partition(", ")[0])):
        chosen = [k for k, claim in enumerate(claims) if claim.place == place]
        head = f'<p class="place">{escape(place)}</p>' if place and len(claims) > 1 else ""
        rows.append(head + _claim_rows([claims[k] for k in chosen], [again[k] for k in chosen] if again else ()))
    return "".join(rows)


def _claim_rows(claims: Sequence[Claim], again: Sequence[str]) -> str:
    rows = []
    for k, claim in enumerate(claims):
        command = f"<br><code>{escape(again[k])}</code>" if again else ""
        evidence = typeset_html(claim.verdict.evidence)
        said = f'{typeset_html(claim.sentence)}<br><span class="evidence">{evidence}{command}</span>'
        known = f'{badge(claim.verdict.basis)}<br><span class="evidence">{claim.role}</span>'
        rows.append(f"<tr><td>{badge(claim.answer)}</td><td>{said}</td><td>{known}</td></tr>")
    return f'<div class="wide"><table>{"".join(rows)}</table></div>' if rows else ""


def _counts(claims: Sequence[Claim], more: int) -> str:
    counts = Counter(badge(claim.answer) for claim in claims)
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
            return f"<p>{', '.join(_cell(item) for item in block.items)}</p>"
        case "plain":
            return html_of_blocks(block.items)
    return f"<ol>{''.join(f'<li>{_cell(item)}</li>' for item in block.items)}</ol>{_more(block.more)}"


def _more(many: int) -> str:
    return f'<p class="evidence">and {many} more</p>' if many else ""


# -- sections and files --------------------------------------------------------------------------------------
def _section(block: Section, typeset: Mapping[int, str]) -> str:
    body = html_of_blocks(block.blocks, typeset)
    if block.folded:
        look = f' class="{escape(block.look)}"' if block.look else ""
        body = f"{_OBJECT}{body}{_END}" if block.look in {"object", "motion", "listed"} else body
        return f"<details{look}><summary>{escape(block.title)}</summary>{body}</details>"
    anchor = f' id="{escape(block.anchor)}"' if block.anchor else ""
    title = f"<h{block.level}{anchor}>{escape(block.title)}</h{block.level}>" if block.title else ""
    if not block.anchor:
        return f'<section class="part">{title}<div>{body}</div></section>'
    return f"<section>{title}{body}</section>"


def document(page: Section, style: str = "", typeset: Mapping[int, str] = MappingProxyType({})) -> str:
    """Return a page as a file that opens offline, prints, and needs no download; ``typeset`` as for a block.

    The title and the sentences that follow it stand above the first block; of ``Columns``, above their words. Sections
    with an anchor are listed in a bar at the top, except those of formalisms. In a large file the objects behind folds
    are packed, and lists of many named parts, and unpack when they are opened.
    """
    first = next((k for k, block in enumerate(page.blocks) if not isinstance(block, Words)), len(page.blocks))
    top, rest = page.blocks[:first], page.blocks[first:]
    links = [(one.anchor, one.title) for one in rest if isinstance(one, Section) and one.anchor and not one.look]
    shown = "".join(f'<a href="#{escape(anchor)}">{escape(title)}</a>' for anchor, title in links)
    contents = f'<nav aria-label="contents">{shown}</nav>' if links else ""
    with avoiding(page.names):
        title = escape(page.title)
        heading = f'<div class="title"><h1>{title}</h1>{html_of_blocks(top)}</div>'
        columns = rest[0] if rest and isinstance(rest[0], Columns) else None
        begin = heading if columns is None else _columns(columns, heading)
        begin = f"{script_tag(_READING)}{begin}{script_tag(script('fit'))}"
        others = rest if columns is None else rest[1:]
        body = "\n".join([begin, *(html(one, typeset) for one in others)]) + (_LEGEND if links else "")
        look = ' class="moving"' if columns is not None and columns.right else ""
    whole = _slim(
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}{style}</style></head>\n'
        f"<body{look}>\n{contents}\n{body}\n"
        f"{script_tag(copier())}</body></html>\n"
    )
    plain = _unmarked(whole)
    return plain if len(plain.encode()) <= _LARGE else _packed(whole)


def _unmarked(page: str) -> str:
    for mark in (_OBJECT, _END, _PARTS, _NAMED):
        page = page.replace(mark, "")
    return page


def _packed(page: str) -> str:
    """Return a page with the objects behind its folds packed, and many parts with names."""

    def pack(fold: re.Match[str]) -> str:
        return f'<div class="packed" data-packed="{gzipped(_unmarked(fold[1]))}">unpacking ...</div>'

    for begin, end in ((_OBJECT, _END), (_PARTS, _NAMED)):
        page = re.sub(f"{begin}(.*?){end}", pack, page, flags=re.DOTALL)
    return page.replace("</body>", f"{script_tag(_UNPACKER)}</body>")


def _slim(page: str) -> str:
    """Return a page with what its style sheet says said there alone: in a notebook formulas have no style sheet.

    Commas stay with the formulas before them.
    """
    for long, short in _SAID_ONCE.items():
        page = page.replace(long, short)
    return _MARKED.sub(r'<span class="whole">\1</span>', page)


_MARKED = re.compile(r"(<math>(?:(?!</math>).){,1500}</math>[,.;:)]+)")
"""A formula of a few letters with the mark behind it: a line may else begin with a comma."""
_SAID_ONCE = {
    ' xmlns="http://www.w3.org/1998/Math/MathML"': "",
    f' style="font-family: {FONTS}"': "",
    LEFT_CELL: '<mtd class="l">',
    RIGHT_CELL: '<mtd class="r">',
}


_LEGEND = (
    '<details class="legend"><summary>What the verdicts mean</summary><table>'
    + "".join(f"<tr><td>{badge(kind)}</td><td>{words}</td></tr>" for kind, words in _MEANINGS.items())
    + "</table></details>"
)
