"""What a plan leaves out, and what a reader should know of the rest."""

from collections.abc import Iterator, Sequence

from netmodel.concurrency import usable_capacity_ratio
from netmodel.consumption import Side
from netmodel.path import Path, Prediction, Stage
from netmodel.planning._flows import Flow
from netmodel.planning._resources import DIRECTIONS, Spreading, adapter_stage_names, way_of

__all__ = ["plan_warnings"]


def plan_warnings(
    flows: Sequence[Flow],
    predictions: Sequence[Prediction],
    spreading: Spreading,
    chosen_count: int | None,
) -> tuple[str, ...]:
    """Each once: what is not known, where times are used beyond what they were found with."""
    path = predictions[0].path
    found = (
        *_unknown(path),
        *_without_limits(path.stages, predictions),
        *(text for flow in flows for text in flow.notes),
        *(text for prediction in predictions for text in prediction.caveats),
        *_elsewhere(predictions),
        *_uneven(flows, spreading, chosen_count),
        *_cpus(path),
    )
    return tuple(dict.fromkeys(found))


def _unknown(path: Path) -> Iterator[str]:
    if path.unknown:
        yield f"the plan is for limits that are known; not known: {'; '.join(path.unknown)}"


def _without_limits(stages: Sequence[Stage], predictions: Sequence[Prediction]) -> Iterator[str]:
    """Directions of adapters that carry something, and of which no limit is known."""
    names = [
        stage.name
        for stage in stages
        if stage.name in adapter_stage_names()
        and not any((*stage.to_server.named(), *stage.to_client.named()))
        and any(_passes(stage, prediction) for prediction in predictions)
    ]
    if names:
        yield (
            f"{', '.join(names)}: no limit of its own is known, at most that it filled its "
            "line; planned as if its line were the limit"
        )


def _passes(stage: Stage, prediction: Prediction) -> bool:
    """Whether something of a flow goes through a direction of an adapter."""
    ways = [
        way
        for way, count in zip(("to_server", "to_client"), prediction.counts, strict=True)
        if count.frame_count or count.ack_count
    ]
    return any(
        stage.name == f"{side.value}_adapter_{direction}" and way_of(side, direction) in ways
        for side, direction in DIRECTIONS
    )


def _elsewhere(predictions: Sequence[Prediction]) -> Iterator[str]:
    """Where frames are other than those that times were found with, for all flows together."""
    found: dict[str, dict[str, None]] = {}
    for prediction in predictions:
        for text, names in prediction.elsewhere.items():
            found.setdefault(text, {}).update(dict.fromkeys(names))
    yield from (f"{', '.join(names)}: {text}" for text, names in found.items())


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
            yield f"connections of {whose} not stated: taken as even over the adapters"
            continue
        times = 1 / usable_capacity_ratio(count, chosen_count)
        is_in = "in the plan" if spreading is Spreading.HASHED else "not in the plan"
        yield (
            f"{whose}: on average, a hash puts {times / chosen_count:.1%} of {count:g} connections "
            f"on one of {chosen_count} adapters, {times:.3g} times an even share; that is {is_in}"
        )


def _cpus(path: Path) -> Iterator[str]:
    untold = [side.value for side in Side if not path.cpu_stages(side)]
    if untold:
        yield f"CPUs of the {' and '.join(untold)} are not known: the path has no stage of them"
    if path.unknown and path.pools:
        yield "the CPUs are at least these: see what is not known"
