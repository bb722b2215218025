"""Vocabulary: what the names in a text mean.

Names are a letter, then letters, digits or ``_``; letters of any alphabet will do (``θ``, ``φ1``). What has several
parts, a rotation say, has them behind a point: ``R.q0``. The words of the
text syntax itself (``t``, ``pi``, ``sin``, ...) are taken, except that ``D`` and ``diff``, which mean something only
before a bracket, may be the names of quantities.
"""

from __future__ import annotations

import copy
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import time_derivative
from dalembert.expr.elementary import absolute, acos, asin, atan, cos, cosh, exp, log, sin, sinh, sqrt, tan, tanh
from dalembert.expr.graph import PI, Expr, symbol
from dalembert.expr.habits import advice_about_a_name
from dalembert.expr.symbols import DOMAINS, TIME, Function, Symbol
from dalembert.expr.walk import functions as functions_of
from dalembert.expr.walk import symbols as symbols_of
from dalembert.records import dataclass, field
from dalembert.shown import Shown

ELEMENTARY: Final[Mapping[str, Callable[[Expr], Expr]]] = MappingProxyType(
    {
        "sin": sin, "cos": cos, "tan": tan, "exp": exp, "log": log, "sqrt": sqrt, "abs": absolute, "atan": atan,
        "asin": asin, "acos": acos, "sinh": sinh, "cosh": cosh, "tanh": tanh,
    }
)  # fmt: skip
"""The elementary functions that text knows, all of one argument."""
BEFORE_BRACKETS: Final = frozenset({"D", "diff"})
"""Words of the syntax before a bracket; elsewhere they may be the names of quantities, but never those of functions."""
RESERVED: Final = frozenset({*ELEMENTARY, "t", "pi"})
"""Words of the syntax, which nothing else may be called."""
LONGEST_NAME: Final = 60

Meaning: TypeAlias = "Symbol | Function | Expr"
"""What a name can stand for; an expression is that of ``pi`` or of a let."""
Names: TypeAlias = "str | Iterable[str] | Mapping[str, str]"
"""Names as ``"x y"``, as a list, or with the domain of each."""


def spelled(name: str) -> str:
    """Return the one spelling of a name: the micro sign and the letter mu, which look alike, are the same."""
    return unicodedata.normalize("NFKC", name)


def is_name(name: str) -> bool:
    """Say whether something can be a name: a letter, then letters, digits or ``_``."""
    return (
        0 < len(name) <= LONGEST_NAME
        and name[0].isalpha()
        and all(c.isalpha() or c == "_" or (c.isascii() and c.isdigit()) for c in name)
    )


def is_part(name: str) -> bool:
    """Say whether something can be the name of a part of a quantity.

    >>> is_part("R.q0"), is_part("R"), is_part("R.q0.x")
    (True, False, False)
    """
    whole, point, part = name.partition(".")
    return bool(point) and is_name(whole) and is_name(part) and len(name) <= LONGEST_NAME


