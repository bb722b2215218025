"""Systems on which nothing about reconstruction is hidden: curved connections, g_ai not zero, L not quadratic."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from dalembert import gallery
from dalembert.expr import Expr, symbol
from dalembert.geometry.connections.principal import trivial
from dalembert.geometry.fields import VectorField, combination, coordinate_field
from dalembert.geometry.groups.actions import action_from_generators
from dalembert.geometry.groups.invariant_frame import invariant_fields
from dalembert.geometry.groups.standard_groups import so3
from dalembert.mechanics.routh import routh
from dalembert.mechanics.routh.reconstruction.connections import MomentumLevel
from dalembert.mechanics.routh.reconstruction.decomposition import Reconstruction, reconstruct
from dalembert.mechanics.routh.reconstruction.sample_points import level_point
from dalembert.model.system import System

PLANE = {"e1": {"y": 1}, "e2": {"z": 1}, "e3": {"y": "-z", "z": "y", "th": 1}}
ANGLES = {"phi": "angle", "theta": "angle", "psi": "angle"}
SPACE = dict(zip(("e1", "e2", "e3"), so3([symbol(q, domain="angle") for q in ANGLES]).spatial, strict=True))
TURNING = {
    "w1": "phi'*sin(theta)*sin(psi) + theta'*cos(psi)",
    "w2": "phi'*sin(theta)*cos(psi) - theta'*sin(psi)",
    "w3": "phi'*cos(theta) + psi'",
}


def se2_system() -> System:
    """Section VIII.B: E1 = e1 + mu e2 at the momentum (1, mu, 0)."""
    return System.of(
        name="SE(2)",
        coordinates={"x": "real", "y": "real", "z": "real", "th": "angle"},
        parameters={"A": 0.5, "mu": 0.6},
        lagrangian="(x'^2 + y'^2 + z'^2 + th'^2)/2 + A*(sin(th)*z' + cos(th)*y')*th'",
        symmetry=PLANE,
        momentum={"e1": 1, "e2": "mu", "e3": 0},
    )


def _slopes(rows: Sequence[Sequence[str]]) -> list[str]:
    """The one-forms dtheta^b + gamma_i^a E^_a^b dx^i of the connection with X_i = d_i - gamma_i^a E^_a."""
    body = {"y": ("cos(th)", "-sin(th)", "0"), "z": ("sin(th)", "cos(th)", "0"), "th": ("0", "0", "1")}
    forms = []
    for q, parts in body.items():
        terms = [" + ".join(f"({g})*({p})" for g, p in zip(row, parts, strict=True)) for row in rows]
        forms.append(f"d{q} + " + " + ".join(f"({term})*dx{i + 1}" for i, term in enumerate(terms)))
    return forms


CURVED = (("x2/3", "x1*x2/4", "x1/2"), ("x1/3", "(1 + x2)/5", "-x1/4"))


def curved_system(momentum: Sequence[Any] = (1, "mu", "1/2")) -> System:
    """R^2 x SE(2): a Lagrangian of the fourth degree, and a curved connection that is not the mechanical one."""
    return System.of(
        name="R^2 x SE(2)",
        coordinates={"x1": "real", "x2": "real", "y": "real", "z": "real", "th": "angle"},
        parameters={"m": 2, "J": 1, "a": 0.3, "b": 0.2, "k": 0.1, "mu": 0.6},
        let={"u1": "cos(th)*y' + sin(th)*z'", "u2": "-sin(th)*y' + cos(th)*z'"},
        lagrangian=(
            "m*(u1^2 + u2^2)/2 + J*th'^2/2 + a*x1'*u1 + b*x2*x2'*u2 + x1'*th'/3 + (x1'^2 + x2'^2)/2"
            " + k*u1^4/12 + k*u1^2*th'^2/5 + a*x2'^4/12 - x1^2/2 - x2^2/2"
        ),
        symmetry=PLANE,
        bundle={"base": ["x1", "x2"], "connection": dict(zip(("c1", "c2", "c3"), _slopes(CURVED), strict=True))},
        momentum=dict(zip(PLANE, momentum, strict=True)),
    )


def turning_system(momentum: Sequence[Any] = (0, 0, "mu")) -> System:
    """SO(3) over R^2 with g_ai not zero: the trivial connection is not the mechanical one."""
    return System.of(
        name="R^2 x SO(3)",
        coordinates={"x1": "real", "x2": "real", **ANGLES},
        parameters={"I1": 1, "I2": 2, "I3": 2.5, "mu": 1},
        let=TURNING,
        lagrangian=(
            "((I1 + x1^2)*w1^2 + (I2 + x2^2)*w2^2 + I3*w3^2)/2 + x1'*x2*w1 + x1*x2'*w3/3"
            " + (1 + x2^2)*x1'^2/2 + x2'^2 + x1'*x2'/5 - x1^2*x2"
        ),
        symmetry=SPACE,
        momentum=dict(zip(SPACE, momentum, strict=True)),
    )


def falling_cat(momentum: Sequence[Any] = (0, 0, 0)) -> System:
    """A body turned by its two shape variables; at mu = 0 its reduced motion is an oscillator."""
    return System.of(
        name="falling cat",
        coordinates={"x1": "real", "x2": "real", **ANGLES},
        parameters={"I1": 1, "I2": 2, "I3": 2.5, "a": 0.7, "b": 0.4},
        let={**TURNING, "s1": "w1 - a*x1'", "s2": "w2 - b*x2' - a*x2*x1'/3"},
        lagrangian="(I1*s1^2 + I2*s2^2 + I3*w3^2)/2 + (x1'^2 + x2'^2 - x1^2 - x2^2)/2",
        symmetry=SPACE,
        momentum=dict(zip(SPACE, momentum, strict=True)),
    )


def circling() -> System:
    """An Abelian system with g_ai not zero and closed reduced motions: a wheel turned by going round."""
    return System.of(
        name="circling",
        coordinates={"x": "real", "y": "real", "phi": "angle"},
        parameters={"b": 0.3, "mu": 0.5},
        lagrangian="(x'^2 + y'^2)/2 - (x^2 + y^2)/2 + (phi' + b*(x*y' - y*x')/2)^2/2",
        symmetry={"turn": {"phi": 1}},
        momentum=["mu"],
    )


def _curved_fields(system: System, base: Sequence[Expr]) -> tuple[VectorField, ...]:
    action = action_from_generators({name: g.on(system.chart) for name, g in system.symmetry.items()})
    body = invariant_fields(action).fields
    x1, x2 = base
    rows = [[x2 / 3, x1 * x2 / 4, x1 / 2], [x1 / 3, (1 + x2) / 5, -x1 / 4]]
    return tuple(
        combination([(1, coordinate_field(system.chart, q)), *((-c, e) for c, e in zip(row, body, strict=True))])
        for q, row in zip(base, rows, strict=True)
    )


def level_of_system(system: System, base: int, *, curved: bool = False) -> tuple[MomentumLevel, Any]:
    """The level set on the stated coordinates, without any of Routh's procedure, and the matrix of invariant fields."""
    action = action_from_generators({name: g.on(system.chart) for name, g in system.symmetry.items()})
    adapted = action.algebra.adapted_basis(list(system.momentum.values()))
    changed = action.change_basis(adapted.matrix)
    shape = system.q[:base]
    flat = [trivial(system.chart, changed.generators, shape).horizontal_lift({q: 1}) for q in shape]
    level = MomentumLevel(
        system.chart,
        system.lagrangian,
        changed.generators,
        adapted.algebra.constants,
        adapted.momentum,
        adapted.isotropy_dimension,
        _curved_fields(system, shape) if curved else tuple(flat),
    )
    return level, invariant_fields(changed).matrix


