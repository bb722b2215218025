"""What nonholonomic reduction with rotations asks: a statement it takes, velocities that are allowed, symmetries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dalembert.errors import Fault
from dalembert.expr.graph import ONE, ZERO, Expr
from dalembert.expr.truth import Verdict, all_hold, vanish
from dalembert.expr.truth.many import all_vanish
from dalembert.mechanics.chaplygin.without_charts.hypotheses import Framed, force_changes
from dalembert.mechanics.lagrangian.tangent_speeds import Basis, TangentSpeeds, bases, stated_speeds
from dalembert.mechanics.nonholonomic.on_spheres import certified_speeds
from dalembert.model.system import System


def faults_of(system: System) -> list[Fault]:
    """Return the faults that can be read off the statement."""
    faults = []
    if system.lagrangian is None:
        return [Fault("lagrangian", "there is none", "state one")]
    if system.order > 1:
        return [Fault("lagrangian", f"it is of order {system.order}", "the principle of d'Alembert is for order 1")]
    for point in system.points:
        if not point.is_rotation:
            what = "a direction has no frame of velocities (its sphere has none), in which the reduction is written"
            faults.append(
                Fault(f"[coordinates] {point.name}", what, "state a rotation of which it is an axis, or angles")
            )
    if system.virtual:
        faults.append(Fault("[virtual]", "the reduction is for Chetaev's virtual displacements", "leave the table out"))
    if set(system.holonomic) - system.units:
        what = "positions beside rotations are constrained, and Q has to be known without"
        faults.append(Fault("[holonomic]", what, "state coordinates that obey them"))
    faults += [
        Fault(
            f"[constraints] {name}", "beside rotations the velocities allowed have to be an affine space", "use angles"
        )
        for name in system.stated_constraints
        if system.kind_of(name) == "nonlinear"
    ]
    if not system.symmetry:
        faults.append(Fault("[symmetry]", "no generators are stated", "state those of the group to reduce by"))
    return faults


def frames_of(framed: Framed) -> Iterator[TangentSpeeds]:
    """Yield quasi-velocities of what the constraints allow: stated ones, those in the body, then in space."""
    frame, functions = framed.frame, [c.expression for c in framed.system.stated_constraints.values()]
    if framed.system.stated_speeds:
        yield stated_speeds(frame, functions, "reduced")
    elif functions:
        yield from (speeds for speeds, _ in certified_speeds(frame))
    else:
        yield from map(_all_of, bases(frame))


def _all_of(basis: Basis) -> TangentSpeeds:
    known, width = basis.frame.system.speeds, len(basis.velocities)
    units = [[ONE if i == j else ZERO for j in range(width)] for i in range(width)]
    stated = {one: known[one] for one in basis.velocities if one in known}
    return basis.speeds(basis.velocities, units, [ZERO] * width, stated)


# -- the group ---------------------------------------------------------------------------------------------------
def symmetries_of(
    framed: Framed, speeds: TangentSpeeds
) -> tuple[dict[str, list[Expr]], dict[str, Verdict], dict[str, Fault]]:
    """Return the generators that keep Lagrangian, constraints and forces, by u; what was decided; and the others."""
    kept: dict[str, list[Expr]] = {}
    answers: dict[str, Verdict] = {}
    left: dict[str, Fault] = {}
    for name, generator in framed.system.symmetry.items():
        where, remedy = f"[symmetry] {name}", "leave it out, or state another"
        if generator.moves_time or generator.depends_on_time:
            left[name] = Fault(where, "it moves time or depends on it", "the group acts on positions")
            continue
        along = framed.generator(name)
        rate, *changes = framed.moved(along, [framed.lagrangian, *framed.constraints.values()])
        held = dict(zip(framed.constraints, speeds.by_speeds(changes), strict=True))
        found = {"the Lagrangian": all_vanish({"its rate": rate}, framed.facts)}
        found |= {f"the constraint {c}": all_vanish({"its rate": e}, framed.facts) for c, e in held.items()}
        found["the forces"] = all_vanish(force_changes(framed, along), framed.facts)
        broken = next((what for what, verdict in found.items() if verdict.holds is not True), None)
        if broken is None:
            kept[name], answers[name] = along, all_hold(found)
        else:
            said = f"{broken} {'are' if broken.endswith('forces') else 'is'} not shown to be invariant under it"
            left[name] = Fault(where, f"{said}: {found[broken].evidence.removesuffix('.')}", remedy)
    return kept, answers, left


def are_invariant(framed: Framed, speeds: TangentSpeeds, generators: Sequence[Sequence[Expr]]) -> bool:
    """Say whether the fields of quasi-velocities commute with all generators."""
    crossed = [e for x in generators for z in (*speeds.fields, speeds.drift) for e in framed.manifold.bracket(x, z)]
    return vanish(crossed, framed.facts)
