"""What ``dalembert discover --tori`` says of the torus of a motion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dalembert.cli.options import say, table
from dalembert.cli.words import echo

if TYPE_CHECKING:
    from dalembert.analysis.discovery.discover import Discovery
    from dalembert.analysis.discovery.tori import InvariantTorus
    from dalembert.model.system import System


def torus_of(system: System, found: Discovery) -> InvariantTorus | str:
    """Return the torus of the motion that a model starts, or why there is none."""
    from dalembert.analysis.discovery.discover import with_given_values
    from dalembert.analysis.discovery.tori import invariant_torus
    from dalembert.errors import DalembertError

    given = found.values.startswith("The answer is for the given values")
    try:
        return invariant_torus(with_given_values(system) if given else system, found=found)
    except DalembertError as error:
        return str(error)


def tell_torus(torus: InvariantTorus | str) -> None:
    """Say how the motion winds around its torus."""
    echo("")
    if isinstance(torus, str):
        say("Torus of the motion of [start]: none is given")
        say(torus, indent="  ", hang="  ")
        return
    where = f" modulo {', '.join(torus.modulo)}" if torus.modulo else ""
    say(f"Torus of the motion of [start]{where}")
    first, second = torus.frequencies
    rows = [
        ["phi_1' = 2 pi / Phi", f"mean {first:.12g}"],
        ["phi_2' = 2 pi R / Phi", f"mean {second:.12g}"],
        ["R", f"{torus.rotation:.12g} +- {torus.rotation_error:.1g}"],
        ["mean of Phi", f"{torus.mean_return:.12g} +- {torus.mean_error:.1g}"],
        [f"R by {torus.returns} returns", f"{torus.measured_rotation:.12g}"],
        [f"mean of Phi by {torus.returns} returns", f"{torus.measured_return:.12g}"],
    ]
    if torus.actions is not None:
        rows.append(["actions", f"{torus.actions[0]:.12g}, {torus.actions[1]:.12g}"])
    table(rows, indent="  ")
    said = "phi_1 counts crossings of the curve"
    say(f"{said} {torus.curve}, phi_2 goes once round along it; R is one modulo whole numbers.", indent="  ", hang="  ")
    for name, verdict in torus.hypotheses.items():
        say(f"{name} ({verdict.kind}): {verdict.evidence}", indent="    ", hang="      ")
    say(f"The motion winds so ({torus.verdict.kind}): {torus.verdict.evidence}", indent="  ", hang="    ")


def torus_in_json(torus: InvariantTorus | str) -> dict[str, Any]:
    """Return the same for programs."""
    if isinstance(torus, str):
        return {"answer": "none", "why": torus}
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
