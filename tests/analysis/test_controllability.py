"""Controllability: systems whose answers are known, and symmetric products against brackets on the tangent bundle."""

import pytest

from dalembert import Equations, EvaluationError, ExpressionError, System, controllability, derive, equal, gallery
from dalembert.analysis.control.control_system import control_system
from dalembert.analysis.control.formal_brackets import letters_in, lyndon_brackets
from dalembert.analysis.control.symmetric_products import from_rest
from dalembert.expr.graph import ZERO, symbol
from dalembert.geometry.fields import VectorField, bracket
from dalembert.geometry.growth import growth_vector

x, y, z = (symbol(n) for n in "xyz")
u, v = (symbol(n, role="parameter") for n in "uv")


def _kinds(result, **more):
    return {one.name: one.verdict.kind for one in controllability(result, **more).answers}


# -- without drift ------------------------------------------------------------------------------------------------
def test_brackets_are_counted_as_in_the_free_lie_algebra():
    """Witt's formula, and a basis in degree 3 by hand."""
    assert [len(lyndon_brackets(2, k)) for k in range(1, 8)] == [2, 1, 2, 3, 6, 9, 18]
    assert [len(lyndon_brackets(3, k)) for k in range(1, 6)] == [3, 3, 8, 18, 48]
    assert all(len(letters_in(tree)) == 5 for tree in lyndon_brackets(3, 5))


@pytest.mark.parametrize("trailers", [1, 2])
def test_a_car_with_trailers_can_be_parked(trailers):
    car = derive(gallery.load("car-with-trailers", trailers), "nonholonomic")
    answer = controllability(car)["allowed directions"]
    assert answer.verdict.kind == "proved"
    assert len(answer.spanning) == 4 + trailers
    fields = [
        VectorField.of(control_system(car).drift.chart, [*column, *[ZERO] * 2])
        for column in zip(*_allowed(car), strict=True)
    ]
    assert growth_vector(fields)[-1] == 4 + trailers  # found another way


def _allowed(result):
    from dalembert.expr.calculus import jacobian

    return jacobian(list(result.equations.kinematics.values()), list(result.equations.velocities))


def test_a_unicycle_reaches_all_and_wheels_on_one_axle_without_steering_do_not():
    free = Equations("unicycle", "by hand", {x: u, y: z * u, z: v}, parameters={u: 0, v: 0})
    found = controllability(free, controls=["u", "v"])
    assert found["no drift"].verdict.kind == "proved"
    assert found["no drift"].spanning == ("u", "v", "[u, v]")
    bound = Equations("on a cone", "by hand", {x: -y * u, y: x * u, z: v}, parameters={u: 0, v: 0})
    assert _kinds(bound, controls=["u", "v"])["no drift"] == "refuted"


def test_where_brackets_span_fewer_directions_still_the_evidence_is_true_there_too():
    turned = Equations("turned", "by hand", {x: y * u, y: -x * u, z: v}, parameters={u: 0, v: 0})
    there = controllability(turned, controls=["u", "v"], at={"x": 0, "y": 0, "z": 0})["no drift"]
    assert (there.verdict.kind, there.spanning) == ("refuted", ("v",))  # one direction at the origin, two elsewhere
    assert there.verdict.evidence == "all brackets together span at most 2 of 3 directions at any point."


def test_at_a_singular_point_longer_brackets_are_taken():
    martinet = Equations("Martinet", "by hand", {x: u, y: v, z: y**2 * u}, parameters={u: 0, v: 0})
    assert controllability(martinet, controls=["u", "v"])["no drift"].spanning == ("u", "v", "[u, v]")
    there = controllability(martinet, controls=["u", "v"], at={"y": 0})["no drift"]
    assert (there.verdict.kind, there.spanning) == ("proved", ("u", "v", "[[u, v], v]"))


# -- with drift ---------------------------------------------------------------------------------------------------
def test_a_cube_can_be_steered_and_a_square_is_not_said_to_be():
    for power, kind in ((3, "certain"), (2, "undecided"), (4, "undecided")):
        made = Equations("one way", "by hand", {x: u, y: x**power}, parameters={u: 0})
        answer = controllability(made, controls=["u"], at={"x": 0, "y": 0})["small time"]
        assert answer.verdict.kind == kind
    assert "bad bracket [[[[drift, u], u], u], u]" in answer.verdict.evidence


