"""A run of a tool recorded: facts before, the run, facts after, all in one folder."""

import math
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from netmodel.errors import ContradictionError, DomainError, NetmodelError, ParseError
from netmodel.measuring.facts import (
    Fact,
    Facts,
    counters_of_host,
    proc_stat,
    require_there,
    settings_of_host,
)
from netmodel.measuring.folder import (
    MANIFEST,
    SCHEMA,
    HostFacts,
    facts_document,
    utc_text,
    write_masked,
)
from netmodel.measuring.mask import Mask
from netmodel.measuring.run import Ran, run_tool
from netmodel.measuring.shown import HostShown, shown_of
from netmodel.measuring.tools import Call, parse_call
from netmodel.readers import HostCpu, Measurement, pair_with_hosts, read_host_cpu
from netmodel.readers.host_runs import CONDITIONS_FILE

CLIENT, SERVER = "client", "server"
"""Roles: measure runs at the client, facts of the peer are those of the server."""
_SHORTEST_RUN_S = 1.0
"""A shorter time is that of starting a program, which fills a CPU by itself. [s]"""
_SHORTEST_SAMPLE_S = 0.2
"""Twenty ticks of USER_HZ: the share of a CPU is then known to 5 %. [s]"""


@dataclass(frozen=True, slots=True)
class Record:
    """
    A recorded run.

    Parameters
    ----------
    place : Path
        Its folder.
    call : Call
        The command, taken apart.
    ran : Ran
        How the tool ran.
    result : Path
        What the tool printed to standard output.
    client, server : HostShown
        What the facts of each host show; the server's is None without its facts.
    cpu : HostCpu
        CPU time of this host during the run; None where it is not known.
    notes : tuple of str
        What is not known, and why.
    """

    place: Path
    call: Call
    ran: Ran
    result: Path
    client: HostShown
    server: HostShown | None
    cpu: HostCpu | None
    notes: tuple[str, ...]

    def why_no_result(self, problem: str) -> str:
        """Return why the tool printed no result; the problem is that of reading its output."""
        ran, name = self.ran, self.call.tool or Path(self.call.arguments[0]).name
        said = ran.errors.decode(errors="replace").strip().rpartition("\n")[2].strip()
        how = f"signal {-ran.exit_code}" if ran.exit_code < 0 else f"exit code {ran.exit_code}"
        why = {
            "complete": f"printed no result: {problem}",
            "interrupted": "was interrupted before it printed a result",
        }.get(ran.state, f"failed with {how}{': ' if said else ''}{said}")
        return f"{name} {why}"

    def with_cpu_time(self, runs: list[Measurement]) -> tuple[list[Measurement], list[str]]:
        """Return the runs with the CPU time of this host, where it can be paired with them."""
        if self.cpu is None:
            return runs, ["no CPU time: the run took less than 1 s, or there is no /proc/stat"]
        if not runs or any(run.error is not None for run in runs):
            return runs, []
        # tools report their begin to the second, or not at all: they ran while their process did
        begin_s, end_s = self.ran.begin_utc_s, self.ran.end_utc_s
        timed = [*runs]
        for place, run in enumerate(runs):
            latest_s = end_s - (run.duration_s or math.inf)
            if latest_s >= begin_s:
                own_s = latest_s if run.begin_utc_s is None else run.begin_utc_s
                timed[place] = replace(run, begin_utc_s=min(max(own_s, begin_s), latest_s))
        try:
            paired = pair_with_hosts(timed, client=self.cpu)
        except NetmodelError as error:
            # the times of both, which follow, are in the manifest and in the result
            reason = str(error).removeprefix("client: ").partition(":")[0]
            return runs, [f"CPU time of the client is left out: {reason}"]
        notes = [*paired.notes]
        if len(paired.runs) > 1:
            notes.insert(0, f"CPU time of the hosts is of all {len(paired.runs)} runs together")
        return [replace(x, cpu=(*x.cpu, *paired.cpu), notes=(*x.notes, *notes)) for x in timed], []


def require_runnable(arguments: Sequence[str]) -> Call:
    """
    Return the command taken apart, if it can be run as a client.

    Raises
    ------
    DomainError
        If its program is not there.
    ContradictionError
        If it is a server, which would wait for a client.
    """
    if not arguments:
        raise ContradictionError("give the command behind --, such as -- iperf3 -c HOST -J")
    call = parse_call(arguments)
    if shutil.which(call.arguments[0]) is None:
        raise DomainError(
            f"{call.arguments[0]}: not found: install it, or give its whole path (a shell alias or "
            "function does not count)"
        )
    if call.is_server:
        raise ContradictionError(
            f"{call.tool} would wait for a client: run it alone, record this host with netmodel "
            "measure facts, and measure at the client"
        )
    return call


