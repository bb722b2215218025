"""What the program says in words says no more than it has decided: cases that a reader disputed, and their twins."""

from __future__ import annotations

from functools import cache

import pytest

from dalembert import gallery
from dalembert.expr import cos, sin, sqrt, substitute, symbol
from dalembert.expr.readers import Balls
from dalembert.expr.text import parse
from dalembert.expr.truth import Inside, Verdict, Where, Witness, is_zero, never_zero
from dalembert.geometry.distributions import Distribution
from dalembert.mechanics.derivation import derive
from dalembert.mechanics.lagrangian import euler_lagrange
from dalembert.mechanics.lagrangian.regularity import never_vanishes, regularity_claim
from dalembert.mechanics.nonholonomic import general_constraints
from dalembert.mechanics.nonholonomic.adapted_motion import adapted_motion
from dalembert.mechanics.nonholonomic.integrable_part import integrability_claim
from dalembert.mechanics.nonholonomic.symmetry_search import first_integrals_of
from dalembert.mechanics.registry import claims, formalism, formalism_names
from dalembert.mechanics.second_order.search.first_integrals import FirstIntegral
from dalembert.mechanics.semisymplectic import semisymplectic
from dalembert.model.claim import Claim
from dalembert.model.system import System
from dalembert.present.conserved import constants
from dalembert.present.report import kind_of_system, sentences

PARTICLE = System.of(
    name="particle",
    coordinates="x y z",
    lagrangian="(x'^2 + y'^2 + z'^2)/2",
    constraints={"tilt": "z' = y*x'"},
    symmetry={"up": {"z": 1}},
)
SLIDE = System.of(
    name="slide",
    coordinates="x y z",
    lagrangian="(x'^2 + y'^2 + z'^2)/2 - x^2",
    constraints={"flat": "z' = x'"},
    symmetry={"up": {"z": 1}},
)
DRIVEN = System.of(name="driven", coordinates="x y", lagrangian="(x'^2 + y'^2)/2 - x", constraints={"drive": "y' = 1"})
GEARED = System.of(
    name="skate with a geared wheel",
    coordinates={"x": "real", "y": "real", "th": "angle", "ps": "angle"},
    parameters={"m": 1, "J": 1, "K": 1, "l": 2},
    lagrangian="m*(x'^2 + y'^2)/2 + J*th'^2/2 + K*ps'^2/2",
    constraints={"blade": "x'*sin(th) = y'*cos(th)", "gear": "ps' = l*th'"},
)
SKATE = System.of(
    name="skate",
    coordinates={"x": "real", "y": "real", "th": "angle"},
    lagrangian="(x'^2 + y'^2 + th'^2)/2",
    constraints={"blade": "x'*sin(th) = y'*cos(th)"},
    symmetry={"e1": {"x": 1}, "e2": {"y": 1}},
)
SPEED = System.of(
    name="constant speed",
    coordinates="x y z",
    parameters={"g": 9.81, "c": 2},
    lagrangian="(x'^2 + y'^2 + z'^2)/2 - g*z",
    constraints={"speed": "x'^2 + y'^2 + z'^2 = c^2"},
)
BOWL = System.of(
    name="bowl",
    coordinates="x y z",
    parameters={"g": 9.81},
    lagrangian="(x'^2 + y'^2 + z'^2)/2 - g*z",
    holonomic={"bowl": "z = 1 + x^2 + y^2"},
)


@cache
def said(formalism: str, system: System) -> tuple[str, ...]:
    return tuple(sentence.text for sentence in sentences(derive(system, formalism)))


def claim(claims: tuple[Claim, ...], name: str) -> Claim:
    return next(one for one in claims if one.name == name)


# -- brackets, time and groups ---------------------------------------------------------------------------------------
def test_a_bracket_that_breaks_jacobi_is_no_poisson_bracket_and_nothing_more_is_said() -> None:
    found = said("semisymplectic", PARTICLE)
    assert "Its almost-Poisson bracket does not satisfy Jacobi's identity: it is no Poisson bracket." in found
    rows = [row for name in formalism_names() for row in formalism(name).theorems]
    told = [sentence.words for row in rows for holds in (True, False) for sentence in row.sentences(holds)]
    texts = [words for words in told if isinstance(words, str) and words]
    assert len(texts) > 10
    assert not any("not Hamiltonian" in words for words in texts)
    assert any("in a new time" in words for words in said("chaplygin", PARTICLE))  # which would contradict it


