"""Rates on a grid of angles, judged by the principle that a formalism states and by nothing that it derived.

Every angle among the variables takes the values 0, +-pi/2, pi and 0.3, and so do those of rotations and directions; the
others are random. What some code returns is carried back to the stated coordinates, by kinematics and configuration of
the equations, and must obey the equations of Lagrange with multipliers, solved by NumPy, or those of L + lambda f.
Where the constraints lose rank, the kinetic energy is degenerate, the constraints meet the orbits of a reduction or
the generators of its group are dependent is decided at each point, by singular values. Controls have their values.
"""

from dataclasses import dataclass, replace
from itertools import islice, product
from types import ModuleType

import numpy as np

from dalembert.expr.calculus import define, gradient, hessian, jacobian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, symbol
from dalembert.expr.readers.floats import Arrays
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.walk import evaluate, substitute
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
from dalembert.model.equations import Equations
from dalembert.model.kinds import KINDS, Point
from dalembert.model.system import System
from dalembert.numerics.codegen.model import robust_form
from dalembert.numerics.field import all_rates
from dalembert.numerics.specialise import specialise
from dalembert.testing.values import caller, compiled

VALUES = (0.0, np.pi / 2, -np.pi / 2, np.pi, 0.3)
EXCUSES = (
    "the constraints lose rank",
    "the kinetic energy is degenerate",
    "the constraints meet the orbits",
    "the generators are dependent",
)
_RIGHT = 1e-8
_NOTHING = 1e-12
"""A singular value below this part of the largest is zero: cos(pi/2) is 6e-17 in floating point."""
_CLOCK = symbol(TIME)


@dataclass(frozen=True)
class Grid:
    """Equations as code has them, and points: a row for each variable, a column for each point."""

    equations: Equations
    system: System
    y: np.ndarray
    t: np.ndarray
    parameters: np.ndarray
    unknowns: np.ndarray
    group: tuple[str, ...]
    """The generators that are divided out, or whose momenta are."""

    @property
    def variables(self) -> tuple[Expr, ...]:
        return (*self.equations.state, *self.equations.reconstruction)

    def at(self, roots, more=()):
        """Return the values of expressions, a row for each."""
        known = {_CLOCK: self.t, **dict(zip(self.variables, self.y, strict=True))}
        known |= dict(zip(self.equations.parameters, self.parameters, strict=True))
        known |= dict(zip(self.equations.implicit, self.unknowns, strict=True)) | dict(more)
        stated = {u: ZERO if value is None else value for u, value in self.system.controls.items()}
        with np.errstate(all="ignore"):
            found = evaluate(define(substitute(list(roots), stated), self.system.definitions), Arrays(known))
        return np.array([np.broadcast_to(value, self.t.shape) for value in found]).reshape(len(roots), len(self.t))

    def matrices(self, rows, more=()):
        """Return the values of a matrix of expressions, the point first."""
        height, width = len(rows), len(rows[0]) if rows else 0
        flat = self.at([e for row in rows for e in row], more)
        return np.moveaxis(flat.reshape(height, width, len(self.t)), -1, 0)

    def picked(self, places):
        """Return the grid with some of its points."""
        return replace(self, y=self.y[:, places], t=self.t[places], unknowns=self.unknowns[:, places])

    def coordinates(self):
        """Return the stated coordinates and their velocities, as expressions in the variables."""
        rates, own = all_rates(self.equations), self.equations.configuration
        q = [own.get(one, one) for one in self.system.q]
        drive = {**rates, _CLOCK: ONE}
        return q, [rates.get(one, v) for one, v in zip(q, tangent(q, drive), strict=True)]


def robust(result):
    """Return a result with the equations that fail nowhere by a choice of velocities, if there are any."""
    return replace(result, equations=robust_form(result.equations))


