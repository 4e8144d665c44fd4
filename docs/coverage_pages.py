"""
Tables of the trials of intervals, from the file that ``make trials`` writes.

As a Sphinx extension it writes `tables` as MyST Markdown before the documents are read.
"""

import csv
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from scipy import stats

SOURCE = Path("reference/coverage.csv")
TARGET = Path("reference/generated/coverage.inc")
LEAST_COVERAGE_RATIO = 0.90
MOST_COVERAGE_RATIO = 0.99
MOST_WIDTH_RATIO = 1.5
LEVEL_RATIO = 0.95
RARE_RATIO = 0.01
"""What is asked of coverage, and of widths beside profile likelihood; a coverage that intervals of
95 % show by chance as often as `RARE_RATIO` is not held against them."""
ROUNDING_PART = 0.1
"""Half a printed step above this part of the scatter makes intervals cover more than 95 %: one
figure between its rounded ends and 1.96 deviations beyond, 96.1 %; several figures more. Four
digits leave at most 0.04, two digits 0.18 or more."""
_FEWEST_POINTS = {
    "adapter": 2,
    "adapter at the line": 3,
    "adapter by ratios": 2,
    "host": 3,
    "scalability": 3,
}
"""Points that leave no parameter free: one for each, and one at the line, which bounds alone."""
_NOISE = {"given": "given", "repeats": "not given, three runs each", "nothing": "not given"}

Line: TypeAlias = Mapping[str, str]
"""One line of the file: what became of one quantity in all trials of a row."""


def tables(lines: Sequence[Line]) -> str:
    """What the trials say in short, coverage of each kind of measurement, and widths."""
    blocks = [_bullets(_summary(lines))]
    for kind in dict.fromkeys(one["kind"] for one in lines):
        of_kind = [one for one in lines if one["kind"] == kind]
        names = ", ".join(f"`{name}`" for name in dict.fromkeys(one["quantity"] for one in of_kind))
        blocks += [f"## {kind.capitalize()}", f"Quantities: {names}.", _coverage_table(of_kind)]
    return "\n\n".join([*blocks, "## Width", _width_table(lines)]) + "\n"


def too_low(one: Line) -> bool:
    """Whether the closed intervals of a line cover the truth too seldom."""
    closed, covered = int(one["closed_count"]), int(one["covered_count"])
    is_rare = stats.binom.cdf(covered, closed, LEVEL_RATIO) < RARE_RATIO
    return bool(_coverage(one) < LEAST_COVERAGE_RATIO and is_rare)


def too_high(one: Line) -> bool:
    """
    Whether they cover it nearly always, though the figures show how much runs scatter.

    A prediction that the line caps is as sure as the line rate.
    """
    if (one["kind"], one["quantity"]) == ("adapter at the line", "prediction"):
        return False
    closed, covered = int(one["closed_count"]), int(one["covered_count"])
    is_rare = stats.binom.sf(covered - 1, closed, LEVEL_RATIO) < RARE_RATIO
    is_explained = has_few_points(one) or has_few_digits(one)
    return bool(_is_sure(one) and is_rare and not is_explained)


def has_few_digits(one: Line) -> bool:
    """Whether printing hides a part of the scatter that counts."""
    return float(one["rounding_ratio"]) > ROUNDING_PART * float(one["scatter_ratio"])


def has_few_points(one: Line) -> bool:
    """Whether intervals end where a parameter would be negative, as points are too few."""
    return int(one["point_count"]) < _FEWEST_POINTS[one["kind"]]


def is_wide(one: Line) -> bool:
    """Whether an interval was left open, or wide, where the figures leave neither."""
    largest = float(one["width_ratio_largest"] or 0)
    return int(one["profiled_open_count"]) > 0 or largest > MOST_WIDTH_RATIO


def _coverage(one: Line) -> float:
    closed = int(one["closed_count"])
    return int(one["covered_count"]) / closed if closed else math.nan


def _cases(lines: Iterable[Line]) -> dict[tuple[str, ...], list[Line]]:
    """Lines of the quantities of each case."""
    found: dict[tuple[str, ...], list[Line]] = {}
    for one in lines:
        keys = ("kind", "noise", "digit_count", "scatter_ratio", "point_count")
        found.setdefault(tuple(one[key] for key in keys), []).append(one)
    return found


