"""The z/VM tables: each cell as printed, each difference, and between the rows."""

import csv
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import netmodel
from netmodel.consumption import Side
from netmodel.published import Row, answer, listing
from netmodel.records import data_path

ROWS = listing()
PARTS = {"total": "total", "emulation": "guest", "cp": "hypervisor"}
SMALLEST_INNER_ERROR = 0.016, 0.048
"""Mean and worst of left-out inner points that the curves are known for."""


def read(name: str) -> list[dict[str, str]]:
    path = data_path("measurements", "zvm-layer2-layer3", name)
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


LEVELS = {table["table"]: table for table in read("tables.csv")}


def asked(column: str) -> tuple[str, dict[str, str]]:
    """Return quantity and conditions of a column."""
    if "cpu" not in column:
        return ("transaction_rate" if "transaction" in column else "throughput"), {}
    quantity = "cpu_time_per_transaction" if "transaction" in column else "cpu_consumption"
    return quantity, {"side": "client", "part": PARTS[column.partition("_")[0]]}


def case_of(cells: dict[str, str]) -> dict[str, str | int]:
    table = LEVELS[cells["table"]]
    adapter = f"osa-express2-{table['link_rate_gbps']}gbe"
    return {
        "path": table["path"],
        "workload": table["workload"],
        "mtu": int(table["mtu_bytes"]),
        "connections": int(cells["connection_count"]),
        "client": adapter,
        "server": adapter,
    }


def test_each_figure_is_answered_as_printed() -> None:
    count = 0
    for cells in read("measurements.csv"):
        case = {**case_of(cells), "layer": int(cells["layer"])}
        for column, text in cells.items():
            if text and column.endswith(("_tps", "_per_s", "_per_transaction", "_per_mb")):
                quantity, conditions = asked(column)
                found = answer({**case, **conditions}, quantity)
                assert (found.status, found.value) == ("printed", float(text)), (cells, column)
                count += 1
    assert count == 240


def test_each_difference_is_answered() -> None:
    count = 0
    for cells in read("differences.csv"):
        quantity, conditions = asked(cells["quantity"])
        case = {**case_of(cells), **conditions}
        if cells["comparison"] == "layer3-to-layer2":
            case["level"] = cells["hypervisor_level"]
            pair = {**case, "layer": 2}, {**case, "layer": 3}
        else:
            case["layer"] = int(cells["layer"])
            pair = {**case, "level": "5.2.0"}, {**case, "level": "5.1.0"}
        ratio = float(1 + Decimal(cells["difference_percent"]) / 100)
        found = answer(pair[0], quantity, pair[1])
        assert found.status == "printed", cells
        assert found.value == pytest.approx(ratio, rel=1e-9), cells
        count += 1
    assert count == 228


def test_what_more_cpus_than_installed_would_need_is_marked() -> None:
    doubtful = [row for row in ROWS if row.doubt and not row.against]
    assert {row.place.partition(",")[0] for row in doubtful} == {"table 11"}
    case = {key: values[0] for key, values in doubtful[0].of.items()}
    assert answer(case, doubtful[0].quantity).doubt == doubtful[0].doubt


def inner_points() -> list[Row]:
    """Return rates that have printed ones on both sides in their series."""
    rates = [
        row
        for row in ROWS
        if row.document == "zvm"
        and not row.against
        and row.quantity in {"transaction_rate", "throughput"}
    ]

    def series(row: Row) -> dict[str, object]:
        return {**row.of, "connections": None}

    counts = [[x.of["connections"][0] for x in rates if series(x) == series(r)] for r in rates]
    return [
        row
        for row, known in zip(rates, counts, strict=True)
        if min(known) < row.of["connections"][0] < max(known)
    ]


def test_left_out_inner_points_are_met_between_their_neighbours() -> None:
    errors = []
    for row in inner_points():
        rest = tuple(each for each in ROWS if each is not row)
        case = {key: values[0] for key, values in row.of.items()}
        found = answer(case, row.quantity, published=rest)
        assert found.status == "interpolated"
        low, value, high = (end or 0 for end in (found.low, found.value, found.high))
        assert low <= (row.low or 0) <= high, row.id
        errors.append(abs(value / (row.low or 1) - 1))
    mean, worst = SMALLEST_INNER_ERROR
    assert len(errors) == 28
    assert sum(errors) / len(errors) <= mean
    assert max(errors) <= worst


def row_of(name: str, quantity: str, figure: float, **of: Any) -> Row:
    fixed = {key: (value,) for key, value in of.items()}
    return Row(name, "x", "y", quantity, fixed, low=figure, high=figure)


def test_a_figure_of_zero_is_shown() -> None:
    assert row_of("none", "drop_count", 0.0).changed(unit="1").figure == "0"


def test_a_near_row_has_a_condition_of_the_case_and_differs_in_at_most_three() -> None:
    far = {"path": "two", "mtu": 9000, "workload": "b", "layer": 3, "km": 7}
    conditions = {"near": {**far, "mtu": 1500}, "far": far, "strange": {"path": "two"}}
    published = tuple(row_of(name, "throughput", 1.0, **of) for name, of in conditions.items())
    case = {"path": "one", "mtu": 1500, "workload": "a", "layer": 2, "km": 7}
    found = answer(case, "throughput", published=published)
    assert [row.id for row in found.nearest] == ["near"]


