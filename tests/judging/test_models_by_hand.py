"""Ratios of two cases by each model, from predictions that a test makes."""

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf, sqrt
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from netmodel._estimates import Estimate
from netmodel.calibration import Point
from netmodel.calibration._transports import QUANTITY, TransportModel
from netmodel.consumption import Side
from netmodel.judging import _compared_models
from netmodel.judging._compared_facts import Fact
from netmodel.judging._compared_models import Modelled, bounded, modelled, what_identifies
from netmodel.judging._compared_transports import (
    Crossover,
    bounds_from_other_distances,
    crossover,
    message_sizes,
    round_trip_s,
)
from netmodel.judging._cost_model import CostSet
from netmodel.path import Bound
from netmodel.path._recorded_exchange import recorded_exchange, spread
from netmodel.records import Grade
from netmodel.records._steering import steering_records
from netmodel.records._transports import transport_record

CARD, OTHER = "osa-express7s-25gbe", "osa-express6s-10gbe"
SMALL, LARGE, STREAM = "rr1c-200x1000", "rr1c-200x30k", "str-writex30k"
RATE, TIME = "throughput", "transaction_time"
CPU, CPU_EACH = "cpu_consumption", "cpu_time_per_transaction"


def case(card: str = CARD, workload: str = LARGE, **more: Any) -> dict[str, Any]:
    return {"adapter": card, "workload": workload, "mtu_bytes": 1500, **more}


def numbers(value: float, low: float, high: float, bound: Bound = Bound.UPPER) -> Any:
    """A predicted quantity."""
    found = SimpleNamespace(value=value, low=low, high=high, bound=bound)
    found.numbers = lambda: found
    return found


def made(
    rate: Any = None,
    *,
    expected: Any = None,
    costs: dict[Side, Any] | None = None,
    binding: str = "wire",
    bound_bps: float = 4.0,
    band: tuple[float, float] | None = None,
    waits: bool = True,
) -> SimpleNamespace:
    """A case as predictions have it."""
    prediction = SimpleNamespace(
        throughput_bps=rate or numbers(4, 4, 4),
        expected=expected,
        binding=binding,
        cpu_us_per_gbit=costs or {},
        cpu_s_per_transaction=costs or {},
    )
    ends = band and SimpleNamespace(throughput_bps=SimpleNamespace(low=band[0], high=band[1]))
    return SimpleNamespace(
        prediction=prediction, bound_bps=bound_bps, band=ends, waits=waits, composed=None
    )


@contextmanager
def predicted(old: SimpleNamespace | None, new: SimpleNamespace | None) -> Iterator[None]:
    """The one card and the other."""
    with patch.object(
        _compared_models, "_predicted", lambda of: old if of["adapter"] == OTHER else new
    ):
        yield


OLD, NEW = case(OTHER), case(CARD)


# What bounds leave


@pytest.mark.parametrize(
    ("old", "new", "ratio"),
    [
        # 2 to 6 over 1 to 4, which the bound of 4 cuts off from 5
        (
            made(bound_bps=4, band=(1, 5)),
            made(bound_bps=8, band=(2, 6)),
            (2 / 4, 6 / 1),
        ),
        (made(bound_bps=4), made(bound_bps=8, band=(2, 6)), (2 / 4, inf)),
        (made(bound_bps=4, band=(1, 5)), made(bound_bps=8), (0, 8)),
        (made(bound_bps=inf, band=(1, inf)), made(bound_bps=8, band=(2, 6)), (0, 6)),
        (made(bound_bps=4), made(bound_bps=8), None),
        (None, made(bound_bps=8, band=(2, 6)), None),
        (made(bound_bps=4, band=(1, 5)), None, None),
        (made(numbers(4, 4, 4, Bound.MEAN), band=(1, 5)), made(band=(2, 6)), None),
    ],
)
def test_ranges_of_two_rates_leave_that_of_their_ratio(
    old: Any, new: Any, ratio: tuple[float, float] | None
) -> None:
    with predicted(old, new):
        assert bounded(OLD, NEW, RATE) == ratio
        time = bounded(OLD, NEW, TIME)
        assert bounded(OLD, NEW, CPU) is None
    # with as many connections that wait, X = N / R
    inverse = ratio and tuple(1 / end if end else inf for end in reversed(ratio))
    assert time == inverse


