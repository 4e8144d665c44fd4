"""A run of a tool with what its hosts were, judged by it."""

import codecs
import os
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, TypeAlias, TypedDict, Unpack, cast

from netmodel._numeric import require_at_least
from netmodel._reading import is_directory
from netmodel._text import argument
from netmodel.api._arguments import (
    in_base_units,
    inner_mtu,
    optional_number,
    optional_whole,
    specified_stack,
    stack_of,
)
from netmodel.api._check import gate_of, specified_line
from netmodel.api._kinds import (
    AHost,
    AnAdapter,
    APath,
    Cost,
    Count,
    File,
    Folder,
    FormatName,
    Headers,
    HostName,
    InputFile,
    InterfaceName,
    Names,
    Number,
    Rate,
    Ratio,
    Size,
    Time,
    Whole,
)
from netmodel.api._results import found_results, with_host_cpu
from netmodel.errors import ContradictionError, NetmodelError, ParseError, fault_text

if TYPE_CHECKING:
    from netmodel.checking import Gate, SpecifiedLine, Verdict
    from netmodel.measuring._line import FoundLine
    from netmodel.measuring._measured import MeasuredRun
    from netmodel.measuring._record import Record
    from netmodel.measuring._run import Ran
    from netmodel.readers import FoundResults, Measurement

_SPECIFIED = "specified"


class LineOptions(TypedDict, total=False):
    """What `netmodel.check` takes of line, path and hosts."""

    line_rate_bps: Rate | None
    sender: AnAdapter | None
    receiver: AnAdapter | None
    adapter: AnAdapter | None
    path: APath | None
    client_host: AHost | None
    server_host: AHost | None
    mtu_bytes: Size | None
    link_mtu_bytes: Size | None
    stack: Headers | None
    ip: Literal[4, 6] | None
    transport: Literal["tcp", "udp"] | None
    timestamps: bool | None
    vlan_tags: Count | None
    payload_bytes: Size | None
    rdma_mtu_bytes: Size | None
    assume_transport: Literal["tcp", "udp"] | None
    rate_cap_bps: Rate | None
    rtt_s: Time | None
    window_bytes: Size | None
    client_cpus: Count | None
    server_cpus: Count | None
    client_cost: Cost | None
    server_cost: Cost | None


Specified: TypeAlias = Mapping[str, Any]
"""What is specified of line, path and hosts, by the arguments of `netmodel.check`."""
_OF_ENDS = ("adapter", "sender", "receiver", "path")
_OF_RATE = (*_OF_ENDS, "line_rate_bps")
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


RECORDING = tuple(each.name for each in fields(RecordingArguments))
_PAUSE_S = 1.0
"""Between two runs, so that sockets and queues of the one before are gone. [s]"""


@in_base_units
def measure(
    command: Iterable[str],
    *,
    folder: Folder | None = None,
    peer: HostName | None = None,
    interface: InterfaceName | None = None,
    peer_facts: InputFile | None = None,
    mask: bool = False,
    time_limit_s: Time | None = None,
    repeat: Count | None = None,
    tolerance: Ratio | None = None,
    min_ratio: Ratio | None = None,
    max_ratio: Ratio | None = None,
    accept: Names = (),
    format_name: FormatName | None = None,
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
        Name of the interface, such as eth0; that of the route to the peer by default.
    peer_facts : str or path, optional
        Facts of the other host, from ``netmodel measure facts``.
    mask : bool
        Also mask IP addresses and names of hosts; MAC addresses always are.
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
        specified,
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
    line: Specified,
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
    require_checkable(specified_line(**_with_any_rate(line)), gate)
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
    line: Specified,
    gate: "Gate",
    format_name: str | None = None,
) -> "list[MeasuredRun]":
    """
    Recorded runs judged again, with what is specified in place of what their hosts show.

    A folder that cannot be read is a run without records, whose verdict has no outcome.
    """
    from netmodel.checking._check import require_checkable

    require_checkable(specified_line(**_with_any_rate(line)), gate)
    return [_rejudged(each, line, gate, format_name) for each in places]


def _rejudged(place: Path, line: Specified, gate: "Gate", format_name: str | None) -> "MeasuredRun":
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
    given = [Path(each) if isinstance(each, str | os.PathLike) else None for each in names]
    if not any(each and is_directory(each) for each in given):
        return []
    from netmodel.measuring._record import record_folders

    found = [[] if each is None else record_folders(each) for each in given]
    if any(found) and not all(found):
        raise ContradictionError(
            "give folders of netmodel measure alone, or results alone: folders have a line of "
            "their own"
        )
    return [place for of_name in found for place in of_name]


