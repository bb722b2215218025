"""Euler-Lagrange's equations, met by SymPy, by the action itself, by Hamel's equations in any frame, by geometry."""

from __future__ import annotations

from dataclasses import replace

import pytest
from adapted import random_frame
from flint import fmpq, fmpq_poly
from sympy.calculus.euler import euler_equations

from dalembert import gallery
from dalembert.errors import HypothesisError
from dalembert.expr import ONE, TIME, ZERO, Expr, diff, evaluate, substitute, symbol, tangent, time_derivative, total
from dalembert.expr.graph import Number
from dalembert.expr.readers import Rationals
from dalembert.expr.sympy_border import from_sympy, names_of, to_sympy
from dalembert.expr.truth import is_zero
from dalembert.expr.truth.many import ProofBudget
from dalembert.geometry import frames
from dalembert.geometry.forms import d
from dalembert.mechanics.common import along
from dalembert.mechanics.lagrangian import euler_lagrange
from dalembert.mechanics.lagrangian.jets import derivative, euler_operators, momenta
from dalembert.mechanics.registry import claims
from dalembert.model.system import System

ORDERS = {
    1: "x'^2*(1 + y^2)/2 + y'^2/2 + x*y*x' - x^3*y + t*x'",
    2: "x''^2*(1 + y^2)/2 + y''^2/2 + x''*y'*x - x'^2*y + t*x*y''",
    3: "x'''^2/2 + (1 + x'^2)*y'''^2/2 + x'''*y''*y - x''^2*x' + t*y*x''",
}


def stated(lagrangian: str, **tables: object) -> System:
    return System.of(name="test", coordinates="x y", lagrangian=lagrangian, **tables)


def claim(result: euler_lagrange.EulerLagrange, name: str):
    return next(c for c in claims(result) if c.name == name)


class Polynomials(Rationals):
    """Expressions along a curve whose coordinates are polynomials in time."""

    def _look_up(self, node: Expr) -> fmpq_poly:
        return self.values[node]

    def number(self, value: Number) -> fmpq:
        return fmpq(value.numerator, value.denominator)


# -- independent derivations ---------------------------------------------------------------------------------------
def sympy_defects(system: System, force_sign: int = 1) -> list[Expr]:
    """What SymPy's equations leave over when our highest derivatives are put in."""
    names = names_of(*system.q, system.lagrangian)
    positions = [to_sympy(q, names) for q in system.q]
    equations = euler_equations(to_sympy(system.lagrangian, names), positions, positions[0].args[0])
    result = euler_lagrange.motion(system)
    highest = {m.dot: rate for m, rate in result.rates().items() if m in result.velocities}
    residuals = [from_sympy(equation.lhs.doit(), names) for equation in equations]
    forces = [force_sign * system.forces.get(q, ZERO) for q in system.q]
    return substitute([r + f for r, f in zip(residuals, forces, strict=True)], highest)


@pytest.mark.parametrize("order", ORDERS)
def test_sympy_gives_the_same_equations_of_any_order(order: int) -> None:
    system = stated(ORDERS[order])
    assert system.order == order
    assert all(is_zero(e).holds for e in sympy_defects(system))


@pytest.mark.parametrize("name", ["spherical-pendulum", "heavy-top-chart", "pendulum:2", "quartic", "magnetic"])
@pytest.mark.thorough("heavy-top-chart", "pendulum:2")
def test_sympy_gives_the_same_equations_of_the_gallery(name: str) -> None:
    assert all(is_zero(e).holds for e in sympy_defects(gallery.load(name)))


def test_forces_enter_with_their_sign() -> None:
    system = stated(ORDERS[1], forces={"x": "-x'*y", "y": "sin(t)"})
    assert all(is_zero(e).holds for e in sympy_defects(system))
    assert all(is_zero(e).holds is False for e in sympy_defects(system, force_sign=-1))


@pytest.mark.parametrize("order", ORDERS)
def test_the_action_is_stationary_by_its_own_definition(order: int) -> None:
    """dS/deps of q + eps eta, by integrals of polynomials alone, is the integral of the Euler operator times eta."""
    system = stated(ORDERS[order])
    t = fmpq_poly([0, 1])
    path = {"x": 1 + 2 * t - t**2 / 3, "y": t**3 - t / 2 + 1}
    bump = (t * (1 - t)) ** (order + 1)
    eta = {"x": bump * (1 + t), "y": bump * (2 - t**2)}

    def on(eps: int, expressions: list[Expr]) -> list[fmpq_poly]:
        values = {symbol(TIME): t}
        for q in system.q:
            curve = path[q.data.name] + eps * eta[q.data.name]
            for k in range(2 * order + 1):
                values[derivative(q, k)] = curve
                curve = curve.derivative()
        return evaluate(expressions, Polynomials(values))

    def integral(integrand: fmpq_poly) -> fmpq:
        return integrand.integral()(1)

    def action(eps: int) -> fmpq:
        return integral(*on(eps, [system.lagrangian]))

    # the five-point rule is exact, for no Lagrangian here is of a degree above four
    slope = (action(-2) - 8 * action(-1) + 8 * action(1) - action(2)) / 12
    operators = on(0, euler_operators(system.lagrangian, system.q, order))
    wanted = sum(integral(e * eta[q.data.name]) for e, q in zip(operators, system.q, strict=True))
    assert slope == wanted
    assert slope != 0


