"""What is shown of a thing: a frozen tree of blocks, made once; the writers say nothing that is not in it.

==================  ==========================================================================================
block               is
==================  ==========================================================================================
``Words``           a sentence, or a cell of a table, with formulas and a verdict behind it
``Formula``         a formula, or an equation, in a line
``Matrix``          rows of formulas
``Combination``     a vector field, a form, an element of an algebra: a sum over a basis
``Equations``       groups of equations, each under its title; parts that are named are named for all groups
``Components``      the components of an object that are not zero
``Claims``          claims with their verdicts
``Table``           rows of blocks
``Listing``         blocks one below the other
``Picture``         what is drawn, and the words that stand for it where nothing can be
``Code``            a file, or formulas that are too long to be typeset
``Section``         blocks under a title, perhaps folded; a page is one
``Columns``         blocks beside others, where there is room
==================  ==========================================================================================

How much is shown is decided here and by those who make the tree, so that all writers show as much.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from dalembert.errors import DalembertError
from dalembert.expr.graph import Expr
from dalembert.expr.text import program
from dalembert.expr.walk import postorder, tree_size, unroll
from dalembert.model.claim import Claim
from dalembert.records import dataclass

# -- how much is shown ---------------------------------------------------------------------------------------
LINE: Final = 68.0
"""Letters in a line of a typeset formula."""
NARROW: Final = 40.0
"""Letters in a line of half a page."""
PARTS: Final = 8
"""More named parts than these are folded away."""
_NODES: Final = 600
"""Shared nodes of a single formula,"""
_TREE: Final = 500
"""and nodes of its tree, that somebody reads."""
SYSTEM: Final = 6_000
"""Shared nodes of equations that a notebook shows, and of a formula whose parts have names."""
OBJECT: Final = 6_000
"""Nodes, linear systems written out, of one object of a formalism that is made shorter for a page,"""
SHOWN: Final = 800
"""and so many of what that leaves are typeset: three or four screens, with some hundred named parts."""
LISTED: Final = 20_000
"""Nodes, linear systems written out, of longer ones that a page has as lines of text."""
WRITTEN: Final = 100_000
"""Nodes, linear systems written out, of one object that ``derive --json`` writes down."""
LETTERS: Final = 200_000
"""Letters that a notebook shows of one thing,"""
NODE: Final = 30
"""so many for each node of a formula."""
ROWS: Final = 60
"""Entries of a list or a table, and"""
CLAIMS: Final = 150
"""claims, or entries of a matrix, that a notebook shows;"""
MATRIX: Final = 500
"""shared nodes of a matrix."""
DEEP: Final = 3
"""Records within records within records are shown, no deeper."""
WIDE: Final = 110
"""Letters of a line, and"""
TALL: Final = 40
"""lines of a brief text."""


# -- the tree ------------------------------------------------------------------------------------------------
Pair: TypeAlias = "tuple[Expr | str | None, Expr]"
"""The two sides of an equation; the left one may be a name, or nothing at all."""


@dataclass(frozen=True, slots=True)
class Words:
    """A sentence, or a cell of a table."""

    text: str
    verdict: str = ""
    """How it is known."""
    formulas: tuple[Expr, ...] = ()
    """Formulas behind the text."""
    quiet: bool = False
    """Small print."""
    note: str = ""
    """What stands behind it in small print."""
    letters: tuple[str, ...] = ()
    """Words in it that are letters of formulas."""
    answer: str = ""
    """What stands before a statement: yes, no, open, or FAILS before what must hold and does not."""
    unshown: int = 0
    """Nodes of what it says to be too long to be shown."""
    source: str = ""
    """The formalisms that it is known from; on a page that is shown with the verdict."""
    link: str = ""
    """The anchor of a section on the same page that it leads to."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula in a line; an equation where there is a left side."""

    expression: Expr
    left: Expr | None = None


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of formulas."""

    rows: tuple[tuple[Expr, ...], ...]


@dataclass(frozen=True, slots=True)
class Basis:
    """An element of a basis: a coordinate field, a product of differentials, or something with a name."""

    kind: Literal["partial", "differential", "name"]
    of: tuple[Expr, ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class Combination:
    """A sum over a basis; a coefficient that nobody would read is said in words. A title stands before it."""

    terms: tuple[tuple[Expr | str, Basis], ...]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Equations under a title."""

    title: str
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class Equations:
    """Groups of equations, which share the names of their parts; ``narrow`` where there is half a page for them."""

    groups: tuple[Group, ...]
    narrow: bool = False
    more: int = 0
    """Equations that are left out."""