def test_times_are_of_as_many_connections_that_wait() -> None:
    old, new = made(band=(1, 5)), made(band=(2, 6), waits=False)
    with predicted(old, new):
        assert bounded(OLD, NEW, RATE) is not None
        assert bounded(OLD, NEW, TIME) is None
    with predicted(old, made(band=(2, 6))):
        few, many = case(OTHER, connection_counts=1), case(CARD, connection_counts=10)
        assert bounded(few, many, RATE) is not None
        assert bounded(few, many, TIME) is None
        setting = {**NEW, "setting": "tuned"}
        assert bounded(OLD, setting, RATE) is None


# What predictions give


def test_expected_values_go_before_bounds() -> None:
    """2 to 4 over 1 to 1.5: 3 / 1.2 between 2 / 1.5 and 4 / 1."""
    old = SimpleNamespace(
        throughput_bps=numbers(1.2, 1, 1.5), transaction_time_s=numbers(10, 8, 12)
    )
    new = SimpleNamespace(throughput_bps=numbers(3, 2, 4), transaction_time_s=numbers(5, 4, 6))
    with predicted(made(expected=old), made(expected=new)):
        rate, time = modelled(OLD, NEW, RATE, None), modelled(OLD, NEW, TIME, None)
    records = (OTHER, CARD)
    assert rate == Modelled(3 / 1.2, 2 / 1.5, 4 / 1, "expected values", records=records)
    assert time == Modelled(5 / 10, 4 / 12, 6 / 8, "expected values", records=records)
    # where both come from the same times, the value may be beyond the quotients of ends
    with predicted(made(expected=old), made(expected=old)):
        same = modelled(OLD, NEW, RATE, None)
    assert same == Modelled(1, 1 / 1.5, 1.5, "expected values", records=records)
    with predicted(made(expected=old), made(expected=new, waits=False)):
        assert modelled(OLD, NEW, TIME, None) is None
    with predicted(made(expected=old), made()):
        found = modelled(OLD, NEW, RATE, None)
    assert found is not None
    assert found.is_bound_ratio


@pytest.mark.parametrize(
    ("bounds", "basis", "is_bound_ratio"),
    [
        ((Bound.UPPER, Bound.UPPER), "upper bounds (queue over wire)", True),
        ((Bound.MEAN, Bound.UPPER), "a mean and an upper bound (queue over wire)", True),
        ((Bound.MEAN, Bound.MEAN), "mean rates (queue over wire)", False),
    ],
)
def test_bounds_and_means_of_rates(
    bounds: tuple[Bound, Bound], basis: str, is_bound_ratio: bool
) -> None:
    """6, from 5 to 8, over 3, from 2 to 4."""
    old = made(numbers(3, 2, 4, bounds[0]))
    new = made(numbers(6, 5, 8, bounds[1]), binding="queue")
    with predicted(old, new):
        assert modelled(OLD, NEW, RATE, None) == Modelled(
            2, 5 / 4, 8 / 2, basis, is_bound_ratio, (OTHER, CARD)
        )
        assert modelled(OLD, NEW, TIME, None) is None
    with predicted(old, made(numbers(6, 5, 8, bounds[1]))):
        found = modelled(OLD, NEW, RATE, None)
    assert found is not None
    assert found.basis == basis.replace("queue over wire", "wire")
    for rate in (numbers(inf, 1, inf), numbers(0, 0, 0)):
        with predicted(made(rate), new):
            assert modelled(OLD, NEW, RATE, None) is None


def test_a_mean_may_be_beyond_the_quotients_of_its_ends() -> None:
    """3 times as much as the other, each with an end at its value."""
    old, new = made(numbers(1, 1, 1.1, Bound.MEAN)), made(numbers(3, 2.9, 3, Bound.MEAN))
    with predicted(old, new):
        found = modelled(OLD, NEW, RATE, None)
    assert found is not None
    assert (found.value, found.low, found.high) == pytest.approx((3, 2.9 / 1.1, 3))


@pytest.mark.parametrize("quantity", [CPU, CPU_EACH])
@pytest.mark.parametrize("side", list(Side))
def test_costs_are_of_a_side_that_both_have(quantity: str, side: Side) -> None:
    """200, from 150 to 250, over 100, from 80 to 120."""
    old, new = {side: numbers(100, 80, 120)}, {side: numbers(200, 150, 250)}
    with predicted(made(costs=old), made(costs=new)):
        found = modelled(OLD, NEW, quantity, side.value)
    assert found == Modelled(
        *(2, 150 / 120, 250 / 80, f"CPU costs of the {side.value}"), records=(OTHER, CARD)
    )


