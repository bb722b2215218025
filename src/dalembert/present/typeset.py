"""Sentences with the mathematics in them typeset: ``p_1' = a m xi_2^2`` in a claim looks as it does in an equation.

Claims are sentences with formulas as one types them. What is surely mathematics, a letter with an index, a power, an
equation between letters and numbers, is laid out; every other word stays as it is. Nothing is evaluated here, and what
is laid out has the letters of the text in their order.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from html import escape
from itertools import pairwise
from typing import Final

from dalembert.expr.display.layout import Layout
from dalembert.expr.display.names import LETTERS, identifier, label_part
from dalembert.expr.display.records import (
    Call,
    Fenced,
    FunctionName,
    Identifier,
    Number,
    Operator,
    Part,
    Root,
    Row,
    Scripts,
    Sign,
    raised,
    row,
)
from dalembert.expr.display.unicode import unicode_part
from dalembert.expr.display.writers import LatexWriter, MathmlWriter
from dalembert.present.bibliography import escaped
from dalembert.records import dataclass, replace

_NAME: Final = re.compile(r"[^\W\d_][^\W_]*(?:_[^\W_]+)*(?:\.(?:[a-z]\d+|[xyz](?!\w)))?(?:'+(?!\w))?")
"""A letter with its index, a part of a rotation or direction, and its dots."""
_PARTIAL: Final = re.compile(r"d/d([^\W\d_][^\W_]*(?:_[^\W_]+)*)(?!\w)")
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?!\w)")
_FUNCTIONS: Final = frozenset(
    ("sin", "cos", "tan", "exp", "log", "sqrt", "atan", "asin", "acos", "sinh", "cosh", "tanh")
)
_WORDS: Final = frozenset(
    (
        "a", "A", "an", "and", "are", "all", "any", "as", "at", "be", "but", "by", "can", "do", "for", "had", "has",
        "he", "I", "if", "in", "is", "it", "its", "let", "may", "no", "nor", "not", "of", "off", "on", "one", "or",
        "our", "out", "per", "see", "set", "so", "sum", "the", "they", "this", "to", "two", "up", "was", "we", "who",
        "why", "yes", "yet", "you",
    )
)  # fmt: skip
"""Short words that are no letters of a formula; those that can be either are, beside a sign."""
_EITHER: Final = frozenset({"a", "A", "I"})
_SIGNS: Final[dict[str, Sign]] = {"+": "plus", "-": "minus", "=": "equals", "/": "slash", "*": "times"}
_SIGN: Final = re.compile(r" ?([-+=/*]) ?|( )(?=d/d[^\W\d_])")
"""A sign between two parts; none before a coordinate field, which is multiplied."""
_BREAKS: Final = (Operator("plus"), Operator("minus"), Operator("equals"))
"""A line may be broken before these."""
_MARK: Final = re.compile(r"\*(?![\w(])|~")
"""L* and g~."""
_INDEXED: Final = re.compile(r"[^\W\d_]+\^[^\W_]+_[^\W_]+(?!\w)")
_FIELD: Final = re.compile(rf"d/d({_NAME.pattern})(?!\w)")
"""A coordinate field, d/dx."""
_TURNED: Final = re.compile(r"\b([A-Z]\w*|[a-z]\d*) (left|right) ([123])\b")
"""A rotation or direction that is turned, as ``check --that`` reads it."""
_RUN: Final = re.compile(r"\S+(?: [-+=] \S+)*")
_TIMES: Final = re.compile(r"[\w)]\*[^\W\d_]|[^\W\d_]\w*\*[\w(]")
"""A product of things that are named: whatever stands between signs beside it is a formula too, words and all."""
_SHORT: Final = 3
"""A word of so many letters may be a name beside a sign."""
_DEEPEST: Final = 30
_LONGEST: Final = 1_500
"""Letters of a sentence that is typeset."""
_NEGATIVE: Final = re.compile(r"(?<![^\s(])-(?=\d)")
"""The sign of a number."""
_UNBROKEN: Final = 30
"""Letters without a space, as they are typed, that stand in one line; longer ones may be broken"""
_AFTER: Final = re.compile(r"([*/(,)])(?=.)")
"""after these."""
_WIDEST: Final = 60
"""Letters of a formula in a sentence, or of a term where lines are broken; a longer one is left as it is typed."""


def typeset_html(words: str, letters: Collection[str] = ()) -> str:
    """Return a sentence in HTML; some words may be letters of formulas in it.

    >>> typeset_html("the energy is conserved & so on")
    'the energy is conserved &amp; so on'
    >>> typeset_html("joint 'C' of x'")
    'joint &#x27;<math><mi>C</mi></math>&#x27; of <math><mover><mi>x</mi><mo>.</mo></mover></math>'
    >>> typeset_html("along d/dx")
    'along <math><msub><mi>∂</mi><mi>x</mi></msub></math>'
    >>> typeset_html("where x = 2")
    'where <math><mrow><mi>x</mi><mo>=</mo><mn>2</mn></mrow></math>'
    >>> typeset_html("at n.y' = 1")
    'at <math><mrow><msub><mover><mi>n</mi><mo>.</mo></mover><mi>y</mi></msub><mo>=</mo><mn>1</mn></mrow></math>'
    >>> typeset_html("A, tilt (angle)", {"A", "tilt"})
    '<math><mi>A</mi></math>, <math><mi>tilt</mi></math> (angle)'
    """
    writer = MathmlWriter(Layout([]))
    return "".join(
        escape(one.replace(" -> ", " \u2192 ")) if isinstance(one, str) else f"<math>{writer.write(one)}</math>"
        for one in typeset(words, letters, broken=True)
    )


def typeset_latex(words: str) -> str:
    r"""Return a sentence in LaTeX.

    >>> print(typeset_latex("it is 100% of p_1' = a*m*xi_2^2"))
    it is 100\% of $\dot{p}_1= a m \xi_2^2$
    >>> print(typeset_latex("the momentum of -y d/dx + x d/dtheta1"))
    the momentum of $-y \partial_x + x \partial_{\theta_1}$
    """
    writer = LatexWriter(Layout([]))
    return "".join(
        _kept(one) if isinstance(one, str) else f"${writer.write(one)}$" for one in typeset(words, broken=True)
    )


def typeset_unicode(words: str, letters: Collection[str] = ()) -> str:
    """Return a sentence for a terminal.

    >>> typeset_unicode("it is 100% of p_1' = a*m*xi_2^2, along d/dx")
    'it is 100% of ṗ₁ = a·m·ξ₂², along ∂/∂x'
    >>> typeset_unicode("the motion of L*, at -4/3")
    'the motion of L*, at −4/3'
    """
    shown = (
        _NEGATIVE.sub("\N{MINUS SIGN}", one) if isinstance(one, str) else unicode_part(one)
        for one in typeset(words, letters, widest=_LONGEST)
    )
    return "".join(shown).replace("·∂/∂", " ∂/∂")


def _kept(words: str) -> str:
    r"""Return words for LaTeX with the spaces around them; a line may be broken within a long formula.

    >>> _kept("of 1 / 2 ") == "of 1 / 2 ", _kept("cos(foot)*(2*slide*sin(foot)/(3*slide))").count(r"\allowbreak{}")
    (True, 12)
    """
    text = " ".join(
        r"$\to$" if w == "->" else _AFTER.sub(r"\1\\allowbreak{}", w) if len(w) > _UNBROKEN else w
        for w in escaped(words).split(" ")
    )
    return f"{' ' * words[:1].isspace()}{text}{' ' * (words[-1:].isspace() and not words.isspace())}"


def typeset(
    words: str, letters: Collection[str] = (), *, broken: bool = False, widest: int = _WIDEST
) -> list[str | Part]:
    """Return a sentence as words, and as parts that are laid out; what is wider than ``widest`` stays as it was typed.

    If lines can be broken between formulas alone, a long one is laid out as several, one for each term.
    """
    if len(words) > _LONGEST:
        return [words]
    words = spoken_turns(words)
    start = _Inside(0, frozenset({*letters, *_multiplied(words)}))
    found: list[str | Part] = []
    plain, at = "", 0
    while at < len(words):
        read = _expression(words, at, start) if not _joins(words[:at][-2:][::-1]) else None
        if read is not None and read.sure and not _joins(words[read.end : read.end + 2]):
            parts = [read.part] if read.end - at <= widest else _by_terms(words, read, start) if broken else []
            if not parts:
                plain, at = plain + words[at : read.end], read.end
                continue
            found += [plain, *parts] if plain else parts
            plain, at = "", read.end
            continue
        name = _NAME.match(words, at) or _NUMBER.match(words, at)
        after = name.end() if name else at + 1
        plain, at = plain + words[at:after], after
    return [*found, plain] if plain or not found else found


def _multiplied(words: str) -> set[str]:
    """Return the words of a sentence that are names, for they are multiplied, or stand in a sum with such.

    >>> sorted(_multiplied("the right one (right - 2*b*heading is constant)"))
    ['b', 'heading', 'right']
    """
    runs = [found[0] for found in _RUN.finditer(words) if _TIMES.search(found[0])]
    return {name for run in runs for name in re.findall(r"[^\W\d_]\w*", run)} - _WORDS - _FUNCTIONS


def spoken_turns(words: str) -> str:
    """Return a sentence with rotations that are turned said in words.

    >>> spoken_turns("the momentum of R left 3")
    'the momentum of R about z of space'
    >>> spoken_turns("what is left 3 times; R left 1 + n left 1")
    'what is left 3 times; R about x of space + n about x of space'
    """
    return _TURNED.sub(_turned, words)


def _turned(found: re.Match[str]) -> str:
    return f"{found[1]} about {'xyz'[int(found[3]) - 1]} of {'space' if found[2] == 'left' else 'the body'}"


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read of a text up to a place; ``sure`` where it can be nothing but mathematics."""

    part: Part
    end: int
    sure: bool
    letter: bool = True
    """Whether it can be a letter or a number at all."""
    items: tuple[tuple[Part, int], ...] = ()
    """What stands between signs and the signs, each with its place in the text."""


