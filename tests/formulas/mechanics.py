"""From a Lagrangian, constraints or momenta to the objects of the papers, by differentiation and linear solves alone.

Nothing here simplifies: what comes out is as raw as what the library makes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product as pairs

from dalembert.expr import (
    ONE,
    TIME,
    ZERO,
    Expr,
    diff,
    gradient,
    hessian,
    jacobian,
    solve,
    substitute,
    symbol,
    tangent,
    time_derivative,
    total,
)

Fields = Sequence[Sequence[Expr]]


def add(terms) -> Expr:
    return total((1, term) for term in terms)


def dot(left, right) -> Expr:
    return add(a * b for a, b in zip(left, right, strict=True))


def put(expression: Expr, replacements: Mapping[Expr, Expr]) -> Expr:
    return substitute([expression], replacements)[0]


def linear(equations: Sequence[Expr], unknowns: Sequence[Expr]) -> list[Expr]:
    """Solve equations (each says that an expression is zero) that are linear in the unknowns."""
    matrix = jacobian(equations, unknowns)
    at_zero = substitute(equations, dict.fromkeys(unknowns, ZERO))
    return solve(matrix, [-e for e in at_zero])


def euler_lagrange(lagrangian: Expr, coordinates: Sequence[Expr]) -> list[Expr]:
    """Return d/dt dL/dq' - dL/dq."""
    return [time_derivative(diff(lagrangian, q.dot)) - diff(lagrangian, q) for q in coordinates]


def along(function: Expr, field: Sequence[Expr], on: Sequence[Expr]) -> Expr:
    """Return the derivative of a function along a vector field."""
    return tangent([function], dict(zip(on, field, strict=True)))[0]


def bracket(left: Sequence[Expr], right: Sequence[Expr], on: Sequence[Expr]) -> list[Expr]:
    return [along(b, left, on) - along(a, right, on) for a, b in zip(left, right, strict=True)]


class SecondOrderField:
    """001: free coordinates q^al, and others q^a whose velocities the constraints give as g^a(t, q, v)."""

    def __init__(self, lagrangian: Expr, free: Sequence[Expr], given: Mapping[Expr, Expr]) -> None:
        self.free, self.given = list(free), dict(given)
        self.velocities = [q.dot for q in free]
        inserted = {q.dot: g for q, g in given.items()}
        self.bar = put(lagrangian, inserted)
        self.momenta = [put(diff(lagrangian, q.dot), inserted) for q in given]
        self.coefficients = [gradient(g, self.velocities) for g in given.values()]
        self.drift = {symbol(TIME): ONE, **dict(zip(free, self.velocities, strict=True)), **given}

    def lifted(self, k: int, function: Expr) -> Expr:
        """X_al(F) = dF/dq^al + B^a_al dF/dq^a."""
        rows = zip(self.given, self.coefficients, strict=True)
        return tangent([function], {self.free[k]: ONE, **{q: row[k] for q, row in rows}})[0]

    @cached_property
    def curvature(self) -> list[list[Expr]]:
        """C^a_al = Gamma(B^a_al) - X_al(g^a), by a, then al."""
        return [
            [tangent([row[k]], self.drift)[0] - self.lifted(k, g) for k in range(len(self.free))]
            for g, row in zip(self.given.values(), self.coefficients, strict=True)
        ]

    @cached_property
    def forces(self) -> list[Expr]:
        """f^al, from d/dt(dLb/dv^al) = X_al(Lb) + C^a_al p_a."""
        slopes = gradient(self.bar, self.velocities)
        right = [
            self.lifted(k, self.bar)
            + add(row[k] * p for row, p in zip(self.curvature, self.momenta, strict=True))
            - tangent([slopes[k]], self.drift)[0]
            for k in range(len(self.free))
        ]
        return solve(hessian(self.bar, self.velocities), right)

    def rate(self, function: Expr) -> Expr:
        """Gamma(F)."""
        return tangent([function], {**self.drift, **dict(zip(self.velocities, self.forces, strict=True))})[0]

    @cached_property
    def connection(self) -> list[list[Expr]]:
        """Gam^al_be = -(1/2) df^al/dv^be."""
        return [[Fraction(-1, 2) * e for e in row] for row in jacobian(self.forces, self.velocities)]

    def endomorphism(self, be: int, al: int) -> Expr:
        """Phi^be_al = -X_al(f^be) - Gam^g_al Gam^be_g - Gamma(Gam^be_al)."""
        gam = self.connection
        bent = add(gam[g][al] * gam[be][g] for g in range(len(self.free)))
        return -self.lifted(al, self.forces[be]) - bent - self.rate(gam[be][al])

    @property
    def energy(self) -> Expr:
        return dot(self.velocities, gradient(self.bar, self.velocities)) - self.bar


