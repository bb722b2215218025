"""Chaplygin systems and bases that the tests of the affine side and of invariant measures share."""

from collections.abc import Sequence
from itertools import product

from dalembert import gallery
from dalembert.expr import Expr, diff, symbol
from dalembert.expr.graph import Operand, as_expr
from dalembert.geometry.fields import Chart
from dalembert.mechanics.chaplygin.chaplygin import reduce
from dalembert.mechanics.chaplygin.connections.base import AffineBase
from dalembert.mechanics.chaplygin.reduction import ChaplyginReduction
from dalembert.model.system import System

X, Y = symbol("x"), symbol("y")
PLANE = Chart.of(X, Y)


def parameters(names: str) -> list[Expr]:
    return [symbol(name, role="parameter", domain="positive") for name in names.split()]


def reduced(system: System) -> ChaplyginReduction:
    found = reduce(system)
    assert found is not None
    return found


def robot() -> ChaplyginReduction:
    """The robot on two wheels, all parameters symbolic, reduced by SE(2)."""
    return reduced(gallery.load("two-wheeled-robot"))


def fixed_robot() -> System:
    return System.of(
        name="robot of fixed orientation",
        coordinates={"theta": "angle", "psi": "angle", "x": "real", "y": "real"},
        parameters={"m": 1, "J": 1, "Jw": 1, "R": 1},
        lagrangian="m*(x'^2 + y'^2)/2 + J*theta'^2/2 + 3*Jw*psi'^2/2",
        constraints={"along": "x' = R*cos(theta)*psi'", "across": "y' = R*sin(theta)*psi'"},
        symmetry={"e1": {"x": 1}, "e2": {"y": 1}},
    )


def particle(slope: str, potential: str = "0", **more: object) -> System:
    """A particle in space with z' = slope x'."""
    return System.of(
        name="particle",
        coordinates="x y z",
        lagrangian=f"(x'^2 + y'^2 + z'^2)/2 - ({potential})",
        constraints={"slope": f"z' = ({slope})*x'"},
        symmetry={"up": {"z": 1}},
        **more,
    )


def skew() -> System:
    """The example with B skew and not zero: the force vanishes, the torsion does not."""
    gamma = [
        "z1' - (q3*q2' - q2*q3')/2",
        "z2' - (q1*q3' - q3*q1')/2",
        "z3' - (q2*q1' - q1*q2')/2",
    ]
    mixed = " + ".join(f"q{i + 1}'*({g})" for i, g in enumerate(gamma))
    squares = " + ".join(f"({g})^2" for g in gamma)
    return System.of(
        name="skew",
        coordinates="q1 q2 q3 z1 z2 z3",
        parameters={"s": "1/3"},
        lagrangian=f"(q1'^2 + q2'^2 + q3'^2)/2 + s*({mixed}) + ({squares})/2",
        constraints={f"gamma{i + 1}": f"{g} = 0" for i, g in enumerate(gamma)},
        symmetry={f"e{i}": {f"z{i}": 1} for i in (1, 2, 3)},
    )


def bent_carriage() -> System:
    """A base of two coordinates, the group SE(2), mixed terms in the metric, a connection that varies, a potential."""
    xi = {
        "u": "x'*cos(th) + y'*sin(th)",
        "v": "-x'*sin(th) + y'*cos(th)",
        "w": "th'",
    }
    return System.of(
        name="bent carriage",
        coordinates={"r": "real", "s": "real", "x": "real", "y": "real", "th": "angle"},
        parameters={"m": 2, "k": 1},
        let=xi,
        lagrangian="m*(u^2 + v^2)/2 + (2 + r^2)*w^2/2 + k*s*w*v + r'*u/3 + r'*w/5 + (1 + s^2)*r'^2 + s'^2 + r'*s'/2"
        " - r^2*s",
        constraints={"c1": "u + s*r' = 0", "c2": "v + r*s' - r' = 0", "c3": "w + r*s*r' + s' = 0"},
        symmetry={"e1": {"x": 1}, "e2": {"y": 1}, "e3": {"x": "-y", "y": "x", "th": 1}},
    )


def sloped(slope: Expr, potential: Operand = 0) -> AffineBase:
    """The base of a particle with z' = slope x'."""
    k = slope * diff(slope, Y)
    return AffineBase.of(PLANE, [[1 + slope**2, 0], [0, 1]], [[[0, k], [-k, 0]], [[0, 0], [0, 0]]], potential)


def conformal(
    chart: Chart, metric: Sequence[Sequence[Operand]], form: Sequence[Operand], potential: Operand = 0
) -> AffineBase:
    """A base whose K~ comes from a 1-form phi: K~_eab = phi_a g_be - phi_b g_ae, so that beta = (n - 1) phi."""
    size = range(chart.dimension)
    g = [[as_expr(e) for e in row] for row in metric]
    phi = [as_expr(e) for e in form]
    cube = [[[phi[a] * g[b][e] - phi[b] * g[a][e] for b in size] for a in size] for e in size]
    return AffineBase.of(chart, metric, cube, potential)


def epsilon(i: int, j: int, k: int) -> int:
    return (i - j) * (j - k) * (k - i) // 2


def entries(cube: Sequence[Sequence[Sequence[Expr]]]) -> dict[tuple[int, int, int], Expr]:
    size = range(len(cube))
    return {(c, a, b): cube[c][a][b] for c, a, b in product(size, repeat=3)}
