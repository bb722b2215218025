"""Brackets times a factor: the ball of Chaplygin by the formula of Borisov and Mamaev, two speeds by the multiplier."""

import pytest

from dalembert import System, gallery
from dalembert.analysis.discovery.first_integrals import Integral
from dalembert.analysis.discovery.gauged_brackets import Frame, gauged_bracket
from dalembert.analysis.discovery.point_symmetries import noether_symmetries
from dalembert.analysis.motions import Motions
from dalembert.expr import total
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO
from dalembert.expr.truth import Verdict, vanish
from dalembert.expr.walk import substitute
from dalembert.mechanics.chaplygin import measure_of, reduce
from dalembert.mechanics.common import facts_of

EVEN = {(0, 1, 2), (1, 2, 0), (2, 0, 1)}


def sign(*places: int) -> int:
    return 0 if len(set(places)) < 3 else 1 if places in EVEN else -1


@pytest.fixture(scope="module")
def ball():
    """A ball with three moments of inertia that rolls in a field of force along the vertical of the body."""
    plain = gallery.load("chaplygin-ball")
    system = plain.but(lagrangian=f"{plain.lagrangian} - R.m31^2 - 2*R.m32^2")
    motions = Motions(system)
    generators = [one.generator for one in noether_symmetries(motions).lasting]
    momentum = motions.names.expression("I1*R.w1*R.m31 + I2*R.w2*R.m32 + I3*R.w3*R.m33")
    kept = Integral(momentum, Verdict("proved", "a fact of the gallery."), momentum)
    return motions, Frame(motions, generators), gauged_bracket(motions, generators, [kept])


@pytest.mark.thorough
def test_ball(ball):
    """{p, p} = -(p - m r^2 (w, gamma) gamma) x, which was known before, comes out without being looked for."""
    motions, frame, form = ball
    assert form.verdict.holds is True
    assert (form.dimension, form.rank, len(form.casimirs)) == (5, 4, 1)
    w, name = frame.speeds, motions.names.expression
    gamma = [name(f"R.m3{k}") for k in (1, 2, 3)]
    spin = total([(1, a * b) for a, b in zip(w, gamma, strict=True)])
    by_hand = [p - name("m*r^2") * spin * g for p, g in zip(form.momenta, gamma, strict=True)]
    found = frame.brackets([[list(row) for row in one] for one in form.structure])
    size = len(form.functions)
    wrong = [
        found[size + i][size + j] + total([(sign(i, j, k), by_hand[k]) for k in range(3)])
        for i in range(3)
        for j in range(3)
    ]
    assert vanish(wrong, facts_of(motions.system))


@pytest.mark.thorough
def test_wrong_twins(ball):
    """Neither the factor nor the 2-form can be left out; the motion does not feel the latter."""
    _, frame, form = ball
    table = [[list(row) for row in one] for one in form.structure]
    opened = {name: letter for letter, name in frame.whole.names.items()}
    (factor,) = substitute([form.factor], opened)
    assert frame.decided(table, factor).holds is True
    assert frame.decided(table, ONE).holds is False
    assert frame.decided(table, factor**2).holds is False
    changed = [[[ZERO] * 3 for _ in range(3)] for _ in range(3)]
    for i in range(3):
        for j in range(3):
            turned = solve(frame.mass, [ONE * sign(i, j, k) for k in range(3)])
            changed[i][j] = [c + t for c, t in zip(table[i][j], turned, strict=True)]
    refused = frame.decided(changed, factor)
    assert refused.holds is False
    assert "Jacobi" in refused.evidence
    assert "rate" not in refused.evidence


def test_two_speeds():
    """The factor is one over Chaplygin's multiplier, which comes from a reduction that knows nothing of brackets."""
    system = System.of(
        name="particle",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - cos(x) - y^4",
        constraints={"slope": "z' = (y + y^3)*x'"},
        symmetry={"up": {"z": 1}},
    )
    motions = Motions(system)
    generators = [one.generator for one in noether_symmetries(motions).lasting]
    form = gauged_bracket(motions, generators)
    multiplier = measure_of(reduce(system)).hamiltonisation.factor
    assert form.verdict.holds is True
    assert vanish([form.factor * multiplier - 1])
    frame, table = Frame(motions, generators), [[list(row) for row in one] for one in form.structure]
    assert frame.decided(table, form.factor).holds is True
    assert frame.decided(table, multiplier).holds is False
    none = system.but(constraints={"slope": "z' = x*y*x'"})
    assert gauged_bracket(Motions(none), list(none.symmetry.values())) is None
