"""Section 6: the vertically rolling disc, of mass 1."""

from functools import cache

from dalembert.expr import ZERO, total
from dalembert.expr.text import parse
from dalembert.gallery import load
from dalembert.mechanics.nonholonomic.linear_constraints import derive
from dalembert.mechanics.second_order.field import field_of
from dalembert.mechanics.second_order.search.alternative_lagrangians import consequence
from dalembert.mechanics.second_order.search.symmetries import AdjointSymmetry, adjoint_of, adjoint_residuals
from papers.exact import columns, differ, dot, same, unknown

from .general import T

LAGRANGIAN = "(x'^2 + y'^2)/2 + I1*phi'^2/2 + I2*psi'^2/2"
BOTH = range(2)


@cache
def motion():
    return derive(load("vertical-rolling-disc").but(lagrangian=LAGRANGIAN))


@cache
def disc():
    return field_of(motion())


def read(*texts):
    return [parse(text, motion().system.vocabulary) for text in texts]


def test_the_disc_is_stated():
    assert [q.data.name for q in disc().coordinates] == ["phi", "psi", "x", "y"]
    assert same(disc().dependent_velocities, read("R*cos(psi)*phi'", "R*sin(psi)*phi'"))
    given = motion().constraint_momenta  # x' and y', as the mass is 1
    assert same(given, read("R*cos(psi)*phi'", "R*sin(psi)*phi'"))
    assert differ(given, read("R*sin(psi)*phi'", "R*cos(psi)*phi'"))


def test_the_constrained_lagrangian_of_the_disc():
    found = motion().constrained_lagrangian
    assert same([found], read("(R^2 + I1)*phi'^2/2 + I2*psi'^2/2"))
    assert same([x(found) for x in disc().horizontal], [ZERO] * 2)


def test_the_curvature_of_the_disc():
    first = read("-R*sin(psi)*psi'", "R*sin(psi)*phi'")
    second = read("R*cos(psi)*psi'", "-R*cos(psi)*phi'")
    assert same([c for row in disc().curvature for c in row], [*first, *second])


def test_the_motion_of_the_disc():
    found = motion().equations
    assert same([found.mass[0][0], found.mass[1][1]], read("R^2 + I1", "I2"))
    assert same([found.mass[0][1], *found.force], [ZERO] * 3)
    assert same([*disc().acceleration, *(g for row in disc().connection for g in row)], [ZERO] * 6)


def test_adjoint_symmetries_of_the_disc():
    point = (T, *disc().coordinates, *disc().velocities)
    a, c = ([unknown(f"{letter}{k}", *point) for k in BOTH] for letter in "ac")
    second = disc().rates(disc().rates(a))
    stated = [s + dot(c, column) for s, column in zip(second, columns(disc().curvature), strict=True)]
    assert same(adjoint_residuals(disc(), AdjointSymmetry.of(a, c)), [*stated, *disc().rates(c)])


def test_a_first_integral_of_the_disc():
    whole, *parts = read(
        "R*(cos(psi) - sin(psi))*phi' + (x + y)*psi'", "psi'*x - R*sin(psi)*phi'", "psi'*y + R*cos(psi)*phi'"
    )
    a = read("R*(cos(psi) - sin(psi))", "x + y", "psi'", "psi'")
    assert same(adjoint_of(disc(), whole).components, a)
    assert same(adjoint_residuals(disc(), adjoint_of(disc(), whole)), [ZERO] * 4)
    assert same(disc().rates([whole, *parts]), [ZERO] * 3)
    assert same([whole], [total([(1, p) for p in parts])])
    (wrong,) = read("R*(cos(psi) + sin(psi))*phi' + (x + y)*psi'")
    assert differ(disc().rates([wrong]), [ZERO])


def test_an_alternative_lagrangian_of_the_disc():
    (function,) = read("(phi*phi' + psi*psi')/2")
    symmetry = adjoint_of(disc(), function)
    assert same(symmetry.components, read("phi/2", "psi/2", "0", "0"))
    once = disc().rates(symmetry.across)
    assert same(disc().rates(once), [ZERO] * 2)
    assert differ(once, [ZERO] * 2)
    found = consequence(disc(), symmetry)
    assert found.outcome == "lagrangian"
    assert same([found.lagrangian], read("(phi'^2 + psi'^2)/2"))
    (blind,) = read("x*phi'")
    assert consequence(disc(), adjoint_of(disc(), blind)).outcome == "not adjoint"
