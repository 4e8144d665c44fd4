"""Every kind of plot that netmodel draws, from what it may be asked for."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path as File
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np
from invocation import run_netmodel
from paths import STREAM, closed_network

import netmodel
from netmodel.calibration import calibrate, host_cost_model, observed_from_table
from netmodel.ceilings import line_ceiling
from netmodel.framing import parse_stack
from netmodel.path import (
    Interval,
    Path,
    SpecifiedPath,
    Stage,
    Times,
    Traffic,
    predict_path,
    workload_traffic,
)
from netmodel.records import adapter, workload
from netmodel.report import (
    plot_calibration,
    plot_frame,
    plot_path,
    plot_predictions,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["COMMANDS", "DRAWN", "TABLES", "figure_of_command"]

OSA, ROCE = "osa-express7s-25gbe", "roce-express2.1-25gbe"
STREAM_ID, REQUESTS = "str-writex30k", "rr1c-200x30k"
EXAMPLES = File(__file__).parents[1] / "data" / "examples"
SCENARIO = EXAMPLES / "scenarios" / "order-system.toml"
BIT_S = 8e-9

TABLES = {
    "scatter": "mtu_bytes,throughput_gbps,direction\n"
    + "".join(f"{mtu},{gbps},in\n" for mtu, gbps in ((1500, 13.4), (2000, 15.51), (4000, 19.92))),
    "two": "mtu_bytes,throughput_gbps,direction\n1500,13.4,in\n9000,24.2,in\n",
    "one": "mtu_bytes,throughput_gbps,direction\n1500,13.4,in\n1500,13.5,in\n",
    "costs": "mtu_bytes,request_bytes,side,cpu_us_per_gbit\n1500,30720,client,50001\n"
    "9000,30720,client,30001\n",
}
"""Tables of figures, as files of a user."""


def _predict(*options: str) -> tuple[str, ...]:
    return ("predict", *options)


def _ends(sender: str, receiver: str, *options: str) -> tuple[str, ...]:
    return ("predict", "--sender", sender, "--receiver", receiver, *options)


_DEMAND = ("plan", "--flow", "40 Gbit/s str-writex30k")
COMMANDS: dict[str, tuple[str, ...]] = {
    # one number of connections, with and without a measured figure, and hosts
    "one-stream": _ends(OSA, OSA, "--mtu", "1500", "--workload", STREAM_ID, "--connections", "50"),
    "one-requests": _ends(OSA, ROCE, "--mtu", "9000", "--workload", REQUESTS, "--connections", "1"),
    "one-with-hosts": _ends(
        *(OSA, OSA, "--client-host", "z15-lpar-4core-smt2", "--server-host", "z15-lpar-4core-smt2"),
        *("--mtu", "9000", "--workload", REQUESTS, "--connections", "10"),
    ),
    # plans: several candidates, a mix, a path, a scenario, none that is enough
    "plan-one": (*_DEMAND, "--adapter", OSA, "--mtu", "1500"),
    "plan-mix": (
        *("plan", "--flow", "30 Gbit/s str-writex30k", "--flow", "10 Gbit/s rr1c-200x30k"),
        *("--flow", "100000/s rr1c-200x1000", "--adapter", OSA, "--adapter", ROCE),
        *("--mtu", "1500", "--mtu", "4000", "--mtu", "9000", "--connections", "50"),
    ),
    "plan-path": (
        *("plan", "--flow", "150 Mbit/s str-writex30k", "--mtu", "1500", "--spares", "0"),
        *("--path", str(EXAMPLES / "paths" / "emulated-line.toml"), "--max-utilisation", "0.8"),
    ),
    "plan-scenario": ("plan", str(SCENARIO)),
    "plan-impossible": (*(*_DEMAND, "--adapter", OSA, "--mtu", "1500", "--connections", "1"),),
}
"""Arguments of each command, without --plot."""


@contextmanager
def _tables() -> Iterator[str]:
    with TemporaryDirectory() as directory:
        for name, text in TABLES.items():
            (File(directory) / f"{name}.csv").write_text(text, encoding="utf-8")
        yield directory


def figure_of_command(*arguments: str) -> "tuple[Figure, bytes]":
    """What a command draws, and what it writes into a PNG file."""
    import matplotlib.pyplot as plt

    drawn: list[Figure] = []
    with _tables() as directory, mock.patch.object(plt, "close", drawn.append):
        file = File(directory) / "plot.png"
        wanted = [
            str(File(directory) / text) if text.endswith(".csv") else text for text in arguments
        ]
        result = run_netmodel(*wanted, "--plot", str(file))
        assert result.exit_code in {0, 1}, result.output
        assert result.stderr == "", result.stderr
        content = file.read_bytes()
    (figure,) = drawn
    return figure, content


# What only Python draws


def _calibration(table: str, **asked: Any) -> Any:
    """Parameters from one of the tables."""
    with _tables() as directory:
        return plot_calibration(netmodel.calibrate(f"{directory}/{table}.csv", **asked))


def _calibrated_costs() -> Any:
    with _tables() as directory:
        seen = observed_from_table(f"{directory}/costs.csv")
    result: Any = calibrate(seen, host_cost_model(["per_frame_s", "per_byte_s"]))
    return plot_calibration(result)


def _calibrated_runs() -> Any:
    runs = EXAMPLES / "own-adapter" / "runs"
    result: Any = netmodel.calibrate(runs, side="server", line_rate_bps="400 Mbit/s")
    return plot_calibration(result)


def _stage(name: str, slow: float, quoted: float, fast: float) -> Stage:
    """A stage that lets so many Gbit/s pass, of which the second is quoted."""
    times = Times(per_byte_s=Interval(BIT_S / quoted, BIT_S / fast, BIT_S / slow))
    return Stage(name=name, to_server=times)


def _uncertain(**others: Any) -> Path:
    stages = (
        *(_stage("first", 10, 10, 10), _stage("second", 8, 16, 20), _stage("third", 40, 40, 80)),
    )
    return Path(stages=stages, **others)


def _over_mtus() -> Any:
    path = SpecifiedPath(adapter(OSA), adapter(ROCE)).path(workload(STREAM_ID).sender)
    mtus = np.arange(1280, 9001, 20)
    traffic = workload_traffic(workload(STREAM_ID), 50)
    return plot_predictions(predict_path(path, traffic, mtus), [*mtus], "MTU [byte]")


def _many_limits() -> Any:
    """15 limits from 1 Mbit/s to 400 Gbit/s, one with a long name."""
    rates = [0.001 * 400_000 ** (place / 14) for place in range(15)]
    stages = [_stage(f"stage_{place}", rate, rate, rate) for place, rate in enumerate(rates)]
    long_name = _stage("the_first_of_all_stages_" * 4, 1, 1, 1)
    return plot_path(predict_path(Path(stages=(long_name, *stages)), STREAM, 1500))


def _many_curves() -> Any:
    """12 limits over connections."""
    counts = np.arange(1, 201)
    stages = [
        Stage(name=f"stage_{place}", to_server=Times(per_message_s=2e-6 * 1.15**place))
        for place in range(11)
    ]
    delay = Stage(name="delay", to_server=Times(per_message_s=1e-4), parallel_count=None)
    traffic = Traffic(1000, 500, connection_count=counts)
    prediction = predict_path(Path(stages=(delay, *stages)), traffic, 1500)
    return plot_predictions(prediction, [*counts], "connections")


TUNNEL = parse_stack("ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps")


DRAWN: dict[str, Callable[[], Any]] = {
    "calibrated-scatter": lambda: _calibration("scatter"),
    "calibrated-two": lambda: _calibration("two"),
    "calibrated-costs": _calibrated_costs,
    "calibrated-runs": _calibrated_runs,
    "ties": lambda: plot_path(predict_path(closed_network(), Traffic(200, 1000, 250), 1500)),
    "many-notes": lambda: plot_path(
        predict_path(
            _uncertain(
                unknown=("server CPU", "client CPU"),
                notes=tuple(f"note {count} {'which is long ' * 6}" for count in range(9)),
            ),
            STREAM,
            1500,
        )
    ),
    "many-limits": _many_limits,
    "many-curves": _many_curves,
    "over-mtus": _over_mtus,
    "frame-in-tunnel": lambda: plot_frame(line_ceiling(25e9, 1450, stack=TUNNEL).parts),
}
"""Plots of functions without a command, and of paths that no record has."""
