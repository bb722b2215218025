"""The snake with 48 links moves as the multipliers say, and says of what it is a motion."""

import json

from commanding import command
from mechanisms import coupled
from snakes import follow_snake

from dalembert import derive, simulate_ensemble
from dalembert.model.stored_form import read_back
from dalembert.numerics.outcome import END, RANK_LOST


def test_a_snake_with_48_links_moves_as_the_multipliers_say():
    run = follow_snake(48, 8.0)
    assert run.success
    assert len(read_back(run.provenance["model"]).q) == 50


def test_the_command_moves_it_and_says_what_was_left_out():
    ended = command("simulate", "wheeled-snake:48", "--as", "nonholonomic", "--time", "1", "--json")
    assert ended.status == 0
    told = json.loads(ended.out)["audit"]
    kinds = {name: drift["conserved"] for name, drift in told["drifts"].items()}
    assert kinds["energy"] == "certain"
    assert kinds["multiplier wheel48"] == "undecided"
    assert len(told["constraint_residuals"]) == 48
    assert max(told["constraint_residuals"].values()) < 1e-6


def test_the_rank_of_many_constraints_is_watched_for_every_member():
    """Members of an ensemble with many constraints are followed alone, each under the watch."""
    result = derive(coupled(25, "x25*(x0 - 1) = 0"), "nonholonomic")
    members = simulate_ensemble(result, {"x0": [0.0, 1.5], "x25": 0.0, "x0'": 1.0}, 3)
    assert members.status.tolist() == [RANK_LOST, END]
