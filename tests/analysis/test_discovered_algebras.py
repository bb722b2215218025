"""The structure of what is found: brackets, names with their bases, orbits; what parts of a statement have."""

import pytest

from dalembert import System, check, discover, gallery
from dalembert.analysis.discovery.brackets import poisson_bracket
from dalembert.analysis.discovery.field_ansatz import FieldAnsatz
from dalembert.analysis.discovery.momenta import momenta_by
from dalembert.analysis.discovery.point_symmetries import (
    SymmetryAlgebra,
    equation_symmetries,
    noether_symmetries,
    symmetries_of_parts,
    widest,
)
from dalembert.analysis.discovery.structure import orbits_of
from dalembert.analysis.motions import Motions
from dalembert.expr import sin
from dalembert.expr.calculus import gradient, tangent
from dalembert.expr.truth import generic_rank, vanish
from dalembert.geometry.fields import bracket, combination
from dalembert.mechanics.common import facts_of

PAIR = "(x1'^2 + y1'^2 + 3*x2'^2 + 3*y2'^2)/2"


def of(system: System, *degrees: int) -> tuple[Motions, SymmetryAlgebra]:
    motions = Motions(system)
    return motions, noether_symmetries(motions, FieldAnsatz(motions.system, *degrees))


def two_points(potential: str) -> System:
    return System.of(name="two", coordinates="x1 y1 x2 y2", lagrangian=f"{PAIR} - ({potential})")


def test_two_points_in_the_plane():
    """Boosts and all: the bracket of two fields of the basis is what the sentence says, by the fields themselves."""
    _, algebra = of(two_points("((x1 - x2)^2 + (y1 - y2)^2)^2"), 1, 1)
    assert algebra.name == "R + gal(2)"  # the points turn about their centre of mass besides
    part = next(part for part in algebra.structure.parts if part.name == "gal(2)")
    fields = {label: algebra.action.field(v) for label, v in zip(part.labels, part.vectors, strict=True)}
    assert bracket(fields["h"], fields["k1"]) == fields["p1"]
    assert bracket(fields["j"], fields["p2"]) == combination([(-1, fields["p1"])])
    assert bracket(fields["j"], fields["p1"]) != combination([(-1, fields["p2"])])
    _, held = of(two_points("((x1 - x2)^2 + (y1 - y2)^2)^2 + x1^4"), 1, 1)
    assert held.name == "heisenberg"  # shift and boost along y, and time


@pytest.mark.parametrize(
    ("assumed", "count"), [({}, 1), ({"round": "x*D(V, 2)(x, y) = y*D(V, 1)(x, y)"}, 2)], ids=["any V", "round V"]
)
def test_functions_under_their_assumptions(assumed, count):
    open_ = System.of(
        name="V",
        coordinates="x y",
        lagrangian="(x'^2 + y'^2)/2 - V(x, y)",
        functions={"V": {"of": ["x", "y"]}},
        assume=assumed,
    )
    assert len(of(open_)[1].basis) == count


@pytest.mark.parametrize(
    ("name", "free", "spanning", "common"),
    [
        ("heavy-top", "all points but where R.m31 = R.m32 = 0", None, 2),
        ("chaplygin-ball", "all points", "all points", 1),
        ("veselova", "all points", "all points", 0),
        ("kepler", "no point", None, 2),
    ],
)
def test_orbits(name, free, spanning, common):
    motions, algebra = of(gallery.load(name))
    found = orbits_of(motions, [one.generator for one in algebra.lasting])
    assert (found.free.where, found.spanning and found.spanning.where, found.common) == (free, spanning, common)


def test_where_orbits_and_constraints_fail_to_span():
    """A skate that is shifted along x alone: where it heads along x, orbit and blade are one line."""
    skate = System.of(
        name="skate",
        coordinates={"x": "real", "y": "real", "a": "angle"},
        lagrangian="x'^2 + y'^2 + a'^2 - y",
        constraints={"edge": "x'*sin(a) = y'*cos(a)"},
    )
    motions, algebra = of(skate)
    shift = next(one for one in algebra.lasting if one.written == "d/dx")
    assert orbits_of(motions, [shift.generator]).spanning.where == "all points but where sin(a) = 0"
    parts = symmetries_of_parts(motions, algebra)
    assert "d/da" in [one.written for one in parts["L"]]
    assert "d/da" not in [one.written for one in parts["constraints"]]
    assert "-y d/dx + x d/dy + d/da" in [one.written for one in parts["constraints"]]


