"""Energy along motions with rolling constraints; the multipliers are solved for inside the expression."""

from __future__ import annotations

from bench.identities.record import MERSENNE_127, theme
from bench.mechanics import System, angles, dot, each, parameters, reals
from dalembert.expr import ONE, ZERO, Expr, Function, cos, jet, sin, tan

pair = theme("nonholonomic energy")


def _conserved(system: System, flaw: Expr, wrong: bool) -> Expr:
    return system.rate(system.energy + flaw if wrong else system.energy)


def vertical_disc() -> System:
    """Return the upright rolling disc: angle of rolling, heading, point of contact."""
    m, radius, i1, i2 = parameters("m R I1 I2")
    (phi, psi), (x, y) = angles("phi psi"), reals("x y")
    kinetic = (m * (x.dot**2 + y.dot**2) + i1 * phi.dot**2 + i2 * psi.dot**2) / 2
    rows = [[-radius * cos(psi), ZERO, ONE, ZERO], [-radius * sin(psi), ZERO, ZERO, ONE]]
    return System(kinetic, [phi, psi, x, y], rows, dependent=(2, 3))


def snakeboard() -> System:
    """Return the snakeboard: position and heading of the board, rotor, two wheel axles."""
    m, length, board, rotor, wheel = parameters("m l J Jr Jw")
    x, y = reals("x y")
    theta, psi, front, back = angles("theta psi phi1 phi2")
    kinetic = (
        m * (x.dot**2 + y.dot**2)
        + board * theta.dot**2
        + rotor * (theta.dot + psi.dot) ** 2
        + wheel * ((theta.dot + front.dot) ** 2 + (theta.dot + back.dot) ** 2)
    ) / 2
    rows = [
        [-sin(theta + steer), cos(theta + steer), side * length * cos(steer), ZERO, ZERO, ZERO]
        for steer, side in ((front, 1), (back, -1))
    ]
    return System(kinetic, [x, y, theta, psi, front, back], rows, dependent=(0, 1))


def robot() -> System:
    """Return the robot on two wheels driven one by one; its mass centre lies off the axle."""
    m, m0, length, big, wheel, radius, c = parameters("m m0 l J J2 R c")
    (x, y), (theta, psi1, psi2) = reals("x y"), angles("theta psi1 psi2")
    kinetic = (m * (x.dot**2 + y.dot**2) + big * theta.dot**2 + wheel * (psi1.dot**2 + psi2.dot**2)) / 2
    kinetic = kinetic + m0 * length * theta.dot * (cos(theta) * y.dot - sin(theta) * x.dot)
    half = radius / 2
    rows = [
        [ONE, ZERO, ZERO, half * cos(theta), half * cos(theta)],
        [ZERO, ONE, ZERO, half * sin(theta), half * sin(theta)],
        [ZERO, ZERO, ONE, -half / c, half / c],
    ]
    return System(kinetic, [x, y, theta, psi1, psi2], rows, dependent=(0, 1, 2))


def particle(height: Expr, potential: Expr) -> System:
    """Return the particle with z' = height x' in a potential."""
    x, y, z = reals("x y z")
    kinetic = (x.dot**2 + y.dot**2 + z.dot**2) / 2
    return System(kinetic - potential, [x, y, z], [[-height, ZERO, ONE]], dependent=(2,))


@pair("vertical rolling disc", "a term k phi'^2 added")
def disc(wrong: bool) -> Expr:
    system = vertical_disc()
    phi, psi, x, _ = system.coordinates
    (k,) = parameters("k")
    driven = System(system.lagrangian + k * cos(psi) - k * x, system.coordinates, system.constraints, (2, 3))
    return _conserved(driven, k * phi.dot**2, wrong)


@pair("falling rolling disc", "sign of the weight")
def falling_disc(wrong: bool) -> Expr:
    m, g, radius, across, along = parameters("m g R A C")
    (x, y), (phi, theta, psi) = reals("x y"), angles("phi theta psi")
    centre = [x + radius * sin(theta) * sin(phi), y - radius * sin(theta) * cos(phi), radius * cos(theta)]
    kinetic = m * dot([c.dot for c in centre], [c.dot for c in centre]) / 2
    kinetic = kinetic + across * (theta.dot**2 + (phi.dot * cos(theta)) ** 2) / 2
    kinetic = kinetic + along * (phi.dot * sin(theta) + psi.dot) ** 2 / 2
    weight = m * g * radius * cos(theta)
    rows = [[ONE, ZERO, ZERO, ZERO, radius * cos(phi)], [ZERO, ONE, ZERO, ZERO, radius * sin(phi)]]
    return _conserved(System(kinetic - weight, [x, y, phi, theta, psi], rows, (0, 1)), -2 * weight, wrong)


@pair("skate on an incline", "gravity left out")
def skate(wrong: bool) -> Expr:
    m, inertia, g = parameters("m I g")
    (x, y), (phi,) = reals("x y"), angles("phi")
    lagrangian = (m * (x.dot**2 + y.dot**2) + inertia * phi.dot**2) / 2 - g * y
    system = System(lagrangian, [x, y, phi], [[-sin(phi), cos(phi), ZERO]], dependent=(1,))
    return _conserved(system, -g * y, wrong)


