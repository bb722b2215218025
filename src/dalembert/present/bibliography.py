"""Whom to cite: the papers whose theorems a formalism applies, and the source of a system, as BibTeX."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from dalembert.mechanics.derivation import refusals
from dalembert.mechanics.registry import PAPERS, Paper, formalism, formalism_names
from dalembert.model.system import System

_SPELLED: Final = str.maketrans(
    {letter: f"\\{letter}" for letter in "#$%&_"}
    | {
        "\\": r"{\textbackslash}",
        "{": r"{\textbraceleft}",
        "}": r"{\textbraceright}",
        "~": r"{\textasciitilde}",
        "^": r"{\textasciicircum}",
    }
)
"""Letters that mean something to TeX; BibTeX counts braces even behind a backslash, so these are spelled out."""


def cited(system: System, formalisms: Iterable[str] | None = None) -> list[Paper]:
    """Return the papers behind the formalisms that apply to a system (or those named), each once.

    >>> from dalembert import gallery
    >>> [paper.key for paper in cited(gallery.load("kepler"), ["routh"])]
    ['crampin-mestdag-2008']
    """
    names = list(formalisms) if formalisms is not None else [n for n in formalism_names() if not refusals(system, n)]
    found = [PAPERS[one] if isinstance(one, str) else one for name in names for one in formalism(name).cites]
    return list(dict.fromkeys(found))


def escaped(text: str) -> str:
    r"""Return text that TeX sets as it stands: nothing in it is a command, and every brace that is opened is closed.

    >>> escaped(r"50% of {\it x_1")
    '50\\% of {\\textbraceleft}{\\textbackslash}it x\\_1'
    """
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(printable.split()).translate(_SPELLED)


def _key(name: str) -> str:
    """Return the key of an entry: small letters, digits and hyphens, and none of the papers'.

    >>> _key("Euler's disc, {v 2}"), _key("Patrick 2007"), _key("\u03b2")
    ('euler-s-disc-v-2', 'patrick-2007-system', 'system')
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    key = re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "system"
    return f"{key}-system" if key in PAPERS else key


def bibtex(system: System, formalisms: Iterable[str] | None = None) -> str:
    """Return BibTeX for a system: the papers, and the source it was taken from as a note.

    >>> fall = System.of(name="fall", coordinates="z", lagrangian="z'^2/2", source="G. Galilei (1638)")
    >>> print(bibtex(fall, ["euler-lagrange"]))
    @misc{fall,
      title = {fall},
      note = {G. Galilei (1638)},
    }
    """
    entries = [paper.bibtex() for paper in cited(system, formalisms)]
    source = system.metadata.get("source")
    if source:
        key = _key(system.name)
        entries.append(
            f"@misc{{{key},\n  title = {{{escaped(system.name)}}},\n  note = {{{escaped(str(source))}}},\n}}"
        )
    return "\n\n".join(entries)
