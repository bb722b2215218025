"""Scripts of our own for pages, in ``js``: classic ones, for a page that is opened from a folder refuses modules.

===============  =====================================================================================
file             what
===============  =====================================================================================
``motion.js``    the integrator: DOP853 with dense output, projection, unknowns by Newton's method
``pictures.js``  what is drawn: figures as polylines, seen from where one stands
``curves.js``    plots that can be read off, enlarged and saved
``fit.js``       formulas as wide as their boxes
``copy.js``      formulas and tables to be copied, as LaTeX and as text
``living.js``    the page: sliders, dragging, ghosts, clouds, files; ``living.css`` its looks
===============  =====================================================================================
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from importlib.resources import files

from dalembert.expr.display.names import LETTERS

_written: ContextVar[list[str] | None] = ContextVar("scripts that were written", default=None)


@contextmanager
def scripts_written() -> Iterator[list[str]]:
    """Collect the scripts that are put on pages meanwhile: a server's policy allows these and no others.

    >>> with scripts_written() as ours:
    ...     page = f"<p>{'<script>theirs</script>'}</p>" + script_tag("ours();")
    >>> ours
    ['ours();']
    """
    found: list[str] = []
    token = _written.set(found)
    try:
        yield found
    finally:
        _written.reset(token)


def script_tag(text: str, look: str = "") -> str:
    """Return a script as an element of a page.

    >>> script_tag("go();")
    '<script>go();</script>'
    """
    found = _written.get()
    if found is not None:
        found.append(text)
    return f'<script class="{look}">{text}</script>' if look else f"<script>{text}</script>"


def script(name: str, kind: str = "js") -> str:
    """Return the text of a script, or of a style sheet.

    >>> "function motion(" in script("motion")
    True
    """
    return files("dalembert.present").joinpath("js", f"{name}.{kind}").read_text(encoding="utf-8")


def integrator() -> str:
    """Return the integrator with its numbers, which are those of the native one."""
    from dalembert.numerics.dop853.coefficients import E3, E5, EXTRA, STAGES, A, B, C, D  # and with them LLVM

    stages = [_row(A[j]) if j in A else [] for j in range(STAGES + 1 + len(EXTRA))]
    tableau = {
        "c": [float(c) for c in C],
        "a": stages,
        "b": _row(B),
        "e5": _row(E5),
        "e3": _row(E3),
        "d": [_row(row) for row in D],
    }
    return f"{script('motion')}dalembert.TABLEAU = {json.dumps(tableau, separators=(',', ':'))};\n"


def copier() -> str:
    """Return the script that offers formulas and tables to be copied, with the names of letters."""
    names = {letter: name for name, letter in LETTERS.items() if name != "lamda"}
    return script("copy").replace("/*GREEK*/{}", json.dumps(names))


def _row(weights: Mapping[int, Fraction]) -> list[list[float]]:
    return [[j, float(w)] for j, w in weights.items() if w]
