"""Tables of results with the columns that netmodel names; expected numbers by hand."""

from functools import partial
from pathlib import Path

import pytest

from netmodel.errors import ParseError, UnknownFormatError
from netmodel.readers import Direction, read_result
from netmodel.readers.tables import NETMODEL_CSV

read_csv_results = partial(read_result, format_name="netmodel-csv")

RESULTS = Path(__file__).parent / "samples" / "csv" / "made_results.csv"


def table(*lines: str) -> bytes:
    return "\n".join(lines).encode()


def test_each_row_is_a_measurement() -> None:
    runs = read_csv_results(RESULTS)
    assert [run.file.part for run in runs] == ["line 2", "line 3", "line 4", "line 5", "line 6"]
    assert [run.stream_count for run in runs] == [1, 10, 50, 250, 1]
    assert [run.traffic.path_mtu_bytes for run in runs] == [1500, 1500, 9000, 9000, 9000]
    assert [run.traffic.segment_bytes for run in runs] == [1448, None, None, None, None]
    assert [run.traffic.request_bytes for run in runs] == [None, None, 200, 200, 200]
    assert [run.traffic.response_bytes for run in runs] == [30720, 30720, 1000, 1000, 1000]
    assert [run.goodput_bps for run in runs] == [13.4e9, 13.4e9, None, 1.92e9, None]
    assert [run.transaction_rate_tps for run in runs] == [None, None, None, 200e3, 21000.5]
    assert [run.transaction_time_s for run in runs] == [None, None, None, 1.25e-3, 47.6e-6]
    assert {run.tool for run in runs} == {"netmodel-csv"}


def test_how_far_off_a_rate_may_be() -> None:
    """By the digits, by the limits that are specified, and by what "about" leaves."""
    by_digits, by_limits, _, about, _ = read_csv_results(RESULTS)
    assert by_digits.counted.half_width_bps == pytest.approx(0.05e9)
    assert by_limits.counted.half_width_bps == pytest.approx(0.2e9)
    assert about.counted.half_width_bps == pytest.approx(0.05 * 1.92e9)
    (whole,) = read_csv_results(table("throughput_bps", "13400000000"))
    assert whole.counted.half_width_bps is None


@pytest.mark.parametrize(
    "relation", ["at_least", "at_most", "up_to", "censored_above", "censored_below"]
)
def test_a_bound_is_no_goodput(relation: str) -> None:
    (run,) = read_csv_results(table("throughput_bps,relation", f"9.6e9,{relation}"))
    assert run.goodput_bps is None
    assert run.counted.why_no_goodput is not None
    assert relation in run.counted.why_no_goodput


def test_a_range_without_a_figure_is_no_goodput() -> None:
    raw = table(
        "connection_count,throughput_bps,throughput_bps_low,throughput_bps_high,transaction_time_s",
        "1,,9e9,10e9,0.1",
    )
    (run,) = read_csv_results(raw)
    assert run.goodput_bps is None
    assert "throughput_bps is a bound or a range" in (run.counted.why_no_goodput or "")


def test_set_up_is_read_where_it_is_reported() -> None:
    raw = table(
        "tool,tool_version,protocol,ip_version,direction,throughput_bps,adapter",
        'iperf3,3.21,udp,6,server_to_client,1.5e9,"a, b"',
    )
    (run,) = read_csv_results(raw)
    assert (run.tool, run.file.tool_version, run.protocol, run.ip_version) == (
        "iperf3",
        "3.21",
        "udp",
        6,
    )
    assert run.direction is Direction.SERVER_TO_CLIENT


def test_the_format_is_recognised() -> None:
    assert read_result(RESULTS) == read_csv_results(RESULTS)
    marked = "\ufeff".encode() + RESULTS.read_bytes().replace(b"\n", b"\r\n")
    assert [run.goodput_bps for run in read_result(marked)] == [
        run.goodput_bps for run in read_csv_results(RESULTS)
    ]


def test_a_sentence_that_begins_with_the_name_of_a_column_is_no_table() -> None:
    with pytest.raises(UnknownFormatError):
        read_result(b"throughput_bps, as measured on Monday:\n9.4e9, with one connection\n")


@pytest.mark.parametrize(
    ("lines", "is_table"),
    [
        (("throughput_gbp,adapter", "3,x"), True),
        (("adapter;throughput_gbp", "x;3"), True),
        # one word is not a table, nor are lines of other lengths
        (("throughput_gbp", "3"), False),
        (("throughput_gbp,adapter", "3"), False),
        (("throughput_gbp,adapter", "3,x,y"), False),
        (("adapter,mtu_bytes", "x,1500"), False),
        (("throughput_gbps", "3"), True),
    ],
)
def test_a_misspelt_column_above_a_row_of_cells_is_a_table(
    lines: tuple[str, ...], is_table: bool
) -> None:
    assert NETMODEL_CSV.recognises(table(*lines).decode()) is is_table


@pytest.mark.parametrize(
    ("column", "cell", "is_read"),
    [
        ("throughput_bps", "4e12", True),
        ("throughput_bps", "4001e9", False),
        ("throughput_gbps", "9410", False),
        ("throughput_bps", "9.41", False),
        ("throughput_bps", "1000", True),
        ("throughput_bps", "0", True),
    ],
)
def test_a_rate_in_another_unit_is_refused(column: str, cell: str, is_read: bool) -> None:
    if is_read:
        assert read_csv_results(table(column, cell))[0].goodput_bps == float(cell)
        return
    with pytest.raises(ParseError, match=r"line 2, .* is the rate of no line: its unit may be"):
        read_csv_results(table(column, cell))
