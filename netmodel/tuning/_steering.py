"""Masks of CPUs as the kernel reads them, for receive packet steering (RPS)."""

import operator
import re
from collections.abc import Iterable
from itertools import pairwise

from netmodel.errors import DomainError
from netmodel.numeric import require_kind, require_whole, require_within
from netmodel.printable import SHOWN_LENGTH, quoted

MAX_CPU_COUNT = 8192
"""CPUs that the largest Linux kernels are built for."""

_RANGE = re.compile(r"([0-9]+)(?:-([0-9]+))?")
_GROUP_DIGITS = 8
"""The kernel prints bitmaps in words of 32 bits, with a comma between (``lib/bitmap.c``)."""
_GROUP = re.compile(rf"[0-9a-fA-F]{{1,{_GROUP_DIGITS}}}")
_MASK_FORM = "write hexadecimal digits, a comma between groups of 8, such as 4b or 1,00000000"
_NEGATIVE = re.compile(r"-[0-9]+")
_LIST_FORM = "write a list like 0,1,3,6 or 0-7"


def parse_cpu_list(text: str) -> tuple[int, ...]:
    """
    Read a list of CPUs.

    Parameters
    ----------
    text : str
        Numbers and ranges with commas between them, such as ``0,1,3,6`` or
        ``0-3,8``, in any order.

    Returns
    -------
    cpus : tuple of int
        In rising order.

    Raises
    ------
    DomainError
        If the list is empty, names a CPU twice, has a negative or too large
        number or a range that runs downwards, or is no such list.

    References
    ----------
    Linux, Documentation/admin-guide/kernel-parameters.rst, "cpu lists".

    Examples
    --------
    >>> parse_cpu_list("0,1,3,6"), parse_cpu_list("8,0-2")
    ((0, 1, 3, 6), (0, 1, 2, 8))
    """
    require_kind("text", text, str, "a text such as '0-7'")
    if not text.strip():
        raise DomainError(f"the list of CPUs is empty; {_LIST_FORM}")
    cpus: set[int] = set()
    for part in map(str.strip, text.split(",")):
        match = _RANGE.fullmatch(part)
        if match is None:
            if _NEGATIVE.fullmatch(part):
                raise DomainError(f"{quoted(text)}: {quoted(part)} is negative; CPUs count from 0")
            raise DomainError(f"{quoted(text)}: {quoted(part)} is no CPU or range; {_LIST_FORM}")
        first, last = (_number(digits, text) for digits in (match[1], match[2] or match[1]))
        if last < first:
            raise DomainError(
                f"{quoted(text)}: the range {first}-{last} runs downwards; write {last}-{first}"
            )
        for cpu in range(first, last + 1):
            if cpu in cpus:
                raise DomainError(f"{quoted(text)}: CPU {cpu} is named twice")
            cpus.add(cpu)
    return tuple(sorted(cpus))


def encode_rps_mask(cpus: Iterable[int]) -> str:
    """
    Mask that steers the packets of a receive queue to some CPUs.

    Parameters
    ----------
    cpus : iterable of int
        In any order, each once; none switches steering off.

    Returns
    -------
    mask : str
        Hexadecimal digits in lower case, CPU 0 the lowest bit of the last,
        with a comma between groups of 32 bits, the most significant first.

    Raises
    ------
    DomainError
        If a CPU is no whole number, is negative or too large, or comes twice.

    References
    ----------
    Linux, Documentation/networking/scaling.rst ("RPS: Receive Packet
    Steering") and lib/bitmap-str.c; N. Hoppmann, "Exploring the performance of
    network adapters for Linux on IBM Z" (2021), slides 37 and 38.

    Examples
    --------
    >>> encode_rps_mask([0, 1, 3, 6]), encode_rps_mask(range(8)), encode_rps_mask([32])
    ('4b', 'ff', '1,00000000')
    """
    digits = f"{sum(1 << cpu for cpu in _checked(cpus)):x}"
    # the kernel prints bitmaps in words of 32 bits, 8 digits (lib/bitmap.c)
    return re.sub(r"(?<=\w)(?=(\w{8})+$)", ",", digits)


def _number(digits: str, text: str) -> int:
    digits = digits.lstrip("0") or "0"
    if len(digits) > SHOWN_LENGTH or int(digits) >= MAX_CPU_COUNT:
        raise DomainError(
            f"{quoted(text)}: CPU {digits[:SHOWN_LENGTH]} is beyond {MAX_CPU_COUNT - 1}, the "
            "last that any kernel has"
        )
    return int(digits)


