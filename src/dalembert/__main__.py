"""``python -m dalembert`` is the command ``dalembert``."""

from __future__ import annotations

import os
import sys

if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:  # noqa: PTH109 - as Python wrote it
    del sys.path[0]  # where Python looks first because of -m, and where any file may lie

from dalembert.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
