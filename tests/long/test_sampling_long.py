"""A thousand event functions with known zeros, sampled as plain callables and as unknowns of the native engine."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
from event_functions import END, KINDS, T, X, known
from sampled_functions import outcome

from dalembert.expr import symbol
from dalembert.expr.walk import substitute
from dalembert.model.equations import Equations
from dalembert.numerics.engines import integrate
from dalembert.numerics.problem import Event, Problem

pytestmark = pytest.mark.long
Z = symbol("z")


def flat(one):
    """Say whether a function is flat away from its zeros, so that a few samples tell nothing."""
    return one.expression.op == "call"


def test_a_thousand_callables_on_twenty_steps():
    zeros, missed, fixed = {True: 0, False: 0}, {True: 0, False: 0}, 0
    for seed in range(1000):
        one, crossings, touches, plain = outcome(seed)
        assert len(crossings) + len(touches) <= len(one.times), seed
        zeros[flat(one)] += len(one.times)
        missed[flat(one)] += len(one.times) - len(crossings) - len(touches)
        fixed += len(one.times) - min(plain, len(one.times))
    assert missed[False] <= 2
    assert missed[True] < zeros[True] / 20
    assert fixed > sum(zeros.values()) * 3 / 4


@pytest.mark.parametrize("first", range(0, 400, 50))
def test_four_hundred_functions_of_an_implicit_unknown(first):
    zeros, missed = {True: 0, False: 0}, {True: 0, False: 0}
    for name, (equations, start, _) in KINDS.items():
        some = [one for one in map(known, range(first, first + 50)) if one.motion == name]
        words = {X: Z, **({T: Z} if name == "time" else {})}
        events = tuple(Event(str(k), substitute([one.expression], words)[0]) for k, one in enumerate(some))
        hidden = Equations("", "", kinematics=equations.kinematics, implicit={Z: Z + Z**3 - X - X**3})
        begin = (np.array(start), (0.0, END), np.zeros(0), np.array(start[:1]))
        motion = integrate(Problem(hidden, *begin, tolerance=1e-14, events=events))
        for one, times in zip(some, motion.event_times, strict=True):
            assert len(times) <= len(one.times)
            zeros[flat(one)] += len(one.times)
            missed[flat(one)] += len(one.times) - len(times)
    assert missed[False] <= 3  # pairs 1e-9 apart that Newton's method blurs are touches
