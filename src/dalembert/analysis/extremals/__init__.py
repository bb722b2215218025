"""Vakonomic motions as extremals of the action: how long one is a minimum, and where all of them lead.

====================  ========================================================================
file                  what
====================  ========================================================================
``conjugate_points``  Jacobi fields, conjugate points, the index of the second variation
``families``          the exponential map: all extremals of one kinetic energy from a point
``meetings``          Maxwell times: when two of them that are as long meet
``wave_fronts``       where all of them are after a time; spheres and cut loci
====================  ========================================================================
"""

from dalembert._front import front

__getattr__, __dir__ = front(__name__)
