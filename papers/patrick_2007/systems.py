"""Systems that the tests of this paper share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations

from dalembert.expr import Expr, substitute, symbol, total
from dalembert.expr.text import parse
from dalembert.expr.truth import generic_rank
from dalembert.geometry.fields import Chart, VectorField, bracket, coordinate_field
from dalembert.geometry.forms import Form
from dalembert.mechanics.semisymplectic import semisymplectic
from dalembert.mechanics.semisymplectic.manifold import SemiSymplectic
from dalembert.mechanics.semisymplectic.semisymplectic import SemiHamiltonian
from dalembert.model.system import System
from papers.exact import same


def tilted(potential: str = "V(x, y, z)", **more: object) -> System:
    """Return the particle of section 5.3: z' = a(y) x' with an unspecified slope and an unspecified potential."""
    arguments = potential[2:-1].replace(" ", "").split(",")
    return System.of(
        name="tilted",
        coordinates="x y z",
        functions={"a": {"of": ["y"]}, "V": {"of": arguments}},
        lagrangian=f"(x'^2 + y'^2 + z'^2)/2 - {potential}",
        constraints={"slope": "z' = a(y)*x'"},
        **more,
    )


@cache
def free() -> SemiHamiltonian:
    """Return the particle in a potential of y alone, with translations of which one is no symmetry."""
    return semisymplectic.derive(tilted("V(y)", symmetry={"e1": {"x": 1}, "e2": {"z": 1}, "e3": {"y": 1}}))


@cache
def charged() -> SemiHamiltonian:
    """Return a particle with gyroscopic forces, in which nothing vanishes."""
    system = System.of(
        name="charged",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + z'^2)/2 + y*x' - x*z*y' - x*y*z",
        constraints={"c": "z' = x*y*x' + y'"},
    )
    return semisymplectic.derive(system)


def rotor_system() -> System:
    """Return a tilted particle that carries a rotor: a generator in K, and two that are not."""
    return System.of(
        name="rotor on a tilted particle",
        coordinates={"x": "real", "y": "real", "z": "real", "s": "angle"},
        lagrangian="(x'^2 + y'^2 + z'^2 + s'^2)/2 + x'*s'/2 + y*s'",
        constraints={"slope": "z' = y*x'"},
        symmetry={"turn": {"s": 1}, "e1": {"x": 1}, "e2": {"z": 1}},
    )


@cache
def rotor() -> SemiHamiltonian:
    """Return its semi-symplectic form, without a search for what its symmetries give."""
    return semisymplectic.derive(rotor_system().but(symmetry={}))


@cache
def any_rotor() -> SemiHamiltonian:
    """Return what carries a rotor on a slope, with one shape y and any kinetic energy, slope and potential of it."""
    names = "xyzs"
    pairs = [(i, j) for i in range(4) for j in range(i, 4)]
    metric = " + ".join(f"g{i}{j}(y)*{names[i]}'*{names[j]}'" for i, j in pairs)
    system = System.of(
        name="any rotor",
        coordinates={"x": "real", "y": "real", "z": "real", "s": "angle"},
        functions={name: {"of": ["y"]} for name in ("a", "b", "V", *(f"g{i}{j}" for i, j in pairs))},
        lagrangian=f"{metric} - V(y)",
        constraints={"slope": "z' = a(y)*x' + b(y)*y'"},
    )
    return semisymplectic.derive(system)


@cache
def product() -> SemiHamiltonian:
    """Return a tilted particle beside a holonomic one, without interaction."""
    system = System.of(
        name="product",
        coordinates="x y z s",
        lagrangian="(x'^2 + y'^2 + z'^2 + s'^2)/2 - x*z - s^2 - s^4",
        constraints={"c": "z' = y*x'"},
    )
    return semisymplectic.derive(system)


BRACKET = {"x, u": "1", "z, u": "y", "y, p": "1 + x^2", "u, p": "y*u + z"}
"""A bracket of rank 4, without a Jacobi identity."""


def almost_symplectic() -> SemiSymplectic:
    """Return a manifold with an involutive K whose form is not closed."""
    x, y, z, w = (symbol(n) for n in "xyzw")
    chart = Chart.of(x, y, z, w)
    form = Form.of(chart, 2, {(0, 1): 1 + z * z, (2, 3): 1 + x * y})
    return SemiSymplectic(chart, form, tuple(coordinate_field(chart, q) for q in chart.coordinates))


def read(system: System, *texts: str) -> list[Expr]:
    """Return expressions in the names of a system."""
    return [parse(text, system.vocabulary) for text in texts]


def carries(source: SemiSymplectic, target: SemiSymplectic, images: Sequence[Expr]) -> tuple[bool, bool]:
    """Say of a map whether it pulls omega back to omega on K, and whether it carries K into K: by components."""
    there = dict(zip(target.chart.coordinates, images, strict=True))
    form, size = target.form, range(target.chart.dimension)
    table = {(i, j): substitute([form.component(i, j)], there)[0] for i, j in combinations(size, 2)}
    pairs = list(combinations(source.basis, 2))
    moved = {k: k.apply(list(images)) for k in source.basis}
    above = [
        total((1, e * (moved[a][i] * moved[b][j] - moved[a][j] * moved[b][i])) for (i, j), e in table.items())
        for a, b in pairs
    ]
    spanned = [substitute(list(k.components), there) for k in target.basis]
    keeps = generic_rank([*spanned, *moved.values()]).rank == len(spanned)
    return same(above, [source.form(a, b) for a, b in pairs]), keeps


def absorbs(manifold: SemiSymplectic, fields: Sequence[VectorField]) -> bool:
    """Say whether fields of a subbundle of K span an ideal: their brackets with K lie in it."""
    turned = [bracket(k, one).components for k in manifold.basis for one in fields]
    return generic_rank([*(one.components for one in fields), *turned]).rank == len(fields)
