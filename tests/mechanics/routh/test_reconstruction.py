"""Sections IV to VI of Crampin and Mestdag: connections on level sets, and the Euler-Lagrange field taken apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from reconstruction_systems import falling_cat, known, points, reduced
from routh_systems import claim, decided

from dalembert.errors import HypothesisError
from dalembert.expr import ONE, ZERO, Expr, cos, evaluate, sin, substitute, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.truth import is_zero
from dalembert.expr.truth.many import components_of
from dalembert.geometry.tangent_bundle import complete_lift
from dalembert.mechanics.lagrangian import euler_lagrange
from dalembert.mechanics.routh import routh
from dalembert.mechanics.routh.reconstruction.connections import equivariance_defects, isotropy_form, mechanical, sum_of
from dalembert.mechanics.routh.reconstruction.decomposition import Reconstruction, decompositions, reconstruction_laws
from dalembert.mechanics.routh.reconstruction.sample_points import on_level
from dalembert.mechanics.routh.reconstruction.summary import (
    developed,
    horizontal_lift,
    reconstruction_claims,
    reconstruction_equations,
    reconstruction_objects,
    simple_claims,
    split_of,
)
from dalembert.model.system import System
from dalembert.numerics.simulate import simulate

SEEN = ("curved", "curved, mu on the axis", "turning", "turning, askew", "turning, mu = 0", "circling", "se2")


def holds(name: str, parts: dict[str, Expr]) -> bool | None:
    return on_level(known(name).level, points(name), parts).holds


@pytest.mark.parametrize("name", SEEN)
@pytest.mark.thorough("turning, askew", "turning, mu = 0", "turning")
@pytest.mark.thorough("curved", "curved, mu on the axis")
def test_all_connections_give_back_the_euler_lagrange_field(name: str) -> None:
    claims = reconstruction_laws(known(name), points(name))
    assert {c.name: c.verdict.holds for c in claims if c.verdict.holds is not True} == {}
    names = [c.name for c in claims]
    for connection in ("standard basis", "vertical lift", "mechanical", "orthogonal", "invariant basis"):
        assert f"reconstruction, the motion by the {connection}" in names


def test_these_systems_hide_nothing() -> None:
    """B, R and g_ai do not vanish, the connections differ, L is not quadratic: no sign is hidden."""
    found = known("curved")
    frame = found.frame
    assert all(is_zero(entry).holds is False for row in frame.shift for entry in row[1:])
    apart = [a - b for row, other in zip(found.mechanical.forms, found.combined.forms, strict=True)
             for a, b in zip(row, other, strict=True)]  # fmt: skip
    assert holds("curved", {str(k): e for k, e in enumerate(apart)}) is False
    assert isotropy_form(frame, found.mechanical) is None
    assert isotropy_form(known("turning").frame, known("turning").mechanical) is not None


def with_shift(found: Reconstruction, sign: int) -> dict[str, Expr]:
    """Gamma_0 + (v^a + sign B_i^a v^i) bE_a^C less Gamma; printed with plus."""
    frame = found.frame
    drag = [
        v + sign * sum((row[a] * s for row, s in zip(frame.shift, frame.base_velocities, strict=True)), start=0 * ONE)
        for a, v in enumerate(frame.group_velocities)
    ]
    whole = sum_of(
        [
            *zip(drag, frame.group_fields, strict=True),
            *zip(frame.base_velocities, frame.orthogonal_fields, strict=True),
            *zip(found.accelerations, frame.vertical_fields, strict=True),
        ],
        found.gamma.chart,
    )
    return components_of((whole - found.gamma).components, found.gamma.chart.coordinates)


@pytest.mark.parametrize("name", ["curved", "turning", "turning, mu = 0", "circling"])
def test_the_printed_sign_of_gamma_zero_is_refuted(name: str) -> None:
    assert holds(name, with_shift(known(name), -1)) is True
    assert holds(name, with_shift(known(name), 1)) is False


def test_the_printed_sign_of_the_abelian_case_is_refuted() -> None:
    """VI.A: the coefficient is iota^a + g^ab g_bi v^i; with the minus of the print it is not Gamma."""
    found = known("circling")
    frame = found.frame
    lift = complete_lift(found.level.generators[0])
    dragged = -sum((row[0] * s for row, s in zip(frame.shift, frame.base_velocities, strict=True)), start=0 * ONE)
    for sign, wanted in ((1, True), (-1, False)):
        whole = sum_of(
            [
                (frame.group_velocities[0] + sign * dragged, lift),
                *zip(frame.base_velocities, found.horizontal.base_fields, strict=True),
                *zip(found.accelerations, frame.vertical_fields, strict=True),
            ],
            found.gamma.chart,
        )
        parts = components_of((whole - found.gamma).components, found.gamma.chart.coordinates)
        assert holds("circling", parts) is wanted


def test_mixed_up_vertical_parts_are_refuted() -> None:
    """Phi belongs to the vertical lift and Phi_m to the mechanical connection, and not the other way round."""
    found = known("turning")
    assert found.isotropy is not None
    twin = replace(found, isotropy=replace(found.isotropy, phi=found.phi_mechanical, phi_mechanical=found.phi))
    verdicts = {c.name: c.verdict.holds for c in reconstruction_laws(twin, points("turning"))}
    for name in ("vertical parts", "the motion by the vertical lift", "the motion by the mechanical"):
        assert verdicts[f"reconstruction, {name}"] is False
    assert verdicts["reconstruction, the motion by the orthogonal"] is True


def test_brackets_of_fundamental_fields_are_no_structure_constants() -> None:
    found = known("se2")
    level = found.level
    turned = tuple(tuple(tuple(-c for c in row) for row in table) for table in level.constants)
    wrong = replace(found.frame, level=replace(level, constants=turned))
    assert holds("se2", equivariance_defects(found.frame, found.orthogonal)) is True
    assert holds("se2", equivariance_defects(wrong, found.orthogonal)) is False
    claims = reconstruction_laws(replace(found, frame=wrong), points("se2"))
    assert {c.name for c in claims if c.verdict.holds is False} >= {"reconstruction, equivariance"}


def test_a_connection_that_is_not_invariant_is_refuted() -> None:
    """The forms of Omega^m with one coefficient bent by a coordinate that G_mu moves."""
    found = known("turning")
    phi = found.level.chart.coordinates[2]
    rows = ((*found.mechanical.forms[0][:2], found.mechanical.forms[0][2] + sin(phi), *found.mechanical.forms[0][3:]),)
    bent = replace(found.mechanical, forms=rows)
    assert holds("turning", equivariance_defects(found.frame, mechanical(found.frame))) is True
    assert holds("turning", equivariance_defects(found.frame, bent)) is False


@pytest.mark.thorough
def test_a_level_set_without_closed_form_is_met_by_other_unknowns() -> None:
    """The momenta of the curved system are of the third degree in v^a; parameters are solved for instead."""
    solved = {name: {s.data.name for s in points(name) or {} if s.data.role == "parameter"} for name in SEEN}
    assert len(solved["curved"]) == 3
    assert not any(solved[name] for name in SEEN if not name.startswith("curved"))


# -- what a reduction says -----------------------------------------------------------------------------------
@pytest.mark.thorough
def test_the_example_of_section_eight() -> None:
    se2 = reduced("se2")
    objects = reconstruction_objects(se2)
    for name in ("mechanical_vertical_part", "vertical_lift_vertical_part"):  # Omega^m(Gamma) = 1 E~_1^C on N_mu
        assert objects[name].keys() == {"E1"}
        assert is_zero(objects[name]["E1"] - 1).holds
    names = {q.data.name: q for q in (*se2.frame.chart.coordinates, *se2.system.parameters)}
    A, mu, z1, th = (names[n] for n in ("A", "mu", "z1", "th"))
    form = objects["isotropy_connection"]["E1"]
    wanted = {"y": ONE, "z1": mu / (1 + mu**2), "th": (A * cos(th) + A * mu * sin(th)) / (1 + mu**2)}
    assert all(is_zero(form.get(q, ZERO) - wanted.get(q, ZERO)).holds for q in form.keys() | wanted.keys())
    amended = (1 + mu**2) / 2 + (z1 - A * cos(th) - A * mu * sin(th)) ** 2 / (2 * (1 - A**2))
    assert is_zero(objects["amended_potential"] - amended).holds
    value = evaluate([objects["amended_potential"]], Floats({A: 0.5, mu: 0.6, z1: 0.9 - 0.6 * 0.3, th: 0.4}))[0]
    assert value == pytest.approx(0.6935648738821916, abs=1e-15)
    found = decided(se2)
    assert {name for name, claim in found.items() if claim.verdict.holds is not True} == set()
    assert "reconstruction, the motion by the invariant basis" in found


@pytest.mark.parametrize("by", ["mechanical", "vertical lift"])
def test_both_reconstructions_give_y(by) -> None:
    """On the solution (z1, th) the horizontal lift moves as y_H' = -A w cos(wt) and g as 1: y = t - A sin(wt) + y0."""
    se2 = reduced("se2")
    equations = reconstruction_equations(se2, by)
    names = {s.data.name: s for s in (*equations.state, *equations.reconstruction, *se2.system.parameters)}
    A, mu, z1, th = (names[n] for n in ("A", "mu", "z1", "th"))
    w = symbol("w", role="parameter")
    put = {z1: A * cos(th) + A * mu * sin(th) + (1 - A**2) * w}
    rise, turn = substitute([equations.reconstruction[names["y_h"]], equations.reconstruction[names["s_E1"]]], put)
    assert is_zero(rise + A * w * cos(th)).holds
    assert is_zero(turn - 1).holds
    y, z = se2.system.q[1:3]
    assert is_zero(equations.configuration[y] - names["y_h"] - names["s_E1"]).holds
    assert is_zero(equations.configuration[z] - z1 - mu * equations.configuration[y]).holds


