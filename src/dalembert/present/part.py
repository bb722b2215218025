"""What one formalism contributes to a study, finished: what is shown, and the equations to compare with others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.track import Track
from dalembert.model.trajectory import Array
from dalembert.present.page import Picture, Section
from dalembert.present.summary import Sentence

__all__ = ["Part"]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A formalism's section; it travels from the process that made it."""

    formalism: str
    faults: tuple[str, ...] = ()
    """Why it does not apply, in sentences."""
    stopped: str = ""
    """Why there is nothing although it may apply: out of time, or an error of the program."""
    page: Section | None = None
    """What is shown of it."""
    answer: Mapping[str, Any] = field(default_factory=dict)
    """The JSON of ``derive``."""
    equations: Equations | None = None
    claims: tuple[Claim, ...] = ()
    sentences: tuple[Sentence, ...] = ()
    integrals: tuple[Mapping[str, str], ...] = ()
    motion: Mapping[str, Any] | None = None
    """What became of the motion, for programs."""
    track: Track | None = None
    """The motion as those of other formalisms are compared with it."""
    animation: str = ""
    pictures: tuple[Picture, ...] = ()
    """The plots that say most of the motion, for the top of the report."""
    struck: tuple[str, ...] = ()
    """What the safety net ended while it was made: these formulas may be shorter, or proved, another time."""

    @property
    def applies(self) -> bool:
        """Whether the formalism has something to say."""
        return not self.faults and not self.stopped

    @property
    def path(self) -> Mapping[str, Array]:
        """The stated coordinates along the motion, by name; none where there is no motion."""
        return {} if self.track is None else self.track.path
