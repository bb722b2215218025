"""Three points on lines over space: a Chaplygin system without gyroscopic force whose connection has torsion.

The base is space, the group R^3, and with g^i = z^i' - (q x q')^i/2 (in another order of factors) the constraints are
g = 0; ``s`` couples base and fibre:

    L = (|q'|^2 + 2 s q' . g + |g|^2)/2

The tensor B is skew and not zero: the reduced motions are straight lines, those of the Levi-Civita connection, but the
reduced connection is another one. Source: F. Cantrijn, J. Cortes, M. de Leon, D. Martin de Diego, On the geometry of
generalized Chaplygin systems (2002), remark 6.3, which says that there are such systems.
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return the system with skew contorsion."""
    return System.of(
        name="skew contorsion",
        source="F. Cantrijn, J. Cortes, M. de Leon, D. Martin de Diego (2002), remark 6.3",
        coordinates="q1 q2 q3 z1 z2 z3",
        parameters={"s": "1/3"},
        let={
            "g1": "z1' - (q3*q2' - q2*q3')/2",
            "g2": "z2' - (q1*q3' - q3*q1')/2",
            "g3": "z3' - (q2*q1' - q1*q2')/2",
        },
        lagrangian=("(q1'^2 + q2'^2 + q3'^2)/2 + s*(q1'*g1 + q2'*g2 + q3'*g3) + (g1^2 + g2^2 + g3^2)/2"),
        constraints={"lift_1": "g1 = 0", "lift_2": "g2 = 0", "lift_3": "g3 = 0"},
        symmetry={"e1": {"z1": 1}, "e2": {"z2": 1}, "e3": {"z3": 1}},
        start={"q1": 1, "q2'": 1, "q3'": "1/2"},
        run={"time": 10},
    )


FACTS = Known(
    dimension=6,
    symmetries={"e1": "symmetry", "e2": "symmetry", "e3": "symmetry"},
    algebra="R^3",
    constraints={"lift_1": "linear", "lift_2": "linear", "lift_3": "linear"},
    growth=(3, 6),
    holonomic=False,
    integrals={"q1'": "q1'", "q2'": "q2'", "q3'": "q3'", "z1'": "z1'"},
    varying={"distance": "q1^2 + q2^2 + q3^2"},
)
