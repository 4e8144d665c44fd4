"""Units of columns of tables, by the endings of their names; also those that are not base units."""

from functools import lru_cache

_UNITS = {
    "bits": ("bit",),
    "bps": ("bit/s", "bps"),
    "bytes": ("byte", "bytes", "B"),
    "cores_per_gbps": ("cores/(Gbit/s)",),
    "count": ("count", "1"),
    "cycles_per_byte": ("cycles/byte", "cycle/byte"),
    "fps": ("frame/s", "1/s"),
    "gbps": ("Gbit/s", "Gbps", "gbps", "Gb/s"),
    "gbps_per_core": ("(Gbit/s)/core",),
    "ghz": ("GHz",),
    "hz": ("Hz",),
    "km": ("km",),
    "m": ("m",),
    "mb_per_s": ("MB/s",),
    "mbps": ("Mbit/s", "Mbps", "mbps", "Mb/s"),
    "mib_per_s": ("MiB/s",),
    "ms": ("ms",),
    "ms_per_gb": ("ms/GB",),
    "ms_per_mb": ("ms/MB",),
    "ms_per_mib": ("ms/MiB",),
    "ms_per_transaction": ("ms/transaction",),
    "ns": ("ns",),
    "percent": ("%",),
    "ratio": ("ratio", "1"),
    "s": ("s",),
    "s_per_transaction": ("s/transaction",),
    "tps": ("transaction/s", "transactions/s", "tps", "1/s"),
    "us": ("µs", "us", "\N{GREEK SMALL LETTER MU}s"),
    "us_per_gbit": ("µs/Gbit", "us/Gbit"),
    "us_per_kib": ("µs/KiB", "us/KiB"),
    "us_per_transaction": ("µs/transaction", "us/transaction"),
}
"""Unit of a column by the ending of its name, the usual spelling first."""
ENDINGS = {unit: ending for ending, spellings in _UNITS.items() for unit in spellings}
"""Ending by the unit, as tables of users spell it."""
_ACRONYMS = frozenset({"cpu", "fcs", "ip", "mtu", "rtt", "sfd", "tlp"})


def unit_of_name(name: str) -> tuple[str, ...]:
    """Return the spellings of the unit at the end of a column's name; empty where it has none."""
    stem = name.removesuffix("_low").removesuffix("_high")
    ending = max((end for end in _UNITS if stem.endswith(f"_{end}")), key=len, default="")
    if not ending or stem.removesuffix(f"_{ending}").endswith("_per"):
        return ()
    return _UNITS[ending]


@lru_cache(maxsize=1024)  # formulas ask the unit of each argument
def unit_of(name: str) -> str | None:
    """
    Return the unit that the name of a number ends in, as of ``demands_s[0]``; None without one.

    Examples
    --------
    >>> unit_of("payload_rate_bps"), unit_of("demands_s[0]"), unit_of("frame_rate_fps")
    ('bit/s', 's', '1/s')
    """
    spellings = unit_of_name(f"_{name.partition('[')[0]}")
    # a count is a plain number, and what is counted is no unit
    return next((each for each in spellings if each in {"1", "1/s"}), next(iter(spellings), None))


def label_and_unit(name: str) -> tuple[str, str]:
    """
    Return the words of a name, and the unit that it ends in; both may be empty.

    Examples
    --------
    >>> label_and_unit("flow_count"), label_and_unit("mtu_bytes")
    (('flows', 'count'), ('MTU', 'byte'))
    """
    unit = next(iter(unit_of_name(f"_{name}")), "")
    ending = next((end for end, spellings in _UNITS.items() if unit in spellings), "")
    words = name.removesuffix(ending).strip("_").split("_")
    words[-1] += "s" * (unit == "count")
    return " ".join(word.upper() if word in _ACRONYMS else word for word in words), unit
