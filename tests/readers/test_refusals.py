"""Content that readers refuse, or pass over, with the words that name its place."""

import tomllib
from datetime import date
from pathlib import Path

import pytest
from changes import with_changes
from readers.reader_cases import READERS

from netmodel.errors import NetmodelError, ParseError
from netmodel.readers import read_result
from netmodel.readers._host_activity import clock_s, iso_day

SAMPLES = Path(__file__).parent / "samples"
TABLE = tomllib.loads(Path(__file__).with_name("refusals.toml").read_text(encoding="utf-8"))
REFUSED = TABLE["rows"]


@pytest.mark.parametrize(("reader", "text", "words"), REFUSED)
def test_a_fault_is_named_with_its_place(reader: str, text: str, words: str) -> None:
    with pytest.raises(ParseError) as caught:
        READERS[reader].read(text.encode())
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("12:00:00 AM", 0),
        ("12:59:59 AM", 3599),
        ("01:02:03 AM", 3723),
        ("12:00:00 PM", 43_200),
        ("01:02:03 pm", 46_923),
        ("13:00:00 AM", None),
        ("00:00:00 AM", None),
        ("23:59:59", 86_399),
        ("23:59:60", 86_400),
        ("24:00:00", None),
        ("23:60:00", None),
        ("noon", None),
    ],
)
def test_times_of_day(text: str, seconds: int | None) -> None:
    """A leap second is the sixtieth; half days have no hour 0, and none above 12."""
    assert clock_s(text) == seconds


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-02-29", date(2024, 2, 29)),
        ("2023-02-29", None),
        ("01/02/2024", None),
    ],
)
def test_days_are_those_of_a_calendar(text: str, day: date | None) -> None:
    assert iso_day(text) == day


def test_progress_of_uperf_that_goes_back_is_refused() -> None:
    sample = SAMPLES / "uperf" / "line200m_uperf_1.0.8_R.txt"
    changed = with_changes(sample, ("ms:1795197349413.6377", "ms:1795197343410.0"))
    with pytest.raises(NetmodelError, match="line 12: Txn2 goes back in time or payload"):
        read_result(changed, format_name="uperf")
