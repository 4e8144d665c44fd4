"""Example hosts: the guests of z/VM paths, with CPU time by the number of clients."""

from pathlib import Path

import pytest

from netmodel.api import predict
from netmodel.records import data_path, host, path_record

FILES = sorted(data_path("examples", "hosts").glob("*-guest.toml"))


def test_all_directly_attached_guests_are_there() -> None:
    assert len(FILES) == 4


@pytest.mark.parametrize("file", FILES, ids=lambda each: each.stem)
def test_a_guest_costs_what_its_path_has(file: Path) -> None:
    guest, record = host(file), path_record(file.stem.removesuffix("-guest"))
    (stage,) = (each for each in record.stages if each.name == "guest")
    assert guest.receive is not None
    assert stage.in_ is not None
    middle = guest.receive.at[1].connections  # of 1, 10, 50 or of 1, 8, 16, 32
    assert str(guest.receive).endswith(f", at {middle} connections")
    pairs = zip(guest.receive.at, stage.in_.at, strict=True)
    for mine, theirs in pairs:
        assert mine.connections == theirs.connections
        assert [
            (point.per_packet.time_s_estimate, point.per_byte.time_s_estimate)  # type: ignore[union-attr]
            for point in mine.points
        ] == [
            (point.per_frame.time_s_estimate, point.per_byte.time_s_estimate)  # type: ignore[union-attr]
            for point in theirs.points
        ]


def test_the_cost_of_a_guest_depends_on_the_number_of_clients() -> None:
    file = next(each for each in FILES if "layer3-10gbe" in each.name)
    costs = [
        predict(
            sender="osa-express2-10gbe",
            receiver="osa-express2-10gbe",
            client_host=file,
            mtu_bytes=8992,
            workload="rr1c-200x30k",
            connections=count,
        ).demands["client_host_receive"]
        for count in (1, 50)
    ]
    few, many = ({name: float(value) for name, value in each} for each in costs)
    name = "client_host_receive.to_client.per_frame_s"
    assert few[name] > 1.1 * many[name] > 0
