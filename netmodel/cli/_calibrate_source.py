"""Where the observations of ``netmodel calibrate`` come from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from netmodel._text import near_name
from netmodel.cli._files import results_in
from netmodel.cli._options import COUNT, SIZE, mtu_option, option, option_group
from netmodel.consumption import Side
from netmodel.errors import DomainError, ParseError, UnitError, UnknownRecordError
from netmodel.units import split_quantity

if TYPE_CHECKING:
    from netmodel.calibration import Flagged, Observed, Selection
    from netmodel.calibration._observed import Conditions
    from netmodel.records import Table

_DATASET = "dataset.toml"
_EXACT_BELOW = 2**53
"""Whole numbers that a float of 64 bits (IEEE 754) holds exactly."""
_OPTION_NAMES = {"mtu": ("mtu_bytes", SIZE), "connections": ("connection_count", COUNT)}
"""Names of options that stand for a column in name=value, with units as in the option."""
_REMEDIES = (
    "--mtu gives it for all runs, --given-of FILE mtu_bytes=1500 for one file; --adapter-of client "
    "or --adapter-of server whose adapter it is"
)


class _Conditions(click.ParamType["Conditions"]):
    """Names and values such as ``mtu_bytes=4000,direction=in``."""

    name = "name=value,..."

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> "Conditions":
        if isinstance(value, dict):
            return value
        conditions: dict[str, float | str] = {}
        for part in str(value).split(","):
            name, equals, text = (each.strip() for each in part.partition("="))
            if not (name and equals and text):
                self.fail(
                    f"{part!r}: write name=value, such as mtu_bytes=4000; commas between several",
                    param,
                    ctx,
                )
            column, kind = _OPTION_NAMES.get(name, (name, None))
            if column in conditions:
                self.fail(f"{value!r}: {column} is given twice", param, ctx)
            try:
                conditions[column] = (
                    _number_or_text(text) if kind is None else kind.convert(text, param, ctx)
                )
            except UnitError as error:
                self.fail(f"{name}: {error}", param, ctx)
        return conditions


class _Flagged(click.ParamType["Flagged"]):
    """What becomes of flagged figures, looked up when it is needed."""

    name = "flagged"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> "Flagged":
        from netmodel.calibration import Flagged

        known = {each.value.replace(" ", "-"): each for each in Flagged}
        return known[click.Choice(list(known)).convert(value, param, ctx)]


CONDITIONS = _Conditions()


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """Which figures of a source count."""

    where: "tuple[Conditions, ...]"
    figures: tuple[str, ...]
    conditions_from: tuple[str, ...]
    flagged: "Flagged"
    given: "tuple[Conditions, ...]"
    given_of: "tuple[tuple[str, Conditions], ...]"
    adapter_of: Side | None
    mtu_bytes: int | None

    def conditions(self) -> "Conditions":
        """Conditions of all observations that the source does not have."""
        mtu = {} if self.mtu_bytes is None else {"mtu_bytes": self.mtu_bytes}
        return merged((mtu, *self.given))

    def selection(self, names: Sequence[str], model_name: str) -> "Selection":
        """Observations of a table, a dataset, an adapter or results that the options select."""
        if _are_results(names):
            selection = self._of_results(names, model_name)
        else:
            selection = self._of_table_or_adapter(names[0])
            if self.given_of or self.adapter_of:
                raise click.UsageError("--given-of and --adapter-of are for results of tools")
        kept = [each for each in selection.observed if _fits(each, self.where)]
        if not kept:
            reasons = "; ".join((*_choices(selection.observed, self.where), *selection.notes))
            source = ", ".join(names)
            raise click.UsageError(
                f"{source}: no observation is left{f': {reasons}' if reasons else ''}"
            )
        given = self.conditions()
        return replace(selection, observed=tuple(_with(each, given) for each in kept))

    def _of_results(self, names: Sequence[str], model_name: str) -> "Selection":
        """What result files report, each run once."""
        from netmodel.calibration import observed_from_measurements, observed_of_adapter
        from netmodel.readers import Measurement, join_ends
        from netmodel.readers._find_results import UnreadableResult

        if self.figures or self.conditions_from:
            raise click.UsageError("--figures and --condition are for tables, not for results")
        if model_name != "adapter" and (self.given_of or self.adapter_of):
            raise click.UsageError("--given-of and --adapter-of are for --model adapter")
        rows = results_in(names).rows
        broken = [each for each in rows if isinstance(each, UnreadableResult)]
        if broken:
            first, *others = broken
            more = (f"{each.path}: {each.problem}" for each in others)
            raise ParseError(first.path, "\n".join((first.problem, *more)))
        runs = [each for each in join_ends(rows) if isinstance(each, Measurement)]
        if model_name != "adapter":
            return observed_from_measurements(runs)
        files = dict.fromkeys(name for name, _ in self.given_of)
        given_of = {
            file: merged(at for name, at in self.given_of if name == file) for file in files
        }
        try:
            return observed_of_adapter(runs, self.adapter_of, self.conditions(), given_of)
        except DomainError as error:
            raise click.UsageError(f"{error} ({_REMEDIES})") from error

    def _of_table_or_adapter(self, name: str) -> "Selection":
        from netmodel.calibration import observed_from_adapter, observed_from_csv
        from netmodel.records import adapter, catalog, dataset_ids

        if name.lower().endswith(".csv"):
            if self.figures:
                raise click.UsageError("--figures is for datasets; a CSV file names its columns")
            selection = observed_from_csv(
                name, conditions=self.conditions_from, flagged=self.flagged
            )
            if not selection.observed and not selection.notes:
                raise ParseError(name, "has no row below the column names")
            return selection
        if Path(name).is_dir() or "/" in name or name in dataset_ids():
            return self._of_dataset(name)
        if name in catalog()["adapters"]:
            if self.figures or self.conditions_from:
                raise click.UsageError("--figures and --condition are for tables, not for adapters")
            return observed_from_adapter(name)
        observed_ids = (each for each in catalog()["adapters"] if adapter(each).observations)
        known = ", ".join((*dataset_ids(), *observed_ids))
        raise UnknownRecordError(f"{name!r} is no file or folder, nor one of {known}")

    def _of_dataset(self, name: str) -> "Selection":
        from netmodel.calibration import observed_from_dataset
        from netmodel.records import dataset, dataset_ids

        source = dataset(name if name in dataset_ids() else Path(name))
        tables = source.tables.values()
        if not self.figures:
            columns = sorted({each.name for table in tables for each in table.columns if each.unit})
            raise click.UsageError(
                f"{name}: choose --figures among its columns {', '.join(columns)}"
            )
        for table in tables:
            if set(self.figures) <= {each.name for each in table.columns}:
                return observed_from_dataset(
                    source,
                    _rows_of(name, table, self.where),
                    self.figures,
                    also_conditions=self.conditions_from,
                    flagged=self.flagged,
                )
        known = {each.name for table in tables for each in table.columns}
        near = {each: near_name(each, known) for each in self.figures if each not in known}
        meant = (f"{close} may be meant by {each}" for each, close in near.items() if close)
        problem = f"{name}: no table has the columns {', '.join(self.figures)}"
        raise DomainError("; ".join((problem, *meant)))


source_options = option_group(
    "source",
    SourceOptions,
    option(
        "--where",
        type=CONDITIONS,
        multiple=True,
        help="Only observations with these conditions, such as workload=awm-str,layer=3.",
    ),
    option(
        "--figures",
        multiple=True,
        metavar="COLUMN",
        help="Column of a dataset to calibrate from; repeat it for several.",
    ),
    option(
        "--condition",
        "conditions_from",
        multiple=True,
        metavar="COLUMN",
        help="Column of figures that is a condition of the others, such as transaction_rate_tps.",
    ),
    option(
        "--flagged",
        type=_Flagged(),
        default="refused",
        show_default=True,
        metavar="[refused|weighted-down|used]",
        help="What to do with figures that an audit flagged.",
    ),
    option(
        "--given",
        type=CONDITIONS,
        multiple=True,
        help="Conditions missing from the input, such as response_bytes=20000000.",
    ),
    option(
        "--given-of",
        type=(str, CONDITIONS),
        multiple=True,
        metavar="FILE NAME=VALUE,...",
        help="Conditions missing from one file, such as a.json mtu_bytes=1500.",
    ),
    option(
        "--adapter-of",
        type=click.Choice(Side, case_sensitive=False),
        help="Side whose adapter is calibrated: decides which direction is in, which out.",
    ),
    mtu_option(),
)
"""Which figures count, as ``source: SourceOptions``."""


def _are_results(names: Sequence[str]) -> bool:
    """Whether these are files and folders of results: neither one table nor one dataset."""
    (first, *others) = names
    if others:
        return True
    path = Path(first)
    if path.is_dir():
        return not (path / _DATASET).exists()
    return path.is_file() and path.suffix.lower() != ".csv"


def _rows_of(source: str, table: "Table", where: "Sequence[Conditions]") -> "Table":
    """Its rows that fit, as far as its columns are conditions."""
    names = {each.name for each in table.columns}
    wanted = {name: value for name, value in merged(where).items() if name in names}
    rows = table.where(**wanted)
    if not rows.cells:
        values = (f"{name} is {_listed(table.text(name))}" for name in wanted)
        raise click.UsageError(f"{source}: no row is left of {'; '.join(values)}")
    return rows


def _fits(observed: "Observed", where: "Sequence[Conditions]") -> bool:
    """Whether each wanted condition holds; ``quantity`` is one."""
    held = {"quantity": observed.quantity, **observed.at}
    return all(_same(held.get(name), value) for wanted in where for name, value in wanted.items())


def _same(held: object, wanted: float | str | bool) -> bool:
    return held == wanted or str(held).lower() == str(wanted).lower()


def _choices(observed: "Sequence[Observed]", where: "Sequence[Conditions]") -> list[str]:
    """What the wanted conditions may be."""
    texts = []
    for name in dict.fromkeys(name for wanted in where for name in wanted):
        held = (each.quantity if name == "quantity" else each.at.get(name) for each in observed)
        values = _listed(value for value in held if value is not None)
        near = near_name(name, (other for each in observed for other in each.at))
        hint = f", {near} may be meant" if near and not values else ""
        texts.append(f"{name} is {values or 'not reported'}{hint}")
    return texts


def _listed(values: Iterable[object]) -> str:
    """Each different value once, in their order."""
    return ", ".join(dict.fromkeys(map(str, values)))


def _with(observed: "Observed", given: "Mapping[str, float | str | bool]") -> "Observed":
    """The observation with these conditions too; it must not contradict them."""
    from netmodel.calibration._observed import conditions_with

    at = conditions_with(observed.at, given)
    for name, value in given.items():
        if name in observed.at and not _same(observed.at[name], value):
            raise click.UsageError(
                f"{observed.name}: {name} is {observed.at[name]}, given is {value}"
            )
    return replace(observed, at=at)


def merged(conditions: "Iterable[Conditions]") -> "dict[str, float | str | bool]":
    """All conditions of several options, the last of each name."""
    return {name: value for each in conditions for name, value in each.items()}


def _number_or_text(value: str) -> float | str:
    """A number in base units; a word where it is none at all."""
    try:
        float(value)
    except ValueError:
        return value
    number, rest = split_quantity(value)
    if rest:
        raise UnitError(f"{value!r} is not a number")
    is_whole = number == number.to_integral_value() and abs(number) < _EXACT_BELOW
    return int(number) if is_whole else float(number)