def test_brackets_with_the_energy_are_rates():
    """{f, E} is the rate of f along the motions, which are derived another way; of another energy it is not."""
    arm = System.of(
        name="arm",
        coordinates={"r": "positive", "a": "angle"},
        lagrangian="r'^2 + r^2*a'^2/2 + cos(a)*r'*a' + r*sin(a)*a' - r^2*cos(a)",
    )
    motions = Motions(arm)
    (r, a), names = arm.q, motions.names
    energy = names.expression("r'^2 + r^2*a'^2/2 + cos(a)*r'*a' + r^2*cos(a)")
    some = [r * a.dot, r.dot**2 + sin(a) * r, energy]
    table = poisson_bracket(motions, some)
    rates = tangent(some, names.drive)
    assert vanish([row[2] - rate for row, rate in zip(table, rates, strict=True)])
    assert vanish([table[0][1] + table[1][0]])
    other = poisson_bracket(motions, [*some[:2], energy + r])
    assert not vanish([other[1][2] - rates[1]])


def test_oscillators():
    """su(3), and with another frequency along z nothing of the kind."""
    kinetic = "(x'^2 + y'^2 + z'^2)/2"
    alike = System.of(name="alike", coordinates="x y z", lagrangian=f"{kinetic} - 2*(x^2 + y^2 + z^2)")
    found = discover(alike)
    assert found.brackets.name == "su(3)"
    every = (*found.known, *found.found)
    assert (len(every), len(found.independent), len(found.dependent)) == (9, 5, 4)
    places = [*alike.q, *(q.dot for q in alike.q)]
    for one, others in found.dependent.items():  # a function of these, and of no fewer
        slopes = [gradient(e.expression, places) for e in (*others, one)]
        assert generic_rank(slopes).rank == len(others)
        assert all(generic_rank([*slopes[:k], *slopes[k + 1 :]]).rank == len(others) for k in range(len(others)))
    other = System.of(name="other", coordinates="x y z", lagrangian=f"{kinetic} - 2*(x^2 + y^2 + 5*z^2)")
    assert discover(other).brackets.name == "R + so(3)"


# -- Poisson brackets beside rotations -------------------------------------------------------------------------------
def test_brackets_beside_a_rotation():
    """A body that hangs on a cart: {y, E} = y' for each state variable, and with another energy it is not."""
    body = "x'*R.m11*R.w2 + R.w1^2 + 2*R.w2^2 + 3*R.w3^2"
    cart = System.of(
        name="cart",
        coordinates={"x": "real", "R": "rotation"},
        lagrangian=f"2*x'^2 + {body} - R.m31 - x*R.m12",
    )
    motions, facts = Motions(cart), facts_of(cart)
    energy, other = (motions.names.expression(f"2*x'^2 + {body} + R.m31 {sign} x*R.m12") for sign in "+-")
    state = list(motions.names.equations.state)
    table = poisson_bracket(motions, [*state, energy, other])
    for k, right in ((-2, True), (-1, False)):
        rest = [row[k] - motions.names.drive[v] for row, v in zip(table, state, strict=False)]
        assert vanish(rest, facts) is right


@pytest.mark.thorough
def test_momenta_of_a_body():
    """In the body {M1, M2} = -M3, in space the sign is the other one; and so a body turns as so(3)."""
    free = System.of(name="free", coordinates={"R": "rotation"}, lagrangian="(R.w1^2 + 2*R.w2^2 + 3*R.w3^2)/2")
    motions = Motions(free)
    momenta = [motions.names.expression(f"{k}*R.w{k}") for k in (1, 2, 3)]
    assert vanish([poisson_bracket(motions, momenta)[0][1] + momenta[2]], facts_of(free))
    found = discover(free)
    assert found.brackets.said[0] == "{J1, J2} = J3"
    assert (found.brackets.name, found.integrability.involution.torus) == ("so(3)", 2)


