"""Random starts with velocities left out, and an independent answer to each: circuits, KKT systems, SciPy's SLSQP.

Nothing here uses how the library completes a start; the Lagrangian and the constraints are numbers or plain functions.
"""

from itertools import combinations

import numpy as np
from scipy.optimize import minimize

from dalembert import derive
from dalembert.model.system import System
from dalembert.numerics.field import Tape, inputs_of
from dalembert.numerics.simulate import prepare

KINDS = ("linear", "affine", "time-dependent", "holonomic", "nonlinear")


def _text(number):
    return repr(float(number))


class Drawn:
    """A random system with a metric that mixes coordinates, random constraints, and a random start."""

    def __init__(self, kind, seed):
        draw = np.random.default_rng([seed, KINDS.index(kind)])
        self.kind, self.draw = kind, draw
        n = int(draw.integers(3, 6))
        k = 1 if kind == "nonlinear" else int(draw.integers(1, n - 1))
        names = [f"x{i}" for i in range(n)]
        root = draw.integers(-3, 4, (n, n)) + 4 * np.eye(n, dtype=int)
        scales = 10.0 ** draw.integers(-1, 2, n)  # metres and radians, grams and tons
        self.constant = (root @ root.T + 1) * np.outer(scales, scales)
        self.bump = draw.integers(0, 3, n) * scales**2
        self.rows = draw.integers(-4, 5, (k, n)).astype(float)
        self.rows[:, :k] += 20 * np.eye(k)
        self.offset = draw.integers(-3, 4, k).astype(float) if kind in {"affine", "nonlinear"} else np.zeros(k)
        self.rate = draw.integers(1, 4, k).astype(float) if kind == "time-dependent" else np.zeros(k)
        self.curve = float(draw.integers(1, 3)) if kind == "nonlinear" else 0.0
        self.n, self.k, self.names = n, k, names
        self.begin = float(draw.integers(0, 5)) / 2
        self.q = np.round(draw.uniform(-1, 1, n), 3)
        self.left_out = sorted(draw.choice(n, size=int(draw.integers(k + 1, n + 1)), replace=False).tolist())
        if np.linalg.cond(self.rows[:, self.left_out]) > 1e3:  # what is given could contradict the constraints
            self.left_out = list(range(n))
        self.given = {i: round(float(draw.uniform(-2, 2)), 3) for i in range(n) if i not in self.left_out}

    def metric(self, q):
        return self.constant + np.diag(self.bump * np.sin(q) ** 2)

    def constraint(self, q, v):
        """Return what must vanish."""
        wave = 1 + 0.25 * np.cos(q[-1])
        if self.kind == "holonomic":
            wave = 1.0
        return self.rows @ v * wave + self.offset + self.rate * np.sin(self.begin) - self.curve * v[self.n - 1] ** 2

    def system(self):
        kinetic = " + ".join(
            f"({_text(self.constant[i, j] / 2)})*x{i}'*x{j}'" for i in range(self.n) for j in range(self.n)
        )
        kinetic += "".join(f" + {_text(self.bump[i] / 2)}*sin(x{i})^2*x{i}'^2" for i in range(self.n))
        wave = "" if self.kind == "holonomic" else f"*(1 + cos(x{self.n - 1})/4)"
        held = {}
        for a, row in enumerate(self.rows):
            dot = " + ".join(
                f"({_text(c)})*x{i}" + ("" if self.kind == "holonomic" else "'") for i, c in enumerate(row)
            )
            rest = f" + ({_text(self.offset[a])}) + {_text(self.rate[a])}*sin(t) - {_text(self.curve)}*x{self.n - 1}'^2"
            value = float(self.rows[a] @ self.q)
            held[f"c{a}"] = f"{dot} = {value!r}" if self.kind == "holonomic" else f"({dot}){wave}{rest} = 0"
        start = {name: repr(float(value)) for name, value in zip(self.names, self.q, strict=True)}
        start |= {f"x{i}'": repr(value) for i, value in self.given.items()}
        return System.of(
            name="drawn",
            coordinates=" ".join(self.names),
            lagrangian=kinetic,
            start=start,
            run={"begin": repr(self.begin)},
            **{"holonomic" if self.kind == "holonomic" else "constraints": held},
        )

    # -- answers -------------------------------------------------------------------------------------------------
    def linear(self, matrix):
        """Return v by the rule: given velocities, and each component of the others alone by its KKT system."""
        zero = np.zeros(self.n)
        rest = self.constraint(self.q, zero)
        rows = np.array([self.constraint(self.q, e) - rest for e in np.eye(self.n)]).T
        given = np.array([self.given.get(i, 0.0) for i in range(self.n)])
        return by_rule(matrix, rows, -rest, given, self.left_out)

    def parts(self):
        """Return the missing velocities that the one nonlinear row binds, and those that are zero."""
        bound = [i for i in self.left_out if self.rows[0][i] or i == self.n - 1]
        free = np.abs(self.constraint(self.q, np.array([self.given.get(i, 0.0) for i in range(self.n)]))).max() < 1e-12
        return ([], self.left_out) if free else (bound, [i for i in self.left_out if i not in bound])

    def by_slsqp(self, matrix, guesses=8):
        """Return v of the least energy that SLSQP finds from several guesses."""
        bound, zeros = self.parts()
        if not bound:
            return np.array([self.given.get(i, 0.0) for i in range(self.n)])
        alone = [*self.given, *zeros]
        matrix = matrix * (np.isin(np.arange(self.n), bound)[:, None] & np.isin(np.arange(self.n), bound))
        matrix = matrix + np.diag([float(i in alone) for i in range(self.n)])
        fixed = np.eye(self.n)[alone]
        values = np.array([*self.given.values(), *(0.0 for _ in zeros)])
        unit = 1 / np.sqrt(np.diag(matrix))  # SLSQP wants variables of one size
        scaled = matrix * np.outer(unit, unit)

        def held(u):
            return np.concatenate([self.constraint(self.q, u * unit), fixed @ (u * unit) - values])

        best = None
        for _ in range(guesses):
            found = minimize(
                lambda u: u @ scaled @ u / 2,
                self.draw.normal(size=self.n) * 3,
                jac=lambda u: scaled @ u,
                constraints=[{"type": "eq", "fun": held}],
                method="SLSQP",
                options={"ftol": 1e-15, "maxiter": 300},
            )
            if np.abs(held(found.x)).max() < 1e-9 and (best is None or found.fun < best.fun):
                best = found
        return None if best is None else best.x * unit


