"""``netmodel consumption``."""

import click

from netmodel._text import RESULT_DIGITS, percent_text
from netmodel.cli._console import print_json
from netmodel.cli._ids import Choice
from netmodel.cli._options import (
    RATE,
    RATIO,
    SIZE,
    TIME,
    cpu_frequency_option,
    json_option,
    max_utilisation_option,
    transaction_size_option,
)
from netmodel.consumption import (
    ConsumptionUnit,
    CostChange,
    CpuScope,
    Side,
    busy_cpu_count,
    consumption_change,
    consumption_ratio,
    consumption_us_per_gbit,
    from_us_per_gbit,
    parse_consumption_us_per_gbit,
    required_cpu_count,
    scaled_consumption_us_per_gbit,
    us_per_gbit_to_cycles_per_byte,
    us_per_gbit_to_gbps_per_core,
    us_per_gbit_to_ms_per_transaction,
)
from netmodel.consumption._cost import cost_ends
from netmodel.errors import UnitError
from netmodel.report import text_table
from netmodel.units import BITS_PER_BYTE, format_rate

_JSON_KEYS = {
    ConsumptionUnit.US_PER_GBIT: "us_per_gbit",
    ConsumptionUnit.MS_PER_MB: "ms_per_mb",
    ConsumptionUnit.MS_PER_MIB: "ms_per_mib",
    ConsumptionUnit.MS_PER_GB: "ms_per_gb",
    ConsumptionUnit.US_PER_KIB: "us_per_kib",
    ConsumptionUnit.CORES_PER_GBPS: "cores_per_gbps",
}


@click.group()
def consumption() -> None:
    """CPU cost per data: of a run, conversions, CPUs needed.

    A cost is written with its unit: "100000 us/Gbit", "6.95 ms/MiB", "0.739 us/KiB" (what
    netperf calls us/KB), "0.0244 ms/transaction", "4.16 cycles/byte", "0.1 cores/(Gbit/s)",
    "10 (Gbit/s)/core".
    """


@consumption.command()
@click.option("--cpu-time", "cpu_time_s", type=TIME, required=True, help="CPU time of the run.")
@click.option(
    "--data", "data_bytes", type=SIZE, required=True, help="Payload of the run, such as 100Gbit."
)
@click.option(
    "--scope",
    type=Choice([scope.value for scope in CpuScope]),
    help="Scope of the CPU time.",
)
@click.option(
    "--side", type=Choice([side.value for side in Side]), help="Side that spent the CPU time."
)
@json_option
def cost(
    cpu_time_s: float, data_bytes: int, scope: str | None, side: str | None, as_json: bool
) -> None:
    """Print the CPU cost of a run from its CPU time and payload."""
    us_per_gbit = consumption_us_per_gbit(cpu_time_s, data_bytes * BITS_PER_BYTE)
    if as_json:
        print_json({"us_per_gbit": us_per_gbit, "scope": scope, "side": side})
    else:
        counted = ", ".join(filter(None, (scope, side)))
        click.echo(f"{us_per_gbit:.9g} µs/Gbit{f' ({counted})' if counted else ''}")


@consumption.command()
@click.argument("value", metavar="COST")
@transaction_size_option
@cpu_frequency_option
@json_option
def convert(
    value: str, transaction_bytes: int | None, cpu_frequency_hz: float | None, as_json: bool
) -> None:
    """Print a CPU cost in all units.

    Of a range, such as "0.14..0.18 cores/(Gbit/s)", both ends.
    """
    first, *rest = (
        _in_all_units(
            _read_us_per_gbit(end, transaction_bytes, cpu_frequency_hz),
            transaction_bytes,
            cpu_frequency_hz,
        )
        for end in cost_ends(value)
    )
    if as_json and not rest:
        print_json({key: number for key, (_, number) in first.items()})
        return
    ends = {key: [number, *(other[key][1] for other in rest)] for key, (_, number) in first.items()}
    known = {
        key: sorted(number for number in numbers if number is not None)
        for key, numbers in ends.items()
    }
    if as_json:
        print_json(
            {
                key: {"low": ends[0], "high": ends[-1]} if ends else None
                for key, ends in known.items()
            }
        )
        return
    rows = [
        (*(f"{number:.9g}" for number in numbers), first[key][0])
        for key, numbers in known.items()
        if numbers
    ]
    click.echo(text_table(rows, right_aligned=range(1 + len(rest))))


