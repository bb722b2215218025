"""Actions from their generators: constants, freeness, invariance, invariant fields; faults by name."""

from itertools import product

import pytest

from dalembert.errors import ExpressionError
from dalembert.expr import ZERO, Expr, cos, exp, jet, log, number, sin, sqrt, substitute, symbol
from dalembert.expr.symbols import TIME, Function
from dalembert.expr.truth import is_zero
from dalembert.expr.truth.many import ProofBudget, all_vanish
from dalembert.geometry.fields import Chart, VectorField, bracket, combination, coordinate_field
from dalembert.geometry.forms import Form, coordinate_form, d, one_form, wedge
from dalembert.geometry.groups import (
    Action,
    action_from_generators,
    affine_field,
    invariant_fields,
    is_invariant,
    linear_fields,
    local_freeness,
    prolonged,
    quaternions,
    rotation,
    rotations,
    scaling,
    se2,
    so3,
    translations,
)
from dalembert.geometry.groups.matrices import as_matrix
from dalembert.geometry.tangent_bundle import complete_lift
from dalembert.geometry.tensors import Endomorphism, identity, outer

x, y, z, r = (symbol(n) for n in "xyzr")
mu, k = symbol("mu", role="parameter"), symbol("k", role="parameter", domain="positive")
PLANE, SPACE = Chart.of(x, y), Chart.of(x, y, z)


def vanish(*expressions: Expr) -> None:
    verdict = all_vanish({f"{k}": e for k, e in enumerate(expressions)})
    assert verdict.holds is True, verdict


# -- actions from generators -------------------------------------------------------------------------------------
def test_constants_with_parameters() -> None:
    turned = {"e1": VectorField.of(PLANE, [1, mu]), "e2": VectorField.of(PLANE, [0, 1]), "e3": rotation(PLANE, x, y)}
    action = action_from_generators(turned)
    adapted = se2().algebra.adapted_basis([1, mu, 0], ["e1", "e2", "e3"]).algebra
    vanish(*(p - q for a, b in zip(action.algebra.constants, adapted.constants, strict=True)
             for u, v in zip(a, b, strict=True) for p, q in zip(u, v, strict=True)))  # fmt: skip
    assert action.closure.holds is True
    scaled = action_from_generators({**translations(PLANE), "turn": combination([(k, rotation(PLANE, x, y))])})
    assert scaled.algebra.bracket([0, 0, 1], [1, 0, 0]) == (ZERO, k, ZERO)
    assert scaled.algebra.name() == "se(2)"


def test_constants_with_functions_in_the_generators() -> None:
    line = Chart.of(x)
    projective = {"d": coordinate_field(line, x), "s": scaling(line, {x: 1}), "p": VectorField.of(line, [x**2])}
    assert action_from_generators(projective).algebra.name() == "sl(2,R)"
    growing = {
        "e1": coordinate_field(PLANE, y),
        "e2": VectorField.of(PLANE, {y: exp(x)}),
        "e3": coordinate_field(PLANE, x),
    }
    assert action_from_generators(growing).algebra.name() == "R + aff(1)"
    V = Function("V", 1)
    gauge = {"e1": coordinate_field(PLANE, y), "e2": VectorField.of(PLANE, {y: jet(V, (x,))})}
    assert action_from_generators(gauge).algebra.name() == "R^2"


def test_a_bracket_that_leads_out_is_named() -> None:
    with pytest.raises(ExpressionError, match=r"the bracket \[up, twist\] = \(0, 0, 1\) .*add it as a generator"):
        action_from_generators({"up": VectorField.of(SPACE, {x: 1}), "twist": VectorField.of(SPACE, {y: 1, z: x})})
    line = Chart.of(x)
    with pytest.raises(ExpressionError, match=r"\[one, two\] = \(2\*x\).*but a group needs constants"):
        action_from_generators({"one": coordinate_field(line, x), "two": VectorField.of(line, [x**2])})


