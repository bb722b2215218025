"""Worked formulas of the five papers: each derived from its definitions, beside what is printed."""

from formulas import nonholonomic, reduction, routh, semisymplectic, vakonomic
from formulas.record import Formula

__all__ = ["FORMULAS", "Formula"]

_PAPERS = (routh, nonholonomic, vakonomic, reduction, semisymplectic)

FORMULAS: tuple[Formula, ...] = tuple(formula for paper in _PAPERS for system in paper.SYSTEMS for formula in system())
