"""What SymPy's symbols mean in the graph: which of them move with time, which do not, and what is assumed of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal

from dalembert.errors import ExpressionError
from dalembert.expr.symbols import TIME, Domain, Function, Symbol
from dalembert.expr.vocabulary import fault_of_name, is_part, spelled
from dalembert.records import dataclass, field

Style = Literal["functions", "symbols"]
"""How variables without a declared name go out: as ``x(t)`` and its derivatives, or as ``x``, ``xdot``, ``xddot``."""


@dataclass(frozen=True, slots=True)
class Names:
    """The meaning of SymPy's names; make one with :meth:`of`.

    Passed both ways across the border it gives back the very same SymPy objects that came in.

    Parameters
    ----------
    meaning
        The symbol for each SymPy symbol and each function of time.
    functions
        The SymPy function for the name of each unspecified function. One that stands here is never a variable, even
        where it is taken at time.
    time
        SymPy's symbol for time; None for one that is called ``t``.
    """

    meaning: Mapping[Any, Symbol] = field(default_factory=dict)
    functions: Mapping[str, Any] = field(default_factory=dict)
    time: Any = None

    @classmethod
    def of(
        cls,
        coordinates: Mapping[Any, Any] | Iterable[Any] = (),
        *,
        parameters: Iterable[Any] = (),
        time: Any = None,
        domains: Mapping[Any, Domain] | None = None,
    ) -> Names:
        """Return the names of coordinates with their velocities, and of parameters.

        >>> import sympy
        >>> x, v, a, m = sympy.symbols("x v a m", real=True)
        >>> names = Names.of({x: (v, a)}, parameters=[m], domains={x: "angle", m: "positive"})
        >>> names.meaning[a].label, names.meaning[m].domain
        ("x''", 'positive')

        Parameters
        ----------
        coordinates
            Plain symbols with their velocities, ``{x: xdot}`` or ``{x: (xdot, xddot)}``, or functions of time as
            ``dynamicsymbols`` makes them, whose velocities are their derivatives. Without velocities, a list will do.
        parameters
            Symbols that do not move. Whatever is not declared and plain is taken for one, too.
        time
            SymPy's symbol for time, where it is not called ``t`` and no coordinate is a function of it.
        domains
            What is assumed of a coordinate or parameter, where SymPy's own assumptions do not say it.
        """
        ledger = Ledger(cls(time=time))
        domains = domains or {}
        pairs = coordinates if isinstance(coordinates, Mapping) else dict.fromkeys(coordinates)
        for coordinate, velocities in pairs.items():
            domain = domains.get(coordinate) or domain_of(coordinate)
            ledger.enter_coordinate(coordinate, _sequence(velocities), domain)
        for parameter in parameters:
            domain = domains.get(parameter) or domain_of(parameter)
            ledger.enter(parameter, Symbol(_name_of(parameter), "parameter", domain))
        for atom, domain in domains.items():
            if atom not in ledger.meaning:
                ledger.enter(atom, Symbol(_name_of(atom), "parameter", domain))
        return ledger.names()


class Ledger:
    """The names met so far while expressions cross the border. Each name has one meaning, or it is an error."""

    def __init__(self, names: Names) -> None:
        """Start from what is declared."""
        self.meaning: dict[Any, Symbol] = {}
        self.atoms: dict[Symbol, Any] = {}
        self.moving: set[str] = set()
        self.functions = dict(names.functions)
        self._declared = frozenset(names.functions)
        self._labels: set[str] = set()
        self.time: Any = None
        if names.time is not None:
            self._enter_time(names.time)
        for atom, symbol in names.meaning.items():
            self.enter(atom, symbol)

    def names(self) -> Names:
        """Return all that was met as a record."""
        return Names(dict(self.meaning), dict(self.functions), self.time)

    # -- from SymPy ------------------------------------------------------------------------------------------
    def is_time(self, atom: Any) -> bool:
        """Say whether a SymPy symbol is time."""
        return bool(atom.name == "t" if self.time is None else atom == self.time)

    def is_motion(self, node: Any) -> bool:
        """Say whether a SymPy object is a function of time alone, and not declared to be any other function."""
        from sympy import Symbol as Plain
        from sympy.core.function import AppliedUndef

        if not (isinstance(node, AppliedUndef) and len(node.args) == 1 and isinstance(node.args[0], Plain)):
            return False
        return plain_name(node.func.__name__) not in self._declared and self.is_time(node.args[0])

    def symbol_of(self, atom: Any) -> Symbol:
        """Return what a SymPy symbol or function of time stands for; a plain one that is new is a parameter."""
        known = self.meaning.get(atom)
        if known is not None:
            return known
        if self.is_motion(atom):
            self._enter_time(atom.args[0])
            return self.enter(atom, Symbol(_legal_name(atom.func.__name__), "variable", domain_of(atom)))
        if self.is_time(atom):
            return self._enter_time(atom)
        if atom.name.startswith("_"):  # SymPy does so in second derivatives of f(2*x, 2*x), which are wrong then
            raise ExpressionError(
                f"SymPy seems to have left a symbol '{atom}' of its own in a derivative at a point; differentiate "
                "after the border, or declare the symbol."
            )
        return self.enter(atom, Symbol(_name_of(atom), "parameter", domain_of(atom)))

    def function_of(self, head: Any, arity: int) -> Function:
        """Return the unspecified function that a SymPy function stands for."""
        name = _legal_name(head.__name__, is_function=True)
        if name in self.moving:
            raise ExpressionError(f"'{name}' is a function of time here, so it cannot be taken at anything but time.")
        if name in self._labels:
            raise ExpressionError(f"'{name}' is a symbol and a function here; rename one of the two.")
        if self.functions.setdefault(name, head) != head:
            raise ExpressionError(f"two different SymPy functions are called '{name}'; rename one of them.")
        return Function(name, arity)

    def enter(self, atom: Any, symbol: Symbol) -> Symbol:
        """Note that ``atom`` stands for ``symbol``."""
        if self.meaning.get(atom) == symbol:
            return symbol
        if symbol.label == TIME.name and symbol != TIME:
            raise ExpressionError("'t' is the name of time; rename the other one.")
        other = self.atoms.get(symbol)
        if other is not None and str(other) != str(atom):
            raise ExpressionError(
                f"'{other}' and '{atom}' would both be called '{symbol.label}' here; rename one of them in SymPy."
            )
        if atom in self.meaning or symbol.label in self._labels:
            raise ExpressionError(
                f"'{symbol.label}' has two meanings here (other assumptions, or plain beside a function of time); "
                "rename one of them, or use one everywhere."
            )
        if symbol.name in self.functions:
            what = "is taken at time and elsewhere" if self.is_motion(atom) else "is a symbol and a function here"
            raise ExpressionError(f"'{symbol.name}' {what}; rename one of the two.")
        if self.is_motion(atom):
            self.moving.add(symbol.name)
        self.meaning[atom], self.atoms[symbol] = symbol, atom
        self._labels.add(symbol.label)
        return symbol

    def enter_coordinate(self, atom: Any, velocities: Sequence[Any], domain: Domain) -> None:
        """Note a coordinate with the symbols of its velocity, acceleration and so on."""
        from sympy import Derivative
        from sympy import Symbol as Plain
        from sympy.core.function import AppliedUndef

        if isinstance(atom, Plain):
            name = _name_of(atom)
            self.enter(atom, Symbol(name, "variable", domain))
            for order, velocity in enumerate(velocities, 1):
                _refuse_compound(velocity)
                self.enter(velocity, Symbol(name, order=order))
            return
        if not (isinstance(atom, AppliedUndef) and len(atom.args) == 1 and isinstance(atom.args[0], Plain)):
            raise ExpressionError(f"a coordinate is a SymPy symbol or a function of time, not '{atom}'.")
        time = atom.args[0]
        self._enter_time(time)
        if any(v != Derivative(atom, (time, order)) for order, v in enumerate(velocities, 1)):
            raise ExpressionError(
                f"'{atom}' is a function of time, so its velocity is its derivative and no other symbol."
            )
        self.enter(atom, Symbol(_legal_name(atom.func.__name__), "variable", domain))

    def _enter_time(self, atom: Any) -> Symbol:
        if self.time is None:
            self.time = atom
        elif self.time != atom:
            raise ExpressionError(f"two different SymPy symbols are used as time, '{self.time}' and '{atom}'; use one.")
        return self.enter(atom, TIME)

    # -- to SymPy --------------------------------------------------------------------------------------------
    def atom_of(self, symbol: Symbol, style: Style) -> Any:
        """Return the SymPy object for a symbol: the declared one, or a new one with its assumptions."""
        import sympy

        if symbol in self.atoms:
            return self.atoms[symbol]
        if symbol.role == "time":
            self._enter_time(sympy.Symbol("t"))
            return self.time
        if symbol.order:
            base = self._base_of(symbol.name, style)
            if self.is_motion(base):
                return sympy.Derivative(base, (self.time, symbol.order))
            atom = sympy.Symbol(f"{symbol.name}{'d' * symbol.order}ot", real=True)
        elif symbol.role == "variable" and style == "functions":
            atom = sympy.Function(symbol.name, **_assumptions(symbol.domain))(self.atom_of(TIME, style))
        else:
            atom = sympy.Symbol(symbol.name, **_assumptions(symbol.domain))
        self.enter(atom, symbol)
        return atom

    def _base_of(self, name: str, style: Style) -> Any:
        """Return the SymPy object for the variable that others are derivatives of, whatever its domain."""
        for symbol, atom in self.atoms.items():
            if symbol.name == name and symbol.role == "variable" and not symbol.order:
                return atom
        return self.atom_of(Symbol(name), style)

    def head_of(self, function: Function) -> Any:
        """Return the SymPy function for an unspecified function."""
        import sympy

        if function.name in self.moving:
            raise ExpressionError(f"'{function.name}' is a variable and a function here; rename one of the two.")
        return self.functions.setdefault(function.name, sympy.Function(function.name, real=True))


def domain_of(atom: Any) -> Domain:
    """Return what SymPy assumes of a symbol or function, as a domain."""
    if atom.is_real is False or atom.is_commutative is False:
        raise ExpressionError(f"'{atom}' is not real; declare it with other assumptions.")
    if atom.is_positive:
        return "positive"
    if atom.is_negative:
        return "negative"
    return "nonzero" if atom.is_zero is False else "real"


def _assumptions(domain: Domain) -> dict[str, bool]:
    return {domain if domain in {"positive", "negative", "nonzero"} else "real": True}


_SUBSCRIPT: Final = re.compile(r"_\{([^{}]*)\}")
_COMMAND: Final = re.compile(r"\\(?=[^\W\d_])")


def plain_name(written: str) -> str:
    r"""Return the name that SymPy's stands for here: no backslashes, no braces of subscripts, no ``_`` in front.

    >>> plain_name("I_{xx}"), plain_name(r"\theta_1"), plain_name("c_{1, 2}")
    ('I_xx', 'theta_1', 'c_1_2')
    """
    bare = _SUBSCRIPT.sub(lambda found: "_" + re.sub(r"[\s,]+", "_", found[1].strip()), written)
    return spelled(_COMMAND.sub("", bare).lstrip("_"))


def _legal_name(written: str, *, is_function: bool = False) -> str:
    """Return the name for what SymPy calls so, or raise where no text could tell it."""
    name = plain_name(written)
    fault = "" if is_part(name) and not is_function else fault_of_name(name, is_function=is_function)
    if fault:
        raise ExpressionError(f"SymPy's '{written}' has no name here: {fault}; rename it in SymPy.")
    return name


def _name_of(atom: Any) -> str:
    """Return the name of a plain SymPy symbol."""
    _refuse_compound(atom)
    return _legal_name(str(atom.name))


def _refuse_compound(atom: Any) -> None:
    from sympy import Symbol as Plain

    if not isinstance(atom, Plain):
        raise ExpressionError(f"a plain SymPy symbol is expected here, not '{atom}'.")


def _sequence(velocities: Any) -> Sequence[Any]:
    if velocities is None:
        return ()
    return tuple(velocities) if isinstance(velocities, Sequence) else (velocities,)