def test_a_known_equation_of_fourth_order() -> None:
    oscillator = System.of(
        name="Pais-Uhlenbeck",
        coordinates="x",
        parameters={"a": 1, "b": 2},
        lagrangian="x''^2/2 - (a^2 + b^2)*x'^2/2 + a^2*b^2*x^2/2",
    )
    result = euler_lagrange.derive(oscillator)
    (x,) = oscillator.q
    words = oscillator.vocabulary
    a, b = words["a"], words["b"]
    found = result.equations.rates()[derivative(x, 3)]
    assert is_zero(found + (a**2 + b**2) * derivative(x, 2) + a**2 * b**2 * x).holds
    assert [e.data.order for e in result.equations.state] == [0, 1, 2, 3]
    assert claim(result, "energy conserved").verdict.holds
    assert is_zero(result.momenta[x][0] + (a**2 + b**2) * x.dot + derivative(x, 3)).holds
    form = result.cartan_form
    assert is_zero(form.component(1) - derivative(x, 2)).holds  # p_(2) dx'


# -- geometry ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("order", [2, 3])
def test_the_symplectic_equation_holds_for_higher_order(order: int) -> None:
    """i_X omega = dE with omega = -d theta on the jets, for Lagrangians that do not contain time."""
    system = stated(ORDERS[order].rpartition(" + ")[0])
    result = euler_lagrange.derive(system)
    rates = result.equations.rates()
    chart = result.cartan_form.chart
    omega, energy = (-1) * d(result.cartan_form), d(result.energy, chart)
    for i in range(chart.dimension):
        left = total([(1, rates[q] * omega.component(j, i)) for j, q in enumerate(chart.coordinates)])
        assert is_zero(left - energy.component(i)).holds


def test_the_symplectic_claim_is_refuted_for_a_wrong_field() -> None:
    system = gallery.load("spherical-pendulum")
    result = euler_lagrange.derive(system)
    assert claim(result, "symplectic").verdict.holds
    assert claim(result, "symplectic").role == "check"
    wrong = replace(result.equations, force=tuple(-f for f in result.equations.force))
    assert euler_lagrange.solves_symplectic_equation(replace(result, equations=wrong), ProofBudget(0.0)).holds is False


def test_energy_balance_counts_forces_and_time() -> None:
    damped = stated("(x'^2 + y'^2)/2 - t*x^2/2", forces={"x": "-x'", "y": "-2*y'"})
    result = euler_lagrange.derive(damped)
    assert claim(result, "energy balance").verdict.holds
    lost = claim(result, "energy conserved")
    assert lost.verdict.kind == "refuted"
    assert lost.verdict.witness is not None
    assert not lost.failed  # a question may be answered either way
    free = damped.but(forces=None)
    rate = along(euler_lagrange.motion(damped), [result.energy])[0]
    assert euler_lagrange.energy_balance(replace(result, system=free), ProofBudget(0.0)).holds is False
    assert is_zero(rate + damped.q[0] ** 2 / -2 + damped.v[0] ** 2 + 2 * damped.v[1] ** 2).holds


def test_objects_have_the_names_of_the_json() -> None:
    result = euler_lagrange.derive(gallery.load("magnetic"))
    objects = result.objects()
    assert set(objects) == {"momenta", "energy", "hessian", "cartan_form", "noether_momenta"}
    words = result.system.vocabulary
    m, b = words["m"], words["b"]
    assert is_zero(objects["momenta"]["x"] - m * words["x'"] + b * words["y"] / 2).holds
    assert objects["cartan_form"].keys() == {"x", "y", "z"}
    assert objects["cartan_form"]["x"] is objects["momenta"]["x"]
    for i, row in enumerate(objects["hessian"]):
        assert all(is_zero(entry - (m if i == j else 0)).holds for j, entry in enumerate(row))


# -- Hamel's equations in any frame --------------------------------------------------------------------------
FREE = ["spherical-pendulum", "kepler", "free-rigid-body-chart", "heavy-top-chart", "pendulum:3", "quartic", "magnetic"]


