"""The laws on every system of the gallery in every formalism, and on many systems drawn at random."""

import pytest

from dalembert import gallery
from dalembert.testing import check_laws, laws, random_nonholonomic_system, random_system, uncaught

pytestmark = pytest.mark.long
DRAWN = [draw(seed) for draw in (random_system, random_nonholonomic_system) for seed in range(20)]
LOADED = [gallery.load(name) for name in gallery.names()]


@pytest.mark.parametrize("system", [*LOADED, *DRAWN], ids=lambda one: one.name)
def test_a_system_obeys_every_law(system):
    found = {claim.name: claim.verdict for claim in check_laws(system)}
    assert [name for name, verdict in found.items() if verdict.holds is False] == []
    silent = {name for name, verdict in found.items() if verdict.holds is None}
    assert set(uncaught(system)) <= silent


@pytest.mark.parametrize("law", laws("expressions"), ids=lambda law: law.name)
def test_laws_of_expressions_on_many_seeds(law):
    for seed in range(2, 22):
        assert law.claim(seed).verdict.holds is True
        assert law.twin_is_caught(seed)
