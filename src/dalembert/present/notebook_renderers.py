"""How the things that a user has in hand look on a page; what is not here is shown by its fields.

Types are known by their names, so that nothing is loaded for being able to show it.
"""

from __future__ import annotations

import gzip
from base64 import b64encode
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from html import escape
from typing import Any

import numpy as np

from dalembert.errors import DalembertError
from dalembert.expr.graph import ZERO, Expr
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.forms import Form
from dalembert.mechanics.registry import Result
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.stored_form import read_back
from dalembert.model.system import System
from dalembert.model.trajectory import Trajectory
from dalembert.present.animation import STYLE as FILM_STYLE
from dalembert.present.badges import badge, claims_table
from dalembert.present.combinations import field_mathml, form_mathml, inside, sum_mathml
from dalembert.present.html_renderer import Sheet, Show, readable
from dalembert.present.motion import Moved, plots_of
from dalembert.present.plots import Line, line_plot
from dalembert.present.report import summary_html
from dalembert.present.style import STYLE

__all__ = ["LOOKS", "RESULTS", "film_page", "framed", "news_of", "statement_of", "system_of"]

RESULTS = {
    "dalembert.mechanics.lagrangian.euler_lagrange": "EulerLagrange",
    "dalembert.mechanics.nonholonomic.linear_constraints": "Nonholonomic",
    "dalembert.mechanics.nonholonomic.general_constraints": "ConstrainedMotion",
    "dalembert.mechanics.chaplygin.chaplygin": "Chaplygin",
    "dalembert.mechanics.chaplygin.in_frame": "ChaplyginInFrame",
    "dalembert.mechanics.routh.routh": "Routh",
    "dalembert.mechanics.vakonomic.vakonomic": "Vakonomic",
    "dalembert.mechanics.semisymplectic.semisymplectic": "SemiHamiltonian",
}
"""What ``derive`` returns, by the files it comes from."""
_MEMBERS = 40
"""So many motions of an ensemble are drawn."""
_POINTS = 600
"""So many points of a curve can be told apart."""


# -- systems and equations -----------------------------------------------------------------------------------
def statement_of(system: System) -> list[tuple[Any, Expr]]:
    """Return what a system states: its Lagrangian or its equations, its speeds and its constraints."""
    lines: list[tuple[Any, Expr]] = [("L", system.lagrangian)] if system.lagrangian is not None else []
    lines += [*system.equations.items(), *system.speeds.items()]
    return lines + [(c.left, c.right) for c in system.constraints.values()]


def news_of(equations: Equations, sheet: Sheet) -> list[tuple[Any, Expr]]:
    """Return the equations of motion, made short, without those that say x' = x'."""
    both = (*equations.rates().items(), *equations.reconstruction.items())
    return [(name.dot, sheet.short(rate)) for name, rate in both if name.dot is not rate]


def _system(system: System, sheet: Sheet) -> str:
    values = ", ".join(f"{p.data.label} = {float(v):g}" for p, v in system.defaults.items())
    said = {
        "coordinates": ", ".join(f"{q.data.label} ({q.data.domain})" for q in system.q),
        "parameters": values,
        "constraints": ", ".join(f"{name} ({system.kind_of(name)})" for name in system.constraints),
        "symmetry": {name: generator.on(Chart.of(*system.q)) for name, generator in system.symmetry.items()},
        "along time": {name: g.time for name, g in system.symmetry.items() if g.time is not ZERO},
        "start": ", ".join(f"{s.data.label} = {_number(v)}" for s, v in system.start.values.items()),
    }
    table = sheet.table({name: value for name, value in said.items() if value})
    return f"<h4>{escape(system.name)}</h4>{sheet.formulas(statement_of(system))}{table}"


def _number(value: Any) -> str:
    known = value.value if isinstance(value, Expr) else value
    return repr(value) if known is None else f"{float(known):g}"


