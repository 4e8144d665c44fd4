"""What limits the rate of a path, and where it is published if the path does not say it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from netmodel.estimates import Predicted
from netmodel.kept import Once
from netmodel.lazy_numpy import np
from netmodel.numeric import FloatOrArray
from netmodel.path._traffic import Terms, sum_of
from netmodel.path._zero_load import Divided


class OtherBound(NamedTuple):
    """
    The smallest upper bound that published figures as printed leave open.

    Parameters
    ----------
    throughput_bps : float
        Payload rate. [bit/s]
    limit : str
        Name of the limit that sets it.
    time : str, optional
        The service time that takes most there and not at the bound to quote, such as
        ``"per_byte_s"``; None where the same does in both cases.

    Examples
    --------
    >>> OtherBound(18.5e9, "server_adapter_in", "per_byte_s").limit
    'server_adapter_in'
    """

    throughput_bps: float
    limit: str
    time: str | None


class Capacity(NamedTuple):
    """
    What limits, in one or all combinations of its parameters.

    Parameters
    ----------
    capacity : float or numpy.ndarray
        Servers, or transactions that may be in progress.
    terms : tuple of (str, float or numpy.ndarray)
        Parts of the time that a transaction takes. [s]
    divided : tuple of Divided
        Parts of it that a number of servers divides.
    powers : tuple of (str, float or numpy.ndarray)
        Elasticity of the rate to parameters that it is no sum of, such as a loss.
    """

    capacity: FloatOrArray
    terms: Terms
    divided: tuple[Divided, ...] = ()
    powers: Terms = ()


class Elasticity(NamedTuple):
    """
    Relative change of the rate for each relative change of a parameter.

    The two differ only where several limits tie: what then raises one of them
    gains nothing, and what lowers one of them loses all.

    Parameters
    ----------
    increase, decrease : float or numpy.ndarray
        For a parameter that becomes a little larger, and a little smaller.

    Examples
    --------
    >>> Elasticity(-1.0, 0.0).increase
    -1.0
    """

    increase: FloatOrArray
    decrease: FloatOrArray


class PublishedFigure(Protocol):
    """A figure or ratio that a document prints."""

    @property
    def line(self) -> str:
        """Quantity, amount, place, and what differs from the predicted case."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values by name."""


class Beside(NamedTuple):
    """
    Printed figures beside a prediction.

    Parameters
    ----------
    rate : str
        The printed throughput or transaction rate of the very case; empty where none is.
    rate_bps : float, optional
        Its payload rate; None without a figure. [bit/s]
    found : callable, optional
        Looks up all figures and ratios of the very case, and those of the nearest cases.
    """

    rate: str = ""
    rate_bps: float | None = None
    found: Callable[[], tuple[tuple[PublishedFigure, ...], ...]] | None = None

    @property
    def figures(self) -> tuple[PublishedFigure, ...]:
        """All figures and ratios of the very case."""
        return self.found()[0] if self.found else ()

    @property
    def others(self) -> tuple[PublishedFigure, ...]:
        """Those of the nearest cases."""
        return self.found()[1] if self.found else ()


class Published(NamedTuple):
    """
    Why a rate is bounded by what documents print.

    Parameters
    ----------
    text : str
        The printed ratio with what it refers to.
    places : tuple of str
        Documents and places.
    """

    text: str
    places: tuple[str, ...]


@dataclass(frozen=True)
class PathLimit:
    """
    A rate that no transaction rate exceeds: a capacity over what a transaction takes of it.

    Parameters
    ----------
    name : str
        Stage, stage of each connection, pool, ``"window"``, ``"loss"`` or ``"connections"``.
    capacity_names : tuple of str
        Names of the parameters that the capacity is proportional to. Servers that
        flows are hashed to are used unevenly: in proportion to no parameter.
    rate : Predicted
        Transactions per second at which the capacity is used up. Where a hash spreads
        flows, an upper bound of the mean over all its outcomes. [1/s]
    build : Once
        Makes capacity and terms with the parameters of the rate to quote, the highest that
        published figures as printed leave open.
    smallest : PathLimit, optional
        The same with those parameters that make it smallest, published figures as printed;
        None where there are no others.
    best_rate_tps : float or numpy.ndarray, optional
        Where a hash spreads flows: upper bound of a run in which it spreads them best. [1/s]
    even_rate_tps : float or numpy.ndarray, optional
        Where a hash spreads the flows of a stream: the mean over all its outcomes, if
        all flows are equally fast, as the slowest of them is. [1/s]
    published : Published, optional
        Where the limit is published, if it is not one of the path.
    """

    name: str
    capacity_names: tuple[str, ...]
    rate: Predicted
    build: Once[Capacity] = field(repr=False, compare=False)
    smallest: "PathLimit | None" = field(default=None, repr=False)
    best_rate_tps: FloatOrArray | None = None
    even_rate_tps: FloatOrArray | None = None
    published: Published | None = None

    @property
    def capacity(self) -> FloatOrArray:
        """Servers, or transactions that may be in progress."""
        return self.build().capacity

    @property
    def terms(self) -> Terms:
        """Parts of the time that a transaction takes. [s]"""
        return self.build().terms

    @property
    def divided(self) -> tuple[Divided, ...]:
        """Parts of its time that a number of servers divides."""
        return self.build().divided

    @property
    def load_s(self) -> FloatOrArray:
        """What a transaction takes. [s]"""
        return sum_of(self.terms)

    @property
    def rate_tps(self) -> FloatOrArray:
        """The rate to quote. [1/s]"""
        return self.rate.value

    @property
    def highest_rate_tps(self) -> FloatOrArray:
        """The highest that parameters leave open, and a hash that spreads flows. [1/s]"""
        return self.rate.high if self.best_rate_tps is None else self.best_rate_tps

    @property
    def elasticities(self) -> dict[str, Elasticity]:
        """Elasticity of this limit alone to each of its parameters."""
        load_s = self.load_s

        def share(time_s: FloatOrArray) -> FloatOrArray:
            if not np.ndim(load_s) and not load_s:
                return 0.0
            with np.errstate(invalid="ignore"):  # 0 of 0 in arrays, where others limit
                return time_s / load_s

        result = dict.fromkeys(self.capacity_names, Elasticity(1.0, 1.0))
        for name, time_s in self.terms:
            result[name] = Elasticity(-share(time_s), -share(time_s))
        for part in self.divided:
            increase, decrease = result.get(part.name, (0.0, 0.0))
            result[part.name] = Elasticity(
                increase + share(part.more_s), decrease + share(part.fewer_s)
            )
        for name, power in self.build().powers:
            result[name] = Elasticity(power, power)
        return result

    @property
    def largest_time(self) -> str:
        """The kind of service time that takes most of it, such as ``"per_byte_s"``."""
        times: dict[str, float] = {}
        for name, time_s in self.terms:
            kind = name.rpartition(".")[2]
            times[kind] = times.get(kind, 0.0) + float(time_s)
        return max(times, key=times.__getitem__)
