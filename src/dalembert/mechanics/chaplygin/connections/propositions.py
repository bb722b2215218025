"""What the affine side says of a system: which connections are metric, which coincide (003, sections 4, 6, appendix).

A proposition "these are equivalent" is decided on the system at hand: each of its statements gets a verdict of its own,
and the proposition holds where the verdicts agree.

>>> from dalembert.expr import symbol
>>> from dalembert.geometry.fields import Chart
>>> from dalembert.mechanics.chaplygin.connections.base import AffineBase
>>> x, y = symbol("x"), symbol("y")
>>> base = AffineBase.of(Chart.of(x, y), [[1 + y**2, 0], [0, 1]], [[[0, y], [-y, 0]], [[0, 0], [0, 0]]])
>>> {claim.verdict.holds for law in LAWS for claim in law.claims(base)}
{True}

The affine side of a reduced Chaplygin system: its connections by name, and what is decided about them (003, 4, 6).

``base`` has the record on the base, ``total`` the nonholonomic connection on Q, and
``propositions`` the propositions. Here they meet the reduction: L = T - V is needed, as connections belong to a
metric.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement, product

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient, hessian
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.truth import Verdict, agreement, all_hold, is_zero
from dalembert.expr.truth.many import ProofBudget, all_vanish, components_of
from dalembert.expr.walk import substitute
from dalembert.expr.work import Budget
from dalembert.geometry.connections import AffineConnection, metric_connection
from dalembert.geometry.connections.affine import Cube
from dalembert.geometry.connections.nonholonomic import NonholonomicConnection
from dalembert.geometry.constants import WrittenOut
from dalembert.mechanics.chaplygin.connections.base import AffineBase, cube_difference, transposed
from dalembert.mechanics.chaplygin.connections.total import Projection
from dalembert.mechanics.chaplygin.reduction import ChaplyginReduction, kinetic_energy
from dalembert.mechanics.chaplygin.rows import Defects, check, vanishing
from dalembert.model.claim import Claim
from dalembert.model.system import System


# -- defects, by name ------------------------------------------------------------------------------------------
def metric_defects(base: AffineBase, connection: AffineConnection) -> dict[str, Expr]:
    """Return the components of nabla g~."""
    q, rows, g = base.chart.coordinates, base.metric, connection.symbols
    size = range(base.dimension)
    found = {}
    for b, c in combinations_with_replacement(size, 2):
        slopes = gradient(rows[b][c], list(q))
        for a in size:
            lost = [(-1, g[e][a][b] * rows[e][c] + g[e][a][c] * rows[b][e]) for e in size]
            found[f"g~_{b + 1}{c + 1} in the direction {q[a]!r}"] = total([(1, slopes[a]), *lost])
    return found


def skew_defects(cube: Cube) -> dict[str, Expr]:
    """Return T(d_a, d_b) + T(d_b, d_a)."""
    other, size = transposed(cube), range(len(cube))
    return {
        f"the component {c + 1} on ({a + 1}, {b + 1})": cube[c][a][b] + other[c][a][b]
        for c, (a, b) in product(size, combinations_with_replacement(size, 2))
    }


def _entries(cube: Cube) -> dict[str, Expr]:
    size = range(len(cube))
    return {f"the coefficient {c + 1}, {a + 1}{b + 1}": cube[c][a][b] for c, a, b in product(size, repeat=3)}


def _apart(left: AffineConnection, right: AffineConnection) -> dict[str, Expr]:
    return _entries(cube_difference(left.symbols, right.symbols))


def _alpha(base: AffineBase) -> dict[str, Expr]:
    return components_of(base.gyroscopic_form, base.chart.coordinates)


def _twist(base: AffineBase) -> dict[str, Expr]:
    """Return T~ + C."""
    size = range(base.dimension)
    pairs = ((c, a, b) for c, a, b in product(size, repeat=3))
    return {f"{c + 1}, {a + 1}{b + 1}": base.torsion[c][a][b] + base.koiller_tensor[c][a][b] for c, a, b in pairs}


def _other_motions(base: AffineBase) -> dict[str, Expr]:
    wanted = base.gyroscopic_accelerations()
    several = {"nabla~": base.reduced, "H1": base.hamel_1, "H2": base.hamel_2, "H/2": base.hamel_mean}
    return {
        f"{name}, the acceleration of {q!r}": one - two
        for name, connection in several.items()
        for q, one, two in zip(base.chart.coordinates, base.accelerations(connection), wanted, strict=True)
    }


# -- the appendix ----------------------------------------------------------------------------------------------
def contorsion_from_torsion(base: AffineBase, twist: Cube) -> Cube:
    """Return S with g~(S(X, Z), Y) = (g~(Y, T(X, Z)) + g~(X, T(Y, Z)) + g~(Z, T(Y, X))) / 2 (Corollary A.4).

    The printed formula has other signs; with these, S is the contorsion of the metric connection with torsion T.
    """
    size = range(base.dimension)
    low = _lowered(base, twist)
    values = {
        (a, b): solve(base.metric, [(low[d][a][b] + low[a][d][b] + low[b][d][a]) / 2 for d in size])
        for a, b in product(size, repeat=2)
    }
    return tuple(tuple(tuple(values[a, b][c] for b in size) for a in size) for c in size)


def _lowered(base: AffineBase, cube: Cube) -> list[list[list[Expr]]]:
    """Return T_dab = g~_dc T^c_ab."""
    size = range(base.dimension)
    return [[[total([(1, base.metric[d][c] * cube[c][a][b]) for c in size]) for b in size] for a in size] for d in size]


def _skew_contorsion(base: AffineBase) -> dict[str, Expr]:
    size, low = range(base.dimension), _lowered(base, base.contorsion)
    return {
        f"g~(S({a + 1}, {b + 1}), {c + 1})": low[c][a][b] + low[b][a][c]
        for a, (b, c) in product(size, combinations_with_replacement(size, 2))
    }


def _motion_by_torsion(base: AffineBase) -> dict[str, Expr]:
    size, v, low = range(base.dimension), base.velocities, _lowered(base, base.torsion)
    pushes = [total([(1, low[b][c][k] * v[b] * v[c]) for b, c in product(size, repeat=2)]) for k in size]
    plain = base.accelerations(base.levi_civita)
    moved = zip(plain, solve(base.metric, pushes), base.accelerations(), strict=True)
    return components_of([one + push - two for one, push, two in moved], base.chart.coordinates)


def _kinetic_rate(base: AffineBase) -> dict[str, Expr]:
    """Return the rate of the kinetic energy along geodesics of nabla~."""
    v = base.velocities
    slopes = gradient(base.kinetic_energy, [*base.chart.coordinates, *v])
    return {
        "its rate": total(
            [(1, s * w) for s, w in zip(slopes, (*v, *base.reduced.geodesic_accelerations()), strict=True)]
        )
    }


# -- rows ------------------------------------------------------------------------------------------------------
_ASKED: dict[str, tuple[str, str, Defects]] = {
    "Hamel's contorsion is skew": ("section 4.1", "B(X, Y) = -B(Y, X)", lambda b: skew_defects(b.contorsion_hamel)),
    "Hamel's second connection is metric": ("section 4.1", "H2 g~ = 0", lambda b: metric_defects(b, b.hamel_2)),
    "mean of Hamel's connections is metric": ("section 4.1", "H/2 g~ = 0", lambda b: metric_defects(b, b.hamel_mean)),
    "mean of Hamel's connections is Levi-Civita's": (
        "section 4.1",
        "H/2 is the connection of g~",
        lambda b: _apart(b.hamel_mean, b.levi_civita),
    ),
    "reduced connection is the mean of Hamel's": (
        "section 4.1",
        "nabla~ = H/2",
        lambda b: _apart(b.reduced, b.hamel_mean),
    ),
    "reduced connection is Levi-Civita's": (
        "section 4.1",
        "nabla~ is the connection of g~",
        lambda b: _apart(b.reduced, b.levi_civita),
    ),
}

THEOREMS = tuple(vanishing(name, *said, "question") for name, said in _ASKED.items())
"""Questions on the connections, on an ``AffineBase``, that may be answered either way."""


def _answers(base: AffineBase, *names: str) -> dict[str, Verdict]:
    return {name: all_vanish(_ASKED[name][2](base), base.facts) for name in names}


def _metric_together(base: AffineBase, _: ProofBudget) -> Verdict:
    return agreement(
        _answers(
            base,
            "Hamel's contorsion is skew",
            "Hamel's second connection is metric",
            "mean of Hamel's connections is metric",
            "mean of Hamel's connections is Levi-Civita's",
        )
    )


def _mean_together(base: AffineBase, _: ProofBudget) -> Verdict:
    both = _answers(base, "reduced connection is the mean of Hamel's", "reduced connection is Levi-Civita's")
    return agreement({"nabla~ = H/2": next(iter(both.values())), "nabla~ = H/2 = LC": all_hold(both)})


def _force_together(base: AffineBase, _: ProofBudget) -> Verdict:
    others = _answers(base, "Hamel's contorsion is skew", "mean of Hamel's connections is Levi-Civita's")
    return agreement({"the gyroscopic force vanishes": all_vanish(_alpha(base), base.facts), **others})


LAWS = (
    vanishing("reduced connection is metric", "section 4.1", "nabla~ g~ = 0", lambda b: metric_defects(b, b.reduced)),
    vanishing("Hamel's first connection is metric", "(12)", "H1 g~ = 0", lambda b: metric_defects(b, b.hamel_1)),
    vanishing("torsion of the reduced connection", "section 4.1", "the torsion of nabla~ is -C", _twist),
    vanishing(
        "geodesics of the reduced connection and of Hamel's",
        "Propositions 4.3 and 6.1",
        "nabla~, Hamel's two connections and their mean all give the motion with the gyroscopic force",
        _other_motions,
    ),
    check(
        "Hamel's connections are metric together",
        "Proposition 4.4",
        "B is skew, H2 is metric, H/2 is metric, H/2 is Levi-Civita's: all or none",
        _metric_together,
    ),
    check(
        "reduced connection is Hamel's mean only as Levi-Civita's",
        "Proposition 4.5",
        "nabla~ = H/2 only where both are Levi-Civita's",
        _mean_together,
    ),
    check(
        "gyroscopic force vanishes with the skew contorsion",
        "Corollary 6.2",
        "alpha vanishes, B is skew, H/2 is Levi-Civita's: all or none",
        _force_together,
    ),
    vanishing(
        "reduced connection is given by its torsion",
        "Proposition A.2",
        "nabla~ is the one metric connection with its torsion",
        lambda b: _apart(metric_connection(b.chart, b.metric, b.torsion), b.reduced),
    ),
    vanishing(
        "contorsion is skew", "Proposition A.3", "the contorsion S is skew: g~(S(Z, X), X) = 0", _skew_contorsion
    ),
    vanishing(
        "contorsion from torsion",
        "Corollary A.4",
        "the contorsion of nabla~ comes back from its torsion",
        lambda b: _entries(cube_difference(contorsion_from_torsion(b, b.torsion), b.contorsion)),
    ),
    vanishing(
        "geodesics by torsion",
        "appendix",
        "q'' + LC(q', q') = g~^AK g~_BM T^M_CK q'^B q'^C - grad V",
        _motion_by_torsion,
    ),
    vanishing("kinetic energy of geodesics", "appendix", "geodesics of nabla~ keep the kinetic energy", _kinetic_rate),
)
"""Identities of the connections on every ``AffineBase``."""


# -- of a reduced system, by the names of the JSON -------------------------------------------------------------
_SECONDS = 1.5
"""So long are entries of tensors brought to a normal form for the page."""
LARGEST_BASE = 7
"""The most base coordinates for which connections and measures are looked at: there are n^3 coefficients."""


def nonholonomic_connection_of(reduction: ChaplyginReduction) -> NonholonomicConnection | None:
    """Return nabla-bar on Q, or None where L is not of the form T - V."""
    if reduction.metric is None:
        return None
    chart = reduction.horizontal[0].chart
    return NonholonomicConnection(chart, reduction.metric, reduction.horizontal, tuple(reduction.facts))


def affine_objects(reduction: ChaplyginReduction) -> dict[str, object]:
    """Return the objects of the affine side by the names of the JSON: nothing where L is not of the form T - V.

    Coefficients and tensors of type (1,2) are tables by upper index, direction, argument: G^c_ab under c, a, b.
    """
    base = reduction.affine_base
    if base is None or base.dimension > LARGEST_BASE:
        return {}
    names = [q.data.label for q in base.chart.coordinates]
    cubes = {
        "contorsion_hamel": base.contorsion_hamel,
        "koiller_tensor": base.koiller_tensor,
        "reduced_connection": base.reduced.symbols,
        "torsion": base.torsion,
        "contorsion": base.contorsion,
        "levi_civita": base.levi_civita.symbols,
        "hamel_1": base.hamel_1.symbols,
        "hamel_2": base.hamel_2.symbols,
    }
    tables = [base.metric, *(square for cube in (base.tensor, *cubes.values()) for square in cube)]
    written = _Writing(_SECONDS, [entry for table in tables for row in table for entry in row])
    return {
        "reduced_metric": {a: written.row(names, row) for a, row in zip(names, base.metric, strict=True)},
        "metric_connection_tensor": written.cube(names, base.tensor),
        **{name: written.cube(names, cube) for name, cube in cubes.items()},
    }


class _Writing:
    """Writes tensors as tables, their entries in normal form as far as the effort goes."""

    def __init__(self, effort: float, entries: Sequence[Expr]) -> None:
        self.budget = Budget(effort)
        self.known: dict[Expr, Expr] = {}
        self.written_out = WrittenOut([*dict.fromkeys(entries)])

    def entry(self, value: Expr) -> Expr:
        """Return one entry, written out at most once."""
        if value not in self.known:
            self.known[value] = self.written_out(value) if not self.budget.is_spent else value
        return self.known[value]

    def row(self, names: Sequence[str], values: Sequence[Expr]) -> dict[str, Expr]:
        """Return a row by names."""
        return {name: self.entry(value) for name, value in zip(names, values, strict=True)}

    def cube(self, names: Sequence[str], cube: Cube) -> dict[str, dict[str, dict[str, Expr]]]:
        """Return a tensor with three indices by names."""
        return {
            c: {a: self.row(names, row) for a, row in zip(names, square, strict=True)}
            for c, square in zip(names, cube, strict=True)
        }


# -- theorems ------------------------------------------------------------------------------------------------
def is_mechanical(system: System) -> Verdict:
    """Decide whether L is what it is at rest and a quadratic form in the velocities."""
    lagrangian = system.lagrangian
    assert lagrangian is not None
    rest = dict.fromkeys(system.v, ZERO)
    try:
        (low,) = substitute([lagrangian], rest)
        metric = [substitute(row, rest) for row in hessian(lagrangian, system.v)]
    except ExpressionError as fault:
        return Verdict("undecided", f"L has no value at rest: {fault}")
    return is_zero(lagrangian - kinetic_energy(metric, system.v) - low, system.facts)


def projection_of(reduction: ChaplyginReduction) -> Projection | None:
    """Return how nabla-bar goes down to the base, or None where L is not of the form T - V."""
    base, bar = reduction.affine_base, nonholonomic_connection_of(reduction)
    if base is None or bar is None:
        return None
    generators = dict(zip(reduction.action.names, reduction.generators, strict=True))
    return Projection(bar, base, base.chart.coordinates, generators)


def two_form_from_contorsion(reduction: ChaplyginReduction, _: ProofBudget) -> list[Claim]:
    """Decide Proposition 6.1 and (14): alpha and Xi of the symplectic side come from the contorsion of H1."""
    base = reduction.affine_base
    assert base is not None
    v, size, q = base.velocities, range(base.dimension), base.chart.coordinates
    b, g = base.contorsion_hamel, base.metric
    xi = [[total([(1, g[z][k] * b[k][e][y] * v[e]) for k in size for e in size]) for z in size] for y in size]
    alpha = {f"along {q[z]!r}": total([(1, v[y] * xi[y][z]) for y in size]) - reduction.gyroscopic[z] for z in size}
    form = {f"on {q[y]!r}, {q[z]!r}": xi[y][z] - reduction.two_form[y][z] for y in size for z in size}
    said = [
        ("alpha", "alpha = g~(B(w, w), .) (Proposition 6.1)", alpha),
        ("Xi", "Xi(Y, Z) = g~(B(w, Y), Z) (14)", form),
    ]
    return [
        Claim(f"gyroscopic forms from Hamel's contorsion: {name}", words, "check", all_vanish(parts, base.facts))
        for name, words, parts in said
    ]
