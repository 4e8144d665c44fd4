"""Demands over connections in the record of a path."""

import tomllib
from pathlib import Path

import pytest

from netmodel.errors import ParseError
from netmodel.path import Traffic, predict_path, recorded_path
from netmodel.records import path_record, write_record

RECORD = """
title = "Measured"
unknown = ["the server"]

[defaults]
source = "our runs"
locator = "series of May"
grade = "fitted"
note = "netmodel calibrate --model batching"

[[stages]]
name = "wire"
kind = "link"
line_rate = "1 Gbit/s"

[[measured]]
workload = "requests"
mtu = "1500 B"
request = "200 B"
response = "1000 B"
connections = [1, 50]
delay = "300 µs"
per_transaction = { least = "10 µs", shared = "90 µs" }
error = "5 %"
outside_error = "10 %"

[[measured]]
workload = "streams to server"
mtu = "1500 B"
connections = [1, 50]
alone_per_byte = "16 ns"
per_byte = { least = "8.5 ns", growing = "0.02 ns" }
error = "5 %"
outside_error = "10 %"
"""


def test_your_own_record_gives_expected_values(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(RECORD, "utf-8")
    path = recorded_path(path_record(file))
    expected = predict_path(path, Traffic(200, 1000, connection_count=9), 1500).expected
    assert expected is not None
    assert expected.transaction_time_s.value == pytest.approx(660e-6)
    stream = Traffic(10**6, connection_count=1, waits=False, shares_segments=True)
    expected = predict_path(path, stream, 1500).expected
    assert expected is not None
    assert expected.throughput_bps.value == pytest.approx(0.5e9)


def test_a_written_record_reads_the_same(tmp_path: Path) -> None:
    file, copy = tmp_path / "own.toml", tmp_path / "copy/own.toml"
    file.write_text(RECORD, "utf-8")
    copy.parent.mkdir()
    write_record(copy, tomllib.loads(RECORD), "paths")
    assert path_record(copy) == path_record(file)


def test_a_batch_of_its_own_size(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    batch = 'shared = "90 µs", batching_connections = { value = 10, unit = "1" }'
    file.write_text(RECORD.replace('shared = "90 µs"', batch), "utf-8")
    demand = recorded_path(path_record(file)).measured[0].bottleneck
    assert demand.at(20) == pytest.approx(40e-6)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('delay = "300 µs"\n', "", "delay: is missing; requests need it"),
        ('alone_per_byte = "16 ns"', 'delay = "1 µs"', "streams to server need it"),
        ('alone_per_byte = "16 ns"', 'alone_per_byte = "16 ns"\ndelay = "1 µs"', "delay: is not a"),
        ("connections = [1, 50]", "connections = [50, 1]", "the fewest go before the most"),
        ('error = "5 %"', 'error = "5 µs"', "must be one number in %"),
        ('workload = "requests"', 'workload = "request"', "workload"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    file = tmp_path / "own.toml"
    file.write_text(RECORD.replace(old, new), "utf-8")
    with pytest.raises(ParseError, match=message):
        path_record(file)
