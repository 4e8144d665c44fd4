"""``netmodel calibrate``."""

import math
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from netmodel import __version__
from netmodel._text import RESULT_DIGITS
from netmodel.cli._calibrate_source import CONDITIONS, SourceOptions, merged, source_options
from netmodel.cli._console import (
    notes_text,
    print_blocks,
    print_json,
    terminal_width,
    with_progress,
)
from netmodel.cli._files import OUTPUT_FILE, require_no_input, save_plot
from netmodel.cli._options import (
    COUNT,
    RATIO,
    json_option,
    line_rate_option,
    option,
    option_group,
    plot_option,
    verbose_option,
)
from netmodel.errors import CalibrationError, ContradictionError, ParseError
from netmodel.report import text_table
from netmodel.report._text import number_text, wrapped_lines
from netmodel.units import format_rate, format_time

if TYPE_CHECKING:
    from netmodel._estimates import Estimate
    from netmodel.calibration import Fit, Point, Selection
    from netmodel.calibration._calibrate import Calibration
    from netmodel.calibration._compare import Comparison
    from netmodel.calibration._next import Advice
    from netmodel.calibration._observed import Conditions

MODEL_NAMES = (
    *("adapter", "host", "scalability", "saturation", "power", "amortised", "coalescing"),
    "falling-cost",
)
"""Those of netmodel.calibration, which help does not load; a test compares them."""
_MAX_NOISE_RATIO = 0.5
"""Above it the figure is most likely percent: no run repeats within a factor of two."""
_MIN_SHRINKAGE_RATIO = 0.01
"""A measurement that narrows a prediction by less than 1 % is not worth its time."""
_MIN_TIME_S = 1e-12
"""Below a picosecond, which no unit of format_time goes under, times print as plain numbers."""
_KNOWN_FAULT = "known fault of "
_ESTIMABLE = {True: "yes", False: "no", None: "unknown"}
_OPEN = (
    "no interval, as the run-to-run noise is unknown: give --noise, or repeat a run; values assume "
    "no noise"
)
_GIVEN_ABOVE = frozenset({"parameters", "identified", "observation_count", "notes"})
"""Keys of Calibration.to_dict that the JSON has in another form."""


