"""The living part of a page, as text: what a page needs is there, and no name can break out of it."""

import re

from dalembert import System, derive, simulate
from dalembert.present.living import living_block, living_of

HOSTILE = "</script><script>alert(1)</script><!--"


def test_no_name_ends_a_script():
    system = System.of(
        name=HOSTILE,
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        constraints={HOSTILE: "z' = y*x'"},
        start={"x'": 1, "y'": 1},
        drawing={"shapes": [{"point": ["x", "y"], "label": HOSTILE}, {"cloud": ["x"]}]},
    )
    result = derive(system, "nonholonomic")
    made = living_of(result, simulate(result, time=1))
    page = living_block(made)
    assert HOSTILE.partition(">")[2] not in page
    assert len(re.findall(r"</script>", page)) == 3  # its data, its code, the page's own script
    assert "<!--" not in page
    assert "is none of trace" in made.data["faults"][0]  # and the other shape is drawn
    assert [f["kind"] for f in made.data["figures"]] == ["dot"]
