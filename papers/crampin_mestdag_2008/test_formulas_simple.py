"""Section VII: simple mechanical systems, L = T - V, with the mechanical connection."""

from itertools import product

import pytest

from dalembert.expr import ZERO, diff, substitute
from dalembert.expr.elementary import solve
from dalembert.geometry.fields import combination
from dalembert.mechanics.routh.reconstruction.connections import curvature
from dalembert.mechanics.routh.reconstruction.summary import reconstruction_equations
from papers.crampin_mestdag_2008.systems import (
    EVEN,
    FLAT,
    MORE,
    PLANE,
    SE2,
    SPACE,
    result,
    same_on_level,
    simple,
    split,
)
from papers.exact import differ, dot, same

EVENS = pytest.mark.parametrize(
    "name",
    [SPACE + EVEN, *(pytest.param(one + EVEN, marks=pytest.mark.thorough) for one in (FLAT, PLANE, MORE))],
)


def none(*parts):
    return same(parts, [ZERO] * len(parts))


def none_on_level(name, *parts):
    return same_on_level(name, parts, [ZERO] * len(parts))


@EVENS
def test_the_locked_inertia_turns(name):
    parts, level = simple(name), simple(name).frame.level
    g, C, E = parts.locked_inertia, level.constants, level.generators
    three = list(product(range(len(E)), repeat=3))
    assert none(*(E[a](g[b][c]) + dot(C[a][b], g[c]) + dot(C[a][c], g[b]) for a, b, c in three))


@EVENS
def test_the_routhian_of_a_simple_system(name):
    parts = simple(name)
    frame = parts.frame
    v, w, p = frame.base_velocities, frame.group_velocities, frame.momenta
    kinetic = dot([dot(row, v) for row in frame.base_part], v) / 2
    inner = dot([dot(row, w) for row in frame.group_part], w) / 2
    L = frame.level.lagrangian
    assert none(*(entry for row in frame.mixed_part for entry in row))
    assert same([L], [kinetic + inner - parts.potential])
    assert same(p, [dot(row, w) for row in frame.group_part])
    assert same([L - dot(p, w)], [kinetic - inner - parts.potential])
    amended = dot(frame.level.momentum, solve(parts.locked_inertia, frame.level.momentum)) / 2
    assert same_on_level(name, [L - dot(p, w)], [kinetic - parts.potential - amended])
    assert same([parts.amendment], [amended])


@EVENS
def test_the_amendment_turns(name):
    parts, level = simple(name), simple(name).frame.level
    spin, mu, C = solve(parts.locked_inertia, level.momentum), level.momentum, level.constants
    left, group = [e(parts.amendment) for e in level.generators], range(len(level.generators))
    assert same(left, [dot(spin, [dot(C[a][b], mu) for b in group]) for a in group])
    assert none(*(left[a] for a in level.inner))
    assert not any(none(left[al]) for al in level.outer)


@EVENS
def test_simple_systems_with_the_mechanical_connection(name):
    # B = 0: Gamma_0 in the place of Gamma changes nothing in the equations
    parts, found = simple(name), split(name)
    frame = parts.frame
    assert none(*(b for row in frame.shift for b in row))
    routhian = frame.level.lagrangian - dot(frame.group_velocities, frame.momenta)
    zero = found.gamma - combination(list(zip(frame.group_velocities, frame.group_fields, strict=True)))  # either way
    slopes = [x(routhian) for x in frame.vertical_fields]
    left = [zero(s) - x(routhian) for s, x in zip(slopes, frame.base_fields, strict=True)]
    with_all = [found.gamma(s) - x(routhian) for s, x in zip(slopes, frame.base_fields, strict=True)]
    assert same_on_level(name, left, with_all)
    assert same_on_level(name, left, forces(frame))
    assert not same_on_level(name, left, [-f for f in forces(frame)])


def forces(frame):
    """-mu_a R_ij^a v^j."""
    level, v = frame.level, frame.base_velocities
    bent = [[dot(curvature(level, x, y), level.momentum) for y in level.horizontal] for x in level.horizontal]
    return [-dot(row, v) for row in bent]