def test_generators_that_depend_on_each_other_are_named() -> None:
    fields = {**translations(PLANE), "both": VectorField.of(PLANE, [2, -mu])}
    with pytest.raises(ExpressionError, match=r"the generator both is \(2\)\*x \+ \(-mu\)\*y, so it adds nothing"):
        action_from_generators(fields)
    with pytest.raises(ExpressionError, match="the generator nothing is zero everywhere"):
        action_from_generators({"nothing": VectorField.of(PLANE, [sin(x) ** 2 + cos(x) ** 2 - 1, 0])})
    with pytest.raises(ExpressionError, match="at least one"):
        action_from_generators({})
    with pytest.raises(ExpressionError, match="the generator z lives on another chart than x"):
        action_from_generators({**translations(PLANE, [x]), **translations(SPACE, [z])})
    # dependent at every point, but not with constant coefficients: that is allowed
    assert action_from_generators(rotations(SPACE, [x, y, z])).algebra == so3().algebra


def test_generators_of_linear_and_affine_actions() -> None:
    """X_A is x -> A x, and [X_A, X_B] = -X_[A, B]: the constants are those of the matrices."""
    matrices = {"h": [[1, 0], [0, -1]], "e": [[0, 1], [0, 0]], "f": [[0, 0], [1, 0]]}
    action = action_from_generators(linear_fields(PLANE, [x, y], matrices))
    assert action.algebra.bracket([1, 0, 0], [0, 1, 0]) == (ZERO, number(2), ZERO)
    assert action.algebra.name() == "sl(2,R)"
    shifted = affine_field(PLANE, [x, y], [[0, -1], [1, 0]], [1, 0])
    assert shifted.components == (1 - y, x)
    turning = action_from_generators(
        rotations(Chart.of(x, y, z, *(symbol(n) for n in "uvw")), [x, y, z], [symbol(n) for n in "uvw"])
    )
    assert turning.algebra == so3().algebra
    both = action_from_generators({"turn": rotation(PLANE, x, y), "grow": scaling(PLANE, {x: 1, y: 1})})
    assert both.algebra.name() == "R^2"
    for wrong in (lambda: affine_field(PLANE, [x, y], [[1]]), lambda: rotations(PLANE, [x, y])):
        with pytest.raises(ExpressionError):
            wrong()


def test_other_bases_and_subgroups_of_an_action() -> None:
    action = se2().action()
    adapted = action.algebra.adapted_basis([1, mu, 0])
    changed = action.change_basis(adapted.matrix)
    expected = action_from_generators(dict(zip(changed.names, changed.generators, strict=True)))
    vanish(*(p - q for a, b in zip(changed.algebra.constants, expected.algebra.constants, strict=True)
             for u, v in zip(a, b, strict=True) for p, q in zip(u, v, strict=True)))  # fmt: skip
    inner = action.restricted(adapted.matrix[:1], ["g"])
    assert (inner.names, inner.dimension) == (("g",), 1)
    vanish(*(inner.generators[0] - VectorField.of(inner.chart, [1, mu, 0])).components)
    assert action.field([1, 0, 2]).components == (1 - 2 * y, 2 * x, number(2))


# -- freeness ----------------------------------------------------------------------------------------------------
def test_local_freeness_and_where_it_fails() -> None:
    turning = local_freeness(action_from_generators({"turn": rotation(PLANE, x, y)}))
    assert (turning.verdict.holds, turning.orbit_dimension, set(turning.singular or ())) == (True, 1, {x, y})
    assert len(turning.assumed) == 2
    space = local_freeness(action_from_generators(rotations(SPACE, [x, y, z])))
    assert (space.verdict.kind, space.orbit_dimension, space.singular) == ("refuted", 2, None)
    assert "span only 2 directions" in space.verdict.evidence
    everywhere = local_freeness(se2().action(Chart.of(r, *se2().chart.coordinates)))
    assert (everywhere.verdict.holds, everywhere.singular) == (True, ())
    assert "vanishes nowhere" in everywhere.verdict.evidence  # it is said of all points, not of a random one
    assert "vanishes nowhere" not in turning.verdict.evidence
    two = Chart.of(x, y, z, *(symbol(n) for n in "uvw"))
    pair = local_freeness(action_from_generators(rotations(two, [x, y, z], two.coordinates[3:])), most_minors=5)
    assert (pair.verdict.holds, pair.orbit_dimension, pair.singular) == (True, 3, None)
    whole = local_freeness(action_from_generators(rotations(two, [x, y, z], two.coordinates[3:])))
    parallel = dict(zip(two.coordinates[3:], (2 * x, 2 * y, 2 * z), strict=True))
    assert whole.singular
    vanish(*substitute(list(whole.singular), parallel))
    assert is_zero(whole.singular[0]).holds is False


