"""Which generators are symmetries of a constrained system: they leave L, the constraints and time as they are.

L may change by the rate of a function F on Q: then omega_L stays, and F is subtracted from the momentum.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from dalembert.errors import Fault
from dalembert.expr.calculus import time_derivative
from dalembert.expr.graph import ZERO, Expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.expr.text import text
from dalembert.expr.truth import Verdict, depends_on, is_zero
from dalembert.expr.truth.many import ProofBudget
from dalembert.geometry.tangent_bundle import complete_lift
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.lagrangian.noether import invariance
from dalembert.mechanics.lagrangian.tangent_frame import by_entries
from dalembert.mechanics.nonholonomic.general_constraints import ConstrainedMotion
from dalembert.mechanics.second_order.search.linear_search import combination_of
from dalembert.model.claim import Claim
from dalembert.model.system import System


def gauges_of(system: System) -> dict[str, Expr]:
    """Return F of each generator under which L changes by the rate of F, a function on Q; zero of all others."""
    found = {}
    for name, generator in system.symmetry.items():
        kind, gauge, _ = ("none", ZERO, []) if generator.moves_time else invariance(system, name)
        known = kind == "up to a total derivative" and not depends_on([gauge], [*system.v, symbol(TIME)])
        found[name] = gauge if known else ZERO
    return found


def require_strict(system: System, gauges: Mapping[str, Expr]) -> None:
    """Refuse generators under which L changes by the rate of a function: the reduction is of an invariant L."""
    remedy = "leave it out, or use reduced, which takes terms linear in the velocities as forces"
    faults = [
        Fault(
            f"[symmetry] {name}",
            f"L changes under it by the rate of {text(by_entries(system, gauge))}",
            remedy,
            kind="invariant",
        )
        for name, gauge in gauges.items()
    ]
    if faults:
        raise refusal("reduction", faults)


def symmetries(motion: ConstrainedMotion, proofs: ProofBudget) -> list[Claim]:
    """Say of each generator whether it is a symmetry."""
    return symmetry_claims(motion.system, lambda name, gauge: is_symmetry(motion, name, proofs, gauge))


def symmetry_claims(system: System, decide: Callable[[str, Expr], Verdict]) -> list[Claim]:
    """Say of each generator of a system whether it is a symmetry, as it is decided."""
    what = "the constraints on velocities" if system.holonomic.keys() - system.units else "the constraints"
    claims = []
    for name, gauge in gauges_of(system).items():
        said = f"is a symmetry: it leaves L, {what} and time as they are"
        if gauge is not ZERO:
            rate = text(by_entries(system, gauge))
            said = f"is a symmetry: it leaves {what} and time as they are, and changes L by the rate of {rate}"
        claims.append(Claim(f"symmetry {name}", f"{name} {said}", "question", decide(name, gauge)))
    return claims


def is_symmetry(motion: ConstrainedMotion, name: str, proofs: ProofBudget, gauge: Expr) -> Verdict:
    """Decide whether a generator preserves L, but for the rate of F, and C, and leaves time alone."""
    system, constraint = motion.system, motion.manifold
    assert system.lagrangian is not None
    generator = system.symmetry[name]
    functions = {n: c.expression for n, c in system.constraints.items()}
    lift = complete_lift(generator.on(system.chart))
    moved = dict(zip(functions, constraint.on(lift.apply(list(functions.values()))), strict=True))
    parts = {"its part along time": generator.time, "the rate of L": lift(system.lagrangian) - time_derivative(gauge)}
    parts |= moved
    return proofs.all_vanish(parts, system.facts)


def vanish_with(system: System, functions: Sequence[Expr]) -> bool:
    """Say whether functions are combinations, with constants, of what constraints on positions set to zero.

    So turns move a loop that floats: they exchange the directions in which it closes.

    >>> loop = System.of(name="loop", coordinates="a b", lagrangian="a'^2 + b'^2", holonomic={"h": "a = 2*b"})
    >>> a, b = loop.q
    >>> vanish_with(loop, [3*a - 6*b]), vanish_with(loop, [a - b])
    (True, False)
    """
    held = [[one.expression] for name, one in system.holonomic.items() if name not in system.units]
    return bool(held) and all(is_zero(e).holds or combination_of(held, [e]) is not None for e in functions)
