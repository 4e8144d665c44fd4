"""The cost of a host from runs with the CPU time of its hosts."""

import json
import shutil
from pathlib import Path
from typing import Literal

import pytest
from click.testing import CliRunner
from host_run_files import (
    CPU_COUNT,
    TRUE_COSTS,
    mpstat,
    true_cost,
    write_requests,
    write_runs,
    write_stream,
)
from runs import run as measured

from netmodel.api import calibrate_host
from netmodel.calibration import Fit, Point
from netmodel.calibration.records import observed_of_run
from netmodel.cli import main
from netmodel.consumption import Side
from netmodel.errors import CalibrationError, ContradictionError, DomainError, ParseError
from netmodel.readers import CpuUse
from netmodel.readers.host_runs import HostRun, find_host_runs
from netmodel.records import host

SAMPLES = Path(__file__).parents[1] / "readers" / "samples"
PAIRED = SAMPLES / "iperf3" / "paired_iperf3_3.21_serverJ.json"
DURING = SAMPLES / "sysstat" / "paired_mpstat_12.6.1.json"
OTHER_TIME = SAMPLES / "both-ends" / "mpstat_12.6.1_berlin.txt"
REPEAT_RATIO = 0.02


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    write_runs(tmp_path / "runs")
    return tmp_path / "runs"


@pytest.mark.parametrize("side", ["client", "server", None])
def test_service_times_come_back_from_two_mtus(
    runs: Path, side: Literal["client", "server"] | None
) -> None:
    result = calibrate_host(runs, side=side)
    assert isinstance(result.calibration, Fit)
    for (name, estimate), true in zip(
        result.calibration.parameters.items(), TRUE_COSTS, strict=True
    ):
        assert estimate.low <= true * (1 + REPEAT_RATIO / 2) <= estimate.high, name


def test_a_third_mtu_and_another_message_are_predicted(runs: Path) -> None:
    result = calibrate_host(runs, side="server")
    at = {"mtu_bytes": 4000, "request_bytes": 1000, "response_bytes": 8000, "side": "server"}
    run = result.calibration.predict(Point("cpu_s_per_transaction", at))
    true = true_cost("cpu_s_per_transaction", at, Side.SERVER)
    assert run.value == pytest.approx(true, rel=2 * REPEAT_RATIO)
    assert run.low < true * (1 + REPEAT_RATIO / 2) < run.high


def test_runs_that_cannot_separate_parts_are_refused_with_those_that_do(tmp_path: Path) -> None:
    for mtu in (1500, 9000):
        write_requests(tmp_path / f"small-{mtu}", 200, 200, mtu)
        write_requests(tmp_path / f"large-{mtu}", 200, 30000, mtu)
        write_requests(tmp_path / f"larger-{mtu}", 200, 60000, mtu)
    separable = "small requests, large responses, streams both ways"
    with pytest.raises(CalibrationError, match=f"cannot separate .*; {separable}"):
        calibrate_host(tmp_path, side="server", noise_ratio=REPEAT_RATIO)
    for mtu in (1500, 9000):
        write_stream(tmp_path / f"stream-{mtu}", mtu)
        write_stream(tmp_path / f"back-{mtu}", mtu, back=True)
    result = calibrate_host(tmp_path, side="server", noise_ratio=REPEAT_RATIO)
    assert isinstance(result.calibration, Fit)


def test_a_wake_up_is_a_part_where_runs_differ_in_it(runs: Path) -> None:
    result = calibrate_host(runs, side="server", given={"messages_per_wakeup": 1})
    assert "per_wakeup_s" not in result.calibration.parameters
    with pytest.raises(ContradictionError, match="given is"):
        calibrate_host(runs, side="server", given={"request_bytes": 7})
    for place in runs.iterdir():
        count = 4 if place.name.startswith("small-1500") else 1
        (place / "conditions.toml").write_text(f"messages_per_wakeup = {count}\n")
    result = calibrate_host(runs, side="server")
    assert "per_wakeup_s" in result.calibration.parameters


