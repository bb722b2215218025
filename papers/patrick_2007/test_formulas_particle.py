"""Section 5.3: the nonholonomic particle, with an unspecified slope a(y) and an unspecified potential."""

from fractions import Fraction
from functools import cache
from itertools import combinations

from dalembert.expr import ZERO, cos, diff, gradient, sin, substitute, symbol, tangent, time_derivative
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import generic_rank
from dalembert.geometry.fields import Chart, VectorField, bracket, combination, coordinate_field
from dalembert.geometry.forms import Form, coordinate_form, d, interior, one_form, pull_back, wedge
from dalembert.mechanics.semisymplectic import semisymplectic
from dalembert.mechanics.semisymplectic.reduction.principal_case import principal_reduction
from dalembert.mechanics.semisymplectic.reduction.reduced import semisymplectic_reduction
from papers.exact import differ, same, unknown

from .systems import free, read, tilted


@cache
def particle(potential="V(x, y, z)"):
    return semisymplectic.derive(tilted(potential))


SYSTEM = particle().system
MANIFOLD = particle().manifold
CHART = MANIFOLD.chart
X, Y, Z, VX, VY = CHART.coordinates
A, SLOPE, PX, PY, PZ = read(SYSTEM, "a(y)", "D(a, 1)(y)", "D(V, 1)(x, y, z)", "D(V, 2)(x, y, z)", "D(V, 3)(x, y, z)")
N = 1 + A**2
TWIST = A * SLOPE * VX
"""a a' v_x."""
K1, K2, K3, K4 = MANIFOLD.basis


def equal(left, right):
    return same(left.components, right.components)


def vanishes(form):
    return form.is_zero().holds is True


# -- the equations -----------------------------------------------------------------------------------------------
def delta_L(lagrangian):
    momenta = gradient(lagrangian, SYSTEM.v)
    return [s - time_derivative(p) for s, p in zip(gradient(lagrangian, SYSTEM.q), momenta, strict=True)]


def test_the_particle_and_its_potential():
    # printed L = |v|^2/2 = (v_x^2 + v_y^2 + v_z^2)/2 - V; the potential is missing in the middle
    stated = [-(p + q.dot.dot) for p, q in zip((PX, PY, PZ), SYSTEM.q, strict=True)]
    assert same(delta_L(SYSTEM.lagrangian), stated)
    (bare,) = read(SYSTEM, "(x'^2 + y'^2 + z'^2)/2")
    assert differ(delta_L(bare), stated)


def test_the_phase_space_is_D():
    # printed P = TD, which has ten dimensions
    assert CHART.coordinates == (*SYSTEM.q, SYSTEM.v[0], SYSTEM.v[1])
    assert CHART.dimension == 5
    lost = particle().motion.manifold.on([SYSTEM.v[2] - A * SYSTEM.v[0]])
    assert same(lost, [ZERO])


def test_the_bracket_of_D():
    chart = SYSTEM.chart
    one, two = VectorField.of(chart, {Y: 1}), VectorField.of(chart, {X: 1, Z: A})
    assert equal(bracket(one, two), VectorField.of(chart, {Z: SLOPE}))


def test_the_equations_of_the_particle():
    found = particle().field
    _, _, _, ax, ay = found.components
    assert same(found.components[:3], [VX, VY, A * VX])
    assert same([ax], [-(TWIST * VY + PX + A * PZ) / N])
    assert same([ay], [-PY])
    # before v_z is eliminated
    (az,) = tangent([A * VX], dict(zip(CHART.coordinates, found.components, strict=True)))
    assert same([az], [SLOPE * VX * VY + A * ax])
    assert same([ax + A * az], [N * ax + TWIST * VY])
    assert same([ax + A * az], [-PX - A * PZ])


def test_the_basis_of_K():
    rows = [[1, 0, A, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1]]
    assert all(equal(k, VectorField.of(CHART, row)) for k, row in zip(MANIFOLD.basis, rows, strict=True))


def test_the_form_and_the_energy():
    x, y, z, vx, vy = (coordinate_form(CHART, q) for q in CHART.coordinates)
    stated = wedge(x, vx) + wedge(y, vy) + wedge(z, (SLOPE * VX) * y + A * vx)
    assert vanishes(MANIFOLD.form - stated)
    assert same([particle().energy], [N * VX**2 / 2 + VY**2 / 2 + read(SYSTEM, "V(x, y, z)")[0]])
    gram = {(0, 1): TWIST, (0, 2): N, (1, 3): 1 + ZERO}
    for i in range(4):
        for j in range(i):
            assert same([MANIFOLD.gram[j][i]], [gram.get((j, i), ZERO)])


