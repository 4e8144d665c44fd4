"""
The model that predicts best among those that suit the data, each figure predicted from the others.

Interpolation is one of them. Figures inside the observed range and at its ends are counted apart:
a model may be best between figures and useless beyond them. Intervals average over the models by
how well each predicts figures that it was not given, so that the choice is part of them.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from netmodel._dataclasses import dataclass
from netmodel._display import short_repr
from netmodel._estimates import LEVEL_RATIO, Estimate
from netmodel._html import bar, notes_list, row_table
from netmodel._numeric import Floats
from netmodel._terminal import fitted
from netmodel._text import argument, fixed_percent, text_table
from netmodel.calibration._compare import Beyond, Scale, interpolation
from netmodel.calibration._conditions import (
    differing_beside,
    read_conditions,
    shared_conditions,
    varied_numbers,
    without_unread,
)
from netmodel.calibration._fit import Fit, fit
from netmodel.calibration._leave_out import (
    REFUSALS,
    Errors,
    Method,
    Predictor,
    figures_of,
    leave_one_out,
    share_text,
    single_value,
)
from netmodel.calibration._models import FreeParameter, Model, Point
from netmodel.calibration._named_models import MODELS, ModelOptions, require_read
from netmodel.calibration._observed import (
    COSTS,
    RATES,
    Conditions,
    Observed,
    Selection,
    comparable,
    needed,
)
from netmodel.calibration._ratios import StudentT, series_over
from netmodel.calibration._related import RelatedFit, related_fit
from netmodel.calibration._shown import Shown
from netmodel.errors import CalibrationError, NetmodelError

Indices: TypeAlias = npt.NDArray[np.intp]
ChoiceName: TypeAlias = Literal["auto", "interpolation"]
INTERPOLATION = "interpolation"
"""Lines between figures, by the name that it has beside models."""
_LEAST_INSIDE = 3
"""Figures inside the range below which those at its ends count too: of two, chance decides."""
_LEAST_FIGURES = 3
"""Figures that leave two for a line when one is left out."""
_LEAST_ERROR = 1e-4
"""Of a model's errors: figures have four digits at most, and exact ones would leave no interval."""
_CLOSE_WEIGHT = 0.05
"""Share of a model above which a note names it: that of an interval of 95 % outside."""
_FEW = 5
"""Figures below which chance orders models: of four, one error can be half of the mean."""
_LEAST_WEIGHT = 1e-6
"""Share of a model below which its tail does not move an interval of 95 %."""


@dataclass(frozen=True)
class Values:
    """A fit that predicts values alone: without the search for the ends of intervals."""

    fit: Fit

    @property
    def parameters(self) -> Mapping[str, Estimate]:
        return {name: single_value(value) for name, value in self.fit.values.items()}

    def predict(self, point: Point) -> Estimate:
        values = np.array(list(self.fit.values.values()))
        return single_value(float(self.fit.model.function([point])(values)[0]))


def values_of(model: Model, noise_ratio: float | None = None) -> Method:
    """Fits of a model that predict values alone."""

    def method(observed: Sequence[Observed]) -> Predictor:
        return Values(fit(observed, model, noise_ratio=noise_ratio))

    return method


@dataclass(frozen=True, kw_only=True)
class Tried:
    """
    A model that was tried.

    Parameters
    ----------
    name : str
        Of it.
    predictor : Predictor
        Estimated from all figures.
    errors : numpy.ndarray
        Error of each figure as predicted from the others, as a logarithm; NaN where refused.
    weight_inside, weight_beyond : float
        Its share in intervals between the figures, and beyond them.
    """

    name: str
    predictor: Predictor
    errors: Floats
    weight_inside: float = 0.0
    weight_beyond: float = 0.0

    def error_ratio(self, which: Indices | None = None) -> float | None:
        """Root of the mean square of the errors of these figures; None where it refuses all."""
        errors = self.errors if which is None else self.errors[which]
        known = errors[np.isfinite(errors)]
        return float(np.sqrt(np.mean(np.expm1(known) ** 2))) if len(known) else None


class _Places(NamedTuple):
    """Which left-out figures say how well predictions do, between figures and beyond them."""

    low: float
    high: float
    inside: Indices
    beyond: Indices


