"""Reductions of systems that state no symmetry: what is taken is what a hand would have stated, and is said."""

import json

import pytest
from commanding import command

from dalembert import System, check, claims, derive, is_zero, simulate
from dalembert.analysis.discovery.point_symmetries import noether_symmetries
from dalembert.analysis.motions import Motions
from dalembert.errors import DalembertError, HypothesisError, ModelError
from dalembert.expr.graph import ONE, ZERO
from dalembert.mechanics.found_symmetries import find_symmetries, symmetry_lines, with_symmetry
from dalembert.mechanics.second_order.search.linear_search import combination_of
from dalembert.model.files import dumps, loads
from dalembert.model.parts import Generator
from dalembert.model.symmetries import written
from dalembert.model.table import Table

PLANE = {"x": "real", "y": "real", "h": "angle"}
TURN = {"x": "-y", "y": "x", "h": 1}
SE2 = {"e1": {"x": 1}, "e2": {"y": 1}, "e3": TURN}


def kepler():
    return System.of(name="Kepler's problem in the plane", coordinates="x y", parameters={"mu": 1},
                     lagrangian="(x'^2 + y'^2)/2 + mu/sqrt(x^2 + y^2)")  # fmt: skip


def racer():
    """A roller racer: two bodies with a pin between them, an axle with wheels under each."""
    return System.of(
        name="roller racer", coordinates={**PLANE, "s": "angle"}, parameters={"m": 1, "J": 2, "K": 1, "a": 1, "b": 2},
        lagrangian="m*(x'^2 + y'^2)/2 + J*h'^2/2 + K*(h' + s')^2/2",
        constraints={"rear": "y'*cos(h) = x'*sin(h)",
                     "front": "y'*cos(h + s) - x'*sin(h + s) + a*cos(s)*h' + b*(h' + s') = 0"},
    )  # fmt: skip


def sleigh():
    return System.of(
        name="sleigh", coordinates=PLANE, parameters={"a": 0.2, "J": 1},
        lagrangian="((x' - a*h'*sin(h))^2 + (y' + a*h'*cos(h))^2 + J*h'^2)/2",
        constraints={"blade": "y'*cos(h) = x'*sin(h)"},
    )  # fmt: skip


def body():
    return System.of(name="body", coordinates={"R": "rotation"}, parameters={"I": 1, "J": 2, "K": 3},
                     lagrangian="(I*R.w1^2 + J*R.w2^2 + K*R.w3^2)/2")  # fmt: skip


def charge(field="B*(x*y' - y*x')/2"):
    """A charge in a uniform field, held in the middle of a trap along it: L is invariant up to total derivatives."""
    return System.of(
        name="charge", coordinates="x y z", parameters={"m": 1, "B": 2, "k": 3},
        lagrangian=f"m*(x'^2 + y'^2 + z'^2)/2 + {field} - k*z^2/2",
        start={"x": 1, "y": 0.5, "z": 0.2, "x'": 0.3, "y'": 0.4, "z'": 0.1},
    )  # fmt: skip


def charged_sleigh():
    mass = "((x' - a*h'*sin(h))^2 + (y' + a*h'*cos(h))^2 + J*h'^2)/2"
    return sleigh().but(parameters={"a": 0.2, "J": 1, "B": 3}, lagrangian=f"{mass} + B*(x*y' - y*x')/2 + h'*sin(2*h)")


def heisenberg():
    return System.of(name="Heisenberg", coordinates="x y z", lagrangian="(x'^2 + y'^2)/2",
                     constraints={"area": "z' = (x*y' - y*x')/2"})  # fmt: skip


STRANGER = System.of(
    name="no symmetry", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2 - x^4 - y^2*z", parameters={"k": 1},
    constraints={"slope": "z' = (x^2 + y)*x'"},
)  # fmt: skip
SHIFTS = {"e2": {"x": 1}, "e3": {"y": 1}}
LEFT = {f"e{k}": {"R": f"left {k}"} for k in (1, 2, 3)}
BY_HAND = {
    "a planet": (kepler, "routh", {"e1": {"x": "-y", "y": "x"}}),
    "a vehicle by its shifts": (racer, "chaplygin", SE2),
    "a vehicle by the motions of the plane": (racer, "semisymplectic", SE2),
    "a sleigh": (sleigh, "vakonomic", SE2),
    "a sleigh on its algebra": (sleigh, "reduced", SE2),
    "a body": (body, "routh", LEFT),
    "a charge on its level set": (charge, "routh", SHIFTS),
    "a charge by its velocities": (charge, "reduced", SHIFTS),
    "a charged sleigh on its base": (charged_sleigh, "chaplygin", SE2),
}


