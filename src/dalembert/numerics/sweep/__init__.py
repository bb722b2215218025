"""Sweeps: many motions over values of parameters and starts, kept in a store that a sweep can go on with."""
