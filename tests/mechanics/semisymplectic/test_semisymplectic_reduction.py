"""Reduction of constrained systems whose constraints meet the orbits: shapes, momenta, and what is left of omega."""

from dataclasses import replace

import pytest

from dalembert import gallery, is_zero, parse
from dalembert.errors import DalembertError, HypothesisError
from dalembert.expr import cos, sin, symbol
from dalembert.expr.calculus import diff
from dalembert.expr.walk import symbols
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.forms import Form
from dalembert.mechanics.registry import claims
from dalembert.mechanics.semisymplectic import semisymplectic
from dalembert.mechanics.semisymplectic.manifold import SemiSymplectic
from dalembert.mechanics.semisymplectic.reduction.data import Datum, largest_datum, reduction_datum
from dalembert.mechanics.semisymplectic.reduction.principal_case import PrincipalReduction, principal_reduction
from dalembert.mechanics.semisymplectic.reduction.reduced import reduced, semisymplectic_reduction, symmetric
from dalembert.mechanics.semisymplectic.reduction.theorems import (
    SHAPE_LAWS,
    SHAPE_THEOREMS,
    datum_claims,
    reduction_claims,
)
from dalembert.mechanics.semisymplectic.subsystems import stated_subsystems, subsystem_answers
from dalembert.model.system import System


def verdicts(result):
    if isinstance(result, PrincipalReduction):
        claims = [claim for row in (*SHAPE_THEOREMS, *SHAPE_LAWS) for claim in row.claims(result)]
    else:
        claims = reduction_claims(result)
    return {claim.name: claim.verdict.holds for claim in claims}


@pytest.fixture(scope="module")
def sleigh():
    return principal_reduction(gallery.load("chaplygin-sleigh"))


def test_the_sleigh_is_reduced_to_its_momentum_equation(sleigh):
    # u' = a w^2, (I + m a^2) w' = -m a u w with the speed u of the blade and the turning rate w
    words = sleigh.system.vocabulary
    u, w = sleigh.speeds
    a, m, inertia = (parse(n, words) for n in ("a", "m", "I"))
    assert sleigh.bundle.base == ()
    assert is_zero(sleigh.momenta[0] - m * u).holds
    assert is_zero(sleigh.momenta[1] - (inertia + m * a**2) * w).holds
    assert is_zero(sleigh.momentum_rates[0] - m * a * w**2).holds
    assert is_zero(sleigh.momentum_rates[1] + m * a * u * w).holds
    assert is_zero(sleigh.momentum_rates[1] - m * a * u * w).holds is False
    assert all(verdicts(sleigh).values())


def test_the_reduced_sleigh_is_symplectic_although_the_sleigh_is_not(sleigh):
    reduced = semisymplectic_reduction(sleigh)
    assert verdicts(reduced)["reduced system is symplectic"]
    assert verdicts(reduced)["reduced motion"]
    assert reduced.manifold.chart.coordinates == sleigh.speeds
    assert semisymplectic.derive(sleigh.system).manifold.jacobi().holds is False


@pytest.mark.thorough
def test_the_snakeboard_under_planar_motions():
    found = principal_reduction(gallery.load("snakeboard"))
    assert [r.data.name for r in found.bundle.base] == ["psi", "phi1", "phi2"]
    assert found.vertical == 1
    assert all(verdicts(found).values())
    # the momentum along the orbits does not depend on the shape velocities: the frame is orthogonal
    assert all(is_zero(diff(found.momenta[0], r.dot)).holds for r in found.bundle.base)
    # it reads the position in the plane nowhere
    free = {s.name for e in (*found.momenta, *found.momentum_rates) for s in symbols([e])}
    assert free.isdisjoint({"x", "y", "theta"})


@pytest.mark.thorough
def test_a_rotor_that_lies_in_the_constraint_is_fixed_at_its_momentum():
    board = gallery.load("snakeboard")
    plane = {name: {q.data.name: c for q, c in g.components.items()} for name, g in board.symmetry.items()}
    system = board.but(symmetry={**plane, "rotor": {"psi": 1}})
    reduced = semisymplectic_reduction(principal_reduction(system))
    assert reduced.datum.momenta == ((0, 0, 0, 1),)
    assert reduced.datum.steps == 1
    assert len(reduced.datum.group) == 4
    names = [x.data.label for x in reduced.manifold.chart.coordinates]
    assert len(names) == 5
    assert {"phi1", "phi2", "phi1'", "phi2'"} < set(names)
    assert verdicts(reduced)["level set"]
    assert verdicts(reduced)["reduced motion"]


