"""Discovery: textbook symmetries and integrals with nothing stated, planted ones, and none where there is none."""

import re
from dataclasses import replace

import pytest
from commanding import command
from planted_systems import KINDS, LARGE, holds, planted

from dalembert import System, claims, derive, gallery, is_zero
from dalembert.analysis.discovery import field_ansatz, measures
from dalembert.analysis.discovery.alphabets import with_roots
from dalembert.analysis.discovery.densities import InvariantVolume, find_density
from dalembert.analysis.discovery.discover import Discovery, _ansatz, discover
from dalembert.analysis.discovery.first_integrals import Integral, new_ones, search_integrals
from dalembert.analysis.discovery.letters import Letters, letters_of
from dalembert.analysis.discovery.momenta import known_integrals
from dalembert.analysis.discovery.moving_energies import moving_energies
from dalembert.analysis.discovery.point_symmetries import noether_symmetries
from dalembert.analysis.motions import Motions
from dalembert.analysis.own_claims import decide_claim
from dalembert.errors import DalembertError
from dalembert.expr.calculus import tangent
from dalembert.expr.graph import ONE, symbol
from dalembert.expr.truth import Verdict, vanish
from dalembert.expr.walk import symbols
from dalembert.geometry.integrals import independent
from dalembert.mechanics.lagrangian.jets import energy
from dalembert.mechanics.registry import obvious_formalism
from dalembert.present.discovered_page import discovered_blocks
from dalembert.present.page import Section
from dalembert.present.text_writer import brief, in_text
from dalembert.present.things import page_of

PLANE = "(x'^2 + y'^2)/2"


def knows(system: System, found: Discovery, function: str) -> bool:
    """Say whether a function is a polynomial in the integrals found; the same of one that is none must fail."""
    motions = Motions(system)
    have = [one.expression for one in (*found.known, *found.found)]
    return new_ones(motions, [motions.names.expression(function)], have) == []


def plane(potential: str, **more) -> System:
    return System.of(name="plane", coordinates="x y", lagrangian=f"{PLANE} - ({potential})", **more)


def test_kepler():
    kepler = gallery.load("kepler")
    found = discover(kepler)
    assert found.noether.name == "R + so(3)"
    assert [one.written for one in found.more] == ["2*x d/dx + 2*y d/dy + 2*z d/dz + 3*t d/dt"]
    assert knows(kepler, found, "m*(x'*(x*x' + y*y' + z*z') - x*(x'^2 + y'^2 + z'^2)) + k*x/sqrt(x^2 + y^2 + z^2)")
    assert not knows(kepler, found, "m*(x'*(x*x' + y*y' + z*z') - x*(x'^2 + y'^2 + z'^2)) - k*x/sqrt(x^2 + y^2 + z^2)")
    assert len(found.independent) == 5
    assert found.brackets.name == "so(4) where E < 0, se(3) where E = 0, so(3,1) where E > 0"


def test_potentials_whose_forces_alone_stand_in_the_equations():
    """A force 2/x^3 has the potential 1/x^2, which is no letter of the equations (Smorodinsky and Winternitz)."""
    walls = plane("w*(x^2 + y^2)/2 + a/x^2 + b/y^2", parameters="w a b")
    found = discover(walls)
    assert knows(walls, found, "x'^2 + w*x^2 + 2*a/x^2")
    assert knows(walls, found, "(x*y' - y*x')^2 + 2*a*y^2/x^2 + 2*b*x^2/y^2")
    assert not knows(walls, found, "(x*y' - y*x')^2 + 2*a*y^2/x^2 - 2*b*x^2/y^2")
    coupled = walls.but(lagrangian=f"{PLANE} - w*(x^2 + y^2)/2 - a/x^2 - b/y^2 - x*y^3")
    assert discover(coupled).found == ()


