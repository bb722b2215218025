"""Sweeps on a cluster: two workers, one of which is killed; and what a wrong address says."""

import os
import signal

import distributed
import pytest
from sweeping import files_of, spring_plan

from dalembert.errors import DalembertError
from dalembert.numerics.sweep import runner
from dalembert.numerics.sweep.runner import run


@pytest.mark.thorough
def test_a_worker_is_killed_and_the_store_comes_out_the_same(tmp_path):
    plan = spring_plan(size=2)
    undisturbed = run(plan, tmp_path / "calm.zarr")
    told = []
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "silence_logs": 60}
    with distributed.LocalCluster(processes=True, **options) as cluster:
        victim, other = (worker.pid for worker in cluster.workers.values())

        def progress(now):
            told.append(now.done)
            if len(told) == 4:
                os.kill(victim, signal.SIGKILL)

        done = run(plan, tmp_path / "killed.zarr", scheduler=cluster.scheduler_address, progress=progress)
        assert os.kill(other, 0) is None
        assert victim not in [worker.pid for worker in cluster.workers.values()]
    assert told == list(range(0, 41, 2))
    assert (done.computed, done.counts) == (40, {0: 40})
    assert files_of(done.path) == files_of(undisturbed.path)


def test_a_scheduler_that_does_not_answer_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "_PATIENCE", 0.3)
    with pytest.raises(DalembertError, match=r"no Dask scheduler answers at 'tcp://127\.0\.0\.1:1'"):
        run(spring_plan(), tmp_path / "a.zarr", scheduler="tcp://127.0.0.1:1")
    with pytest.raises(DalembertError, match="no Dask scheduler answers at 'somewhere'"):
        run(spring_plan(), tmp_path / "a.zarr", scheduler="somewhere")


def test_there_is_at_least_one_worker(tmp_path):
    with pytest.raises(DalembertError, match="the number of workers must be a whole number from 1 to 1000, not 0"):
        run(spring_plan(), tmp_path / "a.zarr", workers=0)
