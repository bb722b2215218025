"""The largest exhaustive searches for adjoint symmetries of the rolling disc."""

import pytest

from dalembert import gallery
from dalembert.mechanics.nonholonomic.linear_constraints import derive
from dalembert.mechanics.second_order.field import field_of
from dalembert.mechanics.second_order.search.linear_search import Ansatz
from dalembert.mechanics.second_order.search.symmetries import find_adjoint_symmetries

pytestmark = pytest.mark.long


@pytest.mark.parametrize(
    ("ansatz", "dimension"),
    [
        (Ansatz(0, 2, bare_angles=1), 9),
        (Ansatz(0, 2, harmonics=2, bare_angles=1), 9),
        (Ansatz(1, 2, harmonics=2), 26),
    ],
)
def test_exhaustive_dimensions_of_the_disc(ansatz: Ansatz, dimension: int) -> None:
    found = find_adjoint_symmetries(field_of(derive(gallery.load("vertical-rolling-disc"))), ansatz)
    assert found.dimension == dimension
    assert found.complete.kind == "proved"
