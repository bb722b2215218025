"""The functions that a search is made of: those that occur in the equations, as letters of which products are taken.

Positions are coordinates that are numbers, sines and cosines of angles, entries of rotations and components of
directions; to these come the roots, reciprocals, exponentials and unspecified functions that stand in the equations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations_with_replacement
from math import comb

from dalembert.expr.calculus import gradient, tangent
from dalembert.expr.elementary import sincos
from dalembert.expr.graph import Expr, Number, make, symbol
from dalembert.expr.graph import product as power_product
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Fact, depends_on, vanish
from dalembert.expr.walk import postorder, symbols
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.records import dataclass, field

MOST_SPECIAL = 6
"""So many roots, reciprocals, exponentials and unspecified functions are taken."""
_MOST_NODES = 60
"""Those with more nodes than this are not."""
_STEEP = -2
"""Lower powers in a force may come from a potential that is none of its letters."""
_LONG = 40
"""A function with more letters than this is given a name where a space is described."""


@dataclass(frozen=True)
class Letters:
    """Functions on the state, by kind."""

    positions: tuple[Expr, ...]
    special: tuple[Expr, ...]
    """What else occurs in the equations: each is taken to the first power."""
    speeds: tuple[Expr, ...]
    names: Mapping[Expr, Expr] = field(default_factory=dict, compare=False, repr=False)
    """What letters are called that are no symbols and have a name: entries of rotations, angular velocities."""

    @cached_property
    def cosines(self) -> frozenset[int]:
        """The places of cosines whose sine is a position too: their squares are nothing new."""
        sines = {one.args[0]: one for one in self.positions if one.op == "pick" and one.data == 0}
        return frozenset(
            k for k, one in enumerate(self.positions) if one.op == "pick" and one.data == 1 and one.args[0] in sines
        )

    def count(self, degree: int, others: int) -> int:
        """Return how many products there are of a degree in the speeds, with a bound on all else."""
        folded, speeds = len(self.cosines), len(self.speeds)
        plain = len(self.positions) - folded

        def bounded(most: int) -> int:
            return sum(comb(folded, j) * comb(plain + most - j, plain) for j in range(min(folded, most) + 1))

        by_speed = comb(speeds + degree - 1, degree) if speeds else int(not degree)
        return by_speed * (bounded(others) + (len(self.special) * bounded(others - 1) if others else 0))

    def called(self, letter: Expr) -> Expr:
        """Return the name of a letter, or the letter."""
        return self.names.get(letter, letter)

    @property
    def all(self) -> tuple[Expr, ...]:
        """All of them."""
        return (*self.positions, *self.special, *self.speeds)

    def exponents(self, bounds: Sequence[tuple[int, int]]) -> list[tuple[int, ...]]:
        """Return the products of each degree in the speeds, with a bound on the degree in all else, simple ones first.

        >>> from dalembert.expr import symbol
        >>> x, v = symbol("x"), symbol("v")
        >>> Letters((x,), (), (v,)).exponents([(2, 0), (0, 2)])
        [(1, 0), (2, 0), (0, 2)]
        """
        found: dict[tuple[int, ...], None] = {}
        for degree, others in bounds:
            for speeds in exponents(len(self.speeds), degree):
                for special in _at_most_one(len(self.special), others):
                    rest = others - sum(special)
                    for positions in (e for d in range(rest + 1) for e in exponents(len(self.positions), d)):
                        if all(positions[k] < 2 for k in self.cosines):
                            found[(*positions, *special, *speeds)] = None
        found.pop((0,) * len(self.all), None)
        count = len(self.positions) + len(self.special)
        return sorted(found, key=lambda e: (sum(e[count:]), sum(e), [-k for k in e]))


def exponents(size: int, degree: int) -> Iterator[tuple[int, ...]]:
    """Yield the exponents of all products of a degree in so many letters.

    >>> list(exponents(2, 2))
    [(2, 0), (1, 1), (0, 2)]
    """
    for chosen in combinations_with_replacement(range(size), degree):
        yield tuple(chosen.count(k) for k in range(size))


def _at_most_one(size: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield no letter, and each one alone."""
    yield (0,) * size
    if most:
        for k in range(size):
            yield tuple(int(j == k) for j in range(size))


def letters_of(system: System, equations: Equations) -> Letters:
    """Return the letters of equations in the coordinates of a system.

    >>> from dalembert.mechanics.derivation import derive
    >>> kepler = System.of(name="k", coordinates="x y", lagrangian="(x'^2 + y'^2)/2 + 1/sqrt(x^2 + y^2)")
    >>> letters_of(kepler, derive(kepler, "euler-lagrange").equations)
    Letters(positions=(x, y), special=(1/sqrt(x^2 + y^2),), speeds=(x', y'))
    """
    round_ = {q for point in system.points for q in point.components}
    positions: list[Expr] = []
    names: dict[Expr, Expr] = {}
    for q in equations.kinematics:
        if q in round_:
            continue
        positions += sincos(q) if q.data.domain == "angle" else [q]
    for point in system.points:
        if point.is_rotation:
            positions += point.entries.values()
            names |= {entry: symbol(name) for name, entry in point.entries.items()}
        else:
            positions += point.components
    speeds = list(equations.velocities)
    held = any(name not in system.units for name in system.holonomic)
    for q, velocity in equations.kinematics.items():  # one given by others with denominators is a letter of its own
        if q in round_ or velocity in speeds:
            continue
        if held or depends_on(gradient(velocity, equations.velocities), equations.velocities):
            speeds.append(velocity)
            names[velocity] = q.dot
    rates = list(equations.rates().values())
    special = [e for e in _special(rates, equations) if e not in positions]
    return Letters(tuple(positions), tuple(special[:MOST_SPECIAL]), tuple(speeds), names)


