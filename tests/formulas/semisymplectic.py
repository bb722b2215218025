"""004: brackets and Jacobiators on a distribution, and constraints with their own virtual displacements."""

from collections.abc import Iterator

from dalembert.expr import ONE, ZERO
from formulas.mechanics import Semisymplectic, linear, put
from formulas.record import Formula, Notation


def particle() -> Iterator[Formula]:
    n = Notation.of("004", "x y z", functions={"a": 1, "V": 3}, extra="vx vy")
    x, y, z, vx, vy = n.all("x y z vx vy")
    virtual = [[ONE, ZERO, n("a(y)")], [ZERO, ONE, ZERO]]
    system = Semisymplectic(
        n("(x'^2 + y'^2 + z'^2)/2 - V(x, y, z)"), [x, y, z], [vx, vy], [vx, vy, n("a(y)*vx")], virtual
    )
    a, slope, below = "a(y)", "D(a, 1)(y)", "(1 + a(y)^2)"
    k1, k2, k3, _ = system.basis
    yield n.formula("omega(K1,K2)", system.form(k1, k2), f"{a}*{slope}*vx")
    yield n.formula("omega(K1,K3)", system.form(k1, k3), f"1 + {a}^2")
    yield n.formula("{x,vx}", system.bracket(x, vx), f"1/{below}")
    yield n.formula("{z,vx}", system.bracket(z, vx), f"{a}/{below}")
    yield n.formula("{y,vy}", system.bracket(y, vy), "1")
    yield n.formula("{vx,vy}", system.bracket(vx, vy), f"-{a}*{slope}*vx/{below}")
    yield n.formula("Jacobiator J(x,vx,vy)", system.jacobiator(x, vx, vy), f"-{a}*{slope}/{below}^2")
    yield n.formula("Jacobiator J(z,vx,vy)", system.jacobiator(z, vx, vy), f"{slope}/{below}^2")
    yield n.formula("Jacobiator J(x,z,vy)", system.jacobiator(x, z, vy), "0")
    yield n.formula("energy", system.energy, f"{below}*vx^2/2 + vy^2/2 + V(x, y, z)")
    forces = f"-({a}*{slope}*vx*vy + D(V, 1)(x, y, z) + {a}*D(V, 3)(x, y, z))/{below}"
    yield n.formula("vx'", system.field[3], forces)
    yield n.formula("Y_E along vx", system.hamiltonian_field(system.energy)[3], forces)


def symmetric_particle() -> Iterator[Formula]:
    n = Notation.of("004", "x y z", functions={"a": 1, "V": 1}, extra="vx vy")
    x, y, z, vx, vy = n.all("x y z vx vy")
    virtual = [[ONE, ZERO, n("a(y)")], [ZERO, ONE, ZERO]]
    system = Semisymplectic(n("(x'^2 + y'^2 + z'^2)/2 - V(y)"), [x, y, z], [vx, vy], [vx, vy, n("a(y)*vx")], virtual)
    orphan = n("vx^2*(1 + a(y)^2)")
    yield n.formula("Y_j along x", system.hamiltonian_field(orphan)[0], "2*vx")
    yield n.formula("rate of j", system.rate(orphan), "0")
    yield n.formula("rate of (1 + a^2) vx", system.rate(n("(1 + a(y)^2)*vx")), "a(y)*D(a, 1)(y)*vx*vy")


def appell_hamel() -> Iterator[Formula]:
    n = Notation.of("004", "x y z", "m g k", extra="vx vy")
    x, y, z, vx, vy = n.all("x y z vx vy")
    lagrangian = n("m*(x'^2 + y'^2 + z'^2)/2 - m*g*z")
    rho = n("sqrt(vx^2 + vy^2)")
    chetaev = [[ONE, ZERO, n("k") * vx / rho], [ZERO, ONE, n("k") * vy / rho]]
    motion = [vx, vy, n("k") * rho]
    system = Semisymplectic(lagrangian, [x, y, z], [vx, vy], motion, chetaev)
    yield n.formula("Appell-Hamel vx'", system.field[3], "-(k*g/(1 + k^2))*vx/sqrt(vx^2 + vy^2)")
    yield n.formula("Appell-Hamel lambda_x", system.multipliers[0], "(m*g/(1 + k^2))*(-k*vx/sqrt(vx^2 + vy^2))")
    yield n.formula("Appell-Hamel lambda_z", system.multipliers[2], "m*g/(1 + k^2)")
    yield n.formula("Appell-Hamel E'", system.rate(system.energy), "0")
    flat = Semisymplectic(lagrangian, [x, y, z], [vx, vy], motion, [[ONE, ZERO, ZERO], [ZERO, ONE, ZERO]])
    yield n.formula("Appell-Hamel flat E'", flat.rate(flat.energy), "m*g*k*sqrt(vx^2 + vy^2)")
    yield n.formula("Appell-Hamel flat Y_E^x", flat.hamiltonian_field(flat.energy)[0], "(1 + k^2)*vx")
    yield n.formula("Appell-Hamel flat Z^z", flat.null_forcing()[2], "k*sqrt(vx^2 + vy^2)")