# Wrong input


def test_cpu_time_of_another_interval_is_refused(tmp_path: Path) -> None:
    shutil.copy(PAIRED, tmp_path / "run.json")
    shutil.copy(OTHER_TIME, tmp_path / "server.txt")
    with pytest.raises(ContradictionError, match="no interval of CPU time lies within the runs"):
        calibrate_host(tmp_path, side="server", host_zone="Europe/Berlin", mtu_bytes=1500)


def test_cpu_time_without_a_side_is_refused(tmp_path: Path) -> None:
    shutil.copy(PAIRED, tmp_path / "run.json")
    shutil.copy(DURING, tmp_path / "cpu.json")
    with pytest.raises(ContradictionError, match="CPU time of no side"):
        calibrate_host(tmp_path)


def test_a_saturated_host_is_refused_with_the_most_that_it_spent(tmp_path: Path) -> None:
    """Four CPUs for 20,000 transactions a second: at most 200 µs each."""
    write_requests(tmp_path / "run", 200, 200, 1500)
    for name in ("client", "server"):
        (tmp_path / "run" / f"{name}.json").write_text(mpstat(name, CPU_COUNT), encoding="utf-8")
    with pytest.raises(ContradictionError, match=r"spent at most 0\.0002 s/transaction: measure"):
        calibrate_host(tmp_path, side="server")


def test_the_other_side_without_cpu_time_is_refused(runs: Path) -> None:
    for file in runs.rglob("client.json"):
        file.unlink()
    with pytest.raises(ContradictionError, match="no CPU time of the client"):
        calibrate_host(runs)
    assert calibrate_host(runs, side="server").sides == (Side.SERVER,)


@pytest.mark.parametrize(
    ("name", "other", "message"),
    [
        ("cpuinfo.txt", "model name : Y\ncpu MHz : 2600.0\n", "processors differ"),
        ("lscpu.txt", "Model name: X\nThread(s) per core: 2\n", "hardware threads"),
    ],
)
def test_other_processors_are_refused(runs: Path, name: str, other: str, message: str) -> None:
    shown = "Model name: X\nThread(s) per core: 1\n"
    (runs / "lscpu.txt").write_text(shown)
    assert calibrate_host(runs).facts["processor_type"] == {"value": "X"}
    (runs / "large-1500-0" / name).write_text(other)
    with pytest.raises(ContradictionError, match=message):
        calibrate_host(runs)


def test_cpu_data_without_a_result_are_no_run(tmp_path: Path) -> None:
    shutil.copy(DURING, tmp_path / "server.json")
    assert find_host_runs([tmp_path], wanted=[Side.SERVER]) == ((), ())


def test_a_file_that_is_neither_result_nor_cpu_data_is_named(runs: Path) -> None:
    """But one that a manifest lists is of its record, and one that is named must be a result."""
    other = runs / "todo.txt"
    other.write_text("measure again with jumbo frames\n")
    found, notes = find_host_runs([runs], wanted=[Side.SERVER])
    assert found
    assert notes == (f"{other}: neither a result nor CPU data",)
    (runs / "manifest.toml").write_text("")
    _, notes = find_host_runs([runs], wanted=[Side.SERVER])
    assert notes == ()
    with pytest.raises(ParseError, match="neither a result of a known tool nor a directory"):
        find_host_runs([other], wanted=[Side.SERVER])


@pytest.mark.parametrize(
    ("client", "server", "message"),
    [
        ("model name : X\n", "model name : Y\n", "processors differ: .*client X, .*server Y"),
        (
            "Model name: X\nHypervisor vendor: KVM\n",
            "Model name: X\nCPU max MHz: 2600\n",
            "leaves out its hypervisor: .*client in a guest: True, .*server in a guest: False",
        ),
    ],
)
def test_the_two_sides_of_one_run_are_hosts_that_can_be_compared(
    runs: Path, client: str, server: str, message: str
) -> None:
    for run in runs.iterdir():
        (run / "client-cpu.txt").write_text(client)
        (run / "server-cpu.txt").write_text(server)
    with pytest.raises(ContradictionError, match=message):
        calibrate_host(runs)
    done = CliRunner().invoke(main, ["calibrate", "host", str(runs)])
    assert done.exit_code == 1, done.output
    # one host alone is either in a guest or not
    assert calibrate_host(runs, side="server").sides == (Side.SERVER,)