def test_a_bad_bracket_may_be_made_up_for():
    """y' = x^2 goes one way, but not if y has an input of its own."""
    w = symbol("w", role="parameter")
    made = Equations("made up for", "by hand", {x: u, y: x**2 + w}, parameters={u: 0, w: 0})
    assert _kinds(made, controls=["u", "w"], at={"x": 0, "y": 0})["small time"] == "proved"  # the linear part does
    later = Equations("chain", "by hand", {x: u, y: x**2 + z, z: x**3}, parameters={u: 0})
    assert _kinds(later, controls=["u"], at={"x": 0, "y": 0, "z": 0})["small time"] == "undecided"


CART = System.of(
    name="cart and pendulum",
    coordinates={"x": "real", "q": "angle"},
    parameters={"M": 2, "m": 1, "l": 0.5, "g": 9.81},
    lagrangian="M*x'^2/2 + m*((x' + l*q'*cos(q))^2 + (l*q'*sin(q))^2)/2 - m*g*l*cos(q)",
    controls={"F": 0},
    forces={"x": "F"},
)


def test_a_cart_holds_its_pendulum_and_is_seen_by_its_own_place_only():
    cart = derive(CART, "euler-lagrange")
    kinds = _kinds(cart, at={"q": 0}, observe=["x"])
    assert kinds == {"linear part": "proved", "observed": "proved", "small time": "proved", "from rest": "undecided"}
    assert _kinds(cart, at={"q": 0}, observe=["q"])["observed"] == "refuted"
    moving = controllability(cart, at={"q": "pi/4"})
    assert "no equilibrium" in moving["small time"].verdict.evidence
    assert [one.name for one in moving.answers] == ["small time", "from rest"]


# -- from rest ----------------------------------------------------------------------------------------------------
def _body(*thrusters):
    """A body in the plane with forces: ahead, across at a distance, and a torque."""
    known = {"a": ("a*cos(h)", "a*sin(h)", "0"), "b": ("-b*sin(h)", "b*cos(h)", "-b*d"), "c": ("0", "0", "c")}
    parts = [known[one] for one in thrusters]
    return derive(
        System.of(
            name="planar body",
            coordinates={"x": "real", "y": "real", "h": "angle"},
            parameters={"m": 1, "J": 1, "d": 1},
            lagrangian="m*(x'^2 + y'^2)/2 + J*h'^2/2",
            controls=list(thrusters),
            forces=dict(zip("xyh", (" + ".join(row) for row in zip(*parts, strict=True)), strict=True)),
        ),
        "euler-lagrange",
    )


def _leg(*motors):
    """A body on an axle with an extensible leg: a torque between the two, a force along the leg."""
    forces = {"r": "F", "a": "T", "p": "-T"}
    return derive(
        System.of(
            name="robotic leg",
            coordinates={"r": "positive", "a": "angle", "p": "angle"},
            parameters={"m": 1, "J": 1},
            lagrangian="m*(r'^2 + r^2*a'^2)/2 + J*p'^2/2",
            controls=list(motors),
            forces={q: f for q, f in forces.items() if f.strip("-") in motors},
        ),
        "euler-lagrange",
    )


def _arm(motor):
    return derive(
        System.of(
            name="arm in a horizontal plane",
            coordinates={"p": "angle", "q": "angle"},
            parameters={"A": 2, "B": 1, "C": 0.3},
            lagrangian="A*p'^2/2 + B*(p' + q')^2/2 + C*p'*(p' + q')*cos(q)",
            controls=["T"],
            forces={motor: "T"},
        ),
        "euler-lagrange",
    )


@pytest.mark.parametrize(
    ("made", "kind", "spanning"),
    [
        (lambda: _body("a", "b"), "certain", ("a", "b", "<a : b>")),
        (lambda: _body("b"), "undecided", ("b", "<b : b>", "<b : <b : b>>")),
        (lambda: _body("a"), "refuted", ("a",)),
        (lambda: _leg("T", "F"), "proved", ("T", "F", "[T, F]")),
        (lambda: _leg("T"), "undecided", ("T", "<T : T>", "[T, <T : T>]")),
        (lambda: _leg("F"), "refuted", ("F",)),
        (lambda: _arm("p"), "undecided", ("T", "<T : T>")),
        (lambda: _arm("q"), "refuted", ("T",)),
    ],
    ids=["hovercraft", "one thruster", "thruster ahead", "leg", "leg by torque", "leg by force", "shoulder", "elbow"],
)
@pytest.mark.thorough("leg by force", "elbow")
def test_mechanical_systems_from_rest_are_as_in_the_literature(made, kind, spanning):
    """Lewis and Murray (1997), section 6; of the arm see also its conserved momentum, which can be integrated."""
    answer = controllability(made())["from rest"]
    assert (answer.verdict.kind, answer.spanning) == (kind, spanning)


