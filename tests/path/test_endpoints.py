"""Times of protocols at the ends of a path: which requests have them, and their intervals."""

from dataclasses import replace

import pytest

from netmodel.path import Path, Stage, Times, Traffic, _endpoints
from netmodel.path._distance import Distance, Protocol
from netmodel.path._endpoints import with_endpoint_times
from netmodel.path._transport_times import TransportTimes, transport_times
from netmodel.records import adapter

TRIP_S = 200e-6
BETWEEN = Distance(round_trip_s=TRIP_S, protocol=Protocol.TCP)
OSA = adapter("osa-express5s-10gbe")
REQUESTS = Traffic(1024, 1024, connection_count=10)
TIMES = transport_times("roce-express-10gbe")
PATH = Path(stages=(Stage(name="wire", to_server=Times(per_byte_s=8e-10)),), unknown=("the ends",))


@pytest.mark.parametrize(
    ("protocol", "bytes_", "trip_s", "is_wider_above"),
    [
        (Protocol.TCP, 1024, TRIP_S, True),
        (Protocol.TCP, 32768, 0.01, True),
        (Protocol.SMC_R, 60_000, 0.01, False),
    ],
)
def test_published_gains_give_the_time_of_ten_connections_and_its_interval(
    protocol: Protocol, bytes_: int, trip_s: float, is_wider_above: bool
) -> None:
    requests = replace(REQUESTS, request_bytes=bytes_, response_bytes=bytes_)
    card = OSA if protocol is Protocol.TCP else adapter("roce-express-10gbe")
    between = Distance(round_trip_s=trip_s, protocol=protocol)
    path = with_endpoint_times(PATH, requests, (card, card), between)
    (measured,) = path.measured
    assert measured.fitted_to[0].connection_counts == (10, 10)
    whole = TIMES.transaction_time_s(protocol.value, bytes_, bytes_, trip_s)
    error = measured.fitted_to[0].error_ratio
    assert (whole.high / whole.value > whole.value / whole.low) is is_wider_above
    assert whole.value * (1 + error) >= whole.high * (1 - 1e-12)
    assert whole.value / (1 + error) <= whole.low * (1 + 1e-12)
    assert error == pytest.approx(max(whole.high / whole.value, whole.value / whole.low) - 1)
    assert 0 < error < 0.12  # 1 KiB over TCP: 296 to 354 µs


def test_requests_and_responses_of_other_sizes_are_no_extrapolation() -> None:
    requests = replace(REQUESTS, request_bytes=200, response_bytes=30_000)
    path = with_endpoint_times(PATH, requests, (OSA, OSA), BETWEEN)
    (measured,) = path.measured
    (series,) = measured.fitted_to
    assert series.has_sizes_of(requests)
    assert not series.has_sizes_of(replace(requests, response_bytes=200))


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
    assert with_endpoint_times(PATH, traffic, (OSA, OSA), BETWEEN) is PATH


def test_other_adapters_and_what_was_measured_have_no_times_of_ends() -> None:
    roce, other = adapter("roce-express-10gbe"), adapter("osa-express6s-10gbe")
    for ends in ((OSA, other), (other, other), (roce, roce), (OSA, None), (None, None)):
        assert with_endpoint_times(PATH, REQUESTS, ends, BETWEEN) is PATH
    rdma = replace(BETWEEN, protocol=Protocol.SMC_R)
    assert with_endpoint_times(PATH, REQUESTS, (roce, roce), rdma).measured
    measured = with_endpoint_times(PATH, REQUESTS, (OSA, OSA), BETWEEN)
    assert with_endpoint_times(measured, REQUESTS, (OSA, OSA), BETWEEN) is measured


def test_a_calibrated_path_says_what_it_rests_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A record of runs with 5, 10 and 20 connections: a series from 5 to 20."""
    record = TIMES.record.model_copy(update={"connection_counts": (10, 20, 5)})
    monkeypatch.setattr(_endpoints, "transport_records", lambda: [record])
    fibre, rounds = (
        Stage(name=name, to_server=Times(per_message_s=1e-4), parallel_count=None)
        for name in ("distance", "window_rounds")
    )
    before = replace(PATH, stages=(fibre, *PATH.stages, rounds), notes=("of 2019",))
    for count in (5, 10, 20):
        requests = replace(REQUESTS, connection_count=count)
        path = with_endpoint_times(before, requests, (OSA, OSA), BETWEEN)
        (measured,) = path.measured
        (series,) = measured.fitted_to
        assert series.connection_counts == (5, 20)
        assert series.waits
        assert series.outside_error_ratio == series.error_ratio
        ends, *delays = measured.stages
        assert delays == [fibre, rounds]
        assert (ends.name, ends.is_delay) == ("ends", True)
        own_s = TIMES.endpoint_time_s("tcp", 1024, 1024).value
        assert ends.to_server == Times(per_message_s=own_s)
        assert ends.to_client == Times()
        assert measured.mtu_bytes == 1492
        assert measured.level_ratio is None
        assert measured.assumption == "both ends take the times that published gains leave"
        assert path.notes == ("of 2019", *TransportTimes(record).notes(1024, 1024))
    for count in (4, 11, 21):
        requests = replace(REQUESTS, connection_count=count)
        assert with_endpoint_times(before, requests, (OSA, OSA), BETWEEN) is before
