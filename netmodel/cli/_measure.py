"""``netmodel measure`` and ``netmodel measure facts``."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import click

from netmodel.api import measure as measure_of
from netmodel.api.kinds import HostName, InterfaceName, Kind
from netmodel.cli._console import print_data
from netmodel.cli._derived import answering
from netmodel.cli._files import write_output
from netmodel.report import text_table, verdict_lines
from netmodel.report.text import notes_text

if TYPE_CHECKING:
    from netmodel.measuring.measured import MeasuredRun


_Call: TypeAlias = Annotated[Sequence[str], Kind("-- tool [arguments]", repeats=True)]


def measured(command: _Call, /, **given: Annotated[Any, measure_of]) -> "MeasuredRun":
    """Run a tool, record its hosts, judge the result.

    TOOL is iperf3, iperf 2, netperf, uperf, sockperf, nuttcp, qperf, ntttcp or perftest at the
    client, with its own options. Before and after the run, commands that only read record route,
    interface, adapter, queues, settings, counters and CPU time of this host, and the result is
    judged as by netmodel check, with line rate, MTU and headers of the interface to the peer; what
    you specify takes their place. The folder holds all of it; no privilege is needed.

    Exit code 0: all runs pass; 1: a run does not pass, or the tool failed; 2: an option is wrong,
    or the tool is not installed; 3: the file of --peer-facts cannot be read.

    \b
    Example: netmodel measure -- iperf3 -c server1 -J
    """
    # what the tool prints, as it is: beside JSON on standard error
    is_json = click.get_current_context().params["json"]
    sinks = [sys.stderr if is_json else sys.stdout, sys.stderr]
    of_tool, errors = (getattr(each, "stream", each) for each in sinks)
    with redirect_stdout(of_tool), redirect_stderr(errors):
        return measure_of(command, **given)


def _blocks(answer: "MeasuredRun", is_verbose: bool) -> Iterator[str]:
    """The verdicts, what was judged by, notes, and the folder."""
    yield from ("\n" + "\n".join(verdict_lines(each, is_verbose)) for each in answer.verdicts)
    rows = [(name, value, f"({source})") for name, (value, source) in answer.line.items()]
    yield text_table(rows) if rows else ""
    contradictions = (f"contradiction: {each}" for each in answer.contradictions)
    yield notes_text([*contradictions, *answer.notes], is_verbose)
    yield f"recorded in {answer.record.place} ({answer.record.state})"


measure = answering(
    measured,
    _blocks,
    exit_code=lambda answer: int(not answer.passes),
    first=("folder", "peer_facts", "line_rate_bps", "mtu_bytes"),
    without=(
        *("time_limit_s", "max_ratio", "repeats", "host_zone"),
        *("client_cpu", "server_cpu", "client_idle", "server_idle"),
    ),
    name="measure",
    # options of the tool are its own, with or without --
    context_settings={"allow_interspersed_args": False},
)


# Facts of a host


def facts(
    *,
    peer: HostName | None = None,
    interface: InterfaceName | None = None,
    output_file: Annotated[str, Kind("output", "o output")] | None = None,
) -> tuple[str, Mapping[str, Any]]:
    """
    Facts of this host, for measure at the other one.

    Records what netmodel measure records of its own host, once and without a run: interfaces,
    adapter, queues, settings, counters, CPUs, limits of the container. Commands only read, each
    with a time limit, and need no privilege; what is missing stands in the file with the reason.

    \b
    Example: netmodel measure facts --peer client1 -o server.toml

    Parameters
    ----------
    peer : str, optional
        Host at the other end.
    interface : str, optional
        Name of the interface, such as eth0; that of the route to the peer by default.
    output_file : str, optional
        Where to write the result; a .toml file for --peer-facts at the other host.
    """
    from netmodel.measuring.folder import facts_text
    from netmodel.measuring.mask import Mask
    from netmodel.measuring.record import own_version, recorded_facts
    from netmodel.measuring.shown import shown_of

    host = recorded_facts(peer, interface)
    text = facts_text(host, Mask(), own_version())
    if output_file is not None:
        write_output("-o", output_file, text.encode())
    known = [*host.settings.values(), *host.counters.values()]
    return text, {
        "interface": host.interface,
        "time_utc": host.time_utc,
        "file": output_file,
        "files": [each.name for each in known if each.text is not None],
        "missing": [
            {"name": each.name, "origin": each.origin, "reason": each.reason}
            for each in known
            if each.text is None
        ],
        "notes": list(shown_of(host.settings, host.interface).notes),
    }


def _facts_text(answer: tuple[str, Mapping[str, Any]], _: bool) -> Iterator[str]:
    text, data = answer
    if data["file"] is None:
        print_data(text)
    else:
        of = data["interface"]
        place = f"interface {of}" if of else "no interface: give --peer"
        count, missing = len(data["files"]), len(data["missing"])
        yield f"{data['file']}: {count} facts, {missing} missing; {place}"


measure_facts = answering(
    facts, _facts_text, data=lambda answer: answer[1], outputs=("json",), name="measure facts"
)
