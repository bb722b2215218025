"""A page in LaTeX, for the body of a document that uses amsmath: paragraphs, displayed equations, lists of claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dalembert.errors import DalembertError
from dalembert.expr.display import latex, latex_equations, latex_groups, latex_matrix
from dalembert.expr.display.equations import avoiding
from dalembert.expr.walk import tree_size
from dalembert.model.claim import Claim
from dalembert.present.bibliography import escaped
from dalembert.present.combinations import combination_latex
from dalembert.present.page import (
    Block,
    Claims,
    Code,
    Columns,
    Combination,
    Components,
    Equations,
    Formula,
    Group,
    Listing,
    Matrix,
    Picture,
    Section,
    Table,
    Words,
)  # fmt: skip
from dalembert.present.typeset import typeset_latex

_WIDE = 40
"""Nodes of a formula that stands on a line of its own, where it can be broken."""


def in_latex(page: Block) -> str:
    r"""Return a page for the body of a document that uses amsmath.

    >>> from dalembert.expr import symbol
    >>> x = symbol("x")
    >>> print(in_latex(Section("spring", (Equations((Group("", ((x.dot.dot, -x),)),)),), level=1)))
    % spring
    \[\begin{aligned}
    \ddot{x} &= -x
    \end{aligned}\]
    """
    return "\n".join(_lines(page))


def displayed(page: Block) -> str:
    """Return the equations at the top of a page as one displayed formula, or nothing where there are none."""
    for block in page.blocks if isinstance(page, Section) else (page,):
        if isinstance(block, Combination):
            return rf"$\displaystyle {escaped(block.title)}{combination_latex(block)}$"
        if isinstance(block, Equations) and block.groups:
            try:
                pairs = [pair for group in block.groups for pair in group.pairs]
                return rf"$\displaystyle {latex_equations(pairs)}$"
            except DalembertError:
                return ""
    return ""


def _lines(block: Block) -> Iterator[str]:
    match block:
        case Section():
            yield f"% {' '.join(block.title.split())}" if block.level == 1 else rf"\paragraph{{{escaped(block.title)}}}"
            with avoiding(block.names):
                for one in block.blocks:
                    yield from _lines(one)
        case Equations():
            yield from _equations(block.groups)
            yield from _more(block.more)
        case Claims():
            yield from _claims(block.claims)
            yield from _more(block.more)
        case Components():
            named = [(label or None, entry.expression) for label, entry in block.entries if isinstance(entry, Formula)]
            yield from _equations([Group("", tuple(named))]) if named else ()
            yield from (f"{escaped(label)}: {_inline(e)}\n" for label, e in block.entries if not isinstance(e, Formula))
            if block.zeros:
                yield f"{block.zeros} further: zero"
        case Table():
            for row in block.rows:
                wide = [cell for cell in row if isinstance(cell, Formula) and tree_size(cell.expression) > _WIDE]
                yield " ".join(_inline(cell) for cell in row if cell not in wide) + r"\\" * (not wide)
                yield from _equations([Group("", tuple((cell.left, cell.expression) for cell in wide))] if wide else [])
            yield from _more(block.more)
        case Listing() if block.form != "inline":
            for item in block.items:
                yield from _lines(item)
            yield from _more(block.more)
        case Columns():
            for one in (*block.left, *block.right):
                yield from _lines(one)
        case Code() if block.instead:
            yield from _lines(Words(block.instead))
        case Code():
            yield from (r"\begin{verbatim}", block.text, r"\end{verbatim}")
        case _:
            yield _inline(block) + "\n"


def _inline(block: Block) -> str:
    match block:
        case Words():
            formulas = ", ".join(f"${latex(one)}$" for one in block.formulas)
            answer, verdict = (rf"\emph{{{said}}}" if said else "" for said in (block.answer, block.verdict))
            source = f"({block.source})" if block.source else ""
            said = (answer, typeset_latex(block.text), formulas, typeset_latex(block.note), source, verdict)
            return " ".join(part for part in said if part)
        case Formula():
            left = "" if block.left is None else f"{latex(block.left)} = "
            return f"${left}{latex(block.expression)}$"
        case Matrix():
            return f"${latex_matrix(block.rows)}$"
        case Combination():
            return f"{escaped(block.title)}${combination_latex(block)}$"
        case Listing():
            return ", ".join(_inline(item) for item in block.items)
        case Picture():
            return rf"\emph{{{escaped(block.words)}}}"
    return "\n".join(_lines(block))


def _equations(groups: Sequence[Group]) -> Iterator[str]:
    above, below = latex_groups([group.pairs for group in groups])
    for group, formulas in zip(groups, above, strict=True):
        if group.title:
            yield typeset_latex(group.title)
        yield rf"\[{formulas}\]"
    if below:
        yield "where"
        yield rf"\[{below}\]"


def _claims(claims: Sequence[Claim]) -> Iterator[str]:
    yield r"\begin{description}"
    for claim in claims:
        said, why = typeset_latex(claim.sentence), typeset_latex(claim.verdict.evidence)
        yield rf"\item[{claim.answer}] {said} ({escaped(claim.name)}, {claim.role}, {claim.verdict.basis}): {why}"
    yield r"\end{description}"


def _more(many: int) -> Iterator[str]:
    if many:
        yield f"and {many} more"
