"""The types of the tables have the entries that the records have which are read from them."""

from dataclasses import fields
from inspect import signature

from dalembert.model.declarations import SIGNS
from dalembert.model.faults import TABLES
from dalembert.model.given import BundleTable, FactsTable, ParameterTable, RunTable
from dalembert.model.parts import Bundle, Known, Run
from dalembert.model.system import System

PAIRS = [(BundleTable, Bundle), (RunTable, Run), (FactsTable, Known)]


def apart(table: type, record: type) -> set[str]:
    return set(table.__annotations__) ^ {one.name for one in fields(record)}


def test_a_table_and_its_record_have_the_same_entries():
    by_inverse = {"unsolved"}  # these stand in "adapted", without a value
    assert [apart(table, record) for table, record in PAIRS] == [by_inverse, set(), set()]
    assert apart(RunTable, Bundle)  # the wrong twin


def test_every_table_of_the_model_file_is_an_argument_with_a_type():
    arguments = signature(System.of).parameters
    assert set(arguments) == {*TABLES, "limits"}
    untyped = {name for name, one in arguments.items() if one.annotation == "Any"}
    assert untyped == set()
    assert all(f"'{sign}'" in str(ParameterTable.__annotations__["sign"]) for sign in SIGNS)
