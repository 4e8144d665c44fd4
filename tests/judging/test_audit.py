"""Measured tables against themselves: a few rows worked out by hand, and the bundled data."""

import csv
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from judging import made_tables

from netmodel.errors import DomainError, NetmodelError, UnknownRecordError
from netmodel.judging import audit_dataset, audit_table
from netmodel.judging._audit import Audit, Finding, Severity
from netmodel.judging._audit_findings import Suspect
from netmodel.records import Dataset, Grade, Table, data_path, dataset, load_table
from netmodel.records._datasets import (
    CeilingCheck,
    ChangeCheck,
    Check,
    IdentifierCheck,
    LittleCheck,
    Lookup,
    PartsCheck,
    QuantisedCheck,
    UnitCheck,
    UtilisationCheck,
)

Tables = dict[str, str]

PARTS = PartsCheck(file="runs", total="all_ms", parts=("a_ms", "b_ms", "c_ms"))
BUSY = UtilisationCheck(file="runs", rate="rate_tps", cost="cost_ms_per_transaction", cpu_count="n")
WAITING = LittleCheck(file="runs", rate="rate_tps", time="time_ms", connection_count="open_count")
CEILING = CeilingCheck(file="runs", rate="rate_mbps", line_rate="line_gbps", mtu="mtu_bytes")
CHANGE = made_tables.CHANGE.model_copy(update={"change": "change_percent"})
UNIT = UnitCheck(
    file="runs",
    rate="rate_mb_per_s",
    line_rate="line_gbps",
    mtu="mtu_bytes",
    group=("mtu_bytes",),
)
NAMES = IdentifierCheck(file="runs", column="name", group=("bed",))
WHOLE = QuantisedCheck(file="runs", rate="rate_tps", cost="cost_s_per_transaction", group=("bed",))


def made(directory: Path, name: str, text: str) -> Table:
    path = directory / f"{name}.csv"
    path.write_text("\n".join(line.replace(" ", "") for line in text.split("\n")) + "\n", "utf-8")
    return load_table(path)


def audited(directory: Path, check: Check, **texts: str | Table) -> Audit:
    """Audit of CSV files, or tables, of which one check is declared."""
    tables = {
        name: text if isinstance(text, Table) else made(directory, name, text)
        for name, text in texts.items()
    }
    return audit_dataset(
        Dataset(
            id="mine",
            title="my runs",
            source="my notes",
            locator="page 3",
            grade=Grade.MEASURED,
            tables=tables,
            checks=(check,),
        )
    )


def cells(audit: Audit) -> list[tuple[str, int | None, str]]:
    return [(each.file, each.row, each.column) for each in audit]


def only(audit: Audit) -> Finding:
    (finding,) = audit
    return finding


def counted(audit: Audit) -> tuple[int, int]:
    return sum(audit.checked.values()), sum(audit.explained.values())


def rows(header: str, *lines: str) -> str:
    return "\n".join((header, *lines))


def test_parts_may_miss_their_total_by_the_rounding_of_all_of_them(tmp_path: Path) -> None:
    """Three times 0.06 are 0.165 to 0.195; 0.20 may have been 0.195, 0.21 no less than 0.205."""
    audit = audited(
        tmp_path,
        PARTS,
        runs=rows(
            "all_ms,a_ms,b_ms,c_ms",
            "0.18,0.06,0.06,0.06",
            "0.20,0.06,0.06,0.06",
            "0.16,0.06,0.06,0.06",
            "0.21,0.06,0.06,0.06",
            "0.15,0.06,0.06,0.06",
        ),
    )
    assert counted(audit) == (5, 2)
    assert cells(audit) == [("runs.csv", 4, "all_ms"), ("runs.csv", 5, "all_ms")]
    first = next(iter(audit))
    assert (first.kind, first.severity) == ("parts", Severity.FAULT)
    assert (first.printed, first.allowed) == ("0.21", "0.165 to 0.195")
    assert first.message == "0.06 + 0.06 + 0.06 do not add up to 0.21"


def test_more_digits_leave_less_to_rounding(tmp_path: Path) -> None:
    """0.200 is no less than 0.1995, which 0.165 to 0.195 does not reach."""
    header, line = "all_ms,a_ms,b_ms,c_ms", "0.06,0.06,0.06"
    for total, faults in [("0.20", 0), ("0.200", 1), ("0.195", 0), ("0.196", 1)]:
        audit = audited(tmp_path, PARTS, runs=rows(header, f"{total},{line}"))
        assert len(audit.faults) == faults, total


def test_a_cpu_cannot_be_more_than_busy(tmp_path: Path) -> None:
    """1000.95 x 1.995 ms is 1.9969 of 2 CPUs; 999.95 x 2.005 ms is 2.0049."""
    audit = audited(
        tmp_path,
        BUSY.model_copy(update={"cpu_count": "cpu_count"}),
        runs=rows(
            "rate_tps,cost_ms_per_transaction,cpu_count",
            "1000.0,1.90,2",
            "1001.0,2.00,2",
            "1000.0,2.01,2",
            "1000.0,2.01,3",
        ),
    )
    assert counted(audit) == (4, 1)
    finding = only(audit)
    assert (finding.kind, finding.row, finding.column) == (
        "utilisation",
        3,
        "cost_ms_per_transaction",
    )
    assert (finding.printed, finding.allowed) == ("1000.0 x 2.01", "at most 2 CPUs")
    assert finding.message.startswith("2.005 to 2.015 CPUs would be busy")


