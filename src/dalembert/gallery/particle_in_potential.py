"""A particle with z' = x y x' in a polynomial potential without any symmetry.

    L = (x'^2 + y'^2 + z'^2)/2 - (x^2 y/2 + z^2 x + y z)

A test bed: everything that vanishes on simpler systems (curvature, Jacobi endomorphism, multipliers) is there.
Formalism: W. Sarlet, F. Cantrijn, D. J. Saunders, J. Phys. A 28 (1995).
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return the particle in its potential."""
    return System.of(
        name="particle in a potential",
        source="W. Sarlet, F. Cantrijn, D. J. Saunders, J. Phys. A 28 (1995), for the formalism",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - (x^2*y/2 + z^2*x + y*z)",
        constraints={"slope": "z' = x*y*x'"},
        fibration={"dependent": ["z"]},
        start={"x": 1, "y": 0.5, "z": 0.2, "x'": 0.3, "y'": -0.4},
        run={"time": 2},
    )


FACTS = Known(
    dimension=3,
    constraints={"slope": "linear"},
    growth=(2, 3),
    holonomic=False,
    varying={"momentum of z": "z'"},
)
