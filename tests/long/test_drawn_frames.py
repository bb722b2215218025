"""Certified frames and drifts of drawn constraint matrices hold at points nobody chose, special ones among them."""

from random import Random

import numpy as np
import pytest

from dalembert.expr import ONE, ZERO, Expr, cos, sin, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.truth import generic_rank, vanish
from dalembert.expr.walk import evaluate
from dalembert.geometry.adapted_frames import certified_drift, certified_frames
from dalembert.geometry.groups.matrices import dot

X, Y = symbol("x"), symbol("y")
TH, PH = symbol("th", domain="angle"), symbol("ph", domain="angle")
L = symbol("l", role="parameter", domain="positive")
POOL = [
    ZERO,
    ZERO,
    ONE,
    L,
    X,
    Y,
    cos(TH),
    sin(TH),
    cos(PH),
    sin(PH),
    cos(TH + PH),
    L * sin(TH - PH),
    2 + cos(PH),
    X * Y,
]
SPECIAL = [0.0, np.pi / 2, -np.pi / 2, np.pi]


def values_at(matrix: list[list[Expr]], point: dict[Expr, float]) -> np.ndarray:
    flat = evaluate([entry for row in matrix for entry in row], Floats(point))
    return np.array(flat, float).reshape(len(matrix), -1)


def drawn_point(draw: Random) -> dict[Expr, float]:
    lengths = {s: draw.choice([0.0, draw.uniform(-2, 2)]) for s in (X, Y)}
    angles = {s: draw.choice([*SPECIAL, draw.uniform(-3, 3)]) for s in (TH, PH)}
    return {**lengths, **angles, L: draw.uniform(0.5, 2)}


@pytest.mark.parametrize("seed", range(40))
def test_frames_and_drifts_fail_only_where_the_constraints_do(seed: int) -> None:
    draw = Random(seed)
    coordinates = [X, Y, TH, PH]
    rows = [[draw.choice(POOL) for _ in coordinates] for _ in range(draw.choice([1, 1, 2]))]
    if generic_rank(rows).rank < len(rows):
        return
    rest = [draw.choice(POOL) for _ in rows]
    frames = list(certified_frames(rows, coordinates))
    drift = certified_drift(rows, rest, coordinates)
    assert vanish([dot(row, drift) + r for row, r in zip(rows, rest, strict=True)])
    for _ in range(80):
        point = drawn_point(draw)
        matrix = values_at(rows, point)
        if np.linalg.svd(matrix, compute_uv=False)[-1] < 1e-6:
            continue
        assert np.isfinite(values_at([list(drift)], point)).all()
        for frame in frames:
            fields = values_at([list(field) for field in frame.fields], point)
            assert np.linalg.svd(fields, compute_uv=False)[-1] > 1e-9
            assert np.abs(matrix @ fields.T).max() < 1e-10
