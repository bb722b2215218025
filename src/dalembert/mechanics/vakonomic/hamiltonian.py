"""The Hamiltonian form of a variational problem with constraints: Ostrogradsky on the prolonged constraint.

For L of order r and constraints f(t, q, q') = 0 let x_j = q_(j) for j < r, w = q_(r), and g = D^(r-1) f the prolonged
constraint, which is f itself for r = 1. With a multiplier mu for each constraint,

    p_(r-1) = dL/dw + mu dg/dw,    g = 0    give w and mu;
    x_j' = x_(j+1),    p_j' = d(L + mu g)/dx_j - p_(j-1),    H = p_j x_(j+1) - L.

The bordered Hessian of L + mu g by w has to be regular; where L is quadratic and g affine in w, all is in closed form.
Nothing is divided by a speed or a curvature. The multiplier of f is lambda = (-1)^(r-1) mu_(r-1), as L + mu Df and
L - mu' f differ by a total derivative. For r = 1 the state is T*Q. For r > 1 it carries f, ..., D^(r-2) f, which stay
zero, and as many directions that no motion feels; so the motions are a family of 2 r n - 2 (r - 1) k dimensions.

The linear systems with constraints, M w + C^T mu = right, C w + rest = 0, are solve nodes with good pivots: written out
as one symmetric system its zero block invites pivots that vanish: where C = (sin a, -cos a), say, at a = 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from dalembert.errors import Fault
from dalembert.expr.calculus import gradient, hessian, jacobian, tangent, time_derivative
from dalembert.expr.elementary import solve
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, ZERO, Expr, total
from dalembert.expr.truth import Facts, Rank, excludes_zero, generic_rank, vanish
from dalembert.expr.walk import postorder, substitute
from dalembert.expr.work import Budget
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.lagrangian.jets import derivative
from dalembert.mechanics.nonholonomic.constraint_manifold import ConstraintManifold
from dalembert.mechanics.vakonomic.costate_form import CostateForm
from dalembert.mechanics.vakonomic.densities import fresh, prolong
from dalembert.model.parts import Generator
from dalembert.model.system import System
from dalembert.records import dataclass

_MOST_NODES = 400
_SECONDS = 0.8
_LEAST = 0.05
_PATIENCE = 1


@dataclass(frozen=True)
class HamiltonianForm(CostateForm):
    """States, costates and unknowns of the Hamiltonian form, and the flow on all of them."""

    manifold: ConstraintManifold

    @property
    def lagrangian(self) -> Expr:
        """L."""
        assert self.system.lagrangian is not None
        return self.system.lagrangian

    @cached_property
    def top(self) -> tuple[Expr, ...]:
        """The highest derivatives w = q_(r), which follow from the state."""
        return tuple(derivative(q, self.order) for q in self.system.q)

    @property
    def last(self) -> tuple[Expr, ...]:
        """The costates p_(r-1) of the highest positions."""
        return self.costates[-len(self.system.q) :]

    @cached_property
    def hamiltonian(self) -> Expr:
        """H = p_j x_(j+1) - L, in state and unknowns."""
        after = (*self.positions, *self.top)[len(self.system.q) :]
        return total([(-1, self.lagrangian), *((1, p * x) for p, x in zip(self.costates, after, strict=True))])

    @cached_property
    def rates(self) -> dict[Expr, Expr]:
        """The rates of positions and costates, in state and unknowns."""
        n = len(self.system.q)
        after = (*self.positions, *self.top)[n:]
        before = (*[ZERO] * n, *self.costates)[: len(self.costates)]
        pulls = gradient(self.joined, self.positions)
        pushed = [pull - p for pull, p in zip(pulls, before, strict=True)]
        return dict(zip((*self.positions, *self.costates), (*after, *pushed), strict=True))

    @cached_property
    def jets(self) -> dict[Expr, Expr]:
        """The derivatives q_(r+1), ..., q_(2r) along the motions, in state and unknowns."""
        found: dict[Expr, Expr] = {}
        moved: Sequence[Expr] = self.top
        for k in range(self.order + 1, 2 * self.order + 1):
            moved = tangent(moved, self.flow)
            found |= {derivative(q, k): m for q, m in zip(self.system.q, moved, strict=True)}
        return found

    @cached_property
    def solved(self) -> dict[Expr, Expr] | None:
        """The unknowns as functions of the state, where they follow from linear equations; else None."""
        border = jacobian(self.prolonged, self.top)
        mass = hessian(self.lagrangian, self.top)
        if self._bends([*(e for row in mass for e in row), *(e for row in border for e in row)]):
            return None
        still = dict.fromkeys(self.top, ZERO)
        mass, border = ([substitute(row, still) for row in part] for part in (mass, border))
        slopes, rest = (substitute(p, still) for p in (gradient(self.lagrangian, self.top), self.prolonged))
        right = [p - s for p, s in zip(self.last, slopes, strict=True)]
        if self.everywhere:
            found = by_elimination(mass, border, right, rest, self.manifold.dependent)
        else:
            found = by_schur(mass, border, right, rest)
        return dict(zip(self.unknowns, _written_short(found), strict=True))

    @cached_property
    def explicit(self) -> bool:
        """Whether velocities and multipliers are a state without unknowns, where the momenta cannot be inverted.

        The constraints have to be solved for velocities, without roots of either sign, by pivots without zeros.
        """
        return self.order == 1 and self.solved is None and self.everywhere

    @cached_property
    def everywhere(self) -> bool:
        """Whether the constraints give the same velocities everywhere: no roots of two signs, no pivot with zeros."""
        return not self.open_branches and all(excludes_zero(pivot) is not None for pivot in self.manifold.pivots)

    def _bends(self, entries: Sequence[Expr]) -> bool:
        """Say whether expressions depend on the highest derivatives, in value and not only in form."""
        for entry in dict.fromkeys(entries):
            present = [w for w in self.top if w in set(postorder([entry]))]
            if not vanish(gradient(entry, present), self.system.facts):
                return True
        return False

    def on_motions(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return expressions in state and unknowns with as much put in as is known of the unknowns and the constraint.

        In closed form these are the unknowns; else the last costates, by w and mu. Positions are put on the constraint.
        """
        put = self.solved or dict(zip(self.last, self.momenta, strict=True))
        found = substitute(expressions, put)
        return substitute(found, self.admissible(self.order if self.solved is None else self.order - 1))

    def admissible(self, order: int) -> dict[Expr, Expr]:
        """Return what the constraints give of q', ..., q_(order), where they are solved for velocities.

        Where they are not, the prolonged constraint, which is affine in w for r > 1, still gives some of the w.
        """
        if self.manifold.unknowns:
            return self._on_prolonged() if order == self.order > 1 else {}
        put: dict[Expr, Expr] = {}
        given = [(self.system.q[a], self.manifold.velocities[a]) for a in self.manifold.dependent]
        for k in range(1, order + 1):
            values = substitute([value for _, value in given], put)
            put |= {derivative(q, k): value for (q, _), value in zip(given, values, strict=True)}
            given = [(q, time_derivative(value)) for q, value in given]
        return put

    def _on_prolonged(self) -> dict[Expr, Expr]:
        held = [derivative(self.system.q[a], self.order) for a in self.manifold.dependent]
        rest = substitute(self.prolonged, dict.fromkeys(held, ZERO))
        return dict(zip(held, solve(jacobian(self.prolonged, held), [-g for g in rest]), strict=True))

    def state(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return expressions in state and unknowns as functions of the state, where that is in closed form."""
        return self.on_motions(expressions) if self.explicit else substitute(expressions, self.solved or {})

    @property
    def independent(self) -> tuple[int, ...]:
        """The places of the velocities that the constraints leave free, where these are solved for the others."""
        return tuple(self.manifold.independent)

    @property
    def open_branches(self) -> bool:
        """Whether the constraints are not solved for velocities, or by roots of either sign."""
        return bool(self.manifold.unknowns or self.manifold.branches)

    def on_constraint(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return expressions in coordinates and velocities where the constraints hold, as far as they are solved."""
        return self.manifold.on(expressions)

    def moved(self, generator: Generator) -> list[Expr]:
        """Return the components of a generator and of its prolongations, by costate."""
        q = self.system.q
        components = [generator.components.get(x, ZERO) for x in q]
        return [x for several in prolong(components, generator.time, q, self.order - 1) for x in several]


def _written_short(expressions: list[Expr]) -> list[Expr]:
    """Return formulas as short as a little work allows: everything else is built on them.

    They solve one linear system: where some take work and stay as they are, the others would too.
    """
    if len(postorder(expressions)) > _MOST_NODES:
        return expressions
    budget, in_vain = Budget(_SECONDS), 0
    for k, one in enumerate(expressions):
        before = budget.left
        if before / 2 <= _LEAST or in_vain > _PATIENCE:
            break
        short = tidy(one, before / 2)
        in_vain += short is one and before - budget.left > _LEAST
        expressions = [*expressions[:k], short, *expressions[k + 1 :]]
    return expressions


def hamiltonian_form(system: System, manifold: ConstraintManifold) -> HamiltonianForm:
    """Return the Hamiltonian form, or raise ``HypothesisError`` where the bordered Hessian is singular."""
    q, r = system.q, system.order
    jets = [derivative(c, k) for k in range(r) for c in q]
    names = [f"p_{x.data.name}" + (f"_{x.data.order}" if x.data.order else "") for x in jets]
    costates = fresh(names, system.vocabulary)
    taken = [*system.vocabulary, *(p.data.name for p in costates)]
    multipliers = fresh([f"{'lambda' if r == 1 else 'mu'}_{name}" for name in system.constraints], taken)
    prolonged = [c.expression for c in system.constraints.values()]
    for _ in range(r - 1):
        prolonged = [time_derivative(g) for g in prolonged]
    form = HamiltonianForm(system, tuple(jets), costates, multipliers, tuple(prolonged), manifold)
    rank = _regularity(form)
    if rank.rank < len(form.unknowns):
        what = f"the bordered Hessian of L + lambda f has rank {rank.rank} of {len(form.unknowns)}"
        remedy = "L has to be regular along the constraints; see whether a coordinate is missing in it"
        raise refusal("vakonomic", [Fault("lagrangian", what, remedy)])
    return form


def _regularity(form: HamiltonianForm) -> Rank:
    """Return the rank of the bordered Hessian at a generic point of the constraint."""
    entries = [entry for row in form.bordered for entry in row]
    entries = Facts.of(form.system.facts).apply(entries)
    put = form.admissible(form.order)
    size = len(form.unknowns)
    entries = substitute(entries, put)
    return generic_rank([entries[i * size : (i + 1) * size] for i in range(size)])


# -- linear systems with constraints ---------------------------------------------------------------------------
Matrix = list[list[Expr]]


def by_elimination(
    mass: Matrix, border: Matrix, right: list[Expr], rest: list[Expr], dependent: Sequence[int]
) -> list[Expr]:
    """Return w and mu by what C gives of w: w = Z u + z, then (Z^T M Z) u = Z^T (right - M z).

    ``dependent`` are the places of w for which C is solved; its minor there should never vanish.

    >>> from dalembert.expr import symbol
    >>> x = symbol("x")
    >>> by_elimination([[ONE, ZERO], [ZERO, ONE]], [[-x, ONE]], [ONE, ZERO], [ZERO], [1])
    [1/(x^2 + 1), x/(x^2 + 1), -x/(x^2 + 1)]
    """
    n, free = range(len(mass)), [i for i in range(len(mass)) if i not in dependent]
    square = [[c[a] for a in dependent] for c in border]
    columns = [solve(square, [-c[i] for c in border]) for i in free]
    offset = dict(zip(dependent, solve(square, [-r for r in rest]), strict=True))
    z = [offset.get(i, ZERO) for i in n]
    spread = [
        [dict(zip((*dependent, i), (*column, ONE), strict=True)).get(j, ZERO) for j in n]
        for i, column in zip(free, columns, strict=True)
    ]
    moved = [[dot(row, one) for row in mass] for one in spread]
    left = [b - dot(row, z) for b, row in zip(right, mass, strict=True)]
    u = solve([[dot(one, m) for m in moved] for one in spread], [dot(one, left) for one in spread])
    w = [total([(1, z[i]), *((1, one[i] * x) for one, x in zip(spread, u, strict=True))]) for i in n]
    open_ones = [right[a] - dot(mass[a], w) for a in dependent]
    mu = solve([[c[a] for c in border] for a in dependent], open_ones)
    return [*w, *mu]


def by_schur(
    mass: Matrix,
    border: Matrix,
    right: list[Expr],
    rest: list[Expr],
    short: Callable[[list[Expr]], list[Expr]] = list,
) -> list[Expr]:
    """Return w and mu by Schur's complement, with pivots that do not vanish, for any C of full rank.

    ``short`` makes what is divided by shorter. Where M is singular, C^T C is added, and its C^T C w = -C^T rest to the
    right: for M >= 0 that is positive where the bordered matrix is regular, so that pivots never vanish there.
    """
    n, k = len(mass), len(border)
    if generic_rank(mass).rank < n:
        mass = [[total([(1, mass[i][j]), *((1, c[i] * c[j]) for c in border)]) for j in range(n)] for i in range(n)]
        right = [
            total([(1, b), *((-1, c[i] * r) for c, r in zip(border, rest, strict=True))]) for i, b in enumerate(right)
        ]
        if generic_rank(mass).rank < n:
            return _whole(mass, border, right, rest)
    plain = solve(mass, right)
    columns = [solve(mass, c) for c in border]
    inner = [short([dot(c, x) for x in columns]) for c in border]
    mu = solve(inner, [dot(c, plain) + r for c, r in zip(border, rest, strict=True)])
    w = [total([(1, plain[i]), *((-1, mu[a] * columns[a][i]) for a in range(k))]) for i in range(n)]
    return [*w, *mu]


def _whole(mass: Matrix, border: Matrix, right: list[Expr], rest: list[Expr]) -> list[Expr]:
    """Solve the same as one linear system."""
    matrix = [[*row, *(c[i] for c in border)] for i, row in enumerate(mass)]
    matrix += [[*c, *[ZERO] * len(border)] for c in border]
    return solve(matrix, [*right, *(-r for r in rest)])
