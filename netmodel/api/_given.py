"""What a user gives in place of a number or a record: text with a unit, an id, a file."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from netmodel._numeric import require_one, require_whole
from netmodel.errors import ContradictionError, DomainError, UnitError, UnknownRecordError
from netmodel.framing import Stack, parse_stack, tcp_stack, udp_stack
from netmodel.units import parse_count, parse_rate_bps, parse_ratio, parse_size_bytes, parse_time_s

if TYPE_CHECKING:
    from netmodel.path import SpecifiedPath
    from netmodel.records import (
        Adapter,
        Host,
        PathRecord,
        Workload,
    )

Number: TypeAlias = float | str
"""In base units, or text with a unit."""
Whole: TypeAlias = int | str
"""A number of bytes or of things, or text: ``1500``, ``"9 KiB"``."""
File: TypeAlias = str | os.PathLike[str]
_Record = TypeVar("_Record")

_PARSERS: Mapping[str, Callable[[str], float]] = {
    "bps": parse_rate_bps,
    "bytes": parse_size_bytes,
    "s": parse_time_s,
    "ratio": parse_ratio,
    "count": parse_count,
    "connections": parse_count,
    "cpus": parse_count,
    "spares": parse_count,
}
"""Parser of an argument, by the last word of its name, which is its unit."""

"""Kinds of the catalogue, by their class."""


def number(name: str, given: Number) -> float:
    """A number in base units; text is read in the unit that the name of the argument ends in."""
    if isinstance(given, str):
        try:
            return _PARSERS[name.rpartition("_")[2]](given)
        except UnitError as error:
            raise UnitError(f"{name}: {error}") from error
    return require_one(name, given)


def optional_number(name: str, given: Number | None) -> float | None:
    """The same; None stays None."""
    return None if given is None else number(name, given)


def whole(name: str, given: Whole) -> int:
    """A whole number, as it is or from text."""
    return int(require_whole(name, number(name, given)))


def optional_whole(name: str, given: Whole | None) -> int | None:
    """The same; None stays None."""
    return None if given is None else whole(name, given)


def frame_stack(
    stack: Stack | str | None,
    ip: int | None,
    transport: str | None,
    timestamps: bool | None,
    vlan_tags: int | None,
) -> Stack:
    """Headers of each frame; TCP over IPv4 over Ethernet with timestamps by default."""
    if stack is not None:
        given = {"ip": ip, "transport": transport, "timestamps": timestamps, "vlan_tags": vlan_tags}
        beside = [name for name, value in given.items() if value is not None]
        if beside:
            raise ContradictionError(f"stack names all headers; leave out {', '.join(beside)}")
        return parse_stack(stack) if isinstance(stack, str) else stack
    if transport not in (None, "tcp", "udp"):
        raise DomainError(f"transport must be 'tcp' or 'udp'; got {transport!r}")
    ip_version, tags = 4 if ip is None else ip, vlan_tags or 0
    if transport == "udp":
        if timestamps is not None:
            raise ContradictionError("timestamps are an option of TCP; UDP has none")
        return udp_stack(ip_version=ip_version, vlan_tags=tags)
    return tcp_stack(ip_version=ip_version, timestamps=timestamps is not False, vlan_tags=tags)


def inner_mtu_bytes(
    mtu_bytes: Whole | None, link_mtu_bytes: Whole | None, stack: Stack | None
) -> int | None:
    """The innermost MTU, from whichever is given; without a stack they are equal. [byte]"""
    if mtu_bytes is not None and link_mtu_bytes is not None:
        raise ContradictionError("give mtu_bytes or link_mtu_bytes, not both")
    if link_mtu_bytes is None:
        return optional_whole("mtu_bytes", mtu_bytes)
    outer_bytes = whole("link_mtu_bytes", link_mtu_bytes)
    return outer_bytes if stack is None else int(stack.mtu_bytes(outer_bytes))


def record(
    name: str,
    given: "_Record | File",
    kind: type[_Record],
    lookup: Callable[[File], _Record],
    own: Mapping[str, _Record] | None = None,
) -> _Record:
    """A record: as it is, from a ``.toml`` file, or by its id in the path or the catalogue."""
    if isinstance(given, kind):
        return given
    if not isinstance(given, str | os.PathLike):
        what = kind.__name__
        raise DomainError(
            f"{name} must be an id of the catalogue, a .toml file or {what}; "
            f"got {type(given).__name__}"
        )
    text = os.fspath(given)
    if own and text in own:
        return own[text]
    try:
        return lookup(text)
    except UnknownRecordError as error:
        if not Path(text).is_file():
            raise
        raise UnknownRecordError(f"{text}: the name of a record file ends in .toml") from error


def given_workload(given: "Workload | File") -> "Workload":
    """A workload, from its id or file."""
    from netmodel.records import Workload, workload

    return record("workload", given, Workload, workload)


def given_path(
    sender: "Adapter | File | None",
    receiver: "Adapter | File | None",
    path: "PathRecord | File | None",
    line_rate_bps: Number | None,
    client_host: "Host | File | None",
    server_host: "Host | File | None",
) -> "SpecifiedPath":
    """The adapters and hosts at both ends, and what lies between."""
    from netmodel.path import SpecifiedPath
    from netmodel.records import (
        Adapter,
        Host,
        PathRecord,
        adapter,
        host,
        path_record,
    )

    if path is None and (sender is None or receiver is None):
        raise ContradictionError("give both sender and receiver, or a path")
    between = None if path is None else record("path", path, PathRecord, path_record)
    adapters = between.adapters if between else {}
    hosts = between.hosts if between else {}
    cards = [
        None if given is None else record(name, given, Adapter, adapter, adapters)
        for name, given in (("sender", sender), ("receiver", receiver))
    ]
    machines = [
        None if given is None else record(name, given, Host, host, hosts)
        for name, given in (("client_host", client_host), ("server_host", server_host))
    ]
    rate_bps = optional_number("line_rate_bps", line_rate_bps)
    return SpecifiedPath(cards[0], cards[1], between, rate_bps, machines[0], machines[1])
