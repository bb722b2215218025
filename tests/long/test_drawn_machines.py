"""The judge on machines drawn at random: linear, affine, nonlinear, holonomic and redundant constraints in turn."""

import json

import pytest
from judging import deviations
from machines import KINDS, drawn, written

from dalembert import claims, derive
from dalembert.model import files
from dalembert.present.json_export import answer

pytestmark = pytest.mark.long


@pytest.mark.parametrize("seed", range(50))
def test_machines_move_as_multipliers_say(seed, tmp_path):
    (tmp_path / "machine.toml").write_text(written(drawn(seed)))
    system = files.load(tmp_path / "machine.toml")
    result = derive(system, "nonholonomic")
    found = deviations(system, json.loads(json.dumps(answer(result, {}, ()))), seed)
    assert found, f"no state of a machine with {KINDS[seed % len(KINDS)]} constraints obeys them"
    assert max(found) < 1e-7
    assert not [claim for claim in claims(result) if claim.failed]
