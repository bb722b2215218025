"""Readers: what an expression is worth in a given arithmetic. Each plugs into :func:`dalembert.expr.walk.evaluate`."""

from dalembert.expr.readers.balls import Balls
from dalembert.expr.readers.floats import Floats
from dalembert.expr.readers.rationals import Rationals

__all__ = ["Balls", "Floats", "Rationals"]
