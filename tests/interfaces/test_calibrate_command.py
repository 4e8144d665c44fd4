"""``netmodel calibrate``: numbers of the sources, records that predict reads, and refusals."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest
from invocation import printed, printed_json, refusal, run_netmodel

import netmodel
from netmodel.consumption import message_cpu_time_s

ADAPTER = ("osa-express7s-25gbe", "--where", "workload=str-writex30k", "--line-rate", "25G")
TABLES = "zvm-layer2-layer3"
HOST = (
    *(TABLES, "--model", "host", "--figures", "total_cpu_ms_per_mb"),
    *("--where", "layer=3,path=zvm-vswitch,connection_count=10"),
    *("--given", "response_bytes=20971520,request_bytes=20", "--fix", "per_message_s=0"),
)
TIMER = (
    *(TABLES, "--model", "coalescing", "--figures", "total_cpu_ms_per_transaction"),
    *("--condition", "transaction_rate_tps", "--where", "table=8,layer=3", "--noise", "0.01"),
)
SLOW_FRAME_S, FAST_FRAME_S = 1448 * 8 / 13.35e9, 1448 * 8 / 13.45e9
"""Of a full frame at MTU 1500, as 13.4 Gbit/s may have been rounded."""
LINE_FRAME_S = 9038 * 8 / 25e9
"""No more at MTU 9000, where the line was full."""
SEEN = "mtu_bytes,throughput_gbps,direction\n1500,13.4,in\n9000,24.2,in\n"
SCATTER = (
    "mtu_bytes,throughput_gbps,direction\n1500,13.4,in\n2000,15.51,in\n3000,18.05,in\n"
    "4000,19.92,in\n6000,21.57,in\n"
)

Table = Callable[[str], str]


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """A file of this content."""

    def written(content: str) -> str:
        path = tmp_path / "my.csv"
        path.write_text(content, encoding="utf-8")
        return str(path)

    return written


def calibrated(*arguments: str) -> Any:
    return printed_json("calibrate", *arguments)


def ends(answer: Any) -> tuple[float, float]:
    return answer["low"], answer["high"]


def gate(*arguments: str) -> str:
    """What observations are problem with that tell no parameters."""
    result = run_netmodel("calibrate", *arguments)
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    return result.stderr


def file_fault(*arguments: str) -> str:
    result = run_netmodel("calibrate", *arguments)
    assert result.exit_code == 3, result.output
    assert result.stdout == ""
    return result.stderr


# What the sources say


def test_a_rounded_and_a_hidden_figure_leave_the_intervals_of_the_handbook() -> None:
    """Both ends by hand: the slowest and fastest frame of the rounding, and that of the line."""
    answer = calibrated(*ADAPTER, "--where", "direction=in")
    byte_s = (LINE_FRAME_S - FAST_FRAME_S) / 7500
    result = answer["parameters"]
    assert ends(result["in.per_byte_s"]) == pytest.approx((0, byte_s), rel=1e-6, abs=1e-20)
    assert ends(result["in.per_frame_s"]) == pytest.approx(
        (FAST_FRAME_S - 1448 * byte_s, SLOW_FRAME_S), rel=1e-6
    )
    assert answer["method"] == "feasible_set"
    for each in result.values():
        assert (each["value"], each["unit"], each["estimable"]) == (None, "s", False)


def test_both_directions_are_estimated_and_predicted() -> None:
    answer = calibrated(*ADAPTER, "--predict-at", "mtu_bytes=4000")
    assert list(answer["parameters"]) == [
        f"{way}.{time}" for way in ("in", "out") for time in ("per_frame_s", "per_byte_s")
    ]
    inbound, outbound = answer["predictions"]
    assert (inbound["at"]["direction"], outbound["at"]["direction"]) == ("in", "out")
    assert inbound["at"]["mtu_bytes"] == 4000
    slowest_s = (2 * SLOW_FRAME_S + LINE_FRAME_S) / 3
    line_bps = 25e9 * 3948 / 4038
    assert ends(inbound) == pytest.approx((3948 * 8 / slowest_s, line_bps), rel=1e-6)
    assert inbound["value"] is None
    assert outbound["low"] > inbound["low"]
    assert outbound["high"] == pytest.approx(line_bps, rel=1e-6)


def test_what_to_measure_next_is_between_or_has_small_frames() -> None:
    """Handbook: an MTU of 2500 to 4000, or a test with small frames, would tell both times."""
    direction = ("--where", "direction=in")
    answer = calibrated(*ADAPTER, *direction, "--predict-at", "mtu_bytes=4000", "--next", "3")
    ((first, *others),) = (each["measurements"] for each in answer["next"])
    assert len(others) == 2
    at = first["point"]["at"]
    assert 2500 <= at["mtu_bytes"] <= 4000
    assert first["shrinkage_ratio"] > 0.9
    shares = [each["shrinkage_ratio"] for each in (first, *others)]
    assert shares == sorted(shares, reverse=True)


def test_a_record_of_an_adapter_predicts_as_the_handbook_does(tmp_path: Path) -> None:
    card = str(tmp_path / "card.toml")
    printed("calibrate", *ADAPTER, "-o", card)

    def rates_gbps(mtu: str) -> tuple[float, ...]:
        (row,) = printed_json(
            *("predict", "--sender", "roce-express2.1-25gbe", "--receiver", card, "--mtu", mtu),
            *("--workload", "str-writex30k", "--connections", "50"),
        )
        assert row["grade"] == "fitted"
        return tuple(row["throughput_bps"][end] / 1e9 for end in ("low", "high"))

    assert rates_gbps("1500") == pytest.approx((13.4, 13.4), rel=1e-8)
    assert rates_gbps("4000") == pytest.approx((20.504, 24.443), abs=5e-4)


def test_costs_of_a_host_are_those_of_the_handbook(tmp_path: Path) -> None:
    path = tmp_path / "host.toml"
    answer = calibrated(*HOST, "-o", str(path))
    frame, byte = (answer["parameters"][name] for name in ("per_frame_s", "per_byte_s"))
    assert frame["value"] == pytest.approx(4.387e-6, abs=5e-10)
    assert byte["value"] == pytest.approx(3.562e-9, abs=5e-13)
    assert frame["low"] < frame["value"] < frame["high"]
    assert "per_message_s" not in answer["parameters"]
    work = tmp_path / "work.toml"
    work.write_text(
        "title = 'Responses of 20 MiB'\nkind = 'request_response'\n"
        "request = '20 byte'\nresponse = '20971520 byte'\n[connections]\ncounts = [10]\n"
        "[defaults]\nsource = 'zvm'\nlocator = 'table 1'\ngrade = 'published'\n",
        encoding="utf-8",
    )
    (row,) = printed_json(
        *("predict", "--client-host", str(path), "--workload", str(work), "--mtu", "1492"),
        *("--sender", "ethernet-1gbe", "--receiver", "ethernet-1gbe"),
    )
    cost = row["cpu_us_per_gbit"]["client"]
    assert row["cpu_us_per_gbit"]["server"] is None
    byte_count = 20971520 + 20
    frames = -(-20971520 // 1440) + 1
    by_hand_s = frames * 4.387e-6 + byte_count * 3.5622e-9
    assert cost["value"] == pytest.approx(by_hand_s * 1e6 / (byte_count * 8e-9), rel=1e-3)
    assert cost["bound"] == "value"


SENT_S = {"time_per_packet_s": 0.4e-6, "time_per_byte_s": 0.2e-9}
RECEIVED_S = {"time_per_packet_s": 0.9e-6, "time_per_byte_s": 0.5e-9}
PER_MESSAGE_S = 2e-6


def transaction_s(mtu_bytes: int, request_bytes: int, response_bytes: int) -> float:
    """CPU time of the client by hand, with times for what it sends and receives apart."""
    none = dict.fromkeys(
        ("ack_count", "time_per_wakeup_s", "time_per_interrupt_s", "time_per_ack_s"), 0
    )
    return sum(
        float(
            message_cpu_time_s(
                message_bytes=size,
                segment_count=-(-size // (mtu_bytes - 52)),
                time_per_message_s=PER_MESSAGE_S,
                **times,
                **none,
            )
        )
        for size, times in ((request_bytes, SENT_S), (response_bytes, RECEIVED_S))
    )


@pytest.mark.thorough
@pytest.mark.parametrize("end", ["client", "server"])
def test_what_a_host_sends_and_receives_comes_back_from_a_table(
    table: Table, tmp_path: Path, end: str
) -> None:
    """Calibrated as a client; at the other end it sends what the client receives."""
    sizes = [(200, 200), (200, 30000), (30000, 200), (5000, 64000), (64000, 5000)]
    rows = [
        f"{mtu},{request},{response},client,{transaction_s(mtu, request, response) * 1e6:.5f}"
        for mtu in (1500, 9000)
        for request, response in sizes
    ]
    head = "mtu_bytes,request_bytes,response_bytes,side,cpu_us_per_transaction"
    source = table("\n".join((head, *rows)) + "\n")
    box = tmp_path / "box.toml"
    parts = ("sent.per_frame_s", "sent.per_byte_s", "received.per_frame_s", "received.per_byte_s")
    free = [word for part in (*parts, "per_message_s") for word in ("--free", part)]
    answer = calibrated(source, "--model", "host", *free, "-o", str(box))
    assert answer["parameters"]["received.per_frame_s"]["value"] == pytest.approx(0.9e-6, rel=1e-3)
    (row,) = printed_json(
        *("predict", "--sender", "ethernet-25gbe", "--receiver", "ethernet-25gbe"),
        *(f"--{end}-host", str(box), "--workload", "rr1c-200x30k", "--mtu", "4000"),
        *("--connections", "10"),
    )
    request, response = (200, 30720) if end == "client" else (30720, 200)
    by_hand_s = transaction_s(4000, request, response)
    cost = row["cpu_us_per_gbit"]
    expected = by_hand_s * 1e6 / ((200 + 30720) * 8e-9)
    assert cost[end]["value"] == pytest.approx(expected, rel=1e-3)
    busy_count = by_hand_s * row["transaction_rate_tps"]["value"]
    assert row["cpu_busy"][end]["value"] == pytest.approx(busy_count, rel=1e-3)
    assert row["grade"] == "fitted"
    assert sum(value is None for value in cost.values()) == 1


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--free", "per_packet_s"), "'per_packet_s' is not a part of the cost of a host"),
        (("--free", "per_ack_s"), "per_ack_s needs segments_per_ack, which is not given"),
        (
            ("--free", "per_byte_s", "--free", "sent.per_byte_s"),
            "more than one of per_byte_s, sent.per_byte_s stands for the same time",
        ),
    ],
)
def test_parts_of_a_host_that_cannot_be_estimated(
    table: Table, options: tuple[str, ...], problem: str
) -> None:
    source = table("mtu_bytes,write_bytes,side,cpu_us_per_gbit\n1500,65536,client,40210\n")
    assert problem in refusal("calibrate", source, "--model", "host", *options)


def test_the_timer_form_is_that_of_the_handbook() -> None:
    result = calibrated(*TIMER)["parameters"]
    values = [result[name]["value"] * 1e6 for name in result]
    assert list(result) == ["time_per_transaction_s", "time_per_batch_s", "batching_time_s"]
    assert values == pytest.approx([8.587, 57.12, 81.64], rel=2e-4)
    assert all(each["low"] < each["value"] < each["high"] for each in result.values())


@pytest.mark.thorough
def test_flagged_figures_are_refused_weighted_down_or_used_with_a_note() -> None:
    """Of table 11 in layer 3 one figure of eight is not flagged: more CPUs than there are."""
    command = (
        *(TABLES, "--figures", "total_cpu_ms_per_transaction", "--where", "table=11,layer=3"),
        *("--condition", "transaction_rate_tps", "--model", "coalescing"),
    )
    refused = gate(*command)
    assert "1 observation with two ends is too few for 3 parameters" in refused
    assert refused.count(": refused: ") == 7
    choices: tuple[Literal["weighted down", "used"], ...] = ("weighted down", "used")
    for choice in choices:
        answer = netmodel.calibrate(
            TABLES,
            figures="total_cpu_ms_per_transaction",
            where="table=11,layer=3",
            condition="transaction_rate_tps",
            model="coalescing",
            noise_ratio=0.05,
            flagged=choice,
        )
        assert len(answer.observed) == 8
        assert sum(f": {choice}: " in note for note in answer.notes) == 7


# Tables and paths of your own


def test_ranges_and_comparisons_of_a_table_bound_the_prediction(table: Table) -> None:
    """At least 45 % above 13.35 Gbit/s, and what 15 to 18 Gbit/s at MTU 4000 leave."""
    source = table(
        "mtu_bytes,throughput_gbps,throughput_gbps_low,throughput_gbps_high,relation,"
        "change,change_percent,quantity,baseline_mtu_bytes\n"
        "1500,13.4,,,,,,,\n4000,,15,18,,,,,\n9000,,,,at_least,more,45,throughput_bps,1500\n"
    )
    noise = ("--noise", "0.001")
    answer = calibrated(
        source, *noise, "--predict-at", "mtu_bytes=9000", "--predict-at", "mtu_bytes=4000"
    )
    far, near = answer["predictions"]
    assert far["low"] >= 1.445 * 13.35e9 * (1 - 0.01)
    assert near["high"] == pytest.approx(18e9, rel=0.01)
    without = calibrated(
        source, *noise, "--where", "mtu_bytes=1500", "--predict-at", "mtu_bytes=9000"
    )
    assert without["predictions"][0]["low"] < far["low"]


def test_service_times_of_an_own_path_are_estimated(table: Table) -> None:
    """10 µs of the queue that binds make a transaction alone 83.3 µs, of which 20 µs are delay."""
    network = Path(__file__).parents[2] / "data/catalog/paths/worked-closed-network.toml"
    source = table(
        "mtu_bytes,request_bytes,response_bytes,connection_count,transaction_rate_tps\n"
        "1500,200,1000,1,11905\n1500,200,1000,2,24211\n1500,200,1000,50,99801\n"
        "1500,200,1000,250,100203\n"
    )
    options = (source, "--model", str(network), "--line-rate", "25G")
    names = refusal("calibrate", *options)
    times = ("server-queue.to_server.per_message_s", "delays.to_server.per_message_s")
    assert all(each in names for each in times)
    answer = calibrated(*options, *(word for each in times for word in ("--free", each)))
    queue, delay = (answer["parameters"][name] for name in times)
    assert queue["low"] <= 10e-6 <= queue["high"]
    assert delay["low"] <= 20e-6 <= delay["high"]
    assert queue["estimable"]
    unknown = refusal("calibrate", *options, "--free", "queue.per_frame_s")
    assert "'queue.per_frame_s' is not a service time of this path; it has " in unknown


def test_figures_at_line_rate_and_beyond_are_noted(table: Table) -> None:
    source = table("mtu_bytes,throughput_gbps\n1500,13.4\n9000,24.7\n9000,31.2\n")
    answer = calibrated(source, "--line-rate", "25G")
    assert answer["observation_count"] == 2
    assert any("line 3, throughput_gbps: at line speed" in note for note in answer["notes"])
    assert any("line 4, throughput_gbps: refused: " in note for note in answer["notes"])
    nothing = refusal("calibrate", source, "--line-rate", "1G")
    assert "no observation is left: " in nothing
    assert "the line carries 0.9415 Gbit/s" in nothing


def test_conditions_missing_from_the_source_are_given(table: Table) -> None:
    source = table("throughput_gbps\n13.4\n")
    assert "needs mtu_bytes, which is not given" in refusal("calibrate", source)
    answer = calibrated(source, "--mtu", "1500", "--noise", "1e-9")
    assert answer["parameters"]["per_frame_s"]["high"] == pytest.approx(SLOW_FRAME_S, rel=1e-6)
    same = calibrated(source, "--given", "mtu_bytes=1500", "--noise", "1e-9")
    assert same == answer


# What is printed


def test_the_json_has_the_documented_keys(table: Table) -> None:
    options = ("--predict-at", "mtu_bytes=4000", "--next", "1")
    answer = calibrated(table(SCATTER), *options)
    assert {"source", "model", "method", "notes"} <= set(answer)
    for each in answer["parameters"].values():
        assert list(each) == ["value", "low", "high", "unit", "estimable"]
        assert each["low"] < each["value"] < each["high"]
    (prediction,) = answer["predictions"]
    assert list(prediction)[:2] == ["quantity", "at"]
    ends_of_run = ("new_run_low", "low", "value", "high", "new_run_high")
    assert sorted(ends_of_run, key=prediction.__getitem__) == list(ends_of_run)
    worst = answer["largest_residual"]
    assert worst["name"].startswith(str(Path(answer["source"]).name))
    assert worst["at"].keys() == {"mtu_bytes", "direction"}
    assert worst in answer["residuals"]
    ((advice,),) = (each["measurements"] for each in answer["next"])
    assert set(advice) == {
        *("point", "expected_width", "shrinkage_ratio", "worst_shrinkage_ratio", "why")
    }


def test_what_nothing_bounds_is_null_and_any(table: Table) -> None:
    """JSON has no infinity: a throughput of at most so much bounds no time from above."""
    source = table("mtu_bytes,throughput_gbps,relation\n1500,13.4,at_most\n9000,24.1,at_most\n")
    options = ("--predict-at", "mtu_bytes=4000", "--next", "2")
    answer = calibrated(source, *options, "--noise", "0.02")
    assert ends(answer["parameters"]["per_frame_s"])[1] is None
    assert not answer["parameters"]["per_frame_s"]["estimable"]
    shown = printed("calibrate", source)
    assert "per_frame_s  -      0 ns to any  no" in shown
    assert " ".join(shown.partition("\n\n")[0].split()).endswith(
        "no interval, as the run-to-run noise is unknown: give --noise, or repeat a run."
    )


def test_runs_without_known_noise_have_no_range_to_predict(table: Table) -> None:
    source = table("mtu_bytes,throughput_gbps\n1500,13.4\n3000,18.05\n")
    answer = calibrated(source, "--predict-at", "mtu_bytes=1500")
    (first,) = answer["predictions"]
    assert first["value"] == pytest.approx(13.4e9, rel=1e-3)
    assert (first["low"], first["high"], first["new_run_low"], first["new_run_high"]) == (
        0,
        *[None] * 3,
    )
    assert answer["largest_residual"] is None
    refused = gate(source, "--predict-at", "mtu_bytes=1500", "--next", "1")
    assert "repeat a run, or give --noise" in refused


FRAME_S, BYTE_S = 0.5e-6, 0.2e-9
"""Of an invented adapter."""
RUN_MTUS = (1500, 1500, 3000, 3000, 4500, 4500, 9000, 9000)
SCATTERED = (1.01, 0.99, 0.985, 1.005, 1.01, 0.99, 0.995, 1.005)
"""Factors of its runs: about 1 % from run to run."""


def invented_gbps(mtu_bytes: int) -> float:
    """A frame has the MTU less 40 byte of IP and TCP headers and 12 byte of timestamps."""
    payload_bytes = mtu_bytes - 52
    return 8e-9 * payload_bytes / (FRAME_S + BYTE_S * payload_bytes)


def invented_runs(table: Table, wrong: dict[int, str]) -> str:
    """A file of runs, of which some rows hold something else."""
    rows = [
        f"{mtu},{wrong.get(row, f'{factor * invented_gbps(mtu):.3f}')}"
        for row, (mtu, factor) in enumerate(zip(RUN_MTUS, SCATTERED, strict=True))
        if wrong.get(row) != ""
    ]
    return table("\n".join(["mtu_bytes,throughput_gbps", *rows]))


def test_a_run_of_0_is_left_out_and_named_first(table: Table) -> None:
    """It counted as anything below half of its last digit: a noise of 100 % and more."""
    row = 5
    without = calibrated(invented_runs(table, {row: ""}))
    source = invented_runs(table, {row: "0.0"})
    result = calibrated(source, "--predict-at", "mtu_bytes=4000")
    assert result["parameters"] == without["parameters"]
    (answer,) = result["predictions"]
    assert answer["low"] < invented_gbps(4000) * 1e9 < answer["high"]
    shown = printed("calibrate", source)
    first = shown[shown.index("note: ") :]
    assert first.startswith(f"note: my.csv, line {row + 2}, throughput_gbps: left out: 0 is")


@pytest.mark.parametrize(
    ("row", "factor", "noise"), [(0, 0.1, ()), (3, 0.8, ("--noise", "0.01")), (7, 10, ())]
)
def test_a_single_wrong_row_is_named_first(
    table: Table, row: int, factor: float, noise: tuple[str, ...]
) -> None:
    source = invented_runs(table, {row: f"{factor * invented_gbps(RUN_MTUS[row]):.3f}"})
    shown = printed("calibrate", source, *noise)
    assert shown.startswith("adapter from 8 observations")
    first = shown.partition("note: ")[2].splitlines()[0]
    assert first.startswith("outlier (p = ")
    assert f"my.csv, line {row + 2}, throughput_gbps" in first


def timer_costs(rates: tuple[int, ...]) -> str:
    """By hand: 20 µs, and 60 µs per batch of a 200 µs timer."""
    rows = (f"{rate},{20 + 60 / (1 + 200e-6 * rate):.2f}" for rate in rates)
    return "\n".join(["transaction_rate_tps,cpu_us_per_transaction", *rows])


def test_a_parameter_known_to_an_absurd_factor_is_not_estimable(table: Table) -> None:
    """5,000 to 9,000 /s leave the batching time open from 58 µs to seconds."""
    question = ("--model", "coalescing", "--condition", "transaction_rate_tps", "--noise", "0.01")
    result = calibrated(table(timer_costs((5000, 7000, 9000))), *question)
    batching = result["parameters"]["batching_time_s"]
    assert 0 < batching["low"] < 200e-6
    assert batching["high"] is None
    assert not any(each["estimable"] for each in result["parameters"].values())
    advice = "cannot be estimated: measure at transaction_rate_tps outside 5000 to 9000"
    assert advice in result["notes"][0]


@pytest.mark.parametrize(("second_mtu", "is_estimable"), [(1510, False), (9000, True)])
def test_runs_at_nearly_the_same_mtu_do_not_part_frames_from_bytes(
    table: Table, second_mtu: int, is_estimable: bool
) -> None:
    rows = [
        f"{mtu},{factor * invented_gbps(mtu):.3f}"
        for mtu in (1500, second_mtu)
        for factor in (0.99, 1.01, 1.0)
    ]
    source = table("\n".join(["mtu_bytes,throughput_gbps", *rows]))
    result = calibrated(source, "--noise", "0.01")
    estimable = {each["estimable"] for each in result["parameters"].values()}
    assert estimable == {is_estimable}
    advice = "cannot be estimated: measure at another MTU or message size"
    assert any(advice in note for note in result["notes"]) is not is_estimable


def test_conditions_and_columns_that_are_misspelt_are_suggested(table: Table) -> None:
    for name in ("mtu", "MTU_bytes"):
        source = table(SEEN.replace("mtu_bytes", name))
        assert f"{name} may be meant, write mtu_bytes" in refusal("calibrate", source)
    for name in ("mtu_byte", "MTU_bytes"):
        asked = refusal("calibrate", table(SCATTER), "--predict-at", f"{name}=4000")
        assert f"{name} may be meant, write mtu_bytes" in asked
        assert "mtu_bytes may be meant" in (
            refusal("calibrate", table(SCATTER), "--where", f"{name}=1500")
        )
    unread = refusal("calibrate", table(SCATTER), "--given", "worklaod=str-writex30k")
    assert "'worklaod' changes nothing" in unread
    assert "workload may be meant" in unread


# Refusals


def test_contradictions_and_missing_conditions_fail_the_gate(table: Table) -> None:
    apart = "mtu_bytes,throughput_gbps,relation\n1500,13.4,\n1500,20,at_least\n"
    answer = gate(table(apart), "--noise", "0.01")
    assert "line 2, throughput_gbps; " in answer
    assert "line 3, throughput_gbps: cannot be true together" in answer
    assert "a noise of 1 % does not explain it" in answer
    repeats = calibrated(table("mtu_bytes,throughput_gbps\n1500,13.4\n1500,14.4\n"))
    assert repeats["noise_sd"] == pytest.approx(0.0509, rel=0.01)
    costs = table("transaction_rate_tps,cpu_us_per_transaction\n1000,55.9\n9000,34.9\n")
    curve = gate(costs, "--model", "coalescing", "--condition", "transaction_rate_tps")
    assert "2 observations with two ends are too few for 3 parameters" in curve


@pytest.mark.parametrize(
    ("content", "options", "problem"),
    [
        ("", (), "is empty"),
        ("mtu_bytes,throughput_gbps\n", (), "has no row"),
        ("mtu_bytes,throughput_gbps\n1500,fast\n", (), "line 2, column throughput_gbps: 'fast'"),
        ("mtu_bytes,throughput_gbps\n1500,-3\n", (), "from 0 up"),
        ("mtu_bytes,throughput_gbps\n1500\n", (), "1 cells, where 2 columns"),
        ("mtu_bytes,speed\n1500,13.4\n", (), "line 1: no column is one of throughput_bps"),
        (SEEN, ("--condition", "layer"), "no column is layer"),
        (SEEN, ("--model", "missing.toml"), "missing.toml: cannot be read"),
    ],
)
def test_files_that_cannot_be_read_are_refused(
    table: Table, content: str, options: tuple[str, ...], problem: str
) -> None:
    assert problem in file_fault(table(content), *options)


def test_a_file_that_is_not_there_or_is_no_text(tmp_path: Path) -> None:
    assert "cannot be read" in file_fault(str(tmp_path / "none.csv"))
    assert "cannot be read" in file_fault(str(tmp_path / "none/dataset"))
    broken = tmp_path / "broken.csv"
    broken.write_bytes(b"\xff\xfe\x00\x01")
    assert "not a text file in UTF-8" in file_fault(str(broken))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("mtu_bytes,throughput_gbps\n-1500,13.4\n", "line 2, throughput_gbps: mtu_bytes must be"),
        ("mtu_bytes,throughput_gbps,direction\n1500,13.4,in\n9000,24,\n", "name their direction"),
        (
            "mtu_bytes,cpu_us_per_gbit\n1500,5\n",
            "predicts throughput_bps; the observations are of cpu_us_per",
        ),
    ],
)
def test_conditions_that_no_model_can_have_are_refused(
    table: Table, content: str, problem: str
) -> None:
    assert problem in refusal("calibrate", table(content))


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--predict-at", "mtu_bytes"), "write name=value"),
        (("--predict-at", "mtu_bytes=nan"), "'nan' is not a finite number"),
        (("--predict-at", "mtu_bytes=-5"), "--predict-at: mtu_bytes must be at least 68 byte"),
        (("--predict-at", "mtu_bytes=1500,mtu=9000"), "mtu_bytes is given twice"),
        (("--predict-at", "mtu_bytes=1500,m=9000"), "'m' changes nothing"),
        (("--predict-at", "connection_count=5"), "needs mtu_bytes, which is not given"),
        (("--predict-at", "mtu_bytes=1500,direction=up"), "direction must be one of in; got up"),
        (("--predict-at", "mtu_bytes=1500,quantity=speed"), "quantity must be one of"),
        (("--predict-at", "mtu_bytes=1500,quantity=cpu_us_per_gbit"), "needs side"),
        (("--next", "3"), "--next needs --predict-at, and one --model"),
        (("--predict-at", "mtu_bytes=1500", "--next", "-1"), "must not be negative"),
        (("--noise", "0"), "--noise must be above 0"),
        (("--mtu", "1500"), "mtu_bytes is 9000, given is 1500"),
        (("--given", "response_byte=5"), "'response_byte' changes nothing"),
        (("--model", "linear"), "no model 'linear': choose one of adapter, host, "),
        (("--fix", "per_frame_s=0"), "no parameter 'per_frame_s'; there are in.per_frame_s"),
        (("--fix", "in.per_frame_s=-1"), "must be from 0 to inf; got -1"),
        (("--fix", "in.per_frame_s=0,in.per_byte_s=0"), "at least one parameter must be free"),
        (("--where", "mtu_bytes=1"), "no observation is left: mtu_bytes is 1500, 9000"),
        (("--figures", "throughput_gbps"), "--figures is for datasets"),
        (("-o", "card.toml"), "the record of an adapter needs --line-rate"),
        (("-o", "card.txt", "--line-rate", "25G"), "ends in .toml"),
        (
            ("-o", "no/such/card.toml", "--line-rate", "25G", "--noise", "0.02"),
            "cannot be written",
        ),
        (("-o", ".", "--line-rate", "25G"), "is a directory"),
    ],
)
def test_wrong_options_are_refused(table: Table, options: tuple[str, ...], problem: str) -> None:
    assert problem in refusal("calibrate", table(SEEN), *options)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((TABLES,), "choose --figures among its columns connection_count, "),
        ((TABLES, "--figures", "speed"), "no table has the columns speed"),
        ((*HOST[:5], "--where", "layer=9"), "no row is left of layer is 3, 2"),
        (HOST[:5], "give request_bytes and response_bytes in place of the workload"),
        (
            ("osa-express9",),
            "'osa-express9' is not a file or directory, nor one of zvm-layer2-layer3",
        ),
        (("osa-express2-1gbe",), "no observation is left"),
    ],
)
def test_sources_that_do_not_fit_are_refused(arguments: tuple[str, ...], problem: str) -> None:
    assert problem in refusal("calibrate", *arguments)


def test_a_record_of_an_adapter_needs_a_direction(table: Table, tmp_path: Path) -> None:
    source = table(SCATTER.replace(",direction", "").replace(",in", ""))
    options = (source, "--line-rate", "25G", "-o", str(tmp_path / "card.toml"))
    assert "needs the condition direction: in or out" in refusal("calibrate", *options)
    printed("calibrate", *options, "--given", "direction=in")
    assert "[in]" in (tmp_path / "card.toml").read_text(encoding="utf-8")


def test_no_record_is_written_of_open_intervals(table: Table, tmp_path: Path) -> None:
    """At most so much bounds no time from above: such a record would predict anything."""
    card = tmp_path / "card.toml"
    source = table("mtu_bytes,throughput_gbps,relation,direction\n1500,13.4,at_most,in\n")
    with_noise = ("--line-rate", "25G", "--noise", "0.02", "-o", str(card))
    assert "no upper bound" in gate(source, *with_noise)
    assert "no record: the run-to-run noise is not known" in gate(
        source, *with_noise[:2], "-o", str(card)
    )
    assert not card.exists()


def test_message_sizes_must_be_given_where_they_differed(table: Table) -> None:
    source = table(
        """mtu_bytes,request_bytes,response_bytes,cpu_us_per_transaction,side
        1500,200,200,12.1,client
        1500,200,30720,31.0,client
        9000,200,200,12.1,client
        9000,200,30720,20.4,client
        """.replace(" ", "")
    )
    asked = ("calibrate", source, "--model", "host", "--predict-at")
    assert "response_bytes is 200, 30720 in the observations" in refusal(*asked, "mtu_bytes=4000")
    (first,) = calibrated(*asked[1:], "mtu_bytes=4000,response_bytes=30720")["predictions"]
    assert first["at"]["request_bytes"] == 200
    assert 20e-6 < first["low"] < first["high"] < 31e-6


LAYER_2 = (*(TABLES, "--figures", "transaction_rate_tps"), "--where", "table=11,layer=2")


@pytest.mark.thorough
def test_the_chosen_model() -> None:
    answer = calibrated(*LAYER_2, "--model", "auto", "--predict-at", "connections=150")
    names = {each["name"] for each in answer["candidates"]}
    assert names == {
        *("scalability", "saturation", "knee", "batching", "power", "amortised", "interpolation")
    }
    assert answer["chosen"] == answer["candidates"][0]["name"]
    assert answer["range"] == [1, 500]
    low, high = (answer["predictions"][0][end] for end in ("low", "high"))
    assert 49579 < low < high < 60733  # as measured with 100 and with 200 connections
    text = printed("calibrate", *LAYER_2, "--model", "auto")
    assert f"{answer['chosen']} is chosen between connection_count 1 and 500" in text
    beyond = run_netmodel(
        "calibrate", *LAYER_2, "--model", "auto", "--predict-at", "connections=1000"
    )
    assert beyond.exit_code == 1
    assert "connection_count 1000 is outside the measured range, 1 to 500" in beyond.stderr


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--model", "auto", "--fix", "fixed_s=0"), "are for one model; auto is none"),
        (("--model", "auto", "-o", "a.toml"), "a record is of --model adapter or host"),
        (("--model", "auto", "--predict-at", "layer=2"), "connection_count is missing"),
    ],
)
def test_what_a_choice_refuses(options: tuple[str, ...], problem: str) -> None:
    assert problem in refusal("calibrate", *LAYER_2, *options)
