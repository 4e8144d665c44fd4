"""Times of transactions of several flows at the planned load: bound, expected value, targets."""

import math
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

import pytest
from paths import line
from planning.planned import demanded, planned

from netmodel import plan_scenario
from netmodel.concurrency import erlang_c_waiting_ratio
from netmodel.consumption import Side
from netmodel.path import (
    Bound,
    Interval,
    Path,
    Pool,
    Predicted,
    SpecifiedPath,
    Stage,
    Times,
    predict_path,
)
from netmodel.planning import Headroom, ScenarioPlan
from netmodel.planning._demand import Demand
from netmodel.planning._plan import Plan
from netmodel.planning._planner import plan_demand
from netmodel.planning._resources import Corner
from netmodel.planning._scenario import BEHIND_JUDGED
from netmodel.planning._transaction_time import (
    TransactionTime,
    Verdict,
    enough_adapters,
    transaction_times,
)
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
        time, _ = transaction_times(demand.scaled(ratio), plan)
        assert time.lower_bound_s is not None
        assert value_s(time) > time.lower_bound_s.value
        times_s.append(value_s(time))
    assert times_s == sorted(times_s)
    assert times_s[0] == pytest.approx(79.3007e-6, rel=1e-5)


@pytest.mark.parametrize("ratio", [2.0, 2.4, 10])
def test_a_full_stage_has_no_expected_time(ratio: float) -> None:
    demand, plan = worked("50000/s", "30000/s")
    for time in transaction_times(demand.scaled(ratio), plan, [1.0, None]):
        assert time.expected_s is None
        assert "queues without end" in time.reason
        assert "is used at" in time.reason
    failing = transaction_times(demand.scaled(ratio), plan, [1.0, None])[0]
    assert failing.verdict is Verdict.NOT_EXPECTED
    assert failing.reason_against.startswith("cannot meet the target of 1 s for rr1c-200x1000")


def test_a_stage_that_is_just_full_has_no_expected_time() -> None:
    """100,000 messages of 10 µs in a second."""
    (time,) = transaction_times(*on(stations(SERVER), f"100000/s {SMALL}"))
    assert time.expected_s is None
    assert time.reason == "queues without end: server is used at 100.0 %"


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


def test_more_adapters_may_be_enough(tmp_path: FilePath) -> None:
    result = scenario(tmp_path, **of_class("100 µs"))
    (candidate,) = result.candidates
    assert candidate.reasons[0].endswith("(2 adapters at each side would be enough)")


ADAPTER = Stage(name="server_adapter_in", to_server=Times(per_message_s=2e-6), side=Side.SERVER)
HALVES = (f"60000/s {SMALL}", f"40000/s {SMALL}")
"""100,000 messages per second: 0.2 of an adapter."""


def residence(load: float, servers: int) -> float:
    """Of M/M/m, by Erlang C: 1 + C / (m - a)."""
    alone = [load**number / math.factorial(number) for number in range(servers)]
    waiting = load**servers / math.factorial(servers) * servers / (servers - load)
    return 1 + waiting / (sum(alone) + waiting) / (servers - load)


def microseconds(time: Predicted[float] | None) -> tuple[float, float, float]:
    assert time is not None
    return time.value * 1e6, time.low * 1e6, time.high * 1e6


def cpu(name: str = "cpu", time_s: float = 10e-6, **parts: Any) -> Stage:
    """What the server's CPUs take of each message."""
    given = {"parallel_count": None, "pool": "server_cpus", "side": Side.SERVER, **parts}
    return Stage(name=name, to_server=Times(per_message_s=time_s), **given)


def with_cpus(count: Any, *stages: Stage, **parts: Any) -> Path:
    pool = Pool("server_cpus", count, Side.SERVER, **parts)
    return Path(stages=(ADAPTER, *stages), pools=(pool,))


