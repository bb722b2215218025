"""Integrators of fixed step: declared orders measured, and what each keeps, against twins that do not."""

from dataclasses import replace

import numpy as np
import pytest
from geometric_systems import CENTRAL, PLANE, SLOPE, TWO_LINKS, kutta, orders
from geometric_systems import measured as declared_and_measured

from dalembert import derive, gallery
from dalembert.errors import EvaluationError, ExpressionError, HypothesisError
from dalembert.expr import symbol
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.numerics.geometric import METHODS, Scheme, composed, march, prepared, stepper
from dalembert.numerics.geometric.march import begin_march
from dalembert.numerics.geometric.phase_space import phase_space
from dalembert.numerics.simulate import prepare, simulate


def measured(of, reference, time, counts, **more):
    """Return the orders that the error in all coordinates shows."""
    errors = []
    for count in counts:
        run = march(of, None, time, step=time / count, **more)
        assert run.success
        errors.append(max(abs(run[name][-1] - value) for name, value in reference.items()))
    return orders(errors)


def finals(run, names):
    return {name: run[name][-1] for name in names.split()}


# -- orders ------------------------------------------------------------------------------------------------------
@pytest.mark.thorough
def test_every_integrator_has_its_declared_order():
    found = list(declared_and_measured())
    assert {name for name, _, _ in found} >= set(METHODS)
    for name, declared, order in found:
        assert order == pytest.approx(declared, abs=0.15), name


def test_a_composition_that_is_not_symmetric_does_not_raise_the_order():
    """The wrong twin: equal parts add up to a step, and that is all they do."""
    problem, _, scheme = prepared(TWO_LINKS, None, 2.0)
    exact = simulate(derive(TWO_LINKS, "euler-lagrange"), None, 2, tolerance=1e-14)["a"][-1]
    wrong = replace(composed(scheme, 4), fractions=(0.2,) * 5)

    def error(made, count):
        run, steps = begin_march(problem, made, 2.0 / count)
        stepper(made).march(run, steps)
        return abs(run.state[0] - exact)

    right = orders([error(composed(scheme, 4), n) for n in (80, 160)])
    assert right == pytest.approx(4, abs=0.15)
    assert orders([error(wrong, n) for n in (80, 160)]) == pytest.approx(2, abs=0.15)


# -- what is kept ------------------------------------------------------------------------------------------------
def omega(size):
    return np.block([[np.zeros((size, size)), np.eye(size)], [-np.eye(size), np.zeros((size, size))]])


