"""The affine side of Chaplygin systems: connections on base and total space, propositions, and their wrong twins."""

from itertools import product

import pytest
from affine_bases import (
    PLANE,
    X,
    Y,
    bent_carriage,
    entries,
    epsilon,
    fixed_robot,
    parameters,
    particle,
    reduced,
    robot,
    skew,
    sloped,
)
from chaplygin_systems import decided, verdicts

from dalembert import gallery
from dalembert.errors import ExpressionError
from dalembert.expr import ZERO, Expr, diff, jet, number, substitute
from dalembert.expr.elementary import solve
from dalembert.expr.symbols import Function
from dalembert.expr.truth import Verdict, agreement, is_zero
from dalembert.expr.truth.many import all_vanish
from dalembert.geometry.connections import AffineConnection, metricity, torsion
from dalembert.geometry.fields import VectorField, combination
from dalembert.mechanics.chaplygin.chaplygin import derive
from dalembert.mechanics.chaplygin.connections import total
from dalembert.mechanics.chaplygin.connections.base import AffineBase, cube_difference, transposed
from dalembert.mechanics.chaplygin.connections.propositions import (
    LAWS,
    THEOREMS,
    affine_objects,
    metric_defects,
    nonholonomic_connection_of,
)
from dalembert.mechanics.chaplygin.connections.total import PROJECTION_LAWS, Projection
from dalembert.mechanics.chaplygin.formalism import FORMALISM
from dalembert.mechanics.chaplygin.measure.density import measure_objects
from dalembert.mechanics.chaplygin.reduction import ChaplyginReduction
from dalembert.mechanics.registry import claims
from dalembert.model.claim import Claim
from dalembert.model.system import System


def base_of(reduction: ChaplyginReduction) -> AffineBase:
    base = reduction.affine_base
    assert base is not None
    return base


def same(left: Expr, right: Expr | int) -> bool:
    return is_zero(left - right).holds is True


def all_claims(system: System) -> list[Claim]:
    """Theorems and laws, decided on a system."""
    found = derive(system)
    return [*claims(found), *decided(FORMALISM.laws, found)]


def checks_hold(claims: list[Claim]) -> None:
    assert [(c.name, str(c.verdict)) for c in claims if c.role == "check" and c.verdict.holds is not True] == []


# -- the examples of the paper -------------------------------------------------------------------------------------
@pytest.mark.thorough
def test_two_wheeled_robot_has_the_symbols_of_the_paper() -> None:
    reduction = robot()
    base = base_of(reduction)
    m, m0, l, J, J2, R, c = parameters("m m0 l J J2 R c")  # noqa: E741 - the names of the paper
    A = m0 * l * R**3 / (4 * c**2)
    below = 4 * c**2 * (2 * J2 * c**2 + J * R**2) * (2 * J2 + m * R**2)
    K1 = m0 * l * R**5 * (J - m * c**2) / below
    K2 = m0 * l * R**3 * (4 * J2 * c**2 + (J + m * c**2) * R**2) / below
    for (a, b, e), value in entries(base.tensor).items():
        wanted = {(0, 0, 1): A, (1, 1, 0): A, (0, 1, 0): -A, (1, 0, 1): -A}.get((a, b, e), ZERO)
        assert same(value, wanted)
    wanted_symbols = {
        (0, 0, 0): K1, (0, 0, 1): -K2, (0, 1, 0): -K1, (0, 1, 1): K2,
        (1, 0, 0): K2, (1, 0, 1): -K1, (1, 1, 0): -K2, (1, 1, 1): K1,
    }  # fmt: skip
    for place, value in entries(base.reduced.symbols).items():
        assert same(value, wanted_symbols[place])
    # the printed K1, with J and J2 exchanged, is another number
    assert is_zero(base.reduced.symbols[0][0][0] - m0 * l * R**5 * (J2 - m * c**2) / below).holds is False
    said_all = all_claims(gallery.load("two-wheeled-robot"))
    checks_hold(said_all)
    said = verdicts(said_all)
    assert said["gyroscopic force vanishes"] is said["Hamel's contorsion is skew"] is False
    assert said["reduced connection is Levi-Civita's"] is False
    point = {m: 3, m0: 2, l: number(1) / 2, J: 1, J2: 1, R: 1, c: 1}
    at = substitute(list(base.accelerations()), {p: number(0) + v for p, v in point.items()})
    speeds = dict(zip(base.velocities, (number(1), number(3)), strict=True))
    first, second = substitute(at, speeds)
    assert same(first, number(-13) / 15)
    assert same(second, number(7) / 15)


