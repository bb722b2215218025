"""The living view in a notebook: the same picture, sliders and curves as in a report, in the cell.

anywidget (the extra ``notebook``) brings scripts into every front end of Jupyter.
"""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

from dalembert.errors import EvaluationError, MissingExtra, expect
from dalembert.mechanics.registry import Result, formalism
from dalembert.model.trajectory import Trajectory
from dalembert.numerics.simulate import simulate
from dalembert.present.living import STYLE, living_of, living_picture, living_scripts
from dalembert.present.scripts import script

_STYLE = """
.living { max-width: 60rem; font-family: system-ui, sans-serif; }
.living .plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 0 1rem; }
"""
"""In a notebook nothing around it says how it looks."""


def live(result: Result, run: Trajectory | None = None) -> Any:
    """Return the motion of a system that is integrated in the notebook, with sliders for parameters and start.

    ``run`` is where it begins and how long it lasts, by default as the model says. As the last line of a cell it is
    shown; it needs the package anywidget (``pip install 'dalembert[notebook]'``).
    """
    try:
        anywidget = import_module("anywidget")
    except ImportError:
        raise MissingExtra(
            "a living view needs the package anywidget, which is not installed; install it with: "
            "pip install 'dalembert[notebook]', or show film(run), which needs nothing."
        ) from None
    return type("LivingView", (anywidget.AnyWidget,), {"_esm": module_of(result, run), "_css": STYLE + _STYLE})()


def module_of(result: Result, run: Trajectory | None = None) -> str:
    """Return the view as a module for anywidget: it draws into the element that it is given.

    >>> from dalembert import System, derive
    >>> fall = System.of(name="fall", coordinates="z", lagrangian="z'^2/2 - z", start={"z": 1}, run={"time": 1})
    >>> "export default { render: function" in module_of(derive(fall, "euler-lagrange"))
    True
    """
    expect(run, Trajectory | None, "live takes what a formalism derived, and a motion of it")
    motion = simulate(result) if run is None else run
    if motion.dense is None or len(motion) < 2:
        raise EvaluationError(f"there is no motion to be shown: {motion.message or 'it has no dense output'}")
    made = living_of(result, motion, formalism(result.equations.formalism).mistaken(result))
    if made is None:
        raise EvaluationError("these equations are too long for a notebook to move; show film(run).")
    scripts = living_scripts(made)
    render = (
        f"const picture = {_text(living_picture(made))}, source = {_text(scripts)};\n"
        "export default { render: function ({ el }) {\n"
        # else JupyterLab takes the arrow keys from the sliders; it looks at what has the focus before all around it
        "  el.addEventListener('focusin', e => { e.target.dataset.lmSuppressShortcuts = 'true'; });\n"
        "  el.innerHTML = picture;\n"
        "  dalembert.living(el.firstElementChild, source);\n"
        "} };\n"
    )
    return f"{scripts}\n{script('living')}{render}"


def _text(said: str) -> str:
    return json.dumps(said)
