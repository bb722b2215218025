"""Constrained motion by several derivations, the numbers of known systems, and the derivation that is wrong."""

from dataclasses import replace
from fractions import Fraction

import pytest
from nonholonomic_systems import drifting_line, falling_disc, pushed_particle, sloping_particle, turning_table

from dalembert.errors import HypothesisError
from dalembert.expr import TIME, ZERO, evaluate, gradient, hessian, substitute, symbol, tangent
from dalembert.expr.elementary import cos, sin
from dalembert.expr.graph import total
from dalembert.expr.readers.rationals import Rationals
from dalembert.expr.truth import is_zero
from dalembert.gallery import load
from dalembert.geometry.forms import coordinate_form, d, interior, wedge
from dalembert.mechanics.lagrangian import euler_lagrange
from dalembert.mechanics.nonholonomic import projection
from dalembert.mechanics.nonholonomic.formalism import FORMALISM
from dalembert.mechanics.nonholonomic.fundamental_form import fundamental_form
from dalembert.mechanics.nonholonomic.linear_constraints import derive
from dalembert.model.system import System
from dalembert.model.table import Table

SYSTEMS = {
    "skate on an incline": lambda: load("skateboard"),
    "z' = x y x' in a potential": lambda: load("particle-in-potential"),
    "affine in time": lambda: load("affine-time"),
    "ball on a turning table": turning_table,
    "falling disc": falling_disc,
    "pushed particle": pushed_particle,
}
ONE_HALF = Fraction(1, 2)


def at(result, **values):
    """Return a reader at a point of the constraint, coordinates and velocities by name ("vx" is x')."""
    point = {symbol(TIME): Fraction(values.pop("t", 0))}
    for q in result.system.q:
        point[q] = Fraction(values[q.data.name])
        if f"v{q.data.name}" in values:
            point[q.dot] = Fraction(values[f"v{q.data.name}"])
    return lambda expressions: evaluate(list(expressions), Rationals(point))


def given_velocities(result):
    q = result.system.q
    return {q[a].dot: result.in_coordinates.kinematics[q[a]] for a in result.distribution.dependent}


def same(left, right):
    return all(is_zero(a - b).holds is True for a, b in zip(left, right, strict=True))


def differs(left, right):
    return any(is_zero(a - b).holds is False for a, b in zip(left, right, strict=True))


def decided(result, name):
    """Return the only claim of a theorem or law."""
    (claim,) = (c for row in (*FORMALISM.theorems, *FORMALISM.laws) if row.name == name for c in row.claims(result))
    return claim


# -- four derivations ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.thorough("ball on a turning table")
@pytest.mark.thorough("affine in time", "falling disc")
def test_four_derivations_meet(name):
    system = SYSTEMS[name]()
    result = derive(system)
    assert decided(result, "multipliers").verdict.holds is decided(result, "energy balance").verdict.holds is True
    for law in ("Sarlet-Cantrijn-Saunders equations", "fundamental form", "projection"):
        assert decided(result, law).verdict.holds is True, law
    form = fundamental_form(system, result.distribution.dependent)
    assert same(form.accelerations(), result.acceleration)
    projected = substitute(list(projection.project(system).accelerations), given_velocities(result))
    assert same([projected[i] for i in result.distribution.independent], result.acceleration)
    # the dependent accelerations of the projected field are those that keep the constraint
    rates = {symbol(TIME): 1 + ZERO, **result.in_coordinates.rates()}
    wanted = tangent([result.in_coordinates.kinematics[system.q[a]] for a in result.distribution.dependent], rates)
    assert same([projected[a] for a in result.distribution.dependent], wanted)


def pushed(equations):
    """Return the equations of another motion."""
    first, *rest = equations.force
    return replace(equations, force=(first + symbol("y"), *rest))


@pytest.mark.parametrize("name", ["skate on an incline", "affine in time"])
def test_another_motion_is_refuted_by_every_derivation(name):
    result = derive(SYSTEMS[name]())
    wrong = replace(result, equations=pushed(result.equations), plain=result.plain and pushed(result.plain))
    for theorem in ("multipliers", "energy balance", "Sarlet-Cantrijn-Saunders equations", "fundamental form"):
        assert decided(wrong, theorem).failed, theorem
    assert decided(wrong, "projection").failed


