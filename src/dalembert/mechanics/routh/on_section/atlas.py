"""Sections between which a motion changes: one through any point at which the action is free.

At q some coordinates are held at the values that they have there, those along which the generators are most
independent; the group element is the neutral one, so that x is the rest of q and Pi is mu. The values are parameters:
the equations are derived once for a set of coordinates that are held. How well the generators cross a section at s is
told by the minor of E~_a(s) on what is held, beside the largest. Where that of the largest vanishes too the action is
not free, and Routh's procedure by this group ends. A subgroup may act freely there (of bodies in one line in space, the
translations and the turns about an axis across it): around such points the motion is reduced by the largest that does,
at the same momentum. Where not even one generator does there is nothing to go on in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.expr.calculus import define
from dalembert.expr.graph import ONE, ZERO, Expr, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import vanish
from dalembert.expr.walk import evaluate
from dalembert.geometry.groups.affine_action import AffineAction
from dalembert.geometry.straighten import fresh_names
from dalembert.mechanics.lagrangian.euler_lagrange import derive as derive_whole
from dalembert.mechanics.routh.adapted_coordinates import names_of
from dalembert.mechanics.routh.hypotheses import Symmetry, momenta_of
from dalembert.mechanics.routh.on_section.section import Section, section_at
from dalembert.model.equations import Atlas, Equations, Patch
from dalembert.model.system import System
from dalembert.records import dataclass, field, replace

if TYPE_CHECKING:
    from dalembert.mechanics.routh.on_section.derived import RouthOnSection

_FREE, _BLURRED = 1e-9, 0.005
"""The action counts as not free where a generator is this part of its length from the span of the others; and so it
does, up to the second part, where rounding errors, over that part, are seen at a motion's tolerance."""
_POOR, _GOOD = 0.1, 0.25
"""Where variables end, a group goes on that is freer than the first; the whole group comes back beyond the second."""
_MOST = 10
"""Of a group of more generators no subgroups are looked at."""
_NOT_FREE = (
    "the action is not free there: some combination of generators does not move that point, and Routh's procedure asks "
    "that none does (Crampin, Mestdag, section II)"
)
_SMALLER = (
    "the action is not free, as Routh's procedure asks (Crampin, Mestdag, section II), and the motion is reduced by"
)
Array = Any


@dataclass(frozen=True, eq=False)
class _Subgroup:
    """A group that stated generators make, with the momentum along it."""

    symmetry: Symmetry
    affine: AffineAction
    chosen: tuple[int, ...]
    """Which of the stated generators it has."""


