"""Strategies for Hypothesis: what they draw is valid, of many kinds, and made small where something fails."""

import pytest
from hypothesis import find, given, settings

from dalembert import System
from dalembert.expr.readers import Balls
from dalembert.expr.walk import postorder
from dalembert.geometry.groups import LieGroup
from dalembert.testing import (
    check_laws,
    expressions,
    forms,
    groups,
    nonholonomic_systems,
    points,
    random_nonholonomic_system,
    systems,
    vector_fields,
)


@given(expressions(solves=True), points())
def test_expressions_have_a_value_at_every_point(expression, point):
    assert Balls(point, 200).read([expression])[0].is_finite()


@pytest.mark.parametrize("op", ["sum", "product", "power", "call", "sincos", "jet", "solve"])
@pytest.mark.thorough("product", "power", "jet", "solve")
def test_all_kinds_of_nodes_are_drawn_and_what_is_found_is_small(op):
    quiet = settings(max_examples=500, database=None)
    found = find(expressions(jets=True, solves=True), lambda e: any(n.op == op for n in postorder([e])), settings=quiet)
    assert len(postorder([found])) <= 16


@settings(max_examples=6)
@given(nonholonomic_systems())
def test_constrained_systems_do_no_virtual_work(system):
    assert system.constraints
    claims = check_laws(system, formalisms=["nonholonomic"], only="virtual work")
    assert [claim.verdict.holds for claim in claims] == [True]


@settings(max_examples=6)
@given(systems())
def test_free_systems_keep_their_energy_balance(system):
    claims = check_laws(system, formalisms=["euler-lagrange"], only="energy balance")
    assert [claim.verdict.holds for claim in claims] == [True]


@given(forms(2), vector_fields(), groups())
@settings(max_examples=5)
def test_objects(form, field, group):
    assert form.degree == 2
    assert field.chart == form.chart
    assert isinstance(group, LieGroup)


def test_a_seed_gives_one_system():
    one, other = random_nonholonomic_system(5), random_nonholonomic_system(5)
    assert isinstance(one, System)
    assert one == other != random_nonholonomic_system(6)
