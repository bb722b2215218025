"""A constraint too many changes no answer: derived, checked, searched and followed it is the same motion."""

import pytest

from dalembert import System, claims, derive
from dalembert.analysis.discovery.glance import glance
from dalembert.present.json_export import answer
from dalembert.present.results import result_page
from dalembert.present.text_writer import in_text
from dalembert.studies.checking import check

ROWS = {
    "a": "l*n.x' = r*(B.s2*n.z - B.s3*n.y)",
    "b": "l*n.y' = r*(B.s3*n.x - B.s1*n.z)",
    "c": "l*n.z' = r*(B.s1*n.y - B.s2*n.x)",
}
"""A ball rolls on a sphere: along n its point of contact does not move anyway."""
SPIN = "B.s1*n.x + B.s2*n.y + B.s3*n.z conserved"
TWIN = "B.s1*n.x + B.s2*n.y conserved"


@pytest.fixture(scope="module")
def ball():
    return System.of(
        name="ball on a sphere",
        coordinates={"n": "direction", "B": "rotation"},
        parameters={"m": 1, "J": "2/5", "l": 3, "r": 1, "g": 10},
        lagrangian="m*l^2*(n.x'^2 + n.y'^2 + n.z'^2)/2 + J*(B.w1^2 + B.w2^2 + B.w3^2)/2 - m*g*l*n.z",
        constraints=ROWS,
    )


def test_claims_about_it_are_decided(ball):
    kinds = [check(ball, that=said)["nonholonomic"][0].verdict.kind for said in (SPIN, TWIN)]
    assert kinds == ["certain", "refuted"]


def test_it_is_shown_and_searched(ball):
    result = derive(ball, "nonholonomic")
    assert result.equations.saddle.rank < len(result.equations.saddle.rows)
    decided = claims(result)
    assert not [one for one in decided if one.failed]
    shown = in_text(result_page(result, decided, (), result.objects()), None, lambda _, text: text)
    assert "J*B.w1'" in shown
    told = answer(result, decided=decided)
    assert {"B.w1", "n.x'"} <= set(told["field"])
    found = glance(ball, derived=result.equations)
    assert [one.name for one in found.integrals if one.name] == ["energy"]
    assert len(found.integrals) > 1
