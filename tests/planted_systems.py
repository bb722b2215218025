"""Systems with a symmetry or an integral that is planted, disguised by point transformations of a user's kind.

A plan is drawn in coordinates where what is planted is plain; the user's coordinates are skew, shifted or polar, and
what is stated and what has to be found is written in those.
"""

from dataclasses import dataclass
from random import Random

from dalembert import System, discover
from dalembert.analysis.discovery.first_integrals import new_ones
from dalembert.analysis.motions import Motions

KINDS = ("shift", "turn", "separable", "driven skate", "resonance", "drag")
LARGE = ("all axes", "loop")
"""Kinds that take longer."""


@dataclass(frozen=True)
class Planted:
    system: System
    integral: str
    """What must be found, up to polynomials in other integrals."""
    wrong: str
    """What is none, and must not follow from what is found."""


def holds(plan: Planted) -> bool:
    """Say whether what is planted follows from what is found, what is wrong does not, and nothing found is false."""
    motions, found = Motions(plan.system), discover(plan.system)
    have = [one.expression for one in (*found.known, *found.found)]
    told = [motions.names.expression(function) for function in (plan.integral, plan.wrong)]
    kept = all(motions.keep(function).holds is True for function in have)
    return kept and motions.keep(told[1]).holds is False and new_ones(motions, told, have) == [1]


def planted(seed: int, kinds: tuple[str, ...] = KINDS) -> Planted:
    """Return a system with one planted integral; kinds take turns."""
    draw = Random(seed)
    return {
        "all axes": _all_axes,
        "loop": _loop,
        "shift": _shift,
        "turn": _turn,
        "separable": _separable,
        "driven skate": _skate,
        "resonance": _resonance,
        "drag": _drag,
    }[kinds[seed % len(kinds)]](draw)


def _skew(draw: Random) -> tuple[str, str, str, str]:
    """Return two functions of x and y that are skew coordinates, and their rates."""
    while True:
        a, b, c, d = (draw.choice([-3, -2, -1, 1, 2, 3]) for _ in range(4))
        if a * d != b * c:
            shift = draw.randint(-2, 2)
            u, v = f"({a}*x + {b}*y + {shift})", f"({c}*x + {d}*y)"
            return u, v, f"({a}*x' + {b}*y')", f"({c}*x' + {d}*y')"


def _polynomial(draw: Random, u: str) -> str:
    return f"({draw.randint(1, 4)}*{u}^4 + {draw.randint(1, 5)}*{u}^2 - {draw.randint(1, 3)}*{u})"


def _shift(draw: Random) -> Planted:
    """A plane that is pushed along u alone, with masses that differ along u and v: the momentum along v."""
    u, _, du, dv = _skew(draw)
    m, n, k = draw.randint(1, 4), draw.randint(1, 4), draw.choice([0, 1, 2])
    lagrangian = f"({m}*{du}^2 + {n}*{dv}^2)/2 + {k}*{du}*{dv}*{u}/7 - {_polynomial(draw, u)}"
    system = System.of(name="shift", coordinates="x y", lagrangian=lagrangian)
    return Planted(system, f"{n}*{dv} + {k}*{du}*{u}/7", f"{n}*{dv} + {k + 1}*{du}*{u}/7")


def _turn(draw: Random) -> Planted:
    """A central force about a point of the plane, in a magnetic field, in plane or polar coordinates."""
    a, b, k = draw.randint(-3, 3), draw.randint(-3, 3), draw.randint(1, 3)
    if draw.random() < 0.5:
        force = _polynomial(draw, f"((x - {a})^2 + (y - {b})^2)")
        lagrangian = f"(x'^2 + y'^2)/2 + {k}*((x - {a})*y' - (y - {b})*x') - {force}"
        system = System.of(name="turn", coordinates="x y", lagrangian=lagrangian)
        momentum = f"(x - {a})*y' - (y - {b})*x'"
        square = f"((x - {a})^2 + (y - {b})^2)"
        return Planted(system, f"{momentum} + {k}*{square}", f"{momentum} - {k}*{square}")
    lagrangian = f"(r'^2 + r^2*a'^2)/2 + {k}*r^2*a' - {_polynomial(draw, 'r')}"
    system = System.of(name="polar", coordinates={"r": "positive", "a": "angle"}, lagrangian=lagrangian)
    return Planted(system, f"r^2*a' + {k}*r^2", f"r^2*a' - {k}*r^2")


def _separable(draw: Random) -> Planted:
    """Two springs along skew axes that the masses make perpendicular: two energies."""
    u, v, du, dv = _skew(draw)
    one, other = _polynomial(draw, u), _polynomial(draw, v)
    m = draw.randint(1, 3)
    system = System.of(name="apart", coordinates="x y", lagrangian=f"({m}*{du}^2 + {dv}^2)/2 - {one} - {other}")
    return Planted(system, f"{m}*{du}^2/2 + {one}", f"{m}*{du}^2/2 - {one}")