@cache
def known(name: str) -> Reconstruction:
    """The reconstructions that several tests look at."""
    makers = {
        "curved": lambda: level_of_system(curved_system(), 2, curved=True),
        "curved, mu on the axis": lambda: level_of_system(curved_system((0, 0, "mu")), 2, curved=True),
        "turning": lambda: level_of_system(turning_system(), 2),
        "turning, askew": lambda: level_of_system(turning_system((1, 2, 3)), 2),
        "turning, mu = 0": lambda: level_of_system(turning_system((0, 0, 0)), 2),
        "circling": lambda: level_of_system(circling(), 2),
        "se2": lambda: level_of_system(se2_system(), 1),
    }
    return reconstruct(*makers[name]())


@cache
def points(name: str) -> dict[Expr, Expr] | None:
    """Points of their level sets."""
    return level_point(known(name).level)


@cache
def reduced(name: str) -> routh.Routh:
    """What Routh's procedure makes of the systems that several tests look at."""
    makers = {
        "se2": se2_system,
        "circling": circling,
        "curved": curved_system,
        "cat": falling_cat,
        "body": lambda: gallery.load("free-rigid-body-chart").but(momentum={"e1": 0, "e2": 0, "e3": 2}, start=None),
        "pendulum": lambda: gallery.load("spherical-pendulum").but(
            parameters={"m": 1, "l": 1, "g": Fraction(375, 256)}, momentum=[1]
        ),
        "top": lambda: gallery.load("heavy-top-chart").but(momentum={"vertical": 4, "spin": 3}),
    }
    return routh.derive(makers[name]())