@pytest.mark.parametrize("case", BY_HAND)
def test_what_is_found_gives_what_a_hand_would_have_stated(case):
    system, formalism, table = BY_HAND[case]
    found, stated = derive(system(), formalism), derive(system().but(symmetry=table), formalism)
    assert found.system.found.statement.startswith(
        f"no symmetry is stated; dalembert found and uses {next(iter(table))} = "
    )
    assert found.system.symmetry == stated.system.symmetry
    assert found.equations.state == stated.equations.state
    for several in ("rates", "monitors"):
        ours, theirs = getattr(found.equations, several), getattr(stated.equations, several)
        ours, theirs = (ours(), theirs()) if several == "rates" else (ours, theirs)
        assert list(ours) == list(theirs)
        assert all(is_zero(a - b).holds for a, b in zip(ours.values(), theirs.values(), strict=True))
    assert loads(f"{dumps(system())}\n{symmetry_lines(found.system)}\n") == system().but(symmetry=table)


def test_reduction_to_shapes_and_noether_run_on_what_is_found():
    ours, theirs = (derive(s, "semisymplectic").reduce_to_shapes() for s in (sleigh(), sleigh().but(symmetry=SE2)))
    assert ours.bundle.base == ()
    assert all(is_zero(a - b).holds for a, b in zip(ours.momenta, theirs.momenta, strict=True))
    kept = claims(derive(sleigh(), "vakonomic"), only="momentum")
    assert [one.verdict.holds for one in kept] == [True] * 3


# -- what is found --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("system", [racer, heisenberg])
def test_each_carries_motions_to_motions_and_discovery_has_them_all(system):
    """Two derivations: fields that leave the statement as it is, fields that commute with the motion."""
    stated, motions = system(), Motions(system())
    found = find_symmetries(stated)
    assert all(motions.carried_by(one).holds for one in found.generators.values())
    bent = Generator(Table({stated.q[0]: stated.q[0] ** 2}))
    assert motions.carried_by(bent).holds is False  # and a field that is none does not
    lasting = [one.generator for one in noether_symmetries(motions).basis if not one.generator.moves_time]
    rows = [[one.components.get(q, ZERO) for q in stated.q] for one in found.generators.values()]
    assert len(lasting) == len(rows)
    assert all(combination_of(rows, [one.components.get(q, ZERO) for q in stated.q]) for one in lasting)


def test_fields_that_are_no_shifts_and_coefficients_with_parameters():
    said = [written(one) for one in find_symmetries(heisenberg()).generators.values()]
    assert said == ["d/dz", "-y d/dx + x d/dy", "-2 d/dy + x d/dz", "2 d/dx + y d/dz"]
    screw = System.of(name="screw", coordinates={"x": "real", "a": "angle"}, parameters={"r": 2, "m": 1},
                      lagrangian="m*x'^2/2 + a'^2/2 + cos(x/r - a)")  # fmt: skip
    (one,) = find_symmetries(screw).generators.values()
    assert written(one) == "r d/dx + d/da"
    assert derive(screw, "routh").equations.state


def test_symmetries_up_to_total_derivatives():
    found = find_symmetries(charge())
    assert {name: str(gauge) for name, gauge in found.gauges.items()} == {"e2": "B*y/2", "e3": "-B*x/2"}
    assert [*found.strict.generators] == ["e1"]
    uneven = find_symmetries(charge("B*x^2*y'"))  # the field grows with x: no shift along x, not up to anything
    assert [written(one) for one in uneven.generators.values()] == ["d/dy"]
    exact = find_symmetries(charge("B*(x*y' + y*x')"))  # no field at all: L differs from another one by a derivative
    assert [written(one) for one in exact.generators.values()] == ["d/dx", "d/dy", "-y d/dx + x d/dy"]
    assert [*exact.gauges] == ["e1", "e2", "e3"]
    semi = derive(charged_sleigh(), "semisymplectic")  # which takes those of L itself where there are any
    assert [*semi.system.symmetry] == [*find_symmetries(charged_sleigh()).gauges]


