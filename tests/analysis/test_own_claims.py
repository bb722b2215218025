"""Claims of one's own: true ones hold, their wrong twins are refuted, and what is no claim gets one sentence."""

import re
from fractions import Fraction

import pytest

from dalembert import System, check, gallery
from dalembert.analysis.discovery.discover import discover
from dalembert.analysis.own_claims import decide_claim
from dalembert.errors import DalembertError
from dalembert.mechanics.registry import obvious_formalism

CART = System.of(  # a knife edge on a slope that carries a wheel with a spring and a damper
    name="cart",
    coordinates={"x": "real", "y": "real", "a": "angle", "s": "real"},
    parameters={"m": 2, "J": 0.5, "k": 3, "c": 0.1, "g": 9.81},
    lagrangian="m*(x'^2 + y'^2)/2 + J*a'^2/2 + s'^2/2 - k*s^2/2 - m*g*y",
    forces={"s": "-c*s'"},
    constraints={"edge": "x'*sin(a) = y'*cos(a)"},
)
TRUE_AND_FALSE = [
    ("a' conserved", "x' conserved"),
    ("m*(x'^2 + y'^2)/2 + m*g*y is conserved", "m*(x'^2 + y'^2)/2 - m*g*y is conserved"),
    ("s'' = -k*s - c*s'", "s'' = -k*s + c*s'"),
    ("a'' = 0", "a' = 0"),
    ("d/dx symmetry", "d/da is a symmetry"),
    ("d/dy symmetry", "x d/dx + y d/dy symmetry"),  # L changes by a total derivative, the motions by a shift
    ("s d/ds symmetry", "s^2 d/ds symmetry"),
    ("exp(c*t) density of dx dy da ds dx' da' ds'", "1 density of dx dy da ds dx' da' ds'"),
]


@pytest.mark.parametrize(("true", "false"), TRUE_AND_FALSE)
def test_a_true_claim_holds_and_its_twin_is_refuted(true, false):
    if "density" in true:  # the volume is that of the frame: dx' = cos(a) du at the same a
        true, false = (said.replace("dx' ", "du ") for said in (true, false))
    moving = CART if "density" not in true else CART.but(speeds={"u": "x'*cos(a) + y'*sin(a)"})
    assert decide_claim(moving, true)[0].verdict.holds is True
    refuted = decide_claim(moving, false)[0]
    assert refuted.verdict.holds is False
    assert refuted.answer == "no"


def test_a_ball_on_a_paraboloid_keeps_a_volume_with_a_root_of_its_parameters():
    ball = System.of(
        name="ball on a paraboloid",
        coordinates={"x": "real", "y": "real", "z": "real", "R": "rotation"},
        parameters={"a": 1, "b": 2, "g": 1, "r": 1, "m": 1, "J": 1},
        let={"n": "sqrt(1 + 4*a^2*x^2 + 4*b^2*y^2)"},
        lagrangian="m*(x'^2 + y'^2 + z'^2)/2 + J*(R.s1^2 + R.s2^2 + R.s3^2)/2 - m*g*z",
        constraints=["z' = 2*a*x*x' + 2*b*y*y'", "x' = r*(R.s2 + R.s3*2*b*y)/n", "y' = -r*(R.s1 + R.s3*2*a*x)/n"],
    )
    claim = "n^{} density of dx dy dz dR du1 du2 du3"
    assert decide_claim(ball, claim.format(7))[0].verdict.holds is True
    assert decide_claim(ball, claim.format(5))[0].verdict.holds is False


def test_a_density_is_carried_to_other_variables():
    """A wrong volume is refuted: dx' is cos(a) du."""
    moving = CART.but(speeds={"u": "x'*cos(a) + y'*sin(a)"})
    assert decide_claim(moving, "exp(c*t)/cos(a) density of dx dy da ds dx' da' ds'")[0].verdict.holds is True
    assert decide_claim(moving, "exp(c*t) density of dx dy da ds dx' da' ds'")[0].verdict.holds is False


