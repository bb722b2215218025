"""Vakonomic mechanics: hypotheses, projector, equations in every formulation, Cartan form, momentum map (paper 002)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from clock import quickly
from loading import load
from vakonomic_results import SECONDS, derived

from dalembert import gallery
from dalembert.errors import HypothesisError
from dalembert.expr import ONE, TIME, Expr, cos, sin, substitute, symbol, tangent, time_derivative
from dalembert.expr.text import parse
from dalembert.expr.truth import is_zero
from dalembert.expr.truth.many import ProofBudget, all_vanish
from dalembert.mechanics.lagrangian.jets import derivative
from dalembert.mechanics.nonholonomic import linear_constraints
from dalembert.mechanics.nonholonomic.constraint_manifold import constraint_manifold
from dalembert.mechanics.registry import claims
from dalembert.mechanics.theorem import Theorem
from dalembert.mechanics.vakonomic import vakonomic
from dalembert.mechanics.vakonomic.abnormal_extremals import abnormal
from dalembert.mechanics.vakonomic.densities import any_field, density
from dalembert.mechanics.vakonomic.formalism import FORMALISM, PROJECTOR_LAWS
from dalembert.mechanics.vakonomic.formulations import Formulations
from dalembert.mechanics.vakonomic.projector import Projector, main_hypothesis
from dalembert.mechanics.vakonomic.restricted_variations import critical
from dalembert.mechanics.vakonomic.vakonomic import Vakonomic, derive
from dalembert.model.system import System
from dalembert.present.json_export import answer

T = symbol(TIME)
APPELL = System.of(
    name="Appell-Hamel",
    coordinates="x y z",
    parameters={"m": 1, "g": 9.81, "a": 0.5},
    lagrangian="m*(x'^2 + y'^2 + z'^2)/2 - m*g*z",
    constraints={"pulley": "z' = a*sqrt(x'^2 + y'^2)"},
    symmetry={"turn": {"x": "-y", "y": "x"}, "later": {"t": 1}},
)
BEAM = System.of(
    name="a beam that rolls",
    coordinates={"x": "real", "y": "real", "a": "angle"},
    parameters={"k": 2, "c": 0.3},
    lagrangian="(x''^2 + y''^2)/2 + k*a''^2/2 - c*x*y",
    constraints={"blade": "y'*cos(a) = x'*sin(a)"},
    symmetry={"later": {"t": 1}, "turn": {"x": "-y", "y": "x", "a": 1}},
)
DRAG = System.of(
    name="affine in time",
    coordinates={"x": "real", "y": "real", "phi": "angle"},
    parameters={"m": 1, "w": 0.5},
    functions={"V": {"of": ["u", "v"]}},
    lagrangian="m*(x'^2 + y'^2 + phi'^2)/2 + t*x*phi' - V(x, y)",
    constraints={"blade": "x'*sin(phi) - y'*cos(phi) = w*sin(t)"},
)
QUARTIC = System.of(
    name="quartic",
    coordinates="x y z",
    lagrangian="x'^4/4 + (x'^2 + y'^2 + z'^2)/2 - x*y",
    constraints={"slope": "z' = y*x' + x"},
)


@pytest.fixture(scope="module")
def skate() -> Vakonomic:
    return derived("skateboard")


@pytest.fixture(scope="module")
def elastica() -> Vakonomic:
    return derived("elastica")


def read(result: Vakonomic, text: str) -> Expr:
    names = {p.data.name: p for p in (*result.form.costates, *result.formulations.multipliers)}
    put = {symbol(n): v for n, v in names.items()}
    words = result.system.vocabulary
    from dalembert.expr.vocabulary import Vocabulary

    wide = Vocabulary(words.coordinates, words.parameters, words.functions, words.let, dict.fromkeys(names, "real"))
    return substitute([parse(text, wide)], put)[0]


def verdicts(result: Vakonomic, only: str = "") -> dict[str, bool | None]:
    return {claim.name: claim.verdict.holds for claim in claims(result, only)}


def projector_of(result: Vakonomic) -> Projector:
    found = result.find_projector()
    assert found is not None
    return found


def laws(result: Any, rows: tuple[Theorem, ...] = FORMALISM.laws) -> dict[str, bool | None]:
    return {claim.name: claim.verdict.holds for law in rows for claim in law.claims(result, 0.0)}


GALLERY = (
    "skateboard",
    "heisenberg",
    "vertical-rolling-disc",
    "coin-on-an-incline",
    "plate-and-ball-chart",
    "elastica",
)


@pytest.mark.parametrize("system", [*GALLERY, APPELL, BEAM, DRAG, QUARTIC], ids=lambda s: getattr(s, "name", s))
@pytest.mark.thorough("vertical-rolling-disc", "plate-and-ball-chart", "elastica")
def test_every_formulation_agrees_and_soon(system: System | str) -> None:
    result = derived(system) if isinstance(system, str) else quickly(SECONDS, lambda: derive(system))
    assert not [claim for claim in claims(result, effort=0.0) if claim.failed]
    assert verdicts(result, "multipliers") == {"multipliers": True}
    found = laws(result)
    assert False not in found.values()
    assert found["Cartan equations"] is True
    assert found["energy balance"] is True
    if result.find_projector() is not None:
        assert [found[law.name] for law in PROJECTOR_LAWS] == [True] * len(PROJECTOR_LAWS)


def test_nothing_is_searched_for_before_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a search")

    for name in ("main_hypothesis", "projector", "formulations"):
        monkeypatch.setattr(vakonomic, name, refuse)
    result = derive(gallery.load("skateboard"))
    assert verdicts(result, "energy conserved") == {"energy conserved": True}
    for ask in (result.decide_main_hypothesis, result.find_projector, result.objects):
        with pytest.raises(AssertionError, match="a search"):
            ask()


def test_json_of_a_system_that_nobody_tuned() -> None:
    shown = answer(derive(QUARTIC))
    assert shown["state"] == ["x", "y", "z", "lambda_slope", "x'", "y'"]
    assert set(shown["objects"]) >= {
        "euler_operator", "momentum_forms", "normal_fields", "projector", "multipliers", "cartan_form", "hamiltonian",
        "costates", "energy", "noether_momenta",
    }  # fmt: skip


# -- the skateboard, section 4.1 -----------------------------------------------------------------------------
def test_skate_objects(skate: Vakonomic) -> None:
    shown: dict[str, Any] = skate.objects()
    wanted = {
        "hamiltonian": "(p_x*cos(phi) + p_y*sin(phi))^2/(2*m) + p_phi^2/(2*I) + g*y",
        "energy": "(p_x*cos(phi) + p_y*sin(phi))^2/(2*m) + p_phi^2/(2*I) + g*y",
    }
    for name, text in wanted.items():
        assert is_zero(shown[name] - read(skate, text)).holds is True
    inner = {
        ("normal_fields", "blade", "phi"): "1/(x'*cos(phi) + y'*sin(phi))",
        ("multipliers", "blade"): "p_x*sin(phi) - p_y*cos(phi)",
        ("cartan_form", "x"): "m*x' + lambda_blade*sin(phi)",
        ("cartan_form", "y"): "m*y' - lambda_blade*cos(phi)",
        ("cartan_form", "phi"): "I*phi'",
        ("cartan_form", "t"): "-m*(x'^2 + y'^2)/2 - I*phi'^2/2 - g*y",
        ("noether_momenta", "across"): "p_x",
        ("noether_momenta", "up"): "p_y + g*t",
        ("equations", "phi"): "-I*phi'' + lambda_blade*(x'*cos(phi) + y'*sin(phi))",
        ("equations", "x"): "-m*x'' - lambda_blade'*sin(phi) - lambda_blade*phi'*cos(phi)",
    }
    for path, text in inner.items():
        value: Any = shown
        for key in path:
            value = value[key]
        assert is_zero(value - read(skate, text)).holds is True, path
    assert shown["normal_fields"]["blade"]["x"] is shown["normal_fields"]["blade"]["y"] is 0 * T


def test_skate_projector_is_that_of_the_paper(skate: Vakonomic) -> None:
    a, b, c = any_field(skate.system.q)
    phi, v = skate.system.q[2], read(skate, "x'*cos(phi) + y'*sin(phi)")
    found = projector_of(skate).apply([a, b, c])
    wanted = [a, b, (b.dot * cos(phi) - a.dot * sin(phi)) / v]
    assert all_vanish({str(i): x - y for i, (x, y) in enumerate(zip(found, wanted, strict=True))}).holds is True
    twin = (b.dot * cos(phi) + a.dot * sin(phi)) / v
    assert is_zero(found[2] - twin).kind == "refuted"


def test_skate_is_singular_at_rest_only(skate: Vakonomic) -> None:
    minors = skate.objects()["singular_where_all_vanish"]
    rest = dict.fromkeys(skate.system.v, 0 * T)
    assert all(value is 0 * T for value in substitute(minors, rest))
    turning = substitute(minors, {**rest, skate.system.v[2]: ONE})
    assert any(is_zero(value).holds is False for value in turning)


def test_skate_without_multipliers_is_the_printed_equation(skate: Vakonomic) -> None:
    found = projector_of(skate).adjoint(skate.formulations.lagrangian.euler)
    one = read(skate, "I*phi''/(x'*cos(phi) + y'*sin(phi))")
    phi = skate.system.q[2]
    assert is_zero(found[0] + read(skate, "m*x''") + time_derivative(one * sin(phi))).holds is True
    assert is_zero(found[1] + read(skate, "g + m*y''") - time_derivative(one * cos(phi))).holds is True
    assert is_zero(found[2]).holds is True


def test_skate_reduced_system_in_its_corrected_form(skate: Vakonomic) -> None:
    """E and mu_x by x, y and their first two derivatives alone, along every motion with phi' not zero."""
    energy = "m*(x'^2 + y'^2)/2 + I*((y''*x' - x''*y')/(x'^2 + y'^2))^2/2 + g*y"
    momentum = "m*x' - y'/(y''*x' - x''*y')*(m*x''*x' + (g + m*y'')*y')"
    form = skate.form
    for text, wanted in ((energy, form.hamiltonian), (momentum, form.costates[0])):
        (here,) = form.on_motions([substitute([read(skate, text)], form.jets)[0] - wanted])
        assert is_zero(here).holds is True
    twin = read(skate, momentum.replace("(g + m*y'')", "(m*y'')"))
    (here,) = form.on_motions([substitute([twin], form.jets)[0] - form.costates[0]])
    assert is_zero(here).holds is False


