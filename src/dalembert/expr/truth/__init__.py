"""Statements decided in exact arithmetic: is it zero, are they equal, what is the rank, does it ever vanish?

Names are loaded when they are first used, for what was decided before needs none of them; ``__init__.pyi`` lists them.
"""

from dalembert._front import front

__getattr__, __dir__ = front(__name__)
