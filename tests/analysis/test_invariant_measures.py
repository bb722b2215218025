"""Invariant measures: found, absent with a proof, undecided; formulas on Lie algebras meet the derived motions."""

import pytest

from dalembert import System, discover, gallery, is_zero
from dalembert.analysis.discovery.algebra_measures import measure_on_algebra
from dalembert.analysis.discovery.densities import find_density
from dalembert.analysis.discovery.letters import letters_of
from dalembert.analysis.discovery.measures import invariant_measures, measures_of, volumes_of
from dalembert.analysis.discovery.position_densities import divergence, position_density
from dalembert.analysis.discovery.steady_traces import steady_trace
from dalembert.analysis.motions import Motions
from dalembert.expr import log
from dalembert.expr.calculus import diff, tangent
from dalembert.expr.graph import symbol
from dalembert.geometry.groups import lie_algebra
from dalembert.mechanics.chaplygin.chaplygin import derive as chaplygin
from dalembert.present.discovered_page import discovered_blocks
from dalembert.present.page import Section
from dalembert.present.text_writer import in_text

SO3 = lie_algebra("ijk", {("i", "j"): {"k": 1}, ("j", "k"): {"i": 1}, ("k", "i"): {"j": 1}})
SE2 = lie_algebra("rab", {("r", "a"): {"b": 1}, ("r", "b"): {"a": -1}})


def rolling(axes, inertia="I1*w1^2 + I2*w2^2 + I3*w3^2", weight="m*g*s") -> System:
    """An ellipsoid on a table, by Euler angles and the place of its centre."""
    a, b, c = axes
    return System.of(
        name="ellipsoid",
        coordinates={"th": "angle", "ps": "angle", "ph": "angle", "x": "real", "y": "real"},
        parameters={"m": 1, "g": 1, "I1": 1, "I2": 2, "I3": 2},
        let={
            "g1": "sin(th)*sin(ps)", "g2": "sin(th)*cos(ps)", "g3": "cos(th)",
            "s": f"sqrt({a}^2*g1^2 + {b}^2*g2^2 + {c}^2*g3^2)",
            "w1": "ph'*sin(th)*sin(ps) + th'*cos(ps)", "w2": "ph'*sin(th)*cos(ps) - th'*sin(ps)",
            "w3": "ps' + ph'*cos(th)",
            "r1": f"-{a}^2*g1/s", "r2": f"-{b}^2*g2/s", "r3": f"-{c}^2*g3/s",
            "u1": "w3*r2 - w2*r3", "u2": "w1*r3 - w3*r1", "u3": "w2*r1 - w1*r2",
            "n1": "cos(ps)*u1 - sin(ps)*u2", "n2": "cos(th)*(sin(ps)*u1 + cos(ps)*u2) - sin(th)*u3",
        },
        lagrangian=f"m*(x'^2 + y'^2 + s'^2)/2 + ({inertia})/2 - {weight}",
        constraints={"rolls_x": "x' = cos(ph)*n1 - sin(ph)*n2", "rolls_y": "y' = sin(ph)*n1 + cos(ph)*n2"},
        symmetry={"e1": {"x": "1"}, "e2": {"y": "1"}, "e3": {"x": "-y", "y": "x", "ph": "1"}},
    )  # fmt: skip


def asked(system: System):
    return measures_of(Motions(system), list(system.symmetry.values()), list(system.symmetry))


# -- on Lie algebras: the formula and the derived motion ----------------------------------------------------------
def test_suslov():
    """The form theta of the algebra is the divergence of the motion that is derived; with the other sign it is not."""
    body = gallery.load("suslov")
    motions = Motions(body)
    w = [motions.names.expression(f"R.w{k}") for k in (1, 2, 3)][:2]
    I1, I2, I3, I13, I23 = (
        symbol(next(p.data for p in body.parameters if p.data.name == n)) for n in ("I1", "I2", "I3", "I13", "I23")
    )
    found = measure_on_algebra(SO3, [[I1, 0, I13], [0, I2, I23], [I13, I23, I3]], [[0, 0, 1]])
    slopes = [diff(divergence(motions), one) for one in w]
    assert all(is_zero(a - b).holds for a, b in zip(slopes, found.theta, strict=False))
    assert not any(is_zero(a + b).holds for a, b in zip(slopes, found.theta, strict=False))
    assert found.exists.holds is False
    assert measure_on_algebra(SO3, [[I1, 0, 0], [0, I2, 0], [0, 0, I3]], [[0, 0, 1]]).exists.holds is True
    assert invariant_measures(body).full.answer == "absent"


