"""What a user says of a path: adapters by their roles, a record of stages, a line rate."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from netmodel.consumption import Side
from netmodel.errors import ContradictionError
from netmodel.path._adapter_path import adapter_path
from netmodel.path._adapters import line_rate_of
from netmodel.path._networks import recorded_path
from netmodel.path._path import Path

if TYPE_CHECKING:
    from netmodel.records import Adapter, Host, PathRecord

__all__ = ["SpecifiedPath"]


@dataclass(frozen=True)
class SpecifiedPath:
    """
    A path by what is at its ends and between; which end is the client depends on the workload.

    Parameters
    ----------
    sender, receiver : Adapter, optional
        Of the side that sends more payload, and of the other. They go before
        the adapters that a record has.
    record : PathRecord, optional
        Record of its stages; without one both adapters are needed.
    line_rate_bps : float, optional
        MAC rate of the line; that of the record's link or of the slower adapter
        when left out. [bit/s]
    client_host, server_host : Host, optional
        What spends CPU time at each end; they go before those of the record.

    Raises
    ------
    ContradictionError
        If there is neither a record nor an adapter at both ends.

    Examples
    --------
    >>> from netmodel.records import adapter
    >>> roce, osa = adapter("roce-express2.1-25gbe"), adapter("osa-express7s-25gbe")
    >>> SpecifiedPath(roce, osa).adapters(Side.SERVER)[0].id
    'osa-express7s-25gbe'
    """

    sender: "Adapter | None" = None
    receiver: "Adapter | None" = None
    record: "PathRecord | None" = None
    line_rate_bps: float | None = None
    client_host: "Host | None" = None
    server_host: "Host | None" = None

    def __post_init__(self) -> None:
        if self.record is None and (self.sender is None or self.receiver is None):
            raise ContradictionError("state the adapters of both sides, or the path between them")

    def adapters(self, sending: Side) -> "tuple[Adapter | None, Adapter | None]":
        """Those of client and server, where this side sends more."""
        ends = (self.sender, self.receiver)
        client, server = ends if sending is Side.CLIENT else ends[::-1]
        if self.record is not None:
            client = client or self.record.client_adapter
            server = server or self.record.server_adapter
        return client, server

    @property
    def own_line_rate_bps(self) -> float | None:
        """That of the record's link, else of the slower adapter, else None. [bit/s]"""
        link = self.record and self.record.link_record
        stated_bps = link.line_rate_bps if link and link.line_rate else None
        known = [card for card in self.adapters(Side.CLIENT) if card]
        return line_rate_of(known, stated_bps)[0] if known or stated_bps else None

    def path(self, sending: Side) -> Path:
        """The path, where this side sends more; composed once, however often it is asked for."""
        return self._from_client if sending is Side.CLIENT else self._from_server

    @cached_property
    def _from_client(self) -> Path:
        return self._composed(Side.CLIENT)

    @cached_property
    def _from_server(self) -> Path:
        return self._composed(Side.SERVER)

    def _composed(self, sending: Side) -> Path:
        client, server = self.adapters(sending)
        rest = (self.line_rate_bps, self.client_host, self.server_host)
        if self.record is not None:
            return recorded_path(self.record, client, server, *rest)
        assert client is not None
        assert server is not None
        return adapter_path(client, server, *rest)
