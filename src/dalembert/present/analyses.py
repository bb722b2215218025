"""The pages of what analyses find: what is reached, spectra, phases, curves between ends, conjugate points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from dalembert.expr.text import text
from dalembert.model.claim import sentence
from dalembert.present.answers import answered, significant, size
from dalembert.present.page import Block, Listing, Section, Table, Words

_MOST: Final = 8
"""Rows of a matrix that is written down."""


def controllability_page(found: Any, *, full: bool = False) -> Section:
    """Return what the controls of a system reach at a point, with ``full`` the brackets that do it."""
    fixed = ", ".join(f"{name} = {text(value)}" for name, value in found.point.items())
    where = f"At {fixed}" if fixed else "At every state"
    rest = f"; {', '.join(found.generic)} generic" if found.generic else ""
    controls = ", ".join(found.controls)
    title = f"{found.system}, {found.formalism}: {f'controls {controls}' if controls else 'no controls'}"
    return Section(title, (Words(f"{where}{rest}:"), *answered(found.answers, why=full)), level=1)


def control_answer_page(one: Any) -> Section:
    """Return one answer with its evidence."""
    return Section(one.name, tuple(answered([one], why=True)))


# -- spectra -------------------------------------------------------------------------------------------------------
def _complex(values: Iterable[complex]) -> str:
    """Return eigenvalues, pairs once, rounding noise left out.

    >>> _complex([1j, -1j, 2 + 1e-17j])
    '+-1i, 2'
    """
    every = list(values)
    noise = 1e-9 * max((abs(v) for v in every), default=0.0)
    shown = []
    for value in every:
        real, imaginary = (0.0 if abs(x) <= noise else float(x) for x in (value.real, value.imag))
        if imaginary >= 0:
            pair = f"{real:.6g} +- {imaginary:.6g}i" if real else f"+-{imaginary:.6g}i"
            shown.append(pair if imaginary else f"{real:.6g}")
    return ", ".join(shown) or "none"


def _numbers(values: Mapping[str, float]) -> str:
    """Return values by name, rounding noise as 0."""
    noise = 1e-12 * max((abs(v) for v in values.values()), default=0.0)
    return ", ".join(f"{name} = {0.0 if abs(v) <= noise else v:.6g}" for name, v in values.items())


def _matrix(names: Sequence[str], matrix: Any) -> list[Block]:
    """Return a matrix of numbers under the names of its columns; of a larger one how large it is."""
    if len(matrix) > _MOST:
        return [Words(f"The matrix is {len(matrix)} by {len(matrix)}.", quiet=True)]
    noise = 1e-12 * float(np.abs(matrix).max(initial=0.0))
    rows = (tuple(Words(f"{0.0 if abs(x) <= noise else x:.6g}") for x in row) for row in matrix)
    named = tuple((Words(name), *row) for name, row in zip(names, rows, strict=True)) if names else tuple(rows)
    return [Table(named, ("", *names) if names else ())]


def linearisation_page(found: Any) -> Section:
    """Return the stability of an equilibrium, its eigenvalues and the matrix."""
    words = (Words(sentence(found.stability)), Words(f"Eigenvalues: {_complex(found.eigenvalues)}."))
    return Section(f"x' = A x near {_numbers(found.point)}", (*words, *_matrix(found.names, found.matrix)))


def linear_part_page(found: Any) -> Section:
    """Return the eigenvalues of a linear part with what moves most in each, and the matrix."""
    rows = tuple((Words(_complex([m.value])), Words(m.name)) for m in found.modes if m.value.imag >= 0)
    return Section("x' = A x", (Table(rows, ("eigenvalue", "moves most")), *_matrix(found.names, found.matrix)))


def monodromy_page(found: Any) -> Section:
    """Return the multipliers of a closed orbit, of Floquet's theory modulo a symmetry too."""
    words = [Words(sentence(found.stability)), Words(f"Multipliers: {_complex(found.multipliers)}.")]
    shift = getattr(found, "shift", {})
    words += [Words(f"After a period the symmetry has moved it by {_numbers(shift)}.")] if shift else []
    words.append(Words(f"It misses its start by {size(found.miss)}.", quiet=True))
    return Section("one period", (*words, *_matrix(getattr(found, "names", ()), found.matrix)))


def lyapunov_page(found: Any) -> Section:
    """Return the exponents with their standard errors."""
    rows = tuple(
        (Words(significant(value)), Words(f"+- {size(error)}"))
        for value, error in zip(found.values, found.spread, strict=True)
    )
    words = f"Dimension by Kaplan and Yorke: {found.dimension:.4g}. Mean divergence: {found.divergence:.4g}."
    time = f" up to t = {found.t[-1]:g}" if len(found.t) else ""
    return Section(f"Lyapunov exponents{time}", (Table(rows), Words(words)))


def measured_page(found: Any) -> Section:
    """Return claims that were measured along a motion, with the numbers."""
    claims = found.claims() if callable(found.claims) else found.claims
    return Section(found.summary(), tuple(answered(claims, why=True)))