def test_all_connections_of_the_robot_of_fixed_orientation_coincide() -> None:
    reduction = reduced(fixed_robot())
    base = base_of(reduction)
    for connection in (base.reduced, base.hamel_1, base.hamel_2, base.hamel_mean):
        assert all(same(value, 0) for value in entries(connection.symbols).values())  # flat, as Levi-Civita's here
    said_all = all_claims(fixed_robot())
    checks_hold(said_all)
    said = verdicts(said_all)
    assert all(said[row.name] is True for row in THEOREMS)
    assert said["gyroscopic force vanishes"] is True
    assert said["free motions obey the constraints"] is False  # the wheels do push, though not on the base


def test_particle_with_any_slope() -> None:
    f = jet(Function("f", 2), (X, Y))
    base = sloped(f)
    fx, fy, square = diff(f, X), diff(f, Y), 1 + f**2
    wanted = {(0, 0, 0): f * fx / square, (0, 1, 0): f * fy / square}
    for place, value in entries(base.reduced.symbols).items():
        assert same(value, wanted.get(place, ZERO))
    contorsion = {(1, 0, 0): f * fy, (0, 0, 1): -f * fy / square}
    for place, value in entries(base.contorsion_hamel).items():
        assert same(value, contorsion.get(place, ZERO))
    checks_hold(decided(LAWS, base))
    x, y = base.velocities
    alpha = (-f * fy * x * y, f * fy * x**2)
    assert all(same(one, two) for one, two in zip(base.gyroscopic_form, alpha, strict=True))


@pytest.mark.thorough
def test_a_vanishing_force_does_not_make_the_connection_that_of_the_metric() -> None:
    reduction = reduced(skew())
    base = base_of(reduction)
    (s,) = parameters("s")
    for (a, b, e), value in entries(base.tensor).items():
        assert same(value, s * epsilon(a, b, e))
    for (e, a, b), value in entries(base.reduced.symbols).items():
        assert same(value, -s * epsilon(a, b, e) / 2)
    assert substitute([base.reduced.symbols[2][0][1]], {s: number(1) / 3})[0] is number(-1) / 6
    said_all = all_claims(skew())
    checks_hold(said_all)
    said = verdicts(said_all)
    assert said["gyroscopic force vanishes"] is said["Hamel's contorsion is skew"] is True
    assert said["mean of Hamel's connections is Levi-Civita's"] is True
    assert said["reduced connection is Levi-Civita's"] is said["reduced connection is the mean of Hamel's"] is False
    for one, two in zip(base.accelerations(), base.accelerations(base.levi_civita), strict=True):
        assert same(one, two)  # yet the same geodesics


SYSTEMS = {"xy": particle("x*y"), "potential": particle("y", "x^2*cos(y)"), "se2": bent_carriage()}


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=SYSTEMS)
@pytest.mark.thorough("se2")
def test_every_claim_holds(system: System) -> None:
    said_all = all_claims(system)
    checks_hold(said_all)
    wanted = {row.name for row in (*THEOREMS, *LAWS, *total.LAWS, *PROJECTION_LAWS)}
    assert wanted <= set(verdicts(said_all))
    assert "gyroscopic forms from Hamel's contorsion: Xi" in verdicts(said_all)


