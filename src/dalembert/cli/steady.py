"""``dalembert steady``: the steady motions of a system, and whether they are stable."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dalembert.cli.options import (
    As,
    AsJson,
    Symmetry,
    SystemName,
    asked,
    blaming,
    in_json,
    pairs,
    ready_to_write,
    say,
    say_found,
    table,
    taught,
)
from dalembert.cli.steady_json import form_json, motions_json, without_label
from dalembert.cli.words import Commands, Ended, echo, flag, option
from dalembert.errors import DalembertError

if TYPE_CHECKING:
    from dalembert.analysis.steady.second_order_form import SecondOrderForm
    from dalembert.analysis.steady.stability import SpectralStability
    from dalembert.analysis.steady.steady import FamilyStability, SteadyMotion, SteadyMotions
    from dalembert.analysis.steady.thresholds import Threshold

_HELP = taught(
    "Find the steady motions of a system, modulo its symmetry, and say whether they are stable.",
    "dalembert steady chaplygin-sleigh --as nonholonomic",
    "dalembert steady falling-rolling-disc --as nonholonomic --at theta=0",
    'dalembert steady falling-rolling-disc --as nonholonomic --at theta=0 --over "phi\'=0.5:5:10"',
    more="In closed form where the algebra allows it, with conditions on the parameters; along --over as numbers, with "
    "eigenvalues. The status is 1 where none is found.",
)
_LEFT_OVER = 1e-12
_VANISHES = ("the constant coefficient of the characteristic polynomial", "what decides on pairs of eigenvalues")
_LONGEST = 160
"""Characters of an equation that is shown."""
_ROWS = 6
"""How many motions of a branch are shown; JSON has all."""
_AT = "What is held: a coordinate, velocity, speed, let or monitor; pi/2 is exact."
_OVER = "What labels the family, or a parameter: v=0:10:21, or v=1,2,3."
_PROVE = "Prove that each motion found as numbers exists."
_BRANCHES = "Follow what branches off along --over, too."
_MATRICES = "M, C and K of M q'' + C q' + K q = 0 about the family of --over, by powers of these names."
_PLOT = "Draw the eigenvalues along --over."
_WHICH, _OUT = "Which motions", "What is kept"


def register(app: Commands) -> None:
    """Add the command."""

    @app.command(_HELP)
    def steady(
        system: SystemName,
        formalism: As = None,
        symmetry: Symmetry = None,
        at: Annotated[list[str] | None, option("--at", "NAME=VALUE", _AT, _WHICH)] = None,
        over: Annotated[str | None, option("--over", "NAME=VALUES", _OVER, _WHICH)] = None,
        values: Annotated[list[str] | None, option("--set", "NAME=VALUE", "A parameter.", _WHICH)] = None,
        functions: Annotated[list[str] | None, option("--let", "NAME=TEXT", "A function or control.", _WHICH)] = None,
        prove: Annotated[bool, flag("--prove", _PROVE, _WHICH)] = False,
        branches: Annotated[bool, flag("--branches", _BRANCHES, _WHICH)] = False,
        observe: Annotated[list[str] | None, option("--observe", "TEXT", "A row of C.", _OUT)] = None,
        matrices: Annotated[str | None, option("--matrices", "NAME,...", _MATRICES, _OUT)] = None,
        plot: Annotated[Path | None, option("--plot", "FILE.svg", _PLOT, _OUT)] = None,
        as_json: AsJson = False,
    ) -> None:
        from dalembert.analysis.steady.steady import steady as find
        from dalembert.mechanics.derivation import derived_once

        stated, wanted = asked(system, formalism, symmetry=symmetry)
        label = _axis(over) if over is not None else None
        about_a_family = {"--matrices": matrices is not None, "--plot": plot is not None, "--branches": branches}
        if label is None and any(about_a_family.values()):
            name = next(name for name, wanted_too in about_a_family.items() if wanted_too)
            raise DalembertError(f"{name} needs a label: give --over NAME=VALUES.")
        if plot is not None:
            ready_to_write(system, [(plot, (".svg",))])
        with blaming({"--set": values, "--at": at, "--let": functions}):
            result = derived_once(stated, wanted)
            say_found(result.system)
            found = find(
                result,
                at=pairs(at, "--at"),
                over=label,
                values=pairs(values, "--set"),
                functions=pairs(functions, "--let"),
                observe=observe or [],
                prove=prove,
                branches=branches,
            )
            form = None
            if matrices is not None and label is not None:
                from dalembert.analysis.steady.second_order_form import second_order_form

                form = second_order_form(
                    result,
                    label=label[0],
                    at=pairs(at, "--at"),
                    values=pairs(values, "--set"),
                    functions=pairs(functions, "--let"),
                )
        powers = [name.strip() for name in (matrices or "").split(",") if name.strip()]
        if as_json:
            echo(in_json(motions_json(found) | ({} if form is None else {"second order": form_json(form, powers)})))
        else:
            _tell(found)
            if form is not None:
                _tell_form(form, powers)
        if plot is not None:
            from dalembert.model.outputs import write
            from dalembert.present.spectra import picture_of

            write(plot, picture_of(found))
        if not found.families and not any(found.motions):
            raise Ended(1)


def _axis(text: str) -> tuple[str, list[float]]:
    """Return what ``NAME=a:b:n`` or ``NAME=a,b,c`` says."""
    from dalembert.numerics.sweep.axes import read_axis

    axis = read_axis(text)
    if axis.sampled:
        raise DalembertError(f"--over takes NAME=a:b:n or NAME=a,b,c, not '{text}'.")
    return axis.name, [float(v) for v in axis.values]


# -- in words ----------------------------------------------------------------------------------------------------
def _tell(found: SteadyMotions) -> None:
    named = ", ".join(one.name for one in found.symmetries) or "none was found"
    say(f"{found.system}, {found.formalism}. Symmetries of the motion: {named}.")
    if found.families is None:
        say("In closed form: the algebra does not allow it; numbers follow.")
    elif not found.families:
        say("In closed form: none was found.")
    for k, one in enumerate(found.families or (), 1):
        echo("")
        _tell_family(k, one)
    if any(found.motions):
        echo("")
        _tell_motions(found)
    for threshold in found.thresholds:
        grow = {threshold.before: "before", threshold.after: "after"}
        counts = " and ".join(f"{n} {word}" for n, word in grow.items())
        where = f"At {found.label} = {threshold.value:.13g} {threshold.what}"
        say(f"{where}: {counts} with a positive real part (measured).")
        if threshold.ball is not None:
            say(_of_root(found.label, threshold), indent="   ", hang="      ")
    for value, turn in zip(found.folds, found.turns, strict=True):
        say(f"The family turns back at {found.label} = {value:.12g} ({turn.kind}).")
    for branch in found.branches:
        where = branch.where(found.label).removeprefix("at ")
        say(
            f"At {where} other steady motions branch off ({branch.verdict.kind}); on them {_listed(branch.names)} most."
        )
        for curve in branch.branches:
            _tell_branch(found.label, branch.names, curve)


def _of_root(name: str, threshold: Threshold) -> str:
    """Return where a threshold is, and which equation it solves."""
    ball = f"There {_VANISHES[threshold.kind]} vanishes ({threshold.verdict.kind}): {name} = {threshold.ball.str(20)}"
    if threshold.exact is None:
        return f"{ball}."
    equation = threshold.exact.equation(name)
    if len(equation) > _LONGEST:
        degree = len(threshold.exact.polynomial) - 1
        return f"{ball} solves an equation of degree {degree} with whole coefficients, which --json has."
    return f"{ball} solves {equation}."


def _tell_family(k: int, one: FamilyStability) -> None:
    from dalembert.expr.field import tidy
    from dalembert.expr.text import text

    family = one.family
    shown = ", ".join(f"{text(v)} = {text(e)}" for v, e in family.values.items())
    say(f"{k}. {shown or 'every state'}", hang="   ")
    if family.free:
        say(f"free: {', '.join(map(text, family.free))}", indent="   ", hang="   ")
    for condition in family.conditions:
        say(f"where {condition}", indent="   ", hang="   ")
    moving = ", ".join(f"{name} at {text(e)}" for name, e in family.turning.items() if text(e) != "0")
    say(f"moves along {moving}" if moving else "does not move", indent="   ", hang="   ")
    if one.stability is None:
        say("its stability: no closed form; ask with --at and --over for numbers.", indent="   ", hang="   ")
        return
    say(one.stability.sentence, indent="   ", hang="   ")
    if one.linear is not None:
        sides = [("controllable", one.linear.controllable)] if one.linear.inputs else []
        sides += [("observable", one.linear.observable)] if one.linear.outputs else []
        for name, verdict in sides:
            word = "may be" if verdict.holds is None else "is" if verdict.holds else "is not"
            say(f"Its linear part {word} {name} ({verdict.kind}).", indent="   ", hang="   ")
    if one.ranges is not None:
        say(f"At the values of the parameters: {one.ranges.sentence}.", indent="   ", hang="   ")
        name = one.ranges.label
        for root in one.ranges.thresholds:
            say(f"{name} = {root.ball.str(20)} solves {root.equation(name)}", indent="      ", hang="         ")
    if one.stability.rate is not None and one.stability.kind == "dissipative":
        say(f"What is across the family goes as exp({text(tidy(-one.stability.rate))}*t).", indent="   ", hang="   ")
    if one.nonlinear is not None:
        say(one.nonlinear.sentence, indent="   ", hang="   ")
    if one.stability.zeros:
        say(_of_zero(one, one.stability), indent="   ", hang="   ")


def _of_zero(one: FamilyStability, spectral: SpectralStability) -> str:
    """Return what is known of the eigenvalue 0."""
    often = f"The eigenvalue 0 occurs {spectral.zeros} time{'s' * (spectral.zeros > 1)}"
    if one.dimension is not None:
        many = f"{one.dimension} dimension{'s' * (one.dimension != 1)}"
        same = one.dimension == spectral.zeros
        often += ", as often as the family has dimensions" if same else f", and the family has {many}"
    if spectral.blocks:
        return f"{often}; it has a Jordan block, so that deviations grow as powers of time."
    return f"{often}, without Jordan block{': spectral stability is linear stability' if spectral.is_linear else ''}."


def _tell_motions(found: SteadyMotions) -> None:
    head = [found.label or "motion", "eigenvalues, what grows most first (what moves most)", ""]
    rows = [head]
    wanted: list[Any] = list(found.values) if found.label else list(range(1, len(found.motions) + 1))
    for value, motion in zip(wanted, found.motions, strict=True):
        name = f"{value:.6g}"
        rows.append([name, "none", ""] if motion is None else [name, _spectrum(motion), _said(motion)])
    table(rows, widest=70)
    if not found.label:
        for k, motion in enumerate(found.motions, 1):
            if motion is not None:
                said = ", ".join(f"{name} = {_plain(value):.6g}" for name, value in motion.state.items())
                say(f"{k}: {said}", hang="   ")
        say("Found by Newton's method from guesses: there may be more.")


def _listed(names: tuple[str, ...]) -> str:
    return f"{', '.join(names)} change{'s' * (len(names) == 1)}"


def _tell_branch(label: str, names: tuple[str, ...], curve: tuple[SteadyMotion, ...]) -> None:
    """Print some of the motions of a branch."""
    others = [name for name in names if name != label]
    rows = [[label, *others, "eigenvalues, what grows most first (what moves most)", ""]]
    for k in sorted({round(i * (len(curve) - 1) / (_ROWS - 1)) for i in range(_ROWS)}):
        numbers = [curve[k].label or 0.0, *(curve[k].state[name] for name in others)]
        rows.append([*(f"{_plain(x):.6g}" for x in numbers), _spectrum(curve[k]), _said(curve[k])])
    table(rows, widest=70, indent="   ")


def _plain(value: float) -> float:
    """Return a value, or 0 for what Newton's method leaves of that."""
    return 0.0 if abs(value) < _LEFT_OVER else value


def _tell_form(form: SecondOrderForm, names: list[str]) -> None:
    from dalembert.expr.text import text

    echo("")
    say(f"M q'' + C q' + K q = 0 with q = ({', '.join(form.names)}), on a family that is steady ({form.verdict.kind}):")
    for letter, parts in form.by_powers(*names).items():
        for power, matrix in parts.items():
            say(f"{letter}, factor of {power}:" if names else f"{letter}:", indent="   ")
            numbers = form.values(matrix)[0] if without_label(matrix, form) else None
            rows = [[text(e) for e in row] for row in matrix]
            if numbers is not None:
                table([[f"{x:.15g}" for x in row] for row in numbers.tolist()], indent="      ")
            for i, row in enumerate(rows, 1):
                for j, entry in enumerate(row, 1):
                    if entry != "0":
                        say(f"{letter}{i}{j} = {entry}", indent="      ", hang="        ")


def _said(motion: SteadyMotion) -> str:
    told = ["grows"] if motion.grows else []
    return ", ".join([*told, *(["exists (proved)"] if motion.existence.kind == "proved" else [])])


def _spectrum(motion: SteadyMotion) -> str:
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
