"""Laws with their wrong twins, and strategies for Hypothesis: for systems, formalisms and readers of one's own."""

from dalembert._front import front

__getattr__, __dir__ = front(__name__)
