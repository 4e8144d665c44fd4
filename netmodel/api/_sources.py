"""Observations to calibrate from: results of tools, tables, datasets, adapters, objects."""

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from netmodel.api._named_values import named_values
from netmodel.api.arguments import (
    ArgumentsError,
    WrongValueError,
    choice,
    listed_values,
    refuse,
)
from netmodel.calibration import (
    Flagged,
    Observed,
    Selection,
    observed_from_dataset,
    observed_from_records,
)
from netmodel.calibration._observed import (
    OF_ADAPTER,
    RATES,
    Conditions,
    conditions_with,
    without_zeros,
)
from netmodel.consumption import Side
from netmodel.errors import ContradictionError, DomainError, ParseError, UnknownRecordError
from netmodel.reading import is_directory, is_file, status_of
from netmodel.records import Relation, adapter, catalog, dataset, dataset_ids
from netmodel.text import meant_text, near_name

if TYPE_CHECKING:
    import pandas

    from netmodel.readers import FoundResults, Measurement

Source: TypeAlias = "str | os.PathLike[str] | pandas.DataFrame"

_FASTEST_LINE_BPS = 1e15
"""Beyond any line: what remains are the limits that a run reports of itself."""


def selected(
    sources: "Source | Iterable[Source]",
    model_name: str,
    asked: Mapping[str, Any],
    given: Conditions,
    read: "Callable[[Sequence[str]], FoundResults] | None" = None,
) -> Selection:
    """
    Observations that count, with the arguments of `netmodel.calibrate`.

    Raises
    ------
    ContradictionError
        If an argument is for another kind of source, or no observation is left.
    DomainError
        If a dataset has no such columns, or a condition is missing.
    ParseError
        If a file cannot be read.
    UnknownRecordError
        If nothing has that name.
    """
    names, where = names_of(sources), named_values("where", asked["where"])
    columns = {key: listed_values(asked[key]) or None for key in ("figures", "condition")}
    side = None if asked["side"] is None else choice("side", asked["side"], Side)
    flagged = Flagged(asked["flagged"])
    if names is None:
        if not hasattr(sources, "itertuples"):
            got = type(sources).__name__
            raise DomainError(f"sources must be files or ids, or a table of pandas; got {got}")
        found = _of_table(sources, columns, flagged)
    elif _are_results(names):
        refuse("{name} is for tables, not for results", **columns)
        if model_name != "adapter":
            refuse("{name} is for the model adapter", side=side)
        found = _of_results((read or _read)(names), model_name, side, given)
    else:
        found = _of_name(names[0], where, columns, flagged)
        refuse("{name} is for results of tools", side=side)
    selection = without_zeros(found)
    left = [each for each in selection.observed if _fits(each, where)]
    if not left:
        reasons = "; ".join((*_choices(selection.observed, where), *selection.notes))
        raise ArgumentsError(
            "{source}: no observation is left{reasons}",
            source=", ".join(names or ["the observations"]),
            reasons=f": {reasons}" if reasons else "",
        )
    return replace(selection, observed=tuple(_with(each, given) for each in left))


def names_of(sources: "Source | Iterable[Source]") -> list[str] | None:
    """The files or ids that sources are; None where they are objects."""
    if isinstance(sources, str | os.PathLike):
        return [os.fspath(sources)]
    if not isinstance(sources, list | tuple | set | frozenset):
        return None
    names = [os.fspath(each) for each in sources if isinstance(each, str | os.PathLike)]
    return names if names and len(names) == len(sources) else None


def _read(names: Sequence[str]) -> "FoundResults":
    from netmodel.api._results import found_results  # readers are loaded where results are read

    return found_results(names)


def _of_table(source: Any, columns: Mapping[str, Any], flagged: Flagged) -> Selection:
    from netmodel.calibration import observed_from_table

    return observed_from_table(source, conditions=columns["condition"] or (), flagged=flagged)


def _are_results(names: Sequence[str]) -> bool:
    """Whether these are files and directories of results: neither one table nor one dataset."""
    path = Path(names[0])
    if len(names) > 1 or not is_directory(path):
        return len(names) > 1 or (is_file(path) and path.suffix.lower() != ".csv")
    return status_of(path / "dataset.toml") is None


def _of_results(
    results: "FoundResults", model_name: str, side: Side | None, given: Conditions
) -> Selection:
    """What results report, each run once."""
    from netmodel.calibration import observed_from_measurements, observed_of_adapter
    from netmodel.readers import Measurement, join_ends
    from netmodel.readers._find_results import UnreadableResult

    broken = [each for each in results.rows if isinstance(each, UnreadableResult)]
    if broken:
        first, *others = broken
        more = (f"{each.path}: {each.problem}" for each in others)
        raise ParseError(first.path, "\n".join((first.problem, *more)))
    runs = [each for each in join_ends(results.rows) if isinstance(each, Measurement)]
    if model_name != "adapter":
        return observed_from_measurements(runs)
    try:
        return _limited_elsewhere(observed_of_adapter(runs, side, given), runs)
    except DomainError as error:
        raise WrongValueError(
            "{reason} ({mtu_bytes} gives it for all runs; {side}, client or server, whose adapter "
            "it is)",
            reason=error,
        ) from error


