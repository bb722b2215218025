"""Constraints of any kind: closed forms that are known, multipliers as the other derivation, wrong twins, refusals."""

import pytest

from dalembert import is_zero, parse
from dalembert.errors import HypothesisError
from dalembert.mechanics.nonholonomic import general_constraints
from dalembert.mechanics.nonholonomic.constraint_manifold import constraint_manifold
from dalembert.mechanics.registry import claims
from dalembert.mechanics.semisymplectic import semisymplectic
from dalembert.model.system import System

FREE = "m*(x'^2 + y'^2 + z'^2)/2"


def particle(constraint, potential="0", **more):
    return System.of(
        name="particle",
        coordinates="x y z",
        parameters={"m": 1.3, "g": 2.1, "k": 0.7, "b": 0.4, "c": 1.1, "sigma": {"value": 0.3, "sign": "any"}},
        lagrangian=f"{FREE} - ({potential})",
        constraints={"c1": constraint},
        **more,
    )


def same(system, found, stated):
    return is_zero(found - parse(stated, system.vocabulary)).holds


def verdicts(result):
    return {claim.name: claim.verdict.holds for claim in claims(result)}


def test_appell_and_hamel_under_chetaev():
    system = particle("z' = k*sqrt(x'^2 + y'^2)", "m*g*z")
    found = general_constraints.derive(system)
    assert same(system, found.acceleration[0], "-k*g/(1 + k^2)*x'/sqrt(x'^2 + y'^2)")
    assert same(system, found.acceleration[1], "-k*g/(1 + k^2)*y'/sqrt(x'^2 + y'^2)")
    assert same(system, found.multipliers[0], "m*g/(1 + k^2)")
    assert not same(system, found.multipliers[0], "m*g/(1 - k^2)")
    assert verdicts(found)["energy conserved"]
    assert verdicts(found)["constraint forces do no work"]


def test_appell_and_hamel_with_horizontal_virtual_displacements():
    system = particle("z' = k*sqrt(x'^2 + y'^2)", "m*g*z", virtual={"c1": {"z": 1}})
    half = semisymplectic.derive(system)
    assert [a for a in half.motion.acceleration if not is_zero(a).holds] == []
    assert same(system, half.motion.multipliers[0], "m*g")
    assert same(system, half.motion.energy_rate, "m*g*k*sqrt(x'^2 + y'^2)")
    for part, x in zip(half.semi_hamiltonian_part.components, ["(1 + k^2)*x'", "(1 + k^2)*y'", "0"], strict=False):
        assert same(system, part, x)
    for part, x in zip(half.null_forcing.components, ["-k^2*x'", "-k^2*y'", "k*sqrt(x'^2+y'^2)"], strict=False):
        assert same(system, part, x)
    said = verdicts(half)
    assert said["null-forcing"]
    assert said["semi-Hamiltonian"] is False
    assert said["constraint forces do no work"] is False
    assert said["Chetaev's rule"] is False


def test_virtual_displacements_other_than_chetaevs_that_contain_the_velocity():
    # W spanned by v and (-y', x', sigma rho): annihilated by their cross product
    rho = "sqrt(x'^2 + y'^2)"
    form = {"x": f"y'*sigma*{rho} - z'*x'", "y": f"-z'*y' - x'*sigma*{rho}", "z": "x'^2 + y'^2"}
    system = particle(f"z' = k*{rho}", "m*g*z", virtual={"c1": form})
    said = verdicts(semisymplectic.derive(system))
    assert said["energy conserved"]
    assert said["constraint forces do no work"]
    assert said["semi-Hamiltonian"]
    assert said["Chetaev's rule"] is False


