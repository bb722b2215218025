"""Routh's procedure with rotations: momenta are held fixed in angular velocities, and nothing needs a chart.

============  ===============  ===============================================================================
section       file             what
============  ===============  ===============================================================================
II            ``base``         velocities of Q/G, by functions that no generator moves, and their horizontal lifts
III, VI       ``level_set``    N_mu: the velocities along the group by the others, the Routhian, the equations
VI            ``orbit``        N_mu/G_mu at every momentum: what bodies see of mu, on its coadjoint orbit
VI            ``derived``      what the formalism returns: the motion, its objects
..            ``rows``         its theorems
============  ===============  ===============================================================================
"""
