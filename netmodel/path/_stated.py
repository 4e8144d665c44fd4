"""What a user says of a path: adapters by their roles, a file, a line rate."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from netmodel.consumption import Side
from netmodel.path._adapters import adapter_path
from netmodel.path._path import Path

if TYPE_CHECKING:
    from netmodel.records import Adapter

__all__ = ["StatedPath"]


@dataclass(frozen=True, slots=True)
class StatedPath:
    """
    A path by what is at its ends; which end is the client depends on the workload.

    Parameters
    ----------
    sender, receiver : Adapter
        Of the side that sends more payload, and of the other.
    line_rate_bps : float, optional
        MAC rate of the line; that of the slower adapter when left out. [bit/s]

    Examples
    --------
    >>> from netmodel.records import adapter
    >>> roce, osa = adapter("roce-express2.1-25gbe"), adapter("osa-express7s-25gbe")
    >>> StatedPath(roce, osa).adapters(Side.SERVER)[0].id
    'osa-express7s-25gbe'
    """

    sender: "Adapter"
    receiver: "Adapter"
    line_rate_bps: float | None = None

    def adapters(self, sending: Side) -> tuple["Adapter", "Adapter"]:
        """Those of client and server, where this side sends more."""
        ends = (self.sender, self.receiver)
        return ends if sending is Side.CLIENT else ends[::-1]

    @property
    def own_line_rate_bps(self) -> float:
        """That of the slower adapter. [bit/s]"""
        return min(self.sender.line_rate_bps, self.receiver.line_rate_bps)

    def path(self, sending: Side) -> Path:
        """The path, where this side sends more."""
        return adapter_path(*self.adapters(sending), self.line_rate_bps)