def affine() -> Iterator[Formula]:
    n = Notation.of("004", "x y z", {"b": "real"}, extra="vx vy")
    x, y, z, vx, vy = n.all("x y z vx vy")
    virtual = [[ONE, ZERO, y], [ZERO, ONE, ZERO]]
    system = Semisymplectic(n("(x'^2 + y'^2 + z'^2)/2"), [x, y, z], [vx, vy], [vx, vy, n("y*vx + b")], virtual)
    semi, null = system.hamiltonian_field(system.energy), system.null_forcing()
    yield n.formula("affine vx'", system.field[3], "-y*vx*vy/(1 + y^2)")
    yield n.formula("affine lambda_z", system.multipliers[2], "vx*vy/(1 + y^2)")
    yield n.formula("affine E'", system.rate(system.energy), "b*vx*vy/(1 + y^2)")
    yield n.formula("affine Y_E^x", semi[0], "vx + b*y/(1 + y^2)")
    yield n.formula("affine Y_E^z", semi[2], "(vx + b*y/(1 + y^2))*y")
    yield n.formula("affine Y_E^vy", semi[4], "-(b*vx/(1 + y^2))")
    yield n.formula("affine Z^x", null[0], "(b/(1 + y^2))*(-y)")


def slanted() -> Iterator[Formula]:
    n = Notation.of("004", "x y z", {"sigma": "real"}, extra="vx vy")
    x, y, z, vx, vy = n.all("x y z vx vy")
    virtual = [[ONE, ZERO, n("sigma")], [ZERO, ONE, ZERO]]
    system = Semisymplectic(n("(x'^2 + y'^2 + z'^2)/2"), [x, y, z], [vx, vy], [vx, vy, y * vx], virtual)
    semi, null = system.hamiltonian_field(system.energy), system.null_forcing()
    yield n.formula("slanted vx'", system.field[3], "-sigma*vx*vy/(1 + sigma*y)")
    yield n.formula("slanted lambda_z", system.multipliers[2], "vx*vy/(1 + sigma*y)")
    yield n.formula("slanted Y_E^x", semi[0], "(1 + y^2)*vx/(1 + sigma*y)")
    yield n.formula("slanted Y_E^vy", semi[4], "(sigma - y)*vx^2/(1 + sigma*y)")
    yield n.formula("slanted Z^x", null[0], "((y - sigma)*vx/(1 + sigma*y))*(-y)")
    yield n.formula("slanted E'", system.rate(system.energy), "(y - sigma)*vx^2*vy/(1 + sigma*y)")


def isokinetic() -> Iterator[Formula]:
    n = Notation.of("004", {"x": "real", "y": "real"}, "c", functions={"V": 2}, extra={"th": "angle"})
    x, y, th = n.all("x y th")
    velocity = [n("c*cos(th)"), n("c*sin(th)")]
    virtual = [[n("-sin(th)"), n("cos(th)")]]
    system = Semisymplectic(n("(x'^2 + y'^2)/2 - V(x, y)"), [x, y], [th], velocity, virtual)
    work = "(D(V, 1)(x, y)*cos(th) + D(V, 2)(x, y)*sin(th))"
    yield n.formula("isokinetic lambda_x", system.multipliers[0], f"{work}*cos(th)")
    yield n.formula("isokinetic E'", system.rate(system.energy), f"c*{work}")


def no_work_along_z() -> Iterator[Formula]:
    n = Notation.of("004", "x y z", functions={"V": 3}, extra="u v")
    x, y, z, u, v = n.all("x y z u v")
    system = Semisymplectic(
        n("(x'^2 + y'^2 + z'^2)/2 - V(x, y, z)"),
        [x, y, z],
        [u, v],
        [u, v, y * u],
        [[ONE, ZERO, ZERO], [ZERO, ONE, ZERO]],
    )
    yield n.formula("W = {wz = 0} E'", system.rate(system.energy), "u*y*(u*v - y*D(V, 1)(x, y, z) + D(V, 3)(x, y, z))")


def ball_on_a_turning_table() -> Iterator[Formula]:
    parameters = {"m": "positive", "I": "positive", "r": "positive", "Om": "real"}
    n = Notation.of("004", "x y", parameters, extra="wx wy Fx Fy")
    x, y, wx, wy, Fx, Fy = n.all("x y wx wy Fx Fy")
    rolling = [n.equation("x' - r*wy = -Om*y"), n.equation("y' + r*wx = Om*x")]
    balance = [n("m*x'' - Fx"), n("m*y'' - Fy"), n("I*wx' - r*Fy"), n("I*wy' + r*Fx")]
    unknowns = [x.dot.dot, y.dot.dot, wx.dot, wy.dot, Fx, Fy]
    answer = linear([*balance, *(e.dot for e in rolling)], unknowns)
    yield n.formula("turning table x''", answer[0], "-(Om*I/(I + m*r^2))*y'")
    yield n.formula("turning table y''", answer[1], "(Om*I/(I + m*r^2))*x'")
    power = answer[4] * n("-Om*y") + answer[5] * n("Om*x")
    yield n.formula("turning table E'", power, "m*Om^2*I/(I + m*r^2)*(x*x' + y*y')")
    spin = dict(zip((wx, wy), linear(rolling, [wx, wy]), strict=True))
    energy = n("m*(x'^2 + y'^2)/2 + I*(wx^2 + wy^2)/2 - m*I*Om^2*(x^2 + y^2)/(2*(I + m*r^2))")
    rates = dict(zip(unknowns, answer, strict=True))
    yield n.formula("turning table rate of the integral", put(put(energy.dot, rates), spin), "0")


SYSTEMS = (
    particle,
    symmetric_particle,
    appell_hamel,
    affine,
    slanted,
    isokinetic,
    no_work_along_z,
    ball_on_a_turning_table,
)
