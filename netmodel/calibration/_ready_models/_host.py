"""What a host spends, as free parameters: sent and received together, or each for itself."""

from collections.abc import Mapping, Sequence

from netmodel.calibration._ready_models._path import PathModel
from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.framing import Stack, tcp_stack
from netmodel.path import DIRECTION_AT, TIME_NAMES, Path, Pool, Stage

__all__ = ["HOST_WAYS", "host_cost_model", "host_ways"]

HOST_WAYS = {"sent": "send", "received": "receive"}
"""What is spent, by how parts are called, and the tables of records that tell it."""
_USUAL_PARTS = ("per_message_s", "per_frame_s", "per_byte_s")


def host_cost_model(
    side: Side, parts: Sequence[str] = _USUAL_PARTS, stack: Stack | None = None
) -> PathModel:
    """
    CPU time of one host, part by part.

    Parameters
    ----------
    side : Side
        Whose CPUs.
    parts : sequence of str
        Times that are to be found: ``per_message_s``, ``per_wakeup_s``,
        ``per_interrupt_s``, ``per_frame_s``, ``per_ack_s``, ``per_byte_s``. One alone
        is the same for what is sent and what is received; with ``sent.`` or
        ``received.`` before it, it is of that alone. Those left out are 0, and
        acknowledgements then cost what frames do.
    stack : Stack, optional
        Headers of each frame; TCP over IPv4 over Ethernet when left out.

    Returns
    -------
    model : PathModel
        Its parameters are the parts. Conditions beside those of every path:
        ``messages_per_wakeup``, ``frames_per_interrupt``, ``segments_per_packet``
        and ``segments_per_ack``; parts that these share are not told without them.

    Raises
    ------
    DomainError
        If the side is no `Side`, there is no such part or none at all, or two of
        them are the same time.

    Examples
    --------
    >>> [one.name for one in host_cost_model(Side.CLIENT).parameters]
    ['per_message_s', 'per_frame_s', 'per_byte_s']
    >>> streams = host_cost_model(Side.CLIENT, ("sent.per_frame_s", "sent.per_byte_s"))
    >>> streams.free["sent.per_byte_s"]
    ('sent.to_server.per_byte_s',)
    """
    if not isinstance(side, Side):
        raise DomainError(f"side must be a Side; got {side!r}")
    ways = host_ways(side)
    free = {part: _times_of(part, ways) for part in parts}
    if not free:
        raise DomainError("at least one part must be free")
    every = [time for times in free.values() for time in times]
    for time in every:
        if every.count(time) > 1:
            raise DomainError(f"more than one of {', '.join(parts)} stands for the same time")
    stages = tuple(Stage(name=name, side=side, pool="cpu") for name in ways)
    path = Path(stages=stages, pools=(Pool("cpu", None, side),))
    return PathModel(path, free, stack or tcp_stack(), batching_stages=tuple(ways))


def host_ways(side: Side) -> dict[str, str]:
    """Where what a host sends goes, and where what it receives does, by how parts are called."""
    return dict(zip(HOST_WAYS, (DIRECTION_AT[side, "out"], DIRECTION_AT[side, "in"]), strict=True))


def _times_of(part: str, ways: Mapping[str, str]) -> tuple[str, ...]:
    """Names in predictions of the times that a part stands for."""
    of, _, name = part.rpartition(".")
    if name not in TIME_NAMES or of not in ("", *ways):
        raise DomainError(
            f"{part!r} is no part of the cost of a host: it has {', '.join(TIME_NAMES)}, each "
            f"alone or with {' or '.join(f'{way}.' for way in ways)} before it"
        )
    return tuple(f"{way}.{to}.{name}" for way, to in ways.items() if of in ("", way))