def test_the_number_of_cpus_may_stand_in_another_file(tmp_path: Path) -> None:
    """1000.0 x 2.01 ms is more than the 2 CPUs of bed a, and less than the 3 of bed b."""
    check = BUSY.model_copy(
        update={"cpu_count": Lookup(file="beds", key="bed", column="cpu_count")}
    )
    header = "bed,rate_tps,cost_ms_per_transaction"
    runs = rows(header, "b,1000.0,2.01", "a,1000.0,2.01", "unknown,1000.0,2.01")
    audit = audited(tmp_path, check, runs=runs, beds=rows("bed,cpu_count", "a,2", "b,3"))
    assert cells(audit) == [("runs.csv", 2, "cost_ms_per_transaction")]
    assert counted(audit) == (2, 0)


@pytest.mark.parametrize(
    ("rate", "cost", "busy_cpus"),
    [
        ("rate_mbps,8000", "cost_us_per_gbit,125000", 1),
        ("rate_gbps,8.000", "cost_us_per_gbit,125000", 1),
        ("rate_mb_per_s,100.00", "cost_ms_per_mb,10.000", 1),
        ("rate_mib_per_s,100.00", "cost_ms_per_mb,10.000", 1.048576),
        ("rate_mb_per_s,100.00", "cost_ms_per_mib,10.000", 1 / 1.048576),
        ("rate_tps,2000.0", "cost_us_per_transaction,500.00", 1),
    ],
)
def test_units_that_multiply_to_cpus(
    tmp_path: Path, rate: str, cost: str, busy_cpus: float
) -> None:
    """8 Gbit/s at 125 000 µs for each keep one CPU busy, 100 MiB/s at 10 ms/MB 1.0486."""
    (rate_name, rate_cell), (cost_name, cost_cell) = rate.split(","), cost.split(",")
    check = UtilisationCheck(file="runs", rate=rate_name, cost=cost_name, cpu_count="cpu_count")
    for share, faults in [(0.998, 1), (1.002, 0)]:
        line = f"{rate_cell},{cost_cell},{busy_cpus * share:.6f}"
        runs = rows(f"{rate_name},{cost_name},cpu_count", line)
        assert len(audited(tmp_path, check, runs=runs).faults) == faults


@pytest.mark.parametrize("unit", ["µs/transaction", "us/transaction"])
@pytest.mark.parametrize(("cpu_count", "faults"), [("0.998", 1), ("1.002", 0)])
def test_microseconds_are_spelled_either_way(
    tmp_path: Path, unit: str, cpu_count: str, faults: int
) -> None:
    """2000/s at 500 µs each keep one CPU busy."""
    cost = "cost_us_per_transaction"
    check = UtilisationCheck(file="runs", rate="rate_tps", cost=cost, cpu_count="cpu_count")
    text = rows(f"rate_tps,{cost},cpu_count", f"2000.0,500.00,{cpu_count}")
    table = made(tmp_path, "runs", text)
    columns = [
        each.model_copy(update={"unit": unit}) if each.name == cost else each
        for each in table.columns
    ]
    audit = audited(tmp_path, check, runs=replace(table, columns=tuple(columns)))
    assert len(audit.faults) == faults


@pytest.mark.parametrize(
    ("part", "severity"), [("0.090", Severity.NOTE), ("0.050", Severity.FAULT)]
)
def test_a_sum_may_be_off_by_half_a_percent_of_the_cpus_for_each_figure(
    tmp_path: Path, part: str, severity: Severity
) -> None:
    """At 1000 transactions per second a percent of one CPU is 0.01 ms of each."""
    names = [f"{name}_ms_per_transaction" for name in ("all", "a", "b", "c")]
    check = PartsCheck(
        file="runs", total=names[0], parts=tuple(names[1:]), rate="rate_tps", cpu_count="cpu_count"
    )
    header = ",".join([*names, "rate_tps", "cpu_count"])
    finding = only(audited(tmp_path, check, runs=rows(header, f"0.300,0.100,0.100,{part},1000,1")))
    assert finding.severity is severity


def test_no_more_transactions_wait_than_there_are_connections(tmp_path: Path) -> None:
    """1000.95/s x 9.95 ms is 9.959 transactions; 999.95/s x 10.05 ms is 10.049."""
    header = "rate_tps,time_ms,open_count"
    audit = audited(
        tmp_path,
        WAITING,
        runs=rows(header, "1000.0,9.0,10", "1001.0,10.0,10", "1000.0,10.1,10", "1000.0,10.1,11"),
    )
    assert counted(audit) == (4, 1)
    finding = only(audit)
    assert (finding.kind, finding.row, finding.column) == ("littles_law", 3, "time_ms")
    assert (finding.printed, finding.allowed) == ("1000.0 x 10.1", "at most 10 connections")


def test_no_rate_is_above_its_line(tmp_path: Path) -> None:
    """1460 of 1538 byte of 1 Gbit/s are 949.285 Mbit/s; 949.3 may be 949.25, 949.4 not."""
    header = "rate_mbps,line_gbps,mtu_bytes"
    audit = audited(
        tmp_path,
        CEILING,
        runs=rows(header, "949.0,1,1500", "949.3,1,1500", "949.4,1,1500", "949.4,2.5,1500"),
    )
    assert counted(audit) == (4, 1)
    finding = only(audit)
    assert (finding.kind, finding.row, finding.column) == ("ceiling", 3, "rate_mbps")
    assert (finding.printed, finding.allowed) == ("949.4", "at most 949.285")


