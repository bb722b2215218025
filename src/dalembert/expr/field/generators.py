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

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, TypeAlias

from dalembert.errors import ExpressionError
from dalembert.expr.elementary import absolute, exp, power, sincos
from dalembert.expr.field.lattice import HIGHEST, Lattice
from dalembert.expr.graph import ONE, Expr, Number, product, total
from dalembert.expr.phases import factors, phases
from dalembert.expr.walk import postorder


def angle_basis(angles: Sequence[Expr]) -> tuple[list[Expr], list[list[int]]]:
    """Return an integer basis of some angles, in any order, and the coordinates of each in it."""
    memo: dict[Expr, Any] = {}
    spread = [phases(angle, memo) for angle in angles]
    lattice = Lattice(spread)
    return _written(lattice), [lattice.coordinates(angle) or [] for angle in spread]


def _written(lattice: Lattice) -> list[Expr]:
    """Return the basis of a lattice as expressions."""
    return [total([(c, part) for part, c in vector.items()]) for vector in lattice.basis]


GrowthKey: TypeAlias = "tuple[Expr | None, Expr]"
"""(base, part of the exponent); no base means e."""
_Word: TypeAlias = "tuple[Expr, dict[Expr, Number]]"
"""Part of an exponent, and factors with how often they are raised to it."""
_ATOMS = frozenset({"symbol", "pi", "jet", "number"})


class Generators:
    """The parts of some expressions, in the order of the variables of a polynomial ring.

    A part is found by what it is, not by how it is written: sin((a + b) + c) is sin(a + b + c).
    """

    def __init__(self, roots: Sequence[Expr]) -> None:
        """Look through the expressions once."""
        self.root_of_atom: dict[Expr, int] = {}
        """To which root an atom occurs; the generator is that root."""
        self._powers = _Powers(_not_negative(postorder(roots)))
        self._memo: dict[Expr, Any] = {}
        self._same: dict[Any, Expr] = {}
        """Atoms and what stands under roots, by what they are."""
        composite: dict[Expr, int] = {}
        atoms: dict[Expr, None] = {}
        angles: list[Expr] = []
        for node in postorder([*roots, *self._powers.plain(roots)]):
            if node.op == "sincos":
                angles.append(node.args[0])
            elif node.op != "number" and _is_atom(node):
                atoms[self._same.setdefault(self._content(node), node)] = None
            elif node.op == "product":
                for base, exponent in zip(node.args, node.data, strict=True):
                    if exponent.denominator != 1:
                        table = self.root_of_atom if _is_atom(base) else composite
                        one = self._same.setdefault(self._content(base), base)
                        table[one] = lcm(table.get(one, 1), exponent.denominator)
        self.composite = list(composite.items())
        """Sums under a root, with the least common multiple of the roots; inner ones first."""
        atoms.update(dict.fromkeys(n for n in self.root_of_atom if n.op == "number"))
        self.atoms = list(atoms)
        self._angles = Lattice([phases(angle, self._memo) for angle in angles])
        self.basis = _written(self._angles)
        """The angles of which all others are whole combinations."""
        self.growth: list[GrowthKey] = []
        """What is raised to which power, where no base means e."""
        self._lattices: dict[GrowthKey, tuple[int, Lattice]] = {}
        for key, times in self._powers.chosen().items():
            scale = lcm(*(Fraction(c).denominator for c in times))
            unit = [Fraction(1, scale)] if max(abs(Fraction(c)) for c in times) * scale <= HIGHEST else []
            lattice = Lattice([{ONE: c} for c in (*unit, *times)])
            self._lattices[key] = len(self.growth), lattice
            self.growth += [(key[0], step * key[1]) for step in _written(lattice)]
        self.independent = all(
            one.strict for one in (self._angles, *(lattice for _, lattice in self._lattices.values()))
        )
        """Whether no relation between angles, or between exponents, is left out."""
        self._nodes: list[Expr] = []

    # -- what any expression in these parts is by them ---------------------------------------------------------
    def same(self, node: Expr) -> Expr:
        """Return the atom, or what stands under a root, that a node is."""
        found = self._same.get(self._content(node))
        if found is None:
            raise _foreign(node)
        return found

    def turns(self, angle: Expr) -> list[int]:
        """Return an angle by the basis."""
        found = self._angles.coordinates(phases(angle, self._memo))
        if found is None:
            raise _foreign(angle)
        return found

    def grown(self, node: Expr) -> tuple[list[Expr], list[tuple[int, int]]]:
        """Return an exponential or a symbolic power as plain powers, and powers of what grows, by place."""
        plain, items = self._powers.items(node)
        found: list[tuple[int, int]] = []
        for key, times in items:
            first, lattice = self._lattices.get(key, (0, None))
            steps = lattice.coordinates({ONE: times}) if lattice else None
            if steps is None:
                raise _foreign(node)
            found += [(place, step) for place, step in enumerate(steps, first) if step]
        return plain, found

    def _content(self, node: Expr) -> Any:
        """Return what an atom, or what stands under a root, is, however it was written."""
        if node.op in {"symbol", "pi", "number"}:
            return node
        if _is_atom(node):
            return node.op, node.data, *(frozenset(phases(a, self._memo).items()) for a in node.args)
        return frozenset(phases(node, self._memo).items())

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
                *(exp(exponent) if base is None else power(base, exponent) for base, exponent in self.growth),
                *(s / (1 + c) for s, c in map(sincos, self.basis)),
            ]
        return self._nodes


