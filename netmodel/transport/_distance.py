"""Time that light takes in fibre."""

import math

from netmodel.errors import ContradictionError, DomainError
from netmodel.numeric import Number, Q, domain, require_at_least, require_one

SPEED_OF_LIGHT_MPS = 299_792_458
"""In vacuum, by the definition of the metre. [m/s]"""

SILICA_GROUP_INDEX = 1.4682
"""Group index of standard single-mode fibre at 1550 nm; a little less at 1310 nm."""


@domain()
def propagation_delay_s(distance_m: Q | Number, group_index: Q | Number = SILICA_GROUP_INDEX) -> Q:
    r"""
    Time that a signal takes through a fibre in one direction.

    Parameters
    ----------
    distance_m : float or array_like
        Length of the fibre, which is longer than the distance on a map. [m]
    group_index : float or array_like
        Speed of light in vacuum over that of a signal in the fibre.

    Returns
    -------
    delay_s : float or numpy.ndarray
        Of the broadcast shape of the inputs. [s]

    Raises
    ------
    DomainError
        If the distance is negative, the index below 1, or either is infinite.

    Notes
    -----
    .. math:: t = d\, n_g / c

    with :math:`c` the speed of light in vacuum. Equipment on the path, such as
    multiplexers and transponders, adds to it.

    References
    ----------
    ITU-T G.652 for the fibre; Corning, SMF-28 Ultra, product information, for
    the group index at 1550 nm.

    Examples
    --------
    Microseconds for one kilometre:

    >>> round(propagation_delay_s(1000) * 1e6, 3)
    4.897
    """
    return distance_m * group_index / SPEED_OF_LIGHT_MPS


@domain()
def propagation_round_trip_s(
    distance_m: Q | Number,
    group_index: Q | Number = SILICA_GROUP_INDEX,
    equipment_time_s: Q | Number = 0,
    route_factor: Q | Number = 1,
) -> Q:
    r"""
    Time from end to end of a fibre and back.

    Parameters
    ----------
    distance_m : float or array_like
        Length of the fibre in one direction, or the distance on a map where a
        route factor is given. [m]
    group_index : float or array_like
        Speed of light in vacuum over that of a signal in the fibre.
    equipment_time_s : float or array_like
        What switches, multiplexers and transponders add, in both directions together.
        [s]
    route_factor : float or array_like
        Length of the fibre over the distance, at least 1: fibre follows roads and
        railways.

    Returns
    -------
    round_trip_s : float or numpy.ndarray
        Of the broadcast shape of the inputs. [s]

    Raises
    ------
    DomainError
        If the distance or the time is negative, the index or the route factor
        below 1, or one of them is infinite.

    Notes
    -----
    .. math:: r = 2\, q\, d\, n_g / c + t_e

    with :math:`q` the route factor.

    What the two hosts spend is not part of it.

    References
    ----------
    ITU-T G.652 for the fibre; Corning, SMF-28 Ultra, product information, for
    the group index at 1550 nm.

    Examples
    --------
    Milliseconds over 10 km and over 100 km:

    >>> [round(propagation_round_trip_s(km * 1000) * 1e3, 6) for km in (10, 100)]
    [0.097948, 0.979478]

    35 km on a map, 50 km of fibre:

    >>> round(propagation_round_trip_s(35_000, route_factor=50 / 35) * 1e3, 6)
    0.489739
    """
    return 2 * propagation_delay_s(distance_m, group_index) * route_factor + equipment_time_s


