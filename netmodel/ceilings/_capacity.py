"""Capacities that people own: a rate with the bytes that count, for whom, and for how long."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Literal, Self

from netmodel.errors import DomainError, UnitError
from netmodel.framing.lengths import ETHERNET_HEADER_BYTES, FCS_BYTES, SILENT_BYTES
from netmodel.numeric import minimum, require_above
from netmodel.text import RESULT_DIGITS
from netmodel.units import BITS_PER_BYTE, format_rate, parse_rate_bps, parse_size_bytes


class ByteLayer(Enum):
    """Layer whose bytes count: those of ``netmodel ceiling --json`` by their number, and others."""

    WIRE = 1
    """Frames with preamble, delimiter and gap."""
    FRAME = 2
    """Frames, destination address to check sequence."""
    FRAME_WITHOUT_FCS = "tc"
    """Frames without the check sequence, as tbf and htb of Linux count them."""
    PACKET = 3
    """Outermost packets, as policers of Linux count them where they arrive."""
    PAYLOAD = 4
    """Payload of the application."""
    PACKETS_AS_BITS = "packets"
    """A bit for each packet, whatever its length: a bit rate is then one of packets."""

    def counted_bytes(
        self, link_bytes: Any, payload_bytes: Any, packet_bytes: Any, wire_bytes: Any, count: Any
    ) -> Any:
        """Return what counts of frames: all their bytes are given, and their link headers each."""
        if self is ByteLayer.FRAME:
            return wire_bytes - SILENT_BYTES * count
        if self is ByteLayer.FRAME_WITHOUT_FCS:
            return packet_bytes + link_bytes * count
        if self is ByteLayer.PACKETS_AS_BITS:
            return count / BITS_PER_BYTE
        if self is ByteLayer.PACKET:
            return packet_bytes
        return wire_bytes if self is ByteLayer.WIRE else payload_bytes

    @classmethod
    def of_frame(cls, wire_bytes: float) -> "dict[ByteLayer, float]":
        """Return what counts of a frame without tags and tunnels, whose payload is not known."""
        packet_bytes = wire_bytes - SILENT_BYTES - FCS_BYTES - ETHERNET_HEADER_BYTES
        sizes = (ETHERNET_HEADER_BYTES, wire_bytes, packet_bytes, wire_bytes, 1.0)
        return {each: each.counted_bytes(*sizes) for each in {*cls} - {cls.PAYLOAD}}


COUNTED_TEXTS = {
    ByteLayer.WIRE: "wire",
    ByteLayer.FRAME: "frame",
    ByteLayer.FRAME_WITHOUT_FCS: "tc (frame without FCS)",
    ByteLayer.PACKET: "ip (IP packet)",
    ByteLayer.PAYLOAD: "payload",
}
"""Layers in sentences, led by the word of a capacity, from the most bytes to the fewest."""
_WORDS: Mapping[str, tuple[str, Any]] = {
    **{text.partition(" ")[0]: ("layer", layer) for layer, text in COUNTED_TEXTS.items()},
    **{word: ("direction", word) for word in ("out", "in", "both")},
    **{f"per {word}": ("scope", word) for word in ("machine", "adapter", "flow")},
    "sustained": ("is_sustained", True),
    "nominal": ("is_nominal", True),
}
"""Field and value that each word of a capacity sets."""
_FORM = rf"(?i)^(.*?)(?: for (.+?) then (.+?))?((?: (?:{'|'.join(_WORDS)}))*)$"
_GRAMMAR = "RATE [for SIZE then RATE] [wire|frame|tc|ip|payload] [out|in|both] [per flow|adapter]"


@dataclass(frozen=True)
class Capacity:
    """
    A rate that a machine, an adapter or each flow has, as a contract or a shaper counts it.

    Parameters
    ----------
    rate_bps : float
        Rate of what counts; of packets in packets a second. [bit/s]
    layer : ByteLayer, optional
        What counts; None where that is not known.
    direction : {"out", "in", "both"}, optional
        As seen from whoever has it, at both ends of a path; ``both`` directions together. None is
        each by itself.
    scope : {"machine", "adapter", "flow"}
        Who has it.
    bucket : tuple of float, optional
        What a full bucket lets pass at this rate, and the rate of an empty one. [byte, bit/s]
    text : str
        As it was read; the rate alone without it.
    is_sustained : bool
        True for a rate that lasts; an undocumented burst may exceed it.
    is_nominal : bool
        True for a rate that its document rounds; runs may be a few percent faster.

    Raises
    ------
    DomainError
        If a rate or size is not above zero, or that of an empty bucket is above the rate.

    Examples
    --------
    >>> capacity = Capacity.parse("10Gbit/s for 30GB then 2.5Gbit/s ip")
    >>> capacity.over_time(60).rate_bps / 1e9
    5.5
    """

    rate_bps: float
    layer: ByteLayer | None = None
    direction: Literal["out", "in", "both"] | None = None
    scope: Literal["machine", "adapter", "flow"] = "machine"
    bucket: tuple[float, float] | None = None
    text: str = field(default="", compare=False)
    is_sustained: bool = False
    is_nominal: bool = False

    def __post_init__(self) -> None:
        for value in (self.rate_bps, *(self.bucket or ())):
            require_above("rates and sizes of a capacity", value, 0, "")
        if self.bucket is not None and self.bucket[1] > self.rate_bps:
            raise DomainError(f"the second rate must be at most {format_rate(self.rate_bps)}")

    @classmethod
    def parse(cls, text: str) -> Self:
        """
        Read a capacity such as ``"5 Gbit/s ip"``, ``"1.8Mpps"`` or ``"5Gbit/s per flow"``.

        Raises
        ------
        UnitError
            If the text is no capacity.
        """
        plain = " ".join(text.split())
        ((rate, size, refill, words),) = re.findall(_FORM, plain)
        wrong = f"{text!r} is no capacity, {_GRAMMAR}"
        said: dict[str, Any] = {"text": plain}
        for word in re.findall("|".join(_WORDS), words.lower()):
            name, value = _WORDS[word]
            if said.setdefault(name, value) is not value:
                raise UnitError(f"{wrong}: it has two words for its {name}")
        try:
            if rate.endswith("pps"):
                if size or "layer" in said:
                    raise UnitError("a rate of packets has no layer and no bucket")
                rate_fps = parse_rate_bps(rate.removesuffix("pps") + "bit/s")
                return cls(rate_fps, ByteLayer.PACKETS_AS_BITS, **said)
            bucket = (parse_size_bytes(size), parse_rate_bps(refill)) if size else None
            return cls(parse_rate_bps(rate), bucket=bucket, **said)
        except UnitError as error:
            stray = re.match(r"[\d.]+ ?[^\d\s]\S* (.+)", rate)
            why = f"unknown words {stray[1]!r}" if stray else str(error)
            why = why.replace("bit/s", "pps") if rate.endswith("pps") else why
            raise UnitError(f"{wrong}: {why}") from error

    def __repr__(self) -> str:
        return f"Capacity({str(self)!r})"

    def __str__(self) -> str:
        return self.text or format_rate(self.rate_bps, RESULT_DIGITS)

    @property
    def of_any_layer(self) -> "Capacity":
        """Return this capacity without the word for what counts."""
        words = "|".join(word for word, (name, _) in _WORDS.items() if name == "layer")
        return replace(self, layer=None, text=re.sub(rf"(?i) (?:{words})\b", "", self.text))

    @property
    def burst_s(self) -> float:
        """Time in which a full bucket passes at the first rate; 0 without a bucket. [s]"""
        return BITS_PER_BYTE * self.bucket[0] / self.rate_bps if self.bucket else 0.0

    def over_time(self, time_s: float) -> "Capacity":
        r"""
        Return the mean over a time that begins with a full bucket; without one, itself.

        Parameters
        ----------
        time_s : float
            How long; without end, what remains is the refill. [s]

        Notes
        -----
        .. math:: r + (R - r) \min(1,\; 8 S / (R t))

        with the rate :math:`R`, the refill :math:`r` and the burst :math:`S`.
        """
        _, refill_bps = self.bucket or (0, self.rate_bps)
        full_ratio = min(1.0, self.burst_s / time_s) if time_s else 1.0
        mean_bps = refill_bps + (self.rate_bps - refill_bps) * full_ratio
        return replace(self, rate_bps=mean_bps, bucket=None)

    def over_bytes(self, size_bytes: Any) -> "Capacity":
        """Return the mean over this many bytes that count and begin with a full bucket."""
        burst_bytes, refill_bps = self.bucket or (size_bytes, self.rate_bps)
        slow_ratio = 1 - minimum(1.0, burst_bytes / size_bytes)
        lasts_ratio = 1 + slow_ratio * (self.rate_bps / refill_bps - 1)
        return replace(self, rate_bps=self.rate_bps / lasts_ratio, bucket=None)

    def payload_rates_bps(
        self, payload_bytes: float, counted_bytes: Mapping[ByteLayer, float]
    ) -> dict[str, float]:
        """
        Return the payload rate for each layer that may count, from the lowest. [bit/s]

        Parameters
        ----------
        payload_bytes : float
            Payload of a full frame, or of a message. [byte]
        counted_bytes : mapping of ByteLayer to float
            Its bytes as each layer counts them. [byte]
        """
        layers = COUNTED_TEXTS if self.layer is None else (self.layer,)
        return {
            COUNTED_TEXTS.get(layer, ""): self.rate_bps * (payload_bytes / counted_bytes[layer])
            for layer in layers
            if layer in counted_bytes
        }
