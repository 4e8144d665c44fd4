"""The emulated line itself: it carries what an Ethernet line carries, and leaves nothing behind."""

import json

import pytest
from line.emulated import EmulatedLine
from line.namespaces import namespaces
from line.tools import iperf3
from line.trials import TRY_COUNT

pytestmark = pytest.mark.line


def test_a_line_carries_the_payload_of_its_frames() -> None:
    """1448 of 1538 bytes on the wire are payload at MTU 1500, over IPv4 with timestamps."""

    def goodput_bps(line: EmulatedLine) -> float:
        end = json.loads(iperf3(line))["end"]["sum_received"]
        return float(end["bytes"] * 8 / (end["end"] - end["start"]))

    expected_bps = 100e6 * 1448 / 1538
    with EmulatedLine(100_000_000) as line:
        fastest_bps = 0.0
        for _ in range(TRY_COUNT):  # a stall of the machine leaves the line empty
            fastest_bps = max(fastest_bps, goodput_bps(line))
            if fastest_bps > 0.99 * expected_bps:
                break
    assert fastest_bps / expected_bps == pytest.approx(1, abs=0.01)


def test_nothing_is_left_after_an_abort() -> None:
    line = EmulatedLine(1_000_000)

    def work_until_aborted() -> None:
        with line:
            assert line.namespace("client") in namespaces()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work_until_aborted()
    assert not [name for name in namespaces() if line.token in name]
