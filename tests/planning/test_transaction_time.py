"""Times of transactions of several flows at the planned load: bound, expected value, targets."""

import math
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

import pytest
from paths import line
from planning.planned import OSA, STREAM, demanded, planned

from netmodel import plan_scenario
from netmodel.concurrency import erlang_c_waiting_ratio
from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.path import Interval, Path, SpecifiedPath, Stage, Times, predict_path
from netmodel.planning import Headroom, ScenarioPlan
from netmodel.planning._demand import Demand
from netmodel.planning._plan import Plan
from netmodel.planning._planner import plan_demand
from netmodel.planning._resources import Corner
from netmodel.planning._scenario import BEHIND_JUDGED
from netmodel.planning._transaction_time import TransactionTime, Verdict, transaction_times
from netmodel.records import path_record

WORKED = SpecifiedPath(record=path_record("worked-closed-network"))
FULL = Headroom(0.999, 0)
SMALL = "rr1c-200x1000"
LINE_BPS = 25e9


def worked(*rates: str, **options: Any) -> tuple[Demand, Plan]:
    """Flows of the same messages on the worked closed network, used as far as it goes."""
    flows = [f"{rate} {SMALL}" for rate in rates]
    return planned(*flows, path=WORKED, headroom=FULL, **options)


def on(path: Path, *texts: str, connections: int | None = None) -> tuple[Demand, Plan]:
    """Flows on a path of stages that are all known."""
    demand = demanded(*texts, connections=connections)
    demand = replace(
        demand,
        predictions=tuple(predict_path(path, flow.traffic, 1500) for flow in demand.flows),
        published=(),
    )
    return demand, plan_demand(demand, FULL)


def stations(*stages: Stage) -> Path:
    return Path(stages=(*line(LINE_BPS), *stages))


def value_s(time: TransactionTime) -> float:
    assert time.expected_s is not None
    return time.expected_s.value


SERVER = Stage(name="server", to_server=Times(per_message_s=10e-6))
FIBRE = Stage(name="fibre", to_server=Times(per_message_s=50e-6), parallel_count=None)
FOUR = Stage(name="four", to_client=Times(per_message_s=40e-6), parallel_count=4)


def test_single_servers_several_servers_and_a_fibre_by_hand() -> None:
    """Two flows share them: 30,000 and 50,000 /s of 10 us (M/M/1), of 40 us at four (M/M/4)."""
    demand, plan = on(stations(SERVER, FIBRE, FOUR), f"30000/s {SMALL}", f"50000/s {SMALL}")
    rate_tps = 80_000
    own = demand.predictions[0].loads_s
    wires_s = [own[name].value for name in ("wire_to_server", "wire_to_client")]
    waiting = float(erlang_c_waiting_ratio(rate_tps * 40e-6, 4))
    by_hand_s = (
        sum(time_s / (1 - rate_tps * time_s) for time_s in wires_s)
        + 10e-6 / (1 - rate_tps * 10e-6)
        + 50e-6
        + 40e-6 * (1 + waiting / (4 - rate_tps * 40e-6))
    )
    first, second = transaction_times(demand, plan)
    assert value_s(first) == pytest.approx(by_hand_s, rel=1e-12)
    assert value_s(second) == value_s(first)
    assert first.lower_bound_s is not None
    assert first.lower_bound_s.value == pytest.approx(sum(wires_s) + 100e-6, rel=1e-12)


@pytest.mark.parametrize(("messages", "overlap"), [(SMALL, False), ("rr1c-200x30k", True)])
def test_frames_of_one_message_wait_as_one(messages: str, overlap: bool) -> None:
    (time,) = transaction_times(*on(stations(SERVER, FIBRE), f"1000/s {messages}"))
    text = "frames of a message overlap at stages, and wait as one"
    assert (text in time.approximations) is overlap


def test_only_the_sum_of_the_flows_counts() -> None:
    one = transaction_times(*worked("70000/s"))
    several = transaction_times(*worked("40000/s", "20000/s", "10000/s"))
    for time in several:
        assert value_s(time) == pytest.approx(value_s(one[0]), rel=1e-12)