def test_without_costs_the_demands_of_messages_frames_and_bytes_are_left() -> None:
    """22 frames are 4 at MTU 9000: all of the cost or nothing of it, on either side."""
    jumbo = case(CARD, mtu_bytes=9000)
    with (
        patch.object(_compared_models, "_predicted", lambda _: None),
        patch.object(_compared_models, "cost_set", lambda: CostSet(())),
    ):
        found = [modelled(NEW, jumbo, CPU, side) for side in (None, "client", "server")]
        assert modelled(NEW, jumbo, RATE, None) is None
        # connections change no demand that the printed ratios know
        few, many = (
            case(workload=STREAM, connection_counts=1),
            case(workload=STREAM, connection_counts=10),
        )
        assert modelled(few, many, CPU, None) is None
        assert list(what_identifies(few, many)) == [
            "CPU cost is left open; measure it with 1 and 10 connections"
        ]
        one, ten = {"connection_counts": 1}, {"connection_counts": 10}
        assert list(what_identifies(case(OTHER, STREAM, **one), case(CARD, STREAM, **ten))) == [
            f"CPU cost is left open; measure CPU per data of a stream over {OTHER} at two MTUs"
        ]
        assert list(what_identifies(case(OTHER, STREAM), case(CARD, STREAM))) == [
            f"CPU cost is left open; measure CPU per data of a stream over {OTHER} at two MTUs"
        ]
    for each in found:
        assert each is not None
        assert each.basis == "messages, frames and bytes, with demands from other CPU ratios"
        ends = (each.value, each.low, each.high)
        assert ends == pytest.approx((sqrt(4 / 22), 4 / 22, 1))


def test_two_sides_leave_the_range_of_both_and_the_middle_of_their_values() -> None:
    """2, from 1.5 to 3, and 8, from 6 to 9: by their ratio 4 is in the middle."""
    sides = iter([Estimate(2.0, 1.5, 3.0), Estimate(8.0, 6.0, 9.0)])
    known = SimpleNamespace(expected=lambda *_: next(sides))
    with (
        patch.object(_compared_models, "_predicted", lambda _: None),
        patch.object(_compared_models, "cost_set", lambda: known),
    ):
        found = modelled(OLD, NEW, CPU, None)
    assert found is not None
    assert (found.value, found.low, found.high) == pytest.approx((4, 1.5, 9))


@pytest.mark.parametrize("quantity", [RATE, TIME, CPU, CPU_EACH])
def test_an_mtu_that_changes_no_frame_changes_nothing(quantity: str) -> None:
    """200 and 1000 byte are a frame each at both."""
    small, jumbo = case(workload=SMALL), case(workload=SMALL, mtu_bytes=9000)
    found = modelled(small, jumbo, quantity, None)
    assert found == Modelled(1, 1, 1, "each message has the same frames at both MTUs")
    assert modelled(small, jumbo, "latency", None) is None
    narrow = modelled(small, case(workload=SMALL, mtu_bytes=576), quantity, None)
    assert narrow is None or narrow.basis != found.basis, "1000 byte are two frames"


@pytest.mark.parametrize(
    ("is_steered", "counts"), [((False, True), (50, 50)), ((True, False), (10, 50))]
)
def test_steering_and_connections_are_those_of_the_recorded_exchange(
    is_steered: tuple[bool, bool], counts: tuple[int, int]
) -> None:
    record = next(each for each in steering_records() if CARD in each.samples)
    exchange = recorded_exchange(record, CARD, list(counts))
    old, new = (
        case(workload=record.workload, receive_packet_steering=on, connection_counts=count)
        for on, count in zip(is_steered, counts, strict=True)
    )

    def of(own: Any, steered: Any) -> Estimate[float]:
        before, after = ((steered if on else own)[place] for place, on in enumerate(is_steered))
        return spread(after / before)

    time = of(exchange.time, exchange.steered_time)
    rates = of(1 / exchange.time, 1 / exchange.steered_time)
    cost = of(exchange.cost, exchange.steered_cost)
    more = counts[1] / counts[0]
    for quantity, expected in (
        (TIME, time),
        (RATE, tuple(more * end for end in rates)),
        (CPU, cost),
        (CPU_EACH, cost),
    ):
        found = modelled(old, new, quantity, None)
        assert found is not None
        assert (found.value, found.low, found.high) == pytest.approx(tuple(expected))
        assert found.records == (record.id,)
        assert found.basis == f"expected of {record.id}, 95 % of its parameters"


