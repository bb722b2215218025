"""A worker with two tasks more: one that works for nothing, forever, and one that spends all there is."""

from typing import NoReturn

from dalembert.expr.field import tasks, worker


def stall(_roots, _meter) -> NoReturn:
    while True:
        pass


def spend(_roots, meter) -> NoReturn:
    while True:
        meter.charge(1.0)


def main() -> None:
    tasks.stall, tasks.spend = stall, spend
    worker._LEAST_NET = 0.3
    worker.main()
