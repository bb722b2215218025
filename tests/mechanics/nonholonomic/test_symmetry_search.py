"""What derive finds by itself: integrals, symmetries, adjoint symmetries, Lagrangians; and what it says of that."""

import gc
from functools import cache

import pytest

from dalembert import gallery
from dalembert.expr import hessian
from dalembert.expr.text import parse
from dalembert.expr.truth import generic_rank, is_zero
from dalembert.expr.truth.many import ProofBudget
from dalembert.mechanics.lagrangian import euler_lagrange
from dalembert.mechanics.lagrangian.regularity import regularity_claim
from dalembert.mechanics.nonholonomic import given_equations, lagrange_dalembert
from dalembert.mechanics.nonholonomic import symmetry_search as searches
from dalembert.mechanics.nonholonomic.linear_constraints import Nonholonomic, derive
from dalembert.mechanics.registry import claims
from dalembert.mechanics.second_order.field import field_of
from dalembert.mechanics.second_order.search.first_integrals import find_first_integrals
from dalembert.mechanics.second_order.search.linear_search import Ansatz, combination_of, relations
from dalembert.mechanics.second_order.search.symmetries import AdjointSymmetry, adjoint_claims, symmetry_claims
from dalembert.model.system import System
from dalembert.present.json_export import answer

DISC = "vertical-rolling-disc"


@cache
def result(name: str) -> Nonholonomic:
    return derive(gallery.load(name))


def claim(of: Nonholonomic, name: str):
    return next(c for c in claims(of, only=name) if c.name == name)


@pytest.mark.parametrize("name", [DISC, "particle-xy", "disc-on-moving-plane"])
@pytest.mark.thorough("vertical-rolling-disc", "disc-on-moving-plane")
def test_everything_that_is_listed_is_what_it_says(name: str) -> None:
    found = searches.findings(result(name))
    assert found.symmetries
    assert found.adjoint_symmetries
    for symmetry in found.symmetries:
        assert {c.verdict.holds for c in symmetry_claims(found.field, symmetry)} == {True}
    for adjoint in found.adjoint_symmetries:
        assert {c.verdict.holds for c in adjoint_claims(found.field, adjoint)} == {True}
        more = found.field.coordinates[-1] * found.field.velocities[0]
        wrong = AdjointSymmetry((adjoint.across[0] + more, *adjoint.across[1:]), adjoint.along)
        assert False in {c.verdict.holds for c in adjoint_claims(found.field, wrong)}
    for integral in found.first_integrals:
        assert is_zero(found.field.rates([integral.expression])[0]).holds


@pytest.mark.thorough
def test_the_symmetries_of_the_disc_by_the_paper() -> None:
    """The turn, the shift and the two translations; X_phi alone is not among them."""
    disc = result(DISC)
    words = gallery.load(DISC).vocabulary
    listed = searches.findings(disc).objects()["symmetries"]
    order = list(listed[0]["mu"])
    basis = [[one["mu"][q] for q in order] for one in listed]
    known = {
        "d_phi": {"phi": "1", "x": "-R*cos(psi)", "y": "-R*sin(psi)"},
        "turn": {"psi": "1", "x": "-y", "y": "x"},
        "d_x": {"x": "1"},
        "d_y": {"y": "1"},
    }
    for name, components in known.items():
        target = [parse(components.get(q, "0"), words) for q in order]
        assert combination_of(basis, target) is not None, name
    alone = [parse({"phi": "1"}.get(q, "0"), words) for q in order]
    assert combination_of(basis, alone) is None
    said = claim(disc, "symmetries modulo Gamma")
    assert said.verdict.kind == "proved"
    assert "dimension 4" in said.statement


def test_the_json_has_all_names() -> None:
    objects = answer(result("particle-xy"))["objects"]
    for name in ("first_integrals", "symmetries", "adjoint_symmetries", "lagrangians"):
        assert isinstance(objects[name], list), name
    assert {"mu", "generator"} == set(objects["symmetries"][0])
    assert {"a", "c", "outcome"} <= set(objects["adjoint_symmetries"][0])


