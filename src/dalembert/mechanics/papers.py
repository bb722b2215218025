"""The papers whose theorems are applied here."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PAPERS", "Paper"]


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