@dataclass(frozen=True)
class Vocabulary(Shown):
    """What names mean: coordinates and further variables, parameters, unspecified functions, lets; and time ``t``.

    >>> words = Vocabulary.of("x y", "m g", functions={"V": 2})
    >>> words["x'"]
    x'
    >>> words = words.with_let("r2", words["x"]**2 + words["y"]**2)
    >>> words["r2'"]
    2*x*x' + 2*y*y'
    >>> words.nearest("X")
    'x'

    Parameters
    ----------
    coordinates
        The domain of each coordinate: ``real``, ``angle``, ``positive``, ``negative`` or ``nonzero``. Order is kept.
    parameters
        The domain of each parameter.
    functions
        How many arguments each unspecified function takes.
    let
        Named expressions, in order.
    extra
        The domain of each further variable: quasi-velocities, multipliers.
    """

    coordinates: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    functions: Mapping[str, int] = field(default_factory=dict)
    let: Mapping[str, Expr] = field(default_factory=dict)
    extra: Mapping[str, str] = field(default_factory=dict)
    _meanings: Mapping[str, Meaning] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse what cannot be named so, all faults at once; then freeze."""
        sections = {section: list(getattr(self, section).items()) for section in _SECTIONS}
        _refuse(sections)
        for section in _SECTIONS:
            object.__setattr__(self, section, MappingProxyType(dict(getattr(self, section))))
        meanings: dict[str, Meaning] = {"t": TIME, "pi": PI}
        for name, domain in (*self.coordinates.items(), *self.extra.items()):
            meanings[name] = Symbol(name, domain=domain)  # type: ignore[arg-type]
        for name, domain in self.parameters.items():
            meanings[name] = Symbol(name, "parameter", domain)  # type: ignore[arg-type]
        meanings |= {name: Function(name, arity) for name, arity in self.functions.items()}
        meanings |= self.let
        object.__setattr__(self, "_meanings", meanings)

    def summary(self) -> str:
        """Return the names."""
        names = ((section, ", ".join(getattr(self, section))) for section in _SECTIONS)
        return f"vocabulary: {'; '.join(f'{section} {told}' for section, told in names if told)}"

    @classmethod
    def of(
        cls,
        coordinates: Names = (),
        parameters: Names = (),
        functions: Mapping[str, int] | None = None,
        let: Mapping[str, Expr] | None = None,
        extra: Names = (),
    ) -> Vocabulary:
        """Return a vocabulary from names alone where their domain is the usual one.

        Coordinates and further variables are then ``real``, parameters ``positive``.

        >>> Vocabulary.of({"phi": "angle"}, "m R").parameters
        mappingproxy({'m': 'positive', 'R': 'positive'})
        """
        variables, constants, further = (
            _pairs(coordinates, "real"),
            _pairs(parameters, "positive"),
            _pairs(extra, "real"),
        )
        _refuse({"coordinates": variables, "parameters": constants, "extra": further})  # a dict would hide repetitions
        return cls(dict(variables), dict(constants), functions or {}, let or {}, dict(further))

    @classmethod
    def covering(cls, expressions: Iterable[Expr]) -> Vocabulary:
        """Return the vocabulary by which the text of some expressions is read back.

        A variable of which only derivatives occur is taken to be real.
        """
        roots = list(expressions)
        found = sorted(symbols_of(roots), key=lambda s: s.label)
        variables = [(s.name, s.domain) for s in found if s.role == "variable" and not s.order]
        moving = {s.name: None for s in found if s.order}
        variables += [(name, "real") for name in moving if name not in dict(variables)]
        constants = [(s.name, s.domain) for s in found if s.role == "parameter"]
        arities = sorted((f.name, f.arity) for f in functions_of(roots))
        _refuse({"coordinates": variables, "parameters": constants, "functions": arities})
        return cls(dict(variables), dict(constants), dict(arities))

    def with_let(self, name: str, expression: Expr) -> Vocabulary:
        """Return a vocabulary with one more named expression."""
        return self.with_lets({name: expression})

    def with_lets(self, named: Mapping[str, Expr]) -> Vocabulary:
        """Return a vocabulary with more named expressions."""
        for name in named:
            fault = _fault_of(name)
            if name in self._meanings and not fault:
                fault = f"'{name}' is declared twice, as one of {self._section(name)} and of let"
            if fault:
                raise ExpressionError(f"{fault}.")
        more = copy.copy(self)  # only the new names need a look: a program may have thousands of them
        object.__setattr__(more, "let", MappingProxyType({**self.let, **named}))
        object.__setattr__(more, "_meanings", {**self._meanings, **named})
        return more

    def _section(self, name: str) -> str:
        return next(section for section in _SECTIONS if name in getattr(self, section))

    # -- looking up ------------------------------------------------------------------------------------------
    def __contains__(self, name: str) -> bool:
        """Say whether a name is declared."""
        return name in self._meanings

    def __iter__(self) -> Iterator[str]:
        """Go through the declared names, ``t`` and ``pi`` first."""
        return iter(self._meanings)

    def find(self, name: str) -> Meaning | None:
        """Return what a name stands for, or None."""
        return self._meanings.get(name)

    def symbol(self, label: str) -> Expr:
        """Return the expression for a name with its primes; those of a let are its total time derivatives."""
        name = label.rstrip("'")
        order = len(label) - len(name)
        meaning = self.find(spelled(name))
        if meaning is None or isinstance(meaning, Function):
            raise ExpressionError(
                self.unknown(name) if meaning is None else f"'{name}' is a function: it needs arguments."
            )
        if isinstance(meaning, Expr):
            return time_derivative(meaning, order)
        for _ in range(order):
            meaning = meaning.dot
        return symbol(meaning)

    __getitem__ = symbol

    def function(self, name: str) -> Function:
        """Return the unspecified function of that name."""
        meaning = self.find(spelled(name))
        if not isinstance(meaning, Function):
            raise ExpressionError(self.unknown(name) if meaning is None else f"'{name}' is not a function.")
        return meaning

    def nearest(self, name: str) -> str | None:
        """Return the known name or word that is most like the given one, if any is; a stated name before a word."""
        known = sorted({*self._meanings, *RESERVED, *BEFORE_BRACKETS} - {name})
        same = [k for k in known if k.casefold() == name.casefold()]
        import difflib  # only who makes a mistake needs it

        close = same or difflib.get_close_matches(name, known, n=3)
        like = {k: difflib.SequenceMatcher(None, k, name).ratio() for k in close}
        return max(close, key=lambda k: (like[k], k not in RESERVED), default=None)

    def unknown(self, name: str, before: str = "") -> str:
        """Return the sentence that says a name is not known, with the nearest that is, or that a number has no unit."""
        if name in RESERVED:
            return f"'{name}' is a word of the syntax and not the name of a quantity."
        whole, point, part = name.partition(".")
        parts = [known.removeprefix(f"{whole}.") for known in self._meanings if known.startswith(f"{whole}.")]
        if parts and point:
            return f"'{whole}' has no part '{part}'; it has {', '.join(parts)}."
        if parts:
            return f"'{whole}' has several parts: write one of them, as {whole}.{parts[0]}."
        if point and whole in self._meanings:
            return f"'{whole}' has no parts, so '{name}' means nothing; rotations and directions have some."
        said = f"unknown name '{name}'{_look_alikes(name)}"
        advice = advice_about_a_name(name, self._meanings.__contains__, self._moves)
        if not advice:
            if before.rstrip(" ")[-1:] in _NUMERALS:
                said += " behind a number; numbers have no units here, and a product needs its *"
            nearest = self.nearest(name)
            advice = f"did you mean '{nearest}'?" if nearest else ""
        return said + (f"; {advice}" if advice else ".")

    def _moves(self, name: str) -> bool:
        """Say whether a name is that of a variable, which has a velocity."""
        return getattr(self._meanings.get(name), "role", None) == "variable"


_NUMERALS: Final = frozenset("0123456789.")


def _look_alikes(name: str) -> str:
    """Tell letters of a name that may be taken for others by what Unicode calls them: neither Latin nor Greek.

    >>> _look_alikes("x"), _look_alikes("\u0445")
    ('', ', in which х is the Cyrillic small letter ha')
    """
    called = {letter: unicodedata.name(letter, "") for letter in name if letter.isalpha()}
    told = [f"{k} is the {v.capitalize()}" for k, v in called.items() if not v.startswith(("LATIN", "GREEK"))]
    return f", in which {' and '.join(told)}" if told else ""


_SECTIONS: Final = ("coordinates", "parameters", "functions", "let", "extra")


def _pairs(names: Names, domain: str) -> list[tuple[str, Any]]:
    """Return names with their domain, repetitions kept."""
    if isinstance(names, Mapping):
        return list(names.items())
    return [(name, domain) for name in (names.split() if isinstance(names, str) else names)]


def _refuse(sections: Mapping[str, list[tuple[str, Any]]]) -> None:
    """Raise one error that lists everything wrong."""
    faults = []
    seen: dict[str, str] = {}
    for section, pairs in sections.items():
        for name, what in pairs:
            fault = _fault_of(name, is_function=section == "functions")
            faults += [fault] if fault else []
            if name in seen:
                places = "" if seen[name] == section else f", as one of {seen[name]} and of {section}"
                faults.append(f"'{name}' is declared twice{places}")
            seen[name] = section
            if section == "functions":
                if not isinstance(what, int) or isinstance(what, bool) or what < 1:
                    faults.append(f"the function '{name}' needs a whole number of arguments, at least 1, not {what!r}")
            elif section == "let":
                if not isinstance(what, Expr):
                    faults.append(f"the let '{name}' is not an expression but {what!r}")
            elif what not in DOMAINS:
                faults.append(f"'{name}' has the unknown domain {what!r}, not one of {', '.join(DOMAINS)}")
    if faults:
        raise ExpressionError("; ".join(faults) + ".")


def _fault_of(name: str, *, is_function: bool = False) -> str:
    """Return what keeps something from being a name, or the name of a part, in a vocabulary."""
    return (
        ""
        if not is_function and is_part(name) and name == spelled(name)
        else fault_of_name(name, is_function=is_function)
    )


def fault_of_name(name: str, *, is_function: bool = False) -> str:
    """Return what keeps something from being a name, or nothing.

    >>> fault_of_name("sin")
    "'sin' is a word of the syntax and cannot be a name"
    >>> fault_of_name("D"), fault_of_name("D", is_function=True)
    ('', "'D' is a word of the syntax and cannot be the name of a function")
    """
    if name in RESERVED:
        return f"'{name}' is a word of the syntax and cannot be a name"
    if is_function and name in BEFORE_BRACKETS:
        return f"'{name}' is a word of the syntax and cannot be the name of a function"
    if not is_name(name):
        shown = name if len(name) <= LONGEST_NAME else name[:20] + "..."
        return f"'{shown}' is not a name: it takes a letter, then letters, digits or '_', up to {LONGEST_NAME} in all"
    if name != spelled(name):
        return f"the name '{name}' has another spelling that looks the same: write '{spelled(name)}'"
    return ""
