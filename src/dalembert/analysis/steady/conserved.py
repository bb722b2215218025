"""What a motion conserves, decided: its energy, the momenta of its symmetries, and what the model watches."""

from __future__ import annotations

from collections.abc import Iterator

from dalembert.analysis.steady.steady_field import SteadyField
from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient, tangent
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.truth import Fact, Sphere, vanish
from dalembert.expr.walk import symbols

_MOST = 24
_ENERGIES = ("energy", "hamiltonian")


def conserved(field: SteadyField) -> dict[str, Expr]:
    """Return functions of the state that are constant along all motions, by name, an energy first.

    >>> from dalembert import System, derive
    >>> from dalembert.analysis.steady.steady_field import steady_field
    >>> swing = System.of(name="swing", coordinates={"a": "angle", "x": "real"}, lagrangian="a'^2/2 + x'^2/2 + cos(a)")
    >>> list(conserved(steady_field(derive(swing, "euler-lagrange"))))
    ['energy', 'momentum d/dx']
    """
    rates = field.problem.equations.rates()
    facts = sphere_facts(field)
    found: dict[str, Expr] = {}
    for name, one in _candidates(field):
        if name not in found and vanish(tangent([one], rates), facts) and not vanish([one], facts):
            found[name] = one
    return dict(sorted(found.items(), key=lambda item: item[0] not in _ENERGIES))


def invariant(field: SteadyField, expression: Expr) -> bool:
    """Say whether all symmetries leave an expression alone."""
    moved = [tangent([expression], dict(one.components))[0] for one in field.symmetries]
    return vanish(moved, sphere_facts(field))


def sphere_facts(field: SteadyField) -> list[Fact]:
    """Return that rotations and directions among the state have length 1."""
    system = field.words.system
    spheres = () if system is None else system.spheres
    return [Sphere(q) for q in spheres if set(field.state).issuperset(q)]


def _candidates(field: SteadyField) -> Iterator[tuple[str, Expr]]:
    equations, state = field.problem.equations, {v.data for v in field.state}
    inside = state | {p.data for p in equations.parameters}
    for name, monitor in list(equations.monitors.items())[:_MOST]:
        if not name.startswith(("multiplier", "constraint force")) and inside.issuperset(symbols([monitor])):
            yield name, monitor
    system = field.words.system
    if system is None or system.lagrangian is None or not set(field.state).issuperset(system.q):
        return
    momenta = gradient(system.lagrangian, list(system.v))
    for one in field.symmetries:
        moved = [one.components.get(q, ZERO) for q in system.q]
        try:
            momentum = field.words.translated(total([(1, p * x) for p, x in zip(momenta, moved, strict=True)]))
        except ExpressionError:  # it has no value in these variables
            continue
        if f"momentum {one.name}" not in equations.monitors and inside.issuperset(symbols([momentum])):
            yield f"momentum {one.name}", momentum