def test_affine_constraint():
    system = particle("z' = y*x' + b").but(lagrangian="(x'^2 + y'^2 + z'^2)/2")
    half = semisymplectic.derive(system)
    assert same(system, half.motion.acceleration[0], "-y*x'*y'/(1 + y^2)")
    assert same(system, half.motion.energy_rate, "b*x'*y'/(1 + y^2)")
    stated = ["x' + b*y/(1 + y^2)", "y'", "y*(x' + b*y/(1 + y^2))", "-y*x'*y'/(1 + y^2)", "-b*x'/(1 + y^2)"]
    for part, text in zip(half.semi_hamiltonian_part.components, stated, strict=True):
        assert same(system, part, text)


def test_linear_constraint_with_another_rule():
    system = particle("z' = y*x'", virtual={"c1": {"z": 1, "x": "-sigma"}}).but(lagrangian="(x'^2 + y'^2 + z'^2)/2")
    half = semisymplectic.derive(system)
    n = "(1 + sigma*y)"
    assert same(system, half.motion.acceleration[0], f"-sigma*x'*y'/{n}")
    assert same(system, half.motion.energy_rate, f"(y - sigma)*x'^2*y'/{n}")
    stated = [f"(1+y^2)*x'/{n}", "y'", f"sigma*(1+y^2)*x'/{n}", f"-sigma*x'*y'/{n}", f"(sigma-y)*x'^2/{n}"]
    for part, text in zip(half.semi_hamiltonian_part.components, stated, strict=True):
        assert same(system, part, text)
    (regular,) = claims(half, "regular")
    assert "sigma*y + 1" in regular.statement


def test_isokinetic_motion_conserves_energy_only_without_potential():
    free = verdicts(general_constraints.derive(particle("x'^2 + y'^2 + z'^2 = c^2")))
    assert free["energy conserved"]
    assert free["constraint forces do no work"] is False
    pushed = general_constraints.derive(particle("x'^2 + y'^2 + z'^2 = c^2", "g*x"))
    assert verdicts(pushed)["energy conserved"] is False
    assert same(pushed.system, pushed.energy_rate, "g*x'")


def test_the_start_chooses_the_branch():
    up = constraint_manifold(particle("z'^2 = x'^2 + y'^2", fibration={"dependent": ["z"]}))
    down = constraint_manifold(particle("z'^2 = x'^2 + y'^2", fibration={"dependent": ["z"]}, start={"z'": -1}))
    assert is_zero(up.velocities[2] + down.velocities[2]).holds
    assert not is_zero(up.velocities[2]).holds
    assert "larger" in up.branches[0]
    assert "smaller" in down.branches[0]


def test_what_cannot_be_solved_stays_implicit():
    found = general_constraints.derive(
        particle("exp(z') + z' = x'^3 + sin(y)*y'^4 + 1", "g*z", fibration={"dependent": ["z"]})
    )
    assert list(found.equations.implicit) == [found.system.v[2]]
    assert verdicts(found)["multipliers"]
    assert verdicts(found)["energy balance"]


def test_several_constraints_of_different_kinds():
    system = System.of(
        name="mixed",
        coordinates="a b c d",
        lagrangian="(a'^2 + b'^2 + 2*c'^2 + d'^2)/2 - a*c + b*d",
        constraints={"linear": "d' = a*b'", "nonlinear": "c'*(1 + a'^2) = b'*d'"},
    )
    found = general_constraints.derive(system)
    assert verdicts(found)["multipliers"]
    assert {system.q[a].data.name for a in found.manifold.dependent} == {"d", "c"}


def test_virtual_displacements_that_give_no_motion_are_refused():
    # the rule annihilates what the constraint leaves free
    system = particle("z' = 0", virtual={"c1": {"x": 1}})
    with pytest.raises(HypothesisError, match=r"not \(C, W\)-regular"):
        general_constraints.derive(system)


def test_time_is_refused_by_the_semisymplectic_form_and_forces_stand_beside_it():
    with pytest.raises(HypothesisError, match="it depends on time"):
        semisymplectic.derive(particle("z' = t*x'"))
    assert semisymplectic.derive(particle("z' = y*x'")).force_part is None
    assert semisymplectic.derive(particle("z' = y*x'", forces={"x": "-x'"})).force_part is not None
