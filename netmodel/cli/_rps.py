"""``netmodel rps``."""

import click

from netmodel.cli._console import print_json
from netmodel.cli._options import cpu_count_option, json_option
from netmodel.errors import DomainError
from netmodel.tuning import (
    cpus_out_of_range,
    decode_rps_mask,
    encode_rps_mask,
    format_cpu_list,
    parse_cpu_list,
)


@click.group()
def rps() -> None:
    """Encode and decode CPU masks for receive packet steering.

    A mask, as in rps_cpus of a receive queue, is hexadecimal, CPU 0 the lowest bit, with a comma
    between groups of 32 bits.
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


@rps.command()
@click.option("--cpus", type=_CpuList(), required=True, help="CPUs, such as 0,1,3,6 or 0-7.")
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
