"""Receive queues whose CPU is the limit, and what steering packets to other CPUs makes of it."""

from netmodel.numeric import Number, Q, domain, minimum


@domain()
def steering_cpu_time_s(
    hash_time_s: Q | Number,
    ipi_time_s: Q | Number,
    frames_per_ipi: Q | Number,
    enqueue_time_s: Q | Number,
) -> Q:
    r"""
    CPU time that receive packet steering (RPS) adds to each frame.

    Parameters
    ----------
    hash_time_s : float or array_like
        Choosing the CPU from a hash of addresses and ports. [s]
    ipi_time_s : float or array_like
        An interrupt from one CPU to another. [s]
    frames_per_ipi : float or array_like
        Frames that one such interrupt announces.
    enqueue_time_s : float or array_like
        Passing the frame through the backlog of the other CPU. [s]

    Returns
    -------
    cpu_time_s : float or numpy.ndarray
        Of the broadcast shape of the inputs. [s]

    Raises
    ------
    DomainError
        If a time is negative, an argument is infinite, or an interrupt announces
        less than one frame.

    Notes
    -----
    .. math:: \Delta c = t_{hash} + t_{enq} + t_{ipi}/b

    What changes with the batching of interrupts and wake-ups on other CPUs is not
    in this: measured consumption can fall where this rises.

    References
    ----------
    Linux, Documentation/networking/scaling.rst ("RPS: Receive Packet
    Steering").

    Examples
    --------
    >>> round(steering_cpu_time_s(0.2e-6, 1.2e-6, 4, 0.5e-6) * 1e6, 9)
    1.0
    """
    return hash_time_s + ipi_time_s / frames_per_ipi + enqueue_time_s


@domain()
def steered_frame_rate_fps(
    poll_time_s: Q | Number,
    hash_time_s: Q | Number,
    ipi_time_s: Q | Number,
    frames_per_ipi: Q | Number,
    protocol_time_s: Q | Number,
    enqueue_time_s: Q | Number,
    cpu_count: Q | Number,
    efficiency_ratio: Q | Number,
) -> Q:
    r"""
    Frames per second of one receive queue with receive packet steering (RPS).

    Parameters
    ----------
    poll_time_s : float or array_like
        CPU time of a frame that stays with the CPU of the queue: polling the
        adapter. [s]
    hash_time_s : float or array_like
        Choosing the CPU, on the CPU of the queue. [s]
    ipi_time_s : float or array_like
        An interrupt to another CPU, counted where it is sent. [s]
    frames_per_ipi : float or array_like
        Frames that one such interrupt announces.
    protocol_time_s : float or array_like
        CPU time of a frame that moves to the other CPUs: all protocols. [s]
    enqueue_time_s : float or array_like
        Passing the frame through the backlog of the other CPU, counted there. [s]
    cpu_count : float or array_like
        CPUs that frames are steered to.
    efficiency_ratio : float or array_like
        Share of their capacity that is used when the busiest is full, such as
        `usable_capacity_ratio` of the connections on these CPUs.

    Returns
    -------
    frame_rate_fps : float or numpy.ndarray
        Of the broadcast shape of the inputs. [frame/s]

    Raises
    ------
    DomainError
        If the time of polling or of the protocols, or the efficiency, is not
        above zero, another time is negative, an argument is infinite, there is
        less than one CPU or frame to an interrupt, or the efficiency is above 1.

    Notes
    -----
    .. math:: \lambda = \min\Bigl(\frac{1}{t_{poll} + t_{hash} + t_{ipi}/b},\;
        \frac{\eta k}{t_{proto} + t_{enq}}\Bigr)

    Rises with the CPUs until the polling CPU is the bottleneck. That CPU is taken as one
    that no frame is steered to, or that has time for it; all CPUs together are
    a further limit, :math:`k_{total}` over all CPU time of a frame, which
    steering lowers. A connection stays on one CPU: with one connection
    :math:`\eta k` is 1, and where it waits for each answer its frames pass both
    in turn and later than without.

    References
    ----------
    Linux, Documentation/networking/scaling.rst ("RPS: Receive Packet
    Steering"); N. Hoppmann, "Exploring the performance of network adapters for
    Linux on IBM Z" (2021), slides 36 to 46, for where it helps.

    Examples
    --------
    Of 6 µs, 1.5 stay with the queue, and steering adds 1: 2 µs before, 5 behind.

    >>> round(steered_frame_rate_fps(1.5e-6, 0.2e-6, 1.2e-6, 4, 4.5e-6, 0.5e-6, 8, 1))
    500000
    """
    queue_time_s = poll_time_s + steering_cpu_time_s(hash_time_s, ipi_time_s, frames_per_ipi, 0)
    others_fps = efficiency_ratio * cpu_count / (protocol_time_s + enqueue_time_s)
    return minimum(1 / queue_time_s, others_fps)


@domain()
def queue_frame_rate_fps(frame_time_s: Q | Number, busiest_share_ratio: Q | Number) -> Q:
    r"""
    Frames per second of all receive queues when the CPU of the busiest one is full.

    Parameters
    ----------
    frame_time_s : float or array_like
        CPU time of a frame from the queue to the socket: polling the adapter
        and all protocols. [s]
    busiest_share_ratio : float or array_like
        Share of all frames that the busiest CPU serves; 1 where there is one
        queue, or one connection.

    Returns
    -------
    frame_rate_fps : float or numpy.ndarray
        Of the broadcast shape of the inputs. [frame/s]

    Raises
    ------
    DomainError
        If an argument is not above zero, the share is above 1, or the time is infinite.

    Notes
    -----
    .. math:: \lambda = \frac{1}{s_{max}\,t_{soft}}

    Each queue is served by one CPU, which may serve several. With :math:`N`
    connections of equal rate the share is :math:`E[\max]/N`, see
    `busiest_queue_flow_count`.

    References
    ----------
    Linux, Documentation/networking/scaling.rst ("RSS: Receive Side Scaling");
    N. Hoppmann, "Exploring the performance of network adapters for Linux on
    IBM Z" (2021), slides 36 and 46.

    Examples
    --------
    One queue, 6 µs for each frame:

    >>> round(queue_frame_rate_fps(6e-6, 1))
    166667
    """
    return 1 / (busiest_share_ratio * frame_time_s)
