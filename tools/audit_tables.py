"""
Hold the printed tables of the documents against themselves and against the line.

    python tools/audit_tables.py              # print the page of findings
    python tools/audit_tables.py PAGE.md      # write it

Every printed figure is an interval, from its digits. A finding is a figure whose interval and the
one that the others leave have nothing in common.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from math import inf, isnan
from pathlib import Path
from typing import Any, TypeAlias

import netmodel
from netmodel.framing import tcp_stack
from netmodel.published import Row, listing
from netmodel.records import adapter, dataset, workload
from netmodel.records.datasets import Dataset
from netmodel.records.tables import Table

Ends: TypeAlias = tuple[float, float]
Cells: TypeAlias = tuple[tuple[str, int], ...]
RATES = ("transaction_rate_tps", "data_rate_mb_per_s")
COSTS = {"transaction_rate_tps": "ms_per_transaction", "data_rate_mb_per_s": "ms_per_mb"}
MB = {"MB": 10**6, "MiB": 2**20}
GBPS = {"Gbit/s": 1.0, "MB/s": 8 * 2**20 / 1e9}
"""Of a printed rate. The flat rates of the tables fill the line if MB is 2^20 byte: law units."""
FULL, FLAT = 0.995, 1.002
"""Share of a line that fills it with three digits; ratio of two rates at the same limit."""
PERCENTS = {"changes", "ways", "ranges"}
"""Laws of factors that documents print as changes."""
WAYS = (("2", ""), ("", "5.1.0"), ("3", ""), ("", "5.2.0"))
"""By layer and level: a layer to the newer level, or at a level layer 3 to layer 2."""
SLACK = 1e-9
"""More than floats are rounded by."""
LAWS = {
    "busy CPUs": "rate times CPU time is more CPUs than the machine has",
    "parts": "the parts do not add up to their total",
    "changes": "a printed change does not follow from its two figures",
    "ways": "two ways of changes between the same figures disagree",
    "ranges": "a range in words leaves out a change of its tables",
    "ceiling": "more payload than the line carries",
    "line speed": "the limit of a faster adapter and the ratio to it leave less than the line",
    "run ids": "two runs have one name",
    "units": "the reading of MB in which flat rates fill the line",
}


@dataclass(frozen=True)
class Finding:
    """What cannot be right as printed, or needs care; `cells` are column and row from 1."""

    law: str
    place: str
    printed: str
    allowed: str
    cells: Cells = ()


@dataclass
class Audit:
    """Findings, and how many comparisons each law made."""

    findings: list[Finding] = field(default_factory=list)
    compared: Counter[str] = field(default_factory=Counter)

    def hold(
        self,
        law: str,
        place: str,
        printed: str,
        figure: Ends,
        allowed: Ends,
        cells: Cells = (),
    ) -> bool:
        """Count a comparison of two intervals; note, and return, whether they are apart."""
        self.compared[law] += 1
        apart = figure[0] > allowed[1] + SLACK or figure[1] < allowed[0] - SLACK
        if apart:
            self.findings.append(Finding(law, place, printed, words(law, allowed), cells))
        return apart


def words(law: str, ends: Ends) -> str:
    """Return an interval in words; of changes in percent."""
    if law in PERCENTS:
        return " to ".join(f"{100 * (end - 1):+.2f}" for end in ends) + " %"
    if ends[0] <= 0:
        return f"at most {ends[1]:.4g}"
    return f"{ends[0]:.5g} to {ends[1]:.5g}" if ends[1] < inf else f"at least {ends[0]:.4g}"


def times(first: Ends, second: Ends) -> Ends:
    """Return the product of two intervals that are not negative."""
    return max(first[0], 0) * max(second[0], 0), first[1] * second[1]


def over(first: Ends, second: Ends) -> Ends:
    """Return the quotient of two intervals."""
    return first[0] / second[1], first[1] / second[0] if second[0] > 0 else inf


def figures(table: Table, column: str) -> list[Ends]:
    """Return the interval of each figure of a column; NaN where nothing is printed."""
    ends = zip(table.numbers(column), table.half_widths(column), strict=True)
    return [(float(number - half), float(number + half)) for number, half in ends]


@cache
def line_bps(rate_bps: float, mtu: int, timestamps: bool = False, vlan_tags: int = 0) -> float:
    """Return the payload rate of a full line; without timestamps the most that TCP carries."""
    stack = tcp_stack(timestamps=timestamps, vlan_tags=vlan_tags)
    return float(netmodel.ceiling(rate_bps, mtu, stack=stack).payload_rate_bps)


# ---- tables of one dataset


def audit_runs(audit: Audit, source: Dataset) -> None:
    """Hold each run against the CPUs of its machine, and the parts of its cost against all."""
    runs, footers = source.tables["measurements"], source.tables["footers"]
    cpus = dict(zip(footers.text("table"), footers.numbers("cpu_count"), strict=True))
    for rate in RATES:
        total, *parts = columns(rate)
        known = {name: figures(runs, name) for name in (rate, total, *parts)}
        for row, cells in enumerate(runs.rows()):
            if isnan(known[rate][row][0]):
                continue
            place = place_of(source, runs, row, total)
            low, high = times(known[rate][row], known[total][row])
            busy = low / 1000, high / 1000  # ms of CPU time in a second
            shown = f"{cells[rate]} x {cells[total]} ms: {busy[0]:.4g} to {busy[1]:.4g} CPUs"
            installed = 0.0, float(cpus[cells["table"]])
            audit.hold("busy CPUs", place, shown, busy, installed, ((total, row + 1),))
            lows, highs = zip(*(known[part][row] for part in parts), strict=True)
            shown = f"{' + '.join(cells[part] for part in parts)} = {cells[total]}"
            audit.hold("parts", place, shown, known[total][row], (sum(lows), sum(highs)))


def audit_names(audit: Audit, source: Dataset) -> None:
    """Hold that no two runs have one name."""
    runs, first = source.tables["measurements"], dict[str, str]()
    for row, name in enumerate(runs.text("run_id")):
        place = place_of(source, runs, row, "run_id")
        audit.compared["run ids"] += 1
        if first.setdefault(name, place) != place:
            cells = (("run_id", row + 1),)
            audit.findings.append(Finding("run ids", place, name, f"not of {first[name]}", cells))


def place_of(source: Dataset, table: Table, row: int, column: str) -> str:
    """Return the place of a figure in the words of the document."""
    cells = [*table.rows()][row]
    columns = (each for every in source.tables.values() for each in every.columns)
    headings = {each.name: each.printed_as or each.name for each in columns}
    level = cells.get("hypervisor_level")
    parts = [f"table {cells['table']}", f"layer {cells['layer']}" if cells["layer"] else ""]
    parts += [f"z/VM {level}" if level else "", headings[cells.get("quantity", column)]]
    return ", ".join(filter(None, [*parts, f"{int(cells['connection_count']):02} clients"]))


def columns(rate: str) -> tuple[str, ...]:
    """Return the columns of the total CPU time and its parts, per transaction or per MB."""
    return tuple(f"{part}_cpu_{COSTS[rate]}" for part in ("total", "emulation", "cp"))


def audit_changes(audit: Audit, source: Dataset) -> None:
    """Hold printed changes against their figures, and against each other where both ways exist."""
    runs, changes = source.tables["measurements"], source.tables["differences"]
    rows = {(c["table"], c["connection_count"], c["layer"]): n for n, c in enumerate(runs.rows())}
    tables = {cells["table"]: cells for cells in source.tables["tables"].rows()}
    printed = figures(changes, "difference_percent")
    ways: dict[tuple[str, ...], dict[tuple[str, str], tuple[int, Ends]]] = defaultdict(dict)
    sound: set[int] = set()
    for number, cells in enumerate(changes.rows()):
        low, high = printed[number]
        factor = 1 + low / 100, 1 + high / 100
        about = tables[cells["table"]]
        series = ("path", "workload", "link_rate_gbps", "mtu_bytes")
        key = (*(about[each] for each in series), cells["quantity"], cells["connection_count"])
        ways[key][cells["layer"], cells["hypervisor_level"]] = (number, factor)
        case = cells["table"], cells["connection_count"]
        pair = [rows[(*case, layer)] for layer in "23" if (*case, layer) in rows]
        of_table = about["hypervisor_level"] == cells["hypervisor_level"]
        if cells["layer"] or not of_table or len(pair) < 2:
            continue
        after, before = (figures(runs, cells["quantity"])[row] for row in pair)
        if isnan(after[0] + before[0]):
            continue
        place = place_of(source, changes, number, "difference_percent")
        shown = f"{cells['difference_percent']} %"
        cell = (("difference_percent", number + 1),)
        if not audit.hold("changes", place, shown, factor, over(after, before), cell):
            sound.add(number)
    for known in ways.values():
        square = [known[way] for way in WAYS if way in known]
        if len(square) == len(WAYS):
            hold_square(audit, source, square, sound)


def hold_square(
    audit: Audit, source: Dataset, square: list[tuple[int, Ends]], sound: set[int]
) -> None:
    """Hold the change at the old level against what the other three leave of it."""
    changes = source.tables["differences"]
    (level_2, old, level_3, new) = (ends for _, ends in square)
    # which of the four is wrong is open, but for those that their figures confirm
    cells = tuple(("difference_percent", row + 1) for row, _ in square if row not in sound)
    row, _ = square[1]
    place = place_of(source, changes, row, "difference_percent")
    shown = f"{changes.text('difference_percent')[row]} %"
    audit.hold("ways", place, shown, old, over(times(level_3, new), level_2), cells)


def audit_units(audit: Audit, source: Dataset) -> None:
    """Name the readings of MB and of headers in which all flat rates fill their line."""
    flat: list[tuple[Ends, float, int]] = []
    by_table: dict[str, list[tuple[Ends, dict[str, str]]]] = defaultdict(list)
    runs = source.tables["measurements"]
    for ends, cells in zip(figures(runs, RATES[1]), runs.rows(), strict=True):
        if not isnan(ends[0]):
            by_table[cells["table"]].append((ends, cells))
    for rows in by_table.values():
        rows.sort(key=lambda each: each[0])
        top = [ends for ends, _ in rows[len(rows) // 2 :]]
        if sum(top[-1]) <= FLAT * sum(top[0]):
            line = float(rows[0][1]["link_rate_gbps"]) * 1e9
            flat.append(((top[-1][0], top[0][1]), line, int(rows[0][1]["mtu_bytes"])))
    fitting = []
    for (unit, size), stamps, tags in product(MB.items(), (True, False), (0, 1)):
        audit.compared["units"] += 1
        bits = [
            [8 * size * end / line_bps(line, mtu, stamps, tags) for end in ends]
            for ends, line, mtu in flat
        ]
        if all(low <= 1 and high >= FULL for low, high in bits):
            name = f"{unit} of {size} byte, {'with' if stamps else 'without'} timestamps"
            fitting.append(f"{name}, {tags} VLAN tags")
    place = f"{len(flat)} tables whose rates stop growing"
    audit.findings.append(Finding("units", place, "MB/sec", " or ".join(fitting) or "none"))


# ---- rows of all documents


def audit_rates(audit: Audit, rows: Iterable[Row]) -> None:
    """Hold printed rates against the line of their adapter or path at their MTU."""
    for row in rows:
        cards = {name for key in ("client", "server", "adapter") for name in row.of.get(key, ())}
        if row.quantity != "throughput" or row.unit not in GBPS or not cards or row.against:
            continue
        low, high = (end * GBPS[row.unit] for end in row.interval)
        line = min(adapter(str(name)).line_rate_bps for name in cards)
        most = line_bps(line, max(row.of.get("mtu", (9000,)))) / 1e9
        audit.hold(
            "ceiling", row.where, f"{row.amount()}: {low:.4g} or more", (low, high), (0, most)
        )


def audit_ratios(audit: Audit, rows: tuple[Row, ...]) -> None:
    """Hold ratios of documents without tables against the figures of both cases."""
    known = {(row.quantity, key_of(row.of)): row for row in rows if not row.against and row.low}
    for row in (row for row in rows if row.against and row.low and "table" not in row.place):
        both = (row.of, row.turned().of)
        first, second = (known.get((row.quantity, key_of(each))) for each in both)
        if first and second and first.unit == second.unit:
            allowed = over(first.interval, second.interval)
            audit.hold("changes", row.where, row.amount(), row.interval, allowed)


def audit_line_speed(audit: Audit, rows: tuple[Row, ...]) -> None:
    """Hold line speed of an adapter against the limit of a faster one and a ratio of both."""
    limits: dict[tuple[Any, Any], float] = defaultdict(lambda: inf)
    for row in rows:
        card = row.of.get("server") or ("in" in row.of.get("direction", ()) and row.of["adapter"])
        if row.quantity == "throughput" and row.unit == "Gbit/s" and card and not row.against:
            at = card, row.of.get("mtu")
            limits[at] = min(limits[at], row.interval[1])
    for ratio, row in product(rows, rows):
        is_of_line = row.relation == "line" and {"server", "workload", "mtu"} <= row.of.keys()
        if not is_of_line or ratio.quantity != "throughput" or ratio.interval[0] <= 1:
            continue
        faster = ratio.of.get("server"), row.of["mtu"]
        is_pair = ratio.against.get("server") == row.of["server"] == row.of.get("client")
        counts = ratio.of.get("connections", row.of.get("connections", ()))
        is_pair &= set(row.of.get("connections", ())) <= set(counts)
        if is_pair and ratio.of.get("mtu") == row.of["mtu"] and limits[faster] < inf:
            full, left = full_gbps(row), limits[faster] / ratio.interval[0]
            place = f"{row.where}, against {ratio.place}"
            audit.hold("line speed", place, f"{full:.4g} Gbit/s", (full, full), (0, left))


def full_gbps(row: Row) -> float:
    """Return what the line of an adapter carries of a workload."""
    line = netmodel.ceiling(adapter(str(row.of["client"][0])).line_rate_bps, int(row.of["mtu"][0]))
    size = int(workload(str(row.of["workload"][0])).response_bytes or line.payload_bytes)
    return float(line.line_rate_bps) * size / line.message(size).wire_bytes / 1e9


def audit_ranges(audit: Audit, rows: tuple[Row, ...]) -> None:
    """Hold a range in words against the least and the greatest change that it sums up."""
    for wide in (row for row in rows if row.relation == "range" and row.against):
        cases = [row for row in rows if row.relation == "equal" and is_case_of(row, wide)]
        cases = [row for row in cases if row.of["level"] == NEWER] or cases
        for choose in (min, max) if cases else ():
            row = choose(cases, key=digits_of)
            place = f"{wide.where}, against {row.place}"
            audit.hold("ranges", place, wide.printed, digits_of(wide), digits_of(row))


def digits_of(row: Row) -> tuple[float, float]:
    """Return what the printed digits of a figure leave."""
    return float(row.low or 0) - row.rounding, float(row.high or 0) + row.rounding


def key_of(conditions: Mapping[str, Any]) -> frozenset[tuple[str, Any]]:
    """Return conditions as a key."""
    return frozenset(conditions.items())


FAMILIES = {"transaction_rate": "throughput", "cpu_time_per_transaction": "cpu_consumption"}
FAMILIES |= {"cpu_time": "cpu_consumption"}
"""What summaries name by one word."""
NEWER = ("5.2.0",)
"""The level that a claim is about where it names none, and tables have two."""


def is_case_of(row: Row, wide: Row) -> bool:
    """Return whether a change is one of those that a range of its document sums up."""
    mine, theirs = (FAMILIES.get(each.quantity, each.quantity) for each in (row, wide))
    return (
        mine == theirs
        and row.document == wide.document
        and row.against == wide.against
        and row.of.get("part", ("total",)) == ("total",)
        and all(set(row.of.get(key, ())) <= set(wide.of[key]) != set() for key in wide.of)
        and all(key in row.of for key in wide.of)
    )


def audited() -> Audit:
    """Return all findings."""
    audit, source, rows = Audit(), dataset("zvm-layer2-layer3"), listing()
    for of_tables in (audit_runs, audit_names, audit_changes, audit_units):
        of_tables(audit, source)
    for of_rows in (audit_rates, audit_ratios, audit_line_speed, audit_ranges):
        of_rows(audit, rows)
    return audit


def page(audit: Audit) -> str:
    """Return the findings as Markdown, by law."""
    counts = Counter(finding.law for finding in audit.findings)
    rows = [
        (f"{law}: {what}", str(audit.compared[law]), str(counts[law])) for law, what in LAWS.items()
    ]
    lines = table(("law", "compared", "findings"), rows)
    for law in filter(counts.get, LAWS):
        found = [each for each in audit.findings if each.law == law]
        cells = [(each.place, each.printed, each.allowed) for each in found]
        heading = f"## {law[0].upper()}{law[1:]}: {LAWS[law]}"
        lines += ["", heading, "", *table(("place", "printed", "allowed"), cells)]
    return "\n".join(lines) + "\n"


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Return the lines of a table in Markdown."""
    return [f"| {' | '.join(each)} |" for each in (head, ("---",) * len(head), *rows)]


if __name__ == "__main__":
    text = page(audited())
    if sys.argv[1:]:
        Path(sys.argv[1]).write_text(text, "utf-8")
    else:
        print(text)
