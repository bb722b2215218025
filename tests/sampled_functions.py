"""Event functions whose zeros are known, with nothing that bounds could be made of: sampled as plain callables."""

import numpy as np
from event_functions import END, T, X, known

from dalembert.numerics.field import Tape
from dalembert.numerics.roots import CROSSING, TOUCH
from dalembert.numerics.sampling import Course, sampled

MOTIONS = {"time": lambda t: t, "free": lambda t: t / 4 - 1, "oscillator": np.cos}


def followed(value, allowance, ends):
    """Return what samples find on steps of a function of time: kinds and times, and how often they looked."""
    before, found, looks = None, [], 0
    for begin, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):

        def along(parts, t=begin, h=end - begin):
            return np.array([value(t + part * h) for part in parts.tolist()])

        def allowed(part, t=begin, h=end - begin):
            return allowance(t + part * h)

        step = sampled(Course(along, allowed, begin / (end - begin)), before)
        before, looks = step.end, looks + step.looks
        found += [(root.kind, begin + root.part * (end - begin)) for root in step.roots]
    return found, looks


def callable_of(seed):
    """Return a known function, its values by time, and what an error of 1e-13 changes them by."""
    one = known(seed)
    tape, motion = Tape([one.expression], [T, X]), MOTIONS[one.motion]

    def value(t, error=0.0):
        return tape([t, float(motion(t)) + error])[0]

    def allowance(t):
        return abs(value(t, 1e-13 * (1 + abs(motion(t)))) - value(t))

    return one, value, allowance


def outcome(seed, steps=20):
    """Return a known function, the crossings and the touches that samples find, and how many eight places show."""
    one, value, allowance = callable_of(seed)
    found, _ = followed(value, allowance, np.linspace(0, END, steps + 1))
    signs = np.sign([value(t) for t in np.linspace(0, END, 8 * steps + 1).tolist()])
    plain = int(np.count_nonzero(np.diff(signs[signs != 0])))
    return one, [t for kind, t in found if kind == CROSSING], [t for kind, t in found if kind == TOUCH], plain
