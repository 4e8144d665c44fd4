"""``netmodel calibrate``."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from netmodel import __version__
from netmodel._numeric import EXACT_INTEGER
from netmodel._text import few_names
from netmodel.cli._calibrate_text import Calibrated, Predicted, text_blocks
from netmodel.cli._console import (
    print_blocks,
    print_json,
    with_progress,
)
from netmodel.cli._files import OUTPUT_FILE, require_no_input, results_in, save_plot
from netmodel.cli._ids import Choice, Named, what_to_calibrate
from netmodel.cli._options import (
    COUNT,
    RATIO_OR_PERCENT,
    SIZE,
    QuestionCommand,
    json_option,
    line_rate_option,
    mtu_option,
    option,
    option_group,
    plot_option,
    verbose_option,
)
from netmodel.consumption import Side
from netmodel.errors import CalibrationError, ContradictionError, ParseError, UnitError
from netmodel.units import split_quantity

if TYPE_CHECKING:
    from netmodel.api._calibrate import Prepared
    from netmodel.api._sources import Chosen
    from netmodel.calibration import Flagged, Point
    from netmodel.calibration._calibrate import AnyCalibration
    from netmodel.calibration._next import Advice
    from netmodel.calibration._observed import Conditions

MODEL_NAMES = (
    *("adapter", "host", "scalability", "saturation", "knee", "batching", "power"),
    *("amortised", "coalescing", "falling-cost", "plateau-cost"),
)
"""Those of netmodel.calibration, which help does not load; a test compares them."""
AUTO_NAME = "auto"
"""The name in place of one model; of netmodel.calibration too."""
_MAX_NOISE_RATIO = 0.5
"""Above it the figure is most likely percent: no run repeats within a factor of two."""
_MIN_SHRINKAGE_RATIO = 0.01
"""A measurement that narrows a prediction by less than 1 % is not worth its time."""
_OPTION_NAMES = {"mtu": ("mtu_bytes", SIZE), "connections": ("connection_count", COUNT)}
"""Names of options that stand for a column in name=value, with units as in the option."""


class _ModelType(click.ParamType[str]):
    """A model by its name, or a path of the user's by its file."""

    name = "model|file"
    shell_complete = Named(lambda: (*MODEL_NAMES, AUTO_NAME), or_file=True).shell_complete

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        text = str(value)
        return (
            text
            if text.endswith(".toml")
            else Choice((*MODEL_NAMES, AUTO_NAME)).convert(text, param, ctx)
        )


class _Conditions(click.ParamType["Conditions"]):
    """Names and values such as ``mtu_bytes=4000,direction=in``."""

    name = "name=value,..."

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> "Conditions":
        if isinstance(value, dict):
            return value
        conditions: dict[str, float | str] = {}
        for part in str(value).split(","):
            name, equals, text = (each.strip() for each in part.partition("="))
            if not (name and equals and text):
                self.fail(
                    f"{part!r}: write name=value, such as mtu_bytes=4000; commas between several",
                    param,
                    ctx,
                )
            column, kind = _OPTION_NAMES.get(name, (name, None))
            if column in conditions:
                self.fail(f"{value!r}: {column} is given twice", param, ctx)
            try:
                conditions[column] = (
                    _number_or_text(text) if kind is None else kind.convert(text, param, ctx)
                )
            except UnitError as error:
                self.fail(f"{name}: {error}", param, ctx)
        return conditions


_CONDITIONS = _Conditions()
_CONDITIONS_OF_FILE = click.Tuple([str, _CONDITIONS])
noise_option = option(
    "--noise",
    "noise_ratio",
    type=RATIO_OR_PERCENT,
    show_default="from repeats, or from how the figures scatter about the model",
    help="Measurement noise: standard deviation from run to run as a ratio, such as 0.02.",
)
given_option = option(
    "--given",
    type=_CONDITIONS,
    multiple=True,
    help="Conditions missing from the input, such as response_bytes=20000000.",
)
given_of_option = option(
    "--given-of",
    type=_CONDITIONS_OF_FILE,
    multiple=True,
    metavar="FILE NAME=VALUE,...",
    help="Conditions missing from one file, such as a.json mtu_bytes=1500.",
)
record_option = option(
    "-o",
    "--output",
    "record_file",
    type=OUTPUT_FILE,
    metavar="FILE",
    help="Write the result into this .toml record: an adapter for --sender and --receiver "
    "(needs --line-rate and the condition direction), or a host for --client-host and "
    "--server-host.",
)


