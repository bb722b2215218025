"""The systems on which the formulas are tried: those of the paper, and some on which no sign can hide."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import combinations_with_replacement

import pytest

from dalembert import gallery
from dalembert.expr import ONE, ZERO, Expr, substitute
from dalembert.expr.elementary import solve
from dalembert.expr.text import parse
from dalembert.geometry.fields import VectorField, combination
from dalembert.geometry.groups import lie_algebra
from dalembert.geometry.groups.second_kind import second_kind
from dalembert.mechanics.chaplygin.local_data import from_local_data
from dalembert.mechanics.routh import routh
from dalembert.mechanics.routh.identities import euler_lagrange_field
from dalembert.mechanics.routh.reconstruction.connections import Rows, level_of
from dalembert.mechanics.routh.reconstruction.decomposition import Reconstruction, reconstruct
from dalembert.mechanics.routh.reconstruction.sample_points import level_point
from dalembert.mechanics.routh.reconstruction.simple_systems import SimpleReconstruction, simple_reconstruction
from dalembert.mechanics.routh.routh import Routh
from dalembert.mechanics.routh.wong_equations import Wong, wong
from dalembert.model.system import System
from papers.exact import columns, dot, same

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

PLANE, SPACE, MORE, FLAT = "any of SE(2)", "any of SO(3)", "any of SO(3) x R", "any of R^2"
LINES = "any of Aff(1) x Aff(1)"
"""All Lagrangians of second degree in the velocities that a group leaves alone, over two base coordinates: the metric,
the terms of first degree, the potential and the connection are unspecified. G_mu has dimension 1, 1, 2, 2, and 2 where
it is the first factor and does not commute."""
EVEN = ", L = T - V"
"""With this behind its name L = T - V, and the connection is the mechanical one."""
OTHERS = [pytest.param(one, marks=pytest.mark.thorough) for one in (PLANE, MORE, FLAT, LINES)]
ANY = pytest.mark.parametrize("name", [QUARTIC, SPACE, *OTHERS])
"""Momenta of third degree in the velocities, and all Lagrangians of second degree that a group leaves alone."""
_SPIN = {("e1", "e2"): {"e3": 1}, ("e2", "e3"): {"e1": 1}, ("e3", "e1"): {"e2": 1}}
_ALGEBRAS = {
    PLANE: lie_algebra(["e1", "e2", "e3"], {("e3", "e1"): {"e2": 1}, ("e3", "e2"): {"e1": -1}}),
    SPACE: lie_algebra(["e1", "e2", "e3"], _SPIN),
    MORE: lie_algebra(["e1", "e4", "e2", "e3"], _SPIN),
    FLAT: lie_algebra(["e1", "e4"], {}),
    LINES: lie_algebra(["e5", "e6", "e7", "e8"], {("e5", "e6"): {"e6": 1}, ("e7", "e8"): {"e8": 1}}),
}

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


def _any(name: str) -> System:
    """Return the system of a group with all that its Lagrangian may have, and the connection of local data."""
    algebra, even = _ALGEBRAS[name.removesuffix(EVEN)], name.endswith(EVEN)
    body = [f"xi_{label}" for label in algebra.names]
    speeds = ["u'", "w'", *body]
    pairs = list(combinations_with_replacement(range(len(speeds)), 2))
    terms = {f"g{i}{j}": f"{speeds[i]}*{speeds[j]}/{2 if i == j else 1}" for i, j in pairs}
    terms |= {} if even else {f"l{i}": v for i, v in enumerate(speeds)}
    gamma = [[f"k{i}{a}" for a in range(2)] for i in range(len(body))]
    names = ["V", *terms, *(k for row in gamma for k in row)]
    whole = from_local_data(
        name,
        {"u": "real", "w": "real"},
        " + ".join(f"{f}(u, w)*{term}" for f, term in {**terms, "V": "(-1)"}.items()),
        body,
        [[f"{k}(u, w)" for k in row] for row in gamma],
        algebra,
        functions={f: {"of": ["u", "w"]} for f in names},
        parameters={"m": 0.5, "n": 0.7},
    )
    forms = [re.sub(r"(\w+)'", r"d\1", str(f).removesuffix(" = 0")) for f in whole.constraints.values()]
    return whole.but(
        constraints={},
        bundle={"base": ["u", "w"], "connection": "mechanical" if even else forms},
        momentum={label: {"e1": "m", "e4": "n", "e8": "m"}.get(label, 0) for label in algebra.names},
    )


def _adjoint(name: str) -> Rows:
    """Return A_a^b of the invariant fields of such a system, in the coordinates of its group."""
    algebra = _ALGEBRAS[name.removesuffix(EVEN)]
    fibre = list(system(name).q[2:])
    body, spatial = second_kind(algebra, fibre)
    size = range(algebra.dimension)
    units = [[ONE if i == j else ZERO for j in size] for i in size]
    fields = [solve(columns(body), unit) for unit in units]
    return tuple(tuple(dot(field, column) for column in columns(spatial)) for field in fields)


@cache
def system(name: str) -> System:
    if name.removesuffix(EVEN) in _ALGEBRAS:
        return _any(name)
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


def group(name: str) -> range:
    """Return the indices of the group of a system."""
    return range(len(result(name).frame.constants))


@cache
def commutes(name: str) -> bool:
    """Say whether the group of a system commutes, so that nothing turns and no sign of what does can be seen."""
    return same(
        [c for rows in result(name).frame.constants for row in rows for c in row], [ZERO] * len(group(name)) ** 3
    )


@cache
def gamma(name: str) -> VectorField:
    """The Euler-Lagrange field in quasi-velocities."""
    return euler_lagrange_field(result(name).frame)


@cache
def split(name: str) -> Reconstruction:
    """The level set in coordinates and velocities, with its connections."""
    found = result(name)
    if name.removesuffix(EVEN) in _ALGEBRAS:
        return reconstruct(level_of(found.frame), adjoint(name))
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
def adjoint(name: str) -> Rows:
    """A_a^b, by which invariant fields are combinations of generators."""
    if name.removesuffix(EVEN) in _ALGEBRAS:
        return _adjoint(name)
    invariant = result(name).invariant
    assert invariant is not None
    return invariant.matrix


@cache
def invariant_fields(name: str) -> list[VectorField]:
    generators = result(name).frame.action.generators
    return [combination(zip(row, generators, strict=True)) for row in adjoint(name)]


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
