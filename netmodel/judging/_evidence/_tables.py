"""Statements that sum up measured tables."""

from collections.abc import Collection
from dataclasses import replace

from netmodel._numeric import Floats
from netmodel.judging._evidence._book import Book
from netmodel.judging._evidence._computed import Computed, change_in_words
from netmodel.records import Change, Configuration, Relation, StatedQuantity, Statement, adapter

__all__ = ["gains", "layer_differences", "standing_changes", "table_ranges"]

Q = StatedQuantity
_COLUMNS = {
    Q.THROUGHPUT: ("transaction_rate_tps", "data_rate_mb_per_s"),
    Q.TRANSACTION_RATE: ("transaction_rate_tps",),
    Q.CPU_TIME: ("total_cpu_ms_per_transaction", "total_cpu_ms_per_mb"),
    Q.CPU_TIME_PER_TRANSACTION: ("total_cpu_ms_per_transaction",),
    Q.CPU_CONSUMPTION: ("total_cpu_ms_per_mb",),
}
_RATES, _COSTS = _COLUMNS[Q.THROUGHPUT], _COLUMNS[Q.CPU_TIME]


def table_ranges(told: Statement, book: Book) -> Computed | None:
    """What the printed percentages of the measured tables range over."""
    columns = _COLUMNS.get(told.quantity)
    found = _differences(told, book, columns) if columns else None
    if found is None:
        return None
    values, half_widths, how = found
    if told.relation is Relation.SIGN:
        text = f"{values.min():g} to {values.max():g}"
        low, high = (values + half_widths).min(), (values - half_widths).max()
        if told.change is Change.SAME:
            low, high = values.min(), values.max()
        return Computed(low, high, "%", f"{how}, each within its rounding", True, text)
    ratios = 1 + values / 100
    found_change = change_in_words(told, ratios.min(), ratios.max(), how)
    return found_change and replace(found_change, is_spread=True)


def gains(told: Statement, book: Book) -> Computed | None:
    """Whether throughput and CPU time of the measured tables are both better, or both as before."""
    if told.quantity is not Q.GAIN or told.relation is not Relation.SIGN:
        return None
    faster, cheaper = _differences(told, book, _RATES), _differences(told, book, _COSTS)
    if faster is None or cheaper is None:
        return None
    (rates, rate_halves, how), (costs, cost_halves, _) = faster, cheaper
    text = (
        f"{rates.min():g} to {rates.max():g} % throughput, {costs.min():g} to {costs.max():g} % "
        "CPU time"
    )
    if told.change is Change.SAME:
        low, high = min(rates.min(), costs.min()), max(rates.max(), costs.max())
        return Computed(low, high, "", f"{how}, and as many of CPU time", True, text)
    low = min((rates + rate_halves).min(), (-costs + cost_halves).min())
    high = max((rates - rate_halves).max(), (-costs - cost_halves).max())
    return Computed(low, high, "", f"{how}, and as many of CPU time", True, text)


def layer_differences(told: Statement, book: Book) -> Computed | None:
    """How a printed difference between the layers grows from one number of clients to another."""
    baseline = told.baseline
    if told.quantity is not Q.LAYER_DIFFERENCE or baseline is None or told.subject.table is None:
        return None
    differences = book.tables["differences"].where(table=told.subject.table)
    found = []
    for counts in (baseline.connection_counts, told.subject.connection_counts):
        chosen = differences.where(connection_count=counts[0]) if len(counts) == 1 else None
        cells = chosen and dict(
            zip(chosen.text("quantity"), chosen.numbers("difference_percent"), strict=True)
        )
        cost = [name for name in _COLUMNS[Q.CPU_TIME] if cells and name in cells]
        if not cells or not cost:
            return None
        found.append(float(cells[cost[0]]))
    growth = found[1] - found[0]
    how = f"table {told.subject.table} prints {found[0]:g} % and then {found[1]:g} %"
    return Computed(growth, growth, "points", how)


def standing_changes(told: Statement, book: Book) -> Computed | None:
    """How the standing of layer 2 against layer 3 moved from one level of z/VM to the next."""
    baseline = told.baseline
    if told.quantity is not Q.LAYER_DIFFERENCE or baseline is None:
        return None
    if baseline.hypervisor_level is None or not (told.subject.path or "").startswith("zvm-vswitch"):
        return None
    moves: dict[tuple[str, ...], dict[str, float]] = {}
    for cells in book.tables["differences"].rows():
        if cells["comparison"] == "layer3-to-layer2" and cells["quantity"] in _RATES:
            case = (cells["table"], cells["connection_count"])
            found = moves.setdefault(case, {})
            found[cells["hypervisor_level"]] = float(cells["difference_percent"])
    levels = (baseline.hypervisor_level, str(told.subject.hypervisor_level))
    grown = [
        found[levels[1]] - found[levels[0]] for found in moves.values() if {*levels} <= {*found}
    ]
    if not grown:
        return None
    change = f"{levels[1]} less {levels[0]}"
    how = f"throughput of layer 2 against layer 3, {change}, of {len(grown)} cells"
    return Computed(min(grown), max(grown), "points", how, True)


def _differences(
    told: Statement, book: Book, columns: Collection[str]
) -> tuple[Floats, Floats, str] | None:
    """Printed differences of the measured tables that a statement sums up, and their rounding."""
    differences, tables = book.tables["differences"], book.tables["tables"]
    subject, baseline = told.subject, told.baseline
    if told.source != "zvm" or baseline is None or subject.load is not None:
        return None
    versions = baseline.hypervisor_level is not None
    if not versions and (subject.layer, baseline.layer) not in {("2", "3"), (2, 3)}:
        return None
    levels = dict(zip(tables.text("table"), tables.text("hypervisor_level"), strict=True))
    chosen = {cells["table"] for cells in tables.rows() if _is_summed_up(cells, subject, versions)}
    rows = [
        row
        for row, cells in enumerate(differences.rows())
        if cells["table"] in chosen
        and cells["quantity"] in columns
        and _is_counted(cells["connection_count"], subject)
        and (
            cells["comparison"] == "5.1.0-to-5.2.0" and cells["layer"] == str(subject.layer)
            if versions
            else cells["comparison"] == "layer3-to-layer2"
            and cells["hypervisor_level"] == levels[cells["table"]]
        )
    ]
    if not rows:
        return None
    several = "differences" if len(rows) > 1 else "difference"
    how = f"the {len(rows)} {several} of table {', '.join(sorted(chosen, key=int))}"
    return (
        differences.numbers("difference_percent")[rows],
        differences.half_widths("difference_percent")[rows],
        how,
    )


def _is_counted(connection_count: str, subject: Configuration) -> bool:
    return not subject.connection_counts or int(connection_count) in subject.connection_counts


def _is_summed_up(cells: dict[str, str], subject: Configuration, versions: bool) -> bool:
    """Whether a table is one that a statement speaks of."""
    if subject.table is not None and not versions:
        return cells["table"] == str(subject.table)
    if versions == (int(cells["table"]) > 4):
        return False
    path = (subject.path or "").removesuffix("-layer2").removesuffix("-layer3")
    rate = (subject.line_rate or "").removesuffix(" Gbit/s")
    if subject.adapter is not None:
        rate = str(adapter(subject.adapter).line_rate.value)
    return (
        path in ("", cells["path"])
        and rate in ("", cells["link_rate_gbps"])
        and subject.workload in (None, cells["workload"])
        and (subject.mtu_bytes is None or str(subject.mtu_bytes) == cells["mtu_bytes"])
    )