def test_a_datum_without_its_momentum_is_larger():
    board = gallery.load("vertical-rolling-disc")
    system = board.but(symmetry={"e1": {"x": 1}, "e2": {"y": 1}, "spin": {"phi": 1}})
    shapes = principal_reduction(system)
    whole = semisymplectic_reduction(shapes)
    assert whole.datum.momenta == ()
    assert len(whole.manifold.chart.coordinates) == 3
    assert verdicts(whole)["reduced motion"]
    smaller = Datum(((1, 0, 0),), (), (), {}, 0)
    assert len(semisymplectic_reduction(shapes, smaller).manifold.chart.coordinates) == 5


def test_the_particle_with_any_slope_reduces_to_a_particle_in_the_potential():
    system = System.of(
        name="tilted",
        coordinates="x y z",
        functions={"a": {"of": ["y"]}, "V": {"of": ["y"]}},
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - V(y)",
        constraints={"slope": "z' = a(y)*x'"},
        symmetry={"e1": {"x": 1}, "e2": {"z": 1}},
    )
    reduced = semisymplectic_reduction(principal_reduction(system))
    words = system.vocabulary
    xi = symbol("xi_1")
    assert reduced.canonical == ((parse("y", words), parse("y'", words)),)
    assert is_zero(reduced.energy - xi**2 * parse("(1 + a(y)^2)/2", words) - parse("y'^2/2 + V(y)", words)).holds
    (casimir,) = reduced.find_casimirs()
    assert is_zero(casimir - xi**2 * parse("1 + a(y)^2", words)).holds
    assert verdicts(reduced)["reduced system is symplectic"]


def test_casimirs_are_found_beside_the_value_of_a_momentum():
    system = System.of(
        name="tilted, with a rotor",
        coordinates="x y z s",
        parameters={"c": 0.4},
        functions={"a": {"of": ["y"]}},
        lagrangian="(x'^2 + y'^2 + z'^2 + s'^2)/2 + c*x'*s' - y^2",
        constraints={"slope": "z' = a(y)*x'"},
        symmetry={"e1": {"x": 1}, "e2": {"z": 1}, "e3": {"s": 1}},
    )
    reduced = semisymplectic_reduction(principal_reduction(system))
    (casimir,) = reduced.find_casimirs()
    assert all(is_zero(k(casimir)).holds for k in reduced.manifold.basis)


def test_without_constraints_this_is_the_classical_reduction():
    reduced = semisymplectic_reduction(principal_reduction(gallery.load("heavy-top-chart")))
    assert reduced.datum.momenta == ((1, 0), (0, 1))
    assert [x.data.label for x in reduced.manifold.chart.coordinates] == ["theta", "theta'"]
    assert verdicts(reduced)["reduced system is symplectic"]
    assert verdicts(reduced)["level set"]


def test_a_case_of_chaplygin_has_no_momenta_and_agrees_with_multipliers():
    found = principal_reduction(gallery.load("two-wheeled-robot"))
    assert found.vertical == 0
    assert verdicts(found)["multipliers in the frame"]
    assert verdicts(semisymplectic_reduction(found))["reduced system is symplectic"] is False


def test_reduction_stands_in_the_answer():
    found = semisymplectic.derive(gallery.load("chaplygin-sleigh")).objects()["reduction"]
    assert found["fibre"] == ["x", "y", "theta"]
    assert len(found["momentum_equation"]) == 2


def test_shapes_may_obey_constraints_of_their_own():
    rail = System.of(
        name="blade that turns as its carriage moves on a rail",
        coordinates={"s": "real", "x": "real", "y": "real", "th": "angle"},
        parameters={"m": 1, "J": 0.5, "k": 2},
        lagrangian="m*(x'^2 + y'^2)/2 + J*th'^2/2 + s'^2/2 - k*s^2/2",
        constraints={"blade": "y'*cos(th) = x'*sin(th)", "cable": "th' = s*s'"},
        symmetry={"e1": {"x": 1}, "e2": {"y": 1}},
    )
    found = principal_reduction(rail)
    assert [w.data.label for w in found.speeds] == ["xi_1", "s'"]
    assert [r.data.name for r in found.bundle.base] == ["s", "th"]
    assert all(verdicts(found).values())
    reduced = semisymplectic_reduction(found)
    assert verdicts(reduced)["reduced motion"]
    wrong = replace(reduced, energy=reduced.energy + found.speeds[-1] ** 2)
    assert verdicts(wrong)["reduced motion"] is False
    disc = principal_reduction(gallery.load("vertical-rolling-disc"), ["e1"])
    assert len(disc.speeds) == 2 < len(disc.bundle.base)
    assert verdicts(disc)["reduced equations close"]


