"""The verbs: one theorem, one file. Each exports ``check``, ``derive`` and ``CITES``."""
