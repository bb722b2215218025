"""Walks over the graph, all of them iterative: depth is no limit, and each node is visited once.

:func:`evaluate` is the one door for readers: a :class:`Reader` says what each operation means (a number modulo a
prime, a float, a ball, a line of code), and the walk does the rest.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, Generic, TypeVar

from dalembert.expr.assembled import assembled, put_in
from dalembert.expr.elementary import basic, call, power, sincos, solve
from dalembert.expr.graph import COUNTED, KIND, ZERO, Expr, make, product, total
from dalembert.expr.symbols import Function, Symbol
from dalembert.records import dataclass

T = TypeVar("T")
_NONE: Mapping[Expr, Any] = {}


def has_kind(roots: Iterable[Expr], kinds: int) -> bool:
    """Say whether one of some operations occurs, given by their bits.

    >>> from dalembert.expr import sqrt, symbol
    >>> from dalembert.expr.graph import ROOT
    >>> x = symbol("x")
    >>> has_kind([x + 1], ROOT | KIND["power"]), has_kind([x + sqrt(x)], ROOT | KIND["power"])
    (False, True)
    """
    return any(root.kinds & kinds for root in roots)


def postorder(roots: Iterable[Expr], known: Mapping[Expr, Any] | None = None) -> list[Expr]:
    """Return every node below the roots once, arguments before what uses them; below ``known`` nodes it stops."""
    return below(roots, known) if known else _walked(tuple(roots)).copy()


@lru_cache(maxsize=8)  # the same roots are read in several ways, one after the other
def _walked(roots: tuple[Expr, ...]) -> list[Expr]:
    return below(roots)


def below(roots: Iterable[Expr], done: Mapping[Expr, Any] = _NONE) -> list[Expr]:
    """Walk as ``postorder`` does, for roots that are met once: nothing is remembered.

    What is done is looked at, not copied: it may be much larger than what is new.
    """
    order, seen = list[Expr](), set[Expr]()
    see, put = seen.add, order.append
    for node in roots:
        if node in seen or node in done:
            continue
        path: list[tuple[Expr, Iterator[Expr]]] = []  # from the root, each node with its arguments still to come
        rest = iter(node.args)
        while True:
            for argument in rest:
                if argument not in seen and argument not in done:
                    if argument.args:
                        path.append((node, rest))
                        node, rest = argument, iter(argument.args)
                        break
                    see(argument)  # a leaf is done at once
                    put(argument)
            else:
                see(node)
                put(node)
                if not path:
                    break
                node, rest = path.pop()
    return order


class Reader(ABC, Generic[T]):
    """What each operation means. ``node`` is passed along for readers that look at the structure too.

    ``sincos`` and ``solve`` return several values and ``factor`` whatever ``solve`` wants to be given.
    """

    @abstractmethod
    def leaf(self, node: Expr) -> T:
        """Read a number, pi or a symbol."""

    @abstractmethod
    def sum(self, node: Expr, terms: Sequence[T]) -> T:
        """Read ``constant + coefficients . terms``; the numbers are in ``node.data``."""

    @abstractmethod
    def product(self, node: Expr, bases: Sequence[T]) -> T:
        """Read the product of ``bases`` to the exponents in ``node.data``."""

    @abstractmethod
    def power(self, node: Expr, base: T, exponent: T) -> T:
        """Read a power whose exponent is not a number."""

    @abstractmethod
    def call(self, node: Expr, value: T) -> T:
        """Read an elementary function; its name is ``node.data``."""

    @abstractmethod
    def jet(self, node: Expr, arguments: Sequence[T]) -> T:
        """Read an unspecified function or a derivative of it."""

    @abstractmethod
    def sincos(self, node: Expr, angle: T) -> Sequence[T]:
        """Read sine and cosine of an angle."""

    @abstractmethod
    def factor(self, node: Expr, entries: Sequence[T]) -> Any:
        """Prepare a square matrix, given by rows, for solves."""

    @abstractmethod
    def solve(self, node: Expr, factor: Any, rhs: Sequence[T]) -> Sequence[T]:
        """Solve with a prepared matrix."""

    def basic(self, node: Expr, values: Sequence[T]) -> Sequence[T]:
        """Read a basic solution; matrix, by rows, and right-hand side are given.

        Pivots are those of a generic point: what all solutions agree on does not depend on them.
        """
        from dalembert.expr.elimination import generic_pivots

        size, square = node.data[0], node.data[0] ** 2
        rows, columns = generic_pivots(node)
        kept = [i * size + j for i in rows for j in columns]
        right = [square + i for i in rows]
        factor = make("factor", len(rows), tuple(node.args[k] for k in kept))
        plain = make("solve", None, (factor, *(node.args[k] for k in right)))
        found = self.solve(plain, self.factor(factor, [values[k] for k in kept]), [values[k] for k in right])
        told = dict(zip(columns, found, strict=True))
        return [told[j] if j in told else self.leaf(ZERO) for j in range(size)]

    def assembled(self, node: Expr, values: Sequence[T]) -> Sequence[T]:
        """Read a system with few entries; what they are, and its right-hand sides, are given."""
        return evaluate(put_in(node), self, dict(zip(node.args, values, strict=True)))


def evaluate(
    roots: Sequence[Expr], reader: Reader[T], known: dict[Expr, Any] | None = None, *, whole: bool = False
) -> list[T]:
    """Return the reading of each root. ``known`` holds readings already made, and receives the new ones.

    Where it is ``whole``, with all that is below what is in it, roots that are read several times are walked once.

    >>> from dalembert.expr import symbol
    >>> from dalembert.expr.readers import Floats
    >>> x = symbol("x")
    >>> evaluate([x**2 + 1], Floats({x: 3.0}))
    [10.0]
    """
    values: dict[Expr, Any] = {} if known is None else known
    if values and all(root in values for root in roots):  # to walk would copy all that is known
        return [values[root] for root in roots]
    look = values.__getitem__
    if whole and values:
        nodes = [node for node in _walked(tuple(roots)) if node not in values]
    else:
        nodes = below(roots, values) if values else _walked(tuple(roots))
    for node in nodes:
        if not node.args:
            values[node] = reader.leaf(node)
            continue
        args = list(map(look, node.args))
        match node.op:
            case "sum":
                values[node] = reader.sum(node, args)
            case "product":
                values[node] = reader.product(node, args)
            case "pick":
                values[node] = args[0][node.data]
            case "sincos":
                values[node] = reader.sincos(node, args[0])
            case "power":
                values[node] = reader.power(node, args[0], args[1])
            case "call":
                values[node] = reader.call(node, args[0])
            case "jet":
                values[node] = reader.jet(node, args)
            case "factor":
                values[node] = reader.factor(node, args)
            case "solve":
                values[node] = reader.solve(node, args[0], args[1:])
            case "basic":
                values[node] = reader.basic(node, args)
            case _:
                values[node] = reader.assembled(node, args)
    return [values[root] for root in roots]


class Rebuild(Reader[Expr]):
    """Builds the graph again through the smart constructors; what is overridden, or passed in, is done otherwise."""

    def __init__(
        self,
        leaf: Callable[[Expr], Expr] | None = None,
        jet: Callable[[Expr, Sequence[Expr]], Expr] | None = None,
    ) -> None:
        self._leaf, self._jet = leaf, jet or _same_jet

    def leaf(self, node: Expr) -> Expr:
        return node if self._leaf is None else self._leaf(node)

    def sum(self, node: Expr, terms: Sequence[Expr]) -> Expr:
        if tuple(terms) == node.args:  # nothing is new below, so this is the node that would be built
            return node
        return total(zip(node.data[1], terms, strict=True), node.data[0])

    def product(self, node: Expr, bases: Sequence[Expr]) -> Expr:
        if tuple(bases) == node.args:
            return node
        return product(zip(bases, node.data, strict=True))

    def power(self, node: Expr, base: Expr, exponent: Expr) -> Expr:
        return power(base, exponent)

    def call(self, node: Expr, value: Expr) -> Expr:
        return call(node.data, value)

    def jet(self, node: Expr, arguments: Sequence[Expr]) -> Expr:
        return self._jet(node, arguments)

    def sincos(self, node: Expr, angle: Expr) -> Sequence[Expr]:
        if angle is node.args[0]:
            return make("pick", 0, (node,)), make("pick", 1, (node,))
        return sincos(angle)

    def factor(self, node: Expr, entries: Sequence[Expr]) -> Any:
        return rows_of(entries, node.data)

    def solve(self, node: Expr, factor: Any, rhs: Sequence[Expr]) -> Sequence[Expr]:
        return solve(factor, rhs)

    def basic(self, node: Expr, values: Sequence[Expr]) -> Sequence[Expr]:
        size, rank = node.data
        return basic(rows_of(values[: size * size], size), values[size * size :], rank)

    def assembled(self, node: Expr, values: Sequence[Expr]) -> Sequence[Expr]:
        size, first, places = node.data
        table = zip(places[::3], places[1::3], (values[k] for k in places[2::3]), strict=True)
        return assembled(table, values[len(values) - size :], first)


def rows_of(entries: Sequence[Expr], size: int) -> list[list[Expr]]:
    """Return a square matrix that is given by its entries."""
    return [list(entries[i : i + size]) for i in range(0, len(entries), size)]


def _same_jet(node: Expr, arguments: Sequence[Expr]) -> Expr:
    return make("jet", node.data, tuple(arguments))


def map_leaves(roots: Sequence[Expr], leaf: Callable[[Expr], Expr]) -> list[Expr]:
    """Return the roots with every leaf passed through ``leaf``."""
    return evaluate(roots, Rebuild(leaf))


def rebuild(
    roots: Sequence[Expr], jet: Callable[[Expr, Sequence[Expr]], Expr], known: dict[Expr, Expr] | None = None
) -> list[Expr]:
    """Return the roots with every jet passed, with its new arguments, through ``jet``."""
    return evaluate(roots, Rebuild(jet=jet), known)


def substitute(roots: Sequence[Expr], replacements: Mapping[Expr, Expr]) -> list[Expr]:
    """Return the roots with whole nodes replaced, all at once; what is put in is not searched again.

    Derivatives of unspecified functions stay derivatives *in their slots*: putting y for x in ``D(f, 1)(x, y)``
    gives ``D(f, 1)(y, y)``, which is not the derivative of ``f(y, y)``.
    """
    known: dict[Expr, Any] = dict(replacements)
    return evaluate(roots, Rebuild(), known)


def unroll(roots: Sequence[Expr], *, sure: bool = False) -> list[Expr]:
    """Return the roots with every linear solve written out as arithmetic.

    With ``sure`` those stay solves whose pivots are not shown to vanish only where the matrix is singular.

    >>> from dalembert.expr import symbol
    >>> a, b, c = symbol("a"), symbol("b"), symbol("c")
    >>> [n.op for n in postorder(unroll(solve([[a, b, c], [b, c, a], [c, a, b]], [1, 0, 0]), sure=True))][-1]
    'pick'
    """
    if not has_kind(roots, SOLVES):
        return list(roots)
    from dalembert.expr.elimination import Unroll

    return evaluate(roots, Unroll(roots, sure=sure))


SOLVES: Final = KIND["solve"] | KIND["basic"] | KIND["assembled"]


def symbols(roots: Iterable[Expr]) -> set[Symbol]:
    """Return the symbols that occur."""
    return {node.data for node in postorder(roots) if node.op == "symbol"}


def functions(roots: Iterable[Expr]) -> set[Function]:
    """Return the unspecified functions that occur."""
    roots = tuple(roots)
    return {node.data[0] for node in postorder(roots) if node.op == "jet"} if has_kind(roots, KIND["jet"]) else set()


def divisors(expressions: Iterable[Expr]) -> list[Expr]:
    """Return what expressions divide by, numbers apart.

    >>> from dalembert.expr import symbol
    >>> divisors([symbol("x") / symbol("y")**2, 3 * symbol("x")])
    [y]
    """
    found = [
        base
        for node in postorder(list(expressions))
        if node.op == "product"
        for base, exponent in zip(node.args, node.data, strict=True)
        if exponent < 0 and base.op != "number"
    ]
    return list(dict.fromkeys(found))


def tree_size(root: Expr) -> int:
    """Return how many nodes the expression would have if nothing were shared."""
    if root.tree < COUNTED:
        return root.tree
    size: dict[Expr, int] = {}
    for node in postorder([root]):
        size[node] = 1 + sum(size[a] for a in node.args)
    return size[root]


@dataclass(frozen=True, slots=True)
class Operations:
    """How many operations it takes to evaluate something once, shared parts counted once."""

    additions: int = 0
    multiplications: int = 0
    divisions: int = 0
    calls: int = 0
    sines: int = 0
    """Of the calls: a sine with its cosine."""

    @property
    def total(self) -> int:
        """All of them together."""
        return self.additions + self.multiplications + self.divisions + self.calls


def count(roots: Sequence[Expr]) -> Operations:
    """Count the operations of the roots together. Solve nodes count as their elimination.

    >>> from dalembert.expr import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> s = x + y
    >>> count([s * x, s * y]).total
    3
    """
    own = [own_operations(n) for n in postorder(unroll(roots)) if n.args]
    return Operations(*map(sum, zip(*own, strict=True))) if own else Operations()


def own_operations(node: Expr) -> tuple[int, int, int, int, int]:
    """Return what a node itself takes, its arguments given: additions, multiplications, divisions, calls and sines.

    A solve is none of these; it has to be written out before.
    """
    if node.op == "sum":
        constant, coefficients = node.data
        return len(coefficients) - 1 + bool(constant), sum([abs(c) != 1 for c in coefficients]), 0, 0, 0
    if node.op == "product":
        above = below = calls = 0
        for exponent in node.data:
            size = abs(exponent)
            if size.denominator != 1:
                calls += 1
                work = 1
            else:  # repeated squaring
                work = int(size).bit_length() - 1 + int(size).bit_count()
            above, below = (above + work, below) if exponent > 0 else (above, below + work)
        return 0, max(above - 1, 0) + max(below - 1, 0), int(below > 0), calls, 0
    if node.op in {"power", "call", "jet", "sincos"}:
        return 0, 0, 0, 1, int(node.op == "sincos")
    return 0, 0, 0, 0, 0


def pack(roots: Sequence[Expr]) -> tuple[list[tuple[str, Any, tuple[int, ...]]], list[int]]:
    """Return the roots as a flat list that can be pickled whatever the depth."""
    order = postorder(roots)
    place = {node: i for i, node in enumerate(order)}
    return [(n.op, n.data, tuple([place[a] for a in n.args])) for n in order], [place[r] for r in roots]


def unpack(packed: tuple[list[tuple[str, Any, tuple[int, ...]]], list[int]], index: int | None = None) -> Any:
    """Return the nodes of :func:`pack`: all roots, or the one with the given index."""
    nodes: list[Expr] = []
    for op, data, args in packed[0]:
        nodes.append(make(op, data, tuple([nodes[i] for i in args])))
    roots = [nodes[i] for i in packed[1]]
    return roots if index is None else roots[index]
