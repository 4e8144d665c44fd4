"""``netmodel consumption``: a CPU cost in all units, in CPUs, and of two scenarios."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, TypeAlias, cast

import click

from netmodel._text import RESULT_DIGITS, percent_text
from netmodel.api._kinds import Cost, Frequency, Kind, Rate, Share, Size
from netmodel.api.arguments import ArgumentsError
from netmodel.cli._derived import answering
from netmodel.consumption import (
    ConsumptionUnit,
    CostChange,
    busy_cpu_count,
    consumption_change,
    consumption_ratio,
    from_us_per_gbit,
    parse_consumption_us_per_gbit,
    required_cpu_count,
    us_per_gbit_to_cycles_per_byte,
    us_per_gbit_to_gbps_per_core,
    us_per_gbit_to_ms_per_transaction,
)
from netmodel.consumption.cost import cost_ends
from netmodel.errors import UnitError
from netmodel.report.fields import fields_table
from netmodel.units import format_rate, parse_ratio

_Answer: TypeAlias = Mapping[str, Any]
_Times: TypeAlias = Annotated[str, Kind("ratio")]


def convert(
    cost: Cost,
    /,
    *,
    payload_bytes: Size | None = None,
    cpu_frequency_hz: Frequency | None = None,
) -> _Answer:
    """
    Print a CPU cost in all units.

    Of a range, such as "0.14..0.18 cores/(Gbit/s)", both ends.

    Parameters
    ----------
    payload_bytes : int or str, optional
        Payload of one message; of a transaction, request and response together. [byte]
    cpu_frequency_hz : float or str, optional
        Clock of the CPU, such as ``"5.2 GHz"``; for costs in cycles/byte. [Hz]
    """
    with_these = cast("int", payload_bytes), cast("float", cpu_frequency_hz)
    ends = [_in_all_units(end, *with_these) for end in cost_ends(cost)]
    if len(ends) == 1:
        return ends[0]
    pairs = {key: sorted(filter(None, (end[key] for end in ends))) for key in ends[0]}
    return {
        key: {"low": pair[0], "high": pair[-1]} if pair else None for key, pair in pairs.items()
    }


def _in_all_units(
    cost: str, transaction_bytes: int | None, cpu_frequency_hz: float | None
) -> dict[str, float | None]:
    """The cost by unit, None where that needs what is not given."""
    value = _us_per_gbit(cost, transaction_bytes, cpu_frequency_hz)
    of_data = {unit.name.lower(): from_us_per_gbit(value, unit) for unit in ConsumptionUnit}
    return of_data | {
        "gbps_per_core": us_per_gbit_to_gbps_per_core(value) if value else None,
        "ms_per_transaction": transaction_bytes
        and us_per_gbit_to_ms_per_transaction(value, transaction_bytes),
        "cycles_per_byte": cpu_frequency_hz
        and us_per_gbit_to_cycles_per_byte(value, cpu_frequency_hz),
    }


def cpus(
    cost: Cost,
    /,
    *,
    rate_bps: Rate,
    max_utilisation: Share = 1,
    payload_bytes: Size | None = None,
    cpu_frequency_hz: Frequency | None = None,
) -> _Answer:
    """
    Print how many CPUs a payload rate needs.

    Parameters
    ----------
    rate_bps : float or str
        Payload rate, such as ``"20 Gbit/s"``. [bit/s]
    max_utilisation : float or str
        Share of each stage that may be used; 1 by default.
    payload_bytes : int or str, optional
        Payload of one message; of a transaction, request and response together. [byte]
    cpu_frequency_hz : float or str, optional
        Clock of the CPU, such as ``"5.2 GHz"``; for costs in cycles/byte. [Hz]
    """
    with_these = cast("int", payload_bytes), cast("float", cpu_frequency_hz)
    us_per_gbit = _us_per_gbit(cost, *with_these)
    payload_bps, share = cast("float", rate_bps), cast("float", max_utilisation)
    return {
        "us_per_gbit": us_per_gbit,
        "busy_cpus": busy_cpu_count(us_per_gbit, payload_bps),
        "required_cpus": required_cpu_count(us_per_gbit, payload_bps, share),
        "payload_rate_bps": payload_bps,
        "max_utilisation_ratio": share,
    }


def _cpus_text(answer: _Answer, _: bool) -> Iterator[str]:
    rate = format_rate(answer["payload_rate_bps"], RESULT_DIGITS)
    count, use = answer["required_cpus"], percent_text(answer["max_utilisation_ratio"], 3)
    busy = f"{answer['busy_cpus']:.4g} busy"
    yield f"{rate} needs {count:,} CPU{'s' * (count != 1)} at {use} use; {busy}"


def compare(*, cpu_time_ratio: _Times, data_ratio: _Times) -> _Answer:
    """
    Compare the CPU cost of two scenarios.

    Parameters
    ----------
    cpu_time_ratio : str
        CPU time of the second scenario over that of the first, such as 1.1.
    data_ratio : str
        Data of the second scenario over those of the first, such as 1.1.
    """
    ratios = parse_ratio(cpu_time_ratio), parse_ratio(data_ratio)
    change = consumption_change(*ratios).value
    return {"consumption_ratio": consumption_ratio(*ratios), "change": change}


def _change_text(answer: _Answer, _: bool) -> Iterator[str]:
    ratio, change = f"{answer['consumption_ratio']:.9g}", answer["change"]
    times = "the same" if change == CostChange.EQUAL.value else f"{ratio} times the"
    yield f"The second takes {times} CPU time per data: {change} (c2 = {ratio} c1)"


consumption = click.Group(
    "consumption",
    commands=[
        answering(convert, lambda answer, _: (fields_table(answer.items()),)),
        answering(cpus, _cpus_text),
        answering(compare, _change_text),
    ],
    help="""CPU cost per data: convert, compare, CPUs needed.

    A COST is CPUs at a rate, "30 % of 8 CPUs at 9.4 Gbit/s", or has a unit: "100000 us/Gbit",
    "6.95 ms/MiB", "0.739 us/KiB" (what netperf calls us/KB), "0.0244 ms/transaction",
    "4.16 cycles/byte", "0.1 cores/(Gbit/s)", "10 (Gbit/s)/core".
    """,
)


def _us_per_gbit(text: str, transaction_bytes: int | None, cpu_frequency_hz: float | None) -> float:
    """The CPU cost in a text; where its unit needs an option, the error names it."""
    try:
        return parse_consumption_us_per_gbit(
            text, transaction_bytes=transaction_bytes, cpu_frequency_hz=cpu_frequency_hz
        )
    except UnitError:
        if "transaction" in text and transaction_bytes is None:
            problem = "give {payload_bytes}, the payload of one transaction"
        elif "cycles/byte" in text and cpu_frequency_hz is None:
            problem = "give {cpu_frequency_hz}, the clock of the CPU"
        else:
            raise
        raise ArgumentsError(f"{{text!r}}: {problem}", text=text) from None
