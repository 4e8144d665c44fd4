"""A run of a tool with what its hosts were, judged by it."""

import os
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, TextIO, TypeAlias, cast

from netmodel.api import kinds
from netmodel.api._check import LINE_ARGUMENTS, OF_HEADERS, check, gate_of, specified_line
from netmodel.api._results import found_results, with_host_cpu
from netmodel.api.arguments import (
    in_base_units,
    inner_mtu,
    require_least,
    specified_stack,
    stack_of,
)
from netmodel.errors import ContradictionError, NetmodelError, ParseError, fault_text
from netmodel.reading import is_directory
from netmodel.text import argument

if TYPE_CHECKING:
    from netmodel.checking import Gate, Verdict
    from netmodel.measuring.line import FoundLine
    from netmodel.measuring.measured import MeasuredRun
    from netmodel.measuring.record import Record
    from netmodel.measuring.run import Ran
    from netmodel.readers import FoundResults, Measurement
    from netmodel.readers._find_results import UnreadableResult

Specified: TypeAlias = Mapping[str, Any]
"""Specified line, path and hosts, by the arguments of `netmodel.check`."""
_OF_RATE = ("adapter", "sender", "receiver", "path", "line_rate_bps")
_SPECIFIED = "specified"
_PAUSE_S = 1.0
"""Between two runs, so that sockets and queues of the one before are gone. [s]"""


@in_base_units
def measure(
    command: Iterable[str],
    *,
    folder: kinds.Folder | None = None,
    peer: kinds.HostName | None = None,
    interface: kinds.InterfaceName | None = None,
    peer_facts: kinds.InputFile | None = None,
    time_limit_s: kinds.Time | None = None,
    repeat: kinds.Count | None = None,
    tolerance: kinds.Ratio | None = None,
    min_ratio: kinds.Ratio | None = None,
    max_ratio: kinds.Ratio | None = None,
    accept: kinds.Names = (),
    format_name: kinds.FormatName | None = None,
    **specified: Annotated[Any, check],
) -> "MeasuredRun":
    """
    Run a benchmark tool, record what its host and path were, and judge the result by it.

    Parameters
    ----------
    command : iterable of str
        Program and arguments, such as ``["iperf3", "-c", "server1", "-J"]``.
    folder : str or path, optional
        Where to write the result; a new folder named for the time by default.
    peer : str, optional
        Host at the other end; the one that the command names by default.
    interface : str, optional
        Name of the interface, such as eth0; that of the route to the peer by default.
    peer_facts : str or path, optional
        Facts of the other host, from ``netmodel measure facts``.
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
    as it comes; in a notebook it is in the folder alone.

    Examples
    --------
    Needs iperf3 and a server; the folder then holds results, facts of the hosts and the verdict:

    >>> run = measure(["iperf3", "-c", "server1", "-t", "30", "-J"])  # doctest: +SKIP
    """
    from netmodel.measuring.folder import read_facts
    from netmodel.measuring.record import (
        Wanted,
        default_place,
        record_run,
        require_empty,
        require_runnable,
        write_repeats,
    )
    from netmodel.measuring.run import Streams

    if unknown := specified.keys() - LINE_ARGUMENTS:
        raise TypeError(f"measure() got an unexpected keyword argument {min(unknown)!r}")
    # refuse what cannot be before the run and not after it
    arguments, gate = tuple(command), gate_of(tolerance, min_ratio, max_ratio, accept)
    require_runnable(arguments)
    _require_possible(specified, gate)
    count = require_least("repeat", repeat) or 1
    place = default_place() if folder is None else Path(folder)
    wanted = Wanted(
        arguments=arguments,
        place=place,
        streams=Streams(_bytes_of(sys.stdout), _bytes_of(sys.stderr), sys.stdout.isatty()),
        peer=peer,
        interface=interface,
        peer_facts=None if peer_facts is None else read_facts(Path(peer_facts)),
        time_limit_s=cast("float", time_limit_s),
    )
    require_empty(place)
    runs: list[MeasuredRun] = []
    for number in range(1, count + 1):
        if runs:
            time.sleep(_PAUSE_S)
        one = wanted if count == 1 else replace(wanted, place=place / f"run-{number:02d}")
        record = record_run(one)
        runs.append(judged(record, specified, gate, format_name))
        is_last = number == count or record.state != "complete"
        if count > 1:
            state = record.state if is_last else "running"
            write_repeats(place, [each.records[0] for each in runs], state)
        if is_last:
            break
    return runs[0] if count == 1 else _together(place, runs, gate)