def _equations(equations: Equations, sheet: Sheet) -> str:
    unknown = [("0", sheet.short(residual)) for residual in equations.implicit.values()]
    names = ", ".join(u.data.label for u in equations.implicit)
    implicit = f"<p>with {escape(names)} found from</p>{sheet.formulas(unknown)}" if unknown else ""
    return f"{sheet.formulas(news_of(equations, sheet))}{implicit}"


def _result(result: Result, sheet: Sheet) -> str:
    """Return the equations, the claims folded, and what else the record has, folded too."""
    title = f"<h4>{escape(result.equations.system)}: {escape(result.equations.formalism)}</h4>"
    body = _equations(result.equations, sheet) + sheet.claims(result.hypotheses, folded=True)
    rest = {
        name: getattr(result, name)
        for name in type(result).__dataclass_fields__  # type: ignore[attr-defined]
        if name not in ("system", "equations", "claims") and not name.startswith("_")
    }
    more = "<p class='evidence'><code>.objects()</code> has all objects by their names.</p>"
    body += "<p class='evidence'><code>dalembert.claims(result)</code> decides the theorems about it.</p>"
    return f"{title}{body}<details><summary>what it is made of</summary>{more}{sheet.table(rest)}</details>"


# -- claims --------------------------------------------------------------------------------------------------
def _claim(claim: Claim, _: Sheet) -> str:
    return claims_table([claim])


def _integral(found: Any, sheet: Sheet) -> str:
    name = f" ({escape(found.name)})" if found.name else ""
    return f"{badge(found.verdict.kind)} {sheet.formula(sheet.short(found.expression))}{name}"


def _audit(measured: Any, _: Sheet) -> str:
    rows = "".join(
        f"<tr><td>{escape(d.name)}</td><td>{badge(d.conserved.kind)}</td>"
        f"{''.join(f'<td>{number}</td>' for number in d.shown)}</tr>"
        for d in measured.drifts
    )
    head = "<tr><th>watched</th><th>constant?</th><th>at the start</th><th>it moved by</th><th>relative</th></tr>"
    return f"<table>{head}{rows}</table>{claims_table(measured.claims)}"


def _words(thing: Any, _: Sheet) -> str:
    return escape(str(thing))


# -- geometry ------------------------------------------------------------------------------------------------
def _coefficient(expression: Expr) -> str:
    """Return the inside of a formula, or its size in words."""
    plain = readable(expression)
    return f"<mtext>⟨{escape(repr(expression).strip('<>'))}⟩</mtext>" if plain is None else inside(plain)


def _field(field: VectorField, _: Sheet) -> str:
    return field_mathml(field, _coefficient)


def _form(form: Form, _: Sheet) -> str:
    return form_mathml(form, _coefficient)


def _chart(chart: Any, sheet: Sheet) -> str:
    return f"coordinates {', '.join(sheet.formula(q) for q in chart.coordinates)}"


def _frame(frame: Any, sheet: Sheet) -> str:
    rows: dict[Any, Any] = dict(zip(frame.quasi_velocities, frame.fields, strict=False))
    drift = {"drift": frame.drift} if frame.drift is not None else {}
    return f"<h4>frame</h4><p class='evidence'>Each quasi-velocity, and its field.</p>{sheet.table({**rows, **drift})}"


def _distribution(distribution: Any, sheet: Sheet) -> str:
    names = ", ".join(repr(distribution.chart.coordinates[a]) for a in distribution.dependent)
    said = f"Of rank {distribution.rank} in {distribution.chart.dimension} dimensions, spanned by"
    fails = f"<p>It gives the velocities of {escape(names)} where {sheet.formula(distribution.determinant)} ≠ 0.</p>"
    spanned = "".join(f"<li>{sheet.html(field)}</li>" for field in distribution.fields)
    return f"<h4>distribution</h4><p class='evidence'>{said}</p><ol>{spanned}</ol>{fails if names else ''}"


