"""Where the line bounds a run of iperf3, it carries what is predicted, and the wire is named."""

from dataclasses import dataclass

import pytest
from line.emulated import EmulatedLine
from line.lines import IpVersion
from line.tools import iperf3
from line.trials import Judge, assert_at_ceiling, assert_on_the_wire, steady

from netmodel.checking import SpecifiedLine

pytestmark = pytest.mark.line

LINE_RATE_BPS = 100_000_000
REPEATS = 3
FULL_PAIR_BYTES = 2888
"""Over IPv6, Linux fills the last fragment of a datagram no further than the others, to a multiple
of 8 byte: 2889 to 2892 byte of payload fit two packets and go in three."""


@dataclass(frozen=True)
class SetUp:
    """A line, and how iperf3 is called on it."""

    arguments: str = ""
    mtu_bytes: int = 1500
    ip_version: IpVersion = 4
    timestamps: bool = True

    @property
    def name(self) -> str:
        stamped = "" if self.timestamps else "-unstamped"
        arguments = self.arguments.replace(" ", "").replace("-b0", "")
        return f"mtu{self.mtu_bytes}-ipv{self.ip_version}{stamped}{arguments}"


def datagrams(payload_bytes: int, ip_version: IpVersion = 4, mtu_bytes: int = 1500) -> SetUp:
    return SetUp(f"-u -b 0 -l {payload_bytes}", mtu_bytes, ip_version)


ONCE = [
    datagrams(1472),
    SetUp(mtu_bytes=576),
    SetUp(mtu_bytes=4000, ip_version=6),
    SetUp("-P 4"),
    datagrams(1473),
    datagrams(1453, ip_version=6),
]
EVERY = [
    *(
        SetUp("", mtu_bytes, ip_version, timestamps)
        for mtu_bytes in (1500, 4000, 9000)
        for ip_version in (4, 6)
        for timestamps in (True, False)
    ),
    *(SetUp(mtu_bytes=576, timestamps=timestamps) for timestamps in (True, False)),
    *(SetUp("-P 4", mtu_bytes) for mtu_bytes in (1500, 9000)),
    SetUp("-P 4", ip_version=6),
    *(datagrams(payload_bytes) for payload_bytes in (1472, 1473, 2952, 2953)),
    *(datagrams(payload_bytes, 6) for payload_bytes in (1452, 1453, FULL_PAIR_BYTES, 2893)),
    *(datagrams(payload_bytes, 4, 9000) for payload_bytes in (8972, 8973)),
]


def measured(set_up: SetUp, judge: Judge, repeats: int) -> None:
    specified = SpecifiedLine(LINE_RATE_BPS, set_up.mtu_bytes)
    if "-u" not in set_up.arguments:
        specified = SpecifiedLine(LINE_RATE_BPS, set_up.mtu_bytes, timestamps=set_up.timestamps)
    with EmulatedLine(LINE_RATE_BPS, set_up.mtu_bytes, set_up.timestamps) as line:
        arguments, ip_version = set_up.arguments.split(), set_up.ip_version

        def run() -> bytes:
            return iperf3(line, *arguments, ip_version=ip_version)

        verdicts = [steady(lambda: judge(run(), specified)) for _ in range(repeats)]
    assert_on_the_wire(verdicts)
    assert_at_ceiling(*verdicts)


@pytest.mark.parametrize("set_up", ONCE, ids=lambda set_up: set_up.name)
def test_one_run(set_up: SetUp, judge: Judge) -> None:
    measured(set_up, judge, repeats=1)


@pytest.mark.nightly
@pytest.mark.parametrize("set_up", EVERY, ids=lambda set_up: set_up.name)
def test_three_runs_of_every_set_up(set_up: SetUp, judge: Judge) -> None:
    measured(set_up, judge, REPEATS)