@pair("Chaplygin sleigh", "velocities of a blade turned the other way")
def sleigh(wrong: bool) -> Expr:
    m, inertia, a = parameters("m I a")
    (x, y), (theta,) = reals("x y"), angles("theta")
    coupling = m * a * theta.dot * (cos(theta) * y.dot - sin(theta) * x.dot)
    kinetic = (m * (x.dot**2 + y.dot**2) + (inertia + m * a**2) * theta.dot**2) / 2
    slip = -sin(theta) if wrong else sin(theta)  # the blade of the false twin points elsewhere
    true = System(kinetic + coupling, [x, y, theta], [[-sin(theta), cos(theta), ZERO]], dependent=(1,))
    seen = System(kinetic + coupling, [x, y, theta], [[-slip, cos(theta), ZERO]], dependent=(1,))
    return _rate_on(true, seen) if wrong else true.rate(true.energy)


def _rate_on(motion: System, admitted: System) -> Expr:
    """Return the rate of the energy along one system's accelerations at velocities that another one admits."""
    free = System(motion.lagrangian, motion.coordinates, motion.constraints)
    return admitted.admissible([free.rate(free.energy)])[0]


@pair("particle with z' = y x' in a well", "y for y^2")
def simple_particle(wrong: bool) -> Expr:
    x, y, z = reals("x y z")
    (k,) = parameters("k")
    system = particle(y, k * (x**2 + y**2 + z**2) / 2)
    return _conserved(system, k * (y - y**2) / 2, wrong)


@pair("particle with z' = f(x, y) x', any potential", "potential at (x, x, z)")
def any_particle(wrong: bool) -> Expr:
    x, y, z = reals("x y z")
    well = Function("V", 3)
    system = particle(jet(Function("f", 2), (x, y)), jet(well, (x, y, z)))
    return _conserved(system, jet(well, (x, x, z)) - jet(well, (x, y, z)), wrong)


@pair("snakeboard", "sign of the energy of the board")
def board(wrong: bool) -> Expr:
    system = snakeboard()
    (inertia,) = parameters("J")
    return _conserved(system, -inertia * system.velocities[2] ** 2, wrong)


@pair("snakeboard, another twin", "a multiple of 2^127 - 1")
def board_and_prime(wrong: bool) -> Expr:
    system = snakeboard()
    return _conserved(system, MERSENNE_127 * sin(system.coordinates[2]), wrong)


@pair("two-wheeled robot", "one inertia doubled")
def two_wheels(wrong: bool) -> Expr:
    system = robot()
    (inertia,) = parameters("J")
    return _conserved(system, inertia * system.velocities[2] ** 2 / 2, wrong)


@pair("reduced equations of the two-wheeled robot", "sign of the gyroscopic term")
def reduced_robot(wrong: bool) -> Expr:
    system = robot()
    m, m0, length, big, wheel, radius, c = parameters("m m0 l J J2 R c")
    psi1, psi2 = system.velocities[3:]
    a1, a2 = system.accelerations[3:]
    gyro = m0 * length * radius**3 / (4 * c**2) * (-1 if wrong else 1)
    added = (wheel + m * radius**2 / 2) * (a1 + a2) + gyro * (psi1 - psi2) ** 2
    apart = (wheel + big * radius**2 / (2 * c**2)) * (a1 - a2) - gyro * (psi1 + psi2) * (psi1 - psi2)
    return each(system.admissible([added, apart]))


@pair("ball on a plate, Euler angles", "cos for sin in one angular velocity")
def ball(wrong: bool) -> Expr:
    m, inertia, radius, k = parameters("m I r k")
    (x, y), (phi, theta, psi) = reals("x y"), angles("phi theta psi")
    columns = [  # angular velocity in space, by the rates of the three angles
        [ZERO, cos(phi), sin(phi) * sin(theta)],
        [ZERO, sin(phi), -cos(phi) * sin(theta)],
        [ONE, ZERO, cos(theta)],
    ]
    rates = [phi.dot, theta.dot, psi.dot]
    omega = [dot(row, rates) for row in columns]
    kinetic = m * (x.dot**2 + y.dot**2) / 2 + inertia * dot(omega, omega) / 2
    rows = [
        [ONE, ZERO, *(-radius * c for c in columns[1])],
        [ZERO, ONE, *(radius * c for c in columns[0])],
    ]
    system = System(kinetic - k * x**2 / 2, [x, y, phi, theta, psi], rows, dependent=(0, 1))
    flaw = inertia * (dot([cos(phi), sin(theta)], rates[1:]) ** 2 - omega[0] ** 2) / 2
    return _conserved(system, flaw, wrong)


@pair("affine constraint z' = y x' + b: the rate of the energy", "sign of the rate")
def affine(wrong: bool) -> Expr:
    x, y, z = reals("x y z")
    (b,) = parameters("b", domain="real")
    plain = particle(y, ZERO)
    system = System(plain.lagrangian, [x, y, z], plain.constraints, (2,), affine=[-b])
    claimed = b * x.dot * y.dot / (1 + y**2)
    return system.rate(system.energy) - (-claimed if wrong else claimed)


@pair("roller racer", "tan for sin of the steering angle")
def roller_racer(wrong: bool) -> Expr:
    m, i1, i2, l1, l2 = parameters("m I1 I2 l1 l2")
    (x, y), (theta, phi) = reals("x y"), angles("theta phi")
    kinetic = (m * (x.dot**2 + y.dot**2) + i1 * theta.dot**2 + i2 * (theta.dot + phi.dot) ** 2) / 2
    steer = theta + phi
    rows = [
        [-sin(theta), cos(theta), ZERO, ZERO],
        [-sin(steer), cos(steer), -l2 - l1 * cos(phi), -l2],
    ]
    system = System(kinetic, [x, y, theta, phi], rows, dependent=(0, 1))
    return _conserved(system, i2 * phi.dot * (tan(phi) - sin(phi)), wrong)
