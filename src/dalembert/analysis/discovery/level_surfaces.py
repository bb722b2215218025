"""The surfaces that the integrals of a reduced motion leave, as numbers, and closed curves on them.

With integrals F_1 ... F_k on the n = k + 2 dimensions of a motion modulo its symmetries Y_a, and an invariant volume
mu, a level surface has the area form sigma with sigma ^ dF_1 ^ ... ^ dF_k = i_Y mu, and alpha = i_X sigma is closed
on it: this is what Jacobi's last multiplier says. No coordinates are used, neither of the surface nor of the quotient:
alpha is taken on vectors of the states,

    alpha(v) = rho det(X, v, Y_1, ..., grad F_1, ..., normals) / det(dF_i(grad F_j)),

with the normals of spheres where a rotation has a unit quaternion. Points of the quotient are told apart by functions
z that the symmetries leave as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from dalembert.expr.calculus import gradient
from dalembert.expr.graph import ZERO, Expr
from dalembert.model.trajectory import Array
from dalembert.numerics.compile import Observer, observer
from dalembert.numerics.problem import Problem
from dalembert.numerics.quadrature import collocation, gauss_nodes
from dalembert.records import dataclass

_STEPS = 30
"""A curve is followed in steps of its extent divided by this, and by twice as much until nothing changes."""
_FINEST = 8
_MOST = 40
"""A curve that has not come back after so many extents is given up."""
_STEEP = 0.03
"""A curve that the motion crosses at less than this of its largest speed is not taken."""
_ORDERS = 9, 12
"""With so many nodes in each step; the difference tells the error."""
_CLOSED = 1e-11


class Look(NamedTuple):
    """What a surface has at states; the first axis of each array is that of the states."""

    rates: Array
    """X."""
    levels: Array
    """F."""
    slopes: Array
    """dF, along spheres."""
    orbits: Array
    """Y."""
    density: Array
    places: Array
    """z."""
    turns: Array
    """dz."""
    normals: Array
    form: Array


@dataclass(frozen=True, eq=False)
class LevelSurface:
    """The surface that integrals leave, through the start of a problem."""

    problem: Problem
    integrals: tuple[Expr, ...]
    density: Expr
    orbits: tuple[Mapping[Expr, Expr], ...]
    """The symmetries, as fields on the states."""
    functions: tuple[Expr, ...]
    """Functions z on the quotient."""
    spheres: tuple[tuple[Expr, ...], ...]
    """The components of unit quaternions."""
    form: tuple[Expr, ...] = ()
    """A 1-form on the states that cycles are integrated over: p dq of a Hamiltonian motion; none where it is empty."""

    @cached_property
    def _observer(self) -> Observer:
        state = list(self.problem.equations.state)
        rates = self.problem.equations.rates()
        rows = [gradient(one, state) for one in (*self.integrals, *self.functions)]
        roots = [rates[s] for s in state] + list(self.integrals) + [e for row in rows for e in row]
        roots += [field.get(s, ZERO) for field in self.orbits for s in state]
        return observer(self.problem.equations, [*roots, self.density, *self.functions, *self.form])

    def look(self, states: Array) -> Look:
        """Return what the surface has at states, which are rows."""
        count, size = states.shape
        values = self._observer(np.zeros(count), states.T, self.problem.parameters).T
        many, few, group = len(self.functions), len(self.integrals), len(self.orbits)
        ends = np.cumsum([size, few, few * size, many * size, group * size, 1, many])
        rates, levels, slopes, turns, orbits, density, places, form = np.split(values, ends, axis=1)
        normals = np.zeros((count, len(self.spheres), size))
        index = {s: k for k, s in enumerate(self.problem.equations.state)}
        for k, sphere in enumerate(self.spheres):
            rows = [index[q] for q in sphere]
            normals[:, k, rows] = states[:, rows] / np.linalg.norm(states[:, rows], axis=1, keepdims=True)
        slopes, turns = slopes.reshape(count, few, size), turns.reshape(count, many, size)
        for k in range(len(self.spheres)):  # functions are given off the spheres in some way that does not count
            normal = normals[:, k, :, None]
            slopes, turns = (rows - (rows @ normal) * normal.transpose(0, 2, 1) for rows in (slopes, turns))
        orbits = orbits.reshape(count, group, size)
        return Look(rates, levels, slopes, orbits, density[:, 0], places, turns, normals, form)

    def across(self, at: Look) -> Array:
        """Return U along the surface, at right angles to the motion and to orbits, with alpha(U) = 1."""
        rows = np.concatenate([at.rates[:, None, :], at.orbits, at.slopes, at.normals], axis=1)
        _, sizes, basis = np.linalg.svd(rows)
        normal = basis[:, -1, :]
        turned = np.linalg.det(np.concatenate([rows, normal[:, None, :]], axis=1))
        grams = np.linalg.det(at.slopes @ at.slopes.transpose(0, 2, 1)) if self.integrals else np.ones(len(turned))
        return np.asarray(normal * (grams / (at.density * np.prod(sizes, axis=1)) * np.sign(turned))[:, None])

    def along(self, at: Look, function: int) -> Array:
        """Return V along the curve on the surface where a function z is constant, with alpha(V) = 1."""
        field = self.across(at)
        slope = at.turns[:, function, :]
        part = np.einsum("is,is->i", slope, field) / np.einsum("is,is->i", slope, at.rates)
        return np.asarray(field - part[:, None] * at.rates)

    def onto(self, states: Array, function: int, level: float, levels: Array) -> Array:
        """Return the nearest states on a curve, by Newton's method."""
        for _ in range(4):
            at = self.look(states)
            gaps = np.concatenate([at.levels - levels, at.places[:, [function]] - level], axis=1)
            rows = np.concatenate([at.slopes, at.turns[:, [function], :]], axis=1)
            states = states - np.einsum("ijk,ik->ij", np.linalg.pinv(rows), gaps)
            states = self._unit(states)
            if float(np.abs(gaps).max()) < 1e-13:
                break
        return states

    def _unit(self, states: Array) -> Array:
        index = {s: k for k, s in enumerate(self.problem.equations.state)}
        states = states.copy()
        for sphere in self.spheres:
            rows = [index[q] for q in sphere]
            states[:, rows] /= np.linalg.norm(states[:, rows], axis=1, keepdims=True)
        return states


