"""Thousands of starts and values of parameters at once, in SIMD lanes over all cores.

=============  ==================================================================
file           what
=============  ==================================================================
``simulate``   the face
``members``    what is said of each member
``starts``     all the states to begin with, found together
``layout``     the memory of a thread, and one step of DOP853 in its lanes
``stepping``   the loop of one thread: a lane whose member is done takes the next
``compiled``   equations and method together, run over all cores
``crossings``  events of members in lanes
``near_loss``  members near a loss of rank, or near the end of their variables, leave the lanes
``among_all``  what came of some members, among all
``record``     states, expressions, and how each member ended
=============  ==================================================================
"""

from dalembert.numerics.ensemble.record import Ensemble
from dalembert.numerics.ensemble.simulate import simulate_ensemble

__all__ = ["Ensemble", "simulate_ensemble"]
