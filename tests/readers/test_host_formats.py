"""Every sample is a result, the state of a host, or is refused with its format's name."""

import re
import tomllib
from pathlib import Path

import pytest

from netmodel.errors import ParseError
from netmodel.readers import HostCpu, Measurement, read_host_cpu, read_result
from netmodel.readers._document import read_text
from netmodel.readers._host_activity import recognised_host_state

SAMPLES = Path(__file__).parent / "samples"
FILES = sorted(path for path in SAMPLES.rglob("*.*") if path.suffix not in {".md", ".toml"})

TABLE = tomllib.loads(Path(__file__).with_name("host_states.toml").read_text(encoding="utf-8"))
HOST_STATES, REFUSED = TABLE["has"], TABLE["refused"]


def name_of(path: Path) -> str:
    return path.relative_to(SAMPLES).as_posix()


def read(path: Path) -> HostCpu | tuple[Measurement, ...]:
    is_host = recognised_host_state(read_text(path).text)
    return read_host_cpu(path) if is_host else read_result(path)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_each_sample_is_a_result_a_host_or_refused_by_name(path: Path) -> None:
    name = name_of(path)
    refused = REFUSED.get(name, "ip without counters" if path.parent.name == "ip-link" else None)
    if refused:
        with pytest.raises(ParseError, match=re.escape(refused)):
            read(path)
        return
    result = read(path)
    if name in HOST_STATES:
        assert isinstance(result, HostCpu)
        assert result.tool == HOST_STATES[name]
    else:
        assert isinstance(result, tuple)
        assert all(isinstance(each, Measurement) for each in result)
        assert result


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_samples_name_no_machine(path: Path) -> None:
    text = read_text(path).text
    addresses = set(re.findall(r"(?:[0-9a-f]{2}:){5}[0-9a-f]{2}", text))
    named = re.compile(r"00:00:00:00:00:00|ff:ff:ff:ff:ff:ff|01:80:c2:00:00:..|00:00:5e:00:53:..")
    assert {address for address in addresses if not named.fullmatch(address)} == set()
    hosts = re.findall(r"Linux (\S+) [0-9]+\.|Linux 6\S* \((\S+)\)|\"nodename\": *\"(.*?)\"", text)
    assert {name for result in hosts for name in result if name} <= {"host", "client.example"}


def test_what_is_no_state_of_a_host_is_refused_with_the_names_of_all() -> None:
    with pytest.raises(
        ParseError, match=r"mpstat, sar, sadf -d or -j, or two copies of /proc/stat"
    ):
        read_host_cpu(b"prose")


SADF = '{"sysstat": {"hosts": [{"file-date": "x"}]}}'


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (SADF, "sadf"),
        (SADF.replace("file-date", "date"), "mpstat"),
        ("\ufeff" + SADF, "sadf"),
        ('{"kernel":{}}', None),
        ("Linux 6 (h) \t11/20/26 \t_s390x_\t(2 CPU)\n\n10:00:00 PM  CPU    intr/s\n", "mpstat"),
        ("Linux 6 (h) \t11/20/26 \t_s390x_\t(2 CPU)\n\n10:00:00     CPU     %user\n", "sar"),
        ("Linux 6 (h) \t11/20/26 \t_s390x_\t(2 CPU)\n\nDevice   tps\n", "sar"),
        ("           CPU0       CPU1\n  0:    5   IO-APIC  timer\n", None),
        ('{"start":{}}', None),
        ("", None),
        ("{", None),
        ("[" * 100_000, None),
        (" " * 100_000, None),
        ("Linux x (" + " _(" * 100_000, None),
    ],
    ids=lambda text: repr(text)[:30],
)
def test_the_format_is_reported_by_what_a_text_begins_with(text: str, name: str | None) -> None:
    assert recognised_host_state(text) == name
