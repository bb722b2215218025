"""What follows from a model, kept on disc: what was derived and decided once is read the next time.

The key is all that it follows from: the text of the model, or the name of a system of the gallery; what was asked; and
the program, so that nothing outlives a change of it. Systems and equations know in this way where they come from, each
object for itself: what is made of one by a change comes from nowhere. Their recipes, which are functions, are not kept:
where one is called the equations are derived after all. An entry that cannot be read is made anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import cache as once
from typing import Any, Final, TypeVar

from dalembert import cache
from dalembert.errors import DalembertError
from dalembert.model.equations import Equations
from dalembert.model.kept import Kept
from dalembert.model.packing import content_key, packed, unpacked

T = TypeVar("T")
_ORIGINS: Final = Kept()
_RECIPES: Final = ("initial_state", "saddle_form", "lifting", "atlas", "elsewhere")


def come_from(thing: T, *told: str) -> T:
    """Note that an object is what follows from some texts, and from nothing else; return it."""
    if cache.folder() is not None:
        _ORIGINS(thing)("origin", lambda: cache.key("origin", cache.program(), *told))
    return thing


def origin_of(thing: Any) -> str | None:
    """Return the key of what an object follows from; None where that is not known.

    >>> origin_of(Equations("still", "by hand", {})) is None
    True
    """
    found: str | None = _ORIGINS(thing)("origin", lambda: None)
    return found


def alike(thing: T, other: Any, told: Callable[[], Iterable[str]]) -> T:
    """Note that an object is another one with other values, and texts say which these are values of; return it."""
    origin = likeness_of(other)
    if origin is not None:
        _ORIGINS(thing)("likeness", lambda: cache.key("likeness", origin, *told()))
    return thing


def likeness_of(thing: Any) -> str | None:
    """Return the key of what an object follows from but for values; None where that is not known."""
    found: str | None = _ORIGINS(thing)("likeness", lambda: origin_of(thing))
    return found


def remembered(thing: Any, what: str, make: Callable[[], T], *more: str) -> T:
    """Return what follows from an object whose origin is known, as it was made once; else make it."""
    origin = origin_of(thing)
    return make() if origin is None else recalled((origin, what, *more), make)


def recalled(told: tuple[str, ...], make: Callable[[], T]) -> T:
    """Return what follows from some texts, as it was made once; what cannot be packed is made every time."""
    if cache.folder() is None:
        return make()
    name = cache.key("what follows", cache.program(), *told)
    data = cache.look(name)
    if data is not None:
        with suppress(ValueError):
            found: T = unpacked(data)
            return found
    made = make()
    with suppress(DalembertError):
        cache.keep(name, packed(made))
    return made


def worked_out(what: str, content: Any, make: Callable[[], T]) -> T:
    """Return what follows from a content that can be packed and from nothing else, wherever that comes from."""
    if cache.folder() is None:
        return make()
    return recalled((what, content_key(content)), make)


def remembered_equations(thing: Any, what: str, make: Callable[[], Equations]) -> Equations:
    """Return equations that follow from an object, as they were made once; their recipes make them again."""
    origin = origin_of(thing)
    if origin is None:
        return make()
    whole = once(make)

    def plain() -> tuple[Equations, tuple[str, ...]]:
        made = whole()
        own = tuple(name for name in _RECIPES if getattr(made, name) is not None)
        return replace(made, initial_state=None, saddle_form=None, lifting=None, atlas=None, elsewhere=None), own

    def recipe(name: str) -> Callable[..., Any]:
        def followed(*given: Any) -> Any:
            return getattr(whole(), name)(*given)

        return followed

    found, own = recalled((origin, what), plain)
    recipes = {name: recipe(name) for name in own}
    return come_from(replace(found, **recipes), origin, what)  # type: ignore[arg-type]
