"""Semi-symplectic geometry: the particle with a(y) unspecified, laws on many systems with flipped twins, symmetry."""

from dataclasses import replace
from importlib import import_module

import pytest

from dalembert import gallery, is_zero, parse
from dalembert.errors import ExpressionError, HypothesisError
from dalembert.expr import symbol
from dalembert.expr.calculus import gradient
from dalembert.expr.graph import ZERO, total
from dalembert.expr.truth import Verdict
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import Chart, VectorField, bracket, combination, coordinate_field
from dalembert.geometry.forms import Form, d, interior, lie_derivative
from dalembert.mechanics.nonholonomic import general_constraints
from dalembert.mechanics.registry import claims
from dalembert.mechanics.semisymplectic import semisymplectic
from dalembert.mechanics.semisymplectic.bracket_on_cotangent import (
    conservation_set,
    on_configurations,
    semi_symplectic_map,
)
from dalembert.mechanics.semisymplectic.canonical_projection import (
    CanonicalProjection,
    any_functions,
    contracted,
    schouten,
    semisymplectic_laws,
)
from dalembert.mechanics.semisymplectic.formalism import FORMALISM
from dalembert.mechanics.semisymplectic.manifold import SemiSymplectic, classes
from dalembert.mechanics.semisymplectic.subsystems import ideal, symplecticity_pair
from dalembert.model.system import System

A = "(1 + a(y)^2)"
SLOPE = "D(a, 1)(y)"


def tilted(potential="V(x, y, z)", **more):
    arguments = potential[2:-1].replace(" ", "").split(",") if potential != "0" else []
    functions = {"a": {"of": ["y"]}} | ({"V": {"of": arguments}} if arguments else {})
    return System.of(
        name="tilted",
        coordinates="x y z",
        functions=functions,
        lagrangian=f"(x'^2 + y'^2 + z'^2)/2 - {potential}",
        constraints={"slope": "z' = a(y)*x'"},
        **more,
    )


def same(system, found, stated):
    return is_zero(found - parse(stated, system.vocabulary)).holds


def verdicts(result, only=""):
    return {claim.name: claim.verdict.holds for claim in claims(result, only)}


def laws(result):
    return {claim.name: claim.verdict.holds for law in FORMALISM.laws for claim in law.claims(result)}


@pytest.fixture(scope="module")
def particle():
    return semisymplectic.derive(tilted())


def test_basis_form_and_energy_of_the_particle(particle):
    system = particle.system
    assert [[*map(repr, k.components)] for k in particle.manifold.basis] == [
        ["1", "0", "a(y)", "0", "0"],
        ["0", "1", "0", "0", "0"],
        ["0", "0", "0", "1", "0"],
        ["0", "0", "0", "0", "1"],
    ]
    gram = particle.manifold.gram
    stated = {(0, 1): f"a(y)*{SLOPE}*x'", (0, 2): A, (1, 3): "1", (0, 3): "0", (1, 2): "0", (2, 3): "0"}
    for (i, j), text in stated.items():
        assert same(system, gram[i][j], text)
        assert same(system, gram[j][i], f"-({text})")
    assert same(system, particle.energy, f"{A}*x'^2/2 + y'^2/2 + V(x, y, z)")


def test_the_field_of_any_function(particle):
    system, manifold = particle.system, particle.manifold
    f = any_functions(manifold, ["f"])[0]
    (field,) = manifold.field_of(f)
    x, y, z, vx, vy = (coordinate_field(manifold.chart, c)(f) for c in manifold.chart.coordinates)
    a, slope, u = (parse(e, system.vocabulary) for e in ("a(y)", SLOPE, "x'"))
    n = 1 + a**2
    first = vx / n
    weights = [first, vy, -(x + a * z + a * slope * u * vy) / n, a * slope * u / n * vx - y]
    for found, stated in zip(field.components, manifold.combine(weights).components, strict=True):
        assert is_zero(found - stated).holds
    weights[3] = -a * slope * u / n * vx - y
    assert not all(
        is_zero(c - s).holds for c, s in zip(field.components, manifold.combine(weights).components, strict=True)
    )


