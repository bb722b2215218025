"""Whether motions are those of a Lagrangian that nobody stated: Helmholtz' question, asked of any system.

Of a system that is a Lagrangian and nothing else it is answered by the statement. Forces and ``[equations]`` give
second-order equations; constraints give a motion on a part of the velocities, and what is asked is whether the
associated systems on all of them (Bloch, Fernandez and Mestdag) have one.
"""

from __future__ import annotations

from dalembert.analysis.motions import Motions
from dalembert.errors import DalembertError
from dalembert.expr.walk import postorder
from dalembert.mechanics.nonholonomic.linear_constraints import derive as constrained
from dalembert.mechanics.second_order.field import SecondOrderField, field_of
from dalembert.mechanics.second_order.free_lagrangians import (
    FreeLagrangian,
    find_free_lagrangian,
    second_associated_field,
)
from dalembert.mechanics.second_order.inverse_problem import InverseProblem, associated_field, find_lagrangian
from dalembert.records import dataclass

_MOST_DEGREES = 4
_MOST_NODES = 300


@dataclass(frozen=True, slots=True)
class Variational:
    """Whether motions are those of a regular Lagrangian, near generic points."""

    problem: InverseProblem
    field: SecondOrderField
    associated: bool
    """Whether the equations are those of the associated system of a constrained one."""
    free: FreeLagrangian | None = None
    """A Lagrangian whose motions, where constraints hold, are the constrained ones."""
    second: InverseProblem | None = None
    """What is decided of the associated system of the second kind, where no such Lagrangian was found."""


def variational(motions: Motions) -> Variational | None:
    """Return what is decided; None where the statement answers, or the equations are too large or have no coordinates.

    >>> from dalembert.model.system import System
    >>> drag = System.of(name="drag", coordinates="x y", lagrangian="(x'^2 + y'^2)/2 - x*y", forces={"x": "-x'"})
    >>> variational(Motions(drag)).problem.answer
    'none'
    """
    field = _field(motions)
    if field is None:
        return None
    whole = associated_field(field) if field.dependent else field
    if len(whole.independent) > _MOST_DEGREES or len(postorder(whole.acceleration)) > _MOST_NODES:
        return None
    try:
        problem = find_lagrangian(whole)
        if not field.dependent or problem.answer in {"found", "exists"}:  # then there is nothing more to ask
            return Variational(problem, whole, bool(field.dependent))
        free = find_free_lagrangian(field)
        return Variational(problem, whole, True, free, None if free is not None else _second(field))
    except DalembertError:  # with parts that have no normal form
        return None


def _second(field: SecondOrderField) -> InverseProblem | None:
    """Return what is decided of the associated system of the second kind; None where there is none, or it is large."""
    second = second_associated_field(field)
    if second is None or len(postorder(second.acceleration)) > _MOST_NODES:
        return None
    return find_lagrangian(second)


def _field(motions: Motions) -> SecondOrderField | None:
    system = motions.system
    if system.points or system.holonomic or system.order > 1 or system.controls:
        return None
    if motions.formalism not in {None, "euler-lagrange", "nonholonomic"}:
        return None
    if len(system.q) > _MOST_DEGREES or len(postorder(list(motions.names.drive.values()))) > _MOST_NODES:
        return None
    try:
        if system.equations:
            return field_of(system)
        if system.constraints:
            return field_of(constrained(system))
        return field_of(motions.names.equations) if system.forces else None
    except DalembertError:
        return None
