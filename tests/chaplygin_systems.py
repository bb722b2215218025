"""Generalized Chaplygin systems made up at random, and what the tests ask of them."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from random import Random

from dalembert.expr import ZERO, Expr, cos, sin, symbol, total
from dalembert.expr.truth.many import ProofBudget
from dalembert.geometry.groups import lie_algebra
from dalembert.geometry.groups.algebra import LieAlgebra
from dalembert.mechanics.chaplygin.chaplygin import reduce
from dalembert.mechanics.chaplygin.local_data import from_local_data
from dalembert.mechanics.chaplygin.reduction import ChaplyginReduction
from dalembert.mechanics.chaplygin.theorems import projects_multipliers
from dalembert.mechanics.common import equations_of
from dalembert.mechanics.nonholonomic.adapted_motion import adapted_motion
from dalembert.mechanics.principal_bundle import PrincipalBundle
from dalembert.mechanics.theorem import Theorem
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System

ALGEBRAS: dict[str, LieAlgebra] = {
    "R": lie_algebra(["e1"], {}),
    "R^2": lie_algebra(["e1", "e2"], {}),
    "SE(2)": lie_algebra(["e1", "e2", "e3"], {("e3", "e1"): {"e2": 1}, ("e3", "e2"): {"e1": -1}}),
    "SO(3)": lie_algebra(
        ["e1", "e2", "e3"], {("e1", "e2"): {"e3": 1}, ("e2", "e3"): {"e1": 1}, ("e3", "e1"): {"e2": 1}}
    ),
    "Heisenberg": lie_algebra(["e1", "e2", "e3"], {("e1", "e2"): {"e3": 1}}),
}
TEN = [(name, size) for name in ALGEBRAS for size in (2, 3)]


def random_system(group: str, size: int, seed: int = 1) -> System:
    """Return a system over a base of 2 or 3 dimensions, with mixed terms in the metric and a potential.

    The connection varies over the base. The metric is diagonally dominant, hence positive.
    """
    draw = Random(f"{group} {size} {seed}")
    algebra = ALGEBRAS[group]
    base = [symbol(name) for name in "xyz"[:size]]
    xi = [symbol(f"xi{i}") for i in range(algebra.dimension)]
    w = [*(r.dot for r in base), *xi]

    def small() -> Fraction:
        return Fraction(draw.choice([-3, -2, -1, 1, 2, 3]), draw.randint(5, 7))

    def function() -> Expr:
        return small() + small() * sin(draw.choice(base)) + small() * cos(draw.choice(base)) * sin(draw.choice(base))

    mixed = [(small() / 3, w[i] * w[j]) for i in range(len(w)) for j in range(i)]
    bent = [(Fraction(1, 5), sin(base[0]) * w[0] * w[size]), (Fraction(1, 6), cos(base[1]) * w[1] * w[-1])]
    kinetic = total([*((1, v * v) for v in w), *mixed, *bent])
    potential = sum((small() * cos(r) for r in base), start=ZERO) + small() * sin(base[0]) * cos(base[1])
    connection = [[function() for _ in base] for _ in xi]
    start = {r.data.name: small() for r in base} | {f"{r.data.name}'": small() for r in base}
    return from_local_data(
        f"{group} over {size}", dict.fromkeys(base, "real"), kinetic - potential, xi, connection, algebra, start=start
    )


NO_PROOFS = ProofBudget(0.0)


def meets_multipliers(system: System, bundle: PrincipalBundle, equations: Equations) -> bool | None:
    """Whether the lifted motion is that of Lagrange's multipliers."""
    rates = {**equations.rates(), **equations.reconstruction}
    return projects_multipliers(system, bundle, rates, NO_PROOFS).holds


def verdicts(claims: Iterable[Claim]) -> dict[str, bool | None]:
    """Claims by name, each of which is used once."""
    found = list(claims)
    assert len({c.name for c in found}) == len(found), "names of claims are used once"
    return {c.name: c.verdict.holds for c in found}


def decided(rows: Iterable[Theorem], thing: object, effort: float = 0.0) -> list[Claim]:
    """What rows say of what they speak of."""
    return [claim for row in rows for claim in row.claims(thing, effort)]


def reduced(system: System) -> ChaplyginReduction:
    found = reduce(system, shortening=0.0)
    assert found is not None
    return found


def full_motion(system: System) -> Equations:
    """The nonholonomic equations in a frame on Q, before anything is claimed about them."""
    motion = adapted_motion(system)
    return equations_of(
        system,
        "nonholonomic",
        kinematics=dict(zip(system.q, motion.kinematics, strict=True)),
        velocities=tuple(motion.frame.quasi_velocities[: motion.distribution.rank]),
        mass=motion.equations.mass,
        force=motion.equations.force,
    )
