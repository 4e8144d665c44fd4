"""An emulated Ethernet line between two network namespaces (Linux, root, iproute2).

A veth pair joins the namespaces ``client`` and ``server``. On each side a token bucket with a size
table charges every frame its wire bytes: 24 bytes (frame check sequence, preamble, start delimiter,
gap) on top of the 14-byte header and the packet that the kernel counts itself, and at least the 84
bytes of the shortest frame. What a tool can get across is therefore what an Ethernet line of that
rate and MTU would let through. The table has an entry for every length, for its usual cells round
lengths up.

``gso_max_segs 1`` is essential: TCP builds packets of several segments whatever ``ethtool -K``
says, and such a packet would be charged its 24 bytes only once. Keep the rate at or below
200 Mbit/s on two cores; above that the processor is the limit, not the line.

The full token bucket lets `BURST_BYTES` through faster than the line: a run that does not leave out
its start counts that much too much.
"""

import os
import shutil
from dataclasses import dataclass

from line.lines import SIDES, Line, Side
from line.namespaces import LineError, namespace_name, new_token, remove_namespace, run

WIRE_OVERHEAD_BYTES = 24
LEAST_WIRE_BYTES = 84
TABLE_ENTRIES = 16384
BURST_BYTES = 256 * 1024
ONE_SEGMENT = ("gso_max_segs", "1")


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


@dataclass(frozen=True)
class EmulatedLine(Line):
    """A line without propagation delay, made by the kernel alone."""

    def _build(self) -> None:
        super()._build()
        for side in SIDES:
            self._set_rate(side)

    def _join(self) -> None:
        near, far = (["name", self.device(s), "netns", self.namespace(s)] for s in SIDES)
        run(["ip", "link", "add", *near, "type", "veth", "peer", *far])

    def _set_device(self, side: Side) -> None:
        device = self.device(side)
        if shutil.which("ethtool"):
            offloads = ["tso", "off", "gso", "off", "gro", "off"]
            self.run(side, ["ethtool", "-K", device, *offloads])
        self.run(side, ["ip", "link", "set", device, *ONE_SEGMENT])
        super()._set_device(side)

    def _set_rate(self, side: Side) -> None:
        add = ["tc", "qdisc", "add", "dev", self.device(side)]
        stab = ["stab", "overhead", str(WIRE_OVERHEAD_BYTES), "mpu", str(LEAST_WIRE_BYTES)]
        stab += ["mtu", str(TABLE_ENTRIES), "tsize", str(TABLE_ENTRIES), "linklayer", "ethernet"]
        bucket = ["rate", f"{self.rate_bps}bit", "burst", str(BURST_BYTES), "latency", "20ms"]
        self.run(side, [*add, "root", "handle", "1:", *stab, "tbf", *bucket])


def _probe() -> None:
    name = namespace_name(new_token(), "probe")
    run(["ip", "netns", "add", name])
    try:
        near, far = (["name", device, "netns", name] for device in "ab")
        run(["ip", "link", "add", *near, "type", "veth", "peer", *far])
        bucket = ["tbf", "rate", "1mbit", "burst", str(BURST_BYTES), "latency", "20ms"]
        run(["ip", "netns", "exec", name, "tc", "qdisc", "add", "dev", "a", "root", *bucket])
    finally:
        remove_namespace(name)
