"""A CPU cost that was measured in another case: times the ratio that the cost model computes."""

from dataclasses import replace
from typing import TYPE_CHECKING

from netmodel._numeric import require_one
from netmodel._numpy import np
from netmodel.consumption import Side
from netmodel.consumption._cost import CpuCost
from netmodel.errors import ContradictionError
from netmodel.framing import Stack, tcp_stack
from netmodel.judging._compared_cases import parse_case
from netmodel.judging._compared_facts import COUNT
from netmodel.judging._cost_model import (
    ENDS,
    MESSAGE,
    MTU,
    RPS,
    cost_set,
    is_identified,
    measurement_of,
    traffic_of,
    with_message,
    work_of_traffic,
)
from netmodel.path import SpecifiedPath, Traffic

if TYPE_CHECKING:
    from netmodel.records import Adapter

CONDITIONS = ("workload", MESSAGE, MTU, COUNT, "adapter", *ENDS, RPS)
"""Conditions of the measurement that may differ from those of the question."""


def with_costs_of_case(
    path: SpecifiedPath,
    traffic: Traffic,
    mtu_bytes: float | None,
    stack: Stack | None = None,
    sending: Side | None = None,
) -> SpecifiedPath:
    """
    The path with CPU costs that were measured in another case carried to this one.

    Parameters
    ----------
    path : SpecifiedPath
        With a CPU cost of either side, or none.
    traffic : Traffic
        Of the question, with one number of connections.
    mtu_bytes : float, optional
        Of the question. [byte]
    stack : Stack, optional
        Headers of each frame, in both cases; TCP over IPv4 when left out.
    sending : Side, optional
        The side that sends more over the path; that of the traffic when left out.

    Raises
    ------
    ContradictionError
        If the question lacks what the measurement has, or the ratio of both costs is open.
    """
    if not path.has_cost_of_another_case:
        return path
    costs = {Side.CLIENT: path.client_cost, Side.SERVER: path.server_cost}
    carried = {
        side: _carried(path, cost, side, traffic, mtu_bytes, stack or tcp_stack(), sending)
        if cost is not None and cost.case
        else cost
        for side, cost in costs.items()
    }
    return replace(path, client_cost=carried[Side.CLIENT], server_cost=carried[Side.SERVER])


def _carried(
    path: SpecifiedPath,
    cost: CpuCost,
    side: Side,
    traffic: Traffic,
    mtu_bytes: float | None,
    stack: Stack,
    sending: Side | None,
) -> CpuCost:
    case = parse_case(cost.case)
    if mtu_bytes is None:
        raise ContradictionError(
            f"the CPU cost of the {side.value} was measured with {cost.case}: give the MTU"
        )
    given = traffic.connection_count
    if given is not None and np.asarray(given).size > 1:
        raise ContradictionError(
            f"the CPU cost of the {side.value} was measured with {cost.case}: ask for one number "
            "of connections at a time"
        )
    count = 0 if given is None else int(require_one("connections", given))
    if COUNT in case and not count:
        raise ContradictionError(
            f"the CPU cost of the {side.value} was measured with {cost.case}: give the connections"
        )
    # (1) what was exchanged in the measurement, over which adapter
    size = case.get(MESSAGE)
    measured = with_message(traffic, size if isinstance(size, int) else None)
    if "workload" in case:
        of_workload = traffic_of(case)
        if of_workload is None:
            raise ContradictionError(
                f"the CPU cost of the {side.value} was measured with {cost.case}: that workload "
                "has a range of sizes; give one with message=SIZE"
            )
        measured = of_workload
    own = _adapter_id(path.adapters(sending or traffic.sender), side)
    role = ENDS[side is not measured.sender]
    adapter = str(case.get(role, case.get("adapter", own)))
    # (2) demands of both cases, and the ratio that printed ratios leave
    own_mtu, other_mtu = int(mtu_bytes), int(str(case.get(MTU, int(mtu_bytes))))
    other_count = int(str(case.get(COUNT, count)))
    subject = work_of_traffic(traffic, side, own, own_mtu, count, stack)
    baseline = work_of_traffic(
        measured, side, adapter, other_mtu, other_count, stack, is_steered=bool(case.get(RPS))
    )
    known = cost_set()
    ratio = known.expected(subject, baseline)
    if not is_identified(ratio):
        raise ContradictionError(
            f"the CPU cost of the {side.value} with {cost.case} leaves that of this case open: "
            f"measure {measurement_of(known.least_known(subject, baseline))}"
        )
    ratios = (ratio.value, ratio.low, ratio.high)
    return cost.carried_to(float(measured.exchanged_bytes), ratios)


def _adapter_id(ends: "tuple[Adapter | None, Adapter | None]", side: Side) -> str:
    """Id of the adapter of a side; nothing where the path has none."""
    adapter = ends[side is Side.SERVER]
    return "" if adapter is None else adapter.id