def test_large_systems_are_not_asked_for_the_laws_that_cost_more_than_the_motion():
    snake = derive(load("wheeled-snake:8"))
    for law in ("fundamental form", "projection"):
        said = decided(snake, law)
        assert (said.failed, said.verdict.kind) == (False, "undecided")


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_kernel_of_the_fundamental_form_is_larger_than_the_motion(name):
    system = SYSTEMS[name]()
    result = derive(system)
    form = fundamental_form(system, result.distribution.dependent)
    rank = form.kernel()
    assert rank.rank == 2 * result.distribution.rank
    assert form.chart.dimension - rank.rank == 1 + len(system.constraints)
    for field in form.kernel_fields():
        assert interior(field, form.omega).is_zero().holds is True
    # so there are further fields with dt = 1 in the kernel, which break the constraint
    other = replace(form, at_rest=form.at_rest + form.kernel_fields()[0])
    lifted = [f + k for f, k in zip(result.acceleration, form.kernel_fields()[0].components[-form.rank :], strict=True)]
    assert other.verdict(lifted).holds is True


def with_the_other_sign(form):
    """dtheta - psi ^ dt."""
    return replace(form, omega=d(form.cartan) - wedge(form.psi, coordinate_form(form.chart, symbol(TIME))))


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_other_sign_of_psi_is_refuted(name):
    system = SYSTEMS[name]()
    result = derive(system)
    form = with_the_other_sign(fundamental_form(system, result.distribution.dependent))
    assert form.verdict(result.acceleration).holds is False


def test_the_vertical_disc_cannot_tell_the_sign_of_psi():
    system = load("vertical-rolling-disc")
    result = derive(system)
    form = fundamental_form(system, result.distribution.dependent)
    assert form.psi.is_zero().holds is True
    assert with_the_other_sign(form).verdict(result.acceleration).holds is True


def test_another_field_is_not_in_the_kernel():
    result = derive(load("particle-in-potential"))
    form = fundamental_form(result.system, result.distribution.dependent)
    wrong = (result.acceleration[0] + result.system.q[1], result.acceleration[1])
    assert form.verdict(wrong).holds is False


def test_the_projection_splits_the_tangent_space():
    system = load("snakeboard")
    split = projection.project(system)
    functions = [c.expression for c in system.constraints.values()]
    matrix = [[field(f) for field in split.directions] for f in functions]
    for row, printed in zip(matrix, split.matrix, strict=True):
        assert same(row, printed)
    assert split.admissible.kind == split.compatible.kind == "proved"
    put = given_velocities(derive(system))
    assert same(substitute(split.field.apply(functions), put), [ZERO] * len(functions))
    assert differs(substitute(split.free.apply(functions), put), [ZERO] * len(functions))


def test_a_singular_lagrangian_has_no_free_motion_to_project():
    system = load("heisenberg")
    with pytest.raises(HypothesisError, match="not regular without the constraints"):
        projection.project(system)
    result = derive(system)
    assert decided(result, "fundamental form").verdict.holds
    said = decided(result, "projection")
    assert said.verdict.kind == "undecided"
    assert "not regular without the constraints" in said.verdict.evidence


@pytest.mark.parametrize(
    ("lagrangian", "constraint"),
    [
        ("(x'^2 - y'^2)/2", "x' = y'"),  # the null direction of an indefinite metric
        ("x'*y'^2/2 + x'*y'", "x' = 0"),  # C = x'/(1 + y')^2 vanishes on the constraint, and only there
    ],
)
def test_constraints_that_are_not_compatible_are_refused(lagrangian, constraint):
    system = System.of(name="light", coordinates="x y", lagrangian=lagrangian, constraints={"c": constraint})
    with pytest.raises(HypothesisError, match="not compatible"):
        projection.project(system)
    assert projection.project(system.but(constraints={"c": "2*x' = y' + 1"})).compatible.holds is True


def test_constraints_that_say_the_same_twice_are_not_admissible():
    system = sloping_particle()
    (slope,) = system.constraints.values()
    assert projection.project(system).admissible.holds is True
    with pytest.raises(HypothesisError, match=r"not admissible: the forms .* have rank 1 of 2"):
        projection.project(replace(system, constraints=Table({"slope": slope, "again": slope})))


