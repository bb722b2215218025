"""Velocities left out of a start: zero, the least energy of a component, or a question. Against circuits and SLSQP."""

from fractions import Fraction

import numpy as np
import pytest
from starting import KINDS, Drawn, by_rule, differs, twin, velocities

from dalembert import derive, simulate_ensemble
from dalembert.errors import EvaluationError, HypothesisError
from dalembert.expr.graph import ONE, ZERO, symbol, total
from dalembert.expr.walk import substitute
from dalembert.model.completed import solved
from dalembert.model.least import kinetic_matrix, kinetic_momenta
from dalembert.model.system import System
from dalembert.numerics import start
from dalembert.numerics.field import Tape, inputs_of
from dalembert.numerics.simulate import prepare, simulate


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.thorough("time-dependent", "nonlinear")
def test_random_starts_obey_the_rule(kind):
    told_apart = 0
    for seed in range(2):
        drawn = Drawn(kind, seed)
        found = velocities(drawn)
        assert differs(drawn, found) < 1e-8, seed
        told_apart += differs(drawn, twin(drawn)) > 1e-6  # the wrong twin: all velocities together
    assert told_apart  # where nothing at all is given, both may be at rest


def test_units_do_not_matter():
    def rod(unit):  # the same rod, in metres and in millimetres
        return System.of(
            name="rod",
            coordinates={"x": "real", "y": "real", "th": "angle"},
            lagrangian=f"((x'^2 + y'^2)/{unit}^2 + th'^2/12)/2",
            constraints={"end": f"x' - {unit}*sin(th)*th' = {unit}"},
            start={"th": 1},
        )

    one, other = (simulate(derive(rod(unit), "nonholonomic"), time=(0, 0)) for unit in (1, 1000))
    assert other["th'"][0] == pytest.approx(one["th'"][0], rel=1e-10)
    assert other["x'"][0] == pytest.approx(1000 * one["x'"][0], rel=1e-10)


def test_the_kinetic_matrix_is_known_by_its_columns():
    """Of many velocities it is not written down; at rest, where a Lagrangian is not quadratic."""
    system = System.of(
        name="bent",
        coordinates={"x": "real", "y": "real", "th": "angle"},
        parameters={"m": 2},
        lagrangian="m*x'^2/2 + y'^2*(2 + cos(th))/2 + x'*th'*sin(x) + x'^4 + y'^3*th' + exp(y)*th'^2 - x'",
    )
    along, momenta = kinetic_momenta(system)
    columns = [substitute(momenta, {c: ONE if c is one else ZERO for c in along}) for one in along]
    assert [list(row) for row in zip(*columns, strict=True)] == kinetic_matrix(system)
    moved = substitute(kinetic_momenta(system.but(lagrangian="m*x'^2/2 + y'^2 + th'^2"))[1], {along[0]: ONE})
    assert moved[1:] != columns[0][1:]  # a wrong twin


def test_a_start_is_the_same_by_columns(monkeypatch):
    def begun():
        rod = System.of(
            name="rod",
            coordinates={"x": "real", "y": "real", "th": "angle"},
            lagrangian="x'^2 + y'^2/2 + x'*y'*cos(th) + th'^2/12",
            constraints={"end": "x' - sin(th)*th' + y' = 1"},
            start={"th": 1},
        )
        return prepare(derive(rod, "nonholonomic"), None, 1)[0].start

    first = begun()
    monkeypatch.setattr(start, "_MANY", 1)
    assert np.abs(first - begun()).max() < 1e-14
    monkeypatch.setattr(start, "kinetic_momenta", lambda system: 2 * kinetic_momenta(system)[:1])  # no masses: a twin
    assert np.abs(first - begun()).max() > 1e-3


def plane(**more):
    return System.of(**{"name": "plane", "coordinates": "x y z", "lagrangian": "(x'^2 + y'^2 + z'^2)/2"} | more)


