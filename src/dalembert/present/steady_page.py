"""Steady motions and their stability: the page of ``steady``, as text and in a notebook."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from dalembert.expr.field import tidy
from dalembert.expr.text import text
from dalembert.expr.truth import vanish
from dalembert.model.claim import sentence
from dalembert.present.page import Block, Equations, Group, Listing, Section, Table, Words

_LEFT_OVER: Final = 1e-12
"""What Newton's method leaves of a value that is 0."""
_NOISE: Final = 1e-9
"""A smaller part of the largest value is 0: Newton's method leaves so much if motions are not isolated."""
_VANISHES: Final = ("the constant coefficient of the characteristic polynomial", "what decides on pairs of eigenvalues")
_LONGEST: Final = 160
"""Characters of an equation that is shown."""
_ROWS: Final = 6
"""How many motions of a branch are shown."""
_MODES: Final = ("eigenvalues, what grows most first (what moves most)", "")


def steady_page(found: Any, *, full: bool = False) -> Section:
    """Return the families in closed form, then those in numbers, and where stability changes along them.

    All of it has the equations that thresholds solve, the rates, and what is known of the eigenvalue 0.
    """
    named = ", ".join(one.name for one in found.symmetries)
    blocks: list[Block] = [Words(f"Symmetries divided out: {named}." if named else "No symmetry was found.")]
    if found.families is None:
        blocks.append(Words("No closed form was found; the motions below are numerical."))
    blocks += [_family(k, one, full=full) for k, one in enumerate(found.families or (), 1)]
    if any(found.motions):
        blocks += _motions(found)
    for threshold in found.thresholds:
        blocks.append(Words(_threshold(found.label, threshold, full=full)))
    for value, turn in zip(found.folds, found.turns, strict=True):
        blocks.append(Words(f"The family turns back at {found.label} = {value:.10g} ({turn.kind})."))
    for branch in found.branches:
        blocks += _branch(found.label, branch)
    return Section(f"{found.system}, {found.formalism}: {_counted(found)}", tuple(blocks), level=1)


def _counted(found: Any) -> str:
    families, motions = len(found.families or ()), sum(one is not None for one in found.motions)
    told = [f"{families} famil{'y' if families == 1 else 'ies'} of steady motions in closed form"] * bool(families)
    told += [f"{motions} steady motion{'s' * (motions != 1)} in numbers"] * bool(motions)
    return " and ".join(told) or "no steady motion was found"


def family_page(one: Any) -> Section:
    """Return a family in closed form with its stability."""
    return _family(1, one, full=True)


def motion_page(one: Any) -> Section:
    """Return a steady motion in numbers: where it is, and its eigenvalues."""
    state = ", ".join(f"{name} = {_plain(value):.6g}" for name, value in one.state.items())
    eigenvalues = Words(f"Eigenvalues, with what moves most: {spectrum(one)}.")
    return Section(state, (Words(sentence(one.stability)), eigenvalues))


def branch_page(one: Any) -> Section:
    """Return where other steady motions branch off."""
    return Section("a branch of steady motions", tuple(_branch("the label", one)))


def _family(k: int, one: Any, *, full: bool) -> Section:
    family = one.family
    state = ", ".join([*(f"{text(v)} = {text(e)}" for v, e in family.values.items()),
                       *(f"{text(v)} free" for v in family.free)])  # fmt: skip
    return Section(f"{k}. {state or 'every state'}", tuple(map(Words, _of_family(one, full=full))), level=3)


def _of_family(one: Any, *, full: bool) -> Iterator[str]:
    """Yield how a family moves, and whether it is stable."""
    family, stability = one.family, one.stability
    yield from (f"where {condition}" for condition in family.conditions)
    moving = ", ".join(f"{name} at {text(e)}" for name, e in family.turning.items() if not vanish([e]))
    yield f"It moves along {moving}." if moving else "It does not move."
    if stability is None:
        yield "Its stability has no closed form; --at and --over give it in numbers."
        return
    yield sentence(stability.sentence)
    if one.ranges is not None:
        yield f"With the given parameters this holds {one.ranges.sentence}."
    if one.nonlinear is not None:
        yield sentence(one.nonlinear.sentence)
    if one.linear is not None:
        sides = [("controllable", one.linear.controllable)] if one.linear.inputs else []
        sides += [("observable", one.linear.observable)] if one.linear.outputs else []
        for name, verdict in sides:
            word = "may be" if verdict.holds is None else "is" if verdict.holds else "is not"
            yield f"Its linear part {word} {name} ({verdict.kind})."
    if not full:
        return
    yield from (f"Long condition: {condition}." for condition in stability.long)
    if one.ranges is not None:
        name = one.ranges.label
        yield from (f"{name} = {root.ball.str(20)} solves {root.equation(name)}." for root in one.ranges.thresholds)
    if stability.rate is not None and stability.kind == "dissipative":
        yield f"Deviations across the family go as exp({text(tidy(-stability.rate))}*t)."
    if stability.zeros:
        yield _of_zero(one, stability)