@pytest.mark.parametrize("count", [1, 2, 4])
def test_several_adapters_serve_together_or_each_for_itself(count: int) -> None:
    """At best any of them serves the next message; at the longest each has its part for good."""
    demand, plan = on(Path(stages=(ADAPTER,)), *HALVES)
    for time in transaction_times(demand, plan, adapter_count=count):
        together, apart = 2 * residence(0.2, count), 2 / (1 - 0.2 / count)
        assert microseconds(time.expected_s) == pytest.approx((together, together, apart))
        assert microseconds(time.lower_bound_s) == pytest.approx((2, 2, 2))
        assert time.lower_bound_s is not None
        assert time.lower_bound_s.bound is Bound.LOWER
        assert time.approximations == time.unknown == ()
        assert time.assumption == (
            "requests arrive at random (Poisson) and share servers equally; any adapter serves any "
            "of them (at the longest: each keeps to its own); service times are exponential"
        )


def test_the_longest_time_is_that_of_the_slowest_and_fewest_servers() -> None:
    """10, 5 and 11 µs at 2, 4 and 1 servers, and 2 µs at an adapter."""
    server = Stage(
        name="server",
        to_server=Times(per_message_s=Interval(10e-6, 5e-6, 11e-6)),
        parallel_count=Interval(2, 1, 4),
    )
    demand, plan = on(Path(stages=(ADAPTER, server)), f"40000/s {SMALL}", f"20000/s {SMALL}")
    adapter = 2 / (1 - 0.12)
    for time in transaction_times(demand, plan, adapter_count=1):
        assert microseconds(time.lower_bound_s) == pytest.approx((12, 7, 13))
        expected = (10 * residence(0.6, 2), 5 * residence(0.3, 4), 11 / (1 - 0.66))
        assert microseconds(time.expected_s) == pytest.approx([adapter + each for each in expected])
    # twice the volumes fill the one server of the longest time, and not those of the others
    (time, _) = transaction_times(demand.scaled(2), plan, adapter_count=1)
    value, low, high = microseconds(time.expected_s)
    adapter = 2 / (1 - 0.24)
    assert (value, low) == pytest.approx(
        (adapter + 10 * residence(1.2, 2), adapter + 5 * residence(0.6, 4))
    )
    assert high == math.inf
    assert "no end" in time.text
    (full, _) = transaction_times(demand.scaled(4), plan, adapter_count=1)
    assert full.reason == "queues without end: server is used at 120.0 %"


@pytest.mark.parametrize(
    ("path", "servers"),
    [
        (with_cpus(2, cpu()), 2),
        (with_cpus(4, cpu()), 4),
        # a stage that may use fewer than there are waits for its own
        (with_cpus(4, cpu(parallel_count=2)), 2),
        (with_cpus(4, cpu(parallel_count=4)), 4),
        (with_cpus(4, cpu(parallel_count=5)), 4),
        # two CPUs of 0.999 at most are planned for one that is busy
        (with_cpus(None, cpu()), 2),
    ],
)
def test_messages_wait_for_the_cpus_that_are_there(path: Path, servers: int) -> None:
    demand, plan = on(path, *HALVES)
    (time, _) = transaction_times(demand, plan, adapter_count=1)
    of_cpus = 10 * residence(1.0, servers)
    assert microseconds(time.expected_s) == pytest.approx((2 / (1 - 0.2) + of_cpus,) * 3)
    # a second adapter brings no CPUs
    (more, _) = transaction_times(demand, plan, adapter_count=2)
    together, apart = 2 * residence(0.2, 2) + of_cpus, 2 / (1 - 0.1) + of_cpus
    assert microseconds(more.expected_s) == pytest.approx((together, together, apart))
    is_planned = path.pools[0].parallel_count is None
    assert ("CPUs are as many as planned" in time.assumption) is is_planned


def test_stages_of_a_pool_wait_for_each_other() -> None:
    """10 µs and 6 µs of two CPUs, and 4 µs for which no message waits: 2.0 of 3 CPUs busy."""
    beside = cpu("beside", 4e-6, delays=False)
    demand, plan = on(with_cpus(3, cpu(), cpu("second", 6e-6), beside), *HALVES)
    (time, _) = transaction_times(demand, plan, adapter_count=1)
    expected = 2 / (1 - 0.2) + 16 * residence(2.0, 3)
    assert microseconds(time.expected_s) == pytest.approx((expected,) * 3)
    assert time.approximations == ("work beside messages at server_cpus",)
    without, plan = on(with_cpus(3, cpu(), cpu("second", 6e-6)), *HALVES)
    (time, _) = transaction_times(without, plan, adapter_count=1)
    assert time.approximations == ()


