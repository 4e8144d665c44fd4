"""A run of a tool with what its hosts were, judged by it."""

import codecs
import os
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypedDict, Unpack, cast

from netmodel._numeric import require_at_least
from netmodel._text import argument
from netmodel.api._arguments import (
    File,
    HeaderArguments,
    MtuArguments,
    Number,
    PathArguments,
    Whole,
    in_base_units,
    optional_number,
    optional_whole,
)
from netmodel.api._check import LineArguments, gate_of
from netmodel.api._results import found_results, with_host_cpu
from netmodel.errors import ContradictionError, NetmodelError, ParseError, fault_text

if TYPE_CHECKING:
    from netmodel.checking import Gate, SpecifiedLine, Verdict
    from netmodel.framing import Stack
    from netmodel.measuring._line import FoundLine
    from netmodel.measuring._measured import MeasuredRun
    from netmodel.measuring._record import Record
    from netmodel.measuring._run import Ran
    from netmodel.readers import FoundResults, Measurement
    from netmodel.records import Adapter, Host, PathRecord

_SPECIFIED = "specified"


class LineOptions(TypedDict, total=False):
    """What `netmodel.check` takes of line, path and hosts."""

    line_rate_bps: Number | None
    sender: "Adapter | File | None"
    receiver: "Adapter | File | None"
    adapter: "Adapter | File | None"
    path: "PathRecord | File | None"
    client_host: "Host | File | None"
    server_host: "Host | File | None"
    mtu_bytes: Whole | None
    link_mtu_bytes: Whole | None
    stack: "Stack | str | None"
    ip: int | None
    transport: str | None
    timestamps: bool | None
    vlan_tags: int | None
    payload_bytes: Whole | None
    rdma_mtu_bytes: Whole | None
    assume_transport: str | None
    rate_cap_bps: Number | None
    rtt_s: Number | None
    window_bytes: Number | None
    client_cpus: Whole | None
    server_cpus: Whole | None
    client_cost: str | None
    server_cost: str | None


_OF_PATH = ("sender", "receiver", "path", "line_rate_bps", "client_host", "server_host")
_OF_MTU = ("mtu_bytes", "link_mtu_bytes")
_OF_HEADERS = ("stack", "ip", "transport", "timestamps", "vlan_tags")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingArguments:
    """What is recorded and where, as in `measure`."""

    folder: File | None = None
    peer: str | None = None
    interface: str | None = None
    peer_facts: File | None = None
    mask: bool = False
    time_limit_s: Number | None = None
    repeat: Whole | None = None


_PAUSE_S = 1.0
"""Between two runs, so that sockets and queues of the one before are gone. [s]"""


