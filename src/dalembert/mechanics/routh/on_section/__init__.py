"""Routh's procedure for affine actions, by a section through the orbits: N_mu/G_mu is embedded, at every mu.

============  ============  ===================================================================================
section       file          what
============  ============  ===================================================================================
II            ``section``   coordinates held at 0 or 1 so that every orbit near by is met once: the others are Q/G
III, VI       ``derived``   the motion of (x, Pi, x'), with Pi on the coadjoint orbit of mu; the group as matrices
..            ``start``     the group element that brings a start to the section
..            ``atlas``     sections through every point at which the action is free, for motions that leave one
..            ``rows``      its theorems
============  ============  ===================================================================================
"""
