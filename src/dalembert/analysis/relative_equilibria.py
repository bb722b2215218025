"""Relative equilibria of simple mechanical systems: motions along one-parameter subgroups, and whether they are stable.

At momentum mu they are the critical points of the amended potential V_mu = V + mu_a (I^-1)^ab mu_b / 2, and turn with
xi = I^-1 mu. They are found by Newton's method from many starts, and verified exactly where the point is rational (or a
rational multiple of pi, or has a rational tangent of half an angle).

Stability is that modulo G_mu. The reduced second variation, that of V_mu on TM/g_mu, decides by energy and momentum
where it is positive definite (Simo, Lewis, Marsden), or negative definite where there are no internal velocities; the
spectrum of the motion on N_mu/G_mu decides against it where an eigenvalue has a positive real part; else it is open. At
an exact point both are decided in exact arithmetic (``amended_search``), elsewhere they are measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dalembert.analysis.amended_search import (
    AmendedSearch,
    Definitions,
    amended_search,
    critical_point,
    drawn,
    proved_stable,
    proved_turning,
    proved_unstable,
    signature_there,
)
from dalembert.errors import DalembertError, ExpressionError, Fault, expect
from dalembert.expr.graph import Constant, Expr, Number, symbol
from dalembert.expr.readers.rationals import ExactPoint, recognised
from dalembert.expr.symbols import TIME
from dalembert.expr.text import text
from dalembert.expr.truth import Verdict, depends_on
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.routh.reconstruction.decomposition import Reconstruction
from dalembert.mechanics.routh.reconstruction.simple_systems import SimpleReconstruction, simple_reconstruction
from dalembert.mechanics.routh.reconstruction.summary import split_of
from dalembert.mechanics.routh.routh import Routh
from dalembert.model.claim import Claim
from dalembert.model.faults import suggestion
from dalembert.model.trajectory import Array
from dalembert.records import dataclass, replace
from dalembert.shown import Shown

Stability = Literal["stable", "unstable", "open"]

_INDIFFERENT = (0.0, 1.0)
"""Values for coordinates that V_mu does not depend on, to be tried in turn: charts may fail at the first."""
_TAKES = "relative_equilibria takes what 'routh' derived in coordinates of a chart (steady takes the rest)"
_SMALL = 1e-7
"""Below this, relative to the largest, an eigenvalue counts as zero."""


@dataclass(frozen=True, slots=True, eq=False)
class RelativeEquilibrium(Shown):
    """A motion along a one-parameter subgroup, with what was found about its stability."""

    position: Mapping[Expr, float]
    """The coordinates; those that V_mu does not depend on are 0, or 1 where the chart fails at 0."""
    exact: Mapping[Expr, Expr] | None
    """The same exactly, where the point is rational. An angle may be given by 2 atan of a number."""
    spin: tuple[float, ...]
    """xi = I^-1 mu, in the basis adapted to mu; it lies in g_mu."""
    amended: float
    """V_mu there."""
    second_variation: tuple[float, ...]
    """The eigenvalues of the second derivatives of V_mu across the orbit of G_mu, by the metric, least first."""
    spectrum: tuple[complex, ...]
    """The eigenvalues of the motion on N_mu/G_mu, linearised."""
    stability: Stability
    reason: str
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True, eq=False)
class RelativeEquilibria(Shown):
    """What a search found."""

    points: tuple[RelativeEquilibrium, ...]
    singular: tuple[Mapping[Expr, float], ...]
    """Critical points where the metric or the locked inertia is singular: there the chart fails, or the action."""


def relative_equilibria(
    result: Routh,
    values: Mapping[str, Number] | None = None,
    *,
    region: Mapping[str, tuple[float, float]] | None = None,
    starts: int = 30,
    seed: int = 1,
) -> RelativeEquilibria:
    """Return the relative equilibria of a reduced system with L = T - V, at its momentum.

    ``values`` gives parameters by name where they are not the default ones; ``region`` gives, by name of a coordinate,
    where to search. More is said at :func:`critical_points`.

    >>> from dalembert.mechanics.routh.routh import derive
    >>> from dalembert.model.system import System
    >>> kepler = System.of(name="Kepler", coordinates={"r": "positive", "phi": "angle"}, parameters={"l": 2},
    ...                    lagrangian="(r'^2 + r^2*phi'^2)/2 + 1/r", symmetry={"turn": {"phi": 1}}, momentum=["l"])
    >>> circle, = relative_equilibria(derive(kepler)).points
    >>> circle.exact[kepler.q[0]], circle.stability
    (4, 'stable')
    """
    expect(result, Routh, _TAKES)
    found = split_of(result)
    simple = simple_reconstruction(found)
    if simple is None:
        what = "it is not T - V, and the amended potential is for such alone"
        raise refusal("relative equilibria", [Fault("lagrangian", what)])
    if depends_on([found.level.lagrangian], [symbol(TIME)]):
        raise refusal(
            "relative equilibria", [Fault("lagrangian", "it depends on time, so there are no relative equilibria")]
        )
    made = {p: value for p, value in result.equations.parameters.items() if value is not None}  # momenta among them
    given = {**result.system.defaults, **made}
    named = {p.data.name: p for p in (*result.system.parameters, *result.equations.parameters)}
    for name, value in (values or {}).items():
        if name not in named:
            raise ExpressionError(f"there is no parameter '{name}'; {suggestion(name, named)}".removesuffix("; "))
        given[named[name]] = value
    chart = {q.data.name: q for q in found.level.chart.coordinates}
    unknown = [name for name in region or {} if name not in chart]
    if unknown:
        raise ExpressionError(
            f"there is no coordinate '{unknown[0]}'; {suggestion(unknown[0], chart)}".removesuffix("; ")
        )
    where = {chart[name]: bounds for name, bounds in (region or {}).items()}
    known = result.system.definitions
    return critical_points(found, simple, given, functions=known, region=where, starts=starts, seed=seed)


def critical_points(
    found: Reconstruction,
    simple: SimpleReconstruction,
    values: Mapping[Expr, Constant],
    *,
    functions: Definitions | None = None,
    region: Mapping[Expr, tuple[float, float]] | None = None,
    starts: int = 30,
    seed: int = 1,
) -> RelativeEquilibria:
    """Return the critical points of V_mu that Newton's method finds from random starts, the lowest first.

    ``values`` gives every parameter, exactly, and ``functions`` every unspecified function. Starts are drawn from
    ``region``; where it says nothing, angles from the circle, positive coordinates between 0 and 3, and others between
    -3 and 3. Points with the same amended potential, second variation and spectrum are taken for one: they are images
    of each other under G_mu, or mirror images.
    """
    search = amended_search(found, simple, values, functions)
    draw = Random(seed)
    known: list[RelativeEquilibrium] = []
    singular: list[Mapping[Expr, float]] = []
    for _ in range(starts if search.moving else 1):
        start = {q: drawn(q, region or {}, draw) for q in search.moving}
        point = critical_point(search, start)
        if point is None:
            continue
        candidate = _described(search, point)
        if candidate is None:
            singular.append(point)
        elif not any(_alike(candidate, other) for other in known):
            known.append(candidate)
    known.sort(key=lambda e: (e.amended, tuple(e.position.values())))
    return RelativeEquilibria(tuple(known), tuple(singular))


# -- what is found at a point --------------------------------------------------------------------------------
def _described(search: AmendedSearch, point: dict[Expr, float]) -> RelativeEquilibrium | None:
    """Return all that is said about a critical point; None where metric or locked inertia are singular there."""
    level = search.level
    usual = [{q: point.get(q, value) for q in level.chart.coordinates} for value in _INDIFFERENT]
    position = next((one for one in usual if _regular(search, one)), None)
    if position is None:
        return None
    metric = search.numbers("metric", position)
    spin = search.numbers("spin", position)[0]
    fields = search.numbers("generators", position)
    variation = _second_variation(metric, search.numbers("bends", position), fields[: level.isotropy])
    state = position | dict(zip(level.velocities, map(float, spin @ fields), strict=True))
    spectrum = _spectrum(search, state, spin)
    stability, reason = _judged(search, metric, variation, spectrum)
    exact = recognised(position)
    slopes = None if exact is None else exact.read(search.tables["slopes"][0])
    if slopes is None or any(slopes):
        exact = None
    return RelativeEquilibrium(
        position,
        None if exact is None else exact.coordinates,
        tuple(map(float, spin)),
        float(search.numbers("amended", position)[0, 0]),
        tuple(map(float, variation)),
        tuple(map(complex, spectrum)),
        stability,
        reason,
        (*_claims(search, position, state, spin, exact), _stability_claim(search, exact, stability, reason)),
    )


def _regular(search: AmendedSearch, position: Mapping[Expr, float]) -> bool:
    """Say whether metric and locked inertia are regular at a point."""
    tables = [search.numbers(name, position) for name in ("metric", "inertia")]
    return all(np.isfinite(table).all() and np.linalg.cond(table) < 1e10 for table in tables)


def _second_variation(metric: Array, bends: Array, orbit: Array) -> Array:
    """Return the eigenvalues of the second derivatives of V_mu across an orbit, by the metric where it is one."""
    across = _complement(orbit @ metric, np.eye(len(metric)))
    form, scale = across.T @ bends @ across, across.T @ metric @ across
    if scale.size and (np.linalg.eigvalsh(scale) > 0).all():
        unscaled = np.linalg.inv(np.linalg.cholesky(scale))
        form = unscaled @ form @ unscaled.T
    return np.linalg.eigvalsh(form).astype(np.float64)


def _complement(inside: Array, whole: Array) -> Array:
    """Return an orthonormal basis, by columns, of the part of a space across some vectors (given as rows)."""
    columns = whole
    if inside.size:
        frame = np.linalg.qr(inside.T)[0]
        columns = whole - frame @ (frame.T @ whole)
    left, sizes, _ = np.linalg.svd(columns, full_matrices=False)
    return left[:, sizes > 1e-9]


def _spectrum(search: AmendedSearch, state: Mapping[Expr, float], spin: Array) -> NDArray[np.complex128]:
    """Return the eigenvalues of Gamma - xi^C, linearised, on ker dp / g_mu: those of the motion on N_mu/G_mu."""
    flow = search.numbers("flow", state)
    matrix = flow - (spin @ search.numbers("turning", state)).reshape(flow.shape)
    kernel = _complement(search.numbers("momenta", state), np.eye(len(flow)))
    reduced = _complement(search.numbers("lifts", state)[: search.level.isotropy], kernel)
    values = np.linalg.eigvals(reduced.T @ matrix @ reduced).astype(np.complex128)
    return values[np.lexsort((values.imag, values.real))]


# -- stability -----------------------------------------------------------------------------------------------
def _judged(
    search: AmendedSearch, metric: Array, variation: Array, spectrum: NDArray[np.complex128]
) -> tuple[Stability, str]:
    level = search.level
    largest = max([1e-300, *np.abs(variation)])
    least = _SMALL * largest
    definite = bool((variation > least).all())
    if not level.horizontal and variation.size:
        definite = definite or bool((variation < -least).all())
    growth = float(spectrum.real.max()) if spectrum.size else 0.0
    if definite and bool((np.linalg.eigvalsh(metric) > 0).all()):
        if _invariant_product(search):
            return (
                "stable",
                "the reduced second variation is definite, so energy and momentum keep it stable modulo G_mu",
            )
        return "open", (
            "the reduced second variation is definite, but no inner product of the Lie algebra was found that G_mu "
            "leaves alone, as the theorem of energy and momentum asks"
        )
    if growth > 1e-5 * max(1e-300, float(np.abs(spectrum).max(initial=0.0))):
        return "unstable", f"an eigenvalue of the reduced motion has the real part {growth:.6g}"
    return "open", "the reduced second variation is not definite, and no eigenvalue grows"


def _invariant_product(search: AmendedSearch) -> bool:
    """Say whether g is seen to have an inner product that G_mu leaves alone.

    It has where ad(g_mu) is zero, where g is compact, or where g_mu is Abelian and each ad turns without growing.
    """
    size = len(search.level.generators)
    constants = search.numbers("constants", {}).reshape(size, size, size)
    ad = [constants[a].T for a in search.level.inner]
    if not any(np.abs(m).max(initial=0.0) > 1e-12 for m in ad):
        return True
    killing = np.einsum("acd,bdc->ab", constants, constants)
    if bool((np.linalg.eigvalsh(killing) < -1e-9).all()):
        return True
    commuting = all(np.abs(x @ y - y @ x).max() < 1e-9 for x in ad for y in ad)
    return commuting and all(_turns(m) for m in ad)


def _turns(matrix: Array) -> bool:
    values, vectors = np.linalg.eig(matrix)
    return bool(np.abs(values.real).max() < 1e-9) and float(np.linalg.cond(vectors)) < 1e6


def _alike(left: RelativeEquilibrium, right: RelativeEquilibrium) -> bool:
    """Say whether two points agree in all that G_mu leaves alone."""

    def marks(one: RelativeEquilibrium) -> Array:
        squares = sorted((complex(z) ** 2 for z in one.spectrum), key=lambda z: (z.real, z.imag))
        parts = [one.amended, *one.second_variation, *(z.real for z in squares), *(abs(z.imag) for z in squares)]
        return np.array(parts)

    one, other = marks(left), marks(right)
    return one.shape == other.shape and bool(np.allclose(one, other, rtol=1e-5, atol=1e-6))


# -- claims --------------------------------------------------------------------------------------------------
def _claims(
    search: AmendedSearch,
    position: Mapping[Expr, float],
    state: Mapping[Expr, float],
    spin: Array,
    exact: ExactPoint | None,
) -> tuple[Claim, ...]:
    """V_mu is critical; by the second method Gamma there is xi^C; and has V_mu a strict minimum across the orbit?"""
    slope = float(np.abs(search.numbers("slopes", position)).max(initial=0.0))
    motion = search.numbers("gamma", state)[0]
    defect = float(np.abs(motion - spin @ search.numbers("lifts", state)).max())
    critical = Verdict("proved", "the slopes of the amended potential are the number 0 at the exact point.")
    if exact is None:
        critical = Verdict("measured", f"the largest slope of the amended potential is {slope:.1e}.")
    small = defect < 1e-8 * (1 + np.abs(motion).max())
    moving = Verdict("measured" if small else "undecided", f"Gamma and xi^C differ by {defect:.1e}.")
    if exact is not None and proved_turning(search, exact):
        moving = Verdict("proved", "Gamma and xi^C are the same numbers at the exact point.")
    said = ", ".join(f"{text(q)} = {value:.6g}" for q, value in position.items())
    return (
        Claim("critical", f"the amended potential is critical at {said}", "check", critical),
        Claim("turning", "the motion there is along the one-parameter group of xi = I^-1 mu", "check", moving),
        *_minimum_claim(search, exact),
    )


def _stability_claim(search: AmendedSearch, exact: ExactPoint | None, stability: Stability, reason: str) -> Claim:
    """Say what was found of stability: proved at an exact point where exact arithmetic sees it, else measured."""
    said = f"it is {'un' * (stability == 'unstable')}stable modulo G_mu"
    verdict = Verdict("undecided" if stability == "open" else "measured", reason)
    if exact is not None and stability == "stable" and proved_stable(search, exact):
        verdict = Verdict("proved", f"{reason}; by signatures of rational matrices.")
    elif exact is not None and stability == "unstable":
        growth = proved_unstable(search, exact)
        if growth:
            why = f"an eigenvalue of the reduced motion, a rational matrix, has a real part that is at least {growth}."
            verdict = Verdict("proved", why)
    return Claim("stability", said, "question", verdict)


def _minimum_claim(search: AmendedSearch, exact: ExactPoint | None) -> list[Claim]:
    """Decide at an exact point whether the second variation is positive across the orbit, by its signature."""
    found = None if exact is None else signature_there(search, exact, "bends")
    if found is None:
        return []
    said = f"the second derivatives of V_mu have {found[0]} positive, {found[1]} negative and {found[2]} zero squares."
    statement = "the amended potential has a strict minimum there, across the orbit of G_mu"
    if found[0] == sum(found) - search.level.isotropy:
        return [Claim("minimum", statement, "question", Verdict("proved", said))]
    if found[1]:
        return [Claim("minimum", statement, "question", Verdict("refuted", said))]
    why = f"{said.removesuffix('.')}: across the orbit the second derivatives do not decide it."
    return [Claim("minimum", statement, "question", Verdict("undecided", why))]


# -- for a study ---------------------------------------------------------------------------------------------
def relative_equilibria_claims(result: Routh, starts: int = 6) -> tuple[Claim, ...]:
    """Return what a short search finds of the relative equilibria of a reduction.

    That is nothing where there is no amended potential, or where parameters have no values.
    """
    expect(result, Routh, _TAKES)
    try:
        found = relative_equilibria(result, starts=starts)
    except DalembertError:
        return ()
    return tuple(
        replace(claim, name=f"relative equilibrium {k}, {claim.name}", statement=_at(point, claim))
        for k, point in enumerate(found.points, 1)
        for claim in point.claims
    )


def _at(point: RelativeEquilibrium, claim: Claim) -> str:
    """Say where what is claimed is so."""
    if claim.name == "critical":
        return claim.statement
    where = ", ".join(f"{text(q)} = {value:.6g}" for q, value in point.position.items())
    return f"at {where}: {claim.statement}"
