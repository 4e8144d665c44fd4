"""``netmodel calibrate``."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias, cast

import click

from netmodel import __version__
from netmodel._text import fixed_percent, percent_text, range_text
from netmodel.api import calibrate as calibrate_model
from netmodel.api._kinds import Kind, NamedValues, Whole
from netmodel.api._named_values import named_values
from netmodel.api.arguments import ArgumentsError
from netmodel.cli._console import notes_text
from netmodel.cli._derived import answering
from netmodel.cli._files import require_no_input, results_in
from netmodel.errors import CalibrationError, ContradictionError, ParseError
from netmodel.report.fields import amount_text, rows_table
from netmodel.units import parse_count
from netmodel.units._columns import label_and_unit

if TYPE_CHECKING:
    from netmodel.api._calibrate import Prepared
    from netmodel.calibration import Point

_Next: TypeAlias = Annotated[Whole, Kind("count", "next", parse=parse_count, is_whole=True)]
RecordFile: TypeAlias = Annotated[str, Kind("output", "o output")]
_MIN_SHRINKAGE_RATIO = 0.01
"""A measurement that narrows a prediction by less than 1 % is not worth its time."""
_NEEDS_NOISE = "no interval, as the run-to-run noise is unknown: give --noise, or repeat a run"


class _Answer(NamedTuple):
    """The first sentence, what JSON has, and conditions that all observations share."""

    sentence: str
    data: dict[str, Any]
    shared: Mapping[str, Any]

    def place(self, point: Mapping[str, Any]) -> str:
        """Conditions of a point that differ from those."""
        at = {name: each for name, each in point["at"].items() if self.shared.get(name) != each}
        texts = (f"{name} {f'{v:g}' if isinstance(v, float) else v}" for name, v in at.items())
        return ", ".join(texts) or "conditions as observed"


def parameters(
    names: Annotated[Sequence[str], Kind("result...|file.csv|dataset|adapter", repeats=True)],
    /,
    *,
    predict_at: NamedValues = None,
    next_count: _Next | None = None,
    output_file: RecordFile | None = None,
    **asked: Annotated[Any, calibrate_model],
) -> _Answer:
    """
    Estimate model parameters from measurements.

    RESULT is a file or directory that check reads, or a folder of netmodel measure; FILE.csv a
    table of your own, DATASET the id of one with --figures, ADAPTER that of one with published
    limits. With more figures than parameters, or --noise, the result is the most likely parameters
    with intervals of 95 %; else all parameters that agree with the figures. Exit code 1: the
    figures contradict each other, or cannot give the parameters.

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
    from netmodel.api._calibrate import prepared
    from netmodel.calibration._calibrate import prediction_points
    from netmodel.calibration._conditions import shared_conditions

    defaults = {name: each.default for name, each in signature(calibrate_model).parameters.items()}
    wanted = named_values("predict_at", predict_at)
    count = cast("int", next_count or 0)
    _require_possible({**defaults, **asked}["model"], bool(wanted), count, output_file)
    ready = prepared(names, {**defaults, **asked}, results_in)
    try:
        calibration = ready.estimated()
        points = list(prediction_points(ready.model_name, calibration, wanted))
        data = _data(ready.model_name, names, calibration, points, count)
        if output_file is not None:
            _write(ready, calibration, output_file, names)
    except ArgumentsError:
        raise
    except (CalibrationError, ContradictionError) as error:
        # observations that give no parameters: exit code 1, and notes that may say why
        lines = "\n".join((str(error), *(f"- {note}" for note in ready.seen.notes)))
        raise click.ClickException(lines) from error
    shared = shared_conditions(calibration.observed)
    return _Answer(f"{_sentence(calibration, data)}.", data, shared)


def _require_possible(model: Any, is_predicted: bool, count: int, output_file: str | None) -> None:
    """Refuse what is sure to fail, before anything is read."""
    if count and not is_predicted:
        raise ArgumentsError("{next_count} needs {predict_at}")
    if count and model == "auto":
        raise ArgumentsError("{next_count} is for one model: give the {model} that auto chooses")
    require_record_name(output_file)
    if output_file is not None and model not in ("adapter", "host"):
        raise ArgumentsError(
            "-o: a record holds service times of an adapter or a host; {model} {name} has none",
            name=model,
        )


def require_record_name(output_file: str | None) -> None:
    """Refuse a file of a record that is read, or that is no .toml file."""
    if output_file is not None:
        require_no_input("-o", output_file)
        if not output_file.endswith(".toml"):
            raise click.UsageError(f"-o {output_file}: a record is a file that ends in .toml")


def titles(path: str, names: Sequence[str]) -> tuple[str, str]:
    """Title of a record, and what it rests on."""
    return Path(
        path
    ).stem, f"{', '.join(Path(name).name for name in names)}, netmodel {__version__}"


def _write(ready: "Prepared", calibration: Any, path: str, names: Sequence[str]) -> None:
    """Write the record of an adapter or a host."""
    from netmodel.calibration import adapter_document, host_document

    titled = titles(path, names)
    if ready.model_name == "host":
        write_own_record(path, host_document(calibration, *titled), "hosts")
    elif ready.line_rate_bps is None:
        raise ArgumentsError("-o: the record of an adapter needs {line_rate_bps}")
    else:
        document = adapter_document(calibration, ready.line_rate_bps, *titled)
        write_own_record(path, document, "adapters")


def write_own_record(path: str, document: dict[str, Any], kind: str) -> None:
    """Write a record; UsageError where that is not possible."""
    from netmodel.records import write_record

    require_no_input("-o", path)
    try:
        write_record(path, document, kind)
    except ParseError as error:
        raise click.UsageError(f"-o: {error}") from error


