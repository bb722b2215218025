"""Steady motions (relative equilibria) of every formalism: found, linearised modulo the symmetry, stability decided.

================================  ==========================================================================="""
