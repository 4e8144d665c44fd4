"""Measured runs against others: ratios of rates and CPU time, and what limits let expect."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, variance
from typing import Any

from netmodel._estimates import LEVEL_RATIO
from netmodel.judging import Verdict
from netmodel.measuring._measured import MeasuredRun
from netmodel.readers import Measurement
from netmodel.units import format_rate, format_time
from netmodel.units._prefixes import MICRO, WHOLE_PERCENT

_DIGITS = 4
"""Of a ratio and its figures: runs repeat to about 0.1 % at best."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRatio:
    """
    The ratio of a quantity of measured runs, variant to baseline.

    Parameters
    ----------
    quantity : str
        ``goodput``, ``transaction rate``, or CPU time per data of a side and what it counts.
    baseline_text, variant_text : str
        Both means, with unit.
    ratio : float
        Mean of the variant over that of the baseline.
    low, high : float
        95 % interval of the ratio from repeats; None of single runs.
    limit_ratio : float
        Ratio of the upper bounds of both lines; None where it is not known.
    """

    quantity: str
    baseline_text: str
    variant_text: str
    ratio: float
    low: float | None
    high: float | None
    limit_ratio: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as in the JSON of ``netmodel compare``."""
        return {name: getattr(self, name) for name in self.__slots__}

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves out that both are the same."""
        return self.low is not None and self.high is not None and not self.low <= 1 <= self.high


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRuns:
    """
    Measured runs of a variant against those of a baseline.

    Parameters
    ----------
    baseline, variant : str
        Their folders.
    run_counts : tuple of int
        Complete runs of both.
    rows : tuple of RunRatio
        One for each quantity that both have.
    differences : mapping of str to (str, str)
        What the hosts show differently: MTU, line rate, headers.
    published : str
        What documents print for this difference; empty where nothing.
    notes : tuple of str
        The most important first.
    """

    baseline: str
    variant: str
    run_counts: tuple[int, int]
    rows: tuple[RunRatio, ...]
    differences: dict[str, tuple[str, str]]
    published: str = ""
    notes: tuple[str, ...] = ()

    @property
    def answer(self) -> str:
        """One sentence: what the variant changes, and whether repeats show it."""
        if not self.rows:
            return f"{self.variant} and {self.baseline} have no quantity in common."
        first = self.rows[0]
        percent = abs(first.ratio - 1) * WHOLE_PERCENT
        how = "higher" if first.ratio > 1 else "lower"
        text = f"{self.variant}: {first.quantity} is {percent:.3g} % {how} than in {self.baseline}"
        if first.low is None:
            return f"{text}; single runs do not say whether that is more than scatter."
        sure = "more than" if first.is_clear else "within"
        return f"{text}, {sure} the scatter of the repeats."

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as in the JSON of ``netmodel compare``."""
        return {
            "baseline": self.baseline,
            "variant": self.variant,
            "run_counts": list(self.run_counts),
            "rows": [each.to_dict() for each in self.rows],
            "differences": {
                name: {"baseline": one, "variant": other}
                for name, (one, other) in self.differences.items()
            },
            "published": self.published,
            "notes": list(self.notes),
        }


def compared_runs(
    baseline: tuple[str, Sequence[MeasuredRun]],
    variant: tuple[str, Sequence[MeasuredRun]],
) -> ComparedRuns:
    """
    Ratios of measured runs.

    Parameters
    ----------
    baseline, variant : (str, sequence of MeasuredRun)
        Name of the folder, and its runs, each judged alone.
    """
    notes: list[str] = []
    sides = []
    for name, runs in (baseline, variant):
        complete = [run for run in runs if run.state == "complete"]
        if len(complete) < len(runs):
            notes.append(f"{name}: {len(runs) - len(complete)} of {len(runs)} runs not complete")
        sides.append(complete)
    one, other = sides
    rows = []
    for quantity, of_verdict, text in _quantities(one, other):
        figures = [
            [value for run in runs if (value := of_verdict(run)) is not None] for runs in sides
        ]
        if not all(figures) or not all(value > 0 for each in figures for value in each):
            continue
        low, high = _interval(*figures)
        rows.append(
            RunRatio(
                quantity=quantity,
                baseline_text=text(fmean(figures[0])),
                variant_text=text(fmean(figures[1])),
                ratio=fmean(figures[1]) / fmean(figures[0]),
                low=low,
                high=high,
                limit_ratio=_limit_ratio(one[0], other[0], quantity),
            )
        )
    if rows and rows[0].low is None:
        notes.insert(0, "no interval of single runs: measure both with --repeat 5")
    return ComparedRuns(
        baseline=baseline[0],
        variant=variant[0],
        run_counts=(len(one), len(other)),
        rows=tuple(rows),
        differences=_differences(one, other),
        notes=tuple(notes),
    )


_OfRun = Callable[[MeasuredRun], float | None]


def _quantities(
    one: Sequence[MeasuredRun], other: Sequence[MeasuredRun]
) -> "list[tuple[str, _OfRun, Callable[[float], str]]]":
    """Quantities with how a run has them and how they are printed."""
    if not one or not other:
        return []
    found: list[tuple[str, _OfRun, Callable[[float], str]]] = []
    for number, verdict in enumerate(one[0].verdicts):
        run = verdict.measurement
        if run is None:
            continue
        named = f" {run.direction.value}" if run.direction and len(one[0].verdicts) > 1 else ""

        def of(
            read: Callable[[Measurement], float | None], number: int = number
        ) -> Callable[[MeasuredRun], float | None]:
            def value(measured: MeasuredRun) -> float | None:
                verdicts: Sequence[Verdict] = measured.verdicts[number : number + 1]
                found = verdicts[0].measurement if verdicts else None
                return None if found is None or found.error else read(found)

            return value

        found.append((f"goodput{named}", of(lambda run: run.goodput_bps), _rate_text))
        if run.transaction_rate_tps is not None:
            found.append(
                (f"transaction rate{named}", of(lambda run: run.transaction_rate_tps), _per_s)
            )
        for use in run.cpu:

            def cost(
                run: Measurement, side: object = use.side, scope: object = use.scope
            ) -> float | None:
                for each in run.cpu:
                    spent = each.consumption
                    if (each.side, each.scope) == (side, scope) and spent is not None:
                        return spent.us_per_gbit
                return None

            name = f"{use.side.value} CPU{named} ({use.scope.value})"
            found.append((name, of(cost), _cost_text))
    return found


def _rate_text(value: float) -> str:
    return format_rate(value, _DIGITS)


def _per_s(value: float) -> str:
    return f"{value:.{_DIGITS}g}/s"


def _cost_text(value: float) -> str:
    return f"{format_time(value * MICRO, _DIGITS)}/Gbit"


def _interval(
    baseline: Sequence[float], variant: Sequence[float]
) -> tuple[float, float] | tuple[None, None]:
    r"""
    Interval of the ratio of two means, from the scatter of the logarithms.

    Welch's interval of a difference of means, with the degrees of freedom of Satterthwaite (1946).
    """
    if min(len(baseline), len(variant)) < 2:
        return None, None
    from scipy.special import stdtrit

    logs = [[math.log(value) for value in each] for each in (baseline, variant)]
    squares = [variance(each) / len(each) for each in logs]
    total = sum(squares)
    middle = fmean(logs[1]) - fmean(logs[0])
    if total == 0:
        return math.exp(middle), math.exp(middle)
    weights = [part**2 / (len(each) - 1) for part, each in zip(squares, logs, strict=True)]
    degrees = total**2 / sum(weights)
    half = float(stdtrit(degrees, (1 + LEVEL_RATIO) / 2)) * math.sqrt(total)
    return math.exp(middle - half), math.exp(middle + half)


def _limit_ratio(one: MeasuredRun, other: MeasuredRun, quantity: str) -> float | None:
    """Ratio of the upper bounds of both lines, of goodput alone."""
    if not quantity.startswith("goodput"):
        return None
    bounds = []
    for run in (one, other):
        limits = run.verdicts[0].limits if run.verdicts else None
        bounds.append(None if limits is None else limits.smallest.value_bps)
    return bounds[1] / bounds[0] if bounds[0] and bounds[1] else None


def _differences(
    one: Sequence[MeasuredRun], other: Sequence[MeasuredRun]
) -> dict[str, tuple[str, str]]:
    """What both were judged by, where it is not the same."""
    if not one or not other:
        return {}
    lines = [each[0].line for each in (one, other)]
    values = {
        name: tuple(line.get(name, ("not known", ""))[0] for line in lines)
        for name in dict.fromkeys((*lines[0], *lines[1]))
    }
    shown = {name: (one, other) for name, (one, other) in values.items() if one != other}
    commands = [" ".join(each[0].records[0].call.arguments) for each in (one, other)]
    if commands[0] != commands[1]:
        shown["command"] = (commands[0], commands[1])
    return shown
