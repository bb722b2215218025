"""A snakeboard: a board at (x, y) with heading theta, a rotor psi on it, and two steered axles phi1 and phi2.

    L = m (x'^2 + y'^2)/2 + J theta'^2/2 + Jr (theta' + psi')^2/2 + Jw ((theta' + phi1')^2 + (theta' + phi2')^2)/2

The axles, at distance l in front of the centre and behind it, do not slip sideways.
Source: A. M. Bloch, P. S. Krishnaprasad, J. E. Marsden, R. M. Murray, Arch. Rational Mech. Anal. 136 (1996), section 8.
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return the snakeboard."""
    return System.of(
        name="snakeboard",
        source="A. M. Bloch, P. S. Krishnaprasad, J. E. Marsden, R. M. Murray, Arch. Rational Mech. Anal. 136 (1996)",
        coordinates={
            "x": "real",
            "y": "real",
            "theta": "angle",
            "psi": "angle",
            "phi1": "angle",
            "phi2": "angle",
        },
        parameters={"m": 6, "l": 0.2, "J": 0.1, "Jr": 0.15, "Jw": 0.01},
        lagrangian="m*(x'^2 + y'^2)/2 + J*theta'^2/2 + Jr*(theta' + psi')^2/2"
        " + Jw*((theta' + phi1')^2 + (theta' + phi2')^2)/2",
        constraints={
            "front": "cos(theta + phi1)*y' - sin(theta + phi1)*x' + l*cos(phi1)*theta' = 0",
            "back": "cos(theta + phi2)*y' - sin(theta + phi2)*x' - l*cos(phi2)*theta' = 0",
        },
        symmetry={"e1": {"x": 1}, "e2": {"y": 1}, "e3": {"x": "-y", "y": "x", "theta": 1}},
        start={"phi1": 0.4, "phi2": -0.5, "theta'": 0.6, "psi'": 2, "phi1'": 0.1, "phi2'": -0.2},
        drawing={
            "shapes": [
                {"trace": ["x", "y"]},
                {"line": [["x - l*cos(theta)", "y - l*sin(theta)"], ["x + l*cos(theta)", "y + l*sin(theta)"]]},
                {"wheel": ["x + l*cos(theta)", "y + l*sin(theta)"], "heading": "theta + phi1", "length": "l/2"},
                {"wheel": ["x - l*cos(theta)", "y - l*sin(theta)"], "heading": "theta + phi2", "length": "l/2"},
                {"wheel": ["x", "y"], "heading": "theta + psi", "length": "l"},
            ]
        },
        run={"time": 20},
    )


FACTS = Known(
    dimension=6,
    symmetries={"e1": "symmetry", "e2": "symmetry", "e3": "symmetry"},
    algebra="se(2)",
    constraints={"front": "linear", "back": "linear"},
    growth=(4, 6),
    holonomic=False,
    integrals={"momentum of the rotor": "theta' + psi'"},
    varying={"momentum along x": "m*x'"},
)
