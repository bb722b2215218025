"""What nobody stated: symmetries and first integrals of a system, found and decided.

====================  =========================================================================
file                  what
====================  =========================================================================
``discover``          all of it, from the statement alone
``point_symmetries``  the symmetry algebra: xi^i d/dq^i + tau d/dt
``first_integrals``   first integrals that are polynomial in the speeds
``densities``         invariant volumes: Gamma(ln rho) + div Gamma = 0
``letters``           the functions that a search is made of: those that occur in the equations
====================  =========================================================================
"""
