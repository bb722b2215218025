"""Theorem 2.2, (14), (15), and section 3 of Garcia and Rodrigo for a Lagrangian of order 2, as for one of order 1."""

import pytest

from dalembert.expr import ONE, substitute
from dalembert.expr.calculus import time_derivative
from dalembert.geometry.fields import VectorField
from dalembert.geometry.forms import coordinate_form, d, interior, lie_derivative, wedge
from dalembert.mechanics.lagrangian.jets import derivative
from dalembert.mechanics.nonholonomic.constraint_manifold import constraint_manifold
from dalembert.mechanics.registry import claims
from dalembert.mechanics.vakonomic.formalism import FORMALISM
from dalembert.mechanics.vakonomic.projector import main_hypothesis, projector
from dalembert.mechanics.vakonomic.vakonomic import derive
from dalembert.model.system import System
from papers.exact import dot, same
from papers.garcia_rodrigo_2004.test_formulas import T, constrained, none, products

pytestmark = pytest.mark.thorough
BENT = System.of(
    name="bent",
    coordinates="x y z",
    lagrangian="(x''^2 + y''^2 + z''^2)/2 + x'*y*y'' - y*y''*z'",
    constraints={"c": "z' = y*x'"},
    symmetry={"e": {"x": 1}, "up": {"z": 1}, "later": {"t": 1}, "none": {"y": 1}},
)


def test_the_constrained_cartan_form_of_order_two():
    # (14): what is left of d Theta~ - theta ^ E~ - f d lambda ^ dt is a product of contact forms
    L, constraints, names, theta, forms = constrained(BENT)
    chart = theta.chart
    structure = [coordinate_form(chart, q) - q.dot * coordinate_form(chart, T) for q in BENT.q]
    along = VectorField(chart, tuple(ONE if c is T else c.dot for c in chart.coordinates))

    def left(sign):
        rest = d(theta) - sign * products(structure, forms)
        for f, m in zip(constraints, names, strict=True):
            rest = rest - f.function * wedge(d(m, chart), coordinate_form(chart, T))
        return interior(along, rest)

    assert left(ONE).is_zero().holds is True
    assert left(-ONE).is_zero().holds is False
    # (15): E~ along a curve is P+(E_L)
    one = projector(BENT, main_hypothesis(BENT, constraint_manifold(BENT)))
    speed = list(along.components)
    values = [dot([form.component(i) for i in range(chart.dimension)], speed) for form in forms]
    multipliers = one.multipliers(L.euler)
    put = dict(zip(names, multipliers, strict=True))
    put |= {m.dot: time_derivative(v) for m, v in zip(names, multipliers, strict=True)}
    assert same(substitute(values, put), one.adjoint(L.euler))
    assert not same(substitute(values, put), L.euler)


def test_critical_curves_and_momenta_of_order_two():
    found, forms = derive(BENT), ("multipliers", "Cartan equations", "without multipliers")
    rows = [row for row in (*FORMALISM.theorems, *FORMALISM.laws) if row.name in forms]
    assert {claim.name: claim.verdict.holds for row in rows for claim in row.claims(found)} == dict.fromkeys(
        forms, True
    )
    said = {claim.name: claim.verdict.holds for claim in claims(found, only="momentum")}
    assert said == {"momentum e": True, "momentum up": True, "momentum later": True, "momentum none": False}
    # 3.3: a symmetry leaves Theta~ as it is along admissible curves
    *_, theta, _ = constrained(BENT)
    along = VectorField(theta.chart, tuple(ONE if c is T else c.dot for c in theta.chart.coordinates))
    x, y, z = BENT.q
    jets, slope = {}, y * x.dot
    for k in range(1, 5):
        jets[derivative(z, k)] = slope
        slope = substitute([time_derivative(slope)], jets)[0]
    for moved, symmetric in ((x, True), (z, True), (y, False)):
        value = lie_derivative(VectorField.of(theta.chart, {moved: ONE}), theta)(along)
        assert none(*substitute([value], jets)) is symmetric
