"""Constrained systems as semi-symplectic ones (Patrick 2007).

=========  =========================  ==================================================================================
section    file                       what
=========  =========================  ==================================================================================
4, 5, 6    ``formalism``              the record of the formalism, and what is decided of a system: its theorems
4.3, 5, 6  ``semisymplectic``         the formalism ``semisymplectic``; Theorem 4.1, Definition 6.2; the particle of 5.3
5, 5.1     ``manifold``               semi-symplectic manifolds, brackets, classes of fields; Definitions 5.1, 5.2, 5.4
5          ``almost_poisson``         a bracket and a Hamiltonian that are stated, as a semi-symplectic manifold
2, 5       ``canonical_projection``   the bracket, Propositions 5.1 to 5.4; canonical projection, Facts 1 to 5
5          ``bracket_on_cotangent``   the cotangent side; maps between semi-symplectic manifolds, Proposition 5.1
3          ``restricted_lagrangian``  L o kappa and what it misses
4.1, 5.1   ``generators``             which generators are symmetries, up to total derivatives
4.1, 5.1   ``symmetry``               which generators give momenta, which are conserved; Theorem 5.3
5.1        ``momentum_theorems``      which momenta are conserved, the work on the others, the momentum equation
5.1        ``gauge_momenta``          horizontal gauge momenta; what both results share: Y_E, Z, searches of symmetries
4.2, 5     ``subsystems``             holonomic subsystems, ``[subsystem]``: Prop. 4.1, Theorems 5.1, 5.2, Cor. 5.1
5          ``flat_points``            where Delta_D vanishes, told from where charts and constraints fail
5.2        ``reduction``              reduction by symmetry
4, 5       ``without_charts``         the same with rotations and directions: everything in frames
=========  =========================  ==================================================================================

Elsewhere: Lemmas 2.1 and 2.2 on distributions are in ``geometry/distributions`` and ``geometry/tangent_bundle``, the
first variation (Theorem 3.1) in ``vakonomic/densities``, the motion itself (Theorems 3.2 and 6.1) in ``nonholonomic``.
"""

from dalembert._front import front

__getattr__, __dir__ = front(__name__)
