"""Each law of a table: the whole finding, its limits on both sides, and what is counted."""

from collections import Counter
from typing import Any

import pytest
from made_tables import CHANGE, audit_of, table_of

from netmodel.judging._audit import flags_csv
from netmodel.judging._audit_findings import Audit, ChangeCoverage, Finding, Severity, Suspect
from netmodel.records import Table
from netmodel.records._datasets import (
    CeilingCheck,
    ChangesAgreeCheck,
    Check,
    Comparison,
    IdentifierCheck,
    LittleCheck,
    Lookup,
    PartsCheck,
    QuantisedCheck,
    UnitCheck,
    UtilisationCheck,
)

UNITS = {
    **dict.fromkeys(("total", "one", "two", "three"), "ms/transaction"),
    "rate": "transaction/s",
    "cost": "ms/transaction",
    "time": "ms",
    "cpus": "count",
    "payload": "Mbit/s",
    "line": "Gbit/s",
    "mtu": "byte",
    "open": "count",
    "moved": "MB/s",
    "change": "%",
}


def table(name: str, header: str, *lines: str) -> Table:
    """A table of lines with commas."""
    names = header.split(",")
    rows = [dict(zip(names, line.split(","), strict=True)) for line in lines]
    return table_of(name, rows, units=UNITS)


def audited(check: Check, *tables: Table) -> Audit:
    return audit_of(*tables, checks=(check,))


def only(audit: Audit) -> dict[str, Any]:
    (finding,) = audit
    return finding.to_dict()


def found(kind: str, row: int | None, column: str, **more: Any) -> dict[str, Any]:
    """A fault in a row of the table of runs."""
    return {
        "dataset": "made",
        "file": "runs.csv",
        "row": row,
        "column": column,
        "kind": kind,
        "location": f"runs.csv row {row} {column}",
        "severity": "fault",
        "suspects": [],
        **more,
    }


def without_place(finding: dict[str, Any]) -> dict[str, Any]:
    return {key: each for key, each in finding.items() if key not in {"place", "line"}}


# Sums and products


PARTS = PartsCheck(file="runs", total="total", parts=("one", "two"))


def test_a_sum_is_compared_between_the_ends_of_its_rounding() -> None:
    """1.0 + 2.0 are 2.9 to 3.1, which 3.2 from 3.15 on does not meet and 3.1 from 3.05 does."""
    lines = ("3.0,1.0,2.0", "3.1,1.0,2.0", "2.9,1.0,2.0", "3.2,1.0,2.0")
    audit = audited(PARTS, table("runs", "total,one,two", *lines))
    assert without_place(only(audit)) == found(
        *("parts", 4, "total"),
        printed="3.2",
        allowed="2.9 to 3.1",
        message="1.0 + 2.0 do not add up to 3.2",
    )
    assert (audit.checked, audit.explained) == (Counter(parts=4), Counter(parts=2))


@pytest.mark.parametrize(
    ("total", "severity"),
    [("0.3151", "note"), ("0.3153", "fault"), ("0.2849", "note"), ("0.2847", "fault")],
)
def test_whole_percents_of_all_cpus_explain_half_of_one_for_each_figure(
    total: str, severity: str
) -> None:
    """
    A percent of one CPU is 0.01 ms of each of 1000 transactions/s: three figures, 0.015 ms.

    Between the ends of their rounding 0.3151 and 0.1000 + 0.2000 are 0.01495 apart.
    """
    check = PARTS.model_copy(update={"rate": "rate", "cpu_count": "cpus"})
    runs = table("runs", "total,one,two,rate,cpus", f"{total},0.1000,0.2000,1000,1")
    finding = only(audited(check, runs))
    assert finding["severity"] == severity
    message = f"0.1000 + 0.2000 do not add up to {total}"
    coarse = "; explained by whole percents of all CPUs"
    assert finding["message"] == message + coarse * (severity == "note")
    two = table("runs", "total,one,two,rate,cpus", f"{total},0.1000,0.2000,1000,2")
    assert only(audited(check, two))["severity"] == "note"


