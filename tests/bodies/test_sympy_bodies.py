"""SymPy's bodies and joints taken over: accelerations against SymPy's own equations of Kane and Lagrange."""

import numpy as np
import pytest
import sympy
from judging import reference
from scipy.optimize import fsolve
from sympy import cos, sin
from sympy.physics import mechanics
from sympy.physics.mechanics import (
    CylindricalJoint,
    JointsMethod,
    LagrangesMethod,
    Particle,
    PinJoint,
    PlanarJoint,
    PrismaticJoint,
    RigidBody,
    SphericalJoint,
    TorqueActuator,
    WeldJoint,
    dynamicsymbols,
    inertia,
)

from dalembert import System, derive
from dalembert.errors import ExpressionError
from dalembert.expr.readers import Floats
from dalembert.expr.walk import evaluate

t = dynamicsymbols._t
g, k, c, r, L, m = sympy.symbols("g k c r L m", positive=True)


def solid(name, mass, *moments):
    """A rigid body with numbers."""
    found = RigidBody(name, mass=mass)
    found.central_inertia = inertia(found.frame, *moments)
    return found


def crane():
    """A cart on a rail, an arm that twists and slides on it, and a ball in a joint; springs, a motor, dampers."""
    rail, cart = solid("rail", 1, 1, 1, 1), solid("cart", 3, 0.1, 0.2, 0.3)
    arm, bob = solid("arm", 2, 0.3, 0.4, 0.5), solid("bob", 0.7, 0.02, 0.03, 0.05)
    tip = Particle("tip", mass=m)
    machine = mechanics.System.from_newtonian(rail)
    force, torque = dynamicsymbols("F T")
    slide = PrismaticJoint("slide", rail, cart, joint_axis=rail.x)
    twist = CylindricalJoint("twist", cart, arm, joint_axis=cart.z, child_point=0.3 * arm.x)
    swing = SphericalJoint("swing", arm, bob, parent_point=-0.5 * arm.x, child_point=0.2 * bob.z)
    held = WeldJoint("held", bob, tip, parent_point=-0.3 * bob.z)
    machine.add_joints(slide, twist, swing, held)
    machine.apply_uniform_gravity(-g * rail.z)
    machine.add_loads(
        (cart.masscenter, force * rail.x - k * slide.coordinates[0] * rail.x - c * slide.speeds[0] ** 3 * rail.x)
    )
    machine.add_actuators(TorqueActuator(torque - k * twist.rotation_coordinate, arm.z, arm, cart))
    return machine


def skate():
    """A plate on ice, with a blade at an offset from its centre."""
    ice, plate = solid("ice", 1, 1, 1, 1), solid("plate", 2, 0.1, 0.2, 0.3)
    machine = mechanics.System.from_newtonian(ice)
    glide = PlanarJoint("glide", ice, plate, rotation_coordinate=dynamicsymbols("th"))
    machine.add_joints(glide)
    at = plate.masscenter.locatenew("blade", 0.2 * plate.y)
    at.v2pt_theory(plate.masscenter, ice.frame, plate.frame)
    machine.add_nonholonomic_constraints(at.vel(ice.frame).dot(plate.z))
    machine.u_ind, machine.u_dep = [glide.rotation_speed, glide.planar_speeds[0]], [glide.planar_speeds[1]]
    machine.add_loads((plate.frame, -c * glide.rotation_speed * ice.x))
    return machine


def four_bars():
    """Three bars on two pins, closed by two equations."""
    ground, one, two, three = (
        solid(n, w, i, i, i) for n, w, i in (("ground", 1, 1), ("one", 1, 0.1), ("two", 2, 0.2), ("three", 1.5, 0.3))
    )
    machine = mechanics.System.from_newtonian(ground)
    machine.add_joints(
        PinJoint("a", ground, one, joint_axis=ground.z, child_point=-0.15 * one.x),
        PinJoint("b", one, two, joint_axis=one.z, parent_point=0.15 * one.x, child_point=-0.35 * two.x),
        PinJoint("c", ground, three, joint_axis=ground.z, parent_point=0.8 * ground.x, child_point=-0.3 * three.x),
    )
    gap = two.masscenter.locatenew("P", 0.35 * two.x).pos_from(three.masscenter.locatenew("Q", 0.3 * three.x))
    machine.add_holonomic_constraints(gap.dot(ground.x), gap.dot(ground.y))
    machine.apply_uniform_gravity(-g * ground.y)
    q, u = list(machine.q), list(machine.u)
    machine.q_ind, machine.q_dep, machine.u_ind, machine.u_dep = q[:1], q[1:], u[:1], u[1:]
    return machine


def numbers(expressions, values):
    return np.array(sympy.lambdify(list(values), expressions, "numpy")(*values.values()), float)


def solved(equations, wanted, known, guess):
    """Values of what is wanted that make all equations zero."""
    function = sympy.lambdify([*wanted, *known], list(equations), "numpy")
    found = fsolve(lambda x: function(*x, *known.values()), [guess] * len(wanted), xtol=1e-13)
    return dict(zip(wanted, found.tolist(), strict=True))


def state(machine, seed=2):
    """Coordinates and speeds that obey the constraints."""
    draw = np.random.default_rng(seed)
    rates = {a.diff(t): b for a, b in zip(machine.q, machine.u, strict=True)}
    values = {one: draw.uniform(0.2, 0.8) for one in [*machine.q_ind, *machine.u_ind, g, k, c, m]}
    if machine.q_dep:
        values |= solved(machine.holonomic_constraints, machine.q_dep, values, 2.0)
    if machine.u_dep:
        values |= solved([one.subs(rates) for one in machine.velocity_constraints], machine.u_dep, values, 0.1)
    return values


