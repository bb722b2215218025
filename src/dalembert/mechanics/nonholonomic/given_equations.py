"""Motion that is stated by ``[equations]``, with no Lagrangian: a second-order field and all of its geometry.

Accelerations of the independent coordinates are given, the constraints give the velocities of the others. Sections 2 to
4 of Sarlet, Cantrijn and Saunders ask for no more: the connection and its curvature, the Jacobi endomorphism,
symmetries, adjoint symmetries and what they lead to, a Lagrangian among them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from dalembert.errors import Fault, expect
from dalembert.expr.graph import ONE, ZERO, Expr
from dalembert.expr.truth import Verdict, all_hold
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import postorder, substitute
from dalembert.geometry.distributions import Distribution
from dalembert.mechanics.common import equations_of
from dalembert.mechanics.lagrangian.restated import Restated, in_stated_speeds
from dalembert.mechanics.nonholonomic import symmetry_search
from dalembert.mechanics.nonholonomic.other_fibration import geometry_of
from dalembert.mechanics.second_order.field import SecondOrderField, stated_faults
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.records import dataclass

_SMALL, _NODES = 6, 200
"""The most coordinates, and nodes of a field, for which its geometry is checked and searched."""


@dataclass(frozen=True, repr=False)
class StatedMotion(Restated):
    """A second-order field that was stated, with the geometry that it brings along."""

    system: System
    distribution: Distribution
    """The directions that the constraints allow at a velocity, X_alpha = d_alpha + B^a_alpha d_a."""
    sode: SecondOrderField
    equations: Equations
    """In the speeds that are stated, if any are."""
    plain: Equations | None = None

    def second_order_field(self) -> SecondOrderField:
        """Return the field, as every motion on a constraint does."""
        return self.sode

    @cached_property
    def unsearched(self) -> str:
        """Why the geometry of the field is not written down, checked and searched; empty where it is."""
        small = len(self.system.q) <= _SMALL and len(postorder(self.sode.field.components)) <= _NODES
        return "" if small else symmetry_search.TOO_LARGE

    def objects(self) -> dict[str, object]:
        """Return the geometric objects by the names of the JSON."""
        free = [q.data.name for q in self.sode.independent]
        given = [q.data.name for q in self.sode.dependent]

        def table(rows: tuple[tuple[Expr, ...], ...]) -> dict[str, dict[str, Expr]]:
            return {a: dict(zip(free, row, strict=True)) for a, row in zip(given, rows, strict=True)}

        return {
            "connection": table(self.sode.coefficients),
            "drift": dict(zip(given, self.sode.drift, strict=True)),
            "constraint_curvature": table(self.sode.curvature),
            "acceleration": dict(zip(free, self.sode.acceleration, strict=True)),
            **geometry_of(self),
        }


def check(system: System) -> tuple[Fault, ...]:
    """Return what forbids a second-order field from ``[equations]``."""
    expect(system, System, "a formalism takes a system")
    return tuple(stated_faults(system))


def derive(system: System) -> StatedMotion:
    """Return the field that a system states, or raise ``HypothesisError`` with every reason why there is none.

    >>> stated = System.of(name="s", coordinates="x y z", equations={"x''": "-x", "y''": "-4*y", "z'": "x*y'"})
    >>> motion = derive(stated)
    >>> motion.sode.curvature
    ((-y', x'),)
    >>> motion.objects()["first_integrals"][:3]
    [x^2 + x'^2, 4*x*y + x'*y' - 3*z, 4*y^2 + y'^2]
    """
    expect(system, System, "a formalism takes a system")
    sode = SecondOrderField.from_equations(system)
    places = [system.q.index(q) for q in sode.dependent]
    put = dict(zip((q.dot for q in sode.dependent), sode.dependent_velocities, strict=True))
    forms = [substitute(row, put) for row in system.constraint_jacobian()]
    distribution = Distribution.from_forms(system.chart, forms, places)
    size = len(sode.independent)
    equations = equations_of(
        system,
        "nonholonomic",
        kinematics={**dict(zip(sode.independent, sode.velocities, strict=True)), **_given(sode)},
        velocities=sode.velocities,
        mass=tuple(tuple(ONE if i == j else ZERO for j in range(size)) for i in range(size)),
        force=sode.acceleration,
    )
    stated = in_stated_speeds(equations, system)
    return StatedMotion(system, distribution, sode, stated or equations, None if stated is None else equations)


def _given(sode: SecondOrderField) -> dict[Expr, Expr]:
    return dict(zip(sode.dependent, sode.dependent_velocities, strict=True))


# -- theorems ------------------------------------------------------------------------------------------------
def all_of(laws: Callable[[SecondOrderField], Sequence[Claim]], result: StatedMotion, _: ProofBudget) -> Verdict:
    """Decide whether laws hold of a field, if it is small."""
    if result.unsearched:
        return Verdict("undecided", f"it is asked up to {_SMALL} coordinates and {_NODES} nodes of the field.")
    return all_hold({law.name: law.verdict for law in laws(result.sode)})
