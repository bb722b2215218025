"""Expressions as lines of code: what is used more than once, or grows too long for a line, gets a name.

Names are those that a language allows: primes, spaces and Greek letters spelled, no keyword, no two alike.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from dalembert.errors import EvaluationError
from dalembert.expr.graph import Expr
from dalembert.expr.walk import Reader, evaluate, postorder
from dalembert.numerics.late import DIVISION, FUNCTION, OPERATION, Known, Part, late_last
from dalembert.numerics.scheduling import order_of_need
from dalembert.records import dataclass, field

# -- names ---------------------------------------------------------------------------------------------------
_PRIMES = {1: "_dot", 2: "_ddot"}


class Names:
    """Gives out identifiers, each once.

    >>> names = Names(["for", "t"])
    >>> [names.give(label) for label in ("x'", "x_dot", "for", "p.x", "t", "2 x''")]
    ['x_dot', 'x_dot_2', 'for_2', 'p_x', 't_2', 'v2_x_ddot']
    """

    def __init__(self, taken: Iterable[str]) -> None:
        """Begin with names that are not to be given out."""
        self.taken = set(taken)

    def give(self, label: str) -> str:
        """Return a new identifier that reminds of a label."""
        wanted = _spelled(label)
        name, number = wanted, 1
        while name in self.taken:
            number += 1
            name = f"{wanted}_{number}"
        self.taken.add(name)
        return name


def _spelled(label: str) -> str:
    """Return a label in letters, digits and underscores, beginning with a letter."""
    primes = len(label) - len(label.rstrip("'"))
    plain = "".join(_letter(c) for c in label.rstrip("'"))
    plain = re.sub(r"_+", "_", re.sub(r"\W", "_", plain, flags=re.ASCII)).strip("_") or "v"
    if not plain[0].isalpha():
        plain = f"v{plain}"
    return plain + (_PRIMES.get(primes, f"_d{primes}") if primes else "")


def _letter(character: str) -> str:
    """Return a letter of another alphabet by its name: the Greek alpha as ``alpha``."""
    if character.isascii():
        return character
    words = unicodedata.name(character, "").lower().split()
    return words[-1] if "letter" in words else "_"


# -- lines ---------------------------------------------------------------------------------------------------
_LONGEST = 100
"""A part longer than this gets a line of its own."""
_HIGHEST = 64
"""Whole powers up to this one are products."""
_ATOM, _POWER, _PRODUCT, _SUM = range(4)


@dataclass(frozen=True, slots=True)
class LinearDialect:
    """How a language solves a linear system whose pivots are chosen when there are numbers."""

    matrix: str
    """Lines that name a matrix, with ``{name}``, ``{rows}``, ``{order}`` (another name), ``{size}`` and ``{rank}``."""
    row: str
    """With ``{entries}``."""
    between: str
    """What stands between rows."""
    solve: str
    """Lines that name a solution, with ``{name}``, ``{matrix}``, ``{right}`` and the last three of the above."""
    basic: str
    """The same where the rank is less than the size."""
    assembled: str
    """Lines that name the solution of a system with few entries, with ``{name}``, ``{order}``, ``{size}``, ``{first}``
    (how many unknowns are given), ``{places}`` (row, column and entry in turn), ``{entries}`` and ``{right}``."""
    first: int = 0
    """The place of the first entry."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a language says things."""

    keywords: frozenset[str]
    assign: str
    """A line that gives a value a name, with ``{name}`` and ``{value}``."""
    functions: Mapping[str, str]
    """Names of ``sin cos exp log atan asin acos sqrt``."""
    power: str
    """With ``{base}`` and ``{exponent}``, both in brackets or atoms."""
    positive: str
    """``{value}`` where ``{base}``, a name, is positive, and elsewhere what is not a number."""
    linear: LinearDialect
    sincos: str = ""
    """A line that names sine and cosine together, with ``{sine}``, ``{cosine}`` and ``{angle}``, where there is one."""
    library: frozenset[str] = field(default_factory=frozenset)
    """Names that the written code uses itself."""
    keeps: bool = False
    """Whether what brings a state back to constraints is written too."""
    weak: str = ""
    """Whether ``{small}`` is not large enough beside ``{large}`` and ``{bound}``, where the language can branch."""


