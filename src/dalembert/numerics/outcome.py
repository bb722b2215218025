"""How a motion can end, and the sentence for it: the same whatever engine followed it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME
from dalembert.expr.text import text
from dalembert.expr.walk import evaluate, postorder
from dalembert.model.equations import Equations
from dalembert.model.faults import quoted
from dalembert.model.trajectory import Array
from dalembert.numerics.problem import LOOKS, MOST, Event, Passage, Problem

if TYPE_CHECKING:
    from dalembert.numerics.field import Tape

END: Final = 0
EVENT: Final = 1
BLOW_UP: Final = -1
COLLAPSE: Final = -2
NOT_FINITE: Final = -3
TOO_MANY_STEPS: Final = -4
UNSOLVED: Final = -5
SINGULAR: Final = -6
RANK_LOST: Final = -8
"""-7 is a member of an ensemble that has no start."""
RANGE_LEFT: Final = -9
POLE: Final = -10
NOT_UNIQUE: Final = -11

_NEAR_STOP = 1e-2
"""Steps that collapse where a stop has fallen to this part of its value at the start do so because of it."""
_CALM = 1e2
"""Where no variable has grown by this factor a range that ends is left, and not reached in a singular way."""
_GROWN = 1e6
"""A variable that has grown by this factor when steps collapse grows without bound."""
_OPEN: Final = "how the motion goes on does not follow there"
_OPEN_THERE: Final = {
    "system": f"{_OPEN}, so that it is stopped.",
    "representation": "the choice of velocities ends there, and the motion may go on; give the system of the "
    "equations, or compare with another formalism.",
}
SAMPLED: Final = f"was only sampled: in {LOOKS} places of"
CLOSER: Final = "and more closely where these suggest a zero"
_SHOWN = 80
"""The longest expression in a sentence."""
_TOLD = 24
"""So many times are told in a sentence."""
_NO_ENERGY = 1e-13
"""A direction with less kinetic energy than this, beside others, has none."""
AT_STOP = 1e-18
"""Less than this of what has to be positive is none: squares of small lengths are more."""
_SINGULAR = 1e-8
"""A mass matrix whose least singular value has fallen by this factor is singular for all purposes."""


def end_reached(t: float) -> tuple[int, str]:
    """Return status and sentence of a motion that was followed to its end."""
    return END, f"reached t = {t:.6g}."


def ended_by_event(event: Event, t: float) -> tuple[int, str]:
    """Return status and sentence of a motion that an event ended, or a condition of its equations that fails."""
    if event.hold is None:
        return EVENT, f"the event '{event.name}' ended the motion at t = {t:.12g}."
    if event.hold.power is not None:
        said = f"{event.hold.sentence}. The motion comes within the root of the tolerance of that at t = {t:.9g}"
        return NOT_UNIQUE, f"{said}, and not across: that no other motion has this start is not guaranteed."
    if event.hold.declared is None:
        said = f"{event.hold.sentence} at t = {t:.9g} as far as the tolerance can tell"
        return POLE, f"{said}, and no step past that excludes it: {_OPEN_THERE[event.hold.kind]}"
    said = f"{event.hold.sentence} at t = {t:.12g}: the equations were simplified under {event.hold.condition}"
    return (
        RANGE_LEFT,
        f"{said} and do not hold beyond. The motion itself may go on; declare a wider range to follow it.",
    )


def too_many_steps(count: int, t: float) -> tuple[int, str]:
    """Return status and sentence of a motion that takes too long."""
    said = f"{count} steps were taken and only t = {t:.6g} was reached; ask for less time, or raise the tolerance."
    return TOO_MANY_STEPS, said


def touched(name: str, places: Sequence[tuple[float, float]]) -> str:
    """Return the sentence on an event that reaches zero and turns back, from times and values."""
    at = f"at t = {places[0][0]:.9g}"
    if len(places) > 1:
        at = f"{len(places)} times, first {at}"
    largest = max((value for _, value in places), key=abs)
    said = f"its value there is {largest:.2g}" if len(places) == 1 else f"the largest value there is {largest:.2g}"
    return f"The event {quoted(name)} touches zero without passing through it {at}; {said}."


def zero_since(name: str, t: float) -> str:
    """Return the sentence on an event that stays zero for a while."""
    return f"The event {quoted(name)} is zero over an interval from t = {t:.9g} on, as far as the tolerance can tell."


def only_sampled(names: Sequence[str]) -> str:
    """Return the sentence on events that cannot be bounded."""
    events, have = _events(names), "has" if len(names) == 1 else "have"
    return f"{events} {have} no bounds and {_sampled(names)} each step, {CLOSER}."


def partly_sampled(names: Sequence[str]) -> str:
    """Return the sentence on events that bounds did not settle everywhere."""
    return f"{_events(names)} {_sampled(names)} the steps on which bounds do not settle the matter, {CLOSER}."


def sampled_too_much(names: Sequence[str]) -> str:
    """Return the sentence on events that would have needed more samples."""
    times = "times" if len(names) == 1 else "times each"
    return f"{_events(names)} would have to be sampled more often than the {MOST} {times} that a step may cost."


def _events(names: Sequence[str]) -> str:
    return f"The event{'s' * (len(names) > 1)} {', '.join(map(quoted, names))}"


def _sampled(names: Sequence[str]) -> str:
    return SAMPLED if len(names) == 1 else SAMPLED.replace("was", "were", 1)


def rank_lost(names: Sequence[str], t: float, shown: str, failed: str = "") -> tuple[int, str]:
    """Return status and sentence of a motion whose constraints lose rank; ``failed`` is what the engine said of it."""
    said = f"{_constraints(names)} rank at t = {t:.9g}, near {shown}: {_OPEN}, so that it is stopped."
    return RANK_LOST, f"{said} {failed[:1].upper()}{failed[1:]}".rstrip()


def near_rank_loss(names: Sequence[str], t: float, shown: str, ratio: float, tolerance: float) -> tuple[int, str]:
    """Return status and sentence of a motion that comes too near to a loss of rank to be told from one through it."""
    said = (
        f"{_constraints(names)} rank at t = {t:.9g}, near {shown}, as far as the tolerance {tolerance:g} can tell "
        f"(what is left of it is {ratio:.1e} of the largest): {_OPEN}, so that it is stopped. A motion that only comes "
        "near a loss passes it with a smaller tolerance."
    )
    return RANK_LOST, said


def went_through(passages: Sequence[Passage]) -> str:
    """Return the sentence on losses of rank that a motion was carried through, after a blank; nothing where none."""
    if not passages:
        return ""
    names = tuple(dict.fromkeys(name for one in passages for name in one.names))
    times = ", ".join(f"{one.time:.9g}" for one in passages[:_TOLD]) + (", ..." if len(passages) > _TOLD else "")
    lost = _constraints(names).replace(" loses", " lost").replace(" lose", " lost")
    return (
        f" {lost[:1].upper()}{lost[1:]} rank {_counted(len(passages))} on the way, at t = {times}: the motion was "
        "continued on the branch on which the velocity is continuous; others exist."
    )


def went_on(equations: Equations, changes: Sequence[float], said: Mapping[str, float]) -> str:
    """Return the sentence on a motion that went on in other variables, after a blank; nothing where it did not.

    ``said`` has what is to be known of some of these, with the time at which they came first.
    """
    if not changes:
        return ""
    times = ", ".join(f"{t:.6g}" for t in changes[:_TOLD]) + (", ..." if len(changes) > _TOLD else "")
    others = "".join(f" Near t = {t:.6g} {one}." for one, t in said.items())
    return (
        f" The variables of the {equations.formalism} equations end on the way: it went on in others "
        f"{_counted(len(changes))}, at t = {times}, and is given by the stated coordinates and velocities.{others}"
    )


def no_other_charts(t: float, why: str) -> tuple[int, str]:
    """Return status and sentence of a motion that has no variables to go on in."""
    return SINGULAR, f"the variables end at t = {t:.9g}, and there are no others: {why}."


def no_way_through(error: float) -> str:
    """Return the sentence on a loss that could not be passed, from how far off the best attempt was."""
    if not math.isfinite(error):
        return "There are too few states before it to continue smoothly."
    return f"A smooth continuation misses the constraints or the energy by {error:.1e}, so that it is none."


def _counted(times: int) -> str:
    return "once" if times == 1 else f"{times} times"


def lost_at_start(names: Sequence[str], shown: str) -> str:
    """Return the sentence for a start at which constraints lose rank."""
    return f"{_constraints(names)} rank at the start, {shown}: {_OPEN}; start elsewhere."


def _constraints(names: Sequence[str]) -> str:
    listed = ", ".join(map(quoted, names))
    return f"the constraint {listed} loses" if len(names) == 1 else f"the constraints {listed} lose"


def explain(problem: Problem, t: float, y: Sequence[float] | Array, *, unsolved: bool = False) -> tuple[int, str]:
    """Return status and sentence of a motion that could not be continued, from the last state that was reached.

    A matrix that is singular there, a variable that has grown beyond all bounds, rates that do not exist, unknowns that
    Newton's method did not find (``unsolved``): whichever it is, is said; if it is none, the steps have collapsed.
    """
    at = f"t = {t:.9g}"
    y = np.asarray(y, dtype=np.float64)
    labels = [quoted(v.data.label) for v in problem.variables]
    if unsolved:
        names = ", ".join(quoted(u.data.label) for u in problem.equations.implicit)
        return UNSOLVED, f"Newton's method did not find {names} at {at}; start from other values, or a better guess."
    grown = np.abs(y) / (1 + np.abs(problem.start))
    worst = int(np.argmax(np.where(np.isfinite(grown), grown, math.inf))) if y.size else 0
    if y.size and not np.isfinite(y[worst]):
        return NOT_FINITE, f"{labels[worst]} is not a finite number at {at}."
    for event, value, first in stops_at(problem, t, y):
        if abs(value) < _NEAR_STOP * first:
            return EVENT, f"the event '{event}' ended the motion: steps become too small towards it, at {at}."
    declared = [event for event in problem.events if event.hold is not None and event.hold.declared is not None]
    known = _values(problem, t, y) if declared and grown[worst] < _CALM else {}
    for guard in declared if known else ():
        if abs(evaluate([guard.expression], Floats(known))[0]) < problem.tolerance:
            return ended_by_event(guard, t)
    if y.size and grown[worst] > _GROWN:
        said = f"{labels[worst]} grows without bound towards {at}, as far as numbers tell: it is {y[worst]:.3g} there."
        return BLOW_UP, said
    if _least(problem, t, y) < _SINGULAR * _least(problem, problem.span[0], problem.start):
        what = (
            "the mass matrix becomes singular" if problem.equations.saddle is None else "the kinetic energy degenerates"
        )
        said = (
            f"{what} at {at}, near {_shown(problem, y)}: accelerations do not follow there; "
            "other coordinates or another formalism may pass through."
        )
        return SINGULAR, said
    broken = _broken(problem, t, y)
    if broken:
        names = ", ".join(broken)
        return NOT_FINITE, f"the rate of {names} does not exist beyond {at}, where the state is {_shown(problem, y)}."
    said = f"steps became too small to go on at {at}: the equations may be singular near {_shown(problem, y)}."
    return COLLAPSE, said


def stops_at(problem: Problem, t: float, y: Array) -> list[tuple[str, float, float]]:
    """Return what ends a motion where it falls to zero: its name, its value in a state, and that at the start."""
    stops = [event for event in problem.events if event.limit]
    several = [event.expression for event in stops]
    now, first = (
        evaluate(several, Floats(_values(problem, time, state)))
        for time, state in ((t, y), (problem.span[0], problem.start))
    )
    return [(event.name, *both) for event, *both in zip(stops, now, first, strict=True)]


def stopped_at_start(problem: Problem, guards: Sequence[Event] = ()) -> str:
    """Return a sentence where a motion ends before it begins, or a condition of its equations fails, else nothing."""
    for name, value, _ in stops_at(problem, problem.span[0], problem.start):
        if value < 0:
            return holds_already(name, value)
    known = _values(problem, problem.span[0], problem.start)
    for guard, value in zip(guards, evaluate([guard.expression for guard in guards], Floats(known)), strict=True):
        if guard.hold is not None and guard.hold.power is None and (value <= 0 if guard.hold.signed else value == 0):
            return f"the start violates {guard.hold.condition}, under which the equations hold; begin elsewhere."
    return ""


def holds_already(name: str, value: float) -> str:
    """Return the sentence on a stop that is not positive at a start."""
    return f"'{name}' holds at the start already: what has to be positive is {min(value, 0.0):.3g}; begin elsewhere."


def _values(problem: Problem, t: float, y: Array) -> dict[Expr, float]:
    equations = problem.equations
    values = {symbol(TIME): float(t)}
    values |= dict(zip(problem.variables, map(float, y), strict=True))
    values |= dict(zip(equations.parameters, map(float, problem.parameters), strict=True))
    return values | dict(zip(equations.implicit, map(float, problem.guess), strict=True))


def divided_by_little(equations: Equations, weak: Sequence[Expr], *, alone: bool) -> str:
    """Return the sentence on a motion on which something that its equations divide by vanishes, or nearly.

    Equations that are ``alone`` have no system by which they could be followed in another form.
    """
    other = "give their system" if alone and equations.saddle_form is not None else "compare with another formalism"
    what = f"What the {equations.formalism} equations divide by"
    return f"{what} vanishes on the way, or nearly ({listed(weak)}), and accuracy may be lost there; {other}."


def listed(pivots: Sequence[Expr]) -> str:
    """Return what equations divide by in words.

    >>> listed([symbol("x"), symbol("y")])
    'x, y'
    """
    return ", ".join(one if len(one) <= _SHOWN else "a longer expression" for one in map(text, pivots))


def degenerate_at_start(problem: Problem) -> str:
    """Return a sentence where the constraints leave directions without kinetic energy at a start, else nothing."""
    if problem.equations.saddle is None or _least(problem, problem.span[0], problem.start) > _NO_ENERGY:
        return ""
    for name, value, _ in stops_at(problem, problem.span[0], problem.start):
        if value < AT_STOP:
            return holds_already(name, value)
    shown = _shown(problem, problem.start)
    return f"the kinetic energy degenerates at the start, {shown}: accelerations do not follow there; begin elsewhere."


def _least(problem: Problem, t: float, y: Array) -> float:
    """Return the least singular value of the mass matrix, relative to large ones; 1 where there is none.

    Where constraints are kept beside it, it is that on the directions which they allow.
    """
    equations = problem.equations
    if not equations.mass:
        return 1.0
    size, saddle = len(equations.mass), equations.saddle
    entries = [entry for row in equations.mass for entry in row]
    entries += [] if saddle is None else [entry for row in saddle.rows for entry in row]
    known = _values(problem, t, y)
    values = _tape(tuple(entries), tuple(known))(list(known.values()))
    matrix, rows = np.split(np.array(values).reshape(-1, size), [size])
    if not (np.isfinite(matrix).all() and np.isfinite(rows).all()):
        return 1.0
    if saddle is not None:
        free = np.linalg.svd(rows)[2][saddle.rank :].T
        if not free.size:
            return 1.0
        matrix = free.T @ matrix @ free
    sizes = np.linalg.svd(matrix, compute_uv=False)
    return float(sizes[-1] / max(1.0, sizes[0]))


@lru_cache(maxsize=16)  # every motion of a system in saddle form is asked at its start
def _tape(entries: tuple[Expr, ...], inputs: tuple[Expr, ...]) -> Tape:
    from dalembert.numerics.field import Tape

    return Tape(entries, inputs)


def _broken(problem: Problem, t: float, y: Array) -> list[str]:
    """Return the variables whose rates are not finite here."""
    from dalembert.numerics.field import Field

    rates = Field(problem).rates(t, y)
    return [quoted(v.data.label) for v, r in zip(problem.variables, rates, strict=True) if not math.isfinite(r)]


def _shown(problem: Problem, y: Array) -> str:
    """Return the state in a line, the first few variables of many."""
    pairs = [f"{v.data.label} = {value:.4g}" for v, value in zip(problem.variables, y, strict=True)]
    return ", ".join(pairs[:6]) + (", ..." if len(pairs) > 6 else "")


# -- what has no value ---------------------------------------------------------------------------------------
# What exactly has no value, where the rates of a motion cease to exist: the logarithm of which expression, at what.
_AHEAD = (0.0, 1e-12, 1e-9, 1e-6, 1e-3)
"""How far ahead to look, in time: the motion stops just before the place where something ceases to exist."""


def undefined(problem: Problem, t: float, y: Array, rates: Array, unknowns: Array) -> str:
    """Return words for the first operation that has no real value at the point or a little ahead, or nothing.

    >>> import numpy as np
    >>> from dalembert.expr import log
    >>> from dalembert.model.equations import Equations
    >>> x = symbol("x")
    >>> falling = Problem(Equations("", "", {x: log(x) - 1}), np.ones(1), (0.0, 9.0), np.zeros(0))
    >>> undefined(falling, 0.9, np.array([1e-15]), np.array([-35.0]), np.zeros(0))
    'log(x) has no value for x = -3.5e-11'
    """
    equations = problem.equations
    roots = [*equations.rates().values(), *equations.reconstruction.values(), *equations.implicit.values()]
    direction = math.copysign(1.0, problem.span[1] - problem.span[0])
    for ahead in _AHEAD:
        step = direction * ahead
        values = {symbol(TIME): t + step}
        moved = [float(a) + step * float(b) if math.isfinite(b) else float(a) for a, b in zip(y, rates, strict=True)]
        values |= dict(zip(problem.variables, moved, strict=True))
        values |= dict(zip(equations.parameters, map(float, problem.parameters), strict=True))
        values |= dict(zip(equations.implicit, map(float, unknowns), strict=True))
        said = _first(roots, values)
        if said:
            return said
    return ""


def _first(roots: list[Expr], values: dict[Expr, float]) -> str:
    """Return words for the first node that is not a number though its arguments are."""
    known: dict[Expr, Any] = {}
    try:
        evaluate(roots, Floats(values), known)
    except EvaluationError:
        return ""
    for node in postorder(roots):
        if node.op not in {"call", "product", "power", "sincos"} or _finite(known[node]):
            continue
        if all(_finite(known[argument]) for argument in node.args):
            return _words(node, known)
    return ""


def _finite(value: Any) -> bool:
    parts = value if isinstance(value, list | tuple) else [value]
    return all(not isinstance(part, float) or math.isfinite(part) for part in parts)


def _words(node: Expr, known: dict[Expr, Any]) -> str:
    """Return a sentence about a node and the argument that is at fault."""
    argument = node.args[0]
    if node.op == "product":  # a pole, or a root of something negative
        for base, exponent in zip(node.args, node.data, strict=True):
            if (exponent < 0 and known[base] == 0) or (exponent.denominator != 1 and known[base] < 0):
                argument = base
    return f"{node!r} has no value for {argument!r} = {known[argument]:.2g}"
