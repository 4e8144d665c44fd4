"""Observations to calibrate from: results of tools, tables, datasets, adapters, objects."""

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

from netmodel._reading import is_directory, is_file, status_of
from netmodel._text import meant_text, near_name
from netmodel.api._arguments import ArgumentsError, WrongValueError
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
from netmodel.records import Relation, adapter, catalog, dataset_ids

if TYPE_CHECKING:
    import pandas

    from netmodel.checking._limits import Limit
    from netmodel.readers import FoundResults, Measurement

Source: TypeAlias = "str | os.PathLike[str] | Measurement | Observed | Selection | pandas.DataFrame"

_DATASET = "dataset.toml"
_FASTEST_LINE_BPS = 1e15
"""Beyond any line: what remains are the limits that a run reports of itself."""
_REMEDIES = (
    "{reason} ({mtu_bytes} gives it for all runs, {given} for one file, such as "
    "a.json:mtu_bytes=1500; {side}, client or server, whose adapter it is)"
)
_EXPECTED = (
    "sources must be files or ids, Observed or Measurement objects, or a table of pandas, of one "
    "kind"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """
    Which observations of a source count, and conditions that it leaves out.

    Parameters
    ----------
    where : tuple of mapping
        Conditions that observations must have.
    figures, conditions_from : tuple of str
        Columns of a dataset that are figures, and those of them that are conditions.
    flagged : Flagged
        What becomes of flagged figures.
    given : mapping
        Conditions of all observations.
    given_of : mapping of str to mapping
        Conditions of the runs of one file.
    side : Side, optional
        Whose adapter results are about.
    """

    where: tuple[Conditions, ...] = ()
    figures: tuple[str, ...] = ()
    conditions_from: tuple[str, ...] = ()
    flagged: Flagged = Flagged.REFUSED
    given: Conditions = field(default_factory=dict)
    given_of: Mapping[str, Conditions] = field(default_factory=dict)
    side: Side | None = None


def _found(files: Sequence[str]) -> "FoundResults":
    # readers of results are loaded where results are read
    from netmodel.api._results import found_results

    return found_results(files)


def observations(
    names: Sequence[str],
    model_name: str,
    chosen: Chosen,
    read: "Callable[[Sequence[str]], FoundResults]" = _found,
) -> Selection:
    """
    Observations of files of results, or else of a table, a dataset or an adapter.

    Raises
    ------
    ContradictionError
        If a choice is for another kind of source, or no observation is left.
    DomainError
        If a dataset has no such columns, or a condition is missing.
    ParseError
        If a file cannot be read.
    UnknownRecordError
        If nothing has that name.
    """
    if _are_results(names):
        files, chosen, notes = _with_measured(names, model_name, chosen)
        if not files:
            raise ArgumentsError("no observation is left: {reasons}", reasons="; ".join(notes))
        result = Selection((), notes) + _of_results(read(files), model_name, chosen)
    else:
        result = _of_table_or_adapter(names[0], chosen)
        if chosen.given_of or chosen.side:
            raise ArgumentsError("{given} of one file and {side} are for results of tools")
    return kept(result, chosen, ", ".join(names))


def observed_of(sources: "Source | Iterable[Source]", model_name: str, chosen: Chosen) -> Selection:
    """
    Observations that are objects: made before, measurements, or rows of a table of pandas.

    Raises
    ------
    DomainError
        If they are something else, or of several kinds.
    """
    from netmodel.calibration import observed_from_table
    from netmodel.readers import FoundResults, Measurement

    if isinstance(sources, Selection):
        return sources
    if hasattr(sources, "itertuples"):
        frame = cast("pandas.DataFrame", sources)
        return observed_from_table(frame, conditions=chosen.conditions_from, flagged=chosen.flagged)
    single = isinstance(sources, Observed | Measurement)
    if not single and not isinstance(sources, Iterable):
        raise DomainError(f"{_EXPECTED}; got {type(sources).__name__}")
    each_source = [sources] if single else list(cast("Iterable[Source]", sources))
    if each_source and all(isinstance(each, Observed) for each in each_source):
        return Selection(tuple(cast("list[Observed]", each_source)))
    if each_source and all(isinstance(each, Measurement) for each in each_source):
        runs = FoundResults(tuple(cast("list[Measurement]", each_source)))
        return _of_results(runs, model_name, chosen)
    kinds = ", ".join(dict.fromkeys(type(each).__name__ for each in each_source)) or "nothing"
    raise DomainError(f"{_EXPECTED}; got {kinds}")


def kept(selection: Selection, chosen: Chosen, source: str) -> Selection:
    """Those under the wanted conditions, with the given ones, without failed runs."""
    selection = without_zeros(selection)
    left = [each for each in selection.observed if _fits(each, chosen.where)]
    if not left:
        reasons = "; ".join((*_choices(selection.observed, chosen.where), *selection.notes))
        raise ArgumentsError(
            "{source}: no observation is left{reasons}",
            source=source,
            reasons=f": {reasons}" if reasons else "",
        )
    return replace(selection, observed=tuple(_with(each, chosen.given) for each in left))


def _with_measured(
    names: Sequence[str], model_name: str, chosen: Chosen
) -> tuple[list[str], Chosen, tuple[str, ...]]:
    """Folders of measured runs replaced by their results, with the MTU that their hosts show."""
    from netmodel.measuring._line import found_line
    from netmodel.measuring._record import read_record, record_folders
    from netmodel.readers import Measurement

    files: list[str] = []
    notes: list[str] = []
    given_of = dict(chosen.given_of)
    for name in names:
        places = record_folders(Path(name))
        of_name = given_of.pop(name, {}) if places else {}
        files += [] if places else [name]
        for place in places:
            record = read_record(place)
            line = found_line(record, ())
            headers = "/".join(map(str, line.outer_headers))
            if record.state != "complete":
                notes.append(f"{place}: left out: its state is {record.state}")
            elif model_name == "adapter" and (line.stack or line.vlan_tags):
                notes.append(f"{place}: left out: headers {headers} are not those of the model")
            else:
                given = {**of_name, **given_of.pop(str(place), {})}
                specified = {**chosen.given, **given}.get("mtu_bytes")
                rows = _found([str(record.result)]).rows
                reported = {each.path_mtu_bytes for each in rows if isinstance(each, Measurement)}
                if line.mtu_bytes is not None and specified is None:
                    # packets of the run show the path, the interface only its own end
                    if reported <= {None}:
                        given["mtu_bytes"] = line.mtu_bytes
                elif line.mtu_bytes not in (None, specified):
                    notes.append(
                        f"{place}: MTU {specified} is specified, {line.sources['MTU']} has "
                        f"{line.mtu_bytes}"
                    )
                file = str(record.result)
                if given and model_name == "adapter":
                    given_of[file] = {**given, **given_of.get(file, {})}
                files.append(file)
    return files, replace(chosen, given_of=given_of), tuple(notes)


def measured_line_rate_bps(names: Sequence[str]) -> float | None:
    """
    Line rate that the hosts of measured runs report, where it is the same of all. [bit/s]

    Raises
    ------
    ParseError
        If a manifest cannot be read.
    """
    if not any(is_directory(Path(name)) for name in names):
        return None
    from netmodel.measuring._line import found_line
    from netmodel.measuring._record import read_record, record_folders

    places = [place for name in names for place in record_folders(Path(name))]
    rates = {found_line(read_record(place), ()).line_rate_bps for place in places}
    return rates.pop() if len(rates) == 1 else None


def _are_results(names: Sequence[str]) -> bool:
    """Whether these are files and directories of results: neither one table nor one dataset."""
    (first, *others) = names
    if others:
        return True
    path = Path(first)
    if is_directory(path):
        return status_of(path / _DATASET) is None
    return is_file(path) and path.suffix.lower() != ".csv"


def _of_results(results: "FoundResults", model_name: str, chosen: Chosen) -> Selection:
    """What results report, each run once."""
    from netmodel.calibration import observed_from_measurements, observed_of_adapter
    from netmodel.readers import Measurement, join_ends
    from netmodel.readers._find_results import UnreadableResult

    if chosen.figures or chosen.conditions_from:
        raise ArgumentsError("{figures} and {condition} are for tables, not for results")
    if model_name != "adapter" and (chosen.given_of or chosen.side):
        raise ArgumentsError("{given} of one file and {side} are for the model adapter")
    broken = [each for each in results.rows if isinstance(each, UnreadableResult)]
    if broken:
        first, *others = broken
        more = (f"{each.path}: {each.problem}" for each in others)
        raise ParseError(first.path, "\n".join((first.problem, *more)))
    runs = [each for each in join_ends(results.rows) if isinstance(each, Measurement)]
    if model_name != "adapter":
        return observed_from_measurements(runs)
    try:
        of_adapter = observed_of_adapter(runs, chosen.side, chosen.given, chosen.given_of)
    except DomainError as error:
        raise WrongValueError(_REMEDIES, reason=error) from error
    return _limited_elsewhere(of_adapter, runs)


def _limited_elsewhere(seen: Selection, runs: "Iterable[Measurement]") -> Selection:
    """
    Observations of an adapter, where a run that something else limited is a lower bound.

    That is what `check` calls limited by the window or the CPUs, on a line that is faster than any:
    the adapter carried that much, and may carry more.
    """
    from netmodel.checking import Outcome, SpecifiedLine, check

    limits: dict[tuple[str, float | None], Limit] = {}
    for run in runs:
        place = run.source if run.part is None else f"{run.source}, {run.part}"
        line = SpecifiedLine(_FASTEST_LINE_BPS, mtu_bytes=run.path_mtu_bytes)
        with suppress(DomainError, ContradictionError):
            verdict = check(run, line)
            limit = verdict.explained_by
            if verdict.outcome is Outcome.LIMITED and limit is not None and _is_of_hosts(limit):
                limits[place, run.goodput_bps] = limit
    result = []
    limited: dict[str, list[str]] = {}
    for each in seen.observed:
        of_host = limits.get((each.place, each.value)) if each.quantity == RATES[0] else None
        if of_host is None:
            result.append(each)
            continue
        result.append(replace(each, high=math.inf, relation=Relation.AT_LEAST))
        names = limited.setdefault(of_host.name, [of_host.carrier or of_host.name])
        names.append(each.name)
    notes = (
        f"{first}{f' and {len(others)} more' if others else ''}: limited by {carrier}: "
        f"{'lower bounds' if others else 'a lower bound'} {OF_ADAPTER}"
        for carrier, first, *others in limited.values()
    )
    return Selection(tuple(result), (*notes, *seen.notes))


def _is_of_hosts(limit: "Limit") -> bool:
    """Whether it is the window or the CPUs of a host, and no limit of the path or by loss."""
    return limit.name == "window" or limit.name.endswith(("_cpus", "_process"))


def _of_table_or_adapter(name: str, chosen: Chosen) -> Selection:
    if name.lower().endswith(".csv"):
        if chosen.figures:
            raise ArgumentsError("{figures} are for datasets; a CSV file names its columns")
        from netmodel.calibration import observed_from_table

        table = observed_from_table(name, conditions=chosen.conditions_from, flagged=chosen.flagged)
        if not table.observed and not table.notes:
            raise ParseError(name, "has no row below the column names")
        return table
    if is_directory(name) or "/" in name or name in dataset_ids():
        return _of_dataset(name, chosen)
    if name in catalog()["adapters"]:
        if chosen.figures or chosen.conditions_from:
            raise ArgumentsError("{figures} and {condition} are for tables, not for adapters")
        return observed_from_records(adapter(name))
    observed_ids = (each for each in catalog()["adapters"] if adapter(each).observations)
    known = (*dataset_ids(), *observed_ids)
    raise UnknownRecordError(
        f"{name!r} is not a file or directory, nor one of {', '.join(known)}"
        f"{meant_text(name, known)}"
    )


def _of_dataset(name: str, chosen: Chosen) -> Selection:
    from netmodel.records import dataset

    source = dataset(name if name in dataset_ids() else Path(name))
    tables = source.tables.values()
    if not chosen.figures:
        columns = sorted({each.name for table in tables for each in table.columns if each.unit})
        raise ArgumentsError(
            "{name}: choose {figures} among its columns {columns}",
            name=name,
            columns=", ".join(columns),
        )
    for table in tables:
        if set(chosen.figures) <= {each.name for each in table.columns}:
            # rows that fit, as far as columns are conditions; the others are chosen by `kept`
            names = {each.name for each in table.columns}
            wanted = {
                condition: value
                for each in chosen.where
                for condition, value in each.items()
                if condition in names
            }
            rows = table.where(**wanted)
            if not rows.cells:
                values = (f"{each} is {_listed(table.text(each))}" for each in wanted)
                raise ContradictionError(f"{name}: no row is left of {'; '.join(values)}")
            return observed_from_dataset(
                source,
                rows,
                chosen.figures,
                also_conditions=chosen.conditions_from,
                flagged=chosen.flagged,
            )
    known = {each.name for table in tables for each in table.columns}
    near = {each: near_name(each, known) for each in chosen.figures if each not in known}
    meant = (f"{close} may be meant by {each}" for each, close in near.items() if close)
    problem = f"{name}: no table has the columns {', '.join(chosen.figures)}"
    raise DomainError("; ".join((problem, *meant)))


def _fits(observed: Observed, where: Sequence[Conditions]) -> bool:
    """Whether each wanted condition holds; ``quantity`` is one."""
    held = {"quantity": observed.quantity, **observed.at}
    return all(same(held.get(name), value) for wanted in where for name, value in wanted.items())


def same(held: object, wanted: float | str | bool) -> bool:
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
    conditions = conditions_with(observed.at, given)
    for name, value in given.items():
        if name in observed.at and not same(observed.at[name], value):
            raise ContradictionError(
                f"{observed.name}: {name} is {observed.at[name]}, given is {value}"
            )
    return replace(observed, at=conditions)
