"""Faults of the system, one at a time: the n-th file, rename, process or thread that a command asks for is refused.

Each command is tried with n = 1, 2, ... until nothing is left to be refused.
"""

import os
import subprocess
import sys

HOOK = """
import errno, os, sys
_kind, _, _left = os.environ.get("FAULT", "").partition(":")
_kinds = {
    "write": ("open",), "rename": ("os.rename",), "folder": ("os.mkdir",), "remove": ("os.remove", "os.rmdir"),
    "process": ("os.fork", "subprocess.Popen"), "thread": ("thread",),
}
def _refuse(event, given, left=[int(_left or 0)], busy=[]):
    if event not in _events or busy:
        return
    if event == "open":
        path, _, flags = given
        if not isinstance(flags, int) or not flags & (os.O_CREAT | os.O_TRUNC) or isinstance(path, int):
            return
    left[0] -= 1
    if left[0]:
        return
    busy.append(event)
    with open(os.environ["FAULT_SEEN"], "a") as seen:
        seen.write(f"{event} {given[:2]}\\n")
    busy.clear()
    if event == "thread":
        raise RuntimeError("can't start new thread")
    number = errno.EAGAIN if _kind == "process" else errno.ENOSPC
    raise OSError(number, os.strerror(number))
if _kind in _kinds:
    _events = _kinds[_kind]
    sys.addaudithook(_refuse)
    if _kind == "thread":
        import threading
        _begin = threading._start_new_thread
        def _start(*given):
            _refuse("thread", given)
            return _begin(*given)
        threading._start_new_thread = _start
"""
"""What a ``sitecustomize`` does in each process."""
KINDS = ("write", "rename", "folder", "remove", "process", "thread")
LONGEST = 120
"""Seconds after which a command hangs; all of them take a few."""


def ran(words, folder, spies, fault=""):
    """Run a command in a folder; return how it ended, and what was refused."""
    (spies / "sitecustomize.py").write_text(HOOK)
    seen = spies / "seen"
    seen.unlink(missing_ok=True)
    paths = os.pathsep.join([str(spies), os.environ.get("PYTHONPATH", "")])
    told = {"PYTHONPATH": paths, "FAULT": fault, "FAULT_SEEN": str(seen), "DALEMBERT_CACHE": str(spies / "cache")}
    done = subprocess.run(
        [sys.executable, "-m", "dalembert", *words],
        cwd=folder, env=os.environ | told, capture_output=True, text=True, check=False, timeout=LONGEST,
    )  # fmt: skip
    return done, seen.read_text() if seen.exists() else ""
