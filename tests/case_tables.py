"""Cases in tables: TOML files, each table in them a case that is named by what it shows."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

__all__ = ["UNITS", "cases", "differences", "is_same", "known", "written"]

UNITS = {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


def cases(*paths: Path) -> Iterator[Any]:
    """
    Yield the cases of these tables, each with the name of its file under ``table``.

    ``rows`` under ``columns`` are cases of their own, with all else that the table has.
    """
    for path in paths:
        for name, case in tomllib.loads(path.read_text(encoding="utf-8")).items():
            columns, rows = case.pop("columns", []), case.pop("rows", [[]])
            for number, row in enumerate(rows, 1):
                whole = {"table": path.stem} | case | dict(zip(columns, row, strict=True))
                label = f"{path.stem}: {name}"
                yield pytest.param(whole, id=f"{label} {number}" if row else label)


def written(case: dict[str, Any], folder: Path, asked: Any) -> Any:
    """Write the files of a case, and return what is asked with their folder in its texts."""
    for name, text in case.get("files", {}).items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    if isinstance(asked, dict):
        return {key: written({}, folder, each) for key, each in asked.items()}
    return asked.replace("{folder}", str(folder)) if isinstance(asked, str) else asked


def differences(result: Any, expected: dict[str, Any], **names: Any) -> dict[str, Any]:
    """
    Return the values of a JSON result that are not as expected, by their place.

    A place is the keys that lead there, ``expected.throughput_bps.value``; of a list the number,
    or the name, of a row. A list is that of the values of a row without its texts.
    """
    found = {}
    for place, figure in expected.items():
        value = result
        for key in place.split("."):
            rows = enumerate(value) if isinstance(value, list) else ()
            value = value[next((n for n, row in rows if key in (str(n), row.get("name"))), key)]
        if isinstance(figure, list) and isinstance(value, dict):
            value = [each for each in value.values() if not isinstance(each, str)]
        pairs = zip(value, figure, strict=True) if isinstance(figure, list) else [(value, figure)]
        if not all(is_same(each, one, **names) for each, one in pairs):
            found[place] = value
    return found


def known(figure: Any, **names: Any) -> Any:
    """Return a figure, which may be written as the arithmetic that gives it; "none" is None."""
    if figure == "none":
        return None
    return eval(figure, UNITS | names) if isinstance(figure, str) else figure


def is_same(value: Any, expected: Any, within: float = 1e-9, **names: Any) -> bool:
    """Return whether a value is the expected one, within a share of it."""
    if expected == "none" or isinstance(expected, bool):
        return value is (None if expected == "none" else expected)
    value = getattr(value, "value", value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return bool(value == pytest.approx(known(expected, **names), rel=within))
    return bool(value == expected)