def test_reduced_and_reconstructed_the_motion_is_the_whole_one():
    whole = simulate(derive(charge(), "euler-lagrange"), time=4, engine="scipy", tolerance=1e-11, samples=9)
    for formalism in ("routh", "reduced"):
        run = simulate(derive(charge(), formalism), time=4, engine="scipy", tolerance=1e-11, samples=9)
        for name in "xyz":
            assert abs(run[name] - whole[name]).max() < 1e-9
    names = [claim.name for claim in derive(charge(), "reduced").hypotheses]
    assert "linear terms as forces" in names
    kept = claims(derive(charged_sleigh(), "vakonomic"), only="momentum")
    assert [one.verdict.holds for one in kept] == [True] * 3
    assert sum("less F, is conserved" in one.statement for one in kept) == 3


def test_an_ideal_of_combinations_is_taken_where_it_is_larger():
    """Two masses in the plane, equal and coupled by their distances from a centre: the second summand of so(4)."""
    free, field = "(x'^2 + y'^2 + u'^2 + v'^2)/2", "k*(x*v' - v*x' + y*u' - u*y')"
    two = System.of(name="two masses", coordinates="x y u v", parameters={"k": 2},
                    lagrangian=f"{free} - (x^2 + y^2 + u^2 + v^2)^2 + {field}")  # fmt: skip
    found = find_symmetries(two)
    names = next(found.groups())
    assert len(names) == 3
    assert found.combined.keys() >= {*names}
    motions = Motions(two)
    assert all(motions.carried_by(found.combined[name]).holds for name in names)
    chosen = with_symmetry(two, ",".join(names))
    assert [*chosen.symmetry] == [*names]
    assert loads(f"{dumps(two)}\n{symmetry_lines(chosen)}\n").symmetry == chosen.symmetry


def test_a_symmetry_of_the_lagrangian_alone_is_not_taken():
    twin = System.of(name="particle", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2",
                     constraints={"slope": "z' = y*x'"})  # fmt: skip
    y = twin.q[1]
    found = find_symmetries(twin)
    assert [written(one) for one in found.generators.values()] == ["d/dx", "d/dz"]  # y can be shifted in L only
    assert Motions(twin).carried_by(Generator(Table({y: ONE}))).holds is False
    assert [*derive(twin, "chaplygin").group] == ["e2"]
    with pytest.raises(HypothesisError, match="does not keep the constraint slope"):
        derive(twin, "chaplygin", symmetry={"wrong": {"y": 1}})


