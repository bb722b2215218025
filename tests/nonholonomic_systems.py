"""Systems that the tests of nonholonomic mechanics share, beside those of the gallery."""

from dalembert.model.system import System

ATTITUDE = {
    "wx": "theta'*cos(phi) + psi'*sin(theta)*sin(phi)",
    "wy": "theta'*sin(phi) - psi'*sin(theta)*cos(phi)",
    "wz": "phi' + psi'*cos(theta)",
}
_AXLE = "(d1*cos(ph) + d2)*th' + d2*ph'"
RACER = System.of(
    name="racer",
    coordinates={"x": "real", "y": "real", "th": "angle", "ph": "angle"},
    parameters={"m": 1.4, "I1": 0.8, "I2": 0.3, "d1": 0.5, "d2": 0.2},
    lagrangian="m*(x'^2 + y'^2)/2 + I1*th'^2/2 + I2*(th' + ph')^2/2",
    constraints={"a": f"sin(ph)*x' = cos(th)*({_AXLE})", "b": f"sin(ph)*y' = sin(th)*({_AXLE})"},
)
TRACTOR = System.of(
    name="tractor with two trailers",
    coordinates={"a1": "angle", "a2": "angle", "x": "real", "y": "real", "a0": "angle"},
    parameters={"m0": 1, "m1": 0.7, "m2": 0.4, "J0": 0.3, "J1": 0.2, "J2": 0.1, "d1": 1, "d2": 0.8},
    let={"x1": "x - d1*cos(a1)", "y1": "y - d1*sin(a1)", "x2": "x1 - d2*cos(a2)", "y2": "y1 - d2*sin(a2)"},
    lagrangian="m0*(x'^2 + y'^2)/2 + m1*(x1'^2 + y1'^2)/2 + m2*(x2'^2 + y2'^2)/2 + (J0*a0'^2 + J1*a1'^2 + J2*a2'^2)/2",
    constraints={
        "front": "x'*sin(a0) = y'*cos(a0)",
        "middle": "x1'*sin(a1) = y1'*cos(a1)",
        "back": "x2'*sin(a2) = y2'*cos(a2)",
    },
    start={"x'": 1, "a0'": 0.3, "a1": -0.3, "a2": -0.5},
)
PERPENDICULAR = System.of(
    name="two points with perpendicular velocities",
    coordinates="x1 y1 x2 y2",
    parameters={"g": 10},
    lagrangian="(x1'^2 + y1'^2 + x2'^2 + y2'^2)/2 - g*(y1 + y2)",
    constraints={"across": "x1'*x2' + y1'*y2' = 0"},
)


def drifting_line() -> System:
    """AFF1: one velocity, and a slope that is time itself."""
    return System.of(
        name="drifting line",
        coordinates="x z",
        lagrangian="(x'^2 + z'^2)/2",
        constraints={"slope": "z' = t*x' + 1"},
        fibration={"dependent": ["z"]},
    )


def sloping_particle() -> System:
    return System.of(
        name="particle with z' = y x'",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        constraints={"slope": "z' = y*x'"},
        fibration={"dependent": ["z"]},
    )


def turning_table() -> System:
    """A ball that rolls on a table turning at the rate Om."""
    return System.of(
        name="ball on a turning table",
        coordinates={"x": "real", "y": "real", "phi": "angle", "theta": "angle", "psi": "angle"},
        parameters={"m": 1, "J": 0.4, "r": 1, "Om": 0.7},
        let=ATTITUDE,
        lagrangian="m*(x'^2 + y'^2)/2 + J*(wx^2 + wy^2 + wz^2)/2",
        constraints={"along": "x' - r*wy = -Om*y", "across": "y' + r*wx = Om*x"},
        fibration={"dependent": ["x", "y"]},
    )


def falling_disc() -> System:
    """A disc that rolls and may fall; theta is its tilt from upright, (x, y) the point of contact."""
    return System.of(
        name="falling disc",
        coordinates={"phi": "angle", "theta": "angle", "psi": "angle", "x": "real", "y": "real"},
        parameters={"m": 1, "I": 0.5, "J": 0.25, "R": 1, "g": 9.81},
        let={
            "xi": "x'*cos(phi) + y'*sin(phi) + R*psi'",
            "eta": "-x'*sin(phi) + y'*cos(phi)",
            "spin": "phi'*sin(theta) + psi'",
        },
        lagrangian="m*((xi - R*spin)^2 + eta^2*sin(theta)^2 + (eta*cos(theta) + R*theta')^2)/2"
        " + (J*(theta'^2 + phi'^2*cos(theta)^2) + I*spin^2)/2 - m*g*R*cos(theta)",
        constraints={"rolls_in_x": "x' = -R*psi'*cos(phi)", "rolls_in_y": "y' = -R*psi'*sin(phi)"},
        fibration={"dependent": ["x", "y"]},
    )


def by_equations() -> System:
    """Forces that come from no Lagrangian, with an affine constraint in which all coordinates and time take part."""
    return System.of(
        name="given by its equations",
        coordinates="x y z",
        equations={"x''": "-x*z + y'^2 - z'*x'", "y''": "x'*y' + t*z^2", "z'": "(t*y + z)*x' + x*y' + y*z"},
    )


def pushed_particle() -> System:
    """Forces and a Lagrangian that is not a kinetic energy less a potential."""
    return System.of(
        name="pushed particle",
        coordinates="x y z",
        parameters={"c": 1},
        lagrangian="(1 + x^2)*x'^2/2 + y'^2/2 + z'^2*(1 + x'^2/3)/2 + t*z*y'",
        constraints={"slope": "z' = y*x' + t"},
        forces={"x": "-c*x'", "z": "-c*z'^2"},
        fibration={"dependent": ["z"]},
    )
