"""Load of an interface, from two snapshots of its counters."""

import math
from typing import Literal

from netmodel.errors import ContradictionError, DomainError, ParseError
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
from netmodel.readers._document import RawText, Source, load_json_document, read_text, shown
from netmodel.readers._measurement import Measurement
from netmodel.units import BITS_PER_BYTE

_REPEATED_BYTES = ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES + UDP_HEADER_BYTES
"""Headers that each frame of an aggregate repeats, at least: Ethernet 14, IPv4 20, UDP 8. [byte]"""
_WIRE_BYTES_NOT_COUNTED = FCS_BYTES + SILENT_BYTES
"""Frame check sequence 4, preamble and delimiter 8, interpacket gap 12. [byte]"""
_SHORTEST_DEVICE_BYTES = MIN_FRAME_BYTES - FCS_BYTES
"""Shortest frame of 64 byte (IEEE 802.3) without its check sequence of 4. [byte]"""
_PREFIX = {"in": "rx", "out": "tx"}
_COUNTERS = ("bytes", "packets", "dropped")


def interface_load(
    before: Source,
    after: Source,
    duration_s: float,
    interface: str,
    direction: Literal["in", "out"],
    *,
    mtu_bytes: int | None = None,
) -> Measurement:
    r"""
    Rate of frames and bytes through an interface, from two snapshots of its counters.

    Parameters
    ----------
    before, after : path or bytes
        Output of ``ip -j -s link``.
    duration_s : float
        Time between them. [s]
    interface : str
        Name of the interface.
    direction : str
        ``in``, into the host, or ``out``.
    mtu_bytes : int, optional
        MTU of the interface, to distinguish frames from packets with several
        segments. [byte]

    Returns
    -------
    run : Measurement
        For `netmodel.check`: frame rate and bits of layer 1, without a goodput; lower bounds
        where packets are larger than frames.

    Raises
    ------
    ContradictionError
        If a counter fell: it was reset.
    DomainError
        If the direction is neither ``in`` nor ``out``, the duration is not above zero or
        infinite, or the MTU is below 68 or infinite.
    ParseError
        If a file is of another form, or does not have the interface.

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
    and :math:`B + 42 (N' - N)` bytes in them.

    References
    ----------
    IEEE Std 802.3-2022, clauses 3 and 4, for what is around a frame; Linux
    ``Documentation/networking/statistics.rst``; iproute2 6.1: ``ip/ipaddress.c``.

    Examples
    --------
    1000 full frames in a millisecond, which the interface counts with 1514 bytes each:

    >>> counters = b'{"rx": {"bytes": %d, "packets": %d, "dropped": 0}}'
    >>> form = b'[{"ifname": "eth0", "stats64": ' + counters + b"}]"
    >>> run = interface_load(form % (0, 0), form % (1_514_000, 1000), 1e-3, "eth0", "in")
    >>> round(run.layer1_rate_bps / 1e9, 3)
    12.304
    """
    require_above("duration_s", duration_s, 0, "s")
    if direction not in _PREFIX:
        raise DomainError(f"direction must be 'in' or 'out'; got {direction!r}")
    first, last = read_text(before), read_text(after)
    counts = [_counts(raw, interface, _PREFIX[direction]) for raw in (first, last)]
    grown = {name: end - start for name, start, end in zip(_COUNTERS, *counts, strict=True)}
    for name, change in grown.items():
        if change < 0:
            problem = "it was reset, or the later snapshot comes first"
            raise ContradictionError(f"{name} of {interface} fell by {-change}: {problem}")
    device_bytes, packets = grown["bytes"], grown["packets"]
    notes, frames = [], packets
    if mtu_bytes is None:
        notes.append("a packet may hold several segments: specify the MTU to know")
    else:
        require_at_least("mtu_bytes", mtu_bytes, MIN_IPV4_MTU_BYTES, "byte")
        longest = mtu_bytes + ETHERNET_HEADER_BYTES + VLAN_TAG_BYTES
        if device_bytes > longest * packets:
            held_bytes = device_bytes - _REPEATED_BYTES * packets
            frames = math.ceil(held_bytes / (longest - _REPEATED_BYTES))
            notes.append(
                f"lower bounds: packets of {device_bytes / (packets or 1):.5g} byte on average are "
                f"aggregates (TSO, GRO) at MTU {mtu_bytes}"
            )
    if packets and device_bytes < _SHORTEST_DEVICE_BYTES * packets:
        mean_bytes = device_bytes / packets
        notes.append(f"frames of {mean_bytes:.4g} byte on average: padding is not counted")
    if grown["dropped"]:
        notes.append(f"{interface} dropped {grown['dropped']} packets ({direction})")
    frame_bytes = device_bytes + _REPEATED_BYTES * (frames - packets)
    wire_bytes = frame_bytes + _WIRE_BYTES_NOT_COUNTED * frames
    return Measurement(
        source=last.source,
        raw_text=last.text,
        sha256=last.sha256,
        tool="counters of an interface",
        duration_s=duration_s,
        frame_rate_fps=frames / duration_s,
        layer1_rate_bps=wire_bytes * BITS_PER_BYTE / duration_s,
        goodput_is_lower_bound=frames > packets,
        why_no_goodput="counters of an interface do not separate payload from headers",
        notes=tuple(notes),
    )


def _counts(raw: RawText, interface: str, prefix: str) -> list[int]:
    """Bytes, packets and dropped packets of an interface in one direction."""
    for item in load_json_document(raw, "outputs").items():
        if item.members().get("ifname") == interface:
            counts = item.child("stats64").child(prefix)
            return [counts.count(name) for name in _COUNTERS]
    raise ParseError(raw.source, f"has no counters of {shown(interface)}")
