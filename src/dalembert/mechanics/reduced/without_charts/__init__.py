"""Nonholonomic reduction of systems with rotations and directions, without charts.

==================  ==============================================================================
file                what
==================  ==============================================================================
``hypotheses``      the statement, velocities that are allowed, generators that are symmetries
``kept_rows``       constraints that are kept beside all velocities, by functions on Q/G
``between_points``  what is of second degree in a row or column that is left of a rotation
``motion``          quasi-velocities and functions on Q/G that nothing moves, motion, momenta
``derived``         the generators by which it is reduced, and what is decided on the way
==================  ==============================================================================
"""
