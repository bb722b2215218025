"""Chaplygin systems with rotations: Q and Q/G are products of spheres, rotations and numbers, without charts.

==============  ===============  =============================================================================
section         file             what
==============  ===============  =============================================================================
2               ``hypotheses``   Q by a frame; D is the horizontal distribution of a principal connection
2               ``base``         Q/G: rotations, rows of rotations and numbers; functions on it
3.1             ``reduction``    the record on M = Q/G: metric, gyroscopic form, equations, by spanning fields
2, 3, 6         ``derived``      what the formalism returns: the motion, its objects
4, 6            ``connections``  which of Hamel's connections are metric, which coincide
7               ``measure``      invariant measures, Stanchenko's condition, the new time
7               ``integrals``    first integrals that are polynomials in momenta and entries
..              ``rows``         its theorems
==============  ===============  =============================================================================
"""