@in_base_units
def measure(
    command: Iterable[str],
    *,
    folder: File | None = None,
    peer: str | None = None,
    interface: str | None = None,
    peer_facts: File | None = None,
    mask: bool = False,
    time_limit_s: Number | None = None,
    repeat: Whole | None = None,
    tolerance: Number | None = None,
    min_ratio: Number | None = None,
    max_ratio: Number | None = None,
    accept: str | Iterable[str] = (),
    format_name: str | None = None,
    **specified: Unpack[LineOptions],
) -> "MeasuredRun":
    """
    Run a benchmark tool, record what its host and path were, and judge the result by it.

    Parameters
    ----------
    command : iterable of str
        Program and arguments, such as ``["iperf3", "-c", "server1", "-J"]``.
    folder : str or path, optional
        Where the record goes; a new folder named for the time by default.
    peer : str, optional
        Host at the other end; the one that the command names by default.
    interface : str, optional
        Interface of the connection; that of the route to the peer by default.
    peer_facts : str or path, optional
        Facts of the other host, from ``netmodel measure facts``.
    mask : bool
        Whether IP addresses and names of hosts are masked; MAC addresses always are.
    time_limit_s : float or str, optional
        Time after which the tool is ended. [s]
    repeat : int or str, optional
        Runs, which are judged together.
    tolerance, min_ratio, max_ratio, accept, format_name : optional
        As in `check`.
    **specified : optional
        Line, path and hosts as in `check`, in place of what the facts show.

    Returns
    -------
    measured : MeasuredRun
        Verdicts, and where what is specified differs from what the hosts show.

    Raises
    ------
    ContradictionError
        If the folder holds something, the command is a server, or arguments exclude each other.
    DomainError
        If the program is not installed, or the line cannot exist.
    ParseError
        If the file with the facts of the peer cannot be read.

    Notes
    -----
    Only commands that read are run, each with a time limit. What the facts show counts as
    specified, but for the speed of virtual devices. What the tool prints goes to standard output
    as it comes.

    Examples
    --------
    Needs iperf3 and a server; the folder then holds results, facts of the hosts and the verdict:

    >>> run = measure(["iperf3", "-c", "server1", "-t", "30", "-J"])  # doctest: +SKIP
    """

    def group(names: Iterable[str]) -> dict[str, object]:
        return {name: value for name, value in specified.items() if name in names}

    others = group(specified.keys() - {*_OF_PATH, *_OF_MTU, *_OF_HEADERS})
    line = LineArguments(
        path=PathArguments(**group(_OF_PATH)),  # type: ignore[arg-type]
        mtu=MtuArguments(**group(_OF_MTU)),  # type: ignore[arg-type]
        headers=HeaderArguments(**group(_OF_HEADERS)),  # type: ignore[arg-type]
        **others,  # type: ignore[arg-type]
    )
    gate = gate_of(tolerance, min_ratio, max_ratio, accept)
    recording = RecordingArguments(
        folder=folder,
        peer=peer,
        interface=interface,
        peer_facts=peer_facts,
        mask=mask,
        time_limit_s=time_limit_s,
        repeat=repeat,
    )
    return measured_run(
        tuple(command),
        recording,
        line,
        gate,
        format_name,
        output=binary_stream(sys.stdout),
        errors=binary_stream(sys.stderr),
        is_terminal=sys.stdout.isatty(),
    )


class _AsText:
    """A binary stream over one of text, such as that of a notebook."""

    def __init__(self, stream: "TextStream") -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def write(self, content: bytes) -> int:
        self._stream.write(self._decoder.decode(content))
        return len(content)

    def flush(self) -> None:
        self._stream.flush()


if TYPE_CHECKING:
    from typing import TextIO as TextStream


def binary_stream(stream: "TextStream") -> BinaryIO:
    """The bytes below a stream of text, so that output stays as it is."""
    stream.flush()
    raw = getattr(stream, "buffer", None)
    return cast("BinaryIO", _AsText(stream) if raw is None else raw)


def measured_run(
    command: tuple[str, ...],
    recording: RecordingArguments,
    line: LineArguments,
    gate: "Gate",
    format_name: str | None = None,
    *,
    output: BinaryIO,
    errors: BinaryIO,
    is_terminal: bool,
) -> "MeasuredRun":
    """Record a run, or repeats of it, and judge it, with what is specified as in `check`."""
    from netmodel.checking._check import require_checkable
    from netmodel.checking._limits import MissingLineRateError  # noqa: F401
    from netmodel.measuring._folder import read_facts
    from netmodel.measuring._record import (
        Wanted,
        default_place,
        record_run,
        require_empty,
        require_runnable,
        write_repeats,
    )

    # refuse what cannot be before the run and not after it
    require_runnable(command)
    require_checkable(_with_any_rate(line).line(), gate)
    facts = None if recording.peer_facts is None else read_facts(Path(recording.peer_facts))
    place = default_place() if recording.folder is None else Path(recording.folder)
    count = optional_whole("repeat_count", recording.repeat)
    count = 1 if count is None else count
    require_at_least("repeat", count, 1, "")
    wanted = Wanted(
        arguments=command,
        place=place,
        peer=recording.peer,
        interface=recording.interface,
        peer_facts=facts,
        masks=recording.mask,
        time_limit_s=optional_number("time_limit_s", recording.time_limit_s),
    )

    def one_run(wanted: Wanted) -> "MeasuredRun":
        record = record_run(wanted, output=output, errors=errors, is_terminal=is_terminal)
        return judged(record, line, gate, format_name)

    if count == 1:
        return one_run(wanted)
    require_empty(place)
    runs: list[MeasuredRun] = []
    for number in range(1, count + 1):
        if runs:
            time.sleep(_PAUSE_S)
        runs.append(one_run(replace(wanted, place=place / f"run-{number:02d}")))
        records = [each.records[0] for each in runs]
        write_repeats(place, records, "running", count, recording.mask)
        if runs[-1].state != "complete":
            break
    write_repeats(place, records, runs[-1].state, count, recording.mask)
    return _together(place, runs, gate)


