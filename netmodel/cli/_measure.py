"""``netmodel measure`` and ``netmodel measure facts``."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from typing import Annotated, Any

import click

from netmodel.api import measure as measure_of
from netmodel.api.kinds import HostName, InterfaceName, Kind
from netmodel.cli._console import write_output
from netmodel.cli._derived import Stated, answering
from netmodel.report import text_table, verdict_lines
from netmodel.report.text import notes_text


def measured(
    command: Annotated[Sequence[str], Kind("-- tool [arguments]", repeats=True)],
    /,
    **given: Annotated[Any, measure_of, "max_ratio"],
) -> Any:
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
    context = click.get_current_context()
    # what the tool prints, as it comes: beside JSON on standard error
    of_tool = context.obj if context.params["json"] else sys.stdout
    with redirect_stdout(of_tool), redirect_stderr(context.obj):
        return measure_of(command, **given)


def _blocks(answer: Any, is_verbose: bool) -> Iterator[str]:
    """The verdicts, what was judged by, notes, and the folder."""
    yield from ("\n" + "\n".join(verdict_lines(each, is_verbose)) for each in answer.verdicts)
    rows = [(name, value, f"({source})") for name, (value, source) in answer.line.items()]
    yield text_table(rows) if rows else ""
    contradictions = (f"contradiction: {each}" for each in answer.contradictions)
    yield notes_text([*contradictions, *answer.notes], is_verbose)
    yield f"recorded in {answer.record.place} ({answer.record.ran.state})"


measure = answering(
    measured,
    _blocks,
    exit_code=lambda answer: int(not answer.passes),
    first=("folder", "peer_facts", "line_rate_bps", "mtu_bytes"),
    # options of the tool are its own, with or without --
    context_settings={"allow_interspersed_args": False},
)


def facts(
    *,
    peer: HostName | None = None,
    interface: InterfaceName | None = None,
    output_file: Annotated[str, Kind("output", "o output")],
) -> Stated:
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
    output_file : str
        Where to write the result; a .toml file for --peer-facts at the other host.
    """
    from netmodel.measuring import facts as all_facts
    from netmodel.measuring import folder, mask, record, shown

    all_facts.require_there(peer, interface)
    host = record.recorded_facts(peer, interface)
    text = folder.masked_toml(folder.facts_document(host, record.own_version()), mask.Mask())
    write_output("-o", output_file, text.encode())
    known = [*host.settings.values(), *host.counters.values()]
    missing = [each.name for each in known if each.text is None]
    place = f"interface {host.interface}" if host.interface else "no interface: give --peer"
    sentence = f"{output_file}: {len(known) - len(missing)} facts, {len(missing)} missing; {place}"
    notes = shown.shown_of(host.settings, host.interface).notes
    data = {"interface": host.interface, "time_utc": host.time_utc, "file": output_file}
    return Stated(sentence, {**data, "missing": missing, "notes": notes}, stated=data)


measure_facts = answering(facts)
