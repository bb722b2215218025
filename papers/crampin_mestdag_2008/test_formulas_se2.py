"""Section VIII.B: a Lagrangian with SE(2) as symmetry group, with symbolic A and mu."""

from dalembert.expr import ONE, TIME, ZERO, cos, diff, sin, substitute, symbol
from dalembert.expr.calculus import gradient, time_derivative
from dalembert.expr.linear import determinant
from dalembert.expr.truth import is_zero
from dalembert.geometry.fields import combination
from dalembert.geometry.groups.matrices import multiply
from dalembert.mechanics.routh.reconstruction.summary import reconstruction_equations
from papers.crampin_mestdag_2008.systems import (
    SE2,
    read,
    result,
    simple,
    split,
    system,
)
from papers.exact import differ, dot, same

GROUP = range(3)


def none(*parts):
    return same(parts, [ZERO] * len(parts))


def stated_motion():
    """The solution of the paper with theta(0) = 0, as functions of time and of constants of integration."""
    t = symbol(TIME)
    A = read(SE2, "A")[0]
    names = ("x0", "u0", "y0", "v0", "z0", "w0", "f")
    x0, u0, y0, v0, z0, w0, f = (symbol(n, role="parameter") for n in names)
    return (
        u0 * t + x0,  # either way
        -A * sin(f * t) + (v0 + A * f) * t + y0,
        A * cos(f * t) + w0 * t + z0 - A,
        f * t,
    ), {"y0": y0, "v0": v0, "z0": z0, "w0": w0, "f": f}


def along(expressions, path):
    """Put a motion into expressions in coordinates, velocities and accelerations."""
    put = {}
    for q, value in zip(system(SE2).q, path, strict=True):
        first = time_derivative(value)
        put |= {q: value, q.dot: first, q.dot.dot: time_derivative(first)}
    return substitute(list(expressions), put)


def test_se2_euler_lagrange_equations():
    given = system(SE2)
    L = given.lagrangian
    operators = [time_derivative(diff(L, q.dot)) - diff(L, q) for q in given.q]
    x, y, z, theta = given.q
    A = read(SE2, "A")[0]
    right = [
        x.dot.dot,
        time_derivative(y.dot + A * cos(theta) * theta.dot),
        time_derivative(z.dot + A * sin(theta) * theta.dot),
        theta.dot.dot + A * sin(theta) * z.dot.dot + A * cos(theta) * y.dot.dot,
    ]
    assert same(operators, right)
    printed = theta.dot.dot + A * sin(theta) * z.dot + A * cos(theta) * y.dot
    assert differ(operators[3:], [printed])
    path, _ = stated_motion()
    assert not none(*along([printed], path))


def test_se2_motions():
    given = system(SE2)
    L = given.lagrangian
    path, _ = stated_motion()
    assert none(*along([time_derivative(diff(L, q.dot)) - diff(L, q) for q in given.q], path))
    wrong = (path[0], path[1] + sin(path[3]), *path[2:])
    assert not none(*along([time_derivative(diff(L, q.dot)) - diff(L, q) for q in given.q], wrong))


def element(y, z, theta):
    return [[cos(theta), -sin(theta), y], [sin(theta), cos(theta), z], [ZERO, ZERO, ONE]]


ONES, TWOS = [symbol(n) for n in ("y1", "z1", "t1")], [symbol(n) for n in ("y2", "z2", "t2")]


def product_of_elements():
    (y1, z1, t1), (y2, z2, t2) = ONES, TWOS
    return [y2 * cos(t1) - z2 * sin(t1) + y1, y2 * sin(t1) + z2 * cos(t1) + z1, t1 + t2]


def test_se2_multiplication():
    matrix = multiply(element(*ONES), element(*TWOS))
    stated = element(*product_of_elements())
    assert same([e for row in matrix for e in row], [e for row in stated for e in row])


def test_se2_lagrangian():
    """As printed; the group leaves it alone, not only its generators; regular where A^2 is not 1."""
    given = system(SE2)
    (stated,) = read(SE2, "x'^2/2 + y'^2/2 + z'^2/2 + theta'^2/2 + A*(sin(theta)*z' + cos(theta)*y')*theta'")
    assert same([given.lagrangian], [stated])
    place, rates = dict(zip(TWOS, given.q[1:], strict=True)), given.v[1:]
    whole = product_of_elements()
    there = substitute(whole, place)
    moved = [dot(substitute([diff(c, s) for s in TWOS], place), rates) for c in whole]
    put = dict(zip((*given.q[1:], *rates), (*there, *moved), strict=True))
    assert same(substitute([stated], put), [stated])
    (wrong,) = read(SE2, "A*(sin(theta)*z' - cos(theta)*y')*theta'")
    assert differ(substitute([wrong], put), [wrong])
    hessian = [[diff(diff(stated, v), w) for v in given.v] for w in given.v]
    assert same([determinant(hessian)], read(SE2, "1 - A^2"))


