"""What is zero, but does not look so, goes the way of a zero: 0 is a value and not a spelling."""

from dataclasses import replace

import pytest

from dalembert import System, claims, derive
from dalembert.errors import ModelError
from dalembert.expr import cos, sin, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import evaluate, symbols
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.groups import action_from_generators
from dalembert.geometry.groups.affine_action import affine_action
from dalembert.mechanics.reduced.reduced import named_momenta
from dalembert.mechanics.reduced.theorems import momenta_conserved

a = symbol("a", domain="angle")
HIDDEN, SEEN = "sin(a)^2 + cos(a)^2 - 1", "sin(a)^2 + cos(a)^2 + 1"
hidden = sin(a) ** 2 + cos(a) ** 2 - 1


def cart(**more):
    given = {
        "name": "cart",
        "coordinates": {"x": "real", "y": "real", "a": "angle"},
        "lagrangian": "x'^2/2 + y'^2/2 + a'^2/2 - cos(a)",
        "symmetry": {"along": {"x": 1}},
    }
    return System.of(**given | more)


def test_a_force_that_is_zero_is_none():
    plain, none, some = cart(), cart(forces={"x": HIDDEN}), cart(forces={"x": SEEN})
    assert not none.forces
    assert list(none.stated_forces) == list(some.forces) == list(some.stated_forces)
    told = [
        [(c.name, c.statement, c.verdict.kind) for c in claims(derive(one, "euler-lagrange"))]
        for one in (plain, none, some)
    ]
    assert told[0] == told[1] != told[2]


def test_a_constraint_that_is_zero_says_nothing():
    with pytest.raises(ModelError, match="both sides are the same"):
        cart(constraints={"c": f"{HIDDEN} = 0"})


def test_a_momentum_that_is_zero_is_told_to_be_and_has_no_letter():
    """And those beside it keep their numbers, by which theorems speak of them."""
    found = derive(cart(symmetry={"along": {"x": 1}, "across": {"y": 1}}), "reduced")
    for zero, said in ((hidden, ["zero", "conserved"]), (found.motion.momenta[0], ["conserved", "conserved"])):
        motion = replace(found.motion, momenta=(zero, *found.motion.momenta[1:]))
        told = momenta_conserved(replace(found, motion=motion), ProofBudget(0.0))
        assert [one.statement.split()[-1] for one in told] == said
        assert all(one.verdict.holds for one in told)
        names = [f"p_{k}" for k, word in enumerate(said, 1) if word == "conserved"]
        assert [p.data.name for p in named_momenta(motion, (), ())] == names


def test_multipliers_of_least_norm_where_a_mass_is_zero():
    def forces(mass):
        twice = {"c": "y' = x'*cos(a)", "again": "2*y' = 2*x'*cos(a)"}
        lagrangian = f"x'^2/2 + ({mass})*y'^2/2 + a'^2/2 - x*sin(a)"
        return derive(cart(lagrangian=lagrangian, constraints=twice, symmetry={}), "nonholonomic").equations.monitors

    plain, none = forces("0"), forces(HIDDEN)
    assert plain.keys() == none.keys()
    at = {
        one: 0.3 + 0.2 * k
        for k, one in enumerate(map(symbol, sorted(symbols([*plain.values(), *none.values()]), key=str)))
    }
    values = [evaluate(list(one.values()), Floats(at)) for one in (plain, none)]
    assert values[0] == pytest.approx(values[1])


def test_an_action_has_no_shift_where_it_is_zero():
    x, p = symbol("x"), symbol("p", role="parameter")
    zero = (p + 1) ** 2 - p**2 - 2 * p - 1
    (shift,) = affine_action(action_from_generators({"grow": VectorField.of(Chart.of(x), [x + zero])})).shifts
    assert shift == (0 * x,)