def test_the_nonholonomic_motion_is_not_critical(skate: Vakonomic) -> None:
    """The wrong twin: d'Alembert's accelerations in the vakonomic equations, refuted with a witness."""
    other = linear_constraints.derive(skate.system)
    q, rates = skate.system.q, other.equations.rates()
    seed = {**rates, T: ONE}
    jets = dict(zip(skate.system.v, (rates[c] for c in q), strict=True))
    moved = list(jets.values())
    for k in (2, 3):
        moved = tangent(moved, seed)
        jets |= {derivative(c, k): m for c, m in zip(q, moved, strict=True)}
    offered = substitute(projector_of(skate).adjoint(skate.formulations.lagrangian.euler), jets)
    verdict = is_zero(offered[0])
    assert verdict.kind == "refuted"
    assert verdict.witness is not None


# -- the Main Hypothesis -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("vertical-rolling-disc", "2*2 + 1 = 5, and dim Q is 4"),
        ("plate-and-ball-chart", "2*3 + 1 = 7, and dim Q is 5"),
        ("wheeled-snake:3", "2*3 + 1 = 7, and dim Q is 5"),
        ("wheeled-snake:8", "2*8 + 1 = 17, and dim Q is 10"),
    ],
)
def test_the_hypothesis_fails_by_the_count(name: str, count: str) -> None:
    system = gallery.load(name)
    found = main_hypothesis(system, constraint_manifold(system))
    assert found.verdict.kind == "refuted"
    assert count in found.verdict.evidence