class Chaplygin:
    """003: a metric, base coordinates, and constraints linear in velocities that give those of the fibre."""

    def __init__(
        self, lagrangian: Expr, base: Sequence[Expr], fibre: Sequence[Expr], constraints: Sequence[Expr]
    ) -> None:
        self.lagrangian, self.base, self.on = lagrangian, list(base), [*base, *fibre]
        self.constraints = list(constraints)
        self.metric = hessian(lagrangian, [q.dot for q in self.on])
        given = linear(constraints, [q.dot for q in fibre])
        unit = [[ONE if a is b else ZERO for b in base] for a in base]
        self.lifts = [[*row, *(diff(g, a.dot) for g in given)] for row, a in zip(unit, base, strict=True)]
        self.size = range(len(self.base))
        self.reduced = [[self.inner(x, y) for y in self.lifts] for x in self.lifts]

    def inner(self, left: Sequence[Expr], right: Sequence[Expr]) -> Expr:
        return add(a * dot(row, right) for a, row in zip(left, self.metric, strict=True))

    def curvature(self, a: int, b: int) -> list[Expr]:
        """Omega(X_a, X_b) as a vector field: minus the bracket of the horizontal lifts."""
        return [-e for e in bracket(self.lifts[a], self.lifts[b], self.on)]

    def tensor(self, a: int, b: int, c: int) -> Expr:
        """K~_abc = g(X_a, Omega(X_b, X_c))."""
        return self.inner(self.lifts[a], self.curvature(b, c))

    def raised(self, covector: Sequence[Expr]) -> list[Expr]:
        return solve(self.reduced, covector)

    def hamel(self, a: int, b: int) -> list[Expr]:
        """B(X_a, X_b), with g~(B(X, Y), Z) = K~(X, Y, Z)."""
        return self.raised([self.tensor(a, b, c) for c in self.size])

    def koiller(self, a: int, b: int) -> list[Expr]:
        """C(X_a, X_b), with g~(C(X, Y), Z) = K~(Z, X, Y)."""
        return self.raised([self.tensor(c, a, b) for c in self.size])

    def levi_civita(self, a: int, b: int) -> list[Expr]:
        g, q = self.reduced, self.base
        return self.raised([(diff(g[c][b], q[a]) + diff(g[c][a], q[b]) - diff(g[a][b], q[c])) / 2 for c in self.size])

    def christoffel(self, c: int, a: int, b: int) -> Expr:
        """G^c_ab of nabla~ = LC + (B(X, Y) + B(Y, X) - C(X, Y))/2, with a the direction."""
        bent = self.hamel(a, b)[c] + self.hamel(b, a)[c] - self.koiller(a, b)[c]
        return self.levi_civita(a, b)[c] + bent / 2

    def gyroscopic(self, c: int) -> Expr:
        """alpha_c = K~(w, w, c)."""
        v = [q.dot for q in self.base]
        return add(v[a] * v[b] * self.tensor(a, b, c) for a, b in pairs(self.size, repeat=2))

    def measure(self, e: int) -> Expr:
        """beta_e = B^c_ce."""
        return add(self.hamel(c, e)[c] for c in self.size)

    @cached_property
    def accelerations(self) -> list[Expr]:
        """Accelerations of the base by multipliers on the whole space, at velocities that the constraints admit."""
        multipliers = [symbol(f"multiplier{k}") for k in range(len(self.constraints))]
        velocities = [q.dot for q in self.on]
        rows = jacobian(self.constraints, velocities)
        forces = [dot(multipliers, [row[i] for row in rows]) for i in range(len(self.on))]
        motion = [e - f for e, f in zip(euler_lagrange(self.lagrangian, self.on), forces, strict=True)]
        rates = [time_derivative(c) for c in self.constraints]
        answer = linear(motion + rates, [*(v.dot for v in velocities), *multipliers])
        fibre = velocities[len(self.base) :]
        admitted = dict(zip(fibre, linear(self.constraints, fibre), strict=True))
        return substitute(answer[: len(self.base)], admitted)


