"""An emulated Ethernet line between two network namespaces (Linux, root, iproute2).

A veth pair joins the namespaces ``client`` and ``server``. On each side a token bucket with a size
table charges every frame its wire bytes: 24 bytes (frame check sequence, preamble, start delimiter,
gap) on top of the 14-byte header and the packet that the kernel counts itself. What a tool can get
across is therefore what an Ethernet line of that rate and MTU would let through, except that frames
shorter than the Ethernet minimum are not padded.

``gso_max_segs 1`` is essential: TCP builds packets of several segments whatever ``ethtool -K``
says, and such a packet would be charged its 24 bytes only once. Keep the rate at or below
200 Mbit/s on two cores; above that the processor is the limit, not the line.

iperf3 runs with a real-time priority where that is allowed: a sender that waits 10 ms for the
processor leaves the line empty, and the goodput of a short run then falls by several percent. The
first second is omitted, because the full token bucket lets 256 KiB through faster than the line.
"""

import atexit
import contextlib
import functools
import json
import os
import secrets
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType, TracebackType
from typing import Literal, Self

WIRE_OVERHEAD_BYTES = 24
COMMAND_TIMEOUT_S = 10.0
LISTEN_TIMEOUT_S = 5.0
GRACE_S = 15.0
RUN_SECONDS = 2
OMIT_SECONDS = 1
IPERF3_PORT = 5201

Side = Literal["client", "server"]
IpVersion = Literal[4, 6]

SIDES: tuple[Side, Side] = ("client", "server")
ADDRESSES: dict[tuple[Side, IpVersion], str] = {
    ("client", 4): "10.99.0.1",
    ("server", 4): "10.99.0.2",
    ("client", 6): "fd99::1",
    ("server", 6): "fd99::2",
}
_PREFIX = "nmline"
_NAMESPACES = Path("/run/netns")
_TCP_LISTEN = "0A"


class LineError(RuntimeError):
    """A command on the emulated line failed; the message holds the command and what it said."""


