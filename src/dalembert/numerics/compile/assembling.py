"""Linear systems with few entries inside compiled functions (``expr/assembled``).

The entries are written to memory, and a loop puts the unknowns in that are given: so the code is as long as there are
entries, though the matrix that is left is full. Room for that is taken only while it is worked on.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.numerics.compile.lanes import Lanes
from dalembert.numerics.compile.pivoting import BASIC
from dalembert.numerics.compile.writer import Writer

ASSEMBLED = "@assembled.solve"


def solve_assembled(
    lanes: Lanes, data: tuple[int, int, tuple[int, ...]], values: Sequence[str], status: str
) -> list[str]:
    """Return the unknowns; values are those of the entries, then of the right-hand sides.

    Side by side a lane is not a number where there is no solution, and its neighbours go on.
    """
    w, one = lanes.writer, lanes.writer.one
    size, first, places = data
    room, answer = w.reserve("double", len(values)), w.reserve("double", size)
    numbers = (len(values) - size, len(places) // 3, size, first)
    given = [("ptr", room), ("ptr", w.table(places)), ("ptr", answer), *(("i64", str(n)) for n in numbers)]
    found: list[list[str]] = []
    for lane in range(lanes.width):
        for k, value in enumerate(values):
            one.store(lanes.lane(value, lane), room, k)
        unsolved = w.call("i32", ASSEMBLED, given)
        x = [one.load(answer, k) for k in range(size)]
        if lanes.width == 1:
            before = w.fresh(f"load i32, ptr {status}")
            w.line(f"store i32 {w.fresh(f'or i32 {before}, {unsolved}')}, ptr {status}")
            return x
        lost, nothing = w.fresh(f"icmp ne i32 {unsolved}, 0"), one.constant(float("nan"))
        found.append([one.select(lost, nothing, value) for value in x])
    return [lanes.together([x[k] for x in found]) for k in range(size)]


def assembled_function(*, fused: bool) -> Writer:
    """Return ``(values, places, answer, entries, places, unknowns, given) -> 1 where there is no solution, else 0``."""
    sizes = [("i64", name) for name in ("%count", "%many", "%n", "%first")]
    given = [("ptr", "%v"), ("ptr", "%places"), ("ptr", "%x"), *sizes]
    w = Writer(ASSEMBLED, "i32", given, fused=fused, linkage="internal")
    one = w.one
    rest = w.fresh("sub i64 %n, %first")
    wide = w.fresh(f"add i64 {rest}, 1")
    room = w.call("ptr", "@calloc", [("i64", w.fresh(f"mul i64 %n, {wide}")), ("i64", "8")])
    with w.when(w.fresh(f"icmp eq ptr {room}, null")):
        w.give("i32", "1")
    right = one.place("%v", "%count")

    def row(i: str) -> str:
        return w.fresh(f"getelementptr double, ptr {room}, i64 {w.fresh(f'mul i64 {i}, {wide}')}")

    def whole(k: str, which: int) -> str:
        place = w.fresh(f"add i64 {w.fresh(f'mul i64 {k}, 3')}, {which}")
        number = w.fresh(f"load i32, ptr {w.fresh(f'getelementptr i32, ptr %places, i64 {place}')}")
        return w.fresh(f"sext i32 {number} to i64")

    with w.loop("%n") as i:
        one.store(one.load(right, i), row(i), rest)
    with w.loop("%n", "%first") as i:
        one.store(one.neg(one.load(right, i)), row(i), rest)
    with w.loop("%many") as k:
        here, column, entry = row(whole(k, 0)), whole(k, 1), one.load("%v", whole(k, 2))
        known = w.fresh(f"icmp slt i64 {column}, %first")
        with w.when(known):
            other = row(column)
            with w.loop(wide) as j:
                one.store(one.add(one.mul(entry, one.load(other, j)), one.load(here, j)), here, j)
        with w.when(w.fresh(f"xor i1 {known}, true")):
            place = one.place(here, w.fresh(f"sub i64 {column}, %first"))
            one.store(one.add(one.load(place), entry), place)
    with w.loop("%n", "%first") as i:
        place = one.place(row(i), rest)
        one.store(one.neg(one.load(place)), place)
    last = one.place("%x", "%first")
    given_to = [("ptr", row("%first")), ("ptr", last), ("i64", rest), ("i64", wide), ("i64", rest)]
    unsolved = w.call("i32", BASIC, given_to)
    with w.loop("%first") as i:
        one.store(one.load(row(i), rest), "%x", i)
        with w.loop(rest) as j:
            part = one.mul(one.load(row(i), j), one.load(last, j))
            one.store(one.add(one.load("%x", i), part), "%x", i)
    w.call("void", "@free", [("ptr", room)])
    w.give("i32", unsolved)
    return w
