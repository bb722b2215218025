"""Section I, and what section VII says of it: the Abelian case, all coefficients being unspecified functions."""

from dalembert.expr import ZERO, diff, substitute
from dalembert.expr.calculus import gradient, time_derivative
from dalembert.expr.elementary import solve
from dalembert.geometry.fields import bracket, combination
from papers.crampin_mestdag_2008.systems import ABELIAN, UPRIGHT, gamma, read, result, split, system
from papers.exact import differ, dot, same

BASE = range(2)


def abelian():
    """Coefficients, variables and the rates of the cyclic coordinates on the level set."""
    x, y, r, s = system(ABELIAN).q
    k = [[f"k{min(i, j)}{max(i, j)}" for j in (1, 2)] for i in (1, 2)]
    kij, kab = ([read(ABELIAN, *(f"{e.replace('k', n)}(x, y)" for e in row)) for row in k] for n in "kh")
    kia = [read(ABELIAN, f"m{i}1(x, y)", f"m{i}2(x, y)") for i in (1, 2)]
    pi, V = read(ABELIAN, "p", "q"), read(ABELIAN, "V(x, y)")[0]
    v = [x.dot, y.dot]
    rates = solve(kab, [pi[a] - dot([kia[i][a] for i in BASE], v) for a in BASE])
    return (x, y), (r, s), v, kij, kia, kab, pi, V, rates


def on_level(expressions):
    """Put the cyclic velocities and accelerations in."""
    _, (r, s), *_, rates = abelian()
    put = {r.dot: rates[0], s.dot: rates[1]}
    put |= {r.dot.dot: time_derivative(rates[0]), s.dot.dot: time_derivative(rates[1])}
    return substitute(list(expressions), put)


def operators(lagrangian, coordinates):
    """dL/dq - d/dt dL/dq'."""
    return [diff(lagrangian, q) - time_derivative(diff(lagrangian, q.dot)) for q in coordinates]


def test_cyclic_coordinates_have_conserved_momenta():
    L, (r, s) = system(ABELIAN).lagrangian, system(ABELIAN).q[2:]
    momenta = gradient(L, [r.dot, s.dot])
    assert same(operators(L, [r, s]), [-time_derivative(p) for p in momenta])
    assert same(on_level(momenta), read(ABELIAN, "p", "q"))


def test_the_modified_lagrangian():
    x, fibre, v, kij, kia, kab, pi, V, _ = abelian()
    L = system(ABELIAN).lagrangian
    momenta = gradient(L, [q.dot for q in fibre])
    (modified,) = on_level([L - dot(momenta, [q.dot for q in fibre])])
    # with the trivial connection this is the library's Routhian
    assert same([result(ABELIAN).level.restricted_routhian()], [modified])
    assert same(on_level(operators(L, x)), operators(modified, x))
    shift = [solve(kab, kia[i]) for i in BASE]  # k^ab k_ib
    lowered = [[kij[i][j] - dot(kia[i], shift[j]) for j in BASE] for i in BASE]
    amended = V + dot(pi, solve(kab, pi)) / 2
    stated = dot([dot(row, v) for row in lowered], v) / 2 + dot([dot(shift[i], pi) for i in BASE], v) - amended
    assert same([modified], [stated])


def test_the_routhian_of_the_mechanical_connection():
    x, fibre, v, kij, kia, kab, pi, V, _ = abelian()
    L = system(ABELIAN).lagrangian
    shift = [solve(kab, kia[i]) for i in BASE]
    momenta = gradient(L, [q.dot for q in fibre])
    vertical = [q.dot + dot([shift[i][a] for i in BASE], v) for a, q in enumerate(fibre)]
    (routhian,) = on_level([L - dot(momenta, vertical)])
    lowered = [[kij[i][j] - dot(kia[i], shift[j]) for j in BASE] for i in BASE]
    assert same([routhian], [dot([dot(row, v) for row in lowered], v) / 2 - V - dot(pi, solve(kab, pi)) / 2])
    assert same([result(UPRIGHT).level.restricted_routhian()], [routhian])
    assert same([e for row in result(UPRIGHT).frame.coefficients for e in row], [e for row in shift for e in row])
    curved = [[dot([diff(shift[i][a], x[j]) - diff(shift[j][a], x[i]) for a in BASE], pi) for j in BASE] for i in BASE]
    left, right = on_level(operators(L, x)), operators(routhian, x)
    assert same(left, [e - dot(curved[i], v) for i, e in enumerate(right)])
    assert differ(left, [e + dot(curved[i], v) for i, e in enumerate(right)])
    assert differ(left, right)


def test_the_abelian_case_in_the_basis_of_the_group():
    x, _, v, *_ = abelian()
    frame, level = result(UPRIGHT).frame, result(UPRIGHT).level
    R, slopes = level.restricted_routhian(), frame.coefficients
    # bX_i^V(R) = dR/dx^i' and bX_i^C(R) = dR/dx^i
    assert same(level.restricted([f(level.routhian) for f in level.x_vertical]), [diff(R, w) for w in v])
    assert same(level.restricted([f(level.routhian) for f in level.x_complete]), [diff(R, q) for q in x])
    assert differ(level.restricted([f(level.routhian) for f in level.x_vertical]), [diff(R, q) for q in x])  # printed
    # [X_i, X_j] = B_ij^a d/dtheta^a = R_ij^a E~_a
    crossed = bracket(*frame.horizontal)
    assert same(crossed.components, [ZERO, ZERO, *(diff(slopes[0][a], x[1]) - diff(slopes[1][a], x[0]) for a in BASE)])
    assert same(
        crossed.components, combination(zip(frame.curvature[0][1], frame.action.generators, strict=True)).components
    )


def test_the_abelian_field_by_the_mechanical_connection():
    found = split(ABELIAN)  # the trivial connection, so that g_ai is not zero
    frame = found.frame
    dragged = [-dot([row[a] for row in frame.shift], frame.base_velocities) for a in BASE]  # g^ab g_bi v^i
    for sign in (1, -1):
        drag = [w + sign * g for w, g in zip(frame.group_velocities, dragged, strict=True)]
        whole = combination(
            [
                *zip(drag, frame.group_fields, strict=True),
                *zip(frame.base_velocities, found.horizontal.base_fields, strict=True),
                *zip(found.accelerations, frame.vertical_fields, strict=True),
            ]
        )
        if sign == 1:
            assert same(whole.components, found.gamma.components)
        else:
            assert differ(whole.components, found.gamma.components)  # as printed


def test_the_reduced_abelian_field():
    for name in (ABELIAN, UPRIGHT):
        frame, field = result(name).frame, gamma(name)
        rates = [field.components[frame.quasi_chart.place(v)] for v in frame.v_base]
        moved = [diff(rate, q) for rate in rates for q in frame.fibre]
        assert same(moved, [ZERO] * len(moved))
        # both connections on M give the same second-order equations
        assert same(result(name).level.restricted(rates), result(ABELIAN).level.restricted(_plain_rates()))


def _plain_rates():
    frame = result(ABELIAN).frame
    return [gamma(ABELIAN).components[frame.quasi_chart.place(v)] for v in frame.v_base]
