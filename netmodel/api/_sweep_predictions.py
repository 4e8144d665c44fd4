"""Predictions over a labelled grid: those of each path in blocks."""

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import field, fields, is_dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from netmodel._dataclasses import dataclass
from netmodel._estimates import Bound, Predicted
from netmodel._lazy import extra
from netmodel._numeric import FloatOrArray
from netmodel._numpy import np
from netmodel._text import near_name
from netmodel.api._arguments import ArgumentsError
from netmodel.api._questions import PredictQuestion, predict
from netmodel.api._sweep_arguments import (
    Argument,
    attributes_of,
    first_value,
    require_known_arguments,
    shown_label,
    varied_argument,
)
from netmodel.api._sweep_grid import evaluated
from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.planning._grid import Arrays, Grid
from netmodel.records._load import unchanged_files

if TYPE_CHECKING:
    import numpy.typing as npt
    import xarray

    from netmodel.path import Prediction

BOTTLENECK = "bottleneck"
"""Variable of the binding limit: its name; while a grid is computed, its place among all."""
_PREDICTION_ELEMENT_COUNT = 2**15
"""Elements of a block of predictions: more than of formulas, as a block has a cost of its own."""
_MIXED_ELEMENT_COUNT = 2**20
"""Elements that are sorted by path before each path is computed: enough for dozens of paths."""
_AT_BOTH_ENDS = "adapters"
"""Argument that stands for the same `sender` and `receiver`."""
_IN_ARRAYS = ("mtu_bytes", "connections")
"""Arguments of a prediction that take arrays; of each value of the others there is one path."""


class Quantity(NamedTuple):
    """
    A quantity of a prediction.

    Parameters
    ----------
    name : str
        Of its variable, ends in the unit.
    title : str
        What it is.
    of : callable
        From a prediction to it; None where it is not known.
    """

    name: str
    title: str
    of: "Callable[[Prediction], Predicted | None]"


def _expected(name: str) -> "Callable[[Prediction], Predicted | None]":
    return lambda each: None if each.expected is None else getattr(each.expected, name)


def _cpu_cost(side: Side, prediction: "Prediction") -> Predicted | None:
    return prediction.cpu_us_per_gbit[side]


QUANTITIES = {
    "throughput": Quantity(
        "throughput_bps", "payload rate of the side that sends more", lambda p: p.throughput_bps
    ),
    "transaction_rate": Quantity(
        "transaction_rate_tps", "transactions per second", lambda p: p.transaction_rate_tps
    ),
    "transaction_time": Quantity(
        "transaction_time_s", "time of a transaction", lambda p: p.transaction_time_s
    ),
    "zero_load_time": Quantity(
        "zero_load_time_s", "zero-load response time", lambda p: p.zero_load_time_s
    ),
    "expected_throughput": Quantity(
        "expected_throughput_bps", "expected payload rate", _expected("throughput_bps")
    ),
    "expected_transaction_rate": Quantity(
        "expected_transaction_rate_tps",
        "expected transactions per second",
        _expected("transaction_rate_tps"),
    ),
    "expected_transaction_time": Quantity(
        "expected_transaction_time_s",
        "expected time of a transaction",
        _expected("transaction_time_s"),
    ),
    **{
        f"{side.value}_cpu": Quantity(
            f"{side.value}_cpu_us_per_gbit",
            f"CPU time of the {side.value} for payload of both directions",
            partial(_cpu_cost, side),
        )
        for side in Side
    },
}
"""Quantities that a sweep of predictions may have."""
_OF_THE_RATE = frozenset({"throughput", "transaction_rate", "transaction_time"})
"""Quantities that are a mean where loss limits the rate, and bounds elsewhere."""
DEFAULT_QUANTITIES = ("throughput",)
"""What a sweep has beside the bottleneck where nothing else is asked for: the question of most."""
_ENDS = ("", "_low", "_high")
"""What the names of the variables of a quantity end in, as in CSV files."""


