"""Chaplygin systems with rotations, without charts: they are those with Euler angles, and what is decided can fail."""

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from rotating_systems import CHARTS, INERTIA, SHIFTS, STATED, answered_apart, reduced, verdicts, with_angles

from dalembert import claims, derive, simulate
from dalembert.analysis.agreement import neighbours
from dalembert.analysis.fields import meetings, same_field
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
from dalembert.mechanics.common import points_of


def by_angles(angles: Chaplygin) -> dict[Expr, Expr]:
    """Return the last row of the matrix and the angular velocities by Euler angles, as the gallery states them."""
    theta, psi = (next(q for q in angles.system.q if q.data.name == name) for name in ("theta", "psi"))
    row = [sin(theta) * sin(psi), sin(theta) * cos(psi), cos(theta)]
    put = {symbol(f"R.m3{k}"): value for k, value in enumerate(row, 1)}
    bundle = angles.reduction.bundle
    on_base = angles.reduction.on_constraint([angles.system.let[f"W{k}"] for k in (1, 2, 3)])
    return put | {symbol(f"R.w{k}"): value for k, value in enumerate(bundle.on_base(on_base), 1)}


@pytest.mark.parametrize("name", CHARTS)
@pytest.mark.thorough("veselova")
def test_it_is_the_field_of_the_chart(name: str) -> None:
    angles, found = with_angles(name), reduced(name).reduction
    put = by_angles(angles)
    here = tangent([put[w] for w in found.velocities], angles.equations.rates())
    there = substitute(list(found.accelerations), put)
    assert vanish([a - b for a, b in zip(here, there, strict=True)])
    first = found.velocities[0]
    turned = substitute(list(found.accelerations), {**put, first: -put[first]})  # a twin that turns the other way
    assert not vanish([a - b for a, b in zip(here, turned, strict=True)])


@pytest.mark.parametrize("name", CHARTS)
@pytest.mark.thorough("veselova")
def test_it_is_shorter_than_with_angles(name: str) -> None:
    def length(mass: Sequence[Sequence[Expr]], force: Sequence[Expr]) -> int:
        return sum(len(text(e)) for e in (*force, *(e for row in mass for e in row)))

    angles = with_angles(name).equations
    assert length(*reduced(name).reduction.equations) < length(angles.mass, angles.force)


@pytest.mark.thorough
def test_verdicts_are_those_of_the_chart() -> None:
    assert answered_apart(reduced("veselova"), with_angles("veselova")) == {}
    ours = verdicts(reduced("veselova"))
    assert ours["Hamiltonian in the new time"]
    assert ours["Hamel's contorsion is skew"] is False
    assert answered_apart(reduced("suslov"), with_angles("veselova"))  # another system has other answers


@pytest.mark.parametrize("name", STATED)
@pytest.mark.thorough("veselova")
def test_the_motion_obeys_the_reduced_equation(name: str) -> None:
    found = reduced(name).reduction
    assert vanish(found.on_states(found.defects()), found.facts)
    without = [d + alpha for d, alpha in zip(found.defects(), found.gyroscopic, strict=True)]
    assert not vanish(found.on_states(without), found.facts)


@pytest.mark.thorough
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


def test_formalisms_are_the_same_field_on_the_states_only() -> None:
    system = STATED["veselova"]
    both = {name: derive(system, name).equations for name in ("nonholonomic", "chaplygin")}
    (claim,) = meetings(system, both)
    assert claim.verdict.holds
    anywhere = replace(both["chaplygin"], projection=())  # where velocities disobey the constraint they differ
    assert same_field(both["nonholonomic"], anywhere, system.q, points_of(system)).holds is False


def test_a_motion_beside_another_begins_on_the_rotations() -> None:
    found = reduced("veselova")
    run = simulate(found, {"R.w1": 0.5}, 0.5)
    for other in neighbours(found, run):
        assert other.success
        assert abs(sum(float(other[f"R.q{k}"][0]) ** 2 for k in range(4)) - 1) < 1e-15
        assert abs(float(other["R.q1"][0]) - float(run["R.q1"][0])) > 1e-9  # it is another one


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


def test_nothing_to_move_is_refused() -> None:
    held = STATED["veselova"].but(
        lagrangian="(R.w1^2 + R.w2^2 + R.w3^2)/2",
        constraints={"a": "R.s1 = 0", "b": "R.s2 = 0", "c": "R.s3 = 0"},
        symmetry={f"e{k}": {"R": f"left {k}"} for k in (1, 2, 3)},
    )
    with pytest.raises(HypothesisError, match="nothing is left of Q"):
        derive(held, "chaplygin")


@pytest.mark.thorough
def test_a_group_of_all_rotations_leaves_the_plane() -> None:
    plate = STATED["ball"].but(
        lagrangian="m*(x'^2 + y'^2)/2 + I1*(R.w1^2 + R.w2^2 + R.w3^2)/2 - I2*x*y",
        constraints={"a": "x' = r*R.s2", "b": "y' = -r*R.s1", "no_spin": "R.s3 = 0"},
        symmetry={f"e{k}": {"R": f"right {k}"} for k in (1, 2, 3)},
    )
    found = derive(plate, "chaplygin")
    assert isinstance(found, ChaplyginWithoutCharts)
    assert [x.data.label for x in found.equations.kinematics] == ["x", "y"]
    for name, holds in {"multipliers": True, "reduced equation": True, "pure kinetic energy": False}.items():
        assert [c.verdict.holds for c in claims(found, only=name)] == [holds]
