"""Controllability, decided: of linear parts, without drift, with drift, and of mechanical systems from rest.

======================  ================================================================
file                    what
======================  ================================================================
``control_system``      x' = f_0(x) + u^i f_i(x) of what a formalism derived, at a point
``formal_brackets``     brackets of letters, one of each kind (Lyndon words), as fields
``spans``               what vectors span at a point, one after the other
``chow``                without drift: the rank condition is enough
``sussmann``            with drift: bad brackets have to be made up for
``symmetric_products``  mechanical systems from rest (Lewis and Murray)
``controllability``     all of it
======================  ================================================================
"""