def _data(
    model_name: str,
    names: Sequence[str],
    calibration: Any,
    points: "Sequence[Point]",
    count: int,
) -> dict[str, Any]:
    """What JSON has of a calibration and of what was asked of it."""
    import netmodel.calibration as calibrating

    is_chosen = calibration.method == "chosen model"
    free = calibration.free if is_chosen else calibration.model.parameters
    units = {each.name: each.unit for each in free}
    about: dict[str, Any] = calibration.to_dict()
    about.pop("estimable", None)
    predictions, advice = [], []
    for point in points:
        run = calibration.predict_run(point).known() if calibration.is_scatter_known else {}
        ends = {f"new_run_{end}": run.get(end) for end in ("low", "high")}
        predictions.append({**_plain(point), **calibration.predict(point).known(), **ends})
        if count:
            useful = [
                {**each._asdict(), "point": _plain(each.point)}
                for each in calibrating.next_measurements(calibration, point)
                if each.shrinkage_ratio >= _MIN_SHRINKAGE_RATIO
            ]
            advice.append({"prediction": _plain(point), "measurements": useful[:count]})
    parameters = {
        name: {**each.known(), "unit": units[name], "estimable": calibration.estimable[name]}
        for name, each in calibration.parameters.items()
    }
    return {
        **about,
        "source": ", ".join(names),
        "model": model_name,
        "method": calibration.method,
        "parameters": parameters,
        "predictions": predictions,
        "next": advice,
        "observation_count": len(calibration.observed),
    }


def _plain(point: "Point") -> dict[str, Any]:
    return {"quantity": point.quantity, "at": dict(point.at)}


def _sentence(calibration: Any, data: Mapping[str, Any]) -> str:
    """What kind of answer it is, and what it rests on."""
    count, level = data["observation_count"], f"{100 * calibration.level_ratio:g} %"
    noise = data.get("noise_sd")
    if getattr(calibration, "is_undetermined", False) or data.get("is_open"):
        kind = _NEEDS_NOISE
    elif calibration.method == "chosen model":
        kind = f"{calibration.answer}; intervals of {level}"
    elif calibration.method == "likelihood":
        freedom = data["degrees_of_freedom"]
        kind = (
            f"most likely parameters with {level} intervals, run-to-run noise "
            f"{percent_text(calibration.corrected_noise_sd, 3)} included ({freedom} "
            f"degree{'s' * (freedom != 1)} of freedom)"
        )
    else:
        kind = "all parameters that agree with every figure within " + (
            "its printed digits" if noise is None else f"a noise of {percent_text(noise, 3)}"
        )
    return (
        f"{data['model']} from {count} observation{'s' * (count != 1)} of {data['source']}: {kind}"
    )


def span_rows(
    head: str, rows: Iterable[tuple[str, str, Mapping[str, Any]]]
) -> list[dict[str, str]]:
    """Cells of names, values and ranges, each with its unit."""
    return [
        {
            head: name,
            "value": amount_text(row["value"], unit) or "-",
            "range": _range(row["low"], row["high"], unit),
        }
        for name, unit, row in rows
    ]


def _range(low: float | None, high: float | None, unit: str) -> str:
    return range_text(*(amount_text(end, unit) or "any" for end in (low, high)))


def _text(answer: _Answer, is_verbose: bool) -> Iterator[str]:
    from netmodel.calibration._diagnostics import OUTLIER
    from netmodel.calibration._observed import FAILED_RUN, OF_ADAPTER

    data = answer.data
    yield answer.sentence
    yield rows_table(data.get("candidates", ()))
    known = data["parameters"]
    rows = span_rows("parameter", ((name, each["unit"], each) for name, each in known.items()))
    for row, each in zip(rows, known.values(), strict=True):
        row["estimable"] = {True: "yes", False: "no", None: "unknown"}[each["estimable"]]
    yield rows_table(rows)
    rows = []
    for each in data["predictions"]:
        quantity, unit = each["quantity"], label_and_unit(each["quantity"])[1]
        rows += span_rows("prediction", [(f"{quantity} at {answer.place(each)}", unit, each)])
        if each["new_run_high"] is not None:
            run = _range(each["new_run_low"], each["new_run_high"], unit)
            rows.append({"prediction": "  a new run", "value": "", "range": run})
    yield rows_table(rows)
    for each in data["next"]:
        unit = label_and_unit(each["prediction"]["quantity"])[1]
        rows = [
            {
                "measure next": answer.place(advice["point"]),
                "range then": amount_text(advice["expected_width"], unit),
                "narrower": fixed_percent(advice["shrinkage_ratio"], 0),
            }
            for advice in each["measurements"]
        ]
        yield f"For {each['prediction']['quantity']} at {answer.place(each['prediction'])}:"
        yield rows_table(rows) or "No next measurement narrows it by 1 %"
    notes = sorted(
        data["notes"],
        key=lambda note: (
            not (note.startswith(OUTLIER) or note.endswith(FAILED_RUN)),
            note.startswith("known fault of "),
            not note.endswith(OF_ADAPTER),
        ),
    )
    yield notes_text(notes, is_verbose)


calibrate = answering(
    parameters,
    _text,
    data=lambda answer: answer.data,
    first=("model", "line_rate_bps", "side", "noise_ratio", "output_file"),
    outputs=("verbose", "json"),
    without=("flagged",),
    documented_by=calibrate_model,
    name="calibrate",
)
