"""How things of known types are shown; each is known by the name of its type, so that nothing is loaded for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from dalembert.expr.truth import vanish, vanishing
from dalembert.geometry.fields import VectorField
from dalembert.geometry.forms import Form
from dalembert.mechanics.registry import Result
from dalembert.model.claim import Claim
from dalembert.model.system import System
from dalembert.present import motion, report
from dalembert.present.combinations import field_combination, form_combination, named_combination
from dalembert.present.discovered_page import discovered_blocks
from dalembert.present.frames import film_page, framed, unpacked
from dalembert.present.motion_equations import equations_blocks
from dalembert.present.page import (
    Block,
    Claims,
    Group,
    Listing,
    Picture,
    Section,
    Table,
    Words,
    formula_or_size,
)  # fmt: skip
from dalembert.present.results import constant_rows, statement_blocks
from dalembert.present.spectra import picture_of

if TYPE_CHECKING:
    from dalembert.present.things import Sheet

RESULTS = {
    "dalembert.mechanics.lagrangian.euler_lagrange": "EulerLagrange",
    "dalembert.mechanics.nonholonomic.linear_constraints": "Nonholonomic",
    "dalembert.mechanics.nonholonomic.general_constraints": "ConstrainedMotion",
    "dalembert.mechanics.nonholonomic.saddle_point_form": "SaddlePointMotion",
    "dalembert.mechanics.chaplygin.chaplygin": "Chaplygin",
    "dalembert.mechanics.chaplygin.in_frame": "ChaplyginInFrame",
    "dalembert.mechanics.routh.routh": "Routh",
    "dalembert.mechanics.routh.cocycle": "RouthWithCocycle",
    "dalembert.mechanics.routh.on_section.derived": "RouthOnSection",
    "dalembert.mechanics.routh.without_charts.derived": "RouthWithoutCharts",
    "dalembert.mechanics.vakonomic.vakonomic": "Vakonomic",
    "dalembert.mechanics.vakonomic.on_algebra": "VakonomicOnAlgebra",
    "dalembert.mechanics.vakonomic.without_charts": "VakonomicWithoutCharts",
    "dalembert.mechanics.semisymplectic.semisymplectic": "SemiHamiltonian",
}
"""What ``derive`` returns, by the files it comes from."""


def _system(system: System, sheet: Sheet) -> Section:
    return Section(system.name, tuple(sheet.spent(block) for block in statement_blocks(system)))


def _equations(equations: Any, sheet: Sheet) -> Section:
    state, shown = equations_blocks(equations, sheet.short)
    return Section(f"{equations.system}, {equations.formalism}", (state, sheet.equations(shown.groups)))


def _result(result: Result, sheet: Sheet) -> Section:
    """Return the equations, the hypotheses folded, and what else the record has, folded too."""
    top = _equations(result.equations, sheet)
    rest = {
        name: getattr(result, name)
        for name in type(result).__dataclass_fields__  # type: ignore[attr-defined]
        if name not in ("system", "equations", "hypotheses") and not name.startswith("_")
    }
    blocks = (
        *top.blocks,
        *([sheet.claims(result.hypotheses)] if result.hypotheses else []),
        Words("claims(result) decides the theorems about it; .objects() has all objects by their names.", quiet=True),
        *([Section("what it is made of", (sheet.table(rest),), folded=True)] if rest else []),
    )
    return Section(top.title, blocks)


def _claim(claim: Claim, _: Sheet) -> Claims:
    return Claims((claim,), fold="none")


def _words(thing: Any, _: Sheet) -> Words:
    return Words(str(thing))


def _integral(found: Any, sheet: Sheet) -> Table:
    return constant_rows([found], sheet.short)


def _audit(measured: Any, sheet: Sheet) -> Section:
    head = ("watched", "constant?", "at the start", "it moved by", "relative")
    rows = tuple(
        (Words(d.name), Words("", verdict=d.conserved.kind, question=True), *(Words(str(number)) for number in d.shown))
        for d in measured.drifts
    )
    return Section("audit", (Table(rows, head), sheet.claims(measured.claims, fold="none")))


def _field(field: VectorField, sheet: Sheet) -> Block:
    return sheet.spent(field_combination(field))


def _form(form: Form, sheet: Sheet) -> Block:
    return sheet.spent(form_combination(form))


def _chart(chart: Any, _: Sheet) -> Listing:
    return Listing((Words("coordinates"), *(formula_or_size(q) for q in chart.coordinates)), form="inline")


def _frame(frame: Any, sheet: Sheet) -> Section:
    rows: dict[Any, Any] = dict(zip(frame.quasi_velocities, frame.fields, strict=False))
    drift = {"drift": frame.drift} if frame.drift is not None else {}
    about = Words("Each quasi-velocity, and its field.", quiet=True)
    return Section("frame", (about, sheet.table({**rows, **drift})))


def _distribution(distribution: Any, sheet: Sheet) -> Section:
    names = ", ".join(repr(distribution.chart.coordinates[a]) for a in distribution.dependent)
    said = f"Of rank {distribution.rank} in {distribution.chart.dimension} dimensions, spanned by"
    spanned = Listing(tuple(sheet.block(field, 1) for field in distribution.fields))
    determinant = formula_or_size(distribution.determinant)
    fails = f"It gives the velocities of {names} where this does not vanish:"
    where = (Words(fails), determinant) if names else ()
    return Section("distribution", (Words(said), spanned, *where))


def _connection(connection: Any, sheet: Sheet) -> Section:
    q = [one.data.name for one in connection.chart.coordinates]
    every = [
        (f"Gamma^{q[c]}_{q[a]}_{q[b]}", entry)
        for c, square in enumerate(connection.symbols)
        for a, row in enumerate(square)
        for b, entry in enumerate(row)
    ]
    zero = vanishing([entry for _, entry in every])
    pairs = tuple((name, sheet.short(entry)) for (name, entry), none in zip(every, zero, strict=True) if not none)
    return Section(
        "affine connection", (sheet.equations([Group("", pairs)]) if pairs else Words("All coefficients are 0."),)
    )


def _algebra(algebra: Any, sheet: Sheet) -> Section:
    rows = [
        (f"[{algebra.names[a]}, {algebra.names[b]}] = ", algebra.constants[a][b])
        for a in range(algebra.dimension)
        for b in range(a + 1, algebra.dimension)
    ]
    brackets = tuple(
        sheet.spent(named_combination(title, row, algebra.names)) for title, row in rows if not vanish(row)
    )
    shown = Listing(brackets) if brackets else Words("All brackets are 0.")
    return Section(f"Lie algebra of {', '.join(algebra.names)}", (shown,))


def _trajectory(run: Any, _: Sheet) -> Section:
    return Section(f"motion of {run.provenance.get('system', 'a system')}", motion.trajectory_blocks(run))


def _ensemble(runs: Any, sheet: Sheet) -> Block:
    blocks = motion.ensemble_blocks(runs)
    return Section("ensemble", blocks) if blocks else sheet.record(runs)


def _comparison(compared: Any, sheet: Sheet) -> Section:
    groups = [
        Group(name, tuple(("0", sheet.short(e)) for e in rows.values()))
        for name, rows in compared.side_by_side().items()
    ]
    blocks = (sheet.equations(groups), sheet.claims(compared.claims, fold="open"))
    return Section(f"{compared.system.name}: both principles", blocks)


def _motions(both: Any, _: Sheet) -> Section:
    return Section("both motions", motion.two_motions_blocks(both))


def _discovery(found: Any, _: Sheet) -> Section:
    blocks = discovered_blocks(found)
    last = {"searched"}
    folded = [
        Section(one.title, one.blocks, folded=one.anchor in last) if isinstance(one, Section) else one for one in blocks
    ]
    return Section(f"what was found of {found.system}", tuple(folded))


def _steady(found: Any, sheet: Sheet) -> Section:
    named = ", ".join(one.name for one in found.symmetries) or "none was found"
    blocks: list[Block] = [Words(f"{found.formalism}. Symmetries of the motion: {named}.")]
    if found.families == ():
        blocks.append(Words("In closed form: none was found."))
    for one in found.families or ():
        family = one.family
        words = [f"Free: {', '.join(map(str, family.free))}."] * bool(family.free)
        words += [f"Where {condition}." for condition in family.conditions]
        words += ["Its stability has no closed form."] if one.stability is None else [one.stability.sentence]
        words += [] if one.ranges is None else [f"At the values of the parameters: {one.ranges.sentence}."]
        words += [] if one.nonlinear is None else [one.nonlinear.sentence]
        state = sheet.equations([Group("a family", tuple(family.values.items()))])
        blocks += [state, Words(f"It is steady ({family.verdict.kind})."), *map(Words, words)]
    if any(found.motions):
        if found.label:
            blocks.append(Picture(picture_of(found), f"[plot: eigenvalues over {found.label}]"))
        else:
            blocks += [Words(f"{dict(one.state)}: {one.stability}") for one in found.motions if one is not None]
    for threshold in found.thresholds:
        grow = f"{threshold.before} modes grow before it, {threshold.after} after it"
        blocks.append(Words(f"At {found.label} = {threshold.value:.10g} {threshold.what}: {grow}."))
    return Section(f"steady motions of {found.system}", tuple(blocks))


def _part(part: Any, sheet: Sheet) -> Section:
    words = [part.stopped] if part.stopped else list(part.faults)
    said = [Words(s.text, s.verdict, s.formulas) for s in part.sentences]
    blocks: tuple[Block, ...] = (*map(Words, words), *said, *([sheet.claims(part.claims)] if part.claims else []))
    return Section(part.formalism, blocks)


def _study(studied: Any, _: Sheet) -> Section:
    """Return the summary, the mechanism on its way, and the whole report folded."""
    summary = report.summary_page(studied.system, studied.parts, studied.crossed)
    film = next((part.animation for part in studied.parts if part.animation), "")
    moving = (Picture(framed(film_page(film), "animation"), "[animation of the mechanism]"),) if film else ()
    whole = Picture(framed(unpacked(studied.to_html()), "report", fit=False), "[the whole report]")
    top = [block for block in summary.blocks if not (isinstance(block, Section) and block.anchor)]
    return Section(summary.title, (*top, *moving, Section("the whole report", (whole,), folded=True)))


_Look: TypeAlias = "Callable[[Any, Sheet], Block]"
LOOKS: Mapping[tuple[str, str], _Look] = {
    ("dalembert.model.claim", "Claim"): _claim,
    ("dalembert.expr.truth.verdict", "Witness"): _words,
    ("dalembert.errors", "Fault"): _words,
    ("dalembert.model.system", "System"): _system,
    ("dalembert.model.equations", "Equations"): _equations,
    ("dalembert.model.trajectory", "Trajectory"): _trajectory,
    ("dalembert.numerics.ensemble.record", "Ensemble"): _ensemble,
    ("dalembert.mechanics.second_order.search.first_integrals", "FirstIntegral"): _integral,
    ("dalembert.geometry.fields", "Chart"): _chart,
    ("dalembert.geometry.fields", "VectorField"): _field,
    ("dalembert.geometry.forms", "Form"): _form,
    ("dalembert.geometry.frames", "Frame"): _frame,
    ("dalembert.geometry.distributions", "Distribution"): _distribution,
    ("dalembert.geometry.connections.affine", "AffineConnection"): _connection,
    ("dalembert.geometry.groups.algebra", "LieAlgebra"): _algebra,
    ("dalembert.analysis.audit", "Audit"): _audit,
    ("dalembert.analysis.discovery.discover", "Discovery"): _discovery,
    ("dalembert.analysis.steady.steady", "SteadyMotions"): _steady,
    ("dalembert.analysis.compare", "Comparison"): _comparison,
    ("dalembert.analysis.compare", "Motions"): _motions,
    ("dalembert.present.report", "Part"): _part,
    ("dalembert.studies.studying", "Study"): _study,
    **dict.fromkeys(RESULTS.items(), _result),
}
"""By module and name of the type."""
