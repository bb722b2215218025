"""Systems whose group acts by linear or affine maps, at momenta in no special position."""

from __future__ import annotations

from dalembert import System

SPACE = "xyz"


def _square(names: list[str]) -> str:
    return "(" + " + ".join(f"{n}^2" for n in names) + ")"


def _speed(names: list[str]) -> str:
    return "(" + " + ".join(f"{n}'^2" for n in names) + ")"


def _times(one: list[str], other: list[str]) -> str:
    return "(" + " + ".join(f"{a}*{b}" for a, b in zip(one, other, strict=True)) + ")"


def turns(*vectors: list[str]) -> dict[str, dict[str, str]]:
    """Rotations of some vectors together."""
    found: dict[str, dict[str, str]] = {"e1": {}, "e2": {}, "e3": {}}
    for x, y, z in vectors:
        found["e1"] |= {y: f"-{z}", z: y}
        found["e2"] |= {z: f"-{x}", x: z}
        found["e3"] |= {x: f"-{y}", y: x}
    return found


PAIR = System.of(
    name="two free masses in the plane", coordinates="a b c d", lagrangian="(a'^2 + b'^2 + c'^2 + d'^2)/2",
    symmetry={"turn": {"a": "-b", "b": "a", "c": "-d", "d": "c"}}, run={"time": 3},
    start={"a": 1, "a'": -1, "b": 0, "b'": 0, "c": "3/10", "c'": "1/5", "d": "1/2", "d'": "2/5"},
)  # fmt: skip
"""The first mass goes through the centre, where the action is free, since the other is elsewhere."""

A, B, C = ([f"{letter}{k}" for k in (1, 2, 3)] for letter in "abc")


def two_springs() -> System:
    return System.of(
        name="two masses on springs", coordinates=[*A, *B], parameters={"m": 1, "k": 2},
        lagrangian=f"(m*{_speed(A)} + k*{_speed(B)})/2 - {_square(A)} - {_times(A, B)}^2 - {_square(B)}",
        symmetry=turns(A, B), momentum={"e1": "3/10", "e2": "2/5", "e3": "1/2"},
        start={"a1": 1, "a2": "1/5", "b1": "3/10", "b2": "1/2", "b3": 1, "a1'": "1/5"},
    )  # fmt: skip


def quaternion() -> System:
    q = ["u0", "u1", "u2", "u3"]
    return System.of(
        name="SU(2) on R^4", coordinates=q, parameters={"k": 1},
        lagrangian=f"(1 + {_square(q)})*{_speed(q)}/2 - k*{_square(q)}^2",
        symmetry={
            "i": {"u0": "-u1/2", "u1": "u0/2", "u2": "-u3/2", "u3": "u2/2"},
            "j": {"u0": "-u2/2", "u1": "u3/2", "u2": "u0/2", "u3": "-u1/2"},
            "k0": {"u0": "-u3/2", "u1": "-u2/2", "u2": "u1/2", "u3": "u0/2"},
        },
        momentum=["3/10", "1/5", "2/5"],
    )  # fmt: skip


def unitary() -> System:
    """U(2) on two vectors of C^2: z = (p + i s), by the Hermitian product and the determinant's size."""
    one, two = ["p1", "s1", "p2", "s2"], ["r1", "t1", "r2", "t2"]
    pairs = [("p1", "s1", "p2", "s2"), ("r1", "t1", "r2", "t2")]
    move: dict[str, dict[str, str]] = {"c": {}, "i": {}, "j": {}, "k": {}}
    for a, b, c, d in pairs:
        move["c"] |= {a: f"-{b}", b: a, c: f"-{d}", d: c}
        move["i"] |= {a: f"-{b}", b: a, c: d, d: f"-{c}"}
        move["j"] |= {a: f"-{c}", b: f"-{d}", c: a, d: b}
        move["k"] |= {a: f"-{d}", b: c, c: f"-{b}", d: a}
    real = "(p1*r1 + s1*t1 + p2*r2 + s2*t2)"
    other = "(p1*t1 - s1*r1 + p2*t2 - s2*r2)"
    return System.of(
        name="U(2) on C^2 x C^2", coordinates=[*one, *two], parameters={"m": 1, "k": 2},
        lagrangian=f"(m*{_speed(one)} + k*{_speed(two)})/2 - {_square(one)}*{_square(two)} - {real} - {other}^2",
        symmetry=move, momentum=["1/2", "3/10", "1/5", "2/5"],
    )  # fmt: skip


def area(momentum: tuple[str, str, str]) -> System:
    return System.of(
        name="SL(2) on two vectors", coordinates="a b c d", parameters={"k": 1},
        lagrangian="(a'*d' - b'*c') - k*(a*d - b*c)^2/2",
        symmetry={"h": {"a": "a", "b": "b", "c": "-c", "d": "-d"}, "e": {"a": "c", "b": "d"},
                  "f": {"c": "a", "d": "b"}},
        momentum=dict(zip("hef", momentum, strict=True)),
    )  # fmt: skip


