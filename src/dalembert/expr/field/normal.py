"""Normal forms, proofs and short formulas, each within a limit of work.

An effort of 1 is what takes about a second on an ordinary machine; it is counted, not timed, so that the same question
has the same answer everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from dalembert.errors import DalembertError, expect
from dalembert.expr import work
from dalembert.expr.field.alike import Alike
from dalembert.expr.field.meter import OutOfWork
from dalembert.expr.field.worker import ask
from dalembert.expr.graph import ZERO, Expr
from dalembert.expr.symbols import Symbol
from dalembert.expr.walk import SOLVES, count, has_kind, postorder, symbols, tree_size, unpack
from dalembert.records import dataclass

_MOST_TERMS = 20_000
_MOST_NODES = 20_000
_MOST_TERMS_SHORT = 4_000
"""What passes through more terms than this hardly becomes a short formula."""
_SEARCHING = 0.15
"""Which part of its effort a search for short forms takes once the expression is read, at the end of which it finds
little; the rest is for reading and for writing down what was found."""
_SEARCHING_MODULO = 0.6
"""The same beside relations, by which an expression is read in several ways."""
_UNITS = 1e6
"""Units of work in an effort of 1."""
_MOST_KNOWN = 2_000


@dataclass(frozen=True, slots=True)
class _Found:
    """A short form, with what it cost and the effort of a search that was cut short, 0 for one that was not."""

    form: Expr
    cost: float
    cut_at: float
    unread: bool = False
    """Whether the effort did not suffice for the fraction whose short forms are searched for."""

    def answers(self, effort: float, search: float) -> bool:
        """Say whether a new search with some effort, so much of it for searching, would find just this."""
        return self.cut_at == effort if self.cut_at else self.cost <= search


_known: dict[tuple[Expr, tuple[Expr, ...], float], _Found] = {}
"""Short forms found before, of expressions where others are zero, by what reading could take."""


@work.formerly(seconds="effort")
def normal(expression: Expr, effort: float = 2.0) -> Expr:
    """Return the normal form: one reduced fraction in sines, cosines and the other parts; zero is then a proof.

    It is equal to the expression wherever that is defined. Raises ``OutOfWork`` when it would take more effort or grow
    too large. Forms of different expressions are comparable only if the same angles occur in them; to compare two, take
    the normal form of their difference.

    >>> from dalembert.expr import cos, sin, symbol
    >>> x = symbol("x", domain="angle")
    >>> normal(sin(x) / (1 + cos(x)) - (1 - cos(x)) / sin(x))
    0
    """
    expect(expression, Expr, "normal takes an expression")
    (answer,) = unpack(ask("normal", [expression], effort, most_terms=_MOST_TERMS)[0])
    assert isinstance(answer, Expr)
    return answer


def proved_zero(expression: Expr, effort: float = 1.0) -> bool:
    """Say whether the normal form shows that an expression is zero; False also where the effort did not suffice."""
    if expression is ZERO:
        return True
    if len(postorder([expression])) > _MOST_NODES:
        return False
    try:
        return bool(ask("vanishes", [expression], effort, most_terms=_MOST_TERMS)[0][0])
    except DalembertError:
        return False


@work.formerly(seconds="effort")
def tidy(expression: Expr, effort: float = 2.0, *, modulo: Sequence[Expr] = ()) -> Expr:
    """Return the shortest form found with an effort: never longer than what came in, which comes back if need be.

    It is equal to the expression wherever that is defined: it may be defined at more points, as 1 is for x/x, never at
    fewer, and takes no sign for granted that is neither declared nor needed for the expression to be defined.

    >>> from dalembert.expr import cos, sin, symbol
    >>> x, y = symbol("x", domain="angle"), symbol("y", domain="angle")
    >>> tidy(sin(x) * cos(y) + cos(x) * sin(y))
    sin(x + y)
    >>> k = symbol("k", role="parameter")
    >>> tidy((x**2) ** k), tidy((x**2) ** k * x**k)
    ((x^2)^k, (x^k)^3)

    With polynomials that are zero, as on a sphere, it is equal to the expression where they are.

    >>> x, y, z = symbol("x"), symbol("y"), symbol("z")
    >>> tidy(k*x**2 + k*y**2 + z**2, modulo=[x**2 + y**2 + z**2 - 1])
    k + z^2*(1 - k)
    """
    expect(expression, Expr, "tidy takes an expression")
    return _tidied(expression, effort, _meeting(expression, modulo)).form


def _tidied(expression: Expr, effort: float, modulo: tuple[Expr, ...], reading: float = 1.0) -> _Found:
    """Return the shortest form found, where reading the expression as a fraction may take a part of the effort."""
    if expression.op in {"number", "symbol", "pi"} or len(postorder([expression])) > _MOST_NODES:
        return _Found(expression, 0.0, 0.0)
    search = (_SEARCHING_MODULO if modulo else _SEARCHING) * effort
    before = _known.get((expression, modulo, reading))
    if before is not None and before.answers(effort, search):
        work.charge(before.cost)  # what is remembered costs what it first did, or a second derivation would differ
        return before
    stops, began, unread = len(work.stops()), work.done(), False
    options = {"most_terms": _MOST_TERMS_SHORT, "search": search * _UNITS}
    try:
        if modulo:
            packed, _ = ask("shortest_modulo", [expression, *modulo], effort, **options)
        else:
            found, _ = ask("shortest", [expression], effort, **options, reading=reading * effort * _UNITS)
            packed, unread = found
        (form,) = unpack(packed)
        assert isinstance(form, Expr)
        # what was not read has only arguments of functions in other forms: no linear system is written out to count
        left = form is expression or (unread and has_kind([expression], SOLVES))
        fewer = not left and count([form]).total <= count([expression]).total
        short = form if fewer else expression
    except DalembertError as fault:
        short, unread = expression, isinstance(fault, OutOfWork)
    cost = work.done() - began
    answer = _Found(short, cost, 0.0 if cost <= search and not unread else effort, unread)
    if len(work.stops()) == stops:  # what the net has stopped may be found another time
        _remember((expression, modulo, reading), answer)
    return answer


def _meeting(expression: Expr, modulo: Sequence[Expr]) -> tuple[Expr, ...]:
    """Return the relations that say something of what an expression contains: the others are not worth their time."""
    present = symbols([expression]) if modulo else set()
    return tuple(relation for relation in modulo if not present.isdisjoint(_symbols_of(relation)))


@lru_cache(maxsize=1 << 12)
def _symbols_of(relation: Expr) -> frozenset[Symbol]:
    """Return what a relation contains: the same ones are asked of every part of a derivation."""
    return frozenset(symbols([relation]))


def _remember(question: tuple[Expr, tuple[Expr, ...], float], found: _Found) -> None:
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    _known[question] = found


class Tidying:
    """``tidy`` for the objects of one derivation: of those that differ by their names alone one is searched.

    >>> from dalembert.expr import symbol
    >>> x, y, z = symbol("x"), symbol("y"), symbol("z")
    >>> short = Tidying(0.3, [x**2 + y**2 + z**2 - 1])
    >>> short(x**2 + y**2), short(x**2 + z**2)
    (1 - z^2, 1 - y^2)
    """

    __slots__ = ("_alike", "effort", "modulo")

    def __init__(self, effort: float, modulo: Sequence[Expr] = ()) -> None:
        self.effort, self.modulo = effort, tuple(modulo)
        self._alike = Alike(self.modulo)

    def __call__(self, expression: Expr) -> Expr:
        """Return the shortest form found, or that of an expression like it, with the names exchanged."""
        return _searched_once(expression, self.effort, self.modulo, self._alike)[0]


def _searched_once(
    expression: Expr, effort: float, modulo: Sequence[Expr], alike: Alike, reading: float = 1.0
) -> tuple[Expr, float, bool]:
    """Return the form of an expression, the work it took, and whether it was not read.

    What is like another costs what that did, so that a budget is for as many formulas as if each were searched.
    """
    known = alike.form(expression)
    if known is not None:
        work.charge(known[1])
        return *known, False
    began = work.done()
    found = _tidied(expression, effort, _meeting(expression, modulo), reading)
    used = work.done() - began
    alike.remember(expression, found.form, used)
    return found.form, used, found.unread


# -- short formulas within a limit of work -------------------------------------------------------------------
_SMALL = 80
"""An expression with more nodes than this is left as it is,"""
_ONE = 0.15
"""and no expression gets more effort than this."""
_READING = 0.6
"""Which part of it may be for reading: what took more did not become short."""
_PATIENCE = 4
"""After so many that took most of their effort in vain no further one is tried."""


class SimplificationBudget:
    """Effort for short formulas, shared by all objects of a derivation; of those that are alike only one is searched.

    >>> from dalembert.expr import cos, sin, symbol
    >>> x = symbol("x", domain="angle")
    >>> SimplificationBudget(0.0)(sin(x)**2 + cos(x)**2)
    cos(x)^2 + sin(x)^2
    """

    __slots__ = ("_alike", "each", "failures", "largest", "left", "modulo", "reading", "unread")

    def __init__(
        self,
        effort: float,
        each: float = _ONE,
        largest: int = _SMALL,
        *,
        modulo: Sequence[Expr] = (),
        reading: float = _READING,
        unread: list[Expr] | None = None,
    ) -> None:
        self.left, self.each, self.largest = effort, each, largest
        self.modulo = tuple(modulo)
        """What is zero, as on a sphere."""
        self.reading = reading
        """Which part of its effort an expression may take before its short forms are searched for."""
        self.unread: list[Expr] = [] if unread is None else unread
        """What took more than that: nothing that is larger is tried."""
        self.failures = 0
        self._alike = Alike(self.modulo)

    def __call__(self, expression: Expr) -> Expr:
        """Return an expression in a shorter form, if there is effort left and it is small."""
        if self.left <= 0 or not expression.args or _is_larger(expression, self.largest):
            return expression
        if any(_is_within(known, expression) for known in self.unread):
            return expression
        form, used, unread = _searched_once(expression, self.each, self.modulo, self._alike, self.reading)
        if unread:
            self.unread.append(expression)
        self.left -= used
        if form is expression and used > self.each / 2:
            self.failures += 1
            self.left = 0.0 if self.failures > _PATIENCE else self.left
        return form

    def all(self, expressions: Iterable[Expr]) -> list[Expr]:
        """Return several in shorter form."""
        return [self(e) for e in expressions]


def _is_larger(expression: Expr, most: int) -> bool:
    """Say whether an expression has more nodes than so many; no more are looked at."""
    seen, left = {expression}, [expression]
    while left and len(seen) <= most:
        new = [a for a in left.pop().args if a not in seen]
        seen.update(new)
        left += new
    return len(seen) > most


def _is_within(small: Expr, large: Expr) -> bool:
    """Say whether an expression is no larger than another, as a graph and as a tree."""
    return len(postorder([small])) <= len(postorder([large])) and tree_size(small) <= tree_size(large)
