"""Demands over connections in the record of a path."""

import tomllib
from pathlib import Path

import pytest

from netmodel.errors import ParseError
from netmodel.path import Traffic, predict_path, recorded_path
from netmodel.path._by_connections import TimeByConnections
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
mtu = "1500 B"
waiting = "batch"

[[measured.stages]]
name = "delay"
per_transaction = "300 µs"

[[measured.stages]]
name = "each connection"
per_byte_to_server = "16 ns"

[[measured.stages]]
name = "bottleneck"
shared = true
per_transaction = { least = "8.3 µs", shared = "90 µs" }
per_byte_to_server = { least = "8.5 ns", growing = "0.02 ns" }

[[measured.fitted_to]]
workload = "requests"
request = "200 B"
response = "1000 B"
connections = [1, 50]
error = "5 %"
outside_error = "10 %"

[[measured.fitted_to]]
workload = "streams to server"
connections = [1, 50]
error = "5 %"
outside_error = "10 %"
"""


def test_your_own_record_gives_expected_values(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(RECORD, "utf-8")
    path = recorded_path(path_record(file))
    expected = predict_path(path, Traffic(200, 1000, connection_count=9), 1500).expected
    assert expected is not None
    # 300 + 200 * 0.016 + 9 (8.3 + 90 / 3 + 200 * 0.0085) µs
    assert expected.transaction_time_s.value == pytest.approx(663.2e-6)
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
    *_, bottleneck = recorded_path(path_record(file)).measured[0].stages
    demand = bottleneck.to_server.per_message_s
    assert isinstance(demand, TimeByConnections)
    assert demand.at(20) == pytest.approx(38.3e-6)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('request = "200 B"\n', "", "request: belongs to requests, which need it"),
        ('"streams to server"', '"streams to server"\nresponse = "1 B"', "response: belongs to"),
        ('name = "delay"', 'name = "bottleneck"', "is the name of another stage"),
        ('per_transaction = "300 µs"', "", "per_transaction, per_byte_to_client"),
        ("connections = [1, 50]", "connections = [50, 1]", "the fewest go before the most"),
        ('error = "5 %"', 'error = "5 µs"', "must be one number in %"),
        ('workload = "requests"', 'workload = "request"', "workload"),
        ('waiting = "batch"', 'waiting = "queue"', "waiting"),
        ('least = "8.3 µs", ', "", "least"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    file = tmp_path / "own.toml"
    file.write_text(RECORD.replace(old, new), "utf-8")
    with pytest.raises(ParseError, match=message):
        path_record(file)
