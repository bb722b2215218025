"""A skateboard (a skate, a knife edge) on an incline: it moves only along its heading, and gravity pulls along -y.

    L = m (x'^2 + y'^2)/2 + I phi'^2/2 - g y,    x' sin(phi) = y' cos(phi)

``g`` is the weight along the incline, so the acceleration of free fall is g/m.
Source: P. L. Garcia, C. Rodrigo, The momentum map in vakonomic mechanics, Publ. RSME 7 (2004), section 4.1.
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return the skateboard on an incline."""
    return System.of(
        name="skateboard on an incline",
        source="P. L. Garcia, C. Rodrigo, Publ. RSME 7 (2004)",
        coordinates={"x": "real", "y": "real", "phi": "angle"},
        parameters={"m": 1, "I": 0.7, "g": 2},
        lagrangian="m*(x'^2 + y'^2)/2 + I*phi'^2/2 - g*y",
        constraints={"blade": "x'*sin(phi) - y'*cos(phi) = 0"},
        symmetry={"across": {"x": 1}, "up": {"y": 1}},
        start={"phi": 0.3, "x'": "1.2*cos(0.3)", "y'": "1.2*sin(0.3)", "phi'": 0.5},
        drawing={
            "shapes": [
                {"trace": ["x", "y"]},
                {
                    "body": ["x", "y"],
                    "heading": "phi",
                    "outline": [[0.45, 0.2], [0.65, 0], [0.45, -0.2], [-0.45, -0.2], [-0.65, 0], [-0.45, 0.2]],
                },
                {"wheel": ["x", "y"], "heading": "phi", "length": "0.6"},
            ]
        },
        run={"time": 4},
    )


FACTS = Known(
    dimension=3,
    symmetries={"across": "symmetry", "up": "up to a total derivative"},
    algebra="R^2",
    constraints={"blade": "linear"},
    growth=(2, 3),
    holonomic=False,
    integrals={"turning": "phi'"},
    varying={"momentum across the incline": "m*x'"},
    critical={"momentum across": "m*x' + lambda_blade*sin(phi)", "up": "m*y' - lambda_blade*cos(phi) + g*t"},
)