@pytest.mark.thorough
@pytest.mark.parametrize("rate_tps", [100, 40_000, 80_000])
def test_many_connections_that_think_come_near_random_arrivals(rate_tps: int) -> None:
    path = stations(SERVER, FIBRE, FOUR)
    flow = f"{rate_tps}/s {SMALL}"
    (open_time,) = transaction_times(*on(path, flow))
    apart = []
    for connections in (50, 500, 4000):
        (closed,) = transaction_times(*on(path, flow, connections=connections))
        apart.append(1 - value_s(closed) / value_s(open_time))
    assert apart == sorted(apart, reverse=True)
    assert all(each > -1e-9 for each in apart), "few connections wait less than random arrivals"
    assert apart[-1] < 5e-3


def test_no_load_takes_the_lower_bound_and_more_load_takes_longer() -> None:
    demand, plan = worked("30000/s", "20000/s")
    times_s = []
    for ratio in (1e-6, 0.1, 0.5, 1, 1.05, 1.1):
        time, _ = transaction_times(demand, plan, volume_ratio=ratio)
        assert time.lower_bound_s is not None
        assert value_s(time) > time.lower_bound_s.value
        times_s.append(value_s(time))
    assert times_s == sorted(times_s)
    assert times_s[0] == pytest.approx(79.3007e-6, rel=1e-5)


def test_more_adapters_and_cores_never_take_longer() -> None:
    demand, plan = worked("60000/s", "10000/s")
    by_adapters = [
        value_s(transaction_times(demand, plan, adapter_count=count)[0]) for count in (1, 2, 5, 50)
    ]
    by_cores = [
        value_s(transaction_times(demand, plan, core_counts=dict.fromkeys(Side, count))[0])
        for count in (2, 3, 4, 8)
    ]
    assert by_adapters == sorted(by_adapters, reverse=True)
    assert by_cores == sorted(by_cores, reverse=True)


@pytest.mark.parametrize("ratio", [2.0, 2.4, 10])
def test_a_full_stage_has_no_expected_time(ratio: float) -> None:
    demand, plan = worked("50000/s", "30000/s")
    for time in transaction_times(demand, plan, [1.0, None], volume_ratio=ratio):
        assert time.expected_s is None
        assert "queues without end" in time.reason
        assert "is used at" in time.reason
    failing = transaction_times(demand, plan, [1.0, None], volume_ratio=ratio)[0]
    assert failing.verdict is Verdict.NOT_EXPECTED
    assert failing.reason_against.startswith("cannot meet the target of 1 s for rr1c-200x1000")


def test_a_stage_that_is_just_full_has_no_expected_time() -> None:
    """100,000 messages of 10 µs in a second."""
    (time,) = transaction_times(*on(stations(SERVER), f"100000/s {SMALL}"))
    assert time.expected_s is None
    assert time.reason == "queues without end: server is used at 100.0 %"


def test_connections_that_do_not_reach_the_planned_rate_miss_any_target() -> None:
    (time,) = transaction_times(*worked("100000/s", connections=2), [10.0])
    assert time.verdict is Verdict.NOT_EXPECTED
    assert "reach only" in time.reason


def test_targets_are_met_missed_or_not_expected() -> None:
    demand, plan = worked("40000/s", "30000/s")
    (plain, _) = transaction_times(demand, plan)
    assert plain.lower_bound_s is not None
    between_s = (plain.lower_bound_s.value + value_s(plain)) / 2
    for target_s, verdict in (
        (value_s(plain) * 1.001, Verdict.MET),
        (between_s, Verdict.NOT_EXPECTED),
        (plain.lower_bound_s.value * 0.999, Verdict.MISSED),
    ):
        time, other = transaction_times(demand, plan, [target_s, None])
        assert time.verdict is verdict
        assert time.fails is (verdict is not Verdict.MET)
        assert bool(time.reason_against) is time.fails
        assert other.verdict is None
        assert not other.fails
        assert verdict.value in time.text


