"""Open networks with a product form: how long transactions stay at stations that classes share."""

import math

from netmodel._numeric import (
    FloatOrArray,
    Number,
    require_above,
    require_at_least,
    require_at_most,
    require_one,
)
from netmodel._numpy import np
from netmodel.concurrency._queues import MAX_PARALLEL_COUNT
from netmodel.errors import DomainError


def open_residence_ratio(offered_load_erlang: Number, parallel_count: Number) -> float:
    r"""
    Time at a station of an open network over the time of service alone.

    Parameters
    ----------
    offered_load_erlang : float
        Of all classes together: the sum of arrival rates times service times,
        at least 0 and below the number of servers. [erlang]
    parallel_count : float
        Servers, of which a transaction uses one at a time; above zero and at most 1,000,000.
        What is not whole works as so much of a server.

    Returns
    -------
    residence_ratio : float
        The same for all classes; 1 where nothing waits.

    Raises
    ------
    DomainError
        If the offered load is negative or not below the number of servers, or that is not above
        zero and at most 1,000,000.

    Notes
    -----
    .. math:: \frac{R_{rk}}{d_{rk}} = \frac{\sum_j j\,p_j}{a}, \qquad
        p_j \propto \prod_{i=1}^{j} \frac{a}{\min(i, m)}, \qquad a = \sum_k y_k\, d_{rk}

    With one server this is :math:`1 / (1 - \rho)`, with whole servers
    :math:`1 + C(m, a) / (m - a)` of Erlang C. Arrivals of each class are Poisson. Servers are
    shared equally by all transactions at the station, whatever the distribution of service
    times, or serve in the order of arrival where these are exponential and alike for all classes.
    Then the time in the network is the sum over its stations.

    References
    ----------
    F. Baskett, K. M. Chandy, R. R. Muntz and F. G. Palacios, "Open, closed, and mixed networks of
    queues with different classes of customers", Journal of the ACM 22 (1975).

    Examples
    --------
    80 % of one server; 3.2 of four, of which 0.5964 wait (Erlang C):

    >>> round(open_residence_ratio(0.8, 1), 9), round(open_residence_ratio(3.2, 4), 4)
    (5.0, 1.7455)
    """
    name = "parallel_count"
    servers = require_above(name, require_one(name, parallel_count), 0, "")
    require_at_most(name, servers, MAX_PARALLEL_COUNT, "")
    name = "offered_load_erlang"
    load = require_at_least(name, require_one(name, offered_load_erlang), 0, "erlang")
    if not load < servers:
        raise DomainError(
            f"offered_load_erlang must be below the {servers:g} servers, or the queue grows "
            f"without end; got {load!r}"
        )
    if not load:
        return float(max(1 / servers, 1.0))
    # (1) up to as many as are served alone: p_j = a^j / j!, over the largest of them
    whole = math.floor(servers)
    present = np.arange(whole + 1)
    steps = math.log(load) - np.log(np.maximum(present, 1))
    logs: FloatOrArray = np.cumsum(np.where(present > 0, steps, 0.0))
    weights = np.exp(logs - np.max(logs))
    # (2) beyond: p_j = p_whole rho^(j - whole)
    use = load / servers
    beyond = weights[-1] * use / (1 - use)
    mean_count = (present @ weights + beyond * (whole + 1 / (1 - use))) / (weights.sum() + beyond)
    return float(mean_count / load)
