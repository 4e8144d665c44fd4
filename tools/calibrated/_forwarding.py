"""Time of a core for each frame that it forwards, from rates that others measured."""

from collections.abc import Iterator
from typing import Any

from calibrated._digits import time_text
from netmodel.framing import wire_bytes
from netmodel.framing.lengths import ETHERNET_HEADER_BYTES, FCS_BYTES
from netmodel.grades import Grade
from netmodel.records import dataset
from netmodel.records.tables import Table
from netmodel.units import BITS_PER_BYTE

XDP, DPDK = dataset("xdp-cores"), dataset("dpdk-single-core")
FRAME_BYTES = 64
"""Of the measured frames, with check sequence: 18 byte of UDP payload over IPv4."""
WIRE_BYTES = wire_bytes(FRAME_BYTES - ETHERNET_HEADER_BYTES - FCS_BYTES)
TOLERANCE_FPS = 1e6
"""Within this a run of the DPDK suite passes."""
MACHINE = "of an Intel Xeon E5-1650 v4 at 3.60 GHz with ConnectX-5 Ex"
CASES = {
    "linux-one-route": ("Linux, one route", {"software": "linux", "routes": "one route"}),
    "linux-full-table": (
        "Linux, full routing table",
        {"software": "linux", "routes": "full table"},
    ),
    "xdp-one-route": ("XDP, one route", {"software": "xdp", "routes": "one route"}),
    "xdp-full-table": ("XDP, full routing table", {"software": "xdp", "routes": "full table"}),
    "xdp-redirect": ("XDP redirect, no look-up", {"software": "xdp", "action": "redirect"}),
}
"""Title and rows of each case, for one to six cores."""
CARDS = {
    "connectx-4-lx": ("ConnectX-4 Lx 25G", "ConnectX-4 Lx 40G"),
    "connectx-5": ("ConnectX-5 Ex",),
}
"""Cards of the DPDK suite whose rates a port can carry."""


def documents() -> dict[str, dict[str, Any]]:
    """Return a path for each case: the cores between two networks."""
    found = {}
    for name, (title, where) in CASES.items():
        rows = XDP.tables["rates"].where(**where)
        counts, rates = rows.numbers("core_count"), rows.numbers("frame_rate_fps")
        ring = "" if where["software"] == "linux" else "; all sizes of the receive ring"
        how = f"cores over frames a second, for one to six cores{ring}"
        times = [float(count / rate) for count, rate in zip(counts, rates, strict=True)]
        found[f"forwarding-{name}"] = _path(f"{title}: a core {MACHINE}", "xdp-paper", times, how)
    for name, cards in CARDS.items():
        ends = [end for card in cards for end in _core_rates_fps(card)]
        how = (
            "one over frames a second, with the tolerance of 1 million; all numbers of descriptors"
        )
        title = f"DPDK testpmd: a core with {' and '.join(cards)}"
        found[f"forwarding-dpdk-{name}"] = _path(
            title, "dpdk-test-suite", [1 / rate for rate in ends], how
        )
    return found


def _core_rates_fps(card: str) -> Iterator[float]:
    """Yield the ends of each rate of one core; a ValueError where no single port carries it."""
    rows: Table = DPDK.tables["forwarding"].where(card=card)
    lines, rates = rows.numbers("line_rate_gbps"), rows.numbers("frame_rate_mfps")
    for line_gbps, rate in zip(lines, rates, strict=True):
        line_fps = float(line_gbps) * 1e9 / BITS_PER_BYTE / WIRE_BYTES
        if rate * 1e6 > line_fps:
            raise ValueError(f"{card}: {rate} million frames/s are more than its port carries")
        yield from (float(rate) * 1e6 - TOLERANCE_FPS, float(rate) * 1e6 + TOLERANCE_FPS)


def _path(title: str, source: str, times_s: list[float], how: str) -> dict[str, Any]:
    low, high = (time_text(each) for each in (min(times_s), max(times_s)))
    times = {"per_frame": f"{low.removesuffix(' ns')} to {high}", "known_payload": "18 B"}
    name = "dpdk-single-core" if source == "dpdk-test-suite" else "xdp-cores"
    return {
        "title": title,
        "description": "Frames of 64 byte pass through one core; servers of a path of your own "
        "says how many cores have receive queues, and each flow keeps one of them busy at most.",
        "unknown": ["time of longer frames, and what else the machine does"],
        "defaults": {
            "source": source,
            "locator": f"dataset {name}",
            "grade": Grade.FITTED.value,
            "note": f"{how}; frames of {FRAME_BYTES} byte",
        },
        "stages": [{"name": "cores", "kind": "receive-queue-cpu", "both": times}],
    }
