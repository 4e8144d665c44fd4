"""Consumption in the units that tools and papers use."""

import re
from typing import Any, Literal, TypeAlias, get_args

from netmodel.consumption._identity import consumption_us_per_gbit
from netmodel.errors import UnitError
from netmodel.numeric import (
    Number,
    Q,
    domain,
    require_above,
    require_at_least,
    require_member,
    require_one,
)
from netmodel.units import BITS_PER_BYTE, parse_rate_bps, parse_ratio, split_quantity
from netmodel.units.columns import unit_of
from netmodel.units.parsing import parse_share
from netmodel.units.prefixes import (
    BITS_PER_GBIT,
    GIGA,
    KIBI,
    MEBI,
    MEGA,
    MICRO,
    MILLI,
    US_PER_MS,
    US_PER_S,
)

_GBIT_BYTES = GIGA / BITS_PER_BYTE
_CYCLES, _RECIPROCAL = "cycles/byte", "(Gbit/s)/core"
_UNITS: dict[str, tuple[str, float | None, float | None]] = {
    "µs/Gbit": ("us_per_gbit", MICRO, _GBIT_BYTES),
    "ms/MB": ("ms_per_mb", MILLI, MEGA),
    "ms/MiB": ("ms_per_mib", MILLI, MEBI),
    "ms/GB": ("ms_per_gb", MILLI, GIGA),
    "µs/KiB": ("us_per_kib", MICRO, KIBI),
    "cores/(Gbit/s)": ("cores_per_gbps", 1.0, _GBIT_BYTES),
    "ms/transaction": ("ms_per_transaction", MILLI, None),
    "µs/transaction": ("us_per_transaction", MICRO, None),
    _CYCLES: ("cycles_per_byte", None, 1.0),
}
"""Name, time and bytes of each unit; None for the time of a cycle and bytes of a transaction."""


_PerData: TypeAlias = Literal["µs/Gbit", "ms/MB", "ms/MiB", "ms/GB", "µs/KiB", "cores/(Gbit/s)"]
"""Units of CPU time per data."""


def _us_per_gbit(unit: str, transaction_bytes: Any, cpu_frequency_hz: Any) -> Any:
    """Return one of a unit as CPU time per payload. [µs/Gbit]"""
    _, time_s, data_bytes = _UNITS[unit]
    if time_s is None:
        time_s = 1 / _positive("cpu_frequency_hz", cpu_frequency_hz)
    if data_bytes is None:
        data_bytes = _positive("transaction_bytes", transaction_bytes)
    return time_s * US_PER_S * _GBIT_BYTES / data_bytes


def _positive(name: str, value: float | None) -> float:
    return require_above(name, require_one(name, value), 0, unit_of(name) or "")


def consumption_by_unit(
    consumption_us_per_gbit: float,
    transaction_bytes: float | None = None,
    cpu_frequency_hz: float | None = None,
) -> dict[str, float | None]:
    r"""
    Return a consumption in all units that tools and papers use.

    Parameters
    ----------
    consumption_us_per_gbit : float
        CPU time per payload. [µs/Gbit]
    transaction_bytes : float, optional
        Payload of one transaction, request and response together; without it there is no time
        per transaction. [byte]
    cpu_frequency_hz : float, optional
        Clock of the CPU; without it there are no cycles. [Hz]

    Returns
    -------
    by_unit : dict
        A number for each of ``us_per_gbit``, ``ms_per_mb``, ``ms_per_mib``, ``ms_per_gb``,
        ``us_per_kib``, ``cores_per_gbps``, ``ms_per_transaction``, ``cycles_per_byte`` and
        ``gbps_per_core``, which is None where nothing is spent.

    Raises
    ------
    DomainError
        If the consumption is negative, another argument is not above zero, or one is infinite.

    Notes
    -----
    With :math:`t` the time and :math:`n` the bytes that a unit names, one of it is
    :math:`10^6\, t / (8 \cdot 10^{-9} n)` µs/Gbit; a cycle takes :math:`1/f`.

    References
    ----------
    NIST Special Publication 330 (2019), section 3, and IEC 80000-13 for the prefixes.

    Examples
    --------
    >>> units = consumption_by_unit(100_000, 1250, 5.2e9)
    >>> round(units["cores_per_gbps"], 9), round(units["cycles_per_byte"], 9)
    (0.1, 4.16)
    """
    name = "consumption_us_per_gbit"
    cost = require_at_least(name, require_one(name, consumption_us_per_gbit), 0, "µs/Gbit")
    known: list[str] = [*get_args(_PerData)]
    known += ["ms/transaction"] * (transaction_bytes is not None)
    known += [_CYCLES] * (cpu_frequency_hz is not None)
    by_unit = {
        _UNITS[unit][0]: cost / _us_per_gbit(unit, transaction_bytes, cpu_frequency_hz)
        for unit in known
    }
    return by_unit | {"gbps_per_core": US_PER_S / cost if cost else None}