def test_no_more_cpus_are_busy_than_there_are() -> None:
    """999.5 x 2.005 ms are 2.004 CPUs, 2.005 of 1000.5 x 2.015 at most."""
    check = UtilisationCheck(file="runs", rate="rate", cost="cost", cpu_count="cpus")
    lines = ("1000,2.00,2", "1001,2.00,2", "1002,2.00,2", "1000,2.01,2")
    audit = audited(check, table("runs", "rate,cost,cpus", *lines))
    assert without_place(only(audit)) == found(
        *("utilisation", 4, "cost"),
        printed="1000 x 2.01",
        allowed="at most 2 CPUs",
        message="2.004 to 2.016 CPUs would be busy, where 2 are installed",
    )
    assert (audit.checked["utilisation"], audit.explained["utilisation"]) == (4, 2)


def test_no_more_transactions_are_in_flight_than_connections() -> None:
    check = LittleCheck(file="runs", rate="rate", time="time", connection_count="open")
    lines = ("1000,10.0,10", "1001,10.0,10", "1002,10.0,10", "1000,10.1,10")
    audit = audited(check, table("runs", "rate,time,open", *lines))
    assert without_place(only(audit)) == found(
        *("littles_law", 4, "time"),
        printed="1000 x 10.1",
        allowed="at most 10 connections",
        message="10.04 to 10.16 transactions would be in flight, more than the number of "
        "connections, 10",
    )
    assert (audit.checked["littles_law"], audit.explained["littles_law"]) == (4, 2)


def test_no_payload_exceeds_its_line() -> None:
    """1460 of 1538 byte: 949.285 Mbit/s of a line of 1 Gbit/s."""
    check = CeilingCheck(file="runs", rate="payload", line_rate="line", mtu="mtu")
    lines = [f"{rate},1,1500" for rate in ("949.1", "949.2", "949.3", "949.4")]
    audit = audited(check, table("runs", "payload,line,mtu", *lines))
    assert without_place(only(audit)) == found(
        *("ceiling", 4, "payload"),
        printed="949.4",
        allowed="at most 949.285",
        message="exceeds the TCP payload rate of the line at this MTU",
    )
    assert (audit.checked["ceiling"], audit.explained["ceiling"]) == (4, 1)


# Patterns


def test_a_name_that_comes_again_is_a_fault_at_its_second_place() -> None:
    audit = audited(
        IdentifierCheck(file="runs", column="name"),
        table("runs", "name", "a1", "", "b2", "a1", ""),
    )
    finding = only(audit)
    assert without_place(finding) == found(
        *("identifier", 4, "name"),
        printed="a1",
        allowed="a unique name",
        message=finding["message"],
    )
    assert finding["message"].startswith("a1 is also in ")
    assert audit.checked == Counter(identifier=3)


@pytest.mark.parametrize(
    ("names", "odd"),
    [
        (("a1", "a2", "bb"), ["bb"]),
        (("a1", "a2", "bb", "cc"), []),  # two of four are no majority
        (("a1", "bb"), []),
        (("é1", "a2", "_3"), ["_3"]),
    ],
)
def test_the_pattern_of_most_names_of_a_group_is_usual(
    names: tuple[str, ...], odd: list[str]
) -> None:
    """Letters are any letters; two names make no pattern."""
    check = IdentifierCheck(file="runs", column="name", group=("bed",))
    audit = audited(check, table("runs", "bed,name", *(f"x,{name}" for name in names)))
    assert [(each.printed, each.severity) for each in audit] == [
        (name, Severity.NOTE) for name in odd
    ]
    for each in audit:
        assert each.allowed == "a9, a for letters and 9 for digits"
        assert each.message == f"{each.printed} has another pattern than the others"


UNIT = UnitCheck(file="runs", rate="moved", line_rate="line", mtu="mtu", group=("mtu",))


