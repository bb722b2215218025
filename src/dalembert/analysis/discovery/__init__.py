"""What nobody stated: symmetries and first integrals of a system, found and decided."""
