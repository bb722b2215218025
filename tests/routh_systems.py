"""Systems with symmetry on which Routh's procedure has nothing to hide behind, and what was derived for them, once."""

from __future__ import annotations

from functools import cache

import pytest

from dalembert import derive, gallery, simulate
from dalembert.expr import ONE, TIME, Expr, substitute, symbol
from dalembert.expr.calculus import tangent
from dalembert.geometry.groups import so3
from dalembert.mechanics.lagrangian.jets import euler_operators
from dalembert.mechanics.routh import routh
from dalembert.mechanics.routh.formalism import FORMALISM
from dalembert.mechanics.routh.routh import Routh
from dalembert.model.claim import Claim
from dalembert.model.system import System
from dalembert.model.trajectory import Trajectory

CURVED = "u*a*u'/2 + w*b*theta'/4 + u*theta'*w' - (u^2 + w^2)/2 + c*a*u"
SPIN = {
    "w1": "phi'*sin(theta)*sin(psi) + theta'*cos(psi)",
    "w2": "phi'*sin(theta)*cos(psi) - theta'*sin(psi)",
    "w3": "phi'*cos(theta) + psi'",
}


def curved_quadratic(momentum: dict[str, object]) -> System:
    """R^2 x SE(2) with a curved connection that is not mechanical, terms linear in velocities, p_a linear in them."""
    return gallery.load("curved-se2").but(
        name="curved, quadratic",
        parameters={"c": 0.4, "m": 0.5},
        lagrangian=f"(u'^2 + (1 + u^2)*w'^2 + a^2 + 2*b^2 + 3*theta'^2)/2 + {CURVED}",
        momentum=momentum,
    )


def spin(momentum: dict[str, object], quartic: bool = False) -> System:
    """SO(3) over a line, base and group coupled: g_ai is not zero."""
    more = " + (w1^2 + r'^2)^2/8" if quartic else ""
    return System.of(
        name="spin on a line",
        coordinates={"r": "real", "phi": "angle", "theta": "angle", "psi": "angle"},
        parameters={"m": 0.8},
        let=SPIN,
        lagrangian=f"(w1^2 + 2*w2^2 + 3*w3^2 + r'^2)/2 + r'*w1/3 + r*w2*w3/5 + r*r'*w3/4 + w2*r/2 - r^2/2{more}",
        symmetry=dict(zip(("e1", "e2", "e3"), so3().spatial, strict=True)),
        momentum=momentum,
    )


def only(name: str, *generators: str) -> System:
    """Return a system of the gallery with some of its generators only."""
    system = gallery.load(name)
    kept = {g: {q.data.name: c for q, c in system.symmetry[g].components.items()} for g in generators}
    return system.but(symmetry=kept)


BENT = ["(x*dy - y*dx)/(x^2 + y^2) + (x*dx + y*dy)", "dz - (x*dx + y*dy)/2"]
"""A connection on space without its axis that is not the mechanical one."""
RELATIVISTIC = {
    "name": "relativistic planet",
    "coordinates": {"r": "positive", "phi": "angle"},
    "parameters": {"k": 0.5, "l": 0.9},
    "lagrangian": "k/r - sqrt(1 - r'^2 - r^2*phi'^2)",
    "symmetry": {"turn": {"phi": 1}},
    "momentum": {"turn": "l"},
    "start": {"r": 1.5, "r'": 0.1},
}
SYSTEMS = {
    "relativistic": lambda: System.of(**RELATIVISTIC),
    "se2": lambda: gallery.load("se2-routh"),
    "curved": lambda: gallery.load("curved-se2"),
    "curved, along": lambda: curved_quadratic({"e1": "0.7", "e2": "m", "e3": "0.3"}),
    "spin": lambda: spin({"e1": 0, "e2": 0, "e3": "m"}),
    "spin at rest": lambda: spin({"e1": 0, "e2": 0, "e3": 0}),
    "quartic spin at rest": lambda: spin({"e1": 0, "e2": 0, "e3": 0}, quartic=True),
    "kepler": lambda: only("kepler", "e3"),
    "spherical pendulum": lambda: gallery.load("spherical-pendulum"),
    "heavy top": lambda: gallery.load("heavy-top-chart"),
    "askew": lambda: spin({"e1": 1, "e2": 0, "e3": 1}),
    "rigid body": lambda: gallery.load("free-rigid-body-chart").but(
        momentum={"e1": 0, "e2": 0, "e3": 1}, start={"theta": 1, "psi": 0.3, "phi": 0.1}
    ),
    "magnetic": lambda: only("magnetic", "turn", "along").but(bundle={"connection": BENT}),
    "quartic": lambda: gallery.load("quartic"),
    "wong plane": lambda: gallery.load("wong-plane"),
    "wong space": lambda: gallery.load("wong-space"),
}


@cache
def derived(name: str) -> Routh:
    """Return what Routh's procedure gives for one of the systems."""
    return routh.derive(SYSTEMS[name]())


ROWS = (*FORMALISM.theorems, *FORMALISM.laws)


def decided(result: Routh, *without: str) -> dict[str, Claim]:
    """Return hypotheses, theorems and laws by name, some laws left out."""
    found = [claim for row in ROWS if row.name not in without for claim in row.claims(result, effort=0.0)]
    return {claim.name: claim for claim in (*result.hypotheses, *found)}


def claim(result: Routh, name: str) -> Claim:
    """Return a claim by its name."""
    rows = (row for row in ROWS if name.startswith(row.name))
    found = (*result.hypotheses, *(claim for row in rows for claim in row.claims(result, effort=0.0)))
    return next(claim for claim in found if claim.name == name)


def carried_back(result: Routh) -> list[Expr]:
    """Return the Euler-Lagrange equations of the stated Lagrangian along state and lift; they vanish on a motion."""
    system, equations = result.system, result.equations
    assert system.lagrangian is not None
    seed = {**equations.rates(), **equations.reconstruction, symbol(TIME): ONE}
    positions = [equations.configuration.get(q, q) for q in system.q]
    velocities = tangent(positions, seed)
    accelerations = tangent(velocities, seed)
    put = dict(zip((*system.q, *system.v), (*positions, *velocities), strict=True))
    put |= dict(zip((v.dot for v in system.v), accelerations, strict=True))
    return substitute(euler_operators(system.lagrangian, system.q, 1), put)


def followed_beside_euler_lagrange(result: Routh) -> Trajectory:
    """Follow a reduced motion and its reconstruction, see that it is that of Euler and Lagrange, and return it."""
    one, other = (
        simulate(source, time=1, tolerance=1e-12, samples=3)
        for source in (result, derive(result.system, "euler-lagrange"))
    )
    for q in result.system.q:
        assert one[q.data.name] == pytest.approx(other[q.data.name], abs=1e-9)
    return one