# -- invariance --------------------------------------------------------------------------------------------------
TURN: Action = action_from_generators({"turn": rotation(PLANE, x, y)})
MOTIONS: Action = action_from_generators({**translations(PLANE), "turn": rotation(PLANE, x, y)})
RADIUS = x**2 + y**2
INVARIANT = {
    "function": (TURN, RADIUS),
    "unspecified function": (TURN, jet(Function("V", 1), (RADIUS,))),
    "Lagrangian": (MOTIONS, x.dot**2 + y.dot**2),
    "angular momentum": (TURN, x * y.dot - y * x.dot),
    "acceleration": (MOTIONS, x.dot * y.dot.dot - y.dot * x.dot.dot),
    "vector field": (TURN, scaling(PLANE, {x: 1, y: 1})),
    "one-form": (TURN, one_form(PLANE, [-y / RADIUS, x / RADIUS])),
    "area": (MOTIONS, wedge(coordinate_form(PLANE, x), coordinate_form(PLANE, y))),
    "complex structure": (MOTIONS, Endomorphism.of(PLANE, [[0, -1], [1, 0]])),
    "identity": (MOTIONS, identity(PLANE)),
}
CHANGED = {
    "function": (MOTIONS, RADIUS, "x"),
    "unspecified function": (TURN, jet(Function("V", 2), (x, y)), "turn"),
    "Lagrangian": (MOTIONS, x.dot**2 + 2 * y.dot**2, "turn"),
    "angular momentum": (MOTIONS, x * y.dot - y * x.dot, "x"),
    "acceleration": (MOTIONS, x.dot * y.dot.dot + y.dot * x.dot.dot, "turn"),
    "vector field": (TURN, VectorField.of(PLANE, [x, 0]), "turn"),
    "one-form": (TURN, d(x, PLANE), "turn"),
    "area": (MOTIONS, Form.of(PLANE, 2, {(0, 1): x}), "x"),
    "complex structure": (MOTIONS, outer(coordinate_field(PLANE, x), coordinate_form(PLANE, x)), "turn"),
}


@pytest.mark.parametrize(("action", "thing"), INVARIANT.values(), ids=INVARIANT.keys())
def test_what_is_invariant(action: Action, thing: Expr | VectorField | Form | Endomorphism) -> None:
    assert is_invariant(action, thing).holds is True
    assert is_invariant(action, thing, effort=5).kind == "proved"


@pytest.mark.parametrize(("action", "thing", "name"), CHANGED.values(), ids=CHANGED.keys())
def test_what_is_not_invariant(action: Action, thing: Expr | VectorField | Form | Endomorphism, name: str) -> None:
    verdict = is_invariant(action, thing)
    assert verdict.kind == "refuted"
    assert verdict.evidence.startswith(f"generator {name}, component ")


def test_prolongation_is_the_complete_lift() -> None:
    field = VectorField.of(PLANE, [x**2 * y, sin(x) * k])
    lagrangian = x.dot**2 * y + x * y.dot**3
    vanish(prolonged(field, lagrangian) - complete_lift(field)(lagrangian))
    assert is_zero(prolonged(field, lagrangian) - field(lagrangian)).holds is False
    t = symbol(TIME)
    slower = VectorField.of(Chart.of(t, x), [2 * t, x])  # x by e, t by e^2: x' by 1/e and x'' by 1/e^3
    vanish(prolonged(slower, x.dot.dot) + 3 * x.dot.dot, prolonged(slower, x.dot) + x.dot, prolonged(slower, t) - 2 * t)