def _skate(draw: Random) -> Planted:
    """A skate on a plane that slopes, with a rotor on it: the rate of turning, and the rotor's momentum."""
    g, other, inertia = (draw.randint(1, 5) for _ in range(3))
    system = System.of(
        name="skate",
        coordinates={"x": "real", "y": "real", "a": "angle", "b": "angle"},
        lagrangian=f"(x'^2 + y'^2 + {other}*a'^2 + {inertia}*(a' + b')^2)/2 - {g}*x",
        constraints={"edge": "x'*sin(a) = y'*cos(a)"},
    )
    return Planted(system, f"{inertia}*(a' + b')", f"{inertia}*(a' + b') + x'")


def _resonance(draw: Random) -> Planted:
    """Two oscillators with frequencies 1:2 along skew axes: a cubic integral, the equations stated without L."""
    u, v, du, dv = _skew(draw)
    a, b, c, d = _entries(u, v)
    determinant = a * d - b * c
    right = {
        "x''": f"({d}*(-{u}) - {b}*(-4*{v}))/{determinant}".replace("(-(", "(-1*("),
        "y''": f"({a}*(-4*{v}) - {c}*(-{u}))/{determinant}".replace("(-(", "(-1*("),
    }
    system = System.of(name="resonance", coordinates="x y", equations=right)
    return Planted(system, f"{u}*{du}*{dv} + {v}*({u}^2 - {du}^2)", f"{u}*{du}*{dv} + {v}*({u}^2 + {du}^2)")


def _entries(u: str, v: str) -> tuple[int, int, int, int]:
    found = []
    for form in (u, v):
        first, second = form.strip("()").split("*x + ")[0], form.split("*x + ")[1].split("*y")[0]
        found += [int(first), int(second)]
    return found[0], found[1], found[2], found[3]


def _drag(draw: Random) -> Planted:
    """Drag along one axis of a plane: the velocity along it plus the path times its factor."""
    u, v, du, _ = _skew(draw)
    a, b, c, d = _entries(u, v)
    determinant, k = a * d - b * c, draw.randint(1, 4)
    pull = f"(-{v}^3)"
    right = {
        "x''": f"({d}*(-{k}*{du}) - {b}*{pull})/{determinant}",
        "y''": f"({a}*{pull} - {c}*(-{k}*{du}))/{determinant}",
    }
    system = System.of(name="drag", coordinates="x y", equations=right)
    return Planted(system, f"{du} + {k}*{u}", f"{du} - {k}*{u}")


def _all_axes(draw: Random) -> Planted:
    """Two points on spheres that pull each other, or a pole's field: a momentum about another axis than the angles'."""
    m, k = draw.randint(1, 4), draw.randint(1, 5)
    one, other = ("a", "b"), ("c", "d")

    def momentum(a: str, b: str) -> str:
        return f"({a}'*sin({b}) + {b}'*sin({a})*cos({a})*cos({b}))"

    def kinetic(a: str, b: str) -> str:
        return f"({a}'^2 + sin({a})^2*{b}'^2)/2"

    if draw.random() < 0.5:
        names = dict.fromkeys(one, "angle")
        system = System.of(name="pole", coordinates=names, lagrangian=f"{m}*{kinetic(*one)} + {k}*cos(a)*b'")
        return Planted(system, *(f"{m}*{momentum(*one)} {sign} {k}*sin(a)*cos(b)" for sign in "-+"))
    between = "(cos(a)*cos(c) + sin(a)*sin(c)*cos(b - d))"
    pull = draw.choice([f"{k}*{between}", f"{k}*{between}^2"])
    system = System.of(
        name="pair",
        coordinates=dict.fromkeys((*one, *other), "angle"),
        lagrangian=f"{m}*{kinetic(*one)} + {kinetic(*other)} - {pull}",
    )
    return Planted(system, *(f"{m}*{momentum(*one)} {sign} {momentum(*other)}" for sign in "+-"))


def _loop(draw: Random) -> Planted:
    """Four bars that turn about a pin of theirs, with a spring between two: angular momentum, where the loop closes."""
    base, crank, coupler, rocker = draw.choice([(4, 2, 4, 3), (5, 2, 4, 4), (3, 1, 3, 2)])
    m, n, j, k = (draw.randint(1, 4) for _ in range(4))
    bars = {"p": draw.randint(1, 3), "a": j, "b": draw.randint(1, 3), "c": draw.randint(1, 3)}
    turning = " + ".join(f"{inertia}*{q}'^2/2" for q, inertia in bars.items())
    ends = f"{m}*(({crank}*a')^2 + b'^2 + {2 * crank}*cos(a - b)*a'*b')/2"
    ends += f" + {n}*(({base}*p')^2 + c'^2 + {2 * base}*cos(p - c)*p'*c')/2"
    system = System.of(
        name="loop",
        coordinates=dict.fromkeys(bars, "angle"),
        lagrangian=f"{turning} + {ends} - {k}*cos(a - p)",
        holonomic={
            axis: f"{crank}*{f}(a) + {coupler}*{f}(b) = {base}*{f}(p) + {rocker}*{f}(c)"
            for axis, f in (("along", "cos"), ("across", "sin"))
        },
    )
    parts = " + ".join(f"{inertia}*{q}'" for q, inertia in bars.items())
    parts += f" + {m}*({crank**2}*a' + b' + {crank}*cos(a - b)*(a' + b'))"
    return Planted(
        system,
        *(f"{parts} {sign} {n}*({base**2}*p' + c' + {base}*cos(p - c)*(p' + c'))" for sign in "+-"),
    )
