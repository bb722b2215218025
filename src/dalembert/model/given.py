"""What a system may be stated with in Python: the types of the tables that ``System.of`` takes.

A key that is a coordinate may be a name, a symbol of ours or one of SymPy's, so that tables by coordinate have keys of
any kind; whatever is wrong with them is told where they are read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, SupportsFloat, TypeAlias, TypedDict

from dalembert.bodies.tables import Formula
from dalembert.expr.symbols import Domain
from dalembert.geometry.fields import VectorField
from dalembert.model.parts import ConstraintKind


class _BothSides(Protocol):
    """An equation of SymPy's."""

    @property
    def lhs(self) -> Any:
        """Its left side."""

    @property
    def rhs(self) -> Any:
        """Its right side."""


Relation: TypeAlias = Formula | tuple[Formula, Formula] | _BothSides
"""An equation as text, as its two sides, or of SymPy's; what has one side is set to zero."""
Several: TypeAlias = Relation | Sequence[Relation] | Mapping[str, Relation]
"""Equations by name, or in a list, where they are numbered, or a single one."""
Names: TypeAlias = str | Sequence[Any]
"""Names in a text with blanks, or in a list, as symbols too."""
ByCoordinate: TypeAlias = Mapping[Any, Formula]
Coordinates: TypeAlias = Names | Mapping[Any, Domain | str | SupportsFloat | Sequence[Any] | None]
"""Names, or domains by name; with SymPy's symbols their velocities, or both."""
Form: TypeAlias = ByCoordinate | Relation
"""A one-form by its coefficients, or as text such as ``dz - y*dx``."""
_VectorField: TypeAlias = VectorField | ByCoordinate
VectorFields: TypeAlias = VectorField | Sequence[_VectorField] | Mapping[str, _VectorField] | Literal["evident"]
"""Generators by name, or in a list, each by its components, ``t`` among them for a part along time; or those that are
found by :func:`dalembert.model.symmetries.evident_symmetries`."""
_Orientation: TypeAlias = Mapping[str, Any] | Sequence[Formula]
"""Where a rotation or a direction is; see :mod:`dalembert.model.orientations`."""
StateTable: TypeAlias = Mapping[Any, Formula | ByCoordinate | _Orientation]
"""Values of coordinates, velocities, speeds, of multipliers by constraint, costates as ``p.x`` or in a table ``p``;
rotations and directions in their own ways."""


class ParameterTable(TypedDict, total=False):
    """A parameter with a sign of its own; they are positive otherwise."""

    value: Formula
    sign: Literal["any", "positive", "negative", "nonzero"]


class FunctionTable(TypedDict, total=False):
    """A function: the names of its arguments, or their number, and its value where it has one."""

    of: Sequence[str] | int
    value: Formula


class FibrationTable(TypedDict, total=False):
    """The coordinates whose velocities the constraints give, and another choice of them."""

    dependent: Names
    other: Names


class AdaptedTable(TypedDict, total=False):
    """A further coordinate as a function of the stated ones."""

    value: Formula
    domain: Domain


class BundleTable(TypedDict, total=False):
    """Base, fibre and connection; see ``parts.Bundle``."""

    base: Names
    fibre: Names
    connection: str | Mapping[str, Form] | Sequence[Form]
    adapted: Mapping[str, Formula | AdaptedTable]
    inverse: ByCoordinate
    loops: Mapping[str, ByCoordinate]


class RunTable(TypedDict, total=False):
    """How to integrate, where nothing else is said; see ``parts.Run``."""

    time: Formula
    begin: Formula
    tolerance: Formula
    max_step: Formula
    samples: int
    engine: str
    formalism: str
    events: Mapping[str, str]


class FactsTable(TypedDict, total=False):
    """What is said to come out; see ``parts.Known``."""

    dimension: int
    energy_conserved: bool
    regular: bool
    symmetries: Mapping[str, Literal["symmetry", "up to a total derivative", "none"]]
    algebra: str
    constraints: Mapping[str, ConstraintKind]
    growth: Sequence[int]
    holonomic: bool
    integrals: Mapping[str, Formula]
    varying: Mapping[str, Formula]
    critical: Mapping[str, Formula]
