"""``netmodel predict``."""

from collections.abc import Iterator, Mapping, Sequence
from inspect import signature
from typing import TYPE_CHECKING, TypeAlias, cast

import click

from netmodel._numpy import np
from netmodel._predicted_text import copy_text
from netmodel.api import predict as predict_path
from netmodel.api.arguments import (
    cases_of,
    given_workload,
    listed_values,
    path_between,
    require_path,
)
from netmodel.cli._console import (
    drawing_width,
    print_blocks,
    print_csv,
    print_json,
    wrapped,
)
from netmodel.cli._derived import DerivedCommand, Given, Output
from netmodel.cli._files import save_plot
from netmodel.consumption import Side
from netmodel.path._settings import settings_text
from netmodel.path._unbounded import NO_LINE
from netmodel.report import path_drawing
from netmodel.report.answers import answer_text, cases_table, extreme_cases
from netmodel.report.distances import SWEPT, swept_parts
from netmodel.report.figures import published_rows, summary_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from netmodel.path import Prediction, SpecifiedPath, Unbounded

_Ends: TypeAlias = Mapping[str, object]
_AnyPredictions: TypeAlias = "Sequence[Prediction | Unbounded]"

_WHOLE_COUNTS = 500
"""Up to here a curve has every number of connections; then each is a pixel beside the next."""
_OVER_DISTANCE = ("km", "rtt_s", "window_bytes", "loss_ratio")
"""Arguments of which each value is a case."""
_OPTION_OF = {"distance_m": "km", "round_trip_s": "rtt_s"}
"""Arguments of parts of a distance that have another name."""
_PLACES = 300
"""Of a curve over a distance: as many as pixels that show a bend."""


def _print(given: Given, output: Output) -> None:
    """Predict throughput, CPU cost and bottleneck of a path.

    Give --adapter, or --sender with --receiver, or --path, and --workload; without one, the client
    sends full frames. What a document prints of this very case comes first; "<=" marks an upper
    bound, "expected" what a run is likely to reach.

    --connections, --km, --rtt, --window and --loss take lists and ranges, such as 1,10,50 or
    10..100:10 or 64KiB..4MiB:x2, with a row for each case.

    \b
    Example: netmodel predict --sender ethernet-25gbe --receiver mine.toml
                 --workload str-writex30k --mtu 1500 --connections 1,10,50
    """
    from netmodel.path import Prediction, Unbounded

    workload = given_workload(given["workload"]) if "workload" in given else None
    counts = [*listed_values(given.get("connections", ()))]
    counts = counts or ([*workload.connection_counts] if workload else [])
    places = cases_of({**given, "connections": None}, _OVER_DISTANCE)
    of_counts = [{"connections": count} for count in counts] or [{}]
    cases = [{**place, **count} for place in places for count in of_counts]
    predictions = [predict_path(**case) for case in cases]
    sending = predictions[0].traffic.sender
    ends = roles(
        _path_of(given), sending, predictions[0].traffic.name if workload is None else workload.id
    )
    # all are of one path, so all have rates, or none has
    rates = [each for each in predictions if isinstance(each, Prediction)]
    unbounded = [each for each in predictions if isinstance(each, Unbounded)]
    if output.plot is not None:
        if unbounded:
            raise click.UsageError(f"nothing to plot: {unbounded[0].notes[0]}")
        save_plot(_plot(given, counts, rates), output.plot)
    if output.json:
        print_json([{**ends, **each.to_dict()} for each in predictions])
    elif output.csv:
        rows = [_csv_row({**ends, **each.to_dict()}) for each in predictions]
        print_csv(list(dict.fromkeys(name for row in rows for name in row)), rows)
    elif unbounded:
        print_blocks(_unbounded_blocks(ends, unbounded))
    else:
        print_blocks(_blocks(ends, rates, output))


predict = DerivedCommand(
    predict_path,
    _print,
    first=("workload", "adapter", "path", "mtu_bytes", "connections"),
    outputs=("draw", "verbose", "plot", "csv", "json"),
)


def _path_of(given: Given) -> "SpecifiedPath":
    """The path of the question, with its adapters."""
    names = signature(path_between).parameters
    return require_path(path_between(**{name: given[name] for name in names if name in given}))


def _plot(given: Given, counts: Sequence[int], rates: "Sequence[Prediction]") -> "Axes":
    """The path, or its limits over the argument that has several values."""
    from netmodel.path import Prediction
    from netmodel.report import plot_path, plot_predictions

    if len(rates) > max(len(counts), 1):
        return _plot_over_distance(given, rates)
    drawn = _drawn_counts(counts)
    swept = predict_path(**{**given, "connections": drawn}) if len(drawn) > 1 else None
    if isinstance(swept, Prediction):
        return plot_predictions(swept, drawn, "connections", rates)
    return plot_path(rates[0])


def roles(path: "SpecifiedPath", sending: Side, workload: str) -> dict[str, object]:
    """Workload and adapters of sender and receiver, and of client and server, as in the JSON."""
    client, server = (card and card.id for card in path.adapters(sending))
    sender, receiver = (client, server) if sending is Side.CLIENT else (server, client)
    return {
        "workload": workload,
        "sender": {"side": sending.value, "adapter": sender},
        "receiver": {"side": sending.other.value, "adapter": receiver},
        "client_adapter": client,
        "server_adapter": server,
    }


