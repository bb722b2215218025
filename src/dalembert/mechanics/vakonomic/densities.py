"""Densities of any order along curves: momentum forms, Euler operators, Cartan forms, the first variation (Garcia,
Rodrigo; section 1).

A density f(t, q, ..., q_(r)) dt has Ostrogradsky's momenta p_(1), ..., p_(r), its momentum form Omega_f, and

    E_f = df/dq - D p_(1),    Theta_f = p_(k) (dq_(k-1) - q_(k) dt) + f dt    (2), (4).

A field along a curve has components xi by coordinate and, where it moves time, tau; with its prolongation
xi_(k+1) = D xi_(k) - q_(k+1) D tau the first variation formula (5) reads

    D^(r)(f) + f D tau = <xi - q' tau, E_f> + D(i_D Theta_f).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import diff, tangent, time_derivative
from dalembert.expr.graph import ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.truth import Fact, Verdict
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.fields import Chart
from dalembert.geometry.forms import Form, one_form
from dalembert.mechanics.lagrangian.jets import derivative, energy, euler_operators, momenta
from dalembert.records import dataclass


@dataclass(frozen=True, slots=True)
class Density:
    """A function of t, q, ..., q_(r), and what the calculus of variations makes of it.

    >>> x = symbol("x")
    >>> spring = density(x.dot**2 / 2 - x**2 / 2, [x])
    >>> spring.momenta, spring.euler
    (((x',),), (-x - x'',))
    """

    function: Expr
    coordinates: tuple[Expr, ...]
    order: int
    momenta: tuple[tuple[Expr, ...], ...]
    """p_(1), ..., p_(r), each for all coordinates: the momentum form, with p_(k) along dq_(k-1)."""
    euler: tuple[Expr, ...]
    """E_f, a function of t, q, ..., q_(2r)."""

    @property
    def chart(self) -> Chart:
        """The coordinates (t, q, ..., q_(2r-1))."""
        jets = (derivative(q, k) for k in range(2 * self.order) for q in self.coordinates)
        return Chart((symbol(TIME), *jets))

    @property
    def cartan_form(self) -> Form:
        """Theta_f on (t, q, ..., q_(2r-1)); its dt term is minus the energy."""
        parts = [p for several in self.momenta for p in several]
        along_time = -energy(self.function, self.coordinates, self.order)
        return one_form(self.chart, [along_time, *parts, *[ZERO] * (self.order * len(self.coordinates))])

    def change(self, components: Sequence[Expr], time: Expr = ZERO) -> Expr:
        """Return D^(r)(f) + f D tau, what a field along a curve does to the density."""
        seed = {symbol(TIME): time}
        for k, moved in enumerate(prolong(components, time, self.coordinates, self.order)):
            seed |= {derivative(q, k): x for q, x in zip(self.coordinates, moved, strict=True)}
        return tangent([self.function], seed)[0] + self.function * time_derivative(time)

    def boundary(self, components: Sequence[Expr], time: Expr = ZERO) -> Expr:
        """Return i_D Theta_f, what is left at the ends: p_(k) (xi_(k-1) - q_(k) tau) + f tau."""
        terms = [(1, self.function * time)]
        moved = prolong(components, time, self.coordinates, self.order)
        for k, several in enumerate(self.momenta):
            for q, p, x in zip(self.coordinates, several, moved[k], strict=True):
                terms.append((1, p * (x - derivative(q, k + 1) * time)))
        return total(terms)

    def work(self, components: Sequence[Expr], time: Expr = ZERO) -> Expr:
        """Return <xi - q' tau, E_f>."""
        pairs = zip(self.coordinates, components, self.euler, strict=True)
        return total([(1, e * (x - q.dot * time)) for q, x, e in pairs])


def density(function: Expr, coordinates: Sequence[Expr], order: int | None = None) -> Density:
    """Return a density with its momenta and its Euler operator; its order is the highest that occurs, at least 1."""
    names = {q.data.name for q in coordinates}
    occurs = max([1, *(s.order for s in symbols([function]) if s.name in names)])
    if order is not None and order < occurs:
        raise ExpressionError(f"a density of order {occurs} is not one of order {order}; name its order, or none.")
    r = occurs if order is None else order
    return Density(
        function,
        tuple(coordinates),
        r,
        tuple(map(tuple, momenta(function, coordinates, r))),
        tuple(euler_operators(function, coordinates, r)),
    )


def lagrangian_of(lagrangian: Expr, constraints: Mapping[Expr, Expr]) -> Expr:
    """Return L + lambda_a f^a, from the constraints by their multipliers."""
    return total([(1, lagrangian), *((1, multiplier * f) for multiplier, f in constraints.items())])


def any_field(coordinates: Sequence[Expr], name: str = "D", taken: Iterable[str] = ()) -> tuple[Expr, ...]:
    """Return the components of an arbitrary field along a curve, one symbol for each coordinate.

    >>> any_field([symbol("x")])[0].dot
    D_x'
    """
    return fresh([f"{name}_{q.data.name}" for q in coordinates], [*taken, *(q.data.name for q in coordinates)])


def fresh(names: Iterable[str], taken: Iterable[str]) -> tuple[Expr, ...]:
    """Return variables with these names, made longer where one is taken; what no name may contain becomes ``_``.

    >>> fresh(["p_x", "p_y"], ["p_x"])
    (p_x_, p_y)
    """
    used, found = set(taken), []
    for name in names:
        name = re.sub(r"\W", "_", name, flags=re.ASCII)
        while name in used:
            name += "_"
        used.add(name)
        found.append(symbol(Symbol(name)))
    return tuple(found)


def prolong(components: Sequence[Expr], time: Expr, coordinates: Sequence[Expr], order: int) -> list[list[Expr]]:
    """Return xi_(0), ..., xi_(order) of a field along a curve: xi_(k+1) = D xi_(k) - q_(k+1) D tau."""
    clock = time_derivative(time)
    found = [list(components)]
    for k in range(1, order + 1):
        found.append(
            [time_derivative(x) - derivative(q, k) * clock for q, x in zip(coordinates, found[-1], strict=True)]
        )
    return found


def first_variation_law(one: Density, facts: Sequence[Fact] = (), proofs: ProofBudget | None = None) -> Verdict:
    """Decide the first variation formula (5) on an arbitrary field along an arbitrary curve, time moved as well.

    >>> x = symbol("x")
    >>> first_variation_law(density(x.dot.dot**2 * x, [x])).holds
    True
    """
    components, time = any_field(one.coordinates), symbol(Symbol("D_t"))
    left = one.change(components, time)
    right = one.work(components, time) + time_derivative(one.boundary(components, time))
    return (proofs or ProofBudget(0.0)).is_zero(left - right, facts)


def on_curve(expressions: Sequence[Expr], curve: Mapping[Expr, Expr]) -> list[Expr]:
    """Return expressions in t, q, q', ... along a curve given by the coordinates as functions of time.

    >>> x, t = symbol("x"), symbol(TIME)
    >>> on_curve([x.dot * x], {x: t**2})
    [2*t^3]
    """
    names = {q.data.name: q for q in curve}
    put: dict[Expr, Expr] = {}
    for s in symbols(expressions):
        if s.name in names:
            q = names[s.name]
            put[derivative(q, s.order)] = diff(curve[q], *[symbol(TIME)] * s.order)
    return substitute(expressions, put)