SNAKEBOARD = System.of(
    name="snakeboard",
    coordinates={"x": "real", "y": "real", "h": "angle", "r": "angle", "s": "angle"},
    parameters={"m": 1, "l": 1, "J": 1, "K": 1},
    lagrangian="m*(x'^2 + y'^2)/2 + (m*l^2 - J)*h'^2/2 + J*(h' + r')^2/2 + K*s'^2",
    constraints={
        "front": "-x'*sin(h + s) + y'*cos(h + s) + l*h'*cos(s) = 0",
        "back": "-x'*sin(h - s) + y'*cos(h - s) - l*h'*cos(s) = 0",
    },
    controls=["rotor", "wheels"],
    forces={"r": "rotor", "s": "wheels"},
)


@pytest.mark.thorough
def test_a_snakeboard_goes_where_it_likes_by_rotor_and_wheels():
    found = controllability(derive(SNAKEBOARD, "nonholonomic"), at={"s": "pi/6"})
    assert found["allowed directions"].verdict.kind == "proved"
    assert found["from rest"].verdict.holds is True
    assert len(found["from rest"].spanning) == 5


@pytest.mark.parametrize(
    "made",
    [lambda: _body("a", "b"), lambda: _leg("T", "F"), lambda: derive(SNAKEBOARD, "nonholonomic")],
    ids=["body", "leg", "snakeboard"],
)
def test_symmetric_products_are_brackets_on_the_tangent_bundle(made):
    """<X : Y>^v = [Y^v, [Z, X^v]], Z being the motion without inputs."""
    system = control_system(made())
    drift = dict(zip(system.equations.state, system.drift.components, strict=True))
    inputs = list(system.inputs.values())
    mechanical = from_rest(
        {q: drift[q] for q in system.positions},
        {w: drift[w] for w in system.equations.velocities},
        [dict(zip(system.equations.state, one.components, strict=True)) for one in inputs],
    )
    count = len(system.positions)
    for i, one in enumerate(inputs):
        for j, other in enumerate(inputs):
            by_brackets = bracket(other, bracket(system.drift, one)).components
            own = mechanical.product(mechanical.inputs[i], mechanical.inputs[j])
            assert all(equal(e, ZERO).holds is True for e in by_brackets[:count])
            signs = {
                sign: all(equal(a, sign * b).holds is True for a, b in zip(own, by_brackets[count:], strict=True))
                for sign in (1, -1)
            }
            assert signs[1]
            assert not signs[-1] or all(equal(a, ZERO).holds is True for a in own)


def test_a_satellite_with_two_torques_can_be_turned_at_will():
    """Without charts: the quaternion is a point of a sphere."""
    satellite = gallery.load("free-rigid-body").but(controls=["a", "b"], forces={"R.w1": "a", "R.w2": "b"})
    answer = controllability(derive(satellite, "euler-lagrange"))["from rest"]
    assert answer.verdict.holds is True
    assert len(answer.spanning) == 3


# -- mistakes -----------------------------------------------------------------------------------------------------
def test_mistakes_are_told():
    cart = derive(CART, "euler-lagrange")
    with pytest.raises(ExpressionError, match="'angle' is no variable of the state; there are x, q, x', q'"):
        controllability(cart, at={"angle": 0})
    with pytest.raises(ExpressionError, match="'G' is no parameter"):
        controllability(cart, values={"G": 1})
    with pytest.raises(ExpressionError, match="'push' is no control"):
        controllability(cart, controls=["push"])
    with pytest.raises(ExpressionError, match="neither constraints on velocities nor controls"):
        controllability(derive(gallery.load("kepler"), "euler-lagrange"))
    bent = Equations("bent", "by hand", {x: u**2}, parameters={u: 0})
    with pytest.raises(EvaluationError, match="not linear in the control 'u'"):
        controllability(bent, controls=["u"])
