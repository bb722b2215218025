"""Which generators a field needs: one for every independent part of some expressions.

=================== ==================================================================================
part                generator
=================== ==================================================================================
symbol, jet, log    itself, or its root where roots of it occur: then it is a power of the generator
sine and cosine     the tangent of half of each element of an integer basis of the angles that occur
exp, symbolic power one for each independent part of the exponents
root of a sum       itself, with the relation that its power is the sum
=================== ==================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Any, TypeAlias

from dalembert.expr.elementary import exp, power, sincos
from dalembert.expr.field.lattice import integer_basis
from dalembert.expr.graph import ONE, Expr, Number, product, total
from dalembert.expr.phases import factors, phases
from dalembert.expr.walk import postorder

__all__ = ["Generators", "GrowthKey"]

GrowthKey: TypeAlias = "tuple[Expr | None, Expr]"
"""(base, part of the exponent); no base means e."""
_ATOMS = frozenset({"symbol", "pi", "jet", "number"})


@dataclass(slots=True)
class Generators:
    """The parts of some expressions, in the order of the variables of a polynomial ring."""

    atoms: list[Expr] = field(default_factory=list)
    root_of_atom: dict[Expr, int] = field(default_factory=dict)
    """To which root an atom occurs; the generator is that root."""
    composite: list[tuple[Expr, int]] = field(default_factory=list)
    """Sums under a root, with the least common multiple of the roots; inner ones first."""
    growth: dict[GrowthKey, int] = field(default_factory=dict)
    """Parts of exponents, with the denominator in which they are counted."""
    growing: dict[Expr, list[tuple[GrowthKey, Number]]] = field(default_factory=dict)
    """Each exp or power node as powers of parts; a part ONE is a plain power of the base."""
    basis: list[Expr] = field(default_factory=list)
    turns: dict[Expr, list[int]] = field(default_factory=dict)
    """Each angle that occurs, in the basis."""

    @classmethod
    def of(cls, roots: Sequence[Expr]) -> Generators:
        """Look through the expressions once."""
        self = cls()
        composite: dict[Expr, int] = {}
        angles: list[Expr] = []
        atoms: dict[Expr, None] = {}
        for node in postorder(roots):
            if node.op == "sincos":
                angles.append(node.args[0])
            elif node.op in {"symbol", "pi", "jet"} or (node.op == "call" and node.data != "exp"):
                atoms[node] = None
            elif node.op == "product":
                for base, exponent in zip(node.args, node.data, strict=True):
                    if exponent.denominator != 1:
                        table = self.root_of_atom if _is_atom(base) else composite
                        table[base] = lcm(table.get(base, 1), exponent.denominator)
            elif node.op == "power" or (node.op == "call" and node.data == "exp"):
                self._grow(node, composite)
        self.composite = list(composite.items())
        atoms.update(dict.fromkeys(n for n in self.root_of_atom if n.op == "number"))
        self.atoms = list(atoms)
        self._choose_angles(angles)
        return self

    def _grow(self, node: Expr, composite: dict[Expr, int]) -> None:
        """Split an exponential or a symbolic power into parts."""
        items: list[tuple[GrowthKey, Number]] = []
        if node.op == "power":
            for part, times in phases(node.args[1]).items():
                items += _of_base(node.args[0], part, times)
        else:
            for part, times in phases(node.args[0]).items():
                bases = factors(part)[1]
                logs = [n for n, e in bases.items() if n.op == "call" and n.data == "log" and e == 1]
                if len(logs) == 1:
                    rest = product([(n, e) for n, e in bases.items() if n is not logs[0]])
                    items += _of_base(logs[0].args[0], rest, times)
                else:
                    items.append(((None, part), times))
        self.growing[node] = items
        for key, times in items:
            if key[1] is not ONE or key[0] is None:
                self.growth[key] = lcm(self.growth.get(key, 1), Fraction(times).denominator)
            elif Fraction(times).denominator != 1 and key[0] is not None:
                table = self.root_of_atom if _is_atom(key[0]) else composite
                table[key[0]] = lcm(table.get(key[0], 1), Fraction(times).denominator)

    def _choose_angles(self, angles: Sequence[Expr]) -> None:
        memo: dict[Expr, Any] = {}
        spread = [phases(angle, memo) for angle in angles]
        parts = sorted({part for combination in spread for part in combination}, key=lambda part: part.stamp)
        scale = lcm(*(Fraction(c).denominator for combination in spread for c in combination.values()))
        vectors = [[int(combination.get(part, 0) * scale) for part in parts] for combination in spread]
        basis, coordinates = integer_basis(vectors)
        self.basis = [total([(Fraction(k, scale), part) for k, part in zip(row, parts, strict=True)]) for row in basis]
        self.turns = dict(zip(angles, coordinates, strict=True))

    # -- as variables of a ring: roots of sums first, outer before inner, so that a lexicographic order reduces them ---
    @property
    def size(self) -> int:
        """How many variables there are."""
        return len(self.composite) + len(self.atoms) + len(self.growth) + len(self.basis)

    def nodes(self) -> list[Expr]:
        """Return the expression that each variable stands for."""
        return [
            *(product(((base, Fraction(1, degree)),)) for base, degree in reversed(self.composite)),
            *(product(((atom, Fraction(1, self.root_of_atom.get(atom, 1))),)) for atom in self.atoms),
            *(
                exp(part / scale) if base is None else power(base, part / scale)
                for (base, part), scale in self.growth.items()
            ),
            *(s / (1 + c) for s, c in (sincos(angle) for angle in self.basis)),
        ]


def _is_atom(node: Expr) -> bool:
    return node.op in _ATOMS or (node.op == "call" and node.data != "exp")


def _of_base(base: Expr, part: Expr, times: Number) -> list[tuple[GrowthKey, Number]]:
    """Return ``(base**part)**times`` by the factors of the base, which is positive."""
    coefficient, bases = factors(base)
    if part is ONE or coefficient != 1:
        return [((base, part), times)]
    return [((factor, part), times * exponent) for factor, exponent in bases.items()]
