"""Connections: Ehresmann's (constraints are such), principal and affine ones."""

from dalembert._front import front

__getattr__, __dir__ = front(__name__)
