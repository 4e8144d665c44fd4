"""Results that people posted: goodput and verdict, of at least 95 in 100 of them."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from netmodel.api import check

FILE = Path(__file__).parents[1] / "data" / "public-pastes.toml"
PASTES: dict[str, Any] = tomllib.loads(FILE.read_text(encoding="utf-8"))
UNREAD = PASTES.pop("unread")


def test_one_in_twenty_at_most_is_not_read() -> None:
    assert len(PASTES) >= 60
    assert len(UNREAD) <= 0.05 * len(PASTES)


@pytest.mark.parametrize("name", PASTES)
def test_a_public_paste_is_read_and_judged(name: str, tmp_path: Path) -> None:
    paste = PASTES[name]
    path = tmp_path / f"{name}.txt"
    path.write_text(paste["text"], encoding="utf-8")
    verdicts = check(path, line_rate_bps=paste["line"], mtu_bytes=paste.get("mtu", 1500))
    goodputs_bps = [each.goodput_bps for each in verdicts if each.goodput_bps is not None]
    words = [each.outcome.value if each.outcome else "" for each in verdicts]
    if name in UNREAD:
        assert goodputs_bps == []
        return
    assert goodputs_bps == pytest.approx(paste["goodput_bps"], rel=5e-3)
    assert words == paste["verdicts"]
