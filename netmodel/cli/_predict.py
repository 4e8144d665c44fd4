"""``netmodel predict``."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from netmodel._estimates import Predicted
from netmodel._numeric import Quantity
from netmodel._predicted_text import predicted_text, rate_text
from netmodel.cli._options import (
    COUNT,
    RATE,
    SIZE,
    csv_text,
    drawing_width,
    header_options,
    inner_mtu_bytes,
    json_option,
    link_mtu_option,
    mtu_option,
    plot_option,
    print_json,
    require_one_size,
    save_plot,
    segments_per_ack_option,
    stack_or_default,
    workload_option,
)
from netmodel.cli._paths import host_options, path_options, require_own_mtu, stated_path
from netmodel.cli._predict_measured import (
    dicts_with_measured,
    measured_cells,
    measured_figures,
    measured_lines,
)
from netmodel.consumption import Side
from netmodel.report import (
    NOTE_COUNT,
    path_drawing,
    plot_measured,
    plot_path,
    plot_predictions,
    plot_ratio,
    range_text,
    ratio_drawing,
    ratio_text,
    text_table,
)
from netmodel.units import format_time

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from netmodel.judging import MeasuredFigure
    from netmodel.path import Prediction, RatioPrediction, SpecifiedPath, Traffic
    from netmodel.records import Workload

__all__ = ["predict", "roles"]

_HEADS = ("connections", "throughput", "transactions", "time", "bottleneck", "bound varies")
_RATIO_HEADS = ("connections", "ratio", "bottleneck", "ratio there")
_DIGITS = 5
_CSV_QUANTITIES = (
    *("throughput_bps", "ratio_to_reference", "transaction_rate_tps", "transaction_time_s"),
    "zero_load_time_s",
)
_CSV_SIDES = [(name, side.value) for name in ("cpu_us_per_gbit", "cpu_busy") for side in Side]


class _Counts(click.ParamType[tuple[int, ...]]):
    """Numbers with commas between them."""

    name = "counts"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        counts = tuple(int(COUNT.convert(one.strip(), param, ctx)) for one in value.split(","))
        if min(counts) < 1:
            self.fail(f"there must be at least 1 connection; got {value}", param, ctx)
        return counts


@click.command()
@path_options
@host_options
@mtu_option
@link_mtu_option
@workload_option(required=True)
@click.option(
    "--connections",
    "connection_counts",
    type=_Counts(),
    help="Connections at the same time, such as 1,10,50,250. [left out: those of the workload]",
)
@click.option(
    "--line-rate",
    "line_rate_bps",
    type=RATE,
    help="MAC rate of the line. [left out: that of the slower adapter]",
)
@header_options("4", "tcp", "yes")
@segments_per_ack_option("of any workload, as where none ride on data")
@click.option(
    "--payload",
    "payload_bytes",
    type=SIZE,
    help="Size of the larger message, where the workload has a range of sizes, as awm-str does.",
)
@click.option("--separate-writes", is_flag=True, help="No two writes of a stream share a segment.")
@click.option("--verbose", is_flag=True, help="Print every note.")
@plot_option("one path, or the limits over connections,")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV in base units.")
@json_option
def predict(
    sender: str | None,
    receiver: str | None,
    path_name: str | None,
    client_host: str | None,
    server_host: str | None,
    mtu_bytes: int | None,
    link_mtu_bytes: int | None,
    workload: "Workload",
    connection_counts: tuple[int, ...] | None,
    line_rate_bps: float | None,
    stack_text: str | None,
    ip_version: str | None,
    transport: str | None,
    timestamps: bool | None,
    vlan_tags: int | None,
    segments_per_ack: int | None,
    payload_bytes: int | None,
    separate_writes: bool,
    verbose: bool,
    plot_file: str | None,
    as_csv: bool,
    as_json: bool,
) -> None:
    """Upper bound of what a path delivers, its CPU cost, and the bottleneck.

    Give --workload, and --sender with --receiver, or --path. The sender is the side that
    sends more of the payload, the client when equal. There is one prediction for each number of
    connections. "<=" marks an upper bound, ">=" a lower bound: no run is faster, but it may be
    slower. What is not known is left out with a reason, never guessed. Over a path whose CPU
    times are known up to a factor only, ratios to its reference take the place of rates.
    """
    from netmodel.path import predict_path, predict_ratio, workload_traffic

    if as_csv and as_json:
        raise click.UsageError("give --json or --csv, not both")
    found = stated_path(sender, receiver, path_name, line_rate_bps, client_host, server_host)
    if found is None:
        raise click.UsageError("Missing options '--sender' and '--receiver', or '--path'.")
    if payload_bytes is None:
        require_one_size(workload, "with --payload")
    stack = stack_or_default(stack_text, ip_version, transport, timestamps, vlan_tags)
    inner_bytes = inner_mtu_bytes(mtu_bytes, link_mtu_bytes, stack)
    who = roles(found, workload)
    path = found.path(workload.sender)
    if inner_bytes is None:
        require_own_mtu(path, "'--mtu' or '--link-mtu'")

    def traffic_of(count: Quantity | None) -> "Traffic":
        return workload_traffic(
            workload,
            count,
            shares_segments=not separate_writes,
            segments_per_ack=segments_per_ack,
            payload_bytes=payload_bytes,
        )

    counts = connection_counts or workload.connection_counts
    several: tuple[int | None, ...] = counts or (None,)
    notes = None if verbose else NOTE_COUNT
    dicts: list[dict[str, Any]]
    if path.factors:
        ratios = [predict_ratio(path, traffic_of(one), inner_bytes, stack) for one in several]
        if plot_file is not None:
            save_plot(plot_ratio(_one_ratio(ratios)), plot_file)
        figures = measured_figures(found, workload, ratios, stack)
        dicts = dicts_with_measured(ratios, figures)
        texts = _ratio_texts(who, ratios, figures, notes)
    else:
        rates = [predict_path(path, traffic_of(one), inner_bytes, stack) for one in several]
        figures = measured_figures(found, workload, rates, stack)
        if plot_file is not None:
            rising = sorted(set(counts))
            if len(rising) > 1:
                swept = predict_path(path, traffic_of(rising), inner_bytes, stack)
                axes = _drawn_limits(swept, rising)
            else:
                axes = plot_path(rates[0])
            plot_measured(axes, rates, figures)
            save_plot(axes, plot_file)
        dicts, texts = dicts_with_measured(rates, figures), _texts(who, rates, figures, notes)
    if as_json:
        print_json([who | one for one in dicts])
    elif as_csv:
        rows = [_csv_row(who | one) for one in dicts]
        click.echo(csv_text(list(rows[0]), rows), nl=False)
    else:
        click.echo("\n\n".join(texts))


def _csv_row(one: dict[str, Any]) -> dict[str, Any]:
    quantities = {
        **{name: one[name] for name in _CSV_QUANTITIES},
        **{f"{name}_{side}": one[name] and one[name][side] for name, side in _CSV_SIDES},
    }
    row = {name: one[name] for name in ("workload", "client_adapter", "server_adapter")}
    row |= {name: one[name] for name in ("connection_count", "mtu_bytes")}
    for name, quantity in quantities.items():
        known = quantity or {}
        row[name] = known.get("value")
        row |= {f"{name}_{key}": known.get(key) for key in ("low", "high", "bound")}
    return row | {"binding": one["binding"], "grade": one["grade"]}


def _one_ratio(ratios: "Sequence[RatioPrediction]") -> "RatioPrediction":
    """The first, where all have the same ratios."""
    if any(one.ratios != ratios[0].ratios for one in ratios):
        counts = ", ".join(str(one.traffic.connection_count) for one in ratios)
        raise click.UsageError(
            f"the ratios differ with the connections ({counts}): give --plot one number of "
            "--connections"
        )
    return ratios[0]


def _drawn_limits(prediction: "Prediction", counts: "Sequence[int]") -> "Axes":
    """The limits over rising numbers of connections."""
    axes = plot_predictions(prediction, counts, "connections")
    axes.set_xscale("log")
    return axes


def roles(found: "SpecifiedPath", workload: "Workload") -> dict[str, Any]:
    """Who is who, in both namings."""
    sending = workload.sender
    client, server = (one and one.id for one in found.adapters(sending))
    sender, receiver = (client, server) if sending is Side.CLIENT else (server, client)
    return {
        "workload": workload.id,
        "sender": {"side": sending.value, "adapter": sender},
        "receiver": {"side": sending.other.value, "adapter": receiver},
        "client_adapter": client,
        "server_adapter": server,
    }


def _texts(
    who: dict[str, Any],
    predictions: "Sequence[Prediction]",
    figures: "Sequence[Sequence[MeasuredFigure]]",
    note_count: int | None,
) -> Iterator[str]:
    """The answer, a table of several, a drawing for each bottleneck, and what was measured."""
    yield _answer(who, predictions)
    if len(predictions) > 1:
        head, *cells = measured_cells(predictions, figures)
        rows = [(*_row(one), cell) for one, cell in zip(predictions, cells, strict=True)]
        yield text_table([(*_HEADS, head), *rows], right_aligned=range(4))
    drawn = set()
    for one in predictions:
        if one.binding not in drawn:
            yield path_drawing(one, drawing_width(), note_count)
        drawn.add(one.binding)
    yield from measured_lines(predictions, figures)


def _answer(who: dict[str, Any], predictions: "Sequence[Prediction]") -> str:
    """The highest of the upper bounds, of a single run too, and what sets it."""
    highest = max(predictions, key=lambda one: one.throughput_bps.value)
    count = highest.traffic.connection_count
    bounds = {one.throughput_bps.value for one in predictions}
    several = "" if len(bounds) == 1 else f" with {count} connections"
    names = " and ".join(highest.ties or (highest.binding,))
    best_bps = highest.best_throughput_bps
    most = rate_text(highest.throughput_bps.value if best_bps is None else best_bps)
    return f"{_ends_text(who)}: at most {most}{several}; the bottleneck is {names}."


def _row(prediction: "Prediction") -> tuple[str, ...]:
    rate, time_s = prediction.throughput_bps, prediction.transaction_time_s
    low, high = map(rate_text, (rate.low, rate.high))
    return (
        str(prediction.traffic.connection_count),
        predicted_text(Predicted(rate.value, rate.value, rate.value, rate.bound)),
        f"<= {prediction.transaction_rate_tps.value:,.0f} /s",
        "" if time_s is None else f">= {format_time(time_s.value, _DIGITS)}",
        ", ".join(prediction.ties or (prediction.binding,)),
        "" if low == high else range_text(low, high),
    )


def _ratio_texts(
    who: dict[str, Any],
    predictions: "Sequence[RatioPrediction]",
    figures: "Sequence[Sequence[MeasuredFigure]]",
    note_count: int | None,
) -> Iterator[str]:
    """The answer, a table of several, a drawing for each set of ratios, and what was measured."""
    first = predictions[0]
    ratio = ratio_text(*first.ratio_to_reference)
    yield f"{_ends_text(who)}: {ratio} times the throughput with {first.reference}."
    if len(predictions) > 1:
        head, *cells = measured_cells(predictions, figures)
        rows = [
            (*row, "" if number else cell)
            for one, cell in zip(predictions, cells, strict=True)
            for number, row in enumerate(_ratio_rows(one))
        ]
        yield text_table([(*_RATIO_HEADS, head), *rows], right_aligned=(0, 1, 3))
    drawn: list[Any] = []
    for one in predictions:
        if one.ratios not in drawn:
            yield ratio_drawing(one, drawing_width(), note_count)
            drawn.append(one.ratios)
    yield from measured_lines(predictions, figures)


def _ratio_rows(prediction: "RatioPrediction") -> Iterator[tuple[str, ...]]:
    whole = (str(prediction.traffic.connection_count), ratio_text(*prediction.ratio_to_reference))
    for name, one in prediction.ratios.items():
        yield *whole, name, ratio_text(one.value, one.low, one.high)
        whole = ("", "")


def _ends_text(who: dict[str, Any]) -> str:
    ends = " to ".join(
        " ".join(filter(None, (who[role]["side"], who[role]["adapter"])))
        for role in ("sender", "receiver")
    )
    return f"{who['workload']} from {ends}"
