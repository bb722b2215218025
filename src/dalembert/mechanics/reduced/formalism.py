"""The formalism ``reduced``: its record, and the theorems about what comes out."""

from __future__ import annotations

from dalembert.mechanics.lagrangian.regularity import DIVIDES, divided_claims
from dalembert.mechanics.lagrangian.restated import restated_theorems
from dalembert.mechanics.reduced import theorems
from dalembert.mechanics.reduced.reduced import derive
from dalembert.mechanics.registry import Formalism, Paper
from dalembert.mechanics.theorem import Sentence, Theorem

_BKMM = Paper(
    "bloch-krishnaprasad-marsden-murray-1996",
    ("A. M. Bloch", "P. S. Krishnaprasad", "J. E. Marsden", "R. M. Murray"),
    "Nonholonomic mechanical systems with symmetry",
    "Archive for Rational Mechanics and Analysis",
    1996,
    "136",
    "21--99",
)
_PLACE = "Bloch-Krishnaprasad-Marsden-Murray, section"

_THEOREMS = (
    Theorem(
        "multipliers",
        f"{_PLACE} 2",
        "the reduced motion with its reconstruction is that of Lagrange's multipliers, at every point of the fibre",
        "check",
        theorems.meets_multipliers,
        yes=(Sentence(lambda found, _: theorems.summary(found)),),
        topic="reduction",
    ),
    Theorem(
        "momentum equation",
        f"{_PLACE} 4",
        "the momenta along the orbits change as the momentum equation says",
        "check",
        theorems.momentum_equation,
        needs=lambda found: bool(found.motion.momenta),
    ),
    Theorem(
        "momentum",
        f"{_PLACE} 4",
        "a momentum along the orbits is conserved",
        "question",
        theorems.momenta_conserved,
    ),
    Theorem(
        theorems.HORIZONTAL,
        f"{_PLACE} 4",
        "a generator that the constraints allow everywhere has a momentum that is conserved",
        "question",
        theorems.horizontal_symmetries,
    ),
    Theorem("energy conserved", f"{_PLACE} 2", "the energy is conserved", "question", theorems.energy_conserved),
    Theorem(
        "volume preserved",
        "Kozlov; Zenkov and Bloch",
        "the reduced motion preserves the volume det(mass) dr du",
        "question",
        theorems.volume_preserved,
        needs=theorems.is_volume_defined,
    ),
    Theorem(
        DIVIDES,
        f"{_PLACE} 6",
        "the reduced equations divide by nothing that vanishes",
        "question",
        lambda found, _: divided_claims(found.in_coordinates.pivots, found.system.facts, "the reduced equations"),
    ),
    *restated_theorems(),
)

FORMALISM = Formalism(
    name="reduced",
    title="Nonholonomic reduction",
    sentence="A symmetry group is divided out: body velocities and base coordinates move by themselves, momenta along "
    "the orbits by the momentum equation, and the position in the group is found again.",
    cites=(_BKMM, "patrick-2007"),
    derive=derive,
    theorems=_THEOREMS,
    needs_symmetry=True,
    symmetry="free",
)
