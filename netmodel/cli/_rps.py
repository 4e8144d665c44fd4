"""``netmodel rps``: what packet steering changes, and masks of CPUs."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import click

from netmodel.api import compare
from netmodel.api._compare import Comparison
from netmodel.api._kinds import AnAdapter, AWorkload, Counts, Kind
from netmodel.api.arguments import WrongValueError
from netmodel.cli._compare import blocks
from netmodel.cli._console import wrapped
from netmodel.cli._derived import answering
from netmodel.errors import DomainError
from netmodel.tuning import decode_rps_mask, encode_rps_mask, format_cpu_list, parse_cpu_list

_RULE = (
    "steering helps requests over many connections where one CPU is busy with packets and others "
    "are idle; one connection, or a stream at line speed, gains nothing and may take more CPU"
)


def advise(
    *, adapter: AnAdapter, workload: AWorkload, connections: Counts | None = None
) -> Comparison:
    """
    Print what steering changes, and when it pays.

    Parameters
    ----------
    adapter : str
        Adapter at both ends.
    workload : str
        What is exchanged: a workload of the catalog, or your own in a ``.toml`` file.
    connections : int or str, optional
        Connections at the same time; each printed number by default.
    """
    case = {"adapter": str(adapter), "rps": "off"}
    (result,) = compare(
        baseline=case, variant={"rps": "on"}, workload=workload, connections=connections
    )
    return result


def _advice(answer: Comparison, is_verbose: bool) -> Iterator[str]:
    yield from blocks(answer, is_verbose)
    yield wrapped(f"rule: {_RULE}")


def encode(*, cpu_list: Annotated[str, Kind("list", "cpus")]) -> Mapping[str, Any]:
    """
    Print the mask that steers packets to some CPUs.

    Parameters
    ----------
    cpu_list : str
        CPUs, such as ``"0,1,3,6"`` or ``"0-7"``.
    """
    try:
        cpus = parse_cpu_list(cpu_list)
    except DomainError as error:
        raise WrongValueError("{cpu_list}: {reason}", reason=error) from error
    return {"mask": encode_rps_mask(cpus), "cpus": list(cpus)}


def decode(mask: Annotated[str, Kind("mask")], /) -> Mapping[str, Any]:
    """Print the CPUs of a mask."""
    cpus = decode_rps_mask(mask)
    return {
        "mask": encode_rps_mask(cpus),
        "cpus": list(cpus),
        "cpu_list": format_cpu_list(cpus),
    }


def _cpus_text(answer: Mapping[str, Any], _: bool) -> Iterator[str]:
    count = len(answer["cpus"])
    counted = "1 CPU" if count == 1 else f"{count} CPUs"
    yield f"{answer['cpu_list']}  ({counted})" if count else "no CPU: steering is off"


rps = click.Group(
    "rps",
    commands=[
        answering(
            advise,
            _advice,
            data=lambda answer: answer.to_dict()["rows"],
            outputs=("verbose", "json"),
        ),
        answering(encode, lambda answer, _: (answer["mask"],)),
        answering(decode, _cpus_text),
    ],
    help="""Advise on packet steering; encode and decode CPU masks.

    Receive packet steering (RPS) spreads the packets of a receive queue over CPUs. A mask, as in
    rps_cpus of a queue, is hexadecimal, CPU 0 the lowest bit, with a comma between groups of 32
    bits.
    """,
)