def test_what_does_not_fit_is_refused():
    skew = System.of(
        name="skew",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        constraints={"rope": "z' = sqrt(x'^2 + y'^2)"},
        symmetry={"e1": {"x": 1}},
    )
    with pytest.raises(HypothesisError, match="it is nonlinear"):
        principal_reduction(skew)


def test_a_lagrangian_that_is_not_invariant_is_seen():
    tipped = gallery.load("chaplygin-sleigh")
    found = principal_reduction(tipped.but(lagrangian="(x'^2 + y'^2 + theta'^2)/2 - x"))
    assert verdicts(found)["reduced equations close"] is False


def rule(**changes):
    """A rule for virtual displacements that depends on a momentum: W contains d_x where the momentum of d_s is c."""
    return System.of(
        name="a rule that depends on a momentum",
        coordinates="x y z s",
        parameters={"c": 0.3},
        lagrangian="(x'^2 + y'^2 + z'^2 + s'^2)/2 - y^2",
        constraints={"slope": "z' = y*x'"},
        virtual={"slope": {"z": 1, "x": "-(s' - c)"}},
        symmetry={"along": {"x": 1}, "up": {"z": 1}, "spin": {"s": 1}},
    ).but(**changes)


def test_the_iteration_takes_a_second_step_on_a_special_level_set():
    system = rule()
    space = semisymplectic.derive(system).symmetric()
    c, spin = parse("c", system.vocabulary), parse("s'", system.vocabulary)
    plain = largest_datum(space, {spin: 1})
    assert (plain.momenta, plain.steps) == (((0, 0, 1),), 1)
    special = largest_datum(space, {spin: c})
    assert (special.momenta, special.steps) == (((1, 0, 0), (0, 0, 1)), 2)
    assert special.values == (symbol("x_dot_0", role="parameter"), c)
    found = reduced(space, special)
    assert [x.data.label for x in found.manifold.chart.coordinates] == ["y", "y'"]
    asked = [c for c in reduction_claims(found) if c.name.startswith(("datum", "assumption"))]
    assert len(asked) == 8
    assert all(c.verdict.holds for c in asked)
    # the same n on another level set is no datum
    wrong = reduction_datum(space, [], {"along": 2, "spin": 1})
    assert next(c.verdict.holds for c in datum_claims(space, wrong)) is False


def test_four_conditions_on_a_datum():
    body = System.of(
        name="a body in the plane",
        coordinates={"x": "real", "y": "real", "a": "angle", "r": "real"},
        lagrangian="(x'^2 + y'^2 + (1 + r^2)*a'^2 + r'^2)/2 - r^2/2",
        symmetry={"e1": {"x": 1}, "e2": {"y": 1}, "e3": {"x": "-y", "y": "x", "a": 1}},
    )
    space = symmetric(principal_reduction(body))

    def holds(group, momenta):
        return [c.verdict.holds for c in datum_claims(space, reduction_datum(space, group, momenta))]

    assert holds(["e1", "e2"], {"e1": 2, "e2": 0}) == [True] * 4
    assert holds(["e1", "e2", "e3"], {"e1": 2, "e2": 0}) == [True, True, True, False]
    assert holds(["e3"], {"e1": 2}) == [True, True, False, True]
    # the isotropy group of a symbolic momentum has coefficients in it
    first, second = (symbol(f"mu_e{i}", role="parameter") for i in (1, 2))
    ((a, b, turn),) = largest_datum(space).group
    assert is_zero(a * second - b * first).holds
    assert is_zero(turn).holds


def test_a_skate_whose_momenta_are_all_fixed_has_a_reduced_space_without_motion():
    skate = gallery.load("skateboard").but(lagrangian="m*(x'^2 + y'^2)/2 + I*phi'^2/2")
    plane = {"e1": {"x": 1}, "e2": {"y": 1}, "e3": {"x": "-y", "y": "x", "phi": 1}}
    half = semisymplectic.derive(skate.but(symmetry=plane))
    found = half.reduce()
    assert found.manifold.basis == ()
    assert found.find_casimirs() == found.manifold.chart.coordinates
    assert verdicts(found)["reduced motion"]
    # the momentum equation of a section of one's own: along the blade, with a speed that grows with the heading
    x, y, phi = (parse(n, skate.vocabulary) for n in ("x", "y", "phi"))
    turning = half.momentum_equation({"e1": y, "e2": -x, "e3": 1})
    assert is_zero(turning.momentum - parse("I*phi'", skate.vocabulary)).holds
    assert is_zero(turning.rate).holds
    along = half.momentum_equation({"e1": phi * cos(phi), "e2": phi * sin(phi)})
    assert is_zero(along.rate - half.field(along.momentum)).holds
    assert is_zero(along.rate).holds is False
    with pytest.raises(HypothesisError, match="it leaves W along blade"):
        half.momentum_equation({"e1": 1})


