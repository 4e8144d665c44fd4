"""How far a method predicts what it has not seen: each observation, or each scenario, left out."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np

from netmodel._estimates import Estimate
from netmodel.calibration._model import Point, points_of
from netmodel.calibration._observed import Cap, Conditions, Observed, comparable
from netmodel.calibration._validation._baselines import REFUSALS, Method, Predictor
from netmodel.calibration._validation._prediction_errors import Errors, Judged
from netmodel.errors import CalibrationError, DomainError
from netmodel.records import Relation

__all__ = ["in_sample", "leave_one_group_out", "leave_one_out", "names_of"]

_AT_CEILING_RATIO = 0.98
"""Share of a ceiling from which on a measured rate counts as being at it."""

_Key: TypeAlias = Callable[[Conditions], Hashable]


def in_sample(method: Method, observed: Sequence[Observed], cap: Cap | None = None) -> Errors:
    """
    Errors of what a method has seen: how well it follows, not how well it predicts.

    Parameters
    ----------
    method : callable
        Makes observations into what predicts.
    observed : sequence of Observed
        Of any kind.
    cap : callable, optional
        From conditions to what no quantity exceeds there: figures of at least
        98 % of it are at the ceiling, as all are that something else censored.

    Returns
    -------
    errors : Errors
        One row for each observation. All are refused where the method refuses.

    Examples
    --------
    >>> from netmodel.calibration import Observed, mean_of_others
    >>> seen = [Observed(quantity="x_s", at={"n": n}, low=n, high=n) for n in (1, 2, 3)]
    >>> round(in_sample(mean_of_others, seen).mean_absolute_ratio, 9)
    0.444444444
    """
    return Errors(tuple(_judged(method, observed, observed, cap)))


def leave_one_out(method: Method, observed: Sequence[Observed], cap: Cap | None = None) -> Errors:
    """
    Error of each observation as predicted from those under other conditions.

    Parameters
    ----------
    method : callable
        Makes observations into what predicts.
    observed : sequence of Observed
        Of any kind. All that were seen under the same conditions are left out
        together: replicates of a run are not independent of each other.
    cap : callable, optional
        From conditions to what no quantity exceeds there: figures of at least
        98 % of it are at the ceiling, as all are that something else censored.

    Returns
    -------
    errors : Errors
        One row for each observation; those that the method refuses to predict
        tell why.

    Raises
    ------
    CalibrationError
        If all observations are under the same conditions.

    Examples
    --------
    1, 2 and 6, each predicted by the mean of the others:

    >>> from netmodel.calibration import Observed, mean_of_others
    >>> seen = [Observed(quantity="x_s", at={"n": n}, low=n, high=n) for n in (1, 2, 6)]
    >>> [row.predicted.value for row in leave_one_out(mean_of_others, seen).rows]
    [4.0, 3.5, 1.5]
    """
    return _left_out(method, observed, comparable, cap)


def leave_one_group_out(
    method: Method, observed: Sequence[Observed], by: str | Sequence[str], cap: Cap | None = None
) -> Errors:
    """
    Error of each observation as predicted from other adapters, MTUs or workloads.

    Parameters
    ----------
    method : callable
        Makes observations into what predicts.
    observed : sequence of Observed
        Of any kind. Comparisons are left out with either of their sides.
    by : str or sequence of str
        Conditions that tell one group from another; where one is not told is a
        group as well.
    cap : callable, optional
        From conditions to what no quantity exceeds there: figures of at least
        98 % of it are at the ceiling, as all are that something else censored.

    Returns
    -------
    errors : Errors
        One row for each observation, as predicted from all other groups.

    Raises
    ------
    DomainError
        If no observation tells one of the conditions.
    CalibrationError
        If there is one group only.

    Examples
    --------
    >>> from netmodel.calibration import Observed, mean_of_others
    >>> seen = [
    ...     Observed(quantity="x_s", at={"mtu_bytes": mtu, "run": run}, low=low, high=low)
    ...     for mtu, run, low in ((1500, 1, 1), (1500, 2, 2), (9000, 1, 6))
    ... ]
    >>> errors = leave_one_group_out(mean_of_others, seen, by="mtu_bytes")
    >>> [row.predicted.value for row in errors.rows]
    [6.0, 6.0, 1.5]
    """
    names = names_of(by)
    for name in names:
        if not any(name in one.at for one in observed):
            raise DomainError(f"no observation tells its {name}")
    return _left_out(method, observed, partial(_some_conditions, names), cap)


def names_of(by: str | Sequence[str]) -> tuple[str, ...]:
    """Those of one condition, or of several."""
    return (by,) if isinstance(by, str) else tuple(by)


def _left_out(method: Method, observed: Sequence[Observed], key: _Key, cap: Cap | None) -> Errors:
    groups: dict[Hashable, list[int]] = {}
    for number, one in enumerate(observed):
        groups.setdefault(key(one.at), []).append(number)
    if len(groups) < 2:
        raise CalibrationError("all observations are of one group: nothing is left to predict from")
    rows: dict[int, Judged] = {}
    for group, numbers in groups.items():
        rest = [one for one in observed if group not in map(key, one.all_conditions)]
        judged = _judged(method, rest, [observed[number] for number in numbers], cap)
        rows |= dict(zip(numbers, judged, strict=True))
    return Errors(tuple(rows[number] for number in range(len(observed))))


def _judged(
    method: Method, seen: Sequence[Observed], wanted: Sequence[Observed], cap: Cap | None
) -> Iterator[Judged]:
    try:
        predictor = method(seen)
    except REFUSALS as refusal:
        for one in wanted:
            yield Judged(observed=one, refusal=str(refusal), is_at_ceiling=_is_at_ceiling(one, cap))
        return
    for one in wanted:
        predicted, why = _predicted(predictor, one)
        yield Judged(
            observed=one, predicted=predicted, refusal=why, is_at_ceiling=_is_at_ceiling(one, cap)
        )


def _predicted(predictor: Predictor, observed: Observed) -> tuple[Estimate | None, str]:
    if isinstance(observed.baseline, str):
        return None, f"nothing predicts the baseline {observed.baseline}"
    try:
        largest = _largest([predictor.predict(point) for point in points_of(observed)])
        if observed.baseline is None:
            return largest, ""
        base = predictor.predict(Point(observed.quantity, observed.baseline))
    except REFUSALS as refusal:
        return None, str(refusal)
    return _ratio(largest, base), ""


def _largest(several: Sequence[Estimate]) -> Estimate:
    values = [one.value for one in several]
    return Estimate(
        None if None in values else max(values),
        float(np.max([one.low for one in several])),
        float(np.max([one.high for one in several])),
    )


def _ratio(one: Estimate, base: Estimate) -> Estimate:
    """With a range that is too wide rather than too narrow: what moves both is not known."""
    is_range = one.value is None or base.value is None
    with np.errstate(divide="ignore"):
        low, high = np.divide(one.low, base.high), np.divide(one.high, base.low)
    return Estimate(None if is_range else one.value / base.value, float(low), float(high))


def _is_at_ceiling(observed: Observed, cap: Cap | None) -> bool:
    figure = observed.figure
    if figure is None or cap is None:
        return observed.relation is Relation.CENSORED_ABOVE
    return figure >= _AT_CEILING_RATIO * cap(observed.at)


def _some_conditions(names: Sequence[str], at: Conditions) -> Hashable:
    return tuple(at.get(name) for name in names)