@pytest.mark.parametrize(
    "change", [{"adapter": OTHER}, {"workload": STREAM}, {"setting": "tuned"}], ids=str
)
def test_steering_is_of_one_adapter_and_workload(change: dict[str, Any]) -> None:
    old = case(workload=SMALL, connection_counts=50)
    new = old | {"receive_packet_steering": True}
    there = modelled(old, new, TIME, None)
    assert there is not None
    assert there.basis.startswith("expected of ")
    assert modelled(old, new | change, TIME, None) is None


def test_an_inverse_exchanges_its_ends() -> None:
    assert Modelled(2, 1, 4, "a").inverse() == Modelled(0.5, 0.25, 1, "a")
    open_end = Modelled(2, 0, 4, "a", records=("r",)).inverse()
    assert open_end == Modelled(0.5, 0.25, inf, "a", records=("r",))


def test_a_workload_of_a_users_own_is_read_again(tmp_path: Path) -> None:
    """8948 byte are a frame at MTU 9000 and seven at 1500, 4474 are four there, and 1448 one."""
    mine = tmp_path / "mine.toml"
    text = (
        'title = "mine"\nkind = "request_response"\n[defaults]\nsource = "me"\nlocator = "here"\n'
        'grade = "measured"\n[request]\nvalue = 100\nunit = "byte"\n'
        '[response]\nvalue = {}\nunit = "byte"\n'
    )
    cards = [case(card, str(mine)) for card in ("ethernet-10gbe", "ethernet-25gbe")]
    jumbo = {**cards[0], "mtu_bytes": 9000}
    ratios = []
    for size in (8948, 4474, 1448):
        mine.write_text(text.format(size), encoding="utf-8")
        found = modelled(cards[0], jumbo, RATE, None)
        assert found is not None
        ratios.append(found.value)
    expected = [(size + count * 90) / (size + 90) for size, count in ((8948, 7), (4474, 4))]
    assert ratios == pytest.approx([*expected, 1])


# Transports over distance


def test_sizes_and_round_trips_of_a_case() -> None:
    """Light takes 4.9 us for a kilometre of fibre, there and back 9.8."""
    assert message_sizes({"workload": LARGE}) == (200, 30720)
    assert message_sizes({"workload": LARGE, "message_bytes": 1000}) == (200, 1000)
    assert round_trip_s({}) is None
    trip_s = round_trip_s({"distance_km": 100})
    assert trip_s == pytest.approx(2 * 100 * 1.4682 / 299_792.458)


def test_a_crossover_in_words_and_values() -> None:
    found = Crossover(0.1, Estimate(123.4, 100.0, 150.0))
    assert str(found) == "at least 10 % of the time is saved up to 123 km (100 to 150)"
    assert found.to_dict() == {
        "min_gain_ratio": 0.1,
        "distance_km": 123.4,
        "distance_km_low": 100,
        "distance_km_high": 150,
    }


def gain(name: str, km: float, low: float, high: float, **subject: Any) -> Fact:
    own = {"workload": "smc-str-20m", "transport": "smcr", "distance_km": km} | subject
    place = ("printed", "made", "page 1", Grade.PUBLISHED)
    return Fact(name, RATE, own, {"transport": "tcp", "distance_km": km}, low, high, *place)


ASKED = (
    {"workload": "smc-str-20m", "transport": "tcp", "distance_km": 40.0},
    {"workload": "smc-str-20m", "transport": "smcr", "distance_km": 40.0},
)


@pytest.mark.parametrize(
    ("facts", "found"),
    [
        # from 10 to 40 km a ratio may fall to a quarter, or grow to four times
        ([gain("near", 10, 2, 3)], (0.5, 12, ("near",))),
        ([gain("far", 80, 4, 5)], (2, 10, ("far",))),
        ([gain("near", 10, 2, 3), gain("far", 80, 4, 5)], (2, 10, ("near", "far"))),
        ([gain("near", 10, 2, 3), gain("here", 40, 4, 5)], (4, 5, ("near", "here"))),
        ([gain("other", 10, 2, 3, transport="tcp")], None),
        ([gain("other", 10, 2, 3, workload="smc-rr-1k")], None),
        ([gain("other", 10, 2, 3, connection_counts=3)], None),
        ([gain("words", 10, float("nan"), float("nan"))], None),
        ([], None),
    ],
)
def test_a_ratio_over_another_distance_leaves_a_range(
    facts: list[Fact], found: tuple[float, float, tuple[str, ...]] | None
) -> None:
    assert bounds_from_other_distances(facts, *ASKED) == found
    requests = [{**each, "workload": "smc-rr-1k"} for each in ASKED]
    assert bounds_from_other_distances(facts, *requests) is None
    nowhere = [{key: each[key] for key in ("workload", "transport")} for each in ASKED]
    assert bounds_from_other_distances(facts, *nowhere) is None