def test_a_poisson_bracket_makes_a_motion_hamiltonian_only_where_it_gives_it() -> None:
    assert any("and gives the motion, which so is Hamiltonian" in words for words in said("semisymplectic", SLIDE))
    affine = said("semisymplectic", DRIVEN)
    assert any("but does not give the motion by the energy" in words for words in affine)
    assert not any("Hamiltonian" in words for words in affine)


def test_there_is_a_new_time_only_where_there_is_a_gyroscopic_force() -> None:
    flat, curved = said("chaplygin", SLIDE), said("chaplygin", PARTICLE)
    assert "The reduced motion feels no gyroscopic force: it is that of L*, and Hamiltonian as it stands." in flat
    assert not any("new time" in words for words in flat)
    assert {
        "The reduced motion feels a gyroscopic force.",
        "The reduced motion becomes Hamiltonian in a new time.",
    } <= {*curved}
    pushed = said("chaplygin", SLIDE.but(forces={"x": "-x'"}))
    assert "The reduced motion feels no gyroscopic force." in pushed
    assert not any("Hamiltonian" in words for words in pushed)


def test_a_chaplygin_system_is_one_for_a_group_and_where_it_is_one() -> None:
    assert "It is a generalized Chaplygin system for the group generated by up." in said("chaplygin", PARTICLE)
    (told,) = [words for words in said("chaplygin", SKATE) if "Chaplygin" in words]
    assert told.endswith(("by e1, except where sin(th) = 0.", "except where -cos(th) = 0."))


def test_a_potential_limits_what_is_said_of_volumes() -> None:
    """With a potential, only densities on the base are excluded."""
    rows = [row for row in formalism("chaplygin").theorems if row.name == "invariant measure exists"]
    for row in rows:  # with charts and without
        told = row.sentences(False)
        assert [(one.given or one.without) for one in told] == [("pure kinetic energy",)] * 2
        assert all(("base only" in str(one.words)) is bool(one.without) for one in told)
    assert len(rows) == 2


@pytest.mark.parametrize("name", ["two-wheeled-robot", "veselova"])
@pytest.mark.thorough("veselova")
def test_nothing_is_said_twice(name: str) -> None:
    """With charts and without, rows have the same names: only those of the result speak."""
    result = derive(gallery.load(name), "chaplygin")
    decided = claims(result)
    told = [one.text for one in sentences(result, decided)]
    assert told
    assert len(told) == len(set(told))
    rows = [row for row in formalism("chaplygin").theorems if row.name == "integrable by quadratures"]
    assert [row.needs(result) for row in rows].count(True) == 1 < len(rows)  # all of them would say it


# -- constraints -------------------------------------------------------------------------------------------------------
def integrable(system: System) -> Claim:
    rows = system.constraint_matrix().rows
    return integrability_claim(Distribution.from_forms(system.chart, rows))


@pytest.mark.parametrize(
    ("constraints", "statement"),
    [
        ({}, "1 of the 2 constraints is integrable, as a combination of them (ps - l*th is constant), and no other"),
        ({"gear": "ps' = l*th' + x'*sin(th) - y'*cos(th)"}, "1 of the 2 constraints is integrable"),  # by the blade
        ({"gear": "ps' = l*th' + x'"}, "1 of the 2 constraints is integrable"),
        ({"gear": "ps' = x'*cos(th)"}, "no combination of the constraints is integrable"),
        ({"blade": "x' = 2*th'"}, "all 2 constraints are integrable"),
    ],
)
def test_how_many_constraints_are_integrable(constraints: dict[str, str], statement: str) -> None:
    stated = {"blade": "x'*sin(th) = y'*cos(th)", "gear": "ps' = l*th'"} | constraints
    found = integrable(GEARED.but(constraints=stated))
    assert found.statement.startswith(statement)
    assert found.verdict.holds


