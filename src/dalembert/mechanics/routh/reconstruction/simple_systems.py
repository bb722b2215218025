"""Reconstruction for simple mechanical systems, L = T - V (Crampin and Mestdag, section VII).

With the mechanical connection on M, whose X_i are orthogonal to the orbits, Omega^m and Omega^N_mu are one connection
Omega, and of that of the G_mu-action on M it is the lift: Omega(Z) = omega^mu(T tau(Z)). The reconstruction equation is
g^-1 g' = I_mu^-1(j^* mu), by components G^AB mu_B: a function on M. Routh's function is LL - C_mu with
LL = g_ij v^i v^j / 2 - V and the amendment C_mu = g^ab mu_a mu_b / 2, and

    Gamma(bX_i^V(LL)) - bX_i^C(LL) = -mu_a R_ij^a v^j - X_i(C_mu),

where the last sign is as it must be.
"""

from __future__ import annotations

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import hessian, partial_time
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict, depends_on, is_zero
from dalembert.expr.walk import substitute
from dalembert.geometry.connections.principal import PrincipalConnection, from_metric
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.lagrangian.momentum_map import SimpleMechanical
from dalembert.mechanics.routh.reconstruction.connections import (
    LevelFrame,
    MomentumLevel,
    Rows,
    after,
    curvature,
    level_frame,
    mechanical,
    sum_of,
    vertical_lift_connection,
)
from dalembert.mechanics.routh.reconstruction.decomposition import Reconstruction
from dalembert.mechanics.routh.reconstruction.sample_points import all_on_level, level_point
from dalembert.model.claim import Claim
from dalembert.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class SimpleReconstruction:
    """What L = T - V adds to a reconstruction. All of it lives on M."""

    locked_inertia: Rows
    """I_ab = g_ab = g(E~_a, E~_b), in the adapted basis."""
    amendment: Expr
    """C_mu = g^ab mu_a mu_b / 2."""
    metric: Rows
    potential: Expr
    """V."""
    rate: tuple[Expr, ...] | None
    """I_mu^-1(j^* mu) = G^AB mu_B, in g_mu: g^-1 g' of the reconstruction; None where g_AB is singular."""
    spin: tuple[Expr, ...]
    """I^-1 mu = g^ab mu_b, in g."""
    isotropy_connection: PrincipalConnection | None
    """omega^mu on M -> M/G_mu; None where G_mu is discrete, or g_AB singular."""
    frame: LevelFrame
    """The level set with the standard basis of the mechanical connection."""

    @property
    def amended_potential(self) -> Expr:
        """V + C_mu."""
        return self.potential + self.amendment


def metric_and_potential(level: MomentumLevel) -> SimpleMechanical | None:
    """Return metric and potential of L = T - V, or None where L is something else."""
    velocities, rest = level.velocities, dict.fromkeys(level.velocities, ZERO)
    try:
        metric = [substitute(row, rest) for row in hessian(level.lagrangian, list(velocities))]
    except ExpressionError:  # it has no value at rest, as abs(v)/v
        return None
    potential = -substitute([level.lagrangian], rest)[0]
    kinetic = dot([dot(row, velocities) for row in metric], velocities) / 2
    if is_zero(level.lagrangian - kinetic + potential, level.facts).holds is not True:
        return None
    return SimpleMechanical(tuple(map(tuple, metric)), potential)


def simple_reconstruction(found: Reconstruction) -> SimpleReconstruction | None:
    """Return locked inertia, amended potential and omega^mu where L = T - V; None where L is something else."""
    level, inner = found.level, found.level.inner
    parts = metric_and_potential(level)
    if parts is None:
        return None
    rest = dict.fromkeys(level.velocities, ZERO)
    inertia = [substitute(list(row), rest) for row in found.frame.group_part]
    spin = solve(inertia, level.momentum)
    rate = connection = None
    if found.isotropy is not None:
        rate = tuple(solve([[inertia[a][b] for b in inner] for a in inner], [level.momentum[a] for a in inner]))
        connection = from_metric(parts.metric, [level.generators[a] for a in inner]) if inner else None
    mixing = [substitute(list(row), rest) for row in found.frame.shift]
    upright = tuple(
        sum_of([(1, x), *zip(row, level.generators, strict=True)], level.chart)
        for x, row in zip(level.horizontal, mixing, strict=True)
    )
    return SimpleReconstruction(
        tuple(map(tuple, inertia)),
        dot(level.momentum, spin) / 2,
        parts.metric,
        parts.potential,
        rate,
        tuple(spin),
        connection,
        level_frame(replace(level, horizontal=upright)),
    )


def body_parts(adjoint: Rows, simple: SimpleReconstruction) -> tuple[list[list[Expr]], list[Expr]]:
    """Return the inertia h_ab = g(hatE_a, hatE_b) and the momentum A_a^b mu_b with respect to the invariant fields."""
    half = [[dot(row, column) for column in simple.locked_inertia] for row in adjoint]
    inertia = [[dot(row, other) for other in adjoint] for row in half]
    return inertia, [dot(row, simple.frame.level.momentum) for row in adjoint]


