"""Zeros in disguise: what an elimination divides by, what a field moves and what depends on what is decided.

The twin of a check is the rule by shape: an elimination that knows no values modulo primes takes a zero for a pivot.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from random import Random

import pytest
from reading_back import evaluated, read_back

from dalembert import System, gallery
from dalembert.errors import ExpressionError, HypothesisError
from dalembert.expr import (
    ONE,
    PI,
    ZERO,
    Expr,
    absolute,
    cos,
    sin,
    solve,
    sqrt,
    substitute,
    symbol,
    symbols,
    tan,
    total,
    unroll,
)  # fmt: skip
from dalembert.expr.elementary import jet
from dalembert.expr.elimination import _Elimination, back_substitute, factorise
from dalembert.expr.graph import as_expr
from dalembert.expr.readers import Balls
from dalembert.expr.symbols import Function
from dalembert.expr.truth import cleared, depends_on, freed_from, generic_rank, is_zero, vanishing
from dalembert.expr.truth.facts import Facts
from dalembert.expr.truth.residues import Residues
from dalembert.expr.walk import postorder
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.straighten import straighten
from dalembert.mechanics.chaplygin.chaplygin import check
from dalembert.mechanics.common import HasEquations
from dalembert.mechanics.derivation import derive
from dalembert.mechanics.nonholonomic.linear_constraints import derive_in_coordinates
from dalembert.mechanics.principal_bundle import evident_bundle
from dalembert.mechanics.vakonomic import vakonomic
from dalembert.testing.values import random_point

REMEMBERED = "dalembert.expr.elimination._factored"
"""Which a twin must not find there."""
A, X, Y = symbol("a", domain="angle"), symbol("x"), symbol("y")
ZEROS = [
    tan(A) * cos(A) - sin(A),
    cos(2 * A) - 1 + 2 * sin(A) ** 2,
    (X + Y) ** 2 - X**2 - 2 * X * Y - Y**2,
    sqrt(X**2 * Y**2) - absolute(X) * absolute(Y),
    sqrt(1 + 2 * X**2 + X**4) - (1 + X**2),
    1 / (1 + tan(A) ** 2) - cos(A) ** 2,
]
OTHERS = [X, Y, sin(A), cos(A), Y - X, X * sin(A)]


def planted(draw: Random, size: int) -> tuple[list[list[Expr]], list[list[Expr]]]:
    """Return a matrix that is regular, and the same one with zeros in disguise in it."""
    while True:
        plain = [[draw.choice([ZERO, ZERO, *OTHERS]) for _ in range(size)] for _ in range(size)]
        if generic_rank(plain, seed=1).rank == size:
            break
    factor = draw.choice(OTHERS)
    return plain, [[entry + draw.choice(ZEROS) * factor for entry in row] for row in plain]


def test_an_elimination_divides_by_no_zero_in_disguise() -> None:
    draw = Random(5)
    right = [X, ONE, Y * cos(A), 2 * X]
    blind = 0
    for k in range(24):
        size = 3 + k % 2
        plain, hidden = planted(draw, size)
        answer = unroll(solve(hidden, right[:size]))
        names = {str(i): e for i, e in enumerate(answer)}
        assert evaluated(names, seed=k).divided_by_zero == []
        rest = [
            total([(-1, b), *((1, e * x) for e, x in zip(row, answer, strict=True))])
            for row, b in zip(plain, right[:size], strict=True)
        ]
        assert all(value.contains(0) for value in Balls(random_point(symbols(rest), Random(k)), 400).read(rest))
        try:  # the twin: by the shape of the entries
            wrong = back_substitute(factorise([list(row) for row in hidden], Residues([])), right[:size])
            blind += bool(evaluated(dict(enumerate(wrong)), seed=k).divided_by_zero)
        except ExpressionError:
            blind += 1
    assert blind >= 5


def test_what_vanishes_is_decided_all_at_once_and_the_same_every_time() -> None:
    assert vanishing([*ZEROS, *OTHERS]) == [True] * len(ZEROS) + [False] * len(OTHERS)
    assert cleared([ZEROS[0], X]) == [ZERO, X]
    assert depends_on([X + ZEROS[0] * Y], [Y, A]) is False
    assert depends_on([X + ZEROS[0] * Y], [X]) is True
    assert freed_from([Y / (sin(X) ** 2 + cos(X) ** 2) + X / X], [X]) == [Y + 1]
    first, again = (repr(unroll(solve([[ZEROS[0], X], [Y, sin(A)]], [X, Y]))) for _ in range(2))
    assert first == again


@pytest.mark.parametrize("derivation", [derive_in_coordinates, vakonomic.derive], ids=["nonholonomic", "vakonomic"])
@pytest.mark.thorough("vakonomic")
def test_the_rates_of_the_robot_are_finite_at_right_angles(
    derivation: Callable[[System], HasEquations], monkeypatch: pytest.MonkeyPatch
) -> None:
    equations = derivation(gallery.load("two-wheeled-robot")).equations
    rates = [*equations.rates().values(), *equations.reconstruction.values()]
    angles = [symbol(s) for s in symbols(rates) if s.domain == "angle" and not s.order]
    grid = [ZERO, PI / 2, -PI / 2, PI, as_expr(Fraction(3, 10))]

    def poles(written: list[Expr]) -> int:
        found = 0
        for point in product(grid, repeat=len(angles)):
            try:
                substitute(written, dict(zip(angles, point, strict=True)))
            except ExpressionError:
                found += 1
        return found

    assert poles(unroll(rates)) == 0
    if not any(node.op == "solve" for node in postorder(rates)):
        return  # solved in closed form, with nothing left to eliminate
    with monkeypatch.context() as twin:  # one pivot after the other, whether it vanishes somewhere or not
        twin.setattr(_Elimination, "_determinant", lambda _self: None)
        twin.setattr(REMEMBERED, {})
        assert poles(unroll(rates)) == 2


@pytest.mark.parametrize(("name", "how"), [("chaplygin-sleigh", "semisymplectic"), ("heavy-top-chart", "routh")])
def test_every_object_has_a_value_at_random_points(name: str, how: str) -> None:
    found = read_back(derive(gallery.load(name), how))
    assert found.read >= 17
    assert (found.divided_by_zero, found.without_value) == ([], [])


def test_objects_that_divide_by_zero_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    result = derive(gallery.load("chaplygin-sleigh"), "semisymplectic")
    nothing = "dalembert.expr.elimination.residues"
    monkeypatch.setattr(nothing, lambda matrices: [Residues([]) for _ in matrices])
    monkeypatch.setattr(REMEMBERED, {})
    assert len(read_back(result).divided_by_zero) == 17
    assert evaluated({"pole": 1 / ZEROS[0], "none": 1 / X}).divided_by_zero == ["pole"]
    assert evaluated({"root": sqrt(-1 - X**2)}).without_value == ["root"]


# -- what is stated in disguise ------------------------------------------------------------------------------
PLATE = "m*((x' - a*theta'*sin(theta))^2 + (y' + a*theta'*cos(theta))^2)/2 + I*theta'^2/2"
NOTHING = "(tan(theta)*cos(theta) - sin(theta))"
CLOCK = "(sin(t)^2 + cos(t)^2)"
GROUP = {"e1": {"x": 1}, "e2": {"y": 1}, "e3": {"x": "-y", "y": "x", "theta": 1}}


def sleigh(**stated: object) -> System:
    tables = {
        "name": "sleigh",
        "coordinates": {"x": "real", "y": "real", "theta": "angle"},
        "parameters": {"m": 1, "I": "3/5", "a": "2/5"},
        "lagrangian": PLATE,
        "constraints": {"blade": "y'*cos(theta) = x'*sin(theta)"},
        "symmetry": GROUP,
    }
    return System.of(**{**tables, **stated})


@pytest.mark.parametrize(
    ("how", "stated", "twin"),
    [
        ("chaplygin", {"lagrangian": f"({PLATE})*{CLOCK}"}, {"lagrangian": f"({PLATE})*(1 + sin(t)^2)"}),
        ("semisymplectic", {"constraints": {"blade": f"y'*cos(theta)*{CLOCK} = x'*sin(theta)"}},
         {"constraints": {"blade": "y'*cos(theta) = x'*sin(theta)*(2 + sin(t))"}}),
        ("vakonomic", {"forces": {"x": f"{NOTHING}*x'"}}, {"forces": {"x": "-x'"}}),
    ],
)  # fmt: skip
def test_what_is_stated_in_disguise_changes_nothing(how: str, stated: dict, twin: dict) -> None:
    plain, hidden = (derive(one, how).equations.rates() for one in (sleigh(), sleigh(**stated)))
    assert list(plain) == list(hidden)
    assert all(is_zero(a - b).holds for a, b in zip(plain.values(), hidden.values(), strict=True))
    with pytest.raises(HypothesisError):
        derive(sleigh(**twin), how)


def test_a_generator_that_moves_time_in_disguise_does_not() -> None:
    hidden, twin = (sleigh(symmetry={"e2": {"y": 1, "theta": NOTHING, "t": time}}) for time in (NOTHING, "1"))
    assert hidden.symmetry["e2"].on(hidden.chart).components == (ZERO, ONE, ZERO)
    assert check(hidden) == ()
    assert [fault.what for fault in check(twin)] == ["it moves time or depends on it"]


def test_a_field_moves_what_it_moves() -> None:
    chart = Chart.of(X, Y, A)
    field = VectorField.of(chart, {X: 1, A: ZEROS[0], Y: ZEROS[1]})
    bundle = evident_bundle(chart, [field])
    assert bundle is not None
    assert bundle.fibre == (X,)
    straight = straighten(field)
    assert straight is not None
    assert straight.inverse == {X: X, Y: Y, A: A}
    assert evident_bundle(chart, [VectorField.of(chart, {X: 1, A: sin(A)})]) is None


def test_an_assumption_is_not_solved_for_what_it_does_not_depend_on() -> None:
    v, w = jet(Function("V", 1), [X], slots=[1]), jet(Function("W", 1), [X])
    assert Facts.of([(ZEROS[0] * v + w, X)]).apply([v, w]) == [v, -(ZEROS[0] * v - X)]
    assert Facts.of([(sin(A) * v + w, X)]).apply([v]) != [v]
