"""Network namespaces of emulated lines, named for their process and removed after it."""

import contextlib
import os
import secrets
import shlex
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

COMMAND_TIMEOUT_S = 10.0

_PREFIX = "nmline"
_NAMESPACES = Path("/run/netns")


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


def new_token() -> str:
    """Return what makes the names of a line unique, and shows which process made them."""
    return f"{os.getpid()}-{_start_ticks(os.getpid())}-{secrets.token_hex(4)}"


def namespace_name(token: str, part: str) -> str:
    """Return the name of one namespace of a line."""
    return f"{_PREFIX}-{token}-{part}"


def namespaces() -> list[str]:
    """Return the names of all namespaces of emulated lines, whichever process made them."""
    return sorted(path.name for path in _NAMESPACES.glob(f"{_PREFIX}-*"))


def remove_stale() -> list[str]:
    """Remove the namespaces that ended processes left behind; return their names."""
    stale = [name for name in namespaces() if not _owner_lives(name)]
    for name in stale:
        remove_namespace(name)
    return stale


def remove_namespace(name: str) -> None:
    """Remove a namespace and what runs in it; where there is none, do nothing."""
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
