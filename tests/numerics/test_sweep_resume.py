"""Sweeps that are killed: at any moment, and on any machine, they go on, and the store comes out the same."""

import multiprocessing
import random
import signal
import time
from pathlib import Path

import pytest
import zarr
import zarr.storage._local as local
from sweeping import files_of, slow_sweep, spring, spring_plan

from dalembert.analysis.sweep import plan_of
from dalembert.errors import DalembertError
from dalembert.numerics.sweep import chunk_files, runner
from dalembert.numerics.sweep.chunk import compute_chunk
from dalembert.numerics.sweep.runner import run
from dalembert.numerics.sweep.store import locked

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(
    ["zarr", "dalembert.mechanics.lagrangian.euler_lagrange", "dalembert.numerics.sweep.runner"]
)
SIZE = 2
"""Members of a chunk: 20 chunks."""
KILLS = 4


def committed(store: Path) -> set[int]:
    """Return the first members of the chunks that have a status."""
    if not store.exists():
        return set()
    status = zarr.open_group(store, mode="r")["status"][:].ravel()
    return {k for k in range(0, 40, SIZE) if status[k] >= 0}


@pytest.mark.thorough
def test_killed_at_random_moments_it_goes_on_and_the_store_is_the_same(tmp_path):
    undisturbed = run(spring_plan(size=SIZE), tmp_path / "calm.zarr")
    store, log = tmp_path / "killed.zarr", tmp_path / "log"
    log.touch()
    moments = random.Random(11)
    kept: set[int] = set()
    for turn in range(KILLS + 1):
        before = log.read_text().split()
        pause = 0.15 if turn < KILLS else 0.0  # so slow that it cannot be done before it is killed
        child = PROCESSES.Process(target=slow_sweep, args=(store, log, pause, SIZE))
        child.start()
        if turn < KILLS:
            wanted = len(before) + moments.choice([1, 2, 3])
            while child.is_alive() and len(log.read_text().split()) < wanted:
                time.sleep(0.002)
            time.sleep(moments.uniform(0, 0.1))
            child.kill()
        child.join()
        assert child.exitcode == (-signal.SIGKILL if turn < KILLS else 0)
        assert store.with_name("killed.zarr.lock").exists() == (turn < KILLS)
        computed = [int(line) for line in log.read_text().split()[len(before) :]]
        assert len(set(computed)) == len(computed)
        assert not kept & set(computed), "a chunk that was kept is computed again"
        now = committed(store)
        assert kept <= now, "something that was kept is lost"
        assert now - kept <= set(computed)
        kept = now
    assert len(kept) == 20
    assert files_of(store) == files_of(undisturbed.path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["calm.zarr", "killed.zarr", "log"]


def test_cut_off_at_every_single_write_it_goes_on(tmp_path, monkeypatch):
    plan = plan_of(spring(), ["k=1,2,3,4"], ["energy"], size=2)
    undisturbed = files_of(run(plan, tmp_path / "calm.zarr").path)
    writers = {local: local._put, chunk_files: chunk_files._put}
    left = [0]

    def cut_off_by(writer):
        def cut_off(path, value, **more):
            if left[0] == 0:
                place = Path(path)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.with_suffix(f".{'0' * 32}.partial").write_bytes(b"half")
                raise RuntimeError("cut off")
            left[0] -= 1
            return writers[writer](path, value, **more)

        return cut_off

    def let(write):
        for writer in writers:
            monkeypatch.setattr(writer, "_put", write(writer))

    moments = 0
    for moments in range(100):
        store = tmp_path / f"{moments}.zarr"
        left[0] = moments
        let(cut_off_by)
        try:
            run(plan, store, workers=1)
        except RuntimeError:
            let(writers.get)
            again = run(plan, store, workers=1)
            assert again.counts == {0: 4}
            assert files_of(store) == undisturbed
        else:
            break
    assert moments >= len(undisturbed)
    assert not list(tmp_path.rglob("*.partial"))


@pytest.mark.parametrize("along", [[], ["along(x)"]], ids=["a number each", "many each"])
def test_files_are_what_zarr_would_have_written(along, tmp_path, monkeypatch):
    """Chunks at an edge, those that hold nothing but the fill value, and several computed at once."""
    begun = ["k=1:2:3", "x=-2,-1,1,2,3"]  # sqrt(x) is no number where x is negative
    plan = plan_of(spring(), begun, ["energy", "root: first(sqrt(x))", *along], size=2, samples=4)
    ours = files_of(run(plan, tmp_path / "ours.zarr", workers=1).path)
    monkeypatch.setattr(chunk_files.ChunkFiles, "of", lambda *_: None)
    monkeypatch.setattr(runner, "_MEMBERS", 1)
    assert ours == files_of(run(plan, tmp_path / "zarr.zarr", workers=1).path)
    written = [path for path in ours if path.startswith("root/c/")]
    assert len(written) < len([path for path in ours if path.startswith("energy/c/")])


def test_a_chunk_whose_data_are_there_without_a_status_is_computed_again(tmp_path, monkeypatch):
    store = run(spring_plan(), tmp_path / "a.zarr").path
    whole = files_of(store)
    (store / "status" / "c" / "2" / "1").unlink()
    (store / "energy" / "c" / "2" / "1").write_bytes(whole["energy/c/0/0"])
    computed = []

    def logged(plan, members):
        computed.append(members)
        return compute_chunk(plan, members)

    monkeypatch.setattr(runner, "compute_chunk", logged)
    done = run(spring_plan(), store)
    assert computed == [range(25, 30)]
    assert done.computed == 5
    assert files_of(store) == whole


def test_two_sweeps_on_one_store_are_refused(tmp_path):
    store = tmp_path / "a.zarr"
    with locked(store), pytest.raises(DalembertError) as fault:
        run(spring_plan(), store)
    assert "is being swept by process" in str(fault.value)
    assert "choose another store" in str(fault.value)
    assert not store.exists()
    assert run(spring_plan(), store).computed == 40


def test_the_lock_of_a_dead_process_is_no_lock(tmp_path):
    store = tmp_path / "a.zarr"
    lock = store.with_name("a.zarr.lock")
    lock.write_text("process 1 on another machine")
    assert run(spring_plan(), store).computed == 40
    assert not lock.exists()


def test_a_lock_outlives_a_refusal(tmp_path):
    store = tmp_path / "a.zarr"
    with locked(store):
        for _ in range(2):
            with pytest.raises(DalembertError, match="is being swept"), locked(store):
                pass
    with locked(store):
        pass


def test_an_interrupt_keeps_what_is_done(tmp_path):
    store = tmp_path / "a.zarr"
    undisturbed = files_of(run(spring_plan(), tmp_path / "calm.zarr").path)

    def interrupt(now):
        if now.done >= 15:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(spring_plan(), store, progress=interrupt)
    done = run(spring_plan(), store)
    assert done.computed == 25
    assert files_of(store) == undisturbed
