"""The saddle-point form of constrained motion: all velocities are kept, and all constraints, as rows.

    [ M  -W^T ] [ q''    ]   [ dL/dq + Q - d/dt|q' dL/dq' ]
    [ A    0  ] [ lambda ] = [ -(df/dt + df/dq q')        ],      A = df/dq'

with the rows of W annihilating the virtual displacements: W = A unless the system says otherwise. It asks for no choice
of independent velocities, so it holds wherever the constraints keep their rank and M is definite on their kernel; rows
may repeat others. Constraints that are nonlinear in the velocities enter by their linearisation. Where rows repeat
others the multipliers are not unique, and the constraint force W^T lambda is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from dalembert.expr.calculus import gradient, hessian, jacobian, partial_time, tangent
from dalembert.expr.elementary import basic, solve, sqrt
from dalembert.expr.graph import ONE, ZERO, Expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict, all_hold, seems_zero, vanish, vanishing
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import divisors, postorder
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.common import Derived, equations_of
from dalembert.mechanics.lagrangian.jets import energy as energy_of
from dalembert.mechanics.lagrangian.lifted_rates import lifted_saddle
from dalembert.mechanics.vanishing_on import Held
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations, Saddle
from dalembert.model.repeated import Repetition, repeated
from dalembert.model.system import System
from dalembert.records import dataclass, replace

Rows = Sequence[Sequence[Expr]]
_Put = Callable[[Sequence[Expr]], list[Expr]]
_POWER: Final = "the power of the forces"


@dataclass(frozen=True, repr=False)
class SaddlePointMotion(Derived):
    """The motion with all velocities as state."""

    system: System
    equations: Equations

    @property
    def hypotheses(self) -> tuple[Claim, ...]:  # type: ignore[override]
        """Which constraints repeat others, so that no frame of independent velocities was chosen."""
        return repetitions(self.system)

    def saddle_form(self, rank: int | None = None, position_rank: int | None = None) -> SaddlePointMotion:
        """Return the same motion, with rows of other ranks."""
        return derive(self.system, rank, position_rank)

    def objects(self) -> dict[str, object]:
        """Return the rows and the matrix by the names of the JSON."""
        saddle, names = self.equations.saddle, [q.data.name for q in self.system.q]
        assert saddle is not None

        def table(rows: Rows) -> dict[str, dict[str, Expr]]:
            return {name: dict(zip(names, row, strict=True)) for name, row in zip(saddle.names, rows, strict=True)}

        return {
            "kinetic_matrix": [list(row) for row in self.equations.mass],
            "force": dict(zip(names, self.equations.force, strict=True)),
            "constraint_rows": table(saddle.rows),
            "virtual_rows": table(saddle.virtual),
            "constraint_right": dict(zip(saddle.names, saddle.right, strict=True)),
            "rank": saddle.rank,
            "energy": self.equations.monitors["energy"],
        }


def derive(system: System, rank: int | None = None, position_rank: int | None = None) -> SaddlePointMotion:
    """Return the motion in saddle-point form; ranks are those of all rows and of the holonomic ones, full by default.

    >>> pulley = System.of(name="pulley", coordinates="x y z", parameters={"g": 9.81},
    ...     lagrangian="(x'^2 + y'^2 + z'^2)/2 - g*z", constraints={"rope": "z' = x'", "again": "2*z' = 2*x'"})
    >>> derive(pulley, rank=1).equations.saddle.right
    (0, 0)
    """
    from dalembert.mechanics.nonholonomic.general_constraints import check

    faults = check(system)
    if faults:
        raise refusal("nonholonomic", faults)
    lagrangian = system.lagrangian
    assert lagrangian is not None
    functions = [c.expression for c in system.constraints.values()]
    drive = {**dict(zip(system.q, system.v, strict=True)), symbol(TIME): ONE}
    mass, rows, virtual = (
        _tuples(m) for m in (hessian(lagrangian, system.v), system.constraint_jacobian(), system.virtual_matrix())
    )
    bias, pull = tangent(gradient(lagrangian, system.v), drive), gradient(lagrangian, system.q)
    force = tuple(p + system.forces.get(q, ZERO) - b for q, p, b in zip(system.q, pull, bias, strict=True))
    right = tuple(-d for d in tangent(functions, drive))
    held = len(system.holonomic) if position_rank is None else position_rank
    saddle = Saddle(tuple(system.constraints), rows, virtual, right, len(rows) if rank is None else rank, held)
    equations = equations_of(
        system,
        "nonholonomic",
        kinematics=dict(zip(system.q, system.v, strict=True)),
        velocities=tuple(system.v),
        mass=mass,
        force=force,
        saddle=saddle,
        implicit=dict(system.balances),
        saddle_form=partial(equations_with_all, system),
        lifting=partial(lifted_saddle, system),
        projection=(
            *position_projection(system, mass, held),
            nearest(system.v, mass, rows, functions, saddle.rank),
        ),
        monitors={"energy": energy_of(lagrangian, system.q, 1), **_reactions(system, saddle, mass, force)},
    )
    return SaddlePointMotion(system, equations)


def equations_with_all(
    system: System, rank: int | None = None, position_rank: int | None = None, *, formalism: str = "nonholonomic"
) -> Equations:
    """Return the equations with all velocities and all constraints kept: what others offer to be followed instead.

    ``formalism`` is the one whose motion it is.
    """
    again = partial(equations_with_all, system, formalism=formalism)
    return replace(derive(system, rank, position_rank).equations, formalism=formalism, saddle_form=again)


def with_saddle_form(equations: Equations, system: System, put: _Put) -> Equations:
    """Return equations in a frame that bring positions back to their constraints, and offer the saddle form."""
    made = partial(equations_with_all, system)
    return replace(equations, projection=frame_projection(system, put), saddle_form=made)


def pivots_of(expressions: Sequence[Expr], pivots: Sequence[Expr]) -> tuple[Expr, ...]:
    """Return the pivots by which expressions were solved for, numbers apart; none where nothing was divided by.

    Where they vanish these expressions may have no value, and the saddle form has to go on. Rows that are a multiple of
    what they could be, as sin(ph)*x' = sin(ph)*y', have pivots that vanish and are not divided by.

    >>> x, y = symbol("x"), symbol("y")
    >>> pivots_of([x / y], [y, ONE]), pivots_of([x + y], [y])
    ((y,), ())
    """
    if not divisors(expressions) and all(node.op != "solve" for node in postorder(list(expressions))):
        return ()
    return tuple(dict.fromkeys(pivot for pivot in pivots if pivot.op != "number"))


def of_repeated(system: System) -> SaddlePointMotion:
    """Return the motion under constraints some of which repeat those before them, wherever they hold."""
    again = repeated(system)
    held = [name for name in system.holonomic if name not in again]
    return derive(system, len(system.constraints) - len(again), len(held))


def position_projection(system: System, mass: Rows, rank: int | None = None) -> tuple[dict[Expr, Expr], ...]:
    """Return what brings positions back to where the holonomic constraints hold; nothing where there are none."""
    held = [equation.expression for equation in system.holonomic.values()]
    if not held:
        return ()
    return (nearest(system.q, mass, jacobian(held, system.q), held, len(held) if rank is None else rank),)


def frame_projection(system: System, put: _Put, rank: int | None = None) -> tuple[dict[Expr, Expr], ...]:
    """Return what brings positions back in a frame of independent velocities, which obey the constraints anyway.

    ``put`` says expressions in the variables of that frame.
    """
    if not system.holonomic or system.lagrangian is None:
        return ()
    return position_projection(system, [put(row) for row in hessian(system.lagrangian, system.v)], rank)


def nearest(
    variables: Sequence[Expr], mass: Rows, rows: Rows, residuals: Sequence[Expr], rank: int
) -> dict[Expr, Expr]:
    """Return the shortest correction in the metric with which the residuals vanish to first order."""
    border = Saddle((), _tuples(rows), _tuples(rows), tuple(-r for r in residuals), rank)
    return dict(zip(variables, border.solution(mass, [ZERO] * len(mass)), strict=False))


def _reactions(system: System, saddle: Saddle, mass: Rows, force: Sequence[Expr]) -> dict[str, Expr]:
    """Return the constraint forces, which are unique, and then the multipliers."""
    some = saddle.solution(mass, force)[len(mass) :]
    columns = zip(system.q, zip(*saddle.virtual, strict=True), strict=True)
    forces = {f"constraint force {q.data.name}": dot(column, some) for q, column in columns if not vanish(column)}
    if saddle.rank == len(saddle.rows):
        return forces | {f"multiplier {name}": m for name, m in zip(saddle.names, some, strict=True)}
    least = least_multipliers(saddle, mass, some)
    return forces | {f"multiplier {name} (least norm)": m for name, m in zip(saddle.names, least, strict=True)}


def least_multipliers(saddle: Saddle, mass: Rows, some: Sequence[Expr]) -> list[Expr]:
    """Return the multipliers of the least norm among all that give the same force.

    Rows W_i are measured by (W_i M^-1 W_i^T)^1/2, so that the units of a constraint do not matter. The multipliers of
    least norm lie in what the scaled rows span: others are projected on it. Where coordinates have no inertia, as
    those of a point of contact, rows have their plain length.
    """
    heavy = not any(vanishing([row[k] for k, row in enumerate(mass)]))
    lengths = [sqrt(dot(row, solve(mass, row) if heavy else row)) for row in saddle.virtual]
    scaled = [[e / length for e in row] for row, length in zip(saddle.virtual, lengths, strict=True)]
    columns = list(zip(*scaled, strict=True))
    weighted = [m * length for m, length in zip(some, lengths, strict=True)]
    gram = [[dot(a, b) for b in columns] for a in columns]
    part = basic(gram, [dot(column, weighted) for column in columns], saddle.rank)
    return [dot(row, part) / length for row, length in zip(scaled, lengths, strict=True)]


def _tuples(rows: Rows) -> tuple[tuple[Expr, ...], ...]:
    return tuple(map(tuple, rows))


def repetitions(system: System) -> tuple[Claim, ...]:
    """Return which constraints repeat others, as hypotheses."""
    return tuple(
        Claim(f"constraint {name} repeats others", f"of '{name}': {one.what}", "hypothesis", _seen(name, one))
        for name, one in repeated(system).items()
    )


def _seen(name: str, one: Repetition) -> Verdict:
    """Return how it is known that a constraint repeats others: at generic points, or at those found by numbers."""
    if not one.generic:
        return Verdict("measured", f"{one.what}.")
    return Verdict("certain", f"the rank with '{name}' is that without it at random points modulo random primes.")


# -- theorems ------------------------------------------------------------------------------------------------
def energy_conserved(result: SaddlePointMotion, _: ProofBudget) -> Verdict:
    """Decide E' = Q q' - dL/dt + lambda (W q') = 0 on the constraints, whatever the multipliers are.

    Where constraints may do work a no asks for the multipliers, which numbers alone solve for: then it stays open.
    """
    system, saddle = result.system, result.equations.saddle
    assert system.lagrangian is not None
    assert saddle is not None
    power = dot([system.forces.get(q, ZERO) for q in system.q], system.v) - partial_time(system.lagrangian)
    held = [*(e.expression for e in system.holonomic.values()), *(c.expression for c in system.constraints.values())]
    on = Held(tuple(held), (*system.v, *system.q), tuple(system.facts))
    parts = {_POWER: power} | {
        f"the velocity on {name}": dot(row, system.v) for name, row in zip(saddle.names, saddle.virtual, strict=True)
    }
    stated = {f"the velocity on {name}": c.expression for name, c in system.constraints.items()}
    found = {}
    for name, part in parts.items():  # most are the constraint itself, for which nothing has to be solved
        same = seems_zero(part - stated.get(name, ZERO), system.facts)
        found[name] = same if same is not None and same.holds is True else on.vanishes(part)
    if all(verdict.holds is True for verdict in found.values()):
        return all_hold(found)
    works = found.pop(_POWER)
    if works.holds is False and all(verdict.holds is True for verdict in found.values()):
        return works
    return Verdict("undecided", "forces, time or constraints may do work, and the accelerations are solved by numbers.")