@pytest.mark.parametrize(("count", "flows"), [(1, 2), (2, 1)])
def test_connections_that_a_hash_binds_to_queues_wait_at_the_busiest_at_the_longest(
    count: int, flows: int
) -> None:
    """
    Two connections on two queues: a half on average, and 1.5 of 2 at the busiest.

    One connection of each of two flows has all of its load on one queue of two adapters.
    """
    queue = cpu("queue", 4e-6, parallel_count=2, hashes_flows=True)
    demand, plan = on(with_cpus(None, queue), *HALVES, connections=flows)
    (time, _) = transaction_times(demand, plan, adapter_count=count)
    share = 0.4 / (2 * count)
    busiest = 0.4 * {2: 0.75, 1: 1.0}[flows]
    value = 2 * residence(0.2, count) + 4 / (1 - share)
    high = 2 / (1 - 0.2 / count) + 4 / (1 - busiest)
    assert microseconds(time.expected_s) == pytest.approx((value, value, high))
    # without their number, an even division
    demand, plan = on(with_cpus(None, queue), *HALVES)
    (time, _) = transaction_times(demand, plan, adapter_count=count)
    even = 2 / (1 - 0.2 / count) + 4 / (1 - share)
    assert microseconds(time.expected_s) == pytest.approx((value, value, even))


def test_what_arrives_otherwise_than_at_random_is_an_approximation() -> None:
    path = Path(stages=(ADAPTER,))
    demand, plan = on(path, *HALVES)
    thinking = replace(
        demand,
        flows=tuple(
            replace(flow, traffic=replace(flow.traffic, think_time_s=1e-3)) for flow in demand.flows
        ),
    )
    (time, _) = transaction_times(thinking, plan)
    assert time.approximations == ("think times do not slow arrivals down",)
    demand, plan = on(path, HALVES[0], "1 Gbit/s str-writex30k")
    (time, stream) = transaction_times(demand, plan)
    assert time.approximations == ("writes of streams arrive at random, not as windows allow",)
    assert stream.reason == "connections of a stream await no answers"
    assert (stream.verdict, stream.lower_bound_s, stream.expected_s) == (None, None, None)


@pytest.mark.parametrize(
    ("target_us", "available", "count"),
    [
        # 0.2 of one adapter: 2.5 µs, of two 2.02, of three 2.002; at the longest 2.5, 2.22, 2.14
        (2.3, None, 2),
        (2.15, None, 3),
        (2.15, 3, 3),
        (2.15, 2, None),
        (2.15, 1, None),
        # four adapters, the most that are tried, take 2.105 at the longest
        (2.106, None, 4),
        (2.104, None, None),
    ],
)
def test_the_fewest_adapters_that_are_enough_for_the_targets_are_found(
    target_us: float, available: int | None, count: int | None
) -> None:
    demand, plan = on(Path(stages=(ADAPTER,)), *HALVES)
    assert plan.chosen_count == 1
    assert enough_adapters(demand, plan, [target_us * 1e-6, None], available) == count


def timed(**parts: Any) -> TransactionTime:
    """10 to 12 µs at least, 20 to 40 µs expected, and a target of 30 µs."""
    given: dict[str, Any] = {
        "flow": "orders",
        "lower_bound_s": Predicted(11e-6, 10e-6, 12e-6, Bound.LOWER),
        "expected_s": Predicted(25e-6, 20e-6, 40e-6),
        "target_s": 30e-6,
        "verdict": Verdict.UNCERTAIN,
        **parts,
    }
    return TransactionTime(**given)


NO_END = Predicted(25e-6, 20e-6, math.inf)


