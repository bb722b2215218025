"""From text to expressions: ``scan`` makes tokens, Lark's LALR parser runs the grammar, ``Builder`` builds.

What each rule of the grammar makes of its parts is an expression, while the text is being parsed. The smart
constructors of the graph do the work; here is only what hostile text makes necessary: numbers are not allowed to grow,
work is counted *before* it is done, and every fault gets its place in the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Final

from dalembert.errors import ExpressionError, TextError, expect
from dalembert.expr.calculus import diff, time_derivative
from dalembert.expr.elementary import jet, power
from dalembert.expr.graph import ZERO, Expr, Number, number, product, symbol, total
from dalembert.expr.habits import ENTRIES
from dalembert.expr.symbols import Symbol
from dalembert.expr.text.scan import Limits, Source, Token, scan
from dalembert.expr.vocabulary import Vocabulary
from dalembert.expr.walk import postorder

_FACTORED_BITS: Final = 60
"""Beyond this a number under a root takes milliseconds to factor."""


class Builder:
    """One method per rule of the grammar. It keeps nothing, so one serves all texts; tokens know theirs."""

    def equation(self, parts: Sequence[Any]) -> tuple[Expr, Expr]:
        """Return both sides; an expression alone is set to zero."""
        return (parts[0], ZERO) if len(parts) == 1 else (parts[0], parts[2])

    def sum(self, parts: Sequence[Any]) -> Expr:
        """Return a chain of terms as one sum."""
        operators, terms = parts[1::2], parts[2::2]
        token: Token = operators[0]
        signed = [(1, parts[0])] + [
            (1 if operator.type == "PLUS" else -1, term) for operator, term in zip(operators, terms, strict=True)
        ]
        denominators = {_scale(term).denominator for _, term in signed}
        if sum(d.bit_length() for d in denominators) > 4 * token.source.limits.bits:
            raise token.fault("the fractions in this sum have too many different denominators.")
        return _kept_small(total(signed), token)

    def product(self, parts: Sequence[Any]) -> Expr:
        """Return a chain of factors and divisors as one product."""
        operators, others = parts[1::2], parts[2::2]
        token: Token = operators[0]
        factors = [(parts[0], 1)]
        for operator, factor in zip(operators, others, strict=True):
            if operator.type == "OVER" and factor is ZERO:
                raise operator.fault("division by zero.")
            factors.append((factor, 1 if operator.type == "TIMES" else -1))
        token.source.charge(sum(len(factor.args) for factor, _ in factors), token, "products")
        if sum(_bits(_scale(factor)) - 1 for factor, _ in factors) > token.source.limits.bits:
            raise token.fault("the numbers in this product have too many digits.")
        with _blamed(token):
            return _kept_small(product(factors), token)

    def sign(self, parts: Sequence[Any]) -> Expr:
        """Return a term with its sign."""
        operator, term = parts
        return term if operator.type == "PLUS" else total(((-1, term),))

    def power(self, parts: Sequence[Any]) -> Expr:
        """Return a power."""
        base, operator, exponent = parts
        return _power(base, exponent, operator)

    def number(self, parts: Sequence[Any]) -> Expr:
        """Return an exact constant."""
        return number(parts[0].value)

    def quantity(self, parts: Sequence[Any]) -> Expr:
        """Return the leaf for a name with its primes, or what a let stands for."""
        token: Token = parts[0]
        meaning, order = token.value
        if isinstance(meaning, Expr):
            for _ in range(order):
                _charge_derivative(meaning, token)
                meaning = time_derivative(meaning)
            return meaning
        if order and meaning.role != "variable":
            what = "time itself" if meaning.role == "time" else "a parameter"
            raise token.fault(f"'{meaning.name}' is {what}: it has no velocity.")
        return symbol(Symbol(meaning.name, order=order) if order else meaning)

    def call(self, parts: Sequence[Any]) -> Expr:
        """Return an elementary function of its argument."""
        token, *arguments = parts
        if len(arguments) != 1:
            raise token.fault(f"'{token.text}' takes 1 argument, not {len(arguments)}.")
        argument: Expr = arguments[0]
        if token.text in {"sqrt", "abs"}:
            square = _power(argument, number(2), token) if token.text == "abs" else argument
            return _power(square, number(Fraction(1, 2)), token)
        token.source.charge(len(argument.args), token, "functions")
        with _blamed(token):
            return token.value(argument)  # type: ignore[no-any-return]

    def function(self, parts: Sequence[Any]) -> Expr:
        """Return an unspecified function at its arguments."""
        token, *arguments = parts
        return _jet(token, (), arguments)

    def slots(self, parts: Sequence[Any]) -> Expr:
        """Return a derivative of an unspecified function by its slots, at its arguments."""
        numbers = [part for part in parts[2:] if isinstance(part, Token)]
        for token in numbers:
            if token.value.denominator != 1:
                raise token.fault(f"a slot must be a whole number, not {token.text}.")
        return _jet(parts[1], [int(token.value) for token in numbers], parts[2 + len(numbers) :])

    def diff(self, parts: Sequence[Any]) -> Expr:
        """Return a partial derivative."""
        token, expression, *variables = parts
        if not variables:
            raise token.fault("diff needs a variable, as in diff(x^2, x).")
        if any(variable.op != "symbol" for variable in variables):
            raise token.fault("diff differentiates with respect to names such as x, x' or t, not expressions.")
        by_time = any(variable.data.role == "time" for variable in variables)
        if by_time and expression.op == "symbol" and expression.data.role == "variable":  # 0 is never what was meant
            label = expression.data.label
            raise token.fault(f"diff is a partial derivative, and {label} is beside t in it: its rate is {label}'.")
        for variable in variables:
            _charge_derivative(expression, token)
            with _blamed(token):
                expression = diff(expression, variable)
        return _kept_small(expression, token)


@contextmanager
def _blamed(token: Token) -> Iterator[None]:
    """Give an error of the graph its place in the text."""
    try:
        yield
    except TextError:
        raise
    except ExpressionError as error:
        raise token.fault(str(error)) from None


def _jet(token: Token, slots: Sequence[int], arguments: Sequence[Expr]) -> Expr:
    function = token.value
    if len(arguments) != function.arity:
        plural = "argument" if function.arity == 1 else "arguments"
        raise token.fault(f"'{function.name}' takes {function.arity} {plural}, not {len(arguments)}.")
    with _blamed(token):
        return jet(function, arguments, slots)


def _power(base: Expr, exponent: Expr, token: Token) -> Expr:
    """Return a power, once it is clear that it is no absurd one."""
    source = token.source
    if exponent.op == "number":
        value = Fraction(exponent.data)
        if abs(value) > source.limits.exponent or value.denominator > 1000 * source.limits.exponent:
            raise token.fault(f"the exponent of a power must be at most {source.limits.exponent}.")
        size = _bits(_scale(base))
        if size > 1 and (size - 1) * abs(value) > source.limits.bits:
            raise token.fault("this power has too many digits.")
        if value.denominator != 1:
            source.charge(2000 if size > _FACTORED_BITS else 10, token, "roots")
        source.charge(len(base.args), token, "powers")
    with _blamed(token):
        return _kept_small(power(base, exponent), token)


def _scale(node: Expr) -> Number:
    """Return the number that a node brings into a sum or product: itself, or the one before it."""
    if node.op == "number":
        return node.data  # type: ignore[no-any-return]
    if node.op == "sum" and len(node.args) == 1 and not node.data[0]:
        return node.data[1][0]  # type: ignore[no-any-return]
    return 1


def _bits(value: Number) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _kept_small(node: Expr, token: Token) -> Expr:
    """Return a node just built, unless the numbers in it have grown too large."""
    limits = token.source.limits
    body = node
    if node.op in {"number", "sum"}:
        numbers = (node.data,) if node.op == "number" else (node.data[0], *node.data[1])
        if any(_bits(value) > limits.bits for value in numbers):
            raise token.fault("a number here has too many digits.")
        body = node.args[0] if len(node.args) == 1 else node
    if body.op == "product" and any(abs(e) > limits.exponent for e in body.data):
        raise token.fault(f"the exponent of a power must be at most {limits.exponent}.")
    return node


def _charge_derivative(expression: Expr, token: Token) -> None:
    """Count what differentiating once will handle: a product of n factors gives n products of n factors."""
    work = 0
    for node in postorder([expression]):
        work += len(node.args) if node.op in {"sum", "factor"} else 4 + len(node.args) ** 2
    token.source.charge(work, token, "derivatives")


_USUAL: Final = Limits()


def parse(text: str | Source, vocabulary: Vocabulary, limits: Limits = _USUAL) -> Expr:
    """Return the expression that a text means. Whatever is wrong with it is a ``TextError`` with its column.

    A :class:`Source` may stand for the text: it has limits of its own and says afterwards how much work is left.

    >>> words = Vocabulary.of("x", "m")
    >>> parse("m*x'^2/2 - 0.1*x", words)
    m*x'^2/2 - x/10
    >>> parse("m*z", words)
    Traceback (most recent call last):
    dalembert.errors.TextError: column 3: unknown name 'z'.
    """
    expect(text, str | Source, "an expression is read from text")
    expect(vocabulary, Vocabulary, "what names mean is said by a Vocabulary")
    expression: Expr = _read(text, vocabulary, limits, "expression")
    return expression


def parse_equation(text: str | Source, vocabulary: Vocabulary, limits: Limits = _USUAL) -> tuple[Expr, Expr]:
    """Return both sides of ``left = right``; a text without ``=`` means ``... = 0``.

    >>> parse_equation("x' = R*cos(psi)*psi'", Vocabulary.of("x psi", "R"))
    (x', R*psi'*cos(psi))
    """
    expect(text, str | Source, "an expression is read from text")
    expect(vocabulary, Vocabulary, "what names mean is said by a Vocabulary")
    sides: tuple[Expr, Expr] = _read(text, vocabulary, limits, "equation")
    return sides


def _read(text: str | Source, vocabulary: Vocabulary, limits: Limits, start: str) -> Any:
    if not isinstance(text, str | Source):
        raise TextError(f"an expression is read from text, not from {type(text).__name__}.")
    source = text if isinstance(text, Source) else Source(text, limits)
    tokens = scan(source, vocabulary)
    if not tokens:
        raise TextError("the text is empty; an expression is expected.", source.text, 1)
    kinds = [token.type for token in tokens]
    if start == "expression" and kinds in (["NUMBER"], ["MINUS", "NUMBER"]):  # to make the grammar takes much longer
        return number(tokens[-1].value if len(tokens) == 1 else -tokens[-1].value)
    from lark.exceptions import UnexpectedToken

    try:
        return _grammar().parse(tokens, start=start)
    except UnexpectedToken as error:
        raise _explained(error, tokens, start) from None


@cache
def _grammar() -> Any:
    """Return Lark's parser, which keeps nothing between texts. Importing Lark is put off until text is parsed."""
    from lark import Lark
    from lark.lexer import Lexer

    class Ready(Lexer):  # type: ignore[misc]
        """Passes on tokens that are there already."""

        def __init__(self, lexer_conf: Any) -> None:
            pass

        def lex(self, data: Sequence[Token]) -> Iterator[Token]:
            return iter(data)

    rules = Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    return Lark(rules, parser="lalr", lexer=Ready, transformer=Builder(), start=["expression", "equation"])