def _connection(connection: Any, sheet: Sheet) -> str:
    q = [one.data.name for one in connection.chart.coordinates]
    there = [
        (f"Gamma^{q[c]}_{q[a]}_{q[b]}", sheet.short(entry))
        for c, square in enumerate(connection.symbols)
        for a, row in enumerate(square)
        for b, entry in enumerate(row)
        if entry is not ZERO
    ]
    return f"<h4>affine connection</h4>{sheet.formulas(there) or '<p>All coefficients are 0.</p>'}"


def _algebra(algebra: Any, _: Sheet) -> str:
    names = [f"<mi>{escape(name)}</mi>" for name in algebra.names]
    rows = []
    for a in range(algebra.dimension):
        for b in range(a + 1, algebra.dimension):
            row = algebra.constants[a][b]
            if any(c is not ZERO for c in row):
                right = sum_mathml(zip(row, names, strict=True), _coefficient)
                rows.append(f"<li>[{escape(algebra.names[a])}, {escape(algebra.names[b])}] = {right}</li>")
    brackets = f"<ul>{''.join(rows)}</ul>" if rows else "<p>All brackets are 0.</p>"
    return f"<h4>Lie algebra of {', '.join(map(escape, algebra.names))}</h4>{brackets}"


# -- motions -------------------------------------------------------------------------------------------------
def system_of(run: Trajectory) -> System | None:
    """Return the system that a motion is of, from what the motion knows of where it comes from."""
    model = run.provenance.get("model")
    with suppress(DalembertError):
        return read_back(str(model)) if model else None
    return None


def _trajectory(run: Trajectory, _: Sheet) -> str:
    """Return how it went, the path and the coordinates over time; phase portraits folded."""
    plots = plots_of(_thinned(run), system_of(run))
    portraits = [svg for title, svg in plots.items() if title.startswith("phase portrait")]
    others = {title: svg for title, svg in plots.items() if svg not in portraits}
    folded = f"<details><summary>phase portraits</summary>{_figures(portraits)}</details>" if portraits else ""
    return Moved(run=run, plots=others).html() + folded


def _thinned(run: Trajectory) -> Trajectory:
    """Return a motion at no more times than can be told apart; between steps it is known anyway."""
    if run.dense is not None or len(run) <= _POINTS:
        return run
    kept = _picked(len(run))
    stated = {name: values[kept] for name, values in run.stated.items()}
    monitors = {name: values[kept] for name, values in run.monitors.items()}
    return replace(run, t=run.t[kept], y=run.y[:, kept], stated=stated, monitors=monitors)


def _picked(size: int, most: int = _POINTS) -> Any:
    """Return a few places among so many, the first and the last among them."""
    return np.unique(np.linspace(0, size - 1, min(size, most)).astype(int))


def _figures(plots: Sequence[str]) -> str:
    return f'<div class="plots">{"".join(f"<figure>{plot}</figure>" for plot in plots)}</div>'