def test_powers_of_an_integral_are_no_new_ones():
    """z - 3*y is kept by the constraint, and so are its powers, which one search finds all together."""
    held = System.of(
        name="held",
        coordinates="x y z",
        parameters="a b",
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - a/x^2 - b/y^2",
        constraints={"c": "z' = 3*y'"},
    )
    found = discover(held)
    told = [repr(one.shown) for one in (*found.known, *found.found)]
    assert "3*y - z" in told
    assert not {"(3*y - z)^2", "(z - 3*y)^2", "(z - 3*y)^3", "(3*y - z)^4"} & set(told)


@pytest.mark.parametrize(
    ("potential", "degree", "count"),
    [
        ("(x^2 + y^2)/2 + x^2*y + y^3/3", 2, 1),  # Henon-Heiles 1:1
        ("(3*x^2 + 5*y^2)/2 + x^2*y + 2*y^3", 2, 1),  # 1:6
        ("(x^2 + 16*y^2)/2 + x^2*y + 16*y^3/3", 4, 1),  # 1:16
        ("(x^2 + y^2)/2 + x^2*y + 7*y^3/5", 4, 0),
    ],
)
def test_henon_heiles(potential, degree, count):
    system = plane(potential)
    motions = Motions(system)
    energy = Integral(motions.names.expression(f"{PLANE} + {potential}"), Verdict("proved", ""), ONE)
    search = search_integrals(motions, letters_of(system, motions.names.equations), degree, 120, [energy])
    assert len(search.found) == count


@pytest.mark.thorough
def test_three_particles_of_toda():
    toda = System.of(
        name="Toda",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - exp(x - y) - exp(y - z) - exp(z - x)",
    )
    motions = Motions(toda)
    found = search_integrals(motions, letters_of(toda, motions.names.equations), 3, 400).found
    cubic = "x'^3 + y'^3 + z'^3 + 3*exp(x - y)*(x' + y') + 3*exp(y - z)*(y' + z') + 3*exp(z - x)*(z' + x')"
    have = [one.expression for one in found]
    assert new_ones(motions, [motions.names.expression(cubic)], have) == []
    assert new_ones(motions, [motions.names.expression(cubic.replace("+ 3*exp(x - y)", "- 3*exp(x - y)"))], have) == [0]


def test_beside_a_constraint_on_positions():
    """Neumann's point on a sphere: Uhlenbeck's integral, none with a sign changed; the sphere itself is not new."""
    sphere = System.of(
        name="Neumann",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + z'^2 - x^2 - 2*y^2 - 4*z^2)/2",
        holonomic={"sphere": "x^2 + y^2 + z^2 = 1"},
    )
    motions = Motions(sphere)
    search = search_integrals(motions, letters_of(sphere, motions.names.equations), 2, 300)
    have = [one.expression for one in search.found]
    uhlenbeck = "x^2 - (x*y' - y*x')^2 - (x*z' - z*x')^2/3"
    assert len(have) == 2  # with the energy
    assert new_ones(motions, [motions.names.expression(uhlenbeck)], have) == []
    assert new_ones(motions, [motions.names.expression(uhlenbeck.replace("x^2 - (", "x^2 + ("))], have) == [0]


def test_roots_of_the_mass_matrix():
    """A particle with z' = y x' has x' sqrt(1 + y^2), whose root stands in no equation."""
    particle = gallery.load("nonholonomic-particle")
    motions = Motions(particle)
    letters = letters_of(particle, motions.names.equations)
    rooted = with_roots(motions, letters, [])
    (plain, found) = (search_integrals(motions, some, 1, 60).found for some in (letters, rooted))
    root = motions.names.expression("x'*sqrt(1 + y^2)")
    assert new_ones(motions, [root], [one.expression for one in plain]) == [0]
    assert new_ones(motions, [root], [one.expression for one in found]) == []


@pytest.mark.thorough
def test_names_for_speeds():
    """Veselova's body in angles: its integral is short in the angular velocities that the model has names for."""
    body = gallery.load("veselova-chart")
    found = discover(body)
    momentum = "(I1*W1)^2 + (I2*W2)^2 + (I3*W3)^2"
    vertical = "I1*W1*sin(theta)*sin(psi) + I2*W2*sin(theta)*cos(psi) + I3*W3*cos(theta)"
    assert knows(body, found, f"{momentum} - ({vertical})^2")
    assert not knows(body, found, momentum)
    assert found.integrability.quadratures.missing == 0


