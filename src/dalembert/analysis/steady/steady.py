"""``steady``: the steady motions of a system, their linear parts modulo the symmetry, and whether they are stable."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dalembert.analysis.steady.branch_points import (
    BranchPoint,
    BranchRange,
    branch_points,
    branch_ranges,
    other_branches,
)
from dalembert.analysis.steady.conditions import Known, known_of
from dalembert.analysis.steady.decided_thresholds import decided, polynomial_of, spectrum
from dalembert.analysis.steady.energy_momentum import NonlinearStability, energy_momentum
from dalembert.analysis.steady.exact_linear_part import ExactLinearPart, exact_linear_part
from dalembert.analysis.steady.exact_thresholds import StableRanges, stable_ranges, values_of
from dalembert.analysis.steady.existence import existence, fold_existence
from dalembert.analysis.steady.families import SteadyFamily, steady_families
from dalembert.analysis.steady.guesses import control_columns, found_curve, found_points, held_at, label_of
from dalembert.analysis.steady.laws import is_even, is_hamiltonian
from dalembert.analysis.steady.linear_part import LinearPart, linear_part
from dalembert.analysis.steady.lyapunov_malkin import family_dimension, lyapunov_malkin
from dalembert.analysis.steady.nonholonomic_energy_momentum import nonholonomic_energy_momentum
from dalembert.analysis.steady.search import Fold, Held, Label, Point, follow, freedom
from dalembert.analysis.steady.second_order_form import in_label, label_symbol, second_order_form
from dalembert.analysis.steady.stability import SpectralStability, spectral_stability
from dalembert.analysis.steady.steady_field import SteadyField, steady_field
from dalembert.analysis.steady.symmetries import StateSymmetry
from dalembert.analysis.steady.thresholds import Threshold, thresholds
from dalembert.errors import DalembertError, ExpressionError
from dalembert.expr.graph import ZERO, Expr, number
from dalembert.expr.truth import Verdict, vanish
from dalembert.expr.walk import substitute
from dalembert.records import dataclass
from dalembert.shown import Shown

_LEFT_OVER = 1e-12
"""What Newton's method leaves of a label that is 0."""
_SMALL = 1e-7
"""Real parts below this, beside the largest eigenvalue, are taken for zero."""


@dataclass(frozen=True, slots=True, eq=False)
class SteadyMotion(Shown):
    """One steady motion, as numbers."""

    state: Mapping[str, float]
    turning: Mapping[str, float]
    """The constants xi by symmetry: how fast the motion goes along each."""
    label: float | None
    """The value of what the family was followed in."""
    linear: LinearPart
    freedom: int
    """The dimension of the family that it lies in, modulo the symmetry, with all parameters fixed."""
    existence: Verdict
    """That there is one near these numbers; ``measured`` where that is not asked for, or not proved."""

    @property
    def growth(self) -> float:
        """The largest real part of an eigenvalue."""
        values = self.linear.eigenvalues
        return float(values.real.max(initial=-np.inf))

    @property
    def grows(self) -> bool:
        """Whether an eigenvalue has a real part that is seen to be positive."""
        scale = max(1.0, float(np.abs(self.linear.eigenvalues).max(initial=0.0)))
        zeros = self.linear.matrix.shape[0] and float(np.linalg.norm(self.linear.matrix)) * 1e-6
        return self.growth > max(_SMALL * scale, zeros if self.freedom > 1 else 0.0)

    @property
    def stability(self) -> str:
        """What the eigenvalues say, in a sentence; numbers decide no more than that something grows."""
        if self.grows:
            return f"unstable: something grows as exp({self.growth:.6g} t)."
        decaying = int(np.sum(self.linear.eigenvalues.real < -_SMALL))
        if decaying == len(self.linear.eigenvalues) - self.freedom:
            return "everything across the family decays."
        return "no eigenvalue has a positive real part; not all across the family are negative."


@dataclass(frozen=True, slots=True, eq=False)
class FamilyStability(Shown):
    """A family in closed form, its linear part, and what is decided of it; nothing where a pivot may vanish on it."""

    family: SteadyFamily
    linear: ExactLinearPart | None
    stability: SpectralStability | None
    dimension: int | None = None
    """That of the family of all steady motions through it, modulo the symmetry, where it is decided."""
    nonlinear: NonlinearStability | None = None
    """That motions which begin near it stay near it, where a theorem applies."""
    ranges: StableRanges | None = None
    """Where the conditions of spectral stability hold along the one free variable, at the values of the parameters."""


