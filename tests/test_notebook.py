"""What a notebook shows: every result, a system, a claim, a motion; registered by name, loading nothing for it."""

import pytest

from dalembert import gallery, simulate
from dalembert.mechanics.formalisms import derive
from dalembert.present.notebook import RESULTS, film, html_of, register
from dalembert.study import study

SKATE = gallery.load("skateboard")


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("kepler", "euler-lagrange"),
        ("skateboard", "nonholonomic"),
        ("appell-hamel", "nonholonomic"),
        ("nonholonomic-particle", "chaplygin"),
        ("heavy-top", "routh"),
        ("skateboard", "vakonomic"),
        ("nonholonomic-particle", "semisymplectic"),
    ],
)
def test_every_result_is_shown_with_equations_and_claims(name, how):
    result = derive(gallery.load(name), how)
    assert type(result).__name__ == RESULTS[type(result).__module__]
    shown = html_of(result)
    assert "<math" in shown
    assert "verdict" in shown


def test_systems_claims_and_motions_are_shown():
    result = derive(SKATE, "nonholonomic")
    assert "<math" in html_of(SKATE)
    assert result.claims[0].statement in html_of(result.claims[0])
    run = simulate(result, time=1)
    assert "<svg" in html_of(run)
    assert "srcdoc" in film(run, SKATE)._repr_html_()


def test_a_study_is_shown_by_its_summary():
    shown = html_of(study(gallery.load("kepler"), formalisms=["euler-lagrange"]))
    assert "The energy is conserved." in shown


def test_what_is_not_known_is_left_to_python():
    assert html_of(7) is None


def test_types_are_registered_by_name():
    told = []

    class Formatter:
        def for_type_by_name(self, module, name, show):
            told.append((module, name))

    class Shell:
        class display_formatter:  # noqa: N801 - as the notebook calls it
            formatters = {"text/html": Formatter()}  # noqa: RUF012

    register(Shell())
    assert set(RESULTS.items()) <= set(told)
