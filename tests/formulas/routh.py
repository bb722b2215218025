"""000: the Lagrangian on R x SE(2), momenta (1 + mu^2, mu, 0) in the basis E1 = e1 + mu e2, E2 = e2, E3 = e3."""

from collections.abc import Iterator

from dalembert.expr import ONE, ZERO, diff, hessian, solve, substitute, time_derivative
from formulas.mechanics import add, along, dot, linear, put
from formulas.record import Formula, Notation


def se2() -> Iterator[Formula]:
    n = Notation.of(
        "000",
        {"x": "real", "y": "real", "z": "real", "th": "angle"},
        {"A": "real", "mu": "real", "w": "real", "y0": "real"},
        extra="v1 v2 v3 z1",
    )
    x, y, z, th, mu, z1 = n.all("x y z th mu z1")
    lagrangian = n("x'^2/2 + y'^2/2 + z'^2/2 + th'^2/2 + A*(sin(th)*z' + cos(th)*y')*th'")
    on = [x, y, z, th]
    plain = [[ZERO, ONE, ZERO, ZERO], [ZERO, ZERO, ONE, ZERO], [ZERO, -z, y, ONE]]
    adapted = [[a + mu * b for a, b in zip(plain[0], plain[1], strict=True)], *plain[1:]]
    covector = [diff(lagrangian, q.dot) for q in on]
    p1, p2, p3 = (dot(e, covector) for e in plain)
    yield n.formula("p1", p1, "y' + A*cos(th)*th'")
    yield n.formula("p2", p2, "z' + A*sin(th)*th'")
    yield n.formula("p3", p3, "A*cos(th)*y' + A*sin(th)*z' + th' - z*(y' + A*cos(th)*th') + y*(z' + A*sin(th)*th')")
    # the level set: p_a = mu_a, by quasi-velocities v^a in the basis E_a
    v = n.all("v1 v2 v3")
    motion = {q.dot: dot(v, [e[i] for e in adapted]) for i, q in enumerate(on) if q is not x}
    values = [1 + mu**2, mu, ZERO]
    level = [put(dot(e, covector), motion) - value for e, value in zip(adapted, values, strict=True)]
    iota = linear(level, v)
    third = "(A*cos(th) + A*mu*sin(th) - z + mu*y)/(A^2 - 1)"
    yield n.formula("iota^1", iota[0], f"1 + (z - A*cos(th))*{third}")
    yield n.formula("iota^2", iota[1], f"(mu*A*cos(th) - A*sin(th) - y - mu*z)*{third}")
    yield n.formula("iota^3", iota[2], third)
    shifted = {z: z1 + mu * y}
    reduced = "(A*cos(th) + A*mu*sin(th) - z1)/(A^2 - 1)"
    yield n.formula("theta' reduced", put(iota[2], shifted), reduced)
    yield n.formula(
        "z1' reduced", put(iota[1] + (y + mu * z) * iota[2], shifted), f"A*(mu*cos(th) - sin(th))*{reduced}"
    )
    given = linear([p1 - 1, p2 - mu], [y.dot, z.dot])
    yield n.formula("z1' by theta'", given[1] - mu * given[0], "A*(mu*cos(th) - sin(th))*th'")
    metric = hessian(lagrangian, [q.dot for q in on])
    inner = [[add(a * dot(row, f) for a, row in zip(e, metric, strict=True)) for f in adapted] for e in adapted]
    yield n.formula("Hessian 13", inner[0][2], "A*cos(th) + A*mu*sin(th) - z + mu*y")
    yield n.formula("Hessian 33", inner[2][2], "1 - 2*A*z*cos(th) + 2*A*y*sin(th) + y^2 + z^2")
    (a, b, c), (_, d, e), (*_, f) = inner
    yield n.formula("Hessian determinant", a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d), "1 - A^2")
    amended = dot(values, solve(inner, values)) / 2
    potential = "(1 + mu^2)/2 + (z1 - A*cos(th) - A*mu*sin(th))^2/(2*(1 - A^2))"
    yield n.formula("C_mu", put(amended, shifted), potential)
    routhian = put(lagrangian, {**motion}) - dot(v, values)
    routhian = substitute([routhian], dict(zip(v, iota, strict=True)))[0]
    yield n.formula("R^mu", put(routhian, shifted), f"x'^2/2 - ({potential})")
    slope = along(put(amended, shifted), [ZERO, ZERO, ONE], [y, z1, th])
    yield n.formula("C_mu by theta", slope, "(A*sin(th) - A*mu*cos(th))*(z1 - A*cos(th) - A*mu*sin(th))/(1 - A^2)")
    vertical = iota[0] + (inner[0][1] * iota[1] + inner[0][2] * iota[2]) / inner[0][0]
    yield n.formula("Omega^m(Gamma)", vertical, "1")
    # reconstruction: the horizontal lift along (z1, theta) = (A cos wt + A mu sin wt + (1 - A^2) w, w t)
    solution = {th: n("w*t"), z1: n("A*cos(w*t) + A*mu*sin(w*t) + (1 - A^2)*w")}
    speeds = {th.dot: time_derivative(solution[th]), z1.dot: time_derivative(solution[z1])}
    quasi = [n("y' + z*th'"), n("z1' - mu*z*th' - y*th'"), n("th'")]
    horizontal = quasi[0] + (inner[0][1] * quasi[1] + inner[0][2] * quasi[2]) / inner[0][0]
    lifted = put(put(linear([horizontal], [y.dot])[0], shifted), {**solution, **speeds})
    yield n.formula("y_H'", lifted, "-A*w*cos(w*t)")


SYSTEMS = (se2,)