@dataclass(frozen=True, slots=True, eq=False)
class SteadyBranch(Shown):
    """Where another curve of steady motions passes through the one that is followed."""

    value: float
    """The label there."""
    motion: SteadyMotion
    names: tuple[str, ...]
    """What moves most on the other curve."""
    verdict: Verdict
    branches: tuple[tuple[SteadyMotion, ...], ...] = ()
    """The other curves in each direction, where they are asked for, each motion with its label."""
    until: float | None = None
    """The end of the range of labels at all of which others pass; None where it is a single value."""

    def where(self, label: str) -> str:
        """Return "at W = 3.1", or "at every W from 3.1 to 5" for a range."""
        first, last = (0.0 if abs(x) < _LEFT_OVER else x for x in (self.value, self.until or 0.0))
        return (
            f"at {label} = {first:.12g}" if self.until is None else f"at every {label} from {first:.12g} to {last:.12g}"
        )


@dataclass(frozen=True, slots=True, eq=False)
class SteadyMotions(Shown):
    """The steady motions that were found."""

    system: str
    formalism: str
    symmetries: tuple[StateSymmetry, ...]
    families: tuple[FamilyStability, ...] | None
    """Those in closed form; None where the algebra does not allow it."""
    label: str
    motions: tuple[SteadyMotion | None, ...]
    """Those found as numbers; with a label, one for each of its values, None where there is none."""
    values: tuple[float, ...]
    """The values of the label."""
    folds: tuple[float, ...]
    """Where the label turns back."""
    turns: tuple[Verdict, ...]
    """That it does there: proved on the extended system, where proofs are asked for."""
    thresholds: tuple[Threshold, ...]
    """Where what is stable changes, along the label."""
    branches: tuple[SteadyBranch, ...] = ()
    """Where other steady motions branch off, along the label."""


def steady(
    result: Any,
    *,
    at: Mapping[str, Any] | None = None,
    over: tuple[str, Sequence[float]] | None = None,
    values: Mapping[Any, Any] | None = None,
    functions: Mapping[Any, Any] | None = None,
    observe: Sequence[str] = (),
    exact: bool = True,
    prove: bool = False,
    branches: bool = False,
    starts: int = 20,
    seed: int = 1,
) -> SteadyMotions:
    """Return the steady motions (relative equilibria) of what a formalism derived, modulo its symmetries.

    >>> from dalembert import System, derive
    >>> sleigh = System.of(name="sleigh", coordinates={"x": "real", "y": "real", "th": "angle"},
    ...     parameters={"m": 1, "J": 1, "a": 0.2},
    ...     lagrangian="m*((x' - a*sin(th)*th')^2 + (y' + a*cos(th)*th')^2)/2 + J*th'^2/2",
    ...     speeds={"v": "x'*cos(th) + y'*sin(th)"}, constraints={"blade": "x'*sin(th) = y'*cos(th)"})
    >>> found, = steady(derive(sleigh, "nonholonomic")).families
    >>> print(found.stability.sentence)
    exponentially stable across the family (all eigenvalues but 0 have negative real parts) if and only if v > 0.

    Parameters
    ----------
    at
        Values of what is held, by name: coordinates, velocities, speeds, lets, monitors. Text may be exact ("pi/2").
    over
        A name with values: a parameter, or anything as in ``at`` that labels the family. Each value gives a motion.
    values, functions
        Of parameters and functions, as in ``simulate``.
    observe
        What the matrix C of each linear part is of.
    exact
        Whether families in closed form are sought; without them, and without ``over``, numbers are.
    prove
        Whether to prove that there is a steady motion near the numbers found, by Krawczyk's test in ball arithmetic.
    branches
        Whether to follow what branches off along ``over``; that something does is told anyway.
    starts, seed
        How many random guesses are made where no other leads to a steady motion, and which.
    """
    field = steady_field(result, values=values, functions=functions)
    held, exact_values = held_at(field, at or {})
    inputs = control_columns(result, field)
    outputs = {one: field.label(one) for one in observe}
    families, even = None, is_hamiltonian(field)
    if exact:
        put = dict(exact_values)
        found = steady_families(field, put)
        families = None if found is None else tuple(_with_stability(field, one, inputs, outputs, even) for one in found)
    name, asked = over or ("", ())
    _refuse_many(asked)
    motions: tuple[SteadyMotion | None, ...] = ()
    folds: tuple[Fold, ...] = ()
    crossed: tuple[Threshold, ...] = ()
    forks: tuple[SteadyBranch, ...] = ()
    if over is not None:
        label = label_of(field, name)
        points = found_curve(
            field, result, held, label, list(map(float, asked)), at or {}, values, functions, starts, seed
        )
        points = [p if p is None or not even or is_even(linear_part(field, p).matrix) else None for p in points]
        motions = tuple(
            None if p is None else _motion(field, p, inputs, outputs, label.value(field, p), _if(prove, held, label))
            for p in points
        )
        crossed = thresholds(field, held, label, points)
        if crossed and (families or prove):
            more = {"at": at, "values": values, "functions": functions} if prove else None
            crossed = _decided_along(field, result, crossed, families or (), (name, label), motions, more)
        low, high = min(asked), max(asked)
        step = (high - low) / 40 or 0.1
        first = next((p for p in points if p is not None), None)
        if first is not None and any(p is None for p in points):
            curve, turned = follow(field, first, held, label, low, high, step)
            points, folds = [*curve], tuple(turned)

        def other(fork: BranchPoint) -> SteadyBranch:
            rest = other_branches(field, label, fork, (low, high), step) if branches else []
            return _branch(field, fork, rest, lambda p: _motion(field, p, inputs, outputs, label.value(field, p), None))

        forks = tuple(map(other, branch_points(field, held, label, points)))
        forks += tuple(
            _branch_range(field, one, label, lambda p: _motion(field, p, inputs, outputs, label.value(field, p), None))
            for one in branch_ranges(field, held, label, points)
        )
    elif families is None:
        several = found_points(field, result, held, at or {}, values, functions, starts, seed, even=even)
        motions = tuple(_motion(field, p, inputs, outputs, None, held if prove else None) for p in several)
    equations = field.problem.equations
    return SteadyMotions(
        equations.system,
        equations.formalism,
        field.symmetries,
        families,
        name,
        motions,
        tuple(map(float, asked)),
        tuple(fold.value for fold in folds),
        tuple(_turn(field, fold, held, label_of(field, name), prove) for fold in folds),
        crossed,
        forks,
    )


