"""Planned rates: from a mean and its variation, or a measured percentile."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from netmodel.consumption import Side
from netmodel.errors import ContradictionError, DomainError
from netmodel.planning.flows import Flow, workload_flow
from netmodel.planning.sizing import lognormal_peak_ratio
from netmodel.records import workload
from netmodel.results import Result
from netmodel.text import RESULT_DIGITS, percent_text
from netmodel.units import format_rate

if TYPE_CHECKING:
    from netmodel.records.scenarios import TrafficClass


@dataclass(frozen=True, kw_only=True, repr=False)
class PlannedVolume(Result):
    """
    The rate that a traffic class is planned for, and where it comes from.

    Parameters
    ----------
    name : str
        The class.
    planned_bps : float
        Payload rate of the side that sends more. [bit/s]
    basis : str
        Where the rate comes from.
    quantile_ratio : float, optional
        Share of the time that the load is to stay below it; None where that is not known.
    mean_bps : float, optional
        Mean of the load; None where it is not known. [bit/s]
    variation_ratio : float, optional
        Standard deviation over mean; None where it is not known.
    payload_bits : float, optional
        Of a transaction; None where a transaction has no size. [bit]
    growth_per_year_ratio : float
        Compound growth of the load.
    notes : tuple of str
        Notes for the reader.
    """

    name: str
    planned_bps: float
    basis: str
    quantile_ratio: float | None = None
    mean_bps: float | None = None
    variation_ratio: float | None = None
    payload_bits: float | None = None
    growth_per_year_ratio: float = 0.0
    notes: tuple[str, ...] = ()

    json_keys = (
        "name planned_bps basis quantile_ratio mean_bps variation_ratio growth_per_year_ratio "
        "notes planned_tps"
    )

    @property
    def planned_tps(self) -> float | None:
        """Transactions per second; None where a transaction has no size. [1/s]"""
        return None if self.payload_bits is None else self.planned_bps / self.payload_bits


def planned_volume(
    traffic: "TrafficClass", quantile_ratio: float, *, payload_bits: float | None = None
) -> PlannedVolume:
    r"""
    Return the planned rate of a traffic class, from its mean or peak.

    Parameters
    ----------
    traffic : TrafficClass
        With a mean or a peak.
    quantile_ratio : float
        Share of the time that the load is to stay below the planned rate.
    payload_bits : float, optional
        Of a transaction; needed where rates are transactions per second. [bit]

    Returns
    -------
    volume : PlannedVolume
        With mean and variation where they are known.

    Raises
    ------
    ContradictionError
        If another quantile was measured than the load is planned at, without a variation.
    DomainError
        If transactions have no size.

    Notes
    -----
    .. math:: D_q = \bar D\,r(q, c_v) = D_p\,\frac{r(q, c_v)}{r(p, c_v)}, \qquad
        r = e^{z_q s - s^2/2}, \quad s^2 = \ln(1 + c_v^2)

    of a lognormal load with the mean :math:`\bar D` or the quantile :math:`D_p`.

    Examples
    --------
    2.684 times the mean is the 99 % quantile, and 1.945 times the 95 % one:

    >>> from netmodel.records.scenarios import TrafficClass
    >>> orders = TrafficClass(name="a", peak="12 Gbit/s", peak_quantile="99 %", variation="50 %")
    >>> volume = planned_volume(orders, 0.95)
    >>> round(volume.planned_bps / 1e9, 3), round(volume.mean_bps / 1e9, 3)
    (8.697, 4.471)
    """
    name, variation, measured = traffic.name, traffic.variation, traffic.peak_quantile
    known: dict[str, Any] = {"name": name, "payload_bits": payload_bits}
    known["growth_per_year_ratio"] = traffic.growth_per_year
    given = traffic.mean or traffic.peak
    assert given is not None  # a class has one of both
    if traffic.peak and given.period_s != 1:  # such as 5 TB/day
        known["notes"] = (f"{name}: its peak is a mean over a longer time: busy times need more",)
    if given.tps is not None and payload_bits is None:
        raise DomainError("transactions per second need a workload, which gives them a size")
    rate_bps = given.bps or (given.tps or 0.0) * (payload_bits or 0.0)
    quantile, rate = _percent(quantile_ratio), format_rate(rate_bps, RESULT_DIGITS)
    # (1) nothing says how often the rate is exceeded
    if (variation if traffic.mean else measured) is None:
        known |= {"planned_bps": rate_bps, "mean_bps": rate_bps if traffic.mean else None}
        what, missing = "peak", " as given; peak_quantile says how rare it is"
        if traffic.mean:
            what, missing = "mean", f"; give variation for its {quantile} quantile"
        known["notes"] = (*known.get("notes", ()), f"{name}: planned at its {what}{missing}")
        return PlannedVolume(basis=f"{what} as given", **known)
    # (2) a measured quantile
    known["quantile_ratio"] = quantile_ratio
    basis = "" if measured is None else f"measured {_percent(measured)} quantile"
    if variation is None:
        if measured != quantile_ratio:
            raise ContradictionError(
                f"{name}: the peak is the {_percent(measured or 0)} quantile, and the load is "
                f"planned at its {quantile} one: give that as peak, or variation (standard "
                "deviation over mean), which leads from one to the other"
            )
        return PlannedVolume(planned_bps=rate_bps, basis=basis, **known)
    # (3) a lognormal load
    to_mean = 1.0 if measured is None else float(lognormal_peak_ratio(measured, variation))
    source = f"mean {rate}" if measured is None else f"from the {basis} of {rate}"
    basis = f"{basis} of {rate}"
    if measured != quantile_ratio:
        shape = f"{quantile} quantile of a lognormal load"
        basis = f"{shape}, {source}, variation {_percent(variation)}"
    known |= {"mean_bps": rate_bps / to_mean, "variation_ratio": variation}
    peak_bps = rate_bps / to_mean * float(lognormal_peak_ratio(quantile_ratio, variation))
    return PlannedVolume(planned_bps=peak_bps, basis=basis, **known)


def planned_flow(traffic: "TrafficClass", quantile_ratio: float) -> tuple[Flow, PlannedVolume]:
    """Return a class of a scenario as a flow at its planned rate, and where that comes from."""
    load = workload(traffic.workload) if traffic.workload else None
    sender, count = Side(traffic.sender) if traffic.sender else None, traffic.connections
    flow_of = partial(workload_flow, load, sender=sender, connection_count=count)
    bits = flow_of(transaction_rate_tps=1).payload_rate_bps if load else None
    volume = planned_volume(traffic, quantile_ratio, payload_bits=bits)
    given = traffic.mean or traffic.peak
    assert given is not None  # a class has one of both
    if given.tps is None:
        flow = flow_of(payload_rate_bps=volume.planned_bps)
    else:
        flow = flow_of(transaction_rate_tps=volume.planned_tps)
    return replace(flow, name=traffic.name), volume


def sum_notes(volumes: Sequence[PlannedVolume]) -> list[str]:
    """Return a note on the sum of quantiles, where there are several."""
    if sum(each.quantile_ratio is not None for each in volumes) < 2:  # a sum
        return []
    return ["quantiles of classes are added: exact if loads rise together, else usually too high"]


def _percent(ratio: float) -> str:
    return percent_text(ratio, RESULT_DIGITS + 1)
