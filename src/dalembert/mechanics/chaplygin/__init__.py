"""Generalized Chaplygin systems (Cantrijn, Cortes, de Leon, Martin de Diego 2002): G complements the constraints.

==============  ===================  ==========================================================================
section         file                 what
==============  ===================  ==========================================================================
..              ``formalism``        the record of the formalism: its theorems, its laws
2, 3, 6         ``chaplygin``        the formalism ``chaplygin``: check, derive
2, 3.1, 3.2     ``theorems``         what is true of the motion, its energy and the connection; Proposition 3.5
2               ``hypotheses``       whether D is the horizontal distribution of a principal connection
2, 3.1          ``reduction``        the record on M = Q/G: reduced Lagrangian, connection gamma, curvature
3.1             ``in_frame``         the same where no coordinates on Q/G are known: all stays in a frame on Q
2, 3, 7         ``without_charts``   the same with rotations: Q/G by spheres, rotations and numbers, and their measures
3.1, 5          ``local_data``       a system by l(r, r', xi), Gamma^i_a(r) and c^i_jk; the examples of 5
3.1 (5) to (8)  ``gyroscopic``       alpha by three derivations; Upsilon on D over TM; Propositions 3.1, 3.4
4, 6, appendix  ``connections``      affine connections: nonholonomic, reduced, Hamel's
7               ``measure``          invariant measures: Theorems 7.1, 7.3, 7.5
7               ``hamiltonisation``  the reduced field, conformal symplecticity, Stanchenko's condition, new time
..              ``rows``             rows of theorems that say that something vanishes
==============  ===================  ==========================================================================
"""

from dalembert._front import front

__getattr__, __dir__ = front(__name__)
