"""The principle of Lagrange and d'Alembert whatever the constraints: the formalism ``nonholonomic``.

Linear and affine constraints under Chetaev's rule have the geometry of Sarlet, Cantrijn and Saunders; constraints that
are nonlinear in the velocities, or come with virtual displacements of their own, the equations of Patrick's section 6.
A system that states its equations instead of a Lagrangian has them, and the geometry of its second-order field.
"""

from __future__ import annotations

from dalembert.errors import Fault, expect
from dalembert.mechanics import nonholonomic, nonlinear, stated_field
from dalembert.mechanics.nonholonomic import Nonholonomic
from dalembert.mechanics.nonlinear import ConstrainedMotion
from dalembert.mechanics.stated_field import StatedMotion
from dalembert.model.system import System

__all__ = ["CITES", "check", "derive"]

CITES = (*nonholonomic.CITES, *nonlinear.CITES)


def check(system: System) -> tuple[Fault, ...]:
    """Return what forbids the nonholonomic equations of a system."""
    expect(system, System, "a formalism takes a system")
    return stated_field.check(system) if _is_stated(system) else nonlinear.check(system)


def derive(system: System) -> Nonholonomic | ConstrainedMotion | StatedMotion:
    """Return the constrained dynamics, or raise ``HypothesisError`` with every reason why there is none.

    >>> pulley = System.of(name="pulley", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2",
    ...     constraints={"rope": "z'^2 = x'^2 + y'^2"})
    >>> type(derive(pulley)).__name__
    'ConstrainedMotion'
    """
    expect(system, System, "a formalism takes a system")
    if _is_stated(system):
        return stated_field.derive(system)
    general = system.virtual or any(system.kind_of(name) == "nonlinear" for name in system.constraints)
    return nonlinear.derive(system) if general else nonholonomic.derive(system)


def _is_stated(system: System) -> bool:
    return system.lagrangian is None and bool(system.equations)
