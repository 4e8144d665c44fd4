"""Load of an interface, from two snapshots of its counters."""

import math
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from netmodel.errors import ContradictionError, DomainError
from netmodel.framing.layers import (
    IPV4_HEADER_BYTES,
    MIN_IPV4_MTU_BYTES,
    UDP_HEADER_BYTES,
    VLAN_TAG_BYTES,
)
from netmodel.framing.unchecked import (
    ETHERNET_HEADER_BYTES,
    FCS_BYTES,
    MIN_FRAME_BYTES,
    SILENT_BYTES,
)
from netmodel.numeric import require_above, require_at_least
from netmodel.readers._ethtool import Offloads
from netmodel.readers._measurement import Measurement
from netmodel.readers.counters import Counters, counter_change
from netmodel.results import Result
from netmodel.text import percent_text
from netmodel.units import BITS_PER_BYTE

_REPEATED_BYTES = ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES + UDP_HEADER_BYTES
"""Headers that each frame of an aggregate repeats, at least: Ethernet 14, IPv4 20, UDP 8. [byte]"""
_SHORTEST_DEVICE_BYTES = MIN_FRAME_BYTES - FCS_BYTES
"""Shortest frame of 64 byte (IEEE 802.3) without its check sequence of 4. [byte]"""
_WIRE_BYTES_NOT_COUNTED = FCS_BYTES + SILENT_BYTES
"""Frame check sequence 4, preamble and delimiter 8, interpacket gap 12. [byte]"""
_NO_PAYLOAD = "counters of an interface do not separate payload from headers"
_ROUNDING_RATIO = 0.01
"""Utilisation above 1 by less is due to the time, which users take to some 10 ms in seconds."""


InterfaceDirection: TypeAlias = Literal["in", "out"]
"""Into the host or out of it."""

