"""Observations from datasets, records of adapters and results of tools."""

from dataclasses import replace

import pytest
from runs import having

from netmodel.calibration import Observed, line_cap
from netmodel.calibration.observations import line_speed_as_censored
from netmodel.calibration.sources import (
    observed_from_dataset,
    observed_from_measurements,
    observed_of_adapter,
)
from netmodel.consumption import Side
from netmodel.errors import ContradictionError, DomainError, UnknownRecordError
from netmodel.readers import Direction, Measurement
from netmodel.records import dataset
from netmodel.records.tables import Column, Table
from netmodel.records.values import Relation

INF = float("inf")
ZVM = dataset("zvm-layer2-layer3")
RUNS = ZVM.tables["measurements"]
COST = "total_cpu_ms_per_transaction"


def ends(seen: Observed) -> tuple[float, float]:
    return seen.low, seen.high


# Datasets


def test_rows_of_a_dataset_in_base_units_within_their_digits() -> None:
    result = observed_from_dataset(ZVM, RUNS.where(table=5, layer=3), [COST])
    assert [seen.value for seen in result.observed] == pytest.approx([65e-6, 43e-6, 34e-6])
    first = result.observed[0]
    assert ends(first) == pytest.approx((64.5e-6, 65.5e-6))
    assert first.quantity == "cpu_s_per_transaction"
    assert first.at == {
        "table": 5,
        "path": "zvm-vswitch",
        "workload": "awm-rr",
        "adapter": "osa-express2-1gbe",
        "link_rate_gbps": 1,
        "mtu_bytes": 1492,
        "layer": 3,
        "connection_count": 1,
        "side": "client",
    }
    assert first.place == f"zvm-layer2-layer3, measurements, row 1, {COST}"


def test_mb_is_read_as_the_dataset_declares() -> None:
    """118.0 MB/s are MiB/s; 6.95 ms/MiB are 828504.562 µs/Gbit (theory 4.1)."""
    names = ["data_rate_mb_per_s", "total_cpu_ms_per_mb"]
    result = observed_from_dataset(ZVM, RUNS.where(table=10, layer=3, connection_count=50), names)
    assert [seen.value for seen in result.observed] == pytest.approx(
        [118.0 * 8 * 2**20, 4.27e-3 * 1e15 / (8 * 2**20)]
    )
    assert ends(result.observed[0]) == pytest.approx((117.95 * 2**23, 118.05 * 2**23))


@pytest.mark.parametrize(("table", "kept", "flagged"), [(5, 6, 0), (11, 3, 13)])
def test_flagged_cells_are_refused_and_counted(table: int, kept: int, flagged: int) -> None:
    result = observed_from_dataset(ZVM, RUNS.where(table=table), [COST])
    refused = [note for note in result.notes if ": refused: " in note]
    assert (len(result.observed), len(refused)) == (kept, flagged)
    assert all(COST in note and "CPUs would be busy" in note for note in refused)


def test_flags_of_run_ids_touch_only_who_asks_for_run_ids() -> None:
    """Tables 8 to 10 use nine ids twice."""
    rows = RUNS.where(table=8)
    assert len(observed_from_dataset(ZVM, rows, [COST]).observed) == 6
    named = observed_from_dataset(ZVM, rows, [COST], conditions=["run_id", "layer"])
    assert [dict(seen.at) for seen in named.observed] == [
        {"run_id": name, "layer": 3, "side": "client"}
        for name in RUNS.where(table=8, layer=3).text("run_id")
    ]


def test_columns_of_one_quantity_are_not_mixed() -> None:
    names = ["total_cpu_ms_per_mb", "emulation_cpu_ms_per_mb"]
    problem = "total_cpu_ms_per_mb and emulation_cpu_ms_per_mb are both cpu_us_per_gbit: choose one"
    with pytest.raises(DomainError, match=problem):
        observed_from_dataset(ZVM, RUNS.where(table=6), names)


def test_another_quantity_may_be_a_condition() -> None:
    result = observed_from_dataset(
        ZVM, RUNS.where(table=5), [COST], conditions=["transaction_rate_tps"]
    )
    assert result.observed[0].at == {"transaction_rate_tps": 2124.07, "side": "client"}


def test_known_faults_of_a_dataset_are_noted() -> None:
    notes = observed_from_dataset(ZVM, RUNS, [COST]).notes
    assert [note for note in notes if note.startswith("known fault of zvm-layer2-layer3: ")] == [
        f"known fault of zvm-layer2-layer3: {fault}" for fault in ZVM.known_faults
    ]


