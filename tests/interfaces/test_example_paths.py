"""The example files of paths of your own: short, and true to the runs that they are made from."""

from invocation import printed_json

from netmodel.records import data_path

LINE, SMALL_WINDOW = (
    str(data_path("examples", "paths", f"emulated-line{name}.toml"))
    for name in ("", "-small-window")
)
FULL, WINDOWED, JUMBO = (
    str(data_path("examples", "iperf3", f"line-200m-mtu{name}.json"))
    for name in ("1500", "1500-small-window", "9000")
)


def test_check_takes_the_line_from_the_file() -> None:
    (row,) = printed_json("check", FULL, "--path", LINE, "--mtu", "1500")
    assert (row["verdict"], row["binding"], row["notes"]) == ("at_ceiling", "wire", [])
    assert {limit["name"] for limit in row["limits"]} >= {"wire", "iperf-client", "iperf-server"}