def _limited_elsewhere(seen: Selection, runs: "Iterable[Measurement]") -> Selection:
    """
    Observations of an adapter, where a run that something else limited is a lower bound.

    That is what `check` calls limited by the window or the CPUs, on a line that is faster than any:
    the adapter carried that much, and may carry more.
    """
    from netmodel.checking import Outcome, SpecifiedLine, check

    carriers: dict[tuple[str, float | None], str] = {}
    for run in runs:
        source = run.source if run.part is None else f"{run.source}, {run.part}"
        line = SpecifiedLine(_FASTEST_LINE_BPS, mtu_bytes=run.path_mtu_bytes)
        with suppress(DomainError, ContradictionError):
            verdict = check(run, line)
            limit = verdict.explained_by
            # of a host, and neither of the path nor by loss
            is_of_host = limit is not None and limit.name.endswith(("window", "_cpus", "_process"))
            if limit is not None and is_of_host and verdict.outcome is Outcome.LIMITED:
                carriers[source, run.goodput_bps] = limit.carrier or limit.name
    result, limited = list(seen.observed), dict[str, list[str]]()
    for place, each in enumerate(seen.observed):
        carrier = carriers.get((each.place, each.value)) if each.quantity == RATES[0] else None
        if carrier is not None:
            limited.setdefault(carrier, []).append(each.name)
            result[place] = replace(each, high=math.inf, relation=Relation.AT_LEAST)
    notes = (
        f"{first}{f' and {len(others)} more' if others else ''}: limited by {carrier}: "
        f"{'lower bounds' if others else 'a lower bound'} {OF_ADAPTER}"
        for carrier, (first, *others) in limited.items()
    )
    return Selection(tuple(result), (*notes, *seen.notes))


def _of_name(
    name: str, where: Sequence[Conditions], columns: Mapping[str, Any], flagged: Flagged
) -> Selection:
    """Observations of a table, a dataset or an adapter."""
    if name.lower().endswith(".csv"):
        refuse("{name} is for datasets; a CSV file names its columns", figures=columns["figures"])
        table = _of_table(name, columns, flagged)
        if not table.observed and not table.notes:
            raise ParseError(name, "has no row below the column names")
        return table
    if is_directory(name) or "/" in name or name in dataset_ids():
        return _of_dataset(name, where, columns, flagged)
    if name in catalog()["adapters"]:
        refuse("{name} is for tables, not for adapters", **columns)
        return observed_from_records(adapter(name))
    observed_ids = (each for each in catalog()["adapters"] if adapter(each).observations)
    known = (*dataset_ids(), *observed_ids)
    raise UnknownRecordError(
        f"{name!r} is not a file or directory, nor one of {', '.join(known)}"
        f"{meant_text(name, known)}"
    )


def _of_dataset(
    name: str, where: Sequence[Conditions], columns: Mapping[str, Any], flagged: Flagged
) -> Selection:
    source, figures = dataset(name if name in dataset_ids() else Path(name)), columns["figures"]
    names_of_tables = {
        key: {each.name for each in table.columns} for key, table in source.tables.items()
    }
    known = set[str]().union(*names_of_tables.values())
    if not figures:
        of_units = {
            each.name for table in source.tables.values() for each in table.columns if each.unit
        }
        problem = "{name}: choose {figures} among its columns {columns}"
        raise ArgumentsError(problem, name=name, columns=", ".join(sorted(of_units)))
    for key, names in names_of_tables.items():
        if names.issuperset(figures):
            # rows that fit, as far as columns are conditions; the others are chosen later
            wanted = {key: each[key] for each in where for key in each if key in names}
            table = source.tables[key]
            rows = table.where(**wanted)
            if not rows.cells:
                values = (f"{each} is {_listed(table.text(each))}" for each in wanted)
                raise ContradictionError(f"{name}: no row is left of {'; '.join(values)}")
            conditions = columns["condition"] or ()
            return observed_from_dataset(
                source, rows, figures, also_conditions=conditions, flagged=flagged
            )
    near = {each: near_name(each, known) for each in figures if each not in known}
    meant = (f"{close} may be meant by {each}" for each, close in near.items() if close)
    problem = f"{name}: no table has the columns {', '.join(figures)}"
    raise DomainError("; ".join((problem, *meant)))


def _fits(observed: Observed, where: Sequence[Conditions]) -> bool:
    """Whether each wanted condition holds; ``quantity`` is one."""
    held = {"quantity": observed.quantity, **observed.at}
    return all(_same(held.get(name), value) for wanted in where for name, value in wanted.items())


def _same(held: object, wanted: float | str | bool) -> bool:
    """Whether a condition has a value, written in either case."""
    return held == wanted or str(held).lower() == str(wanted).lower()


def _choices(observed: Sequence[Observed], where: Sequence[Conditions]) -> list[str]:
    """What the wanted conditions may be."""
    texts = []
    for name in dict.fromkeys(name for wanted in where for name in wanted):
        held = (each.quantity if name == "quantity" else each.at.get(name) for each in observed)
        values = _listed(value for value in held if value is not None)
        near = near_name(name, (other for each in observed for other in each.at))
        hint = f", {near} may be meant" if near and not values else ""
        wanted = (str(each[name]) for each in where if name in each)
        meant = next(filter(None, (meant_text(each, values.split(", ")) for each in wanted)), "")
        texts.append(f"{name} is {values or 'not reported'}{hint}{meant}")
    return texts


def _listed(values: Iterable[object]) -> str:
    """Each different value once, in their order."""
    return ", ".join(dict.fromkeys(map(str, values)))


def _with(observed: Observed, given: Conditions) -> Observed:
    """The observation with these conditions too; it must not contradict them."""
    for name, value in given.items():
        if name in observed.at and not _same(observed.at[name], value):
            raise ContradictionError(
                f"{observed.name}: {name} is {observed.at[name]}, given is {value}"
            )
    return replace(observed, at=conditions_with(observed.at, given))