def test_sleigh_and_unimodular_groups():
    m, J, a = (symbol(n) for n in "mJa")
    sleigh = measure_on_algebra(SE2, [[J + m * a**2, 0, m * a], [0, m, 0], [m * a, 0, m]], [[0, 0, 1]])
    assert sleigh.exists.holds is False
    assert measure_on_algebra(SE2, [[J, 0, 0], [0, m, 0], [0, 0, m]], [[0, 0, 1]]).exists.holds is True
    two = measure_on_algebra(SE2, [[J + m * a**2, 0, m * a], [0, m, 0], [m * a, 0, m]], [[0, 0, 1], [0, 1, 0]])
    assert two.exists.holds is True  # one direction is left, along which nothing changes
    measures = invariant_measures(gallery.load("chaplygin-sleigh"))
    assert (measures.full.answer, measures.reduced.answer) == ("absent", "absent")
    half_plane = System.of(
        name="half plane", coordinates={"x": "real", "y": "positive"}, lagrangian="(x'^2 + y'^2)/(2*y^2)"
    )
    above = invariant_measures(half_plane)
    assert (above.full.answer, above.reduced.answer) == ("found", "absent")  # its group is not unimodular


@pytest.mark.parametrize("name", ["chaplygin-sleigh", "particle-xy", "nonholonomic-particle", "skateboard"])
def test_the_form_beta_of_a_chaplygin_reduction(name):
    """What brackets decide modulo the group is what beta says on the base: closed, or not."""
    system = gallery.load(name)
    reduced = position_density(Motions(system), list(system.symmetry.values()))
    assert {"exists": True, "absent": False}[reduced.answer] is chaplygin(system).measure.beta.closed.holds


# -- bodies that roll ------------------------------------------------------------------------------------------------
@pytest.mark.thorough
def test_a_rolling_ellipsoid():
    still, heavy = rolling((3, 2, 1), weight="0"), rolling((3, 2, 1))
    assert Motions(still).kinetic
    none = position_density(Motions(still))
    assert (none.answer, none.verdict.kind) == ("absent", "proved")
    assert position_density(Motions(heavy)).answer == "absent"
    assert not Motions(heavy).kinetic
    round_ = rolling((2, 2, 1), "I1*(w1^2 + w2^2) + I3*w3^2")
    assert position_density(Motions(round_)).answer == "exists"


@pytest.mark.thorough
def test_a_rattleback_draws_volumes_together():
    """Axes of inertia turned against those of the shape, about the axis that is vertical."""
    stone = rolling((1, 2, 3), "I1*w1^2 + I2*w2^2 + 3*I3*w3^2 + 2*w2*w3")
    symmetries = list(stone.symmetry.values())
    found = steady_trace(Motions(stone), symmetries)
    assert found.compact
    assert found.free
    straight = rolling((1, 2, 3), "I1*w1^2 + I2*w2^2 + 3*I3*w3^2")
    assert steady_trace(Motions(straight), symmetries) is None


@pytest.mark.thorough
def test_measures_of_ellipsoids():
    still = asked(rolling((3, 2, 1), weight="0"))
    assert (still.full.answer, still.reduced.answer) == ("absent", "absent")
    assert asked(rolling((3, 2, 1))).full.answer == "undecided"
    found = asked(rolling((2, 2, 1), "I1*(w1^2 + w2^2) + I3*w3^2"))
    assert found.full.answer == found.reduced.answer == "found"


def test_absence_beside_a_rotation():
    """Positions that lie on a sphere: five fields on four directions contradict each other where it is shown."""
    skew = System.of(
        name="a body that carries a blade",
        coordinates={"x": "real", "R": "rotation"},
        lagrangian="x'^2/2 + R.w1^2/2 + R.w2^2 + 3*R.w3^2/2",
        constraints={"blade": "x' = R.m11*R.w1 + R.m32*R.w3"},
    )
    found = position_density(Motions(skew))
    assert (found.answer, found.verdict.kind) == ("absent", "proved")
    assert "not zero" in found.verdict.evidence
    free = skew.but(constraints={"blade": "x' = R.w1"})
    assert position_density(Motions(free)).answer == "exists"