def _explained(error: Any, tokens: Sequence[Token], start: str) -> TextError:
    """Return the sentence for a token that the grammar does not allow where it stands."""
    place = next((i for i, token in enumerate(tokens) if token is error.token), len(tokens))
    last = tokens[-1]
    end = Token("END", "", last.at + len(last.text), last.source)
    token = tokens[place] if place < len(tokens) else end
    if place == 0:
        return token.fault(f"an expression is missing before '{token.text}'.")
    before = tokens[place - 1]
    opened = _enclosing(tokens[:place])
    if before.type in {"CALL", "FUNCTION", "DIFF"} and error.expected == {"_OPEN"}:
        argument = token.text if token.type in {"NUMBER", "QUANTITY"} else "..."
        return before.fault(f"'{before.text}' is a function: write {before.text}({argument}).")
    if error.expected == {"_OPEN"} or (opened and tokens[opened - 1].type == "SLOTS"):
        return token.fault("D takes an unspecified function, its slots, then its arguments, as in D(f, 1)(x).")
    if before.type in {"NUMBER", "QUANTITY", "_CLOSE"}:
        return token.fault(_after_operand(before, token, opened is not None, start))
    if before.text == token.text == "=":
        return token.fault("an equation is written with one '='.")
    if token is end:
        return token.fault(f"an expression is missing after '{before.text}'.")
    return token.fault(f"an expression is missing between '{before.text}' and '{token.text}'.")


def _enclosing(tokens: Sequence[Token]) -> int | None:
    """Return the place of the last bracket that is still open."""
    closed = 0
    for place in range(len(tokens) - 1, -1, -1):
        if tokens[place].type == "_CLOSE":
            closed += 1
        elif tokens[place].type == "_OPEN":
            if not closed:
                return place
            closed -= 1
    return None


def _after_operand(before: Token, token: Token, inside: bool, start: str) -> str:
    """Say why a token cannot follow a complete operand."""
    if token.type == "EQUALS":
        if inside:
            return "'=' cannot stand inside brackets."
        return (
            "'=' makes an equation, but an expression is expected."
            if start == "expression"
            else f"a second '='; {ENTRIES}."
        )
    if token.type == "_COMMA":
        said = "',' only stands between the arguments of a function"
        if before.type == "NUMBER" and not inside:
            return f"{said}; a decimal number has a point."
        return f"{said}; {ENTRIES}." if start == "equation" and not inside else f"{said}."
    if token.type == "_OPEN" and before.type == "QUANTITY":
        return f"'{before.text}' is not a function; write {before.text}*(...) for a product."
    return f"an operator is missing before '{token.text}'; write {before.text}*{token.text} for a product."