# -- claims --------------------------------------------------------------------------------------------------
def simple_laws(found: Reconstruction, simple: SimpleReconstruction) -> tuple[Claim, ...]:
    """Return what section VII claims, decided on N_mu."""
    level = simple.frame.level
    said: list[tuple[str, str, dict[str, Expr]]] = [
        (
            "locked inertia",
            "E~_a(g_bc) + C_ab^d g_cd + C_ac^d g_bd = 0: the locked inertia turns with the group",
            _inertia_defects(simple),
        ),
        ("amendment", "E~_a(C_mu) = g^bc C_ab^d mu_c mu_d, which is zero along g_mu", _amendment_defects(simple)),
        *(_isotropy_laws(found, simple) if found.isotropy is not None else ()),
        (
            "amended equations",
            "Gamma(bX_i^V(LL)) - bX_i^C(LL) = -mu_a R_ij^a v^j - X_i(C_mu), and R^mu = LL - C_mu",
            section_seven_defects(found, simple),
        ),
    ]
    verdicts = all_on_level(level, level_point(level), {name: parts for name, _, parts in said})
    if depends_on([c for x in level.horizontal for c in x.components], [symbol(TIME)]):
        why = "the mechanical connection depends on time, and the equations are for one that does not."
        verdicts["amended equations"] = Verdict("undecided", why)
    return tuple(Claim(f"simple system, {name}", text, "check", verdicts[name]) for name, text, _ in said)


def _isotropy_laws(found: Reconstruction, simple: SimpleReconstruction) -> list[tuple[str, str, dict[str, Expr]]]:
    """Return what is claimed of omega^mu."""
    return [
        (
            "inverse inertia",
            "Phi_m = omega^mu(q') = I_mu^-1(j^* mu), and Omega^m(Z) = omega^mu(T tau(Z))",
            _rate_defects(found, simple),
        ),
        (
            "one connection",
            "with the mechanical connection on M, Omega^m and Omega^N_mu coincide",
            _coincidence_defects(simple),
        ),
    ]


def _inertia_defects(simple: SimpleReconstruction) -> dict[str, Expr]:
    level, inertia = simple.frame.level, simple.locked_inertia
    size = range(len(inertia))
    defects = {}
    for a in size:
        for b in size:
            for c, rate in enumerate(level.generators[a].apply(list(inertia[b]))):
                turned = [(1, level.constants[a][b][d] * inertia[c][d]) for d in size]
                turned += [(1, level.constants[a][c][d] * inertia[b][d]) for d in size]
                defects[f"g_{b + 1}{c + 1} moved by generator {a + 1}"] = total([(1, rate), *turned])
    return defects


def _amendment_defects(simple: SimpleReconstruction) -> dict[str, Expr]:
    level, spin = simple.frame.level, simple.spin
    defects = {}
    for a, generator in enumerate(level.generators):
        rate = generator(simple.amendment)
        wanted = total([(1, spin[b] * dot(level.constants[a][b], level.momentum)) for b in range(len(spin))])
        defects[f"generator {a + 1}"] = rate - wanted
        if a in level.inner:
            defects[f"generator {a + 1}, of g_mu"] = rate
    return defects


def _rate_defects(found: Reconstruction, simple: SimpleReconstruction) -> dict[str, Expr]:
    level, velocities = found.level, found.level.velocities
    defects: dict[str, Expr] = {}
    if simple.isotropy_connection is None or simple.rate is None:
        return defects
    for a in level.inner:
        form = [simple.isotropy_connection.forms[a].component(i) for i in range(level.chart.dimension)]
        defects[f"Phi_m^{a + 1}"] = found.phi_mechanical[a] - simple.rate[a]
        defects[f"omega^mu_{a + 1}(q')"] = dot(form, velocities) - simple.rate[a]
        for q, one, other in zip(level.chart.coordinates, form, found.mechanical.forms[a], strict=True):
            defects[f"omega^mu_{a + 1} on {q!r}"] = one - other
    return defects


def _coincidence_defects(simple: SimpleReconstruction) -> dict[str, Expr]:
    first, second = mechanical(simple.frame), vertical_lift_connection(simple.frame)
    pairs = zip(first.forms, after(first, second).forms, strict=True)
    return {
        f"form {a + 1} on {q!r}": x - y
        for a, (one, other) in enumerate(pairs)
        for q, x, y in zip(simple.frame.level.chart.coordinates, one, other, strict=True)
    }


def section_seven_defects(found: Reconstruction, simple: SimpleReconstruction, sign: int = -1) -> dict[str, Expr]:
    """Return both sides of the equation with the amendment, less each other; ``sign`` is that of X_i(C_mu)."""
    frame = simple.frame
    level, speed = frame.level, frame.base_velocities
    kinetic = dot([dot(row, speed) for row in frame.base_part], speed) / 2
    reduced = kinetic - simple.potential
    routhian = level.lagrangian - dot(frame.group_velocities, frame.momenta)
    defects = {"R^mu": routhian - reduced + simple.amendment}
    for i, x in enumerate(level.horizontal):
        turned = [dot(curvature(level, x, y), level.momentum) for y in level.horizontal]
        slope = frame.vertical_fields[i](reduced)
        left = found.gamma(slope) + partial_time(slope) - frame.base_fields[i](reduced)
        right = total([(-1, dot(turned, speed)), (sign, x(simple.amendment))])
        defects[f"equation {i + 1}"] = left - right
    return defects