def _with_any_rate(line: Specified) -> Specified:
    """The line with a rate, which may be known only from the facts."""
    from netmodel.units._prefixes import GIGA

    return line if _has_any(line, _OF_RATE) else {**line, "line_rate_bps": GIGA}


def _has_any(line: Specified, names: Iterable[str]) -> bool:
    return any(line.get(name) is not None for name in names)


def judged(
    record: "Record", given: Specified, gate: "Gate", format_name: str | None = None
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


def _line_of(line: Specified) -> "SpecifiedLine":
    if not _has_any(line, (*_OF_RATE, "rate_cap_bps")):
        raise _NoLineRateError("the line rate is not known")
    return specified_line(**line)


def _merged(
    given: Specified, found: "FoundLine"
) -> tuple[Specified, dict[str, tuple[str, str]], list[str]]:
    """What is specified, else what the facts show; what was taken; and where both differ."""
    from netmodel.framing import Stack
    from netmodel.measuring._line import differs
    from netmodel.units import format_rate

    line = {name: value for name, value in given.items() if value is not None}
    shown: dict[str, tuple[str, str]] = {}
    against: list[str] = []

    # line rate: of the user, of adapters or a path, else of the facts
    rate_bps = optional_number("line_rate_bps", line.get("line_rate_bps"))
    if rate_bps is not None:
        shown["line rate"] = (format_rate(rate_bps), _SPECIFIED)
        if found.line_rate_bps and differs(rate_bps, found.line_rate_bps):
            against.append(
                f"line rate {format_rate(rate_bps)} is specified, {found.sources['line rate']} "
                f"reports {format_rate(found.line_rate_bps)}"
            )
    elif _has_any(line, _OF_ENDS):
        shown["line rate"] = ("that of the slower adapter or the path", _SPECIFIED)
    elif found.line_rate_bps is not None:
        line["line_rate_bps"] = found.line_rate_bps
        shown["line rate"] = (format_rate(found.line_rate_bps), found.sources["line rate"])

    # headers: all as one stack, tags, or as the run reports
    headers = {name: line.pop(name) for name in _OF_HEADERS if name in line}
    own = list(headers)
    if found.stack is not None and not own:
        headers = {"stack": found.stack}
        shown["headers"] = (str(found.stack), found.sources["headers"])
    elif found.stack is not None and {"stack", "vlan_tags"}.isdisjoint(own):
        # the tunnel of the facts, with the packets that are specified
        inner = stack_of(**{"stack": None, "ip": found.stack_ip_version, **headers}).inner_layers
        headers = {"stack": Stack((*found.outer_headers, *inner))}
        shown["headers"] = (str(headers["stack"]), found.sources["headers"])
    elif found.stack is not None or "stack" in headers:
        against += _other_headers(headers, found)
    else:
        tags = found.vlan_tags or 0
        if "vlan_tags" not in headers and tags:
            headers["vlan_tags"] = tags
            shown["VLAN tags"] = (str(tags), found.sources["headers"])
        elif headers.get("vlan_tags", tags) != tags:
            against.append(
                f"{headers['vlan_tags']} VLAN tags are specified, {found.sources['headers']} "
                f"shows {tags}"
            )
        if found.ip_version is not None:
            headers.setdefault("ip", found.ip_version)
    stack = specified_stack(**{"stack": None, **headers})
    if "headers" not in shown and own:
        shown["headers"] = (str(stack or ", ".join(own)), _SPECIFIED)

    # MTU
    mtu_bytes = inner_mtu(line.get("mtu_bytes"), line.get("link_mtu_bytes"), stack)
    if mtu_bytes is None:
        if found.mtu_bytes is not None:
            line["mtu_bytes"] = found.mtu_bytes
            shown["MTU"] = (str(found.mtu_bytes), found.sources["MTU"])
    else:
        shown["MTU"] = (str(mtu_bytes), _SPECIFIED)
        if found.mtu_bytes is not None and mtu_bytes != found.mtu_bytes:
            against.append(
                f"MTU {mtu_bytes} is specified, {found.sources['MTU']} has {found.mtu_bytes}"
            )
    for side in ("client", "server"):
        specified_count = line.get(f"{side}_cpus")
        known = getattr(found, f"{side}_cpus")
        # CPUs limit a run only together with what data cost
        if specified_count is None and known is not None and f"{side}_cost" in line:
            line[f"{side}_cpus"] = known
        if specified_count is not None or known is not None:
            count = known if specified_count is None else specified_count
            origin = f"facts of the {side}" if specified_count is None else _SPECIFIED
            shown[f"CPUs of the {side}"] = (str(count), origin)
    return {**line, **headers}, shown, against


def _other_headers(headers: Mapping[str, Any], found: "FoundLine") -> list[str]:
    """That specified headers are others than the facts show; empty where they agree."""
    stack = stack_of(**{"stack": None, **headers})
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
