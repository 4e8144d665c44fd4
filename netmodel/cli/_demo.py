"""``netmodel demo``."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from netmodel.ceilings import LineCeiling, line_ceiling
from netmodel.cli._check import exit_code
from netmodel.cli._check_text import verdict_lines
from netmodel.cli._options import json_option, print_json
from netmodel.cli._plan import plan_table
from netmodel.cli._predict import roles
from netmodel.cli._predict_measured import dicts_with_measured, measured_figures
from netmodel.consumption import consumption_change, consumption_ratio
from netmodel.judging import StatedLine, Verdict, check_file
from netmodel.planning import Plan, compare_plans, parse_flow
from netmodel.report import text_table
from netmodel.units import format_rate

if TYPE_CHECKING:
    from netmodel.path import Prediction, SpecifiedPath
    from netmodel.records import Workload

    _Predicted = tuple[SpecifiedPath, Prediction]

__all__ = ["demo"]

_LINE_RATES_BPS = (1e9, 10e9, 25e9, 100e9)
_MTUS_BYTES = (1500, 9000)
_RUNS = (
    "line-200m-mtu1500.json",
    "line-200m-mtu1500-small-window.json",
    "line-200m-mtu1500-interrupted.json",
    "line-200m-mtu9000.json",
)
_RUN_LINE = StatedLine(line_rate_bps=200e6, mtu_bytes=1500)
_OSA, _ROCE = "osa-express7s-25gbe", "roce-express2.1-25gbe"
_WAYS = ((_ROCE, _OSA), (_OSA, _ROCE))
_STREAM, _CONNECTION_COUNT, _STREAM_MTU_BYTES = "str-writex30k", 50, 1500
_DEMAND = ("30 Gbit/s str-writex30k", "10 Gbit/s rr1c-200x30k", "100000/s rr1c-200x1000")
_SCENARIOS = ((1.1, 1.1), (1.32, 1.1))


@click.command()
@click.option("--strict", is_flag=True, help="End with the exit code that check would have.")
@json_option
@click.pass_context
def demo(ctx: click.Context, strict: bool, as_json: bool) -> None:
    """Show the main job on real iperf3 results that come with netmodel."""
    from netmodel.records import data_path, workload

    ceilings = [
        line_ceiling(line_rate_bps, mtu_bytes)
        for line_rate_bps in _LINE_RATES_BPS
        for mtu_bytes in _MTUS_BYTES
    ]
    verdicts = [
        replace(verdict, file=name)
        for name in _RUNS
        for verdict in check_file(data_path("examples", "iperf3", name), _RUN_LINE)
    ]
    stream = workload(_STREAM)
    predictions = [_predicted(*way, stream) for way in _WAYS]
    plans = _plans()
    if as_json:
        print_json(
            {
                "ceilings": [found.to_dict() for found in ceilings],
                "checks": [verdict.to_dict() for verdict in verdicts],
                "predictions": [
                    roles(path, stream) | _prediction_dict(path, stream, one)
                    for path, one in predictions
                ],
                "plans": [one.to_dict() for one in plans],
                "consumption": [_scenario_dict(*scenario) for scenario in _SCENARIOS],
            }
        )
    else:
        click.echo(_text(ceilings, verdicts, predictions, plans))
    ctx.exit(exit_code(verdicts) if strict else 0)


def _predicted(sender: str, receiver: str, stream: "Workload") -> "_Predicted":
    """A path between two adapters, and what it is predicted to do."""
    from netmodel.path import SpecifiedPath, predict_path, workload_traffic
    from netmodel.records import adapter

    stated = SpecifiedPath(adapter(sender), adapter(receiver))
    traffic = workload_traffic(stream, _CONNECTION_COUNT)
    return stated, predict_path(stated.path(stream.sender), traffic, _STREAM_MTU_BYTES)


def _prediction_dict(
    path: "SpecifiedPath", stream: "Workload", prediction: "Prediction"
) -> dict[str, Any]:
    """One prediction as JSON has it, with what was measured of its case."""
    (told,) = dicts_with_measured([prediction], measured_figures(path, stream, [prediction]))
    return told


def _plans() -> tuple[Plan, ...]:
    """A mix over either adapter at both ends, with small frames and with large ones."""
    from netmodel.path import SpecifiedPath
    from netmodel.records import adapter

    paths = [SpecifiedPath(adapter(name), adapter(name)) for name in (_OSA, _ROCE)]
    return compare_plans([parse_flow(text) for text in _DEMAND], paths, _MTUS_BYTES)


def _text(
    ceilings: list[LineCeiling],
    verdicts: list[Verdict],
    predictions: "list[_Predicted]",
    plans: tuple[Plan, ...],
) -> str:
    return "\n".join(
        (
            f"What a line carries: payload of {ceilings[0].stack}",
            "",
            _ceiling_table(ceilings),
            "",
            f"Four results of iperf3, judged as runs over a line of "
            f"{format_rate(_RUN_LINE.line_rate_bps)} at MTU {_RUN_LINE.mtu_bytes}",
            "",
            *(line for verdict in verdicts for line in verdict_lines(verdict)),
            "",
            f"What two adapters are predicted to carry: {_STREAM} over {_CONNECTION_COUNT} "
            f"connections at MTU {_STREAM_MTU_BYTES}",
            "",
            _prediction_table(predictions),
            "",
            f"Adapters at each side, {plans[0].headroom.max_use_ratio:.0%} of each used at most, "
            "also after one has failed, for",
            ", ".join(_DEMAND),
            "",
            plan_table(plans),
            "",
            "CPU time per data, when a second run takes more of both",
            "",
            *(_scenario_text(*scenario) for scenario in _SCENARIOS),
        )
    )


def _ceiling_table(ceilings: list[LineCeiling]) -> str:
    header = ("line", "MTU", "payload", "overhead", "efficiency", "payload rate", "frames/s")
    rows = (
        (
            format_rate(found.line_rate_bps),
            str(found.mtu_bytes),
            f"{found.payload_bytes} B",
            f"{found.overhead_bytes} B",
            f"{found.efficiency_ratio:.6f}",
            _gbit(found.payload_rate_bps),
            f"{found.frame_rate_fps:.0f}",
        )
        for found in ceilings
    )
    return text_table([header, *rows], right_aligned=range(len(header)))


def _prediction_table(predictions: "list[_Predicted]") -> str:
    header = ("sender", "receiver", "throughput", "bound, lowest", "bound, highest", "bottleneck")
    rows = (
        (
            *(sender, receiver, f"<= {_gbit(one.throughput_bps.value)}"),
            *(_gbit(one.throughput_bps.low), _gbit(one.throughput_bps.high), one.binding),
        )
        for (sender, receiver), (_, one) in zip(_WAYS, predictions, strict=True)
    )
    return text_table([header, *rows], right_aligned=(2, 3, 4))


def _gbit(rate_bps: float) -> str:
    return f"{rate_bps / 1e9:.3f} Gbit/s"


def _scenario_text(cpu_time_ratio: float, data_ratio: float) -> str:
    ratio = consumption_ratio(cpu_time_ratio, data_ratio)
    change = consumption_change(cpu_time_ratio, data_ratio).value
    return (
        f"{cpu_time_ratio:g} times the CPU time for {data_ratio:g} times the data: "
        f"c2 = {ratio:.9g} c1, {change}"
    )


def _scenario_dict(cpu_time_ratio: float, data_ratio: float) -> dict[str, float | str]:
    return {
        "cpu_time_ratio": cpu_time_ratio,
        "data_ratio": data_ratio,
        "consumption_ratio": consumption_ratio(cpu_time_ratio, data_ratio),
        "change": consumption_change(cpu_time_ratio, data_ratio).value,
    }
