"""What is constant along the motions of equations: decided for each function exactly, and for the same ones once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dalembert.errors import DalembertError
from dalembert.expr.calculus import tangent
from dalembert.expr.graph import Expr
from dalembert.expr.truth.verdict import Verdict
from dalembert.expr.walk import postorder
from dalembert.model.equations import Equations
from dalembert.model.remembered import remembered
from dalembert.model.system import System
from dalembert.numerics.wording import NameResolver, drive_whatever

_MOST_NODES = 30_000
"""So large are the rates, all in all, that are decided; multipliers of large systems come last."""

_BY_NUMBERS = "it is solved for by numbers only, as forces where constraints repeat others: nothing exact decides it."


def constants(
    result: Any, first: Equations, equations: Equations, system: System | None, expressions: Mapping[str, Expr]
) -> dict[str, Verdict]:
    """Decide for each function whether it is constant along the motions; of the same ones that is decided once."""

    def decided() -> dict[str, Verdict]:
        found = {} if result is first else _energy(result, expressions)
        return found | _conserved(equations, system, {n: e for n, e in expressions.items() if n not in found})

    own = all(equations.monitors.get(name) is one for name, one in expressions.items())
    return remembered(equations, "constants", decided, *expressions) if own else decided()


def _conserved(equations: Equations, system: System | None, expressions: Mapping[str, Expr]) -> dict[str, Verdict]:
    """Decide for each function whether it is constant along the motions, whatever the values are.

    It is where its rate is zero at all states: implicit unknowns change as their residuals say, and those, like the
    holonomic constraints, need to be zero where the rate is asked for, and nowhere else.
    """
    from dalembert.mechanics.vanishing_on import Held

    words = NameResolver(equations, system)
    residuals, facts = list(equations.implicit.values()), []
    if system is not None:
        residuals += [words.translated(equation.expression) for equation in system.holonomic.values()]
        if equations.saddle is not None:  # these hold along its motions, and not by the choice of variables
            residuals += [words.translated(constraint.expression) for constraint in system.constraints.values()]
        facts = system.facts
    drive, balances = drive_whatever(words)
    held = Held((*residuals, *balances), words.variables, tuple(facts))
    found: dict[str, Verdict] = {}
    asked: dict[str, Expr] = {}
    left = _MOST_NODES
    for name, rate in _rates(expressions, drive).items():
        nodes = postorder([rate]) if isinstance(rate, Expr) and left >= 0 else []
        by_numbers = any(node.op == "basic" and node.data[1] < node.data[0] for node in nodes)
        left -= 0 if by_numbers else len(nodes)
        if not isinstance(rate, Expr):
            found[name] = Verdict("undecided", str(rate))
        elif by_numbers:  # every exact reader would refuse it, after the work on all that it is made of
            found[name] = Verdict("undecided", _BY_NUMBERS)
        elif left < 0:
            why = f"with it the rates have more than the {_MOST_NODES} nodes that are decided; ask for it alone."
            found[name] = Verdict("undecided", why)
        else:
            asked[name] = rate
    decided = held.vanish_each(list(asked.values()))
    told = [one if isinstance(one, Verdict) else Verdict("undecided", str(one)) for one in decided]
    found |= dict(zip(asked, told, strict=True))
    return {name: found[name] for name in expressions}


def _energy(result: Any, expressions: Mapping[str, Expr]) -> dict[str, Verdict]:
    """Ask the formalism about the energy, of which it knows more than the rate; a motion then says what it says."""
    from dalembert.mechanics.registry import claims

    found: dict[str, Verdict] = {}
    if "energy" in expressions:
        for claim in claims(result, only="energy conserved", effort=0.0):
            if claim.name == "energy conserved" and claim.verdict.holds is not None:
                found["energy"] = claim.verdict
    return found


def _rates(expressions: Mapping[str, Expr], drive: Mapping[Expr, Expr]) -> dict[str, Expr | DalembertError]:
    """Return the rate of each expression, or why it has none: in one pass, for most have most in common."""
    try:
        return dict(zip(expressions, tangent(list(expressions.values()), drive), strict=True))
    except DalembertError as fault:
        if len(expressions) == 1:
            return dict.fromkeys(expressions, fault)
    return {name: rate for one in expressions.items() for name, rate in _rates(dict([one]), drive).items()}
