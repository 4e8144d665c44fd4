"""Shapers and policers of Linux at the rate of a capacity: the layer that is named is theirs."""

from dataclasses import dataclass

import pytest
from line.emulated import BURST_BYTES, EmulatedLine
from line.lines import Side
from line.tools import iperf3, skip_without
from line.trials import TRY_COUNT

import netmodel
from netmodel.checking import Outcome
from netmodel.readers import read_result

pytestmark = pytest.mark.line

KINDS = {
    "tbf": "handle 1: tbf rate {rate}bit burst {burst} latency 20ms overhead {overhead}",
    "htb": "handle 1: htb default 1",
}
CLASS = "parent 1: classid 1:1 htb rate {rate}bit burst {burst} cburst {burst} overhead {overhead}"
LAYERS = {0: "tc (frame without FCS)", 4: "frame", 24: "wire"}
"""What counts with this many bytes more for each packet."""


@dataclass(frozen=True)
class Shaped(EmulatedLine):
    """A shaper without a size table, which counts what the kernel counts."""

    kind: str = "tbf"
    overhead_bytes: int = 0

    def _set_rate(self, side: Side) -> None:
        known = {"rate": self.rate_bps, "burst": BURST_BYTES // 4, "overhead": self.overhead_bytes}
        for what, text in (("qdisc", KINDS[self.kind]), ("class", CLASS)):
            at = ["dev", self.device(side), *(["root"] if what == "qdisc" else [])]
            if what == "qdisc" or self.kind == "htb":
                self.run(side, ["tc", what, "add", *at, *text.format(**known).split()])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mtu_bytes", [1500, 9000])
@pytest.mark.parametrize(
    ("rate_bps", "overhead_bytes"),
    [(50_000_000, 0), (120_000_000, 0), (80_000_000, 4), (80_000_000, 24)],
)
def test_the_layers_that_are_named_have_that_of_tc(
    rate_bps: int, overhead_bytes: int, mtu_bytes: int, kind: str
) -> None:
    """1514 of the 1538 bytes that a full frame takes at MTU 1500, and the overhead."""
    capacity, layer = f"{rate_bps / 1e6:g} Mbit/s", LAYERS[overhead_bytes]
    with Shaped(rate_bps, mtu_bytes, kind=kind, overhead_bytes=overhead_bytes) as line:
        for number in range(TRY_COUNT):  # a stall of the machine leaves the shaper empty
            (run, *_) = read_result(iperf3(line))
            (verdict,) = netmodel.check(run, capacity=capacity, mtu_bytes=mtu_bytes)
            if layer in verdict.reason or number == TRY_COUNT - 1:
                break
    assert verdict.outcome is Outcome.AT_CEILING, verdict
    assert layer in verdict.figures, verdict
    assert mtu_bytes != 1500 or verdict.figures.count(" or ") <= 1


@dataclass(frozen=True)
class Policed(EmulatedLine):
    """A policer of nftables where packets arrive, which has a bucket of a second."""

    def _set_rate(self, side: Side) -> None:
        hook = f"type filter hook ingress device {self.device(side)} priority 0;"
        limit = f"limit rate over {self.rate_bps // 8} bytes/second burst 64 kbytes drop"
        self.run(side, ["nft", f"table netdev t {{ chain c {{ {hook} {limit}\n }}\n }}"])


@pytest.mark.parametrize("mtu_bytes", [1500, 9000])
def test_policers_count_packets_and_never_make_a_run_impossible(mtu_bytes: int) -> None:
    skip_without("nft")
    with Policed(40_000_000, mtu_bytes) as line:
        full = iperf3(line, "-u", "-b", "100M", "-l", f"{mtu_bytes - 28}")
        runs = [next(iter(read_result(each))) for each in (full, iperf3(line))]
    of_full, of_tcp = netmodel.check(runs, capacity="40 Mbit/s", mtu_bytes=mtu_bytes)
    assert of_full.outcome is Outcome.AT_CEILING, of_full
    assert "ip (IP packet)" in of_full.figures
    assert of_tcp.outcome is not Outcome.IMPOSSIBLE, of_tcp
