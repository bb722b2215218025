"""A result in the terminal and in LaTeX: equations broken into lines, long parts named, claims with their verdicts.

What can be solved for in a short formula is solved for. Where the accelerations would be long, the linear equations for
them are shown instead, as they are derived: mass * acceleration = force.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final, TypeAlias

from dalembert.expr.display import latex_equations
from dalembert.expr.display.measure import parts_to_name
from dalembert.expr.field.simplification_budget import SimplificationBudget
from dalembert.expr.graph import Expr
from dalembert.expr.text.opened import opened
from dalembert.expr.text.printer import Printer, without_solves
from dalembert.expr.walk import functions, postorder, symbols
from dalembert.mechanics.registry import Result, claims
from dalembert.model.claim import Claim
from dalembert.present.displayed_equations import Sections, equations_to_show
from dalembert.present.lines import broken, columns

__all__ = ["claims_in_text", "counted", "in_latex", "in_text"]

Paint: TypeAlias = Callable[[str, str], str]
"""What makes a colour of a kind of verdict and a text."""

_PAGE: Final = 100
"""Letters in a line of a formula where nothing is said about the width."""
_LETTERS: Final = "ckabhuwpn"
"""What names of parts begin with, if no other name does."""


def in_text(
    result: Result,
    width: int | None = None,
    effort: float = 3.0,
    paint: Paint | None = None,
    decided: Sequence[Claim] | None = None,
) -> str:
    """Return the equations and the claims, in lines of a width; claims get a line each where none is given.

    ``decided`` are the claims, where they are at hand.

    >>> from dalembert.mechanics.lagrangian import euler_lagrange
    >>> from dalembert.model.system import System
    >>> fall = System.of(name="fall", coordinates="z", parameters={"g": 9.81}, lagrangian="z'^2/2 - g*z")
    >>> print(in_text(euler_lagrange.derive(fall)).partition("claims")[0], end="")
    fall, euler-lagrange
    state: z, z'
    <BLANKLINE>
      z'' = -g
    <BLANKLINE>
    """
    equations = result.equations
    page = width or _PAGE
    names = ", ".join(str(s.data.label) for s in equations.state)
    lines = [f"{equations.system}, {equations.formalism}", *broken(f"state: {names}", page), ""]
    lines += _formulas(_sections(result, effort), page)
    return "\n".join([*lines, "", *claims_in_text(claims(result) if decided is None else decided, width, paint)])


def in_latex(result: Result, effort: float = 3.0) -> str:
    """Return the equations as an aligned system."""
    return latex_equations([pair for _, pairs in _sections(result, effort) for pair in pairs])


def counted(claims: Iterable[Claim]) -> str:
    """Return how many claims have which verdict.

    >>> counted([])
    'none'
    """
    kinds = Counter(claim.verdict.kind for claim in claims)
    return ", ".join(f"{number} {kind}" for kind, number in kinds.items()) or "none"


def claims_in_text(claims: Sequence[Claim], width: int | None = None, paint: Paint | None = None) -> list[str]:
    """Return the claims as lines: verdict, name, and what is claimed, with its role and its evidence."""
    rows = [[c.verdict.kind, c.name, f"{c.statement} [{c.role}]: {c.verdict.evidence}"] for c in claims]

    def painted(column: int, cell: str) -> str:
        return paint(cell.strip(), cell) if paint is not None and column == 0 else cell

    return [f"claims: {counted(claims)}", *columns(rows, width, indent="  ", widest=24, paint=painted)]


# -- equations -----------------------------------------------------------------------------------------------
def _sections(result: Result, effort: float) -> Sections:
    return equations_to_show(result, SimplificationBudget(effort, each=1.0, largest=600))


def _formulas(sections: Sections, page: int) -> list[str]:
    """Return equations as lines, with a list of the parts that were given a name."""
    pairs = [pair for _, pairs in sections for pair in pairs]
    roots = without_solves([side for pair in pairs for side in pair])
    named = parts_to_name(roots, 0.8 * page, limits={}, free={}, short=False)
    names = _names(named, roots)
    bodies = dict(zip(names, opened(list(names), names), strict=True))
    shown = [root if root in names else opened([root], names)[0] for root in roots]
    printer = Printer([*shown, *bodies, *bodies.values()], names)
    written = iter(shown)
    lines: list[str] = []
    for title, several in sections:
        texts = [(printer.write(next(written)), printer.write(next(written))) for _ in several]
        lines += [title, *_aligned(texts, page)] if title else _aligned(texts, page)
    if names:
        lines += [
            "where",
            *_aligned([(name, printer.write(bodies[n], spelled_out=True)) for n, name in names.items()], page),
        ]
    return lines


def _aligned(pairs: Sequence[tuple[str, str]], page: int) -> list[str]:
    """Return equations with their equals signs below each other, as far as left sides are short."""
    size = max((len(left) for left, _ in pairs if len(left) <= 12), default=0)
    return [line for left, right in pairs for line in broken(f"{left.ljust(size)} = {right}", page, "  ")]


def _names(nodes: Collection[Expr], roots: Sequence[Expr]) -> dict[Expr, str]:
    """Return names for parts, in an order in which each is given before it is used."""
    taken = {s.name for s in symbols(roots)} | {f.name for f in functions(roots)}
    letter = next((one for one in _LETTERS if not any(name.startswith(one) for name in taken)), _LETTERS[0])
    names: dict[Expr, str] = {}
    number = 0
    for node in postorder(roots):
        if node in nodes:
            number += 1
            while f"{letter}{number}" in taken:
                number += 1
            names[node] = f"{letter}{number}"
    return names
