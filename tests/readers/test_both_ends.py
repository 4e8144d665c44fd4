"""One run that both of its ends recorded: one row, judged at the receiver, its CPU time once."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from runs import having, run, values_of

from netmodel.consumption import Side
from netmodel.readers import (
    CpuUse,
    Direction,
    Measurement,
    join_ends,
    measurement,
    pair_with_hosts,
    read_host_cpu,
    read_result,
)
from netmodel.readers._formats import UnreadableResult

read_iperf3 = partial(read_result, format_name="iperf3")

SAMPLES = Path(__file__).parent / "samples" / "both-ends"
TO_SERVER, TO_CLIENT = Direction.CLIENT_TO_SERVER, Direction.SERVER_TO_CLIENT


def end(name: str, side: str) -> tuple[Measurement, ...]:
    return read_iperf3(SAMPLES / f"iperf3_3.12_{name}_{side}.json")


def both(name: str) -> tuple[Measurement, ...]:
    return end(name, "client") + end(name, "server")


def made(side: Side, **reported: Any) -> Measurement:
    """What one end recorded of a run of 1 Gbit/s from client to server."""
    usual: dict[str, Any] = {
        "goodput_bps": 1e9,
        "run_id": "10.0.0.1:5000-10.0.0.2:5001",
        "recorded_by": side,
        "source": side.value,
        "sha256": side.value,
        "begin_utc_s": 1e9,
        "duration_s": 10.0,
    }
    return run(**(usual | reported))


CLIENT, SERVER = made(Side.CLIENT), made(Side.SERVER)


@pytest.mark.parametrize("name", ["tcp", "udp", "P2"])
@pytest.mark.parametrize("is_client_first", [True, False])
def test_a_run_to_the_server_is_reported_by_the_server(name: str, is_client_first: bool) -> None:
    (client,), (server,) = end(name, "client"), end(name, "server")
    (joined,) = join_ends([client, server] if is_client_first else [server, client])
    assert isinstance(joined, Measurement)
    assert (joined.source, joined.file.sha256) == (server.source, server.file.sha256)
    assert joined.goodput_bps == server.goodput_bps
    assert joined.counted.received_bytes == server.counted.received_bytes
    assert joined.tcp.round_trip_s == client.tcp.round_trip_s
    assert joined.tcp.retransmit_count == client.tcp.retransmit_count
    assert joined.tcp.peer_window_bytes == client.tcp.peer_window_bytes
    assert joined.notes[-1] == (
        f"joined with {client.source}: goodput is that of the receiver's file"
    )


def test_each_end_reports_its_own_cpu_time() -> None:
    """As recorded: host_total 0.9076 % in the client's file and 8.3662 % in the server's."""
    (joined,) = join_ends(both("tcp"))
    assert {use.side: use.busy_cpu_count for use in joined.cpu} == {
        Side.CLIENT: pytest.approx(0.009075573903446612),
        Side.SERVER: pytest.approx(0.08366199599990336),
    }


def test_a_run_to_the_client_is_reported_by_the_client() -> None:
    """35 371 744 bytes in 3.000027 s; the file of the server does not report what arrived."""
    client, server = both("reverse")
    assert server.goodput_bps is None
    (joined,) = join_ends([server, client])
    assert joined.source == client.source
    assert joined.goodput_bps == pytest.approx(35_371_744 * 8 / 3.000027)
    assert joined.counted.why_no_goodput is None


def test_a_run_both_ways_keeps_its_two_directions() -> None:
    """34 342 968 bytes to the server and 34 366 832 to the client, in 3.00351 s."""
    rows = join_ends(both("bidir"))
    to_client, to_server = rows
    assert (to_client.direction, to_server.direction) == (TO_CLIENT, TO_SERVER)
    assert (Path(to_client.source).stem, Path(to_server.source).stem) == (
        "iperf3_3.12_bidir_client",
        "iperf3_3.12_bidir_server",
    )
    assert to_server.goodput_bps == pytest.approx(34_342_968 * 8 / 3.00351)
    assert to_client.goodput_bps == pytest.approx(34_366_832 * 8 / 3.00351)


def test_other_rows_keep_their_places() -> None:
    other, broken = run(), UnreadableResult("x", "is broken")
    joined = join_ends([broken, CLIENT, other, SERVER])
    assert [getattr(row, "source", row) for row in joined] == [broken, other.source, "server"]
    assert join_ends([CLIENT, other]) == (CLIENT, other)
    assert join_ends([]) == ()


def test_goodput_is_that_of_the_sender_where_the_receiver_has_none() -> None:
    server = having(SERVER, goodput_bps=None, duration_s=None, why_no_goodput="it was cut off")
    client = having(CLIENT, is_at_sender=True, half_width_bps=5e5)
    (joined,) = join_ends([client, server])
    assert (joined.source, joined.goodput_bps, joined.duration_s) == ("server", 1e9, 10.0)
    assert (joined.counted.half_width_bps, joined.counted.is_at_sender) == (5e5, True)
    assert joined.counted.why_no_goodput is None
    assert "goodput is that of the sender's file" in joined.notes[-1]


def test_the_rounding_of_one_file_is_not_that_of_the_other() -> None:
    client = having(CLIENT, goodput_bps=1.01e9, half_width_bps=5e6)
    (joined,) = join_ends([client, SERVER])
    assert (joined.goodput_bps, joined.counted.half_width_bps) == (1e9, None)


def test_runs_apart_in_time_tool_or_direction_are_several() -> None:
    for other in (
        having(SERVER, begin_utc_s=1e9 + 61),
        having(SERVER, tool="other"),
        having(SERVER, direction=TO_CLIENT),
        having(SERVER, run_id="10.0.0.1:5002-10.0.0.2:5001"),
        having(SERVER, run_id=None),
        having(SERVER, recorded_by=None),
        having(SERVER, goodput_bps=None, error="interrupted"),
    ):
        assert join_ends([CLIENT, other]) == (CLIENT, other)
    for begin_s in (1e9 + 59, None):
        assert len(join_ends([CLIENT, having(SERVER, begin_utc_s=begin_s)])) == 1


def test_a_second_run_between_the_same_ports_has_its_own_ends() -> None:
    later = [
        having(each, begin_utc_s=2e9, sha256=f"{each.file.sha256} later")
        for each in (CLIENT, SERVER)
    ]
    joined = join_ends([CLIENT, SERVER, *later])
    assert [row.begin_utc_s for row in joined] == [1e9, 2e9]


@pytest.mark.parametrize("begins_s", [0, 100], ids=["at once", "one after the other"])
def test_thousands_of_runs_with_one_id_are_compared_with_few(
    begins_s: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clients in the order of time, servers against it; each goodput differs by a millionth."""
    compared = []
    are_near = measurement._are_near

    def counted(*ends: Measurement) -> bool:
        compared.append(ends)
        return are_near(*ends)

    monkeypatch.setattr(measurement, "_are_near", counted)
    count = 1000
    rows = [
        having(
            end,
            sha256=f"{end.source}{number}",
            goodput_bps=1e9 + 1e3 * number,
            begin_utc_s=1e9 + begins_s * number,
        )
        for end, order in ((CLIENT, 1), (SERVER, -1))
        for number in range(count)[::order]
    ]
    assert len(join_ends(rows)) == count
    assert len(compared) < 10 * count


