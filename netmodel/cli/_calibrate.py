"""``netmodel calibrate``."""

from collections.abc import Iterator, Sequence
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import click

from netmodel import __version__
from netmodel._text import few_names
from netmodel.api import calibrate as calibrate_model
from netmodel.api._kinds import Kind, NamedValues, Whole
from netmodel.api._named_values import named_values
from netmodel.api.arguments import ArgumentsError, kinds_of, read_all
from netmodel.cli._calibrate_text import Calibrated, Predicted, text_blocks
from netmodel.cli._console import print_blocks, print_json
from netmodel.cli._derived import DerivedCommand, Given, Output, options_of, output_file_option
from netmodel.cli._files import require_no_input, results_in, save_plot
from netmodel.errors import CalibrationError, ContradictionError, ParseError
from netmodel.units import parse_count

if TYPE_CHECKING:
    from netmodel.api._calibrate import Prepared
    from netmodel.calibration import Point
    from netmodel.calibration._calibrate import AnyCalibration
    from netmodel.calibration._next import Advice

_Next: TypeAlias = Annotated[Whole, Kind("count", "next", parse=parse_count, is_whole=True)]

_AUTO_NAME = "auto"
"""The name in place of one model; of netmodel.calibration too."""
_MIN_SHRINKAGE_RATIO = 0.01
"""A measurement that narrows a prediction by less than 1 % is not worth its time."""


def _print(given: Given, output: Output) -> None:
    """Estimate model parameters from measurements.

    RESULT is a file or directory that check reads, or a folder of netmodel measure; FILE.csv a
    table of your own, DATASET the id of one with --figures, ADAPTER that of one with published
    limits. With more figures than parameters, or --noise, the result is the most likely parameters
    with intervals of 95 %; else all parameters that agree with the figures. Exit code 1: the
    figures contradict each other, or cannot give the parameters.

    \b
    Example: netmodel calibrate runs/ --side server --predict-at mtu=4000 -o mine.toml
    """
    from netmodel.api._calibrate import prepared
    from netmodel.calibration._calibrate import prediction_points

    names = given["names"]
    parameters = signature(calibrate_model).parameters.items()
    asked: dict[str, Any] = {n: given.get(n, p.default) for n, p in parameters if n != "sources"}
    beside = read_all(kinds_of(_beside), given)
    record_file, next_count = given.get("output_file"), beside.get("next_count")
    wanted = named_values("predict_at", given.get("predict_at"))
    _require_possible(asked["model"], bool(wanted), next_count, record_file, output)
    ready = prepared(names, asked, results_in)
    if record_file is not None and ready.model_name == "adapter":
        _require_adapter_recordable(ready)
    try:
        calibration = ready.estimated()
        points = list(prediction_points(ready.model_name, calibration, wanted))
        result = Calibrated(
            source=", ".join(names),
            model_name=ready.model_name,
            calibration=calibration,
            predictions=[
                Predicted(
                    point,
                    calibration.predict(point),
                    calibration.predict_run(point) if calibration.is_scatter_known else None,
                )
                for point in points
            ],
            advice=list(_advice(calibration, points, next_count)),
        )
        row = result.to_dict() if output.json else None
        blocks = [] if output.json else list(text_blocks(result, output.verbose))
        if record_file is not None:
            document, kind = _document(ready, calibration, record_file, names)
            write_own_record(record_file, document, kind)
        if output.plot is not None:
            from netmodel.report import plot_calibration

            sources = few_names([Path(name).name for name in names], "sources")
            subject = f"{ready.model_name} from {sources}"
            save_plot(plot_calibration(_of_one_model(calibration), subject=subject), output.plot)
    except ArgumentsError:
        raise
    except (CalibrationError, ContradictionError) as error:
        # observations that give no parameters: exit code 1, and notes that may say why
        lines = "\n".join((str(error), *(f"- {note}" for note in ready.seen.notes)))
        raise click.ClickException(lines) from error
    if output.json:
        print_json(row)
    else:
        print_blocks(blocks)


def _beside(
    *,
    predict_at: NamedValues = None,
    next_count: Annotated[Whole, Kind("count", "next", parse=parse_count, is_whole=True)]
    | None = None,
) -> None:
    """
    What the command is asked for beside the parameters.

    Parameters
    ----------
    predict_at : str
        Also predict under these conditions, such as mtu=4000; the rest as observed.
    next_count : int or str, optional
        Suggest the COUNT most informative next measurements for each --predict-at.
    """


