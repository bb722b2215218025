"""What Routh's procedure asks: a regular Lagrangian, invariant under a free action, and g_ab non-singular.

Is a value of the momentum attained? Where p_a is not linear in the velocities along the group this is a question.

No, for sure, where the value lies outside the bounds of p_a; yes where a state with that momentum is found by Newton's
method; and where none is found from many states, the value is refused too, with those words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import hypot, inf, isfinite
from random import Random

from dalembert.errors import ExpressionError, Fault
from dalembert.expr.calculus import define, gradient, hessian
from dalembert.expr.elementary import solve
from dalembert.expr.field import tidy
from dalembert.expr.graph import ZERO, Constant, Expr, Number, symbol, total
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.text import text
from dalembert.expr.truth import Facts, Verdict, depends_on_velocities, freed_from, full_rank, generic_rank, vanish
from dalembert.expr.truth.signs import ranges
from dalembert.expr.walk import evaluate, functions, substitute, symbols
from dalembert.geometry.groups.actions import Action, action_from_generators, local_freeness
from dalembert.geometry.groups.matrices import Matrix, dot, null_space, transpose
from dalembert.geometry.straighten import fresh_names
from dalembert.geometry.tangent_bundle import complete_lift
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.common import at_start, facts_of, faults_of_algebra
from dalembert.mechanics.lagrangian.noether import invariance
from dalembert.mechanics.lagrangian.regularity import idle, poles, regularity_claim
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
from dalembert.mechanics.routh.adapted_coordinates import names_of
from dalembert.mechanics.routh.level_set import LevelSet
from dalembert.model.claim import Claim
from dalembert.model.system import System
from dalembert.records import dataclass, field, replace

_SECONDS = 0.5
_ROUNDING = 1e-14
"""What is left of a momentum that vanishes for velocities that are found in floating point."""


@dataclass(frozen=True, slots=True)
class Symmetry:
    """The action of the generators that do not move time, the values of their momenta, and the hypotheses on them."""

    action: Action
    values: tuple[Expr, ...]
    hypotheses: tuple[Claim, ...]
    defaults: Mapping[Expr, Number] = field(default_factory=dict)
    """Of values that are parameters made here: the momentum at [start], in double precision."""
    gauges: tuple[Expr, ...] = ()
    """F_a where L changes by the total derivative of F_a; empty where it is invariant."""


def symmetry_of(system: System, *, up_to_derivatives: bool = False) -> Symmetry:
    """Return the action and the momentum that a system states, or raise ``HypothesisError`` with all that forbids them.

    Without [momentum] the values are parameters named mu_ and the generator. L has to be invariant, or so
    ``up_to_derivatives`` of functions of coordinates and time.
    """
    faults = _plain_faults(system)
    if faults:
        raise refusal("routh", faults)
    chosen = [name for name, generator in system.symmetry.items() if not generator.moves_time]
    invariant = [_invariance(system, name, up_to_derivatives) for name in chosen]
    faults = [fault for _, fault, _ in invariant if fault is not None]
    try:
        action = action_from_generators({name: system.symmetry[name].on(system.chart) for name in chosen})
    except ExpressionError as error:
        raise refusal("routh", [*faults, Fault("[symmetry]", str(error), kind="closure")]) from None
    free = local_freeness(action, most_minors=0).verdict
    inner = _rank(system, action)
    faults += [*_freeness_faults(free, action), *_rank_faults(free, _rank(system), inner)]
    if faults:
        raise refusal("routh", faults)
    claims = [
        *_left_out(system, chosen),
        *(claim for claim, _, _ in invariant),
        Claim("closure", "the brackets of the generators are combinations of them", "hypothesis", action.closure),
        Claim("level sets regular", "g_ab = E~_a^V E~_b^V(L) is non-singular at generic points", "hypothesis", inner),
    ]
    values = tuple(_values(system, chosen))
    gauges = tuple(gauge for *_, gauge in invariant)
    gauges = () if vanish(list(gauges)) else gauges
    return Symmetry(action, values, tuple(claims), _defaults(system, action, values, gauges), gauges)


def _plain_faults(system: System) -> list[Fault]:
    """Return what can be seen without any computing."""
    faults = faults_of_algebra(system)
    if faults:
        return faults
    if system.lagrangian is None:
        faults.append(Fault("lagrangian", "there is none", "Routh's procedure is for Euler-Lagrange equations"))
    elif system.order > 1:
        faults.append(
            Fault(
                "lagrangian",
                f"it is of order {system.order}",
                "the theorem is for a Lagrangian on TM, of order 1",
                kind="order",
            )
        )
    remedy = "use reduced, which puts in the momenta of horizontal symmetries, or nonholonomic"
    faults += [
        Fault(
            system.constraints[c].place,
            "Routh's procedure does not take constraints: momenta are not conserved under them",
            remedy,
        )
        for c in system.constraints
        if c not in system.units
    ]
    faults += [
        Fault(f"[forces] {q!r}", "Routh's procedure does not take forces: momenta are not conserved under them")
        for q, force in system.stated_forces.items()
        if not vanish([force], system.facts)
    ]
    moving = [name for name, generator in system.symmetry.items() if generator.moves_time]
    if len(moving) == len(system.symmetry):
        what = "all generators move time" if moving else "no generators are stated"
        faults.append(Fault("[symmetry]", what, "state at least one that moves coordinates alone", kind="group"))
    faults += [
        Fault(
            f"[momentum] {name}",
            f"the generator {name} moves time, so it has no momentum to fix here",
            "leave it out",
            kind="action",
        )
        for name in moving
        if name in system.momentum
    ]
    for name, generator in system.symmetry.items():
        if generator.depends_on_time and not generator.moves_time:
            what = "it depends on time, so it does not act on the coordinates alone"
            faults.append(Fault(f"[symmetry] {name}", what, "leave it out", kind="action"))
    return faults


def _invariance(system: System, name: str, up_to_derivatives: bool) -> tuple[Claim, Fault | None, Expr]:
    """Say that L is invariant under a generator, and what is wrong where it is not; and F."""
    kind, gauge, (strict, *others) = invariance(system, name)
    place, fault = f"[symmetry] {name}", None
    if kind == "none" and strict.verdict.holds is False:
        fault = Fault(
            place, f"L is not invariant under it: {strict.verdict.evidence}", "leave it out", kind="invariant"
        )
    elif kind == "up to a total derivative" and up_to_derivatives and not depends_on_velocities([gauge]):
        return replace(others[-1] if others else strict, role="hypothesis"), None, gauge
    elif kind == "up to a total derivative not found" and up_to_derivatives:
        what = "L changes under it by the rate of a function F that was not found, which is a part of its momentum"
        fault = Fault(place, what, "leave it out, or add a total derivative to L", kind="invariant")
    elif kind not in ("none", "symmetry"):
        what = "L is invariant under it only up to a total derivative, and Routh's procedure needs L itself invariant"
        fault = Fault(place, what, "leave it out, or add a total derivative to L", kind="invariant")
    return replace(strict, role="hypothesis"), fault, ZERO


def _left_out(system: System, chosen: Sequence[str]) -> list[Claim]:
    """Say which generators take no part."""
    rest = [name for name in system.symmetry if name not in chosen]
    said = "moves time and is left out" if len(rest) == 1 else "move time and are left out"
    verdict = Verdict("refuted", f"{', '.join(rest)} {said}.")
    return [Claim("generators", "all stated generators take part", "question", verdict)] if rest else []


def _freeness_faults(free: Verdict, action: Action) -> list[Fault]:
    if free.holds is not False:
        return []
    what = f"the action of {', '.join(action.names)} is not free: {free.evidence}"
    remedy = f"use a subgroup that acts freely, for instance {action.names[-1]} alone"
    return [
        Fault("[symmetry]", what.removesuffix("."), remedy if action.dimension > 1 else "leave it out", kind="free")
    ]


def _rank(system: System, action: Action | None = None) -> Verdict:
    """Decide whether the Hessian of L, or its part along the generators, has full rank at generic points."""
    assert system.lagrangian is not None
    if system.points:
        frame = TangentFrame(system)
        matrix, velocities = [frame.opened(row) for row in frame.free.mass], list(frame.velocities)
        names = [] if action is None else action.names
        fields: list[Sequence[Expr]] = [frame.opened(frame.along(system.symmetry[name])) for name in names]
    else:
        matrix, velocities = hessian(system.lagrangian, system.v), list(system.v)
        fields = [] if action is None else [e.components for e in action.generators]
    what = "Hessian"
    if action is not None:
        size = range(len(matrix))
        lowered = [[total([(1, matrix[i][j] * x[i]) for i in size]) for j in size] for x in fields]
        matrix = [[total([(1, low[j] * y[j]) for j in size]) for y in fields] for low in lowered]
        what = "matrix g_ab"
    facts = Facts.of(facts_of(system))
    try:
        found = generic_rank([facts.apply(row) for row in matrix])
    except ExpressionError as error:
        return Verdict("undecided", f"the rank of the {what} was not found: {error}")
    verdict = full_rank(found, len(matrix), f"the {what}")
    why = idle(matrix, velocities) if action is None and verdict.holds is False else ""
    return replace(verdict, evidence=f"{why}, for {verdict.evidence}") if why else verdict


def _rank_faults(free: Verdict, regular: Verdict, inner: Verdict) -> list[Fault]:
    faults = []
    if regular.holds is False:
        faults.append(Fault("lagrangian", f"it is singular: {regular.evidence}", kind="regular"))
    if inner.holds is False and free.holds:
        what = f"the momenta do not determine the velocities along the group: {inner.evidence}"
        faults.append(Fault("[symmetry]", what, "use fewer generators", kind="level"))
    return faults


def _values(system: System, chosen: Sequence[str]) -> list[Expr]:
    """Return the values of the momenta; parameters of their own where none are stated."""
    if system.momentum:
        return [system.momentum[name] for name in chosen]
    taken = names_of(system)
    return [symbol(Symbol(name, role="parameter")) for name in fresh_names([f"mu_{name}" for name in chosen], taken)]


def _defaults(system: System, action: Action, values: Sequence[Expr], gauges: Sequence[Expr]) -> dict[Expr, Number]:
    """Return the momenta at [start] for values that are parameters made here; none where they have no value there."""
    if system.momentum or not system.start.values:
        return {}
    found = at_start(system, momenta_of(system, action, gauges))
    tiny = _ROUNDING * max(1.0, *map(abs, found))  # a momentum that is zero decides what G_mu is
    found = [0.0 if abs(p) < tiny else p for p in found]
    return dict(zip(values, map(Fraction, found), strict=True)) if all(map(isfinite, found)) else {}


def momenta_of(system: System, action: Action, gauges: Sequence[Expr] = ()) -> list[Expr]:
    """Return the momenta of generators on the stated coordinates, less the functions F_a."""
    assert system.lagrangian is not None
    slopes = gradient(system.lagrangian, system.v)
    found = [dot(slopes, e.components) for e in action.generators]
    return [p - f for p, f in zip(found, gauges, strict=True)] if gauges else found


def cocycle_of(system: System, symmetry: Symmetry) -> Matrix:
    """Return sigma_ab = E~_a^C(p_b) + C_ab^c p_c, or refuse what is no constant."""
    action, rows = symmetry.action, []
    momenta, moving = momenta_of(system, action, symmetry.gauges), [*system.q, *system.v, symbol(TIME)]
    for a, e in enumerate(action.generators):
        changes = zip(action.algebra.constants[a], complete_lift(e).apply(momenta), strict=True)
        free = freed_from([total([(1, moved), (1, dot(c, momenta))]) for c, moved in changes], moving, facts_of(system))
        if free is None:
            what = "the momenta change under the group by more than constants: no action on momenta belongs to them"
            raise refusal("routh", [Fault(f"[symmetry] {action.names[a]}", what, "leave it out", kind="cocycle")])
        rows.append(tuple(tidy(one, _SECONDS) for one in substitute(free, dict.fromkeys(moving, ZERO))))
    return tuple(rows)


def affine_isotropy(symmetry: Symmetry, cocycle: Matrix) -> Matrix:
    """Return a basis of g_mu: all xi with xi^a (C_ab^c mu_c - sigma_ab) = 0."""
    algebra = symmetry.action.algebra
    turned = [
        [total([(1, a), (-1, b)]) for a, b in zip(row, constants, strict=True)]
        for row, constants in zip(algebra.coadjoint_matrix(symmetry.values), cocycle, strict=True)
    ]
    return null_space(transpose(turned), algebra.dimension)


# -- theorems ------------------------------------------------------------------------------------------------
def regular(system: System) -> Claim:
    """Say that the Lagrangian is regular, and where it is not."""
    assert system.lagrangian is not None
    return regularity_claim(hessian(system.lagrangian, system.v), _rank(system), "L", system.facts)


def free_action(action: Action) -> Claim:
    """Say where the generators are independent, where they are not, and where they have no value."""
    free = local_freeness(action)
    said = "the generators are independent at generic points"
    if free.singular is None:
        said += "; where they are not was not found"
    elif free.singular:
        said += f"; they are not where {' = '.join(text(e) for e in free.singular)} = 0, which a motion must avoid"
    undefined = poles(c for e in action.generators for c in e.components)
    if undefined:
        said += f"; they have no value where {' or '.join(text(e) + ' = 0' for e in undefined)}"
    if free.singular == () and not undefined:
        said = "the generators are independent everywhere in the chart"
    return Claim("free action", said, "hypothesis", free.verdict)


# -- is a value of the momentum attained? ----------------------------------------------------------------------
_STARTS = 60
_STEPS = 60
_CLOSE = 1e-9
_NEAR = 1e-5
"""A state is no farther than this from one with the momentum, relative to its velocities,"""
_FAR = 1e6
"""which are no larger than this."""


def attained(level: LevelSet, defaults: Mapping[Expr, Constant] | None = None) -> list[Claim]:
    """Return the claim that the value of the momentum is attained, or raise ``HypothesisError`` where it is not."""
    if level.iota is not None:
        return []
    _refuse_out_of_bounds(level)
    found = _search(level, {**level.frame.system.defaults, **(defaults or {})})
    if found is False:
        values = ", ".join(
            f"{a} = {text(mu)}" for a, mu in zip(level.frame.action.names, level.frame.momentum, strict=True)
        )
        what = f"no velocity was found at which {values}, from {_STARTS} states: the value seems not to be attained"
        raise refusal("routh", [Fault("[momentum]", what, "give other values")])
    said = (
        Verdict("measured", f"Newton's method found a state with it, to {_CLOSE}.")
        if found
        else Verdict("undecided", "not all parameters, momenta and functions have values, so no state was sought.")
    )
    return [Claim("momentum attained", "there are states with this momentum", "hypothesis", said)]


def _refuse_out_of_bounds(level: LevelSet) -> None:
    frame = level.frame
    faults = []
    for name, p, mu in zip(frame.action.names, frame.p, frame.momentum, strict=True):
        bounds = ranges([p])[0]
        below = mu.value is not None and (mu.value < bounds.low or (mu.value == bounds.low and bounds.low_open))
        above = mu.value is not None and (mu.value > bounds.high or (mu.value == bounds.high and bounds.high_open))
        if below or above:
            side = f"never below {bounds.low}" if below else f"never above {bounds.high}"
            end = " and never equal to it" if mu.value in (bounds.low, bounds.high) else ""
            what = f"the value {text(mu)} is not attained: this momentum is {side}{end}"
            faults.append(Fault(f"[momentum] {name}", what))
    if faults:
        raise refusal("routh", faults)


def _search(level: LevelSet, defaults: Mapping[Expr, Constant]) -> bool | None:
    """Return whether Newton's method finds v^a at some state; None where values are missing."""
    frame = level.frame
    values = {p: float(v) for p, v in defaults.items()}
    residuals = define(level.residuals, frame.system.definitions)
    steps = define(solve(frame.g_ab, level.residuals), frame.system.definitions)
    free = {symbol(s) for s in symbols([*residuals, *steps])} - set(values)
    if any(q.data.role == "parameter" for q in free) or functions([*residuals, *steps]):
        return None
    draw = Random(20_264)
    for _ in range(_STARTS):
        state = values | {q: _draw(draw, q) for q in sorted(free, key=text)}
        if _newton(level, residuals, steps, state):
            return True
    return False


def _draw(draw: Random, q: Expr) -> float:
    value = draw.uniform(-1.5, 1.5)
    return abs(value) + 0.1 if q.data.domain == "positive" else value


def _newton(level: LevelSet, residuals: list[Expr], steps: list[Expr], state: dict[Expr, float]) -> bool:
    """Return whether damped steps in v^a bring the residuals to zero, at fixed x, theta and v^i."""
    size = _size(residuals, state)
    for _ in range(_STEPS):
        step = evaluate(steps, Floats(state))
        if not all(map(isfinite, step)):
            return False
        speed = hypot(*(state[v] for v in level.frame.v_fibre))
        if speed > _FAR:  # the value is approached at infinity, if at all
            return False
        if size < _CLOSE and hypot(*step) < _NEAR * (1 + speed):
            return True
        for halving in range(12):
            tried = state | {v: state[v] - s * 0.5**halving for v, s in zip(level.frame.v_fibre, step, strict=True)}
            reached = _size(residuals, tried)
            if reached < size:
                break
        else:
            return False
        state, size = tried, reached
    return False


def _size(residuals: list[Expr], state: dict[Expr, float]) -> float:
    values = evaluate(residuals, Floats(state))
    return hypot(*values) if all(map(isfinite, values)) else inf
