"""In which form a motion is followed: with a choice of independent velocities, or with all of them, in saddle form.

Speeds that were stated come first, then a frame whose pivots are shown to vanish nowhere, then the saddle form.
"""

from __future__ import annotations

import numpy as np

from dalembert.errors import ExpressionError, expect
from dalembert.expr.graph import Expr, as_expr
from dalembert.expr.readers.floats import Arrays
from dalembert.expr.walk import divisors, evaluate, postorder, substitute, symbols, tree_size
from dalembert.model.equations import Elsewhere, Equations, Saddle
from dalembert.model.kept import Kept
from dalembert.model.remembered import remembered, remembered_equations
from dalembert.model.trajectory import Trajectory
from dalembert.numerics.field import inputs_of
from dalembert.numerics.losses import LOOKS
from dalembert.numerics.outcome import COLLAPSE, NOT_FINITE, POLE, SINGULAR, UNSOLVED
from dalembert.numerics.problem import Motion, Problem
from dalembert.numerics.rank import ranks_around
from dalembert.numerics.wording import NameResolver

FRAME_FAILED = frozenset({COLLAPSE, NOT_FINITE, POLE, SINGULAR, UNSOLVED})
"""How a motion ends where its equations say nothing; in another form it may go on."""
_WEAK = 0.05
"""What a frame divides by is weak where it is this part of its largest value."""
_MOST_MASSES, _MOST_NODES = 6, 800
"""So many masses of so many nodes are looked at for where they are singular."""
_KEPT = Kept()
"""Saddle forms of equations, as long as these are in use."""


def in_form(equations: Equations, form: str | None, *, through: bool = False) -> Equations:
    """Return equations in the form that is asked for: their own, or the saddle form, which a way through needs."""
    expect(form, str | None, "a form is named by text")
    if form not in {None, "frame", "saddle"}:
        raise ExpressionError(f"there is no form '{form}'; use saddle, or frame for the usual one.")
    if form == "frame" and through:
        raise ExpressionError("a motion goes through a loss of rank in saddle form only; leave out the form.")
    if form != "saddle" and not through:
        return equations
    if equations.saddle is not None and equations.saddle_form is None and not through:
        return equations  # it is in this form already
    return in_ranks(equations)


def open_pivots(equations: Equations) -> tuple[Expr, ...]:
    """Return what equations divide by and what is not shown to vanish nowhere; decided once."""

    def decided() -> tuple[Expr, ...]:
        from dalembert.expr.truth import excludes_zero, is_constant

        return tuple(p for p in equations.pivots if not (is_constant(p) or excludes_zero(p) is not None))

    def known() -> tuple[Expr, ...]:
        return remembered(equations, "open pivots", decided)

    found: tuple[Expr, ...] = _KEPT(equations)(("open pivots",), known) if equations.pivots else ()
    return found


def what_ends(equations: Equations) -> tuple[Expr, ...]:
    """Return what does not vanish as long as the variables of equations are good."""
    return (*open_pivots(equations), *(v for v in equations.state if v.data.domain in ("positive", "nonzero")))


def valid_where(equations: Equations) -> tuple[Expr, ...]:
    """Return what does not vanish where equations are valid: what ends a motion, what rates divide by as they are
    written, and the determinant of the masses. What has many nodes is left out.

    >>> from dalembert import derive, gallery
    >>> valid_where(derive(gallery.load("spherical-pendulum"), "euler-lagrange").equations)
    ((l^2*m)*(sin(theta)^2*(l^2*m)),)
    """
    from dalembert.expr.truth import excludes_zero
    from dalembert.geometry.distributions import expanded_determinant

    mass = [e for row in equations.mass for e in row]
    small = 0 < len(equations.mass) <= _MOST_MASSES and len(postorder(mass)) <= _MOST_NODES
    found = [expanded_determinant(equations.mass)] if small and equations.saddle is None else []
    written = divisors([*mass, *equations.force, *equations.kinematics.values()])
    moving = {v.data for v in equations.state}
    found += [e for e in written if moving & symbols([e]) and len(postorder([e])) <= _MOST_NODES]
    return (*what_ends(equations), *(e for e in dict.fromkeys(found) if excludes_zero(e) is None))


def may_fail(equations: Equations) -> bool:
    """Say whether equations divide by something that is not shown to vanish nowhere."""
    return bool(open_pivots(equations))


def fails_somewhere(equations: Equations) -> bool:
    """Decide whether something that equations divide by vanishes somewhere, with the default values of parameters."""

    def decided() -> bool:
        from dalembert.expr.truth import never_zero

        put: dict[Expr, Expr] = {p: as_expr(value) for p, value in equations.parameters.items()}
        pivots = substitute(list(open_pivots(equations)), put)
        return any(never_zero(pivot).holds is False for pivot in sorted(pivots, key=tree_size))

    found: bool = _KEPT(equations)(("fails",), lambda: remembered(equations, "fails", decided))
    return found


def safest_form(equations: Equations) -> Equations:
    """Return equations whose motions need no look at what they divide by: their own, else the saddle form if any.

    Reductions keep their variables: what they divide by may vanish nowhere near their motions.
    """
    if equations.saddle_form is None or equations.reconstruction or not may_fail(equations):
        return equations
    return in_ranks(equations)