def test_a_copy_stays_with_a_note_and_counts_once() -> None:
    copy = having(CLIENT, source="copy", sha256="copy")
    rows = join_ends([CLIENT, copy])
    assert rows == (CLIENT, having(copy, notes=("the same run is also in client",)))
    assert [row.source for row in join_ends([CLIENT, SERVER, copy])] == ["server", "copy"]
    assert pair_with_hosts([CLIENT, copy]).goodput_bps == 1e9
    assert pair_with_hosts([CLIENT, SERVER, copy]).goodput_bps == 1e9


def test_cpu_time_beside_both_files_is_that_of_one_run() -> None:
    """
    Idle in the six seconds from 03:23:11: 70.05, 91.43, 92.44, 92.94, 92.86, 37.10 % of two CPUs.

    Busy are 2 x (1 - 4.7682 / 6) = 0.4106 CPUs, over 94.217 Mbit/s; the sum of both files would
    be 188.4 Mbit/s, on a line of 100, and the cost half of this.
    """
    host = read_host_cpu(SAMPLES / "sadf_12.6.1.json")
    paired = pair_with_hosts(both("tcp"), client=host)
    assert paired.goodput_bps == pytest.approx(94.217e6, rel=1e-5)
    (use,) = paired.cpu
    assert use.busy_cpu_count == pytest.approx(0.4106, abs=2e-4)
    assert use.us_per_gbit == pytest.approx(0.4106e6 / 0.094217, rel=1e-3)


