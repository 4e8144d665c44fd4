"""Differences between two answers: numbers, outcomes, exit codes and names, not wording."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

RELATIVE = 1e-9
INTERVAL_RELATIVE = 1e-6
"""Ends of intervals come from searches, whose tolerance is wider than that of formulas."""
_INTERVAL_END = re.compile(r"(^|_)(low|high|lower|upper)(_|$)")
_WORDING = re.compile(r"\s")
"""A text of several words is wording; one of a single word is a verdict, a name or an id."""


def differences(base: Any, new: Any, key: str = "") -> Iterator[str]:
    """Return the keys at which two JSON values differ, each with both values."""
    if _is_wording(base) or _is_wording(new):
        if _is_wording(base) != _is_wording(new) and (base is None) != (new is None):
            yield f"{key}: {base!r} / {new!r}"
    elif isinstance(base, Mapping) and isinstance(new, Mapping):
        for name in [*base, *(each for each in new if each not in base)]:
            inner = f"{key}.{name}" if key else str(name)
            if name in base and name in new:
                yield from differences(base[name], new[name], inner)
            else:
                yield f"{inner}: only {'before' if name in base else 'now'}"
    elif isinstance(base, list) and isinstance(new, list):
        if len(base) != len(new):
            yield f"{key}[]: {len(base)} / {len(new)} items"
        for number, (one, other) in enumerate(zip(base, new, strict=False)):
            yield from differences(one, other, f"{key}[{number}]")
    elif not _equal(base, new, key):
        yield f"{key}: {base!r} / {new!r}"


def _is_wording(value: Any) -> bool:
    if isinstance(value, list) and value:
        return all(isinstance(each, str) for each in value) and any(map(_is_wording, value))
    return isinstance(value, str) and bool(_WORDING.search(value))


def _equal(base: Any, new: Any, key: str) -> bool:
    numbers = isinstance(base, int | float) and isinstance(new, int | float)
    if not numbers or isinstance(base, bool) or isinstance(new, bool):
        return bool(base == new)
    name = key.rpartition(".")[2]
    relative = INTERVAL_RELATIVE if _INTERVAL_END.search(name) else RELATIVE
    return math.isclose(base, new, rel_tol=relative, abs_tol=0.0)


def differences_of_answers(
    base: Mapping[str, Any], new: Mapping[str, Any], renamed: Mapping[str, str]
) -> list[str]:
    """Return how two answers to one question differ: crash, exit code, blame, JSON."""
    found = [
        f"{name}: {base.get(name)!r} / {new.get(name)!r}"
        for name in ("crash", "exit_code")
        if base.get(name) != new.get(name)
    ]
    blamed = {f"--{renamed.get(each[2:], each[2:])}" for each in base.get("blamed", ())}
    if blamed and "blamed" in new and not blamed & set(new["blamed"]):
        found.append(f"blamed: {sorted(blamed)} / {new['blamed']}")
    return [*found, *differences(base["json"], new["json"])]


def explained(
    question: Mapping[str, Any], found: str, changes: Sequence[Mapping[str, str]]
) -> bool:
    """Return whether a difference is one that was made by design."""
    words = f"{question['id']} {question['command']} {question['arguments']}"
    return any(
        re.search(change["question"], words) and re.match(change["key"], found)
        for change in changes
    )
