"""A mechanical system, stated once: the record that all formalisms start from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from dalembert.errors import ExpressionError
from dalembert.expr import truth
from dalembert.expr.calculus import gradient, time_derivative
from dalembert.expr.graph import ZERO, Constant, Expr, symbol
from dalembert.expr.lifting import evidently_affine, slopes_of
from dalembert.expr.symbols import Function, Symbol
from dalembert.expr.vocabulary import Vocabulary
from dalembert.expr.walk import substitute, symbols
from dalembert.model.faults import FREE
from dalembert.model.parts import (
    Bundle,
    Constraint,
    ConstraintKind,
    ConstraintMatrix,
    Equation,
    FunctionSpec,
    Generator,
    Known,
    OneForm,
    Run,
    State,
    Value,
)  # fmt: skip
from dalembert.model.table import Table
from dalembert.records import dataclass, field, fields, replace
from dalembert.shown import Shown

if TYPE_CHECKING:
    from dalembert.bodies import tables
    from dalembert.bodies.tables import Formula
    from dalembert.expr.text import Limits
    from dalembert.geometry.fields import Chart
    from dalembert.model import given
    from dalembert.model.algebra import Algebra
    from dalembert.model.bracket import Bracket
    from dalembert.model.claim import Claim
    from dalembert.model.kinds import Point
    from dalembert.model.mechanism import Mechanism, Mobility

_BESIDE_FACTS: Final = frozenset({"name", *FREE, "start", "end", "run"})  # tables that no fact depends on


@dataclass(frozen=True)
class System(Shown):
    """A mechanical system. Make one with :meth:`of`, or from a model file; both look for faults, and tell all of them.

    >>> skate = System.of(
    ...     name="skate",
    ...     coordinates={"x": "real", "y": "real", "theta": "angle"},
    ...     parameters={"m": 1, "J": 0.5},
    ...     lagrangian="m*(x'^2 + y'^2)/2 + J*theta'^2/2",
    ...     constraints={"blade": "x'*sin(theta) = y'*cos(theta)"},
    ... )
    >>> skate.q
    (x, y, theta)
    >>> skate.constraint_matrix().rows
    ((sin(theta), -cos(theta), 0),)
    """

    name: str
    coordinates: Table[Expr, str]
    """The domain of each coordinate."""
    parameters: Table[Expr, Constant | None] = field(default_factory=Table)
    """The default value of each parameter, if it has one."""
    functions: Table[Function, FunctionSpec] = field(default_factory=Table)
    let: Table[str, Expr] = field(default_factory=Table)
    speeds: Table[Expr, Expr] = field(default_factory=Table)
    """What each speed is, linear or affine in the velocities, wherever its name stands; last those of rotations."""
    lagrangian: Expr | None = None
    equations: Table[Expr, Expr] = field(default_factory=Table)
    """For a system not from a Lagrangian: right-hand sides by acceleration, or by velocity for first-order ones."""
    constraints: Table[str, Constraint] = field(default_factory=Table)
    """All constraints on velocities: those stated, first-order ones of ``equations``, the rates of ``holonomic``."""
    holonomic: Table[str, Equation] = field(default_factory=Table)
    """Constraints on positions."""
    forces: Table[Expr, Expr] = field(default_factory=Table)
    """Generalised forces by coordinate, those along speeds among them."""
    stated_forces: Table[Expr, Expr] = field(default_factory=Table)
    """The same as they are stated, by coordinate or by speed: a force along a speed v has the power force * v."""
    reactions: Table[Expr, Expr] = field(default_factory=Table)
    """The multipliers ``lambda.NAME`` that stand in the stated forces, as functions of the state."""
    balances: Table[Expr, Expr] = field(default_factory=Table)
    """Multipliers in forces that are not linear in them, each with what vanishes: they are found with the motion."""
    jam: Expr | None = None
    """What is 1 without these forces, and zero where they and the reactions no longer determine each other."""
    stops: Table[str, Expr] = field(default_factory=Table)
    """Functions of the state, and of multipliers: where one falls to zero the motion ends."""
    controls: Table[Expr, Expr | None] = field(default_factory=Table)
    """The inputs in the forces, with the value that a motion takes where nothing else is said."""
    virtual: Table[str, OneForm] = field(default_factory=Table)
    """One-forms that annihilate virtual displacements; see :meth:`virtual_matrix`."""
    dependent: tuple[Expr, ...] = ()
    """The coordinates whose velocities the constraints give, where the user chooses (the fibration)."""
    other_dependent: tuple[Expr, ...] = ()
    """Another such choice, to which the geometry is compared."""
    bundle: Bundle | None = None
    symmetry: Table[str, Generator] = field(default_factory=Table)
    momentum: Table[str, Expr] = field(default_factory=Table)
    """The value of the momentum of each generator."""
    assume: Table[str, Equation] = field(default_factory=Table)
    """Equations to be used as facts."""
    start: State = field(default_factory=State)
    end: State = field(default_factory=State)
    run: Run = field(default_factory=Run)
    subsystem: Table[str, Value] = field(default_factory=Table)
    """Candidate subsystems and reduction data, as stated; the formalism that uses them reads them."""
    known: Known = field(default_factory=Known)
    """What is said to come out: the table [facts]."""
    metadata: Table[str, Value] = field(default_factory=Table)
    """Notes, source, references and drawing, as stated."""
    kinds: Table[str, str] = field(default_factory=Table)
    """Points of a sphere, ``rotation`` or ``direction``: components among ``coordinates``, length in ``holonomic``."""
    mechanism: Mechanism | None = field(default=None, compare=False, repr=False)
    """The parts that it is made of, where it is stated by parts; a system that is written out has none."""
    found: Claim | None = field(default=None, compare=False, repr=False)
    """That its symmetry was found, not stated; or that none is wanted, where it is empty."""
    bracket: Bracket | None = None
    """An almost-Poisson bracket and a Hamiltonian, instead of a Lagrangian."""
    algebra: Algebra | None = None
    """The Lie algebra of its velocities, where these belong to no coordinates."""
    shape_lines: tuple[int, ...] = field(default=(), compare=False, repr=False)
    """The line of each shape of [drawing], where the statement comes from a file."""

    @classmethod
    def of(
        cls,
        *,
        name: str,
        coordinates: given.Coordinates = (),
        lagrangian: Formula | None = None,
        parameters: given.Names | Mapping[Any, Formula | given.ParameterTable | None] | None = None,
        functions: Mapping[str, given.FunctionTable | Sequence[str] | int] | None = None,
        let: Mapping[str, Formula] | None = None,
        speeds: given.ByCoordinate | Sequence[Formula] | None = None,
        equations: given.ByCoordinate | None = None,
        constraints: given.Several | None = None,
        holonomic: given.Several | None = None,
        forces: given.ByCoordinate | Mapping[str, Formula | tables.Load] | None = None,
        controls: given.Names | Mapping[Any, Formula | None] | None = None,
        virtual: given.Form | Sequence[given.Form] | Mapping[str, given.Form] | None = None,
        fibration: given.FibrationTable | given.Names | None = None,
        bundle: given.BundleTable | None = None,
        symmetry: given.VectorFields | None = None,
        momentum: Mapping[str, Formula] | Sequence[Formula] | None = None,
        assume: given.Several | None = None,
        start: given.StateTable | None = None,
        end: given.StateTable | None = None,
        run: given.RunTable | None = None,
        subsystem: Mapping[str, Value] | None = None,
        facts: given.FactsTable | None = None,
        notes: Value = None,
        source: Value = None,
        references: Value = None,
        drawing: Value = None,
        frames: Mapping[str, tables.Frame] | None = None,
        points: Mapping[str, tables.Point | tables.Vector] | None = None,
        bodies: Mapping[str, tables.Body] | None = None,
        joints: Mapping[str, tables.Joint | tables.Coupling] | None = None,
        contacts: Mapping[str, tables.Contact] | None = None,
        stops: Mapping[str, Formula] | None = None,
        algebra: Mapping[str, Any] | None = None,
        bracket: Mapping[str, Formula] | None = None,
        limits: Limits | None = None,
    ) -> System:
        """Return the system that is stated, or raise ``ModelError`` with everything that is wrong with it.

        Each argument is a table of the model file, as a mapping; ``model.given`` has their types. An expression may be
        text, a graph, a number or SymPy's; constraints, generators and one-forms may come in a list, and are then
        numbered. Coordinates may be SymPy's symbols with velocities, ``{x: xdot}``, or functions of time.
        A machine is stated by its parts; ``dalembert.bodies`` has their types. ``limits`` holds for all texts together.
        """
        stated = {key: value for key, value in locals().items() if key not in {"cls", "limits"}}
        from dalembert.model.reading import MODEL_LIMITS
        from dalembert.model.statement import stated_system

        return stated_system(stated, limits=MODEL_LIMITS if limits is None else limits)

    @classmethod
    def from_sympy(
        cls, machine: Any, *, name: str = "machine of SymPy", values: Mapping[Any, Any] | None = None, **tables: Any
    ) -> System:
        """Return the system of SymPy's bodies and joints, of a ``System`` or a ``JointsMethod`` of SymPy's mechanics.

        ``values`` are those of parameters, by symbol or by name; ``tables`` are further ones as :meth:`of` has them,
        such as start, run or the values of controls.

        >>> from sympy import Symbol
        >>> from sympy.physics import mechanics
        >>> wall, bob = mechanics.RigidBody("wall"), mechanics.Particle("bob", mass=Symbol("m", positive=True))
        >>> machine = mechanics.System.from_newtonian(wall)
        >>> machine.add_joints(mechanics.PrismaticJoint("slide", wall, bob, joint_axis=wall.z))
        >>> machine.apply_uniform_gravity(-Symbol("g") * wall.z)
        >>> fall = System.from_sympy(machine, name="fall", values={"m": 2, "g": 9.81})
        >>> fall.lagrangian, fall.forces
        (m*q_slide'^2/2, {q_slide: -g*m})
        """
        from dalembert.model.machine.sympy_bodies import tables_of_sympy
        from dalembert.model.statement import stated_system

        return stated_system({**tables_of_sympy(machine, values), "name": name, **tables})

    def but(self, **tables: Any) -> System:
        """Return the system with some tables stated anew, each as a whole; None leaves one out.

        What is known of a system is not known of another: [facts] go, unless they are stated too, or unless names,
        notes, drawings, states and runs are all that is new.

        >>> ball = System.of(name="ball", coordinates="z", parameters={"g": 9.81}, lagrangian="z'^2/2 - g*z")
        >>> ball.but(parameters={"g": 1.62}).parameters
        {g: Fraction(81, 50)}
        """
        from dalembert.model.statement import stated_system
        from dalembert.model.writing import tables_of

        stated = tables_of(self)
        if not _BESIDE_FACTS.issuperset(tables):
            stated.pop("facts", None)
        found = stated_system({**stated, **tables})
        same = found.lagrangian == self.lagrangian and found.constraints == self.constraints
        return replace(found, mechanism=self.mechanism) if same and found.mechanism is None else found

    # -- what follows from the statement ---------------------------------------------------------------------
    @property
    def q(self) -> tuple[Expr, ...]:
        """The coordinates, in their order."""
        return tuple(self.coordinates)

    @cached_property
    def v(self) -> tuple[Expr, ...]:
        """Their velocities."""
        return tuple(q.dot for q in self.coordinates)

    @property
    def chart(self) -> Chart:
        """The coordinates as a chart; a Lie algebra gives the brackets of its velocities, which have no coordinates."""
        from dalembert.geometry.fields import Chart

        return Chart(self.q) if self.algebra is None else self.algebra.chart(self.q)

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """The rotations and directions."""
        if not self.kinds:
            return ()
        from dalembert.model.kinds import Point

        return tuple(Point(name, kind) for name, kind in self.kinds.items())

    @property
    def spheres(self) -> tuple[tuple[Expr, ...], ...]:
        """The components of each rotation and direction: their squares add up to 1."""
        return tuple(point.components for point in self.points)

    @cached_property
    def units(self) -> frozenset[str]:
        """The names of the constraints that say so; nobody stated them."""
        return frozenset(point.relation for point in self.points)

    @property
    def stated_constraints(self) -> dict[str, Constraint]:
        """The constraints without those that say so."""
        return {name: constraint for name, constraint in self.constraints.items() if name not in self.units}

    @property
    def stated_speeds(self) -> dict[Expr, Expr]:
        """The speeds of [speeds]."""
        given = self.algebra.velocities if self.algebra else ()
        own = {*(one for point in self.points for one in point.speeds), *given}
        return {one: expression for one, expression in self.speeds.items() if one not in own}

    @cached_property
    def named_parts(self) -> dict[Expr, Expr]:
        """What entries of rotations, their rates and angular velocities are called where what they are occurs."""
        parts = {e: symbol(Symbol(name)) for point in self.points for name, e in point.entries.items()}
        parts |= {time_derivative(e): one.dot for e, one in parts.items()}
        return parts | {e: one for point in self.points for one, e in point.speeds.items()}

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """What the names in texts about this system mean."""
        return Vocabulary(
            {q.data.name: domain for q, domain in self.coordinates.items()},
            {p.data.name: p.data.domain for p in self.parameters},
            {f.name: f.arity for f in self.functions},
            {
                **({} if self.mechanism is None else self.mechanism.names),
                **{name: e for point in self.points for name, e in point.words.items()},
                **self.let,
                **{one.data.name: expression for one, expression in self.speeds.items()},
            },
            {u.data.name: u.data.domain for u in self.controls} | dict.fromkeys(self.multiplier_names, "real"),
        )

    @property
    def multiplier_names(self) -> dict[str, str]:
        """The constraints by the names of their multipliers, as far as text can name them."""
        from dalembert.model.reactions import multiplier_names

        return multiplier_names(self.constraints) if self.lagrangian is not None else {}

    @property
    def resolved_forces(self) -> dict[Expr, Expr]:
        """The stated forces, with multipliers in them as functions of the state."""
        return dict(zip(self.stated_forces, substitute(list(self.stated_forces.values()), self.reactions), strict=True))

    @cached_property
    def order(self) -> int:
        """The highest derivative of a coordinate in the Lagrangian, at least 1."""
        return max([1, *(s.order for s in symbols([] if self.lagrangian is None else [self.lagrangian]))])

    @property
    def facts(self) -> list[tuple[Expr, Expr]]:
        """The assumptions, as ``truth`` takes them."""
        return [(fact.left, fact.right) for fact in self.assume.values()]

    @property
    def definitions(self) -> dict[Function, tuple[tuple[Expr, ...], Expr]]:
        """Formal arguments and value of each function that has a value, as ``calculus.define`` takes them."""
        return {f: (spec.formal, spec.value) for f, spec in self.functions.items() if spec.value is not None}

    @property
    def defaults(self) -> dict[Expr, Constant]:
        """The parameters that have a default value, with it."""
        return {p: value for p, value in self.parameters.items() if value is not None}

    # -- constraints -----------------------------------------------------------------------------------------
    def kind_of(self, constraint: str | Constraint) -> ConstraintKind:
        """Return what a constraint is in the velocities: ``linear``, ``affine`` or ``nonlinear``; or ``holonomic``."""
        if isinstance(constraint, str):
            return self._kinds[constraint]
        if constraint.origin == "holonomic":
            return "holonomic"
        if truth.depends_on_velocities(self._slopes(constraint)):
            return "nonlinear"
        return "linear" if truth.vanish(substitute([constraint.expression], self._rest)) else "affine"

    @cached_property
    def _kinds(self) -> dict[str, ConstraintKind]:
        stated = [c.expression for c in self.constraints.values()]
        if not evidently_affine(stated, self.v):
            return {name: self.kind_of(constraint) for name, constraint in self.constraints.items()}
        both = zip(self.constraints.items(), truth.vanishing(substitute(stated, self._rest)), strict=True)
        return {n: "holonomic" if c.origin == "holonomic" else "linear" if z else "affine" for (n, c), z in both}

    @property
    def _rest(self) -> dict[Expr, Expr]:
        return dict.fromkeys(self.v, ZERO)

    @cached_property
    def repeated(self) -> Mapping[str, Any]:
        """The constraints that repeat those before them, and in which way; found once."""
        from dalembert.model.repeated import dependence

        return dependence(self, self.constraint_jacobian()).repeating if len(self.constraints) > 1 else {}

    @cached_property
    def mobility(self) -> Mobility:
        """The degrees of freedom of its positions: Gruebler's count, and how many there are."""
        from dalembert.model.mobility import mobility

        return mobility(self)

    def constraint_jacobian(self) -> list[list[Expr]]:
        """Return the derivatives of the constraints by the velocities, rows by constraints; any kind will do."""
        return [list(self._slopes(constraint)) for constraint in self.constraints.values()]

    def _slopes(self, constraint: Constraint) -> tuple[Expr, ...]:
        """Return the derivatives of a constraint by the velocities; those of the system's own are kept."""
        return self._gradients.get(constraint.expression) or tuple(gradient(constraint.expression, self.v))

    @cached_property
    def _gradients(self) -> dict[Expr, tuple[Expr, ...]]:
        stated = [c.expression for c in self.constraints.values()]
        return dict(zip(stated, map(tuple, slopes_of(stated, self.v)), strict=True))

    def constraint_matrix(self) -> ConstraintMatrix:
        """Return the constraints as rows . q' + remainder, if all are linear or affine."""
        return self._matrix

    @cached_property
    def _matrix(self) -> ConstraintMatrix:
        for name in self.constraints:
            if self.kind_of(name) == "nonlinear":
                raise ExpressionError(f"the constraint '{name}' is not linear in the velocities, so it has no row.")
        size, functions = len(self.q), [c.expression for c in self.constraints.values()]
        entries = [entry for row in self.constraint_jacobian() for entry in row]
        flat = truth.cleared(substitute([*functions, *entries], self._rest))
        rows = [flat[i : i + size] for i in range(len(functions), len(flat), size)]
        return ConstraintMatrix(tuple(map(tuple, rows)), tuple(flat[: len(functions)]))

    def virtual_matrix(self) -> list[list[Expr]]:
        """Return the one-forms that annihilate virtual displacements, as rows, one for each constraint.

        A form with the name of a constraint stands in for df/dq' of that one (Chetaev's rule), others for all of them.
        """
        from dalembert.model.speeds import by_coordinate

        forms = {name: by_coordinate(form, self.q, self.speeds) for name, form in self.virtual_forms.items()}
        given = {name: [form.get(q, ZERO) for q in self.q] for name, form in forms.items()}
        chetaev = dict(zip(self.constraints, self.constraint_jacobian(), strict=True))
        return [given.get(name, row) for name, row in chetaev.items()]

    @property
    def virtual_forms(self) -> dict[str, OneForm]:
        """The forms of ``virtual`` by the constraints that they stand in for."""
        if self.constraints.keys() & self.virtual.keys():
            return dict(self.virtual)
        return dict(zip(self.stated_constraints, self.virtual.values(), strict=False))

    def __getstate__(self) -> Mapping[str, Any]:
        """Travel without what is computed on demand."""
        return {f.name: getattr(self, f.name) for f in fields(self)}
