"""`netmodel --own-data DIRECTORY`: records of your own beside those that come with netmodel."""

from pathlib import Path

import pytest
from invocation import printed, refusal

CARD = """\
title = "My line"
kind = "ethernet"

[defaults]
source = "lab book"
locator = "page 3"
grade = "measured"

[line_rate]
value = 40
unit = "Gbit/s"
"""


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    cards = tmp_path / "catalog" / "adapters"
    cards.mkdir(parents=True)
    (cards / "my-line.toml").write_text(CARD, encoding="utf-8")
    return tmp_path


def test_records_of_the_directory_are_listed_for_this_command_only(directory: Path) -> None:
    assert "my-line" in printed("--own-data", str(directory), "catalog", "list", "adapters")
    assert "my-line" not in printed("catalog", "list", "adapters")


def test_the_environment_names_directories_for_all_commands(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NETMODEL_DATA", str(directory))
    assert "My line" in printed("catalog", "show", "my-line")


def test_a_directory_that_is_not_there_is_refused(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    assert "missing" in refusal("--own-data", missing, "catalog", "list")
