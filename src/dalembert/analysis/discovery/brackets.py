"""The Poisson brackets of first integrals of an unconstrained system, on positions and velocities.

With p = dL/dv, the Hessian W = dp/dv and (q, p) canonical,

    {f, g} = f|_q g_p - f_p g|_q,    f_p = W^-1 df/dv,    f|_q = df/dq - (dp/dq)^T f_p.

A rotation has its angular velocity w in the body for v, its fields X_a for d/dq, and with [X_a, X_b] = e_abc X_c the
term - e_abc p_c f_p^a g_p^b besides: {p_a, p_b} = - e_abc p_c.

The brackets of integrals are integrals. Between those that were found they are combinations whose coefficients are
polynomials in the energy E, on a level of which they make a Lie algebra: its structure may change with the sign of E.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from dalembert.analysis.discovery.first_integrals import Integral
from dalembert.analysis.discovery.structure import Structure
from dalembert.analysis.motions import Motions
from dalembert.errors import ExpressionError
from dalembert.expr.calculus import define, diff, gradient, jacobian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.text import text
from dalembert.expr.text.printer import signed_sum
from dalembert.expr.truth import depends_on
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.groups.algebra import LieAlgebra
from dalembert.geometry.groups.matrices import dot, reduced, span, unit
from dalembert.mechanics.common import facts_of
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
from dalembert.mechanics.second_order.search.linear_search import relations
from dalembert.records import dataclass, replace

_MOST = 12
"""Brackets of so many integrals are taken."""
_POWERS = 2
"""The highest power of the energy in a coefficient."""


@dataclass(frozen=True)
class BracketAlgebra:
    """What the Poisson brackets of integrals are, by the integrals and the energy."""

    integrals: tuple[Integral, ...]
    """Those other than the energy, called J1, J2, ...; it is one of them where some depend on time."""
    brackets: Mapping[tuple[int, int], Sequence[tuple[Expr, str]] | None]
    """Of each pair: its terms, a coefficient in E and J or a power of E each; None where it is no such combination."""
    algebras: Mapping[str, Structure]
    """On levels of the energy: "" where its value does not matter, else "E < 0", "E = 0" and "E > 0"."""
    by_energy: bool = True
    """Whether the energy is a constant beside them: not where it is not kept, or where some depend on time."""

    @property
    def closes(self) -> bool:
        """Whether all brackets are combinations."""
        return all(terms is not None for terms in self.brackets.values())

    @property
    def up_to(self) -> str:
        """How a sentence begins that says what they are."""
        return "Up to functions of the energy E they are" if self.by_energy else "They are"

    @property
    def name(self) -> str:
        """What the algebra is called, by the sign of the energy where it matters."""
        names = {level: found.name for level, found in self.algebras.items()}
        return ", ".join(f"{name} where {level}" if level else name for level, name in names.items())

    @property
    def said(self) -> tuple[str, ...]:
        """The brackets that are not zero, in words."""
        found = []
        for (a, b), terms in self.brackets.items():
            if terms:
                written = signed_sum((c if name else ONE, name or text(c)) for c, name in terms)
                found.append(f"{{J{a + 1}, J{b + 1}}} = {written}")
        return tuple(found)


def poisson_bracket(motions: Motions, functions: Sequence[Expr]) -> list[list[Expr]]:
    """Return the brackets of functions of the state.

    >>> from dalembert.model.system import System
    >>> fall = Motions(System.of(name="fall", coordinates="x z", lagrangian="(x'^2 + 4*z'^2)/2 - z"))
    >>> x, z = fall.system.q
    >>> poisson_bracket(fall, [z, z.dot])
    [[0, 1/4], [-1/4, 0]]
    """
    system, equations = motions.system, motions.names.equations
    frame = TangentFrame(system)
    speeds = frame.velocities if system.points else tuple(q.dot for q in system.q)
    if (
        system.lagrangian is None
        or system.order > 1
        or frame.directions
        or system.constraints.keys() - system.units
        or equations.formalism != "euler-lagrange"
        or set(equations.velocities) != set(speeds)
    ):
        raise ExpressionError(
            "Poisson brackets are taken of unconstrained Lagrangians in coordinates that are numbers and rotations."
        )
    stated = frame.opened([frame.lagrangian]) if system.points else [system.lagrangian]
    (lagrangian,) = define(stated, system.definitions)
    momenta = gradient(lagrangian, speeds)
    hessian = jacobian(momenta, speeds)
    fields = [{q: diff(e, w) for q, e in equations.kinematics.items()} for w in speeds]  # q' = w^a X_a
    slopes = [tangent([*momenta, *functions], field) for field in fields]
    along, across = [], []
    for k, function in enumerate(functions, len(momenta)):
        by_momentum = solve(hessian, gradient(function, speeds))
        along.append(by_momentum)
        across.append([row[k] - dot(row[: len(momenta)], by_momentum) for row in slopes])
    size = range(len(functions))
    turned = [frame.turned(momenta, one) if system.points else [ZERO] * len(speeds) for one in along]
    return [
        [
            dot(across[a], along[b]) - dot(along[a], across[b]) + dot(along[a], turned[b]) if a != b else ZERO
            for b in size
        ]
        for a in size
    ]


def bracket_algebra(motions: Motions, found: Sequence[Integral]) -> BracketAlgebra | None:
    """Return the algebra that integrals make; None where there are fewer than two, or brackets are not taken.

    >>> from dalembert.analysis.discovery.discover import discover
    >>> from dalembert.model.system import System
    >>> both = System.of(name="two", coordinates="x y", lagrangian="(x'^2 + y'^2 - x^2 - y^2)/2")
    >>> discover(both).brackets.name
    'so(3)'
    """
    energy = next((one.expression for one in found if one.name == "energy"), None)
    if depends_on([one.expression for one in found], [symbol(TIME)]):
        energy = None  # the bracket with the energy is no longer zero: it is an integral like the others
    others = [one for one in found if energy is None or one.name != "energy"][:_MOST]
    if len(others) < 2 or motions.system.forces or motions.system.controls:  # under forces they are no integrals
        return None
    values = [one.expression for one in others]
    try:
        table = poisson_bracket(motions, values)
        terms = _combinations(motions, values, energy, table)
    except ExpressionError:
        return None
    algebra = BracketAlgebra(tuple(others), terms, {}, energy is not None)
    if not algebra.closes:
        return algebra
    return replace(algebra, algebras=_levels(len(others), terms))


def _combinations(
    motions: Motions, values: Sequence[Expr], energy: Expr | None, table: Sequence[Sequence[Expr]]
) -> dict[tuple[int, int], Sequence[tuple[Expr, str]] | None]:
    """Solve for each bracket as a combination of integrals times powers of the energy."""
    powers = [energy**k for k in range(_POWERS + 1)] if energy is not None else [ONE]
    level = symbol("E", role="parameter")
    columns = [*powers, *(value * power for value in values for power in powers)]
    marks = [(level**k, "") for k in range(len(powers))]
    marks += [(level**k, f"J{j + 1}") for j in range(len(values)) for k in range(len(powers))]
    pairs = list(combinations(range(len(values)), 2))
    found = relations([[e] for e in (*columns, *(table[a][b] for a, b in pairs))], facts_of(motions.system))
    terms: dict[tuple[int, int], Sequence[tuple[Expr, str]] | None] = dict.fromkeys(pairs)
    for row, verdict in zip(found.basis, found.verdicts, strict=True):
        last = max(k for k, c in enumerate(row) if c.value != 0)
        several = [k for k in range(len(columns), last) if row[k].value != 0]
        if last < len(columns) or several or verdict.holds is not True:
            continue
        weights: dict[str, list[tuple[int, Expr]]] = {}
        for (mark, name), c in zip(marks, row, strict=False):
            if c.value != 0:
                weights.setdefault(name, []).append((1, -c / row[last] * mark))
        terms[pairs[last - len(columns)]] = [(reduced(total(some)), name) for name, some in weights.items()]
    return terms


def _levels(count: int, terms: Mapping[tuple[int, int], Sequence[tuple[Expr, str]] | None]) -> dict[str, Structure]:
    """Return the algebra on levels of the energy, by its sign where it takes part."""
    level = symbol("E", role="parameter")
    used = symbols([c for some in terms.values() for c, _ in some or ()])
    if level.data not in used:
        return {"": _on_level(count, terms, {})}
    signs = {"E < 0": symbol("E", role="parameter", domain="negative"), "E = 0": ZERO}
    signs["E > 0"] = symbol("E", role="parameter", domain="positive")
    found = {said: _on_level(count, terms, {level: value}) for said, value in signs.items()}
    first, *others = ([(part.name, part.vectors) for part in one.parts] for one in found.values())
    return {"": found["E = 0"]} if all(other == first for other in others) else found


def _on_level(
    count: int, terms: Mapping[tuple[int, int], Sequence[tuple[Expr, str]] | None], put: Mapping[Expr, Expr]
) -> Structure:
    """Return the algebra of the integrals, with the constant 1 where it stands in a bracket and does not split off."""
    names = tuple(f"J{j + 1}" for j in range(count))
    place = {name: j for j, name in enumerate((*names, ""))}

    def algebra(size: int) -> Structure:
        table = [[[ZERO] * size for _ in range(size)] for _ in range(size)]
        for (a, b), some in terms.items():
            for c, name in some or ():
                if place[name] < size:
                    (value,) = map(reduced, substitute([c], dict(put)))
                    table[a][b][place[name]], table[b][a][place[name]] = value, -value
        constants = tuple(tuple(tuple(row) for row in part) for part in table)
        return Structure(LieAlgebra((*names, "1")[:size], constants))

    extended = algebra(count + 1)
    derived = extended.algebra.products(extended.algebra.basis(), extended.algebra.basis())
    # the constant splits off where no combination of brackets is a constant
    return extended if len(span([*derived, unit(count + 1, count)])) == len(derived) else algebra(count)
