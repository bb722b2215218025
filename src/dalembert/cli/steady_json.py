"""The steady motions of a system for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dalembert.analysis.steady.second_order_form import SecondOrderForm
    from dalembert.analysis.steady.steady import FamilyStability, SteadyMotion, SteadyMotions


def motions_json(found: SteadyMotions) -> dict[str, Any]:
    """Return all that was found."""
    return {
        "system": found.system,
        "formalism": found.formalism,
        "symmetries": [{"name": one.name, "verdict": one.verdict.kind} for one in found.symmetries],
        "families": None if found.families is None else [_family_json(one) for one in found.families],
        "label": found.label,
        "motions": [None if motion is None else _motion_json(motion) for motion in found.motions],
        "folds": list(found.folds),
        "turns": [turn.kind for turn in found.turns],
        "thresholds": [
            {
                "value": one.value,
                "before": one.before,
                "after": one.after,
                "what": one.what,
                "verdict": one.verdict.kind,
                "ball": None if one.ball is None else one.ball.str(40),
                "polynomial": None if one.exact is None else list(one.exact.polynomial),
            }
            for one in found.thresholds
        ],
        "branches": [
            {
                "value": one.value,
                "until": one.until,
                "names": list(one.names),
                "verdict": one.verdict.kind,
                "motion": _motion_json(one.motion),
                "followed": [[_motion_json(motion) for motion in curve] for curve in one.branches],
            }
            for one in found.branches
        ],
    }


def _family_json(one: FamilyStability) -> dict[str, Any]:
    from dalembert.expr.text import text

    family = one.family
    answer: dict[str, Any] = {
        "values": {text(v): text(e) for v, e in family.values.items()},
        "free": [text(v) for v in family.free],
        "relations": [text(e) for e in family.relations],
        "nonzero": [text(e) for e in family.nonzero],
        "turning": {name: text(e) for name, e in family.turning.items()},
        "verdict": family.verdict.kind,
    }
    if one.linear is not None and one.stability is not None:
        answer["linear"] = {
            "names": list(one.linear.names),
            "matrix": [[text(e) for e in row] for row in one.linear.matrix],
            "polynomial": [text(e) for e in one.linear.polynomial],
            "inputs": list(one.linear.inputs),
            "B": [[text(e) for e in row] for row in one.linear.control],
            "controllable": one.linear.controllable.kind,
            "outputs": list(one.linear.outputs),
            "C": [[text(e) for e in row] for row in one.linear.observed],
            "observable": one.linear.observable.kind,
        }
        answer["stability"] = {
            "kind": one.stability.kind,
            "answer": one.stability.answer,
            "zeros": one.stability.zeros,
            "blocks": one.stability.blocks,
            "dimension": one.dimension,
            "conditions": [
                {"said": c.said, "expression": text(c.expression), "sign": c.sign} for c in one.stability.conditions
            ],
            "rate": None if one.stability.rate is None else text(one.stability.rate),
            "linear": one.stability.is_linear,
            "sentence": one.stability.sentence,
        }
    if one.ranges is not None:
        answer["ranges"] = {
            "label": one.ranges.label,
            "thresholds": [
                {"value": root.value, "ball": root.ball.str(40), "polynomial": list(root.polynomial)}
                for root in one.ranges.thresholds
            ],
            "holds": list(one.ranges.holds),
        }
    if one.nonlinear is not None:
        answer["nonlinear"] = {
            "method": one.nonlinear.method,
            "answer": {"yes": "stable", "no": "undecided"}.get(one.nonlinear.answer, one.nonlinear.answer),
            "modulo": list(one.nonlinear.modulo),
            "conserved": list(one.nonlinear.conserved),
            "conditions": [
                [c.said for c in way if c.sign is None]
                for way in (one.nonlinear.conditions, one.nonlinear.otherwise)
                if way is not None
            ],
            "sentence": one.nonlinear.sentence,
        }
    return answer


def form_json(form: SecondOrderForm, names: list[str]) -> dict[str, Any]:
    """Return M, C and K, exactly and as numbers."""
    from dalembert.expr.text import text

    return {
        "coordinates": list(form.names),
        "verdict": form.verdict.kind,
        "matrices": {
            letter: {
                power: {
                    "exact": [[text(e) for e in row] for row in matrix],
                    "numbers": form.values(matrix)[0].tolist() if form.without_label(matrix) else None,
                }
                for power, matrix in parts.items()
            }
            for letter, parts in form.by_powers(*names).items()
        },
    }


def _motion_json(motion: SteadyMotion) -> dict[str, Any]:
    linear = motion.linear
    return {
        "label": motion.label,
        "state": dict(motion.state),
        "turning": dict(motion.turning),
        "freedom": motion.freedom,
        "existence": {"verdict": motion.existence.kind, "evidence": motion.existence.evidence},
        "names": list(linear.names),
        "A": linear.matrix.tolist(),
        "inputs": list(linear.inputs),
        "B": None if linear.control is None else linear.control.tolist(),
        "outputs": list(linear.outputs),
        "C": None if linear.observed is None else linear.observed.tolist(),
        "eigenvalues": [[mode.value.real, mode.value.imag] for mode in linear.modes],
        "modes": [mode.name for mode in linear.modes],
        "stability": motion.stability,
    }
