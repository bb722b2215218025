"""On which line of a TOML text each entry stands.

One linear scan over tokens. It need not judge the text, for ``tomllib`` does; but it runs first and refuses what would
keep a TOML parser busy for minutes: keys of thousands of parts, and brackets nested as deep.
"""

from __future__ import annotations

import re
from typing import Final

from dalembert.errors import Fault, ModelError
from dalembert.model.faults import Path

_MOST_PARTS: Final = 8
"""Names in a dotted key, or in the header of a table."""
_MOST_DEPTH: Final = 20
"""Brackets inside brackets."""

# each alternative matches however a text goes on, so that nothing is tried twice; groups are not possessive, which
# Python before 3.11.5 matches wrongly
_TOKEN: Final = re.compile(
    r"""(?P<long>\"{3}[^"\\]*+(?:(?:\\.|"(?!\"\"))[^"\\]*+)*(?:\"{3,5}|\\?\Z)
              | '{3}[^']*+(?:'(?!'')[^']*+)*(?:'{3,5}|\Z))
      | (?P<quoted>"[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*"? | '[^'\n]*+'?)
      | (?P<bare>[\w+-]++)
      | (?P<newline>\n)
      | (?P<blank>[ \t\r]++ | \#[^\n]*+)
      | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)


class _Scan:
    """Where the scan is: the line, the brackets that are open, the table, and the words of the current line."""

    def __init__(self) -> None:
        self.line = 1
        self.depth = 0
        self.table: Path = ()
        self.words: list[str] | None = []  # None once the line is known not to begin with a key
        self.header = 0  # how many brackets opened the line
        self.chain = 0  # how many words, with points between them, came just before
        self.point = False
        self.entry: Path = ()  # the key whose value is being read, and how many tables its array has had so far
        self.items = 0
        self.tables: dict[Path, int] = {}  # how many tables an array of tables has had so far
        self.found: dict[Path, int] = {}

    def new_line(self) -> None:
        self.line += 1
        if not self.depth:
            self.words, self.header = [], 0

    def note(self, path: Path) -> None:
        """Note every part of a path that is new, since a dotted key makes tables as it goes."""
        for k in range(1, len(path) + 1):
            self.found.setdefault(path[:k], self.line)

    def sign(self, character: str) -> None:
        """Go over one character that is neither part of a word nor of a string."""
        self.point = character == "."
        if character == "[" and self.words == [] and self.header < 2:
            self.header += 1
        elif character == "]" and self.header and self.words:
            self.table = tuple(self.words)
            self.note(self.table)
            if self.header == 2:  # one more table of an array
                self.tables[self.table] = many = self.tables.get(self.table, 0) + 1
                self.note((*self.table, str(many)))
            self.words = None
        elif character == "=" and self.words and not self.header:
            self.entry, self.items = (*self.table, *self.words), 0
            self.note(self.entry)
            self.words = None
        elif not self.header and character in "[{":
            if character == "{" and self.depth == 1 and self.entry:
                self.items += 1
                self.note((*self.entry, str(self.items)))
            self.depth += 1
            if self.depth > _MOST_DEPTH:
                raise ModelError([Fault("", f"brackets are nested more than {_MOST_DEPTH} deep", line=self.line)])
        elif not self.header and character in "]}":
            self.depth = max(self.depth - 1, 0)

    def word(self, word: str) -> None:
        self.chain = self.chain + 1 if self.point else 1
        if self.chain > _MOST_PARTS:
            raise ModelError([Fault("", f"a key has more than {_MOST_PARTS} parts", line=self.line)])
        if self.words is not None and not self.depth:
            self.words = [*self.words, word] if len(self.words) == self.chain - 1 else None
        self.point = False


def lines_of(text: str) -> dict[Path, int]:
    """Return the line, counted from 1, of every table, of every key in it, and of every table in an array, by number.

    >>> lines_of('name = "disc"' + chr(10) + '[coordinates]' + chr(10) + 'x = "real"')
    {('name',): 1, ('coordinates',): 2, ('coordinates', 'x'): 3}
    """
    scan = _Scan()
    for match in _TOKEN.finditer(text):
        match match.lastgroup:
            case "newline":
                scan.new_line()
            case "long":
                scan.line += match[0].count("\n")
            case "quoted":
                scan.word(_unquoted(match[0]))
            case "bare":
                scan.word(match[0])
            case "other":
                scan.sign(match[0])
    return scan.found


def _unquoted(quoted: str) -> str:
    """Return a quoted key without its quotes; escapes are rare in keys, and only a line number depends on them."""
    return quoted[1:-1]
