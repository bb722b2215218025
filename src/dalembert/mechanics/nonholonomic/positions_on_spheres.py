"""What brings rotations and directions back to unit length, and with them constraints on positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.expr.calculus import tangent
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.walk import substitute
from dalembert.mechanics.lagrangian.on_spheres import unit_projection
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
from dalembert.mechanics.lagrangian.tangent_speeds import TangentSpeeds
from dalembert.mechanics.nonholonomic.saddle_point_form import frame_projection, nearest
from dalembert.model.equations import Saddle


def positions_back(
    frame: TangentFrame, speeds: TangentSpeeds | None = None, rank: int | None = None
) -> tuple[dict[Expr, Expr], ...]:
    """Return what brings positions back to where the constraints on them hold."""
    if len(frame.system.holonomic) == len(frame.system.points):
        return unit_projection(frame)[:1]
    put = speeds.put if speeds else lambda e: frame.opened(frame.put(e))
    return frame_projection(frame.system, put, rank)


def residuals(frame: TangentFrame) -> dict[str, Expr]:
    """Return what is left of constraints on positions when rotations have been brought back to unit length.

    Entries of a rotation are of degree 2 in its components, so that with these they change twice as much.
    """
    system = frame.system
    stated = {name: e.expression for name, e in system.holonomic.items() if name not in system.units}
    put = frame.put(list(stated.values()))
    change: dict[Expr, Expr] = {}
    for point in frame.rotations:
        half = total([(1, point.unit.right), (-1, point.unit.left)]) / 2
        change |= {q: q * half for q in point.components}
        change |= {e: 2 * e * half for row in frame.rows(point) for e in row}
    moved = tangent(put, change)
    return dict(zip(stated, (total([(1, r), (1, d)]) for r, d in zip(put, moved, strict=True)), strict=True))


def brought_back(
    frame: TangentFrame, mass: Sequence[Sequence[Expr]], saddle: Saddle, places: Mapping[str, Expr]
) -> tuple[dict[Expr, Expr], ...]:
    """Return the same where all rows are kept: rotations to unit length, and all along u, the shortest way there is.

    ``places`` are the residuals.
    """
    if frame.directions or not places:
        return positions_back(frame, rank=saddle.position_rank)
    (moved,) = unit_projection(frame)
    rows = [saddle.rows[saddle.names.index(name)] for name in places]
    rank = saddle.position_rank - len(frame.system.points)
    step = nearest(frame.velocities, mass, rows, frame.opened(list(places.values())), rank)
    rates = substitute(list(frame.kinematics.values()), step)
    return ({q: total([(1, rate), (1, moved.get(q, ZERO))]) for q, rate in zip(frame.kinematics, rates, strict=True)},)