# -- groups --------------------------------------------------------------------------------------------------------
def holonomy_page(found: Any) -> Section:
    """Return how far a loop moves the fibre."""
    words = [Words(f"Shift of the fibre: {_numbers(found.shift)}.")]
    winding = {name: n for name, n in found.winding.items() if n}
    words += [Words(f"The loop winds around {', '.join(f'{name} {n} times' for name, n in winding.items())}.")] * bool(
        winding
    )
    words += [Words(f"Along the generators: {_numbers(found.displacement)}.")] if found.displacement else []
    words += [Words(f"By the flux of the curvature: {_numbers(found.flux)}.")] if found.flux else []
    return Section("holonomy of a loop", (*words, *answered(found.claims)))


def phase_page(found: Any) -> Section:
    """Return the parts of a reconstruction phase."""
    rows = tuple(
        (Words(name), *(Words(f"{x:.6g}") for x in parts))
        for name, *parts in zip(found.generators, found.dynamic, found.geometric, found.total, strict=True)
    )
    table = Table(rows, ("along", "dynamic", "geometric", "total"))
    return Section(f"phase after a period of {found.period:.6g}", (table, *answered(found.claims)))


def group_motion_page(found: Any) -> Section:
    """Return the first and the last element of a curve in a group."""
    title = f"curve in {found.group.name}: {len(found.t)} times, t = {found.t[0]:g} to {found.t[-1]:g}"
    return Section(title, (Words("It ends at"), *_matrix((), found.g[-1])))


def relative_equilibria_page(found: Any) -> Section:
    """Return relative equilibria with their stability."""
    blocks = [relative_equilibrium_page(one) for one in found.points]
    singular = [Words(f"The chart or the action is singular at {_numbers(_named(one))}.") for one in found.singular]
    return Section(found.summary(), (*blocks, *singular))


def relative_equilibrium_page(one: Any) -> Section:
    """Return a relative equilibrium: where it is, how it turns, and whether it is stable."""
    place = _named(one.exact or one.position)
    where = ", ".join(f"{name} = {value if one.exact else f'{value:.6g}'}" for name, value in place.items())
    spin = ", ".join(f"{x:.6g}" for x in one.spin)
    words = (
        Words(sentence(f"{one.stability}: {one.reason}")),
        Words(f"Spin {spin}; amended potential {one.amended:.6g}; eigenvalues {_complex(one.spectrum)}."),
    )
    return Section(where or "everywhere", (*words, *answered(one.claims)), level=3)


def _named(values: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(name): value for name, value in values.items()}


# -- vakonomic problems --------------------------------------------------------------------------------------------
def boundary_page(found: Any) -> Section:
    """Return the critical curves between two ends, the cheapest first."""
    rows = tuple(
        (
            Words(str(k)),
            Words(f"{one.cost:.6g}"),
            Words("yes" if one.converged else "no"),
            Words(size(one.shooting_error)),
        )
        for k, one in enumerate(found.solutions, 1)
    )
    table = [Table(rows, ("curve", "action", "converged", "error at the end"))] if rows else []
    tried = f"{found.attempts} guess{'es' * (found.attempts != 1)} tried, of which {found.failed} led nowhere."
    return Section(found.summary(), (*table, Words(tried)))


def boundary_solution_page(one: Any) -> Section:
    """Return a critical curve: its action and its errors."""
    said = f"Action {one.cost:.6g}; it misses the end by {size(one.shooting_error)} after {one.iterations} iterations."
    return Section("critical curve", (Words(sentence(one.message)), Words(said)))


def extremal_page(found: Any, claims: Sequence[Any] | None = None, *, full: bool = False) -> Section:
    """Return the conjugate points of a vakonomic motion, and claims about how long it is a minimum."""
    system = found.run.provenance.get("system", "motion")
    points = [
        Words(f"Conjugate point at t = {one.time:.10g}{f', {one.multiplicity} times' if one.multiplicity > 1 else ''}.")
        for one in found.points
    ]
    table = answered(found.claims if claims is None else claims, why=full)
    title = f"{system}, vakonomic, up to t = {found.run.t[-1]:g}"
    return Section(title, (*(points or [Words("No conjugate points.")]), *table), level=1)


# -- theories ------------------------------------------------------------------------------------------------------
def rank_page(found: Any) -> Words:
    """Return a rank and how it is known."""
    return Words(f"The rank is {found.rank} ({found.verdict.basis}): {found.verdict.evidence}")


def sentence_page(one: Any) -> Words:
    """Return what a report says, or that it is made of a result."""
    return Words(one.words if isinstance(one.words, str) else f"made of a result by {one.words.__name__}")


def theorem_page(one: Any) -> Section:
    """Return a theorem: what it states, and where it stands."""
    return Section(one.name, (Words(sentence(one.statement)), Words(f"{one.place} ({one.role}).", quiet=True)))


def formalism_page(one: Any) -> Section:
    """Return a formalism: what it does, and its theorems."""
    theorems = tuple(Words(f"{theorem.name}: {sentence(theorem.statement)}") for theorem in one.theorems)
    return Section(f"{one.name}: {one.title}", (Words(one.sentence), Listing(theorems, form="plain")))
