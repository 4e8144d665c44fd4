"""``netmodel measure facts``."""

import click

from netmodel.cli._console import print_data, print_json
from netmodel.cli._files import OUTPUT_FILE, write_output
from netmodel.cli._ids import ValueText
from netmodel.cli._options import json_option, option


@click.command(name="measure facts")
@option("--peer", type=ValueText("host name"), help="Host at the other end.")
@option("--interface", type=ValueText("interface"), help="Name of the interface, such as eth0.")
@option("--mask", is_flag=True, help="Also mask IP addresses and names of hosts.")
@option(
    "-o",
    "--facts-file",
    "facts_file",
    type=OUTPUT_FILE,
    metavar="FILE",
    show_default="standard output",
    help="Write the facts into this .toml file, for --peer-facts at the other host.",
)
@json_option
def measure_facts(
    peer: str | None, interface: str | None, mask: bool, facts_file: str | None, as_json: bool
) -> None:
    """Facts of this host, for measure at the other one.

    Records what netmodel measure records of its own host, once and without a run: interfaces,
    adapter, queues, settings, counters, CPUs, limits of the container. Commands only read, each
    with a time limit, and need no privilege; what is missing stands in the file with the reason.

    \b
    Example: netmodel measure facts --peer client1 -o server.toml
    """
    from netmodel.measuring._facts import host_names
    from netmodel.measuring._folder import facts_text
    from netmodel.measuring._mask import Mask
    from netmodel.measuring._record import own_version, recorded_facts
    from netmodel.measuring._shown import shown_of

    host = recorded_facts(peer, interface)
    names = dict.fromkeys(host_names(), "host-server")
    text = facts_text(host, Mask(names, mask), own_version())
    if facts_file is not None:
        write_output("-o", facts_file, text.encode())
    missing = [*host.settings.missing.values(), *host.counters.missing.values()]
    if as_json:
        print_json(
            {
                "interface": host.interface,
                "time_utc": host.time_utc,
                "file": facts_file,
                "files": [*host.settings.files, *host.counters.files],
                "missing": [
                    {"name": each.name, "origin": each.origin, "reason": each.reason}
                    for each in missing
                ],
                "notes": list(shown_of(host.settings, host.interface).notes),
            }
        )
    elif facts_file is None:
        print_data(text)
    else:
        count = len(host.settings.files) + len(host.counters.files)
        place = f"interface {host.interface}" if host.interface else "no interface: give --peer"
        click.echo(f"{facts_file}: {count} facts, {len(missing)} missing; {place}")
