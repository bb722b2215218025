"""Random starts with velocities left out, and an independent answer to each: a KKT system, or SciPy's SLSQP.

Nothing here uses how the library completes a start; the Lagrangian and the constraints are numbers or plain functions.
"""

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
        """Return v by the KKT system of a quadratic form under linear constraints and given velocities."""
        zero = np.zeros(self.n)
        rest = self.constraint(self.q, zero)
        rows = np.array([self.constraint(self.q, e) - rest for e in np.eye(self.n)]).T
        fixed = np.eye(self.n)[list(self.given)]
        border = np.vstack([rows, fixed])
        right = np.concatenate([np.zeros(self.n), -rest, list(self.given.values())])
        whole = np.block([[matrix, border.T], [border, np.zeros((len(border), len(border)))]])
        return np.linalg.solve(whole, right)[: self.n]

    def by_slsqp(self, matrix, guesses=8):
        """Return v of the least energy that SLSQP finds from several guesses."""
        fixed = np.eye(self.n)[list(self.given)]
        values = np.array(list(self.given.values()))
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


def twin(drawn):
    """Return the velocities of the least sum of squares, of whatever units: what the energy must be told apart from."""
    plain = np.eye(drawn.n)
    return drawn.by_slsqp(plain) if drawn.kind == "nonlinear" else drawn.linear(plain)


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
