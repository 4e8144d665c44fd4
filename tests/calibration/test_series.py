"""A series of tables of your own, made from known service times, gives these times back."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from netmodel.calibration import calibrated_documents
from netmodel.errors import ParseError
from netmodel.records import register_data, unregister_data

PAYLOADS = {1500: 1448, 9000: 8948}
US_PER_GBIT_OF_S_PER_BYTE = 1e6 * 1e9 / 8
LIMIT_FPS = 300_000
LINE_BPS = 10e9 * 8948 / 9038
CORES, APP_CPUS = 8, 2


class Times(NamedTuple):
    """Of a received frame and byte, and of a message sent. [s]"""

    per_frame_s: float
    per_byte_s: float
    per_message_s: float


TIMES = {
    ("app", 1): Times(1.2e-6, 0.3e-9, 15e-6),
    ("app", 4): Times(1.1e-6, 0.35e-9, 12e-6),
    ("kernel", 1): Times(2.5e-6, 0.1e-9, 30e-6),
    ("kernel", 4): Times(2.2e-6, 0.12e-9, 25e-6),
}

DATASET = """\
title = "Streams and requests in the lab"
source = "lab"
locator = "book 3"
grade = "measured"
tool = "uperf"
side = "{side}"
workloads = ["awm-rr", "str-writex30k"]

[files]
"runs.csv" = "one row for each run"
"machines.csv" = "one row for each machine"

[columns.machine]
meaning = "name of the machine"
unit = "none"

[columns.workload]
meaning = "workload"
unit = "none"

[columns.mtu_bytes]
meaning = "MTU"
unit = "byte"

[columns.connection_count]
meaning = "connections"
unit = "count"

[columns.goodput_gbps]
meaning = "goodput of streams"
unit = "Gbit/s"

[columns.cores_count]
meaning = "cores of the machine"
unit = "count"

[columns.app_cores_count]
meaning = "cores of the application"
unit = "count"
"""
COLUMN = '\n[columns.{name}]\nmeaning = "CPU time"\nunit = "{unit}"\n'
UNITS = {"us_per_gbit": "µs/Gbit", "us_per_transaction": "µs/transaction"}
COSTS = [f"{part}_{unit}" for part in ("total", "app", "kernel") for unit in UNITS]

DECLARED = """\
title = "Lab machine"

[defaults]
source = "lab"
locator = "book 3"
grade = "fitted"
note = "from the tables"

[series]
dataset = "lab-series"
table = "runs"
where = {{ machine = "m1" }}
side = "{side}"
line_rate = "10 Gbit/s"
rate = "goodput_gbps"
cpu_count = {{ file = "machines", key = "machine", column = "cores_count" }}
streams = {{ where = {{ workload = "str-writex30k" }}, total = "total_us_per_gbit" }}
requests = {{ where = {{ workload = "awm-rr" }}, total = "total_us_per_transaction" }}

[[series.parts]]
name = "app"
kind = "application-cpu"
streams = "app_us_per_gbit"
requests = "app_us_per_transaction"
servers = {{ file = "machines", key = "machine", column = "app_cores_count" }}

[[series.parts]]
name = "kernel"
kind = "protocol-cpu"
streams = "kernel_us_per_gbit"
requests = "kernel_us_per_transaction"

