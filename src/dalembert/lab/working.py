"""What the workers of the lab do: pages, claims, searches and motions, of a model that is given as text."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from hashlib import sha256
from threading import Thread
from typing import TYPE_CHECKING, Any

from dalembert.errors import DalembertError
from dalembert.expr.graph import Expr
from dalembert.expr.text import text as written
from dalembert.expr.walk import substitute
from dalembert.expr.work import done
from dalembert.lab.confined import Task, work
from dalembert.lab.inserting import INTEGRALS, insert
from dalembert.lab.looking import look, model_key, stated
from dalembert.processes import tell

if TYPE_CHECKING:
    from dalembert.analysis.discovery.discover import Discovery

ALL = "all"
"""Every formalism, in place of the name of one."""


def page(text: str, formalism: str = "") -> dict[str, Any]:
    """Return the page of a system, with hashes of the scripts on it; by default as the statement is meant."""
    from dalembert.mechanics.registry import formalism as known
    from dalembert.mechanics.registry import formalism_names, obvious_formalism
    from dalembert.present.scripts import scripts_written
    from dalembert.studies.parts import part_whatever_happens
    from dalembert.studies.studying import crossed

    system = stated(text)
    usual = obvious_formalism(system)
    names = list(formalism_names()) if formalism == ALL else [known(formalism or usual).name]
    parts = []
    for name in names:
        part = part_whatever_happens(system, name, progress=_progress(f"{name}: "))
        if len(names) == 1 and not part.applies:
            raise DalembertError("\n".join(f"{name}: {why}" for why in part.faults) or f"{name}: {part.stopped}")
        parts.append(part)
    _progress("")("comparing")
    made = crossed(system, parts)
    with scripts_written() as scripts:
        html = made.to_html()
    failed = sum(claim.failed for claim in made.claims)
    return {
        "page": html,
        "scripts": sorted({f"sha256-{b64encode(sha256(one.encode()).digest()).decode()}" for one in scripts}),
        "name": system.name,
        "formalism": formalism or usual,
        "claims": len(made.claims),
        "failed": failed,
    }


def derive(text: str, formalism: str = "") -> dict[str, Any]:
    """Return equations and claims of one formalism, for programs."""
    from dalembert.mechanics.derivation import derive as run
    from dalembert.mechanics.registry import claims, obvious_formalism
    from dalembert.mechanics.registry import formalism as known
    from dalembert.present.json_export import answer

    system = stated(text)
    progress = _progress("")
    progress("equations")
    result = run(system, known(formalism or obvious_formalism(system)).name)
    progress("claims")
    return {"derived": answer(result, decided=claims(result))}


def check(text: str, that: str = "", claim: str = "", formalism: str = "") -> dict[str, Any]:
    """Return claims with their verdicts: those of a name, or one of a user's own."""
    from dalembert.studies.checking import check as run

    _progress("")("deciding")
    found = run(stated(text), claim, formalism or None, that=that or None)
    return {
        "of": model_key(text),
        "claims": [{"formalism": name, **claim.to_json()} for name, several in found.items() for claim in several],
    }


def discover(text: str, formalism: str = "", deep: bool = False) -> dict[str, Any]:
    """Return symmetries and integrals that nobody stated, with what could be put into the model."""
    from dalembert.analysis.discovery.discover import discover as search
    from dalembert.studies.answers import discovery_answer

    found = search(stated(text), formalism or None, deep=deep, progress=_progress("searching: "))
    return {
        "of": model_key(text),
        "discovery": discovery_answer(found),
        "offers": found.stated,
        "facts": facts(text, found),
    }


def facts(text: str, found: Discovery) -> list[str]:
    """Return each integral as the model can state it, by coordinates and velocities; empty where it cannot."""
    return [_fact(text, e) for e in substitute([i.shown for i in (*found.known, *found.found)], found.speeds)]


def _fact(text: str, expression: Expr) -> str:
    try:
        told = written(expression)
        insert(text, INTEGRALS, {"found": told}, model_key(text))
    except DalembertError:  # it has names that a model has not, as entries of rotations, or is too long
        return ""
    return told


def simulate(
    text: str,
    formalism: str = "",
    time: str = "",
    start: Mapping[str, Any] | None = None,
    values: Mapping[str, Any] | None = None,
    samples: int = 0,
) -> dict[str, Any]:
    """Return what becomes of a motion, and its course at some even times."""
    from dalembert.analysis.audit import audit
    from dalembert.mechanics.derivation import derive as run
    from dalembert.mechanics.registry import formalism as known
    from dalembert.mechanics.registry import obvious_formalism
    from dalembert.numerics.simulate import simulate as move
    from dalembert.studies.answers import motion_answer

    system = stated(text)
    progress = _progress("")
    progress("equations")
    result = run(system, known(formalism or system.run.formalism or obvious_formalism(system)).name)
    progress("moving")
    moved = move(result, dict(start or {}), time or None, values=dict(values or {}), samples=samples or None)
    progress("measuring")
    told = motion_answer(moved, audit(moved, result))
    course = {name: moved[name].tolist() for name in (*moved.names, *moved.stated)} if samples else {}
    return {"motion": told, **({"course": {"t": moved.t.tolist(), **course}} if samples else {})}


def _progress(before: str) -> Callable[[str], None]:
    """Return what tells how far a job is, with its work so far."""
    began = done()
    return lambda said: tell({"said": f"{before}{said}", "work": done() - began})


TASKS: Mapping[str, Task] = {
    "look": look,
    "page": page,
    "derive": derive,
    "check": check,
    "discover": discover,
    "simulate": simulate,
    "insert": insert,
}


def _renew() -> None:
    """Have a new process for exact algebra ready: limits of time belong to processes, and a job gets all of them."""
    from dalembert.expr.field import worker

    worker.renew()
    Thread(target=worker.wake, daemon=True).start()


def main() -> None:
    """Answer until the other end is closed; what is needed is there before it says that it listens."""
    from dalembert.analysis.discovery import discover as _searches
    from dalembert.expr.field import worker
    from dalembert.studies import answers as _answers
    from dalembert.studies import studying as _studies

    del _searches, _answers, _studies
    worker.wake()
    work(TASKS, nice=10, after=_renew)
