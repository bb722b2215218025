"""The tables of the truth benchmark: by theme, the two that are promised, and every pair."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from bench.identities import Identity

__all__ = ["Ours", "Peer", "Row", "report"]

Cells = Sequence[str]


@dataclass(frozen=True, slots=True)
class Ours:
    """What the decision procedure said, and how long it took to build and to decide."""

    build: float
    seconds: float
    kind: str
    evidence: str
    witness: str | None

    @property
    def holds(self) -> bool | None:
        """The verdict as a yes, a no or neither."""
        return {"proved": True, "certain": True, "refuted": False}.get(self.kind)


@dataclass(frozen=True, slots=True)
class Peer:
    """What ``simplify`` gave: ``zero``, ``nonzero``, or why there is nothing (then without seconds)."""

    convert: float
    seconds: float | None
    answer: str


@dataclass(frozen=True, slots=True)
class Row:
    """An identity with both answers; ``peer`` is None where SymPy was not asked."""

    identity: Identity
    ours: Ours
    peer: Peer | None

    @property
    def seen(self) -> bool:
        """Whether SymPy's answer is right: zero for a true identity, anything else for a false one."""
        return self.peer is not None and self.peer.answer == ("zero" if self.identity.holds else "nonzero")


def report(rows: Sequence[Row], limit: float) -> str:
    """Return all tables as Markdown."""
    parts = [_setting(rows, limit), _summary(rows, limit), "### Every pair", _pairs(rows, limit)]
    return "\n\n".join(parts)


def _setting(rows: Sequence[Row], limit: float) -> str:
    pairs = sum(row.identity.holds for row in rows)
    text = f"{len(rows)} expressions in {pairs} pairs, Python {platform.python_version()}"
    if any(row.peer for row in rows):
        import sympy

        text += f", SymPy {sympy.__version__} with a limit of {limit:g} s for each `simplify`"
    return text + "."


def _summary(rows: Sequence[Row], limit: float) -> str:
    themes = list(dict.fromkeys(row.identity.theme for row in rows))
    lines = [_summary_line(theme, [r for r in rows if r.identity.theme == theme], limit) for theme in themes]
    head = [
        "theme", "expressions", "ours: median", "slowest", "wrong", "missing", "SymPy: median",
        "zero for a false one", "nonzero for a true one", "no answer", "ratio, both right", "ratio, all",
    ]  # fmt: skip
    return _table(head, [*lines, _summary_line("**all**", rows, limit)])


def _summary_line(title: str, rows: Sequence[Row], limit: float) -> Cells:
    ours = [row.ours.seconds for row in rows]
    wrong = sum(row.ours.holds is (not row.identity.holds) for row in rows)
    missing = [row for row in rows if row.ours.holds is None]
    outside = sum(not row.identity.supported for row in missing)
    missed = f"{len(missing)}" + (f" ({outside} outside the class)" if outside else "")
    cells = [title, str(len(rows)), _time(median(ours)), _time(max(ours)), str(wrong), missed]
    asked = [(row, row.peer) for row in rows if row.peer is not None]
    if not asked:
        return [*cells, *["-"] * 6]
    false_yes = sum(peer.answer == "zero" and not row.identity.holds for row, peer in asked)
    false_no = sum(peer.answer == "nonzero" and row.identity.holds for row, peer in asked)
    silent = sum(peer.seconds is None for _, peer in asked)
    both = [peer.seconds / row.ours.seconds for row, peer in asked if row.seen and peer.seconds is not None]
    spent = [limit if peer.seconds is None else peer.seconds for _, peer in asked]
    at_least = [s / row.ours.seconds for (row, _), s in zip(asked, spent, strict=True)]
    bound = "at least " if silent else ""
    middle = median(spent)
    return [
        *cells,
        f"over {_time(limit)}" if middle >= limit else _time(middle),
        str(false_yes),
        str(false_no),
        str(silent),
        f"{median(both):,.0f}" if both else "-",
        f"{bound}{median(at_least):,.0f}",
    ]


def _pairs(rows: Sequence[Row], limit: float) -> str:
    """Return one line per pair: the true one and its false twin, ours and SymPy's."""
    false = {row.identity.pair: row for row in rows if not row.identity.holds}
    lines = []
    for row in rows:
        if row.identity.holds:
            twin = false[row.identity.pair]
            lines.append(
                [row.identity.name, twin.identity.note, _ours(row), _ours(twin), _peer(row, limit), _peer(twin, limit)]
            )
    head = ["identity", "false twin", "ours: true", "ours: twin", "SymPy: true", "SymPy: twin"]
    return _table(head, lines)


def _ours(row: Row) -> str:
    wrong = row.ours.holds is (not row.identity.holds)
    return f"{row.ours.kind} {_time(row.ours.seconds)}" + (" **wrong**" if wrong else "")


def _peer(row: Row, limit: float) -> str:
    peer = row.peer
    if peer is None:
        return "-"
    if peer.seconds is None:
        return f"over {_time(limit)}" if peer.answer == "no answer" else peer.answer.partition(":")[0]
    return f"{peer.answer} {_time(peer.seconds)}" + ("" if row.seen else " **wrong**")


def _time(seconds: float) -> str:
    """Return a time with two digits."""
    return f"{seconds * 1000:.2g} ms" if seconds < 0.0995 else f"{seconds:.2f} s" if seconds < 1 else f"{seconds:.2g} s"


def _table(head: Cells, lines: Iterable[Cells]) -> str:
    """Return a Markdown table; what stands between bars must not hold one."""
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)
