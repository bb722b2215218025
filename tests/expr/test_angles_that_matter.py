"""A root is asked about with those angles alone that can matter to it: the answer is the same as beside all of them."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import assume, given
from hypothesis import strategies as st

from dalembert.errors import ExpressionError
from dalembert.expr import cos, sin, sqrt, symbol
from dalembert.expr.field.generators import angle_basis
from dalembert.expr.graph import Expr, total
from dalembert.expr.truth import simplest_roots
from dalembert.expr.truth.simplest_roots import angles_that_matter, simplest_root
from dalembert.expr.walk import postorder, symbols

NAMES = [symbol(name, domain="angle") for name in "abcdu"]
A, B, C, D, U = NAMES
LENGTH = symbol("l", role="parameter", domain="positive")


def sincos_nodes(*expressions: Expr) -> tuple[Expr, ...]:
    return tuple(dict.fromkeys(node for node in postorder(expressions) if node.op == "sincos"))


def answer(base: Expr, exponent: Fraction, turning: tuple[Expr, ...], real: tuple[Expr, ...], *, careful: bool):
    try:
        return simplest_root(base, exponent, (turning, real, (), careful))
    except ExpressionError as fault:
        return str(fault)


def one_angle(numbers: list[int]) -> Expr:
    return total([(Fraction(n, 2), name) for n, name in zip(numbers, NAMES, strict=True)])


ANGLES = st.lists(st.integers(-2, 2), min_size=5, max_size=5).map(one_angle)
SPARSE = st.builds(
    lambda times, one, other, k: total([(Fraction(times, 2), NAMES[one]), (Fraction(k, 2), NAMES[other])]),
    st.integers(1, 4),
    st.integers(0, 4),
    st.integers(0, 4),
    st.integers(-2, 2),
)
BASES = st.sampled_from(
    [
        1 + cos(A),
        1 - cos(2 * A),
        2 + 2 * cos(A + B),
        1 + cos(A) * cos(B) - sin(A) * sin(B),
        LENGTH**2 * cos(A) ** 2 + sin(B) ** 2,
        (1 + cos(A)) * (LENGTH + cos(B) ** 2),
        1 - sin(A) ** 2 * cos(B) ** 2,
        LENGTH * (1 + cos(A)) / (1 - cos(B)),
    ]
)
EXPONENTS = st.sampled_from([Fraction(1, 2), Fraction(-1, 2), Fraction(-3, 2)])


@given(base=BASES, exponent=EXPONENTS, angles=st.lists(st.one_of(SPARSE, ANGLES), max_size=6), careful=st.booleans())
def test_a_root_is_the_same_beside_the_angles_that_matter(base, exponent, angles, careful):
    turning = sincos_nodes(base, *(f(angle) for f, angle in zip([sin, cos] * 3, angles, strict=False)))
    for real in ((), (base,), (base, 2 - cos(C))):
        matter = angles_that_matter(base, turning, real)
        assert answer(base, exponent, matter, real, careful=careful) == answer(
            base, exponent, turning, real, careful=careful
        )


@given(st.lists(SPARSE, min_size=3, max_size=6))
def test_in_which_order_they_stand_is_no_matter_where_a_basis_is_among_them(angles):
    base = 1 - sin(A) ** 2 * cos(B) ** 2
    turning = sincos_nodes(base, *map(sin, angles))
    matter = angles_that_matter(base, turning, (base,))
    inner = [node.args[0] for node in matter]
    assume(len(matter) < len(turning) and {*angle_basis(inner)[0]} == {*inner})
    assert angles_that_matter(base, turning[::-1], (base,)) == matter


def test_half_an_angle_makes_a_square_by_way_of_others():
    base = 1 + cos(A)
    turning = sincos_nodes(cos(A), sin(A / 2 + B), sin(B + C), sin(C), sin(D))
    matter = angles_that_matter(base, turning, ())
    beside = answer(base, Fraction(1, 2), turning, (), careful=False)
    assert answer(base, Fraction(1, 2), matter, (), careful=False) == beside
    assert all(D not in postorder([node]) for node in matter)
    # the twin: those alone that have a symbol of the root, without the ones that these are joined to
    own = symbols([base])
    nearest = tuple(node for node in turning if own & symbols([node]))
    assert answer(base, Fraction(1, 2), nearest, (), careful=False) != beside


def test_what_is_no_sum_of_symbols_is_kept():
    """And with it every sum that shares a symbol with it, as 2 b with b + 1/2; a sum apart from all of them goes."""
    kept = sincos_nodes(cos(A), sin(B + Fraction(1, 2)), sin(sqrt(C) * 2), sin(D * U), sin(2 * B))
    apart = sincos_nodes(sin(symbol("e", domain="angle")))
    assert angles_that_matter(1 + cos(A), kept + apart, ()) == kept


def test_where_no_angle_matters_there_are_some_all_the_same():
    turning = sincos_nodes(cos(A), cos(B))
    assert angles_that_matter(1 + LENGTH**2, turning, ()) == turning


def test_the_twin_that_forgets_the_lattice_would_be_seen(monkeypatch):
    """A basis that is chosen anew for all, of short vectors, is no basis of each part: then nothing is left out."""
    base = 1 + cos(A)
    turning = sincos_nodes(cos(A), sin(2 * C), sin(3 * C), sin(D))
    assert len(angles_that_matter.__wrapped__(base, turning, ())) == 1
    real = simplest_roots.angle_basis
    monkeypatch.setattr(simplest_roots, "angle_basis", lambda angles: ([sum(angles[1:], angles[0])], real(angles)[1]))
    assert angles_that_matter.__wrapped__(base, turning, ()) == turning
