"""Answers of ``derive`` on systems nobody tuned, against multipliers in plain floats."""

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from judging import accelerations, deviations, reference
from machines import KINDS, drawn, written
from mechanisms import bricard

from dalembert.expr import ONE, ZERO, symbol
from dalembert.expr.symbols import TIME
from dalembert.mechanics.registry import formalism
from dalembert.model import files
from dalembert.model.system import System
from dalembert.present.json_export import answer

TERMS = ("x*y", "sin(a)*x", "cos(a)*y^2", "x^2*z", "z*cos(a)", "y*z", "exp(x/3)", "sqrt(1 + z^2)", "t*y", "x")
SPEEDS = ("x'", "y'", "z'", "a'")


def made_up(seed: int, constraints: int) -> System:
    """Return a random system: positive kinetic energy with mixed terms, a potential, forces, affine constraints."""
    draw = Random(seed)

    def term() -> str:
        return f"{draw.choice((-2, -1, 1, 2))}*{draw.choice(TERMS)}/{draw.randint(2, 5)}"

    kinetic = " + ".join(f"({draw.randint(2, 5)} + ({term()})^2)*{v}^2/2" for v in SPEEDS)
    mixed = " + ".join(f"k*sin({term()})*{draw.choice(SPEEDS)}*{draw.choice(SPEEDS)}/4" for _ in range(2))
    gyroscopic = f"({term()})*{draw.choice(SPEEDS)}"
    held = {}
    for i in range(constraints):
        others = [v for v in SPEEDS if v != SPEEDS[i]]
        affine = f" + {term()}" if draw.random() < 0.5 else ""
        held[f"c{i}"] = f"{SPEEDS[i]} = ({term()})*{draw.choice(others)} + ({term()})*{draw.choice(others)}{affine}"
    return System.of(
        name=f"made up {seed}",
        coordinates={"x": "real", "y": "real", "z": "real", "a": "angle"},
        parameters={"k": 0.7},
        functions={"V": {"of": ["x", "z"], "value": "x^2*z + cos(z)"}},
        lagrangian=f"{kinetic} + {mixed} + {gyroscopic} - V(x, z) - {term()}",
        constraints=held,
        forces={"y": f"-({term()})*y'"},
    )


@pytest.mark.parametrize("seed", [0, 1, 2, *(pytest.param(k, marks=pytest.mark.thorough) for k in (3, 4))])
@pytest.mark.thorough("1")
def test_made_up_systems_move_as_multipliers_say(seed: int) -> None:
    held = seed % 4
    system = made_up(seed, held)
    record = formalism("nonholonomic" if held else "euler-lagrange")
    result = record.derive(system)
    rows = [row for row in (*record.theorems, *record.laws) if row.role != "question"]
    checks = [claim for row in rows for claim in row.claims(result)]
    assert not [claim for claim in checks if claim.failed]
    # without the objects that a search has to find first: only the motion is judged here
    shown = json.loads(json.dumps(answer(result, {}, checks)))
    draw = Random(seed)
    parameters = {p: float(value) for p, value in system.defaults.items()}
    for _ in range(3):
        state = {system.vocabulary.symbol(n): draw.uniform(0.2, 0.9) * draw.choice((-1, 1)) for n in shown["state"]}
        q, v, a = accelerations(system, shown, {**state, **parameters, symbol(TIME): 0.3})
        wanted = reference(system, q, v, 0.3, parameters)
        assert np.max(np.abs(a - wanted)) < 1e-6 * (1 + np.max(np.abs(wanted)))


@pytest.mark.parametrize("kind", KINDS)
def test_drawn_machines_move_as_multipliers_say(kind: str, tmp_path: Path) -> None:
    """One of each kind; tests/long has the rest. The wrong twin is pushed a little."""
    (tmp_path / "machine.toml").write_text(written(drawn(3, kind)))
    system = files.load(tmp_path / "machine.toml")
    shown = answer(formalism("nonholonomic").derive(system), {}, ())
    found = deviations(system, shown, 3, states=1)
    assert found
    assert max(found) < 1e-7
    pushed = {q: system.forces.get(q, ZERO) + ONE / 100 for q in system.q}
    assert max(deviations(replace(system, forces=pushed), shown, 3, states=1)) > 1e-5


def test_the_judge_bites() -> None:
    system = made_up(1, 1)
    shown = answer(formalism("nonholonomic").derive(system))
    moving = next(name for name in shown["state"] if name.endswith("'"))
    shown["field"][moving] = f"({shown['field'][moving]}) + x/1000"
    state = {system.vocabulary.symbol(n): 0.4 for n in shown["state"]}
    parameters = {p: float(value) for p, value in system.defaults.items()}
    q, v, a = accelerations(system, shown, {**state, **parameters, symbol(TIME): 0.3})
    assert np.max(np.abs(a - reference(system, q, v, 0.3, parameters))) > 1e-5


def test_the_judge_has_no_numbers_where_rank_is_lost() -> None:
    """Bricard's rows have rank 4 on its motion; where three angles are right ones it is 2, and they hold too."""
    linkage, right = bricard(bars=True), np.pi / 2
    parameters = {p: float(value) for p, value in linkage.defaults.items()}
    lost, moving = np.array([-right, right, 0.7, -right, 0.7]), np.zeros(5)
    assert np.isfinite(reference(linkage, lost, moving, 0.0, parameters, 2)).all()
    assert np.isnan(reference(linkage, lost, moving, 0.0, parameters, 4)).all()
    assert np.isfinite(reference(linkage, np.zeros(5), moving, 0.0, parameters, 4)).all()
