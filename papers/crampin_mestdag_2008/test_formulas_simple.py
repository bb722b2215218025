"""Section VII: simple mechanical systems, L = T - V, with the mechanical connection."""

from itertools import product

from dalembert.expr import ZERO, substitute
from dalembert.expr.elementary import solve
from dalembert.geometry.fields import combination
from dalembert.mechanics.routh.reconstruction.connections import curvature
from dalembert.mechanics.routh.reconstruction.sample_points import on_level
from dalembert.mechanics.routh.reconstruction.simple_systems import section_seven_defects
from dalembert.mechanics.routh.reconstruction.summary import reconstruction_equations
from papers.crampin_mestdag_2008.systems import SE2, SIMPLE, point, result, same_on_level, simple, split
from papers.exact import differ, dot, same

GROUP, OUTER = range(3), range(1, 3)


def none(*parts):
    return same(parts, [ZERO] * len(parts))


def none_on_level(name, *parts):
    return same_on_level(name, parts, [ZERO] * len(parts))


def test_the_locked_inertia_turns():
    parts, level = simple(SIMPLE), simple(SIMPLE).frame.level
    g, C, E = parts.locked_inertia, level.constants, level.generators
    three = list(product(GROUP, repeat=3))
    assert none(*(E[a](g[b][c]) + dot(C[a][b], g[c]) + dot(C[a][c], g[b]) for a, b, c in three))


def test_the_routhian_of_a_simple_system():
    parts = simple(SIMPLE)
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
    assert same_on_level(SIMPLE, [L - dot(p, w)], [kinetic - parts.potential - amended])
    assert same([parts.amendment], [amended])


def test_the_amendment_turns():
    parts, level = simple(SIMPLE), simple(SIMPLE).frame.level
    spin, mu, C = solve(parts.locked_inertia, level.momentum), level.momentum, level.constants
    left = [e(parts.amendment) for e in level.generators]
    assert same(left, [dot(spin, [dot(C[a][b], mu) for b in GROUP]) for a in GROUP])
    assert none(left[0])
    assert not none(left[2])


def test_simple_systems_with_the_mechanical_connection():
    # B = 0: Gamma_0 in the place of Gamma changes nothing in the equations
    parts, found = simple(SIMPLE), split(SIMPLE)
    frame = parts.frame
    assert none(*(b for row in frame.shift for b in row))
    routhian = frame.level.lagrangian - dot(frame.group_velocities, frame.momenta)
    zero = found.gamma - combination(list(zip(frame.group_velocities, frame.group_fields, strict=True)))  # either way
    slopes = [x(routhian) for x in frame.vertical_fields]
    left = [zero(s) - x(routhian) for s, x in zip(slopes, frame.base_fields, strict=True)]
    with_all = [found.gamma(s) - x(routhian) for s, x in zip(slopes, frame.base_fields, strict=True)]
    assert same_on_level(SIMPLE, left, with_all)
    level, v = frame.level, frame.base_velocities
    bent = [[dot(curvature(level, x, y), level.momentum) for y in level.horizontal] for x in level.horizontal]
    assert same_on_level(SIMPLE, left, [-dot(row, v) for row in bent])
    assert not same_on_level(SIMPLE, left, [dot(row, v) for row in bent])


def test_the_sign_of_the_amendment():
    parts, found = simple(SIMPLE), split(SIMPLE)
    level = parts.frame.level
    assert on_level(level, point(SIMPLE), section_seven_defects(found, parts, -1)).holds is True
    assert on_level(level, point(SIMPLE), section_seven_defects(found, parts, 1)).holds is False  # as printed


def test_an_equation_that_is_an_identity():
    parts, level = simple(SIMPLE), simple(SIMPLE).frame.level
    spin, C, mu = solve(parts.locked_inertia, level.momentum), level.constants, level.momentum
    turned = [[dot(C[be][al], mu) for al in OUTER] for be in OUTER]  # either way
    left = [dot(parts.frame.group_velocities[1:], row) for row in turned]
    right = [dot(spin[1:], row) for row in turned]
    assert same_on_level(SIMPLE, left, right)
    assert not none_on_level(SIMPLE, *left)


def test_the_vertical_part_by_the_locked_inertia():
    parts, found = simple(SIMPLE), split(SIMPLE)
    g, mu = parts.locked_inertia, parts.frame.level.momentum
    assert same([parts.rate[0]], [mu[0] / g[0][0]])  # G^AB mu_B
    spin = solve(g, mu)
    steps = [spin[0] + dot([g[0][al] for al in OUTER], [spin[al] for al in OUTER]) / g[0][0]]
    assert same(steps, parts.rate)
    assert same_on_level(SIMPLE, found.phi_mechanical, parts.rate)
    assert differ(parts.rate, [spin[0]])  # not g^Aa mu_a


def test_the_connection_of_the_isotropy_group():
    parts, found = simple(SIMPLE), split(SIMPLE)
    form = parts.isotropy_connection.forms[0]
    level = parts.frame.level
    size = range(level.chart.dimension)
    assert same([form.component(i) for i in size], found.mechanical.forms[0])
    g = parts.locked_inertia
    flat = [combination([(1, level.generators[al]), (-g[0][al] / g[0][0], level.generators[0])]) for al in OUTER]
    assert none(*(form(x) for x in (*flat, *level.horizontal)))
    # omega^mu of the velocity is the right side of the reconstruction equation
    assert same_on_level(SIMPLE, [dot([form.component(i) for i in size], level.velocities)], parts.rate)


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