@dataclass(frozen=True, slots=True)
class _Inside:
    """Within how many brackets something stands, and which words are letters."""

    deep: int
    letters: frozenset[str]


def _by_terms(text: str, read: _Read, inside: _Inside) -> list[str | Part]:
    """Return a long formula as several with spaces between, where a line can be broken; none where a term is long."""
    cut = _cut(text, read, inside)
    if any(after - at > _WIDEST for (_, at), after in zip(cut, [*(at for _, at in cut[1:]), read.end], strict=True)):
        return []
    pieces: list[str | Part] = []
    for parts, _ in cut:
        nothing = [Row(())] if pieces else []  # so that the sign stands between two things, and is set so
        pieces += [*([" "] if pieces else []), row(*nothing, *parts)]
    return pieces


def _cut(text: str, read: _Read, inside: _Inside) -> list[tuple[list[Part], int]]:
    """Return the terms of a formula with their places in the text; the brackets of a long one are cut open."""
    deeper = replace(inside, deep=inside.deep + 1)
    signs = [k for k, (one, _) in enumerate(read.items) if k and one in _BREAKS]
    found: list[tuple[list[Part], int]] = []
    for first, last in pairwise([0, *signs, len(read.items)]):
        after = [*(at for _, at in read.items[first + 1 :]), read.end]
        long = after[last - first - 1] - read.items[first][1] > _WIDEST
        found.append(([], read.items[first][1]))
        for (one, at), end in zip(read.items[first:last], after, strict=False):
            within = _expression(text, at + 1, deeper) if long and isinstance(one, Fenced) else None
            if within is None or within.end != end - 1:  # with a comma, it is no sum
                found[-1][0].append(one)
                continue
            (begin, _), *others = _cut(text, within, deeper)
            found[-1][0].extend([Operator("open"), *begin])
            found += others
            found[-1][0].append(Operator("close"))
    return found


