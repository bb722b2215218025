"""The parts that a system is made of, as frozen records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from dalembert.expr import truth
from dalembert.expr.calculus import time_derivative
from dalembert.expr.graph import ZERO, Constant, Expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.expr.text import text
from dalembert.model.table import Table
from dalembert.records import dataclass, field

if TYPE_CHECKING:
    from dalembert.geometry.fields import Chart, VectorField

Value: TypeAlias = Any
"""What notes, drawings and subsystems are made of: text, exact numbers, dates, tuples and tables of these."""

OneForm: TypeAlias = Table[Expr, Expr]
"""A one-form on the coordinates: its coefficients by coordinate, in the order of the chart, zeros left out."""

ConstraintKind = Literal["linear", "affine", "nonlinear", "holonomic"]
Origin = Literal["stated", "equation", "holonomic"]


@dataclass(frozen=True, slots=True)
class Equation:
    """An equation ``left = right``.

    >>> from dalembert.expr import symbol
    >>> Equation(symbol("x"), symbol("y")).expression
    x - y
    """

    left: Expr
    right: Expr = ZERO

    @property
    def expression(self) -> Expr:
        """The difference of both sides, which vanishes."""
        return self.left - self.right

    def __str__(self) -> str:
        """Return the text of both sides."""
        return f"{text(self.left)} = {text(self.right)}"


@dataclass(frozen=True, slots=True)
class Constraint:
    """A named equality in t, q and q'; f = left - right in all that follows."""

    name: str
    left: Expr
    right: Expr = ZERO
    origin: Origin = "stated"
    """Where it comes from: stated as such, a first-order one of [equations], or the rate of a holonomic one."""

    @property
    def expression(self) -> Expr:
        """The function f that vanishes."""
        return self.left - self.right

    @property
    def table(self) -> str:
        """The table of the model in which it stands."""
        return {"stated": "constraints", "equation": "equations", "holonomic": "holonomic"}[self.origin]

    @property
    def place(self) -> str:
        """Where it stands, as faults say it."""
        return f"[{self.table}] {self.name}"

    @classmethod
    def from_holonomic(cls, name: str, equation: Equation) -> Constraint:
        """Return the time derivative of a constraint on positions."""
        return cls(name, time_derivative(equation.left), time_derivative(equation.right), "holonomic")

    def __str__(self) -> str:
        """Return the text of both sides."""
        return f"{text(self.left)} = {text(self.right)}"


@dataclass(frozen=True, slots=True)
class FunctionSpec:
    """An unspecified function: its formal arguments, and its value where one is given."""

    formal: tuple[Expr, ...]
    value: Expr | None = None


@dataclass(frozen=True, slots=True)
class Generator:
    """An infinitesimal symmetry: its components by coordinate, zeros left out, and its component along time.

    Those that turn a rotation have components along its quaternion too.
    """

    components: Table[Expr, Expr]
    time: Expr = ZERO
    turns: Table[str, tuple[str, int]] = field(default_factory=Table)
    """The rotations and directions that it turns: ``left`` (about an axis of space) or ``right`` (of the body), and the
    axis."""

    def __repr__(self) -> str:
        """Return the field as a sum."""
        along = [
            (e, q.data.label) for q, e in self.components.items() if q.data.name.partition(".")[0] not in self.turns
        ]
        along += [] if self.time is ZERO else [(self.time, "t")]
        terms = [f"({text(e)}) d/d{name}" for e, name in along]
        turned = [f"{name} {side} {axis}" for name, (side, axis) in self.turns.items()]
        return " + ".join([*terms, *turned]).replace("(1) ", "") or "0"

    @property
    def moves_time(self) -> bool:
        """Whether its component along time is not zero."""
        return not truth.vanish([self.time])

    @property
    def depends_on_time(self) -> bool:
        """Whether one of its components along the coordinates does."""
        return truth.depends_on(list(self.components.values()), [symbol(TIME)])

    def on(self, chart: Chart) -> VectorField:
        """Return the part along the coordinates as a vector field; what is zero in disguise moves nothing."""
        from dalembert.geometry.fields import VectorField

        return VectorField.of(
            chart, dict(zip(self.components, truth.cleared(list(self.components.values())), strict=True))
        )


