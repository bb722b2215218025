"""Sections 5.1 and 5.2 where they speak of finite group elements, groups with generators in K; the iteration."""

from dataclasses import dataclass
from functools import cache

import pytest

from dalembert.expr import ONE, ZERO, Expr, cos, diff, sin, substitute, symbol, time_derivative
from dalembert.expr.symbols import Symbol
from dalembert.geometry.fields import VectorField, push_forward
from dalembert.geometry.forms import d, interior
from dalembert.mechanics.semisymplectic import semisymplectic
from dalembert.mechanics.semisymplectic.manifold import SemiSymplectic
from dalembert.model.system import System
from papers.exact import differ, dot, same, unknown

from .systems import carries, read

ANGLE = symbol(Symbol("angle", role="parameter"))
STEP = symbol(Symbol("step", role="parameter"))


@dataclass(frozen=True)
class Moved:
    """Coordinates that a group moves, beside a particle with w' = v u', which makes the system nonholonomic."""

    manifold: SemiSymplectic
    generators: tuple[VectorField, ...]
    momenta: tuple[Expr, ...]
    flows: tuple[tuple[int, Expr, list[list[Expr]], list[Expr], list[list[Expr]]], ...]
    """A generator, its time, the matrix and the shift by which its flow moves coordinates, and Ad by rows."""

    def points(self, flow, sign=1):
        """Return the images of all coordinates under the flow, or at the opposite time."""
        _, time, matrix, shift, _ = flow
        q = self.manifold.chart.coordinates[: len(matrix)]
        rows = [[*row, s] for row, s in zip(matrix, shift, strict=True)]
        rows = [substitute(row, {time: sign * time}) for row in rows]
        put = {x: dot(row, [*q, ONE]) for x, row in zip(q, rows, strict=True)}
        put |= {x.dot: dot(row[:-1], [one.dot for one in q]) for x, row in zip(q, rows, strict=True)}
        return [put.get(x, x) for x in self.manifold.chart.coordinates]


def moved(name, coordinates, fields, flows):
    system = System.of(
        name=name,
        coordinates=f"{coordinates} u v w",
        lagrangian="(" + " + ".join(f"{q}'^2" for q in (*coordinates.split(), "u", "v", "w")) + ")/2 - u*w",
        constraints={"slope": "w' = v*u'"},
    )
    manifold = semisymplectic.derive(system).manifold
    q = system.q[: len(coordinates.split())]
    lifted = [
        VectorField.of(manifold.chart, {**dict(zip(q, row, strict=True)),
                                        **{x.dot: time_derivative(c) for x, c in zip(q, row, strict=True)}})
        for row in (read(system, *texts) for texts in fields)
    ]  # fmt: skip
    momenta = [dot([e.components[i] for i in range(len(q))], [x.dot for x in q]) for e in lifted]
    return Moved(manifold, tuple(lifted), tuple(momenta), tuple(flows))


def turn(k, size=3):
    """Return the rotation about an axis."""
    c, s = cos(ANGLE), sin(ANGLE)
    i, j = (k + 1) % 3, (k + 2) % 3
    rows = [[ONE if a == b else ZERO for b in range(size)] for a in range(size)]
    rows[i][i], rows[i][j], rows[j][i], rows[j][j] = c, -s, s, c
    return rows


@cache
def space(name):
    """Return the plane under SE(2), or space under SO(3): Ad of a rotation turns the generators as it turns vectors."""
    if name == "SE(2)":
        c, s = cos(ANGLE), sin(ANGLE)
        shifted = [[ONE, ZERO, ZERO], [ZERO, ONE, ZERO], [ZERO, -STEP, ONE]]
        flows = (
            (2, ANGLE, [[c, -s], [s, c]], [ZERO, ZERO], [[c, s, ZERO], [-s, c, ZERO], [ZERO, ZERO, ONE]]),
            (0, STEP, [[ONE, ZERO], [ZERO, ONE]], [STEP, ZERO], shifted),
        )
        return moved("a plane beside a particle", "x y", [("1", "0"), ("0", "1"), ("-y", "x")], flows)
    flows = tuple((k, ANGLE, turn(k), [ZERO] * 3, [list(row) for row in zip(*turn(k), strict=True)]) for k in range(3))
    turns = [("0", "-z", "y"), ("z", "0", "-x"), ("-y", "x", "0")]
    return moved("space beside a particle", "x y z", turns, flows)


