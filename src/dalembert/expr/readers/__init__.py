"""Readers: what an expression is worth in a given arithmetic. Each plugs into :func:`dalembert.expr.walk.evaluate`."""

from dalembert._front import front

__getattr__, __dir__ = front(__name__)
