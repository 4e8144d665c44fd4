"""CPUs that a rate keeps busy, and whose CPU time a number counts."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias, get_args

from netmodel.numeric import (
    Number,
    Q,
    ceil_but_for_rounding,
    domain,
    require_at_least,
    require_kind,
    require_member,
)
from netmodel.results import Result
from netmodel.units.prefixes import BITS_PER_GBIT, US_PER_S

CpuScope: TypeAlias = Literal["process", "system", "guest", "hypervisor"]
"""
Scope of a number, whose CPU time it counts: that of the measuring process alone, without interrupts
and other threads; of all CPUs of the operating system; what a virtual machine used, or its
hypervisor on its behalf.
"""


class Side(StrEnum):
    """End of a connection: a client opens it, a server answers."""

    CLIENT = "client"
    SERVER = "server"

    @property
    def other(self) -> "Side":
        """Return the end that this one talks to."""
        return Side.SERVER if self is Side.CLIENT else Side.CLIENT

    @classmethod
    def sending_more(cls, from_client: float, from_server: float) -> "Side":
        """
        Return the side that sends more payload; the client when equal.

        Parameters
        ----------
        from_client, from_server : float
            What each side sends: bytes of a transaction, or bytes per second.

        Examples
        --------
        >>> Side.sending_more(200, 1000)
        <Side.SERVER: 'server'>
        """
        return cls.CLIENT if from_client >= from_server else cls.SERVER


@dataclass(frozen=True, repr=False)
class Consumption(Result):
    """
    CPU time per payload, with what it counts.

    Parameters
    ----------
    us_per_gbit : float
        CPU time per payload. [µs/Gbit]
    scope : {"process", "system", "guest", "hypervisor"}
        Whose CPU time.
    side : Side
        At which end.

    Examples
    --------
    >>> Consumption(255_319.1, "system", Side.SERVER).scope
    'system'
    """

    us_per_gbit: float
    scope: CpuScope
    side: Side

    def __post_init__(self) -> None:
        require_at_least("us_per_gbit", self.us_per_gbit, 0, "µs/Gbit")
        require_member("scope", self.scope, get_args(CpuScope))
        require_kind("side", self.side, Side, "one of Side.CLIENT and Side.SERVER")


@domain("payload_rate_bps >= 0")
def busy_cpu_count(consumption_us_per_gbit: Q | Number, payload_rate_bps: Q | Number) -> Q:
    r"""
    CPUs that a payload rate keeps busy.

    Parameters
    ----------
    consumption_us_per_gbit : float or array_like
        CPU time per payload. [µs/Gbit]
    payload_rate_bps : float or array_like
        Payload rate. [bit/s]

    Returns
    -------
    busy_cpu_count : float or numpy.ndarray
        Mean number of busy CPUs, of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If the consumption or the rate is negative or infinite.

    Notes
    -----
    .. math:: u = 10^{-6}\, c\, \frac{X}{10^9}

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978): the utilisation law.

    Examples
    --------
    >>> busy_cpu_count(100000, 25e9)
    2.5
    """
    return consumption_us_per_gbit * (payload_rate_bps / BITS_PER_GBIT) / US_PER_S


@domain("payload_rate_bps >= 0")
def required_cpu_count(
    consumption_us_per_gbit: Q | Number,
    payload_rate_bps: Q | Number,
    max_utilisation_ratio: Q | Number = 1,
) -> Q:
    r"""
    Whole CPUs that carry a payload rate without being busier than allowed.

    Parameters
    ----------
    consumption_us_per_gbit : float or array_like
        CPU time per payload. [µs/Gbit]
    payload_rate_bps : float or array_like
        Payload rate. [bit/s]
    max_utilisation_ratio : float or array_like
        Share of each CPU that may be busy, above 0 and at most 1.

    Returns
    -------
    cpu_count : int, float or numpy.ndarray
        Of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If the consumption or the rate is negative or infinite, or the
        utilisation is not above 0 and at most 1.

    Notes
    -----
    .. math:: m = \left\lceil u / u_{max} \right\rceil

    with :math:`u` the :func:`busy_cpu_count`. The quotient is lowered by one
    part in 10^12 first, so that the rounding of floats adds no CPU. Work is
    assumed to spread evenly over the CPUs; a single receive queue does not.

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978): the utilisation law.

    Examples
    --------
    >>> required_cpu_count(100000, 25e9), required_cpu_count(100000, 25e9, 0.7)
    (3, 4)
    """
    busy = busy_cpu_count(consumption_us_per_gbit, payload_rate_bps)
    return ceil_but_for_rounding(busy / max_utilisation_ratio)


@domain()
def transaction_busy_cpu_count(
    cpu_time_per_transaction_s: Q | Number, transaction_rate_tps: Q | Number
) -> Q:
    r"""
    CPUs that a transaction rate keeps busy.

    Parameters
    ----------
    cpu_time_per_transaction_s : float or array_like
        CPU time of one system per transaction, or per any other unit of work.
        [s]
    transaction_rate_tps : float or array_like
        Rate of the same unit of work. [1/s]

    Returns
    -------
    busy_cpu_count : float or numpy.ndarray
        Mean number of busy CPUs, of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If the time or the rate is negative or infinite.

    Notes
    -----
    .. math:: u = m\, x

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978): the utilisation law.

    Examples
    --------
    >>> round(transaction_busy_cpu_count(24.4e-6, 31996.02), 4)
    0.7807
    """
    return cpu_time_per_transaction_s * transaction_rate_tps


@domain("frame_rate_fps > 0")
def cycle_budget_per_frame(cpu_frequency_hz: Q | Number, frame_rate_fps: Q | Number) -> Q:
    r"""
    CPU cycles that one CPU has for each frame.

    Parameters
    ----------
    cpu_frequency_hz : float or array_like
        Clock of the CPU. [Hz]
    frame_rate_fps : float or array_like
        Frames that the CPU handles. [frame/s]

    Returns
    -------
    cycle_budget_per_frame : float or numpy.ndarray
        Of the broadcast shape of the inputs. [cycle/frame]

    Raises
    ------
    DomainError
        If the clock or the rate is not above zero, or infinite.

    Notes
    -----
    .. math:: b = f / \lambda

    References
    ----------
    Q. Cai et al., "Understanding host network stack overheads", SIGCOMM 2021,
    for budgets of one core.

    Examples
    --------
    >>> round(cycle_budget_per_frame(5.2e9, 1.156768e6), 2)
    4495.28
    """
    return cpu_frequency_hz / frame_rate_fps
