"""Points of a level set N_mu, at which functions on TM are restricted to it and seen to vanish.

Where p_a = mu_a can be solved for as many symbols (velocities, parameters, coordinates), the others are free, and what
is zero for all of them is zero on N_mu: decided exactly. Else points are found by Newton's method, and what is zero at
them is measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import hypot, inf, isfinite
from random import Random

from dalembert.errors import EvaluationError, ExpressionError
from dalembert.expr.calculus import diff, gradient, jacobian, tangent
from dalembert.expr.elementary import solve, sqrt
from dalembert.expr.graph import ONE, ZERO, Expr, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import Verdict, generic_rank, is_zero
from dalembert.expr.truth.many import all_vanish, surviving
from dalembert.expr.walk import evaluate, postorder, substitute, symbols
from dalembert.geometry.fields import VectorField, combination
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.routh.reconstruction.connections import MomentumLevel, Rows

_MOST_CHOICES = 400
"""So many choices of symbols are tried before a level set counts as not solvable,"""
_MOST_ROOTS = 30
"""and so many roots of equations larger than"""
_MOST_NODES = 400
"""this are looked at where they are solved in turn."""
_STARTS = 40
_STEPS = 60
_POINTS = 3
_CLOSE = 1e-12
_ROUNDING = 1e-9


class _Defects:
    """p_a - mu_a at velocities that are a combination of the standard basis with free symbols."""

    def __init__(self, level: MomentumLevel, along: Sequence[VectorField]) -> None:
        self.base = [symbol(Symbol(f"v{i + 1}")) for i in range(len(level.horizontal))]
        self.group = [symbol(Symbol(f"w{a + 1}")) for a in range(len(along))]
        pairs = [*zip(self.base, level.horizontal, strict=True), *zip(self.group, along, strict=True)]
        self.velocities = dict(zip(level.velocities, combination(pairs).components, strict=True))
        slopes = substitute(gradient(level.lagrangian, list(level.velocities)), self.velocities)
        values = zip(level.generators, level.momentum, strict=True)
        self.values = [dot(slopes, e.components) - mu for e, mu in values]

    def put(self, solved: Mapping[Expr, Expr]) -> dict[Expr, Expr]:
        """Return velocities, and the parameters and coordinates that are solved for."""
        moved = substitute(list(self.velocities.values()), dict(solved))
        others = {s: value for s, value in solved.items() if s not in self.base and s not in self.group}
        return {**dict(zip(self.velocities, moved, strict=True)), **others}


def level_point(level: MomentumLevel, adjoint: Rows | None = None) -> dict[Expr, Expr] | None:
    """Return what to put for velocities and, where need be, other symbols so that p_a = mu_a; None where nothing does.

    Quasi-velocities are free symbols but for as many as there are momenta. Those are solved for in which the momenta
    are linear: the v^a if possible, else others, else parameters; else one equation after the other is solved for a
    symbol, coordinates included, in which it is linear or quadratic. What holds for all of these holds on N_mu. With
    ``adjoint``, the matrix A_a^b of the invariant fields, velocities along these are taken, where momenta are simpler.
    """
    defects = _Defects(level, level.generators)
    hidden = _hidden(defects.values)
    usual = [*defects.group, *defects.base, *_parameters(defects.values)]
    solved = _at_once(defects.values, [s for s in usual if s.data not in hidden])
    if solved is not None:
        return defects.put(solved)
    if adjoint is not None:
        turned = [combination(zip(row, level.generators, strict=True)) for row in adjoint]
        defects = _Defects(level, turned)
    plain = [] if level.facts else [q for q in level.chart.coordinates if q.data.domain == "real"]
    candidates = [*defects.group, *defects.base, *_parameters(defects.values), *plain]
    solved = _InTurn().solved(defects.values, candidates)
    return None if solved is None else defects.put(solved)


def _parameters(expressions: Sequence[Expr]) -> list[Expr]:
    found = [symbol(s) for s in symbols(expressions) if s.role == "parameter"]
    return sorted(found, key=lambda p: str(p.data.label))


def _hidden(expressions: Sequence[Expr]) -> set[Symbol]:
    """Return the symbols under roots, in denominators and within functions: in them nothing is a polynomial."""
    inside = []
    for node in postorder(expressions):
        if node.op == "product":
            inside += [b for b, n in zip(node.args, node.data, strict=True) if n < 0 or n.denominator != 1]
        elif node.op not in {"sum", "number", "pi", "symbol", "solve", "pick"}:
            inside += node.args
    return set(symbols(inside))


# -- linear equations ----------------------------------------------------------------------------------------
def _at_once(defects: Sequence[Expr], candidates: Sequence[Expr]) -> dict[Expr, Expr] | None:
    """Solve the equations for as many symbols in which they are linear, the first ones if possible."""
    slopes: dict[Expr, list[Expr]] = {}
    bent: dict[Expr, bool] = {}
    for count, chosen in enumerate(combinations(candidates, len(defects))):
        if count >= _MOST_CHOICES:
            return None
        for c in chosen:
            if c not in bent:
                slopes[c] = tangent(list(defects), {c: ONE})
                bent[c] = _depend(slopes[c], [c])
        if any(bent[c] for c in chosen) or _depend([entry for c in chosen for entry in slopes[c]], chosen):
            continue
        flat = dict.fromkeys(chosen, ZERO)
        columns = [substitute(slopes[c], flat) for c in chosen]
        matrix = [[column[k] for column in columns] for k in range(len(defects))]
        if generic_rank(matrix).rank == len(chosen):
            answer = solve(matrix, [-rest for rest in substitute(list(defects), flat)])
            return dict(zip(chosen, answer, strict=True))
    return None


def _depend(expressions: Sequence[Expr], variables: Sequence[Expr]) -> bool:
    """Say whether functions depend on variables, or may do so."""
    names = {v.data for v in variables}
    there = [f for f in expressions if not names.isdisjoint(symbols([f]))]
    return not all(_vanishes(slope) for f in there for slope in gradient(f, list(variables)))


def _vanishes(expression: Expr) -> bool:
    """Say whether an expression is zero; where it is not, a random point tells, for a witness would take long."""
    return not surviving({0: expression}) and is_zero(expression).holds is True


# -- one equation after the other ----------------------------------------------------------------------------
class _InTurn:
    """Solves one equation after the other for a symbol in which it is linear or quadratic."""

    def __init__(self) -> None:
        self.left = _MOST_ROOTS

    def solved(self, defects: Sequence[Expr], candidates: Sequence[Expr]) -> dict[Expr, Expr] | None:
        """Return the symbols by those that stay free; linear equations are used first, and the shortest."""
        if not defects:
            return {}
        for degree in (1, 2):
            for k, s, root in self._roots(defects, candidates, degree):
                try:
                    rest = substitute([d for j, d in enumerate(defects) if j != k], {s: root})
                except ExpressionError:  # a pole of another equation
                    continue
                found = self.solved(rest, [c for c in candidates if c is not s])
                if found is not None:
                    return {s: substitute([root], found)[0], **found}
        return None

    def _roots(
        self, defects: Sequence[Expr], candidates: Sequence[Expr], degree: int
    ) -> Iterator[tuple[int, Expr, Expr]]:
        """Yield the number of an equation, a symbol in which it has this degree, and the root."""
        for k in sorted(range(len(defects)), key=lambda k: len(postorder([defects[k]]))):
            present = symbols([defects[k]]) - _hidden([defects[k]])
            for s in candidates:
                if s.data in present and self.left and len(postorder([defects[k]])) <= _MOST_NODES:
                    root = _root(defects[k], s, degree)
                    if root is not None:
                        self.left -= 1
                        yield k, s, root


def _root(defect: Expr, s: Expr, degree: int) -> Expr | None:
    """Return a root of what has degree 1 or 2 in a symbol; None where it has not."""
    slope = diff(defect, s)
    bend = diff(slope, s)
    beyond, leading = (bend, slope) if degree == 1 else (diff(bend, s), bend)
    if not surviving({0: leading}) or not _vanishes(beyond):
        return None
    try:
        rest, linear, square = substitute([defect, slope, bend], {s: ZERO})
    except ExpressionError:  # a pole at zero, so it is no polynomial
        return None
    return -rest / linear if degree == 1 else (sqrt(linear**2 - 2 * square * rest) - linear) / square


# -- verdicts ------------------------------------------------------------------------------------------------
def on_level(level: MomentumLevel, point: Mapping[Expr, Expr] | None, parts: Mapping[str, Expr]) -> Verdict:
    """Decide whether functions on TM vanish on N_mu, at the points that :func:`level_point` gives."""
    return all_on_level(level, point, {"": parts})[""]


def all_on_level(
    level: MomentumLevel, point: Mapping[Expr, Expr] | None, groups: Mapping[str, Mapping[str, Expr]]
) -> dict[str, Verdict]:
    """Decide it for several groups of functions: all together first, for they share most of what they are made of."""
    if point is None:
        return _measured(level, groups)
    names = [(group, name) for group, parts in groups.items() for name in parts]
    values = substitute([groups[group][name] for group, name in names], dict(point))
    whole = all_vanish({f"{k}": value for k, value in enumerate(values)}, level.facts) if len(groups) > 1 else None
    if whole is not None and whole.holds:
        return dict.fromkeys(groups, whole)
    restricted: dict[str, dict[str, Expr]] = {group: {} for group in groups}
    for (group, name), value in zip(names, values, strict=True):
        restricted[group][name] = value
    return {group: all_vanish(parts, level.facts) for group, parts in restricted.items()}


# -- points by Newton's method -------------------------------------------------------------------------------
def _measured(level: MomentumLevel, groups: Mapping[str, Mapping[str, Expr]]) -> dict[str, Verdict]:
    """Return the verdicts where N_mu has no points in closed form: on all of TM, else at points in double precision.

    Such numbers refute nothing; what is not small is open.
    """
    everywhere = {group: all_vanish(parts, level.facts) for group, parts in groups.items() if not surviving(parts)}
    verdicts = {group: verdict for group, verdict in everywhere.items() if verdict.holds}
    groups = {group: parts for group, parts in groups.items() if group not in verdicts}
    if not groups:
        return verdicts
    points = _found_points(level, [part for parts in groups.values() for part in parts.values()])
    if not points:
        said = "p_a = mu_a was solved neither in closed form nor by Newton's method, so no points of N_mu are known"
        return verdicts | dict.fromkeys(groups, Verdict("undecided", said))
    for group, parts in groups.items():
        worst = max((_relative(list(parts.values()), point) for point in points), default=0.0)
        said = f"at {len(points)} points of N_mu, by Newton's method, it is {worst:.1e} relative to its terms."
        verdicts[group] = Verdict("measured" if worst < _ROUNDING else "undecided", said)
    return verdicts


def _found_points(level: MomentumLevel, parts: Sequence[Expr]) -> list[dict[Expr, float]]:
    """Return points of N_mu: numbers for all symbols, and for unspecified functions and their derivatives."""
    defects = _Defects(level, level.generators)
    steps = solve(jacobian(defects.values, defects.group), defects.values)
    moved = list(defects.velocities.values())
    nodes = postorder([*parts, *defects.values, *steps, *moved])
    leaves = sorted({node for node in nodes if node.op in {"symbol", "jet"}}, key=repr)
    draw, found = Random(20_265), []
    for _ in range(_STARTS):
        state = _newton(defects, steps, {leaf: _drawn(draw, leaf) for leaf in leaves})
        if state is not None:
            found.append(state | dict(zip(defects.velocities, evaluate(moved, Floats(state)), strict=True)))
        if len(found) == _POINTS:
            break
    return found


def _drawn(draw: Random, leaf: Expr) -> float:
    positive = leaf.op == "symbol" and (leaf.data.domain == "positive" or leaf.data.role == "parameter")
    return draw.uniform(0.3, 1.3) if positive else draw.uniform(-0.7, 0.7)


def _newton(defects: _Defects, steps: Sequence[Expr], state: dict[Expr, float]) -> dict[Expr, float] | None:
    """Return a state on N_mu by damped steps in the velocities along the group, all else fixed; None where none is."""
    size = _size(defects.values, state)
    for _ in range(_STEPS):
        if not isfinite(size):
            return None
        try:
            step = evaluate(steps, Floats(state))
        except EvaluationError:  # the momenta do not change there
            return None
        for halving in range(12):
            tried = state | {w: state[w] - s * 0.5**halving for w, s in zip(defects.group, step, strict=True)}
            reached = _size(defects.values, tried)
            if reached < size:
                break
        else:
            return state if size < _CLOSE else None
        state, size = tried, reached
    return state if size < _CLOSE else None


def _size(defects: Sequence[Expr], state: Mapping[Expr, float]) -> float:
    return hypot(*evaluate(defects, Floats(state)))


def _relative(parts: Sequence[Expr], point: Mapping[Expr, float]) -> float:
    """Return the largest value relative to the terms of its sum."""
    worst = 0.0
    for part in parts:
        value, *terms = evaluate([part, *(part.args if part.op == "sum" else ())], Floats(point))
        worst = max(worst, abs(value) / (1 + max(map(abs, terms), default=0.0)))
        if not isfinite(value):
            return inf
    return worst
