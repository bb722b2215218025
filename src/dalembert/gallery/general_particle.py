"""A particle with z' = a(y) x' in a potential V(x, y, z), both functions left open.

    L = (x'^2 + y'^2 + z'^2)/2 - V(x, y, z),    z' = a(y) x'

What is found holds for all of them; the values given serve only to draw a motion.
Source: G. W. Patrick, Rep. Math. Phys. 59 (2007), section 5.3.
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return the particle with a(y) and V unspecified."""
    return System.of(
        name="particle with any slope and potential",
        source="G. W. Patrick, Rep. Math. Phys. 59 (2007)",
        coordinates="x y z",
        functions={
            "a": {"of": ["y"], "value": "sin(y)"},
            "V": {"of": ["x", "y", "z"], "value": "(x^2 + y^2 + z^2)/2"},
        },
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - V(x, y, z)",
        constraints={"slope": "z' = a(y)*x'"},
        start={"x": 1, "y": 0.5, "x'": 0.3, "y'": 0.2},
        run={"time": 10},
    )


FACTS = Known(
    dimension=3,
    constraints={"slope": "linear"},
    growth=(2, 3),
    holonomic=False,
    varying={"y'": "y'"},
)
