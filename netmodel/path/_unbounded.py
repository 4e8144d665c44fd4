"""A path whose rate nothing bounds: no line between its ends is known."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from netmodel._display import short_repr
from netmodel._html import definition_table
from netmodel._terminal import fitted
from netmodel.path._limits import Beside, PublishedFigure
from netmodel.path._settings import Setting
from netmodel.path._traffic import Traffic

_UNKNOWN = (
    *("distance", "throughput_bps", "transaction_rate_tps", "transaction_rate_bounds_tps"),
    *("transaction_time_s", "expected", "zero_load_time_s", "cpu_us_per_gbit"),
    *("cpu_s_per_transaction", "cpu_busy", "cpu_busy_expected", "cpu_parts", "pool_busy"),
    *("binding", "bounded_by", "elasticities", "grade"),
)
"""Keys of a prediction that are null here."""
NO_LINE = "no line and no limit of it is known"
"""Why nothing bounds the rate."""


@dataclass(frozen=True)
class Unbounded:
    """
    A path without a known line or limit, such as that between two guests of one host.

    Parameters
    ----------
    path_name : str
        Id of its record.
    traffic : Traffic
        What is exchanged.
    mtu_bytes : float, optional
        Largest innermost packet. [byte]
    unknown : tuple of str
        What its record does not know.
    settings : tuple of Setting
        What it was measured with, such as offloads.
    beside : callable
        Looks up what documents print of its case, when it is first asked for.

    Examples
    --------
    >>> import netmodel
    >>> known = netmodel.predict(path="kvm-one-host", workload="str-writex30k", mtu_bytes=8192)
    >>> known
    <Unbounded kvm-one-host>
    >>> known.published[1].line.partition(" (")[0]
    'throughput up to 2.2 times that with mtu 1500'
    """

    path_name: str
    traffic: Traffic
    mtu_bytes: float | None
    unknown: tuple[str, ...] = ()
    settings: tuple[Setting, ...] = ()
    beside: Callable[[], Beside] = field(default=Beside, repr=False, compare=False)

    @property
    def published(self) -> tuple[PublishedFigure, ...]:
        """Ratios that documents print of its case."""
        return self.beside().figures

    @property
    def also_published(self) -> tuple[PublishedFigure, ...]:
        """Figures that documents print of the nearest cases; each says what differs."""
        return self.beside().others

    @property
    def notes(self) -> tuple[str, ...]:
        """Why nothing is predicted, and what would tell."""
        known = (f"not published, no physical bound: {NO_LINE}", "CPU cost not published")
        return (*known, *(f"not known: {part}" for part in self.unknown))

    def to_dict(self) -> dict[str, Any]:
        """Return the keys of a prediction, null where nothing is known."""
        return {
            "connection_count": self.traffic.connection_count,
            "mtu_bytes": self.mtu_bytes,
            **dict.fromkeys(_UNKNOWN),
            "limits": [],
            "measured_with": [each.to_dict() for each in self.settings],
            "notes": list(self.notes),
            "published": [figure.to_dict() for figure in self.published],
            "also_published": [figure.to_dict() for figure in self.also_published],
        }

    def _rows(self) -> list[tuple[str, str]]:
        return [("path", self.path_name), *(("note", text) for text in self.notes)]

    def __str__(self) -> str:
        return fitted("\n".join(f"{name}: {text}" for name, text in self._rows()))

    def _repr_html_(self) -> str:
        return definition_table("Prediction", self._rows())

    def __repr__(self) -> str:
        return short_repr(self, self.path_name)
