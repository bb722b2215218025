"""Symmetries that nobody stated: what is searched before a reduction, and the rule by which a group is taken.

Sought are fields X = xi^i d/dq^i with X(L) = 0 that leave constraints and forces as they are, the conditions of
``model.symmetries``. Their components are combinations, with constants that may contain parameters, of 1, the
coordinates, and sine and cosine of each angle; rotations turn left and right. All that is found is named e1, e2, ... in
echelon form. Behind these come fields with X(L) = DF for a function F of the coordinates, where L has terms linear in
the velocities: those of L without these terms, which stand among the forces (``lagrangian.linear_terms``).

A reduction by a free action takes the largest subset of these that closes under brackets and is independent at generic
points, the first one among those of a size; or an ideal, combinations of them, where that is larger. Such a group
moves the configurations by isometries of the kinetic energy where that is definite, and the closure of a group of
isometries acts properly; that the group is closed, and that stabilisers are trivial, is assumed
(``geometry.groups.actions.ASSUMED``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from os import PathLike
from typing import Any, TypeAlias
from weakref import finalize

from dalembert.errors import DalembertError, ExpressionError, expect
from dalembert.expr.elementary import sincos
from dalembert.expr.graph import ONE, ZERO, Expr, total
from dalembert.expr.linear.constants import constant_null_space
from dalembert.expr.text import text
from dalembert.expr.truth import Verdict, all_hold, generic_rank
from dalembert.expr.walk import postorder
from dalembert.geometry.groups.actions import Action, action_from_generators
from dalembert.geometry.groups.levi import levi_decomposition
from dalembert.geometry.groups.names import summands
from dalembert.mechanics.common import facts_of
from dalembert.mechanics.lagrangian.linear_terms import with_linear_terms_as_forces
from dalembert.mechanics.lagrangian.noether import invariance
from dalembert.mechanics.lagrangian.tangent_frame import by_entries
from dalembert.mechanics.second_order.search.linear_search import combination_of, relations
from dalembert.model.claim import Claim
from dalembert.model.parts import Generator
from dalembert.model.symmetries import candidates, combined_generator, defects, refuse_unsearched, written
from dalembert.model.system import System
from dalembert.model.table import Table
from dalembert.model.writing import tables_in_text
from dalembert.records import dataclass, field, replace

_MOST_NODES = 6_000
"""How large what fields change may be, all together, for the wide search: about a third of a second."""
_MOST_FIELDS = 100
_MOST_SUBSETS = 2_000
_MOST_IN_IDEALS = 12
"""Of so many generators ideals are looked for that none of their subsets spans."""
NAME = "found symmetries"
"""The claim that a result rests on symmetries that were found."""
Choice: TypeAlias = str | PathLike[str] | Sequence[str] | Mapping[str, Any]
"""``"none"``, ``"found"``, names of generators (``"e1, e2"`` or a list), a table of generators, or a file with one."""


@dataclass(frozen=True)
class FoundSymmetries:
    """What was found of a system, by name, and where it was sought."""

    system: System
    generators: Table[str, Generator]
    verdict: Verdict
    space: str
    gauges: Mapping[str, Expr | None] = field(default_factory=dict)
    """F of those under which L changes by the rate of F, where that was found."""

    @property
    def strict(self) -> FoundSymmetries:
        """Those alone that leave L itself as it is; all where there are none of these."""
        kept = Table({name: one for name, one in self.generators.items() if name not in self.gauges})
        return replace(self, generators=kept, gauges={}) if self.gauges and kept else self

    @cached_property
    def _action(self) -> Action | None:
        return self._acting(tuple(self.generators))

    def _acting(self, names: Sequence[str]) -> Action | None:
        """Return the action of some of them; None where their brackets are no combinations of them."""
        try:
            return action_from_generators({name: self.generators[name].on(self.system.chart) for name in names})
        except ExpressionError:
            return None

    def groups(self) -> Iterator[tuple[str, ...]]:
        """Yield the sets that close and act freely at generic points, the largest first; see ``combined``.

        >>> plane = System.of(name="free", coordinates="x y", lagrangian="x'^2 + y'^2")
        >>> list(find_symmetries(plane).groups())
        [('e1', 'e2'), ('e1',), ('e2',), ('e3',)]
        """
        rows = {name: one.on(self.system.chart).components for name, one in self.generators.items()}
        if not rows:
            return
        most, tried = generic_rank(list(rows.values())).rank, 0
        for size in range(most, 0, -1):
            for names in combinations(rows, size):
                tried += 1
                if tried > _MOST_SUBSETS:
                    return
                if self._closes(names) and generic_rank([rows[name] for name in names]).rank == size:
                    yield names
            yield from self._ideal_names(size)

    def ideals(self) -> Iterator[tuple[str, ...]]:
        """Yield those of these sets that are ideals of all that was found, the largest first.

        Where a body is free of what surrounds it turns of the body alone and shifts are one, those of the rest not.

        >>> free = System.of(name="free", coordinates="x y", lagrangian="x'^2 + y'^2")
        >>> list(find_symmetries(free).ideals())
        [('e1', 'e2')]
        """
        if self._action is None:
            return
        every, constants = self._action.names, self._action.algebra.constants
        for names in self.groups():
            inside = [every.index(name) for name in names if name in every]
            brackets = (constants[a][b] for a in inside for b in range(len(every)))
            if inside and all(c is ZERO for row in brackets for k, c in enumerate(row) if k not in inside):
                yield names

    @cached_property
    def combined(self) -> Table[str, Generator]:
        """Combinations c1, c2, ... that span ideals which act freely and which no subset of the generators spans.

        Of rotations in four dimensions two that commute act freely, and three that do are combinations: so(4) is a sum.

        >>> round_ = System.of(name="round", coordinates="x y z w", lagrangian="x'^2 + y'^2 + z'^2 + w'^2"
        ...     " - (x^2 + y^2 + z^2 + w^2)^2")
        >>> found = find_symmetries(round_)
        >>> next(found.groups()), written(found.combined["c1"])
        (('c1', 'c2', 'c3'), '-y d/dx + x d/dy - w d/dz + z d/dw')
        """
        several = [one for ideal in self._ideals for one in ideal]
        return Table({f"c{k}": one for k, one in enumerate(several, 1)})

    @cached_property
    def _ideals(self) -> list[list[Generator]]:
        """Direct summands, terms of the derived series and the semisimple part, where these are such ideals."""
        action, every = self._action, list(self.generators.values())
        if action is None or len(every) > _MOST_IN_IDEALS:
            return []
        g, found = action.algebra, []
        try:
            parts = [*summands(g), *g.derived_series(), levi_decomposition(g).levi]
        except ExpressionError:
            return []
        for basis in dict.fromkeys(map(tuple, parts)):
            plain = all(sum(c is not ZERO for c in row) == 1 for row in basis)
            if not basis or plain or len(basis) == len(every):
                continue
            fields = [_summed(row, every, self.system) for row in basis]
            if generic_rank([one.on(self.system.chart).components for one in fields]).rank == len(basis):
                found.append(fields)
        return found

    def _ideal_names(self, size: int) -> Iterator[tuple[str, ...]]:
        begin = 0
        for ideal in self._ideals:
            if len(ideal) == size:
                yield tuple(f"c{begin + k}" for k in range(1, size + 1))
            begin += len(ideal)

    def _closes(self, names: Sequence[str]) -> bool:
        """Say whether brackets of some are combinations of these; read off the whole algebra where that closes."""
        if self._action is None:
            return self._acting(names) is not None
        every, constants = self._action.names, self._action.algebra.constants
        inside = [every.index(name) for name in names]
        return all(c is ZERO for a in inside for b in inside for k, c in enumerate(constants[a][b]) if k not in inside)

    def taken(self, names: Sequence[str], why: str = "") -> System:
        """Return the system with some of these as its symmetries, and what is to be said of that."""
        rest = [name for name in self.generators if name not in names]
        every = self._named(names)
        said = f"no symmetry is stated; dalembert found and uses {self._in_words(names)}"
        if rest:
            said += f"; found and left out{f' ({why})' if why else ''}: {self._in_words(rest)}"
        chosen = Table({name: every[name] for name in names})
        return replace(self.system, symmetry=chosen, found=Claim(NAME, said, "hypothesis", self.verdict))

    def _named(self, names: Sequence[str]) -> Mapping[str, Generator]:
        """Return the generators, and combinations where some of these are named."""
        known = self.generators.keys() >= set(names)
        return self.generators if known else {**self.generators, **self.combined}

    def _in_words(self, names: Sequence[str]) -> str:
        every = self._named(names)
        return ", ".join(f"{name} = {written(every[name])}{self._gauge(name)}" for name in names)

    def _gauge(self, name: str) -> str:
        if name not in self.gauges:
            return ""
        gauge = self.gauges[name]
        rate = "" if gauge is None else text(by_entries(self.system, gauge))
        return f" (L changes by the rate of {rate})" if rate else " (L changes by a total derivative)"


_FOUND: dict[int, FoundSymmetries] = {}
"""What was found of systems that are still there, by their identity: nobody searches twice."""


def find_symmetries(system: System) -> FoundSymmetries:
    """Return the symmetries of a statement that reductions may begin with; of one system they are sought once.

    >>> skate = System.of(name="skate", coordinates={"x": "real", "y": "real", "h": "angle"}, parameters=["m", "J"],
    ...     lagrangian="m*(x'^2 + y'^2)/2 + J*h'^2/2", constraints={"edge": "x'*sin(h) = y'*cos(h)"})
    >>> [written(one) for one in find_symmetries(skate).generators.values()]
    ['d/dx', 'd/dy', '-y d/dx + x d/dy + d/dh']
    """
    key = id(system)
    if key not in _FOUND:
        _FOUND[key] = _search(system)
        finalize(system, _FOUND.pop, key, None)
    return _FOUND[key]


def _search(system: System) -> FoundSymmetries:
    refuse_unsearched(system)
    strict, space = _null_fields(system)
    other = with_linear_terms_as_forces(system)
    loose = [] if other is system else _besides(strict, _null_fields(other)[0], system)
    named = {f"e{k}": one for k, one in enumerate((*strict, *loose), 1)}
    gauges: dict[str, Expr | None] = {}
    for name in list(named)[len(strict) :]:
        kind, gauge, _ = invariance(replace(system, symmetry=Table({name: named[name][0]})), name)
        gauges[name] = gauge if kind == "up to a total derivative" else None
    return FoundSymmetries(
        system,
        Table({name: generator for name, (generator, _) in named.items()}),
        all_hold({name: verdict for name, (_, verdict) in named.items()}),
        space,
        gauges,
    )


def _null_fields(system: System) -> tuple[list[tuple[Generator, Verdict]], str]:
    """Return the fields of the ansatz that leave L, constraints and forces as they are, in echelon form; and it."""
    fields, parametric = _wide(system), True
    changes = defects(system, list(fields.values())) if len(fields) <= _MOST_FIELDS else []
    if not changes or len(postorder([e for column in changes for e in column])) > _MOST_NODES:
        fields, parametric = candidates(system), False
        changes = defects(system, list(fields.values())) if fields else []
    space = _space(system, wide=parametric)
    if not fields:
        return [], space
    try:
        found: Any = relations(changes, facts_of(system)) if parametric else constant_null_space(changes)
    except ExpressionError:  # its coefficients are too large as functions of the parameters
        found = constant_null_space(changes)
    held, evident = _combined(system, fields, found)
    if not evident:
        # what moves a machine as a whole comes first: a turn of all that there is, and not with one of its mass centre
        plain = candidates(system)
        first, _ = _combined(system, plain, constant_null_space(defects(system, list(plain.values()))))
        known = [dict(one.components) for one, _ in held]
        mixed = any(dict(one.components) not in known for one, _ in first)
        held = [*first, *_besides(first, held, system)] if mixed else held
    return held, space


def _combined(
    system: System, fields: Mapping[str, Mapping[Expr, Expr]], found: Any
) -> tuple[list[tuple[Generator, Verdict]], bool]:
    """Return combinations of fields, and whether these are sums and differences, with nothing before them."""
    held: list[tuple[Generator, Verdict]] = []
    evident = True
    for row, verdict in zip(found.basis, found.verdicts, strict=True):
        parts = {name: ONE * c for name, c in zip(fields, row[-len(fields) :], strict=True) if (ONE * c).value != 0}
        if parts and verdict.holds is True:
            scale = list(parts.values())[-1]
            weights = {n: c / scale for n, c in parts.items()}
            evident = evident and all(c.value in {1, -1} for c in weights.values())
            held.append((combined_generator(system, weights, fields), verdict))
    return held, evident


def _summed(weights: Sequence[Expr], several: Sequence[Generator], system: System) -> Generator:
    """Return a combination of generators."""
    used = [(w, one) for w, one in zip(weights, several, strict=True) if w is not ZERO]
    sums = {q: total([(1, w * one.components.get(q, ZERO)) for w, one in used]) for q in system.q}
    turned = [(name, turn) for w, one in used if w is ONE for name, turn in one.turns.items()]
    count = [name for _, one in used for name in {str(q.data.name).partition(".")[0] for q in one.components}]
    turns = {name: turn for name, turn in turned if count.count(name) == 1}
    return Generator(Table({q: e for q, e in sums.items() if e is not ZERO}), turns=Table(turns))


def _besides(
    known: Sequence[tuple[Generator, Verdict]], found: Sequence[tuple[Generator, Verdict]], system: System
) -> list[tuple[Generator, Verdict]]:
    """Return those fields that are no combinations, with constants, of known ones and of those before."""
    kept = [[one.components.get(q, ZERO) for q in system.q] for one, _ in known]
    fresh = []
    for one, verdict in found:
        row = [one.components.get(q, ZERO) for q in system.q]
        if not kept or combination_of(kept, row) is None:
            kept.append(row)
            fresh.append((one, verdict))
    return fresh


def _wide(system: System) -> dict[str, dict[Expr, Expr]]:
    """Return 1, coordinates, sines and cosines times coordinate fields, and rotations, by name."""
    round_ = {q for point in system.points for q in point.components}
    plain = [q for q in system.q if q not in round_]
    lengths = [q for q in plain if q.data.domain != "angle"]
    waves = [wave for q in plain if q.data.domain == "angle" for wave in sincos(q)]
    turns = {name: one for name, one in candidates(system).items() if not round_.isdisjoint(one)}
    found = {f"d/d{q.data.name}": {q: ONE} for q in plain if q.data.domain != "positive"}
    for several in (lengths, waves):
        found |= {f"{f!r} d/d{q.data.name}": {q: f} for q in plain for f in several}
    return found | turns


def _space(system: System, *, wide: bool) -> str:
    """Return what is searched, in words."""
    turns = ["left and right rotations"] if system.points else []
    if not wide:
        return ", ".join(["shifts of coordinates", "rotations of pairs of lengths", *turns])
    angles = ", sines and cosines of angles" if any(q.data.domain == "angle" for q in system.q) else ""
    return "; ".join([f"fields with components made of 1, coordinates{angles}", *turns])


# -- what is asked for -------------------------------------------------------------------------------------------
def with_symmetry(system: System, choice: Choice) -> System:
    """Return a system with the symmetry that is asked for in the place of what it states.

    >>> plane = System.of(name="free", coordinates="x y", lagrangian="x'^2 + y'^2", symmetry={"across": {"x": 1}})
    >>> [*with_symmetry(plane, "none").symmetry], [*with_symmetry(plane.but(symmetry=None), "e1, e3").symmetry]
    ([], ['e1', 'e3'])
    >>> with_symmetry(plane, {"turn": {"x": "-y", "y": "x"}}).symmetry["turn"].components
    {x: -y, y: x}
    """
    expect(system, System, "a symmetry is chosen of a system")
    if isinstance(choice, PathLike):
        from dalembert.model.files import symmetry_in

        return system.but(**symmetry_in(choice))
    if isinstance(choice, Mapping):
        return system.but(symmetry=choice, momentum=None)
    if isinstance(choice, str) and choice.strip() in {"none", "found"}:
        bare = replace(system, symmetry=Table(), momentum=Table(), known=_known(system, ()), found=None)
        if choice.strip() == "found":
            return bare
        said = "no symmetry is taken, as was asked for"
        return replace(bare, found=Claim(NAME, said, "question", Verdict("proved", "no generator is left.")))
    names = [name.strip() for name in choice.split(",")] if isinstance(choice, str) else [*choice]
    return _by_name(system, names)


def _by_name(system: System, names: Sequence[str]) -> System:
    there: Mapping[str, Generator] = system.symmetry or find_symmetries(system).generators
    if not system.symmetry and not there.keys() >= set(names):
        there = {**there, **find_symmetries(system).combined}
    strange = [name for name in names if name not in there]
    if strange or not names:
        known = ", ".join(f"{name} = {written(one)}" for name, one in there.items()) or "none"
        what = f"there is no symmetry '{strange[0]}'" if strange else "no symmetry is named"
        raise DalembertError(f"{what}; {'stated' if system.symmetry else 'found'}: {known}.")
    chosen = [name for name in there if name in names]
    if not system.symmetry:
        return find_symmetries(system).taken(chosen, "not asked for")
    momentum = Table({name: value for name, value in system.momentum.items() if name in chosen})
    kept = Table({name: system.symmetry[name] for name in chosen})
    return replace(system, symmetry=kept, momentum=momentum, known=_known(system, chosen))


def _known(system: System, names: Sequence[str]) -> Any:
    """Return what is known of a system without what is said of generators that are left out."""
    kept = Table({name: kind for name, kind in system.known.symmetries.items() if name in names})
    same = len(kept) == len(system.known.symmetries) and len(names) == len(system.symmetry)
    return system.known if same else replace(system.known, symmetries=kept, algebra="")


def symmetry_table(system: System) -> dict[str, dict[str, str]]:
    """Return the table [symmetry] that a model could state for what is taken.

    >>> plane = System.of(name="free", coordinates="x y", lagrangian="x'^2 + y'^2 - (x^2 + y^2)^2")
    >>> symmetry_table(with_symmetry(plane, "e1"))
    {'e1': {'x': '-y', 'y': 'x'}}
    """
    several = tables_in_text(system).get("symmetry", {})
    return {name: {key: str(e) for key, e in one.items()} for name, one in several.items()}


def symmetry_lines(system: System) -> str:
    """Return this table as it stands in a model file.

    >>> plane = System.of(name="free", coordinates="x y", lagrangian="x'^2 + y'^2 - (x^2 + y^2)^2")
    >>> print(symmetry_lines(with_symmetry(plane, "e1")))
    [symmetry]
    e1 = { x = "-y", y = "x" }
    """
    lines = ["[symmetry]"]
    for name, one in symmetry_table(system).items():
        parts = (f"{key if '.' not in key else json.dumps(key)} = {json.dumps(e)}" for key, e in one.items())
        lines.append(f"{name} = {{ {', '.join(parts)} }}")
    return "\n".join(lines)