def _decided_along(
    field: SteadyField,
    result: Any,
    crossed: Sequence[Threshold],
    families: Sequence[FamilyStability],
    named: tuple[str, Label],
    motions: Sequence[SteadyMotion | None],
    more: Mapping[str, Any] | None,
) -> tuple[Threshold, ...]:
    """Return thresholds that are decided on the family in closed form on which the motions lie, where there is one.

    With ``more`` one is recognised in numbers, if need be, and its second-order form is used.
    """
    name, label = named
    letter = label_symbol(name) if label.place is None else list(field.problem.equations.parameters)[label.place]
    values = {p: v for p, v in values_of(field).items() if p is not letter}
    known = [m for m in motions if m is not None]

    def fits(polynomial: Sequence[Expr]) -> bool:
        for motion in (known[0], known[-1]):
            try:
                roots = spectrum(polynomial, {**values, letter: number(Fraction(motion.label or 0.0))})
            except DalembertError:
                return False
            scale = 1e-5 * (1 + float(np.abs(roots).max(initial=0.0)))
            if any(np.abs(motion.linear.eigenvalues - r).min(initial=np.inf) > scale for r in roots if abs(r) > scale):
                return False
        return True

    for one in families:
        if one.linear is None or one.family.relations or len(one.family.free) != (label.place is None):
            continue
        try:
            polynomial = substitute(list(one.linear.polynomial), in_label(one.family, label, name))
        except DalembertError:
            continue
        if fits(polynomial):
            return decided(crossed, polynomial, letter, values, one.family.verdict)
    if more is not None:
        try:
            form = second_order_form(result, label=name, **more)
            polynomial = polynomial_of(form.mass, form.damping, form.stiffness)
        except DalembertError:
            return tuple(crossed)
        if fits(polynomial):
            return decided(crossed, polynomial, letter, values, form.verdict)
    return tuple(crossed)


def _refuse_many(asked: Sequence[float]) -> None:
    if len(asked) > 100_000:
        raise ExpressionError(f"{len(asked)} values of a label are too many; 100000 are the most.")


