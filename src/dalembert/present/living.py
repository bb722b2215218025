"""A motion that a page integrates itself: the equations as a script, what is drawn, where it begins.

``living_of`` makes it where the equations are, ``living_block`` puts it on a page with the scripts that move it.
Without scripts, and on paper, the picture that Python made is seen.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from dalembert.errors import DalembertError
from dalembert.expr.calculus import diff, tangent
from dalembert.expr.display.layout import Layout
from dalembert.expr.display.names import label_part, lettered, marked, words_lettered
from dalembert.expr.display.writers import MathmlWriter
from dalembert.expr.graph import ONE, Expr
from dalembert.expr.walk import substitute, symbols
from dalembert.mechanics.registry import Result
from dalembert.model.equations import Equations
from dalembert.model.stored_form import is_graph, written
from dalembert.model.system import System
from dalembert.model.trajectory import Trajectory
from dalembert.numerics.codegen.js import DIALECT, write_object
from dalembert.numerics.codegen.model import Source, robust_form, source_of
from dalembert.numerics.few_operations import without_linear_system
from dalembert.numerics.forms import equations_followed, what_ends
from dalembert.numerics.losses import statement_of
from dalembert.numerics.outcome import RANK_LOST, listed
from dalembert.numerics.wording import NameResolver
from dalembert.present.animation import still
from dalembert.present.figures import Drawing, drawing_of
from dalembert.present.page import size_written
from dalembert.present.scene import AZIMUTH, ELEVATION, at_even_times, drawn_scene
from dalembert.present.scripts import integrator, script, script_tag
from dalembert.records import dataclass

_LARGEST = 400_000
"""A script with more letters than this is left out of a page,"""
_LETTERS = 8
"""and none is written where each node of what is watched, linear systems written out, were to have so few of them."""
_TIGHTER, _TIGHT = 0.1, 1e-11
"""The tolerance on a page is this part of the motion's, for 1e-10 at a time of 2; this one where it has none."""


@dataclass(frozen=True, slots=True)
class Ghost:
    """Another motion of the same mechanism, that a page shows beside the first."""

    formalism: str
    says: str
    """What it is called on the page."""
    code: str
    """An object, as an expression."""
    start: Sequence[float] | None = None
    """Where it begins, unless coordinates, velocities and momenta of the first one say that."""


@dataclass(frozen=True, slots=True, eq=False)
class Living:
    """A system that a page can move; it travels from the process that made it."""

    formalism: str
    code: str
    """An object, as an expression."""
    data: Mapping[str, Any]
    picture: str
    """The mechanism as it is seen without scripts."""
    ghosts: tuple[Ghost, ...] = ()

    def ghost(self) -> Ghost:
        """Return it as one that is seen beside another."""
        return Ghost(self.formalism, f"{self.formalism} motion", self.code, self.data["start"])


def living_of(result: Result, run: Trajectory, mistaken: Result | None = None) -> Living | None:
    """Return what a page needs to move a system, or None where it cannot: too much code, or names without a value.

    What a common mistake makes of the same start is its ghost. A run that went on in other variables is moved by the
    stated coordinates, as it is given.
    """
    system, formalism = result.system, result.equations.formalism
    if size_written(result.equations.monitors.values()) > _LARGEST // _LETTERS:
        return None
    moved = _followed(result, run)
    drawing = drawing_of(system)
    scene = drawn_scene(at_even_times(run), drawing)
    equations = moved.equations
    try:
        source, code = _code(moved, drawing)
        start = [_first(run, v) for v in (*equations.state, *equations.reconstruction)]
        unknowns = [float(run[u][0]) if u in run else 0.0 for u in source.unknowns]
    except DalembertError:
        return None
    if len(code) > _LARGEST:
        return None
    data = {
        "name": system.name,
        "formalism": formalism,
        "figures": [
            {
                "kind": f.kind,
                "count": len(f.vectors),
                "label": f.label,
                "shown": words_lettered(f.label),
                **({"faces": f.faces} if f.faces else {}),
            }
            for f in drawing.figures
        ],
        "faults": [*(str(fault) for fault in drawing.faults), *_where_it_ends(result.equations, moved.equations)],
        "plane": scene.plane,
        "floor": drawing.floor,
        "view": [AZIMUTH, ELEVATION],
        "start": start,
        "unknowns": unknowns,
        "begin": float(run.t[0]),
        "end": _end(run),
        "tolerance": max(_TIGHTER * float(run.provenance.get("tolerance", 0.0)), _TIGHT),
        "coordinates": [k for k, label in enumerate(source.variables) if label in _labels(system)],
        "words": {label: marked(label) for label in (*source.variables, *source.parameters, *moved.equations.monitors)},
        "looks": _looks((*source.variables, *source.parameters)),
        "kinds": [_kind(system, label) for label in source.variables],
        "domains": {one.data.label: one.data.domain for one in (*equations.state, *moved.equations.parameters)},
        "wide": len(system.q),
        "model": "" if is_graph(text := written(system)) else text,
    }
    ghosts = () if mistaken is None else tuple(_mistake(mistaken, drawing))
    return Living(formalism, code, data, still(scene, f"{system.name}, {formalism}"), ghosts)


