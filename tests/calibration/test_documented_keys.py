"""What calibrations give as plain values has the names that the command's page explains."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from result_cases import example

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "commands" / "calibrate.md"
BY_NAME = {"parameters", "at", "estimable", "refused"}
"""Tables whose keys are names of parameters, conditions and models."""


def keys(value: Any) -> Iterator[str]:
    """Of all tables within a value but those whose keys are names."""
    if isinstance(value, Mapping):
        yield from value
        for key, inner in value.items():
            if key not in BY_NAME:
                yield from keys(inner)
            elif key == "parameters":
                yield from (each for one in inner.values() for each in one)
    elif isinstance(value, list):
        for each in value:
            yield from keys(each)


@pytest.mark.parametrize("name", ["Fit", "FeasibleSet", "ChosenModel", "HostCalibration"])
def test_every_key_is_explained(name: str) -> None:
    explained = set(re.findall(r"`([a-z_]+)`", PAGE.read_text(encoding="utf-8")))
    found = set(keys(example(name).to_dict()))
    assert "notes" in found
    assert found <= explained
