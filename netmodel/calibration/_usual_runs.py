"""Runs that are easy to measure."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

_SMALL_BYTES = 200
"""A request of one frame at any MTU, as the workloads of the catalog have it."""
_LARGE_BYTES = 30_000
"""21 frames at MTU 1500 and four at 9000: the large responses of the catalog have 30 KiB."""
WRITE_BYTES = 131_072
"""Writes of iperf3."""
_USUAL_MTUS_BYTES = (1500, 9000)
"""The MTU of Ethernet, and of its usual jumbo frames."""


class UsualRun(NamedTuple):
    """
    A run that is easy to measure.

    Parameters
    ----------
    text : str
        In words.
    at : mapping
        Its conditions, as in observations: sizes and MTU. [byte]
    is_cost_per_data : bool
        Whether its CPU cost is per data, as of a stream.
    """

    text: str
    at: Mapping[str, float]
    is_cost_per_data: bool


def usual_runs(mtus_bytes: Iterable[int]) -> list[UsualRun]:
    """Runs that are easy to measure, the plainest first: at these MTUs, then at usual ones."""
    known = list(dict.fromkeys(mtus_bytes))
    runs = []
    for mtu in [*known, *(each for each in _USUAL_MTUS_BYTES if each not in known)]:
        for response_bytes in (_SMALL_BYTES, _LARGE_BYTES):
            sizes = {"request_bytes": _SMALL_BYTES, "response_bytes": response_bytes}
            text = f"requests of {_SMALL_BYTES} B with responses of {response_bytes} B"
            runs.append(UsualRun(f"{text} at MTU {mtu}", {"mtu_bytes": mtu, **sizes}, False))
        to_server = {"write_bytes": WRITE_BYTES}
        to_client = {"request_bytes": 0, "response_bytes": WRITE_BYTES}
        for to, written in (("server", to_server), ("client", to_client)):
            at = {"mtu_bytes": mtu, **written}
            runs.append(UsualRun(f"a stream to the {to} at MTU {mtu}", at, True))
    return runs