@pytest.mark.parametrize(
    ("rate", "line"),
    [
        ("rate_bps,{}0000", "line_gbps,1"),
        ("rate_mbps,{}.00", "line_bps,1000000000"),
        ("rate_gbps,0.{}00", "line_mbps,1000"),
    ],
)
def test_rates_are_held_against_the_line_in_any_unit(tmp_path: Path, rate: str, line: str) -> None:
    """1460 of 1538 byte of 1 Gbit/s are 949.285 Mbit/s."""
    (rate_name, cell), (line_name, line_cell) = rate.split(","), line.split(",")
    check = CeilingCheck(file="runs", rate=rate_name, line_rate=line_name, mtu="mtu_bytes")
    digits = ("94900", "95000") if cell.endswith("0000") else ("949", "950")
    lines = [f"{cell.format(each)},{line_cell},1500" for each in digits]
    audit = audited(tmp_path, check, runs=rows(f"{rate_name},{line_name},mtu_bytes", *lines))
    assert [each.row for each in audit.faults] == [2]


CHANGED = rows("load,mode,x_tps", "1,old,100", "1,new,110", "2,old,100", "2,new,")


@pytest.mark.parametrize(
    ("printed", "faults", "explained"),
    [("10", 0, 0), ("9", 0, 1), ("11", 0, 1), ("8", 1, 0), ("12", 1, 0), ("-10", 1, 0)],
)
def test_a_printed_change_follows_from_the_figures(
    tmp_path: Path, printed: str, faults: int, explained: int
) -> None:
    """109.5 over 100.5 is +8.96 %, 110.5 over 99.5 +11.06 %: 9 and 11 may be, 8 and 12 not."""
    changes = rows("load,of,change_percent", f"1,x_tps,{printed}")
    audit = audited(tmp_path, CHANGE, runs=CHANGED, changes=changes)
    assert (len(audit.faults), *counted(audit)) == (faults, 1, explained)
    for finding in audit:
        assert (finding.kind, finding.file) == ("change", "changes.csv")
        assert (finding.row, finding.column) == (1, "change_percent")
        assert (finding.printed, finding.allowed) == (f"{printed} %", "8.955 to 11.06 %")
        assert finding.message == "x_tps from 100 to 110 is +10.0 %"


def test_only_the_changes_that_are_meant_are_compared(tmp_path: Path) -> None:
    """Of five changes by 50 % that are none, one is of the right kind and version."""
    changes = rows(
        "load,of,kind,version,change_percent",
        "1,x_tps,other,v1,50",
        "1,x_tps,mode,v2,50",
        "1,x_tps,mode,v1,50",
        "3,x_tps,mode,v1,50",
        "2,x_tps,mode,v1,50",
    )
    loads = rows("load,version", "1,v1", "2,v1", "3,v1")
    check = CHANGE.model_copy(
        update={
            "where": {"kind": "mode"},
            "matches": Lookup(file="loads", key="load", column="version"),
        }
    )
    audit = audited(tmp_path, check, runs=CHANGED, changes=changes, loads=loads)
    assert cells(audit) == [("changes.csv", 3, "change_percent")]
    assert counted(audit) == (1, 0)


def test_a_change_that_is_not_printed_is_neither_checked_nor_explained(tmp_path: Path) -> None:
    changes = rows("load,of,change_percent", "1,x_tps,")
    audit = audited(tmp_path, CHANGE, runs=CHANGED, changes=changes)
    assert (cells(audit), *counted(audit)) == ([], 0, 0)


@pytest.mark.parametrize("before", ["0", "0.0"])
def test_a_change_from_what_was_rounded_to_nothing_may_be_any_large_increase(
    tmp_path: Path, before: str
) -> None:
    """From at most 0.5 to at least 6.5 is 13 times as much, from at most 0.05 130 times."""
    runs = rows("load,mode,x_tps", f"1,old,{before}", "1,new,7")
    changes = rows("load,of,change_percent", "1,x_tps,20000")
    assert not audited(tmp_path, CHANGE, runs=runs, changes=changes).faults


FULL_LINE = rows(
    "rate_mb_per_s,line_gbps,mtu_bytes",
    "54.5,1,1492",
    "112.1,1,1492",
    "112.0,1,1492",
    "64.7,1,8992",
    "118.0,1,8992",
    "118.0,1,8992",
)


def test_the_unit_that_fills_the_line_is_named(tmp_path: Path) -> None:
    """1440 of 1530 byte at 1 Gbit/s are 112.197 MiB/s or 117.647 MB/s, 8940 of 9030 118.021."""
    audit = audited(tmp_path, UNIT, runs=FULL_LINE)
    finding = only(audit)
    assert (finding.kind, finding.severity, finding.row) == ("unit", Severity.NOTE, None)
    assert (finding.column, finding.printed) == ("rate_mb_per_s", "MB/s")
    assert finding.allowed == "MB of 1048576 byte with TCP timestamps"
    assert "2 plateaus" in finding.message
    assert audit.checked["unit"] == 8
    assert not audit.faults


