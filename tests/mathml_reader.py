"""Reads MathML back to expressions, by what stands on the page: rows are not brackets, only brackets are.

Where a reader of the page could go wrong, this one refuses: a number behind an invisible product sign, a function
without brackets before a factor, a power of something that does not hold together.
"""

from fractions import Fraction
from xml.etree import ElementTree as ET

from dalembert.expr import PI, Expr, Function, absolute, acos, asin, atan, cos, exp, jet, log, number, power, sin, tan
from dalembert.expr.display import mathml

NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"
TIMES, APPLY, MINUS, DOT = "\u2062", "\u2061", "\u2212", "\u22c5"
CALLS = {"sin": sin, "cos": cos, "tan": tan, "log": log, "arctan": atan, "arcsin": asin, "arccos": acos, "exp": exp}
_BRACKETS = {"(": ")", "|(": "|)"}
PRIMES = {"\u2032": 1, "\u2033": 2, "\u2034": 3}


def tag(element):
    return element.tag.removeprefix(NAMESPACE)


def parsed(source):
    return ET.fromstring(source)


def look(*elements):
    """Return what elements look like, as a key."""
    return tuple(ET.tostring(e, encoding="unicode") for e in elements)


class Reader:
    """Reads elements; names are those of the leaves and functions it is given, and of parts defined on the way."""

    def __init__(self, leaves: list[Expr], functions: list[Function]):
        self.names = {}
        for leaf in leaves:
            (element,) = parsed(mathml(leaf))
            self.define(element, leaf)
        self.functions = {f.name: f for f in functions}

    def define(self, element, value):
        self.names[look(*element) if tag(element) == "msub" else look(element)] = value

    def math(self, source: str) -> Expr:
        (element,) = parsed(source)
        return self.element(element)

    def element(self, e) -> Expr:
        return _Row(self, [e]).whole()

    def single(self, e) -> Expr:
        """Read an element that is no row and no sign."""
        kind, inside = tag(e), list(e)
        if kind == "mn":
            return number(int(e.text))
        if kind == "mfrac":
            return self.element(inside[0]) / self.element(inside[1])
        if kind == "msqrt":
            return power(_Row(self, inside).whole(), Fraction(1, 2))
        if kind == "mroot":
            return power(self.element(inside[0]), Fraction(1, int(inside[1].text)))
        if kind == "mi" and e.text == "π":
            return PI
        if kind == "msup":
            if tag(inside[0]) == "mi" and inside[0].text == "e":
                return exp(self.element(inside[1]))
            return power(_Row(self, [inside[0]]).closed(), self.element(inside[1]))
        if kind == "msubsup":
            return power(self.value(look(*inside[:2])), self.element(inside[2]))
        return self.value(look(*inside) if kind == "msub" else look(e))

    def value(self, key) -> Expr:
        found = self.names[key]
        return found() if callable(found) else found


