"""The inverse problem of the calculus of variations: has x'' = f(t, x, x') a Lagrangian?

Near generic points, it has a regular one where there is a multiplier, a regular symmetric g_ij(t, x, v) that is the
Hessian of L by v (Helmholtz; Douglas 1941):

    nabla g = 0,    g Phi symmetric,    dg_ij/dv^k = dg_ik/dv^j,

with the Jacobi endomorphism Phi and the covariant derivative nabla of the field (``calculus_along``). Hence g nabla^k
Phi is symmetric for all k, and g_li R^l_jk and its cyclic companions add up to 0: linear equations for g at each
point. Where all their solutions are singular there is no Lagrangian. Where they leave g up to a factor, the factor
has a known differential, and there is a Lagrangian exactly where that is closed. Where they leave more, the conditions
are completed to involution (``expr.linear.involution``): what follows for g at a point allows a regular one, or not.
Of two degrees of freedom these are Douglas' cases by the rank of Phi, nabla Phi, nabla^2 Phi modulo the identity: I
(rank 0, there always is one), II (1), III (2), IV (3, there is none).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient, hessian
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, ZERO, Expr, total
from dalembert.expr.truth import Verdict, all_hold, depends_on, full_rank, generic_rank
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import postorder
from dalembert.mechanics.second_order.field import SecondOrderField
from dalembert.mechanics.second_order.multipliers import Answer, Multipliers
from dalembert.mechanics.second_order.search.linear_search import Ansatz, combined, relations
from dalembert.records import dataclass, replace

_ANSATZE = (Ansatz(2, 2, 0), Ansatz(2, 4, 0), Ansatz(2, 2, 2), Ansatz(3, 2, 1))
"""Where Lagrangians are sought, smaller spaces first."""
_MOST_UNKNOWNS = 600
_MOST_NODES = 400
"""Lagrangians are sought, and factors integrated, where the field has no more nodes."""


@dataclass(frozen=True, slots=True)
class InverseProblem:
    """Whether second-order equations come from a regular Lagrangian, near generic points."""

    answer: Answer
    verdict: Verdict
    """That the answer is so."""
    case: str
    """Douglas' case, of two degrees of freedom."""
    rank: int
    """Of the linear equations for the multiplier g, which has n(n+1)/2 components."""
    lagrangian: Expr | None = None
    multiplier: tuple[tuple[Expr, ...], ...] | None = None
    """g, where it is known; where there is one that was not found, up to a factor that could not be integrated."""
    searched: str = ""
    freedom: str = ""
    """What the multipliers depend on, in words, where the conditions were completed to involution."""


def find_lagrangian(field: SecondOrderField) -> InverseProblem:
    """Return a Lagrangian of second-order equations, or what is decided of its existence.

    >>> from dalembert.expr import ZERO, symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> find_lagrangian(SecondOrderField((x, y), (), (), (), (x**2 + y**2, ZERO))).answer
    'none'
    >>> find_lagrangian(SecondOrderField((x, y), (), (), (), (-y, -x))).lagrangian
    x'*y' - (x^2 + y^2)/2
    """
    if field.dependent:
        raise ExpressionError("equations with constraints are no second-order equations; ask their associated system.")
    conditions = Multipliers(field)
    size, found = conditions.unknowns, conditions.rank
    case = ("I", "II", "III", "IV")[found.rank] if conditions.size == 2 else ""
    if found.verdict.holds is None:
        return InverseProblem("undecided", found.verdict, case, found.rank)
    if found.rank == size:
        said = f"the only multiplier is 0: {found.verdict.evidence}"
        return InverseProblem("none", Verdict("proved", said), case, found.rank)
    singular = conditions.singular()
    if singular.holds is True:
        said = f"{found.rank} independent linear equations for the multiplier leave only singular ones:"
        said += f" {singular.evidence}"
        return InverseProblem("none", Verdict(singular.kind, said, singular.error_bits), case, found.rank)
    factor = conditions.factor() if size - found.rank == 1 and conditions.size > 1 else None
    if factor is not None and factor.holds is False:
        said = f"the only multiplier up to a factor has no factor that fits: {factor.evidence}"
        return InverseProblem("none", Verdict("proved", said), case, found.rank)
    open_ = conditions.size > 1 and (factor is None or factor.holds is None)
    whole = conditions.completed() if open_ else None
    if whole is not None and whole.answer == "none":
        return InverseProblem("none", whole.verdict, case, found.rank)
    freedom = whole.freedom if whole is not None else ""
    lagrangian, verdict, space = _searched(field)
    if lagrangian is not None:
        table = tuple(tuple(tidy(e) for e in row) for row in hessian(lagrangian, field.velocities))
        return InverseProblem("found", verdict, case, found.rank, lagrangian, table, space, freedom)
    known = _by_theorem(field, conditions, factor)
    if known is None and whole is not None and whole.answer == "exists":
        known = whole.verdict
    if known is not None:
        return InverseProblem("exists", known, case, found.rank, None, conditions.scaled(), space, freedom)
    said = "a multiplier is not excluded, and no Lagrangian was found in what was searched."
    return InverseProblem("undecided", Verdict("undecided", said), case, found.rank, searched=space)


