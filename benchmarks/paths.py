"""Cost of predictions against the smallest of the same limits written out, in one run.

Each row is a median over rounds in which both are timed in turn, so that a machine that slows down
slows both; the ratio is the median of the ratios of the rounds. The last column is the ratio that
the project holds itself to.
"""

import statistics
import timeit
from collections.abc import Callable
from functools import partial
from time import process_time
from typing import Any

import numpy as np

from netmodel.ceilings import ByteLayer
from netmodel.consumption import Side
from netmodel.path import Path, Pool, Stage, Times, Traffic, predict_path

ROUNDS = 7
CALLS_OF_PLAIN = 300
"""Calls of a plain function in the time of one prediction: about half its ratio."""
LENGTH = 1_000_000
STREAM = Traffic(30720, waits=False, shares_segments=True)
EXCHANGE = Traffic(200, 30720, connection_count=50)
OUT_S, MESSAGE_S, PACKET_S, CPU_COUNT = 0.565e-6, 6e-6, 0.5e-6, 8


def adapters(
    rate_bps: Any, per_frame_s: Any, per_byte_s: Any, way: str = "to_server"
) -> tuple[Stage, ...]:
    """Adapter out, line and adapter in."""
    parts: dict[str, dict[str, Any]] = {
        "out": {way: Times(per_frame_s=OUT_S)},
        "wire": {way: Times(per_byte_s=8 / rate_bps), "byte_layer": ByteLayer.WIRE},
        "in": {way: Times(per_frame_s=per_frame_s, per_byte_s=per_byte_s)},
    }
    return tuple(Stage(name=name, **given) for name, given in parts.items())


def plain_stream(mtu_bytes: Any, rate_bps: Any, per_frame_s: Any, per_byte_s: Any) -> Any:
    """Payload rate of a stream over adapters and a line, in plain numpy."""
    segment_bytes = mtu_bytes - 52
    return np.minimum(
        np.minimum(8 * segment_bytes / OUT_S, rate_bps * segment_bytes / (mtu_bytes + 38)),
        8 * segment_bytes / (per_frame_s + per_byte_s * segment_bytes),
    )


def float_stream(mtu_bytes: float, rate_bps: float, per_frame_s: float, per_byte_s: float) -> float:
    """The same in plain Python."""
    segment_bytes = mtu_bytes - 52
    return min(
        8 * segment_bytes / OUT_S,
        rate_bps * segment_bytes / (mtu_bytes + 38),
        8 * segment_bytes / (per_frame_s + per_byte_s * segment_bytes),
    )


def stream(mtu_bytes: Any, rate_bps: Any, per_frame_s: Any, per_byte_s: Any) -> Any:
    """The same as a path."""
    path = Path(stages=adapters(rate_bps, per_frame_s, per_byte_s))
    return predict_path(path, STREAM, mtu_bytes).throughput_bps.value


def servers(rate_bps: Any, per_frame_s: Any, per_byte_s: Any) -> Path:
    """Adapters and a line in both directions between CPUs that handle messages and packets."""
    times = Times(per_message_s=MESSAGE_S, per_frame_s=PACKET_S)
    cpus = tuple(
        Stage(
            name=f"{side.value}_cpu",
            to_server=times,
            to_client=times,
            parallel_count=None,
            pool=side.value,
        )
        for side in Side
    )
    back = adapters(rate_bps, per_frame_s, per_byte_s, "to_client")
    return Path(
        stages=(*cpus, *back),
        pools=tuple(Pool(side.value, CPU_COUNT, side) for side in Side),
    )


def plain_exchange(mtu_bytes: Any, rate_bps: Any, per_frame_s: Any, per_byte_s: Any) -> Any:
    """Rate of requests of 200 byte and responses of 30 KiB between CPUs, in plain numpy."""
    count = np.ceil(30720 / (mtu_bytes - 52))
    cpu_s = 2 * MESSAGE_S + PACKET_S * (count + 1)
    out_s = OUT_S * count
    wire_s = 8 * (30720 + 90 * count) / rate_bps
    in_s = per_frame_s * count + per_byte_s * 30720
    longest_s = np.maximum(np.maximum(cpu_s / CPU_COUNT, out_s), np.maximum(wire_s, in_s))
    return 8 * 30720 * np.minimum(1 / longest_s, 50 / (2 * cpu_s + out_s + wire_s + in_s))


def exchange(mtu_bytes: Any, rate_bps: Any, per_frame_s: Any, per_byte_s: Any) -> Any:
    """The same as a path."""
    path = servers(rate_bps, per_frame_s, per_byte_s)
    return predict_path(path, EXCHANGE, mtu_bytes).throughput_bps.value


def sweep(length: int) -> tuple[Any, ...]:
    """MTUs, line rates, times per frame and times per byte."""
    random = np.random.default_rng(1)
    ranges = ((1500, 9000), (10e9, 100e9), (0.1e-6, 1e-6), (0.01e-9, 0.3e-9))
    return tuple(random.uniform(low, high, length) for low, high in ranges)


def compare(
    ours: Callable[..., Any], theirs: Callable[..., Any], parameters: tuple[Any, ...], calls: int
) -> tuple[float, float, float]:
    """CPU times of one call of each, and their ratio; both must have the same results. [s]"""
    np.testing.assert_allclose(ours(*parameters), theirs(*parameters), rtol=1e-12)
    # calls of theirs take about as long as those of ours, so that other work slows both alike
    numbers = [
        (partial(ours, *parameters), calls),
        (partial(theirs, *parameters), calls * (1 if calls == 1 else CALLS_OF_PLAIN)),
    ]
    pairs = [
        tuple(timeit.timeit(call, number=n, timer=process_time) / n for call, n in numbers)
        for _ in range(ROUNDS)
    ]
    mine, other = (statistics.median(times) for times in zip(*pairs, strict=True))
    return mine, other, statistics.median(each / plain for each, plain in pairs)


def main() -> None:
    """Print all rows."""
    arrays = sweep(LENGTH)
    single = tuple(float(values[0]) for values in arrays)
    path = Path(stages=adapters(*single[1:]))

    def built(mtu_bytes: float, *_: float) -> Any:
        return predict_path(path, STREAM, mtu_bytes).throughput_bps.value

    print(f"{'':34} {'netmodel µs':>12} {'plain µs':>12} {'ratio':>8} {'allowed':>8}")
    for name, ours, theirs, parameters, calls, allowed in (
        ("stream over adapters, 1e6", stream, plain_stream, arrays, 1, 20),
        ("exchange between CPUs, 1e6", exchange, plain_exchange, arrays, 1, 20),
        ("stream, one", stream, float_stream, single, 1000, 600),
        ("stream, one on a path that is built", built, float_stream, single, 1000, 500),
    ):
        mine, other, ratio = compare(ours, theirs, parameters, calls)
        print(f"{name:34} {mine * 1e6:12.3f} {other * 1e6:12.3f} {ratio:8.3f} {allowed:8.2f}")


if __name__ == "__main__":
    main()
