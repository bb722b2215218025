"""The critical points of an amended potential, found with numbers in place of parameters, and their stability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from random import Random

import numpy as np
from flint import fmpq, fmpq_mat

from dalembert.errors import EvaluationError, ExpressionError
from dalembert.expr.calculus import define, gradient, hessian, jacobian
from dalembert.expr.graph import Constant, Expr, as_expr, number
from dalembert.expr.readers import Floats
from dalembert.expr.readers.rationals import ExactPoint
from dalembert.expr.symbols import Function
from dalembert.expr.truth import is_zero
from dalembert.expr.walk import evaluate, functions, substitute, symbols
from dalembert.geometry.groups.matrices import signature
from dalembert.geometry.tangent_bundle import complete_lift
from dalembert.mechanics.routh.reconstruction.connections import MomentumLevel
from dalembert.mechanics.routh.reconstruction.decomposition import Reconstruction
from dalembert.mechanics.routh.reconstruction.simple_systems import SimpleReconstruction
from dalembert.model.trajectory import Array
from dalembert.records import dataclass, replace

Definitions = Mapping[Function, tuple[Sequence[Expr], Expr]]
"""Formal arguments and body of unspecified functions."""

_STEPS = 60


@dataclass(frozen=True, slots=True, eq=False)
class AmendedSearch:
    """The functions that are searched and looked at, with numbers in place of parameters."""

    level: MomentumLevel
    moving: tuple[Expr, ...]
    """The coordinates that V_mu depends on."""
    tables: Mapping[str, tuple[tuple[Expr, ...], ...]]
    """Matrices of functions on TM by name."""

    def numbers(self, name: str, values: Mapping[Expr, float]) -> Array:
        """Read a matrix at a point; coordinates not given are 0. Where it has no value nothing is a number."""
        rows = self.tables[name]
        whole = dict.fromkeys((*self.level.chart.coordinates, *self.level.velocities), 0.0) | dict(values)
        entries = [entry for row in rows for entry in row]
        try:
            flat = evaluate(entries, Floats(whole))
        except EvaluationError:  # a matrix that is singular there
            flat = [np.nan] * len(entries)
        return np.array(flat, dtype=np.float64).reshape(len(rows), -1 if flat else 0)


def amended_search(
    found: Reconstruction,
    simple: SimpleReconstruction,
    values: Mapping[Expr, Constant],
    known: Definitions | None = None,
) -> AmendedSearch:
    """Return what is needed to look for critical points of V_mu and at them.

    Every parameter needs a value, and every unspecified function one in ``known`` (formal arguments and body).
    """
    level = found.level
    coordinates, variables = list(level.chart.coordinates), list(found.gamma.chart.coordinates)
    potential = simple.amended_potential
    missing = [s.label for s in symbols([potential, level.lagrangian]) if s.role == "parameter" and not _has(values, s)]
    if missing:
        raise ExpressionError(
            f"the parameters {', '.join(sorted(missing))} have no value; the search needs one for each."
        )
    open_ones = sorted(f.name for f in functions([potential, level.lagrangian]) if f not in (known or {}))
    if open_ones:
        raise ExpressionError(f"the functions {', '.join(open_ones)} have no value; the search needs one for each.")
    slopes = gradient(potential, coordinates)
    moving = tuple(q for q, s in zip(coordinates, slopes, strict=True) if is_zero(s, level.facts).holds is not True)
    kept = [level.chart.place(q) for q in moving]
    bends = hessian(potential, coordinates)
    lifts = [complete_lift(e).components for e in level.generators]
    tables: dict[str, Sequence[Sequence[Expr]]] = {
        "slopes": [[slopes[i] for i in kept]],
        "moving bends": [[bends[i][j] for j in kept] for i in kept],
        "bends": bends,
        "amended": [[potential]],
        "spin": [simple.spin],
        "metric": simple.metric,
        "inertia": simple.locked_inertia,
        "generators": [e.components for e in level.generators],
        "lifts": lifts,
        "gamma": [found.gamma.components],
        "constants": [[c for row in table for c in row] for table in level.constants],
        "momenta": jacobian(list(found.frame.momenta), variables),
        "flow": jacobian(list(found.gamma.components), variables),
        "turning": [[e for row in jacobian(list(lift), variables) for e in row] for lift in lifts],
    }
    given = {p: as_expr(value) for p, value in values.items()}
    put = {
        name: tuple(tuple(substitute(define(list(row), known or {}), given)) for row in rows)
        for name, rows in tables.items()
    }
    return AmendedSearch(level, moving, put)


def _has(values: Mapping[Expr, Constant], wanted: object) -> bool:
    return any(p.data == wanted for p in values)


def drawn(q: Expr, region: Mapping[Expr, tuple[float, float]], draw: Random) -> float:
    """Return a random start for a coordinate, from its region or from what is usual for its domain."""
    usual = {"angle": (-np.pi, np.pi), "positive": (0.05, 3.0)}.get(q.data.domain, (-3.0, 3.0))
    return draw.uniform(*region.get(q, usual))


def critical_point(search: AmendedSearch, start: dict[Expr, float]) -> dict[Expr, float] | None:
    """Return a critical point near a start: Newton's steps of least length, shortened where they do not help."""
    point = np.array([start[q] for q in search.moving])

    def read(name: str, at: Array) -> Array:
        return search.numbers(name, dict(zip(search.moving, map(float, at), strict=True)))

    here, bend = read("slopes", point).ravel(), read("moving bends", point)
    for _ in range(_STEPS if point.size else 0):
        if not (np.isfinite(bend).all() and np.isfinite(here).all()):
            return None
        step = -np.linalg.lstsq(bend, here, rcond=1e-10)[0]
        for _ in range(40):
            there = read("slopes", point + step).ravel()
            if np.isfinite(there).all() and np.linalg.norm(there) < np.linalg.norm(here):
                break
            step = step / 2
        else:
            break  # no step makes it smaller: rounding, or a minimum of the slope that is no zero
        point, here = point + step, there
        bend = read("moving bends", point)
    if not np.isfinite(bend).all():
        return None
    left = np.linalg.lstsq(bend, here, rcond=1e-10)[0]  # a slope that tends to zero at infinity asks for long steps
    small = np.linalg.norm(here) <= 1e-9 * max(1.0, float(np.abs(bend).max(initial=0.0)))
    if not (small and np.linalg.norm(left) <= 1e-7 * (1.0 + np.linalg.norm(point))):
        return None
    values = dict(zip(search.moving, map(float, point), strict=True))
    if any(q.data.domain == "positive" and value <= 0 for q, value in values.items()):
        return None
    return {q: _wrapped(q, value) for q, value in values.items()}