calibrate = DerivedCommand(
    calibrate_model,
    _print,
    first=("model", "line_rate_bps", "side", "mtu_bytes", "noise_ratio"),
    outputs=("verbose", "plot", "json"),
    without=("flagged",),
    more=(
        click.Argument(
            ["names"],
            nargs=-1,
            required=True,
            metavar="RESULT...|FILE.csv|DATASET|ADAPTER",
        ),
        *options_of(_beside),
        output_file_option("a .toml record of an adapter or a host"),
    ),
)


def _require_possible(
    model: str,
    is_predicted: bool,
    next_count: int | None,
    record_file: str | None,
    output: Output,
) -> None:
    """Refuse what is sure to fail, before anything is read."""
    if next_count is not None and not (next_count and is_predicted):
        raise click.UsageError("--next needs a count from 1 up, and --predict-at")
    if model == _AUTO_NAME:
        asked_for = {"--next": next_count is not None, "--plot": output.plot is not None}
        for name in (name for name, is_asked in asked_for.items() if is_asked):
            raise click.UsageError(
                f"{name} is for one model, and --model {_AUTO_NAME} is none: give the model "
                "that it chooses"
            )
    if output.plot is not None:
        require_no_input("--plot", output.plot)
    require_record_name(record_file)
    if record_file is not None and model not in ("adapter", "host"):
        raise click.UsageError(
            f"-o: a record holds service times of an adapter or a host; --model {model} has none"
        )


def require_record_name(record_file: str | None) -> None:
    """Refuse a file of a record that is read, or that is no .toml file."""
    if record_file is not None:
        require_no_input("-o", record_file)
        if not record_file.endswith(".toml"):
            raise click.UsageError(f"-o {record_file}: a record is a file that ends in .toml")


def _require_adapter_recordable(ready: "Prepared") -> None:
    """Refuse the record of an adapter that lacks something, before anything is calibrated."""
    if ready.line_rate_bps is None:
        raise click.UsageError("-o: the record of an adapter needs --line-rate")
    if not all(each.at.get("direction") in ("in", "out") for each in ready.seen.observed):
        raise click.UsageError(
            "-o: the record of an adapter needs the condition direction, in or out, "
            "such as --given direction=in"
        )


def _of_one_model(calibration: "AnyCalibration") -> Any:
    """The calibration of one model, as --next, --plot and -o refuse others."""
    from netmodel.calibration import FeasibleSet, Fit

    assert isinstance(calibration, Fit | FeasibleSet)
    return calibration


def _advice(
    calibration: "AnyCalibration", points: "Sequence[Point]", count: int | None
) -> "Iterator[tuple[Point, list[Advice]]]":
    """The measurements to make next that narrow each prediction most."""
    if count is None:
        return
    from netmodel.calibration import next_measurements

    for point in points:
        useful = [
            each
            for each in next_measurements(_of_one_model(calibration), point)
            if each.shrinkage_ratio >= _MIN_SHRINKAGE_RATIO
        ]
        yield point, useful[:count]


def _document(
    ready: "Prepared", calibration: "AnyCalibration", path: str, names: Sequence[str]
) -> tuple[dict[str, Any], str]:
    """The record of an adapter or a host, and its kind."""
    from netmodel.calibration import adapter_document, host_document

    named = (Path(path).stem, sources_text(names))
    if ready.line_rate_bps is not None and ready.model_name == "adapter":
        document = adapter_document(_of_one_model(calibration), ready.line_rate_bps, *named)
        return document, "adapters"
    return host_document(_of_one_model(calibration), *named), "hosts"


def sources_text(names: Sequence[str]) -> str:
    """What a record rests on."""
    return f"{', '.join(Path(name).name for name in names)}, netmodel {__version__}"


def write_own_record(path: str, document: dict[str, Any], kind: str) -> None:
    """Write a record; UsageError where that is not possible."""
    from netmodel.records import write_record

    require_no_input("-o", path)
    try:
        write_record(path, document, kind)
    except ParseError as error:
        raise click.UsageError(f"-o: {error}") from error