def test_cpu_time_of_processes_and_of_systems_is_not_mixed(runs: Path) -> None:
    (runs / "own").mkdir()
    shutil.copy(PAIRED, runs / "own" / "run.json")
    with pytest.raises(ContradictionError, match="counts different things"):
        calibrate_host(runs, side="server")


def test_unknown_sizes_name_what_to_give(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    shutil.copy(SAMPLES / "sockperf" / "sockperf_3.7_pingpong_tcp.txt", run / "sockperf.txt")
    shutil.copy(DURING, run / "server.json")
    with pytest.raises(DomainError, match=r"request_bytes is not reported: give it \(given="):
        calibrate_host(run, side="server")
    with pytest.raises(DomainError, match="mtu_bytes is not reported"):
        calibrate_host(run, side="server", given="request_bytes=200,response_bytes=200")


# Record and command


@pytest.mark.thorough
def test_the_record_carries_its_basis_into_predictions(runs: Path, tmp_path: Path) -> None:
    (runs / "lscpu.txt").write_text(
        "Model name: X\nThread(s) per core: 2\nHypervisor vendor: KVM\n"
    )
    record = tmp_path / "mine.toml"
    done = CliRunner().invoke(main, ["calibrate", "host", str(runs), "-o", str(record)])
    assert done.exit_code == 0, done.output
    assert "hardware threads, 2 to a core; inside a guest" in " ".join(done.output.split())
    mine = host(record)
    assert mine.cpu_time_basis == "thread"
    assert mine.core_count.number_estimate.value == 2
    assert any("hypervisor" in each for each in mine.unknown)
    asked = ["predict", "--sender", "ethernet-25gbe", "--receiver", "ethernet-25gbe"]
    asked += ["--server-host", str(record), "--mtu", "4000", "--workload", "rr1c-200x30k"]
    predicted = CliRunner().invoke(main, [*asked, "--json"])
    assert predicted.exit_code == 0, predicted.output
    assert json.loads(predicted.output)[0]["cpu_us_per_gbit"]


def test_the_command_prints_the_answer_first(runs: Path) -> None:
    done = CliRunner().invoke(main, ["calibrate", "host", str(runs)])
    assert done.exit_code == 0, done.output
    assert done.output.startswith("The host (client and server) spends ")
    as_json = CliRunner().invoke(main, ["calibrate", "host", str(runs), "--json"])
    assert set(json.loads(as_json.output)["parameters"]) >= {"per_message_s", "sent.per_byte_s"}


def test_a_refusal_ends_with_exit_code_1(tmp_path: Path) -> None:
    write_requests(tmp_path / "small", 200, 200, 1500)
    done = CliRunner().invoke(main, ["calibrate", "host", str(tmp_path)])
    assert done.exit_code == 1
    assert "too few for 5 parameters" in done.output


def test_conditions_beside_a_result_are_those_of_the_run(tmp_path: Path) -> None:
    write_runs(tmp_path)
    for number, place in enumerate(sorted(path.parent for path in tmp_path.rglob("netperf.txt"))):
        text = f"segments_per_ack = 2\n[server]\nframes_per_interrupt = {1 + number % 3}\n"
        (place / "conditions.toml").write_text(text, encoding="utf-8")
    result = calibrate_host(tmp_path, side="server", given={"frames_per_interrupt": 1})
    assert "received.per_interrupt_s" not in result.calibration.parameters
    assert {each.at["frames_per_interrupt"] for each in result.calibration.observed} == {1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("frames_per_interupt = 2", "did you mean frames_per_interrupt?"),
        ("x = 2", "x is not a condition; known are mtu_bytes"),
        ("[host]\nmtu_bytes = 1500", r"\[host\] is not a side: use \[client\] or \[server\]"),
        ("mtu_bytes = 'large'", "mtu_bytes must be a number above 0; got .large."),
        ("mtu_bytes = true", "must be a number above 0"),
        ("mtu_bytes = -1", "must be a number above 0"),
        ("mtu_bytes = nan", "must be a number above 0"),
        ("mtu_bytes 1500", "conditions.toml"),
        ("request_bytes = 300", "request_bytes is 200, given is 300"),
        ("[server]\nframes_per_interrupt = 0.5", "must be at least 1"),
    ],
)
def test_wrong_conditions_are_refused(tmp_path: Path, text: str, message: str) -> None:
    write_requests(tmp_path / "small", 200, 200, 1500)
    (tmp_path / "small" / "conditions.toml").write_text(text, encoding="utf-8")
    with pytest.raises((ParseError, ContradictionError, DomainError), match=message):
        calibrate_host(tmp_path, side="server")


