"""The systems on which the formulas are tried: those of the paper, and some on which no sign can hide."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from dalembert import gallery
from dalembert.expr import Expr, substitute
from dalembert.expr.text import parse
from dalembert.geometry.fields import VectorField
from dalembert.mechanics.routh import routh
from dalembert.mechanics.routh.identities import euler_lagrange_field
from dalembert.mechanics.routh.reconstruction.connections import level_of
from dalembert.mechanics.routh.reconstruction.decomposition import Reconstruction, reconstruct
from dalembert.mechanics.routh.reconstruction.sample_points import level_point
from dalembert.mechanics.routh.reconstruction.simple_systems import SimpleReconstruction, simple_reconstruction
from dalembert.mechanics.routh.routh import Routh
from dalembert.mechanics.routh.wong_equations import Wong, wong
from dalembert.model.system import System
from papers.exact import same

QUARTIC = "quartic"
"""R^2 x SE(2) with a curved connection that is not mechanical, and momenta of third degree in the velocities."""
BENT = "bent"
"""The same with terms of first degree in the velocities and momenta that are linear in them, so iota is known."""
SIMPLE = "simple"
"""The same without the terms of first degree: L = T - V."""
STILL = "still"
"""The first of these two at momentum zero, where G_mu is all of SE(2) and does not commute."""
ABELIAN = "abelian"
"""The Lagrangian of the introduction with all coefficients unspecified functions, and the trivial connection."""
UPRIGHT = "upright"
"""The same with the mechanical connection."""
SE2, WONG = "se2-routh", "wong-plane"

_PARTS = "(u'^2 + (1 + u^2)*w'^2 + a^2 + 2*b^2 + 3*theta'^2)/2 + u*a*u'/2 + w*b*theta'/4 + u*theta'*w' - (u^2 + w^2)/2"
_COEFFICIENTS = ("k11", "k12", "k22", "m11", "m12", "m21", "m22", "h11", "h12", "h22", "V")


def _abelian(connection: str) -> System:
    def of(name: str) -> str:
        return f"{name}(x, y)"

    kinetic = f"{of('k11')}*x'^2/2 + {of('k12')}*x'*y' + {of('k22')}*y'^2/2"
    mixed = f"x'*({of('m11')}*r' + {of('m12')}*s') + y'*({of('m21')}*r' + {of('m22')}*s')"
    inner = f"{of('h11')}*r'^2/2 + {of('h12')}*r'*s' + {of('h22')}*s'^2/2"
    return System.of(
        name="abelian",
        coordinates="x y r s",
        functions={name: {"of": ["x", "y"]} for name in _COEFFICIENTS},
        parameters={"p": {"value": 1, "sign": "any"}, "q": {"value": 1, "sign": "any"}},
        lagrangian=f"{kinetic} + {mixed} + {inner} - V(x, y)",
        symmetry={"e1": {"r": 1}, "e2": {"s": 1}},
        momentum={"e1": "p", "e2": "q"},
        bundle={"base": ["x", "y"], "connection": connection},
    )


@cache
def system(name: str) -> System:
    if name in (ABELIAN, UPRIGHT):
        return _abelian("trivial" if name == ABELIAN else "mechanical")
    if name == QUARTIC:
        return gallery.load("curved-se2")
    if name == STILL:
        return system(BENT).but(name=name, momentum={"e1": 0, "e2": 0, "e3": 0})
    if name in (BENT, SIMPLE):
        more = " + c*a*u + c*u*w'" if name == BENT else ""
        return gallery.load("curved-se2").but(
            name=name,
            parameters={"c": 0.4, "m": 0.5},
            lagrangian=_PARTS + more,
            momentum={"e1": "0.7", "e2": "m", "e3": "0.3"},
        )
    return gallery.load(name)


@cache
def result(name: str) -> Routh:
    return routh.derive(system(name))


@cache
def gamma(name: str) -> VectorField:
    """The Euler-Lagrange field in quasi-velocities."""
    return euler_lagrange_field(result(name).frame)


@cache
def split(name: str) -> Reconstruction:
    """The level set in coordinates and velocities, with its connections."""
    found = result(name)
    return reconstruct(level_of(found.frame), None if found.invariant is None else found.invariant.matrix)


@cache
def point(name: str) -> dict[Expr, Expr]:
    found = level_point(split(name).level)
    assert found is not None
    return found


@cache
def simple(name: str) -> SimpleReconstruction:
    found = simple_reconstruction(split(name))
    assert found is not None
    return found


@cache
def wongs() -> Wong:
    return wong(result(WONG))


def read(name: str, *texts: str) -> list[Expr]:
    """Return formulas of the paper in the names of a system; z1 stands for the paper's z', w for its frequency."""
    words = system(name).vocabulary
    more = type(words)(words.coordinates, words.parameters, words.functions, words.let, {"z1": "real"})
    return [parse(text, more) for text in texts]


def same_on_level(name: str, left: Sequence[Expr], right: Sequence[Expr]) -> bool:
    """Say whether functions of coordinates and velocities agree on the level set."""
    there = point(name)
    return same(substitute(list(left), there), substitute(list(right), there))
