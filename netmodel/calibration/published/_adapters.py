"""Times of adapters, from what streams over them showed: statements and cells of tables."""

import math
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from netmodel._grades import Grade
from netmodel._hull import hull
from netmodel._numeric import Floats
from netmodel.calibration._models._base import SeveralModels
from netmodel.calibration._models._path import PathModel, adapter_model
from netmodel.calibration._observed import Observed
from netmodel.calibration._recorded import known_payload_text
from netmodel.calibration._sets import FeasibleSet, feasible_set
from netmodel.calibration._sources._dataset import observed_from_dataset
from netmodel.calibration._sources._statements import observed_from_statements
from netmodel.calibration.published._documents import Document, is_rounding, points
from netmodel.records import Relation, adapter, dataset, statement
from netmodel.units import parse_rate_bps

__all__ = ["adapter_documents", "adapter_inputs"]

_OSA7S, _OSA6S, _ROCE = "osa-express7s-25gbe", "osa-express6s-10gbe", "roce-express2.1-25gbe"
_TIMES = ("per_frame_s", "per_byte_s")
_ABOUT_RATIO = 0.05

_WHOLE_TABLES = frozenset({12})
"""Tables whose rates are whole numbers, with a printed .0 that is no digit."""
_REST_OF_WHOLE_BPS = parse_rate_bps("0.45 MiB/s")
"""How much more than by the printed digit such a rate may be rounded."""

_INWARD_7S = (
    "osa7s-inbound-limit-slide-35",
    "osa7s-inbound-limit-slide-33",
    "osa7s-inbound-limit-slide-34",
    "osa7s-inbound-limit-slide-47",
    "osa7s-limit-streaming-slide-21",
    "osa7s-limit-slide-22",
)
_OUTWARD_7S = (
    "osa7s-outbound-limit-slide-35",
    "osa7s-outbound-limit-slide-34",
    "osa7s-outbound-limit-slide-47",
)
_LINE_7S = (
    "osa7s-line-speed-streaming-mtu-9000",
    "osa7s-line-speed-streaming-slide-29",
    "osa7s-line-speed-streaming-slide-30",
)
_GAIN_7S = "osa7s-against-osa6s-streaming"
_LINE_6S = "osa6s-line-speed-streaming-mtu-9000"
_RESPONSES_6S = "osa6s-line-speed-rr30k-mtu-1500"
_LINE_ROCE = ("roce-line-speed-streaming-mtu-1500", "roce-line-speed-streaming-mtu-9000")

_Corner: TypeAlias = tuple[float, float]
"""Time for a frame, and for a byte of its payload. [s]"""


@dataclass(frozen=True, slots=True)
class _Direction:
    """
    What is known of one direction of an adapter, and from where.

    Statements of `about` are words without a figure that are taken as about
    what they say; `tables` are those of the z/VM dataset.
    """

    adapter: str
    name: str
    statements: tuple[str, ...] = ()
    about: frozenset[str] = frozenset()
    tables: tuple[int, ...] = ()
    assumed: str | None = None


