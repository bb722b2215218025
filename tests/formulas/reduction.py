"""003: Chaplygin systems: reduced metric, curvature, the tensors K~ and B, the connection nabla~, the measure."""

from collections.abc import Iterator

from dalembert.expr import diff, log
from formulas.mechanics import Chaplygin, put
from formulas.record import Formula, Notation


def fixed_robot() -> Iterator[Formula]:
    n = Notation.of("003", {"th": "angle", "psi": "angle", "x": "real", "y": "real"}, "m J Jw R")
    base, fibre = n.all("th psi"), n.all("x y")
    constraints = [n("x'*sin(th) - y'*cos(th)"), n("x'*cos(th) + y'*sin(th) - R*psi'")]
    system = Chaplygin(n("m*(x'^2 + y'^2)/2 + J*th'^2/2 + 3*Jw*psi'^2/2"), base, fibre, constraints)
    yield n.formula("fixed robot g~_psipsi", system.reduced[1][1], "3*Jw + m*R^2")
    yield n.formula("fixed robot Omega^1", system.curvature(0, 1)[2], "R*sin(th)")
    yield n.formula("fixed robot Omega^2", system.curvature(0, 1)[3], "-R*cos(th)")
    yield n.formula("fixed robot K~", system.tensor(1, 0, 1), "0")


def two_wheeled_robot() -> Iterator[Formula]:
    n = Notation.of(
        "003",
        {"psi1": "angle", "psi2": "angle", "x": "real", "y": "real", "th": "angle"},
        "m m0 l J J2 R c",
        extra="s d",
    )
    base, fibre = n.all("psi1 psi2"), n.all("x y th")
    lagrangian = n("m*(x'^2 + y'^2)/2 + m0*l*(cos(th)*y' - sin(th)*x')*th' + J*th'^2/2 + J2*(psi1'^2 + psi2'^2)/2")
    constraints = [
        n("x'*sin(th) - y'*cos(th)"),
        n("x'*cos(th) + y'*sin(th) + c*th' + R*psi1'"),
        n("x'*cos(th) + y'*sin(th) - c*th' + R*psi2'"),
    ]
    system = Chaplygin(lagrangian, base, fibre, constraints)
    a, b, big = "(J2 + m*R^2/4 + J*R^2/(4*c^2))", "(m*R^2/4 - J*R^2/(4*c^2))", "m0*l*R^3/(4*c^2)"
    below = "(4*c^2*(2*J2*c^2 + J*R^2)*(2*J2 + m*R^2))"
    first = f"m0*l*R^5*(J - m*c^2)/{below}"
    second = f"m0*l*R^3*(4*J2*c^2 + (J + m*c^2)*R^2)/{below}"
    yield n.formula("two-wheeled robot g~_11", system.reduced[0][0], a)
    yield n.formula("two-wheeled robot g~_12", system.reduced[0][1], b)
    yield n.formula("two-wheeled robot Omega^1", system.curvature(0, 1)[2], "R^2/(2*c)*sin(th)")
    yield n.formula("two-wheeled robot K~_112", system.tensor(0, 0, 1), big)
    yield n.formula("two-wheeled robot K1", system.christoffel(0, 0, 0), first)
    yield n.formula("two-wheeled robot K2", system.christoffel(1, 0, 0), second)
    yield n.formula("two-wheeled robot G^1_12", system.christoffel(0, 0, 1), f"-{second}")
    yield n.formula("two-wheeled robot G^1_21", system.christoffel(0, 1, 0), f"-{first}")
    yield n.formula("two-wheeled robot alpha_2", system.gyroscopic(1), f"{big}*(psi1' - psi2')*psi1'")
    yield n.formula("two-wheeled robot beta_1", system.measure(0), "-m0*l*R^3/(2*(2*J2*c^2 + J*R^2))")
    slower = {base[0].dot: n("(s + d)/2"), base[1].dot: n("(s - d)/2")}
    one, two = (put(e, slower) for e in system.accelerations)
    yield n.formula("two-wheeled robot s'", one + two, f"-{big}*d^2/(J2 + m*R^2/2)")
    yield n.formula("two-wheeled robot d'", one - two, f"{big}*s*d/(J2 + J*R^2/(2*c^2))")


