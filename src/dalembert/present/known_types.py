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
from dalembert.present import analyses, motion, report
from dalembert.present.combinations import field_combination, form_combination, named_combination
from dalembert.present.discovered_page import discovered_blocks, field_block
from dalembert.present.frames import film_page, framed, unpacked
from dalembert.present.motion_equations import equations_blocks
from dalembert.present.overview import grouped_claims
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
from dalembert.present.run_page import agreement_page, audit_page, drift_page, ensemble_words, run_page, swept_page
from dalembert.present.spectra import picture_of
from dalembert.present.steady_page import branch_page, family_page, form_page, motion_page, steady_page
from dalembert.present.study_overview import study_overview

if TYPE_CHECKING:
    from dalembert.present.things import Sheet


def _system(system: System, sheet: Sheet) -> Section:
    return Section(system.name, tuple(sheet.spent(block) for block in statement_blocks(system)))


def _equations(equations: Any, sheet: Sheet) -> Section:
    state, shown = equations_blocks(equations, sheet.short)
    return Section(f"{equations.system}, {equations.formalism}", (state, sheet.equations(shown.groups)))


def result_look(result: Result, sheet: Sheet) -> Section:
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
    claims = sheet.claims(measured.claims, fold="closed")
    return Section("audit", (*audit_page(measured).blocks, claims))


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
    """Return how a motion ended, its values, and its plots; phase portraits folded."""
    told = run_page(run)
    return Section(told.title, (*told.blocks, *motion.trajectory_plots(run)))


def _ensemble(runs: Any, _: Sheet) -> Section:
    return Section(runs.summary(), (*ensemble_words(runs), *motion.ensemble_plots(runs)))


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
    return Section(found.system, discovered_blocks(found, full=False), level=1)


def _steady(found: Any, _: Sheet) -> Section:
    """Return steady motions with a plot of their eigenvalues."""
    told = steady_page(found)
    if not found.label or not any(found.motions):
        return told
    plot = Picture(picture_of(found), f"[plot: eigenvalues over {found.label}]")
    return Section(told.title, (*told.blocks, plot))


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


def _page(make: Callable[[Any], Block]) -> _Look:
    """Return a look that needs no paper."""
    return lambda thing, _: make(thing)


_Look: TypeAlias = "Callable[[Any, Sheet], Block]"
LOOKS: Mapping[tuple[str, str], _Look] = {
    ("dalembert.model.claim", "Claim"): _claim,
    ("dalembert.expr.truth.verdict", "Witness"): _words,
    ("dalembert.errors", "Fault"): _words,
    ("dalembert.model.parts", "Generator"): _page(field_block),
    ("dalembert.model.system", "System"): _system,
    ("dalembert.model.equations", "Equations"): _equations,
    ("dalembert.model.trajectory", "Trajectory"): _trajectory,
    ("dalembert.numerics.ensemble.record", "Ensemble"): _ensemble,
    ("dalembert.mechanics.second_order.search.first_integrals", "FirstIntegral"): _integral,
    ("dalembert.mechanics.registry", "Formalism"): _page(analyses.formalism_page),
    ("dalembert.mechanics.theorem", "Sentence"): _page(analyses.sentence_page),
    ("dalembert.mechanics.theorem", "Theorem"): _page(analyses.theorem_page),
    ("dalembert.geometry.fields", "Chart"): _chart,
    ("dalembert.geometry.fields", "VectorField"): _field,
    ("dalembert.geometry.forms", "Form"): _form,
    ("dalembert.geometry.frames", "Frame"): _frame,
    ("dalembert.geometry.distributions", "Distribution"): _distribution,
    ("dalembert.geometry.connections.affine", "AffineConnection"): _connection,
    ("dalembert.geometry.groups.algebra", "LieAlgebra"): _algebra,
    ("dalembert.expr.vocabulary", "Vocabulary"): _page(lambda words: Words(words.summary())),
    ("dalembert.expr.truth.pivots", "Rank"): _page(analyses.rank_page),
    ("dalembert.analysis.agreement", "Agreement"): _page(agreement_page),
    ("dalembert.analysis.audit", "Audit"): _audit,
    ("dalembert.analysis.audit", "Drift"): _page(drift_page),
    ("dalembert.analysis.boundary", "Boundary"): _page(analyses.boundary_page),
    ("dalembert.analysis.boundary", "BoundarySolution"): _page(analyses.boundary_solution_page),
    ("dalembert.analysis.compare", "Comparison"): _comparison,
    ("dalembert.analysis.compare", "Motions"): _motions,
    ("dalembert.analysis.control.controllability", "Controllability"): _page(analyses.controllability_page),
    ("dalembert.analysis.control.controllability", "ControlAnswer"): _page(analyses.control_answer_page),
    ("dalembert.analysis.discovery.discover", "Discovery"): _discovery,
    ("dalembert.analysis.extremals.conjugate_points", "SecondVariation"): _page(analyses.extremal_page),
    ("dalembert.analysis.holonomy", "Holonomy"): _page(analyses.holonomy_page),
    ("dalembert.analysis.phases", "Phase"): _page(analyses.phase_page),
    ("dalembert.analysis.relative_equilibria", "RelativeEquilibria"): _page(analyses.relative_equilibria_page),
    ("dalembert.analysis.relative_equilibria", "RelativeEquilibrium"): _page(analyses.relative_equilibrium_page),
    ("dalembert.analysis.steady.floquet", "Floquet"): _page(analyses.monodromy_page),
    ("dalembert.analysis.steady.linear_part", "LinearPart"): _page(analyses.linear_part_page),
    ("dalembert.analysis.steady.second_order_form", "SecondOrderForm"): _page(form_page),
    ("dalembert.analysis.steady.steady", "FamilyStability"): _page(family_page),
    ("dalembert.analysis.steady.steady", "SteadyBranch"): _page(branch_page),
    ("dalembert.analysis.steady.steady", "SteadyMotion"): _page(motion_page),
    ("dalembert.analysis.steady.steady", "SteadyMotions"): _steady,
    ("dalembert.analysis.variational_equations", "SymplecticDefect"): _page(analyses.measured_page),
    ("dalembert.analysis.variational_equations", "VolumeChange"): _page(analyses.measured_page),
    ("dalembert.numerics.lie_groups", "GroupMotion"): _page(analyses.group_motion_page),
    ("dalembert.numerics.linearise", "Linearisation"): _page(analyses.linearisation_page),
    ("dalembert.numerics.linearise", "Monodromy"): _page(analyses.monodromy_page),
    ("dalembert.numerics.lyapunov", "LyapunovExponents"): _page(analyses.lyapunov_page),
    ("dalembert.numerics.sweep.runner", "Swept"): _page(swept_page),
    ("dalembert.present.report", "Part"): _part,
    ("dalembert.studies.checking", "Checked"): _page(grouped_claims),
    ("dalembert.studies.studying", "Study"): _study,
}
"""By module and name of the type."""
PRINTED: Mapping[tuple[str, str], Callable[[Any], Block]] = {
    ("dalembert.model.claim", "Decided"): lambda found: Claims(tuple(found), brief=True),
    ("dalembert.model.trajectory", "Trajectory"): run_page,
    ("dalembert.analysis.audit", "Audit"): audit_page,
    ("dalembert.studies.studying", "Study"): lambda done: study_overview(done.system, done.parts, done.crossed),
}
"""What is printed in another way than a notebook shows it: as text it needs neither plots nor folds."""
