"""The equations of motion on a page: accelerations where they are short, else the linear equations for them.

Those are as they are derived: mass * acceleration = force.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Final, TypeAlias

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import time_derivative
from dalembert.expr.elementary import jet
from dalembert.expr.graph import ZERO, Expr, symbol, total
from dalembert.expr.linear import constant_null_space
from dalembert.expr.symbols import Function, Symbol
from dalembert.expr.text import text
from dalembert.expr.truth import vanish
from dalembert.expr.vocabulary import is_part
from dalembert.expr.walk import substitute, symbols, tree_size, unroll
from dalembert.model import equations as model
from dalembert.present.entries import orthogonal
from dalembert.present.main_objects import SPEEDS, held_by
from dalembert.present.page import (
    LISTED,
    SYSTEM,
    Block,
    Equations,
    Group,
    Pair,
    Section,
    Words,
    by_lines,
    size_written,
    written_elsewhere,
)  # fmt: skip
from dalembert.present.shortening import Shortening, Tried

Short: TypeAlias = Callable[[Expr], Expr]
"""What makes a formula shorter where it can."""

MASSES: Final = "with masses"
"""The title of what long masses are."""
_SHORT: Final = 250
"""Nodes of an acceleration, as a tree, that is shown solved."""
_EVIDENT: Final = 40
"""Nodes of an acceleration, as a tree, that is shown without a look at the linear equations for it."""
_HOPELESS: Final = 20_000
"""Nodes, as a tree, that are not worth trying."""
_LEFT, _RIGHT = 36, 60
"""Nodes of the sides of an equation, as trees, that have room beside each other,"""
_BESIDE: Final = 16
"""and of a left side with a right one of several lines."""
_LETTERS: Final = ("M", "G", "W")
"""Letters for long masses, of which one is taken that nothing else is called;"""
_ENTRY: Final = 9
"""those of so few nodes, as trees, stand in the equation themselves,"""
_PRODUCTS: Final = 100
"""Of momenta and velocities, among which rates of momenta are sought."""
_WORTH: Final = 2
"""So many times longer they may be by these: it is the form in which they are known."""
_DIGITS: Final = 9
"""and so many rows are counted by one digit."""


def equations_blocks(
    equations: model.Equations, short: Short, parts: Mapping[Expr, Expr] | None = None
) -> tuple[Words, Equations]:
    """Return the state, and the equations of motion, what is found from them, and what holds besides.

    What has a name among ``parts``, angular velocities above all, is called by it where speeds are told.
    """
    short = by_name(equations, short)
    turning = _turning(equations, short)
    rates = [
        (q.dot, short(rate)) for q, rate in equations.kinematics.items() if q.data.name.partition(".")[0] not in turning
    ]
    motion: list[Pair] = [(left, right) for left, right in rates if left is not right]  # x' = x' says nothing
    lifted = {q.data.name.partition(".")[0] for q in equations.reconstruction}.intersection(turning)
    motion += [pair for name, pairs in turning.items() if name not in lifted for pair in pairs]
    beside = [pair for name, pairs in turning.items() if name in lifted for pair in pairs]
    beside += [
        (q.dot, short(rate))
        for q, rate in equations.reconstruction.items()
        if q.data.name.partition(".")[0] not in lifted and rate is not q.dot
    ]
    unknowns = ", ".join(str(s.data.label) for s in equations.implicit)
    by_others = {p: by_momenta(rate, equations) for p, (_, rate) in equations.momenta.items()}
    changing = [(p.dot, short(equations.momenta[p][1]) if e is None else e) for p, e in by_others.items()]
    solved, behind = _accelerations(equations, short)
    wide = any(isinstance(left, Expr) and left.op not in {"symbol", "number"} for left, _ in solved)
    solved, balances = ([], solved) if wide else (solved, [])
    groups: list[tuple[str, list[Pair]]] = [
        ("momentum equation", [*changing, *((p, short(one)) for p, (one, _) in equations.momenta.items())]),
        ("motion" if changing else "", [*motion, *solved]),
        ("motion" if changing and not motion else "", balances),  # aligned by themselves: their left sides are wide
        (MASSES, behind),
        (SPEEDS, [(one, short(e)) for one, e in _speeds(equations, parts or {}).items()]),
        (f"with {unknowns} from", [(ZERO, short(residual)) for residual in equations.implicit.values()]),
        ("reconstruction", beside),
        ("in the stated coordinates", [(q, short(e)) for q, e in equations.configuration.items() if q is not e]),
    ]
    state = Words("state:", formulas=equations.state, quiet=True)
    return state, Equations(tuple(Group(title, tuple(pairs)) for title, pairs in groups if pairs))


def by_momenta(rate: Expr, equations: model.Equations) -> Expr | None:
    """Return how fast a momentum changes by momenta and velocities, as the coadjoint action does it; None where not so.

    >>> from dalembert import derive, gallery
    >>> top = derive(gallery.load("free-rigid-body"), "reduced").equations
    >>> [by_momenta(rate, top) for _, rate in top.momenta.values()][0]
    p_2*R.w3 - p_3*R.w2
    """
    products = [(p * u, meaning * u) for p, (meaning, _) in equations.momenta.items() for u in equations.velocities]
    if not 0 < len(products) <= _PRODUCTS:
        return None
    try:
        found = constant_null_space([*(e for _, e in products), rate]).basis
    except ExpressionError:  # not by rational numbers
        return None
    forms = [
        total((Fraction(-c, one[-1]), e) for c, (e, _) in zip(one, products, strict=False) if c)
        for one in found
        if one[-1]
    ]
    best = min(forms, key=tree_size, default=rate)
    return best if best is not rate and tree_size(best) <= _WORTH * tree_size(rate) else None


def _speeds(equations: model.Equations, parts: Mapping[Expr, Expr]) -> dict[Expr, Expr]:
    """Return what the speeds are that have no names of their own, by those that others have."""
    told = {one: e for one, e in equations.speeds.items() if not is_part(one.data.name)}
    return dict(zip(told, substitute(list(told.values()), parts), strict=True)) if parts else told


def cut_to_size(groups: Sequence[Group], most: int = SYSTEM, whose: str = "") -> tuple[Equations, Block | None]:
    """Return equations that somebody reads, and all of them as text; of more than that, who has them.

    Sizes are counted on the graph, linear systems written out. Where all of them together are too long the first ones
    stay, up to a tenth of that: they show how the others begin.

    >>> x, y = symbol("x"), symbol("y")
    >>> shown, told = cut_to_size([Group("", ((x.dot, y), (y.dot, x + y**2)))], 3, "routh")
    >>> shown.more, told.title, told.blocks[0].text.splitlines()
    (2, 'all 2 equations', ["x' = y", "y' = x + y^2"])
    >>> told.blocks[0].instead
    '2 of 2 equations are too long to be shown; dalembert derive MODEL --as routh --json writes them down.'
    """
    size = size_written(_sides(groups))
    if size <= most:
        return Equations(tuple(groups)), None
    kept: list[Group] = []
    for title, pair in ((group.title, pair) for group in groups for pair in group.pairs):
        more = Group(title, (*kept.pop().pairs, pair) if kept and kept[-1].title == title else (pair,))
        if size_written(_sides([*kept, more])) > most // 10:
            kept += [Group(title, more.pairs[:-1])] if more.pairs[:-1] else []
            break
        kept.append(more)
    many, left = sum(len(group.pairs) for group in groups), sum(len(group.pairs) for group in kept)
    told = f"{many - left} of {many} equations are too long to be shown{written_elsewhere(size, whose)}."
    return Equations(tuple(kept), more=many - left), _all_as_text(groups, told) if size <= LISTED else Words(told)


def _all_as_text(groups: Sequence[Group], told: str) -> Section:
    pairs = [pair for group in groups for pair in group.pairs]
    lines = [(left if isinstance(left, str) else "0" if left is None else text(left), right) for left, right in pairs]
    return Section(f"all {len(lines)} equations", (by_lines(lines, told),), folded=True, look="listed")


def _sides(groups: Sequence[Group]) -> list[Expr]:
    return [side for group in groups for pair in group.pairs for side in pair if isinstance(side, Expr)]


def by_name(equations: model.Equations, short: Short) -> Short:
    """Return what makes a formula shorter once the parts that have a name are called by it."""
    names = {whole: name for name, whole in equations.named.items()}
    return (lambda expression: short(substitute([expression], names)[0])) if names else short


def shortening(equations: model.Equations, effort: float, each: float = 0.5, tried: Tried | None = None) -> Shortening:
    """Return what makes formulas short in which the entries of rotations have names: their matrices are orthogonal.

    Where rates of entries are velocities, what the rates of these relations say holds, too.
    """
    held = orthogonal(equations.named)
    moving = {v.data for v in equations.velocities}
    rates = [rate for rate in map(time_derivative, held) if {s for s in symbols([rate]) if s.order} <= moving]
    return Shortening(effort, each, [*held, *rates], tried)


def _turning(equations: model.Equations, short: Short) -> dict[str, list[Pair]]:
    """Return the kinematics of each rotation, R' = R hat(w), and those of the w that are no variables themselves."""
    found: dict[str, list[Pair]] = {}
    for one, rate in equations.turning.items():
        name = one.data.name.partition(".")[0]
        if name not in found:
            hat = jet(Function("hat", 1), [symbol(Symbol(f"{name}.w"))])
            found[name] = [(f"{name}'", symbol(Symbol(name)) * hat)]
        found[name] += [] if one in equations.velocities or rate is one else [(one, short(rate))]
    return found


