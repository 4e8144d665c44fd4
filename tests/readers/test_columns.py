"""One table for ``check`` and ``calibrate``: the same names, units and words for what is near."""

from pathlib import Path

import pytest
from invocation import run_netmodel

from netmodel.calibration import observed_from_table
from netmodel.errors import ParseError
from netmodel.readers import Measurement, read_result

LINE = ("--line-rate", "10G", "--mtu", "1500", "--assume-transport", "tcp")


def written(directory: Path, text: str) -> Path:
    path = directory / "table.csv"
    path.write_bytes(text.encode())
    return path


def both(directory: Path, text: str) -> tuple[Measurement, dict[str, object]]:
    """The one run of a table, and its first observation: conditions and bounds."""
    path = written(directory, text)
    (run,) = read_result(path)
    (seen, *_) = observed_from_table(path).observed
    return run, {**seen.at, seen.quantity: seen.value, "low": seen.low, "high": seen.high}


# 9.41 Gbit/s within half of its last digit, 0.005 Gbit/s
@pytest.mark.parametrize(
    ("column", "figure", "rate_bps", "half_bps"),
    [
        ("throughput_bps", "9.41e9", 9.41e9, 0.005e9),
        ("throughput_mbps", "9.41e3", 9.41e9, 0.005e9),
        ("throughput_gbps", "9.41", 9.41e9, 0.005e9),
        # 1 MiB is 8388608 bit: 1121.5 MiB/s, within 0.05
        ("throughput_mib_per_s", "1121.5", 1121.5 * 8388608, 0.05 * 8388608),
    ],
)
def test_throughput_in_any_unit(
    column: str, figure: str, rate_bps: float, half_bps: float, tmp_path: Path
) -> None:
    run, seen = both(tmp_path, f"mtu_bytes,{column}\n1500,{figure}\n")
    assert run.goodput_bps == pytest.approx(rate_bps, rel=1e-12)
    assert run.counted.half_width_bps == pytest.approx(half_bps, rel=1e-9)
    assert seen["throughput_bps"] == pytest.approx(rate_bps, rel=1e-12)
    assert seen["high"] == pytest.approx(rate_bps + half_bps, rel=1e-9)
    assert (run.traffic.path_mtu_bytes, seen["mtu_bytes"]) == (1500, 1500)


@pytest.mark.parametrize(
    ("column", "time_s"),
    [
        ("transaction_time_s", 47.6),
        ("transaction_time_ms", 47.6e-3),
        ("transaction_time_us", 47.6e-6),
        ("transaction_time_ns", 47.6e-9),
    ],
)
def test_times_in_any_unit(column: str, time_s: float, tmp_path: Path) -> None:
    run, seen = both(tmp_path, f"{column}\n47.6\n")
    assert run.transaction_time_s == pytest.approx(time_s, rel=1e-12)
    assert seen["transaction_time_s"] == pytest.approx(time_s, rel=1e-12)


def test_one_meaning_has_two_words(tmp_path: Path) -> None:
    run, seen = both(tmp_path, "stream_count,transport,duration_s,throughput_gbps\n8,tcp,10,9.4\n")
    assert (run.stream_count, run.protocol, run.duration_s) == (8, "tcp", 10)
    assert (seen["connection_count"], seen["protocol"], seen["duration_s"]) == (8, "tcp", 10)
    assert not {"stream_count", "transport"} & set(seen)