class _Flagged(click.ParamType["Flagged"]):
    """What becomes of flagged figures, looked up when it is needed."""

    name = "flagged"
    shell_complete = Named(lambda: ("refused", "weighted-down", "used")).shell_complete

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> "Flagged":
        if ctx is not None and ctx.resilient_parsing:
            self.fail("a completion needs no value, and loads nothing for one", param, ctx)
        from netmodel.calibration import Flagged

        known = {each.value.replace(" ", "-"): each for each in Flagged}
        return known[Choice(list(known)).convert(value, param, ctx)]


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
class _Source:
    """Which figures of a source count."""

    where: "tuple[Conditions, ...]"
    figures: tuple[str, ...]
    condition: tuple[str, ...]
    flagged: "Flagged"
    given: "tuple[Conditions, ...]"
    given_of: "tuple[tuple[str, Conditions], ...]"
    adapter_of: Side | None
    mtu_bytes: int | None

    def chosen(self) -> "Chosen":
        """The same for netmodel.api."""
        from netmodel.api._sources import Chosen

        mtu = {} if self.mtu_bytes is None else {"mtu_bytes": self.mtu_bytes}
        return Chosen(
            where=self.where,
            figures=self.figures,
            conditions_from=self.condition,
            flagged=self.flagged,
            given=merged((mtu, *self.given)),
            given_of={
                file: merged(conditions for name, conditions in self.given_of if name == file)
                for file, _ in self.given_of
            },
            adapter_of=self.adapter_of,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Questions:
    """What is asked of the calibration beside its parameters."""

    wanted: "tuple[Conditions, ...]"
    next_count: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Output:
    """What is printed and written."""

    record_file: str | None
    plot_file: str | None
    verbose: bool
    as_json: bool


@click.command(cls=QuestionCommand)
@click.argument(
    "names",
    type=what_to_calibrate,
    nargs=-1,
    required=True,
    metavar="RESULT...|FILE.csv|DATASET|ADAPTER",
)
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
        type=_CONDITIONS,
        multiple=True,
        help="Parameters that are known, in base units, such as per_message_s=0.",
    ),
    line_rate_option(unset="that of the adapter's record"),
    noise_option,
)
@option_group(
    "source",
    _Source,
    option(
        "--where",
        type=_CONDITIONS,
        multiple=True,
        help="Only what has this value, such as line_rate=25Gbit/s; observations with these "
        "conditions, such as workload=awm-str,layer=3.",
    ),
    option(
        "--figures",
        multiple=True,
        metavar="COLUMN",
        help="Column of a dataset to calibrate from; repeat it for several.",
    ),
    option(
        "--condition",
        multiple=True,
        metavar="COLUMN",
        help="Column of figures that is a condition of the others, such as transaction_rate_tps.",
    ),
    option(
        "--flagged",
        type=_Flagged(),
        default="refused",
        show_default=True,
        metavar="[refused|weighted-down|used]",
        help="What to do with figures that flags.csv names.",
    ),
    given_option,
    given_of_option,
    option(
        "--adapter-of",
        type=Choice(Side, case_sensitive=False),
        help="Side whose adapter is calibrated: decides which direction is in, which out.",
    ),
    mtu_option(),
)
@option_group(
    "asked",
    _Questions,
    option(
        "--predict-at",
        "wanted",
        type=_CONDITIONS,
        multiple=True,
        help="Also predict under these conditions, such as mtu_bytes=4000; the rest as observed.",
    ),
    option(
        "--next",
        "next_count",
        type=COUNT,
        help="Suggest the COUNT most informative next measurements for each --predict-at.",
    ),
)
@option_group(
    "output",
    _Output,
    record_option,
    plot_option,
    verbose_option,
    json_option,
)
def calibrate(
    names: tuple[str, ...],
    model: _ModelOptions,
    source: _Source,
    asked: _Questions,
    output: _Output,
) -> None:
    """Estimate model parameters from measurements.

    RESULT is a file of iperf3, netperf or another tool that check reads, or a directory of them,
    or a folder of netmodel measure, with the MTU and line rate that its hosts show;
    FILE.csv is a table of your own, DATASET the id or directory of one with --figures, ADAPTER the
    id of one with published limits. Figures count within the rounding of their digits.

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
      knee         the same, and what each connection adds to the bottleneck:
                   streams whose rate falls again
      batching, amortised, power
                   work that batches share, as large as the root of the
                   connections or of a size of their own; a power of the
                   connections: rate over connections
      coalescing, falling-cost
                   work that transactions share, or a root of their rate: CPU
                   per transaction over transaction_rate_tps (--condition, where
                   it is a figure too)
      plateau-cost
                   the same with a part that each connection adds: CPU per data or
                   per transaction over connections
      FILE.toml    any service times of a path of your own, named by --free
    In place of one model:
      auto         the model of the data above, or lines between figures in logarithms,
                   that predicts left-out figures best; inside the measured range

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
    In full: python -m pydoc netmodel.calibration.observed_from_table

    A condition in NAME=VALUE is a column of these tables in base units (mtu_bytes=1500), or the
    name of the option of the same thing (mtu=1500, connections=50).

    Exit code 1: the figures contradict each other, or cannot give the parameters.

    \b
    Example: netmodel calibrate runs/ --adapter-of server --line-rate 25Gbit/s
                 --predict-at mtu=4000 --next 3 -o mine.toml
    """
    from netmodel.api._calibrate import prepared
    from netmodel.api._sources import measured_line_rate_bps, observations
    from netmodel.calibration._calibrate import prediction_points
    from netmodel.calibration._fit import Fit
    from netmodel.calibration._sets import FeasibleSet
    from netmodel.records import catalog

    model_name, noise_ratio = model.model_name, model.noise_ratio
    _require_possible(model, asked, output)
    chosen = source.chosen()
    adapter_id = names[0] if len(names) == 1 and names[0] in catalog()["adapters"] else None
    selection = observations(names, model_name, chosen, results_in)
    line_rate_bps = model.line_rate_bps
    if line_rate_bps is None and model_name == "adapter":
        line_rate_bps = measured_line_rate_bps(names)
    ready = prepared(
        selection,
        model_name,
        line_rate_bps,
        model.free,
        model.fixed_parameters(),
        chosen.given,
        adapter_id,
    )
    if output.record_file is not None and model_name == "adapter":
        _require_adapter_recordable(ready)
    try:
        calibration = ready.estimated(noise_ratio)
        points = list(prediction_points(model_name, calibration, asked.wanted))
        result = Calibrated(
            source=", ".join(names),
            model_name=model_name,
            calibration=calibration,
            predictions=[
                Predicted(
                    point,
                    calibration.predict(point),
                    calibration.predict_run(point) if calibration.is_scatter_known else None,
                )
                for point in points
            ],
            advice=list(_advice(calibration, points, asked.next_count)),
        )
        row = result.to_dict() if output.as_json else None
        blocks = [] if output.as_json else list(text_blocks(result, output.verbose))
        if output.record_file is not None:
            _write_record(result, names, output.record_file, ready.line_rate_bps)
        if output.plot_file is not None:
            from netmodel.report import plot_calibration

            # --plot refuses others
            assert isinstance(calibration, Fit | FeasibleSet)

            sources = few_names([Path(name).name for name in names], "sources")
            subject = f"{model_name} from {sources}"
            save_plot(plot_calibration(calibration, subject=subject), output.plot_file)
    except (CalibrationError, ContradictionError) as error:
        # observations that give no parameters: exit code 1, and notes that may say why
        lines = "\n".join((str(error), *(f"- {note}" for note in ready.seen.notes)))
        raise click.ClickException(lines) from error
    if output.as_json:
        print_json(row)
    else:
        print_blocks(blocks)


