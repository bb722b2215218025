"""N_mu/G_mu at a momentum whose G_mu is not straight: (x, Pi, x') with Pi on the coadjoint orbit of mu.

The momentum seen from the moving frame, Pi_a = A_a^b mu_b, does not change along G_mu, and tells its orbits apart.
Where no coordinates are known that G_mu leaves alone, it takes their place: dl/dw = Pi, Pi' = ad*_w Pi, and theta comes
back by theta' = w^a E^_a. The Casimirs of the algebra keep the values that mu gives them. All is by the stated
generators, in which nothing depends on mu.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.expr.calculus import gradient, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, ZERO, Expr, symbol
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.truth import depends_on
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.groups.algebra import LieAlgebra
from dalembert.geometry.groups.casimirs import casimirs
from dalembert.geometry.groups.invariant_frame import InvariantFields
from dalembert.geometry.groups.matrices import dot, inverse, multiply
from dalembert.geometry.straighten import fresh_names
from dalembert.mechanics.common import divided_by
from dalembert.mechanics.routh.adapted_coordinates import names_of
from dalembert.mechanics.routh.hypotheses import momenta_of
from dalembert.mechanics.routh.level_set import LevelSet, routh_form
from dalembert.mechanics.routh.moving_frame import frame_motion
from dalembert.mechanics.routh.reduced import body_lagrangian, carried_by
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.records import dataclass, replace

if TYPE_CHECKING:
    from dalembert.mechanics.routh.routh import Routh


@dataclass(frozen=True, slots=True)
class OnOrbit:
    """The motion with Pi in the place of coordinates that G_mu would leave alone."""

    momenta: tuple[Expr, ...]
    """The symbols Pi_a of the stated generators."""
    spin: tuple[Expr, ...]
    """What they are on N_mu: A_a^b mu_b."""
    equations: Equations


def on_orbit(
    level: LevelSet, invariant: InvariantFields | None, plain: Equations, shorten: SimplificationBudget
) -> OnOrbit | None:
    """Return the motion by (x, Pi, x'); None where the moving frame, or the velocities by Pi, have no closed form."""
    frame = level.frame
    if invariant is None or level.iota is None or frame.isotropy_dimension == len(frame.fibre):
        return None
    back = inverse(frame.adapted.matrix)
    moving = [[e.components[frame.chart.place(theta)] for theta in frame.fibre] for e in invariant.fields]
    moving = [shorten.all(row) for row in multiply(back, moving)]
    if depends_on([c for row in moving for c in row], frame.base):
        return None
    names, algebra = frame.stated.names, frame.stated.algebra
    w = [symbol(Symbol(f"w of {name}")) for name in names]
    lagrangian = body_lagrangian(frame, moving, w)
    if lagrangian is None:
        return None
    lagrangian = shorten(lagrangian)
    taken = {*names_of(frame.system), *(q.data.name for q in frame.chart.coordinates)}
    taken |= {s.name for s in symbols(frame.momentum)}
    momenta = tuple(symbol(Symbol(name)) for name in fresh_names([f"Pi_{name}" for name in names], taken))
    turned = [dot(row, momenta) for row in algebra.coad(w)]
    mass, force, energy, inner = frame_motion(lagrangian, frame.base, w, turned, shorten)
    offset = substitute(gradient(lagrangian, w), dict.fromkeys(w, ZERO))
    solved = shorten.all(solve(inner, [p - o for p, o in zip(momenta, offset, strict=True)]))
    lift = carried_by(moving, w)
    flat = [*turned, *(e for row in mass for e in row), *force, energy, *lift]
    flat = shorten.all(substitute(flat, dict(zip(w, solved, strict=True))))
    count, size = len(w), len(frame.base)
    rows = [flat[count + i * size : count + (i + 1) * size] for i in range(size)]
    forces = flat[count + size * size : count + size * size + size]
    identity = [[ONE if i == j else ZERO for j in range(count)] for i in range(count)]
    equations = replace(
        plain,
        kinematics={x: x.dot for x in frame.base},
        velocities=(*momenta, *(x.dot for x in frame.base)),
        mass=(
            *((*row, *[ZERO] * size) for row in identity),
            *((*[ZERO] * count, *row) for row in rows),
        ),
        force=(*flat[:count], *forces),
        reconstruction=dict(zip(frame.fibre, flat[count + size * size + size + 1 :], strict=True)),
        monitors={"energy": flat[count + size * size + size], **_casimirs(algebra, momenta)},
        speeds={**plain.speeds, **dict(zip(momenta, _by_stated(level, invariant), strict=True))},
        pivots=divided_by(flat, [], [frame.lagrangian]),
    )
    spin = tuple(shorten.all([dot(row, frame.momentum) for row in multiply(back, invariant.matrix)]))
    return OnOrbit(momenta, spin, replace(equations, at_start=dict(zip(momenta, spin, strict=True))))


def _casimirs(algebra: LieAlgebra, momenta: tuple[Expr, ...]) -> dict[str, Expr]:
    found = casimirs(algebra.coadjoint_matrix(momenta), momenta)
    return {f"Casimir {k}": one for k, one in enumerate(found, 1)}


def _by_stated(level: LevelSet, invariant: InvariantFields) -> list[Expr]:
    """Return A_a^b p_b by the stated coordinates and velocities."""
    frame = level.frame
    stated = momenta_of(frame.system, frame.stated)
    adapted = [dot(row, stated) for row in frame.adapted.matrix]
    matrix = [substitute(row, frame.coordinates.forward) for row in invariant.matrix]
    return [dot(row, [dot(line, adapted) for line in matrix]) for row in inverse(frame.adapted.matrix)]


def orbit_claims(result: Routh, proofs: ProofBudget) -> list[Claim]:
    """Decide that at Pi = A mu the equations are those of the level set, and that Pi stays there."""
    orbit = result.orbit
    assert orbit is not None
    frame = result.frame
    form = routh_form(result.level, result.motion)
    put = dict(zip(orbit.momenta, orbit.spin, strict=True))
    rates = {**orbit.equations.rates(), **orbit.equations.reconstruction}
    here = dict(zip(rates, substitute(list(rates.values()), put), strict=True))
    plain = dict(zip(frame.v_base, solve(form.mass, form.force) if form.force else [], strict=True)) | form.rates
    parts = {f"the rate of {q!r}": here[q] - rate for q, rate in plain.items()}
    seed = {**here, symbol(TIME): ONE}
    turned = tangent(list(orbit.spin), {q: rate for q, rate in seed.items() if q not in put})
    parts |= {f"the rate of {pi!r}": here[pi] - t for pi, t in zip(orbit.momenta, turned, strict=True)}
    rank = len(orbit.momenta) - frame.isotropy_dimension
    said = f"Pi = A mu moves on the coadjoint orbit of mu, of dimension {rank}, and the motion there is that on N_mu"
    return [Claim("coadjoint orbit", said, "check", proofs.all_vanish(parts, frame.system.facts))]