@pytest.mark.parametrize(
    ("parts", "against", "text"),
    [
        (
            {},
            "takes 25 µs (parameters leave 20 to 40 µs) for a transaction of orders, and its "
            "target is 30 µs",
            "25 µs (parameters leave 20 to 40 µs) expected; target of 30 µs uncertain",
        ),
        (
            {"verdict": Verdict.MISSED},
            "takes at least 10 µs for a transaction of orders, and its target is 30 µs",
            "25 µs (parameters leave 20 to 40 µs) expected; target of 30 µs missed",
        ),
        (
            {"expected_s": None, "reason": "not known: a fibre"},
            "takes at least up to 12 µs for a transaction of orders, and its target is 30 µs",
            ">= 11 µs; not known: a fibre; target of 30 µs uncertain",
        ),
        (
            {"expected_s": None, "verdict": Verdict.NOT_EXPECTED, "reason": "queues"},
            "cannot meet the target of 30 µs for orders: queues",
            ">= 11 µs; queues; target of 30 µs not expected",
        ),
        (
            {"verdict": Verdict.MET, "expected_s": NO_END},
            "",
            "25 µs (parameters leave 20 µs to no end) expected; target of 30 µs met",
        ),
        (
            {"verdict": None, "target_s": None, "expected_s": Predicted(25e-6, 25e-6, 25e-6)},
            "",
            "25 µs expected",
        ),
        ({"lower_bound_s": None, "expected_s": None, "reason": "none"}, "",
         "none; target of 30 µs uncertain"),
        ({"target_s": None}, "", "25 µs (parameters leave 20 to 40 µs) expected"),
    ],
)  # fmt: skip
def test_a_time_in_words(parts: dict[str, Any], against: str, text: str) -> None:
    time = timed(**parts)
    assert time.reason_against == against
    assert time.text == f"orders: {text}"
    assert time.note == ""


def test_a_target_that_is_not_judged_is_noted_where_there_is_one() -> None:
    unknown = timed(verdict=Verdict.UNKNOWN, expected_s=None, reason="not known: a fibre")
    assert unknown.note == "orders: target of 30 µs not judged: not known: a fibre"
    assert unknown.reason_against == ""
    assert not unknown.fails
    assert replace(unknown, target_s=None).note == ""


def test_plain_values_have_each_of_the_fields() -> None:
    time = timed(
        assumption="random", approximations=("one",), unknown=("fibre",), reason="queues"
    )  # fmt: skip
    assert time.to_dict() == {
        "flow": "orders",
        "lower_bound_s": {"value": 11e-6, "low": 10e-6, "high": 12e-6, "bound": "lower"},
        "expected_s": {"value": 25e-6, "low": 20e-6, "high": 40e-6, "bound": "value"},
        "target_s": 30e-6,
        "verdict": "uncertain",
        "assumption": "random",
        "approximations": ["one"],
        "unknown": ["fibre"],
        "reason": "queues",
    }
    bare = timed(lower_bound_s=None, expected_s=None, target_s=None, verdict=None).to_dict()
    assert bare == {
        "flow": "orders",
        **dict.fromkeys(("lower_bound_s", "expected_s", "target_s", "verdict")),
        "assumption": None,
        "approximations": [],
        "unknown": [],
        "reason": None,
    }


@pytest.mark.parametrize(
    ("low_us", "value_us", "high_us", "target_us", "verdicts"),
    [
        (8, 10, 12, 7.9, ("missed", "missed", "missed")),
        (8, 10, 12, 8, ("uncertain", "uncertain", "unknown")),
        (8, 10, 12, 10, ("uncertain", "unknown", "unknown")),
        (8, 10, 12, 12, ("unknown", "unknown", "unknown")),
    ],
)
def test_a_bound_that_exceeds_its_target_at_the_corner_fails(
    low_us: float, value_us: float, high_us: float, target_us: float, verdicts: tuple[str, ...]
) -> None:
    """Where the path has parts that are not known, the bound alone is judged."""
    times = Times(per_message_s=Interval(value_us * 1e-6, low_us * 1e-6, high_us * 1e-6))
    stage = Stage(name="server_adapter_in", to_server=times, side=Side.SERVER)
    path = Path(stages=(stage,), unknown=("a fibre",))
    demand, _ = on(path, *HALVES)
    for corner, verdict in zip((Corner.WORST, Corner.VALUE, Corner.BEST), verdicts, strict=True):
        plan = plan_demand(demand, FULL, corner)
        (time, _) = transaction_times(demand, plan, [target_us * 1e-6, None], adapter_count=4)
        assert time.verdict is not None
        assert time.verdict.value == verdict
        assert time.reason == "not known: a fibre"
        assert time.unknown == ("a fibre",)
