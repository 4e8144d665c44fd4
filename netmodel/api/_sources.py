"""Observations to calibrate from: results of tools, tables, datasets, adapters, objects."""

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from netmodel.api.arguments import (
    ArgumentsError,
    WrongValueError,
    listed_values,
    refuse,
)
from netmodel.api.named_values import merged, named_values
from netmodel.calibration import (
    Flagged,
    Observed,
    Selection,
    observed_from_dataset,
    observed_from_records,
)
from netmodel.calibration.observations import (
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
_OF_HOSTS = ("window", "_cpus", "_process")
"""Ends of the names of limits that are those of a host."""


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
    names, where = names_of(sources), merged(named_values("where", asked["where"]))
    columns = {key: listed_values(asked[key]) or None for key in ("figures", "condition")}
    side = None if asked["side"] is None else Side(asked["side"])
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
        found = _of_results(names, model_name, side, given, read)
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
    names: Sequence[str],
    model_name: str,
    side: Side | None,
    given: Conditions,
    read: "Callable[[Sequence[str]], FoundResults] | None",
) -> Selection:
    """Return what results report, each run once."""
    from netmodel.api.results import found_results
    from netmodel.calibration import observed_from_measurements, observed_of_adapter
    from netmodel.readers import Measurement, join_ends

    rows = (read or found_results)(names).rows
    broken = [(each.path, each.problem) for each in rows if not isinstance(each, Measurement)]
    if broken:
        more = (f"{path}: {problem}" for path, problem in broken[1:])
        raise ParseError(broken[0][0], "\n".join((broken[0][1], *more)))
    runs = [each for each in join_ends(rows) if isinstance(each, Measurement)]
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
    Return observations of an adapter, where a run that something else limited is a lower bound.

    That is what `check` calls limited by the window or the CPUs, on a line that is faster than any:
    the adapter carried that much, and may carry more.
    """
    from netmodel.checking import Outcome, SpecifiedLine, check

    carriers: dict[tuple[str, float | None], str] = {}
    for run in runs:
        source = run.source if run.part is None else f"{run.source}, {run.part}"
        with suppress(DomainError, ContradictionError):
            verdict = check(run, SpecifiedLine(_FASTEST_LINE_BPS, mtu_bytes=run.path_mtu_bytes))
            limit = verdict.explained_by
            # of a host, and neither of the path nor by loss
            if verdict.outcome is Outcome.LIMITED and limit and limit.name.endswith(_OF_HOSTS):
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
    name: str, where: Conditions, columns: Mapping[str, Any], flagged: Flagged
) -> Selection:
    """Return observations of a table, a dataset or an adapter."""
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
    name: str, where: Conditions, columns: Mapping[str, Any], flagged: Flagged
) -> Selection:
    source = dataset(name if name in dataset_ids() else Path(name))
    figures, conditions = columns["figures"] or (), columns["condition"] or ()
    for table in source.tables.values():
        own = {each.name for each in table.columns}
        if figures and own.issuperset(figures):
            # rows that fit, as far as columns are conditions; the others are chosen later
            wanted = {key: value for key, value in where.items() if key in own}
            rows = table.where(**wanted)
            if not rows.cells:
                values = (f"{each} is {_listed(table.text(each))}" for each in wanted)
                raise ContradictionError(f"{name}: no row is left of {'; '.join(values)}")
            return observed_from_dataset(
                source, rows, figures, also_conditions=conditions, flagged=flagged
            )
    known = {each.name for table in source.tables.values() for each in table.columns if each.unit}
    meant = next(filter(None, (meant_text(each, known) for each in {*figures} - known)), "")
    problem = "{name}: choose {figures} of one table among its columns {columns}{meant}"
    raise ArgumentsError(problem, name=name, columns=", ".join(sorted(known)), meant=meant)


def _fits(observed: Observed, where: Conditions) -> bool:
    """Return whether each wanted condition holds; ``quantity`` is one."""
    return all(_same(_held(observed, name), value) for name, value in where.items())


def _held(observed: Observed, name: str) -> object:
    return observed.quantity if name == "quantity" else observed.at.get(name)


def _same(held: object, wanted: object) -> bool:
    """Return whether a condition has a value, written in either case."""
    return held == wanted or str(held).lower() == str(wanted).lower()


def _choices(observed: Sequence[Observed], where: Conditions) -> Iterator[str]:
    """Yield what each wanted condition may be."""
    for name, wanted in where.items():
        held = [value for each in observed if (value := _held(each, name)) is not None]
        hint = meant_text(str(wanted), {str(value) for value in held})
        if not held and (near := near_name(name, {key for each in observed for key in each.at})):
            hint = f", {near} may be meant"
        yield f"{name} is {_listed(held) or 'not reported'}{hint}"


def _listed(values: Iterable[object]) -> str:
    """Return each different value once, in their order."""
    return ", ".join(dict.fromkeys(map(str, values)))


def _with(observed: Observed, given: Conditions) -> Observed:
    """Return the observation with these conditions too, which it must not contradict."""
    for name, value in given.items():
        if not _same(observed.at.get(name, value), value):
            raise ContradictionError(
                f"{observed.name}: {name} is {observed.at[name]}, given is {value}"
            )
    return replace(observed, at=conditions_with(observed.at, given))
