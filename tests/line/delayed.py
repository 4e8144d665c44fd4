"""An emulated Ethernet line with propagation delay (Linux, root, iproute2).

Two TAP devices, one in each namespace, are joined by a process that gives every frame its time on
the wire and delivers it after the delay. The frames are real ones: no packet of several segments
passes a TAP, and short frames count with their padding. A drop-tail queue stands before each
direction. Good to 100 Mbit/s on two cores.

A TAP takes what is sent at once, so that a sender without congestion control (UDP without a rate)
is not held back by the line, and takes a processor for frames that the queue then drops.
"""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from line.lines import SIDES, Line, Side, priority, stop
from line.namespaces import LineError, run

QUEUE_BYTES = 4_000_000
_FORWARDER = Path(__file__).with_name("forwarder.py")
_HELD_FRAMES = "20000"
_ABOVE_THE_TOOLS = ("chrt", "--rr", "20")


@dataclass(frozen=True)
class DelayedLine(Line):
    """A line on which every frame arrives some time after it was sent.

    Parameters
    ----------
    delay_s
        From the last bit sent to the last bit received, one way [s].
    queue_bytes
        Wire bytes that may wait for each direction of the line [byte].
    loss_ratio
        Share of the frames from the client to the server that the line loses at random.
    burst_frames
        Frames that are lost one after the other, on average; with 1, each frame is lost
        independently of the others.
    seed
        The same seed loses the same frames, counted from the first.
    """

    delay_s: float = 0.0
    queue_bytes: int = QUEUE_BYTES
    loss_ratio: float = 0.0
    burst_frames: float = 1.0
    seed: int = 1
    _running: contextlib.ExitStack = field(
        default_factory=contextlib.ExitStack, init=False, repr=False, compare=False
    )

    def close(self) -> None:
        """Remove both namespaces, what runs in them, and the line; a second call does nothing."""
        self._running.close()
        super().close()

    def _join(self) -> None:
        devices = [self.device(side) for side in SIDES]
        figures = (self.rate_bps, self.delay_s, self.queue_bytes)
        losses = (self.loss_ratio, self.burst_frames, self.seed)
        command = [sys.executable, "-I", str(_FORWARDER), *map(str, (*figures, *losses)), *devices]
        self._running.enter_context(
            _forwarder([*(_ABOVE_THE_TOOLS if priority() else ()), *command])
        )
        for side in SIDES:
            run(["ip", "link", "set", self.device(side), "netns", self.namespace(side)])

    def _set_device(self, side: Side) -> None:
        self.run(side, ["ip", "link", "set", self.device(side), "txqueuelen", _HELD_FRAMES])
        super()._set_device(side)


@contextlib.contextmanager
def _forwarder(command: list[str]) -> Iterator[None]:
    """Run the process that carries the frames; it ends when its standard input is closed."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as forwarder:
        assert forwarder.stdin is not None
        assert forwarder.stdout is not None
        assert forwarder.stderr is not None
        try:
            if not forwarder.stdout.readline():
                raise LineError(f"no delayed line: {forwarder.stderr.read().decode().strip()}")
            yield
        finally:
            forwarder.stdin.close()
            stop(forwarder)