def _joins(two: str) -> bool:
    """Say whether a word goes on with these letters: with one of its own, or with an apostrophe and one of its own."""
    return two[:1].isalnum() or two[:1] == "_" or (two[:1] == "'" and two[1:].isalpha())


def _expression(text: str, at: int, inside: _Inside) -> _Read | None:
    """Read sums, products and equations: what stands between signs."""
    if inside.deep > _DEEPEST:
        return None
    items: list[tuple[Part, int]] = []
    if text[at : at + 1] == "-" and (at == 0 or text[at - 1] in " (,"):
        items, at = [(Operator("negative"), at)], at + 1
    first = _powers(text, at, inside)
    if first is None:
        return None
    items.append((first.part, at))
    end, sure, letters, signs = first.end, first.sure, first.letter, 0
    while True:
        sign = _SIGN.match(text, end)
        if sign is None:
            break
        minus = text[sign.end() : sign.end() + 1] == "-"
        following = _powers(text, sign.end() + minus, inside)
        spaced = sign[0].startswith(" ") == sign[0].endswith(" ")
        said = sign[1] or "*"
        if following is None or not spaced or (said == "-" and " " not in sign[0] and not (sure and following.sure)):
            break
        if not letters and not following.letter and not inside.deep:  # 2/5 is one in cos(2/5), and alone may be a date
            break
        sign_of = _times(items[-1][0], following.part) if said == "*" else _SIGNS[said]
        items += [(Operator(sign_of), end), *([(Operator("negative"), sign.end())] if minus else [])]
        items.append((following.part, sign.end() + minus))
        end, signs = following.end, signs + 1
        sure = sure or following.sure or (said in "=*+" and (letters or following.letter))
        letters = letters or following.letter
    if not (letters or sure or inside.deep):
        return None
    return _Read(row(*(one for one, _ in items)), end, sure, letters, tuple(items))


