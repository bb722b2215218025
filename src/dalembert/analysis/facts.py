"""Whether a system is what its model says it is: a check of every entry of the table [facts]."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from dalembert.analysis.motions import Motions
from dalembert.errors import ExpressionError, HypothesisError, expect
from dalembert.expr.calculus import gradient, hessian
from dalembert.expr.graph import ZERO, Expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict, all_hold, depends_on, full_rank, generic_rank, is_zero, weakest
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.truth.verdict import Kind
from dalembert.expr.walk import substitute
from dalembert.geometry.distributions import Distribution, involutive
from dalembert.geometry.groups.actions import action_from_generators
from dalembert.geometry.growth import derived_flag
from dalembert.mechanics.common import points_of
from dalembert.mechanics.lagrangian.jets import derivative
from dalembert.mechanics.lagrangian.noether import invariance
from dalembert.mechanics.lagrangian.on_spheres import of_unit_length
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
from dalembert.mechanics.nonholonomic.integrable_part import allowed_directions
from dalembert.model.claim import Claim, Decided
from dalembert.model.parts import Known
from dalembert.model.system import System
from dalembert.records import replace

_SYMMETRY: Final = {
    "symmetry": "L is invariant under {}",
    "up to a total derivative": "L is invariant under {} up to a total derivative, and not without",
    "none": "L is not invariant under {}, not even up to a total derivative",
}


def check_facts(system: System) -> Decided:
    """Return a check of each fact that a model states; one that cannot be decided says why.

    >>> fall = System.of(name="fall", coordinates="z", lagrangian="z'^2/2 - z",
    ...     facts={"regular": False, "integrals": {"energy": "z'^2/2 + z"}, "varying": {"speed": "z'"}})
    >>> [(claim.name, claim.verdict.holds) for claim in check_facts(fall)]
    [('fact: regular', False), ('fact: integral energy', True), ('fact: varying speed', True)]
    """
    expect(system, System, "check_facts takes a system, of which it checks what [facts] states")
    found = (*_of_statement(system, system.known), *_of_directions(system, system.known), *_of_motions(system))
    return Decided(found)


def _claim(name: str, statement: str, said: bool, decide: Callable[..., Verdict], *about: Any) -> Claim:
    """Return the check of an answer, yes or no, to a question."""
    try:
        verdict = decide(*about)
    except (ExpressionError, HypothesisError) as error:
        verdict = Verdict("undecided", str(error))
    return Claim(f"fact: {name}", statement, "check", verdict if said else _denied(verdict))


def _denied(verdict: Verdict) -> Verdict:
    """Return the verdict on the opposite, as sure as the one there is and by the same evidence."""
    if verdict.holds is None:
        return verdict
    sure: Kind = "refuted" if verdict.holds else "proved" if verdict.error_bits is None else "certain"
    return Verdict(sure, verdict.evidence, verdict.error_bits, verdict.witness)


def _found(right: bool, evidence: str) -> Verdict:
    return Verdict("proved" if right else "refuted", evidence)


# -- what the statement alone decides ------------------------------------------------------------------------
def _of_statement(system: System, known: Known) -> Iterator[Claim]:
    """Check the number of coordinates, the Lagrangian, and what generators and constraints are."""
    if known.dimension is not None:
        right, told = len(system.q) - len(system.points) == known.dimension, f"they are {_coordinates(system)}."
        said = "the dimension" if system.points else "the number of coordinates"
        yield _claim("dimension", f"{said} is {known.dimension}", True, _found, right, told)
    if known.regular is not None:
        said = f"the Lagrangian is {'regular' if known.regular else 'singular'}"
        yield _claim("regular", said, known.regular, _regular, system)
    for name, kind in known.symmetries.items():
        yield _claim(f"symmetry {name}", _SYMMETRY[kind].format(name), True, _symmetry, system, name, kind)
    for name, kind in known.constraints.items():
        yield _claim(f"constraint {name}", f"{name} is {kind}", True, _constraint, system, name, kind)


def _coordinates(system: System) -> str:
    """Return the coordinates in words; a rotation has three dimensions, a direction two."""
    parts = {q for point in system.points for q in point.components}
    wholes = [f"{p.name} (a {p.kind} of dimension {len(p.components) - 1})" for p in system.points]
    return ", ".join([*(repr(q) for q in system.q if q not in parts), *wholes])


def _lagrangian(system: System) -> Expr:
    if system.lagrangian is None:
        raise ExpressionError("there is no Lagrangian.")
    return system.lagrangian


def _regular(system: System) -> Verdict:
    lagrangian, matrix = _lagrangian(system), None
    if system.points:
        frame = TangentFrame(system)
        matrix = [frame.opened(row) for row in of_unit_length(frame)[0]]
    else:
        matrix = hessian(lagrangian, [derivative(q, system.order) for q in system.q])
    return full_rank(generic_rank(matrix, points_of(system)), len(matrix), "its Hessian")


def _symmetry(system: System, name: str, kind: str) -> Verdict:
    _lagrangian(system)
    strict, *more = (claim.verdict for claim in invariance(system, name)[2])
    if kind == "symmetry":
        return strict
    loose = more[0] if more else strict  # what is invariant is so up to anything
    if kind == "none":
        return _denied(loose)
    return all_hold({"L is not invariant": _denied(strict), "its change is a total derivative": loose})


def _constraint(system: System, name: str, kind: str) -> Verdict:
    constraint = system.constraints[name]
    if "holonomic" in {kind, constraint.origin}:
        is_rate = constraint.origin == "holonomic"
        return _found(is_rate and kind == "holonomic", f"it is {'' if is_rate else 'not '}stated in [holonomic].")
    f = constraint.expression
    second = {
        f"the second derivative by {v.data.label} and {w.data.label}": entry
        for v, slope in zip(system.v, gradient(f, system.v), strict=True)
        for w, entry in zip(system.v, gradient(slope, system.v), strict=True)
    }
    straight = all_vanish(second, system.facts)
    if kind == "nonlinear":
        return _denied(straight)
    rest = is_zero(substitute([f], dict.fromkeys(system.v, ZERO))[0], system.facts)
    return all_hold({"by velocities": straight, "at rest": rest if kind == "linear" else _denied(rest)})


# -- directions and groups -----------------------------------------------------------------------------------
def _of_directions(system: System, known: Known) -> Iterator[Claim]:
    """Check the algebra of the generators, and the directions that constraints allow."""
    if known.algebra:
        yield _claim("algebra", f"the generators span {known.algebra}", True, _algebra, system, known.algebra)
    if known.growth:
        said = f"the growth vector is {known.growth}"
        yield _claim("growth", said, True, _growth, system, known.growth)
    if known.holonomic is not None:
        said = f"the directions that the constraints allow are {'' if known.holonomic else 'not '}involutive"
        yield _claim("holonomic", said, known.holonomic, _involutive, system)


def _algebra(system: System, name: str) -> Verdict:
    fields = {key: g.on(system.chart) for key, g in system.symmetry.items() if g.components}
    action = action_from_generators(fields)
    found, closure = action.algebra.name(), action.closure
    if closure.holds is not True or found == "unknown":
        return Verdict("undecided", f"it is {found}: {closure.evidence}")
    return Verdict(closure.kind if found == name else "refuted", f"it is {found}.", closure.error_bits)


def _involutive(system: System) -> Verdict:
    """Decide it in space and time where constraints move: y' = t*x' is involutive at each time, and on no positions."""
    allowed = _directions(system)
    if not _moves(allowed):
        return involutive(allowed, points_of(system) if system.points else system.facts)
    if system.points:
        raise ExpressionError("constraints that depend on time are not decided beside rotations and directions.")
    matrix, q = system.constraint_matrix(), system.chart.coordinates
    columns = [system.q.index(one) for one in q]
    forms = [[rest, *(row[k] for k in columns)] for row, rest in zip(matrix.rows, matrix.remainder, strict=True)]
    chart = replace(system.chart, coordinates=(symbol(TIME), *q))
    return involutive(Distribution.from_forms(chart, forms), system.facts)


def _moves(allowed: Distribution) -> bool:
    return depends_on([b for row in allowed.coefficients for b in row], [symbol(TIME)])


def _directions(system: System) -> Distribution:
    if {system.kind_of(name) for name in system.constraints} - {"linear", "holonomic"} or not system.constraints:
        raise ExpressionError("only linear constraints say which directions are allowed.")
    places = [system.q.index(q) for q in system.dependent] or None
    return allowed_directions(system, places)


def _growth(system: System, growth: Sequence[int]) -> Verdict:
    allowed = _directions(system)
    if _moves(allowed):
        raise ExpressionError("the constraints depend on time: directions at one instant do not say what they reach.")
    steps = derived_flag(allowed.fields)
    where = points_of(system) if system.points else ()
    ranks = [generic_rank([f.components for f in step], where) for step in steps]
    found = tuple(rank.rank for rank in ranks)
    kind, bits = weakest(rank.verdict for rank in ranks)
    return Verdict(kind if found == tuple(growth) or kind == "undecided" else "refuted", f"it is {found}.", bits)


# -- motions -------------------------------------------------------------------------------------------------
def _of_motions(system: System) -> Iterator[Claim]:
    """Check what is constant along motions, and what is not."""
    known, motions = system.known, Motions(system)
    if known.energy_conserved is not None:
        said = f"the energy is {'' if known.energy_conserved else 'not '}conserved"
        yield _claim("energy conserved", said, known.energy_conserved, motions.keep_energy)
    for what, functions, kept, words in (
        ("integral", known.integrals, True, "is constant along the motions"),
        ("varying", known.varying, False, "is not constant along the motions"),
        ("critical", known.critical, True, "is constant along the vakonomic motions"),
    ):
        keep = Motions(system, "vakonomic").keep if what == "critical" else motions.keep
        for name, function in functions.items():
            yield _claim(f"{what} {name}", f"{function} {words}", kept, keep, function)
