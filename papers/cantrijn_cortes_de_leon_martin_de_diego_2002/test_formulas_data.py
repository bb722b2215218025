"""The data of the examples: metrics, constraints and actions as printed are those of the systems, and fit together."""

from dataclasses import dataclass

import pytest

from dalembert.expr import ZERO, Expr, cos, diff, sin, substitute, symbol
from dalembert.expr.truth import generic_rank, is_zero
from papers.cantrijn_cortes_de_leon_martin_de_diego_2002.systems import FIXED, ROBOT, XY, read, system
from papers.exact import dot, same

A, B, ALPHA, C = (symbol(name, role="parameter") for name in ("a", "b", "alpha", "c0"))


@dataclass(frozen=True, slots=True)
class Data:
    """What the paper prints of an example; the action as a function of group parameters and a point."""

    metric: tuple[str, ...]
    constraints: tuple[str, ...]
    group: tuple[Expr, ...]
    moved: tuple[str, ...]
    """The coordinates of the group, in the order of its parameters."""


DATA = {
    FIXED: Data(
        ("J", "0", "0", "0", "0", "3*Jw", "0", "0", "0", "0", "m", "0", "0", "0", "0", "m"),
        ("x'*sin(theta) - y'*cos(theta)", "x'*cos(theta) + y'*sin(theta) - R*psi'"),
        (A, B),
        ("x", "y"),
    ),
    ROBOT: Data(
        (
            *("J2", "0", "0", "0", "0"),
            *("0", "J2", "0", "0", "0"),
            *("0", "0", "m", "0", "-m0*l*sin(theta)"),
            *("0", "0", "0", "m", "m0*l*cos(theta)"),
            *("0", "0", "-m0*l*sin(theta)", "m0*l*cos(theta)", "J"),
        ),
        (
            "x'*sin(theta) - y'*cos(theta)",
            "x'*cos(theta) + y'*sin(theta) + c*theta' + R*psi1'",
            "x'*cos(theta) + y'*sin(theta) - c*theta' + R*psi2'",
        ),
        (A, B, ALPHA),
        ("x", "y", "theta"),
    ),
    XY: Data(("1", "0", "0", "0", "1", "0", "0", "0", "1"), ("z' - y*x*x'",), (C,), ("z",)),
}


def acted(name, group, point):
    """Psi(g, q) as printed: SE(2) turns the plane and moves it, translations move it."""
    if name == ROBOT:
        (a, b, alpha), (x, y, theta) = group, point
        return [a + x * cos(alpha) - y * sin(alpha), b + x * sin(alpha) + y * cos(alpha), alpha + theta]
    return [q + g for g, q in zip(group, point, strict=True)]  # either way


def moves(name):
    """The coordinates that the group moves, and where it puts them."""
    here = DATA[name]
    point = read(name, *here.moved)
    return point, acted(name, here.group, point)


def lifted(name):
    """The action on positions and velocities, as a substitution."""
    point, there = moves(name)
    put = dict(zip(point, there, strict=True))
    velocities = system(name).v
    rates = [dot([diff(image, q) for q in system(name).q], velocities) for image in there]
    return put | {q.dot: rate for q, rate in zip(point, rates, strict=True)}


@pytest.mark.parametrize("name", DATA)
def test_the_metric_of_an_example(name):
    velocities = system(name).v
    n = len(velocities)
    entries = read(name, *DATA[name].metric)
    kinetic = dot([dot(entries[n * i : n * i + n], velocities) for i in range(n)], velocities) / 2
    assert same([system(name).lagrangian], [kinetic])
    assert same([substitute([kinetic], lifted(name))[0]], [kinetic])
    assert is_zero(system(name).lagrangian - kinetic - velocities[0] ** 2).holds is False


@pytest.mark.parametrize("name", DATA)
def test_the_constraints_of_an_example(name):
    stated = read(name, *DATA[name].constraints)
    rows = [[diff(f, v) for v in system(name).v] for f in stated]
    assert same([e for row in system(name).constraint_matrix().rows for e in row], [e for row in rows for e in row])
    moved = [[diff(f, v) for v in system(name).v] for f in substitute(stated, lifted(name))]
    assert generic_rank([*rows, *moved]).rank == len(rows)  # the action maps D to itself
    assert generic_rank([*rows, *([*row[1:], row[0]] for row in moved)]).rank > len(rows)


@pytest.mark.parametrize("name", DATA)
def test_the_action_of_an_example(name):
    group = DATA[name].group
    point, there = moves(name)
    unit = dict.fromkeys(group, ZERO)
    assert same(substitute(there, unit), point)
    other = [symbol(f"h{n}", role="parameter") for n in range(len(group))]
    product = acted(name, group, other)  # each of the groups acts on itself by the same formula
    assert same(acted(name, group, acted(name, other, point)), acted(name, product, point))
    generators = list(system(name).symmetry.values())
    for parameter, generator in zip(group, generators, strict=True):
        tangent = substitute([diff(image, parameter) for image in there], unit)
        assert same(tangent, [generator.components.get(q, ZERO) for q in point])
        assert set(generator.components) <= set(point)
