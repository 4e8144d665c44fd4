"""The bundled data: found, and each example fit to be shown."""

from functools import partial
from pathlib import Path

import pytest

from netmodel.errors import MissingPartError, ParseError
from netmodel.readers import read_result
from netmodel.records import data_path

read_iperf3 = partial(read_result, format_name="iperf3")

EXAMPLES = sorted(data_path("examples", "iperf3").glob("*.json*"))


def told_of(path: Path) -> str:
    """What the README says of an example, in its row of the table."""
    text = data_path("examples", "iperf3", "README.md").read_text(encoding="utf-8")
    return "".join(row for row in text.splitlines() if row.startswith(f"| `{path.name}` |"))


def is_readable(path: Path) -> bool:
    try:
        return bool(read_iperf3(path))
    except ParseError:
        return False


@pytest.mark.parametrize("names", [("nothing",), ("examples", "iperf3", "nothing.json")])
def test_missing_data_is_named(names: tuple[str, ...]) -> None:
    with pytest.raises(MissingPartError, match="/".join(names)):
        data_path(*names)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_every_example_is_explained(path: Path) -> None:
    assert "`iperf3 -c " in told_of(path) or "on purpose" in told_of(path)


def test_only_examples_truncated_on_purpose_are_unreadable() -> None:
    unreadable = [path.name for path in EXAMPLES if not is_readable(path)]
    assert unreadable == [path.name for path in EXAMPLES if "on purpose" in told_of(path)]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_contains_no_trace_of_its_machine(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count('"system_info"') == text.count('"Linux host 6.') == 1