@dataclass(frozen=True)
class ChosenModel(Shown):
    """
    The model that predicts best, with intervals that average over all that suit the data.

    Parameters
    ----------
    observed : tuple of Observed
        The observations.
    over : str
        The condition along which figures are inside a range or at its ends.
    tried : tuple of Tried
        Models that suit the data, the best one between figures first.
    refused : mapping of str to str
        Why other models do not suit the data, by name.
    level_ratio : float
        Probability that intervals hold a run.
    notes : tuple of str
        What to know before using it, most important first.
    """

    observed: tuple[Observed, ...]
    over: str
    tried: tuple[Tried, ...]
    refused: Mapping[str, str]
    level_ratio: float
    notes: tuple[str, ...]
    _places: _Places = field(repr=False, compare=False)

    @property
    def method(self) -> str:
        """The kind of calibration."""
        return "chosen model"

    @property
    def inside(self) -> Tried:
        """The model that is chosen between figures."""
        return max(self.tried, key=lambda each: each.weight_inside)

    @property
    def beyond(self) -> Tried:
        """The model that is chosen beyond the figures."""
        return max(self.tried, key=lambda each: each.weight_beyond)

    @property
    def is_scatter_known(self) -> bool:
        """Whether the interval of one more run differs from that of `predict`: it is the same."""
        return False

    @cached_property
    def parameters(self) -> Mapping[str, Estimate[float | None]]:
        """Parameters of the model that is chosen between figures, as if it were the only one."""
        predictor = self.inside.predictor
        if isinstance(predictor, Values):
            return dict(predictor.fit.parameters)
        return predictor.parameters

    @property
    def free(self) -> tuple[FreeParameter, ...]:
        """Names and units of these parameters."""
        predictor = self.inside.predictor
        if isinstance(predictor, Values):
            return predictor.fit.model.parameters
        if isinstance(predictor, RelatedFit):
            return predictor.model.parameters
        return tuple(FreeParameter(name, "") for name in predictor.parameters)

    @property
    def estimable(self) -> Mapping[str, bool | None]:
        """Whether each of these parameters can be estimated from the observations, by name."""
        predictor = self.inside.predictor
        if isinstance(predictor, Values):
            return dict(predictor.fit.estimable)
        if isinstance(predictor, RelatedFit):
            return dict(predictor.estimable)
        return dict.fromkeys(predictor.parameters)

    def predict(self, point: Point) -> Estimate:
        """
        A quantity by the chosen model, and where one more run of it would be.

        Raises
        ------
        DomainError
            If no model knows the quantity, or a condition is missing.
        CalibrationError
            If no model has a value there.
        """
        place = float(needed(point.at, self.over, point.quantity))
        is_inside = self._places.low <= place <= self._places.high
        which = self._places.inside if is_inside else self._places.beyond
        rows: list[tuple[float, StudentT]] = []
        why = ""
        for each in self.tried:
            weight = each.weight_inside if is_inside else each.weight_beyond
            if weight < _LEAST_WEIGHT:
                continue
            try:
                rows.append((weight, _distribution(each, point, which)))
            except REFUSALS as refusal:
                why = str(refusal)
        if not rows:
            raise CalibrationError(f"no model has a value there: {why}")
        rows.sort(key=lambda row: -row[0])
        tail = (1 - self.level_ratio) / 2
        ends = (_quantile(rows, probability) for probability in (tail, 1 - tail))
        return Estimate(*(math.exp(each) for each in (rows[0][1].mean, *ends)))

    predict_run = predict

    def to_dict(self) -> dict[str, Any]:
        """The choice, every model that was tried, and why others do not suit."""
        return {
            "chosen": {"inside": self.inside.name, "beyond": self.beyond.name},
            "over": self.over,
            "range": [self._places.low, self._places.high],
            "level_ratio": self.level_ratio,
            "candidates": [
                {
                    "name": each.name,
                    "parameter_count": len(each.predictor.parameters),
                    "inside_root_mean_square_ratio": each.error_ratio(self._places.inside),
                    "end_root_mean_square_ratio": each.error_ratio(self._places.beyond),
                    "root_mean_square_ratio": each.error_ratio(),
                    "weight_inside_ratio": each.weight_inside,
                    "weight_beyond_ratio": each.weight_beyond,
                }
                for each in self.tried
            ],
            "refused": dict(self.refused),
            "notes": list(self.notes),
        }

    @property
    def answer(self) -> str:
        """What it is, in a few words."""
        if len(self.tried) == 1:
            name = self.inside.name
            return f"{name} is the only model that suits" if self.refused else "lines in logarithms"
        return f"{self.inside.name} predicts left-out figures best"

    @cached_property
    def table(self) -> str:
        """The models that were tried, as text; empty where there is no choice."""
        if len(self.tried) == 1:
            return ""
        rows = [("model", "parameters", "RMS error inside", "at ends", "weight inside", "beyond")]
        rows += [
            (
                each.name,
                str(len(each.predictor.parameters)),
                share_text(each.error_ratio(self._places.inside)),
                share_text(each.error_ratio(self._places.beyond)),
                fixed_percent(each.weight_inside, 0),
                fixed_percent(each.weight_beyond, 0),
            )
            for each in self.tried
        ]
        return text_table(rows, right_aligned=range(1, len(rows[0])))

    def __str__(self) -> str:
        return fitted("\n".join([self.table, *(f"note: {note}" for note in self.notes)]))

    def __repr__(self) -> str:
        return short_repr(self, self.answer, f"{len(self.observed)} observations")

    def _repr_html_(self) -> str:
        rows = [
            (
                each.name,
                share_text(each.error_ratio(self._places.inside)),
                share_text(each.error_ratio(self._places.beyond)),
                bar(each.weight_inside),
                bar(each.weight_beyond),
            )
            for each in self.tried
        ]
        names = ("model", "error inside", "error at the ends", "weight inside", "weight beyond")
        return row_table(f"Models: {self.answer}", names, rows, [1, 2]) + notes_list(self.notes)


