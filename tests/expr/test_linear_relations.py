"""Relations with constant coefficients: known dimensions, exact coefficients, and wrong twins that are refused."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product as grid
from random import Random

import pytest

from dalembert.errors import ExpressionError
from dalembert.expr import (
    ONE,
    ZERO,
    Expr,
    Function,
    cos,
    diff,
    exp,
    jet,
    log,
    number,
    product,
    sin,
    solve,
    sqrt,
    symbol,
    tan,
    tanh,
    total,
)
from dalembert.expr.linear import constant_null_space
from dalembert.expr.linear.constants import Sampler
from dalembert.expr.linear.lanes import Lanes
from dalembert.expr.truth import is_zero
from dalembert.expr.truth.modular import Modular, Plan, prime_for, random_prime


def positive(name: str) -> Expr:
    return symbol(name, role="parameter", domain="positive")


x, y, z = symbol("x"), symbol("y"), symbol("z")
a, th, ph = (symbol(n, domain="angle") for n in ("a", "th", "ph"))
m, k = positive("m"), positive("k")
f, g = Function("f", 1), Function("g", 2)


def monomials(variables: Sequence[Expr], degree: int, lowest: int = 0) -> list[Expr]:
    powers = [p for p in grid(range(degree + 1), repeat=len(variables)) if lowest <= sum(p) <= degree]
    return [product([(v, e) for v, e in zip(variables, p, strict=True) if e]) for p in powers]


def combination(relation: Sequence[Expr | int], columns: Sequence[Expr]) -> Expr:
    return total([(1, ONE * c * e) for c, e in zip(relation, columns, strict=True)])


# -- numbers -----------------------------------------------------------------------------------------------------
def test_relations_between_sines_and_cosines() -> None:
    columns = [ONE, sin(a) ** 2, cos(a) ** 2, sin(2 * a), sin(a) * cos(a)]
    found = constant_null_space(columns, effort=5)
    assert found.basis == [[-1, 1, 1, 0, 0], [0, 0, 0, -1, 2]]
    assert found.dimension == 2
    assert [v.kind for v in found.verdicts] == ["proved", "proved"]
    assert found.error_bits is None
    assert found.complete.kind == "proved"
    assert found.samples >= len(columns) + 20
    for relation in found.basis:
        assert is_zero(combination(relation, columns)).holds is True
        for place in range(len(columns)):
            perturbed = [c + (j == place) for j, c in enumerate(relation)]
            assert is_zero(combination(perturbed, columns)).holds is False


def test_relations_between_polynomials() -> None:
    cubes = [(x + y) ** 3, *monomials([x, y], 3, lowest=3), (x - y) ** 3]
    found = constant_null_space(cubes)
    assert found.dimension == 2
    assert all(v.kind == "certain" for v in found.verdicts)
    assert found.error_bits is not None
    assert found.error_bits < -150
    assert constant_null_space(monomials([x, y, z], 5)).dimension == 0
    assert constant_null_space([x, y, ZERO, 2 * x]).basis == [[0, 0, 1, 0], [-2, 0, 0, 1]]
    assert constant_null_space([x, 2 * x], []).basis == [[number(-2), ONE]]


def test_long_coefficients_take_several_primes() -> None:
    long = Fraction(10**60 + 7, 3**70)
    columns = [x, y, long * x + y / 10**25]
    found = constant_null_space(columns, seed=1)
    assert found.primes > 8
    assert is_zero(combination(found.basis[0], columns)).holds is True
    assert Fraction(-found.basis[0][0], found.basis[0][2]) == long


def test_a_coefficient_that_is_the_sine_of_a_number_is_noticed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    echelon = Sampler.echelon

    def counted(self: Sampler, prime: int) -> object:
        read.append(prime)
        return echelon(self, prime)

    monkeypatch.setattr(Sampler, "echelon", counted)
    with pytest.raises(ExpressionError, match="functions of constants"):
        constant_null_space([x, x * sin(number(37)), x**2])
    assert len(read) <= 4  # a residue is a small fraction by chance; without the second look it is 60
    with pytest.raises(ExpressionError, match="functions of constants"):
        Sampler([[x], [x * jet(f, [number(2)])]], Random(1)).null_space()
    # beside such constants, and with long coefficients, fractions stay what they are
    long = 3**200
    assert constant_null_space([x * sin(number(37)), long * x * sin(number(37))]).basis == [[-long, 1]]
    read.clear()
    constant_null_space([x, long * x])
    assert len(set(read)) == len(read)  # nothing is read twice modulo one prime where there are none


def test_the_same_component_many_times_is_no_information() -> None:
    """Fewer points than unknowns seem to be enough for vectors; they are not, and that is noticed."""
    columns = [[n, n, 2 * n, ZERO, n * x] for n in monomials([x, y], 6)]
    assert constant_null_space(columns, seed=2).dimension == 0
    twice = [*columns, [3 * e for e in columns[5]]]
    assert constant_null_space(twice, seed=2).dimension == 1


def killing(variables: Sequence[Expr], metric: Sequence[Sequence[Expr]], functions: Sequence[Expr]) -> list[list[Expr]]:
    """The Lie derivatives of a metric along the fields made of some functions, one column for each."""
    size = range(len(variables))
    pairs = [(p, q) for p in size for q in size if p <= q]
    return [
        [
            u * diff(metric[p][q], variables[i])
            + metric[i][q] * diff(u, variables[p])
            + metric[p][i] * diff(u, variables[q])
            for p, q in pairs
        ]
        for i in size
        for u in functions
    ]


FLAT = [[ONE, ZERO], [ZERO, ONE]]
ROUND = [[ONE, ZERO], [ZERO, sin(th) ** 2]]
WAVES = [w * v for w in (ONE, cos(th) / sin(th), sin(th)) for v in (ONE, sin(ph), cos(ph))]


def test_killing_fields() -> None:
    assert constant_null_space(killing([x, y], FLAT, monomials([x, y], 3))).dimension == 3
    space = [[ONE if i == j else ZERO for j in range(3)] for i in range(3)]
    assert constant_null_space(killing([x, y, z], space, monomials([x, y, z], 2))).dimension == 6
    sphere = constant_null_space(killing([th, ph], ROUND, WAVES))
    assert sphere.dimension == 3
    assert sphere.complete.kind == "proved"
    ellipsoid = [[1 + cos(th) ** 2, ZERO], [ZERO, sin(th) ** 2]]
    assert constant_null_space(killing([th, ph], ellipsoid, WAVES)).dimension == 1
    revolution = [[ONE, ZERO], [ZERO, jet(f, (x,)) ** 2]]
    assert constant_null_space(killing([x, y], revolution, monomials([x, y], 2))).dimension == 1
    hyperbolic = [[1 / y**2, ZERO], [ZERO, 1 / y**2]]
    assert constant_null_space(killing([x, y], hyperbolic, monomials([x, y], 2))).dimension == 3


def test_roots_logarithms_and_exponentials_are_read_slowly_but_read() -> None:
    u, v = symbol("u", domain="positive"), symbol("v", domain="positive")
    columns = [exp(x), exp(x + log(u)) / u, sqrt(1 + x**2), (1 + x**2) / sqrt(1 + x**2), log(u * v), log(u), log(v), v]
    found = constant_null_space(columns)
    assert found.basis == [[-1, 1, 0, 0, 0, 0, 0, 0], [0, 0, -1, 1, 0, 0, 0, 0], [0, 0, 0, 0, -1, 1, 1, 0]]
    assert found.complete.kind == "undecided"


def test_unspecified_functions_and_solve_nodes() -> None:
    s = solve([[2 + x, y], [y, 3]], [1, x])
    columns = [jet(f, (x,)), jet(f, ((x + 1) ** 2 - x**2 - x - 1,)), jet(f, (y,)), (2 + x) * s[0], y * s[1], ONE]
    found = constant_null_space(columns)
    assert found.basis == [[-1, 1, 0, 0, 0, 0], [0, 0, 0, 1, 1, -1]]
    assert constant_null_space([jet(g, (x, y)), jet(g, (y, x)), jet(g, (x, y), (1,))]).dimension == 0


def test_a_few_hundred_unknowns() -> None:
    draw = Random(9)
    columns = [u * w for u in monomials([x, y, z], 5) for w in (sin(a), cos(a), tan(a))]
    columns += [total([(draw.randint(1, 9), draw.choice(columns)) for _ in range(5)]) for _ in range(20)]
    found = constant_null_space(columns)
    assert len(columns) == 188
    assert found.dimension == 20
    assert all(v.holds for v in found.verdicts)


def test_faults_are_named() -> None:
    with pytest.raises(ExpressionError, match="same length"):
        constant_null_space([[x, y], [x]])
    with pytest.raises(ExpressionError, match="at least one"):
        constant_null_space([])
    with pytest.raises(ExpressionError, match="denominator"):
        constant_null_space([x, 1 / (sin(a) ** 2 + cos(a) ** 2 - 1)])


# -- parameters --------------------------------------------------------------------------------------------------
def test_the_integrals_of_a_free_rigid_body() -> None:
    """Energy and angular momentum squared, and nothing else of second degree."""
    inertia = [positive(f"I{i}") for i in (1, 2, 3)]
    w = [symbol(f"w{i}") for i in (1, 2, 3)]
    rates = [
        (inertia[(i + 1) % 3] - inertia[(i + 2) % 3]) * w[(i + 1) % 3] * w[(i + 2) % 3] / inertia[i] for i in range(3)
    ]
    squares = monomials(w, 2, lowest=2)
    columns = [total([(1, diff(q, v) * r) for v, r in zip(w, rates, strict=True)]) for q in squares]
    found = constant_null_space(columns, inertia)
    assert found.dimension == 2
    assert [v.kind for v in found.verdicts] == ["proved", "proved"]
    assert found.complete.kind == "proved"
    for relation in found.basis:
        assert is_zero(combination(relation, columns)).holds is True
        assert is_zero(combination([c + 1 for c in relation], columns)).holds is False
    energy = total([(1, i * v**2) for i, v in zip(inertia, w, strict=True)])
    both = [combination(relation, squares) for relation in found.basis]
    assert constant_null_space([*both, energy], inertia).dimension == 1
    assert constant_null_space([*both, w[0] ** 2], inertia).dimension == 0
    assert constant_null_space(columns).dimension == 0


def test_the_runge_lenz_vector_has_the_strength_of_the_force_in_it() -> None:
    vx, vy = x.dot, y.dot
    r = sqrt(x**2 + y**2)
    ansatz = [x * vy**2, y * vx * vy, x / r, x * vx**2, y / r]
    columns = [
        diff(q, x) * vx + diff(q, y) * vy - (diff(q, vx) * x + diff(q, vy) * y) * k / r**3 for q in ansatz
    ]  # fmt: skip
    found = constant_null_space(columns, [k])
    assert found.basis == [[-ONE, ONE, k, ZERO, ZERO]]
    assert constant_null_space(columns).dimension == 0
    assert constant_null_space([*columns[:2], k * columns[2], *columns[3:]]).basis == [[-1, 1, 1, 0, 0]]


def test_an_oscillator_of_higher_degree() -> None:
    """Ten pivots and more: solved by elimination. Integrals of degree 4 are products of the four of degree 2."""
    vx, vy = x.dot, y.dot
    ansatz = monomials([x, y, vx, vy], 4, lowest=4)
    columns = [diff(q, x) * vx + diff(q, y) * vy - (diff(q, vx) * x + diff(q, vy) * y) * k / m for q in ansatz]
    found = constant_null_space(columns, [m, k])
    assert found.dimension == 9
    assert all(is_zero(combination(relation, columns)).holds is True for relation in found.basis)


def test_a_parameter_must_occur_rationally() -> None:
    with pytest.raises(ExpressionError, match=r"'m' occurs in .* give the parameter a value"):
        constant_null_space([sin(m * x), cos(m * x)], [m])
    with pytest.raises(ExpressionError, match=r"'m' occurs in .* a name of its own"):
        constant_null_space([sin(m) * x, cos(m) * x], [m])


# -- many points at once -----------------------------------------------------------------------------------------
EXPRESSIONS = [
    (x + y) ** 3 / (1 + x * y) - z / 7,
    sin(2 * a + th / 3) * cos(th) - tan(a),
    solve([[x, 1, 0], [0, y, 2], [3, 0, z]], [1, a, 2])[1],
    jet(g, (x**2, sin(a))) * x,
]
IDENTITIES = [
    sin(a + th) - sin(a) * cos(th) - cos(a) * sin(th),
    cos(a / 2) ** 2 - (1 + cos(a)) / 2,
    sin(-3 * a) + 3 * sin(a) - 4 * sin(a) ** 3,
    (x + y) ** 2 - x**2 - 2 * x * y - y**2,
    x * solve([[x, y], [y, 2]], [1, 0])[0] + y * solve([[x, y], [y, 2]], [1, 0])[1] - 1,
    jet(g, ((x + 1) ** 2, y)) - jet(g, (x**2 + 2 * x + 1, y)),
    diff(jet(f, (jet(f, (x,)),)), x) - jet(f, (jet(f, (x,)),), (1,)) * jet(f, (x,), (1,)),
    x**-3 * x**3 - 1,
]


def test_roots_of_sums_may_have_parameters_in_them() -> None:
    """On a paraboloid z = k x^2 + m y^2 all velocities have the root of 1 + 4 k^2 x^2 + 4 m^2 y^2 below."""
    root = sqrt(1 + 4 * k**2 * x**2 + 4 * m**2 * y**2)
    columns = [1 / root, x**2 / root, y**2 / root, root, root**3, ONE, x**2, y**2]
    found = constant_null_space(columns, [k, m])
    assert len(found.basis) == 1
    (relation,) = found.basis
    assert is_zero(combination(relation, columns)).kind == "certain"
    assert [
        is_zero(c / relation[0] - e).holds for c, e in zip(relation, [1, 4 * k**2, 4 * m**2, -1], strict=False)
    ] == [True] * 4
    assert constant_null_space([root, *columns[5:]], [k, m]).basis == []
    conjugates = [1 / (1 + root), 1 / (1 - root), 1 / (x**2 * k**2 + y**2 * m**2)]
    assert len(constant_null_space(conjugates, [k, m]).basis) == 1
    assert constant_null_space([*conjugates[:2], 1 / (x**2 * k**2 - y**2 * m**2)], [k, m]).basis == []


def test_lanes_read_what_modular_reads() -> None:
    """Identities are zero at every point, other things at none, as in the reader for one point."""
    draw = Random(4)
    plan = Plan.of(EXPRESSIONS + IDENTITIES)
    prime = random_prime(draw, 31)
    values = Lanes(prime, 50, draw, plan).read(EXPRESSIONS + IDENTITIES)
    assert values.shape == (50, len(EXPRESSIONS) + len(IDENTITIES))
    assert (values < prime).all()
    assert not values[:, len(EXPRESSIONS) :].any()
    assert values[:, : len(EXPRESSIONS)].all()
    one = Modular(prime, draw, plan).read(EXPRESSIONS + IDENTITIES)
    assert all(one[: len(EXPRESSIONS)])
    assert not any(one[len(EXPRESSIONS) :])


ROOTED = [
    sqrt(x**2 + y) * sqrt(z) - x,
    exp(x / 3) * log(1 + x**2) + 2,
    (1 + x**2) ** Fraction(2, 3) - z,
    tanh(x) * sqrt(1 + sqrt(1 + z**2)),
]
ROOT_IDENTITIES = [
    sqrt(x**2 + y) ** 3 - (x**2 + y) * sqrt(x**2 + y),
    1 / sqrt(z) - sqrt(z) / z,
    exp(x + y) - exp(x) * exp(y),
    exp(-2 * x) * exp(x / 2) ** 4 - 1,
    log(exp(x)) - x,
    (1 + x**2) ** Fraction(1, 3) * (1 + x**2) ** Fraction(2, 3) - 1 - x**2,
    tanh((x + 1) ** 2) - tanh(x**2 + 2 * x + 1),
    diff(sqrt(1 + sqrt(1 + z**2)), z) * 2 * sqrt(1 + sqrt(1 + z**2)) - z / sqrt(1 + z**2),
]


def test_lanes_read_roots_and_exponentials() -> None:
    """The same of what is more than rational; with the other sign nothing is an identity."""
    draw = Random(5)
    wrong = [ROOT_IDENTITIES[0] + 2 * x, exp(x - y) - exp(x) * exp(y), 1 / sqrt(z) + sqrt(z) / z]
    several = ROOTED + wrong + ROOT_IDENTITIES
    plan = Plan.of(several)
    prime = prime_for(plan, draw, 31)
    values = Lanes(prime, 50, draw, plan).read(several)
    assert 40 <= len(values) <= 50
    other = len(ROOTED) + len(wrong)
    assert not values[:, other:].any()
    assert values[:, :other].all()


def test_lanes_leave_out_points_with_a_pole() -> None:
    """Modulo 3 and 7 many denominators vanish: those points go, the others stay right."""
    pole = 1 / ((x - 1) * (x - 2) * (y - 1)) + number(Fraction(1, 2))
    for prime in (3, 7, 11):
        values = Lanes(prime, 200, Random(prime), Plan.of([pole])).read([pole, x, y])
        assert len(values) < 200
        for value, u, v in values.tolist():
            below = (u - 1) * (u - 2) * (v - 1) % prime
            assert below
            assert (value * 2 - 1) * below % prime == 2 % prime


def test_relations_beside_roots_of_constants() -> None:
    """A prime without the root of a constant has no points; the twin has no rational relation."""
    x, y = symbol("x"), symbol("y")
    nested = sqrt(number(Fraction(5, 8)) + sqrt(number(5)) / 8)
    for seed in range(6):
        found = constant_null_space([x, nested * y, 2 * x + 3 * nested * y], seed=seed)
        assert found.basis in ([[2, 3, -1]], [[-2, -3, 1]])
    with pytest.raises(
        ExpressionError, match="is not a fraction of at most 252 bits, because roots of constants occur"
    ):
        constant_null_space([x, nested * x])