def test_brackets_and_jacobiator_of_the_particle(particle):
    found = particle.objects()
    brackets = {"x, x'": f"1/{A}", "z, x'": f"a(y)/{A}", "y, y'": "1", "x', y'": f"-a(y)*{SLOPE}*x'/{A}"}
    assert found["bracket"].keys() == brackets.keys()
    for pair, text in brackets.items():
        assert same(particle.system, found["bracket"][pair], text)
    triples = {"x, x', y'": f"-a(y)*{SLOPE}/{A}^2", "z, x', y'": f"{SLOPE}/{A}^2"}
    assert found["jacobiator"].keys() == triples.keys()
    for triple, text in triples.items():
        assert same(particle.system, found["jacobiator"][triple], text)


def test_curvature_of_the_particle(particle):
    found = particle.objects()["curvature"]
    assert same(particle.system, found["curvature"]["x, y"]["z"], SLOPE)
    assert same(particle.system, found["complement"]["z"]["x"], "-a(y)")
    kappa = CanonicalProjection(particle.manifold)
    chart = particle.manifold.chart
    delta = kappa.curvature(particle.manifold.basis[0], particle.manifold.basis[1])
    stated = [f"-a(y)*{SLOPE}/{A}", "0", f"{SLOPE}/{A}", "0", f"{SLOPE}^2*x'/{A}"]
    for part, text in zip(delta.components, stated, strict=True):
        assert same(particle.system, part, text)
    square = kappa.tensor()
    assert all(is_zero(e).holds for row in (square @ square - square).matrix for e in row)
    across = kappa.of(delta)
    assert all(is_zero(c).holds for c in across.components)
    assert chart.dimension == 5


def test_the_orphaned_integral_is_found():
    found = semisymplectic.derive(tilted("V(y)", symmetry={"e1": {"x": 1}, "e2": {"z": 1}}))
    symmetry = found.find_symmetry()
    assert len(symmetry.orphaned) == 1
    j = parse(f"x'^2*{A}", found.system.vocabulary)
    (orphan,) = symmetry.orphaned
    slopes = [coordinate_field(found.manifold.chart, c) for c in found.manifold.chart.coordinates]
    for one in slopes:
        for other in slopes:
            assert is_zero(one(orphan) * other(j) - other(orphan) * one(j)).holds
    assert symmetry.semi_hamiltonian == ()
    assert symmetry.conserved == ()
    assert len(symmetry.semi_symplectic) == 2
    (field,) = found.manifold.field_of(j)
    twice = found.manifold.combine([2 * found.system.v[0], *[symbol("zero") * 0] * 3])
    assert all(is_zero(a - b).holds for a, b in zip(field.components, twice.components, strict=True))
    assert verdicts(found, "orphaned integral") == {"orphaned integral": True}
    assert laws(found)["momentum equation"]
    (gauge,) = found.find_gauge_momenta()
    assert verdicts(found, "gauge momentum") == {"gauge momentum": True}
    assert same(found.system, gauge.momentum**2, f"x'^2*{A}")
    (section,) = symmetry.sections
    assert same(found.system, section.rate, f"a(y)*{SLOPE}*x'*y'")


def test_a_generator_in_the_constraint_gives_a_momentum_and_no_orphan():
    system = System.of(
        name="rotor on a tilted plane",
        coordinates={"x": "real", "y": "real", "z": "real", "s": "angle"},
        lagrangian="(x'^2 + y'^2 + z'^2 + s'^2)/2 + x'*s'/2",
        constraints={"slope": "z' = y*x'"},
        symmetry={"turn": {"s": 1}, "push": {"x": 1}, "tilt": {"y": 1}},
    )
    found = semisymplectic.derive(system)
    symmetry = found.find_symmetry()
    assert verdicts(found, "symmetry tilt") == {"symmetry tilt": False}
    assert symmetry.names == ("turn", "push")
    assert symmetry.semi_hamiltonian == ((1, 0),)
    assert symmetry.conserved == ((1, 0),)
    assert verdicts(found, "momentum of") == {"momentum of turn": True, "momentum of push": False}
    assert laws(found)["work on push"]