REQUESTS = "smc-rr-1k"


def corner_times(transport: str, km: float) -> np.ndarray:
    """Time of a request of 1 KiB and its response, at each corner of the calibrated times."""
    record = transport_record()
    (name,) = (key for key, each in record.protocols.items() if each.transport == transport)
    trip_s = 2 * km * 1.4682 / 299_792.458
    at = {"request_bytes": 1024.0, "response_bytes": 1024.0, "round_trip_s": trip_s}
    loads = TransportModel(record.protocols).loads(Point(QUANTITY, {"protocol": name, **at}))
    times = np.array(record.corners, dtype=float)[:, : len(loads.coefficients[0])]
    return np.asarray(loads.values(times.T))


def requests(transport: str, km: float, **more: Any) -> dict[str, Any]:
    return {"workload": REQUESTS, "transport": transport, "distance_km": km, **more}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (("tcp", 20), ("smcr", 20)),
        (("smcr", 20), ("tcp", 20)),
        (("tcp", 20), ("smcr", 60)),
        (("tcp", 10), ("tcp", 100)),
    ],
)
def test_requests_over_a_distance_take_the_times_at_both_ends_and_its_round_trip(
    old: tuple[str, float], new: tuple[str, float]
) -> None:
    """At one distance the ratio at each corner; otherwise of two times that are apart known."""
    first, last = corner_times(*old), corner_times(*new)
    ends = (last.min() / first.max(), last.max() / first.min())
    if old == ("tcp", 20) and new == ("smcr", 20):
        ends = ((last / first).min(), (last / first).max())
    time = modelled(requests(*old), requests(*new), TIME, None)
    rate = modelled(requests(*old), requests(*new), RATE, None)
    assert time is not None
    assert rate is not None
    assert (time.low, time.high) == pytest.approx(ends, rel=1e-6)
    assert (rate.low, rate.high) == pytest.approx((1 / ends[1], 1 / ends[0]), rel=1e-6)
    assert time.low < time.value < time.high
    assert rate.value == pytest.approx(1 / time.value)
    assert time.records == ("smcr-distance",)
    basis = "endpoint times, calibrated from published gains, and the round trip"
    assert (time.basis, time.is_bound_ratio) == (basis, False)


@pytest.mark.parametrize(
    ("old", "new", "quantity"),
    [
        # another condition, another adapter, no distance, no change of either, another quantity
        (requests("tcp", 20), requests("smcr", 20, layer=2), TIME),
        (requests("tcp", 20), requests("smcr", 20, adapter=OTHER), TIME),
        (requests("tcp", 20) | {"distance_km": None}, requests("smcr", 20), TIME),
        (requests("tcp", 20), requests("tcp", 20), TIME),
        (requests("tcp", 20), requests("smcr", 20), "mtu"),
    ],
)
def test_times_at_both_ends_say_nothing_of_other_changes(
    old: dict[str, Any], new: dict[str, Any], quantity: str
) -> None:
    with patch.object(_compared_models, "_of_predictions", lambda *_: None):
        cases = [{key: each for key, each in of.items() if each is not None} for of in (old, new)]
        assert modelled(cases[0], cases[1], quantity, None) is None


def test_a_gain_falls_to_a_share_where_the_round_trip_has_outgrown_it() -> None:
    """
    At each corner where 20 % of TCP's time are saved: the nearest and the farthest.

    Of times t and s without a distance, s + r = 0.8 (t + r) at the round trip r = 4 t - 5 s.
    """
    found = crossover(requests("tcp", 1), requests("smcr", 1), 0.2)
    assert found is not None
    trips_s = (4 * corner_times("tcp", 0) - 5 * corner_times("smcr", 0)) * 1e-6
    distances = trips_s / (2 * 1.4682 / 299_792.458)
    _, low, high = found.distance_km
    assert (low, high) == pytest.approx((min(distances), max(distances)), rel=1e-6)
    assert crossover(requests("smcr", 1), requests("tcp", 1), 0.2) is None
    assert crossover({**requests("tcp", 1), "workload": LARGE}, ASKED[1], 0.2) is None
