"""What both writers share: going through the display tree with a stack."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypeAlias

from dalembert.expr.display.layout import Layout
from dalembert.expr.display.records import Formula, Part

__all__ = ["Piece", "Writer"]

Piece: TypeAlias = "str | Part"


class Writer(ABC):
    """Writes parts of a page: each becomes strings, with the parts inside it between them."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def write(self, part: Part) -> str:
        """Return the source of a part."""
        out: list[str] = []
        stack: list[Piece] = [part]
        while stack:
            piece = stack.pop()
            if isinstance(piece, str):
                out.append(piece)
            else:
                stack += reversed(self.pieces(self.opened(piece)))
        return self.joined(out)

    def opened(self, part: Part) -> Part:
        """Return a part that is not a formula any more."""
        while isinstance(part, Formula):
            part = self._layout.record(part)
        return part

    @abstractmethod
    def pieces(self, part: Part) -> Sequence[Piece]:
        """Return the strings of a part and the parts between them."""

    def joined(self, strings: Sequence[str]) -> str:
        """Return the strings as one."""
        return "".join(strings)
