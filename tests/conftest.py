"""What all tests share: fixed examples from Hypothesis.

The sweeps in ``long`` and the reports in ``browser`` run only when they are named.
"""

import gc
import os
import shutil
import tempfile

import pytest
from hypothesis import HealthCheck, settings

collect_ignore = ["browser", "long"]

# what the tests make is mostly kept or let go by its count of references: looking for cycles seldom saves 1.5 to 2 %
gc.set_threshold(50_000, 20, 100)

# machine code is kept in a folder of this run, never in the user's own: the processes of the tests share it, and the
# one that made the folder, of which the others inherit the name, removes it
_MINE = "DALEMBERT_TESTS" not in os.environ
if _MINE:
    os.environ["DALEMBERT_CACHE"] = os.environ["DALEMBERT_TESTS"] = tempfile.mkdtemp(prefix="dalembert-tests-")


def pytest_unconfigure() -> None:
    """Remove what was kept while the tests ran."""
    if _MINE:
        shutil.rmtree(os.environ["DALEMBERT_TESTS"], ignore_errors=True)


for profile, examples in (("fixed", 12), ("thorough", 400)):  # the second for `make long`
    settings.register_profile(
        profile,
        derandomize=True,
        database=None,
        deadline=None,
        max_examples=examples,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile("fixed")


def is_thorough(item: pytest.Item) -> bool:
    """Tell whether a test, or this one of its cases, is marked as thorough: ``@pytest.mark.thorough("a case")``."""
    case = getattr(item, "callspec", None)
    return any(not mark.args or case.id in mark.args for mark in item.iter_markers("thorough"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave what is marked as thorough to ``make long``."""
    if config.getoption("--hypothesis-profile") == "thorough":
        return
    left = [item for item in items if is_thorough(item)]
    items[:] = [item for item in items if not is_thorough(item)]
    config.hook.pytest_deselected(items=left)


@pytest.fixture(scope="module", autouse=True)
def _settled_heap() -> None:
    """What earlier modules keep is not looked through again by every collection of garbage in this one."""
    gc.collect()
    gc.freeze()
