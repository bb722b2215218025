"""Names for what is linear in velocities and used more than once, so that a function of n velocities has size n.

A sum that is linear in velocities and squared, or used by several others, becomes a variable y = f(q, v, y) of its own:
velocities of the joints of a chain, of the points of a body. So does a sum of coordinates of which sine and cosine are
taken, as a coordinate with a velocity of its own. What is left is short, and each f mentions a few variables only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dalembert.expr.calculus import gradient
from dalembert.expr.graph import ONE, ZERO, Expr, Number, product, symbol, total
from dalembert.expr.symbols import Symbol
from dalembert.expr.walk import Rebuild, evaluate, postorder
from dalembert.records import dataclass, replace

Pairs = dict[Expr, Number]
"""The terms of a sum with their coefficients."""


@dataclass(frozen=True, slots=True)
class Lift:
    """A variable that stands for a sum."""

    name: Expr
    """The variable, which counts as a velocity."""
    value: Expr
    """What it is, by coordinates, velocities and the lifts before it."""
    position: Expr | None = None
    """The coordinate whose velocity it is, where it is one."""
    place: Expr | None = None
    """What that coordinate is, by the coordinates before it."""


def lifted(expressions: Sequence[Expr], velocities: Mapping[Expr, Expr]) -> tuple[list[Expr], list[Lift]]:
    """Return expressions with names for their sums, and these; ``velocities`` are those of the coordinates, by these.

    >>> x, y = symbol("x"), symbol("y")
    >>> found, lifts = lifted([(x.dot + y.dot)**2], {x: x.dot, y: y.dot})
    >>> found, [(one.name.data.name, one.value) for one in lifts]
    ([lift 0^2], [('lift 0', x' + y')])
    """
    flat = evaluate(expressions, _Flat())
    lifting = _Lifting(flat, velocities)
    found = evaluate(flat, lifting)
    return found, lifting.in_order()


class _Flat(Rebuild):
    """Rebuilds a graph without products in products, so that a sum of them is known wherever it comes from."""

    def product(self, node: Expr, bases: Sequence[Expr]) -> Expr:
        factors: list[tuple[Expr, Number]] = []
        for base, exponent in zip(bases, node.data, strict=True):
            inner = exponent == 1 and base.op == "product"
            factors += zip(base.args, base.data, strict=True) if inner else [(base, exponent)]
        return product(factors)


def degrees(order: Sequence[Expr], variables: Iterable[Expr]) -> dict[Expr, int]:
    """Return how nodes, arguments before what uses them, depend on variables: 0 not at all, 1 linearly, 2 otherwise.

    That is how they are written: what has 2 may still be linear, or constant.
    """
    moving = set(variables)
    degree: dict[Expr, int] = {}
    for node in order:
        below = [degree[a] for a in node.args]
        if node in moving:
            degree[node] = 1
        elif not any(below):
            degree[node] = 0
        elif node.op == "sum":
            degree[node] = max(below)
        elif node.op == "product":
            degree[node] = 1 if [(d, e) for d, e in zip(below, node.data, strict=True) if d] == [(1, 1)] else 2
        else:
            degree[node] = 2
    return degree


def evidently_affine(expressions: Sequence[Expr], variables: Iterable[Expr]) -> bool:
    """Say whether expressions are written as affine functions of variables, so that nothing has to be decided.

    >>> from dalembert.expr import sin, symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> evidently_affine([x * sin(y) + 1], [x]), evidently_affine([x * sin(y) + 1], [x, y])
    (True, False)
    """
    degree = degrees(postorder(expressions), variables)
    return all(degree[e] < 2 for e in expressions)


_MANY = 16
"""From so many expressions on, all derivatives by what they are linear in are taken in one pass."""


def slopes_of(expressions: Sequence[Expr], variables: Sequence[Expr]) -> list[list[Expr]]:
    """Return the derivatives of expressions by variables, rows by expressions, many affine ones in one pass.

    >>> from dalembert.expr import sin, symbol
    >>> x, y, a = symbol("x"), symbol("y"), symbol("a")
    >>> slopes_of([x * sin(a) + 1, a * (x - y)], [x, y])
    [[sin(a), 0], [a, -a]]
    """
    if len(expressions) >= _MANY and evidently_affine(expressions, variables):
        return _affine_slopes(expressions, variables)
    return [gradient(expression, variables) for expression in expressions]


def _affine_slopes(expressions: Sequence[Expr], variables: Sequence[Expr]) -> list[list[Expr]]:
    """Return the same of what is evidently affine: each node has its own, and those of what many share are one."""
    slopes: dict[Expr, dict[Expr, Expr]] = {v: {v: ONE} for v in variables}
    for node in postorder(expressions):
        moving = [] if node in slopes else [a for a in node.args if a in slopes]
        if moving and node.op == "sum":
            terms: dict[Expr, list[tuple[Number, Expr]]] = {}
            for coefficient, argument in zip(node.data[1], node.args, strict=True):
                for v, slope in slopes.get(argument, {}).items():
                    terms.setdefault(v, []).append((coefficient, slope))
            slopes[node] = {v: total(parts) for v, parts in terms.items()}
        elif moving:
            (own,) = moving
            rest = product([(a, e) for a, e in zip(node.args, node.data, strict=True) if a is not own])
            slopes[node] = {v: rest * slope for v, slope in slopes[own].items()}
    return [[slopes.get(e, {}).get(v, ZERO) for v in variables] for e in expressions]


class _Lifting(Rebuild):
    """Rebuilds a graph; sums that are worth a name come back as one."""

    def __init__(self, roots: Sequence[Expr], velocities: Mapping[Expr, Expr]) -> None:
        super().__init__()
        self.lifts: list[Lift] = []
        self._velocity = dict(velocities)
        self._order = postorder(roots)
        self._degree = degrees(self._order, velocities.values())
        self._moving = self._moved()
        self._wanted = self._worth_a_name(set(roots))
        self._bits = {v: 1 << k for k, v in enumerate(velocities.values())}
        """Which velocities a node depends on, by lifts or not."""
        self._lifts_in: dict[Expr, bool] = {}
        """Whether a node depends on a lift."""
        self._names: dict[tuple[str, Number, frozenset[tuple[Expr, Number]]], Expr] = {}
        self._sums: dict[tuple[str, Expr, Number], list[frozenset[tuple[Expr, Number]]]] = {}
        """The sums that have names, by each of their terms, in the order in which they came."""
        self._stated: dict[tuple[str, Expr, Number], list[frozenset[tuple[Expr, Number]]]] = {}
        """The sums that will get names, likewise: those that are parts of others are named first."""
        for node in (n for n in self._order if n in self._wanted):
            nested = any(a.op == "sum" for a in node.args)  # sums in it have names of their own
            pairs = frozenset(() if nested else _terms(node)[1].items())
            for pair in pairs if len(pairs) > 1 else ():
                self._stated.setdefault((self._kind(node), *pair), []).append(pairs)

    # -- what is worth a name ------------------------------------------------------------------------------------
    def _moved(self) -> set[Expr]:
        """Return the nodes that depend on coordinates."""
        moving = set(self._velocity)
        for node in self._order:
            if not moving.isdisjoint(node.args):
                moving.add(node)
        return moving

    def _worth_a_name(self, roots: set[Expr]) -> set[Expr]:
        """Return linear sums that are squared, multiplied by others or used by several nodes, and angles."""
        uses: dict[Expr, int] = {}
        wanted: set[Expr] = set()
        for node in self._order:
            for argument in map(_inner, node.args):
                if self._degree[argument] == 1:
                    uses[argument] = uses.get(argument, 0) + 1
                    if self._degree[node] == 2 and node.op != "sum":
                        wanted.add(argument)
            if node.op == "sincos" and self._is_angle(node.args[0]):
                wanted.add(node.args[0])
        wanted |= {node for node, times in uses.items() if times > 1}
        return {node for node in wanted - roots if node.op == "sum" and len(node.args) > 1}

    def _is_angle(self, node: Expr) -> bool:
        """Say whether a node is a sum of at least two coordinates, or of such sums, with numbers as factors."""
        if node.op != "sum" or self._degree[node]:
            return False
        moving = [a for a in node.args if a in self._moving]
        return bool(moving) and all(a in self._velocity or self._is_angle(a) for a in moving)

    def _kind(self, node: Expr) -> str:
        return "velocity" if self._degree[node] else "angle"

    # -- names ---------------------------------------------------------------------------------------------------
    def sum(self, node: Expr, terms: Sequence[Expr]) -> Expr:
        plain = super().sum(node, terms)
        if node not in self._wanted:
            return plain
        constant, pairs = _terms(plain)
        if self._degree[node]:
            return self._named_velocity(constant, pairs) if len(pairs) > 1 else plain
        moving = {e: c for e, c in pairs.items() if e in self._velocity}
        rest = total([(c, e) for e, c in pairs.items() if e not in moving], constant)
        return self._named_angle(moving) + rest if len(moving) > 1 else plain

    def _named_velocity(self, constant: Number, pairs: Pairs) -> Expr:
        """Return the name of a sum that is linear in velocities; what is old in it gets a name first.

        What is new at a joint is then all that its neighbours know of each other.
        """
        if ("velocity", constant, frozenset(pairs.items())) in self._names:
            return self._names["velocity", constant, frozenset(pairs.items())]
        known = frozenset(pairs.items())
        within = _longest_within(self._stated, "velocity", pairs)
        if within:
            self._named_velocity(0, dict(within))
        pairs = self._shortened("velocity", pairs)
        before = [e for e in pairs if self._reading(e)[1]]
        reach = 0
        for e in before:
            reach |= self._reading(e)[0]
        old = [e for e in pairs if e not in before and 0 < self._reading(e)[0] & reach == self._reading(e)[0]]
        if old and len(before) + len(old) < len(pairs):
            parts = [*before, *old]
            joint = self._named_velocity(0, {e: pairs[e] for e in parts})
            pairs = {joint: 1, **{e: c for e, c in pairs.items() if e not in parts}}
        name = symbol(Symbol(f"lift {len(self.lifts)}"))
        self.lifts.append(Lift(name, _sum(pairs, constant)))
        for e in pairs:
            reach |= self._reading(e)[0]
        self._bits[name], self._lifts_in[name] = reach, True
        self._remember("velocity", name, known, constant)
        self._remember("velocity", name, frozenset(pairs.items()), constant)
        return name

    def _named_angle(self, pairs: Pairs) -> Expr:
        """Return a coordinate for a sum of coordinates; its velocity is the name of the sum of theirs."""
        key = frozenset(pairs.items())
        if ("angle", 0, key) in self._names:
            return self._names["angle", 0, key]
        within = _longest_within(self._stated, "angle", pairs)
        if within:
            self._named_angle(dict(within))
        shorter = self._shortened("angle", pairs)
        moved = {self._velocity[e]: c for e, c in shorter.items()}
        rate = self._named_velocity(0, moved)
        position = symbol(Symbol(f"{rate.data.name} position"))
        for k, lift in enumerate(self.lifts):
            if lift.name is rate:
                self.lifts[k] = replace(lift, position=position, place=_sum(shorter, 0))
        self._velocity[position] = rate
        self._remember("angle", position, key, 0)
        self._remember("angle", position, frozenset(shorter.items()), 0)
        return position

    def _shortened(self, kind: str, pairs: Pairs) -> Pairs:
        """Return a sum with a name in it for the longest sum of before that is a part of it."""
        best = _longest_within(self._sums, kind, pairs)
        if not best:
            return pairs
        name = self._names[kind, 0, best]
        return self._shortened(kind, {name: 1, **{e: c for e, c in pairs.items() if (e, c) not in best}})

    def _remember(self, kind: str, name: Expr, pairs: frozenset[tuple[Expr, Number]], constant: Number) -> None:
        if (kind, constant, pairs) in self._names:
            return
        self._names[kind, constant, pairs] = name
        if not constant:
            for pair in pairs:
                self._sums.setdefault((kind, *pair), []).append(pairs)

    def in_order(self) -> list[Lift]:
        """Return the lifts by the newest of the velocities that they depend on, each after what it is made of.

        A velocity is as new as the first lift that mentions it; so all components of a joint come together.
        """
        depth: dict[Expr, int] = {}
        newness: dict[int, int] = {}
        for lift in self.lifts:
            below = postorder([lift.value])
            depth[lift.name] = 1 + max((depth[e] for e in below if e in depth), default=0)
            for e in below:
                if e.op == "symbol" and e not in depth and self._bits.get(e):
                    newness[self._bits[e]] = min(depth[lift.name], newness.get(self._bits[e], depth[lift.name]))

        def key(lift: Lift) -> tuple[int, int]:
            bits = self._bits[lift.name]
            return max(new for bit, new in newness.items() if bit & bits), depth[lift.name]

        return sorted(self.lifts, key=key)

    def _reading(self, node: Expr) -> tuple[int, bool]:
        """Return which velocities a node depends on, and whether on lifts."""
        for one in postorder([node], self._lifts_in):
            self._lifts_in[one] = any(self._lifts_in[a] for a in one.args)
            if one not in self._bits:
                bits = 0
                for a in one.args:
                    bits |= self._bits[a]
                self._bits[one] = bits
        return self._bits[node], self._lifts_in[node]


def _longest_within(
    sums: Mapping[tuple[str, Expr, Number], list[frozenset[tuple[Expr, Number]]]], kind: str, pairs: Pairs
) -> frozenset[tuple[Expr, Number]]:
    """Return the longest of some sums that is a part of another; the empty one where there is none."""
    here = frozenset(pairs.items())
    best: frozenset[tuple[Expr, Number]] = frozenset()
    for pair in pairs.items():
        for one in reversed(sums.get((kind, *pair), ())):
            if len(one) > len(best) and one < here:
                best = one
    return best


def _inner(node: Expr) -> Expr:
    """Return what a node is a multiple of."""
    return node.args[0] if node.op == "sum" and len(node.args) == 1 and not node.data[0] else node


def _terms(node: Expr) -> tuple[Number, Pairs]:
    """Return a sum, and the sums in it, by constant and terms."""
    if node.op != "sum":
        return 0, {node: 1}
    constant, coefficients = node.data
    pairs: Pairs = {}
    for coefficient, term in zip(coefficients, node.args, strict=True):
        more, inside = _terms(term)
        constant += coefficient * more
        for e, c in inside.items():
            pairs[e] = pairs.get(e, 0) + coefficient * c
    return constant, {e: c for e, c in pairs.items() if c}


def _sum(pairs: Mapping[Expr, Number], constant: Number) -> Expr:
    return total([(c, e) for e, c in pairs.items()], constant)


def places_of(lifts: Iterable[Lift]) -> dict[Expr, Expr]:
    """Return what the coordinates of lifts are, by those before them."""
    return {lift.position: lift.place for lift in lifts if lift.position is not None and lift.place is not None}
