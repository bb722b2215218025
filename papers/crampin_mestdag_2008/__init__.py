"""M. Crampin, T. Mestdag: Routh's procedure for non-Abelian symmetry groups, formula by formula."""
