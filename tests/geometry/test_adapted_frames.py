"""Frames of what constraints allow: textbook fields come out, certificates hold, and what has none is refused."""

from dataclasses import replace
from itertools import combinations
from random import Random

import numpy as np
import pytest

from dalembert.errors import ExpressionError
from dalembert.expr import ONE, ZERO, cos, jet, number, sin, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME, Function
from dalembert.expr.truth import Where, constant, is_zero, never_zero, vanish
from dalembert.expr.walk import divisors, evaluate, symbols
from dalembert.geometry.adapted_frames import (
    certificate,
    certified_drift,
    certified_frames,
    cost,
    frame_from_speeds,
    invariant_basis,
    remainder,
    scaled_with_duals,
)
from dalembert.geometry.adapted_frames.turning import bases
from dalembert.geometry.distributions import expanded_determinant
from dalembert.geometry.fields import Chart, VectorField, bracket
from dalembert.geometry.groups.matrices import dot

X, Y, Z = (symbol(n) for n in "xyz")
TH, PH, PS = (symbol(n, domain="angle") for n in ("th", "ph", "ps"))
D1, D2 = (symbol(n, role="parameter", domain="positive") for n in ("d1", "d2"))
E0, E1, E2, E3 = (symbol(f"e{i}") for i in range(4))
SPHERE = E0**2 + E1**2 + E2**2 + E3**2 - 1

AXLE = [-(D1 * cos(PH) + D2), -D2]
STATEMENTS = {
    "sleigh": ([[sin(TH), -cos(TH), ZERO]], [X, Y, TH]),
    "racer": (
        [[sin(PH), ZERO, *(cos(TH) * a for a in AXLE)], [ZERO, sin(PH), *(sin(TH) * a for a in AXLE)]],
        [X, Y, TH, PH],
    ),
    "two wheels": (
        [
            [ZERO, ZERO, sin(TH), -cos(TH), ZERO],
            [D1, ZERO, cos(TH), sin(TH), D2],
            [ZERO, D1, cos(TH), sin(TH), -D2],
        ],
        [PH, PS, X, Y, TH],
    ),
    "three bars": ([[-sin(TH), sin(PH), -sin(PS)], [cos(TH), -cos(PH), cos(PS)]], [TH, PH, PS]),
    "contact": ([[-Y, ZERO, ONE]], [X, Y, Z]),
}


def on_the_sphere(value):
    """Decide whether a function vanishes nowhere on the sphere."""
    left = remainder(value, [SPHERE])
    return constant(left) if constant(left).holds and not vanish([left]) else never_zero(left)


def first(name):
    rows, coordinates = STATEMENTS[name]
    return rows, coordinates, next(certified_frames(rows, coordinates))


def at(matrix, values):
    flat = evaluate([e for row in matrix for e in row], Floats(values))
    return np.array(flat, float).reshape(len(matrix), -1)


def points(expressions, draw, count=60):
    """Return points, special values among them."""
    names = sorted((symbol(s) for s in symbols(expressions)), key=repr)
    for _ in range(count):
        yield {
            s: draw.choice([0.0, np.pi / 2, -np.pi / 2, np.pi, draw.uniform(-3, 3)])
            if s.data.domain == "angle"
            else draw.uniform(0.3, 2) * (1 if s.data.domain == "positive" else draw.choice([-1, 0, 1]))
            for s in names
        }


def keeps_rank_with(rows, fields, draw):
    """Say whether fields are annihilated and have full rank at all points where the rows do."""
    for values in points([e for row in (*rows, *fields) for e in row], draw):
        a, z = at(rows, values), at(fields, values)
        if np.linalg.svd(a, compute_uv=False)[-1] > 1e-6:
            if not (np.isfinite(z).all() and np.linalg.svd(z, compute_uv=False)[-1] > 1e-8):
                return False
            if np.abs(a @ z.T).max() > 1e-12:
                return False
    return True


# -- what is found -------------------------------------------------------------------------------------------------
def test_textbook_frames_come_out():
    assert first("sleigh")[2].fields == ((cos(TH), sin(TH), ZERO), (ZERO, ZERO, ONE))
    assert first("contact")[2].fields == ((ONE, ZERO, Y), (ZERO, ONE, ZERO))
    racer = [dual.field for dual in scaled_with_duals([first("racer")[2].fields])[0]]
    wanted = [(cos(TH), sin(TH), ZERO, sin(PH) / D2), (ZERO, ZERO, ONE, -1 - D1 * cos(PH) / D2)]
    for one in wanted:
        assert any(vanish([a - b for a, b in zip(one, found, strict=True)]) for found in racer)


