"""The units of each kind of quantity, and which are refused with a reason."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from netmodel.units._prefixes import BITS_PER_BYTE

_DECIMAL = {"": 0, "k": 3, "M": 6, "G": 9, "T": 12}
"""Powers of ten of the SI prefixes."""
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40}
"""Powers of two of the prefixes of IEC 80000-13."""


@dataclass(frozen=True, eq=False)
class Kind:
    """One kind of quantity: what its units stand for, and which are refused with a reason."""

    name: str
    example: str
    units: Mapping[str, Decimal]
    printed: tuple[str, ...]
    refused: Mapping[str, str] = field(default_factory=dict)


def _decimal(unit: str, factor: str = "1") -> dict[str, Decimal]:
    return {prefix + unit: Decimal(factor).scaleb(n) for prefix, n in _DECIMAL.items()}


def _binary(unit: str, factor: str = "1") -> dict[str, Decimal]:
    return {prefix + unit: Decimal(factor) * 2**n for prefix, n in _BINARY.items()}


RATE = Kind(
    name="rate",
    example="25 Gbit/s",
    units=_decimal("bit/s")
    | _decimal("bits/s")
    | _decimal("bits/sec")
    | _decimal("b/s")
    | _decimal("bps")
    | _binary("bit/s")
    | _binary("B/s", str(BITS_PER_BYTE))
    | {"B/s": Decimal(BITS_PER_BYTE)}
    | {prefix: Decimal(1).scaleb(n) for prefix, n in _DECIMAL.items() if prefix},
    printed=("bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"),
    refused={
        f"{prefix}B{per}": f"{prefix}B is a power of ten to some tools and of two to others; "
        f"write {prefix.upper()}iB/s, or bit/s"
        for prefix in "kKMGT"
        for per in ("/s", "/sec", "ps")
    }
    | {"K": "K may mean 1000 or 1024; write kbit/s or Kibit/s"},
)

SIZE = Kind(
    name="size",
    example="1500, 30 kB or 30 KiB",
    units=_decimal("B")
    | _binary("B")
    | _decimal("bit", "0.125")
    | {"": Decimal(1), "byte": Decimal(1), "bytes": Decimal(1)},
    printed=("B", "kB", "MB", "GB", "TB"),
    # a prefix alone may be of ten or of two
    refused={
        letter: f"{letter} may mean {10 ** _DECIMAL[prefix]} or "
        f"{2 ** _BINARY[letter.upper() + 'i']}; write {prefix}B or {letter.upper()}iB"
        for prefix in "kMGT"
        for letter in (prefix.lower(), prefix.upper())
    }
    | {"KB": "KB may mean 1000 or 1024 byte; write kB or KiB"},
)

TIME = Kind(
    name="time",
    example="1.2 µs or 1.2 us",
    units={
        "s": Decimal(1),
        "ms": Decimal("1e-3"),
        "µs": Decimal("1e-6"),
        "us": Decimal("1e-6"),
        "ns": Decimal("1e-9"),
        "min": Decimal(60),  # SI Brochure, table 8, as the hour
        "h": Decimal(3600),
    },
    printed=("ns", "µs", "ms", "s"),
    refused={"m": "m may mean a minute or a thousandth; write min or ms"},
)

FREQUENCY = Kind(
    name="frequency",
    example="5.2 GHz",
    units=_decimal("Hz"),
    printed=("Hz", "kHz", "MHz", "GHz", "THz"),
)

LENGTH = Kind(
    name="length",
    example="100 km",
    units={"m": Decimal(1), "km": Decimal(1000), "cm": Decimal("1e-2"), "mm": Decimal("1e-3")},
    printed=("m", "km"),
)