@pytest.mark.parametrize(
    ("formalism", "start"), [("nonholonomic", {}), ("semisymplectic", {}), ("vakonomic", {"leans": 0.3})]
)
def test_formalisms_complete_alike(formalism, start):
    system = plane(
        lagrangian="(x'^2 + 4*y'^2 + 2*x'*y' + 9*z'^2)/2",  # coupled: y' would drag x' along
        constraints={"leans": "z' = x*y' + x'"},
        start={"x": 1, "y'": 1},
    )
    wanted = [-9 / 10, 1, 1 / 10]  # x' + 1 = z' and x'^2 + 9 z'^2 least: y' has no part in it
    run = simulate(derive(system, formalism), {f"lambda.{k}": v for k, v in start.items()}, time=(0, 0))
    assert [run[f"{q}'"][0] for q in "xyz"] == pytest.approx(wanted, abs=1e-10)


def test_the_states_of_a_vakonomic_result_are_completed_alike():
    system = plane(lagrangian="(x'^2 + 4*y'^2 + 9*z'^2)/2", constraints={"leans": "x' + y' + z' = 1"})
    result = derive(system, "vakonomic")
    found = result.initial_state({"leans": 0})
    run = simulate(result, {"leans": 0}, time=(0, 0))
    assert [found[p] for p in result.form.costates] == pytest.approx([run[f"p_{q}"][0] for q in "xyz"], abs=1e-12)
    inverse = np.array([1, 1 / 4, 1 / 9])
    assert [run[f"{q}'"][0] for q in "xyz"] == pytest.approx(inverse / inverse.sum(), abs=1e-12)


def test_members_of_an_ensemble_begin_where_single_motions_do():
    system = plane(
        lagrangian="((2 + sin(x))*x'^2 + 4*y'^2 + 2*x'*y' + 9*z'^2)/2", constraints={"leans": "z' = x*y' + x' + sin(t)"}
    )
    result = derive(system.but(run={"begin": 1}), "nonholonomic")
    places = np.linspace(-1, 1, 7)
    several = simulate_ensemble(result, {"x": places, "y'": 0.5}, (1, 1.5), samples=2)
    for k, x in enumerate(places):
        one = simulate(result, {"x": x, "y'": 0.5}, (1, 1.5))
        assert several.start[:, k] == pytest.approx(one.y[:, 0], abs=1e-12)
    old = [np.abs(several.start[list(several.names).index("x'"), k]) > 1e-3 for k in range(7)]
    assert all(old)  # the twin: a sum of squares would leave x' at rest in half of the plane of velocities


# -- what is refused ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("system", "start", "named"),
    [
        (plane(lagrangian="(x'^2 + y'^2 - 2*z'^2)/2", constraints={"c": "x' = z' + 1"}), {}, "x', z'"),  # indefinite
        (plane(lagrangian="x'^2/2 + y'^4 + z'^4", constraints={"c": "y' + z' = 1"}), {}, "y', z'"),  # singular at rest
        (plane(constraints={"ring": "x'^2 + y'^2 = 1"}), {}, "x', y'"),  # a whole circle
        (plane(constraints={"ring": "x'^2 + 4*y'^2 = 1"}), {}, "y'"),  # two points of it
        (plane(constraints={"ring": "x'^2 + y'^2 = 1"}), {"x'": 0.6, "z'": 0}, "y'"),  # up or down
    ],
)
def test_what_the_energy_does_not_decide_is_asked_for(system, start, named):
    with pytest.raises((EvaluationError, HypothesisError)) as error:
        prepare(derive(system, "nonholonomic"), start, 1)
    assert f"does not say what {named}" in str(error.value)
    assert "give" in str(error.value)


def test_its_true_twins_are_completed():
    for form in ("(x'^2 + y'^2 - z'^2)/2", "(x'^2 + y'^2)/2 + z*z'^4"):  # z' is bound by nothing: it is 0
        system = plane(lagrangian=form, constraints={"c": "x' + y' = 2"}, start={"z": 1})
        assert begun(system) == pytest.approx([1, 1, 0], abs=1e-12)
    ring = derive(plane(constraints={"ring": "x'^2 + 4*y'^2 + y' = 1"}), "nonholonomic")
    run = simulate(ring, time=(0, 0))  # above is nearer than below
    assert run["x'"][0] ** 2 + 4 * run["y'"][0] ** 2 + run["y'"][0] == pytest.approx(1)
    assert run["y'"][0] == pytest.approx((17**0.5 - 1) / 8)
    assert run["x'"][0] == pytest.approx(0, abs=1e-9)


