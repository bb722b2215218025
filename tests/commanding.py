"""Run the command in this process, as the shell would."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple

from dalembert.cli.main import main


class Ended(NamedTuple):
    """How a command ended, and what it printed."""

    status: int
    out: str
    err: str


def command(*words: str) -> Ended:
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        try:
            status = main(words)
        except SystemExit as end:
            status = int(end.code or 0)
    return Ended(status, out.getvalue(), err.getvalue())