def _of_zero(one: Any, spectral: Any) -> str:
    """Return what is known of the eigenvalue 0."""
    often = f"The eigenvalue 0 occurs {spectral.zeros} time{'s' * (spectral.zeros > 1)}"
    if one.dimension is not None:
        many = f"{one.dimension} dimension{'s' * (one.dimension != 1)}"
        same = one.dimension == spectral.zeros
        often += ", as often as the family has dimensions" if same else f", and the family has {many}"
    if spectral.blocks:
        return f"{often}; it has a Jordan block, so that deviations grow as powers of time."
    return f"{often}, without Jordan block{': spectral stability is linear stability' if spectral.is_linear else ''}."


def _motions(found: Any) -> Iterator[Block]:
    """Yield the motions that are numbers: along a label their eigenvalues, else their states too."""
    wanted = list(found.values) if found.label else list(range(1, len(found.motions) + 1))
    rows = tuple(
        (Words(f"{value:.6g}"), *([Words("none"), Words("")] if one is None else _row(one)))
        for value, one in zip(wanted, found.motions, strict=True)
    )
    yield Table(rows, (found.label or "motion", *_MODES))
    if found.label:
        return
    states = []
    for k, one in enumerate(found.motions, 1):
        if one is not None:
            noise = _NOISE * max((abs(value) for value in one.state.values()), default=0.0)
            there = [f"{name} = {value:.6g}" for name, value in one.state.items() if abs(value) > noise]
            states.append(Words(f"{k}: {', '.join(there) or 'all 0'}"))
    yield Listing(tuple(states), form="plain")
    yield Words("Newton's method found these from random guesses, so there may be more. Values left out are 0.")


def _row(motion: Any) -> tuple[Words, Words]:
    told = ["unstable"] * motion.grows + ["exists (proved)"] * (motion.existence.kind == "proved")
    return Words(spectrum(motion)), Words(", ".join(told))


def spectrum(motion: Any) -> str:
    """Return the eigenvalues with what moves most in their modes, pairs once."""
    scale = 1e-9 * max(1.0, max((abs(v) for v in motion.linear.eigenvalues), default=0.0))
    shown = []
    for mode in motion.linear.modes:
        small = 100 * scale if motion.freedom > 1 and abs(mode.value) < 100 * scale else scale  # a multiple zero
        real, imaginary = (0.0 if abs(x) < small else x for x in (mode.value.real, mode.value.imag))
        if imaginary < 0:
            continue
        pair = f"{real:.6g} +- {imaginary:.6g}i" if real else f"+-{imaginary:.6g}i"
        shown.append(f"{pair if imaginary else f'{real:.6g}'} ({mode.name})")
    return ", ".join(shown)


def _threshold(name: str, one: Any, *, full: bool) -> str:
    """Return where stability changes, and which equation that solves."""
    said = (
        f"At {name} = {one.value:.10g} {one.what}: {one.before} growing modes before and {one.after} after (measured)."
    )
    if one.ball is None:
        return said
    equation = None if one.exact is None else one.exact.equation(name)
    if full:
        said += f" There {_VANISHES[one.kind]} vanishes ({one.verdict.kind}): {name} = {one.ball.str(20)}."
    if equation is None:
        return said
    if len(equation) > _LONGEST:
        degree = len(one.exact.polynomial) - 1
        return f"{said} It solves an equation of degree {degree} with whole coefficients, which --json has."
    return f"{said} It solves {equation} ({one.verdict.kind})."


def _branch(label: str, branch: Any) -> Iterator[Block]:
    """Yield where other steady motions branch off, and some of them."""
    changes = f"{', '.join(branch.names)} change{'s' * (len(branch.names) == 1)}"
    where = f"Other steady motions branch off {branch.where(label)} ({branch.verdict.kind})"
    yield Words(f"{where}; on them {changes} most.")
    others = [name for name in branch.names if name != label]
    for curve in branch.branches:
        rows = []
        for k in sorted({round(i * (len(curve) - 1) / (_ROWS - 1)) for i in range(_ROWS)}):
            numbers = [curve[k].label or 0.0, *(curve[k].state[name] for name in others)]
            rows.append((*(Words(f"{_plain(x):.6g}") for x in numbers), *_row(curve[k])))
        yield Table(tuple(rows), (label, *others, *_MODES))


def _plain(value: float) -> float:
    """Return a value, or 0 for what Newton's method leaves of that."""
    return 0.0 if abs(value) < _LEFT_OVER else value


# -- the second-order form -----------------------------------------------------------------------------------------
def form_page(form: Any, names: Sequence[str] = ()) -> Section:
    """Return M, C and K by their entries that are not zero, by powers of some names where these are given."""
    said = (
        f"M q'' + C q' + K q = 0 with q = ({', '.join(form.names)}), on a family that is steady ({form.verdict.kind})"
    )
    blocks: list[Block] = []
    for letter, parts in form.by_powers(*names).items():
        for power, matrix in parts.items():
            pairs = [
                (f"{letter}{i}{j}", entry)
                for i, row in enumerate(matrix, 1)
                for j, entry in enumerate(row, 1)
                if not vanish([entry])
            ]
            title = f"{letter}, factor of {power}:" if names else f"{letter}:" if pairs else f"{letter} = 0"
            blocks += [Equations((Group(title, tuple(pairs)),))] if pairs else [Words(title)]
            if pairs and form.without_label(matrix):
                numbers = form.values(matrix)[0].tolist()
                blocks.append(Table(tuple(tuple(Words(f"{x:.15g}") for x in row) for row in numbers)))
    return Section(said, tuple(blocks), level=1)