def test_a_sphere_has_its_invariant_fields():
    rows, q = [[2 * E0, 2 * E1, 2 * E2, 2 * E3]], [E0, E1, E2, E3]
    found = next(certified_frames(rows, q, [SPHERE], on_the_sphere))
    gram = [[dot(a, b) for b in found.fields] for a in found.fields]
    length = dot(q, q)
    assert vanish([gram[i][j] - (length if i == j else ZERO) for i in range(3) for j in range(3)])
    assert is_zero(found.rho**2 - 4, [Where(SPHERE)]).holds  # off the sphere it has a pole, at the origin
    assert list(certified_frames(rows, q)) == []  # the wrong twin: all of space has no such frame


@pytest.mark.parametrize("name", STATEMENTS)
def test_certified_frames_fail_only_where_the_constraints_do(name):
    rows, coordinates = STATEMENTS[name]
    found = list(certified_frames(rows, coordinates))
    assert found
    for frame in found:
        assert frame.verdict.kind == "proved"
        assert keeps_rank_with(rows, frame.fields, Random(3))


@pytest.mark.parametrize("name", STATEMENTS)
def test_rho_is_the_same_for_every_choice_of_columns(name):
    rows, _, frame = first(name)
    size, directions = len(rows[0]), len(frame.fields)
    for columns in combinations(range(size), directions):
        rest = [j for j in range(size) if j not in columns]
        of_rows = expanded_determinant([[row[j] for j in rest] for row in rows])
        of_fields = expanded_determinant([[field[j] for j in columns] for field in frame.fields])
        ahead, behind = of_rows - frame.rho * of_fields, of_rows + frame.rho * of_fields
        assert vanish([ahead]) or vanish([behind])


def test_the_statement_of_the_racer_loses_rank_and_its_frame_does_not():
    rows, _, frame = first("racer")
    assert frame.locus is sin(PH)
    values = {TH: 0.4, PH: 0.0, D1: 0.5, D2: 0.2}
    assert np.linalg.matrix_rank(at(rows, values)) == 1
    assert np.linalg.matrix_rank(at(frame.fields, values)) == 2


def test_the_same_frame_is_found_again():
    for rows, coordinates in STATEMENTS.values():
        assert list(certified_frames(rows, coordinates)) == list(certified_frames(rows, coordinates))


def test_unspecified_functions_and_time_may_occur():
    f, t = Function("f", 1), symbol(TIME)
    slope = jet(f, [X])
    for rows in ([[slope, -ONE, ZERO]], [[sin(t) * slope, cos(t), 2 + sin(t)]]):
        frame = next(certified_frames(rows, [X, Y, Z]))
        assert vanish([dot(row, field) for row in rows for field in frame.fields])
    blade = [[slope * sin(TH), -slope * cos(TH), ZERO]]
    found = next(certified_frames(blade, [X, Y, TH]))
    assert found.fields == ((cos(TH), sin(TH), ZERO), (ZERO, ZERO, ONE))
    assert vanish([found.locus - slope])  # where f is zero nothing is stated


def test_where_no_frame_is_global_none_is_returned():
    """The allowed directions x'*cos(th/2) = y'*sin(th/2) are a Moebius band over the circle."""
    half = symbol("a", domain="angle") / 2
    angle = symbol("a", domain="angle")
    found = list(certified_frames([[cos(half), sin(half)]], [X, Y]))
    for frame in found:  # it is a frame on the line, not on the circle, and is certified there
        assert keeps_rank_with([[cos(half), sin(half)]], frame.fields, Random(1))
    tangent = [[sin(angle), 1 + cos(angle)]]  # the same directions, by functions on the circle: both vanish at pi
    for frame in certified_frames(tangent, [X, Y]):
        assert keeps_rank_with(tangent, frame.fields, Random(1))