# -- Liouville, drag, loops ------------------------------------------------------------------------------------------
def test_liouville():
    fast = System.of(name="fast", coordinates="x y", lagrangian="-sqrt(1 - x'^2 - y'^2) - x^2*y")
    found = invariant_measures(fast).full
    assert found.answer == "found"
    names = ["x", "y", "x'", "y'"]
    assert Motions(fast).preserve(found.density, names).holds is True
    assert Motions(fast).preserve(found.density**2, names).holds is False
    needle = System.of(name="needle", coordinates={"n": "direction"}, lagrangian="n.x'^2 + n.y'^2 + n.z'^2 - n.z")
    assert repr(invariant_measures(needle).full.density) == "1"


def test_a_damped_needle_and_its_angles():
    """What the trace at rest is on the sphere: twice the damping, as by two angles; undamped there is none."""
    needle = System.of(
        name="needle",
        coordinates={"n": "direction"},
        lagrangian="n.x'^2 + n.y'^2 + n.z'^2 + n.x",
        forces={f"n.{axis}": f"-6*n.{axis}'" for axis in "xyz"},
    )
    angles = System.of(
        name="angles",
        coordinates={"a": "angle", "b": "angle"},
        lagrangian="a'^2 + cos(a)^2*b'^2 + cos(a)*cos(b)",
        forces={"a": "-6*a'", "b": "-6*cos(a)^2*b'"},
    )
    found = [invariant_measures(one).full for one in (needle, angles)]
    assert [(one.answer, repr(one.trace.trace)) for one in found] == [("absent", "-6")] * 2
    assert steady_trace(Motions(needle.but(forces=None)), []) is None


def test_drag_and_a_loop():
    swing = System.of(name="swing", coordinates={"a": "angle"}, lagrangian="a'^2/2 + cos(a)", forces={"a": "-3*a'"})
    tied = System.of(
        name="swing",
        coordinates="x y",
        lagrangian="(x'^2 + y'^2)/2 - y",
        holonomic={"rod": "x^2 + y^2 = 1"},
        forces={"x": "-3*x'", "y": "-3*y'"},
    )
    for one in (swing, tied):  # by an angle, and by two numbers
        found = invariant_measures(one).full
        assert (found.answer, repr(found.trace.trace)) == ("absent", "-3")
    winch = System.of(name="winch", coordinates={"a": "angle"}, lagrangian="a'^2/2", forces={"a": "-a'^2"})
    assert invariant_measures(winch).full.answer == "absent"  # exp(2*a) does not come back to itself
    slide = System.of(name="slide", coordinates={"a": "real"}, lagrangian="a'^2/2", forces={"a": "-a'^2"})
    assert repr(invariant_measures(slide).full.density) == "exp(2*a)"


# -- beside constraints on positions, and directions -----------------------------------------------------------------
@pytest.mark.parametrize(("offset", "answer"), [("1", "absent"), ("0", "found")])
@pytest.mark.thorough("1-absent")
def test_a_sleigh_by_two_points(offset, answer):
    """The blade and a point on its line, tied by a rod: as by an angle, none unless the weight is over the blade."""
    tied = System.of(
        name="sleigh",
        coordinates="x y u v",
        lagrangian=f"(x'^2 + y'^2 + (u' - x')^2 + (v' - y')^2 + {offset}*(u'^2 + v'^2))/2",
        holonomic={"rod": "(u - x)^2 + (v - y)^2 = 1"},
        constraints={"blade": "x'*(v - y) = y'*(u - x)"},
    )
    by_angle = System.of(
        name="sleigh",
        coordinates={"x": "real", "y": "real", "a": "angle"},
        lagrangian=f"(x'^2 + y'^2 + a'^2 + {offset}*((x' - sin(a)*a')^2 + (y' + cos(a)*a')^2))/2",
        constraints={"blade": "x'*sin(a) = y'*cos(a)"},
    )
    assert [invariant_measures(one).full.answer for one in (tied, by_angle)] == [answer] * 2


