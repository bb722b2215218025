"""Searches of a second-order field (Sarlet, Cantrijn, Saunders 1995): linear equations for unknown constants.

=======  ===========================  =============================================================================
section  file                         what
=======  ===========================  =============================================================================
4        ``linear_search``            the one search behind the next two files: an ansatz and determining equations
4        ``symmetries``               symmetries modulo the field, and adjoint symmetries
4        ``first_integrals``          first integrals, given or searched for
5        ``alternative_lagrangians``  adjoint symmetries that come from a function: integrals and Lagrangians
=======  ===========================  =============================================================================
"""
