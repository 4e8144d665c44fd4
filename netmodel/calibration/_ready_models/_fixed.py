"""Models some of whose parameters are taken as known."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from netmodel.calibration._model import (
    Floats,
    FreeParameter,
    LinearModel,
    Loads,
    Model,
    Point,
    SeveralModels,
)
from netmodel.calibration._ready_models._path import PathModel
from netmodel.errors import DomainError

__all__ = ["with_fixed"]


def with_fixed(model: Model, values: Mapping[str, float]) -> Model:
    """
    A model whose parameters of these names are no longer free.

    Parameters
    ----------
    model : Model
        Has them.
    values : mapping of str to float
        What each is taken to be, by its name.

    Returns
    -------
    model : Model
        Linear where it was; the same where no name is given.

    Raises
    ------
    DomainError
        If there is no such parameter, none would be left, or a value is not
        within its bounds.

    Examples
    --------
    >>> from netmodel.calibration import host_cost_model
    >>> from netmodel.consumption import Side
    >>> model = with_fixed(host_cost_model(Side.CLIENT), {"per_message_s": 0})
    >>> [one.name for one in model.parameters]
    ['per_frame_s', 'per_byte_s']
    """
    if isinstance(model, LinearModel):
        return _linear_with_fixed(model, values)
    _require_possible(model, values)
    return _WithFixed(model, values) if values else model


def _require_possible(model: Model, values: Mapping[str, float]) -> None:
    known = {one.name: one for one in model.parameters}
    for name, value in values.items():
        if name not in known:
            raise DomainError(f"no parameter {name!r}; there are {', '.join(known)}")
        low, high = known[name].low, known[name].high
        if not low <= value <= high:
            raise DomainError(f"{name} must be from {low:g} to {high:g}; got {value:g}")
    if set(values) == set(known):
        raise DomainError("at least one parameter must be free")


def _linear_with_fixed(model: LinearModel, values: Mapping[str, float]) -> LinearModel:
    """A path, or several models, where it was one: records are written of these."""
    _require_possible(model, values)
    if not values:
        return model
    if isinstance(model, PathModel):
        return model.with_fixed(values)
    if isinstance(model, SeveralModels):
        parts = {
            name: _linear_with_fixed(one, _of_prefix(values, f"{name}."))
            for name, one in model.models.items()
        }
        return SeveralModels(model.by, parts)
    return _LinearWithFixed(model, values)


def _of_prefix(values: Mapping[str, float], prefix: str) -> dict[str, float]:
    return {
        name.removeprefix(prefix): value
        for name, value in values.items()
        if name.startswith(prefix)
    }


@dataclass(frozen=True)
class _WithFixed(Model):
    whole: Model
    values: Mapping[str, float]

    @property
    def parameters(self) -> tuple[FreeParameter, ...]:
        return tuple(one for one in self.whole.parameters if one.name not in self.values)

    def function(self, points: Sequence[Point]) -> Callable[[Floats], Floats]:
        values = self.whole.function(points)

        def of_free(parameters: Floats) -> Floats:
            free, shape = iter(parameters), parameters.shape[1:]
            rows = [
                np.full(shape, self.values[one.name]) if one.name in self.values else next(free)
                for one in self.whole.parameters
            ]
            return values(np.array(rows))

        return of_free


@dataclass(frozen=True)
class _LinearWithFixed(LinearModel):
    whole: LinearModel
    values: Mapping[str, float]

    @property
    def parameters(self) -> tuple[FreeParameter, ...]:
        return tuple(one for one in self.whole.parameters if one.name not in self.values)

    def loads(self, point: Point) -> Loads:
        found = self.whole.loads(point)
        fixed = np.array([self.values.get(one.name, np.nan) for one in self.whole.parameters])
        is_free = np.isnan(fixed)
        constants = found.constants + found.coefficients[:, ~is_free] @ fixed[~is_free]
        return Loads(found.coefficients[:, is_free], constants, found.is_rate, found.names)
