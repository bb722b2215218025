"""A particle in the plane that carries an angular momentum in space: Wong's equations, SO(3) on R^2.

With the angular velocity of a body, w1, w2, w3 in Euler's angles, and coefficients of a connection,

    L = (x'^2 + (1 + x^2) y'^2)/2 + h ((w1 + y x')^2 + (w2 + x y')^2 + (w3 + x y x'/2 - y y')^2)/2

the metric is one on the plane, plus a bi-invariant one along the group SO(3), on which rotations of space act from the
left. Source: M. Crampin, T. Mestdag, Routh's procedure for non-Abelian symmetry groups, J. Math. Phys. 49, 032901
(2008), section VIII.A, for the general form; the coefficients are made up.
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.geometry.groups.standard_groups import so3
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return a particle with a spin in the plane, at a momentum along e3."""
    return System.of(
        name="Wong's equations in the plane",
        source="M. Crampin, T. Mestdag, J. Math. Phys. 49, 032901 (2008)",
        coordinates={"x": "real", "y": "real", "phi": "angle", "theta": "angle", "psi": "angle"},
        parameters={"h": 1.5, "m": 0.8},
        let={
            "w1": "phi'*sin(theta)*sin(psi) + theta'*cos(psi)",
            "w2": "phi'*sin(theta)*cos(psi) - theta'*sin(psi)",
            "w3": "phi'*cos(theta) + psi'",
        },
        lagrangian="(x'^2 + (1 + x^2)*y'^2)/2 + h*((w1 + y*x')^2 + (w2 + x*y')^2 + (w3 + x*y*x'/2 - y*y')^2)/2",
        symmetry=dict(zip(("e1", "e2", "e3"), so3().spatial, strict=True)),
        momentum={"e1": 0, "e2": 0, "e3": "m"},
        bundle={"base": ["x", "y"], "fibre": ["phi", "theta", "psi"], "connection": "mechanical"},
        start={"x": 0.5, "theta": 1, "x'": 0.3, "y'": 0.4},
        run={"time": 20},
    )


FACTS = Known(
    dimension=5,
    symmetries={"e1": "symmetry", "e2": "symmetry", "e3": "symmetry"},
    algebra="so(3)",
    integrals={"square of the spin": "(w1 + y*x')^2 + (w2 + x*y')^2 + (w3 + x*y*x'/2 - y*y')^2"},
    varying={"a part of the spin": "w1 + y*x'"},
)
