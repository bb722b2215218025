"""Reconstruction after Routh's reduction (Crampin, Mestdag 2008).

=========  ==================  ==================================================================================
section    file                what
=========  ==================  ==================================================================================
IV, V      ``connections``     N_mu in the tangent bundle; its connections: mechanical, vertical lift, orthogonal
V, VI      ``decomposition``   the field on N_mu taken apart: lift and part along G_mu; what the paper claims
VII        ``simple_systems``  L = T - V: locked inertia, amended potential, omega^mu
..         ``sample_points``   points of N_mu, at which functions are restricted to it
IV to VII  ``summary``         objects, claims and equations by name
=========  ==================  ==================================================================================
"""
