"""Lie algebras, actions of groups on charts, what they leave invariant, and ready groups."""

from dalembert._front import front

__getattr__, __dir__ = front(__name__)
