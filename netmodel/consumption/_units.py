"""Consumption in the units that tools and papers use."""

import re
from enum import Enum

from netmodel.consumption._identity import consumption_us_per_gbit
from netmodel.errors import UnitError
from netmodel.numeric import Number, Q, require_above, require_at_least, require_member
from netmodel.units import BITS_PER_BYTE, parse_rate_bps, parse_ratio, split_quantity
from netmodel.units.parsing import parse_share
from netmodel.units.prefixes import (
    BITS_PER_GBIT,
    GIGA,
    KIBI,
    MEBI,
    MEGA,
    MICRO,
    MILLI,
    MS_PER_S,
    US_PER_MS,
    US_PER_S,
)

_OTHER_UNITS = ("ms/transaction", "µs/transaction", "cycles/byte", "(Gbit/s)/core")


def _us_per_gbit(time_s: float, data_bytes: float) -> float:
    return time_s * US_PER_S * BITS_PER_GBIT / (BITS_PER_BYTE * data_bytes)


class ConsumptionUnit(Enum):
    """A unit of CPU time per data; the value is how it is written."""

    US_PER_GBIT = "µs/Gbit"
    MS_PER_MB = "ms/MB"
    MS_PER_MIB = "ms/MiB"
    MS_PER_GB = "ms/GB"
    US_PER_KIB = "µs/KiB"
    CORES_PER_GBPS = "cores/(Gbit/s)"

    @property
    def us_per_gbit(self) -> float:
        """One of this unit. [µs/Gbit]"""
        return _FACTORS[self]


_UNITS = {unit.value: unit for unit in ConsumptionUnit}
_FACTORS = {
    ConsumptionUnit.US_PER_GBIT: 1.0,
    ConsumptionUnit.MS_PER_MB: _us_per_gbit(MILLI, MEGA),
    ConsumptionUnit.MS_PER_MIB: _us_per_gbit(MILLI, MEBI),
    ConsumptionUnit.MS_PER_GB: _us_per_gbit(MILLI, GIGA),
    ConsumptionUnit.US_PER_KIB: _us_per_gbit(MICRO, KIBI),
    ConsumptionUnit.CORES_PER_GBPS: US_PER_S,
}


def to_us_per_gbit(consumption: Q | Number, unit: ConsumptionUnit) -> Q:
    r"""
    Consumption in µs/Gbit from one of the units of time per data.

    Parameters
    ----------
    consumption : float or array_like
        Number in the given unit.
    unit : ConsumptionUnit
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
    >>> round(to_us_per_gbit(6.95, ConsumptionUnit.MS_PER_MIB), 3)
    828504.562
    """
    require_member("unit", unit, ConsumptionUnit)
    return require_at_least("consumption", consumption, 0, unit.value) * unit.us_per_gbit


def from_us_per_gbit(consumption_us_per_gbit: Q | Number, unit: ConsumptionUnit) -> Q:
    r"""
    Consumption in one of the units of time per data from µs/Gbit.

    Parameters
    ----------
    consumption_us_per_gbit : float or array_like
        CPU time per payload. [µs/Gbit]
    unit : ConsumptionUnit
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
    >>> from_us_per_gbit(100000, ConsumptionUnit.CORES_PER_GBPS)
    0.1
    """
    require_member("unit", unit, ConsumptionUnit)
    return _not_negative(consumption_us_per_gbit) / unit.us_per_gbit


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
    return US_PER_S / require_above(
        "consumption_us_per_gbit", consumption_us_per_gbit, 0, "µs/Gbit"
    )


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
    ms_per_transaction = require_at_least("ms_per_transaction", ms_per_transaction, 0, "ms")
    transaction_bytes = require_above("transaction_bytes", transaction_bytes, 0, "byte")
    return ms_per_transaction * US_PER_MS / _gbit(transaction_bytes)


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
    transaction_bytes = require_above("transaction_bytes", transaction_bytes, 0, "byte")
    return _not_negative(consumption_us_per_gbit) * _gbit(transaction_bytes) / US_PER_MS


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
    cycles_per_byte = require_at_least("cycles_per_byte", cycles_per_byte, 0, "cycle/byte")
    cpu_frequency_hz = require_above("cpu_frequency_hz", cpu_frequency_hz, 0, "Hz")
    return cycles_per_byte * US_PER_S / cpu_frequency_hz / _gbit(1)


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
    cpu_frequency_hz = require_above("cpu_frequency_hz", cpu_frequency_hz, 0, "Hz")
    return _not_negative(consumption_us_per_gbit) * _gbit(1) * cpu_frequency_hz / US_PER_S