@pytest.mark.parametrize(("stream_count", "in_flight"), [(None, 1), (1, 1), (8, 8)])
def test_the_time_of_a_transaction_gives_the_rate_of_those_in_flight(
    stream_count: int | None, in_flight: int
) -> None:
    """50 µs each: 20,000/s for each stream, which keep half a CPU busy."""
    result = measured(
        None,
        transaction_time_s=50e-6,
        measures_latency=True,
        stream_count=stream_count,
        request_bytes=64,
        response_bytes=64,
        path_mtu_bytes=1500,
    )
    use = CpuUse(0.5, 0.0, "system", Side.SERVER)
    run = HostRun(place="ping", results=(result,), cpu={Side.SERVER: use}, processors={})
    seen = observed_of_run(run, Side.SERVER, {})
    assert seen.quantity == "cpu_s_per_transaction"
    assert seen.value == pytest.approx(0.5 / (20_000 * in_flight))
    assert dict(seen.at) == {
        "mtu_bytes": 1500,
        "connection_count": in_flight,
        "request_bytes": 64,
        "response_bytes": 64,
        "side": "server",
    }


@pytest.mark.parametrize(("threads", "basis"), [(1, "core"), (2, "thread")])
def test_cores_are_counted_by_their_threads(tmp_path: Path, threads: int, basis: str) -> None:
    write_runs(tmp_path, repeats=1)
    listed = f"Model name: Y\nThread(s) per core: {threads}\n"
    (tmp_path / "lscpu.txt").write_text(listed, encoding="utf-8")
    document = calibrate_host(tmp_path, side="server", noise_ratio=0.02).document("mine", "lab")
    cores = {"value": str(document["core_count"]["value"]), "unit": document["core_count"]["unit"]}
    assert cores == {"value": str(CPU_COUNT // threads), "unit": "1"}
    assert str(document["threads_per_core"]["value"]) == str(threads)
    assert document["cpu_time_basis"] == basis


@pytest.mark.thorough
def test_the_processor_is_that_of_all_files_that_show_it(tmp_path: Path) -> None:
    write_runs(tmp_path)
    flags = "model name : X\ncpu MHz : 2000.0\nflags : fpu hypervisor\n"
    (tmp_path / "cpuinfo.txt").write_text(flags, encoding="utf-8")
    listed = "Model name: Y\nThread(s) per core: 2\nHypervisor vendor: KVM\n"
    (tmp_path / "lscpu.txt").write_text(listed, encoding="utf-8")
    document = calibrate_host(tmp_path, side="server").document("mine", "lab")
    assert document["hypervisor"]["value"] == "not reported"
    assert document["processor_type"]["value"] == "X"
    assert float(document["threads_per_core"]["value"]) == 2
