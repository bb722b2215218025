"""A page in plain text: in lines of a width where nothing is cut off, or brief, as Python says what a thing is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from dalembert.expr.display.equations import avoiding, part_names
from dalembert.expr.display.measure import parts_to_name
from dalembert.expr.graph import Expr
from dalembert.expr.text import text
from dalembert.expr.text.opened import opened
from dalembert.expr.text.printer import Printer, without_solves
from dalembert.expr.walk import functions, symbols
from dalembert.model.claim import Claim
from dalembert.present.combinations import combination_text
from dalembert.present.lines import broken, columns, paragraph
from dalembert.present.page import (
    TALL,
    WIDE,
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
    alone,
)  # fmt: skip

Paint: TypeAlias = Callable[[str, str], str]
"""What makes a colour of a kind of verdict and a text."""

_PAGE: Final = 100
"""Letters in a line of a formula where nothing is said about the width."""


def in_text(page: Block, width: int | None = None, paint: Paint | None = None) -> str:
    """Return a page in lines of a width; words get a line each where none is given.

    >>> print(in_text(Section("ball", (Words("It is round."), Words("It falls.", verdict="proved")))))
    ball
      It is round.
      proved  It falls.
    """
    return "\n".join(_Lines(width, paint or (lambda _, cell: cell)).of(page)).strip("\n")


def counted(claims: Iterable[Claim]) -> str:
    """Return how many claims have which verdict.

    >>> counted([])
    'none'
    """
    kinds = Counter(claim.verdict.kind for claim in claims)
    return ", ".join(f"{number} {kind}" for kind, number in kinds.items()) or "none"


class _Lines:
    """What makes lines of blocks, in a width and with colours."""

    def __init__(self, width: int | None, paint: Paint) -> None:
        self.width, self.paint = width, paint

    def of(self, block: Block, indent: str = "") -> list[str]:
        """Return the lines of a block."""
        match block:
            case Section():
                with avoiding(block.names):
                    return self.section(block, indent)
            case Words():
                return self.words([block], indent)
            case Columns():
                return self.section(Section("", (*block.left, *block.right), level=1), indent)
            case Equations():
                return [*(indent + line for line in _equations(block.groups, (self.width or _PAGE) - len(indent))),
                        *_more(block.more, indent)]  # fmt: skip
            case Components():
                told = [(label, inline(alone(entry))) for label, entry in block.entries]
                entries = [f"{label} = {said}" if label else said for label, said in told]
                lines = [line for entry in entries for line in broken(entry, self.width or _PAGE, indent + "  ")]
                return [*lines, *([f"{indent}  {block.zeros} further: zero"] if block.zeros else [])]
            case Claims():
                return [*(indent + line for line in claim_lines(block.claims, self.width, self.paint)),
                        *_more(block.more, indent)]  # fmt: skip
            case Table():
                rows = [list(block.head)] if block.head else []
                return [*self.columns([*rows, *([inline(cell) for cell in row] for row in block.rows)], indent + "  "),
                        *_more(block.more, indent)]  # fmt: skip
            case Listing() if block.form != "inline":
                return [line for item in block.items for line in self.of(item, indent + "  ")] + _more(
                    block.more, indent
                )
            case Code() if not block.instead:
                return [indent + line for line in block.text.splitlines()]
        return broken(inline(block), self.width or _PAGE, indent + "  ")

    def section(self, block: Section, indent: str) -> list[str]:
        """Return a title and what is under it; sections, equations, tables and claims stand apart."""
        lines = paragraph(block.title, self.width, indent) if block.title else []
        waiting: list[Words] = []
        inner = indent if block.level == 1 else indent + "  "
        for one in block.blocks:
            if isinstance(one, Words):
                waiting.append(one)
                continue
            lines += self.words(waiting, inner)
            waiting = []
            apart = [""] if lines and (block.level == 1 or (len(lines) > 1 and not block.folded)) else []
            lines += [*apart, *self.of(one, inner)]
        return [*lines, *self.words(waiting, inner)]

    def words(self, several: Sequence[Words], indent: str) -> list[str]:
        """Return sentences, those with verdicts behind a column of these."""
        lines: list[str] = []
        rows: list[list[str]] = []
        for one in several:
            if one.verdict:
                rows.append([one.verdict, _said(one)])
                continue
            lines += [*self.columns(rows, indent or "  "), *paragraph(_said(one), self.width, indent, "  ")]
            rows = []
        return [*lines, *self.columns(rows, indent or "  ")]

    def columns(self, rows: Sequence[Sequence[str]], indent: str) -> list[str]:
        """Return rows in columns, verdicts in colour."""
        return columns(rows, self.width, indent=indent, paint=lambda _, cell: self.paint(cell.strip(), cell))


def claim_lines(claims: Sequence[Claim], width: int | None = None, paint: Paint | None = None) -> list[str]:
    """Return claims as lines: verdict, name, and what is claimed, with its role and its evidence."""
    rows = [[c.verdict.kind, c.name, f"{c.statement} [{c.role}]: {c.verdict.evidence}"] for c in claims]

    def painted(column: int, cell: str) -> str:
        return paint(cell.strip(), cell) if paint is not None and column == 0 else cell

    return [f"claims: {counted(claims)}", *columns(rows, width, indent="  ", widest=24, paint=painted)]


def _claim(claim: Claim) -> str:
    return f"{claim.verdict.kind}: {claim.statement} [{claim.role}]: {claim.verdict.evidence}"


def _more(many: int, indent: str) -> list[str]:
    return [f"{indent}  ... and {many} more"] if many else []


# -- a line --------------------------------------------------------------------------------------------------
def inline(block: Block) -> str:
    """Return a block in one line, however long.

    >>> from dalembert.expr import symbol
    >>> inline(Table(((Words("x"), Formula(symbol("x") + 1)),)))
    'x: x + 1'
    """
    match block:
        case Words():
            return _said(block) or block.verdict
        case Formula():
            shown = text(block.expression)
            return f"{block.left} = {shown}" if block.left is not None else shown
        case Matrix():
            return ", ".join(f"({', '.join(map(text, row))})" for row in block.rows)
        case Combination():
            return block.title + combination_text(block)
        case Equations():
            return ", ".join(_equation(*pair) for group in block.groups for pair in group.pairs)
        case Components():
            return ", ".join(f"{label}: {inline(alone(entry))}" for label, entry in block.entries)
        case Claims():
            return _claim(block.claims[0]) if len(block.claims) == 1 else counted(block.claims)
        case Table():
            return ", ".join(_row([inline(cell) for cell in row]) for row in block.rows)
        case Listing():
            inside = [(item, inline(item)) for item in block.items]
            between = " " if block.form == "plain" else ", "  # what is plain is sentences
            return between.join(f"({said})" if isinstance(item, Listing) else said for item, said in inside)
        case Picture():
            return block.words
        case Code():
            return block.instead or block.text.partition("\n")[0]
        case Section():
            return block.title
        case Columns():
            return " ".join(inline(one) for one in (*block.left, *block.right))


def _said(block: Words) -> str:
    source = f"({block.source})" if block.source else ""
    return " ".join(part for part in (block.text, ", ".join(map(text, block.formulas)), block.note, source) if part)


def _row(cells: Sequence[str]) -> str:
    first, *others = [cell for cell in cells if cell] or [""]
    return f"{first}: {' '.join(others)}" if others else first


def _equation(left: Expr | str | None, right: Expr) -> str:
    return str(right) if left is None else f"{left} = {right}"


# -- a few lines ---------------------------------------------------------------------------------------------
def brief(page: Block) -> str:
    """Return a page in a few lines: what is folded by its title alone, what is long cut off.

    >>> print(brief(Section("ball", (Words("It falls."), Section("more", (Words("It is round."),), folded=True)))))
    ball
      It falls.
      more
    """
    if not isinstance(page, Section):
        return cut(inline(page), WIDE * TALL)
    lines = [f"  {cut(' '.join(line.split()))}" for line in _brief(page.blocks)]
    more = [f"  ... and {len(lines) - TALL} more"] if len(lines) > TALL else []
    return "\n".join([page.title, *lines[:TALL], *more])


def _brief(blocks: Iterable[Block]) -> Iterable[str]:
    for block in blocks:
        match block:
            case Equations():
                for group in block.groups:
                    if group.title:
                        yield group.title
                    yield from (_equation(*pair) for pair in group.pairs)
                yield from ([f"... and {block.more} more"] if block.more else [])
            case Table():
                yield from (_row([inline(cell) for cell in row]) for row in block.rows)
                yield from ([f"... and {block.more} more"] if block.more else [])
            case Claims():
                yield f"claims: {inline(block)}"
            case Section() if not block.folded:
                yield block.title
                yield from _brief(block.blocks)
            case _:
                yield inline(block)


def cut(line: str, wide: int = WIDE) -> str:
    """Return a text, cut where it is long."""
    return line if len(line) <= wide else f"{line[: wide - 4]} ..."


# -- equations -----------------------------------------------------------------------------------------------
def _equations(groups: Sequence[Group], page: int) -> list[str]:
    """Return equations as lines, with a list of the parts that were given a name."""
    sides = [side for group in groups for left, right in group.pairs for side in (left, right)]
    roots = without_solves([side for side in sides if isinstance(side, Expr)])
    named = parts_to_name(roots, 0.8 * page, limits={}, free={}, short=False)
    taken = {s.name for s in symbols(roots)} | {f.name for f in functions(roots)}
    names = part_names(named, roots, taken)
    bodies = dict(zip(names, opened(list(names), names), strict=True))
    shown = [root if root in names else opened([root], names)[0] for root in roots]
    printer = Printer([*shown, *bodies, *bodies.values()], names)
    ready = iter(shown)
    texts = iter([printer.write(next(ready)) if isinstance(side, Expr) else side or "" for side in sides])
    lines: list[str] = []
    for group in groups:
        pairs = [(next(texts), next(texts)) for _ in group.pairs]
        lines += [group.title, *_aligned(pairs, page)] if group.title else _aligned(pairs, page)
    if names:
        lines += [
            "where",
            *_aligned([(name, printer.write(bodies[n], spelled_out=True)) for n, name in names.items()], page),
        ]
    return lines


def _aligned(pairs: Sequence[tuple[str, str]], page: int) -> list[str]:
    """Return equations with their equals signs below each other, as far as left sides are short."""
    size = max((len(left) for left, _ in pairs if len(left) <= 12), default=0)
    return [
        line for left, right in pairs for line in broken(f"{left.ljust(size)} = {right}" if left else right, page, "  ")
    ]
