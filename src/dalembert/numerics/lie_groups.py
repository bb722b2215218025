"""Reconstruction on matrix groups: g' = g xi(t) or g' = xi(t) g, by the methods of Runge, Kutta, Munthe-Kaas.

In a step g = g0 exp(Omega) (or exp(Omega) g0), and Omega in the Lie algebra satisfies

    Omega' = sum_k B_k/k! (-+1)^k ad_Omega^k xi(t)        (- on the left-trivialised side, + on the other)

with Bernoulli's numbers B_k, which an ordinary method of Runge and Kutta of order p follows in a linear space; the sum
is cut off after k = p - 2. No chart of the group is used, so none can fail: SO(3) and SE(3) have no singular points
here. What is orthogonal is kept so, to rounding.
Source: H. Munthe-Kaas, Appl. Numer. Math. 29 (1999) 115; E. Hairer, C. Lubich, G. Wanner, Geometric Numerical
Integration, 2nd edition (2006), IV.8.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.errors import EvaluationError, ExpressionError
from dalembert.expr.graph import Expr
from dalembert.geometry.groups.lie_group import LieGroup
from dalembert.geometry.rotations import Rotations
from dalembert.model.trajectory import Array, Trajectory
from dalembert.numerics.dop853 import coefficients as dop853
from dalembert.records import dataclass, field
from dalembert.shown import Shown

# -- reconstruction ------------------------------------------------------------------------------------------
_BERNOULLI = {0: 1.0, 1: -1 / 2, 2: 1 / 12, 4: -1 / 720, 6: 1 / 30240}
"""B_k/k!."""
_PARTS = 4
"""Each step of an engine is divided into so many."""
_TERMS = 18
"""Terms of the exponential series, enough for a norm of 1/2."""

Velocity = Callable[[Array], Array]
"""Components in the Lie algebra, rows by generators, columns by times."""


@dataclass(frozen=True, slots=True, eq=False)
class MatrixGroup:
    """A matrix group as numbers."""

    name: str
    basis: Array
    """The matrices E_a of the generators."""
    orthogonal: int = field(init=False)
    """The size of the upper left block that is a rotation whatever the element: all of SO(n), n of SE(n)."""

    def __post_init__(self) -> None:
        """Look for the block."""
        sizes = range(int(self.basis.shape[1]), 0, -1)
        object.__setattr__(self, "orthogonal", next((k for k in sizes if self._rotates(k)), 0))

    def _rotates(self, k: int) -> bool:
        block = self.basis[:, :k, :k]
        return np.array_equal(block, -block.transpose(0, 2, 1)) and not self.basis[:, k:, :k].any()

    @classmethod
    def of(cls, group: LieGroup | ArrayLike) -> MatrixGroup:
        """Return a ready group, or the one that some matrices generate, as numbers.

        >>> from dalembert.geometry.groups import se2
        >>> MatrixGroup.of(se2()).orthogonal
        2
        """
        if not isinstance(group, LieGroup):
            basis = np.array(group, dtype=np.float64)
            if basis.ndim != 3 or basis.shape[1] != basis.shape[2]:
                raise ExpressionError("a matrix group is given by square matrices, its generators.")
            return cls("generated group", basis)
        entries = [[[e.data if e.op == "number" else None for e in row] for row in m] for m in group.basis]
        if any(e is None for m in entries for row in m for e in row):
            raise ExpressionError(f"the generators of {group.name} are not matrices of numbers; put values in first.")
        return cls(group.name, np.array([[[float(e or 0) for e in row] for row in m] for m in entries]))

    @property
    def size(self) -> int:
        """How many rows its matrices have."""
        return int(self.basis.shape[1])

    def restored(self, g: Array) -> Array:
        """Return a matrix with its block made orthogonal again; g must be within rounding of the group."""
        k = self.orthogonal
        if k:
            block = g[:k, :k]
            g = g.copy()
            g[:k, :k] = block @ (3 * np.eye(k) - block.T @ block) / 2
        return g


@dataclass(frozen=True, slots=True, eq=False)
class GroupMotion(Shown):
    """A curve in a matrix group."""

    group: MatrixGroup
    t: Array
    g: Array
    """The matrices, times first."""

    @property
    def rotations(self) -> Array:
        """The blocks that are rotations, times first."""
        k = self.group.orthogonal
        return self.g[:, :k, :k]

    @property
    def translations(self) -> Array:
        """The last column beside the rotations of a group of motions, a row for each time."""
        k = self.group.orthogonal
        if k != self.group.size - 1:
            raise ExpressionError(f"{self.group.name} has no translations beside its rotations.")
        return self.g[:, :k, k]

    @property
    def quaternions(self) -> Array:
        """The rotations of space as unit quaternions q0 + q1 i + q2 j + q3 k, a row for each time, without jumps."""
        if self.group.orthogonal != 3:
            raise ExpressionError(
                f"the elements of {self.group.name} are not rotations of space, so they have no quaternions."
            )
        return Rotations.of_matrices(self.rotations).quaternion


def reconstruct(
    group: LieGroup | MatrixGroup | ArrayLike,
    velocity: Velocity,
    times: ArrayLike,
    start: ArrayLike | None = None,
    *,
    side: str = "body",
    order: int = 4,
) -> GroupMotion:
    """Return g along a velocity in the Lie algebra, in one step between each two of the times.

    >>> from dalembert.geometry.groups import so3
    >>> turn = lambda t: np.array([0*t, 0*t, 0*t + np.pi/2])
    >>> reconstruct(so3(), turn, [0, 0.5, 1]).g[-1].round(12) + 0.0
    array([[ 0., -1.,  0.],
           [ 1.,  0.,  0.],
           [ 0.,  0.,  1.]])

    Parameters
    ----------
    velocity
        xi(t): rows by generators of the group, columns by times; called once with all times that are needed.
    start
        g at the first time; the unit element by default.
    side
        ``body`` for g' = g xi, ``space`` for g' = xi g.
    order
        One of ``ORDERS``.
    """
    matrices = group if isinstance(group, MatrixGroup) else MatrixGroup.of(group)
    t = np.asarray(times, dtype=np.float64)
    if side not in {"body", "space"}:
        raise ExpressionError(f"side must be 'body' or 'space', not '{side}'.")
    if order not in ORDERS:
        raise ExpressionError(f"there is no method of order {order}; use {' or '.join(map(str, ORDERS))}.")
    if t.ndim != 1 or t.size < 1:
        raise ExpressionError("a reconstruction needs increasing times.")
    g = np.eye(matrices.size) if start is None else _checked(matrices, np.array(start, dtype=np.float64))
    increments = exponential(_increments(matrices, velocity, t, order, -1.0 if side == "body" else 1.0))
    path = [g]
    for one in increments:
        g = matrices.restored(g @ one if side == "body" else one @ g)
        path.append(g)
    return GroupMotion(matrices, t, np.array(path))


def reconstruct_along(
    group: LieGroup | MatrixGroup | ArrayLike,
    run: Trajectory,
    velocity: Sequence[str | Expr],
    start: ArrayLike | None = None,
    *,
    times: ArrayLike | None = None,
    side: str = "body",
    order: int = 8,
) -> GroupMotion:
    """Return g along a motion that was followed before, from its dense output.

    ``velocity`` are expressions in what the trajectory knows by name, one for each generator of the group. The steps
    are those of the engine, each divided into four, unless times are given.

    >>> from dalembert import Equations, simulate, symbol
    >>> from dalembert.geometry.groups import so3
    >>> spin = simulate(Equations("spin", "by hand", {symbol("w"): symbol("w") * 0}), {"w": 1}, 2)
    >>> turning = reconstruct_along(so3(), spin, ["0", "0", "w"])
    >>> bool(abs(turning.g[-1][0, 0] - np.cos(2)) < 1e-12)
    True
    """
    if run.dense is None:
        raise ExpressionError("a reconstruction needs the dense output, which a file does not keep; simulate again.")
    knots = run.knots if run.knots.size else run.t
    if times is None:
        parts = np.linspace(0, 1, _PARTS, endpoint=False)
        times = np.append((knots[:-1, None] + np.diff(knots)[:, None] * parts).ravel(), knots[-1])

    def xi(wanted: Array) -> Array:
        low, high = min(knots[0], knots[-1]), max(knots[0], knots[-1])
        there = run.at(np.clip(wanted, low, high))  # a stage at the very end may be beyond it by rounding
        return np.array([np.broadcast_to(there.value(one), wanted.shape) for one in velocity])

    return reconstruct(group, xi, times, start, side=side, order=order)


def exponential(matrices: ArrayLike) -> Array:
    """Return the exponentials of square matrices, any number of axes before the last two.

    >>> exponential([[0.0, 1.0], [0.0, 0.0]])
    array([[1., 1.],
           [0., 1.]])
    """
    given = np.asarray(matrices, dtype=np.float64)
    if not given.size:
        return given
    largest = float(np.abs(given).sum(axis=-1).max())
    squarings = max(0, int(np.ceil(np.log2(largest / 0.5)))) if largest > 0.5 else 0
    scaled = given / 2**squarings
    unit = np.eye(given.shape[-1])
    result = np.broadcast_to(unit, given.shape)
    for k in range(_TERMS, 0, -1):
        result = unit + scaled @ result / k
    for _ in range(squarings):
        result = result @ result
    return result


def _classical() -> tuple[Array, Array, Array]:
    matrix = np.zeros((4, 4))
    matrix[1, 0] = matrix[2, 1] = 0.5
    matrix[3, 2] = 1.0
    return matrix, np.array([1, 2, 2, 1]) / 6, np.array([0, 0.5, 0.5, 1])


def _dormand_prince() -> tuple[Array, Array, Array]:
    size = dop853.STAGES
    matrix = np.array([[float(dop853.A.get(i, {}).get(j, 0)) for j in range(size)] for i in range(size)])
    weights = np.array([float(dop853.B.get(j, 0)) for j in range(size)])
    return matrix, weights, np.array([float(c) for c in dop853.C[:size]])


ORDERS: dict[int, Callable[[], tuple[Array, Array, Array]]] = {4: _classical, 8: _dormand_prince}
"""The methods by order: A, b and c of Kutta's, and of the eighth-order one of Dormand and Prince."""