class ClosedCurve(NamedTuple):
    """A closed curve across the motion on a level surface, by u = the integral of alpha along it, over its whole."""

    function: int
    """Which of the functions is constant along it."""
    level: float
    states: Array
    """At equal distances of u, rows."""
    places: Array
    """z there."""
    period: float
    """The integral of alpha over the whole curve."""
    gap: float
    """By how much it does not close, beside its extent."""
    error: float
    """By how much the period changes with the number of nodes, relative to itself."""


def closed_curve(
    surface: LevelSurface, start: Array, function: int, level: float, extent: float, samples: int = 256
) -> ClosedCurve | None:
    """Return the curve through a state where a function has a value; None where it is not closed, or not crossed."""
    line = _Line(surface, function, level, surface.look(start[None]).levels[0])
    for finer in range(_FINEST):
        followed = line.followed(start, extent, _STEPS * 2**finer)
        if followed is None:
            return None
        corners = followed
        few, many = (line.pieces(corners, order) for order in _ORDERS)
        error = abs(few.total / many.total - 1)
        if error <= _CLOSED or finer == _FINEST - 1:
            break
    while True:
        states = line.equidistant(corners, many, samples)
        places = surface.look(states).places
        if _resolved(places) or samples >= 4096:
            break
        samples *= 2
    return ClosedCurve(function, line.level, states, places, many.total, many.gap / extent, error)


