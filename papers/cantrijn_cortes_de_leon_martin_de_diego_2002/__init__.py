"""F. Cantrijn, J. Cortes, M. de Leon, D. Martin de Diego: generalized Chaplygin systems, formula by formula."""
