"""The linear part of a family of steady motions in second-order form, M q'' + C q' + K q = 0, by powers of its label.

It is read off the equations of motion before these are solved for the accelerations, so that M is their mass matrix and
the entries are as simple as the statement of the system. q are the coordinates across the orbit of the symmetry. The
speeds that label the family do not move q, and have to leave it alone: then they are constants beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.analysis.steady.exact_linear_part import Across, across, applied
from dalembert.analysis.steady.families import SteadyFamily, steady_families
from dalembert.analysis.steady.guesses import found_curve, held_at, label_of
from dalembert.analysis.steady.recognised import recognised_family
from dalembert.analysis.steady.search import Label
from dalembert.analysis.steady.steady_field import SteadyField, steady_field
from dalembert.errors import DalembertError, EvaluationError, ExpressionError
from dalembert.expr.calculus import diff, jacobian
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, ZERO, Expr, product, symbol, total
from dalembert.expr.linear.exact import inverse
from dalembert.expr.readers.floats import Arrays
from dalembert.expr.text import text
from dalembert.expr.truth import Verdict, never_zero, vanish
from dalembert.expr.walk import evaluate, substitute, symbols
from dalembert.model.trajectory import Array
from dalembert.records import dataclass
from dalembert.shown import Shown

Matrix = tuple[tuple[Expr, ...], ...]
_HIGHEST = 8
"""Powers of a label that are looked for."""
_TRIED = (1.25, 2.5, 0.8125)
"""Values of a label at which a family is looked for in numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class SecondOrderForm(Shown):
    """M q'' + C q' + K q = 0 on a family, in terms of its label and the parameters."""

    names: tuple[str, ...]
    """The coordinates q."""
    mass: Matrix
    damping: Matrix
    stiffness: Matrix
    label: str
    parameters: Mapping[Expr, float]
    verdict: Verdict
    """That all motions of the family are steady."""

    def by_powers(self, *names: str) -> dict[str, dict[str, Matrix]]:
        """Return M, C and K by powers of a label and of parameters; what vanishes is left out.

        That they are polynomials in these is decided, and refused where they are not.
        """
        found = {}
        for letter, matrix in (("M", self.mass), ("C", self.damping), ("K", self.stiffness)):
            parts: dict[tuple[tuple[Expr, int], ...], Matrix] = {(): matrix}
            for name in names:
                variable = self._variable(name)
                parts = {
                    (*power, *([(variable, k)] if k else [])): part
                    for power, whole in parts.items()
                    for k, part in _taylor(whole, variable, f"{letter} is no polynomial in '{name}'.").items()
                }
            found[letter] = {text(product(list(power))): part for power, part in parts.items()}
        return found

    def values(self, matrix: Matrix, at: Sequence[float] = (0.0,)) -> Array:
        """Return a matrix as numbers at values of the label, one matrix for each."""
        count = len(at)
        table: dict[Any, Any] = {p: np.full(count, value) for p, value in self.parameters.items()}
        table[self._variable(self.label)] = np.array(at, dtype=np.float64)
        flat = evaluate([e for row in matrix for e in row], Arrays(table))
        whole = np.array([np.broadcast_to(np.asarray(e, dtype=np.float64), (count,)) for e in flat])
        return np.moveaxis(whole.reshape(len(self.names), len(self.names), count), -1, 0)

    def eigenvalues(self, at: Sequence[float]) -> NDArray[np.complex128]:
        """Return the eigenvalues at values of the label, a row for each, those with the largest real part first."""
        size = len(self.names)
        heavy, damped, stiff = (self.values(m, at) for m in (self.mass, self.damping, self.stiffness))
        solved = np.linalg.solve(heavy, np.concatenate([stiff, damped], axis=2))
        unit = np.broadcast_to(np.eye(size), (len(at), size, size))
        upper = np.concatenate([np.zeros_like(unit), unit], axis=2)
        values = np.linalg.eigvals(np.concatenate([upper, -solved], axis=1)).astype(np.complex128)
        order = np.lexsort((values.imag, -np.round(values.real, 12)), axis=-1)
        return np.take_along_axis(values, order, axis=1)

    def without_label(self, matrix: Matrix) -> bool:
        """Return whether a matrix is a number once parameters are: the label does not occur."""
        return {p.data for p in self.parameters}.issuperset(symbols([e for row in matrix for e in row]))

    def _variable(self, name: str) -> Expr:
        if name == self.label and not any(p.data.name == name for p in self.parameters):
            return label_symbol(name)
        found = next((p for p in self.parameters if p.data.name == name), None)
        if found is None:
            raise ExpressionError(f"'{name}' is neither the label '{self.label}' nor a parameter.")
        return found