def test_positions_left_out_are_nearest_in_the_metric():
    bead = plane(lagrangian="(x'^2 + 4*y'^2 + 9*z'^2)/2", holonomic={"sheet": "x + y + z = 1"})
    run = simulate(derive(bead, "nonholonomic"), time=(0, 0))
    inverse = np.array([1, 1 / 4, 1 / 9])
    assert [run[q][0] for q in "xyz"] == pytest.approx(inverse / inverse.sum(), abs=1e-12)
    wheel = derive(plane(holonomic={"ring": "x^2 + y^2 = 1"}), "nonholonomic")
    with pytest.raises(EvaluationError, match=r"does not say what 'x', 'y' are.*as near to zero"):
        prepare(wheel, {}, 1)
    with pytest.raises(EvaluationError, match=r"does not say what 'y' is.*as near to zero"):
        prepare(wheel, {"x": 0.6}, 1)
    prepare(wheel, {"x": 0.6, "y": -0.8}, 1)


def test_without_a_lagrangian_zeros_need_none_and_the_rest_is_asked_for():
    drift = System.of(name="drift", coordinates="x y", equations={"x''": "-x", "y''": "x'"})
    problem, _, _ = prepare(derive(drift, "nonholonomic"), {"x'": 1}, 1)
    assert problem.start == pytest.approx([0, 0, 1, 0], abs=0)
    bound = derive(drift.but(equations={"x''": "-x", "y'": "x + x'^2"}, start={"x": 1}), "nonholonomic")
    assert begun(bound.system, "nonholonomic")[1] == pytest.approx(1)


def test_completing_twice_changes_nothing():
    rod = plane(lagrangian="(x'^2 + 4*y'^2 + 2*x'*y' + 9*z'^2)/2", constraints={"c": "x' + 2*y' = 3"})
    first = begun(rod)
    assert begun(rod, start={"y'": first[1]}) == pytest.approx(first, rel=1e-13)


def test_a_momentum_that_constraints_keep_is_a_row_too():
    """y' is z' at x = 1, and the momentum binds both to s'."""
    slide = System.of(
        name="slide",
        coordinates="x y z s",
        lagrangian="(x'^2 + y'^2 + z'^2 + 2*s'^2)/2 + s'*x'/2 + z'*s'/3",
        constraints={"c": "y' = x*z'"},
        symmetry={"along": {"s": 1}},
        momentum={"along": 2},
        start={"x": 1, "x'": 1},
    )
    metric = np.array([[2, 1 / 3], [1 / 3, 2]])  # of z', which moves y' too, and s'
    row = np.array([1 / 3, 2])
    best = np.linalg.solve(metric, row) * 1.5 / (row @ np.linalg.solve(metric, row))
    for formalism in ("nonholonomic", "reduced", "vakonomic", "semisymplectic"):
        assert begun(slide, formalism) == pytest.approx([1, best[0], *best], abs=1e-12), formalism
    assert begun(slide.but(momentum=None)) == pytest.approx([1, 0, 0, 0])  # the twin


def test_higher_derivatives_that_are_not_zero_are_asked_for():
    spline = System.of(
        name="spline",
        coordinates="x y",
        lagrangian="(x''^2 + y''^2)/2",
        constraints={"one": "y' = x*x'"},
        start={"x": 1},
    )
    result = derive(spline, "vakonomic")
    assert result.initial_state()[spline.v[0]] == 0  # all of them can be
    with pytest.raises(HypothesisError, match=r"x'', y''.*: the constraints leave it open, and do not allow 0"):
        result.initial_state({"x": 1, "x'": 0.1})
    found = result.initial_state({"x": 1, "x'": 0.1, "x''": 0, "x" + 3 * "'": 0})
    assert found[spline.v[1]] == pytest.approx(0.1)


