"""``netmodel calibrate``."""

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from netmodel import __version__
from netmodel.cli._calibrate_line import line_hints, recorded_line
from netmodel.cli._calibrate_models import (
    MODEL_NAMES,
    Stated,
    chosen_model,
    require_read,
)
from netmodel.cli._calibrate_source import (
    CONDITIONS,
    FLAGGED,
    SourceOptions,
    merged,
    selection_of,
)
from netmodel.cli._calibrate_text import Calibrated, Predicted, calibrated_text
from netmodel.cli._console import print_json, with_progress
from netmodel.cli._files import OUTPUT_FILE, require_no_input, save_plot
from netmodel.cli._options import (
    COUNT,
    RATIO,
    json_option,
    line_rate_option,
    mtu_option,
    option_group,
    plot_option,
)
from netmodel.consumption import Side
from netmodel.errors import CalibrationError, ContradictionError, ParseError

if TYPE_CHECKING:
    from netmodel.calibration import Observed, Point, Selection
    from netmodel.calibration._calibrate import Calibration
    from netmodel.calibration._compare import Comparison
    from netmodel.calibration._leave_out import Method
    from netmodel.calibration._next import Advice
    from netmodel.calibration._observed import Conditions

__all__ = ["calibrate"]

_MOST_NOISE_RATIO = 0.5
_LEAST_SHRINKAGE = 0.01
_MOST_VALUES = 4

_SOURCE_OPTIONS = (
    click.option(
        "--where",
        type=CONDITIONS,
        multiple=True,
        help="Only observations with these conditions, such as workload=awm-str,layer=3.",
    ),
    click.option(
        "--figures", multiple=True, help="Column of a dataset to calibrate; as often as wanted."
    ),
    click.option(
        "--condition",
        "conditions_from",
        multiple=True,
        help="Column of figures that is a condition of the others, such as transaction_rate_tps.",
    ),
    click.option(
        "--flagged",
        type=FLAGGED,
        default="refused",
        show_default=True,
        help="What becomes of flagged figures: refused, weighted-down or used.",
    ),
    click.option(
        "--given",
        type=CONDITIONS,
        multiple=True,
        help="Conditions of all observations that the source does not tell, such as "
        "response_bytes=20000000.",
    ),
    click.option(
        "--given-of",
        type=(str, CONDITIONS),
        multiple=True,
        metavar="FILE name=value,...",
        help="Conditions of the runs of one file, as it is named, such as a.json mtu_bytes=1500.",
    ),
    click.option(
        "--adapter-of",
        type=click.Choice(Side, case_sensitive=False),
        help="Whose adapter runs are about, which tells their direction: in or out of it.",
    ),
    mtu_option(),
)


class _Model(click.ParamType[str]):
    """A model by its name, or a path of the user's by its file."""

    name = "model"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        is_file = value.endswith(".toml")
        return value if is_file else str(click.Choice(MODEL_NAMES).convert(value, param, ctx))