def _together(place: Path, runs: "Sequence[MeasuredRun]", gate: "Gate") -> "MeasuredRun":
    """Repeats judged together, as `check` judges them."""
    from netmodel.checking import pooled

    verdicts = []
    for number, run in enumerate(runs):
        for each in run.verdicts:
            # runs that print the same are no copies of one file
            own = each.measurement
            own = own and replace(own, sha256=f"{own.sha256} {number}")
            verdicts.append(replace(each, measurement=own))
    return replace(
        runs[-1],
        records=tuple(run.records[0] for run in runs),
        place=place,
        verdicts=pooled(verdicts, gate),
        notes=tuple(dict.fromkeys(note for run in runs for note in run.notes)),
    )


def rejudged(
    places: Iterable[Path],
    line: LineArguments,
    gate: "Gate",
    format_name: str | None = None,
) -> "list[MeasuredRun]":
    """
    Recorded runs judged again, with what is specified in place of what their hosts show.

    A folder that cannot be read is a run without records, whose verdict has no outcome.
    """
    from netmodel.checking._check import require_checkable

    require_checkable(_with_any_rate(line).line(), gate)
    return [_rejudged(each, line, gate, format_name) for each in places]


def _rejudged(
    place: Path, line: LineArguments, gate: "Gate", format_name: str | None
) -> "MeasuredRun":
    from netmodel.checking import Verdict
    from netmodel.measuring._measured import MeasuredRun
    from netmodel.measuring._record import read_record

    try:
        return judged(read_record(place), line, gate, format_name)
    except ParseError as error:
        verdict = Verdict(file=error.source, outcome=None, reason=error.problem)
    except NetmodelError:
        raise
    except Exception as error:  # noqa: BLE001  # of any kind: the other folders are judged
        verdict = Verdict(file=str(place), outcome=None, reason=fault_text(error))
    return MeasuredRun(records=(), place=place, verdicts=(verdict,), line={})


def measured_folders(names: Iterable[object]) -> list[Path]:
    """
    Folders of measured runs among results; none where there are others.

    Raises
    ------
    ContradictionError
        If measured runs and other results are given together.
    """
    from netmodel.measuring._record import record_folders

    given = list(names)
    found = [
        record_folders(Path(each)) if isinstance(each, str | os.PathLike) else [] for each in given
    ]
    if any(found) and not all(found):
        raise ContradictionError(
            "give folders of netmodel measure alone, or results alone: folders have a line of "
            "their own"
        )
    return [place for of_name in found for place in of_name]


def _with_any_rate(line: LineArguments) -> LineArguments:
    """The line with a rate, which may be known only from the facts."""
    path = line.path.with_both(line.adapter)
    if {"sender", "receiver", "path", "line_rate_bps"}.intersection(path.given()):
        return line
    from netmodel.units._prefixes import GIGA

    return replace(line, path=replace(line.path, line_rate_bps=GIGA))


def judged(
    record: "Record", given: LineArguments, gate: "Gate", format_name: str | None = None
) -> "MeasuredRun":
    """The verdicts on a recorded run, by its facts and what is specified in place of them."""
    from netmodel.checking._check import check_results
    from netmodel.measuring._line import found_line
    from netmodel.measuring._measured import MeasuredRun
    from netmodel.readers import Measurement

    results = found_results([record.result], format_name)
    runs = [each for each in results.rows if isinstance(each, Measurement)]
    found = found_line(record, [each for each in runs if each.error is None])
    line, shown, contradictions = _merged(given, found)
    notes = [*record.notes, *found.notes]
    results, lacking = _with_cpu_time(results, record)
    notes += lacking
    if not runs:
        verdicts: tuple[Verdict, ...] = (_without_result(record, results),)
    else:
        try:
            verdicts = check_results(results, _line_of(line), gate).verdicts
        except _NoLineRateError:
            line_rate = argument("line_rate_bps", "--line-rate")
            why = f"the line rate is not known: {found.why_no_line_rate}: give {line_rate}"
            verdicts = tuple(_not_judgeable(each, why) for each in runs)
        except NetmodelError as error:
            # what was specified alone is possible: it was tested before the run
            why = f"what the hosts show cannot be a line: {error}: specify it"
            verdicts = tuple(_not_judgeable(each, why) for each in runs)
    return MeasuredRun(
        records=(record,),
        place=record.place,
        verdicts=verdicts,
        line=shown,
        contradictions=tuple(contradictions),
        notes=tuple(dict.fromkeys(notes)),
    )


