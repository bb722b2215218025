"""Whatever the system refuses, a command ends in a sentence, what there was is whole, and the next run works."""

import shutil

import pytest
from faults import KINDS, ran

MODEL = """
name = "sled"
lagrangian = "m*(x'^2 + y'^2)/2 + J*theta'^2/2"
[coordinates]
x = "real"
y = "real"
theta = "angle"
[parameters]
m = 1.0
J = 1.0
[constraints]
blade = "x'*sin(theta) = y'*cos(theta)"
[start]
"x'" = 1
"theta'" = 1
[run]
time = 1
formalism = "nonholonomic"
"""
OUTPUTS = {
    "derive": (["derive", "m.toml"], ""),
    "study": (["study", "m.toml", "-o", "r.html"], "r.html"),
    "csv": (["simulate", "m.toml", "-o", "r.csv"], "r.csv"),
    "store": (["simulate", "m.toml", "-o", "r.zarr"], "r.zarr"),
    "sweep": (["sweep", "m.toml", "--over", "m=1,2", "--observe", "energy", "-o", "s.zarr"], "s.zarr"),
}
CASES = {f"{name}-{kind}": (name, kind) for name in OUTPUTS for kind in KINDS if (name, kind) != ("sweep", "thread")}
AT_ONCE = ("derive-process", "derive-thread", "csv-remove")
_MOST = 200


def files(folder):
    """Return all files with their texts, but for those that were not put in their place."""
    parts = [part for part in folder.rglob("*") if part.is_file() and not part.name.startswith(".dalembert-")]
    return {str(part.relative_to(folder)): part.read_bytes() for part in parts}


def sized(told):
    """Return the names of files: two runs of a study differ in the seconds that they took."""
    return {name.split("/")[0] for name in told}


@pytest.mark.thorough(*(case for case in CASES if case not in AT_ONCE))
@pytest.mark.parametrize(("name", "kind"), CASES.values(), ids=CASES)
def test_the_nth_request_is_refused(name, kind, tmp_path):
    folder, spies = tmp_path / "here", tmp_path / "spies"
    folder.mkdir()
    spies.mkdir()
    (folder / "m.toml").write_text(MODEL)
    words, output = OUTPUTS[name]
    first, _ = ran(words, folder, spies)
    assert first.returncode == 0, first.stderr
    before = files(folder)
    for count in range(1, _MOST):
        shutil.rmtree(spies / "cache", ignore_errors=True)
        done, refused = ran(words, folder, spies, f"{kind}:{count}")
        if not refused:
            break
        assert done.returncode in {0, 1, 2}, (count, refused, done.stderr)
        assert "Traceback" not in done.stderr, (count, refused, done.stderr)
        now = files(folder)
        assert now["m.toml"] == MODEL.encode()
        assert not output or sized(before) <= sized(now), (count, refused)
        again, _ = ran(words, folder, spies)
        assert again.returncode == 0, (count, refused, again.stderr)
        assert name != "derive" or again.stdout == first.stdout, (count, refused)
    else:
        pytest.fail("it never ends.")
    assert sized(files(folder)) == sized(before)
