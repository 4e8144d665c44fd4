"""Parameters of adapters, hosts, paths and curves, from any source of observations."""

import math
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, cast

import netmodel.calibration as calibration
import netmodel.calibration.observations as observations
import netmodel.calibration.sources as of
import netmodel.checking as checking
from netmodel.api import arguments
from netmodel.api.results import found_results
from netmodel.calibration.observations import Conditions, Selection
from netmodel.calibration.records import HostCalibration, calibrated_host
from netmodel.consumption import Side
from netmodel.errors import ContradictionError, DomainError, ParseError, UnknownRecordError
from netmodel.numeric import require_at_most, require_one
from netmodel.readers import Measurement, join_ends
from netmodel.readers.host_runs import find_host_runs
from netmodel.reading import is_directory, is_file
from netmodel.records import dataset, dataset_ids
from netmodel.records.values import Relation
from netmodel.text import meant_text

if TYPE_CHECKING:
    import pandas

    from netmodel.calibration.calibrations import AnyCalibration

ModelName: TypeAlias = Annotated[str, arguments.Kind("model")]
Source: TypeAlias = "str | os.PathLike[str] | pandas.DataFrame"
_TABLES = (".csv", ".tsv")
"""Endings of the names of tables; other files are results of tools."""
_MAX_NOISE_RATIO = 0.5
"""Above it the figure is most likely percent: no run repeats within a factor of two."""
_FASTEST_LINE_BPS = 1e15
"""Beyond any line: what remains are the limits that a run reports of itself."""
_OF_HOSTS = ("window", "_cpus", "_process")
"""Ends of the names of limits that are those of a host."""


@arguments.in_base_units
def calibrate(
    sources: "Source | Iterable[Source]",
    *,
    model: ModelName = "adapter",
    line_rate_bps: arguments.Rate | None = None,
    where: arguments.NamedValues = None,
    figures: arguments.Columns = (),
    given: arguments.NamedValues = None,
    side: arguments.ASide | None = None,
    mtu_bytes: arguments.Size | None = None,
    fix: arguments.NamedValues = None,
    noise_ratio: arguments.Noise | None = None,
) -> "AnyCalibration":
    """
    Estimate model parameters from measurements.

    Parameters
    ----------
    sources : str, path, DataFrame or sequence of str or path
        Result files or directories; one table as a CSV file or of pandas; or one dataset.
    model : str
        Model to estimate: adapter, scalability, saturation, batching, power, amortised, or auto.
        ``"auto"`` takes the one of these, or lines between figures in logarithms, that predicts
        left-out figures best.
    line_rate_bps : float or str, optional
        MAC rate of the line, such as ``"25 Gbit/s"``. Figures at the line become lower
        bounds. [bit/s]
    where : mapping or str, optional
        Only those with this value, such as line_rate=25Gbit/s; observations with these conditions,
        such as workload=awm-str,layer=3.
    figures : str or sequence of str, optional
        Column of a dataset to calibrate from; repeat it for several.
    given : mapping or str, optional
        Conditions missing from the input, such as response_bytes=20000000.
    side : {"client", "server"}, optional
        Side that is calibrated; whose adapter it is decides which direction is in.
    mtu_bytes : int or str, optional
        IP MTU of the innermost interface, inside any tunnel; where the input does not have it.
        [byte]
    fix : mapping or str, optional
        Parameters that are known, in base units, such as per_message_s=0.
    noise_ratio : float or str, optional
        Measurement noise: standard deviation from run to run as a ratio, such as 0.02; from
        repeats or the scatter about the model by default.

    Returns
    -------
    calibration : Fit, FeasibleSet or ChosenModel
        The most likely parameters with intervals; where there are too few figures for that, the
        set of all parameters that agree with them. A ChosenModel for ``"auto"``.

    Raises
    ------
    CalibrationError
        If the parameters cannot be estimated from the observations.
    ContradictionError
        If arguments exclude each other, no observation is left, or they contradict each other.
    DomainError
        If there is no such model, or a condition is missing.
    ParseError
        If a file cannot be read.

    See Also
    --------
    netmodel.calibration.calibrate : The same for observations and a model.

    Examples
    --------
    Runs on an emulated line, two at each of four MTUs:

    >>> import netmodel
    >>> from netmodel.records import data_path
    >>> runs = data_path("examples", "own-adapter", "runs")
    >>> result = netmodel.calibrate(runs, side="server", line_rate_bps="400 Mbit/s")
    >>> sorted(result.parameters)
    ['in.per_byte_s', 'in.per_frame_s']
    """
    noise, rate = cast("tuple[Any, Any]", (noise_ratio, line_rate_bps))
    if noise is not None:
        require_at_most("noise_ratio", noise, _MAX_NOISE_RATIO, "")
    wanted, at = arguments.named_values(where), _conditions(given, mtu_bytes)
    with arguments.refusing("sources", ContradictionError):  # of what is given and not of figures
        columns = arguments.listed_values(figures)
        seen = _chosen(_observed(sources, model, side, wanted, columns, at), wanted, at)
    fixed = arguments.named_values(fix).items()
    known: Any = {name: float(require_one(f"fix {name}", each)) for name, each in fixed}
    return calibration.calibrate(seen, model, noise, line_rate_bps=rate, fixed=known, specified=at)


