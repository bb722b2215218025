"""Constrained systems with rotations and directions as semi-symplectic ones: everything in frames, without charts.

========  ====================  =========================================================================
section   file                  what
========  ====================  =========================================================================
4.3, 6    ``phase_space``       C by entries, coordinates and speeds; omega_L and K there; the motion
6         ``bent_phase_space``  the same beside nonlinear constraints, by all velocities
4.3, 5    ``derived``           what the formalism returns, and its objects
5.1       ``symmetry``          generators on C, their momenta
5.2       ``reduction``         C/G by rows of rotations and speeds, and the bracket on it
5.2       ``seen``              C in velocities that the group leaves alone, as bodies see it
5         ``subsystems``        submanifolds of C by equations, Theorem 5.2
..        ``rows``              its theorems
========  ====================  =========================================================================
"""