def _accelerations(equations: model.Equations, short: Short) -> tuple[list[Pair], list[Pair]]:
    """Return the accelerations, or the linear equations for them where these are much shorter.

    Beside these stands what the masses and forces in them are that are too long for a line.
    """
    if equations.saddle is not None:
        return _bordered(equations, equations.saddle, short), []
    rates = [(w, rate) for w, rate in equations.rates().items() if w in equations.velocities]
    solved, sizes = list[Pair](), list[int]()
    if all(tree_size(rate) < _HOPELESS for _, rate in rates):
        for w, rate in rates:  # no further one is worth its work where one stays long
            solved.append((w.dot, short(rate)))
            sizes.append(tree_size(unroll([solved[-1][1]])[0]))
            if sizes[-1] > _SHORT:
                break
    if sizes and max(sizes) <= _EVIDENT:
        return solved, []
    given, size = equations.mass, range(len(equations.mass))
    even = all(given[i][j] is given[j][i] or vanish([given[i][j] - given[j][i]]) for i in size for j in range(i))
    there = {(i, j): short(given[i][j]) for i in size for j in size if i <= j or not even}  # before the forces: short
    mass = [[there[(i, j) if (i, j) in there else (j, i)] for j in size] for i in size]
    balances, behind = _balances(equations, mass, [short(force) for force in equations.force])
    ink = sum(tree_size(side) for pair in [*balances, *behind] for side in pair if isinstance(side, Expr))
    return (solved, []) if sizes and max(sizes) <= _SHORT and sum(sizes) <= 2 * ink else (balances, behind)


