"""Data classes whose methods are written when they are first called.

``dataclasses`` compiles six functions for each class, most of a millisecond in all, and a command loads more than two
hundred classes, of most of which it makes no object. Here a class has its fields at once, and each method that the
standard library would write for it as soon as somebody needs it; from then on it is the standard library's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # to whoever reads types it is the same
    from dataclasses import dataclass, field, fields, replace
else:
    import dataclasses
    from copy import copy
    from dataclasses import field, fields, replace

    from dalembert.shown import Shown

    _FEW = 8
    """So many objects of a class are made without a method of its own, which takes as long to write as a hundred."""
    _NONE = {"init": False, "repr": False, "eq": False}
    _METHODS = {"init": "__init__", "repr": "__repr__", "eq": "__eq__"}

    def dataclass(
        cls: type | None = None,
        /,
        *,
        repr: bool = True,  # noqa: A002 - as it is called there
        eq: bool = True,
        frozen: bool = False,
        **how: Any,
    ) -> Any:
        """Make a data class, as ``dataclasses.dataclass`` does.

        >>> @dataclass(frozen=True, slots=True)
        ... class Point:
        ...     x: int
        ...     y: int = 0
        >>> Point(1), Point(1) == Point(1, 0), hash(Point(1)) == hash(Point(1)), dataclasses.replace(Point(1), x=2)
        (Point(x=1, y=0), True, True, Point(x=2, y=0))
        >>> Point(1).x = 3
        Traceback (most recent call last):
            ...
        dataclasses.FrozenInstanceError: cannot assign to field 'x'
        """

        def made(cls: type) -> type:
            own_line = issubclass(cls, Shown)  # which a list of all fields would hide
            wanted = {"repr": repr and not own_line, "eq": eq, "frozen": frozen}
            if any(dataclasses.is_dataclass(base) for base in cls.__bases__):  # they are few
                return dataclasses.dataclass(cls, **wanted, **how)
            own = dict(vars(cls))
            found = dataclasses.dataclass(**_NONE, **how)(cls)
            for option, name in _METHODS.items():
                if wanted.get(option, True) and name not in own:
                    _later(found, name, {option: True, "frozen": frozen and option == "init"})
            # of an equality without a hash Python itself says that there is none
            if eq and (own.get("__hash__") is None and ("__hash__" not in own or "__eq__" in own)):
                if frozen:
                    _later(found, "__hash__", {"unsafe_hash": True})
                else:
                    found.__hash__ = None
            if frozen:
                _freeze(found)
            for option, value in (("init", True), *wanted.items()):
                setattr(found.__dataclass_params__, option, value)
            found.__signature__ = _Signature()
            return found

        return made if cls is None else made(cls)

    def _later(cls: type, name: str, how: dict[str, bool]) -> None:
        """Give a class a method that the standard library writes when it is called, objects when it is often called."""
        objects = 0

        def first(self: Any, *args: Any, **kwargs: Any) -> Any:
            nonlocal objects
            if name == "__init__" and self is not None and objects < _FEW:
                values = _values(cls, args, kwargs)
                if values is not None:
                    objects += 1
                    for key, value in values.items():
                        object.__setattr__(self, key, value)
                    return self.__post_init__() if hasattr(cls, "__post_init__") else None
            fields = [(one.name, one.type, copy(one)) for one in dataclasses.fields(cls)]
            after = {"__post_init__": None} if hasattr(cls, "__post_init__") else {}
            method = vars(dataclasses.make_dataclass(cls.__name__, fields, namespace=after, **(_NONE | how)))[name]
            method.__qualname__, method.__module__ = f"{cls.__qualname__}.{name}", cls.__module__
            setattr(cls, name, method)
            return None if self is None else method(self, *args, **kwargs)

        first.unwritten = True
        setattr(cls, name, first)

    def _values(cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any] | None:
        """Return the values of the fields of an object; None where one is missing or too many are given."""
        fields = dataclasses.fields(cls)
        places = [one.name for one in fields if one.init and not one.kw_only]
        given = dict(zip(places, args, strict=False)) | kwargs
        if len(given) != len(args) + len(kwargs):
            return None
        values = {}
        for one in fields:
            if one.init and one.name in given:
                values[one.name] = given.pop(one.name)
            elif one.default is not dataclasses.MISSING:
                values[one.name] = one.default
            elif one.default_factory is not dataclasses.MISSING:
                values[one.name] = one.default_factory()
            elif one.init:
                return None
        return None if given else values

    class _Signature:
        """How a class is called, which its method does not say before it is written."""

        def __get__(self, instance: object, cls: type) -> Any:
            if instance is not None:
                raise AttributeError
            from inspect import signature

            if getattr(cls.__init__, "unwritten", False):
                cls.__init__(None)
            whole = signature(cls.__init__)
            return whole.replace(parameters=list(whole.parameters.values())[1:])

    def _freeze(cls: type) -> None:
        """Have nothing assigned to the fields of a class."""
        names = frozenset(one.name for one in dataclasses.fields(cls))

        def assign(self: Any, name: str, value: Any) -> None:
            if type(self) is cls or name in names:
                raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
            super(cls, self).__setattr__(name, value)

        def delete(self: Any, name: str) -> None:
            if type(self) is cls or name in names:
                raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
            super(cls, self).__delattr__(name)

        cls.__setattr__, cls.__delattr__ = assign, delete
        if "__slots__" in vars(cls):  # else what is read of a pickle, or copied, would be assigned
            for name, method in (("__getstate__", _state), ("__setstate__", _set_state)):
                if name not in vars(cls):
                    setattr(cls, name, method)

    def _state(self: Any) -> list[Any]:
        return [getattr(self, one.name) for one in dataclasses.fields(self)]

    def _set_state(self: Any, state: list[Any]) -> None:
        for one, value in zip(dataclasses.fields(self), state, strict=True):
            object.__setattr__(self, one.name, value)


__all__ = ["dataclass", "field", "fields", "replace"]