@dataclass(frozen=True)
class Predictions:
    """
    Predictions of a part of a grid, each path once.

    Parameters
    ----------
    fixed : mapping of str to object
        Arguments that do not vary.
    labels : mapping of str to tuple
        What arguments with one path for each value may be.
    quantities : tuple of str
        Names among `QUANTITIES`.
    limits : tuple of str
        Names of limits by their code.
    """

    fixed: Mapping[str, object]
    labels: Mapping[str, tuple[object, ...]]
    quantities: tuple[str, ...]
    limits: tuple[str, ...] = ()
    _questions: dict[tuple[int, ...], PredictQuestion] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_questions": {}}

    def __call__(self, arrays: Arrays, results: "Mapping[str, npt.NDArray[Any]]") -> None:
        """Write values and ends of the quantities, and codes of the bottleneck."""
        known = self._computed(arrays)
        for name, result in results.items():
            result[...] = known[name]

    def _computed(self, arrays: Arrays) -> "dict[str, npt.NDArray[Any]]":
        repeated = _repeated_cases(arrays)
        if repeated is not None:
            cases, case_of = repeated
            return {name: each[case_of] for name, each in self._computed(cases).items()}
        with unchanged_files():
            places = [arrays[name] for name in self.labels]
            numbers = {name: each for name, each in arrays.items() if name not in self.labels}
            if all(each.size == 1 for each in places):
                return self._of_path(tuple(int(each.item()) for each in places), numbers)
            # paths that differ from point to point: those of each path together
            shape = np.broadcast_shapes(*(each.shape for each in arrays.values()))
            sizes = [len(labels) for labels in self.labels.values()]
            spread = [np.broadcast_to(each, shape).ravel() for each in places]
            flat = {name: np.broadcast_to(each, shape).ravel() for name, each in numbers.items()}
            paths = np.ravel_multi_index(tuple(spread), tuple(sizes))
            results: dict[str, npt.NDArray[Any]] = {}
            for path in np.unique(paths):
                points = np.flatnonzero(paths == path)
                of_path = tuple(int(place) for place in np.unravel_index(path, tuple(sizes)))
                for start in range(0, len(points), _PREDICTION_ELEMENT_COUNT):
                    chosen = points[start : start + _PREDICTION_ELEMENT_COUNT]
                    cut = {name: each[chosen] for name, each in flat.items()}
                    for name, values in self._of_path(of_path, cut).items():
                        result = results.setdefault(name, np.empty(paths.shape, values.dtype))
                        result[chosen] = values
            return {name: each.reshape(shape) for name, each in results.items()}

    def predicted(self, path: tuple[int, ...], numbers: Mapping[str, Any]) -> "Prediction":
        """The prediction on one path, of one point or with arrays; there is none of ratios."""
        from netmodel.path import Prediction

        question = self.question(path)
        connections = numbers.get("connections", question.exchange.connection_count)
        prediction = question.predicted(connections, numbers.get("mtu_bytes"))
        if not isinstance(prediction, Prediction):
            name = prediction.path_name or "the path"
            raise ArgumentsError(
                f"{name}: its service times are known up to a factor only, so a sweep has no "
                "rates of it; netmodel predict gives its ratios, a case at a time"
            )
        return prediction

    def question(self, path: tuple[int, ...]) -> PredictQuestion:
        """The question of one path."""
        if path not in self._questions:
            chosen = {
                name: labels[place]
                for (name, labels), place in zip(self.labels.items(), path, strict=True)
            }
            self._questions[path] = question_of({**self.fixed, **chosen})
        return self._questions[path]

    def needs_one_case(self, path: tuple[int, ...]) -> bool:
        """Whether a cost was measured in another case, and is carried to one case at a time."""
        question = self.question(path)
        return not question.is_composed and question.specified.has_cost_of_another_case

    def _one_by_one(
        self, path: tuple[int, ...], numbers: Arrays, shape: tuple[int, ...]
    ) -> "dict[str, npt.NDArray[Any]]":
        """Results on one path where each case needs a prediction of its own."""
        spread = [np.broadcast_to(each, shape).ravel() for each in numbers.values()]
        cases, places = np.unique(np.stack(spread, axis=1), axis=0, return_inverse=True)
        known = [
            self._known(self.predicted(path, dict(zip(numbers, case, strict=True))))
            for case in cases.tolist()
        ]
        return {
            name: np.array([float(each[name]) for each in known])[places].reshape(shape)
            for name in known[0]
        }

    def _of_path(self, path: tuple[int, ...], numbers: Arrays) -> "dict[str, npt.NDArray[Any]]":
        """The same on one path."""
        shape = np.broadcast_shapes(*(each.shape for each in numbers.values()), ())
        if numbers and self.needs_one_case(path):
            return self._one_by_one(path, numbers, shape)
        known = self._known(self.predicted(path, numbers))
        return {name: np.broadcast_to(each, shape) for name, each in known.items()}

    def _known(self, prediction: "Prediction") -> "dict[str, npt.NDArray[Any]]":
        """Values and ends of the quantities of a prediction, and the code of its bottleneck."""
        results: dict[str, npt.NDArray[Any]] = {}
        for key in self.quantities:
            quantity = QUANTITIES[key]
            known = quantity.of(prediction)
            ends: tuple[FloatOrArray, ...] = (math.nan,) * len(_ENDS)
            if known is not None:
                ends = (known.value, known.low, known.high)
            for name, end in zip(_ENDS, ends, strict=True):
                results[f"{quantity.name}{name}"] = np.asarray(end)
        codes = np.array([self.limits.index(limit.name) for limit in prediction.limits])
        results[BOTTLENECK] = np.asarray(codes[prediction.binding_place])
        return results


