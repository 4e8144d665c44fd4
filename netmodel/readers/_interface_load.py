"""What went through an interface, from its counters at two times."""

import math
from dataclasses import dataclass, replace
from enum import Enum

from netmodel._numeric import require_above, require_at_least
from netmodel.errors import ContradictionError
from netmodel.readers._counter_change import Counters, counter_change
from netmodel.readers._ethtool import Offloads
from netmodel.readers._measurement import Measurement
from netmodel.units import BITS_PER_BYTE

__all__ = ["InterfaceLoad", "Way", "interface_load"]

_ETHERNET_HEADER_BYTES = 14
_VLAN_TAG_BYTES = 4
_LEAST_MTU_BYTES = 68
"""RFC 791: what every IPv4 interface carries."""
_REPEATED_BYTES = 42
"""Headers that each frame of an aggregate repeats, at least: Ethernet 14, IPv4 20, UDP 8. [byte]"""
_SHORTEST_DEVICE_BYTES = 60
_WIRE_BYTES_NOT_COUNTED = 24
_NO_PAYLOAD = "counters of an interface do not tell what of its bytes is payload"
_ROUNDING_RATIO = 0.01


class Way(Enum):
    """Which way packets cross an interface, as seen from its host."""

    IN = "in"
    OUT = "out"


