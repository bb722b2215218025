r"""A page as a document of LaTeX that compiles by itself, with amsmath: claims are propositions with their verdicts.

Equations may be broken between pages. What is drawn stands for itself in the report and is left out here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from dalembert.expr.display.equations import avoiding
from dalembert.model.claim import Claim
from dalembert.present.bibliography import escaped
from dalembert.present.latex_writer import in_latex
from dalembert.present.page import Block, Claims, Code, Columns, Listing, Picture, Section, Words
from dalembert.present.typeset import typeset_latex

FITTING: Final = r"""\newsavebox{\measured}
\newcommand{\smaller}[3]{#2\sbox{\measured}{$\displaystyle\begin{aligned}#1\end{aligned}$}%
  \ifdim\wd\measured>\linewidth #3\fi}
\NewDocumentEnvironment{fitting}{+b}{{%
  \smaller{#1}{\normalsize}{\smaller{#1}{\small}{\smaller{#1}{\footnotesize}{\smaller{#1}{\scriptsize}{\tiny}}}}%
  \begin{align*}#1\end{align*}}}{}"""
"""Equations that may be broken between pages, in the largest letters in which they are not wider than the sheet."""
_PREAMBLE: Final = (
    r"""\documentclass[11pt]{article}
\usepackage[T1]{fontenc}
\usepackage{amsmath,amssymb,amsthm}
\usepackage[margin=22mm]{geometry}
\allowdisplaybreaks
\setlength{\parindent}{0pt}
\setlength{\parskip}{4pt}
\sloppy\setlength{\emergencystretch}{4em}
\newtheorem{proposition}{Proposition}
"""
    + FITTING
)
_TITLES: Final = {1: "section", 2: "section", 3: "subsection"}
_LONGEST: Final = 95
"""Letters of a line of a file that stands as it is."""


def latex_document(page: Section, references: str = "", *, file: str = "") -> str:
    r"""Return a page as a document; ``references`` in BibTeX are those of ``file``, or are inside where there is none.

    >>> from dalembert.expr.graph import symbol
    >>> from dalembert.present.page import Formula
    >>> text = latex_document(Section("50% & more", (Formula(symbol("x")),), level=1))
    >>> [line for line in text.splitlines() if "title" in line]
    ['\\title{50\\% \\& more}', '\\maketitle']
    """
    inside = [rf"\begin{{filecontents}}{{{_FILE}}}", references, r"\end{filecontents}"]
    name = file or _FILE
    lines = [
        *(inside if references and not file else []),
        _PREAMBLE,
        rf"\title{{{_plain(page.title)}}}",
        r"\author{}",
        r"\date{}",
        r"\begin{document}",
        r"\maketitle",
        *_under(page),
        *(
            [r"\nocite{*}", r"\bibliographystyle{plain}", rf"\bibliography{{{name.removesuffix('.bib')}}}"]
            * bool(references)
        ),
        r"\end{document}",
    ]
    return "\n".join(lines) + "\n"


_FILE: Final = "references.bib"


def _lines(block: Block) -> Iterator[str]:
    match block:
        case Section() if block.look == "motion":
            return
        case Section():
            kind = "paragraph" if block.folded else _TITLES.get(block.level, "subsection")
            yield rf"\{kind}*{{{_plain(block.title)}}}" if block.title else ""
            yield from _under(block)
        case Columns():
            for one in (*block.left, *block.right):
                yield from _lines(one)
        case Listing() if block.form == "plain":
            for one in block.items:
                yield from _lines(one)
        case Claims():
            yield from _propositions(block.claims)
        case Code() if block.instead:
            yield from _lines(Words(block.instead))
        case Code():
            yield from (r"{\footnotesize\begin{verbatim}", _short(block.text), r"\end{verbatim}}")
        case Picture():
            return
        case _:
            yield _breakable(in_latex(block)) + "\n"


def _under(section: Section) -> list[str]:
    """Return what stands under a title; all at once, since names are avoided meanwhile and no longer."""
    with avoiding(section.names):
        return [line for one in section.blocks for line in _lines(one)]


def _propositions(claims: Sequence[Claim]) -> Iterator[str]:
    """Return claims as propositions, each with its answer and how it is known before its evidence."""
    for claim in claims:
        place = f"; {escaped(claim.place)}" if claim.place else ""
        yield rf"\begin{{proposition}}[{{{escaped(claim.name)}{place}}}]"
        yield typeset_latex(claim.sentence)
        yield r"\end{proposition}"
        verdict = rf"\textbf{{{claim.answer}}} ({claim.verdict.basis}, {claim.role})"
        yield f"{verdict}: {typeset_latex(claim.verdict.evidence)}\n"


def _plain(title: str) -> str:
    return escaped(f"{title[:1].upper()}{title[1:]}")


def _breakable(text: str) -> str:
    """Return displayed equations as such that may be broken between pages, and are as large as there is room for."""
    return text.replace("\\[\\begin{aligned}\n", "\\begin{fitting}\n").replace(
        "\n\\end{aligned}\\]", "\n\\end{fitting}"
    )


def _short(text: str) -> str:
    """Return a file with its long lines broken, and without what would end it."""
    kept = text.replace(r"\end{verbatim}", r"\end {verbatim}")
    return "\n".join(part for line in kept.splitlines() for part in re.findall(f".{{1,{_LONGEST}}}", line) or [""])
