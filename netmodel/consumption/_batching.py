"""Work that is done once for many: what falls on each as the load rises."""

from netmodel.numeric import Number, Q, domain, minimum


@domain()
def frames_per_interrupt(frame_rate_fps: Q | Number, coalescing_time_s: Q | Number) -> Q:
    r"""
    Frames that one interrupt announces, where the first of them starts a timer.

    Parameters
    ----------
    frame_rate_fps : float or array_like
        Frames that arrive at random. [frame/s]
    coalescing_time_s : float or array_like
        How long the adapter waits after the first frame. [s]

    Returns
    -------
    frames_per_interrupt : float or numpy.ndarray
        Mean, at least 1, of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If an argument is negative or infinite.

    Notes
    -----
    .. math:: b = 1 + \lambda \tau

    The frame rate over this is the rate of interrupts, at most
    :math:`1/\tau`. Poisson arrivals and a fixed timer; adapters that adapt
    their timer to the load need it for each load. A frame waits up to
    :math:`\tau`, which is where coalescing hurts a single connection.

    References
    ----------
    J. C. Mogul and K. K. Ramakrishnan, "Eliminating receive livelock in an
    interrupt-driven kernel", ACM TOCS 15 (1997), for batching of interrupts;
    ethtool(8), ``rx-usecs``.

    Examples
    --------
    >>> round(frames_per_interrupt(1e5, 50e-6), 9), round(1e5 / frames_per_interrupt(1e5, 50e-6), 1)
    (6.0, 16666.7)
    """
    return 1 + frame_rate_fps * coalescing_time_s


@domain()
def batched_cpu_time_s(
    transaction_rate_tps: Q | Number,
    time_per_transaction_s: Q | Number,
    time_per_batch_s: Q | Number,
    batching_time_s: Q | Number,
) -> Q:
    r"""
    CPU time per transaction where a batch, opened by its first, shares one cost.

    Parameters
    ----------
    transaction_rate_tps : float or array_like
        Transactions, or any other unit of work. [1/s]
    time_per_transaction_s : float or array_like
        CPU time of each that nothing shares. [s]
    time_per_batch_s : float or array_like
        CPU time of a batch: interrupt, wake-up, dispatch. [s]
    batching_time_s : float or array_like
        How long a batch stays open. [s]

    Returns
    -------
    cpu_time_s : float or numpy.ndarray
        Per transaction, of the broadcast shape of the inputs. [s]

    Raises
    ------
    DomainError
        If an argument is negative or infinite.

    Notes
    -----
    .. math:: c = c_\infty + \frac{w}{1 + \tau X}

    Falls with the load, from :math:`c_\infty + w` to :math:`c_\infty`, while
    the CPU time per second keeps rising.

    References
    ----------
    J. C. Mogul and K. K. Ramakrishnan, "Eliminating receive livelock in an
    interrupt-driven kernel", ACM TOCS 15 (1997), for batching of interrupts.

    Examples
    --------
    >>> round(batched_cpu_time_s(31996.02, 8.587e-6, 57.12e-6, 81.64e-6) * 1e6, 1)
    24.4
    """
    return time_per_transaction_s + time_per_batch_s / (1 + transaction_rate_tps * batching_time_s)


@domain()
def polled_cpu_time_s(
    utilisation_ratio: Q | Number, time_per_frame_s: Q | Number, time_per_interrupt_s: Q | Number
) -> Q:
    r"""
    CPU time per frame where only a frame that finds the CPU idle interrupts it.

    Parameters
    ----------
    utilisation_ratio : float or array_like
        Share of its time that the CPU is busy, from 0 to 1.
    time_per_frame_s : float or array_like
        CPU time of each frame without its interrupt. [s]
    time_per_interrupt_s : float or array_like
        CPU time of an interrupt. [s]

    Returns
    -------
    cpu_time_s : float or numpy.ndarray
        Per frame, of the broadcast shape of the inputs. [s]

    Raises
    ------
    DomainError
        If the utilisation is not from 0 to 1, a time is negative, or an
        argument is infinite.

    Notes
    -----
    .. math:: c = c_\infty + i\,(1 - \rho)

    An interrupt serves :math:`1/(1 - \rho)` frames on average, as many as a
    busy period of a single-server queue with random arrivals has. A CPU that
    does nothing else is busy :math:`\rho = \lambda c` of its time at
    :math:`\lambda` frames per second, which gives

    .. math:: \rho = \frac{\lambda\,(c_\infty + i)}{1 + \lambda i}

    up to :math:`\lambda = 1/c_\infty`: its CPU time per second rises with the
    load regardless of the cost of an interrupt, while each frame becomes cheaper.

    References
    ----------
    J. H. Salim, R. Olsson and A. Kuznetsov, "Beyond softnet", 5th Annual Linux
    Showcase (2001), for polling while work remains.

    Examples
    --------
    >>> round(polled_cpu_time_s(0.7, 1e-6, 0.5e-6) * 1e6, 9)
    1.15
    """
    return time_per_frame_s + time_per_interrupt_s * (1 - utilisation_ratio)


@domain()
def capped_frames_per_interrupt(
    frame_rate_fps: Q | Number, coalescing_time_s: Q | Number, max_frames_per_interrupt: Q | Number
) -> Q:
    r"""
    Frames that one interrupt announces at most, where a count also ends the wait.

    Parameters
    ----------
    frame_rate_fps : float or array_like
        Frames that arrive at random. [frame/s]
    coalescing_time_s : float or array_like
        How long the adapter waits after the first frame. [s]
    max_frames_per_interrupt : float or array_like
        Frames after which it waits no longer, at least 1.

    Returns
    -------
    frames_per_interrupt : float or numpy.ndarray
        Upper bound of the mean, of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If the rate or the time is negative, the count is below 1, or an
        argument is infinite.

    Notes
    -----
    .. math:: b \le \min(F,\; 1 + \lambda \tau)

    The mean of the smaller of two is below the smaller of the means: with
    :math:`\lambda\tau = 3` and :math:`F = 4` it is 3.328, not 4. Far from
    :math:`\lambda\tau = F` the bound is close.

    References
    ----------
    ethtool(8), ``rx-usecs`` and ``rx-frames``.

    Examples
    --------
    >>> capped_frames_per_interrupt(1e6, 50e-6, 32)
    32
    """
    return minimum(
        max_frames_per_interrupt, frames_per_interrupt(frame_rate_fps, coalescing_time_s)
    )
