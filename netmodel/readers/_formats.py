"""Results of any tool: the format is recognised from what a file holds."""

from functools import cache
from importlib import import_module

from netmodel.errors import UnknownFormatError, UnknownRecordError
from netmodel.readers._document import RawText, Source, read_text
from netmodel.readers._format import Format
from netmodel.readers._measurement import Measurement

__all__ = ["format_named", "read_result", "result_formats"]

_PLACES = {
    "iperf3": ("_iperf3", "IPERF3"),
    "iperf3-text": ("_iperf3_text", "IPERF3_TEXT"),
    "uperf": ("_uperf", "UPERF"),
    "netperf": ("_netperf", "NETPERF"),
    "nuttcp": ("_nuttcp", "NUTTCP"),
    "iperf2": ("_iperf2", "IPERF2"),
    "sockperf": ("_sockperf", "SOCKPERF"),
    "qperf": ("_qperf", "QPERF"),
    "perftest": ("_perftest", "PERFTEST"),
    "perftest-mib": ("_perftest", "PERFTEST_MIB"),
    "perftest-gbits": ("_perftest", "PERFTEST_GBITS"),
    "perftest-us": ("_perftest", "PERFTEST_US"),
    "perftest-text": ("_perftest_text", "PERFTEST_TEXT"),
    "ntttcp": ("_ntttcp", "NTTTCP"),
    "flent": ("_flent", "FLENT"),
    "trex": ("_trex", "TREX"),
    "netmodel-csv": ("_csv", "NETMODEL_CSV"),
    "rate": ("_rate", "RATE"),
}
"""Module and name of each format, in the order in which they are tried and loaded."""


@cache
def format_named(name: str) -> Format:
    """The format of a name that `result_formats` has."""
    module, constant = _PLACES[name]
    known: Format = getattr(import_module(f"netmodel.readers.{module}"), constant)
    return known


def result_formats() -> tuple[str, ...]:
    """
    Names of the formats that `read_result` knows.

    Returns
    -------
    names : tuple of str
        In the order in which a file is held against them.

    Examples
    --------
    >>> "iperf3" in result_formats()
    True
    """
    return tuple(_PLACES)


def read_result(source: Source, format_name: str | None = None) -> tuple[Measurement, ...]:
    """
    Read the result of a benchmark tool.

    Parameters
    ----------
    source : path, bytes or mapping
        File that the tool wrote, or its content, as bytes or as parsed JSON.
    format_name : str, optional
        One of `result_formats`; recognised from the content when left out. That
        of perftest must be named, with the unit that its file does not tell.

    Returns
    -------
    measurements : tuple of Measurement
        One for each direction.

    Raises
    ------
    UnknownFormatError
        If the file is of no known format, which is a ParseError too.
    ParseError
        If the file is cut off, or holds a value that cannot be; the message
        names the file and the key.
    UnknownRecordError
        If there is no format of that name.

    Examples
    --------
    >>> from netmodel.records import data_path
    >>> (run,) = read_result(data_path("examples", "iperf3", "line-200m-mtu1500.json"))
    >>> run.tool
    'iperf3'
    """
    if format_name is not None:
        return _named(format_name).read(read_text(source))
    raw = read_text(source)
    for known in map(format_named, _PLACES):
        if known.recognises(raw.text):
            return known.read(raw)
    raise _unknown(raw)


def _unknown(raw: RawText) -> UnknownFormatError:
    """What to say of a text that is of no known format: what it is instead, where that is seen."""
    from netmodel.readers._host_formats import recognised_host_state
    from netmodel.readers._unread import what_it_is

    host_state = recognised_host_state(raw.text)
    if host_state is not None:
        problem = f"of {host_state}, which shows a host: not a result of a tool"
        return UnknownFormatError(raw.source, problem, host_state)
    names = ", ".join(_PLACES)
    problem = what_it_is(raw.text) or f"not a result of a tool that is known: {names}"
    return UnknownFormatError(raw.source, problem, "of no known format")


def _named(name: str) -> Format:
    if name not in _PLACES:
        raise UnknownRecordError(f"unknown format {name!r}; known are {', '.join(_PLACES)}")
    return format_named(name)
