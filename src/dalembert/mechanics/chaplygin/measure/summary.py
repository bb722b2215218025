"""Invariant measures of a reduced Chaplygin system, by the names of the JSON, with what is decided (003, section 7).

``divergence_form`` has the 1-form beta and its periods, ``density`` the record of densities, ``integrability``
integrals and the last multiplier, ``hamiltonisation`` the new time, ``theorems`` the theorems.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.errors import ExpressionError, Fault
from dalembert.expr.field import tidy
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.truth import vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.constants import written_out
from dalembert.mechanics.chaplygin.connections.summary import LARGEST_BASE
from dalembert.mechanics.chaplygin.hamiltonisation import Hamiltonisation
from dalembert.mechanics.chaplygin.measure.density import Measure
from dalembert.mechanics.chaplygin.measure.divergence_form import Loop
from dalembert.mechanics.chaplygin.reduction import ChaplyginReduction
from dalembert.model.system import System

__all__ = ["Measure", "loop_faults", "measure_objects", "measure_of", "stated_loops", "why_no_measure"]

_SECONDS = 0.3


def measure_of(reduction: ChaplyginReduction, loops: Sequence[Loop] = ()) -> Measure | None:
    """Return the measure side of a reduction, or None where the theory does not apply; ``why_no_measure`` says why.

    Beside ``loops`` those of ``[bundle]`` go around holes of the domain.
    """
    base = reduction.affine_base
    if base is None or why_no_measure(reduction):
        return None
    return Measure(base, (*stated_loops(reduction.system), *loops), reduction.system.defaults)


def stated_loops(system: System) -> list[Loop]:
    """Return the loops of ``[bundle]``; ``ExpressionError`` where one does not close."""
    now, along = symbol(TIME), symbol(Symbol("time of a loop"))
    stated = system.bundle.loops if system.bundle is not None else {}
    return [
        Loop(name, along, dict(zip(curve, substitute(list(curve.values()), {now: along}), strict=True)))
        for name, curve in stated.items()
    ]


def loop_faults(system: System, base: Sequence[Expr]) -> list[Fault]:
    """Return what is wrong with the loops of ``[bundle]``: they lie in the base and close."""
    names = ", ".join(r.data.label for r in base)
    faults = [
        Fault(f"[bundle] loops {name}", f"'{q.data.label}' is not a base coordinate", f"they are {names}")
        for name, curve in (system.bundle.loops if system.bundle is not None else {}).items()
        for q in curve
        if q not in base
    ]
    try:
        stated_loops(system)
    except ExpressionError as error:
        faults.append(Fault("[bundle] loops", str(error).removesuffix("."), "t runs from 0 to 2*pi"))
    return faults


def why_no_measure(reduction: ChaplyginReduction) -> str:
    """Say why nothing is decided on measures of a reduced system; nothing where something is."""
    if reduction.metric is None or not vanish(reduction.forces):
        return "the theorem is for L = T - V without other forces."
    if reduction.base.dimension > LARGEST_BASE:
        return f"it is looked at up to {LARGEST_BASE} base coordinates; there are {reduction.base.dimension}."
    return ""


def measure_objects(reduction: ChaplyginReduction, known: Measure | None = None) -> dict[str, object]:
    """Return the objects of section 7 by the names of the JSON: nothing where the theory does not apply.

    What lives on the cover of the base only is said to: by ``periods`` that are not zero, and by the claims.
    """
    measure = known or measure_of(reduction)
    if measure is None:
        return {}
    try:
        return _objects(measure)
    except ExpressionError:  # the theorems say why
        return {}


def _objects(measure: Measure) -> dict[str, object]:
    beta, base = measure.beta, measure.base
    names = [q.data.label for q in base.chart.coordinates]
    last = measure.find_last_integral()
    integrals = [i.expression for i in measure.find_integrals()]
    if last is not None and last.independent.holds:
        integrals.append(last.expression)
    return {
        "log_density_rate": beta.rate,
        "measure_form": {name: beta.form.component(e) for e, name in enumerate(names)},
        "periods": {period.loop.name: period.value for period in beta.periods if period.value is not None},
        "density": measure.density,
        "liouville_density": measure.liouville_density,
        "conformal_factor": measure.conformal.function,
        "hamiltonisation": None if measure.hamiltonisation is None else _shown(measure.hamiltonisation),
        "first_integrals": integrals,
    }


def _shown(found: Hamiltonisation) -> dict[str, object]:
    """Return the new time, momenta, Hamiltonian and bracket; ``time_factor`` is N in d tau = N dt."""
    names = [z.data.label for z in (*found.base.chart.coordinates, *found.base.velocities)]
    momenta = [p.data.label for p in found.momenta]
    return {
        "time_factor": found.factor,
        "momenta": dict(zip(momenta, found.momentum_values, strict=True)),
        "hamiltonian": tidy(found.hamiltonian, _SECONDS),
        "bracket": {
            name: {other: written_out(entry) for other, entry in zip(names, row, strict=True)}
            for name, row in zip(names, found.bracket, strict=True)
        },
        "on_cover": found.on_cover,
    }