def _looks(labels: Sequence[str]) -> dict[str, str]:
    """Return names as they look in formulas; a page says them beside the fields that have numbers for them.

    >>> _looks(["S.q0"])
    {'S.q0': '<math><msub><mi>q</mi><mrow><mi>S</mi><mo>,</mo><mn>0</mn></mrow></msub></math>'}
    """
    writer = MathmlWriter(Layout([]))
    return {label: f"<math>{writer.write(label_part(label))}</math>" for label in labels}


@dataclass(frozen=True, slots=True)
class _Moved:
    """A system with the equations by which a page moves it."""

    system: System
    equations: Equations


def _followed(result: Result, run: Trajectory) -> _Moved:
    """Return the equations whose variables a run has, where it went on in others than those of its formalism."""
    own = result.equations
    return _ready(result.system, own if own.atlas is None and own.elsewhere is None else equations_followed(own, run))


def _ready(system: System, equations: Equations) -> _Moved:
    """Return equations as they are written, without a linear system where that is worth it: a script has none."""
    return _Moved(system, without_linear_system(robust_form(equations)))


def _where_it_ends(own: Equations, moved: Equations) -> list[str]:
    """Return what a page says of variables that end."""
    if own.atlas is None or not what_ends(own):
        return []
    ends = f"The variables of the {own.formalism} equations end where {listed(what_ends(own))} vanishes"
    if moved is own:
        return [f"{ends}: a motion that is led there stops here, and goes on in 'simulate'."]
    return [f"{ends}, as this motion does on its way: it is moved by the stated coordinates and velocities."]


def _code(result: _Moved, drawing: Drawing) -> tuple[Source, str]:
    """Return equations and what else a page asks for as a script."""
    equations = result.equations
    tables = _tables(result.system, equations, drawing)
    written_out = [*equations.rates().values(), *(entry for table in tables.values() for entry in table.values())]
    if size_written(written_out) > _LARGEST // _LETTERS:
        raise DalembertError("the equations are too long to be moved on a page.")
    source = source_of(result, DIALECT, tables)
    return source, write_object(source)


def _mistake(result: Result, drawing: Drawing) -> Iterator[Ghost]:
    """Yield the ghost of a wrong motion, with what was eliminated: it depends on that."""
    moved = {v.data.label for v in result.equations.velocities}
    gone = [q.dot for q in result.system.q if q.dot.data.label not in moved]
    try:
        _, code = _code(_ready(result.system, result.equations), drawing)
    except DalembertError:
        return
    if len(code) <= _LARGEST:
        said = f"{result.equations.formalism} ({', '.join(lettered(v.data.label) for v in gone)} eliminated): wrong"
        yield Ghost(result.equations.formalism, said, code)


def _end(run: Trajectory) -> float:
    """Return until when the page moves: where constraints lose rank it stops by itself."""
    span = run.provenance.get("span")
    return float(span[1] if span and run.status == RANK_LOST else run.t[-1])


def _labels(system: System) -> set[str]:
    return {q.data.label for q in system.q}


def _kind(system: System, label: str) -> str:
    """Return what a variable is, as far as it decides which others share an axis with it."""
    angles = {q.data.label for q in system.q if q.data.domain == "angle"}
    plain = label.rstrip("'")
    if label in angles:
        return "angle"
    if any(label == q.data.label for point in system.points for q in point.components):
        return "component"
    return "coordinate" if label in _labels(system) else "turning" if plain in angles else "velocity"


def _first(run: Trajectory, variable: Expr) -> float:
    label = variable.data.label
    return float((run[label] if label in run else run.value(variable))[0])


