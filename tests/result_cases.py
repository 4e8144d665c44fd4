"""An example of each result that a public function gives, and of what such functions take."""

from collections.abc import Callable
from functools import cache
from pathlib import Path as File
from types import SimpleNamespace
from typing import Any

import numpy as np
from checking.verdicts import judged, one_of_each
from paths import closed_network
from runs import EVEN_LINE, run

import netmodel
from netmodel import (
    calibration,
    ceilings,
    checking,
    consumption,
    framing,
    path,
    planning,
    published,
    readers,
    records,
)
from netmodel.calibration.models import Curve, FreeParameter, demand_model
from netmodel.calibration.named_models import service_times
from netmodel.calibration.observations import Selection
from netmodel.estimates import Bound, Predicted
from netmodel.measuring.measured import MeasuredRun
from netmodel.path.stages import ValidityRange
from netmodel.symbolic import explain

__all__ = ["EXAMPLES", "example"]

CARD, FAST, REQUESTS = "osa-express7s-25gbe", "roce-express2.1-25gbe", "rr1c-200x1000"
DEMO = records.data_path("examples", "iperf3", "line-200m-mtu1500.json")
HOST_FILES = records.data_path("examples", "mixed-results", "host")
HOST_RUNS = records.data_path("examples", "emulated-host", "calibration")


def figures(noise: float = 0.01) -> tuple[calibration.Observed, ...]:
    """Throughput of an adapter of 500 ns a frame and 0.3 ns a byte, at five MTUs, with scatter."""
    scatter = np.exp(noise * np.array([1.0, -0.5, 0.3, -1.2, 0.4]))
    return tuple(
        calibration.Observed(
            quantity="throughput_bps",
            at={"mtu_bytes": mtu_bytes, "direction": "in", "protocol": "tcp"},
            low=float(rate_bps),
            high=float(rate_bps),
            place=f"run {number}",
        )
        for number, (mtu_bytes, rate_bps) in enumerate(
            (
                (mtu, factor * 8 * (mtu - 52) / (500e-9 + 0.3e-9 * (mtu - 52)))
                for mtu, factor in zip((576, 1500, 3000, 4500, 9000), scatter, strict=True)
            ),
            start=1,
        )
    )


def series(factor: float, **at: Any) -> list[calibration.Observed]:
    """Transactions per second over connections, of a server that saturates."""
    return [
        calibration.Observed(
            quantity="transaction_rate_tps",
            at={"connection_count": count, **at},
            low=factor * 1000 * count / (1 + count / 20),
            high=factor * 1000 * count / (1 + count / 20),
        )
        for count in (1, 4, 10, 30, 100, 250)
    ]


def one(time_s: Any) -> float:
    return 1.0


def one_each(at: Any) -> tuple[float]:
    return (1.0,)


def fit(observed: Any) -> calibration.Fit:
    return calibration.fit(observed, calibration.adapter_model())


@cache
def prediction() -> path.Prediction:
    result = netmodel.predict(
        sender=CARD, receiver=CARD, workload=REQUESTS, mtu_bytes=1500, connections=50
    )
    assert isinstance(result, path.Prediction)
    return result


@cache
def planned() -> planning.Plan:
    return netmodel.plan("40 Gbit/s str-writex30k", adapters=CARD, mtu_bytes=1500)[0]


