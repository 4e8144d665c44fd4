"""A run of a tool recorded: facts before, the run, facts after, all in one folder."""

import errno
import hashlib
import re
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, TypeGuard

from netmodel._reading import is_directory, is_file, read_bytes, read_text, read_toml
from netmodel.errors import ContradictionError, DomainError, ParseError
from netmodel.measuring._facts import (
    Facts,
    copied,
    counters_of_host,
    printed_by,
    proc_stat,
    require_there,
    settings_of_host,
)
from netmodel.measuring.folder import (
    CPU_FILE,
    MANIFEST,
    PROCESSOR_FILE,
    Folder,
    HostFacts,
    read_manifest,
    utc_text,
)
from netmodel.measuring.mask import Mask
from netmodel.measuring.run import Ran, run_tool
from netmodel.measuring.shown import HostShown, shown_of
from netmodel.measuring.tools import Call, parse_call
from netmodel.readers import HostCpu
from netmodel.readers._proc_stat import read_proc_stat_copies
from netmodel.readers.host_runs import CONDITIONS_FILE
from netmodel.records import record_text

CLIENT, SERVER = "client", "server"
"""Roles: measure runs at the client, facts of the peer are those of the server."""
_SHORTEST_RUN_S = 1.0
"""A shorter time is that of starting a program, which fills a CPU by itself. [s]"""
_SHORTEST_SAMPLE_S = 0.2
"""Twenty ticks of USER_HZ: the share of a CPU is then known to 5 %. [s]"""
_COPY = re.compile(r"^(?=[0-9]{9,10}\.[0-9]+$)", re.MULTILINE)
"""Each copy of /proc/stat begins with its time."""
_NOT_FOUND = (
    "{program}: not found: install it, or give its whole path (a shell alias or function does not "
    "count)"
)