[series.frame_limit]
name = "vswitch"
kind = "virtual-switch"
"""


def rows(received_bytes: int, machine: str = "m1") -> Iterator[str]:
    for mtu_bytes, payload_bytes in PAYLOADS.items():
        for count in (1, 4):
            costs = [
                (times.per_frame_s / payload_bytes + times.per_byte_s) * US_PER_GBIT_OF_S_PER_BYTE
                for times in (TIMES["app", count], TIMES["kernel", count])
            ]
            limited_bps = LIMIT_FPS * 8 * payload_bytes if count > 1 else 1e9
            rate = f"{min(limited_bps, LINE_BPS) / 1e9:.6f}"
            cells = ",".join(f"{cost:.6f}," for cost in (sum(costs), *costs))
            yield f"{machine},str-writex30k,{mtu_bytes},{count},{rate},{cells}"
    for count in (1, 4):
        costs = [
            1e6 * (times.per_message_s + times.per_frame_s + times.per_byte_s * received_bytes)
            for times in (TIMES["app", count], TIMES["kernel", count])
        ]
        cells = ",".join(f",{cost:.6f}" for cost in (sum(costs), *costs))
        yield f"{machine},awm-rr,1500,{count},,{cells}"


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "measurements" / "lab-series").mkdir(parents=True)
    (tmp_path / "calibrations" / "paths").mkdir(parents=True)
    register_data(tmp_path)
    yield tmp_path
    unregister_data(tmp_path)


def made(directory: Path, side: str, *more: str, declared: str = DECLARED) -> dict[str, Any]:
    """The record of a series, with these rows besides."""
    data = directory / "measurements" / "lab-series"
    columns = "".join(
        COLUMN.format(name=f"{p}_{u}", unit=t)
        for p in ("total", "app", "kernel")
        for u, t in UNITS.items()
    )
    (data / "dataset.toml").write_text(DATASET.format(side=side) + columns, encoding="utf-8")
    header = f"machine,workload,mtu_bytes,connection_count,goodput_gbps,{','.join(COSTS)}"
    received_bytes = 1000 if side == "client" else 200
    lines = [header, *rows(received_bytes), *more]
    (data / "runs.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    machines = f"machine,cores_count,app_cores_count\nm1,{CORES},{APP_CPUS}\nm2,16,4\n"
    (data / "machines.csv").write_text(machines, encoding="utf-8")
    path = directory / "calibrations" / "paths" / "lab-machine.toml"
    path.write_text(declared.format(side=side), encoding="utf-8")
    return calibrated_documents("paths", ["lab-machine"])["paths", "lab-machine"]


def seconds(text: str) -> float:
    number, unit = text.split()
    return float(number) * {"µs": 1e-6, "ns": 1e-9, "ps": 1e-12}[unit]


@pytest.mark.parametrize("side", ["client", "server"])
def test_known_times_come_back(directory: Path, side: str) -> None:
    app, kernel, switch = made(directory, side)["stages"]
    for name, stage in (("app", app), ("kernel", kernel)):
        assert (stage["name"], stage["side"], stage["incomplete"]) == (name, side, ["out"])
        for received, sent in zip(stage["in"]["at"], stage["out"]["at"], strict=True):
            wanted = TIMES[name, received["connections"]]
            first = received["vertices"][0]
            assert seconds(first["per_frame"]) == pytest.approx(wanted.per_frame_s, rel=1e-6)
            assert seconds(first["per_byte"]) == pytest.approx(wanted.per_byte_s, rel=1e-5)
            assert sent["printed_count"] == 1
            message = sent["vertices"][0]["per_message"]
            assert seconds(message) == pytest.approx(wanted.per_message_s, rel=1e-5)
    assert app["servers"]["value"] == APP_CPUS
    assert "servers" not in kernel
    assert "serial" not in app
    cap = switch["frame_rate_cap"]
    assert float(cap["low"]) <= LIMIT_FPS <= float(cap["high"])
    assert float(cap["low"]) == pytest.approx(LIMIT_FPS, rel=1e-5)
    assert switch["side"] == side
    assert "streams of 4 connections at MTU 1500, which use" in cap["note"]


def test_rows_of_other_machines_do_not_count(directory: Path) -> None:
    alone = made(directory, "client")
    assert made(directory, "client", *rows(100, machine="m2")) == alone


def with_figures(count: int, rate_gbps: str, app_us_per_gbit: str) -> Iterator[str]:
    """Rows of another machine, with a rate and a cost as printed at MTU 1500."""
    for row in rows(1000, machine="m2"):
        cells = row.split(",")
        if cells[1:4] == ["str-writex30k", "1500", str(count)]:
            cells[4], cells[7] = rate_gbps, app_us_per_gbit
        yield ",".join(cells)


M2 = DECLARED.replace('machine = "m1"', 'machine = "m2"')


def test_a_single_stream_that_keeps_more_than_a_cpu_busy_is_not_serial(directory: Path) -> None:
    """At least 9.95 Gbit/s with 100502.5 µs/Gbit is just below one CPU, with 100503.5 above it."""
    for printed, is_serial in (("100503", True), ("100504", False)):
        record = made(directory, "client", *with_figures(1, "10.0", printed), declared=M2)
        app, kernel, _ = record["stages"]
        assert app.get("serial", True) is is_serial
        assert "serial" not in kernel
    record = made(directory, "client", *with_figures(1, "10.0", "110000"), declared=M2)
    assert "a single stream keeps 1.09 CPUs busy: not bound to one of them" in str(record)


def test_streams_that_may_keep_half_the_cpus_busy_show_no_limit_of_frames(directory: Path) -> None:
    """At most 3.55 Gbit/s with 563379.5 µs/Gbit is just below half of 4 CPUs, 563380.5 is not."""
    stages = made(directory, "client", *with_figures(4, "3.5", "563379"), declared=M2)["stages"]
    cap = stages[-1]["frame_rate_cap"]
    ends_fps = [float(cap[end]) for end in ("low", "high")]
    assert ends_fps == pytest.approx([end / (8 * 1448) for end in (3.45e9, 3.55e9)])
    # 3.55 of 10 * 1448 / 1538 Gbit/s, and 2 of 4 CPUs
    assert "which use 38 % of the line and 50 % of the CPUs at most" in cap["note"]
    stages = made(directory, "client", *with_figures(4, "3.5", "563380"), declared=M2)["stages"]
    assert [stage["name"] for stage in stages] == ["app", "kernel"]


def test_figures_that_no_times_give_are_met_nearly_and_one_at_a_time(directory: Path) -> None:
    """
    A frame would take (560 - 59116.56) µs/Gbit over 1/1448 - 1/8948 frames/byte: less than none.

    Without a time of frames, all is of bytes: half of the sum of both figures, or each alone.
    """
    record = made(directory, "client", *with_figures(4, "3.5", "560"), declared=M2)
    assert "a frame would have to take -0.8093 µs with 4 connections" in record["description"]
    _, four = record["stages"][0]["in"]["at"]
    nearest, *alone = four["vertices"]
    assert four["printed_count"] == 1
    assert {point["per_frame"] for point in four["vertices"]} == {"0 ns"}
    large = 59116.56236
    both = (560 + large) / 2 / US_PER_GBIT_OF_S_PER_BYTE
    assert seconds(nearest["per_byte"]) == pytest.approx(both, rel=1e-6)
    found = sorted(seconds(point["per_byte"]) for point in alone)
    expected = [end / US_PER_GBIT_OF_S_PER_BYTE for end in (559.5, 560.5, large)]
    assert found == pytest.approx(expected, rel=1e-6)


def test_a_series_at_a_single_mtu_leaves_the_division_open(directory: Path) -> None:
    declared = DECLARED.replace('machine = "m1"', 'machine = "m1", mtu_bytes = 1500')
    result = made(directory, "client", declared=declared)
    assert "CPU time per frame and per byte: measured at one MTU only" in result["unknown"]
    points = result["stages"][0]["in"]["at"][0]["vertices"]
    assert {"0 ns"} < {time for point in points for time in point.values()}


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('machine = "m1"', 'machine = "m3"', "series: runs: no row has machine m3"),
        ('machine = "m1"', 'machin = "m1"', "series: unknown column of runs 'machin'"),
        ('file = "machines"', 'file = "machine"', "series: unknown table of lab-series 'machine'"),
        ('dataset = "lab-series"', 'dataset = "lab"', "series: unknown dataset 'lab'"),
        ('table = "runs"', 'table = "run"', "series: unknown table of lab-series 'run'"),
        ('locator = "book 3"\n', "", "defaults.locator: a series needs it"),
        ('rate = "goodput_gbps"', 'rat = "goodput_gbps"', "series.rat: is not a known key"),
        (
            'requests = "app_us_per_transaction"\n',
            "",
            "parts.0.requests: belongs to a table requests",
        ),
    ],
)
def test_a_fault_names_the_file_and_its_place(
    directory: Path, old: str, new: str, problem: str
) -> None:
    assert old in DECLARED
    with pytest.raises(ParseError) as caught:
        made(directory, "client", declared=DECLARED.replace(old, new))
    assert "lab-machine.toml: " in str(caught.value)
    assert problem in str(caught.value)


def test_counts_of_cpus_that_differ_between_rows_are_refused(directory: Path) -> None:
    declared = DECLARED.replace('machine = "m1"', 'machine = ["m1", "m2"]')
    more = [row for row in rows(1000, machine="m2") if "awm-rr" in row]
    with pytest.raises(ParseError, match=r"app_cores_count must be the same .* got 2 and 4"):
        made(directory, "client", *more, declared=declared)


@pytest.mark.parametrize(("column", "is_left_out"), [("total", True), ("app", False)])
def test_requests_whose_total_is_flagged_have_no_times(
    directory: Path, column: str, is_left_out: bool
) -> None:
    """Row 5 is the first of the requests: a faulty total leaves their CPU time in doubt."""
    folder = directory / "measurements" / "lab-series"
    flags = "file,row,column,kind,severity,message\n"
    flag = f'runs.csv,5,{column}_us_per_transaction,utilisation,fault,"too many CPUs"\n'
    (folder / "flags.csv").write_text(flags + flag, encoding="utf-8")
    record = made(directory, "client")
    text = "CPU time of requests: its total is flagged as faulty"
    assert (text in record["unknown"]) is is_left_out
    for stage in record["stages"][:2]:
        assert ("out" in stage) is not is_left_out
