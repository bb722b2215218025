"""What was found and what moved, as answers for programs: the JSON of ``discover`` and of ``simulate``."""

from __future__ import annotations

from typing import Any

from dalembert.analysis.audit import Audit
from dalembert.analysis.discovery.discover import Discovery
from dalembert.analysis.discovery.first_integrals import Integral
from dalembert.analysis.discovery.gauged_brackets import GaugedBracket
from dalembert.analysis.discovery.integrability import Integrability
from dalembert.analysis.discovery.measures import Measure, volumes_of
from dalembert.analysis.discovery.poisson_structures import RankTwo
from dalembert.analysis.discovery.variational import Variational
from dalembert.errors import ExpressionError
from dalembert.expr.graph import Expr
from dalembert.expr.text import program, text
from dalembert.model.trajectory import Trajectory


def motion_answer(run: Trajectory, measured: Audit) -> dict[str, Any]:
    """Return what became of a motion, and how well it kept what it should."""
    told = {key: value for key, value in run.provenance.items() if key != "model"}
    return {
        **told,
        "status": run.status,
        "message": run.message,
        "end": {name: float(run[name][-1]) for name in (*run.names, *run.stated)} if len(run) else {},
        "events": {name: times.tolist() for name, times in run.events.items()},
        "event_kinds": {name: list(kinds) for name, kinds in run.event_kinds.items()},
        "event_values": {name: values.tolist() for name, values in run.event_values.items()},
        "audit": measured.to_json(),
    }


def discovery_answer(found: Discovery) -> dict[str, Any]:
    """Return all that a search found, and what was searched."""

    def symmetry(one: Any) -> dict[str, Any]:
        return {
            "field": one.written,
            "components": {q.data.name: text(e) for q, e in one.generator.components.items()},
            "time": text(one.generator.time),
            "gauge": text(one.gauge),
            "factor": text(one.factor),
            "verdict": one.verdict.kind,
            "evidence": one.verdict.evidence,
        }

    def integral(one: Integral) -> dict[str, Any]:
        return {
            "name": one.name,
            "expression": _whole(one.shown),
            "verdict": one.verdict.kind,
            "evidence": one.verdict.evidence,
        }

    algebra, measures = found.noether, found.measures
    return {
        "system": found.system,
        "formalism": found.formalism,
        "state variables": found.variables,
        "values of parameters": found.values,
        "symmetries": [symmetry(one) for one in algebra.basis] if algebra is not None else None,
        "algebra": algebra.name if algebra is not None else None,
        "brackets": algebra.structure.brackets if algebra is not None and algebra.structure is not None else None,
        "structure": tuple(algebra.structure.said) if algebra is not None and algebra.structure is not None else None,
        "orbits": None
        if found.orbits is None
        else {
            "dimension": found.orbits.free.rank,
            "locally free at": found.orbits.free.where,
            "span with the constraints at": None if found.orbits.spanning is None else found.orbits.spanning.where,
            "in common with the constraints": found.orbits.common,
        },
        "alone": {part: [one.written for one in fields] for part, fields in found.alone.items()},
        "searched": algebra.space if algebra is not None else None,
        "symmetries of the equations": [symmetry(one) for one in found.more],
        "searched for these": found.equations_space,
        "integrals": [integral(one) for one in (*found.known, *found.found)],
        "speeds": {text(u): _whole(e) for u, e in found.speeds.items()},
        "gauge momenta": None
        if found.gauge is None
        else {"integral": found.gauge.written, "verdict": found.gauge.integral.verdict.kind, **found.gauge.stated},
        "integrable constraints": None
        if found.integrable is None
        else {"statement": found.integrable.statement, "verdict": found.integrable.verdict.kind},
        "brackets of integrals": None
        if found.brackets is None
        else {"brackets": found.brackets.said, "closes": found.brackets.closes, "algebra": found.brackets.name},
        "independent": [_whole(one.shown) for one in found.independent],
        "searches": [
            {"degree": s.degree, "bounds": s.bounds, "unknowns": s.unknowns, "space": s.space} for s in found.searches
        ],
        "density": None if measures.full.density is None else text(measures.full.density),
        "lagrangian": None if found.variational is None else _variational_in_json(found.variational),
        "integrability": None if found.integrability is None else _integrability_in_json(found.integrability),
        "poisson": None if found.poisson is None else _poisson_in_json(found.poisson),
        "bracket times a factor": None if found.gauged is None else _gauged_in_json(found.gauged),
        "measure": _measure_in_json(measures.full),
        "volumes": [
            {
                "density": text(e),
                "of": list(dict.fromkeys(f"d{text(v).partition('.q')[0]}" for v in one.variables)),
                "where not 0": list(map(text, one.zeros)),
                "verdict": one.verdict.kind,
            }
            for e, one in volumes_of(measures)
        ],
        "measure modulo symmetries": None if measures.reduced is None else _measure_in_json(measures.reduced),
        "notes": found.notes,
    }