def _foreign(node: Expr) -> ExpressionError:
    return ExpressionError(f"a field of other expressions has no '{node!r}'.")


def _grows(node: Expr) -> bool:
    return node.op == "power" or (node.op == "call" and bool(node.data == "exp"))


def _is_atom(node: Expr) -> bool:
    return node.op in _ATOMS or (node.op == "call" and node.data != "exp")


def _logarithm(part: Expr) -> tuple[Expr | None, Expr]:
    """Return (b, r) where a part of an exponent is r times the logarithm of b, and (None, part) where it is not."""
    pairs = list(zip(part.args, part.data, strict=True)) if part.op == "product" else [(part, 1)]
    logs = [n for n, e in pairs if n.op == "call" and n.data == "log" and e == 1]
    if len(logs) != 1:
        return None, part
    return logs[0].args[0], product([(n, e) for n, e in pairs if n is not logs[0]])


def _not_negative(nodes: Sequence[Expr]) -> list[Expr]:
    """Return what is not negative where the nodes are defined: bases of powers, under roots, in logarithms."""
    found = [n.args[0] for n in nodes if n.op == "power" or (n.op == "call" and n.data == "log")]
    for node in nodes:
        if node.op == "product":
            found += [b for b, e in zip(node.args, node.data, strict=True) if e.denominator != 1]
    return found