def _resolved(places: Array) -> bool:
    """Say whether a trigonometric polynomial through samples of a closed curve is the curve."""
    sizes = np.abs(np.fft.rfft(places, axis=0)).max(axis=1)
    return bool(sizes[-len(sizes) // 4 :].max() < 1e-12 * sizes.max())


class _Pieces(NamedTuple):
    """u along the pieces of a curve between its corners."""

    slopes: Array
    """du/dsigma in each piece as a series of Legendre's polynomials in 2 sigma - 1, rows by pieces."""
    begins: Array
    """u at the begin of each piece."""
    total: float
    """u where the curve comes back."""
    gap: float
    """How far from its begin that is, in z."""


@dataclass(frozen=True, eq=False)
class _Line:
    """The curve on a surface where a function has a value, by points at the chords between corners: state(sigma)."""

    surface: LevelSurface
    function: int
    level: float
    levels: Array

    def onto(self, states: Array) -> Array:
        return self.surface.onto(states, self.function, self.level, self.levels[None])

    def followed(self, start: Array, extent: float, steps: int) -> Array | None:
        """Return states along the curve, at equal steps of z, until it has come back and is past its begin."""
        surface, length, found = self.surface, extent / steps, [start]
        steepest, flattest, before, away = 0.0, np.inf, 0.0, False
        home = first = np.zeros(0)
        for _ in range(_MOST * steps):
            at = surface.look(found[-1][None])
            speed = float(at.turns[0, self.function] @ at.rates[0])
            steepest, flattest = max(steepest, speed), min(flattest, speed)
            if not flattest > _STEEP * steepest:  # not a number is not more
                return None
            field = surface.along(at, self.function)
            pace = float(np.linalg.norm(at.turns[0] @ field[0]))
            if len(found) == 1:
                home, first = at.places[0], at.turns[0] @ field[0] / pace
            off = at.places[0] - home
            ahead, distance = float(off @ first), float(np.linalg.norm(off))
            if away and distance < 2 * length and before < 0 <= ahead:
                return np.array(found)
            away = away or distance > 4 * length
            before = ahead if distance < 2 * length else 0.0
            middle = surface.along(surface.look(found[-1][None] + field * (length / pace / 2)), self.function)
            found.append(self.onto(found[-1][None] + middle * (length / pace))[0])
        return None

    def at(self, corners: Array, pieces: NDArray[np.int64], parts: Array) -> Array:
        """Return the states at parts 0 ... 1 of pieces."""
        return self.onto(corners[pieces] + parts[:, None] * (corners[pieces + 1] - corners[pieces]))

    def pieces(self, corners: Array, order: int) -> _Pieces:
        """Integrate alpha over the pieces, by collocation at the nodes of Gauss."""
        nodes, count = gauss_nodes(order), len(corners) - 1
        matrix, _ = collocation(nodes)
        at = self.surface.look(self.at(corners, np.repeat(np.arange(count), order), np.tile(nodes, count)))
        tangents = np.einsum("ijk,ik->ij", at.turns, self.surface.along(at, self.function))
        begins = self.surface.look(corners).places
        places = at.places.reshape(count, order, -1)
        rates = np.einsum("ab,pbz->paz", np.linalg.inv(matrix), places - begins[:-1, None, :])
        tangents = tangents.reshape(places.shape)
        paces = (rates * tangents).sum(axis=2) / (tangents**2).sum(axis=2)
        series = np.linalg.solve(legendre.legvander(2 * nodes - 1, order - 1), paces.T).T
        whole = _primitive(series, np.ones(count))
        ends = np.concatenate([[0.0], np.cumsum(whole)])
        part, gap = self._closing(corners, begins[0], tangents[0, 0])
        return _Pieces(series, ends[:-1], float(ends[-2] + _primitive(series[-1:], np.array([part]))[0]), gap)

    def _closing(self, corners: Array, home: Array, tangent: Array) -> tuple[float, float]:
        """Return at which part of the last piece the curve is back, and how far from its begin it is there."""
        last = np.array([len(corners) - 2])
        parts = [0.0, 1.0]
        heights: list[float] = []
        for step in range(12):  # by secants
            if step >= 2:
                (a, b), (f, g) = parts[-2:], heights[-2:]
                if g == f or abs(b - a) < 1e-16:
                    break
                parts.append(b - g * (b - a) / (g - f))
            off = self.surface.look(self.at(corners, last, np.array([parts[step]]))).places[0] - home
            heights.append(float(off @ tangent))
        return parts[len(heights) - 1], float(np.linalg.norm(off))

    def equidistant(self, corners: Array, pieces: _Pieces, samples: int) -> Array:
        """Return states at equal distances of u."""
        wanted = pieces.total * np.arange(samples) / samples
        which = np.clip(np.searchsorted(pieces.begins, wanted, side="right") - 1, 0, len(pieces.begins) - 1)
        parts = np.zeros(samples)
        for _ in range(8):
            missing = wanted - pieces.begins[which] - _primitive(pieces.slopes[which], parts)
            parts = parts + missing / _values(pieces.slopes[which], parts)
        return self.at(corners, which, parts)


def _values(series: Array, parts: Array) -> Array:
    """Return series of Legendre's polynomials, a row for each place."""
    return np.asarray((legendre.legvander(2 * parts - 1, series.shape[1] - 1) * series).sum(axis=1))


def _primitive(series: Array, parts: Array) -> Array:
    """Return their integrals from 0."""
    return _values(np.asarray(legendre.legint(series, lbnd=-1, scl=0.5, axis=1), dtype=np.float64), parts)