@pytest.mark.parametrize(
    ("begin_s", "goodput_bps", "is_one"),
    [
        (1e9 + 60, 1e9, True),
        (1e9 - 60, 1e9, True),
        (1e9 + 60.5, 1e9, False),
        (1e9 - 60.5, 1e9, False),
        (1e9, 0.9e9, True),
        (1e9, 1.11e9, True),
        (1e9, 0.89e9, False),
        (1e9, 1.12e9, False),
        (None, 0.9e9, True),
        (None, 0.89e9, False),
    ],
)
def test_both_ends_begin_within_a_minute_and_count_within_a_tenth(
    begin_s: float | None, goodput_bps: float, is_one: bool
) -> None:
    other = having(SERVER, begin_utc_s=begin_s, goodput_bps=goodput_bps)
    for rows in ([CLIENT, other], [other, CLIENT]):
        assert len(join_ends(rows)) == (1 if is_one else 2)


def test_what_each_end_knows_best_is_kept() -> None:
    """The sender knows its windows, losses and segments; the receiver what arrived."""
    of_sender = {
        "segment_bytes": 1448,
        "path_mtu_bytes": 1500,
        "congestion_control": "cubic",
        "retransmit_count": 3,
        "lossy_interval_count": 2,
        "peer_window_bytes": 4000,
        "congestion_window_bytes": 5000,
        "round_trip_s": 1e-3,
        "least_round_trip_s": 1e-4,
        "offered_rate_bps": 2e9,
    }
    of_receiver = {name: None if name == "round_trip_s" else 7 for name in of_sender}
    of_receiver["congestion_control"] = "reno"
    sender = having(CLIENT, **of_sender, received_bytes=1, part="client part")
    receiver = having(SERVER, **of_receiver, received_bytes=2, part=None, tool_version=None)
    (joined,) = join_ends([sender, receiver])
    assert isinstance(joined, Measurement)
    assert of_sender.items() <= values_of(joined).items()
    assert (joined.counted.received_bytes, joined.file.part) == (2, None)
    assert (joined.file.recorded_by, joined.file.tool_version) == (Side.SERVER, "3.21")
    # in the other direction the client is the receiver
    back = [having(each, direction=TO_CLIENT) for each in (sender, receiver)]
    (joined,) = join_ends(back)
    assert (joined.source, joined.file.recorded_by, joined.file.part) == (
        "client",
        Side.CLIENT,
        "client part",
    )
    assert (
        joined.counted.received_bytes,
        joined.tcp.retransmit_count,
        joined.tcp.round_trip_s,
    ) == (1, 7, 1e-3)


def test_cpu_time_is_that_of_the_end_that_recorded_its_own() -> None:
    uses = {
        side: CpuUse(busy, 1e9, "process", side)
        for side, busy in zip(Side, (1.0, 2.0), strict=True)
    }
    other = {side: CpuUse(9.0, 1e9, "process", side) for side in Side}
    system = CpuUse(3.0, 1e9, "system", Side.SERVER)
    client = having(CLIENT, cpu=(uses[Side.CLIENT], other[Side.SERVER], system))
    server = having(SERVER, cpu=(other[Side.CLIENT], uses[Side.SERVER]))
    for rows in ([client, server], [server, client]):
        (joined,) = join_ends(rows)
        assert set(joined.cpu) == {*uses.values(), system}


@pytest.mark.parametrize(
    ("changes", "is_copy"),
    [
        ({"sha256": "other"}, True),
        ({"sha256": "other", "goodput_bps": 1.01e9}, False),
        ({"sha256": "other", "duration_s": 10.1}, False),
        ({"goodput_bps": 1.01e9}, True),  # the same content
        ({"sha256": "other", "goodput_bps": None}, False),
    ],
)
def test_a_copy_has_the_same_content_or_the_same_figures(
    changes: dict[str, Any], is_copy: bool
) -> None:
    first, second = join_ends([CLIENT, having(CLIENT, source="second", **changes)])
    assert first == CLIENT
    assert ("the same run is also in client" in second.notes) is is_copy
