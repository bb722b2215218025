"""Which generators a field needs: one for every independent part of some expressions.

=================== ==================================================================================
part                generator
=================== ==================================================================================
symbol, jet, log    itself, or its root where roots of it occur: then it is a power of the generator
sine and cosine     the tangent of half of each element of an integer basis of the angles that occur
exp, symbolic power one for each independent part of the exponents; what is raised to it is positive, so that
                    powers of what has no known sign are taken of its absolute value
root of a sum       itself, with the relation that its power is the sum
=================== ==================================================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any, TypeAlias

from flint import fmpq_mat, fmpz_mat

from dalembert.expr.elementary import absolute, exp, power, sincos
from dalembert.expr.graph import ONE, Expr, Number, product, total
from dalembert.expr.phases import factors, phases
from dalembert.expr.walk import postorder
from dalembert.records import dataclass, field


def integer_basis(vectors: Sequence[Sequence[int]]) -> tuple[list[list[int]], list[list[int]]]:
    """Return a basis of the lattice that the vectors span, and the coordinates of each vector in it.

    Vectors that occur are preferred as basis elements: for the joint angles a, a + b, a + b + c of a chain the basis
    is these three, and each is one generator instead of a sum that has to be expanded.

    >>> integer_basis([[1, 0], [1, 1], [2, 1]])
    ([[1, 0], [1, 1]], [[1, 0], [0, 1], [1, 1]])
    """
    if not vectors or not vectors[0]:
        return [], [[] for _ in vectors]
    rank = fmpz_mat([list(v) for v in vectors]).rank()
    chosen: list[list[int]] = []
    for vector in sorted({tuple(v) for v in vectors}, key=lambda v: (sum(map(abs, v)), [-c for c in v])):
        if any(vector) and fmpz_mat([*chosen, list(vector)]).rank() > len(chosen):
            chosen.append(list(vector))
    coordinates = _coordinates(chosen, vectors)
    if coordinates is None:  # the vectors chosen span only a part of the lattice
        reduced = fmpz_mat([list(v) for v in vectors]).hnf()
        chosen = [[int(reduced[i, j]) for j in range(len(vectors[0]))] for i in range(rank)]
        if rank > 1:
            short = fmpz_mat(chosen).lll()
            chosen = [[int(short[i, j]) for j in range(len(vectors[0]))] for i in range(rank)]
        coordinates = _coordinates(chosen, vectors)
    assert coordinates is not None
    return chosen, coordinates


def _coordinates(basis: list[list[int]], vectors: Sequence[Sequence[int]]) -> list[list[int]] | None:
    """Return whole coordinates of all vectors, or None where one of them is not whole."""
    if not basis:
        return [[] for _ in vectors]
    rows = fmpq_mat(fmpz_mat(basis))
    gram = rows * rows.transpose()
    answer = (fmpq_mat(fmpz_mat([list(v) for v in vectors])) * rows.transpose()) * gram.inv()
    result = []
    for i in range(len(vectors)):
        row = [answer[i, j] for j in range(len(basis))]
        if any(entry.q != 1 for entry in row):
            return None
        result.append([int(entry.p) for entry in row])
    return result


def angle_basis(angles: Sequence[Expr]) -> tuple[list[Expr], list[list[int]]]:
    """Return an integer basis of some angles, in any order, and the coordinates of each in it."""
    memo: dict[Expr, Any] = {}
    spread = [phases(angle, memo) for angle in angles]
    parts = sorted({part for combination in spread for part in combination}, key=lambda part: part.stamp)
    scale = lcm(*(Fraction(c).denominator for combination in spread for c in combination.values()))
    vectors = [[int(combination.get(part, 0) * scale) for part in parts] for combination in spread]
    basis, coordinates = integer_basis(vectors)
    chosen = [total([(Fraction(k, scale), part) for k, part in zip(row, parts, strict=True)]) for row in basis]
    return chosen, coordinates


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
    _nodes: list[Expr] = field(default_factory=list)

    @classmethod
    def of(cls, roots: Sequence[Expr]) -> Generators:
        """Look through the expressions once."""
        self = cls()
        composite: dict[Expr, int] = {}
        angles: list[Expr] = []
        atoms: dict[Expr, None] = {}
        nodes = postorder(roots)
        powers = _Powers(_not_negative(nodes))
        for node in nodes:
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
                self._grow(node, composite, powers)
        for node, key, times in powers.chosen():
            self.growth.setdefault(key, 1)
            self.growing[node].append((key, times))
        self.composite = list(composite.items())
        atoms.update(dict.fromkeys(n for n in self.root_of_atom if n.op == "number"))
        self.atoms = list(atoms)
        self._choose_angles(angles)
        return self

    def _grow(self, node: Expr, composite: dict[Expr, int], powers: _Powers) -> None:
        """Split an exponential or a symbolic power into parts."""
        items: list[tuple[GrowthKey, Number]] = []
        if node.op == "power":
            for part, times in phases(node.args[1]).items():
                items += powers.known(node, node.args[0], part, times)
        else:
            for part, times in phases(node.args[0]).items():
                base, rest = _logarithm(part)
                items += [((None, part), times)] if base is None else powers.known(node, base, rest, times)
        self.growing[node] = items
        for key, times in items:
            if key[1] is not ONE or key[0] is None:
                self.growth[key] = lcm(self.growth.get(key, 1), Fraction(times).denominator)
            elif Fraction(times).denominator != 1 and key[0] is not None:
                table = self.root_of_atom if _is_atom(key[0]) else composite
                table[key[0]] = lcm(table.get(key[0], 1), Fraction(times).denominator)

    def _choose_angles(self, angles: Sequence[Expr]) -> None:
        self.basis, coordinates = angle_basis(angles)
        self.turns = dict(zip(angles, coordinates, strict=True))

    # -- as variables of a ring: roots of sums first, outer before inner, so that a lexicographic order reduces them ---
    @property
    def size(self) -> int:
        """How many variables there are."""
        return len(self.composite) + len(self.atoms) + len(self.growth) + len(self.basis)

    def nodes(self) -> list[Expr]:
        """Return the expression that each variable stands for."""
        if not self._nodes:  # they are asked for with every relation
            self._nodes = [
                *(product(((base, Fraction(1, degree)),)) for base, degree in reversed(self.composite)),
                *(product(((atom, Fraction(1, self.root_of_atom.get(atom, 1))),)) for atom in self.atoms),
                *(
                    exp(part / scale) if base is None else power(base, part / scale)
                    for (base, part), scale in self.growth.items()
                ),
                *(s / (1 + c) for s, c in (sincos(angle) for angle in self.basis)),
            ]
        return self._nodes


def _is_atom(node: Expr) -> bool:
    return node.op in _ATOMS or (node.op == "call" and node.data != "exp")


def _logarithm(part: Expr) -> tuple[Expr | None, Expr]:
    """Return (b, r) where a part of an exponent is r times the logarithm of b, and (None, part) where it is not."""
    pairs = list(zip(part.args, part.data, strict=True)) if part.op == "product" else [(part, 1)]
    logs = [n for n, e in pairs if n.op == "call" and n.data == "log" and e == 1]
    if len(logs) != 1:
        return None, part
    return logs[0].args[0], product([(n, e) for n, e in pairs if n is not logs[0]])


def _not_negative(nodes: Sequence[Expr]) -> set[Expr]:
    """Return what is not negative where the nodes are defined: bases of powers, under roots, in logarithms."""
    found = {n.args[0] for n in nodes if n.op == "power" or (n.op == "call" and n.data == "log")}
    for node in nodes:
        if node.op == "product":
            found.update(b for b, e in zip(node.args, node.data, strict=True) if e.denominator != 1)
    return found


class _Powers:
    """Symbolic powers by the factors of their bases.

    The factors that are not negative are raised one by one. The product of the others is positive where it is a base,
    they themselves need not be: (x^2)^k is (|x|^k)^2 and not (x^k)^2. So for each part of the exponents an integer
    basis is chosen for their absolute values, of products that occur if possible: then (x^2)^k is its own generator.
    """

    def __init__(self, real: set[Expr]) -> None:
        self.real = real
        self._words: dict[Expr, list[tuple[Expr, dict[Expr, Number]]]] = {}
        """For each part of an exponent the nodes and the factors of unknown sign in them, each with its power."""

    def known(self, node: Expr, base: Expr, part: Expr, times: Number) -> list[tuple[GrowthKey, Number]]:
        """Return ``(base**part)**times`` by the factors of known sign, and note the others for later."""
        coefficient, bases = factors(base)
        if part is ONE or coefficient != 1:
            return [((base, part), times)]
        sure = {factor for factor in bases if self._is_not_negative(factor)}
        word = {factor: times * exponent for factor, exponent in bases.items() if factor not in sure}
        if word:
            self._words.setdefault(part, []).append((node, word))
        return [((factor, part), times * exponent) for factor, exponent in bases.items() if factor in sure]

    def _is_not_negative(self, node: Expr) -> bool:
        from dalembert.expr.truth.signs import ranges  # which needs the field itself

        return node in self.real or ranges([node])[0].sign == 1

    def chosen(self) -> Iterator[tuple[Expr, GrowthKey, int]]:
        """Yield (node, key, times) for the factors of unknown sign."""
        for part, words in self._words.items():
            letters = sorted({letter for _, word in words for letter in word}, key=lambda letter: letter.stamp)
            scale = lcm(*(Fraction(c).denominator for _, word in words for c in word.values()))
            vectors = [[int(word.get(letter, 0) * scale) for letter in letters] for _, word in words]
            signs = [1 if next(c for c in vector if c) > 0 else -1 for vector in vectors]
            basis, coordinates = integer_basis([[s * c for c in v] for s, v in zip(signs, vectors, strict=True)])
            keys = [self._key(letters, row, scale, part) for row in basis]
            for (node, _), sign, row in zip(words, signs, coordinates, strict=True):
                yield from ((node, key, sign * times) for key, times in zip(keys, row, strict=True) if times)

    def _key(self, letters: Sequence[Expr], row: Sequence[int], scale: int, part: Expr) -> GrowthKey:
        """Return the power of an absolute value, with whole exponents inside."""
        finer = scale // gcd(scale, *row)
        pairs = [(letter, k * finer // scale) for letter, k in zip(letters, row, strict=True) if k]
        whole = product(pairs)
        if whole not in self.real:
            odd = product([(letter, k) for letter, k in pairs if k % 2])
            even = [(letter, k) for letter, k in pairs if k % 2 == 0]
            whole = product([*even, (absolute(odd), 1)]) if odd is not ONE else whole
        return whole, part / finer
