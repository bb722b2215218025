"""Answers of Routh's procedure on systems nobody tuned, read back from JSON, against Euler-Lagrange in plain floats."""

from __future__ import annotations

import json
from functools import cache
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from judging import accelerations, reference
from routh_systems import decided

from dalembert.expr import Expr, evaluate, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME
from dalembert.expr.vocabulary import Vocabulary
from dalembert.mechanics.routh import routh
from dalembert.mechanics.routh.hypotheses import momenta_of
from dalembert.mechanics.routh.routh import Routh
from dalembert.model.system import System
from dalembert.present.json_export import answer

SPEEDS = ("u'", "w'", "a", "b", "th'")
FACTORS = ("u", "w", "u*w", "cos(u)", "exp(w/3)", "u^2")


def made_up(seed: int) -> System:
    """Return a random Lagrangian on R^2 x SE(2), invariant, with terms linear in velocities, and a random momentum."""
    draw = Random(seed)

    def factor() -> str:
        return f"({draw.choice((-2, -1, 1, 2))}/{draw.randint(3, 6)}*{draw.choice(FACTORS)})"

    squares = " + ".join(f"({draw.randint(2, 4)} + {factor()}^2)*{v}^2/2" for v in SPEEDS)
    mixed = " + ".join(f"{factor()}*{draw.choice(SPEEDS)}*{draw.choice(SPEEDS)}/3" for _ in range(4))
    linear = " + ".join(f"{factor()}*{draw.choice(SPEEDS)}" for _ in range(2))
    forms = [
        f"cos(th)*dy + sin(th)*dz + {factor()}*du",
        f"-sin(th)*dy + cos(th)*dz + {factor()}*dw + {factor()}*du",
        f"dth + {factor()}*du",
    ]
    return System.of(
        name=f"made up {seed}",
        coordinates={"u": "real", "y": "real", "z": "real", "w": "real", "th": "angle"},
        parameters={"m": 0.6},
        let={"a": "cos(th)*y' + sin(th)*z'", "b": "-sin(th)*y' + cos(th)*z'"},
        lagrangian=f"{squares} + {mixed} + {linear} - {factor()} - {factor()}^2",
        symmetry={"p1": {"y": 1}, "p2": {"z": 1}, "turn": {"y": "-z", "z": "y", "th": 1}},
        momentum=[draw.choice(("0", "0.4", "-0.7", "m")) for _ in range(3)],
        bundle=[None, {"connection": "mechanical"}, {"connection": forms}][seed % 3],
    )


def read_back(system: System, shown: dict[str, Any], point: dict[str, float]) -> tuple[np.ndarray, ...]:
    """Return (q, q', q'') of an answer at a state, whose variables may have names of their own."""
    words = system.vocabulary
    own = {n for n in (*shown["state"], *shown["lift"]) if not n.endswith("'") and n not in words.coordinates}
    own |= set(shown["objects"]["velocity_symbols"].values())
    names = {**words.coordinates, **dict.fromkeys(own, "real")}
    more = Vocabulary(names, words.parameters, words.functions, words.let, words.extra)
    seen = SimpleNamespace(vocabulary=more, q=system.q, definitions=system.definitions)
    at = {more.symbol(n): value for n, value in point.items()}
    parameters = {p: float(value) for p, value in system.defaults.items()}
    return accelerations(seen, shown, {**at, **parameters, symbol(TIME): 0.3})  # type: ignore[arg-type]


def at_random(shown: dict[str, Any], draw: Random) -> dict[str, float]:
    return {n: draw.uniform(0.2, 0.9) * draw.choice((-1, 1)) for n in (*shown["state"], *shown["lift"])}


@cache
def told(seed: int) -> tuple[System, Routh, dict[str, Any]]:
    system = made_up(seed)
    result = routh.derive(system)
    return system, result, json.loads(json.dumps(answer(result)))


def off(system: System, shown: dict[str, Any], draw: Random) -> tuple[float, dict[Expr, float]]:
    """Return how far an answer is from Euler and Lagrange at a random state, and that state as stated."""
    parameters = {p: float(value) for p, value in system.defaults.items()}
    q, v, a = read_back(system, shown, at_random(shown, draw))
    wanted = reference(system, q, v, 0.3, parameters)
    state = dict(zip((*system.q, *system.v), map(float, (*q, *v)), strict=True))
    return float(np.max(np.abs(a - wanted)) / (1 + np.max(np.abs(wanted)))), {**state, **parameters}


SEED = 5
"""One with a connection of its own; others were tried."""


@pytest.mark.thorough
def test_a_made_up_system_moves_as_euler_and_lagrange_say() -> None:
    system, result, shown = told(SEED)
    assert not [one for one in decided(result, "reconstruction", "simple system").values() if one.failed]
    error, state = off(system, shown, Random(SEED))
    assert error < 1e-6
    momenta = evaluate(momenta_of(system, result.frame.stated), Floats(state))
    assert momenta == pytest.approx(evaluate(list(system.momentum.values()), Floats(state)))


@pytest.mark.thorough
def test_the_judge_bites() -> None:
    system, _, shown = told(SEED)
    pushed = shown["field"]["u'"]
    wrong = {**shown, "field": {**shown["field"], "u'": f"({pushed}) + u/1000"}}
    assert off(system, wrong, Random(SEED))[0] > 1e-5