FORMS = {
    "blanks": "mtu_bytes , throughput_gbps\n1500 , 9.41\n",
    "a byte order mark": "\ufeffmtu_bytes,throughput_gbps\n1500,9.41\n",
    "line ends of DOS": "mtu_bytes,throughput_gbps\r\n1500,9.41\r\n",
    "all of them": "\ufeffmtu_bytes, throughput_gbps \r\n1500, 9.41\r\n",
    "quotes": '"mtu_bytes","throughput_gbps"\n"1500","9.41"\n',
    "semicolons": "mtu_bytes;throughput_gbps\n1500;9.41\n",
    "decimal commas": "mtu_bytes;throughput_gbps\n1500;9,41\n",
    "tabs": "mtu_bytes\tthroughput_gbps\n1500\t9,41\n",
    "units in names": "MTU (bytes),Throughput [Gbit/s]\n1500,9.41\n",
    "names of people": "mtu,rate (Gbps)\n1500,9.41\n",
    "a unit behind a word": "mtu,goodput_gbps\n1500,9.41\n",
    "another word with a unit": "mtu,bandwidth_mbps\n1500,9.41e3\n",
    "ends of such a word": "mtu,rate_gbps,rate_gbps_low,rate_gbps_high\n1500,9.41,9.405,9.415\n",
    "units in cells": "mtu,rate\n1500 bytes,9.41 Gbit/s\n",
    "a title and blank lines": "10 GbE, May\n\nmtu_bytes,throughput_gbps\n\n1500,9.41\n,\n",
    "what is not known": "mtu_bytes,throughput_gbps,duration_s\n1500,9.41,n/a\n",
    "a column without a name": "mtu_bytes,throughput_gbps,\n1500,9.41,\n",
}
GROUPED = 'throughput_mbps,response_bytes\n"9,410.0","1,234,567"\n'


@pytest.mark.parametrize("name", FORMS)
def test_a_table_is_recognised_however_it_was_saved(name: str, tmp_path: Path) -> None:
    run, seen = both(tmp_path, FORMS[name])
    assert (run.tool, run.goodput_bps, run.traffic.path_mtu_bytes) == ("netmodel-csv", 9.41e9, 1500)
    assert run.counted.half_width_bps == pytest.approx(0.005e9)
    assert (seen["throughput_bps"], seen["mtu_bytes"]) == (9.41e9, 1500)
    # the wire at MTU 1500 carries 10 Gbit/s x 1448/1538 = 9.415 Gbit/s of payload
    result = run_netmodel("check", str(tmp_path / "table.csv"), *LINE)
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ('throughput_gbps,cpus\n9.41,"0,2"\n', {"cpus": "0,2"}),
        ("throughput_gbps,rate\n9.41,5\n", {"rate": 5}),
        ("throughput_gbps,rate_gbps\n9.41,5\n", {"rate_gbps": 5}),
        ("throughput_gbps,line_rate_gbps\n9.41,10\n", {"line_rate_gbps": 10}),
        ("throughput_gbps,os\n9.41,throughput_gbps\n9.42,x\n", {"os": "throughput_gbps"}),
        ("throughput_gbps,pause\n9.41,5 ms\n", {"pause": "5 ms"}),
        ("throughput_gbps,mtu (segments)\n9.41,6\n", {"mtu (segments)": 6}),
    ],
)
def test_columns_of_ones_own_stay_as_they_are(
    text: str, at: dict[str, object], tmp_path: Path
) -> None:
    path = written(tmp_path, text)
    assert read_result(path)[0].goodput_bps == 9.41e9
    assert observed_from_table(path).observed[0].at == at