def test_laws_of_symmetry_can_fail():
    """The wrong twin: another motion than that of the constraint forces breaks the balance and each law of momenta."""
    found = semisymplectic.derive(tilted("V(y)", symmetry={"e1": {"x": 1}, "e2": {"z": 1}}))
    given, push = found.motion.equations, found.system.v[0]
    force = tuple(f + sum(row, ZERO) * push for f, row in zip(given.force, given.mass, strict=True))
    wrong = replace(found, motion=replace(found.motion, equations=replace(given, force=force)))
    assert laws(wrong)["work on e1"] is laws(wrong)["work on e2"] is laws(wrong)["momentum equation"] is False
    assert verdicts(wrong, "null-forcing") == {"null-forcing": False}
    assert verdicts(found, "null-forcing") == {"null-forcing": True}


TWELVE = {
    "tilted": (["x", "y", "z"], {"c": "z' = y*x'"}, False),
    "xy": (["x", "y", "z"], {"c": "z' = x*y*x'"}, False),
    "flat": (["x", "y", "z"], {"c": "z' = 2*x'"}, True),
    "sphere": (["x", "y", "z"], {"c": "x*x' + y*y' + z*z' = 0"}, True),
    "closed": (["x", "y", "z"], {"c": "z' = y*x' + x*y'"}, True),
    "contact": (["x", "y", "z"], {"c": "z' = (x*y' - y*x')/2"}, False),
    "two holonomic": (["x", "y", "z", "w"], {"c": "z' = x*x'", "e": "w' = y*y'"}, True),
    "one of two": (["x", "y", "z", "w"], {"c": "z' = y*x'", "e": "w' = y'"}, False),
    "engel": (["x", "y", "z", "w"], {"c": "z' = y*x'", "e": "w' = z*x'"}, False),
    "scaled": (["x", "y", "z"], {"c": "exp(x)*z' = exp(x)*x'"}, True),
    "quotient": (["x", "y", "z"], {"c": "(1 + y^2)*z' = y*x'"}, False),
    "martinet": (["x", "y", "z"], {"c": "z' = y^2*x'"}, False),
}


@pytest.mark.parametrize("name", TWELVE)
@pytest.mark.thorough("sphere", "contact", "two holonomic", "engel", "quotient", "martinet", "one of two")
def test_jacobi_holds_exactly_if_the_constraints_are_involutive(name):
    coordinates, constraints, holonomic = TWELVE[name]
    system = System.of(
        name=name,
        coordinates=coordinates,
        lagrangian=" + ".join(f"(1 + {q}^2)*{q}'^2" for q in coordinates) + " + x*x'*y' - x*y + x'*z",
        constraints=constraints,
    )
    found = semisymplectic.derive(system)
    assert verdicts(found, "jacobi") == {"jacobi": holonomic}
    assert verdicts(found, "involutive") == {"involutive": holonomic}
    assert verdicts(found, "semi-Hamiltonian") == {"semi-Hamiltonian": True}
    assert laws(found)["jacobi iff involutive"]


def magnetic():
    return System.of(
        name="charged",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + z'^2)/2 + y*x' - x*z*y' - x*y*z",
        constraints={"c": "z' = x*y*x' + y'"},
    )


SYSTEMS = {
    "charged": magnetic,
    "sleigh": lambda: gallery.load("chaplygin-sleigh"),
    "disc": lambda: gallery.load("vertical-rolling-disc"),
    "skate": lambda: gallery.load("skateboard"),
    "general": lambda: gallery.load("general-particle"),
}


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.thorough("charged", "sleigh", "disc")
def test_laws_hold_for_any_functions(name):
    found = semisymplectic_laws(semisymplectic.derive(SYSTEMS[name]()).manifold)
    assert len(found) == 10
    assert [law.name for law in found if not law.verdict.holds] == []


def test_laws_hold_with_nonlinear_constraints():
    system = System.of(
        name="pulley",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - z",
        constraints={"rope": "z' = x'*y'"},
    )
    found = semisymplectic_laws(semisymplectic.derive(system).manifold)
    assert [law.name for law in found if not law.verdict.holds] == []


def almost_symplectic():
    x, y, z, w = (symbol(n) for n in "xyzw")
    chart = Chart.of(x, y, z, w)
    form = Form.of(chart, 2, {(0, 1): 1 + z * z, (2, 3): 1 + x * y})
    return SemiSymplectic(chart, form, tuple(coordinate_field(chart, q) for q in chart.coordinates))


