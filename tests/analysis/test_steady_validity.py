"""Steady motions lie where the equations are valid, obey all that is stated, and have spectra that obey the laws."""

import numpy as np
import pytest

from dalembert import System, derive, gallery, steady
from dalembert.analysis.discovery.measures import invariant_measures
from dalembert.analysis.steady import steady as module
from dalembert.analysis.steady.families import steady_families
from dalembert.analysis.steady.laws import is_even, is_hamiltonian
from dalembert.analysis.steady.linear_part import linear_part
from dalembert.analysis.steady.search import Held, Point, solve_from
from dalembert.analysis.steady.steady_field import steady_field
from dalembert.expr.graph import ONE
from dalembert.expr.readers import Floats
from dalembert.expr.walk import evaluate
from dalembert.present.text_writer import in_text
from dalembert.present.things import page_of
from dalembert.records import replace

TABLE = System.of(
    name="pendulum on a turntable",
    coordinates={"q": "angle"},
    parameters={"l": 1, "W": 4, "g": 9.81},
    lagrangian="l^2*(q'^2 + W^2*sin(q)^2)/2 + g*l*cos(q)",
)


def chart_top(**more: object) -> System:
    return gallery.load("heavy-top-chart").but(**more)


# -- where the equations are valid -------------------------------------------------------------------------------
@pytest.mark.parametrize("formalism", ["euler-lagrange", "reduced"])
def test_a_chart_has_no_steady_motions_where_it_ends(formalism: str):
    """Euler's angles say nothing of a top that hangs or stands: there its spins are one, and masses are singular."""
    found = steady(derive(chart_top(), formalism)).families
    assert found is not None
    assert len(found) == 1
    (one,) = found
    assert not any(repr(v) == "theta" for v in one.family.values)  # neither 0 nor pi
    assert "sin(theta) is not 0" in one.family.conditions


@pytest.mark.parametrize("name", ["top", "heavy-top"])
def test_numbers_are_not_of_places_that_a_frame_divides_by(name: str):
    """The frame of nodding, turning and spinning ends where the axis is vertical."""
    result = derive(gallery.load(name), "reduced")
    found = [one for one in steady(result, exact=False).motions if one is not None]
    assert found
    for motion in found:
        q = [motion.state[f"R.q{k}"] for k in range(4)]
        assert not result.equations.pivots or abs(q[0] ** 2 - q[1] ** 2 - q[2] ** 2 + q[3] ** 2) < 1 - 1e-8
        assert is_even(motion.linear.matrix)


def test_a_guess_at_the_end_of_a_chart_leads_nowhere():
    """The wrong twin: without a look at the masses Newton's method stays where the top stands upright."""
    field = steady_field(derive(chart_top(), "euler-lagrange"))
    names = [v.data.label for v in field.state]
    y = np.zeros(len(field.unknowns))
    y[names.index("theta")] = np.pi
    assert not field.is_valid(y, field.problem.parameters)
    assert solve_from(field, y, field.problem.parameters, Held()) is None
    y[names.index("theta")] = 1.0
    assert field.is_valid(y, field.problem.parameters)


def test_coordinates_keep_their_signs():
    """At r = -b rests a spring that r > 0 does not reach; at r^2 = b there is one place for each sign."""
    spring = System.of(
        name="spring",
        coordinates={"r": "positive", "x": "real"},
        parameters={"b": {"value": 2, "sign": "positive"}},
        lagrangian="(r'^2 + x'^2)/2 - (r + b)^2/2 - x^2",
    )
    found = steady(derive(spring, "euler-lagrange"), exact=True).families
    assert found == ()
    other = steady(derive(spring.but(coordinates={"r": "negative", "x": "real"}), "euler-lagrange")).families
    assert other is not None
    assert len(other) == 1
    y = np.array([-2.0, 0, 0, 0])
    field = steady_field(derive(spring, "euler-lagrange"))
    assert solve_from(field, y, field.problem.parameters, Held()) is None


# -- what is shown of a family -----------------------------------------------------------------------------------
def test_a_family_is_shown_with_all_its_conditions():
    found = steady(derive(TABLE, "euler-lagrange"))
    assert found.families is not None
    aside = next(one for one in found.families if one.family.free)
    assert aside.family.conditions == ("g - l*W^2*cos(q) = 0", "sin(q) is not 0")
    for shown in (found, aside):
        page = in_text(page_of(shown), 120, lambda text, _: text)
        assert "g - l*W^2*cos(q) = 0" in page


