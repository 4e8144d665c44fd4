"""What limits the rate of a path, and where it is published if the path does not say it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from netmodel.estimates import Predicted
from netmodel.kept import Once
from netmodel.numeric import FloatOrArray
from netmodel.path._traffic import Terms, sum_of


class Capacity(NamedTuple):
    """
    What limits, in one or all combinations of its parameters.

    Parameters
    ----------
    capacity : float or numpy.ndarray
        Servers, or transactions that may be in progress.
    terms : tuple of (str, float or numpy.ndarray)
        Parts of the time that a transaction takes. [s]
    """

    capacity: FloatOrArray
    terms: Terms


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
    rate : Predicted
        Transactions per second at which the capacity is used up. Where a hash spreads
        flows, an upper bound of the mean over all its outcomes. [1/s]
    build : Once
        Makes capacity and terms with the parameters of the rate to quote, the highest that
        published figures as printed leave open.
    smallest_tps : float or numpy.ndarray, optional
        The rate with those parameters that make it smallest, published figures as printed;
        None where there are no others. [1/s]
    best_rate_tps : float or numpy.ndarray, optional
        Where a hash spreads flows: upper bound of a run in which it spreads them best. [1/s]
    even_rate_tps : float or numpy.ndarray, optional
        Where a hash spreads the flows of a stream: the mean over all its outcomes, if
        all flows are equally fast, as the slowest of them is. [1/s]
    published : Published, optional
        Where the limit is published, if it is not one of the path.
    """

    name: str
    rate: Predicted
    build: Once[Capacity] = field(repr=False, compare=False)
    smallest_tps: FloatOrArray | None = None
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