def test_the_largest_group_that_acts_freely_is_taken():
    free = System.of(name="free", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2 - (x^2 + y^2 + z^2)^2")
    found = find_symmetries(free)
    assert len(found.generators) == 3  # rotations of space, whose orbits are spheres
    assert list(found.groups()) == [("e1",), ("e2",), ("e3",)]
    said = derive(free, "routh").system.found.statement
    assert (
        "found and uses e1 = -y d/dx + x d/dy; found and left out (the largest group that acts freely is taken): e2"
        in said
    )


# -- what is said ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("formalism", ["chaplygin", "routh"])
def test_a_system_without_symmetry_is_refused_in_words(formalism):
    system = STRANGER if formalism == "chaplygin" else STRANGER.but(constraints=None)
    with pytest.raises(HypothesisError, match="no generators are stated, and none was found among fields with comp"):
        derive(system, formalism)


def test_what_else_is_missing_is_said_and_nothing_is_searched(monkeypatch):
    monkeypatch.setattr("dalembert.mechanics.found_symmetries._search", lambda _: pytest.fail("it was searched"))
    with pytest.raises(HypothesisError, match="does not take constraints") as refusal:
        derive(sleigh(), "routh")
    assert "[symmetry]" not in str(refusal.value)
    derive(sleigh(), "nonholonomic")
    derive(kepler(), "euler-lagrange")
    derive(sleigh().but(symmetry=SE2), "chaplygin")
    derive(sleigh(), "vakonomic", symmetry="none")
    with pytest.raises(HypothesisError, match="no generators are stated"):
        derive(kepler(), "routh", symmetry="none")


def test_symmetries_are_no_reason_why_forces_have_no_place():
    with pytest.raises(HypothesisError, match="forces") as refusal:
        derive(sleigh().but(forces={"h": "-h'/10"}), "vakonomic")
    assert "[symmetry]" not in str(refusal.value)


def test_another_one_is_chosen(tmp_path):
    stated = sleigh().but(symmetry=SE2)
    assert [*derive(stated, "vakonomic", symmetry=["e3"]).system.symmetry] == ["e3"]
    assert derive(stated, "vakonomic", symmetry="found").system.found is not None
    assert [*derive(sleigh(), "chaplygin", symmetry="e2").system.symmetry] == ["e2"]
    for wrong, words in {"e9": "no symmetry 'e9'; found: e1 = d/dx, e2", "": "no symmetry ''"}.items():
        with pytest.raises(DalembertError, match=words):
            derive(sleigh(), "chaplygin", symmetry=wrong)
    empty = tmp_path / "empty.toml"
    empty.write_text("name = 'x'")
    with pytest.raises(ModelError, match="no such table"):
        with_symmetry(sleigh(), empty)
    assert {*check(kepler(), "found symmetries", symmetry="found")} == {"routh", "reduced"}


def test_the_commands_say_so_and_take_another(tmp_path):
    model, own = tmp_path / "sleigh.toml", tmp_path / "own.toml"
    model.write_text(dumps(sleigh()))
    own.write_text('[symmetry]\nacross = { y = "1" }\n')
    told = command("derive", str(model), "--as", "chaplygin", "--equations").out
    assert 'e3 = { x = "-y", y = "x", h = "1" }' in told
    assert "No symmetry is stated; dalembert found and uses e1 = d/dx" in told
    answer = json.loads(command("derive", str(model), "--as", "chaplygin", "--equations", "--json").out)
    assert answer["found_symmetry"]["symmetry"]["e3"] == {"x": "-y", "y": "x", "h": "1"}
    other = command("derive", str(model), "--as", "chaplygin", "--equations", "--symmetry", str(own))
    assert "h'' =" in other.out
    assert "No symmetry is stated" not in other.out
    none = command("derive", str(model), "--as", "chaplygin", "--symmetry", "none")
    assert none.status == 1
    assert "no generators are stated" in none.err


def satellite(mass, tie):
    """A body in space with a mass on a spring at the end of a rod, or at its centre."""
    parameters = {"m": 2, "M": 3, "l": 1.5} if mass == "m" else {"M": 3, "l": 1.5}
    places = dict.fromkeys(["x", "y", "z", "u", "v", "w"], "real")
    return System.of(
        name="satellite", coordinates={"R": "rotation", **places}, parameters=parameters,
        lagrangian=f"(R.w1^2 + 2*R.w2^2 + 3*R.w3^2)/2 + M*(x'^2 + y'^2 + z'^2)/2 + {mass}*(u'^2 + v'^2 + w'^2)/2"
        f" - (x{tie}*R.e3x - u)^2 - (y{tie}*R.e3y - v)^2 - (z{tie}*R.e3z - w)^2",
        start={"R.w1": 0.3, "R.w2": 0.8, "x": 0.3, "u": 1, "v": -0.4, "w": 0.2, "x'": 0.2, "u'": 0.4, "w'": 0.3},
    )  # fmt: skip


@pytest.mark.thorough("2")
@pytest.mark.parametrize("mass", ["m", "2"])
def test_motions_of_the_whole_come_before_those_of_a_mass_centre(mass):
    found = find_symmetries(satellite(mass, "+l"))
    assert len(found.generators) == 9
    assert next(found.groups()) == ("e1", "e2", "e3", "e4", "e5", "e6")
    assert written(found.generators["e6"]) == "-y d/dx + x d/dy - v d/du + u d/dv + R about z of space"


@pytest.mark.thorough
def test_routh_takes_an_ideal_where_by_more_generators_nothing_can_be_divided_out():
    system = satellite("m", "+0")
    found = derive(system, "routh")
    assert not found.undivided
    assert len(found.equations.state) == 9
    names = next(find_symmetries(system).groups())
    assert len(names) == 7
    whole = derive(system, "routh", symmetry=names)  # the wrong twin: all of N_mu
    assert whole.undivided
    assert len(whole.equations.state) == 19
    end = simulate(found, time=1, samples=2)
    other = simulate(derive(system, "euler-lagrange"), time=1, samples=2)
    assert [end[q][-1] for q in "xyzuvw"] == pytest.approx([other[q][-1] for q in "xyzuvw"], abs=1e-9)
