"""Motions that go on where the variables of N_mu/G_mu end, against the full motion and against exact ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from section_systems import PAIR, SYSTEMS, bodies, plane_bodies

from dalembert import System, derive, simulate, simulate_ensemble, sweep
from dalembert.errors import EvaluationError
from dalembert.expr.graph import Expr
from dalembert.model.equations import Atlas, Equations, Patch


def apart(system: System, formalism: str = "routh") -> tuple[float, str]:
    """How far the reduced motion is from the full one, in coordinates and velocities."""
    reduced = simulate(derive(system, formalism), samples=41, tolerance=1e-13)
    full = simulate(derive(system, "euler-lagrange"), samples=41, tolerance=1e-13)
    names = [one.data.label for one in (*system.q, *system.v)]
    return max(float(np.max(np.abs(reduced[name] - full[name]))) for name in names), reduced.message


def test_a_motion_goes_through_the_end_of_its_variables() -> None:
    result = derive(PAIR, "routh")
    assert result.form == "chart"
    run = simulate(result, samples=31, tolerance=1e-12, events={"middle": "a = 0", "far": "c = 4/5"})
    assert run.status == 0
    assert "went on in others" in run.message
    lines = {"a": 1 - run.t, "b": 0 * run.t, "c": 0.3 + run.t / 5, "d": 0.5 + 0.4 * run.t}
    assert max(float(np.max(np.abs(run[name] - line))) for name, line in lines.items()) < 1e-10
    assert abs(run.events["middle"][0] - 1) < 1e-10
    assert abs(run.events["far"][0] - 2.5) < 1e-10
    assert np.ptp(run["momentum turn"]) < 1e-11
    assert np.ptp(run["energy"]) < 1e-11
    back = simulate(result, {name: run[name][-1] for name in ("a", "b", "c", "d")}
                    | {f"{name}'": run[f"{name}'"][-1] for name in "abcd"}, (3, 0), tolerance=1e-12)  # fmt: skip
    assert abs(back["a"][-1] - 1) < 1e-10


def turned() -> Equations:
    """The equations of the pair with a wrong twin of their atlas: it goes on at velocities turned around."""
    equations = derive(PAIR, "routh").equations
    assert equations.atlas is not None
    atlas = equations.atlas()

    def wrong(point: Mapping[Expr, float]) -> Patch | None:
        patch = atlas.around(point)
        assert patch is not None
        return replace(patch, start={s: -x if s.data.order else x for s, x in patch.start.items()})

    def twin() -> Atlas:
        return replace(atlas, around=wrong)

    return replace(equations, atlas=twin)


def test_what_is_gone_on_in_is_seen_where_it_is_wrong() -> None:
    with pytest.raises(EvaluationError, match="the start cannot be reached"):
        simulate(turned(), system=PAIR, tolerance=1e-12)


def test_members_of_an_ensemble_go_on_as_single_motions_do() -> None:
    """Half of them go through the centre; all are given by stated coordinates, and reduced variables end for these."""
    result, speeds = derive(PAIR, "routh"), np.array([-1, -0.1, -0.5, 0.3])
    more = {"samples": 4, "tolerance": 1e-12, "events": {"middle": "a = 0"}}
    run = simulate_ensemble(result, {"a'": speeds}, observables=["energy", "r"], **more)
    assert run.names == ("a", "b", "c", "d", "a'", "b'", "c'", "d'")
    assert run.status.tolist() == [0, 0, 0, 0]
    assert ["went on in others" in said for said in run.messages] == [True, False, True, False]
    lines = [1 + speeds[:, None] * run.times, 0 * speeds[:, None] * run.times]
    assert np.max(np.abs(run.samples[:2] - lines)) < 1e-10
    assert np.max(np.abs(run.y[0] - (1 + 3 * speeds))) < 1e-10
    assert np.max(np.abs(run["energy"] - (speeds[:, None] ** 2 / 2 + 0.1))) < 1e-10
    assert [times.round(9).tolist() for times in run.events["middle"]] == [[1], [], [2], []]
    assert np.isnan(run["r"]).all(axis=1).tolist() == [True, False, True, False]
    bad = simulate_ensemble(turned(), {"a'": speeds}, system=PAIR, **more)
    assert (bad.status >= 0).tolist() == [False, True, False, True]
    assert "the start cannot be reached" in bad.messages[0]


@pytest.mark.thorough
def test_a_sweep_that_looks_for_largest_values_goes_on_too(tmp_path: Path) -> None:
    """Its members are followed one by one."""
    speeds = np.array([-1, -0.1, -0.5, 0.3])
    kept = ["a", "least: min(a)", "there: at(d, middle)"]
    told = sweep(PAIR, "routh", over={"a'": speeds.tolist()}, observables=kept, time=3, events={"middle": "a = 0"},
                 store=tmp_path / "pair.zarr").to_xarray()  # fmt: skip
    assert np.max(np.abs(told["least"].values - np.minimum(1, 1 + 3 * speeds))) < 1e-8
    assert np.allclose(told["there"].values, [0.9, np.nan, 1.3, np.nan], atol=1e-8, equal_nan=True)


def test_an_event_in_variables_that_end_keeps_a_motion_there_and_says_so() -> None:
    run = simulate(derive(PAIR, "routh"), samples=4, events={"near": "r = 1/2"})
    assert "an event is stated in those that end" in run.message
    assert abs(run.events["near"][0] - 0.5) < 1e-8
    assert "event" not in simulate(derive(PAIR, "routh"), time=0.2, samples=4, events={"near": "r = 9/10"}).message


def test_velocities_that_the_start_leaves_out_are_those_of_the_full_motion() -> None:
    """They are zero, also where velocities are coupled, and mu is that of these."""
    coupled = System.of(
        name="a bead that drags a belt", coordinates="x y", parameters={"c": 0.4}, symmetry={"shift": {"y": 1}},
        lagrangian="(x'^2 + (1 + x^2)*y'^2)/2 + c*x'*y' - x^2/2", start={"x": 0.5, "x'": 1}, run={"time": 3},
    )  # fmt: skip
    result = derive(coupled, "routh")
    mu = {p.data.name: value for p, value in result.equations.parameters.items()}["mu_shift"]
    assert float(mu) == 0.4  # (1 + x^2) y' + c x'
    reduced, full = (simulate(one, samples=4, tolerance=1e-12) for one in (result, derive(coupled, "euler-lagrange")))
    assert np.max(np.abs(reduced["y"] - full["y"])) < 1e-9
    told = derive(coupled.but(start={"x": 0.5, "x'": 1, "y'": 1}), "routh").equations.parameters
    assert [float(value) for p, value in told.items() if p.data.name == "mu_shift"] == [1.65]


def test_momenta_of_a_body_whose_wheel_does_not_drag_it() -> None:
    gyrostat = System.of(
        name="gyrostat", coordinates={"R": "rotation", "f": "angle"},
        lagrangian="(3*R.w1^2 + 4*R.w2^2 + 2*R.w3^2 + (R.w3 + f')^2)/2", symmetry={"wheel": {"f": 1}},
        start={"R.w1": 0.3, "f'": 3},
    )  # fmt: skip
    (mu,) = derive(gyrostat, "routh").equations.parameters.values()
    assert float(mu) == 3  # R.w3 + f', and R.w3 is 0


@pytest.mark.thorough
def test_bodies_begin_as_in_the_full_motion() -> None:
    """The attitude of one in the axes of the other is that of two that are not turned."""
    craft = System.of(
        name="a craft with a wheel and a mirror", coordinates={"R": "rotation", "S": "rotation", "f": "angle"},
        lagrangian="(3*R.w1^2 + 4*R.w2^2 + 2*R.w3^2 + S.w1^2 + S.w2^2 + 2*S.w3^2 + (R.w3 + f')^2)/2"
        " + R.m11*S.m11 + R.m21*S.m21 + R.m31*S.m31",
        symmetry={f"e{k}": {"R": f"left {k}", "S": f"left {k}"} for k in (1, 2, 3)} | {"wheel": {"f": 1}},
        start={"R.w1": 0.3, "S.w2": 0.8, "f'": 3}, run={"time": 1},
    )  # fmt: skip
    full, *others = (simulate(derive(craft, of), samples=3) for of in ("euler-lagrange", "routh", "reduced"))
    for name in ("R.m12", "S.m13", "R.w3", "f"):
        assert max(np.max(np.abs(other[name] - full[name])) for other in others) < 1e-8
    assert full["R.w3"][0] == 0  # also where 2 R.w3^2 + (R.w3 + 3)^2 is not least


def vectors() -> System:
    """Three vectors in space, of which two become parallel again and again."""
    places = {"a1": 1, "b1": 2, "b2": 0.3, "b3": 0.2, "c1": 0.3, "c2": 1, "c3": 0.4}
    speeds = {"a2'": 0.3, "b2'": -0.3, "b3'": -0.2, "c1'": -0.2, "c3'": 0.5} | dict.fromkeys(
        ["a1'", "a3'", "b1'", "c2'"], 0
    )
    return SYSTEMS["vectors"]().but(start=places | speeds, momentum=None, run={"time": 6})


def four_in_the_plane() -> System:
    """Two springs in the plane, the first of which is stretched along a line through the centre, under SO(2)."""
    return PAIR.but(
        name="two springs in the plane", run={"time": 6},
        lagrangian="(a'^2 + b'^2 + 2*c'^2 + 2*d'^2)/2 - (a^2 + b^2) - (c^2 + d^2)*(1 + c^2 + d^2)/2",
    )  # fmt: skip


def quaternion() -> System:
    start = {"u0": 1, "u1": 0.3, "u2": 0, "u3": 0, "u0'": -0.3, "u1'": 0, "u2'": 1, "u3'": 0.2}
    return SYSTEMS["quaternion"]().but(momentum=None, start=start, run={"time": 10})


def still_bodies() -> System:
    """Three bodies in space without total momentum."""
    system = bodies()
    masses = {"1": 1.0, "2": 1.2, "3": 0.8}
    start = {name.data.label: float(value.value) for name, value in system.start.values.items()}
    for axis in "xyz":
        mean = sum(m * start[f"{axis}{i}'"] for i, m in masses.items()) / sum(masses.values())
        start |= {f"{axis}{i}'": start[f"{axis}{i}'"] - mean for i in masses}
    return system.but(momentum=None, start=start, run={"time": 3})


GOES_ON = {"vectors": (vectors, True), "springs": (four_in_the_plane, True), "SU(2)": (quaternion, False),
           "eight": (plane_bodies, False), "bodies": (lambda: bodies().but(momentum=None, run={"time": 3}), False),
           "still bodies": (still_bodies, False)}  # fmt: skip


@pytest.mark.parametrize("name", GOES_ON)
@pytest.mark.thorough
def test_reduced_and_reconstructed_is_the_full_motion(name: str) -> None:
    make, changes = GOES_ON[name]
    gap, said = apart(make())
    assert gap < 1e-10
    assert ("went on in others" in said) == changes


def in_one_line(velocity: float = -1) -> System:
    """Three bodies in space without momentum: they move in a plane, and come into one line."""
    start = dict.fromkeys([one.data.label for one in (*bodies().q, *bodies().v)], 0) | {"x1": -1, "x2": 1, "x3": 0.3}
    return bodies().but(
        momentum=None, start=start | {"y3": 0.5, "y3'": velocity, "y1'": 0.4, "y2'": 0.3}, run={"time": 1}
    )


def turning_in_one_line() -> System:
    """The same with an angular momentum that is far from zero, and the centre of mass on its way."""
    system = in_one_line()
    start = {name.data.label: float(value.value) for name, value in system.start.values.items()}
    return system.but(start=start | {"x1'": 0.1, "y1'": -0.6, "y2'": 0.7, "x3'": 0.2}, run={"time": 3})


@pytest.mark.thorough
def test_bodies_in_one_line_go_on_by_a_subgroup_and_say_so() -> None:
    for system in (in_one_line(), at_rest(), at_rest().but(run={"time": 3}), turning_in_one_line()):
        gap, said = apart(system)
        assert gap < 1e-10
        assert "the action is not free, as Routh's procedure asks (Crampin, Mestdag, section II)" in said
        assert "is reduced by tx, ty, tz, e" in said


def at_rest() -> System:
    """The same bodies in no special plane, with all six momenta zero as numbers."""
    masses = np.array([1, 1.2, 0.8])
    x = np.array([[0, 0.1, -0.2], [1, 0.2, 0.3], [-0.4, 1.1, 0.5]])
    v = np.array([[0.1, -0.3, 0.2], [-0.1, 0.9, 0.1], [-0.5, -0.2, 0.35]])
    x, v = (rows - masses @ rows / masses.sum() for rows in (x, v))
    inertia = sum(m * (one @ one * np.eye(3) - np.outer(one, one)) for m, one in zip(masses, x, strict=True))
    v = v - np.cross(np.linalg.solve(inertia, (masses[:, None] * np.cross(x, v)).sum(axis=0)), x)
    told = {f"{axis}{i + 1}{tick}": float(rows[i, k]) for tick, rows in (("", x), ("'", v))
            for i in range(3) for k, axis in enumerate("xyz")}  # fmt: skip
    still = dict.fromkeys(["tx", "ty", "tz", "e1", "e2", "e3"], 0)
    return bodies().but(momentum=still, start=told, run={"time": 2})


def two_vectors(momentum: dict[str, str] | None = None) -> System:
    """Two masses on springs in space that come into one line through the centre, in a plane that is no coordinate's."""
    start = {"a1": 1, "a2": 0.2, "a3": 0.1, "b1": -0.5, "b2": 0.6, "b3": 0.3}
    speeds = {"a1'": 0, "a2'": 0.15, "a3'": 0.075, "b1'": 0.1, "b2'": -0.8, "b3'": -0.4}
    return SYSTEMS["springs"]().but(momentum=momentum, start=start | speeds, run={"time": 1.2})


@pytest.mark.thorough
def test_a_motion_goes_on_by_a_subgroup_where_the_group_is_not_free() -> None:
    system = two_vectors()
    gap, said = apart(system)
    assert gap < 1e-10
    assert "is reduced by e" in said
    assert "(Crampin, Mestdag, section II)" in said


def test_where_no_subgroup_is_free_a_motion_ends_with_the_hypothesis() -> None:
    """Both masses go through the centre at the same time."""
    start = {"a": 1, "a'": -1, "b": 0, "b'": 0, "c": "3/10", "c'": "-3/10", "d": "1/2", "d'": "-1/2"}
    run = simulate(derive(PAIR.but(start=start), "routh"), tolerance=1e-12)
    assert run.status < 0
    assert abs(run.t[-1] - 1) < 1e-3
    assert "the action is not free there" in run.message
    assert "section II" in run.message
