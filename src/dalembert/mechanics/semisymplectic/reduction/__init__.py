"""Reduction of semi-symplectic systems by symmetry (Patrick 2007).

=======  ==================  ==============================================================================
section  file                what
=======  ==================  ==============================================================================
5.2      ``data``            reduction data; Definitions 5.6, 5.7
5.2      ``reduced``         the reduced semi-symplectic system
5.2      ``theorems``        the four conditions of Definition 5.7, and what is true of a reduction
5.1      ``principal_case``  constraints that meet the orbits: Hamel's equations in an invariant frame of D
=======  ==================  ==============================================================================
"""