def test_a_density_beside_a_rotation():
    """dR is the invariant volume of the group; what `discover` prints can be claimed."""
    body, right = gallery.load("veselova"), "sqrt(I2*I3*R.m31^2 + I1*I3*R.m32^2 + I1*I2*R.m33^2)"
    wrong = right.replace("I1*I2", "I1^2")
    holds = [decide_claim(body, f"{one} density of dR dR.s1 dR.s2")[0].verdict.holds for one in (right, wrong)]
    assert holds == [True, False]
    with pytest.raises(DalembertError, match=r"has 3 factors \(R, R.s1, R.s2\), not 2"):
        decide_claim(body, "1 density of dR dR.s1")


def test_what_a_symmetry_leaves_as_it_is_is_told_apart():
    answers = {claim.name: claim.verdict.holds for claim in decide_claim(CART, "d/dy symmetry")}
    assert answers == {
        "symmetry": True,
        "symmetry of L": False,
        "symmetry of L up to a total derivative": True,
        "symmetry of the constraints": True,
    }
    kepler = decide_claim(gallery.load("kepler"), "x d/dx + y d/dy + z d/dz + 3/2*t d/dt symmetry")
    assert [claim.verdict.holds for claim in kepler] == [True, False, False, True]
    assert "1/2 times itself" in kepler[-1].statement


def test_rotations_are_turned():
    top = gallery.load("heavy-top")
    assert decide_claim(top, "R left 3 symmetry")[0].verdict.holds is True
    assert decide_claim(top, "R left 1 symmetry")[0].verdict.holds is False


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ("hello", "is no claim that can be decided"),
        ("x' + * conserved", "an expression is missing"),
        ("speed conserved", "speed"),
        ("x + y d/dx symmetry", "put it in parentheses"),
        ("2 (x d/dy) symmetry", "is no field"),
        ("d/dx + d/dx symmetry", "stands twice"),
        ("d/dx d/dy symmetry", "a sign is missing"),  # no operator of second order, and no sum
        ("x d/dy y d/dx symmetry", "a sign is missing"),
        ("d/dq symmetry", "^in 'd/dq': 'q' is not a coordinate"),
        ("a' is not conserved", "denies something"),
        ("x' = y') - (0", "closes nothing"),
        ("1 density of dx", "7 factors"),
        ("1 density of x y", "is no factor of a volume"),
        ("0 density of dx dy da ds du da' ds'", "a density that is zero"),
        ("1 density of dx dx da ds du da' ds'", "no coordinates of the states"),
        ("__import__('os') conserved", "column"),
    ],
)
def test_what_is_no_claim_gets_one_sentence(said, fault):
    with pytest.raises(DalembertError, match=fault.replace("(", r"\(")) as error:
        decide_claim(CART.but(speeds={"u": "x'*cos(a) + y'*sin(a)"}), said)
    assert str(error.value).endswith(".")


def test_check_takes_a_name_or_a_sentence():
    assert set(check(CART, that="a' conserved")) == {"nonholonomic"}
    with pytest.raises(DalembertError, match="not both"):
        check(CART, "energy", that="a' conserved")
    with pytest.raises(DalembertError, match="give the name of a claim"):
        check(CART)


@pytest.mark.parametrize(
    ("sentence", "holds"),
    [
        ("energy conserved", True),
        ("the total energy is conserved", True),
        ("the momentum of d/dx is conserved", True),
        ("momentum of d/dz conserved", True),  # with the function that L changes by
        ("momentum of along conserved", True),
        ("momentum of x d/dx conserved", False),
    ],
)
def test_energy_and_momenta_by_their_names(sentence, holds):
    fall = System.of(name="fall", coordinates="x z", lagrangian="(x'^2 + z'^2)/2 - z", symmetry={"along": {"x": 1}})
    (claim,) = decide_claim(fall, sentence)
    assert claim.verdict.holds is holds
    drag = fall.but(forces={"x": "-x'"})
    assert decide_claim(drag, "energy conserved")[0].verdict.holds is False


