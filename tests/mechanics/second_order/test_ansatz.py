"""An ansatz: its size, what lives on the cover, and the exact solution for its constants."""

import pytest
from second_order_fields import DISC, disc, field

from dalembert.errors import ExpressionError
from dalembert.expr import TIME, cos, sin, sqrt, symbol
from dalembert.expr.field import TooLarge
from dalembert.expr.linear.parametric import common_field, relations_with_parameters
from dalembert.expr.truth import is_zero
from dalembert.mechanics.second_order.search.linear_search import Ansatz, relations
from dalembert.mechanics.second_order.search.symmetries import adjoint_claims, find_adjoint_symmetries


@pytest.mark.parametrize(
    "ansatz",
    [Ansatz(0, 0, 0, 0), Ansatz(2, 1, 1, 1), Ansatz(1, 2, 0, 3), Ansatz(2, 1, 2, 1, 2), Ansatz(2, 1, homogeneous=True)],
)
def test_the_size_of_an_ansatz_is_known_beforehand(ansatz: Ansatz) -> None:
    for name in (DISC, "plate-and-ball-chart", "heisenberg"):
        for more in (0, 1):
            functions = ansatz.functions(field(name), more)
            assert len(functions) == len(set(functions)) == ansatz.size(field(name), more)


def test_an_ansatz_that_is_too_large_is_refused_in_a_sentence() -> None:
    with pytest.raises(ExpressionError, match=r"degree 9 in velocities.* unknown constants, more than 4000; lower"):
        find_adjoint_symmetries(field(DISC), Ansatz(9, 9, 9, 9))
    with pytest.raises(ExpressionError, match="120 unknown constants, more than 100"):
        find_adjoint_symmetries(field(DISC), Ansatz(0, 1, most=100))
    with pytest.raises(ExpressionError, match="not be negative"):
        Ansatz(-1)


def test_relations_depend_on_parameters() -> None:
    f = field(DISC)
    columns = [[e] for e in f.rates(disc("x*psi'", "sin(psi)*phi'", "cos(psi)*phi'"))]
    (relation,) = relations(columns).basis
    assert is_zero(relation[1] / relation[0] + disc("R")[0]).holds
    assert relation[2].value == 0


def test_relations_too_large_for_an_exact_solution_are_read_from_numbers_and_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def too_large(*_: object) -> None:
        raise TooLarge("too large.")

    monkeypatch.setattr("dalembert.mechanics.second_order.search.linear_search.relations_with_parameters", too_large)
    f = field(DISC)
    found = find_adjoint_symmetries(f, Ansatz(0, 1))
    assert found.dimension == 4
    assert {v.kind for v in found.verdicts} == {"proved"}
    assert all(adjoint_claims(f, one)[0].verdict.holds for one in found.basis)
    m, x = symbol("m", role="parameter", domain="positive"), symbol("x")
    (relation,) = relations([[x], [m**2 * x / 3]]).basis
    assert is_zero(relation[0] + relation[1] * m**2 / 3).holds
    with pytest.raises(TooLarge, match="give some of them values"):
        relations([[x], [(m + 1) * x]])


def test_a_parameter_inside_a_sine() -> None:
    nu, x, t = symbol("nu", role="parameter", domain="positive"), symbol("x"), symbol(TIME)
    (relation,) = relations([[nu * x * cos(nu * t)], [x * cos(nu * t)], [x * sin(nu * t)]]).basis
    assert is_zero(relation[0] * nu + relation[1]).holds
    assert relation[2].value == 0


def test_special_values_of_parameters_do_not_mislead(monkeypatch: pytest.MonkeyPatch) -> None:
    R, x = symbol("R", role="parameter", domain="positive"), symbol("x")
    values = iter([{R: 2}, {R: 7}])
    monkeypatch.setattr("dalembert.mechanics.second_order.search.linear_search._values", lambda *_: next(values))
    assert relations([[(R - 2) * x]]).basis == []
    always = iter([{R: 2}] * 3)
    monkeypatch.setattr("dalembert.mechanics.second_order.search.linear_search._values", lambda *_: next(always))
    with pytest.raises(ExpressionError, match="do not come from relations for all of them"):
        relations([[(R - 2) * x]])


def test_relations_in_a_common_field_are_those_in_fields_of_their_own() -> None:
    a, b = (symbol(n, role="parameter", domain="positive") for n in "ab")
    x, phi = symbol("x"), symbol("phi", domain="angle")
    parts = [sin(phi) / (a + b * cos(phi)), x / (a + b * cos(phi)), cos(phi) ** 2, sin(phi) ** 2, (a * x) / (1 + x**2)]
    vectors = [[part] for part in (*parts, parts[0] * (a + b), parts[1] / b + parts[4], a - a * parts[2])]
    shared = common_field(vectors, [a, b])
    assert shared is not None
    for some in ([0, 5], [1, 4, 6], [3, 7], [2, 3], [0, 1]):
        chosen = [vectors[j] for j in some]
        alone, together = (relations_with_parameters(chosen, [a, b], one) for one in (None, shared))
        assert alone.basis == together.basis, some
    assert common_field([[sin(a * x)]], [a]) is None
    assert common_field([[sqrt(x)]], [a]) is None