@arguments.in_base_units
def calibrate_host(
    results: arguments.File | Iterable[arguments.File],
    *,
    side: arguments.ASide | None = None,
    host_zone: arguments.Zone | None = None,
    client_cpu_numbers: arguments.CpuNumbers = (),
    server_cpu_numbers: arguments.CpuNumbers = (),
    mtu_bytes: arguments.Size | None = None,
    given: arguments.NamedValues = None,
    free: arguments.Columns = (),
    noise_ratio: arguments.Noise | None = None,
) -> HostCalibration:
    """
    Estimate the CPU time of a host per message, frame and byte, from runs with CPU data.

    Parameters
    ----------
    results : str, path or iterable of them
        Files of results, and directories. A directory that also holds CPU data (mpstat, sar,
        sadf, copies of ``/proc/stat``) is one run; ``client`` or ``server`` in the name of
        such a file says whose they are, ``idle`` that the host was idle. ``lscpu`` or
        ``/proc/cpuinfo`` there, or above, shows the processor. Without CPU data the CPU
        time that the tool reports counts.
    side : {"client", "server"}, optional
        Side that is calibrated; both by default, as hosts of one kind.
    host_zone : str or datetime.tzinfo, optional
        Time zone of CPU data that report none, such as Europe/Berlin or +02:00.
    client_cpu_numbers, server_cpu_numbers : str or iterable of int
        CPUs of this side, such as ``"0,2-5"``, where both ends ran on one kernel.
    mtu_bytes : int or str, optional
        IP MTU of the innermost interface, inside any tunnel; where the input does not have it.
        [byte]
    given : mapping or str, optional
        Conditions missing from the input, such as response_bytes=20000000; those of one run stand
        in a file ``conditions.toml`` beside it.
    free : str or sequence of str
        Service time to estimate, such as sent.per_frame_s; repeat it for several, per_message_s,
        and per_frame_s and per_byte_s of sent and received by default.
    noise_ratio : float or str, optional
        Measurement noise: standard deviation from run to run as a ratio, such as 0.02; from
        repeats or the scatter about the model by default.

    Returns
    -------
    result : HostCalibration
        Its `calibration` has the parameters with intervals, `document` gives the record.

    Raises
    ------
    CalibrationError
        If the runs cannot separate the parts; the message names runs that would.
    ContradictionError
        If CPU data are of another interval, count different things, or are of other processors.
    DomainError
        If sizes or MTU of a run are not known.
    ParseError
        If a file cannot be read.

    Examples
    --------
    Runs on an emulated line, one CPU for each end:

    >>> from netmodel.records import data_path
    >>> runs = data_path("examples", "emulated-host", "calibration")
    >>> result = calibrate_host(runs, client_cpu_numbers=[0], server_cpu_numbers=[1])
    >>> len(result.calibration.parameters)
    6
    """
    sides = tuple(Side) if side is None else (Side(side),)
    places = arguments.listed_values(results)
    ends: Any = zip(Side, (client_cpu_numbers, server_cpu_numbers), strict=True)
    read: Any = {"zone": host_zone, "cpu_numbers": {end: cpus for end, cpus in ends if cpus}}
    runs, notes = find_host_runs(places, wanted=sides, **read)
    if not runs:
        where = ", ".join(map(os.fspath, places))
        raise ContradictionError(f"no run with a result of a known tool in {where}")
    known: Any = {"given": _conditions(given, mtu_bytes), "noise_ratio": noise_ratio}
    result = calibrated_host(runs, sides, parts=arguments.listed_values(free), **known)
    return replace(result, notes=(*result.notes, *notes))


# Observations


def _conditions(given: Any, mtu_bytes: Any) -> dict[str, Any]:
    """Return conditions of all runs, with their MTU."""
    values = arguments.named_values(given)
    if mtu_bytes is not None and values.setdefault("mtu_bytes", mtu_bytes) != mtu_bytes:
        raise arguments.ArgumentsError("{given}: mtu_bytes is given as {mtu_bytes} too")
    return values