def parse_consumption_us_per_gbit(
    text: str, *, transaction_bytes: float | None = None, cpu_frequency_hz: float | None = None
) -> float:
    """
    Read a consumption in any unit that is used for it.

    Parameters
    ----------
    text : str
        Number and unit: µs/Gbit, ms/MB, ms/MiB, ms/GB, µs/KiB, cores/(Gbit/s),
        ms/transaction, µs/transaction, cycles/byte or (Gbit/s)/core; ``us`` serves for ``µs``.
        Or busy CPUs at a payload rate: ``"30 % of 8 CPUs at 9.4 Gbit/s"``.
    transaction_bytes : float, optional
        Payload of one transaction, needed for time per transaction. [byte]
    cpu_frequency_hz : float, optional
        Clock of the CPU, needed for cycles. [Hz]

    Returns
    -------
    consumption_us_per_gbit : float
        [µs/Gbit]

    Raises
    ------
    UnitError
        If the unit is missing, unknown or ambiguous, the number is negative or
        not finite, or what the unit needs is not given.
    DomainError
        If the transaction has no bytes, or the clock is not above zero.

    References
    ----------
    netperf manual, "Service Demand", for µs/KB; NIST Special Publication 330 (2019), section 3, and
    IEC 80000-13 for the prefixes.

    Examples
    --------
    >>> round(parse_consumption_us_per_gbit("6.95 ms/MiB"), 3)
    828504.562
    >>> parse_consumption_us_per_gbit("10 (Gbit/s)/core")
    100000.0
    >>> round(parse_consumption_us_per_gbit("30 % of 8 CPUs at 9.4 Gbit/s"))
    255319
    """
    exact, unit_text = split_quantity(text)
    if busy := re.fullmatch(_BUSY, text.strip()):
        share, count, rate = busy.groups()
        utilisation = parse_share(share or "1")
        if utilisation > 1:
            raise UnitError(f"{text!r}: CPUs are busy at most 100 %")
        return consumption_us_per_gbit(parse_ratio(count) * utilisation, parse_rate_bps(rate))
    if exact < 0:
        raise UnitError(f"{text!r}: a CPU cost must not be negative")
    unit = usual_unit(unit_text)
    if unit == _RECIPROCAL:
        return US_PER_S / require_above("gbps_per_core", float(exact), 0, _RECIPROCAL)
    if unit not in _UNITS:
        problem = "not a unit of CPU cost" if unit_text else "the unit is missing"
        hints = (f" ({hint})" for pattern, hint in _HINTS if re.fullmatch(pattern, unit_text))
        known = ", ".join((*_UNITS, _RECIPROCAL))
        raise UnitError(f"{text!r}: {problem}{next(hints, '')}; write one of {known}")
    if unit.endswith("/transaction") and transaction_bytes is None:
        raise UnitError(f"{text!r}: give transaction_bytes, the payload of one transaction")
    if unit == _CYCLES and cpu_frequency_hz is None:
        raise UnitError(f"{text!r}: give cpu_frequency_hz, the clock of the CPU")
    return float(exact) * _us_per_gbit(unit, transaction_bytes, cpu_frequency_hz)


_BUSY = r"(?i:(?:(\S+|\S+ %) of )?(\S+) (?:CPU|core|thread)s? at (.+))"
"""CPUs that are busy at a rate: one second of it is their time for the payload of a second."""
_HABITS = (
    ("^(us|[uµ]secs?)/", "µs/"),
    ("^msecs?/", "ms/"),
    ("/(gbit|Gb)$", "/Gbit"),
    ("/(tran|trans|txn)$", "/transaction"),
    ("^cycles?/(byte|B)$", "cycles/byte"),
    (r"^cores?/\(?([Gg]bit/s|[Gg]bps|Gb/s)\)?$", "cores/(Gbit/s)"),
    (r"^\(?([Gg]bit/s|[Gg]bps|Gb/s)\)?/core$", "(Gbit/s)/core"),
)
"""What tools and people write in place of a unit, or of a part of one."""


def usual_unit(unit: str) -> str:
    """Return a unit of CPU cost as it is known, where habits of writing make the difference."""
    flat = re.sub(r"\s*\bper\b\s*", "/", unit).replace(" ", "")
    for pattern, usual in _HABITS:
        flat = re.sub(pattern, usual, flat)
    return flat


