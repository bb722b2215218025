"""Systems whose rotations are stated from space to body: what turns bodies about their own axes turns these in space.

    N = R^T,    m_ij = n_ji,    R.w = -N.s,    and R -> R exp(t e_k) is N -> exp(-t e_k) N,

so that bodies which are turned together about axes of their own are seen from each other as others are: of R and S it
is S R^T that such turns leave alone. Generators that turn bodies are taken the other way round.
"""

from __future__ import annotations

from collections.abc import Iterable

from dalembert.expr.graph import Expr
from dalembert.expr.walk import substitute
from dalembert.mechanics.lagrangian.body_axes import axes_of, inverse_of
from dalembert.mechanics.lagrangian.seen_aligned import seen_aligned
from dalembert.mechanics.lagrangian.seen_from_body import Restatement, SeenFromBody, seen_from_bodies, taken_names
from dalembert.mechanics.lagrangian.turned_together import Eyes
from dalembert.model.kinds import Point
from dalembert.model.parts import Generator
from dalembert.model.system import System

_SIDES = {"left": "right", "right": "left"}


def seen_inverted(
    system: System, generators: Iterable[str], *, pairs: bool = False, eyes: Eyes = "axes"
) -> SeenFromBody | None:
    """Return a system as bodies see it that are turned together about axes of their own; None where there are none.

    >>> pair = System.of(name="pair", coordinates={"R": "rotation", "S": "rotation"},
    ...     lagrangian="(R.s1^2 + 2*R.s2^2 + 3*R.s3^2 + S.s1^2 + S.s2^2 + 2*S.s3^2)/2 - R.m11*S.m11 - R.m12*S.m12",
    ...     symmetry={"spin": {"R": "right 3", "S": "right 3"}})
    >>> seen = seen_inverted(pair, pair.symmetry)
    >>> list(seen.system.kinds), seen.system.symmetry["spin"].turns
    (['R_inverse', 'S_inverse_in_R_inverse'], {'R_inverse': ('left', 3)})
    """
    fields = {name: system.symmetry[name] for name in generators}
    names = {point.name for point in system.points if point.is_rotation}
    turning = [one for one in fields.values() if names & set(one.turns)]
    several = any(sum(side == "right" for side, _ in one.turns.values()) > 1 for one in turning)
    if not several or any(set(one.turns) - names for one in turning):  # directions are not turned the other way round
        return None
    inverse = _Inverse(system, fields, (), taken_names(system), {}).found()
    alike = seen_aligned(inverse.system, fields, pairs=pairs, eyes=eyes)
    seen = alike or seen_from_bodies(inverse.system, fields, pairs=pairs, eyes=eyes)
    if seen is None:
        return inverse
    told = substitute(list(inverse.configuration.values()), dict(seen.configuration))
    left = {q: e for q, e in seen.configuration.items() if q in system.q}
    return SeenFromBody(seen.system, dict(zip(inverse.configuration, told, strict=True)) | left, seen.carried)


class _Inverse(Restatement):
    """A statement by the inverses of its rotations."""

    def _restate(self) -> None:
        for old in self.frame.rotations:
            new = Point(self._renamed(old.name, f"{old.name}_inverse"), "rotation")
            self._noted(new)
            self._attitude(old, inverse_of(axes_of(new)))

    def _flipped(self, generator: Generator) -> bool:
        return not self.names.keys().isdisjoint(generator.turns)

    def _generator(self, place: int, generator: Generator) -> dict[str, Expr | str]:
        if not self._flipped(generator):
            return super()._generator(place, generator)
        found: dict[str, Expr | str] = {
            self.names[name]: f"{_SIDES[side]} {axis}" for name, (side, axis) in generator.turns.items()
        }
        round_ = {q for point in self.system.points for q in point.components}
        return found | {q.data.label: -e for q, e in generator.components.items() if q not in round_}

    def _value(self, name: str, value: Expr) -> Expr:
        return -value if name in self.fields and self._flipped(self.fields[name]) else value
