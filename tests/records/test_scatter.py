"""How much runs scatter, as records of adapters and hosts have it."""

from pathlib import Path

import pytest

from netmodel.errors import ParseError
from netmodel.records import adapter

CARD = """
title = "mine"
kind = "own"
scatter = "{}"
line_rate = "25 Gbit/s"

[defaults]
source = "lab"
locator = "runs"
grade = "fitted"
note = "calibrated"
"""


def test_scatter_is_a_percentage_with_a_source(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(CARD.format("2.5 %"))
    card = adapter(file)
    assert card.scatter_ratio == 0.025
    assert card.parts["scatter"].source == "lab"


@pytest.mark.parametrize("scatter", ["2.5 Gbit/s", "0 %", "1 to 2 %", "2"])
def test_other_scatter_is_refused(tmp_path: Path, scatter: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(CARD.format(scatter))
    with pytest.raises(ParseError, match="scatter"):
        adapter(file)
