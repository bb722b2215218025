"""A look at points in floating point: frames that lose rank where the constraints do not are not worth a proof."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalembert.errors import EvaluationError
from dalembert.expr.calculus import jacobian
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.walk import evaluate, symbols

_POINTS = 60
_ANGLES = (0.0, 0.5, -0.5, 1.0)
"""In half turns: where sines and cosines vanish; lengths are looked at where they are zero."""
_SMALL = 1e-12


class Looks:
    """Points at which matrices are looked at, those with special values among them, on the constraint manifold."""

    def __init__(self, expressions: Sequence[Expr], relations: Sequence[Expr] = ()) -> None:
        import numpy as np

        draw = np.random.default_rng(11)
        self.values: dict[Expr, Any] = {}
        for one in sorted(symbols([*expressions, *relations]), key=lambda s: s.label):
            sizes = draw.uniform(0.2, 2.5, _POINTS)
            if one.domain in {"real", "angle"} and one.role != "parameter":
                sizes = sizes * draw.choice([-1, 1], _POINTS)
            special = draw.random(_POINTS) < 0.6
            if one.domain == "angle":
                sizes = np.where(special, np.pi * draw.choice(_ANGLES, _POINTS), sizes)
            elif one.domain == "real" and one.role == "variable":
                sizes = np.where(special, 0.0, sizes)
            self.values[symbol(one)] = -np.abs(sizes) if one.domain == "negative" else sizes
        if relations:
            self._bring_onto(relations)

    def _bring_onto(self, relations: Sequence[Expr]) -> None:
        """Move the variables by Gauss and Newton until the relations hold; where they do not, a point says nothing."""
        import numpy as np

        moving = [node for node in self.values if node.data.role == "variable"]
        slopes = [slope for row in jacobian(relations, moving) for slope in row]
        for _ in range(30):
            read = self._read([*relations, *slopes])
            if read is None:
                return
            residual, matrix = read[:, : len(relations)], read[:, len(relations) :]
            matrix = matrix.reshape(_POINTS, len(relations), len(moving))
            with np.errstate(all="ignore"):
                good = np.isfinite(read).all(axis=1)
                step = np.zeros((_POINTS, len(moving)))
                step[good] = (np.linalg.pinv(matrix[good]) @ residual[good][..., None])[..., 0]
            for k, node in enumerate(moving):
                self.values[node] = self.values[node] - step[:, k]
        off = ~(np.abs(residual).max(axis=1) < 1e-9)
        for node in moving:
            self.values[node] = np.where(off, np.nan, self.values[node])

    def _read(self, expressions: Sequence[Expr]) -> Any:
        """Return the values, a row for each point; None where something has no number."""
        import numpy as np

        try:
            with np.errstate(all="ignore"):  # a pole is no number
                found = evaluate(list(expressions), Floats(self.values))
        except EvaluationError:  # an unspecified function
            return None
        return np.stack([np.broadcast_to(np.asarray(v, float), _POINTS) for v in found], axis=-1)

    def matrix(self, rows: Sequence[Sequence[Expr]]) -> Any:
        """Return the values of a matrix at all points, its rows scaled; None where they cannot be had."""
        import numpy as np

        flat = self._read([entry for row in rows for entry in row])
        if flat is None:
            return None
        found = flat.reshape(_POINTS, len(rows), -1)
        with np.errstate(all="ignore"):  # a row without a number at any point stays one: it is divided by 0
            return found / np.max(np.abs(np.where(np.isfinite(found), found, 0.0)), axis=(0, 2), keepdims=True)


def gram(matrices: Any) -> Any:
    """Return det(R R^T) of the rows at each point, 0 where there is no number."""
    import numpy as np

    safe = np.where(np.isfinite(matrices).all(axis=(-2, -1))[..., None, None], matrices, 0.0)
    return np.linalg.det(safe @ np.swapaxes(safe, -1, -2))


def losses(rows: Any, fields: Any, choices: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Return for choices of fields at how many points they lose rank where the rows keep it, and where these lose it.

    ``rows`` and ``fields`` are what ``Looks.matrix`` gave; nothing is said where that is None.
    """
    import numpy as np

    if rows is None or fields is None or not choices or not len(choices[0]):
        return [(0, 0)] * len(choices)
    lost = gram(fields[:, np.array(choices)]) < _SMALL
    kept, known = gram(rows) > _SMALL, np.isfinite(rows).all(axis=(-2, -1))
    wrong, shared = ((lost & there[:, None]).sum(axis=0) for there in (kept & known, ~kept & known))
    return [(int(a), int(b)) for a, b in zip(wrong, shared, strict=True)]
