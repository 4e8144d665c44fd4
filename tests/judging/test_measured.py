"""Measurements and statements of the catalog beside the predictions of their cases."""

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from netmodel.calibration import observed_from_records
from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.framing import udp_stack
from netmodel.judging import measured_beside
from netmodel.judging._measured import MeasuredFigure
from netmodel.path import (
    Prediction,
    RatioPrediction,
    SpecifiedPath,
    predict_path,
    predict_ratio,
    workload_traffic,
)
from netmodel.records import (
    Relation,
    Statement,
    adapter,
    catalog,
    dataset,
    host,
    path_record,
    register_data,
    statements,
    unregister_data,
    workload,
)
from netmodel.report import measured_text

TABLES = dataset("zvm-layer2-layer3")
ROWS = list(enumerate(TABLES.tables["measurements"].rows(), start=1))
FLAGGED = {
    (flag.row, flag.column) for flag in TABLES.flags if flag.file == "measurements.csv" and flag.row
}
COLUMNS = {
    "transaction_rate_tps": "transaction_rate_tps",
    "data_rate_mb_per_s": "throughput_bps",
    "total_cpu_ms_per_transaction": "cpu_s_per_transaction",
    "total_cpu_ms_per_mb": "cpu_us_per_gbit",
}
MIB_BITS = 8 * 2**20
OSA, ROCE, OSA6 = "osa-express7s-25gbe", "roce-express2.1-25gbe", "osa-express6s-10gbe"


def between(sender: str, receiver: str) -> SpecifiedPath:
    return SpecifiedPath(adapter(sender), adapter(receiver))


def over(network: str) -> SpecifiedPath:
    return SpecifiedPath(record=path_record(network))


def predicted(
    path: SpecifiedPath, name: str, mtu_bytes: int, count: int | None
) -> Prediction | RatioPrediction:
    """The prediction with the largest message that the workload allows."""
    message = workload(name)
    bounds = message.request_bytes_bounds, message.response_bytes_bounds
    largest = bounds[0 if message.sender is Side.CLIENT else 1][1]
    traffic = workload_traffic(message, count, payload_bytes=largest)
    composed = path.path(message.sender)
    return (predict_ratio if composed.factors else predict_path)(composed, traffic, mtu_bytes)


def beside(
    path: SpecifiedPath, name: str, mtu_bytes: int, count: int | None = None
) -> tuple[MeasuredFigure, ...]:
    return measured_beside(path, workload(name), mtu_bytes, count)


def path_of(row: dict[str, str]) -> SpecifiedPath:
    return over(f"{row['path']}-layer{row['layer']}-{row['link_rate_gbps']}gbe")


HEADINGS = {
    "transaction_rate_tps": "trans/sec",
    "data_rate_mb_per_s": "MB/sec",
    "total_cpu_ms_per_transaction": "Total CPU msec/trans",
    "total_cpu_ms_per_mb": "Total CPU msec/MB",
}
"""Of the columns, as the document prints them."""


@pytest.mark.parametrize(("number", "row"), ROWS, ids=[str(number) for number, _ in ROWS])
def test_every_row_of_the_tables_stands_beside_its_prediction(
    number: int, row: dict[str, str]
) -> None:
    """Rate and CPU time of each of the 60 rows, with its digits and its place."""
    case = (path_of(row), row["workload"], int(row["mtu_bytes"]), int(row["connection_count"]))
    result = [each for each in beside(*case) if each.baseline is None]
    printed = {name: row[name] for name in COLUMNS if row[name]}
    assert len(printed) == len(result) == 2
    for (column, cell), each in zip(printed.items(), result, strict=True):
        assert each.quantity == COLUMNS[column]
        assert each.is_exact_case
        assert each.printed.split()[0] == cell
        clients = f"{int(row['connection_count']):02d} clients"
        place = f"table {row['table']}, layer {row['layer']}, {HEADINGS[column]}, {clients}"
        assert each.place == place
        assert each.reference == f"{TABLES.document_title}, {each.place}"
        assert each.side is (Side.CLIENT if column.startswith("total_cpu") else None)
        assert bool(each.remark) == ((number, column) in FLAGGED)
        assert cell.strip("0") in measured_text(each, predicted(*case)).replace(",", "")