def basis_matrices():
    unit = dict.fromkeys(ONES, ZERO)
    return [[substitute([diff(e, s) for e in row], unit) for row in element(*ONES)] for s in ONES]


def commutator(left, right):
    one, other = multiply(left, right), multiply(right, left)
    return [a - b for r, s in zip(one, other, strict=True) for a, b in zip(r, s, strict=True)]


def test_se2_lie_algebra():
    e1, e2, e3 = basis_matrices()
    assert e3 == [[ZERO, -ONE, ZERO], [ONE, ZERO, ZERO], [ZERO, ZERO, ZERO]]
    flat1, flat2 = ([c for row in e for c in row] for e in (e1, e2))
    assert none(*commutator(e1, e2))
    assert same(commutator(e1, e3), [-c for c in flat2])
    assert same(commutator(e2, e3), flat1)
    assert differ(commutator(e1, e3), flat2)  # as printed
    assert differ(commutator(e2, e3), [-c for c in flat1])
    # those of the library, in the stated and in the adapted basis
    stated, frame = result(SE2).frame.stated.algebra, result(SE2).frame
    assert same(stated.bracket([1, 0, 0], [0, 0, 1]), [ZERO, -ONE, ZERO])
    C = frame.constants
    assert none(*C[0][1])  # either way
    assert same(C[0][2], read(SE2, "mu", "-(1 + mu^2)", "0"))
    assert same(C[1][2], read(SE2, "1", "-mu", "0"))
    assert differ(C[0][2], read(SE2, "-mu", "1 + mu^2", "0"))  # as printed
    assert same(frame.momentum, read(SE2, "1 + mu^2", "mu", "0"))


def test_se2_fundamental_and_invariant_fields():
    unit = dict.fromkeys(ONES, ZERO)
    place = dict(zip(TWOS, system(SE2).q[1:], strict=True))
    frame = result(SE2).frame
    whole = product_of_elements()
    for s, field in zip(ONES, frame.stated.generators, strict=True):
        speed = substitute(substitute([diff(c, s) for c in whole], unit), place)
        assert same(field.components, [ZERO, *speed])
    assert same(frame.stated.generators[2].components, read(SE2, "0", "-z", "y", "1"))
    here = dict(zip(ONES, system(SE2).q[1:], strict=True))
    left = [substitute(substitute([diff(c, s) for c in whole], dict.fromkeys(TWOS, ZERO)), here) for s in TWOS]
    rows = (("cos(theta)", "sin(theta)", "0"), ("-sin(theta)", "cos(theta)", "0"), ("0", "0", "1"))
    assert same([c for row in left for c in row], [c for row in rows for c in read(SE2, *row)])
    L, q, v = system(SE2).lagrangian, system(SE2).q, system(SE2).v
    for field in frame.stated.generators:  # L is invariant
        rate = dot(field.components, gradient(L, q))
        turned = [dot([diff(c, w) for w in q], v) for c in field.components]
        assert none(rate + dot(turned, gradient(L, v)))


def test_se2_isotropy():
    C = result(SE2).frame.stated.algebra.constants
    xi, mu = [symbol(f"xi{k}") for k in GROUP], [symbol(f"m{k}") for k in GROUP]
    conditions = [dot(xi, [dot(C[a][b], mu) for b in GROUP]) for a in GROUP]  # either way
    stated = [xi[2] * mu[1], xi[2] * mu[0], xi[0] * mu[1] - xi[1] * mu[0]]
    assert all(same([c], [s]) or same([c], [-s]) for c, s in zip(conditions, stated, strict=True))
    frame = result(SE2).frame
    assert same(frame.adapted.matrix[0], read(SE2, "1", "mu", "0"))
    assert frame.isotropy_dimension == 1