def run(command: Sequence[str], timeout_s: float = COMMAND_TIMEOUT_S) -> bytes:
    """Return what a command prints; raise `LineError` when it fails or takes too long."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=timeout_s, check=False)
    except FileNotFoundError as error:
        raise LineError(f"{shlex.join(command)}: {command[0]} is not on the PATH") from error
    except subprocess.TimeoutExpired as error:
        raise LineError(f"{shlex.join(command)}: not done after {timeout_s:g} s") from error
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip() or "nothing on standard error"
        raise LineError(f"{shlex.join(command)}: exit code {done.returncode}: {said}")
    return done.stdout


def obstacle() -> str | None:
    """Return why no emulated line can be made here, or None when one can."""
    if os.geteuid() != 0:
        return "an emulated line needs root"
    missing = [tool for tool in ("ip", "tc", "iperf3") if shutil.which(tool) is None]
    if missing:
        return f"an emulated line needs {', '.join(missing)} on the PATH"
    try:
        _probe()
    except LineError as error:
        return f"no emulated line can be made here: {error}"
    return None


def remove_stale() -> list[str]:
    """Remove the namespaces that ended processes left behind; return their names."""
    stale = [name for name in namespaces() if not _owner_lives(name)]
    for name in stale:
        _remove_namespace(name)
    return stale


def namespaces() -> list[str]:
    """Return the names of all namespaces of emulated lines, whichever process made them."""
    return sorted(path.name for path in _NAMESPACES.glob(f"{_PREFIX}-*"))


def congestion_control() -> str:
    """Return cubic where the kernel has it, else reno, which every kernel has."""
    available = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()
    return "cubic" if "cubic" in available else "reno"


@functools.cache
def _priority() -> tuple[str, ...]:
    command = ("chrt", "--rr", "10")
    try:
        run([*command, "true"])
    except LineError:
        return ()
    return command


def _new_token() -> str:
    return f"{os.getpid()}-{_start_ticks(os.getpid())}-{secrets.token_hex(4)}"


@dataclass(frozen=True)
class EmulatedLine:
    """A full-duplex line that exists while its ``with`` block runs.

    Parameters
    ----------
    rate_bps
        Line rate of each direction, preamble and gap included [bit/s].
    mtu_bytes
        Largest IP packet on the line [byte].
    timestamps
        Whether TCP connections on the line carry timestamps.
    token
        Makes the names of the namespaces unique; holds the process that made them.
    """

    rate_bps: int
    mtu_bytes: int = 1500
    timestamps: bool = True
    token: str = field(default_factory=_new_token)

    def __enter__(self) -> Self:
        _register(self)
        try:
            self._build()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove both namespaces and what runs in them; a second call does nothing."""
        for side in SIDES:
            _remove_namespace(self.namespace(side))
        _unregister(self)

    def namespace(self, side: Side) -> str:
        """Return the name of the network namespace of one side."""
        return f"{_PREFIX}-{self.token}-{side}"

    def device(self, side: Side) -> str:
        """Return the name of the interface of one side (at most 15 characters)."""
        return f"nm{self.token[-8:]}{side[0]}"

    def address(self, side: Side, ip_version: IpVersion = 4) -> str:
        """Return the address of one side."""
        return ADDRESSES[side, ip_version]

    def run(
        self, side: Side, command: Sequence[str], timeout_s: float = COMMAND_TIMEOUT_S
    ) -> bytes:
        """Return the standard output of a command that runs on one side of the line."""
        return run(self._inside(side, command), timeout_s)

    def iperf3(
        self,
        *arguments: str,
        ip_version: IpVersion = 4,
        seconds: int = RUN_SECONDS,
        omit_seconds: int = OMIT_SECONDS,
        port: int = IPERF3_PORT,
    ) -> bytes:
        """Return the JSON of one iperf3 run from client to server, byte for byte.

        Raises `LineError` when iperf3 reports an error: version 3.12 then still exits with 0.
        """
        command = self.iperf3_command(
            *arguments,
            ip_version=ip_version,
            seconds=seconds,
            omit_seconds=omit_seconds,
            port=port,
        )
        with self._iperf3_server(port):
            timeout_s = seconds + omit_seconds + GRACE_S
            output = self.run("client", [*_priority(), *command], timeout_s)
        _refuse_error(command, output)
        return output

    def steady_iperf3(self, payload_bytes: int, ip_version: IpVersion = 4) -> bytes:
        """Return the fastest of up to three runs, the first that no stall of the machine held up.

        A stall leaves the line empty and can only lower a run; one that reaches 98 % of what full
        frames with this payload carry had none worth another try.
        """
        enough_bps = 0.98 * self.rate_bps * payload_bytes / (self.mtu_bytes + 38)
        fastest, fastest_bps = b"", 0.0
        for _ in range(3):
            output = self.iperf3(ip_version=ip_version)
            received = json.loads(output)["end"]["sum_received"]
            goodput_bps = received["bytes"] * 8 / (received["end"] - received["start"])
            if goodput_bps > fastest_bps:
                fastest, fastest_bps = output, goodput_bps
            if fastest_bps >= enough_bps:
                break
        return fastest

    def iperf3_command(
        self,
        *arguments: str,
        ip_version: IpVersion = 4,
        seconds: int = RUN_SECONDS,
        omit_seconds: int = OMIT_SECONDS,
        port: int = IPERF3_PORT,
    ) -> list[str]:
        """Return the client command that `iperf3` runs."""
        command = ["iperf3", "-c", self.address("server", ip_version), "-p", str(port)]
        command += ["-t", str(seconds), "-O", str(omit_seconds)]
        if "-u" not in arguments:
            command += ["-C", congestion_control()]
        return [*command, *arguments, "-J"]

    def _build(self) -> None:
        remove_stale()
        for side in SIDES:
            run(["ip", "netns", "add", self.namespace(side)])
        self._join()
        for side in SIDES:
            self._set_sysctls(side)
            self._set_device(side)
            self._set_addresses(side)
            self._set_rate(side)

    def _join(self) -> None:
        near, far = (["name", self.device(s), "netns", self.namespace(s)] for s in SIDES)
        run(["ip", "link", "add", *near, "type", "veth", "peer", *far])

    def _set_sysctls(self, side: Side) -> None:
        settings = (f"tcp_timestamps={int(self.timestamps)}", "tcp_no_metrics_save=1")
        for setting in settings:
            self.run(side, ["sysctl", "-q", "-w", f"net.ipv4.{setting}"])

    def _set_device(self, side: Side) -> None:
        device, mtu = self.device(side), str(self.mtu_bytes)
        if shutil.which("ethtool"):
            offloads = ["tso", "off", "gso", "off", "gro", "off"]
            self.run(side, ["ethtool", "-K", device, *offloads])
        self.run(side, ["ip", "link", "set", "lo", "gso_max_segs", "1", "up"])
        self.run(side, ["ip", "link", "set", device, "gso_max_segs", "1", "mtu", mtu, "up"])

    def _set_addresses(self, side: Side) -> None:
        add, device = ["address", "add"], self.device(side)
        self.run(side, ["ip", *add, f"{self.address(side, 4)}/24", "dev", device])
        self.run(side, ["ip", "-6", *add, f"{self.address(side, 6)}/64", "dev", device, "nodad"])

    def _set_rate(self, side: Side) -> None:
        device = self.device(side)
        add = ["tc", "qdisc", "add", "dev", device]
        stab = ["stab", "overhead", str(WIRE_OVERHEAD_BYTES), "linklayer", "ethernet"]
        bucket = ["rate", f"{self.rate_bps}bit", "burst", "256kb", "latency", "20ms"]
        self.run(side, [*add, "root", "handle", "1:", *stab, "tbf", *bucket])

    def _inside(self, side: Side, command: Sequence[str]) -> list[str]:
        return ["ip", "netns", "exec", self.namespace(side), *command]

    @contextlib.contextmanager
    def _iperf3_server(self, port: int) -> Iterator[None]:
        command = self._inside("server", [*_priority(), "iperf3", "-s", "-1", "-p", str(port)])
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as server:
            try:
                self._await_listener(server, port)
                yield
            finally:
                _stop(server)

    def _await_listener(self, server: subprocess.Popen[bytes], port: int) -> None:
        give_up = time.monotonic() + LISTEN_TIMEOUT_S
        while not self._listens("server", port):
            if server.poll() is not None:
                said = server.communicate()[0].decode(errors="replace").strip()
                raise LineError(f"the iperf3 server ended with {server.returncode}: {said}")
            if time.monotonic() > give_up:
                raise LineError(f"no iperf3 server on port {port} after {LISTEN_TIMEOUT_S:g} s")
            time.sleep(0.02)

    def _listens(self, side: Side, port: int) -> bool:
        tables = ["sh", "-c", "cat /proc/net/tcp /proc/net/tcp6 2>/dev/null || true"]
        rows = [row.split() for row in self.run(side, tables).decode().splitlines()]
        return any(row[3] == _TCP_LISTEN and row[1].endswith(f":{port:04X}") for row in rows)


