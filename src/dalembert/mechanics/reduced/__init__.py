"""Nonholonomic reduction by a symmetry group (Bloch, Krishnaprasad, Marsden, Murray 1996; Patrick 2007, section 5.1).

===========================  ======================  ===================================================================
section                      file                    what
===========================  ======================  ===================================================================
BKMM 2; Patrick 5.1          ``invariance``          the generators that keep Lagrangian, constraints and forces
BKMM 3.1                     ``body_velocities``     q' = r'^a d_a + xi^i E^_i in invariant fields; l, forces
BKMM 2, 3.1                  ``positions``           constraints on positions by functions on Q/G
BKMM 3, 4; Hamel             ``algebroid``           what is left of a system without its group: l and brackets
BKMM 4, 5                    ``allowed_velocities``  S = D cap V and lifts of base velocities; constraints of any kind
BKMM 4, 6; Hamel             ``motion``              equations for the velocities allowed, momentum equation
BKMM 5, 6, 7                 ``reduced``             shape equations, momentum equation, reconstruction
BKMM 2, 3                    ``saddle_form``         all velocities of TQ/G and all constraints kept
BKMM 2                       ``by_less``             the same motion by a smaller group, where the larger is not free
Routh; BKMM 4                ``level_set``           momenta of horizontal symmetries put in
Euler, Poincare; Suslov      ``on_algebra``          the same from l(xi, a) on a Lie algebra; Lie-Poisson brackets
BKMM 4 to 6                  ``without_charts``      the same with rotations
..                           ``powers``              short formulas of what is quadratic in velocities
..                           ``theorems``            the unreduced motion again, energy, momenta that are conserved
..                           ``formalism``           the formalism ``reduced``: its record and its theorems
===========================  ======================  ===================================================================
"""

from dalembert._front import front

__getattr__, __dir__ = front(__name__)
