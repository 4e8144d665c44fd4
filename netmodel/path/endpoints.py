"""Expected times of requests between adapters whose protocol was calibrated over distances."""

from dataclasses import replace
from typing import TYPE_CHECKING

from netmodel.estimates import Predicted
from netmodel.kept import Once
from netmodel.numeric import is_array
from netmodel.path.distance import Distance
from netmodel.path.over_distance import DISTANCE_STAGE, WINDOW_ROUNDS, is_lossy
from netmodel.path.prediction import Prediction
from netmodel.path.protocols import TransportTimes
from netmodel.path.response import Expected, expected_of_rate
from netmodel.records.transports import transport_records

if TYPE_CHECKING:
    from netmodel.records import Adapter


def with_endpoint_times(
    prediction: Prediction, adapters: "tuple[Adapter | None, Adapter | None]", distance: Distance
) -> Prediction:
    """
    Return a prediction with the expected value that calibrated times at both ends give.

    Parameters
    ----------
    prediction : Prediction
        Of requests and responses between two sites, with as many connections as the calibrated
        runs had.
    adapters : tuple of Adapter or None
        Those of client and server.
    distance : Distance
        What lies between, with the protocol.

    Returns
    -------
    prediction : Prediction
        As it is where no record has this protocol with these adapters and connections.
    """
    traffic, trip_s = prediction.traffic, distance.round_trip_s
    count, sizes = traffic.connection_count, (traffic.request_bytes, traffic.response_bytes)
    numbers = (trip_s, count, *sizes, traffic.think_time_s, prediction.mtu_bytes)
    if any(each is None or is_array(each) for each in numbers):
        return prediction
    if not traffic.waits or not traffic.response_bytes or is_lossy(prediction.path):
        return prediction
    ids = {None if card is None else card.id for card in adapters}
    for record in transport_records():
        protocol = record.protocols.get(distance.protocol.value)
        if protocol is None or ids != {protocol.adapter} or count not in record.connection_counts:
            continue
        times = TransportTimes(record)
        names = DISTANCE_STAGE, WINDOW_ROUNDS
        waits = [each for each in prediction.path.stages if each.name in names]
        delay_s = float(prediction.load.time_of(waits).quoted)
        whole_s = times.transaction_time_s(distance.protocol.value, *sizes, delay_s).numbers()

        def expected(whole_s: Predicted[float] = whole_s) -> Expected:
            rate_tps, low_tps, high_tps = (
                count / (each + traffic.think_time_s)
                for each in (whole_s.value, whole_s.high, whole_s.low)
            )
            return expected_of_rate(
                Predicted(rate_tps, low_tps, high_tps),
                prediction.transaction_rate_tps,
                traffic,
                "both ends take the times that published gains leave",
                "requests meet at the bottleneck alone",
            )

        notes = [*times.notes(*map(float, sizes))]
        if prediction.mtu_bytes != protocol.mtu_bytes:
            known = f"expected value fitted at MTU {protocol.mtu_bytes}"
            notes.append(f"extrapolation: {known}; the nearest holds")
        path = replace(prediction.path, notes=(*prediction.path.notes, *notes))
        return replace(prediction, path=path, known_expected=Once(expected))
    return prediction