def _repeated_cases(arrays: Arrays) -> "tuple[Arrays, npt.NDArray[np.int64]] | None":
    """
    The different cases of points that repeat them, and which of these each point is.

    In a fleet, thousands of hosts have the same adapter, MTU and connections. None on a grid, of
    which each point is a case of its own, and where the different values make more combinations
    than half of the points: sorting them out would then cost more than it saves.
    """
    import pandas as pd

    shape = np.broadcast_shapes(*(each.shape for each in arrays.values()))
    point_count = math.prod(shape)
    if math.prod(each.size for each in arrays.values()) == point_count:
        return None
    factors = {
        name: pd.factorize(each.ravel(), use_na_sentinel=False) for name, each in arrays.items()
    }
    counts = tuple(len(values) for _, values in factors.values())
    combination_count = math.prod(counts)
    if 2 * combination_count > point_count:
        return None
    codes = tuple(
        np.broadcast_to(factors[name][0].reshape(each.shape), shape)
        for name, each in arrays.items()
    )
    combination_of = np.ravel_multi_index(codes, counts)
    present = np.flatnonzero(np.bincount(combination_of.ravel(), minlength=combination_count))
    case_of = np.empty(combination_count, dtype=np.int64)
    case_of[present] = np.arange(present.size)
    chosen = np.unravel_index(present, counts)
    cases = {
        name: values[place]
        for (name, (_, values)), place in zip(factors.items(), chosen, strict=True)
    }
    return cases, case_of[combination_of]


def question_of(arguments: Mapping[str, Any]) -> PredictQuestion:
    """The question that these arguments of `predict` ask, each group of them as one object."""
    given = dict(arguments)
    both = given.pop(_AT_BOTH_ENDS, None)
    if both is not None:
        if {"sender", "receiver"} & given.keys():
            raise ArgumentsError("give {adapters}, or {sender} and {receiver}, not both")
        given |= {"sender": both, "receiver": both}
    if "workload" not in given:
        raise ArgumentsError("give {workload}")
    groups: dict[str, Any] = {}
    for each in fields(PredictQuestion):
        kind = each.type
        if is_dataclass(kind) and isinstance(kind, type):
            own = [part.name for part in fields(kind) if part.name in given]
            groups[each.name] = kind(**{name: given.pop(name) for name in own})
        elif each.name in given:
            groups[each.name] = given.pop(each.name)
    return PredictQuestion(**groups)


