"""The linear part of the bicycle at 100 speeds, in seconds of CPU, with SymPy's linearizer beside it in the same run.

``python bench/steady.py`` prints the numbers. SymPy's part is the bicycle of its own tests: Kane's equations, its
linearizer, and A at six speeds; it takes minutes, and ``--alone`` leaves it out. Status 1 says that published
eigenvalues are not met to 1e-11.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from dalembert import derive, gallery, second_order_form, steady

SPEEDS = np.linspace(0.0, 10.0, 100)
KNOWN = (-14.07838969279822, -0.32286642900409, -0.77534188219585 + 4.46486771378823j)
"""At 5 m/s (Meijaard, Papadopoulos, Ruina and Schwab, 2007)."""


class Clock:
    """CPU time between calls."""

    def __init__(self) -> None:
        """Begin now."""
        self.last = time.process_time()

    def say(self, words: str) -> None:
        """Print the time since the last call."""
        now = time.process_time()
        print(f"{now - self.last:9.3f} s  {words}", flush=True)
        self.last = time.process_time()


def main() -> int:
    """Print the table; say whether it has the eigenvalues that were published."""
    clock = Clock()
    bicycle = derive(gallery.load("bicycle"), "nonholonomic")
    clock.say("derive")
    form = second_order_form(bicycle, label="v", at={"phi": 0})
    clock.say("M, C and K in closed form")
    form.eigenvalues(SPEEDS.tolist())
    clock.say("eigenvalues at 100 speeds by M, C and K")
    steady(bicycle, at={"phi": 0}, over=("v", [1.0]), exact=False)
    clock.say("steady, prepared and at one speed")
    found = steady(bicycle, at={"phi": 0}, over=("v", SPEEDS.tolist()), exact=False)
    clock.say("steady at 100 speeds, each found, with A, modes and thresholds")
    at_five = form.eigenvalues([5.0])[0]
    worst = max(float(np.abs(at_five - value).min()) for value in KNOWN)
    print(f"published eigenvalues at 5 m/s are met to {worst:.1e}; thresholds {[t.value for t in found.thresholds]}")
    if "--alone" not in sys.argv:
        from sympy.physics.mechanics.tests.test_kane3 import test_bicycle

        clock.say("(SymPy imported)")
        test_bicycle()
        clock.say("SymPy: Kane's equations, linearizer, A at 6 speeds")
    return 0 if worst < 1e-11 else 1


if __name__ == "__main__":
    sys.exit(main())
