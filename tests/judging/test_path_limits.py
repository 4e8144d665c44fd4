"""Runs against paths whose limits depend on luck."""

from pathlib import Path as File

import pytest

from netmodel.judging import Outcome, StatedLine, check
from netmodel.path import StatedPath
from netmodel.records import load_network_path
from tests.runs import run

EIGHT_QUEUES = """title = "x"
[defaults]
source = "notes"
locator = "page 1"
grade = "measured"
[[stages]]
name = "queues"
kind = "receive-queue-cpu"
side = "server"
servers = "8"
in.per_byte = "4.000 ns"
"""


@pytest.mark.parametrize(
    ("goodput_bps", "outcome"),
    [(3e9, Outcome.BELOW), (15.9e9, Outcome.AT_CEILING), (17e9, Outcome.IMPOSSIBLE)],
)
def test_a_lucky_hash_is_not_impossible(
    goodput_bps: float, outcome: Outcome, tmp_path: File
) -> None:
    """8 queues of 2 Gbit/s carry 16 Gbit/s where each has one of 8 streams."""
    file = tmp_path / "mine.toml"
    file.write_text(EIGHT_QUEUES, encoding="utf-8")
    line = StatedLine(25e9, mtu_bytes=1500, path=StatedPath(network=load_network_path(file)))
    assert check(run(goodput_bps, stream_count=8), line).outcome is outcome