MACHINES = {"crane": crane, "skate": skate, "four_bars": four_bars}


@pytest.mark.thorough("crane")
@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.thorough("four_bars")
def test_accelerations_are_those_of_kane(name):
    machine = MACHINES[name]()
    values = state(machine)
    inputs = dict.fromkeys(dynamicsymbols("F T"), 0.6)
    machine.form_eoms()
    mass = numbers(machine.mass_matrix_full, values | inputs)
    push = numbers(machine.forcing_full, values | inputs).ravel()
    theirs = dict(zip([*machine.q, *machine.u], np.linalg.solve(mass, push), strict=True))

    system = System.from_sympy(machine, name=name)
    q = [values[one] for one in machine.q]
    rates = [values[one] for one in machine.u]  # joints have the rates of their coordinates as speeds
    given = {p: values[sympy.Symbol(p.data.name, positive=True)] for p in system.parameters}
    given |= dict.fromkeys(system.controls, 0.6)
    assert [one.data.name for one in system.q] == [str(one.func) for one in machine.q]
    ours = reference(system, np.array(q), np.array(rates), 0.0, given)
    expected = np.array([theirs[one] for one in machine.u])
    assert np.abs(ours - expected).max() < 1e-6 * np.abs(expected).max()
    given |= {p: 1.2 * value for p, value in given.items()}
    if given:
        wrong = reference(system, np.array(q), np.array(rates), 0.0, given)
        assert np.abs(wrong - expected).max() > 1e-4 * np.abs(expected).max()  # the twin


def test_a_joints_method_is_taken_over_and_meets_lagrange():
    wall = RigidBody("wall")
    rod, bob = solid("rod", 2, 0.1, 0.1, 0.2), solid("bob", 1, 0.3, 0.1, 0.2)
    with pytest.warns(DeprecationWarning, match="JointsMethod"):
        method = JointsMethod(
            wall,
            PinJoint("a", wall, rod, child_point=0.5 * rod.y, joint_axis=wall.z),
            PinJoint("b", rod, bob, parent_point=-0.5 * rod.y, child_point=0.4 * bob.y, joint_axis=rod.z),
        )
    rod.potential_energy = 2 * g * rod.masscenter.pos_from(wall.masscenter).dot(wall.y)
    system = System.from_sympy(method, name="double pendulum", values={g: 9.81})
    a, b = method.q
    speeds = dict(zip(method.u, [a.diff(t), b.diff(t)], strict=True))
    energy = sum(one.kinetic_energy(method.frame) for one in (rod, bob)) - rod.potential_energy
    lagrange = LagrangesMethod(energy.subs(speeds), [a, b])
    lagrange.form_lagranges_equations()
    at = {a: 0.4, b: -0.7, a.diff(t): 0.9, b.diff(t): 0.3, g: 9.81}
    theirs = np.linalg.solve(
        np.array(lagrange.mass_matrix.subs(at), float), np.array(lagrange.forcing.subs(at), float).ravel()
    )
    rates = derive(system, "euler-lagrange").equations.rates()
    point = dict(zip((*system.q, *system.v), (0.4, -0.7, 0.9, 0.3), strict=True))
    point |= dict.fromkeys(system.parameters, 9.81)
    ours = evaluate([rates[v] for v in system.v], Floats(point))
    assert ours == pytest.approx(theirs)


def test_speeds_of_ones_own_are_speeds():
    """A disc on an axis of its own, in the angular velocity of the body and in a sum."""
    ground, disc = solid("ground", 1, 1, 1, 1), solid("disc", 2, 0.2, 0.2, 0.4)
    th, ph, u, v = dynamicsymbols("th ph u v")
    machine = mechanics.System(ground.frame, ground.masscenter)
    disc.frame.orient_body_fixed(ground.frame, (th, ph, 0), "ZXZ")
    disc.frame.set_ang_vel(
        ground.frame, (u * sin(ph)) * disc.frame.y + u * cos(ph) * disc.frame.z + (v - u) * disc.frame.x
    )
    disc.masscenter.set_vel(ground.frame, 0)
    machine.add_bodies(disc)
    machine.add_coordinates(th, ph)
    machine.add_speeds(u, v)
    machine.add_kdes(u - th.diff(t), v - th.diff(t) - ph.diff(t))
    system = System.from_sympy(machine)
    assert {one.data.name: str(e) for one, e in system.speeds.items()} == {"v": "ph' + th'"}
    assert {name: str(e) for name, e in system.let.items()} == {"u": "th'"}
    machine.form_eoms()
    at = {th: 0.3, ph: 0.5, u: 0.7, v: -0.4}
    theirs = np.linalg.solve(numbers(machine.mass_matrix_full, at), numbers(machine.forcing_full, at).ravel())
    q, v_of = np.array([0.3, 0.5]), np.array([0.7, -1.1])
    ours = reference(system, q, v_of, 0.0, {})
    assert [ours[0], ours[0] + ours[1]] == pytest.approx(theirs[2:], rel=1e-6)


def test_what_cannot_be_taken_over_is_said():
    with pytest.raises(ExpressionError, match="a System or a JointsMethod of SymPy is expected here, not RigidBody"):
        System.from_sympy(RigidBody("stone"))
    machine = mechanics.System.from_newtonian(RigidBody("wall"))
    machine.add_joints(PinJoint("pin", machine.bodies[0], RigidBody("rod")))
    with pytest.raises(ExpressionError, match="'x' is no parameter of this machine"):
        System.from_sympy(machine, values={"x": 1})
    machine.add_coordinates(dynamicsymbols("y"))
    machine.add_speeds(dynamicsymbols("v"))
    with pytest.raises(ExpressionError, match="there are 2 speeds and 1 kinematic equations"):
        System.from_sympy(machine)
