"""What --json prints says its schema and version, and is what docs/*.schema.json say."""

from __future__ import annotations

import json
from pathlib import Path

import json_schemas
import jsonschema
import pytest

from scorio.cli import COMMANDS

DOCS = Path(__file__).parents[1] / "docs"
NAMES = list(
    json_schemas.calls(
        dict.fromkeys(("two", "holes", "graded", "tasks", "clusters", "labels", "attempts", "votes"), DOCS)
    )
)

pytestmark = pytest.mark.usefixtures("page")


@pytest.mark.parametrize("name", NAMES)
def test_answers_are_of_their_schema(tmp_path, name):
    told = json.loads((DOCS / f"{name}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(told)
    for answer in json_schemas.answers(name, json_schemas.calls(json_schemas.inputs(tmp_path))[name]):
        assert answer["schema"] == f"scorio.{name}/1" == told["$id"]
        jsonschema.validate(answer, told)
        del answer["rows"]
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(answer, told)


def test_schemata_are_those_of_what_is_printed(tmp_path):
    for name, given in json_schemas.calls(json_schemas.inputs(tmp_path)).items():
        text = json_schemas.written(name, json_schemas.answers(name, given))
        assert (DOCS / f"{name}.schema.json").read_text() == text, "python tests/json_schemas.py --write"


def test_schemata_are_of_commands():
    commands = set(COMMANDS)
    assert {path.name.partition(".")[0] for path in DOCS.glob("*.schema.json")} <= commands | {"suite", "files"}
