"""From a statement to a system: every table read in turn, all faults noted, the whole then looked at by ``validate``.

A statement is a mapping of tables as a model file has them. In Python their entries may also be graphs, SymPy, or
lists where names do not matter; both ways go through here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from dalembert.errors import kind_of
from dalembert.expr.graph import ZERO, Expr
from dalembert.expr.text import Limits
from dalembert.expr.walk import symbols
from dalembert.model.algebra import read_algebra, with_names
from dalembert.model.bracket import read_bracket
from dalembert.model.declarations import Declarations
from dalembert.model.facts import read_facts
from dalembert.model.faults import FREE, TABLES, Faults, Path, quoted, suggestion
from dalembert.model.kinds import Point
from dalembert.model.machine.stated import is_load, is_machine
from dalembert.model.orientations import located
from dalembert.model.parts import Constraint, Equation, Known, Run, State, Value, told_of_event
from dalembert.model.reactions import with_reactions
from dalembert.model.reading import MODEL_LIMITS, Place, Reader
from dalembert.model.speeds import acting, by_coordinate
from dalembert.model.structures import IN_PARAMETERS, read_bundle, read_forms, read_momentum, read_symmetry
from dalembert.model.symmetries import EVIDENT, evident_symmetries
from dalembert.model.system import System
from dalembert.model.table import Table
from dalembert.model.validate import validate

_LAGRANGIAN: Final = Place("a Lagrangian", remedy="controls belong in [forces] or [equations]")
_CONSTRAINT: Final = Place("a constraint", 1, remedy="a constraint is an equation in t, coordinates and velocities")
_HOLONOMIC: Final = Place("a holonomic constraint", 0, remedy="a constraint on velocities belongs in [constraints]")
_FORCE: Final = Place("a force", 1, controls=True, multipliers=True)
_STOP: Final = Place("a stop", 1, controls=True, multipliers=True)
_RIGHT_SIDE: Final = Place("the right-hand side of an equation of motion", 1, controls=True)
_VIRTUAL: Final = Place("the coefficients of a one-form", 1)
_FACT: Final = Place("an assumption")
_EVENT: Final = Place("an event", 2)
_STATE: Final = Place("a value at the start or end", -1, time=False, remedy=IN_PARAMETERS)
_SHAPES: Final = "write a table with the list 'shapes', and 'floor = true' for a floor"
_TIME: Final = Place("a time", -1, time=False, remedy=IN_PARAMETERS)


def stated_system(
    tables: Mapping[str, Any], lines: Mapping[Path, int] | None = None, source: str = "", limits: Limits = MODEL_LIMITS
) -> System:
    """Return the system that some tables state, or raise ``ModelError`` with everything that is wrong."""
    faults = Faults(lines)
    system = read_system(tables, faults, limits)
    validate(system, faults)
    faults.refuse(source)
    return system


def read_system(tables: Mapping[str, Any], faults: Faults, limits: Limits = MODEL_LIMITS) -> System:
    """Return as much of a system as can be read; what cannot is noted as faults."""
    return _Statement(tables, Reader(faults, limits)).system()


class _Noted(Exception):
    """What is read has a fault that was noted."""


def _with_parts(stated: Mapping[str, Any], faults: Faults) -> dict[str, Any]:
    """Return the statement of a machine without parts that cannot be read, and with the coordinates of its joints."""
    from dalembert.model.machine.assembly import with_coordinates
    from dalembert.model.machine.shapes import with_readable_parts

    return dict(with_coordinates(with_readable_parts(stated, faults)))


class _Statement:
    def __init__(self, tables: Mapping[str, Any], reader: Reader) -> None:
        stated = {key: value for key, value in tables.items() if value is not None}
        stated = with_names(stated, reader.faults) if "algebra" in stated else stated
        self._tables = _with_parts(stated, reader.faults) if is_machine(stated) else stated
        self._reader = reader
        self._faults = reader.faults
        self._wholes: dict[str, Point] = {}  # what has parts behind a point

    def system(self) -> System:
        """Read all tables; names come first, for all the rest is in terms of them."""
        tables, reader = self._tables, self._reader
        self._look_for_strangers()
        declared = Declarations(tables, reader)
        declared.read()
        machine = declared.machine
        self._wholes = {point.name: point for point in declared.points}
        lagrangian = (
            reader.expression(tables["lagrangian"], ("lagrangian",), _LAGRANGIAN) if self._has_lagrangian else None
        )
        mechanism = None if machine is None else machine.mechanism
        if machine is not None and mechanism is not None:
            twin, stated = mechanism.by_neighbours, ZERO if lagrangian is None else lagrangian
            lagrangian = machine.lagrangian + stated
            mechanism = replace(mechanism, by_neighbours=None if twin is None else twin + stated)
        order = max([1, *(s.order for s in symbols([] if lagrangian is None else [lagrangian]))])
        equations = self._by_coordinate("equations", _RIGHT_SIDE, range(1, 3))
        holonomic = self._positions(declared.points, {} if machine is None else machine.holonomic)
        constraints = self._constraints(equations, holonomic, {} if machine is None else machine.constraints)
        evident = isinstance(tables.get("symmetry"), str)
        symmetry = Table() if evident else read_symmetry(reader, tables.get("symmetry", {}), declared.points)
        speeds = declared.speeds | {one: e for point in declared.points for one, e in point.speeds.items()}
        forces = self._by_coordinate("forces", _FORCE, more=speeds)
        if machine is not None:
            pushed = machine.forces
            forces = Table({q: forces.get(q, ZERO) + pushed.get(q, ZERO) for q in (*forces, *pushed)})
        system = System(
            name=self._name(),
            coordinates=Table(declared.coordinates),
            parameters=Table(declared.parameters),
            functions=Table(declared.functions),
            let=Table(declared.let),
            speeds=Table(speeds),
            lagrangian=lagrangian,
            equations=equations,
            constraints=constraints,
            holonomic=holonomic,
            forces=acting(
                forces if forces.keys().isdisjoint(speeds) else by_coordinate(forces, declared.coordinates, speeds)
            ),
            stated_forces=forces,
            controls=Table(declared.controls),
            virtual=read_forms(reader, tables.get("virtual", {}), ("virtual",), _VIRTUAL, declared.points, speeds),
            dependent=self._dependent("dependent"),
            other_dependent=self._dependent("other"),
            bundle=read_bundle(reader, tables["bundle"]) if "bundle" in tables else None,
            symmetry=symmetry,
            momentum=Table() if evident else read_momentum(reader, tables.get("momentum", {}), symmetry),
            assume=self._equalities("assume", "a", _FACT),
            start=self._state("start", constraints, 2 * order, speeds),
            end=self._state("end", constraints, 2 * order, speeds),
            run=self._run(),
            stops=self._stops({} if machine is None else machine.stops),
            subsystem=self._subsystem(),
            known=Known() if evident else read_facts(reader, tables.get("facts", {}), symmetry, constraints),
            metadata=Table({key: reader.free(tables[key], (key,)) for key in FREE if key in tables}),
            kinds=Table({point.name: point.kind for point in declared.points}),
            mechanism=mechanism,
            bracket=read_bracket(reader, tables, tuple(declared.coordinates)),
            algebra=read_algebra(reader, tables["algebra"]) if "algebra" in tables else None,
            shape_lines=self._shape_lines(),
        )
        system = reader.attempt(("forces",), partial(with_reactions, system)) or system
        return self._with_evident(system) if evident else system

    def _shape_lines(self) -> tuple[int, ...]:
        """Return the line of each shape to be drawn, for the faults that are found when it is."""
        drawing = self._tables.get("drawing", {})
        if not isinstance(drawing, Mapping):
            self._faults.add(("drawing",), f"{kind_of(drawing)} stands where a table is expected", _SHAPES)
            return ()
        for name in [name for name in drawing if name not in ("shapes", "floor")]:
            self._faults.add(("drawing", str(name)), "nothing that is drawn has this name", _SHAPES)
        shapes = drawing.get("shapes", ())
        if not isinstance(shapes, list | tuple):
            self._faults.add(("drawing", "shapes"), f"{kind_of(shapes)} stands where a list is expected", _SHAPES)
            return ()
        many = len(shapes)
        lines = [self._faults.line(("drawing", "shapes", str(k))) for k in range(1, many + 1)]
        return tuple(line for line in lines if line is not None)

    def _with_evident(self, system: System) -> System:
        """Return a system with its evident symmetries, and what is said of them by their names."""
        reader, tables, told = self._reader, self._tables, self._tables["symmetry"]
        if told != EVIDENT:
            what = f"{quoted(told)} stands where generators are expected"
            self._faults.add(
                ("symmetry",), what, f'write a table [symmetry], or symmetry = "{EVIDENT}" to have them found'
            )
        if self._faults:  # nothing is found of what is not known
            self._faults.doubt("symmetry", "momentum", "facts")
            return system
        found = reader.attempt(("symmetry",), partial(evident_symmetries, system)) or Table()
        return replace(
            system,
            symmetry=found,
            momentum=read_momentum(reader, tables.get("momentum", {}), found),
            known=read_facts(reader, tables.get("facts", {}), found, system.constraints),
        )

    @property
    def _has_lagrangian(self) -> bool:
        return "lagrangian" in self._tables

    def _look_for_strangers(self) -> None:
        for key in self._tables:
            if key not in TABLES and not self._faults.full:
                self._faults.add((str(key),), f"unknown table or key '{key}'", suggestion(str(key), TABLES))
        if self._has_lagrangian or "equations" in self._tables:
            return
        for table in TABLES:  # a key that follows a table header belongs to that table, whatever it was meant for
            entries = self._tables.get(table)
            if table not in FREE and isinstance(entries, Mapping) and "lagrangian" in entries:
                where = (table, "lagrangian")
                self._faults.add(where, f"the Lagrangian stands inside [{table}]", "move it above the first [table]")
                self._faults.doubt("lagrangian")
                self._tables[table] = {key: entry for key, entry in entries.items() if key != "lagrangian"}

    def _name(self) -> str:
        name = self._reader.text(self._tables.get("name", "unnamed system"), ("name",))
        if name is not None and not (name.strip() and name.isprintable() and len(name) <= 200):
            self._faults.add(("name",), "the name of a system must be one line of at most 200 characters")
        return name or ""

    # -- dynamics --------------------------------------------------------------------------------------------
    def _by_coordinate(
        self, table: str, place: Place, orders: range = range(1), more: Iterable[Expr] = ()
    ) -> Table[Expr, Expr]:
        """Return expressions by coordinate, or by one of some further variables."""
        reader, known, found = self._reader, {one.data.name: one for one in more}, {}
        for key, value, path in self._flat(table):
            if table == "forces" and is_load(value):
                if not is_machine(self._tables):  # else it is read with the machine
                    what = "this is a force on a body, and no bodies are stated"
                    self._faults.add(path, what, "state [bodies], or a force on a coordinate as an expression")
                continue
            variable = known.get(str(key))
            if variable is None:
                variable = reader.coordinate(key, path, orders, known=list(known))
            read = reader.expression(value, path, place)
            if variable is not None and read is not None:
                found[variable] = read
        return Table(found)

    def _equalities(self, table: str, prefix: str, place: Place) -> Table[str, Equation]:
        found = {}
        for name, value, path in self._reader.entries(self._tables.get(table, {}), (table,), prefix):
            equation = self._reader.equation(value, path, place)
            if equation is not None:
                found[name] = equation
        return Table(found)

    def _positions(self, points: Sequence[Point], more: Mapping[str, Equation]) -> Table[str, Equation]:
        """Return the constraints on positions, first that rotations and directions have unit length, last some more."""
        stated = self._joined("holonomic", self._equalities("holonomic", "h", _HOLONOMIC), more)
        for point in points:
            if point.relation in stated:
                what = f"'{point.relation}' is the name of what is true of '{point.name}' by its kind"
                self._faults.add(("holonomic", point.relation), what, "rename or remove it")
        return Table({**{point.relation: point.unit for point in points}, **stated})

    def _joined(
        self, table: str, stated: Mapping[str, Equation], more: Mapping[str, Equation]
    ) -> Mapping[str, Equation]:
        """Return equations that are stated with those of the parts of a machine."""
        for name in stated.keys() & more.keys():
            self._faults.add((table, name), f"'{name}' is the name of what a part of the machine does", "rename it")
        return {**stated, **more}

    def _constraints(
        self, equations: Table[Expr, Expr], holonomic: Table[str, Equation], more: Mapping[str, Equation]
    ) -> Table[str, Constraint]:
        """Return all constraints on velocities: stated as such, by first-order equations, by holonomic ones."""
        stated = self._joined("constraints", self._equalities("constraints", "c", _CONSTRAINT), more)
        found = {name: Constraint(name, equation.left, equation.right) for name, equation in stated.items()}
        for variable, right in equations.items():
            name = variable.data.label
            if variable.data.order == 1 and name not in found:
                found[name] = Constraint(name, variable, right, "equation")
        for name, equation in holonomic.items():
            path = ("holonomic", name)
            rate = self._reader.attempt(path, partial(Constraint.from_holonomic, name, equation))
            if name in found:
                self._faults.add(path, f"'{name}' is already the name of a constraint", "rename it")
            elif rate is not None:
                found[name] = rate
        return Table(found)

    def _dependent(self, key: str) -> tuple[Expr, ...]:
        """Return the coordinates under a key of ``[fibration]``; a list alone is the first of them."""
        told = self._tables.get("fibration", [])
        if isinstance(told, Mapping):
            told = self._reader.table(told, ("fibration",), ("dependent", "other")).get(key, [])
        elif key != "dependent":
            told = []
        return self._reader.coordinates(told, ("fibration", key), {})

    def _flat(self, table: str, *more: str) -> list[tuple[Any, Any, Path]]:
        """Return entries one by one, with their paths: TOML reads ``R.w1 = 1`` as the entry w1 of a table R."""
        entries: list[tuple[Any, Any, Path]] = []
        for key, value in self._reader.table(self._tables.get(table, {}), (table,)).items():
            if key in self._wholes and "p" in more:
                value = self._located(key, value, (table, key))
            if isinstance(value, Mapping) and (key in more or key in self._wholes):
                entries += [(f"{key}.{inner}", entry, (table, key, str(inner))) for inner, entry in value.items()]
            else:
                entries.append((key, value, (table, str(key))))
        return entries

    # -- values ----------------------------------------------------------------------------------------------
    def _located(self, name: str, told: Any, path: Path) -> Mapping[str, Any]:
        """Return what is said of a rotation or direction by its parts; nothing where that is a fault."""
        reader = self._reader

        def read(value: Any) -> Expr:
            found = reader.expression(value, path, _STATE)
            if found is None:
                raise _Noted
            return found

        try:
            return reader.attempt(path, lambda: located(self._wholes[name], told, read), None, told) or {}
        except _Noted:
            return {}

    def _state(self, table: str, constraints: Mapping[str, Constraint], orders: int, speeds: Iterable[Expr]) -> State:
        """Return values of coordinates and derivatives, of speeds, of multipliers, of costates ``p.x``; and guesses."""
        reader, moving = self._reader, {one.data.name: one for one in speeds}
        values: dict[Expr, Expr] = {}
        multipliers: dict[str, Expr] = {}
        costates: dict[Expr, Expr] = {}
        near: dict[Expr, Expr] = {}
        for key, value, path in self._flat(table, "p", "lambda", "near"):
            if isinstance(value, Mapping) and "near" in value:
                what = "a table stands where an expression is expected"
                self._faults.add(path, what, f"a guess stands under its own name, near.{key}")
                continue
            read = reader.expression(value, path, _STATE)
            label = str(key) if str(key) in moving else reader.label(key, path)
            if read is None or label is None:
                continue
            whole = label.rstrip("'") in reader.words and not label.startswith("lambda.")
            kind, _, rest = ("", "", "") if whole else label.partition(".")
            if kind == "lambda" and rest:
                if rest not in constraints:
                    self._faults.add(path, f"'{rest}' is not a constraint", suggestion(rest, constraints))
                multipliers[rest] = read
            elif kind == "p" and rest:
                coordinate = reader.coordinate(rest, path)
                costates |= {} if coordinate is None else {coordinate: read}
            elif kind == "near" and rest:
                coordinate = reader.coordinate(rest, path)
                near |= {} if coordinate is None else {coordinate: read}
            elif label in moving:
                values[moving[label]] = read
            elif label in constraints and label.rstrip("'") not in reader.words.coordinates:
                multipliers[label] = read
            else:
                variable = reader.coordinate(label, path, range(orders), known=[*constraints, *moving])
                values |= {} if variable is None else {variable: read}
        for q in near:
            if table == "end" or q in values:
                what = "is given as well" if q in values else "is a guess, and these are for [start]"
                self._faults.add((table, "near", q.data.name), f"{quoted(q.data.label)} {what}", "remove one of them")
        return State(Table(values), Table(multipliers), Table(costates), Table(near))

    def _stops(self, more: Mapping[str, Expr]) -> Table[str, Expr]:
        """Return the functions at whose zeros a motion ends, last those of the parts of a machine."""
        told = self._reader.entries(self._tables.get("stops", {}), ("stops",), "stop")
        read = {name: self._reader.expression(value, path, _STOP) for name, value, path in told}
        for name in read.keys() & more.keys():
            self._faults.add(("stops", name), f"'{name}' is what a part of the machine says", "rename it")
        return Table({name: one for name, one in {**read, **more}.items() if one is not None})

    def _run(self) -> Run:
        reader, known = (
            self._reader,
            ("time", "begin", "tolerance", "max_step", "samples", "engine", "formalism", "events"),
        )
        told = reader.table(self._tables.get("run", {}), ("run",), known)
        time, begin = (
            reader.expression(told[key], ("run", key), _TIME) if key in told else None for key in ("time", "begin")
        )
        numbers = {"tolerance": "a tolerance", "max_step": "the largest step", "samples": "the number of samples"}
        tolerance, max_step, samples = (
            reader.constant(told[key], ("run", key), what) if key in told else None for key, what in numbers.items()
        )
        engine, formalism = (
            reader.text(told[key], ("run", key)) if key in told else None for key in ("engine", "formalism")
        )
        if samples is not None and not isinstance(samples, int):
            self._faults.add(("run", "samples"), "samples must be a whole number")
            samples = None
        events = self._events(told.get("events", {}))
        return Run(time, ZERO if begin is None else begin, tolerance, max_step, samples, engine, formalism, events)

    def _events(self, told: Any) -> Table[str, str]:
        """Return the texts of events that can be read: an equation, then how it is passed, and whether it ends all."""
        reader, found = self._reader, {}
        for name, value, path in reader.entries(reader.table(told, ("run", "events")), ("run", "events"), "event"):
            text = reader.text(value, path)
            if text is not None and reader.equation(told_of_event(text)[0], path, _EVENT) is not None:
                found[name] = text
        return Table(found)

    def _subsystem(self) -> Table[str, Value]:
        told = self._reader.table(self._tables.get("subsystem", {}), ("subsystem",))
        return Table({str(key): self._reader.free(value, ("subsystem", str(key))) for key, value in told.items()})
