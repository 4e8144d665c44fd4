"""Columns of a table of one's own, by the names that ``check`` and ``calibrate`` share."""

import re
from collections.abc import Collection, Iterable
from decimal import Decimal

from netmodel._text import near_name
from netmodel.errors import ParseError
from netmodel.readers._document import shown

__all__ = [
    "ENDS",
    "FIGURES",
    "canonical",
    "figure_columns",
    "is_table",
    "near_column",
    "require_commas",
]

FIGURES: dict[str, tuple[str, Decimal]] = {
    "throughput_bps": ("throughput_bps", Decimal(1)),
    "throughput_mbps": ("throughput_bps", Decimal(10**6)),
    "throughput_gbps": ("throughput_bps", Decimal(10**9)),
    "throughput_mib_per_s": ("throughput_bps", Decimal(8 * 2**20)),
    "transaction_rate_tps": ("transaction_rate_tps", Decimal(1)),
    "transaction_time_s": ("transaction_time_s", Decimal(1)),
    "transaction_time_ms": ("transaction_time_s", Decimal("1e-3")),
    "transaction_time_us": ("transaction_time_s", Decimal("1e-6")),
    "transaction_time_ns": ("transaction_time_s", Decimal("1e-9")),
    "cpu_us_per_gbit": ("cpu_us_per_gbit", Decimal(1)),
    "cpu_ms_per_mib": ("cpu_us_per_gbit", Decimal(10**12) / Decimal(8 * 2**20)),
    "cpu_s_per_transaction": ("cpu_s_per_transaction", Decimal(1)),
    "cpu_ms_per_transaction": ("cpu_s_per_transaction", Decimal("1e-3")),
    "cpu_us_per_transaction": ("cpu_s_per_transaction", Decimal("1e-6")),
}
"""Columns of figures: the quantity, and one of the column's unit in that of the quantity."""

ENDS = ("_low", "_high")
"""Behind the name of a figure: what it may be at least and at most."""

_PARTS = ("", *ENDS, "_relation", "_resolution")
_AMBIGUOUS = {
    "throughput_mb_per_s": "throughput_mib_per_s or throughput_mbps",
    "cpu_ms_per_mb": "cpu_ms_per_mib or cpu_us_per_gbit",
}
_SYNONYMS = {"stream_count": "connection_count", "transport": "protocol"}
_BASELINE = "baseline_"
_CONDITIONS = (
    *("connection_count", "mtu_bytes", "payload_bytes", "request_bytes", "response_bytes"),
    *("write_bytes", "duration_s", "protocol", "ip_version", "direction", "side", "cpu_scope"),
    *("adapter", "workload", "tool", "tool_version"),
)
_OF_ROWS = ("relation", "weight", "flag", "quantity", "change", "baseline")
_KNOWN = (*(name + part for name in FIGURES for part in _PARTS), *_CONDITIONS, *_OF_ROWS)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_ ./%()\[\]-]*")
_OTHER_SEPARATORS = {";": "semicolons", "\t": "tabs"}
_LONGEST_HEAD = 4000


def canonical(name: str) -> str:
    """The name of a column without blanks around it, and with one word for what has two."""
    name = name.strip()
    prefix = _BASELINE if name.startswith(_BASELINE) else ""
    own = name.removeprefix(prefix)
    return prefix + _SYNONYMS.get(own, own)


def near_column(name: str) -> str | None:
    """The known name that an unknown one may stand for; None for a known one, or without any."""
    own = name.removeprefix(_BASELINE)
    if own in _KNOWN:
        return None
    flat = canonical(re.sub("[^a-z0-9]+", "_", own.lower()).strip("_"))
    return flat if flat in _KNOWN else near_name(flat, _KNOWN)


def figure_columns(source: str, names: Iterable[str]) -> dict[str, tuple[str, Decimal]]:
    """
    The columns of figures among these, without ends: quantity and scale of each.

    Raises
    ------
    ParseError
        If two of them hold the same quantity, or one has a unit with two meanings.
    """
    present = set(names)
    for name in sorted(present & set(_AMBIGUOUS)):
        problem = f"MB is 10^6 byte to some and 2^20 to others; write {_AMBIGUOUS[name]}"
        raise ParseError(source, f"line 1, column {name}: {problem}")
    found = {
        name: told
        for name, told in FIGURES.items()
        if any(name + end in present for end in ("", *ENDS))
    }
    quantities = [quantity for quantity, _ in found.values()]
    for name, (quantity, _) in found.items():
        if quantities.count(quantity) > 1:
            raise ParseError(source, f"line 1, column {name}: another one tells {quantity} too")
    return found


def require_commas(source: str, header: str) -> None:
    """Refuse a table whose cells stand between something else."""
    for mark, word in _OTHER_SEPARATORS.items():
        if mark in header and "," not in header:
            problem = f"cells stand between {word}; save the table with commas"
            raise ParseError(source, f"line 1: {shown(header)}: {problem}")


def is_table(text: str, quantities: Collection[str]) -> bool:
    """
    Whether the first line names columns, and one of them is a figure of these quantities.

    Names that are only nearly those need a row of as many cells below them, so that whoever wrote
    them is told, and other lists of words are not taken for tables.
    """
    header, second = (*text[:_LONGEST_HEAD].removeprefix("\ufeff").split("\n", 2), "")[:2]
    mark = next((mark for mark in _OTHER_SEPARATORS if mark in header and "," not in header), ",")
    names = [name.strip().strip('"') for name in header.split(mark)]
    if not all(map(_NAME.fullmatch, names)):
        return False
    wanted = {
        name + end
        for name, (quantity, _) in FIGURES.items()
        if quantity in quantities
        for end in ("", *ENDS)
    } | set(_AMBIGUOUS)
    if wanted & set(names):
        return True
    is_row = len(names) > 1 and second.count(mark) == header.count(mark)
    return is_row and any(near_column(name) in wanted for name in names)
