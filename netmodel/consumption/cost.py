"""CPU cost as a user gives it: per payload, or per transaction, one figure or a range."""

import re
from dataclasses import dataclass, replace

from netmodel.consumption._identity import consumption_us_per_gbit
from netmodel.consumption._units import parse_consumption_us_per_gbit, usual_unit
from netmodel.errors import DomainError, UnitError
from netmodel.estimates import Bound
from netmodel.lazy_numpy import np
from netmodel.numeric import FloatOrArray
from netmodel.units import BITS_PER_BYTE, split_quantity
from netmodel.units.prefixes import BITS_PER_GBIT, US_PER_S

CPU_TIME_BASES = ("core", "thread")
"""Time of a core with one busy thread, or of a thread, as the operating system counts it."""
_DIGITS = 6
"""Significant digits of a converted cost: those of a table of tools, with room to convert back."""
_RANGE = re.compile(r"(.+?)\s*(?:\.\.|\bto\b)\s*(.+)", re.DOTALL)
"""Two ends, as in records ("12 to 14 µs") or sweeps (576..9000); the unit is behind the last."""


@dataclass(frozen=True)
class CpuCost:
    """
    CPU cost of one side for a workload, measured as one figure.

    Parameters
    ----------
    text : str
        As given.
    us_per_gbit : float or numpy.ndarray, optional
        CPU time for payload of both directions together; this or the next. Of a range its middle.
        [µs/Gbit]
    s_per_transaction : float or numpy.ndarray, optional
        CPU time of a request with its response, or of one write of a stream. [s]
    spread_ratio : float or numpy.ndarray
        Half a range over its middle; 0 where the cost is one figure.
    time_basis : {"core", "thread"}, optional
        Time of a core with one busy thread, or of a thread; that of the host where left out.
    case : tuple of (str, str or float)
        Conditions under which it was measured, where they are not those of the question.
    carried_ratios : tuple of float, optional
        Cost in the case of the question over that measured: to quote, lowest and highest; None
        where it was measured in this case, or is not carried yet.
    carried_text : str
        The printed ratio with its place, or why the cost is used unchanged.
    bound : Bound
        VALUE; LOWER or UPPER where the cost of the question is at least or at most this one.

    Examples
    --------
    >>> cost = CpuCost("35 µs/transaction", s_per_transaction=35e-6)
    >>> round(cost.us_per_gbit_of(1250)), cost.has_range
    (3500000, False)
    """

    text: str
    us_per_gbit: FloatOrArray | None = None
    s_per_transaction: FloatOrArray | None = None
    time_basis: str | None = None
    spread_ratio: FloatOrArray = 0.0
    case: tuple[tuple[str, str | float], ...] = ()
    carried_ratios: tuple[float, float, float] | None = None
    carried_text: str = ""
    bound: Bound = Bound.VALUE

    def us_per_gbit_of(self, exchanged_bytes: FloatOrArray) -> FloatOrArray:
        """Return CPU time per payload, for transactions of this payload both ways. [µs/Gbit]"""
        if self.s_per_transaction is None:
            assert self.us_per_gbit is not None
            return self.us_per_gbit
        return consumption_us_per_gbit(self.s_per_transaction, BITS_PER_BYTE * exchanged_bytes)

    def per_byte_s(self, exchanged_bytes: FloatOrArray) -> FloatOrArray:
        """Return CPU time of each byte of payload, in either direction. [s]"""
        return self.us_per_gbit_of(exchanged_bytes) / US_PER_S * BITS_PER_BYTE / BITS_PER_GBIT

    @property
    def given_text(self) -> str:
        """Return the cost with the case that it was measured in."""
        case = " ".join(f"{name}={value}" for name, value in self.case)
        return f"{self.text} with {case}" if case else self.text

    @property
    def has_range(self) -> bool:
        """Return whether it is a range, as given or as carried over from another case."""
        return bool(np.any(self.spread_ratio)) or len({*(self.carried_ratios or ())}) > 1

    def range_of(self, middle: FloatOrArray) -> tuple[FloatOrArray, FloatOrArray, FloatOrArray]:
        """Return a quantity that is in proportion to the cost, with its ends."""
        low, high = 1 - self.spread_ratio, 1 + self.spread_ratio
        if self.carried_ratios is not None:
            value, least, most = self.carried_ratios
            low, high = low * least / value, high * most / value
        return middle, middle * low, middle * high

    def carried_to(
        self, ratios: tuple[float, float, float], text: str, bound: Bound = Bound.VALUE
    ) -> "CpuCost":
        """Return the cost in another case: times ratios to quote, lowest and highest."""
        us, time_s = (
            None if each is None else each * ratios[0]
            for each in (self.us_per_gbit, self.s_per_transaction)
        )
        return replace(
            self,
            us_per_gbit=us,
            s_per_transaction=time_s,
            carried_ratios=ratios,
            carried_text=text,
            bound=bound,
        )

    def conversion_text(self, exchanged_bytes: float) -> str:
        """Return the cost as given, and in the other units for a transaction of this payload."""
        if self.carried_ratios is not None:
            return f"{self.given_text}, {self.carried_text}"
        us = f"{self._text_of(float(self.us_per_gbit_of(exchanged_bytes)))} µs/Gbit"
        time_us = float(self.per_byte_s(exchanged_bytes)) * exchanged_bytes * US_PER_S
        of_both = "of payload in both directions"
        if self.s_per_transaction is not None:
            return f"{self.text} = {us} {of_both}"
        # as given where that is its unit
        per_gbit = [self.text] if self.text.endswith("s/Gbit") else [self.text, us]
        return f"{' = '.join(per_gbit)} {of_both} = {self._text_of(time_us)} µs/transaction"

    def _text_of(self, middle: float) -> str:
        """Return a converted cost, or both ends of its range."""
        ends = self.range_of(middle)[1:] if self.spread_ratio else (middle,)
        return " to ".join(
            f"{end:,.0f}" if end >= 10**_DIGITS else f"{end:,.{_DIGITS}g}" for end in ends
        )


