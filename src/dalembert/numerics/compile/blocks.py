"""Long programs as several functions, so that the time to compile them grows as their length.

LLVM orders the operations of a function, and finds registers for their values, in a time that grows faster than their
number. So operations are cut into blocks, in the order in which they are done; each is a function of its own, and what
a later one needs of it goes through memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dalembert.expr.graph import Expr
from dalembert.expr.walk import evaluate, postorder
from dalembert.numerics.compile.reader import Code
from dalembert.numerics.compile.writer import Writer

_LONG = 20_000
"""A program of fewer operations stays whole: to pass values on costs a tenth of its time and more."""
_BLOCK = 500
"""About so many operations stand in a block."""
_SINES, _KNOWN_SINES = 30, 2
"""The operations of a sine with its cosine, computed and loaded."""
_MANY_SINES = 8
"""From so many angles on, a single motion computes sines side by side: less code, and a quarter of the operations."""
_WHOLE = frozenset({"factor", "solve", "basic", "assembled"})
"""Values of these are not numbers: where there are some nothing is cut."""


def values_of(
    w: Writer,
    roots: Sequence[Expr],
    inputs: Mapping[Expr, tuple[str, int]],
    status: str,
    known: dict[Expr, Any] | None = None,
) -> list[str]:
    """Write expressions into a function, or into parts of it that are called; return their values.

    ``known`` receives what was read on the way, as far as it is seen in the function itself.
    """
    code, seen = Code(w.lanes, inputs, status, roots), {} if known is None else known
    angles = _angles(roots) if w.lanes.width == 1 and w.fused else []
    sines = code.sines_together(angles, evaluate(angles, code, seen)) if len(angles) >= _MANY_SINES else "null"
    cut = _blocks(roots, _KNOWN_SINES if code.sines else _SINES)
    if len(cut) < 2:
        return evaluate(roots, code, seen)
    owner = {node: k for k, block in enumerate(cut) for node in block}
    wanted: dict[Expr, None] = dict.fromkeys(root for root in roots if root in owner)
    needed: list[dict[Expr, None]] = [{} for _ in cut]
    for node, k in owner.items():
        for argument in node.args:
            if owner.get(argument, k) != k:
                wanted[argument] = needed[k][argument] = None
    place = {node: i for i, node in enumerate(wanted)}
    room = w.reserve(w.lanes.type, len(place))
    bases = sorted({base for base, _ in inputs.values()})
    for k, block in enumerate(cut):
        names = [*bases, "%room", "%status", "%sines"]
        part = Writer(
            f"{w.name}.part{k}", "void", [("ptr", name) for name in names], width=w.lanes.width, fused=w.fused
        )
        given = {node: part.lanes.load("%room", place[node]) for node in needed[k]}
        told = [node for node in block if node in place]
        for node, value in zip(told, evaluate(told, code.within(part.lanes, "%status", "%sines"), given), strict=True):
            part.lanes.store(value, "%room", place[node])
        part.give("void", "")
        w.parts.append(part)
        w.call("void", part.name, [("ptr", one) for one in (*bases, room, status, sines)])
    seen |= {root: w.lanes.load(room, place[root]) for root in dict.fromkeys(roots) if root in place}
    return evaluate(roots, code, seen)


def _angles(roots: Sequence[Expr]) -> list[Expr]:
    """Return the angles that are sums of symbols and numbers: nothing has to be done before their sines."""
    found = (node.args[0] for node in postorder(roots) if node.op == "sincos")
    return [a for a in found if not any(part.args for part in (a.args if a.op == "sum" else (a,)))]


def _blocks(roots: Sequence[Expr], sines: int) -> list[list[Expr]]:
    """Return the operations below some expressions in the order in which they are done, cut into blocks of a size.

    A sine with its cosine counts as so many of them.
    """
    order = [node for node in postorder(roots) if node.args]
    sizes = {node: sines if node.op == "sincos" else len(node.args) for node in order}
    if sum(sizes.values()) < _LONG or any(node.op in _WHOLE for node in order):
        return [order]
    blocks: list[list[Expr]] = [[]]
    home: dict[Expr, list[Expr]] = {}
    filled = 0
    for node in order:
        if filled >= _BLOCK:
            blocks.append([])
            filled = 0
        filled += sizes[node]
        home[node] = home[node.args[0]] if node.op == "pick" else blocks[-1]  # a sine stays with its cosine
        home[node].append(node)
    return [block for block in blocks if block]