def test_the_line_of_another_reading_is_that_of_the_very_mtu(tmp_path: Path) -> None:
    """112.0595 MB/s are 0.952506 of 1440 / 1530 Gbit/s, and 0.952467 of an MTU of one byte more."""
    lines = ("112.060,1,1492", "112.060,1,1492")
    runs = rows("rate_mb_per_s,line_gbps,mtu_bytes", *lines)
    message = only(audited(tmp_path, UNIT, runs=runs)).message
    assert "and MB of 1000000 byte with TCP timestamps would fill 0.953 to 0.953" in message


def test_rates_that_no_unit_brings_to_the_line(tmp_path: Path) -> None:
    audit = audited(tmp_path, UNIT, runs=FULL_LINE.replace("11", "10"))
    assert only(audit).allowed == "no reading"


def test_rates_that_met_no_limit_show_no_unit(tmp_path: Path) -> None:
    """Rates that differ by a half have not met the same limit."""
    runs = rows("rate_mb_per_s,line_gbps,mtu_bytes", "54.5,1,1492", "112.1,1,1492")
    audit = audited(tmp_path, UNIT, runs=runs)
    assert (cells(audit), *counted(audit)) == ([], 0, 0)


def test_each_row_has_a_name_of_its_own(tmp_path: Path) -> None:
    runs = rows("bed,name", "a,r01", "a,r02", "a,", "b,r01", "b,", "b,r03")
    audit = audited(tmp_path, NAMES, runs=runs)
    finding = only(audit)
    assert (finding.kind, finding.severity) == ("identifier", Severity.FAULT)
    assert (finding.file, finding.row, finding.column) == ("runs.csv", 4, "name")
    assert (finding.printed, finding.allowed) == ("r01", "a unique name")
    assert "line 2" in finding.message
    assert counted(audit) == (4, 0)


def test_a_name_unlike_the_others_of_its_group_is_noted(tmp_path: Path) -> None:
    """Two of three names are a letter and two digits; of two names none is the odd one."""
    runs = rows("bed,name", "a,r01", "a,ro2", "a,r03", "b,r04", "b,rx5")
    finding = only(audited(tmp_path, NAMES, runs=runs))
    assert (finding.kind, finding.severity) == ("identifier", Severity.NOTE)
    assert (finding.row, finding.printed) == (2, "ro2")
    assert finding.allowed.startswith("a99")


PER_CENTS = ["7,0.0143", "7,0.0286", "7,0.0429", "7,0.0571", "7,0.0714", "7,0.0857"]


def costs(*lines: str, bed: str = "z") -> str:
    return rows("bed,rate_tps,cost_s_per_transaction", *(f"{bed},{line}" for line in lines))


def test_costs_that_are_whole_per_cents_of_a_cpu_are_noted(tmp_path: Path) -> None:
    """7/s at 0.0143 s are 10.01 %, 10 within 0.035; by chance 0.07 each, of six 1 in 8 million."""
    audit = audited(tmp_path, WHOLE, runs=costs(*PER_CENTS))
    finding = only(audit)
    assert (finding.kind, finding.severity, finding.row) == ("quantised", Severity.NOTE, None)
    assert finding.column == "cost_s_per_transaction"
    assert finding.printed.startswith("10.01, 20.02, 30.03, 39.97 %")
    assert counted(audit) == (1, 0)


def test_a_cost_at_the_edge_of_its_rounding_is_whole(tmp_path: Path) -> None:
    """0.8/s at 0.012 or 0.013 s are 0.96 or 1.04 %, each 0.04 more or less: 1 just is within."""
    digits = ("012", "013", "037", "038", "062", "063")
    edges = costs(*(f"0.8,0.{each}" for each in digits))
    assert only(audited(tmp_path, WHOLE, runs=edges)).printed.startswith("0.96, 1.04, 2.96, 3.04 %")
    beyond = costs(*(f"0.8,0.{each}" for each in (*digits[:5], "064")))
    assert not list(audited(tmp_path, WHOLE, runs=beyond))


def test_costs_may_be_whole_per_cents_of_all_cpus(tmp_path: Path) -> None:
    """7/s at 0.0286 s are 20.02 % of a CPU, and 10.01 % of two."""
    check = WHOLE.model_copy(update={"cpu_count": "cpu_count"})
    odd = ("0.0157", "0.0300", "0.0443", "0.0586", "0.0729", "0.0871")
    lines = [f"z,7,{cost},2" for cost in odd]
    header = "bed,rate_tps,cost_s_per_transaction,cpu_count"
    alone = only(audited(tmp_path, check, runs=rows(header, *lines)))
    assert "a whole percent of a CPU in all 6 rows" in alone.message, "5.5 % of two"
    lines = [f"z,7,{cost},2" for cost in ("0.0286", "0.0571", "0.0857", "0.1143", "0.1429")]
    both = only(audited(tmp_path, check, runs=rows(header, *lines, "z,7,0.1714,2")))
    assert "a whole percent of all CPUs in all 6 rows" in both.message
    assert both.printed.startswith("10.01, ")


@pytest.mark.parametrize(
    "lines",
    [
        PER_CENTS[:5],  # chance alone makes 0.07 ^ 5 = 1.7e-6
        [*PER_CENTS[:5], "7,0.0510"],  # 35.70 %
        ["7,", ",0.0143", *PER_CENTS[:5]],
    ],
)
def test_costs_that_chance_or_measurement_makes_are_not(tmp_path: Path, lines: list[str]) -> None:
    assert not list(audited(tmp_path, WHOLE, runs=costs(*lines)))


