"""Where a theorem meets a trajectory: audits, holonomy, relative equilibria, boundary problems, comparisons.

=========================  ===============================================================================
file                       what
=========================  ===============================================================================
``audit``                  what should be constant or vanish along a motion, and how well it does
``constants``              what is constant along motions, decided once for the same functions
``agreement``              the same motion by two engines or two formalisms, as numbers
``fields``                 accelerations by two derivations, compared exactly at every state
``motions``                what holds along all motions: constant functions, commuting fields, volumes
``own_claims``             a sentence of a user about a system, decided
``facts``                  whether a system is what the table [facts] of its model says
``compare``                nonholonomic against vakonomic: equations, motions, when they coincide
``boundary``               critical curves of vakonomic mechanics between two points, with their cost
``boundary_conditions``    what holds at the ends of a critical curve: given values and natural conditions
``collocation``            boundary problems by Hermite-Simpson collocation and Newton's method
``holonomy``               how far the horizontal lift of a closed loop has moved
``phases``                 geometric and dynamic phase of a reduced motion that comes back
``relative_equilibria``    critical points of the amended potential, and their stability
``amended_search``         the same with numbers in place of parameters
``variational_equations``  the linearised flow: measures it keeps, how far it is from symplectic
``sweep``                  a sweep from a system: derive, follow every member, keep in a store
``extremals``              vakonomic motions: conjugate points, wave fronts, Maxwell times
``steady``                 steady motions of every formalism and their stability
``control``                controllability
``discovery``              symmetries, first integrals and invariant volumes that nobody stated
=========================  ===============================================================================
"""