_RESPONSES_ARE_ABOUT = (
    "capped by line speed, said of responses at MTU 1500, is taken as within 5 %: exactly taken it "
    "and more than 45 % contradict each other, by 0.42 % of each figure"
)
_RECEIVER_LIMITS = (
    "that the receiving side limits its streams at MTU 1500 is assumed, as the document says it of "
    "OSA-Express7S"
)
_SAME_AT_SERVER = (
    "that the server sends through an adapter of the same kind is assumed: the tables are of the "
    "client"
)
_DIRECTIONS = (
    _Direction(_OSA7S, "in", (*_INWARD_7S, *_LINE_7S)),
    _Direction(_OSA7S, "out", (*_OUTWARD_7S, *_LINE_7S)),
    _Direction(
        _OSA6S,
        "in",
        (_GAIN_7S, *_INWARD_7S, _LINE_6S, _RESPONSES_6S),
        about=frozenset({_RESPONSES_6S}),
        assumed=f"{_RECEIVER_LIMITS}; {_RESPONSES_ARE_ABOUT}",
    ),
    _Direction(
        _OSA6S,
        "out",
        (_LINE_6S, _RESPONSES_6S),
        about=frozenset({_RESPONSES_6S}),
        assumed=_RESPONSES_ARE_ABOUT,
    ),
    _Direction(_ROCE, "in", (*_LINE_ROCE, "roce-line-speed-in-slide-31")),
    _Direction(_ROCE, "out", (*_LINE_ROCE, "roce-line-speed-out-slide-31")),
    _Direction("osa-express2-1gbe", "in", tables=(9, 10)),
    _Direction("osa-express2-1gbe", "out", tables=(9, 10), assumed=_SAME_AT_SERVER),
    _Direction("osa-express2-10gbe", "in", tables=(12,)),
    _Direction("osa-express2-10gbe", "out", tables=(12,), assumed=_SAME_AT_SERVER),
)


def adapter_inputs() -> dict[str, tuple[str, ...]]:
    """
    Statements that the times of adapters come from.

    Returns
    -------
    inputs : dict of str to tuple of str
        By id of the adapter the ids of statements, those included that say again
        what another one says. Empty where only tables tell.

    Examples
    --------
    >>> adapter_inputs()["osa-express6s-10gbe"][-1]
    'osa6s-line-speed-rr30k-mtu-1500'
    """
    found: dict[str, dict[str, None]] = {}
    for one in _DIRECTIONS:
        found.setdefault(one.adapter, {}).update(dict.fromkeys(one.statements))
    return {name: tuple(ids) for name, ids in found.items()}


def adapter_documents(
    without: Collection[str] = frozenset(), adapters: Collection[str] | None = None
) -> dict[tuple[str, str], Document]:
    """
    Times of adapters for each frame and each byte, from what streams showed.

    Parameters
    ----------
    without : collection of str
        Ids of statements to leave out, such as those to predict from the others.
    adapters : collection of str, optional
        Ids of those that are wanted; all of them when left out.

    Returns
    -------
    documents : dict of (str, str) to dict
        By ``"adapters"`` and id, with ``in`` and ``out``; a direction is left out
        where what is left does not bound its times.

    Raises
    ------
    ContradictionError
        If the statements cannot be true together.
    MissingDataError
        If netmodel was installed without its data.

    Notes
    -----
    A stream's payload :math:`D` of each frame takes :math:`\\alpha + \\beta D`.
    What the documents say of streams bounds that sum at one :math:`D` each, and
    the record holds the corners of all :math:`(\\alpha, \\beta)` that it leaves. The
    corners of figures as printed come first, those of their rounding behind them.
    A line that was full says that the adapter takes no longer than the line does.
    Requests and responses are no inputs but where a note says so.

    References
    ----------
    N. Hoppmann, "Exploring the performance of network adapters for Linux on
    IBM Z" (2021), slides 19 to 35.

    Examples
    --------
    >>> inward = adapter_documents()["adapters", "osa-express7s-25gbe"]["in"]
    >>> inward["vertices"][0], inward["known_payload"]
    ({'per_frame': '864.4776119 ns', 'per_byte': '0 ns'}, '1448 to 8948 B')
    """
    found: dict[tuple[str, str], Document] = {}
    for one in _DIRECTIONS:
        is_wanted = adapters is None or one.adapter in adapters
        times = _times(one, frozenset(without)) if is_wanted else None
        if times:
            found.setdefault(("adapters", one.adapter), {})[one.name] = times
    return found