def sweep_predictions(
    arguments: Mapping[str, object],
    quantities: tuple[str, ...],
    executor: Executor | None,
    on_done: Callable[[int, int], object] | None,
) -> "xarray.Dataset":
    with extra("sweep"):
        import xarray  # noqa: F401
    require_known_arguments(predict, arguments, [_AT_BOTH_ENDS])
    for name in quantities:
        if name not in QUANTITIES:
            near = near_name(name, QUANTITIES)
            hint = f"did you mean {near}?" if near else f"they are {', '.join(QUANTITIES)}"
            raise DomainError(f"unknown quantity {name!r}; {hint}")
    varied: list[Argument] = []
    fixed: dict[str, object] = {}
    for name, given in arguments.items():
        argument = varied_argument(name, given, as_labels=name not in _IN_ARRAYS)
        if argument is None:
            fixed[name] = given
        else:
            varied.append(argument)
    if not varied:
        raise ArgumentsError("nothing varies: give a list or an array of at least one argument")
    if "link_mtu_bytes" in arguments and "mtu_bytes" in arguments:
        raise ArgumentsError("give {mtu_bytes} or {link_mtu_bytes}, not both")
    labels = {each.name: each.labels for each in varied if each.labels is not None}
    blank = Predictions(fixed, labels, quantities)
    limits, bounds = _limits_and_bounds(blank, varied)
    predictions = Predictions(fixed, labels, quantities, limits)
    kinds = {f"{QUANTITIES[key].name}{end}": "f8" for key in quantities for end in _ENDS}
    kinds[BOTTLENECK] = "i2"
    # points of one path are computed together: where paths differ from point to point, of many
    is_by_point = any(
        each.labels is not None and each.name not in each.array.dims for each in varied
    )
    block_size = _MIXED_ELEMENT_COUNT if is_by_point else _PREDICTION_ELEMENT_COUNT
    dataset = evaluated(
        varied,
        lambda alone: Grid(predictions, kinds, alone, block_size),
        executor,
        on_done,
    )
    for key in quantities:
        quantity, bound = QUANTITIES[key], bounds.get(key, Bound.VALUE)
        side = "" if bound is Bound.VALUE else f"{bound.value} bound of the "
        side = "mean of the " if bound is Bound.MEAN else side
        for end, of in zip(_ENDS, ("", "smallest ", "largest "), strict=True):
            name = f"{quantity.name}{end}"
            attributes = attributes_of(quantity.name, f"{of}{side}{quantity.title}")
            dataset[name].attrs.update({**attributes, "bound": bound.value})
    dataset[BOTTLENECK] = _named(dataset[BOTTLENECK].variable, limits)
    for name, value in fixed.items():
        dataset.attrs[name] = shown_label(value)
    return dataset


def _named(places: "xarray.Variable", limits: tuple[str, ...]) -> "xarray.Variable":
    """The names of limits by their place among all."""
    import xarray

    name_of = partial(np.take, np.array(limits, dtype=object))
    is_lazy = places.chunks is not None
    names = places.data.map_blocks(name_of, dtype=object) if is_lazy else name_of(places.data)
    about = {"long_name": "the limit with the smallest upper bound"}
    # by the fast path: otherwise each name is looked at, which takes as long as to predict it
    return xarray.Variable(places.dims, names, about, fastpath=True)


def _limits_and_bounds(
    predictions: Predictions, varied: Sequence[Argument]
) -> tuple[tuple[str, ...], dict[str, Bound]]:
    """Names of all limits that any path of the grid may have, and the sides of the quantities."""
    from netmodel.judging._statement_bounds import statements_that_may_bound

    numbers = {each.name: each.array for each in varied if each.labels is None}
    first: dict[str, Any] = {name: first_value(array) for name, array in numbers.items()}
    mtus = numbers.get("mtu_bytes")
    mtus_bytes = None
    if mtus is not None and mtus.chunks is None:
        mtus_bytes = set(np.unique(mtus.values).astype(float).tolist())
    names: dict[str, None] = {}
    bounds: dict[str, Bound] = {}
    with unchanged_files():
        for path in _paths(varied):
            prediction = predictions.predicted(path, first)
            names |= dict.fromkeys(limit.name for limit in prediction.limits)
            question = predictions.question(path)
            if not (question.without_statements or question.is_composed):
                names |= dict.fromkeys(
                    statements_that_may_bound(prediction, question.specified, mtus_bytes)
                )
            # loss may limit at other points than the first
            has_mean = any(limit.rate.bound is Bound.MEAN for limit in prediction.limits)
            for key in predictions.quantities:
                known = QUANTITIES[key].of(prediction)
                if known is not None:
                    bounds[key] = Bound.MEAN if has_mean and key in _OF_THE_RATE else known.bound
    return tuple(names), bounds


def _paths(varied: Sequence[Argument]) -> "list[tuple[int, ...]]":
    """Places of the labels of all paths in the grid."""
    import xarray

    coded = [each for each in varied if each.labels is not None]
    if not coded:
        return [()]
    sizes = tuple(len(each.labels or ()) for each in coded)
    spread = xarray.broadcast(*(each.array for each in coded))
    paths = np.ravel_multi_index(tuple(each.values for each in spread), sizes)
    found = np.unravel_index(np.unique(paths), sizes)
    return [tuple(int(place) for place in row) for row in zip(*found, strict=True)]
