"""``netmodel predict``."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from netmodel._numeric import Quantity
from netmodel.cli._options import (
    COUNT,
    RATE,
    SIZE,
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
from netmodel.consumption import Side
from netmodel.report import (
    path_drawing,
    plot_path,
    plot_predictions,
    plot_ratio,
    range_text,
    ratio_drawing,
    ratio_text,
    text_table,
)
from netmodel.units import format_rate, format_time

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from netmodel.path import Prediction, RatioPrediction, StatedPath, Traffic
    from netmodel.records import Workload

__all__ = ["predict", "roles"]

_HEADS = ("connections", "throughput", "transactions", "time", "binds", "range")
_RATIO_HEADS = ("connections", "ratio", "where", "ratio there")
_DIGITS = 5


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
    help="What the side sends each time that sends more, where the workload tells a range of "
    "sizes, as awm-str does.",
)
@click.option("--separate-writes", is_flag=True, help="No two writes of a stream share a segment.")
@plot_option("one path, or the limits over connections,")
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
    plot_file: str | None,
    as_json: bool,
) -> None:
    """Predict what a path delivers, what it costs in CPU, and which limit binds.

    Needed are --workload, and --sender with --receiver, or --path. The sender is the side that
    sends more of the payload, the client when equal. There is one prediction for each number of
    connections. What is not known is left out with a reason, never guessed. Over a path whose CPU
    times are known up to a factor only, ratios to its reference take the place of rates.
    """
    from netmodel.path import predict as predict_path
    from netmodel.path import predict_ratio, workload_traffic

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
    dicts: list[dict[str, Any]]
    if path.factors:
        ratios = [predict_ratio(path, traffic_of(one), inner_bytes, stack) for one in several]
        if plot_file is not None:
            save_plot(_drawn_ratio(ratios), plot_file)
        dicts, texts = [one.to_dict() for one in ratios], _ratio_texts(who, ratios)
    else:
        rates = [predict_path(path, traffic_of(one), inner_bytes, stack) for one in several]
        if plot_file is not None:
            rising = sorted(set(counts))
            if len(rising) > 1:
                swept = predict_path(path, traffic_of(rising), inner_bytes, stack)
                save_plot(_drawn_limits(swept, rising), plot_file)
            else:
                save_plot(plot_path(rates[0]), plot_file)
        dicts, texts = [one.to_dict() for one in rates], _texts(who, rates)
    if as_json:
        print_json([who | one for one in dicts])
    else:
        click.echo("\n\n".join(texts))


def _drawn_ratio(ratios: "Sequence[RatioPrediction]") -> "Axes":
    if len(ratios) > 1:
        raise click.UsageError("--plot draws ratios for one number of --connections")
    return plot_ratio(ratios[0])


def _drawn_limits(prediction: "Prediction", counts: "Sequence[int]") -> "Axes":
    """The limits over rising numbers of connections."""
    axes = plot_predictions(prediction, counts, "connections")
    axes.set_xscale("log")
    return axes


def roles(found: "StatedPath", workload: "Workload") -> dict[str, Any]:
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


def _texts(who: dict[str, Any], predictions: "Sequence[Prediction]") -> Iterator[str]:
    """A table where there are several, and a drawing for each limit that binds."""
    if len(predictions) > 1:
        yield text_table([_HEADS, *map(_row, predictions)], right_aligned=range(4))
    drawn = set()
    for one in predictions:
        if one.binding not in drawn:
            yield _text(who, path_drawing(one, drawing_width()))
        drawn.add(one.binding)


def _row(prediction: "Prediction") -> tuple[str, ...]:
    rates, time_s = prediction.throughput_bps, prediction.transaction_time_s
    low, high = (format_rate(rate, _DIGITS) for rate in rates[1:])
    return (
        str(prediction.traffic.connection_count),
        format_rate(rates.value, _DIGITS),
        f"{prediction.transaction_rate_tps.value:,.0f} /s",
        "" if time_s is None else format_time(time_s.value, _DIGITS),
        ", ".join(prediction.ties or (prediction.binding,)),
        "" if low == high else range_text(low, high),
    )


def _ratio_texts(who: dict[str, Any], predictions: "Sequence[RatioPrediction]") -> Iterator[str]:
    """A table where there are several, and a drawing for each set of ratios."""
    if len(predictions) > 1:
        rows = [row for one in predictions for row in _ratio_rows(one)]
        yield text_table([_RATIO_HEADS, *rows], right_aligned=(0, 1, 3))
    drawn: list[Any] = []
    for one in predictions:
        if one.ratios not in drawn:
            yield _text(who, ratio_drawing(one, drawing_width()))
            drawn.append(one.ratios)


def _ratio_rows(prediction: "RatioPrediction") -> Iterator[tuple[str, ...]]:
    whole = (str(prediction.traffic.connection_count), ratio_text(*prediction.ratio_to_reference))
    for name, one in prediction.ratios.items():
        yield *whole, name, ratio_text(*one)
        whole = ("", "")


def _text(who: dict[str, Any], drawing: str) -> str:
    ends = " to ".join(
        " ".join(filter(None, (who[role]["side"], who[role]["adapter"])))
        for role in ("sender", "receiver")
    )
    return f"{who['workload']} from {ends}\n\n{drawing}"