@pytest.mark.parametrize(("number", "row"), ROWS, ids=[str(number) for number, _ in ROWS])
def test_ratios_compare_the_same_quantity(number: int, row: dict[str, str]) -> None:
    """Payload of the server and CPU time of the client, computed here from the cells."""
    case = (path_of(row), row["workload"], int(row["mtu_bytes"]), int(row["connection_count"]))
    prediction = predicted(*case)
    assert isinstance(prediction, Prediction)
    rate, cost = (each.ratio_to(prediction) for each in beside(*case) if each.baseline is None)
    traffic = prediction.traffic
    if row["workload"] == "awm-rr":
        measured_tps = float(row["transaction_rate_tps"])
        cost_s = float(row["total_cpu_ms_per_transaction"]) / 1e3
    else:
        measured_bps = float(row["data_rate_mb_per_s"]) * MIB_BITS
        measured_tps = measured_bps / (8 * traffic.response_bytes)
        cost_s = float(row["total_cpu_ms_per_mb"]) / 1e3 * traffic.response_bytes / 2**20
    assert rate is not None
    assert rate.value == pytest.approx(measured_tps / prediction.transaction_rate_tps.value)
    assert rate.low <= rate.value <= rate.high
    predicted_cost = prediction.cpu_us_per_gbit[Side.CLIENT]
    if predicted_cost is None:
        assert cost is None
    else:
        predicted_s = predicted_cost.value * 1e-6 * 8 * traffic.exchanged_bytes / 1e9
        assert cost is not None
        assert cost.value == pytest.approx(cost_s / predicted_s, rel=1e-5)


@pytest.mark.parametrize(
    ("network", "name", "mtu_bytes", "count", "value", "printed", "table"),
    [
        ("zvm-vswitch-layer3-1gbe", "awm-rr", 1492, 10, 13823.21, "13823.21 transaction/s", 5),
        ("zvm-vswitch-layer2-1gbe", "awm-rr", 1492, 50, 32521.90, "32521.90 transaction/s", 5),
        (
            *("zvm-vswitch-layer3-1gbe", "awm-str", 8992, 10, 118.0 * MIB_BITS),
            *("118.0 MB/s, taken as MiB/s", 7),
        ),
    ],
)
def test_figures_read_in_the_document(
    network: str, name: str, mtu_bytes: int, count: int, value: float, printed: str, table: int
) -> None:
    """z/VM report, tables 5 and 7, read from the page and not from the dataset."""
    rate, _ = (each for each in beside(over(network), name, mtu_bytes, count) if not each.baseline)
    assert (rate.value, rate.printed) == (pytest.approx(value), printed)
    assert rate.place.startswith(f"table {table}, ")


def test_without_the_very_case_the_neighbours_on_both_sides_are_found() -> None:
    """Table 5 has 1, 10 and 50 clients: 20 lie between the latter, the nearer first."""
    result = beside(over("zvm-vswitch-layer3-1gbe"), "awm-rr", 1492, 20)
    rates = [each for each in result if each.quantity == "transaction_rate_tps"]
    assert [each.difference for each in rates] == ["at 10 connections", "at 50 connections"]
    assert not any(each.is_exact_case for each in rates)
    many = beside(over("zvm-vswitch-layer3-1gbe"), "awm-rr", 1492, 70)
    assert {each.difference for each in many} == {"at 50 connections"}


def test_neighbours_differ_in_mtu_or_in_connections_but_not_in_both() -> None:
    """Table 6 has MTU 1492, table 7 has 8992, both with 1, 10 and 50 clients."""
    network = over("zvm-vswitch-layer3-1gbe")
    result = beside(network, "awm-str", 4000, 10)
    rates = [each for each in result if each.quantity == "throughput_bps"]
    assert {(each.mtu_bytes, each.connection_count) for each in rates} == {(1492, 10), (8992, 10)}
    assert beside(network, "awm-str", 4000, 20) == ()


def test_a_count_that_is_not_given_differs_from_every_count() -> None:
    result = beside(over("zvm-vswitch-layer3-1gbe"), "awm-rr", 1492)
    assert result
    assert not any(each.is_exact_case for each in result)


