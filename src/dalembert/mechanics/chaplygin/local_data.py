"""A generalized Chaplygin system by local data: l(r, r', xi), Gamma^i_a(r) and c^i_jk (section 3 of the paper).

In a trivialization (r, g) -> g sigma(r) with xi = g^-1 g' the invariant Lagrangian is l(r, r', xi), the constraints are
xi^i = -Gamma^i_a r'^a, and the gyroscopic form is

    alpha_b = -(dl/dxi^i)* (d_b Gamma^i_c - d_c Gamma^i_b - c^i_jk Gamma^j_b Gamma^k_c) r'^c,

the star saying that the constraints are put in after differentiating. Data are read off a reduction on its section, and
a system is stated from data by coordinates of the second kind, g = exp(s1 e1) ... exp(sk ek).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient
from dalembert.expr.elementary import solve
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, ZERO, Expr, Operand, as_expr, symbol, total
from dalembert.expr.symbols import Symbol
from dalembert.expr.text import parse
from dalembert.expr.vocabulary import Vocabulary
from dalembert.expr.walk import substitute
from dalembert.geometry.groups.algebra import LieAlgebra
from dalembert.geometry.groups.matrices import transpose
from dalembert.geometry.groups.second_kind import second_kind
from dalembert.mechanics.chaplygin.reduction import ChaplyginReduction, section_curvature
from dalembert.model.system import System
from dalembert.records import dataclass, replace

_SHORTENING = 0.5
"""Seconds for short formulas of the generators."""


@dataclass(frozen=True, slots=True)
class LocalData:
    """The data of a generalized Chaplygin system in a local trivialization."""

    base: tuple[Expr, ...]
    body_velocities: tuple[Expr, ...]
    """The symbols xi^i in ``lagrangian``."""
    lagrangian: Expr
    """l(r, r', xi)."""
    connection: tuple[tuple[Expr, ...], ...]
    """Gamma^i_a(r), rows by generators."""
    algebra: LieAlgebra

    @property
    def _allowed(self) -> dict[Expr, Expr]:
        speeds = [r.dot for r in self.base]
        rows = zip(self.body_velocities, self.connection, strict=True)
        return {xi: total([(-1, g * v) for g, v in zip(row, speeds, strict=True)]) for xi, row in rows}

    def reduced_lagrangian(self) -> Expr:
        """Return L*(r, r') = l(r, r', -Gamma r')."""
        return substitute([self.lagrangian], self._allowed)[0]

    def curvature(self) -> Sequence[Sequence[Sequence[Expr]]]:
        """Return d_b Gamma^i_c - d_c Gamma^i_b - c^i_jk Gamma^j_b Gamma^k_c, by [b][c][i]."""
        return section_curvature(self.connection, self.base, self.algebra.constants)

    def gyroscopic_form(self) -> list[Expr]:
        """Return alpha_b by the formula above."""
        momenta = substitute(gradient(self.lagrangian, self.body_velocities), self._allowed)
        curved = self.curvature()
        places = range(len(self.base))
        return [
            total([(-1, p * w * self.base[c].dot) for c in places for p, w in zip(momenta, curved[b][c], strict=True)])
            for b in places
        ]


def local_data(reduction: ChaplyginReduction) -> LocalData:
    """Return the local data of a reduction: on its section, body velocities are those along the generators."""
    bundle = reduction.bundle
    xi = [symbol(Symbol(f"xi {name}")) for name in reduction.action.names]
    velocities = []
    for A, q in enumerate(bundle.chart.coordinates):
        along = [(1, w * e.components[A]) for w, e in zip(xi, reduction.generators, strict=True)]
        velocities.append(total([*along, (1, q.dot if q in bundle.base else ZERO)]))
    put = dict(zip((q.dot for q in bundle.chart.coordinates), bundle.on_base(velocities), strict=True))
    (lagrangian,) = substitute([reduction.lagrangian], {**put, **bundle.section})
    return LocalData(bundle.base, tuple(xi), lagrangian, reduction.gamma, reduction.action.algebra)


# -- a system from data --------------------------------------------------------------------------------------
def from_local_data(
    name: str,
    base: Mapping[Expr, str] | Mapping[str, str],
    lagrangian: Expr | str,
    body_velocities: Sequence[Expr | str],
    connection: Sequence[Sequence[Operand | str]],
    algebra: LieAlgebra,
    **tables: object,
) -> System:
    """Return the system with l(r, r', xi), Gamma^i_a(r) and a Lie algebra; further tables as ``System.of`` takes them.

    ``base`` gives the domain of each base coordinate. All may be texts, which know the base coordinates, the body
    velocities xi^i and the tables ``parameters``, ``functions`` and ``let``. The fibre coordinates are s_i, those of
    the second kind.

    >>> from dalembert.geometry.groups import lie_algebra
    >>> particle = from_local_data("particle", {"x": "real", "y": "real"}, "(x'^2 + m*y'^2 + xi^2)/2", ["xi"],
    ...     [["-y", 0]], lie_algebra(["e1"], {}), parameters={"m": 2})
    >>> print(particle.constraints["along_e1"])
    s_e1' - x'*y = 0
    """
    size = algebra.dimension
    if len(body_velocities) != size or len(connection) != size or any(len(row) != len(base) for row in connection):
        what = f"{size} generators over {len(base)} base coordinates"
        raise ExpressionError(f"{what} need {size} body velocities and as many rows of {len(base)} coefficients.")
    read = _reader({_named(r): domain for r, domain in base.items()}, [_named(xi) for xi in body_velocities], tables)
    domains = {read(r): domain for r, domain in base.items()}
    velocities, gamma = [read(xi) for xi in body_velocities], [[read(entry) for entry in row] for row in connection]
    fibre = [symbol(Symbol(f"s_{label}")) for label in algebra.names]
    twice = {r.data.name for r in domains} & {s.data.name for s in fibre}
    if twice:
        raise ExpressionError(f"'{min(twice)}' is a base and a fibre coordinate; give the first another name.")
    body, spatial = second_kind(algebra, fibre)
    xi = [total([(1, row[i] * s.dot) for row, s in zip(body, fibre, strict=True)]) for i in range(size)]
    (whole,) = substitute([read(lagrangian)], dict(zip(velocities, xi, strict=True)))
    given = [
        total([(1, x), *((1, g * r.dot) for g, r in zip(row, domains, strict=True))])
        for x, row in zip(xi, gamma, strict=True)
    ]
    columns = transpose(spatial)
    units = [[ONE if i == j else ZERO for i in range(size)] for j in range(size)]
    short = SimplificationBudget(_SHORTENING)
    fields = [[short(c) for c in solve(columns, unit)] for unit in units]
    return System.of(
        name=name,
        coordinates={**{r.data.name: domain for r, domain in domains.items()}, **{s.data.name: "real" for s in fibre}},
        lagrangian=whole,
        constraints={f"along_{label}": f for label, f in zip(algebra.names, given, strict=True)},
        symmetry={
            label: {s.data.name: c for s, c in zip(fibre, field, strict=True) if c is not ZERO}
            for label, field in zip(algebra.names, fields, strict=True)
        },
        **tables,  # type: ignore[arg-type]
    )


def _named(one: Expr | str) -> str:
    return one if isinstance(one, str) else str(one.data.name)


def _reader(
    base: Mapping[str, str], body_velocities: Sequence[str], tables: Mapping[str, object]
) -> Callable[[Operand | str], Expr]:
    """Return what makes expressions of texts about local data, and leaves expressions as they are."""
    words: list[Vocabulary] = []

    def read(told: Operand | str) -> Expr:
        if not isinstance(told, str):
            return as_expr(told)
        if not words:
            about: dict[str, Any] = {key: tables.get(key) for key in ("parameters", "functions", "let")}
            first = f"{next(iter(base))}'^2"  # some Lagrangian, for the names alone
            known = System.of(name="local data", coordinates=dict(base), lagrangian=first, **about).vocabulary
            words.append(replace(known, extra=dict.fromkeys(body_velocities, "real")))
        return parse(told, words[0])

    return read