def begun(system, formalism="nonholonomic", start=None):
    """Return the stated velocities of a start."""
    problem, words, _ = prepare(derive(system, formalism), start, (0, 0))
    tape = Tape([words.meaning(v.data) for v in system.v], inputs_of(problem.equations))
    return np.array(tape([0.0, *problem.start, *problem.guess, *problem.parameters]))


# -- velocities that nobody asked for ------------------------------------------------------------------------------
def test_a_pendulum_that_is_given_one_rate_leaves_the_other_at_rest():
    double = System.of(
        name="double pendulum",
        coordinates={"a": "angle", "b": "angle"},
        lagrangian="a'^2 + b'^2/2 + a'*b'*cos(a - b) + 2*cos(a) + cos(b)",
        start={"a'": 1},
    )
    assert begun(double, "euler-lagrange").tolist() == [1, 0]
    coupled = "(a'^2*3 + b'^2*2 + c'^2)/2 + 2*a'*b'*cos(a - b) + a'*c'*cos(a - c) + b'*c'*cos(b - c)"
    angles = dict.fromkeys("abc", "angle")
    triple = System.of(
        name="triple pendulum",
        coordinates=angles,
        lagrangian=coupled,
        constraints={"driven": "c' = 2"},
        start={"a'": 1},
    )
    assert begun(triple) == pytest.approx([1, 0, 2], abs=1e-14)


def test_angular_velocities_left_out_are_zero():
    """Also where rates are written without a mass matrix, and where the energy couples them."""
    turned = {"axis": [1, 2, 0], "angle": 0.4, "w1": 0.2, "w3": 1}
    inertia = " + ".join(f"({k}*R.s{k}^2 + {4 - k}*S.s{k}^2)/2" for k in (1, 2, 3))
    pair = System.of(
        name="pair",
        coordinates={"R": "rotation", "S": "rotation"},
        lagrangian=f"{inertia} - R.m31*S.m31",
        start={"R": turned, "S": turned},
    )
    run = simulate(derive(pair, "euler-lagrange"), time=0.1, samples=2)
    assert [run[f"R.w{k}"][0] for k in (1, 2, 3)] == [0.2, 0, 1]
    flat = pair.but(constraints={"flat": "R.w1 + R.w2 = S.w2"}, start={"R": {**turned, "w1": 1}, "S": turned})
    run = simulate(derive(flat, "nonholonomic"), time=0.1, samples=2)
    m = np.array([[run[f"R.m{i}{j}"][0] for j in (1, 2, 3)] for i in (1, 2, 3)])
    weights = [(m.T @ np.diag(scales) @ m)[1, 1] for scales in ((1, 2, 3), (3, 2, 1))]
    share = weights[1] / sum(weights)  # w2 + 1 = S.w2, each with its own inertia
    assert [run[f"{q}.w2"][0] for q in "RS"] == pytest.approx([-share, 1 - share], abs=1e-12)


COUPLED = "(5*a'^2 + 4*b'^2 + 3*c'^2 + 2*d'^2)/2 + a'*b' + b'*c' + c'*d' + a'*d'/2"
TWO = {"one": "a' + b' = 1", "two": "c' - 2*d' = 0"}


def rows(*held):
    return System.of(name="rows", coordinates="a b c d", lagrangian=COUPLED, constraints=dict(enumerate_named(held)))


def enumerate_named(held):
    return [(f"r{k}", row) for k, row in enumerate(held)]


