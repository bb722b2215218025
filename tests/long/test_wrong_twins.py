"""Every sign, factor and pair of indices in the tests of the papers is changed once more, and refuted as recorded."""

import pytest

from papers.refuted import count, files, kept
from papers.twins import all_tests


@pytest.mark.parametrize("path", files(), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_twins_of_the_papers_are_refuted(path):
    for test in all_tests(path):
        found, alive = count(path, test)
        assert alive == [], test
        assert found == kept()[path.parent.name, test], test