class _NoLineRateError(ContradictionError):
    """Neither the facts nor the user give a line rate."""


def _line_of(line: LineArguments) -> "SpecifiedLine":
    path = line.path.with_both(line.adapter)
    has_line = {"sender", "receiver", "path", "line_rate_bps"}.intersection(path.given())
    if not has_line and line.rate_cap_bps is None:
        raise _NoLineRateError("the line rate is not known")
    return line.line()


def _merged(
    given: LineArguments, found: "FoundLine"
) -> tuple[LineArguments, dict[str, tuple[str, str]], list[str]]:
    """What is specified, else what the facts show; what was taken; and where both differ."""
    from netmodel.framing import Stack
    from netmodel.measuring._line import differs
    from netmodel.units import format_rate

    shown: dict[str, tuple[str, str]] = {}
    against: list[str] = []
    path, mtu, headers = given.path, given.mtu, given.headers

    # line rate: of the user, of adapters or a path, else of the facts
    rate_bps = optional_number("line_rate_bps", path.line_rate_bps)
    named = path.with_both(given.adapter).given()
    if rate_bps is not None:
        shown["line rate"] = (format_rate(rate_bps), _SPECIFIED)
        if found.line_rate_bps and differs(rate_bps, found.line_rate_bps):
            against.append(
                f"line rate {format_rate(rate_bps)} is specified, {found.sources['line rate']} "
                f"reports {format_rate(found.line_rate_bps)}"
            )
    elif {"sender", "receiver", "path"}.intersection(named):
        shown["line rate"] = ("that of the slower adapter or the path", _SPECIFIED)
    elif found.line_rate_bps is not None:
        path = replace(path, line_rate_bps=found.line_rate_bps)
        shown["line rate"] = (format_rate(found.line_rate_bps), found.sources["line rate"])

    # headers: all as one stack, tags, or as the run reports
    own = [name for name in _OF_HEADERS if getattr(headers, name) is not None]
    if found.stack is not None:
        if not own:
            headers = HeaderArguments(stack=found.stack)
            shown["headers"] = (str(found.stack), found.sources["headers"])
        elif {"stack", "vlan_tags"}.isdisjoint(own):
            # the tunnel of the facts, with the packets that are specified
            ip = headers.ip or found.stack_ip_version
            inner = replace(headers, ip=ip).of_frame().inner_layers
            headers = HeaderArguments(stack=Stack((*found.outer_headers, *inner)))
            shown["headers"] = (str(headers.stack), found.sources["headers"])
        else:
            against += _other_headers(headers, found)
    elif headers.stack is None:
        tags = found.vlan_tags or 0
        if headers.vlan_tags is None and tags:
            headers = replace(headers, vlan_tags=tags)
            shown["VLAN tags"] = (str(tags), found.sources["headers"])
        elif headers.vlan_tags is not None and headers.vlan_tags != tags:
            against.append(
                f"{headers.vlan_tags} VLAN tags are specified, {found.sources['headers']} "
                f"shows {tags}"
            )
        if headers.ip is None and found.ip_version is not None:
            headers = replace(headers, ip=found.ip_version)
    else:
        against += _other_headers(headers, found)
    if "headers" not in shown and own:
        shown["headers"] = (str(headers.specified() or ", ".join(own)), _SPECIFIED)

    # MTU
    if mtu.mtu_bytes is None and mtu.link_mtu_bytes is None:
        if found.mtu_bytes is not None:
            mtu = MtuArguments(mtu_bytes=found.mtu_bytes)
            shown["MTU"] = (str(found.mtu_bytes), found.sources["MTU"])
    else:
        mtu_bytes = mtu.inner_bytes(headers.specified())
        shown["MTU"] = (str(mtu_bytes), _SPECIFIED)
        if found.mtu_bytes is not None and mtu_bytes != found.mtu_bytes:
            against.append(
                f"MTU {mtu_bytes} is specified, {found.sources['MTU']} has {found.mtu_bytes}"
            )
    cpus: dict[str, Whole | None] = {}
    for side in ("client", "server"):
        specified_cpus = getattr(given, f"{side}_cpus")
        known = getattr(found, f"{side}_cpus")
        # CPUs limit a run only together with what data cost
        counted = known if getattr(given, f"{side}_cost") is not None else None
        cpus[f"{side}_cpus"] = counted if specified_cpus is None else specified_cpus
        if specified_cpus is not None or known is not None:
            count = known if specified_cpus is None else specified_cpus
            origin = f"facts of the {side}" if specified_cpus is None else _SPECIFIED
            shown[f"CPUs of the {side}"] = (str(count), origin)
    merged = replace(
        given,
        path=path,
        mtu=mtu,
        headers=headers,
        client_cpus=cpus["client_cpus"],
        server_cpus=cpus["server_cpus"],
    )
    return merged, shown, against