class NotInstalledError(DomainError):
    """The program to run is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """
    What is to be recorded, and how.

    Parameters
    ----------
    arguments : tuple of str
        The command.
    place : Path
        Folder of the record; it must not hold anything.
    peer, interface : str, optional
        In place of what the command and the route show.
    peer_facts : HostFacts, optional
        Facts of the other host.
    time_limit_s : float, optional
        Time after which the tool is ended. [s]
    """

    arguments: tuple[str, ...]
    place: Path
    peer: str | None = None
    interface: str | None = None
    peer_facts: HostFacts | None = None
    time_limit_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
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
    state : str
        ``complete``, ``failed``, ``interrupted`` or ``timed_out``.
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
    state: str
    result: Path
    client: HostShown
    server: HostShown | None
    cpu: HostCpu | None
    notes: tuple[str, ...]


def require_runnable(arguments: Sequence[str]) -> Call:
    """
    The command taken apart, if it can be run as a client.

    Raises
    ------
    NotInstalledError
        If its program is not there.
    ContradictionError
        If it is a server, which would wait for a client.
    """
    if not arguments:
        raise ContradictionError("give the command behind --, such as -- iperf3 -c HOST -J")
    call = parse_call(arguments)
    if shutil.which(call.program) is None:
        raise NotInstalledError(_NOT_FOUND.format(program=call.program))
    if call.is_server:
        raise ContradictionError(
            f"{call.tool} would wait for a client: run it alone, record this host with netmodel "
            "measure facts, and measure at the client"
        )
    return call


def require_empty(place: Path) -> None:
    """Refuse a folder that holds something, as a record is never written over another."""
    if place.exists() and any(place.iterdir()):
        raise _not_empty(place)


def _not_empty(place: Path) -> ContradictionError:
    return ContradictionError(f"{place} is not empty: give another folder with -o")


def record_run(wanted: Wanted, *, output: BinaryIO, errors: BinaryIO, is_terminal: bool) -> Record:
    """
    Record facts, run the tool, record facts again.

    Parameters
    ----------
    wanted : Wanted
        What to run, and where to write.
    output, errors : binary stream
        Where the output of the tool goes.
    is_terminal : bool
        Whether the tool shall find a terminal.

    Raises
    ------
    NotInstalledError, ContradictionError
        As `require_runnable`, and if the folder holds something.
    OSError
        If the folder cannot be written.
    """
    call = require_runnable(wanted.arguments)
    require_there(wanted.peer, wanted.interface)
    require_empty(wanted.place)
    try:
        return _in_its_folder(wanted, call, output, errors, is_terminal)
    except OSError as error:
        # a full disk, or a place that this user may not write to
        raise OSError(error.errno, f"{wanted.place}: {error.strerror}") from error


def _in_its_folder(
    wanted: Wanted, call: Call, output: BinaryIO, errors: BinaryIO, is_terminal: bool
) -> Record:
    """The run in its folder, which says from the first on that it is one."""
    # of two at once, one makes the folder of facts
    wanted.place.mkdir(parents=True, exist_ok=True)
    try:
        (wanted.place / CLIENT).mkdir()
    except FileExistsError as error:
        raise _not_empty(wanted.place) from error
    peer = wanted.peer or call.peer
    folder = Folder(wanted.place, Mask())
    version = printed_by(call.version_arguments)[0] if call.tool else None
    document: dict[str, Any] = {
        "netmodel": own_version(),
        "notes": [],
        "command": {
            "arguments": list(call.arguments),
            "tool": call.tool,
            "version": (version or "").strip().partition("\n")[0] or None,
            "begin": utc_text(time.time()),
        },
    }
    folder.write_manifest("running", document)
    try:
        return _recorded(wanted, call, folder, document, peer, output, errors, is_terminal)
    except KeyboardInterrupt:
        # before or after the tool, whose own interruption is not an exception
        folder.write_manifest("interrupted", document)
        raise


def _recorded(
    wanted: Wanted,
    call: Call,
    folder: Folder,
    document: dict[str, Any],
    peer: str | None,
    output: BinaryIO,
    errors: BinaryIO,
    is_terminal: bool,
) -> Record:
    """The run between its facts, each file written as soon as it is there."""
    settings = settings_of_host(peer, wanted.interface, call.ip_version)
    client = shown_of(settings, wanted.interface)
    document["client"] = _summary(client)
    beside = {"lscpu.txt": PROCESSOR_FILE.format(role=CLIENT)}
    folder.write_facts(CLIENT, settings, beside)
    if client.mtu_bytes is not None and not client.route.is_local:
        text = record_text({"mtu_bytes": client.mtu_bytes})
        folder.write(CONDITIONS_FILE, text, f"MTU of {client.interface}")
    server = None
    if wanted.peer_facts is not None:
        facts = wanted.peer_facts
        server = shown_of(facts.settings, facts.interface, client.route.destination)
        document["server"] = _summary(server) | {"facts_of": facts.time_utc}
        folder.write_facts(
            SERVER, facts.settings, {"lscpu.txt": PROCESSOR_FILE.format(role=SERVER)}
        )
        folder.write_facts(f"{SERVER}/once", facts.counters)
    links = [each.name for each in client.links]
    before = counters_of_host(links)
    folder.write_facts(f"{CLIENT}/before", before)
    folder.write_manifest("running", document)

    # CPU time last before the tool and first behind it, and once a second meanwhile
    first = proc_stat()
    copies = [] if first is None else [(time.monotonic(), first)]

    def sample() -> None:
        copy, now = proc_stat(), time.monotonic()
        if copy is not None:
            # two copies within a few ticks of the kernel show no time between them
            if len(copies) > 1 and now - copies[-1][0] < _SHORTEST_SAMPLE_S:
                copies.pop()
            copies.append((now, copy))

    try:
        ran = run_tool(
            call.arguments,
            output=output,
            errors=errors,
            is_terminal=is_terminal,
            time_limit_s=wanted.time_limit_s,
            sample=sample,
        )
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.ENOEXEC):
            raise
        raise NotInstalledError(f"{call.program}: cannot be run: {error.strerror}") from error
    sample()
    state = _state(ran)
    result = folder.write(_result_name(ran.output), ran.output, "standard output of the command")
    if ran.errors:
        folder.write("stderr.txt", ran.errors, "standard error of the command")
    cpu_name = CPU_FILE.format(role=CLIENT)
    cpu = None
    if copies:
        text = "".join(copy for _, copy in copies)
        path = folder.write(cpu_name, text, "/proc/stat, once a second")
        cpu = _cpu_time(path)
    document["command"] |= {
        "begin": utc_text(ran.begin_utc_s),
        "end": utc_text(ran.end_utc_s),
        "duration_s": round(ran.end_utc_s - ran.begin_utc_s, 6),
        "exit_code": ran.exit_code,
        "result": result.name,
    }
    folder.write_manifest(state, document)
    after = counters_of_host(links)
    folder.write_facts(f"{CLIENT}/after", after)
    notes = (*_notes_on_run(call, ran, wanted), *client.notes, *_notes_on_facts(settings, after))
    document["notes"] = list(notes)
    folder.write_manifest(state, document)
    return Record(
        place=wanted.place,
        call=call,
        ran=ran,
        state=state,
        result=result,
        client=client,
        server=server,
        cpu=cpu,
        notes=notes,
    )


def read_record(place: Path) -> Record:
    """
    A recorded run, from its folder.

    Raises
    ------
    ParseError
        If its manifest cannot be read; files that are missing count as facts that are.
    """
    manifest = read_manifest(place)
    command, path = manifest.get("command", {}), str(place / MANIFEST)
    arguments = command.get("arguments") if isinstance(command, dict) else None
    if not isinstance(arguments, list) or not all(isinstance(each, str) for each in arguments):
        raise ParseError(path, "command.arguments must be a list of texts")
    if not arguments:
        raise ParseError(path, "command.arguments must not be empty")
    rows = manifest.get("file", [])
    if not isinstance(rows, list):
        raise ParseError(path, "file must be an array of tables")
    entries = [each for each in rows if isinstance(each, dict) and _is_below(each.get("name"))]
    names = [each["name"] for each in entries]
    changed = [
        f"{each['name']} is not as it was recorded (checksum)"
        for each in entries
        if _sha256(place / each["name"]) not in (None, each.get("sha256"))
    ]
    result_name = command.get("result", "result.txt")
    if not _is_below(result_name):
        raise ParseError(path, "command.result must name a file of the folder")
    client, server = (_shown_again(place, names, manifest, role) for role in (CLIENT, SERVER))
    result, state = place / result_name, str(manifest["state"])
    times = [_utc_s(command.get(key)) for key in ("begin", "end")]
    begin_s, end_s = times[0] or 0.0, times[1] or times[0] or 0.0
    exit_code = command.get("exit_code")
    errors = b""
    with suppress(OSError, ValueError):
        errors = read_bytes(str(place / "stderr.txt"))
    cpu_file = place / CPU_FILE.format(role=CLIENT)
    cpu = None
    with suppress(OSError, UnicodeDecodeError, IndexError):
        cpu = _cpu_time(cpu_file)
    assert client is not None
    return Record(
        place=place,
        call=parse_call(arguments),
        ran=Ran(
            exit_code=exit_code if isinstance(exit_code, int) else 0,
            begin_utc_s=begin_s,
            end_utc_s=end_s,
            output=b"",
            errors=errors,
            is_interrupted=state == "interrupted",
            is_timed_out=state == "timed_out",
        ),
        state=state,
        result=result,
        client=client,
        server=server,
        cpu=cpu,
        notes=(*changed, *client.notes),
    )


def record_folders(place: Path) -> list[Path]:
    """
    Folders of the runs of a record, itself or those of repeats; none where it is no record.

    A directory that holds records alone, as that of a sweep, stands for all of them.

    Raises
    ------
    ParseError
        If it is a record of a later format, or its state is none of a record.
    """
    if not is_file(place / MANIFEST):
        return _records_alone(place)
    try:
        document = read_toml(str(place / MANIFEST))
    except ParseError:
        return []
    if not document.keys() >= {"schema", "state"}:
        return []  # a manifest of something else beside results
    runs = read_manifest(place).get("run")
    if not isinstance(runs, list):
        return [place]
    names = [each.get("folder") for each in runs if isinstance(each, dict)]
    return [place / each for each in names if _is_below(each)]


def _records_alone(place: Path) -> list[Path]:
    """Folders of the runs of all records in a directory; none where it holds anything else."""
    try:
        below = sorted(place.iterdir()) if is_directory(place) else []
    except OSError:
        return []
    if not all(is_file(each / MANIFEST) for each in below):
        return []
    found = [record_folders(each) for each in below]
    return [each for folders in found for each in folders] if all(found) else []


def _is_below(name: object) -> TypeGuard[str]:
    """Whether this is the name of something below a folder, and of nothing outside of it."""
    return isinstance(name, str) and not Path(name).is_absolute() and ".." not in Path(name).parts


def _sha256(path: Path) -> str | None:
    """Checksum of a file; None where it is not there."""
    try:
        return hashlib.sha256(read_bytes(str(path))).hexdigest()
    except (OSError, ValueError):
        return None


def _utc_s(text: object) -> float | None:
    """A time of the manifest, since 1970."""
    try:
        return datetime.fromisoformat(str(text)).timestamp()
    except (ValueError, OverflowError):
        return None


def _facts_below(place: Path, names: Sequence[str], prefix: str) -> Facts:
    """Facts whose files stand right below a folder of the record."""
    facts = Facts()
    for name in names:
        short = name.removeprefix(prefix)
        if name.startswith(prefix) and "/" not in short:
            text, reason = copied(str(place / name))
            facts.keep(short, name, text, reason)
    return facts


def _shown_again(
    place: Path, names: Sequence[str], manifest: Mapping[str, Any], role: str
) -> HostShown | None:
    """What the facts of a role show; None of a server without any."""
    summary = manifest.get(role)
    if not isinstance(summary, dict):
        if role == SERVER:
            return None
        summary = {}
    facts = _facts_below(place, names, f"{role}/")
    processor = PROCESSOR_FILE.format(role=role)
    text, reason = copied(str(place / processor))
    facts.keep("lscpu.txt", processor, text, reason)
    interface = summary.get("interface")
    return shown_of(facts, interface if isinstance(interface, str) else None)


def own_version() -> str:
    """Version of netmodel, for records."""
    return str(sys.modules["netmodel"].__version__)


def _state(ran: Ran) -> str:
    if ran.is_interrupted:
        return "interrupted"
    if ran.is_timed_out:
        return "timed_out"
    return "failed" if ran.exit_code else "complete"


def _result_name(output: bytes) -> str:
    return "result.json" if output.lstrip()[:1] in (b"{", b"[") else "result.txt"


def _cpu_time(path: Path) -> HostCpu | None:
    """CPU time second by second, with notes on the whole time; None of a short run."""
    try:
        copies = [each for each in _COPY.split(read_text(str(path))) if each]
        whole = read_proc_stat_copies("".join((copies[0], copies[-1])).encode())
        if (whole.intervals[0].duration_s or 0.0) < _SHORTEST_RUN_S:
            return None
        return replace(read_proc_stat_copies(path), notes=whole.notes)
    except (ParseError, ContradictionError):
        return None


def _summary(shown: HostShown) -> dict[str, Any]:
    """What the manifest says of a host; keys without a value are left out."""
    route, link, processor = shown.route, shown.line_link, shown.processor
    rows: Mapping[str, Any] = {
        "kernel": shown.kernel,
        "processor": processor and processor.model,
        "threads_per_core": processor and processor.threads_per_core,
        "hypervisor": processor and processor.hypervisor,
        "cpu_count": shown.cpu_count,
        "cpu_limit_count": shown.cpu_limit_count,
        "peer_address": route.destination,
        "address": route.source,
        "interface": shown.interface,
        "mtu_bytes": shown.mtu_bytes,
        "headers": "/".join(map(str, shown.headers)) or None,
        "line_interface": link and link.name,
        "driver": link and link.driver,
        "reported_speed_bps": link and link.speed_bps,
        "is_virtual": link and link.is_virtual,
        "line_rate_bps": shown.line_rate_bps,
        "receive_queue_count": link and (link.receive_queue_count or None),
        "steered_queue_count": link and link.steered_queue_count,
        "tcp_timestamps": shown.has_timestamps,
    }
    return {key: value for key, value in rows.items() if value is not None}


def _notes_on_run(call: Call, ran: Ran, wanted: Wanted) -> list[str]:
    notes = []
    if ran.is_interrupted:
        notes.append("the run was interrupted: the record is of the time until then")
    if ran.is_timed_out:
        notes.append(f"the tool was ended after {wanted.time_limit_s:g} s")
    if ran.is_cut:
        notes.append("the tool printed more than 64 MiB: the rest is not kept")
    if call.runs_elsewhere:
        notes.append(
            f"{call.runs_elsewhere} runs the tool in another place: these facts are of this one"
        )
    return notes


def _notes_on_facts(settings: Facts, after: Facts) -> list[str]:
    """What is missing, by its reason: one note for each."""
    by_reason: dict[str, list[str]] = {}
    for facts in (settings, after):
        for each in facts.missing.values():
            is_optional = each.origin.startswith("ethtool -") or each.name in _MAY_LACK
            is_absent = "not installed" in each.reason or "not permitted" in each.reason
            if is_absent or not is_optional:
                by_reason.setdefault(each.reason, []).append(each.origin)
    notes = []
    for reason, origins in by_reason.items():
        more = f" and {len(origins) - 1} more" if len(origins) > 1 else ""
        notes.append(f"not recorded: {origins[0]}{more}: {reason}")
    return notes


_MAY_LACK = frozenset({"limits.txt", "net-snmp.txt", "route.json"})
"""Where these are missing, another file or note has it."""


def write_repeats(place: Path, records: Sequence[Record], state: str, most: int) -> None:
    """Write the manifest of a folder of repeats, which lists the folder of each run."""
    first = records[0].call
    document = {
        "netmodel": own_version(),
        "repeats": {"most": most},
        "command": {"arguments": list(first.arguments), "tool": first.tool},
        "run": [
            {
                "folder": each.place.name,
                "state": each.state,
                "begin": utc_text(each.ran.begin_utc_s),
                "exit_code": each.ran.exit_code,
            }
            for each in records
        ],
    }
    Folder(place, Mask()).write_manifest(state, document)


def default_place() -> Path:
    """Folder of a record, named for its time."""
    return Path(time.strftime("measured-%Y%m%dT%H%M%SZ", time.gmtime()))


def recorded_facts(peer: str | None, interface: str | None) -> HostFacts:
    """
    Facts of this host, without a run.

    Raises
    ------
    DomainError
        If the peer or the interface is not there.
    """
    require_there(peer, interface)
    settings = settings_of_host(peer, interface, None)
    shown = shown_of(settings, interface)
    counters = counters_of_host([each.name for each in shown.links])
    return HostFacts(
        interface=shown.interface,
        time_utc=utc_text(time.time()),
        settings=settings,
        counters=counters,
    )