def _times(one: _Direction, without: frozenset[str]) -> Document | None:
    """The table of the record; None where the times may be infinite."""
    observed = [*_stated(one, without), *_measured(one)]
    names = dict.fromkeys([one.adapter, *(name for seen in observed for name in _adapters(seen))])
    models = {name: adapter_model(adapter(name).line_rate_bps) for name in names}
    found = feasible_set(observed, SeveralModels("adapter", models))
    if any(math.isinf(found.parameters[f"{one.adapter}.{time}"].high) for time in _TIMES):
        return None
    corners, printed_count = _corners(found, one.adapter)
    return {
        "vertices": points(corners),
        **({} if printed_count == len(corners) else {"printed_count": printed_count}),
        "known_payload": _known_payload(models[one.adapter], one.adapter, observed),
        **_provenance(one, without),
    }


def _stated(one: _Direction, without: frozenset[str]) -> Iterator[Observed]:
    for name in one.statements:
        if name in without:
            continue
        for seen in observed_from_statements([statement(name)]).observed:
            yield _loosened(seen, name in one.about)


def _loosened(seen: Observed, is_about: bool) -> Observed:
    """With the rounding of "up to" above its figure as below, and words as about what they say."""
    if seen.relation is Relation.UP_TO and seen.value is not None:
        return replace(seen, high=2 * seen.value - seen.low)
    return replace(seen, low=seen.low * (1 - _ABOUT_RATIO)) if is_about else seen


def _measured(one: _Direction) -> Iterator[Observed]:
    """Rates of streams, whatever limited them: the adapter can do as much."""
    source = dataset("zvm-layer2-layer3")
    for number in one.tables:
        rows = source.tables["measurements"].where(table=number)
        conditions = ["adapter", "mtu_bytes"]
        for seen in observed_from_dataset(
            source, rows, ["data_rate_mb_per_s"], conditions=conditions
        ).observed:
            low_bps = seen.low if number not in _WHOLE_TABLES else seen.low - _REST_OF_WHOLE_BPS
            reached = replace(seen, low=low_bps, high=math.inf, value=None)
            yield replace(reached, relation=Relation.CENSORED_ABOVE)


def _adapters(seen: Observed) -> Iterator[str]:
    """Those whose times it depends on."""
    return (str(at["adapter"]) for at in seen.all_conditions)


def _corners(found: FeasibleSet, name: str) -> tuple[list[_Corner], int]:
    """Corners of the times of one adapter, and how many take figures as printed: the first."""
    allowed = sorted(hull(_of_adapter(found, name, found.vertices)), reverse=True)
    if (0.0, 0.0) in allowed:
        return sorted(allowed), len(allowed)
    printed = sorted(hull(_of_adapter(found, name, found.printed_vertices)), reverse=True)
    return list(dict.fromkeys([*printed, *allowed])), len(printed)


def _of_adapter(found: FeasibleSet, name: str, corners: Floats) -> Iterator[_Corner]:
    places = [[*found.parameters].index(f"{name}.{time}") for time in _TIMES]
    most_s = [corners[:, place].max() for place in places]
    for row in corners[:, places]:
        frame_s, byte_s = (
            0.0 if is_rounding(time_s, scale_s) else float(time_s)
            for time_s, scale_s in zip(row, most_s, strict=True)
        )
        yield frame_s, byte_s


def _known_payload(model: PathModel, name: str, observed: Iterable[Observed]) -> str:
    payloads = [
        payload
        for seen in observed
        for at in seen.all_conditions
        if at["adapter"] == name
        for payload in model.frame_payloads(at).values()
    ]
    return known_payload_text(payloads)


def _provenance(one: _Direction, without: frozenset[str]) -> Document:
    used = [name for name in one.statements if name not in without]
    how = (
        "corners of all times that what was seen allows, those of figures as printed before "
        "those of their rounding; a full line says no more than that the adapter is no slower"
    )
    if one.tables:
        tables = "table" if len(one.tables) == 1 else "tables"
        source, locator = "zvm", f"{tables} {' and '.join(map(str, one.tables))}, all rates"
    else:
        source, locator = "adapter", f"statements {', '.join(used)}"
    return {
        "source": source,
        "locator": locator,
        "grade": (Grade.ASSUMED if one.assumed else Grade.FITTED).value,
        "note": f"{how}; {one.assumed}" if one.assumed else how,
    }
