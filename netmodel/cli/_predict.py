"""``netmodel predict``."""

from collections.abc import Iterator, Mapping, Sequence
from inspect import signature
from typing import TYPE_CHECKING, Any

import click

from netmodel._numpy import np
from netmodel._predicted_text import copy_text
from netmodel._terminal import text_width
from netmodel.api import predict as predict_path
from netmodel.api.arguments import (
    cases_of,
    given_workload,
    listed_values,
    path_between,
    require_path,
)
from netmodel.cli._console import print_blocks, print_csv, print_json
from netmodel.cli._derived import DerivedCommand, Given, Output
from netmodel.cli._files import save_plot
from netmodel.consumption import Side
from netmodel.path._settings import settings_text
from netmodel.path._unbounded import NO_LINE
from netmodel.report import path_drawing
from netmodel.report.answers import answer_text, cases_table, extreme_cases
from netmodel.report.distances import SWEPT
from netmodel.report.figures import published_rows, summary_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from netmodel.path import Prediction, Unbounded

_MIN_DRAWING = 60
"""Columns that the drawing of a path needs."""
_SWEPT = {
    "connections": ("connections", 1.0),
    "km": ("distance [km]", 1.0),
    **{
        name: (f"{SWEPT[part].title} [{SWEPT[part].unit}]", SWEPT[part].scale)
        for name, part in (
            ("rtt_s", "round_trip_s"),
            ("window_bytes", "window_bytes"),
            ("loss_ratio", "loss_ratio"),
        )
    },
}
"""Arguments of which each value is a case, with the label of a plot over it, and its scale."""
_PLACES = 300
"""Of a curve: as many as pixels that show a bend."""


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
    from netmodel.path import Unbounded

    asked = dict(given)
    if "workload" in asked and "connections" not in asked:
        asked["connections"] = [*given_workload(asked["workload"]).connection_counts] or None
    predictions: list[Any] = [predict_path(**case) for case in cases_of(asked, _SWEPT)]
    ends = _ends(asked, predictions[0])
    is_unbounded = isinstance(predictions[0], Unbounded)  # all are of one path
    if output.plot is not None:
        if is_unbounded:
            raise click.UsageError(f"nothing to plot: {predictions[0].notes[0]}")
        save_plot(_plot(asked, predictions), output.plot)
    rows = ({**ends, **each.to_dict()} for each in predictions)
    if output.json:
        print_json([*rows])
    elif output.csv:
        print_csv([_cells(row) for row in rows])
    else:
        blocks = _unbounded_blocks if is_unbounded else _blocks
        print_blocks(blocks(_ends_text(ends), predictions, output))


predict = DerivedCommand(
    predict_path,
    _print,
    first=("workload", "adapter", "path", "mtu_bytes", "connections"),
    outputs=("draw", "verbose", "plot", "csv", "json"),
)


def _ends(given: Given, prediction: "Prediction | Unbounded") -> dict[str, Any]:
    """Workload and adapters of sender and receiver, and of client and server, as in the JSON."""
    path = path_between(**{name: given.get(name) for name in signature(path_between).parameters})
    sending = prediction.traffic.sender
    client, server = (card and card.id for card in require_path(path).adapters(sending))
    sender, receiver = (client, server) if sending is Side.CLIENT else (server, client)
    of_catalog = given_workload(given["workload"]).id if "workload" in given else None
    return {
        "workload": of_catalog or prediction.traffic.name,
        "sender": {"side": sending.value, "adapter": sender},
        "receiver": {"side": sending.other.value, "adapter": receiver},
        "client_adapter": client,
        "server_adapter": server,
    }


def _ends_text(ends: Mapping[str, Any]) -> str:
    """The workload, and side and adapter of both ends."""
    texts = (" ".join(filter(None, ends[role].values())) for role in ("sender", "receiver"))
    return f"{ends['workload']} from {' to '.join(texts)}"


def _plot(given: Given, rates: "Sequence[Prediction]") -> "Axes":
    """The path, or its limits over the argument that has several values."""
    from netmodel.report import plot_path, plot_predictions

    values = {name: sorted(listed_values(given[name])) for name in _SWEPT if given.get(name)}
    several = [name for name, each in values.items() if len(each) > 1]
    if not several:
        return plot_path(rates[0])
    if len(several) > 1:
        raise click.UsageError(
            "--plot draws over one of --connections, --km, --rtt, --window and --loss: give one "
            "value of the others"
        )
    (name,) = several
    first, *_, last = values[name]
    places = (np.geomspace if first else np.linspace)(first, last, _PLACES)
    if name == "connections":
        places = np.round(places)
    places = np.unique([*places, *values[name]])
    swept: Any = predict_path(**{**given, name: places})
    label, scale = _SWEPT[name]
    marked = rates if name == "connections" else ()
    return plot_predictions(swept, list(places * scale), label, marked)


def _cells(row: Mapping[str, Any]) -> dict[str, object]:
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


def _blocks(ends: str, predictions: "Sequence[Prediction]", output: Output) -> Iterator[str]:
    """The answer; a table of several cases; of the highest its figures, or a drawing."""
    highest, _ = extreme_cases(predictions)
    time, copied = highest.copy_time_s, ""
    if time is not None and highest.volume_bytes is not None:
        copied = f" {copy_text(highest.volume_bytes, float(time.value), time.bound)}."
    yield answer_text(predictions, ends) + copied
    if len(predictions) > 1:
        yield cases_table(predictions, output.verbose)
    width = max(_MIN_DRAWING, text_width())
    if output.draw or output.verbose:
        yield path_drawing(highest, width)
    is_alone = output.verbose or len(predictions) == 1
    yield summary_text(highest, width, is_alone=is_alone, is_verbose=output.verbose)
    if output.verbose:
        yield _published(predictions)


def _unbounded_blocks(
    ends: str, predictions: "Sequence[Unbounded]", output: Output
) -> Iterator[str]:
    """The answer that nothing is published, why nothing bounds it, and the printed ratios."""
    first = predictions[0]
    yield (
        f"{ends} over {first.path_name}: not published, no physical bound: {NO_LINE}. "
        "CPU costs are not published."
    )
    if first.settings:
        yield f"measured with {settings_text(first.settings)}"
    yield _published(predictions)


def _published(predictions: "Sequence[Prediction | Unbounded]") -> str:
    """A line for each printed figure."""
    rows = dict.fromkeys(row for each in predictions for row in published_rows(each))
    return "\n".join(f"{lead}: {figure}" if lead else figure for lead, figure in rows)
