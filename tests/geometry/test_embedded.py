"""Manifolds without charts: calculus on spheres and rotations, each statement beside a wrong twin."""

from itertools import combinations

import pytest

from dalembert.errors import ExpressionError
from dalembert.expr import log, symbol
from dalembert.expr.graph import ONE, ZERO, Expr, number
from dalembert.expr.truth import vanish
from dalembert.geometry.embedded import (
    EmbeddedManifold,
    area_form,
    euclidean_space,
    potential_on,
    product_manifold,
    rotation_group,
    sphere,
)
from dalembert.geometry.fields import bracket
from dalembert.geometry.groups.matrices import dot

X = tuple(symbol(f"x{k}") for k in range(3))
HIGH = tuple(symbol(f"y{k}") for k in range(4))
M = [[symbol(f"m{i}{j}") for j in "123"] for i in "123"]
A = symbol("A", role="parameter", domain="positive")
PHI = symbol("phi", domain="angle")
BALL, GROUP = sphere(X), rotation_group(M)
SPACE = rotation_group(M, left=False)
MANIFOLDS = {
    "sphere": BALL,
    "sphere of dimension 3": sphere(HIGH),
    "rotations, body": GROUP,
    "rotations, space": SPACE,
    "product": product_manifold(BALL, euclidean_space([symbol("s")]), GROUP),
}


@pytest.mark.parametrize("name", MANIFOLDS)
def test_fields_obey_structure_constants_and_normals(name: str) -> None:
    manifold = MANIFOLDS[name]
    parts = []
    for a, b in combinations(range(len(manifold.fields)), 2):
        crossed = bracket(manifold.fields[a], manifold.fields[b]).components
        columns = zip(*(field.components for field in manifold.fields), strict=True)
        parts += [c - dot(manifold.constants[a][b], column) for c, column in zip(crossed, columns, strict=True)]
    columns = list(zip(*(field.components for field in manifold.fields), strict=True))
    normal = [dot(nu, column) for nu in manifold.normals for column in columns]
    assert vanish([*parts, *normal])
    flipped = [-c for c in manifold.constants[0][1]]
    wrong = bracket(manifold.fields[0], manifold.fields[1]).components
    assert not vanish([c - dot(flipped, column) for c, column in zip(wrong, columns, strict=True)])


@pytest.mark.parametrize("name", MANIFOLDS)
def test_fields_are_tangent(name: str) -> None:
    manifold = MANIFOLDS[name]
    assert vanish([field(r) for field in manifold.fields for r in manifold.relations], manifold.facts)


def test_body_and_space_fields_commute() -> None:
    assert vanish([c for x in GROUP.fields for s in SPACE.fields for c in bracket(x, s).components])
    assert not vanish(bracket(GROUP.fields[0], GROUP.fields[1]).components)


@pytest.mark.parametrize("manifold", [BALL, GROUP], ids=["sphere", "rotations"])
def test_d_of_d_is_zero_and_brackets_agree(manifold: EmbeddedManifold) -> None:
    a, b, c = manifold.chart.coordinates[-3:]
    f = a**2 * b + A * c
    assert manifold.closed(manifold.differential(f)).holds
    assert manifold.closed([c * slope for slope in manifold.differential(a)]).holds is False
    left, right = [a, b, ZERO], [ONE, c, a * b]
    (twice,) = manifold.along(left, manifold.along(right, [f]))
    (back,) = manifold.along(right, manifold.along(left, [f]))
    (crossed,) = manifold.along(manifold.bracket(left, right), [f])
    assert vanish([twice - back - crossed], manifold.facts)
    assert not vanish([twice - back + crossed], manifold.facts)


def test_a_form_has_no_value_on_what_vanishes() -> None:
    assert BALL.is_form(BALL.differential(X[0] * X[1])).holds
    assert BALL.is_form([ONE, ZERO, ZERO]).holds is False


def test_closed_forms_on_spheres_and_rotations_are_exact_and_around_a_circle_they_need_not_be() -> None:
    form = GROUP.differential(M[0][0] * M[1][2])
    assert GROUP.exact(form).holds
    assert GROUP.exact([ONE, ZERO, ZERO]).holds is False  # left-invariant forms are not closed
    polar = [
        (X[0] * b - X[1] * a) / (X[0] ** 2 + X[1] ** 2) for a, b in zip(*map(BALL.differential, X[:2]), strict=True)
    ]
    assert BALL.closed(polar).holds  # that of an angle, which has no value at the poles
    assert BALL.exact(polar).holds is None
    tube = product_manifold(BALL, euclidean_space([PHI]))
    assert tube.exact([*BALL.differential(X[0]), ONE]).holds is None
    assert tube.exact([*BALL.differential(X[0]), ZERO], X[0]).holds


def test_potentials() -> None:
    wanted = log(A + X[0] ** 2) / 2 + 3 * X[1]
    found = potential_on(BALL, BALL.differential(wanted))
    assert found is not None
    assert vanish(BALL.differential(found - wanted), BALL.facts)
    assert potential_on(BALL, [X[2] * slope for slope in BALL.differential(X[0])]) is None
    assert potential_on(GROUP, GROUP.differential(M[0][0] * M[1][1] - M[0][1] * M[1][0] - M[2][2])) is ZERO


def test_the_area_form_is_that_of_the_fields() -> None:
    def area(u: tuple[Expr, ...], v: tuple[Expr, ...]) -> Expr:
        return dot(X, [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]])

    for (a, b), value in area_form(BALL).items():
        true = area(BALL.fields[a].components, BALL.fields[b].components)
        assert vanish([true - value], BALL.facts)
        assert not vanish([true + value], BALL.facts)
    with pytest.raises(ExpressionError, match="ordinary sphere"):
        area_form(sphere(HIGH))


def test_divergence_on_the_sphere_and_on_rotations() -> None:
    height = BALL.differential(X[2])  # the gradient: its components are its values, and its divergence is -2 z
    assert vanish([BALL.divergence(height) + 2 * X[2]], BALL.facts)
    assert not vanish([BALL.divergence(height) - 2 * X[2]], BALL.facts)
    assert vanish([GROUP.divergence([ONE, number(2), A])])
    (slope,) = GROUP.along([M[0][1], ZERO, ZERO], [M[2][2]])
    both = GROUP.divergence([M[0][1], ZERO, ZERO], M[2][2])
    assert vanish([both - slope - M[2][2] * GROUP.divergence([M[0][1], ZERO, ZERO])], GROUP.facts)


def test_a_circle_is_refused() -> None:
    with pytest.raises(ExpressionError, match="a circle is an angle"):
        sphere(X[:2])
