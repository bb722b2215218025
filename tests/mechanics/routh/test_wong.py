"""Wong's equations: the special form and Routh's procedure meet; what is printed with other signs does not."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest
from routh_systems import derived

from dalembert import derive, gallery
from dalembert.errors import HypothesisError
from dalembert.expr import ZERO, diff, solve, substitute, symbol, total
from dalembert.expr.truth import is_zero
from dalembert.expr.truth.many import ProofBudget
from dalembert.geometry.groups import so3
from dalembert.mechanics.routh import routh
from dalembert.mechanics.routh.wong_equations import Wong, wong, wong_claims, wong_system, wong_theorem

IDENTITY = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


@cache
def found(name: str) -> Wong:
    return wong(derived(name))


@pytest.mark.parametrize("name", ["wong plane", "wong space"])
@pytest.mark.thorough("wong space")
def test_both_derivations_meet(name: str) -> None:
    parts = found(name)
    assert [claim.verdict.holds for claim in wong_claims(parts, ProofBudget(0.0))] == [True, True, True]
    assert any(is_zero(k).holds is False for k in parts.field_strength[0][1])


def test_routh_reduction_says_it_where_it_holds() -> None:
    names = [claim.name for claim in wong_theorem(derived("wong plane"), ProofBudget(0.0))]
    assert names == [f"Wong's equations{more}" for more in ("", ", field strength", ", length of the spin")]
    assert wong_theorem(derived("spin"), ProofBudget(0.0)) == []


def test_the_printed_index_and_sign_fail() -> None:
    """x'' with g^im h_bc K_mr^c x^r' w^b has the wrong sign; K_jm^c x^j' has the right one."""
    parts = found("wong plane")
    frame, invariant = parts.result.frame, parts.result.invariant
    assert invariant is not None
    w = solve([list(column) for column in zip(*invariant.matrix, strict=True)], list(frame.v_fibre))
    rates, _ = parts.result.motion.accelerations(frame)
    names = [s for s in parts.equations.kinematics if s not in frame.base]
    base, group = range(2), range(3)
    h, k, v = parts.fibre_metric, parts.field_strength, frame.v_base
    right = substitute([parts.equations.force[0]], dict(zip(names, w, strict=True)))[0]
    push = total([(2, h[b][c] * k[j][0][c] * v[j] * w[b]) for j, b, c in product(base, group, group)])
    pulled = total([(1, parts.metric[0][i] * rates[i]) for i in base])
    assert is_zero(pulled - right).holds is True
    assert is_zero(pulled - (right - push)).holds is False


def test_the_field_strength_with_the_other_sign_of_its_brackets_is_no_curvature() -> None:
    parts = found("wong plane")
    frame, gamma = parts.result.frame, parts.coefficients
    c = frame.action.algebra.constants
    crossed = [
        total([(2, c[p][r][a] * gamma[0][p] * gamma[1][r]) for p, r in product(range(3), repeat=2)]) for a in range(3)
    ]
    assert any(is_zero(e).holds is False for e in crossed)
    plain = [diff(gamma[0][a], frame.base[1]) - diff(gamma[1][a], frame.base[0]) for a in range(3)]
    for a in range(3):
        assert is_zero(parts.field_strength[0][1][a] - plain[a] - crossed[a] / 2).holds is True


@pytest.mark.thorough
def test_a_system_from_its_parts_is_the_one_of_the_gallery() -> None:
    x, y, h = symbol("x"), symbol("y"), symbol("h", role="parameter", domain="positive")
    gamma = [[y, ZERO, x * y / 2], [ZERO, x, -y]]
    made = wong_system(
        "made", [x, y], [[1, 0], [0, 1 + x**2]], so3(), [[h * e for e in row] for row in IDENTITY], gamma,
        parameters={"h": 1.5},
    )  # fmt: skip
    stated = gallery.load("wong-plane")
    assert made.lagrangian is not None
    assert stated.lagrangian is not None
    assert is_zero(made.lagrangian - stated.lagrangian).holds is True
    # a potential on the base is a further force
    parts = wong(routh.derive(made.but(momentum=[0, 0, 1], lagrangian=made.lagrangian - x**4)))
    assert all(claim.verdict.holds for claim in wong_claims(parts, ProofBudget(0.0)))
    assert is_zero(parts.potential - x**4).holds is True


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("rigid body", "not bi-invariant"),
        ("spherical pendulum", "changes from point to point"),
        ("spin", "connection: it is not the one orthogonal to the orbits"),
        ("quartic", "its Hessian depends on velocities"),
    ],
)
def test_what_is_refused(name: str, words: str) -> None:
    with pytest.raises(HypothesisError, match=words):
        wong(derived(name))


def test_wong_of_what_ended_in_no_chart_is_refused_with_the_hypothesis() -> None:
    for name in ("heavy-top", "se2-routh"):
        with pytest.raises(HypothesisError, match="section VIII"):
            wong(derive(gallery.load(name), "routh"))