@pytest.mark.thorough
def test_a_ball_in_a_cylinder():
    """By angles, with names for its angular velocity: the momentum across the wall, with the height; not less it."""
    ball = System.of(
        name="ball",
        coordinates={"al": "angle", "z": "real", "th": "angle", "ps": "angle", "ph": "angle"},
        let={
            "W1": "th'*cos(ph) + ps'*sin(th)*sin(ph)",
            "W2": "th'*sin(ph) - ps'*sin(th)*cos(ph)",
            "W3": "ph' + ps'*cos(th)",
        },
        lagrangian="(9*al'^2 + z'^2)/2 + (W1^2 + W2^2 + W3^2)/5 - z",
        constraints={"around": "3*al' + W3 = 0", "up": "z' = W2*cos(al) - W1*sin(al)"},
    )
    found = discover(ball)
    assert knows(ball, found, "3*(W1*cos(al) + W2*sin(al)) + z*W3")
    assert not knows(ball, found, "3*(W1*cos(al) + W2*sin(al)) - z*W3")


def test_a_gauge_term_beside_a_rotation():
    """A charge that carries a magnet: shifts change L by a rate, which takes part in their momenta."""
    body = System.of(
        name="charge",
        coordinates={"x": "real", "y": "real", "R": "rotation"},
        lagrangian="x'^2 + y'^2 + 3*(x*y' - y*x') + R.w1^2 + R.w2^2 + 2*R.w3^2 + R.m33",
    )
    motions = Motions(body)
    momenta = {one.name: one.expression for one in known_integrals(motions, noether_symmetries(motions))}
    right, wrong = (motions.names.expression(e) for e in ("2*x' - 6*y", "2*x' - 3*y"))
    assert is_zero(momenta["momentum of d/dx"] - right).holds is True
    assert motions.keep(right).holds is True
    assert motions.keep(wrong).holds is False  # that of L alone


def test_an_orbit_of_a_constrained_body():
    """Veselova's body: |M|^2 - (M, gamma)^2, and what the momentum is in space, with no angle anywhere."""
    body = gallery.load("veselova")
    motions = Motions(body)
    gamma = [motions.names.expression(f"R.m3{k}") for k in (1, 2, 3)]
    omega = [motions.names.expression(f"R.w{k}") for k in (1, 2, 3)]
    search = search_integrals(motions, Letters(tuple(gamma), (), tuple(omega)), 2, 120)
    have = [one.expression for one in search.found]
    momentum = "(I1*R.w1)^2 + (I2*R.w2)^2 + (I3*R.w3)^2"
    along = f"{momentum} - (I1*R.w1*R.m31 + I2*R.w2*R.m32 + I3*R.w3*R.m33)^2"
    assert new_ones(motions, [motions.names.expression(f) for f in (along, momentum)], have) == [1]


def volume_of(system: System) -> InvariantVolume:
    motions = Motions(system)
    return find_density(motions, letters_of(system, motions.names.equations))


def test_invariant_volumes():
    """That of Chaplygin's ball, on the group; one that drag makes; none of a sleigh, whose motions draw together."""
    ball = volume_of(gallery.load("chaplygin-ball"))
    assert ball.verdict.holds is True
    assert "R.m31" in repr(ball.density)
    assert volume_of(gallery.load("chaplygin-sleigh")).density is None
    drag = System.of(name="drag", coordinates="x y", lagrangian=PLANE, forces={"x": "-3*x'*y'", "y": "-2*y'^2"})
    volume = volume_of(drag)
    names = " ".join(f"d{v!r}" for v in volume.variables)
    assert decide_claim(drag, f"{volume.density!r} density of {names}")[0].verdict.holds is True
    assert decide_claim(drag, f"y*({volume.density!r}) density of {names}")[0].verdict.holds is False