class _ModelType(click.ParamType[str]):
    """A model by its name, or a path of the user's by its file."""

    name = "model|file"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        text = str(value)
        return (
            text if text.endswith(".toml") else click.Choice(MODEL_NAMES).convert(text, param, ctx)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _ModelOptions:
    """What is estimated."""

    model_name: str
    free: tuple[str, ...]
    fixed: "tuple[Conditions, ...]"
    line_rate_bps: float | None
    noise_ratio: float | None

    def fixed_parameters(self) -> dict[str, float]:
        """Parameters taken as known; UsageError where a value is no number."""
        fixed: dict[str, float] = {}
        for name, value in merged(self.fixed).items():
            if isinstance(value, str):
                raise click.UsageError(
                    f"--fix {name}: must be a number in base units; got {value!r}"
                )
            fixed[name] = float(value)
        return fixed


@dataclass(frozen=True, slots=True, kw_only=True)
class _Questions:
    """What is asked of the calibration beside its parameters."""

    wanted: "tuple[Conditions, ...]"
    next_count: int | None
    compares: bool
    scenario: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Output:
    """What is printed and written."""

    record_file: str | None
    plot_file: str | None
    verbose: bool
    as_json: bool


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="RESULT...|FILE.csv|DATASET|ADAPTER")
@option_group(
    "model",
    _ModelOptions,
    option(
        "--model",
        "model_name",
        type=_ModelType(),
        default="adapter",
        show_default=True,
        help="What is estimated: a model below, or a path of your own in a .toml file.",
    ),
    option(
        "--free",
        multiple=True,
        metavar="NAME",
        help="Service time of a path or part of a host's cost to estimate, such as "
        "sent.per_frame_s; repeat it for several. For a path, omit it to list the names.",
    ),
    option(
        "--fix",
        "fixed",
        type=CONDITIONS,
        multiple=True,
        help="Parameters that are known, in base units, such as per_message_s=0.",
    ),
    line_rate_option(unset="that of the adapter's record"),
    option(
        "--noise",
        "noise_ratio",
        type=RATIO,
        show_default="from repeats, or from how the figures scatter about the model",
        help="Measurement noise: standard deviation from run to run as a ratio, such as 0.02.",
    ),
)
@source_options
@option_group(
    "asked",
    _Questions,
    option(
        "--predict-at",
        "wanted",
        type=CONDITIONS,
        multiple=True,
        help="Also predict under these conditions, such as mtu_bytes=4000; the rest as observed.",
    ),
    option(
        "--next",
        "next_count",
        type=COUNT,
        help="Suggest the COUNT most informative next measurements for each --predict-at.",
    ),
    option("--compare", "compares", is_flag=True, help="Compare the model with plain baselines."),
    option(
        "--scenario",
        multiple=True,
        metavar="CONDITION",
        help="With --compare, also leave out all observations of one value of this condition.",
    ),
)
@option_group(
    "output",
    _Output,
    option(
        "-o",
        "--output",
        "record_file",
        type=OUTPUT_FILE,
        metavar="FILE",
        help="Write the result into this .toml record: an adapter for --sender and --receiver "
        "(needs --line-rate and the condition direction), or a host for --client-host and "
        "--server-host.",
    ),
    plot_option,
    verbose_option,
    json_option,
)
def calibrate(
    names: tuple[str, ...],
    model: _ModelOptions,
    source: SourceOptions,
    asked: _Questions,
    output: _Output,
) -> None:
    """Estimate model parameters from measurements.

    RESULT is a file of iperf3, netperf or another tool that check reads, or a folder of them;
    FILE.csv is a table of your own, DATASET the id or folder of one with --figures, ADAPTER the id
    of one with published limits. Figures count within the rounding of their digits.

    Where there are more figures than parameters, or --noise is given, the result is the most likely
    parameters with intervals of 95 %, run-to-run noise included. Else it is the set of all
    parameters that agree with the figures: with your own runs within the noise of --noise or of
    repeats, open without either; with published figures within their printed digits.

    \b
    Models and what they are estimated from:
      adapter      service time per frame and per byte: throughput, each direction
      host         CPU time per message, frame and byte, or the parts in --free:
                   CPU per data or per transaction, of one side
      scalability  contention and coherency: rate over connections
      saturation   zero-load response time and bottleneck: rate over connections
      power, amortised
                   a power of the connections; work that batches share: rate
                   over connections
      coalescing, falling-cost
                   work that transactions share, or a root of their rate: CPU
                   per transaction over transaction_rate_tps (--condition, where
                   it is a figure too)
      FILE.toml    any service times of a path of your own, named by --free

    \b
    Columns of FILE.csv:
      figures      throughput_gbps, transaction_rate_tps, transaction_time_us,
                   cpu_us_per_gbit, cpu_us_per_transaction; also in base units
                   (throughput_bps, transaction_time_s ...)
      beside them  FIGURE_low, FIGURE_high, FIGURE_relation, FIGURE_resolution
      conditions   all others: mtu_bytes, connection_count, request_bytes,
                   response_bytes, write_bytes, workload, direction, side ...
      of the row   relation, weight, flag; change, quantity and baseline_CONDITION
                   for what is only known relative to another row
    In full: python -m pydoc netmodel.calibration.observed_from_csv

    A condition in NAME=VALUE is a column of these tables in base units (mtu_bytes=1500), or the
    name of the option of the same thing (mtu=1500, connections=50).

    Exit code 1: the figures contradict each other, or cannot give the parameters.

    \b
    Example: netmodel calibrate runs/ --adapter-of server --line-rate 25Gbit/s
                 --predict-at mtu=4000 --next 3 -o mine.toml
    """
    from netmodel.calibration import Selection
    from netmodel.calibration import calibrate as calibrated
    from netmodel.calibration._models._named import about_model, named_model
    from netmodel.calibration._questions import (
        comparison_of,
        line_rate_hints,
        prediction_points,
        recorded_line_rate,
        require_read,
    )
    from netmodel.calibration._sources._conditions import only_read
    from netmodel.records import catalog

    model_name, noise_ratio, line_rate_bps = (
        model.model_name,
        model.noise_ratio,
        model.line_rate_bps,
    )
    _require_possible(model, asked, output)

    # observations of what the model predicts
    selection = about_model(model_name, source.selection(names, model_name))
    if line_rate_bps is None:
        adapter_id = names[0] if len(names) == 1 and names[0] in catalog()["adapters"] else None
        line_rate_bps, about_line = recorded_line_rate(model_name, selection.observed, adapter_id)
        selection = replace(selection, notes=(*selection.notes, *about_line))
    if output.record_file is not None:
        _require_recordable(model_name, selection, line_rate_bps)
    fixed = model.fixed_parameters()
    chosen = named_model(
        model_name, selection.observed, line_rate_bps=line_rate_bps, free=model.free, fixed=fixed
    )
    require_read(model_name, chosen, selection.observed, source.conditions())
    seen = Selection((), selection.notes) + only_read(
        chosen, selection.observed, also=asked.scenario
    )
    if line_rate_bps is not None:
        seen = _beside_the_line(seen, line_rate_bps)

    # parameters, and what is asked of them
    with _refusals_with(seen.notes):
        calibration = calibrated(seen.observed, chosen, noise_ratio)
        notes = [*calibration.notes, *seen.notes]
        if line_rate_bps is None:
            notes = [
                *line_rate_hints(model_name, calibration, noise_ratio, model.free, fixed),
                *notes,
            ]
        points = list(prediction_points(model_name, calibration, asked.wanted))
        result = _Result(
            source=", ".join(names),
            model_name=model_name,
            calibration=calibration,
            notes=tuple(notes),
            predictions=[
                _Prediction(
                    point,
                    calibration.predict(point),
                    calibration.predict_run(point) if calibration.is_scatter_known else None,
                )
                for point in points
            ],
            advice=list(_advice(calibration, points, asked.next_count)),
            comparison=comparison_of(
                model_name, calibration, seen.observed, noise_ratio, asked.scenario
            )
            if asked.compares
            else None,
        )
        row = result.to_dict() if output.as_json else None
        blocks = [] if output.as_json else list(_blocks(result, output.verbose))
        if output.record_file is not None:
            _write_record(result, names, output.record_file, line_rate_bps)
        if output.plot_file is not None:
            from netmodel.report import plot_calibration

            save_plot(plot_calibration(calibration), output.plot_file)
    if output.as_json:
        print_json(row)
    else:
        print_blocks(blocks)


