"""The laws that are shipped hold, their wrong twins are caught, and what is asked wrongly is refused in a sentence."""

import sys
from dataclasses import replace

import pytest
from toy_formalism import FORMALISM, Newton

from dalembert import System, gallery
from dalembert.errors import MissingExtra, WrongKind
from dalembert.expr.graph import ONE
from dalembert.expr.readers import Balls, Floats, Rationals
from dalembert.expr.truth import Verdict
from dalembert.expr.walk import substitute
from dalembert.mechanics import registry
from dalembert.mechanics.derivation import derive
from dalembert.testing import Law, check_laws, laws, random_nonholonomic_system, random_system, reader_laws, uncaught
from dalembert.testing.motion_laws import Motion, obeys_constraints

registry._REGISTERED.pop(FORMALISM.name, None)  # what reading the file registered is not for other tests

SLOW = {"Bianchi's second identity": (1,), "Bianchi's first identity": (1, 2), "d by brackets": (1, 2)}
"""Laws of geometry that take tenths of a second a seed, and the seeds they are tried on."""


@pytest.mark.parametrize("law", laws("geometry"), ids=lambda law: law.name)
@pytest.mark.thorough("Bianchi's second identity", "Bianchi's first identity")
def test_laws_of_geometry(law):
    for seed in SLOW.get(law.name, (1, 2, 3)):
        assert law.claim(seed).verdict.holds is True
        assert law.twin_is_caught(seed)


@pytest.mark.parametrize("law", laws("expressions"), ids=lambda law: law.name)
def test_laws_of_expressions(law):
    assert law.claim(1).verdict.holds is True
    assert law.twin_is_caught(1)


@pytest.mark.parametrize("reader", [Floats, Rationals, Balls])
def test_laws_of_readers(reader):
    assert not any(claim.failed for claim in reader_laws(reader))
    silent = {claim.name for claim in reader_laws(reader) if claim.verdict.holds is None}
    assert silent == ({"functions", "turns"} if reader is Rationals else set())
    assert [law.name for law in laws("reader") if law.name not in silent and not law.twin_is_caught(reader)] == []


def test_every_law_has_a_name_a_statement_and_a_twin():
    rows = laws()
    assert len({(law.name, law.statement) for law in rows}) == len(rows)
    assert all(law.name and law.statement and law.wrong for law in rows)


# -- systems -----------------------------------------------------------------------------------------------------
TILTED = System.of(
    name="skate on a slope that turns",
    coordinates={"x": "real", "y": "real", "th": "angle"},
    parameters={"m": 1, "J": 2, "g": 9.81},
    lagrangian="m*(x'^2 + y'^2)/2 + J*th'^2/2 - m*g*x*cos(t)",
    constraints={"blade": "x'*sin(th) = y'*cos(th)"},
    forces={"th": "-th'", "x": "-x'"},
    symmetry={"across": {"y": 1}},
)


@pytest.mark.parametrize("system", [TILTED, random_system(3), random_nonholonomic_system(8)], ids=lambda one: one.name)
@pytest.mark.thorough("skate on a slope that turns", "drawn 8")
def test_a_system_obeys_every_law_and_every_twin_is_caught(system):
    told = {"formalisms": ["euler-lagrange", "nonholonomic", "semisymplectic"]}  # all of them: tests/long
    claims = check_laws(system, **told)
    assert [claim.name for claim in claims if claim.verdict.holds is not True] == []
    assert uncaught(system, **told) == ()


@pytest.mark.parametrize("name", ["kepler", "chaplygin-sleigh", "perpendicular-velocities"])
@pytest.mark.thorough("chaplygin-sleigh")
def test_systems_of_the_gallery_obey_the_laws_of_motion(name):
    system = gallery.load(name)
    for only in ("constraints", "virtual work", "energy balance", "Jacobi"):
        assert [claim for claim in check_laws(system, only=only) if claim.verdict.holds is False] == []


def test_jacobi_is_tried_where_it_is_claimed():
    straight = System.of(name="rail", coordinates="x y", lagrangian="(x'^2 + y'^2)/2", constraints={"c": "y' = 2*x'"})
    (claim,) = check_laws(derive(straight, "semisymplectic"), only="Jacobi")
    assert claim.verdict.holds is True
    assert uncaught(derive(straight, "semisymplectic"), only="Jacobi") == ()
    assert check_laws(derive(gallery.load("nonholonomic-particle"), "semisymplectic"), only="Jacobi") == ()


