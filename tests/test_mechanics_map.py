"""Where to look: the map at the head of ``mechanics`` names every file, and no file that is not there."""

import re
from fnmatch import fnmatch
from pathlib import Path

from dalembert import mechanics

FILES = {path.stem for path in Path(mechanics.__file__).parent.glob("*.py")} - {"__init__"}
NAMED = set(re.findall(r"``([a-z_*]+)``", mechanics.__doc__.partition("===")[2]))


def test_every_file_is_on_the_map():
    assert {file for file in FILES if not any(fnmatch(file, name) for name in NAMED)} == set()


def test_nothing_else_is():
    assert {name for name in NAMED if not any(fnmatch(file, name) for file in FILES)} == set()
