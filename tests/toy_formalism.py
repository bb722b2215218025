"""A formalism of somebody's own, in one file: Newton's equations of a point of unit mass in a potential."""

from dataclasses import dataclass

from dalembert.errors import Fault, HypothesisError
from dalembert.expr.calculus import gradient, hessian
from dalembert.expr.graph import ONE, ZERO
from dalembert.expr.truth import is_zero
from dalembert.mechanics.common import Derived, along, equations_of
from dalembert.mechanics.registry import Formalism, Paper, register
from dalembert.mechanics.theorem import Theorem
from dalembert.model.equations import Equations
from dalembert.model.system import System


@dataclass(frozen=True, slots=True, repr=False)
class Newton(Derived):
    """Newton's equations."""

    system: System
    equations: Equations

    def objects(self):
        """Return the force by coordinate."""
        return {"force": dict(zip([q.data.name for q in self.system.q], self.equations.force, strict=True))}


def derive(system):
    """Return q'' = -dV/dq where L = q'^2/2 - V(q)."""
    if system.lagrangian is None or system.constraints:
        raise HypothesisError("newton", [Fault("", "Newton's points are free and have a Lagrangian")])
    unit = [[ONE if i == j else ZERO for j in range(len(system.q))] for i in range(len(system.q))]
    matrix = hessian(system.lagrangian, system.v)
    apart = [m - u for row, one in zip(matrix, unit, strict=True) for m, u in zip(row, one, strict=True)]
    if not all(is_zero(e).holds for e in apart):
        raise HypothesisError("newton", [Fault("lagrangian", "the mass is not 1")])
    parts = {
        "kinematics": {q: q.dot for q in system.q},
        "velocities": tuple(system.v),
        "mass": tuple(map(tuple, unit)),
        "force": tuple(gradient(system.lagrangian, system.q)),
    }
    energy = sum((v * v / 2 for v in system.v), start=ZERO) - (
        system.lagrangian - sum((v * v / 2 for v in system.v), start=ZERO)
    )
    return Newton(system, equations_of(system, "newton", monitors={"energy": energy}, **parts))


def keeps_energy(result, proofs):
    """Decide E' = 0."""
    return proofs.is_zero(along(result.equations, [result.equations.monitors["energy"]])[0])


FORMALISM = register(
    Formalism(
        name="newton",
        title="Newton's second law",
        sentence="Force is mass times acceleration.",
        cites=(Paper("newton-1687", ("I. Newton",), "Principia", "Royal Society", 1687),),
        derive=derive,
        theorems=(
            Theorem(
                "vis viva",
                "Newton, book I",
                "vis viva and potential together are constant",
                "check",
                keeps_energy,
                yes="Vis viva is conserved.",
                topic="conserved",
            ),
        ),
    )
)
