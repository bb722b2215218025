"""The papers as tests: every displayed formula, what became of it, and the test that shows it."""
