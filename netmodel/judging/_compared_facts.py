"""Published comparisons of two cases: of statements, of printed changes and of measured rows."""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product
from typing import TypeAlias

from netmodel._grades import Grade
from netmodel.calibration._conditions import traffic_under
from netmodel.calibration._documents import part_of_column
from netmodel.calibration._observed import as_ratio, base_quantity
from netmodel.errors import DomainError, NetmodelError
from netmodel.records import Dataset, Statement, dataset, dataset_ids, statements
from netmodel.records._datasets import ChangesAgreeCheck, Lookup
from netmodel.records._load import stamped, statement_files
from netmodel.records._subjects import Configuration, QuantityKind
from netmodel.units._prefixes import WHOLE_PERCENT

Value: TypeAlias = int | float | str | bool | frozenset[str]
Case: TypeAlias = Mapping[str, Value]
"""Conditions by the names that subjects of statements have; a path has all its names."""

PATH, COUNT, SIDE, PART = "path", "connection_counts", "side", "part"
IMPLIED_BY_PATH = frozenset(
    {"layer", "adapter", "host", "line_rate", "hypervisor_level", "interface", "processor_type"}
)
"""Conditions that go with a path, so that they may differ where two paths are compared."""
TRANSPORT, DISTANCE = "transport", "distance_km"
IMPLIED_BY_TRANSPORT = frozenset({"adapter", "sender_adapter", "receiver_adapter", DISTANCE})
"""Conditions that go with a transport: RDMA needs adapters of its own, and documents name the
distance of both cases with one of them."""
WORDS = frozenset({"interface", "setting", "version", "tool", "item", "load", "payload"})
"""Conditions in the words of a document, which belong to one side of a comparison only."""
REVERSED = "reversed: "
"""Before a printed figure of the other way round."""
_OPPOSITES = {"higher": "lower", "shorter": "longer", "better": "worse"}
_OPPOSITES |= {back: there for there, back in _OPPOSITES.items()} | {"unchanged": "unchanged"}
_PERCENT_RATIO = 1 / WHOLE_PERCENT
_NUMBERS_OF_TABLES = frozenset({"mtu_bytes", "layer", "connection_count", "trunk_count"})
_QUANTITIES = {
    "throughput_bps": "throughput",
    "transaction_rate_tps": "transaction_rate",
    "transaction_time_s": "transaction_time",
    "cpu_us_per_gbit": "cpu_consumption",
    "cpu_s_per_transaction": "cpu_time_per_transaction",
}
"""Quantities of columns, by the names that they have in statements."""
_CACHED_COLLECTIONS = 2
"""The bundled facts, and those with one set of directories of a user's own."""


