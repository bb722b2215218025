"""P. L. Garcia, C. Rodrigo: the momentum map in vakonomic mechanics, formula by formula."""
