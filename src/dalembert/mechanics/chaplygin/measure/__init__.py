"""Invariant measures of the reduced motion (Cantrijn, Cortes, de Leon, Martin de Diego 2002, section 7).

=======  ===================  ===============================================================
section  file                 what
=======  ===================  ===============================================================
7.1      ``divergence_form``  the 1-form beta: closed or not, its periods, its potential
7.1      ``density``          densities of a reduced system; the JSON
7        ``in_speeds``        the density in stated speeds
..       ``integrals_above``  integrals of the full motion that are functions on the reduced space
7        ``integrability``    integrals, and one more by the last multiplier, for 7.1 and 7.6
7        ``theorems``         Theorems 7.1, 7.3, 7.5, Proposition 7.2, Remark 7.4, decided
=======  ===================  ===============================================================
"""
