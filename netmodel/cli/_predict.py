"""``netmodel predict``."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import netmodel.report
from netmodel.api import predict as predict_path
from netmodel.api.arguments import ArgumentsError, cases_of, given_workload, specified_path
from netmodel.cli._console import drawn
from netmodel.cli._derived import answering
from netmodel.consumption import Side
from netmodel.path import Prediction
from netmodel.report.answers import prediction_blocks

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


predict = answering(
    predictions,
    lambda cases, more: prediction_blocks(cases.predictions, cases.ends, cases.is_drawn, more),
    data=lambda cases: [cases.ends | each.to_dict() for each in cases.predictions],
    files={"plot": _plot},
    first=("workload", "adapter", "path", "mtu_bytes", "connections", "draw"),
)
