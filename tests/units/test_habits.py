"""How people and tools write quantities: what each text means, or the message that says why not."""

import csv
import math
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from netmodel.errors import UnitError
from netmodel.units import (
    parse_count,
    parse_frequency_hz,
    parse_length_m,
    parse_rate_bps,
    parse_ratio,
    parse_size_bytes,
    parse_time_s,
)
from netmodel.units._kinds import FREQUENCY, LENGTH, RATE, SIZE, TIME, Kind
from netmodel.units.parsing import parse_km, parse_ratio_or_percent, parse_share, parse_volume

PARSERS: dict[str, Callable[[str], float]] = {
    "rate": parse_rate_bps,
    "size": parse_size_bytes,
    "time": parse_time_s,
    "frequency": parse_frequency_hz,
    "length": parse_length_m,
    "km": parse_km,
    "count": parse_count,
    "ratio": parse_ratio,
    "ratio or percent": parse_ratio_or_percent,
    "share": parse_share,
    "volume": lambda text: parse_volume(text).bps or math.nan,
    "transactions": lambda text: parse_volume(text).tps or math.nan,
    "period": lambda text: parse_volume(text).period_s,
}
KINDS = ((RATE, parse_rate_bps), (SIZE, parse_size_bytes), (TIME, parse_time_s))
KINDS += ((FREQUENCY, parse_frequency_hz), (LENGTH, parse_length_m))
TABLE = Path(__file__).parents[1] / "data" / "habits.csv"
with TABLE.open(encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file))


def test_the_table_has_each_kind_and_each_text_once() -> None:
    assert {row["kind"] for row in ROWS} == set(PARSERS)
    texts = [(row["kind"], row["text"]) for row in ROWS]
    assert len(texts) == len(set(texts))
    assert all(bool(row["value"]) != bool(row["message"]) for row in ROWS)


@pytest.mark.parametrize("kind", PARSERS)
def test_habits_mean_what_the_table_says(kind: str) -> None:
    for row in ROWS:
        if row["kind"] != kind:
            continue
        try:
            result = f"{PARSERS[kind](row['text']):.15g}"
        except UnitError as error:
            result = str(error)
        assert result == (row["value"] or row["message"]), row


@pytest.mark.parametrize("kind", PARSERS)
def test_what_an_ambiguous_text_is_to_be_replaced_by_is_read(kind: str) -> None:
    for row in ROWS:
        problem, is_ambiguous, instead = row["message"].rpartition("; write ")
        if row["kind"] != kind or not is_ambiguous or "is ambiguous" not in problem:
            continue
        texts = instead.removesuffix(", or each value by itself").replace(", ", " or ")
        if texts == "1.500 or 1500" and kind == "size":  # there is no half byte
            texts = "1500"
        ways = [x for x in texts.split(" or ") if not x.endswith(" /s")]  # of transactions
        read = [PARSERS[kind](each.partition(" (")[0]) for each in ways]
        assert len(set(read)) == len(read), row


def _value(parse: Callable[[str], float], text: str) -> float | None:
    try:
        return parse(text)
    except UnitError:
        return None


@pytest.mark.parametrize(("kind", "parse"), KINDS, ids=lambda each: getattr(each, "name", ""))
def test_no_unit_means_two_things_by_the_case_of_its_letters(
    kind: Kind, parse: Callable[[str], float]
) -> None:
    """But for the b of a bit and the B of a byte in rates."""
    units = {unit.partition("/")[0] for unit in kind.units} - {""}
    for unit in {each.lower() for each in units if len(each) < 6}:
        values: dict[bool, set[float]] = {True: set(), False: set()}
        for letters in product(*({each.lower(), each.upper()} for each in unit)):
            cased = "".join(letters)
            for end in ("", "/s") if kind is RATE else ("",):
                value = _value(parse, f"1048576 {cased}{end}")
                if value is not None:
                    values["B" in cased and kind is RATE].add(value)
        assert max(map(len, values.values())) <= 1, (unit, values)


def test_bytes_per_second_in_powers_of_ten_are_never_read() -> None:
    # perftest prints MB/s of 2^20, qperf GB/s of 10^9
    for prefix, letter, per in product("kKmMgGtT", ("B", "byte", "Bytes"), ("", "/s", "/sec")):
        assert _value(parse_rate_bps, f"1 {prefix}{letter}{per}") is None
