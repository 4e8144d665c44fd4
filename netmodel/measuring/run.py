"""Runs a tool with its output untouched on the terminal, and keeps a copy of it."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO, TextIO

_CHUNK_BYTES = 65536
"""Buffer of a pipe on Linux."""
_GRACE_S = 2.0
"""Time that a tool has to print its result after SIGINT: iperf3 takes one round trip. [s]"""
_LAST_GRACE_S = 0.5
"""Time between SIGTERM, which tools that wait for SIGINT's clean-up may need, and SIGKILL. [s]"""
_DRAIN_S = 1.0
"""Time to read what a tool left in its pipe, which a process that it started may keep open. [s]"""
_POLLING_S = 0.1
"""Time until Ctrl-C is seen: short for who waits. [s]"""
SAMPLING_S = 1.0
"""Time between two copies of CPU time: short against a run, long against copying it. [s]"""
LARGEST_KEPT_BYTES = 64 << 20
"""An hour of iperf3 with ten streams has some 20 MB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """
    A run of a tool: output, times and exit code.

    Parameters
    ----------
    exit_code : int
        That of the tool; negative where a signal ended it.
    begin_utc_s, end_utc_s : float
        Start and end of its process, since 1970. [s]
    output, errors : bytes
        What it printed to standard output and standard error.
    is_interrupted : bool
        Whether Ctrl-C or a signal to netmodel ended it.
    is_cut : bool
        Whether it printed more than is kept.
    """

    exit_code: int
    begin_utc_s: float
    end_utc_s: float
    output: bytes
    errors: bytes
    is_interrupted: bool = False
    is_cut: bool = False

    @property
    def state(self) -> str:
        """``complete``, ``failed`` or ``interrupted``."""
        return "interrupted" if self.is_interrupted else "failed" if self.exit_code else "complete"


@contextmanager
def _watched() -> Iterator[threading.Event]:
    """Yield an event that signals set while the block runs, where this is the main thread."""
    asked, kept = threading.Event(), {}
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(ValueError):
            kept[number] = signal.signal(number, lambda *_: asked.set())
    try:
        yield asked
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


def _copy(sink: BinaryIO, kept: bytearray, source: int) -> None:
    """
    Pass on what a pipe or terminal brings, to its end, and keep it up to a byte beyond the limit.

    A reader that has gone, such as head, does not end the run.
    """
    # a terminal whose other end is closed gives EIO
    with suppress(OSError):
        while chunk := os.read(source, _CHUNK_BYTES):
            with suppress(OSError, ValueError):
                sink.write(chunk)
                sink.flush()
            kept += chunk[: LARGEST_KEPT_BYTES + 1 - len(kept)]


def run_tool(arguments: Sequence[str], sample: Callable[[], None] = lambda: None) -> Ran:
    """
    Run a tool to its end; what it prints goes to standard output and error as it comes.

    It has no terminal to ask for a password at, so that sudo and ssh fail in place of waiting.

    Parameters
    ----------
    arguments : sequence of str
        Program and arguments.
    sample : callable, optional
        Called about once a second during the run.

    Raises
    ------
    FileNotFoundError, PermissionError
        If the program is not there or cannot be run.
    """
    # a tool that finds a terminal prints each line at once
    read_end, write_end = _terminal() if sys.stdout.isatty() else os.pipe()
    output, errors = bytearray(), bytearray()
    with _watched() as asked:
        begin = time.time()
        try:
            # a session of its own, so that whatever the tool starts can be ended with it
            process = subprocess.Popen(
                arguments, stdout=write_end, stderr=subprocess.PIPE, start_new_session=True
            )
        except OSError:
            os.close(read_end)
            raise
        finally:
            os.close(write_end)
        assert process.stderr is not None
        ends = (
            (_bytes_of(sys.stdout), output, read_end),
            (_bytes_of(sys.stderr), errors, process.stderr.fileno()),
        )
        threads = [threading.Thread(target=_copy, args=each, daemon=True) for each in ends]
        for each in threads:
            each.start()
        next_sample = begin + SAMPLING_S
        while process.poll() is None:
            if asked.is_set():
                _end(process)
            elif time.time() >= next_sample:
                sample()
                next_sample = time.time() + SAMPLING_S
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=_POLLING_S)
        end = time.time()
        for each in threads:
            each.join(timeout=_DRAIN_S)
        process.stderr.close()
        with suppress(OSError):
            os.close(read_end)
    return Ran(
        exit_code=process.returncode,
        begin_utc_s=begin,
        end_utc_s=end,
        output=bytes(output[:LARGEST_KEPT_BYTES]),
        errors=bytes(errors[:LARGEST_KEPT_BYTES]),
        is_interrupted=asked.is_set(),
        is_cut=max(len(output), len(errors)) > LARGEST_KEPT_BYTES,
    )


def _bytes_of(stream: TextIO) -> BinaryIO:
    """Return the bytes below a stream of text, which stay as they are; a notebook has none."""
    stream.flush()
    below: BinaryIO = getattr(stream, "buffer", None) or BytesIO()
    return below


def _terminal() -> tuple[int, int]:
    """Return both ends of a terminal that passes on each byte as the tool writes it."""
    import pty
    import termios

    near, far = pty.openpty()
    settings = termios.tcgetattr(far)
    settings[1] &= ~termios.OPOST  # the real terminal makes \r\n of \n
    termios.tcsetattr(far, termios.TCSANOW, settings)
    return near, far


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the tool and all it has started: let it print its result, ask again, then kill."""
    for number, patience_s in ((signal.SIGINT, _GRACE_S), (signal.SIGTERM, _LAST_GRACE_S)):
        _signal_group(process, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=patience_s)
            break
    _signal_group(process, signal.SIGKILL)
    process.wait()


def _signal_group(process: "subprocess.Popen[bytes]", number: int) -> None:
    """Signal the tool's process group, of which nothing may be left."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)
