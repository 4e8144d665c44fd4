"""A path whose rate nothing bounds: no line between its ends is known."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from netmodel.estimates import Bound, Predicted
from netmodel.frames import frame_of
from netmodel.framing import tcp_stack
from netmodel.path.ensemble import Ensemble
from netmodel.path.prediction import Prediction
from netmodel.path.settings import settings_of
from netmodel.path.stages import Path, Stage
from netmodel.path.traffic import Load, Traffic
from netmodel.results import Result, keys_of, short_repr

if TYPE_CHECKING:
    import pandas as pd

    from netmodel.records import PathRecord

NO_LINE = "no line and no limit of it is known"
"""Why nothing bounds the rate."""


@dataclass(frozen=True, repr=False)
class Unbounded(Prediction):
    """
    A path without a known line or limit, such as that between two guests of one host.

    Its rate has no limit, and no MTU is NaN.

    Examples
    --------
    >>> import netmodel
    >>> known = netmodel.predict(path="kvm-one-host", workload="str-writex30k", mtu_bytes=8192)
    >>> known, known.throughput_bps.value
    (<Unbounded kvm-one-host>, inf)
    >>> known.published[1].line.partition(" (")[0]
    'throughput up to 2.2 times that with mtu 1500'
    """

    json_keys = (
        "connection_count=traffic.connection_count mtu_bytes measured_with=path.settings notes "
        "published also_published"
    )

    @property
    def transaction_rate_tps(self) -> Predicted:
        """No limit. [1/s]"""
        return Predicted(math.inf, math.inf, math.inf, Bound.UPPER)

    @property
    def binding(self) -> None:
        """None: nothing limits the rate."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Why nothing is predicted, and what would tell."""
        known = (f"not published, no physical bound: {NO_LINE}", "CPU cost not published")
        return (*known, *(f"not known: {part}" for part in self.path.unknown))

    def to_dict(self) -> dict[str, Any]:
        """Return the keys of a prediction, null where nothing is known."""
        return dict.fromkeys(keys_of(Prediction)) | {"limits": []} | Result.to_dict(self)

    def _rows(self) -> Iterator[tuple[str, str]]:
        yield "path", self.path.name
        yield from (("note", text) for text in self.notes)

    def __repr__(self) -> str:
        return short_repr(self, self.path.name)

    def to_frame(self) -> "pd.DataFrame":
        """Return a row that says that there is no limit."""
        return frame_of([{"limit": "none", "throughput_bps": math.inf}], "limit")


def unbounded(record: "PathRecord", traffic: Traffic, mtu_bytes: Any) -> Unbounded:
    """Return the prediction of a path of the catalog that has no line and no known limit."""
    stages, settings, stack = (Stage(name="network"),), tuple(settings_of([record])), tcp_stack()
    own = Path(stages=stages, name=record.id, unknown=record.unknown, settings=settings)
    mtu = math.nan if mtu_bytes is None else mtu_bytes
    load = Load(traffic, mtu, stack, Ensemble(()))
    return Unbounded(own, load, limits=())
