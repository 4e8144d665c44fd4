"""Rates of interfaces as sysstat measured them: ``sar -n DEV`` and ``sadf``."""

from dataclasses import dataclass
from datetime import date, tzinfo

from netmodel.errors import ParseError
from netmodel.readers._document import Node, RawText, Source, read_text
from netmodel.readers._sysstat import sadf_rows
from netmodel.readers._sysstat_rows import Row, Rows, json_row, text_rows
from netmodel.units import BITS_PER_BYTE

__all__ = ["InterfaceRates", "read_sadf_interfaces", "read_sar_interfaces"]

_BYTES_PER_KB = 1024
_PERCENT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class InterfaceRates:
    """
    What went through an interface in one interval; None stands for what is not told.

    Parameters
    ----------
    interface : str
        Its name.
    clock : str
        End of the interval as printed.
    begin_utc_s, end_utc_s : float
        When the interval began and ended, since 1970, UTC. [s]
    duration_s : float
        Its length. [s]
    in_packet_rate_fps, out_packet_rate_fps : float
        Packets that the interface counted. [frame/s]
    in_device_rate_bps, out_device_rate_bps : float
        Bytes that it counted, as bits. [bit/s]
    in_drop_rate_fps, out_drop_rate_fps : float
        Packets dropped. [frame/s]
    in_error_rate_fps, out_error_rate_fps : float
        Packets with errors. [frame/s]
    utilisation_ratio : float
        Of its speed, as the tool has it; None where it does not know the speed.
    """

    interface: str
    clock: str
    begin_utc_s: float | None = None
    end_utc_s: float | None = None
    duration_s: float | None = None
    in_packet_rate_fps: float
    out_packet_rate_fps: float
    in_device_rate_bps: float
    out_device_rate_bps: float
    in_drop_rate_fps: float | None = None
    out_drop_rate_fps: float | None = None
    in_error_rate_fps: float | None = None
    out_error_rate_fps: float | None = None
    utilisation_ratio: float | None = None


def read_sadf_interfaces(
    source: Source, *, zone: tzinfo | None = None
) -> tuple[InterfaceRates, ...]:
    """
    Read the rates of interfaces that sadf printed.

    Parameters
    ----------
    source : path, bytes or mapping
        File with the output of ``sadf -j``, ``sadf -d`` or ``sadf -p``, with
        ``-- -n DEV`` and, for drops and errors, ``-n EDEV``, or its content.
    zone : datetime.tzinfo, optional
        Time zone of the times, where they are not of UTC.

    Returns
    -------
    rates : tuple of InterfaceRates
        One for each interface and interval.

    Raises
    ------
    ParseError
        If the file is not of sadf, tells of no interface, or holds a value
        that cannot be; the message names the file and the key or line.

    Notes
    -----
    A kB of sysstat is 1024 bytes. It prints a utilisation of 0 where it does
    not know the speed: that is None here.

    References
    ----------
    sysstat 12.6.1: ``rndr_stats.c``, ``common.c`` (compute_ifutil).
    """
    raw = read_text(source)
    return _interface_rates(raw, "sadf", sadf_rows(raw, zone))


def read_sar_interfaces(
    source: Source, *, day: date | None = None, zone: tzinfo | None = None
) -> tuple[InterfaceRates, ...]:
    """
    Read the rates of interfaces that sar printed.

    Parameters
    ----------
    source : path or bytes
        File with the text that ``sar -n DEV`` printed, or its content.
    day : datetime.date, optional
        On which it began, where the file has it in the form of a locale.
    zone : datetime.tzinfo, optional
        Time zone of the times, which the file does not tell.

    Returns
    -------
    rates : tuple of InterfaceRates
        One for each interface and interval, without averages.

    Raises
    ------
    ParseError
        If the file is not of sar, tells of no interface, or holds a value that
        cannot be; the message names the file and the line.

    References
    ----------
    sysstat 12.6.1: ``pr_stats.c``.
    """
    raw = read_text(source)
    return _interface_rates(raw, "sar", text_rows(raw, "sar", day, zone))


def _interface_rates(raw: RawText, tool: str, rows: Rows) -> tuple[InterfaceRates, ...]:
    """Rates of interfaces, with the drops and errors of the same interval."""
    told = list(rows.rows)
    for one, empty in rows.entries:
        network = one.child("network") if one.has("network") else Node(one.source, one.path, {})
        for key in ("net-dev", "net-edev"):
            nodes = network.child(key).items() if network.has(key) else []
            told += [json_row(node, empty, "iface") for node in nodes]
    faults = {(row.clock, row.subject): row.values for row in told if "rxerr" in row.values}
    rates = [
        _rates(row, faults.get((row.clock, row.subject), row.values))
        for row in told
        if "rxkB" in row.values
    ]
    if not rates:
        raise ParseError(raw.source, f"{tool} tells nothing of interfaces here: use -n DEV")
    return tuple(rates)


def _rates(row: Row, faults: dict[str, float]) -> InterfaceRates:
    needed = ("rxpck", "txpck", "rxkB", "txkB")
    missing = next((name for name in needed if name not in row.values), None)
    if missing is not None:
        raise row.fault(f".{missing} is missing")
    in_fps, out_fps, in_kb, out_kb = (row.values[name] for name in needed)
    used_percent = row.values.get("ifutil", 0)
    return InterfaceRates(
        interface=row.subject,
        clock=row.clock,
        begin_utc_s=row.begin_utc_s,
        end_utc_s=row.end_utc_s,
        duration_s=row.duration_s,
        in_packet_rate_fps=in_fps,
        out_packet_rate_fps=out_fps,
        in_device_rate_bps=in_kb * _BYTES_PER_KB * BITS_PER_BYTE,
        out_device_rate_bps=out_kb * _BYTES_PER_KB * BITS_PER_BYTE,
        in_drop_rate_fps=faults.get("rxdrop"),
        out_drop_rate_fps=faults.get("txdrop"),
        in_error_rate_fps=faults.get("rxerr"),
        out_error_rate_fps=faults.get("txerr"),
        utilisation_ratio=used_percent / _PERCENT or None,
    )
