"""First integrals of the full motion that are functions on T(Q/G): what is known above is known below.

A search on Q has coefficients that are short there and long on the base, as tangents of angles; so what it finds, by
velocities of coordinates and in the frame in which the motion is written, is brought down along the horizontal lift,
v -> v^h, and is an integral of the reduced motion where it does not depend on the fibre.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement

from dalembert.errors import DalembertError
from dalembert.expr.calculus import tangent, time_derivative
from dalembert.expr.elementary import sincos
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, ZERO, Expr, total
from dalembert.expr.truth import Fact, depends_on
from dalembert.expr.walk import postorder, substitute
from dalembert.mechanics.chaplygin.reduction import ChaplyginReduction
from dalembert.mechanics.nonholonomic import lagrange_dalembert
from dalembert.mechanics.nonholonomic.symmetry_search import first_integrals_of
from dalembert.mechanics.second_order.search.linear_search import relations
from dalembert.model.equations import Equations

_SECONDS = 0.3
_MOST = 80
_MOST_NODES = 400
"""So many unknown constants, and nodes of the field, are a matter of a fraction of a second."""


def integrals_above(reduction: ChaplyginReduction) -> list[Expr]:
    """Return what a quick search finds of the full motion, on the reduced space, the energy apart.

    >>> from dalembert.mechanics.chaplygin.chaplygin import derive
    >>> from dalembert.model.system import System
    >>> skate = System.of(name="skate", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2",
    ...     constraints={"slope": "z' = y*x'"}, symmetry={"up": {"z": 1}})
    >>> integrals_above(derive(skate).reduction)[0]
    y'
    """
    try:
        full = lagrange_dalembert.derive(reduction.system)
        found = [one.expression for one in first_integrals_of(full) if not one.name and one.verdict.holds]
        found += _in_frame(full.equations, reduction.facts)
    except DalembertError:  # nobody asked for this search
        return []
    bundle, q = reduction.bundle, reduction.system.q
    there = {one: bundle.configuration.get(one, one) for one in q}
    there |= {one.dot: time_derivative(e) for one, e in there.items()}
    fibre = [*bundle.fibre, *(s.dot for s in bundle.fibre)]
    below = [one for one in reduction.on_constraint(substitute(found, there)) if not depends_on([one], fibre)]
    return [tidy(one, _SECONDS) for one in reduction.on_base(below)]


def _in_frame(equations: Equations, facts: Sequence[Fact]) -> list[Expr]:
    """Return integrals linear in quasi-velocities times letters of positions, or quadratic ones with constants."""
    speeds, angles = equations.velocities, [q for q in equations.kinematics if q.data.domain == "angle"]
    if equations.implicit or equations.saddle is not None:
        return []
    letters = [q for q in equations.kinematics if q not in angles] + [wave for q in angles for wave in sincos(q)]
    linear = [w * f for w in speeds for f in (ONE, *letters)]
    squares = [a * b for a, b in combinations_with_replacement(speeds, 2)]
    places = [*letters, *(a * b for a, b in combinations_with_replacement(letters, 2))]
    found = []
    for functions in (linear, [*squares, *places]):
        if len(functions) > _MOST or len(postorder(list(equations.rates().values()))) > _MOST_NODES:
            continue
        rates = tangent(functions, equations.rates())
        basis = relations([[rate] for rate in rates], facts, effort=0.0).basis
        found += [total([(1, c * f) for c, f in zip(row, functions, strict=True) if c is not ZERO]) for row in basis]
    meaning = {w: equations.speeds.get(w, w) for w in speeds}
    return substitute([one for one in found if depends_on([one], speeds)], meaning)