def _balances(
    equations: model.Equations, mass: Sequence[Sequence[Expr]], force: Sequence[Expr]
) -> tuple[list[Pair], list[Pair]]:
    """Return mass * acceleration = force; long masses have names where they would push the force out of the line.

    >>> w = symbol("w")
    >>> stated = model.Equations("one", "lagrange", {}, (w,), ((ZERO,),), (ZERO,))
    >>> long = total((1, symbol(f"a{k}") * symbol("x")) for k in range(40))
    >>> M = symbol("M_11", role="parameter")
    >>> _balances(stated, [[long]], [w]) == ([(M * w.dot, w)], [(M, long)])
    True
    """
    taken = {one.data.name.partition("_")[0] for one in (*equations.state, *equations.parameters)}
    letter = next((one for one in _LETTERS if one not in taken), _LETTERS[0])
    between = "_" if len(mass) > _DIGITS else ""
    rows = [_row(mass[i], equations.velocities) for i in range(len(mass))]
    room = [_LEFT if tree_size(right) <= _RIGHT else _BESIDE for right in force]
    if all(tree_size(left) <= most for left, most in zip(rows, room, strict=True)):
        return list(zip(rows, force, strict=True)), []
    named: dict[Expr, Expr] = {}  # in all rows, so that what stands in two of them is told once
    for i, row in enumerate(mass, 1):
        for j, m in enumerate(row, 1):
            if tree_size(m) > _ENTRY:
                named.setdefault(m, symbol(Symbol(f"{letter}_{i}{between}{j}", role="parameter")))
    rows = [_row([named.get(m, m) for m in row], equations.velocities) for row in mass]
    return list(zip(rows, force, strict=True)), [(name, entry) for entry, name in named.items()]


def _row(entries: Sequence[Expr], velocities: Sequence[Expr]) -> Expr:
    return total((1, m * w.dot) for m, w in zip(entries, velocities, strict=True))


def _bordered(equations: model.Equations, saddle: model.Saddle, short: Short) -> list[Pair]:
    """Return the balances with the forces of the constraints, and the rows that the accelerations obey."""
    rates = [w.dot for w in equations.velocities]
    weights = [symbol(Symbol(f"lambda_{held_by(name, k)}")) for k, name in enumerate(saddle.names, 1)]

    def times(row: Sequence[Expr], others: Sequence[Expr]) -> Expr:
        return total((1, short(a) * b) for a, b in zip(row, others, strict=True))

    columns = list(zip(*saddle.virtual, strict=True))
    balances = zip(equations.mass, equations.force, columns, strict=True)
    told: list[Pair] = [(times(row, rates), short(force) + times(c, weights)) for row, force, c in balances]
    return told + [(times(row, rates), short(b)) for row, b in zip(saddle.rows, saddle.right, strict=True)]


def balance(left: Expr, right: Expr) -> Pair:
    """Return an equation, all on one side where both sides are wide: a left one would push the right one out."""
    return (left, right) if tree_size(left) <= _LEFT and tree_size(right) <= _RIGHT else (ZERO, left - right)