def test_a_name_of_the_model_comes_first():
    spring = System.of(name="s", coordinates="x", lagrangian="(x'^2 - x^2)/2", let={"energy": "x'^2"})
    assert decide_claim(spring, "energy conserved")[0].verdict.holds is False


def test_motions_stay_on_constraints_on_positions():
    rod = System.of(name="rod", coordinates="x y", lagrangian="(x'^2 + y'^2)/2", holonomic={"rod": "x^2 + y^2 = 1"})
    assert decide_claim(rod, "x d/dy - y d/dx symmetry")[0].verdict.holds is True
    assert decide_claim(rod, "d/dx symmetry")[0].verdict.holds is False


# -- beside tables that a claim has nothing to do with -------------------------------------------------------------
@pytest.mark.parametrize("name", [n for n in gallery.names() if gallery.load(n).momentum])
def test_fields_are_decided_beside_stated_momenta(name: str):
    """The answer is that of the same model without [momentum], also where generators have names elsewhere."""
    system = gallery.load(name)
    field = f"d/d{system.q[-1].data.name} symmetry" if not system.points else f"{system.points[0].name} left 3 symmetry"
    found = [claim.verdict.holds for claim in decide_claim(system, field)]
    assert found == [claim.verdict.holds for claim in decide_claim(system.but(momentum=None), field)]
    stated = next(iter(system.symmetry))
    assert decide_claim(system, f"{stated} symmetry")[0].verdict.holds is True


def test_momenta_of_fields_beside_stated_ones():
    slide = System.of(
        name="slide",
        coordinates="x y",
        lagrangian="(x'^2 + y'^2)/2 - x^2",
        symmetry={"e1": {"y": 1}},
        momentum={"e1": 3},
    )
    assert decide_claim(slide, "momentum of d/dy conserved")[0].verdict.holds is True
    assert decide_claim(slide, "momentum of d/dx conserved")[0].verdict.holds is False


def test_a_stated_bracket_moves_by_itself():
    """check and discover take the motion of a bracket without being told the formalism."""
    turn = System.of(
        name="turn",
        coordinates="x y z",
        parameters="a b c",
        bracket={"x, y": "z", "y, z": "x", "z, x": "y", "hamiltonian": "(a*x^2 + b*y^2 + c*z^2)/2"},
    )
    assert obvious_formalism(turn) == "semisymplectic"
    for sentence, holds in (("energy conserved", True), ("x^2 + y^2 + z^2 conserved", True), ("x conserved", False)):
        assert decide_claim(turn, sentence)[0].verdict.holds is holds
    rates = [decide_claim(turn, f"x' = ({one})*y*z")[0].verdict.holds for one in ("b - c", "c - b")]
    assert sorted(map(bool, rates)) == [False, True]
    found = discover(turn)
    assert found.formalism == "semisymplectic"
    assert [one.name for one in found.known] == ["energy"]
    assert len(found.found) == 1


SLED = System.of(
    name="sled",
    coordinates={"x": "real", "y": "real", "theta": "angle"},
    parameters={"m": 1, "J": "1/2", "a": "1/5"},
    let={"X": "x + a*cos(theta)", "Y": "y + a*sin(theta)"},
    lagrangian="m*(X'^2 + Y'^2)/2 + J*theta'^2/2",
    constraints={"blade": "y'*cos(theta) = x'*sin(theta)"},
)


def test_a_counterexample_names_what_has_the_value_and_only_what_that_depends_on():
    (claim,) = decide_claim(SLED, "theta' conserved")
    value, *point = re.fullmatch(
        r"its rate theta'' is (\S+) at J = (\S+), a = (\S+), m = (\S+), theta' = (\S+), u = (\S+)\.",
        claim.verdict.evidence,
    ).groups()
    inertia, a, m, turn, u = map(Fraction, point)
    assert Fraction(value) == -a * m * turn * u / (a**2 * m + inertia)  # by hand
    (claim,) = decide_claim(SLED, "x'*theta' conserved")
    assert claim.verdict.evidence.startswith("its rate is ")
    (claim,) = decide_claim(SLED, "x' = theta'")
    assert claim.verdict.evidence.startswith("the difference of the sides is ")
