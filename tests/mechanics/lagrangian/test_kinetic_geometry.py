"""Curvature of the kinetic metric and the nonholonomic connection, each by another derivation, with wrong twins."""

from dataclasses import replace

import pytest

from dalembert import HypothesisError, System, claims, derive, gallery, parse
from dalembert.expr import ONE, ZERO
from dalembert.expr.calculus import tangent
from dalembert.expr.truth import Where, is_zero
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import VectorField, bracket, coordinate_field
from dalembert.mechanics.common import points_of
from dalembert.mechanics.lagrangian import kinetic_geometry
from dalembert.mechanics.lagrangian.kinetic_in_frame import kinetic_geometry_in_frame
from dalembert.mechanics.nonholonomic import kinetic_objects
from dalembert.mechanics.nonholonomic.kinetic_curvature import _in_frame
from dalembert.present.all_objects import geometry_section
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
    found = kinetic_geometry(body)
    a, b, c = (body.vocabulary[name] for name in ("I1", "I2", "I3"))
    means = [(b + c - a) / 2, (a + c - b) / 2, (a + b - c) / 2]
    ricci = [2 * means[i] * means[j] for i, j in ((1, 2), (0, 2), (0, 1))]
    assert is_zero(found.scalar - sum(ricci) / (a * b * c)).holds
    assert is_zero(found.scalar + sum(ricci) / (a * b * c)).holds is False
    with pytest.raises(HypothesisError, match="degenerate"):
        kinetic_objects(gallery.load("heisenberg"))


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


def test_bodies_in_space_have_the_curvature_of_the_same_bodies_by_angles():
    """A metric that depends on attitude and on a slider; scalar curvature is a function on Q, whatever the frame."""
    kinetic = "(A*W1^2 + B*W2^2 + C*W3^2)/2 + s'^2*(2 + M33)/2 + k*s*s'*W1"
    spins = ["ps'*sin(th)*sin(ph) + th'*cos(ph)", "ps'*sin(th)*cos(ph) - th'*sin(ph)", "ps'*cos(th) + ph'"]
    parts = {"A": 1, "B": 2, "C": "2.5", "k": "0.3"}
    free = System.of(
        name="body",
        coordinates={"R": "rotation", "s": "real"},
        parameters=parts,
        lagrangian=kinetic.replace("W", "R.w").replace("M33", "R.m33"),
    )
    angles = kinetic.replace("M33", "cos(th)")
    for k, spin in enumerate(spins, 1):
        angles = angles.replace(f"W{k}", f"({spin})")
    chart = System.of(
        name="body", coordinates={"ps": "angle", "th": "angle", "ph": "angle", "s": "real"}, parameters=parts,
        lagrangian=angles,
    )  # fmt: skip
    found, other = kinetic_geometry_in_frame(free), kinetic_geometry(chart)
    entry = {name: parse(text, chart.vocabulary) for name, text in _LAST_ROW.items()}
    named = {one: entry[one.data.name] for one in found.tangent.entries if one.data.name in entry}
    named |= {free.q[-1]: chart.q[-1]}
    there = substitute([found.metric.scalar], named)[0]
    assert is_zero(there - other.scalar).holds
    commuting = replace(found.metric, frame=replace(found.metric.frame, structure={}))
    assert is_zero(substitute([commuting.scalar], named)[0] - other.scalar).holds is False


_LAST_ROW = {"R.m31": "sin(th)*sin(ph)", "R.m32": "sin(th)*cos(ph)", "R.m33": "cos(th)"}


@pytest.mark.parametrize("name", ["heavy-top", "suslov", "chaplygin-ball"])
@pytest.mark.thorough("heavy-top")
def test_bodies_in_space_move_along_geodesics(name):
    body = gallery.load(name)
    moving = derive(body, "nonholonomic" if body.stated_constraints else "euler-lagrange").equations
    found = _in_frame(body)[1] or _in_frame(body)[0]
    speeds = list(moving.velocities)
    rates = [moving.rates()[one] for one in speeds]
    assert found.motions_are_geodesics(speeds, rates, ProofBudget(0.0)).holds
    frame = replace(found.metric.frame, structure={})
    twin = replace(found, metric=replace(found.metric, frame=frame))
    if twin.within is not None:
        twin = replace(twin, within=replace(twin.within, whole=twin.metric))
    assert twin.motions_are_geodesics(speeds, rates, ProofBudget(0.0)).holds is False