@contextmanager
def _refusals_told(notes: Sequence[str]) -> Iterator[None]:
    """Observations that tell no parameters make exit code 1; the notes may say why."""
    try:
        yield
    except (CalibrationError, ContradictionError) as error:
        told = "\n".join((str(error), *(f"- {note}" for note in notes)))
        raise click.ClickException(told) from error


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="RESULT...|FILE.csv|DATASET|ADAPTER")
@click.option(
    "--model",
    "model_name",
    type=_Model(),
    default="adapter",
    show_default=True,
    help=f"What is calibrated: {', '.join(MODEL_NAMES)}, or a path of your own in a .toml file.",
)
@click.option(
    "--free",
    multiple=True,
    help="Time of a path of your own, or part of the cost of a host, that is to be found, by its "
    "name, such as sent.per_frame_s; as often as wanted; left out for a path, the names are told.",
)
@click.option(
    "--fix",
    "fixed",
    type=CONDITIONS,
    multiple=True,
    help="Parameters that are taken as known, in seconds, such as per_message_s=0.",
)
@line_rate_option()
@option_group("chosen", SourceOptions, *_SOURCE_OPTIONS)
@click.option(
    "--noise",
    "noise_ratio",
    type=RATIO,
    help="Standard deviation from run to run as a ratio, such as 0.02. [left out: from repeats, or "
    "from how the figures scatter about the model; without either, intervals stay open]",
)
@click.option(
    "--predict-at",
    "wanted",
    type=CONDITIONS,
    multiple=True,
    help="Also predict under these conditions, such as mtu_bytes=4000; the rest as observed.",
)
@click.option(
    "--next",
    "next_count",
    type=COUNT,
    help="Also so many measurements that would most narrow each prediction.",
)
@click.option("--compare", "compares", is_flag=True, help="Also hold the model beside others.")
@click.option(
    "--scenario",
    multiple=True,
    help="Condition of which --compare leaves out all observations of one value together, too.",
)
@click.option(
    "-o",
    "--output",
    type=OUTPUT_FILE,
    help="Also write what was found into this .toml record: an adapter for predict --sender and "
    "--receiver (needs --line-rate and the condition direction), or a host for predict "
    "--client-host and --server-host.",
)
@plot_option
@json_option
def calibrate(
    names: tuple[str, ...],
    model_name: str,
    free: tuple[str, ...],
    fixed: "tuple[Conditions, ...]",
    line_rate_bps: float | None,
    chosen: SourceOptions,
    noise_ratio: float | None,
    wanted: "tuple[Conditions, ...]",
    next_count: int | None,
    compares: bool,
    scenario: tuple[str, ...],
    output: str | None,
    plot_file: str | None,
    as_json: bool,
) -> None:
    """Find the parameters that observations allow, and no more.

    RESULT is a file of iperf3, netperf or another tool that check reads, or a folder of them;
    FILE.csv is a table of your own, DATASET the id or folder of one with --figures, ADAPTER the id
    of one on which limits were seen. Figures count within the rounding of their digits.

    Where there are more figures than parameters, or --noise is given, the likeliest parameters are
    printed with intervals of 95 %, run-to-run noise included. Else it is all that the figures
    allow: of your own runs widened by the noise that --noise or repeats give, and open without
    either; of published figures within their printed digits.

    \b
    Models and what they are found from:
      adapter      times of a frame and a byte: throughput, for each direction
      host         CPU times of a message, a frame and a byte, or those of
                   --free: CPU per data or per transaction, of one side
      scalability  what connections cost each other: rate over connections
      saturation   light load and bottleneck: rate over connections
      power, amortised
                   a power of the connections; work that batches share: rate
                   over connections
      coalescing, falling-cost
                   work that transactions share, or a root of their rate: CPU
                   per transaction over transaction_rate_tps (--condition, where
                   it is a figure too)
      FILE.toml    any times of a path of your own, named by --free; without it
                   the times are listed

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
    """
    from netmodel.calibration import Selection
    from netmodel.calibration import calibrate as calibrated
    from netmodel.calibration._sources._conditions import only_read

    if noise_ratio is not None and noise_ratio > _MOST_NOISE_RATIO:
        raise click.UsageError(
            f"--noise {noise_ratio:g}: is a ratio, at most {_MOST_NOISE_RATIO:g}; 2 % is 0.02"
        )
    if scenario and not compares:
        raise click.UsageError("--scenario is for --compare")
    if next_count is not None and not (next_count and wanted):
        raise click.UsageError("--next needs a count from 1 up, and --predict-at")
    for option, path in (("-o", output), ("--plot", plot_file)):
        if path is not None:
            require_no_input(option, path)
    about = _about(model_name, selection_of(names, model_name, chosen))
    if line_rate_bps is None:
        line_rate_bps, of_adapter = recorded_line(names, model_name, about.observed)
        about = replace(about, notes=(*about.notes, *of_adapter))
    if output is not None:
        _require_recordable(output, model_name, about.observed, line_rate_bps)
    stated = Stated(line_rate_bps, free, merged(fixed))
    model = chosen_model(model_name, about.observed, stated)
    require_read(model_name, model, about.observed, chosen.conditions())
    seen = Selection((), about.notes) + only_read(model, about.observed, also=scenario)
    if line_rate_bps is not None:
        seen = _beside_the_line(seen, line_rate_bps)
    with _refusals_told(seen.notes):
        found = calibrated(seen.observed, model, noise_ratio)
        if line_rate_bps is None:
            hints = line_hints(model_name, found, stated, noise_ratio)
            seen = replace(seen, notes=(*seen.notes, *hints))
        points = list(_points(model_name, found, wanted))
        result = Calibrated(
            source=", ".join(names),
            model_name=model_name,
            calibration=found,
            notes=seen.notes,
            predictions=tuple(
                Predicted(
                    point,
                    found.predict(point),
                    found.predict_run(point) if found.is_scatter_known else None,
                )
                for point in points
            ),
            advice=tuple(_advice(found, points, next_count)),
            comparison=_comparison(model_name, found, seen.observed, noise_ratio, scenario)
            if compares
            else None,
        )
        told = result.to_dict() if as_json else calibrated_text(result)
        if output is not None:
            _write(result, names, output, line_rate_bps)
        if plot_file is not None:
            from netmodel.report import plot_calibration

            save_plot(plot_calibration(found), plot_file)
    if isinstance(told, str):
        click.echo(told)
    else:
        print_json(told)


def _about(model_name: str, selection: "Selection") -> "Selection":
    """The observations of what the model is about; a note names what is left out."""
    from netmodel.calibration._models._named import about_model

    return about_model(model_name, selection)


def _beside_the_line(seen: "Selection", line_rate_bps: float) -> "Selection":
    """Figures at line speed as censored ones, and without those that no line carries."""
    from netmodel.calibration import Selection, line_cap, line_speed_as_censored

    found = line_speed_as_censored(seen.observed, line_cap(line_rate_bps))
    if not found.observed:
        raise click.UsageError(f"no observation is left: {'; '.join(found.notes)}")
    return Selection((), seen.notes) + found