def by_rule(matrix, rows, right, given, left_out):
    """Return the velocities of a start: components by the circuits of the columns that are left out, each alone."""
    v = np.array(given, float)
    v[left_out] = 0.0
    any_one = np.linalg.pinv(rows[:, left_out]) @ (right - rows @ v)
    for part in components(rows[:, left_out]):
        own = [left_out[i] for i in part]
        aim = rows[:, own] @ any_one[part]
        if np.abs(aim).max(initial=0.0) < 1e-11:
            continue
        rank = np.linalg.matrix_rank(rows[:, own])
        _, _, turned = np.linalg.svd(rows[:, own])
        free = turned[rank:].T
        v[own] = np.linalg.pinv(rows[:, own]) @ aim
        inner = free.T @ matrix[np.ix_(own, own)] @ free
        v[own] -= free @ np.linalg.solve(inner, free.T @ matrix[np.ix_(own, own)] @ v[own])
    return v


def components(columns):
    """Return the connected components of a column matroid: of columns that stand in one circuit, by trying all sets."""
    size = columns.shape[1]
    label = list(range(size))

    def rank(chosen):
        return np.linalg.matrix_rank(columns[:, list(chosen)], tol=1e-9) if chosen else 0

    for count in range(2, size + 1):
        for chosen in combinations(range(size), count):
            if rank(chosen) == count - 1 and all(rank(set(chosen) - {one}) == count - 1 for one in chosen):
                label = [label[chosen[0]] if one in {label[i] for i in chosen} else one for one in label]
    return [[i for i in range(size) if label[i] == one] for one in sorted(set(label))]


def twin(drawn):
    """Return the velocities of the least energy of all that move together: what the rule must be told apart from."""
    matrix, n = drawn.metric(drawn.q), drawn.n
    if drawn.kind == "nonlinear":
        return drawn.by_slsqp(np.eye(n))
    rest = drawn.constraint(drawn.q, np.zeros(n))
    rows = np.array([drawn.constraint(drawn.q, e) - rest for e in np.eye(n)]).T
    border = np.vstack([rows, np.eye(n)[list(drawn.given)]])
    whole = np.block([[matrix, border.T], [border, np.zeros((len(border), len(border)))]])
    return np.linalg.lstsq(whole, np.concatenate([np.zeros(n), -rest, list(drawn.given.values())]), rcond=None)[0][:n]


def differs(drawn, found):
    """Say how far velocities are from an independent answer, in units in which the metric has ones on its diagonal."""
    matrix = drawn.metric(drawn.q)
    weight = np.sqrt(np.diag(matrix))
    if drawn.kind != "nonlinear":
        wanted = drawn.linear(matrix)
        return float(np.abs((found - wanted) * weight).max() / (1 + np.abs(wanted * weight).max()))
    wanted = drawn.by_slsqp(matrix)
    if wanted is None:
        return np.nan
    best, mine = wanted @ matrix @ wanted / 2, found @ matrix @ found / 2
    feasible = np.abs(drawn.constraint(drawn.q, found)).max() < 1e-8 * (1 + np.abs(found).max())
    return 0.0 if feasible and mine <= best * (1 + 1e-7) + 1e-12 else float(mine / best)  # lower than SLSQP is no fault


def velocities(drawn, formalism="nonholonomic"):
    """Return the stated velocities that the library completes."""
    problem, words, _ = prepare(derive(drawn.system(), formalism), time=(drawn.begin, drawn.begin))
    meanings = [words.meaning(v.data) for v in words.system.v]
    point = [drawn.begin, *problem.start, *problem.guess, *problem.parameters]
    return np.array(Tape(meanings, inputs_of(problem.equations))(point))