def moved(*rates: str, mtu: int = 1492) -> Table:
    return table("runs", "moved,line,mtu", *(f"{rate},1,{mtu}" for rate in rates))


def test_readings_of_a_unit_are_counted_and_compared() -> None:
    """
    1 Gbit/s at MTU 1492 carries 1440 of 1530 byte: 112.20 MiB/s, or 117.65 MB/s.

    112.1 MB/s fill it as MiB with time stamps, and with a VLAN tag more 1440 of 1534: 111.9.
    Without time stamps it is 1452 of 1530, or 113.1 MiB/s.
    """
    audit = audited(UNIT, moved("112.1", "112.1", "54.0"))
    finding = only(audit)
    assert finding["severity"] == "note"
    assert (finding["printed"], finding["row"], finding["column"]) == ("MB/s", None, "moved")
    assert finding["allowed"] == "MB of 1048576 byte with TCP timestamps"
    # as MB 112.1 x 8 / 941.18 is 0.953; above the line is MiB with time stamps and a tag
    assert finding["message"] == (
        "of 8 readings only MB of 1048576 byte with TCP timestamps brings all 1 plateaus to the "
        "line; 1 put one above it, and MB of 1000000 byte with TCP timestamps would fill 0.952 to "
        "0.953; an MTU 8 byte larger fits too"
    )
    assert audit.checked == Counter(unit=8)


def test_rates_that_fill_no_line_have_no_reading() -> None:
    finding = only(audited(UNIT, moved("100.0", "100.0")))
    assert finding["allowed"] == "no reading"
    assert finding["message"] == "no reading of the unit brings all 1 plateaus to the line"


@pytest.mark.parametrize(
    ("rates", "is_plateau"),
    [
        (("1000", "998"), True),
        (("1000", "997"), False),
        (("1000",), False),
        # of five the two largest, of six the three largest
        (("1000", "999", "500", "400", "300"), True),
        (("1000", "999", "500", "400", "300", "200"), False),
        (("1000", "999", "998", "400", "300", "200"), True),
    ],
)
def test_a_plateau_is_the_upper_half_within_two_per_mille(
    rates: tuple[str, ...], is_plateau: bool
) -> None:
    assert bool(list(audited(UNIT, moved(*rates)))) is is_plateau


def test_whole_percents_of_a_cpu_are_noted_with_four_of_them() -> None:
    """10 transactions/s at 10 ms are 10 %: with four digits by chance one in fifty, each."""
    check = QuantisedCheck(file="runs", rate="rate", cost="cost", group=("bed",))
    lines = [f"x,10,{cost}.00" for cost in (10, 20, 30, 40, 50)]
    runs = table("runs", "bed,rate,cost", *lines)
    audit = audited(check, runs)
    finding = only(audit)
    assert (finding["kind"], finding["severity"], finding["column"]) == (
        "quantised",
        "note",
        "cost",
    )
    assert finding["printed"] == "10.00, 20.00, 30.00, 40.00 % ..."
    assert finding["allowed"] == "figures that are not all whole"
    assert finding["message"] == (
        "times its rate it is a whole percent of a CPU in all 5 rows: no finer resolution"
    )
    assert finding["place"].startswith("bed x, ")
    assert audit.checked == Counter(quantised=1)
    two = audited(check, table("runs", "bed,rate,cost", *lines[:2]))
    assert (list(two), two.checked["quantised"]) == ([], 0)
    of_two = check.model_copy(update={"cpu_count": "cpus"})
    of_all = only(audited(of_two, table("runs", "bed,rate,cost,cpus", *(f"{x},2" for x in lines))))
    assert of_all["printed"] == "5.00, 10.00, 15.00, 20.00 % ..."
    assert "a whole percent of all CPUs in all 5 rows" in of_all["message"]


# Changes


def changes_of(*lines: str) -> Table:
    return table("changes", "load,of,change", *lines)


