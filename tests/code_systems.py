"""Equations that are hard to write as code, and what the native engine makes of them at a few points."""

from fractions import Fraction
from functools import cache

import numpy as np
from speed_systems import sleigh

from dalembert import System, derive, gallery
from dalembert.expr import ONE, ZERO, cos, exp, log, number, sin, sqrt, symbol
from dalembert.expr.elementary import atan
from dalembert.geometry.groups.matrices import multiply
from dalembert.mechanics.nonholonomic.adapted_motion import adapted_motion
from dalembert.model.equations import Equations
from dalembert.numerics.compile import observer
from dalembert.numerics.dop853 import compiled as compiled_once


def hostile():
    """Names that are keywords, arguments or mathematical functions somewhere, primes that clash, awkward powers."""
    x, a, pi_like = symbol("x"), symbol("x_dot"), symbol("c1")
    p, while_, y = (symbol(name, role="parameter", domain="positive") for name in ("p", "while", "y"))
    lam, alpha = symbol("lambda", role="parameter"), symbol("\u03b1", role="parameter")
    t = symbol("t", role="time")
    kinematics = {x: x.dot, a: x.dot * pi_like - lam * a**7, pi_like: sin(x + a) ** 2 * cos(x + a) + alpha * t}
    moving = (x.dot, symbol("for"), symbol("double"))
    mass = (
        (1 + x**2, a, number(0)),
        (a, 2 + a**2 + exp(-(a**2)), sin(x)),
        (number(0), sin(x), p * while_),
    )
    force = (-x / sqrt(y + x**2), log(y + a**2) * t, atan(x) - symbol("for") / 3 + y**x)
    values = {p: 2, while_: 3, y: Fraction(5, 4), lam: Fraction(-1, 2), alpha: Fraction(1, 8)}
    return Equations(
        'hostile: names */ "quoted"',
        "by hand",
        kinematics,
        moving,
        mass,
        force,
        reconstruction={symbol("field"): x * symbol("double"), symbol("y"): (x + y) ** (number(5) / 2)},
        monitors={"energy of a": a**2, "x'": x.dot**-3, "": ONE, "signed": (x - Fraction(7, 10)) ** p},
        parameters=values,
    )


def unknown():
    x, u = symbol("x"), symbol("u")
    return Equations("hidden", "by hand", {x: -u}, implicit={u: u + exp(u) - x - 1}, monitors={"rate": u})


def rotated():
    """A rotation in space written out beside an inertia: no entry is a pivot everywhere."""
    a, b, c = (symbol(name, domain="angle") for name in "abc")
    about_z = [[cos(a), -sin(a), ZERO], [sin(a), cos(a), ZERO], [ZERO, ZERO, ONE]]
    about_x = [[ONE, ZERO, ZERO], [ZERO, cos(b), -sin(b)], [ZERO, sin(b), cos(b)]]
    then_z = [[cos(c), -sin(c), ZERO], [sin(c), cos(c), ZERO], [ZERO, ZERO, ONE]]
    moving = (symbol("u"), symbol("v"), symbol("w"))
    mass = multiply(multiply(about_z, about_x), then_z)
    force = (symbol("v") * a, -symbol("u") - b, symbol("w") * symbol("u") + c)
    turning = dict(zip((a, b, c), moving, strict=True))
    return Equations("rotated", "by hand", turning, moving, mass, force, monitors={"spin": moving[0] ** 2})


def repeated():
    """A rope that is stated twice, and a third time with the floor: three rows of rank 2."""
    pulley = System.of(
        name="pulley",
        coordinates="x y z",
        parameters={"m": 2, "g": 9.81},
        lagrangian="(x'^2 + y'^2 + m*z'^2)/2 + x*z - m*g*z",
        constraints={"rope": "z' = (1 + y^2)*x'", "again": "2*z' = 2*(1 + y^2)*x'", "floor": "y' = x*x' + z'"},
    )
    return derive(pulley, "nonholonomic").equations


def adapted(name):
    """Return the equations of a system of the gallery in its adapted frame, without the claims about them."""
    system = gallery.load(name)
    motion = adapted_motion(system)
    return Equations(
        system.name,
        "nonholonomic",
        kinematics=dict(zip(system.q, motion.kinematics, strict=True)),
        velocities=tuple(motion.frame.quasi_velocities[: motion.distribution.rank]),
        mass=motion.equations.mass,
        force=motion.equations.force,
        monitors={"height": system.q[0] ** 2},
        parameters=system.defaults,
    )


@cache
def systems():
    return {
        "robot": derive(gallery.load("two-wheeled-robot"), "chaplygin").equations,
        "snakeboard": adapted("snakeboard"),
        "disc": adapted("falling-rolling-disc"),
        "hostile": hostile(),
        "unknown": unknown(),
        "speeds": derive(sleigh(forces=None, controls=None), "nonholonomic").equations,
        "rotated": rotated(),
        "repeated": repeated(),
        "chain": derive(gallery.load("wheeled-snake", 12), "nonholonomic").equations,
    }


NAMES = ("robot", "snakeboard", "disc", "hostile", "unknown", "speeds", "rotated", "repeated", "chain")


def points(equations, how_many=5):
    """Return times, variables, parameters, and the unknowns that belong to them."""
    random = np.random.default_rng(11)
    size = len(equations.state) + len(equations.reconstruction)
    values = np.array([float(v) for v in equations.parameters.values()])
    return random.uniform(0.2, 1.2, how_many), random.uniform(0.2, 1.2, (how_many, size)), values


def expected(equations, t, y, values):
    """Return what the native engine makes of a point: rates, monitors, unknowns."""
    method = compiled_once(equations)
    rates, status = method.rates(t, y, values)
    assert status == 0
    unknowns = np.zeros(len(equations.implicit))
    if equations.implicit:
        unknowns[:] = -rates[0]  # x' = -u
    watch = observer(equations, list(equations.monitors.values()))
    return rates, watch(np.array([t]), y[:, None], values, unknowns[:, None])[:, 0], unknowns


def agree(equations, call):
    """Compare ``call(name, t, y, values, unknowns)`` with the native engine."""
    times, states, values = points(equations)
    for t, y in zip(times, states, strict=True):
        rates, monitors, unknowns = expected(equations, t, y, values)
        whole = "rates" if equations.reconstruction else "field"
        found = call(whole, t, y, values, unknowns)
        np.testing.assert_allclose(found, rates, rtol=1e-12, atol=1e-13)
        state = len(equations.state)
        np.testing.assert_allclose(call("field", t, y, values, unknowns), rates[:state], rtol=1e-12, atol=1e-13)
        if equations.reconstruction:
            np.testing.assert_allclose(call("lift", t, y, values, unknowns), rates[state:], rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(call("monitors", t, y, values, unknowns), monitors, rtol=1e-12, atol=1e-13)
        if equations.implicit:
            np.testing.assert_allclose(call("residuals", t, y, values, unknowns), 0, atol=1e-12)