def record_run(
    call: Call,
    place: Path,
    *,
    peer: str | None = None,
    interface: str | None = None,
    peer_facts: HostFacts | None = None,
) -> Record:
    """
    Record facts, run the tool, record facts again, each file written as soon as it is there.

    Parameters
    ----------
    call : Call
        The command, as `require_runnable` takes it apart.
    place : Path
        Folder of the record; it must not hold anything.
    peer, interface : str, optional
        In place of what the command and the route show.
    peer_facts : HostFacts, optional
        Facts of the other host.

    Raises
    ------
    ContradictionError
        If the folder holds something.
    DomainError
        If the program cannot be run, or the peer or the interface is not there.
    OSError
        If the folder cannot be written.
    """
    require_there(peer, interface)
    if place.exists() and any(place.iterdir()):
        raise ContradictionError(f"{place} is not empty: give another folder with -o")
    write = partial(write_masked, place, Mask())
    command: dict[str, Any] = {
        "arguments": list(call.arguments),
        "tool": call.tool,
        "begin": utc_text(time.time()),
    }
    notes: list[str] = []
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "state": "running",
        "netmodel": own_version(),
        "notes": notes,
        "command": command,
    }
    try:
        place.mkdir(parents=True, exist_ok=True)
        write(MANIFEST, document)
        before = recorded_facts(peer or call.peer, interface, call.ip_version)
        client, server = shown_of(before.settings, interface), None
        write(f"{CLIENT}.toml", facts_document(before, own_version()))
        if client.mtu_bytes is not None and not client.route.is_local:
            write(CONDITIONS_FILE, {"mtu_bytes": client.mtu_bytes})
        if peer_facts is not None:
            address = client.route.destination
            server = shown_of(peer_facts.settings, peer_facts.interface, address)
            write(f"{SERVER}.toml", facts_document(peer_facts, own_version()))
        ran, copies = _sampled(call)
        kind = "json" if ran.output.lstrip()[:1] in (b"{", b"[") else "txt"
        result = write(f"result.{kind}", ran.output)
        if ran.errors:
            write("stderr.txt", ran.errors)
        cpu_file = write(f"{CLIENT}-proc-stat.txt", copies) if copies else None
        command |= {
            "begin": utc_text(ran.begin_utc_s),
            "end": utc_text(ran.end_utc_s),
            "exit_code": ran.exit_code,
            "result": result.name,
        }
        counters = counters_of_host(client.links)
        after = HostFacts(client.interface, utc_text(time.time()), Facts(), counters)
        write(f"{CLIENT}-after.toml", facts_document(after, own_version()))
        if call.runs_elsewhere:
            notes.append(f"{call.runs_elsewhere} runs the tool elsewhere: these facts are of here")
        if ran.is_cut:
            notes.append("the tool printed more than 64 MiB: the rest is not kept")
        notes += client.notes
        notes += _notes_on_missing([*before.settings.values(), *counters.values()])
        document["state"] = ran.state
        write(MANIFEST, document)
    except KeyboardInterrupt:
        # before or after the tool, whose own interruption is not an exception
        write(MANIFEST, document | {"state": "interrupted"})
        raise
    except OSError as error:
        # a full disk, or a place that this user may not write to
        raise OSError(error.errno, f"{place}: {error.strerror}") from error
    cpu = None if cpu_file is None else _cpu_time(cpu_file)
    return Record(place, call, ran, result, client, server, cpu, tuple(notes))


def _sampled(call: Call) -> tuple[Ran, bytes]:
    """Return the run, and copies of CPU time before it, once a second meanwhile, and behind it."""
    copies: list[tuple[float, str]] = []

    def sample() -> None:
        copy, now = proc_stat(), time.monotonic()
        if copy is not None:
            # two copies within a few ticks of the kernel show no time between them
            if len(copies) > 1 and now - copies[-1][0] < _SHORTEST_SAMPLE_S:
                copies.pop()
            copies.append((now, copy))

    sample()
    try:
        ran = run_tool(call.arguments, sample)
    except OSError as error:
        raise DomainError(f"{call.arguments[0]}: cannot be run: {error.strerror}") from error
    sample()
    return ran, "".join(copy for _, copy in copies).encode()


def own_version() -> str:
    """Version of netmodel, for records."""
    return str(sys.modules["netmodel"].__version__)


def _cpu_time(path: Path) -> HostCpu | None:
    """CPU time second by second; None of a short run."""
    try:
        cpu = read_host_cpu(path)
    except ParseError:
        return None
    return cpu if sum(x.duration_s or 0.0 for x in cpu.intervals) >= _SHORTEST_RUN_S else None


def _notes_on_missing(facts: Sequence[Fact]) -> list[str]:
    """Return a note for each program that is not there or not permitted; the manifest has all."""
    by_reason: dict[str, list[str]] = {}
    for each in facts:
        if "not installed" in each.reason or "not permitted" in each.reason:
            by_reason.setdefault(each.reason, []).append(each.origin)
    return [
        f"not recorded: {first}{f' and {len(more)} more' if more else ''}: {reason}"
        for reason, (first, *more) in by_reason.items()
    ]


def default_place() -> Path:
    """Return a new folder for a record, named for its time."""
    name = time.strftime("measured-%Y%m%dT%H%M%SZ", time.gmtime())
    names = (f"{name}-{number}" if number else name for number in count())
    return next(place for place in map(Path, names) if not place.exists())


def recorded_facts(
    peer: str | None, interface: str | None, ip_version: int | None = None
) -> HostFacts:
    """Return the facts of this host now; peer and interface are those of `settings_of_host`."""
    settings = settings_of_host(peer, interface, ip_version)
    shown = shown_of(settings, interface)
    counters = counters_of_host(shown.links)
    return HostFacts(shown.interface, utc_text(time.time()), settings, counters)