def test_a_change_follows_from_the_rounding_of_both_figures() -> None:
    """109.5 / 100.5 to 110.5 / 99.5: 8.955 to 11.06 % more."""
    runs = table("runs", "load,mode,rate", "a,old,100", "a,new,110")
    finding = only(audited(CHANGE, runs, changes_of("a,rate,12.0")))
    assert without_place(finding) == found("change", 1, "change") | {
        "file": "changes.csv",
        "location": "changes.csv row 1 change",
        "printed": "12.0 %",
        "allowed": "8.955 to 11.06 %",
        "message": "rate from 100 to 110 is +10.0 %",
    }
    for printed, explained in (("10.0", 0), ("10.04", 1), ("11.1", 1), ("9.0", 1)):
        audit = audited(CHANGE, runs, changes_of(f"a,rate,{printed}"))
        assert list(audit) == []
        assert (audit.checked["change"], audit.explained["change"]) == (1, explained)
    assert [each.printed for each in audited(CHANGE, runs, changes_of("a,rate,8.9"))] == ["8.9 %"]


def test_a_change_without_one_of_its_figures_is_not_compared() -> None:
    """Of one load the old figure is missing, of another the new, of a third both, or the change."""
    lines = ("b,new,110", "c,old,100", "e,old,100", "e,new,110")
    runs = table("runs", "load,mode,rate", *lines)
    changes = changes_of(*(f"{load},rate,12.0" for load in "bcd"), "e,rate,")
    audit = audited(CHANGE, runs, changes)
    assert (list(audit), audit.checked["change"]) == ([], 0)


def test_a_change_from_almost_nothing_is_an_increase() -> None:
    runs = table("runs", "load,mode,rate", "a,old,0", "a,new,7")
    finding = only(audited(CHANGE, runs, changes_of("a,rate,5")))
    assert finding["message"] == "rate from 0 to 7 is an increase from almost 0"
    assert finding["allowed"] == "1200 to inf %"


SQUARE = ChangesAgreeCheck(
    file="changes",
    change="change",
    keys=("load",),
    comparisons=(
        Comparison(compared="mode", before="old", after="new", where={"compared": "mode"}),
        Comparison(compared="bed", before="x", after="y", where={"compared": "bed"}),
    ),
)


def square(*changes: str) -> Table:
    """From old to new on beds x and y, and from x to y of old and new."""
    cases = ("mode,,x", "mode,,y", "bed,old,", "bed,new,")
    lines = [f"a,{case},{change}" for case, change in zip(cases, changes, strict=True)]
    return table("changes", "load,compared,mode,bed,change", *lines)


def test_changes_along_both_ways_multiply_to_one_factor() -> None:
    """1.10 x 1.20 is 1.32, and so is 1.20 x 1.10."""
    audit = audited(SQUARE, square("10.0", "10.0", "20.0", "20.0"))
    assert list(audit) == []
    assert audit.checked == Counter(changes_agree=1)
    assert audit.explained["changes_agree"] == 0
    (coverage,) = audit.coverage
    assert coverage == ChangeCoverage("changes.csv", 4, 0, 4)
    near = audited(SQUARE, square("10.0", "10.1", "20.0", "20.0"))
    assert (list(near), near.explained["changes_agree"]) == ([], 1)