def _refuse_error(command: Sequence[str], output: bytes) -> None:
    try:
        result = json.loads(output)
    except json.JSONDecodeError as error:
        raise LineError(f"{shlex.join(command)}: its output is not JSON: {error}") from error
    if "error" in result:
        raise LineError(f"{shlex.join(command)}: {result['error']}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(timeout=1.0)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(timeout=COMMAND_TIMEOUT_S)


def _probe() -> None:
    name = f"{_PREFIX}-{_new_token()}-probe"
    run(["ip", "netns", "add", name])
    try:
        near, far = (["name", device, "netns", name] for device in "ab")
        run(["ip", "link", "add", *near, "type", "veth", "peer", *far])
        bucket = ["tbf", "rate", "1mbit", "burst", "256kb", "latency", "20ms"]
        run(["ip", "netns", "exec", name, "tc", "qdisc", "add", "dev", "a", "root", *bucket])
    finally:
        _remove_namespace(name)


def _remove_namespace(name: str) -> None:
    if not (_NAMESPACES / name).exists():
        return
    for pid in run(["ip", "netns", "pids", name]).split():
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)
    run(["ip", "netns", "delete", name])


def _owner_lives(name: str) -> bool:
    _, pid, ticks, *_ = name.split("-")
    return _start_ticks(int(pid)) == int(ticks)


def _start_ticks(pid: int) -> int | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return int(text.rpartition(")")[2].split()[19])


_standing: dict[str, EmulatedLine] = {}


def _register(line: EmulatedLine) -> None:
    _standing[line.token] = line
    with contextlib.suppress(ValueError):
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, _close_all_and_end)


def _unregister(line: EmulatedLine) -> None:
    _standing.pop(line.token, None)
    with contextlib.suppress(ValueError):
        if not _standing and signal.getsignal(signal.SIGTERM) is _close_all_and_end:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


@atexit.register
def close_all() -> None:
    """Remove every line of this process that still stands; a forked child leaves them alone."""
    for line in list(_standing.values()):
        if line.token.startswith(f"{os.getpid()}-"):
            with contextlib.suppress(LineError):
                line.close()


def _close_all_and_end(number: int, frame: FrameType | None) -> None:
    close_all()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
