"""``netmodel measure`` with real tools on an emulated line: the verdict, and what it names."""

import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from line import tools
from line.emulated import EmulatedLine
from line.tools import skip_without
from line.tunnels import TUNNELS, NoTunnelError

import netmodel
from netmodel.consumption import Side
from netmodel.measuring.folder import read_facts
from netmodel.readers.host_runs import find_host_runs

pytestmark = pytest.mark.line

LINE_RATE_BPS = 100_000_000
TRY_COUNT = 3
PROMPT_S = 30.0
OF_A_VERDICT = ("verdict", "ceiling_bps", "goodput_bps", "ratio", "binding", "min_ratio")
"""What is the same where the user specifies all that the record shows."""


@dataclass(frozen=True)
class Tool:
    """A client with its server; the place of the address is ``{}``."""

    client: str
    server: str
    port: int

    @property
    def program(self) -> str:
        return self.client.partition(" ")[0]


IPERF3 = Tool("iperf3 -c {} -t 2 -O 1 -C cubic -J", "iperf3 -s -1", tools.IPERF3_PORT)
OTHERS = (
    Tool("iperf -c {} -f b -t 3", "iperf -s", tools.IPERF2_PORT),
    Tool("nuttcp -T3 -fparse {}", "nuttcp -1 --nofork", tools.NUTTCP_PORT),
    Tool("sockperf throughput --tcp -i {} -t 3 -m 1448", "sockperf server --tcp", 11111),
    Tool("qperf -t 3 -e 6 -v {} tcp_bw", "qperf", tools.QPERF_PORT),
    Tool("netperf -H {} -l 3", "netserver -D", tools.NETPERF_PORT),
)


def measured(
    line: EmulatedLine,
    place: Path,
    tool: Tool,
    address: str,
    *options: str,
    before: Sequence[str] = (),
) -> tuple[dict[str, Any], int]:
    """JSON and exit code of one measured run from the client to the server of a line."""
    command = [*before, *tool.client.format(address).split()]
    measure = [sys.executable, "-m", "netmodel", "measure", "-o", str(place), "--json", *options]
    with line.server(tool.server.split(), tool.port) as server:
        done = subprocess.run(
            line.inside("client", [*measure, "--", *command]),
            capture_output=True,
            timeout=PROMPT_S,
            check=False,
        )
        server.terminate()
    assert done.returncode in (0, 1), done.stderr.decode()
    return json.loads(done.stdout), done.returncode


def steadily(
    line: EmulatedLine, places: Path, tool: Tool, address: str, *options: str
) -> tuple[dict[str, Any], int]:
    """The same, again where a stall of the machine left the line empty."""
    for number in range(TRY_COUNT):
        shown, code = measured(line, places / f"run-{number}", tool, address, *options)
        if shown["verdicts"][0]["verdict"] in ("at_ceiling", "impossible"):
            break
    return shown, code


def assert_as_check(shown: dict[str, Any], **specified: Any) -> None:
    """The verdict is that of check with everything specified."""
    (verdict,) = shown["verdicts"]
    (checked,) = netmodel.check(verdict["file"], line_rate_bps=LINE_RATE_BPS, **specified)
    expected = checked.to_dict()
    assert [verdict[name] for name in OF_A_VERDICT] == [expected[name] for name in OF_A_VERDICT]


RATE = ("--line-rate", "100Mbit/s")


def manifest_of(shown: dict[str, Any]) -> dict[str, Any]:
    return tomllib.loads(Path(shown["folder"], "manifest.toml").read_text())


def test_a_run_of_iperf3_is_judged_by_the_facts_of_its_host(tmp_path: Path) -> None:
    """A veth reports 10 Gbit/s; the rate that it is shaped to is specified."""
    with EmulatedLine(LINE_RATE_BPS) as line:
        shown, code = steadily(line, tmp_path, IPERF3, line.address("server"), *RATE)
    assert (code, shown["verdicts"][0]["verdict"]) == (0, "at_ceiling"), shown
    assert shown["line"]["MTU"]["value"] == "1500"
    assert shown["contradictions"] == []
    assert_as_check(shown, mtu_bytes=1500)
    assert manifest_of(shown)["command"]["exit_code"] == 0
    (use,) = [each for each in shown["verdicts"][0]["cpu"] if each["scope"] == "system"]
    assert use["side"] == "client"
    # the folder is a run from which a host is calibrated
    (run,), notes = find_host_runs([shown["folder"]], wanted=[Side.CLIENT])
    assert notes == ()
    assert run.cpu[Side.CLIENT].busy_cpu_count > 0
    assert run.conditions[Side.CLIENT] == {"mtu_bytes": 1500}
    assert run.processors[Side.CLIENT].model
    # and check judges it as measure did
    checked = netmodel.check(shown["folder"], line_rate_bps=LINE_RATE_BPS)
    assert [each.word for each in checked] == ["at ceiling"]