def _in_all_units(
    us_per_gbit: float, transaction_bytes: int | None, cpu_frequency_hz: float | None
) -> dict[str, tuple[str, float | None]]:
    """Unit and number by key of the JSON, None where that needs what is not given."""
    per_core = us_per_gbit_to_gbps_per_core(us_per_gbit) if us_per_gbit else None
    per_transaction = (
        us_per_gbit_to_ms_per_transaction(us_per_gbit, transaction_bytes)
        if transaction_bytes
        else None
    )
    cycles = (
        us_per_gbit_to_cycles_per_byte(us_per_gbit, cpu_frequency_hz) if cpu_frequency_hz else None
    )
    return {
        **{
            key: (unit.value, from_us_per_gbit(us_per_gbit, unit))
            for unit, key in _JSON_KEYS.items()
        },
        "gbps_per_core": ("(Gbit/s)/core", per_core),
        "ms_per_transaction": ("ms/transaction", per_transaction),
        "cycles_per_byte": ("cycles/byte", cycles),
    }


@consumption.command()
@click.option(
    "--cpu-time-ratio",
    type=RATIO,
    required=True,
    help="CPU time of the second scenario over that of the first, such as 1.1.",
)
@click.option(
    "--data-ratio",
    type=RATIO,
    required=True,
    help="Data of the second scenario over those of the first, such as 1.1.",
)
@click.option(
    "--cost", "first", metavar="COST", help="CPU cost of the first scenario, with its unit."
)
@transaction_size_option
@cpu_frequency_option
@json_option
def compare(
    cpu_time_ratio: float,
    data_ratio: float,
    first: str | None,
    transaction_bytes: int | None,
    cpu_frequency_hz: float | None,
    as_json: bool,
) -> None:
    """Compare the CPU cost of two scenarios."""
    change = consumption_change(cpu_time_ratio, data_ratio)
    ratio = consumption_ratio(cpu_time_ratio, data_ratio)
    first_us_per_gbit = second_us_per_gbit = None
    if first is not None:
        first_us_per_gbit = _read_us_per_gbit(first, transaction_bytes, cpu_frequency_hz)
        second_us_per_gbit = scaled_consumption_us_per_gbit(
            first_us_per_gbit, cpu_time_ratio, data_ratio
        )
    if as_json:
        print_json(
            {
                "consumption_ratio": ratio,
                "change": change.value,
                "first_us_per_gbit": first_us_per_gbit,
                "second_us_per_gbit": second_us_per_gbit,
            }
        )
        return
    times = "the same" if change is CostChange.EQUAL else f"{ratio:.9g} times the"
    click.echo(f"The second takes {times} CPU time per data: {change.value} (c2 = {ratio:.9g} c1)")
    if second_us_per_gbit is not None:
        click.echo(f"{first_us_per_gbit:.9g} µs/Gbit becomes {second_us_per_gbit:.9g} µs/Gbit")


@consumption.command()
@click.argument("value", metavar="COST")
@click.option(
    "--rate", "payload_rate_bps", type=RATE, required=True, help="Payload rate, such as 20Gbit/s."
)
@max_utilisation_option(default="1")
@transaction_size_option
@cpu_frequency_option
@json_option
def cpus(
    value: str,
    payload_rate_bps: float,
    max_utilisation_ratio: float,
    transaction_bytes: int | None,
    cpu_frequency_hz: float | None,
    as_json: bool,
) -> None:
    """Print how many CPUs a payload rate needs."""
    us_per_gbit = _read_us_per_gbit(value, transaction_bytes, cpu_frequency_hz)
    busy = busy_cpu_count(us_per_gbit, payload_rate_bps)
    required = required_cpu_count(us_per_gbit, payload_rate_bps, max_utilisation_ratio)
    if as_json:
        print_json({"us_per_gbit": us_per_gbit, "busy_cpus": busy, "required_cpus": required})
    else:
        rate = format_rate(payload_rate_bps, RESULT_DIGITS)
        use = percent_text(max_utilisation_ratio, 3)
        noun = "CPU" if required == 1 else "CPUs"
        click.echo(f"{rate} needs {required:,} {noun} at {use} use; {busy:.9g} busy")


def _read_us_per_gbit(
    text: str, transaction_bytes: int | None, cpu_frequency_hz: float | None
) -> float:
    """The CPU cost in a text; where its unit needs an option, the error names it."""
    try:
        return parse_consumption_us_per_gbit(
            text, transaction_bytes=transaction_bytes, cpu_frequency_hz=cpu_frequency_hz
        )
    except UnitError as error:
        if "transaction" in text and transaction_bytes is None:
            raise click.UsageError(
                f"{text!r}: give --transaction-size, the payload of one transaction"
            ) from error
        if "cycles/byte" in text and cpu_frequency_hz is None:
            raise click.UsageError(
                f"{text!r}: give --cpu-frequency, the clock of the CPU"
            ) from error
        raise
