"""Things with many expressions as bytes, for another process of ours: one graph for all of them.

An expression travels by itself with all that is below it. Of many that share their parts each would carry them again.
"""

from __future__ import annotations

import io
import pickle
from typing import Any

from dalembert.expr.graph import Expr
from dalembert.expr.walk import pack, unpack


class _Pickler(pickle.Pickler):
    """Writes the place of an expression among all of them in its stead."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.places: dict[Expr, int] = {}

    def persistent_id(self, obj: Any) -> int | None:
        return self.places.setdefault(obj, len(self.places)) if type(obj) is Expr else None


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, expressions: list[Expr]) -> None:
        super().__init__(file)
        self.expressions = expressions

    def persistent_load(self, pid: int) -> Expr:
        return self.expressions[pid]


def to_bytes(thing: Any) -> bytes:
    """Return a thing with all its expressions as bytes.

    >>> from dalembert.expr import sin, symbol
    >>> x = symbol("x")
    >>> from_bytes(to_bytes({"a": sin(x), "b": [sin(x), x]})) == {"a": sin(x), "b": [sin(x), x]}
    True
    """
    file = io.BytesIO()
    pickler = _Pickler(file)
    pickler.dump(thing)
    return pickle.dumps((file.getvalue(), pack(list(pickler.places))), pickle.HIGHEST_PROTOCOL)


def from_bytes(data: bytes) -> Any:
    """Return the thing; the bytes have to be of a process of ours, for unpickling runs what they say."""
    thing, packed = pickle.loads(data)  # noqa: S301 - from our own processes
    return _Unpickler(io.BytesIO(thing), unpack(packed)).load()
