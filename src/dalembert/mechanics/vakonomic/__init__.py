"""Vakonomic mechanics: critical curves among those that obey the constraints (Garcia, Rodrigo 2004).

=============  =========================  ====================================================================
section        file                       what
=============  =========================  ====================================================================
..             ``formalism``              the record of the formalism, with its theorems
2              ``vakonomic``              the formalism ``vakonomic``: check, derive
1              ``densities``              Euler operators, Cartan forms, first variation; Patrick, Theorem 3.1
2 (8) to (12)  ``projector``              the Main Hypothesis, N_a, the projector P; Theorem 2.1, Remark 1
2              ``formulations``           the forms of the equations agree; Theorem 2.2, Remark 2
2              ``abnormal_extremals``     whether a curve is abnormal; Goh's and Legendre's conditions on it
2              ``legendre_condition``     whether a quadratic form along a curve keeps one sign
2              ``legendre_of_several``    whether one of several does, where Goh's condition leaves several multipliers
..             ``abnormal_fields``        the abnormal extremals of distributions of rank 2, found
2, 2 (7)       ``restricted_variations``  curves that are critical for a bundle of variations; Definition 2
3              ``noether``                symmetries and their momenta; Definitions 3, 4, Theorem 3.1
3              ``symmetry_algebra``       the Lie algebra of the symmetries, equivariance of the momenta, Casimirs
..             ``left_invariant``         Lie-Poisson reduction where a group acts simply transitively
..             ``on_algebra``             problems that are stated on a Lie algebra
..             ``costate_form``           costates, unknowns and the flow, with or without charts
..             ``hamiltonian``            the Hamiltonian form: Ostrogradsky on the prolonged constraint
..             ``initial_data``           initial data in the user's terms
2, 3           ``without_charts``         all of it with rotations, in angular velocities and their momenta
=============  =========================  ====================================================================
"""

from dalembert._front import front

__getattr__, __dir__ = front(__name__)
