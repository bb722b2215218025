"""The fields that symmetries are sought among: functions of position and time times coordinate fields, and rotations.

Functions are monomials in the coordinates that are numbers and in time, and these times sines and cosines of angles:
each angle with the multiples that stand in the statement, several angles multiplied. Rotations by angles, and shifts by
polar coordinates, divide by what is zero where the coordinates fail (cot a, 1/r): by the factors of the determinant of
the Hessian of L. How much of this is tried is a matter of size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import combinations, combinations_with_replacement
from itertools import product as cartesian
from typing import Final

from dalembert.analysis.discovery.densities import determinant_factors
from dalembert.errors import ExpressionError
from dalembert.expr.calculus import define, hessian
from dalembert.expr.elementary import sincos
from dalembert.expr.graph import ONE, Expr, number, product, symbol
from dalembert.expr.linear.products import Products, independent_products
from dalembert.expr.phases import phases
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import depends_on, excludes_zero
from dalembert.expr.walk import postorder, substitute, symbols
from dalembert.model.parts import Generator
from dalembert.model.symmetries import candidates
from dalembert.model.system import System
from dalembert.model.table import Table
from dalembert.records import dataclass, replace

_TIME = symbol(TIME)
MOST_WORK: Final = 150_000
"""Fields times nodes of what they are tried on: beyond this fewer are."""
_MOST_FIELDS: Final = 700
"""Fields that are tried with products of sines and cosines, and with denominators."""
_MOST_ALONE, _MOST_WORK_ALONE = 2_000, 1_500_000
"""Fields, and these times the nodes they are tried on, with those of one angle at a time, and with none."""
_MOST_HESSIAN: Final = 400
"""Nodes of a Hessian whose determinant is looked at."""
_MOST_HARMONIC: Final = 4
_MOST_BELOW, _MOST_FACTOR = 2, 40
"""So many factors are divided by, of so many nodes."""


@dataclass(frozen=True)
class FieldAnsatz:
    """Which fields are tried.

    >>> polar = System.of(name="p", coordinates={"r": "positive", "a": "angle"}, lagrangian="r'^2 + r^2*a'^2")
    >>> FieldAnsatz(polar, degree=0, time=0, angles=1, below=(polar.q[0],)).functions()
    [1, sin(a), cos(a), 1/r, sin(a)/r, cos(a)/r]
    """

    system: System
    degree: int = 1
    """The bound on that in coordinates that are numbers; 1 beside sines and cosines."""
    time: int = 0
    angles: int = 1
    """So many angles have their sines and cosines multiplied; none at all with 0."""
    below: tuple[Expr, ...] = ()
    """What functions are divided by: by each, and by all together."""

    @property
    def plain(self) -> list[Expr]:
        """The coordinates that are no components of rotations or directions."""
        round_ = {q for point in self.system.points for q in point.components}
        return [q for q in self.system.q if q not in round_]

    @property
    def _numbers(self) -> list[Expr]:
        return [q for q in self.plain if q.data.domain != "angle"]

    @property
    def _waves(self) -> dict[Expr, list[Expr]]:
        """The sines and cosines of each angle."""
        if not self.angles:
            return {}
        multiples = harmonics_of(self.system)
        return {
            q: [wave for k in multiples[q] for wave in sincos(k * q)] for q in self.plain if q.data.domain == "angle"
        }

    def functions(self, more: int = 0) -> list[Expr]:
        """Return the functions, none a combination of others; ``more`` is added to the degrees in numbers and time."""
        found = list(dict.fromkeys(self._undivided(self.degree + more, self.time + more)))
        if not self.below:
            return found
        several = [*self.below, *([product([(b, 1) for b in self.below])] if len(self.below) > 1 else [])]
        found += [product([(f, 1), (b, -1)]) for b in several for f in self._undivided(self.degree, self.time)]
        return _independent(found)

    @property
    def count(self) -> int:
        """How many functions there are before they are divided."""
        return sum(1 for _ in self._undivided(self.degree, self.time))

    def _undivided(self, degree: int, time: int) -> Iterator[Expr]:
        numbers, waves = self._numbers, self._waves
        times = [ONE, *numbers] if degree else [ONE]
        for power in range(time + 1):
            for d in range(degree + 1):
                for chosen in combinations_with_replacement(numbers, d):
                    yield product([(_TIME, power), *((q, 1) for q in chosen)])
            for count in range(1, self.angles + 1):
                for some in combinations(waves, count):
                    for chosen in cartesian(*(waves[q] for q in some)):
                        for q in times:
                            yield product([(_TIME, power), *((wave, 1) for wave in chosen), (q, 1)])

    def fields(self) -> list[Generator]:
        """Return the fields: functions times coordinate fields, rotations, and powers of time times d/dt."""
        plain = self.plain
        found = [Generator(Table({q: f})) for f in self.functions() for q in plain]
        for name, one in candidates(self.system).items():
            if any(q not in plain for q in one):
                words = name.split()
                turns = {words[0]: (words[1], int(words[2]))} if words[1] in {"left", "right"} else {}
                found.append(Generator(Table(one), turns=Table(turns)))
        return found + [Generator(Table(), time=_TIME**power) for power in range(max(self.time, 0) + 1)]

    @property
    def space(self) -> str:
        """What is tried, in words."""
        waves = self._waves
        said = f"fields of degree at most {self.degree} in coordinates, {self.time} in time"
        if waves:
            many = min(self.angles, len(waves))
            named = ", ".join(repr(wave.args[0].args[0]) for some in waves.values() for wave in some[::2])
            of = f"sine and cosine of {named}" if many < 2 else f"products of up to {many} sines and cosines of {named}"
            said += f" and times {of}"
        if self.below:
            all_ = " and by their product" if len(self.below) > 1 else ""
            said += f"; divided by {', '.join(map(repr, self.below))}{all_}"
        return said + ("; left and right rotations" if self.system.points else "")


def harmonics_of(system: System) -> dict[Expr, list[int]]:
    """Return for each angle which multiples of it are taken: the angle, and those whose sine or cosine is stated.

    >>> from dalembert.expr import symbol
    >>> saddle = System.of(name="s", coordinates={"a": "angle"}, lagrangian="a'^2 - cos(3*a)")
    >>> list(harmonics_of(saddle).values())
    [[1, 3]]
    """
    angles = [q for q in system.q if q.data.domain == "angle"]
    found: dict[Expr, set[int]] = {q: {1} for q in angles}
    stated = [c.expression for c in system.constraints.values()]
    stated += [] if system.lagrangian is None else [system.lagrangian]
    for node in postorder(define(stated, system.definitions)):
        if node.op == "sincos":
            for part, times in phases(node.args[0]).items():
                if part in found and times.denominator == 1 and abs(int(times)) <= _MOST_HARMONIC:
                    found[part].add(abs(int(times)))
    return {q: sorted(some) for q, some in found.items()}


def _independent(functions: Sequence[Expr]) -> list[Expr]:
    """Return functions without those that are combinations of ones before, whatever the parameters are."""
    names = sorted((s for s in symbols(functions) if s.role == "parameter"), key=lambda s: s.name)
    put = {symbol(s): number(k) for k, s in enumerate(names, 31)}
    letters = tuple(substitute(functions, put))
    size = len(letters)
    rows = tuple(tuple(int(j == k) for j in range(size)) for k in range(size))
    kept = independent_products(Products(letters, letters, rows))
    return [functions[0], *(functions[k] for k in kept)]  # the first one is the constant


def divisors(system: System) -> tuple[Expr, ...]:
    """Return the factors of the determinant of the Hessian of L that have zeros, where coordinates fail.

    >>> ball = System.of(name="ball", coordinates={"a": "angle", "b": "angle", "c": "angle"},
    ...     lagrangian="a'^2 + b'^2 + c'^2 + 2*a'*c'*cos(b)")
    >>> divisors(ball)
    (sin(b),)
    """
    if system.lagrangian is None or system.points or system.order > 1:
        return ()
    (lagrangian,) = define([system.lagrangian], system.definitions)
    rows = hessian(lagrangian, system.v)
    if len(postorder([e for row in rows for e in row])) > _MOST_HESSIAN:
        return ()
    with suppress(ExpressionError):  # it is too large
        found = determinant_factors(rows, system.v)
        small = [f for f in found if len(postorder([f])) <= _MOST_FACTOR]
        anywhere = {q: symbol(replace(q.data, domain="real")) for q in system.q if q.data.domain != "angle"}
        zeros = [f for f in small if excludes_zero(substitute([f], anywhere)[0]) is None]
        return tuple(f for f in zeros if not depends_on([f], [*system.v, _TIME]))[:_MOST_BELOW]
    return ()


def affordable_ansatz(system: System, degree: int, time: int, nodes: int) -> FieldAnsatz:
    """Return the widest ansatz of these degrees whose fields, and these times the nodes they are tried on, are few."""
    below = divisors(system)
    count = sum(q.data.domain == "angle" for q in system.q)
    parts = 1 + len(below) + (len(below) > 1)
    for angles in range(min(count, 3), -1 if not count else 0, -1):
        wide = FieldAnsatz(system, degree, time, angles, below)
        size = parts * wide.count * len(wide.plain)
        if size <= _MOST_FIELDS and size * nodes <= MOST_WORK:
            return wide
    return narrowed(system, degree, time, nodes)


def narrowed(system: System, degree: int, time: int, nodes: int) -> FieldAnsatz:
    """Return fields with sines and cosines of one angle at a time, or without any where even these are too many.

    >>> chain = System.of(name="c", coordinates={f"q{k}": "angle" for k in range(30)}, lagrangian="q0'^2")
    >>> narrowed(chain, 1, 0, 1_000).angles, narrowed(chain, 1, 0, 100).angles
    (0, 1)
    """
    for angles, most in ((1, degree), (0, degree)):
        one = FieldAnsatz(system, most, time, angles)
        size = one.count * len(one.plain)
        if size <= _MOST_ALONE and size * nodes <= _MOST_WORK_ALONE:
            return one
    return FieldAnsatz(system, 0, time, 0)
