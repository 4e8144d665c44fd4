"""The line with propagation delay itself: when frames arrive, and that nothing is left behind."""

import re
import shlex
from pathlib import Path

import pytest
from line.delayed import DelayedLine
from line.lines import Line
from line.namespaces import namespaces
from line.tools import iperf3, skip_without
from line.trials import Judge, assert_at_ceiling, assert_on_the_wire, steady

from netmodel.checking import SpecifiedLine

pytestmark = pytest.mark.line

FLOOD_COUNT = 30

WAKE_UP_S = 1.2e-3
ETHERNET_ICMP_HEADER_BYTES = 14 + 20 + 8
LEAST_WIRE_BYTES = 84


def least_round_trip_s(line: Line, payload_bytes: int) -> float:
    """Return the fastest of six echoes."""
    skip_without("ping")
    echo = ["ping", "-c", "6", "-i", "0.2", "-s", str(payload_bytes), line.address("server")]
    result = re.search(rb"min/avg/max/mdev = ([0-9.]+)/", line.run("client", echo))
    assert result
    return float(result[1]) / 1e3


@pytest.mark.parametrize("payload_bytes", [18, 19])
def test_an_echo_takes_twice_the_delay_and_the_time_of_its_padded_frame(payload_bytes: int) -> None:
    """At 20 kbit/s the shortest frame, with all around it, takes 33.6 ms each way."""
    wire_bytes = max(LEAST_WIRE_BYTES, ETHERNET_ICMP_HEADER_BYTES + payload_bytes + 24)
    with DelayedLine(20_000, delay_s=5e-3) as line:
        measured_s = least_round_trip_s(line, payload_bytes)
    exact_s = 2 * (5e-3 + 8 * wire_bytes / 20_000)
    assert exact_s <= measured_s <= exact_s + WAKE_UP_S


@pytest.mark.parametrize("mtu_bytes", [1500, pytest.param(9000, marks=pytest.mark.nightly)])
def test_a_run_reaches_the_ceiling_across_a_delay(mtu_bytes: int, judge: Judge) -> None:
    specified = SpecifiedLine(50_000_000, mtu_bytes, timestamps=True)
    with DelayedLine(50_000_000, mtu_bytes, delay_s=5e-3) as line:
        verdict = steady(lambda: judge(iperf3(line), specified))
    assert_on_the_wire([verdict])
    assert_at_ceiling(verdict)


@pytest.mark.parametrize(
    ("queue_bytes", "least", "most"), [(80_000, 0, 1), (4_000, FLOOD_COUNT - 8, FLOOD_COUNT)]
)
def test_frames_beyond_the_queue_are_dropped(queue_bytes: int, least: int, most: int) -> None:
    """Full frames sent at once: a queue of 80 kB has room for all, one of 4 kB for three."""
    with DelayedLine(1_000_000, delay_s=1e-3, queue_bytes=queue_bytes) as line:
        assert least <= lost_echoes(line) <= most


def lost_echoes(line: Line) -> int:
    """Return how many of many full frames that are sent at once have no echo."""
    skip_without("ping")
    count = str(FLOOD_COUNT)
    flood = ["-f", "-c", count, "-l", count, "-s", "1472", "-W", "1", line.address("server")]
    message = line.run("client", ["sh", "-c", shlex.join(["ping", *flood]) + " || true"]).decode()
    return FLOOD_COUNT - int(message.split(" received")[0].split()[-1])


def test_nothing_is_left_after_an_abort() -> None:
    line = DelayedLine(1_000_000, delay_s=1e-3)

    def work_until_aborted() -> None:
        with line:
            assert line.namespace("client") in namespaces()
            assert len(forwarders(line)) == 1
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work_until_aborted()
    assert not [name for name in namespaces() if line.token in name]
    assert not forwarders(line)


def forwarders(line: Line) -> list[Path]:
    """Return the processes that have a device of the line among their arguments."""
    device = line.device("client").encode()
    return [path for path in Path("/proc").glob("[0-9]*/cmdline") if device in arguments(path)]


def arguments(command: Path) -> list[bytes]:
    try:
        return command.read_bytes().split(b"\0")
    except (FileNotFoundError, ProcessLookupError):
        return []