# -- the definition of nabla~, for independent fields ----------------------------------------------------------------
def test_reduced_connection_by_its_definition_on_any_two_fields() -> None:
    reduction = reduced(particle("x*y + y^2"))
    base, bar = base_of(reduction), nonholonomic_connection_of(reduction)
    assert bar is not None
    functions = [jet(Function(name, 2), (X, Y)) for name in ("a", "b", "c", "e")]
    left, right = VectorField(PLANE, tuple(functions[:2])), VectorField(PLANE, tuple(functions[2:]))

    def lift(field: VectorField) -> VectorField:
        return combination(zip(field.components, bar.fields, strict=True))

    for one, two in ((left, right), (right, left), (left, left)):
        up, down = bar.derivative(lift(one), lift(two)), base.reduced.derivative(one, two)
        for q, value in zip(PLANE.coordinates, down.components, strict=True):
            assert same(up(q), value)
    # the symmetric part alone does not tell: with the sign of C turned it still is a connection for the same motion
    assert (
        is_zero(bar.derivative(lift(left), lift(right))(X) - twin(base).derivative(left, right).components[0]).holds
        is False
    )


def twin(base: AffineBase) -> AffineConnection:
    """nabla~ with the wrong sign of C."""
    size = range(base.dimension)
    g, c = base.reduced.symbols, base.koiller_tensor
    return AffineConnection.of(base.chart, [[[g[k][a][b] + c[k][a][b] for b in size] for a in size] for k in size])


def test_the_wrong_sign_of_c_moves_the_same_way_and_is_refuted() -> None:
    reduction = robot()
    base, bar = base_of(reduction), nonholonomic_connection_of(reduction)
    assert bar is not None
    wrong = twin(base)
    for one, two in zip(base.accelerations(wrong), base.accelerations(), strict=True):
        assert same(one, two)
    assert metricity(wrong, base.metric).holds is False
    assert all_vanish(metric_defects(base, wrong)).holds is False
    swapped = AffineBase(base.chart, base.metric, base.tensor)
    object.__setattr__(swapped, "reduced", wrong)  # as if the formula had been written so
    object.__setattr__(swapped, "torsion", torsion(wrong))
    generators = dict(zip("abc", reduction.generators, strict=True))
    found = verdicts(decided(PROJECTION_LAWS, Projection(bar, swapped, base.chart.coordinates, generators)))
    assert found["reduced connection by its definition"] is found["torsion projects to the base"] is False
    assert found["reduced metric"] is True


def test_hamels_second_connection_is_the_transposed_one() -> None:
    base = base_of(robot())
    assert metricity(base.hamel_1, base.metric).holds is True
    assert metricity(base.hamel_2, base.metric).holds is False
    flipped = cube_difference(base.hamel_2.symbols, base.levi_civita.symbols)
    rest = cube_difference(flipped, transposed(base.contorsion_hamel))
    assert all(same(value, 0) for value in entries(rest).values())
    assert any(not same(value, 0) for value in entries(cube_difference(flipped, base.contorsion_hamel)).values())


def test_k_must_be_skew_in_its_last_slots() -> None:
    with pytest.raises(ExpressionError, match=r"skew in its last two slots"):
        AffineBase.of(PLANE, [[1, 0], [0, 1]], [[[0, X], [X, 0]], [[0, 0], [0, 0]]])
    with pytest.raises(ExpressionError, match=r"square matrix"):
        AffineBase.of(PLANE, [[1, 0]], [[[0, X], [-X, 0]], [[0, 0], [0, 0]]])


def test_k_from_another_curvature_is_refuted_on_the_total_space() -> None:
    reduction = reduced(particle("y"))
    base, bar = base_of(reduction), nonholonomic_connection_of(reduction)
    assert bar is not None
    doubled = tuple(tuple(tuple(2 * e for e in row) for row in square) for square in base.tensor)
    wrong = AffineBase.of(base.chart, base.metric, doubled)
    one = Projection(bar, wrong, base.chart.coordinates, {"up": reduction.generators[0]})
    found = verdicts(decided(PROJECTION_LAWS, one))
    assert found["metric connection tensor"] is found["reduced connection by its definition"] is False
    checks_hold(decided(LAWS, wrong))  # as a base it is as good as any


