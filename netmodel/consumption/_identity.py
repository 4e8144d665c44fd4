"""CPU time per data, and what changes it."""

from netmodel.numeric import Number, Q, domain
from netmodel.units.prefixes import BITS_PER_GBIT, US_PER_S


@domain()
def consumption_us_per_gbit(cpu_time_s: Q | Number, data_bits: Q | Number) -> Q:
    r"""
    CPU time that one system spends on each Gbit of payload.

    Parameters
    ----------
    cpu_time_s : float or array_like
        CPU time of one system, client or server, over the run. [s]
    data_bits : float or array_like
        Payload that the same system sent and received in that time. [bit]

    Returns
    -------
    consumption_us_per_gbit : float or numpy.ndarray
        Of the broadcast shape of the inputs. [µs/Gbit]

    Raises
    ------
    DomainError
        If the CPU time is negative, no data were transferred, or either is
        infinite.

    Notes
    -----
    .. math:: c = y / x

    with :math:`y` the CPU time and :math:`x` the data. Busy CPUs and a payload
    rate, which are both per second, give the same number.

    References
    ----------
    N. Hoppmann, "Exploring the performance of network adapters for Linux on
    IBM Z" (2021), slide 14.

    Examples
    --------
    One CPU busy for 10 s while 100 Gbit arrive:

    >>> consumption_us_per_gbit(10, 100e9)
    100000.0
    """
    return cpu_time_s * US_PER_S / (data_bits / BITS_PER_GBIT)


@domain()
def consumption_ratio(cpu_time_ratio: Q | Number, data_ratio: Q | Number) -> Q:
    r"""
    Consumption of a second scenario relative to the first.

    Parameters
    ----------
    cpu_time_ratio : float or array_like
        CPU time of the second scenario over that of the first.
    data_ratio : float or array_like
        Data of the second scenario over those of the first.

    Returns
    -------
    consumption_ratio : float or numpy.ndarray
        Above 1 where the second scenario costs more per data, of the broadcast
        shape of the inputs.

    Raises
    ------
    DomainError
        If a ratio is not above zero, or infinite.

    Notes
    -----
    .. math:: \frac{c_2}{c_1} = \frac{z_Y}{z_X}

    Ratios may be chained only where each has the scenario before it as its
    base.

    References
    ----------
    N. Hoppmann, "Exploring the performance of network adapters for Linux on
    IBM Z" (2021), slide 14.

    Examples
    --------
    >>> round(consumption_ratio(1.32, 1.1), 9)
    1.2
    """
    return cpu_time_ratio / data_ratio


@domain()
def scaled_consumption_us_per_gbit(
    consumption_us_per_gbit: Q | Number, cpu_time_ratio: Q | Number, data_ratio: Q | Number
) -> Q:
    r"""
    Consumption of a second scenario from that of the first.

    Parameters
    ----------
    consumption_us_per_gbit : float or array_like
        Consumption of the first scenario. [µs/Gbit]
    cpu_time_ratio : float or array_like
        CPU time of the second scenario over that of the first.
    data_ratio : float or array_like
        Data of the second scenario over those of the first.

    Returns
    -------
    consumption_us_per_gbit : float or numpy.ndarray
        Of the broadcast shape of the inputs. [µs/Gbit]

    Raises
    ------
    DomainError
        If the consumption is negative, a ratio is not above zero, or one of
        them is infinite.

    Notes
    -----
    .. math:: c_2 = c_1 \cdot \frac{z_Y}{z_X}

    References
    ----------
    N. Hoppmann, "Exploring the performance of network adapters for Linux on
    IBM Z" (2021), slide 14.

    Examples
    --------
    >>> round(scaled_consumption_us_per_gbit(100000, 1.32, 1.1), 6)
    120000.0
    """
    return consumption_us_per_gbit * consumption_ratio(cpu_time_ratio, data_ratio)


@domain()
def cpu_time_ratio(consumption_ratio: Q | Number, data_ratio: Q | Number) -> Q:
    r"""
    CPU time of a second scenario relative to the first.

    Parameters
    ----------
    consumption_ratio : float or array_like
        Consumption of the second scenario over that of the first.
    data_ratio : float or array_like
        Data of the second scenario over those of the first.

    Returns
    -------
    cpu_time_ratio : float or numpy.ndarray
        Of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If a ratio is not above zero, or infinite.

    Notes
    -----
    .. math:: z_Y = z_X \cdot \frac{c_2}{c_1}

    References
    ----------
    N. Hoppmann, "Exploring the performance of network adapters for Linux on
    IBM Z" (2021), slide 14.

    Examples
    --------
    35 % less per data while the data grow by 58.7 %: the CPUs are as busy as before.

    >>> round(cpu_time_ratio(0.65, 1.5873), 4)
    1.0317
    """
    return consumption_ratio * data_ratio


@domain()
def data_ratio_at_fixed_concurrency(transaction_time_ratio: Q | Number) -> Q:
    r"""
    Data of a second scenario relative to the first, when only the transaction time changed.

    Parameters
    ----------
    transaction_time_ratio : float or array_like
        Mean transaction time of the second scenario over that of the first.

    Returns
    -------
    data_ratio : float or numpy.ndarray
        Of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If the ratio is not above zero, or infinite.

    Notes
    -----
    .. math:: z_X = 1 / z_R

    by Little's law, for the same number of connections, each with one
    transaction in progress at any time and no think time.

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978).

    Examples
    --------
    Transactions that take 37 % less time:

    >>> round(data_ratio_at_fixed_concurrency(0.63), 4)
    1.5873
    """
    return 1 / transaction_time_ratio
