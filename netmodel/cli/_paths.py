"""Options that say what lies between two applications."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from netmodel.cli._options import several_options
from netmodel.errors import UnknownRecordError

if TYPE_CHECKING:
    from netmodel.path import Path as ComposedPath
    from netmodel.path import SpecifiedPath
    from netmodel.records import Adapter, Host, PathRecord

__all__ = ["host_options", "path_options", "require_own_mtu", "stated_path"]

_Record = TypeVar("_Record")

path_options = several_options(
    click.option("--sender", help="Adapter of the side that sends more of the payload."),
    click.option("--receiver", help="Adapter of the other side."),
    click.option(
        "--path",
        "path_name",
        help="What lies between: one of the paths of the catalog, or a path of your own in a "
        ".toml file, which may have the adapters too.",
    ),
)
"""The adapters at both ends and what lies between."""

host_options = several_options(
    *(
        click.option(
            f"--{side}-host",
            help=f"Machine of the {side}: a host of the catalog, or one of your own in a .toml "
            "file, whose CPU times count.",
        )
        for side in ("client", "server")
    )
)
"""The machines at both ends."""


def require_own_mtu(path: "ComposedPath", options: str) -> None:
    """Ask for the options where no stage of the path tells its MTU."""
    if all(stage.mtu_bytes is None for stage in path.stages):
        raise click.UsageError(f"Missing option {options}: no stage of the path tells its MTU.")


def stated_path(
    sender: str | None,
    receiver: str | None,
    path_name: str | None,
    line_rate_bps: float | None,
    client_host: str | None = None,
    server_host: str | None = None,
) -> "SpecifiedPath | None":
    """The path that the options state; None where they state none."""
    if (sender, receiver, path_name) == (None, None, None):
        return None
    from netmodel.path import SpecifiedPath

    if path_name is None and None in (sender, receiver):
        raise click.UsageError("give both --sender and --receiver, or --path")
    record = None if path_name is None else _path(path_name)
    cards = [None if name is None else _adapter(name, record) for name in (sender, receiver)]
    hosts = [None if name is None else _host(name, record) for name in (client_host, server_host)]
    return SpecifiedPath(cards[0], cards[1], record, line_rate_bps, hosts[0], hosts[1])


def _path(name: str) -> "PathRecord":
    from netmodel.records import load_path_record, path_record

    return _found(name, "paths", {}, load_path_record, path_record)


def _adapter(name: str, record: "PathRecord | None") -> "Adapter":
    from netmodel.records import adapter, load_adapter

    return _found(name, "adapters", record.adapters if record else {}, load_adapter, adapter)


def _host(name: str, record: "PathRecord | None") -> "Host":
    from netmodel.records import host, load_host

    return _found(name, "hosts", record.hosts if record else {}, load_host, host)


def _found(
    name: str,
    kind: str,
    own: Mapping[str, _Record],
    load: Callable[[str], _Record],
    of_catalog: Callable[[str], _Record],
) -> _Record:
    """The record of the path itself, of a file, or of the catalog."""
    if name in own:
        return own[name]
    if name.endswith(".toml"):
        return load(name)
    _require_known(name, kind)
    return of_catalog(name)


def _require_known(name: str, kind: str) -> None:
    """Refuse what the catalog does not have, and say what it may be instead."""
    from netmodel.records import record

    try:
        record(name, kind)
    except UnknownRecordError as error:
        if not Path(name).is_file():
            raise
        raise click.UsageError(f"{name}: the name of a file of your own ends in .toml") from error