def test_the_field_of_any_function():
    f = unknown("f", *CHART.coordinates)
    fx, fy, fz, fu, fv = gradient(f, CHART.coordinates)
    assert same([k(f) for k in MANIFOLD.basis], [fx + A * fz, fy, fu, fv])
    weights = [unknown(f"Y{i}", *CHART.coordinates) for i in range(4)]
    form = interior(MANIFOLD.combine(weights), MANIFOLD.form)
    y1, y2, y3, y4 = weights
    assert same([form(k) for k in MANIFOLD.basis], [-TWIST * y2 - N * y3, TWIST * y1 - y4, N * y1, y2])
    (field,) = MANIFOLD.field_of(f)
    stated = [fu / N, fv, -(fx + A * fz + TWIST * fv) / N, TWIST / N * fu - fy]
    assert equal(field, MANIFOLD.combine(stated))
    assert not equal(field, MANIFOLD.combine([*stated[:3], -TWIST / N * fu - fy]))


def test_the_field_of_the_energy():
    weights = [VX, VY, -(TWIST * VY + PX + A * PZ) / N, -PY]
    assert equal(particle().semi_hamiltonian_part, MANIFOLD.combine(weights))
    assert equal(particle().field, MANIFOLD.combine(weights))


# -- curvature, holonomic subsystems -----------------------------------------------------------------------------
def test_the_curvature_has_the_sign_of_d_nu():
    nu = one_form(SYSTEM.chart, [-A, ZERO, 1])
    stated = Form.of(SYSTEM.chart, 2, {(0, 1): SLOPE})
    assert vanishes(d(nu) - stated)
    assert not vanishes(-d(nu) - stated)  # as printed in the middle
    one, two = VectorField.of(SYSTEM.chart, {X: 1, Z: A}), VectorField.of(SYSTEM.chart, {Y: 1})
    assert same([-nu(bracket(one, two))], [stated(one, two)])
    assert same([particle().objects()["curvature"]["curvature"]["x, y"]["z"]], [SLOPE])


def level():
    """Return the particle with a waist at y0, where V does not push; a'(y0) = 0 is not asked for."""
    stated = {"parameters": {"y0": 0.3}, "assume": {"flat": "D(V, 2)(x, y0, z) = 0"}}
    return tilted(**stated, subsystem={"waist": {"at": ["y = y0", "y' = 0"]}})


WAIST = Chart.of(X, Z, VX)


def test_the_motion_on_the_waist():
    system = level()
    found = semisymplectic.derive(system)
    (y0,) = read(system, "y0")
    field = substitute(list(found.field.components), {Y: y0, VY: ZERO})
    a0, px, pz, py = read(system, "a(y0)", "D(V, 1)(x, y0, z)", "D(V, 3)(x, y0, z)", "D(V, 2)(x, y0, z)")
    assert same(field[:4], [VX, ZERO, a0 * VX, -(px + a0 * pz) / (1 + a0**2)])
    assert same([field[4]], [-py])  # which vanishes as assumed
    assert same([field[2] - a0 * field[0]], [ZERO])
    c = symbol("C")
    (potential,) = substitute(read(system, "V(x, y0, z)"), {Z: a0 * X + c})
    on_line = substitute([field[3]], {Z: a0 * X + c})
    assert same(on_line, [-gradient(potential / (1 + a0**2), [X])[0]])
    # K_y0 = K cap T(waist) is spanned by d_x + a0 d_z and d_v; the flow, its brackets and omega stay on it
    along, up = VectorField.of(WAIST, [1, a0, 0]), VectorField.of(WAIST, [0, 0, 1])
    motion = VectorField.of(WAIST, [field[0], field[2], field[3]])
    here = {Y: y0, VY: ZERO}
    inside = [VectorField.of(CHART, [1, 0, a0, 0, 0]), VectorField.of(CHART, [0, 0, 0, 1, 0])]
    assert same(substitute([*K1.components, *K3.components], here), [c for k in inside for c in k.components])
    assert generic_rank([substitute(list(k.components[1::3]), here) for k in (K2, K4)]).rank == 2
    assert same(bracket(along, up).components, [ZERO] * 3)
    assert same(bracket(motion, along).components, [ZERO, ZERO, -along(field[3])])
    assert same(bracket(motion, up).components, [-1 + ZERO, -a0, ZERO])
    assert same(substitute([MANIFOLD.form(K1, K3)], here), [1 + a0**2])


TIME = symbol(Symbol("time of the flow", role="parameter"))
A0 = Fraction(3, 4)


