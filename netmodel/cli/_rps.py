"""``netmodel rps``."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from netmodel.api._compared_text import change_text
from netmodel.cli._console import print_blocks, print_json, wrapped
from netmodel.cli._ids import an_adapter
from netmodel.cli._options import (
    SharedOption,
    connections_option,
    cpu_count_option,
    json_option,
    workload_option,
)
from netmodel.errors import DomainError
from netmodel.report import text_table
from netmodel.tuning import (
    cpus_out_of_range,
    decode_rps_mask,
    encode_rps_mask,
    format_cpu_list,
    parse_cpu_list,
)

if TYPE_CHECKING:
    from netmodel.published import Answer

_SHOWN = ("transaction_time", "throughput", "cpu_consumption")

_RULE = (
    "steering helps requests over many connections where one CPU is busy with packets and others "
    "are idle; one connection, or a stream at line speed, gains nothing and may take more CPU"
)


@click.group()
def rps() -> None:
    """Advise on packet steering; encode and decode CPU masks.

    Receive packet steering (RPS) spreads the packets of a receive queue over CPUs. A mask, as in
    rps_cpus of a queue, is hexadecimal, CPU 0 the lowest bit, with a comma between groups of 32
    bits.
    """


class _CpuList(click.ParamType[tuple[int, ...]]):
    """CPUs as ``0,1,3,6`` or ``0-7``."""

    name = "list"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        try:
            return parse_cpu_list(str(value))
        except DomainError as error:
            self.fail(str(error), param, ctx)


_cpus_option = SharedOption(("--cpus",), "CPUs, such as 0,1,3,6 or 0-7.", type=_CpuList())


@rps.command()
@click.option(
    "--adapter", type=an_adapter, metavar="ID|FILE", required=True, help="Adapter at both ends."
)
@workload_option(required=True)
@connections_option(unset="each printed number", is_single=True)
@_cpus_option()
@json_option
def advise(
    adapter: str,
    workload: str,
    connections: int | None,
    cpus: tuple[int, ...] | None,
    as_json: bool,
) -> None:
    """Print what steering changes between two of an adapter.

    Figures are those that documents print, at each number of connections. With --cpus it also
    prints the mask that steers to them.

    \b
    netmodel rps advise --adapter osa-express7s-25gbe --workload rr1c-200x1000 --connections 250
    """
    from netmodel.published import steering_effects
    from netmodel.records import record

    for kind, name in (("adapters", adapter), ("workloads", workload)):
        record(name, kind)  # an unknown id is refused, with near ones
    case = {"adapter": adapter, "workload": workload}
    found = [each for each in steering_effects(case) if each.quantity in _SHOWN]
    effects = [each for each in found if each.status == "printed" and not _repeats(each, found)]
    effects.sort(key=_count_of)
    mask = None if cpus is None else encode_rps_mask(cpus)
    if as_json:
        rows = [{**each.conditions, **each.to_dict()} for each in effects]
        print_json({**case, "connections": connections, "mask": mask, "effects": rows})
        return
    print_blocks(
        [
            wrapped(f"{workload} between two {adapter}: {_advice(effects, connections)}."),
            _effects_table(effects),
            "" if mask is None else f"mask of CPUs {format_cpu_list(cpus or ())}: {mask}",
            wrapped(f"note: {_RULE}"),
        ]
    )


def _count_of(effect: "Answer") -> int:
    """Return the connections of a printed effect; 0 where it names none."""
    return int(effect.conditions.get("connections", 0))


def _repeats(effect: "Answer", found: "Sequence[Answer]") -> bool:
    """Return whether a rate is the reciprocal of a time that is printed in the same cell."""
    times = [each.conditions for each in found if each.quantity == "transaction_time"]
    return effect.quantity == "throughput" and effect.conditions in times


def _advice(effects: "Sequence[Answer]", connections: int | None) -> str:
    """Return the printed effect on the time, or that nothing is printed; nearest counts else."""
    times = [each for each in effects if each.quantity != "cpu_consumption"]
    if not times:
        return "no document prints what steering changes"
    counts = [_count_of(each) for each in times]
    is_other = connections is not None and connections not in counts and any(counts)
    if connections is None or not any(counts):
        wanted = counts
    elif is_other:
        below = [count for count in counts if count < connections][-1:]
        wanted = below + [count for count in counts if count > connections][:1]
    else:
        wanted = [connections]
    shown = dict.fromkeys(
        f"{each.quantity.replace('_', ' ')} {change_text(each)}"
        + (f" at {count} connection{'s' * (count != 1)}" if count else "")
        for count, each in zip(counts, times, strict=True)
        if count in wanted
    )
    lead = f"not published at {connections} connections: " if is_other else ""
    return lead + "; ".join(shown)


def _effects_table(effects: "Sequence[Answer]") -> str:
    rows = [("connections", "quantity", "side", "with steering", "place")]
    rows += [
        (
            str(_count_of(each) or ""),
            each.quantity.replace("_", " "),
            str(each.conditions.get("side", "")),
            change_text(each),
            each.places[0],
        )
        for each in effects
    ]
    return text_table(rows, right_aligned=(0,)) if effects else ""


@rps.command()
@_cpus_option(required=True)
@cpu_count_option
@json_option
def encode(cpus: tuple[int, ...], cpu_count: int | None, as_json: bool) -> None:
    """Print the mask that steers packets to some CPUs.

    With --cpu-count, CPUs that the system does not have are refused.
    """
    if cpu_count is not None and (outside := cpus_out_of_range(cpus, cpu_count)):
        raise click.UsageError(_complaint(outside, cpu_count))
    mask = encode_rps_mask(cpus)
    if as_json:
        print_json({"mask": mask, "cpus": list(cpus), "cpu_count": cpu_count})
    else:
        click.echo(mask)


@rps.command()
@click.argument("mask")
@cpu_count_option
@json_option
def decode(mask: str, cpu_count: int | None, as_json: bool) -> None:
    """Print the CPUs of a mask.

    With --cpu-count, it also says which of them the system does not have.
    """
    cpus = decode_rps_mask(mask)
    outside = () if cpu_count is None else cpus_out_of_range(cpus, cpu_count)
    if as_json:
        print_json(
            {
                "mask": encode_rps_mask(cpus),
                "cpus": list(cpus),
                "cpu_list": format_cpu_list(cpus),
                "cpu_count": cpu_count,
                "out_of_range_cpus": None if cpu_count is None else list(outside),
            }
        )
        return
    if not cpus:
        click.echo("no CPU: steering is off")
        return
    counted = "1 CPU" if len(cpus) == 1 else f"{len(cpus)} CPUs"
    click.echo(f"{format_cpu_list(cpus)}  ({counted})")
    if outside and cpu_count is not None:
        click.echo(f"note: {_complaint(outside, cpu_count)}")


def _complaint(outside: tuple[int, ...], cpu_count: int) -> str:
    noun = "CPU" if len(outside) == 1 else "CPUs"
    last = f"0 to {cpu_count - 1}" if cpu_count > 1 else "only CPU 0"
    return (
        f"{noun} {format_cpu_list(outside)} out of range: the system has {last}, and the kernel "
        "keeps other bits at 0"
    )
