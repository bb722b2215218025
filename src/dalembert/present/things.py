"""The page of anything that a user has in hand: of known types in a way of their own, of other records by their fields.

A page is for looking, so it always comes back soon and is never long: what is too large says how large it is, and what
no longer fits is counted. Types are known by their names, so that nothing is loaded for being able to show it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from types import FunctionType
from typing import Any, TypeAlias

import numpy as np

from dalembert.expr.display.names import LETTERS as GREEK
from dalembert.expr.field.simplification_budget import SimplificationBudget
from dalembert.expr.field.worker import wake
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import Verdict, vanish, vanishing
from dalembert.expr.walk import postorder
from dalembert.geometry.fields import VectorField
from dalembert.geometry.forms import Form
from dalembert.mechanics.registry import Result
from dalembert.model.claim import Claim
from dalembert.model.system import System
from dalembert.present import motion, page, report
from dalembert.present.combinations import field_combination, form_combination, named_combination
from dalembert.present.html_writer import film_page, framed, unpacked
from dalembert.present.page import (
    Block,
    Claims,
    Equations,
    Formula,
    Group,
    Listing,
    Matrix,
    Pair,
    Picture,
    Section,
    Table,
    Words,
    formula_or_size,
    is_within,
    readable,
)  # fmt: skip
from dalembert.present.results import constant_rows, equations_blocks, statement_blocks
from dalembert.present.text_writer import cut

__all__ = ["RESULTS", "is_ours", "page_of"]

RESULTS = {
    "dalembert.mechanics.lagrangian.euler_lagrange": "EulerLagrange",
    "dalembert.mechanics.nonholonomic.linear_constraints": "Nonholonomic",
    "dalembert.mechanics.nonholonomic.general_constraints": "ConstrainedMotion",
    "dalembert.mechanics.chaplygin.chaplygin": "Chaplygin",
    "dalembert.mechanics.chaplygin.in_frame": "ChaplyginInFrame",
    "dalembert.mechanics.routh.routh": "Routh",
    "dalembert.mechanics.vakonomic.vakonomic": "Vakonomic",
    "dalembert.mechanics.semisymplectic.semisymplectic": "SemiHamiltonian",
}
"""What ``derive`` returns, by the files it comes from."""
_LINE = 40
"""Shared nodes of formulas that stand in one line, one after the other."""
_LETTER = re.compile(rf"((?:[A-Za-z]|{'|'.join(GREEK)})(?:_?[0-9]+)?)('*)")
"""Names that are a letter, Greek ones too, with or without an index, and primes."""
_SILENT: object = object.__repr__
"""What Python says of a thing that says nothing of itself: where it is in memory."""


def page_of(thing: Any) -> Block:
    """Return what is shown of a thing.

    >>> from dalembert.present.text_writer import brief
    >>> fall = System.of(name="fall", coordinates="z", parameters={"g": 9.81}, lagrangian="z'^2/2 - g*z")
    >>> print(brief(page_of(fall)))
    fall
      L = z'^2/2 - g*z
      coordinates: z
      parameters: g = 9.81
    """
    return Sheet().block(thing)


def is_ours(thing: object) -> bool:
    """Say whether the type of a thing belongs to this package.

    >>> is_ours(Expr), is_ours(7)
    (False, False)
    """
    return type(thing).__module__.partition(".")[0] == "dalembert"


class Sheet:
    """Paper for showing one thing, and effort for making its formulas short."""

    def __init__(self) -> None:
        self.letters = page.LETTERS
        self._budget = SimplificationBudget(1.2, each=0.8, largest=page.SYSTEM)
        self._short: dict[Expr, Expr] = {}

    @property
    def full(self) -> bool:
        """Whether nothing more should be put on it."""
        return self.letters <= 0

    def spent(self, block: Block) -> Block:
        """Return a block that was put on the sheet."""
        if isinstance(block, Words):
            self.letters -= len(block.text)
        else:
            formulas = [right for _, right in page.formulas_in(block)]
            self.letters -= page.NODE * len(postorder(formulas))
        return block

    def short(self, expression: Expr) -> Expr:
        """Return an expression in a shorter form, while there is effort left for it; the same one at every call."""
        if expression not in self._short:
            if not self._short:
                wake()  # starting the other process takes nothing of its time
            self._short[expression] = self._budget(expression)
        return self._short[expression]

    def _shorter(self, value: Any) -> Any:
        """Return the formulas of a field, in lists and tables too, in shorter form; records are left alone."""
        match value:
            case Expr():
                return self.short(value) if readable(value) is not None else value
            case list() | tuple():
                return [self._shorter(part) for part in value[: page.ROWS]] + list(value[page.ROWS :])
            case Mapping():
                return {key: self._shorter(part) for key, part in value.items()}
        return value

    # -- anything --------------------------------------------------------------------------------------------
    def block(self, value: Any, depth: int = 0) -> Block:
        """Return any value as a block."""
        if self.full:
            return Words("…")
        if isinstance(value, Expr):
            alone = not depth and readable(value) is None
            return self.equations([Group("", ((None, value),))]) if alone else self.spent(formula_or_size(value))
        look = _LOOKS.get((type(value).__module__, type(value).__name__))
        if look is not None:
            shown = look(value, self)
            return Section(shown.title, shown.blocks, 4, folded=depth > 0) if isinstance(shown, Section) else shown
        match value:
            case Verdict():
                return self.spent(Table(((Words("", verdict=value.kind), Words(value.evidence)),)))
            case Mapping():
                return self.table(value, depth)
            case list() | tuple() | frozenset() | set():
                return self.listed(list(value), depth)
            case np.ndarray():
                return self.spent(Words(_array(value)))
            case _ if is_dataclass(value) and is_ours(value) and not _speaks(value):
                return self.record(value, depth)
        return self.spent(Words(cut(" ".join(_line(value).split()))))

    def record(self, thing: Any, depth: int = 0) -> Block:
        """Return a record by its fields, those within it folded."""
        if depth >= page.DEEP:
            return Words(_line(thing))
        parts = {f.name: getattr(thing, f.name) for f in fields(thing) if f.repr and not f.name.startswith("_")}
        table = self.table({name: self._shorter(value) for name, value in parts.items()}, depth)
        about = (type(thing).__doc__ or "").partition("\n")[0]
        plain = depth or not about or about.startswith(f"{type(thing).__name__}(")  # Python's own, of no docstring
        blocks = (table,) if plain else (Words(about, quiet=True), table)
        return Section(_line(thing), blocks, level=4, folded=depth > 0)

    def table(self, entries: Mapping[Any, Any], depth: int = 0) -> Table:
        """Return a row for each entry that says something."""
        said = [(key, value) for key, value in entries.items() if not _empty(value)]
        rows: list[tuple[Block, ...]] = []
        for key, value in said[: page.ROWS]:
            if self.full:
                break
            rows.append((_name(key), self.block(value, depth + 1)))
        return Table(tuple(rows), more=len(said) - len(rows))

    def listed(self, values: Sequence[Any], depth: int = 0) -> Block:
        """Return claims together, rows of formulas as a matrix, everything else one below the other."""
        if not values:
            return Words("none", quiet=True)
        if all(isinstance(v, Claim) for v in values):
            return self.claims(values, fold="open")
        if all(isinstance(v, str | int | float | Fraction) for v in values):
            return self.spent(Words(cut(", ".join(map(str, values[: page.ROWS])))))
        if all(isinstance(v, Expr) for v in values) and is_within(values, _LINE):
            return self.spent(Listing(tuple(formula_or_size(v) for v in values), form="inline"))
        matrix = _matrix(values)
        if matrix is not None:
            return self.spent(matrix)
        items: list[Block] = []
        for value in values[: page.ROWS]:
            if self.full:
                break
            items.append(self.block(value, depth + 1))
        return Listing(tuple(items), more=len(values) - len(items))

    def claims(self, claims: Sequence[Claim], fold: Any = "closed") -> Claims:
        """Return as many claims as are read."""
        shown = tuple(claims[: page.CLAIMS])
        self.letters -= sum(len(c.statement) + len(c.verdict.evidence) for c in shown)
        return Claims(shown, fold=fold, more=len(claims) - len(shown))

    def equations(self, groups: Iterable[Group]) -> Block:
        """Return equations, or how many there are where they are too long."""
        there = tuple(group for group in groups if group.pairs)
        pairs: list[Pair] = [pair for group in there for pair in group.pairs]
        if not pairs or (not self.full and is_within([right for _, right in pairs], page.SYSTEM)):
            return self.spent(Equations(there))
        names = ", ".join(str(left) for left, _ in pairs[: page.ROWS] if left is not None)
        return Words(
            f"{len(pairs)} formulas that are too long to be read{f', for {names}' if names else ''}", quiet=True
        )


def _name(key: Any) -> Block:
    """Return what stands before a row: a formula for a formula or a letter, else words."""
    if isinstance(key, Expr):
        return formula_or_size(key)
    if isinstance(key, str) and (found := _LETTER.fullmatch(key)):
        return Formula(symbol(Symbol(found[1], order=len(found[2]))))
    return Words(str(key).replace("_", " "))


def _empty(value: Any) -> bool:
    """Say whether there is nothing to show: nothing was stated, nothing was found."""
    return value is None or (isinstance(value, str | Sequence | Mapping) and not len(value))


def _matrix(values: Sequence[Any]) -> Matrix | None:
    """Return a matrix, or None where it is none or too large to be read."""
    rows = [tuple(v) for v in values if isinstance(v, list | tuple)]
    width = len(rows[0]) if len(rows) == len(values) else 0
    if not width or any(len(row) != width or not all(isinstance(e, Expr) for e in row) for row in rows):
        return None
    if width * len(rows) > page.CLAIMS or not is_within([e for row in rows for e in row], page.MATRIX):
        return None
    plain = [tuple(p for e in row if (p := readable(e)) is not None) for row in rows]
    return Matrix(tuple(plain)) if all(len(row) == width for row in plain) else None


def _array(values: np.ndarray[Any, Any]) -> str:
    """Return a few numbers, or say how many there are and between what."""
    if values.size <= 16 and values.ndim <= 2:
        return np.array2string(values, precision=6, suppress_small=True)
    size = " by ".join(map(str, values.shape))
    if not np.issubdtype(values.dtype, np.number) or np.iscomplexobj(values):
        return f"{size} values"
    there = values[np.isfinite(values)]
    between = f", from {there.min():.4g} to {there.max():.4g}" if there.size else ", none of them finite"
    return f"{size} numbers{between}"


def _speaks(thing: Any) -> bool:
    """Say whether a type has a text of its own, and not the one that Python writes for records."""
    own = type(thing).__dict__
    return "__str__" in own or ("__repr__" in own and not hasattr(own["__repr__"], "__wrapped__"))


def _line(value: Any) -> str:
    """Return what a thing is called: its type and its name where it has one, a function by its name."""
    if isinstance(value, FunctionType):
        return f"the function {value.__name__}"
    if not is_ours(value) or (_speaks(value) and type(value).__repr__ is not _SILENT):
        return str(value)
    kind = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(value).__name__.lstrip("_")).lower()
    name = getattr(value, "name", "")
    return f"{kind} {name}" if isinstance(name, str) and name else kind


# -- how known types look ------------------------------------------------------------------------------------
def _system(system: System, sheet: Sheet) -> Section:
    return Section(system.name, tuple(sheet.spent(block) for block in statement_blocks(system)))


def _equations(equations: Any, sheet: Sheet) -> Section:
    state, shown = equations_blocks(equations, sheet.short)
    return Section(f"{equations.system}, {equations.formalism}", (state, sheet.equations(shown.groups)))


def _result(result: Result, sheet: Sheet) -> Section:
    """Return the equations, the hypotheses folded, and what else the record has, folded too."""
    top = _equations(result.equations, sheet)
    rest = {
        name: getattr(result, name)
        for name in type(result).__dataclass_fields__  # type: ignore[attr-defined]
        if name not in ("system", "equations", "hypotheses") and not name.startswith("_")
    }
    blocks = (
        *top.blocks,
        *([sheet.claims(result.hypotheses)] if result.hypotheses else []),
        Words("claims(result) decides the theorems about it; .objects() has all objects by their names.", quiet=True),
        Section("what it is made of", (sheet.table(rest),), folded=True),
    )
    return Section(top.title, blocks)


def _claim(claim: Claim, _: Sheet) -> Claims:
    return Claims((claim,), fold="none")


def _words(thing: Any, _: Sheet) -> Words:
    return Words(str(thing))


def _integral(found: Any, sheet: Sheet) -> Table:
    return constant_rows([found], sheet.short)


def _audit(measured: Any, sheet: Sheet) -> Section:
    head = ("watched", "constant?", "at the start", "it moved by", "relative")
    rows = tuple(
        (Words(d.name), Words("", verdict=d.conserved.kind), *(Words(str(number)) for number in d.shown))
        for d in measured.drifts
    )
    return Section("audit", (Table(rows, head), sheet.claims(measured.claims, fold="none")))


def _field(field: VectorField, sheet: Sheet) -> Block:
    return sheet.spent(field_combination(field))


def _form(form: Form, sheet: Sheet) -> Block:
    return sheet.spent(form_combination(form))


def _chart(chart: Any, _: Sheet) -> Listing:
    return Listing((Words("coordinates"), *(formula_or_size(q) for q in chart.coordinates)), form="inline")


def _frame(frame: Any, sheet: Sheet) -> Section:
    rows: dict[Any, Any] = dict(zip(frame.quasi_velocities, frame.fields, strict=False))
    drift = {"drift": frame.drift} if frame.drift is not None else {}
    about = Words("Each quasi-velocity, and its field.", quiet=True)
    return Section("frame", (about, sheet.table({**rows, **drift})))


def _distribution(distribution: Any, sheet: Sheet) -> Section:
    names = ", ".join(repr(distribution.chart.coordinates[a]) for a in distribution.dependent)
    said = f"Of rank {distribution.rank} in {distribution.chart.dimension} dimensions, spanned by"
    spanned = Listing(tuple(sheet.block(field, 1) for field in distribution.fields))
    determinant = formula_or_size(distribution.determinant)
    fails = f"It gives the velocities of {names} where this does not vanish:"
    where = (Words(fails, names=True), determinant) if names else ()
    return Section("distribution", (Words(said), spanned, *where))


def _connection(connection: Any, sheet: Sheet) -> Section:
    q = [one.data.name for one in connection.chart.coordinates]
    every = [
        (f"Gamma^{q[c]}_{q[a]}_{q[b]}", entry)
        for c, square in enumerate(connection.symbols)
        for a, row in enumerate(square)
        for b, entry in enumerate(row)
    ]
    zero = vanishing([entry for _, entry in every])
    pairs = tuple((name, sheet.short(entry)) for (name, entry), none in zip(every, zero, strict=True) if not none)
    return Section(
        "affine connection", (sheet.equations([Group("", pairs)]) if pairs else Words("All coefficients are 0."),)
    )


def _algebra(algebra: Any, sheet: Sheet) -> Section:
    rows = [
        (f"[{algebra.names[a]}, {algebra.names[b]}] = ", algebra.constants[a][b])
        for a in range(algebra.dimension)
        for b in range(a + 1, algebra.dimension)
    ]
    brackets = tuple(
        sheet.spent(named_combination(title, row, algebra.names)) for title, row in rows if not vanish(row)
    )
    shown = Listing(brackets) if brackets else Words("All brackets are 0.")
    return Section(f"Lie algebra of {', '.join(algebra.names)}", (shown,))


def _trajectory(run: Any, _: Sheet) -> Section:
    return Section(f"motion of {run.provenance.get('system', 'a system')}", motion.trajectory_blocks(run))


def _ensemble(runs: Any, sheet: Sheet) -> Block:
    blocks = motion.ensemble_blocks(runs)
    return Section("ensemble", blocks) if blocks else sheet.record(runs)


def _comparison(compared: Any, sheet: Sheet) -> Section:
    groups = [
        Group(name, tuple(("0", sheet.short(e)) for e in rows.values()))
        for name, rows in compared.side_by_side().items()
    ]
    blocks = (sheet.equations(groups), sheet.claims(compared.claims, fold="open"))
    return Section(f"{compared.system.name}: both principles", blocks)


def _motions(both: Any, _: Sheet) -> Section:
    return Section("both motions", motion.two_motions_blocks(both))


def _part(part: Any, sheet: Sheet) -> Section:
    words = [part.stopped] if part.stopped else list(part.faults)
    said = [Words(s.text, s.verdict, s.formulas) for s in part.sentences]
    blocks: tuple[Block, ...] = (*map(Words, words), *said, *([sheet.claims(part.claims)] if part.claims else []))
    return Section(part.formalism, blocks)


def _study(studied: Any, _: Sheet) -> Section:
    """Return the summary, the mechanism on its way, and the whole report folded."""
    summary = report.summary_page(studied.system, studied.parts, studied.crossed)
    film = next((part.animation for part in studied.parts if part.animation), "")
    moving = (Picture(framed(film_page(film), "animation"), "[animation of the mechanism]"),) if film else ()
    whole = Picture(framed(unpacked(studied.to_html()), "report", fit=False), "[the whole report]")
    top = [block for block in summary.blocks if not (isinstance(block, Section) and block.anchor)]
    return Section(summary.title, (*top, *moving, Section("the whole report", (whole,), folded=True)))


_Look: TypeAlias = Callable[[Any, Sheet], Block]
_LOOKS: Mapping[tuple[str, str], _Look] = {
    ("dalembert.model.claim", "Claim"): _claim,
    ("dalembert.expr.truth.verdict", "Witness"): _words,
    ("dalembert.errors", "Fault"): _words,
    ("dalembert.model.system", "System"): _system,
    ("dalembert.model.equations", "Equations"): _equations,
    ("dalembert.model.trajectory", "Trajectory"): _trajectory,
    ("dalembert.numerics.ensemble.record", "Ensemble"): _ensemble,
    ("dalembert.mechanics.second_order.search.first_integrals", "FirstIntegral"): _integral,
    ("dalembert.geometry.fields", "Chart"): _chart,
    ("dalembert.geometry.fields", "VectorField"): _field,
    ("dalembert.geometry.forms", "Form"): _form,
    ("dalembert.geometry.frames", "Frame"): _frame,
    ("dalembert.geometry.distributions", "Distribution"): _distribution,
    ("dalembert.geometry.connections.affine", "AffineConnection"): _connection,
    ("dalembert.geometry.groups.algebra", "LieAlgebra"): _algebra,
    ("dalembert.analysis.audit", "Audit"): _audit,
    ("dalembert.analysis.compare", "Comparison"): _comparison,
    ("dalembert.analysis.compare", "Motions"): _motions,
    ("dalembert.present.part", "Part"): _part,
    ("dalembert.studies.studying", "Study"): _study,
    **dict.fromkeys(RESULTS.items(), _result),
}
"""By module and name of the type."""
