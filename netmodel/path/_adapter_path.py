"""Paths from adapter to adapter, with the hosts behind them as far as these are known."""

from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING

from netmodel.consumption import Side
from netmodel.path._adapters import (
    adapter_notes,
    adapter_stages,
    largest_scatter,
    line_rate_of,
    wire_stages,
)
from netmodel.path._hosts import cpu_notes, host_notes, host_pool, host_stages, host_unknown
from netmodel.path._path import Path

if TYPE_CHECKING:
    from netmodel.records import Adapter, Host

__all__ = ["adapter_path"]


def adapter_path(
    client: "Adapter",
    server: "Adapter",
    line_rate_bps: float | None = None,
    client_host: "Host | None" = None,
    server_host: "Host | None" = None,
) -> Path:
    """
    Path from the adapter of a client to that of a server, as far as these are known.

    Parameters
    ----------
    client : Adapter
        From the catalog, or from a file.
    server : Adapter
        Likewise.
    line_rate_bps : float, optional
        MAC rate of the line; that of the slower adapter when left out. [bit/s]
    client_host : Host, optional
        What spends CPU time behind the adapter of the client.
    server_host : Host, optional
        Likewise of the server.

    Returns
    -------
    path : Path
        Both directions of both adapters and of the line, and the hosts as far
        as they tell CPU times.

    Raises
    ------
    ContradictionError
        If limits that were seen on an adapter cannot be true together, or an
        adapter is slower than the line rate stated.
    AmbiguousValueError
        If a line rate is only known as a range.

    Examples
    --------
    >>> from netmodel.path import Traffic, predict_path
    >>> from netmodel.records import adapter
    >>> path = adapter_path(adapter("roce-express2.1-25gbe"), adapter("osa-express7s-25gbe"))
    >>> stream = Traffic(30720, waits=False, shares_segments=True)
    >>> prediction = predict_path(path, stream, 1500)
    >>> round(prediction.throughput_bps.value / 1e9, 3), prediction.binding
    (13.4, 'server_adapter_in')
    """
    out, back = wire_stages(*line_rate_of((client, server), line_rate_bps))
    client_out, client_in = adapter_stages(client, Side.CLIENT)
    server_out, server_in = adapter_stages(server, Side.SERVER)
    hosts = {Side.CLIENT: client_host, Side.SERVER: server_host}
    known = {side: host for side, host in hosts.items() if host is not None}
    own = {side: host_stages(host, side) for side, host in known.items()}
    return Path(
        stages=(
            *own.get(Side.CLIENT, ()),
            *(client_out, out, server_in, server_out, back, client_in),
            *reversed(own.get(Side.SERVER, ())),
        ),
        pools=tuple(host_pool(host, side) for side, host in known.items() if own[side]),
        unknown=_unknown(hosts),
        notes=(
            *adapter_notes((client, server)),
            *chain.from_iterable(cpu_notes(side.value, known[side]) for side in own if own[side]),
            *chain.from_iterable(host_notes(host) for host in dict.fromkeys(known.values())),
        ),
        scatter_ratio=largest_scatter((client, server, *known.values())),
    )


def _unknown(hosts: "Mapping[Side, Host | None]") -> tuple[str, ...]:
    """What besides adapters and line is not known; all of the hosts in a few words."""
    if not any(hosts.values()):
        return ("host CPUs and the network between the adapters",)
    several = (host_unknown(host, side) for side, host in hosts.items())
    return (*chain.from_iterable(several), "the network between the adapters")
