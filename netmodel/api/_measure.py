"""A run of a tool with facts of its hosts, judged by them."""

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from netmodel.api import arguments
from netmodel.api.results import check, found_results
from netmodel.checking import Outcome, Verdict
from netmodel.errors import NetmodelError
from netmodel.framing import Stack, tcp_stack
from netmodel.measuring.folder import read_facts
from netmodel.measuring.line import SPECIFIED, FoundLine, Shown, found_line
from netmodel.measuring.measured import MeasuredRun, unjudged
from netmodel.measuring.record import Record, default_place, record_run, require_runnable
from netmodel.readers import FoundResults, Measurement

_ANY_RATE_BPS = 1e9
"""In place of a rate that only the facts of a run show, to refuse first what cannot be."""


@arguments.in_base_units
def measure(
    command: Iterable[str],
    *,
    folder: arguments.Folder | None = None,
    peer: arguments.HostName | None = None,
    interface: arguments.InterfaceName | None = None,
    peer_facts: arguments.InputFile | None = None,
    **more: Annotated[Any, check, "results repeats"],
) -> MeasuredRun:
    """
    Run a benchmark tool, record facts of its hosts and path, and judge the result by them.

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
    **more : optional
        As in `check`: line, path and hosts, in place of what the facts show, and what passes.

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
    call = require_runnable(tuple(shlex.split(command) if isinstance(command, str) else command))
    # refuses what no run can be judged by
    check(FoundResults(()), **{"line_rate_bps": _ANY_RATE_BPS, **more})
    if call.tool is None and "format_name" not in more:
        problem = "is not a tool whose results are read; give {format_name} if it runs one"
        raise arguments.ArgumentsError(f"{call.arguments[0]} {problem}")
    place = default_place() if folder is None else Path(folder)
    facts = None if peer_facts is None else read_facts(Path(peer_facts))
    return judged(record_run(call, place, peer=peer, interface=interface, peer_facts=facts), more)


def judged(record: Record, given: arguments.Given) -> MeasuredRun:
    """Return verdicts on a recorded run, by its facts and what is specified in place of them."""
    rows = found_results([record.result], given.get("format_name")).rows
    runs = [each for each in rows if isinstance(each, Measurement)]
    found = found_line(record, [each for each in runs if each.error is None])
    line, shown, contradictions = _merged(given, found)
    runs, lacking = record.with_cpu_time(runs)
    try:
        verdicts = tuple(check(runs, **line)) if runs else ()
    except NetmodelError as error:
        # what was specified alone is possible: it was tested before the run
        why = f"what the hosts show cannot be a line: {error}: specify it"
        if isinstance(error, arguments.NoLimitError):
            give = arguments.named("give {line_rate_bps}")
            why = f"the line rate is not known: {found.why_no_line_rate}: {give}"
        verdicts = tuple(unjudged(each, why) for each in runs)
    if not runs:
        why = record.why_no_result(next((getattr(each, "problem", "") for each in rows), ""))
        verdicts = (Verdict(file=str(record.result), outcome=Outcome.FAILED, why=why),)
    notes = tuple(dict.fromkeys((*record.notes, *found.notes, *lacking)))
    known: dict[str, Any] = {"line": shown, "contradictions": tuple(contradictions)}
    return MeasuredRun(record=record, verdicts=verdicts, notes=notes, **known)


def _merged(given: arguments.Given, found: FoundLine) -> tuple[dict[str, Any], Shown, list[str]]:
    """Return what is specified, else what facts show; what was taken; and where both differ."""
    line, against = dict(given), list[str]()
    stack, headers, source = line.get("stack"), found.headers, found.headers_source
    if stack is not None or "vlan_tags" in line:
        whole = stack or tcp_stack(vlan_tags=line["vlan_tags"])
        headers, source = whole.layers[: -len(whole.inner_layers)], SPECIFIED
        if found.headers and headers != found.headers:
            has = f"{found.headers_source} has {_joined(found.headers)}"
            against.append(f"headers {_joined(headers)} are specified, {has}")
    elif found.is_tunnel:
        own = {name: line.pop(name) for name in ("ip", "transport", "timestamps") if name in line}
        packets = arguments.stack_of(dict(found.packets) | own).inner_layers
        stack = line["stack"] = Stack((*headers, *packets))
    elif headers:
        line["vlan_tags"] = len(headers) - 1
    if stack is None:
        line.setdefault("ip", found.packets["ip"])
    line["mtu_bytes"] = arguments.inner_mtu(line, stack)
    line.pop("link_mtu_bytes", None)
    line, shown, differences = found.completed(line)
    if headers:
        shown["headers"] = (str(stack or _joined(headers)), source)
    return line, shown, [*against, *differences]


def _joined(layers: Iterable[object]) -> str:
    return "/".join(map(str, layers))
