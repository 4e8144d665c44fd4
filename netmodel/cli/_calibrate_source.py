"""Where the observations of ``netmodel calibrate`` come from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from netmodel._text import near_name
from netmodel.cli._calibrate_results import are_results, of_adapter, of_results
from netmodel.errors import DomainError, ParseError, UnitError, UnknownRecordError
from netmodel.units import split_quantity

if TYPE_CHECKING:
    from netmodel.calibration import Flagged, Observed, Selection
    from netmodel.calibration._observed import Conditions
    from netmodel.consumption import Side
    from netmodel.records import Table

__all__ = [
    "CONDITIONS",
    "FLAGGED",
    "SourceOptions",
    "merged",
    "selection_of",
]

_MOST_WHOLE = 2**53


class _Conditions(click.ParamType["Conditions"]):
    """Names and values such as ``mtu_bytes=4000,direction=in``."""

    name = "name=value,..."

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> "Conditions":
        if not isinstance(value, str):
            return value  # type: ignore[no-any-return]
        return dict(self._one(part, param, ctx) for part in value.split(","))

    def _one(
        self, text: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, float | str]:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            self.fail(
                f"{text!r}: write name=value, such as mtu_bytes=4000; commas between several",
                param,
                ctx,
            )
        try:
            return name, _number_or_text(value)
        except UnitError as error:
            self.fail(f"{name}: {error}", param, ctx)


class _Flagged(click.ParamType["Flagged"]):
    """What becomes of flagged figures, looked up when it is needed."""

    name = "flagged"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> "Flagged":
        from netmodel.calibration import Flagged

        known = {one.value.replace(" ", "-"): one for one in Flagged}
        chosen = click.Choice(list(known)).convert(value, param, ctx)
        return known[chosen]


CONDITIONS = _Conditions()
FLAGGED = _Flagged()


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """Options that say which figures of a source count."""

    where: "tuple[Conditions, ...]"
    figures: tuple[str, ...]
    conditions_from: tuple[str, ...]
    flagged: "Flagged"
    given: "tuple[Conditions, ...]"
    given_of: "tuple[tuple[str, Conditions], ...]"
    adapter_of: "Side | None"
    mtu_bytes: int | None

    def conditions(self) -> "Conditions":
        """What holds for all observations and the source does not tell."""
        told = {} if self.mtu_bytes is None else {"mtu_bytes": self.mtu_bytes}
        return merged((told, *self.given))

    def conditions_of(self) -> "dict[str, Conditions]":
        """What holds for the runs of one file, by its name."""
        names = dict.fromkeys(name for name, _ in self.given_of)
        return {one: merged(at for name, at in self.given_of if name == one) for one in names}


def selection_of(names: Sequence[str], model_name: str, options: SourceOptions) -> "Selection":
    """Observations of a table, a dataset, an adapter or results, those that the options leave."""
    found = _read(names, model_name, options)
    kept = [one for one in found.observed if _fits(one, options.where)]
    if not kept:
        told = "; ".join((*_choices(found.observed, options.where), *found.notes))
        source = ", ".join(names)
        raise click.UsageError(f"{source}: no observation is left{f': {told}' if told else ''}")
    given = options.conditions()
    return replace(found, observed=tuple(_with(one, given) for one in kept))


def _read(names: Sequence[str], model_name: str, options: SourceOptions) -> "Selection":
    if not are_results(names):
        found = _of_one(names[0], options)
        if options.given_of or options.adapter_of:
            raise click.UsageError("--given-of and --adapter-of are for results of tools")
        return found
    if options.figures or options.conditions_from:
        raise click.UsageError("--figures and --condition are for tables: results have no columns")
    if model_name == "adapter":
        return of_adapter(names, options.adapter_of, options.conditions(), options.conditions_of())
    if options.given_of or options.adapter_of:
        raise click.UsageError("--given-of and --adapter-of are for --model adapter")
    return of_results(names)


def _of_one(name: str, options: SourceOptions) -> "Selection":
    from netmodel.calibration import observed_from_adapter
    from netmodel.records import catalog, dataset_ids

    if name.lower().endswith(".csv"):
        return _of_csv(name, options)
    if Path(name).is_dir() or "/" in name or name in dataset_ids():
        return _of_dataset(name, options)
    if name in catalog()["adapters"]:
        if options.figures or options.conditions_from:
            raise click.UsageError("--figures and --condition are for tables: an adapter has none")
        return observed_from_adapter(name)
    known = ", ".join(
        (*dataset_ids(), *(one for one in catalog()["adapters"] if _is_observed(one)))
    )
    raise UnknownRecordError(f"{name!r} is no file or folder, nor one of {known}")


def _of_csv(name: str, options: SourceOptions) -> "Selection":
    from netmodel.calibration import observed_from_csv

    if options.figures:
        raise click.UsageError("--figures is for datasets: the columns of a CSV file tell them")
    found = observed_from_csv(name, conditions=options.conditions_from, flagged=options.flagged)
    if not found.observed and not found.notes:
        raise ParseError(name, "has no row below the column names")
    return found


def _of_dataset(name: str, options: SourceOptions) -> "Selection":
    from netmodel.calibration import observed_from_dataset
    from netmodel.records import dataset, dataset_ids

    source = dataset(name if name in dataset_ids() else Path(name))
    if not options.figures:
        columns = sorted(
            {one.name for table in source.tables.values() for one in table.columns if one.unit}
        )
        raise click.UsageError(f"{name}: choose --figures among its columns {', '.join(columns)}")
    for table in source.tables.values():
        if set(options.figures) <= {one.name for one in table.columns}:
            return observed_from_dataset(
                source,
                _rows_of(name, table, options.where),
                options.figures,
                also_conditions=options.conditions_from,
                flagged=options.flagged,
            )
    known = {one.name for table in source.tables.values() for one in table.columns}
    near = {one: near_name(one, known) for one in options.figures if one not in known}
    meant = (f"{close} may be meant by {one}" for one, close in near.items() if close)
    told = f"{name}: no table has the columns {', '.join(options.figures)}"
    raise DomainError("; ".join((told, *meant)))


def _rows_of(source: str, table: "Table", where: "Sequence[Conditions]") -> "Table":
    """Its rows that fit, as far as its columns tell."""
    names = {one.name for one in table.columns}
    wanted = {name: value for name, value in merged(where).items() if name in names}
    rows = table.where(**wanted)
    if not rows.cells:
        told = (f"{name} is {_listed(table.text(name))}" for name in wanted)
        raise click.UsageError(f"{source}: no row is left of {'; '.join(told)}")
    return rows


def _is_observed(name: str) -> bool:
    from netmodel.records import adapter

    return bool(adapter(name).observations)


def _fits(one: "Observed", where: "Sequence[Conditions]") -> bool:
    """Whether each condition that is asked for holds; ``quantity`` is one."""
    told = {"quantity": one.quantity, **one.at}
    return all(_same(told.get(name), value) for wanted in where for name, value in wanted.items())


def _same(told: object, wanted: float | str | bool) -> bool:
    return told == wanted or str(told).lower() == str(wanted).lower()


def _choices(observed: "Sequence[Observed]", where: "Sequence[Conditions]") -> list[str]:
    """What the conditions that were asked for may be."""
    names = dict.fromkeys(name for wanted in where for name in wanted)
    found = []
    for name in names:
        values = (one.quantity if name == "quantity" else one.at.get(name) for one in observed)
        told = _listed(value for value in values if value is not None)
        near = near_name(name, (other for one in observed for other in one.at))
        hint = f", {near} may be meant" if near and not told else ""
        found.append(f"{name} is {told or 'not told'}{hint}")
    return found


def _listed(values: Iterable[object]) -> str:
    """Each different value once, in their order."""
    return ", ".join(dict.fromkeys(map(str, values)))


def _with(one: "Observed", given: "Conditions") -> "Observed":
    """The observation with these conditions too; it must not contradict them."""
    from netmodel.calibration._observed import conditions_with

    at = conditions_with(one.at, given)
    for name, value in given.items():
        if name in one.at and not _same(one.at[name], value):
            raise click.UsageError(f"{one.name}: {name} is {one.at[name]}, given is {value}")
    return replace(one, at=at)


def merged(several: "Iterable[Conditions]") -> "dict[str, float | str | bool]":
    """All conditions of several options, the last of each name."""
    return {name: value for one in several for name, value in one.items()}


def _number_or_text(value: str) -> float | str:
    """A number of those that are read; a word where it is none at all."""
    try:
        float(value)
    except ValueError:
        return value
    number, rest = split_quantity(value)
    if rest:
        raise UnitError(f"{value!r} is not a number")
    is_whole = number == number.to_integral_value() and abs(number) < _MOST_WHOLE
    return int(number) if is_whole else float(number)
