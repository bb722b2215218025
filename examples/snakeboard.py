"""Is the energy of a snakeboard conserved? Six coordinates, two rolling constraints, every parameter a symbol.

The system is stated as text, its accelerations and constraint forces are left as one linear solve, and the rate of its
energy is decided to be zero in exact arithmetic. Then one sign in the energy is flipped, and the claim is refuted at a
point anybody can check.
"""

from __future__ import annotations

import time

from dalembert import Expr, Vocabulary, is_zero, parse
from dalembert.expr import count, hessian, jacobian, solve, substitute, time_derivative, total

NAMES = Vocabulary.of(
    coordinates={"x": "real", "y": "real", "theta": "angle", "psi": "angle", "phi1": "angle", "phi2": "angle"},
    parameters={"m": "positive", "l": "positive", "J": "positive", "Jr": "positive", "Jw": "positive"},
)
LAGRANGIAN = (
    "m*(x'^2 + y'^2)/2 + J*theta'^2/2 + Jr*(theta' + psi')^2/2 + Jw*((theta' + phi1')^2 + (theta' + phi2')^2)/2"
)
CONSTRAINTS = [
    "cos(theta + phi1)*y' - sin(theta + phi1)*x' - l*cos(phi1)*theta'",
    "cos(theta + phi2)*y' - sin(theta + phi2)*x' + l*cos(phi2)*theta'",
]


def energy_rate(energy: Expr, lagrangian: Expr, constraints: list[Expr]) -> Expr:
    """Return dE/dt along the motion M q'' + h = C^T lambda, C q'' + g = 0, at velocities that obey the constraints."""
    q = [NAMES[name] for name in NAMES.coordinates]
    v = [position.dot for position in q]
    mass = hessian(lagrangian, v)
    rows = jacobian(constraints, v)
    momenta, slopes = jacobian([lagrangian], v)[0], jacobian([lagrangian], q)[0]
    still = {velocity.dot: velocity * 0 for velocity in v}
    bias = [substitute([time_derivative(p)], still)[0] - s for p, s in zip(momenta, slopes, strict=True)]
    drift = [substitute([time_derivative(f)], still)[0] for f in constraints]
    k = len(constraints)
    matrix = [[*mass[i], *(-rows[a][i] for a in range(k))] for i in range(len(q))]
    matrix += [[*rows[a], *[0] * k] for a in range(k)]
    answer = solve(matrix, [*(-b for b in bias), *(-d for d in drift)])
    rate = substitute([time_derivative(energy)], dict(zip([s.dot for s in v], answer, strict=False)))[0]
    # the constraints give the velocities of x and y in terms of the others
    given = solve([row[:2] for row in rows], [-total((1, row[i] * v[i]) for i in range(2, len(v))) for row in rows])
    return substitute([rate], dict(zip(v, given, strict=False)))[0]


def main() -> None:
    """Decide the claim and its wrong twin, and say what happened."""
    lagrangian = parse(LAGRANGIAN, NAMES)
    constraints = [parse(text, NAMES) for text in CONSTRAINTS]
    twin = parse(LAGRANGIAN.replace("(theta' + psi')^2", "(theta' - psi')^2"), NAMES)
    print("A snakeboard: L =", LAGRANGIAN)
    for text in CONSTRAINTS:
        print("  rolls without slipping:", text, "= 0")
    for claim, energy in (("Its energy is conserved", lagrangian), ("With one sign flipped it still is", twin)):
        began = time.perf_counter()
        rate = energy_rate(energy, lagrangian, constraints)
        built = time.perf_counter()
        verdict = is_zero(rate)
        decided = time.perf_counter()
        print(f"\n{claim}?  {verdict.kind.upper()}")
        print(f"  {verdict.evidence}")
        print(
            f"  dE/dt: {count([rate]).total} operations, derived in {1e3 * (built - began):.0f} ms, "
            f"decided in {1e3 * (decided - built):.0f} ms"
        )


if __name__ == "__main__":
    main()