def test_exponentials_of_a_density():
    """A sledge that air slows down: no equation has exp(k x), of which the density is a power."""
    sledge = System.of(
        name="sledge",
        coordinates="x y",
        parameters=["k"],
        lagrangian=PLANE,
        forces={"x": "-k*x'^2", "y": "-k*x'*y'"},
    )
    found = discover(sledge)
    assert all(knows(sledge, found, one) for one in ("x'*exp(k*x)", "y'*exp(k*x)", "exp(k*x)*(x*y' - y*x')"))
    assert not knows(sledge, found, "x'*exp(-k*x)")
    assert found.brackets is None


def test_what_nobody_can_find_is_not_found():
    rough = plane("x^4 + 2*x^3*y + 5*x*y^3 + y^4/7")
    found = discover(rough)
    assert (len(found.known), len(found.found)) == (1, 0)  # the energy
    rubbed = System.of(name="rubbed", coordinates="x", lagrangian="x'^2/2 - x^4", forces={"x": "-x' - x'^3"})
    assert discover(rubbed).independent == ()


@pytest.mark.parametrize("seed", range(len(KINDS)))
@pytest.mark.thorough("1", "3", "5")
@pytest.mark.thorough("2")
def test_what_is_planted_is_found(seed):
    """One of each kind; the others are in the long tests."""
    assert holds(planted(seed))


def test_a_loop_that_turns():
    """Four bars about a pin of theirs: what is kept where the loop closes, and not where it would not."""
    plan = planted(1, LARGE)
    motions = Motions(plan.system)
    algebra = noether_symmetries(motions)
    assert [one.written for one in algebra.basis] == ["d/dp + d/da + d/db + d/dc", "d/dt"]
    told = [motions.names.expression(function) for function in (plan.integral, plan.wrong)]
    assert [motions.keep(function).holds for function in told] == [True, False]
    assert not vanish(tangent(told[:1], motions.names.drive))


@pytest.mark.thorough
def test_integrals_where_a_loop_closes():
    plan = planted(1, LARGE)
    motions = Motions(plan.system)
    found = search_integrals(motions, letters_of(plan.system, motions.names.equations), 1, 300)
    told = [motions.names.expression(function) for function in (plan.integral, plan.wrong)]
    assert new_ones(motions, told, [one.expression for one in found.found]) == [1]


@pytest.mark.thorough
def test_all_that_is_printed_can_be_claimed():
    """Each field and integral of the answer is a true claim of one's own; with a sign changed it is none."""
    sled = gallery.load("chaplygin-sleigh")
    found = discover(sled)
    for one in (*found.noether.basis, *found.more):
        assert decide_claim(sled, f"{one.written} symmetry")[0].verdict.holds is True
    stated = sled.but(symmetry={"e3": {"x": "-y", "y": "x", "theta": "1"}})
    assert found.stated["e3"] == '{ x = "-y", y = "x", theta = "1" }'
    assert set(stated.symmetry) == {"e3"}


def test_values_of_parameters():
    """A cubic force has its quadratic integral at one ratio of its parameters; the sentence says which answer it is."""
    ratio = {"a": 1, "b": 2}
    wide = plane("a*x^2*y + b*y^3", parameters=ratio)
    generic, given = discover(wide), discover(wide, exact_parameters=True)
    assert (len(generic.found), len(given.found)) == (0, 1)
    assert generic.values == "The answer is for generic values of a, b; special values may have more."
    assert given.values == "The answer is for the given values a = 1, b = 2."
    assert len(discover(plane("a*x^2*y + b*y^3", parameters={"a": 1, "b": 3}), exact_parameters=True).found) == 0


def test_what_constraints_keep():
    """Two wheels on an axle: the heading is what they have turned, a function that no sines and cosines are made of."""
    axle = System.of(
        name="axle",
        coordinates={"h": "angle", "p": "angle", "q": "angle"},
        lagrangian="h'^2 + p'^2 + q'^2",
        constraints={"turn": "3*h' = p' - q'"},
    )
    assert discover(axle).integrable.statement == "the constraint is integrable (3*h - p + q is constant)"