def test_utf_16_and_groups_of_thousands_are_read(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(GROUPED.encode("utf-16"))
    (run,) = read_result(path)
    assert (run.goodput_bps, run.traffic.response_bytes) == (9.41e9, 1_234_567)
    assert run.counted.half_width_bps == pytest.approx(0.05e6)
    (seen,) = observed_from_table(path).observed
    assert (seen.value, seen.at["response_bytes"]) == (9.41e9, 1_234_567)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('throughput_mbps\n"9,410"', "9,410 may be 9410 or 9.410"),
        ("mtu_bytes;throughput_mbps\n1500;9,410", "9,410 may be 9410 or 9.410"),
        ("mtu_bytes;throughput_gbps\n1500;9,41\n9000;9.9", "has 9.9 beside 9,41"),
        ("connections,rate\n1,9.41\n", r'column rate: needs one unit: write "rate \(Gbit/s\)"'),
        (
            "connections,rate\n1,9.4 Gbit/s\n2,\n3,94 Mbyte\n4,9.1 Gbit/s",
            'line 4 has "94 Mbyte": w',
        ),
        (
            "connections,rate\n1,9.41 Gbit/s\n2,941 Mbit/s",
            'needs one unit; line 3 has "941 Mbit/s"',
        ),
        ("connections,rate (MB/s)\n1,1200\n", "write throughput_mib_per_s or throughput_mbps"),
        ("mtu,throughput_MBps\n1500,1200\n", "write throughput_mib_per_s or throughput_mbps"),
        ("mtu,throughput (MByte/s)\n1500,1\n", "write throughput_mib_per_s or throughput_mbps"),
        ("mtu,throughput_kbps\n1500,9e6\n", "as throughput_bps or throughput_mbps or "),
        ("connections,rate (Mbit/s)\n1,9.41 Gbit/s\n", "its cells are of another unit"),
        ("mtu_bytes,throughput_gbps,\n1500,9.41,x\n9000,9.9,\n", "a column has no name"),
    ],
)
def test_what_has_two_readings_is_refused_with_both(
    text: str, problem: str, tmp_path: Path
) -> None:
    path = written(tmp_path, text)
    for read in (read_result, observed_from_table):
        with pytest.raises(ParseError, match=problem):
            read(path)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("mtu_byte", "mtu_bytes"),
        ("conection_count", "connection_count"),
        ("duration", "duration_s"),
        ("throughput_gbps_lo", "throughput_gbps_low"),
        ("CPU", "cpu_us_per_gbit"),  # the first of several
        ("transactions/s", "transaction_rate_tps"),
        ("trans/sec", "transaction_rate_tps"),
        ("Latency (µs)", "transaction_time_us"),
    ],
)
def test_a_name_that_is_nearly_known_is_reported(name: str, near: str, tmp_path: Path) -> None:
    path = written(tmp_path, f"{name},throughput_gbps\n1500,9.41\n")
    (run,) = read_result(path)
    assert run.notes == (f'column "{name}" is not read: {near} may be meant',)
    assert f"column {name} is a condition of that name; {near} may be meant" in (
        observed_from_table(path).notes
    )
    assert f"{near} may be meant" in run_netmodel("check", str(path), *LINE).stdout


def test_names_of_ones_own_are_not_reported(tmp_path: Path) -> None:
    names = "adapter,rack,kernel,congestion_control,flag,weight,workload,comment"
    path = written(tmp_path, f"{names},throughput_gbps\na,b,c,d,,1,e,ok,9.41\n")
    (run,) = read_result(path)
    assert run.notes == ()
    (seen,) = observed_from_table(path)
    assert "weight" in seen.at
    assert "comment" not in seen.at


@pytest.mark.parametrize("name", ["throughputs", "throughput_gbits"])
def test_where_the_figure_itself_is_not_known_both_say_what_is_near(
    name: str, tmp_path: Path
) -> None:
    path = written(tmp_path, f"{name},mtu_bytes\n9.41,1500\n")
    for read in (read_result, observed_from_table):
        with pytest.raises(ParseError, match=f'{name}"? may be meant as throughput_') as caught:
            read(path)
        assert caught.value.problem.startswith("line 1: ")


def test_both_refuse_one_quantity_in_two_units_and_a_unit_with_two_meanings(
    tmp_path: Path,
) -> None:
    for header, problem in (
        ("throughput_bps,throughput_gbps", "throughput_bps and throughput_gbps all hold"),
        ("throughput_gbps,goodput_gbps", '"throughput_gbps" and "goodput_gbps"'),
        ("throughput_mb_per_s,mtu_bytes", "write throughput_mib_per_s or throughput_mbps"),
        ("cpu_ms_per_mb,mtu_bytes", "write cpu_ms_per_mib or cpu_us_per_gbit"),
    ):
        path = written(tmp_path, f"{header}\n1,1500\n")
        for read in (read_result, observed_from_table):
            with pytest.raises(ParseError, match=problem):
                read(path)


def test_a_range_alone_and_a_relation_of_its_own_are_no_one_figure(tmp_path: Path) -> None:
    run, seen = both(tmp_path, "throughput_gbps_low,throughput_gbps_high\n9,9.4\n")
    assert "throughput_gbps is a bound or a range" in (run.counted.why_no_goodput or "")
    assert (seen["low"], seen["high"]) == (9e9, 9.4e9)
    run, seen = both(tmp_path, "throughput_gbps,throughput_gbps_relation\n9.4,at_least\n")
    assert run.goodput_bps is None
    assert seen["low"] == pytest.approx(9.4e9, rel=0.01)


def test_directions_of_an_adapter_are_no_roles(tmp_path: Path) -> None:
    run, seen = both(tmp_path, "adapter,direction,mtu_bytes,throughput_gbps\nmine,in,1500,9.41\n")
    assert (run.direction, seen["direction"]) == (None, "in")
