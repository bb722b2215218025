"""How much may be asked of the lab, and how much a worker may use for it."""

from __future__ import annotations

from typing import Final

WORKERS: Final = 2
"""Processes that derive, decide and search,"""
LOOKERS: Final = 2
"""and that read models as they are typed: where one has to be replaced the other goes on."""
MODEL_BYTES: Final = 60_000
"""The size of a model in the lab,"""
PHRASE_LETTERS: Final = 2_000
"""of a claim, or of an entry that is put into a model,"""
MESSAGE_BYTES: Final = 7 * MODEL_BYTES
"""and of a message, in which a letter may be written by six."""
JOB_SECONDS: Final = 120
"""Seconds of a processor that a job may use in one process; the system ends it there."""
LOOK_SECONDS: Final = 3
"""The same for a look at what is typed."""
MEMORY: Final = 3 << 30
"""Bytes that a process may ask for."""
JOBS_OF_A_WORKER: Final = 40
"""After so many jobs a worker is replaced, so that nothing adds up,"""
LOOKS_OF_A_WORKER: Final = 20_000
"""and after so many looks."""
MOST_WAITING: Final = 30
"""Jobs that may wait for a worker,"""
MOST_OPEN: Final = 40
"""and pages that may be open at once."""
PAGES_KEPT: Final = 3
"""Pages of results that are kept for an open page."""
