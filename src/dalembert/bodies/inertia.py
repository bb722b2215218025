"""Bodies: mass, centre, frame and moments of inertia about the centre, given or those of a shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from dalembert.bodies.kinematics import Frame, Point
from dalembert.bodies.vectors import Matrix, Vector, applied, dot, product
from dalembert.expr.graph import PI, ZERO, Expr, number
from dalembert.expr.truth import vanish
from dalembert.records import dataclass


@dataclass(frozen=True, slots=True)
class Body:
    """A rigid body."""

    mass: Expr
    centre: Point
    frame: Frame
    inertia: Matrix
    """About the centre, in the axes of the frame."""

    @property
    def kinetic_energy(self) -> Expr:
        """The energy of the motion of the centre and of the turning about it."""
        return self._kinetic_energy(self.centre.velocity)

    @property
    def kinetic_energy_by_neighbours(self) -> Expr:
        """The same by the velocity in axes of bodies, which knows the joints of before by one velocity alone."""
        return self._kinetic_energy(self.centre.own)

    def _kinetic_energy(self, velocity: Vector) -> Expr:
        spin = self._spin
        return (self.mass * dot(velocity, velocity) + dot(spin, applied(self.inertia, spin))) / 2

    @property
    def _spin(self) -> Vector:
        """The angular velocity in its own axes; where it turns about an axis of symmetry, in those it turned from."""
        frame = self.frame
        if frame.turned_from is not None and self.is_symmetric_about(frame.axis):
            return frame.spin_before_turning
        return frame.spin

    def is_symmetric_about(self, axis: Vector) -> bool:
        """Say whether the moments of inertia stay as they are when the body is turned about an axis."""
        hat: Matrix = ((ZERO, -axis[2], axis[1]), (axis[2], ZERO, -axis[0]), (-axis[1], axis[0], ZERO))
        left, right = product(hat, self.inertia), product(self.inertia, hat)
        return bool(vanish([a - b for p, q in zip(left, right, strict=True) for a, b in zip(p, q, strict=True)]))


@dataclass(frozen=True, slots=True)
class Shape:
    """A homogeneous shape: what it is measured by, the volume, and the moments of inertia over the mass."""

    sizes: tuple[str, ...]
    volume: Callable[..., Expr]
    moments: Callable[..., tuple[Expr, Expr]] | Callable[..., tuple[Expr, Expr, Expr]]
    """About its axis and across it, or about x, y and z."""
    has_axis: bool = True


def _ball_moments(r: Expr) -> tuple[Expr, Expr, Expr]:
    each = number(2) / 5 * r**2
    return each, each, each


SHAPES: Final[Mapping[str, Shape]] = {
    "sphere": Shape(("radius",), lambda r: 4 * PI * r**3 / 3, _ball_moments, has_axis=False),
    "disc": Shape(("radius",), lambda r: PI * r**2, lambda r: (r**2 / 2, r**2 / 4)),
    "ring": Shape(("radius",), lambda r: 2 * PI * r, lambda r: (r**2, r**2 / 2)),
    "rod": Shape(("length",), lambda length: length, lambda length: (ZERO, length**2 / 12)),
    "cylinder": Shape(
        ("radius", "length"),
        lambda r, length: PI * r**2 * length,
        lambda r, length: (r**2 / 2, (3 * r**2 + length**2) / 12),
    ),
    "box": Shape(
        ("sides",),
        lambda a, b, c: a * b * c,
        lambda a, b, c: ((b**2 + c**2) / 12, (a**2 + c**2) / 12, (a**2 + b**2) / 12),
        has_axis=False,
    ),
    "ellipsoid": Shape(
        ("axes",),
        lambda a, b, c: 4 * PI * a * b * c / 3,
        lambda a, b, c: ((b**2 + c**2) / 5, (a**2 + c**2) / 5, (a**2 + b**2) / 5),
        has_axis=False,
    ),
}
"""The shapes by name. The density of a disc is that of its area, of a ring and a rod that of their length."""


def diagonal(moments: Sequence[Expr]) -> Matrix:
    """Return the inertia matrix with principal moments along the axes."""
    a, b, c = moments
    return (a, ZERO, ZERO), (ZERO, b, ZERO), (ZERO, ZERO, c)


def about_axis(axial: Expr, across: Expr, axis: Vector) -> Matrix:
    """Return the inertia matrix of a shape with an axis: axial a a^T + across (1 - a a^T).

    >>> from dalembert.bodies.vectors import AXES
    >>> from dalembert.expr.graph import ONE
    >>> about_axis(number(2), ONE, AXES["y"])
    ((1, 0, 0), (0, 2, 0), (0, 0, 1))
    """
    x, y, z = (
        tuple((axial - across) * u * v + (across if i == j else ZERO) for j, v in enumerate(axis))
        for i, u in enumerate(axis)
    )
    return x, y, z  # type: ignore[return-value]