@dataclass(frozen=True, eq=False)
class Sections:
    """The sections of an affine action, each made where a motion comes to need it."""

    system: System
    symmetry: Symmetry
    affine: AffineAction
    derive: Callable[[Symmetry, Section], RouthOnSection]
    known: dict[tuple[tuple[int, ...], tuple[int, ...]], RouthOnSection] = field(default_factory=dict)

    @cached_property
    def group(self) -> _Subgroup:
        """The whole group."""
        return _Subgroup(self.symmetry, self.affine, tuple(range(self.symmetry.action.dimension)))

    @cached_property
    def subgroups(self) -> list[_Subgroup]:
        """The groups that stated generators make, larger ones first, the whole one among them."""
        size, algebra = self.group.chosen, self.symmetry.action.algebra
        found = [self.group]
        for many in range(len(size) - 1 if len(size) <= _MOST else 0, 0, -1):
            for chosen in combinations(size, many):
                left = [c for c in size if c not in chosen]
                if vanish([algebra.constants[a][b][c] for a, b in combinations(chosen, 2) for c in left]):
                    found.append(self._subgroup(chosen))
        return found

    def _subgroup(self, chosen: tuple[int, ...]) -> _Subgroup:
        whole = self.symmetry
        size = range(whole.action.dimension)
        basis = [[ONE if a == b else ZERO for b in size] for a in chosen]
        action = whole.action.restricted(basis, [whole.action.names[a] for a in chosen])
        symmetry = replace(whole, action=action, values=tuple(whole.values[a] for a in chosen), hypotheses=())
        linear, shifts = (tuple(self.affine.linear[a] for a in chosen), tuple(self.affine.shifts[a] for a in chosen))
        return _Subgroup(symmetry, AffineAction(action, linear, shifts), chosen)

    def atlas(self, section: Section | None = None) -> Atlas:
        """Return what a motion goes on in; where it is on a ``section``, with how far it is from its end."""
        margin = None if section is None else partial(self.margin, self.group, section.point, section.places)
        return Atlas(self.whole, self.around, _NOT_FREE, margin)

    def whole(self) -> Equations:
        """Return the motion by stated coordinates, with its momenta."""
        found = derive_whole(self.system).equations
        momenta = momenta_of(self.system, self.symmetry.action)
        told = zip(self.symmetry.action.names, momenta, strict=True)
        return replace(found, formalism="routh", monitors={**found.monitors, **{f"momentum {a}": p for a, p in told}})

    def around(self, point: Mapping[Expr, float]) -> Patch | None:
        """Return the section through a point, with the neutral element of the group; None where none is free there.

        It is one of the whole group, or near points at which that is not free of the freest of the largest that are.
        """
        q = self.affine.coordinates
        numbers, rates = np.array([point[one] for one in q]), np.array([point[one.dot] for one in q])
        every = self._fields(point, numbers[:, None])
        group, order = self._freest(every)
        if group is None:
            return None
        fields = every[0][list(group.chosen)]
        places = tuple(sorted(order.tolist()))
        key = group.chosen, places
        if key not in self.known:
            found = self.derive(group.symmetry, self._section(group, places))
            self.known[key] = replace(found, equations=replace(found.equations, initial_state=None))
        found = self.known[key]
        w = np.linalg.solve(fields[:, places].T, rates[list(places)])
        slide = rates - w @ fields
        start = {**dict(zip(q, numbers, strict=True)), **dict(zip([one.dot for one in q], rates, strict=True))}
        for i, x in enumerate(found.section.point):
            start |= {} if i in places else {x: numbers[i], x.dot: slide[i]}
        told = evaluate(define(list(group.symmetry.values), self.system.definitions), Floats(dict(point)))
        variable = found.equations.kinematics
        start |= {pi: mu for pi, mu in zip(found.momenta, told, strict=True) if pi in variable}
        start |= {e: one.value or 0 for e, one in found.element.neutral().items()}
        values = {
            held.data.name: float(numbers[i]) for i, held in zip(places, found.section.held.values(), strict=True)
        }
        numbered = {name: float(value) for name, value in start.items()}
        margin = partial(self.margin, group, found.section.point, places)
        said = "" if group is self.group else f"{_SMALLER} {', '.join(group.symmetry.action.names)} alone"
        return Patch(found.equations, values, numbered, margin, said)

    def _freest(self, every: Array) -> tuple[_Subgroup | None, Array]:
        """Return the group that goes on at a point, and the components on which its generators are most independent."""
        best: tuple[float, _Subgroup | None, Array] = (_FREE, None, None)
        for group in self.subgroups:
            if best[0] > _POOR and best[1] is not None and len(group.chosen) < len(best[1].chosen):
                break
            order, (part, *_) = _independent(every[:, list(group.chosen)])
            if part > best[0]:
                best = float(part), group, order[0]
        return best[1:]

    def margin(
        self,
        group: _Subgroup,
        there: tuple[Expr, ...],
        places: tuple[int, ...],
        table: Mapping[Expr, Any],
        tolerance: float,
    ) -> Array:
        """Return the minor of the generators on what is held, beside the size of that on coordinates that are best.

        Zero where the group is not free, as far as the tolerance tells, and for a subgroup where the whole one is.
        """
        many = max(np.size(value) for value in table.values())
        rows = evaluate(list(there), Floats(dict(table)))
        points = np.array([np.broadcast_to(np.asarray(row, float), many) for row in rows])
        every = self._fields({s: float(np.ravel(v)[0]) for s, v in table.items()}, points)
        fields = every[:, list(group.chosen)]
        order, parts = _independent(fields)
        best = np.linalg.det(np.take_along_axis(fields, order[:, None, :], axis=2))
        own = np.linalg.det(fields[:, :, list(places)])
        over = parts <= min(max(_FREE, 4 * np.finfo(float).eps / tolerance), _BLURRED)
        if group is not self.group:
            over = over | (_independent(every)[1] > _GOOD)
        with np.errstate(all="ignore"):
            found: Array = np.where(over, 0.0, np.where(best == 0, 1.0, own / np.abs(best)))
        return found

    def _section(self, group: _Subgroup, places: tuple[int, ...]) -> Section:
        q = self.affine.coordinates
        taken = [*names_of(self.system), *(p.data.name for p in self.symmetry.defaults)]
        labels = fresh_names([f"{q[i].data.name}_held" for i in places], taken)
        held = [symbol(Symbol(label, role="parameter")) for label in labels]
        return section_at(group.affine, dict(zip((q[i] for i in places), held, strict=True)), [*taken, *labels])

    def _fields(self, known: Mapping[Expr, float], points: Array) -> Array:
        """Return the generators at points: by point, generator, component."""
        size, count = len(self.affine.coordinates), len(self.affine.linear)
        flat = np.array(evaluate(self.affine.entries(), Floats(dict(known))), float)
        linear, shifts = flat[: count * size * size].reshape(count, size, size), flat[count * size * size :]
        found: Array = np.einsum("aij,jt->tai", linear, points) + shifts.reshape(count, size)
        return found


def _independent(fields: Array) -> tuple[Array, Array]:
    """Return for each point the components on which generators are most independent, one after the other; and how much.

    The latter is the least length that is left of a component when those before are taken away, beside the first, of
    generators that are made as long as each other.
    """
    lengths_of = np.linalg.norm(fields, axis=2, keepdims=True)
    left = fields / np.where(lengths_of > 0, lengths_of, 1.0)
    order, lengths = [], []
    for _ in range(fields.shape[1]):
        sizes = np.linalg.norm(left, axis=1)
        chosen = np.argmax(sizes, axis=1)
        order.append(chosen)
        lengths.append(np.take_along_axis(sizes, chosen[:, None], axis=1)[:, 0])
        along = np.take_along_axis(left, chosen[:, None, None], axis=2)[:, :, 0]
        along = along / np.where(lengths[-1] > 0, lengths[-1], 1.0)[:, None]
        left = left - along[:, :, None] * np.einsum("ta,tai->ti", along, left)[:, None, :]
    with np.errstate(all="ignore"):
        return np.array(order).T, np.nan_to_num(np.array(lengths) / lengths[0]).min(axis=0)