def second_order_form(
    result: Any,
    *,
    label: str,
    at: Mapping[str, Any] | None = None,
    values: Mapping[Any, Any] | None = None,
    functions: Mapping[Any, Any] | None = None,
) -> SecondOrderForm:
    """Return M q'' + C q' + K q = 0 about a family of steady motions, exactly, in terms of its label.

    >>> from dalembert import System, derive
    >>> caster = System.of(name="trolley", coordinates={"x": "real", "y": "real", "h": "angle"},
    ...     parameters={"m": 1, "J": 1, "a": 0.2, "k": 3}, speeds={"v": "x'*cos(h) + y'*sin(h)"},
    ...     lagrangian="m*((x' - a*sin(h)*h')^2 + (y' + a*cos(h)*h')^2)/2 + J*h'^2/2 - k*h^2/2",
    ...     constraints={"blade": "x'*sin(h) = y'*cos(h)"})
    >>> form = second_order_form(derive(caster, "nonholonomic"), label="v", at={"h": 0})
    >>> form.names, form.mass, form.by_powers("v")["C"], form.by_powers("v")["K"]
    (('h',), ((a^2*m + J,),), {'v': ((a*m,),)}, {'1': ((k,),)})

    ``label`` and ``at`` are as in ``steady``; the label may be a parameter too.
    """
    field = steady_field(result, values=values, functions=functions)
    held, exact = held_at(field, at or {})
    equations = field.problem.equations
    if equations.implicit or equations.saddle is not None or not equations.velocities:
        raise EvaluationError("these equations have unknowns beside accelerations, so they have no second-order form.")
    followed = label_of(field, label)
    family = _family(field, exact, followed)
    if family is None:
        points = [
            p
            for p in found_curve(field, result, held, followed, _TRIED, at or {}, values, functions, 20, 1)
            if p is not None
        ]
        family = recognised_family(field, points, exact) if len(points) > 1 else None
    if family is None:
        raise EvaluationError("no family of steady motions in closed form was found; say more of it by at.")
    directions = across(field, family)
    if directions is None:
        raise EvaluationError("the directions across the symmetry change on this family; say more of it by at.")
    put = in_label(family, followed, label)
    names, matrices = _matrices(field, family, directions)
    mass, damping, stiffness = (
        tuple(tuple(map(tidy, substitute(list(row), put))) for row in matrix) for matrix in matrices
    )
    numbers = dict(zip(equations.parameters, field.problem.parameters.tolist(), strict=True))
    return SecondOrderForm(names, mass, damping, stiffness, label, numbers, family.verdict)


def _family(field: SteadyField, exact: Mapping[Expr, Expr], label: Label) -> SteadyFamily | None:
    """Return the one family in closed form that the label labels; None where there are several, or none."""
    found = steady_families(field, exact) or ()
    wanted = [one for one in found if not one.relations and len(one.free) == (label.place is None)]
    return wanted[0] if len(wanted) == 1 else None


def in_label(family: SteadyFamily, label: Label, name: str) -> dict[Expr, Expr]:
    """Return the variable that is free on the family by its label."""
    if label.expression is None:
        if family.free:
            raise EvaluationError(f"on this family '{text(family.free[0])}' is free too; hold it by at.")
        return {}
    if len(family.free) != 1:
        names = ", ".join(map(text, family.free)) or "nothing"
        raise EvaluationError(f"a label has one variable of the state to itself, and on this family {names} is free.")
    (variable,) = family.free
    (there,) = substitute([label.expression], dict(family.put))
    slope = diff(there, variable)
    if not vanish([diff(slope, variable)]) or never_zero(slope).kind != "proved":
        raise EvaluationError(f"'{name}' does not label this family one to one: it is {text(tidy(there))}.")
    (begin,) = substitute([there], {variable: ZERO})
    return {variable: tidy((label_symbol(name) - begin) / slope)}


def label_symbol(name: str) -> Expr:
    """Return the symbol of a label; a longer expression is in brackets, so that its powers are read as such."""
    return symbol(name if name.rstrip("'").isidentifier() else f"({name})")


