"""Where to look: the map at the head of a large package names every file, and no file that is not there."""

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

from dalembert import mechanics, present


@pytest.mark.parametrize("package", [mechanics, present], ids=lambda package: package.__name__)
def test_every_file_is_on_the_map_and_nothing_else(package):
    files = {path.stem for path in Path(package.__file__).parent.glob("*.py")} - {"__init__"}
    named = set(re.findall(r"``([a-z_*]+)``", package.__doc__.partition("===")[2]))
    assert {file for file in files if not any(fnmatch(file, name) for name in named)} == set()
    assert {name for name in named if not any(fnmatch(file, name) for file in files)} == set()
