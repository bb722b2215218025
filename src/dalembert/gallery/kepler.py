"""A planet: a point in space, drawn to the origin by the inverse square of its distance.

    L = m (x'^2 + y'^2 + z'^2)/2 + k/r,    r = sqrt(x^2 + y^2 + z^2)

Rotations of space leave L invariant and give the angular momentum; the Laplace vector is a further integral that no
such symmetry gives. Source: V. I. Arnold, Mathematical Methods of Classical Mechanics, Springer (1978), section 8.
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return the Kepler problem."""
    return System.of(
        name="Kepler problem",
        source="V. I. Arnold, Mathematical Methods of Classical Mechanics (1978)",
        coordinates="x y z",
        parameters={"m": 1, "k": 1},
        let={"r": "sqrt(x^2 + y^2 + z^2)"},
        lagrangian="m*(x'^2 + y'^2 + z'^2)/2 + k/r",
        symmetry={
            "e1": {"y": "-z", "z": "y"},
            "e2": {"z": "-x", "x": "z"},
            "e3": {"x": "-y", "y": "x"},
        },
        start={"x": 1, "y'": 1.2, "z'": 0.3},
        drawing={"shapes": [{"point": [0, 0, 0]}, {"trace": ["x", "y", "z"]}, {"point": ["x", "y", "z"]}]},
        run={"time": 20},
    )


FACTS = Known(
    dimension=3,
    symmetries={"e1": "symmetry", "e2": "symmetry", "e3": "symmetry"},
    algebra="so(3)",
    integrals={
        "angular momentum": "m*(x*y' - y*x')",
        "Laplace vector": "m*(y'*(x*y' - y*x') - z'*(z*x' - x*z')) - k*x/r",
    },
    varying={"Laplace vector, weaker pull": "m*(y'*(x*y' - y*x') - z'*(z*x' - x*z')) - k*x/(2*r)"},
)
