"""What nonholonomic reduction with rotations asks: a statement it takes, velocities that are allowed, symmetries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations, islice

from dalembert.errors import Fault
from dalembert.expr.calculus import gradient
from dalembert.expr.graph import ZERO, Expr, symbol
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import Verdict, Where, all_hold, depends_on, in_span, vanish
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.straighten import fresh_names
from dalembert.mechanics.chaplygin.without_charts.hypotheses import Framed, dragged, force_changes
from dalembert.mechanics.lagrangian.seen_aligned import seen_aligned
from dalembert.mechanics.lagrangian.seen_from_body import SeenFromBody, seen_from_bodies
from dalembert.mechanics.lagrangian.seen_inverted import seen_inverted
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
from dalembert.mechanics.lagrangian.tangent_speeds import (
    Basis,
    BothWays,
    Carried,
    TangentSpeeds,
    all_velocities,
    bases,
    stated_speeds,
)
from dalembert.mechanics.lagrangian.turned_together import Eyes
from dalembert.mechanics.nonholonomic.on_spheres import certified_speeds
from dalembert.model.repeated import repeated
from dalembert.model.system import System
from dalembert.records import dataclass, field, replace

_MOST_FRAMES = 8
"""That are looked at."""


def faults_of(system: System) -> list[Fault]:
    """Return the faults that can be read off the statement."""
    faults = []
    if system.lagrangian is None:
        return [Fault("lagrangian", "there is none", "state one")]
    if system.order > 1:
        return [
            Fault(
                "lagrangian",
                f"it is of order {system.order}",
                "the principle of d'Alembert is for order 1",
                kind="order",
            )
        ]
    if not system.symmetry:
        faults.append(
            Fault("[symmetry]", "no generators are stated", "state those of the group to reduce by", kind="group")
        )
    return faults


@dataclass(frozen=True)
class View:
    """A statement, as it is or seen from bodies, in which velocities and functions on Q/G are looked for."""

    framed: Framed
    configuration: Mapping[Expr, Expr] = field(default_factory=dict)
    """The stated coordinates that are not among its own, by these."""
    carried: tuple[Carried, ...] = ()
    both_ways: tuple[BothWays, ...] = ()
    """Rotations of which no angular velocities in the body or in space are left alone."""

    @cached_property
    def frames(self) -> list[TangentSpeeds]:
        """Quasi-velocities of what the constraints allow."""
        return list(islice(self._frames(), _MOST_FRAMES))

    @cached_property
    def all_velocities(self) -> list[TangentSpeeds]:
        """All velocities, for which constraints are kept as rows."""
        if self.framed.system.stated_speeds:
            return [stated_speeds(self.framed.frame, [], "reduced")]
        return [all_velocities(one) for one in islice(self._bases, _MOST_FRAMES)]

    @cached_property
    def partly_solved(self) -> list[TangentSpeeds]:
        """Quasi-velocities of what some of the constraints allow, as many as can be; the others are kept as rows."""
        return list(islice(self._partly(), _MOST_FRAMES))

    def _partly(self) -> Iterator[TangentSpeeds]:
        system, frame = self.framed.system, self.framed.frame
        if system.stated_speeds or system.virtual or repeated(system):
            return
        names = list(system.stated_constraints)
        plain = [n for n in names if n not in system.holonomic and system.kind_of(n) in {"linear", "affine"}]
        most = len(plain) - (plain == names and not frame.directions)  # all of them were looked at
        for size in range(most, 0, -1):
            for some in islice(combinations(plain, size), _MOST_FRAMES):
                left = [name for name in names if name not in some]
                yield from (speeds for speeds, _ in certified_speeds(frame, self.carried, self.both_ways, left))

    @property
    def _bases(self) -> Iterator[Basis]:
        return bases(self.framed.frame, self.carried, both_ways=self.both_ways)

    def turned_both_ways(self, generators: Iterable[str]) -> View | None:
        """Return the same with velocities that turns of a rotation about one axis on each side leave alone, if any."""
        system, fields = self.framed.system, [self.framed.system.symmetry[name] for name in generators]
        taken = {s.data.name for s in (*system.q, *system.parameters, *system.speeds, *system.controls)}
        found = []
        for point in self.framed.frame.rotations if not system.stated_speeds else ():
            turns = [one.turns[point.name] for one in fields if point.name in one.turns]
            axes = [{axis for side, axis in turns if side == wanted} for wanted in ("left", "right")]
            if all(len(some) == 1 for some in axes):
                names = fresh_names([f"{point.name}_{one}" for one in ("spin", "turn", "nod")], taken)
                spin, turn, nod = (symbol(Symbol(name)) for name in names)
                found.append(BothWays(point, min(axes[0]), min(axes[1]), (spin, turn, nod)))
                taken |= set(names)
        return replace(self, both_ways=tuple(found)) if found else None

    @property
    def _is_plain(self) -> bool:
        """Whether what is allowed is a space of velocities, on all of Q."""
        system = self.framed.system
        bound = system.virtual or set(system.holonomic) - system.units or repeated(system)
        linear = all(system.kind_of(name) != "nonlinear" for name in system.stated_constraints)
        return linear and not (bound or self.framed.frame.directions)

    def _frames(self) -> Iterator[TangentSpeeds]:
        """Yield stated ones, those in the body, then in space."""
        frame, functions = self.framed.frame, [c.expression for c in self.framed.system.stated_constraints.values()]
        if not self._is_plain:
            return
        if self.framed.system.stated_speeds:
            yield stated_speeds(frame, functions, "reduced")
        elif functions:
            yield from (speeds for speeds, _ in certified_speeds(frame, self.carried, self.both_ways))
        else:
            yield from map(all_velocities, self._bases)

    def seen_by_bodies(self, generators: Iterable[str], eyes: Eyes = "rotations") -> View | None:
        """Return the statement as the bodies see it that some generators turn; None where they turn nothing else.

        Beside bodies, angles and vectors that are turned have ``axes`` from which the others are seen.
        """
        return _view(seen_from_bodies(self.framed.system, generators, pairs=True, eyes=eyes))

    def seen_inverted(self, generators: Iterable[str]) -> View | None:
        """Return the statement as bodies see it that are turned together about axes of their own, if there are any."""
        return _view(seen_inverted(self.framed.system, generators, pairs=True))

    def seen_aligned(self, generators: Iterable[str]) -> View | None:
        """Return the statement as bodies see it that a generator turns on different sides, or about different axes."""
        return _view(seen_aligned(self.framed.system, generators, pairs=True))


def _view(seen: SeenFromBody | None) -> View | None:
    return None if seen is None else View(Framed(TangentFrame(seen.system)), seen.configuration, seen.carried)


# -- the group ---------------------------------------------------------------------------------------------------
def symmetries_of(
    framed: Framed, speeds: TangentSpeeds | None
) -> tuple[dict[str, list[Expr]], dict[str, Verdict], dict[str, Fault]]:
    """Return the generators that keep Lagrangian, constraints and forces, by u; what was decided; and the others.

    ``speeds`` are those that the constraints allow, where these have a frame.
    """
    kept: dict[str, list[Expr]] = {}
    answers: dict[str, Verdict] = {}
    left: dict[str, Fault] = {}
    for name, generator in framed.system.symmetry.items():
        where, remedy = f"[symmetry] {name}", "leave it out, or state another"
        if generator.moves_time or generator.depends_on_time:
            left[name] = Fault(where, "it moves time or depends on it", "the group acts on positions", kind="action")
            continue
        along = framed.generator(name)
        (rate,) = substitute(framed.moved(along, [framed.lagrangian]), _on_spheres(framed))
        found = {"the Lagrangian": all_vanish({"its rate": rate}, framed.facts)}
        found |= _of_constraints(framed, along) if speeds is None else _of_allowed(framed, along, speeds)
        found["the forces"] = all_vanish(force_changes(framed, along), framed.facts)
        broken = next((what for what, verdict in found.items() if verdict.holds is not True), None)
        if broken is None:
            kept[name], answers[name] = along, all_hold(found)
        else:
            said = f"{broken} {'are' if broken.endswith('s') else 'is'} not shown to be invariant under it"
            left[name] = Fault(where, f"{said}: {found[broken].evidence.removesuffix('.')}", remedy, kind="invariant")
    return kept, answers, left


def _on_spheres(framed: Framed) -> dict[Expr, Expr]:
    """Return what the velocities of directions are along their spheres."""
    u = framed.velocities
    return {a: b for a, b in zip(u, framed.frame.on_tangents(u), strict=True) if a is not b}


def _of_allowed(framed: Framed, along: Sequence[Expr], speeds: TangentSpeeds) -> dict[str, Verdict]:
    """Decide whether constraints stay as they are where they hold."""
    changes = framed.moved(along, list(framed.constraints.values()))
    held = dict(zip(framed.constraints, speeds.by_speeds(changes), strict=True))
    return {f"the constraint {c}": all_vanish({"its rate": e}, framed.facts) for c, e in held.items()}


def _of_constraints(framed: Framed, along: Sequence[Expr]) -> dict[str, Verdict]:
    """Decide the same by rows: of all velocities, those of [virtual], and constraints on positions."""
    system, u, units = framed.system, list(framed.velocities), framed.frame.unit_rows
    stated, facts = framed.constraints, framed.facts
    places = [e.expression for name, e in system.holonomic.items() if name not in system.units]
    held = tuple(map(Where, framed.frame.put(places)))
    found: dict[str, Verdict] = {}
    changes = framed.moved(along, list(stated.values()))
    still = dict.fromkeys(u, ZERO)
    rows = [[*gradient(c, u), substitute([c], still)[0]] for c in (*stated.values(), *changes)]
    if depends_on([e for row in rows for e in row], u, facts):
        on = (*facts, *map(Where, stated.values()))
        found |= {f"the constraint {c}": all_vanish({"its rate": e}, on) for c, e in zip(stated, changes, strict=True)}
    elif rows:
        before = [*rows[: len(stated)], *([*row, ZERO] for row in units)]
        found["the constraints"] = in_span(before, rows[len(stated) :], "their rates", (*facts, *held))
    if places:
        moved = framed.manifold.along(along, framed.frame.put(places))
        rates = {f"rate {k}": e for k, e in enumerate(moved, 1)}
        found["the constraints on positions"] = all_vanish(rates, (*facts, *held))
    forms = [framed.frame.form(form) for form in system.virtual_forms.values()]
    if forms:
        turned = [dragged(framed, along, form) for form in forms]
        found["the virtual displacements"] = in_span([*forms, *units], turned, "their rates", (*facts, *held))
    return found


def invariant_speeds(view: View, names: Sequence[str]) -> tuple[TangentSpeeds, bool] | None:
    """Return quasi-velocities that some generators leave alone, and whether the constraints are solved in them."""
    rows = [view.framed.generator(name) for name in names]
    for one in (view, view.turned_both_ways(names)):
        for several, solved in () if one is None else _looked_at(one):
            speeds = next((some for some in several if _are_invariant(view.framed, some, rows)), None)
            if speeds is not None:
                return speeds, solved
    return None


def _looked_at(view: View) -> Iterator[tuple[list[TangentSpeeds], bool]]:
    """Yield quasi-velocities, and whether all constraints are solved in them, as long as they are asked for."""
    yield view.frames, True
    yield view.all_velocities, False
    yield view.partly_solved, False


def _are_invariant(framed: Framed, speeds: TangentSpeeds, generators: Sequence[Sequence[Expr]]) -> bool:
    """Say whether the fields of quasi-velocities commute with all generators."""
    crossed = [e for x in generators for z in (*speeds.fields, speeds.drift) for e in framed.manifold.bracket(x, z)]
    return vanish(crossed, framed.facts)