# -- several angles -----------------------------------------------------------------------------------------------
EULER = {"a": "angle", "b": "angle", "c": "angle"}
SPHERE = "a'^2 + sin(a)^2*b'^2"


@pytest.mark.parametrize(
    ("coordinates", "lagrangian", "name"),
    [
        (EULER, "a'^2 + b'^2 + c'^2 + 2*a'*c'*cos(b)", "R + so(3) + so(3)"),  # a ball: from the left and the right
        (EULER, "b'^2 + a'^2*sin(b)^2 + 3*(c' + a'*cos(b))^2", "R^2 + so(3)"),  # a top without weight
        (EULER, "b'^2 + a'^2*sin(b)^2 + 3*(c' + a'*cos(b))^2 - cos(b)", "R^3"),
        ({"a": "angle", "b": "angle"}, f"{SPHERE} + cos(a)*b'", "R + so(3)"),  # a magnetic pole: with gauge terms
        ({"a": "angle", "b": "angle"}, f"{SPHERE} + cos(2*a)*b'", "R^2"),
        ({"r": "positive", "a": "angle"}, "r'^2 + r^2*a'^2", "R + se(2)"),  # shifts by polar coordinates
        ({"r": "positive", "a": "angle"}, "r'^2 + 4*r^2*a'^2 - r*cos(2*a)", "R^3"),  # a fall, by half the angle
        pytest.param(
            EULER | {"d": "angle"},  # about all axes
            f"{SPHERE} + c'^2 + sin(c)^2*d'^2 - cos(a)*cos(c) - sin(a)*sin(c)*cos(b - d)",
            "R + so(3)",
            id="two pendulums",
        ),
    ],
)
@pytest.mark.thorough("two pendulums")
def test_products_of_several_angles(coordinates, lagrangian, name):
    system = System.of(name="angles", coordinates=coordinates, lagrangian=lagrangian)
    motions = Motions(system)
    found = noether_symmetries(motions, widest(system))
    assert found.name == name
    assert all(motions.carried_by(one.generator).holds is True for one in found.basis)
    assert all(motions.keep(momentum).holds is True for momentum in momenta_by(motions, found.basis)[1])


def test_constraints_on_velocities_beside_directions_are_kept():
    """The equations of a needle that rolls have velocities that no motion has: these say nothing of its motions."""
    needle = System.of(
        name="needle",
        coordinates={"x": "real", "n": "direction"},
        lagrangian="(n.x'^2 + n.y'^2 + n.z'^2 + x'^2)/2",
        constraints={"roll": "x' = n.x'*n.y - n.y'*n.x"},
    )
    motions = Motions(needle)
    found = equation_symmetries(motions).basis
    assert [one.written for one in found] == ["d/dx", "n left 3", "d/dt", "t d/dt"]
    assert all(motions.carried_by(one.generator).holds for one in found)
    for field in ("x d/dx", "n left 1"):  # the accelerations are kept, the constraint is not
        assert check(needle, that=f"{field} symmetry")["nonholonomic"][0].verdict.holds is False
    assert check(needle, that="x' = n.x'*n.y - n.y'*n.x")["nonholonomic"][0].verdict.holds is True
    assert check(needle, that="x' = n.x'*n.y + n.y'*n.x")["nonholonomic"][0].verdict.holds is False


def test_an_energy_does_not_show_velocities_that_are_zero():
    stuck = System.of(
        name="a body on a fork",
        coordinates={"R": "rotation"},
        parameters=dict.fromkeys("ABCD", 1.5),
        lagrangian="(A*R.w1^2 + B*R.w2^2 + C*R.w3^2)/2 + D*R.w1*R.w3",
        constraints={"fork": "R.w1 = 0"},
    )
    motions = Motions(stuck)
    basis = noether_symmetries(motions).basis
    shown, values = momenta_by(motions, basis)
    later = next(k for k, one in enumerate(basis) if one.written == "d/dt")
    assert "R.w1" not in repr(shown[later])
    assert vanish([shown[later] - values[later]], facts_of(stuck))
