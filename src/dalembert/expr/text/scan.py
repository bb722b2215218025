"""The one scan over a text before it is parsed: into tokens, names looked up, brackets matched, limits kept.

It is linear in the length of the text. What comes out is harmless for the parser, whatever went in.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Final

from dalembert.errors import TextError
from dalembert.expr.habits import advice_about_a_character
from dalembert.expr.symbols import Function
from dalembert.expr.vocabulary import ELEMENTARY, LONGEST_NAME, RESERVED, Vocabulary, is_name, spelled
from dalembert.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a text may ask for. The defaults keep any text, however hostile, well under a second.

    For text that one has printed oneself and that is longer, pass larger ones.
    """

    length: int = 20_000
    """Characters in the text."""
    depth: int = 100
    """Brackets inside brackets."""
    signs: int = 20
    """Signs in a row."""
    primes: int = 10
    """Primes after a name."""
    digits: int = 500
    """Digits of a number as written; Python itself reads up to 4300."""
    decimal_exponent: int = 400
    """The 3 in ``1e-3``."""
    exponent: int = 1000
    """Size of a number in the exponent of a power; its denominator may be a thousand times that."""
    bits: int = 4096
    """Size of numerators and denominators of what is computed exactly."""
    work: int = 30_000
    """Parts of expressions handled by derivatives and products, up to 10 microseconds each."""