_HINTS = (
    (".*KB", "KB may mean 1000 or 1024 byte, netperf's is KiB"),
    ("%.*", "per cent of which CPUs? write 30 % of 8 CPUs at 9.4 Gbit/s"),
    ("cycles(?!/byte).*", "of cycles only those per byte are known"),
    ("[kKMGT]?i?(bit/s|bps|B/s)", "a rate has no CPU time"),
    (
        r"(core|CPU)s?(/\(?Gbit/s\)?)?",
        "of how much data? write cores/(Gbit/s) or 2.4 CPUs at 9.4 Gbit/s",
    ),
    ("[nµum]?s", "a time for how much data? divide it by that"),
    (".*/[(]?[kM]?bit.*", "1 Gbit is 1000 Mbit"),
    ("[kmM]?[WJ].*", "power and energy are no CPU time"),
    (".*/(packet|frame|message|request)", "a record of a host has times of these"),
)
"""What is wrong with units that are often given, by what they are written like."""


@domain()
def to_us_per_gbit(consumption: Q | Number, unit: _PerData) -> Q:
    r"""
    Consumption in µs/Gbit from one of the units of time per data.

    Parameters
    ----------
    consumption : float or array_like
        Number in the given unit.
    unit : {"µs/Gbit", "ms/MB", "ms/MiB", "ms/GB", "µs/KiB", "cores/(Gbit/s)"}
        Unit of the number. MB is 10^6 and MiB 2^20 bytes; netperf's service
        demand, which it calls µs/KB, is µs/KiB.

    Returns
    -------
    consumption_us_per_gbit : float or numpy.ndarray
        Of the shape of the input. [µs/Gbit]

    Raises
    ------
    DomainError
        If the consumption is negative or infinite.

    Notes
    -----
    A core that is busy all the time spends :math:`10^6` µs each second, so one
    core per Gbit/s is :math:`10^6` µs/Gbit.

    References
    ----------
    NIST Special Publication 330 (2019), section 3, for the prefixes.

    Examples
    --------
    >>> round(to_us_per_gbit(6.95, "ms/MiB"), 3)
    828504.562
    """
    require_member("unit", unit, get_args(_PerData))
    return consumption * _us_per_gbit(unit, None, None)


@domain()
def from_us_per_gbit(consumption_us_per_gbit: Q | Number, unit: _PerData) -> Q:
    r"""
    Consumption in one of the units of time per data from µs/Gbit.

    Parameters
    ----------
    consumption_us_per_gbit : float or array_like
        CPU time per payload. [µs/Gbit]
    unit : {"µs/Gbit", "ms/MB", "ms/MiB", "ms/GB", "µs/KiB", "cores/(Gbit/s)"}
        Unit wanted.

    Returns
    -------
    consumption : float or numpy.ndarray
        Number in the given unit, of the shape of the input.

    Raises
    ------
    DomainError
        If the consumption is negative or infinite.

    Notes
    -----
    The inverse of :func:`to_us_per_gbit`.

    References
    ----------
    NIST Special Publication 330 (2019), section 3, for the prefixes.

    Examples
    --------
    >>> from_us_per_gbit(100000, "cores/(Gbit/s)")
    0.1
    """
    require_member("unit", unit, get_args(_PerData))
    return consumption_us_per_gbit / _us_per_gbit(unit, None, None)


@domain("consumption_us_per_gbit > 0")
def us_per_gbit_to_gbps_per_core(consumption_us_per_gbit: Q | Number) -> Q:
    r"""
    Payload rate that keeps one core busy.

    Parameters
    ----------
    consumption_us_per_gbit : float or array_like
        CPU time per payload. [µs/Gbit]

    Returns
    -------
    gbps_per_core : float or numpy.ndarray
        Of the shape of the input. [Gbit/s]

    Raises
    ------
    DomainError
        If the consumption is not above zero, or infinite.

    Notes
    -----
    .. math:: X_1 = 10^6 / c

    The conversion is its own inverse.

    References
    ----------
    N. Hoppmann, "Exploring the performance of network adapters for Linux on
    IBM Z" (2021), slide 14, for the unit.

    Examples
    --------
    >>> us_per_gbit_to_gbps_per_core(100000)
    10.0
    """
    return US_PER_S / consumption_us_per_gbit


