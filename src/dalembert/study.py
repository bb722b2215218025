"""The main job: run every formalism on a system, and put what they say on one page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dalembert.errors import HypothesisError
from dalembert.expr.text import text
from dalembert.mechanics.first_integrals import first_integrals_of
from dalembert.mechanics.formalisms import FORMALISMS, formalism
from dalembert.mechanics.nonholonomic import Nonholonomic
from dalembert.model.claim import Claim
from dalembert.model.system import System
from dalembert.present.answer import answer
from dalembert.present.page import Section, page

__all__ = ["Study", "study"]


@dataclass(frozen=True, slots=True)
class Study:
    """What all formalisms say of a system; those that do not apply say why."""

    system: System
    sections: tuple[Section, ...]

    @property
    def claims(self) -> list[Claim]:
        """All claims of all formalisms."""
        return [claim for section in self.sections if section.result for claim in section.result.claims]

    def to_html(self) -> str:
        """Return the page."""
        return page(self.system, self.sections)

    def to_json(self) -> dict[str, Any]:
        """Return the answers by formalism, and the reasons of those that do not apply."""
        return {
            "system": self.system.name,
            "sections": {s.formalism: answer(s.result) for s in self.sections if s.result is not None},
            "first_integrals": [
                {"name": i.name, "expression": text(i.expression), "verdict": i.verdict.kind}
                for s in self.sections
                for i in s.integrals
            ],
            "not_applicable": {s.formalism: [str(f) for f in s.faults] for s in self.sections if s.result is None},
        }


def study(system: System, progress: Callable[[str], None] | None = None) -> Study:
    """Return what every formalism says of a system.

    >>> ball = System.of(name="ball", coordinates="z", parameters={"g": 9.81}, lagrangian="z'^2/2 - g*z")
    >>> [section.formalism for section in study(ball).sections if section.result is None]
    ['nonholonomic']
    """
    sections = []
    for name in FORMALISMS:
        if progress is not None:
            progress(name)
        try:
            result = formalism(name).derive(system)
        except HypothesisError as fault:
            sections.append(Section(name, None, fault.faults))
            continue
        found = first_integrals_of(result) if isinstance(result, Nonholonomic) else []
        sections.append(Section(name, result, integrals=tuple(found)))
    return Study(system, tuple(sections))