def test_nonlinear_constraints_are_not_projected():
    system = sloping_particle().but(constraints={"speed": "x'^2 + y'^2 = 1"}, fibration=None)
    with pytest.raises(HypothesisError, match="'speed' is not linear"):
        projection.project(system)


# -- numbers ---------------------------------------------------------------------------------------------------
def test_particle_in_a_potential():
    result = derive(load("particle-in-potential"))
    read = at(result, x=1, y=2, z=ONE_HALF, vx=1, vy=-1)
    assert read(result.acceleration) == [Fraction(-41, 20), -1]
    assert read(result.constraint_curvature[0]) == [-1, -1]
    assert is_zero(result.energy_rate).holds is True


def test_affine_in_time():
    result = derive(load("affine-time"))
    read = at(result, t=1, x=1, y=2, z=ONE_HALF, vx=1, vy=-1)
    assert read(result.acceleration) == [Fraction(-94, 31), Fraction(-174, 31)]
    assert read(result.constraint_curvature[0]) == [-3, Fraction(-7, 2)]
    assert read([result.equations.kinematics[result.system.q[2]]]) == [Fraction(7, 2)]
    # the energy of Lbar, not that of L: v dLbar/dv - Lbar
    sode = result.sode
    bar = result.constrained_lagrangian
    slopes = gradient(bar, sode.velocities)
    energy = total([*((1, v * p) for v, p in zip(sode.velocities, slopes, strict=True)), (-1, bar)])
    assert read([sode.field(energy)]) == [Fraction(-115, 2)]


def test_drifting_line():
    result = derive(drifting_line())
    t, (x, z) = symbol(TIME), result.system.q
    assert same(result.acceleration, [-t * x.dot / (1 + t**2)])
    assert same(result.constraint_curvature[0], [1 + ZERO])
    sode = result.sode
    assert same(sode.field.apply([z - t - (1 + t**2) * x.dot]), [ZERO])
    assert differs(sode.field.apply([z + t - (1 + t**2) * x.dot]), [ZERO])


def test_ball_on_a_turning_table():
    system = turning_table()
    result = derive(system)
    x, y = system.q[0], system.q[1]
    m, J, r, Om = system.parameters
    vx, vy = result.equations.kinematics[x], result.equations.kinematics[y]
    rates = {**result.equations.rates(), symbol(TIME): 1 + ZERO}
    ax, ay = tangent([vx, vy], rates)
    rate = Om * J / (J + m * r**2)
    assert same([ax, ay], [-rate * vy, rate * vx])
    assert same([result.energy_rate], [m * Om * rate * (x * vx + y * vy)])
    assert decided(result, "energy conserved").verdict.holds is False
    assert decided(result, "energy balance").verdict.holds is True
    # the power of the constraint force: it pushes with m a where the table moves with Om x r
    assert same([result.energy_rate], [m * ax * (-Om * y) + m * ay * (Om * x)])


# -- the wrong derivation ------------------------------------------------------------------------------------------
def put_into_lagrangian(result):
    """Return the accelerations that Euler-Lagrange's equations of Lbar would give."""
    free = [result.system.q[i] for i in result.distribution.independent]
    names = {q.data.name: result.system.coordinates[q] for q in free}
    table = {p.data.name: value for p, value in result.system.parameters.items()}
    short = System.of(name="short", coordinates=names, parameters=table, lagrangian=result.constrained_lagrangian)
    rates = euler_lagrange.derive(short).equations.rates()
    return [rates[q.dot] for q in free]


def lost_force(result):
    """C^a_alpha p_a."""
    pairs = [
        zip(column, result.constraint_momenta, strict=True) for column in zip(*result.constraint_curvature, strict=True)
    ]
    return [total([(1, c * p) for c, p in pair]) for pair in pairs]


@pytest.mark.parametrize("make", [falling_disc, sloping_particle])
def test_constraints_put_into_the_lagrangian_give_another_motion(make):
    result = derive(make())
    claim = decided(result, "constrained Lagrangian suffices")
    assert claim.verdict.kind == "refuted"
    assert not claim.failed  # a question: the answer no is a result
    wrong = put_into_lagrangian(result)
    assert differs(wrong, result.acceleration)
    # the difference has a name: Hessian (f - wrong) = C p
    free = [result.system.q[i].dot for i in result.distribution.independent]
    mass = hessian(result.constrained_lagrangian, free)
    gap = [f - w for f, w in zip(result.acceleration, wrong, strict=True)]
    pushed = [total([(1, h * g) for h, g in zip(row, gap, strict=True)]) for row in mass]
    assert same(pushed, lost_force(result))
    # and the motion that is shown as wrong is that of Euler and Lagrange for what was put in
    shown = FORMALISM.mistaken(result).equations
    assert same([shown.rates()[v] for v in free], wrong)
    assert not shown.pivots or shown.saddle_form is None  # nothing else takes its place where it fails


