"""G. W. Patrick: the semi-symplectic geometry of nonholonomic mechanics, formula by formula."""
