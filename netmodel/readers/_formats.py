"""Results of any tool: the format is recognised from the content of a file."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from itertools import pairwise
from typing import TypeAlias

from netmodel.errors import ParseError, UnknownFormatError, UnknownRecordError
from netmodel.readers._document import RawText, Source, cleaned, json_spans, read_text
from netmodel.readers._measurement import Measurement
from netmodel.readers._printed import Run, started

_NAMES = (
    *("iperf3", "iperf3-text", "uperf", "netperf", "nuttcp", "iperf2", "sockperf", "qperf"),
    *("perftest", "perftest-text", "ntttcp", "flent", "trex", "trex-text", "speedtest"),
    *("netmodel-csv", "rate"),
)
"""Formats in the order in which they are tried: the constant of that name in the module of it."""
_MODULES = {"netmodel-csv": "tables", "perftest-text": "_perftest", "trex-text": "_trex"}
"""Modules of another name."""
_OF_SEVERAL_DOCUMENTS = frozenset({"iperf3", "trex"})
"""Formats of which a result may be several JSON documents: lines of a stream, snapshots."""
_OBJECTS = re.compile(r"\s*\[?\s*\{")
"""Begin of an object, or of a list of them; a log may begin each line with a time in brackets."""
OF_NO_KNOWN_FORMAT = "of no known format"
"""Kind of a text that no reader recognises."""


Reader: TypeAlias = Callable[[RawText], list[Run]]


@dataclass(frozen=True, slots=True)
class Format:
    """
    A format of results; each reader module defines one, and ``_NAMES`` names it.

    Parameters
    ----------
    name : str
        Its name for users.
    recognises : callable
        From a text to whether it is of this format. It searches for marks, never parses the whole
        text, and never raises.
    read : callable
        From a text to its runs; ParseError where it is not of this format.
    marks : re.Pattern, optional
        Lines of the text of a tool, which may stand between others.
    """

    name: str
    recognises: Callable[[str], bool]
    read: Reader
    marks: re.Pattern[str] | None = None


def json_format(name: str, read: Reader, *marks: str) -> Format:
    """Return a format of JSON that has all keys of one of these lists."""

    def recognises(text: str) -> bool:
        is_json = _OBJECTS.match(text) is not None
        return is_json and any(all(f'"{key}"' in text for key in keys.split()) for keys in marks)

    return Format(name, recognises, read)


@cache
def format_named(name: str) -> Format:
    """The format of a name in `result_formats`; its module is loaded."""
    plain = name.replace("-", "_")
    module = import_module(f"netmodel.readers.{_MODULES.get(name, f'_{plain}')}")
    known: Format = getattr(module, plain.upper())
    return known


def result_formats() -> tuple[str, ...]:
    """
    Names of the formats that `read_result` reads.

    Returns
    -------
    names : tuple of str
        In the order in which a file is tried.

    Examples
    --------
    >>> "iperf3" in result_formats()
    True
    """
    return _NAMES


def read_result(source: Source, format_name: str | None = None) -> tuple[Measurement, ...]:
    """
    Read the result of a benchmark tool.

    Parameters
    ----------
    source : path, bytes or mapping
        File that the tool wrote, plain or packed with gzip, or its content, as
        bytes or as parsed JSON.
    format_name : str, optional
        One of `result_formats`; recognised from the content when left out.

    Returns
    -------
    measurements : tuple of Measurement
        One for each direction of each run, row, port or series in the file;
        `part` names it where there are several. A run that failed has an
        `error` and no values.

    Raises
    ------
    UnknownFormatError
        If the file is of no known format; this is a ParseError too.
    ParseError
        If the file is cut off, or holds an impossible value; the message names
        the file and the key or line.
    UnknownRecordError
        If there is no format of that name.

    Notes
    -----
    Goodput is counted at the receiver, from bytes and time, as far as the tool
    reports them; ``docs/reference/results.md`` says for each format what is
    read. Text is rounded: the goodput is then the less rounded of the printed
    rate and of bytes over time, and `goodput_half_width_bps` is the rounding.

    Examples
    --------
    >>> from netmodel.records import data_path
    >>> (run,) = read_result(data_path("examples", "iperf3", "line-200m-mtu1500.json"))
    >>> run.tool
    'iperf3'
    """
    if format_name is not None and format_name not in _NAMES:
        raise UnknownRecordError(f"unknown format {format_name!r}; known are {', '.join(_NAMES)}")
    raw = read_text(source)
    parts = _parts(raw)
    if format_name is not None:
        known = format_named(format_name)
        text = raw if known.marks is None else replace(raw, text=cleaned(raw.text))
        parts = [part for part in parts if part[0] is known] or [(known, text)]
    if not parts:
        from netmodel.readers._host_activity import recognised_host_state, unread_kind

        host_state = recognised_host_state(raw.text)
        if host_state is not None:
            problem = f"of {host_state}: the state of a host, not the result of a benchmark"
            raise UnknownFormatError(raw.source, problem, host_state)
        problem = unread_kind(raw.text) or f"not a result of a known tool: {', '.join(_NAMES)}"
        raise UnknownFormatError(raw.source, problem, OF_NO_KNOWN_FORMAT)
    runs = read_parts(
        [
            ("result", started(text, known.name.removesuffix("-text")), partial(known.read, text))
            for known, text in parts
        ]
    )
    return tuple(run.measurement() for run in runs)


def read_parts(parts: Sequence[tuple[str, Run, Callable[[], list[Run]]]]) -> list[Run]:
    """Return the runs of named parts; one that cannot be read beside others says why."""
    if len(parts) == 1:
        return parts[0][2]()
    runs: list[Run] = []
    counts, seen = Counter(name for name, *_ in parts), Counter[str]()
    for name, unread, read in parts:
        seen[name] += 1
        number = f" {seen[name]}" if counts[name] > 1 else ""
        try:
            found = read()
        except ParseError as error:
            found = [Run(unread, why_no_goodput=error.problem)]
        for run in found:
            run["part"] = ", ".join(filter(None, (name + number, run["part"])))
        runs += found
    return runs


def _parts(raw: RawText) -> list[tuple[Format, RawText]]:
    """The results in a text: a document alone, or documents and lines of tools among others."""
    for each in map(format_named, _NAMES):  # which loads no more modules than it takes
        if each.marks is None and each.recognises(raw.text):
            return [(each, raw)]
    formats = [format_named(name) for name in _NAMES]
    documents = [each for each in formats if each.marks is None]
    plain = cleaned(raw.text)
    found: list[tuple[int, Format, str]] = []
    for start, end in json_spans(plain):
        line_ends = "\n" * plain.count("\n", 0, start)
        text = f"{line_ends}{plain[start:end]}"
        known = next((each for each in documents if each.recognises(text)), None)
        if known is None:
            continue
        if found and known is found[-1][1] and known.name in _OF_SEVERAL_DOCUMENTS:
            text = f"{found.pop()[2]}\n{text}"
        found.append((start, known, text))
        plain = plain[:start] + re.sub(r"[^\n]", " ", plain[start:end]) + plain[end:]
    marked = sorted(
        (match.start(), number)
        for number, each in enumerate(formats)
        if each.marks is not None
        for match in each.marks.finditer(plain)
    )
    begins = [pair for before, pair in pairwise([(0, -1), *marked]) if pair[1] != before[1]]
    for (start, number), (end, _) in pairwise([*begins, (len(plain), -1)]):
        begin = start if found or len(begins) > 1 else 0
        line_ends = "\n" * plain.count("\n", 0, begin)
        found.append((start, formats[number], f"{line_ends}{plain[begin:end]}"))
    return [
        (known, replace(raw, text=text)) for _, known, text in sorted(found, key=lambda e: e[0])
    ]
