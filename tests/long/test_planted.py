"""A hundred systems with a planted integral, disguised: all are found, and nothing is claimed falsely."""

import pytest
from planted_systems import KINDS, LARGE, holds, planted


@pytest.mark.parametrize("seed", range(len(KINDS), 100 + len(KINDS)))
def test_what_is_planted_is_found(seed):
    assert holds(planted(seed))


@pytest.mark.parametrize("seed", range(20))
def test_what_is_planted_in_several_angles_is_found(seed):
    assert holds(planted(seed, LARGE))
