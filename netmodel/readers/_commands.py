"""Command lines of tools that stand above their output: the settings that they ask for."""

import re
from typing import Any

from netmodel.readers.measurement import Direction
from netmodel.units.prefixes import KIBI, KILO

_FIELDS = {
    **dict.fromkeys(("P", "parallel"), "stream_count"),
    **dict.fromkeys(("w", "window"), "socket_buffer_bytes"),
    **dict.fromkeys(("M", "mss", "set-mss"), "requested_mss_bytes"),
    **dict.fromkeys(("l", "len", "length"), "write_bytes"),
    **dict.fromkeys(("b", "bitrate", "bandwidth"), "offered_rate_bps"),
}
"""Fields by the options of iperf3 and iperf 2."""
_OPTION = re.compile(
    r"(?<!\S)--?([A-Za-z-]+?)(?:[ =]*(\d{1,9}(?:\.\d{1,9})?)([kmgtKMGT]?)(?:[/,]\S*)?)?(?!\S)"
)


def asked(program: str, options: str) -> dict[str, Any]:
    """
    Return the fields that the options of a program set.

    Prefixes of iperf3 are binary for sizes and decimal for rates; small letters are decimal for
    other tools.
    """
    fields, found = dict[str, Any](), _OPTION.findall(options)
    for field, number, prefix in ((_FIELDS.get(name), *amount) for name, *amount in found):
        if field and number and float(number):
            is_decimal = field.endswith("_bps") if program == "iperf3" else prefix.islower()
            base = KILO if is_decimal else KIBI
            amount = round(float(number) * base ** " kmgt".index(prefix.lower() or " "))
            fields[field] = min(amount, fields.get(field, amount))
    names = {name for name, *_ in found}
    if "offered_rate_bps" in fields:
        fields["offered_rate_bps"] *= float(fields.get("stream_count", 1))
    if "write_bytes" in fields and names & {"u", "udp"}:
        fields["datagram_bytes"] = fields.pop("write_bytes")
    if program == "iperf3" and names & {"R", "reverse"}:
        fields["direction"] = Direction.SERVER_TO_CLIENT
    return fields
