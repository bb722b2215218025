"""W. Sarlet, F. Cantrijn, D. J. Saunders: non-holonomic Lagrangian systems, formula by formula."""
