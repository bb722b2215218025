"""Trajectories in files: netCDF and Zarr out and in, CSV out. One variable for each name, the rest as attributes."""

from __future__ import annotations

import csv
import io
import json
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.errors import DalembertError, MissingExtra
from dalembert.model.outputs import is_left_over, making, write
from dalembert.model.trajectory import EVENT_KINDS, Trajectory

_KINDS = ("names", "stated", "monitors")
_LONGEST = 60_000
"""An attribute of a netCDF file is no longer than this; more goes into a variable."""


def _xarray(what: str) -> Any:
    return _package("xarray", what)


def _package(name: str, what: str) -> Any:
    """Return an optional package, or say how to get it."""
    try:
        return import_module(name)
    except ImportError:
        said = (
            f"{what} needs the package {name}, which is not installed; install it with: pip install 'dalembert[data]'."
        )
        raise MissingExtra(said) from None


def to_xarray(run: Trajectory) -> Any:
    """Return a dataset over time ``t``; attributes are plain text and numbers, tables among them are JSON."""
    xarray = _xarray("to_xarray")
    variables = {name: ("t", run[name]) for name in (*run.names, *run.stated, *run.monitors)}
    attributes = {key: _plain(value) for key, value in run.provenance.items()}
    return xarray.Dataset(
        variables, coords={"t": run.t}, attrs={**attributes, "status": run.status, "message": run.message}
    )


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float) and not isinstance(value, bool) else json.dumps(value)


def check_target(path: Path) -> None:
    """Refuse a file that no trajectory can go to, which is best known before there is one."""
    match path.suffix.lower():
        case ".nc":
            for package in ("h5netcdf", "h5py", "xarray"):
                _package(package, "writing netCDF")
        case ".zarr":
            for package in ("zarr", "xarray"):
                _package(package, "writing Zarr")
            _check_store(path)
        case ".csv":
            pass
        case other:
            raise DalembertError(f"a trajectory is saved as .nc, .zarr or .csv, not '{other or path.name}'.")


def _check_store(path: Path) -> None:
    """Refuse to replace what is not a trajectory and nothing else: a sweep, or a folder with files of somebody's."""
    if not path.exists():
        return
    try:
        told = json.loads((path / "zarr.json").read_text(encoding="utf-8"))["attributes"]["dalembert"]
        whose = "" if told.startswith("{") else " and is a sweep"
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        whose = " and is no Zarr store of a trajectory"
    if not whose:
        others = [one for one in path.rglob("*") if not one.is_dir() and not _of_zarr(one)]
        whose = f" and holds '{others[0].relative_to(path)}', which is not part of a trajectory" if others else ""
    if whose:
        raise DalembertError(f"'{path}' exists already{whose}; choose another name.")


def _of_zarr(file: Path) -> bool:
    """Say whether a file has a name that Zarr gives: of what it says of arrays, or of a chunk."""
    return file.name in {"zarr.json", "c"} or file.name.isdecimal() or is_left_over(file)


def save(run: Trajectory, path: Path) -> None:
    """Write a trajectory to a file; its ending says how."""
    check_target(path)
    match path.suffix.lower():
        case ".nc":
            # in memory first: HDF5 cannot give up a file that a full disc does not let it close
            write(path, bytes(_dataset(run).to_netcdf(engine="h5netcdf", invalid_netcdf=False)))
        case ".zarr":
            with making(path) as folder, warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Zarr warns of text types whose format may yet change
                _dataset(run).to_zarr(folder, mode="w-", consolidated=False)
        case _:
            write(path, _in_csv(run))


def load(path: Path) -> Trajectory:
    """Return the trajectory of a file."""
    if not path.exists():
        raise DalembertError(f"there is no file '{path}'.")
    xarray = _xarray("reading a trajectory")
    if path.suffix not in {".nc", ".zarr"}:
        raise DalembertError(f"a trajectory is read from .nc or .zarr, not from '{path.suffix or path.name}'.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if path.suffix == ".zarr":
                data = xarray.open_zarr(path, consolidated=False, chunks=None).load()
            else:
                with xarray.open_dataset(path, engine="h5netcdf") as opened:
                    data = opened.load()
    except (OSError, ValueError, KeyError) as fault:
        raise DalembertError(f"'{path}' cannot be read: {fault}") from None
    if "dalembert" not in data.attrs:
        raise DalembertError(f"'{path}' holds no trajectory of dalembert.")
    return _trajectory(data)


def _dataset(run: Trajectory) -> Any:
    """Return all of a trajectory as a dataset with safe names; what they stand for is in one JSON attribute."""
    xarray = _xarray("a file")
    order: dict[str, list[list[str]]] = {}
    variables: dict[str, Any] = {}
    for kind in _KINDS:
        order[kind] = []
        for label in getattr(run, kind):
            name = label.replace("/", "|").strip() or "unnamed"
            name = name if name not in variables else f"{name} ({kind} {len(order[kind])})"
            variables[name] = ("t", run[label])
            order[kind].append([name, label])
    order["events"] = []
    for k, (label, times) in enumerate(run.events.items()):
        order["events"].append([f"event {k}", label])
        variables[f"event {k}"] = (f"n{k}", times)
        if label in run.event_states:
            variables[f"event {k} state"] = (("row", f"n{k}"), run.event_states[label])
        variables[f"event {k} value"] = (f"n{k}", run.event_values[label])
        codes = [EVENT_KINDS.index(kind) for kind in run.event_kinds[label]]
        variables[f"event {k} kind"] = (f"n{k}", np.array(codes, dtype=np.int8), {"meanings": " ".join(EVENT_KINDS)})
    if run.knots.size:
        variables["knots"] = ("knot", run.knots)
    told = json.dumps(dict(run.provenance))
    attributes = {"dalembert": json.dumps(order), "status": run.status, "message": run.message}
    if len(told) < _LONGEST:
        attributes["provenance"] = told
    else:
        variables["provenance"] = ("letter", np.frombuffer(told.encode(), dtype=np.uint8))
    return xarray.Dataset(variables, coords={"t": run.t}, attrs=attributes)


def _trajectory(data: Any) -> Trajectory:
    order = json.loads(data.attrs["dalembert"])
    rows = [data[name].values for name, _ in order["names"]]
    t = np.asarray(data["t"].values, dtype=np.float64)
    told = data.attrs.get("provenance") or bytes(data["provenance"].values.astype(np.uint8)).decode()
    return Trajectory(
        t,
        np.array(rows).reshape(len(rows), t.size),
        tuple(label for _, label in order["names"]),
        int(data.attrs["status"]),
        str(data.attrs["message"]),
        events={label: data[name].values for name, label in order["events"]},
        event_states={
            label: data[f"{name} state"].values for name, label in order["events"] if f"{name} state" in data
        },
        event_kinds={
            label: tuple(EVENT_KINDS[code] for code in data[f"{name} kind"].values)
            for name, label in order["events"]
            if f"{name} kind" in data
        },
        event_values={
            label: data[f"{name} value"].values for name, label in order["events"] if f"{name} value" in data
        },
        stated={label: data[name].values for name, label in order["stated"]},
        monitors={label: data[name].values for name, label in order["monitors"]},
        provenance=json.loads(told),
        knots=data["knots"].values if "knots" in data else np.zeros(0),
    )


def _in_csv(run: Trajectory) -> str:
    labels = ("t", *run.names, *run.stated, *run.monitors)
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(labels)
    writer.writerows(np.column_stack([run[label] for label in labels]).tolist())
    return text.getvalue()
