"""002: vakonomic motions, their momenta and Hamiltonians, with L + lam f."""

from collections.abc import Iterator

from dalembert.expr import atan, define, diff, jet, sqrt, substitute, symbol, time_derivative
from formulas.mechanics import dot, euler_lagrange, linear, put
from formulas.record import Formula, Notation


def skate() -> Iterator[Formula]:
    n = Notation.of(
        "002",
        {"x": "real", "y": "real", "phi": "angle"},
        "m I g",
        extra="v w lam px py pphi",
    )
    x, y, phi, v, w, lam = n.all("x y phi v w lam")
    lagrangian = n("m*(x'^2 + y'^2)/2 + I*phi'^2/2 - g*y")
    extended = lagrangian + n("lam*(x'*sin(phi) - y'*cos(phi))")
    # the state form: x' = v cos, y' = v sin, phi' = w
    speeds = {x.dot: n("v*cos(phi)"), y.dot: n("v*sin(phi)"), phi.dot: w}
    second = {q.dot: put(time_derivative(s), {phi.dot: w}) for q, s in speeds.items()}
    inserted = {**speeds, **second}
    rates = linear(substitute(euler_lagrange(extended, [x, y, phi]), inserted), [v.dot, w.dot, lam.dot])
    yield n.formula("skate m v'", n("m") * rates[0], "-g*sin(phi) - lam*w")
    yield n.formula("skate I w'", n("I") * rates[1], "lam*v")
    yield n.formula("skate lam'", rates[2], "g*cos(phi) + m*v*w")
    momenta = [diff(extended, q.dot) for q in (x, y, phi)]
    yield n.formula("skate p_x", momenta[0], "m*x' + lam*sin(phi)")
    yield n.formula("skate mu_x", put(momenta[0], speeds), "m*v*cos(phi) + lam*sin(phi)")
    costates = n.all("px py pphi")
    equations = [put(p, speeds) - c for p, c in zip(momenta, costates, strict=True)]
    state = dict(zip((v, w, lam), linear(equations, [v, w, lam]), strict=True))
    yield n.formula("skate v by p", state[v], "(px*cos(phi) + py*sin(phi))/m")
    yield n.formula("skate lam by p", state[lam], "px*sin(phi) - py*cos(phi)")
    velocities = list(speeds.values())
    hamiltonian = put(dot(costates, velocities) - put(lagrangian, speeds), state)
    yield n.formula("skate H", hamiltonian, "(px*cos(phi) + py*sin(phi))^2/(2*m) + pphi^2/(2*I) + g*y")
    energy = dot([q.dot for q in (x, y, phi)], momenta) - extended
    yield n.formula("skate E", energy, "m*(x'^2 + y'^2)/2 + I*phi'^2/2 + g*y")
    yield n.formula("skate E in states", put(energy, speeds), "m*v^2/2 + I*w^2/2 + g*y")


def skate_reduced() -> Iterator[Formula]:
    n = Notation.of("002", "x y", "m I g", extra="lam")
    x, y = n.all("x y")
    turn = time_derivative(atan(y.dot / x.dot))
    yield n.formula("skate phi'", turn, "(y''*x' - x''*y')/(x'^2 + y'^2)")
    speed = sqrt(x.dot**2 + y.dot**2)
    sine = y.dot / speed
    lam = -(n("m") * time_derivative(speed) + n("g") * sine) / turn
    yield n.formula(
        "skate mu_x reduced", n("m*x'") + lam * sine, "m*x' - y'/(y''*x' - x''*y')*(m*x''*x' + (g + m*y'')*y')"
    )
    energy = n("m*(x'^2 + y'^2)/2 + g*y") + n("I") * turn**2 / 2
    yield n.formula("skate E reduced", energy, "m*(x'^2 + y'^2)/2 + I*((y''*x' - x''*y')/(x'^2 + y'^2))^2/2 + g*y")


def skate_admissible() -> Iterator[Formula]:
    n = Notation.of("002", {"x": "real", "y": "real", "phi": "angle"}, extra="a b c Nx Ny Nphi")
    x, y, phi = n.all("x y phi")
    constraint = n("x'*sin(phi) - y'*cos(phi)")
    omega = [diff(constraint, q.dot) for q in (x, y, phi)]
    euler = [-e for e in euler_lagrange(constraint, [x, y, phi])]
    normal = n.all("Nx Ny Nphi")
    # Omega_f(N) = 0 and E_f(N) = 1; N is fixed up to a multiple of a field, so its x-component is chosen
    answer = linear([dot(omega, normal), dot(euler, normal) - 1], normal[1:])
    yield n.formula("skate N_phi", put(answer[1], {normal[0]: n("0")}), "1/(x'*cos(phi) + y'*sin(phi))")
    fields = n.all("a b c")
    variation = dot(omega, [f.dot for f in fields]) + dot([diff(constraint, q) for q in (x, y, phi)], fields)
    yield n.formula(
        "skate P", linear([variation], [fields[2]])[0], "(b'*cos(phi) - a'*sin(phi))/(x'*cos(phi) + y'*sin(phi))"
    )


