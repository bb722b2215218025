"""The tools of docs/comparison.md follow the same motion, so that their times are of the same work."""

import numpy as np
import pytest

from bench import comparison


@pytest.mark.parametrize("system", comparison.SYSTEMS)
def test_all_tools_that_are_installed_end_at_one_place(system):
    told = {tool: comparison.told(system, tool) for tool in comparison.SYSTEMS[system]}
    ends = {tool: np.array(row["end"]) for tool, row in told.items() if isinstance(row, dict)}
    assert {"dalembert", "SymPy LagrangesMethod, SciPy"} <= set(ends), told
    assert not [row for row in told.values() if isinstance(row, str) and row.startswith("failed")], told
    for tool, end in ends.items():
        assert abs(end - ends["dalembert"]).max() < 1e-7, tool
    assert abs(ends["dalembert"]).max() > 1e-2  # the wrong twin, nothing that moves, would agree with itself


def test_the_page_has_every_tool_and_system():
    page = comparison.PAGE.read_text(encoding="utf-8").split(comparison.BEGIN)[1].split(comparison.END)[0]
    for system, tools in comparison.SYSTEMS.items():
        assert f"**{system}**" in page
        assert all(f"| {tool} |" in page for tool in tools)