def grid_of(result, most=625):
    """Return the grid of what a formalism derived, at most so many points of it, spread evenly."""
    system = result.system
    equations, parameters, _ = specialise(robust_form(result.equations), system, None, None)
    variables = (*equations.state, *equations.reconstruction)
    angles = [k for k, v in enumerate(variables) if v.data.domain == "angle" and not v.data.order]
    turned = _points(system, variables)
    count = len(angles) + sum(len(point.components) - 1 for point in turned)
    step = -(-(len(VALUES) ** count) // most)
    step += step > 1 and step % len(VALUES) == 0  # so that the last angle takes all values too
    chosen = list(islice(product(VALUES, repeat=count), 0, None, step))
    random = np.random.default_rng(7)
    y = random.uniform(0.4, 1.3, (len(variables), len(chosen)))
    values = iter(np.array(chosen).reshape(len(chosen), count).T)
    for k in angles:
        y[k] = next(values)
    for point in turned:
        there = [variables.index(one) for one in point.components]
        y[there] = _turned(*(next(values) for _ in there[1:]))
    guess = random.uniform(0.4, 1.3, (len(equations.implicit), len(chosen)))
    group = {"routh": tuple(system.symmetry), "reduced": getattr(result, "group", ())}.get(equations.formalism, ())
    grid = Grid(equations, system, y, np.full(len(chosen), 0.3), np.array(parameters, dtype=float), guess, group)
    # beside rows on TQ/G too: elsewhere these are those on Q up to factors that the group moves
    held = turned or (equations.saddle is not None and equations.reconstruction)
    return _solved(grid) if equations.implicit else _on_constraints(grid) if held else grid


def _points(system, variables):
    """Return the rotations and directions among variables: stated ones, and one that another is seen by."""
    names = dict.fromkeys(v.data.name.partition(".")[0] for v in variables if "." in v.data.name)
    seen = [Point(name, kind) for name in names for kind in KINDS]
    return [point for point in dict.fromkeys((*system.points, *seen)) if set(point.components) <= set(variables)]


def _turned(a, b, c=None):
    """Return unit vectors by two angles, or unit quaternions by three: turns about z, then y, then x."""
    if c is None:
        return np.array([np.sin(b) * np.cos(a), np.sin(b) * np.sin(a), np.cos(b)])
    (ca, cb, cc), (sa, sb, sc) = ([f(angle / 2) for angle in (a, b, c)] for f in (np.cos, np.sin))
    return np.array(
        [
            ca * cb * cc + sa * sb * sc,
            ca * cb * sc - sa * sb * cc,
            ca * sb * cc + sa * cb * sc,
            sa * cb * cc - ca * sb * sc,
        ]
    )


def _on_constraints(grid):
    """Return points with the nearest velocities at which the constraints hold: some states have more than these."""
    system, velocities = grid.system, list(grid.equations.velocities)
    q, v = grid.coordinates()
    put = dict(zip((*system.q, *system.v), (*q, *v), strict=True))
    held = substitute([c.expression for c in system.constraints.values()], put)
    places = [grid.variables.index(u) for u in velocities]
    for moved in grid.equations.projection[1:]:  # rates of what is related, as the entries of a row are
        y = grid.y.copy()
        for one, step in zip(moved, grid.at(list(moved.values())), strict=True):
            y[grid.variables.index(one)] += step
        grid = replace(grid, y=y)
    for _ in range(3):
        rows, rest = grid.matrices(jacobian(held, velocities)), grid.at(held)
        y = grid.y.copy()
        for k in np.flatnonzero(np.isfinite(rows).all(axis=(1, 2)) & np.isfinite(rest).all(axis=0)):
            slopes = np.where(np.abs(rows[k]) < _NOTHING, 0.0, rows[k])  # what obeys anyway is not moved by rounding
            y[places, k] -= np.linalg.lstsq(slopes, rest[:, k], rcond=_NOTHING)[0]
        grid = replace(grid, y=y)
    return grid


def _solved(grid):
    """Return the points at which Newton's method finds the unknowns."""
    unknowns, residuals = list(grid.equations.implicit), list(grid.equations.implicit.values())
    steps = solve(jacobian(residuals, unknowns), residuals)
    for _ in range(60):
        moved = grid.at(steps)
        grid = replace(grid, unknowns=grid.unknowns - np.nan_to_num(moved))
    return grid.picked(np.flatnonzero(np.abs(moved).max(axis=0) < 1e-10))


def excused(grid):
    """Return which of the excuses each point has, a row for each excuse."""
    system = grid.system
    q, v = grid.coordinates()
    place = dict(zip((*system.q, *system.v), grid.at([*q, *v]), strict=True))
    mass = grid.matrices(hessian(system.lagrangian, system.v), place)
    none = np.zeros(len(grid.t), dtype=bool)
    met = _is_short(grid.matrices(generators, place), _sizes) if (generators := _generators(grid)) else none
    if not system.constraints:
        return np.array([none, _is_short(mass, np.linalg.eigvalsh), none, met])
    rows = grid.matrices(system.constraint_jacobian(), place)
    known = np.isfinite(rows).all(axis=(1, 2))
    allowed = np.linalg.svd(np.where(known[:, None, None], rows, 0.0))[2][:, len(system.constraints) :]
    energy = allowed @ mass @ np.swapaxes(allowed, 1, 2)
    orbits = grid.matrices(jacobian(q, list(grid.equations.reconstruction)), place)
    stated = [name not in system.units for name in system.constraints]  # all orbits keep lengths of the kind
    # all velocities of TQ/G fail nowhere
    chosen = any(stated) and grid.equations.reconstruction and grid.equations.saddle is None
    across = rows[:, stated] @ orbits if chosen else np.ones((len(grid.t), 1, 1))
    return np.array([_is_short(rows, _sizes), _is_short(energy, np.linalg.eigvalsh), _is_short(across, _sizes), met])


def _generators(grid):
    """Return the generators of the group that move coordinates, a row for each, on velocities."""
    frame = TangentFrame(grid.system)
    moving = [one for name in grid.group if (one := grid.system.symmetry[name]).components or one.turns]
    return [frame.opened(frame.along(generator)) for generator in moving]


def _sizes(matrices):
    """Return singular values, the least first."""
    return np.linalg.svd(matrices, compute_uv=False)[:, ::-1]


def _is_short(matrices, values):
    """Say where there is no matrix, or where the first of its values is nothing beside the last, or that elsewhere."""
    known = np.isfinite(matrices).all(axis=(1, 2))
    sizes = values(np.where(known[:, None, None], matrices, 0.0))
    return ~known | (sizes[:, 0] <= _NOTHING * np.maximum(sizes[:, -1], np.median(sizes[:, -1])))


def misses(grid, rates):
    """Return how far rates are from what they should be at each point, relative; not a number where they are not."""
    system = grid.system
    if system.lagrangian is None or system.order > 1:
        return _apart(rates, grid.at(list(all_rates(grid.equations).values())))
    q, v = grid.coordinates()
    found = [symbol(Symbol(f"rate {k}")) for k in range(len(rates))]
    drive = {**dict(zip(grid.variables, found, strict=True)), _CLOCK: ONE}
    residuals, unknowns = list(grid.equations.implicit.values()), list(grid.equations.implicit)
    if unknowns:
        moved = solve(jacobian(residuals, unknowns), [-r for r in tangent(residuals, drive)])
        drive |= dict(zip(unknowns, moved, strict=True))
    put = dict(zip((*system.q, *system.v), (*q, *v), strict=True))
    known = dict(zip(found, rates, strict=True))
    if grid.equations.formalism == "vakonomic":
        return np.maximum(_variational(grid, put, drive, known), _kinematic(grid, rates))
    accelerations = grid.at(tangent(v, drive), known)
    wanted = _by_multipliers(grid, grid.at([*q, *v]))
    return np.maximum.reduce([_apart(accelerations, wanted), _kinematic(grid, rates), _constraints(grid, put)])


def _kinematic(grid, rates):
    """Return how far the rates of coordinates are from the velocities that the kinematics say."""
    place = {v: k for k, v in enumerate(grid.variables)}
    chosen = [q for q in grid.equations.kinematics if q in grid.system.q]
    return _apart(rates[[place[q] for q in chosen]], grid.at([grid.equations.kinematics[q] for q in chosen]))


def _constraints(grid, put):
    """Return how far the velocities are from the constraints; beside rows of constraints any may be given."""
    if grid.equations.saddle is not None or not grid.system.constraints:
        return np.zeros(len(grid.t))
    held = grid.at(substitute([c.expression for c in grid.system.constraints.values()], put))
    return _apart(held, np.zeros_like(held))


def _by_multipliers(grid, place):
    """Return M a = f + W^T l, C a = -c solved at each point."""
    system, n = grid.system, len(grid.system.q)
    known = dict(zip((*system.q, *system.v), place, strict=True))
    drive = {**dict(zip(system.q, system.v, strict=True)), _CLOCK: ONE}
    held = [c.expression for c in system.constraints.values()]
    pull = zip(
        gradient(system.lagrangian, system.q), tangent(gradient(system.lagrangian, system.v), drive), strict=True
    )
    force = [a - b + system.forces.get(q, ZERO) for q, (a, b) in zip(system.q, pull, strict=True)]
    mass = hessian(system.lagrangian, system.v)
    border = [[-row[i] for row in system.virtual_matrix()] for i in range(n)] if held else [[] for _ in range(n)]
    rows = [[*m, *b] for m, b in zip(mass, border, strict=True)]
    rows += [[*row, *[ZERO] * len(held)] for row in (system.constraint_jacobian() if held else [])]
    matrix = grid.matrices(rows, known)
    right = grid.at([*force, *(-d for d in tangent(held, drive))], known)
    fine = np.isfinite(matrix).all(axis=(1, 2))
    answer = np.full((len(rows), len(grid.t)), np.nan)
    for k in np.flatnonzero(fine):
        answer[:, k] = np.linalg.lstsq(matrix[k], right[:, k], rcond=1e-13)[0]
    return answer[:n]


def _variational(grid, put, drive, known):
    """Return how far d/dt d(L + l f)/dq' = d(L + l f)/dq and f = 0 are from holding, beside the size of the terms.

    On rotations and directions the first holds along their spheres: what keeps their length belongs to the kind.
    """
    system = grid.system
    stated = {name: c.expression for name, c in system.constraints.items() if name not in system.units}
    named = [symbol(Symbol(f"multiplier {k}")) for k in range(len(stated))]
    whole = system.lagrangian + dot(named, list(stated.values()))
    multipliers = [grid.equations.monitors[f"multiplier {name}"] for name in stated]
    put = {**put, **dict(zip(named, multipliers, strict=True))}
    momenta, pull = (substitute(gradient(whole, x), put) for x in (system.v, system.q))
    left, right = grid.at(tangent(momenta, drive), known), grid.at(pull)
    for sphere in system.spheres:
        places = [system.q.index(q) for q in sphere]
        q = grid.at([put[one] for one in sphere])
        for side in (left, right):
            side[places] -= (side[places] * q).sum(axis=0) * q
    kept = grid.at(substitute([c.expression for c in system.constraints.values()], put))
    return np.maximum(_apart(left, right), _apart(kept, np.zeros_like(kept)))


def _apart(found, wanted):
    """Return the largest difference at each point, relative to the largest of what is wanted."""
    if not len(found):
        return np.zeros(found.shape[1])
    with np.errstate(all="ignore"):
        return np.abs(found - wanted).max(axis=0) / (1 + np.abs(wanted).max(axis=0))


def is_right(grid, rates):
    """Say at which points rates are finite and obey the principle."""
    return np.isfinite(rates).all(axis=0) & (misses(grid, rates) < _RIGHT)


# -- code that is run --------------------------------------------------------------------------------------------------
def by_c(text, grid):
    """Return the rates that generated C computes."""
    call, which = caller(compiled(text), text, grid.equations), main_function(grid)
    points = zip(grid.t, grid.y.T, grid.unknowns.T, strict=True)
    return np.array([call(which, t, y, grid.parameters, u) for t, y, u in points]).T


def by_casadi(text, grid):
    """Return the rates that a module for CasADi computes, at all points at once."""
    module = ModuleType("generated")
    exec(compile(text, "generated", "exec"), module.__dict__)  # noqa: S102 (it is the code under test)
    given = [grid.t[None], grid.y, np.repeat(grid.parameters[:, None], len(grid.t), axis=1)]
    given += [grid.unknowns] if grid.equations.implicit else []
    return np.array(getattr(module, main_function(grid))(*given))


def main_function(grid):
    """Return what the function for all rates is called."""
    return "rates" if grid.equations.reconstruction else "field"


__all__ = ["EXCUSES", "Grid", "by_c", "by_casadi", "excused", "grid_of", "is_right", "main_function", "misses"]
