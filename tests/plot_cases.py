"""
Every kind of plot that netmodel draws, from what it may be asked for.

``python tests/plot_cases.py DIRECTORY [PART OF A NAME ...]`` draws them into PNG files of 1000
pixels, each a second time in grey, to be looked at.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path as File
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np
from invocation import run_netmodel
from paths import STREAM, closed_network, line

import netmodel
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
from netmodel.planning import Headroom, parse_flow, plan
from netmodel.records import adapter, catalog, path_record, workload
from netmodel.report import (
    plot_calibration,
    plot_frame,
    plot_path,
    plot_plan,
    plot_predictions,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["COMMANDS", "DRAWN", "SLOW", "figure_of_command"]

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
    "both-directions": "mtu_bytes,throughput_gbps,direction\n"
    + "".join(
        f"{mtu},{gbps},{way}\n"
        for mtu, gbps, way in (
            *((1500, 13.4, "in"), (9000, 24.2, "in"), (4000, 20.1, "in")),
            *((1500, 20.5, "out"), (9000, 24.3, "out"), (4000, 24.0, "out")),
        )
    ),
    "costs": "mtu_bytes,request_bytes,side,cpu_us_per_gbit\n1500,30720,client,50001\n"
    "9000,30720,client,30001\n",
    "rates": "connection_count,transaction_rate_tps\n"
    + "".join(
        f"{count},{tps}\n"
        for count, tps in ((1, 2100), (5, 9000), (10, 16500), (50, 41000), (200, 60200))
    ),
}
"""Tables of figures, as files of a user."""


def _predict(*options: str) -> tuple[str, ...]:
    return ("predict", *options)


def _ends(sender: str, receiver: str, *options: str) -> tuple[str, ...]:
    return ("predict", "--sender", sender, "--receiver", receiver, *options)


_UNLIKE_PATHS = ("powervm-sea-power7", "powervm-sea-power8", "worked-closed-network")
"""Plots of streams differ from those of requests."""
_DEMAND = ("plan", "--flow", "40 Gbit/s str-writex30k")
COMMANDS: dict[str, tuple[str, ...]] = {
    # one number of connections, with and without a measured figure, hosts and ties
    "one-stream": _ends(OSA, OSA, "--mtu", "1500", "--workload", STREAM_ID, "--connections", "50"),
    "one-requests": _ends(OSA, ROCE, "--mtu", "9000", "--workload", REQUESTS, "--connections", "1"),
    "one-with-hosts": _ends(
        *(OSA, OSA, "--client-host", "z15-lpar-4core-smt2", "--server-host", "z15-lpar-4core-smt2"),
        *("--mtu", "9000", "--workload", REQUESTS, "--connections", "10"),
    ),
    "one-measured": _predict(
        *("--path", "zvm-vswitch-layer3-1gbe", "--mtu", "1492", "--workload", "awm-rr"),
        *("--connections", "50"),
    ),
    "one-without-connections": _predict(
        *("--path", str(EXAMPLES / "paths" / "emulated-line.toml"), "--workload", STREAM_ID),
        *("--mtu", "1500"),
    ),
    # the numbers of connections of the workload, and few or many of them
    "two-connections": _ends(
        *(OSA, OSA, "--mtu", "1500", "--workload", REQUESTS, "--connections", "1,10")
    ),
    "far-connections": _ends(
        *(OSA, ROCE, "--mtu", "9000", "--workload", REQUESTS, "--connections", "1,100000")
    ),
    "near-connections": _ends(
        *(OSA, ROCE, "--mtu", "9000", "--workload", REQUESTS, "--connections", "3,7")
    ),
    "small-window": _predict(
        *("--path", str(EXAMPLES / "paths" / "emulated-line-small-window.toml")),
        *("--workload", STREAM_ID, "--mtu", "1500", "--connections", "1,2,50"),
    ),
    **{
        f"measured-{name}-{load}": _predict(
            *("--path", name, "--mtu", "1492", "--workload", load, *options)
        )
        for name in catalog()["paths"]
        if name.startswith("zvm")
        for load, options in (
            ("awm-rr", ("--connections", "1,10,50,500" if "10gbe" in name else "1,10,50")),
            (
                "awm-str",
                (
                    "--connections",
                    "1,8,16,32" if "10gbe" in name else "1,10,50",
                    "--payload",
                    "20MiB",
                ),
            ),
        )
    },
    "measured-connections": _predict(
        *("--path", "zvm-vswitch-layer3-1gbe", "--mtu", "1492", "--workload", "awm-rr")
    ),
    **{
        f"path-{name}-{load}": _predict("--path", name, "--mtu", "1500", "--workload", load)
        for name in catalog()["paths"]
        if not SpecifiedPath(record=path_record(name)).is_unbounded
        for load in ((STREAM_ID, REQUESTS) if name in _UNLIKE_PATHS else (REQUESTS,))
    },
    **{
        f"adapter-{name}-{load}": _ends(OSA, name, "--mtu", "1500", "--workload", load)
        for name in catalog()["adapters"]
        for load in ((STREAM_ID,) if name.startswith("ethernet") else (STREAM_ID, REQUESTS))
    },
    # statements of documents that bound few connections
    "statement-sweep": _ends(OSA, OSA, "--mtu", "9000", "--workload", REQUESTS),
    "statement-at-10": _ends(
        *(OSA, OSA, "--mtu", "9000", "--workload", REQUESTS, "--connections", "10")
    ),
    "statement-osa6s": _ends(
        *(["osa-express6s-10gbe"] * 2), "--mtu", "9000", "--workload", REQUESTS
    ),
    "statement-plan": (
        *("plan", "--flow", "20 Gbit/s rr1c-200x30k", "--connections", "10"),
        *("--adapter", OSA, "--mtu", "9000"),
    ),
    "statement-plans": (
        *("plan", "--flow", "20 Gbit/s rr1c-200x30k", "--connections", "10"),
        *("--adapter", OSA, "--adapter", ROCE, "--mtu", "1500", "--mtu", "9000"),
    ),
    # plans: one candidate, several, spares, other headroom, a mix, a path, none that is enough
    "plan-one": (*_DEMAND, "--adapter", OSA, "--mtu", "1500"),
    "plan-headroom": (
        *(*_DEMAND, "--adapter", OSA, "--mtu", "4000", "--max-utilisation", "0.6"),
        *("--max-utilisation-after-failure", "0.9"),
    ),
    "plan-full": (*_DEMAND, "--adapter", OSA, "--mtu", "9000", "--max-utilisation", "0.99"),
    "plan-scenario": ("plan", str(SCENARIO)),
    "plan-mtus": (*_DEMAND, "--adapter", OSA, "--mtu", "1500", "--mtu", "9000"),
    "plan-mix": (
        *("plan", "--flow", "30 Gbit/s str-writex30k", "--flow", "10 Gbit/s rr1c-200x30k"),
        *("--flow", "100000/s rr1c-200x1000", "--adapter", OSA, "--adapter", ROCE),
        *("--mtu", "1500", "--mtu", "4000", "--mtu", "9000", "--connections", "50"),
    ),
    "plan-path": (
        *("plan", "--flow", "150 Mbit/s str-writex30k", "--mtu", "1500", "--spares", "0"),
        *("--path", str(EXAMPLES / "paths" / "emulated-line.toml"), "--max-utilisation", "0.8"),
    ),
    "plan-impossible": (*(*_DEMAND, "--adapter", OSA, "--mtu", "1500", "--connections", "1"),),
}
"""Arguments of each command, without --plot; FILE.csv is one of `TABLES`."""


SLOW = (
    *(f"adapter-ethernet-{rate}gbe-{STREAM_ID}" for rate in ("2.5", "5", "10", "40", "50", "100")),
)
"""Intervals at every place that take seconds, and lines like others: only drawn to be looked at."""


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


def _over_two_mtus() -> Any:
    path = replace(_uncertain(), name="two_mtus", stages=(*_uncertain().stages, *line(25e9)))
    mtus = np.array([1500, 9000])
    return plot_predictions(predict_path(path, STREAM, mtus), [*mtus], "MTU [byte]")


def _over_cpu_times() -> Any:
    times_us = np.linspace(0.5, 8, 4)
    path = Path(
        stages=(
            Stage(name="cpu", to_server=Times(per_message_s=times_us * 1e-6)),
            _stage("uncertain", 30, 60, 80),
            Stage(name="statement osa7s-against-osa6s-rr30k-mtu-9000-10", to_server=Times(4e-6)),
        )
    )
    return plot_predictions(predict_path(path, STREAM, 1500), [*times_us], "CPU time [µs]")


def _regions() -> Any:
    """Forty narrow regions, one of each number in turn."""
    cases = np.arange(100, 140)
    stages = tuple(
        Stage(
            name=f"s{turn}", to_server=Times(per_message_s=np.where(cases % 4 == turn, 2e-6, 1e-6))
        )
        for turn in range(4)
    )
    return plot_predictions(predict_path(Path(stages=stages), STREAM, 1500), [*cases], "case")


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


def _planned(mtu_bytes: int = 1500, connection_count: int = 50, **options: Any) -> Any:
    path = SpecifiedPath(adapter(OSA), adapter(OSA))
    return plan(
        [parse_flow("40 Gbit/s str-writex30k", connection_count)], path, mtu_bytes, **options
    )


def _free() -> Any:
    """A limit without end, and one with one end."""
    free = Stage(name="free", to_server=Times(per_byte_s=Interval(0, 0, BIT_S / 40)))
    path = Path(stages=(_stage("a", 10, 10, 10), free, Stage(name="idle")))
    return plot_path(predict_path(path, STREAM, 1500))


TUNNEL = parse_stack("ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps")


DRAWN: dict[str, Callable[[], Any]] = {
    "calibrated-scatter": lambda: _calibration("scatter"),
    "calibrated-two": lambda: _calibration("two"),
    "calibrated-costs": lambda: _calibration(
        "costs", model="host", free=["per_frame_s", "per_byte_s"]
    ),
    "calibrated-runs": _calibrated_runs,
    "ties": lambda: plot_path(predict_path(closed_network(), Traffic(200, 1000, 250), 1500)),
    "uncertain": lambda: plot_path(predict_path(_uncertain(), STREAM, 1500)),
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
    "one-stage": lambda: plot_path(
        predict_path(Path(stages=(_stage("a", 9, 9, 9),)), STREAM, 1500)
    ),
    "without-end": _free,
    "many-limits": _many_limits,
    "many-curves": _many_curves,
    "over-mtus": _over_mtus,
    "over-two-mtus": _over_two_mtus,
    "over-cpu-times": _over_cpu_times,
    "narrow-regions": _regions,
    "plans-that-fail": lambda: plot_plan(
        [
            replace(_planned(), shortfalls=("the trunk is too small",)),
            _planned(connection_count=1),
        ]
    ),
    "plan-without-spares": lambda: plot_plan(_planned(headroom=Headroom(spare_count=0))),
    "frame": lambda: plot_frame(line_ceiling(25e9, 1500).parts),
    "frame-in-tunnel": lambda: plot_frame(line_ceiling(25e9, 1450, stack=TUNNEL).parts),
}
"""Plots of functions without a command, and of paths that no record has."""


def _main(directory: str, *parts: str) -> None:
    """Draw what has one of these parts in its name, or all."""
    import matplotlib.pyplot as plt
    from matplotlib.image import imread, imsave

    plt.switch_backend("Agg")
    File(directory).mkdir(parents=True, exist_ok=True)
    figures: dict[str, Callable[[], Any]] = {
        **{name: lambda own=own: figure_of_command(*own)[0] for name, own in COMMANDS.items()},
        **{name: lambda own=own: own().get_figure() for name, own in DRAWN.items()},
    }
    for name, draw in figures.items():
        if not parts or any(part in name for part in parts):
            file = File(directory) / f"{name}.png"
            figure = draw()
            figure.savefig(file)
            plt.close(figure)
            rgb = imread(file)[:, :, :3]
            # luminance of ITU-R BT.601, as printers and image tools turn colours into grey
            imsave(File(directory) / f"{name}.grey.png", rgb @ [0.299, 0.587, 0.114], cmap="gray")
            sys.stdout.write(f"{file}\n")


if __name__ == "__main__":
    _main(*sys.argv[1:])
