"""Expected times of requests between adapters whose protocol was calibrated over distances."""

from dataclasses import replace
from typing import TYPE_CHECKING

from netmodel._numeric import is_symbol
from netmodel._numpy import np
from netmodel.path._distance import DISTANCE_STAGE, WINDOW_ROUNDS, Distance
from netmodel.path._measured_demands import FittedTo, MeasuredDemands, Waiting
from netmodel.path._path import Path, Stage, Times
from netmodel.path._traffic import Traffic
from netmodel.path._transport_times import TransportTimes
from netmodel.records._transports import transport_records

if TYPE_CHECKING:
    from netmodel.records import Adapter


def with_endpoint_times(
    path: Path,
    traffic: Traffic,
    adapters: "tuple[Adapter | None, Adapter | None]",
    distance: Distance,
) -> Path:
    """
    The path with calibrated times at its ends, which give expected values over a distance.

    Parameters
    ----------
    path : Path
        Between two sites.
    traffic : Traffic
        Requests and responses, with as many connections as the calibrated runs had.
    adapters : tuple of Adapter or None
        Those of client and server.
    distance : Distance
        What lies between, with the protocol.

    Returns
    -------
    path : Path
        As it is where no record has this protocol with these adapters and connections.
    """
    trip_s, count = distance.round_trip_s, traffic.connection_count
    numbers = (trip_s, count, traffic.request_bytes, traffic.response_bytes)
    if path.measured or not traffic.waits or not traffic.response_bytes:
        return path
    if any(each is None or np.ndim(each) or is_symbol(each) for each in numbers):
        return path
    assert trip_s is not None
    names = {None if card is None else card.id for card in adapters}
    for record in transport_records():
        protocol = record.protocols.get(distance.protocol.value)
        if protocol is None or names != {protocol.adapter} or count not in record.connection_counts:
            continue
        sizes = (float(traffic.request_bytes), float(traffic.response_bytes))
        times = TransportTimes(record)
        own_s = times.endpoint_time_s(distance.protocol.value, *sizes).numbers()
        whole_s = times.transaction_time_s(distance.protocol.value, *sizes, trip_s).numbers()
        error = max(whole_s.high / whole_s.value, whole_s.value / whole_s.low) - 1
        ends = Stage(name="ends", to_server=Times(per_message_s=own_s.value), parallel_count=None)
        delays = [s for s in path.stages if s.name in (DISTANCE_STAGE, WINDOW_ROUNDS)]
        low, high = min(record.connection_counts), max(record.connection_counts)
        fitted = FittedTo(
            waits=True,
            request_bytes=sizes[0],
            response_bytes=sizes[1],
            connection_counts=(low, high),
            error_ratio=error,
            outside_error_ratio=error,
        )
        measured = MeasuredDemands(
            mtu_bytes=protocol.mtu_bytes,
            stages=(ends, *delays),
            waiting=Waiting.STEADY,
            fitted_to=(fitted,),
            level_ratio=None,
            assumption="both ends take the times that published gains leave",
        )
        return replace(path, measured=(measured,), notes=(*path.notes, *times.notes(*sizes)))
    return path