class _Text(NamedTuple):
    """Source text and how tightly it binds."""

    text: str
    level: int = _ATOM

    def within(self, level: int) -> str:
        """Return the text as a part of something that binds so tightly."""
        return f"({self.text})" if self.level > level else self.text


class _Matrix(NamedTuple):
    """A matrix that has a name; where its rank is less than its size a basic solution is meant."""

    name: str
    order: str
    size: int
    rank: int


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines that name parts, and the texts of the results."""

    lines: list[str]
    results: list[str]
    weak: list[str] = field(default_factory=list)
    """When they are not to be trusted."""


class _Line(NamedTuple):
    """A line, and what it names."""

    text: str
    names: tuple[str, ...]


def write_lines(roots: Sequence[Expr], inputs: Mapping[Expr, str], dialect: Dialect, names: Names) -> Lines:
    """Return code for expressions; ``inputs`` says what symbols are called."""
    writer = _Writer(roots, inputs, dialect, names.give)
    results = [value.text for value in evaluate(list(roots), writer)]
    return Lines(_in_order(writer.lines), results)


class _Writer(Reader[_Text]):
    """Reads a graph as source text; what is known last comes last, for compilers keep the order."""

    def __init__(
        self, roots: Sequence[Expr], inputs: Mapping[Expr, str], dialect: Dialect, give: Callable[[str], str]
    ) -> None:
        self.inputs, self.dialect, self.give = inputs, dialect, give
        self.lines: list[_Line] = []
        self.uses: Counter[Expr] = Counter(roots)
        self.known = Known()
        self.picked: set[tuple[Expr, int]] = set()
        divided: Counter[Expr] = Counter()
        for node in postorder(roots):
            self.uses.update(node.args)
            if node.op == "pick":
                self.picked.add((node.args[0], node.data))
            elif node.op == "product":
                divided.update(base for base, exponent in zip(node.args, node.data, strict=True) if exponent < 0)
        self.often = {base for base, times in divided.items() if times > 1}
        self.inverses: dict[Expr, _Text] = {}

    def _line(self, text: str) -> _Text:
        name = self.give(f"c{len(self.lines) + 1}")
        self.lines.append(_Line(self.dialect.assign.format(name=name, value=text), (name,)))
        return _Text(name)

    def _made(self, node: Expr, text: str, level: int) -> _Text:
        if self.uses[node] > 1 or len(text) > _LONGEST:
            return self._line(text)
        return _Text(text, level)

    def leaf(self, node: Expr) -> _Text:
        """Write a number, pi or a name."""
        if node.op == "number":
            return _number(node.data)
        if node.op == "pi":
            return _Text("3.141592653589793")
        if node not in self.inputs:
            raise EvaluationError(f"'{node.data.label}' has no value here: it is neither a variable nor a parameter.")
        return _Text(self.inputs[node])

    def sum(self, node: Expr, terms: Sequence[_Text]) -> _Text:
        """Write terms with their signs."""
        constant, coefficients = node.data
        parts = [Part(0, _number(abs(constant)), minus=constant < 0)] if constant else []
        for argument, coefficient, term in zip(node.args, coefficients, terms, strict=True):
            known, size = self.known.of(argument), abs(coefficient)
            fused = size != 1 or (argument.op == "product" and self.uses[argument] == 1)
            shown = term if size == 1 else self._times(term, _number(size))
            parts.append(Part(known + OPERATION * (size != 1), shown, minus=coefficient < 0, fused=fused))
        whole = late_last(parts, self._plus, self._less)
        self.known[node] = whole.known
        if whole.minus:
            return self._made(node, f"-{whole.value.within(_PRODUCT)}", _SUM)
        return self._made(node, *whole.value)

    def product(self, node: Expr, bases: Sequence[_Text]) -> _Text:
        """Write factors above and below one line of division."""
        above: list[Part[_Text]] = []
        below: list[Part[_Text]] = []
        for argument, base, exponent in zip(node.args, bases, node.data, strict=True):
            known, size = self.known.of(argument), Fraction(abs(exponent))
            if exponent < 0 and argument in self.often:  # divided by once for all
                if argument not in self.inverses:
                    self.inverses[argument] = self._line(f"1.0/{base.within(_POWER)}")
                above += self._power(Part(known + DIVISION, self.inverses[argument]), size)
            else:
                (above if exponent > 0 else below).extend(self._power(Part(known, base), size))
        over = late_last(above or [Part(0, _Text("1.0"))], self._times)
        if not below:
            self.known[node] = over.known
            return self._made(node, *over.value)
        under = late_last(below, self._times)
        self.known[node] = max(over.known, under.known) + DIVISION
        return self._made(node, f"{over.value.within(_PRODUCT)}/{under.value.within(_POWER)}", _PRODUCT)

    def _plus(self, late: _Text, early: _Text) -> _Text:
        return _Text(f"{early.text} + {self._within(late, _PRODUCT)}", _SUM)

    def _less(self, whole: _Text, part: _Text) -> _Text:
        return _Text(f"{whole.text} - {self._within(part, _PRODUCT)}", _SUM)

    def _times(self, late: _Text, early: _Text) -> _Text:
        return _Text(f"{self._within(early, _PRODUCT)}*{self._within(late, _POWER)}", _PRODUCT)

    def _within(self, part: _Text, level: int) -> str:
        """Return a part in brackets if it needs them; a long one has a name, for brackets in brackets are limited."""
        if part.level > level and len(part.text) > _LONGEST:
            part = self._line(part.text)
        return part.within(level)

    def _power(self, base: Part[_Text], exponent: Fraction) -> list[Part[_Text]]:
        """Return the factors of a positive power; what is repeated must be a name."""
        known, name = base.known, base.value
        if exponent == 1:
            return [base]
        if exponent.denominator > 2 or exponent > _HIGHEST:
            text = self.dialect.power.format(base=name.within(_ATOM), exponent=_number(exponent).within(_ATOM))
            return [Part(known + FUNCTION, _Text(text, _POWER))]
        root = f"{self.dialect.functions['sqrt']}({name.text})"
        factors = [Part(known + DIVISION, _Text(root))] if exponent.denominator == 2 else []
        whole = int(exponent)
        while whole > 3:  # by squares
            factors += [Part(known, name)] if whole & 1 else []
            name, known = self._line(f"{name.within(_ATOM)}*{name.within(_ATOM)}"), known + OPERATION
            whole >>= 1
        if whole > 1 and not name.text.isidentifier():
            name = self._line(name.text)
        return [*factors, *[Part(known, name)] * whole]

    def power(self, node: Expr, base: _Text, exponent: _Text) -> _Text:
        """Write a power whose exponent varies; there is none of what is not positive, also for a whole exponent."""
        self.known.slow(node)
        constant = not node.args[0].args and node.args[0].op != "symbol"
        name = base if constant or base.text.isidentifier() else self._line(base.text)
        value = self.dialect.power.format(base=name.within(_ATOM), exponent=exponent.within(_ATOM))
        text = value if constant else self.dialect.positive.format(base=name.text, value=value)
        return self._made(node, f"({text})", _ATOM)

    def call(self, node: Expr, value: _Text) -> _Text:
        """Write an elementary function."""
        self.known.slow(node)
        return self._made(node, f"{self.dialect.functions[node.data]}({value.text})", _ATOM)

    def jet(self, node: Expr, arguments: Sequence[_Text]) -> _Text:
        """Refuse: a function without a value cannot be written."""
        raise EvaluationError(f"the function '{node.data[0].name}' has no value; give it one before code is written.")

    def sincos(self, node: Expr, angle: _Text) -> Sequence[_Text]:
        """Write sine and cosine, on a line each: they are nearly always used again."""
        self.known.slow(node)
        if angle.level != _ATOM:
            angle = self._line(angle.text)
        if not self.dialect.sincos:
            texts = [f"{self.dialect.functions[name]}({angle.text})" for name in ("sin", "cos")]
            return [self._line(text) if (node, k) in self.picked else _Text(text) for k, text in enumerate(texts)]
        sine, cosine = (self.give(f"{name}{len(self.lines) + 1}") for name in "sc")
        text = self.dialect.sincos.format(sine=sine, cosine=cosine, angle=angle.text)
        self.lines.append(_Line(text, (sine, cosine)))
        return [_Text(sine), _Text(cosine)]

    def factor(self, node: Expr, entries: Sequence[_Text]) -> _Matrix:
        """Name a matrix, which is solved with pivots chosen by size."""
        self.known.slow(node)
        return self._matrix(entries, node.data, node.data)

    def _matrix(self, entries: Sequence[_Text], size: int, rank: int) -> _Matrix:
        say, place = self.dialect.linear, len(self.lines) + 1
        found = _Matrix(self.give(f"a{place}"), self.give(f"o{place}"), size, rank)
        rows = [entries[i : i + size] for i in range(0, len(entries), size)]
        texts = [say.row.format(entries=", ".join(entry.text for entry in row)) for row in rows]
        text = say.matrix.format(rows=say.between.join(texts), **found._asdict())
        self.lines.append(_Line(text, (found.name, found.order)))
        return found

    def solve(self, node: Expr, factor: _Matrix, rhs: Sequence[_Text]) -> Sequence[_Text]:
        """Name a solution; its parts are used by their places."""
        self.known.slow(node)
        say, name = self.dialect.linear, self.give(f"x{len(self.lines) + 1}")
        how = say.solve if factor.rank == factor.size else say.basic
        right, known = ", ".join(b.text for b in rhs), factor._asdict()
        text = how.format(**{**known, "name": name, "matrix": factor.name, "right": right})
        self.lines.append(_Line(text, (name,)))
        return [_Text(f"{name}[{say.first + k}]") for k in range(factor.size)]

    def basic(self, node: Expr, values: Sequence[_Text]) -> Sequence[_Text]:
        """Solve a system whose rank may be less than its size."""
        size, rank = node.data
        return self.solve(node, self._matrix(values[: size * size], size, rank), values[size * size :])

    def assembled(self, node: Expr, values: Sequence[_Text]) -> Sequence[_Text]:
        """Name the solution of a system with few entries: to put the given unknowns in is left to a loop."""
        self.known.slow(node)
        size, first, places = node.data
        say, at = self.dialect.linear, len(self.lines) + 1
        name, order = self.give(f"x{at}"), self.give(f"o{at}")
        texts = [value.text for value in values]
        entries, right = (", ".join(part) for part in (texts[:-size], texts[-size:]))
        numbers = ", ".join(map(str, places))
        text = say.assembled.format(
            name=name, order=order, size=size, first=first, places=numbers, entries=entries, right=right
        )
        self.lines.append(_Line(text, (name, order)))
        return [_Text(f"{name}[{say.first + k}]") for k in range(size)]


_AHEAD = 200
"""So few operations a processor sees at once, and their lines stay as a reader expects them."""
_NAME = re.compile(r"[A-Za-z_]\w*")
_SIGN = re.compile(r"[-+*/]")
_CALL = re.compile(r"\w\(")


def _in_order(lines: Sequence[_Line]) -> list[str]:
    """Return the lines so that what the longest chain waits for comes first; a line waits for the names in it."""
    work = [len(_SIGN.findall(text)) for text, _ in lines]
    if sum(work) <= _AHEAD:
        return [text for text, _ in lines]
    place: dict[str, int] = {}
    needs: list[set[int]] = []
    cycles: list[int] = []
    for i, (text, names) in enumerate(lines):
        needs.append({place[name] for name in _NAME.findall(text) if name in place})
        place.update(dict.fromkeys(names, i))
        takes = FUNCTION if _CALL.search(text) else DIVISION if "/" in text else 0
        cycles.append(max(takes, OPERATION * work[i].bit_length()))
    return [lines[i].text for i in order_of_need(needs, cycles, work)]


def _number(value: int | Fraction) -> _Text:
    """Return a number rounded once to a double, written so that it is read back as the same."""
    try:
        text = repr(float(value))
    except OverflowError:
        raise EvaluationError("a constant of the equations is too large for double precision.") from None
    return _Text(text, _SUM if value < 0 else _ATOM)