def _bytes_of(stream: TextIO) -> BinaryIO:
    """The bytes below a stream of text, so that output stays as it is; none of a notebook."""
    stream.flush()
    below: BinaryIO = getattr(stream, "buffer", None) or BytesIO()
    return below


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
    places: Iterable[Path], given: Specified, gate: "Gate", format_name: str | None = None
) -> "list[Verdict]":
    """
    Verdicts on recorded runs, with what is specified in place of what their hosts show.

    Of a folder that cannot be read the verdict has no outcome.
    """
    from netmodel.checking import Verdict
    from netmodel.measuring.record import read_record

    _require_possible(given, gate)
    verdicts: list[Verdict] = []
    for place in places:
        try:
            run = judged(read_record(place), given, gate, format_name)
            notes = (*run.contradictions, *run.notes)
            for each in run.verdicts:
                own = each.measurement
                own = own and replace(own, notes=(*notes, *own.notes))
                verdicts.append(replace(each, measurement=own))
        except ParseError as error:
            verdicts.append(Verdict(file=error.source, outcome=None, causes=(error.problem,)))
        except NetmodelError:
            raise
        except Exception as error:  # noqa: BLE001  # of any kind: the other folders are judged
            verdicts.append(Verdict(file=str(place), outcome=None, causes=(fault_text(error),)))
    return verdicts


def _require_possible(given: Specified, gate: "Gate") -> None:
    """Refuse what no run could be judged by; the rate may be known only from the facts."""
    from netmodel.checking._check import require_checkable
    from netmodel.units.prefixes import GIGA

    any_rate = {} if _has_any(given, _OF_RATE) else {"line_rate_bps": GIGA}
    require_checkable(specified_line({**given, **any_rate}), gate)


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
    from netmodel.measuring.record import record_folders

    found = [[] if each is None else record_folders(each) for each in given]
    if any(found) and not all(found):
        raise ContradictionError(
            "give folders of netmodel measure alone, or results alone: folders have a line of "
            "their own"
        )
    return [place for of_name in found for place in of_name]


def _has_any(line: Specified, names: Iterable[str]) -> bool:
    return any(line.get(name) is not None for name in names)


def judged(
    record: "Record", given: Specified, gate: "Gate", format_name: str | None = None
) -> "MeasuredRun":
    """The verdicts on a recorded run, by its facts and what is specified in place of them."""
    from netmodel.checking._check import check_results
    from netmodel.measuring.line import found_line
    from netmodel.measuring.measured import MeasuredRun
    from netmodel.readers import Measurement

    results = found_results([record.result], format_name)
    runs = [each for each in results.rows if isinstance(each, Measurement)]
    found = found_line(record, [each for each in runs if each.error is None])
    line, shown, contradictions = _merged(given, found)
    notes = [*record.notes, *found.notes]
    results, lacking = _with_cpu_time(results, record)
    notes += lacking
    verdicts: tuple[Verdict, ...] = ()
    why = ""
    if not runs:
        verdicts = (_without_result(record, results),)
    elif not _has_any(line, (*_OF_RATE, "rate_cap_bps")):
        line_rate = argument("line_rate_bps", "--line-rate")
        why = f"the line rate is not known: {found.why_no_line_rate}: give {line_rate}"
    else:
        try:
            verdicts = check_results(results, specified_line(line), gate)
        except NetmodelError as error:
            # what was specified alone is possible: it was tested before the run
            why = f"what the hosts show cannot be a line: {error}: specify it"
    verdicts = verdicts or tuple(_not_judgeable(each, why) for each in runs)
    return MeasuredRun(
        records=(record,),
        place=record.place,
        verdicts=verdicts,
        line=shown,
        contradictions=tuple(contradictions),
        notes=tuple(dict.fromkeys(notes)),
    )


def _merged(
    given: Specified, found: "FoundLine"
) -> tuple[dict[str, Any], dict[str, tuple[str, str]], list[str]]:
    """What is specified, else what the facts show; what was taken; and where both differ."""
    from netmodel.measuring.line import differs
    from netmodel.units import format_rate

    line = {name: value for name, value in given.items() if value is not None}
    own = {name: line.pop(name) for name in OF_HEADERS if name in line}
    facts: list[tuple[str, str, Any, Any]] = []
    shown: dict[str, tuple[str, str]] = {}
    if "line_rate_bps" not in line and _has_any(line, _OF_RATE):
        shown["line rate"] = ("that of the slower adapter or the path", _SPECIFIED)
    else:
        own_rate_bps = line.get("line_rate_bps")
        facts.append(("line rate", "line_rate_bps", own_rate_bps, found.line_rate_bps))
    if found.stack is None and "stack" not in own:
        facts.append(("VLAN tags", "vlan_tags", own.pop("vlan_tags", None), found.vlan_tags))
    headers, against = _headers(own, found)
    stack = specified_stack(**{"stack": None, **headers})
    if own or found.stack is not None:
        is_found = found.stack is not None and {"stack", "vlan_tags"}.isdisjoint(own)
        origin = found.sources["headers"] if is_found else _SPECIFIED
        shown["headers"] = (str(stack or ", ".join(own)), origin)
    mtu_bytes = inner_mtu(line.get("mtu_bytes"), line.pop("link_mtu_bytes", None), stack)
    facts.append(("MTU", "mtu_bytes", mtu_bytes, found.mtu_bytes))
    for side, count in (("client", found.client_cpus), ("server", found.server_cpus)):
        facts.append((f"CPUs of the {side}", f"{side}_cpus", line.get(f"{side}_cpus"), count))
    line |= headers
    for name, key, specified, known in facts:
        value = known if specified is None else specified
        if value is None:
            continue
        line[key], is_rate = value, key == "line_rate_bps"
        text = format_rate if is_rate else str
        origin = found.sources[name] if specified is None else _SPECIFIED
        shown[name] = (text(value), origin)
        if known is not None and (differs(value, known) if is_rate else value != known):
            has = f"{found.sources[name]} has {text(known)}"
            against.append(f"{name} {text(value)} is specified, {has}")
    for side in ("client", "server"):
        if given.get(f"{side}_cpus") is None and f"{side}_cost" not in line:
            line.pop(f"{side}_cpus", None)  # CPUs limit a run only together with what data cost
    return line, shown, against