@contextmanager
def _refusals_with(notes: Sequence[str]) -> Iterator[None]:
    """Observations that give no parameters end with exit code 1; the notes may say why."""
    try:
        yield
    except (CalibrationError, ContradictionError) as error:
        lines = "\n".join((str(error), *(f"- {note}" for note in notes)))
        raise click.ClickException(lines) from error


def _require_possible(model: _ModelOptions, asked: _Questions, output: _Output) -> None:
    """Refuse what is sure to fail, before anything is read."""
    noise_ratio = model.noise_ratio
    if noise_ratio is not None and noise_ratio > _MAX_NOISE_RATIO:
        raise click.UsageError(
            f"--noise {noise_ratio:g}: is a ratio, at most {_MAX_NOISE_RATIO:g}; 2 % is 0.02"
        )
    if asked.scenario and not asked.compares:
        raise click.UsageError("--scenario is for --compare")
    if asked.next_count is not None and not (asked.next_count and asked.wanted):
        raise click.UsageError("--next needs a count from 1 up, and --predict-at")
    for name, path in (("-o", output.record_file), ("--plot", output.plot_file)):
        if path is not None:
            require_no_input(name, path)
    if output.record_file is None:
        return
    if not output.record_file.endswith(".toml"):
        raise click.UsageError(f"-o {output.record_file}: a record is a file that ends in .toml")
    if model.model_name not in ("adapter", "host"):
        raise click.UsageError(
            f"-o: a record holds service times of an adapter or a host; --model "
            f"{model.model_name} has none"
        )


def _require_recordable(
    model_name: str, selection: "Selection", line_rate_bps: float | None
) -> None:
    """Refuse the record of an adapter that lacks something, before anything is calibrated."""
    if model_name != "adapter":
        return
    if line_rate_bps is None:
        raise click.UsageError("-o: the record of an adapter needs --line-rate")
    if not all(each.at.get("direction") in ("in", "out") for each in selection.observed):
        raise click.UsageError(
            "-o: the record of an adapter needs the condition direction, in or out, "
            "such as --given direction=in"
        )


def _beside_the_line(seen: "Selection", line_rate_bps: float) -> "Selection":
    """Figures at line rate as censored ones, and without those that no line carries."""
    from netmodel.calibration import Selection, line_cap, line_speed_as_censored

    kept = line_speed_as_censored(seen.observed, line_cap(line_rate_bps))
    if not kept.observed:
        raise click.UsageError(f"no observation is left: {'; '.join(kept.notes)}")
    return Selection((), seen.notes) + kept


def _advice(
    calibration: "Calibration", points: "Sequence[Point]", count: int | None
) -> "Iterator[tuple[Point, list[Advice]]]":
    """The measurements to make next that narrow each prediction most."""
    from netmodel.calibration import next_measurements

    if count is None:
        return
    for point in with_progress(points, "what to measure next", least_count=1):
        useful = [
            each
            for each in next_measurements(calibration, point)
            if each.shrinkage_ratio >= _MIN_SHRINKAGE_RATIO
        ]
        yield point, useful[:count]


