"""Methods beside each other: what each needs, follows and predicts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from netmodel._html import definition_table, row_table
from netmodel._text import text_table
from netmodel.calibration._observed import Cap, Observed
from netmodel.calibration._validation._baselines import REFUSALS, Method
from netmodel.calibration._validation._leave_out import (
    in_sample,
    leave_one_group_out,
    leave_one_out,
    names_of,
)
from netmodel.calibration._validation._prediction_errors import Errors, share_text

__all__ = ["Compared", "Comparison", "compare"]

_FEW = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """
    What one method needs, follows and predicts.

    Parameters
    ----------
    name : str
        Of the method.
    parameter_count : int, optional
        What the observations set; None where it refuses to be made of all of them.
    degrees_of_freedom : int, optional
        Figures beyond that; bounds are not counted, though they tell something too.
    in_sample, left_out : Errors
        Of what it has seen, and of each observation as predicted from the others.
    groups_left_out : Errors, optional
        Of each group as predicted from the others; None where none is asked for.
    """

    name: str
    parameter_count: int | None
    degrees_of_freedom: int | None
    in_sample: Errors
    left_out: Errors
    groups_left_out: Errors | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values by name."""
        return {
            "name": self.name,
            "parameter_count": self.parameter_count,
            "degrees_of_freedom": self.degrees_of_freedom,
            "in_sample": self.in_sample.to_dict(),
            "left_out": self.left_out.to_dict(),
            "groups_left_out": self.groups_left_out and self.groups_left_out.to_dict(),
        }

    def cells(self) -> tuple[str, ...]:
        """As a row of the table."""
        cover, groups = self.left_out.coverage, self.groups_left_out
        return (
            self.name,
            _count_text(self.parameter_count),
            _count_text(self.degrees_of_freedom),
            _error_text(self.in_sample),
            _error_text(self.left_out),
            "-" if groups is None else _error_text(groups),
            _error_text(self.left_out.below_ceiling),
            "-" if cover is None else f"{cover.hit_count} of {cover.count}",
            share_text(self.left_out.mean_width_ratio),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """
    Methods beside each other on the same observations.

    Parameters
    ----------
    methods : tuple of Compared
        In the order in which they were given.
    by : tuple of str
        Conditions that tell one group from another.
    figure_count : int
        Figures among the observations.
    """

    methods: tuple[Compared, ...]
    by: tuple[str, ...]
    figure_count: int

    @property
    def notes(self) -> tuple[str, ...]:
        """What is thin about the errors: few figures, no degrees of freedom, refusals."""
        return tuple(self._notes())

    def to_dict(self) -> dict[str, Any]:
        """Plain values by name."""
        return {
            "methods": [one.to_dict() for one in self.methods],
            "by": list(self.by),
            "figure_count": self.figure_count,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        rows = [self._header(), *(one.cells() for one in self.methods)]
        table = text_table(rows, right_aligned=range(1, len(rows[0])))
        return "\n".join([table, *(f"note: {note}" for note in self.notes)])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        table = row_table("Methods", self._header(), [one.cells() for one in self.methods])
        return table + definition_table("Notes", [("note", note) for note in self.notes])

    def _header(self) -> tuple[str, ...]:
        return (
            "method",
            "parameters",
            "freedom",
            "in sample",
            "one left out",
            f"{' and '.join(self.by)} left out" if self.by else "group left out",
            "below ceiling",
            "hold",
            "width",
        )

    def _notes(self) -> Iterator[str]:
        if self.figure_count < _FEW:
            yield f"all errors rest on {self.figure_count} figures: chance may order the methods"
        for one in self.methods:
            if one.degrees_of_freedom is not None and one.degrees_of_freedom <= 0:
                yield (
                    f"{one.name}: no degree of freedom is left, so that its error in sample "
                    "is no evidence"
                )
            yield from self._thin(f"{one.name}, one left out", one.left_out)
            if one.groups_left_out is not None:
                yield from self._thin(f"{one.name}, one group left out", one.groups_left_out)

    def _thin(self, which: str, errors: Errors) -> Iterator[str]:
        if refusals := errors.refusals:
            told = ": ".join(refusals[0])
            yield f"{which}: {len(refusals)} of {len(errors.rows)} refused, such as {told}"
        if errors.figure_count < _FEW <= self.figure_count:
            yield f"{which}: the error rests on {errors.figure_count} figures"


def compare(
    methods: Mapping[str, Method],
    observed: Sequence[Observed],
    by: str | Sequence[str] = (),
    cap: Cap | None = None,
) -> Comparison:
    """
    Errors of several methods on the same observations, seen and left out.

    Parameters
    ----------
    methods : mapping of str to callable
        Each makes observations into what predicts, by its name.
    observed : sequence of Observed
        Of any kind.
    by : str or sequence of str
        Conditions that tell one scenario from another: each is predicted from
        all others. None are when left out.
    cap : callable, optional
        From conditions to what no quantity exceeds there: figures of at least
        98 % of it are at the ceiling, as all are that something else censored.

    Returns
    -------
    comparison : Comparison
        A table with a row for each method, and notes on what is thin about it.

    Raises
    ------
    DomainError
        If no observation tells one of the conditions.
    CalibrationError
        If all observations are under the same conditions, or of one scenario.

    Examples
    --------
    >>> from netmodel.calibration import Observed, interpolation, mean_of_others
    >>> seen = [Observed(quantity="x_s", at={"n": n}, low=n, high=n) for n in (1, 2, 3, 4, 5)]
    >>> methods = {"mean": mean_of_others, "interpolation": interpolation("n")}
    >>> table = compare(methods, seen)
    >>> [one.degrees_of_freedom for one in table.methods]
    [4, 0]
    """
    names = names_of(by)
    figures = sum(one.figure is not None for one in observed)
    rows = [
        _compared(name, method, observed, names, cap, figures) for name, method in methods.items()
    ]
    return Comparison(methods=tuple(rows), by=names, figure_count=figures)


def _compared(
    name: str,
    method: Method,
    observed: Sequence[Observed],
    by: Sequence[str],
    cap: Cap | None,
    figures: int,
) -> Compared:
    count = _parameter_count(method, observed)
    return Compared(
        name=name,
        parameter_count=count,
        degrees_of_freedom=None if count is None else figures - count,
        in_sample=in_sample(method, observed, cap),
        left_out=leave_one_out(method, observed, cap),
        groups_left_out=leave_one_group_out(method, observed, by, cap) if by else None,
    )


def _parameter_count(method: Method, observed: Sequence[Observed]) -> int | None:
    try:
        return len(method(observed).parameters)
    except REFUSALS:
        return None


def _error_text(errors: Errors) -> str:
    """The mean error, and of how many figures where not all of them were predicted."""
    share = share_text(errors.mean_absolute_ratio)
    refused = len(errors.refusals)
    return f"{share} ({refused} refused)" if refused else share


def _count_text(count: int | None) -> str:
    return "-" if count is None else str(count)
