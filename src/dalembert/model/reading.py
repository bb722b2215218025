"""Single entries of a statement: text, exact numbers, graphs or SymPy, each read to what it means, or noted as a fault.

Nothing here raises: what cannot be read is noted with its place, and None comes back.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, time
from typing import Any, Final, TypeVar

from dalembert.errors import DalembertError, ExpressionError, TextError, kind_of
from dalembert.expr.graph import ZERO, Constant, Expr, number, symbol
from dalembert.expr.habits import velocity_meant
from dalembert.expr.readers import Balls
from dalembert.expr.symbols import Function
from dalembert.expr.text import Limits, Source, parse, parse_equation
from dalembert.expr.text.printer import without_solves
from dalembert.expr.vocabulary import LONGEST_NAME, RESERVED, Vocabulary, is_name, is_part, spelled
from dalembert.expr.walk import functions, map_leaves, symbols
from dalembert.model.decimals import decimal_of, exact_number, is_number
from dalembert.model.faults import Faults, Path, quoted, suggestion
from dalembert.model.parts import Equation, Value
from dalembert.model.table import Table
from dalembert.records import dataclass, replace

T = TypeVar("T")

MODEL_LIMITS: Final = Limits()
"""What all expressions of one model may ask for together: characters and work. The rest holds for each."""
MOST_ENTRIES: Final = 500
"""The size of a table."""
_MOST_DEPTH: Final = 20
_MOST_UNKNOWN: Final = 10
_NAME: Final = re.compile(r"(?<![\w.])[^\W\d_]\w*(?:\.[^\W\d_]\w*)?")


@dataclass(frozen=True, slots=True)
class Place:
    """What may stand in an expression, by the part of the statement it is in."""

    what: str
    order: int = 99
    """The highest derivative of a coordinate; -1 where coordinates themselves have no place."""
    time: bool = True
    controls: bool = False
    multipliers: bool = False
    remedy: str = ""
    """What to do where a derivative is too high."""


class Reader:
    """Reads entries against a vocabulary, which grows while a statement is read."""

    def __init__(self, faults: Faults, limits: Limits = MODEL_LIMITS) -> None:
        self.faults = faults
        self.words = Vocabulary()
        self.refused: set[str] = set()  # what was declared and cannot be a name: its uses are not further faults
        self.names: Any = None  # what SymPy's symbols mean, where the coordinates came as such
        self._limits = limits
        self._full = limits.length

    # -- expressions -----------------------------------------------------------------------------------------
    def expression(self, value: Any, path: Path, place: Place, words: Vocabulary | None = None) -> Expr | None:
        """Return an expression."""
        known = self.words if words is None else words
        read = self.attempt(path, lambda: self._expression(value, known), known, value)
        return None if read is None or self._misplaced([read], path, place) else read

    def equation(self, value: Any, path: Path, place: Place, words: Vocabulary | None = None) -> Equation | None:
        """Return an equation; what has only one side is set to zero."""
        known = self.words if words is None else words
        read = self.attempt(path, lambda: self._sides(value, known), known, value)
        return None if read is None or self._misplaced(read, path, place) else Equation(*read)

    def _expression(self, value: Any, words: Vocabulary) -> Expr:
        if isinstance(value, str):
            expression: Expr = self._parsed(parse, value, words)
            return expression
        if isinstance(value, Expr):
            return _adopted(value, words)
        if is_sympy(value):
            from dalembert.expr.sympy_border import from_sympy

            return _adopted(from_sympy(value, self.names), words)
        if is_number(value):
            return number(exact_number(value))
        raise ExpressionError(f"{kind_of(value)} stands where an expression is expected.")

    def _sides(self, value: Any, words: Vocabulary) -> tuple[Expr, Expr]:
        if isinstance(value, str):
            sides: tuple[Expr, Expr] = self._parsed(parse_equation, value, words)
            return sides
        if is_sympy(value) and isinstance(value, sys.modules["sympy"].Equality):
            value = value.args
        if isinstance(value, tuple) and len(value) == 2:
            return self._expression(value[0], words), self._expression(value[1], words)
        return self._expression(value, words), ZERO

    def _parsed(self, parser: Callable[[Source, Vocabulary], Any], text: str, words: Vocabulary) -> Any:
        """Parse a text at the expense of what the whole model may ask for."""
        if len(text) > self._limits.length:
            raise ExpressionError(f"the expressions of a model may have {self._full} characters in all.")
        source = Source(text, self._limits)
        try:
            return parser(source, words)
        finally:
            self._limits = replace(self._limits, length=self._limits.length - len(text), work=source.work_left)

    def _misplaced(self, sides: Sequence[Expr], path: Path, place: Place) -> bool:
        """Note what cannot stand here, and say whether there is any."""
        found = []
        for one in sorted(symbols(sides), key=lambda s: s.label):
            if one.role == "time" and not place.time:
                found.append("time")
            elif one.role == "variable" and one.name in self.words.extra:
                is_multiplier = one.name.startswith("lambda.")
                if not (place.multipliers if is_multiplier else place.controls):
                    found.append(f"the {'multiplier' if is_multiplier else 'control'} {quoted(one.label)}")
                elif is_multiplier and one.order:
                    found.append(f"the rate {quoted(one.label)} of a multiplier")
            elif one.role == "variable" and one.order > place.order:
                whole = one.name.partition(".")[0] if is_part(one.name) else ""
                found.append(
                    f"{'what moves with' if one.order else 'a part of'} '{whole}'" if whole else quoted(one.label)
                )
        for what in dict.fromkeys(found):
            self.faults.add(path, f"{what} cannot stand in {place.what}", place.remedy)
        return bool(found)

    def attempt(
        self, path: Path, read: Callable[[], T], words: Vocabulary | None = None, value: Any = None
    ) -> T | None:
        """Return what is read, or note why it cannot be; ``value`` is what is read, where names may stand in it."""
        if self.faults.full:  # looking for the nearest name takes time
            return None
        try:
            return read()
        except DalembertError as error:
            if any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", str(value)) for name in self.refused if name):
                self.faults.doubt(*path[:1])
                return None
            unknown = _unknown_names(error, words) if isinstance(error, TextError) and words is not None else []
            for what in (*unknown, str(error)):  # one of them may be the error itself, and is told once
                self.faults.add(path, what)
            return None

    # -- names -----------------------------------------------------------------------------------------------
    def label(self, key: Any, path: Path) -> str | None:
        """Return a key as text: a name with its primes, whatever it was given as."""
        if isinstance(key, str):
            return key
        if is_sympy(key):
            key = self.attempt(path, lambda: self._expression(key, self.words))
            if key is None:
                return None
        if isinstance(key, Expr) and key.op == "symbol":
            return str(key.data.label)
        self.faults.add(path, f"{kind_of(key)} stands where a name is expected")
        return None

    def coordinate(self, key: Any, path: Path, orders: range = range(1), known: Sequence[str] = ()) -> Expr | None:
        """Return a coordinate, or a derivative of one, by its label; ``known`` are the other keys that are possible."""
        label = self.label(key, path)
        if label is None or self.faults.full:
            return None
        name = label.rstrip("'")
        order = len(label) - len(name)
        if name in known and order:
            what = (
                f"a {'speed' if name in self.words.let else 'multiplier'} has no derivative here, as {label} would be"
            )
            self.faults.add(path, what, f"write {quoted(name)}")
            return None
        if name not in self.words.coordinates:
            what = "is not known here" if known else "is not a coordinate"
            meant = velocity_meant(name, self.words.coordinates.__contains__) if 1 in orders else ""
            hint = f"did you mean {meant}?" if meant else suggestion(name, [*self.words.coordinates, *known])
            self.faults.add(path, f"{quoted(name)} {what}", hint)
            return None
        if order not in orders:
            possible = " or ".join(name + "'" * k for k in orders)
            self.faults.add(path, f"{label} has no place here", f"write {possible}")
            return None
        return self.words[label]

    def coordinates(self, value: Any, path: Path, more: Mapping[str, Expr]) -> tuple[Expr, ...]:
        """Return a list of different coordinates, stated ones or those in ``more``."""
        found: list[Expr] = []
        for key in value.split() if isinstance(value, str) else self.sequence(value, path):
            label = self.label(key, path)
            known = None if label is None else more.get(label)
            one = self.coordinate(key, path, known=list(more)) if known is None else known
            if one is not None and one in found:
                self.faults.add(path, f"'{label}' is named twice")
            elif one is not None:
                found.append(one)
        return tuple(found)

    # -- tables, lists and plain values ----------------------------------------------------------------------
    def table(self, value: Any, path: Path, known: Sequence[str] = ()) -> Mapping[Any, Any]:
        """Return a table whose keys, if these are given, are known ones."""
        if not isinstance(value, Mapping):
            self.faults.add(path, f"{kind_of(value)} stands where a table is expected")
            return {}
        if self.is_too_long(value, path):
            return {}
        for key in value:
            if known and key not in known:
                self.faults.add((*path, str(key)), f"unknown key '{key}'", suggestion(str(key), known))
        return value

    def sequence(self, value: Any, path: Path) -> Sequence[Any]:
        """Return a list."""
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sequence):
            self.faults.add(path, f"{kind_of(value)} stands where a list is expected")
            return ()
        return () if self.is_too_long(value, path) else value

    def is_too_long(self, value: Collection[Any], path: Path) -> bool:
        """Note a table or list that is too long, and say whether it is; what is an expression already costs nothing."""
        entries = value.values() if isinstance(value, Mapping) else value
        too_long = len(value) > MOST_ENTRIES and sum(not isinstance(one, Expr) for one in entries) > MOST_ENTRIES
        if too_long:
            self.faults.add(
                path, f"a table or list may have at most {MOST_ENTRIES} entries, and this one has {len(value)}"
            )
        return too_long

    def entries(self, value: Any, path: Path, prefix: str) -> list[tuple[str, Any, Path]]:
        """Return named entries; those of a list, or a single one, are named by a prefix and a number."""
        if not isinstance(value, Mapping):
            several = value if isinstance(value, list | tuple) else [value]
            value = {f"{prefix}{i}": entry for i, entry in enumerate(several, 1)}
        found: list[tuple[str, Any, Path]] = []
        for name, entry in {} if self.is_too_long(value, path) else value.items():
            if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME or not name.strip().isprintable():
                self.faults.add((*path, str(name)), f"a name here is text of 1 to {LONGEST_NAME} characters")
            else:
                found.append((name, entry, (*path, name)))
        return found

    def constant(self, value: Any, path: Path, what: str) -> Constant | None:
        """Return an exact number, given as one or as text such as ``1/3`` or ``pi/10``."""
        expression = self.expression(value, path, Place(what, -1, time=False), Vocabulary())
        if expression is None or expression.value is not None:
            return None if expression is None else expression.value
        try:
            real = bool(Balls({}).read([expression])[0].is_finite())
        except DalembertError:
            real = False
        if not real:
            self.faults.add(path, f"{what} must be a real number")
        return expression if real else None

    def text(self, value: Any, path: Path) -> str | None:
        """Return text."""
        if isinstance(value, str):
            return value
        self.faults.add(path, f"{kind_of(value)} stands where text is expected")
        return None

    def free(self, value: Any, path: Path) -> Value:
        """Return free data as it stands, frozen."""
        if len(path) > _MOST_DEPTH:
            self.faults.add(path[:3], f"tables are nested more than {_MOST_DEPTH} deep")
            return ""
        if isinstance(value, Mapping):
            return Table({str(key): self.free(entry, (*path, str(key))) for key, entry in value.items()})
        if isinstance(value, list | tuple):
            return tuple(self.free(entry, (*path, str(i))) for i, entry in enumerate(value, 1))
        if isinstance(value, bool | str | date | time):
            return value
        if is_number(value):
            number = self.attempt(path, lambda: exact_number(value))
            if number is not None and decimal_of(number) is None:
                self.faults.add(path, "a number here must have finitely many decimals")
            return number
        self.faults.add(path, f"{kind_of(value)} cannot be written to a file")
        return ""


def _unknown_names(error: TextError, words: Vocabulary) -> list[str]:
    """Return a sentence for every unknown name in a text, not just for the first, unless they are too many."""
    found: dict[str, str] = {}
    for match in _NAME.finditer(error.text) if len(error.text) < 2_000 else ():
        name = spelled(match[0])
        if (is_name(name) or is_part(name)) and name not in words and name not in RESERVED:
            found.setdefault(name, f"column {match.start() + 1}: {words.unknown(name, error.text[: match.start()])}")
    return list(found.values()) if len(found) <= _MOST_UNKNOWN else []


def _adopted(expression: Expr, words: Vocabulary) -> Expr:
    """Return an expression in the names of a vocabulary, which say what is assumed of each."""
    (root,) = without_solves([expression])
    for function in sorted(functions([root]), key=lambda f: f.name):
        known: Function = words.function(function.name)
        if known != function:
            raise ExpressionError(
                f"'{function.name}' takes {known.arity} argument{'s' * (known.arity > 1)}, not {function.arity}."
            )
    if all(words.symbol(one.label) is symbol(one) for one in symbols([root])):
        return root
    return map_leaves([root], lambda node: words.symbol(node.data.label) if node.op == "symbol" else node)[0]


def names_in(value: Any) -> set[str]:
    """Return the names that stand in an expression, whatever it is given as.

    >>> sorted(names_in("v*cos(th) + x'"))
    ['cos', 'th', 'v', 'x']
    """
    if isinstance(value, Expr):
        return {one.name for one in symbols([value])}
    if is_sympy(value):
        return {str(one) for one in value.free_symbols}
    return {spelled(name) for name in _NAME.findall(value)} if isinstance(value, str) else set()


def is_sympy(value: Any) -> bool:
    """Say whether something is SymPy's, without importing SymPy."""
    sympy = sys.modules.get("sympy")
    return sympy is not None and isinstance(value, sympy.Basic)
