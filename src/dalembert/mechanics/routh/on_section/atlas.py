"""Sections between which a motion changes: one through any point at which the action is free.

At q some coordinates are held at the values that they have there, those along which the generators are most
independent; the group element is the neutral one, so that x is the rest of q and Pi is mu. The values are parameters:
the equations are derived once for a set of coordinates that are held. How well the generators cross a section at s is
told by the minor of E~_a(s) on what is held, beside the largest: where that of the largest vanishes too the action is
not free, and there is nothing to go on in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.expr.calculus import define
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import Symbol
from dalembert.expr.walk import evaluate
from dalembert.geometry.groups.affine_action import AffineAction
from dalembert.geometry.straighten import fresh_names
from dalembert.mechanics.lagrangian.euler_lagrange import derive as derive_whole
from dalembert.mechanics.routh.adapted_coordinates import names_of
from dalembert.mechanics.routh.hypotheses import Symmetry, momenta_of
from dalembert.mechanics.routh.on_section.section import Section, section_at
from dalembert.model.equations import Atlas, Equations, Patch
from dalembert.model.system import System

if TYPE_CHECKING:
    from dalembert.mechanics.routh.on_section.derived import RouthOnSection

_FREE = 1e-9
"""The action counts as not free where a generator is this part of its length from the span of the others."""
_NOT_FREE = (
    "the action is not free there: some combination of generators does not move that point, and Routh's procedure asks "
    "that none does (Crampin, Mestdag, section II)"
)
Array = Any


@dataclass(frozen=True, eq=False)
class Sections:
    """The sections of an affine action, each made where a motion comes to need it."""

    system: System
    symmetry: Symmetry
    affine: AffineAction
    derive: Callable[[Section], RouthOnSection]
    known: dict[tuple[int, ...], RouthOnSection] = field(default_factory=dict)

    def atlas(self, section: Section | None = None) -> Atlas:
        """Return what a motion goes on in; where it is on a ``section``, with how far it is from its end."""
        return Atlas(self.whole, self.around, _NOT_FREE, None if section is None else partial(self.margin, section))

    def whole(self) -> Equations:
        """Return the motion by stated coordinates, with its momenta."""
        found = derive_whole(self.system).equations
        momenta = momenta_of(self.system, self.symmetry.action)
        told = zip(self.symmetry.action.names, momenta, strict=True)
        return replace(found, formalism="routh", monitors={**found.monitors, **{f"momentum {a}": p for a, p in told}})

    def around(self, point: Mapping[Expr, float]) -> Patch | None:
        """Return the section through a point, with the neutral element of the group; None where it is not free."""
        q = self.affine.coordinates
        numbers, rates = np.array([point[one] for one in q]), np.array([point[one.dot] for one in q])
        fields = self._fields(point, numbers[:, None])
        order, (part, *_) = _independent(fields)
        if not part > _FREE:
            return None
        places = tuple(sorted(order[0].tolist()))
        if places not in self.known:
            found = self.derive(self._section(places))
            self.known[places] = replace(found, equations=replace(found.equations, initial_state=None))
        found = self.known[places]
        w = np.linalg.solve(fields[0][:, places].T, rates[list(places)])
        slide = rates - w @ fields[0]
        start = {**dict(zip(q, numbers, strict=True)), **dict(zip([one.dot for one in q], rates, strict=True))}
        for i, x in enumerate(found.section.point):
            start |= {} if i in places else {x: numbers[i], x.dot: slide[i]}
        told = evaluate(define(list(self.symmetry.values), self.system.definitions), Floats(dict(point)))
        variable = found.equations.kinematics
        start |= {pi: mu for pi, mu in zip(found.momenta, told, strict=True) if pi in variable}
        start |= {e: one.value or 0 for e, one in found.element.neutral().items()}
        values = {
            held.data.name: float(numbers[i]) for i, held in zip(places, found.section.held.values(), strict=True)
        }
        numbered = {name: float(value) for name, value in start.items()}
        return Patch(found.equations, values, numbered, partial(self.margin, found.section))

    def margin(self, section: Section, table: Mapping[Expr, Any]) -> Array:
        """Return the minor of the generators on what is held, beside the size of that on coordinates that are best."""
        many = max(np.size(value) for value in table.values())
        rows = evaluate(list(section.point), Floats(dict(table)))
        points = np.array([np.broadcast_to(np.asarray(row, float), many) for row in rows])
        fields = self._fields({s: float(np.ravel(v)[0]) for s, v in table.items()}, points)
        order, _ = _independent(fields)
        best = np.linalg.det(np.take_along_axis(fields, order[:, None, :], axis=2))
        own = np.linalg.det(fields[:, :, list(section.places)])
        with np.errstate(all="ignore"):
            found: Array = np.where(best == 0, 1.0, own / np.abs(best))
        return found

    def _section(self, places: tuple[int, ...]) -> Section:
        q = self.affine.coordinates
        taken = [*names_of(self.system), *(p.data.name for p in self.symmetry.defaults)]
        labels = fresh_names([f"{q[i].data.name}_held" for i in places], taken)
        held = [symbol(Symbol(label, role="parameter")) for label in labels]
        return section_at(self.affine, dict(zip((q[i] for i in places), held, strict=True)), [*taken, *labels])

    def _fields(self, known: Mapping[Expr, float], points: Array) -> Array:
        """Return the generators at points: by point, generator, component."""
        size, count = len(self.affine.coordinates), len(self.affine.linear)
        flat = np.array(evaluate(self.affine.entries(), Floats(dict(known))), float)
        linear, shifts = flat[: count * size * size].reshape(count, size, size), flat[count * size * size :]
        found: Array = np.einsum("aij,jt->tai", linear, points) + shifts.reshape(count, size)
        return found


def _independent(fields: Array) -> tuple[Array, Array]:
    """Return for each point the components on which generators are most independent, one after the other; and how much.

    The latter is the least length that is left of a component when those before are taken away, beside the first.
    """
    left = fields.copy()
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
