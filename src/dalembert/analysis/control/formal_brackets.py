"""Formal brackets of letters: Lyndon words with their standard bracketing are a basis of the free Lie algebra.

A bracket is a letter, or a pair of brackets. Every other one is a combination of these with the same letters, so that
what is linear and depends on how often each letter occurs has to be asked of these alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from dalembert.errors import EvaluationError
from dalembert.expr.walk import postorder
from dalembert.geometry.fields import VectorField, bracket

Bracket = Any
"""A number, the letter, or a pair of brackets."""
_MOST_NODES = 60_000
"""Fields with more parts are not made."""


class TooLong(EvaluationError):
    """A bracket has more parts than are looked at."""


@cache
def lyndon_brackets(letters: int, length: int) -> tuple[Bracket, ...]:
    """Return the brackets of a length, one for each Lyndon word.

    >>> lyndon_brackets(2, 3)
    ((0, (0, 1)), ((0, 1), 1))
    """
    return tuple(_bracketed(word) for word in _words(letters, length) if len(word) == length)


def _words(letters: int, longest: int) -> Iterator[tuple[int, ...]]:
    """Yield the Lyndon words up to a length, in alphabetical order (Duval)."""
    word = [-1]
    while word:
        word[-1] += 1
        yield tuple(word)
        own = len(word)
        while len(word) < longest:
            word.append(word[-own])
        while word and word[-1] == letters - 1:
            word.pop()


def _bracketed(word: tuple[int, ...]) -> Bracket:
    """Return the standard bracketing: the longest Lyndon word at the end is the right part."""
    if len(word) == 1:
        return word[0]
    k = next(k for k in range(1, len(word)) if _is_lyndon(word[k:]))
    return _bracketed(word[:k]), _bracketed(word[k:])


def _is_lyndon(word: tuple[int, ...]) -> bool:
    return all(word < word[k:] for k in range(1, len(word)))


def letters_in(tree: Bracket) -> tuple[int, ...]:
    """Return the letters of a bracket, from left to right."""
    return letters_in(tree[0]) + letters_in(tree[1]) if isinstance(tree, tuple) else (tree,)


def renamed(tree: Bracket, letters: Mapping[int, int]) -> Bracket:
    """Return a bracket with other letters."""
    return tuple(renamed(part, letters) for part in tree) if isinstance(tree, tuple) else letters[tree]


def said(tree: Bracket, names: Sequence[str], signs: tuple[str, str, str] = ("[", ", ", "]")) -> str:
    """Return a bracket in words.

    >>> said((0, (0, 1)), "ab")
    '[a, [a, b]]'
    """
    if not isinstance(tree, tuple):
        return names[tree]
    begin, middle, end = signs
    left, right = (said(part, names, signs) for part in tree)
    return f"{begin}{left}{middle}{right}{end}"


class Fields:
    """Brackets of fields, each made once."""

    def __init__(self, letters: Sequence[VectorField]) -> None:
        """Keep what the letters stand for."""
        self._known: dict[Bracket, VectorField] = dict(enumerate(letters))

    def __getitem__(self, tree: Bracket) -> VectorField:
        """Return the field of a bracket."""
        if tree not in self._known:
            found = bracket(self[tree[0]], self[tree[1]])
            if len(postorder(found.components)) > _MOST_NODES:
                raise TooLong("the brackets that would be next have too many parts to be looked at.")
            self._known[tree] = found
        return self._known[tree]
