"""Systems that state their equations and no Lagrangian: derived, moved, searched, and refused where they must be."""

import json
from dataclasses import fields, replace

import numpy as np
import pytest
from typer.testing import CliRunner

from dalembert import HypothesisError, System, derive, equal, load, parse, simulate
from dalembert.cli.main import app
from dalembert.mechanics.nonholonomic import given_equations
from dalembert.mechanics.nonholonomic.formalism import FORMALISM
from dalembert.mechanics.registry import claims
from dalembert.mechanics.second_order.field import SecondOrderField
from dalembert.mechanics.second_order.identities import second_order_identities

STEERED = """
name = "steered"
[coordinates]
th = "angle"
s = "real"
x = "real"
[parameters]
k = 2.0
[functions]
V = { of = ["s"], value = "s^3/3" }
[controls]
u = "sin(t)"
[equations]
"th''" = "u - k*sin(th) - th'/10"
"s''" = "-D(V, 1)(s) + x'*th'/5"
"x'" = "cos(th)*s' + th'*s + t"
[start]
s = 0.7
"th'" = 0.5
"s'" = 0.1
[run]
time = 4.0
"""


LAWS = ("identities of the field", "covariance")


class Bent(SecondOrderField):
    """A field whose connection has the other sign."""

    __slots__ = ()

    @property
    def connection(self):
        return tuple(tuple(-entry for entry in row) for row in super().connection)


def laws(motion):
    return {row.name: claim for row in FORMALISM.laws for claim in row.claims(motion)}


@pytest.fixture
def steered(tmp_path):
    path = tmp_path / "steered.toml"
    path.write_text(STEERED)
    return path


def test_its_geometry_in_the_json(steered):
    answer = CliRunner().invoke(app, ["derive", str(steered), "--as", "nonholonomic", "--json"])
    assert answer.exit_code == 0
    found = json.loads(answer.output)
    assert found["state"] == ["th", "s", "x", "th'", "s'"]
    assert found["objects"]["connection"] == {"x": {"th": "s", "s": "cos(th)"}}
    assert found["objects"]["drift"] == {"x": "t"}
    assert {claim["name"] for claim in found["claims"]} >= {"first integrals", "adjoint symmetries"}


def test_the_laws_of_its_geometry(steered):
    motion = derive(load(steered), "nonholonomic")
    assert {name: claim.verdict.kind for name, claim in laws(motion).items()} == dict.fromkeys(LAWS, "certain")
    wrong = replace(motion, sode=Bent(*(getattr(motion.sode, f.name) for f in fields(SecondOrderField))))
    assert all(claim.failed for claim in laws(wrong).values())


def test_its_curvature_and_jacobi_endomorphism_by_hand():
    system = System.of(
        name="pair", coordinates="x y z", equations={"x''": "-x*z", "y''": "x'*y'", "z'": "y*x' + t*x*y' + z^2"}
    )
    motion = derive(system, "nonholonomic")
    names = system.vocabulary
    # C_alpha = Gamma(B_alpha) - X_alpha(g) with B = (y, t x), g = y x' + t x y' + z^2
    wanted = {"x": "y' - (t*y' + y*2*z)", "y": "x + t*x' - (x' + t*x*2*z)"}
    wrong = {"x": "y' - t*y'", "y": "x + t*x' - x' + t*x*2*z"}
    curvature = motion.objects()["constraint_curvature"]["z"]
    assert all(equal(curvature[q], parse(text, names)).holds for q, text in wanted.items())
    assert not any(equal(curvature[q], parse(text, names)).holds for q, text in wrong.items())
    # Gam^y = -(y', x')/2; Phi^y_y = -(X_y(f^y) + Gam^y_x Gam^x_y + (Gam^y_y)^2 + Gamma(Gam^y_y)), f^x = -x z
    phi = motion.objects()["jacobi_endomorphism"]["phi"]
    assert equal(phi["y"]["y"], parse("-(x'^2/4 + x*z/2)", names)).holds
    assert equal(phi["x"]["z"], parse("x", names)).holds
    assert not equal(phi["x"]["z"], parse("-x", names)).holds


def test_its_motion_is_that_of_the_equations(steered):
    from scipy.integrate import solve_ivp

    def rates(t, y):
        th, s, _, turn, slide = y
        x = np.cos(th) * slide + turn * s + t
        return [turn, slide, x, np.sin(t) - 2 * np.sin(th) - turn / 10, -(s**2) + x * turn / 5]

    run = simulate(derive(load(steered), "nonholonomic"), tolerance=1e-12)
    wanted = solve_ivp(rates, (0, 4), [0, 0.7, 0, 0.5, 0.1], method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    assert np.abs(run.y[:, -1] - wanted).max() < 1e-9
    assert run["x'"][0] == pytest.approx(0.1 + 0.35)


def test_what_is_found_of_it_is_so():
    system = System.of(name="two springs", coordinates="x y z", equations={"x''": "-x", "y''": "-4*y", "z'": "x*y'"})
    found = derive(system, "nonholonomic").objects()
    names = system.vocabulary
    kept = found["first_integrals"]
    assert any(equal(one, parse("4*x*y + x'*y' - 3*z", names)).holds for one in kept)  # by hand: z' = x y'
    assert not any(equal(one, parse("4*x*y - x'*y' - 3*z", names)).holds for one in kept)
    assert found["lagrangians"]


def test_without_constraints_too():
    motion = derive(System.of(name="spring", coordinates="x", equations={"x''": "-x"}), "nonholonomic")
    assert {claim.verdict.holds for claim in laws(motion).values()} == {True}
    assert not [claim for claim in claims(motion) if claim.name.startswith("constraints solvable")]
    assert simulate(motion, {"x": 1}, 2)["x"][-1] == pytest.approx(np.cos(2), abs=1e-9)


def test_what_cannot_be_is_refused_in_words():
    slow = System.of(name="slow", coordinates="x", equations={"x'": "-x"})
    with pytest.raises(HypothesisError, match="they give no acceleration"):
        derive(slow, "nonholonomic")
    curved = System.of(name="curved", coordinates="x y", equations={"x''": "-x"}, constraints={"c": "y'^2 = x'"})
    assert "not affine" in given_equations.check(curved)[0].what
    with pytest.raises(HypothesisError, match="use nonholonomic, which takes"):
        derive(System.of(name="spring", coordinates="x", equations={"x''": "-x"}), "euler-lagrange")


def test_a_large_field_says_what_was_not_asked():
    q = "abcdefg"
    system = System.of(name="chain", coordinates=" ".join(q), equations={f"{x}''": f"-{x}^3" for x in q})
    motion = derive(system, "nonholonomic")
    assert [(claim.name, claim.verdict.kind) for claim in claims(motion)] == [("searches", "undecided")]
    assert {c.verdict.kind for c in laws(motion).values()} == {"undecided"}
    assert len(second_order_identities(motion.sode)) > 40  # on request they run all the same