def test_a_range_decides_by_the_corner_of_the_plan() -> None:
    wide = replace(SERVER, to_server=Times(per_message_s=Interval(10e-6, 5e-6, 11e-6)))
    demand, plan = on(stations(wide, FIBRE), f"40000/s {SMALL}", f"10000/s {SMALL}")
    (time, _) = transaction_times(demand, plan)
    assert time.expected_s is not None
    low, value, high = time.expected_s.low, time.expected_s.value, time.expected_s.high
    assert low < value < high
    for corner, target_s, verdict in (
        (Corner.WORST, (value + high) / 2, Verdict.UNCERTAIN),
        (Corner.VALUE, (value + high) / 2, Verdict.MET),
        (Corner.VALUE, (value + low) / 2, Verdict.UNCERTAIN),
        (Corner.BEST, (value + low) / 2, Verdict.MET),
        (Corner.WORST, high, Verdict.MET),
    ):
        judged = plan_demand(demand, FULL, corner)
        assert transaction_times(demand, judged, [target_s, None])[0].verdict is verdict


def test_parts_that_are_not_known_leave_a_lower_bound() -> None:
    demand, plan = planned(f"100000/s {SMALL}", f"1000/s {SMALL}")
    time, _ = transaction_times(demand, plan, [1e-3, None])
    assert time.expected_s is None
    assert time.lower_bound_s is not None
    assert time.lower_bound_s.low > 0
    assert time.unknown
    assert time.verdict is Verdict.UNKNOWN
    assert not time.fails
    assert time.note.startswith(f"{SMALL}: target of 1 ms not judged: not known: ")


def test_a_stream_awaits_nothing() -> None:
    demand, plan = planned(STREAM, f"1000/s {SMALL}", path=OSA)
    stream, requests = transaction_times(demand, plan, [1e-3, None])
    assert (stream.lower_bound_s, stream.expected_s) == (None, None)
    assert stream.verdict is Verdict.UNKNOWN
    assert "await no answers" in stream.note
    assert requests.lower_bound_s is not None


def test_the_dictionary_has_plain_values() -> None:
    time, _ = transaction_times(*worked("40000/s", "30000/s"), [1e-4, None])
    plain = time.to_dict()
    assert plain["flow"] == SMALL
    assert plain["verdict"] == "not expected"
    assert plain["expected_s"]["value"] > plain["lower_bound_s"]["value"]
    assert plain["reason"] is None
    assert "Poisson" in plain["assumption"]


@pytest.mark.parametrize(
    ("targets_s", "options"),
    [
        ([1.0], {}),
        ([0.0, None], {}),
        ([-1.0, None], {}),
        ([math.nan, None], {}),
        (None, {"volume_ratio": 0}),
        (None, {"volume_ratio": math.nan}),
    ],
)
def test_wrong_targets_are_refused(targets_s: Any, options: dict[str, Any]) -> None:
    demand, plan = worked("1000/s", "1000/s")
    with pytest.raises(DomainError):
        transaction_times(demand, plan, targets_s, **options)


TWO_CLASSES = """
[[traffic]]
name = "orders"
workload = "rr1c-200x1000"
mean = "40000/s"
{target}
[[traffic]]
name = "copies"
{other}
[[candidate]]
name = "worked"
path = "worked-closed-network"
mtu = 1500
[policy]
spares = 0
{policy}
"""
REQUESTS = 'workload = "rr1c-200x1000"\nmean = "30000/s"'
COPIES = 'workload = "str-writex30k"\nmean = "100 Mbit/s"'


def scenario(
    folder: FilePath, other: str = REQUESTS, target: str = "", policy: str = ""
) -> ScenarioPlan:
    file = folder / "two-classes.toml"
    file.write_text(TWO_CLASSES.format(other=other, target=target, policy=policy), "utf-8")
    return plan_scenario(file)


def of_class(target: str) -> dict[str, str]:
    return {"target": f'max_transaction_time = "{target}"'}


