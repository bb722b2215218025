"""The common intermediate representation: what every formalism returns and all that numerics knows.

Whatever a motion may need of a formalism on the way is in it, so that nobody has to ask a result what else it has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dalembert.errors import ExpressionError, WrongKind, expect, kind_of
from dalembert.expr.elementary import basic, solve
from dalembert.expr.graph import ZERO, Constant, Expr
from dalembert.expr.symbols import Function
from dalembert.model.system import System
from dalembert.model.table import waits
from dalembert.records import dataclass, field, replace
from dalembert.shown import Shown

if TYPE_CHECKING:
    from dalembert.expr.truth import Fact
    from dalembert.model.holds import Hold


@dataclass(frozen=True, slots=True)
class Saddle:
    """Constraints that are kept beside the accelerations: mass w' = force + virtual^T lambda, rows w' = right.

    Rows may repeat others: then the multipliers lambda are not unique, but w' and virtual^T lambda are.
    """

    names: tuple[str, ...]
    """What the constraints are called."""
    rows: tuple[tuple[Expr, ...], ...]
    virtual: tuple[tuple[Expr, ...], ...]
    right: tuple[Expr, ...]
    rank: int
    """How many rows are independent where the constraints hold."""
    position_rank: int = 0
    """How many of the holonomic ones are."""

    def solution(self, mass: Sequence[Sequence[Expr]], force: Sequence[Expr]) -> list[Expr]:
        """Return the accelerations, then multipliers: where they are not unique, some that will do."""
        size, count = len(mass), len(self.rows)
        sign = 1 if self.virtual == self.rows else -1  # with -lambda for lambda the matrix is symmetric then
        matrix = [[*mass[i], *(sign * row[i] for row in self.virtual)] for i in range(size)]
        matrix += [[*row, *[ZERO] * count] for row in self.rows]
        found = basic(matrix, [*force, *self.right], size + self.rank)
        return [*found[:size], *(-sign * multiplier for multiplier in found[size:])]


@dataclass(frozen=True, slots=True)
class Straight:
    """The rates of a state as a program without a linear system."""

    rates: Mapping[Expr, Expr]
    multipliers: tuple[Expr, ...] = ()
    """Of constraints that are kept beside the accelerations: minus lambda, in their order."""
    corrections: tuple[tuple[Expr, ...], ...] = ()
    """The unknowns of the linear systems in ``Equations.projection``, which bring a state back, multipliers behind."""
    guards: tuple[tuple[Expr, Expr], ...] = ()
    """Pairs of which the first must not be small beside the second: else pivots are to be chosen by size."""
    sure: bool = True
    """Whether what is divided by vanishes only where constraints lose rank or the kinetic energy degenerates."""
    monitors: Mapping[str, Expr] = field(default_factory=dict)
    """What some of the monitors are without a linear system, by their names."""
    by_size: tuple[Expr, ...] = ()
    """Accelerations, then multipliers, for where a guard says so: a system with few entries, pivots chosen by size."""
    facts: tuple[Fact, ...] = ()
    """Where the rates are those of the equations: rotations have unit length."""


Margin = Callable[[Mapping[Expr, Any], float], Any]
"""How far states are from where variables end: of size 1 where no others are better, 0 at the end itself, where its
sign changes. By all variables and parameters, each a number or an array over times, and by the
tolerance of the motion: nearer than that can tell is at the end."""


@dataclass(frozen=True, slots=True)
class Patch:
    """Equations that hold around a point, with the values of their own parameters and all variables at the point."""

    equations: Equations
    values: Mapping[str, float]
    start: Mapping[Expr, float]
    margin: Margin | None = None
    said: str = ""
    """What a reader has to know of it beside that it has other variables: the end of a sentence."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Equations of a motion that hold where others of it fail, and why these do: a sentence."""

    equations: Equations
    said: str