def parse_cpu_cost(
    text: str, *, time_basis: str | None = None, case: tuple[tuple[str, str | float], ...] = ()
) -> CpuCost:
    """
    Read a CPU cost per payload or per transaction.

    Parameters
    ----------
    text : str
        With its unit, as of :func:`netmodel.consumption.parse_consumption_us_per_gbit`, or a
        range, such as ``"0.14..0.18 cores/(Gbit/s)"``.
    time_basis : {"core", "thread"}, optional
        What a second of it is a second of; that of the host where left out.
    case : tuple of (str, str or float)
        Conditions under which it was measured, where they are not those of the question.

    Returns
    -------
    cost : CpuCost
        Per payload, or per transaction where its unit is one.

    Raises
    ------
    UnitError
        If the unit is missing or not one of CPU time per data, the number is negative or not
        finite, or of cycles, which a clock converts.
    DomainError
        If the cost is 0, a range does not rise, or the basis is unknown.

    Examples
    --------
    >>> parse_cpu_cost("0.16 cores/(Gbit/s)").us_per_gbit
    160000.0
    >>> round(parse_cpu_cost("0.14..0.18 cores/(Gbit/s)").spread_ratio, 9)
    0.125
    """
    if time_basis is not None and time_basis not in CPU_TIME_BASES:
        raise DomainError(f"time_basis must be 'core' or 'thread'; got {time_basis!r}")
    if not isinstance(text, str):  # units of cost differ by factors of 1000
        raise UnitError(
            f'{text!r} needs its unit: write "{text} cores/(Gbit/s)", "{text} µs/Gbit" or '
            f'"{text} µs/transaction"'
        )
    if "cycles/byte" in text:
        how = "convert them by the clock of the CPU: netmodel consumption convert"
        raise UnitError(f"{text!r}: cycles are no time: {how}")
    ends = _ends(text)
    per_transaction = {usual_unit(split_quantity(end)[1]).endswith("/transaction") for end in ends}
    if len(per_transaction) > 1:
        raise UnitError(f"{text!r}: both ends of a range have the unit of one of them")
    # of a transaction of 1 Gbit the cost per Gbit is that of the transaction
    costs = [
        parse_consumption_us_per_gbit(end, transaction_bytes=BITS_PER_GBIT / BITS_PER_BYTE)
        for end in ends
    ]
    if not all(costs):
        raise DomainError(f"{text!r}: a CPU cost must be above 0")
    # more data per core cost less
    low, high = (costs[-1], costs[0]) if text.endswith("/core") else (costs[0], costs[-1])
    if high < low:
        raise DomainError(f"{text!r}: a range is from its lower to its upper end")
    middle = (low + high) / 2
    return CpuCost(
        text=" ".join(text.split()),
        us_per_gbit=None if True in per_transaction else middle,
        s_per_transaction=middle / US_PER_S if True in per_transaction else None,
        time_basis=time_basis,
        case=case,
        spread_ratio=(high - low) / (high + low),
    )


def _ends(text: str) -> tuple[str, ...]:
    """Return the figure, or both ends of a range, each with its unit."""
    parts = _RANGE.fullmatch(text)
    if parts is None:
        return (text,)
    low, high = parts.groups()
    number, unit = split_quantity(low)
    # the unit may stand behind both ends, or behind the upper one for both
    return (low if unit else f"{number} {split_quantity(high)[1]}", high)
