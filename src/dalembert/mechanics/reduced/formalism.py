"""The formalism ``reduced``: its record, and the theorems about what comes out."""

from __future__ import annotations

from dalembert.errors import expect
from dalembert.expr.truth import vanish
from dalembert.mechanics import asked
from dalembert.mechanics.common import facts_of
from dalembert.mechanics.lagrangian.regularity import DIVIDES, divided_claims
from dalembert.mechanics.lagrangian.restated import restated_theorems
from dalembert.mechanics.reduced import on_algebra, theorems
from dalembert.mechanics.reduced.level_set import tangent_to_level
from dalembert.mechanics.reduced.on_algebra import OnAlgebra, derive_on_algebra
from dalembert.mechanics.reduced.reduced import InvariantMotion, Reduced, derive_on_chart
from dalembert.mechanics.reduced.without_charts.derived import derive_without_charts
from dalembert.mechanics.reduced.without_charts.motion import ReducedWithoutCharts
from dalembert.mechanics.registry import Formalism, MainObject, Paper
from dalembert.mechanics.theorem import Sentence, Theorem
from dalembert.model.system import System

_BKMM = Paper(
    "bloch-krishnaprasad-marsden-murray-1996",
    ("A. M. Bloch", "P. S. Krishnaprasad", "J. E. Marsden", "R. M. Murray"),
    "Nonholonomic mechanical systems with symmetry",
    "Archive for Rational Mechanics and Analysis",
    1996,
    "136",
    "21--99",
)
_PLACE = "Bloch-Krishnaprasad-Marsden-Murray"


def derive(system: System) -> Reduced | OnAlgebra | ReducedWithoutCharts:
    """Return the motion with its group divided out, or on the Lie algebra that is stated."""
    expect(system, System, "a formalism takes a system")
    if system.algebra is not None:
        return derive_on_algebra(system)
    return derive_without_charts(system) if system.points else derive_on_chart(system)


def _on_chart(found: InvariantMotion | ReducedWithoutCharts) -> bool:
    return found.system.algebra is None and not found.system.points


def _on_algebra(found: InvariantMotion | ReducedWithoutCharts) -> bool:
    return found.system.algebra is not None


def _without_charts(found: InvariantMotion | ReducedWithoutCharts) -> bool:
    return bool(found.system.points)


def _on_level(found: InvariantMotion | ReducedWithoutCharts) -> bool:
    return not _on_algebra(found) and found.level is not None  # type: ignore[union-attr]


def _by_group(found: InvariantMotion | ReducedWithoutCharts) -> bool:
    return not _on_algebra(found)


def _is_lie_poisson(found: OnAlgebra) -> bool:
    if not _on_algebra(found):
        return False
    one = found.invariant
    return not (one.constraints or one.base or not vanish(one.forces, found.system.facts))


_THEOREMS = (
    Theorem(
        "multipliers",
        _PLACE,
        "the reduced motion with its reconstruction is that of Lagrange's multipliers, at every point of the fibre",
        "check",
        theorems.meets_multipliers,
        yes=(Sentence(lambda found, _: theorems.summary(found)),),
        topic="reduction",
        needs=_on_chart,
    ),
    Theorem(
        "multipliers",
        _PLACE,
        "the reduced motion with its reconstruction is that of Lagrange's multipliers, in the space around the spheres",
        "check",
        theorems.meets_multipliers,
        yes=(Sentence(lambda found, _: theorems.summary(found)),),
        topic="reduction",
        needs=_without_charts,
    ),
    Theorem(
        "on the group",
        "Euler; Poincare; Suslov",
        "the motion is that of Lagrange's multipliers on the group, in coordinates of the second kind",
        "check",
        on_algebra.meets_group,
        needs=_on_algebra,
    ),
    Theorem(
        "Lie-Poisson",
        "Lie; Poisson",
        "mu and a move by the Lie-Poisson bracket with the energy",
        "check",
        on_algebra.hamiltonian,
        yes="The motion is Hamiltonian for a Lie-Poisson bracket.",
        needs=_is_lie_poisson,
    ),
    Theorem(
        "Casimir",
        "Lie; Poisson",
        "a function that commutes with all others is conserved",
        "question",
        on_algebra.casimirs_conserved,
        needs=lambda found: _on_algebra(found) and not found.invariant.base,
    ),
    Theorem(
        "momentum equation",
        _PLACE,
        "the momenta along the orbits change as the momentum equation says",
        "check",
        theorems.momentum_equation,
        needs=lambda found: bool(found.motion.momenta),
    ),
    Theorem(
        "momentum",
        _PLACE,
        "a momentum along the orbits is conserved",
        "question",
        theorems.momenta_conserved,
    ),
    Theorem(
        theorems.HORIZONTAL,
        _PLACE,
        "a generator that the constraints allow everywhere has a momentum that is conserved",
        "question",
        theorems.horizontal_symmetries,
        needs=_by_group,
    ),
    Theorem(
        "level set",
        f"Routh; {_PLACE}",
        "the motion keeps to the level of the momenta that are put in, and is there the motion that is left",
        "check",
        lambda found, proofs: tangent_to_level(found.level, (*facts_of(found.system), *found.free.facts), proofs),
        yes="Conserved momenta have the values put in that [momentum] states.",
        needs=_on_level,
    ),
    Theorem("energy conserved", _PLACE, "the energy is conserved", "question", theorems.energy_conserved),
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
        _PLACE,
        "the reduced equations divide by nothing that vanishes",
        "question",
        lambda found, _: divided_claims(found.in_coordinates.pivots, facts_of(found.system), "the reduced equations"),
    ),
    *restated_theorems(lambda found: _on_chart(found) and found.level is None),
)

FORMALISM = Formalism(
    name="reduced",
    title="Reduction by symmetry",
    sentence="A symmetry group is divided out: body velocities and base coordinates move by themselves, momenta along "
    "the orbits by the momentum equation, and the position in the group is found again.",
    asks=asked.REDUCED,
    cites=(_BKMM, "patrick-2007"),
    derive=derive,
    theorems=_THEOREMS,
    chart_free=True,
    needs_symmetry=True,
    symmetry="free",
    main=(
        MainObject("structure_constants", "C", "__^"),
        MainObject("body_velocities", ""),
        MainObject("reduced_lagrangian", "ell"),
    ),
)