def test_reconstructed_motion_meets_the_full_one() -> None:
    se2 = reduced("se2")
    A, mu, w, y0 = 0.5, 0.6, 0.9, 0.3
    start = {"x": 0.1, "x'": 0.2, "y": y0, "z": mu * y0 + A * (1 - A * w) + w, "th": 0}
    for by in ("mechanical", "vertical lift"):
        run = simulate(
            reconstruction_equations(se2, by), {**start, "s_E1": 0}, 20, engine="scipy", tolerance=1e-13, samples=21,
            system=se2.system,
        )  # fmt: skip
        assert np.abs(run["y"] - (run.t - A * np.sin(w * run.t) + y0)).max() < 2e-10
        assert np.abs(run["z"] - (A * np.cos(w * run.t) + mu * run.t + start["z"] - A)).max() < 2e-10


@pytest.mark.thorough
def test_implicit_level_set_curved_connection_both_connections() -> None:
    """R^2 x SE(2), quartic: full motion, Routh's lift and both reconstructions agree over t = 20."""
    result = reduced("curved")
    assert {name for name, claim in decided(result).items() if claim.failed} == set()
    assert "isotropy_connection" not in reconstruction_objects(result)
    start = {"x1": 0.4, "x2": 0.3, "x1'": 0.2, "x2'": -0.3, "y": 0.3, "th": 0.4, "z": 0.9}
    how = {"engine": "native", "tolerance": 1e-13, "samples": 11}
    direct = simulate(result, start, 20, **how)
    begin = {v: float(direct[v][0]) for q in ["x1", "x2", "y", "z", "th"] for v in (q, f"{q}'")}
    full = simulate(euler_lagrange.derive(result.system), begin, 20, **how)
    lifts = []
    for by in ("mechanical", "vertical lift"):
        run = simulate(reconstruction_equations(result, by), {**start, "s_E1": 0}, 20, system=result.system, **how)
        lifts.append(run["s_E1"][-1])
        for q in ("x1", "x2", "y", "z", "th"):
            scale = np.abs(full[q]).max()
            assert np.abs(run[q] - full[q]).max() < 1e-10 * scale
            assert np.abs(direct[q] - full[q]).max() < 1e-10 * scale
    assert abs(lifts[0] - lifts[1]) > 0.1  # the connections are different ones


