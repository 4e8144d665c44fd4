"""Demands over connections from tables of a dataset: made data give back what made them."""

import math
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest
from scipy.stats import t

from netmodel.calibration._declared_tables import Series
from netmodel.calibration._measured_demands import (
    _Curve,
    _errors,
    _left_out,
    _Requests,
    _Streams,
    _streams,
    measured_demands,
)
from netmodel.consumption import Side
from netmodel.errors import CalibrationError
from netmodel.units import parse_time_s

DELAY_S, LEAST_S, SHARED_S = 300e-6, 10e-6, 90e-6


def _rate_tps(count: int) -> float:
    return count / (DELAY_S + count * (LEAST_S + SHARED_S / count**0.5))


def _declared(root: Path, counts: tuple[int, ...]) -> Series:
    """A dataset of requests and streams, and what is declared of it."""
    root.mkdir()
    head = (
        "path,workload,mtu_bytes,connection_count,transaction_rate_tps,throughput_gbps,cpu,cpu_gb\n"
    )
    rows = [f"a,awm-rr,1500,{n},{_rate_tps(n):.9g},,10,\n" for n in counts]
    rows += [f"a,awm-str,1500,{n},,{min(n * 0.4, 1 / (1.1 + 0.01 * n)):.9g},,10\n" for n in counts]
    (root / "runs.csv").write_text(head + "".join(rows), "utf-8")
    (root / "dataset.toml").write_text(
        dedent("""
        title = "Made"
        source = "made"
        document_title = "Made"
        locator = "all"
        grade = "measured"
        tool = "none"
        side = "client"
        workloads = ["awm-rr", "awm-str"]
        test_bed = "none"
        transcription = "none"
        places = ["path"]
        [files]
        "runs.csv" = "runs"
        [columns.path]
        meaning = "path"
        unit = "none"
        printed_as = "path"
        [columns.workload]
        meaning = "workload"
        unit = "none"
        printed_as = "workload"
        [columns.mtu_bytes]
        meaning = "MTU"
        unit = "byte"
        printed_as = "MTU"
        [columns.connection_count]
        meaning = "connections"
        unit = "count"
        printed_as = "N"
        [columns.transaction_rate_tps]
        meaning = "rate"
        unit = "transaction/s"
        printed_as = "rate"
        [columns.throughput_gbps]
        meaning = "rate"
        unit = "Gbit/s"
        printed_as = "rate"
        [columns.cpu]
        meaning = "CPU time"
        unit = "µs/transaction"
        printed_as = "cpu"
        [columns.cpu_gb]
        meaning = "CPU time"
        unit = "µs/Gbit"
        printed_as = "cpu"
        """),
        "utf-8",
    )
    return Series.model_validate(
        {
            "dataset": str(root),
            "table": "runs",
            "where": {"path": "a"},
            "side": "client",
            "line_rate": "1 Gbit/s",
            "rate": "throughput_gbps",
            "streams": {"where": {"workload": "awm-str"}, "total": "cpu_gb"},
            "requests": {"where": {"workload": "awm-rr"}, "total": "cpu"},
            "cpu_count": {"file": "none", "key": "path", "column": "none"},
            "parts": [
                {"name": "cpu", "kind": "protocol-cpu", "streams": "cpu_gb", "requests": "cpu"}
            ],
            "demands": {
                "requests": "transaction_rate_tps",
                "streams": "throughput_gbps",
                "by": ["path"],
            },
        }
    )


def test_made_data_give_back_what_made_them(tmp_path: Path) -> None:
    (table,) = measured_demands(_declared(tmp_path / "made", (1, 4, 16, 64, 256)))
    own, delay, bottleneck = table["stages"]
    per_byte, request = bottleneck["per_byte_to_client"], bottleneck["per_transaction"]
    found = [own["per_byte_to_client"], per_byte["least"], per_byte["growing"]]
    assert [parse_time_s(each) for each in found] == pytest.approx(
        [8 / 0.4e9, 8 * 1.1e-9, 8 * 0.01e-9], rel=1e-6
    )
    # 1000 byte of each answer take 20 ns each of a connection, and 8.8 ns each of the bottleneck
    found = [delay["per_transaction"], request["least"], request["shared"]]
    assert [parse_time_s(each) for each in found] == pytest.approx(
        [DELAY_S - 1000 * 20e-9, LEAST_S - 1000 * 8.8e-9, SHARED_S], rel=1e-5
    )
    streams, requests = table["fitted_to"]
    assert requests["connections"] == [1, 256]
    for series in (streams, requests):
        assert float(series["error"].split()[0]) < 0.01


def test_three_figures_show_no_error_of_three_parameters(tmp_path: Path) -> None:
    with pytest.raises(CalibrationError, match="errors of the form are unknown"):
        measured_demands(_declared(tmp_path / "made", (1, 10, 50)))


def test_one_figure_of_several_streams_leaves_no_growth() -> None:
    """1 Gbit/s of one stream, and 4 Gbit/s of ten: 8 ns and 2 ns for a byte."""
    curve = _Curve(False, {}, np.array([1.0, 10.0]), np.array([1e9, 4e9]))
    assert _streams(curve) == pytest.approx((8e-9, 2e-9, 0.0))


def test_errors_at_the_ends_of_a_series_widen_what_is_beyond_it() -> None:
    """Half-widths of 95 %: of the figures between the ends, and of all of them."""
    counts = np.array([1.0, 2.0, 5.0, 10.0, 50.0])
    noise = np.array([1.05, 0.99, 1.01, 0.98, 1.2])
    rates = noise * [_rate_tps(int(count)) for count in counts]
    at = {"request_bytes": 1.0, "response_bytes": 1.0}
    curve = _Curve(True, at, counts, rates)
    missed = [each for _, each in _left_out(curve, Side.CLIENT)]
    widths = [
        math.expm1(
            t.ppf(0.975, len(these)) * math.sqrt(sum(each**2 for each in these) / len(these))
        )
        for these in (missed[1:-1], missed)
    ]
    assert widths[0] < widths[1]
    assert _errors([curve], Side.CLIENT) == pytest.approx(tuple(widths))


def test_a_request_takes_times_of_its_own_of_its_bytes_and_of_its_batch() -> None:
    """
    1000 byte of 1 ns each alone and of 2 ns each at the bottleneck, and 90 µs for a batch of two.

    With four connections 301 µs, and 4 times 10 + 2 + 45 µs: 4 in 529 µs.
    """
    streams = _Streams(alone_s=1e-9, least_s=2e-9)
    requests = _Requests(300e-6, 10e-6, 90e-6, 1000, streams)
    assert requests.rate_tps(4) == pytest.approx(4 / 529e-6)
    assert streams.rate_bps(4) == pytest.approx(8 / 2e-9)
    assert streams.rate_bps(0.25) == pytest.approx(8 / 4e-9)
    falling = _Streams(alone_s=1e-9, least_s=2e-9, growing_s=0.5e-9)
    assert falling.rate_bps(4) == pytest.approx(8 / 4e-9)
