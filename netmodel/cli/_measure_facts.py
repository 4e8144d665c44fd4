"""``netmodel measure facts``."""

import click

from netmodel.api import measure
from netmodel.api._kinds import HostName, InterfaceName
from netmodel.cli._console import print_data, print_json
from netmodel.cli._derived import DerivedCommand, Given, Output, output_file_option
from netmodel.cli._files import write_output


def facts(peer: HostName | None = None, interface: InterfaceName | None = None) -> None:
    """Record facts of this host; arguments are those of `netmodel.measure`."""


def _print(given: Given, output: Output) -> None:
    """Facts of this host, for measure at the other one.

    Records what netmodel measure records of its own host, once and without a run: interfaces,
    adapter, queues, settings, counters, CPUs, limits of the container. Commands only read, each
    with a time limit, and need no privilege; what is missing stands in the file with the reason.

    \b
    Example: netmodel measure facts --peer client1 -o server.toml
    """
    from netmodel.measuring.folder import facts_text
    from netmodel.measuring.mask import Mask
    from netmodel.measuring.record import own_version, recorded_facts
    from netmodel.measuring.shown import shown_of

    file = given.get("output_file")
    host = recorded_facts(given.get("peer"), given.get("interface"))
    text = facts_text(host, Mask(), own_version())
    if file is not None:
        write_output("-o", file, text.encode())
    facts = [*host.settings.values(), *host.counters.values()]
    missing = [each for each in facts if each.text is None]
    if output.json:
        print_json(
            {
                "interface": host.interface,
                "time_utc": host.time_utc,
                "file": file,
                "files": [each.name for each in facts if each.text is not None],
                "missing": [
                    {"name": each.name, "origin": each.origin, "reason": each.reason}
                    for each in missing
                ],
                "notes": list(shown_of(host.settings, host.interface).notes),
            }
        )
    elif file is None:
        print_data(text)
    else:
        count = len(facts) - len(missing)
        place = f"interface {host.interface}" if host.interface else "no interface: give --peer"
        click.echo(f"{file}: {count} facts, {len(missing)} missing; {place}")


measure_facts = DerivedCommand(
    facts,
    _print,
    outputs=("json",),
    more=(output_file_option("a .toml file for --peer-facts at the other host"),),
    documented_by=measure,
    name="measure facts",
)