def choose_model(
    observed: Sequence[Observed],
    methods: Mapping[str, Method],
    over: str,
    refused: Mapping[str, str] | None = None,
    level_ratio: float = LEVEL_RATIO,
) -> ChosenModel:
    r"""
    The method that predicts each figure best from the others.

    Parameters
    ----------
    observed : sequence of Observed
        Of one quantity. Bounds help to estimate, and are not predicted.
    methods : mapping of str to callable
        By name; each takes observations and returns a predictor.
    over : str
        Condition along which figures are inside a range or at its ends.
    refused : mapping of str to str, optional
        Models that do not suit, and why.
    level_ratio : float
        Probability that intervals hold a run.

    Returns
    -------
    chosen : ChosenModel
        Predictions are those of the best method; intervals average over all.

    Raises
    ------
    CalibrationError
        If no method can be judged: most need three figures, a related series two.

    Notes
    -----
    With :math:`e_{ki}` the logarithm of prediction over figure where method k is not given figure
    i of n, and a scatter that is not known, a method's share and its distribution are

    .. math:: w_k \propto \Big(\sum_i e_{ki}^2\Big)^{-n/2}, \qquad
        \ln X \sim t_n\Big(\ln \hat X_k, \sqrt{\textstyle\sum_i e_{ki}^2 / n}\Big)

    A related series has a distribution of its own. Between figures, i runs over those inside
    the range, if there are three; beyond them, over the two at its ends.
    """
    seen = [each for each, _ in figures_of(observed)]
    places = np.array([float(needed(each.at, over, each.quantity)) for each in seen])
    is_end = (places == places.min()) | (places == places.max())
    inside = np.flatnonzero(~is_end)
    if len(inside) < _LEAST_INSIDE:
        inside = np.arange(len(places))
    which = _Places(float(places.min()), float(places.max()), inside, np.flatnonzero(is_end))

    # (1) each figure by each method from the others
    reasons = dict(refused or {})
    tried: list[Tried] = []
    for name, method in methods.items():
        try:
            predictor = method(observed)
            errors = leave_one_out(method, observed)
        except NetmodelError as error:
            reasons[name] = str(error)
            continue
        logs = _log_errors(errors)
        if not (np.isfinite(logs[which.inside]).all() or np.isfinite(logs[which.beyond]).all()):
            reasons[name] = next((why for _, why in errors.refusals), "predicts no left-out figure")
            continue
        tried.append(Tried(name=name, predictor=predictor, errors=logs))
    if not tried:
        listed = "\n".join(f"- {name}: {why}" for name, why in reasons.items())
        count = len(np.unique(places))
        few = ""
        if count < _LEAST_FIGURES:
            few = f"; {count} different values of {over}, of {_LEAST_FIGURES} or more"
        raise CalibrationError(
            f"no model can be judged by figures that are left out{few}\n{listed}\n"
            f"measure more, name a model ({argument('model', '--model')}), or give a related "
            f"series ({argument('related', '--related')})"
        )

    # (2) shares, between figures and beyond them
    weights = [_weights(tried, rows) for rows in (which.inside, which.beyond)]
    weighted = [
        replace(each, weight_inside=float(between), weight_beyond=float(beyond))
        for each, between, beyond in zip(tried, *weights, strict=True)
    ]
    ranked = tuple(sorted(weighted, key=lambda each: -each.weight_inside))
    result = ChosenModel(tuple(observed), over, ranked, reasons, level_ratio, (), which)
    return replace(result, notes=tuple(_notes(result, len(seen))))