def _require_possible(model: _ModelOptions, asked: _Questions, output: _Output) -> None:
    """Refuse what is sure to fail, before anything is read."""
    noise_ratio = model.noise_ratio
    if noise_ratio is not None and noise_ratio > _MAX_NOISE_RATIO:
        raise click.UsageError(
            f"--noise {noise_ratio:g} is above {_MAX_NOISE_RATIO:g}, as no ratio is; 2 % is 0.02"
        )
    if asked.next_count is not None and not (asked.next_count and asked.wanted):
        raise click.UsageError("--next needs a count from 1 up, and --predict-at")
    if model.model_name == AUTO_NAME:
        asked_for = {
            "--next": asked.next_count is not None,
            "--plot": output.plot_file is not None,
        }
        for name, is_asked in asked_for.items():
            if is_asked:
                raise click.UsageError(
                    f"{name} is for one model, and --model {AUTO_NAME} is none: give the model "
                    "that it chooses"
                )
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


def _require_adapter_recordable(ready: "Prepared") -> None:
    """Refuse the record of an adapter that lacks something, before anything is calibrated."""
    if ready.line_rate_bps is None:
        raise click.UsageError("-o: the record of an adapter needs --line-rate")
    if not all(each.at.get("direction") in ("in", "out") for each in ready.seen.observed):
        raise click.UsageError(
            "-o: the record of an adapter needs the condition direction, in or out, "
            "such as --given direction=in"
        )