def test_many_costs_that_are_whole_per_cents_are_noted_too(tmp_path: Path) -> None:
    """The chance of 400 rows, 0.07 ^ 400, is below the smallest binary fraction."""
    assert only(audited(tmp_path, WHOLE, runs=costs(*PER_CENTS[:4] * 100))).kind == "quantised"


def test_a_rate_of_nothing_shows_nothing_of_its_cost(tmp_path: Path) -> None:
    assert not list(audited(tmp_path, WHOLE, runs=costs("0,0.0143", *PER_CENTS[:2])))


@pytest.mark.parametrize(
    ("check", "runs"),
    [
        (PARTS, rows("all_ms,a_ms,b_ms,c_ms", ",9,9,9", "1,,9,9", "1,9,9,")),
        (
            BUSY.model_copy(update={"cpu_count": "cpu_count"}),
            rows("rate_tps,cost_ms_per_transaction,cpu_count", ",9,1", "9e9,,1", "9e9,9,"),
        ),
        (WAITING, rows("rate_tps,time_ms,open_count", ",9,1", "9e9,,1", "9e9,9,")),
        (CEILING, rows("rate_mbps,line_gbps,mtu_bytes", ",1,1500", "9e9,,1500", "9e9,1,")),
        (NAMES, rows("bed,name", "a,", "a,", "a,")),
        (WHOLE, rows("bed,rate_tps,cost_s_per_transaction", "a,,1", "a,1,", "a,,")),
        (UNIT, rows("rate_mb_per_s,line_gbps,mtu_bytes", ",1,1492", ",1,1492")),
        (UNIT, rows("rate_mb_per_s,line_gbps,mtu_bytes", "112.1,1,", "112.1,1,", "112.0,1,")),
        (UNIT, rows("rate_mb_per_s,line_gbps,mtu_bytes", "112.1,,1492", "112.1,,1492")),
    ],
)
def test_what_is_not_printed_is_not_checked(tmp_path: Path, check: Check, runs: str) -> None:
    audit = audited(tmp_path, check, runs=runs)
    assert (cells(audit), *counted(audit)) == ([], 0, 0)


@pytest.mark.parametrize(
    ("check", "runs", "words"),
    [
        (
            UtilisationCheck(
                file="runs", rate="x_mb_per_s", cost="y_s_per_transaction", cpu_count="n_count"
            ),
            "x_mb_per_s,y_s_per_transaction,n_count",
            r"x_mb_per_s \[MB/s\] times y_s_per_transaction \[s/transaction\] is not a number of",
        ),
        (
            UtilisationCheck(file="runs", rate="x_tps", cost="y_ms_per_mb", cpu_count="n_count"),
            "x_tps,y_ms_per_mb,n_count",
            "is not a number of CPUs",
        ),
        (
            QuantisedCheck(file="runs", rate="x_tps", cost="y_ms", group=()),
            "x_tps,y_ms",
            "is not a number of CPUs",
        ),
        (
            LittleCheck(file="runs", rate="x_tps", time="y_bytes", connection_count="n_count"),
            "x_tps,y_bytes,n_count",
            "y_bytes: unit byte is not one of s, ms",
        ),
        (
            LittleCheck(file="runs", rate="x_bytes", time="y_s", connection_count="n_count"),
            "x_bytes,y_s,n_count",
            "x_bytes",
        ),
        (
            CeilingCheck(file="runs", rate="x_mb_per_s", line_rate="l_gbps", mtu="m_bytes"),
            "x_mb_per_s,l_gbps,m_bytes",
            "x_mb_per_s: unit MB/s is not one of bit/s",
        ),
        (
            PartsCheck(file="runs", total="x_ms", parts=("y_us", "z_us")),
            "x_ms,y_us,z_us",
            "y_us",
        ),
        (
            PartsCheck(file="runs", total="x_ms", parts=("name",)),
            "x_ms,name",
            "name of runs is text",
        ),
    ],
)
def test_units_that_do_not_go_together_are_refused(
    tmp_path: Path, check: Check, runs: str, words: str
) -> None:
    line = ",".join("1" for _ in runs.split(","))
    with pytest.raises(DomainError, match=words):
        audited(tmp_path, check, runs=rows(runs, line, line, line))


COMPLETE: dict[str, tuple[Check, Tables]] = {
    "parts": (PARTS, {"runs": rows("all_ms,a_ms,b_ms,c_ms", "3,1,1,1")}),
    "utilisation": (
        BUSY.model_copy(update={"cpu_count": Lookup(file="beds", key="bed", column="cpu_count")}),
        {
            "runs": rows("bed,rate_tps,cost_ms_per_transaction", "a,1,1"),
            "beds": rows("bed,cpu_count", "a,1"),
        },
    ),
    "littles_law": (WAITING, {"runs": rows("rate_tps,time_ms,open_count", "1,1,1")}),
    "ceiling": (CEILING, {"runs": rows("rate_mbps,line_gbps,mtu_bytes", "1,1,1500")}),
    "change": (
        CHANGE.model_copy(
            update={
                "where": {"kind": "mode"},
                "matches": Lookup(file="loads", key="load", column="version"),
            }
        ),
        {
            "runs": CHANGED,
            "changes": rows("load,of,kind,version,change_percent", "1,x_tps,mode,v1,10"),
            "loads": rows("load,version", "1,v1"),
        },
    ),
    "unit": (UNIT, {"runs": FULL_LINE}),
    "identifier": (NAMES, {"runs": rows("bed,name", "a,r1", "a,r2", "a,r3")}),
    "quantised": (WHOLE, {"runs": costs(*PER_CENTS)}),
}


