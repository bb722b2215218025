"""Constraints on positions that a group moves among each other: loops that float, and close in directions of space."""

from dataclasses import replace
from math import pi

import pytest

from dalembert import System, claims, derive, simulate
from dalembert.analysis.fields import meetings
from dalembert.errors import HypothesisError

LOOP = System.of(
    name="four links in a loop", coordinates=dict.fromkeys("abcd", "angle"), parameters={"k": 0.5},
    lagrangian="(a'^2 + 2*b'^2 + 3*c'^2 + d'^2)/2 + a'*b'*cos(a - b)/4 + k*cos(a - b)",
    holonomic={"across": "10*cos(a) + 12*cos(b) + 9*cos(c) + 11*cos(d) = 0",
               "up": "10*sin(a) + 12*sin(b) + 9*sin(c) + 11*sin(d) = 0"},
    symmetry={"turn": dict.fromkeys("abcd", 1)},
    start={"a": 0.3, "b": 1.5, "near.c": 3.4, "near.d": 4.8, "a'": 0.5, "b'": -0.3}, run={"time": 1},
)  # fmt: skip


def test_a_loop_that_floats_is_reduced_by_its_turns():
    """Together both constraints keep where the loop is closed; each alone is moved, and the turn was left out."""
    found = derive(LOOP, "reduced")
    assert [v.data.label for v in found.equations.state] == ["b_base", "c_base", "d_base", "xi_1", "b_base'"]
    told = {claim.name: claim for claim in claims(found)}
    assert [name for name, claim in told.items() if claim.failed] == []
    assert told["positions on Q/G"].verdict.holds
    assert told["horizontal symmetry turn"].verdict.holds
    derived = {name: derive(LOOP, name).equations for name in ("nonholonomic", "reduced")}
    [claim] = meetings(LOOP, derived)
    assert claim.verdict.holds is True
    right = derived["reduced"]
    wrong = replace(right, force=(right.force[0] + right.velocities[1], *right.force[1:]))
    [claim] = meetings(LOOP, derived | {"reduced": wrong})
    assert claim.verdict.holds is not True


@pytest.mark.thorough
def test_a_loop_that_floats_moves_as_it_does_unreduced():
    part, whole = (simulate(derive(LOOP, name), tolerance=1e-11) for name in ("reduced", "nonholonomic"))
    assert all(abs(part.at(1.0)[q] - whole.at(1.0)[q]) < 1e-9 for q in "abcd")


@pytest.mark.parametrize("guesses", [(3.4, 4.8), (5.0, 3.6), (3.4 + 2 * pi, 4.8), (5.0 - 4 * pi, 3.6 + 2 * pi)])
def test_a_start_is_assembled_at_its_guesses_in_every_form(guesses):
    """In relative angles the search began elsewhere, and ended on the other branch, or whole turns away."""
    start = {"a": 0.3, "b": 1.5, "near.c": guesses[0], "near.d": guesses[1], "a'": 0.5}
    whole = simulate(derive(LOOP, "nonholonomic"), start, 0)
    reduced = derive(LOOP, "reduced")
    for form in (None, "frame", "saddle"):
        run = simulate(reduced, start, 0, form=form)
        assert all(abs(run.at(0.0)[q] - whole.at(0.0)[q]) < 1e-9 for q in "abcd"), form


def test_a_constraint_that_leaves_the_others_behind_is_not_kept():
    """One direction alone is turned into another, in which nothing closes."""
    half = LOOP.but(holonomic={"across": "10*cos(a) + 12*cos(b) + 9*cos(c) + 11*cos(d) = 0"}, start=None)
    with pytest.raises(HypothesisError, match="the constraint across is not invariant under it"):
        derive(half, "reduced")
