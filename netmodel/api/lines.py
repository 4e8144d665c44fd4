"""Lines as specified, and as the facts of recorded runs show them, and runs judged by them."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import isclose
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from netmodel.api import kinds
from netmodel.api.arguments import (
    NoLimitError,
    WrongTextError,
    inner_mtu,
    path_between,
    refusing,
    specified_stack,
    stack_of,
)
from netmodel.api.results import found_results, with_host_cpu
from netmodel.checking import Gate, Outcome, SpecifiedHost, SpecifiedLine, Verdict, check_results
from netmodel.checking.limits import MissingLineRateError
from netmodel.consumption.cost import require_cost_text
from netmodel.errors import ContradictionError, NetmodelError, ParseError, UnitError
from netmodel.estimates import ABOUT_RATIO
from netmodel.framing import Stack, tcp_stack
from netmodel.readers import FoundResults, Measurement
from netmodel.reading import is_directory
from netmodel.text import argument
from netmodel.units import format_rate

if TYPE_CHECKING:
    from netmodel.measuring.line import FoundLine
    from netmodel.measuring.measured import MeasuredRun
    from netmodel.measuring.record import Record

Specified: TypeAlias = Mapping[str, Any]
"""Specified line, path and hosts, by the arguments of `netmodel.check`."""
_Shown: TypeAlias = dict[str, tuple[str, str]]
"""What a run is judged by, by name: the value and where it is from."""
_SPECIFIED = "specified"
_FACTS = {
    "line rate": "line_rate_bps",
    "MTU": "mtu_bytes",
    "CPUs of the client": "client_cpus",
    "CPUs of the server": "server_cpus",
}
"""Arguments that facts may show, by what they are called."""
ANY_RATE_BPS = 1e9
"""In place of a rate that only the facts of a run show, to refuse first what cannot be."""
_OF_LINE = {
    "ip": "ip_version",
    "payload_bytes": "message_bytes",
    "rtt_s": "round_trip_s",
    "assume_transport": "assumed_transport",
    **{name: name for name in ("transport", "timestamps", "vlan_tags", "rdma_mtu_bytes")},
    **{name: name for name in ("window_bytes", "rate_cap_bps")},
}
"""Arguments that a line takes as they are, and its names for them."""
LINE_ARGUMENTS = frozenset(
    (
        *("adapter", "sender", "receiver", "path", "line_rate_bps", "client_host", "server_host"),
        *("client_cpus", "server_cpus", "client_cost", "server_cost"),
        *("stack", "mtu_bytes", "link_mtu_bytes", *_OF_LINE),
    )
)
"""Arguments of line, path and hosts, the same for `check` and `measure`."""
_OTHER_COSTS = ("..", "/transaction", "cycles/byte")
"""In costs of several figures, of a workload or of a clock, which a run has not."""


def specified_line(given: Specified) -> SpecifiedLine:
    """
    Return what is specified of line, path and hosts, by the arguments of `check` in base units.

    Its rate must be given, or that of the path, or a rate cap; the rest is left to the run.
    """
    stack, path = specified_stack(given), path_between(given)
    values: dict[str, Any] = {field: given.get(name) for name, field in _OF_LINE.items()}
    for side in ("client", "server"):
        cost = _per_data(f"{side}_cost", given.get(f"{side}_cost"))
        values[side] = SpecifiedHost(given.get(f"{side}_cpus"), cost)
    try:
        return SpecifiedLine.over(
            path,
            given.get("line_rate_bps"),
            stack=stack,
            mtu_bytes=inner_mtu(given, stack),
            **values,
        )
    except MissingLineRateError as error:
        raise NoLimitError(
            "no limit given: nothing was judged; {reason}: give {line_rate_bps}, or {adapter}, or "
            "{sender} and {receiver}, or a {path} whose link has a rate, or {rate_cap_bps} alone",
            reason=error,
        ) from error


def require_possible(given: Specified, gate: Gate) -> SpecifiedLine:
    """Return the specified line, if runs can be judged by it; refused before any is read."""
    line = specified_line(given)
    check_results(FoundResults(()), line, gate)
    return line


def gate_of(tolerance: Any, min_ratio: Any, max_ratio: Any, accept: kinds.Names) -> Gate:
    """Return what passes, as `check` and `measure` take it."""
    names = accept.split(",") if isinstance(accept, str) else accept
    accepted = frozenset(filter(None, (name.strip().replace("-", "_") for name in names)))
    return Gate(min_ratio=min_ratio, max_ratio=max_ratio, floor_ratio=tolerance, accepted=accepted)


def _per_data(name: str, given: str | None) -> float | None:
    """Return a CPU cost per data. [µs/Gbit]"""
    from netmodel.consumption import parse_consumption_us_per_gbit

    if given is None:
        return None
    if any(each in f"{given}" for each in _OTHER_COSTS):
        problem = "a run is checked against one figure per data, such as 0.16 cores/(Gbit/s)"
        raise WrongTextError(f"{{{name}}}: {{text!r}}: {problem}", text=given)
    with refusing(name, UnitError):
        require_cost_text(given)
        return parse_consumption_us_per_gbit(given)


# Recorded runs


def measured_folders(names: Sequence[object]) -> list[Path]:
    """
    Return folders of measured runs among results; none where there are others.

    Raises
    ------
    ContradictionError
        If measured runs and other results are given together.
    """
    places = [Path(each) for each in names if isinstance(each, str | os.PathLike)]
    places = [each for each in places if is_directory(each)]
    if not places:
        return []
    from netmodel.measuring.record import record_folders

    found = [record_folders(each) for each in places]
    if any(found) and not (all(found) and len(found) == len(names)):
        raise ContradictionError(
            "give folders of netmodel measure alone, or results alone: folders have a line of "
            "their own"
        )
    return [place for of_name in found for place in of_name]


def rejudged(
    place: Path, given: Specified, gate: Gate, format_name: str | None = None
) -> Iterable[Verdict]:
    """
    Return verdicts on a recorded run, with what is specified in place of what its hosts show.

    Of a folder that cannot be read the verdict has no outcome.
    """
    from netmodel.measuring.record import read_record

    try:
        run = judged(read_record(place), given, gate, format_name)
    except ParseError as error:
        return [Verdict(file=error.source, outcome=None, causes=(error.problem,))]
    notes = (*run.contradictions, *run.notes)
    return [
        replace(each, measurement=own and replace(own, notes=(*notes, *own.notes)))
        for each in run.verdicts
        for own in [each.measurement]
    ]


def judged(
    record: "Record", given: Specified, gate: Gate, format_name: str | None = None
) -> "MeasuredRun":
    """Return verdicts on a recorded run, by its facts and what is specified in place of them."""
    from netmodel.measuring.line import found_line
    from netmodel.measuring.measured import MeasuredRun

    results = found_results([record.result], format_name)
    runs = [each for each in results.rows if isinstance(each, Measurement)]
    found = found_line(record, [each for each in runs if each.error is None])
    line, shown, contradictions = _merged(given, found)
    results, lacking = _with_cpu_time(results, record)
    verdicts: Iterable[Verdict]
    try:
        verdicts = check_results(results, specified_line(line), gate)
    except NetmodelError as error:
        # what was specified alone is possible: it was tested before the run
        why = f"what the hosts show cannot be a line: {error}: specify it"
        if isinstance(error, NoLimitError):
            line_rate = argument("line_rate_bps", "--line-rate")
            why = f"the line rate is not known: {found.why_no_line_rate}: give {line_rate}"
        verdicts = [_unjudged(each, why) for each in runs]
    if not runs:
        why = _why_no_result(record, results)
        verdicts = [Verdict(file=str(record.result), outcome=Outcome.FAILED, causes=(why,))]
    return MeasuredRun(
        record=record,
        verdicts=tuple(verdicts),
        line=shown,
        contradictions=tuple(contradictions),
        notes=tuple(dict.fromkeys((*record.notes, *found.notes, *lacking))),
    )


def _merged(given: Specified, found: "FoundLine") -> tuple[dict[str, Any], _Shown, list[str]]:
    """Return what is specified, else what facts show; what was taken; and where both differ."""
    line, shown, against = dict(given), _Shown(), list[str]()
    stack, headers, source = specified_stack(line), found.headers, found.headers_source
    if stack is not None or "vlan_tags" in line:
        whole = stack or tcp_stack(vlan_tags=line["vlan_tags"])
        headers, source = whole.layers[: -len(whole.inner_layers)], _SPECIFIED
        if found.headers and headers != found.headers:
            has = f"{found.headers_source} has {_joined(found.headers)}"
            against.append(f"headers {_joined(headers)} are specified, {has}")
    elif found.is_tunnel:
        own = {name: line.pop(name) for name in ("ip", "transport", "timestamps") if name in line}
        packets = dict(found.packets) | own
        if packets.get("transport") == "udp":
            packets.pop("timestamps", None)
        stack = line["stack"] = Stack((*headers, *stack_of(packets).inner_layers))
    elif headers:
        line["vlan_tags"] = len(headers) - 1
    if stack is None and found.packets["ip"] is not None:
        line.setdefault("ip", found.packets["ip"])
    if (mtu_bytes := inner_mtu(line, stack)) is not None:
        line["mtu_bytes"] = mtu_bytes
    line.pop("link_mtu_bytes", None)
    known = dict(found.known)
    if "line_rate_bps" not in line and {"adapter", "sender", "receiver", "path"} & line.keys():
        shown["line rate"] = ("that of the slower adapter or the path", _SPECIFIED)
        known.pop("line_rate_bps", None)
    for name, key in _FACTS.items():
        value, of = known.get(key, (None, ""))
        text: Any = format_rate if key == "line_rate_bps" else str
        if key in line:
            shown[name] = (text(line[key]), _SPECIFIED)
            # speeds of different lines are further apart than about
            about = ABOUT_RATIO if key == "line_rate_bps" else 0
            if value is not None and not isclose(line[key], value, rel_tol=about):
                against.append(f"{name} {text(line[key])} is specified, {of} has {text(value)}")
        elif value is not None:
            shown[name] = (text(value), of)
            # CPUs limit a run only together with what data cost
            if not key.endswith("_cpus") or key.replace("_cpus", "_cost") in line:
                line[key] = value
    if headers:
        shown["headers"] = (str(stack or _joined(headers)), source)
    return line, shown, against


def _joined(layers: Iterable[object]) -> str:
    return "/".join(map(str, layers))


def _with_cpu_time(results: FoundResults, record: "Record") -> tuple[FoundResults, list[str]]:
    """Return the results with the CPU time of this host, where it can be paired with them."""
    if record.cpu is None:
        return results, ["no CPU time: the run took less than 1 s, or there is no /proc/stat"]
    # tools report their begin to the second, or not at all: they ran while their process did
    begin_s, end_s = record.ran.begin_utc_s, record.ran.end_utc_s
    rows = list(results.rows)
    for place, row in enumerate(rows):
        if not isinstance(row, Measurement) or row.duration_s is None:
            continue
        latest_s = end_s - row.duration_s
        if latest_s >= begin_s:
            own_s = latest_s if row.begin_utc_s is None else row.begin_utc_s
            rows[place] = replace(row, begin_utc_s=min(max(own_s, begin_s), latest_s))
    results = replace(results, rows=tuple(rows))
    try:
        return with_host_cpu(results, {"client": record.cpu}), []
    except NetmodelError as error:
        # the times of both, which follow, are in the manifest and in the result
        reason = str(error).removeprefix("client: ").partition(":")[0]
        return results, [f"CPU time of the client is left out: {reason}"]


def _why_no_result(record: "Record", results: FoundResults) -> str:
    """Return why the tool printed no result."""
    ran, name = record.ran, record.call.tool or Path(record.call.program).name
    said = ran.errors.decode(errors="replace").strip().rpartition("\n")[2].strip()
    how = f"signal {-ran.exit_code}" if ran.exit_code < 0 else f"exit code {ran.exit_code}"
    unread = [problem for each in results.rows if (problem := getattr(each, "problem", ""))]
    why = {
        "running": "has no result: the run was ended by force",
        "complete": f"printed no result: {''.join(unread[:1])}",
        "interrupted": "was interrupted before it printed a result",
        "timed_out": "printed no result within the time limit",
    }.get(record.state, f"failed with {how}{': ' if said else ''}{said}")
    return f"{name} {why}"


def _unjudged(run: Measurement, why: str) -> Verdict:
    """Return the verdict on a run without a line."""
    rate = "" if run.goodput_bps is None else f"{format_rate(run.goodput_bps, 5)}: "
    outcome, cause = Outcome.NOT_JUDGEABLE, f"{rate}{why}"
    if run.error is not None:
        outcome, cause = Outcome.FAILED, run.error
    return Verdict(file=run.source, outcome=outcome, causes=(cause,), measurement=run)