def test_se2_action_of_the_isotropy_group():
    # exp(s (e1 + mu e2)) = (s, mu s, 0), so that (y, z, theta) goes to (y + s, z + mu s, theta)
    s, mu = symbol("s"), read(SE2, "mu")[0]
    moved_to = substitute(product_of_elements(), {ONES[0]: s, ONES[1]: mu * s, ONES[2]: ZERO})
    assert same(moved_to, [TWOS[0] + s, TWOS[1] + mu * s, TWOS[2]])
    # the printed one, which leaves z alone, does not keep the momentum
    frame, L, v = result(SE2).frame, system(SE2).lagrangian, system(SE2).v
    e1, e2, e3 = frame.stated.generators
    p3 = dot(e3.components, gradient(L, v))
    at = dict(zip(v[1:3], read(SE2, "1 - A*cos(theta)*theta'", "mu - A*sin(theta)*theta'"), strict=True))
    assert none(*substitute([combination([(1, e1), (mu, e2)])(p3)], at))
    assert not none(*substitute([e1(p3)], at))


def test_se2_adapted_coordinates():
    frame = result(SE2).frame
    assert [q.data.name for q in frame.chart.coordinates] == ["x", "y", "z1", "theta"]
    inverse_map = frame.coordinates.inverse
    assert same([inverse_map[q] for q in system(SE2).q[1:]], read(SE2, "y", "z1 + mu*y", "theta"))
    assert same(frame.action.generators[0].components, [ZERO, ONE, ZERO, ZERO])
    K = [read(SE2, *row) for row in (("1", "0", "0"), ("0", "1", "0"), ("-(z1 + mu*y)", "y + mu*(z1 + mu*y)", "1"))]
    assert same([e for row in frame.moves for e in row], [e for row in K for e in row])


def put_z(*texts):
    """The paper's formulas with z = z1 + mu y."""
    (z,) = read(SE2, "z")
    return substitute(read(SE2, *texts), {z: read(SE2, "z1 + mu*y")[0]})


def test_se2_momenta():
    L, v = system(SE2).lagrangian, system(SE2).v
    e1, e2, e3 = result(SE2).frame.stated.generators
    p = [dot(e.components, gradient(L, v)) for e in (e1, e2, e3)]
    first, mu = read(SE2, "y' + mu*z' + (A*cos(theta) + A*mu*sin(theta))*theta'")[0], read(SE2, "mu")[0]
    third = "A*cos(theta)*y' + A*sin(theta)*z' + theta' - z*(y' + A*cos(theta)*theta') + y*(z' + A*sin(theta)*theta')"
    assert same([p[0] + mu * p[1], p[1], p[2]], [first, *read(SE2, "z' + A*sin(theta)*theta'", third)])
    # the constants of integration that these fix
    path, c = stated_motion()
    A = read(SE2, "A")[0]
    known = {c["v0"]: 1 - A * c["f"], c["w0"]: mu}
    (z0,) = substitute([mu * c["y0"] + A * c["v0"] + c["f"]], known)
    values = substitute(along(p, path), {**known, c["z0"]: z0})
    assert same(values, [ONE, mu, ZERO])


def test_se2_quasi_velocities():
    frame = result(SE2).frame
    assert same([frame.quasi_velocities()[0], frame.quasi_velocities()[2]], put_z("y' + z*theta'", "theta'"))
    z1 = next(q for q in frame.chart.coordinates if q.data.name == "z1")
    stated = z1.dot - put_z("(y + mu*z)*theta'")[0]
    assert same([frame.quasi_velocities()[1]], [stated])


THIRD = "(mu*y - z + A*cos(theta) + A*mu*sin(theta))/(A^2 - 1)"
PULL = "(A*cos(theta) + A*mu*sin(theta) - z1)"


def test_se2_reduced_equations():
    found = result(SE2)
    rates = {s.data.label: rate for s, rate in found.equations.rates().items()}
    assert list(rates) == ["x", "z1", "theta", "x'"]
    assert none(rates["x'"])
    iota, K = found.level.iota, found.frame.moves
    assert same([rates["z1"], rates["theta"]], [iota[1] + K[2][1] * iota[2], iota[2]])
    assert same([rates["theta"]], put_z(THIRD))
    inner = "- A*(1 - mu^2)*sin(theta)*cos(theta) - mu*A + 2*mu*A*cos(theta)^2"
    assert same([rates["z1"]], put_z(f"A/(A^2 - 1)*((z - mu*y)*(sin(theta) - mu*cos(theta)) {inner})"))
    assert none(*(diff(rate, read(SE2, "y")[0]) for rate in rates.values()))