def _log_errors(errors: Errors) -> Floats:
    """Of each figure; NaN where the method refuses it."""
    rows = [row for row in errors.rows if row.observed.figure is not None]
    ratios = [math.nan if row.error_ratio is None else row.error_ratio for row in rows]
    with np.errstate(invalid="ignore", divide="ignore"):
        logs: Floats = np.log1p(np.array(ratios))
    return logs


def _spread(errors: Floats) -> float:
    return float(np.sqrt(np.mean(np.maximum(np.abs(errors), _LEAST_ERROR) ** 2)))


def _weights(tried: Sequence[Tried], which: Indices) -> Floats:
    """Of each method, by its errors of some figures; 0 where it refuses one of them."""
    logs = np.array(
        [
            -len(which) * math.log(_spread(each.errors[which]))
            if np.isfinite(each.errors[which]).all()
            else -math.inf
            for each in tried
        ]
    )
    if np.isinf(logs).all():
        return np.zeros(len(logs))
    shares = np.exp(logs - logs.max())
    weights: Floats = shares / shares.sum()
    return weights


def _distribution(tried: Tried, point: Point, which: Indices) -> StudentT:
    """Of the logarithm of a run."""
    if isinstance(tried.predictor, RelatedFit):
        return tried.predictor.distribution(point, of_run=True)
    value = tried.predictor.predict(point).value
    if value is None or not 0 < value < math.inf:
        raise CalibrationError(f"{tried.name} has no value above 0 there")
    return StudentT(math.log(value), _spread(tried.errors[which]), len(which))


def _quantile(rows: Sequence[tuple[float, StudentT]], probability: float) -> float:
    """Of a mixture of distributions, by bisection."""
    from scipy.special import stdtr, stdtrit

    total = sum(weight for weight, _ in rows)
    ends = [
        each.mean + each.scale * float(stdtrit(each.degrees_of_freedom, probability))
        for _, each in rows
    ]
    low, high = min(ends), max(ends)
    for _ in range(60):  # halves the distance to rounding
        middle = (low + high) / 2
        below = sum(
            weight * float(stdtr(each.degrees_of_freedom, (middle - each.mean) / each.scale))
            for weight, each in rows
        )
        low, high = (middle, high) if below < probability * total else (low, middle)
    return (low + high) / 2


def _notes(result: ChosenModel, figure_count: int) -> Iterator[str]:
    """Which model is chosen and why, and how far to trust it."""
    inside, beyond = result.inside, result.beyond
    error = share_text(inside.error_ratio(result._places.inside))
    low, high = result._places.low, result._places.high
    between = f"between {result.over} {low:g} and {high:g}"
    if len(result.tried) > 1:
        yield f"{inside.name} is chosen {between}: RMS error {error} of left-out figures"
    else:
        yield f"{inside.name}: RMS error {error} of left-out figures"
    if inside.name != beyond.name and beyond.weight_beyond:
        at_ends = share_text(beyond.error_ratio(result._places.beyond))
        yield f"{beyond.name} is chosen beyond them: RMS error {at_ends} of the two end figures"
    near = [each for each in result.tried[1:] if each.weight_inside >= _CLOSE_WEIGHT]
    if near:
        names = ", ".join(f"{each.name} {fixed_percent(each.weight_inside, 0)}" for each in near)
        yield f"intervals also average over {names}"
    if figure_count < _FEW:
        yield f"the choice rests on {figure_count} figures: chance may order the models"
    if isinstance(inside.predictor, RelatedFit):
        yield from inside.predictor.notes


