"""Geometry on charts: fields, forms, tensors, frames, distributions, connections, flows.

==================  ===========================================================================================
file                what
==================  ===========================================================================================
``fields``          charts, functions on them, vector fields and their brackets
``forms``           differential forms: wedge, d, interior product, Lie derivative, pull-back
``tensors``         fields of endomorphisms, their Lie derivatives and Nijenhuis tensors
``tangent_bundle``  lifts of fields, the vertical endomorphism, the Cartan forms and the energy of a Lagrangian
``frames``          moving frames, quasi-velocities, structure functions, Hamel's equations
``adapted_frames``  frames of the directions that constraints allow, with a certificate of their rank
``distributions``   subspaces of each tangent space: sums, intersections, splittings, involutivity (Frobenius)
``growth``          brackets of a distribution again and again, and the dimensions they reach
``integrals``       functions that constraints on velocities keep constant
``connections``     Ehresmann, principal and affine connections
``groups``          Lie algebras, actions, invariant fields, isotropy of a momentum, ready groups
``potentials``      closed 1-forms as differentials, by elementary functions
``flows``           flows in closed form
``straighten``      coordinates in which a field is straight
``embedded``        manifolds without charts: functions with relations, tangent fields, forms on them
``quaternions``     rotations by unit quaternions, as expressions
``rotations``       rotations as numbers: quaternions, matrices, axis and angle, Euler and Cardan angles
``turns``           fields on unit quaternions as turns about axes of space and of the body
``constants``       linear combinations with constant coefficients
==================  ===========================================================================================
"""

from dalembert._front import front

__getattr__, __dir__ = front(__name__)
