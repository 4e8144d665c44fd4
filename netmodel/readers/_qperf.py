"""
Results of qperf: bandwidth and latency over TCP and UDP, as it prints them.

Goodput is that of the receiver. Units are decimal but for KiB and the like. qperf rounds to three
digits by default and drops zeros at the end, so that the half width by the printed digits (22
Gb/sec) is an upper bound of the rounding. The printed latency is that of one direction: the time of
a transaction is twice that, and half of its messages are requests. Such a test has no goodput, and
its CPU time is over no payload.

CPU time is that of all CPUs of a host, in percent of one, and compared with the printed cost per
GB; the cost at a sender over TCP is per GB sent, which only ``-vv`` prints. ``conf`` in the same
file has the number of CPUs, and ``-vu`` the requested socket buffer. Tests over RDMA, SCTP, SDP and
RDS are refused. Addresses are not printed: loopback and IP version stay unknown.

References: qperf 0.4.11, as it ran, and its source: ``qperf.c``.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from netmodel.consumption import CpuScope, Side
from netmodel.errors import ParseError
from netmodel.readers._document import RawText, shown
from netmodel.readers._formats import Format
from netmodel.readers._measurement import CpuUse, Direction, Measurement
from netmodel.readers._printed import (
    MAX_DATAGRAM_BYTES,
    RATE_TOLERANCE_RATIO,
    Figure,
    half_step,
    rate_disagreement,
)
from netmodel.units import BITS_PER_BYTE
from netmodel.units.prefixes import GIGA, KIBI, KILO, MEGA, TERA

_TOOL = "qperf"
_CONFIGURATION = "conf"
_TESTS = ("tcp_bw", "tcp_lat", "udp_bw", "udp_lat")

_RATE_BPS = {
    f"{prefix}{unit}/sec": power * bits
    for unit, bits in (("B", BITS_PER_BYTE), ("b", 1))
    for prefix, power in (("K", KILO), ("M", MEGA), ("G", GIGA), ("T", TERA))
} | {"bytes/sec": BITS_PER_BYTE, "bits/sec": 1}
_TIME_S = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "sec": 1}
_PER_S = {"/sec": 1, "K/sec": KILO, "M/sec": MEGA, "G/sec": GIGA, "T/sec": TERA}
_S_PER_BYTE = {f"{unit}/GB": time_s / GIGA for unit, time_s in _TIME_S.items()}
_CPUS = {"% cpus": 0.01}
"""Per cent of one CPU."""
_BYTES = "bytes"
_SIZE_BYTES = {_BYTES: 1, "KB": KILO, "MB": MEGA, "GB": GIGA, "TB": TERA} | {
    f"{prefix}iB": float(KIBI**power) for power, prefix in enumerate("KMGT", start=1)
}

_CPUS_OF_HOST = re.compile(r"([1-9][0-9]{0,5}) Cores?:")
_SECTION = re.compile(r"([a-z][a-z0-9_]*):[ \t]*")
_ENTRY = re.compile(r"[ \t]*([a-z][a-z0-9_]*)[ \t]+=[ \t]*(.*?)[ \t]*")
_FIGURE = re.compile(
    r"((?:[0-9]{1,3}(?:,[0-9]{3}){1,4}|[0-9]{1,15})(?:\.[0-9]{1,12})?)"
    r"[ \t]*([^()]*?)(?:[ \t]*\(([0-9,]{1,25})\))?"
)
_HALF_A_BYTE = 0.5 + 1e-9
"""A size rounded by no more is a whole number, but for the error of binary fractions."""
_KINDS = r"(?:rc|rds|sctp|sdp|tcp|uc|ud|udp|xrc)_(?:[a-z_]+_)?(?:bw|lat|mr)"
_AHEAD = re.compile(r"(?:server: |[^\s:]+: failed to |failed to |unable to )")
"""Messages before the name of their test, where standard error goes to the same file."""
_COMPLAINT = re.compile(
    r"\b(?:fail(?:ed|ure)|unable|cannot|could not|error|invalid|bad|mismatch|must|missing|requires"
    r"|unexpected|unsupported|timed out|not responding|out of|no such)\b",
    re.IGNORECASE,
)
"""Words of which each error in the source of qperf has one."""
_RECOGNISED = re.compile(rf"\s*(?:{_AHEAD.pattern}[^\n]*\n)?(?:conf|{_KINDS}):[ \t]*(?:\r?\n|$)")


@dataclass(frozen=True, slots=True)
class _Section:
    """Output of one test: its values by name, with their lines."""

    source: str
    name: str
    line: int
    entries: dict[str, tuple[int, str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def required(self, key: str, units: Mapping[str, float]) -> Figure:
        figure = self.figure(key, units)
        if figure is None:
            raise ParseError(self.source, f"line {self.line}: {self.name} has no {key}: cut off")
        return figure

    def figure(self, key: str, units: Mapping[str, float]) -> Figure | None:
        """A figure in base units; None where it is not printed."""
        if key not in self.entries:
            return None
        line, text = self.entries[key]
        match = _FIGURE.fullmatch(text)
        if match is None or match[2] not in units:
            known = ", ".join(units)
            raise ParseError(
                self.source,
                f"line {line}: {self.name} {key} must be a number in {known}; got {shown(text)}",
            )
        if match[3]:
            return Figure(float(match[3].replace(",", "") or 0), 0.0)
        unit, number = units[match[2]], match[1].replace(",", "")
        is_exact = match[2] == _BYTES and number.isdecimal()
        return Figure(float(number) * unit, 0.0 if is_exact else half_step(number) * unit)


def _read(raw: RawText) -> tuple[Measurement, ...]:
    sections = list(_sections(raw))
    versions = {
        section.entries["loc_qperf"][1]
        for section in sections
        if section.name == _CONFIGURATION and "loc_qperf" in section.entries
    }
    run = Measurement(
        source=raw.source,
        raw_text=raw.text,
        sha256=raw.sha256,
        tool=_TOOL,
        tool_version=versions.pop() if len(versions) == 1 else None,
        recorded_by=Side.CLIENT,
    )
    tests = [section for section in sections if section.name != _CONFIGURATION]
    if not tests:
        raise ParseError(raw.source, "not a result of qperf: no line names a test")
    # CPUs of each host, where conf was run too
    counts = {
        side: int(match[1])
        for section in sections
        if section.name == _CONFIGURATION
        for side, key in ((Side.CLIENT, "loc_cpu"), (Side.SERVER, "rem_cpu"))
        if key in section.entries and (match := _CPUS_OF_HOST.match(section.entries[key][1]))
    }
    measured = [_measured(replace(run, part=part), test) for part, test in _parts(tests)]
    return tuple(
        replace(
            run,
            cpu=tuple(replace(use, installed_cpu_count=counts.get(use.side)) for use in run.cpu),
        )
        for run in measured
    )


def _parts(tests: list[_Section]) -> list[tuple[str | None, _Section]]:
    """The tests with their names, and numbers where one ran several times (``-oo``)."""
    if len(tests) == 1:
        return [(None, tests[0])]
    names = [test.name for test in tests]
    return [
        (
            test.name
            if names.count(test.name) == 1
            else f"{test.name} {names[: i + 1].count(test.name)}",
            test,
        )
        for i, test in enumerate(tests)
    ]


def _sections(raw: RawText) -> Iterator[_Section]:
    section: _Section | None = None
    ahead: list[str] = []
    for number, line in enumerate(raw.text.splitlines(), start=1):
        if not line.strip():
            continue
        if heading := _SECTION.fullmatch(line):
            if section is not None:
                yield section
            section = _Section(raw.source, heading[1], number, errors=ahead)
            ahead = []
        elif section is None and _AHEAD.match(line):
            ahead.append(line.strip())
        elif section is None:
            problem = f"line {number}: {shown(line)} stands before the name of any test"
            raise ParseError(raw.source, f"not a result of qperf: {problem}")
        elif entry := _ENTRY.fullmatch(line):
            if entry[1] in section.entries:
                raise ParseError(raw.source, f"line {number} is a second {shown(entry[1])}")
            section.entries[entry[1]] = (number, entry[2])
        elif line.startswith("warning: "):
            section.notes.append(line.removeprefix("warning: "))
        elif _COMPLAINT.search(line):
            section.errors.append(line.strip())
        else:
            problem = f"line {number}: must be 'name = value'; got {shown(line)}"
            raise ParseError(raw.source, problem)
    if section is not None:
        yield section


def _measured(run: Measurement, test: _Section) -> Measurement:
    if test.errors:
        return replace(run, error=f"{test.name}: {'; '.join(test.errors)}")
    if test.name not in _TESTS:
        known = ", ".join(_TESTS)
        raise ParseError(
            test.source, f"line {test.line}: test {shown(test.name)} is not read; known are {known}"
        )
    protocol, _, kind = test.name.partition("_")
    time = test.figure("time", _TIME_S)
    buffer = test.figure("sock_buf_size", _SIZE_BYTES)
    run = replace(
        run,
        socket_buffer_bytes=round(buffer.value) or None if buffer else None,
        protocol=protocol,
        stream_count=1,
        duration_s=time.value if time else None,
        notes=tuple(test.notes),
    )
    return _with_latency(run, test) if kind == "lat" else _with_bandwidth(run, test)


def _with_bandwidth(run: Measurement, test: _Section) -> Measurement:
    """The run with the payload that arrived."""
    sent = test.required("send_bw", _RATE_BPS) if run.protocol == "udp" else None
    printed = test.required("recv_bw" if sent else "bw", _RATE_BPS)
    counted = _counted_rate(test, "recv")
    real_time = test.figure("recv_real_time", _TIME_S)
    received = test.figure("recv_bytes", _SIZE_BYTES)
    rates = [printed] if counted is None else [printed, counted]
    goodput = min(rates, key=lambda rate: rate.half_width)
    rounding_bps = sum(rate.half_width for rate in rates)
    notes = rate_disagreement(_TOOL, printed.value, rates[-1].value, rounding_bps)
    size_bytes, size_notes = _message_size(test)
    by_sender = sent or _counted_rate(test, "send")
    cpu, cpu_notes = _cpu(test, ("send", "recv"), (by_sender, goodput), goodput)
    more_came = sent is not None and sent.value < goodput.value
    return replace(
        run,
        direction=Direction.CLIENT_TO_SERVER,
        duration_s=real_time.value if real_time else run.duration_s,
        received_bytes=int(received.value) if received and not received.half_width else None,
        goodput_bps=goodput.value,
        goodput_half_width_bps=goodput.half_width,
        reported_rate_bps=sent.value if sent else None,
        lost_ratio=1 - goodput.value / sent.value
        if sent and sent.value and not more_came
        else None,
        write_bytes=size_bytes if run.protocol == "tcp" else None,
        datagram_bytes=size_bytes if run.protocol == "udp" else None,
        cpu=cpu,
        notes=(
            *run.notes,
            *notes,
            *size_notes,
            *cpu_notes,
            *(("qperf prints more arrived than sent payload",) if more_came else ()),
        ),
    )


def _counted_rate(test: _Section, end: str) -> Figure | None:
    """Rate from bytes and time of an end, where both are printed."""
    received = test.figure(f"{end}_bytes", _SIZE_BYTES)
    real_time = test.figure(f"{end}_real_time", _TIME_S)
    if received is None or real_time is None or not real_time.value:
        return None
    rate_bps = received.value * BITS_PER_BYTE / real_time.value
    return Figure(rate_bps, rate_bps * _relative(received, real_time))


def _with_latency(run: Measurement, test: _Section) -> Measurement:
    """The run with the time and the rate of transactions."""
    latency = test.required("latency", _TIME_S)
    message_rate = test.figure("msg_rate", _PER_S)
    size_bytes, notes = _message_size(test)
    if message_rate:
        # one message is in flight at any time
        in_flight = message_rate.value * latency.value
        if abs(in_flight - 1) > RATE_TOLERANCE_RATIO + _relative(message_rate, latency):
            notes += (f"message rate times latency is {in_flight:.4g}, not 1",)
    cpu, cpu_notes = _cpu(test, ("loc", "rem"), (None, None), None)
    return replace(
        run,
        measures_latency=True,
        why_no_goodput="a test of latency: one message at a time keeps the path mostly idle",
        request_bytes=size_bytes,
        response_bytes=size_bytes,
        transaction_time_s=2 * latency.value,
        transaction_rate_tps=message_rate.value / 2 if message_rate else None,
        cpu=cpu,
        notes=run.notes + notes + cpu_notes,
    )


def _message_size(test: _Section) -> tuple[int | None, tuple[str, ...]]:
    """Size of each message, or a note where it is rounded to more than a byte."""
    size = test.figure("msg_size", _SIZE_BYTES)
    if size is None:
        return None, ()
    line, text = test.entries["msg_size"]
    if size.half_width > _HALF_A_BYTE:
        return None, (f"msg_size of {text} is left out, because it is rounded",)
    if test.name == "udp_bw" and not 0 < size.value <= MAX_DATAGRAM_BYTES:
        problem = f"msg_size must be from 1 to {MAX_DATAGRAM_BYTES} for UDP; got {shown(text)}"
        raise ParseError(test.source, f"line {line}: {problem}")
    return round(size.value), ()


def _cpu(
    test: _Section,
    ends: tuple[str, str],
    payloads: tuple[Figure | None, Figure | None],
    goodput: Figure | None,
) -> tuple[tuple[CpuUse, ...], tuple[str, ...]]:
    """CPU time at both ends, and notes where the cost that is printed contradicts it."""
    uses: list[CpuUse] = []
    notes: list[str] = []
    for end, local, side, payload in zip(
        ends, ("loc", "rem"), (Side.CLIENT, Side.SERVER), payloads, strict=True
    ):
        used = test.figure(f"{end}_cpus_used", _CPUS) or test.figure(f"{local}_cpus_used", _CPUS)
        if used is None:
            continue
        moved = payload or goodput
        uses.append(CpuUse(used.value, moved.value if moved else 0.0, CpuScope.SYSTEM, side))
        cost = test.figure(f"{end}_cost", _S_PER_BYTE)
        if cost is None or payload is None:
            continue
        busy_count = cost.value * payload.value / BITS_PER_BYTE
        allowed = RATE_TOLERANCE_RATIO + _relative(cost, payload, used)
        if abs(busy_count - used.value) > allowed * max(busy_count, used.value):
            notes.append(
                f"{end}_cost gives {busy_count:.4g} busy CPUs, "
                f"but {end}_cpus_used is {used.value:.4g}"
            )
    return tuple(uses), tuple(notes)


def _relative(*figures: Figure) -> float:
    return sum(figure.relative_half_width for figure in figures)


# recognised where it begins with the name of a test, as qperf prints it
QPERF = Format("qperf", lambda text: _RECOGNISED.match(text[:200]) is not None, _read)