def test_an_involutive_manifold_whose_form_is_not_closed():
    manifold = almost_symplectic()
    found = {law.name: law.verdict.holds for law in semisymplectic_laws(manifold)}
    assert found.pop("d omega(Yf, Yg, Yh) = -J(f, g, h)")
    assert all(found.values())
    assert len(found) == 7
    assert manifold.jacobi().holds is False


def test_the_schouten_bracket_is_made_of_fields_and_has_its_sign_and_factor():
    manifold = semisymplectic.derive(tilted("0")).manifold
    f, g, h = any_functions(manifold)
    of_f, of_g, of_h = manifold.field_of(f, g, h)
    jacobi = total([(1, of_h(of_g(f))), (1, of_f(of_h(g))), (1, of_g(of_f(h)))])
    found = contracted(schouten(manifold), (f, g, h), manifold)
    assert is_zero(found / 2 - jacobi).holds
    assert is_zero(found - jacobi).holds is False
    assert is_zero(found / 2 + jacobi).holds is False


def test_the_printed_signs_and_factors_are_refuted():
    # facts 2 to 4 as printed have the opposite sign, and Proposition 5.3 a factor 2 too many
    manifold = semisymplectic.derive(magnetic()).manifold
    kappa = CanonicalProjection(manifold)
    f, g, h = any_functions(manifold)
    of_f, of_g, of_h = manifold.field_of(f, g, h)
    k1, k2 = manifold.basis[:2]
    moved = lie_derivative(of_f, manifold.form)(k1, k2)
    curved = kappa.curvature(k1, k2)(f)
    assert is_zero(moved + curved).holds
    assert is_zero(moved - curved).holds is False
    third = (interior(bracket(of_f, of_g), manifold.form) + d(manifold.bracket(f, g), manifold.chart))(k1)
    bend = kappa.curvature(of_f, k1)(g) - kappa.curvature(of_g, k1)(f)
    assert is_zero(third + bend).holds
    assert is_zero(third - bend).holds is False
    jacobi = total([(1, of_h(of_g(f))), (1, of_f(of_h(g))), (1, of_g(of_f(h)))])
    cyclic = total(
        [
            (1, kappa.curvature(of_f, of_g)(h)),
            (1, kappa.curvature(of_g, of_h)(f)),
            (1, kappa.curvature(of_h, of_f)(g)),
        ]
    )
    assert is_zero(jacobi - cyclic).holds
    assert is_zero(jacobi + cyclic).holds is False
    other = almost_symplectic()
    f, g, h = any_functions(other)
    of_f, of_g, of_h = other.field_of(f, g, h)
    jacobi = total([(1, of_h(of_g(f))), (1, of_f(of_h(g))), (1, of_g(of_f(h)))])
    assert is_zero(d(other.form)(of_f, of_g, of_h) + 2 * jacobi).holds is False


def test_a_semi_symplectic_manifold_given_directly():
    x, y, z = (symbol(n) for n in "xyz")
    space = Chart.of(x, y, z)
    tilted_plane = (VectorField.of(space, {x: 1, z: y}), VectorField.of(space, {y: 1}))
    half = SemiSymplectic(space, Form.of(space, 2, {(0, 1): 1}), tilted_plane)
    assert half.regular().rank == 2
    assert half.contains(VectorField.of(space, {x: 2, y: 1, z: 2 * y})).holds
    assert half.contains(VectorField.of(space, {z: 1})).holds is False
    assert half.involutive().holds is False
    degenerate = SemiSymplectic(space, Form.of(space, 2, {(0, 2): 1}), (coordinate_field(space, x), tilted_plane[1]))
    assert degenerate.regular().rank == 0
    with pytest.raises(ExpressionError, match="all on one chart"):
        SemiSymplectic(space, Form.of(Chart.of(x, y), 2, {(0, 1): 1}), tilted_plane)


