"""What is said of the members of an ensemble: tables with a number for all of them, or an array with one for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from dalembert.errors import ExpressionError, expect
from dalembert.expr.graph import Expr
from dalembert.model.system import System
from dalembert.numerics.specialise import number_of
from dalembert.numerics.start_values import by_parts
from dalembert.records import dataclass


def told_by_parts(starts: Any, system: System | None) -> Any:
    """Return starts in which rotations and directions are said by their parts, for all members or for each."""

    def read(value: Any) -> Any:
        return number_of(value) if isinstance(value, str | Expr) or np.ndim(value) == 0 else np.asarray(value, float)

    if isinstance(starts, Mapping):
        return by_parts(starts, system, read)
    if isinstance(starts, Sequence):
        return [by_parts(one, system, read) if isinstance(one, Mapping) else one for one in starts]
    return starts


@dataclass(frozen=True, slots=True)
class Members:
    """What is said of each member: tables of single values and of arrays."""

    starts: dict[Any, Any]
    values: dict[Any, Any]
    count: int

    @classmethod
    def of(cls, starts: Any, values: Any) -> Members:
        """Read tables, or a list of tables."""
        expect(starts, Mapping | Iterable | None, "the starts of an ensemble must be a table or a list of tables")
        expect(values, Mapping | None, "the values of parameters must be a table by name")
        if starts is not None and not isinstance(starts, Mapping):
            starts = _columns(list(starts))
        tables = {"start": dict(starts or {}), "values": dict(values or {})}
        count = None
        for what, table in tables.items():
            for key, value in table.items():
                if isinstance(value, str | Expr) or np.ndim(value) == 0:
                    continue
                array = table[key] = np.asarray(value, dtype=np.float64)
                if array.ndim != 1:
                    raise ExpressionError(
                        f"the {what} of '{key}' has {array.ndim} dimensions; give one value per member."
                    )
                if count is not None and len(array) != count:
                    raise ExpressionError(
                        f"'{key}' has {len(array)} values and others have {count}; give equally many."
                    )
                count = len(array)
        if count == 0:
            raise ExpressionError("an ensemble needs at least one member.")
        return cls(tables["start"], tables["values"], count or 1)

    def member(self, index: int) -> tuple[dict[Any, Any], dict[Any, Any]]:
        """Return start and values of one member."""
        start, values = ({k: one_of(v, index) for k, v in table.items()} for table in (self.starts, self.values))
        return start, values


def one_of(value: Any, index: int) -> Any:
    """Return what a value is for one member."""
    return float(value[index]) if isinstance(value, np.ndarray) else value


def _columns(tables: list[Mapping[Any, Any]]) -> dict[Any, Any]:
    for table in tables:
        expect(table, Mapping, "the start of a member must be a table of values by name")
    keys = list(dict.fromkeys(key for table in tables for key in table))
    for number, table in enumerate(tables):
        missing = [key for key in keys if key not in table]
        if missing:
            raise ExpressionError(f"the start of member {number} does not say what '{missing[0]}' is, as others do.")
    return {key: np.array([table[key] for table in tables], dtype=np.float64) for key in keys}