def test_one_integrable_constraint_of_two_is_said() -> None:
    (told,) = [words for words in said("semisymplectic", GEARED) if "integrable" in words]
    assert (
        told == "1 of the 2 constraints is integrable, as a combination of them (ps - l*th is constant), and no other."
    )


def test_what_is_stated_on_positions_is_no_discovery() -> None:
    found = said("semisymplectic", BOWL)
    assert not any("integrable" in words or "disguise" in words or "z - x^2" in words for words in found)
    names = {i.name for i in first_integrals_of(derive(BOWL, "nonholonomic"))}
    assert "constraint" in names


# -- conserved ---------------------------------------------------------------------------------------------------------
def test_a_search_says_whether_the_energy_is_in_it() -> None:
    inside = claim(claims(derive(PARTICLE, "nonholonomic")), "first integrals").statement
    assert inside.endswith("; the energy is among them")
    assert "harmonics" not in inside  # there are no angles
    outside = claim(claims(derive(SKATE, "nonholonomic")), "first integrals").statement
    assert "with harmonics of th up to" in outside
    assert outside.endswith("; the energy is conserved too, but is not of this form")


def test_a_momentum_that_forces_change_is_not_said_to_be_conserved() -> None:
    free = System.of(name="free", coordinates="x y", lagrangian="(x'^2 + y'^2)/2", symmetry={"along": {"x": 1}})
    assert "The momentum of along is conserved." in said("euler-lagrange", free)
    assert not any("momentum" in words for words in said("euler-lagrange", free.but(forces={"x": "-x'"})))
    assert kind_of_system(free).text.endswith("1 generator of symmetry is stated.")


def test_a_conserved_momentum_is_said_beside_the_momentum_equation() -> None:
    turned = BOWL.but(symmetry={"turn": {"x": "-y", "y": "x"}})
    assert semisymplectic.derive(turned).find_group().sections()
    assert "The momentum of turn is conserved." in said("semisymplectic", turned)


# -- regular -----------------------------------------------------------------------------------------------------------
def test_euler_angles_are_not_regular_everywhere() -> None:
    top = claim(claims(euler_lagrange.derive(gallery.load("heavy-top-chart"))), "regular")
    assert top.statement == "the Lagrangian is regular at a generic point (it fails where sin(theta) = 0)"


def test_a_determinant_without_zeros_may_have_poles() -> None:
    th = symbol("th", domain="angle")
    proved = Verdict("proved", "")
    assert never_zero(1 / cos(th) ** 2).holds  # where it has a value
    said_of = regularity_claim([[1 / cos(th) ** 2]], proved, "it").statement
    assert said_of == "it is regular wherever it is defined (it has no value where cos(th) = 0)"
    cancelled = regularity_claim([[1 / sin(th), 0 * th], [0 * th, sin(th)]], proved, "it").statement
    assert "no value where sin(th) = 0" in cancelled
    motion = adapted_motion(gallery.load("chaplygin-sleigh"))
    sleigh = regularity_claim(motion.equations.mass, motion.regular, "it").statement
    assert "everywhere" not in sleigh
    assert "cos(theta) = 0" in sleigh


def test_euler_angles_with_a_constraint_are_not_regular_everywhere() -> None:
    """Suslov's body, solved for phi': the determinant has no zero, and no value where sin(theta) = 0."""
    suslov = System.of(
        name="Suslov",
        coordinates={"phi": "angle", "theta": "angle", "psi": "angle"},
        lagrangian="(w1^2 + 2*w2^2 + 2*w3^2)/2",
        let={
            "w1": "theta'*cos(psi) + phi'*sin(psi)*sin(theta)",
            "w2": "-theta'*sin(psi) + phi'*cos(psi)*sin(theta)",
            "w3": "psi' + phi'*cos(theta)",
        },
        constraints={"suslov": "w2 = 0"},
        fibration={"dependent": ["phi"]},
    )
    motion = adapted_motion(suslov)
    said_of = regularity_claim(motion.equations.mass, motion.regular, "it").statement
    assert said_of == "it is regular wherever it is defined (it has no value where cos(psi)*sin(theta) = 0)"