@pytest.mark.parametrize(
    ("quantity", "figures", "count", "wanted"),
    [
        # each stream keeps its rate; 10 x 2 ** (ln 4.5 / ln 5) below; 1.01 x 20 above
        ("throughput", (10.0, 45.0), 20, (20.0, 19.1128, 20.2)),
        # halfway the time of a byte is 1/2 (1/40 + 1/20)
        ("throughput", (40.0, 20.0), 30, (26.6667, 24.9216, 40.4)),
        # N/X is 10 ms and 16.67 ms; (20**0.8 - 10**0.8) / (50**0.8 - 10**0.8) = 0.28244
        ("transaction_rate", (1000.0, 3000.0), 20, (1683.08, 1605.04, 2020.0)),
        # 5 x 3 ** (ln 0.8 / ln 5)
        ("cpu_consumption", (5.0, 4.0), 30, (4.29357, 4.0, 5.0)),
    ],
)
def test_between_two_figures_there_is_one_and_its_bounds(
    quantity: str, figures: tuple[float, float], count: int, wanted: tuple[float, ...]
) -> None:
    """A part that is printed at one of them alone makes no sum."""
    rows = (("total", 10, figures[0]), ("total", 50, figures[1]), ("guest", 10, 1.0))
    published = [
        row_of(f"{part} {n}", quantity, y, path="one", part=part, connections=n)
        for part, n, y in rows
    ]
    found = answer({"path": "one", "connections": count}, quantity, published=(*published,))
    assert (found.value, found.low, found.high) == pytest.approx(wanted, rel=1e-5)


def test_a_prediction_has_the_printed_cost_and_the_three_nearest_rates() -> None:
    """Tables 6 and 7: 3.48 and 3.37 ms per MB of 2**20 byte; 92.2, 44.8 and 118 MB/s."""
    path = "zvm-vswitch-layer2-1gbe"
    found = netmodel.predict(path=path, workload="awm-str", mtu_bytes=1492, connections=10)
    cost = found.cpu_us_per_gbit[Side.CLIENT]
    assert cost
    assert cost.value == pytest.approx(6.85e12 / (8 * 2**20), rel=1e-5)
    assert [row.low for row in found.also_published] == [92.2, 44.8, 118]


def test_a_total_between_rows_is_the_sum_of_its_parts() -> None:
    case = {"path": "zvm-vswitch-layer3-1gbe", "workload": "awm-str", "mtu": 1492, "side": "client"}
    at = {**case, "connections": 25}
    total, *parts = (
        answer({**at, **part}, "cpu_consumption").value
        for part in ({}, {"part": "guest"}, {"part": "hypervisor"})
    )
    assert total == pytest.approx(sum(parts))


def test_beyond_the_largest_number_there_is_a_bound_and_no_value() -> None:
    case = {"path": "zvm-vswitch-layer3-1gbe", "workload": "awm-rr", "mtu": 1492}
    found = answer({**case, "connections": 1000}, "transaction_rate")
    assert (found.status, found.value) == ("beyond", None)
    assert found.high == pytest.approx(1.01 * 20 * 31914.04)
    assert "measured to 50 connections: 31914.04 /s" in found.text


@pytest.mark.parametrize(
    ("parts", "high"),
    [
        ({}, 15),
        ({"doubt": "above its line"}, None),
        ({"relation": "at_least"}, None),
        ({"relation": "range", "high": 12.0}, None),
    ],
)
def test_a_bound_rests_on_one_sure_figure(parts: dict[str, Any], high: float | None) -> None:
    one, other = {"path": ("one",)}, {"path": ("other",)}
    figure = Row("figure", "x", "y", "throughput", one, low=10.0, high=10.0, unit="Gbit/s")
    ratio = Row("ratio", "x", "y", "throughput", other, one, low=1.5, high=1.5)
    published = (replace(figure, **parts), ratio)
    assert answer({"path": "other"}, "throughput", published=published).high == high


def test_a_doubtful_figure_is_never_divided() -> None:
    row = next(row for row in ROWS if row.doubt and not row.against)
    case = {key: values[0] for key, values in row.of.items()}
    others = tuple(replace(each) for each in ROWS if not each.against)
    found = answer(case, row.quantity, {**case, "connections": 1}, published=others)
    assert found.status == "not_published"


STREAM = {"path": "zvm-direct-osa-layer2-1gbe", "workload": "awm-str"}
"""Its calibrated times miss the printed CPU costs by up to a third, so that these are seen."""


def test_arrays_have_the_rates_and_costs_of_each_case() -> None:
    pairs = [(mtu, count) for mtu in (1492, 4000, 8992) for count in (1, 5, 25, 50, 80)]
    mtus, counts = map(np.array, zip(*pairs, strict=True))
    every = netmodel.predict(**STREAM, mtu_bytes=mtus, connections=counts)  # type: ignore[arg-type]
    assert every.expected.approximations == ("between printed numbers of connections",)
    of_all = (every.throughput_bps.value, every.cpu_us_per_gbit[Side.CLIENT].value)
    for place, (mtu, count) in enumerate(pairs):
        one = netmodel.predict(**STREAM, mtu_bytes=mtu, connections=count)  # type: ignore[arg-type]
        of_one = (one.throughput_bps.value, one.cpu_us_per_gbit[Side.CLIENT].value)
        found = [np.broadcast_to(each, mtus.shape)[place] for each in of_all]
        assert found == pytest.approx(of_one, rel=1e-12)
        if mtu == 1492 and count in {1, 50}:
            assert one.expected.approximations == ("one printed figure",)


def test_no_printed_cost_holds_in_a_tunnel() -> None:
    tunnel = "ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps"
    case = {**STREAM, "mtu_bytes": 1492, "connections": 10}
    for stack, is_same in ((None, False), (tunnel, True)):
        pair = [
            netmodel.predict(**case, stack=stack, physics_only=only)  # type: ignore[arg-type]
            for only in (False, True)
        ]
        known, alone = (each.cpu_us_per_gbit[Side.CLIENT].value for each in pair)
        assert (known == alone) is is_same
