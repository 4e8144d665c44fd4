"""What a plan leaves out, and what a reader should know of the rest."""

from collections.abc import Iterator, Sequence

from netmodel.concurrency import usable_capacity_ratio
from netmodel.consumption import Side
from netmodel.path import Path, Prediction, Stage
from netmodel.path._adapters import ADAPTER_STAGES
from netmodel.path._path import DIRECTIONS
from netmodel.planning._flows import Flow
from netmodel.planning._resources import (
    Spreading,
    is_partly_known,
    takes_time,
)

__all__ = ["plan_warnings"]

_UNEVEN_RATIO = 1.005
"""Below it what a hash does shows in no digit that is printed."""


def plan_warnings(
    flows: Sequence[Flow],
    predictions: Sequence[Prediction],
    spreading: Spreading,
    chosen_count: int | None,
) -> tuple[str, ...]:
    """Each once: what is not known, and where times are used beyond what they are valid for."""
    path = predictions[0].path
    found = (
        *_unknown(path),
        *_without_limits(path.stages, predictions),
        *(text for flow in flows for text in flow.notes),
        *(text for prediction in predictions for text in prediction.path_notes),
        *_elsewhere(predictions),
        *_without_acks(flows, predictions),
        *_uneven(flows, spreading, chosen_count),
        *_cpus(path, predictions),
    )
    return tuple(dict.fromkeys(found))


def _unknown(path: Path) -> Iterator[str]:
    if path.unknown:
        yield f"lower bound only; not modelled: {'; '.join(path.unknown)}"


def _without_limits(stages: Sequence[Stage], predictions: Sequence[Prediction]) -> Iterator[str]:
    """Directions of adapters that carry something, and that may be endlessly fast as is known."""
    unknown, bounded = [], []
    for name in (one.name for one in stages if one.name in ADAPTER_STAGES):
        passing = [one for one in predictions if _passes(ADAPTER_STAGES[name], one)]
        if passing and not any(one.demands[name] for one in passing):
            unknown.append(name)
        elif passing and not sum(one.loads_s[name].low for one in passing):
            bounded.append(name)
    if unknown:
        yield f"{', '.join(unknown)}: no limit of its own is known; planned as if it were the line"
    if bounded:
        yield (
            f"{', '.join(bounded)}: was never seen at a limit of its own; planned from the slowest "
            "that carries what was seen, which is the worst, to no limit of its own"
        )


def _passes(way: str, prediction: Prediction) -> bool:
    """Whether something of a flow goes this way."""
    count = prediction.counts[DIRECTIONS.index(way)]
    return bool(count.frame_count or count.ack_count)


def _elsewhere(predictions: Sequence[Prediction]) -> Iterator[str]:
    """Where frames are other than those that times were calibrated for, for all flows."""
    found: dict[str, dict[str, None]] = {}
    for prediction in predictions:
        for text, names in prediction.outside_validity.items():
            found.setdefault(text, {}).update(dict.fromkeys(names))
    yield from (f"{', '.join(names)}: {text}" for text, names in found.items())


def _without_acks(flows: Sequence[Flow], predictions: Sequence[Prediction]) -> Iterator[str]:
    """Streams whose acknowledgements would share a direction with frames of other flows."""
    names = [
        flow.name
        for flow, prediction in zip(flows, predictions, strict=True)
        if not flow.traffic.waits
        and flow.traffic.segments_per_ack is None
        and any(_goes_against(one, prediction) for one in predictions)
    ]
    if names:
        yield (
            f"acknowledgements of {', '.join(dict.fromkeys(names))} go in the direction of other "
            "flows and take frames too, which are not counted: give the segments per "
            "acknowledgement"
        )


def _goes_against(one: Prediction, stream: Prediction) -> bool:
    """Whether one sends where a stream sends nothing."""
    ways = zip(one.counts, stream.counts, strict=True)
    return any(own.message_count and not other.message_count for own, other in ways)


def _uneven(flows: Sequence[Flow], spreading: Spreading, chosen_count: int | None) -> Iterator[str]:
    """What a hash makes of the connections of flows on several adapters."""
    if chosen_count is None or chosen_count == 1:
        return
    names: dict[float | None, dict[str, None]] = {}
    for flow in flows:
        names.setdefault(flow.traffic.connection_count, {})[flow.name] = None
    for count, several in names.items():
        whose = ", ".join(several)
        if count is None:
            yield f"connections of {whose} not given: assuming an even split over the adapters"
            continue
        times = 1 / usable_capacity_ratio(count, chosen_count)
        if times < _UNEVEN_RATIO:
            continue
        percent = f"{100 * times / chosen_count:.3g}%"
        is_in = "in the plan" if spreading is Spreading.HASHED else "not in the plan"
        yield (
            f"{whose}: on average, a hash puts {percent} of {count:,.9g} connections "
            f"on one of {chosen_count} adapters, {times:.3g} times an even share; that is {is_in}"
        )


def _cpus(path: Path, predictions: Sequence[Prediction]) -> Iterator[str]:
    untold = [side.value for side in Side if not path.cpu_stages(side)]
    if untold:
        yield f"CPUs of the {' and '.join(untold)} not planned: no CPU model"
    told = {pool.name: any(takes_time(pool, one) for one in predictions) for pool in path.pools}
    untimed = [name for name, is_told in told.items() if not is_told]
    if untimed:
        yield f"{', '.join(untimed)}: the path has no service time for these flows"
    partly = [
        pool.name for pool in path.pools if told[pool.name] and is_partly_known(pool, predictions)
    ]
    if partly:
        yield (
            f"CPUs of {', '.join(partly)} not planned: not all service times for these flows are "
            "known"
        )
    if path.unknown and any(is_told for name, is_told in told.items() if name not in partly):
        yield "CPU counts are lower bounds: see what is not modelled"
