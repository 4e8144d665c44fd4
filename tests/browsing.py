"""Pages as headless Chromium lays them out: nothing cut, nothing pale, screens and print."""

import html
import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
in_chromium = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

A4_PX = 695
"""Width that A4 leaves between the margins of the page: 210 mm less 26 mm, at 96 px per inch."""
WIDTHS_PX = (1280, 800, 400)
MEASURE = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


class Measured(TypedDict):
    """What one layout of a page is like."""

    name: str
    width: int
    dark: bool
    texts: int
    faults: list[str]


def browse(directory: Path, *arguments: str) -> str:
    """What Chromium prints, without a window."""
    assert CHROMIUM is not None
    command = [
        *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
        f"--user-data-dir={directory / 'profile'}",
        *arguments,
    ]
    done = subprocess.run(command, capture_output=True, check=True, timeout=120)
    return done.stdout.decode()


def printed(page: str) -> str:
    """The page with its rules for print, as if they were for screens."""
    return page.replace("@media print", "@media all").replace("@media screen", "@media not all")


def layouts(page: str, directory: Path) -> list[Measured]:
    """The page on screens of all widths, light and dark, and on paper."""
    file = directory / "layouts.html"
    file.write_text(f'<!doctype html><meta charset="utf-8">{laid_out(page)}', encoding="utf-8")
    return measured(browse(directory, "--virtual-time-budget=20000", "--dump-dom", file.as_uri()))


def laid_out(page: str) -> str:
    """Elements that hold the page in each layout, and measure them once all are loaded."""
    inside = "".join(
        f'<iframe title="{name}" style="width:{width}px;height:900px;border:0;'
        f'color-scheme:{scheme}" srcdoc="{html.escape(text)}"></iframe>'
        for name, width, scheme, text in _frames(page)
    )
    return f'<script>{MEASURE}</script>{inside}<pre id="found"></pre>'


def measured(dumped: str) -> list[Measured]:
    """What the layouts are like, from the document that Chromium prints."""
    (found,) = re.findall(r'<pre id="found">(.+?)</pre>', dumped, flags=re.DOTALL)
    result: list[Measured] = json.loads(html.unescape(found))
    frames = _frames("")
    assert [each["width"] for each in result] == [width for _, width, _, _ in frames]
    assert [each["dark"] for each in result] == [scheme == "dark" for _, _, scheme, _ in frames]
    return result


def _frames(page: str) -> Sequence[tuple[str, int, str, str]]:
    frames = [
        (f"{width} px {scheme}", width, scheme, page)
        for width in WIDTHS_PX
        for scheme in ("light", "dark")
    ]
    return [*frames, ("print", A4_PX, "light", printed(page))]