def _increments(group: MatrixGroup, velocity: Velocity, t: Array, order: int, sign: float) -> Array:
    """Return Omega at the end of every step, all steps at once: none depends on the one before."""
    matrix, weights, nodes = ORDERS[order]()
    h = np.diff(t)
    wanted = t[:-1, None] + h[:, None] * nodes
    components = np.asarray(velocity(wanted.ravel()), dtype=np.float64)
    if components.shape != (len(group.basis), wanted.size):
        said = f"{len(group.basis)} generators and {wanted.size} times need velocities of that shape"
        raise ExpressionError(f"{said}, not {components.shape}.")
    if not np.isfinite(components).all():
        raise EvaluationError("the velocity in the Lie algebra is not finite everywhere.")
    xi = np.tensordot(components.reshape(-1, *wanted.shape), group.basis, axes=(0, 0))  # steps, stages, rows, columns
    stride = h[:, None, None]
    slopes: list[Array] = []
    for i in range(len(nodes)):
        omega = stride * _combined(matrix[i, :i], slopes, xi[:, i])
        slopes.append(_inverse_differential(omega, xi[:, i], order - 2, sign))
    return stride * _combined(weights, slopes, xi[:, 0])


def _combined(weights: Array, slopes: list[Array], like: Array) -> Array:
    total = np.zeros_like(like)
    for weight, slope in zip(weights, slopes, strict=True):
        if weight:
            total += weight * slope
    return total


def _inverse_differential(omega: Array, xi: Array, terms: int, sign: float) -> Array:
    """Return the rate of Omega: the inverse of the differential of the exponential, on xi."""
    total, nested = xi.copy(), xi
    for k in range(1, terms + 1):
        nested = sign * (omega @ nested - nested @ omega)
        if k in _BERNOULLI:
            total += _BERNOULLI[k] * nested
    return total


def _checked(group: MatrixGroup, g: Array) -> Array:
    """Return a start, refused where it is no element of the group as far as that can be seen."""
    k = group.orthogonal
    if g.shape != (group.size, group.size):
        raise ExpressionError(f"an element of {group.name} has {group.size} rows and columns, not {g.shape}.")
    block: Any = g[:k, :k]
    if np.abs(block.T @ block - np.eye(k)).max(initial=0.0) > 1e-9 or (k and np.linalg.det(block) < 0):
        raise ExpressionError(f"the start is not an element of {group.name}: its block of {k} rows is not a rotation.")
    return group.restored(g)