def test_the_motion_does_not_depend_on_the_choice_of_velocities():
    skate = gallery.load("skateboard")
    one = general_constraints.derive(skate)
    other = general_constraints.derive(skate.but(fibration={"dependent": ["x"]}))
    assert one.manifold.dependent != other.manifold.dependent
    assert all(claim.verdict.holds for claim in (*claims(one), *claims(other)) if claim.role == "check")


def test_nothing_is_searched_for_before_it_is_asked_for(monkeypatch):
    def refuse(*_):
        raise AssertionError("a search")

    for name in ("symmetry_group", "principal_reduction"):
        monkeypatch.setattr(semisymplectic, name, refuse)
    for name in ("semisymplectic_symmetry", "gauge_momenta"):
        monkeypatch.setattr(import_module(f"{semisymplectic.__package__}.gauge_momenta"), name, refuse)
    found = semisymplectic.derive(tilted("V(y)", symmetry={"e1": {"x": 1}, "e2": {"z": 1}}))
    assert verdicts(found, "null-forcing") == {"null-forcing": True}
    for ask in (found.find_group, found.find_gauge_momenta, found.find_symmetry, found.reduce, found.objects):
        with pytest.raises(AssertionError, match="a search"):
            ask()


WAIST = {"waist": {"at": ["y = y0", "y' = 0"]}, "wall": {"at": "x = 0"}}


def test_the_flow_is_symplectic_on_the_holonomic_subsystem():
    # a'(y0) = 0 is not needed, only that V does not push out of y = y0
    flat = {"parameters": {"y0": 0.3}, "assume": {"flat": "D(V, 2)(x, y0, z) = 0"}, "subsystem": WAIST}
    said = verdicts(semisymplectic.derive(tilted(**flat)), "subsystem")
    assert said["subsystem waist: symplectic"]
    assert said["subsystem waist: invariant"]
    assert said["subsystem waist: curvature"]
    assert said["subsystem waist: inside K"] is False
    assert said["subsystem wall: invariant"] is False
    assert said["subsystem wall: symplectic"] is None
    said = verdicts(semisymplectic.derive(tilted(parameters={"y0": 0.3}, subsystem=WAIST)), "subsystem")
    assert said["subsystem waist: invariant"] is False
    assert said["subsystem waist: symplectic"] is None


def test_mirror_images_suggest_a_subsystem():
    system = System.of(
        name="ridge", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2 - y^2", constraints={"c": "z' = y^2*x'"}
    )
    said = verdicts(semisymplectic.derive(system), "fixed points")
    assert said["fixed points of y -> -y: symplectic"]
    tipped = system.but(lagrangian="(x'^2 + y'^2 + z'^2)/2 - y^2 - y^3")
    assert "fixed points of y -> -y: symplectic" not in verdicts(semisymplectic.derive(tipped), "fixed points")


def test_a_subsystem_that_is_not_solved_is_refused():
    with pytest.raises(ExpressionError, match=r"\[subsystem\] waist: 'y\^2 = 1' must give one of x, y, z, x', y'"):
        semisymplectic.derive(tilted("0", subsystem={"waist": {"at": ["y^2 = 1"]}}))


def test_an_ideal_of_the_distribution():
    # a product of a tilted particle and a free one: the second is an ideal, the first is not
    system = System.of(
        name="product",
        coordinates="x y z s",
        lagrangian="(x'^2 + y'^2 + z'^2 + s'^2)/2 - s^2",
        constraints={"c": "z' = y*x'"},
    )
    manifold = semisymplectic.derive(system).manifold
    free = [coordinate_field(manifold.chart, c) for c in (system.q[3], system.v[3])]
    assert [claim.verdict.holds for claim in ideal(manifold, free)] == [True, True]
    assert ideal(manifold, manifold.basis[:2])[0].verdict.holds is False
    found = semisymplectic.derive(system)
    on_q = [coordinate_field(system.chart, system.q[3])]
    assert [c.verdict.holds for c in symplecticity_pair(found.motion, found.field, free, on_q)] == [True] * 3
    across = [coordinate_field(system.chart, system.q[2])]
    assert [c.verdict.holds for c in symplecticity_pair(found.motion, found.field, free, across)] == [
        False,
        False,
        True,
    ]
    coupled = semisymplectic.derive(system.but(lagrangian="(x'^2 + y'^2 + z'^2 + s'^2)/2 - s^2*x"))
    assert symplecticity_pair(coupled.motion, coupled.field, free, on_q)[2].verdict.holds is False


