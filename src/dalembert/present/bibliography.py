"""Whom to cite: the papers whose theorems a formalism applies, and the source of a system, as BibTeX."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from dalembert.mechanics.registry import formalism, formalism_names, refusals
from dalembert.model.system import System

__all__ = ["PAPERS", "Paper", "bibtex", "cited", "escaped"]

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


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper, as a list of references has it."""

    key: str
    authors: tuple[str, ...]
    title: str
    journal: str
    year: int
    volume: str = ""
    pages: str = ""

    def bibtex(self) -> str:
        """Return the entry."""
        fields = {
            "author": " and ".join(self.authors),
            "title": f"{{{self.title}}}",
            "journal": self.journal,
            "volume": self.volume,
            "pages": self.pages,
            "year": str(self.year),
        }
        lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
        return "\n".join([f"@article{{{self.key},", *lines, "}"])

    def __str__(self) -> str:
        """Return the reference as one line."""
        volume = f" {self.volume}" if self.volume else ""
        return f"{', '.join(self.authors)}: {self.title}. {self.journal}{volume} ({self.year})."


PAPERS = {
    paper.key: paper
    for paper in (
        Paper(
            "crampin-mestdag-2008",
            ("M. Crampin", "T. Mestdag"),
            "Routh's procedure for non-Abelian symmetry groups",
            "Journal of Mathematical Physics",
            2008,
            "49",
        ),
        Paper(
            "sarlet-cantrijn-saunders-1995",
            ("W. Sarlet", "F. Cantrijn", "D. J. Saunders"),
            "A geometrical framework for the study of non-holonomic Lagrangian systems",
            "Journal of Physics A: Mathematical and General",
            1995,
            "28",
        ),
        Paper(
            "garcia-rodrigo-2004",
            ("P. L. Garc{\\'i}a", "C. Rodrigo"),
            "The momentum map in vakonomic mechanics",
            "Publicaciones de la RSME",
            2004,
            "7",
            "111--123",
        ),
        Paper(
            "cantrijn-cortes-de-leon-martin-de-diego-2002",
            ("F. Cantrijn", "J. Cort{\\'e}s", "M. de Le{\\'o}n", "D. Mart{\\'i}n de Diego"),
            "On the geometry of generalized Chaplygin systems",
            "Mathematical Proceedings of the Cambridge Philosophical Society",
            2002,
            "132",
        ),
        Paper(
            "patrick-2007",
            ("G. W. Patrick",),
            "Variational development of the semi-symplectic geometry of nonholonomic mechanics",
            "Reports on Mathematical Physics",
            2007,
            "59",
        ),
    )
}
"""The papers by key; formalisms name keys."""


def cited(system: System, formalisms: Iterable[str] | None = None) -> list[Paper]:
    """Return the papers behind the formalisms that apply to a system (or those named), each once."""
    names = list(formalisms) if formalisms is not None else [n for n in formalism_names() if not refusals(system, n)]
    keys = dict.fromkeys(key for name in names for key in formalism(name).cites)
    return [PAPERS[key] for key in keys]


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