def test_equations_that_are_stated():
    """Two oscillators 1:2 that come from no Lagrangian: their energies, and the cubic integral of the resonance."""
    stated = System.of(name="stated", coordinates="x y", equations={"x''": "-x", "y''": "-4*y"})
    found = discover(stated)
    assert knows(stated, found, "x*x'*y' + y*(x^2 - x'^2)")
    assert not knows(stated, found, "x*x'*y' + y*(x^2 + x'^2)")
    assert len(found.independent) == 3


def test_moving_energy():
    """A ball on a turning table: the energy is kept less Om times a momentum, not alone, nor with another factor."""
    table = gallery.load("turning-table")
    motions = Motions(table)
    fields = noether_symmetries(motions, of="L").basis
    (moving,) = moving_energies(motions, fields)
    assert moving.name == "moving energy, less Om times the momentum of -y d/dx + x d/dy"
    whole = motions.names.expression(energy(table.lagrangian, table.q, 1))
    assert motions.keep(whole).holds is False
    assert motions.keep(2 * moving.expression - whole).holds is False


@pytest.mark.thorough
def test_tops():
    """Euler's: energy and the momentum in space; a general heavy one has the energy and (M, gamma) and no more."""
    free, general = (
        System.of(
            name="top", coordinates={"R": "rotation"}, lagrangian=f"(2*R.w1^2 + 3*R.w2^2 + 5*R.w3^2)/2 - ({weight})"
        )
        for weight in ("0", "R.m31 + 2*R.m32 + 7*R.m33")
    )
    found = discover(free)
    assert knows(free, found, "(2*R.w1)^2 + (3*R.w2)^2 + (5*R.w3)^2")
    assert len(found.independent) == 4
    found = discover(general)
    assert [one.name for one in (*found.known, *found.found)] == ["momentum of R left 3", "energy"]


def test_a_direction_turns_once():
    """A crane's load: the field is written by its axis alone, and what a model is told to state is that field."""
    load = System.of(
        name="load",
        coordinates={"x": "real", "y": "real", "n": "direction"},
        lagrangian="x'^2 + y'^2 + n.x'^2 + n.y'^2 + n.z'^2 + x'*n.x' + y'*n.y' - n.z",
    )
    algebra = noether_symmetries(Motions(load))
    (turn,) = [one for one in algebra.basis if one.generator.turns]
    assert turn.written == "-y d/dx + x d/dy + n left 3"
    assert turn.stated == '{ x = "-y", y = "x", n = "left 3" }'
    again = load.but(symmetry={"e": {"x": "-y", "y": "x", "n": "left 3"}}).symmetry["e"]
    assert {q: repr(e) for q, e in again.components.items()} == {
        q: repr(e) for q, e in turn.generator.components.items()
    }


def test_the_command(tmp_path):
    page = tmp_path / "sleigh.html"
    assert command("discover", "chaplygin-sleigh", "-o", str(page.with_suffix(".txt"))).status == 2
    ended = command("discover", "chaplygin-sleigh", "-o", str(page))
    assert ended.status == 0
    written = page.read_text(encoding="utf-8")
    parts = ("symmetries", "equations", "integrals", "measure", "integrability", "rank-two", "lagrangian")
    assert all(f'id="{part}"' in written for part in parts)
    everything = command("discover", "chaplygin-sleigh", "--full").out
    for told in (
        "  no   The motion preserves a smooth positive measure that does not depend on time.",
        "Of rank 2, in u, theta', with the energy as Hamiltonian:",
        "  no  The associated system of the second kind has a regular Lagrangian with these accelerations.",
        "Here u = x'*cos(theta) + y'*sin(theta).",
        "The constraint is not integrable:",
        "R + se(2)",
    ):
        assert told in ended.out
        assert told in everything
    for told in (
        "L alone has besides:",
        "Searched: polynomials in u, theta' with coefficients made of sin(theta), cos(theta): terms of",
        "The motion is purely kinetic",
        "[symmetry]",
    ):
        assert told not in ended.out
        assert told in everything
    assert len(ended.out.splitlines()) < len(everything.splitlines()) - 12
    assert not list(tmp_path.glob("*.txt"))
    with pytest.raises(DalembertError, match="discover takes a system"):
        discover("kepler")


