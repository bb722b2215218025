"""Angles are carried within two turns either way: of a large angle, rounding would leave fewer digits of its sine.

An angle on which the rates depend by sines and cosines only is taken back by whole turns as it grows; how many is kept
beside the state, and what is recorded, shown to an event or given back has them again. On a snakeboard whose axles have
turned a hundred times this is the difference between an energy kept to 1e-11 and to 1e-13.
"""

from __future__ import annotations

from fractions import Fraction

from dalembert.expr.graph import Expr
from dalembert.expr.phases import phases
from dalembert.expr.walk import postorder, symbols
from dalembert.model.equations import Equations
from dalembert.model.trajectory import Array
from dalembert.numerics.compile.writer import Writer
from dalembert.numerics.dop853.memory import Layout, Memory
from dalembert.numerics.dop853.stages import two_sum

FULL_TURN = Fraction("6.2831853071795864769252867665590057683943387987502116419498891846")
_BITS = 30
"""The first two parts of a turn have so many bits: times a count of turns below 2^23 they are exact."""
_BEYOND, _MOST = 12.6, 1e7
"""Angles within the first are left alone, and those beyond the second, of which rounding has left too little."""


def _parts() -> tuple[Fraction, Fraction, Fraction]:
    first = Fraction(int(FULL_TURN * 2**_BITS), 2**_BITS)
    second = Fraction(int((FULL_TURN - first) * 4**_BITS), 4**_BITS)
    return first, second, FULL_TURN - first - second


_HIGH, _MIDDLE, _LOW = _parts()


def with_turns(state: Array, turns: Array) -> Array:
    """Return a state with whole turns added to its angles."""
    whole: Array = turns * float(_HIGH) + (state + turns * float(_MIDDLE + _LOW))
    return whole


def turning(equations: Equations) -> tuple[int, ...]:
    """Return the places of the variables that may be taken back by whole turns without changing any rate.

    >>> from dalembert.expr.elementary import sin
    >>> from dalembert.expr.graph import symbol
    >>> a, b = symbol("a", domain="angle"), symbol("b", domain="angle")
    >>> turning(Equations("", "", {a: a.dot, b: b.dot, a.dot: -sin(a) - b, b.dot: sin(a - b)}))
    (0,)
    """
    variables = (*equations.state, *equations.reconstruction)
    angles = {v for v in variables if v.data.domain == "angle"}
    if not angles:
        return ()
    roots = [*equations.kinematics.values(), *equations.reconstruction.values(), *equations.implicit.values()]
    if equations.saddle is not None or equations.straight:
        roots += equations.rates().values()
    if equations.saddle is not None or not equations.straight:
        roots += [*equations.force, *(entry for row in equations.mass for entry in row)]
    roots += [e for table in equations.projection for e in table.values()]
    bare: dict[Expr, frozenset[Expr]] = {}
    for node in postorder(roots):
        if node.op == "symbol":
            bare[node] = frozenset({node} & angles)
        else:
            inside = frozenset().union(*(bare[argument] for argument in node.args))
            bare[node] = _broken(node.args[0], inside) if node.op == "sincos" and inside else inside
    stuck = frozenset().union(*(bare[root] for root in roots))
    return tuple(k for k, v in enumerate(variables) if v in angles and v not in stuck)


def _broken(argument: Expr, angles: frozenset[Expr]) -> frozenset[Expr]:
    """Return the angles that do not stand in an argument a whole number of times."""
    parts = phases(argument)
    elsewhere = symbols([part for part in parts if part not in angles])
    return frozenset(v for v in angles if Fraction(parts.get(v, 0)).denominator != 1 or v.data in elsewhere)


def take_off(w: Writer, memory: Memory, layout: Layout) -> None:
    """Take whole turns off the angles that have grown, with what rounding takes from them, and count them."""
    one = w.one
    for k, index in enumerate(layout.turning):
        angle = memory.number(layout.state + index)
        size = one.magnitude(angle)
        far = one.compare("ogt", size, one.constant(_BEYOND))
        within = one.compare("olt", size, one.constant(_MOST))
        with w.when(w.fresh(f"and i1 {far}, {within}")):
            count = one.intrinsic("rint", one.mul(angle, one.constant(1 / FULL_TURN)))
            less = one.neg(count)
            first, lost = two_sum(one, angle, one.mul(less, one.constant(_HIGH)))
            second, more = two_sum(one, first, one.mul(less, one.constant(_MIDDLE)))
            rest = one.fma(less, one.constant(_LOW), memory.number(layout.low + index))
            high, low = two_sum(one, second, one.add(one.add(lost, more), rest))
            memory.put(high, layout.state + index)
            memory.put(low, layout.low + index)
            memory.put(one.add(memory.number(layout.turns + k), count), layout.turns + k)


def put_back(w: Writer, memory: Memory, layout: Layout, place: str) -> None:
    """Add the turns that were taken off to the angles of a state at an address."""
    one = w.one
    for k, index in enumerate(layout.turning):
        count = memory.number(layout.turns + k)
        small = one.add(one.load(place, index), one.mul(count, one.constant(_MIDDLE + _LOW)))
        one.store(one.fma(count, one.constant(_HIGH), small), place, index)
