"""Distributions: adapted bases, curvature, involutivity, growth at generic and at singular points."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from random import Random

import pytest

from dalembert.errors import ExpressionError
from dalembert.expr import ONE, ZERO, Expr, Function, cos, jet, log, sin, sqrt, symbol
from dalembert.expr.truth import generic_rank, is_zero
from dalembert.expr.truth.many import all_vanish
from dalembert.geometry import (
    Chart,
    Distribution,
    VectorField,
    bracket,
    combination,
    coordinate_field,
    curvature_forms,
    d,
    derived_flag,
    distributions,
    growth_vector,
    involutive,
    one_form,
)
from dalembert.geometry.distributions import choose_dependent, curvature
from dalembert.geometry.groups import so3
from dalembert.testing.objects import SPACE, Objects, X, Y, Z

x, y, z, v = (symbol(n) for n in "xyzv")
phi, psi = symbol("phi", domain="angle"), symbol("psi", domain="angle")
R = symbol("R", role="parameter", domain="positive")
PLANE, ROOM = Chart.of(x, y), Chart.of(x, y, z)
DISC = Chart.of(phi, psi, x, y)
ROLLING = [[-R * cos(psi), 0, 1, 0], [-R * sin(psi), 0, 0, 1]]


def fields(chart: Chart, *rows: Sequence[Expr | int]) -> list[VectorField]:
    return [VectorField.of(chart, row) for row in rows]


def vanish(expressions: Sequence[Expr]) -> bool | None:
    return all_vanish({f"{k}": e for k, e in enumerate(expressions)}).holds


# -- adapted bases -----------------------------------------------------------------------------------------------
def test_basis_and_forms_annihilate_each_other() -> None:
    rolling = Distribution.from_forms(DISC, ROLLING)
    assert rolling.dependent == (2, 3)
    assert rolling.rank == 2
    assert rolling.coefficients == ((R * cos(psi), ZERO), (R * sin(psi), ZERO))
    assert rolling.determinant is ONE
    for field in rolling.fields:
        assert vanish(rolling.leaving(field)) is True
        for row in (*rolling.forms, *ROLLING):
            assert is_zero(one_form(DISC, row)(field)).holds is True
    assert vanish(rolling.leaving(coordinate_field(DISC, x))) is False


def test_forms_and_fields_give_the_same_distribution() -> None:
    for seed in (1, 2, 3):
        some = Objects(seed)
        first = Distribution.from_forms(SPACE, [some.matrix()[0]])
        mixed = [combination(zip(row, first.fields, strict=False)) for row in some.matrix()[:2]]
        second = Distribution.from_fields(mixed)
        assert vanish([part for field in second.fields for part in first.leaving(field)]) is True
        third = Distribution.from_forms(SPACE, second.forms, first.dependent)
        pairs = zip(first.coefficients[0], third.coefficients[0], strict=True)
        assert vanish([a - b for a, b in pairs]) is True


def test_dependent_coordinates_are_those_whose_determinant_is_best() -> None:
    assert choose_dependent([[1 + x**2, sin(x), x]]) == (0,)  # never zero beats what vanishes somewhere
    assert choose_dependent([[1 + x**2, 2 * ONE, x]]) == (1,)  # a constant beats both
    assert choose_dependent([[ONE, x, 2 * ONE]]) == (2,)  # the last one among equals
    assert choose_dependent([[sin(x), x, x * y]]) == (2,)
    assert choose_dependent([[sqrt(x), log(y), 1 / z]]) == (2,)  # not defined everywhere
    f = jet(Function("f", 1), (x,))
    assert choose_dependent([[f, 2 * f, 1 + f**2]]) == (2,)  # never zero whatever f may be
    assert Distribution.from_forms(ROOM, [[x, y, z]], dependent=[0]).dependent == (0,)
    chain = [[ZERO] * 12 for _ in range(6)]  # too many choices to try them all
    for k, row in enumerate(chain):
        row[k], row[k + 6] = x, ONE if k < 5 else 2 + cos(x)
    assert choose_dependent(chain) == (6, 7, 8, 9, 10, 11)


def test_the_determinant_of_a_choice() -> None:
    some = Objects(2)
    rows = [*some.matrix()[:2], [x * 0, x, y]]
    free = Distribution.from_forms(SPACE, rows, dependent=[0, 1, 2])
    assert free.rank == 0
    assert free.fields == ()
    a, b, c = rows
    plain = a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])
    assert is_zero(free.determinant - plain).holds is True
    assert Distribution.from_forms(SPACE, []).rank == 3


def test_what_does_not_fit_is_refused_in_words() -> None:
    with pytest.raises(ExpressionError, match="2 constraints, but only 1 of them"):
        Distribution.from_forms(ROOM, [[x, y, z], [2 * x, 2 * y, 2 * z]])
    with pytest.raises(ExpressionError, match="2 fields, but only 1 of them"):
        Distribution.from_fields(fields(PLANE, [x, y], [x * y, y**2]))
    with pytest.raises(ExpressionError, match="do not give the velocities of y"):
        Distribution.from_forms(PLANE, [[1, 0]], dependent=[1])
    with pytest.raises(ExpressionError, match="1 constraints give as many velocities, not 2"):
        Distribution.from_forms(PLANE, [[1, 0]], dependent=[0, 1])
    with pytest.raises(ExpressionError, match="needs as many components"):
        Distribution.from_forms(ROOM, [[1, 0]])
    with pytest.raises(ExpressionError, match="1 rows of 1"):
        Distribution(PLANE, (0,), ((x, y),))
    with pytest.raises(ExpressionError, match="different positions below 2"):
        Distribution(PLANE, (2,), ((x, y),))
    with pytest.raises(ExpressionError, match="state its 1-forms"):
        Distribution.from_fields([])


# -- curvature ---------------------------------------------------------------------------------------------------
def test_curvature_is_minus_the_bracket_and_plus_d_of_the_forms() -> None:
    some = Objects(3)
    bent = Distribution.from_forms(SPACE, [some.matrix()[0]])
    left, right = bent.fields
    ((value,),) = curvature(bent).values()
    assert is_zero(value + bent.leaving(bracket(left, right))[0]).holds is True
    assert is_zero(value - d(one_form(SPACE, bent.forms[0]))(left, right)).holds is True
    assert is_zero(value + d(one_form(SPACE, bent.forms[0]))(left, right)).holds is False
    (b,) = bent.coefficients
    assert is_zero(value + left(b[1]) - right(b[0])).holds is True  # Delta = -R


def test_curvature_takes_values_in_the_quotient_and_is_a_tensor() -> None:
    rolling = Distribution.from_forms(DISC, ROLLING)
    some = Objects(1, DISC)
    delta = curvature_forms(rolling)
    first, second = (combination(zip([some.function() for _ in range(2)], rolling.fields, strict=True)) for _ in "ab")
    f = some.function()
    for form, part in zip(delta, rolling.leaving(bracket(first, second)), strict=True):
        assert is_zero(form(first, second) + part).holds is True
        assert is_zero(form(f * first, second) - f * form(first, second)).holds is True
    # outside the distribution the bracket is no tensor, and this is what the projection is for
    out, f = coordinate_field(DISC, x), sin(psi)
    torn = [a - f * b for a, b in zip(
        rolling.leaving(bracket(rolling.fields[1], f * out)),
        rolling.leaving(bracket(rolling.fields[1], out)), strict=True)]  # fmt: skip
    assert vanish(torn) is False
    assert all(is_zero(form(rolling.fields[0], out)).holds for form in delta)


def test_few_points_see_of_determinants_what_all_points_see(monkeypatch) -> None:
    """Most are dropped at the first points; what has no value at a later one stays open, as it does at all points."""
    draw = Random(5)
    kinds = [x, ONE, 2 + sin(y), cos(z), x * y, ZERO, x - x + 1, 1 + x**2, sqrt(x + 2), log(y + 2), -ONE]

    def seen(rows, columns):
        return distributions._looks(rows, list(combinations(range(columns), len(rows))))

    drawn = [[[draw.choice(kinds) for _ in range(5)] for _ in range(draw.choice([1, 2, 3]))] for _ in range(60)]
    few = [seen(rows, 5) for rows in drawn]
    monkeypatch.setattr(distributions, "_FIRST_POINTS", 24)
    assert few == [seen(rows, 5) for rows in drawn]
    assert {frozenset(look) for looks in few for look in looks} >= {frozenset(), frozenset({"constant", "never zero"})}
    monkeypatch.setattr(distributions, "_FIRST_POINTS", 1)  # one point tells nothing apart, but loses nothing either
    assert few == [seen(rows, 5) for rows in drawn]


def test_curvature_does_not_depend_on_the_choice_of_dependent_coordinates() -> None:
    rows = [[1 + y**2, x, 2 + cos(x)]]
    one, other = (Distribution.from_forms(ROOM, rows, dependent=[k]) for k in (2, 0))
    left, right = one.fields
    ((a,),) = curvature(one).values()
    class_of_it = VectorField.of(ROOM, {z: a})  # a representative of Delta(left, right) in TQ/D
    (b,) = curvature_forms(other)
    assert is_zero(other.leaving(class_of_it)[0] - b(left, right)).holds is True
    assert is_zero(b(left, right)).holds is False


def test_involutive_or_not() -> None:
    f = jet(Function("f", 2), (x, y))
    for rows, answer in (
        ([[-y, 0, 1]], False),
        ([[-y, -x, 1]], True),
        ([[x, y, z]], True),
        ([[y * z, x * z, 2 * x * y]], True),  # a multiple of d(x y z^2)
        ([[y * z, x * z, x * y + x**2]], False),
        ([[-f, 0, 1]], False),
    ):
        verdict = involutive(Distribution.from_forms(ROOM, rows))
        assert verdict.holds is answer, rows
    assert involutive(Distribution.from_forms(ROOM, [[-y, -x, 1]]), effort=5).kind == "proved"
    assert involutive(Distribution.from_forms(ROOM, [[-y, 0, 1]])).evidence.startswith(
        "the bracket of the directions x and y"
    )
    assert involutive(Distribution.from_forms(PLANE, [[x, y]])).kind == "proved"  # nothing to show
    four = Chart.of(x, y, z, v)
    for rows, name in (([[-y, 0, 1, 0], [-1, 0, 0, 1]], "z"), ([[-1, 0, 1, 0], [-y, 0, 0, 1]], "v")):
        verdict = involutive(Distribution.from_forms(four, rows))  # every constraint counts
        assert verdict.holds is False
        assert verdict.evidence.startswith(f"the bracket of the directions x and y, along {name}")


# -- growth ------------------------------------------------------------------------------------------------------
def every_bracket(given: Sequence[VectorField], steps: int) -> list[int]:
    """The growth vector with nothing left out: all of D^k bracketed with all of D."""
    everything, dimensions = list(given), []
    for _ in range(steps):
        dimensions.append(generic_rank([f.components for f in everything]).rank)
        everything += [bracket(a, b) for a in given for b in everything]
    return dimensions


def test_growth_at_generic_points() -> None:
    heisenberg = fields(ROOM, [1, 0, -y / 2], [0, 1, x / 2])
    assert growth_vector(heisenberg) == (2, 3)
    assert growth_vector(Distribution.from_forms(DISC, ROLLING).fields) == (2, 3, 4)
    assert growth_vector(Distribution.from_forms(ROOM, [[x, y, z]]).fields) == (2,)
    assert growth_vector(fields(PLANE, [1, 0], [0, x])) == (2,)
    assert growth_vector(fields(PLANE, [1, 0], [x, 0])) == (1,)


def test_growth_of_a_ball_on_a_plate() -> None:
    turns = so3()
    chart = Chart.of(x, y, *turns.chart.coordinates)
    roll_x, roll_y = ({x: 1}, {y: 1})
    for way, axis, sign in ((roll_x, 1, 1), (roll_y, 0, -1)):
        spin = turns.spatial[axis]
        way.update({q: sign * c for q, c in zip(turns.chart.coordinates, spin.components, strict=True)})
    ball = [VectorField.of(chart, way) for way in (roll_x, roll_y)]
    assert growth_vector(ball) == (2, 3, 5)
    assert [len(step) for step in derived_flag(ball)] == [2, 3, 5]
    assert [len(step) for step in derived_flag(ball, steps=1)] == [2, 3]
    with pytest.raises(ExpressionError, match=r"beyond the dimension 2 was not looked for.*more than 2 nodes"):
        derived_flag(ball, largest=2)
    assert [len(step) for step in derived_flag(ball, largest=1000)] == [2, 3, 5]


def test_leaving_brackets_out_loses_nothing_at_generic_points() -> None:
    chart = Chart.of(x, y, z, v)
    cases = [
        fields(chart, [1, 0, y, z], [0, 1, 0, 0]),
        fields(chart, [1, 0, y**2, x * y], [0, 1, x, y**3]),
        fields(chart, [x, y, z, v], [y, -x, 0, z], [0, 0, x, 1]),
        fields(chart, [x, 0, y, 0], [0, y, 0, x]),
        [Objects(seed, chart).field() for seed in (1, 2)],
        [
            *fields(chart, [1, 0, y, 0]),
            *fields(chart, [x, 0, x * y, 0]),
            *fields(chart, [0, 1, 0, z]),
        ],  # dependent ones
    ]
    for given in cases:
        brute = every_bracket(given, 4)
        grown = growth_vector(given)
        assert tuple(brute[: len(grown)]) == grown
        assert set(brute[len(grown) - 1 :]) == {grown[-1]}


def test_growth_at_singular_points() -> None:
    martinet = fields(ROOM, [1, 0, y**2], [0, 1, 0])
    assert growth_vector(martinet) == (2, 3)
    assert growth_vector(martinet, {x: 3, y: 0, z: 1}) == (2, 2, 3)
    assert growth_vector(martinet, {x: 3, y: 1, z: 1}) == (2, 3)
    assert growth_vector(martinet, {y: 0}) == (2, 2, 3)  # the whole surface at once
    for order in (1, 4, 7):  # it may stand still for as long as it likes
        grushin = fields(PLANE, [1, 0], [0, x**order])
        assert growth_vector(grushin, {x: 0, y: 0}) == (*[1] * order, 2)
        assert growth_vector(grushin, {x: 1, y: 0}) == (2,)
    turning = Chart.of(phi, y)
    assert growth_vector(fields(turning, [1, 0], [0, 1 - cos(phi)]), {phi: 0}) == (1, 1, 2)


def test_growth_where_the_brackets_themselves_degenerate() -> None:
    scalings = fields(PLANE, [x, 0], [0, y])
    assert growth_vector(scalings, {x: 0, y: 0}) == (0,)
    assert growth_vector(scalings, {x: 0, y: 1}) == (1,)
    rotations = fields(ROOM, [0, -z, y], [z, 0, -x])
    assert growth_vector(rotations) == (2,)
    assert growth_vector(rotations, {x: 0, y: 0, z: 1}) == (2,)
    assert growth_vector(rotations, {x: 0, y: 1, z: 0}) == (1, 2)
    assert growth_vector(rotations, {x: 0, y: 0, z: 0}) == (0,)


def test_growth_that_cannot_be_found_out_is_said_to_be_so() -> None:
    endless = fields(Chart.of(x), [x**2], [x**3])  # brackets of every order, all of them zero at the origin
    with pytest.raises(ExpressionError, match="do not show whether the distribution grows beyond the dimension 0"):
        growth_vector(endless, {x: 0})
    assert growth_vector(endless, {x: 1}) == (1,)
    with pytest.raises(ExpressionError, match="at least one field"):
        growth_vector([])
    with pytest.raises(ExpressionError, match="'y' is not a coordinate"):
        growth_vector(endless, {y: 0})


def test_growth_at_random_points_is_the_generic_one() -> None:
    point: Mapping[Expr, int] = {X: 2, Y: -3, Z: 1}
    for seed in (1, 2, 3):
        some = Objects(seed)
        given = [some.field(), some.field()]
        assert growth_vector(given, point) == growth_vector(given)
        assert all(len(a) < len(b) for a, b in combinations(derived_flag(given), 2))
