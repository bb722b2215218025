"""How names look on a page: Greek letters, subscripts, dots.

=============== =====================================================
name            looks like
=============== =====================================================
``x``           a slanted letter
``theta``, θ    the Greek letter; ``phi`` is open and ``varphi`` curly
``x1``, ``x_1`` digits at the end, or what follows ``_``, below
``m_wheel``     a word below, upright
``p_x1``        subscripts of subscripts
``a_1_2``       with a comma; words, as in ``k_left_wheel``, side by side
``mass``        a word, upright
``x'``          dots on the letter, not on its subscript
``R.m12``       an entry of a rotation R, as those of a matrix
``R.w1``        a capital omega: its angular velocity in the body
``R.s1``        an omega: that in space
``hat(R.w)``    a capital omega with a hat: the matrix of that vector
``R.q0``        a component of its quaternion, ``R.e1x`` of an axis
``n.x``         a component of a direction n
``p_R_w1``      a momentum along an angular velocity, which stands below
``S_in_R.m12``  an entry of S as seen from R, which stands above; ``S_in_R`` is all of it
``S_in_R.w1``   its angular velocity relative to R: S/R stands below
=============== =====================================================

So ``x1`` and ``x_1`` look the same; who has both must choose other names. Where a rotation is not called R, its name
stands below omega, q and e too.
"""

# ruff: noqa: RUF001  (Greek is meant)
from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from dalembert.expr.display.records import (
    Dotted,
    Fenced,
    Hatted,
    Identifier,
    Number,
    Operator,
    Part,
    Scripts,
    raised,
    row,
)
from dalembert.expr.symbols import Symbol

LETTERS: Final = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "varepsilon": "ε", "zeta": "ζ",
    "eta": "η", "theta": "θ", "vartheta": "ϑ", "iota": "ι", "kappa": "κ", "lambda": "λ", "lamda": "λ", "mu": "μ",
    "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "varrho": "ϱ", "sigma": "σ", "tau": "τ", "upsilon": "υ", "phi": "ϕ",
    "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ",
    "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Upsilon": "Υ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω", "ell": "ℓ",
}  # fmt: skip
"""Names of letters, and the letters. The look is that of TeX, where ``phi`` and ``varphi`` differ."""

_STEM: Final = re.compile(r"([^0-9]+)([0-9]+)")
SEEN_FROM: Final = "_in_"
"""A rotation as another one sees it has this between their names."""
MOST_DOTS: Final = 3
"""A derivative of higher order has its order in brackets above."""


def identifier(name: str, dots: int = 0) -> Part:
    """Return the look of a name, with dots on its letter."""
    whole, _, part = name.partition(".")
    one, seen, other = whole.rpartition(SEEN_FROM)
    if seen and (part.startswith("m") or (not part and one.isalpha() and one[0].isupper() and other[:1].isupper())):
        return raised(identifier(f"{one}.{part}" if part else one, dots), _below(other))
    along = _ALONG.fullmatch(name)
    if along:
        return Scripts(identifier(along[1], dots), identifier(f"{along[2]}.{along[3]}"))
    letter, below = _split(name)
    base: Part = Identifier(letter)
    if 0 < dots <= MOST_DOTS:
        base = Dotted(base, dots)
    above = order_above(dots) if dots > MOST_DOTS else None
    if not below and above is None:
        return base
    return Scripts(base, row(*_apart(below)) if below else None, above)


def symbol_part(symbol: Symbol) -> Part:
    """Return the look of a symbol."""
    return identifier(symbol.name, symbol.order)


def hatted(name: str) -> Part:
    """Return the look of a name with a hat on its letter."""
    plain = identifier(name)
    return Scripts(Hatted(plain.base), plain.below, plain.above) if isinstance(plain, Scripts) else Hatted(plain)


def label_part(label: str) -> Part:
    """Return the look of a name with its primes; the left side of an equation may have indices above, ``R^1_23``.

    ``{x, p_x}`` is a bracket of what has names.
    """
    if label.startswith("{"):
        inside = [label_part(name) for name in label.strip("{}").split(", ")]
        return Fenced(row(*[part for one in inside for part in (Operator("comma"), one)][1:]), braces=True)
    name = label.rstrip("'")
    stem, _, rest = name.partition("^")
    above, _, below = rest.partition("_")
    if not stem or not above:
        return identifier(name, len(label) - len(name))
    base = identifier(stem, len(label) - len(name))
    along = _ALONG.fullmatch(f"{stem}_{below}")
    pieces = [identifier(f"{along[2]}.{along[3]}")] if along else [_below(piece) for piece in below.split("_")]
    commas = [part for piece in pieces for part in (Operator("comma"), piece)][1:]  # indices of a component
    return raised(Scripts(base, row(*commas)) if below else base, _below(above))


def order_above(order: int) -> Part:
    """Return the order of a high derivative, as it stands above."""
    return Fenced(Number(str(order)))


def head(name: str) -> str:
    """Return the letter or word that a name begins with."""
    return _split(name)[0]


def is_word(name: str) -> bool:
    """Say whether a name begins with a word: side by side, words need some space."""
    return len(head(name)) > 1


def breadth(name: str) -> float:
    """Return how wide a name is, in letters."""
    letter, below = _split(name)
    return len(letter) + 0.6 * sum(len(LETTERS.get(piece, piece)) for piece in below)


def _split(name: str) -> tuple[str, list[str]]:
    """Return a letter or word, and the pieces of its subscript."""
    whole, point, part = name.partition(".")
    if point:
        return _split_part(whole, part)
    pieces = name.split("_")
    if not all(pieces):
        return name, []
    stem = _STEM.fullmatch(pieces[0])
    if stem:
        pieces[:1] = [stem[1], stem[2]]
    return LETTERS.get(pieces[0], pieces[0]), pieces[1:]


