"""``netmodel predict``."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import netmodel.report
from netmodel.api import predict as predict_path
from netmodel.api.arguments import ArgumentsError, cases_of, given_workload, specified_path
from netmodel.cli._console import drawn
from netmodel.cli._derived import answering
from netmodel.consumption import Side
from netmodel.path import Prediction
from netmodel.path.stages import settings_text
from netmodel.predicted_text import copy_text
from netmodel.report.answers import answer_text, cases_table, extreme_cases
from netmodel.report.figures import published_rows, summary_text
from netmodel.terminal import TEXT_WIDTH, known_width

_SWEPT = ("km", "rtt_s", "window_bytes", "loss_ratio", "connections")
"""Arguments of which each value is a case."""


class _Cases(NamedTuple):
    """Predictions of one path, all bounded or none, and who sends to whom."""

    predictions: Sequence[Any]
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
    return _Cases(found, _ends(given, found[0]), draw)


def _ends(given: Mapping[str, Any], prediction: Prediction) -> dict[str, Any]:
    """Workload and adapters of sender and receiver, and of client and server, as in the JSON."""
    sending = prediction.traffic.sender
    adapters = zip(Side, specified_path(given).adapters(sending), strict=True)
    cards = {side: adapter and adapter.id for side, adapter in adapters}
    roles = (("sender", sending), ("receiver", sending.other))
    return {
        "workload": prediction.traffic.name,
        **{role: {"side": side.value, "adapter": cards[side]} for role, side in roles},
        **{f"{side.value}_adapter": card for side, card in cards.items()},
    }


def _plot(cases: _Cases, path: str) -> bytes:
    """Draw the limits of a single case."""
    prediction, *others = cases.predictions
    if others:
        raise ArgumentsError("--plot draws one case: give one value of {connections}")
    if prediction.is_unbounded:
        raise ArgumentsError("nothing to plot: {reason}", reason=prediction.notes[0])
    return drawn(netmodel.report.plot_path(prediction), path)


def _blocks(cases: _Cases, is_verbose: bool) -> Iterator[str]:
    """The answer; a table of several cases; of the highest its figures, or a drawing."""
    ends = (" ".join(filter(None, cases.ends[role].values())) for role in ("sender", "receiver"))
    subject = f"{cases.ends['workload']} from {' to '.join(ends)}"
    found, width = cases.predictions, known_width() or TEXT_WIDTH
    rows = dict.fromkeys(row for each in found for row in published_rows(each))
    published = "\n".join(f"{lead}: {figure}" if lead else figure for lead, figure in rows)
    if found[0].is_unbounded:
        path, note = found[0].path, found[0].notes[0]
        yield f"{subject} over {path.name}: {note}. CPU costs are not published."
        yield f"measured with {settings_text(path.settings)}" if path.settings else ""
        yield published
        return
    highest, _ = extreme_cases(found)
    time, answer = highest.copy_time_s, answer_text(found, subject)
    if time is not None and highest.volume_bytes is not None:
        answer += f" {copy_text(highest.volume_bytes, float(time.value), time.bound)}."
    yield answer
    is_alone = is_verbose or len(found) == 1
    yield "" if len(found) == 1 else cases_table(found, is_verbose)
    if cases.is_drawn or is_verbose:
        yield netmodel.report.path_drawing(highest, width)
    yield summary_text(highest, width, is_alone=is_alone, is_verbose=is_verbose)
    yield published if is_verbose else ""


predict = answering(
    predictions,
    _blocks,
    data=lambda cases: [cases.ends | each.to_dict() for each in cases.predictions],
    files={"plot": _plot},
    first=("workload", "adapter", "path", "mtu_bytes", "connections", "draw"),
)
