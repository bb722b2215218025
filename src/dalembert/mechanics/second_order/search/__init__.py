"""Searches of a second-order field (Sarlet, Cantrijn, Saunders 1995): linear equations for unknown constants.

=======  ===========================  =======================================================================
section  file                         what
=======  ===========================  =======================================================================
..       ``ansatz``                   functions with unknown constants, and the exact solution for these
4        ``determining``              what both searches for symmetries share
4        ``symmetries``               symmetries modulo the field
4        ``adjoint_symmetries``       adjoint symmetries
4        ``first_integrals``          first integrals, given or searched for
5        ``alternative_lagrangians``  adjoint symmetries that come from a function: integrals and Lagrangians
=======  ===========================  =======================================================================
"""