class Semisymplectic:
    """004: q' = Phi(q, u), virtual displacements W, and the form pulled back to the states (q, u)."""

    def __init__(
        self,
        lagrangian: Expr,
        coordinates: Sequence[Expr],
        states: Sequence[Expr],
        velocity: Sequence[Expr],
        virtual: Fields,
    ) -> None:
        self.coordinates, self.velocity = list(coordinates), list(velocity)
        self.on = [*coordinates, *states]
        self.virtual = virtual
        inserted = {q.dot: v for q, v in zip(coordinates, velocity, strict=True)}
        self.momenta = [put(diff(lagrangian, q.dot), inserted) for q in coordinates]
        self.coefficients = [put(diff(lagrangian, q), inserted) for q in coordinates]
        self.energy = dot(self.velocity, self.momenta) - put(lagrangian, inserted)
        rates = [symbol(f"rate_{u.data.name}") for u in states]
        self._moving = [*velocity, *rates]
        residuals = [along(p, self._moving, self.on) - s for p, s in zip(self.momenta, self.coefficients, strict=True)]
        answer = linear([dot(w, residuals) for w in virtual], rates)
        self.field = [*velocity, *answer]
        self.multipliers = substitute(residuals, dict(zip(rates, answer, strict=True)))
        nothing = [ZERO] * len(coordinates)
        raised = [[ONE if a is b else ZERO for b in states] for a in states]
        self.basis = [*([*w, *([ZERO] * len(states))] for w in virtual), *([*nothing, *row] for row in raised)]

    def form(self, left: Sequence[Expr], right: Sequence[Expr]) -> Expr:
        """omega = -d theta with theta = p dq."""
        size = len(self.coordinates)
        theta = {id(x): dot(self.momenta, x[:size]) for x in (left, right)}
        crossed = dot(self.momenta, bracket(left, right, self.on)[:size])
        return crossed - along(theta[id(right)], left, self.on) + along(theta[id(left)], right, self.on)

    @cached_property
    def _matrix(self) -> list[list[Expr]]:
        return [[self.form(y, x) for y in self.basis] for x in self.basis]

    def hamiltonian_field(self, function: Expr) -> list[Expr]:
        """Y_f in K with omega(Y_f, .) = df on K."""
        parts = solve(self._matrix, [along(function, x, self.on) for x in self.basis])
        return [dot(parts, [x[i] for x in self.basis]) for i in range(len(self.on))]

    def bracket(self, f: Expr, g: Expr) -> Expr:
        return along(f, self.hamiltonian_field(g), self.on)

    def jacobiator(self, f: Expr, g: Expr, h: Expr) -> Expr:
        cyclic = ((f, g, h), (g, h, f), (h, f, g))
        return add(self.bracket(self.bracket(a, b), c) for a, b, c in cyclic)

    def null_forcing(self) -> list[Expr]:
        """Z = Y - Y_E."""
        return [a - b for a, b in zip(self.field, self.hamiltonian_field(self.energy), strict=True)]

    def rate(self, function: Expr) -> Expr:
        return along(function, self.field, self.on)