def _advice(
    calibration: "AnyCalibration", points: "Sequence[Point]", count: int | None
) -> "Iterator[tuple[Point, list[Advice]]]":
    """The measurements to make next that narrow each prediction most."""
    if count is None:
        return
    from netmodel.calibration import Fit, next_measurements
    from netmodel.calibration._sets import FeasibleSet

    assert isinstance(calibration, Fit | FeasibleSet)  # as --next refuses others
    for point in with_progress(points, "what to measure next", least_count=1):
        useful = [
            each
            for each in next_measurements(calibration, point)
            if each.shrinkage_ratio >= _MIN_SHRINKAGE_RATIO
        ]
        yield point, useful[:count]


def _write_record(
    result: "Calibrated", names: Sequence[str], path: str, line_rate_bps: float | None
) -> None:
    from netmodel.calibration import Fit, adapter_document, host_document
    from netmodel.calibration._sets import FeasibleSet
    from netmodel.records import write_record

    assert isinstance(result.calibration, Fit | FeasibleSet)  # -o refuses others
    sources = ", ".join(Path(name).name for name in names)
    title, source = Path(path).stem, f"{sources}, netmodel {__version__}"
    if line_rate_bps is not None and result.model_name == "adapter":
        document = adapter_document(result.calibration, line_rate_bps, title, source)
        kind = "adapters"
    else:
        document, kind = host_document(result.calibration, title, source), "hosts"
    require_no_input("-o", path)
    try:
        write_record(path, document, kind)
    except ParseError as error:
        raise click.UsageError(f"-o: {error}") from error


def merged(conditions: "Iterable[Conditions]") -> "dict[str, float | str | bool]":
    """All conditions of several options, the last of each name."""
    return {name: value for each in conditions for name, value in each.items()}


def _number_or_text(value: str) -> float | str:
    """A number in base units; a word where it is none at all."""
    try:
        float(value)
    except ValueError:
        return value
    number, rest = split_quantity(value)
    if rest:
        raise UnitError(f"{value!r} is not a number")
    is_whole = number == number.to_integral_value() and abs(number) < EXACT_INTEGER
    return int(number) if is_whole else float(number)