@EVENS
def test_the_sign_of_the_amendment(name):
    parts, found = simple(name), split(name)
    frame, level = parts.frame, parts.frame.level
    v, mu = frame.base_velocities, level.momentum
    reduced = dot([dot(row, v) for row in frame.base_part], v) / 2 - parts.potential
    amended = dot(mu, solve(parts.locked_inertia, mu)) / 2
    slopes = [x(reduced) for x in frame.vertical_fields]
    left = [found.gamma(s) - x(reduced) for s, x in zip(slopes, frame.base_fields, strict=True)]
    pulled = [x(amended) for x in level.horizontal]
    assert same_on_level(name, left, [f - a for f, a in zip(forces(frame), pulled, strict=True)])
    assert not same_on_level(name, left, [f + a for f, a in zip(forces(frame), pulled, strict=True)])  # as printed
    # in coordinates: X_i is d/dx^i less what the connection has along the fibre, all of it but that of G_mu
    if parts.frame.level.outer:
        whole = result(name).frame
        along = [[whole.coefficients[i][al] for al in level.outer] for i in range(2)]
        fibre = [diff(amended, whole.fibre[al]) for al in level.outer]
        stated = [diff(amended, x) - dot(row, fibre) for x, row in zip(whole.base, along, strict=True)]
        assert same(pulled, stated)


@EVENS
def test_an_equation_that_is_an_identity(name):
    parts, level = simple(name), simple(name).frame.level
    spin, C, mu, outer = solve(parts.locked_inertia, level.momentum), level.constants, level.momentum, level.outer
    turned = [[dot(C[be][al], mu) for al in outer] for be in outer]  # either way
    left = [dot([parts.frame.group_velocities[al] for al in outer], row) for row in turned]
    right = [dot([spin[al] for al in outer], row) for row in turned]
    assert same_on_level(name, left, right)
    assert not left or not none_on_level(name, *left)


@EVENS
def test_the_vertical_part_by_the_locked_inertia(name):
    parts, found = simple(name), split(name)
    level = parts.frame.level
    g, mu, inner, outer = parts.locked_inertia, level.momentum, level.inner, level.outer
    block = [[g[a][b] for b in inner] for a in inner]
    assert same(parts.rate, solve(block, [mu[a] for a in inner]))  # G^AB mu_B
    spin = solve(g, mu)
    mixed = solve(block, [dot([g[a][al] for al in outer], [spin[al] for al in outer]) for a in inner])
    assert same([spin[a] + mixed[a] for a in inner], parts.rate)
    assert same_on_level(name, found.phi_mechanical, parts.rate)
    assert not outer or differ(parts.rate, [spin[a] for a in inner])  # not g^Aa mu_a


@EVENS
def test_the_connection_of_the_isotropy_group(name):
    parts, found = simple(name), split(name)
    forms, level = parts.isotropy_connection.forms, parts.frame.level
    size, inner, g = range(level.chart.dimension), level.inner, parts.locked_inertia
    rows = [[form.component(i) for i in size] for form in forms]
    assert same([e for row in rows for e in row], [e for row in found.mechanical.forms for e in row])
    block = [[g[a][b] for b in inner] for a in inner]
    flat = [
        combination(
            [(1, level.generators[al]), *((-c, level.generators[a]) for a, c in enumerate(solve(block, column)))]
        )
        for al, column in ((al, [g[a][al] for a in inner]) for al in level.outer)
    ]
    assert none(*(form(x) for form in forms for x in (*flat, *level.horizontal)))
    # omega^mu of the velocity is the right side of the reconstruction equation
    assert same_on_level(name, [dot(row, level.velocities) for row in rows], parts.rate)


def test_lifts_are_horizontal_on_the_configuration_space():
    equations = reconstruction_equations(result(SE2), "mechanical")
    frame, form = result(SE2).frame, simple(SE2).isotropy_connection.forms[0]
    y_h = next(q for q in equations.reconstruction if q.data.name == "y_h")
    rates = {**equations.rates(), **equations.reconstruction}
    own = {q: y_h if q.data.name == "y" else q for q in frame.chart.coordinates}
    speed = [rates[own[q]] for q in frame.chart.coordinates]
    parts = substitute([form.component(i) for i in range(frame.chart.dimension)], own)
    assert none(dot(parts, speed))
    assert not none(speed[1])
