"""Paths that several tests use."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from netmodel.ceilings import ByteLayer
from netmodel.consumption import Side
from netmodel.estimates import Predicted
from netmodel.path import Path, Pool, Stage, Times, Traffic
from netmodel.path.stages import COUNT_NAMES
from netmodel.records import data_path

__all__ = ["STREAM", "changed", "closed_network", "ends", "line"]

TANDEM = data_path("examples", "paths", "powervm-sea-tandem.toml")
"""A path with a pool of CPUs for each of two partitions, their costs made up."""
STREAM = Traffic(30720, waits=False, shares_segments=True)
_OUT, _IN = 0.5650732e-6, 0.8644776e-6


def ends(predicted: Predicted | None) -> tuple[Any, Any, Any]:
    """Value, low and high of what is predicted."""
    assert predicted is not None
    return predicted.value, predicted.low, predicted.high


def changed(path: Path, change: Callable[[Any, bool], Any]) -> Path:
    """Every parameter as the function has it, given whether more of it slows the path down."""
    stages = []
    for given in path.stages:
        stage = given.changed(lambda value: change(value, True))
        counts: dict[str, Any] = {
            name: change(value, False)
            for name in ("parallel_count", *COUNT_NAMES)
            for value in [getattr(stage, name)]
            if value is not None and (name == "parallel_count" or value != 1)
        }
        stages.append(replace(stage, **counts))
    return replace(
        path,
        stages=tuple(stages),
        pools=tuple(
            replace(pool, parallel_count=change(pool.parallel_count, False)) for pool in path.pools
        ),
        window_bytes=None if path.window_bytes is None else change(path.window_bytes, False),
    )


def line(rate_bps: float) -> tuple[Stage, Stage]:
    """Both directions of a line."""
    times = Times(per_byte_s=8 / rate_bps)
    return (
        Stage(name="wire_to_server", to_server=times, byte_layer=ByteLayer.WIRE),
        Stage(name="wire_to_client", to_client=times, byte_layer=ByteLayer.WIRE),
    )


def closed_network() -> Path:
    """Requests and responses over adapters, a line and one receive queue at each side."""
    half = Times(per_message_s=20e-6)
    application = Times(per_message_s=6e-6)
    pools = tuple(Pool(side.value, 8, side) for side in Side)
    cpus = tuple(
        Stage(
            name=f"{side.value}_cpu",
            to_server=application,
            to_client=application,
            parallel_count=None,
            pool=side.value,
            side=side,
        )
        for side in Side
    )
    return Path(
        stages=(
            cpus[0],
            Stage(name="client_adapter_out", to_server=Times(per_frame_s=_OUT)),
            *line(25e9),
            Stage(name="delay", to_server=half, to_client=half, parallel_count=None),
            Stage(name="server_adapter_in", to_server=Times(per_frame_s=_IN)),
            Stage(name="server_softirq", to_server=Times(per_frame_s=6e-6)),
            cpus[1],
            Stage(name="server_adapter_out", to_client=Times(per_frame_s=_OUT)),
            Stage(name="client_adapter_in", to_client=Times(per_frame_s=_IN)),
            Stage(name="client_softirq", to_client=Times(per_frame_s=6e-6)),
        ),
        pools=pools,
    )
