"""The structure of what is found: brackets, names with their bases, orbits; what parts of a statement have."""

import pytest

from dalembert import System, gallery
from dalembert.analysis.discovery.point_symmetries import SymmetryAlgebra, noether_symmetries, symmetries_of_parts
from dalembert.analysis.discovery.structure import orbits_of
from dalembert.analysis.motions import Motions
from dalembert.geometry.fields import bracket, combination

PAIR = "(x1'^2 + y1'^2 + 3*x2'^2 + 3*y2'^2)/2"


def of(system: System, *degrees: int) -> tuple[Motions, SymmetryAlgebra]:
    motions = Motions(system)
    return motions, noether_symmetries(motions, *degrees)


def two_points(potential: str) -> System:
    return System.of(name="two", coordinates="x1 y1 x2 y2", lagrangian=f"{PAIR} - ({potential})")


def test_two_points_in_the_plane():
    """Boosts and all: the bracket of two fields of the basis is what the sentence says, by the fields themselves."""
    _, algebra = of(two_points("((x1 - x2)^2 + (y1 - y2)^2)^2"), 1, 1)
    assert algebra.name == "R + gal(2)"  # the points turn about their centre of mass besides
    part = next(part for part in algebra.structure.parts if part.name == "gal(2)")
    fields = {label: algebra.action.field(v) for label, v in zip(part.labels, part.vectors, strict=True)}
    assert bracket(fields["h"], fields["k1"]) == fields["p1"]
    assert bracket(fields["j"], fields["p2"]) == combination([(-1, fields["p1"])])
    assert bracket(fields["j"], fields["p1"]) != combination([(-1, fields["p2"])])
    _, held = of(two_points("((x1 - x2)^2 + (y1 - y2)^2)^2 + x1^4"), 1, 1)
    assert held.name == "heisenberg"  # shift and boost along y, and time


@pytest.mark.parametrize(
    ("assumed", "count"), [({}, 1), ({"round": "x*D(V, 2)(x, y) = y*D(V, 1)(x, y)"}, 2)], ids=["any V", "round V"]
)
def test_functions_under_their_assumptions(assumed, count):
    open_ = System.of(
        name="V",
        coordinates="x y",
        lagrangian="(x'^2 + y'^2)/2 - V(x, y)",
        functions={"V": {"of": ["x", "y"]}},
        assume=assumed,
    )
    assert len(of(open_)[1].basis) == count


@pytest.mark.parametrize(
    ("name", "free", "spanning", "common"),
    [
        ("heavy-top", "all points but where R.m31 = R.m32 = 0", None, 2),
        ("chaplygin-ball", "all points", "all points", 1),
        ("veselova", "all points", "all points", 0),
        ("kepler", "no point", None, 2),
    ],
)
def test_orbits(name, free, spanning, common):
    motions, algebra = of(gallery.load(name))
    found = orbits_of(motions, [one.generator for one in algebra.lasting])
    assert (found.free.where, found.spanning and found.spanning.where, found.common) == (free, spanning, common)


def test_where_orbits_and_constraints_fail_to_span():
    """A skate that is shifted along x alone: where it heads along x, orbit and blade are one line."""
    skate = System.of(
        name="skate",
        coordinates={"x": "real", "y": "real", "a": "angle"},
        lagrangian="x'^2 + y'^2 + a'^2 - y",
        constraints={"edge": "x'*sin(a) = y'*cos(a)"},
    )
    motions, algebra = of(skate)
    shift = next(one for one in algebra.lasting if one.written == "d/dx")
    assert orbits_of(motions, [shift.generator]).spanning.where == "all points but where sin(a) = 0"
    parts = symmetries_of_parts(motions, algebra)
    assert "d/da" in [one.written for one in parts["L"]]
    assert "d/da" not in [one.written for one in parts["constraints"]]
    assert "-y d/dx + x d/dy + d/da" in [one.written for one in parts["constraints"]]