def _checked(cpus: Iterable[int]) -> list[int]:
    """Return the CPUs in rising order."""
    require_kind("cpus", cpus, Iterable, "whole numbers, one for each CPU")
    given = list(cpus)
    for cpu in given:
        if isinstance(cpu, bool) or not hasattr(cpu, "__index__"):
            raise DomainError(f"cpus must be whole numbers; got {cpu!r}")
    chosen = sorted(map(operator.index, given))
    for cpu in chosen:
        require_within("cpus", cpu, 0, MAX_CPU_COUNT - 1, "")
    for cpu, following in pairwise(chosen):
        if cpu == following:
            raise DomainError(f"cpus must name each CPU once; got {cpu} twice")
    return chosen


def format_cpu_list(cpus: Iterable[int]) -> str:
    """
    Write CPUs as the kernel lists them.

    Parameters
    ----------
    cpus : iterable of int
        In any order, each once.

    Returns
    -------
    text : str
        Neighbours as ranges; empty where there are none.

    Raises
    ------
    DomainError
        If a CPU is no whole number, is negative or too large, or comes twice.

    References
    ----------
    Linux, Documentation/admin-guide/kernel-parameters.rst, "cpu lists".

    Examples
    --------
    >>> format_cpu_list([0, 2, 3, 6]), format_cpu_list(range(8))
    ('0,2-3,6', '0-7')
    """
    runs: list[list[int]] = []
    for cpu in _checked(cpus):
        if runs and cpu == runs[-1][1] + 1:
            runs[-1][1] = cpu
        else:
            runs.append([cpu, cpu])
    return ",".join(f"{first}" if first == last else f"{first}-{last}" for first, last in runs)


def decode_rps_mask(mask: str) -> tuple[int, ...]:
    """
    CPUs of a mask, as the kernel reads it.

    Parameters
    ----------
    mask : str
        Groups of up to 8 hexadecimal digits, each of 32 bits, with commas
        between them; lines may end behind a comma.

    Returns
    -------
    cpus : tuple of int
        In rising order; none where steering is off.

    Raises
    ------
    DomainError
        If a group is empty, too long or has other characters, or the mask has a CPU that no kernel
        has.

    References
    ----------
    Linux, Documentation/networking/scaling.rst ("RPS: Receive Packet
    Steering") and lib/bitmap-str.c.

    Examples
    --------
    >>> decode_rps_mask("4b"), decode_rps_mask("00000000,0000004b"), decode_rps_mask("1,0")
    ((0, 1, 3, 6), (0, 1, 3, 6), (32,))
    """
    require_kind("mask", mask, str, "a text such as '4b'")
    groups = [group.strip() for group in mask.split(",")]
    for group in groups:
        if not _GROUP.fullmatch(group):
            fault = f"{quoted(group)} has other characters"
            if not group:
                fault = "a group is empty"
            elif group.lower().startswith("0x"):
                fault = f"the kernel takes no 0x in front, as in {quoted(group)}"
            elif re.fullmatch("[0-9a-fA-F]+", group):
                fault = f"{quoted(group)} has more than {_GROUP_DIGITS} digits"
            raise DomainError(f"{quoted(mask)} is not a mask: {fault}; {_MASK_FORM}")
    value = int("".join(group.zfill(_GROUP_DIGITS) for group in groups), base=16)
    if value >> MAX_CPU_COUNT:
        raise DomainError(
            f"a mask has CPUs up to {MAX_CPU_COUNT - 1}; got {value.bit_length() - 1}"
        )
    return tuple(cpu for cpu in range(value.bit_length()) if value >> cpu & 1)


def cpus_out_of_range(cpus: Iterable[int], cpu_count: int) -> tuple[int, ...]:
    """
    CPUs that a system does not have; the kernel keeps their bits at zero.

    Parameters
    ----------
    cpus : iterable of int
        In any order, each once.
    cpu_count : int
        CPUs of the system, numbered from 0 without gaps.

    Returns
    -------
    outside : tuple of int
        In rising order.

    Raises
    ------
    DomainError
        If a CPU is no whole number, is negative or too large, or comes twice;
        or there is less than one CPU or too many.

    References
    ----------
    N. Hoppmann, "Exploring the performance of network adapters for Linux on
    IBM Z" (2021), slide 37.

    Examples
    --------
    >>> cpus_out_of_range([0, 7, 8, 11], 8)
    (8, 11)
    """
    count = require_whole("cpu_count", cpu_count)
    require_within("cpu_count", count, 1, MAX_CPU_COUNT, "")
    return tuple(cpu for cpu in _checked(cpus) if cpu >= count)
