"""What the affine side says of a system: which connections are metric, which coincide (003, sections 4, 6, appendix).

A proposition "these are equivalent" is decided on the system at hand: each of its statements gets a verdict of its own,
and the proposition holds where the verdicts agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement, product

from dalembert.expr.calculus import gradient
from dalembert.expr.elementary import solve
from dalembert.expr.graph import Expr, total
from dalembert.expr.truth import Verdict, agreement, all_hold
from dalembert.expr.truth.many import all_vanish, components_of
from dalembert.geometry.connections import AffineConnection, metric_connection
from dalembert.geometry.connections.affine import Cube
from dalembert.mechanics.chaplygin.connections.base import AffineBase, cube_difference, transposed
from dalembert.model.claim import Claim

__all__ = ["appendix_claims", "base_claims", "contorsion_from_torsion", "metric_defects", "skew_defects"]


_NO_FORCE = "the gyroscopic force is zero: without other forces the reduced motion is that of L*"


def base_claims(base: AffineBase) -> list[Claim]:
    """Return the claims of sections 4 and 6 that live on the base.

    >>> from dalembert.expr import symbol
    >>> from dalembert.geometry.fields import Chart
    >>> x, y = symbol("x"), symbol("y")
    >>> base = AffineBase.of(Chart.of(x, y), [[1 + y**2, 0], [0, 1]], [[[0, y], [-y, 0]], [[0, 0], [0, 0]]])
    >>> [claim.name for claim in base_claims(base) if claim.verdict.holds is not True and claim.role == "check"]
    []
    """
    asked = _questions(base)
    same_motion = _same_geodesics(base)
    check = [
        Claim("nabla~ is metric", "nabla~ g~ = 0", "check", _metric(base, base.reduced)),
        Claim("Hamel's first connection is metric", "H1 g~ = 0", "check", _metric(base, base.hamel_1)),
        Claim("torsion of nabla~", "the torsion of nabla~ is -C", "check", _torsion(base)),
        Claim(
            "geodesics",
            "nabla~, Hamel's two connections and their mean all give the motion with the gyroscopic force (4.3, 6.1)",
            "check",
            same_motion,
        ),
    ]
    four = {
        name: asked[name].verdict for name in ("H2 is metric", "H/2 is metric", "B is skew", "H/2 is Levi-Civita's")
    }
    three = {name: asked[name].verdict for name in ("alpha vanishes", "B is skew", "H/2 is Levi-Civita's")}
    both = {
        "nabla~ = H/2": asked["nabla~ is H/2"].verdict,
        "nabla~ = H/2 = LC": all_hold(
            {name: asked[name].verdict for name in ("nabla~ is H/2", "nabla~ is Levi-Civita's")}
        ),
    }
    agree = [
        Claim("Proposition 4.4", f"{', '.join(four)}: all or none", "check", agreement(four)),
        Claim("Proposition 4.5", "nabla~ = H/2 only where both are Levi-Civita's", "check", agreement(both)),
        Claim("Corollary 6.2", f"{', '.join(three)}: all or none", "check", agreement(three)),
    ]
    return [*check, *asked.values(), *agree]


def _questions(base: AffineBase) -> dict[str, Claim]:
    """Return the questions that may be answered either way, by name."""
    plain = base.levi_civita
    said = {
        "alpha vanishes": (_NO_FORCE, _alpha(base)),
        "B is skew": ("B(X, Y) = -B(Y, X)", skew_defects(base.contorsion_hamel)),
        "H2 is metric": ("Hamel's second connection is metric", metric_defects(base, base.hamel_2)),
        "H/2 is metric": ("the mean of Hamel's connections is metric", metric_defects(base, base.hamel_mean)),
        "H/2 is Levi-Civita's": ("the mean of Hamel's connections is that of g~", _apart(base.hamel_mean, plain)),
        "nabla~ is H/2": ("nabla~ is the mean of Hamel's connections", _apart(base.reduced, base.hamel_mean)),
        "nabla~ is Levi-Civita's": ("nabla~ is the connection of g~", _apart(base.reduced, plain)),
    }
    return {
        name: Claim(name, statement, "question", all_vanish(parts, base.facts))
        for name, (statement, parts) in said.items()
    }


# -- defects, by name ------------------------------------------------------------------------------------------
def metric_defects(base: AffineBase, connection: AffineConnection) -> dict[str, Expr]:
    """Return the components of nabla g~."""
    q, rows, g = base.chart.coordinates, base.metric, connection.symbols
    size = range(base.dimension)
    found = {}
    for b, c in combinations_with_replacement(size, 2):
        slopes = gradient(rows[b][c], list(q))
        for a in size:
            lost = [(-1, g[e][a][b] * rows[e][c] + g[e][a][c] * rows[b][e]) for e in size]
            found[f"g~_{b + 1}{c + 1} in the direction {q[a]!r}"] = total([(1, slopes[a]), *lost])
    return found


def skew_defects(cube: Cube) -> dict[str, Expr]:
    """Return T(d_a, d_b) + T(d_b, d_a)."""
    other, size = transposed(cube), range(len(cube))
    return {
        f"the component {c + 1} on ({a + 1}, {b + 1})": cube[c][a][b] + other[c][a][b]
        for c, (a, b) in product(size, combinations_with_replacement(size, 2))
    }


def _entries(cube: Cube) -> dict[str, Expr]:
    size = range(len(cube))
    return {f"the coefficient {c + 1}, {a + 1}{b + 1}": cube[c][a][b] for c, a, b in product(size, repeat=3)}


def _apart(left: AffineConnection, right: AffineConnection) -> dict[str, Expr]:
    return _entries(cube_difference(left.symbols, right.symbols))


def _alpha(base: AffineBase) -> dict[str, Expr]:
    return components_of(base.gyroscopic_form, base.chart.coordinates)


# -- verdicts --------------------------------------------------------------------------------------------------
def _metric(base: AffineBase, connection: AffineConnection) -> Verdict:
    return all_vanish(metric_defects(base, connection), base.facts)


def _torsion(base: AffineBase) -> Verdict:
    size = range(base.dimension)
    sums = [[[base.torsion[c][a][b] + base.koiller_tensor[c][a][b] for b in size] for a in size] for c in size]
    return all_vanish({f"{c + 1}, {a + 1}{b + 1}": sums[c][a][b] for c, a, b in product(size, repeat=3)}, base.facts)


def _same_geodesics(base: AffineBase) -> Verdict:
    wanted = base.gyroscopic_accelerations()
    defects: dict[str, Expr] = {}
    roads = {"nabla~": base.reduced, "H1": base.hamel_1, "H2": base.hamel_2, "H/2": base.hamel_mean}
    for name, connection in roads.items():
        for q, one, two in zip(base.chart.coordinates, base.accelerations(connection), wanted, strict=True):
            defects[f"{name}, the acceleration of {q!r}"] = one - two
    return all_vanish(defects, base.facts)


# -- the appendix ----------------------------------------------------------------------------------------------
def contorsion_from_torsion(base: AffineBase, twist: Cube) -> Cube:
    """Return S with g~(S(X, Z), Y) = (g~(Y, T(X, Z)) + g~(X, T(Y, Z)) + g~(Z, T(Y, X))) / 2 (Corollary A.4).

    The printed formula has other signs; with these, S is the contorsion of the metric connection with torsion T.
    """
    size = range(base.dimension)
    low = _lowered(base, twist)
    values = {
        (a, b): solve(base.metric, [(low[d][a][b] + low[a][d][b] + low[b][d][a]) / 2 for d in size])
        for a, b in product(size, repeat=2)
    }
    return tuple(tuple(tuple(values[a, b][c] for b in size) for a in size) for c in size)


def _lowered(base: AffineBase, cube: Cube) -> list[list[list[Expr]]]:
    """Return T_dab = g~_dc T^c_ab."""
    size = range(base.dimension)
    return [[[total([(1, base.metric[d][c] * cube[c][a][b]) for c in size]) for b in size] for a in size] for d in size]


def appendix_claims(base: AffineBase) -> list[Claim]:
    """Return the appendix, decided on nabla~: a metric connection is given by its torsion, and by its contorsion."""
    size = range(base.dimension)
    v, q = base.velocities, base.chart.coordinates
    twist = base.torsion
    unique = metric_connection(base.chart, base.metric, twist)
    low_s = _lowered(base, base.contorsion)
    skew = {
        f"g~(S({a + 1}, {b + 1}), {c + 1})": low_s[c][a][b] + low_s[b][a][c]
        for a, (b, c) in product(size, combinations_with_replacement(size, 2))
    }
    back = cube_difference(contorsion_from_torsion(base, twist), base.contorsion)
    low_t = _lowered(base, twist)
    pushes = [total([(1, low_t[b][c][k] * v[b] * v[c]) for b, c in product(size, repeat=2)]) for k in size]
    by_torsion = [
        one + push for one, push in zip(base.accelerations(base.levi_civita), solve(base.metric, pushes), strict=True)
    ]
    moved = [a - b for a, b in zip(by_torsion, base.accelerations(), strict=True)]
    slopes = gradient(base.kinetic_energy, [*q, *v])
    geodesic = base.reduced.geodesic_accelerations()
    rate = total([(1, s * w) for s, w in zip(slopes, (*v, *geodesic), strict=True)])
    said: Sequence[tuple[str, str, dict[str, Expr]]] = (
        ("Proposition A.2", "nabla~ is the one metric connection with its torsion", _apart(unique, base.reduced)),
        ("Proposition A.3", "its contorsion S is skew: g~(S(Z, X), X) = 0", skew),
        ("Corollary A.4", "its contorsion comes back from its torsion", _entries(back)),
        ("geodesics by torsion", "q'' + LC(q', q') = g~^AK g~_BM T^M_CK q'^B q'^C - grad V", components_of(moved, q)),
        ("kinetic energy", "geodesics of nabla~ keep the kinetic energy", {"its rate": rate}),
    )
    return [Claim(name, words, "check", all_vanish(parts, base.facts)) for name, words, parts in said]
