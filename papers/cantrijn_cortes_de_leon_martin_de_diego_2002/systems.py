"""The systems on which the formulas are tried: those of the paper, and all of a group at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement, product
from random import Random

from dalembert import gallery
from dalembert.expr import ONE, ZERO, Expr, gradient, solve, symbol, tangent, total
from dalembert.expr.text import parse
from dalembert.geometry.connections.affine import AffineConnection, Cube
from dalembert.geometry.connections.nonholonomic import NonholonomicConnection
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.groups import lie_algebra
from dalembert.mechanics.chaplygin.chaplygin import motion_of, reduce
from dalembert.mechanics.chaplygin.connections.base import AffineBase
from dalembert.mechanics.chaplygin.connections.propositions import nonholonomic_connection_of
from dalembert.mechanics.chaplygin.local_data import from_local_data
from dalembert.mechanics.chaplygin.measure.density import Measure, measure_of
from dalembert.mechanics.chaplygin.reduction import ChaplyginReduction
from dalembert.model.system import System
from papers.exact import unknown

ROBOT, FIXED, XY, PARTICLE, SKEW = (
    "two-wheeled-robot",
    "fixed-orientation-robot",
    "particle-xy",
    "nonholonomic-particle",
    "skew-contorsion",
)
LINE, TURNS, SPINS = "any system of R", "any system of SE(2)", "any system of SO(3)"
"""All Chaplygin systems of a group over two base coordinates: metric, potential and connection are unspecified."""
FREE = "any constraint in three dimensions"
"""Without any symmetry: metric, potential and constraint depend on all coordinates."""
ALGEBRAS = {
    LINE: lie_algebra(["e1"], {}),
    TURNS: lie_algebra(["e1", "e2", "e3"], {("e3", "e1"): {"e2": 1}, ("e3", "e2"): {"e1": -1}}),
    SPINS: lie_algebra(["e1", "e2", "e3"], {("e1", "e2"): {"e3": 1}, ("e2", "e3"): {"e1": 1}, ("e3", "e1"): {"e2": 1}}),
}
ANY, DRAWN = "any base", "drawn base"
"""Two base coordinates with unspecified metric, K~ and potential; three with drawn ones."""


@cache
def system(name: str) -> System:
    return any_system(name, ("r", "s")) if name in ALGEBRAS else gallery.load(name)


def any_system(name: str, base: Sequence[str]) -> System:
    """Return the system of a group over base coordinates with unspecified kinetic energy, potential and connection."""
    algebra = ALGEBRAS[name]
    body = [f"xi{n}" for n in range(algebra.dimension)]
    speeds, at = [*(f"{x}'" for x in base), *body], f"({', '.join(base)})"
    pairs = list(combinations_with_replacement(range(len(speeds)), 2))
    kinetic = " + ".join(f"g{i}{j}{at}*{speeds[i]}*{speeds[j]}/{2 if i == j else 1}" for i, j in pairs)
    gamma = [[f"gamma{i}{a}{at}" for a in range(len(base))] for i in range(len(body))]
    names = ["V", *(f"g{i}{j}" for i, j in pairs), *(entry.removesuffix(at) for row in gamma for entry in row)]
    functions = {one: {"of": list(base)} for one in names}
    domains = dict.fromkeys(base, "real")
    return from_local_data(name, domains, f"{kinetic} - V{at}", body, gamma, algebra, functions=functions)


@dataclass(frozen=True, slots=True)
class OnQ:
    """What section 4 says on Q is about: L = T - V, forms that annihilate D, and velocities in D."""

    system: System
    chart: Chart
    metric: Sequence[Sequence[Expr]]
    potential: Expr
    forms: Sequence[Sequence[Expr]]
    velocities: Sequence[Expr]


@cache
def on_q(name: str) -> OnQ:
    if name != FREE:
        found = reduction(name)
        assert found.metric is not None
        assert found.potential is not None
        chart = found.bundle.chart
        return OnQ(found.system, chart, found.metric, found.potential, found.forms, found.horizontal_velocities)
    q = ["x", "y", "z"]
    at, pairs = "(x, y, z)", list(combinations_with_replacement(range(3), 2))
    kinetic = " + ".join(f"g{i}{j}{at}*{q[i]}'*{q[j]}'/{2 if i == j else 1}" for i, j in pairs)
    names = ["a", "b", "V", *(f"g{i}{j}" for i, j in pairs)]
    given = System.of(
        name=name,
        coordinates="x y z",
        functions={one: {"of": q} for one in names},
        lagrangian=f"{kinetic} - V{at}",
        constraints={"c": f"z' = a{at}*x' + b{at}*y'"},
    )
    a, b, potential = (parse(f"{one}{at}", given.vocabulary) for one in names[:3])
    metric = [[parse(f"g{min(i, j)}{max(i, j)}{at}", given.vocabulary) for j in range(3)] for i in range(3)]
    vx, vy, _ = given.v
    return OnQ(given, given.chart, metric, potential, [[-a, -b, ONE]], [vx, vy, a * vx + b * vy])


@cache
def reduction(name: str) -> ChaplyginReduction:
    found = reduce(system(name))
    assert found is not None
    return found


def any_base() -> AffineBase:
    """Return two base coordinates, with all that a reduction leaves there unspecified."""
    q = [symbol(n) for n in "xy"]
    g = [unknown(f"g{k}", *q) for k in range(3)]
    cube = [[[ZERO, e], [-e, ZERO]] for e in (unknown("k0", *q), unknown("k1", *q))]
    return AffineBase.of(Chart.of(*q), [[g[0], g[1]], [g[1], g[2]]], cube, unknown("V", *q))


def drawn_base(size: int, seed: int) -> AffineBase:
    """Return base coordinates with drawn polynomials for the metric, K~ and the potential."""
    draw, q = Random(seed), [symbol(f"q{i}") for i in range(size)]

    def drawn() -> Expr:
        one, two, three = (draw.choice(q) for _ in range(3))
        return draw.choice((-3, -2, 2, 3)) * one + draw.choice((-3, -1, 1, 2)) * two * three

    entries = {(i, j): drawn() + (7 if i == j else 0) for j in range(size) for i in range(j + 1)}
    cube = [[[ZERO] * size for _ in q] for _ in q]
    for e, b in product(range(size), repeat=2):
        for a in range(b):
            cube[e][a][b] = drawn()
            cube[e][b][a] = -cube[e][a][b]
    metric = [[entries[min(i, j), max(i, j)] for j in range(size)] for i in range(size)]
    return AffineBase.of(Chart.of(*q), metric, cube, drawn())


def conformal_base() -> tuple[AffineBase, Expr]:
    """Three dimensions with dF ^ theta = Xi for an unspecified F: K~_eab = F_a g_be - F_b g_ae."""
    q = [symbol(n) for n in "xyz"]
    F = unknown("F", *q)
    slope, g = gradient(F, q), [[2 + q[0] ** 2, 1, 0], [1, 1 + q[2] ** 2, 0], [0, 0, 1 + q[1] ** 2]]
    metric = [[ONE * e for e in row] for row in g]
    size = range(3)
    cube = [[[slope[a] * metric[b][e] - slope[b] * metric[a][e] for b in size] for a in size] for e in size]
    return AffineBase.of(Chart.of(*q), metric, cube, q[0] * q[1]), F


def drawn_conformal_base(size: int) -> tuple[AffineBase, Expr]:
    """The same in any dimension, with a drawn metric and potential."""
    here = drawn_base(size, 11)
    q, g = list(here.chart.coordinates), here.metric
    F = unknown("F", *q)
    slope, places = gradient(F, q), range(size)
    cube = [[[slope[a] * g[b][e] - slope[b] * g[a][e] for b in places] for a in places] for e in places]
    return AffineBase.of(here.chart, g, cube, here.potential), F


@cache
def base(name: str) -> AffineBase:
    if name in {ANY, DRAWN}:
        return any_base() if name == ANY else drawn_base(3, 5)
    found = reduction(name).affine_base
    assert found is not None
    return found


@cache
def bar(name: str) -> NonholonomicConnection:
    if name == FREE:
        here = on_q(name)
        a, b, _ = (-e for e in here.forms[0])
        fields = (VectorField.of(here.chart, [1, 0, a]), VectorField.of(here.chart, [0, 1, b]))
        return NonholonomicConnection(here.chart, tuple(map(tuple, here.metric)), fields)
    found = nonholonomic_connection_of(reduction(name))
    assert found is not None
    return found


@cache
def measure(name: str) -> Measure:
    found = measure_of(reduction(name))
    assert found is not None
    return found


@cache
def gyroscopic(name: str) -> list[Expr]:
    """The form alpha: that of the reduction, else K~ on the velocities, by the formula."""
    if name not in {ANY, DRAWN}:
        return list(reduction(name).gyroscopic)
    here, size = base(name), range(base(name).dimension)
    v = here.velocities
    return [total((1, v[a] * v[e] * here.tensor[a][e][b]) for a in size for e in size) for b in size]


@cache
def accelerations(name: str) -> list[Expr]:
    """The reduced accelerations, from L* and alpha."""
    if name in {ANY, DRAWN}:
        here, q = base(name), list(base(name).chart.coordinates)
        lagrangian = here.kinetic_energy - here.potential
        drift = tangent(list(here.momenta), dict(zip(q, here.velocities, strict=True)))
        pushed = zip(gradient(lagrangian, q), drift, gyroscopic(name), strict=True)
        return list(solve(here.metric, [slope - bend - alpha for slope, bend, alpha in pushed]))
    found = reduction(name)
    rates = motion_of(found).rates()
    return [rates[v] for v in found.velocities]


def read(name: str, *texts: str) -> list[Expr]:
    """Return formulas of the paper in the names of a system."""
    return [parse(text, system(name).vocabulary) for text in texts]


def mean_of_hamels(here: AffineBase) -> AffineConnection:
    """Return the mean of Hamel's two connections, by its coefficients."""
    one, two, size = here.hamel_1.symbols, here.hamel_2.symbols, range(here.dimension)
    halves = tuple(tuple(tuple((one[c][a][b] + two[c][a][b]) / 2 for b in size) for a in size) for c in size)
    return AffineConnection(here.chart, halves)


def flat(cube: Cube) -> list[Expr]:
    """Return the entries of a tensor with three indices, in order."""
    return [entry for square in cube for row in square for entry in row]