def test_the_hypothesis_fails_by_the_rank() -> None:
    """Constraints that are holonomic in disguise have vanishing Euler operators, whatever the dimension."""
    flat = System.of(name="flat", coordinates="x y z", lagrangian="x'^2 + y'^2 + z'^2", constraints={"c": "z' = x*x'"})
    found = main_hypothesis(flat, constraint_manifold(flat))
    assert found.verdict.kind == "refuted"
    assert "rank 1 in dim Q = 3" in found.verdict.evidence


def test_homogeneous_constraints_lose_a_rank_on_the_constraint_only() -> None:
    """Off the constraint the rows of (8) are independent in the plane, on it they are not: the count sees it."""
    plane = System.of(name="plane", coordinates="x y", lagrangian="x'^2 + y'^2", constraints={"c": "y' = x*y*x'"})
    assert main_hypothesis(plane, constraint_manifold(plane)).verdict.kind == "refuted"
    shifted = plane.but(constraints={"c": "y' = x*y*x' + 1"})
    assert main_hypothesis(shifted, constraint_manifold(shifted)).verdict.holds is True


def test_constraints_that_move_have_room_where_those_at_rest_have_none() -> None:
    """E_f(q') = 0 holds of constraints without time only: a blade that is turned leaves N in the plane."""
    plane = {"name": "plane", "coordinates": "x y", "parameters": "W", "lagrangian": "(x'^2 + y'^2)/2"}
    turned = derive(System.of(**plane, constraints={"blade": "x'*sin(W*t) = y'*cos(W*t)"}))
    assert turned.decide_main_hypothesis().verdict.holds is True
    assert len(projector_of(turned).normal_fields) == 1
    assert False not in laws(turned).values()
    still = derive(System.of(**plane, constraints={"blade": "x'*sin(W*t^2)*0 + x'*sin(W*x) = y'*cos(W*x)"}))
    assert still.decide_main_hypothesis().verdict.holds is False
    scaled = derive(System.of(**plane, constraints={"blade": "exp(t)*x'*sin(W*x) = exp(t)*y'*cos(W*x)"}))
    assert scaled.decide_main_hypothesis().verdict.holds is False  # time in a factor only: the rank says so


