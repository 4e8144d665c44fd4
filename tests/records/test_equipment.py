"""Adapters and hosts: what is published, and files of your own."""

from decimal import Decimal
from pathlib import Path

import pytest
from records.right_files import FILES

from netmodel.records import (
    adapter,
    catalog,
    host,
)


@pytest.mark.parametrize("name", [each for each in catalog()["adapters"] if "gbe" in each])
def test_the_line_rate_is_that_of_the_name(name: str) -> None:
    gbit = Decimal(name.rpartition("-")[2].removesuffix("gbe"))
    assert adapter(name).line_rate_bps == float(gbit * 10**9)


def test_published_equipment() -> None:
    card = adapter("OSA-Express7S-25GbE")
    limits = {
        (seen.direction, seen.value)
        for seen in card.observations
        if seen.workload == "str-writex30k" and seen.mtu_bytes == 1500
    }
    assert {("in", Decimal("13.4")), ("out", Decimal("20.5"))} <= limits
    assert host("z15-lpar-4core-smt2").thread_count is not None
    assert str(host("z15-lpar-4core-smt2").thread_count) == "8"


def test_what_is_assumed_is_reported() -> None:
    assert host("z990-2084-324-2cpu").assumptions[0].startswith("z990-2084-324-2cpu: machine_gen")
    assert adapter("osa-express7s-25gbe").assumptions == ()


def test_an_adapter_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(FILES["adapter"]["mine.toml"], encoding="utf-8")
    card = adapter(file)
    assert (card.id, card.line_rate_bps, card.unknown) == ("mine", 10e9, ())
    assert str(card.observations[0]) == "payload rate 9.4 Gbit/s, with direction in, mtu_bytes 1500"
    assert card.scatter_ratio is None
    assert "receive queue count: 4 (measured; my notes, page 3)" in str(card)
    file.write_text(FILES["scatter"]["mine.toml"], encoding="utf-8")
    assert adapter(file).scatter_ratio == 0.025
