"""Times of protocols at the ends of a path: which requests have them, and what they give."""

from dataclasses import replace
from typing import Literal

import pytest

from netmodel.path import Path, Prediction, Stage, Times, Traffic, predict_path, protocols
from netmodel.path.over_distance import over_distance
from netmodel.path.protocols import notes_of_times, transaction_time_s, with_endpoint_times
from netmodel.path.stages import Distance
from netmodel.records import Adapter, adapter
from netmodel.records.transports import transport_records

TRIP_S = 200e-6
BETWEEN = Distance(round_trip_s=TRIP_S, protocol="tcp")
OSA, ROCE = adapter("osa-express5s-10gbe"), adapter("roce-express-10gbe")
REQUESTS = Traffic(1024, 1024, connection_count=10)
(TIMES,) = transport_records()
PATH = Path(stages=(Stage(name="wire", to_server=Times(per_byte_s=8e-10)),), unknown=("the ends",))


def alone(traffic: Traffic = REQUESTS, between: Distance = BETWEEN, mtu: int = 1492) -> Prediction:
    return predict_path(over_distance(PATH, between), traffic, mtu)


def known(
    traffic: Traffic = REQUESTS, between: Distance = BETWEEN, card: Adapter = OSA, mtu: int = 1492
) -> Prediction:
    return with_endpoint_times(alone(traffic, between, mtu), (card, card), between)


@pytest.mark.parametrize(
    ("protocol", "bytes_", "trip_s"),
    [("tcp", 1024, TRIP_S), ("tcp", 32768, 0.01), ("smc-r", 60_000, 0.01)],
)
def test_published_gains_give_the_time_of_ten_connections(
    protocol: Literal["tcp", "smc-r"], bytes_: int, trip_s: float
) -> None:
    """Little's law: 10 over both ends and the round trip, 296 to 354 µs for 1 KiB over TCP."""
    requests = replace(REQUESTS, request_bytes=bytes_, response_bytes=bytes_)
    card = OSA if protocol == "tcp" else ROCE
    expected = known(requests, Distance(round_trip_s=trip_s, protocol=protocol), card).expected
    assert expected is not None
    whole = transaction_time_s(TIMES, protocol, bytes_, bytes_, trip_s)
    time_s, rate = expected.transaction_time_s, expected.transaction_rate_tps
    assert (time_s.value, time_s.low, time_s.high) == pytest.approx(
        (whole.value, whole.low, whole.high)
    )
    assert (rate.value, rate.low, rate.high) == pytest.approx(
        (10 / whole.value, 10 / whole.high, 10 / whole.low)
    )
    assert expected.throughput_bps.value == pytest.approx(8 * bytes_ * rate.value)
    assert expected.assumption == "endpoint times agree with the published gains"
    assert not expected.is_exact


def test_a_pause_between_requests_is_no_part_of_their_time() -> None:
    expected = known(replace(REQUESTS, think_time_s=1e-3)).expected
    whole = transaction_time_s(TIMES, "tcp", 1024, 1024, TRIP_S)
    assert expected is not None
    assert expected.transaction_time_s.value == pytest.approx(whole.value)
    assert expected.transaction_rate_tps.value == pytest.approx(10 / (whole.value + 1e-3))


def test_messages_beyond_the_window_wait_for_further_rounds() -> None:
    """32 KiB each way in windows of 16 KiB: a round trip more for each, while half is sent."""
    between = replace(BETWEEN, window_bytes=16_384)
    requests = replace(REQUESTS, request_bytes=32_768, response_bytes=32_768)
    near, far = known(requests).expected, known(requests, between).expected
    assert near is not None
    assert far is not None
    more_s = far.transaction_time_s.value - near.transaction_time_s.value
    assert 1.9 * TRIP_S < more_s < 2 * TRIP_S


@pytest.mark.parametrize(
    "traffic",
    [
        replace(REQUESTS, connection_count=11),
        replace(REQUESTS, connection_count=None),
        replace(REQUESTS, response_bytes=0),
        replace(REQUESTS, waits=False),
        replace(REQUESTS, waits=False, response_bytes=0),
    ],
)
def test_other_traffic_has_no_times_of_ends(traffic: Traffic) -> None:
    assert known(traffic).expected is None


def test_other_adapters_and_lost_packets_have_no_times_of_ends() -> None:
    prediction, other = alone(), adapter("osa-express6s-10gbe")
    for ends in ((OSA, other), (other, other), (ROCE, ROCE), (OSA, None), (None, None)):
        assert with_endpoint_times(prediction, ends, BETWEEN) is prediction
    assert known(between=replace(BETWEEN, loss_ratio=1e-4)).expected is None


def test_only_numbers_of_connections_that_ran_have_times(monkeypatch: pytest.MonkeyPatch) -> None:
    record = TIMES.model_copy(update={"connection_counts": (10, 20, 5)})
    monkeypatch.setattr(protocols, "transport_records", lambda: [record])
    has = {n: known(replace(REQUESTS, connection_count=n)).expected for n in (4, 5, 10, 11, 20, 21)}
    assert [n for n, each in has.items() if each is not None] == [5, 10, 20]


def test_notes_say_what_it_rests_on() -> None:
    assert known().limit_notes == (*alone().limit_notes, *notes_of_times(TIMES, 1024, 1024))
    assert not notes_of_times(TIMES, 1024, 1024)[0].startswith("extrapolated")
    assert notes_of_times(TIMES, 1000, 1024)[0].startswith("extrapolated: the published messages")
    note = "extrapolation: expected value fitted at MTU 1492; the nearest holds"
    assert known(mtu=8992).limit_notes[-1] == note
    assert any(each.startswith("endpoint times not known: ") for each in alone().notes)
    assert not any(each.startswith("endpoint times not known: ") for each in known().notes)