def _wrapped(q: Expr, value: float) -> float:
    if q.data.domain != "angle":
        return value
    turned = float(np.remainder(value + np.pi, 2 * np.pi) - np.pi)
    return np.pi if abs(turned + np.pi) < 1e-9 else turned


# -- stability, decided exactly ------------------------------------------------------------------------------
# Stability of a relative equilibrium decided in exact arithmetic, at a point that is known exactly.
#
# The signature of the second derivatives of V_mu, of the metric and of the Killing form are those of rational
# matrices. The spectrum is that of a rational matrix too: the roots of its characteristic polynomial are enclosed in
# balls, so that a real part that is seen to be positive is.
Fractions = list[list[Fraction]]


def _read(search: AmendedSearch, point: ExactPoint, name: str) -> Fractions | None:
    """Return a table at a point in fractions; None where it is not rational there."""
    rows = search.tables[name]
    flat = point.read([entry for row in rows for entry in row])
    if flat is None:
        return None
    width = len(rows[0]) if rows else 0
    return [flat[i * width : (i + 1) * width] for i in range(len(rows))]


def signature_there(search: AmendedSearch, point: ExactPoint, name: str) -> tuple[int, int, int] | None:
    """Return the signature of a table of numbers at a point; None where they are not rational."""
    rows = _read(search, point, name)
    return None if rows is None else signature([[number(entry) for entry in row] for row in rows])


def proved_stable(search: AmendedSearch, point: ExactPoint) -> bool:
    """Say whether V_mu has a strict extremum across the orbit, as the theorem asks, and an invariant product is seen.

    That is a minimum; without internal velocities a maximum will do. The metric must be positive.
    """
    bends, metric = (signature_there(search, point, name) for name in ("bends", "metric"))
    if bends is None or metric is None or metric[1] or metric[2]:
        return False
    across = sum(bends) - search.level.isotropy
    definite = bends[0] == across or (not search.level.horizontal and bends[1] == across)
    return definite and _invariant_product(search, point)