def test_two_constraints_with_room_enough() -> None:
    wide = System.of(
        name="wide",
        coordinates="x y u v w",
        lagrangian="(x'^2 + y'^2 + u'^2 + v'^2 + w'^2)/2",
        constraints={"c1": "v' = x*y'", "c2": "w' = u*x' - y*u'"},
    )
    result = derive(wide)
    assert len(projector_of(result).normal_fields) == 2
    assert False not in laws(result).values()
    assert laws(result)["without multipliers"] is True


def test_another_choice_of_n_gives_the_same(skate: Vakonomic) -> None:
    (bar,) = projector_of(skate).kernel
    h = read(skate, "x*phi'")
    other = replace(
        projector_of(skate),
        normal_fields=(tuple(n + h * b for n, b in zip(projector_of(skate).normal_fields[0], bar, strict=True)),),
    )
    assert set(laws(other, PROJECTOR_LAWS).values()) == {True}
    first, second = (one.adjoint(skate.formulations.lagrangian.euler) for one in (projector_of(skate), other))
    assert is_zero(first[0] - second[0]).holds is False  # as operators they differ
    wrong = replace(other, normal_fields=(tuple(2 * n for n in other.normal_fields[0]),))
    failed = {name for name, holds in laws(wrong, PROJECTOR_LAWS).items() if holds is False}
    assert failed >= {"projector", "image of P"}
    leaning = replace(other, normal_fields=(tuple(n + 1 for n in other.normal_fields[0]),))
    assert laws(leaning, PROJECTOR_LAWS)["both kinds of variation span all"] is False
    turned = replace(other, densities=tuple(replace(f, euler=tuple(-e for e in f.euler)) for f in other.densities))
    failed = {name for name, holds in laws(turned, PROJECTOR_LAWS).items() if holds is False}
    assert failed >= {"commutation rule", "first variation with constraints"}


# -- the elastica, section 4.2 -------------------------------------------------------------------------------
def unit_speed(elastica: Vakonomic) -> dict[Expr, Expr]:
    """Jets of a curve by its length, by the angle of its tangent."""
    angle = symbol("angle of the tangent", domain="angle")
    values, put = [cos(angle), sin(angle)], {}
    for k in range(1, 7):
        put |= {derivative(q, k): v for q, v in zip(elastica.system.q, values, strict=True)}
        values = [time_derivative(v) for v in values]
    return put


