"""What every emulated line has: two namespaces, addresses, commands that run at its ends."""

import atexit
import contextlib
import functools
import os
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import FrameType, TracebackType
from typing import Literal, Self

from line.namespaces import (
    COMMAND_TIMEOUT_S,
    LineError,
    namespace_name,
    new_token,
    remove_namespace,
    remove_stale,
    run,
)

LISTEN_TIMEOUT_S = 5.0

Side = Literal["client", "server"]
IpVersion = Literal[4, 6]

SIDES: tuple[Side, Side] = ("client", "server")
ADDRESSES: dict[tuple[Side, IpVersion], str] = {
    ("client", 4): "10.99.0.1",
    ("server", 4): "10.99.0.2",
    ("client", 6): "fd99::1",
    ("server", 6): "fd99::2",
}
LEAST_IPV6_MTU_BYTES = 1280
_LISTENING = {"tcp": "0A", "udp": "07"}


@functools.cache
def priority() -> tuple[str, ...]:
    """Return what goes before a command to run it in real time, where that is allowed."""
    command = ("chrt", "--rr", "10")
    try:
        run([*command, "true"])
    except LineError:
        return ()
    return command


@dataclass(frozen=True)
class Line:
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
    token: str = field(default_factory=new_token, kw_only=True)

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
            remove_namespace(self.namespace(side))
        _unregister(self)

    def namespace(self, side: Side) -> str:
        """Return the name of the network namespace of one side."""
        return namespace_name(self.token, side)

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
        return run(self.inside(side, command), timeout_s)

    def inside(self, side: Side, command: Sequence[str]) -> list[str]:
        """Return the command that runs another one on one side of the line."""
        return ["ip", "netns", "exec", self.namespace(side), *command]

    @contextlib.contextmanager
    def server(
        self, command: Sequence[str], port: int, protocol: str = "tcp"
    ) -> Iterator[subprocess.Popen[bytes]]:
        """Run a command on the server while the block runs, which begins when its port is open."""
        inside = self.inside("server", [*priority(), *command])
        with subprocess.Popen(inside, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as server:
            try:
                self._await_listener(server, command, port, protocol)
                yield server
            finally:
                stop(server)

    def _build(self) -> None:
        remove_stale()
        for side in SIDES:
            run(["ip", "netns", "add", self.namespace(side)])
        self._join()
        for side in SIDES:
            self._set_sysctls(side)
            self._set_device(side)
            self._set_addresses(side)

    def _join(self) -> None:
        raise NotImplementedError

    def _set_sysctls(self, side: Side) -> None:
        settings = (f"tcp_timestamps={int(self.timestamps)}", "tcp_no_metrics_save=1")
        for setting in settings:
            self.run(side, ["sysctl", "-q", "-w", f"net.ipv4.{setting}"])

    def _set_device(self, side: Side) -> None:
        device, mtu = self.device(side), str(self.mtu_bytes)
        self.run(side, ["ip", "link", "set", "lo", "up"])
        self.run(side, ["ip", "link", "set", device, "mtu", mtu, "up"])

    def _set_addresses(self, side: Side) -> None:
        add, device = ["address", "add"], self.device(side)
        self.run(side, ["ip", *add, f"{self.address(side, 4)}/24", "dev", device])
        if self.mtu_bytes >= LEAST_IPV6_MTU_BYTES:
            addresses = [f"{self.address(side, 6)}/64", "dev", device, "nodad"]
            self.run(side, ["ip", "-6", *add, *addresses])

    def _await_listener(
        self, server: subprocess.Popen[bytes], command: Sequence[str], port: int, protocol: str
    ) -> None:
        give_up = time.monotonic() + LISTEN_TIMEOUT_S
        while not self._listens(port, protocol):
            if server.poll() is not None:
                said = (server.communicate()[0] or b"").decode(errors="replace").strip()
                raise LineError(f"{shlex.join(command)} ended with {server.returncode}: {said}")
            if time.monotonic() > give_up:
                raise LineError(f"no {command[0]} on port {port} after {LISTEN_TIMEOUT_S:g} s")
            time.sleep(0.02)

    def _listens(self, port: int, protocol: str) -> bool:
        tables = ["sh", "-c", f"cat /proc/net/{protocol} /proc/net/{protocol}6 2>/dev/null || true"]
        rows = [row.split() for row in self.run("server", tables).decode().splitlines()]
        return any(
            row[3] == _LISTENING[protocol] and row[1].endswith(f":{port:04X}") for row in rows
        )


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process that was to end by itself by now."""
    try:
        process.wait(timeout=1.0)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(timeout=COMMAND_TIMEOUT_S)


_standing: dict[str, Line] = {}


def _register(line: Line) -> None:
    _standing[line.token] = line
    with contextlib.suppress(ValueError):
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, _close_all_and_end)


def _unregister(line: Line) -> None:
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
