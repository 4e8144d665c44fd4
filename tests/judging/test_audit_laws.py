"""What an audit finds in tables made on purpose: nothing in sound ones, and each planted fault."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from functools import partial
from itertools import product
from math import ceil

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from judging.made_tables import CHANGE, audit_of, table_of

from netmodel.judging._audit import Audit, Finding
from netmodel.records import Table
from netmodel.records._datasets import (
    CeilingCheck,
    Check,
    IdentifierCheck,
    LittleCheck,
    PartsCheck,
    QuantisedCheck,
    UnitCheck,
    UtilisationCheck,
)
from netmodel.records._tables import Column

EXAMPLES = 60
UNITS = {
    "rate": "transaction/s",
    "cost": "ms/transaction",
    "first_part": "ms/transaction",
    "second_part": "ms/transaction",
    "time": "ms",
    "payload": "Mbit/s",
    "line": "Gbit/s",
    "mtu": "byte",
    "cpus": "count",
    "connections": "count",
    "name": None,
    "load": None,
    "mode": None,
    "of": None,
    "change": "%",
}
MODES = ("old", "new")
CHANGED = ("rate", "cost", "time")
CHECKS: tuple[Check, ...] = (
    PartsCheck(file="runs", total="cost", parts=("first_part", "second_part")),
    UtilisationCheck(file="runs", rate="rate", cost="cost", cpu_count="cpus"),
    LittleCheck(file="runs", rate="rate", time="time", connection_count="connections"),
    CeilingCheck(file="runs", rate="payload", line_rate="line", mtu="mtu"),
    IdentifierCheck(file="runs", column="name", group=("mode",)),
    CHANGE,
)
LAW_OF_COLUMN = {
    "first_part": ("parts", "cost"),
    "cpus": ("utilisation", "cost"),
    "time": ("littles_law", "time"),
    "payload": ("ceiling", "payload"),
    "name": ("identifier", "name"),
}

Rows = list[dict[str, str]]

table = partial(table_of, units=UNITS)
audit = partial(audit_of, checks=CHECKS)


def rounded(value: Decimal, digits: int) -> str:
    """As a careful author prints it."""
    return format(value.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_EVEN), "f")


@dataclass(frozen=True)
class Runs:
    """Rows of measurements and their changes, as they are printed."""

    runs: Rows
    changes: Rows

    def audited(self) -> Audit:
        return audit(table("runs", self.runs), table("changes", self.changes))

    def with_cell(self, row: int, column: str, cell: str) -> "Runs":
        lines = [dict(line) for line in self.runs]
        lines[row][column] = cell
        return replace(self, runs=lines)


def decimals(low: str, high: str) -> st.SearchStrategy[Decimal]:
    return st.decimals(Decimal(low), Decimal(high), places=6)


@st.composite
def sound_runs(draw: st.DrawFn) -> Runs:
    """Every law holds for the exact figures; what is printed is rounded, here and there a lot."""
    digits = {name: draw(st.integers(0, 4)) for name in ("rate", "cost", "time", "payload")}
    percent_digits = draw(st.integers(0, 2))
    loads = draw(st.integers(2, 4))
    runs: Rows = []
    changes: Rows = []
    exact: dict[tuple[str, str], dict[str, Decimal]] = {}
    with localcontext(Context(prec=50)):
        for mode, load in product(MODES, map(str, range(loads))):
            rate = draw(decimals("1", "90000"))
            parts = [draw(decimals("0.001", "50")) for _ in range(2)]
            cost = sum(parts, Decimal(0))
            cpus = max(1, ceil(rate * cost / 1000))
            time = draw(decimals("0.01", "100"))
            most = max(1, ceil(rate * time / 1000))
            mtu, ratio = draw(
                st.sampled_from([(1500, Decimal(1460) / 1538), (9000, Decimal(8960) / 9038)])
            )
            payload = 1000 * ratio * draw(st.sampled_from([Decimal(1), Decimal("0.3")]))
            exact[load, mode] = {"rate": rate, "cost": cost, "time": time}
            runs.append(
                {
                    "mode": mode,
                    "load": load,
                    "name": f"{mode}{load}",
                    "rate": rounded(rate, digits["rate"]),
                    "cost": rounded(cost, digits["cost"]),
                    "first_part": rounded(parts[0], digits["cost"]),
                    "second_part": rounded(parts[1], digits["cost"]),
                    "time": rounded(time, digits["time"]),
                    "payload": rounded(payload, digits["payload"]),
                    "line": "1",
                    "mtu": str(mtu),
                    "cpus": str(cpus),
                    "connections": str(most),
                }
            )
        for load, of in product(map(str, range(loads)), CHANGED):
            before, after = (exact[load, mode][of] for mode in MODES)
            change = rounded(100 * (after / before - 1), percent_digits)
            changes.append({"load": load, "of": of, "change": change})
    return Runs(runs, changes)


def steady_runs(loads: int = 3) -> Runs:
    """Far below every limit, with many digits; each change is none."""
    line = {
        "rate": "1000.0000",
        "cost": "3.0000",
        "first_part": "1.0000",
        "second_part": "2.0000",
        "time": "5.0000",
        "payload": "500.0000",
        "line": "1",
        "mtu": "1500",
        "cpus": "4",
        "connections": "8",
    }
    runs = [
        {"mode": mode, "load": str(load), "name": f"{mode}{load}"} | line
        for mode, load in product(MODES, range(loads))
    ]
    changes = [
        {"load": str(load), "of": of, "change": "0.0"}
        for load, of in product(range(loads), CHANGED)
    ]
    return Runs(runs, changes)


def place(finding: Finding) -> tuple[str, str, int | None, str]:
    return finding.kind, finding.file, finding.row, finding.column


@settings(max_examples=EXAMPLES)
@given(sound_runs())
def test_rounding_explains_what_rounding_changed(drawn: Runs) -> None:
    result = drawn.audited()
    assert not list(result)
    counted = len(drawn.runs)
    changes = [line for line in drawn.changes if change_is_bounded(line, drawn.runs)]
    assert all(result.checked[kind] == counted for kind in LAWS_OF_ROWS)
    assert result.checked["change"] >= len(changes)
    assert all(0 <= result.explained[kind] <= result.checked[kind] for kind in result.checked)


LAWS_OF_ROWS = ("parts", "utilisation", "littles_law", "ceiling", "identifier")


def change_is_bounded(line: dict[str, str], runs: Rows) -> bool:
    (before,) = [run for run in runs if (run["load"], run["mode"]) == (line["load"], "old")]
    return Decimal(before[line["of"]]) != 0


@settings(max_examples=EXAMPLES)
@given(
    st.integers(0, 5),
    st.sampled_from(
        [
            ("first_part", "1.0002", "0.9998"),  # 1.5 steps are allowed
            ("cpus", "2.999", "2.999"),
            ("time", "8.0010", "9.0000"),
            ("payload", "949.2850", "949.2849"),  # 1460 of 1538 are 949.28479
            ("name", "same", "same"),
        ]
    ),
    st.booleans(),
)
def test_a_planted_fault_is_found_where_it_is_and_nowhere_else(
    row: int, fault: tuple[str, str, str], first: bool
) -> None:
    column, *cells = fault
    planted = steady_runs().with_cell(row, column, cells[0 if first else 1])
    kind, found_in = LAW_OF_COLUMN[column]
    if column == "name":
        other = (row + 1) % 6
        name = planted.runs[other]["name"]
        planted = planted.with_cell(row, column, name)
        row = max(row, other)
    if column == "time":  # keep the printed change true to the figures
        load = planted.runs[row]["load"]
        planted = replace(
            planted,
            changes=[
                line for line in planted.changes if (line["load"], line["of"]) != (load, "time")
            ],
        )
    assert [place(each) for each in planted.audited()] == [(kind, "runs.csv", row + 1, found_in)]


@given(st.integers(0, 5), st.sampled_from(["0.9999", "1.0001", "1.0000"]))
def test_a_step_in_the_last_digit_of_a_part_is_no_fault(row: int, cell: str) -> None:
    """A sum of two figures and their total may be three half steps apart, a step is two."""
    assert not list(steady_runs().with_cell(row, "first_part", cell).audited())


@given(st.integers(0, 8), st.sampled_from(["0.1", "-0.1", "5.0", "-99.9"]))
def test_a_planted_change_is_found_where_it_is(row: int, cell: str) -> None:
    steady = steady_runs()
    changes = [dict(line) for line in steady.changes]
    changes[row]["change"] = cell
    result = [place(each) for each in replace(steady, changes=changes).audited()]
    assert result == [("change", "changes.csv", row + 1, "change")]


@given(sound_runs(), st.data())
def test_a_total_far_from_its_parts_is_always_found(drawn: Runs, data: st.DataObject) -> None:
    row = data.draw(st.integers(0, len(drawn.runs) - 1))
    total = Decimal(drawn.runs[row]["cost"])
    step = Decimal(1).scaleb(int(total.as_tuple().exponent))
    wrong = total + data.draw(st.integers(3, 1000)) * step  # the first is off by 2.5 at least
    planted = drawn.with_cell(row, "cost", str(wrong))
    parts = [each for each in planted.audited() if each.kind == "parts"]
    assert [place(each) for each in parts] == [("parts", "runs.csv", row + 1, "cost")]


@given(sound_runs(), st.integers(-6, 6))
def test_cpus_that_are_all_busy_are_not_more_than_there_are(drawn: Runs, shift: int) -> None:
    """5625 x 17.6 is 99 CPUs to the digit, also where floats come out above."""
    full = {
        "rate": str(Decimal(5625).scaleb(shift)),
        "cost": str(Decimal("17.6").scaleb(-shift)),
        "cpus": "99",
    }
    busy = tuple(check for check in CHECKS if check.kind == "utilisation")
    result = audit(table("runs", [line | full for line in drawn.runs]), checks=busy)
    assert not list(result)
    assert not any(result.explained.values())


@settings(max_examples=EXAMPLES)
@given(sound_runs(), st.integers(0, 6), st.booleans(), st.data())
def test_a_faster_clock_changes_nothing(
    drawn: Runs, power: int, is_faster: bool, data: st.DataObject
) -> None:
    """Ten times the rate at a tenth of the cost keeps the same CPUs busy, digits and all."""
    row = data.draw(st.integers(0, len(drawn.runs) - 1))
    drawn = drawn.with_cell(row, "cpus", data.draw(st.sampled_from(["1", "2", "50"])))
    shift = power if is_faster else -power
    scaled = [
        line
        | {
            "rate": str(Decimal(line["rate"]).scaleb(shift)),
            "cost": str(Decimal(line["cost"]).scaleb(-shift)),
        }
        for line in drawn.runs
    ]
    busy = [check for check in CHECKS if check.kind == "utilisation"]
    before, after = (
        audit(table("runs", runs), checks=tuple(busy)) for runs in (drawn.runs, scaled)
    )
    assert [place(each) for each in after] == [place(each) for each in before]
    assert (after.checked, after.explained) == (before.checked, before.explained)


READINGS = list(product(("MB", "MiB"), (True, False), (0, 1)))
MTUS = (1492, 8992)


def plateau_mb_per_s(reading: tuple[str, bool, int], mtu: int, line_gbps: int) -> Decimal:
    """Payload rate of a full line: 20 + 20 byte of headers in the MTU, 38 around it."""
    unit, timestamps, tags = reading
    payload = mtu - 40 - (12 if timestamps else 0)
    megabyte = 10**6 if unit == "MB" else 2**20
    return Decimal(line_gbps) * 10**9 * payload / (mtu + 38 + 4 * tags) / 8 / megabyte


def streams(rates: Sequence[tuple[int, str]], line_gbps: int) -> Table:
    header = ("x_mb_per_s", "line_gbps", "mtu_bytes")
    units = ("MB/s", "Gbit/s", "byte")
    columns = tuple(
        Column(name=name, unit=unit, meaning=name) for name, unit in zip(header, units, strict=True)
    )
    cells = tuple((rate, str(line_gbps), str(mtu)) for mtu, rate in rates)
    return Table("streams", columns, cells, tuple(range(1, len(cells) + 1)))


STREAMS = UnitCheck(
    file="streams",
    rate="x_mb_per_s",
    line_rate="line_gbps",
    mtu="mtu_bytes",
    group=("mtu_bytes",),
)


def reading_text(reading: tuple[str, bool, int]) -> str:
    unit, timestamps, tags = reading
    words = f"MB of {10**6 if unit == 'MB' else 2**20} byte "
    words += f"{'with' if timestamps else 'without'} TCP timestamps"
    return words + (f" and {tags} VLAN tag" if tags else "")


@pytest.mark.parametrize("reading", READINGS, ids=reading_text)
@given(st.sampled_from([1, 10, 25]), st.integers(2, 4), st.integers(1, 3))
def test_the_planted_unit_is_among_those_that_fill_the_line(
    reading: tuple[str, bool, int], line_gbps: int, count: int, digits: int
) -> None:
    rates = [
        (mtu, rounded(plateau_mb_per_s(reading, mtu, line_gbps), digits))
        for mtu in MTUS
        for _ in range(count)
    ]
    result = audit(streams(rates, line_gbps), checks=(STREAMS,))
    (finding,) = result
    assert reading_text(reading) in finding.allowed.split(" or ")
    assert result.checked["unit"] == len(READINGS)
    assert not result.faults


@pytest.mark.parametrize("reading", READINGS, ids=reading_text)
@given(st.sampled_from([1, 10, 25]), st.integers(1, 3))
def test_only_readings_that_fill_the_line_at_both_mtus_are_named(
    reading: tuple[str, bool, int], line_gbps: int, digits: int
) -> None:
    """All eight by exact fractions: the share of the line has to be 0.995 to 1 at each MTU."""
    printed = {mtu: rounded(plateau_mb_per_s(reading, mtu, line_gbps), digits) for mtu in MTUS}
    rates = [(mtu, printed[mtu]) for mtu in MTUS for _ in range(2)]
    (finding,) = audit(streams(rates, line_gbps), checks=(STREAMS,))
    half = Decimal(5).scaleb(-digits - 1)
    fitting = []
    for other in READINGS:
        shares = [
            ((Decimal(printed[mtu]) - half) / full, (Decimal(printed[mtu]) + half) / full)
            for mtu in MTUS
            for full in [plateau_mb_per_s(other, mtu, line_gbps)]
        ]
        assume(all(abs(end - 1) > Decimal("1e-9") for share in shares for end in share))
        if all(low <= 1 and high >= Decimal("0.995") for low, high in shares):
            fitting.append(reading_text(other))
    assert finding.allowed.split(" or ") == fitting


@settings(max_examples=EXAMPLES)
@given(st.integers(3, 900), st.lists(st.integers(1, 99), min_size=8, max_size=12), st.data())
def test_whole_per_cents_are_noted_until_one_is_not(
    rate: int, percents: list[int], data: st.DataObject
) -> None:
    """Costs with eight digits after the point leave rounding no more than 0.0005 per cent."""
    check = QuantisedCheck(file="runs", rate="rate", cost="cost", group=("mode",))

    def noted(busy: Sequence[Decimal]) -> list[tuple[str, str, int | None, str]]:
        lines = [
            {"mode": "all", "rate": str(rate), "cost": rounded(10 * each / rate, 8)}
            for each in busy
        ]
        return [place(each) for each in audit(table("runs", lines), checks=(check,))]

    busy = [Decimal(each) for each in percents]
    assert noted(busy) == [("quantised", "runs.csv", None, "cost")]
    place_of_odd = data.draw(st.integers(0, len(busy) - 1))
    busy[place_of_odd] += Decimal("0.3")
    assert noted(busy) == []


@settings(max_examples=20)
@given(sound_runs(), st.permutations(CHECKS))
def test_the_order_of_checks_changes_no_finding(drawn: Runs, order: list[Check]) -> None:
    planted = drawn.with_cell(0, "name", drawn.runs[1]["name"]).with_cell(1, "payload", "1000.00")
    tables = table("runs", planted.runs), table("changes", planted.changes)
    result = [audit(*tables, checks=tuple(checks)) for checks in (CHECKS, order)]
    assert {place(each) for each in result[0]} == {place(each) for each in result[1]}
    assert result[0].checked == result[1].checked
    assert {place(each)[0] for each in result[0]} == {"identifier", "ceiling"}


@given(st.decimals("0.002", "0.9", places=9), st.integers(0, 9))
def test_small_units_are_compared_as_large_ones(total: Decimal, power: int) -> None:
    """Parts twice their total are a fault whether seconds or nanoseconds are written."""
    parts = PartsCheck(file="runs", total="cost", parts=("first_part", "second_part"))
    cell = format(total.scaleb(-power), "f")
    line = {"cost": cell, "first_part": cell, "second_part": cell}
    assert [place(each) for each in audit(table("runs", [line]), checks=(parts,))] == [
        ("parts", "runs.csv", 1, "cost")
    ]