def test_columns_without_a_quantity_are_refused() -> None:
    with pytest.raises(DomainError, match="column connection_count holds no quantity that models"):
        observed_from_dataset(ZVM, RUNS, ["connection_count"])
    with pytest.raises(UnknownRecordError, match="speed"):
        observed_from_dataset(ZVM, RUNS, ["speed"])
    column = Column(name="rate_mb_per_s", unit="MB/s", meaning="of all")
    table = Table("measurements", (column,), (("112.0",),), (1,))
    with pytest.raises(DomainError, match="taken_as must say whether MB is"):
        observed_from_dataset(ZVM, table, ["rate_mb_per_s"])


# Records of adapters


# Results of tools


def run(**parts: object) -> Measurement:
    return having(Measurement(source="run.json", tool="iperf3"), **parts)


def test_a_run_gives_goodput_and_transactions() -> None:
    result = observed_from_measurements(
        [
            run(
                goodput_bps=9.4e9,
                half_width_bps=5e6,
                transaction_rate_tps=1e4,
                transaction_time_s=1e-4,
                stream_count=4,
                path_mtu_bytes=1500,
                protocol="tcp",
                part="line 3",
            )
        ],
        adapter="mine",
    )
    at = {"connection_count": 4, "mtu_bytes": 1500, "protocol": "tcp", "adapter": "mine"}
    assert [(seen.quantity, *ends(seen)) for seen in result.observed] == [
        ("throughput_bps", 9.395e9, 9.405e9),
        ("transaction_rate_tps", 1e4, 1e4),
        ("transaction_time_s", 1e-4, 1e-4),
    ]
    assert [dict(seen.at) for seen in result.observed] == [at] * 3
    assert [seen.place for seen in result.observed] == ["run.json, line 3"] * 3
    assert not result.notes


def test_repeats_stay_apart() -> None:
    result = observed_from_measurements([run(goodput_bps=9.4e9)] * 3, mtu_bytes=1500)
    assert len(result.observed) == 3


@pytest.mark.parametrize(
    ("parts", "note"),
    [
        ({"error": "no route to host"}, "left out: no route to host"),
        ({"why_no_goodput": "it was lost"}, "no goodput: it was lost"),
        ({}, "no goodput: not reported by the tool"),
    ],
)
def test_runs_without_an_observation_are_left_out_with_the_reason(
    parts: dict[str, object], note: str
) -> None:
    result = observed_from_measurements([run(**parts)], mtu_bytes=1500)
    assert result.observed == ()
    assert result.notes == (f"run.json: {note}",)


def test_another_value_of_a_condition_is_refused() -> None:
    given = {"goodput_bps": 1e9, "path_mtu_bytes": 1400, "direction": Direction.CLIENT_TO_SERVER}
    with pytest.raises(ContradictionError, match=r"run.json: mtu_bytes is 1400, given is 1500"):
        observed_from_measurements([run(**given)], mtu_bytes=1500)
    with pytest.raises(ContradictionError, match=r"run.json: direction is in, given is out"):
        observed_of_adapter([run(**given)], Side.SERVER, {"direction": "out"})


def test_runs_beyond_the_model_are_noted() -> None:
    odd = run(goodput_bps=1e9, is_loopback=True, is_bidirectional=True)
    result = observed_from_measurements([odd])
    assert len(result.observed) == 1
    assert result.notes == (
        "run.json: over loopback: no frame crossed a line",
        "run.json: payload also went in the other direction",
    )


def test_a_result_that_is_there_twice_counts_once() -> None:
    same = [run(source=name, goodput_bps=9.4e9, sha256="ab") for name in ("a.json", "b.json")]
    result = observed_from_measurements(same, mtu_bytes=1500)
    assert len(result.observed) == 1
    assert result.notes == ("b.json: left out: the same result as a.json",)


@pytest.mark.parametrize(
    ("parts", "note"),
    [
        ({"is_loopback": True}, "left out: over loopback: no frame crossed a line"),
        ({"direction": None}, "left out: the direction of its payload is not reported"),
        ({"offered_rate_bps": 1e8}, "left out: its sender was held at 100 Mbit/s"),
    ],
)
def test_runs_that_an_adapter_does_not_explain_are_noted(
    parts: dict[str, object], note: str
) -> None:
    given = {"goodput_bps": 9e8, "path_mtu_bytes": 1500, "direction": Direction.CLIENT_TO_SERVER}
    result = observed_of_adapter([run(**(given | parts))], Side.SERVER)
    assert result.notes == (f"run.json: {note}",)
    assert bool(result.observed) is ("left out" not in note)