def _split_part(whole: str, part: str) -> tuple[str, list[str]]:
    """Return the same of a part of a rotation or a direction."""
    kind, rest = part[:1], part[1:]
    if kind in _OF_ROTATIONS:
        below = [rest[:-1], rest[-1]] if kind == "e" else [rest]
        own = [] if whole == "R" else [whole.replace(SEEN_FROM, "/")]
        return _OF_ROTATIONS[kind], [*own, *filter(None, below)]
    letter, below = _split(whole)
    return letter, [*below, rest if kind == "m" else part]


_OF_ROTATIONS: Final = {"w": "Ω", "s": "ω", "q": "q", "e": "e"}
"""How angular velocities in body and space, quaternions and axes are written."""


_ALONG: Final = re.compile(r"([^\W\d_]+)_([^\W\d_]\w*)_([ws][1-3])")


def _apart(pieces: Sequence[str]) -> list[Part]:
    """Return the pieces of a subscript: those of a phrase beside each other, others with commas between them."""
    phrase = not pieces[0].isdecimal() and any(len(p) > 1 and p.isalpha() and p not in LETTERS for p in pieces)
    if phrase and len(pieces) > 1:
        return [_side_by_side(pieces)]
    return [item for piece in pieces for item in (Operator("comma"), _below(piece))][1:]


def _below(piece: str) -> Part:
    """Return the look of a piece of a subscript."""
    if piece.isascii() and piece.isdecimal():
        return Number(piece)
    stem = _STEM.fullmatch(piece)
    if stem:
        return Scripts(Identifier(LETTERS.get(stem[1], stem[1])), Number(stem[2]))
    return _side_by_side(piece.split("_"))


def _side_by_side(words: Sequence[str]) -> Part:
    return Identifier(" ".join(LETTERS.get(word, word) for word in words))


# -- names where only letters are at hand: in pictures, tables and sentences ----------------------------------
_NAME = re.compile(r"([^\W\d_]+)_?(\d*)('*)")
_PART = re.compile(r"(R\.[mqsw]\d+)('{0,2})")  # where a rotation is not called R, its name would have to stand below
_WORD = re.compile(r"[^\W\d_]\w*\.[^\W\d_]\w*'*|[^\W\d_]+(?:_(?=\d))?\d*'*")
_BELOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_DOTS = {0: "", 1: "\N{COMBINING DOT ABOVE}", 2: "\N{COMBINING DIAERESIS}"}


def lettered(name: str) -> str:
    """Return a name with Greek letters, subscripts and dots, where letters can say it; else the name itself.

    >>> lettered("psi1"), lettered("x_2"), lettered("mass'"), lettered("multiplier blade")
    ('ψ₁', 'x₂', "mass'", 'multiplier blade')
    >>> lettered("R.w1"), lettered("R.m33"), lettered("p_R_w2"), lettered("S.w1")
    ('Ω₁', 'R₃₃', 'p_R_w2', 'S.w1')
    >>> len(lettered("theta'"))
    2
    """
    turned = _PART.fullmatch(name)
    if turned is not None:
        letter, (digits, *_) = _split(turned[1])
        return f"{letter}{_DOTS[len(turned[2])]}{digits.translate(_BELOW)}"
    found = _NAME.fullmatch(name)
    if found is None:
        return name
    stem, digits, primes = found.groups()
    letter = LETTERS.get(stem, stem)
    if len(primes) > 2 or (len(letter) > 1 and primes):
        return name
    return f"{letter}{_DOTS[len(primes)]}{digits.translate(_BELOW)}"


def marked(name: str) -> str:
    """Return a name in letters, with what they cannot say of a subscript marked, ``_{...}``, for who can lower it.

    >>> marked("psi1"), marked("rear_turn"), marked("S.w1"), marked("p_R_w2"), marked("p_x_1"), marked("energy")
    ('ψ₁', 'rear_{turn}', 'Ω_{S,1}', 'p_{Ω₂}', 'p_{x,1}', 'energy')
    >>> marked("front_turn'"), marked("constraint force x")
    ("front'_{turn}", 'constraint force x')
    """
    said, plain = lettered(name), name.rstrip("'")
    primes = len(name) - len(plain)
    if said != name or primes > max(_DOTS) or not _is_name(plain):
        return said
    along = _ALONG.fullmatch(plain)
    letter, below = (along[1], [marked(f"{along[2]}.{along[3]}")]) if along else _split(plain)
    if not below:
        return said
    pieces = [lettered(piece) for piece in below]
    between = " " if len(pieces) > 1 and any(len(piece) > 1 and piece.isalpha() for piece in pieces) else ","
    dotted = f"{letter}{_DOTS[primes]}" if len(letter) == 1 else letter + "'" * primes
    return f"{dotted}_{{{between.join(pieces).replace('_', '').strip('{}').replace('{', ' ')}}}"


def _is_name(name: str) -> bool:
    """Say whether a text is the name of one quantity, or of a part of one."""
    return all(piece.isidentifier() for piece in name.split("."))


def words_lettered(text: str) -> str:
    """Return a text in which every name of a letter is that letter.

    >>> words_lettered("path of (psi1, x)")
    'path of (ψ₁, x)'
    >>> words_lettered("momentum_brackets e_1")
    'momentum_brackets e₁'
    """
    return _WORD.sub(lambda found: lettered(found[0]), text)
