"""``netmodel calibrate`` and ``netmodel calibrate host``."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, cast

import click

from netmodel import __version__
from netmodel.api import calibrate as calibrate_model
from netmodel.api import calibrate_host as calibrate_hosts
from netmodel.api.arguments import ArgumentsError
from netmodel.api.kinds import Kind, NamedValues, Whole
from netmodel.api.named_values import named_values
from netmodel.cli._derived import answering
from netmodel.cli._files import results_in
from netmodel.errors import CalibrationError, ContradictionError, ParseError
from netmodel.report.fields import answer_blocks, rows_table
from netmodel.report.text import notes_text
from netmodel.results import plain
from netmodel.text import amount_text, fixed_percent, percent_text, range_text
from netmodel.units import parse_count
from netmodel.units.columns import label_and_unit
from netmodel.writing import IsReadError

if TYPE_CHECKING:
    from netmodel.calibration import Point
    from netmodel.calibration.host_runs import HostCalibration

_Next: TypeAlias = Annotated[Whole, Kind("count", "next", parse=parse_count, is_whole=True)]
RecordFile: TypeAlias = Annotated[str, Kind("output", "o output")]
_Document: TypeAlias = Callable[[str, str], dict[str, Any]]
_MIN_SHRINKAGE_RATIO = 0.01
"""A measurement that narrows a prediction by less than 1 % is not worth its time."""


def parameters(
    names: Annotated[Sequence[str], Kind("result...|file.csv|dataset|adapter", repeats=True)],
    /,
    *,
    predict_at: NamedValues = None,
    next_count: _Next | None = None,
    output_file: RecordFile | None = None,
    **asked: Annotated[Any, calibrate_model],
) -> tuple[str, dict[str, Any]]:
    """
    Estimate model parameters from measurements.

    RESULT is a file or directory that check reads; FILE.csv a table of your own, DATASET the id of
    one with --figures, ADAPTER that of one with published limits. With more figures than
    parameters, or --noise, the result is the most likely parameters with intervals of 95 %; else
    all parameters that agree with the figures. Exit code 1: the figures contradict each other, or
    cannot give the parameters.

    \b
    Example: netmodel calibrate runs/ --side server --predict-at mtu=4000 -o mine.toml

    Parameters
    ----------
    predict_at : str
        Also predict under these conditions, such as mtu=4000; the rest as observed.
    next_count : int or str, optional
        Suggest the COUNT most informative next measurements for each --predict-at.
    output_file : str, optional
        Where to write the result; a .toml record of an adapter or a host.
    """
    from netmodel.api.calibrating import estimated, prepared, record_of
    from netmodel.calibration import prediction_points, shared_conditions

    defaults = {name: each.default for name, each in signature(calibrate_model).parameters.items()}
    asked = {**defaults, **asked}
    wanted, count = named_values("predict_at", predict_at), cast("int", next_count or 0)
    if count and (asked["model"] == "auto" or not wanted):
        raise ArgumentsError("{next_count} needs {predict_at}, and one {model}")
    if output_file is not None and asked["model"] not in ("adapter", "host"):
        raise ArgumentsError("-o: a record is of {model} adapter or host")
    seen = prepared(names, asked, results_in)
    with gate(seen.notes):
        calibration: Any = estimated(asked, seen)
        points = list(prediction_points(asked["model"], calibration, wanted))
        data = {
            **calibration.to_dict(),
            "source": ", ".join(names),
            "model": asked["model"],
            "predictions": [_prediction(calibration, point) for point in points],
            "next": [_next(calibration, point, count) for point in points if count],
            "conditions": shared_conditions(calibration.observed),
        }
        if output_file is not None:
            document, kind = partial(record_of, asked, calibration), f"{asked['model']}s"
            write_own_record(output_file, document, kind, names)
    return _sentence(calibration, data), data


@contextmanager
def gate(notes: Sequence[str] = ()) -> Iterator[None]:
    """Observations that give no parameters: exit code 1, with notes that may say why."""
    try:
        yield
    except ArgumentsError:
        raise
    except (CalibrationError, ContradictionError) as error:
        lines = (str(error), *(f"- {note}" for note in notes))
        raise click.ClickException("\n".join(lines)) from error


def write_own_record(path: str, document: _Document, kind: str, names: Sequence[str]) -> None:
    """Write the record of a title and of what it rests on; UsageError where that cannot be."""
    from netmodel.records import write_record

    if not path.endswith(".toml"):
        raise click.UsageError(f"-o {path}: a record is a file that ends in .toml")
    source = f"{', '.join(Path(name).name for name in names)}, netmodel {__version__}"
    try:
        write_record(path, document(Path(path).stem, source), kind)
    except (ParseError, IsReadError) as error:
        raise click.UsageError(f"-o: {error}") from error


def _prediction(calibration: Any, point: "Point") -> dict[str, Any]:
    is_known = calibration.scatter_ratio is not None
    run = plain(calibration.predict_run(point)) if is_known else {}
    ends = {f"new_run_{end}": run.get(end) for end in ("low", "high")}
    return {**_plain(point), **plain(calibration.predict(point)), **ends}


def _next(calibration: Any, point: "Point", count: int) -> dict[str, Any]:
    """The measurements to make next that narrow a prediction most."""
    from netmodel.calibration import next_measurements

    useful = [
        {**each.to_dict(), "point": _plain(each.point)}
        for each in next_measurements(calibration, point)
        if each.shrinkage_ratio >= _MIN_SHRINKAGE_RATIO
    ]
    return {"prediction": _plain(point), "measurements": useful[:count]}


def _plain(point: "Point") -> dict[str, Any]:
    return {"quantity": point.quantity, "at": dict(point.at)}


def _sentence(calibration: Any, data: Mapping[str, Any]) -> str:
    """Name the model, its observations and the kind of the intervals, in a sentence."""
    count, level = data["observation_count"], f"{100 * calibration.level_ratio:g} %"
    kinds = {
        "likelihood": f"most likely parameters with {level} intervals",
        "feasible_set": "all parameters that agree with every figure",
        "chosen model": f"{getattr(calibration, 'answer', '')}; intervals of {level}",
    }
    kind = kinds[calibration.method]
    if getattr(calibration, "is_undetermined", False) or data.get("is_open"):
        kind = "no interval, as the run-to-run noise is unknown: give --noise, or repeat a run"
    elif (noise := getattr(calibration, "corrected_noise_sd", data.get("noise_sd"))) is not None:
        kind += f", run-to-run noise {percent_text(noise, 3)} included"
    observations = f"{count} observation{'s' * (count != 1)}"
    return f"{data['model']} from {observations} of {data['source']}: {kind}."


def span(row: Mapping[str, Any], unit: str) -> dict[str, str]:
    """Value and range of a row."""
    value = amount_text(row["value"], unit) or "-"
    return {"value": value, "range": _range(row["low"], row["high"], unit)}


def _range(low: float | None, high: float | None, unit: str) -> str:
    return range_text(*(amount_text(end, unit) or "any" for end in (low, high)))


def _place(data: Mapping[str, Any], point: Mapping[str, Any]) -> str:
    """A quantity under the conditions that not all observations share."""
    at = {k: value for k, value in point["at"].items() if data["conditions"].get(k) != value}
    texts = (f"{name} {f'{v:g}' if isinstance(v, float) else v}" for name, v in at.items())
    return f"{point['quantity']} at {', '.join(texts) or 'conditions as observed'}"


def _text(answer: tuple[str, dict[str, Any]], is_verbose: bool) -> Iterator[str]:
    sentence, data = answer
    notes = list(data["notes"])
    known = {True: "yes", False: "no", None: "unknown"}
    tables = {
        "candidates": data.get("candidates", []),
        "parameters": [
            {"parameter": name, **span(each, each["unit"]), "estimable": known[each["estimable"]]}
            for name, each in data["parameters"].items()
        ],
        "predictions": [_prediction_row(data, each) for each in data["predictions"]],
    }
    for place, each in enumerate(data["next"]):
        unit = label_and_unit(each["prediction"]["quantity"])[1]
        tables[f"next {place}"] = [
            {
                "measure next": _place(data, advice["point"]),
                "range then": amount_text(advice["expected_width"], unit),
                "narrower": fixed_percent(advice["shrinkage_ratio"], 0),
            }
            for advice in each["measurements"]
        ]
        if not each["measurements"]:
            notes.insert(0, "no next measurement narrows the prediction by 1 %")
    yield from answer_blocks((sentence, tables), False)
    yield notes_text(notes, is_verbose)


def _prediction_row(data: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, str]:
    unit, low, high = label_and_unit(row["quantity"])[1], row["new_run_low"], row["new_run_high"]
    of_run = "" if low is None and high is None else _range(low, high, unit)
    return {"prediction": _place(data, row), **span(row, unit), "a new run": of_run}


calibrate = answering(
    parameters,
    _text,
    data=lambda answer: answer[1],
    first=("model", "line_rate_bps", "side", "noise_ratio", "output_file"),
    name="calibrate",
)


# Hosts


def host(
    names: Annotated[Sequence[str], Kind("run", repeats=True)],
    /,
    *,
    output_file: RecordFile | None = None,
    **asked: Annotated[Any, calibrate_hosts],
) -> "HostCalibration":
    """
    Estimate what a host spends, from runs with CPU data.

    RUN is a directory with the result of a tool and the CPU data of its hosts (mpstat, sar, sadf,
    copies of /proc/stat, lscpu), or a directory of such directories; "client" or "server" in the
    name of a file says whose they are, "idle" that the host was idle. Or a result, with
    --client-cpu and --server-cpu, or the CPU time that the tool reports.

    Two MTUs, with small requests, large responses and a stream in each direction, separate the
    time per message, frame and byte. Exit code 1: the runs cannot separate them, or contradict each
    other.

    \b
    Example: netmodel calibrate host runs/ --side server -o my-host.toml
             netmodel plan --server-host my-host.toml ...

    Parameters
    ----------
    output_file : str, optional
        Where to write the result; a .toml record of an adapter or a host.
    """
    with gate():
        result = calibrate_hosts(names, **asked)
        if output_file is not None:
            write_own_record(output_file, result.document, "hosts", names)
    return result


def _host_text(result: "HostCalibration", is_verbose: bool) -> Iterator[str]:
    known = result.to_dict()["parameters"].items()
    rows = [{"CPU time": _words(name), **span(each, each["unit"])} for name, each in known]
    scatter, who = result.scatter_ratio, " and ".join(side.value for side in result.sides)
    about = "" if scatter is None else f"; runs scatter by {percent_text(scatter, 2)} about that"
    texts = (f"{row['value']} {row['CPU time']}" for row in rows)
    yield f"The host ({who}) spends {', '.join(texts)}{about}."
    yield f"{rows_table(rows)}\n95 % intervals; CPU time of {result.basis}"
    yield notes_text(result.notes, is_verbose)


def _words(name: str) -> str:
    """A part of the cost in words: ``sent.per_frame_s`` is "per frame sent"."""
    direction, _, time = name.rpartition(".")
    text = time.removesuffix("_s").replace("_", " ").replace("wakeup", "wake-up")
    return f"{text} {direction}".strip()


calibrate_host = answering(
    host,
    _host_text,
    first=("side", "mtu_bytes", "noise_ratio", "output_file"),
    name="calibrate host",
)