# -- the group -----------------------------------------------------------------------------------------------
def test_development_into_the_group() -> None:
    """g^-1 g' = xi for matrices of SO(3), with g = exp(s1 E1) exp(s2 E2) exp(s3 E3)."""
    constants = [[[0, 0, 0] for _ in range(3)] for _ in range(3)]
    for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        constants[a][b][c], constants[b][a][c] = 1, -1
    s = [symbol(f"s{k}") for k in (1, 2, 3)]
    xi = [symbol(f"xi{k}") for k in (1, 2, 3)]
    rates = developed([[[ONE * c for c in row] for row in table] for table in constants], s, xi)
    at, want = [0.3, -0.7, 0.4], np.array([0.5, 0.2, -0.9])
    speed = evaluate(rates, Floats(dict(zip([*s, *xi], [*at, *want], strict=True))))
    step = 1e-6

    def element(t: float) -> np.ndarray:
        turned = np.eye(3)
        for k in range(3):
            angle, (i, j) = at[k] + t * speed[k], ((1, 2), (2, 0), (0, 1))[k]
            factor = np.eye(3)
            factor[i, i] = factor[j, j] = np.cos(angle)
            factor[j, i], factor[i, j] = np.sin(angle), -np.sin(angle)
            turned = turned @ factor
        return turned

    moved = element(0).T @ (element(step) - element(-step)) / (2 * step)
    assert np.array([moved[2, 1], moved[0, 2], moved[1, 0]]) == pytest.approx(want, abs=1e-8)


