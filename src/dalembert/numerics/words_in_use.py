"""What names mean in equations with values: made once for the same values, and kept as long as the equations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dalembert.model.equations import Equations
from dalembert.model.kept import Kept
from dalembert.model.system import System
from dalembert.model.trajectory import Array
from dalembert.numerics.specialise import Definitions, Plain, with_values, without_functions
from dalembert.numerics.wording import NameResolver

_KEPT = Kept()


def wording_of(
    equations: Equations,
    system: System | None,
    values: Mapping[Any, Any] | None = None,
    functions: Mapping[Any, Any] | None = None,
) -> tuple[NameResolver, Array, Definitions]:
    """Return what names mean in equations with values, the values of their parameters, and those of functions.

    What depends on no value is made once for the same equations, and kept as long as these.
    """
    kept = _KEPT(equations)
    said = said_of(functions)
    key = None if said is None else (id(system), said)

    def make() -> tuple[System | None, Plain]:
        return system, without_functions(equations, system, functions)

    # a system with the same id is the same one, for the shelf holds on to it
    plain: Plain = make()[1] if key is None else kept(("plain", key), make)[1]
    numbers = plain.numbers(values or {})

    def word() -> NameResolver:
        return NameResolver(with_values(plain.equations, numbers), system, tuple(plain.definitions.items()))

    words: NameResolver = word() if key is None else kept(("words", key, tuple(numbers)), word)
    return words, np.array(list(numbers.values()), dtype=np.float64), plain.definitions


def said_of(table: Mapping[Any, Any] | None) -> tuple[Any, ...] | None:
    """Return what is said by name as a key; None where that cannot be compared."""
    said = tuple((key, tuple(v) if isinstance(v, list) else v) for key, v in (table or {}).items())
    try:
        hash(said)
    except TypeError:
        return None
    return tuple((type(value), key, value) for key, value in said)