def bend(scheme, problem, step):
    """Return how far one step is from keeping the canonical two-form."""
    run, _ = begin_march(problem, scheme, step)
    matrix = stepper(scheme).jacobian(problem.span[0], problem.start, problem.parameters, run.unknowns, step)
    form = omega(len(problem.start) // 2)
    return np.abs(matrix.T @ form @ matrix - form).max()


@pytest.mark.parametrize("order", [2, 4, 6])
@pytest.mark.parametrize(("system", "values"), [(TWO_LINKS, {}), (PLANE, {"c": 1})])
@pytest.mark.thorough("system0-values0-4", "system0-values0-6", "system1-values1-6")
def test_a_variational_step_is_symplectic(system, values, order):
    problem, _, scheme = prepared(system, None, 1.0, order=order, values=values)
    assert bend(scheme, problem, 0.2) < 1e-12


def test_compositions_of_a_symplectic_step_are_symplectic_and_a_step_of_kutta_is_not():
    problem, _, scheme = prepared(PLANE, None, 1.0)
    assert bend(composed(scheme, 4), problem, 0.2) < 1e-12
    plain, _, _ = prepare(derive(PLANE, "euler-lagrange"), None, 1.0)
    assert plain.variables == tuple(PLANE.q + PLANE.v)  # with unit masses velocities are momenta
    assert bend(kutta(plain.equations), plain, 0.2) > 1e-8


def test_forces_make_a_step_that_is_not_symplectic():
    damped = PLANE.but(forces={"x": "-x'/10"})
    problem, _, scheme = prepared(damped, None, 1.0)
    assert bend(scheme, problem, 0.2) > 1e-3


def test_momentum_is_kept_to_rounding_and_kutta_loses_it():
    run = march(CENTRAL, None, 200, step=0.05, every=10)
    spin = run["x"] * run["p_y"] - run["y"] * run["p_x"]
    assert np.ptp(spin) < 2e-13
    assert np.ptp(run["energy"]) > 1e-5  # energy is not
    problem, _, _ = prepare(derive(CENTRAL, "euler-lagrange"), None, 200)
    scheme = kutta(problem.equations)
    memory, steps = begin_march(problem, scheme, 0.05)
    stepper(scheme).march(memory, steps)
    x, y, u, v = memory.state
    assert abs(x * v - y * u - 1.1) > 1e-7


def test_constraints_hold_at_the_nodes_and_between_them():
    step = 0.1
    run = march(SLOPE, None, 20, step=step, method="lagrange-dalembert", values={"c": 1})
    assert np.abs(run["constraint slope"]).max() < 1e-14
    assert np.abs(run["z'"] - run["y"] * run["x'"]).max() < 1e-14
    x, y, z = run["x"], run["y"], run["z"]
    between = np.diff(z) - (y[1:] + y[:-1]) / 2 * np.diff(x)
    assert np.abs(between).max() < 1e-15
    assert np.abs(np.diff(z) - y[:-1] * np.diff(x)).max() > 1e-3  # it is the midpoint's, not another's


def test_the_motion_is_that_of_the_two_step_principle():
    """D1 L_d(q_k, q_k+1) + D2 L_d(q_k-1, q_k) vanishes on what the constraint allows at q_k, by hand."""
    h = 0.1
    run = march(SLOPE, None, 5, step=h, method="lagrange-dalembert")
    q = np.array([run[name] for name in "xyz"])
    mean, rate = (q[:, 1:] + q[:, :-1]) / 2, np.diff(q) / h
    slope = mean + np.array([mean[0] ** 3, 0 * mean[0], 0 * mean[0]])  # the derivative of the potential
    first, second = -rate - h / 2 * slope, rate - h / 2 * slope
    force = first[:, 1:] + second[:, :-1]
    y = q[1, 1:-1]
    along = np.array([force[0] + y * force[2], force[1]])
    assert np.abs(along).max() < 1e-13
    assert np.abs(force[2]).max() > 1e-3  # the constraint does push


@pytest.mark.parametrize("method", ["lagrange-dalembert", "energy-preserving"])
def test_steps_are_reversible_where_the_problem_is(method):
    """There and back with velocities turned around; a term linear in the velocities spoils it."""
    of = SLOPE if method == "lagrange-dalembert" else derive(SLOPE, "nonholonomic")

    def missed(c):
        more = {"step": 0.1, "method": method, "values": {"c": c}}
        there = march(of, None, 5, **more)
        turned = {name: there[name][-1] for name in "xyz"} | {f"{name}'": -there[f"{name}'"][-1] for name in "xy"}
        back = march(of, turned, 5, **more)
        return max(abs(back[name][-1] - there[name][0]) for name in "xyz")

    assert missed(0) < 1e-11
    assert missed(1) > 1e-2


def test_energy_is_kept_to_rounding_where_the_discrete_gradient_sees_to_it():
    derived = derive(SLOPE, "nonholonomic")
    run = march(derived, None, 200, step=0.1, method="energy-preserving", values={"c": 1})
    assert np.ptp(run["energy"]) < 1e-13
    other = march(SLOPE, None, 200, step=0.1, method="lagrange-dalembert", values={"c": 1})
    assert np.ptp(other["energy"]) > 1e-3


def test_what_stands_still_has_no_discrete_gradient():
    with pytest.raises(EvaluationError, match="all rates vanish at the start"):
        march(
            derive(PLANE, "euler-lagrange"), {"x": 0, "y": 0, "x'": 0, "y'": 0}, 1, step=0.1, method="energy-preserving"
        )


def test_another_integral_can_be_kept():
    x, y, z = symbol("x"), symbol("y"), symbol("z")
    body = Equations("body", "Euler", {x: y * z, y: -2 * x * z, z: x * y}, monitors={"size": x**2 + y**2 + z**2})
    run = march(body, {"x": 1, "y": 0.1, "z": 0.5}, 100, step=0.1, method="energy-preserving", keeps="size")
    assert np.ptp(run["size"]) < 1e-13


# -- the equations on phase space --------------------------------------------------------------------------------
@pytest.mark.parametrize("engine", ["native", "scipy"])
def test_engines_agree_on_phase_space(engine):
    direct = simulate(derive(SLOPE, "nonholonomic"), None, 2, tolerance=1e-12, values={"c": 1})
    run = simulate(phase_space(SLOPE), None, 2, tolerance=1e-12, values={"c": 1}, engine=engine, system=SLOPE)
    for name in ("x", "y", "z", "x'", "energy"):
        assert run[name][-1] == pytest.approx(direct[name][-1], abs=1e-10)
    assert run["lambda_slope"][-1] == pytest.approx(direct["multiplier slope"][-1], rel=1e-8)


def test_affine_and_moving_constraints_with_forces():
    table = System.of(
        name="particle on a moving slope",
        coordinates="x y z",
        functions={"V": {"of": ["x"], "value": "x^4/4"}},
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - V(x) - z",
        constraints={"slope": "z' = y*x' + sin(t)"},
        forces={"y": "-y'/5"},
        start={"x": 1, "y": 0.5, "x'": 0.2, "y'": 0.3},
    )
    exact = finals(simulate(derive(table, "nonholonomic"), None, 2, tolerance=1e-14), "x y z x' y'")
    for order in (2, 4):
        found = measured(table, exact, 2.0, (40, 80), method="lagrange-dalembert", order=order)
        assert found == pytest.approx(order, abs=0.15)
    assert np.abs(march(table, None, 2, step=0.1, method="lagrange-dalembert")["constraint slope"]).max() < 1e-14


def test_constraints_on_positions_hold_for_ever():
    ball = System.of(
        name="pendulum in space",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - z",
        holonomic={"sphere": "x^2 + y^2 + z^2 = 1"},
        start={"x": 1, "y": 0, "z": 0, "y'": 0.4},
    )
    run = march(ball, None, 500, step=0.05, every=10, method="lagrange-dalembert")
    assert np.abs(run["holonomic sphere"]).max() < 1e-14
    assert np.abs(run["constraint sphere"]).max() < 1e-13
    assert np.ptp(run["energy"]) < 1e-3
    assert np.ptp(run["x"] * run["y'"] - run["y"] * run["x'"]) < 1e-12


def test_a_lagrangian_that_is_not_quadratic():
    fast = System.of(
        name="relativistic oscillator",
        coordinates="x",
        lagrangian="-sqrt(1 - x'^2) - x^2/2",
        start={"x": 1},
    )
    exact = finals(simulate(derive(fast, "euler-lagrange"), None, 3, tolerance=1e-14), "x x'")
    assert measured(fast, exact, 3.0, (30, 60), order=4) == pytest.approx(4, abs=0.15)


@pytest.mark.parametrize(
    ("name", "bound"),
    [("snakeboard", 1e-10), ("disc-on-moving-plane", 1e-10), ("turning-table", 1e-5), ("wheeled-snake", 1e-8)],
)
@pytest.mark.thorough("wheeled-snake-1e-08")
@pytest.mark.thorough("turning-table-1e-05")
def test_systems_of_the_gallery_arrive_where_the_engine_does(name, bound):
    system = gallery.load(name)
    exact = finals(
        simulate(derive(system, "nonholonomic"), None, 1, tolerance=1e-12), " ".join(q.data.name for q in system.q)
    )
    run = march(system, None, 1, step=0.01, method="lagrange-dalembert", order=4)
    assert max(abs(run[q][-1] - value) for q, value in exact.items()) < bound
    assert max(np.abs(run[f"constraint {c}"]).max() for c in system.constraints) < 1e-12


# -- the face ----------------------------------------------------------------------------------------------------
def test_backwards_is_the_way_back():
    there = march(TWO_LINKS, None, 5, step=0.05)
    last = {name: there[name][-1] for name in ("a", "b", "a'", "b'")}
    back = march(TWO_LINKS, last, (5, 0), step=0.05)
    assert back.t[-1] == 0
    assert back.y[:, -1] == pytest.approx(there.y[:, 0], abs=1e-11)


def test_steps_fit_into_the_time_and_every_so_many_are_kept():
    run = march(TWO_LINKS, None, 1, step=0.03, every=10)
    assert run.provenance["step"] == pytest.approx(1 / 33)
    assert run.t == pytest.approx([0, 10 / 33, 20 / 33, 30 / 33, 1])
    assert run.provenance["integrator"] == "variational"
    assert run["a"] == pytest.approx(march(TWO_LINKS, None, 1, step=0.03)["a"][[0, 10, 20, 30, 33]], abs=0)


def test_time_in_the_lagrangian_is_taken_at_the_stages():
    driven = System.of(name="driven", coordinates="x", lagrangian="x'^2/2 - x^2*(1 + sin(t)/2)/2", start={"x": 1})
    exact = finals(simulate(derive(driven, "euler-lagrange"), None, 3, tolerance=1e-14), "x x'")
    assert measured(driven, exact, 3.0, (30, 60), order=4) == pytest.approx(4, abs=0.15)


def test_progress_and_a_step_that_is_not_found():
    told = []
    march(TWO_LINKS, None, 1, step=0.1, progress=told.append)
    assert told == pytest.approx(np.arange(1, 11) / 10)
    wild = System.of(name="wild", coordinates="x", lagrangian="x'^2/2 + x^4", start={"x": 1})
    run = march(wild, None, 5, step=0.2)
    assert run.status < 0
    assert "take shorter steps" in run.message


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((SLOPE, "variational"), r"\[constraints\] slope: this is for systems without constraints; use lagrange"),
        ((SLOPE, "energy-preserving"), "it needs equations"),
        ((Equations("", "", {symbol("x"): symbol("x")}), "variational"), "not equations alone"),
        ((Equations("", "", {symbol("x"): symbol("x")}), "energy-preserving"), "no 'energy'"),
        ((PLANE.but(lagrangian="x''^2"), "lagrange-dalembert"), "order 2; .* asks for a Lagrangian on TQ, of order 1"),
        (
            (PLANE.but(lagrangian="x'^2/2 - x*y"), "variational"),
            "rank 1 of 2, .* asks for a Lagrangian on TQ that is reg",
        ),
        (
            (PLANE.but(constraints={"fast": "x'^2 + y'^2 = 1"}), "lagrange-dalembert"),
            "fast: it is not linear .* asks for constraints that are a distribution",
        ),
    ],
)
def test_what_cannot_be_done_is_refused(arguments, said):
    of, method = arguments
    with pytest.raises(HypothesisError, match=said):
        march(of, {"x": 1}, 1, step=0.1, method=method)


def test_energy_that_changes_is_not_forced_to_stay():
    damped = derive(PLANE.but(forces={"x": "-x'/10"}), "euler-lagrange")
    with pytest.raises(
        HypothesisError, match=r"energy: it is not constant along the motions; .* asks for a first integral"
    ):
        march(damped, None, 1, step=0.1, method="energy-preserving")


def test_nonsense_is_refused():
    for more, said in (
        ({"method": "magic"}, "no integrator 'magic'"),
        ({"step": -1}, "positive"),
        ({"every": 0}, "every must be at least 1"),
        ({"keeps": "energy"}, "no option 'keeps'"),
    ):
        with pytest.raises(ExpressionError, match=said):
            march(PLANE, None, 1, **{"step": 0.1, **more})
    for method in METHODS:
        with pytest.raises(HypothesisError, match="no scheme of order 3"):
            march(derive(PLANE, "euler-lagrange"), None, 1, step=0.1, method=method, order=3)
    with pytest.raises(ExpressionError, match="not to 5"):
        composed(Scheme("", 2, (), ()), 5)
