"""
The site as `make docs` builds it: links lead somewhere, nothing comes from outside, pages fit
screens, the search finds.
"""

import html
import json
import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from urllib.parse import quote, unquote, urldefrag

import pages_of_docs
import pytest

ROOT = Path(__file__).parents[2]
SITE = Path(os.environ.get("NETMODEL_SITE", ROOT / "build" / "docs")).resolve()
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
pytestmark = [
    pytest.mark.site,
    pytest.mark.skipif(not (SITE / "index.html").exists(), reason="make docs has not built it"),
]
in_chromium = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

MAIN_PAGES = (
    "index.html",
    "calculator.html",
    "gallery.html",
    "nomenclature.html",
    "howto/index.html",
    "howto/predict.html",
    "howto/gate-your-ci-on-physics.html",
    "explanation/paths.html",
    "reference/index.html",
    "reference/catalog.html",
    "reference/commands/plan.html",
    "reference/generated/netmodel.ceilings.payload_rate_bps.html",
    "notebooks/moving-to-jumbo-frames.html",
)
WIDTHS_PX = (1280, 400)
SCORER = (pages_of_docs.DOCS / "scorer.js").read_text(encoding="utf-8")
ANSWERS = dict(re.findall(r'"([\w -]+)": "([\w/-]+)"', SCORER))
SEARCHES = {
    "jumbo": "notebooks/moving-to-jumbo-frames.html",
    "payload_rate_bps": "reference/generated/netmodel.ceilings.payload_rate_bps.html",
    "--line-rate": "reference/commands/",
    "netmodel plan": "reference/commands/plan.html",
} | {word: f"{page}.html" for word, page in ANSWERS.items()}
"""What is typed, and the page that comes first."""
LOADED = re.compile(
    r"<(?:script|img|iframe|source|video|audio|embed)\b[^>]*?\bsrc\s*=\s*[\"']([^\"']+)"
    r"|<link\b[^>]*?\bhref\s*=\s*[\"']([^\"']+)|url\(\s*[\"']?([^\"')]+)|@import\s+[\"']([^\"']+)"
)
MEASURE, SEARCH = (
    Path(__file__).with_name(f"{name}.js").read_text(encoding="utf-8")
    for name in ("fitting", "searching")
)


@cache
def text_of(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def pages() -> list[Path]:
    return sorted(SITE.rglob("*.html"))


def in_site(
    directory: Path, script: str, frames: dict[str, tuple[str, int]]
) -> dict[str, list[str]]:
    """What the script finds in pages at a width, side by side, by their titles."""
    inside = "".join(
        f'<iframe title="{html.escape(title)}" style="width:{width}px;height:900px;border:0"'
        f' src="{(SITE / "index.html").parent.as_uri()}/{address}"></iframe>'
        for title, (address, width) in frames.items()
    )
    file = directory / "frames.html"
    file.write_text(
        f'<!doctype html><meta charset="utf-8"><script>{script}</script>{inside}'
        '<pre id="found"></pre>',
        encoding="utf-8",
    )
    assert CHROMIUM is not None
    command = [
        *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
        *("--allow-file-access-from-files", f"--user-data-dir={directory / 'profile'}"),
        *("--virtual-time-budget=30000", "--dump-dom", file.as_uri()),
    ]
    dumped = subprocess.run(command, capture_output=True, check=True, timeout=180).stdout.decode()
    (found,) = re.findall(r'<pre id="found">(.+?)</pre>', dumped, flags=re.DOTALL)
    result: dict[str, list[str]] = json.loads(html.unescape(found))
    return result


def test_no_command_of_a_page_fails_to_write() -> None:
    """A pipe into ``head`` closes early: a command ends quietly then."""
    assert not [file for file in pages() if "cannot write" in text_of(file)]


def test_nothing_is_loaded_from_outside() -> None:
    files = [*pages(), *SITE.rglob("*.css")]
    outside = {
        (str(file.relative_to(SITE)), address)
        for file in files
        for groups in LOADED.findall(re.sub(r"<pre.*?</pre>", "", text_of(file), flags=re.DOTALL))
        for address in groups
        if re.match(r"(https?:)?//", address)
    }
    assert outside == set()


def test_every_link_inside_the_site_leads_to_its_place() -> None:
    anchors = {
        file: {
            html.unescape(each) for each in re.findall(r'\b(?:id|name)="([^"]+)"', text_of(file))
        }
        for file in pages()
    }
    faults = set()
    for file in anchors:
        for link in set(re.findall(r'<a\b[^>]*?\bhref="([^"]*)"', text_of(file))):
            address, anchor = urldefrag(html.unescape(link))
            if re.match(r"[a-z]+:", address):
                continue
            target = (file.parent / unquote(address)).resolve() if address else file
            target = target / "index.html" if target.is_dir() else target
            if not target.exists() or (
                anchor and target in anchors and unquote(anchor) not in anchors[target]
            ):
                faults.add((str(file.relative_to(SITE)), link))
    assert faults == set()


@in_chromium
def test_main_pages_fit_wide_and_narrow_screens(tmp_path: Path) -> None:
    frames = {f"{page} {width}": (page, width) for page in MAIN_PAGES for width in WIDTHS_PX}
    assert [page for page in MAIN_PAGES if not (SITE / page).exists()] == []
    found = in_site(tmp_path, MEASURE, frames)
    assert set(found) == set(frames)
    assert {name: faults for name, faults in found.items() if faults} == {}


@in_chromium
def test_the_search_finds_the_page_first_from_the_file_system(tmp_path: Path) -> None:
    frames = {words: (f"search.html?q={quote(words)}", 1280) for words in SEARCHES}
    found = in_site(tmp_path, SEARCH, frames)
    base = SITE.as_uri() + "/"
    first = {words: urldefrag(links[0])[0] for words, links in found.items() if links}
    assert {
        words: first.get(words, "nothing")
        for words, page in SEARCHES.items()
        if not first.get(words, "").removeprefix(base).startswith(page)
    } == {}


def test_every_public_name_has_its_place_in_the_reference() -> None:
    subjects = pages_of_docs.module("subjects")
    anchors = {
        each
        for file in (SITE / "reference" / "generated").glob("*.html")
        for each in re.findall(r'\bid="(netmodel\.[\w.]+)"', text_of(file))
    }
    public = {
        f"{package}.{name}"
        for package, groups in subjects.of_packages().items()
        # the command line has pages of its own; layers stand with framing
        if package not in {"netmodel.cli"}
        for _, names in groups
        for name in names
    }
    assert public - anchors == set()