def test_elastica_euler_operator(elastica: Vakonomic) -> None:
    """E_L = |q'| (F'_ss + kappa^2 F' - kappa F) N in any parametrization."""
    speed, kappa = read(elastica, "speed"), read(elastica, "kappa")
    slope, value = read(elastica, "D(F, 1)(kappa)"), read(elastica, "F(kappa)")
    second = time_derivative(time_derivative(slope) / speed) / speed
    strength = speed * (second + kappa**2 * slope - kappa * value)
    normal = [read(elastica, "-y'/speed"), read(elastica, "x'/speed")]
    for found, n in zip(elastica.formulations.lagrangian.euler, normal, strict=True):
        assert is_zero(found - strength * n).holds is True
        assert is_zero(found - strength * n / speed).holds is False


def test_elastica_projector_and_equation(elastica: Vakonomic) -> None:
    one, put = projector_of(elastica), unit_speed(elastica)
    field = any_field(elastica.system.q)
    tangent_, normal = (put[v] for v in elastica.system.v), None
    tx, ty = tangent_
    normal = [-ty, tx]
    kappa = time_derivative(tx) * normal[0] + time_derivative(ty) * normal[1]
    along = field[0] * tx + field[1] * ty
    found = substitute(one.apply(field), put)
    for i, t_i in enumerate((tx, ty)):
        assert is_zero(found[i] - along * t_i - time_derivative(along) / kappa * normal[i]).holds is True
        assert is_zero(found[i] - along * t_i + time_derivative(along) / kappa * normal[i]).holds is False
    down = substitute(one.adjoint(elastica.formulations.lagrangian.euler), put)
    slope, value = substitute([read(elastica, "D(F, 1)(kappa)"), read(elastica, "F(kappa)")], put)
    multiplier = time_derivative(slope, 2) / kappa + kappa * slope - value
    assert is_zero(down[0] * tx + down[1] * ty + time_derivative(multiplier)).holds is True
    assert is_zero(down[0] * normal[0] + down[1] * normal[1]).holds is True


def test_elastica_cartan_form_has_its_time_term(elastica: Vakonomic) -> None:
    time_part = elastica.cartan_form.component(0)
    assert is_zero(time_part + elastica.formulations.multipliers[0]).holds is True


def test_elastica_is_counted_and_conserves(elastica: Vakonomic) -> None:
    assert verdicts(elastica, "momentum") == {"momentum e1": True, "momentum e2": True, "momentum turn": True}
    assert verdicts(elastica, "energy conserved") == {"energy conserved": True}
    assert len(elastica.equations.implicit) == 3  # F is any function: two second derivatives and a multiplier


# -- other systems -------------------------------------------------------------------------------------------
def test_heisenberg_equations() -> None:
    shown = derived("heisenberg").objects()
    assert str(shown["multipliers"]["area"]) == "p_z"
    assert is_zero(shown["equations"]["z"] + symbol("lambda_area").dot).holds is True


SAID = [name for name in gallery.names() if "critical" in gallery.text(name)]  # the others need not be read
FACTS = [(name, fact) for name in SAID for fact in load(name).known.critical.items()]


@pytest.mark.parametrize(("name", "fact"), FACTS, ids=lambda value: value if isinstance(value, str) else value[0])
def test_facts_of_the_gallery(name: str, fact: tuple[str, str]) -> None:
    result = derived(name)
    form, several = result.form, result.formulations

    def rate(text: str) -> Expr:
        return form.on_motions(form.along(several.on_jets([read(result, text)])))[0]

    assert is_zero(rate(fact[1])).holds is True
    first = result.system.q[0].data.name
    assert is_zero(rate(f"({fact[1]})*(1 + {first})")).holds is False


def test_nonlinear_constraint_without_newton() -> None:
    result = derive(APPELL)
    assert not result.equations.implicit
    assert [s.data.label for s in result.equations.state] == ["x", "y", "z", "lambda_pulley", "x'", "y'"]
    assert laws(result)["velocities and multipliers"] is True
    assert verdicts(result, "momentum") == {"momentum turn": True, "momentum later": True}
    squared = derive(APPELL.but(constraints={"pulley": "z'^2 = a^2*(x'^2 + y'^2)"}))
    assert len(squared.equations.implicit) == 4
    assert not [claim for claim in claims(squared) if claim.failed]
    assert False not in laws(squared).values()


def test_higher_order_with_a_linear_constraint() -> None:
    result = derive(BEAM)
    assert len(result.equations.state) == 12
    assert not result.equations.implicit
    found = verdicts(result)
    assert laws(result)["without multipliers"] is found["momentum later"] is found["energy conserved"] is True
    assert found["invariance turn"] is False