@pytest.mark.thorough
def test_symmetries_of_equations_stay_where_constraints_on_positions_hold():
    """A ladder is not shifted along the floor alone, and a field that is zero where it stands moves nothing."""
    ladder = System.of(
        name="ladder",
        coordinates={"x": "real", "y": "real", "a": "angle"},
        lagrangian="(x'^2 + y'^2 + a'^2)/2 - y",
        holonomic={"foot": "y = sin(a)", "wall": "x = cos(a)"},
    )
    assert [one.written for one in discover(ladder).more] == []
    beam = ladder.but(holonomic={"floor": "y = 0"}, lagrangian="(x'^2 + y'^2 + a'^2)/2")
    boost = next(one for one in discover(beam).more if one.written == "t d/dx")
    assert repr(boost.gauge) == "x"  # of Noether's kind, beyond the degree in time that those are searched to


def test_motions_on_a_lie_algebra():
    """Energy and Casimir of a gyrostat, found by their combinations; Suslov's body, skew, has no measure."""
    gyrostat = System.of(
        name="gyrostat",
        parameters=["A", "B", "C", "h"],
        lagrangian="(A*w1^2 + B*w2^2 + C*w3^2)/2 + h*w3",
        algebra={"name": "so(3)", "velocities": ["w1", "w2", "w3"]},
    )
    found = discover(gyrostat)
    assert (len(found.independent), found.measures.full.answer) == (2, "found")
    casimir = "(A*w1)^2 + (B*w2)^2 + (C*w3 + h)^2"
    assert Motions(gyrostat).keep(casimir).holds is True
    assert Motions(gyrostat).keep(casimir.replace("+ h", "- h")).holds is False
    skew = gyrostat.but(lagrangian="(A*w1^2 + B*w2^2 + C*w3^2)/2 + h*w1*w3", constraints={"c": "w3 = 0"})
    assert discover(skew).measures.full.answer == "absent"


def test_what_was_not_searched_is_not_said_to_be_absent():
    """Where no integral was looked for the words say no more."""
    loop = System.of(
        name="loop",
        coordinates={"a": "angle", "b": "angle", "s": "positive"},
        parameters={"l": 2},
        lagrangian="a'^2/2 + b'^2/2 + s'^2/2 - cos(a)*s",
        forces={"a": "-a'"},
        holonomic={"x": "s*cos(b) + 1 = l*cos(a) + cos(b - a)", "y": "s*sin(b) = l*sin(a) + sin(b - a)"},
    )
    found = discover(loop)
    assert found.searches
    words = brief(page_of(replace(found, searches=(), known=())))
    assert "They were not searched." in words
    assert "None was found." not in words
    damped = System.of(name="damped", coordinates="x", lagrangian="x'^2/2 - x^4", forces={"x": "-x'"})
    assert "None was found." in brief(page_of(discover(damped)))


def test_a_long_chain_of_carts_is_searched_in_bounds_that_are_told(monkeypatch):
    """With fewer fields allowed those with waves are left out, and said so; the shift and the energy are found."""
    train = System.of(
        name="train",
        coordinates={"x": "real", "a": "angle", "b": "angle"},
        lagrangian="(x'^2 + (x' + a'*cos(a))^2 + a'^2 + (x' + b'*cos(b))^2 + b'^2)/2 + cos(a) + cos(b)",
    )
    for limits in ({"_MOST_FIELDS": 5, "_MOST_ALONE": 10}, {}):
        for name, most in limits.items():
            monkeypatch.setattr(field_ansatz, name, most)
        notes: list[str] = []
        ansatz = _ansatz(Motions(train), notes, deep=False)
        assert (ansatz.angles == 0) is bool(limits)
        assert any("sines and cosines of angles were not tried" in one for one in notes) is bool(limits)
        found = noether_symmetries(Motions(train), ansatz)
        assert [one.written for one in found.basis] == ["d/dx", "d/dt"]
        monkeypatch.undo()
    monkeypatch.setattr(measures, "_LARGEST", 5)
    assert "more than 5 nodes" in measures._left_out(Motions(train))
    monkeypatch.undo()
    assert not measures._left_out(Motions(train))


