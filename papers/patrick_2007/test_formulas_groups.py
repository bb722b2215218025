"""Sections 5.1 and 5.2 where they speak of finite group elements, for SE(2) with generators in K; and the iteration.

The plane (x, y) is moved by SE(2); beside it a particle with w' = v u' makes the system nonholonomic.
"""

from functools import cache

from dalembert.expr import ZERO, cos, diff, sin, substitute, symbol
from dalembert.expr.symbols import Symbol
from dalembert.geometry.fields import VectorField, push_forward
from dalembert.geometry.forms import d, interior
from dalembert.mechanics.semisymplectic import semisymplectic
from dalembert.mechanics.semisymplectic.bracket_on_cotangent import semi_symplectic_map
from dalembert.model.system import System
from papers.exact import differ, dot, same, unknown

from .systems import read


@cache
def moved_plane():
    system = System.of(
        name="a plane beside a particle",
        coordinates="x y u v w",
        lagrangian="(x'^2 + y'^2 + u'^2 + v'^2 + w'^2)/2 - u*w",
        constraints={"slope": "w' = v*u'"},
    )
    return semisymplectic.derive(system)


MANIFOLD = moved_plane().manifold
CHART = MANIFOLD.chart
X, Y = moved_plane().system.q[:2]
GENERATORS = [
    VectorField.of(CHART, {X: 1}),
    VectorField.of(CHART, {Y: 1}),
    VectorField.of(CHART, {X: -Y, Y: X, X.dot: -Y.dot, Y.dot: X.dot}),
]
MOMENTA = [X.dot, Y.dot, X * Y.dot - Y * X.dot]
ANGLE = symbol(Symbol("angle", role="parameter"))
STEP = symbol(Symbol("step", role="parameter"))


def turned(angle):
    """Return the action of a rotation and of its inverse, and Ad by the images of e1, e2, e3."""
    c, s = cos(angle), sin(angle)
    put = {X: c * X - s * Y, Y: s * X + c * Y, X.dot: c * X.dot - s * Y.dot, Y.dot: s * X.dot + c * Y.dot}
    back = {X: c * X + s * Y, Y: c * Y - s * X, X.dot: c * X.dot + s * Y.dot, Y.dot: c * Y.dot - s * X.dot}
    return put, back, [[c, s, ZERO], [-s, c, ZERO], [ZERO, ZERO, 1 + ZERO]]


def shifted(step):
    return {X: X + step}, {X: X - step}, [[1 + ZERO, ZERO, ZERO], [ZERO, 1 + ZERO, ZERO], [ZERO, -step, 1 + ZERO]]


def generator(weights):
    return VectorField.of(CHART, [dot(weights, [g.components[i] for g in GENERATORS]) for i in range(9)])


def test_generators_under_the_group():
    for put, back, adjoint in (turned(ANGLE), shifted(STEP)):
        there, here = ([rule.get(q, q) for q in CHART.coordinates] for rule in (put, back))
        assert all(claim.verdict.holds for claim in semi_symplectic_map(MANIFOLD, MANIFOLD, there))
        for one, momentum, image in zip(GENERATORS, MOMENTA, adjoint, strict=True):
            carried = push_forward(one, CHART, there, here)
            assert same(carried.components, generator(image).components)
            (field,) = MANIFOLD.field_of(substitute([momentum], back)[0])
            assert same(carried.components, field.components)
            assert MANIFOLD.contains(carried).holds
        wrong = push_forward(GENERATORS[2], CHART, here, there)  # by the inverse
        assert same(wrong.components, generator(adjoint[2]).components) is (adjoint[2][1] is ZERO)


def test_momenta_under_the_group():
    # <g mu, eta> = <mu, Ad_(g^-1) eta>, with mu = J(p); exp(xi t) is a rotation by t, or a translation by t
    for put, adjoint, time, xi in (
        (turned(ANGLE)[0], turned(-ANGLE)[2], ANGLE, GENERATORS[2]),
        (shifted(STEP)[0], shifted(-STEP)[2], STEP, GENERATORS[0]),
    ):
        slopes = [substitute([diff(dot(row, MOMENTA), time)], {time: ZERO})[0] for row in adjoint]  # <coad_xi mu, e_k>
        for one, momentum, row, slope in zip(GENERATORS, MOMENTA, adjoint, slopes, strict=True):
            assert (interior(one, MANIFOLD.form) - d(momentum, CHART)).is_zero().holds is True
            along = substitute([momentum], put)[0]  # J_eta(exp(xi t) p)
            assert same([along], [dot(row, MOMENTA)])
            assert same([xi(momentum)], [slope])
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
