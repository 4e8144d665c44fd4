"""A folder of recorded facts is judged as its result is with all of them specified."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import netmodel
from netmodel.measuring.folder import Folder, read_facts
from netmodel.measuring.mask import Mask

TESTS = Path(__file__).parents[1]
RESULTS = TESTS / "readers" / "samples"
FACTS = TESTS / "measuring" / "samples"


@dataclass(frozen=True)
class Host:
    """Recorded facts, and what a user reads from them and specifies."""

    name: str
    by_hand: Mapping[str, Any]


VXLAN = "ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps"
CPUS = {"client_cpus": 2}
HOSTS = (
    Host("virtio", {"mtu_bytes": 1400, "ip": 4} | CPUS),
    Host("veth", {"mtu_bytes": 1500, "ip": 4} | CPUS),
    Host("vxlan", {"mtu_bytes": 1450, "stack": VXLAN} | CPUS),
)
RUNS = {
    "iperf3": ("iperf3/line_200m_mtu1500_ts1_v4.json", "-c 192.0.2.1 -J"),
    "iperf3 text": ("iperf3/iperf3_3.12_line_i05.txt", "-c 192.0.2.1 -i 0.5"),
    "iperf": ("iperf2/line200m_iperf2_2.1.8.csv", "-c 192.0.2.1 -y C"),
    "nuttcp": ("nuttcp/nuttcp_6.1.2_line_fparsev.txt", "-v -fparse 192.0.2.1"),
    "sockperf": ("sockperf/sockperf_3.7_tp_tcp.txt", "tp --tcp -i 192.0.2.1"),
    "qperf": ("qperf/qperf_0.4.11_line_vv.txt", "-vv 192.0.2.1 tcp_bw"),
    "netperf": ("netperf/netperf_2.7.0_line100m_k_tcp.txt", "-H 192.0.2.1 -- -k all"),
    "uperf": ("uperf/line200m_uperf_1.0.8_R.txt", "-m stream.xml -R"),
    "ntttcp": ("ntttcp/made_sender_1.4.0_W.txt", "-s192.0.2.1"),
}
IPV6 = Host("ipv6", {"mtu_bytes": 1500, "ip": 6} | CPUS)
RUNS_WITHOUT_IP_VERSION = ("qperf", "ntttcp")
"""The others report the IPv4 of their own line, against facts of IPv6."""
CASES = [
    *((tool, host) for tool in RUNS for host in HOSTS),
    *((tool, IPV6) for tool in RUNS_WITHOUT_IP_VERSION),
]
CPU_COST = "4 cores/(Gbit/s)"
"""Of two CPUs it leaves 500 Mbit/s, less than the faster line carries."""
JUDGED = ("verdict", "reason", "ceiling_bps", "goodput_bps", "ratio", "binding", "min_ratio")


def folder(place: Path, tool: str, host: Host) -> Path:
    """What measure writes of a run of this tool on a host of these facts."""
    name, arguments = RUNS[tool]
    whole = Folder(place, Mask())
    facts = read_facts(FACTS / f"{host.name}.toml")
    whole.write_facts("client", facts.settings, {"lscpu.txt": "client-lscpu.txt"})
    for when in ("before", "after"):
        whole.write_facts(f"client/{when}", facts.counters)
    source = RESULTS / name
    result = whole.write(f"result{source.suffix}", source.read_bytes(), "standard output")
    command = {
        "arguments": [tool.partition(" ")[0], *arguments.split()],
        "begin": facts.time_utc,
        "end": facts.time_utc,
        "exit_code": 0,
        "result": result.name,
    }
    document = {"command": command, "client": {"interface": facts.interface}}
    whole.write_manifest("complete", document)
    return place


@pytest.mark.parametrize("rate", ["100 Mbit/s", "1 Gbit/s"])
@pytest.mark.parametrize(
    ("tool", "host"), CASES, ids=[f"{tool}-{host.name}" for tool, host in CASES]
)
def test_the_verdict_is_that_of_check_with_all_specified(
    tool: str, host: Host, rate: str, tmp_path: Path
) -> None:
    place = folder(tmp_path / "run", tool, host)
    result = next(place.glob("result.*"))
    both: dict[str, Any] = {"line_rate_bps": rate, "client_cost": CPU_COST}
    recorded = [each.to_dict() for each in netmodel.check(place, **both)]
    specified = [each.to_dict() for each in netmodel.check(result, **both, **host.by_hand)]
    assert len(recorded) >= 1
    assert [[each.get(key) for key in JUDGED] for each in recorded] == [
        [each.get(key) for key in JUDGED] for each in specified
    ]
