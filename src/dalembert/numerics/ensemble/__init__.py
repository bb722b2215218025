"""Thousands of starts and values of parameters at once, in SIMD lanes over all cores.

``layout`` and ``stepping`` take the step of ``dop853`` for several members side by side, each with its own
length; ``compiled`` runs it on threads; ``starts`` finds all the states to begin with; ``simulate`` is the face.
"""

from dalembert.numerics.ensemble.record import Ensemble
from dalembert.numerics.ensemble.simulate import simulate_ensemble

__all__ = ["Ensemble", "simulate_ensemble"]
