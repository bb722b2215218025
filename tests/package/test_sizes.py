"""Formulas do not grow unnoticed: operations of every field against the baseline.

Here for all systems in the two formalisms in which a derivation is a matter of a moment, and for a few in the others;
``python bench/sizes.py`` compares all.
"""

import warnings

import pytest

from bench.sizes import as_they_come, baseline, compared, measured
from dalembert import gallery
from dalembert.expr.field import tidy
from dalembert.expr.graph import symbol
from dalembert.mechanics.registry import formalism_names

SOME = {
    "chaplygin": ["chaplygin-sleigh", "heisenberg", "vertical-rolling-disc"],
    "routh": ["heavy-top-chart", "spherical-pendulum"],
    "vakonomic": ["chaplygin-sleigh", "heisenberg", "vertical-rolling-disc"],
    "semisymplectic": ["heisenberg", "vertical-rolling-disc"],
}


@pytest.mark.parametrize("how", formalism_names())
@pytest.mark.thorough("nonholonomic", "reduced", "euler-lagrange")
def test_no_field_has_grown(how: str) -> None:
    names = SOME.get(how, gallery.names())
    now = measured(names, [how])
    grown, said = compared(now, baseline())
    assert sum(len(sizes) for sizes in now.values()) >= (len(names) if how in SOME else 5)
    for line in said:  # worth knowing, and no failure
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.warn(line, stacklevel=1)
    assert grown == []


def test_growth_is_seen_and_what_is_new_is_said() -> None:
    kept = {"disc": {"nonholonomic": 100, "routh": 50}}
    grown, said = compared({"disc": {"nonholonomic": 103, "routh": 49, "chaplygin": 7}, "top": {"routh": 3}}, kept)
    assert grown == ["disc, nonholonomic: 103 operations, 100 before."]
    assert [line.split(":")[0] for line in said] == ["disc, routh", "disc, chaplygin", "top, routh"]
    assert compared({"disc": {"nonholonomic": 102}}, kept) == ([], [])


def test_formulas_are_counted_as_they_come() -> None:
    x, y, z = (symbol(name) for name in "xyz")
    long = x * y + x * z
    with as_they_come():
        assert tidy(long) is long
    assert tidy(long) is not long