def equations_followed(equations: Equations, run: Trajectory) -> Equations:
    """Return the equations whose variables a run has: these, or their saddle form, if that has such ranks.

    Or those by stated coordinates, where the run went on in other variables, or those that hold where these fail.
    """
    told = run.provenance
    went_on = run.names != tuple(v.data.label for v in (*equations.state, *equations.reconstruction))
    if equations.atlas is not None and went_on:
        return by_stated_coordinates(equations)
    if equations.elsewhere is not None and went_on:
        other = elsewhere(equations)
        return equations if other is None else other.equations
    if told.get("form") != "saddle" or equations.saddle_form is None:
        return equations
    regular = in_ranks(equations)
    whole = regular.saddle
    assert whole is not None
    most = whole.rank, whole.position_rank
    if tuple(told["rank"]) == most:
        return regular
    fits = all(rank <= one for rank, one in zip(told["rank"], most, strict=True))
    return in_ranks(equations, *told["rank"]) if fits else equations


def by_stated_coordinates(equations: Equations) -> Equations:
    """Return the same motion by stated coordinates and velocities, where equations have variables that end."""
    assert equations.atlas is not None
    atlas = equations.atlas
    found: Equations = _KEPT(equations)(("by stated coordinates",), lambda: atlas().whole())
    return found


def elsewhere(equations: Equations) -> Elsewhere | None:
    """Return other equations of the same motion, which hold where these fail, if there are any; made once."""
    make = equations.elsewhere
    found: Elsewhere | None = None if make is None else _KEPT(equations)(("elsewhere",), make)
    return found


def of_rank(equations: Equations, problem: Problem, words: NameResolver) -> Equations:
    """Return equations in saddle form with the ranks that their rows have around the start."""
    saddle = problem.equations.saddle
    if saddle is None or equations.saddle_form is None or words.system is None:
        return equations
    whole, held = ranks_around(words, problem.parameters, problem.span[0], problem.start)
    ranks = whole - rows_of_kinds(saddle, words), held
    return equations if ranks == (saddle.rank, saddle.position_rank) else in_ranks(equations, *ranks)


def rows_of_kinds(saddle: Saddle, words: NameResolver) -> int:
    """Return how many constraints of a system have no row: that rotations have unit length belongs to their kind."""
    return 0 if words.system is None else len(words.system.constraints) - len(saddle.names)


def in_ranks(equations: Equations, rank: int | None = None, position_rank: int | None = None) -> Equations:
    """Return equations in saddle form with given ranks of all rows and of the holonomic ones, made once."""
    make = equations.saddle_form
    if make is None:
        raise ExpressionError(
            f"the equations '{equations.system} {equations.formalism}' have no saddle form to change to: there is one "
            "of nonholonomic and reduced motion with a Lagrangian, in coordinates without rotations and directions; "
            "leave it out."
        )
    what = f"saddle form {rank} {position_rank}"
    found: Equations = _KEPT(equations)(
        what, lambda: remembered_equations(equations, what, lambda: make(rank, position_rank))
    )
    return found


def steps_by_size(problem: Problem, motion: Motion) -> int:
    """Return at how many ends of steps a pivot of the rates was weak, so that a linear system was solved instead."""
    pairs = [one for pair in problem.equations.guards for one in pair]
    if not pairs or problem.equations.implicit:
        return 0
    from dalembert.numerics.compile.linear import WEAK_SADDLE  # the compiler: who writes equations down needs none

    values = [motion.t, *motion.y, *problem.parameters]
    with np.errstate(all="ignore"):
        found = evaluate(pairs, Arrays(dict(zip(inputs_of(problem.equations), values, strict=True))))
        sizes = [np.broadcast_to(np.abs(one), motion.t.shape) for one in found]
        weak = [~(small > WEAK_SADDLE * large) for small, large in zip(sizes[::2], sizes[1::2], strict=True)]
    return int(np.any(weak, axis=0).sum())


def weak_pivots(equations: Equations, problem: Problem, words: NameResolver, motion: Motion) -> tuple[Expr, ...]:
    """Return what equations divide by and what vanishes, or nearly, on the way: steps pass over such a place.

    What they lose there no step knows of.
    """
    pivots, knots = open_pivots(equations), motion.t
    if not pivots or motion.dense is None or len(knots) < 2:
        return ()
    expressions = words.kept(("pivots",), lambda: words.all_translated(pivots))
    times, points = knots, np.concatenate([motion.y, motion.unknowns]) if motion.unknowns.size else motion.y
    if not motion.unknowns.size:
        parts = np.arange(LOOKS) / LOOKS
        times = np.append((knots[:-1, None] + parts * np.diff(knots)[:, None]).ravel(), knots[-1])
        points = motion.dense(times)
    values = [times, *points, *problem.parameters]
    with np.errstate(all="ignore"):
        found = evaluate(expressions, Arrays(dict(zip(inputs_of(problem.equations), values, strict=True))))
        known = np.array([np.broadcast_to(value, times.shape) for value in found])
        sizes = np.abs(known).min(axis=1) / np.abs(known).max(axis=1)
        small = ~(sizes > _WEAK) | (known.min(axis=1) * known.max(axis=1) <= 0)
    return tuple(pivot for pivot, one in zip(pivots, small.tolist(), strict=True) if one)