def test_recombined_and_repeated_rows_change_nothing():
    """a' and b' are one component, which moves; c' and d' another, which can rest; energies couple them all."""
    wanted = [3 / 7, 4 / 7, 0, 0]  # 5 a + b = a + 4 b
    plain = rows("a' + b' = 1", "c' - 2*d' = 0")
    mixed = rows("a' + b' + 3*c' - 6*d' = 1", "2*a' + 2*b' - c' + 2*d' = 2")
    again = rows("a' + b' = 1", "c' - 2*d' = 0", "a' + b' + c' - 2*d' = 1")
    for system in (plain, mixed, again):
        assert begun(system) == pytest.approx(wanted, abs=1e-13)
        both = begun(system, start={"d'": 1})
        assert both == pytest.approx([3 / 7, 4 / 7, 2, 1], abs=1e-13)
    drawn = np.array([[1, 1, 0, 0], [0, 0, 1, -2.0]])
    metric = np.array([[5, 1, 0, 0.5], [1, 4, 1, 0], [0, 1, 3, 1], [0.5, 0, 1, 2]])
    assert by_rule(metric, drawn, np.array([1, 0.0]), np.zeros(4), [0, 1, 2, 3]) == pytest.approx(wanted)


def linear_rows(draw):
    """Return random sparse rows, what they should be, given velocities, those left out, and a metric; or None."""
    n, k = int(draw.integers(2, 7)), int(draw.integers(1, 4))
    left = draw.integers(-2, 3, (k, n)) * (draw.uniform(size=(k, n)) < 0.5)
    given = draw.integers(-2, 3, n) * (draw.uniform(size=n) < 0.4)
    open_ = [i for i in range(n) if not given[i]]
    right = left @ draw.integers(-1, 2, n) if draw.uniform() < 0.5 else left @ given
    root = draw.integers(-2, 3, (n, n)) + 4 * np.eye(n)
    met = np.linalg.matrix_rank(left[:, open_]) == np.linalg.matrix_rank(np.c_[left[:, open_], right - left @ given])
    return (left, right, given, open_, root @ root.T) if open_ and met else None


def completed(left, right, given, open_, metric):
    velocities = [symbol(f"v{i}") for i in range(len(given))]
    values = {velocities[i]: float(g) for i, g in enumerate(given) if i not in open_}
    held = [
        total([(Fraction(float(c)), v) for c, v in zip(row, velocities, strict=True)]) - Fraction(float(b))
        for row, b in zip(left, right, strict=True)
    ]
    point, _ = solved(held, [velocities[i] for i in open_], values, lambda: metric[np.ix_(open_, open_)])
    return np.array([point[v] for v in velocities])


def test_random_rows_recombined_repeated_and_in_other_units():
    draw, moving, together = np.random.default_rng(7), 0, 0
    for _ in range(300):
        drawn = linear_rows(draw)
        if drawn is None:
            continue
        left, right, given, open_, metric = drawn
        wanted = by_rule(metric, left.astype(float), right.astype(float), given, open_)
        assert completed(*drawn) == pytest.approx(wanted, abs=1e-9), drawn
        mixed = draw.integers(-2, 3, (len(left) + 2, len(left)))  # redundant rows, of the same rank
        mixed[: len(left)] += 5 * np.eye(len(left), dtype=int)
        assert completed(mixed @ left, mixed @ right, given, open_, metric) == pytest.approx(wanted, abs=1e-9), drawn
        units = 10.0 ** draw.integers(-4, 5, len(given))
        other = completed(left * units, right, given / units, open_, metric * np.outer(units, units))
        assert other * units == pytest.approx(wanted, abs=1e-8), drawn
        moving += bool(np.abs(wanted[open_]).max() > 0)
        together += bool(np.abs(wanted - joint(drawn)).max() > 1e-6)
    assert moving > 50
    assert together > 30  # the wrong twin: all that is left out has the least energy together


def joint(drawn):
    """Return the velocities of the least energy of all, as the rule is not."""
    left, right, given, open_, metric = drawn
    n = len(given)
    border = np.vstack([left, np.eye(n)[[i for i in range(n) if i not in open_]]])
    whole = np.block([[metric, border.T], [border, np.zeros((len(border), len(border)))]])
    wanted = np.concatenate([np.zeros(n), right, [g for i, g in enumerate(given) if i not in open_]])
    return np.linalg.lstsq(whole, wanted, rcond=None)[0][:n]


def test_zero_is_left_where_an_affine_row_does_not_allow_it():
    driven = plane(constraints={"belt": "x' = 2 + y'", "other": "z' = x*x'"}, start={"x": 0})
    assert begun(driven) == pytest.approx([1, -1, 0], abs=1e-13)
    assert begun(driven, start={"y'": 0}) == pytest.approx([2, 0, 0], abs=1e-13)