@dataclass(frozen=True, slots=True)
class Atlas:
    """Other variables for the same motion, where those of some equations end on its way."""

    whole: Callable[[], Equations]
    """Makes the motion by stated coordinates and velocities, which do not end there: by these it is written down."""
    around: Callable[[Mapping[Expr, float]], Patch | None]
    """Makes such variables at a point, by time, stated coordinates, velocities and parameters."""
    hypothesis: str
    """What fails where there are none, or none that hold for a while: the end of a sentence."""
    margin: Margin | None = None
    """That of the equations themselves; None where only what they divide by tells."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Equations(Shown):
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
    mass: Sequence[tuple[Expr, ...]] = ()
    """By rows; of a large system they may wait until somebody asks for them, as may the forces."""
    force: Sequence[Expr] = ()
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
    momenta: Mapping[Expr, tuple[Expr, Expr]] = field(default_factory=dict)
    """Momenta by name, each with what it is and with its rate, where the equations say how these change."""
    initial_state: Callable[[Mapping[Any, Any] | None, Mapping[Any, Any] | None], Mapping[Expr, float]] | None = field(
        default=None, compare=False, repr=False
    )
    """Makes a state of a start and of values of parameters, where only the formalism knows what the start means."""
    at_start: Mapping[Expr, Expr] = field(default_factory=dict)
    """What variables are where a motion begins, by the others: a momentum as it is seen from what it moves."""
    saddle: Saddle | None = None
    """Constraints that the accelerations obey besides, where no frame takes care of them."""
    projection: tuple[Mapping[Expr, Expr], ...] = ()
    """What is added to variables to bring a state back to where constraints hold: to positions, then to velocities."""
    saddle_form: Callable[[int | None, int | None], Equations] | None = field(default=None, compare=False, repr=False)
    """Makes the equations of the same motion with all constraints kept, of given ranks: of all rows, of the holonomic
    ones, full where that is not said; None where there are no such equations."""
    named: Mapping[Expr, Expr] = field(default_factory=dict, compare=False, repr=False)
    """Parts that have a name, and what they are wherever they stand as a whole: the entries of rotations."""
    turning: Mapping[Expr, Expr] = field(default_factory=dict, compare=False, repr=False)
    """The angular velocities in the body of all rotations by the variables: what their components move by."""
    pivots: tuple[Expr, ...] = field(default=(), compare=False, repr=False)
    """What was divided by to choose the velocities, as far as it may vanish; where it does these equations fail."""

    lifting: Callable[..., Straight | None] | None = field(default=None, compare=False, repr=False)
    """Makes the rates of the state of equations without a linear system, in as many operations as the system is large;
    a second argument is how many are worth anything."""
    straight: Mapping[Expr, Expr] = field(default_factory=dict, compare=False, repr=False)
    """These rates, where a motion is to be followed by them."""
    guards: tuple[tuple[Expr, Expr], ...] = field(default=(), compare=False, repr=False)
    """Pairs of which the first must not be small beside the second: there the linear system is solved instead,"""
    by_size: tuple[Expr, ...] = field(default=(), compare=False, repr=False)
    """which these accelerations do with pivots by size; its entries are as many as the parts of the system."""
    sure: bool = field(default=True, compare=False, repr=False)
    """Whether the straight rates can do without that."""
    atlas: Callable[[], Atlas] | None = field(default=None, compare=False, repr=False)
    """Makes what a motion goes on in where the variables of these equations end on its way."""
    elsewhere: Callable[[], Elsewhere | None] | None = field(default=None, compare=False, repr=False)
    """Makes other equations of the same motion, which hold where these fail; None where there are none."""

    def __post_init__(self) -> None:
        """Refuse a linear system whose sizes do not fit."""
        size = len(self.velocities)
        rows = () if waits(self.mass) else self.mass
        if len(self.force) != size or len(self.mass) != size or any(len(row) != size for row in rows):
            raise ExpressionError(f"the equations for {size} accelerations need a mass matrix and forces of that size.")

    def summary(self) -> str:
        """Return of which system these are, and their state."""
        return f"{self.formalism} equations of {self.system}: {', '.join(map(repr, self.state))}"

    @property
    def state(self) -> tuple[Expr, ...]:
        """All state variables, those with kinematics first."""
        return (*self.kinematics, *self.velocities)

    @property
    def holds_where(self) -> tuple[Hold, ...]:
        """The conditions under which these equations hold, read off them; those that never fail are left out."""
        from dalembert.model.holds import holds_where

        return holds_where(self)

    def rates_by_size(self) -> dict[Expr, Expr]:
        """Return the same with pivots chosen by size, in a program that is as long as the straight one."""
        if not self.by_size:
            return replace(self, straight={}).rates()
        return {**self.kinematics, **dict(zip(self.velocities, self.by_size, strict=False))}

    def rates(self) -> dict[Expr, Expr]:
        """Return the rate of every state variable, accelerations as values of one solve node if they are solved for."""
        if self.straight and self.sure:
            return dict(self.straight)
        if self.saddle is None:
            found = solve(self.mass, self.force)
        else:
            found = self.saddle.solution(self.mass, self.force)[: len(self.velocities)]
        return {**self.kinematics, **dict(zip(self.velocities, found, strict=True))}


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


def equations_and_system(given: Any, verb: str, system: System | None = None) -> tuple[Equations, System | None]:
    """Return the equations in what was given, and their system: the one that is named, or that of a result.

    >>> equations_and_system(Equations("still", "by hand", {}), "simulate")[1] is None
    True
    """
    equations = equations_in(given, verb)
    found = given.system if system is None and given is not equations else system
    expect(found, System | None, "the system that equations belong to is a system")
    return equations, found