def test_a_tunnel_is_seen(tmp_path: Path) -> None:
    tunnel = next(each for each in TUNNELS if each.name == "vxlan")
    with EmulatedLine(LINE_RATE_BPS) as line:
        try:
            with tunnel.on(line) as address:
                shown, code = steadily(line, tmp_path, IPERF3, address, *RATE)
        except NoTunnelError as reason:
            pytest.skip(str(reason))
    assert (code, shown["verdicts"][0]["verdict"]) == (0, "at_ceiling"), shown
    stack = tunnel.stack("tcp+timestamps")
    assert shown["line"]["headers"]["value"] == stack
    assert_as_check(shown, stack=stack, mtu_bytes=tunnel.mtu_bytes(line))


@pytest.mark.nightly
@pytest.mark.parametrize("tool", OTHERS, ids=lambda tool: tool.program)
def test_other_tools(tool: Tool, tmp_path: Path) -> None:
    skip_without(tool.program)
    with EmulatedLine(LINE_RATE_BPS) as line:
        tools.limit_send_buffer(line, 256 * 1024)
        shown, _ = steadily(line, tmp_path, tool, line.address("server"), *RATE)
    (verdict,) = shown["verdicts"]
    assert shown["state"] == "complete"
    # none of them leaves out its start, in which the token bucket lets its burst through
    assert verdict["verdict"] in ("at_ceiling", "impossible"), shown
    assert_as_check(shown, mtu_bytes=1500, ip=4)


@pytest.mark.nightly
def test_facts_of_the_server_are_used(tmp_path: Path) -> None:
    facts = tmp_path / "server.toml"
    with EmulatedLine(LINE_RATE_BPS) as line:
        command = [sys.executable, "-m", "netmodel", "measure", "facts", "-o", str(facts)]
        line.run("server", [*command, "--peer", line.address("client")])
        shown, _ = measured(
            line,
            tmp_path / "run",
            IPERF3,
            line.address("server"),
            *RATE,
            "--peer-facts",
            str(facts),
        )
    assert shown["line"]["CPUs of the server"]["source"] == "facts of the server"
    assert read_facts(Path(shown["folder"], "server.toml")).interface == line.device("server")


@pytest.mark.nightly
@pytest.mark.parametrize(
    "before",
    [
        ("unshare", "-m", "sh", "-c", 'mount -t tmpfs none /sys; exec "$@"', "sh"),
        ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"),
    ],
    ids=["without-sys", "without-root"],
)
def test_a_host_that_hides_much_is_measured_all_the_same(before: tuple[str, ...]) -> None:
    skip_without(before[0])
    # a directory that any user may write to
    with tempfile.TemporaryDirectory(dir="/tmp") as directory:
        Path(directory).chmod(0o777)
        command = [sys.executable, "-m", "netmodel", "measure", "--json", *RATE]
        with EmulatedLine(LINE_RATE_BPS) as line:
            for number in range(TRY_COUNT):
                place = str(Path(directory, f"run-{number}"))
                # without root, of the congestion controls only those that are allowed: reno is
                client = IPERF3.client.replace("cubic", "reno")
                tool = client.format(line.address("server")).split()
                with line.server(IPERF3.server.split(), IPERF3.port):
                    whole = [*before, *command, "-o", place, "--", *tool]
                    done = subprocess.run(
                        line.inside("client", whole),
                        capture_output=True,
                        timeout=PROMPT_S,
                        check=False,
                    )
                assert done.returncode in (0, 1), done.stderr.decode()
                if done.returncode == 0:
                    break
        shown = json.loads(done.stdout)
        facts = tomllib.loads(Path(shown["folder"], "client.toml").read_text())
    assert shown["verdicts"][0]["verdict"] == "at_ceiling", shown
    assert shown["line"]["MTU"]["value"] == "1500"
    if before[0] == "unshare":
        reasons = {each.get("reason") for each in facts["settings"]}
        assert "/sys/class/net does not show it" in reasons
