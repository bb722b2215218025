"""Lagrangian mechanics without constraints, of any order.

===================  ====================  ========================================================================
place                file                  what
===================  ====================  ========================================================================
..                   ``formalism``         the record of the formalism, with its theorems
Euler, Lagrange      ``euler_lagrange``    the formalism ``euler-lagrange``: equations of any regular Lagrangian
Hamilton             ``hamilton``          the Legendre transformation and Hamilton's equations
Noether              ``noether``           the momentum of a generator, and whether it is conserved
Crampin-Mestdag VII  ``momentum_map``      momentum map, locked inertia, mechanical connection, amended potential
Riemann              ``kinetic_metric``    curvature of the kinetic metric, and the connection of linear constraints
Koszul               ``kinetic_in_frame``  the same of bodies in space, in the frame of their velocities
Crampin-Mestdag III  ``regularity``        whether the Hessian is regular, and where it fails to be
..                   ``definite``          a kinetic energy that is a sum of squares: regular without a determinant
Hamel                ``speeds``            equations in speeds that are stated, which are quasi-velocities
Hamel                ``restated``          equations of any formalism, said anew in stated speeds
Hamel                ``tangent_frame``     velocities of rotations and directions, and Hamel's equations in them
Hamel                ``tangent_speeds``    quasi-velocities of such systems
..                   ``seen_from_body``    relative attitudes, directions and positions in the axes of a body
..                   ``seen_inverted``     the same of bodies that are turned about axes of their own, by their inverses
..                   ``shifted_together``  coordinates that a group shifts together, by their differences
..                   ``seen_aligned``      bodies that one generator turns on different sides, so that it does not
..                   ``turned_together``   what a group turns alike, and the body, angle or axes from which it is seen
..                   ``body_axes``         axes from which things are seen: how they stand, and how fast they turn
..                   ``made_axes``         axes that are made of directions, positions and axes of spinning bodies
Lagrange             ``on_spheres``        their Euler-Lagrange equations: unit lengths are kept
CCLM 2 (1), 3 (2)    ``multipliers``       Lagrange's multipliers and reaction forces: a second derivation
..                   ``lifted_motion``     accelerations without a mass matrix: the recursion of a chain, found in L
..                   ``linear_terms``      terms linear in the velocities as forces: symmetries up to derivatives
..                   ``lifted_order``      the order of its elimination, which keeps it sparse and its pivots safe
..                   ``lifted_rates``      rates by it: in coordinates, speeds, with rotations, and in saddle form
Garcia-Rodrigo 1     ``jets``              momenta, Euler operators and energy of Lagrangians of any order
===================  ====================  ========================================================================
"""

from dalembert._front import front

__getattr__, __dir__ = front(__name__)
