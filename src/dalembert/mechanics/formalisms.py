"""The formalisms by name. Each is a file with ``check(system)``, ``derive(system)`` and ``CITES``."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

from dalembert.errors import DalembertError, Fault, expect
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System

__all__ = ["FORMALISMS", "Formalism", "Result", "derive", "formalism"]

FORMALISMS = {
    "euler-lagrange": "lagrangian.euler_lagrange",
    "nonholonomic": "nonholonomic.lagrange_dalembert",
    "chaplygin": "chaplygin.chaplygin",
    "routh": "routh.routh",
    "vakonomic": "vakonomic.vakonomic",
    "semisymplectic": "semisymplectic.semisymplectic",
}
"""Formalisms of the command line and the files they live in."""


class Result(Protocol):
    """What ``derive`` returns: at least these."""

    @property
    def system(self) -> System:
        """The system it was derived from."""

    @property
    def equations(self) -> Equations:
        """The equations of motion."""

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What is claimed, with verdicts."""

    def objects(self) -> dict[str, object]:
        """Return the geometric objects by the names of the JSON."""


class Formalism(Protocol):
    """What a file in ``mechanics`` exports."""

    CITES: tuple[str, ...]

    def check(self, system: System) -> tuple[Fault, ...]:
        """Return what forbids the formalism, in words."""

    def derive(self, system: System) -> Result:
        """Return the result, or raise ``HypothesisError``."""


def derive(system: System, name: str) -> Any:
    """Return what a formalism derives from a system, or raise ``HypothesisError`` with every reason why it cannot.

    >>> fall = System.of(name="fall", coordinates="z", parameters={"g": 9.81}, lagrangian="z'^2/2 - g*z")
    >>> derive(fall, "euler-lagrange").energy
    z'^2 - (z'^2/2 - g*z)
    """
    expect(system, System, "derive takes a system")
    expect(name, str, "the name of a formalism is text")
    if name not in FORMALISMS:
        raise DalembertError(f"there is no formalism '{name}'; use one of {', '.join(FORMALISMS)}.")
    return formalism(name).derive(system)


def formalism(name: str) -> Any:
    """Return the module of a formalism.

    >>> formalism("semisymplectic").CITES
    ('patrick-2007',)
    """
    return import_module(f"dalembert.mechanics.{FORMALISMS[name]}")
