"""Names that others chose, in every form of output: none steers, runs, hides or breaks anything."""

import json
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from invocation import run_netmodel
from runs import sample

from netmodel.records import data_path
from netmodel.text import printable

RUN = sample("line_200m_mtu1500_ts1_v4.json")
LINE = ("--line-rate", "200Mbit/s", "--mtu", "1500")
NAMES = {
    "all at once": "=cmd|'!C calc'!A0<script>alert(1)<!--<img src=x onerror=alert(1)>\"`id`"
    "\x1b[2J\x07\x9b31m\u202egnp.exe\u2066$\\frac{x$ ^_{{7*7}}{% x %}${y}%s%n"
    "|a|]]>&amp;&#0;\nb\r\tc",
    "long": "x" * 200,
    "undecodable": "@a\udcffb",
}
STEERING = {*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0)), *"\u202e\u2066"} - set("\n\t")
each_name = pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)


class Elements(HTMLParser):
    """Tags and attributes of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found |= {tag, *(f"{tag} {name}" for name, _ in attrs)}


def require_harmless(text: str) -> None:
    """No control character, and no mark that turns the writing."""
    assert not STEERING & set(text)


def require_same_elements(page: Path, plain: Path) -> None:
    """A page with the elements of another one, and no others."""
    text = page.read_text(encoding="utf-8")
    require_harmless(text)
    assert Elements(text).found <= Elements(plain.read_text(encoding="utf-8")).found


def file_named(name: str, directory: Path, content: bytes, ending: str = "") -> str:
    """A file of this name, as far as a file system takes it."""
    path = directory / f"{name.replace('/', '!')}{ending}"
    path.write_bytes(content)
    return path.name


def printed(*arguments: str) -> str:
    result = run_netmodel(*arguments)
    assert result.exit_code in {0, 1}, result.output
    require_harmless(result.output)
    return result.stdout


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory to work in: names of files then begin with what they begin with."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@each_name
def test_names_of_results(name: str, here: Path) -> None:
    file = file_named(name, here, RUN.read_bytes())
    arguments = ("check", *LINE)
    out = ("--junit", "out.xml", "--verbose")
    printed(*arguments, *out, "--", file)
    junit = (here / "out.xml").read_bytes()
    require_harmless(junit.decode())
    (case,) = ET.fromstring(junit).iter("testcase")
    assert case.get("name")
    row, *_ = json.loads(printed(*arguments, "--json", "--", *[file] * 501))
    assert row["file"] == file


CARD = (
    'title = {}\nkind = "own"\nline_rate = "25 Gbit/s"\n'
    '[defaults]\nsource = {}\nlocator = {}\ngrade = "measured"\n'
)


def quoted(name: str) -> str:
    """A name as a text of TOML, which has no lone surrogates."""
    return json.dumps(name.encode(errors="replace").decode()).replace("\x7f", "\\u007f")


@each_name
def test_names_of_records_and_texts_in_them(name: str, here: Path) -> None:
    card = CARD.replace("{}", quoted(name)).encode()
    file = file_named(name, here, card, ".toml")
    printed("catalog", "show", "--kind", "adapters", "--", file)
    predict = ("predict", f"--adapter={file}", "--workload=str-writex30k", "--mtu=1500")
    printed(*predict, "--verbose")
    json.loads(printed(*predict, "--json"))


@each_name
def test_names_in_a_scenario(name: str, here: Path) -> None:
    pytest.importorskip("jinja2")
    example = data_path("examples", "scenarios", "order-system.toml").read_text(encoding="utf-8")
    (here / "plain.toml").write_text(example, encoding="utf-8")
    changed = [
        f"{line.partition('=')[0]}= {quoted(name)}"
        if line.startswith(("name", "title", "note", "source"))
        else line
        for line in example.splitlines()
    ]
    (here / "mine.toml").write_text("\n".join(changed), encoding="utf-8")
    assert run_netmodel("plan", "plain.toml", "--html", "plain.html").exit_code in {0, 1}
    result = run_netmodel("plan", "mine.toml", "--html", "out.html", "--verbose")
    require_harmless(result.output)
    if result.exit_code in {0, 1}:
        require_same_elements(here / "out.html", here / "plain.html")


@each_name
@pytest.mark.parametrize("command", ["predict", "catalog show", "explain", "rps"])
def test_names_that_are_not_known(command: str, name: str) -> None:
    options: dict[str, Callable[[str], tuple[str, ...]]] = {
        "predict": lambda given: ("predict", f"--adapter={given}", "--workload=x", "--mtu=1500"),
        "catalog show": lambda given: ("catalog", "show", "--", given),
        "explain": lambda given: ("explain", "--", given),
        "rps": lambda given: ("rps", "encode", "--", given),
    }
    result = run_netmodel(*options[command](name))
    assert result.exit_code in {2, 3}
    require_harmless(result.output)


def test_text_that_steers_nothing_stays_as_it_is() -> None:
    text = "tab\t line\n größe 日本語 \N{GRINNING FACE} \\x00"
    assert printable(text) == text