class _Row:
    """The tokens of a row, rows inside it opened, read from left to right."""

    def __init__(self, reader, elements):
        self.reader, self.at = reader, 0
        self.tokens = []  # elements, and signs as strings; bars as "|(" and "|)"
        for e in elements:
            self.open(e)

    def open(self, e):
        if tag(e) == "mrow":
            bars = [c for c in e if tag(c) == "mo" and c.text == "|"]
            for c in e:
                if c in bars:
                    self.tokens.append("|(" if c is bars[0] else "|)")
                else:
                    self.open(c)
        elif tag(e) == "mo":
            self.tokens.append(e.text)
        elif tag(e) != "mspace":
            self.tokens.append(e)

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self, expected=None):
        token = self.peek()
        assert expected is None or token == expected, (expected, token, self.tokens)
        self.at += 1
        return token

    def whole(self):
        value = self.sum()
        assert self.peek() is None, self.tokens
        return value

    def closed(self):
        """Read what holds together by itself: one token, a bracket, a function of brackets."""
        value = self.factor()
        assert self.peek() is None, self.tokens
        return value

    def sum(self):
        negative = self.peek() == MINUS
        if negative:
            self.take()
        value = -self.product() if negative else self.product()
        while self.peek() in {"+", MINUS}:
            value = value + self.product() if self.take() == "+" else value - self.product()
        return value

    def product(self):
        value = self.factor()
        while self.peek() in {TIMES, DOT, "/"}:
            sign = self.take()
            begins_with_digit = not isinstance(self.peek(), str) and _first(self.peek()) == "mn"
            assert sign != TIMES or not begins_with_digit, self.tokens
            value = value / self.factor() if sign == "/" else value * self.factor()
        return value

    def factor(self):
        token = self.take()
        if token in _BRACKETS:
            value = self.sum()
            self.take(_BRACKETS[token])
            return absolute(value) if token == "|(" else value  # noqa: S105
        name, exponent = _call(token)
        if name:
            self.take(APPLY)
            return power(CALLS[name](self.argument()), exponent)
        if self.peek() in {APPLY, *PRIMES} or _is_derivative(token):
            return self.jet(token)
        return self.reader.single(token)

    def argument(self):
        if self.peek() == "(":
            return self.factor()
        value = self.reader.single(self.take())
        if self.peek() == TIMES:
            after = self.tokens[self.at + 1]
            assert _call(after)[0] or _is_derivative(after), "a function without brackets before a factor"
        return value

    def jet(self, token):
        slots = []
        while _is_derivative(token):
            _, slot, *times = token
            slots += [int(slot.text)] * (int(times[0].text) if times else 1)
            if self.peek() == APPLY:
                self.take()
            token = self.take()
        if self.peek() in PRIMES:
            slots += [1] * PRIMES[self.take()]
        if tag(token) == "msup":  # a derivative of high order
            slots += [1] * int("".join(token[1].itertext()).strip("()"))
            token = token[0]
        self.take(APPLY)
        self.take("(")
        arguments = [self.sum()]
        while self.peek() == ",":
            self.take()
            arguments.append(self.sum())
        self.take(")")
        return jet(self.reader.functions[token.text], arguments, slots)


def _call(token):
    """Return the name and the exponent of an elementary function, if the token is one."""
    exponent = 1
    if not isinstance(token, str) and tag(token) == "msup" and tag(token[0]) == "mi" and token[0].text in CALLS:
        token, exponent = token[0], int(token[1].text)
    name = None if isinstance(token, str) or tag(token) != "mi" else token.text
    return (name if name in CALLS else None), exponent


def _is_derivative(token):
    return not isinstance(token, str) and tag(token) in {"msub", "msubsup"} and token[0].text == "∂"


def _first(e):
    return _first(e[0]) if tag(e) in {"msup", "msub", "msubsup"} else tag(e)


def read_equations(reader: Reader, source: str) -> list[tuple[str, Expr]]:
    """Return the equations of a table, (look of the left side, right side), with the named parts put in."""
    (table,) = parsed(source)
    lines = [tuple(cell[0] for cell in line) for line in table]
    joined = []
    for left, right in lines:
        if len(left) == 0 and tag(left) == "mrow" and joined:
            joined[-1][1].extend(list(right)[1:])  # what stands behind the wide space goes on with the line above
        elif tag(left) != "mtext":
            joined.append((left, list(right)))
    known = {}
    for left, (equals, *rest) in joined:
        assert equals.text == "="
        key = look(*left) if tag(left) == "msub" else look(left)
        if key not in known:
            known[key] = rest
            reader.names[key] = _Once(reader, rest)
    return [(look(left)[0], _Row(reader, rest[1:]).whole()) for left, rest in joined]


class _Once:
    """A named part, read when it is first used."""

    def __init__(self, reader, elements):
        self.reader, self.elements, self.value = reader, elements, None

    def __call__(self):
        if self.value is None:
            self.value = _Row(self.reader, self.elements).whole()
        return self.value
