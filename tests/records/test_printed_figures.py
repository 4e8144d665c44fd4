"""Every figure of the data against a second reading of the documents, and digits planted in it."""

import random
from pathlib import Path

import pytest
import zvm_rows
from records import figures

SAMPLED_DIGITS = 600
"""Digits planted in each run of the tests: about one second; all of them by ``make nightly``."""

each_record = pytest.mark.parametrize("path", figures.record_paths(), ids=figures.name_of)


@each_record
def test_records_have_the_figures_that_their_source_prints(path: Path) -> None:
    assert figures.faults_of_record(path, figures.text_of(path)) == []


def test_each_listed_record_is_there() -> None:
    names = {figures.name_of(path) for path in figures.record_paths()}
    assert figures.listed_records().keys() <= names


def table_path(name: str) -> Path:
    return zvm_rows.FOLDER / f"{name}.csv"


@pytest.mark.parametrize("name", zvm_rows.FILES)
def test_tables_have_the_rows_that_the_document_prints(name: str) -> None:
    assert zvm_rows.faults_of_rows(name, figures.text_of(table_path(name))) == []


def test_every_table_is_compared_but_the_flags() -> None:
    names = {path.stem for path in zvm_rows.FOLDER.glob("*.csv")}
    assert names == {*zvm_rows.FILES, "flags"}


def survivors(digits: list[figures.Digit], others: str) -> list[str]:
    """Where another digit is seen by none of the checks."""
    return [
        f"{digit.line} with {other}"
        for digit in digits
        for other in others
        if other != digit.printed and not digit.faults(other)
    ]


def test_planted_digits_are_detected() -> None:
    draw = random.Random(20260719)
    digits = draw.sample(figures.all_digits(), SAMPLED_DIGITS)
    assert survivors(digits, draw.choice("0123456789")) == []


@pytest.mark.nightly
def test_every_planted_digit_is_detected() -> None:
    assert survivors(figures.all_digits(), "0123456789") == []