def of_all(target: str) -> dict[str, str]:
    return {"policy": f'max_transaction_time = "{target}"'}


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        (of_class("120 µs"), ""),
        (
            of_class("100 µs"),
            "takes 103.95 µs for a transaction of orders, and its target is 100 µs",
        ),
        (of_all("100 µs"), "takes 103.95 µs for a transaction of orders, and its target is 100 µs"),
        (of_class("70 µs"), "takes at least 79.301 µs for a transaction of orders, and its target"),
        ({**of_class("1 ms"), **of_all("100 µs")}, "takes 103.95 µs for a transaction of copies"),
        ({**of_class("120 µs"), **of_all("1 ms")}, ""),
    ],
)
def test_a_candidate_holds_only_if_its_targets_are_met(
    tmp_path: FilePath, keys: dict[str, str], reason: str
) -> None:
    result = scenario(tmp_path, **keys)
    (candidate,) = result.candidates
    assert candidate.is_feasible is result.holds is not bool(reason)
    if reason:
        assert candidate.reasons[0].startswith(reason)
        assert result.answer.startswith("No candidate carries the traffic: worked takes ")
    else:
        assert not candidate.reasons
    assert [time["flow"] for time in candidate.to_dict()["times"]] == ["orders", "copies"]
    assert "time of a transaction: orders: 103.95 µs expected" in result.details()


def test_the_target_of_the_policy_is_not_that_of_streams(tmp_path: FilePath) -> None:
    result = scenario(tmp_path, COPIES, **of_all("1 s"))
    _, copies = result.candidates[0].times
    assert copies.target_s is None
    assert not any("copies: target" in note for note in result.notes)


def test_a_target_that_cannot_be_judged_is_a_note(tmp_path: FilePath) -> None:
    text = TWO_CLASSES.format(other=REQUESTS, policy="", target='max_transaction_time = "1 ms"')
    file = tmp_path / "partly-known.toml"
    adapters = 'adapter = "osa-express7s-25gbe"'
    file.write_text(text.replace('path = "worked-closed-network"', adapters), "utf-8")
    result = plan_scenario(file)
    assert result.holds
    note = next(note for note in result.notes if note.startswith("orders: target"))
    assert note.startswith("orders: target of 1 ms not judged: not known: host CPUs")
    assert len(note) <= 100


def test_a_candidate_whose_target_cannot_be_judged_ranks_behind_one_that_meets_it(
    tmp_path: FilePath,
) -> None:
    bare = """[[candidate]]
name = "bare"
adapter = "osa-express7s-25gbe"
mtu = 1500
"""
    text = TWO_CLASSES.format(other=REQUESTS, policy="", **of_class("1 s"))
    file = tmp_path / "two-candidates.toml"
    file.write_text(text.replace("[[candidate]]", f"{bare}[[candidate]]"), "utf-8")
    first, second = plan_scenario(file).candidates
    assert (first.name, second.name) == ("worked", "bare")
    assert first.is_feasible
    assert second.is_feasible
    assert BEHIND_JUDGED in second.notes
    assert BEHIND_JUDGED not in first.notes


@pytest.mark.parametrize(
    ("target", "cpus", "enough"),
    [
        ("100 µs", "", "(3 client CPUs and 3 server CPUs would be enough)"),
        ("100 µs", "client_cpus = 2\nserver_cpus = 2", ""),
        ("70 µs", "", ""),
    ],
)
def test_a_late_candidate_says_what_would_be_enough(
    tmp_path: FilePath, target: str, cpus: str, enough: str
) -> None:
    result = scenario(tmp_path, policy=f"adapters_available = 1\n{cpus}", **of_class(target))
    (candidate,) = result.candidates
    assert candidate.reasons[0].partition(" (")[2] == enough.removeprefix("(")
    (demand, plan) = worked("40000/s", "30000/s")
    if enough:
        cores = dict.fromkeys(Side, 3)
        assert value_s(transaction_times(demand, plan, core_counts=cores)[0]) <= 100e-6
        cores = dict.fromkeys(Side, 2)
        assert value_s(transaction_times(demand, plan, core_counts=cores)[0]) > 100e-6


def test_more_adapters_may_be_enough(tmp_path: FilePath) -> None:
    result = scenario(tmp_path, **of_class("100 µs"))
    (candidate,) = result.candidates
    assert candidate.reasons[0].endswith("(2 adapters at each side would be enough)")
