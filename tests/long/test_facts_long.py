"""Every fact of every system of the gallery, decided by the library itself."""

import pytest

from dalembert import gallery
from dalembert.analysis.facts import check_facts

pytestmark = pytest.mark.long


@pytest.mark.parametrize("name", [*gallery.names(), "pendulum:3", "wheeled-snake:2"])
def test_every_fact_is_decided(name: str) -> None:
    claims = check_facts(gallery.load(name))
    assert claims
    assert [claim.name for claim in claims if claim.verdict.holds is not True] == []
