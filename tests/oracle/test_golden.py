"""Answers of the version in `base`, to a part of the questions, are those of today."""

import json
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from netmodel.cli import main
from oracle.ask import HERE, RENAMED, answers
from oracle.compare import differences_of_answers, explained

CHECKOUT = HERE.parents[1]
QUESTIONS = {
    row["id"]: row for row in map(json.loads, (HERE / "questions.jsonl").read_text().splitlines())
}
GOLDEN = [json.loads(row) for row in (HERE / "golden.jsonl").read_text().splitlines()]
COMMANDS = sorted({QUESTIONS[row["id"]]["command"] for row in GOLDEN})


@pytest.mark.thorough
@pytest.mark.parametrize("command", COMMANDS)
def test_answers_are_those_of_the_base(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = tomllib.loads((HERE / "changes.toml").read_text()).get("change", [])
    golden = [row for row in GOLDEN if QUESTIONS[row["id"]]["command"] == command]
    monkeypatch.chdir(tmp_path)
    shutil.copytree(CHECKOUT / "data", "data")
    shutil.copytree(CHECKOUT / "tests" / "readers" / "samples", "samples")
    asked = answers([QUESTIONS[row["id"]] for row in golden], tmp_path, RENAMED)
    different = {}
    validator = schema_validator(command)
    for base, now in zip(golden, asked, strict=True):
        rows = now["json"] if isinstance(now["json"], list) else [now["json"]]
        for row in rows if validator and now["json"] is not None else ():
            validator.validate(row)
        question = QUESTIONS[base["id"]]
        found = [
            each
            for each in differences_of_answers(base, now, RENAMED)
            if not explained(question, each, changes)
        ]
        if found:
            different[base["id"]] = (question["arguments"], found[:5])
    assert not different


def schema_validator(command: str) -> Any:
    """Return what validates the JSON of a command; None of one without a schema."""
    shown = CliRunner().invoke(main, ["schema", command.replace(" ", "-")])
    if shown.exit_code:
        return None
    return pytest.importorskip("jsonschema").Draft202012Validator(json.loads(shown.stdout))


def test_another_number_exit_code_or_name_is_a_difference_and_wording_is_none() -> None:
    base = {
        "exit_code": 0,
        "json": [{"value": 1.0, "low": 1.0, "binding": "wire", "notes": ["a b"], "why": "x y"}],
    }
    (row,) = base["json"]
    changed = [
        {"value": 1.0 + 2e-9},
        {"low": 1.0 + 2e-6},
        {"binding": "cpu"},
        {"binding": None},
        {"more": 1},
    ]
    for each in changed:
        assert differences_of_answers(base, {"exit_code": 0, "json": [row | each]}, {})
    assert differences_of_answers(base, base | {"exit_code": 1}, {})
    same = row | {"low": 1.0 + 5e-7, "notes": ["c d", "e f"], "why": "other words"}
    assert not differences_of_answers(base, {"exit_code": 0, "json": [same]}, {})
