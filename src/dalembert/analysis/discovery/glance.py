"""A short look at what nobody stated, for pages that ask for more: about a second of work at most.

Symmetries of Noether's kind that do not depend on time, the momenta that motions keep, and integrals of degree 1 and
2 in spaces of few unknown constants, among letters that the symmetries leave as they are. What is larger is not begun:
``discover`` does it; but the momenta of symmetries that reductions find by themselves are taken of larger motions too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dalembert.analysis.discovery.alphabets import alphabets
from dalembert.analysis.discovery.first_integrals import Integral, new_ones, search_integrals
from dalembert.analysis.discovery.momenta import known_integrals
from dalembert.analysis.discovery.point_symmetries import PointSymmetry, SymmetryAlgebra, noether_symmetries
from dalembert.analysis.motions import Motions
from dalembert.errors import DalembertError
from dalembert.expr.graph import Expr
from dalembert.expr.walk import postorder
from dalembert.mechanics.found_symmetries import find_symmetries
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.records import dataclass, field

_MOST_NODES, _MOST_WORK = 400, 2_000
"""Nodes of the motion, and nodes times coordinates; what is more is left to ``discover``."""
_MOST_MOMENTA: Final = 12_000
"""Nodes of the motion times generators whose momenta are decided."""
_MOST_UNKNOWNS: Final = 130


@dataclass(frozen=True, slots=True)
class Glance:
    """What a short look finds; all of it is decided."""

    symmetries: tuple[PointSymmetry, ...] = ()
    integrals: tuple[Integral, ...] = ()
    """Momenta and energy by name, then new ones."""
    searched: tuple[str, ...] = ()
    note: str = ""
    """Why integrals were not searched, where they were not."""
    motions: Motions | None = field(default=None, repr=False, compare=False)

    def besides(self, known: Sequence[Expr]) -> tuple[Integral, ...]:
        """Return the integrals that are no polynomials of low degree in others, known from elsewhere.

        >>> look = glance(System.of(name="free", coordinates="x y", lagrangian="(x'^2 + y'^2)/2"))
        >>> [one.name for one in look.besides([look.integrals[0].expression])]
        ['momentum of d/dy', 'momentum of -y d/dx + x d/dy', 'energy']
        """
        if self.motions is None or not known:
            return self.integrals
        try:
            stated = [self.motions.names.expression(one) for one in known]
            fresh = new_ones(self.motions, [one.expression for one in self.integrals], stated)
        except DalembertError:  # with functions that are not told apart by values
            return self.integrals
        return tuple(self.integrals[k] for k in fresh)


def glance(system: System, formalism: str | None = None, derived: Equations | None = None) -> Glance:
    """Return what a short look finds of the motions of a system, whose equations may have been derived before.

    >>> look = glance(System.of(name="two springs", coordinates="x y", lagrangian="(x'^2 + y'^2 - x^2 - y^2)/2"))
    >>> [one.written for one in look.symmetries], [one.name or "new" for one in look.integrals]
    (['-y d/dx + x d/dy', 'd/dt'], ['momentum of -y d/dx + x d/dy', 'energy', 'new', 'new'])
    """
    try:
        motions = Motions(system, formalism, derived)
        equations = motions.names.equations
        size = len(postorder(list(motions.names.drive.values())))
        if size > _MOST_NODES or size * len(system.q) > _MOST_WORK:
            why = f"the motion has {size} nodes in {len(system.q)} coordinates, too many for a short look"
            return _momenta(motions, size, why)
        if equations.implicit or system.holonomic.keys() - system.units:
            there = "implicit unknowns" if equations.implicit else "constraints on positions"
            return _momenta(motions, size, f"a short look takes no {there}")
        stated = system.lagrangian is not None and system.order == 1 and system.algebra is None
        algebra = noether_symmetries(motions) if stated else None
        known = () if algebra is None else known_integrals(motions, algebra)
        letters, degrees = next(alphabets(motions, algebra, deep=False))
        found, spaces = list(known), [algebra.space] if algebra is not None else []
        for degree in degrees:
            one = search_integrals(motions, letters, degree, _MOST_UNKNOWNS, found)
            found += one.found
            spaces += [one.space] if one.unknowns else []
    except DalembertError as error:
        return Glance(note=str(error).removesuffix("."))
    return Glance(algebra.basis if algebra is not None else (), tuple(found), tuple(spaces), motions=motions)


def _momenta(motions: Motions, size: int, why: str) -> Glance:
    """Return the momenta, among those of the symmetries that reductions look for, that the motions keep."""
    try:
        found = find_symmetries(motions.system)
    except DalembertError:
        return Glance(note=why)
    if not found.generators or size * len(found.generators) > _MOST_MOMENTA:
        return Glance(note=why)
    basis = tuple(PointSymmetry(one, found.verdict) for one in found.generators.values())
    algebra = SymmetryAlgebra(basis, found.verdict, found.space, motions.system)
    return Glance(basis, known_integrals(motions, algebra), (f"fields among {found.space}",), why, motions)
