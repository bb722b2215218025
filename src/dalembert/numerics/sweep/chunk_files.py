"""The files in which Zarr keeps the chunks of an array, written as Zarr writes them, byte for byte, and at once.

Zarr hands every chunk through a loop of events and several threads, which takes as long as to compute some thousands of
steps. Its format is plain (Zarr's specification 3: the regular grid, the default encoding of keys, the codecs ``bytes``
and ``zstd``), and so are our arrays; one that is kept in any other way is left to Zarr.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.model.trajectory import Array
from dalembert.records import dataclass

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_GRID, _KEYS, _BYTES, _ZSTD = "regular", "default", "bytes", "zstd"


@dataclass(frozen=True, eq=False)
class ChunkFiles:
    """Where the chunks of an array are, and how they are written."""

    folder: Path
    shape: tuple[int, ...]
    """Of a chunk; those at an edge are filled up."""
    kind: np.dtype[Any]
    fill: Any
    compressed: Callable[[bytes], bytes]

    @classmethod
    def of(cls, array: Any, folder: Path) -> ChunkFiles | None:
        """Return the files of an array of Zarr in a folder; None where they are of another kind than ours."""
        told = array.metadata.to_dict()
        names = tuple(codec["name"] for codec in told["codecs"])
        keys, grid = told["chunk_key_encoding"], told["chunk_grid"]
        plain = (names, grid["name"], keys["name"]) == ((_BYTES, _ZSTD), _GRID, _KEYS)
        first = told["codecs"][0].get("configuration", {})
        if not plain or first.get("endian", "little") != "little" or keys["configuration"]["separator"] != "/":
            return None
        zstd = import_module("numcodecs.zstd").Zstd(**told["codecs"][1]["configuration"])
        kind = np.dtype(array.dtype).newbyteorder("<")
        return cls(folder / "c", tuple(array.chunks), kind, array.fill_value, zstd.encode)

    def write(self, begin: Sequence[int], values: Array) -> None:
        """Write the chunk that begins at a place, by a rename; where all is the fill value there is no file."""
        numbers = (str(one // part) for one, part in zip(begin, self.shape, strict=True))
        path = "/".join((self._place, *numbers))
        whole, empty = self._empty
        if values.shape != self.shape:
            inner, values = values, whole.copy()
            values[tuple(slice(0, length) for length in inner.shape)] = inner
        data = np.ascontiguousarray(values, dtype=self.kind).tobytes()
        if data == empty or (self.fill != self.fill and np.isnan(values).all()):
            with suppress(FileNotFoundError):
                os.unlink(path)  # noqa: PTH108 - to parse a path takes as long as to write a small file
            return
        _put(path, self.compressed(data))

    @cached_property
    def _place(self) -> str:
        return str(self.folder)

    @cached_property
    def _empty(self) -> tuple[Array, bytes]:
        """A chunk in which nothing is, and its bytes."""
        whole = np.full(self.shape, self.fill, dtype=self.kind)
        return whole, whole.tobytes()


def _put(path: str, data: bytes) -> None:
    partial = f"{path}.{secrets.token_hex(16)}.partial"
    try:
        _write(partial, data)
        os.replace(partial, path)  # noqa: PTH105
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(partial)  # noqa: PTH108
        raise


def _write(path: str, data: bytes) -> None:
    """Write a new file; folders are made where one is missing, for most of them are there."""
    try:
        descriptor = os.open(path, _NEW)
    except FileNotFoundError:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, _NEW)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    finally:
        os.close(descriptor)
