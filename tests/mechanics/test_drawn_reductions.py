"""Machines that are put together by lot: reduced and reconstructed they have the full field, exactly."""

from __future__ import annotations

from dataclasses import replace

import pytest
from drawn_reductions import FAMILIES, drawn

from dalembert import System, derive
from dalembert.analysis.fields import meetings
from dalembert.model.equations import Equations

SEEDS = 5
OF_THE_GATE = {"satellite 2", "carriage 3"}
CASES = [f"{family} {seed}" for family in FAMILIES for seed in range(SEEDS + 1)]


def _made(case: str) -> tuple[System, str, list[str]]:
    """A system, its full formalism, and those that divide something out."""
    family, seed = case.split()
    system = drawn(family, int(seed))
    held = bool(system.stated_constraints)
    return system, "nonholonomic" if held else "euler-lagrange", ["reduced"] if held else ["reduced", "routh"]


def _agree(system: System, whole: str, full: Equations, name: str, part: Equations) -> bool | None:
    [claim] = meetings(system, {whole: full, name: part})
    return claim.verdict.holds


def _pushed(found: Equations) -> Equations:
    """The same with a push: on a velocity, else on a momentum."""
    if found.force:
        return replace(found, force=(found.force[0] + 1, *found.force[1:]))
    last = list(found.kinematics)[-1]
    return replace(found, kinematics={**found.kinematics, last: found.kinematics[last] + 1})


@pytest.mark.parametrize("case", CASES)
@pytest.mark.thorough(*(case for case in CASES if case not in OF_THE_GATE))
def test_what_is_drawn_is_reduced_and_put_together_again(case: str) -> None:
    system, whole, parts = _made(case)
    full = derive(system, whole).equations
    for name in parts:
        found = derive(system, name).equations
        assert found.reconstruction or name == "routh"
        assert _agree(system, whole, full, name, found) is True, name
        pushed = _pushed(found)
        assert _agree(system, whole, full, name, pushed) is False, name
        if found.reconstruction:
            last = list(found.reconstruction)[-1]
            lost = {**found.reconstruction, last: found.reconstruction[last] + found.state[-1]}
            assert _agree(system, whole, full, name, replace(found, reconstruction=lost)) is not True, name


def test_the_lot_falls_on_groups_of_every_kind() -> None:
    """Machines with and without constraints, forces, rotations and spins, none twice."""
    made = [drawn(*case.split()[:1], int(case.split()[1])) for case in CASES]
    assert len({(str(one.lagrangian), str(one.stated_constraints)) for one in made}) == len(made)
    for kind in (lambda s: s.points, lambda s: s.forces, lambda s: s.stated_constraints, lambda s: len(s.symmetry) > 5):
        assert 3 < len([one for one in made if kind(one)]) < len(made)
