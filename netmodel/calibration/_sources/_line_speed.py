"""What the line carries, and figures that say no more than that it was full."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from netmodel.calibration._models._path import mtu_under, traffic_under
from netmodel.calibration._observed import Cap, Conditions, Observed, comparable
from netmodel.calibration._sources._selection import Selection
from netmodel.errors import DomainError
from netmodel.framing import Stack, tcp_stack
from netmodel.path import Path, predict_path, wire_stages
from netmodel.records import Relation

__all__ = ["line_cap", "line_speed_as_censored"]

_THROUGHPUT = "throughput_bps"
_GIGA = 1e9
_CENSORED = (Relation.CENSORED_ABOVE, Relation.CENSORED_BELOW)


def line_cap(line_rate_bps: float, stack: Stack | None = None) -> Cap:
    """
    What a line carries of payload, as models of paths have it.

    Parameters
    ----------
    line_rate_bps : float
        MAC rate. [bit/s]
    stack : Stack, optional
        Headers of each frame; TCP over IPv4 over Ethernet when left out.

    Returns
    -------
    cap : callable
        From conditions (``mtu_bytes``, and what is sent, as `PathModel` has it)
        to the payload rate of the larger message. [bit/s]

    Raises
    ------
    DomainError
        If the rate is not above zero; from what is returned, if the MTU is not told.

    Examples
    --------
    Requests of 200 byte and responses of 30 KiB:

    >>> cap = line_cap(25e9)
    >>> round(cap({"mtu_bytes": 1500, "workload": "rr1c-200x30k"}) / 1e9, 3)
    23.486
    """
    line = Path(stages=wire_stages(line_rate_bps))
    headers = stack or tcp_stack()

    def cap(at: Conditions) -> float:
        mtu_bytes = mtu_under(at, headers, "what a line carries")
        return float(predict_path(line, traffic_under(at), mtu_bytes, headers).throughput_bps.value)

    return cap


def line_speed_as_censored(
    observed: Iterable[Observed],
    cap: Cap,
    tolerance_ratio: float = 0.005,
) -> Selection:
    """
    Observations, of which those at line speed say only that all else could do as much.

    Parameters
    ----------
    observed : iterable of Observed
        Of any quantity.
    cap : callable
        From conditions to what the line carries, such as `line_cap` makes. [bit/s]
    tolerance_ratio : float
        How far from it a figure may be that means the same.

    Returns
    -------
    selection : Selection
        A throughput that the tolerance reaches becomes ``CENSORED_ABOVE`` its
        least, and at most what the line carries. Figures below it under the same
        conditions are then of what all else can do, as it scatters. One that is
        above by more than the tolerance is left out: no figure of this line is.

    Raises
    ------
    DomainError
        If the tolerance is negative, or the cap is not known under some conditions.

    Examples
    --------
    >>> full = Observed(quantity="throughput_bps", at={"mtu_bytes": 1500}, low=23.5e9, high=23.6e9)
    >>> found = line_speed_as_censored([full], line_cap(25e9))
    >>> found.observed[0].relation.value, found.observed[0].high
    ('censored_above', inf)
    """
    if not tolerance_ratio >= 0:
        raise DomainError(f"tolerance_ratio must be at least 0; got {tolerance_ratio!r}")
    seen: list[Observed] = []
    notes: list[str] = []
    full: dict[str, list[str]] = {}
    for one in observed:
        cap_bps = cap(one.at) if one.quantity == _THROUGHPUT and one.figure is not None else None
        if cap_bps is None or one.high < cap_bps * (1 - tolerance_ratio):
            seen.append(one)
        elif one.low > cap_bps * (1 + tolerance_ratio):
            notes.append(
                f"{one.name}: refused: {one.low / _GIGA:.4g} Gbit/s or more, and the line carries "
                f"{cap_bps / _GIGA:.4g} Gbit/s"
            )
        else:
            seen.append(_at_the_line(one, cap_bps))
            full.setdefault(f"{cap_bps / _GIGA:.4g} Gbit/s", []).append(one.name)
    notes += [_full_note(carried, names) for carried, names in full.items()]
    return Selection(tuple(_beside_censored(seen)), tuple(dict.fromkeys(notes)))


def _at_the_line(one: Observed, cap_bps: float) -> Observed:
    low = min(one.low, cap_bps)
    return replace(one, low=low, high=float("inf"), relation=Relation.CENSORED_ABOVE)


def _beside_censored(seen: Sequence[Observed]) -> Iterator[Observed]:
    """The same; where some of the same conditions are censored, so would the others have been."""
    censored = {comparable(one.at) for one in seen if one.relation in _CENSORED}
    for one in seen:
        is_beside = one.figure is not None and comparable(one.at) in censored
        yield replace(one, is_beside_censored=True) if is_beside else one


def _full_note(carried: str, names: Sequence[str]) -> str:
    others = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"{names[0]}{others}: at line speed: censored above, since the line carries {carried}"
