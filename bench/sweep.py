"""Sweeps at scale: 40,000 two-wheeled robots killed ten times with SIGKILL, and memory beside the size of the data.

``python bench/sweep.py`` prints what was measured; ``--beyond`` sweeps ten times as much data as the process is allowed
to hold, which takes minutes and some gigabytes of disc. ``python bench/sweep.py STORE MEMBERS SAMPLES`` is one sweep in
a process of its own, which says at the end how much memory it took at most.
"""

from __future__ import annotations

import hashlib
import json
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

KILLS = 10
MEMBERS = 40_000
CHUNK = 100
MOST = MEMBERS // CHUNK // (2 * KILLS)
"""So many chunks more are kept at most when the next run is killed: the last of them is not done before."""


def child(store: str, members: int, samples: int) -> None:
    """Sweep, and say what it took."""
    from dalembert import gallery
    from dalembert.analysis.sweep import sweep

    began = time.perf_counter()
    done = sweep(
        gallery.load("two-wheeled-robot"),
        "nonholonomic",
        over=["m=1:4:10", "psi1'~uniform(-1, 1)", "J~normal(1, 0.2)"],
        observables=["x", "y", "energy"] if samples < 3 else ["along(x)", "along(y)", "along(energy)"],
        time=10,
        count=members // 10,
        samples=None if samples < 3 else samples,
        size=CHUNK,
        store=store,
    )
    told = {
        "stored": sum(path.stat().st_size for path in Path(store).rglob("*") if path.is_file()) / 2**20,
        "allocated": allocated(),
        "members": done.members,
        "computed": done.computed,
        "failed": done.failed,
        "seconds": done.seconds,
        "whole": time.perf_counter() - began,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    sys.stdout.write(json.dumps(told))


def allocated() -> float:
    """Return the megabytes that this process has asked for, which is what a limit on its data counts."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmData:")[1].split()[0]) / 1024


def started(
    store: Path, members: int, samples: int = 2, stderr: int | None = None, limit: int | None = None
) -> subprocess.Popen[str]:
    """Return a sweep that has begun in a process of its own; ``limit`` is how many bytes of data it may have."""
    words = [sys.executable, __file__, str(store), str(members), str(samples)]
    cap = None if limit is None else lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=stderr, text=True, preexec_fn=cap)  # noqa: PLW1509


def finished(store: Path, members: int, samples: int = 2, limit: int | None = None) -> dict[str, float]:
    """Return what a sweep says when it is done."""
    shown, _ = started(store, members, samples, limit=limit).communicate()
    told: dict[str, float] = json.loads(shown)
    return told


def fingerprint(store: Path) -> tuple[str, int]:
    """Return a number for all bytes of all files, and how many files there are."""
    digest, count = hashlib.sha256(), 0
    for path in sorted(path for path in store.rglob("*") if path.is_file()):
        digest.update(str(path.relative_to(store)).encode() + path.read_bytes())
        count += 1
    return digest.hexdigest(), count


def kept(store: Path) -> int:
    """Return how many chunks have a status."""
    return sum(1 for path in store.glob("status/c/**/*") if path.is_file())


def kills(folder: Path) -> None:
    """Kill one sweep at random moments, let another be, and compare."""
    process, began = started(folder / "calm.zarr", MEMBERS), time.perf_counter()
    while not kept(folder / "calm.zarr"):
        time.sleep(0.001)
    ready = time.perf_counter() - began
    calm = json.loads(process.communicate()[0])
    print(f"{MEMBERS} members undisturbed: {calm['seconds']:.1f} s, {MEMBERS / calm['seconds']:.0f} per second")
    moments, store, progress = random.Random(7), folder / "killed.zarr", [0]
    for _ in range(KILLS):
        process = started(store, MEMBERS, stderr=subprocess.DEVNULL)
        wanted = progress[-1] + moments.randint(0, MOST)
        while kept(store) < wanted:
            time.sleep(0.0005)
        chunk = calm["seconds"] * CHUNK / MEMBERS
        time.sleep(moments.uniform(0, 2 * chunk if wanted > progress[-1] else ready))
        process.send_signal(signal.SIGKILL)
        if process.wait() != -signal.SIGKILL:
            sys.exit("it was done before it was killed")
        process.communicate()
        progress.append(kept(store))
    last = finished(store, MEMBERS)
    (one, files), (other, _) = fingerprint(folder / "calm.zarr"), fingerprint(store)
    print(f"killed {KILLS} times, with {progress[1:]} chunks kept; the last run computed {last['computed']} members")
    print(f"{files} files, bytes identical: {one == other}")
    if one != other:
        sys.exit(1)


def memory(folder: Path) -> None:
    """Sweep a little and ten times as much, each with more data than the other would like to hold."""
    samples, few = 500, 5000
    small, large = (finished(folder / f"{n}.zarr", n, samples) for n in (few, 10 * few))
    for n, told in ((few, small), (10 * few, large)):
        data = n * samples * 3 * 8 / 2**20
        print(
            f"{n} members, {data:.0f} MB of data: at most {told['megabytes']:.0f} MB of memory, {told['seconds']:.1f} s"
        )
    grown = large["megabytes"] - small["megabytes"]
    print(f"ten times the data took {grown:+.0f} MB")
    if grown > 0.2 * 10 * few * samples * 3 * 8 / 2**20:
        sys.exit(1)


def beyond(folder: Path) -> None:
    """Give a sweep little more memory than a small one has, and ten times as much to compute as that would hold."""
    samples, few = 500, 2000
    small = finished(folder / "small.zarr", few, samples)
    limit = int(small["allocated"] + 64) * 2**20
    many = 10 * limit // (samples * 3 * 8) // 1000 * 1000 + 1000
    data = many * samples * 3 * 8 / 2**20
    told = finished(folder / "large.zarr", many, samples, limit)
    print(f"allowed {limit // 2**20} MB: {many} members, {data:.0f} MB of data ({told['stored']:.0f} MB on disc)")
    print(
        f"at most {told['megabytes']:.0f} MB of memory ({small['megabytes']:.0f} MB for {few}), {told['seconds']:.0f} s"
    )
    if told["computed"] != many or told["failed"]:
        sys.exit(1)


if __name__ == "__main__":
    if sys.argv[1:] == ["--beyond"]:
        with tempfile.TemporaryDirectory() as place:
            beyond(Path(place))
    elif len(sys.argv) > 1:
        child(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    else:
        with tempfile.TemporaryDirectory() as place:
            kills(Path(place))
            memory(Path(place))
