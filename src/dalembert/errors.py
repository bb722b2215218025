"""Everything that can go wrong, as one tree.

::

    DalembertError                what a caller may catch to catch all of it
    ├── ExpressionError           an expression that cannot be built or read
    │   └── TextError             ... from text: has ``column`` and ``text``
    ├── EvaluationError           a value that does not exist at the point asked for
    └── MissingExtra              an optional package that is not installed

A message is one sentence: what is wrong, where, and what to do.
"""

from __future__ import annotations

__all__ = ["DalembertError", "EvaluationError", "ExpressionError", "MissingExtra", "TextError"]


class DalembertError(Exception):
    """The root of all errors that a user can cause or meet."""


class ExpressionError(DalembertError):
    """An expression that cannot be built: a division by zero, a number too large, a wrong arity."""


class TextError(ExpressionError):
    """Text that is not an expression, with the place where reading stopped."""

    def __init__(self, message: str, text: str = "", column: int | None = None) -> None:
        """Keep the sentence; ``column`` counts from 1."""
        self.text = text
        self.column = column
        super().__init__(message if column is None else f"column {column}: {message}")


class EvaluationError(DalembertError):
    """A value that does not exist where it was asked for: a pole, an even root of a negative number."""


class MissingExtra(DalembertError, ImportError):
    """An optional package that is needed here and is not installed."""
