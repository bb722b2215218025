"""Where a motion begins on a section: the group element that brings the start there, found by Newton's method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr.calculus import define, gradient
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME
from dalembert.expr.text import parse, text
from dalembert.expr.walk import evaluate
from dalembert.geometry.groups.affine_action import AffineAction, MatrixElement
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.routh.on_section.section import Section
from dalembert.model.completed import kinetic_part, solved
from dalembert.model.faults import quoted
from dalembert.model.system import System
from dalembert.records import dataclass

_STEPS, _TRIALS = 60, 24
_CLOSE = 1e-13
_SINGULAR = 1e-9
_MET = 1e-8
Array = Any


@dataclass(frozen=True)
class Begin:
    """Makes a state of values of the stated coordinates and velocities."""

    system: System
    section: Section
    element: MatrixElement
    momenta: tuple[Expr, ...]
    """The symbols Pi_a that are variables, by generator; others are what mu says."""
    values: tuple[Expr, ...]
    """mu."""
    parameters: Mapping[Expr, Any]

    def __call__(self, start: Mapping[Any, Any] | None, values: Mapping[Any, Any] | None = None) -> dict[Expr, float]:
        """Return all variables, and the stated coordinates and velocities that they belong to."""
        point = self._read(start or {}, values or {})
        q = self.section.affine.coordinates
        numbers = np.array([point[one] for one in q])
        matrices, shifts = self._matrices(point)
        _require_free(numbers, matrices, shifts)
        self._complete(point)
        rates = np.array([point[one.dot] for one in q])
        linear, shift = _brought(numbers, matrices, shifts, _held(self.section), self._names())
        back = np.linalg.inv(linear)
        there, moving = back @ (numbers - shift), back @ rates
        found = {one: float(x) for one, x in zip(q, numbers, strict=True)}
        found |= {one.dot: float(x) for one, x in zip(q, rates, strict=True)}
        found |= self._on_section(point, there, moving, matrices, shifts)
        for block, rows, moved in self.element.parts:
            for i, row, b in zip(block, rows, moved, strict=True):
                found |= {e: float(linear[i, j]) for j, e in zip(block, row, strict=True) if e.op == "symbol"}
                found |= {b: float(shift[i])} if b.op == "symbol" else {}
        return found

    def _on_section(
        self, point: Mapping[Expr, float], there: Array, moving: Array, matrices: Array, shifts: Array
    ) -> dict[Expr, float]:
        q, places = self.section.affine.coordinates, list(self.section.places)
        fields = np.array([a @ there + b for a, b in zip(matrices, shifts, strict=True)])
        w = np.linalg.solve(fields[:, places].T, moving[places])
        slide = moving - w @ fields
        found: dict[Expr, float] = {}
        for i, one in enumerate(q):
            if one not in self.section.held:
                x = self.section.point[i]
                found |= {x: float(there[i]), x.dot: float(slide[i])}
        here = {**point, **dict(zip(q, there.tolist(), strict=True))}
        here |= {one.dot: rate for one, rate in zip(q, moving.tolist(), strict=True)}
        momentum = self._momentum(here)
        return found | {
            pi: float(p) for pi, p in zip(self.momenta, momentum, strict=True) if pi.op == "symbol" and pi not in found
        }

    # -- what is said ----------------------------------------------------------------------------------------------
    def _read(self, start: Mapping[Any, Any], values: Mapping[Any, Any]) -> dict[Expr, float]:
        system = self.system
        point = {p: float(v) for p, v in self.parameters.items()}
        known = {p.data.name: p for p in point}
        for key, value in values.items():
            name = key.data.name if isinstance(key, Expr) else key
            if name in known:
                point[known[name]] = self._number(value, point)
        point[symbol(TIME)] = self._number(system.run.begin, point)
        labels = {one.data.label: one for one in (*system.q, *system.v)}
        told: dict[Any, Any] = {**system.start.near, **system.start.values}
        for key, value in (*told.items(), *start.items()):
            label = key.data.label if isinstance(key, Expr) else str(key)
            if label not in labels:
                raise EvaluationError(
                    f"the start gives a value to {quoted(label)}; on a section through the orbits a motion begins by "
                    "the stated coordinates and their velocities."
                )
            point[labels[label]] = self._number(value, point)
        for one in system.q:
            point.setdefault(one, 0.0)
        return point

    def _number(self, value: Any, point: Mapping[Expr, float]) -> float:
        if isinstance(value, str):
            value = parse(value, self.system.vocabulary)
        if isinstance(value, Expr):
            return float(evaluate(define([value], self.system.definitions), Floats(point))[0])
        return float(value)

    def _momenta(self) -> list[Expr]:
        system = self.system
        assert system.lagrangian is not None
        slopes = gradient(system.lagrangian, system.v)
        return [dot(slopes, e.components) for e in self.section.affine.action.generators]

    def _momentum(self, point: Mapping[Expr, float]) -> list[float]:
        return [float(p) for p in evaluate(define(self._momenta(), self.system.definitions), Floats(dict(point)))]

    def _complete(self, point: dict[Expr, float]) -> None:
        """Complete the velocities that are left open, at the momentum; refuse another one."""
        system = self.system
        open_ = [v for v in system.v if v not in point]
        rows = define([p - mu for p, mu in zip(self._momenta(), self.values, strict=True)], system.definitions)
        known = dict(point)
        there, found = solved(rows, open_, known, lambda: kinetic_part(system, open_, known))
        point |= there
        momentum, wanted = self._momentum(point), evaluate(define(list(self.values), system.definitions), Floats(point))
        gaps = [abs(p - mu) / (1 + abs(mu)) for p, mu in zip(momentum, wanted, strict=True)]
        if not all(gap <= _MET for gap in gaps):
            names = self.section.affine.action.names
            worst = int(np.argmax(gaps))
            raise EvaluationError(
                f"the start has the momentum {names[worst]} = {momentum[worst]:.6g}, and the equations are for "
                f"{wanted[worst]:.6g}; give other velocities, or other values in [momentum]."
            )
        if found.kind in {"open", "several"}:
            labels = ", ".join(v.data.label for v, unclear in zip(open_, found.unclear, strict=True) if unclear)
            raise EvaluationError(f"the momentum leaves {labels} open at the start; give values.")

    # -- the group -------------------------------------------------------------------------------------------------
    def _matrices(self, point: Mapping[Expr, float]) -> tuple[Array, Array]:
        affine = self.section.affine
        return _shaped(affine, evaluate(affine.entries(), Floats(dict(point))))

    def _names(self) -> str:
        return ", ".join(f"{text(q)} = {text(value)}" for q, value in self.section.held.items())


def crossing(section: Section, places: Sequence[float], entries: Sequence[float]) -> float:
    """Return how well generators cross a section where an element of the group brings a point; 0 where none does."""
    matrices, shifts = _shaped(section.affine, entries)
    try:
        return _found(np.array(places), matrices, shifts, _held(section))[0]
    except EvaluationError:
        return 0.0


def _shaped(affine: AffineAction, entries: Sequence[float]) -> tuple[Array, Array]:
    """Return A_a and b_a as arrays."""
    size, count = len(affine.coordinates), len(affine.linear)
    found = np.array(entries, float)
    return found[: count * size * size].reshape(count, size, size), found[count * size * size :].reshape(count, size)


def _held(section: Section) -> dict[int, float]:
    held = zip(section.places, section.held.values(), strict=True)
    return {place: float(value.value or 0) for place, value in held}


def _require_free(q: Array, matrices: Array, shifts: Array) -> None:
    """Refuse a point that a combination of generators does not move."""
    sizes = np.linalg.svd(matrices @ q + shifts, compute_uv=False)
    if sizes[-1] <= _SINGULAR * max(sizes[0], 1e-300):
        raise EvaluationError(
            "at the start the action is not free: some combination of generators does not move this point, and Routh's "
            "procedure asks that none does; begin elsewhere, or leave generators out."
        )


def _brought(q: Array, matrices: Array, shifts: Array, held: Mapping[int, float], names: str) -> tuple[Array, Array]:
    """Return G and beta with q = G s + beta, s on the section."""
    try:
        _, element = _found(q, matrices, shifts, held)
    except EvaluationError:
        raise EvaluationError(
            f"no element of the group was found that brings the start to the section {names}; "
            "begin elsewhere, or state the coordinates in another order."
        ) from None
    back, size = np.linalg.inv(element), len(q)
    return back[:size, :size], back[:size, size]


def _found(q: Array, matrices: Array, shifts: Array, held: Mapping[int, float]) -> tuple[float, Array]:
    """Return an element that brings q to the section, the best conditioned of what several starts lead to."""
    size, count = len(q), len(matrices)
    draw = np.random.default_rng(2_008)
    best: tuple[float, Array] | None = None
    for trial in range(_TRIALS):
        element = np.eye(size + 1)
        if trial:
            element = _exponential(draw.normal(size=count) * min(trial, 3), matrices, shifts)
        found = _newton(element, q, matrices, shifts, held)
        if found is not None and (best is None or found[0] > best[0] * (1 + 1e-6)):
            best = found
        if best is not None and trial > 6:
            break
    if best is None:
        raise EvaluationError("no element was found.")
    return best


def _newton(
    element: Array, q: Array, matrices: Array, shifts: Array, held: Mapping[int, float]
) -> tuple[float, Array] | None:
    """Return how well generators cross the section where an element brings q, and that element."""
    places, wanted = list(held), np.array(list(held.values()))
    size = len(q)
    scale = 1 + np.max(np.abs(q))
    for _ in range(_STEPS):
        there = element[:size, :size] @ q + element[:size, size]
        fields = matrices @ there + shifts
        crossing = fields[:, places].T
        gap = wanted - there[places]
        sizes = np.linalg.svd(crossing, compute_uv=False)
        if not np.all(np.isfinite(there)) or sizes[-1] <= _SINGULAR * sizes[0]:
            return None
        if np.max(np.abs(gap)) <= 4e-16 * scale:
            break
        step = np.linalg.solve(crossing, gap)
        length = float(np.linalg.norm(step))
        element = _exponential(step * min(1.0, 1.0 / length), matrices, shifts) @ element
    else:
        there = element[:size, :size] @ q + element[:size, size]
        if np.max(np.abs(wanted - there[places])) > _CLOSE * scale:
            return None
    return float(sizes[-1] / sizes[0]), element


def _exponential(step: Sequence[float] | Array, matrices: Array, shifts: Array) -> Array:
    """Return exp of a combination of generators, as a matrix on (q, 1)."""
    size = shifts.shape[1]
    whole = np.zeros((size + 1, size + 1))
    whole[:size, :size] = np.einsum("a,aij->ij", step, matrices)
    whole[:size, size] = np.asarray(step) @ shifts
    norm = float(np.linalg.norm(whole, 1))
    halvings = max(0, int(np.ceil(np.log2(norm))) + 4) if norm > 0 else 0
    whole = whole / 2**halvings
    term = total = np.eye(size + 1)
    for k in range(1, 16):
        term = term @ whole / k
        total = total + term
    for _ in range(halvings):
        total = total @ total
    return total
