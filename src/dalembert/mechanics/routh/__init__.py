"""Routh's procedure for any symmetry group and any regular Lagrangian (Crampin, Mestdag 2008).

============  =======================  =====================================================================
section       file                     what
============  =======================  =====================================================================
..            ``formalism``            the record of the formalism, with its theorems
I to III, VI  ``routh``                the formalism ``routh``: check, derive
III           ``hypotheses``           a regular, invariant L, a free action, g_ab non-singular, mu attained
II, VI        ``adapted_coordinates``  coordinates (x^i, theta^A, theta^alpha) by the group and G_mu
II, III       ``frame``                the standard basis {X_i, E~_a}, quasi-velocities, momenta, Routhian
III           ``level_set``            the level set N_mu of momentum and the barred fields tangent to it
II, III       ``identities``           the statements of both sections on the tangent bundle
VI            ``reduced``              the reduced field on N_mu/G_mu; the same in the moving frame
VI            ``moving_frame``         the equations by l(x, x', w) and the momentum seen from the frame
VI            ``coadjoint_orbit``      the momentum seen from the frame in the place of coordinates of G_mu
VI            ``cocycle``              L invariant up to total derivatives: G_mu of the affine action on momenta
VI            ``on_section``           N_mu/G_mu embedded, for affine actions: a section, Pi on the orbit of mu
VIII.A        ``wong_equations``       Wong's equations
IV to VII     ``reconstruction``       from the reduced motion back to the whole
III, VI       ``without_charts``       the same with rotations
============  =======================  =====================================================================

Examples of the paper (VIII) are systems of the gallery.
"""

from dalembert._front import front

__getattr__, __dir__ = front(__name__)
