"""Motion under constraints by the principle of Lagrange and d'Alembert.

SCS is Sarlet, Cantrijn and Saunders (1995), CCLM Cantrijn, Cortes, de Leon and Martin de Diego (2002).

==========  ========================  ==============================================================================
section     file                      what
==========  ========================  ==============================================================================
..          ``formalism``             the record of the formalism, with its theorems
..          ``lagrange_dalembert``    the formalism ``nonholonomic``: it chooses one of the three files that follow
SCS 1       ``linear_constraints``    linear and affine constraints: connection, curvature, constrained Lagrangian
Patrick 6   ``general_constraints``   constraints of any kind, any virtual displacements; Definition 6.1, Theorem 6.1
Patrick 6   ``constrained_motion``    the motion on C, by one derivation for all kinds of constraints; theorems on it
SCS 2       ``given_equations``       motion that is stated by ``[equations]``
Patrick 6   ``constraint_manifold``   the constraint manifold C by independent velocities or by stated speeds
..          ``adapted_motion``        the motion alone, in a frame adapted to the constraints
..          ``certified_motion``      the motion in a frame that fails only where the constraints lose rank
Hamel       ``on_spheres``            motion of rotations and directions, without charts
..          ``positions_on_spheres``  what brings these back to unit length and to constraints on positions
..          ``saddle_point_form``     all velocities and all constraints kept, also such as repeat others
CCLM 3      ``projection``            the motion as a projection of the free field
SCS 5       ``fundamental_form``      the motion from the fundamental 2-form
Patrick 2   ``integrable_part``       how many of the constraints are integrable, and what they keep constant
..          ``kinetic_curvature``     curvature of the kinetic metric and of the nonholonomic connection, when asked for
SCS 7       ``other_fibration``       the same motion with other coordinates dependent, and how its geometry changes
SCS 4, 5    ``symmetry_search``       integrals, symmetries and Lagrangians that a quick search finds of a motion
==========  ========================  ==============================================================================
"""

from dalembert._front import front

__getattr__, __dir__ = front(__name__)