@domain()
def ms_per_transaction_to_us_per_gbit(
    ms_per_transaction: Q | Number, transaction_bytes: Q | Number
) -> Q:
    r"""
    Consumption in µs/Gbit from CPU time per transaction.

    Parameters
    ----------
    ms_per_transaction : float or array_like
        CPU time of one system per transaction. [ms]
    transaction_bytes : float or array_like
        Payload of one transaction, request and response together. [byte]

    Returns
    -------
    consumption_us_per_gbit : float or numpy.ndarray
        Of the broadcast shape of the inputs. [µs/Gbit]

    Raises
    ------
    DomainError
        If the time is negative, the payload is not above zero, or either is
        infinite.

    Notes
    -----
    .. math:: c = \frac{10^3\, m}{8 \cdot 10^{-9}\, n}

    References
    ----------
    N. Hoppmann, "Exploring the performance of network adapters for Linux on
    IBM Z" (2021), slide 14: all payload of a system counts.

    Examples
    --------
    200 bytes of request and 1000 of response:

    >>> round(ms_per_transaction_to_us_per_gbit(0.0244, 1200), 2)
    2541666.67
    """
    return ms_per_transaction * US_PER_MS / (BITS_PER_BYTE * transaction_bytes / BITS_PER_GBIT)


@domain()
def us_per_gbit_to_ms_per_transaction(
    consumption_us_per_gbit: Q | Number, transaction_bytes: Q | Number
) -> Q:
    r"""
    CPU time per transaction from consumption in µs/Gbit.

    Parameters
    ----------
    consumption_us_per_gbit : float or array_like
        CPU time per payload. [µs/Gbit]
    transaction_bytes : float or array_like
        Payload of one transaction, request and response together. [byte]

    Returns
    -------
    ms_per_transaction : float or numpy.ndarray
        Of the broadcast shape of the inputs. [ms]

    Raises
    ------
    DomainError
        If the consumption is negative, the payload is not above zero, or
        either is infinite.

    Notes
    -----
    .. math:: m = 8 \cdot 10^{-12}\, c\, n

    References
    ----------
    N. Hoppmann, "Exploring the performance of network adapters for Linux on
    IBM Z" (2021), slide 14: all payload of a system counts.

    Examples
    --------
    >>> us_per_gbit_to_ms_per_transaction(100000, 1250)
    0.001
    """
    return consumption_us_per_gbit * (BITS_PER_BYTE * transaction_bytes / BITS_PER_GBIT) / US_PER_MS


@domain()
def cycles_per_byte_to_us_per_gbit(cycles_per_byte: Q | Number, cpu_frequency_hz: Q | Number) -> Q:
    r"""
    Consumption in µs/Gbit from CPU cycles per payload byte.

    Parameters
    ----------
    cycles_per_byte : float or array_like
        Cycles of one system per payload byte. [cycle/byte]
    cpu_frequency_hz : float or array_like
        Clock of the CPU. [Hz]

    Returns
    -------
    consumption_us_per_gbit : float or numpy.ndarray
        Of the broadcast shape of the inputs. [µs/Gbit]

    Raises
    ------
    DomainError
        If the cycles are negative, the clock is not above zero, or either is
        infinite.

    Notes
    -----
    .. math:: c = \frac{u}{8 \cdot 10^{-15} f}

    References
    ----------
    A. Foong et al., "TCP performance re-visited", ISPASS 2003, for cycles as a
    measure.

    Examples
    --------
    >>> round(cycles_per_byte_to_us_per_gbit(4.16, 5.2e9), 6)
    100000.0
    """
    return cycles_per_byte * US_PER_S / cpu_frequency_hz / (BITS_PER_BYTE / BITS_PER_GBIT)


@domain()
def us_per_gbit_to_cycles_per_byte(
    consumption_us_per_gbit: Q | Number, cpu_frequency_hz: Q | Number
) -> Q:
    r"""
    CPU cycles per payload byte from consumption in µs/Gbit.

    Parameters
    ----------
    consumption_us_per_gbit : float or array_like
        CPU time per payload. [µs/Gbit]
    cpu_frequency_hz : float or array_like
        Clock of the CPU. [Hz]

    Returns
    -------
    cycles_per_byte : float or numpy.ndarray
        Of the broadcast shape of the inputs; times the payload of a packet it
        is cycles per packet. [cycle/byte]

    Raises
    ------
    DomainError
        If the consumption is negative, the clock is not above zero, or either
        is infinite.

    Notes
    -----
    .. math:: u = 8 \cdot 10^{-15}\, c f

    References
    ----------
    A. Foong et al., "TCP performance re-visited", ISPASS 2003, for cycles as a
    measure.

    Examples
    --------
    >>> round(us_per_gbit_to_cycles_per_byte(100000, 5.2e9), 9)
    4.16
    """
    return consumption_us_per_gbit * (BITS_PER_BYTE / BITS_PER_GBIT) * cpu_frequency_hz / US_PER_S