def hamel_defects(system: System, frame: frames.Frame) -> list[Expr]:
    """Accelerations by Hamel's equations less those by Euler-Lagrange's, at velocities q' = Z w + Z_0."""
    forces = [system.forces.get(q, ZERO) for q in system.q]
    put = dict(zip(system.v, frame.kinematics, strict=True))
    equations = frames.hamel_equations(system.lagrangian, frame, forces)
    rates = dict(zip(frame.quasi_velocities, equations.accelerations(), strict=True))
    seed = {**dict(zip(system.q, frame.kinematics, strict=True)), **rates, symbol(TIME): ONE}
    found = tangent(frame.kinematics, seed)
    plain = euler_lagrange.motion(system).rates()
    wanted = substitute([plain[v] for v in system.v], put)
    return [a - b for a, b in zip(found, wanted, strict=True)]


@pytest.mark.parametrize("name", FREE)
def test_hamel_in_a_random_frame_meets_euler_lagrange(name: str) -> None:
    system = gallery.load(name)
    frame = random_frame(system.chart, seed=len(name))
    functions = [c for table in frames.structure_functions(frame) for row in table for c in row]
    assert any(is_zero(c).holds is False for c in functions)  # the frame is not that of any coordinates
    assert all(is_zero(e).holds for e in hamel_defects(system, frame))


def test_hamel_with_drift_time_and_forces_meets_euler_lagrange() -> None:
    system = stated(ORDERS[1], forces={"x": "-x'*y", "y": "sin(t)"})
    assert all(is_zero(e).holds for e in hamel_defects(system, random_frame(system.chart, 5, clock=True)))


@pytest.mark.parametrize("what", ["structure_functions", "drift_functions"])
def test_hamel_with_one_sign_wrong_is_refuted(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    system = stated(ORDERS[1])
    frame = random_frame(system.chart, 5, clock=True)
    right = getattr(frames, what)

    def flipped(entry: object) -> object:
        return [flipped(e) for e in entry] if isinstance(entry, list) else -entry

    monkeypatch.setattr(frames, what, lambda *given: flipped(right(*given)))
    assert any(is_zero(e).holds is False for e in hamel_defects(system, frame))


# -- what is refused -----------------------------------------------------------------------------------------
def refusal(system: System) -> str:
    with pytest.raises(HypothesisError) as caught:
        euler_lagrange.derive(system)
    assert caught.value.formalism == "euler-lagrange"
    return str(caught.value)


def test_constraints_are_refused_each_by_name() -> None:
    said = refusal(gallery.load("vertical-rolling-disc"))
    assert said == (
        "euler-lagrange: [constraints] rolls_in_x, rolls_in_y: the Euler-Lagrange equations do not take constraints; "
        "use nonholonomic or vakonomic. The theorem asks for variations that are free in all coordinates (Hamilton's "
        "principle)."
    )


def test_a_system_without_a_lagrangian_is_refused() -> None:
    system = System.of(name="given", coordinates="x", equations={"x''": "-x"})
    assert "lagrangian: there is none" in refusal(system)


def test_a_singular_lagrangian_is_refused() -> None:
    assert "it does not contain 'y''" in refusal(stated("x'^2/2 - y^2"))
    assert "its Hessian has rank 1 of 2" in refusal(stated("(x' + y')^2/2 - x^2"))
    assert "its Hessian has rank 0 of 2" in refusal(stated("x*y' - y*x' - x^2"))
    assert "it does not contain 'y'''" in refusal(stated("x''^2/2 + y'^2/2"))


def test_regularity_may_depend_on_what_is_assumed() -> None:
    system = stated("a*x'^2/2 + y'^2/2", parameters={"a": {"sign": "any"}})
    assert claim(euler_lagrange.derive(system), "regular").verdict.kind == "proved"
    assert "rank 1 of 2" in refusal(system.but(assume={"flat": "a = 0"}))


def test_momenta_are_those_of_the_definition() -> None:
    """p_(1) = dL/dx' - D dL/dx'' for order 2."""
    system = stated(ORDERS[2])
    first, second = momenta(system.lagrangian, system.q, 2)
    for i, q in enumerate(system.q):
        by_hand = from_definition(system, q)
        assert is_zero(first[i] - by_hand[0]).holds
        assert is_zero(second[i] - by_hand[1]).holds
        assert is_zero(first[i] - by_hand[0] - by_hand[1]).holds is False


def from_definition(system: System, q: Expr) -> tuple[Expr, Expr]:
    second = diff(system.lagrangian, q.dot.dot)
    return diff(system.lagrangian, q.dot) - time_derivative(second), second
