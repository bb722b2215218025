"""Nonholonomic reduction of systems with rotations, without charts.

==============  ==============================================================================
file            what
==============  ==============================================================================
``hypotheses``  the statement, velocities that are allowed, generators that are symmetries
``derived``     quasi-velocities and functions on Q/G that nothing moves, motion, momenta, rows
==============  ==============================================================================
"""