def _write_record(
    result: "_Result", names: Sequence[str], path: str, line_rate_bps: float | None
) -> None:
    from netmodel.calibration import adapter_document, host_document
    from netmodel.records import write_record

    sources = ", ".join(Path(name).name for name in names)
    title, source = Path(path).stem, f"{sources}, netmodel {__version__}"
    if line_rate_bps is not None and result.model_name == "adapter":
        document = adapter_document(result.calibration, line_rate_bps, title, source)
        kind = "adapters"
    else:
        document, kind = host_document(result.calibration, title, source), "hosts"
    try:
        write_record(path, document, kind)
    except ParseError as error:
        raise click.UsageError(f"-o: {error}") from error


# What is printed


class _Prediction(NamedTuple):
    """A quantity under conditions, and the interval of one more run of it where known."""

    point: "Point"
    mean: "Estimate"
    run: "Estimate | None"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Result:
    """A calibration, and what was asked of it."""

    source: str
    model_name: str
    calibration: "Calibration"
    notes: tuple[str, ...]
    predictions: Sequence[_Prediction]
    advice: "Sequence[tuple[Point, list[Advice]]]"
    comparison: "Comparison | None"

    def to_dict(self) -> dict[str, object]:
        """Plain values in base units; an open end, and a value that is not known, is None."""
        calibration = self.calibration
        return {
            "source": self.source,
            "model": self.model_name,
            "method": calibration.method,
            "parameters": {
                parameter.name: {
                    **calibration.parameters[parameter.name].known(),
                    "unit": parameter.unit,
                    "identified": calibration.identified[parameter.name],
                }
                for parameter in calibration.model.parameters
            },
            "predictions": [
                {
                    **_point_dict(each.point),
                    **each.mean.known(),
                    "new_run_low": each.run and each.run.known()["low"],
                    "new_run_high": each.run and each.run.known()["high"],
                }
                for each in self.predictions
            ],
            "next": [
                {
                    "prediction": _point_dict(point),
                    "measurements": [
                        {**each._asdict(), "point": _point_dict(each.point)}
                        for each in measurements
                    ],
                }
                for point, measurements in self.advice
            ],
            "comparison": self.comparison and self.comparison.to_dict(),
            "observation_count": len(calibration.observed),
            **{
                name: value
                for name, value in calibration.to_dict().items()
                if name not in _GIVEN_ABOVE
            },
            "notes": list(self.notes),
        }


def _point_dict(point: "Point") -> dict[str, object]:
    return {"quantity": point.quantity, "at": dict(point.at)}


def _blocks(result: _Result, is_verbose: bool) -> Iterator[str]:
    """The answer, tables of parameters, predictions and measurements to make, and notes."""
    from netmodel.calibration import Fit

    calibration = result.calibration
    count = len(calibration.observed)
    answer = _answer(calibration)
    yield f"{result.model_name} from {count} observations of {result.source}: {answer}"
    rows: list[tuple[str, ...]] = [("parameter", "value", "lowest", "highest", "estimable")]
    for parameter in calibration.model.parameters:
        estimate = calibration.parameters[parameter.name]
        cells = (_with_unit(number, parameter.unit) for number in estimate)
        rows.append((parameter.name, *cells, _ESTIMABLE[calibration.identified[parameter.name]]))
    yield text_table(rows, right_aligned=(1, 2, 3))
    if isinstance(calibration, Fit):
        yield _noise_text(calibration)
        yield _largest_residual_text(calibration)
    if result.predictions:
        rows = [("prediction", "at", "value", "lowest", "highest", "a new run: lowest", "highest")]
        places = _places([each.point for each in result.predictions], result)
        for place, each in zip(places, result.predictions, strict=True):
            numbers = (*each.mean, *(each.run[1:] if each.run else (None, None)))
            cells = (_quantity(each.point.quantity, number) for number in numbers)
            rows.append((each.point.quantity, place, *cells))
        yield text_table(rows, right_aligned=(2, 3, 4, 5, 6))
    for point, measurements in result.advice:
        yield _next_text(point, measurements, result)
    if result.comparison is not None:
        yield str(result.comparison)
    faults = [note for note in result.notes if note.startswith(_KNOWN_FAULT)]
    notes = [note for note in result.notes if note not in faults]
    if faults and not is_verbose:
        notes.append(f"known faults of the source, which --verbose prints: {len(faults)}")
    yield notes_text([*notes, *(faults if is_verbose else ())], is_verbose)