def flow_on_the_waist():
    """Return the flow for a0 = 3/4 and V = z^2/2, in closed form, and C = z - a0 x."""
    line = Z - A0 * X
    middle, k = line / A0, Fraction(3, 5)
    c, s = cos(k * TIME), sin(k * TIME)
    x = (X + middle) * c + VX / k * s - middle
    v = VX * c - k * (X + middle) * s
    return [x, A0 * (x - X) + Z, v], line


def form_on_the_waist():
    """dx ^ dv + a0 dz ^ dv."""
    return Form.of(WAIST, 2, {(0, 2): 1, (1, 2): A0})


def test_the_form_on_the_waist():
    mapping = [X, symbol("y0"), Z, VX, ZERO]
    a0 = substitute([A], {Y: symbol("y0")})[0]
    found = pull_back(MANIFOLD.form, WAIST, mapping)
    assert vanishes(found - Form.of(WAIST, 2, {(0, 2): 1, (1, 2): a0}))


def test_the_flow_on_the_waist():
    flow, line = flow_on_the_waist()
    put = dict(zip(WAIST.coordinates, flow, strict=True))
    rates = [Fraction(-16, 25) * A0 * Z]  # -(V_x + a0 V_z)/(1 + a0^2)
    moved = [diff(e, TIME) for e in flow]
    assert same(moved, substitute([VX, A0 * VX, *rates], put))
    assert same(substitute(flow, {TIME: ZERO}), WAIST.coordinates)
    # x_t depends on z too, through C, which the printed x_t(x, v_x) leaves out
    assert differ(gradient(flow[0], [Z]), [ZERO])
    # a0 dx - dz is invariant all the same
    assert same([A0 * flow[0] - flow[1]], [-line])


def test_the_form_moved_by_the_flow():
    flow, line = flow_on_the_waist()
    omega = form_on_the_waist()
    defect = pull_back(omega, WAIST, flow) - omega
    x, v = flow[0], flow[2]
    new, old, across = d(v, WAIST), coordinate_form(WAIST, VX), d(line, WAIST)
    printed = A0 * wedge(across, new - old)
    assert not vanishes(defect - printed)
    assert not vanishes(wedge(d(x, WAIST), new) - wedge(coordinate_form(WAIST, X), old))  # as printed, second line
    # in coordinates (x, v, C): dC ^ [(1 + a0^2)(X_C d'W - W_C d'X) + a0 (dv~ - dv)]
    field = coordinate_field(WAIST, Z)  # d/dC at fixed x, v
    along = [new - field(v) * across, d(x, WAIST) - field(x) * across]  # either way, as dC ^ dC = 0
    inner = (1 + A0**2) * (field(x) * along[0] - field(v) * along[1])
    right = wedge(across, inner + A0 * (new - old))
    assert vanishes(defect - right)
    # on K cap T(waist), the kernel of dC, it vanishes
    pair = [VectorField.of(WAIST, [1, A0, 0]), VectorField.of(WAIST, [0, 0, 1])]
    assert same([across(field) for field in pair], [ZERO] * 2)
    assert same([defect(*pair)], [ZERO])


# -- symmetry, reduction -----------------------------------------------------------------------------------------
def test_translations_of_the_particle():
    step, form, pairs = symbol("step"), MANIFOLD.form, list(combinations(MANIFOLD.basis, 2))
    nu = one_form(CHART, [-A, ZERO, 1, ZERO, ZERO])  # with dv_x and dv_y it leaves K alone
    for q, kept in ((X, True), (Y, False), (Z, True)):
        moved = [x + step if x is q else x for x in CHART.coordinates]  # either way
        carried, there = pull_back(form, CHART, moved), pull_back(nu, CHART, moved)
        assert same([carried(*pair) for pair in pairs], [form(*pair) for pair in pairs]) is kept
        assert same([there(k) for k in MANIFOLD.basis], [ZERO] * 4) is kept


def test_the_symmetry_is_in_x_and_z():
    # printed, twice: in x and y
    # the constraint, moved along each coordinate at fixed velocities
    slope = SYSTEM.v[2] - A * SYSTEM.v[0]  # either way
    assert same(gradient(slope, [X, Z]), [ZERO] * 2)
    assert differ(gradient(slope, [Y]), [ZERO])
    assert free().find_group().names == ("e1", "e2")
    for q, momentum in ((X, VX), (Z, A * VX)):
        form = interior(coordinate_field(CHART, q), MANIFOLD.form)
        assert vanishes(form - d(momentum, CHART))
        assert differ([free().field(momentum)], [ZERO])
    assert free().find_group().semi_hamiltonian() == ()


W = combination([(TWIST, K3), (-N, K2)])
"""a a' v_x K_3 - (1 + a^2) K_2."""