def _points(
    model_name: str, found: "Calibration", wanted: "Iterable[Conditions]"
) -> "Iterator[Point]":
    """What is to be predicted, under the conditions of all observations but for those told."""
    from netmodel.calibration import Observed, Point, SeveralModels
    from netmodel.calibration._observed import conditions_with
    from netmodel.calibration._sources._conditions import shared_conditions

    common = shared_conditions(found.observed)
    quantity_seen = found.observed[0].quantity
    for at in wanted:
        conditions = conditions_with(common, at)
        quantity = str(conditions.pop("quantity", quantity_seen))
        by = found.model if isinstance(found.model, SeveralModels) else None
        several = (
            [conditions]
            if by is None or by.by in conditions
            else [{**conditions, by.by: one} for one in by.models]
        )
        might_be = [
            Observed(quantity=quantity, at=one, low=0, high=math.inf, place="--predict-at")
            for one in several
        ]
        _require_messages(found, conditions)
        news = [name for name, value in at.items() if common.get(name) != value]
        stated = [name for name in news if name != "quantity"]
        require_read(model_name, found.model, might_be, stated)
        yield from (Point(quantity, one) for one in several)


def _require_messages(found: "Calibration", told: "Conditions") -> None:
    """Refuse to predict without what is sent, where that differed between observations."""
    from netmodel.calibration._observed import MESSAGE_CONDITIONS, conditions_with

    for name in sorted(MESSAGE_CONDITIONS - set(told)):
        values = dict.fromkeys(str(one.at[name]) for one in found.observed if name in one.at)
        if len(values) > 1 and name in conditions_with({name: ""}, told):
            some = ", ".join(list(values)[:_MOST_VALUES])
            raise click.UsageError(f"--predict-at: {name} is {some} where it was seen: name one")


def _advice(
    found: "Calibration", points: "Sequence[Point]", count: int | None
) -> "Iterator[tuple[Point, list[Advice]]]":
    """The best of what could be measured next, for each prediction."""
    from netmodel.calibration import next_measurements

    if count is None:
        return
    for point in with_progress(points, "what to measure next", least_count=1):
        several = next_measurements(found, point)
        yield point, [one for one in several if one.shrinkage_ratio >= _LEAST_SHRINKAGE][:count]


def _comparison(
    model_name: str,
    found: "Calibration",
    observed: "Sequence[Observed]",
    noise_ratio: float | None,
    scenario: tuple[str, ...],
) -> "Comparison":
    """The model beside plain baselines, each judged by what it was not shown."""
    from netmodel.calibration import calibrate as calibrated
    from netmodel.calibration import compare, interpolation, mean_of_others, scalability_model
    from netmodel.calibration._compare import forecasting
    from netmodel.calibration._sources._conditions import varied_numbers

    is_fit, quantity = found.method == "likelihood", found.observed[0].quantity
    methods: dict[str, Method] = {
        "this model": forecasting(found.model, noise_ratio=noise_ratio)
        if is_fit
        else partial(calibrated, model=found.model, noise_ratio=noise_ratio),
        "mean": mean_of_others,
    }
    for name in varied_numbers(found.observed):
        methods[f"interpolation over {name}"] = interpolation(name)
        is_rate = name == "connection_count" and quantity in (
            "throughput_bps",
            "transaction_rate_tps",
        )
        if is_rate and model_name != "scalability":
            methods["universal scalability"] = forecasting(scalability_model(quantity))
    return compare(methods, observed, by=scenario)


def _require_recordable(
    output: str, model_name: str, observed: "Sequence[Observed]", line_rate_bps: float | None
) -> None:
    """Refuse a record that could not be written, before anything is calibrated."""
    if not output.endswith(".toml"):
        raise click.UsageError(f"-o {output}: a record is a file that ends in .toml")
    if model_name not in ("adapter", "host"):
        raise click.UsageError(
            f"-o: records hold times of an adapter or a host; --model {model_name} has none"
        )
    if model_name == "host":
        return
    if line_rate_bps is None:
        raise click.UsageError("-o: the record of an adapter needs --line-rate")
    if not all(one.at.get("direction") in ("in", "out") for one in observed):
        raise click.UsageError(
            "-o: the record of an adapter needs the condition direction, in or out, "
            "such as --given direction=in"
        )


def _write(
    result: Calibrated, names: Sequence[str], output: str, line_rate_bps: float | None
) -> None:
    """The record of what was found."""
    from netmodel.calibration import adapter_document, host_document
    from netmodel.records import write_record

    sources = ", ".join(Path(name).name for name in names)
    title, source = Path(output).stem, f"{sources}, netmodel {__version__}"
    if line_rate_bps is not None and result.model_name == "adapter":
        document = adapter_document(result.calibration, line_rate_bps, title, source)
        kind = "adapters"
    else:
        document, kind = host_document(result.calibration, title, source), "hosts"
    try:
        write_record(output, document, kind)
    except ParseError as error:
        raise click.UsageError(f"-o: {error}") from error
