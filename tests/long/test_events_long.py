"""A thousand event functions with known zeros, watched by the native engine: none missed, none made up."""

import numpy as np
import pytest
from event_functions import END, KINDS, known, near

from dalembert.numerics.engines import integrate
from dalembert.numerics.problem import Event, Problem

pytestmark = pytest.mark.long


@pytest.mark.parametrize("first", range(0, 1000, 50))
def test_a_thousand_event_functions(first):
    drawn = [known(seed) for seed in range(first, first + 50)]
    for name, (equations, start, _) in KINDS.items():
        some = [one for one in drawn if one.motion == name]
        events = tuple(
            Event(f"{k}{word}", one.expression, way)
            for k, one in enumerate(some)
            for word, way in (("", 0), (" up", 1), (" down", -1))
        )
        motion = integrate(Problem(equations, np.array(start), (0.0, END), np.zeros(0), tolerance=1e-14, events=events))
        for k, one in enumerate(some):
            either, ups, downs = motion.event_times[3 * k : 3 * k + 3]
            assert near(either, one.times), (first, name, k)
            assert near(sorted([*ups, *downs]), one.simple), (first, name, k)
