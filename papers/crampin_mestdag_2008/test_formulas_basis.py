"""Section II: the standard basis of fields, its connection and its lifts."""

from itertools import product

from dalembert.expr import ONE, ZERO, symbol
from dalembert.geometry.fields import Chart, VectorField, bracket, combination
from dalembert.geometry.forms import lie_derivative, one_form
from dalembert.geometry.tangent_bundle import complete_lift, vertical_lift
from papers.crampin_mestdag_2008.systems import (
    ANY,
    adjoint,
    commutes,
    group,
    invariant_fields,
    result,
)
from papers.exact import differ, dot, same, unknown

BASE = range(2)


def none(*parts):
    """Say whether all parts vanish."""
    return same(parts, [ZERO] * len(parts))


def gone(*fields):
    return none(*(c for field in fields for c in field.components))


@ANY
def test_brackets_of_the_standard_basis(name):
    GROUP = group(name)
    frame = result(name).frame
    E, X, C, R = frame.action.generators, frame.horizontal, frame.constants, frame.curvature
    assert gone(bracket(X[0], X[1]) - combination(zip(R[0][1], E, strict=True)))
    assert gone(*(bracket(x, e) for x in X for e in E))
    for a, b in product(GROUP, repeat=2):
        assert gone(bracket(E[a], E[b]) + combination(zip(C[a][b], E, strict=True)))
    assert commutes(name) or not gone(
        *(bracket(E[a], E[b]) - combination(zip(C[a][b], E, strict=True)) for a, b in product(GROUP, repeat=2))
    )


@ANY
def test_the_matrix_of_invariant_fields(name):
    GROUP = group(name)
    A, C, E = adjoint(name), result(name).frame.constants, result(name).frame.action.generators
    assert gone(*(bracket(e, f) for e in E for f in invariant_fields(name)))
    left = [E[a](A[b][c]) for a, b, c in product(GROUP, repeat=3)]
    right = [dot([C[a][d][c] for d in GROUP], A[b]) for a, b, c in product(GROUP, repeat=3)]
    assert same(left, right)
    assert commutes(name) or differ(left, [-r for r in right])


def test_lifts_on_functions_and_linear_functions():
    x, y = symbol("x"), symbol("y")
    plane = Chart.of(x, y)
    Z = VectorField(plane, (unknown("Z1", x, y), unknown("Z2", x, y)))
    theta = one_form(plane, [unknown("t1", x, y), unknown("t2", x, y)])
    f = unknown("f", x, y)

    def linear(form):
        return form.component(0) * x.dot + form.component(1) * y.dot

    assert same([complete_lift(Z)(linear(theta))], [linear(lie_derivative(Z, theta))])
    assert same([vertical_lift(Z)(linear(theta))], [theta(Z)])
    assert same([complete_lift(Z)(f), vertical_lift(Z)(f)], [Z(f), ZERO])


@ANY
def test_lie_derivatives_of_the_connection_form(name):
    GROUP = group(name)
    frame = result(name).frame
    X, E = frame.horizontal, frame.action.generators
    for i, a in product(BASE, GROUP):
        moved = lie_derivative(X[i], frame.connection.forms[a])
        assert none(*(moved(e) for e in E))
        assert same([moved(x) for x in X], [-frame.curvature[i][j][a] for j in BASE])


@ANY
def test_lifts_on_quasi_velocities(name):
    GROUP = group(name)
    # by the lifts in (q, q'), with v^a as functions there
    frame = result(name).frame
    v = frame.quasi_velocities()
    R, C, speeds = frame.curvature, frame.constants, frame.v_base
    for i, x in enumerate(frame.horizontal):
        up, across = complete_lift(x), vertical_lift(x)
        assert none(*(up(w) for w in speeds))
        assert same([across(w) for w in speeds], [ONE if i == j else ZERO for j in BASE])
        assert same(up.apply(v), [-dot([R[i][j][a] for j in BASE], speeds) for a in GROUP])
        assert none(*across.apply(v))
    for a, e in enumerate(frame.action.generators):
        up, across = complete_lift(e), vertical_lift(e)
        assert none(*(f(w) for f in (up, across) for w in speeds))
        assert same(up.apply(v), [dot([C[a][c][b] for c in GROUP], v) for b in GROUP])
        assert same(across.apply(v), [ONE if a == b else ZERO for b in GROUP])


@ANY
def test_brackets_of_lifts(name):
    GROUP = group(name)
    frame = result(name).frame
    E, V, C = frame.e_complete, frame.e_vertical, frame.constants
    assert gone(*(bracket(e, x) for e in E for x in (*frame.x_complete, *frame.x_vertical)))
    for a, b in product(GROUP, repeat=2):
        assert gone(bracket(E[a], E[b]) + combination(zip(C[a][b], E, strict=True)))
        assert gone(bracket(E[a], V[b]) + combination(zip(C[a][b], V, strict=True)))
