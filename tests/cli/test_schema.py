"""The schemas against what they describe: every model file there is, every answer, and files with something wrong."""

import contextlib
import copy
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path

import jsonschema
import pytest
import tomlkit
from commanding import command

from dalembert import gallery, loads
from dalembert.cli import complete
from dalembert.errors import ModelError
from dalembert.model.faults import TABLES
from dalembert.model.files import dumps
from dalembert.present.answer_schema import schema_of

ROOT = Path(__file__).parents[2]
FILES = sorted([*ROOT.glob("src/dalembert/gallery/*.toml"), *ROOT.glob("tests/**/*.toml")])
MODEL = jsonschema.Draft7Validator(schema_of())


def test_every_table_that_is_read_has_a_shape_and_a_sentence():
    assert set(schema_of()["properties"]) == set(TABLES)
    assert all(one["description"].endswith(".") for one in schema_of()["properties"].values())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_model_files_have_the_shape(path):
    assert not [error.message for error in MODEL.iter_errors(tomllib.loads(path.read_text(encoding="utf-8")))]


@pytest.mark.parametrize("name", ["snake:3", "pendulum:2", "car-with-trailers:2"])
def test_families_that_are_written_out_have_the_shape(name):
    MODEL.validate(tomllib.loads(dumps(gallery.load(name))))


def wrong_twins(tables):
    """Yield copies of a model with one thing wrong: a stranger in a table, or another kind of value in its place."""

    def places(value, path=()):
        yield path
        if isinstance(value, Mapping):
            for key, entry in value.items():
                yield from places(entry, (*path, key))

    for path in places(tables):
        for change in ("stranger", True, [[]], {"stranger": {"stranger": True}}):
            twin = copy.deepcopy(tables)
            inside = twin
            for key in path[:-1]:
                inside = inside[key]
            if change == "stranger":
                whole = inside[path[-1]] if path else twin
                if not isinstance(whole, dict):
                    continue
                whole["stranger"] = {"stranger": 1}
            elif path:
                inside[path[-1]] = change
            yield path, twin


@pytest.mark.parametrize("name", ["vertical-rolling-disc", "wheel", "bicycle", "heavy-top", "four-bar", "ball"])
@pytest.mark.thorough("vertical-rolling-disc", "bicycle", "heavy-top", "four-bar", "ball")
def test_what_the_schema_refuses_is_refused_when_it_is_read_and_nothing_else_leaves(name):
    refused = taken = 0
    for path, twin in wrong_twins(tomllib.loads(gallery.text(name))):
        if path[:1] in {("notes",), ("source",), ("references",), ("drawing",)}:
            continue
        is_fine = MODEL.is_valid(twin)
        refused, taken = refused + (not is_fine), taken + is_fine
        with contextlib.nullcontext() if is_fine else pytest.raises(ModelError):
            try:
                loads(tomlkit.dumps(twin))
            except ModelError:
                if not is_fine:
                    raise
    assert refused > 2 * taken  # it does refuse: some strangers are names that a model may give


@pytest.mark.parametrize(
    "words",
    [
        ["derive", "vertical-rolling-disc", "--as", "nonholonomic", "--equations"],
        ["derive", "four-bar", "--as", "nonholonomic", "--equations"],
        ["derive", "heavy-top", "--as", "routh", "--equations"],
        ["check", "kepler", "energy", "--as", "euler-lagrange"],
        ["simulate", "kepler", "--as", "euler-lagrange", "--time", "1"],
    ],
    ids=" ".join,
)
@pytest.mark.thorough(
    "derive four-bar --as nonholonomic --equations", "derive vertical-rolling-disc --as nonholonomic --equations"
)
def test_answers_have_the_shape_and_a_wrong_twin_has_not(words):
    answer = json.loads(command(*words, "--json").out)
    shape = jsonschema.Draft7Validator(schema_of(words[0]))
    shape.validate(answer)
    if words[0] == "check":
        next(iter(answer.values()))[0]["verdict"] = "likely"
        assert not shape.is_valid(answer)
        return
    for key in schema_of(words[0])["required"]:
        assert not shape.is_valid({name: value for name, value in answer.items() if name != key})
        assert not shape.is_valid({**answer, key: 3.5 if key != "status" else "0"})


def test_what_has_no_schema_is_said():
    found = command("schema", "modle")
    assert found.status == 2
    assert found.err == "there is no schema of 'modle'; there are those of model, derive, check, study, simulate.\n"
    assert all(command("schema", what).status == 0 for what in complete.SCHEMAS)