@pytest.mark.parametrize("kind", COMPLETE)
def test_the_complete_tables_are_checked(tmp_path: Path, kind: str) -> None:
    check, texts = COMPLETE[kind]
    audit = audited(tmp_path, check, **texts)
    assert audit.checked[kind] > 0
    assert not audit.faults
    assert audit.name == "mine"


MISSING_COLUMNS = [
    (kind, table, column)
    for kind, (_, texts) in COMPLETE.items()
    for table, text in texts.items()
    for column in text.split("\n")[0].split(",")
]


@pytest.mark.parametrize(("kind", "table", "column"), MISSING_COLUMNS)
def test_a_column_that_there_is_not_is_named(
    tmp_path: Path, kind: str, table: str, column: str
) -> None:
    check, texts = COMPLETE[kind]
    header, *lines = texts[table].split("\n")
    names = ",".join("lost" if name == column else name for name in header.split(","))
    with pytest.raises(UnknownRecordError, match=column):
        audited(tmp_path, check, **texts | {table: rows(names, *lines)})


@pytest.mark.parametrize(
    ("kind", "table"), [(kind, table) for kind, (_, texts) in COMPLETE.items() for table in texts]
)
def test_a_file_that_there_is_not_is_named(tmp_path: Path, kind: str, table: str) -> None:
    check, texts = COMPLETE[kind]
    with pytest.raises(NetmodelError, match=table):
        audited(tmp_path, check, **{name: text for name, text in texts.items() if name != table})


OWN = "transaction_rate_tps,cpu_s_per_transaction,cpu_count,transaction_time_s,connection_count"
OWN_STREAM = "run_id,throughput_bps,cpu_us_per_gbit,cpu_count,line_rate_bps,mtu_bytes"


def test_the_names_of_columns_show_which_laws_apply(tmp_path: Path) -> None:
    """1100.0/s x 0.0010 s are 1.04 CPUs or more; x 0.0100 s 10.9 transactions or more."""
    audit = audit_table(made(tmp_path, "own", rows(OWN, "1100.0,0.0010,1,0.0100,10")))
    assert [(each.kind, each.file, each.row) for each in audit] == [
        ("utilisation", "own.csv", 1),
        ("littles_law", "own.csv", 1),
    ]
    assert audit.name == "own.csv"
    assert audit.checked == Counter(utilisation=1, littles_law=1)


def test_streams_have_a_line_and_run_ids(tmp_path: Path) -> None:
    """949.3 Mbit/s are above 949.285; at 2.00 s for a Gbit 1.9 CPUs are busy, where one is."""
    lines = ["r1,949300000,2000000,1,1000000000,1500", "r1,949200000,1000,1,1000000000,1500"]
    audit = audit_table(made(tmp_path, "own", rows(OWN_STREAM, *lines)))
    assert [(each.kind, each.row, each.column) for each in audit] == [
        ("utilisation", 1, "cpu_us_per_gbit"),
        ("ceiling", 1, "throughput_bps"),
        ("identifier", 2, "run_id"),
    ]


def test_rows_that_were_chosen_keep_their_numbers(tmp_path: Path) -> None:
    lines = ["1.0,0.0010,1,0.0100,9", "1100.0,0.0010,1,0.0010,10"]
    table = made(tmp_path, "own", rows(OWN, *lines)).where(connection_count=10)
    assert only(audit_table(table)).row == 2


@pytest.mark.parametrize("header", ["throughput_bps,cpu_count", "a,b", "transaction_rate_tps"])
def test_columns_that_no_law_connects_are_refused(tmp_path: Path, header: str) -> None:
    line = ",".join("1" for _ in header.split(","))
    table = made(tmp_path, "own", rows(header, line))
    with pytest.raises(DomainError):
        audit_table(table)


def test_a_suspect_shows_its_place_and_what_the_others_allow() -> None:
    suspect = Suspect("slide 2", "changes.csv", 3, "change", "54 %", "40 to 50 %", True)
    assert suspect.to_dict() == {
        "place": "slide 2",
        "file": "changes.csv",
        "row": 3,
        "column": "change",
        "printed": "54 %",
        "allowed": "40 to 50 %",
        "confirmed": True,
    }


@pytest.mark.parametrize(
    ("confirmed", "notes"),
    [
        ([(False, False)], ("1 finding has several suspects: any of them may be the wrong one",)),
        (
            [(False, False)] * 2,
            ("2 findings have several suspects: any of them may be the wrong one",),
        ),
        ([(False, True), (False,)], ()),
    ],
)
def test_findings_with_several_suspects_are_counted(
    confirmed: list[tuple[bool, ...]], notes: tuple[str, ...]
) -> None:
    """What the figures that it was computed from confirm is no suspect."""
    findings = [
        Finding(
            **dict.fromkeys(("dataset", "column", "place", "kind", "printed", "allowed"), "any"),
            severity=Severity.FAULT,
            message="they contradict each other",
            suspects=tuple(Suspect("page 1", "", None, "any", "1", "2", each) for each in own),
        )
        for own in confirmed
    ]
    assert Audit("mine", tuple(findings)).notes == notes