def parse_consumption_us_per_gbit(
    text: str,
    *,
    transaction_bytes: float | None = None,
    cpu_frequency_hz: float | None = None,
) -> float:
    """
    Read a consumption in any unit that is used for it.

    Parameters
    ----------
    text : str
        Number and unit: one of ConsumptionUnit (``us`` serves for ``µs``),
        ms/transaction, µs/transaction, cycles/byte or (Gbit/s)/core. Or busy CPUs at a
        payload rate: ``"30 % of 8 CPUs at 9.4 Gbit/s"``, ``"2.4 CPUs at 9.4 Gbit/s"``.
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
    if busy := _BUSY.fullmatch(text.strip()):
        share, count, rate = busy.groups()
        utilisation = parse_share(share or "1")
        if utilisation > 1:
            raise UnitError(f"{text!r}: CPUs are busy at most 100 %")
        cpu_count = parse_ratio(count) * utilisation
        return consumption_us_per_gbit(cpu_count, parse_rate_bps(rate))
    if exact < 0:
        raise UnitError(f"{text!r}: a CPU cost must not be negative")
    number = float(exact)
    match _usual_unit(unit_text):
        case "(Gbit/s)/core":
            return float(us_per_gbit_to_gbps_per_core(number))
        case "ms/transaction" | "µs/transaction" as unit:
            if transaction_bytes is None:
                raise UnitError(f"{text!r}: give transaction_bytes, the payload of one transaction")
            ms = number if unit.startswith("ms") else number / MS_PER_S
            return float(ms_per_transaction_to_us_per_gbit(ms, transaction_bytes))
        case "cycles/byte":
            if cpu_frequency_hz is None:
                raise UnitError(f"{text!r}: give cpu_frequency_hz, the clock of the CPU")
            return float(cycles_per_byte_to_us_per_gbit(number, cpu_frequency_hz))
        case symbol if symbol in _UNITS:
            return float(to_us_per_gbit(number, _UNITS[symbol]))
    problem = "not a unit of CPU cost" if unit_text else "the unit is missing"
    hints = (f" ({hint})" for pattern, hint in _HINTS if pattern.fullmatch(unit_text))
    hint = next(hints, "")
    raise UnitError(
        f"{text!r}: {problem}{hint}; write one of {', '.join((*_UNITS, *_OTHER_UNITS))}"
    )


_BUSY = re.compile(r"(?:(\S+|\S+ %) of )?(\S+) (?:CPU|core|thread)s? at (.+)", re.IGNORECASE)
"""CPUs that are busy at a rate: one second of it is their time for the payload of a second."""
_HABITS = tuple(
    (re.compile(pattern), usual)
    for pattern, usual in (
        ("^(us|[uµ]secs?)/", "µs/"),
        ("^msecs?/", "ms/"),
        ("/(gbit|Gb)$", "/Gbit"),
        ("/(tran|trans|txn)$", "/transaction"),
        ("^cycles?/(byte|B)$", "cycles/byte"),
        (r"^cores?/\(?([Gg]bit/s|[Gg]bps|Gb/s)\)?$", "cores/(Gbit/s)"),
        (r"^\(?([Gg]bit/s|[Gg]bps|Gb/s)\)?/core$", "(Gbit/s)/core"),
    )
)
"""What tools and people write in place of a unit, or of a part of one."""


def _usual_unit(unit: str) -> str:
    """A unit of CPU cost as it is known, where habits of writing alone make the difference."""
    flat = re.sub(r"\s*\bper\b\s*", "/", unit).replace(" ", "")
    for pattern, usual in _HABITS:
        flat = pattern.sub(usual, flat)
    return flat


_HINTS = tuple(
    (re.compile(pattern), hint)
    for pattern, hint in (
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
)
"""What is wrong with units that are often given, by what they are written like."""


def _not_negative(consumption_us_per_gbit: Q | Number) -> Q:
    return require_at_least("consumption_us_per_gbit", consumption_us_per_gbit, 0, "µs/Gbit")


def _gbit(data_bytes: Q) -> Q:
    return BITS_PER_BYTE * data_bytes / BITS_PER_GBIT