class _Powers:
    """Exponentials and symbolic powers by the factors of their bases.

    The factors that are not negative are raised one by one. The product of the others is positive where it is a base,
    they themselves need not be: (x^2)^k is (|x|^k)^2 and not (x^k)^2. So for each part of the exponents an integer
    basis is chosen for their absolute values, of products that occur if possible: then (x^2)^k is its own generator.
    """

    def __init__(self, real: Sequence[Expr]) -> None:
        self._letters: dict[Any, Expr] = {}
        """Factors by what they are."""
        self.real = {*real, *map(self._one, real)}
        self._split: dict[Expr, tuple[list[Expr], list[tuple[GrowthKey, Number]], list[_Word]]] = {}
        self._words: dict[Expr, tuple[Lattice, list[GrowthKey]]] = {}
        """For each part of an exponent the products of factors of unknown sign that are raised to it."""

    def plain(self, roots: Sequence[Expr]) -> list[Expr]:
        """Look through expressions; return the powers among their factors that have a number as exponent."""
        found = [plain for node in postorder(roots) if _grows(node) for plain in self._parts(node)[0]]
        words: dict[Expr, list[dict[Expr, Number]]] = {}
        for _, _, some in self._split.values():
            for part, word in some:
                sign = 1 if min(word.items(), key=lambda pair: pair[0].stamp)[1] > 0 else -1
                words.setdefault(part, []).append({factor: sign * c for factor, c in word.items()})
        for part, several in words.items():
            lattice = Lattice(several)
            self._words[part] = lattice, [self._key(vector, part) for vector in lattice.basis]
        return found

    def chosen(self) -> dict[GrowthKey, list[Number]]:
        """Return what is raised to which part of an exponent, and how often."""
        found: dict[GrowthKey, list[Number]] = {}
        for _, sure, _ in self._split.values():
            for key, times in sure:
                found.setdefault(key, []).append(times)
        for _, keys in self._words.values():
            for key in keys:
                found.setdefault(key, []).append(1)
        return found

    def items(self, node: Expr) -> tuple[list[Expr], list[tuple[GrowthKey, Number]]]:
        """Return a power as plain powers, and as what is raised to parts of an exponent so many times."""
        plain, sure, words = self._parts(node)
        items = list(sure)
        for part, word in words:
            lattice, keys = self._words.get(part, (None, []))
            steps = lattice.coordinates(word) if lattice else None
            if steps is None:
                raise _foreign(node)
            items += [(key, step) for key, step in zip(keys, steps, strict=True) if step]
        return plain, items

    def _parts(self, node: Expr) -> tuple[list[Expr], list[tuple[GrowthKey, Number]], list[_Word]]:
        """Return plain powers, factors of known sign and products of the others, with their exponents."""
        if node not in self._split:
            plain, sure, words = self._split[node] = [], [], []
            for part, times in phases(node.args[-1]).items():
                base, rest = (node.args[0], part) if node.op == "power" else _logarithm(part)
                coefficient, bases = (1, {}) if base is None else self._factors(base)
                if base is not None and rest is ONE:
                    plain.append(product(((base, times),)))
                elif base is None:
                    sure.append(((None, rest), times))
                elif coefficient != 1:
                    sure.append(((self._one(base), rest), times))
                else:
                    known = {factor for factor in bases if self._is_not_negative(factor)}
                    sure += [((factor, rest), times * c) for factor, c in bases.items() if factor in known]
                    word = {factor: times * c for factor, c in bases.items() if factor not in known}
                    words += [(rest, word)] if word else []
        return self._split[node]

    def _factors(self, base: Expr) -> tuple[Number, dict[Expr, Number]]:
        """Return a number and the factors with their powers, each as it was first written."""
        coefficient, bases = factors(base)
        found: dict[Expr, Number] = {}
        for factor, times in bases.items():
            one = self._one(factor)
            found[one] = found.get(one, 0) + times
        return coefficient, {factor: times for factor, times in found.items() if times}

    def _one(self, factor: Expr) -> Expr:
        return self._letters.setdefault(frozenset(phases(factor).items()), factor)

    def _is_not_negative(self, node: Expr) -> bool:
        from dalembert.expr.truth.signs import ranges  # which needs the field itself

        return node in self.real or ranges([node])[0].sign == 1

    def _key(self, vector: Mapping[Expr, Number], part: Expr) -> GrowthKey:
        """Return the power of an absolute value, with whole exponents inside."""
        finer = lcm(*(Fraction(c).denominator for c in vector.values()))
        pairs = [(letter, int(c * finer)) for letter, c in vector.items()]
        whole = product(pairs)
        if whole not in self.real:
            odd = product([(letter, k) for letter, k in pairs if k % 2])
            even = [(letter, k) for letter, k in pairs if k % 2 == 0]
            whole = product([*even, (absolute(odd), 1)]) if odd is not ONE else whole
        return whole, part / finer
