"""Lie algebras, actions of groups on charts, what they leave invariant, and ready groups.

=====================  =========================================================================
file                   what
=====================  =========================================================================
``algebra``            Lie algebras by their structure constants; adjoint and coadjoint matrices
``names``              what a Lie algebra is called, found by its invariants
``levi``               Levi's decomposition: the radical and a semisimple subalgebra
``named_bases``        the basis that has the brackets of an algebra's name
``actions``            actions by their generators: freeness, orbits, what they leave as it is
``affine_action``      actions by affine maps, and the group element as matrices
``casimirs``           functions that are constant on coadjoint orbits
``invariant_frame``    fields that commute with all generators of a free action
``isotropy_algebra``   the isotropy algebra of a momentum, and a basis adapted to it
``lie_group``          a group in coordinates: matrices, fields on both sides, multiplication
``standard_groups``    R^n, SO(2), SE(2), SO(3), SE(3), unit quaternions, Heisenberg
``standard_algebras``  so(n), se(n), sl(2), heisenberg, R^n by their names
``second_kind``        coordinates g = exp(s1 e1) ... exp(sk ek), and velocities in them
``matrices``           small matrices of exact constants
=====================  =========================================================================
"""

from dalembert._front import front

__getattr__, __dir__ = front(__name__)
