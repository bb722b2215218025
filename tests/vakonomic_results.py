"""Vakonomic results of gallery systems, derived once for all tests, with the time that it took."""

from __future__ import annotations

import time
from functools import cache

from dalembert import gallery
from dalembert.mechanics.vakonomic import Vakonomic, derive


@cache
def timed(name: str) -> tuple[Vakonomic, float]:
    began = time.process_time()
    result = derive(gallery.load(name))
    return result, time.process_time() - began


def derived(name: str) -> Vakonomic:
    return timed(name)[0]