def test_a_finding_shows_its_place_and_itself(tmp_path: Path) -> None:
    runs = rows("all_ms,a_ms,b_ms,c_ms", "0.21,0.06,0.06,0.06")
    finding = only(audited(tmp_path, PARTS, runs=runs))
    assert finding.location == "runs.csv row 1 all_ms"
    assert finding.to_dict() == {
        "dataset": "mine",
        "place": "runs.csv line 2, all_ms",
        "location": "runs.csv row 1 all_ms",
        "line": 2,
        "suspects": [],
        "file": "runs.csv",
        "row": 1,
        "column": "all_ms",
        "kind": "parts",
        "severity": "fault",
        "printed": "0.21",
        "allowed": "0.165 to 0.195",
        "message": "0.06 + 0.06 + 0.06 do not add up to 0.21",
    }


@pytest.mark.parametrize(
    ("check", "runs"),
    [
        (
            BUSY.model_copy(update={"cpu_count": "cpu_count"}),
            rows("rate_tps,cost_ms_per_transaction,cpu_count", "1000,1.999,2"),
        ),
        (WAITING, rows("rate_tps,time_ms,open_count", "999.0,10.0,10")),
        (CEILING, rows("rate_mbps,line_gbps,mtu_bytes", "949,1,1500")),
    ],
)
def test_what_agrees_as_printed_needs_no_explanation(
    tmp_path: Path, check: Check, runs: str
) -> None:
    """1.999 of 2 CPUs, 9.99 of 10 connections, 949 of 949.285 Mbit/s."""
    assert counted(audited(tmp_path, check, runs=runs)) == (1, 0)


M = "measurements"
ODD_IDS = [45, 57]
QUANTISED = ["total_cpu_ms_per_mb", "emulation_cpu_ms_per_mb", "cp_cpu_ms_per_mb"]
BUNDLED: list[tuple[str, str, int | None, str]] = [
    ("parts", "measurements.csv", 45, "total_cpu_ms_per_transaction"),
    ("parts", "measurements.csv", 54, "total_cpu_ms_per_mb"),
    ("parts", "measurements.csv", 57, "total_cpu_ms_per_mb"),
    *(
        ("utilisation", "measurements.csv", row, "total_cpu_ms_per_transaction")
        for row in (38, 39, 40, 41, 42, 43, 44, 47, 48, 49, 50, 51, 52)
    ),
    ("change", "differences.csv", 210, "difference_percent"),
    *(
        ("identifier", "measurements.csv", row, "run_id")
        for row in (22, 23, 24, 28, 29, 30, 34, 35, 36)
    ),
    *(("identifier", "measurements.csv", row, "run_id") for row in ODD_IDS),
    ("unit", "measurements.csv", None, "data_rate_mb_per_s"),
    *(("quantised", "measurements.csv", None, column) for column in QUANTISED),
]
RATES = {"transaction": "transaction_rate_tps", "mb": "data_rate_mb_per_s"}


def of_rate(per: str, *parts: str) -> list[str]:
    return [f"{part}_cpu_ms_per_{per}" for part in parts]


def bundled_checks() -> tuple[Check, ...]:
    """All laws that the columns of the bundled tables allow to test."""
    checks: list[Check] = []
    cpus = Lookup(file="footers", key="table", column="cpu_count")
    for per, rate in RATES.items():
        (total, *parts) = of_rate(per, "total", "emulation", "cp")
        message: dict[str, Any] = {"file": M, "rate": rate}
        checks += [
            PartsCheck(file=M, total=total, parts=tuple(parts)),
            UtilisationCheck(**message, cost=total, cpu_count=cpus),
            *(QuantisedCheck(**message, cost=cost, group=("table",)) for cost in (total, *parts)),
        ]
    change = ChangeCheck(
        file="differences",
        change="difference_percent",
        quantity="quantity",
        figures=M,
        keys=("table", "connection_count"),
        compared="layer",
        before="3",
        after="2",
        where={"comparison": "layer3-to-layer2"},
        matches=Lookup(file="tables", key="table", column="hypervisor_level"),
    )
    unit = UnitCheck(
        file=M,
        rate="data_rate_mb_per_s",
        line_rate="link_rate_gbps",
        mtu="mtu_bytes",
        group=("table",),
    )
    return (
        *checks,
        change,
        unit,
        IdentifierCheck(file=M, column="run_id", group=("table", "layer")),
    )


def listed(audit: Audit) -> Counter[tuple[str, str, int | None, str]]:
    return Counter((each.kind, each.file, each.row, each.column) for each in audit)


@pytest.fixture(scope="module")
def comparison() -> Audit:
    message = dataset("zvm-layer2-layer3")
    return audit_dataset(message.model_copy(update={"checks": bundled_checks()}))


def test_all_laws_find_in_the_bundled_tables_what_is_listed(comparison: Audit) -> None:
    assert listed(comparison) == Counter(BUNDLED)
    notes = [each for each in comparison if each.severity is Severity.NOTE]
    assert {(each.kind, each.row) for each in notes} == {
        ("unit", None),
        ("quantised", None),
        *(("identifier", row) for row in ODD_IDS),
    }
    whole = [each for each in notes if each.kind == "quantised"]
    assert all(each.place.startswith("table 12, ") for each in whole)