def _times(before: Part, after: Part) -> Sign:
    """Return what stands between two factors: some space beside a function or a word."""
    if isinstance(after, Call):
        return "times by a call"
    words = [one for one in (before, after) if isinstance(one, Identifier) and len(one.text) > 1]
    return "times between words" if words else "times"


def _powers(text: str, at: int, inside: _Inside) -> _Read | None:
    base = _atom(text, at, inside)
    if base is None:
        return None
    if text[base.end : base.end + 1] != "^":
        return base
    after = base.end + 1
    minus = text[after : after + 1] == "-"
    if indexed := _INDEXED.match(text, at):  # delta^a_b
        return _Read(label_part(indexed[0]), indexed.end(), sure=True)
    above = _atom(text, after + minus, inside)
    if above is None:
        return base
    raising = row(Operator("negative"), above.part) if minus else above.part
    return _of(raised(base.part, raising), text, above.end, inside)


def _of(part: Part, text: str, end: int, inside: _Inside) -> _Read:
    """Read what something is a function of, if there is anything."""
    of = _bracket(text, end, inside) if text[end : end + 1] == "(" else None
    return _Read(part, end, sure=True) if of is None else _Read(Row((part, of.part)), of.end, sure=True)


def _atom(text: str, at: int, inside: _Inside) -> _Read | None:
    """Read a number, a letter, a function of something, or something in brackets."""
    if number := _NUMBER.match(text, at):
        digits = number[0]
        return _Read(Number(digits), number.end(), sure=False, letter=False)
    if text[at : at + 1] == "(":
        return _bracket(text, at, inside)
    if along := _PARTIAL.match(text, at):  # d/dtheta
        return _Read(Scripts(Identifier("∂"), identifier(along[1])), along.end(), sure=True)
    name = _NAME.match(text, at)
    if name is None:
        return None
    if field := _FIELD.match(text, at):
        stem = field[1].rstrip("'")
        below = identifier(stem, len(field[1]) - len(stem))
        return _Read(Scripts(Identifier("∂"), below), field.end(), sure=True)
    word, end = name[0], name.end()
    stem = word.rstrip("'")
    if text[at - 1 : at] == "'":  # a name in quotes has no primes
        word, end = stem, at + len(stem)
    if stem in _FUNCTIONS and text[end : end + 1] == "(":
        of = _bracket(text, end, inside)
        if of is None:
            return None
        if stem == "sqrt" and isinstance(of.part, Fenced):
            return _Read(Root(of.part.body), of.end, sure=True)
        return _Read(Call(FunctionName(stem), of.part), of.end, sure=True)
    sure, letter = (True, True) if stem in inside.letters else _is_letter(stem, len(word) > len(stem))
    if not letter:
        return None
    part = identifier(stem, len(word) - len(stem))
    if sure and _MARK.match(text, end):
        part, end = raised(part, Identifier(text[end])), end + 1
    return _of(part, text, end, inside) if sure else _Read(part, end, sure)


def _bracket(text: str, at: int, inside: _Inside) -> _Read | None:
    """Read what is in brackets, all of it mathematics, with commas between."""
    items: list[Part] = []
    sure, end = False, at + 1
    deeper = replace(inside, deep=inside.deep + 1)
    while True:
        read = _expression(text, end, deeper) or _atom(text, end, deeper)
        if read is None:
            return None
        items.append(read.part)
        sure, end = sure or read.sure, read.end
        if text[end : end + 1] == ")":
            return _Read(Fenced(row(*items)), end + 1, sure, letter=sure)
        if text[end : end + 2] != ", ":
            return None
        items.append(Operator("comma"))
        end += 2


def _is_letter(stem: str, primed: bool) -> tuple[bool, bool]:
    """Say whether a name is surely one of mathematics, and whether it can be one.

    >>> _is_letter("xi_1", primed=False), _is_letter("no_slip", primed=False)
    ((True, True), (False, False))
    """
    if stem in _WORDS:
        return primed and stem == "a", stem in _EITHER
    head, _, index = stem.partition("_")
    if index and head in _WORDS - _EITHER:  # no_slip is a name that somebody gave
        return False, False
    bare = head.rstrip("0123456789")
    letter = len(bare) == 1 or bare in LETTERS
    if "." in stem:
        return True, True
    if letter:
        return True, True
    if len(bare) == 2 and (index or primed or head != bare):
        return True, True
    return False, len(stem) <= _SHORT
