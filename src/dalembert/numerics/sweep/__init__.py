"""Sweeps: many motions over values of parameters and starts, kept in a store that a sweep can go on with.

===============  ====================================================
file             what
===============  ====================================================
``axes``         what is varied: grids, lists, seeded samples
``observables``  what is kept of a motion
``plan``         a sweep before it is run; all numbers follow from it
``chunk``        the members of a chunk, computed
``runner``       a plan carried out, chunk by chunk
``store``        a Zarr group that xarray reads
``chunk_files``  the files of a chunk, written as Zarr would
===============  ====================================================
"""
