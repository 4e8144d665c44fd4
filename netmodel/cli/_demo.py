"""``netmodel demo``: the cases of data/examples/demo.toml."""

import tomllib
from dataclasses import replace
from functools import partial

import click

from netmodel._predicted_text import predicted_text
from netmodel._text import fixed_percent
from netmodel.api._scenario import plan_scenario
from netmodel.ceilings import line_ceiling
from netmodel.cli._check import exit_code, verdict_lines
from netmodel.cli._console import print_json, wrapped
from netmodel.cli._options import json_option, strict_option
from netmodel.cli._plan import plan_table
from netmodel.cli._predict import roles
from netmodel.consumption import consumption_change, consumption_ratio
from netmodel.judging import SpecifiedLine, check_file
from netmodel.planning import compare_plans, parse_flow
from netmodel.report import text_table
from netmodel.units import format_rate, parse_rate_bps
from netmodel.units._prefixes import GIGA

_CEILING_HEADS = ("line", "MTU", "payload", "overhead", "efficiency", "payload rate", "frames/s")


@click.command()
@strict_option
@json_option
def demo(strict: bool, as_json: bool) -> None:
    """Show ceilings, checks, predictions, a plan and a scenario.

    Exit code 0; with --strict that of check on the same results.
    """
    from netmodel.judging import measured_beside, with_statements
    from netmodel.path import SpecifiedPath, predict_path, workload_traffic
    from netmodel.records import adapter, data_path, host, workload

    cases = tomllib.loads(data_path("examples", "demo.toml").read_text(encoding="utf-8"))
    asked = cases["ceilings"]
    ceilings = [
        line_ceiling(parse_rate_bps(line_rate), mtu_bytes)
        for line_rate in asked["line_rates"]
        for mtu_bytes in asked["mtus"]
    ]
    judged = cases["check"]
    line = SpecifiedLine(line_rate_bps=parse_rate_bps(judged["line_rate"]), mtu_bytes=judged["mtu"])
    verdicts = [
        replace(verdict, file=name)
        for name in judged["runs"]
        for verdict in check_file(data_path("examples", "iperf3", name), line)
    ]
    asked = cases["predict"]
    stream = workload(asked["workload"])
    paths = [
        SpecifiedPath(adapter(ends["sender"]), adapter(ends["receiver"])) for ends in asked["ends"]
    ]
    traffic = workload_traffic(stream, asked["connections"])
    predictions = [
        with_statements(predict_path(path.path(stream.sender), traffic, asked["mtu"]), path)
        for path in paths
    ]
    planned = cases["plan"]
    plans = compare_plans(
        [parse_flow(text) for text in planned["flows"]],
        [SpecifiedPath(adapter(name), adapter(name)) for name in planned["adapters"]],
        planned["mtus"],
    )
    served = cases["cores"]
    card = adapter(served["adapter"])
    example_host = host(data_path("examples", "hosts", served["server_host"]))
    (cores,) = compare_plans(
        [parse_flow(served["flow"])],
        [SpecifiedPath(card, card, server_host=example_host)],
        [served["mtu"]],
    )
    scenario = plan_scenario(data_path("examples", "scenarios", cases["scenario"]))
    costs = [
        {
            **ratios,
            "consumption_ratio": consumption_ratio(**ratios),
            "change": consumption_change(**ratios).value,
        }
        for ratios in cases["cpu_cost"]
    ]
    if as_json:
        beside = [
            partial(measured_beside, path, stream, asked["mtu"], asked["connections"])
            for path in paths
        ]
        predicted = [
            replace(each, beside=figures).to_dict()
            for each, figures in zip(predictions, beside, strict=True)
        ]
        print_json(
            {
                "ceilings": [each.to_dict() for each in ceilings],
                "checks": [verdict.to_dict() for verdict in verdicts],
                "predictions": [
                    roles(path, stream) | row for path, row in zip(paths, predicted, strict=True)
                ],
                "plans": [each.to_dict() for each in plans],
                "cores": cores.to_dict(),
                "scenario": scenario.to_dict(),
                "consumption": costs,
            }
        )
    else:
        share = plans[0].headroom.max_utilisation_ratio
        rows = [
            (
                format_rate(each.line_rate_bps),
                str(each.mtu_bytes),
                f"{each.payload_bytes} B",
                f"{each.overhead_bytes} B",
                f"{each.efficiency_ratio:.6f}",
                f"{each.payload_rate_bps / GIGA:.3f} Gbit/s",
                f"{each.frame_rate_fps:.0f}",
            )
            for each in ceilings
        ]
        lines = [
            f"What a line carries: payload of {ceilings[0].stack}",
            "",
            text_table([_CEILING_HEADS, *rows], right_aligned=range(len(_CEILING_HEADS))),
            "",
            f"Four results of iperf3, judged as runs over a line of "
            f"{format_rate(line.line_rate_bps)} at MTU {line.mtu_bytes}",
            "",
            *(text for verdict in verdicts for text in verdict_lines(verdict)),
            "",
            f"Predictions for two adapters: {stream.id} over {asked['connections']} connections at "
            f"MTU {asked['mtu']}",
            "",
            *(
                f"{ends['sender']} to {ends['receiver']}:\n    at most "
                f"{predicted_text(each.throughput_bps.numbers()).removeprefix('<= ')}; "
                f"bottleneck {each.binding}"
                for ends, each in zip(asked["ends"], predictions, strict=True)
            ),
            "",
            f"Adapters at each side, each at most {fixed_percent(share, 0)} utilised, also after "
            "one has failed, "
            "for",
            ", ".join(planned["flows"]),
            "",
            plan_table(plans),
            "",
            f"CPUs of a server like the example host {served['server_host']}, a virtual machine "
            "without offloads",
            "",
            cores.text.partition("\n")[0],
            "",
            f"A planning scenario: {scenario.title}",
            "",
            scenario.answer,
            "",
            scenario.table(),
            "",
            "CPU cost per data, when a second run takes more CPU time and carries more data",
            "",
            *(
                f"{cost['cpu_time_ratio']:g} times the CPU time for {cost['data_ratio']:g} times "
                f"the data: c2 = {cost['consumption_ratio']:.9g} c1, {cost['change']}"
                for cost in costs
            ),
        ]
        click.echo(wrapped("\n".join(lines)))
    click.get_current_context().exit(exit_code(verdicts) if strict else 0)
