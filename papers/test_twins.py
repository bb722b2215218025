"""Wrong twins are found, and it is seen whether a test refutes them."""

from importlib.util import module_from_spec, spec_from_file_location

import pytest

from papers.twins import all_tests, digest, outcome, passes, twins

TESTS = """\
import pytest
from dalembert.expr import ONE, ZERO, symbol
from dalembert.expr.text import parse
from papers.exact import differ, same

x, y = symbol("x"), symbol("y")
SKEW, EVEN = [[ZERO, x], [-x, ZERO]], [[ZERO, x], [x, ZERO]]


def helper():
    return x - 2 * y


def test_strong():
    '''x - y.'''
    wrong = x + y
    assert same([helper() + 3 * y], [x + y])
    assert differ([helper()], [wrong - y])


def test_weak():
    assert same([(x + y) * 0], [ZERO])


def test_symmetric():
    i, j = 0, 1
    assert same([SKEW[i][j], EVEN[i][j]], [x, x])


def test_free():
    assert same([(x + y) * 0], [ZERO])  # either way


@pytest.mark.parametrize("one", [ZERO, pytest.param(ONE, id="unit")])
def test_cases(one):
    assert same([one * (x - y)], [one * (x + -y)])


def test_false():
    assert same([x], [y])
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "test_it.py"
    path.write_text(TESTS)
    spec = spec_from_file_location("papers_sample", path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return path, module


def became(file, test):
    path, module = file
    return sorted((twin.function, twin.kind, outcome(module, path, test, twin)) for twin in twins(path, test))


def test_a_twin_is_a_sign_a_factor_a_side_or_two_indices(file):
    assert became(file, "test_strong") == [
        ("helper", "factor", "refuted"),
        ("helper", "sign", "refuted"),
        ("test_strong", "factor", "refuted"),
        ("test_strong", "side", "refuted"),
        ("test_strong", "sign", "refuted"),
        ("test_strong", "sign", "refuted"),
    ]
    assert became(file, "test_symmetric") == [
        ("test_symmetric", "indices", "refuted"),
        ("test_symmetric", "indices", "void"),  # of the symmetric one
        ("test_symmetric", "side", "refuted"),
    ]


def test_a_test_that_does_not_look_is_found_out(file):
    assert ("test_weak", "sign", "alive") in became(file, "test_weak")
    assert ("test_free", "sign", "void") in became(file, "test_free")


def test_every_case_of_a_test_is_asked(file):
    assert [one for *_, one in became(file, "test_cases")] == ["refuted"] * 4


def test_what_fails_as_it_stands_has_no_twins(file):
    path, module = file
    assert [test for test in all_tests(path) if not passes(module, test)] == ["test_false"]


def test_what_is_said_has_a_number(file):
    path, _ = file
    numbers = {test: digest(path, test) for test in all_tests(path)}
    other = path.with_name("test_other.py")
    other.write_text(TESTS.replace("x - 2 * y", "x - 3 * y").replace('"""', "'''"))
    changed = {test for test in all_tests(other) if digest(other, test) != numbers[test]}
    assert changed == {"test_strong"}
