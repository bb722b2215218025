"""The main jobs on a whole system: every formalism in one report, and one claim in all formalisms."""

from dalembert._front import front

__getattr__, __dir__ = front(__name__)
