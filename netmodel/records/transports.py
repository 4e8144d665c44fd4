"""Records of what two protocols spend on a request and its response at both ends of a fibre."""

from decimal import Decimal
from functools import cache
from typing import Annotated

from pydantic import BaseModel, Field

from netmodel.records.files import catalog_files, kept_record
from netmodel.records.values import FROZEN, Text

KIND = "transports"
"""Directory of these records."""
PARAMETERS = ("fixed_us", "per_frame_us", "per_byte_us")
"""Time of each protocol: for a request with its response, for each frame, for each byte."""

_Row = tuple[Decimal, ...]


class Protocol(BaseModel):
    """
    A protocol, and the adapter and frames that it was measured with.

    Parameters
    ----------
    transport : str
        ``"tcp"`` or ``"smcr"``.
    adapter : str
        Id of the adapter at both ends.
    stack : str
        Headers of its frames, as in ``--stack``.
    mtu_bytes : int
        Of the path. [byte]
    note : str, optional
        What of this is not reported.
    """

    model_config = FROZEN

    transport: Text
    adapter: Text
    stack: Text
    mtu_bytes: Annotated[int, Field(gt=0)]
    note: Text | None = None


class TransportRecord(BaseModel):
    """
    Times of two protocols at both ends, from ratios over known distances.

    Parameters
    ----------
    id, title, host : str
        Of the record; id of the hosts.
    baseline : str
        The protocol that the other one is compared with.
    protocols : mapping of str to Protocol
        Both, by name.
    connection_counts : tuple of int
        Connections of the runs.
    message_low_bytes, message_high_bytes : int
        Smallest and largest message of the runs. [byte]
    equipment_km : tuple of decimal.Decimal
        Lengths of fibre of the runs with equipment whose delay is not reported, but calibrated.
    columns : tuple of str
        Protocol and parameter of each number of a corner, then the delay of that equipment.
    corners : tuple of tuple of decimal.Decimal
        Corners of the set of parameters that the printed ratios allow.
    """

    model_config = FROZEN

    id: Text
    title: Text
    host: Text
    baseline: Text
    protocols: dict[str, Protocol]
    connection_counts: tuple[int, ...]
    message_low_bytes: Annotated[int, Field(gt=0)]
    message_high_bytes: Annotated[int, Field(gt=0)]
    equipment_km: tuple[Decimal, ...] = ()
    columns: tuple[Text, ...]
    corners: Annotated[tuple[_Row, ...], Field(min_length=1)]

    @property
    def compared(self) -> str:
        """The protocol that is compared with the baseline."""
        return next(name for name in self.protocols if name != self.baseline)


@cache  # each prediction over a distance asks for them
def transport_records() -> tuple[TransportRecord, ...]:
    """Return the records of all protocols over distance."""
    return tuple(kept_record(TransportRecord, each) for each in catalog_files(KIND).values())
