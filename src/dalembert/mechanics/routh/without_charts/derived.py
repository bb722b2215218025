"""What the formalism ``routh`` returns for a system with rotations: the motion on a level set of momentum."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

from dalembert.errors import ExpressionError, Fault
from dalembert.expr.calculus import gradient
from dalembert.expr.graph import ONE, ZERO, Expr, symbol
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import depends_on, generic_rank, vanish
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.groups.actions import Action
from dalembert.geometry.groups.algebra import LieAlgebra
from dalembert.geometry.groups.casimirs import casimirs
from dalembert.geometry.groups.isotropy_algebra import adapted_basis
from dalembert.geometry.groups.matrices import Matrix, dot
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.common import Derived, equations_of
from dalembert.mechanics.lagrangian.on_spheres import unit_projection
from dalembert.mechanics.lagrangian.seen_aligned import seen_aligned
from dalembert.mechanics.lagrangian.seen_from_body import SeenFromBody, seen_from_bodies
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
from dalembert.mechanics.lagrangian.turned_together import Eyes
from dalembert.mechanics.routh.adapted_coordinates import names_of
from dalembert.mechanics.routh.hypotheses import Symmetry, affine_isotropy, cocycle_of, momenta_of, symmetry_of
from dalembert.mechanics.routh.without_charts.base import velocities_of_base
from dalembert.mechanics.routh.without_charts.level_set import LevelSetWithoutCharts
from dalembert.mechanics.routh.without_charts.orbit import LevelOnOrbit, on_orbit
from dalembert.model.claim import Claim
from dalembert.model.equations import Elsewhere, Equations
from dalembert.model.system import System
from dalembert.records import dataclass, replace


@dataclass(frozen=True, repr=False)
class RouthWithoutCharts(Derived):
    """The motion of a system with rotations on a level set of its momentum, and the geometry on the way to it.

    >>> body = System.of(name="body", coordinates={"R": "rotation"}, parameters="A B C", momentum={"e1": 0, "e2": 0,
    ...     "e3": "B"}, lagrangian="(A*R.w1^2 + B*R.w2^2 + C*R.w3^2)/2",
    ...     symmetry={f"e{k}": {"R": f"left {k}"} for k in (1, 2, 3)})
    >>> found = derive_without_charts(body)
    >>> found.equations.state, found.level.velocities[found.level.frame.velocities[0]]
    ((Pi_e1, Pi_e2, Pi_e3), Pi_e1/A)
    """

    system: System
    symmetry: Symmetry
    level: LevelSetWithoutCharts
    equations: Equations
    hypotheses: tuple[Claim, ...] = ()

    form = "without charts"

    @property
    def action(self) -> Action:
        """The group by the stated generators."""
        return self.symmetry.action

    @cached_property
    def cocycle(self) -> Matrix:
        """The constants sigma_ab of momenta with functions F_a in them; empty where L itself is invariant."""
        return cocycle_of(self.system, self.symmetry) if self.symmetry.gauges else ()

    @cached_property
    def isotropy(self) -> Matrix:
        """A basis of g_mu."""
        if self.cocycle:
            return affine_isotropy(self.symmetry, self.cocycle)
        at = {**self.system.defaults, **self.symmetry.defaults}
        whole = adapted_basis(self.action.algebra, self.symmetry.values, at=at)
        return whole.matrix[: whole.isotropy_dimension]

    @property
    def undivided(self) -> bool:
        """Whether the state is all of N_mu: no velocities of Q/G are known, or none beside Pi of a group like SO(3)."""
        known = self.level.base.invariant and self.action.algebra.is_abelian
        return self.on_orbit is None and not known

    @property
    def on_orbit(self) -> LevelOnOrbit | None:
        """The level set by Pi, where that is what the equations are in."""
        return self.level if isinstance(self.level, LevelOnOrbit) else None

    @property
    def momenta(self) -> dict[str, Expr]:
        """p_a of the stated generators, by coordinates, entries and u."""
        level = self.level
        slopes = gradient(level.frame.lagrangian, level.frame.velocities)
        found = [dot(slopes, row) for row in level.generators.values()]
        return {name: p - f for name, p, f in zip(level.generators, found, level.gauges, strict=True)}

    @cached_property
    def casimirs(self) -> tuple[Expr, ...]:
        """Polynomials of degree at most 2 in Pi that are constant on coadjoint orbits, where the equations have Pi."""
        orbit = self.on_orbit
        return () if orbit is None else casimirs_of(self.action.algebra, orbit.seen)

    def objects(self) -> dict[str, Any]:
        """Return the geometric objects by the names of the JSON."""
        return dict(self._objects)

    @cached_property
    def _objects(self) -> dict[str, Any]:
        level, frame = self.level, self.level.frame
        names = list(level.generators)
        labels = [u.data.label for u in frame.velocities]
        rest = dict.fromkeys(level.base.names, ZERO)
        opened = frame.opened

        def rows(matrix: Any) -> list[list[Expr]]:
            return [opened(row) for row in matrix]

        lifted = [[dot(one, line) for line in level.mass] for one in level.generators.values()]
        locked = [[dot(low, other) for other in level.generators.values()] for low in lifted]
        (routhian,) = level.read([level.routhian], on_states=True)
        found = {
            "structure_constants": [[list(row) for row in part] for part in self.action.algebra.constants],
            "momenta": dict(zip(names, opened(list(self.momenta.values())), strict=True)),
            "isotropy_basis": [list(row) for row in self.isotropy],
            "base": [x.data.label for x in level.base.functions],
            "horizontal_lift": {
                v.data.label: dict(zip(labels, opened(row), strict=True))
                for v, row in zip(level.base.names, level.base.lifts, strict=True)
            },
            "moving_momentum": opened(level.moving_momentum),
            "quasi_velocities": dict(zip(labels, opened(list(level.velocities.values())), strict=True)),
            "hessian": rows(level.reduced_mass),
            "locked_inertia": rows([level.read(row) for row in locked]),
            "routhian": opened([routhian])[0],
        }
        if self.on_orbit is not None:
            found["locked_inertia"] = rows(level.inertia)
            found["momentum_equation"] = {one.data.name: e for one, e in self.on_orbit.turned.items()}
            found["casimirs"] = list(self.casimirs)
        if self.cocycle:
            found["gauge_functions"] = dict(zip(names, self.symmetry.gauges, strict=True))
            found["cocycle"] = [list(row) for row in self.cocycle]
        if self._is_simple:
            (amended,) = level.read([-substitute([routhian], rest)[0]])
            found["amended_potential"] = opened([amended])[0]
        return found

    @cached_property
    def _is_simple(self) -> bool:
        """Whether L = T - V: no part is linear in velocities."""
        frame = self.level.frame
        slopes = gradient(frame.lagrangian, frame.velocities)
        return vanish(substitute(slopes, dict.fromkeys(frame.velocities, ZERO)), frame.facts)


def derive_without_charts(system: System) -> RouthWithoutCharts:
    """Return the motion on a level set of momentum, or raise ``HypothesisError`` with every reason against it."""
    symmetry = symmetry_of(system, up_to_derivatives=True)
    if symmetry.gauges:
        cocycle_of(system, symmetry)  # refused where it is none
    frame = TangentFrame(system, _seen_from_space(system))
    mass = [e for row in frame.free.mass for e in row]
    if depends_on(mass, frame.velocities, frame.facts):
        what = "it is not quadratic in velocities, as Routh's procedure takes it with rotations"
        raise refusal("routh", [Fault("lagrangian", what, "use angles", kind="quadratic")])
    level = _level(system, symmetry)
    plain, configuration = level, dict[Expr, Expr]()
    views: tuple[Eyes, ...] = () if level.base.invariant or symmetry.gauges else ("rotations", "axes")
    names = symmetry.action.names
    ways: list[tuple[Eyes, Callable[..., SeenFromBody | None]]]
    ways = [(eyes, see) for see in (seen_from_bodies, seen_aligned) for eyes in views]
    if views:  # last of all a pair of coordinates, which a body does not see without a third that is held at zero
        ways.append(("vectors", partial(seen_from_bodies, pairs=True)))
    for eyes, see in ways:
        seen = see(system, names, eyes=eyes)
        other = (
            None if seen is None or set(seen.system.holonomic) > seen.system.units else _level(seen.system, symmetry)
        )
        if seen is not None and other is not None and other.base.invariant:
            level, configuration = other, dict(seen.configuration)
            break
    result = RouthWithoutCharts(system, symmetry, level, _NONE, symmetry.hypotheses)
    orbit = (
        None if symmetry.gauges else on_orbit(level, symmetry.action.algebra, result.isotropy, _taken(system, symmetry))
    )
    try:
        equations = _motion(level, system) if orbit is None else _motion_on_orbit(orbit, system, symmetry)
        equations = replace(equations, configuration=configuration)
        if level is not plain and eyes != "rotations":
            equations = replace(equations, elsewhere=partial(_on_all, plain, system, symmetry))
    except ExpressionError as error:
        why = Fault(
            "", str(error).removesuffix("."), "use euler-lagrange, or state the rotations by angles", kind="written"
        )
        raise refusal("routh", [why]) from error
    equations = replace(equations, parameters={**equations.parameters, **symmetry.defaults})
    return replace(result, level=level if orbit is None else orbit, equations=equations)


_NONE = Equations("", "routh", {})


def _on_all(level: LevelSetWithoutCharts, system: System, symmetry: Symmetry) -> Elsewhere:
    """Return the motion on all of N_mu, where axes that are made of directions fail."""
    equations = _motion(level, system)
    equations = replace(equations, parameters={**equations.parameters, **symmetry.defaults})
    return Elsewhere(equations, "There axes that are made of directions have no values. All of N_mu was followed.")


def _taken(system: System, symmetry: Symmetry) -> list[str]:
    return [*names_of(system), *(s.name for s in symbols(symmetry.values))]


def _level(system: System, symmetry: Symmetry) -> LevelSetWithoutCharts:
    """Return the level set of a system, as it is stated or seen from bodies."""
    frame = TangentFrame(system, _seen_from_space(system))
    generators = {name: frame.along(system.symmetry[name]) for name in symmetry.action.names}
    taken = _taken(system, symmetry)
    gauges = tuple(frame.put(symmetry.gauges)) or (ZERO,) * len(symmetry.values)
    base = velocities_of_base(frame, generators, taken)
    return LevelSetWithoutCharts(frame, generators, symmetry.values, base, gauges)


def _seen_from_space(system: System) -> frozenset[str]:
    """Return the rotations that the group turns about axes of the body only: their velocities are taken in space."""
    sides: dict[str, set[str]] = {}
    for generator in system.symmetry.values():
        for name, (side, _) in generator.turns.items():
            sides.setdefault(name, set()).add(side)
    return frozenset(name for name, found in sides.items() if found == {"right"})


def _motion(level: LevelSetWithoutCharts, stated: System) -> Equations:
    """Return the equations of motion; what nothing else depends on is reconstructed."""
    known = {s.data for s in (*stated.q, *stated.v, *stated.parameters)}
    frame, base = level.frame, level.base
    system, v = frame.system, base.names
    mass, force = level.equations
    rank = generic_rank(mass, frame.facts) if mass else None
    if rank is not None and rank.rank < len(mass):
        left = rank.rank - len(mass) + base.dimension
        what = f"the Routhian is not regular: its Hessian has rank {left} of {base.dimension}"
        raise refusal("routh", [Fault("lagrangian", what, "it does not determine the motion", kind="regular")])
    places = dict(zip(frame.kinematics, level.on(list(frame.kinematics.values())), strict=True))
    size = len(v)
    flat = [*(e for row in mass for e in row), *force, level.energy]
    lifted = _lifted(level, places, flat)
    opened = frame.opened([*flat, *places.values()])
    rates = dict(zip(places, opened[len(flat) :], strict=True))
    turned = [w for point in frame.rotations for w in point.body]
    spun = [w for point in frame.rotations for w in frame.in_body_of(point)]
    speeds = {one: system.speeds.get(one, base.meanings.get(one, one)) for one in v if one not in system.v}
    speeds = {one: e for one, e in speeds.items() if symbols([e]) <= known}
    return equations_of(
        system,
        "routh",
        kinematics={q: rate for q, rate in rates.items() if q not in lifted},
        velocities=v,
        speeds=speeds,
        mass=tuple(tuple(opened[i * size : (i + 1) * size]) for i in range(size)),
        force=tuple(opened[size * size : size * (size + 1)]),
        reconstruction={q: rates[q] for q in lifted},
        monitors={"energy": opened[len(flat) - 1]},
        projection=_projection(level),
        named=frame.entries,
        turning=dict(zip(turned, frame.opened(level.on(spun)), strict=True)),
    )


def _motion_on_orbit(level: LevelOnOrbit, stated: System, symmetry: Symmetry) -> Equations:
    """Return the equations with Pi among the velocities: they begin by what they are in the stated coordinates."""
    plain, turned = _motion(level, stated), level.turned
    count, size = len(turned), len(plain.velocities)
    identity = [[ONE if i == j else ZERO for j in range(count)] for i in range(count)]
    momenta = momenta_of(stated, symmetry.action)
    known = {s.data for s in (*stated.q, *stated.v, *stated.parameters)}
    carried = [dot(level.frame.opened(row), momenta) for row in level.to_seen]
    turning = {w: e for point in stated.points for w, e in point.speeds.items()}
    own = substitute(level.frame.opened(level.seen_along), turning)
    parts = {
        one: short if symbols([short]) <= known else long
        for one, short, long in zip(level.seen, own, carried, strict=True)
    }
    return replace(
        plain,
        velocities=(*turned, *plain.velocities),
        mass=(
            *((*row, *[ZERO] * size) for row in identity),
            *((*[ZERO] * count, *row) for row in plain.mass),
        ),
        force=(*level.frame.opened(list(turned.values())), *plain.force),
        monitors={**plain.monitors, **_watched(symmetry, level)},
        speeds={**{one: parts[one] for one in turned if symbols([parts[one]]) <= known}, **plain.speeds},
        at_start=dict(zip(level.spin, level.frame.opened(list(level.spin.values())), strict=True)),
    )


def casimirs_of(algebra: LieAlgebra, momenta: Sequence[Expr]) -> tuple[Expr, ...]:
    """Return the Casimirs of degree at most 2, at momenta of which some may be known."""
    free = [symbol(Symbol(f"Pi of {k}")) for k in range(len(momenta))]
    found = casimirs(algebra.coadjoint_matrix(free), free)
    return tuple(substitute(list(found), dict(zip(free, momenta, strict=True))))


def _watched(symmetry: Symmetry, level: LevelOnOrbit) -> dict[str, Expr]:
    found = casimirs_of(symmetry.action.algebra, level.seen)
    moving = {one.data for one in level.variables}
    return {f"Casimir {k}": one for k, one in enumerate(found, 1) if moving & symbols([one])}


def _lifted(level: LevelSetWithoutCharts, places: dict[Expr, Expr], others: list[Expr]) -> list[Expr]:
    """Return the coordinates that no rate depends on, and that the group moves: rotations at momentum zero."""
    if isinstance(level, LevelOnOrbit):
        return list(level.lifted)
    frame, base = level.frame, level.base
    parts = {q for point in frame.system.points for q in point.components}
    moved = [q for q in places if q not in parts and q not in base.functions and q.dot not in base.names]
    lifted = [] if depends_on([*others, *places.values()], moved, frame.facts) else moved
    for point in frame.rotations if base.invariant else ():
        own = {*point.components, *(m for row in frame.rows(point) for m in row)}
        rest = [rate for q, rate in places.items() if q not in own and q not in lifted]
        if own.isdisjoint(base.functions) and not depends_on([*others, *rest], list(own), frame.facts):
            spun = level.on(frame.in_body_of(point))
            lifted += [] if depends_on(spun, list(own), frame.facts) else point.components
    return lifted


def _projection(level: LevelSetWithoutCharts) -> tuple[dict[Expr, Expr], ...]:
    """Return what brings rotations back to unit length, then velocities to where n n' = 0."""
    units, turned = unit_projection(level.frame)[:1], level.turned_back
    if not turned:
        return units
    return (*units, dict(zip(turned, level.frame.opened(list(turned.values())), strict=True)))
