"""A disc that rolls upright on a plane that is shaken along x with the velocity A cos(nu t).

    L = m (x'^2 + y'^2)/2 + I1 phi'^2/2 + I2 psi'^2/2,    x' = R cos(psi) phi' + A cos(nu t),    y' = R sin(psi) phi'

A constraint that is affine and depends on time; made up for this gallery, after the disc of Sarlet, Cantrijn and
Saunders.
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return the disc on a moving plane."""
    return System.of(
        name="disc on a moving plane",
        source="made up, after W. Sarlet, F. Cantrijn, D. J. Saunders, J. Phys. A 28 (1995)",
        coordinates={"phi": "angle", "psi": "angle", "x": "real", "y": "real"},
        parameters={"m": 1, "R": 1, "I1": 0.5, "I2": 0.25, "A": 0.3, "nu": 2},
        lagrangian="m*(x'^2 + y'^2)/2 + I1*phi'^2/2 + I2*psi'^2/2",
        constraints={"rolls_in_x": "x' = R*cos(psi)*phi' + A*cos(nu*t)", "rolls_in_y": "y' = R*sin(psi)*phi'"},
        symmetry={"e1": {"x": 1}, "e2": {"y": 1}},
        start={"phi'": 3, "psi'": 0.4},
        run={"time": 20},
    )


FACTS = Known(
    dimension=4,
    energy_conserved=False,
    symmetries={"e1": "symmetry", "e2": "symmetry"},
    algebra="R^2",
    constraints={"rolls_in_x": "affine", "rolls_in_y": "linear"},
    integrals={"turning": "psi'"},
    varying={"rolling": "phi'"},
)