def _answer(calibration: "Calibration") -> str:
    """What kind of answer it is, in a sentence."""
    from netmodel.calibration import Fit

    level = f"{100 * calibration.level_ratio:g} %"
    if isinstance(calibration, Fit):
        if calibration.is_undetermined:
            return _OPEN
        return f"most likely parameters with {level} intervals, run-to-run noise included"
    if calibration.is_open:
        return _OPEN
    if calibration.scatter is None:
        return (
            "all parameters that agree with every figure within its printed digits, without "
            "run-to-run noise; no single value is the most likely"
        )
    given = "given" if calibration.scatter.degrees_of_freedom is None else "from repeats"
    return (
        f"all parameters that agree with every observation within a noise of "
        f"{100 * calibration.scatter.ratio:.3g} % ({given}), at {level} for all together"
    )


def _noise_text(fit: "Fit") -> str:
    """How much figures scatter about the model, and what that rests on."""
    count = fit.degrees_of_freedom
    freedom = f"{count} degree{'s' * (count != 1)} of freedom"
    if fit.is_noise_known:
        return f"run-to-run noise: {100 * fit.noise_sd:.3g} %, as given; {freedom}"
    if fit.is_undetermined:
        return f"run-to-run noise: unknown; {freedom}"
    return (
        f"run-to-run noise: {100 * fit.corrected_noise_sd:.3g} %, from how the figures scatter "
        f"about the model; {freedom}"
    )


def _largest_residual_text(fit: "Fit") -> str:
    """The observation that is furthest from the model, and whether noise explains it."""
    from netmodel.calibration._sources._conditions import shared_conditions

    worst = fit.largest_residual
    if worst is None:
        return ""
    common = shared_conditions(fit.observed)
    at = ", ".join(f"{name} {value}" for name, value in worst.at.items() if name not in common)
    beyond = worst.is_beyond_noise(1 - fit.level_ratio)
    verdict = "more than the noise explains" if beyond else "within the noise"
    side = "below" if worst.deviations < 0 else "above"
    return wrapped_lines(
        f"largest residual: {worst.name}{f' ({at})' if at else ''}: measured "
        f"{_quantity(worst.quantity, worst.measured)}, fitted "
        f"{_quantity(worst.quantity, worst.fitted)}: {abs(worst.deviations):.1f} standard "
        f"deviations {side}, {verdict}",
        terminal_width(),
    )


def _next_text(point: "Point", measurements: "list[Advice]", result: _Result) -> str:
    """The measurements to make next for a prediction, and how much they narrow it."""
    wanted, *places = _places([point, *(each.point for each in measurements)], result)
    if not measurements:
        return f"No next measurement narrows {point.quantity} at {wanted} by 1 %"
    rows: list[tuple[str, ...]] = [("measure", "range afterwards", "narrower by", "at worst")]
    rows += [
        (
            place,
            _quantity(point.quantity, each.expected_width),
            f"{each.shrinkage_ratio:.0%}",
            f"{each.worst_shrinkage_ratio:.0%}",
        )
        for place, each in zip(places, measurements, strict=True)
    ]
    head = f"What to measure next for {point.quantity} at {wanted}"
    return f"{head}\n{text_table(rows, right_aligned=(1, 2, 3))}"


def _places(points: "Sequence[Point]", result: _Result) -> list[str]:
    """Conditions of points, but for those that they share with each other and all observations."""
    from netmodel.calibration._sources._conditions import shared_conditions

    observed = shared_conditions(result.calibration.observed)
    shared = {
        name
        for name, value in observed.items()
        if all(point.at.get(name) == value for point in points)
    }
    return [_conditions(point, shared) or "as observed" for point in points]


def _conditions(point: "Point", common: "Collection[str]") -> str:
    values = ((name, value) for name, value in point.at.items() if name not in common)
    return ", ".join(
        f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in values
    )


def _quantity(name: str, number: float | None) -> str:
    """A number of a quantity, whose name ends in its unit."""
    if name.endswith("_bps"):
        return _with_unit(number, "bit/s")
    if name.endswith("_us_per_gbit"):
        return _with_unit(number, "µs/Gbit")
    return _with_unit(number, "/s" if name.endswith("_tps") else "s")


def _with_unit(number: float | None, unit: str) -> str:
    if number is None:
        return "-"
    if math.isinf(number):
        return "any"
    if unit == "bit/s":
        return format_rate(number, RESULT_DIGITS)
    if unit.startswith("s") and (number == 0 or number >= _MIN_TIME_S):
        return format_time(number, RESULT_DIGITS) + unit.removeprefix("s")
    return f"{number_text(number)} {unit}"