@pytest.mark.thorough
def test_the_cotangent_side_gives_the_same_bracket():
    for name in ("charged", "sleigh", "skate"):
        assert laws(semisymplectic.derive(SYSTEMS[name]()))["bracket on the cotangent bundle"]
    # with virtual displacements other than Chetaev's there is a W on Q as well, and with nonlinear constraints not
    pulley = System.of(
        name="pulley",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        constraints={"rope": "z' = x'*y'"},
    )
    assert "bracket on the cotangent bundle" not in laws(semisymplectic.derive(pulley))


def test_the_bracket_of_momenta_has_its_sign():
    found = semisymplectic.derive(SYSTEMS["sleigh"]())
    fields = on_configurations(found.motion)
    system = found.system
    p = found.motion.manifold.on(gradient(system.lagrangian, system.v))
    one, other = (total([(1, a * b) for a, b in zip(p, z.components, strict=True)]) for z in fields)
    wrong = total([(1, a * b) for a, b in zip(p, bracket(*fields).components, strict=True)])
    assert is_zero(found.manifold.bracket(one, other) + wrong).holds
    assert is_zero(found.manifold.bracket(one, other) - wrong).holds is False


def test_maps_between_semi_symplectic_manifolds():
    found = semisymplectic.derive(tilted("0"))
    manifold = found.manifold
    x, y, z, vx, vy = manifold.chart.coordinates
    shift = semi_symplectic_map(manifold, manifold, [x + 3, y, z - 2, vx, vy])
    assert [claim.verdict.holds for claim in shift] == [True, True]
    mirror = semi_symplectic_map(manifold, manifold, [-x, y, -z, -vx, vy])
    assert [claim.verdict.holds for claim in mirror] == [True, True]
    stretch = semi_symplectic_map(manifold, manifold, [2 * x, y, 2 * z, vx, vy])
    assert [claim.verdict.holds for claim in stretch] == [False, True]
    tilt = semi_symplectic_map(manifold, manifold, [x, y + 1, z, vx, vy])
    assert [claim.verdict.holds for claim in tilt] == [False, False]
    # T psi o Y_(f o psi) = Y_f o psi, for the mirror
    f = x * vx + y**2 * z * vy
    images = [-x, y, -z, -vx, vy]
    put = dict(zip(manifold.chart.coordinates, images, strict=True))
    pushed = manifold.field_of(substitute([f], put)[0])[0].apply(images)
    wanted = substitute(list(manifold.field_of(f)[0].components), put)
    assert all(is_zero(a - b).holds for a, b in zip(pushed, wanted, strict=True))


def test_the_conservation_set_of_a_nonlinear_constraint():
    system = System.of(
        name="pulley with a rotor",
        coordinates={"x": "real", "y": "real", "z": "real", "s": "angle"},
        lagrangian="(x'^2 + y'^2 + z'^2 + s'^2)/2 - z",
        constraints={"rope": "z' = sqrt(x'^2 + y'^2)"},
        symmetry={"e1": {"x": 1}, "turn": {"s": 1}},
    )
    found = semisymplectic.derive(system)
    assert [list(map(repr, row)) for row in conservation_set(found.motion)] == [["0", "0", "0", "1"]]
    assert verdicts(found, "momentum of") == {"momentum of e1": False, "momentum of turn": True}
    assert found.objects()["common_displacements"] == [
        dict(zip("xyzs", conservation_set(found.motion)[0], strict=True))
    ]
    linear = semisymplectic.derive(tilted("0"))
    assert len(conservation_set(linear.motion)) == 2
    assert "common_displacements" not in linear.objects()


def test_a_constraint_that_is_a_pair_of_planes():
    """z' = x' + abs(y'): where y' = 0 its form has no value, and nothing is suggested there."""
    pair = System.of(
        name="pair",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        constraints={"c": "(z' - x')^2 = y'^2"},
    )
    found = semisymplectic.derive(pair)
    assert "common_displacements" not in found.objects()
    assert not [claim for claim in claims(found) if claim.failed]
    assert not any(claim.name.startswith("fixed points of y") for claim in claims(found))