def test_every_statement_about_a_network_stands_beside_it() -> None:
    """Those whose figure is of a quantity of models, and CPU efficiency."""
    linked = [
        message
        for message in statements()
        if message.paths
        and message.has_figure
        and (observed_from_records(message) or message.quantity.value == "cpu_efficiency")
    ]
    assert {message.id for message in linked} >= {
        *("kvm-separate-hosts-throughput", "kvm-separate-hosts-time", "kvm-separate-hosts-cpu"),
        *("kvm-same-host-throughput", "kvm-same-host-cpu"),
        *("zvm-summary-osa-10gbe-throughput", "zvm-summary-vswitch-layer2-level-throughput"),
    }
    for message in linked:
        name = message.subject.workload or "awm-rr"
        (count, *_) = message.subject.connection_counts or (10,)
        result = beside(over(message.paths[0]), name, message.subject.mtu_bytes or 1492, count)
        assert message.id in {each.record for each in result}, message.id


def absolute() -> list[Statement]:
    return [
        message
        for message in statements()
        if not message.paths
        and message.baseline is None
        and (
            message.subject.adapters and message.subject.all_workloads and message.subject.mtu_bytes
        )
        and observed_from_records(message)
    ]


@pytest.mark.parametrize("reported", absolute(), ids=lambda reported: reported.id)
def test_every_figure_of_an_adapter_is_found_where_nothing_else_is_slower(
    reported: Statement,
) -> None:
    """Its quantity and its value; another place may say the same more exactly."""
    subject = reported.subject
    (seen, *_) = observed_from_records(reported).observed
    ends = {"in": (ROCE, subject.adapter), "out": (subject.adapter, ROCE)}
    named = (subject.sender_adapter, subject.receiver_adapter)
    path = named if all(named) else ends.get(subject.direction or "", (subject.adapter,) * 2)
    (mtu_bytes, count) = subject.mtu_bytes, (subject.connection_counts or (None,))[0]
    assert mtu_bytes is not None
    result = beside(between(str(path[0]), str(path[1])), subject.all_workloads[0], mtu_bytes, count)
    figures = [
        each.value for each in result if each.quantity == seen.quantity and not each.baseline
    ]
    assert seen.value in figures


def test_there_are_figures_of_adapters() -> None:
    """Slides 19 to 35: line speeds, and the limits of OSA-Express7S in both directions."""
    assert len(absolute()) > 20


@pytest.mark.parametrize(
    ("sender", "receiver", "gbit"),
    [(OSA, OSA, {13.4}), (ROCE, OSA, {13.4}), (OSA, ROCE, {20.5}), (OSA, OSA6, set())],
)
def test_a_limit_of_one_direction_counts_where_the_other_end_is_no_slower(
    sender: str, receiver: str, gbit: set[float]
) -> None:
    """Slide 35: 13.4 Gbit/s in, 20.5 Gbit/s out; the latter is not seen into 13.4 or 10 Gbit/s."""
    result = beside(between(sender, receiver), "str-writex30k", 1500, 50)
    rates = [each for each in result if each.is_exact_case and each.quantity == "throughput_bps"]
    assert {(each.value or 0) / 1e9 for each in rates if not each.baseline} == gbit


def test_which_end_is_slower_is_asked_at_the_mtu_of_the_figure() -> None:
    """At MTU 4000 the way in may be no slower; 20.5 Gbit/s out were seen at 1500, where it is."""
    result = beside(between(OSA, OSA), "str-writex30k", 4000, 20)
    rates = {(each.value or 0) / 1e9 for each in result if each.mtu_bytes == 1500}
    assert 13.4 in rates
    assert 20.5 not in rates


def test_line_speed_of_one_end_does_not_count_into_a_slower_one() -> None:
    """Slides 28 to 34: RoCE fills its line, but not into an OSA-Express7S at MTU 1500."""
    fast = beside(between(ROCE, ROCE), "str-writex30k", 1500, 50)
    assert Relation.CENSORED_ABOVE in {each.relation for each in fast}
    slow = beside(between(ROCE, OSA), "str-writex30k", 1500, 50)
    assert Relation.CENSORED_ABOVE not in {each.relation for each in slow}


