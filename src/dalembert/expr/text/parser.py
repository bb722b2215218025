"""From text to expressions: ``scan`` makes tokens, Lark's LALR parser runs the grammar, ``Builder`` builds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from dalembert.errors import TextError, expect
from dalembert.expr.graph import Expr
from dalembert.expr.text.builder import Builder
from dalembert.expr.text.scan import Limits, Source, Token, scan
from dalembert.expr.vocabulary import Vocabulary

__all__ = ["parse", "parse_equation"]

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
    from lark.exceptions import UnexpectedToken

    if not isinstance(text, str | Source):
        raise TextError(f"an expression is read from text, not from {type(text).__name__}.")
    source = text if isinstance(text, Source) else Source(text, limits)
    tokens = scan(source, vocabulary)
    if not tokens:
        raise TextError("the text is empty; an expression is expected.", source.text, 1)
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
        return "'=' makes an equation, but an expression is expected." if start == "expression" else "a second '='."
    if token.type == "_COMMA":
        return "',' only stands between the arguments of a function."
    if token.type == "_OPEN" and before.type == "QUANTITY":
        return f"'{before.text}' is not a function; write {before.text}*(...) for a product."
    return f"an operator is missing before '{token.text}'; write {before.text}*{token.text} for a product."
