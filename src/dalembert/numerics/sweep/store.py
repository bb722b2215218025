"""The store of a sweep: a Zarr group that xarray reads as a dataset, made whole at first and filled chunk by chunk.

Data of a chunk go first, its ``status`` last, each file by a rename: what has a status is complete. What is still to do
has the status -1, which is what an array says where no file is. (Of data the absence of a file says nothing: Zarr
writes none where all values are the fill value.)

One sweep at a time fills a store. The operating system holds the lock on a file beside it, so a process that was killed
leaves nothing to clear up; the file says who it is.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np

from dalembert.errors import DalembertError, MissingExtra
from dalembert.model.outputs import clear, making
from dalembert.numerics.sweep.axes import Axis
from dalembert.numerics.sweep.chunk import MEANINGS, NOT_COMPUTED, Arrays, ready
from dalembert.numerics.sweep.chunk_files import ChunkFiles
from dalembert.numerics.sweep.plan import SAMPLE, TIMES, Plan, equations_from_text, equations_to_text
from dalembert.processes import not_for_forks
from dalembert.records import dataclass, replace

# -- the lock ------------------------------------------------------------------------------------------------
_OURS: Final = re.compile(r"(?:process \d+ on [^\n]*)?")
"""What a lock says; one that was not yet written when its process was killed says nothing."""


@contextmanager
def locked(store: Path) -> Iterator[None]:
    """Hold a store, or refuse where somebody else does."""
    place = Path(os.path.realpath(store))  # one lock, whatever the store is called
    path = place.with_name(f"{place.name}.lock")
    file = _held(path, store)
    try:
        yield
    finally:
        # removed while it is still held: whoever opened it meanwhile sees that the name stands for no file any more
        with suppress(OSError):
            path.unlink()
        file.close()


def _held(path: Path, store: Path) -> Any:
    while True:
        _refuse_foreign(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = path.open("a+", encoding="utf-8")
            not_for_forks(file)  # which would hold the lock when we are gone
        except OSError as fault:
            raise DalembertError(f"'{store}' cannot be written to: {fault.strerror}.") from None
        if not _taken(file):
            file.seek(0)
            who = file.read().strip() or "another process"
            file.close()
            raise DalembertError(f"'{store}' is being swept by {who}; wait until it is done, or choose another store.")
        try:
            same = os.path.samestat(os.fstat(file.fileno()), path.stat())
        except FileNotFoundError:
            same = False
        if same:
            file.truncate(0)
            file.write(f"process {os.getpid()} on {socket.gethostname()}")
            file.flush()
            return file
        file.close()  # it was removed by the one who held it; begin again with a new one


def _refuse_foreign(path: Path) -> None:
    """Refuse a file of somebody else's by the name of the lock, for the lock is removed in the end."""
    if not os.path.lexists(path):
        return
    try:
        with path.open(encoding="utf-8") as file:
            ours = not path.is_symlink() and _OURS.fullmatch(file.read(1000)) is not None
    except FileNotFoundError:  # removed meanwhile, or a link to nothing
        ours = not path.is_symlink()
    except (OSError, ValueError):
        ours = False
    if not ours:
        raise DalembertError(f"'{path}' is in the way and was not made by dalembert; move it, or choose another name.")