def test_the_lagrangians_of_the_disc_are_regular_and_obeyed() -> None:
    found = searches.findings(result(DISC))
    assert found.lagrangians
    assert "lagrangian" in {what.outcome for what in found.consequences}
    for star in found.lagrangians:
        assert generic_rank(hessian(star, found.field.velocities)).rank == 2
        assert is_zero(star - parse("phi'*psi'", gallery.load(DISC).vocabulary)).holds


def test_degenerate_lagrangians_add_up_to_a_regular_one() -> None:
    """One spring in each direction: x'^2 - x^2 alone is degenerate, as is y'^2 - 4 y^2; no single one is regular."""
    springs = System.of(
        name="springs",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 - x^2 - 4*y^2)/2 + z'*z",
        constraints={"slope": "z' = y*x'"},
    )
    found = searches.findings(derive(springs))
    assert {what.outcome for what in found.consequences} >= {"degenerate"}
    assert "lagrangian" not in {what.outcome for what in found.consequences}
    (star,) = found.lagrangians
    assert is_zero(star - parse("x'^2 - x^2 + y'^2 - 4*y^2", springs.vocabulary)).holds


def test_what_is_too_large_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searches, "_WORK", 5)
    found = searches.findings(derive(gallery.load(DISC)))
    assert found.symmetries == ()
    verdicts = {c.name: c.verdict for c in found.claims}
    assert verdicts["symmetries modulo Gamma"].kind == "undecided"
    assert "too many" in verdicts["adjoint symmetries"].evidence
    assert verdicts["first integrals"].kind == "proved"
    assert not any(c.failed for c in found.claims)


def test_one_result_is_searched_once_and_forgotten_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    motion = derive(gallery.load(DISC))
    begun = []
    for name in ("_integrals_of", "_beside_integrals"):
        search = getattr(searches, name)
        monkeypatch.setattr(searches, name, lambda *given, of=name, by=search: begun.append(of) or by(*given))
    kept = [i.expression for i in searches.first_integrals_of(motion)]
    assert begun == ["_integrals_of"]  # who asks for these need not wait for the rest
    assert motion.objects()["first_integrals"] == kept
    assert claim(motion, "adjoint symmetries").verdict.holds
    assert begun == ["_integrals_of", "_beside_integrals"]
    assert searches.findings(derive(gallery.load(DISC))) is not searches.findings(motion)  # the twin: another result
    assert len(begun) == 4
    key = id(motion)
    assert key in searches._FOUND
    assert key in searches._INTEGRALS
    del motion
    gc.collect()
    assert key not in searches._FOUND
    assert key not in searches._INTEGRALS


@pytest.mark.parametrize("name", ["snakeboard", "appell-hamel"])
def test_a_derivation_decides_no_theorem_and_searches_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a theorem was asked")

    monkeypatch.setattr(ProofBudget, "__init__", refuse)
    monkeypatch.setattr(searches, "_found", refuse)
    motion = lagrange_dalembert.derive(gallery.load(name))
    assert motion.equations.monitors
    with pytest.raises(AssertionError, match="a theorem was asked"):  # the twin: it would be seen
        claims(motion)


def test_what_is_not_searched_has_no_integrals_to_list() -> None:
    free = System.of(name="free", coordinates="x", lagrangian="x'^2/2")
    assert searches.first_integrals_of(euler_lagrange.derive(free)) == ()
    stated = System.of(name="free", coordinates="x", equations={"x''": "0"})
    assert searches.first_integrals_of(given_equations.derive(stated))


def test_a_long_snake_is_not_searched_and_says_so() -> None:
    snake = derive(gallery.load("wheeled-snake:10"))
    said = claim(snake, "searches")
    assert said.role == "question"
    assert said.verdict.kind == "undecided"
    assert "symmetries" not in snake.objects()


def test_assumed_facts_are_used_by_the_searches() -> None:
    """With dV/dy = 0 assumed the velocity along y is kept; without it nobody knows."""
    stated = {
        "name": "unknown potential",
        "coordinates": "x y z",
        "functions": {"V": {"of": ["x", "y"]}},
        "lagrangian": "(x'^2 + y'^2 + z'^2)/2 - V(x, y)",
        "constraints": {"slope": "z' = x*x'"},
    }
    for assume, count in (({"flat": "D(V, 2)(x, y) = 0"}, 1), (None, 0)):
        system = System.of(**stated, **({"assume": assume} if assume else {}))
        found = find_first_integrals(field_of(derive(system)), Ansatz(1, 0))
        assert found.dimension == count
        if assume:
            assert is_zero(found.basis[0].expression - system.v[1]).holds
            assert found.complete.kind == "undecided"