@pytest.mark.parametrize(
    ("blade", "answer"),
    [("n.x*n.y' + n.z*y'", "absent"), pytest.param("n.y*n.x' - n.x*n.y'", "found", id="found")],
)
@pytest.mark.thorough("found")
def test_a_direction_and_its_angles(blade, answer):
    """A rod that turns and drags a blade, by its direction and by two angles."""
    direction = System.of(
        name="rod",
        coordinates={"n": "direction", "x": "real", "y": "real"},
        lagrangian="(n.x'^2 + n.y'^2 + n.z'^2 + x'^2 + 2*y'^2)/2",
        constraints={"blade": f"x' = {blade}"},
    )
    put = {"n.x": "(sin(a)*cos(b))", "n.y": "(sin(a)*sin(b))", "n.z": "cos(a)"}
    put |= {"n.x'": "(cos(a)*cos(b)*a' - sin(a)*sin(b)*b')", "n.y'": "(cos(a)*sin(b)*a' + sin(a)*cos(b)*b')"}
    for name in sorted(put, key=len, reverse=True):
        blade = blade.replace(name, put[name])
    angles = System.of(
        name="rod",
        coordinates={"a": "angle", "b": "angle", "x": "real", "y": "real"},
        lagrangian="(a'^2 + sin(a)^2*b'^2 + x'^2 + 2*y'^2)/2",
        constraints={"blade": f"x' = {blade}"},
    )
    assert [invariant_measures(one).full.answer for one in (direction, angles)] == [answer] * 2


def test_loops_keep_liouvilles_volume():
    """A slider and its crank without friction, and with friction that is quadratic or linear in a speed."""
    crank = System.of(
        name="crank",
        coordinates={"a": "angle", "b": "angle", "x": "real"},
        lagrangian="(a'^2 + 3*b'^2 + x'^2)/2 - cos(a)",
        holonomic={"along": "cos(a) + 2*cos(b) = x", "across": "sin(a) + 2*sin(b) = 0"},
    )
    motions = Motions(crank)
    found = find_density(motions, letters_of(crank, motions.names.equations))
    assert found.over == ("along", "across")
    assert motions.vanishes(divergence(motions) + tangent([log(found.density)], motions.names.drive)[0]).holds is True
    assert motions.vanishes(divergence(motions) - tangent([log(found.density)], motions.names.drive)[0]).holds is False
    oiled = steady_trace(Motions(crank.but(lagrangian="(a'^2 + 3*b'^2 + x'^2)/2", forces={"a": "-7*a'"})), [])
    assert repr(oiled.trace) == "-4"  # with b' = -a'/2 and x' = 0 at rest in line, where the mass is 1 + 3/4
    assert steady_trace(motions, []) is None
    rubbed = [crank.but(forces={"x": force}) for force in ("-x'^2", "-x'")]
    assert [position_density(Motions(one)).answer for one in rubbed] == ["exists", "absent"]


# -- what a "none" is about ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("forces", "with_time", "zeros"),
    [
        ({"x": "-c*x'"}, "exp(c*t)", ["x'"]),
        ({"x": "-c*x' - k*x"}, "exp(c*t)", []),
        ({"x": "-c*x'", "y": "-3*y' + sin(x)"}, "exp(t*(c + 3))", []),
        ({"x": "(1 - x^2)*x' - k*x"}, None, []),
        ({"x": "(1 - x^2)*x'"}, None, ["x'"]),
    ],
)
def test_beside_none_there_are_densities_with_time_and_with_poles(forces, with_time, zeros):
    """exp(c t) dx dx' and 1/x' dx dx' are kept, though no positive smooth density without time is."""
    names = list(dict.fromkeys(["x", *forces]))
    kinetic = " + ".join(f"{q}'^2/2" for q in names)
    drag = System.of(name="drag", coordinates=names, lagrangian=kinetic, parameters="c k", forces=forces)
    found = invariant_measures(drag)
    assert found.full.answer == "absent"
    timed = [one for one in found.others if not one.zeros]
    assert [repr(one.density) for one in timed] == [with_time] * (with_time is not None)
    assert [repr(f) for one in found.others for f in one.zeros] == zeros
    motions = Motions(drag)
    for one in found.others:  # by the volume of stated variables, and not with another density
        volume = [repr(v) for v in one.variables]
        assert motions.preserve(one.density, volume).holds is True
        assert motions.preserve(one.density**2, volume).holds is False