def associated_field(field: SecondOrderField) -> SecondOrderField:
    """Return second-order equations on all coordinates that have a constrained motion among theirs.

    Accelerations of independent coordinates are kept as functions of their velocities; those of the dependent ones are
    the rates of what the constraints give (Bloch, Fernandez and Mestdag 2009, the first kind).

    >>> from dalembert.expr import ZERO, symbol
    >>> x, z = symbol("x"), symbol("z")
    >>> associated_field(SecondOrderField((x,), (z,), ((x,),), (ZERO,), (-x,))).acceleration
    (-x, x'^2 - x^2)
    """
    rates = field.rates(field.dependent_velocities)
    whole = (*field.independent, *field.dependent)
    return SecondOrderField(whole, (), (), (), (*field.acceleration, *rates), field.facts)


# -- what is known to exist -----------------------------------------------------------------------------------------
def _by_theorem(field: SecondOrderField, conditions: Multipliers, factor: Verdict | None) -> Verdict | None:
    """Return that there is a Lagrangian, where a theorem says so."""
    size = len(field.independent)
    if size == 1:
        return Verdict("proved", "one equation of second order always has a Lagrangian (Darboux).")
    if factor is not None and factor.holds is True:
        return Verdict(
            factor.kind,
            f"the multiplier is unique up to constants, and its factor has a closed differential: {factor.evidence}",
            factor.error_bits,
        )
    if size == 2 and conditions.rank.rank == 0:
        verdict = conditions.rank.verdict
        kind: Literal["proved", "certain"] = "certain" if verdict.error_bits is not None else "proved"
        return Verdict(
            kind, f"Phi is a multiple of the identity (Douglas' case I): {verdict.evidence}", verdict.error_bits
        )
    blocks = _blocks(field)
    if len(blocks) > 1:
        parts = [find_lagrangian(part) for part in blocks]
        if all(part.answer in {"found", "exists"} for part in parts):
            said = f"the equations fall apart into {len(parts)} that have a Lagrangian each, and these add up"
            return all_hold({f"{said}; part {k}": part.verdict for k, part in enumerate(parts, 1)})
    return None


def _blocks(field: SecondOrderField) -> list[SecondOrderField]:
    """Return the parts of equations that do not know of each other."""
    size = range(len(field.independent))
    linked = [
        [i == j or depends_on([field.acceleration[i]], [field.independent[j], field.velocities[j]]) for j in size]
        for i in size
    ]
    left, found = list(size), []
    while left:
        block, grown = [left[0]], True
        while grown:
            more = [j for j in left if j not in block and any(linked[i][j] or linked[j][i] for i in block)]
            block, grown = [*block, *more], bool(more)
        left = [j for j in left if j not in block]
        found.append(sorted(block))
    return [
        replace(
            field,
            independent=tuple(field.independent[k] for k in block),
            acceleration=tuple(field.acceleration[k] for k in block),
        )
        for block in found
    ]


# -- the search -----------------------------------------------------------------------------------------------------
def _searched(field: SecondOrderField) -> tuple[Expr | None, Verdict, str]:
    """Return a regular Lagrangian whose equations these are, if one is found, with what was searched."""
    nothing = Verdict("undecided", "none was found.")
    space = ""
    if len(postorder(field.acceleration)) > _MOST_NODES:
        return None, nothing, space
    for ansatz in _ANSATZE:
        if ansatz.size(field) > _MOST_UNKNOWNS:
            continue
        space = ansatz.among(field)
        functions = [f for f in ansatz.functions(field) if f.op != "number"]
        columns = [_euler(field, f) for f in functions]
        try:
            found = relations(columns, field.facts)
        except ExpressionError:
            continue
        candidates = [_scaled(combined(row, functions), field) for row in found.basis]
        for one in _simple(candidates):
            regular = full_rank(generic_rank(hessian(one, field.velocities)), len(field.velocities), "the Hessian of L")
            if regular.holds is True:
                holds = all_vanish(
                    {f"the equation of {q!r}": e for q, e in zip(field.independent, _euler(field, one), strict=True)},
                    field.facts,
                )
                return one, all_hold({"its equations": holds, "regular": regular}), space
    return None, nothing, space


def _scaled(function: Expr, field: SecondOrderField) -> Expr:
    """Return a function with 1 as the first entry of its Hessian that is a number, where there is one."""
    entries = [tidy(e) for row in hessian(function, field.velocities) for e in row]
    first = next((e for e in entries if e.op == "number" and e is not ZERO), ONE)
    return tidy(function / first)


def _simple(candidates: Sequence[Expr]) -> Iterator[Expr]:
    """Yield candidates, then sums of all that have a Hessian, with different weights."""
    bent = [one for one in candidates if any(e is not ZERO for row in hessian(one, _speeds(one)) for e in row)]
    yield from bent
    if len(bent) > 1:
        yield total([(1, one) for one in bent])
        yield total([(k, one) for k, one in enumerate(bent, 1)])


def _speeds(expression: Expr) -> list[Expr]:
    return [node for node in postorder([expression]) if node.op == "symbol" and node.data.order]


def _euler(field: SecondOrderField, function: Expr) -> list[Expr]:
    """Return Gamma(dF/dv) - dF/dx."""
    moved = field.rates(gradient(function, field.velocities))
    return [a - b for a, b in zip(moved, gradient(function, field.independent), strict=True)]
