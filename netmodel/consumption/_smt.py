"""Cores with two threads: thread time is not core time."""

from netmodel.numeric import Number, Q, domain, require_at_most


@domain("busy_thread_count >= busy_core_count")
def effective_core_count(
    busy_core_count: Q | Number,
    busy_thread_count: Q | Number,
    management_core_count: Q | Number,
    smt_gain_ratio: Q | Number,
) -> Q:
    r"""
    Cores with two threads whose capacity a load uses up.

    Time basis: a core with both threads busy counts as one, and so does the
    capacity that is left.

    Parameters
    ----------
    busy_core_count : float or array_like
        Cores with at least one busy thread, as a mean over time.
    busy_thread_count : float or array_like
        Busy threads, as a mean over time: what the operating system counts.
    management_core_count : float or array_like
        Cores that the hypervisor uses for the management of the partition.
    smt_gain_ratio : float or array_like
        Work of a core with both threads busy over that with one, from 1 to 2;
        about 1.3 on z15.

    Returns
    -------
    core_count : float or numpy.ndarray
        Of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If fewer threads are busy than cores or more than two for each, the
        gain is not from 1 to 2, or an argument is negative or infinite.

    Notes
    -----
    .. math:: u_r = \frac{2 u_c - u_t}{s} + (u_t - u_c) + u_m

    On :math:`2 u_c - u_t` cores one thread is alone, each leaving room for
    :math:`1 - 1/s` of a core; on :math:`u_t - u_c` both are busy.

    References
    ----------
    IBM, linux.mainframe.blog, on the utilisation of SMT-2 cores, for the
    formula, the example and the gain on z15.

    Examples
    --------
    >>> round(effective_core_count(7.992, 11.989, 0.0002, 1.3), 4)
    7.0703
    """
    threads = require_at_most("busy_thread_count", busy_thread_count, 2 * busy_core_count, "")
    single = 2 * busy_core_count - threads
    return single / smt_gain_ratio + (threads - busy_core_count) + management_core_count


@domain()
def smt_capacity_core_count(core_count: Q | Number, smt_gain_ratio: Q | Number) -> Q:
    r"""
    Cores with one thread that do the work of cores with two.

    Time basis: a core with one busy thread counts as one.

    Parameters
    ----------
    core_count : float or array_like
        Cores with two threads each.
    smt_gain_ratio : float or array_like
        Work of a core with both threads busy over that with one, from 1 to 2.

    Returns
    -------
    core_count : float or numpy.ndarray
        Of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If the cores are negative, the gain is not from 1 to 2, or either is
        infinite.

    Notes
    -----
    .. math:: m = s\, m_c

    Not the number of threads, which the operating system shows as CPUs.

    References
    ----------
    IBM, linux.mainframe.blog, on the utilisation of SMT-2 cores.

    Examples
    --------
    Four cores, which show as eight CPUs:

    >>> round(smt_capacity_core_count(4, 1.3), 9)
    5.2
    """
    return core_count * smt_gain_ratio


@domain()
def single_thread_time_s(
    thread_time_s: Q | Number, overlap_ratio: Q | Number, smt_gain_ratio: Q | Number
) -> Q:
    r"""
    CPU time that the same work would take without a second thread on the core.

    Time basis: from thread time, as the operating system counts it, to time of
    a core with one busy thread.

    Parameters
    ----------
    thread_time_s : float or array_like
        CPU time summed over threads. [s]
    overlap_ratio : float or array_like
        Share of the thread time in which the other thread of the core was busy
        too, from 0 to 1.
    smt_gain_ratio : float or array_like
        Work of a core with both threads busy over that with one, from 1 to 2.

    Returns
    -------
    cpu_time_s : float or numpy.ndarray
        Of the broadcast shape of the inputs. [s]

    Raises
    ------
    DomainError
        If the time is negative, the share is not from 0 to 1, the gain is not
        from 1 to 2, or an argument is infinite.

    Notes
    -----
    .. math:: T_1 = T \left(1 - o + o\,\frac{s}{2}\right)

    Of :math:`u_c` busy cores and :math:`u_t` busy threads the share is
    :math:`o = 2 (u_t - u_c) / u_t`, and :math:`T_1` is :math:`s` times the
    :func:`effective_core_count` without management.

    References
    ----------
    IBM, linux.mainframe.blog, on the utilisation of SMT-2 cores: the same
    assumption of one gain.

    Examples
    --------
    Two threads that share a core for one second do the work of 1.3 s:

    >>> round(single_thread_time_s(2, 1, 1.3), 9)
    1.3
    """
    return thread_time_s * (1 - overlap_ratio + overlap_ratio * smt_gain_ratio / 2)
