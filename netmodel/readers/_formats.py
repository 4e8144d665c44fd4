"""Results of any tool: the format is recognised from what a file holds."""

from netmodel.errors import UnknownFormatError, UnknownRecordError
from netmodel.readers._csv import NETMODEL_CSV
from netmodel.readers._document import RawText, Source, read_text
from netmodel.readers._flent import FLENT
from netmodel.readers._format import Format
from netmodel.readers._host_formats import recognised_host_state
from netmodel.readers._iperf2 import IPERF2
from netmodel.readers._iperf3 import IPERF3
from netmodel.readers._iperf3_text import IPERF3_TEXT
from netmodel.readers._measurement import Measurement
from netmodel.readers._netperf import NETPERF
from netmodel.readers._ntttcp import NTTTCP
from netmodel.readers._nuttcp import NUTTCP
from netmodel.readers._perftest import PERFTEST, PERFTEST_GBITS, PERFTEST_MIB, PERFTEST_US
from netmodel.readers._perftest_text import PERFTEST_TEXT
from netmodel.readers._qperf import QPERF
from netmodel.readers._rate import RATE
from netmodel.readers._sockperf import SOCKPERF
from netmodel.readers._trex import TREX
from netmodel.readers._unread import what_it_is
from netmodel.readers._uperf import UPERF

__all__ = ["read_result", "result_formats"]

_FORMATS = {
    known.name: known
    for known in (
        IPERF3,
        IPERF3_TEXT,
        UPERF,
        NETPERF,
        NUTTCP,
        IPERF2,
        SOCKPERF,
        QPERF,
        PERFTEST,
        PERFTEST_MIB,
        PERFTEST_GBITS,
        PERFTEST_US,
        PERFTEST_TEXT,
        NTTTCP,
        FLENT,
        TREX,
        NETMODEL_CSV,
        RATE,
    )
}
"""In the order in which they are tried."""


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
    return tuple(_FORMATS)


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
    for known in _FORMATS.values():
        if known.recognises(raw.text):
            return known.read(raw)
    raise _unknown(raw)


def _unknown(raw: RawText) -> UnknownFormatError:
    """What to say of a text that is of no known format: what it is instead, where that is seen."""
    host_state = recognised_host_state(raw.text)
    if host_state is not None:
        problem = f"of {host_state}, which shows a host: not a result of a tool"
        return UnknownFormatError(raw.source, problem, host_state)
    names = ", ".join(_FORMATS)
    problem = what_it_is(raw.text) or f"not a result of a tool that is known: {names}"
    return UnknownFormatError(raw.source, problem, "of no known format")


def _named(name: str) -> Format:
    if name not in _FORMATS:
        raise UnknownRecordError(f"unknown format {name!r}; known are {', '.join(_FORMATS)}")
    return _FORMATS[name]