def test_many_zeros_in_one_verdict() -> None:
    hard = log(x * y) - log(x) - log(y)
    turn = sin(x) ** 2 + cos(x) ** 2 - 1
    assert all_vanish({"a": RADIUS - x**2 - y**2, "b": turn}).kind == "certain"
    assert ProofBudget(5).all_vanish({"a": turn}).kind == "proved"
    assert all_vanish({"fine": turn, "odd": hard, "bad": x}).evidence.startswith("bad: ")
    assert all_vanish({"fine": ZERO, "nowhere real": sqrt(-1 - x**2)}).kind == "undecided"


# -- invariant fields --------------------------------------------------------------------------------------------
def test_invariant_fields_in_other_coordinates() -> None:
    """The affine group of the line with the logarithm of its scale as coordinate, and away from the origin."""
    s = symbol("s")
    chart = Chart.of(x, s, r)
    action = action_from_generators(
        {"shift": VectorField.of(chart, {x: 1}), "scale": VectorField.of(chart, {x: x, s: 1})}
    )
    found = invariant_fields(action)
    expected = [VectorField.of(chart, {x: exp(s)}), VectorField.of(chart, {s: 1})]
    vanish(*(c for one, two in zip(found.fields, expected, strict=True) for c in (one - two).components))
    moved = invariant_fields(action, {x: 1})
    put = {x: number(1), s: ZERO}
    assert as_matrix(substitute(row, put) for row in moved.matrix) == as_matrix([[1, 0], [0, 1]])
    for a, b in product(range(2), repeat=2):
        C = action.algebra.constants[a][b]
        for fields in (found.fields, moved.fields):
            rest = bracket(fields[a], fields[b]) - combination(zip(C, fields, strict=True))
            vanish(*rest.components)


def test_invariant_fields_where_a_coordinate_is_a_scale() -> None:
    """Positive coordinates are 1 at the neutral element, and their reciprocals are looked for."""
    scale = symbol("scale", domain="positive")
    chart = Chart.of(x, y, scale)
    action = action_from_generators(
        {
            "e1": VectorField.of(chart, {x: 1}),
            "e2": VectorField.of(chart, {y: 1}),
            "e3": VectorField.of(chart, {x: x, y: -y, scale: scale}),
        }
    )
    expected = [{x: scale}, {y: 1 / scale}, {scale: scale}]
    for one, two in zip(invariant_fields(action).fields, expected, strict=True):
        vanish(*(one - VectorField.of(chart, two)).components)


def test_invariant_fields_with_parameters() -> None:
    chart = se2().chart
    fields = dict(
        zip(("e1", "e2", "e3"), se2().action().change_basis([[1, mu, 0], [0, 1, 0], [0, 0, 1]]).generators, strict=True)
    )
    found = invariant_fields(action_from_generators(fields))
    expected = combination([(number(1), se2().body[0]), (mu, se2().body[1])])
    vanish(*(found.fields[0] - expected).components)
    assert found.fields[0].chart == chart


def test_invariant_fields_that_are_not_found_are_refused() -> None:
    with pytest.raises(ExpressionError, match="the action is free"):
        invariant_fields(action_from_generators(rotations(SPACE, [x, y, z])))
    with pytest.raises(ExpressionError, match="move the 4 coordinates"):
        invariant_fields(quaternions().action())
    twisted = {"e1": VectorField.of(SPACE, {x: 1, y: z})}
    with pytest.raises(ExpressionError, match="move the 2 coordinates"):
        invariant_fields(action_from_generators(twisted))
    gauge = {"e1": VectorField.of(PLANE, {x: y + 2})}
    with pytest.raises(ExpressionError, match="e1 depends on y, which it does not move"):
        invariant_fields(action_from_generators(gauge))
    # the same group as above, but with the scale itself as coordinate: entries 1/r would be needed
    half = symbol("u", domain="positive")
    chart = Chart.of(x, half)
    cube = {"shift": VectorField.of(chart, {x: 1}), "scale": VectorField.of(chart, {x: x, half: sqrt(half)})}
    with pytest.raises(ExpressionError, match="are not polynomials, sines, cosines or exponentials of x, u"):
        invariant_fields(action_from_generators(cube))