def _summary(lines: Sequence[Line]) -> Iterator[str]:
    cases = _cases(lines).values()
    trials = sum(int(several[0]["trial_count"]) for several in cases)
    yield f"{trials} trials in {len(cases)} cases, {len(lines)} quantities."
    closed = [one for one in lines if int(one["closed_count"])]
    low = sorted(filter(too_low, closed), key=_coverage)
    worst = f"; the worst covers {_percent(_coverage(low[0]))}" if low else ""
    yield (
        f"Closed intervals cover the truth less than {_percent(LEAST_COVERAGE_RATIO)} of the time "
        f"for {len(low)} of {len(closed)} quantities{worst}."
    )
    sure = list(filter(_is_sure, closed))
    few_points = list(filter(has_few_points, sure))
    few_digits = [one for one in sure if has_few_digits(one) and one not in few_points]
    yield (
        f"Quantities that they cover more than {_percent(MOST_COVERAGE_RATIO)} of the time: "
        f"{len(few_points)} with fewer points than unknowns, {len(few_digits)} others with few "
        f"printed digits, {sum(map(too_high, closed))} without such a reason."
    )
    profiled = [one for one in lines if int(one["profiled_count"])]
    yield (
        f"{sum(map(is_wide, profiled))} of {len(profiled)} quantities with the noise given have an "
        f"interval that is open, or more than {MOST_WIDTH_RATIO:g} times as wide as that of the "
        "profile likelihood."
    )


def _is_sure(one: Line) -> bool:
    return _coverage(one) > MOST_COVERAGE_RATIO


def _coverage_table(lines: Sequence[Line]) -> str:
    points = list(dict.fromkeys(one["point_count"] for one in lines))
    rows: dict[tuple[str, ...], list[str]] = {}
    for (_, noise, digits, scatter, _), several in _cases(lines).items():
        key = (_NOISE[noise], digits, _percent(float(scatter)))
        rows.setdefault(key, []).append(_cell(several))
    return _table(
        ("noise", "digits", "scatter", *(f"{count} points" for count in points)),
        ((*key, *cells) for key, cells in rows.items()),
    )


def _cell(several: Sequence[Line]) -> str:
    """The lowest coverage of the quantities of a case, and the shares without an answer."""
    shares = []
    closed = [one for one in several if int(one["closed_count"])]
    if closed:
        worst = min(closed, key=_coverage)
        text = _percent(_coverage(worst))
        if _is_sure(worst) and (has_few_points(worst) or has_few_digits(worst)):
            text += "†" if has_few_points(worst) else "\\*"
        is_wrong = any(too_low(one) or too_high(one) for one in closed)
        shares.append(f"**{text}**" if is_wrong else text)
    for name, word in (("open_count", "open"), ("refused_count", "refused")):
        share = sum(int(one[name]) for one in several) / sum(
            int(one["trial_count"]) for one in several
        )
        if share:
            shares.append(f"{_percent(share)} {word}")
    return ", ".join(shares)


def _width_table(lines: Sequence[Line]) -> str:
    groups: dict[tuple[str, str, str], list[Line]] = {}
    for one in lines:
        if int(one["profiled_count"]):
            key = (one["kind"], one["point_count"], f"`{one['quantity']}`")
            groups.setdefault(key, []).append(one)
    rows = []
    for key, several in groups.items():
        medians = [float(one["width_ratio_median"]) for one in several if one["width_ratio_median"]]
        largest = [
            float(one["width_ratio_largest"]) for one in several if one["width_ratio_largest"]
        ]
        counts = (
            str(sum(int(one[name]) for one in several))
            for name in ("profiled_count", "profiled_open_count")
        )
        widths = (f"{max(numbers):.2f}" if numbers else "" for numbers in (medians, largest))
        rows.append((*key, *counts, *widths))
    head = ("measurement", "points", "parameter", "compared", "open", "median", "largest")
    return _table(head, rows)


def _percent(ratio: float) -> str:
    return f"{math.floor(1000 * ratio + 1e-9) / 10:g} %"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in (head, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _write(app: Any) -> None:
    directory = Path(app.srcdir)
    with (directory / SOURCE).open(encoding="utf-8", newline="") as file:
        text = tables(list(csv.DictReader(file)))
    target = directory / TARGET
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists() or target.read_text("utf-8") != text:
        target.write_text(text, "utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Write the tables before Sphinx looks for documents."""
    app.connect("builder-inited", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
