"""Products that have pairs of factors in common, rewritten so that each pair is multiplied once.

The most frequent pair of factors of all products becomes a node of its own, and so on until no pair occurs twice. What
stands still, as parameters do along a motion, is put together before: it is multiplied once for all.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator, Sequence

from dalembert.expr.graph import Expr, product
from dalembert.expr.walk import Rebuild, evaluate, postorder

_Factor = tuple[Expr | int, int]
"""A base or the number of a pair, and 1 or -1 as its exponent."""
_Pair = tuple[_Factor, _Factor]


def shared(roots: Sequence[Expr], still: Collection[Expr] = ()) -> list[Expr]:
    """Return expressions of the same values whose products share pairs of factors; some symbols stand ``still``.

    >>> from dalembert.expr import symbol
    >>> from dalembert.expr.walk import count
    >>> a, b, c, d = (symbol(name) for name in "abcd")
    >>> count([c*a*b, d*b*a]).total, count(shared([c*a*b, d*b*a])).total
    (4, 3)
    """
    reader = _Sharing(roots, set(still))
    return evaluate(roots, reader, reader.known)


class _Sharing(Rebuild):
    """Rebuilds a graph, products by the pairs that were chosen."""

    def __init__(self, roots: Sequence[Expr], still: set[Expr]) -> None:
        super().__init__()
        self.known: dict[Expr, Expr] = {}
        """The new nodes by the old ones."""
        self._pairs: list[_Pair] = []
        self._built: dict[int, Expr] = {}
        self._factors: dict[Expr, list[_Factor]] = {}
        order = postorder(roots)
        for node in order:
            if node.args and all(a in still or a.op == "number" for a in node.args):
                still.add(node)
            elif node.op == "product" and all(e.denominator == 1 for e in node.data):
                self._factors[node] = self._opened(node, still)
        used = {*roots, *(a for node in order if node not in self._factors for a in node.args)}
        self._choose([node for node in self._factors if node in used])

    def product(self, node: Expr, bases: Sequence[Expr]) -> Expr:
        if node not in self._factors:
            return super().product(node, bases)
        return product([(self._new(base), exponent) for base, exponent in self._factors[node]])

    def _new(self, base: Expr | int) -> Expr:
        """Return the new node of a base or a pair."""
        if isinstance(base, Expr):
            return self.known.get(base, base)  # what stands still is as it was
        if base not in self._built:
            self._built[base] = product([(self._new(b), e) for b, e in self._pairs[base]])
        return self._built[base]

    def _opened(self, node: Expr, still: set[Expr]) -> list[_Factor]:
        """Return the factors of a product and of the products in it; what stands still is one of them."""
        found: list[_Factor] = []
        for base, exponent in zip(node.args, node.data, strict=True):
            sign = 1 if exponent > 0 else -1
            inside = self._factors.get(base, [(base, 1)])
            found += [(b, e * sign) for b, e in inside] * abs(int(exponent))
        quiet = [(b, e) for b, e in found if isinstance(b, Expr) and b in still]
        if len(quiet) < 2:
            return found
        one = product(quiet)
        still.add(one)
        return [*(f for f in found if f[0] not in still), (one, 1)]

    def _choose(self, products: Sequence[Expr]) -> None:
        """Give the most frequent pairs of some products numbers, until none occurs twice."""
        users: dict[_Pair, dict[Expr, None]] = {}
        age: dict[_Factor, int] = {}
        """Factors in the order in which they came, which orders pairs."""

        def note(node: Expr, pairs: Iterator[_Pair]) -> list[_Pair]:
            noted = []
            for pair in pairs:
                users.setdefault(pair, {})[node] = None
                noted.append(pair)
            return noted

        for node in products:
            factors = self._factors[node]
            for one in factors:
                age.setdefault(one, len(age))
            factors.sort(key=age.__getitem__)
            note(node, _pairs_in(factors))
        heap = [(-len(nodes), age[a], age[b], (a, b)) for (a, b), nodes in users.items() if len(nodes) > 1]
        heapq.heapify(heap)
        while heap:
            size, *_, pair = heapq.heappop(heap)
            nodes = [node for node in users[pair] if _holds(self._factors[node], pair)]
            if len(nodes) < 2:
                continue
            if len(nodes) < -size:
                heapq.heappush(heap, (-len(nodes), age[pair[0]], age[pair[1]], pair))
                continue
            name: _Factor = (len(self._pairs), 1)
            self._pairs.append(pair)
            age[name] = len(age)
            fresh: dict[_Pair, None] = {}
            for node in nodes:
                factors = self._factors[node]
                for one in pair:
                    factors.remove(one)
                fresh.update(dict.fromkeys(note(node, ((other, name) for other in factors))))
                factors.append(name)
            for a, b in fresh:
                if len(users[a, b]) > 1:
                    heapq.heappush(heap, (-len(users[a, b]), age[a], age[b], (a, b)))


def _pairs_in(factors: Sequence[_Factor]) -> Iterator[_Pair]:
    return ((a, b) for i, a in enumerate(factors) for b in factors[i + 1 :])


def _holds(factors: list[_Factor], pair: _Pair) -> bool:
    """Say whether a product still has both factors of a pair."""
    a, b = pair
    return factors.count(a) > 1 if a == b else a in factors and b in factors
