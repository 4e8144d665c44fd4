"""Commands on paths: ``netmodel predict``, ``plan`` and ``compare``."""

import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any, NamedTuple

import netmodel.api as api
import netmodel.report as report
from netmodel import __version__
from netmodel.api.arguments import ArgumentsError, cases_of, given_record, specified_path
from netmodel.api.kinds import Kind
from netmodel.cli._derived import Question
from netmodel.consumption import Side
from netmodel.report.text import notes_text
from netmodel.terminal import columns_table

_SWEPT = ("km", "rtt_s", "window_bytes", "loss_ratio", "connections")
"""Arguments of which each value is a case."""
_SHOWN_ROWS = 11
"""Rows of a table that leave room for the answer and the notes on a screen of 24 lines."""
_SHOWN_NEAREST = 4
"""Nearest rows of a quantity: one below and one above in two conditions."""


class _Cases(NamedTuple):
    """Predictions of one path, all bounded or none, and who sends to whom."""

    predictions: Sequence[Any]
    ends: dict[str, Any]
    is_drawn: bool

    def to_dict(self) -> list[dict[str, Any]]:
        return [self.ends | each.to_dict() for each in self.predictions]

    def blocks(self, is_verbose: bool) -> Iterator[str]:
        from netmodel.report.answers import prediction_blocks

        return prediction_blocks(*self, is_verbose)


def _ends(given: Mapping[str, Any], traffic: Any) -> dict[str, Any]:
    """Workload and adapters of sender and receiver, and of client and server, as in the JSON."""
    sender = traffic.sender
    adapters = zip(Side, specified_path(given).adapters(sender), strict=True)
    cards = {side: adapter and adapter.id for side, adapter in adapters}
    ends = [{"side": side.value, "adapter": cards[side]} for side in (sender, sender.other)]
    known = {"workload": traffic.name, "sender": ends[0], "receiver": ends[1]}
    return known | {f"{side.value}_adapter": card for side, card in cards.items()}


def _limits_plot(cases: _Cases) -> Any:
    """Draw the limits of a single case."""
    prediction, *others = cases.predictions
    if others:
        raise ArgumentsError("--plot draws one case: give one value of {connections}")
    if prediction.is_unbounded:
        raise ArgumentsError(f"nothing to plot: {prediction.notes[0]}")
    return report.plot_path(prediction)


def _plan_blocks(answer: Any, is_verbose: bool) -> Iterator[str]:
    from netmodel.report.plan_text import plan_blocks

    yield from plan_blocks(answer, is_verbose)
    yield notes_text(answer.notes, is_verbose)


def _plan_plot(answer: Any) -> Any:
    known = answer.candidates
    is_single = len(known) == 1 and known[0].chosen_count is not None
    return report.plot_plan(known[0] if is_single else known)


def _page(answer: Any) -> str:
    command = shlex.join(["netmodel", *sys.argv[1:]])
    today = datetime.now(UTC).astimezone().date()
    return report.plan_page(answer, command=command, version=__version__, made_on=today)


def _comparison_blocks(answer: Any, is_verbose: bool) -> Iterator[str]:
    """The answers, a table, the nearest printed rows, and notes."""
    yield answer.answer
    columns, kept = answer.columns, None if is_verbose else _SHOWN_ROWS
    yield columns_table((each._replace(cells=each.cells[:kept]) for each in columns), is_verbose)
    if not is_verbose and (left_out := len(columns[0].cells) - _SHOWN_ROWS) > 0:
        yield f"{left_out} more rows: give --verbose, or a condition such as --connections."
    unknown = [row for row in answer.rows if not row.places]
    lines = list[str]()
    for is_cost in (False, True):
        rows = next((x.nearest for x in unknown if x.quantity.startswith("cpu") is is_cost), ())
        texts = dict.fromkeys(f"  {row.line}" for row in rows)
        lines += [*texts][: None if is_verbose else _SHOWN_NEAREST]
    yield "\n".join(["nearest printed:", *lines]) if lines else ""
    yield notes_text(answer.notes, is_verbose)


@partial(
    Question,
    text=_Cases.blocks,
    files={"plot": _limits_plot},
    first=("workload", "adapter", "path", "mtu_bytes", "connections", "draw"),
)
def predict(*, draw: bool = False, **given: "Annotated[Any, api.predict]") -> _Cases:
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
        given["connections"] = [*given_record("workload", given).connection_counts] or None
    found = [api.predict(**case) for case in cases_of(given, _SWEPT)]
    return _Cases(found, _ends(given, found[0].traffic), draw)


@partial(
    Question,
    text=_plan_blocks,
    exit_code=lambda answer: int(not answer.holds),
    files={"plot": _plan_plot, "html": _page},
    first=("flows", "adapters", "mtu_bytes", "spares", "client_cost"),
)
def plan(
    scenario: Annotated[str, Kind("scenario.toml")] = "", /, **given: "Annotated[Any, api.plan]"
) -> Any:
    """Plan adapters and CPUs for a demand, with spares.

    Give a scenario file with traffic, candidates and policy, which options on failures and use
    replace; or --flow, and --adapter, or --sender with --receiver, or --path. Repeat --adapter,
    --mtu or --link-mtu to compare candidates. in and out are as seen from the server, and ask for
    its adapters. Rates of adapters are upper bounds, so their number is a lower bound, and says so.
    Exit code 1: no candidate carries the demand.

    \b
    Examples: netmodel plan order-system.toml
              netmodel plan --flow "18 Gbit/s in" --adapter osa-express7s-25gbe
                  --mtu 1500
    """
    if not scenario:
        return api.plan(**given)
    from netmodel.records.scenarios import Policy

    for name in (name for name in given if name not in Policy.model_fields):
        raise ArgumentsError(f"{{{name}}} beside a scenario: write it into the file")
    return api.plan_scenario(scenario, **given)


@partial(
    Question,
    text=_comparison_blocks,
    data=lambda answer: answer.to_dict()["rows"],
    first=("baseline", "variant", "workload", "connections", "mtu_bytes", "km"),
)
def compare(**given: "Annotated[Any, api.compare]") -> Any:
    """Compare two cases: what a change of adapter or MTU gains.

    Prints for each quantity, side and number of connections the ratio of variant to baseline that
    a document prints, else that of two predictions (modelled), and the nearest printed cases.

    Conditions are those of published rows: adapter (or client and server), path, layer, mtu,
    connections, rps, km, protocol, level (of the hypervisor), attributes and more; a wrong name
    lists them. --protocol smc-r alone compares it with TCP, over the distance of --km.

    \b
    Example: netmodel compare --workload rr1c-200x1000 --connections 50
                 --baseline "osa-express7s-25gbe rps=off" --variant rps=on
    """
    return api.compare(**given)
