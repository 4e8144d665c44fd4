"""Time of a thread for each frame that it receives and drops, from rates that others measured."""

from typing import Any

from calibrated._digits import time_text
from netmodel.framing.lengths import ETHERNET_HEADER_BYTES, FCS_BYTES
from netmodel.grades import Grade
from netmodel.records import dataset

RECEIVED = dataset("connectx5-receive")
THREADS = {1: "one-thread", 2: "two-threads", 4: "four-threads"}
"""Numbers of threads that limit the rate of frames of more than one size."""
BUSY_PERCENT = 80
"""CPU use of each thread that limits: one that is alone and always has frames shows 87 %."""
LINE_MBPS = 99_900
"""A line that is full shows more, with preamble and gap."""
UDP_BYTES = ETHERNET_HEADER_BYTES + 20 + 8 + FCS_BYTES
"""Of a frame beside the payload of UDP over IPv4."""


def documents() -> dict[str, dict[str, Any]]:
    """Return a path for each number of threads."""
    return {f"receive-connectx-5-{name}": _path(count, name) for count, name in THREADS.items()}


def _path(thread_count: int, name: str) -> dict[str, Any]:
    table, of_generator = RECEIVED.tables["receive"], {int(x["row"]) for x in RECEIVED.flags}
    names = "thread_count", "frame_bytes", "frame_rate_fps", "layer1_mbps", "cpu_percent"
    columns = zip(*map(table.numbers, names), strict=True)
    limited = [
        (int(frame_bytes), float(count / rate_fps))
        for row, (count, frame_bytes, rate_fps, line_mbps, percent) in enumerate(columns, start=1)
        if count == thread_count and row not in of_generator
        if line_mbps < LINE_MBPS and percent > BUSY_PERCENT * count
    ]
    sizes, times_s = ({*each} for each in zip(*limited, strict=True))
    low, high = (time_text(each) for each in (min(times_s), max(times_s)))
    known = f"{min(sizes) - UDP_BYTES} to {max(sizes) - UDP_BYTES} B"
    words = name.replace("-", " ")
    return {
        "title": f"ConnectX-5: frames received and dropped by {words} of an AMD 2950X",
        "description": "Each thread blocks on interrupts of its receive queue, in Linux 4.15.",
        "unknown": ["time of longer frames, which fill the line", "what more threads wait for"],
        "defaults": {
            "source": "openperf",
            "locator": "dataset connectx5-receive",
            "grade": Grade.FITTED.value,
            "note": f"{words} over frames a second; frames of {min(sizes)} to {max(sizes)} byte, "
            f"where each thread is more than {BUSY_PERCENT} % busy and the line is not full",
        },
        "stages": [
            {
                "name": "threads",
                "kind": "receive-queue-cpu",
                "servers": f"{thread_count}",
                "both": {
                    "per_frame": f"{low.removesuffix(' ns')} to {high}",
                    "known_payload": known,
                },
            }
        ],
    }
