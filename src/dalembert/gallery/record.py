"""What is known of a system of the gallery: a record that the tests go through for every one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["EULER_TURN", "Known"]

EULER_TURN = [
    [
        "cos(phi)*cos(psi) - cos(theta)*sin(phi)*sin(psi)",
        "-cos(phi)*sin(psi) - cos(theta)*sin(phi)*cos(psi)",
        "sin(phi)*sin(theta)",
    ],
    [
        "sin(phi)*cos(psi) + cos(theta)*cos(phi)*sin(psi)",
        "-sin(phi)*sin(psi) + cos(theta)*cos(phi)*cos(psi)",
        "-cos(phi)*sin(theta)",
    ],
    ["sin(theta)*sin(psi)", "sin(theta)*cos(psi)", "cos(theta)"],
]
"""The matrix of a body with Euler's angles about z, x and z again, for drawings."""


@dataclass(frozen=True, slots=True)
class Known:
    """Facts about a system; texts are in its own names.

    With constraints, a motion is that of d'Alembert's principle (nonholonomic mechanics).
    """

    dimension: int
    energy_conserved: bool = True
    """Along the motions, whatever the values of the parameters."""
    regular: bool = True
    """Whether the Lagrangian alone gives all accelerations."""
    symmetries: Mapping[str, str] = field(default_factory=dict)
    """What each generator is to the Lagrangian: ``symmetry``, ``up to a total derivative``, or ``none``."""
    algebra: str = ""
    """The name of the Lie algebra of the generators, if there are any that do not move time."""
    constraints: Mapping[str, str] = field(default_factory=dict)
    """What each constraint is in the velocities: ``linear``, ``affine`` or ``nonlinear``."""
    growth: tuple[int, ...] = ()
    """The growth vector, at a generic point, of the directions that linear constraints allow."""
    holonomic: bool | None = None
    """Whether these directions are involutive, so that the constraints are holonomic in disguise."""
    integrals: Mapping[str, str] = field(default_factory=dict)
    """Functions of t, q and q' that are constant along the motions."""
    varying: Mapping[str, str] = field(default_factory=dict)
    """Functions that look as if they were constant, and are not."""
    critical: Mapping[str, str] = field(default_factory=dict)
    """Functions of t, q, q' and multipliers lambda_NAME that are constant along vakonomic motions."""