def steep(equations: Equations) -> list[Expr]:
    """Return the powers whose slopes stand in the equations, where these are no letters: 1/x^2 of a force 2/x^3.

    >>> from dalembert.mechanics.derivation import derive
    >>> well = System.of(name="well", coordinates={"x": "positive"}, lagrangian="x'^2/2 - 1/x^2")
    >>> steep(derive(well, "euler-lagrange").equations)
    [1/x^2]
    """
    found: dict[Expr, None] = {}
    for node in postorder(list(equations.rates().values())):
        for base, exponent in zip(node.args, node.data, strict=True) if node.op == "product" else ():
            if exponent < _STEEP and _of_positions(base, equations):
                found[power_product([(base, exponent + 1)])] = None
    return list(found)


def _of_positions(one: Expr, equations: Equations) -> bool:
    """Return whether something short depends on where one is, and on nothing else."""
    if len(postorder([one])) > _MOST_NODES or not depends_on([one], list(equations.kinematics)):
        return False
    return not depends_on([one], [*equations.velocities, symbol(TIME)])


def _special(rates: Sequence[Expr], equations: Equations) -> list[Expr]:
    """Return the functions of positions that are more than polynomials in the letters."""
    parts = (one for node in postorder(rates) for one in _parts(node))
    return list(dict.fromkeys(one for one in parts if one.op != "number" and _of_positions(one, equations)))


def _parts(node: Expr) -> Iterator[Expr]:
    if node.op == "product":
        for base, exponent in zip(node.args, node.data, strict=True):
            if exponent.denominator != 1:  # the root, or one over it
                yield power_product([(base, exponent / exponent.numerator * (1 if exponent > 0 else -1))])
            elif exponent < 0:
                yield power_product([(base, -1)])
    elif node.op == "call":
        yield node
    elif node.op == "jet":
        yield node
        function, orders = node.data
        for slot, order in enumerate(orders):
            if order:
                yield make("jet", (function, (*orders[:slot], order - 1, *orders[slot + 1 :])), node.args)


def in_words(functions: Sequence[Expr], most: int | None = None) -> tuple[list[str], str]:
    """Return functions as text, long ones and their powers by a name, and what the names mean.

    A function that is longer than ``most`` is told by what it depends on.

    >>> first, second = symbol("the first coordinate"), symbol("the second coordinate")
    >>> in_words([first, 1 / (first + second)])
    (['the first coordinate', '1/f1'], '; f1 = the first coordinate + the second coordinate')
    >>> in_words([(first + second)**2], 20)[1]
    '; f1 is a function of the first coordinate, the second coordinate with 3 nodes'
    """
    meant: dict[Expr, str] = {}
    written = []
    bases = [as_power(one)[0] for one in functions]
    for one in functions:
        base, exponent = as_power(one)
        if len(repr(one)) <= _LONG / (1 if bases.count(base) < 2 else 3):
            written.append(repr(one))
            continue
        same = next((k for k, other in enumerate(meant, 1) if vanish([base - other]) or vanish([base + other])), None)
        name = symbol(f"f{same or len(meant) + 1}")
        if same is None:
            told = repr(base)
            if told.startswith("<") or (most is not None and len(told) > most):  # too large to be written at all
                on = ", ".join(sorted(s.name for s in symbols([base])))
                meant[base] = f"{name} is a function of {on} with {len(postorder([base]))} nodes"
            else:
                meant[base] = f"{name} = {told}"
        written.append(repr(power_product([(name, exponent)])))
    return written, "".join(f"; {one}" for one in meant.values())


def as_power(function: Expr) -> tuple[Expr, Number]:
    """Return what a function is a power of, up to a number, and the exponent.

    >>> as_power(-3 / (symbol("x") + 1))
    (x + 1, -1)
    """
    if function.op == "sum" and len(function.args) == 1 and not function.data[0]:
        function = function.args[0]
    if function.op == "product" and len(function.args) == 1:
        return function.args[0], function.data[0]
    return function, 1


def kept_by(letters: Iterable[Expr], fields: Sequence[dict[Expr, Expr]], facts: Sequence[Fact] = ()) -> list[Expr]:
    """Return the letters that fields leave as they are: functions on the space of orbits.

    >>> x, y = symbol("x"), symbol("y")
    >>> kept_by([x, y], [{x: x / x}])
    [y]
    """
    return [one for one in letters if all(vanish(tangent([one], field), facts) for field in fields)]