_PREFIX = {Way.IN: "rx", Way.OUT: "tx"}
_AGGREGATING = {
    Way.IN: ("generic-receive-offload", "large-receive-offload", "rx-gro-hw"),
    Way.OUT: ("tcp-segmentation-offload", "generic-segmentation-offload", "tx-udp-segmentation"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class InterfaceLoad:
    """
    What went through an interface one way; None stands for what cannot be known.

    Parameters
    ----------
    measurement : Measurement
        Frame rate and time as a measurement, without a goodput.
    interface : str
        Name of the interface.
    way : Way
        Into the host or out of it.
    packet_count : int
        Packets that the interface counted.
    device_bytes : int
        Bytes that it counted. [byte]
    device_rate_bps : float
        The same per second, as bits. [bit/s]
    wire_rate_bps : float
        With what each frame has on the line besides. [bit/s]
    utilisation_ratio : float
        Of the stated line rate.
    is_lower_bound : bool
        Whether frame rate, wire rate and utilisation are lower bounds, because
        packets are larger than frames of the MTU.
    drop_count, error_count : int
        Packets dropped, and those with errors; None where not told.
    """

    measurement: Measurement
    interface: str
    way: Way
    packet_count: int
    device_bytes: int
    device_rate_bps: float
    wire_rate_bps: float
    utilisation_ratio: float | None
    is_lower_bound: bool
    drop_count: int | None
    error_count: int | None

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of these numbers should know."""
        return self.measurement.warnings


def interface_load(
    before: Counters,
    after: Counters,
    duration_s: float,
    interface: str,
    way: Way,
    *,
    begin_utc_s: float | None = None,
    line_rate_bps: float | None = None,
    mtu_bytes: int | None = None,
    offloads: Offloads | None = None,
    uncounted_bytes: float = _WIRE_BYTES_NOT_COUNTED,
    width_bits: int | None = None,
) -> InterfaceLoad:
    r"""
    Rates of frames and bytes through an interface, from its counters at two times.

    Parameters
    ----------
    before : Counters
        First look, of ``read_ip_link_counters`` or ``read_net_dev``.
    after : Counters
        Second look, of the same reader.
    duration_s : float
        Time between them. [s]
    interface : str
        Which interface.
    way : Way
        Into the host or out of it.
    begin_utc_s : float, optional
        When the first look was taken, since 1970, UTC. [s]
    line_rate_bps : float, optional
        Line rate, for the utilisation. [bit/s]
    mtu_bytes : int, optional
        MTU of the interface, to tell frames from packets that hold several
        segments. [byte]
    offloads : Offloads, optional
        Offloads of the interface, for the same.
    uncounted_bytes : float
        What each frame has on the line that the interface does not count: frame
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
        If the interface is not in both looks, or as in `counter_change` for
        this interface: what others did does not matter.
    DomainError
        If the duration or line rate is not above zero or infinite, the MTU is
        below 68 or infinite, or the uncounted bytes are negative or infinite.

    Notes
    -----
    .. math:: C = 8\, \frac{B + 24 N}{t}

    with the device's bytes :math:`B` in :math:`N` frames. Held against an
    emulated line of 200 Mbit/s this gave 200.4 Mbit/s. Packets of TSO and GRO
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
    """
    uncounted_bytes = require_at_least("uncounted_bytes", uncounted_bytes, 0, "byte")
    prefix = _PREFIX[way]
    first, last = (
        replace(look, counts={interface: look.counts.get(interface, {})})
        for look in (before, after)
    )
    for name in (f"{prefix}_bytes", f"{prefix}_packets"):
        if any(name not in look.counts[interface] for look in (first, last)):
            raise ContradictionError(f"no counter {name} of {interface} in both looks")
    change = counter_change(first, last, duration_s, width_bits=width_bits)
    told = change.counts[interface]
    device_bytes, packets = told[f"{prefix}_bytes"], told[f"{prefix}_packets"]
    least_frames, notes = _frames(device_bytes, packets, way, mtu_bytes, offloads)
    is_lower_bound = least_frames > packets
    frame_bytes = device_bytes + _REPEATED_BYTES * (least_frames - packets)
    wire_bps = (frame_bytes + uncounted_bytes * least_frames) * BITS_PER_BYTE / duration_s
    used = None
    if line_rate_bps is not None:
        used = wire_bps / require_above("line_rate_bps", line_rate_bps, 0, "bit/s")
        if used > 1 + _ROUNDING_RATIO:
            notes.append(f"the line would be used by {100 * used:.4g} %: a unit or time is wrong")
    lost = told.get(f"{prefix}_dropped")
    if lost:
        notes.append(f"{interface} dropped {lost} packets ({way.value})")
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
        warnings=(*change.warnings, *notes),
    )
    return InterfaceLoad(
        measurement=measurement,
        interface=interface,
        way=way,
        packet_count=packets,
        device_bytes=device_bytes,
        device_rate_bps=device_bytes * BITS_PER_BYTE / duration_s,
        wire_rate_bps=wire_bps,
        utilisation_ratio=used,
        is_lower_bound=is_lower_bound,
        drop_count=lost,
        error_count=told.get(f"{prefix}_errors"),
    )


def _frames(
    device_bytes: int,
    packets: int,
    way: Way,
    mtu_bytes: int | None,
    offloads: Offloads | None,
) -> tuple[int, list[str]]:
    """How many frames the line carried at least, and what is uncertain."""
    notes: list[str] = []
    mean_bytes = device_bytes / packets if packets else 0.0
    if mtu_bytes is not None:
        require_at_least("mtu_bytes", mtu_bytes, _LEAST_MTU_BYTES, "byte")
        longest = mtu_bytes + _ETHERNET_HEADER_BYTES + _VLAN_TAG_BYTES
        if mean_bytes > longest:
            held_bytes = device_bytes - _REPEATED_BYTES * packets
            least = math.ceil(held_bytes / (longest - _REPEATED_BYTES))
            notes.append(
                f"packets have {mean_bytes:.5g} bytes on average, more than frames of MTU "
                f"{mtu_bytes}: they are aggregates (TSO, GRO) of several frames. The line carried "
                f"at least {least} frames, and frame rate, wire rate and utilisation are lower "
                "bounds"
            )
            return least, notes
    if packets and mean_bytes < _SHORTEST_DEVICE_BYTES:
        notes.append(
            f"frames have {mean_bytes:.4g} bytes on average: the line pads them to 64, "
            "which is not counted"
        )
    if offloads is not None:
        on = offloads.active(*_AGGREGATING[way])
        if on:
            notes.append(f"packets may hold several segments each, with {', '.join(on)}")
    elif mtu_bytes is None:
        notes.append("whether packets hold several segments is not known: state MTU and offloads")
    return packets, notes
