"""Every report of the gallery: nothing in it is told by its size, the file is small, and its LaTeX is faultless.

What stays longer than three or four screens when it was made short is told with who writes it down.
"""

import re

import pytest
from latex_reader import faults

from dalembert import gallery
from dalembert.studies.studying import study

SIZES = re.compile(
    r"\d+ (?:operations|shared nodes)|too long to be read|too long to be shown(?![^<]*derive [^<]*--json)"
)


@pytest.mark.parametrize("name", gallery.names())
def test_a_report_shows_what_it_has(name):
    found = study(gallery.load(name))
    page = found.to_html()
    assert SIZES.findall(page) == []
    assert len(page.encode()) < 1_500_000
    assert faults(found.to_latex()[0]) == []