def bodies(momentum: dict[str, str] | None = None) -> System:
    """Three bodies in space, under SE(3)."""
    points = [[f"{a}{i}" for a in SPACE] for i in (1, 2, 3)]
    pairs = ((0, 1), (0, 2), (1, 2))
    apart = [" + ".join(f"({p} - {q})^2" for p, q in zip(points[i], points[j], strict=True)) for i, j in pairs]
    energy = " + ".join(f"m{i + 1}*{_speed(points[i])}/2" for i in range(3))
    pull = " + ".join(f"m{i + 1}*m{j + 1}/sqrt({d})" for (i, j), d in zip(pairs, apart, strict=True))
    start = {"y1": 0.1, "z1": -0.2, "x2": 1, "y2": 0.2, "z2": 0.3, "x3": -0.4, "y3": 1.1, "z3": 0.5}
    speeds = [(0.1, -0.3, 0.2), (-0.1, 0.9, 0.1), (-0.5, -0.2, 0.35)]
    start |= {f"{a}{i}'": v for i, row in enumerate(speeds, 1) for a, v in zip(SPACE, row, strict=True)}
    return System.of(
        name="three bodies in space", coordinates=[c for point in points for c in point],
        parameters={"m1": 1, "m2": 1.2, "m3": 0.8}, lagrangian=f"{energy} + {pull}",
        symmetry={**{f"t{a}": {f"{a}{i}": 1 for i in (1, 2, 3)} for a in SPACE}, **turns(*points)},
        momentum=momentum or {"tx": "1/5", "ty": "1/3", "tz": "-1/2", "e1": "3/10", "e2": "1/5", "e3": "7/10"},
        start=start if momentum is None else {},
    )  # fmt: skip


def plane_bodies() -> System:
    """Three equal bodies in the plane, under SE(2), on the figure of an eight: again and again they are in one line."""
    points = [[f"x{i}", f"y{i}"] for i in (1, 2, 3)]
    pairs = [(points[i], points[j], f"m{i + 1}*m{j + 1}") for i, j in ((0, 1), (0, 2), (1, 2))]
    pull = " + ".join(f"{m}/sqrt(({p[0]} - {q[0]})^2 + ({p[1]} - {q[1]})^2)" for p, q, m in pairs)
    x, y, u, v = 0.97000436, -0.24308753, -0.93240737, -0.86473146
    places = [(x, y, -u / 2, -v / 2), (-x, -y, -u / 2, -v / 2), (0, 0, u, v)]
    start = {f"{name}{i}{tick}": row[k] for i, row in enumerate(places, 1)
             for k, (name, tick) in enumerate([("x", ""), ("y", ""), ("x", "'"), ("y", "'")])}  # fmt: skip
    return System.of(
        name="three bodies in the plane", coordinates=[c for point in points for c in point],
        parameters=dict.fromkeys(["m1", "m2", "m3"], 1), start=start, run={"time": 7},
        lagrangian=" + ".join(f"m{i}*{_speed(p)}/2" for i, p in enumerate(points, 1)) + f" + {pull}",
        symmetry={"tx": dict.fromkeys(["x1", "x2", "x3"], 1), "ty": dict.fromkeys(["y1", "y2", "y3"], 1),
                  "turn": {k: v for x, y in points for k, v in ((x, f"-{y}"), (y, x))}},
    )  # fmt: skip


def still_bodies() -> System:
    return bodies({"tx": "0", "ty": "0", "tz": "0", "e1": "3/10", "e2": "1/5", "e3": "7/10"})


def slider() -> System:
    """SO(3) x R: two masses, and a carriage that is pushed by their product."""
    return two_springs().but(
        name="two masses and a carriage", coordinates=[*A, *B, "s"],
        lagrangian=f"(m*{_speed(A)} + k*{_speed(B)} + (1 + {_times(A, B)}^2)*s'^2)/2 - {_square(A)} - {_square(B)}",
        symmetry={**turns(A, B), "along": {"s": 1}},
        momentum={"e1": "3/10", "e2": "2/5", "e3": "1/2", "along": "1/4"}, start={},
    )  # fmt: skip


def driven() -> System:
    """Explicit time, and a part that is linear in velocities."""
    return two_springs().but(
        name="masses on springs that age",
        lagrangian=f"(m*{_speed(A)} + k*{_speed(B)})/2"
        f" - (2 + cos(t))*{_square(A)} + t*{_times(A, [b + chr(39) for b in B])}",
        start={},
    )  # fmt: skip


def fast() -> System:
    """Momenta that are not linear in velocities: the velocities along the group stay unknowns."""
    return two_springs().but(
        name="fast masses",
        lagrangian=f"{_speed(A)}/2 + {_speed(B)}/2 + {_speed(A)}^2/10 - {_square(A)} - {_square(B)}",
        parameters={}, start={},
    )  # fmt: skip


def four_points() -> System:
    """Three vectors in space: Q/G has six dimensions."""
    return System.of(
        name="three vectors in space", coordinates=[*A, *B, *C], parameters={"m": 1},
        lagrangian=f"(m*{_speed(A)} + {_speed(B)} + 2*{_speed(C)})/2 - {_times(A, B)}^2 - {_times(B, C)}^2"
        f" - {_square(A)}",
        symmetry=turns(A, B, C), momentum={"e1": "0", "e2": "0", "e3": "0"},
    )  # fmt: skip


SYSTEMS = {
    "springs": two_springs,
    "quaternion": quaternion,
    "unitary": unitary,
    "one sheet": lambda: area(("1", "3/10", "2/5")),
    "two sheets": lambda: area(("1/5", "1", "-1")),
    "cone": lambda: area(("2", "1", "-1")),
    "bodies": bodies,
    "still bodies": still_bodies,
    "slider": slider,
    "driven": driven,
    "fast": fast,
    "vectors": four_points,
}