@dataclass(frozen=True, slots=True)
class Components:
    """The components of an object that are not zero, by their labels, and how many are zero; they share their parts."""

    entries: tuple[tuple[str, Formula | Words], ...]
    zeros: int = 0


@dataclass(frozen=True, slots=True)
class Claims:
    """Claims with their verdicts; ``more`` are left out, and ``again`` has the commands that decide them anew."""

    claims: tuple[Claim, ...]
    again: tuple[str, ...] = ()
    fold: Literal["closed", "open", "none"] = "closed"
    more: int = 0
    brief: bool = False
    """Whether a text has the statements without their evidence."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells, under the titles of their columns where there are some."""

    rows: tuple[tuple[Block, ...], ...]
    head: tuple[str, ...] = ()
    more: int = 0
    """Rows that are left out."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Blocks one below the other, with numbers or without, or one behind the other in a line."""

    items: tuple[Block, ...]
    form: Literal["numbered", "plain", "inline"] = "numbered"
    more: int = 0
    """Items that are left out."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Something that is drawn, in HTML or SVG, and the words that stand for it in a text."""

    html: str
    words: str
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Code:
    """Text that stands as it is: a file, or formulas that are too long to be typeset."""

    text: str
    title: str = ""
    """What is said above it,"""
    instead: str = ""
    """and in its place where nothing folds away: on paper, in a terminal."""


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under a title."""

    title: str
    blocks: tuple[Block, ...] = ()
    level: int = 2
    anchor: str = ""
    folded: bool = False
    look: str = ""
    """What kind of fold it is, for a style sheet: ``objects``, ``object`` or ``motion``."""
    beside: str = ""
    """What stands at the right of the title."""
    names: frozenset[str] = frozenset()
    """What has a name that no part of a formula in it may get: things of the system, and of the theory."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Blocks beside others, where there is room; else below each other."""

    left: tuple[Block, ...]
    right: tuple[Block, ...] = ()


Block: TypeAlias = (
    "Words | Formula | Matrix | Combination | Equations | Components | Claims | Table | Listing | Picture | Code"
    " | Section | Columns"
)


# -- what is in it -------------------------------------------------------------------------------------------
def blocks_in(block: Block) -> Iterator[Block]:
    """Yield a block and all blocks within it, in their order."""
    yield block
    match block:
        case Section():
            inside: Iterable[Block] = block.blocks
        case Columns():
            inside = (*block.left, *block.right)
        case Listing():
            inside = block.items
        case Table():
            inside = (cell for row in block.rows for cell in row)
        case Components():
            inside = (entry for _, entry in block.entries)
        case _:
            return
    for one in inside:
        yield from blocks_in(one)


def claims_in(block: Block) -> list[Claim]:
    """Return the claims that are shown, in their order."""
    return [claim for one in blocks_in(block) if isinstance(one, Claims) for claim in one.claims]


def formulas_in(block: Block) -> list[Pair]:
    """Return the formulas that are shown, with their left sides, in their order."""
    found: list[Pair] = []
    for one in blocks_in(block):
        match one:
            case Equations():
                found += [pair for group in one.groups for pair in group.pairs]
            case Formula():
                found.append((one.left, one.expression))
            case Words():
                found += [(None, formula) for formula in one.formulas]
            case Matrix():
                found += [(None, entry) for row in one.rows for entry in row]
            case Combination():
                found += [(None, c) for c, _ in one.terms if isinstance(c, Expr)]
    return found


# -- what somebody reads -------------------------------------------------------------------------------------
SEVERAL: Final = frozenset({"sincos", "factor", "solve", "basic", "assembled"})
"""Nodes with several values, of which a formula can have one only."""