def parallel_with_rotor(**more):
    """Two points with parallel velocities, and a rotor that turns beside them."""
    return System.of(
        name="parallel",
        coordinates={"x": "real", "y": "real", "u": "real", "v": "real", "s": "angle"},
        lagrangian="(x'^2 + y'^2 + u'^2 + v'^2 + s'^2)/2",
        constraints={"parallel": "x'*v' = y'*u'"},
        symmetry={"e1": {"x": 1}, "e2": {"y": 1}, "e3": {"u": 1}, "e4": {"v": 1}, "turn": {"s": 1}},
        **more,
    )


def test_the_momentum_equation_under_a_nonlinear_constraint():
    found = semisymplectic.derive(parallel_with_rotor())
    x = found.system.q[0]
    decided = laws(found)
    assert decided["momentum equation"]
    assert decided["work on e1"]
    # W is where dx v' + dv x' = dy u' + du y', so this section lies in it, and depends on the velocity
    section = found.momentum_equation({"e1": x.dot, "e2": found.motion.manifold.velocities[1]})
    assert is_zero(found.field(section.momentum) - section.rate, found.manifold.facts).holds
    with pytest.raises(HypothesisError, match="it leaves W along parallel"):
        found.momentum_equation({"e1": 1})
    assert verdicts(found, "momentum of")["momentum of turn"]


def test_the_flow_is_symplectic_in_what_all_virtual_displacements_share():
    # Proposition 4.1 with D the intersection of all W_v: the rotor, and nothing that the constraint sees
    stated = {
        "rotor": {"fields": [{"s": 1}, {"s'": 1}], "over": [{"s": 1}]},
        "point": {"fields": [{"x": 1}, {"x'": 1}], "over": [{"x": 1}]},
        "spin": {"fields": [{"s": 1}, {"s'": 1}]},
    }
    said = verdicts(semisymplectic.derive(parallel_with_rotor(subsystem=stated)), "subsystem")
    assert {name: holds for name, holds in said.items() if "rotor" in name} == {
        "subsystem rotor: D_0 in D": True,
        "subsystem rotor: D_0' over D_0": True,
        "subsystem rotor: D_0' invariant": True,
    }
    assert said["subsystem point: D_0 in D"] is False
    assert said["subsystem spin: ideal"]
    assert said["subsystem spin: closed"]


def test_a_null_forcing_is_one_that_omega_does_not_see():
    found = semisymplectic.derive(tilted("0"))
    kappa = CanonicalProjection(found.manifold)
    z = coordinate_field(found.manifold.chart, found.system.q[2])
    assert found.manifold.is_null_forcing(z - kappa.of(z)).holds
    assert found.manifold.is_null_forcing(z).holds is False


def test_zeros_of_the_curvature_are_candidates_only():
    def said(name):
        (claim,) = claims(semisymplectic.derive(gallery.load(name)), "flat points")
        return claim.verdict

    assert said("particle-xy").kind == "proved"
    assert "where x = 0, and the constraints keep" in said("particle-xy").evidence
    board = said("snakeboard")  # the axles in line are no flat points
    assert board.kind == "undecided"
    assert "lose rank there" in board.evidence
    assert said("vertical-rolling-disc").kind == "refuted"  # R sin(psi) and R cos(psi) have no common zeros


@pytest.mark.parametrize(
    ("slope", "kind"), [("x^3/3 - k*x", "proved"), ("x^3/3 + k*x", "refuted"), ("x^3 - j*x", "undecided")]
)
def test_flat_points_at_roots_of_the_curvature(slope, kind):
    signs = {"k": {"sign": "positive"}, "j": {"sign": "any"}}
    ramp = System.of(name="ramp", coordinates="x y z", parameters=signs, lagrangian="(x'^2 + y'^2 + z'^2)/2",
                     constraints={"c": f"z' = ({slope})*y'"})  # fmt: skip
    (claim,) = claims(semisymplectic.derive(ramp), "flat points")
    assert claim.verdict.kind == kind


def test_generators_that_depend_on_each_other_have_no_momentum_that_is_zero():
    twice = {"e1": {"x": 1}, "again": {"x": 2}}
    found = semisymplectic.derive(tilted("0", symmetry=twice))
    assert found.objects()["conserved_momenta"] == []