# -- the matrices ------------------------------------------------------------------------------------------------
def _matrices(
    field: SteadyField, family: SteadyFamily, directions: Across
) -> tuple[tuple[str, ...], list[list[list[Expr]]]]:
    """Return the names of q, and M, C, K."""
    equations, state = field.problem.equations, list(field.state)
    fast = [state.index(w) for w in equations.velocities]
    if any(k not in directions.kept for k in fast):
        raise EvaluationError("the symmetry moves velocities here, or relations tie them; state speeds that are free.")
    slow = [k for k in directions.kept if k not in fast]
    across_q = {k: directions.columns[directions.kept.index(k)] for k in (*slow, *fast)}
    put = dict(family.put)

    def there(rows: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
        width = len(rows[0]) if rows else 0
        flat = substitute([e for row in rows for e in row], put)
        return [list(flat[k : k + width]) for k in range(0, len(flat), width)] if width else []

    moved = [  # what the symmetry does to the velocities is part of their rates
        total([(1, x * one.components.get(w, ZERO)) for x, one in zip(field.xi, field.symmetries, strict=True)])
        for w in equations.velocities
    ]
    residual = [
        total([*((1, m * a) for m, a in zip(row, moved, strict=True)), (-1, f)])
        for row, f in zip(equations.mass, equations.force, strict=True)
    ]
    slopes = there(jacobian(residual, state))
    heavy = there(equations.mass)
    kinematic = there(jacobian(list(field.defects[: len(equations.kinematics)]), state))
    if vanishing_rows := [k for k in slow if k >= len(kinematic)]:
        raise EvaluationError(f"'{state[vanishing_rows[0]].data.label}' is no coordinate.")
    by_q = _columns([applied(slopes, across_q[k]) for k in slow])
    by_w = _columns([applied(slopes, across_q[k]) for k in fast])
    rest = [ZERO] * (len(state) - len(kinematic))
    rates = {k: [*applied(kinematic, column), *rest] for k, column in across_q.items()}
    a11 = [[directions.component(rates[j], i) for j in slow] for i in slow]
    a12 = [[directions.component(rates[j], i) for j in fast] for i in slow]
    names = tuple(state[k].data.label for k in slow)
    return names, _without_constants(names, heavy, by_w, by_q, a11, a12)


def _columns(columns: list[list[Expr]]) -> list[list[Expr]]:
    return [list(row) for row in zip(*columns, strict=True)]


def _without_constants(
    names: Sequence[str],
    heavy: list[list[Expr]],
    damped: list[list[Expr]],
    stiff: list[list[Expr]],
    a11: list[list[Expr]],
    a12: list[list[Expr]],
) -> list[list[list[Expr]]]:
    """Return M, C, K of q alone, where q' = a11 q + a12 w: velocities that do not move q are eliminated."""
    own = [j for j in range(len(heavy)) if not vanish([row[j] for row in a12])]
    others = [j for j in range(len(heavy)) if j not in own]
    if len(own) != len(names):
        raise EvaluationError(f"{len(own)} velocities move the {len(names)} coordinates {', '.join(names)}.")
    rows = {i: (heavy[i], damped[i], stiff[i]) for i in range(len(heavy))}
    if others and not vanish([heavy[i][j] for i in own for j in others]):
        mixed = _times(_part(heavy, own, others), inverse(_part(heavy, others, others)))
        for i, factors in zip(own, mixed, strict=True):
            rows[i] = tuple(  # type: ignore[assignment]
                [
                    e - total([(1, f * rows[j][n][k]) for f, j in zip(factors, others, strict=True)])
                    for k, e in enumerate(r)
                ]
                for n, r in enumerate(rows[i])
            )
    if others and not vanish([rows[i][1][j] for i in own for j in others]):
        raise EvaluationError(
            "the speeds that label the family drive its coordinates, so these have no equations of their own."
        )
    m, c, k = ([list(rows[i][n]) for i in own] for n in range(3))
    m, c = ([[row[j] for j in own] for row in matrix] for matrix in (m, c))
    turn = [[row[j] for j in own] for row in a12]
    if not vanish([e - (ONE if i == j else ZERO) for i, row in enumerate(turn) for j, e in enumerate(row)]):
        back = inverse(turn)
        left = _columns(back)
        c = _minus(_times(c, back), _times(_times(m, back), a11))
        k = _minus(k, _times(_times([[row[j] for j in own] for row in (rows[i][1] for i in own)], back), a11))
        return [_times(left, _times(m, back)), _times(left, c), _times(left, k)]
    return [m, _minus(c, _times(m, a11)), _minus(k, _times(c, a11))]


def _part(matrix: Sequence[Sequence[Expr]], rows: Sequence[int], columns: Sequence[int]) -> list[list[Expr]]:
    return [[matrix[i][j] for j in columns] for i in rows]


def _times(left: Sequence[Sequence[Expr]], right: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
    return _columns([applied(left, [row[j] for row in right]) for j in range(len(right[0]))])


def _minus(left: Sequence[Sequence[Expr]], right: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
    return [[a - b for a, b in zip(x, y, strict=True)] for x, y in zip(left, right, strict=True)]


def _taylor(matrix: Matrix, variable: Expr, refusal: str) -> dict[int, Matrix]:
    """Return the coefficients of a matrix of polynomials by powers, those that vanish left out."""
    found: dict[int, Matrix] = {}
    flat, width = [e for row in matrix for e in row], len(matrix)
    for k in range(_HIGHEST + 2):
        if vanish(flat):
            return found
        try:
            part = [tidy(e / factorial(k)) for e in substitute(flat, {variable: ZERO})]
        except DalembertError:
            break
        if not vanish(part):
            found[k] = tuple(tuple(part[i : i + width]) for i in range(0, len(part), width))
        flat = [diff(e, variable) for e in flat]
    raise ExpressionError(refusal)