# -- what is new ---------------------------------------------------------------------------------------------------
SO3 = {"name": "so(3)", "velocities": ["w1", "w2", "w3"]}
TIED = {
    "tied": System.of(  # a constraint kept beside all velocities
        name="tied",
        coordinates={"n": "direction", "x": "real"},
        lagrangian="n.x'^2 + n.y'^2 + n.z'^2 + x'^2",
        constraints={"c": "x' = n.x'"},
    ),
    "veselova": System.of(
        name="veselova",
        parameters="A B C",
        lagrangian="(A*w1^2 + B*w2^2 + C*w3^2)/2",
        constraints={"c": "a1*w1 + a2*w2 + a3*w3 = 0"},
        algebra={**SO3, "advected": {"a": "vector"}},
    ),
    "top": System.of(
        name="top",
        parameters="A C g",
        lagrangian="(A*(w1^2 + w2^2) + C*w3^2)/2 - g*k3",
        algebra={**SO3, "advected": {"k": "vector"}},
    ),
    "sphere": System.of(  # with the reciprocal of what the constraint keeps in the equations
        name="sphere",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - z/(x^2 + y^2 + z^2)",
        constraints={"c": "x*x' + y*y' + z*z' = 0"},
    ),
    "kepler": gallery.load("kepler"),
}


@pytest.mark.parametrize("name", TIED)
def test_what_is_new_is_independent_of_all_that_is_listed(name: str):
    """On the states: constraints, their functions and reciprocals, the energy and Casimirs are nothing new."""
    found = discover(TIED[name])
    motions = Motions(TIED[name])
    new = [one for one in found.found if one not in found.dependent]
    written = motions.on_states([one.expression for one in (*found.known, *new)])
    assert not any(vanish([e]) for e in written)
    variables = sorted((symbol(s) for s in symbols(written) if s.role == "variable"), key=repr)
    alone = len(independent(written[: len(found.known)], variables))
    assert len(independent(written, variables)) == alone + len(new)
    blocks = in_text(Section(found.system, discovered_blocks(found)), 200, lambda text, _: text)
    assert len(re.findall(r"  new(?: |$)", blocks, re.MULTILINE)) == len(new)
    assert "new, a function of" not in blocks
    for one in found.dependent:  # a function of several of these, and not of one
        assert one.name or len(found.dependent[one]) > 1


@pytest.mark.parametrize(
    ("name", "known", "new"),
    [
        ("tied", ["energy", "kept by the constraints"], 0),
        ("veselova", ["energy", "Casimir"], 1),
        ("top", ["energy", "Casimir", "Casimir"], 1),
        ("sphere", ["energy", "kept by the constraints"], 0),
    ],
)
def test_energies_casimirs_and_integrable_constraints_are_known(name: str, known: list[str], new: int):
    found = discover(TIED[name])
    assert [one.name for one in found.known if not one.name.startswith("momentum")] == known
    assert len([one for one in found.found if one not in found.dependent]) == new


@pytest.mark.parametrize("name", ["chaplygin-sleigh", "spherical-pendulum", "heavy-top", "snakeboard", "cart"])
def test_the_energy_has_the_verdict_of_its_theorem(name: str):
    """One fact has one verdict: what derive proves is not only certain in a search."""
    system = gallery.load(name)
    (told,) = (c for c in claims(derive(system, obvious_formalism(system)), only="energy conserved"))
    energies = [one for one in discover(system).known if one.name == "energy"]
    assert [one.verdict.kind for one in energies] == [told.verdict.kind] * bool(told.verdict.holds)