def test_explicit_time_costs_energy() -> None:
    result = derive(DRAG)
    assert laws(result)["energy balance"] is True
    assert verdicts(result, "energy conserved") == {"energy conserved": False}


def test_a_generator_that_leaves_the_constraint_is_no_symmetry() -> None:
    system = gallery.load("heisenberg").but(symmetry={"slide": {"x": 1}})
    result = derive(system)
    found = verdicts(result)
    assert found["invariance slide"] is True
    assert found["tangent slide"] is False
    assert not result.momenta[0].is_symmetry
    assert "momentum slide" not in result.equations.monitors


def test_straight_rolling_is_abnormal() -> None:
    disc = gallery.load("vertical-rolling-disc")
    R = disc.vocabulary["R"]
    straight = abnormal(disc, {"phi": T, "psi": 0, "x": R * T, "y": 0})
    assert straight.dimension == 1
    assert straight.verdict.holds is True
    circle = abnormal(disc, {"phi": T, "psi": T, "x": R * sin(T), "y": -R * cos(T)})
    assert circle.verdict.kind == "refuted"
    with pytest.raises(HypothesisError, match="does not obey the constraint 'rolls_in_x'"):
        abnormal(disc, {"phi": T, "psi": 0, "x": T, "y": 0})
    with pytest.raises(HypothesisError, match="'y' is missing"):
        abnormal(disc, {"phi": T, "psi": 0, "x": R * T})


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"constraints": None}, "[constraints]: there are none"),
        ({"forces": {"x": "1"}}, "[forces]: forces have no place in a variational principle"),
        ({"virtual": {"blade": {"x": "1"}}}, "[virtual]: vakonomic variations are those tangent"),
        ({"lagrangian": "phi'^2"}, "the bordered Hessian of L + lambda f has rank 3 of 4"),
    ],
)
def test_what_is_refused(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(HypothesisError) as caught:
        derive(gallery.load("skateboard").but(**change))
    assert sentence in str(caught.value)


def test_a_wrong_hamiltonian_form_is_refuted(skate: Vakonomic) -> None:
    """Each formulation bites: with the constraint or the Lagrangian of another system the checks say no."""

    def failed(several: Formulations) -> set[str]:
        one, plain = projector_of(skate), ProofBudget(0.0)
        answers = {
            "multipliers": several.by_multipliers(plain),
            "Cartan equations": several.cartan(plain),
            "without multipliers": several.without_multipliers(plain),
            "independent of the choice of N": several.vanishes_on_kernel(one, plain),
        }
        return {name for name, verdict in answers.items() if verdict.holds is False}

    assert failed(skate.formulations) == set()
    x = skate.system.q[0]
    (f,) = skate.form.prolonged
    bent = replace(skate.formulations, form=replace(skate.form, prolonged=(f + x * skate.system.v[2],)))
    assert failed(bent) >= {"multipliers", "Cartan equations", "without multipliers"}
    other = skate.system.but(lagrangian="m*(x'^2 + y'^2)/2 + I*phi'^2/2 - 3*g*y")
    assert other.lagrangian is not None
    tilted = replace(skate.formulations, lagrangian=density(other.lagrangian, skate.system.q))
    assert failed(tilted) >= {"multipliers", "Cartan equations", "independent of the choice of N"}


# -- Definition 2 --------------------------------------------------------------------------------------------
def test_variations_of_ones_own() -> None:
    particle = gallery.load("particle-in-potential")
    free = critical(particle, {"slope": {"x": "z", "z": "1"}})
    usual = critical(particle, "nonholonomic")
    assert critical(particle).variations == "vakonomic"
    for one in (free, usual):
        found = one.decide()
        assert not [claim for claim in found if claim.failed]
        assert {claim.name: claim.verdict.holds for claim in found}["critical"] is True
        assert one.objects()["multipliers"]
    x_rate = [one.equations.rates()[particle.v[0]] for one in (free, usual)]
    assert is_zero(x_rate[0] - x_rate[1]).holds is False
    wanted = linear_constraints.derive(particle).equations.rates()[particle.v[0]]
    assert is_zero(x_rate[1] - wanted).holds is True
    with pytest.raises(HypothesisError, match="'sideways' is not a choice of variations"):
        critical(particle, "sideways")
