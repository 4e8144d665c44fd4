"""Measurement tools, each run once from the client to the server of an emulated line.

They run with a real-time priority where that is allowed: a sender that waits 10 ms for the
processor leaves the line empty, and the goodput of a short run then falls by several percent.
iperf3 leaves out its first second, in which slow start loses and a token bucket gains.
"""

import json
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from line.lines import IpVersion, Line, priority
from line.namespaces import LineError

GRACE_S = 15.0
RUN_SECONDS = 2
OMIT_SECONDS = 1
IPERF3_PORT = 5201
IPERF2_PORT = 5001
NUTTCP_PORT = 5000
SOCKPERF_PORT = 11111
QPERF_PORT = 19765
NETPERF_PORT = 12865
UPERF_PORT = 20000


def skip_without(program: str) -> None:
    """Skip the test where the program is not installed."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not on the PATH")


def congestion_control() -> str:
    """Return cubic where the kernel has it, else reno, which every kernel has."""
    available = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()
    return "cubic" if "cubic" in available else "reno"


def iperf3(
    line: Line,
    *arguments: str,
    server: str | None = None,
    ip_version: IpVersion = 4,
    seconds: int = RUN_SECONDS,
) -> bytes:
    """Return the JSON of one iperf3 run, byte for byte.

    The server is the line's own address where none is given. Raises `LineError` when iperf3
    reports an error: version 3.12 then still exits with 0.
    """
    port = str(IPERF3_PORT)
    command = ["iperf3", "-c", server or line.address("server", ip_version), "-p", port]
    command += ["-t", str(seconds), "-O", str(OMIT_SECONDS)]
    if "-u" not in arguments:
        command += ["-C", congestion_control()]
    command += [*arguments, "-J"]
    with line.server(["iperf3", "-s", "-1", "-p", port], IPERF3_PORT):
        output = _client(line, command, seconds + OMIT_SECONDS)
    _refuse_error(command, output)
    return output


def iperf3_both_ends(
    line: Line, *arguments: str, seconds: int = RUN_SECONDS
) -> tuple[bytes, bytes]:
    """Return the JSON that the client and the server of one iperf3 run wrote."""
    port = ["-p", str(IPERF3_PORT)]
    command = ["iperf3", "-c", line.address("server"), *port, "-t", str(seconds)]
    command += ["-O", str(OMIT_SECONDS), *arguments, "-J"]
    with line.server(["iperf3", "-s", "-1", *port, "-J"], IPERF3_PORT) as server:
        output = _client(line, command, seconds + OMIT_SECONDS)
        return output, server.communicate(timeout=GRACE_S)[0]


def iperf2(line: Line, *arguments: str, seconds: int) -> bytes:
    """Return what the server of iperf 2 prints, what arrived, to the bit per second."""
    command = ["iperf", "-c", line.address("server"), "-t", str(seconds), *arguments]
    with line.server(["iperf", "-s", "-P", "1", "-f", "b"], IPERF2_PORT) as server:
        _client(line, command, seconds)
        return server.communicate(timeout=GRACE_S)[0]


def iperf2_client(line: Line, *arguments: str, seconds: int) -> bytes:
    """Return what the client of iperf 2 prints: of TCP what was sent, of UDP what arrived."""
    udp = ["-u"] if "-u" in arguments else []
    command = ["iperf", "-c", line.address("server"), "-f", "b", "-t", str(seconds), *arguments]
    with line.server(["iperf", "-s", *udp], IPERF2_PORT, "udp" if udp else "tcp") as server:
        output = _client(line, command, seconds)
        server.terminate()
    return output


def nuttcp(line: Line, *arguments: str, seconds: int) -> bytes:
    """Return the one line that nuttcp prints; with ``-fparse`` the one for other programs."""
    command = ["nuttcp", f"-T{seconds}", *arguments, line.address("server")]
    with line.server(["nuttcp", "-1", "--nofork"], NUTTCP_PORT):
        return _client(line, command, seconds)


def sockperf(line: Line, seconds: int) -> bytes:
    """Return what the client of sockperf prints: what it handed to its socket."""
    there = ["--tcp", "-i", line.address("server"), "-p", str(SOCKPERF_PORT)]
    command = ["sockperf", "throughput", *there, "-t", str(seconds), "-m", "1448"]
    return _beside(line, ["sockperf", "server", *there], SOCKPERF_PORT, command, seconds)


def sockperf_ping_pong(line: Line, seconds: int) -> bytes:
    """Return what sockperf prints of response times, each message answered."""
    there = ["--tcp", "-i", line.address("server"), "-p", str(SOCKPERF_PORT)]
    command = ["sockperf", "ping-pong", *there, "-t", str(seconds), "-m", "64"]
    return _beside(line, ["sockperf", "server", *there], SOCKPERF_PORT, command, seconds)


def qperf(line: Line, test: str, *arguments: str, seconds: int) -> bytes:
    """Return what qperf prints for one test, to six digits."""
    command = ["qperf", "-t", str(seconds), "-e", "6", "-v", *arguments]
    return _beside(line, ["qperf"], QPERF_PORT, [*command, line.address("server"), test], seconds)


def netperf_test(line: Line, test: str, *arguments: str, seconds: int) -> bytes:
    """Return the table that netperf prints for one of its classic tests."""
    command = ["netperf", "-H", line.address("server"), "-t", test, "-l", str(seconds)]
    return _beside(line, ["netserver", "-D"], NETPERF_PORT, [*command, "--", *arguments], seconds)


def netperf_requests(
    line: Line, connection_count: int, request_bytes: int, response_bytes: int, seconds: int
) -> list[float]:
    """Return the transactions per second of each of several connections at the same time."""
    sizes = f"{request_bytes},{response_bytes}"
    each = ["netperf", "-P", "0", "-H", line.address("server"), "-t", "TCP_RR", "-l", str(seconds)]
    each += ["--", "-r", sizes, "-k", "THROUGHPUT"]
    all_of_them = f"for n in $(seq {connection_count}); do {shlex.join(each)} & done; wait"
    command = ["sh", "-c", all_of_them]
    output = _beside(line, ["netserver", "-D"], NETPERF_PORT, command, seconds)
    return [float(text.partition(b"=")[2]) for text in output.split()]


def netperf_response(line: Line, response_bytes: int, seconds: int) -> bytes:
    """Return times of responses to one request of a byte at a time, by key; MEAN_LATENCY in µs."""
    command = ["netperf", "-H", line.address("server"), "-t", "omni", "-l", str(seconds), "--"]
    sizes = ["-d", "rr", "-T", "tcp", "-r", f"1,{response_bytes}"]
    keys = "PROTOCOL,DIRECTION,ELAPSED_TIME,THROUGHPUT,THROUGHPUT_UNITS,MEAN_LATENCY"
    return _beside(
        line,
        ["netserver", "-D"],
        NETPERF_PORT,
        [*command, *sizes, "-k", f"{keys},REQUEST_SIZE,RESPONSE_SIZE"],
        seconds,
    )


def netperf(line: Line, seconds: int) -> bytes:
    """Return the values that netperf prints by key."""
    keys = "PROTOCOL,DIRECTION,ELAPSED_TIME,THROUGHPUT,THROUGHPUT_UNITS,REMOTE_RECV_THROUGHPUT"
    command = ["netperf", "-H", line.address("server"), "-t", "omni", "-l", str(seconds)]
    options = ["--", "-d", "send", "-T", "tcp", "-k", f"{keys},TRANSPORT_MSS"]
    return _beside(line, ["netserver", "-D"], NETPERF_PORT, [*command, *options], seconds)


def uperf(line: Line, directory: Path, seconds: int) -> bytes:
    """Return what uperf prints each second when four threads write 30 KiB after 30 KiB."""
    profile = directory / "profile.xml"
    profile.write_text(_UPERF_PROFILE.format(address=line.address("server"), seconds=seconds))
    command = ["uperf", "-R", "-i", "1", "-m", str(profile)]
    return _beside(line, ["uperf", "-s"], UPERF_PORT, command, seconds)


_UPERF_PROFILE = """<?xml version="1.0"?>
<profile name="str-writex30k">
  <group nthreads="4">
    <transaction iterations="1">
      <flowop type="connect" options="remotehost={address} protocol=tcp"/>
    </transaction>
    <transaction duration="{seconds}s">
      <flowop type="write" options="count=16 size=30k"/>
    </transaction>
    <transaction iterations="1">
      <flowop type="disconnect"/>
    </transaction>
  </group>
</profile>
"""


def limit_send_buffer(line: Line, buffer_bytes: int) -> None:
    """Let no TCP socket of the client hold more than this, payload and what the kernel adds."""
    sizes = f"net.ipv4.tcp_wmem=4096 16384 {buffer_bytes}"
    line.run("client", ["sysctl", "-q", "-w", sizes])


def _beside(
    line: Line, server_command: Sequence[str], port: int, command: Sequence[str], seconds: float
) -> bytes:
    """Return what a client prints, beside a server that would run on without it."""
    with line.server(server_command, port) as server:
        output = _client(line, command, seconds)
        server.terminate()
    return output


def _client(line: Line, command: Sequence[str], seconds: float) -> bytes:
    return line.run("client", [*priority(), *command], seconds + GRACE_S)


def _refuse_error(command: Sequence[str], output: bytes) -> None:
    try:
        result = json.loads(output)
    except json.JSONDecodeError as error:
        raise LineError(f"{shlex.join(command)}: its output is not JSON: {error}") from error
    if "error" in result:
        raise LineError(f"{shlex.join(command)}: {result['error']}")
