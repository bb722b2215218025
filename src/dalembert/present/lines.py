"""Lines of text: formulas broken where they may be, columns that are never cut off.

A ``width`` of None means that lines may be as long as they like, as in a file or a pipe.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import Final

_LEAST: Final = 24
"""Letters that a line has at least, however narrow the terminal."""
_MARKED: Final = re.compile("[^\u0300-\u036f\u20d0-\u20ff][\u0300-\u036f\u20d0-\u20ff]+")
"""A letter with marks above it."""
_PRIVATE: Final = 0xE000
_GLUE: Final = "\N{NO-BREAK SPACE}"
_WHOLE: Final = 48
"""Letters of a formula that is not broken in a sentence."""
_MINUS: Final = "\N{MINUS SIGN}"
_WITHOUT: Final = 100
"""Columns that a page takes where there is no terminal; a sentence may be longer."""
_NARROW: Final = 12
"""A column is never made narrower than so many letters for the sake of the last one."""
_COLUMN: Final = 36
"""Letters that the last column needs; with less it goes below the others."""


def breadth(text: str) -> int:
    """Return how many columns a text takes: a mark above a letter takes none.

    >>> breadth("theta"), breadth("θ\u0307")
    (5, 1)
    """
    return len(text) if text.isascii() else sum(not unicodedata.combining(letter) for letter in text)


def padded(text: str, size: int) -> str:
    """Return a text with spaces behind it, as wide as so many columns."""
    return text + " " * (size - breadth(text))


def beside(left: str, right: str, width: int | None) -> list[str]:
    """Return a line with something at its right end; a line of its own if there is no room for both.

    >>> beside("a title", "its kind", 20)
    ['a title     its kind']
    """
    room = (width or _WITHOUT) - breadth(left) - breadth(right)
    if not right:
        return [left]
    return [left + " " * room + right] if room >= 2 else [left, f"  {right}"]


def statements(
    rows: Sequence[tuple[str, str, str]],
    width: int | None,
    indent: str = "",
    paint: Callable[[str, str], str] = lambda _, cell: cell,
) -> list[list[str]]:
    """Return the lines of each statement: the answer first, the sentence, and how it is known at the right.

    >>> for lines in statements([("yes", "Energy is conserved.", "proved"), ("no", "It is red.", "")], 40):
    ...     print(*lines)
    yes  Energy is conserved.  proved
    no   It is red.
    """
    first = max((breadth(answer) for answer, _, _ in rows), default=0)
    ahead = first + 2 if first else 0
    last = max((breadth(known) for _, _, known in rows), default=0)
    room = (width or _WITHOUT) - len(indent) - ahead - last - 2
    size = min(max((breadth(said) for _, said, _ in rows), default=0), max(room, _LEAST))
    found: list[list[str]] = []
    for answer, said, known in rows:
        *others, shown = paragraph(said, None if width is None else size)
        lines = [*others, f"{padded(shown, size)}  {paint(known, known)}" if known else shown]
        begin = [paint(answer, padded(answer, ahead)), *(" " * ahead for _ in others)]
        found.append([indent + at + line for at, line in zip(begin, lines, strict=True)])
    return found


def glued(formula: str) -> str:
    """Return a short formula so that no line ends within it.

    >>> paragraph(f"it is {glued('a + b')}", 8), paragraph("it is a + b", 8)
    (['it is', 'a + b'], ['it is a', '+ b'])
    """
    return formula.replace(" ", _GLUE) if len(formula) <= _WHOLE else formula


def paragraph(text: str, width: int | None, indent: str = "", hang: str = "") -> list[str]:
    """Return a text as lines, words kept whole; ``hang`` is added to the indent of all lines but the first.

    >>> paragraph("one two three", 13, "  ", "  ")
    ['  one two', '    three']
    >>> paragraph("one two three", None)
    ['one two three']
    """
    if width is None:
        return [indent + text.replace(_GLUE, " ")]
    room = max(width, len(indent + hang) + _LEAST) if len(text) > _LEAST else max(width, 1)
    marked = list(dict.fromkeys(_MARKED.findall(text)))  # one letter each, as wide as they are
    plain = _MARKED.sub(lambda letter: chr(_PRIVATE + marked.index(letter[0])), text)
    lines = textwrap.wrap(
        plain, room, initial_indent=indent, subsequent_indent=indent + hang,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    back = {_PRIVATE + k: letter for k, letter in enumerate(marked)}
    return [line.translate({ord(_GLUE): " ", **back}) for line in lines] or [indent]


def columns(
    rows: Sequence[Sequence[str]],
    width: int | None,
    *,
    indent: str = "",
    widest: int = 40,
    paint: Callable[[int, str], str] = lambda _, cell: cell,
) -> list[str]:
    """Return rows as lines: columns as wide as they need, the last one wrapped into what is left of the width.

    A cell wider than ``widest``, or than leaves room for the last column, pushes its row to the right instead of all
    others. If too little is left for the last column it goes below the others. ``paint`` gets the number of a column
    and a padded cell.

    >>> print(chr(10).join(columns([["m", "1", "the mass"], ["length", "2", "of the rod"]], None)))
    m       1  the mass
    length  2  of the rod
    """
    if not rows:
        return []
    count = max(len(row) for row in rows)
    last_size = min(max((breadth(row[-1]) for row in rows if len(row) == count), default=0), _COLUMN)

    def sizes_up_to(most: int) -> list[int]:
        return [
            max((breadth(row[k]) for row in rows if len(row) > k and breadth(row[k]) <= most), default=0)
            for k in range(count)
        ]

    sizes = sizes_up_to(widest)
    while width is not None and len(indent) + sum(size + 2 for size in sizes[:-1]) + last_size > width:
        largest = max(sizes[:-1], default=0)
        if largest <= _NARROW:
            break
        sizes = [*sizes_up_to(largest - 1)[:-1], sizes[-1]]
    lines: list[str] = []
    for row in rows:
        *front, last = [padded(cell, sizes[k]) if k < count - 1 else cell for k, cell in enumerate(row)]
        plain = indent + "".join(f"{cell}  " for cell in front)
        shown = indent + "".join(f"{paint(k, cell)}  " for k, cell in enumerate(front))
        start = len(indent) + sum(size + 2 for size in sizes[: len(front)])
        wide = next((k for k, cell in enumerate(row[:-1]) if breadth(cell) > sizes[k]), None)
        if wide is not None and width is not None:  # what follows a wide cell is not in columns
            loose = [*front[:wide], *row[wide:]]
            if breadth(indent + "  ".join(loose)) <= width:
                lines.append(indent + "  ".join(paint(k, cell) for k, cell in enumerate(loose)))
                continue
        if width is not None and width - start < _COLUMN and breadth(plain) + breadth(last) > width:
            below = indent + "  "
            lines += [shown.rstrip(), *paragraph(last, width, below)]
            continue
        first, *others = paragraph(last, None if width is None else width - start)
        if width is not None and breadth(plain) > start:  # pushed to the right
            lines += [shown.rstrip(), *(" " * start + line for line in (first, *others))]
        else:
            lines += [(shown + paint(len(front), first)).rstrip(), *(" " * start + other for other in others)]
    return lines


def broken(formula: str, width: int | None, indent: str = "", hang: str = "    ") -> list[str]:
    """Return a formula as lines that, put together again, are the same text.

    A line ends before an equals sign, a sum or a product, in this order and in as few brackets as can be.

    >>> broken("y = (a + b)*c - sin(x + y) + 1", 20)
    ['y = (a + b)*c', '    - sin(x + y) + 1']
    """
    lines: list[str] = []
    rest, ahead = formula, indent
    while width is not None and breadth(ahead) + breadth(rest) > width:
        cut = _cut(rest, max(width - len(ahead), _LEAST))
        if cut is None:
            break
        lines.append(ahead + rest[:cut].rstrip())
        rest, ahead = rest[cut:].lstrip(), indent + hang
    return [*lines, ahead + rest]


def _cut(text: str, room: int) -> int | None:
    """Return where to end the first line: late, and in few brackets; the first place there is, if it has no room."""
    places = list(_places(text))
    inside = [(place, cost) for place, cost in places if room // 3 < place <= room] or [
        (place, cost) for place, cost in places if place <= room
    ]
    if inside:
        return min(inside, key=lambda found: (found[1], -found[0]))[0]
    return places[0][0] if places else None


def _places(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places where a line may end, each with what it costs."""
    depth = 0
    for k, letter in enumerate(text):
        if letter in "([":
            depth += 1
        elif letter in ")]":
            depth -= 1
        elif k and letter == " " and text[k + 1 : k + 3] in {"= ", "+ ", "- ", f"{_MINUS} "}:
            yield k, -1 if text[k + 1] == "=" else 2 * depth
        elif k and letter in "*·/" and text[k - 1] != " ":
            yield k, 2 * depth + 1
        elif letter == "," and text[k + 1 : k + 2] == " ":
            yield k + 1, 2 * depth + 1