def _plot_over_distance(given: Given, rates: "Sequence[Prediction]") -> "Axes":
    """Limits over the distance, round trip, window or loss, whichever has several values."""
    from netmodel.report import plot_predictions

    parts = swept_parts([each.path.distance for each in rates])
    counts = {each.traffic.connection_count for each in rates}
    if len(parts) != 1 or len(counts) != 1:
        raise click.UsageError(
            "--plot draws over one of --connections, --km, --rtt, --window and --loss: give one "
            "value of the others"
        )
    (part,) = parts
    option = _OPTION_OF.get(part, part)
    ends = sorted(listed_values(given[option]))
    # as many as pixels
    space = np.geomspace if ends[0] else np.linspace
    values = np.unique(np.append(space(ends[0], ends[-1], _PLACES), ends))
    swept = predict_path(**{**given, "connections": counts.pop(), option: values})
    # distances are in km already
    scale = 1.0 if part == "distance_m" else SWEPT[part].scale
    label = f"{SWEPT[part].title} [{SWEPT[part].unit}]"
    return plot_predictions(cast("Prediction", swept), list(values * scale), label)


def _csv_row(row: Mapping[str, object]) -> dict[str, object]:
    """Cells of a case: all of its JSON but lists and elasticities; none for what is not known."""
    rest = {key: each for key, each in row.items() if key not in ("distance", "elasticities")}
    return _flat("", rest) | _flat("", row["distance"] or {})


def _flat(name: str, value: object) -> dict[str, object]:
    """Cells of a value: those of a mapping by its keys, a quantity under its own name."""
    if not isinstance(value, Mapping):
        return {} if isinstance(value, (list, tuple)) else {name: value}
    cells: dict[str, object] = {}
    for key, each in value.items():
        cells |= _flat("_".join(filter(None, (name, "" if key == "value" else str(key)))), each)
    return cells


def _blocks(ends: _Ends, predictions: "Sequence[Prediction]", output: Output) -> Iterator[str]:
    """The answer; a table of several cases; of the highest its figures, or a drawing."""
    yield wrapped(answer_text(predictions, _ends_text(ends)) + _copied_text(predictions))
    if len(predictions) > 1:
        yield cases_table(predictions, output.verbose)
    # one of each bottleneck
    cases = {each.binding: each for each in reversed(predictions)}.values()
    for each in reversed(cases) if output.verbose else [extreme_cases(predictions)[0]]:
        if output.draw or output.verbose:
            yield path_drawing(each, drawing_width())
        is_alone = output.verbose or len(predictions) == 1
        yield summary_text(each, drawing_width(), is_alone=is_alone, is_verbose=output.verbose)
    if output.verbose:
        yield _published_block(predictions)


def _copied_text(predictions: "Sequence[Prediction]") -> str:
    """How long a copy takes in the highest case; empty where none is asked for."""
    highest, _ = extreme_cases(predictions)
    time = highest.copy_time_s
    if time is None or highest.volume_bytes is None:
        return ""
    return f" {copy_text(highest.volume_bytes, float(time.value), time.bound)}."


def _unbounded_blocks(ends: _Ends, predictions: "Sequence[Unbounded]") -> Iterator[str]:
    """The answer that nothing is published, why nothing bounds it, and the printed ratios."""
    first = predictions[0]
    yield wrapped(
        f"{_ends_text(ends)} over {first.path_name}: not published, no physical bound: {NO_LINE}. "
        "CPU costs are not published."
    )
    if first.settings:
        yield wrapped(f"measured with {settings_text(first.settings)}")
    yield _published_block(predictions)


def _drawn_counts(counts: Sequence[int]) -> list[int]:
    """All numbers of connections up to the largest, far up only some, and those asked for."""
    least, most = min(counts, default=1), max(counts, default=1)
    ratio = 1 + 1 / _WHOLE_COUNTS
    drawn, count = {*counts}, least
    while count < most:
        drawn.add(count)
        count = max(count + 1, int(count * ratio))
    return sorted(drawn)


def _ends_text(ends: _Ends) -> str:
    """The workload, and side and adapter of both ends."""
    texts = []
    for role in ("sender", "receiver"):
        end = ends[role]
        assert isinstance(end, dict)
        texts.append(" ".join(filter(None, (end["side"], end["adapter"]))))
    return f"{ends['workload']} from {' to '.join(texts)}"


def _published_block(predictions: _AnyPredictions) -> str:
    """A line for each printed figure, with the connections that it belongs to if not to all."""
    counts: dict[str, list[str]] = {}
    for each in predictions:
        for lead, figure in published_rows(each):
            text = f"{lead}: {figure}" if lead else figure
            counts.setdefault(text, []).append(str(each.traffic.connection_count))
    lines = []
    for text, cases in counts.items():
        noun = "connection" if cases == ["1"] else "connections"
        case = "" if len(cases) == len(predictions) else f"{', '.join(cases)} {noun}: "
        lines.append(f"{case}{text}")
    return wrapped("\n".join(lines)) if lines else ""