# -- the appendix ----------------------------------------------------------------------------------------------------
def test_the_printed_formulas_of_the_appendix_are_refuted() -> None:
    base = base_of(robot())
    checks_hold(decided(LAWS, base))
    size, g = range(2), base.metric
    t, plain = base.torsion, base.levi_civita.symbols
    low = [[[sum((g[d][c] * t[c][a][b] for c in size), ZERO) for b in size] for a in size] for d in size]

    def raised(lowered: list[Expr]) -> list[Expr]:
        return list(solve(g, lowered))

    # printed: G^A_BC - (1/2) g^AK (T_KBC + T_BCK + T_CBK)
    cube = [[[ZERO] * 2 for _ in size] for _ in size]
    for a, b in product(size, repeat=2):
        shift = raised([-(low[k][a][b] + low[a][b][k] + low[b][a][k]) / 2 for k in size])
        for c in size:
            cube[c][a][b] = plain[c][a][b] + shift[c]
    printed = AffineConnection.of(base.chart, cube)
    assert metricity(printed, g).holds is False
    turned = torsion(printed)
    assert all(same(turned[c][a][b] + t[c][a][b], 0) for c, a, b in product(size, repeat=3))  # its torsion is -T
    assert any(not same(turned[c][a][b] - t[c][a][b], 0) for c, a, b in product(size, repeat=3))
    # printed: S from T with all signs minus
    minus = [raised([-(low[y][0][1] + low[0][y][1] + low[1][0][y]) / 2 for y in size])]
    assert any(not same(minus[0][c], base.contorsion[c][0][1]) for c in size)
    # printed: the sum over B < C loses the squares of velocities
    v = base.velocities
    lost = raised([(low[0][1][k] + low[1][0][k]) * v[0] * v[1] for k in size])
    whole = [a - b for a, b in zip(base.accelerations(), base.accelerations(base.levi_civita), strict=True)]
    assert any(not same(one, two) for one, two in zip(lost, whole, strict=True))


# -- what cannot be done ---------------------------------------------------------------------------------------------
def test_a_lagrangian_that_is_not_mechanical_has_no_affine_side() -> None:
    magnetic = System.of(
        name="charged particle",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + z'^2)/2 + x*y'",
        constraints={"slope": "z' = y*x'"},
        symmetry={"up": {"z": 1}},
    )
    reduction = reduced(magnetic)
    said = verdicts(all_claims(magnetic))
    assert said["mechanical"] is False
    assert not said.keys() & {row.name for row in (*THEOREMS, *LAWS, *total.LAWS, *PROJECTION_LAWS)}
    assert affine_objects(reduction) == {}
    assert nonholonomic_connection_of(reduction) is None


def test_a_large_base_is_left_open_and_said_to_be() -> None:
    names = [f"q{k}" for k in range(1, 9)]
    squares = " + ".join(f"{name}'^2" for name in [*names, "z"])
    large = System.of(
        name="large",
        coordinates=" ".join([*names, "z"]),
        lagrangian=f"({squares})/2",
        constraints={"slope": "z' = q1*q2'"},
        symmetry={"up": {"z": 1}},
    )
    reduction = reduced(large)
    found = derive(large)
    for name in ("connections", "invariant measure exists"):
        (claim,) = claims(found, only=name)
        assert (claim.role, claim.verdict.kind) == ("question", "undecided")
        assert "7 base coordinates; there are 8" in claim.verdict.evidence
    assert affine_objects(reduction) == measure_objects(reduction) == {}


def test_objects_have_the_names_of_the_json() -> None:
    found = affine_objects(reduced(particle("y")))
    assert {
        "reduced_metric", "metric_connection_tensor", "contorsion_hamel", "koiller_tensor", "reduced_connection",
        "torsion", "contorsion", "levi_civita", "hamel_1", "hamel_2",
    } == set(found)  # fmt: skip
    connection = found["reduced_connection"]
    assert isinstance(connection, dict)
    assert same(connection["x"]["y"]["x"], Y / (1 + Y**2))
    assert connection["x"]["x"]["y"] is ZERO


def test_agreement_of_verdicts() -> None:
    yes, no, open_ = Verdict("proved", "yes."), Verdict("refuted", "no."), Verdict("undecided", "who knows.")
    sure = Verdict("certain", "almost.", -80.0)
    assert agreement({"a": yes, "b": sure}).kind == "certain"
    assert agreement({"a": yes, "b": open_}).kind == "undecided"
    assert agreement({"a": yes, "b": no, "c": open_}).kind == "refuted"
    assert agreement({"a": no, "b": no}).kind == "proved"