def test_over_adapters_alone_a_network_with_them_is_a_case_that_differs() -> None:
    """Table 12, 8 clients: 157 MB/s in layer 2, 145 in layer 3, beside a line of 10 Gbit/s."""
    path = between("osa-express2-10gbe", "osa-express2-10gbe")
    rates = [each for each in beside(path, "awm-str", 1492, 8) if each.quantity == "throughput_bps"]
    assert [each.value for each in rates] == [157.0 * MIB_BITS, 145.0 * MIB_BITS]
    assert [each.difference for each in rates] == [
        f"over zvm-direct-osa-layer{layer}-10gbe" for layer in (2, 3)
    ]
    slower = beside(between("osa-express2-10gbe", "osa-express2-1gbe"), "awm-str", 1492, 8)
    assert slower
    assert not any("10gbe" in each.difference for each in slower)


def test_a_path_that_only_has_the_id_of_a_record_is_another_one() -> None:
    known = path_record("zvm-vswitch-layer3-1gbe")
    mine = SpecifiedPath(record=known.model_copy(update={"stages": known.stages[:1]}))
    assert beside(mine, "awm-rr", 1492, 10) == ()
    card = adapter(OSA).model_copy(update={"observations": ()})
    assert beside(SpecifiedPath(card, card), "str-writex30k", 1500, 50) == ()


def test_what_slows_or_replaces_an_end_makes_another_path() -> None:
    known = SpecifiedPath(record=path_record("zvm-vswitch-layer3-1gbe"))
    assert beside(replace(known, line_rate_bps=1e9), "awm-str", 8992, 10)
    assert beside(replace(known, line_rate_bps=1e8), "awm-str", 8992, 10) == ()
    other = replace(known, client_host=host("z990-2084-b16-8cpu"))
    assert beside(other, "awm-str", 8992, 10) == ()


def test_another_transport_is_another_case() -> None:
    result = measured_beside(
        over("zvm-vswitch-layer3-1gbe"), workload("awm-rr"), 1492, 10, udp_stack()
    )
    assert result == ()


def test_the_same_messages_are_the_same_workload() -> None:
    """awm-rr and rr1c-200x1000 exchange the same; one of its own of other sizes does not."""
    network = over("zvm-vswitch-layer3-1gbe")
    same = measured_beside(network, workload("rr1c-200x1000"), 1492, 10)
    assert same == beside(network, "awm-rr", 1492, 10)
    requests = workload("awm-rr")
    assert requests.request is not None
    larger = requests.request.model_copy(update={"value": requests.request.value * 2})  # type: ignore[operator]
    mine = requests.model_copy(update={"request": larger})
    assert measured_beside(network, mine, 1492, 10) == ()


def test_ratios_of_a_document_stand_beside_the_predicted_ratio() -> None:
    """KVM, text on figure 2: 5 to 20 % more data, 5 to 20 % less time, 25 to 75 % per CPU time."""
    case = (over("kvm-two-hosts"), "rr1c-200x30k", 8192, 10)
    prediction = predicted(*case)
    assert isinstance(prediction, RatioPrediction)
    rate, time, efficiency = beside(*case)
    assert (rate.low, rate.high) == pytest.approx((1.045, 1.205))
    assert (time.low, time.high) == pytest.approx((0.795, 0.955))
    assert (efficiency.low, efficiency.high) == pytest.approx((1.245, 1.755))
    _, low, high = prediction.ratio_to_reference
    of_rate, of_time = rate.ratio_to(prediction), time.ratio_to(prediction)
    assert of_rate is not None
    assert of_time is not None
    assert (of_rate.low, of_rate.high) == pytest.approx((1.045 / high, 1.205 / low))
    assert (of_time.low, of_time.high) == pytest.approx((0.795 * low, 0.955 * high))
    assert efficiency.ratio_to(prediction) is None
    assert {each.baseline for each in (rate, time, efficiency)} == {"MTU 1500"}


def test_at_the_mtu_of_the_baseline_nothing_is_compared() -> None:
    assert beside(over("kvm-two-hosts"), "rr1c-200x30k", 1500, 10) == ()


def test_a_ratio_has_no_ratio_to_a_bound() -> None:
    """Slide 17: 30 to 37 % less time than over OSA-Express6S, which is not what is predicted."""
    case = (between(OSA, OSA), "rr1c-200x1000", 1500, 10)
    times = [each for each in beside(*case) if each.quantity == "transaction_time_s"]
    assert [(each.low, each.high) for each in times] == [pytest.approx((0.625, 0.705))]
    assert [each.baseline for each in times] == [f"adapter {OSA6}"]
    assert times[0].ratio_to(predicted(*case)) is None
    assert times[0].ratio_to_expected(predicted(*case)) is None


