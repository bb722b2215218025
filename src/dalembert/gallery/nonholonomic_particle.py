"""The nonholonomic particle: free but for z' = y x'.

    L = (x'^2 + y'^2 + z'^2)/2,    z' = y x'

Source: G. W. Patrick, Rep. Math. Phys. 59 (2007), section 5.3; F. Cantrijn, J. Cortes, M. de Leon, D. Martin de Diego,
On the geometry of generalized Chaplygin systems (2002), section 7.
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return the nonholonomic particle."""
    return System.of(
        name="nonholonomic particle",
        source="G. W. Patrick, Rep. Math. Phys. 59 (2007)",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        constraints={"slope": "z' = y*x'"},
        symmetry={"e1": {"x": 1}, "e2": {"z": 1}},
        start={"y": 0.5, "x'": 1, "y'": 0.3},
        run={"time": 10},
    )


FACTS = Known(
    dimension=3,
    symmetries={"e1": "symmetry", "e2": "symmetry"},
    algebra="R^2",
    constraints={"slope": "linear"},
    growth=(2, 3),
    holonomic=False,
    integrals={"y'": "y'", "scaled x'": "x'*sqrt(1 + y^2)"},
    varying={"x'": "x'", "z'": "z'"},
)
