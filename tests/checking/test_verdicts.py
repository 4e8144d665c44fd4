"""
Verdicts on made-up runs, in tables beside this file, each figure worked out by hand.

A run has what stands under ``run``, or this share of what the even line carries, or each of the
repeats has one of these shares, and their mean is judged; the line is that
of 1538 Mbit/s at MTU 1500 unless a ``line`` stands there. A frame at MTU 1500 takes 1500 + 38 =
1538 bytes on the wire (14 of header, 4 of check sequence, 20 of preamble, delimiter and gap). Of
these TCP over IPv4 carries 1448 with timestamps (52 bytes of headers) and 1460 without; UDP carries
1472.
"""

from pathlib import Path
from typing import Any

import pytest
from case_tables import cases, is_same, known
from runs import EVEN_CEILING_BPS, run

from netmodel.ceilings import Capacity
from netmodel.checking import Gate, SpecifiedLine, Verdict, check, pooled
from netmodel.consumption import Side
from netmodel.errors import NetmodelError
from netmodel.framing import parse_stack
from netmodel.readers import CpuUse, Measurement

TABLES = sorted((Path(__file__).parent / "tables").glob("*.toml"))
ABOUT = {"table", "run", "share", "repeats", "line", "gate", "within"}
TEXTS = {"protocol", "tool_version", "congestion_control", "why_no_goodput", "error", "tool"}
TEXTS |= {"rdma_operation", "transport", "assumed_transport"}


def figures(values: dict[str, Any]) -> dict[str, Any]:
    """Return values by name: figures from their arithmetic, and what has a type of its own."""
    given = {
        name: each if name in TEXTS and each != "none" else known_of(name, each)
        for name, each in values.items()
    }
    if "cpu" in given:
        given["cpu"] = tuple(
            CpuUse(known(busy), known(rate), scope, Side(side), *installed)
            for busy, rate, scope, side, *installed in given["cpu"]
        )
    return given


def known_of(name: str, value: Any) -> Any:
    """Return a value of this name, with the type that it has in netmodel."""
    if name == "stack":
        return parse_stack(value)
    if name == "capacities":
        return tuple(map(Capacity.parse, value))
    return frozenset(value) if name == "accepted" else known(value)


def measured(case: dict[str, Any]) -> Measurement:
    """Return the run of a case."""
    given = {"goodput_bps": known(case.get("share", 1)) * EVEN_CEILING_BPS}
    given |= figures(case.get("run", {}))
    tool = given.pop("tool", "iperf3")
    made = run(**given)
    object.__setattr__(made, "tool", tool)
    return made


def judged(case: dict[str, Any]) -> Verdict:
    """Return the verdict on a case."""
    line = {"line_rate_bps": 1538e6, "mtu_bytes": 1500} | case.get("line", {})
    gate = Gate(**figures(case.get("gate", {})))
    specified, shares = SpecifiedLine(**figures(line)), case.get("repeats", [case.get("share", 1)])
    runs = [measured(case | {"share": share}) for share in shares]
    return pooled([check(each, specified, gate) for each in runs], gate)[0]


def ends(values: Any, expected: list[Any], within: float) -> bool:
    """Return whether both ends of a range are the expected ones."""
    return all(is_same(*pair, within) for pair in zip(values, expected, strict=True))


def require(verdict: Verdict, case: dict[str, Any]) -> None:
    """Raise where a verdict is not as its case has it."""
    within = case.get("within", 1e-6)
    limits = {each.name: each for each in verdict.limits.limits} if verdict.limits else {}
    parts = {each.name: each for each in verdict.tolerance.parts} if verdict.tolerance else {}
    for name, expected in case.items():
        match name:
            case "outcome":
                assert verdict.outcome is not None
                assert verdict.outcome.value == expected, verdict.reason
            case "binding":
                assert verdict.binding is not None
                assert verdict.binding.name == expected
            case "passes" | "ratio":
                assert is_same(getattr(verdict, name), expected, within), verdict.ratio
            case "reason":
                texts = [expected] if isinstance(expected, str) else expected
                assert [text for text in texts if text not in verdict.reason] == [], verdict.reason
            case "lacks":
                texts = [expected] if isinstance(expected, str) else expected
                assert [text for text in texts if text in verdict.reason] == [], verdict.reason
            case "causes":
                found = verdict.reason.partition(": ")[2].split("; ")
                assert len(found) == len(expected), found
                for cause, begin in zip(found, expected, strict=True):
                    assert cause.startswith(begin), (cause, begin)
            case "cause_names":
                assert [each.name for each in verdict.causes] == expected
            case "note":
                assert any(expected in note for note in verdict.notes), verdict.notes
            case "notes":
                assert list(verdict.notes) == expected
            case "names":
                assert list(limits) == expected
            case "absent":
                assert expected not in limits
            case "limits":
                for each, value in expected.items():
                    assert is_same(limits[each].value_bps, value, within), limits[each]
            case "ends":
                for each, values in expected.items():
                    assert ends(limits[each].bounds_bps, values, within), limits[each]
            case "carrier":
                assert any(expected in each.carrier for each in limits.values())
            case "bounds":
                assert ends(verdict.limits.bounds_bps, expected, within), verdict.limits.bounds_bps
            case "mtu_bytes" | "unknown" | "transport":
                value = getattr(verdict.limits, name)
                assert (list(value) if name == "unknown" else value) == expected
            case "parts":
                for each, (below, above) in expected.items():
                    found = parts.get(each)
                    values = (found.below_ratio, found.above_ratio) if found else (0.0, 0.0)
                    assert ends(values, [below, above], within), (each, values)
            case "part_names":
                assert list(parts) == expected
            case "gates":
                allowed = verdict.tolerance
                assert allowed is not None
                assert ends((allowed.min_ratio, allowed.max_ratio), expected, within)
            case _:
                assert name in ABOUT


@pytest.mark.parametrize("case", [*cases(*TABLES)])
def test_a_verdict_is_as_its_table_says(case: dict[str, Any]) -> None:
    if "refused" in case:
        with pytest.raises(NetmodelError) as caught:
            judged(case)
        assert case["refused"] in str(caught.value)
        return
    require(judged(case), case)