def test_a_stated_momentum_is_a_row_in_every_formalism():
    disc = System.of(
        name="disc",
        coordinates={"r": "positive", "f": "angle", "s": "angle"},
        lagrangian="(r'^2 + (1 + r^2)*f'^2 + s'^2)/2 + f'*s'/2 + r'*s'/3",
        symmetry={"turn": {"f": 1}},
        momentum={"turn": 3},
        start={"r": 1, "r'": 1},
    )
    # f' and s' are bound by 2 f' + s'/2 = 3
    free = np.array([1, -4.0])
    metric = np.array([[2, 0.5], [0.5, 1]])
    v = np.array([1.5, 0]) - free * (free @ metric @ [1.5, 0]) / (free @ metric @ free)
    for formalism in ("euler-lagrange", "routh", "reduced"):
        assert begun(disc, formalism) == pytest.approx([1, *v], abs=1e-12), formalism
    assert begun(disc, "routh", {"s'": 2})[1] == pytest.approx(1)
    assert begun(disc, "euler-lagrange", {"s'": 2, "f'": 0}) == pytest.approx([1, 0, 2])  # no equation holds it fixed
    with pytest.raises(EvaluationError, match="cannot be reached in the routh equations"):
        begun(disc, "routh", {"s'": 2, "f'": 0})


# -- every formalism -------------------------------------------------------------------------------------------------
def symmetric(seed):
    """Return a random system whose energy and constraints depend on x alone, and a start of two of its velocities."""
    draw = np.random.default_rng(seed)
    names = ["x", "y", "z", "s"]
    root = draw.integers(-2, 3, (4, 4)) + 3 * np.eye(4, dtype=int)
    mass = root @ root.T
    energy = " + ".join(f"({mass[i, j]}/2)*{a}'*{b}'" for i, a in enumerate(names) for j, b in enumerate(names))
    left = draw.permutation(["z", "s"])[0]
    bound = {"one": f"y' = {draw.integers(1, 4)}*x*x' + {draw.integers(0, 3)}*x'"}
    if seed % 2:
        bound["two"] = f"{left}' = sin(x)*x' - {draw.integers(1, 4)}*x'"
    start = {"x": round(float(draw.uniform(0.2, 1)), 2), f"{draw.permutation(names)[0]}'": 1}
    group = {f"e{k}": {q: 1} for k, q in enumerate("yzs", 1) if seed % 2 == 0 or q in {"y", left}}
    return System.of(
        name="symmetric", coordinates=names, lagrangian=energy, constraints=bound, start=start,
        symmetry={name: one for name, one in group.items() if seed % 2 or "y" in one},
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_every_formalism_begins_with_the_same_velocities(seed):
    system = symmetric(seed)
    first = begun(system)
    for formalism in ("semisymplectic", "vakonomic", "reduced", "chaplygin"):
        assert begun(system, formalism) == pytest.approx(first, abs=1e-11), formalism
    saddle = derive(system, "nonholonomic").saddle_form()
    point = simulate(saddle, time=(0, 0), system=system)
    assert [point[f"{q}'"][0] for q in "xyzs"] == pytest.approx(first, abs=1e-11)
    several = simulate_ensemble(derive(system, "nonholonomic"), {"x": [system.start.values[system.q[0]]]}, 0.1)
    one = simulate(derive(system, "nonholonomic"), time=0.1)
    assert several.start[:, 0] == pytest.approx(one.y[:, 0], abs=1e-11)


@pytest.mark.parametrize("kind", ["linear", "affine", "time-dependent"])
def test_random_starts_are_the_same_in_every_formalism(kind):
    for seed in range(2):
        drawn = Drawn(kind, seed)
        first = velocities(drawn)
        for formalism in ("semisymplectic", "vakonomic")[kind == "time-dependent" :]:
            assert velocities(drawn, formalism) == pytest.approx(first, rel=1e-8, abs=1e-9), (seed, formalism)