class Source:
    """A text that is being read: says where a fault is, and counts the work done for it."""

    __slots__ = ("_work", "limits", "text")

    def __init__(self, text: str, limits: Limits) -> None:
        self.text = text
        self.limits = limits
        self._work = limits.work

    @property
    def work_left(self) -> int:
        """How much of the work allowed has not been used, for texts that share one allowance."""
        return max(self._work, 0)

    def fault(self, message: str, at: int) -> TextError:
        """Return the error for a place counted from 0."""
        return TextError(message, self.text, at + 1)

    def charge(self, work: int, token: Token, what: str) -> None:
        """Refuse to go on when a text asks for too much work."""
        self._work -= work
        if self._work < 0:
            raise token.fault(f"the {what} here grow too large; build them from smaller parts.")


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a text: its kind as the grammar calls it, how it is written, where (from 0), and what it means."""

    type: str
    text: str
    at: int
    source: Source = field(repr=False)
    value: Any = None

    # Lark copies these to the token for the end of the text; places are in ``at``.
    start_pos = line = column = end_line = end_column = end_pos = 0

    def fault(self, message: str) -> TextError:
        """Return the error for this place."""
        return self.source.fault(message, self.at)


_TOKEN: Final = re.compile(
    r"""(?P<space>[ \t\r\n]+)
      | (?P<name>[^\W\d_]\w*(?:\.[^\W\d_]\w*)?)(?P<primes>'*)
      | (?P<mantissa>[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE](?P<exponent>[+-]?[0-9]+))?
      | (?P<operator>\*\*|[-+*/^(),=])""",
    re.VERBOSE,
)
_GLUED: Final = re.compile(r"[\w.]+")
_OPERATORS: Final = {
    "+": "PLUS", "-": "MINUS", "*": "TIMES", "/": "OVER", "^": "POWER", "**": "POWER", "(": "_OPEN", ")": "_CLOSE",
    ",": "_COMMA", "=": "EQUALS",
}  # fmt: skip
_INSTEAD: Final = {
    "−": "-", "–": "-", "—": "-", "×": "*", "·": "*", "⋅": "*", "∗": "*", "÷": "/", "∕": "/",  # noqa: RUF001
    "’": "'", "′": "'", "‘": "'", "`": "'", "´": "'", '"': "''", "″": "''", "“": "''", "”": "''",  # noqa: RUF001
    "[": "(", "]": ")", "{": "(", "}": ")", "（": "(", "）": ")", "²": "^2", "³": "^3", "½": "1/2",  # noqa: RUF001
    "√": "sqrt(...)", "∂": "diff(..., x)", ":": "/", "|": "abs(...)",
}  # fmt: skip
"""Characters that people write, and what to write here."""


def scan(source: Source, vocabulary: Vocabulary) -> list[Token]:
    """Return the tokens of a text; everything about it that can be said without its grammar is refused here."""
    text, limits = source.text, source.limits
    if len(text) > limits.length:
        raise TextError(f"the text has {len(text)} characters; the most is {limits.length}.", text)
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise source.fault(_stray(text[at], tokens, at), at)
        if match["operator"] is not None:
            tokens.append(Token(_OPERATORS[match[0]], match[0], at, source))
        elif match["name"] is not None:
            tokens.append(_word(source, match, vocabulary))
        elif match["mantissa"] is not None:
            tokens.append(_number(source, match, vocabulary))
        at = match.end()
    _match_brackets(tokens, limits.depth)
    _count_signs(tokens, limits.signs)
    return tokens


def _stray(character: str, tokens: list[Token], at: int) -> str:
    """Say what is wrong with a character that begins no token."""
    if character == "'":
        last = tokens[-1] if tokens else None
        if last and last.type == "QUANTITY" and last.at + len(last.text) < at:
            return f"a prime follows the name at once, without a space: write {last.text}'."
        return "a prime ' stands behind the name of a variable, as in x'."
    if character in _INSTEAD:
        return f"'{character}' has no meaning here; write {_INSTEAD[character]} instead."
    visible = unicodedata.category(character)[0] in "LNPS"  # no blanks, no control characters, no loose accents
    shown = f"'{character}'" if visible else f"U+{ord(character):04X}"
    advice = advice_about_a_character(character)
    return f"the character {shown} has no meaning here" + (f"; {advice}." if advice else ".")


def _word(source: Source, match: re.Match[str], vocabulary: Vocabulary) -> Token:
    """Return the token for a name: a quantity (with its primes), or one of the kinds of functions."""
    name, order = match["name"], len(match["primes"])
    start = match.start()
    if len(name) > LONGEST_NAME:
        raise source.fault(f"a name of {len(name)} characters is too long; the most is {LONGEST_NAME}.", start)
    for i, character in enumerate(name):
        if character != "." and not is_name(
            "x" + character
        ):  # a letter may be followed by what looks like a digit and is none
            raise source.fault(_stray(character, [], start + i), start + i)
    name = spelled(name)
    if order > source.limits.primes:
        raise source.fault(f"'{name}' has {order} primes; the most is {source.limits.primes}.", match.end("name"))
    if name in _WORDS and not order and _OPENS.match(source.text, match.end()):
        return Token(_WORDS[name], name, start, source)  # also where a quantity has that name
    meaning = vocabulary.find(name)
    if meaning is not None and not isinstance(meaning, Function):
        return Token("QUANTITY", match[0], start, source, (meaning, order))
    if order and (meaning is not None or name in ELEMENTARY or name in _WORDS):
        raise source.fault(f"'{name}' is a function: a prime stands behind the name of a variable.", match.end("name"))
    if meaning is not None:
        return Token("FUNCTION", name, start, source, meaning)
    if name in ELEMENTARY:
        return Token("CALL", name, start, source, ELEMENTARY[name])
    if name in _WORDS:
        return Token(_WORDS[name], name, start, source)
    raise source.fault(vocabulary.unknown(name, source.text[:start]), start)


_WORDS: Final = {"D": "SLOTS", "diff": "DIFF"}
_OPENS: Final = re.compile(r"[ \t\r\n]*\(")


def _number(source: Source, match: re.Match[str], vocabulary: Vocabulary) -> Token:
    """Return the token for a number, exact."""
    start, limits = match.start(), source.limits
    glued = _GLUED.match(source.text, match.end())
    if glued:
        if _is_unknown(glued[0], vocabulary):
            raise source.fault(vocabulary.unknown(glued[0], match[0]), match.end())
        raise source.fault(*_not_a_number(match[0], glued[0], start))
    if len(match["mantissa"]) > limits.digits:
        raise source.fault(
            f"a number of {len(match['mantissa'])} digits is too long; the most is {limits.digits}.", start
        )
    exponent = match["exponent"] or "0"
    size = exponent.lstrip("+-").lstrip("0") or "0"
    if len(size) > 9 or int(size) > limits.decimal_exponent:
        raise source.fault(f"the exponent of a decimal number must be at most {limits.decimal_exponent}.", start)
    value = Fraction(match["mantissa"]) * Fraction(10) ** (-int(size) if exponent[0] == "-" else int(size))
    return Token("NUMBER", match[0], start, source, value)


def _is_unknown(name: str, vocabulary: Vocabulary) -> bool:
    """Say whether what stands at once behind a number could be a name, and is none, as the s of 10s."""
    return is_name(name) and name not in {"e", "E"} and vocabulary.find(name) is None and name not in RESERVED


def _not_a_number(number: str, rest: str, start: int) -> tuple[str, int]:
    """Say what is wrong with a number that goes on in letters or points, and where."""
    if rest in {"e", "E"}:
        return f"'{number}{rest}' is not a number: its exponent has no digits.", start
    if is_name(rest) and number.isdigit():
        return f"an operator is missing before '{rest}'; write {number}*{rest} for a product.", start + len(number)
    shown = number + rest if len(number + rest) <= LONGEST_NAME else number[:20] + "..."
    return f"'{shown}' is not a number.", start


def _match_brackets(tokens: Iterable[Token], most: int) -> None:
    opened: list[Token] = []
    for token in tokens:
        if token.type == "_OPEN":
            opened.append(token)
            if len(opened) > most:
                raise token.fault(f"brackets are nested more than {most} deep.")
        elif token.type == "_CLOSE":
            if not opened:
                raise token.fault("this ')' closes nothing; remove it, or open a '(' before it.")
            opened.pop()
    if opened:
        raise opened[-1].fault("this '(' is never closed; a ')' is missing.")


def _count_signs(tokens: Iterable[Token], most: int) -> None:
    run = 0
    for token in tokens:
        run = run + 1 if token.type in {"PLUS", "MINUS"} else 0
        if run > most:
            raise token.fault(f"there are more than {most} signs in a row.")
