"""The line with propagation delay itself: when frames arrive, and that nothing is left behind."""

import re
import shutil
from pathlib import Path

import pytest
from line.delayed import DelayedLine
from line.lines import Line
from line.namespaces import LineError, namespaces
from line.tools import iperf3
from line.trials import Judge, assert_on_the_wire, steady

from netmodel.judging import StatedLine

pytestmark = pytest.mark.line

WAKE_UP_S = 0.5e-3
ETHERNET_ICMP_HEADER_BYTES = 14 + 20 + 8
LEAST_WIRE_BYTES = 84


def least_round_trip_s(line: Line, payload_bytes: int) -> float:
    """Return the fastest of ten echoes."""
    if shutil.which("ping") is None:
        pytest.skip("ping is not on the PATH")
    echo = ["ping", "-c", "10", "-i", "0.05", "-s", str(payload_bytes), line.address("server")]
    found = re.search(rb"min/avg/max/mdev = ([0-9.]+)/", line.run("client", echo))
    assert found
    return float(found[1]) / 1e3


@pytest.mark.parametrize("payload_bytes", [16, 18, 19, 1000])
def test_an_echo_takes_twice_the_delay_and_the_time_of_its_padded_frame(payload_bytes: int) -> None:
    """At 1 Mbit/s the shortest frame, with all around it, takes 0.672 ms each way."""
    wire_bytes = max(LEAST_WIRE_BYTES, ETHERNET_ICMP_HEADER_BYTES + payload_bytes + 24)
    with DelayedLine(1_000_000, delay_s=5e-3) as line:
        measured_s = least_round_trip_s(line, payload_bytes)
    exact_s = 2 * (5e-3 + 8 * wire_bytes / 1e6)
    assert exact_s <= measured_s <= exact_s + WAKE_UP_S


@pytest.mark.parametrize("mtu_bytes", [1500, 9000])
def test_a_run_reaches_the_ceiling_across_a_delay(mtu_bytes: int, judge: Judge) -> None:
    stated = StatedLine(50_000_000, mtu_bytes, timestamps=True)
    with DelayedLine(50_000_000, mtu_bytes, delay_s=5e-3) as line:
        verdict = steady(lambda: judge(iperf3(line), stated))
    assert_on_the_wire([verdict])


def test_frames_beyond_the_queue_are_dropped() -> None:
    with DelayedLine(1_000_000, delay_s=1e-3, queue_bytes=20_000) as line:
        assert b" 0% packet loss" in line.run("client", flood(line, count=10))
        assert b" 0% packet loss" not in line.run("client", flood(line, count=40))


def flood(line: Line, count: int) -> list[str]:
    """Return the command that sends so many full frames at once and waits for the echoes."""
    if shutil.which("ping") is None:
        pytest.skip("ping is not on the PATH")
    at_once = ["-c", str(count), "-l", str(count), "-s", "1472", "-W", "2"]
    return ["ping", *at_once, line.address("server")]


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
    commands = Path("/proc").glob("[0-9]*/cmdline")
    return [path for path in commands if device in path.read_bytes().split(b"\0")]


def test_the_devices_go_with_the_process_that_made_them() -> None:
    with DelayedLine(1_000_000) as line:
        line._running.close()
        with pytest.raises(LineError, match="does not exist"):
            line.run("client", ["ip", "link", "show", line.device("client")])