def _ensemble(runs: Any, sheet: Sheet) -> str:
    """Return the paths of a few members where they are known, one after the other in one line with gaps."""
    names = [name for name in runs.names if not name.endswith("'")][:2]
    if not runs.times.size or not names:
        return sheet.record(runs)
    count = min(len(runs), _MEMBERS)
    kept = _picked(runs.times.size, 4 * _POINTS // count)
    columns = [np.tile(runs.times[kept], (count, 1)), *(runs[name][:count, kept] for name in names)]
    gap = np.full((count, 1), np.nan)
    x, y = (np.concatenate([values, gap], axis=1).ravel() for values in columns[-2:])
    axes = ["t", *names][-2:]
    plot = line_plot([Line(x, y)], f"the first {count} of {len(runs)} motions", *axes)
    return f"<p>{escape(repr(runs).strip('<>'))}</p>{_figures([plot])}"


def _comparison(compared: Any, sheet: Sheet) -> str:
    sides = compared.side_by_side()
    shown = "".join(
        f"<p>{name}:</p>{sheet.formulas([('0', sheet.short(e)) for e in rows.values()])}"
        for name, rows in sides.items()
    )
    return f"<h4>{escape(compared.system.name)}: both principles</h4>{shown}{sheet.claims(compared.claims)}"


def _motions(both: Any, _: Sheet) -> str:
    kept = _picked(len(both.t))
    one, other = both.nonholonomic, both.vakonomic
    system = system_of(one)
    real = [q.data.label for q in system.q if q.data.domain != "angle"] if system is not None else []
    names = real[:2] if len(real) > 1 else list(both.by_coordinate)
    figures = []
    if len(names) > 1:
        x, y = names[:2]
        paths = [
            Line(one[x][kept], one[y][kept], "nonholonomic", mark_start=True),
            Line(other[x][kept], other[y][kept], "vakonomic"),
        ]
        figures.append(line_plot(paths, f"paths of ({x}, {y})", x, y, equal=True))
    apart = [Line(both.t[kept], both.distance[kept])]
    figures.append(line_plot(apart, "how far apart they are", "t", "distance"))
    return _figures(figures) + claims_table([both.claim])


# -- studies -------------------------------------------------------------------------------------------------
def _part(part: Any, sheet: Sheet) -> str:
    words = [part.stopped] if part.stopped else list(part.faults)
    said = f"<ul>{''.join(f'<li>{escape(w)}</li>' for w in words)}</ul>" if words else ""
    sentences = "".join(f"<li>{escape(s.text)} {badge(s.verdict)}</li>" for s in part.sentences)
    kept = f"<ul>{sentences}</ul>" if sentences else ""
    return f"<h4>{escape(part.formalism)}</h4>{said}{kept}{sheet.claims(part.claims, folded=True)}"


def _study(studied: Any, _: Sheet) -> str:
    """Return the summary, the mechanism on its way, and the whole report folded."""
    shown = next((part.animation for part in studied.parts if part.animation), "")
    summary = summary_html(studied.system, studied.parts, studied.crossed)
    film = framed(film_page(shown), "animation") if shown else ""
    report = framed(_unpacked(studied.to_html()), "report", fit=False)
    return (
        f"<h4>{escape(studied.system.name)}</h4>{summary}{film}"
        f"<details><summary>the whole report</summary>{report}</details>"
    )


def film_page(body: str) -> str:
    """Return the page of an animation."""
    return f"<!DOCTYPE html><meta charset='utf-8'><style>{STYLE}{FILM_STYLE} body {{ margin: 0; }}</style>{body}"


def _unpacked(page: str) -> str:
    """Return a page that unpacks another one: a tenth of its size, and still nothing to download."""
    packed = b64encode(gzip.compress(page.encode(), mtime=0)).decode()
    return (
        "<!DOCTYPE html><meta charset='utf-8'><p>Unpacking ...</p><script>(async function () {"
        f"var raw = Uint8Array.from(atob('{packed}'), function (c) {{ return c.charCodeAt(0); }});"
        "var text = await new Response(new Blob([raw]).stream().pipeThrough(new DecompressionStream('gzip'))).text();"
        "document.open(); document.write(text); document.close(); })();</script>"
    )


def framed(page: str, title: str, *, fit: bool = True) -> str:
    """Return a page of its own inside a notebook, where its scripts and its names are nobody else's.

    It gets as high as it needs to be, or as high as a hand, with a bar to move it.
    """
    quoted = page.replace("&", "&amp;").replace('"', "&quot;")
    high = "this.style.height = this.contentDocument.body.offsetHeight + 12 + 'px'"
    look = "max-width: 680px; height: 480px; border: 0" if fit else "height: 36rem; border: 1px solid #8886"
    loaded = f' onload="{high}"' if fit else ""
    return f'<iframe srcdoc="{quoted}" style="width: 100%; {look}"{loaded} title="{title}"></iframe>'


LOOKS: Mapping[tuple[str, str], Show] = {
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
    ("dalembert.analysis.compare", "Comparison"): _comparison,
    ("dalembert.analysis.compare", "Motions"): _motions,
    ("dalembert.present.part", "Part"): _part,
    ("dalembert.studies.studying", "Study"): _study,
    **dict.fromkeys(RESULTS.items(), _result),
}
"""By module and name of the type."""
