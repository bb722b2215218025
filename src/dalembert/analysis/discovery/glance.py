"""A short look at what nobody stated, for pages that ask for more: about a second of work at most.

Symmetries of Noether's kind that do not depend on time, the momenta that motions keep, and integrals of degree 1 and
2 in spaces of few unknown constants, among letters that the symmetries leave as they are. What is larger is not begun:
``discover`` does it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from dalembert.analysis.discovery.alphabets import alphabets
from dalembert.analysis.discovery.discover import known_integrals
from dalembert.analysis.discovery.first_integrals import Integral, search_integrals
from dalembert.analysis.discovery.point_symmetries import PointSymmetry, noether_symmetries
from dalembert.analysis.motions import Motions
from dalembert.errors import DalembertError
from dalembert.expr.walk import postorder
from dalembert.model.system import System

_MOST_NODES, _MOST_WORK = 400, 2_000
"""Nodes of the motion, and nodes times coordinates; what is more is left to ``discover``."""
_MOST_UNKNOWNS: Final = 130


@dataclass(frozen=True, slots=True)
class Glance:
    """What a short look finds; all of it is decided."""

    symmetries: tuple[PointSymmetry, ...] = ()
    integrals: tuple[Integral, ...] = ()
    """Momenta and energy by name, then new ones."""
    searched: tuple[str, ...] = ()
    note: str = ""
    """Why nothing was searched, where nothing was."""


def glance(system: System, formalism: str | None = None) -> Glance:
    """Return what a short look finds of the motions of a system.

    >>> look = glance(System.of(name="two springs", coordinates="x y", lagrangian="(x'^2 + y'^2 - x^2 - y^2)/2"))
    >>> [one.written for one in look.symmetries], [one.name or "new" for one in look.integrals]
    (['-y d/dx + x d/dy', 'd/dt'], ['momentum of -y d/dx + x d/dy', 'energy', 'new', 'new'])
    """
    try:
        motions = Motions(system, formalism)
        equations = motions.names.equations
        size = len(postorder(list(motions.names.drive.values())))
        if size > _MOST_NODES or size * len(system.q) > _MOST_WORK:
            return Glance(note=f"the motion has {size} nodes in {len(system.q)} coordinates, too many for a short look")
        if equations.implicit or system.holonomic.keys() - system.units:
            return Glance(note="constraints on positions and implicit unknowns are not taken")
        algebra = noether_symmetries(motions) if system.lagrangian is not None and system.order == 1 else None
        known = () if algebra is None else known_integrals(motions, algebra)
        letters, degrees = next(alphabets(motions, algebra, deep=False))
        found, spaces = list(known), [algebra.space] if algebra is not None else []
        for degree in degrees:
            one = search_integrals(motions, letters, degree, _MOST_UNKNOWNS, found)
            found += one.found
            spaces += [one.space] if one.unknowns else []
    except DalembertError as error:
        return Glance(note=str(error).removesuffix("."))
    return Glance(algebra.basis if algebra is not None else (), tuple(found), tuple(spaces))
