"""Constraint forces as functions of the state, so that they may stand in forces, lets and events.

The multiplier of a constraint is called ``lambda.NAME``. With M q'' = h + Q(lambda) + W^T lambda, A q'' = b and forces
that are affine in the multipliers, Q = Q_0 + G lambda, all of them are found together: K = [M -W^T; A 0] gives the
multipliers lambda_0 of Q_0 and the responses Y to the columns of G, and

    (1 - Y) lambda = lambda_0.

What stands in a force is then a function of the state like any other, and all formalisms take it as that. Forces that
are not linear in multipliers, as those of friction in a bearing in sqrt(lambda_1^2 + lambda_2^2), leave the balances

    r(lambda) = lambda - lambda_0(Q(lambda)) = 0,

and the multipliers are unknowns of the motion that Newton's method finds. Where det(1 - Y) or det(dr/dlambda), which
are 1 without such forces, fall to zero, forces and reactions no longer determine each other: Painleve's paradox.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Final

from dalembert.errors import ExpressionError
from dalembert.expr import truth
from dalembert.expr.calculus import gradient, hessian, jacobian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, symbol
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.vocabulary import is_part
from dalembert.expr.walk import substitute, symbols
from dalembert.model.equations import Saddle
from dalembert.model.ranks import independent
from dalembert.model.repeated import repeated
from dalembert.model.system import System
from dalembert.model.table import Table
from dalembert.records import dataclass, replace

_PREFIX: Final = "lambda."
_LEFT: Final = Fraction(1, 1000)
"""Forces grow without bound towards the paradox: where so little is left of the determinant it is reached."""


def multiplier_names(constraints: Iterable[str]) -> dict[str, str]:
    """Return the constraints by the names of their multipliers, as far as text can name them; blanks become ``_``.

    >>> multiplier_names(["rope", "road touches", "2"])
    {'lambda.rope': 'rope', 'lambda.road_touches': 'road touches'}
    """
    found = {_PREFIX + re.sub(r"\W", "_", name): name for name in constraints}
    return {name: constraint for name, constraint in found.items() if is_part(name)}


def multiplier(constraint: str) -> Expr:
    """Return the symbol of a multiplier."""
    (name,) = multiplier_names([constraint])
    return symbol(Symbol(name))


def multipliers_in(system: System, expressions: Iterable[Expr]) -> dict[Expr, str]:
    """Return the multipliers that stand in expressions, with their constraints, in the order of these."""
    present = {one.name for one in symbols(list(expressions)) if not one.order}
    return {symbol(Symbol(name)): c for name, c in multiplier_names(system.constraints).items() if name in present}


def with_reactions(system: System) -> System:
    """Return a system whose forces contain multipliers with these as functions of the state; others as they are.

    >>> block = System.of(name="block", coordinates="x z", parameters={"m": 2, "g": 10, "mu": 0.5},
    ...     lagrangian="m*(x'^2 + z'^2)/2 - m*g*z", holonomic={"floor": "z = 0"}, forces={"x": "-mu*lambda.floor"})
    >>> from dalembert.expr.field import tidy
    >>> tidy(block.forces[block.q[0]])
    -g*m*mu
    """
    marks = multipliers_in(system, system.forces.values())
    if not marks:
        return system
    push = [system.forces.get(q, ZERO) for q in system.q]
    slopes = jacobian(push, list(marks))
    held = _Held.of(system, marks.values())
    if truth.depends_on([entry for row in slopes for entry in row], list(marks)):
        balances = [one - found for one, found in zip(marks, held.multipliers(push), strict=True)]
        left = _determinant(jacobian(balances, list(marks)))
        return replace(system, balances=Table(dict(zip(marks, balances, strict=True))), jam=left - _LEFT)
    found = held.multipliers(substitute(push, dict.fromkeys(marks, ZERO)))
    columns = [held.responses(column) for column in zip(*slopes, strict=True)]
    matrix = [[(ONE if i == j else ZERO) - column[i] for j, column in enumerate(columns)] for i in range(len(marks))]
    reactions = dict(zip(marks, solve(matrix, found), strict=True))
    left = _determinant(matrix)
    return replace(
        system,
        forces=Table(dict(zip(system.forces, substitute(list(system.forces.values()), reactions), strict=True))),
        reactions=Table(reactions),
        jam=None if truth.vanish([left - ONE]) else left - _LEFT,
    )


def reaction(system: System, one: Expr) -> Expr:
    """Return a multiplier as a function of time, coordinates and velocities."""
    known = system.reactions.get(one)
    if known is not None:
        return known
    held = _Held.of(system, multipliers_in(system, [one]).values())
    return held.multipliers([system.forces.get(q, ZERO) for q in system.q])[0]


@dataclass(frozen=True, slots=True)
class _Held:
    """The motion of a system by its rows, and the constraints whose multipliers are wanted."""

    mass: Sequence[Sequence[Expr]]
    pull: Sequence[Expr]
    """h, what moves it besides forces."""
    saddle: Saddle
    places: Sequence[int]

    @classmethod
    def of(cls, system: System, wanted: Iterable[str]) -> _Held:
        """Return the rows of a system; what is not determined is refused."""
        lagrangian, names = system.lagrangian, list(system.constraints)
        if lagrangian is None or system.order > 1:
            raise ExpressionError("constraint forces are known where there is a Lagrangian of first order.")
        places, rows = [names.index(name) for name in wanted], system.constraint_jacobian()
        rank = len(rows) - len(repeated(system))
        for place in places if rank < len(rows) else ():
            others = independent([row for k, row in enumerate(rows) if k != place])
            if others is None or len(others) == rank:
                what = f"the constraint force of '{names[place]}' is not unique"
                raise ExpressionError(f"{what}: other constraints repeat that one; leave them out.")
        drive = {**dict(zip(system.q, system.v, strict=True)), symbol(TIME): ONE}
        moved = tangent(gradient(lagrangian, system.v), drive)
        pull = [p - b for p, b in zip(gradient(lagrangian, system.q), moved, strict=True)]
        right = tuple(-d for d in tangent([c.expression for c in system.constraints.values()], drive))
        saddle = Saddle(tuple(names), _tuples(rows), _tuples(system.virtual_matrix()), right, rank)
        return cls(hessian(lagrangian, system.v), pull, saddle, places)

    def multipliers(self, push: Sequence[Expr]) -> list[Expr]:
        """Return the multipliers under some forces."""
        return self._solved([p + f for p, f in zip(self.pull, push, strict=True)], self.saddle.right)

    def responses(self, push: Sequence[Expr]) -> list[Expr]:
        """Return what forces alone add to the multipliers."""
        return self._solved(push, (ZERO,) * len(self.saddle.right))

    def _solved(self, force: Sequence[Expr], right: tuple[Expr, ...]) -> list[Expr]:
        saddle, size = self.saddle, len(self.mass)
        if saddle.rank < len(saddle.rows):
            found = replace(saddle, right=right).solution(self.mass, force)
        else:
            matrix = [[*row, *(-one[i] for one in saddle.virtual)] for i, row in enumerate(self.mass)]
            found = solve([*matrix, *([*row, *[ZERO] * len(right)] for row in saddle.rows)], [*force, *right])
        return [found[size + place] for place in self.places]


def _tuples(rows: Sequence[Sequence[Expr]]) -> tuple[tuple[Expr, ...], ...]:
    return tuple(map(tuple, rows))


def _determinant(matrix: Sequence[Sequence[Expr]]) -> Expr:
    from dalembert.geometry.distributions import expanded_determinant  # few systems need it

    return expanded_determinant(matrix)
