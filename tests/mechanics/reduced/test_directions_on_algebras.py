"""Directions that constraints allow on a Lie group: integrable if and only if they are a subalgebra, in any chart."""

from itertools import combinations
from random import Random

import pytest

from dalembert import System, check, check_facts, controllability, derive
from dalembert.analysis.discovery.discover import discover
from dalembert.errors import ExpressionError
from dalembert.expr import symbol
from dalembert.expr.graph import as_expr
from dalembert.expr.truth import generic_rank
from dalembert.geometry.distributions import Distribution, derived_flag
from dalembert.geometry.fields import Chart
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.groups.second_kind import second_kind
from dalembert.geometry.groups.standard_algebras import standard_algebra
from dalembert.mechanics.nonholonomic.integrable_part import allowed_directions, integrability_claim


def held(name: str, rows: list[list[int]], **more: object) -> System:
    size = standard_algebra(name).algebra.dimension
    u = [f"u{i}" for i in range(size)]
    forms = {f"c{k}": " + ".join(f"({c})*{v}" for c, v in zip(row, u, strict=True)) for k, row in enumerate(rows)}
    kinetic = " + ".join(f"{v}^2/2" for v in u)
    return System.of(
        name=name, lagrangian=kinetic, constraints=forms, algebra={"name": name, "velocities": u, **more}
    )  # fmt: skip


def drawn() -> list[tuple[str, list[list[int]]]]:
    """Rows along the axes, where subalgebras are frequent, and rows of small numbers."""
    found = []
    for name in ("so(3)", "se(2)", "heisenberg", "sl(2)", "so(4)", "se(3)"):
        size, draw = standard_algebra(name).algebra.dimension, Random(name)
        for bound in range(1, size - 1):
            axes = list(combinations(range(size), bound))
            for k in range(4):
                if k < 3:
                    rows = [[int(i == a) for i in range(size)] for a in draw.choice(axes)]
                else:
                    rows = [[draw.randint(-1, 1) for _ in range(size)] for _ in range(bound)]
                if generic_rank([[as_expr(e) for e in row] for row in rows]).rank == bound:
                    found.append((name, rows))
    return found


def growth(allowed: Distribution) -> list[int]:
    return [generic_rank([f.components for f in step]).rank for step in derived_flag(allowed.fields)]


def test_they_grow_as_in_coordinates_of_the_group():
    answers = {True: 0, False: 0}
    for name, rows in drawn():
        algebra, allowed = standard_algebra(name).algebra, allowed_directions(held(name, rows))
        s = tuple(symbol(f"s{i}") for i in range(algebra.dimension))
        body, _ = second_kind(algebra, s)  # row i: what s_i' gives
        there = Distribution.from_forms(Chart(s), [[dot(row, xi) for xi in body] for row in rows])
        assert growth(allowed) == growth(there), (name, rows)
        basis = [f.components for f in allowed.fields]
        whole = [*basis, *(algebra.bracket(a, b) for a, b in combinations(basis, 2))]
        closed = generic_rank(whole).rank == len(basis)
        claim = integrability_claim(allowed)
        assert ("integrable (" in claim.statement) is closed, (name, rows, claim.statement)
        wrong = Distribution.from_forms(Chart(s), rows)  # velocities of the algebra taken for those of coordinates
        assert len(growth(wrong)) == 1
        answers[closed] += 1
    assert min(answers.values()) > 8, answers


@pytest.mark.parametrize(
    ("name", "rows", "integrable"),
    [
        ("so(3)", [[0, 0, 1]], False),  # Suslov
        ("se(2)", [[0, 0, 1]], False),
        ("se(2)", [[1, 0, 0]], True),
        ("heisenberg", [[0, 0, 1]], False),
        ("heisenberg", [[1, 0, 0]], True),
        ("so(3)", [[1, 0, 0], [0, 1, 0]], True),
    ],
)
def test_every_command_says_the_same(name: str, rows: list[list[int]], *, integrable: bool):
    system = held(name, rows)
    found = discover(system).integrable
    assert found is not None
    assert ("not integrable" not in found.statement) is integrable
    assert "s_u" not in found.statement  # these are no functions on the group
    reached = controllability(derive(system, "reduced"))["allowed directions"]
    assert reached.verdict.holds is not integrable
    free = 3 - len(rows)
    facts = {"holonomic": integrable, "growth": [free] if integrable else [free, 3]}
    assert all(claim.verdict.holds for claim in check_facts(system.but(facts=facts)))
    with pytest.raises(ExpressionError, match="'s_u0' has no value"):
        check(system, that="s_u0 conserved")


def test_what_is_carried_along_is_a_function_on_the_group():
    """The component of the vertical along the axis that does not turn is constant; a sum of squares always is."""
    top = held("so(3)", [[1, 0, 0], [0, 1, 0]], advected={"k": "vector"})
    assert "(k3 is constant; 1 function not shown" in integrability_claim(allowed_directions(top)).statement
    veselova = top.but(constraints={"c": "k1*u0 + k2*u1 + k3*u2 = 0"})
    assert "is not integrable" in integrability_claim(allowed_directions(veselova)).statement
    reached = controllability(derive(veselova, "reduced"))["allowed directions"]
    assert reached.verdict.holds is True


def test_beside_coordinates():
    """The knife edge with a rotor: what turns with the body is integrable, what follows the blade is not."""
    plane = {
        "coordinates": {"r": "real"},
        "lagrangian": "(w^2 + a^2 + b^2 + r'^2)/2",
        "algebra": {"name": "se(2)", "velocities": ["w", "a", "b"]},
    }
    geared = System.of(name="geared", constraints={"edge": "b = 0", "gear": "r' = r*w"}, **plane)
    assert integrability_claim(allowed_directions(geared)).statement.startswith("1 of the 2 constraints is integrable")
    rolling = System.of(name="rolling", constraints={"edge": "b = 0", "roll": "r' = a"}, **plane)
    assert "no combination" in integrability_claim(allowed_directions(rolling)).statement


def test_reduced_equations_reach_what_those_in_coordinates_do():
    skate = System.of(
        name="skate",
        coordinates={"x": "real", "y": "real", "h": "angle"},
        lagrangian="x'^2 + y'^2 + h'^2",
        constraints={"blade": "x'*sin(h) = y'*cos(h)"},
        symmetry={"a": {"x": 1}, "b": {"y": 1}, "c": {"x": "-y", "y": "x", "h": 1}},
    )
    for way in ("nonholonomic", "reduced"):
        assert controllability(derive(skate, way))["allowed directions"].verdict.holds is True
    still = skate.but(constraints={"blade": "x'*sin(h) = y'*cos(h)", "wheel": "h' = 0"})
    for way in ("nonholonomic", "reduced"):
        assert controllability(derive(still, way))["allowed directions"].verdict.holds is False
