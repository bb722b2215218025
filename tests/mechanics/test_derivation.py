"""``derive`` by a literal name has the type of what that formalism derives."""

from typing import get_overloads

from dalembert import System
from dalembert.mechanics import registry
from dalembert.mechanics.derivation import derive, refusals


def told(overloads) -> dict[str, str]:
    """Return what a type checker is told to come out, by formalism."""
    hints = [one.__annotations__ for one in overloads]
    return {hint["name"].split("'")[1]: hint["return"] for hint in hints if hint["name"].startswith("Literal")}


def test_every_formalism_of_the_library_has_its_type():
    true = {name: registry.formalism(name).derive.__annotations__["return"] for name in registry._HOMES}
    assert told(get_overloads(derive)) == true


def test_a_wrong_type_is_seen():
    def wrong(system, name: "Literal['routh']") -> "Vakonomic": ...  # noqa: F821

    assert told([wrong]) != {"routh": registry.formalism("routh").derive.__annotations__["return"]}


def test_a_refusal_names_the_table_in_which_a_constraint_stands():
    told = {"coordinates": "x y", "lagrangian": "x'^2 + y'^2 - y"}
    held = System.of(name="bead", **told, holonomic={"wire": "y = x^2"})
    moved = System.of(name="bead", **told, constraints={"wire": "y' = 2*x*x'"})
    for name in ("euler-lagrange", "routh"):
        assert "[holonomic] wire" in {fault.where for fault in refusals(held, name)}
        assert "[constraints] wire" in {fault.where for fault in refusals(moved, name)}
