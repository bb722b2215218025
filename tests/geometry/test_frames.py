"""Moving frames: structure functions, quasi-velocities, Hamel's equations by two derivations."""

import pytest
from trying import fails_on_objects, holds_on_objects

from dalembert.errors import ExpressionError
from dalembert.expr import ZERO, Expr, cos, diff, sin, substitute, time_derivative
from dalembert.expr.truth import is_zero
from dalembert.geometry import (
    Chart,
    Frame,
    VectorField,
    change_frame,
    coordinate_frame,
    frames,
    hamel_equations,
    projected_equations,
    structure_functions,
)
from dalembert.geometry.frames import coframe, drift_functions
from dalembert.testing.frame_laws import (
    hamel_meets_projection,
    is_euler_lagrange,
)
from dalembert.testing.objects import SPACE, Objects, T, W, X, Y, Z


def opposite(table: list[list[list[Expr]]]) -> list[list[list[Expr]]]:
    return [[[-c for c in row] for row in square] for square in table]


def test_hamel_by_structure_functions_meets_projection() -> None:
    holds_on_objects(hamel_meets_projection(None))
    holds_on_objects(hamel_meets_projection((1,)), seeds=(4,))


def test_hamel_with_the_wrong_sign_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = frames.structure_functions
    monkeypatch.setattr(frames, "structure_functions", lambda *given: opposite(right(*given)))
    fails_on_objects(hamel_meets_projection(None))
    fails_on_objects(hamel_meets_projection((0, 2)))
    monkeypatch.undo()
    drift = frames.drift_functions
    monkeypatch.setattr(frames, "drift_functions", lambda frame: [[-c for c in row] for row in drift(frame)])
    fails_on_objects(hamel_meets_projection(None))
    fails_on_objects(hamel_meets_projection((1,)), seeds=(4,))


def test_the_projected_motion_is_that_of_euler_and_lagrange() -> None:
    holds_on_objects(is_euler_lagrange(projected_equations), seeds=(1, 2))
    fails_on_objects(is_euler_lagrange(lambda lagrangian, frame, _: projected_equations(lagrangian, frame)), seeds=(1,))


def test_in_coordinates_hamel_is_euler_lagrange_term_by_term() -> None:
    some = Objects(7)
    lagrangian = some.lagrangian()
    found = hamel_equations(lagrangian, coordinate_frame(SPACE))
    for i, q in enumerate(SPACE.coordinates):
        left = time_derivative(diff(lagrangian, q.dot)) - diff(lagrangian, q)
        right = sum((found.mass[i][j] * p.dot.dot for j, p in enumerate(SPACE.coordinates)), -found.force[i])
        assert is_zero(left - right).holds is True


def test_velocities_are_held_only_after_differentiating() -> None:
    """The skate z' = y x': w3 = z' - y x' is held at zero, and its momentum acts all the same."""
    w1, w2, w3 = W
    fields = (
        VectorField.of(SPACE, [1, 0, Y]),
        VectorField.of(SPACE, [0, 1, 0]),
        VectorField.of(SPACE, [0, 0, 1]),
    )
    frame = Frame(SPACE, fields, W)
    lagrangian = (X.dot**2 + Y.dot**2 + Z.dot**2) / 2
    found = hamel_equations(lagrangian, frame, active=(0, 1))
    speed = found.accelerations()
    assert is_zero(speed[0] + Y * w1 * w2 / (1 + Y**2)).holds is True  # x'' = -y x' y' / (1 + y^2)
    assert is_zero(speed[1]).holds is True
    assert is_zero(found.momenta[2] - Y * w1).holds is True
    # held before differentiating, the momentum of w3 is lost and a gyroscopic force appears in the second equation
    early = substitute([found.lagrangian], {w3: ZERO})[0]
    assert is_zero(diff(early, Y) - Y * w1**2).holds is True
    assert is_zero(found.force[1]).holds is True


def test_structure_functions_of_rotations() -> None:
    """A frame of SE(2) that turns with the body: constant structure functions, those of the Lie algebra."""
    fields = (
        VectorField.of(SPACE, [cos(Z), sin(Z), 0]),
        VectorField.of(SPACE, [-sin(Z), cos(Z), 0]),
        VectorField.of(SPACE, [0, 0, 1]),
    )
    c = structure_functions(Frame(SPACE, fields, W))
    wanted = {(0, 2, 1): -1, (2, 0, 1): 1, (1, 2, 0): 1, (2, 1, 0): -1}
    for a in range(3):
        for b in range(3):
            for g in range(3):
                assert is_zero(c[a][b][g] - wanted.get((a, b, g), 0)).holds is True
    some = structure_functions(Frame(SPACE, fields, W), among=[0, 2])
    assert is_zero(some[0][2][1] + 1).holds is True
    assert some[1][2] == [ZERO] * 3


def test_drift_and_time() -> None:
    line = Chart.of(X)
    (w,) = W[:1]
    frame = Frame(line, (VectorField.of(line, [T * X]),), (w,), VectorField.of(line, [X**2]))
    # [t x d_x, d_t + x^2 d_x] = (t x^2 - x) d_x
    assert is_zero(drift_functions(frame)[0][0] - (T * X**2 - X) / (T * X)).holds is True
    assert frame.kinematics == [w * (T * X) + X**2]
    still = Frame(line, (VectorField.of(line, [X]),), (w,))
    assert drift_functions(still) == [[ZERO]]


def test_coframe_rows() -> None:
    frame = Objects(3).frame()
    rows = coframe(frame)
    for a in range(3):
        for b in range(3):
            value = sum((t * z for t, z in zip(rows[a], frame.fields[b].components, strict=True)), ZERO)
            assert is_zero(value - int(a == b)).holds is True


def test_what_does_not_fit_is_refused_in_words() -> None:
    fields = coordinate_frame(SPACE).fields
    with pytest.raises(ExpressionError, match="there are 2 and 3"):
        Frame(SPACE, fields[:2], W)
    with pytest.raises(ExpressionError, match="another chart"):
        Frame(Chart.of(Y, X, Z), fields, W)
    with pytest.raises(ExpressionError, match="name of a coordinate"):
        Frame(SPACE, fields, (X, *W[1:]))
    with pytest.raises(ExpressionError, match="different symbols"):
        Frame(SPACE, fields, (W[0], W[0], W[1]))
    with pytest.raises(ExpressionError, match="square matrix"):
        change_frame(coordinate_frame(SPACE), [[1, 0, 0]], W)
