"""Gauge momenta: integrals linear in the speeds whose coefficients obey a linear differential equation.

Where a shape s and its rate, and other speeds w that symmetries leave as they are, obey

    w_a' = s' A_ab(s) w_b,

the function f_a(s) w_a is kept if and only if df_b/ds = -f_a A_ab: as many integrals as there are speeds w, though
their coefficients are seldom elementary (Routh's ball on a surface of revolution, a disc that rolls and falls). They
are stated as functions with these equations as assumptions, modulo which the integral is decided. For numbers the
equation is integrated, from the identity at one end of the shapes that are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice
from typing import TYPE_CHECKING

from dalembert.analysis.discovery.first_integrals import Integral, shorter
from dalembert.analysis.discovery.letters import kept_by
from dalembert.analysis.motions import Motions
from dalembert.errors import DalembertError
from dalembert.expr.calculus import gradient, jacobian, tangent
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.text import text
from dalembert.expr.truth import depends_on, generic_rank, vanish
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.groups.matrices import dot, inverse, unit
from dalembert.mechanics.common import facts_of
from dalembert.model.equations import Equations
from dalembert.model.parts import Generator
from dalembert.model.system import System
from dalembert.model.writing import tables_of
from dalembert.numerics.simulate import simulate
from dalembert.records import dataclass, field

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dalembert.model.trajectory import Trajectory

_TOLERANCE = 1e-13
_MOST = 30
"""So many choices of speeds are tried for a shape, larger ones first."""


@dataclass(frozen=True, slots=True)
class GaugeMomenta:
    """An integral f_a(s) w_a for each solution of a linear differential equation."""

    shape: Expr
    speeds: tuple[Expr, ...]
    functions: tuple[str, ...]
    """The names of the coefficients."""
    equations: tuple[str, ...]
    """Their differential equations, as [assume] takes them."""
    written: str
    """The integral, as ``check --that`` reads it where they are stated."""
    integral: Integral
    matrix: tuple[tuple[Expr, ...], ...]
    """A(s), by rows of the speeds."""
    system: System = field(repr=False)

    def coefficients(
        self,
        shapes: Sequence[float] | npt.NDArray[np.float64],
        *,
        values: Mapping[str, float] | None = None,
        functions: Mapping[str, str] | None = None,
    ) -> npt.NDArray[np.float64]:
        """Return f_ja at shapes: row j is the solution that is the unit vector j at the least of them.

        >>> from dalembert.model.system import System
        >>> bead = System.of(name="bead", coordinates="s y", equations={"s''": "-s", "y''": "s*s'*y'"})
        >>> gauge_momenta(Motions(bead), []).coefficients([0, 1]).ravel().round(9)  # exp(-s^2/2)
        array([1.        , 0.60653066])
        """
        import numpy as np

        size, (places, back) = len(self.speeds), np.unique(np.asarray(shapes, dtype=float), return_inverse=True)
        occurring = {p.name for p in symbols([e for row in self.matrix for e in row])}
        given = {p.data.name: value for p, value in self.system.defaults.items()} | dict(values or {})
        formal = dict(tables_of(self.system).get("functions", {}))
        turned = substitute([e for row in self.matrix for e in row], {self.shape: symbol(TIME)})
        table = [[symbol(f"f{j}{a}") for a in range(size)] for j in range(size)]
        rates = {
            row[b]: total([(-1, row[a] * turned[size * a + b]) for a in range(size)])
            for row in table
            for b in range(size)
        }
        start = {f"f{j}{a}": float(j == a) for j in range(size) for a in range(size)}
        if len(places) == 1:
            return np.array([np.eye(size)])[back.ravel()]
        run = simulate(
            Equations("coefficients", "by hand", rates),
            start,
            (float(places[0]), float(places[-1])),
            values={name: value for name, value in given.items() if name in occurring},
            functions={name: (formal[name]["of"], value) for name, value in (functions or {}).items()},
            samples=places,
            tolerance=_TOLERANCE,
        )
        found = np.array([[run[f"f{j}{a}"] for a in range(size)] for j in range(size)])
        return np.asarray(found.transpose(2, 0, 1)[back.ravel()])

    def along(
        self,
        run: Trajectory,
        *,
        values: Mapping[str, float] | None = None,
        functions: Mapping[str, str] | None = None,
    ) -> npt.NDArray[np.float64]:
        """Return the integrals f_ja(s) w_a of the solutions j at the samples of a motion: each column is constant."""
        import numpy as np

        speeds = np.array([run[text(w)] for w in self.speeds])
        solutions = self.coefficients(run[text(self.shape)], values=values, functions=functions)
        return np.asarray(np.einsum("tja,at->tj", solutions, speeds))

    @property
    def stated(self) -> dict[str, dict[str, object]]:
        """The tables of a model in which the integral can be claimed: [functions] and [assume]."""
        return _tables(self.shape, self.functions, self.equations)


def gauge_momenta(motions: Motions, fields: Sequence[Generator]) -> GaugeMomenta | None:
    """Return the first family of gauge momenta among speeds that some symmetries leave as they are.

    >>> from dalembert.model.system import System
    >>> bead = System.of(name="bead", coordinates="s y", equations={"s''": "-s", "y''": "s*s'*y'"})
    >>> found = gauge_momenta(Motions(bead), [])
    >>> found.written, found.equations, found.integral.verdict.holds
    ("f1(s)*y'", ('D(f1, 1)(s) = (-s)*f1(s)',), True)
    """
    equations = motions.names.equations
    if equations.implicit or any(name not in motions.system.units for name in motions.system.holonomic):
        return None
    speeds = _invariant_speeds(motions, fields)
    for shape in (q for q in equations.kinematics if q.dot in speeds):
        others = [name for name in speeds if name is not shape.dot]
        sizes = range(min(len(others), len(equations.velocities) - 1), 0, -1)
        for chosen in islice((some for size in sizes for some in combinations(others, size)), _MOST):
            matrix = _matrix(motions, shape, [speeds[name] for name in (shape.dot, *chosen)])
            found = None if matrix is None else _stated(motions, shape, chosen, matrix)
            if found is not None:
                return found
    return None


def _invariant_speeds(motions: Motions, fields: Sequence[Generator]) -> dict[Expr, Expr]:
    """Return velocities of coordinates and angular velocities that fields leave as they are, by name."""
    system, equations = motions.system, motions.names.equations
    round_ = {q for point in system.points for q in point.components}
    names = [q.dot for q in system.q if q not in round_]
    names += [name for point in system.points if point.is_rotation for name in (*point.body, *point.space)]
    values = {name: motions.names.expression(name) for name in names}
    pushed = [motions.pushed(one) for one in fields]
    kept = set(kept_by(values.values(), pushed, facts_of(system)))
    return {name: e for name, e in values.items() if e in kept and depends_on([e], equations.velocities)}


def _matrix(motions: Motions, shape: Expr, speeds: Sequence[Expr]) -> list[list[Expr]] | None:
    """Return A where w' = s' A(s) w holds of the speeds after the first, and A is not zero."""
    facts, equations = facts_of(motions.system), motions.names.equations
    u = list(equations.velocities)
    rates = tangent(list(speeds[1:]), motions.names.drive)
    slopes = jacobian(speeds, u)
    base = generic_rank(slopes)
    if base.rank < len(speeds) or depends_on([e for row in slopes for e in row], u):
        return None
    # w may be fewer than the speeds u: those along which all w are zero must not matter
    more = [unit(len(u), k) for k in range(len(u))]
    rows = [tuple(row) for row in slopes]
    for one in more:
        if len(rows) < len(u) and generic_rank([*rows, one]).rank > len(rows):
            rows.append(one)
    directions = list(zip(*inverse(rows), strict=True))  # u = sum of w_b times these
    first = directions[0]
    matrix = []
    for rate in rates:
        along = dot(gradient(rate, u), first)
        matrix.append([dot(gradient(along, u), directions[b]) for b in range(1, len(speeds))])
    rest = [rate - speeds[0] * dot(row, speeds[1:]) for rate, row in zip(rates, matrix, strict=True)]
    flat = [e for row in matrix for e in row]
    if not vanish(rest, facts) or vanish(flat, facts):
        return None
    put = dict.fromkeys((v for v in equations.state if v is not shape), ZERO)
    put |= {point.pole: ONE for point in motions.system.points}
    there = substitute(flat, put)
    if not vanish([e - at for e, at in zip(flat, there, strict=True)], facts):
        return None  # A depends on more than the shape
    short = [shorter(e) for e in there]
    return [short[k : k + len(rates)] for k in range(0, len(short), len(rates))]


def _stated(
    motions: Motions, shape: Expr, chosen: Sequence[Expr], matrix: Sequence[Sequence[Expr]]
) -> GaugeMomenta | None:
    """Return the family, decided in the system that states the coefficients as functions."""
    system = motions.system
    taken = {s.name for s in symbols([e for row in matrix for e in row])} | {f.name for f in system.functions}
    names = list(_fresh(taken, len(chosen)))
    called = [f"{name}({text(shape)})" for name in names]
    equations = []
    for b, name in enumerate(names):
        terms = [(shorter(-row[b]), f) for row, f in zip(matrix, called, strict=True)]
        right = " + ".join(f if c is ONE else f"({text(c)})*{f}" for c, f in terms if not vanish([c]))
        equations.append(f"D({name}, 1)({text(shape)}) = {right or '0'}")
    function = " + ".join(f"{f}*{text(w)}" for f, w in zip(called, chosen, strict=True))
    tables = _tables(shape, names, equations)
    stated = tables_of(system)
    try:
        wider = system.but(
            functions={**dict(stated.get("functions", {})), **tables["functions"]},
            assume={**dict(stated.get("assume", {})), **tables["assume"]},
        )
        along = Motions(wider, motions.formalism)
        verdict = along.keep(function)
        shown = along.names.expression(function)
    except DalembertError:
        return None
    if verdict.holds is not True:
        return None
    integral = Integral(shown, verdict, shown, "gauge momentum")
    rows = tuple(map(tuple, matrix))
    return GaugeMomenta(shape, tuple(chosen), tuple(names), tuple(equations), function, integral, rows, system)


def _fresh(taken: set[str], count: int) -> Iterator[str]:
    number = 0
    while count:
        number += 1
        if f"f{number}" not in taken:
            count -= 1
            yield f"f{number}"


def _tables(shape: Expr, names: Sequence[str], equations: Sequence[str]) -> dict[str, dict[str, object]]:
    of = {name: {"of": [text(shape)]} for name in names}
    return {"functions": {**of}, "assume": {f"d{n}": e for n, e in zip(names, equations, strict=True)}}
