"""Mechanisms by their parts against Newton's and Euler's equations, and against published numbers."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from judging import reference
from mechanisms_by_parts import ANDREWS_AT_REST, ANDREWS_END, ANDREWS_START, cases
from newton_euler import Solid, allowed, order, path, turn, unbalanced, vector
from scipy.optimize import least_squares
from stated_machines import CORNERS, QUADRUPED

from dalembert import derive, gallery, simulate
from dalembert.expr.calculus import tangent
from dalembert.expr.readers import Floats
from dalembert.expr.walk import evaluate
from dalembert.model.files import load

NAMES = ["car", "slider_crank", "governor", "andrews", "bricard"]


def rows(case, q, v):
    """What vanishes of a velocity: rates of gaps, and slips."""
    moved = path(q, v)
    return np.array([*order(np.asarray(case.gaps(moved), dtype=object), 1), *case.slips(moved)], float)


def gap(case, q):
    return order(np.asarray(case.gaps(path(q, 0 * q)), dtype=object), 0) if case.start else np.zeros(0)


def closed(case, seed):
    """A state where all gaps vanish, near the start; velocities that are allowed."""
    draw = np.random.default_rng(seed)
    begin = np.array(case.start) if case.start else draw.uniform(-0.5, 0.5, len(case.system.q))
    if not case.start or case.system.repeated:  # which would leave where it can move
        q = begin
    else:
        near = begin + draw.uniform(-0.05, 0.05, len(begin))
        q = least_squares(lambda q: gap(case, q), near, xtol=1e-15, gtol=1e-15, ftol=1e-15).x
    assert np.abs(gap(case, q)).max(initial=0) < 1e-12
    directions = allowed(partial(rows, case), q)
    return q, directions @ draw.uniform(-1, 1, directions.shape[1]), directions


def heavier(bodies, q):
    return [replace(body, mass=1.1 * body.mass) for body in bodies(q)]


@pytest.mark.thorough("bicycle")
@pytest.mark.parametrize("name", [*NAMES, "bicycle"])
@pytest.mark.thorough("car", "governor", "andrews")
def test_mechanisms_obey_newton_and_euler(name):
    case = cases()[name]
    q, v, directions = closed(case, 1)
    values = {p: float(x) for p, x in case.system.defaults.items()}
    a = reference(case.system, q, v, 0.0, values)
    size = np.abs(unbalanced(case.bodies, q, v, 0 * a, directions)).max()
    assert np.abs(unbalanced(case.bodies, q, v, a, directions)).max() < 1e-4 * size
    assert np.abs(unbalanced(partial(heavier, case.bodies), q, v, a, directions)).max() > 1e-3 * size  # the twin
    if name == "bricard":  # five equations, one of which repeats the others
        assert len(case.system.holonomic) == 5
        assert directions.shape == (5, 1)


# -- published numbers ---------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def squeezer():
    return derive(cases()["andrews"].system, "nonholonomic")


def test_the_squeezer_begins_with_the_published_accelerations():
    system = cases()["andrews"].system
    q = np.array([ANDREWS_START[one.data.name] for one in system.q])
    a = dict(zip((one.data.name for one in system.q), reference(system, q, 0 * q, 0.0, {}), strict=True))
    for name in ANDREWS_START:
        assert a[name] == pytest.approx(ANDREWS_AT_REST.get(name, 0.0), rel=1e-4, abs=0.5)


@pytest.mark.thorough
def test_the_squeezer_ends_where_it_is_known_to(squeezer):
    run = simulate(squeezer, time=0.03, tolerance=1e-12)
    for name, known in ANDREWS_END.items():
        assert run[name][-1] == pytest.approx(known, abs=1e-8)
    assert simulate(squeezer, time=0.02)["gamma"][-1] != pytest.approx(ANDREWS_END["gamma"], abs=1e-3)  # the twin


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_energy_is_kept_without_motors_and_friction(name):
    system = cases()[name].system.but(forces=None, facts=None)
    result = derive(system, "nonholonomic")
    start = {
        "car": {"x'": 3, "steer'": 0.2},
        "andrews": {"beta'": 50},
        "bricard": {},
        "governor": {},
        "slider_crank": {},
    }
    run = simulate(result, start[name], time=0.05 if name == "andrews" else 2, tolerance=1e-12)
    assert run.status >= 0
    size = np.abs(run["energy"]).max() + 1
    assert np.ptp(run["energy"]) < 1e-8 * size
    assert np.ptp(run[system.q[0].data.name]) > 1e-2  # it moves


# -- long chains and trees, by what is derived ---------------------------------------------------------------
def chain(q, links):
    """The arm of the gallery, by hand: a pillar, then links about x and y in turn, springs and friction in joints."""
    turned, place, solids = turn("z", q[0]), vector(0, 0, 0), []
    across, along = 2 * (3 * 0.0025 + 0.16) / 12, 2 * 0.00125
    axes, pushes = [], [0.0, *(-30 * one.c[0] - 0.4 * one.c[1] for one in q[1:])]
    for k in range(1, links + 1):
        letter = "z" if k == 1 else "y" if k % 2 == 0 else "x"
        turned = turned if k == 1 else turned @ turn(letter, q[k - 1])
        axes.append(order(turned, 0)[:, "xyz".index(letter)] * pushes[k - 1])
        solids.append((turned, place + turned @ vector(0, 0, 0.2)))
        place = place + turned @ vector(0, 0, 0.4)
    axes.append(np.zeros(3))
    weight = np.array([0, 0, -2 * 9.81])
    return [
        Solid(2, np.diag([across, across, along]), turned, centre, lambda: weight, lambda k=k: axes[k] - axes[k + 1])
        for k, (turned, centre) in enumerate(solids)
    ]


@pytest.mark.thorough("40")
@pytest.mark.parametrize("links", [7, 40])
def test_a_chain_of_many_links(links):
    system = gallery.load("arm", links)
    draw = np.random.default_rng(links)
    q, v = draw.uniform(-0.8, 0.8, links), draw.uniform(-1, 1, links)
    point = {
        **dict(zip((*system.q, *system.v), (*q, *v), strict=True)),
        **{p: float(x) for p, x in system.parameters.items()},
    }
    equations = derive(system, "euler-lagrange").equations
    rates = equations.rates()
    a = np.array(evaluate([rates[one] for one in system.v], Floats(point)), float)
    where = partial(chain, links=links)
    assert np.abs(unbalanced(where, q, v, a, np.eye(links))).max() < 1e-7 * np.abs(a).max()
    assert np.abs(unbalanced(where, q, v, 1.001 * a, np.eye(links))).max() > 1e-5 * np.abs(a).max()  # the twin
    here = {**point, **{w.dot: x for w, x in zip(system.v, a, strict=True)}}
    (power,) = evaluate(
        tangent([equations.monitors["energy"]], {x: x.dot for x in (*system.q, *system.v)}), Floats(here)
    )
    assert power == pytest.approx(-0.4 * np.sum(v[1:] ** 2), rel=1e-8)  # the energy goes into the dampers


def quadruped(q):
    x, y, z, q0, q1, q2, q3, *angles = q
    base = np.array([
        [1 - 2 * (q2 * q2 + q3 * q3), 2 * (q1 * q2 - q0 * q3), 2 * (q1 * q3 + q0 * q2)],
        [2 * (q1 * q2 + q0 * q3), 1 - 2 * (q1 * q1 + q3 * q3), 2 * (q2 * q3 - q0 * q1)],
        [2 * (q1 * q3 - q0 * q2), 2 * (q2 * q3 + q0 * q1), 1 - 2 * (q1 * q1 + q2 * q2)],
    ])  # fmt: skip
    origin, drag = vector(x, y, z), np.zeros(3)

    def weight(mass):
        return lambda: np.array([0, 0, -9.81 * mass])

    legs = []
    for (side, out), (roll, pitch, knee) in zip(CORNERS, np.array(angles, dtype=object).reshape(4, 3), strict=True):
        hip = base @ turn("x", roll)
        thigh = hip @ turn("y", pitch)
        shank = thigh @ turn("y", knee)
        at_hip = origin + base @ vector(side, out, 0)
        at_thigh = at_hip + hip @ vector(0, out, 0)
        at_shank = at_thigh + thigh @ vector(0, 0, -0.2)
        twist = order(hip, 0)[:, 0] * -0.1 * roll.c[1]
        drag = drag - twist
        bent = np.array([[0.005, 0, 0.0002], [0, 0.006, 0], [0.0002, 0, 0.001]])
        legs += [
            Solid(
                0.7,
                np.diag([0.001, 0.002, 0.003]),
                hip,
                at_hip + hip @ vector(0, out, 0),
                weight(0.7),
                lambda w=twist: w,
            ),
            Solid(1, bent, thigh @ turn("y", 0.2), at_thigh + thigh @ vector(0, 0, -0.1), weight(1)),
            Solid(0.3, np.diag([0.002, 0.002, 0.0001]), shank, at_shank + shank @ vector(0.01, 0, -0.12), weight(0.3)),
        ]
    body = np.array([[0.03, 0.001, 0.002], [0.001, 0.1, 0], [0.002, 0, 0.11]])
    return [Solid(6, body, base, origin + base @ vector(0.02, 0, 0.01), weight(6), lambda: drag), *legs]


def times(q, w):
    """The product of a quaternion and a vector."""
    scalar, part = q[0], np.array(q[1:])
    return np.array([-part @ w, *(scalar * w + np.cross(part, w))])


@pytest.mark.thorough
def test_a_quadruped_from_urdf(tmp_path):
    file = tmp_path / "quadruped.urdf"
    file.write_text(QUADRUPED)
    system = load(file)
    assert (len(system.q), len(system.run.events)) == (19, 24)
    draw = np.random.default_rng(5)
    place, turned, angles = draw.uniform(-1, 1, 3), draw.uniform(-1, 1, 4), draw.uniform(-0.8, 0.8, 12)
    turned /= np.linalg.norm(turned)
    speeds, spin, rates = draw.uniform(-1, 1, 3), draw.uniform(-1, 1, 3), draw.uniform(-1, 1, 12)
    equations = derive(system, "euler-lagrange").equations
    names = {one.data.label: one for one in equations.state}
    stated = [*place, *turned, *angles]
    point = dict(zip(system.q, stated, strict=True))
    point |= {names[f"torso_joint_{letter}'"]: value for letter, value in zip("xyz", speeds, strict=True)}
    point |= {names[f"torso_joint_rotation.w{k}"]: value for k, value in enumerate(spin, 1)}
    point |= {q.dot: value for q, value in zip(system.q[7:], rates, strict=True)}
    moved = equations.rates()
    wanted = [*(f"torso_joint_{one}'" for one in "xyz"), *(f"torso_joint_rotation.w{k}" for k in (1, 2, 3))]
    found = evaluate([*(moved[names[one]] for one in wanted), *(moved[q.dot] for q in system.q[7:])], Floats(point))
    pushed, turning, bent = np.array(found[:3]), np.array(found[3:6]), np.array(found[6:])
    first = times(turned, spin) / 2
    q, v = np.array(stated), np.array([*speeds, *first, *rates])
    a = np.array([*pushed, *(times(first, spin) + times(turned, turning)) / 2, *bent])
    directions = allowed(lambda q, v: np.array([q[3:7] @ v[3:7]]), q)
    assert np.abs(unbalanced(quadruped, q, v, a, directions)).max() < 1e-8 * np.abs(a).max()
    assert np.abs(unbalanced(partial(heavier, quadruped), q, v, a, directions)).max() > 1e-3  # the twin