def test_a_prediction_of_arrays_has_no_one_ratio() -> None:
    path, requests = over("zvm-vswitch-layer3-1gbe"), workload("awm-rr")
    (rate, _) = beside(path, "awm-rr", 1492, 10)
    many = predict_path(path.path(requests.sender), workload_traffic(requests, [1, 10]), 1492)
    with pytest.raises(DomainError, match="arrays"):
        rate.ratio_to(many)


MINE = """
title = "my requests"
source = "my notes"
locator = "page 3"
grade = "measured"
side = "client"
places = ["page"]

[files]
"runs.csv" = "one row for each run"

[[paths]]
path = "worked-closed-network"
file = "runs"
where = { bed = "a" }

[columns.bed]
meaning = "test bed"
unit = "none"

[columns.page]
meaning = "page of the notes"
unit = "none"

[columns.workload]
meaning = "what was sent"
unit = "none"

[columns.mtu_bytes]
meaning = "MTU"
unit = "byte"

[columns.connection_count]
meaning = "connections"
unit = "count"

[columns.transaction_rate_tps]
meaning = "transactions per second"
unit = "transaction/s"
"""
RUNS = """bed,page,workload,mtu_bytes,connection_count,transaction_rate_tps
b,3,rr1c-200x1000,1500,250,1000
a,4,rr1c-200x1000,1500,250,150000
"""


@pytest.fixture
def my_runs(tmp_path: Path) -> Iterator[None]:
    directory = tmp_path / "measurements" / "mine"
    directory.mkdir(parents=True)
    (directory / "dataset.toml").write_text(MINE, encoding="utf-8")
    (directory / "runs.csv").write_text(RUNS, encoding="utf-8")
    register_data(tmp_path)
    yield
    unregister_data(tmp_path)


@pytest.mark.usefixtures("my_runs")
def test_a_dataset_of_ones_own_stands_beside_its_network() -> None:
    """By hand: the slowest server takes 6 µs, so that 150,000 /s are 0.9 of the bound."""
    case = (over("worked-closed-network"), "rr1c-200x1000", 1500, 250)
    (mine,) = beside(*case)
    assert mine.reference == "my notes, page 4, runs.csv line 3, transaction_rate_tps"
    assert (mine.printed, mine.is_exact_case) == ("150000 transaction/s", True)
    ratio = mine.ratio_to(predicted(*case))
    assert ratio is not None
    assert ratio.value == pytest.approx(0.9)
    # 165 971 /s expected, handbook section 5.6
    of_expected = mine.ratio_to_expected(predicted(*case))
    assert of_expected is not None
    assert of_expected.value == pytest.approx(150_000 / 165_971.38)
    text = measured_text(mine, predicted(*case))
    assert text.endswith("0.904 times the expected value, 0.900 times the upper bound")
    assert mine.to_dict(predicted(*case))["ratio_to_expected"]["value"] == of_expected.value


def cases() -> list[tuple[SpecifiedPath, str]]:
    cards = {name for message in statements() for name in message.subject.adapters}
    paths = [between(*ends) for ends in product(cards, repeat=2)]
    paths += [over(name) for name in catalog()["paths"]]
    return list(product(paths, catalog()["workloads"]))


@pytest.mark.thorough
@pytest.mark.parametrize(("mtu_bytes", "first"), [(1500, 0), (8992, 2)])
def test_every_path_has_three_figures_of_one_quantity_at_most(mtu_bytes: int, first: int) -> None:
    """Each fifth case, so that every workload, of which there are 8, meets all kinds of paths."""
    for path, name in cases()[first::5]:
        prediction = predicted(path, name, mtu_bytes, 10)
        result = beside(path, name, mtu_bytes, 10)
        kinds = [(each.quantity, each.side, each.baseline is None) for each in result]
        assert all(kinds.count(kind) <= 3 for kind in kinds)
        for each in result:
            message: dict[str, Any] = json.loads(
                json.dumps(each.to_dict(prediction), allow_nan=False)
            )
            assert message["is_exact_case"] == (message["difference"] is None)
            assert each.low <= (each.low if each.value is None else each.value) <= each.high
            assert not math.isnan(each.low)
            assert measured_text(each, prediction)
