"""``dalembert discover --tori``: the torus of the motion that a model starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dalembert.analysis.discovery.discover import Discovery
    from dalembert.analysis.discovery.tori import InvariantTorus
    from dalembert.model.system import System


def torus_of(system: System, found: Discovery) -> tuple[InvariantTorus | None, str]:
    """Return the torus of the motion that a model starts, and why there is none where there is none."""
    from dalembert.analysis.discovery.discover import with_given_values
    from dalembert.analysis.discovery.tori import invariant_torus
    from dalembert.errors import DalembertError

    given = found.values.startswith("The answer is for the given values")
    try:
        return invariant_torus(with_given_values(system) if given else system, found=found), ""
    except DalembertError as error:
        return None, str(error)


def torus_in_json(torus: InvariantTorus | None, why: str) -> dict[str, Any]:
    """Return the same for programs."""
    if torus is None:
        return {"answer": "none", "why": why}
    return {
        "answer": "found",
        "modulo": torus.modulo,
        "levels": dict(torus.levels),
        "curve": torus.curve,
        "R": torus.rotation,
        "error of R": torus.rotation_error,
        "mean of Phi": torus.mean_return,
        "error of the mean": torus.mean_error,
        "frequencies": list(torus.frequencies),
        "actions": None if torus.actions is None else list(torus.actions),
        "returns": torus.returns,
        "R by returns": torus.measured_rotation,
        "mean of Phi by returns": torus.measured_return,
        "return time": [[c.real, c.imag] for c in torus.coefficients.tolist()],
        "hypotheses": {name: {"verdict": v.kind, "evidence": v.evidence} for name, v in torus.hypotheses.items()},
        "verdict": torus.verdict.kind,
        "evidence": torus.verdict.evidence,
    }