def _headers(own: Specified, found: "FoundLine") -> tuple[dict[str, Any], list[str]]:
    """Headers as specified, else as the facts show; and where both differ."""
    from netmodel.framing import Stack

    if found.stack is None and "stack" not in own:
        return {"ip": found.ip_version, **own}, []
    if not own:
        return {"stack": found.stack}, []
    if {"stack", "vlan_tags"}.isdisjoint(own):
        # the tunnel of the facts, with the packets that are specified
        packets = stack_of(**{"stack": None, "ip": found.stack_ip_version, **own})
        return {"stack": Stack((*found.outer_headers, *packets.inner_layers))}, []
    packets = stack_of(**{"stack": None, **own})
    outer = packets.layers[: len(packets.layers) - len(packets.inner_layers)]
    if not found.outer_headers or outer == found.outer_headers:
        return {**own}, []
    specified, shown = ("/".join(map(str, each)) for each in (outer, found.outer_headers))
    return {**own}, [f"headers {specified} are specified, {found.sources['headers']} has {shown}"]


def _with_cpu_time(results: "FoundResults", record: "Record") -> tuple["FoundResults", list[str]]:
    """The results with the CPU time of this host, where it can be paired with them."""
    if record.cpu is None:
        return results, ["no CPU time: the run took less than 1 s, or there is no /proc/stat"]
    # tools report their begin to the second, or not at all: they ran while their process did
    rows = tuple(_within(each, record.ran) for each in results.rows)
    results = replace(results, rows=rows)
    try:
        return with_host_cpu(results, {"client": record.cpu}), []
    except NetmodelError as error:
        # the times of both, which follow, are in the manifest and in the result
        reason = str(error).removeprefix("client: ").partition(":")[0]
        return results, [f"CPU time of the client is left out: {reason}"]


def _within(row: "Measurement | UnreadableResult", ran: "Ran") -> "Measurement | UnreadableResult":
    """The run with a begin that lies within the process of its tool; the end is that of both."""
    from netmodel.readers import Measurement

    if not isinstance(row, Measurement) or row.duration_s is None:
        return row
    latest_s = ran.end_utc_s - row.duration_s
    if latest_s < ran.begin_utc_s:
        return row
    begin_s = latest_s if row.begin_utc_s is None else row.begin_utc_s
    return replace(row, begin_utc_s=min(max(begin_s, ran.begin_utc_s), latest_s))


def _without_result(record: "Record", results: "FoundResults") -> "Verdict":
    """The verdict where the tool printed no result."""
    from netmodel.checking import Outcome, Verdict
    from netmodel.readers._find_results import UnreadableResult

    ran, name = record.ran, record.call.tool or Path(record.call.program).name
    said = ran.errors.decode(errors="replace").strip().rpartition("\n")[2].strip()
    how = f"signal {-ran.exit_code}" if ran.exit_code < 0 else f"exit code {ran.exit_code}"
    unread = [each.problem for each in results.rows if isinstance(each, UnreadableResult)]
    why = {
        "running": "has no result: the run was ended by force",
        "complete": f"printed no result: {''.join(unread[:1])}",
        "interrupted": "was interrupted before it printed a result",
        "timed_out": "printed no result within the time limit",
    }.get(record.state, f"failed with {how}{': ' if said else ''}{said}")
    return Verdict(file=str(record.result), outcome=Outcome.FAILED, causes=(f"{name} {why}",))


def _not_judgeable(run: "Measurement", why: str) -> "Verdict":
    """The verdict where no line is known."""
    from netmodel.checking import Outcome, Verdict
    from netmodel.units import format_rate

    if run.error is not None:
        return Verdict(
            file=run.source, outcome=Outcome.FAILED, causes=(run.error,), measurement=run
        )
    rate = "" if run.goodput_bps is None else f"{format_rate(run.goodput_bps, 5)}: "
    reason = f"{rate}{why}"
    return Verdict(
        file=run.source, outcome=Outcome.NOT_JUDGEABLE, causes=(reason,), measurement=run
    )