def _tables(system: System, equations: Equations, drawing: Drawing) -> dict[str, dict[str, Expr]]:
    """Return what the page asks for besides: places, constraints, the kinetic metric and momenta, by the variables."""
    places = {
        f"{k} {j} {axis}": entry
        for k, figure in enumerate(drawing.figures)
        for j, vector in enumerate(figure.vectors)
        for axis, entry in zip("xyz", vector, strict=True)
    }
    held = {name: one.expression for name, one in system.stated_constraints.items()}
    metric: dict[str, Expr] = {}
    momenta: dict[str, Expr] = {}
    if system.lagrangian is not None and system.order == 1:
        slopes = {q: diff(system.lagrangian, q.dot) for q in system.q}
        momenta = {f"p_{q.data.label}": slope for q, slope in slopes.items()}
        own = [q for q in system.q if q in equations.kinematics or q in equations.reconstruction]
        columns = [tangent([slopes[a] for a in own], {b.dot: ONE}) for b in own]  # what rows share is done once
        metric = {f"{a.data.label} {b.data.label}": columns[j][i] for i, a in enumerate(own) for j, b in enumerate(own)}
    watched = statement_of(NameResolver(equations, system))
    rows = () if watched is None else watched.rows
    tables = {
        "scene": places,
        "held": held,
        "metric": metric,
        "momenta": momenta,
        "begin": _beginning(system),
        "rows": {f"{i} {j}": entry for i, row in enumerate(rows) for j, entry in enumerate(row)},
    }
    return {name: _said(table, system, equations) for name, table in tables.items()}


def _beginning(system: System) -> dict[str, Expr]:
    """Return positions and velocities by the names that ``[start]`` knows: rotations have angular velocities."""
    turned = {q: point for point in system.points if point.is_rotation for q in point.components}
    found = {q.data.label: q for q in system.q}
    found |= {q.dot.data.label: q.dot for q in system.q if q not in turned}
    return found | {one.data.label: e for point in turned.values() for one, e in point.speeds.items()}


def _said(table: Mapping[str, Expr], system: System, equations: Equations) -> dict[str, Expr]:
    """Return expressions in the variables of the equations; a table of which one has no value there is left out."""
    own = {*equations.state, *equations.reconstruction}
    known: dict[Expr, Expr] = {q: e for q, e in equations.configuration.items() if q not in own}
    moving = {**equations.kinematics, **equations.reconstruction}
    known |= {q.dot: moving[q] for q in system.q if q in moving and q.dot not in own}
    found = substitute(list(table.values()), known)
    free = {one for one in symbols(found) if one.role not in {"parameter", "time", "input"}}
    if any(one not in {v.data for v in own} for one in free):
        return {}
    return dict(zip(table, found, strict=True))


# -- on a page -----------------------------------------------------------------------------------------------
_BEGIN = (
    "(function () { const box = document.currentScript.parentNode; "
    'dalembert.living(box, box.querySelector(".living-code").textContent); })();'
)


def living_block(main: Living, others: Sequence[Living] = ()) -> str:
    """Return the part of a page in which a system moves, beside ghosts of others that begin alike."""
    return (
        f"{living_picture(main, others)[:-6]}"
        f"{script_tag(living_scripts(main, others), 'living-code')}{script_tag(script('living') + _BEGIN)}</div>"
    )


def living_picture(main: Living, others: Sequence[Living] = ()) -> str:
    """Return the element that scripts bring to life, with the data they need."""
    ghosts = [{"formalism": g.formalism, "says": g.says, "start": g.start} for g in _ghosts(main, others)]
    return (
        f'<div class="living" aria-label="{escape(str(main.data["name"]))}">{main.picture}'
        f'<script type="application/json" class="living-data">{_json({**main.data, "ghosts": ghosts})}</script></div>'
    )


def living_scripts(main: Living, others: Sequence[Living] = ()) -> str:
    """Return the scripts that move it, which a worker reads as well."""
    models = _harmless(",\n".join([main.code, *(one.code for one in _ghosts(main, others))]))
    return (
        f"{integrator()}{script('pictures')}{script('curves')}dalembert.models = function () {{ return [{models}]; }};"
    )


def _ghosts(main: Living, others: Sequence[Living]) -> list[Ghost]:
    return [*(one.ghost() for one in others), *main.ghosts]


def _json(data: Mapping[str, Any]) -> str:
    """Return data in which nothing looks like the begin or the end of an element."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def _harmless(script: str) -> str:
    """Return a script in which no name, in a text or a comment, can end it: any constraint may be called anything."""
    return script.replace("</", "<\\/").replace("<!--", "<\\!--")


STYLE = script("living", "css")
"""What a page needs in its style sheet."""