def elastica() -> Iterator[Formula]:
    n = Notation.of("002", "k", functions={"F": 1})
    k, F = n("k"), n.words.function("F")
    slope = jet(F, (k,), (1,))
    twice = time_derivative(slope, 2)
    lam = twice / k + k * slope - jet(F, (k,))
    third, second, first = "D(F, 1, 1, 1)(k)", "D(F, 1, 1)(k)", "D(F, 1)(k)"
    yield n.formula("elastica lam", lam, f"({third}*k'^2 + {second}*k'')/k + k*{first} - F(k)")
    tangential = lam + jet(F, (k,)) - k * slope
    yield n.formula("elastica J along T", tangential, f"({third}*k'^2 + {second}*k'')/k")
    formal = symbol("formal")
    (square,) = define([lam], {F: ([formal], formal**2)})
    yield n.formula("elastica F = k^2: lam", square, "2*k''/k + k^2")
    yield n.formula("elastica F = k^2: c k", square * k, "2*k'' + k^3")


def curvature() -> Iterator[Formula]:
    n = Notation.of("002", "x y")
    x, y = n.all("x y")
    speed = sqrt(x.dot**2 + y.dot**2)
    tangent = [x.dot / speed, y.dot / speed]
    normal = [-tangent[1], tangent[0]]
    bend = dot([time_derivative(e) / speed for e in tangent], normal)
    yield n.formula("elastica kappa", bend, "(x'*y'' - x''*y')/(x'^2 + y'^2)^(3/2)")


def heisenberg() -> Iterator[Formula]:
    n = Notation.of("002", "x y z", extra="lam")
    x, y, z, lam = n.all("x y z lam")
    extended = n("(x'^2 + y'^2)/2 + lam*(z' - (x*y' - y*x')/2)")
    equations = [put(e, {lam.dot: n("0")}) for e in euler_lagrange(extended, [x, y, z])]
    accelerations = linear(equations[:2], [x.dot.dot, y.dot.dot])
    yield n.formula("HEISENBERG x''", accelerations[0], "-lam*y'")
    square = linear([dot([-y.dot, x.dot], equations[:2])], [lam])[0]
    yield n.formula("HEISENBERG lam", square, "(y''*x' - x''*y')/(x'^2 + y'^2)")


def disc() -> Iterator[Formula]:
    n = Notation.of(
        "002",
        {"phi": "angle", "psi": "angle", "x": "real", "y": "real"},
        {"R": "positive", "I1": "positive", "I2": "positive", "mu1": "real", "mu2": "real"},
        extra="lam1 lam2",
    )
    phi, psi, x, y, *multipliers = n.all("phi psi x y lam1 lam2")
    constraints = [n("x' - R*cos(psi)*phi'"), n("y' - R*sin(psi)*phi'")]
    extended = n("(x'^2 + y'^2)/2 + I1*phi'^2/2 + I2*psi'^2/2") + dot(multipliers, constraints)
    momenta = [diff(extended, q.dot) for q in (x, y)]
    values = linear([p - mu for p, mu in zip(momenta, n.all("mu1 mu2"), strict=True)], multipliers)
    held = dict(zip(multipliers, values, strict=True))
    held |= {m.dot: time_derivative(v) for m, v in held.items()}
    speeds = dict(zip((x.dot, y.dot), linear(constraints, [x.dot, y.dot]), strict=True))
    speeds |= {s.dot: time_derivative(v) for s, v in speeds.items()}
    equations = substitute(substitute(euler_lagrange(extended, [phi, psi]), held), speeds)
    answer = linear(equations, [phi.dot.dot, psi.dot.dot])
    yield n.formula("DISC phi''", answer[0], "R*psi'*(mu2*cos(psi) - mu1*sin(psi))/(I1 + R^2)")
    yield n.formula("DISC psi''", answer[1], "R*phi'*(mu1*sin(psi) - mu2*cos(psi))/I2")
    p_phi = put(put(diff(extended, phi.dot), held), speeds)
    yield n.formula("DISC p_phi", p_phi, "(I1 + R^2)*phi' - R*(mu1*cos(psi) + mu2*sin(psi))")


def in_time() -> Iterator[Formula]:
    n = Notation.of("002", "x z", {"v0": "real", "pz": "real"}, extra="lam")
    x, z, lam = n.all("x z lam")
    extended = n("(x'^2 + z'^2)/2 + lam*(z' - t*x' - 1)")
    equations = [diff(extended, x.dot) - n("v0"), diff(extended, z.dot) - n("pz"), n("z' - t*x' - 1")]
    yield n.formula("AFF1 vak x'", linear(equations, [x.dot, z.dot, lam])[0], "(v0 + (pz - 1)*t)/(1 + t^2)")


SYSTEMS = (skate, skate_reduced, skate_admissible, elastica, curvature, heisenberg, disc, in_time)