_PREFIX = {"in": "rx", "out": "tx"}
_AGGREGATING = {
    "in": ("generic-receive-offload", "large-receive-offload", "rx-gro-hw"),
    "out": (
        "tcp-segmentation-offload",
        "generic-segmentation-offload",
        "tx-udp-segmentation",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class InterfaceLoad(Result):
    """
    Traffic of an interface in one direction; None stands for what is not known.

    Parameters
    ----------
    measurement : Measurement
        Frame rate and time as a measurement, without a goodput.
    interface : str
        Name of the interface.
    direction : str
        ``in``, into the host, or ``out``.
    packet_count : int
        Packets that the interface counted.
    device_bytes : int
        Bytes that it counted. [byte]
    device_rate_bps : float
        Its bytes per second, as bits. [bit/s]
    wire_rate_bps : float
        With the bytes on the line that it does not count. [bit/s]
    utilisation_ratio : float
        Wire rate over line rate; None without a line rate.
    is_lower_bound : bool
        Whether frame rate, wire rate and utilisation are lower bounds, because
        packets are larger than frames of the MTU.
    drop_count, error_count : int
        Packets dropped, and those with errors; None where not reported.
    """

    measurement: Measurement
    interface: str
    direction: InterfaceDirection
    packet_count: int
    device_bytes: int
    device_rate_bps: float
    wire_rate_bps: float
    utilisation_ratio: float | None
    is_lower_bound: bool
    drop_count: int | None
    error_count: int | None

    @property
    def notes(self) -> tuple[str, ...]:
        """What limits the use of these numbers, most important first."""
        return self.measurement.notes


def interface_load(
    before: Counters,
    after: Counters,
    duration_s: float,
    interface: str,
    direction: InterfaceDirection,
    *,
    begin_utc_s: float | None = None,
    line_rate_bps: float | None = None,
    mtu_bytes: int | None = None,
    offloads: Offloads | None = None,
    uncounted_bytes: float = _WIRE_BYTES_NOT_COUNTED,
    width_bits: int | None = None,
) -> InterfaceLoad:
    r"""
    Rates of frames and bytes through an interface, from two snapshots of its counters.

    Parameters
    ----------
    before : Counters
        First snapshot, of ``ip -j -s link`` or ``/proc/net/dev``, or of
        ``ethtool -S`` where the driver names its counters alike.
    after : Counters
        Second snapshot, of the same tool.
    duration_s : float
        Time between them. [s]
    interface : str
        Name of the interface.
    direction : str
        ``in``, into the host, or ``out``.
    begin_utc_s : float, optional
        Time of the first snapshot, since 1970, UTC. [s]
    line_rate_bps : float, optional
        Line rate, for the utilisation. [bit/s]
    mtu_bytes : int, optional
        MTU of the interface, to distinguish frames from packets with several
        segments. [byte]
    offloads : Offloads, optional
        Offloads of the interface, for the same purpose.
    uncounted_bytes : float
        Bytes of each frame on the line that the interface does not count: frame
        check sequence 4, preamble and delimiter 8, gap 12. [byte]
    width_bits : int, optional
        As in `counter_change`. [bit]

    Returns
    -------
    load : InterfaceLoad
        With lower bounds of frame and wire rate where packets are larger than
        frames.

    Raises
    ------
    ContradictionError
        If the interface is not in both snapshots, or as in `counter_change` for
        this interface.
    DomainError
        If the direction is neither ``in`` nor ``out``, the duration or line rate
        is not above zero or infinite, the MTU is below 68 or infinite, or the
        uncounted bytes are negative or infinite.

    Notes
    -----
    .. math:: C = 8\, \frac{B + 24 N}{t}

    with the device's bytes :math:`B` in :math:`N` frames. On an emulated line of
    200 Mbit/s this gave 200.4 Mbit/s. Packets of TSO and GRO
    are counted once by virtual adapters, for all their frames; other drivers
    count frames. Where the mean packet is larger than a frame of the MTU
    :math:`M` with its Ethernet header and a VLAN tag, the line carried at least

    .. math:: N' = \frac{B - 42 N}{M + 18 - 42}

    frames, each with the headers of 42 bytes or more that a packet holds once,
    and :math:`B + 42 (N' - N)` bytes in them. Padding of frames shorter than 64
    bytes is not counted by virtual adapters either, nor added here.

    References
    ----------
    IEEE Std 802.3-2022, clauses 3 and 4, for what is around a frame; Linux
    ``Documentation/networking/statistics.rst``.

    Examples
    --------
    1000 full frames in a millisecond, which the interface counts with 1514 bytes each:

    >>> from netmodel.readers import Counters
    >>> counts = ({"rx_bytes": 0, "rx_packets": 0}, {"rx_bytes": 1_514_000, "rx_packets": 1000})
    >>> before, after = (
    ...     Counters(
    ...         source="", raw_text="", sha256="", tool="ip", counts={"eth0": each}, width_bits=64
    ...     )
    ...     for each in counts
    ... )
    >>> load = interface_load(before, after, 1e-3, "eth0", "in", line_rate_bps=25e9)
    >>> round(load.wire_rate_bps / 1e9, 3), round(load.utilisation_ratio, 3)
    (12.304, 0.492)
    """
    uncounted_bytes = require_at_least("uncounted_bytes", uncounted_bytes, 0, "byte")
    if direction not in _PREFIX:
        raise DomainError(f"direction must be 'in' or 'out'; got {direction!r}")
    prefix = _PREFIX[direction]
    first, last = (
        replace(snapshot, counts={interface: snapshot.counts.get(interface, {})})
        for snapshot in (before, after)
    )
    for name in (f"{prefix}_bytes", f"{prefix}_packets"):
        if any(name not in snapshot.counts[interface] for snapshot in (first, last)):
            raise ContradictionError(f"no counter {name} of {interface} in both snapshots")
    change = counter_change(first, last, duration_s, width_bits=width_bits)
    counts = change.counts[interface]
    device_bytes, packets = counts[f"{prefix}_bytes"], counts[f"{prefix}_packets"]
    least_frames, notes = _frames(device_bytes, packets, direction, mtu_bytes, offloads)
    # bytes on the line: those of the device, headers that aggregates hold once, framing
    is_lower_bound = least_frames > packets
    frame_bytes = device_bytes + _REPEATED_BYTES * (least_frames - packets)
    wire_bps = (frame_bytes + uncounted_bytes * least_frames) * BITS_PER_BYTE / duration_s
    used = None
    if line_rate_bps is not None:
        used = wire_bps / require_above("line_rate_bps", line_rate_bps, 0, "bit/s")
        if used > 1 + _ROUNDING_RATIO:
            notes.append(f"utilisation of {percent_text(used, 4)}: a unit or the time is wrong")
    dropped = counts.get(f"{prefix}_dropped")
    if dropped:
        notes.append(f"{interface} dropped {dropped} packets ({direction})")
    measurement = Measurement(
        source=after.source,
        raw_text=after.raw_text,
        sha256=after.sha256,
        tool=after.tool,
        begin_utc_s=begin_utc_s,
        duration_s=duration_s,
        frame_rate_fps=least_frames / duration_s,
        layer1_rate_bps=wire_bps,
        goodput_is_lower_bound=is_lower_bound,
        why_no_goodput=_NO_PAYLOAD,
        notes=(*change.notes, *notes),
    )
    return InterfaceLoad(
        measurement=measurement,
        interface=interface,
        direction=direction,
        packet_count=packets,
        device_bytes=device_bytes,
        device_rate_bps=device_bytes * BITS_PER_BYTE / duration_s,
        wire_rate_bps=wire_bps,
        utilisation_ratio=used,
        is_lower_bound=is_lower_bound,
        drop_count=dropped,
        error_count=counts.get(f"{prefix}_errors"),
    )


def _frames(
    device_bytes: int,
    packets: int,
    direction: InterfaceDirection,
    mtu_bytes: int | None,
    offloads: Offloads | None,
) -> tuple[int, list[str]]:
    """Lower bound of the frames on the line, and notes on what is uncertain."""
    notes: list[str] = []
    mean_bytes = device_bytes / packets if packets else 0.0
    if mtu_bytes is not None:
        require_at_least("mtu_bytes", mtu_bytes, MIN_IPV4_MTU_BYTES, "byte")
        longest = mtu_bytes + ETHERNET_HEADER_BYTES + VLAN_TAG_BYTES
        if mean_bytes > longest:
            held_bytes = device_bytes - _REPEATED_BYTES * packets
            least = math.ceil(held_bytes / (longest - _REPEATED_BYTES))
            notes.append(
                f"lower bounds: packets of {mean_bytes:.5g} byte on average are aggregates "
                f"(TSO, GRO) at MTU {mtu_bytes}"
            )
            return least, notes
    if packets and mean_bytes < _SHORTEST_DEVICE_BYTES:
        notes.append(
            f"frames of {mean_bytes:.4g} byte on average: padding to 64 byte is not counted"
        )
    if offloads is not None:
        on = offloads.active(*_AGGREGATING[direction])
        if on:
            notes.append(f"a packet may hold several segments: {', '.join(on)} is on")
    elif mtu_bytes is None:
        notes.append("a packet may hold several segments: specify MTU or offloads to know")
    return packets, notes
