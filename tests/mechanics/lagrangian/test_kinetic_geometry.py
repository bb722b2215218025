"""Curvature of the kinetic metric and the nonholonomic connection, each by another derivation, with wrong twins."""

from dataclasses import replace

import pytest

from dalembert import HypothesisError, System, claims, derive, gallery
from dalembert.expr import ZERO
from dalembert.expr.truth import is_zero
from dalembert.expr.truth.many import ProofBudget
from dalembert.geometry.fields import VectorField, bracket, coordinate_field
from dalembert.mechanics.lagrangian import kinetic_geometry
from dalembert.mechanics.nonholonomic import kinetic_objects
from dalembert.present.results import geometry_section
from dalembert.present.text_writer import in_text

PENDULUM = System.of(
    name="double pendulum",
    coordinates={"a": "angle", "b": "angle"},
    parameters={"m": 1, "M": 2, "l": 1, "g": 9.81},
    lagrangian="(M + m)*l^2*a'^2/2 + m*(b'^2/2 + l*a'*b'*cos(a - b)) + g*(2*cos(a) + cos(b))",
)
SLEIGH = System.of(
    name="sleigh on a slope",
    coordinates={"x": "real", "y": "real", "phi": "angle"},
    parameters={"m": 1, "I": 2, "a": 0.3, "g": 9.81},
    lagrangian="m*((x' - a*phi'*sin(phi))^2 + (y' + a*phi'*cos(phi))^2)/2 + I*phi'^2/2 - g*m*(x + a*cos(phi))",
    constraints={"blade": "y'*cos(phi) = x'*sin(phi)"},
)


def test_curvature_is_that_of_neighbouring_motions():
    found = kinetic_geometry(PENDULUM)
    assert found.curvature_is_jacobi(ProofBudget(0.0)).holds
    twin = replace(found, potential=-found.potential)
    assert twin.curvature_is_jacobi(ProofBudget(0.0)).holds is False
    ((first, cross), (_, last)) = found.metric
    flat = replace(found, metric=((first, 0 * cross), (0 * cross, last)))
    assert flat.curvature_is_jacobi(ProofBudget(0.0)).holds is False
    assert is_zero(found.scalar - 2 * found.sectional(0, 1)).holds  # as on every surface
    shown = derive(PENDULUM, "euler-lagrange")
    assert {"ricci_tensor", "sectional_curvature", "scalar_curvature"} <= shown.objects().keys()
    assert [claim.verdict.holds for claim in claims(shown, only="curvature", verify=True)] == [True]


def test_motions_under_constraints_are_geodesics_of_their_connection():
    result = derive(SLEIGH, "nonholonomic")
    assert [claim.verdict.holds for claim in claims(result, only="nonholonomic connection", verify=True)] == [True]
    assert {"nonholonomic_connection", "nonholonomic_torsion", "nonholonomic_curvature"} <= result.objects().keys()
    found, speeds = result.kinetic_geometry, [SLEIGH.v[i] for i in result.distribution.independent]
    held = coordinate_field(found.chart, SLEIGH.q[0])  # of another distribution
    twin = replace(found, fields=(held, found.fields[1]))
    assert twin.motions_are_geodesics(speeds, result.acceleration, ProofBudget(0.0)).holds is False
    # P of the torsion vanishes, what is left of it is -(1 - P)[X, Y]
    torsion = found.constrained.torsion_on_basis(0, 1)
    assert all(is_zero(part).holds for part in found.constrained.parts(torsion))
    assert not all(is_zero(part).holds for part in torsion.components)


def test_curvature_of_a_turning_body_is_that_of_its_algebra():
    """Milnor: of a left-invariant metric the scalar curvature is known by the moments alone."""
    body = gallery.load("veselova-chart")
    found = kinetic_objects(body)
    a, b, c = (body.vocabulary[name] for name in ("I1", "I2", "I3"))
    means = [(b + c - a) / 2, (a + c - b) / 2, (a + b - c) / 2]
    ricci = [2 * means[i] * means[j] for i, j in ((1, 2), (0, 2), (0, 1))]
    assert is_zero(found["scalar_curvature"] - sum(ricci) / (a * b * c)).holds
    assert is_zero(found["scalar_curvature"] + sum(ricci) / (a * b * c)).holds is False
    with pytest.raises(HypothesisError, match="degenerate"):
        kinetic_objects(gallery.load("heisenberg"))
    with pytest.raises(HypothesisError, match="is a rotation"):
        kinetic_objects(gallery.load("veselova"))


def test_constraints_that_are_not_linear_have_no_connection_and_are_told():
    hoist = System.of(
        name="hoist",
        coordinates={"a": "angle", "b": "angle", "z": "real"},
        parameters={"A": 2, "B": 1, "C": "0.5", "k": "0.7"},
        lagrangian="A*a'^2/2 + B*b'^2/2 + C*a'*b'*cos(a - b) + z'^2/2 - z",
        constraints={"rope": "z' = k*a'*b'"},
    )
    found = kinetic_objects(hoist)
    assert found["nonholonomic_connection"] == "for linear constraints, and 'rope' is nonlinear"
    # Christoffel's symbols of two bars, read as fractions in lowest terms
    assert str(found["christoffel_symbols"]["a: a, a"]) == "C^2*cos(a - b)*sin(a - b)/(A*B - C^2*cos(a - b)^2)"
    page = in_text(geometry_section(found, derive(hoist, "nonholonomic").equations))
    assert "It is for linear constraints, and 'rope' is nonlinear." in page


@pytest.mark.thorough
def test_torsion_of_allowed_fields_is_minus_what_of_their_bracket_is_not_allowed():
    cart = gallery.load("two-wheeled-robot")  # too large to be shown without being asked for
    shown = kinetic_objects(cart)
    assert list(shown["allowed_fields"]) == ["1", "2"]
    assert "nonholonomic_torsion" not in derive(cart, "nonholonomic").objects()
    fields = [VectorField.of(cart.chart, list(one.values())) for one in shown["allowed_fields"].values()]
    within = derive(cart, "nonholonomic").kinetic_geometry
    crossed = bracket(*fields)
    inside = within.constrained.project(crossed)
    for k, q in enumerate(cart.q):
        gap = shown["nonholonomic_torsion"].get(f"{q.data.name}: 1, 2", ZERO) + (crossed - inside).components[k]
        assert is_zero(gap).holds, q


def test_where_there_is_no_kinetic_metric():
    bent = System.of(name="bent", coordinates="x y", lagrangian="x'^2/2 + y'^2/2 + x*y'")
    assert kinetic_geometry(bent) is None
    assert "ricci_tensor" not in derive(bent, "euler-lagrange").objects()
