"""Chaplygin systems with rotations, without charts: they are those with Euler angles, and what is decided can fail."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest

from dalembert import System, claims, derive
from dalembert.errors import HypothesisError
from dalembert.expr import cos, sin, symbol
from dalembert.expr.calculus import tangent
from dalembert.expr.graph import Expr, number, total
from dalembert.expr.text import text
from dalembert.expr.truth import vanish
from dalembert.expr.walk import substitute
from dalembert.mechanics.chaplygin.chaplygin import Chaplygin
from dalembert.mechanics.chaplygin.without_charts.derived import ChaplyginWithoutCharts
from dalembert.mechanics.chaplygin.without_charts.measure import MeasureWithoutCharts

INERTIA = "(I1*R.w1^2 + I2*R.w2^2 + I3*R.w3^2)/2"
BODY = {"I1": 0.5, "I2": 0.7, "I3": 0.8}
ROLLING = {"rolls_in_x": "x' = r*R.s2", "rolls_in_y": "y' = -r*R.s1"}
SHIFTS = {"e1": {"x": 1}, "e2": {"y": 1}}
PLANE = {"x": "real", "y": "real", "R": "rotation"}
STATED = {
    "ball": System.of(
        name="ball",
        coordinates=PLANE,
        lagrangian=f"m*(x'^2 + y'^2)/2 + {INERTIA}",
        parameters={**BODY, "m": 1, "r": 1},
        constraints=ROLLING,
        symmetry=SHIFTS,
    ),
    "veselova": System.of(
        name="veselova",
        coordinates={"R": "rotation"},
        lagrangian=INERTIA,
        parameters=BODY,
        constraints={"no_turn": "R.s3 = 0"},
        symmetry={"turn": {"R": "left 3"}},
    ),
    "suslov": System.of(
        name="suslov",
        coordinates={"R": "rotation"},
        lagrangian=f"{INERTIA} + J*R.w1*R.w3 - k*R.m33",
        parameters={**BODY, "J": 0.3, "k": 1},
        constraints={"suslov": "R.w3 = 0"},
        symmetry={"turn": {"R": "left 3"}},
    ),
}
ANGLES = {"phi": "angle", "theta": "angle", "psi": "angle"}
TURNING = {
    "W1": "theta'*cos(psi) + phi'*sin(theta)*sin(psi)",
    "W2": "phi'*sin(theta)*cos(psi) - theta'*sin(psi)",
    "W3": "phi'*cos(theta) + psi'",
}
WITH_ANGLES = "(I1*W1^2 + I2*W2^2 + I3*W3^2)/2"
CHARTS = {  # R = R_z(phi) R_x(theta) R_z(psi)
    "ball": System.of(
        name="ball",
        coordinates={"x": "real", "y": "real", **ANGLES},
        lagrangian=f"m*(x'^2 + y'^2)/2 + {WITH_ANGLES}",
        parameters={**BODY, "m": 1, "r": 1},
        let=TURNING,
        constraints={
            "rolls_in_x": "x' = r*(theta'*sin(phi) - psi'*sin(theta)*cos(phi))",
            "rolls_in_y": "y' = -r*(theta'*cos(phi) + psi'*sin(theta)*sin(phi))",
        },
        symmetry=SHIFTS,
    ),
    "veselova": System.of(
        name="veselova",
        coordinates=ANGLES,
        lagrangian=WITH_ANGLES,
        parameters=BODY,
        let=TURNING,
        constraints={"no_turn": "phi' + psi'*cos(theta) = 0"},
        symmetry={"turn": {"phi": 1}},
    ),
}


@cache
def reduced(name: str) -> ChaplyginWithoutCharts:
    found = derive(STATED[name], "chaplygin")
    assert isinstance(found, ChaplyginWithoutCharts)
    return found


@cache
def with_angles(name: str) -> Chaplygin:
    found = derive(CHARTS[name], "chaplygin")
    assert isinstance(found, Chaplygin)
    return found


def by_angles(angles: Chaplygin) -> dict[Expr, Expr]:
    """Return the last row of the matrix and the angular velocities by Euler angles, as the gallery states them."""
    theta, psi = (next(q for q in angles.system.q if q.data.name == name) for name in ("theta", "psi"))
    row = [sin(theta) * sin(psi), sin(theta) * cos(psi), cos(theta)]
    put = {symbol(f"R.m3{k}"): value for k, value in enumerate(row, 1)}
    bundle = angles.reduction.bundle
    on_base = angles.reduction.on_constraint([angles.system.let[f"W{k}"] for k in (1, 2, 3)])
    return put | {symbol(f"R.w{k}"): value for k, value in enumerate(bundle.on_base(on_base), 1)}


@pytest.mark.parametrize("name", CHARTS)
def test_it_is_the_field_of_the_chart(name: str) -> None:
    angles, found = with_angles(name), reduced(name).reduction
    put = by_angles(angles)
    here = tangent([put[w] for w in found.velocities], angles.equations.rates())
    there = substitute(list(found.accelerations), put)
    assert vanish([a - b for a, b in zip(here, there, strict=True)])
    first = found.velocities[0]
    turned = substitute(list(found.accelerations), {**put, first: -put[first]})  # a twin that turns the other way
    assert not vanish([a - b for a, b in zip(here, turned, strict=True)])


def test_the_ball_is_shorter_than_with_angles() -> None:
    def length(mass: Sequence[Sequence[Expr]], force: Sequence[Expr]) -> int:
        return sum(len(text(e)) for e in (*force, *(e for row in mass for e in row)))

    angles = with_angles("ball").equations
    assert 2 * length(*reduced("ball").reduction.equations) < length(angles.mass, angles.force)


def test_verdicts_are_those_of_the_chart() -> None:
    def verdicts(result: object) -> dict[str, bool | None]:
        return {c.name: c.verdict.holds for c in claims(result) if not c.name.startswith(("integral ", "period"))}

    ours, theirs = verdicts(reduced("veselova")), verdicts(with_angles("veselova"))
    both = {name for name in ours.keys() & theirs.keys() if None not in (ours[name], theirs[name])}
    assert {name: ours[name] for name in both} == {name: theirs[name] for name in both}
    assert {"Stanchenko's condition", "invariant measure exists", "gyroscopic force vanishes"} <= both
    assert ours["Hamiltonian in the new time"]


@pytest.mark.parametrize("name", STATED)
def test_the_motion_obeys_the_reduced_equation(name: str) -> None:
    found = reduced(name).reduction
    assert vanish(found.on_states(found.defects()), found.facts)
    without = [d + alpha for d, alpha in zip(found.defects(), found.gyroscopic, strict=True)]
    assert not vanish(found.on_states(without), found.facts)


def test_the_ball_is_integrable_and_not_hamiltonian_on_the_rotations() -> None:
    measure = reduced("ball").measure
    assert measure is not None
    assert measure.stanchenko.holds is False
    (integrable,) = claims(reduced("ball"), only="integrable by quadratures")
    assert integrable.verdict.holds
    found = {i.expression for i in measure.integrals if i.verdict.holds}
    assert len(found) == 4
    r = reduced("ball").reduction
    (vertical,) = [f for f in found if "R.m31*R.w1" in text(f) and "m*r" not in text(f)]
    assert vanish(r.rates([vertical]), r.facts)
    assert not vanish(r.rates([vertical + r.velocities[0]]), r.facts)


@pytest.mark.parametrize("name", ["ball", "veselova"])
def test_the_density_is_kept_and_another_is_not(name: str) -> None:
    measure = reduced(name).measure
    assert measure is not None
    assert measure.invariance().holds
    twin = _Twin(measure.reduction)
    assert twin.invariance().holds is False


class _Twin(MeasureWithoutCharts):
    """The same with the square of the density."""

    @property
    def density(self) -> Expr | None:  # type: ignore[override]
        known = MeasureWithoutCharts(self.reduction).density
        return None if known is None else known**2


def test_hamiltons_equations_in_the_new_time_and_not_in_the_old() -> None:
    measure = reduced("veselova").measure
    assert measure is not None
    assert vanish(list(measure.not_hamilton().values()), measure.reduction.facts)
    twin = replace(measure)
    object.__setattr__(twin, "function", number(0))
    assert not vanish(list(twin.not_hamilton().values()), measure.reduction.facts)


def test_suslovs_body_has_no_density() -> None:
    measure = reduced("suslov").measure
    assert measure is not None
    assert measure.closed.holds is False
    assert [text(f) for f in reduced("suslov").reduction.equations[1][2:]] == ["0"]


def test_states_stay_where_the_constraint_holds() -> None:
    found = reduced("veselova").reduction
    (kappa,) = found.normals
    off = total([(1, k * w) for k, w in zip(kappa, found.velocities, strict=True)])
    assert vanish(found.on_states([off, *found.rates([off])]), found.facts)
    assert not vanish([off], found.facts)


# -- refusals --------------------------------------------------------------------------------------------------
def refused(**changes: object) -> str:
    with pytest.raises(HypothesisError) as fault:
        derive(STATED["ball"].but(**changes), "chaplygin")  # type: ignore[arg-type]
    return str(fault.value)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"constraints": {"slips": "x' = r*R.s2 + 1", "b": "y' = 0"}}, "free of velocities"),
        ({"constraints": {"bent": "x'^2 = r*R.s2^2", "b": "y' = 0"}}, "not linear in velocities"),
        ({"lagrangian": f"(x'^2 + y'^2)/2 + {INERTIA} - R.q0"}, "R.q0 stands by itself"),
        ({"lagrangian": f"(x'^2 + y'^2)/2 + {INERTIA} - x"}, "the Lagrangian is not invariant"),
        ({"lagrangian": f"(x'^2 + y'^2)/2 + {INERTIA} + R.w1"}, "L = T - V"),
        ({"symmetry": {"e1": {"x": 1}}}, "1 generators cannot complement"),
        ({"symmetry": {**SHIFTS, "e2": {"x": 1, "y": "x"}}}, "does not complement|is not invariant"),
        ({"constraints": {"a": "R.s1 = 0", "b": "R.s2 = 0"}}, "points in a direction that the constraints allow"),
    ],
)
def test_what_is_not_covered_is_refused_in_words(changes: dict[str, object], why: str) -> None:
    assert re.search(why, refused(**changes))


def test_a_group_that_turns_about_several_axes_is_refused() -> None:
    free = STATED["veselova"].but(
        lagrangian="(R.w1^2 + R.w2^2 + R.w3^2)/2",
        constraints={"a": "R.s1 = 0", "b": "R.s2 = 0", "c": "R.s3 = 0"},
        symmetry={f"e{k}": {"R": f"left {k}"} for k in (1, 2, 3)},
    )
    with pytest.raises(HypothesisError, match="moves all axes of space"):
        derive(free, "chaplygin")