def test_geometry_of_bodies_is_shown_and_refused_in_words():
    shown = kinetic_objects(gallery.load("suslov"))
    assert str(shown["nonholonomic_connection"]["2: 1, 1"]) == "-I13/I2"
    assert shown["nonholonomic_torsion"]["R.w3: 1, 2"] is -ONE
    fast = System.of(name="fast", coordinates={"R": "rotation"}, lagrangian="(R.w1^2 + R.w2^2 + 2*R.w3^2)/2",
                     constraints={"spin": "R.w1^2 + R.w2^2 = 1"})  # fmt: skip
    assert "is nonlinear" in kinetic_objects(fast)["nonholonomic_connection"]
    with pytest.raises(HypothesisError, match="T - V"):
        kinetic_objects(fast.but(lagrangian="R.w1^4 + R.w2^2 + R.w3^2"))


# -- beside directions -------------------------------------------------------------------------------------------
NEEDLE = System.of(
    name="a needle on a slide", coordinates={"n": "direction", "s": "real"}, parameters={"a": 2, "b": 3},
    lagrangian="(a*n.x'^2 + n.y'^2 + n.z'^2)/2 + (2 + n.z)*s'^2/2 + b*s*s'*n.x' - n.z*s",
)  # fmt: skip
BY_ANGLES = {"n.x": "sin(th)*cos(ph)", "n.y": "sin(th)*sin(ph)", "n.z": "cos(th)"}


def _by_angles(system: System) -> System:
    """The same with the direction by two angles."""
    text = str(system.lagrangian)
    for k in "xyz":
        text = text.replace(f"n.{k}", f"N{k}")
    return System.of(
        name="angles", coordinates={"th": "angle", "ph": "angle", "s": "real"}, parameters={"a": 2, "b": 3},
        let={name.replace("n.", "N"): e for name, e in BY_ANGLES.items()}, lagrangian=text,
    )  # fmt: skip


def test_a_pole_is_on_the_unit_sphere():
    pole = System.of(name="pole", coordinates={"n": "direction"}, lagrangian="(n.x'^2 + n.y'^2 + n.z'^2)/2")
    shown = kinetic_objects(pole)
    assert shown["scalar_curvature"] is 2 * ONE
    assert shown["sectional_curvature"] == {"n.x, n.y": ONE, "n.x, n.z": ONE, "n.y, n.z": ONE}
    assert str(shown["ricci_tensor"]["n.x, n.y"]) == "-n.x*n.y"


@pytest.mark.thorough
def test_curvature_beside_directions_is_that_by_angles():
    """Scalar curvature and Ricci's tensor along a velocity are functions on TQ, whatever the frame."""
    found, chart = kinetic_geometry_in_frame(NEEDLE), _by_angles(NEEDLE)
    other = kinetic_geometry(chart)
    places = [parse(BY_ANGLES.get(q.data.name, q.data.name), chart.vocabulary) for q in NEEDLE.q]
    put = dict(zip(NEEDLE.q, places, strict=True))
    drive = dict(zip(chart.q, chart.v, strict=True))
    u = tangent(places, drive)

    def along(some):
        size = range(len(u))
        return sum((u[i] * u[j] * substitute([some.ricci(i, j)], put)[0] for i in size for j in size), ZERO)

    (scalar,) = substitute([found.metric.scalar], put)
    assert is_zero(scalar - other.scalar).holds
    wanted = sum((p * q * other.ricci[i][j] for i, p in enumerate(chart.v) for j, q in enumerate(chart.v)), ZERO)
    assert is_zero(along(found.metric) - wanted).holds
    commuting = replace(found.metric, frame=replace(found.metric.frame, structure={}))
    assert is_zero(substitute([commuting.scalar], put)[0] - other.scalar).holds is False


@pytest.mark.parametrize("held", [None, {"led": "s' = n.x*n.y' - n.y*n.x'"}], ids=["free", "led"])
def test_motions_beside_directions_are_geodesics(held):
    """P(nabla_u u + grad V) = 0 along the motions of Lagrange's multipliers."""
    system = NEEDLE.but(constraints=held)
    moving = derive(system, "nonholonomic" if held else "euler-lagrange").equations
    whole, within = _in_frame(system)
    rates = moving.rates()
    u = list(whole.tangent.velocities)
    facts = (*points_of(system), *(Where(c.expression) for c in system.constraints.values()))

    def gaps(some, metric):
        pairs = [(u[a] * u[b], metric.symbols[a, b]) for a in range(len(u)) for b in range(len(u))]
        bent = [rates[one] + sum((w * row[c] for w, row in pairs), ZERO) for c, one in enumerate(u)]
        pulled = [a + b for a, b in zip(bent, some.steepest, strict=True)]
        return pulled if some.within is None else some.within.parts(pulled)

    found = within or whole
    assert all(is_zero(gap, facts).holds for gap in gaps(found, found.metric))
    frame = replace(found.metric.frame, structure={})
    twin = replace(found, metric=replace(found.metric, frame=frame))
    assert not all(is_zero(gap, facts).holds for gap in gaps(twin, twin.metric))
