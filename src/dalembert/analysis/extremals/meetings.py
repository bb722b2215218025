"""When two extremals of the same length meet: Maxwell times, from where on none of the two is shortest.

For members of a family others are looked for that end in the same place at the same time. Guesses are all members of a
grid of directions and multipliers, and those whose labels differ from the given one by signs, as symmetric partners do
where a problem has reflections; a guess is a pair of which the distance is least at some time. Newton's method then
solves for label and time of the other one. What it finds is measured; of a single member it is looked again before that
time, where the grid of times is finer; an earlier meeting between the lines of the grid may still be missed. Two labels
may belong to one curve (where constraints are integrable, or on abnormal extremals): that the curves are different is
seen half way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from dalembert.analysis.extremals.families import Family
from dalembert.errors import Fault
from dalembert.expr.truth import Verdict
from dalembert.mechanics.asked import refusal
from dalembert.model.claim import Claim
from dalembert.model.trajectory import Array
from dalembert.records import dataclass

_DIRECTIONS = 24
_TIMES = 60
_CANDIDATES = 36
_PLANE_AND_MULTIPLIER = 3
_STRETCHES = 12
_NEWTON = 14
_STEP = 1e-6
_FLAT = 1e-6
"""Singular values smaller than this part of the largest are rounding."""
_MEETS = 1e-9
_RINGS = (0.12, 0.25, 0.5)
_FAR = 0.1
"""Labels nearer than this to the own one are no guesses."""
_SAME = 1e-4
"""Curves whose places differ by less, beside how far they went, are one."""
_AGAIN = 4
"""How often an earlier meeting than the one that was found is looked for."""
_EDGE = 1e-4
"""Ends nearer than this times the cube of how far apart labels are meet: at a cuspidal edge of the front, where a
conjugate point is, members on both sides of it come as near as that cube, and do not."""
_TRIVIAL = 0.02
"""Meetings before this part of the time are those at the begin."""


@dataclass(frozen=True, slots=True)
class Maxwell:
    """When another extremal of the same length ends where one does, and which."""

    time: float
    angles: tuple[float, ...]
    multipliers: tuple[float, ...]
    gap: float
    """How far apart both end."""

    @property
    def angle(self) -> float:
        """The direction of the other one in the plane of the first two velocities."""
        return self.angles[0]

    @property
    def claim(self) -> Claim:
        """What was measured."""
        angles = ", ".join(f"{a:.6g}" for a in self.angles)
        told = ", ".join(f"{m:.6g}" for m in self.multipliers)
        why = f"that of direction {angles} and multipliers {told} ends {self.gap:.1e} from it."
        said = f"another extremal as long meets this one at t = {self.time:.10g}, from where on it is not shortest"
        return Claim("Maxwell time", said, "question", Verdict("measured", why))


def maxwell_time(
    family: Family, angle: Any, multipliers: Sequence[float], time: float, *, spread: float = 1.0
) -> Maxwell | None:
    """Return the first time that was found, up to ``time``, at which another extremal of the family meets this one.

    Others are looked for at all directions, with multipliers up to ``spread`` times the size of these and 1 beyond. Of
    more than two free velocities a direction has several angles.

    >>> from dalembert import gallery
    >>> from dalembert.analysis.extremals import extremals
    >>> from dalembert.mechanics.vakonomic import derive
    >>> found = maxwell_time(extremals(derive(gallery.load("heisenberg"))), 0.3, [2.0], 4.0)
    >>> bool(abs(found.time - math.pi) < 1e-7)
    True
    """
    angles = [[float(a)] for a in np.atleast_1d(angle)]
    label = family.labels(angles, [[float(m)] for m in multipliers])
    found = maxwell_times(family, label, time, spread=spread)[0]
    # guesses of a long time are few for each part of it: what was found may not be the first
    for _ in range(_AGAIN):
        earlier = found and maxwell_times(family, label, found.time, spread=spread)[0]
        if found is None or earlier is None or earlier.time >= found.time * (1 - 1e-7):
            break
        found = earlier
    return found


def maxwell_times(
    family: Family, labels: Array, time: float, *, spread: float = 1.0, candidates: int | None = None
) -> list[Maxwell | None]:
    """Return for members by their labels, columns, the first time at which another one meets each, where one was found.

    Only where L is quadratic in the velocities alone do equal times mean equal actions: else ``HypothesisError``.
    """
    if not family.plain_length:
        what = "L has terms beside those of second degree in the velocities, or depends on time"
        remedy = "then two extremals of the same time are not as long, and a meeting says nothing"
        raise refusal("Maxwell times", [Fault("lagrangian", what, remedy, kind="natural")])
    count = labels.shape[1]
    # with more multipliers a grid is coarser, and of more guesses one has to be near enough
    most = candidates or _CANDIDATES * min(3 ** (len(labels) - family.rank - 1), 9) * (
        4 if _alone(family, labels) else 1
    )
    times = np.linspace(0.0, time, _TIMES + 1)
    mine = family.paths(labels, times)
    grid = _grid(family, labels, spread)
    shared = family.paths(grid, times)
    signs = np.array(list(product((1.0, -1.0), repeat=len(labels)))[1:]).T
    mirrored = (labels[:, :, None] * signs[:, None, :]).reshape(len(labels), -1)
    mirrors = family.paths(mirrored, times).reshape(len(mine), count, signs.shape[1], len(times))
    owners, guesses = [], []
    for k in range(count):
        others = np.concatenate([shared, mirrors[:, k]], axis=1)
        there = np.concatenate([grid, labels[:, k, None] * signs], axis=1)
        found = _guesses(family, labels[:, k], mine[:, k], there, others, times, most)
        owners += [k] * len(found)
        guesses += found
    best: list[Maxwell | None] = [None] * count
    if guesses:
        met = _met(family, labels[:, owners], np.array(guesses).T, time)
        for k, one in zip(owners, met, strict=True):
            first = best[k]
            if one is not None and (first is None or one.time < first.time - 1e-9):
                best[k] = one
    return best


def _alone(family: Family, labels: Array) -> bool:
    """Return whether there is one member of a plane and one multiplier, for which a finer grid costs little."""
    return labels.shape == (_PLANE_AND_MULTIPLIER, 1) and family.rank == _PLANE_AND_MULTIPLIER - 1


def _grid(family: Family, labels: Array, spread: float) -> Array:
    """Return labels of all directions, with multipliers around zero."""
    rank = family.rank
    own = labels[rank:]
    reach = 1 + spread * np.max(np.abs(own), axis=1)
    lines = 9 if len(own) == 1 else 5
    axes = [np.linspace(-r, r, lines) for r in reach]
    if labels.shape[1] == 1:
        axes = [np.unique([*line, m, -m]) for line, m in zip(axes, own[:, 0], strict=True)]
    directions = _DIRECTIONS * (2 if _alone(family, labels) else 1)
    around = [np.linspace(0, 2 * math.pi, directions + 1)[:-1]]
    tilts = [np.linspace(-math.pi / 2, math.pi / 2, 7)[1:-1]] * (rank - 2)
    mesh = np.array([m.ravel() for m in np.meshgrid(*around, *tilts, *axes, indexing="ij")])
    if _alone(family, labels):  # partners near the cusps of the Maxwell set have nearly the same label
        turn = np.linspace(0, 2 * math.pi, 13)[:-1]
        ring = np.concatenate([r * np.array([np.cos(turn), np.sin(turn)]) for r in _RINGS], axis=1)
        here = np.array([math.atan2(labels[1, 0], labels[0, 0]), labels[2, 0]])
        mesh = np.concatenate([mesh, here[:, None] + ring], axis=1)
    return family.labels(mesh[: rank - 1], mesh[rank - 1 :])


def _guesses(
    family: Family, label: Array, mine: Array, labels: Array, others: Array, times: Array, most: int
) -> list[tuple[float, ...]]:
    """Return label and time of others that come near to one, the nearest of each stretch of time."""
    size = np.linalg.norm(family.apart(mine, mine[:, :1]), axis=0)
    gaps = np.linalg.norm(family.apart(others, mine[:, None]), axis=0)
    far = np.linalg.norm(labels - label[:, None], axis=0) > _FAR
    after = np.concatenate([gaps[:, 1:], np.full((len(gaps), 1), np.inf)], axis=1)
    least = (gaps[:, 1:] <= gaps[:, :-1]) & (gaps[:, 1:] <= after[:, 1:])
    rows, columns = np.nonzero(least & far[:, None])
    nearness = gaps[rows, columns + 1] / (size[columns + 1] + 0.1)
    # some of every stretch of time: a circle of others that comes together would leave no room for earlier ones
    stretch = columns * _STRETCHES // (len(times) - 1)
    order = np.lexsort((nearness, stretch))
    each = max(1, most // _STRETCHES)
    begins = np.searchsorted(stretch[order], np.arange(_STRETCHES))
    ends = np.searchsorted(stretch[order], np.arange(_STRETCHES), side="right")
    kept = [order[k] for a, b in zip(begins, ends, strict=True) for k in range(a, min(b, a + each))]
    return [(*labels[:, rows[k]], times[columns[k] + 1]) for k in kept]


def _met(family: Family, own: Array, guesses: Array, last: float) -> list[Maxwell | None]:
    """Return where pairs of extremals meet, by Newton's method on label and time of the second, all at once."""
    x, rank = guesses.copy(), family.rank
    count = x.shape[1]
    active = np.ones(count, dtype=bool)
    gap = np.full(count, np.inf)
    for _ in range(_NEWTON):
        places = np.flatnonzero(active)
        if not len(places):
            break
        moves = _moves(x[:, places], rank)
        table = np.concatenate([x[:, places, None], x[:, places, None] + _STEP * moves], axis=2)
        # divided by how far labels are apart: the member itself, which meets itself at all times, is then no solution
        apart = np.linalg.norm(table[:-1] - own[:, places, None], axis=0)
        values = _gaps(family, own[:, places], table) / apart
        gap[places] = np.linalg.norm(values[:, :, 0], axis=0) * apart[:, 0]
        slopes = np.moveaxis((values[:, :, 1:] - values[:, :, :1]) / _STEP, 1, 0)
        change = -(np.linalg.pinv(slopes, rcond=_FLAT) @ values[:, :, 0].T[:, :, None])[:, :, 0]
        change *= np.minimum(1.0, 0.5 / np.maximum(np.max(np.abs(change), axis=1), 1e-12))[:, None]
        moving = gap[places] >= _MEETS
        x[:, places[moving]] += np.einsum("imk,mk->im", moves, change)[:, moving]
        x[:rank] /= np.linalg.norm(x[:rank], axis=0)
        inside = (x[-1, places] > _TRIVIAL * last) & (x[-1, places] <= 1.2 * last)
        gap[places[~inside]] = np.inf
        active[places] = moving & inside
    meets = np.minimum(10 * _MEETS, _EDGE * np.linalg.norm(x[:-1] - own, axis=0) ** 3)
    good = np.flatnonzero((gap < meets) & (x[-1] <= last * (1 + 1e-9)))
    found: list[Maxwell | None] = [None] * count
    if len(good):
        different = _different(family, own[:, good], x[:, good])
        for k in good[different]:
            angles = tuple(float(math.remainder(a, 2 * math.pi)) for a in family.angles(x[:, k]))
            found[k] = Maxwell(float(x[-1, k]), angles, tuple(map(float, x[rank:-1, k])), float(gap[k]))
    return found