def test_classes_of_fields_on_the_particle():
    found = semisymplectic.derive(tilted("0"))
    manifold = found.manifold
    x, y, z, vx, vy = manifold.chart.coordinates

    def holds(field):
        return [claim.verdict.holds for claim in classes(manifold, field)]

    assert holds(VectorField.of(manifold.chart, {z: 1})) == [False, True, False]  # a symmetry that does not lie in K
    assert holds(manifold.field_of(x * vy + z)[0]) == [True, False, False]  # a field of a function, and no symmetry
    assert holds(combination([(vx, manifold.field_of(x)[0])])) == [False] * 3
    # y Y_x is the field of a function only if a(y) = y: then it is Y_z
    assert holds(combination([(y, manifold.field_of(x)[0])]))[0] is False
    plain = semisymplectic.derive(gallery.load("nonholonomic-particle")).manifold
    assert next(c.verdict.holds for c in classes(plain, combination([(y, plain.field_of(x)[0])]))) is True


def test_where_something_is_left_of_jacobi_that_is_not_refuted_its_verdict_is_told(particle):
    manifold = replace(particle.manifold)
    yes = Verdict("proved", "by a look")
    vars(manifold)["_jacobiator"] = ({(0, 1, 2): ZERO}, yes)
    assert manifold.jacobi().holds is True
    others = replace(particle.manifold)
    vars(others)["_jacobiator"] = ({}, yes)
    assert others.jacobi().evidence == "J vanishes on all triples of coordinates: by a look"
    wrong = replace(particle.manifold)
    vars(wrong)["_jacobiator"] = ({(0, 1, 2): symbol("x")}, yes)
    assert wrong.jacobi().holds is False


@pytest.mark.parametrize(("gap", "kept"), [("0", True), ("1/2", False)])
def test_turns_of_a_loop_keep_their_momentum_where_it_floats(gap, kept):
    loop = System.of(
        name="loop", coordinates=dict.fromkeys("abc", "angle"), lagrangian="(a'^2 + 2*b'^2 + 3*c'^2)/2",
        holonomic={"across": f"3*cos(a) + 4*cos(b) + 5*cos(c) = {gap}", "up": "3*sin(a) + 4*sin(b) + 5*sin(c) = 0"},
        symmetry={"turn": {"a": 1, "b": 1, "c": 1}},
    )  # fmt: skip
    result = semisymplectic.derive(loop)
    (claim,) = claims(result, "momentum of turn")
    assert claim.verdict.holds is kept
    assert bool(result.objects()["conserved_momenta"]) is kept


@pytest.mark.parametrize("names", ["cxyz", "xyz", "yxz"])
def test_jacobi_is_refuted_wherever_the_triple_stands_that_shows_it(names):
    """Triples are tried first that have brackets with the first coordinate; here c has none, and x one alone."""
    space = Chart.of(*map(symbol, names))
    x, y, z = map(symbol, "xyz")
    fields = VectorField.of(space, {x: 1, z: y}), VectorField.of(space, {y: 1})
    places = tuple(sorted((names.index("x"), names.index("y"))))
    contact = SemiSymplectic(space, Form.of(space, 2, {places: 1}), fields)
    shown = contact.jacobi()
    assert (shown.holds, shown.evidence[:10]) == (False, f"J({names[-3]}, {names[-2]}, z)"[:10])
    line = SemiSymplectic(space, contact.form, (VectorField.of(space, {x: 1}), VectorField.of(space, {y: 1})))
    assert line.jacobi().holds


def test_a_momentum_that_is_zero_is_not_said_to_be_conserved():
    """L does not contain z', so the momentum of the shift along z is zero; that of y is conserved."""
    system = System.of(
        name="fallen",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2)/2",
        constraints={"c": "z' = x*y'"},
        symmetry={"up": {"z": 1}, "along": {"y": 1}},
    )
    told = {claim.name: claim.statement for claim in claims(semisymplectic.derive(system), "momentum of")}
    assert told["momentum of up"] == "the momentum of up is zero"
    assert told["momentum of along"].startswith("the momentum of along is conserved")
