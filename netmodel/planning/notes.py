"""Shortfalls of a demand, and caveats of its plan, in words."""

import re
from collections.abc import Iterable, Iterator, Sequence

from netmodel.consumption import Side
from netmodel.estimates import Bound
from netmodel.framing.grammar import usual_mtu_notes
from netmodel.lazy_numpy import np
from netmodel.path import Prediction
from netmodel.path.from_records import ADAPTER_CAPACITY, usual_mtus
from netmodel.path.limits import PUBLISHED
from netmodel.path.over_distance import window_notes
from netmodel.path.stages import ADAPTER_STAGES
from netmodel.planning.demand import CONNECTIONS, FULL_RATIO, Demand, Headroom, bound_of, planned
from netmodel.planning.flows import Flow
from netmodel.text import RESULT_DIGITS, few_names, fixed_percent, percent_text, span_text
from netmodel.units import format_rate

CARRIED_DIGITS = 3
"""Of what adapters carry: those that published rates have."""
_DIGITS = 4
"""Significant digits of counts of CPUs: one more than the times that they come from have."""
_TOO_LONG = 1e15
"""Floats have whole digits up to here."""
_SPEED = re.compile(r" [0-9.]+ (GbE|Gigabit Ethernet)$")
"""End of the titles of adapters, which a sentence about rates leaves out."""
_CORES = {f"{side.value}_cpus": f"{side.value} cores" for side in Side}
"""The CPUs of a side, as people call them."""
_OF_CONNECTIONS = ("window", "loss", PUBLISHED, CONNECTIONS)
"""Limits that are no capacity: of what connections reach, all may be planned."""
_GIVE_A_COST = 'give their cost, such as "0.16 cores/(Gbit/s)"'


def plain_number(value: float) -> str:
    """Return a few digits, and all in front of the point while there are not too many."""
    is_whole = value >= 10**_DIGITS or float(value).is_integer()
    return f"{value:,.0f}" if is_whole and value < _TOO_LONG else f"{value:.{_DIGITS}g}"


def resource_text(name: str) -> str:
    """Return a resource as people call it: "server cores" for the CPUs of the server."""
    return _CORES.get(name, name)


def title_of(demand: Demand, side: Side) -> str:
    """Return the title of the adapter of a side, without its speed."""
    own = demand.server_adapter if side is Side.SERVER else demand.client_adapter
    titles = (_SPEED.sub("", each.title) for each in demand.records if each.id == own)
    return next(titles, "")


def amount_text(flow: Flow, ratio: float, digits: int = CARRIED_DIGITS) -> str:
    """Return a multiple of what a flow needs, in the unit in which that was given."""
    if flow.is_in_transactions:
        return f"{plain_number(float(f'{flow.transaction_rate_tps * ratio:.{digits}g}'))}/s"
    return format_rate(flow.payload_rate_bps * ratio, digits)


def beside_adapters(demand: Demand, headroom: Headroom, adapter_count: int) -> Iterator[str]:
    """Yield the stages, pools and connections that are too small for any number of adapters."""
    allowed = headroom.max_utilisation_ratio
    most = percent_text(allowed, CARRIED_DIGITS)
    # (1) stages and pools of CPUs, in the case that is planned
    shares, servers = demand.full_ratios(1), demand.server_counts
    for row, known in enumerate(demand.spread(shares)):
        need, each = planned(known), demand.resources[row]
        if each.is_of_adapters or not need > allowed * FULL_RATIO:
            continue
        # what is known to carry at least a rate may carry any
        busy, more = "would" if known.low else "may", ", however many adapters"
        busy = f"{each.name} {busy} be {fixed_percent(need, 1)}"
        if each.pool is not None:
            case = int(np.flatnonzero(shares[row] == need)[0])
            there = f"{servers[row, case]:g} {resource_text(each.name)}"
            busy, more = f"{plain_number(need * servers[row, case])} of {there} would be", ""
        yield f"{busy} busy, and {most} is allowed{more}"
    # (2) limits that a flow shares with no other: capacities per flow, and what connections reach
    for place in range(len(demand.flows)):
        for name, use in demand.flow_limits(place, adapter_count).items():
            share = planned(use)
            if share > FULL_RATIO * (1 if name in _OF_CONNECTIONS else allowed):
                yield _own_limit_text(demand, place, name, share, adapter_count, most)