def _moves(x: Array, rank: int) -> Array:
    """Return how label and time may be changed, the direction at right angles to itself: rows by pairs by changes."""
    size, count = x.shape
    found = np.zeros((size, count, size - 1))
    across = np.linalg.svd(x[:rank].T[:, None, :])[2][:, 1:]
    found[:rank, :, : rank - 1] = np.moveaxis(across, (0, 1, 2), (1, 2, 0))
    for k in range(rank, size):
        found[k, :, k - 1] = 1.0
    return found


def _gaps(family: Family, own: Array, table: Array) -> Array:
    """Return how far apart both are: rows by pairs by changes of label and time."""
    size, pairs, changes = table.shape
    flat = table.reshape(size, -1)
    # of the own one only the time changes, with the last of the changes
    twice = np.concatenate([own, own], axis=1)
    when = np.concatenate([table[-1, :, 0], table[-1, :, -1]])
    both = family.ends(np.concatenate([flat[:-1], twice], axis=1), np.concatenate([flat[-1], when]))
    others = both[:, : pairs * changes].reshape(-1, pairs, changes)
    mine = np.repeat(both[:, pairs * changes :][:, :pairs, None], changes, axis=2)
    mine[:, :, -1] = both[:, pairs * changes + pairs :]
    return family.apart(others, mine)


def _different(family: Family, own: Array, x: Array) -> Array:
    """Return which pairs are different curves: half way they are apart."""
    half = np.concatenate([x[-1], x[-1]]) / 2
    both = family.ends(np.concatenate([own, x[:-1]], axis=1), half)
    count = x.shape[1]
    begin = np.array([[family.at[q.data.name]] for q in family.result.system.q])
    gap = np.linalg.norm(family.apart(both[:, :count], both[:, count:]), axis=0)
    gone = np.linalg.norm(family.apart(both[:, :count], np.broadcast_to(begin, both[:, :count].shape)), axis=0)
    found: Array = gap > _SAME * gone
    return found