def chosen_model(
    observed: Sequence[Observed],
    name: ChoiceName = "auto",
    noise_ratio: float | None = None,
    *,
    related: Sequence[Observed] = (),
    line_rate_bps: float | None = None,
    choose: Callable[[Conditions], bool] = lambda at: True,
) -> ChosenModel:
    """
    The model that predicts left-out figures best, of those that suit the observations.

    Parameters
    ----------
    observed : sequence of Observed
        Of one quantity.
    name : {"auto", "interpolation"}
        All models that suit, or lines between figures alone.
    noise_ratio : float, optional
        Standard deviation from run to run as a ratio, where it is known.
    related : sequence of Observed
        Figures of other series: the related one among them is a model too.
    line_rate_bps : float, optional
        MAC rate of the line. [bit/s]
    choose : callable
        Whether a series under these conditions may be the related one.

    Raises
    ------
    CalibrationError
        If no model suits, or there are too few figures to choose.
    """
    figures = [each for each in observed if each.figure is not None]
    if not figures:
        raise CalibrationError("no figure to choose a model by: bounds and comparisons alone")
    quantity = figures[0].quantity
    over = series_over(figures)
    if quantity in COSTS and RATES[1] in varied_numbers(figures):
        over = RATES[1]  # curves of CPU time per transaction are over the rate

    # (1) models of the quantity that read the condition along which figures differ
    methods: dict[str, Method] = {}
    refused: dict[str, str] = {}
    read: set[str] = {over}
    for model_name, model_of in MODELS.items() if name == "auto" else ():
        if quantity not in model_of.quantities:
            continue
        try:
            model = model_of.build(figures, ModelOptions(line_rate_bps))
            conditions = read_conditions(model, figures)
            if model_of.over:
                require_read(model_name, model, figures, ())
        except NetmodelError as error:
            refused[model_name] = str(error)
            continue
        if over not in conditions:
            refused[model_name] = f"does not depend on {over}"
            continue
        read |= conditions
        methods[model_name] = values_of(model, noise_ratio)
    if related:
        read.add(series_over([*figures, *related]))
    unread = differing_beside(read, figures)
    seen = without_unread(observed, unread)

    # (2) lines between figures, and the related series times a ratio
    methods[INTERPOLATION] = _along(over, seen.observed)
    if related:

        def from_related(own: Sequence[Observed]) -> RelatedFit:
            return related_fit(own, related, choose=choose, noise_ratio=noise_ratio)

        methods["related"] = from_related
    result = choose_model(seen.observed, methods, over, refused)
    return replace(result, notes=(*result.notes, *seen.notes))


def _along(over: str, observed: Sequence[Observed]) -> Method:
    """Lines in logarithms along one condition, if it alone separates the figures."""
    lines = interpolation(over, Scale.LOG_BOTH, Beyond.EXTEND)
    if len({each.at[over] for each in observed}) < len({comparable(each.at) for each in observed}):
        return lines
    shared = {over, *shared_conditions(observed)}

    def kept(at: Conditions) -> Conditions:
        return {name: value for name, value in at.items() if name in shared}

    return lambda own: _Along(lines([replace(each, at=kept(each.at)) for each in own]), kept)


@dataclass(frozen=True)
class _Along:
    """Lines between figures, regardless of conditions that differ with the one along which."""

    between: Predictor
    kept: Callable[[Conditions], Conditions]

    @property
    def parameters(self) -> Mapping[str, Estimate[float | None]]:
        return self.between.parameters

    def predict(self, point: Point) -> Estimate[float | None]:
        return self.between.predict(point._replace(at=self.kept(point.at)))


def calibrated_by_choice(
    name: str,
    seen: Selection,
    noise_ratio: float | None,
    related: Sequence[Observed] = (),
    line_rate_bps: float | None = None,
    choose: Callable[[Conditions], bool] = lambda at: True,
) -> RelatedFit | ChosenModel:
    """A calibration by a name in `CHOICES`, with the notes on its observations."""
    result: RelatedFit | ChosenModel
    if name == "related":
        result = related_fit(seen.observed, related, choose=choose, noise_ratio=noise_ratio)
    else:
        result = chosen_model(
            seen.observed,
            "auto" if name == "auto" else "interpolation",
            noise_ratio,
            related=related,
            line_rate_bps=line_rate_bps,
            choose=choose,
        )
    return replace(result, notes=(*result.notes, *seen.notes))
