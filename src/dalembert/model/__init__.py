"""The nouns: a system stated once, its equations, claims about it, and its motion."""
