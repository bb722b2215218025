"""Vakonomic results of gallery systems, derived once for all tests, and quickly."""

from __future__ import annotations

from functools import cache

from clock import quickly

from dalembert import gallery
from dalembert.mechanics.vakonomic.vakonomic import Vakonomic, derive

SECONDS = 3.0


@cache
def derived(name: str) -> Vakonomic:
    return quickly(SECONDS, lambda: derive(gallery.load(name)))