@pytest.mark.parametrize(
    "system",
    [
        TABLE,
        gallery.load("spherical-pendulum"),
        chart_top(),
        System.of(
            name="bead",
            coordinates={"r": "positive", "p": "angle"},
            parameters={"k": 1, "b": 2},
            lagrangian="(r'^2 + r^2*p'^2)/2 - k*(r^3/3 - b*r)",
        ),
    ],
    ids=["table", "pendulum", "top", "bead"],
)
def test_members_of_families_are_steady(system: System):
    """Each relation is solved by Newton's method at drawn values of the rest: there F = xi X, and conditions hold."""
    field = steady_field(derive(system, "euler-lagrange"))
    families = steady_families(field)
    assert families
    draw = np.random.default_rng(1)
    checked = 0
    for family in families:
        put = dict(zip(field.problem.equations.parameters, field.problem.parameters.tolist(), strict=True))
        for _ in range(40):
            free = {v: draw.uniform(0.3, 2.5) for v in family.free}
            solved = _on(family.relations, free, put)
            if solved is None:
                continue
            values = {**put, **solved}
            state = evaluate([family.values.get(v, v) for v in field.state], Floats(values))
            turning = evaluate([family.turning[one.name] for one in field.symmetries], Floats(values))
            y = np.array([float(x) for x in (*state, *turning)])
            if not field.is_valid(y, field.problem.parameters):
                continue
            apart = evaluate(list(family.nonzero), Floats(values))
            assert all(abs(x) > 0 for x in apart)
            assert np.abs(field.look(y, field.problem.parameters)[0]).max() < 1e-8
            assert is_even(linear_part(field, Point(y, field.problem.parameters)).matrix)
            checked += 1
    assert checked > 5


def _on(relations, free, put):
    """Return values of free variables at which relations hold, the last of them moved."""
    values, last = dict(free), list(free)[-1:] or [None]
    for _ in range(60 if relations else 0):
        gap = evaluate(list(relations), Floats({**put, **values}))[0]
        near = evaluate(list(relations), Floats({**put, **values, last[0]: values[last[0]] + 1e-7}))[0]
        if not near - gap:
            return None
        values[last[0]] -= float(gap / (near - gap)) * 1e-7
    fine = not relations or abs(evaluate(list(relations), Floats({**put, **values}))[0]) < 1e-10
    return values if fine and all(v.data.domain != "positive" or x > 0 for v, x in values.items()) else None


# -- the laws ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "formalism", "holds"),
    [
        ("spherical-pendulum", "euler-lagrange", True),
        ("heavy-top", "euler-lagrange", True),
        ("heavy-top-chart", "reduced", True),
        ("chaplygin-sleigh", "nonholonomic", False),  # keeps its energy, and decays across the family
        ("free-rigid-body", "euler-lagrange", False),  # its symmetries do not commute
    ],
)
def test_to_which_motions_the_law_of_even_spectra_applies(name: str, formalism: str, *, holds: bool):
    assert is_hamiltonian(steady_field(derive(gallery.load(name), formalism))) is holds


def test_damped_and_constrained_motions_are_not_flagged():
    damped = TABLE.but(forces={"q": "-q'"})
    assert not is_hamiltonian(steady_field(derive(damped, "euler-lagrange")))
    families = steady(derive(damped, "euler-lagrange")).families
    assert families is not None
    assert all(one.stability is not None for one in families)
    (sleigh,) = steady(derive(gallery.load("chaplygin-sleigh"), "nonholonomic")).families or ()
    assert sleigh.stability is not None
    assert sleigh.stability.kind == "dissipative"


def test_an_audit_that_fails_shows_no_spectrum(monkeypatch: pytest.MonkeyPatch):
    """The wrong twin: a linear part with damping that nobody stated is not believed."""
    true = module.exact_linear_part

    def damped(*of):
        found = true(*of)
        return replace(found, polynomial=(*found.polynomial[:-2], found.polynomial[0] + 1, found.polynomial[-1]))

    monkeypatch.setattr(module, "exact_linear_part", damped)
    families = steady(derive(TABLE, "euler-lagrange")).families
    assert families
    assert all(one.stability is None for one in families)


# -- traces that forbid measures ---------------------------------------------------------------------------------
def test_a_trace_is_taken_where_the_equations_are_valid():
    """At r = 0, where a chart ends, damping forbids nothing; where r < 0 is stated, -1 is a place and 0 is none."""
    line = System.of(
        name="line", coordinates={"r": "negative"}, lagrangian="r'^2/2 - (r + 1)^2/2", forces={"r": "r*r'"}
    )
    found = invariant_measures(line).full
    assert found.trace is not None
    assert repr(found.trace.trace) == "-1"
    assert list(found.trace.state.values()) == [-ONE]
