"""The reports that are looked at: mechanisms of all kinds, and a model that nobody drew."""

import os
from pathlib import Path

from dalembert import gallery
from dalembert.model.files import loads
from dalembert.studies.studying import study

MADE_UP = """
name = "a bead that drives a wheel"
lagrangian = "m*(x'^2 + y'^2)/2 + J*theta'^2/2 - k*(x^2 + 2*y^2)/2 - c*x*sin(theta)"
[coordinates]
x = "real"
y = "real"
theta = "angle"
[parameters]
m = 1.0
J = 0.5
k = 2.0
c = 0.7
[constraints]
drives = "y' = cos(theta)*x'"
[start]
x = 1.0
theta = 0.3
"x'" = 0.2
"theta'" = 1.0
[run]
time = 12.0
"""

NAMES = (
    "made-up",
    "vertical-rolling-disc",
    "two-wheeled-robot",
    "free-rigid-body-chart",
    "wheeled-snake",
    "chaplygin-sleigh",
    "skateboard",
)

if os.environ.get("BROWSER_ALL"):  # every report of the gallery; that takes an hour
    NAMES = ("made-up", *gallery.names())
MADE = os.environ.get("BROWSER_MADE")
"""A folder with reports that were made before, NAME.html, to look at again without the work."""


def write(name, folder):
    """Return the file with the report of a system."""
    system = loads(MADE_UP) if name == "made-up" else gallery.load(name)
    if MADE and (Path(MADE) / f"{name}.html").exists():
        return (Path(MADE) / f"{name}.html").resolve()
    file = folder / f"{name}.html"
    file.write_text(study(system).to_html(), encoding="utf-8")
    return file