def test_the_bundled_dataset_declares_all_laws_itself(comparison: Audit) -> None:
    audit = audit_dataset(dataset("zvm-layer2-layer3"))
    apart = [each for each in audit if each.kind == "changes_agree"]
    assert listed(audit) == Counter(BUNDLED) + Counter(listed(Audit("", tuple(apart))))
    assert len(audit.faults) == 23 + len(apart)


def test_the_megabyte_of_the_bundled_tables(comparison: Audit) -> None:
    (unit,) = [each for each in comparison if each.kind == "unit"]
    assert unit.allowed == "MB of 1048576 byte with TCP timestamps"


def printed(name: str) -> list[dict[str, str]]:
    path = data_path("measurements", "zvm-layer2-layer3", f"{name}.csv")
    return list(csv.DictReader(path.read_text("utf-8").splitlines()))


def ends(cell: str) -> tuple[Decimal, Decimal]:
    """What a printed figure may have been."""
    half = Decimal(5).scaleb(int(Decimal(cell).as_tuple().exponent) - 1)
    return Decimal(cell) - half, Decimal(cell) + half


RUNS = list(enumerate(printed(M), start=1))


def rows_listed(kind: str, severity: str = "") -> set[int | None]:
    return {row for result, _, row, _ in BUNDLED if result == kind}


def test_the_bundled_parts_by_exact_decimals() -> None:
    apart = set()
    for row, run in RUNS:
        per = "transaction" if run["transaction_rate_tps"] else "mb"
        total, *parts = (ends(run[name]) for name in of_rate(per, "total", "emulation", "cp"))
        low, high = sum(low for low, _ in parts), sum(high for _, high in parts)
        if total[0] > high or total[1] < low:
            apart.add(row)
    assert apart == rows_listed("parts")


def test_the_bundled_utilisation_by_exact_decimals() -> None:
    cpus = {footer["table"]: int(footer["cpu_count"]) for footer in printed("footers")}
    beyond = set()
    for row, run in RUNS:
        for per, rate in RATES.items():
            if run[rate]:
                cost = run[f"total_cpu_ms_per_{per}"]
                if ends(run[rate])[0] * ends(cost)[0] / 1000 > cpus[run["table"]]:
                    beyond.add(row)
    assert beyond == rows_listed("utilisation")


def test_the_bundled_changes_by_exact_decimals() -> None:
    level = {message["table"]: message["hypervisor_level"] for message in printed("tables")}
    figures = {(run["table"], run["connection_count"], run["layer"]): run for _, run in RUNS}
    apart, compared = set(), 0
    for row, message in enumerate(printed("differences"), start=1):
        if message["comparison"] != "layer3-to-layer2":
            continue
        if message["hypervisor_level"] != level[message["table"]]:
            continue
        key, quantity = (message["table"], message["connection_count"]), message["quantity"]
        before, after = (ends(figures[*key, layer][quantity]) for layer in ("3", "2"))
        low, high = ends(message["difference_percent"])
        compared += 1
        if low > 100 * (after[1] / before[0] - 1) or high < 100 * (after[0] / before[1] - 1):
            apart.add(row)
    assert apart == rows_listed("change")
    assert compared == 120


def test_as_much_of_the_bundled_tables_is_checked_as_there_is(comparison: Audit) -> None:
    checked = comparison.checked
    assert {kind: checked[kind] for kind in ("parts", "utilisation", "change", "identifier")} == {
        "parts": 60,
        "utilisation": 60,
        "change": 120,
        "identifier": 60,
    }


def test_the_bundled_run_ids_by_hand() -> None:
    first: dict[str, int] = {}
    again = set()
    for row, run in RUNS:
        if first.setdefault(run["run_id"], row) != row:
            again.add(row)
    odd = {row for row, run in RUNS if run["run_id"] in ("ro2001", "so2001")}
    assert again | odd == rows_listed("identifier")
    assert (len(again), odd) == (9, set(ODD_IDS))


def test_the_bundled_plateaus_fill_the_line_in_mebibytes_alone() -> None:
    """112.0 to 112.1 and 118.0 against 1440 of 1530 and 8940 of 9030 byte of 1 Gbit/s."""
    top: dict[str, set[Decimal]] = {}
    for _, run in RUNS:
        if run["path"] == "zvm-direct-osa" and run["link_rate_gbps"] == "1":
            top.setdefault(run["mtu_bytes"], set()).add(Decimal(run["data_rate_mb_per_s"] or 0))
    for mtu, payload, frame in [("1492", 1440, 1530), ("8992", 8940, 9030)]:
        line = Decimal(payload) / frame * 10**9 / 8
        mebibytes, megabytes = (max(top[mtu]) * size / line for size in (2**20, 10**6))
        assert Decimal("0.999") < mebibytes < 1
        assert megabytes < Decimal("0.96")


def test_the_bundled_costs_of_table_12_are_whole_per_cents() -> None:
    for column in QUANTISED:
        for _, run in RUNS:
            if run["table"] == "12":
                rate = Decimal(run["data_rate_mb_per_s"])
                busy_percent = rate * Decimal(run[column]) / 10
                whole = busy_percent.to_integral_value()
                assert abs(busy_percent - whole) <= rate * Decimal("0.005") / 10