def _invariant_product(search: AmendedSearch, point: ExactPoint) -> bool:
    """Say whether ad(g_mu) is zero, or the Killing form negative: then g has an inner product that G_mu keeps."""
    rows = _read(search, point, "constants")
    if rows is None:
        return False
    size = range(len(search.level.generators))
    constants = [[[rows[a][c * len(size) + d] for d in size] for c in size] for a in size]
    if not any(entry for a in search.level.inner for row in constants[a] for entry in row):
        return True
    killing = [
        [number(sum((constants[a][c][d] * constants[b][d][c] for c in size for d in size), Fraction(0))) for b in size]
        for a in size
    ]
    return signature(killing) == (0, len(size), 0)


def proved_turning(search: AmendedSearch, point: ExactPoint) -> bool:
    """Say whether the motion there is along the one-parameter group of xi = I^-1 mu: Gamma = xi^C, as numbers."""
    found = _turning(search, point)
    if found is None:
        return False
    gamma, lifts = (_read(search, found[0], name) for name in ("gamma", "lifts"))
    return gamma is not None and lifts is not None and gamma[0] == _combined(found[1], lifts)


def _turning(search: AmendedSearch, point: ExactPoint) -> tuple[ExactPoint, list[Fraction]] | None:
    """Return the state with the velocity of xi = I^-1 mu, and xi; None where they are not rational."""
    spin, fields = _read(search, point, "spin"), _read(search, point, "generators")
    if spin is None or fields is None:
        return None
    speeds = dict(zip(search.level.velocities, map(number, _combined(spin[0], fields)), strict=True))
    return replace(point, plain={**point.plain, **speeds}), spin[0]


def _combined(factors: Sequence[Fraction], rows: Fractions) -> list[Fraction]:
    """Return a combination of rows."""
    return [
        sum((f * e for f, e in zip(factors, column, strict=True)), Fraction(0)) for column in zip(*rows, strict=True)
    ]


def proved_unstable(search: AmendedSearch, point: ExactPoint) -> str:
    """Return the least real part that an eigenvalue of the motion on N_mu/G_mu is sure to exceed; nothing if none is.

    The linearised motion Gamma - xi^C keeps ker dp and the orbit of G_mu in it; in a basis that begins with both, the
    matrix of the motion between them is a block.
    """
    found = _turning(search, point)
    if found is None:
        return ""
    moving, spin = found
    flow, turning, momenta, lifts = (_read(search, moving, name) for name in ("flow", "turning", "momenta", "lifts"))
    if flow is None or turning is None or momenta is None or lifts is None:
        return ""
    size = len(flow)
    turned = _combined(spin, turning)
    matrix = _rational([[flow[i][j] - turned[i * size + j] for j in range(size)] for i in range(size)])
    orbit = lifts[: search.level.isotropy]
    kernel = _extended(orbit, _null_space(momenta, size))
    basis = _rational(_extended(kernel, [[Fraction(i == j) for j in range(size)] for i in range(size)])).transpose()
    whole = basis.inv() * matrix * basis
    block = range(len(orbit), len(kernel))
    reduced = fmpq_mat([[whole[i, j] for j in block] for i in block]) if block else None
    roots = [] if reduced is None else [root.real for root, _ in reduced.charpoly().numer().complex_roots()]
    growing = [root for root in roots if root > 0]
    return str(max(growing, key=float).lower().str(6, radius=False)) if growing else ""


def _rational(rows: Sequence[Sequence[Fraction]]) -> fmpq_mat:
    return fmpq_mat([[fmpq(e.numerator, e.denominator) for e in row] for row in rows])


def _extended(vectors: Sequence[Sequence[Fraction]], more: Sequence[Sequence[Fraction]]) -> Fractions:
    """Return vectors with those of others that are independent of all before."""
    found = [list(v) for v in vectors]
    for vector in more:
        if _rational([*found, vector]).rank() > len(found):
            found.append(list(vector))
    return found


def _null_space(rows: Fractions, size: int) -> Fractions:
    """Return a basis of the vectors that all rows annihilate."""
    reduced, rank = _rational(rows).rref()
    pivots = [next(j for j in range(size) if reduced[i, j]) for i in range(rank)]
    found = []
    for free in (j for j in range(size) if j not in pivots):
        vector = [Fraction(j == free) for j in range(size)]
        for i, pivot in enumerate(pivots):
            vector[pivot] = -Fraction(int(reduced[i, free].p), int(reduced[i, free].q))
        found.append(vector)
    return found
