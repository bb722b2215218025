"""dalembert: state a mechanical system once and get everything about it, with a verdict on every claim.

Names are loaded when they are first used, so that ``import dalembert`` is cheap; ``__init__.pyi`` lists them.
"""

from __future__ import annotations

from typing import Any

from dalembert._front import front

__version__ = "0.1.0"

__getattr__, __dir__ = front(__name__)


def load_ipython_extension(shell: Any) -> None:
    """Show things typeset, plotted and moving in a notebook, after ``%load_ext dalembert``."""
    from dalembert.present.notebook import register

    register(shell)
