"""Reconstruction after Routh's reduction (Crampin, Mestdag 2008).

=========  ==================  ======================================================================
section    file                what
=========  ==================  ======================================================================
IV, V      ``level``           a level set N_mu inside the tangent bundle: the fields that span it
V          ``connections``     the connections on N_mu: mechanical, vertical lift, orthogonal
VI         ``decomposition``   the field on N_mu taken apart: horizontal lift and the part along G_mu
VII        ``simple_systems``  L = T - V: locked inertia, amended potential, omega^mu
V, VI      ``identities``      what is claimed of the connections, decided on N_mu
..         ``sample_points``   points of N_mu, at which functions are restricted to it
IV to VII  ``summary``         objects, claims and equations by name
=========  ==================  ======================================================================
"""
