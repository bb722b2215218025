"""A sweep before it is run: which equations, what is varied, what is kept. All numbers follow from it.

Equations go to JSON and back exactly: a sweep that goes on must go on with the very equations it began with, and
another form of the same ones rounds differently.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from importlib.metadata import version
from typing import Any, Final

import numpy as np

from dalembert.errors import DalembertError, EvaluationError
from dalembert.expr.graph import Constant, Expr
from dalembert.expr.plain import from_plain, graph_from_plain, graph_to_plain, to_plain
from dalembert.model.equations import Equations, Saddle, equations_and_system
from dalembert.model.stored_form import written
from dalembert.model.system import System
from dalembert.model.trajectory import Array
from dalembert.numerics.forms import elsewhere, safest_form
from dalembert.numerics.sweep.axes import Axis
from dalembert.numerics.sweep.observables import Observable
from dalembert.records import dataclass, field

# -- equations as text ---------------------------------------------------------------------------------------
_TABLES: Final = {
    "kinematics": "kinematics",
    "implicit": "implicit",
    "reconstruction": "lift",
    "configuration": "configuration",
    "speeds": "speeds",
    "at_start": "at_start",
}
"""Field by field the key in the store: stores outlive the names of fields."""


def equations_to_text(equations: Equations) -> str:
    """Return equations as JSON: all nodes of their graph once, then which of them stands where.

    >>> from fractions import Fraction
    >>> from dalembert.expr.graph import symbol
    >>> x, k = symbol("x"), symbol("k", role="parameter")
    >>> decay = Equations("decay", "by hand", {x: -k * x / 3}, parameters={k: Fraction(1, 2)})
    >>> equations_from_text(equations_to_text(decay)) == decay
    True
    """
    roots: list[Expr] = []

    def place(expression: Expr) -> int:
        roots.append(expression)
        return len(roots) - 1

    told: dict[str, Any] = {"system": equations.system, "formalism": equations.formalism}
    for name, key in _TABLES.items():
        told[key] = [[place(one), place(value)] for one, value in getattr(equations, name).items()]
    told["moving"] = [place(one) for one in equations.velocities]
    told["mass"] = [[place(one) for one in row] for row in equations.mass]
    told["force"] = [place(one) for one in equations.force]
    if equations.saddle is not None:
        saddle = equations.saddle
        tables = {"rows": saddle.rows, "virtual": saddle.virtual}
        told["saddle"] = {
            "names": list(saddle.names),
            **{key: [[place(e) for e in row] for row in table] for key, table in tables.items()},
            "right": [place(e) for e in saddle.right],
            "rank": saddle.rank,
            "position_rank": saddle.position_rank,
        }
    if equations.projection:
        told["projection"] = [[[place(v), place(e)] for v, e in table.items()] for table in equations.projection]
    told["monitors"] = [[name, place(one)] for name, one in equations.monitors.items()]
    told["parameters"] = [[place(one), to_plain(_fraction(value))] for one, value in equations.parameters.items()]
    told["functions"] = [
        [to_plain(f), None if value is None else [[place(one) for one in value[0]], place(value[1])]]
        for f, value in equations.functions.items()
    ]
    return json.dumps(told | graph_to_plain(roots), separators=(",", ":"))


def equations_from_text(text: str) -> Equations:
    """Return the equations that were written."""
    try:
        told = json.loads(text)
        roots = graph_from_plain(told)
        told = {"speeds": [], "at_start": [], **told}  # which older stores do not have
        tables: dict[str, Any] = {
            name: {roots[one]: roots[value] for one, value in told[key]} for name, key in _TABLES.items()
        }
        return Equations(
            told["system"],
            told["formalism"],
            **tables,
            velocities=tuple(roots[one] for one in told["moving"]),
            mass=tuple(tuple(roots[one] for one in row) for row in told["mass"]),
            force=tuple(roots[one] for one in told["force"]),
            saddle=_saddle(told.get("saddle"), roots),
            projection=tuple({roots[v]: roots[e] for v, e in table} for table in told.get("projection", ())),
            monitors={name: roots[one] for name, one in told["monitors"]},
            parameters={roots[one]: from_plain(value) for one, value in told["parameters"]},
            functions={
                from_plain(f): None if value is None else (tuple(roots[one] for one in value[0]), roots[value[1]])
                for f, value in told["functions"]
            },
        )
    except (KeyError, IndexError, TypeError, ValueError) as fault:
        raise DalembertError(f"the equations in the store cannot be read: {fault}") from None


def _saddle(told: Any, roots: list[Expr]) -> Saddle | None:
    if told is None:
        return None
    rows, virtual = (tuple(tuple(roots[e] for e in row) for row in told[key]) for key in ("rows", "virtual"))
    right = tuple(roots[e] for e in told["right"])
    return Saddle(tuple(told["names"]), rows, virtual, right, told["rank"], told["position_rank"])


def _fraction(value: Constant) -> int | Fraction:
    """Return a value as the fraction that it is, or that its nearest float is."""
    return Fraction(float(value)) if isinstance(value, Expr) else value


# -- the plan ------------------------------------------------------------------------------------------------
SAMPLE: Final = "sample"
"""The dimension along which samples are counted."""
TIMES: Final = "t"
"""The dimension of the times of ``along``."""
_MOST, _LEAST, _PORTIONS = 4096, 32, 50
"""A chunk has a 50th of all members, for progress, but no more and no fewer than these, for memory and for speed."""
_ROOM = 1 << 20
"""No more than this many numbers are kept of a chunk while it is computed."""


def _that_begin(equations: Equations) -> Equations:
    """Return others of the same motion, where these have no values at the start: a group that is not free there."""
    try:
        if equations.initial_state is not None and equations.elsewhere is not None:
            equations.initial_state(None, None)
    except EvaluationError:
        other = elsewhere(equations)
        return equations if other is None else other.equations
    return equations


@dataclass(frozen=True)
class Source:
    """Equations with the system they belong to: what ``simulate`` takes, without the claims of a formalism."""

    equations: Equations
    system: System | None = None

    @classmethod
    def of(cls, equations: Any, system: System | None = None) -> Source:
        """Return the source for plain equations, or for what a formalism derived: as all members follow them."""
        plain, known = equations_and_system(equations, "sweep", system)
        return cls(plain if known is None else safest_form(_that_begin(plain)), known)


@dataclass(frozen=True, eq=False)
class Plan:
    """What a sweep does. Members are counted through the fixed axes, the last the quickest, then through samples."""

    source: Source
    axes: tuple[Axis, ...]
    observables: tuple[Observable, ...]
    events: Mapping[str, str] = field(default_factory=dict)
    time: tuple[float, float] = (0.0, 0.0)
    """Begin and end, the same for all members."""
    start: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    functions: Mapping[str, Any] = field(default_factory=dict)
    engine: str = "native"
    tolerance: float | None = None
    samples: int | None = None
    count: int | None = None
    seed: int = 0
    most_steps: int = 500_000
    size: int | None = None
    """About how many members are computed and kept together."""

    @cached_property
    def dimensions(self) -> tuple[str, ...]:
        """The names of the dimensions over which the members lie."""
        fixed = tuple(axis.name for axis in self.axes if not axis.sampled)
        return (*fixed, SAMPLE) if self.count is not None else fixed

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """How many members there are along each."""
        fixed = tuple(len(axis.values) for axis in self.axes if not axis.sampled)
        return (*fixed, self.count) if self.count is not None else fixed

    @property
    def members(self) -> int:
        """How many motions there are."""
        return math.prod(self.shape)

    @cached_property
    def block(self) -> tuple[int, ...]:
        """The shape of a chunk: last axes whole, one in part, one value of the first; members in it are neighbours."""
        equations = self.source.equations
        width = (self.samples or 2) * (len(equations.state) + len(equations.reconstruction) + len(equations.implicit))
        usual = max(_LEAST, min(_MOST, -(-self.members // _PORTIONS)))
        room = self.size or max(1, min(usual, _ROOM // max(1, width)))
        block = []
        for length in reversed(self.shape):
            block.append(min(length, max(1, room)))
            room = room // length
        return tuple(reversed(block))

    @cached_property
    def blocks(self) -> tuple[int, ...]:
        """How many chunks there are along each axis."""
        return tuple(-(-length // part) for length, part in zip(self.shape, self.block, strict=True))

    @property
    def chunks(self) -> int:
        """How many chunks there are."""
        return math.prod(self.blocks)

    def place(self, chunk: int) -> tuple[slice, ...]:
        """Return where the members of a chunk lie."""
        index = np.unravel_index(chunk, self.blocks)
        return tuple(
            slice(int(k) * part, min((int(k) + 1) * part, length))
            for k, part, length in zip(index, self.block, self.shape, strict=True)
        )

    def members_of(self, chunk: int) -> range:
        """Return the members of a chunk."""
        first = int(np.ravel_multi_index([part.start for part in self.place(chunk)], self.shape))
        return range(first, first + math.prod(part.stop - part.start for part in self.place(chunk)))

    def varied(self, members: range) -> dict[str, Array]:
        """Return the value of everything varied, for some members."""
        index = np.unravel_index(np.arange(members.start, members.stop), self.shape)
        fixed = iter(index)
        found: dict[str, Array] = {}
        for axis in self.axes:
            if axis.sampled:
                first, last = int(index[-1].min()), int(index[-1].max()) + 1
                found[axis.name] = axis.draw(self.seed, first, last)[index[-1] - first]
            else:
                found[axis.name] = axis.values[next(fixed)]
        return found

    @cached_property
    def told(self) -> dict[str, str]:
        """All that decides the numbers, as texts by name: a store is gone on with only where all of these agree."""
        equations = self.source.equations
        told = {
            "system": equations.system,
            "formalism": equations.formalism,
            "model": _model(self.source),
            "axes": [axis.text for axis in self.axes],
            "observables": [[one.name, one.text] for one in self.observables],
            "events": [[name, text] for name, text in self.events.items()],
            "time": list(self.time),
            "start": {name: self.start[name] for name in sorted(self.start)},
            "values": {name: self.values[name] for name in sorted(self.values)},
            "functions": {name: self.functions[name] for name in sorted(self.functions)},
            "engine": self.engine,
            "tolerance": self.tolerance,
            "samples": self.samples,
            "count": self.count,
            "seed": self.seed,
            "steps": self.most_steps,
            "chunk": list(self.block),
            "versions": versions(),
        }
        return {key: value if isinstance(value, str) else json.dumps(value) for key, value in told.items()}


def versions() -> dict[str, str]:
    """Return the versions of all that numbers depend on."""
    return {name: version(name) for name in ("dalembert", "llvmlite", "numpy")}


def _model(source: Source) -> str:
    """Return the text of the system, or of the equations where there is none."""
    return equations_to_text(source.equations) if source.system is None else written(source.system)