def is_within(expressions: Iterable[Expr], most: int) -> bool:
    """Say whether formulas have no more shared nodes than so many, without going through all of them.

    >>> from dalembert.expr import symbol
    >>> is_within([symbol("x") + 1], 2), is_within([symbol("x") + 1], 1)
    (True, False)
    """
    seen: set[Expr] = set()
    waiting = list(expressions)
    while waiting and len(seen) <= most:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting += node.args
    return len(seen) <= most


def size_written(expressions: Iterable[Expr]) -> int:
    """Return how many nodes formulas have together, about, once their linear systems are written out.

    >>> from dalembert.expr import symbol
    >>> size_written([symbol("x") + 1])
    2
    """
    nodes = postorder(expressions)
    systems: list[int] = [n.data if n.op == "factor" else n.data[0] for n in nodes if n.op in {"factor", "basic"}]
    systems += [n.data[0] - n.data[1] for n in nodes if n.op == "assembled"]
    return len(nodes) + sum(size**3 // 3 for size in systems)


def written_elsewhere(size: int, formalism: str, what: str = "them") -> str:
    """Return how to get what is too long for a page, at the end of a sentence.

    >>> written_elsewhere(7_000, "routh")
    '; dalembert derive MODEL --as routh --json writes them down'
    >>> written_elsewhere(200_000, "routh", "it")
    ", and with 200,000 nodes to be written down; in Python derive(system, 'routh').objects() has it"
    """
    if size <= WRITTEN:
        return f"; dalembert derive MODEL --as {formalism} --json writes {what} down"
    return f", and with {size:,} nodes to be written down; in Python derive(system, {formalism!r}).objects() has {what}"


def readable(expression: Expr) -> Expr | None:
    """Return a formula with its linear solves written out, or None where nobody would read it."""
    if expression.op in SEVERAL or not is_within([expression], _NODES):
        return None
    try:
        (plain,) = unroll([expression])
    except DalembertError:  # a solve of a singular system has no formula
        return None
    return plain if tree_size(plain) <= _TREE else None


def formula_or_size(expression: Expr) -> Formula | Words:
    """Return a formula, or how large it is where nobody would read it.

    >>> from dalembert.expr import symbol
    >>> formula_or_size(symbol("x"))
    Formula(expression=x, left=None)
    """
    plain = readable(expression)
    return _size(expression) if plain is None else Formula(plain)


def formula_by_parts(expression: Expr) -> Formula | Equations | Words:
    """Return a formula, with its parts named where nobody would read it else.

    >>> from dalembert.expr import symbol
    >>> formula_by_parts(symbol("x"))
    Formula(expression=x, left=None)
    """
    plain = readable(expression)
    if plain is not None:
        return Formula(plain)
    if expression.op in SEVERAL or not is_within([expression], SYSTEM) or size_written([expression]) > SYSTEM:
        return _size(expression)
    return Equations((Group("", ((None, expression),)),))


def component_by_parts(plain: Expr) -> Formula | Words:
    """Return one of several formulas that share the names of their parts; a node with several values is none."""
    return Formula(plain) if plain.op not in SEVERAL else _size(plain)


def alone(entry: Formula | Words) -> Formula | Words:
    """Return a component for a line of its own, where no part has a name."""
    return formula_or_size(entry.expression) if isinstance(entry, Formula) else entry


def by_lines(formulas: Sequence[tuple[str, Expr]], instead: str) -> Code:
    """Return long formulas as text, a line for each, after lines for the parts that they share.

    >>> from dalembert.expr import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> by_lines([("p", (x + y) ** 2), ("q", x / (x + y))], "too long").text.splitlines()
    ['c1 = x + y', 'p = c1^2', 'q = x/c1']
    """
    parts, texts = _program(tuple(formula for _, formula in formulas))
    lines = [*parts, *zip((label for label, _ in formulas), texts, strict=True)]
    return Code("\n".join(f"{label} = {written}" for label, written in lines), _BY_LINES, instead)


@lru_cache(maxsize=4)
def _program(formulas: tuple[Expr, ...]) -> tuple[list[tuple[str, str]], list[str]]:
    """Return formulas as a program: objects that follow each other may be the same."""
    return program(formulas)


_BY_LINES = "too long to be typeset; as text, with names for the parts that are shared:"


def _size(expression: Expr) -> Words:
    return Words(f"too long to be shown: {size_written([expression])} nodes", quiet=True)
