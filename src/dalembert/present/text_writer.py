"""A page in plain text: in lines of a width where nothing is cut off, or brief, as Python says what a thing is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Final, TypeAlias

from dalembert.expr.display.equations import avoiding, part_names
from dalembert.expr.display.measure import parts_to_name
from dalembert.expr.display.unicode import unicode_formula, unicode_name
from dalembert.expr.graph import Expr
from dalembert.expr.text import text
from dalembert.expr.text.opened import opened
from dalembert.expr.text.printer import Printer, without_solves
from dalembert.expr.walk import functions, symbols
from dalembert.model.claim import Claim, answers_of
from dalembert.present.combinations import combination_text
from dalembert.present.lines import beside, breadth, broken, columns, glued, padded, paragraph, statements
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
from dalembert.present.typeset import typeset_unicode
from dalembert.records import dataclass

Paint: TypeAlias = Callable[[str, str], str]
"""What makes a colour of a kind of verdict and a text."""

_PAGE: Final = 100
"""Letters in a line of a formula where nothing is said about the width."""


@dataclass(frozen=True, slots=True)
class Letters:
    """The letters of a text: each function makes them of what is typed."""

    formula: Callable[[str], str] = str
    field: Callable[[str], str] = str
    name: Callable[[str], str] = str
    sentence: Callable[[str, Sequence[str]], str] = lambda words, _: words


TYPED: Final = Letters()
"""Those of a keyboard, which can be read again,"""
UNICODE: Final = Letters(unicode_formula, lambda it: unicode_formula(it, fields=True), unicode_name, typeset_unicode)
"""and those of mathematics."""


def in_text(page: Block, width: int | None = None, paint: Paint | None = None, letters: Letters = TYPED) -> str:
    """Return a page in lines of a width; words get a line each where none is given.

    >>> print(in_text(Section("ball", (Words("It is round."), Words("It falls.", "proved", answer="yes")))))
    ball
      It is round.
      yes  It falls.  proved
    """
    return "\n".join(_Lines(width, paint or (lambda _, cell: cell), letters).of(page)).strip("\n")


def counted(claims: Iterable[Claim]) -> str:
    """Return how many claims have which answer.

    >>> from dalembert.expr.truth import Verdict
    >>> counted([Claim("", "", "question", Verdict("refuted", "")), Claim("", "", "check", Verdict("proved", ""))])
    '1 yes, 1 no'
    """
    return answers_of(claims) or "none"


class _Lines:
    """What makes lines of blocks, in a width and with colours."""

    def __init__(self, width: int | None, paint: Paint, letters: Letters) -> None:
        self.width, self.paint, self.letters = width, paint, letters

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
                lines = _equations(block.groups, (self.width or _PAGE) - len(indent), self.letters)
                return [*(indent + line for line in lines), *_more(block.more, indent)]
            case Components():
                told = [(self.letters.name(name), self.inline(alone(entry))) for name, entry in block.entries]
                entries = [f"{label} = {said}" if label else said for label, said in told]
                lines = [line for entry in entries for line in broken(entry, self.width or _PAGE, indent + "  ")]
                return [*lines, *([f"{indent}  {block.zeros} further: zero"] if block.zeros else [])]
            case Claims():
                return [*self.claims(block, indent), *_more(block.more, indent)]
            case Table():
                rows = [list(block.head)] if block.head else []
                rows += [[self.inline(cell) for cell in row] for row in block.rows]
                return [*self.columns(rows, indent + "  "), *_more(block.more, indent)]
            case Listing() if block.form != "inline":
                return [line for item in block.items for line in self.of(item, indent + "  ")] + _more(
                    block.more, indent
                )
            case Code() if not block.instead:
                return [indent + line for line in block.text.splitlines()]
        return broken(self.inline(block), self.width or _PAGE, indent + "  ")

    def inline(self, block: Block) -> str:
        """Return a block in one line."""
        return inline(block, self.letters)

    def section(self, block: Section, indent: str) -> list[str]:
        """Return a title and what is under it; sections, equations, tables and claims stand apart."""
        title = block.title if block.level == 1 else self.said(block.title)  # a page has the name of a system
        lines = paragraph(title, self.width, indent) if title else []
        if block.beside:
            lines = [indent + line for line in beside(block.title, self.said(block.beside), self.width)]
        waiting: list[Words] = []
        inner = indent if block.level == 1 else indent + "  "
        for one in block.blocks:
            if isinstance(one, Words):
                waiting.append(one)
                continue
            lines += self.words(waiting, inner)
            waiting = []
            apart = [""] if lines and (block.level == 1 or (len(lines) > 1 and not block.folded)) else []
            first = isinstance(one, Equations) and one is block.blocks[0]  # they are indented by themselves
            lines += [*apart, *self.of(one, indent if first else inner)]
        return [*lines, *self.words(waiting, inner)]

    def said(self, words: str) -> str:
        """Return a sentence in the letters of this text."""
        return self.letters.sentence(words, ())

    def words(self, several: Sequence[Words], indent: str) -> list[str]:
        """Return sentences, those with answers and verdicts in columns of these."""
        lines: list[str] = []
        rows: list[tuple[str, str, str]] = []
        for one in several:
            if one.verdict or one.answer:
                rows.append((one.answer, _said(one, self.letters, glued), one.verdict))
                continue
            lines += chain(*self.statements(rows, indent or "  "))
            lines += paragraph(_said(one, self.letters, glued), self.width, indent, "  ")
            rows = []
        return [*lines, *chain(*self.statements(rows, indent or "  "))]

    def statements(self, rows: Sequence[tuple[str, str, str]], indent: str) -> list[list[str]]:
        """Return statements, their answers in colour."""
        return statements(rows, self.width, indent, lambda _, cell: self.paint(cell.strip(), cell))

    def claims(self, block: Claims, indent: str) -> list[str]:
        """Return claims as statements, each with its name, its role and its evidence below."""
        lines = [f"{indent}claims: {counted(block.claims)}"] if len(block.claims) > 1 else []
        rows = [(c.answer, self.said(c.sentence), c.verdict.basis) for c in block.claims]
        below = indent + " " * (4 + max((len(answer) for answer, _, _ in rows), default=0))
        for claim, shown in zip(block.claims, self.statements(rows, indent + "  "), strict=True):
            why = f"{claim.name} ({claim.role}): {self.said(claim.verdict.evidence)}"
            lines += [*shown, *([] if block.brief else paragraph(why, self.width, below, "  "))]
        return lines

    def columns(self, rows: Sequence[Sequence[str]], indent: str) -> list[str]:
        """Return rows in columns, verdicts in colour."""
        return columns(rows, self.width, indent=indent, paint=lambda _, cell: self.paint(cell.strip(), cell))


def _claim(claim: Claim, letters: Letters) -> str:
    said, why = (letters.sentence(words, ()) for words in (claim.sentence, claim.verdict.evidence))
    return f"{claim.answer}: {said} ({claim.verdict.basis}, {claim.role}) {why}"


def _more(many: int, indent: str) -> list[str]:
    return [f"{indent}  ... and {many} more"] if many else []


# -- a line --------------------------------------------------------------------------------------------------
def inline(block: Block, letters: Letters = TYPED) -> str:
    """Return a block in one line, however long.

    >>> from dalembert.expr import symbol
    >>> inline(Table(((Words("x"), Formula(symbol("x") + 1)),)))
    'x: x + 1'
    """
    match block:
        case Words():
            return _said(block, letters) or " ".join(filter(None, (block.answer, block.verdict)))
        case Formula():
            shown = text(block.expression)
            return letters.formula(f"{block.left} = {shown}" if block.left is not None else shown)
        case Matrix():
            return letters.formula(", ".join(f"({', '.join(map(text, row))})" for row in block.rows))
        case Combination():
            return block.title + letters.field(combination_text(block))
        case Equations():
            return letters.formula(", ".join(_equation(*pair) for group in block.groups for pair in group.pairs))
        case Components():
            return ", ".join(
                f"{letters.name(label)}: {inline(alone(entry), letters)}" for label, entry in block.entries
            )
        case Claims():
            return _claim(block.claims[0], letters) if len(block.claims) == 1 else counted(block.claims)
        case Table():
            return ", ".join(_row([inline(cell, letters) for cell in row]) for row in block.rows)
        case Listing():
            inside = [(item, inline(item, letters)) for item in block.items]
            between = " " if block.form == "plain" else ", "  # what is plain is sentences
            return between.join(f"({said})" if isinstance(item, Listing) else said for item, said in inside)
        case Picture():
            return block.words
        case Code():
            return block.instead or block.text.partition("\n")[0]
        case Section():
            return block.title
        case Columns():
            return " ".join(inline(one, letters) for one in (*block.left, *block.right))


def _said(block: Words, letters: Letters = TYPED, formula: Callable[[str], str] = str) -> str:
    formulas = ", ".join(formula(letters.formula(text(one))) for one in block.formulas)
    words, note = letters.sentence(block.text, block.letters), letters.sentence(block.note, ())
    source = f"({block.source})" if block.source else ""
    return " ".join(part for part in (words, formulas, note, source) if part)


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
    return "\n".join([*([page.title] if page.title else []), *lines[:TALL], *more])


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
                yield from [block.title] * bool(block.title)
                yield from _brief(block.blocks)
            case Words() if block.answer:
                yield f"{block.answer}: {inline(block)} ({block.verdict})"
            case _:
                yield inline(block)


def cut(line: str, wide: int = WIDE) -> str:
    """Return a text, cut where it is long."""
    return line if len(line) <= wide else f"{line[: wide - 4]} ..."


# -- equations -----------------------------------------------------------------------------------------------
def _equations(groups: Sequence[Group], page: int, letters: Letters) -> list[str]:
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
    texts = iter(
        [
            letters.formula(printer.write(next(ready))) if isinstance(side, Expr) else letters.name(side or "")
            for side in sides
        ]
    )
    lines: list[str] = []
    for group in groups:
        pairs = [(next(texts), next(texts)) for _ in group.pairs]
        lines += [group.title, *_aligned(pairs, page)] if group.title else _aligned(pairs, page)
    written = [(name, letters.formula(printer.write(bodies[n], spelled_out=True))) for n, name in names.items()]
    lines += ["where", *_aligned([(letters.name(name), body) for name, body in written], page)] if names else []
    return lines


def _aligned(pairs: Sequence[tuple[str, str]], page: int) -> list[str]:
    """Return equations with their equals signs below each other, as far as left sides are short."""
    size = max((breadth(left) for left, _ in pairs if breadth(left) <= 12), default=0)
    return [
        line
        for left, right in pairs
        for line in broken(f"{padded(left, size)} = {right}" if left else right, page, "  ")
    ]
