"""By which of the stated generators a system with rotations is reduced, and what is decided on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import combinations, islice

from dalembert.errors import ExpressionError, Fault
from dalembert.expr.truth import Verdict, all_hold, generic_rank
from dalembert.expr.truth.many import all_vanish
from dalembert.geometry.groups.actions import action_from_generators
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.chaplygin.without_charts.hypotheses import Framed, standing_alone
from dalembert.mechanics.lagrangian.linear_terms import invariantly_stated
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
from dalembert.mechanics.reduced.by_less import by_less
from dalembert.mechanics.reduced.invariance import MOST_SUBGROUPS, FreeStart, is_free_at_start
from dalembert.mechanics.reduced.without_charts.hypotheses import View, faults_of, invariant_speeds, symmetries_of
from dalembert.mechanics.reduced.without_charts.motion import ReducedWithoutCharts, Reduction
from dalembert.mechanics.routh.without_charts.base import functions_of_base
from dalembert.model.claim import Claim
from dalembert.model.system import System


def derive_without_charts(system: System) -> ReducedWithoutCharts:
    """Return the reduced motion, or raise ``HypothesisError`` with every reason why there is none.

    >>> ball = System.of(name="ball", coordinates={"x": "real", "y": "real", "R": "rotation"}, parameters="A B C",
    ...     lagrangian="(x'^2 + y'^2)/2 + (A*R.w1^2 + B*R.w2^2 + C*R.w3^2)/2",
    ...     constraints={"a": "x' = R.s2", "b": "y' = -R.s1"},
    ...     symmetry={"e1": {"x": 1}, "e2": {"y": 1}, "e3": {"x": "-y", "y": "x", "R": "left 3"}})
    >>> found = derive_without_charts(ball)
    >>> found.functions, found.speeds.speeds, list(found.equations.reconstruction)
    ((R.m31, R.m32, R.m33), (R.w1, R.w2, R.w3), [x, y])
    """
    faults = faults_of(system)
    system, restated = (system, ()) if faults else invariantly_stated(system)
    plain = View(Framed(TangentFrame(system)))
    faults = faults or standing_alone(plain.framed)
    if faults:
        raise refusal("reduced", faults)
    kept, answers, left = symmetries_of(plain.framed, next(iter(plain.frames), None))
    if not kept:
        raise refusal("reduced", list(left.values()))
    failures: list[Fault] = []
    first = 0
    """The failure to be told: that of the whole group, seen from bodies if it is turned."""
    seen = cache(lambda: plain.seen_by_bodies(kept))
    for size in range(len(kept), 0, -1):
        for names in islice(combinations(kept, size), MOST_SUBGROUPS):
            for view in _views(plain, seen, names):
                found = _reduced(system, view, names, failures)
                if found is not None:
                    left |= {n: failures[first - 1] for n in kept if n not in names}
                    return _told(found, restated, {name: answers[name] for name in names}, left)
            first = first or len(failures)
    raise refusal("reduced", [*left.values(), *failures[first - 1 : first]])


def _views(plain: View, seen: Callable[[], View | None], names: Sequence[str]) -> Iterator[View | None]:
    """Yield the statement as it is, then seen from bodies that the group turns, then from axes that are made for it.

    Last come bodies that it turns about axes of their own, by their inverses, and those that it turns differently.
    """
    yield plain
    yield seen()
    yield plain.seen_by_bodies(names, "axes")
    yield plain.seen_inverted(names)
    yield plain.seen_aligned(names)


def _reduced(system: System, view: View | None, names: Sequence[str], why: list[Fault]) -> ReducedWithoutCharts | None:
    """Return the motion reduced by some generators; None, and why, where that is not possible."""
    if view is None:
        return None
    framed, said = view.framed, ", ".join(names)
    rows = [framed.generator(name) for name in names]
    rank = generic_rank(rows, framed.facts).rank
    if rank < len(rows):
        what = f"the orbits of {said} have dimension {rank}, the group {len(rows)}: it does not act freely"
        why.append(Fault("[symmetry]", what, "state a subgroup that does", kind="free"))
        return None
    try:
        action = action_from_generators({name: system.symmetry[name].on(system.chart) for name in names})
    except ExpressionError as error:
        why.append(Fault("[symmetry]", str(error).removesuffix("."), kind="closure"))
        return None
    base = functions_of_base(framed.frame, rows)
    wanted = framed.dimension - len(rows)
    if base.dimension < wanted:
        what = (
            f"Q/G has dimension {wanted}, of which rows, columns and entries of rotations and coordinates that are "
            f"invariant under {said} make out {base.dimension}"
        )
        why.append(Fault("[symmetry]", what, "state fewer generators", kind="base"))
        return None
    speeds = invariant_speeds(view, names)
    if speeds is None:
        what = f"no velocities were found that are invariant under {said}: on Q/G there may be no frame of them"
        why.append(Fault("[symmetry]", what, "state such in [speeds], or fewer generators", kind="frame"))
        return None
    try:
        return Reduction(system, view, speeds[0], action, base, free=speeds[1]).found()
    except ExpressionError as error:
        why.append(Fault("[symmetry]", str(error).removesuffix("."), "state fewer generators", kind="written"))
        return None


# -- what is true of it ------------------------------------------------------------------------------------------
def _told(
    found: ReducedWithoutCharts, restated: Sequence[Claim], kept: Mapping[str, Verdict], left: Mapping[str, Fault]
) -> ReducedWithoutCharts:
    """Return the motion with the hypotheses that were decided."""
    names, framed, action = ", ".join(kept), found.framed, found.action
    parts = {
        f"{f.data.label} under {name}": e
        for name in kept
        for f, e in zip(
            found.functions, framed.manifold.along(framed.generator(name), list(found.functions)), strict=True
        )
    }
    size, width, count = len(kept), framed.dimension, len(found.free.vertical)
    bound = 0 if found.equations.saddle is None else len(found.equations.saddle.rows)
    allowed = len(found.speeds.speeds) - (bound or len(framed.frame.directions))
    known = ", ".join(f.data.label for f in found.functions)
    told = f"Q/G, of dimension {width - size}, is known by {known}, which no generator moves" if known else ""
    crossed = {
        f"{v.data.label} under {name}": e
        for name in kept
        for v, z in zip(found.speeds.speeds, found.speeds.fields, strict=True)
        for e in framed.manifold.bracket(framed.generator(name), z)
    }
    met = (
        f"the allowed directions meet the orbits, of dimension {size}, in dimension {count} at generic points; "
        f"together they span {allowed + size - count} of {width} dimensions"
    )
    none = Verdict("proved", "no direction along the orbits is allowed.")
    rank = generic_rank(found.free.vertical, framed.facts).verdict if count else none
    claims = [
        Claim("algebra", f"{names} generate the Lie algebra {action.algebra.name()}", "hypothesis", action.closure),
        Claim(
            "invariant",
            f"Lagrangian, constraints and forces are invariant under {names}",
            "hypothesis",
            all_hold(dict(kept)),
        ),
        Claim("base coordinates", told or "Q/G is a point", "hypothesis", all_vanish(parts, framed.facts)),
        Claim(
            "invariant velocities",
            "no generator changes the velocities",
            "hypothesis",
            all_vanish(crossed, framed.facts),
        ),
        Claim("D meets the orbits", met, "hypothesis", rank),
    ]
    for name, fault in left.items():
        verdict = Verdict("proved", f"{fault.what}.")
        claims.append(Claim(f"left out: {name}", f"{name} is not reduced by", "question", verdict))
    found = replace(found, hypotheses=(*restated, *claims, *found.hypotheses))
    if len(kept) > 1 and found.level is None:
        less = partial(by_less, found.system, tuple(kept), derive_without_charts)
        found = replace(found, equations=replace(found.equations, elsewhere=less))
    if is_free_at_start(found.system, action):
        return found
    return replace(found, equations=replace(found.equations, initial_state=FreeStart(found.system, action)))
