"""Second-order fields on a constraint manifold (Sarlet, Cantrijn, Saunders 1995), with or without a Lagrangian.

=======  ====================  ================================================================================
section  file                  what
=======  ====================  ================================================================================
2        ``field``             the field Gamma, its frame and dual frame, curvature and connection coefficients
2        ``changes``           admissible changes of coordinates, and what they do to the geometry
2, 3     ``tensors``           the tensors of a field as endomorphisms of its chart; the geometry in the JSON
3        ``calculus_along``    covariant derivative and Jacobi endomorphism along the projection to E
2, 3     ``identities``        what holds for every field, decided for a given one
Douglas  ``multipliers``       Helmholtz' conditions on multipliers, pointwise and completed to involution
BFM      ``free_lagrangians``  Lagrangians without constraints of constrained motions; associated systems
Douglas  ``inverse_problem``   Lagrangians of equations (Helmholtz, Douglas 1941); associated systems
4, 5     ``search``            symmetries, adjoint symmetries, first integrals, alternative Lagrangians
=======  ====================  ================================================================================
"""

from dalembert._front import front

__getattr__, __dir__ = front(__name__)