@pytest.fixture(scope="module")
def stated():
    """What is decided of an entry of [subsystem], for the usual rule; one entry stands in the model itself."""
    half = semisymplectic.derive(rule(virtual=None, subsystem={"it": {"fields": [{"s": 1}, {"s'": 1}]}}))
    assert {c.name: c.verdict.holds for c in claims(half, "subsystem it")}["subsystem it: ideal"]

    def decided(entry):
        told = stated_subsystems(half.system.but(subsystem={"it": entry}), half.manifold.chart)
        return {c.name.removeprefix("subsystem it: "): c.verdict.holds for c in subsystem_answers(told, half)}

    return decided


def test_reduction_data_and_bundles_in_the_model(stated):
    found = stated({"group": ["along", "up", "spin"], "momenta": {"spin": "c/2"}})
    assert found["n semi-Hamiltonian"]
    assert found["reduced motion"]
    assert stated({"group": ["along"], "momenta": {"along": 1}})["n semi-Hamiltonian"] is False
    flip = {"group": ["spin"], "discrete": {"flip": {"s": "-s"}}}
    assert stated(flip)["mu fixed"] is True
    assert stated({**flip, "momenta": {"spin": 1}})["mu fixed"] is False
    assert stated({"group": [], "discrete": {"half a mirror": {"y": "-y"}}})["H semi-symplectic"] is False
    assert stated({"group": [], "discrete": {"mirror": {"y": "-y", "z": "-z"}}})["H semi-symplectic"] is True
    assert stated({"fields": [{"x": 1, "z": "y"}]})["ideal"] is False
    pair = {"fields": [{"s": 1}, {"s'": 1}], "over": [{"s": 1}]}
    assert set(stated(pair).values()) == {True}
    assert stated({**pair, "over": [{"y": 1}]})["D_0' over D_0"] is False


def test_a_datum_of_what_is_no_symmetry_is_left_open_and_stops_nothing_else():
    system = rule(virtual=None, subsystem={"it": {"group": ["across"]}}, symmetry={"across": {"y": 1}, "up": {"z": 1}})
    half = semisymplectic.derive(system)
    (claim,) = claims(half, "subsystem")
    assert claim.verdict.kind == "undecided"
    assert "'across' is not a symmetry; use up" in claim.verdict.evidence
    assert claims(half, "null-forcing")[0].verdict.holds


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ({"bundle": 1}, "it states bundle; state at, fields"),
        ({"fields": [{"w": 1}]}, "must be written by x, y, z, s"),
        ({"group": ["q"]}, "'q' is not a symmetry; use along, up, spin"),
    ],
)
def test_statements_that_say_nothing_known(stated, entry, sentence):
    with pytest.raises(DalembertError, match=sentence):
        stated(entry)


def test_k_circ_tells_which_functions_are_hamiltonians():
    x, y, z = (symbol(n) for n in "xyz")
    space = Chart.of(x, y, z)
    fields = (VectorField.of(space, {x: 1, z: y}), VectorField.of(space, {y: 1}))
    whole = SemiSymplectic(space, Form.of(space, 2, {(0, 1): 1}), fields)
    some = SemiSymplectic(space, whole.form, fields, observables=((0 * x, 1 + 0 * x, 0 * x),))  # K-circ = span dy
    assert whole.admits(x).holds
    assert some.admits(y**3).holds
    assert some.admits(x).holds is False
    (only,) = some.bullet()
    assert only.components == whole.field_of(y)[0].components
    assert whole.characteristic().holds


def test_the_reduced_k_circ_remembers_symmetry_that_was_not_used():
    system = gallery.load("nonholonomic-particle")
    plane = {"e1": {"x": 1}, "e2": {"z": 1}}
    space = symmetric(principal_reduction(system.but(symmetry=plane)))
    found = reduced(space, reduction_datum(space, ["e1"], {}))
    z = parse("z", system.vocabulary)
    assert z in found.manifold.chart.coordinates
    assert found.manifold.admits(found.energy).holds
    assert found.manifold.admits(z).holds is False  # functions of z are no Hamiltonians: they are not invariant
    assert reduced(space).manifold.observables is None
