"""A generalized elastica: a curve in the plane, by its length, for which the integral of F(curvature) is critical.

    L = F(kappa) |q'|,    |q'| = 1,    kappa = (x' y'' - x'' y') / |q'|^3

A Lagrangian of order 2 with any function F of the curvature, k^2 (Euler's elastica) where a value is needed; rigid
motions of the plane are its symmetries. It is meant as a variational problem: the multiplier of the length is constant,
and F'(kappa) is an affine function of the position.
Source: P. L. Garcia, C. Rodrigo, The momentum map in vakonomic mechanics, Publ. RSME 7 (2004), section 4.2.
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return the generalized elastica."""
    return System.of(
        name="generalized elastica",
        source="P. L. Garcia, C. Rodrigo, Publ. RSME 7 (2004)",
        coordinates="x y",
        functions={"F": {"of": ["k"], "value": "k^2"}},
        let={"speed": "sqrt(x'^2 + y'^2)", "kappa": "(x'*y'' - x''*y')/speed^3"},
        lagrangian="F(kappa)*speed",
        constraints={"length": "speed = 1"},
        symmetry={"e1": {"x": 1}, "e2": {"y": 1}, "turn": {"x": "-y", "y": "x"}},
        start={
            "x": 0.2,
            "y": -0.1,
            "x'": "cos(0.4)",
            "y'": "sin(0.4)",
            "x''": "-sin(0.4)",
            "y''": "cos(0.4)",
            "x'''": "-0.3*sin(0.4) - cos(0.4)",
            "y'''": "0.3*cos(0.4) - sin(0.4)",
            "length": 0.5,
        },
        run={"time": 6, "formalism": "vakonomic"},
    )


FACTS = Known(
    dimension=2,
    regular=False,
    symmetries={"e1": "symmetry", "e2": "symmetry", "turn": "symmetry"},
    algebra="se(2)",
    constraints={"length": "nonlinear"},
    integrals={"speed": "speed"},
    varying={"curvature": "kappa"},
    critical={"multiplier": "lambda_length"},
)
