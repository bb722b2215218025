"""A free particle with z' = x y x': the simplest system of Chaplygin type without an invariant measure.

    L = (x'^2 + y'^2 + z'^2)/2,    z' = x y x'

Source: F. Cantrijn, J. Cortes, M. de Leon, D. Martin de Diego, On the geometry of generalized Chaplygin systems (2002),
section 7.
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return the particle with z' = x y x'."""
    return System.of(
        name="nonholonomic particle without a measure",
        source="F. Cantrijn, J. Cortes, M. de Leon, D. Martin de Diego (2002)",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        constraints={"slope": "z' = x*y*x'"},
        symmetry={"e1": {"z": 1}},
        start={"x": 1, "y": 1, "x'": 1, "y'": 1},
        run={"time": 10},
    )


FACTS = Known(
    dimension=3,
    symmetries={"e1": "symmetry"},
    algebra="R",
    constraints={"slope": "linear"},
    growth=(2, 3),
    holonomic=False,
    integrals={"y'": "y'", "scaled x'": "x'*sqrt(1 + x^2*y^2)"},
    varying={"z'": "z'"},
)