def _own_limit_text(
    demand: Demand, place: int, name: str, use: float, adapter_count: int, allowed: str
) -> str:
    """Return the rate that a limit of one flow allows, in words."""
    flow, limits = demand.flows[place], demand.limited(place, adapter_count).all_limits
    expected = demand.expected_tps(place, adapter_count) if name == CONNECTIONS else None
    count, tps = flow.connection_count, flow.transaction_rate_tps
    many = "connections" if count is None else f"{count:,.9g} connections"
    whose = "one connection" if count == 1 else many
    if name not in _OF_CONNECTIONS:
        busy = f"{name.removesuffix(' of each connection')} would be {fixed_percent(use, 1)} busy"
        return f"{busy} with {whose} of {flow.name}, and {allowed} is allowed"
    subject = {
        "window": f"windows of {whose} allow",
        "loss": f"loss on {whose} allows",
        PUBLISHED: f"printed figures allow {whose}",
        CONNECTIONS: f"{whose} {'carries' if count == 1 else 'carry'}",
    }[name]
    if expected is None:
        limit = next(each for each in limits if each.name == name)
        ends, digits = (tps / use, float(limit.rate.value)), CARRIED_DIGITS
        sign = "about " if name == "loss" else "at most "
    else:
        # an expected value beyond the planned rate is refused for its range
        ends, digits, sign = (expected.low, expected.high), RESULT_DIGITS, ""
        if expected.value < tps:
            ends, sign = (expected.value, expected.value), "about "
    most = span_text(*(amount_text(flow, each / tps, digits) for each in ends))
    return f"{subject} {sign}{most} of {flow.name}"


def plan_notes(demand: Demand, adapter_count: int | None, printed: Iterable[str]) -> list[str]:
    """Return caveats and assumptions of a plan, most important first, each once."""
    path, predictions, load = demand.path, demand.predictions, demand.predictions[0].load
    assumed = [x for each in demand.flows if each.workload for x in each.workload.assumptions]
    notes = [
        *load.stack.transport_notes,
        *usual_mtu_notes(load.stack, load.mtu_bytes, usual_mtus(demand.records)),
        *_unlimited(predictions),
        *(note for each in predictions for note in each.path.mixed_notes),
        *(note for flow in demand.flows for note in flow.notes if note not in assumed),
        *(f"bounded by a document: {text}" for text in printed),
    ]
    for flow, each in zip(demand.flows, predictions, strict=True):
        notes += window_notes(each.path, each.traffic, flow.payload_rate_bps)
    if path.unknown:
        parts = path.unknown[0] if len(path.unknown) == 1 else f"{len(path.unknown)} parts"
        notes.append(f"lower bound: {parts} not modelled")
    notes += _missing_cpus(demand)
    notes += (text for each in predictions for text in each.limit_notes)
    uneven = dict.fromkeys(flow.name for flow in demand.flows if flow.connection_count is None)
    if uneven and adapter_count not in (None, 1):
        whose = few_names([*uneven], "flows")
        notes.append(f"number of connections not given for {whose}: assuming an even split")
    notes += (f"not modelled: {part}" for part in path.unknown if len(path.unknown) > 1)
    return [*dict.fromkeys((*notes, *assumed))]


def _unlimited(predictions: Sequence[Prediction]) -> Iterator[str]:
    """Yield a note on adapter directions in use that have no known limit."""
    names = [
        name
        for name, way in ADAPTER_STAGES.items()
        if name in predictions[0].demands
        and not any(each.demands[name] for each in predictions)
        and any(
            count.frame_count or count.ack_count
            for count in (each.load.counts[way] for each in predictions)
        )
    ]
    if names and not any(ADAPTER_CAPACITY in name for name in predictions[0].demands):
        is_all = len(names) == len(ADAPTER_STAGES)
        whose = "all adapters" if is_all else few_names(names, "adapter directions")
        yield f"limit of {whose} not known: planned at line rate"


def _missing_cpus(demand: Demand) -> Iterator[str]:
    """Yield which CPUs are not planned, and why."""
    path, own = demand.path, {each.name for each in demand.resources if each.pool}
    if without_model := [side.value for side in Side if not path.cpu_stages(side)]:
        yield f"CPUs of the {' and '.join(without_model)} not planned: {_GIVE_A_COST}"
    if unknown := [pool.name for pool in path.pools if pool.name not in own]:
        yield f"CPUs of {few_names(unknown, 'pools')} not planned: some service times not known"
    if any(pool.name in own and bound_of(pool, path) is Bound.LOWER for pool in path.pools):
        yield "CPU counts are lower bounds: see what is not modelled"
