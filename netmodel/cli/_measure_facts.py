"""``netmodel measure facts``."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from netmodel.api import measure
from netmodel.api._kinds import HostName, InterfaceName, Kind
from netmodel.cli._console import print_data
from netmodel.cli._derived import answering
from netmodel.cli._files import write_output


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


def _text(answer: tuple[str, Mapping[str, Any]], _: bool) -> Iterator[str]:
    text, data = answer
    if data["file"] is None:
        print_data(text)
    else:
        of = data["interface"]
        place = f"interface {of}" if of else "no interface: give --peer"
        count, missing = len(data["files"]), len(data["missing"])
        yield f"{data['file']}: {count} facts, {missing} missing; {place}"


measure_facts = answering(
    facts,
    _text,
    data=lambda answer: answer[1],
    documented_by=measure,
    name="measure facts",
)
