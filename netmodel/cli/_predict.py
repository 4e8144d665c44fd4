"""``netmodel predict``."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import click

import netmodel.report
from netmodel.api import predict as predict_path
from netmodel.api.arguments import (
    ArgumentsError,
    cases_of,
    given_workload,
    listed_values,
    specified_path,
)
from netmodel.cli._derived import answering
from netmodel.cli._files import drawn
from netmodel.consumption import Side
from netmodel.lazy_numpy import np
from netmodel.path import Prediction, Unbounded
from netmodel.path.settings import settings_text
from netmodel.predicted_text import copy_text
from netmodel.report.answers import answer_text, cases_table, extreme_cases
from netmodel.report.figures import published_rows, summary_text
from netmodel.terminal import TEXT_WIDTH, known_width
from netmodel.units.prefixes import KIBI, KILO, WHOLE_PERCENT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SWEPT = {
    "km": ("distance [km]", 1.0),
    "rtt_s": ("round trip [ms]", KILO),
    "window_bytes": ("window [KiB]", 1 / KIBI),
    "loss_ratio": ("loss [%]", WHOLE_PERCENT),
    "connections": ("connections", 1.0),
}
"""Arguments of which each value is a case, with the label of a plot over it, and its scale."""
_PLACES = 300
"""Of a curve: as many as pixels that show a bend."""


class _Cases(NamedTuple):
    """Predictions of one path, all bounded or none; what was given, and who sends to whom."""

    predictions: "Sequence[Any]"
    given: Mapping[str, Any]
    ends: dict[str, Any]
    is_drawn: bool


def predictions(*, draw: bool = False, **given: Annotated[Any, predict_path]) -> _Cases:
    """Predict throughput, CPU cost and bottleneck of a path.

    Give --adapter, or --sender with --receiver, or --path, and --workload; without one, the client
    sends full frames. What a document prints of this very case comes first; "<=" marks an upper
    bound, "expected" what a run is likely to reach.

    --connections, --km, --rtt, --window and --loss take lists, such as 1,10,50, with a row for
    each case.

    \b
    Example: netmodel predict --sender ethernet-25gbe --receiver mine.toml
                 --workload str-writex30k --mtu 1500 --connections 1,10,50

    Parameters
    ----------
    draw : bool
        Draw the path with each of its limits.
    """
    if "workload" in given and "connections" not in given:
        given["connections"] = [*given_workload(given["workload"]).connection_counts] or None
    found = [predict_path(**case) for case in cases_of(given, _SWEPT)]
    return _Cases(found, given, _ends(given, found[0]), draw)


def _ends(given: Mapping[str, Any], prediction: Prediction) -> dict[str, Any]:
    """Workload and adapters of sender and receiver, and of client and server, as in the JSON."""
    sending = prediction.traffic.sender
    client, server = (card and card.id for card in specified_path(given).adapters(sending))
    sender, receiver = (client, server) if sending is Side.CLIENT else (server, client)
    of_catalog = given_workload(given["workload"]).id if "workload" in given else None
    return {
        "workload": of_catalog or prediction.traffic.name,
        "sender": {"side": sending.value, "adapter": sender},
        "receiver": {"side": sending.other.value, "adapter": receiver},
        "client_adapter": client,
        "server_adapter": server,
    }


def _plot(cases: _Cases) -> "Axes":
    """The path, or its limits over the argument that has several values."""
    rates, given = cases.predictions, cases.given
    if isinstance(rates[0], Unbounded):
        raise click.UsageError(f"nothing to plot: {rates[0].notes[0]}")
    values = {name: sorted(listed_values(given[name])) for name in _SWEPT if given.get(name)}
    several = [name for name, each in values.items() if len(each) > 1]
    if not several:
        return netmodel.report.plot_path(rates[0])
    name, *others = several
    if others:
        raise ArgumentsError(f"--plot draws over {{{name}}}: give one value of {{{others[0]}}}")
    first, *_, last = values[name]
    places = (np.geomspace if first else np.linspace)(first, last, _PLACES)
    if name == "connections":
        places = np.round(places)
    places = np.unique([*places, *values[name]])
    swept: Any = predict_path(**{**given, name: places})
    label, scale = _SWEPT[name]
    marked = rates if name == "connections" else ()
    return netmodel.report.plot_predictions(swept, list(places * scale), label, marked)


def _blocks(cases: _Cases, is_verbose: bool) -> Iterator[str]:
    """The answer; a table of several cases; of the highest its figures, or a drawing."""
    ends = (" ".join(filter(None, cases.ends[role].values())) for role in ("sender", "receiver"))
    subject = f"{cases.ends['workload']} from {' to '.join(ends)}"
    found = cases.predictions
    if isinstance(found[0], Unbounded):
        why = f"{found[0].path.name}: {found[0].notes[0]}"
        yield f"{subject} over {why}. CPU costs are not published."
        if found[0].path.settings:
            yield f"measured with {settings_text(found[0].path.settings)}"
        yield _published(found)
        return
    highest, _ = extreme_cases(found)
    time, answer = highest.copy_time_s, answer_text(found, subject)
    if time is not None and highest.volume_bytes is not None:
        answer += f" {copy_text(highest.volume_bytes, float(time.value), time.bound)}."
    yield answer
    if len(found) > 1:
        yield cases_table(found, is_verbose)
    if cases.is_drawn or is_verbose:
        yield netmodel.report.path_drawing(highest, known_width() or TEXT_WIDTH)
    is_alone = is_verbose or len(found) == 1
    yield summary_text(
        highest, known_width() or TEXT_WIDTH, is_alone=is_alone, is_verbose=is_verbose
    )
    if is_verbose:
        yield _published(found)


def _published(found: Sequence[Prediction]) -> str:
    """A line for each printed figure."""
    rows = dict.fromkeys(row for each in found for row in published_rows(each))
    return "\n".join(f"{lead}: {figure}" if lead else figure for lead, figure in rows)


predict = answering(
    predictions,
    _blocks,
    data=lambda cases: [cases.ends | each.to_dict() for each in cases.predictions],
    files={"plot": lambda cases, path: drawn(_plot(cases), path)},
    first=("workload", "adapter", "path", "mtu_bytes", "connections", "draw"),
    outputs=("verbose", "plot", "csv", "json"),
    name="predict",
)