# -- witnesses ---------------------------------------------------------------------------------------------------------
def value(system: System, expression: str, witness: Witness | None) -> float:
    """Return the value of an expression at a witness, what it gives by formulas put in."""
    assert witness is not None
    words = system.vocabulary
    put = {parse(n, words): parse(str(v), words) for n, v in {**witness.point, **witness.functions}.items()}
    (there,) = substitute(substitute([parse(expression, words)], put), put)
    return float(Balls({}).read([there])[0])


def test_a_witness_has_real_velocities() -> None:
    found = {one.name: one.verdict for one in claims(general_constraints.derive(SPEED)) if one.verdict.witness}
    root = "c^2 - x'^2 - y'^2"
    for name in ("constraint forces do no work", "energy conserved"):
        assert value(SPEED, root, found[name].witness) > 0
    c, u, v = SPEED.vocabulary["c"], *SPEED.v[:2]
    assert value(SPEED, root, is_zero(c * u * v).witness) < 0  # without the constraint it is faster than c


def test_a_witness_lies_on_the_constraint() -> None:
    x, y, z = BOWL.q
    bowl = z - 1 - x**2 - y**2
    assert is_zero(bowl).holds is False
    assert is_zero(bowl, [Where(bowl)]).holds  # zero where it counts
    on, off = is_zero(x * z - y, [Where(bowl)]), is_zero(x * z - y)
    assert on.holds is off.holds is False
    assert value(BOWL, "z - 1 - x^2 - y^2", on.witness) == 0 != value(BOWL, "z - 1 - x^2 - y^2", off.witness)


def test_a_zero_that_the_constraint_excludes_is_none() -> None:
    """In the bowl z is at least 1, so its Lagrangian is regular wherever it is solved for x'."""
    bowl = BOWL.but(fibration={"dependent": ["x"]}, lagrangian="z*(x'^2 + y'^2 + z'^2)/2")
    regular = claim(claims(derive(bowl, "nonholonomic"), only="regular"), "regular")
    assert "z = 0" not in regular.statement
    free = bowl.but(holonomic={"bowl": "z = x*y"})
    assert "it fails where z = 0" in claim(claims(derive(free, "nonholonomic"), only="regular"), "regular").statement


def test_a_zero_beyond_a_root_is_none() -> None:
    x, c = symbol("x"), symbol("c", role="parameter", domain="positive")
    real = [Inside(sqrt(c**2 - x**2))]
    assert never_zero(x - 2 * c).holds is False
    assert never_vanishes(x - 2 * c, real).holds is not False
    assert never_vanishes(2 * x - c, real).holds is False


def test_points_that_no_formula_gives_are_enclosed() -> None:
    a, b = (symbol(n, domain="angle") for n in "ab")
    loop = [Where(cos(a) + 2 * cos(b) - 1)]
    seen = is_zero(sin(a) - sin(b), loop)
    assert seen.holds is False
    assert seen.witness.near
    assert is_zero((cos(a) + 2 * cos(b) - 1) * a, loop).holds is None  # zero there, but nothing shows it
    nowhere = [Where(cos(a) + cos(b) - 3)]
    assert is_zero(sin(a), nowhere).holds is None  # there are no such points


def test_a_root_that_went_away_still_has_to_be_real() -> None:
    x, c = symbol("x"), symbol("c", role="parameter", domain="positive")
    free, held = is_zero(x - 3 * c), is_zero(x - 3 * c, [Inside(sqrt(c**2 - x**2))])
    assert free.holds is held.holds is False
    assert abs(held.witness.point["x"]) <= held.witness.point["c"]


def test_few_formulas_stand_on_the_first_screen():
    """Five of many integrals are shown, and the sentence says that there are others; six momenta are counted."""
    v = symbol("v")
    sure = Verdict("proved", "")
    many = [FirstIntegral(v + k, sure) for k in range(8)]
    momenta = [FirstIntegral(v * k, sure, f"momentum of d/dq{k}") for k in range(2, 8)]
    first, second = constants([*momenta, *many], lambda e: e)
    assert first.text == "The momenta of 6 symmetries are conserved, among them:"
    assert second.text == "Constant along every motion, among others:"
    assert len(first.formulas) == len(second.formulas) == 5
    (named,) = constants(momenta[:2], lambda e: e)
    assert named.text == "The momenta of d/dq2, d/dq3 are conserved:"
    assert len(named.formulas) == 2