def _with_stability(
    field: SteadyField,
    family: SteadyFamily,
    inputs: Mapping[str, Sequence[Expr]],
    outputs: Mapping[str, Expr],
    even: bool,
) -> FamilyStability:
    """Return a family with what is decided of it; nothing of one whose spectrum is to be even, and is not."""
    try:
        linear = exact_linear_part(field, family, inputs, outputs)
        if linear is None or (even and not vanish(linear.polynomial[-2::-2], [(r, ZERO) for r in family.relations])):
            return FamilyStability(family, None, None)
        label = family.free[-1] if family.free else None
        known = known_of(family.relations, family.nonzero)
        spectral = spectral_stability(linear.polynomial, linear.kernel, label, known, linear.matrix)
    except DalembertError:  # an expression that is too large, or has no value on the family
        return FamilyStability(family, None, None)
    try:
        dimension = family_dimension(field, family, linear)
        ranges = None
        if label is not None and len(family.free) == 1 and spectral.answer == "conditions":
            ranges = stable_ranges(spectral.conditions, label, values_of(field))
        nonlinear = _nonlinear(field, family, spectral, dimension, label, known)
    except DalembertError:
        return FamilyStability(family, linear, spectral)
    return FamilyStability(family, linear, spectral, dimension and dimension[0], nonlinear, ranges)


def _nonlinear(
    field: SteadyField,
    family: SteadyFamily,
    spectral: SpectralStability,
    dimension: tuple[int, tuple[Expr, ...]] | None,
    label: Expr | None,
    known: Known,
) -> NonlinearStability | None:
    """Return what the first theorem that decides something says."""
    if spectral.answer == "no":
        return None
    if spectral.kind == "dissipative":
        return lyapunov_malkin(field, spectral, dimension, label, known)
    found = energy_momentum(field, family, label, known)
    if found is None or found.answer == "no":
        return nonholonomic_energy_momentum(field, family, label, known) or found
    return found


# -- numbers -----------------------------------------------------------------------------------------------------
def _motion(
    field: SteadyField,
    point: Point,
    inputs: Mapping[str, Sequence[Expr]],
    outputs: Mapping[str, Expr],
    label: float | None,
    held: Held | Callable[[float], Held] | None,
) -> SteadyMotion:
    size, unknown = len(field.state), len(field.problem.equations.implicit)
    state = {v.data.label: float(x) + 0.0 for v, x in zip(field.state, point.y[:size], strict=True)}
    turning = {one.name: float(x) + 0.0 for one, x in zip(field.symmetries, point.y[size + unknown :], strict=True)}
    linear = linear_part(field, point, inputs, outputs)
    there = Verdict("measured", "Newton's method ends there.")
    if held is not None:
        there = existence(field, point, held(label or 0.0) if callable(held) else held)
    return SteadyMotion(state, turning, label, linear, freedom(field, point, Held()), there)


def _branch(
    field: SteadyField, fork: BranchPoint, rest: Sequence[Sequence[Point]], motion: Callable[[Point], SteadyMotion]
) -> SteadyBranch:
    size = len(field.state)
    moved = np.abs(fork.away[0].y[:size] - fork.point.y[:size])
    names = tuple(v.data.label for v, x in zip(field.state, moved, strict=True) if x > 0.3 * moved.max(initial=0.0))
    seen = Verdict("measured", "the slopes of all equations lose rank there, and a step away there is another motion.")
    curves = tuple(tuple(motion(p) for p in points) for points in rest)
    return SteadyBranch(fork.value, motion(fork.point), names, seen, curves)


def _branch_range(
    field: SteadyField, one: BranchRange, label: Label, motion: Callable[[Point], SteadyMotion]
) -> SteadyBranch:
    low, high = sorted((one.first, one.last), key=lambda point: label.value(field, point))
    names = tuple(v.data.label for v, x in zip(field.state, one.away, strict=True) if x > 0.3 * one.away.max())
    seen = "at some rate of what does not move it, the linear part loses rank at each motion that was looked at."
    ends = label.value(field, low), label.value(field, high)
    return SteadyBranch(ends[0], motion(low), names, Verdict("measured", seen), until=ends[1])


def _turn(field: SteadyField, fold: Fold, held: Held, label: Label, prove: bool) -> Verdict:
    if prove:
        return fold_existence(field, fold.point, held, label)
    return Verdict("measured", "its rate along the curve changes sign there.")


def _if(prove: bool, held: Held, label: Label) -> Callable[[float], Held] | None:
    """Return what is held at a value of the label, where a proof is asked for."""
    if not prove:
        return None
    expression = label.expression
    return lambda value: held if expression is None else held.but(expression, value)