def test_runs_in_both_directions_ask_whose_adapter_it_is() -> None:
    """Into one host is out of the other; a direction that is given decides for its source."""
    there, back = (
        replace(
            run(goodput_bps=9e8, path_mtu_bytes=1500, direction=direction), source=f"{name}.json"
        )
        for name, direction in (
            ("there", Direction.CLIENT_TO_SERVER),
            ("back", Direction.SERVER_TO_CLIENT),
        )
    )
    both = "runs go in both directions: there.json client_to_server, back.json server_to_client: "
    with pytest.raises(DomainError, match=both):
        observed_of_adapter([there, back])
    for side, expected in ((Side.SERVER, ["in", "out"]), (Side.CLIENT, ["out", "in"])):
        seen = observed_of_adapter([there, back], side).observed
        assert [each.at["direction"] for each in seen] == expected
    assert len(observed_of_adapter([there, there]).observed) == 2


# Line speed


@pytest.mark.parametrize(
    ("rate_bps", "workload", "mtu_bytes", "expected_gbps"),
    [
        (25e9, "rr1c-200x30k", 1500, 23.486),
        (25e9, "rr1c-200x30k", 9000, 24.710),
        (10e9, "rr1c-200x30k", 1500, 9.3945),
        (10e9, "rr1c-200x30k", 9000, 9.8842),
        (25e9, "str-writex30k", 1500, 23.537),
        (25e9, "str-writex30k", 9000, 24.751),
    ],
)
def test_the_payload_rate_that_a_line_carries(
    rate_bps: float, workload: str, mtu_bytes: int, expected_gbps: float
) -> None:
    """Theory 10.4, last line."""
    cap_bps = line_cap(rate_bps)({"workload": workload, "mtu_bytes": mtu_bytes})
    assert cap_bps / 1e9 == pytest.approx(expected_gbps, abs=5e-4)


def throughput(low: float, high: float, **parts: object) -> Observed:
    given: dict[str, object] = {"quantity": "throughput_bps", "at": {"mtu_bytes": 1500}}
    return Observed(**(given | {"low": low, "high": high, "place": "line 7"} | parts))  # type: ignore[arg-type]


@pytest.mark.parametrize(("low", "expected"), [(9.96e9, 9.96e9), (10.04e9, 10e9), (10e9, 10e9)])
def test_a_figure_at_line_speed_is_censored(low: float, expected: float) -> None:
    result = line_speed_as_censored([throughput(low, low, value=low)], lambda _: 10e9)
    (seen,) = result.observed
    assert (seen.relation, *ends(seen)) == (Relation.CENSORED_ABOVE, expected, INF)
    (note,) = result.notes
    assert note == "line 7: at line speed: censored above, since the line carries 10 Gbit/s"


def test_a_figure_above_the_line_is_refused_and_one_far_below_it_doubted() -> None:
    wrong = [throughput(10.06e9, 10.1e9), slow := throughput(9.4e6, 9.4e6)]
    result = line_speed_as_censored(wrong, lambda _: 10e9)
    assert result.observed == (slow,)
    refused, doubt = result.notes
    assert refused == "line 7: refused: the line carries 10 Gbit/s and no more"
    assert doubt == "line 7: less than a hundredth of the line: check its unit"


@pytest.mark.parametrize(
    "seen",
    [
        throughput(9.9e9, 9.94e9),
        throughput(9e6, 9e6, at={"mtu_bytes": 1500, "workload": "rr1c-200x1000"}),
        throughput(10e9, INF, relation=Relation.CENSORED_ABOVE),
        throughput(0, 10e9, relation=Relation.AT_MOST),
        throughput(10e9, 11e9, baseline={"mtu_bytes": 9000}),
        throughput(10e9, 10e9, quantity="transaction_rate_tps"),
    ],
)
def test_all_else_stays_as_it_was(seen: Observed) -> None:
    result = line_speed_as_censored([seen], lambda _: 10e9)
    assert result.observed == (seen,)
    assert result.notes == ()


def test_the_cap_of_a_line_needs_an_mtu() -> None:
    with pytest.raises(DomainError, match="needs mtu_bytes"):
        line_speed_as_censored([throughput(1e9, 1e9, at={})], line_cap(10e9))