def particle() -> Iterator[Formula]:
    n = Notation.of("003", "x y z", functions={"f": 2})
    x, y, z = n.all("x y z")
    f, fx, fy = "f(x, y)", "D(f, 1)(x, y)", "D(f, 2)(x, y)"
    system = Chaplygin(n("(x'^2 + y'^2 + z'^2)/2"), [x, y], [z], [n(f"z' - {f}*x'")])
    below = f"(1 + {f}^2)"
    yield n.formula("particle g~_xx", system.reduced[0][0], f"1 + {f}^2")
    yield n.formula("particle Omega", system.curvature(0, 1)[2], fy)
    yield n.formula("particle K~_xxy", system.tensor(0, 0, 1), f"{f}*{fy}")
    yield n.formula("particle B(x,y)", system.hamel(0, 1)[0], f"-({f}*{fy}/{below})")
    yield n.formula("particle alpha_x", system.gyroscopic(0), f"-{f}*{fy}*x'*y'")
    yield n.formula("particle alpha_y", system.gyroscopic(1), f"{f}*{fy}*x'^2")
    yield n.formula("particle G^x_xx", system.christoffel(0, 0, 0), f"{f}*{fx}/{below}")
    yield n.formula("particle G^x_yx", system.christoffel(0, 1, 0), f"{f}*{fy}/{below}")
    yield n.formula("particle G^y_xx", system.christoffel(1, 0, 0), "0")
    yield n.formula("particle beta_y", system.measure(1), f"-({f}*{fy}/{below})")
    yield n.formula("particle x''", system.accelerations[0], f"-{f}*({fx}*x'^2 + {fy}*x'*y')/{below}")


def special_particles() -> Iterator[Formula]:
    n = Notation.of("003", "x y z")
    x, y, z = n.all("x y z")
    lagrangian = n("(x'^2 + y'^2 + z'^2)/2")
    curved = Chaplygin(lagrangian, [x, y], [z], [n("z' - x*y*x'")])
    yield n.formula("particle f = xy: d beta", diff(curved.measure(1), x), "-(2*x*y/(1 + x^2*y^2)^2)")
    plain = Chaplygin(lagrangian, [x, y], [z], [n("z' - y*x'")])
    factor = -log(1 + y**2) / 2
    yield n.formula("particle f = y: beta_y - dF", plain.measure(1) - diff(factor, y), "0")
    yield n.formula("particle f = y: beta_y", plain.measure(1), "-y/(1 + y^2)")
    integral = n("x'*sqrt(1 + y^2)")
    rate = diff(integral, y) * y.dot + diff(integral, x.dot) * plain.accelerations[0]
    yield n.formula("particle f = y: rate of the integral", rate, "0")


def skew() -> Iterator[Formula]:
    n = Notation.of("003", "q1 q2 q3 z1 z2 z3", {"s": "real"})
    base, fibre = n.all("q1 q2 q3"), n.all("z1 z2 z3")
    forms = [n("z1' - (q3*q2' - q2*q3')/2"), n("z2' - (q1*q3' - q3*q1')/2"), n("z3' - (q2*q1' - q1*q2')/2")]
    kinetic = n("(q1'^2 + q2'^2 + q3'^2)/2")
    for q, form in zip(base, forms, strict=True):
        kinetic = kinetic + n("s") * q.dot * form + form**2 / 2
    system = Chaplygin(kinetic, base, fibre, forms)
    yield n.formula("skew B: K~_123", system.tensor(0, 1, 2), "s")
    yield n.formula("skew B: K~_113", system.tensor(0, 0, 2), "0")
    yield n.formula("skew B: G^3_12", system.christoffel(2, 0, 1), "-s/2")


SYSTEMS = (fixed_robot, two_wheeled_robot, particle, special_particles, skew)