def test_the_fields_of_invariant_functions():
    f = unknown("f", Y, VX, VY)
    fy, fu, fv = gradient(f, [Y, VX, VY])
    (field,) = MANIFOLD.field_of(f)
    assert equal(field, MANIFOLD.combine([fu / N, fv, -TWIST / N * fv, TWIST / N * fu - fy]))
    # they span K_1, K_4 and W: vectors, printed with upper indices
    assert generic_rank([k.components for k in (K1, K4, W, *MANIFOLD.field_of(Y, VX, VY))]).rank == 3
    assert equal(field, combination([(fu / N, K1), (-fv / N, W), (TWIST / N * fu - fy, K4)]))


J = VX**2 * N


def test_the_span_of_those_fields_is_not_involutive():
    assert same([k(J) for k in (K1, K4, W)], [ZERO] * 3)
    turned = bracket(K1, W)
    assert equal(turned, VectorField.of(CHART, {Z: N * SLOPE}))
    assert generic_rank([k.components for k in (K1, K4, W, turned)]).rank == 4  # printed: integrable
    assert same([turned(J)], [ZERO])
    found = particle("V(y)")
    assert same([found.field(J), found.field(VY**2 / 2 + read(found.system, "V(y)")[0])], [ZERO] * 2)
    assert same([found.energy - J / 2], [VY**2 / 2 + read(found.system, "V(y)")[0]])


def test_the_distribution_of_the_reduced_space():
    form = interior(K1, MANIFOLD.form)
    assert same([form(k) for k in MANIFOLD.basis], [ZERO, TWIST, N, ZERO])
    assert same([form(k) for k in (K1, K4, W)], [ZERO] * 3)
    assert generic_rank([k.components for k in (K1, K4, W)]).rank == 3
    reduced = Chart.of(Y, VX, VY)
    first = VectorField.of(reduced, {VX: TWIST, Y: -N})
    assert same(W.apply(reduced.coordinates), first.components)
    assert same([*K1.apply(reduced.coordinates), *K4.apply(reduced.coordinates)], [ZERO] * 5 + [1 + ZERO])
    # W and K_4 as they come down are involutive, and see j as a constant
    second = VectorField.of(reduced, {VY: 1})
    assert same(bracket(first, second).components, [ZERO] * 3)
    assert same([first(J), second(J)], [ZERO] * 2)


def test_the_reduced_system():
    assert same([MANIFOLD.form(W, K4)], [-N])
    reduced = semisymplectic_reduction(principal_reduction(tilted("V(y)", symmetry={"e1": {"x": 1}, "e2": {"z": 1}})))
    xi = symbol("xi_1")
    (potential,) = read(particle("V(y)").system, "V(y)")
    assert set(reduced.manifold.chart.coordinates) == {Y, VY, xi}
    assert same([reduced.energy], [N * xi**2 / 2 + VY**2 / 2 + potential])
    assert reduced.canonical == ((Y, VY),)
    # it moves as the particle does, with xi = v_x, and j is constant whatever the energy: the leaves are symplectic
    whole = dict(zip(CHART.coordinates, particle("V(y)").field.components, strict=True))
    rates = dict(zip(reduced.manifold.chart.coordinates, reduced.field.components, strict=True))
    assert same(substitute([whole[Y], whole[VY], whole[VX]], {VX: xi}), [rates[Y], rates[VY], rates[xi]])
    product, casimir = reduced.manifold.bracket, N * xi**2
    assert same([product(Y, VY), product(casimir, Y), product(casimir, VY)], [1 + ZERO, ZERO, ZERO])
    assert differ([product(xi, VY)], [ZERO])


def test_the_symplectic_leaves():
    # v_x^2 = C/(1 + a^2) carries dy^dvy and vy^2/2 + V + C/2
    chart = Chart.of(Y, VX, VY)
    c = VX**2 * N  # C on the leaf
    lifted = VectorField.of(chart, {Y: 1, VX: -c * A * SLOPE / (VX * N**2)})
    assert same([lifted(J)], [ZERO])
    assert same(lifted.components, VectorField.of(chart, {Y: 1, VX: -TWIST / N}).components)
    first = VectorField.of(chart, {VX: TWIST, Y: -N})
    assert equal(lifted, (-1 / N) * first)
    # omega_R(-K_1/(1 + a^2), K_2) = 1
    assert same([MANIFOLD.form((-1 / N) * W, K4)], [1 + ZERO])
    found = particle("V(y)")
    assert same([found.energy], [VY**2 / 2 + read(found.system, "V(y)")[0] + c / 2])
    assert same(found.field.components[1::3], [VY, -read(found.system, "D(V, 1)(y)")[0]])