def _observed(
    sources: Any, model: str, side: Any, where: Conditions, figures: Any, given: Conditions
) -> Selection:
    """Return the observations of results, of a table, or of a dataset."""
    is_frame = hasattr(sources, "itertuples")
    names = [sources] if is_frame else arguments.listed_values(sources)
    if not names or not all(is_frame or isinstance(each, str | os.PathLike) for each in names):
        got = type(sources).__name__
        raise DomainError(f"sources must be files or ids, or a table of pandas; got {got}")
    is_table = is_frame or all(Path(each).suffix.lower() in _TABLES for each in names)
    is_data = not is_table and len(names) == 1 and _is_dataset(Path(names[0]))
    from_data = _of_dataset(os.fspath(names[0]), where, figures) if is_data else None
    if is_table or is_data or model != "adapter":
        arguments.refuse("{name} is for results of tools and the model adapter", side=side)
    if from_data is not None:
        return from_data
    arguments.refuse("{name} is for datasets", figures=figures or None)
    if is_table:
        tables = [of.observed_from_table(each) for each in names]
        notes = tuple(note for each in tables for note in each.notes)
        return Selection(tuple(one for each in tables for one in each), notes)
    rows = found_results(names).rows
    if broken := [each for each in rows if not isinstance(each, Measurement)]:
        problems = (broken[0].problem, *(f"{each.path}: {each.problem}" for each in broken[1:]))
        raise ParseError(broken[0].path, "\n".join(problems))
    runs = [each for each in join_ends(rows) if isinstance(each, Measurement)]
    if model != "adapter":
        return of.observed_from_measurements(runs)
    return _limited_elsewhere(of.observed_of_adapter(runs, side and Side(side), given), runs)


def _is_dataset(path: Path) -> bool:
    """Return True for the folder of a dataset, and where no file has the name: it may be an id."""
    return not (is_file(path) or (is_directory(path) and not is_file(path / "dataset.toml")))


def _chosen(found: Selection, where: Conditions, given: Conditions) -> Selection:
    """Return the observations that have all conditions, with those that are given."""
    known = [{"quantity": each.quantity, **each.at} for each in found]
    left = [
        replace(each, at=observations.with_given(each.at, given, each.name)) if given else each
        for each, at in zip(found, known, strict=True)
        if all(observations.is_same(at.get(name), value) for name, value in where.items())
    ]
    if left:
        return replace(found, observed=tuple(left))
    reasons = []
    for name in where:
        held = dict.fromkeys(str(at[name]) for at in known if name in at)
        meant = meant_text(name, {each for at in known for each in at})
        reasons.append(f"{name} is {', '.join(held) or f'not reported{meant}'}")
    why = "; ".join((*reasons, *found.notes))
    raise arguments.ArgumentsError(f"no observation is left{why and ': '}{why}")


def _of_dataset(name: str, where: Conditions, figures: Sequence[str]) -> Selection:
    """Return observations from columns of a dataset."""
    ids = dataset_ids()
    if name not in ids and not is_directory(name):
        problem = f"{name!r} is not a file or directory, nor one of {', '.join(ids)}"
        raise UnknownRecordError(f"{problem}{meant_text(name, ids)}")
    source = dataset(name if name in ids else Path(name))
    for table in source.tables.values():
        own = {each.name for each in table.columns}
        if figures and own.issuperset(figures):
            # rows that fit, as far as columns are conditions; the others are chosen later
            rows = table.where(**{key: value for key, value in where.items() if key in own})
            return of.observed_from_dataset(source, rows if rows.cells else table, figures)
    known = sorted(x for x, column in source.columns.items() if of.base_quantity(column))
    meant = "".join(meant_text(each, known) for each in figures if each not in known)
    choose = f"{name}: choose {{figures}} of one table, with {{model}} auto for all but throughput"
    raise arguments.ArgumentsError(f"{choose}: {', '.join(known) or 'no column fits'}{meant}")


def _limited_elsewhere(seen: Selection, runs: Iterable[Measurement]) -> Selection:
    """
    Return observations of an adapter, where a run that something else limited is a lower bound.

    That is what `check` calls limited by the window or the CPUs, on a line that is faster than any:
    the adapter carried that much, and may carry more.
    """
    carriers: dict[tuple[str, float | None], str] = {}
    for run in runs:
        with suppress(DomainError, ContradictionError):
            line = checking.SpecifiedLine(_FASTEST_LINE_BPS, mtu_bytes=run.traffic.path_mtu_bytes)
            limit = checking.check(run, line).explained_by
            # of a host, and neither of the path nor by loss
            if limit and limit.name.endswith(_OF_HOSTS):
                carriers[run.place, run.goodput_bps] = limit.carrier or limit.name
    result, limited = [*seen.observed], list[tuple[str, str]]()
    for place, one in enumerate(seen.observed):
        if one.quantity == observations.RATES[0] and (by := carriers.get((one.place, one.value))):
            least = f"limited by {by}: a lower bound of what the adapter carries"
            limited.append((one.name, least))
            result[place] = replace(one, high=math.inf, relation=Relation.AT_LEAST)
    return Selection(tuple(result), (*observations.shared_notes(limited), *seen.notes))
