"""The sentence that a plan begins with: whether one adapter is enough, and what is needed."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from netmodel._estimates import ABOUT_RATIO, Bound, Predicted
from netmodel._text import RESULT_DIGITS, percent_text, range_text
from netmodel.consumption import Side
from netmodel.path._from_records import ADAPTER_STAGES
from netmodel.path._path import DIRECTION_AT, LINE_STAGES
from netmodel.planning._flows import Flow
from netmodel.planning._resources import Corner
from netmodel.units import format_rate
from netmodel.units._prefixes import WHOLE_PERCENT

if TYPE_CHECKING:
    from netmodel.planning._carried import Carried
    from netmodel.planning._plan import Plan, PoolNeed

BUSY_DIGITS = 3
"""Of busy CPUs in a sentence: one more than the costs of the field repeat to."""
CARRIED_DIGITS = 3
"""Of what adapters carry: those that published rates have."""
_DIGITS = 4
"""Significant digits of counts of CPUs: one more than the times that they come from have."""
_TOO_LONG = 1e15
"""Floats have whole digits up to here."""
_NARROW = float(ABOUT_RATIO)
"""Ranges within it are what rounding and repeated runs leave."""
_FEW = 10
"""With this many adapters or more, one more or less is within the rounding of the rate of one."""
_CORES = {f"{side.value}_cpus": f"{side.value} cores" for side in Side}
"""The CPUs of a side, as people call them."""
OF_CORNER = {
    Corner.WORST: "the least favourable parameters",
    Corner.VALUE: "the least favourable that published figures leave",
    Corner.BEST: "the most favourable parameters",
}
"""What a plan takes where parameters leave a range."""
_WORDS = {1: "one", 2: "two"}
"""Small numbers of failures, as words."""


def resource_text(name: str) -> str:
    """A resource as people call it: "server cores" for the CPUs of the server."""
    return _CORES.get(name, name)


def answer_text(plan: "Plan") -> str:
    """
    What a plan answers: yes or no, what one adapter carries, the count, and the CPUs.

    Yes or no is for one adapter at each side without spares, or for those that are available.
    A plan that does not hold begins with the reason.
    """
    adapters, cpus = _adapters_text(plan), _cpu_text(plan)
    of_sides = tuple(f"{pool.name} " for pool in plan.cpu_needs)
    sentences = [text for text in plan.shortfalls if not text.startswith(of_sides)]
    if plan.chosen_count is None:
        sentences[-1] = _none_text(plan)
    elif plan.is_short_of_adapters:
        sentences[-1:] = []  # the sentence on adapters says it
        sentences.insert(0, adapters)
    if any(text.startswith(of_sides) for text in plan.shortfalls):
        sentences.append(cpus)
    sentences += [adapters, _other_side_text(plan), _reached_text(plan), cpus]
    if plan.holds and plan.expected is None:
        sentences.append("this rests on upper bounds of rates: more may be needed")
    first, *others = dict.fromkeys(filter(None, sentences))
    return " ".join([f"{_verdict(plan)}: {first}.", *(f"{_capital(text)}." for text in others)])


def _verdict(plan: "Plan") -> str:
    """Whether one adapter is enough, or those that are available are."""
    fits = plan.adapters_available is not None or plan.corner.of(_without_spares(plan)) <= 1
    return "Yes" if plan.holds and fits else "No"


def _capital(text: str) -> str:
    """The same as a sentence of its own, unless it begins with a name."""
    is_word = text.startswith(("one ", "no ", "the ", "this ", "printed "))
    return text[:1].upper() + text[1:] if is_word else text


def _without_spares(plan: "Plan") -> Predicted[float]:
    counts = plan.count_without_spares
    return plan.adapter_count if counts is None else counts


# Adapters


def _adapters_text(plan: "Plan") -> str:
    """What one adapter carries, or those that are available do, and how many are needed."""
    counted = 1 if plan.adapters_available is None else plan.adapters_available
    carried = plan.carries(counted)
    needed = _counts_text(plan)
    if carried is None:
        return needed
    verb = "carries" if counted == 1 else "carry"
    text = f"{_carrier(plan, carried)} {verb} {_carried_text(plan, carried)}"
    if plan.adapters_available is None:
        # the share that may be used matters where all of it would be enough
        if not _holds_one(plan) and _planned_ratio(plan, carried) >= 1:
            text += f", {_rate_text(plan, carried, _share(plan))} {_use(_share(plan))}"
    elif plan.is_short_of_adapters:
        text += _lack_text(plan, carried)
    use = f" {_use(plan.headroom.after_failure_ratio)}"
    if use in text:
        needed = needed.removesuffix(use)  # said before
    if needed and plan.shortfalls and not plan.is_short_of_adapters:
        needed = f"of adapters {needed}"  # they are not what lacks
    return f"{text}; {needed}" if needed else text


def _other_side_text(plan: "Plan") -> str:
    """Adapters of the side that is not asked for, where it needs more; else empty."""
    if plan.asked_side is None or plan.chosen_count is None:
        return ""
    other = plan.asked_side.other
    count = plan.corner.of(plan.side_counts[other])
    if count <= plan.chosen_count:
        return ""
    number = plain_number(count) if math.isfinite(count) else "more than any number of"
    return f"the {other.value} needs {number} adapters of its own"


def _reached_text(plan: "Plan") -> str:
    """That connections need more adapters than bounds do; empty where they do not."""
    bounds, expected = plan.count_by_bounds, plan.count_without_spares
    if bounds is None or expected is None or plan.chosen_count is None:
        return ""
    fewer, enough = (int(plan.corner.of(each)) for each in (bounds, expected))
    if enough <= fewer:
        return ""
    noun = "adapter" if fewer == 1 else "adapters"
    return (
        f"the connections are expected to reach the rate over {enough:,} adapters, and over "
        f"{fewer:,} {noun} less"
    )


def _holds_one(plan: "Plan") -> bool:
    return plan.corner.of(_without_spares(plan)) <= 1


def _share(plan: "Plan") -> float:
    return plan.headroom.max_utilisation_ratio


def _lack_text(plan: "Plan", carried: "Carried") -> str:
    """What those that are available carry as they may be used, also after failures."""
    available, headroom = carried.adapter_count, plan.headroom
    if plan.corner.of(_without_spares(plan)) > available:
        return f", {_rate_text(plan, carried, _share(plan))} {_use(_share(plan))}"
    left = plan.carries(available - headroom.spare_count)
    failures = f"after {_failures(headroom.spare_count)}"
    if left is None:
        return f", and none is left {failures}"
    after = headroom.after_failure_ratio
    return f", {_rate_text(plan, left, after)} {failures} {_use(after)}"


def _carrier(plan: "Plan", carried: "Carried") -> str:
    """The number and name of what carries it: adapters, pairs of adapters, or lines of the path."""
    adapters = {Side.CLIENT: plan.client_adapter, Side.SERVER: plan.server_adapter}
    if plan.asked_side is not None:
        adapters = {plan.asked_side: adapters[plan.asked_side]}
    ids = [*dict.fromkeys(filter(None, adapters.values()))]
    number = "one" if carried.adapter_count == 1 else f"{carried.adapter_count:,}"
    plural = "s" * (carried.adapter_count != 1)
    if len(ids) > 1:
        name = f"{number} pair{plural} of {' and '.join(ids)}"
    elif ids:
        name = f"{number} {ids[0]}"
    else:
        noun = "line" if carried.binding in LINE_STAGES else "adapter"
        return f"{number} {noun}{plural} of {plan.path or 'the path'}"
    return f"{name} over {plan.path}" if plan.path else name


def _carried_text(plan: "Plan", carried: "Carried") -> str:
    """The upper bound, its direction, the MTU, and for what it is planned where that is less."""
    where, limit = _direction_text(plan, carried)
    over = "" if plan.distance is None else f" over {plan.distance}"
    aside = "; ".join(filter(None, (limit, _planned_text(plan, carried))))
    aside = aside and f" ({aside})"
    ratio = carried.demand_ratio.value
    rate = f"at most {_amount_text(plan, ratio)}" if math.isfinite(ratio) else "any rate"
    return f"{rate}{where} at MTU {plan.mtu_bytes:g}{over}{aside}"


def _rate_text(plan: "Plan", carried: "Carried", share: float = 1.0) -> str:
    """What is planned in this share of full use; a bare number in the unit of the upper bound."""
    upper = carried.demand_ratio.value
    whole = _amount_text(plan, upper) if math.isfinite(upper) else ""
    part = _amount_text(plan, _planned_ratio(plan, carried) * share)
    number, _, unit = part.partition(" ")
    return number if unit and whole.endswith(f" {unit}") else part


def _planned_ratio(plan: "Plan", carried: "Carried") -> float:
    """The share of the demand for which the plan is made, without what rounding leaves."""
    ratio, is_wide = carried.demand_ratio, _is_wide(plan, carried)
    if plan.corner is Corner.BEST:
        return ratio.high if is_wide else ratio.value
    return ratio.low if is_wide and plan.corner is Corner.WORST else carried.smallest_ratio


def _is_wide(plan: "Plan", carried: "Carried") -> bool:
    """Whether the range is more than rounding leaves, or changes the count."""
    ratio, counts = carried.demand_ratio, _without_spares(plan)
    least, most = (1 - _NARROW) * ratio.value, (1 + _NARROW) * ratio.value
    is_narrow = least <= ratio.low and ratio.high <= most
    return not is_narrow or (counts.low != counts.high and counts.low < _FEW)


def _amount_text(plan: "Plan", ratio: float) -> str:
    """A share of the demand, as a rate where it is a single flow."""
    flow, *others = plan.flows
    if not others:
        return amount_text(flow, ratio)
    digits = _digits(ratio)
    if ratio > 1:
        return f"{ratio:,.{digits}g} times the mix"
    return f"{WHOLE_PERCENT * ratio:.{digits}g} % of the mix"


def amount_text(flow: Flow, ratio: float) -> str:
    """A multiple of what a flow needs, in the unit in which that was given."""
    digits = _digits(ratio)
    if flow.is_in_transactions:
        return f"{plain_number(float(f'{flow.transaction_rate_tps * ratio:.{digits}g}'))}/s"
    return format_rate(flow.payload_rate_bps * ratio, digits)


def _digits(ratio: float) -> int:
    """More digits than usual where those show no difference from the whole demand."""
    is_near = 0 < abs(ratio - 1) < 10.0 ** (1 - CARRIED_DIGITS)
    return RESULT_DIGITS if is_near else CARRIED_DIGITS


def _direction_text(plan: "Plan", carried: "Carried") -> tuple[str, str]:
    """Where the payload goes, as seen from the server; and what limits it, if not an adapter."""
    limit = "line rate" if carried.binding in LINE_STAGES else carried.binding
    if len(plan.flows) > 1:
        return "", limit
    (flow,) = plan.flows
    side, direction = carried.side, carried.direction
    is_of_payload = DIRECTION_AT[side, direction] == DIRECTION_AT[flow.sender, "out"]
    if not is_of_payload:
        return (" in" if flow.sender is Side.CLIENT else " out"), limit
    if side is Side.SERVER:
        where = f" {direction}"
    else:
        where = " into the client" if direction == "in" else " out of the client"
    return where, "" if carried.binding in ADAPTER_STAGES else limit


def _planned_text(plan: "Plan", carried: "Carried") -> str:
    """For what the plan is made; empty where that is the upper bound, but for rounding."""
    ratio = _planned_ratio(plan, carried)
    if not math.isfinite(ratio):
        return f"planned with any rate, {OF_CORNER[plan.corner]}"
    upper, planned = carried.demand_ratio.value, _amount_text(plan, ratio)
    if math.isfinite(upper) and planned == _amount_text(plan, upper):
        return ""
    rate = _rate_text(plan, carried) if len(plan.flows) == 1 else planned
    return f"planned with {rate}, {OF_CORNER[plan.corner]}"


def _corner_text(plan: "Plan") -> str:
    return "" if plan.corner is Corner.VALUE else f", planned for the {plan.corner.value}"


def _counts_text(plan: "Plan") -> str:
    """Adapters at each side without spares, and with them; empty where no number is enough."""
    count, headroom = plan.chosen_count, plan.headroom
    if count is None:
        return ""
    fewest = int(plan.corner.of(_without_spares(plan)))
    enough = "one is enough" if fewest == 1 else f"you need {fewest:,}"
    spare_count, after = headroom.spare_count, headroom.after_failure_ratio
    if not spare_count:
        return f"{enough} {_use(_share(plan))}"
    failures = _failures(spare_count)
    of_failure = "" if after == _share(plan) else f" {_use(_share(plan))}"
    if count == fewest:
        return f"{enough}{of_failure}, also after {failures} {_use(after)}"
    return f"{enough}{of_failure}, or {count:,} to survive {failures} {_use(after)}"


def _none_text(plan: "Plan") -> str:
    """Why no number of adapters is enough."""
    counts = {flow.connection_count for flow in plan.flows} - {None}
    over = ""
    if len(counts) == 1:
        (count,) = counts
        over = f" over {count:,.9g} connection{'s' * (count != 1)}"
    return (
        f"no number of adapters is enough{over}: one of them has more of the load than it may "
        f"carry {_use(_share(plan))}"
    )


def _use(share: float) -> str:
    return f"at {percent_text(share, CARRIED_DIGITS)} use" if share < 1 else "at full use"


def _failures(count: int) -> str:
    number = _WORDS.get(count, f"{count:,}")
    return f"{number} failure{'s' * (count != 1)}"


# CPUs


def _cpu_text(plan: "Plan") -> str:
    """Cores that each side needs; empty where none are planned."""
    needs = ", and ".join(_cpu_needs(plan))
    if not needs:
        return ""
    flow, *others = plan.flows
    if others:
        return f"the demand needs {needs}"
    if flow.is_in_transactions:
        return f"{plain_number(flow.transaction_rate_tps)}/s of {flow.name} needs {needs}"
    rate = format_rate(flow.payload_rate_bps, RESULT_DIGITS)
    return f"{rate} of {flow.name} needs {needs}"


def _cpu_needs(plan: "Plan") -> Iterator[str]:
    """Cores that each side needs with headroom and spares, and those that are busy."""
    for pool in plan.cpu_needs:
        cores, number = plan.corner.of(pool.core_count), busy_number(pool)
        sign = "at least " if pool.core_count.bound is Bound.LOWER else ""
        noun = f"{pool.of_side} {pool.unit}{'s' * (cores != 1)}"
        spare_count = plan.headroom.spare_core_count
        spares = f", {spare_count:,} of which may fail" if spare_count else ""
        # what is busy has a name of its own where it is threads of cores
        busy = f"{pool.time_basis}s busy" if pool.time_basis != pool.unit else "busy"
        of_cores = counts_range_text(pool.core_count)
        of_cores = of_cores and f" ({of_cores}{_corner_text(plan)})"
        of_busy = counts_range_text(pool.busy_count, BUSY_DIGITS)
        of_busy = of_busy and f" ({of_busy})"
        lack, present = "", pool.present_count
        if present is not None and _is_short(plan, pool):
            verb = "is" if present == 1 else "are"
            lack = f", and {plain_number(present)} {verb} not enough"
        yield (
            f"{sign}{plain_number(cores)} {noun}{of_cores} {_use(_share(plan))}{spares}, "
            f"{plain_number(number)} {busy}{of_busy}{lack}"
        )


def _is_short(plan: "Plan", pool: "PoolNeed") -> bool:
    """Whether the plan does not hold for want of these CPUs."""
    return any(text.startswith(f"{pool.name} ") for text in plan.shortfalls)


# Numbers


def busy_number(pool: "PoolNeed") -> float:
    """Return busy CPUs to the digits of a sentence; their range stands beside."""
    return float(f"{pool.busy_count.value:.{BUSY_DIGITS}g}")


def plain_number(value: float) -> str:
    """A few digits of it, and all in front of the point while there are not too many."""
    is_whole = value >= 10**_DIGITS or float(value).is_integer()
    return f"{value:,.0f}" if is_whole and value < _TOO_LONG else f"{value:.{_DIGITS}g}"


def counts_range_text(counts: Predicted[float], digits: int | None = None) -> str:
    """Both ends, to significant digits if given; empty where they are printed alike."""
    ends = (
        end if digits is None or not math.isfinite(end) else float(f"{end:.{digits}g}")
        for end in (counts.low, counts.high)
    )
    low, high = (plain_number(end) if math.isfinite(end) else "none" for end in ends)
    return "" if low == high else range_text(low, high)
