"""What is said of one formula of a paper: where it stands, what became of it, and the test that shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = [
    "AS_DEFINED",
    "DATA",
    "DEFINITION",
    "Formula",
    "Status",
    "definition",
    "misprint",
    "not_checked",
    "reproduced",
    "stated",
]

Status = Literal["reproduced", "misprint", "as stated", "not checked"]

DEFINITION = "a definition, which says nothing that could be false"
"""The reason where a display only names something; what is said about it later is listed there."""


DATA = "data of an example; the model has them"
AS_DEFINED = "a definition; the object of the library is that"
"""Remarks on formulas from which nothing follows by themselves, so that no second derivation can meet them."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A displayed formula of a paper, in our words.

    ``where`` is the section and the place of the display in it, "2.19" being the 19th of section 2, with the paper's
    own number behind it if it has one: "3.15 (8)". What stands in the text between displays has "after 2.25".
    """

    where: str
    name: str
    status: Status
    test: str = ""
    """The name of a function in a ``test_*.py`` beside the list."""
    note: str = ""
    """Of a misprint: what is right. Of a formula that is not checked: why not. Else a remark, or nothing."""


def reproduced(where: str, name: str, test: str, note: str = "") -> Formula:
    """Return a formula that holds as printed."""
    return Formula(where, name, "reproduced", test, note)


def misprint(where: str, name: str, test: str, right: str) -> Formula:
    """Return a formula that does not hold as printed, with what does; its test refutes the printed form."""
    return Formula(where, name, "misprint", test, right)


def stated(where: str, name: str, test: str, note: str) -> Formula:
    """Return a definition, or data of an example: from it alone nothing follows, and the library has it so."""
    return Formula(where, name, "as stated", test, note)


def not_checked(where: str, name: str, why: str) -> Formula:
    """Return a formula that no test looks at, with the reason."""
    return Formula(where, name, "not checked", "", why)


def definition(where: str, name: str) -> Formula:
    """Return a display that only gives a name to something."""
    return not_checked(where, name, DEFINITION)
