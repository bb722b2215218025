"""Small systems drawn at random: free ones, and constrained ones with symmetries that are there or are broken."""

from __future__ import annotations

from random import Random

from dalembert.model.system import System

_SLOPES = ("1", "2", "{q}", "1 + {q}^2", "sin({q})", "cos({q})", "{q}^2")


def random_nonholonomic_system(seed: int | Random) -> System:
    """Return a system: some coordinates are shape, the others positions that nothing depends on.

    Positions move as the constraints say, z' = B(shape) shape', so that their translations are symmetries and the
    system is Chaplygin's; a potential, a slope in a position, or a drift may break that.

    >>> len(random_nonholonomic_system(1).constraints)
    1
    """
    draw, name = _generator(seed, "drawn")
    shape, place = draw.choice([(2, 1), (2, 1), (2, 2), (3, 1)])
    angles = draw.random() < 0.4
    r = [f"r{k}" for k in range(1, shape + 1)]
    z = [f"z{k}" for k in range(1, place + 1)]
    masses = ["1", "2", "3" if angles else f"(1 + {draw.choice(r)}^2)"]
    kinetic = [f"{draw.choice(masses)}*{q}'^2/2" for q in (*r, *z)]
    potential = draw.choice(["", "", f" - {r[0]}^2" if not angles else f" - cos({r[0]})", f" - {z[0]}"])
    constraints = {}
    for number, q in enumerate(z, 1):
        terms = [f"({_slope(draw, r, angles)})*{s}'" for s in draw.sample(r, draw.randint(1, shape))]
        drift = " + 1" if draw.random() < 0.12 else ""
        constraints[f"c{number}"] = f"{q}' = {' + '.join(terms)}{drift}"
    return System.of(
        name=name,
        coordinates={q: "angle" if angles and q == r[0] else "real" for q in (*r, *z)},
        lagrangian=" + ".join(kinetic) + potential,
        constraints=constraints,
        symmetry={f"t{q}": {q: 1} for q in z if f"- {q}" not in potential},
    )


def random_system(seed: int | Random) -> System:
    """Return a system without constraints: coordinates of both kinds, a metric that is positive, a potential, a force.

    >>> system = random_system(1)
    >>> len(system.q) > 0 and not system.constraints
    True
    """
    draw, name = _generator(seed, "free")
    names = [f"q{k}" for k in range(1, draw.randint(1, 3) + 1)]
    kinds = {q: draw.choice(("real", "angle")) for q in names}
    parts = [f"sin({q})" if kind == "angle" else q for q, kind in kinds.items()]
    kinetic = [f"({draw.randint(1, 3)} + ({draw.choice(parts)})^2)*{q}'^2/2" for q in names]
    if len(names) > 1:  # a square keeps the metric positive
        kinetic.append(f"({names[0]}' + {draw.choice(parts)}*{names[1]}')^2/2")
    potential = f"{draw.randint(1, 5)}*{draw.choice(parts)}*{draw.choice(parts)}"
    forces = {draw.choice(names): f"-{draw.randint(1, 3)}*{draw.choice(names)}'"} if draw.random() < 0.3 else None
    return System.of(name=name, coordinates=kinds, lagrangian=f"{' + '.join(kinetic)} - {potential}", forces=forces)


def _generator(seed: int | Random, name: str) -> tuple[Random, str]:
    """Return where to draw from, and the name of what is drawn."""
    return (seed, name) if isinstance(seed, Random) else (Random(seed), f"{name} {seed}")


def _slope(draw: Random, shape: list[str], angles: bool) -> str:
    """Return a function of the shape; of an angle only its sine and cosine."""
    q = draw.choice(shape)
    choices = _SLOPES if not (angles and q == shape[0]) else ("1", "sin({q})", "cos({q})")
    return draw.choice(choices).format(q=q)