@domain("round_trip_s >= 0")
def latency_ratio(
    endpoint_latency_s: Q | Number, baseline_latency_s: Q | Number, round_trip_s: Q | Number
) -> Q:
    r"""
    Latency of a transport relative to a baseline over the same distance.

    Parameters
    ----------
    endpoint_latency_s : float or array_like
        What both hosts spend on a transaction with the transport. [s]
    baseline_latency_s : float or array_like
        What they spend on it with the baseline. [s]
    round_trip_s : float or array_like
        Time of propagation there and back, the same for both. [s]

    Returns
    -------
    latency_ratio : float or numpy.ndarray
        Below 1 where the transport is faster, of the broadcast shape of the
        inputs.

    Raises
    ------
    DomainError
        If a time is negative or infinite, or the baseline has no latency.

    Notes
    -----
    .. math:: q = \frac{L + r}{L_0 + r}

    The ratio goes to 1 as the distance grows: what a faster transport saves
    at the ends stays the same, and the path does not become shorter. One round
    trip per transaction: payloads that fill a window take more.

    References
    ----------
    IBM, "SMC-R performance update: SMC-R over distance" (2014), summary of
    request and response of 1K at 10 and 100 km.

    Examples
    --------
    12.7 µs in place of 110.9 µs, over 10 km of fibre:

    >>> round(latency_ratio(12.7e-6, 110.9e-6, 98e-6), 2)
    0.53
    """
    return (endpoint_latency_s + round_trip_s) / (baseline_latency_s + round_trip_s)


def endpoint_latencies(
    first_reduction_ratio: float,
    first_round_trip_s: float,
    second_reduction_ratio: float,
    second_round_trip_s: float,
) -> tuple[float, float]:
    r"""
    Latencies at the ends that explain how a gain fades from one distance to another.

    Parameters
    ----------
    first_reduction_ratio : float
        How much lower the latency is than that of the baseline at one
        distance: 0.47 for 47 % less; negative where it is higher.
    first_round_trip_s : float
        Time of propagation there and back. [s]
    second_reduction_ratio : float
        The same at another distance.
    second_round_trip_s : float
        Time of propagation there and back. [s]

    Returns
    -------
    endpoint_latency_s, baseline_latency_s : float
        Of the transport and of the baseline. [s]

    Raises
    ------
    DomainError
        If an argument is no single finite number, a reduction is 1 or more, or
        a round trip is negative.
    ContradictionError
        If no two latencies give both reductions, or more than two do.

    Notes
    -----
    .. math::

       L_0 = \frac{r_2 e_2 - r_1 e_1}{e_1 - e_2} \qquad
       L = (1 - e_1)\, L_0 - e_1\, r_1

    solve :math:`(L + r_i) / (L_0 + r_i) = 1 - e_i` for both distances. Two
    equations for two unknowns fit anything that is possible at all: a third
    distance would be needed to see whether the model holds. Figures that are
    printed as "up to" need not belong to the same run.

    References
    ----------
    IBM, "SMC-R performance update: SMC-R over distance" (2014), summary of
    request and response of 1K: up to 47 % less latency at 10 km, up to 9 % at
    100 km.

    Examples
    --------
    Microseconds with sockets over RDMA and with TCP:

    >>> [round(each * 1e6, 1) for each in endpoint_latencies(0.47, 98e-6, 0.09, 980e-6)]
    [12.7, 110.9]
    """
    known = []
    for place, reduction_ratio, round_trip_s in (
        ("first", first_reduction_ratio, first_round_trip_s),
        ("second", second_reduction_ratio, second_round_trip_s),
    ):
        ratio = require_one(f"{place}_reduction_ratio", reduction_ratio)
        if not -math.inf < ratio < 1:
            raise DomainError(f"{place}_reduction_ratio must be below 1; got {ratio:.15g}")
        name = f"{place}_round_trip_s"
        known.append((ratio, require_one(name, require_at_least(name, round_trip_s, 0, "s"))))
    first, second = known
    if first[0] == second[0]:
        raise ContradictionError(
            f"the same reduction of {first[0]:.6g} at round trips of {first[1]:.6g} s and "
            f"{second[1]:.6g} s leaves the latencies at the ends open"
        )
    saved_s = second[1] * second[0] - first[1] * first[0]
    baseline_latency_s = saved_s / (first[0] - second[0])
    endpoint_latency_s = (1 - first[0]) * baseline_latency_s - first[0] * first[1]
    if baseline_latency_s <= 0 or endpoint_latency_s < 0:
        raise ContradictionError(
            f"reductions of {first[0]:.6g} at a round trip of {first[1]:.6g} s and of "
            f"{second[0]:.6g} at {second[1]:.6g} s cannot both come from latencies at the ends: "
            f"they would be {endpoint_latency_s:.6g} s and {baseline_latency_s:.6g} s"
        )
    return endpoint_latency_s, baseline_latency_s