def test_relations_under_a_fact_about_a_parameter() -> None:
    system = System.of(name="two masses", coordinates="x", parameters={"a": 1, "b": 1}, lagrangian="x'^2/2")
    a, b = system.parameters
    x = system.q[0]
    assert relations([[a * x], [x]]).basis == relations([[a * x], [x]], [(b, 2 * a)]).basis
    assert len(relations([[a * x + b], [x]]).basis) == 0
    assert len(relations([[a * x + b - 2 * a], [x]], [(b, 2 * a)]).basis) == 1


def test_small_systems_are_proved_and_large_ones_certain() -> None:
    long = {c.name: c.verdict.kind for c in claims(result(DISC), effort=20.0)}
    assert set(long.values()) == {"proved"}
    quick = {c.name: c.verdict.kind for c in claims(result(DISC), effort=0.0)}
    assert quick["multipliers"] == "certain"
    assert list(quick) == list(long)


def test_a_shared_time_ends() -> None:
    system = gallery.load(DISC)
    x = system.q[2]
    proofs = ProofBudget(0.0)
    assert proofs.all_vanish({"one": (x + 1) ** 2 - x**2 - 2 * x - 1}).kind == "certain"
    assert ProofBudget(20.0).all_vanish({"one": (x + 1) ** 2 - x**2 - 2 * x - 1}).kind == "proved"
    wrong = ProofBudget(20.0).all_vanish({"one": x - x, "two": (x + 1) ** 2 - x**2 - 2 * x})
    assert wrong.kind == "refuted"
    assert wrong.evidence.startswith("two")


def test_where_regularity_fails_is_named() -> None:
    assert "everywhere" in claim(result(DISC), "regular").statement
    bead = System.of(
        name="bead",
        coordinates="x y z",
        lagrangian="x^2*x'^2/2 + y'^2/2 + z'^2",
        constraints={"slope": "z' = y*y'"},
    )
    said = claim(derive(bead), "regular")
    assert said.role == "hypothesis"
    assert said.verdict.kind == "proved"
    assert "fails where x = 0" in said.statement
    x, y, _ = bead.q
    assert "fails where x = 0" in regularity_claim([[x**2 * (1 + y**2)]], said.verdict, "it").statement


def test_the_energy_of_a_machine_with_one_freedom_is_told_once():
    """A lift on scissors, where x = 2 l cos(a), has other formulas for it; with a second freedom others stay."""
    lift = {
        "name": "lift",
        "coordinates": {"x": "real", "y": "real", "a": "angle"},
        "parameters": {"m": 4, "J": "1/3", "g": 10, "k": 60, "l": 1},
        "lagrangian": "m*(x'^2 + y'^2)/2 + J*a'^2 - m*g*y - k*x^2/2",
        "holonomic": {"slides": "x = 2*l*cos(a)", "rises": "y = 2*l*sin(a)"},
    }
    found = searches.first_integrals_of(lagrange_dalembert.derive(System.of(**lift)))
    assert sorted(one.name for one in found) == ["constraint", "constraint", "energy"]
    free = System.of(
        name="two carts",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + 2*z'^2)/2",
        holonomic={"coupled": "x = y"},
    )
    assert "" in {one.name for one in searches.first_integrals_of(lagrange_dalembert.derive(free))}


def test_what_was_not_decided_asks_for_no_parameters_where_there_are_none():
    """Logarithms of positive things cancel in a sum, which a search by random points does not see."""
    system = System.of(
        name="sledge",
        coordinates={"x": "positive", "y": "positive", "z": "real"},
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        constraints={"c": "z' = x'*(log(x*y) - log(x) - log(y) + y)"},
    )
    told = [claim.verdict.evidence for claim in claims(derive(system)) if claim.verdict.kind == "undecided"]
    assert told
    assert not any("parameter" in why for why in told)
