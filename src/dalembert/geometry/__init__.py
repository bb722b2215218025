"""Geometry on charts: fields, forms, tensors, frames, distributions, connections, flows. Groups are in ``groups``."""

from dalembert._front import front

__getattr__, __dir__ = front(__name__)