# -- a formalism of one's own ------------------------------------------------------------------------------------
FALL = System.of(name="fall", coordinates="x z", lagrangian="(x'^2 + z'^2)/2 - z^3 - x*z")


def test_a_formalism_of_ones_own_is_judged_by_the_same_laws():
    claims = check_laws(FALL, formalisms=[FORMALISM, "euler-lagrange"])
    assert {claim.name for claim in claims} > {"virtual work: newton", "energy balance: newton", "agreement"}
    assert all(claim.verdict.holds is True for claim in claims)
    assert uncaught(FALL, formalisms=[FORMALISM, "euler-lagrange"]) == ()


def test_a_formalism_that_is_wrong_is_refuted():
    equations = FORMALISM.derive(FALL).equations
    wrong = Newton(FALL, replace(equations, force=(ONE, *equations.force[1:])))
    assert {claim.name for claim in check_laws(wrong) if claim.failed} == {"virtual work", "energy balance"}


# -- what is asked wrongly ---------------------------------------------------------------------------------------
def test_what_has_no_laws_is_refused_in_words():
    with pytest.raises(WrongKind, match="there are no laws of 'sytem'; ask for those of system, formalisms"):
        laws("sytem")
    with pytest.raises(WrongKind, match="check_laws takes a system, or what a formalism derived, not a number"):
        check_laws(3)


def test_a_law_that_cannot_fail_is_seen():
    """The wrong twin of the twins: a law whose twin holds too says nothing."""
    idle = Law("idle", "anything goes", lambda _: Verdict("proved", ""), lambda _: Verdict("proved", ""), "nothing")
    assert idle.claim(1).verdict.holds is True
    assert not idle.twin_is_caught(1)


def test_without_hypothesis_the_laws_are_there_and_strategies_say_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    for name in [name for name in sys.modules if name.startswith("dalembert.testing")]:
        monkeypatch.delitem(sys.modules, name)
    import dalembert.testing as fresh

    assert fresh.laws("system")
    with pytest.raises(MissingExtra, match=r"pip install 'dalembert\[testing\]'"):
        fresh.expressions  # noqa: B018


@pytest.mark.parametrize("formalism", ["nonholonomic", "chaplygin"])
def test_a_ball_that_turns_too_slowly_does_not_roll(formalism):
    """Constraints that a motion breaks are no relations of its variables: by its rate alone this one would be kept."""
    ball = gallery.load("plate-and-ball")
    result = derive(ball, formalism)
    radius = next(p for p in result.equations.parameters if p.data.name == "r")

    def slow(table):
        return dict(zip(table, substitute(list(table.values()), {radius: 2 * radius}), strict=True))

    tables = {"kinematics": result.equations.kinematics, "reconstruction": result.equations.reconstruction}
    twin = replace(result.equations, **{name: slow(table) for name, table in tables.items()})
    assert obeys_constraints(Motion(ball, result.equations)).holds is True
    assert obeys_constraints(Motion(ball, twin)).holds is False


@pytest.mark.parametrize(("name", "formalism"), [("suslov", "chaplygin"), ("veselova", "reduced")])
def test_angular_velocities_that_constraints_relate_are_taken_where_these_hold(name, formalism):
    motion = Motion(gallery.load(name), derive(gallery.load(name), formalism).equations)
    assert len(motion.relations) == 1
    assert obeys_constraints(motion).holds is True
    assert uncaught(motion.system, formalisms=[formalism], only="constraints") == ()


@pytest.mark.parametrize("name", ["heavy-top", "kovalevskaya-top"])
def test_the_json_of_an_entry_of_a_rotation_whose_rate_is_a_variable_is_read_back(name):
    """The entry has its name for what it is of the quaternion, and its rate the name of a coordinate's rate."""
    (claim,) = check_laws(gallery.load(name), formalisms=["routh"], only="JSON")
    assert claim.verdict.holds is True
    assert uncaught(gallery.load(name), formalisms=["routh"], only="JSON") == ()
