"""Eigenvalues along a family as a picture: real and imaginary parts against its label."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.present.plots import HEIGHT, WIDTH, Line, line_plot

Spectrum = NDArray[np.complex128]


def picture_of(found: Any) -> str:
    """Return the eigenvalues of steady motions along their label, shaded where none has a positive real part."""
    return spectrum_plot(
        found.system,
        found.label,
        found.values,
        [None if one is None else one.linear.eigenvalues for one in found.motions],
        [[] if one is None else [mode.name for mode in one.linear.modes] for one in found.motions],
        _calm(found),
    )


def _calm(found: Any) -> list[tuple[float, float]]:
    """Return the ranges of the label in which nothing grows: between neighbours, and up to a threshold between them."""
    ranges = []
    for (a, one), (b, other) in pairwise(zip(found.values, found.motions, strict=True)):
        if one is None or other is None or (one.grows and other.grows):
            continue
        inside = [t.value for t in found.thresholds if min(a, b) <= t.value <= max(a, b)]
        if one.grows == other.grows:
            ranges.append((a, b))
        elif len(inside) == 1:
            ranges.append((inside[0], b) if one.grows else (a, inside[0]))
    return ranges


def spectrum_plot(
    title: str,
    label: str,
    values: Sequence[float],
    spectra: Sequence[Spectrum | None],
    names: Sequence[Sequence[str]],
    shaded: Sequence[tuple[float, float]] = (),
) -> str:
    """Return an SVG picture of real parts above imaginary parts, ``None`` being a gap.

    ``names`` are those of the modes, in the order of each spectrum; a curve has the name that it ends with.
    """
    curves, called = _joined(spectra, names)
    x = np.array(values)
    pictures = [
        line_plot(
            [Line(x, part(curve), name) for curve, name in zip(curves.T, called, strict=True)],
            f"{title}: {word} parts",
            label,
            f"{short} lambda",
            shaded=shaded,
        )
        for word, short, part in (("real", "Re", np.real), ("imaginary", "Im", np.imag))
    ]
    placed = [f'<svg y="{k * HEIGHT}" width="{WIDTH}" height="{HEIGHT}">{one}</svg>' for k, one in enumerate(pictures)]
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {2 * HEIGHT}">{"".join(placed)}</svg>\n'


def _joined(spectra: Sequence[Spectrum | None], names: Sequence[Sequence[str]]) -> tuple[Spectrum, list[str]]:
    """Return eigenvalues by columns that go on as smoothly as they can, and the names that they end with."""
    size = max((len(one) for one in spectra if one is not None), default=0)
    found = np.full((len(spectra), size), np.nan + 0j)
    last, called = None, [""] * size
    for k, (one, own) in enumerate(zip(spectra, names, strict=True)):
        if one is None or len(one) != size:
            continue
        order = list(range(size)) if last is None else _nearest(last, one)
        found[k] = one[order]
        last, called = found[k], [own[i] for i in order]
    return found, called


def _nearest(before: Spectrum, after: Spectrum) -> list[int]:
    """Return which eigenvalue goes on with each of those before, the closest pairs first."""
    gaps = np.abs(before[:, None] - after[None, :])
    order = [0] * len(before)
    for _ in before:
        i, j = divmod(int(np.argmin(gaps)), len(after))
        order[i] = j
        gaps[i, :] = gaps[:, j] = np.inf
    return order