def _integrability_in_json(found: Integrability) -> dict[str, Any]:
    """Return what is said of it."""
    asked, brackets = found.quadratures, found.involution
    told: dict[str, Any] = {"quadratures": None, "involution": None}
    if asked is not None:
        told["quadratures"] = {
            "modulo": asked.modulo,
            "dimension": asked.dimension,
            "integrals": [text(one.shown) for one in asked.integrals],
            "needed": asked.needed,
            "missing": asked.missing,
            "verdict": asked.verdict.kind,
            "evidence": asked.verdict.evidence,
        }
    if brackets is not None:
        told["involution"] = {
            "degrees": brackets.degrees,
            "integrals": brackets.integrals,
            "rank": brackets.rank,
            "missing": brackets.missing,
            "verdict": brackets.verdict.kind,
            "evidence": brackets.verdict.evidence,
        }
    return told


def _gauged_in_json(found: GaugedBracket) -> dict[str, Any]:
    """Return what is said of it."""
    return {
        "speeds": [text(w) for w in found.speeds],
        "momenta": [_whole(p) for p in found.momenta],
        "functions": [text(z) for z in found.functions],
        "factor": _whole(found.factor),
        "dimension": found.dimension,
        "rank": found.rank,
        "casimirs": [_whole(one.shown) for one in found.casimirs],
        "verdict": found.verdict.kind,
        "evidence": found.verdict.evidence,
    }


def _poisson_in_json(found: RankTwo) -> dict[str, Any]:
    """Return what is said of it."""
    return {
        "variables": [text(v) for v in found.variables],
        "bracket": [[text(e) for e in row] for row in found.bracket],
        "hamiltonian": text(found.hamiltonian.shown),
        "casimirs": [text(one.shown) for one in found.casimirs],
        "verdict": found.verdict.kind,
        "evidence": found.verdict.evidence,
    }


def _variational_in_json(found: Variational) -> dict[str, Any]:
    """Return what is said of it."""
    problem = found.problem
    return {
        "answer": problem.answer,
        "associated": found.associated,
        "case": problem.case or None,
        "lagrangian": None if problem.lagrangian is None else text(problem.lagrangian),
        "verdict": problem.verdict.kind,
        "evidence": problem.verdict.evidence,
    }


def _measure_in_json(measure: Measure) -> dict[str, Any]:
    """Return what is known of a measure, for programs."""
    position = measure.position
    return {
        "answer": measure.answer,
        "density": None if measure.density is None else text(measure.density),
        "verdict": measure.verdict.kind,
        "evidence": measure.verdict.evidence,
        "by position alone": None if position is None else position.answer,
    }


def _whole(expression: Expr) -> str | dict[str, Any]:
    """Return the text of an expression, with its shared parts named where it would be too long."""
    try:
        return text(expression)
    except ExpressionError:
        parts, (last,) = program([expression])
        return {"where": dict(parts), "expression": last}
