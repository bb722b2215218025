"""The front of a package: the names that it offers, listed once, in the stub ``__init__.pyi`` beside its ``__init__``.

A type checker and an editor read the stub; at run time a name is loaded from there when it is first asked for, so that
importing a package costs nothing and drags nothing along.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any


def front(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package that has a stub.

    >>> look, names = front("dalembert")
    >>> look("is_zero").__module__, "is_zero" in names()
    ('dalembert.expr.truth.decide', True)
    """

    def look(name: str) -> Any:
        if name.startswith("__") and name != "__all__":  # importing asks for some of these: not worth reading the stub
            raise AttributeError(_strange(package, name))
        known = homes(package)
        if name == "__all__":
            return sorted(known)
        if name not in known:
            raise AttributeError(_strange(package, name))
        home = known[name]
        value = import_module(f"{package}.{name}") if home == package else getattr(import_module(home), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes(package)})

    return look, names


@cache
def homes(package: str) -> dict[str, str]:
    """Return the names that a package offers, each with the module that has it.

    >>> homes("dalembert")["Expr"]
    'dalembert.expr'
    """
    import ast  # not before somebody asks for a name
    import pkgutil

    stub = ast.parse(pkgutil.get_data(package, "__init__.pyi") or b"")
    lines = [line for line in stub.body if isinstance(line, ast.ImportFrom)]
    return {name.asname: line.module for line in lines for name in line.names if name.asname and line.module}


def _strange(package: str, name: str) -> str:
    return f"module '{package}' has no attribute '{name}'"
