"""The statements of sections II and III of Crampin and Mestdag, each as functions on the tangent bundle that vanish.

A point of the tangent bundle lies on the level set of its own momentum, so what holds on N_mu for every mu is asked
with p_a in the place of mu_a. Signs are those that hold (the printed ones of Gamma_0 and of the second form do not).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING

from dalembert.errors import Fault
from dalembert.expr.calculus import hessian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import VectorField, bracket, combination, coordinate_field
from dalembert.geometry.tangent_bundle import complete_lift, vertical_lift
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.lagrangian.jets import euler_operators
from dalembert.mechanics.routh.frame import SymmetricFrame
from dalembert.mechanics.routh.hypotheses import momenta_of
from dalembert.mechanics.routh.level_set import LevelSet, fixed_velocity_seed
from dalembert.model.claim import Claim

if TYPE_CHECKING:
    from dalembert.mechanics.routh.routh import Routh


def _parts(what: str, values: Iterable[Expr]) -> dict[str, Expr]:
    return {f"{what}, {k + 1}": value for k, value in enumerate(values)}


# -- section II ----------------------------------------------------------------------------------------------
def principal_connection(frame: SymmetricFrame) -> Claim:
    """Say that the horizontal fields of the connection are invariant, or raise ``HypothesisError``."""
    invariant = {
        f"[{name}, X_{x!r}]": c
        for name, e in zip(frame.action.names, frame.action.generators, strict=True)
        for x, field in zip(frame.base, frame.horizontal, strict=True)
        for c in bracket(e, field).components
        if c is not ZERO
    }
    said = f"the {frame.connection_name} connection is principal: its horizontal fields X_i are invariant"
    verdict = all_vanish(invariant, frame.system.facts)
    if verdict.holds is False:
        what = f"it is not invariant under the group, so it is no principal connection: {verdict.evidence}"
        raise refusal("routh", [Fault("[bundle] connection", what, "use trivial or mechanical, or another one")])
    return Claim("principal connection", said, "hypothesis", verdict)


def equivariance_defects(result: Routh) -> dict[str, Expr]:
    """Return E~_a^C(p_b) + C_ab^c p_c."""
    frame, names = result.frame, result.frame.action.names
    return {
        f"{names[a]} on the momentum of {names[b]}": total(
            [(1, moved), *((1, c * p) for c, p in zip(frame.constants[a][b], frame.p, strict=True))]
        )
        for a, e in enumerate(frame.e_complete)
        for b, moved in enumerate(e.apply(frame.p))
    }


def lift_defects(result: Routh) -> dict[str, Expr]:
    """Compare the lifts in quasi-velocities with those in velocities, by what they do to v^a."""
    frame = result.frame
    quasi = frame.quasi_velocities()
    back = dict(zip(frame.v_fibre, quasi, strict=True))
    defects: dict[str, Expr] = {}
    pairs = [
        *((f, c, v, "X") for f, c, v in zip(frame.horizontal, frame.x_complete, frame.x_vertical, strict=True)),
        *((f, c, v, "E") for f, c, v in zip(frame.action.generators, frame.e_complete, frame.e_vertical, strict=True)),
    ]
    for k, (field, complete, vertical, kind) in enumerate(pairs):
        for lifted, quasi_lift, how in ((complete_lift(field), complete, "C"), (vertical_lift(field), vertical, "V")):
            wanted = substitute(quasi_lift.apply(list(frame.v_fibre)), back)
            for a, (one, other) in enumerate(zip(lifted.apply(quasi), wanted, strict=True)):
                defects[f"{kind}^{how}, field {k + 1}, on v^a, {a + 1}"] = one - other
    return defects


# -- section III ---------------------------------------------------------------------------------------------
def barred_defects(result: Routh) -> dict[str, Expr]:
    """Return what barred fields do to the momenta."""
    level = result.level
    barred = [*level.x_complete, *level.x_vertical, *level.e_complete]
    return _parts("a barred field on a momentum", (m for field in barred for m in field.apply(level.frame.p)))


def first_form_defects(result: Routh) -> dict[str, Expr]:
    """Return the generalised Routh equations along the Euler-Lagrange field."""
    return _parts("equation", first_form(result.level, euler_lagrange_field(result.frame)))


def second_form_defects(result: Routh) -> dict[str, Expr]:
    """Return the equations with Gamma_0 along the Euler-Lagrange field."""
    return _parts("equation", second_form(result.level, euler_lagrange_field(result.frame)))


def gamma_zero_defects(result: Routh) -> dict[str, Expr]:
    """Return Gamma less Gamma_0 and the part along the group."""
    gamma = euler_lagrange_field(result.frame)
    return _parts("component", (gamma - _with_group(result.level, gamma)).components)


def coordinate_defects(result: Routh) -> dict[str, Expr]:
    """Return the rates by the Routh equations in coordinates less those of the Euler-Lagrange field."""
    frame = result.frame
    gamma, found = euler_lagrange_field(frame), result.motion.seed(frame)
    return {f"the rate of {v!r}": found[v] - gamma.components[frame.quasi_chart.place(v)] for v in _velocities(frame)}


def _velocities(frame: SymmetricFrame) -> tuple[Expr, ...]:
    return (*frame.v_base, *frame.v_fibre)


def euler_lagrange_field(frame: SymmetricFrame) -> VectorField:
    """Return Gamma on the quasi-chart by Gamma(Z^V(L)) = Z^C(L) for all fields Z of the frame."""
    velocities = _velocities(frame)
    lagrangian = frame.quasi_lagrangian
    momenta = [field(lagrangian) for field in (*frame.x_vertical, *frame.e_vertical)]
    moved = tangent(momenta, fixed_velocity_seed(frame))
    pushed = [field(lagrangian) for field in (*frame.x_complete, *frame.e_complete)]
    rates = solve(hessian(lagrangian, velocities), [f - m for f, m in zip(pushed, moved, strict=True)])
    seed = fixed_velocity_seed(frame) | dict(zip(velocities, rates, strict=True))
    return VectorField(frame.quasi_chart, tuple(seed[q] for q in frame.quasi_chart.coordinates))


def routhian_defects(result: Routh) -> dict[str, Expr]:
    """Return what X_i^V and X_i^C on L differ by from what the barred fields and the curvature make of R."""
    frame, level = result.frame, result.level
    defects = {}
    for i, x in enumerate(frame.base):
        bent = _bent(frame, i, frame.curvature)
        defects[f"X_{x!r}^V"] = frame.x_vertical[i](frame.quasi_lagrangian) - level.x_vertical[i](level.routhian)
        defects[f"X_{x!r}^C"] = frame.x_complete[i](frame.quasi_lagrangian) - level.x_complete[i](level.routhian) + bent
    return defects


def _bent(frame: SymmetricFrame, i: int, curvature: Sequence[Sequence[Sequence[Expr]]]) -> Expr:
    """Return p_a R_ij^a v^j."""
    pairs = product(range(len(frame.p)), range(len(frame.v_base)))
    return total([(1, frame.p[a] * curvature[i][j][a] * frame.v_base[j]) for a, j in pairs])


def hessian_defects(result: Routh) -> dict[str, Expr]:
    """Return bX_i^V bX_j^V(R) - (g_ij - g^ab g_ia g_jb)."""
    level, mass = result.level, result.motion.mass
    base = range(len(level.frame.base))
    slopes = [field(level.routhian) for field in level.x_vertical]
    return {f"entry {i + 1}, {j + 1}": level.x_vertical[i](slopes[j]) - mass[i][j] for i in base for j in base}


def bracket_defects(result: Routh) -> dict[str, Expr]:
    """Return what the brackets of barred fields differ by from what they should be."""
    frame, level = result.frame, result.level
    constants = frame.action.algebra.constants
    x_c, x_v, e_c = level.x_complete, level.x_vertical, level.e_complete
    wanted: dict[str, tuple[VectorField, VectorField, Sequence[Expr]]] = {}
    none = [ZERO] * len(e_c)
    for (i, left), (j, right) in combinations(enumerate(x_c), 2):
        wanted[f"[bX_{i + 1}^C, bX_{j + 1}^C]"] = left, right, frame.curvature[i][j]
    for (i, left), (j, right) in product(enumerate(x_c), enumerate(x_v)):
        wanted[f"[bX_{i + 1}^C, bX_{j + 1}^V]"] = left, right, none
    for (i, left), (j, right) in combinations(enumerate(x_v), 2):
        wanted[f"[bX_{i + 1}^V, bX_{j + 1}^V]"] = left, right, none
    for (a, left), (b, right) in combinations(enumerate(e_c), 2):
        wanted[f"[bE_{a + 1}^C, bE_{b + 1}^C]"] = left, right, [-c for c in constants[a][b]]
    for (a, left), (i, right) in product(enumerate(e_c), enumerate((*x_c, *x_v))):
        wanted[f"[bE_{a + 1}^C, barred field {i + 1} of the base]"] = left, right, none
    return {
        f"{name}, component {k + 1}": part
        for name, (left, right, row) in wanted.items()
        for k, part in enumerate((bracket(left, right) - combination(zip(row, e_c, strict=True))).components)
    }


def first_form(level: LevelSet, gamma: VectorField) -> list[Expr]:
    """Return Gamma(bX_i^V(R)) - bX_i^C(R) + p_a R_ij^a v^j, which vanish."""
    frame = level.frame
    slopes = gamma.apply([field(level.routhian) for field in level.x_vertical])
    return [
        slopes[i] - level.x_complete[i](level.routhian) + _bent(frame, i, frame.curvature)
        for i in range(len(frame.base))
    ]


def gamma_zero(level: LevelSet, gamma: VectorField) -> VectorField:
    """Return Gamma_0 = v^i hX_i^C + Gamma^i bX_i^V with hX_i^C = bX_i^C + B_i^a bE_a^C (and time)."""
    frame = level.frame
    hats = _hats(level)
    rates = [gamma.components[frame.quasi_chart.place(v)] for v in frame.v_base]
    moved = [*zip(frame.v_base, hats, strict=True), *zip(rates, level.x_vertical, strict=True)]
    return combination([(ONE, _clock(level)), *moved])


def _clock(level: LevelSet) -> VectorField:
    """Return d/dt, made tangent to the level sets where L depends on time; else nothing."""
    frame = level.frame
    if not frame.timed:
        return VectorField.of(frame.quasi_chart, {})
    clock = coordinate_field(frame.quasi_chart, symbol(TIME))
    rates = solve(frame.g_ab, [-rate for rate in clock.apply(frame.p)])
    return combination([(ONE, clock), *zip(rates, frame.e_vertical, strict=True)])


def _hats(level: LevelSet) -> list[VectorField]:
    return [
        combination([(ONE, field), *zip(row, level.e_complete, strict=True)])
        for field, row in zip(level.x_complete, level.b_coefficients, strict=True)
    ]


def _with_group(level: LevelSet, gamma: VectorField) -> VectorField:
    """Return Gamma_0 + (v^a - B_i^a v^i) bE_a^C."""
    frame = level.frame
    rest = [
        total([(1, v), *((-1, level.b_coefficients[i][a] * w) for i, w in enumerate(frame.v_base))])
        for a, v in enumerate(frame.v_fibre)
    ]
    return combination([(ONE, gamma_zero(level, gamma)), *zip(rest, level.e_complete, strict=True)])


def second_form(level: LevelSet, gamma: VectorField) -> list[Expr]:
    """Return Gamma_0(bX_i^V(R)) - hX_i^C(R) + p_a (R_ij^a - B_i^b B_j^c C_bc^a) v^j, which vanish."""
    frame = level.frame
    base, group = range(len(frame.base)), range(len(frame.p))
    constants, b = frame.action.algebra.constants, level.b_coefficients
    turned = [
        [
            [
                total(
                    [(1, frame.curvature[i][j][a])]
                    + [(-1, constants[e][f][a] * b[i][e] * b[j][f]) for e in group for f in group]
                )
                for a in group
            ]
            for j in base
        ]
        for i in base
    ]
    slopes = gamma_zero(level, gamma).apply([field(level.routhian) for field in level.x_vertical])
    return [slopes[i] - hat(level.routhian) + _bent(frame, i, turned) for i, hat in enumerate(_hats(level))]


# -- the motion in the stated coordinates --------------------------------------------------------------------
def motion_defects(result: Routh) -> dict[str, Expr]:
    """Return the Euler-Lagrange equations of the stated Lagrangian along the motion that was found."""
    return _parts("an Euler-Lagrange equation", full_equations(result.frame, _seed(result)))


def momentum_defects(result: Routh) -> dict[str, Expr]:
    """Return the momenta of the stated generators along the motion that was found, less mu."""
    frame = result.frame
    momenta = substitute(momenta_of(frame.system, frame.stated), _stated(frame, _seed(result)))
    if result.orbit is not None:
        momenta = substitute(momenta, dict(zip(result.orbit.momenta, result.orbit.spin, strict=True)))
    pairs = zip(frame.stated.names, momenta, frame.stated_momentum, strict=True)
    return {f"the momentum of {name}": p - mu for name, p, mu in pairs}


def _seed(result: Routh) -> Mapping[Expr, Expr]:
    """Return the rates of state and lift as they are written; of the quasi-chart, where unknowns are left in them."""
    if result.level.iota is None:
        return result.motion.seed(result.frame)
    return {**result.equations.rates(), **result.equations.reconstruction, symbol(TIME): ONE}


def _stated(frame: SymmetricFrame, seed: Mapping[Expr, Expr]) -> dict[Expr, Expr]:
    """Return the stated coordinates and velocities along a motion in the adapted coordinates."""
    system = frame.system
    positions = [frame.coordinates.inverse[q] for q in system.q]
    return dict(zip((*system.q, *system.v), (*positions, *tangent(positions, seed)), strict=True))


def full_equations(frame: SymmetricFrame, seed: Mapping[Expr, Expr]) -> list[Expr]:
    """Return the Euler-Lagrange equations of the stated Lagrangian on a motion given by rates."""
    system = frame.system
    assert system.lagrangian is not None
    put = _stated(frame, seed)
    accelerations = tangent([put[v] for v in system.v], seed)
    put |= dict(zip((v.dot for v in system.v), accelerations, strict=True))
    return substitute(euler_operators(system.lagrangian, system.q, 1), put)