GROUPS = pytest.mark.parametrize("name", ["SE(2)", "SO(3)"])


@GROUPS
def test_generators_under_the_group(name):
    one = space(name)
    chart = one.manifold.chart

    def generator(weights):
        size = range(chart.dimension)
        return VectorField.of(chart, [dot(weights, [g.components[i] for g in one.generators]) for i in size])

    for flow in one.flows:
        there, here, adjoint = one.points(flow), one.points(flow, -1), flow[4]
        assert carries(one.manifold, one.manifold, there) == (True, True)
        back, seen = dict(zip(chart.coordinates, here, strict=True)), []
        for field, momentum, image in zip(one.generators, one.momenta, adjoint, strict=True):
            carried = push_forward(field, chart, there, here)
            assert same(carried.components, generator(image).components)
            (own,) = one.manifold.field_of(substitute([momentum], back)[0])
            assert same(carried.components, own.components)
            assert one.manifold.contains(carried).holds
            wrong = push_forward(field, chart, here, there)  # by the inverse
            seen.append(differ(wrong.components, generator(image).components))
        assert any(seen)


@GROUPS
def test_momenta_under_the_group(name):
    # <g mu, eta> = <mu, Ad_(g^-1) eta>, with mu = J(p) and g = exp(xi t)
    one = space(name)
    chart, momenta = one.manifold.chart, one.momenta
    for flow in one.flows:
        place, time, *_ = flow
        put = dict(zip(chart.coordinates, one.points(flow), strict=True))
        adjoint = [substitute(row, {time: -time}) for row in flow[4]]
        slopes = [substitute([diff(dot(row, momenta), time)], {time: ZERO})[0] for row in adjoint]  # <coad_xi mu, e_k>
        for field, momentum, row, slope in zip(one.generators, momenta, adjoint, slopes, strict=True):
            assert (interior(field, one.manifold.form) - d(momentum, chart)).is_zero().holds is True
            along = substitute([momentum], put)[0]  # J_eta(exp(xi t) p)
            assert same([along], [dot(row, momenta)])
            assert same([one.generators[place](momentum)], [slope])
            # d/dt <exp(xi t) mu, eta> = <coad_xi mu, exp(-xi t) eta>
            assert same([diff(along, time)], [dot(row, slopes)])
        assert differ(slopes, [ZERO] * 3)


def test_the_iteration_grows():
    # W is annihilated by dz - (s' - c) dx: it contains d_s everywhere, and d_x where the momentum of d_s is c
    system = System.of(
        name="a rule that depends on a momentum",
        coordinates="x y z s",
        parameters={"c": 0.3},
        lagrangian="(x'^2 + y'^2 + z'^2 + s'^2)/2 - y^2",
        constraints={"slope": "z' = y*x'"},
        virtual={"slope": {"z": 1, "x": "-(s' - c)"}},
    )
    found = semisymplectic.derive(system)
    (c,) = read(system, "c")
    x, _, _, s = system.q
    level = {s.dot: c}
    forms = found.motion.annihilator[0]

    def leaves(q, put):
        return substitute([forms[system.q.index(q)]], put)

    assert same(leaves(s, {}), [ZERO])
    assert differ(leaves(x, {}), [ZERO])
    assert same(leaves(x, level), [ZERO])
    # on that level set d_x is the field of its momentum, which is conserved there and nowhere else
    for q, put, holds in ((s, {}, True), (x, level, True), (x, {}, False)):
        (field,) = found.manifold.field_of(q.dot)
        plain = VectorField.of(found.manifold.chart, {q: 1})
        assert same(substitute(list(field.components), put), plain.components) is holds
        assert same(substitute([found.field(q.dot)], put), [ZERO]) is holds
    assert same([found.field(unknown("F", s.dot))], [ZERO])
