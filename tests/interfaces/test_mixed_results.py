"""The directory of results of several tools: explained, neutral, and judged as it should be."""

from dataclasses import replace
from pathlib import Path

import pytest
from runs import check_file

from netmodel.checking import Outcome, SpecifiedLine, Verdict
from netmodel.records import data_path

DIRECTORY = data_path("examples", "mixed-results")
RESULTS = sorted(
    path
    for path in DIRECTORY.iterdir()
    if path.is_file() and path.suffix in {".json", ".txt", ".csv"}
)
LINE = SpecifiedLine(200e6, mtu_bytes=1500)


def judged(name: str) -> Verdict:
    specified = replace(LINE, transport="tcp") if name == "uperf.txt" else LINE
    (verdict,) = check_file(DIRECTORY / name, specified)
    return verdict


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.name)
def test_each_result_is_at_its_ceiling(path: Path) -> None:
    verdict = judged(path.name)
    assert verdict.binding is not None
    paced = path.name == "iperf3-rate-limited.json"
    assert verdict.outcome is (Outcome.LIMITED if paced else Outcome.AT_CEILING), verdict.reason
    assert verdict.binding.name == ("offered_rate" if paced else "wire")