@pytest.mark.thorough
def test_on_the_vertical_disc_it_happens_to_be_right():
    result = derive(load("vertical-rolling-disc"))
    claim = decided(result, "constrained Lagrangian suffices")
    assert claim.verdict.holds is True
    assert same(lost_force(result), [ZERO, ZERO])
    assert FORMALISM.mistaken(result) is None
    assert same(put_into_lagrangian(result), result.acceleration)
    # although the constraints are not holonomic
    assert result.objects()["involutive"] is False


def test_constraints_put_into_the_lagrangian_lose_the_weight_but_for_slopes_along_what_they_allow():
    """A penny that rolls down a slope: Lbar depends on x, which the angles do not tell, so that C p = 0 is not all."""
    disc = load("vertical-rolling-disc")
    result = derive(disc.but(lagrangian="(x'^2 + y'^2)/2 + I1*phi'^2/2 + I2*psi'^2/2 - x"))
    claim = decided(result, "constrained Lagrangian suffices")
    assert claim.verdict.holds is True
    assert "derivatives along the allowed directions" in claim.statement
    free = [result.system.q[i] for i in result.distribution.independent]
    given = [result.system.q[a] for a in result.distribution.dependent]
    rates = {**dict(zip(free, [q.dot for q in free], strict=True)), **result.equations.rates()}
    momenta = gradient(result.constrained_lagrangian, [q.dot for q in free])
    turned = [tangent([p], rates)[0] for p in momenta]
    plain, lost = (gradient(result.constrained_lagrangian, some) for some in (free, given))
    columns = list(zip(*result.distribution.coefficients, strict=True))
    along = [total([(1, b * slope) for b, slope in zip(column, lost, strict=True)]) for column in columns]
    assert same(turned, [total([(1, a), (1, b)]) for a, b in zip(plain, along, strict=True)])
    assert differs(turned, plain)


def test_objects_have_the_names_of_the_json():
    disc = derive(load("vertical-rolling-disc")).objects()
    assert disc["growth_vector"] == [2, 3, 4]
    assert same([disc["sode_connection"]["phi"]["psi"]], [ZERO])
    affine = derive(load("affine-time")).objects()
    assert "growth_vector" not in affine  # the directions at one instant are not the constraint
    particle = derive(load("particle-in-potential"))
    phi = particle.objects()["jacobi_endomorphism"]
    read = at(particle, x=1, y=2, z=ONE_HALF, vx=1, vy=-1)
    assert read(phi["phi"]["x"].values()) == [Fraction(149, 50), Fraction(31, 100), 1]
    assert read(phi["phi"]["y"].values()) == [3, 0, 1]
    assert read(phi["psi"]["z"].values()) == [-1, -1]


def test_constraint_forces_are_monitors():
    """The equations m b'' = F_b, c'' = F_c of a motion with one affine constraint that depends on time."""
    system = System.of(
        name="drifting rail",
        coordinates={"a": "angle", "b": "real", "c": "real"},
        parameters={"m": 2},
        lagrangian="(a'^2 + m*b'^2 + c'^2)/2",
        constraints={"rail": "c' = sin(a)*b' + t"},
        fibration={"dependent": ["c"]},
    )
    result = derive(system)
    monitors = result.equations.monitors
    assert set(monitors) == {"energy", "multiplier rail", "constraint force b", "constraint force c"}
    acceleration = result.acceleration[1]
    mass = next(iter(system.defaults))
    assert is_zero(monitors["constraint force b"] - mass * acceleration).holds
    assert not is_zero(monitors["constraint force b"] + mass * acceleration).holds
    a, b, _ = system.q
    along = sin(a) * acceleration + cos(a) * a.dot * b.dot + 1  # c'' by the constraint
    assert is_zero(monitors["constraint force c"] - along).holds
    assert not is_zero(monitors["constraint force c"] - along + 1).holds
