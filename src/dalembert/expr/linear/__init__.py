"""Exact linear algebra: small systems over their field, case splits on parameters, relations with constant factors."""

from dalembert._front import front

__getattr__, __dir__ = front(__name__)
