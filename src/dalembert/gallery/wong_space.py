"""A particle in space that carries an angular momentum, in the field of a hedgehog: Wong's equations, SO(3) on R^3.

With the angular velocity of a body, w1, w2, w3 in Euler's angles, and n = 1 + x^2 + y^2 + z^2,

    L = (x'^2 + y'^2 + z'^2)/2 + h ((w1 + c (y z' - z y')/n)^2 + (w2 + c (z x' - x z')/n)^2
        + (w3 + c (x y' - y x')/n)^2)/2

is a flat metric on space plus a bi-invariant one along SO(3), with a connection that turns space and spin alike.
Source: M. Crampin, T. Mestdag, Routh's procedure for non-Abelian symmetry groups, J. Math. Phys. 49, 032901 (2008),
section VIII.A, for the general form; the field is a smooth one of the kind of the Wu-Yang monopole.
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.geometry.groups.standard_groups import so3
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return a particle with a spin in space, at a momentum along e3."""
    return System.of(
        name="Wong's equations in space",
        source="M. Crampin, T. Mestdag, J. Math. Phys. 49, 032901 (2008)",
        coordinates={
            **dict.fromkeys(("x", "y", "z"), "real"),
            **dict.fromkeys(("phi", "theta", "psi"), "angle"),
        },
        parameters={"h": 1.5, "c": 0.7, "m": 0.8},
        let={
            "n": "1 + x^2 + y^2 + z^2",
            "s1": "phi'*sin(theta)*sin(psi) + theta'*cos(psi) + c*(y*z' - z*y')/n",
            "s2": "phi'*sin(theta)*cos(psi) - theta'*sin(psi) + c*(z*x' - x*z')/n",
            "s3": "phi'*cos(theta) + psi' + c*(x*y' - y*x')/n",
        },
        lagrangian="(x'^2 + y'^2 + z'^2)/2 + h*(s1^2 + s2^2 + s3^2)/2",
        symmetry=dict(zip(("e1", "e2", "e3"), so3().spatial, strict=True)),
        momentum={"e1": 0, "e2": 0, "e3": "m"},
        bundle={"base": ["x", "y", "z"], "fibre": ["phi", "theta", "psi"], "connection": "mechanical"},
        start={"x": 0.5, "y": 0.2, "theta": 1, "x'": 0.3, "y'": 0.4, "z'": 0.1},
        run={"time": 20},
    )


FACTS = Known(
    dimension=6,
    symmetries={"e1": "symmetry", "e2": "symmetry", "e3": "symmetry"},
    algebra="so(3)",
    integrals={"square of the spin": "s1^2 + s2^2 + s3^2"},
    varying={"a part of the spin": "s1"},
)