def test_what_has_no_closed_form_is_refused_with_a_reason() -> None:
    """The flow of 1/(1 + u^2) d/du is the solution of a cubic equation, and is not found; all else is."""
    system = System.of(
        name="cubic",
        coordinates="x u",
        lagrangian="x'^2/2 - x^2/2 + (1 + x^2)*((1 + u^2)*u' + x*x')^2/2",
        symmetry={"push": {"u": "1/(1 + u^2)"}},
        momentum=[2],
    )
    result = routh.derive(system)
    assert {name for name, claim in decided(result).items() if claim.verdict.holds is not True} == set()
    assert len(horizontal_lift(result).group) == 1
    with pytest.raises(HypothesisError, match="the flow of push has no closed form"):
        reconstruction_equations(result)


def test_abelian_reductions_have_no_reduced_theta_field() -> None:
    objects = reconstruction_objects(reduced("circling"))
    assert objects["reduced_theta_field"] == {}
    assert set(decompositions(known("circling"))) == {
        "standard basis", "vertical lift", "mechanical", "orthogonal", "invariant basis"
    }  # fmt: skip


@pytest.mark.thorough
def test_rotations_with_shape_at_a_momentum_that_is_not_zero() -> None:
    """SO(3) over R^2 with g_ai not zero at mu = (0, 0, 1): full motion and both reconstructions over t = 20."""
    result = routh.derive(falling_cat((0, 0, 1)))
    how = {"engine": "native", "tolerance": 1e-13, "samples": 11}
    start = {"x1": 0.4, "x2": 0.3, "x1'": 0.2, "x2'": -0.3, "phi": 0.1, "theta": 1.0, "psi": 0.4}
    runs = [
        simulate(reconstruction_equations(result, by), {**start, "s_e3": 0}, 20, system=result.system, **how)
        for by in ("mechanical", "vertical lift")
    ]
    begin = {v: float(runs[0][v][0]) for q in start if not q.endswith("'") for v in (q, f"{q}'")}
    full = simulate(euler_lagrange.derive(result.system), begin, 20, **how)
    for q in ("x1", "x2", "phi", "theta", "psi"):
        for run in runs:
            assert np.abs(run[q] - full[q]).max() < 1e-10 * max(1.0, np.abs(full[q]).max())
    assert abs(runs[0]["s_e3"][-1] - runs[1]["s_e3"][-1]) > 0.1


def test_a_discrete_isotropy_group_leaves_nothing_to_reconstruct() -> None:
    """The affine group of the line: at a generic momentum g_mu is zero, and Gamma is its own horizontal part."""
    system = System.of(
        name="affine group",
        coordinates={"x": "real", "a": "positive", "c": "real"},
        lagrangian="(a'^2 + c'^2)/(2*a^2) + (1 + x^2)*x'^2/2 + x'*c'/(2*a) - x^2/2",
        symmetry={"e1": {"c": 1}, "e2": {"a": "a", "c": "c"}},
        momentum={"e1": 2, "e2": "1/3"},
    )
    result = routh.derive(system)
    objects = reconstruction_objects(result)
    assert objects["mechanical_vertical_part"] == {}
    verdicts = {c.name: c.verdict.holds for c in reconstruction_claims(result)}
    assert verdicts["reconstruction, the motion by the orthogonal"] is True
    assert False not in verdicts.values()
    assert reconstruction_equations(result).reconstruction == {}