# -- certificates ---------------------------------------------------------------------------------------------------
WRONG = {
    "loses rank at a right angle": [(cos(TH) ** 2, sin(TH) * cos(TH), ZERO), (ZERO, ZERO, ONE)],
    "has a pole": [(ONE, sin(TH) / cos(TH), ZERO), (ZERO, ZERO, ONE)],
    "hides its loss": [(cos(TH), sin(TH), ZERO), (ZERO, ZERO, sin(TH) * cos(TH) / cos(TH))],
    "leaves the constraint": [(cos(TH), -sin(TH), ZERO), (ZERO, ZERO, ONE)],
    "has too few fields": [(cos(TH), sin(TH), ZERO)],
    "has fields that depend on each other": [(cos(TH), sin(TH), ZERO), (2 * cos(TH), 2 * sin(TH), ZERO)],
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_frame_without_certificate_is_refused(fault):
    rows = STATEMENTS["sleigh"][0]
    with pytest.raises(ExpressionError, match=r"may fail where|not a basis"):
        certificate(rows, WRONG[fault])


def test_a_frame_with_certificate_is_taken():
    rows = STATEMENTS["sleigh"][0]
    turned = [(2 * cos(TH), 2 * sin(TH), ONE), (ZERO, ZERO, 3 + cos(TH))]
    assert certificate(rows, turned).verdict.holds
    assert keeps_rank_with(rows, turned, Random(2))
    assert not keeps_rank_with(rows, WRONG["loses rank at a right angle"], Random(2))  # the law can fail


# -- drift ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", STATEMENTS)
def test_a_drift_solves_the_constraints_and_has_no_pole(name):
    rows, coordinates = STATEMENTS[name]
    rest = [X * Y + k + 1 for k in range(len(rows))]
    drift = certified_drift(rows, rest, coordinates)
    assert vanish([dot(row, drift) + r for row, r in zip(rows, rest, strict=True)])
    for values in points([*drift, *(e for row in rows for e in row)], Random(4)):
        if np.linalg.svd(at(rows, values), compute_uv=False)[-1] > 1e-6:
            assert np.isfinite(at([drift], values)).all()
    wrong = [drift[0] + 1, *drift[1:]]
    column = [row[0] for row in rows]
    assert vanish([dot(row, wrong) + r for row, r in zip(rows, rest, strict=True)]) is vanish(column)


def test_constraints_without_a_rest_have_no_drift():
    rows, coordinates = STATEMENTS["racer"]
    assert certified_drift(rows, [sin(X) - sin(X), ZERO], coordinates) == (ZERO,) * 4


# -- speeds -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", STATEMENTS)
def test_rows_read_the_quasi_velocities_off(name):
    [duals] = scaled_with_duals([first(name)[2].fields])
    parts = [dot(one.row, other.field) - (ONE if one is other else ZERO) for one in duals for other in duals]
    assert vanish(parts)
    assert not vanish([dot(duals[0].row, duals[0].field)])


def test_a_speed_is_a_speed():
    [(along, turn)] = scaled_with_duals([first("two wheels")[2].fields])
    assert vanish([dot(along.field[2:4], along.field[2:4]) - 1])
    assert turn.place == 4


def test_the_speed_of_a_steered_wheel_is_found_though_no_coordinates_have_it():
    """The speed of the front wheel: along the cart and, by the length between the axles, across it."""
    a, s = symbol("a", domain="angle"), symbol("s", domain="angle")
    length, hitch = (symbol(n, role="parameter", domain="positive") for n in ("l", "d"))
    steered = (
        2 * hitch * length * cos(s) * cos(a), 2 * hitch * length * cos(s) * sin(a), 2 * hitch * sin(s), ZERO,
        length * cos(s) * sin(a),
    )  # fmt: skip
    fields = [steered, (ZERO, ZERO, ZERO, ONE, ONE)]
    [(along, turn)] = scaled_with_duals([fields])
    found = zip(along.row, (cos(s) * cos(a), cos(s) * sin(a), length * sin(s), ZERO, ZERO), strict=True)
    assert vanish([one - other for one, other in found])
    assert (turn.place, vanish([along.scale - 2 * hitch * length])) == (3, True)
    bent = [(cos(s) * cos(a), cos(s) * sin(a), length * sin(2 * s), ZERO, ZERO), fields[1]]  # no wheel has this one
    [(other, _)] = scaled_with_duals([bent])
    assert divisors(other.row)


def test_stated_speeds_give_their_frame():
    rows, _, frame = first("two wheels")
    stated = [(ONE, ZERO, ZERO, ZERO, ZERO), (ZERO, ONE, ZERO, ZERO, ZERO)]
    fields, added = frame_from_speeds(stated, frame.fields)
    assert added == []
    assert vanish([dot(row, field) for row in rows for field in fields])
    assert vanish([dot(w, z) - (ONE if a == b else ZERO) for a, w in enumerate(stated) for b, z in enumerate(fields)])
    assert len(frame_from_speeds(stated[:1], frame.fields)[1]) == 1
    twice = [stated[0], tuple(2 * w for w in stated[0])]
    with pytest.raises(ExpressionError, match="the speeds depend on each other"):
        frame_from_speeds(twice, frame.fields)


# -- parts ------------------------------------------------------------------------------------------------------------
def test_turned_bases_have_the_same_null_vectors():
    rows, coordinates = STATEMENTS["racer"]
    for basis in bases(rows, coordinates):
        for k in range(len(coordinates)):
            unit = [ONE if i == k else ZERO for i in range(len(coordinates))]
            turned = [basis.expression(row[k]) for row in basis.matrix]
            stated = [dot(row, basis.stated(unit)) for row in rows]
            assert vanish([a - b for a, b in zip(turned, stated, strict=True)])


def test_cost_counts_sines_and_divisions():
    assert cost([sin(TH) * cos(TH)]) == 16
    assert cost([X / Y]) == 4
    assert cost([X * Y, X * Y + 1]) == 2
    assert cost([number(3)]) == 0


# -- symmetry ------------------------------------------------------------------------------------------------------
U, V = symbol("u"), symbol("v")
TWO = Chart.of(X, Y, U, V, TH)
TOGETHER = [VectorField.of(TWO, p) for p in ([1, 0, 1, 0, 0], [0, 1, 0, 1, 0], [-Y, X, -V, U, 1])]
GEAR = [
    [-sin(TH), cos(TH), ZERO, ZERO, D1],
    [-D2 * cos(TH), -D2 * sin(TH), -sin(TH), cos(TH), ZERO],
]


def test_fields_that_commute_with_a_symmetry_are_a_basis_to_look_in():
    """Two bodies are turned together, which no turn of one pair of lengths does."""
    basis = invariant_basis(GEAR, TOGETHER)
    for components in basis.fields:
        field = VectorField(TWO, components)
        assert all(vanish(bracket(generator, field).components) for generator in TOGETHER)
    assert not vanish(bracket(TOGETHER[2], VectorField.of(TWO, [1, 0, 0, 0, 0])).components)
    plain, more = (list(certified_frames(GEAR, TWO.coordinates, more=some)) for some in ((), [basis]))
    (best,) = [frame for frame in more if frame not in plain]
    assert best.origin == "circuits in invariant fields"
    assert keeps_rank_with(GEAR, best.fields, Random(5))
    again = certificate(GEAR, best.fields).rho
    assert vanish([best.rho - again]) or vanish([best.rho + again])


def test_where_a_symmetry_says_nothing_new_no_basis_is_made_and_a_poor_one_is_not_taken():
    skate = [[sin(TH), -cos(TH), ZERO, ZERO, ZERO]]
    alone = [VectorField.of(TWO, p) for p in ([1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [-Y, X, 0, 0, 1])]
    assert invariant_basis(skate, alone) is None  # a turn of one pair is looked at anyway
    assert invariant_basis(GEAR, TOGETHER[:2]) is None  # translations leave the stated basis alone
    assert invariant_basis(GEAR, []) is None
    flat = [[ONE, ZERO, -ONE, ZERO, U * V]]
    basis = invariant_basis(flat, TOGETHER)  # these constraints are not invariant: the stated basis is better
    plain, more = (list(certified_frames(flat, TWO.coordinates, more=some)) for some in ((), [basis]))
    assert basis is not None
    assert more[0] == plain[0]


def test_a_basis_that_may_degenerate_is_not_searched():
    basis = invariant_basis(GEAR, TOGETHER)
    wrong = replace(basis, fields=(tuple(cos(TH) * c for c in basis.fields[0]), *basis.fields[1:]), volume=cos(TH))
    found = certified_frames(GEAR, TWO.coordinates, more=[wrong])
    assert all(frame.origin != "circuits in invariant fields" for frame in found)
