"""Real iperf3 runs over emulated lines of our own, judged as a user would."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from line.emulated import EmulatedLine
from line.lines import IpVersion
from line.tools import iperf3
from line.trials import assert_limited_by, steady
from runs import check_file

from netmodel.checking import Outcome, SpecifiedLine, Verdict

pytestmark = pytest.mark.line

LINE_RATE_BPS = 200_000_000
SET_UPS = [
    pytest.param((mtu_bytes, timestamps), id=f"mtu{mtu_bytes}-timestamps-{timestamps}")
    for mtu_bytes, timestamps in ((1500, True), (9000, False))
]


@dataclass(frozen=True)
class Run:
    """A result of iperf3 and the line that it was recorded on."""

    path: Path
    mtu_bytes: int
    timestamps: bool

    def judged(self, line_rate_bps: float = LINE_RATE_BPS, **stated: Any) -> Verdict:
        (verdict,) = check_file(self.path, SpecifiedLine(line_rate_bps, **stated))
        return verdict


@pytest.fixture(scope="module", params=SET_UPS)
def runs(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[int, Run]:
    """One TCP run over IPv4 and one over IPv6, on a line of its own for each set-up."""
    mtu_bytes, timestamps = request.param
    directory = tmp_path_factory.mktemp("runs")
    with EmulatedLine(LINE_RATE_BPS, mtu_bytes, timestamps) as line:
        return {4: recorded(line, 4, directory), 6: recorded(line, 6, directory)}


def recorded(line: EmulatedLine, ip_version: IpVersion, directory: Path) -> Run:
    """A run that no stall of the machine held up."""

    def measured() -> Verdict:
        path = directory / f"{len(list(directory.iterdir()))}.json"
        path.write_bytes(iperf3(line, ip_version=ip_version))
        run = Run(path, line.mtu_bytes, line.timestamps)
        return run.judged(mtu_bytes=line.mtu_bytes, timestamps=line.timestamps)

    return Run(Path(steady(measured).file), line.mtu_bytes, line.timestamps)


@pytest.fixture(params=[4, 6], ids=["ipv4", "ipv6"])
def run(request: pytest.FixtureRequest, runs: dict[int, Run]) -> Run:
    return runs[request.param]


def test_a_run_reaches_the_ceiling_of_its_line(run: Run) -> None:
    verdict = run.judged(mtu_bytes=run.mtu_bytes, timestamps=run.timestamps)
    assert verdict.outcome is Outcome.AT_CEILING, verdict.reason
    assert verdict.notes == ()


def test_timestamps_that_are_left_open_are_seen(run: Run) -> None:
    verdict = run.judged(mtu_bytes=run.mtu_bytes)
    assert verdict.outcome is Outcome.AT_CEILING, verdict.reason
    assert any("without TCP timestamps" in text for text in verdict.notes) != run.timestamps


def test_without_an_mtu_the_segment_size_decides_and_says_so(run: Run) -> None:
    verdict = run.judged(timestamps=run.timestamps)
    assert verdict.outcome is Outcome.AT_CEILING, verdict.reason
    assert verdict.limits is not None
    assert verdict.limits.mtu_bytes == run.mtu_bytes
    assert any("no MTU specified" in text for text in verdict.notes)


def test_a_run_is_impossible_on_a_slower_line(run: Run) -> None:
    verdict = run.judged(LINE_RATE_BPS / 2, mtu_bytes=run.mtu_bytes, timestamps=run.timestamps)
    assert verdict.outcome is Outcome.IMPOSSIBLE


def test_a_run_is_below_the_ceiling_of_a_faster_line(run: Run) -> None:
    verdict = run.judged(LINE_RATE_BPS * 2, mtu_bytes=run.mtu_bytes, timestamps=run.timestamps)
    assert verdict.outcome is Outcome.BELOW


def test_a_run_judged_at_the_other_mtu_is_found_out(run: Run) -> None:
    if run.mtu_bytes == 9000:
        verdict = run.judged(mtu_bytes=1500, timestamps=run.timestamps)
        assert verdict.outcome is Outcome.IMPOSSIBLE
        assert "MTU 9000" in verdict.reason
    else:
        verdict = run.judged(mtu_bytes=9000, timestamps=run.timestamps)
        assert_limited_by("segment_size", verdict)
        assert any("contradict MTU 9000" in text for text in verdict.notes)


def test_timestamps_that_are_specified_wrongly_never_pass(run: Run) -> None:
    """Without them a segment has 12 byte more than there would be room for, and else 12 less."""
    verdict = run.judged(mtu_bytes=run.mtu_bytes, timestamps=not run.timestamps)
    if run.timestamps:
        assert_limited_by("segment_size", verdict)
    else:
        assert not verdict.passes
        assert "TCP timestamps" in verdict.reason or "segments of" in verdict.reason
