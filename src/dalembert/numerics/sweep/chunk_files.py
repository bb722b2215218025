"""The files in which Zarr keeps the chunks of an array, written as Zarr writes them, byte for byte, and at once.

Zarr hands every chunk through a loop of events and several threads, which takes as long as to compute some thousands of
steps. Its format is plain (Zarr's specification 3: the regular grid, the default encoding of keys, the codecs ``bytes``
and ``zstd``), and so are our arrays; one that is kept in any other way is left to Zarr.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.model.trajectory import Array

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
        path = self.folder.joinpath(*numbers)
        whole = np.full(self.shape, self.fill, dtype=self.kind)
        empty = whole.tobytes()
        whole[tuple(slice(0, length) for length in values.shape)] = values
        data = whole.tobytes()
        if data == empty or (self.fill != self.fill and np.isnan(whole).all()):
            path.unlink(missing_ok=True)
            return
        _put(path, self.compressed(data))


def _put(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{secrets.token_hex(16)}.partial")
    try:
        partial.write_bytes(data)
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