def _other_headers(headers: HeaderArguments, found: "FoundLine") -> list[str]:
    """That specified headers are others than the facts show; empty where they agree."""
    stack = headers.of_frame()
    outer = stack.layers[: len(stack.layers) - len(stack.inner_layers)]
    if not found.outer_headers or outer == found.outer_headers:
        return []
    specified, shown = ("/".join(map(str, each)) for each in (outer, found.outer_headers))
    return [f"headers {specified} are specified, {found.sources['headers']} shows {shown}"]


def _with_cpu_time(results: "FoundResults", record: "Record") -> tuple["FoundResults", list[str]]:
    """The results with the CPU time of this host, where it can be paired with them."""
    if record.cpu is None:
        return results, ["no CPU time: the run took less than 1 s, or there is no /proc/stat"]
    from netmodel.readers import Measurement

    # tools report their begin to the second, or not at all: they ran while their process did
    rows = tuple(
        _within(each, record.ran) if isinstance(each, Measurement) else each
        for each in results.rows
    )
    results = replace(results, rows=rows)
    try:
        return with_host_cpu(results, {"client": record.cpu}), []
    except NetmodelError as error:
        # the times of both, which follow, are in the manifest and in the result
        reason = str(error).removeprefix("client: ").partition(":")[0]
        return results, [f"CPU time of the client is left out: {reason}"]


def _within(run: "Measurement", ran: "Ran") -> "Measurement":
    """The run with a begin that lies within the process of its tool; the end is that of both."""
    if run.duration_s is None:
        return run
    latest_s = ran.end_utc_s - run.duration_s
    if latest_s < ran.begin_utc_s:
        return run
    begin_s = latest_s if run.begin_utc_s is None else run.begin_utc_s
    return replace(run, begin_utc_s=min(max(begin_s, ran.begin_utc_s), latest_s))


def _without_result(record: "Record", results: "FoundResults") -> "Verdict":
    """The verdict where the tool printed no result."""
    from netmodel.checking import Outcome, Verdict
    from netmodel.readers._find_results import UnreadableResult

    ran, name = record.ran, record.call.tool or Path(record.call.program).name
    said = ran.errors.decode(errors="replace").strip().rpartition("\n")[2].strip()
    if record.state == "running":
        reason = f"{name} has no result: the run was ended by force"
    elif record.state == "complete":
        problem = next(
            (each.problem for each in results.rows if isinstance(each, UnreadableResult)), ""
        )
        reason = f"{name} printed no result: {problem}"
    elif record.state == "interrupted":
        reason = f"{name} was interrupted before it printed a result"
    elif record.state == "timed_out":
        reason = f"{name} printed no result within the time limit"
    else:
        how = f"signal {-ran.exit_code}" if ran.exit_code < 0 else f"exit code {ran.exit_code}"
        reason = f"{name} failed with {how}{': ' if said else ''}{said}"
    return Verdict(file=str(record.result), outcome=Outcome.FAILED, reason=reason)


def _not_judgeable(run: "Measurement", why: str) -> "Verdict":
    """The verdict where no line is known."""
    from netmodel.checking import Outcome, Verdict
    from netmodel.units import format_rate

    if run.error is not None:
        return Verdict(file=run.source, outcome=Outcome.FAILED, reason=run.error, measurement=run)
    rate = "" if run.goodput_bps is None else f"{format_rate(run.goodput_bps, 5)}: "
    reason = f"{rate}{why}"
    return Verdict(file=run.source, outcome=Outcome.NOT_JUDGEABLE, reason=reason, measurement=run)
