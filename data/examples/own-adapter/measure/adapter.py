"""Carry Ethernet frames from one interface to another as an adapter does that needs time for each.

usage: adapter.py FROM TO PER_FRAME_S PER_BYTE_S

A frame is passed on PER_FRAME_S and PER_BYTE_S for each of its bytes, check sequence left out,
after the one before it, or after it came. What the socket cannot hold meanwhile is lost.
Runs until it is ended. Needs Linux and CAP_NET_RAW.
"""

import collections
import select
import socket
import sys
import time

ETH_P_ALL = 3
SO_RCVBUFFORCE = 33
SOCKET_BYTES = 32_000_000
WAITING_FRAMES = 400
LONGEST_FRAME_BYTES = 65536


def opened(device: str, protocol: int) -> socket.socket:
    """Return a socket of all frames of a device, or of none, only to send."""
    one = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(protocol))
    one.bind((device, protocol))
    one.setblocking(False)
    return one


def carry(near: socket.socket, far: socket.socket, per_frame_s: float, per_byte_s: float) -> None:
    """Pass frames on, each at its time."""
    waiting: collections.deque[tuple[float, bytes]] = collections.deque()
    free_s = 0.0
    while True:
        timeout_s = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
        sources = [near] if len(waiting) < WAITING_FRAMES else []
        ready, _, _ = select.select(sources, [], [], timeout_s)
        now_s = time.monotonic()
        if ready:
            frame, address = near.recvfrom(LONGEST_FRAME_BYTES)
            if address[2] != socket.PACKET_OUTGOING:
                free_s = max(free_s, now_s) + per_frame_s + per_byte_s * len(frame)
                waiting.append((free_s, frame))
        while waiting and waiting[0][0] <= now_s:
            far.send(waiting.popleft()[1])


def main(source: str, sink: str, per_frame_s: str, per_byte_s: str) -> None:
    """Open both devices and carry frames."""
    near, far = opened(source, ETH_P_ALL), opened(sink, 0)
    near.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, SOCKET_BYTES)
    carry(near, far, float(per_frame_s), float(per_byte_s))


if __name__ == "__main__":
    main(*sys.argv[1:])
