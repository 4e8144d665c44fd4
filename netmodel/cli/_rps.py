"""Encode a mask of CPUs for packet steering.

Receive packet steering (RPS) spreads the packets of a receive queue over CPUs. A mask, as in
rps_cpus of a queue, is hexadecimal, CPU 0 the lowest bit, with a comma between groups of 32
bits. What steering gains is a question to netmodel compare: rps=off against rps=on.
"""

from typing import Annotated

import click

from netmodel.api.arguments import refusing
from netmodel.api.kinds import Kind
from netmodel.cli._derived import Stated, answering
from netmodel.errors import DomainError
from netmodel.tuning import encode_rps_mask, parse_cpu_list


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


rps = click.Group("rps", commands=[answering(encode)], help=__doc__)
