"""The motion on N_mu/G_mu for an affine action, by (x, Pi, x'): x on a section s, Pi on the coadjoint orbit of mu.

Every point is q = g s(x). With the velocity w of g on the side of the body, q' = g (s' + w^a E~_a), and L is the same
at all g: it is l(x, x', w), L on the section. The momentum mu is seen from there as Pi = Ad*_g mu, so that

    dl/dw = Pi,    Pi_a' = w^b C_ba^c Pi_c,    d/dt (dl/dx') = dl/dx.

Nothing of this depends on g: it is the motion on N_mu/G_mu, embedded as the Pi of the orbit of mu, at every mu and
without a chart of the group. The lift is g itself, as a matrix: it has no edges either.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from math import isfinite
from typing import Any

from dalembert.errors import Fault
from dalembert.expr.calculus import gradient, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.truth import depends_on, generic_rank, vanish
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.groups.actions import Action
from dalembert.geometry.groups.affine_action import AffineAction, MatrixElement, affine_action, matrix_element
from dalembert.geometry.groups.algebra import LieAlgebra
from dalembert.geometry.groups.casimirs import casimirs
from dalembert.geometry.groups.isotropy_algebra import AdaptedBasis, adapted_basis
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.straighten import fresh_names
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.common import Derived, at_start, divided_by, equations_of
from dalembert.mechanics.routh.adapted_coordinates import names_of
from dalembert.mechanics.routh.hypotheses import Symmetry, momenta_of
from dalembert.mechanics.routh.moving_frame import frame_motion
from dalembert.mechanics.routh.on_section.atlas import Sections
from dalembert.mechanics.routh.on_section.section import Section, find_section
from dalembert.mechanics.routh.on_section.start import Begin, crossing
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.records import dataclass, replace

_WELL = 1e-3
"""A section is kept where the generators cross it at the start at least so well."""
_EFFORT = 0.6
"""The work that all expressions together may take to be written shorter."""


@dataclass(frozen=True, repr=False)
class RouthOnSection(Derived):
    """The motion on N_mu/G_mu by a section through the orbits, and the geometry on the way to it."""

    system: System
    symmetry: Symmetry
    section: Section
    element: MatrixElement
    lagrangian: Expr
    """l(x, x', w)."""
    w: tuple[Expr, ...]
    momenta: tuple[Expr, ...]
    """Pi_a: names, and where the group does not move it what mu_a is."""
    velocities: tuple[Expr, ...] | None
    """w by (x, x', Pi), where dl/dw = Pi has a closed solution."""
    equations: Equations
    hypotheses: tuple[Claim, ...] = ()

    form = "section"

    @property
    def action(self) -> Action:
        """The group by the stated generators."""
        return self.symmetry.action

    @property
    def algebra(self) -> LieAlgebra:
        """The Lie algebra of the group."""
        return self.action.algebra

    @cached_property
    def adapted(self) -> AdaptedBasis:
        """A basis of the algebra that begins with one of g_mu."""
        at = {**self.system.defaults, **self.symmetry.defaults}
        return adapted_basis(self.algebra, self.symmetry.values, at=at)

    @cached_property
    def moving_velocity(self) -> list[Expr]:
        """The velocity s' + w^a E~_a, which is g^-1 q', by stated coordinates."""
        section = self.section
        return [
            total(
                [
                    (1, s.dot if s in section.base else ZERO),
                    *((1, w * e[i]) for w, e in zip(self.w, section.generators, strict=True)),
                ]
            )
            for i, s in enumerate(section.point)
        ]

    @cached_property
    def casimirs(self) -> tuple[Expr, ...]:
        """Polynomials of degree at most 2 in Pi that are constant on coadjoint orbits."""
        free = [symbol(Symbol(f"Pi of {name}")) for name in self.action.names]
        found = casimirs(self.algebra.coadjoint_matrix(free), free)
        return tuple(substitute(list(found), dict(zip(free, self.momenta, strict=True))))

    def casimir_values(self) -> list[Expr]:
        """Return what mu makes of the Casimirs."""
        free = [symbol(Symbol(f"Pi of {name}")) for name in self.action.names]
        found = casimirs(self.algebra.coadjoint_matrix(free), free)
        return substitute(list(found), dict(zip(free, self.symmetry.values, strict=True)))

    def restricted(self, functions: Sequence[Expr]) -> list[Expr]:
        """Return functions of (x, x', w) on N_mu; where w has no closed form there, as they are."""
        if self.velocities is None:
            return list(functions)
        return substitute(list(functions), dict(zip(self.w, self.velocities, strict=True)))

    def seed(self) -> dict[Expr, Expr]:
        """Return the rates of x, x', Pi, w and time along the motions, by (x, x', Pi, w)."""
        rates = self.equations.rates()
        momenta = gradient(self.lagrangian, self.w)
        inner = [gradient(p, self.w) for p in momenta]
        known = {**rates, symbol(TIME): ONE}
        turned = tangent(self.momenta, known)
        drift = tangent(momenta, {s: r for s, r in known.items() if s not in self.w})
        pulled = solve(inner, [t - d for t, d in zip(turned, drift, strict=True)])
        return {**known, **dict(zip(self.w, pulled, strict=True))}

    def objects(self) -> dict[str, Any]:
        """Return the geometric objects by the names of the JSON."""
        names = self.action.names
        shorten = _shortening()
        routhian = total([(1, self.lagrangian), *((-1, p * w) for p, w in zip(self.momenta, self.w, strict=True))])
        return {
            "structure_constants": [[list(row) for row in rows] for rows in self.algebra.constants],
            "momenta": dict(zip(names, momenta_of(self.system, self.action), strict=True)),
            "isotropy_basis": [list(row) for row in self.adapted.matrix[: self.adapted.isotropy_dimension]],
            "section": {
                "held": {q.data.name: value for q, value in self.section.held.items()},
                "base": [x.data.name for x in self.section.base],
                "point": {q.data.name: s for q, s in zip(self.system.q, self.section.point, strict=True)},
            },
            "group_element": {q.data.name: image for q, image in self.equations.configuration.items()},
            "moving_momentum": dict(zip(names, self.momenta, strict=True)),
            "momentum_equation": {
                a: dot(row, self.momenta) for a, row in zip(names, self.algebra.coad(self.w), strict=True)
            },
            "quasi_velocities": dict(zip(names, self.velocities or self.w, strict=True)),
            "casimirs": list(self.casimirs),
            "lagrangian": self.lagrangian,
            "routhian": shorten(self.restricted([routhian])[0]),
        }


def _shortening() -> SimplificationBudget:
    return SimplificationBudget(_EFFORT, each=0.4, largest=400)


def derive_on_section(system: System, symmetry: Symmetry) -> RouthOnSection | None:
    """Return the motion on N_mu/G_mu by a section, or None where the action is not affine or has none.

    >>> from dalembert.mechanics.routh.hypotheses import symmetry_of
    >>> turns = {"i": {"a": "-b", "b": "a", "c": "-d", "d": "c"}, "j": {"a": "-c", "b": "d", "c": "a", "d": "-b"},
    ...          "k": {"a": "-d", "b": "-c", "c": "b", "d": "a"}}
    >>> system = System.of(name="quaternions", coordinates="a b c d", symmetry=turns, momentum=[1, 2, 3],
    ...     lagrangian="(a'^2 + b'^2 + c'^2 + d'^2)/2 - (a^2 + b^2 + c^2 + d^2)/2")
    >>> found = derive_on_section(system, symmetry_of(system))
    >>> found.equations.state, found.casimirs
    ((d_base, Pi_i, Pi_j, Pi_k, d_base'), (Pi_i^2 + Pi_j^2 + Pi_k^2,))
    """
    affine = affine_action(symmetry.action)
    taken = [*names_of(system), *(s.name for s in symbols(symmetry.values))]
    section = None if affine is None else _section(system, affine, taken)
    if affine is None or section is None:
        return None
    found = _on(system, symmetry, section)
    return replace(found, equations=with_sections(found.equations, system, symmetry, section))


def with_sections(
    equations: Equations, system: System, symmetry: Symmetry, section: Section | None = None
) -> Equations:
    """Return equations with the sections in which a motion goes on where their variables end; ``section`` is theirs.

    None where the action is not affine, velocities along the group are no formulas, or the variables are the stated
    coordinates: these end where the statement does.
    """
    own = bool(equations.configuration) and not equations.implicit
    affine = affine_action(symmetry.action) if own else None
    if affine is None:
        return equations
    sections = Sections(system, symmetry, affine, partial(_on, system))
    return replace(equations, atlas=partial(sections.atlas, section))


def _on(system: System, symmetry: Symmetry, section: Section) -> RouthOnSection:
    """Return the motion on a section."""
    held = [value.data.name for value in section.held.values() if value.op == "symbol"]
    taken = [*names_of(system), *(s.name for s in symbols(symmetry.values)), *held]
    element = matrix_element(section.affine, [*taken, *(x.data.name for x in section.base)])
    return _derive(system, symmetry, section, element, taken)


def _section(system: System, affine: AffineAction, taken: Sequence[str]) -> Section | None:
    """Return a section that is crossed well near the start: with other blocks of coordinates first, where need be."""
    blocks = affine.blocks()
    places = at_start(system, list(system.q)) if system.start.values else []
    best: tuple[float, Section] | None = None
    for k in range(len(blocks)):
        order = [i for block in (*blocks[k:], *blocks[:k]) for i in block]
        section = find_section(affine, taken, order)
        if section is None:
            continue
        if not places or not all(map(isfinite, places)):
            return section
        quality = crossing(section, places, at_start(system, affine.entries()))
        if quality > _WELL:
            return section
        if best is None or quality > best[0]:
            best = quality, section
    return None if best is None else best[1]


def _derive(
    system: System, symmetry: Symmetry, section: Section, element: MatrixElement, taken: list[str]
) -> RouthOnSection:
    assert system.lagrangian is not None
    names, algebra = symmetry.action.names, symmetry.action.algebra
    shorten = _shortening()
    taken = [*taken, *(x.data.name for x in (*section.base, *element.names()))]
    w = tuple(symbol(Symbol(one)) for one in fresh_names([f"w_{name}" for name in names], taken))
    momenta = momenta_seen(algebra, symmetry.values, taken)
    found = RouthOnSection(system, symmetry, section, element, ZERO, w, momenta, None, _EMPTY)
    put = dict(zip(system.q, section.point, strict=True)) | dict(zip(system.v, found.moving_velocity, strict=True))
    lagrangian = shorten(substitute([system.lagrangian], put)[0])
    turned = [dot(row, momenta) for row in algebra.coad(w)]
    mass, force, energy, inner = frame_motion(lagrangian, section.base, w, turned, shorten)
    linear = not depends_on([e for row in inner for e in row], w)
    slopes = gradient(lagrangian, w)
    velocities = None
    if linear:
        offset = substitute(slopes, dict.fromkeys(w, ZERO))
        velocities = tuple(shorten.all(solve(inner, [p - o for p, o in zip(momenta, offset, strict=True)])))
    found = replace(found, lagrangian=lagrangian, velocities=velocities)
    moved = {pi: t for pi, t in zip(momenta, turned, strict=True) if _is_variable(pi, symmetry.values)}
    lift = element.rates(w)
    turning = shorten.all(found.restricted(list(moved.values())))
    carried = found.restricted(list(lift.values()))  # sums of products with w, which is short
    flat = shorten.all(found.restricted([*(e for row in mass for e in row), *force, energy]))
    size = len(section.base)
    equations = equations_of(
        system,
        "routh",
        kinematics={**{x: x.dot for x in section.base}, **dict(zip(moved, turning, strict=True))},
        velocities=tuple(x.dot for x in section.base),
        mass=tuple(tuple(flat[i * size : (i + 1) * size]) for i in range(size)),
        force=tuple(flat[size * size : -1]),
        implicit={} if linear else dict(zip(w, (s - p for s, p in zip(slopes, momenta, strict=True)), strict=True)),
        reconstruction=dict(zip(lift, carried, strict=True)),
        configuration=element.moved(section.point),
        monitors={"energy": flat[-1]},
        pivots=divided_by([*flat, *turning, *carried], [section.determinant], [lagrangian]),
        initial_state=Begin(
            system, section, element, momenta, symmetry.values, {**system.defaults, **symmetry.defaults}
        ),
    )
    watched = {f"Casimir {k}": c for k, c in enumerate(found.casimirs, 1) if symbols([c])}
    equations = replace(
        equations,
        monitors={**equations.monitors, **watched},
        parameters={**equations.parameters, **symmetry.defaults},
    )
    _require_regular(system, equations)
    return replace(found, equations=equations, hypotheses=symmetry.hypotheses)


_EMPTY = Equations("", "routh", {})


def _require_regular(system: System, equations: Equations) -> None:
    """Refuse a Routhian that is not regular."""
    size = len(equations.mass)
    rank = generic_rank(equations.mass, system.facts).rank if size else 0
    if rank < size:
        what = f"the Routhian is not regular: its Hessian has rank {rank} of {size}"
        raise refusal("routh", [Fault("lagrangian", what, "it does not determine the motion", kind="regular")])


def _is_variable(pi: Expr, values: Sequence[Expr]) -> bool:
    return pi.op == "symbol" and pi not in values


def momenta_seen(algebra: LieAlgebra, values: Sequence[Expr], taken: Sequence[str]) -> tuple[Expr, ...]:
    """Return Pi_a: zero or mu_a where the coadjoint action leaves it so, else a name."""
    size = range(algebra.dimension)

    def reached(a: int, others: set[int]) -> bool:
        """Say whether Pi_a' contains a Pi_c other than those that are zero."""
        return any(algebra.constants[b][a][c] is not ZERO for b in size for c in size if c not in others)

    zero = {a for a in size if vanish([values[a]])}
    while any(reached(a, zero) for a in zero):
        zero = {a for a in zero if not reached(a, zero)}
    labels = fresh_names([f"Pi_{name}" for name in algebra.names], taken)
    return tuple(ZERO if a in zero else values[a] if not reached(a, zero) else symbol(Symbol(labels[a])) for a in size)
