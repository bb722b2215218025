"""Data classes whose methods are written late are those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import field
from typing import Any

import pytest

from dalembert.records import dataclass

_KINDS: list[dict[str, Any]] = [
    {},
    {"frozen": True},
    {"slots": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "eq": False},
    {"frozen": True, "repr": False},
]


def _made(decorate: Any, how: dict[str, Any]) -> Any:
    class Point:
        """A point."""

        x: int
        y: list[int] = field(default_factory=list, compare=False)
        z: int = field(default=3, kw_only=True)
        late: int = field(init=False, default=0, repr=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "late", self.x + 1)

    return decorate(**how)(Point)


def _tried(action: Any) -> Any:
    try:
        return action()
    except Exception as fault:  # noqa: BLE001 - which it is, is compared
        return type(fault), str(fault)


def _assigned(one: Any) -> Any:
    one.x = 5
    return one.x


def _deleted(one: Any) -> None:
    del one.x


def _told(made: Any, how: dict[str, Any]) -> list[Any]:
    """Return what can be seen of a class."""
    return [
        [dataclasses.asdict(made(k, z=k)) for k in range(20)],
        str(inspect.signature(made)),
        _tried(lambda: repr(made(1)) if how.get("repr", True) else None),
        _tried(lambda: made(1, [2]) == made(1)),
        _tried(lambda: made(1) != made(2)),
        _tried(lambda: made(1) == 1),
        _tried(made),
        _tried(lambda: made(1, 2, 3)),
        _tried(lambda: hash(made(1, [2])) == hash(made(1))),
        _tried(lambda: _assigned(made(1))),
        _tried(lambda: _deleted(made(1))),
        made(1).late,
        dataclasses.asdict(dataclasses.replace(made(1), x=4)),
        dataclasses.asdict(copy.copy(made(7, z=2))),
        made.__match_args__,
        [one.name for one in dataclasses.fields(made)],
        repr(made.__dataclass_params__),
        "__slots__" in vars(made),
        inspect.signature(made.__init__),
    ]


@pytest.mark.parametrize("how", _KINDS, ids=str)
def test_they_behave_as_those_of_the_standard_library(how: dict[str, Any]) -> None:
    assert _told(_made(dataclass, how), how) == _told(_made(dataclasses.dataclass, how), how)


def _plain(decorate: Any, how: dict[str, Any], *, after: bool) -> Any:
    class Place:
        x: int
        y: list[int] = field(default_factory=list)
        z: int = 3

    if after:
        Place.__post_init__ = lambda self: self.y.append(self.x)  # type: ignore[attr-defined]
    return decorate(**how)(Place)


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("how", _KINDS, ids=str)
def test_so_do_those_that_take_their_fields_and_no_more(how: dict[str, Any], after: bool) -> None:
    def told(made: Any) -> list[Any]:
        return [
            [dataclasses.astuple(made(k, z=k)) for k in range(20)],  # beyond the first few a method was written
            dataclasses.astuple(made(1, [2], 3)),
            made(1).y is made(1).y,
            str(inspect.signature(made)),
            inspect.get_annotations(made.__init__),
            made.__init__.__qualname__,
            _tried(made),
            _tried(lambda: made(1, [2], 3, 4)),
            _tried(lambda: made(1, x=2)),
            _tried(lambda: made(1, w=2)),
            _tried(lambda: _assigned(made(1))),
            dataclasses.astuple(dataclasses.replace(made(1), x=4)),
        ]

    assert told(_plain(dataclass, how, after=after)) == told(_plain(dataclasses.dataclass, how, after=after))


def test_what_has_no_fields_is_made_too() -> None:
    @dataclass(frozen=True, slots=True)
    class Nothing:
        """Nothing at all."""

    assert len({Nothing() for _ in range(20)}) == 1


@dataclass(frozen=True, slots=True)
class Kept:
    """What is pickled."""

    number: int


@dataclass(frozen=True, slots=True)
class Child(Kept):
    """One that has more fields."""

    more: int = 1


def test_they_are_pickled_and_have_children() -> None:
    assert pickle.loads(pickle.dumps(Kept(3))) == Kept(3)  # noqa: S301 - our own
    assert pickle.loads(pickle.dumps(Child(3))) == Child(3, 1)  # noqa: S301 - our own
    with pytest.raises(dataclasses.FrozenInstanceError):
        Child(3).number = 4  # type: ignore[misc]


def test_an_equality_of_their_own_is_left_alone() -> None:
    @dataclass(frozen=True)
    class Alike:  # noqa: PLW1641 - one is written for it
        number: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Alike)

        def __repr__(self) -> str:
            return "alike"

    assert Alike(1) == Alike(2)
    assert repr(Alike(1)) == "alike"
    assert hash(Alike(1)) != hash(Alike(2))


def test_the_first_objects_refuse_what_all_others_do() -> None:
    made, theirs = (_made(decorate, {"frozen": True}) for decorate in (dataclass, dataclasses.dataclass))
    wrong: list[tuple[list[Any], dict[str, Any]]] = [([], {}), ([1, 2, 3], {}), ([1], {"x": 1}), ([1], {"late": 1})]
    for args, kwargs in wrong:
        fresh = _made(dataclass, {"frozen": True})
        assert fresh(1, z=2).z == 2
        for kind in (fresh, made):
            assert _tried(lambda k=kind: k(*args, **kwargs)) == _tried(lambda: theirs(*args, **kwargs))  # noqa: B023


def test_nothing_is_written_before_it_is_needed() -> None:
    made = _made(dataclass, {"frozen": True})
    assert made.__init__.unwritten
    assert made.__repr__.unwritten
    assert repr(made(1)).endswith("Point(x=1, y=[], z=3)")
    assert not hasattr(made.__repr__, "unwritten")
    assert made.__eq__.unwritten
    assert [made(k).late for k in range(20)] == list(range(1, 21))
    assert not hasattr(made.__init__, "unwritten")