EXAMPLES: dict[str, Callable[[], Any]] = {
    "Predicted": lambda: Predicted(13.4e9, 13.35e9, 13.45e9, Bound.UPPER),
    # calibration
    "Fit": lambda: fit(figures()),
    "Curve": lambda: Curve("throughput_bps", (FreeParameter("time_s", "s"),), one, (), (1.0,)),
    "ChosenModel": lambda: calibration.calibrate(series(1.0), "auto"),
    "LinearModel": lambda: demand_model(
        "throughput_bps", (FreeParameter("time_s", "s"),), one_each
    ),
    "FreeParameter": lambda: FreeParameter("per_frame_s", "s"),
    "Point": lambda: calibration.Point("throughput_bps", {"mtu_bytes": 1500}),
    "Observed": lambda: figures()[0],
    "Selection": lambda: Selection(figures(), ("a note",)),
    "ServiceTimes": lambda: service_times(calibration.adapter_model()),
    "FeasibleSet": lambda: calibration.calibrate(figures()[:1], noise_ratio=0.01),
    "HostCalibration": lambda: netmodel.api.calibrate_host(
        HOST_RUNS, client_cpu_numbers=[0], server_cpu_numbers=[1]
    ),
    # formulas
    "Capacity": lambda: ceilings.Capacity.parse("10Gbit/s for 30GB then 2.5Gbit/s ip"),
    "LineCeiling": lambda: ceilings.line_ceiling(25e9, 1500),
    "MessageCeiling": lambda: ceilings.line_ceiling(25e9, 1500).message(30720),
    "FrameTimeSegment": lambda: ceilings.frame_time_segment(1448, 865e-9, 8948, 2.9e-6),
    "FrameTimes": lambda: ceilings.frame_time_segment(1448, 865e-9, 8948, 2.9e-6).all_per_frame,
    "Consumption": lambda: consumption.Consumption(100.0, "process", consumption.Side.CLIENT),
    "Layer": framing.esp,
    "Part": lambda: ceilings.line_ceiling(25e9, 1500).parts[0],
    "Hop": lambda: framing.Hop("tunnel", 1400),
    "PathMtu": lambda: framing.PathMtu([framing.Hop("edge", 9000), framing.Hop("tunnel", 1400)]),
    "Stack": framing.tcp_stack,
    # checking
    "SpecifiedLine": lambda: EVEN_LINE,
    "Gate": lambda: checking.Gate(min_ratio=0.95),
    "Cause": lambda: judged("low.json", 0.5).causes[0],
    "Verdict": lambda: judged("results/2026-11/client-a/iperf3-tcp-mtu1500-1.json", 0.93),
    # paths
    "Path": lambda: prediction().path,
    "Pool": lambda: closed_network().pools[0],
    "Stage": lambda: closed_network().stages[0],
    "Times": lambda: path.Times(per_frame_s=np.linspace(1e-7, 1e-6, 100)),
    "ValidityRange": lambda: ValidityRange(1448, 8948, "calibrated for it"),
    "Prediction": prediction,
    "SpecifiedPath": lambda: path.SpecifiedPath(records.adapter(CARD), records.adapter(FAST)),
    "Traffic": lambda: prediction().traffic,
    "Interval": lambda: path.Interval(4.0, 4.0, 8.0),
    "Joint": lambda: path.Joint(tuple(np.linspace(1e-7, 1e-6, 40)), "OSA"),
    # published
    "Answer": lambda: published.answer({"adapter": CARD, "workload": REQUESTS}, "throughput"),
    "Row": lambda: published.listing([CARD])[0],
    # planning
    "Flow": lambda: planning.parse_flow("40 Gbit/s str-writex30k"),
    "Plan": planned,
    "Headroom": lambda: planning.Headroom(spare_count=0),
    "ScenarioPlan": lambda: netmodel.plan_scenario(
        records.data_path("examples", "scenarios", "order-system.toml")
    ),
    # what tools report
    "FoundResults": lambda: readers.find_results([DEMO]),
    "CpuUse": lambda: readers.CpuUse(0.5, 1e9, "process", consumption.Side.CLIENT),
    "Measurement": run,
    "PairedRuns": lambda: readers.pair_with_hosts([run()]),
    "HostCpu": lambda: readers.read_host_cpu(HOST_FILES / "mpstat-idle.json"),
    "MeasuredRun": lambda: MeasuredRun(
        record=SimpleNamespace(
            place=File("runs/1"), ran=SimpleNamespace(exit_code=0, state="complete")
        ),
        verdicts=tuple(one_of_each()[:2]),
        line={"line_rate": ("25 Gbit/s", "ethtool")},
    ),
    # records
    "Dataset": lambda: records.dataset("zvm-layer2-layer3"),
    "Adapter": lambda: records.adapter(CARD),
    "Host": lambda: records.host(next(iter(records.catalog()["hosts"]))),
    "Link": lambda: records.link("link-10gbe"),
    "PathRecord": lambda: records.path_record("zvm-direct-osa-layer3-10gbe"),
    "Scenario": lambda: records.scenario(
        records.data_path("examples", "scenarios", "order-system.toml")
    ),
    "Explanation": lambda: explain("payload_rate_bps", line_rate_bps=25e9, mtu_bytes=1500),
    "Table": lambda: records.dataset("zvm-layer2-layer3").tables["measurements"],
    "Document": lambda: records.document("adapter"),
    "Value": lambda: records.adapter(CARD).line_rate,
    "Workload": lambda: records.workload("str-writex30k"),
}


@cache
def example(name: str) -> Any:
    """Made once."""
    return EXAMPLES[name]()
