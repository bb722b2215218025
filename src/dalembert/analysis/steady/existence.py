"""That a steady motion exists near numbers: Krawczyk's test in ball arithmetic.

The orbit is used up, xi and what vanishes by itself are eliminated exactly, as for closed forms. Of what is left as
many equations are kept as there are unknowns; each of the others has to follow: a function c that the motion keeps and
the symmetry leaves alone gives dc(F - xi^a X_a) = 0, so that one component vanishes where all others do and the
derivative of c by its variable does not. A box that Krawczyk's operator maps into itself holds exactly one solution of
the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, fmpq

from dalembert.analysis.steady.conserved import invariant, sphere_facts
from dalembert.analysis.steady.families import eliminated
from dalembert.analysis.steady.search import Held, Label, Point
from dalembert.analysis.steady.steady_field import SteadyField
from dalembert.errors import DalembertError
from dalembert.expr.calculus import gradient, jacobian, tangent
from dalembert.expr.graph import ZERO, Expr, number, symbol, total
from dalembert.expr.readers import Balls, Floats
from dalembert.expr.truth import Fact, Verdict, vanish
from dalembert.expr.walk import evaluate, substitute
from dalembert.model.trajectory import Array

_BITS = 192
_MOST_LEFT = 7
_RADII = (1e-13, 1e-10, 1e-7, 1e-5)
"""How far a box may reach, beside the size of what is sought."""


def existence(field: SteadyField, point: Point, held: Held) -> Verdict:
    """Say whether there is a steady motion near a point, where what is held has its values and parameters theirs."""
    try:
        return _existence(field, point, held)
    except (DalembertError, ZeroDivisionError, OverflowError) as fault:
        return Verdict("measured", f"Newton's method ends there; a proof did not succeed: {fault}")


def _existence(field: SteadyField, point: Point, held: Held) -> Verdict:
    equations = field.problem.equations
    given = {p: number(Fraction(float(v))) for p, v in zip(equations.parameters, point.parameters, strict=True)}
    exact = {label: number(Fraction(v)) for label, v in zip(held.labels, held.values, strict=True)}
    rows, known, names = eliminated(field, exact)
    unknown = [v for v in field.unknowns if v not in known and any(_meets(v, row) for row in rows)]
    near = {v: Fraction(float(x)) for v, x in zip(field.unknowns, point.y, strict=True)}
    rows = substitute(rows, given)
    if not unknown:
        if rows:
            return Verdict("measured", "Newton's method ends there; what is left has no unknowns.")
        return Verdict("proved", "all equations hold identically at these values.")
    chosen, free = _square(rows, unknown, near, _relations(field, names))
    for v in free:  # members of a family: the others are found at these values
        rows = substitute(rows, {v: number(near[v])})
    inner = [v for v in unknown if v not in free]
    left = [names[k] for k in range(len(rows)) if k not in chosen]
    box = _krawczyk([rows[k] for k in chosen], inner, near)
    if box is None:
        return Verdict("measured", "Newton's method ends there; Krawczyk's operator does not map a box into itself.")
    put = {**known, **given, **{v: number(near[v]) for v in free}}
    if left and not _follow(field, left, put, box):
        return Verdict(
            "measured", "Newton's method ends there; some equations are not shown to follow from the others."
        )
    size = max((float(b.rad()) for b in box.values()), default=0.0)
    said = f"Krawczyk's operator maps a box of radius {size:.1e} into itself"
    return Verdict("proved", f"{said}{', and the other equations follow by what is conserved' if left else ''}.")


def fold_existence(field: SteadyField, point: Point, held: Held, label: Label) -> Verdict:
    """Say whether a curve of steady motions turns back in its label near a point.

    The equations R(z) = 0 of the curve, z being the unknowns with a parameter that is the label, are extended by a
    vector phi with R'(z) phi = 0, d(label) phi = 0 and one component that is 1. Where Krawczyk's operator maps a box
    into itself there is exactly one solution in it, and it is regular: the label has a strict extremum along the curve.
    """
    try:
        return _fold_existence(field, point, held, label)
    except (DalembertError, ZeroDivisionError, OverflowError, np.linalg.LinAlgError) as fault:
        return Verdict("measured", f"the label turns back there; a proof did not succeed: {fault}")


def _fold_existence(field: SteadyField, point: Point, held: Held, label: Label) -> Verdict:
    parameters = list(field.problem.equations.parameters)
    own = None if label.place is None else parameters[label.place]
    near = {
        v: Fraction(float(x))
        for v, x in zip((*field.unknowns, *parameters), (*point.y, *point.parameters), strict=True)
    }
    given = {p: number(near[p]) for p in parameters if p is not own}
    exact = {one: number(Fraction(v)) for one, v in zip(held.labels, held.values, strict=True)}
    rows, known, names = eliminated(field, exact)
    mark = own if own is not None else label.expression
    assert mark is not None
    (mark,) = substitute([mark], {**known, **given})
    rows = substitute(rows, given)
    unknown = [v for v in field.unknowns if v not in known and any(_meets(v, row) for row in (*rows, mark))]
    unknown += [] if own is None else [own]
    chosen, free = _square(rows, unknown, near, _relations(field, names))
    if len(free) != 1:
        return Verdict("measured", f"the label turns back there; {len(free)} unknowns are left open instead of one.")
    kept = [rows[k] for k in chosen]
    slopes = jacobian([*kept, mark], unknown)
    flat = evaluate([e for row in slopes for e in row], Floats({v: float(near[v]) for v in unknown}))
    vector = np.linalg.svd(np.array(flat, dtype=np.float64).reshape(len(unknown), len(unknown)))[2][-1]
    largest = int(np.argmax(np.abs(vector)))
    phi = [symbol(f"phi.{k}") for k in range(1, len(unknown) + 1)]
    near |= {p: Fraction(float(x / vector[largest])) for p, x in zip(phi, vector, strict=True)}
    extended = [
        *kept,
        *(total([(1, e * p) for e, p in zip(row, phi, strict=True)]) for row in slopes),
        phi[largest] - 1,
    ]
    box = _krawczyk(extended, [*unknown, *phi], near)
    if box is None:
        return Verdict("measured", "the label turns back there; Krawczyk's operator does not map a box into itself.")
    left = [names[k] for k in range(len(rows)) if k not in chosen]
    if left and not _follow(field, left, {**known, **given}, {v: box[v] for v in unknown}):
        return Verdict(
            "measured", "the label turns back there; some equations are not shown to follow from the others."
        )
    return Verdict("proved", "Krawczyk's operator of the extended system maps a box into itself.")


def _meets(v: Expr, row: Expr) -> bool:
    from dalembert.expr.walk import symbols

    return v.data in symbols([row])


def _relations(field: SteadyField, names: Sequence[int]) -> list[int]:
    """Return the places of equations that are no defects: nothing that is conserved makes these follow."""
    return [k for k, name in enumerate(names) if name >= len(field.state)]


def _square(
    rows: Sequence[Expr], unknown: Sequence[Expr], near: dict[Expr, Fraction], first: Sequence[int]
) -> tuple[list[int], list[Expr]]:
    """Return rows that determine as many unknowns as there are, best first, and the unknowns that stay open."""
    slopes = jacobian(list(rows), list(unknown))
    flat = evaluate([e for row in slopes for e in row], Floats({v: float(near[v]) for v in unknown}))
    left = np.array(flat, dtype=np.float64).reshape(len(rows), len(unknown))
    scale = float(np.abs(left).max(initial=0.0))
    chosen: list[int] = []
    columns: list[int] = []
    while len(chosen) < min(left.shape):
        sizes = np.abs(left)
        sizes[chosen, :] = -1.0
        sizes[:, columns] = -1.0
        if float(sizes[list(first)].max(initial=0.0)) > 1e-8 * scale:
            sizes[[k for k in range(len(sizes)) if k not in first], :] = -1.0
        k, place = divmod(int(np.argmax(sizes)), left.shape[1])
        if sizes[k, place] <= 1e-8 * scale:
            break
        left = left - np.outer(left[:, place] / left[k, place] * (np.arange(len(left)) != k), left[k])
        chosen.append(k)
        columns.append(place)
    return sorted(chosen), [v for j, v in enumerate(unknown) if j not in columns]


class _Boxes(Balls):
    """Reads with symbols that stand for whole intervals."""

    def _look_up(self, node: Expr) -> Any:
        return self.values[node]


def _krawczyk(rows: Sequence[Expr], unknown: Sequence[Expr], near: dict[Expr, Fraction]) -> dict[Expr, Any] | None:
    """Return a box that holds exactly one solution, or None."""
    slopes = [e for row in jacobian(list(rows), list(unknown)) for e in row]
    size = len(unknown)
    middle = {v: arb(fmpq(near[v].numerator, near[v].denominator)) for v in unknown}
    at = _Boxes(middle, _BITS).read([*rows, *slopes])
    inverse = np.linalg.inv(np.array([float(e) for e in at[size:]]).reshape(size, size))
    rough = [[arb(float(e)) for e in row] for row in inverse]
    step = [sum((rough[i][j] * at[j] for j in range(size)), arb(0)) for i in range(size)]
    for radius in _RADII:
        widths = [arb(radius * (1.0 + abs(float(middle[v])))) for v in unknown]
        if any(abs(s).upper() > w for s, w in zip(step, widths, strict=True)):
            continue
        box = {v: middle[v] + arb(0, float(w)) for v, w in zip(unknown, widths, strict=True)}
        try:
            wide = _Boxes(box, _BITS).read(slopes)
        except DalembertError:
            continue
        inside = True
        found = {}
        for i, v in enumerate(unknown):
            spread = arb(0)
            for k in range(size):
                entry = sum((rough[i][j] * wide[j * size + k] for j in range(size)), arb(0))
                spread += ((1 if i == k else 0) - entry) * (box[unknown[k]] - middle[unknown[k]])
            image = -step[i] + spread
            inside = inside and bool(abs(image) < widths[i])
            found[v] = middle[v] + image
        if inside:
            return found
    return None


def _follow(field: SteadyField, left: Sequence[int], put: dict[Expr, Expr], box: dict[Expr, Any]) -> bool:
    """Say whether the defects of some state variables vanish where all others do, by what is conserved.

    The relations between state variables are: motions and symmetries keep them.
    """
    if any(k >= len(field.state) for k in left) or len(left) > _MOST_LEFT:
        return False
    kept = [*_kept_relations(field), *(one for one in field.conserved.values() if invariant(field, one))]
    variables = [field.state[k] for k in left]
    size = len(left)
    table = substitute([e for c in kept for e in gradient(c, variables)], put)
    values = _Boxes(box, _BITS).read(table)
    rows = [values[i * size : (i + 1) * size] for i in range(len(kept))]
    chosen = _independent(np.array([[float(e) for e in row] for row in rows]).reshape(len(kept), size))
    return len(chosen) == size and not _determinant([rows[k] for k in chosen]).contains(0)


def _kept_relations(field: SteadyField) -> list[Expr]:
    """Return the relations that are decided to stay where they hold, along motions and symmetries."""
    relations = list(field.manifold.relations)
    spheres = sphere_facts(field)
    facts: list[Fact] = [*spheres, *((r, ZERO) for r in relations if not vanish([r], spheres))]
    ways = [field.problem.equations.rates(), *(dict(one.components) for one in field.symmetries)]
    return [r for r in relations if all(vanish(tangent([r], way), facts) for way in ways)]


def _independent(matrix: Array) -> list[int]:
    """Return rows that are independent as numbers, as many as there are."""
    left, chosen = matrix.copy(), []
    for _ in range(min(matrix.shape)):
        k, place = divmod(int(np.argmax(np.abs(left))), left.shape[1])
        if abs(left[k, place]) <= 1e-9 * (1 + float(np.abs(matrix).max(initial=0.0))):
            break
        chosen.append(k)
        pivot = left[k].copy()
        left = left - np.outer(left[:, place] / pivot[place], pivot)
    return chosen


def _determinant(rows: Sequence[Sequence[Any]]) -> Any:
    if len(rows) == 1:
        return rows[0][0]
    minors = [[[e for k, e in enumerate(row) if k != j] for row in rows[1:]] for j in range(len(rows))]
    return sum(((-1) ** j * rows[0][j] * _determinant(minor) for j, minor in enumerate(minors)), arb(0))