def test_explicit_time_moves_the_level_set() -> None:
    """Where L depends on time Gamma is d_t and more, and d_t is kept on N_mu by a part along the group."""
    system = System.of(
        name="driven",
        coordinates={"x": "real", "phi": "angle"},
        lagrangian="x'^2/2 + (1 + x^2)*(phi' + x*x'*cos(t))^2/2 - x^2*cos(t)/2",
        symmetry={"turn": {"phi": 1}},
        momentum=[1],
    )
    result = routh.derive(system)
    verdicts = {c.name: c.verdict.kind for c in (*reconstruction_claims(result), *simple_claims(result))}
    assert verdicts.pop("simple system, amended equations") == "undecided"  # the mechanical connection moves with time
    assert set(verdicts.values()) <= {"proved", "certain"}
    found = split_of(result)
    frame = replace(found.frame, time_field=0 * found.frame.time_field)
    twin = reconstruction_laws(replace(found, frame=frame))
    assert {c.verdict.holds for c in twin if "the motion by" in c.name} == {False}


# -- a Hessian that is singular on g_mu ----------------------------------------------------------------------
def heisenberg(along_the_centre: str) -> System:
    """A group and a shape s: g is regular on the algebra, and on g_mu, its centre, it is the coefficient given."""
    return System.of(
        name="an indefinite metric on the Heisenberg group",
        coordinates="s x y z",
        let={"w": "z' - x*y'"},
        lagrangian=f"s'^2/2 + y'^2/2 + x'*w + ({along_the_centre})*w^2 - s^2 + s*s'*y'",
        symmetry={"e1": {"x": 1, "z": "y"}, "e2": {"y": 1}, "e3": {"z": 1}},
        momentum=["1/2", "1/3", 1],
        start={"s": 0.2, "s'": 0.3},
        run={"time": 1},
    )


@pytest.mark.parametrize("zero", ["0", "sin(s)^2 + cos(s)^2 - 1"])
@pytest.mark.thorough("0")
def test_without_a_mechanical_connection_all_else_goes_on(zero: str) -> None:
    """Only Omega^m, and what is made by it, is refused, by name and reason; also where the zero is in disguise."""
    result = routh.derive(heisenberg(zero))
    claims = decided(result)
    assert claims["mechanical connection"].verdict.kind == "refuted"
    assert "the matrix g_AB, has rank 0 of 1 at a generic point" in claims["mechanical connection"].verdict.evidence
    assert "isotropy connection" not in claims
    for name in ("orthogonal connection", "the motion by the standard basis", "reduced field"):
        assert claims[f"reconstruction, {name}"].verdict.holds is True
    assert claims["simple system, amended equations"].verdict.holds is True
    assert not any(claim.failed for claim in claims.values())
    assert {"amended_potential", "locked_inertia"} <= set(result.objects())
    with pytest.raises(HypothesisError, match="mechanical connection: the Hessian of L is singular on g_mu"):
        horizontal_lift(result)
    found = simulate(result, tolerance=1e-12, samples=[1.0])
    whole = {
        name: float(simulate(result, samples=[0.0])[name][0]) for name in ("s", "x", "y", "z", "s'", "x'", "y'", "z'")
    }
    other = simulate(euler_lagrange.derive(result.system), whole, tolerance=1e-12, samples=[1.0])
    assert max(abs(found[name][0] - other[name][0]) for name in "sxyz") < 1e-9


def test_the_twin_with_a_regular_block_has_one() -> None:
    result = routh.derive(heisenberg("1/5"))
    assert claim(result, "mechanical connection").verdict.holds is True
    assert claim(result, "reconstruction, the motion by the mechanical").verdict.holds is True
    assert len(horizontal_lift(result).group) == 1
