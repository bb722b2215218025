"""A motion that a page integrates itself: the equations as a script, what is drawn, where it begins.

``living_of`` makes it where the equations are, ``living_block`` puts it on a page with the scripts that move it.
Without scripts, and on paper, the picture that Python made is seen.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from dalembert.errors import DalembertError
from dalembert.expr.calculus import diff
from dalembert.expr.display.names import lettered, words_lettered
from dalembert.expr.graph import Expr
from dalembert.expr.walk import substitute, symbols
from dalembert.mechanics.registry import Result
from dalembert.model.equations import Equations
from dalembert.model.stored_form import is_graph, written
from dalembert.model.system import System
from dalembert.model.trajectory import Trajectory
from dalembert.numerics.codegen.js import DIALECT, write_object
from dalembert.numerics.codegen.model import source_of, written_form
from dalembert.present.animation import still
from dalembert.present.figures import Drawing, drawing_of
from dalembert.present.scene import AZIMUTH, ELEVATION, at_even_times, drawn_scene
from dalembert.present.scripts import integrator, script

_LARGEST = 400_000
"""A script with more letters than this is left out of a page."""
_TIGHT = 1e-10
"""The tolerance on a page, unless the model asks for a larger one."""


@dataclass(frozen=True, slots=True, eq=False)
class Living:
    """A system that a page can move; it travels from the process that made it."""

    formalism: str
    code: str
    """An object, as an expression."""
    data: Mapping[str, Any]
    picture: str
    """The mechanism as it is seen without scripts."""


def living_of(result: Result, run: Trajectory) -> Living | None:
    """Return what a page needs to move a system, or None where it cannot: too much code, or names without a value."""
    system, formalism = result.system, result.equations.formalism
    drawing = drawing_of(system)
    scene = drawn_scene(at_even_times(run), drawing)
    equations, _ = written_form(result.equations)
    tables = _tables(system, equations, drawing)
    try:
        source = source_of(result, DIALECT, tables)
        start = [_first(run, v) for v in (*equations.state, *equations.reconstruction)]
        unknowns = [float(run[u][0]) if u in run else 0.0 for u in source.unknowns]
    except DalembertError:
        return None
    positive = {p.data.label for p in system.parameters if p.data.domain == "positive"}
    code = write_object(source)
    if len(code) > _LARGEST:
        return None
    data = {
        "name": system.name,
        "formalism": formalism,
        "figures": [
            {"kind": f.kind, "count": len(f.vectors), "label": f.label, "shown": words_lettered(f.label)}
            for f in drawing.figures
        ],
        "faults": [str(fault) for fault in drawing.faults],
        "plane": scene.plane,
        "floor": drawing.floor,
        "view": [AZIMUTH, ELEVATION],
        "start": start,
        "unknowns": unknowns,
        "end": float(run.t[-1]),
        "tolerance": max(float(run.provenance.get("tolerance", _TIGHT)), _TIGHT),
        "coordinates": [k for k, label in enumerate(source.variables) if label in _labels(system)],
        "words": {
            label: lettered(label) for label in (*source.variables, *source.parameters, *result.equations.monitors)
        },
        "kinds": [_kind(system, label) for label in source.variables],
        "positive": [label in positive for label in source.parameters],
        "model": "" if is_graph(text := written(system)) else text,
    }
    return Living(formalism, code, data, still(scene, f"{system.name}, {formalism}"))


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
        momenta = {f"p_{q.data.label}": diff(system.lagrangian, q.dot) for q in system.q}
        own = [q for q in system.q if q in equations.kinematics or q in equations.reconstruction]
        metric = {f"{a.data.label} {b.data.label}": diff(system.lagrangian, a.dot, b.dot) for a in own for b in own}
    tables = {"scene": places, "held": held, "metric": metric, "momenta": momenta, "begin": _beginning(system)}
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
def living_block(main: Living, others: Sequence[Living] = ()) -> str:
    """Return the part of a page in which a system moves, beside ghosts of others that begin alike."""
    data = {**main.data, "ghosts": [{"formalism": one.formalism, "start": one.data["start"]} for one in others]}
    models = _harmless(",\n".join(one.code for one in (main, *others)))
    return (
        f'<div class="living" aria-label="{escape(str(main.data["name"]))}">{main.picture}'
        f'<script type="application/json" class="living-data">{_json(data)}</script>'
        f'<script class="living-code">{integrator()}{script("pictures")}{script("curves")}'
        f"dalembert.models = function () {{ return [{models}]; }};</script>"
        f"<script>{script('living')}</script></div>"
    )


def _json(data: Mapping[str, Any]) -> str:
    return _harmless(json.dumps(data, separators=(",", ":")))


def _harmless(script: str) -> str:
    """Return a script in which no name, in a text or a comment, can end it: any constraint may be called anything."""
    return script.replace("</", "<\\/").replace("<!--", "<\\!--")


STYLE = script("living", "css")
"""What a page needs in its style sheet."""