def _taken(file: Any) -> bool:
    """Lock a file, and say whether that worked."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        try:
            file.seek(1 << 20)  # beyond what is written, for a locked range cannot be read
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


# -- the store -----------------------------------------------------------------------------------------------
_FORMAT: Final = "sweep 1"
_HALF_WRITTEN: Final = re.compile(r".+\.[0-9a-f]{32}\.partial")
"""What Zarr calls a file that it has not yet renamed."""
_PORTION: Final = 1 << 16
"""How many entries of an axis, or how many states, are looked at together."""


def need(package: str, what: str) -> Any:
    """Return an optional package, or say how to get it."""
    try:
        return import_module(package)
    except ImportError:
        how = "install it with: pip install 'dalembert[sweep]'."
        raise MissingExtra(f"{what} needs the package {package}, which is not installed; {how}") from None


@dataclass(frozen=True, eq=False)
class Store:
    """An open store, and the plan that fills it, with the equations that the store was begun with."""

    path: Path
    plan: Plan
    arrays: Mapping[str, Any]
    """``status``, ``reached`` and the observables."""
    files: Mapping[str, ChunkFiles | None]
    """Those of each array; None where Zarr has to write them."""

    def to_do(self) -> Iterator[int]:
        """Run through the chunks that have no status yet; a few states are held at a time."""
        status, plan = self.arrays["status"], self.plan
        for chunk in range(plan.chunks):
            corner = tuple(part.start for part in plan.place(chunk))
            there = os.path.exists(self._file(corner))  # noqa: PTH110 - to parse paths takes longer than to look
            if not there or int(status[corner]) == NOT_COMPUTED:
                yield chunk

    def _file(self, corner: tuple[int, ...]) -> str:
        """Return where Zarr keeps the states of a chunk: to see that a file is not there is quicker than to read it."""
        names = (str(begin // part) for begin, part in zip(corner, self.plan.block, strict=True))
        return "/".join((str(self.path), "status", "c", *names))

    def commit(self, chunk: int, found: Arrays) -> None:
        """Keep what was computed of a chunk: the data, then the status."""
        place = self.plan.place(chunk)
        shape = tuple(part.stop - part.start for part in place)
        try:
            for name in (*(name for name in self.arrays if name != "status"), "status"):
                values, files = np.asarray(found[name]), self.files[name]
                values = values.reshape((*shape, *values.shape[1:]))
                if files is None:
                    self.arrays[name][place] = values
                else:
                    files.write([*(part.start for part in place), *(0 for _ in values.shape[len(place) :])], values)
        except OSError as fault:
            raise DalembertError(
                f"'{self.path}' cannot be written to: {fault.strerror}; what was written before is kept."
            ) from None

    def counts(self) -> dict[int, int]:
        """Return how many members have each status."""
        counted: Counter[int] = Counter()
        status, first = self.arrays["status"], self.plan.shape[0]
        rows = max(1, _PORTION * first // max(1, self.plan.members))
        rows = -(-rows // self.plan.block[0]) * self.plan.block[0]
        for begin in range(0, first, rows):
            codes, numbers = np.unique(np.asarray(status[begin : begin + rows]), return_counts=True)
            counted.update(dict(zip(codes.tolist(), numbers.tolist(), strict=True)))
        return dict(sorted(counted.items()))


def open_store(path: Path, plan: Plan) -> Store:
    """Return the store of a plan, made where there is none; one with another plan is refused.

    Call it with the store locked: what a process that was killed left half written is removed.
    """
    zarr = need("zarr", "a sweep")
    clear(path)
    if not path.exists():
        with making(path) as folder:
            try:
                _make(zarr, folder, plan)
            except BaseException:
                _settle()
                raise
    else:
        plan = _same(path, plan)
        for left in path.rglob("*.partial"):
            if _HALF_WRITTEN.fullmatch(left.name):
                left.unlink()
    group = zarr.open_group(path, mode="r+", use_consolidated=False)
    names = ("status", "reached", *(one.name for one in plan.observables))
    arrays = {name: group[name] for name in names}
    return Store(path, plan, arrays, {name: ChunkFiles.of(array, path / name) for name, array in arrays.items()})


def attributes_of(path: Path) -> dict[str, Any]:
    """Return what a store says of itself, or refuse what is no store of a sweep."""
    try:
        told: dict[str, Any] = json.loads((path / "zarr.json").read_text(encoding="utf-8"))["attributes"]
        begun = told["dalembert"]
    except (OSError, ValueError, KeyError, TypeError):
        raise DalembertError(f"'{path}' is not the store of a sweep; choose another name.") from None
    if begun != _FORMAT:
        raise DalembertError(f"'{path}' is a store of another kind ({begun}); choose another name.")
    return told


def _same(path: Path, plan: Plan) -> Plan:
    """Return the plan with the equations of a store, or refuse a store that was begun with another plan."""
    told = attributes_of(path)
    for key, mine in plan.told.items():
        if told.get(key) != mine:
            there, here = (str(value) if len(str(value)) <= 60 else "..." for value in (told.get(key), mine))
            raise DalembertError(
                f"'{path}' was begun with another plan, whose {key} is {there} and here {here}; "
                "go on with the same plan, or choose another name."
            )
    own = plan.source.equations  # what is no formula is not in the store
    equations = replace(
        equations_from_text(told["equations"]),
        pivots=own.pivots,
        initial_state=own.initial_state,
        saddle_form=own.saddle_form,
        elsewhere=own.elsewhere,
    )
    return replace(plan, source=replace(plan.source, equations=equations))


# -- making it -----------------------------------------------------------------------------------------------
def _settle() -> None:
    """Wait for what zarr still writes beside a write that failed: it would bring back a folder that is removed."""
    from zarr.core.sync import sync

    async def rest() -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*others, return_exceptions=True)

    sync(rest())


def _make(zarr: Any, path: Path, plan: Plan) -> None:
    """Write an empty store."""
    attributes = {"dalembert": _FORMAT, **plan.told, "equations": equations_to_text(plan.source.equations)}
    drawn = " ".join(axis.name for axis in plan.axes if axis.sampled and " " not in axis.name)
    group = zarr.create_group(path, attributes={**attributes, "coordinates": drawn} if drawn else attributes)
    for axis in plan.axes:
        _make_axis(group, axis, plan)
    if plan.samples is not None and any(one.reduction == "along" for one in plan.observables):
        _make_times(group, plan)
    where = {"shape": plan.shape, "chunks": plan.block, "dimension_names": plan.dimensions}
    status = {
        "long_name": "how the motion of each member ended",
        "flag_values": list(MEANINGS),
        "flag_meanings": json.dumps({str(code): said for code, said in MEANINGS.items()}),
    }
    group.create_array("status", **where, dtype="int8", fill_value=NOT_COMPUTED, attributes=status)
    _data(group, "reached", where, {"long_name": "time that was reached"})
    for one in plan.observables:
        its = dict(where)
        if one.reduction == "along":
            its["shape"], its["chunks"] = (*plan.shape, plan.samples), (*plan.block, plan.samples)
            its["dimension_names"] = (*plan.dimensions, TIMES)
        _data(group, one.name, its, {"long_name": one.meaning, "text": one.text})


def _data(group: Any, name: str, where: Mapping[str, Any], attributes: Mapping[str, str]) -> None:
    group.create_array(name, **where, dtype="float64", fill_value=float("nan"), attributes=dict(attributes))


def _make_axis(group: Any, axis: Axis, plan: Plan) -> None:
    what = "parameter" if axis.name in ready(plan).parameters else "start value"
    attributes = {"long_name": f"{what} {axis.name}", "text": axis.text, "role": what}
    size = (plan.count or 0) if axis.sampled else len(axis.values)
    where = {"shape": (size,), "chunks": (min(size, _PORTION),)}
    _data(group, axis.name, {**where, "dimension_names": (SAMPLE if axis.sampled else axis.name,)}, attributes)
    for begin in range(0, size, _PORTION):
        end = min(size, begin + _PORTION)
        group[axis.name][begin:end] = axis.draw(plan.seed, begin, end) if axis.sampled else axis.values[begin:end]


def _make_times(group: Any, plan: Plan) -> None:
    begin, end = plan.time
    assert plan.samples is not None
    where = {"shape": (plan.samples,), "chunks": (plan.samples,), "dimension_names": (TIMES,)}
    _data(group, TIMES, where, {"long_name": "time"})
    group[TIMES][:] = np.linspace(begin, end, plan.samples)
