"""The common intermediate representation: what every formalism returns and all that numerics knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dalembert.errors import ExpressionError, WrongKind, kind_of
from dalembert.expr.elementary import solve
from dalembert.expr.graph import Constant, Expr
from dalembert.expr.symbols import Function

__all__ = ["Equations", "equations_in"]


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Equations:
    """Equations of motion, solved or to be solved by one linear system.

    The state has two parts: variables with a given rate (``kinematics``: q' = K(t, q, w)) and ``velocities`` w with
    mass * w' = force. Everything is an expression in time, state, reconstruction variables, implicit unknowns and
    parameters.
    """

    system: str
    formalism: str
    kinematics: Mapping[Expr, Expr]
    """The rate of each variable that has one in closed form, in the order of the state."""
    velocities: tuple[Expr, ...] = ()
    mass: tuple[tuple[Expr, ...], ...] = ()
    force: tuple[Expr, ...] = ()
    implicit: Mapping[Expr, Expr] = field(default_factory=dict)
    """Unknowns that are not solved for, each with a residual that vanishes."""
    reconstruction: Mapping[Expr, Expr] = field(default_factory=dict)
    """The rate of each variable that the state does not depend on."""
    configuration: Mapping[Expr, Expr] = field(default_factory=dict)
    """The stated coordinates in terms of state and reconstruction variables; those left out are among these."""
    monitors: Mapping[str, Expr] = field(default_factory=dict)
    """Things to watch along a motion: energy, momenta, integrals, residuals, multipliers."""
    parameters: Mapping[Expr, Constant] = field(default_factory=dict)
    """Parameters that occur, with default values."""
    functions: Mapping[Function, tuple[tuple[Expr, ...], Expr] | None] = field(default_factory=dict)
    """Unspecified functions that occur, with (formal arguments, body) where a value was given."""
    speeds: Mapping[Expr, Expr] = field(default_factory=dict)
    """What those of the velocities are that have names of their own, by the stated coordinates and their velocities."""

    def __post_init__(self) -> None:
        """Refuse a linear system whose sizes do not fit."""
        size = len(self.velocities)
        if len(self.force) != size or len(self.mass) != size or any(len(row) != size for row in self.mass):
            raise ExpressionError(f"the equations for {size} accelerations need a mass matrix and forces of that size.")

    @property
    def state(self) -> tuple[Expr, ...]:
        """All state variables, those with kinematics first."""
        return (*self.kinematics, *self.velocities)

    def rates(self) -> dict[Expr, Expr]:
        """Return the rate of every state variable, accelerations as values of one solve node."""
        return {**self.kinematics, **dict(zip(self.velocities, solve(self.mass, self.force), strict=True))}


def equations_in(given: Any, verb: str) -> Equations:
    """Return the equations in what a formalism derived, or those that were given; ``verb`` is who asks.

    >>> equations_in(3, "simulate")
    Traceback (most recent call last):
        ...
    dalembert.errors.WrongKind: simulate takes what a formalism derived, or equations, not a number.
    """
    found = getattr(given, "equations", given)
    if not isinstance(found, Equations):
        raise WrongKind(f"{verb} takes what a formalism derived, or equations, not {kind_of(given)}.")
    return found
