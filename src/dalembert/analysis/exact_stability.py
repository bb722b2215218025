"""Stability of a relative equilibrium decided in exact arithmetic, at a point that is known exactly.

The signature of the second derivatives of V_mu, of the metric and of the Killing form are those of rational matrices.
The spectrum is that of a rational matrix too: the roots of its characteristic polynomial are enclosed in balls, so that
a real part that is seen to be positive is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from flint import fmpq, fmpq_mat

from dalembert.analysis.amended_search import AmendedSearch
from dalembert.expr.graph import number
from dalembert.expr.readers.rationals import ExactPoint
from dalembert.geometry.groups.matrices import signature

__all__ = ["proved_stable", "proved_turning", "proved_unstable", "signature_there"]

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
