"""The names of a statement: coordinates, parameters, functions, controls, then lets and speeds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from dalembert.errors import ExpressionError, kind_of
from dalembert.expr.graph import Constant, Expr, symbol
from dalembert.expr.symbols import DOMAINS, Domain, Function, Symbol
from dalembert.expr.vocabulary import Vocabulary, fault_of_name, is_part
from dalembert.model.faults import Faults, Path
from dalembert.model.kinds import KINDS, Point
from dalembert.model.machine.stated import PARTS, names_of_parts
from dalembert.model.parts import FunctionSpec
from dalembert.model.reactions import multiplier_names
from dalembert.model.reading import Place, Reader, is_sympy, names_in

if TYPE_CHECKING:
    from dalembert.model.machine.assembly import Machine

SIGNS: Final[Mapping[str, Domain]] = {
    "any": "real",
    "positive": "positive",
    "negative": "negative",
    "nonzero": "nonzero",
}
"""What a parameter may be told to be."""
_LET: Final = Place("a let", controls=True, multipliers=True)
_SPEED: Final = Place("a speed", 1, remedy="a speed is linear or affine in the velocities")
_CONTROL: Final = Place("the value of a control", 1)
_VALUE: Final = Place("the value of a function", 0)


class _Named(NamedTuple):
    """A let or a speed as it is stated."""

    table: str
    name: str
    told: Any
    path: Path


def _waits_for(one: _Named, before: Sequence[_Named], waiting: Sequence[_Named]) -> set[str]:
    """Return the names in an entry that are to be read first: of the other table, and before it in its own."""
    names = {other.name for other in waiting if other.table != one.table} | {other.name for other in before}
    return names & names_in(one.told)


class Declarations:
    """Reads the tables that declare names and gives the reader its vocabulary."""

    def __init__(self, tables: Mapping[str, Any], reader: Reader) -> None:
        self._tables = tables
        self._reader = reader
        self._faults: Faults = reader.faults
        self._declared: dict[str, str] = {}
        self._pairs: dict[Any, Any] = {}  # SymPy's coordinates with their velocities
        self.coordinates: dict[Expr, str] = {}
        self.points: list[Point] = []
        self.parameters: dict[Expr, Constant | None] = {}
        self.functions: dict[Function, FunctionSpec] = {}
        self.controls: dict[Expr, Expr | None] = {}
        self.let: dict[str, Expr] = {}
        self.speeds: dict[Expr, Expr] = {}
        self.machine: Machine | None = None

    def read(self) -> None:
        """Read all of them."""
        self._read_coordinates()
        self._read_parameters()
        arguments = self._declare_functions()
        controls = self._declare_controls()
        self._reader.words = Vocabulary(
            {q.data.name: domain for q, domain in self.coordinates.items()},
            {p.data.name: p.data.domain for p in self.parameters},
            {f.name: f.arity for f in self.functions},
            {name: e for point in self.points for name, e in point.words.items()},
            dict.fromkeys(controls, "real") | self._multipliers(),
        )
        self._read_names_of_sympy()
        self._read_values_of_functions(arguments)
        parts = names_of_parts(self._tables)
        late = self._read_lets_and_speeds(parts)
        if parts:
            self._assemble(late)
        if not self.coordinates and not self._faults.inside("coordinates", "joints", "bodies"):
            self._faults.add(("coordinates",), "a system needs at least one coordinate", 'add one, as in x = "real"')
        for name, (value, path) in controls.items():
            read = None if value is None else self._reader.expression(value, path, _CONTROL)
            self.controls[self._reader.words[name]] = read

    def _multipliers(self) -> dict[str, str]:
        """Return the names of the multipliers of constraints that are stated; those of parts join them later."""
        stated = [
            name
            for table, prefix in (("constraints", "c"), ("holonomic", "h"))
            for name in _names_of(self._tables.get(table, {}), prefix)
        ]
        return dict.fromkeys(multiplier_names(stated), "real")

    def _declare(self, name: str, path: Path) -> bool:
        """Note a new name, unless it cannot be one or is taken."""
        is_let = path[0] == "let" and is_part(name)  # as the parts of a machine are written out
        fault = "" if is_let else fault_of_name(name, is_function=path[0] == "functions")
        if fault:
            self._reader.refused.add(name)
        if not fault and name in self._declared:
            fault = f"'{name}' is already declared in [{self._declared[name]}]"
        if fault:
            self._faults.add(path, fault)
        else:
            self._declared[name] = path[0]
        return not fault

    def _stated(self, table: str) -> list[tuple[Any, Any]]:
        """Return names and what is said of them, from a table, a list (also as ``names``), or text with blanks."""
        stated = self._tables.get(table, {})
        if isinstance(stated, Mapping) and list(stated) == ["names"] and isinstance(stated["names"], list):
            stated = stated["names"]
        if isinstance(stated, Mapping):
            return [] if self._reader.is_too_long(stated, (table,)) else list(stated.items())
        names = stated.split() if isinstance(stated, str) else self._reader.sequence(stated, (table,))
        return [(name, None) for name in names]

    def _name(self, key: Any, path: Path) -> str | None:
        """Return the name that a key declares."""
        if isinstance(key, str):
            return key
        if isinstance(key, Expr) and key.op == "symbol" and not key.data.order:
            return str(key.data.name)
        if is_sympy(key):
            from dalembert.expr.sympy_border.names import plain_name

            return plain_name(str(key.func.__name__ if key.args else key))
        self._faults.add(path, f"{kind_of(key)} stands where a name is expected")
        return None

    # -- coordinates and parameters --------------------------------------------------------------------------
    def _read_coordinates(self) -> None:
        for key, told in self._stated("coordinates"):
            name = self._name(key, ("coordinates",))
            if name is None:
                continue
            path = ("coordinates", name)
            if isinstance(told, str) and told in KINDS:
                self._read_point(Point(name, told), path)
                continue
            domain = self._domain(key, told, path)
            if self._declare(name, path):
                self.coordinates[symbol(Symbol(name, domain=domain))] = domain
            else:
                self._pairs.pop(key if is_sympy(key) else None, None)

    def _read_point(self, point: Point, path: Path) -> None:
        """Declare a rotation or a direction, and its components as coordinates."""
        if self._declare(point.name, path):
            self.points.append(point)
            self.coordinates |= dict.fromkeys(point.components, "real")

    def _domain(self, key: Any, told: Any, path: Path) -> Domain:
        """Return the domain of a coordinate; with SymPy's, velocities may be told as well."""
        words = told if isinstance(told, tuple | list) else () if told is None else (told,)
        if is_sympy(key):
            self._pairs[key] = tuple(word for word in words if is_sympy(word))
            words = [word for word in words if not is_sympy(word)]
        if not words:
            return self._own_domain(key, "real", path)
        if len(words) == 1 and words[0] in DOMAINS:
            return cast("Domain", words[0])
        known = f"one of {', '.join((*DOMAINS, *KINDS))}"
        self._faults.add(path, f"the domain of a coordinate is {known}, not {_quoted(told)}")
        return "real"

    def _read_parameters(self) -> None:
        for key, told in self._stated("parameters"):
            name = self._name(key, ("parameters",))
            if name is None:
                continue
            path = ("parameters", name)
            value, sign = told, None
            if isinstance(told, Mapping):
                told = self._reader.table(told, path, ("value", "sign"))
                value, sign = told.get("value"), told.get("sign")
            if self._is_velocity(key):
                self._faults.add(path, f"'{name}' is stated to be a velocity in [coordinates]", "remove it here")
                continue
            domain = self._own_domain(key, "positive", path)
            if sign is not None and sign not in list(SIGNS):  # a list, for it may be anything
                self._faults.add((*path, "sign"), f"a sign is one of {', '.join(SIGNS)}, not {_quoted(sign)}")
            elif sign is not None:
                domain = SIGNS[sign]
            default = None if value is None else self._reader.constant(value, path, "the value of a parameter")
            if self._declare(name, path):
                self.parameters[symbol(Symbol(name, "parameter", domain))] = default

    def _is_velocity(self, key: Any) -> bool:
        """Say whether a key is a symbol of SymPy that was given as the velocity of a coordinate."""
        return is_sympy(key) and any(key in several for several in self._pairs.values())

    def _own_domain(self, key: Any, usual: Domain, path: Path) -> Domain:
        """Return what a key, if it is a symbol and not just a name, says of itself."""
        if isinstance(key, Expr):
            return cast("Domain", key.data.domain)
        if is_sympy(key) and key.is_real is not None:
            from dalembert.expr.sympy_border.names import domain_of

            try:
                return domain_of(key)
            except ExpressionError as error:
                self._faults.add(path, str(error))
        return usual

    def _read_names_of_sympy(self) -> None:
        if self._pairs:
            from dalembert.expr.sympy_border import Names

            try:
                self._reader.names = Names.of(self._pairs)
            except ExpressionError as error:
                self._faults.add(("coordinates",), str(error))

    # -- functions, controls, lets ---------------------------------------------------------------------------
    def _declare_functions(self) -> dict[Function, tuple[list[str], Any]]:
        """Declare the unspecified functions; return their formal arguments and what is said of their values."""
        arguments: dict[Function, tuple[list[str], Any]] = {}
        for name, told, path in self._reader.entries(self._tables.get("functions", {}), ("functions",), "f"):
            value = None
            if isinstance(told, Mapping):
                told = self._reader.table(told, path, ("of", "value"))
                value, told = told.get("value"), told.get("of")
            if isinstance(told, int) and not isinstance(told, bool) and 0 < told < 100:
                told = [f"u{i}" for i in range(1, told + 1)]
            if not isinstance(told, list | tuple) or not told or not all(isinstance(a, str) for a in told):
                self._faults.add(
                    path, "the arguments of a function are missing", 'name them, as in { of = ["x", "y"] }'
                )
                told = ["u1"]
            if self._declare(name, path):
                arguments[Function(name, len(told))] = list(told), value
        self.functions = dict.fromkeys(arguments, FunctionSpec(()))
        return arguments

    def _read_values_of_functions(self, arguments: Mapping[Function, tuple[list[str], Any]]) -> None:
        known: dict[str, int] = {}
        for function, (formal, value) in arguments.items():
            path = ("functions", function.name)
            words = self._formal_words(formal, known, (*path, "of"))
            if words is not None:
                read = None if value is None else self._reader.expression(value, (*path, "value"), _VALUE, words)
                self.functions[function] = FunctionSpec(tuple(words[name] for name in formal), read)
            known[function.name] = function.arity

    def _formal_words(self, formal: Sequence[str], known: Mapping[str, int], path: Path) -> Vocabulary | None:
        """Return what may stand in the value of a function: its arguments, parameters, and functions before it."""
        words = self._reader.words
        for i, name in enumerate(formal):
            fault = fault_of_name(name)
            if not fault and self._declared.get(name, "coordinates") != "coordinates":
                fault = f"the argument '{name}' is already declared in [{self._declared[name]}]"
            if not fault and name in formal[:i]:
                fault = f"the argument '{name}' is named twice"
            if fault:
                self._faults.add(path, fault)
                return None
        domains = {name: words.coordinates.get(name, "real") for name in formal}
        return Vocabulary(domains, words.parameters, known)

    def _declare_controls(self) -> dict[str, tuple[Any, Path]]:
        found: dict[str, tuple[Any, Path]] = {}
        for key, told in self._stated("controls"):
            name = self._name(key, ("controls",))
            if name is not None and self._is_velocity(key):
                what = f"'{name}' is stated to be a velocity in [coordinates]"
                self._faults.add(("controls", name), what, "remove it here")
            elif name is not None and self._declare(name, ("controls", name)):
                found[name] = (None if isinstance(told, Mapping) and not told else told, ("controls", name))
        return found

    def _assemble(self, late: list[_Named]) -> None:
        """Read the parts of a machine, whose names are those of vectors, then what is said in terms of them.

        Forces on parts may be given by it, and so it comes before them, unless it is about their energies.
        """
        from dalembert.model.machine.assembly import assemble

        energies: list[_Named] = []
        for one in late:
            told = names_in(one.told)
            if any(name.endswith(".U") for name in told) or told & {other.name for other in energies}:
                energies.append(one)
        stated, self.let = self.let, {}
        before = partial(self._read_in_turn, [one for one in late if one not in energies])
        assembled = partial(
            assemble, self._tables, self._reader, list(self.coordinates), self.parameters, self.points, before
        )
        self.machine = self._reader.attempt((next(one for one in PARTS if one in self._tables),), assembled)
        if self.machine is not None:
            self._read_in_turn(energies)
        self.let = {**stated, **({} if self.machine is None else self.machine.used), **self.let}

    def _read_lets_and_speeds(self, parts: Collection[str] = ()) -> list[_Named]:
        """Read both, each table in its order; return those that wait for parts of a machine."""
        lets = [_Named("let", *one) for one in self._reader.entries(self._tables.get("let", {}), ("let",), "let")]
        speeds = [_Named("speeds", *one) for one in self._stated_speeds()]
        late: list[_Named] = []
        for one in (*lets, *speeds):
            names = {*parts, *(other.name for other in late)}
            if names & {whole for name in names_in(one.told) for whole in (name, name.partition(".")[0])}:
                late.append(one)
        self._read_in_turn([one for one in (*lets, *speeds) if one not in late])
        self.let = {one.name: self.let[one.name] for one in lets if one.name in self.let}
        return late

    def _read_in_turn(self, waiting: list[_Named]) -> None:
        """Read lets and speeds; an entry that names one of the other table waits for it."""
        while waiting:
            ready = next((k for k, one in enumerate(waiting) if not _waits_for(one, waiting[:k], waiting)), None)
            if ready is None:
                one = waiting[0]
                other = next(iter(_waits_for(one, (), waiting)))
                self._faults.add(one.path, f"'{one.name}' and '{other}' are stated by each other", "write one out")
                self._faults.doubt("let", "speeds")
                while waiting:
                    self._name_expression(waiting.pop(), None)
            else:
                self._read_named(waiting.pop(ready))

    def _stated_speeds(self) -> list[tuple[str, Any, Path]]:
        """Return the speeds that are stated; a symbol, also one of SymPy's, may stand for its name."""
        told = self._tables.get("speeds", {})
        if isinstance(told, Mapping):
            told = {self._name(key, ("speeds",)) if not isinstance(key, str) else key: e for key, e in told.items()}
            told.pop(None, None)
        return self._reader.entries(told, ("speeds",), "w")

    def _read_named(self, one: _Named) -> None:
        self._name_expression(
            one, self._reader.expression(one.told, one.path, _SPEED if one.table == "speeds" else _LET)
        )

    def _name_expression(self, one: _Named, read: Expr | None) -> None:
        """Let a name stand for what was read; where that failed it stands for itself: its uses are not faults."""
        if not self._declare(one.name, one.path):
            return
        own = symbol(Symbol(one.name))
        value = own if read is None else read
        if one.table == "let":
            self.let[one.name] = value
        else:
            self.speeds[own] = value
        self._reader.words = self._reader.words.with_let(one.name, value)


def _names_of(told: Any, prefix: str) -> list[str]:
    """Return what equations are called; those of a list, or a single one, are numbered."""
    if isinstance(told, Mapping):
        return [name for name in told if isinstance(name, str)]
    return [f"{prefix}{i}" for i in range(1, 1 + (len(told) if isinstance(told, list | tuple) else 1))]


def _quoted(value: Any) -> str:
    return f"'{value}'" if isinstance(value, str) and len(value) <= 60 else kind_of(value)