@dataclass(frozen=True, slots=True)
class Bundle:
    """Base, fibre and connection as the user chooses them."""

    base: tuple[Expr, ...] = ()
    """Coordinates on the base, stated or adapted ones."""
    fibre: tuple[Expr, ...] = ()
    connection: str | Table[str, OneForm] | None = None
    """``trivial``, ``mechanical``, ``constraint``, or its one-forms on the stated coordinates by name."""
    adapted: Table[Expr, Expr] = field(default_factory=Table)
    """Further coordinates as functions of the stated ones."""
    inverse: Table[Expr, Expr] = field(default_factory=Table)
    """Stated coordinates as functions of base and fibre coordinates."""
    loops: Table[str, Table[Expr, Expr]] = field(default_factory=Table)
    """Closed curves in the base by name, around holes of its domain: coordinates as functions of t from 0 to 2 pi."""
    unsolved: tuple[Expr, ...] = ()
    """Further coordinates that are known by the inverse alone."""


@dataclass(frozen=True, slots=True)
class State:
    """Values at one end of a motion, as expressions in parameters."""

    values: Table[Expr, Expr] = field(default_factory=Table)
    """Of coordinates and their derivatives, and of speeds."""
    multipliers: Table[str, Expr] = field(default_factory=Table)
    """By name of constraint."""
    costates: Table[Expr, Expr] = field(default_factory=Table)
    """The ``p.x``, by coordinate."""
    near: Table[Expr, Expr] = field(default_factory=Table)
    """Guesses at coordinates: these are taken as near to them as the constraints on positions allow."""


USUAL_TIME: Final = 10.0
"""How long commands follow a motion if neither they nor the model give a time."""
NO_TIME: Final = "no integration time is given; pass time= (--time in a command), or set time in [run] of the model."


@dataclass(frozen=True, slots=True)
class Run:
    """How to integrate, where nothing else is said; times are expressions in parameters."""

    time: Expr | None = None
    begin: Expr = ZERO
    tolerance: Constant | None = None
    max_step: Constant | None = None
    samples: int | None = None
    engine: str | None = None
    formalism: str | None = None
    events: Table[str, str] = field(default_factory=Table)
    """What a motion is watched for, by name: the texts of events."""


EVENT_WORDS: Final = ("rising", "falling", "stop")
"""What may follow the equation of an event: how it is passed, and whether the motion ends there."""


def told_of_event(text: str) -> tuple[str, list[str]]:
    """Return the equation of an event, and the words behind it.

    >>> told_of_event("knee = 1.2 rising stop")
    ('knee = 1.2', ['stop', 'rising'])
    """
    parts = text.split()
    told: list[str] = []
    while parts and parts[-1] in EVENT_WORDS:
        told.append(parts.pop())
    return " ".join(parts), told


@dataclass(frozen=True, slots=True)
class Known:
    """Facts about a system as a model states them; texts are in its own names, and what is left out is not said.

    With constraints, a motion is that of d'Alembert's principle (nonholonomic mechanics).

    >>> Known(dimension=3, growth=(2, 3)).regular is None
    True
    """

    dimension: int | None = None
    energy_conserved: bool | None = None
    """Along the motions, whatever the values of the parameters."""
    regular: bool | None = None
    """Whether the Lagrangian alone gives all accelerations."""
    symmetries: Table[str, str] = field(default_factory=Table)
    """What each generator is to the Lagrangian: ``symmetry``, ``up to a total derivative``, or ``none``."""
    algebra: str = ""
    """The name of the Lie algebra of the generators, if there are any that do not move time."""
    constraints: Table[str, str] = field(default_factory=Table)
    """What each constraint is in the velocities: ``linear``, ``affine`` or ``nonlinear``; or ``holonomic``."""
    growth: tuple[int, ...] = ()
    """The growth vector, at a generic point, of the directions that linear constraints allow."""
    holonomic: bool | None = None
    """Whether these directions are involutive, so that the constraints are holonomic in disguise."""
    integrals: Table[str, str] = field(default_factory=Table)
    """Functions of t, q and q' that are constant along the motions."""
    varying: Table[str, str] = field(default_factory=Table)
    """Functions that look as if they were constant, and are not."""
    critical: Table[str, str] = field(default_factory=Table)
    """Functions of t, q, q' and multipliers lambda_NAME that are constant along vakonomic motions."""


@dataclass(frozen=True, slots=True)
class ConstraintMatrix:
    """Constraints that are linear or affine in the velocities: f = rows . q' + remainder."""

    rows: tuple[tuple[Expr, ...], ...]
    remainder: tuple[Expr, ...]
