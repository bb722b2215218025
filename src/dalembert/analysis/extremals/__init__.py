"""Vakonomic motions as extremals of the action: how long one is a minimum, and where all of them lead.

====================  ========================================================================
file                  what
====================  ========================================================================
``conjugate_points``  Jacobi fields, conjugate points, the index of the second variation
``wave_fronts``       the exponential map, wave fronts, Maxwell times
====================  ========================================================================
"""

from dalembert._front import front

__getattr__, __dir__ = front(__name__)