@dataclass(frozen=True, slots=True)
class Fact:
    """
    What a document says on the ratio of one quantity in two cases.

    Parameters
    ----------
    id : str
        Id of the statement, or dataset and place in it.
    quantity : str
        As statements name it.
    subject, baseline : mapping
        Conditions of both cases.
    low, high : float
        Ratio of subject to baseline that it allows; 0 and infinite where an end is open,
        NaN where it is no ratio.
    printed : str
        As printed, such as ``"40 % lower"``.
    source, locator : str
        Document, and place in it.
    grade : Grade
        Grade of the evidence.
    statement : Statement, optional
        Where it is one.
    """

    id: str
    quantity: str
    subject: Case
    baseline: Case
    low: float
    high: float
    printed: str
    source: str
    locator: str
    grade: Grade
    statement: Statement | None = field(default=None, compare=False, repr=False)

    @property
    def has_ratio(self) -> bool:
        """Whether it bounds the ratio."""
        return not math.isnan(self.low)

    def reversed(self) -> "Fact":
        """The same with the cases exchanged."""
        low = 1 / self.high if self.high else math.inf
        high = 1 / self.low if self.low else math.inf
        return replace(
            self,
            subject=self.baseline,
            baseline=self.subject,
            low=low,
            high=high,
            printed=_OPPOSITES.get(self.printed, f"{REVERSED}{self.printed}"),
        )


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured figure of one case, with the rounding of its digits."""

    id: str
    quantity: str
    case: Case
    low: float
    high: float
    printed: str
    source: str
    locator: str
    grade: Grade

    def over(self, other: "Figure") -> Fact:
        """Its ratio to another figure of the quantity."""
        return Fact(
            f"{self.id} and {other.id}",
            self.quantity,
            self.case,
            other.case,
            self.low / other.high if other.high else math.inf,
            self.high / other.low if other.low > 0 else math.inf,
            f"{self.printed} against {other.printed}",
            self.source,
            self.locator if self.locator == other.locator else f"{self.locator}; {other.locator}",
            self.grade,
        )


@dataclass(frozen=True, slots=True)
class Published:
    """All comparisons and figures of the documents."""

    facts: tuple[Fact, ...]
    figures: tuple[Figure, ...]

    def cases(self) -> Iterator[Case]:
        """Every case that any of them names."""
        for fact in self.facts:
            yield fact.subject
            yield fact.baseline
        for figure in self.figures:
            yield figure.case


def published() -> Published:
    """Comparisons and figures of the bundled documents, and of registered directories."""
    return _of_files(stamped(statement_files()), dataset_ids())


@lru_cache(maxsize=_CACHED_COLLECTIONS)
def _of_files(files: Hashable, ids: tuple[str, ...]) -> Published:
    names = _PathNames(tuple(map(dataset, ids)))
    facts = [fact for each in statements() for fact in _of_statement(each, names)]
    figures: list[Figure] = []
    for name in ids:
        source = dataset(name)
        facts += _changes(source, names)
        figures += _figures(source, names)
    return Published(tuple(facts), tuple(figures))


class _PathNames:
    """All names of a path: its id in the catalog, and what documents and tables call it."""

    def __init__(self, sources: tuple[Dataset, ...]) -> None:
        self._ids: dict[str, set[str]] = defaultdict(set)
        self._labels: dict[str, set[str]] = defaultdict(set)
        for each in statements():
            for name in each.paths:
                if each.subject.path is not None:
                    self._link(name, each.subject.path)
        self._rows = [link for source in sources for link in source.paths]
        for row in self._rows:
            if PATH in row.where:
                self._link(row.path, str(row.where[PATH]))

    def _link(self, name: str, label: str) -> None:
        self._ids[label].add(name)
        self._labels[name].add(label)

    def of_label(self, label: str, ids: tuple[str, ...] = ()) -> frozenset[str]:
        """Names of a path of a statement."""
        known = set(ids) or self._ids[label]
        return frozenset({label, *known}.union(*(self._labels[name] for name in known)))

    def of_row(self, cells: Mapping[str, str]) -> frozenset[str]:
        """Names of the path of a row of a table."""
        label = cells[PATH]
        ids = [
            row.path
            for row in self._rows
            if all(
                not cells.get(name) or cells[name] == str(each) for name, each in row.where.items()
            )
        ]
        return frozenset({label, *ids}.union(*(self._labels[name] for name in ids)))


def conditions(configuration: Configuration) -> dict[str, Value]:
    """Conditions of a subject without workloads and numbers of connections."""
    parts = configuration.model_dump(
        exclude_defaults=True, exclude={"workload", "workloads", COUNT, "table"}
    )
    result: dict[str, Value] = {
        name: value if isinstance(value, bool | str | int) else float(value)
        for name, value in parts.items()
    }
    ends = [result.get("sender_adapter"), result.get("receiver_adapter")]
    if ends[0] is not None and ends[0] == ends[1]:
        del result["sender_adapter"], result["receiver_adapter"]
        result["adapter"] = ends[0]
    return result


def _of_statement(about: Statement, names: _PathNames) -> Iterator[Fact]:
    if about.baseline is None or about.change is None:
        return
    low, high = math.nan, math.nan
    if about.quantity is not QuantityKind.GAIN:
        low, high = _ratio(about)
    subject = about.subject.model_dump(exclude_defaults=True)
    given = Configuration(**{**subject, **about.baseline.model_dump(exclude_defaults=True)})
    cases = [conditions(about.subject), conditions(given)]
    for case, ids in zip(cases, (about.paths, ()), strict=True):
        label = case.get(PATH)
        # without a label of its own, the path is the one that the file links
        if isinstance(label, str):
            is_own = label == about.subject.path
            case[PATH] = names.of_label(label, about.paths if is_own else ids)
        elif about.paths:
            case[PATH] = frozenset(about.paths)
    works = about.subject.all_workloads or ("",)
    counts = about.subject.connection_counts or (0,)
    for workload, count in product(works, counts):
        at: dict[str, Value] = {}
        if workload:
            at["workload"] = workload
        if count:
            at[COUNT] = count
        other = dict(at)
        if about.baseline.connection_counts:
            (other[COUNT],) = about.baseline.connection_counts[:1]
        yield Fact(
            about.id,
            about.quantity.value,
            _sided({**cases[0], **at}),
            _sided({**cases[1], **other}),
            low,
            high,
            about.amount_text,
            about.source,
            about.locator,
            about.grade,
            about,
        )


def _ratio(about: Statement) -> tuple[float, float]:
    """Smallest and largest ratio that the words allow."""
    from netmodel.calibration._documents import _CHANGE_UNITS, _scaled

    assert about.change is not None
    try:
        scale = _CHANGE_UNITS.get(about.unit or "")
        figure = as_ratio(about.change, _scaled(about, scale))
    except DomainError:
        return math.nan, math.nan
    low, high = figure.low, figure.high
    if about.low is not None and about.low < 0 and about.interval is not None:
        ends = (1 + float(end) * _PERCENT_RATIO for end in about.interval)
        low, high = ends
    return low, high


def _sided(case: dict[str, Value]) -> Case:
    """With client or server in place of sender or receiver, where the workload decides."""
    if case.get(SIDE) in ("sender", "receiver") and "workload" in case:
        try:
            sender = traffic_under({"workload": str(case["workload"])}).sender
        except NetmodelError:
            return case
        case[SIDE] = (sender if case[SIDE] == "sender" else sender.other).value
    return case


# Tables


def _row_case(cells: Mapping[str, str], names: _PathNames) -> dict[str, Value]:
    """Conditions of a row: the columns that subjects of statements have too."""
    case: dict[str, Value] = {}
    for name, cell in cells.items():
        if not cell:
            continue
        if name == "link_rate_gbps":
            case["line_rate"] = f"{cell} Gbit/s"
        elif name == "connection_count":
            case[COUNT] = int(cell)
        elif name == PATH:
            case[PATH] = names.of_row(cells)
        elif name in Configuration.model_fields and name != "table":
            case[name] = int(cell) if name in _NUMBERS_OF_TABLES else cell
    return case


def _looked_up(source: Dataset, cells: Mapping[str, str], wanted: Lookup) -> str:
    table = source.tables[wanted.file]
    places = dict(zip(table.text(wanted.key), table.text(wanted.column), strict=True))
    return places.get(cells[wanted.key], "")


def _lookups(source: Dataset, columns: set[str]) -> dict[str, Lookup]:
    """Conditions of a row that other files of the dataset hold, by their names."""
    found: dict[str, Lookup] = {}
    for check in source.checks:
        for each in (getattr(check, "matches", None), *getattr(check, "keys", ())):
            if isinstance(each, Lookup) and each.key in columns and each.column not in columns:
                found.setdefault(each.column, each)
    return found


def _changes(source: Dataset, names: _PathNames) -> Iterator[Fact]:
    """Printed changes of a table, by the comparisons that its checks declare."""
    for check in source.checks:
        if not isinstance(check, ChangesAgreeCheck):
            continue
        table = source.tables[check.file]
        lookups = {each.column: each for each in check.keys if isinstance(each, Lookup)}
        numbers, half_widths = table.numbers(check.change), table.half_widths(check.change)
        units = {column.name: column for each in source.tables.values() for column in each.columns}
        for row, cells in enumerate(table.rows()):
            known = {**cells, **{name: _looked_up(source, cells, n) for name, n in lookups.items()}}
            column = units.get(cells.get("quantity", ""))
            of_unit = None if column is None else base_quantity(column)
            if column is None or of_unit is None or math.isnan(numbers[row]):
                continue
            for each in check.comparisons:
                if any(cells[name] != cell for name, cell in each.where.items()):
                    continue
                after, before = (
                    _row_case({**known, each.compared: side}, names)
                    for side in (each.after, each.before)
                )
                part = _part(source, column.name)
                ends = (numbers[row] - half_widths[row], numbers[row] + half_widths[row])
                low, high = (max(0.0, 1 + float(end) * _PERCENT_RATIO) for end in ends)
                place = source.place(table, row, check.change)
                printed = table.text(check.change)[row]
                yield Fact(
                    f"{source.id}, {table.name}, row {table.row_numbers[row]}",
                    _QUANTITIES[of_unit[0]],
                    {**after, **part},
                    {**before, **part},
                    low,
                    high,
                    f"{'' if printed.startswith('-') else '+'}{printed} %",
                    source.source,
                    place,
                    source.grade,
                )


def _figures(source: Dataset, names: _PathNames) -> Iterator[Figure]:
    """Measured figures of the tables of a dataset."""
    for table in source.tables.values():
        columns = {column.name for column in table.columns}
        # a line rate is a condition, and no figure
        of_links = {name for link in source.paths for name in link.where}
        found = [column for column in table.columns if column.name not in of_links]
        lookups = _lookups(source, columns)
        rows = list(table.rows())
        for column in found:
            of_unit = base_quantity(column)
            if of_unit is None or not {PATH, "adapter"} & columns:
                continue
            part = _part(source, column.name)
            numbers, half_widths = table.numbers(column.name), table.half_widths(column.name)
            for row, cells in enumerate(rows):
                if math.isnan(numbers[row]):
                    continue
                more = {name: _looked_up(source, cells, each) for name, each in lookups.items()}
                yield Figure(
                    f"{source.id}, {table.name}, row {table.row_numbers[row]}",
                    _QUANTITIES[of_unit[0]],
                    {**_row_case({**cells, **more}, names), **part},
                    float(numbers[row] - half_widths[row]),
                    float(numbers[row] + half_widths[row]),
                    table.text(column.name)[row],
                    source.source,
                    source.place(table, row, column.name),
                    source.grade,
                )


def _part(source: Dataset, column: str) -> dict[str, Value]:
    """Side and part that a column is of; only CPU time is of a side."""
    part: dict[str, Value] = {}
    for table in source.tables.values():
        part |= {name: str(value) for name, value in part_of_column(source, table, column).items()}
    if "cpu" in column and source.side is not None:
        part[SIDE] = source.side.value
    return part
