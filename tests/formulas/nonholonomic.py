"""001: second-order fields of constrained systems, their connections, first integrals and adjoint symmetries."""

from collections.abc import Iterator

from dalembert.expr import diff
from formulas.mechanics import SecondOrderField, linear
from formulas.record import Formula, Notation


def disc() -> Iterator[Formula]:
    n = Notation.of("001", {"phi": "angle", "psi": "angle", "x": "real", "y": "real"}, "R I1 I2")
    phi, psi, x, y = n.all("phi psi x y")
    lagrangian = n("(x'^2 + y'^2)/2 + I1*phi'^2/2 + I2*psi'^2/2")
    given = linear([n.equation("x' = R*cos(psi)*phi'"), n.equation("y' = R*sin(psi)*phi'")], [x.dot, y.dot])
    system = SecondOrderField(lagrangian, [phi, psi], dict(zip((x, y), given, strict=True)))
    yield n.formula("disc Lbar", system.bar, "(I1 + R^2)*phi'^2/2 + I2*psi'^2/2")
    yield n.formula("disc C^x_phi", system.curvature[0][0], "-R*sin(psi)*psi'")
    yield n.formula("disc C^y_psi", system.curvature[1][1], "-R*cos(psi)*phi'")
    yield n.formula("disc f^phi", system.forces[0], "0")
    fifth, sixth = n("psi'*x - R*sin(psi)*phi'"), n("psi'*y + R*cos(psi)*phi'")
    seventh = (fifth**2 + sixth**2 - n("R*phi'") ** 2) / n("psi'")
    yield n.formula("disc I7", seventh, "(x^2 + y^2)*psi' - 2*R*phi'*(x*sin(psi) - y*cos(psi))")
    yield n.formula("disc I7: a_phi", diff(seventh, phi.dot), "-2*R*(x*sin(psi) - y*cos(psi))")
    yield n.formula("disc I7: c_x", diff(seventh, x), "2*(x*psi' - R*sin(psi)*phi')")
    yield n.formula("disc Gamma(I7)", system.rate(seventh), "0")
    yield n.formula("disc L*", system.rate(n("t*(phi'^2 + psi'^2)/2")), "(phi'^2 + psi'^2)/2")


def skate() -> Iterator[Formula]:
    n = Notation.of("001", {"x": "real", "phi": "angle", "y": "real"}, "m I g")
    x, phi, y = n.all("x phi y")
    lagrangian = n("m*(x'^2 + y'^2)/2 + I*phi'^2/2 - g*y")
    (given,) = linear([n("x'*sin(phi) - y'*cos(phi)")], [y.dot])
    system = SecondOrderField(lagrangian, [x, phi], {y: given})
    yield n.formula("skate f^x", system.forces[0], "-(g/m)*sin(phi)*cos(phi) - x'*phi'*tan(phi)")
    yield n.formula("skate C_x", system.curvature[0][0], "phi'/cos(phi)^2")
    yield n.formula("skate C_phi", system.curvature[0][1], "-x'/cos(phi)^2")
    yield n.formula("skate Gamma(E)", system.rate(system.energy), "0")


def particle() -> Iterator[Formula]:
    n = Notation.of("001", "x y z")
    x, y, z = n.all("x y z")
    system = SecondOrderField(n("(x'^2 + y'^2 + z'^2)/2 - (x^2*y/2 + z^2*x + y*z)"), [x, y], {z: n("x*y*x'")})
    force = "(-x'^2*x*y^2 - x'*y'*x^2*y - x*y*(2*x*z + y) - x*y - z^2)/(1 + x^2*y^2)"
    yield n.formula("PARTICLE C_x", system.curvature[0][0], "x*y'")
    yield n.formula("PARTICLE C_y", system.curvature[0][1], "-x*x'")
    yield n.formula("PARTICLE f^x", system.forces[0], force)
    yield n.formula("PARTICLE f^y", system.forces[1], "-(x^2 + 2*z)/2")


def in_time() -> Iterator[Formula]:
    n = Notation.of("001", "x z")
    x, z = n.all("x z")
    system = SecondOrderField(n("(x'^2 + z'^2)/2"), [x], {z: n("t*x' + 1")})
    yield n.formula("AFF1 C", system.curvature[0][0], "1")
    yield n.formula("AFF1 f", system.forces[0], "-t*x'/(1 + t^2)")
    yield n.formula("AFF1 Gam", system.connection[0][0], "t/(2*(1 + t^2))")
    yield n.formula("AFF1 Phi", system.endomorphism(0, 0), "(t^2 - 2)/(4*(1 + t^2)^2)")
    yield n.formula("AFF1 E", system.energy, "((1 + t^2)*x'^2 - 1)/2")
    yield n.formula("AFF1 Gamma(v sqrt(1 + t^2))", system.rate(n("x'*sqrt(1 + t^2)")), "0")


SYSTEMS = (disc, skate, particle, in_time)