def test_a_density_with_a_pole_is_not_one_of_all_states():
    """Where the equations have the same pole it is no restriction."""
    drag = System.of(name="drag", coordinates="x y", lagrangian="(x'^2 + y'^2)/2", forces={"x": "-x'*y'/(1 + y)"})
    found = invariant_measures(drag)
    assert found.full.answer == "found"  # the equations have the pole as well
    assert repr(found.full.density) == "y + 1"
    damped = drag.but(forces={"x": "-x'"})
    assert (invariant_measures(damped).full.answer, invariant_measures(damped).full.density) == ("absent", None)


def test_absence_is_asked_where_the_constraints_hold():
    """A ball in a bowl of any shape, all velocities beside multipliers: there is a density for every profile."""
    n, slope = "sqrt(1 + D(f, 1)(z)^2)", "D(f, 1)(z)"
    bowl = System.of(
        name="bowl",
        coordinates={"R": "rotation", "z": "real", "p": "angle"},
        parameters=["m", "J", "a", "g"],
        functions={"f": ["z"]},
        lagrangian=f"m*(z'^2*(1 + {slope}^2) + f(z)^2*p'^2)/2 + J*(R.s1^2 + R.s2^2 + R.s3^2)/2 - m*g*z",
        constraints={
            "meridian": f"{n}*z' = a*(cos(p)*R.s2 - sin(p)*R.s1)",
            "parallel": f"f(z)*p' = -a*(R.s1*{slope}*cos(p) + R.s2*{slope}*sin(p) + R.s3)/{n}",
        },
    )
    motions = Motions(bowl)
    assert motions.beside  # the state has velocities that no motion has
    assert invariant_measures(bowl).full.answer == "exists"


# -- the volume form --------------------------------------------------------------------------------------------------
def on_a_surface(slope_u: str, slope_v: str, **more: object) -> System:
    """A homogeneous ball whose centre is on a graph, with the slopes of that."""
    p, q = slope_u, slope_v
    return System.of(
        name="ball on a surface",
        coordinates={"R": "rotation", "u": "real", "v": "real"},
        parameters=["m", "J", "a"],
        let={"n3": f"1/sqrt(1 + ({p})^2 + ({q})^2)", "n1": f"-({p})*n3", "n2": f"-({q})*n3"},
        lagrangian=f"m*(u'^2 + v'^2 + (({p})*u' + ({q})*v')^2)/2 + J*(R.s1^2 + R.s2^2 + R.s3^2)/2",
        constraints={"c1": "u' = a*(R.s2*n3 - R.s3*n2)", "c2": "v' = a*(R.s3*n1 - R.s1*n3)"},
        **more,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("p", "q", "area"),
    [("u", "2*v", "sqrt(u^2 + 4*v^2 + 1)"), ("u", "-v", "sqrt(u^2 + v^2 + 1)"), ("2", "1", "1")],
)
def test_densities_are_of_volumes_in_stated_velocities(p: str, q: str, area: str):
    """A ball that rolls on a surface keeps area times dR du dv dw1 dw2 dw3; with a power of it, it does not."""
    system = on_a_surface(p, q)
    found = invariant_measures(system)
    motions = Motions(system)
    (shown,) = volumes_of(found)
    density, volume = shown
    own = {*system.q, *system.v, *system.speeds}
    assert own.issuperset(volume.variables)
    assert is_zero(density**2 / motions.names.expression(area) ** 2 - 1).holds or area == "1"
    names = ["R", "u", "v", *map(repr, volume.variables[6:])]
    assert motions.preserve(density, names).holds is True
    if area != "1":
        assert motions.preserve(density**3, names).holds is False


def test_short_speeds_of_a_frame_are_told():
    """The sleigh keeps dx dy dtheta du dtheta'/theta', and the page says what u is."""
    sleigh = gallery.load("chaplygin-sleigh")
    found = discover(sleigh)
    blocks = in_text(Section("", discovered_blocks(found)), 200, lambda text, _: text)
    measure = blocks[blocks.index("Invariant measure") : blocks.index("Integrability")]
    assert "dx dy dtheta du dtheta' times 1/theta'" in measure
    assert "u = x'*cos(theta) + y'*sin(theta)" in measure
