"""What every Hamiltonian form of a vakonomic problem has: costates, unknowns that follow from them, and the flow."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property

from dalembert.expr.calculus import gradient, hessian, jacobian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Fact
from dalembert.mechanics.common import points_of
from dalembert.mechanics.vakonomic.densities import lagrangian_of
from dalembert.model.parts import Generator
from dalembert.model.system import System
from dalembert.records import dataclass

Matrix = list[list[Expr]]


@dataclass(frozen=True)
class CostateForm(ABC):
    """States, costates and unknowns, the residuals that give the unknowns, and the flow on all of them."""

    system: System
    positions: tuple[Expr, ...]
    """x_0, ..., x_(r-1), each for all coordinates."""
    costates: tuple[Expr, ...]
    """p_0, ..., p_(r-1), in the same order."""
    multiplier_names: tuple[Expr, ...]
    """A symbol for the multiplier mu of each prolonged constraint; for r = 1 it is lambda. Those behind them belong to
    the kinds of coordinates."""
    prolonged: tuple[Expr, ...]
    """g."""

    # -- what a form has to say ----------------------------------------------------------------------------------
    @property
    @abstractmethod
    def lagrangian(self) -> Expr:
        """L."""

    @property
    @abstractmethod
    def top(self) -> tuple[Expr, ...]:
        """The highest derivatives w = q_(r), which follow from the state."""

    @property
    @abstractmethod
    def last(self) -> tuple[Expr, ...]:
        """The costates p_(r-1) of the highest positions."""

    @property
    @abstractmethod
    def hamiltonian(self) -> Expr:
        """H = p_j x_(j+1) - L, in state and unknowns."""

    @property
    @abstractmethod
    def rates(self) -> dict[Expr, Expr]:
        """The rates of positions and costates, in state and unknowns."""

    @property
    @abstractmethod
    def open_branches(self) -> bool:
        """Whether the constraints are not solved for velocities, or by roots of either sign."""

    @abstractmethod
    def on_motions(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return expressions in state and unknowns with as much put in as is known."""

    @abstractmethod
    def state(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return expressions in state and unknowns as functions of the state, where that is in closed form."""

    @abstractmethod
    def on_constraint(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return expressions in coordinates and velocities where the constraints hold."""

    @abstractmethod
    def moved(self, generator: Generator) -> list[Expr]:
        """Return what a generator moves, by costate."""

    # -- what follows --------------------------------------------------------------------------------------------
    @cached_property
    def held(self) -> dict[str, Expr]:
        """The constraints that were stated, by name: that rotations have unit length is none."""
        system = self.system
        return {name: c.expression for name, c in system.constraints.items() if name not in system.units}

    @property
    def independent(self) -> tuple[int, ...]:
        """The places of the velocities that the constraints leave free, where these are solved for the others."""
        return ()

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What holds along the motions, in state and unknowns."""
        return points_of(self.system)

    @cached_property
    def order(self) -> int:
        """The order r of the Lagrangian."""
        return self.system.order

    @property
    def unknowns(self) -> tuple[Expr, ...]:
        """The highest derivatives w and the multipliers mu."""
        return (*self.top, *self.multiplier_names)

    @cached_property
    def joined(self) -> Expr:
        """L + mu g."""
        return lagrangian_of(self.lagrangian, dict(zip(self.multiplier_names, self.prolonged, strict=True)))

    @cached_property
    def momenta(self) -> tuple[Expr, ...]:
        """What p_(r-1) is: dL/dw + mu dg/dw."""
        return tuple(gradient(self.joined, self.top))

    @property
    def residuals(self) -> dict[Expr, Expr]:
        """For each unknown a function that vanishes: dL/dw + mu dg/dw - p_(r-1), and g."""
        legendre = [p - c for p, c in zip(self.momenta, self.last, strict=True)]
        return dict(zip(self.unknowns, [*legendre, *self.prolonged], strict=True))

    @cached_property
    def bordered(self) -> Matrix:
        """The bordered Hessian: of L + mu g by w, with the border dg/dw."""
        border = jacobian(self.prolonged, self.top)
        inner = hessian(self.joined, self.top)
        matrix = [[*row, *(line[i] for line in border)] for i, row in enumerate(inner)]
        return [*matrix, *([*line, *[ZERO] * len(border)] for line in border)]

    @cached_property
    def flow(self) -> dict[Expr, Expr]:
        """The rates of time, state and unknowns: those of the unknowns by the implicit function theorem."""
        seed = {**self.rates, symbol(TIME): ONE}
        moved = tangent(list(self.residuals.values()), seed)
        return {**seed, **dict(zip(self.unknowns, solve(self.bordered, [-m for m in moved]), strict=True))}

    @cached_property
    def multipliers(self) -> tuple[Expr, ...]:
        """The lambda = (-1)^(r-1) mu_(r-1) of the constraints, in state and unknowns."""
        found = list(self.multiplier_names[: len(self.held)])
        for _ in range(self.order - 1):
            found = [-one for one in tangent(found, self.flow)]
        return tuple(found)

    def watched(self, momenta: Mapping[str, Expr]) -> dict[str, Expr]:
        """Return what to watch along a motion, by the state: energy, momenta, multipliers, constraints."""
        monitors = {"energy": self.hamiltonian} | {f"momentum {name}": one for name, one in momenta.items()}
        monitors |= {f"multiplier {n}": m for n, m in zip(self.held, self.multipliers, strict=True)}
        # a constraint may be called energy, and does not stand in for it
        monitors |= {n if n not in monitors else f"constraint {n}": g for n, g in self.constraints_watched().items()}
        return dict(zip(monitors, self.state(list(monitors.values())), strict=True))

    def constraints_watched(self) -> dict[str, Expr]:
        """Return the constraints by name, in the variables of the form."""
        return self.held

    def along(self, expressions: Sequence[Expr], more: Mapping[Expr, Expr] | None = None) -> list[Expr]:
        """Return the rates of functions of state and unknowns along the motions."""
        return tangent(expressions, {**self.flow, **(more or {})})
