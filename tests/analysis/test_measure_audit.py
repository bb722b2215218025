"""The monodromy of a closed orbit sees that a volume is not kept, without knowing anything of forms."""

import math

import numpy as np
import pytest
from affine_bases import X, Y, fixed_robot, particle, reduced

from dalembert import derive as derived
from dalembert import gallery
from dalembert.analysis.variational_equations import _signs, variational_equations, volume_change
from dalembert.errors import ExpressionError
from dalembert.expr import evaluate
from dalembert.expr.readers import Floats
from dalembert.mechanics.chaplygin.chaplygin import derive
from dalembert.mechanics.chaplygin.measure.density import measure_of
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.numerics.simulate import simulate


def equations(system: System) -> Equations:
    found: Equations = derive(system).equations
    return found


def start(found: Equations, **values: float) -> dict[object, float]:
    return {z: values.get(z.data.label.replace("'", "_dot"), 0.0) for z in found.state}


def test_the_two_wheeled_robot_shrinks_volumes_around_its_straight_motion() -> None:
    found = equations(gallery.load("two-wheeled-robot"))
    straight = start(found, psi1_dot=1.0, psi2_dot=1.0)
    data = {"m0": 2.0, "R": 1.0, "J": 1.0, "J2": 1.0, "c": 1.0, "m": 3.0}
    for l in (0.5, 0.2087):  # noqa: E741 - the name of the paper
        kappa = 2.0 * l / (2 * (2 + 1))
        around = volume_change(found, straight, 2 * math.pi, values={**data, "l": l}, engine="scipy")
        assert around.determinant == pytest.approx(math.exp(4 * math.pi * kappa), rel=1e-9)
        assert around.error < 1e-9
        formula, claim = around.claims
        assert formula.verdict.kind == claim.verdict.kind == "measured"
        assert claim.statement == "no smooth positive density near the orbit is invariant"


def test_the_robot_of_fixed_orientation_keeps_them() -> None:
    found = equations(fixed_robot())
    around = volume_change(found, start(found, theta_dot=1.0, psi_dot=2.0), 2 * math.pi, engine="scipy")
    assert around.determinant == pytest.approx(1.0, abs=1e-10)
    assert around.claims[1].statement.startswith("the volume is kept")


def test_an_orbit_must_close_and_time_must_not_occur() -> None:
    found = equations(fixed_robot())
    with pytest.raises(ExpressionError, match=r"the orbit does not close after this time: it ends 3.14 away"):
        volume_change(found, start(found, theta_dot=1.0), math.pi, engine="scipy")
    assert len(variational_equations(found).state) == 4 + 16 + 1


def test_the_hamiltonian_motion_is_the_reduced_one_in_another_time() -> None:
    system = particle("y", "x^2 + y^2*cos(x)")
    measure = measure_of(reduced(system))
    assert measure is not None
    hamiltonian = measure.hamiltonisation
    assert hamiltonian is not None
    begin = {X: 0.3, Y: -0.7, X.dot: 1.1, Y.dot: 0.4}
    momenta = evaluate(list(hamiltonian.momentum_values), Floats(begin))
    (clock,) = hamiltonian.equations().reconstruction
    new = simulate(
        hamiltonian.equations(),
        {X: 0.3, Y: -0.7, clock: 0.0, **dict(zip(hamiltonian.momenta, map(float, momenta), strict=True))},
        4.0,
        engine="scipy",
        tolerance=1e-12,
    )
    elapsed = float(new[clock.data.label][-1])
    assert elapsed != pytest.approx(4.0, abs=0.1)  # the clock does not show the new time
    old = simulate(equations(system), {**begin}, elapsed, engine="scipy", tolerance=1e-12)
    for name in ("x", "y"):
        assert float(old[name][-1]) == pytest.approx(float(new[name][-1]), abs=1e-9)


def test_a_rotation_has_come_back_where_its_quaternion_has_the_other_sign():
    """A body that spins about a principal axis closes after one turn, and not after half of one."""
    body = System.of(
        name="body",
        coordinates={"R": "rotation"},
        lagrangian="(R.w1^2 + 2*R.w2^2 + 3*R.w3^2)/2",
    )
    found = derived(body, "euler-lagrange").equations
    start = dict(zip(found.state, (1, 0, 0, 0, 1, 0, 0), strict=True))
    around = volume_change(found, start, 2 * math.pi, engine="scipy")
    assert around.determinant == pytest.approx(1, abs=1e-8)
    assert np.abs(around.matrix[:4, :4] @ [1, 0, 0, 0] - [1, 0, 0, 0]).max() < 1e-8
    with pytest.raises(ExpressionError, match="does not close"):
        volume_change(found, start, math.pi, engine="scipy")
    odd = derived(body.but(lagrangian="(R.w1^2 + 2*R.w2^2 + 3*R.w3^2)/2 + R.q0"), "euler-lagrange").equations
    ends = {q: (float(v), -float(v)) for q, v in start.items()}
    assert set(_signs(found, ends).values()) == {1, -1}
    assert set(_signs(odd, ends).values()) == {1}  # it knows the sign
