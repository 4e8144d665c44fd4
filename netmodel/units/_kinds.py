"""Units of each kind of quantity."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from netmodel.units.prefixes import BITS_PER_BYTE

_DECIMAL = {"": 0, "k": 3, "M": 6, "G": 9, "T": 12}
"""Powers of ten of the SI prefixes."""
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40}
"""Powers of two of the prefixes of IEC 80000-13."""


@dataclass(frozen=True, eq=False)
class Kind:
    """One kind of quantity: what its units stand for, and which are printed."""

    name: str
    example: str
    units: Mapping[str, Decimal]
    printed: tuple[str, ...]


def _decimal(*units: str, factor: str = "1") -> dict[str, Decimal]:
    return {p + unit: Decimal(factor).scaleb(n) for unit in units for p, n in _DECIMAL.items()}


def _binary(unit: str, factor: str = "1") -> dict[str, Decimal]:
    return {prefix + unit: Decimal(factor) * 2**n for prefix, n in _BINARY.items()}


RATE = Kind(
    name="rate",
    example="25 Gbit/s",
    units=_decimal("bit/s", "bits/s", "bits/sec", "b/s", "bps")
    | _binary("bit/s")
    | _binary("B/s", str(BITS_PER_BYTE))
    | {"B/s": Decimal(BITS_PER_BYTE)}
    | {prefix: Decimal(1).scaleb(n) for prefix, n in _DECIMAL.items() if prefix},
    printed=("bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"),
)

SIZE = Kind(
    name="size",
    example="1500, 30 kB or 30 KiB",
    units=_decimal("B")
    | _binary("B")
    | _decimal("bit", factor="0.125")
    | _binary("bit", "0.125")
    | {"": Decimal(1), "byte": Decimal(1), "bytes": Decimal(1), "PB": Decimal("1e15")},
    printed=("B", "kB", "MB", "GB", "TB"),
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
        "ps": Decimal("1e-12"),
        "min": Decimal(60),  # SI Brochure, table 8, as the hour and the day
        "h": Decimal(3600),
        "d": Decimal(86400),
    },
    printed=("ns", "µs", "ms", "s"),
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

KINDS = (RATE, SIZE, TIME, FREQUENCY, LENGTH)
