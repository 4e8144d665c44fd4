"""Carry Ethernet frames between two TAP devices as a line with propagation delay does.

usage: forwarder.py RATE_BPS DELAY_S QUEUE_BYTES LOSS_RATIO BURST_FRAMES SEED DEVICE DEVICE

Each frame occupies its direction of the line for its wire bytes, padded to the Ethernet minimum,
and arrives DELAY_S after its last bit was sent. A frame that finds QUEUE_BYTES waiting is dropped.
LOSS_RATIO of the frames from the first device to the second are lost at random after they had their
time on the wire, in bursts of BURST_FRAMES on average; the same SEED loses the same frames.
Prints a line when both devices are there; ends, and the devices with it, when standard input is
closed. A program of its own, so that nothing that pytest does can hold up the frames.
"""

import collections
import errno
import fcntl
import os
import random
import select
import struct
import sys
import time

TUNSETIFF = 0x400454CA
IFF_TAP = 0x0002
IFF_NO_PI = 0x1000
LEAST_FRAME_BYTES = 60
WIRE_OVERHEAD_BYTES = 24
LONGEST_FRAME_BYTES = 65536
TURN_FRAMES = 64


class Loss:
    """Which frames are lost: a chain of two states (Gilbert), in one of which all are lost.

    A burst ends before each next frame with the probability 1 / mean burst, and begins so that the
    share of lost frames is the wanted one. The shortest mean is that of frames that are lost
    independently of each other.
    """

    def __init__(self, loss_ratio: float, burst_frames: float, seed: int) -> None:
        self._random = random.Random(seed)
        independent_frames = 1 / (1 - loss_ratio)
        self._ends_ratio = 1 / max(burst_frames, independent_frames)
        self._begins_ratio = loss_ratio * independent_frames * self._ends_ratio
        self._is_losing = False

    def loses_next(self) -> bool:
        """Whether the next frame is lost."""
        changes_ratio = self._ends_ratio if self._is_losing else self._begins_ratio
        if self._random.random() < changes_ratio:
            self._is_losing = not self._is_losing
        return self._is_losing


class Direction:
    """One direction of the line: frames that wait to be sent or are under way."""

    def __init__(
        self,
        source: int,
        sink: int,
        rate_bps: float,
        delay_s: float,
        queue_bytes: float,
        loss: Loss | None = None,
    ) -> None:
        self.source = source
        self._sink = sink
        self._s_per_byte = 8 / rate_bps
        self._delay_s = delay_s
        self._longest_wait_s = queue_bytes * self._s_per_byte
        self._loss = loss
        self._free_s = 0.0
        self._under_way: collections.deque[tuple[float, bytes]] = collections.deque()

    @property
    def next_arrival_s(self) -> float:
        """When the next frame is to be delivered; infinite where none is under way."""
        return self._under_way[0][0] if self._under_way else float("inf")

    def accept(self, now_s: float) -> None:
        """Take the frames that the source has sent; leave those of a flood for the next turn."""
        for _ in range(TURN_FRAMES):
            try:
                frame = os.read(self.source, LONGEST_FRAME_BYTES)
            except BlockingIOError:
                return
            if self._free_s - now_s < self._longest_wait_s:
                wire_bytes = max(LEAST_FRAME_BYTES, len(frame)) + WIRE_OVERHEAD_BYTES
                self._free_s = max(self._free_s, now_s) + wire_bytes * self._s_per_byte
                if self._loss is None or not self._loss.loses_next():
                    self._under_way.append((self._free_s + self._delay_s, frame))

    def deliver(self, now_s: float) -> None:
        """Hand over the frames that have arrived; a device that is down loses them."""
        while self.next_arrival_s <= now_s:
            try:
                os.write(self._sink, self._under_way.popleft()[1])
            except OSError as error:
                if error.errno != errno.EIO:
                    raise


def open_tap(name: str) -> int:
    """Return the file descriptor of a new TAP device, which lives as long as it is open."""
    descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(descriptor, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TAP | IFF_NO_PI))
    return descriptor


def forward(directions: list[Direction]) -> None:
    """Carry frames until standard input is closed."""
    by_source = {direction.source: direction for direction in directions}
    stdin = sys.stdin.fileno()
    while True:
        wait_s = min(each.next_arrival_s for each in directions) - time.monotonic()
        timeout_s = None if wait_s == float("inf") else max(0.0, wait_s)
        ready, _, _ = select.select([stdin, *by_source], [], [], timeout_s)
        if stdin in ready:
            return
        now_s = time.monotonic()
        for source in ready:
            by_source[source].accept(now_s)
        for direction in directions:
            direction.deliver(now_s)


def main(
    rate_bps: str,
    delay_s: str,
    queue_bytes: str,
    loss_ratio: str,
    burst_frames: str,
    seed: str,
    *devices: str,
) -> None:
    """Make the devices and join them."""
    near, far = (open_tap(name) for name in devices)
    figures = (float(rate_bps), float(delay_s), float(queue_bytes))
    lost_ratio = float(loss_ratio)
    loss = Loss(lost_ratio, float(burst_frames), int(seed)) if lost_ratio else None
    directions = [Direction(near, far, *figures, loss), Direction(far, near, *figures)]
    os.write(sys.stdout.fileno(), b"ready\n")
    forward(directions)


if __name__ == "__main__":
    main(*sys.argv[1:])