def reduced_motion():
    f, t = symbol("f", role="parameter"), symbol(TIME)
    z1, theta = read(SE2, "z1", "theta")
    (value,) = read(SE2, "A*cos(theta) + A*mu*sin(theta)")
    value = value + (1 - read(SE2, "A")[0] ** 2) * f
    return {z1: substitute([value], {theta: f * t})[0], theta: f * t}, f, t


def test_se2_reduced_motion():
    path, _, _ = reduced_motion()
    rates = {s.data.label: rate for s, rate in result(SE2).equations.rates().items()}
    for q, value in path.items():
        assert none(time_derivative(value) - substitute([rates[q.data.label]], path)[0])
    z1 = read(SE2, "z1")[0]
    wrong = {**path, z1: path[z1] + 1}
    assert not none(time_derivative(path[z1]) - substitute([rates["theta"]], wrong)[0])


def test_se2_hessian():
    frame = result(SE2).frame
    mixed = "A*cos(theta) + A*mu*sin(theta) - z + mu*y"
    last = "1 - 2*A*z*cos(theta) + 2*A*y*sin(theta) + y^2 + z^2"
    rows = [("1 + mu^2", "mu", mixed), ("mu", "1", "A*sin(theta) + y"), (mixed, "A*sin(theta) + y", last)]
    assert same([e for row in frame.g_ab for e in row], [e for row in rows for e in put_z(*row)])
    assert same([frame.g_ij[0][0], *(row[0] for row in frame.g_ai)], [ONE, ZERO, ZERO, ZERO])
    assert same([determinant(frame.g_ab)], read(SE2, "1 - A^2"))


def test_se2_horizontal_fields():
    found, parts = split(SE2), simple(SE2)
    two, three = read(SE2, "mu/(1 + mu^2)", f"{PULL}/(1 + mu^2)")
    assert same([row[0] for row in found.horizontal.outer_coefficients], [two, three])
    e1, e2, e3 = found.level.generators
    form = parts.isotropy_connection.forms[0]
    complement = [combination([(1, e2), (-two, e1)]), combination([(1, e3), (-three, e1)]), found.level.horizontal[0]]
    assert none(*(form(field) for field in complement))
    flat = (*found.horizontal.outer_fields, *found.frame.orthogonal_fields, *found.frame.vertical_fields)
    assert none(*(value for field in flat for value in found.mechanical.components(field)))
    assert same(found.mechanical.components(found.frame.group_fields[0]), [ONE])


def test_se2_vertical_part():
    iota = result(SE2).level.iota
    two, three = read(SE2, "mu/(1 + mu^2)", f"{PULL}/(1 + mu^2)")
    assert same([iota[0] + two * iota[1] + three * iota[2]], [ONE])
    assert differ([iota[0]], [ONE])


def test_se2_horizontal_lift():
    equations = reconstruction_equations(result(SE2), "mechanical")
    path, f, t = reduced_motion()
    lift = {s.data.name: rate for s, rate in equations.reconstruction.items()}
    A = read(SE2, "A")[0]
    assert same(substitute([lift["y_h"], lift["s_E1"]], path), [-A * f * cos(f * t), ONE])
    # its velocity is horizontal: v^1 = -mu/(1 + mu^2) v^2 - ... v^3
    frame = result(SE2).frame
    rates = {s.data.name: rate for s, rate in {**equations.rates(), **equations.reconstruction}.items()}
    speeds = {q.dot: rates["y_h" if q.data.name == "y" else q.data.name] for q in frame.fibre}
    (y,) = read(SE2, "y")
    here = {y: next(s for s in equations.reconstruction if s.data.name == "y_h")}
    v = substitute(substitute(frame.quasi_velocities(), speeds), here)
    two, three = read(SE2, "mu/(1 + mu^2)", f"{PULL}/(1 + mu^2)")
    assert same([v[0]], [-two * v[1] - three * v[2]])


def test_se2_complete_motion():
    equations = reconstruction_equations(result(SE2), "mechanical")
    y_h, s = (next(q for q in equations.reconstruction if q.data.name == n) for n in ("y_h", "s_E1"))
    y = system(SE2).q[1]
    assert same([equations.configuration[y]], [y_h + s])
    path, f, t = reduced_motion()
    A = read(SE2, "A")[0]
    rates = substitute([equations.reconstruction[y_h] + equations.reconstruction[s]], path)
    assert same(rates, [time_derivative(-A * sin(f * t) + t)])
    assert is_zero(rates[0] - 1).holds is False
