"""``netmodel consumption`` and ``netmodel rps``: what CPUs spend, and which ones."""

from typing import Annotated, Any, TypeAlias

import click

import netmodel.consumption as costs
from netmodel.api.arguments import refusing
from netmodel.api.kinds import RATE, SHARE, SIZE, Cost, Kind
from netmodel.cli._derived import Stated, answering
from netmodel.errors import DomainError
from netmodel.text import RESULT_DIGITS, number_text, percent_text
from netmodel.tuning import encode_rps_mask, parse_cpu_list
from netmodel.units import format_rate, parse_frequency_hz, parse_ratio

_Bytes: TypeAlias = Annotated[int, SIZE]
_Clock: TypeAlias = Annotated[float, Kind("frequency", parse=parse_frequency_hz)]
_Rate: TypeAlias = Annotated[float, RATE]
_Share: TypeAlias = Annotated[float, SHARE]
_Times: TypeAlias = Annotated[float, Kind("ratio", parse=parse_ratio)]


def convert(
    cost: Cost, /, *, payload_bytes: _Bytes | None = None, cpu_frequency_hz: _Clock | None = None
) -> Stated:
    """
    Print a CPU cost in all units.

    Parameters
    ----------
    payload_bytes : int or str, optional
        Payload of one message; of a transaction, request and response together. [byte]
    cpu_frequency_hz : float or str, optional
        Clock of the CPU, such as ``"5.2 GHz"``; for costs in cycles/byte. [Hz]
    """
    value = costs.parse_consumption_us_per_gbit(
        cost, transaction_bytes=payload_bytes, cpu_frequency_hz=cpu_frequency_hz
    )
    data = costs.consumption_by_unit(value, payload_bytes, cpu_frequency_hz)
    return Stated(f"{cost} is {number_text(value)} µs/Gbit.", data)


def cpus(
    cost: Cost, /, *, rate_bps: _Rate, max_utilisation: _Share = 1, **units: Annotated[Any, convert]
) -> Stated:
    """
    Print how many CPUs a payload rate needs.

    Parameters
    ----------
    rate_bps : float or str
        Payload rate, such as ``"20 Gbit/s"``. [bit/s]
    max_utilisation : float or str
        Share of each stage that may be used; 1 by default.
    """
    us_per_gbit = convert(cost, **units).data["us_per_gbit"]
    count = costs.required_cpu_count(us_per_gbit, rate_bps, max_utilisation)
    data = {
        "us_per_gbit": us_per_gbit,
        "busy_cpus": costs.busy_cpu_count(us_per_gbit, rate_bps),
        "required_cpus": count,
        "payload_rate_bps": rate_bps,
        "max_utilisation_ratio": max_utilisation,
    }
    needs = f"{format_rate(rate_bps, RESULT_DIGITS)} needs {count:,} CPU{'s' * (count != 1)}"
    use = f"{percent_text(max_utilisation, 3)} use; {number_text(data['busy_cpus'])} busy"
    return Stated(f"{needs} at {use}.", data)


def compare(*, cpu_time_ratio: _Times, data_ratio: _Times) -> Stated:
    """
    Compare the CPU cost of two scenarios.

    Parameters
    ----------
    cpu_time_ratio : str
        CPU time of the second scenario over that of the first, such as 1.1.
    data_ratio : str
        Data of the second scenario over those of the first, such as 1.1.
    """
    ratio = float(costs.consumption_ratio(cpu_time_ratio, data_ratio))
    change = "equal" if ratio == 1 else "higher" if ratio > 1 else "lower"
    text = number_text(ratio)
    sentence = f"The second takes {text} times the CPU time per data: {change} (c2 = {text} c1)."
    data = {"consumption_ratio": ratio, "change": change}
    return Stated(sentence, data, stated=(*data,))


def encode(*, cpu_list: Annotated[str, Kind("list", "cpus")]) -> Stated:
    """
    Print the mask that steers packets to some CPUs.

    Parameters
    ----------
    cpu_list : str
        CPUs, such as ``"0,1,3,6"`` or ``"0-7"``.
    """
    with refusing("cpu_list", DomainError):
        cpus = parse_cpu_list(cpu_list)
    mask = encode_rps_mask(cpus)
    return Stated(mask, {"mask": mask, "cpus": list(cpus)}, stated=("mask", "cpus"))


@click.group(commands=[answering(question) for question in (convert, cpus, compare)])
def consumption() -> None:
    """CPU cost per data: convert, compare, CPUs needed.

    A COST is CPUs at a rate, "30 % of 8 CPUs at 9.4 Gbit/s", or has a unit: "100000 us/Gbit",
    "6.95 ms/MiB", "0.739 us/KiB" (what netperf calls us/KB), "0.0244 ms/transaction",
    "4.16 cycles/byte", "0.1 cores/(Gbit/s)", "10 (Gbit/s)/core".
    """


@click.group(commands=[answering(encode)])
def rps() -> None:
    """Encode a mask of CPUs for packet steering.

    Receive packet steering (RPS) spreads the packets of a receive queue over CPUs. A mask, as in
    rps_cpus of a queue, is hexadecimal, CPU 0 the lowest bit, with a comma between groups of 32
    bits. What steering gains is a question to netmodel compare: rps=off against rps=on.
    """
