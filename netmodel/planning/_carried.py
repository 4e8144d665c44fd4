"""What one adapter at each side carries of a demand, in full use."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from netmodel.consumption import Side
from netmodel.estimates import Bound, Predicted
from netmodel.path._from_records import ADAPTER_STAGES
from netmodel.path._path import DIRECTION_AT, LINE_STAGES
from netmodel.planning._flows import Flow
from netmodel.planning._resources import TIE_DIGITS, Resource, largest
from netmodel.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried(Result):
    """
    What one adapter at each side carries of a demand, in full use.

    Parameters
    ----------
    demand_ratio : Predicted
        Share of the demand, an upper bound as that of a prediction: the highest that parameters
        leave open, with published figures as printed. Above 1 where they carry more.
    payload_rate_bps : Predicted
        The share as payload of the sides that send more, all flows together. [bit/s]
    binding : str
        The stage that bounds it.
    side : Side
        Whose adapters, or whose end of the line; the server where both.
    direction : str
        ``"in"`` or ``"out"``, as seen from the host of that side.
    """

    demand_ratio: Predicted[float]
    payload_rate_bps: Predicted[float]
    binding: str
    side: Side
    direction: str

    json_keys = (
        "value=payload_rate_bps.value low=payload_rate_bps.low high=payload_rate_bps.high "
        "bound=payload_rate_bps.bound demand_ratio binding side direction"
    )


def carried(flows: Sequence[Flow], of_adapters: Sequence[Resource]) -> Carried:
    r"""
    Return what one adapter carries of the flows: a share :math:`1 / \max_r L_r` of each.

    Parameters
    ----------
    flows : sequence of Flow
        The demand.
    of_adapters : sequence of Resource
        Stages that each adapter brings, of which L is the use.
    """
    cases = [each.use_ratios(1) for each in of_adapters]
    most = largest([each.needed(uses) for each, uses in zip(of_adapters, cases, strict=True)])
    quoted = [
        min(use for use, is_printed in zip(uses, each.are_printed, strict=True) if is_printed)
        for each, uses in zip(of_adapters, cases, strict=True)
    ]
    # of stages that tie, the line is what is known
    scarcest, _ = max(
        zip(of_adapters, quoted, strict=True),
        key=lambda pair: (round(pair[1], TIE_DIGITS), pair[0].name in LINE_STAGES),
    )
    value, low, high = (1 / use if use else math.inf for use in (max(quoted), most.high, most.low))
    ratio = Predicted(value, low, high, Bound.UPPER)
    rate_bps = sum(flow.payload_rate_bps for flow in flows)
    side, direction = _place(scarcest, flows)
    return Carried(
        demand_ratio=ratio,
        payload_rate_bps=ratio.scaled(rate_bps),
        binding=scarcest.name,
        side=side,
        direction=direction,
    )


def _place(resource: Resource, flows: Sequence[Flow]) -> tuple[Side, str]:
    """Side and direction of a stage; the server's end of a line, where flows send most."""
    if resource.name in ADAPTER_STAGES and resource.side is not None:
        return resource.side, resource.name.rpartition("_")[2]
    side = Side.SERVER if resource.side is None else resource.side
    if len(resource.directions) == 1:
        return side, "in" if DIRECTION_AT[side, "in"] in resource.directions else "out"
    sent_bps = dict.fromkeys(Side, 0.0)
    for flow in flows:
        sent_bps[flow.sender] += flow.payload_rate_bps
    is_in = Side.sending_more(sent_bps[Side.CLIENT], sent_bps[Side.SERVER]) is Side.CLIENT
    return side, "in" if is_in is (side is Side.SERVER) else "out"