def test_changes_that_disagree_are_all_suspects() -> None:
    """
    With 30 % on bed y: y / x of new is 1.2 x 1.3 / 1.1 = 1.418, and as many per cent for each.

    Each is what the rounding of the three others leaves.
    """
    audit = audited(SQUARE, square("10.0", "30.0", "20.0", "20.0"))
    finding = only(audit)
    assert finding["message"] == "one of 4 changes between the same figures must be wrong"
    assert (finding["row"], finding["printed"]) == (4, "20.0 %")
    assert finding["allowed"] == finding["suspects"][3]["allowed"]

    def of(*ratios: float) -> str:
        low, high = (
            100 * (ratios[0] * ratios[1] / ratios[2] - 1),
            100 * (ratios[3] * ratios[4] / ratios[5] - 1),
        )
        return f"{low:.2f} to {high:.2f} %"

    expected = [
        of(1.2995, 1.1995, 1.2005, 1.3005, 1.2005, 1.1995),
        of(1.0995, 1.1995, 1.2005, 1.1005, 1.2005, 1.1995),
        of(1.0995, 1.1995, 1.3005, 1.1005, 1.2005, 1.2995),
        of(1.2995, 1.1995, 1.1005, 1.3005, 1.2005, 1.0995),
    ]
    assert [each["allowed"] for each in finding["suspects"]] == expected
    printed = ["10.0 %", "30.0 %", "20.0 %", "20.0 %"]
    assert [each["printed"] for each in finding["suspects"]] == printed
    assert [each["row"] for each in finding["suspects"]] == [1, 2, 3, 4]
    places = [each["place"] for each in finding["suspects"]]
    assert len(set(places)) == 4
    assert finding["place"] == places[3]
    assert {(each["file"], each["column"], each["confirmed"]) for each in finding["suspects"]} == {
        ("changes.csv", "change", False)
    }
    assert audit.notes == (
        "0 of 4 changes compared with base figures; 4 have none, all compared with other changes",
        "1 finding has several suspects: any of them may be the wrong one",
    )
    assert flags_csv(audit).splitlines() == [
        "file,row,column,kind,severity,message",
        *(
            f'changes.csv,{row},change,changes_agree,fault,"{figure}, where the other changes '
            f'between the same figures give {allowed}"'
            for row, (figure, allowed) in enumerate(zip(printed, expected, strict=True), 1)
        ),
    ]


@pytest.mark.parametrize(
    ("coverage", "text"),
    [
        ((4, 4, 0), "4 of 4 {}"),
        ((4, 3, 1), "3 of 4 {}; 1 has none, all {}"),
        ((4, 3, 0), "3 of 4 {}; 1 has none, none {}"),
        ((4, 1, 2), "1 of 4 {}; 3 have none, 2 {}"),
    ],
)
def test_coverage_in_words(coverage: tuple[int, int, int], text: str) -> None:
    words = "changes compared with base figures", "compared with other changes"
    assert str(ChangeCoverage("a.csv", *coverage)) == text.format(*words)


def test_only_several_open_suspects_are_doubtful() -> None:
    def suspect(is_confirmed: bool) -> Suspect:
        return Suspect("p", "f.csv", 1, "c", "1 %", "2 %", is_confirmed)

    def finding(*confirmed: bool) -> Finding:
        return Finding(
            dataset="d",
            column="c",
            place="p",
            kind="k",
            printed="1",
            severity=Severity.FAULT,
            allowed="2",
            message="m",
            suspects=tuple(map(suspect, confirmed)),
        )  # type: ignore[arg-type]

    def notes(*findings: Finding) -> tuple[str, ...]:
        return Audit("a", findings, known_faults=("odd",)).notes

    known = "known fault: odd"
    assert notes(finding(), finding(False), finding(True, False)) == (known,)
    doubtful = finding(False, False, True)
    words = "several suspects: any of them may be the wrong one"
    assert notes(doubtful) == (f"1 finding has {words}", known)
    assert notes(doubtful, doubtful) == (f"2 findings have {words}", known)


def test_lookups_of_another_file_are_row_by_row() -> None:
    """2 CPUs of bed x are full, 3 of bed y are not; of another bed nothing is known."""
    check = UtilisationCheck(
        file="runs",
        rate="rate",
        cost="cost",
        cpu_count=Lookup(file="beds", key="bed", column="cpus"),
    )
    runs = table("runs", "bed,rate,cost", "y,1000,2.02", "x,1000,2.02", "z,1000,2.02")
    audit = audited(check, runs, table("beds", "bed,cpus", "x,2", "y,3"))
    assert (only(audit)["row"], audit.checked["utilisation"]) == (2, 2)
