"""The energy-momentum method: a steady motion is stable where an augmented energy has a strict extremum (Dirichlet).

Let E and c_k be conserved, and dE = mu^k dc_k at a state z (on the manifold of states, with multipliers of the
relations between state variables besides). Let symmetries eta leave E - mu^k c_k alone, and the sum of the squares of
c_k - c_k(z). Where the second derivative of E - mu^k c_k is definite on the vectors that all dc_k annihilate, modulo
those along the orbit of the eta, then E - mu^k c_k + K sum (c_k - c_k(z))^2 with large K is a function that the motion
conserves, the eta leave alone, and that has a strict extremum across their orbit: motions that begin near the orbit
stay near it (Routh; Simo, Lewis and Marsden; Patrick). At points where the action is not free the c_k may depend on
each other; what is left open of mu is chosen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from dalembert.analysis.steady.conditions import Answer, Condition, Known, answer_of, told
from dalembert.analysis.steady.conserved import invariant, sphere_facts
from dalembert.analysis.steady.definite import chosen, definite
from dalembert.analysis.steady.exact_linear_part import is_sure
from dalembert.analysis.steady.families import SteadyFamily
from dalembert.analysis.steady.steady_field import SteadyField
from dalembert.expr.calculus import gradient, hessian, tangent
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.text import text
from dalembert.expr.truth import Fact, vanish, vanishing
from dalembert.expr.walk import postorder, substitute
from dalembert.records import dataclass

Method = Literal["energy-momentum", "nonholonomic energy-momentum", "Lyapunov-Malkin", "Lyapunov"]
Rows = list[list[Expr]]


@dataclass(frozen=True, slots=True, eq=False)
class NonlinearStability:
    """That motions which begin near stay near, and by which theorem; where conditions fail nothing is said."""

    method: Method
    conditions: tuple[Condition, ...]
    modulo: tuple[str, ...] = ()
    """Along what they may move away all the same."""
    conserved: tuple[str, ...] = ()
    """What is held while the energy is varied."""
    otherwise: tuple[Condition, ...] | None = None
    """Other conditions, each of these sets being enough: an energy may have a maximum."""

    @property
    def answer(self) -> Answer:
        """Whether the conditions hold; a no means that the theorem says nothing."""
        return answer_of(self.conditions)

    @property
    def sentence(self) -> str:
        """What was decided, in words."""
        asked = told(self.conditions)
        if self.otherwise is not None:
            asked = f"{asked}, or where {told(self.otherwise)}"
        if self.answer == "no":
            failing = next(c for c in self.conditions if c.sign in (-1, 0))
            why = (
                "a form is degenerate" if failing.expression is ZERO else f"{failing.said} is needed, and holds nowhere"
            )
            return f"undecided by the {self.method} method: {why}."
        where = f" where {asked}" if asked else ""
        along = f" modulo {', '.join(self.modulo)}" if self.modulo else ""
        if self.method in ("Lyapunov", "Lyapunov-Malkin") and asked:
            where = " where all eigenvalues but 0 have negative real parts"
        if self.method == "Lyapunov":
            return f"asymptotically stable{along}{where} (Lyapunov's theorem on the linear part)."
        if self.method == "Lyapunov-Malkin":
            return (
                f"stable, neighbours tending to members of the family{along}{where} (theorem of Lyapunov and Malkin)."
            )
        return f"stable{along}{where} ({self.method} method)."


def nonlinear_stability(
    method: Method, ways: Sequence[Sequence[Condition]], modulo: tuple[str, ...], names: tuple[str, ...]
) -> NonlinearStability:
    """Return the answer of a method, each of the ways being enough."""
    first, *rest = (tuple(way) for way in ways)
    return NonlinearStability(method, first, modulo, names, rest[0] if rest else None)


def energy_momentum(
    field: SteadyField, family: SteadyFamily, label: Expr | None, known: Known
) -> NonlinearStability | None:
    """Return what the method says of a family; None where it does not apply."""
    functions = field.conserved
    if not functions or next(iter(functions)) not in ("energy", "hamiltonian"):
        return None
    for kept in _choices(field, functions):
        found = _with(field, family, kept, label, known)
        if found is not None and found.answer != "no":
            return found
    return found


def _choices(field: SteadyField, functions: Mapping[str, Expr]) -> list[dict[str, Expr]]:
    """Return all that is conserved, and what of it all symmetries leave alone."""
    still = {name: one for name, one in functions.items() if invariant(field, one)}
    first = next(iter(functions))
    return [dict(functions)] if len(still) == len(functions) or first not in still else [dict(functions), still]


def _with(
    field: SteadyField, family: SteadyFamily, functions: Mapping[str, Expr], label: Expr | None, known: Known
) -> NonlinearStability | None:
    state = list(field.state)
    (_, energy), *others = functions.items()
    momenta = [one for _, one in others]
    held = [*field.manifold.relations, *momenta]
    rows = at_family(family, [gradient(one, state) for one in (*held, energy)])
    assumed: list[Expr] = []
    solved = reduced_rows(rows[:-1], rows[-1], family, known, assumed)
    if solved is None:
        return None
    pivots, mu, spare = solved
    used = [row[len(field.manifold.relations) :] for row in (mu, *spare[:1])]
    along = _isotropy(field, family, energy, momenta, used, assumed)
    bends = [[e for row in hessian(one, state) for e in row] for one in (energy, *held)]
    flat = at_family(family, bends)
    weights = [ONE, *(-m for m in mu)]
    open_ = symbol("s.open")
    if spare:
        weights = [w + open_ * extra for w, extra in zip(weights, [ZERO, *spare[0]], strict=True)]
    whole = [total([(1, w * e) for w, e in zip(weights, entry, strict=True)]) for entry in zip(*flat, strict=True)]
    form = _restricted(whole, pivots, len(state), family, [vector for vector, _ in along], assumed)
    if form is None:
        return None
    if spare:
        value = chosen(form, open_, known)
        form = [[tidy(e) for e in substitute(list(row), {open_: value})] for row in form]
    if not form:
        return None
    names = tuple(name for name, _ in others)
    ways = definite(form, label, known, assumed)
    return nonlinear_stability("energy-momentum", ways, tuple(n for _, n in along), names)


def at_family(family: SteadyFamily, rows: Sequence[Sequence[Expr]]) -> Rows:
    """Return rows of expressions of the state at a family."""
    flat = substitute([e for row in rows for e in row], dict(family.put))
    entries = iter(tidy(e) for e in flat)
    return [[next(entries) for _ in row] for row in rows]


def reduced_rows(
    rows: Sequence[Sequence[Expr]], wanted: Sequence[Expr], family: SteadyFamily, known: Known, assumed: list[Expr]
) -> tuple[dict[int, list[Expr]], list[Expr], Rows] | None:
    """Return the rows reduced by pivots, the factors with which they make a wanted row, and relations between them.

    Pivots that may vanish on the family are noted as assumed not to.
    """
    width, count = len(wanted), len(rows)
    left = [[*row, *(ONE if i == k else ZERO for i in range(count))] for k, row in enumerate(rows)]
    found: dict[int, list[Expr]] = {}
    spare: Rows = []
    facts = [(r, ZERO) for r in family.relations]
    while left:
        zero = [vanish(row[:width], facts) for row in left]
        spare += [row[width:] for row, gone in zip(left, zero, strict=True) if gone]
        left = [row for row, gone in zip(left, zero, strict=True) if not gone]
        if not left:
            break
        k, place = _pivot(left, width, family, facts)
        first = left.pop(k)
        if not is_sure(first[place], family):
            assumed.append(first[place])
        pivot = [tidy(e / first[place]) for e in first]
        left = [_less(row, place, pivot) for row in left]
        found = {at: _less(row, place, pivot) for at, row in found.items()}
        found[place] = pivot
    rest = [*wanted, *[ZERO] * count]
    for place, row in found.items():
        rest = _less(rest, place, row)
    if not vanish(substitute(rest[:width], known.put), facts):
        return None
    return found, [-e for e in rest[width:]], spare


def _pivot(rows: Rows, width: int, family: SteadyFamily, facts: Sequence[Fact]) -> tuple[int, int]:
    """Return where a pivot is: one that vanishes nowhere on the family if there is one, short ones first."""
    places = [(k, p) for k, row in enumerate(rows) for p in range(width) if row[p] is not ZERO]
    sure = [(k, p) for k, p in places if is_sure(rows[k][p], family)]
    if sure:
        return min(sure, key=lambda at: (rows[at[0]][at[1]].op != "number", at[1]))
    zero = vanishing([rows[k][p] for k, p in places], facts)
    return min(
        (at for at, gone in zip(places, zero, strict=True) if not gone),
        key=lambda at: (len(postorder([rows[at[0]][at[1]]])), at),
    )


def _less(row: Sequence[Expr], place: int, pivot: Sequence[Expr]) -> list[Expr]:
    factor = row[place]
    return list(row) if factor is ZERO else [tidy(e - factor * p) for e, p in zip(row, pivot, strict=True)]


def _restricted(
    flat: Sequence[Expr],
    pivots: Mapping[int, list[Expr]],
    size: int,
    family: SteadyFamily,
    along: Sequence[list[Expr]],
    assumed: list[Expr],
) -> Rows | None:
    """Return a form on the vectors that the rows annihilate, modulo some of them."""
    free = [k for k in range(size) if k not in pivots]
    orbit = reduced_rows([[vector[k] for k in free] for vector in along], [ZERO] * len(free), family, Known(), assumed)
    if orbit is None:
        return None
    kept = [k for i, k in enumerate(free) if i not in orbit[0]]
    basis = [
        [ONE if k == j else -pivots[k][j] if k in pivots else ZERO for k in range(size)] for j in kept
    ]  # moves one variable, and those that depend on it
    images = [
        [total([(1, flat[i * size + j] * v[j]) for j in range(size) if v[j] is not ZERO]) for i in range(size)]
        for v in basis
    ]
    return [
        [tidy(total([(1, e * c) for e, c in zip(image, v, strict=True) if c is not ZERO])) for v in basis]
        for image in images
    ]


def _isotropy(
    field: SteadyField,
    family: SteadyFamily,
    energy: Expr,
    momenta: Sequence[Expr],
    used: Sequence[Sequence[Expr]],
    assumed: list[Expr],
) -> list[tuple[list[Expr], str]]:
    """Return the symmetries that leave all functions alone that are used, as vectors at the family, with names."""
    facts = sphere_facts(field)
    symmetries = [one for one in field.symmetries if vanish(tangent([energy], dict(one.components)), facts)]
    fields = [dict(one.components) for one in symmetries]
    moved = [tangent(list(momenta), one) for one in fields]  # X_a c_k
    vectors = at_family(family, [[one.get(v, ZERO) for v in field.state] for one in fields])
    still = [vanish(row, facts) for row in moved]
    found = [(vector, one.name) for vector, one, ok in zip(vectors, symmetries, still, strict=True) if ok]
    turning = [k for k, ok in enumerate(still) if not ok]
    if not turning:
        return found
    there = at_family(family, [moved[k] for k in turning])
    turned = [[row[j] for row in there] for j in range(len(momenta))]
    solved = reduced_rows(
        [row for row in turned if not all(vanishing(row))], [ZERO] * len(turning), family, Known(), assumed
    )
    if solved is None:
        return found
    pivots = solved[0]
    fixed = {v: symbol(f"{v.data.label} there", domain=v.data.domain) for v in family.free}
    values = substitute(at_family(family, [list(momenta)])[0], fixed)
    for j in (j for j in range(len(turning)) if j not in pivots):
        eta = [ONE if k == j else -pivots[k][j] if k in pivots else ZERO for k in range(len(turning))]
        named = substitute(eta, fixed)
        rates = [
            total([(1, e * moved[k][i]) for e, k in zip(named, turning, strict=True)]) for i in range(len(momenta))
        ]
        square = total([(1, (c - c0) * r) for c, c0, r in zip(momenta, values, rates, strict=True)])
        augmented = [
            total([(1, m * r) for m, r in zip(substitute(list(mu), fixed), rates, strict=True)]) for mu in used
        ]
        if vanish([square, *augmented], facts):
            vector = [
                total([(1, e * vectors[k][i]) for e, k in zip(eta, turning, strict=True)])
                for i in range(len(field.state))
            ]
            parts = [(text(e), symmetries[k].name) for e, k in zip(eta, turning, strict=True) if e is not ZERO]
            found.append((vector, " + ".join(n if f == "1" else f"({f})*({n})" for f, n in parts)))
    return found
