"""Every expression in the JSON of every system of the gallery in every formalism, evaluated in 60 digits."""

from collections import Counter

import pytest
from reading_back import read_back

from dalembert import gallery
from dalembert.errors import HypothesisError
from dalembert.mechanics.derivation import derive
from dalembert.mechanics.registry import formalism_names

pytestmark = pytest.mark.long
READ: Counter[str] = Counter()


@pytest.mark.parametrize("name", gallery.names())
def test_no_expression_divides_by_zero(name: str) -> None:
    applied = 0
    for how in formalism_names():
        try:
            result = derive(gallery.load(name), how)
        except HypothesisError:  # the formalism is not for this system
            continue
        found = read_back(result)
        assert (how, found.divided_by_zero, found.without_value) == (how, [], [])
        READ[name] += found.read
        applied += 1
    assert applied


def test_there_was_much_to_read() -> None:
    assert len(READ) == len(gallery.names())
    assert READ.total() > 10_000
