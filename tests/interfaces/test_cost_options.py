"""``--client-cost`` and ``--server-cost`` of ``netmodel plan`` and ``netmodel predict``."""

import math
from pathlib import Path

import pytest
from invocation import printed, printed_json, refusal, words

OSA, HOST = "osa-express7s-25gbe", "z15-lpar-4core-smt2"
ON_OSA = ("--adapter", OSA, "--mtu", "1500")
PLAN = ("plan", "--flow", "40 Gbit/s rr1c-200x30k", *ON_OSA)
PREDICT = (
    *("predict", "--workload", "rr1c-200x30k", "--sender", OSA, "--receiver", OSA),
    *("--mtu", "1500", "--connections", "50"),
)
RESPONSE_BYTES, EXCHANGED_BYTES = 30720, 30920
"""rr1c-200x30k: 200 byte of request, 30,720 of response."""
RATE_TPS = 40e9 / 8 / RESPONSE_BYTES


def pool(*options: str) -> dict[str, object]:
    (row,) = printed_json(*PLAN, *options)
    (one,) = row["pools"]
    assert isinstance(one, dict)
    return one


def counts(*options: str) -> tuple[float, float, float]:
    """CPUs busy and needed, and cores."""
    known = pool(*options)
    keys = ("busy_count", "needed_count", "core_count")
    busy, needed, cores = (known[key]["value"] for key in keys)  # type: ignore[index]
    return busy, needed, cores


@pytest.mark.parametrize(
    ("cost", "busy"),
    [
        # cost x 40 Gbit/s of responses and the requests with them
        ("0.16 cores/(Gbit/s)", 0.16 * 40 * EXCHANGED_BYTES / RESPONSE_BYTES),
        ("6.25 (Gbit/s)/core", 0.16 * 40 * EXCHANGED_BYTES / RESPONSE_BYTES),
        # cost x transactions per second
        ("35 µs/transaction", 35e-6 * RATE_TPS),
    ],
)
def test_a_cost_in_any_unit_gives_the_cores_of_its_side(cost: str, busy: float) -> None:
    known = counts("--client-cost", cost)
    whole = math.ceil(busy / 0.7)
    assert known == (pytest.approx(busy, rel=1e-12), whole, whole)


def test_cycles_need_a_clock() -> None:
    """4.16 cycles/byte at 5.2 GHz are 100,000 µs/Gbit, theory 4.1."""
    options = ("--client-cost", "4.16 cycles/byte")
    assert "cycles need the clock of the CPU" in refusal(*PLAN, *options)
    busy, *_ = counts(*options, "--cpu-frequency", "5.2 GHz")
    assert busy == pytest.approx(0.1 * 40 * EXCHANGED_BYTES / RESPONSE_BYTES)


@pytest.mark.parametrize(
    ("options", "cores"),
    [
        ((), 10),  # 6.44 / 0.7 = 9.2
        (("--smt-gain", "1.3"), 8),  # 9.2 / 1.3 = 7.1
        (("--cpu-time-basis", "thread"), 5),  # 9.2 threads, two of each core
        (("--max-utilisation", "0.5"), 13),  # 12.9
    ],
)
def test_cores_have_headroom_and_threads(options: tuple[str, ...], cores: int) -> None:
    *_, whole = counts("--client-cost", "0.16 cores/(Gbit/s)", *options)
    assert whole == cores


def test_each_flow_converts_a_cost_per_transaction_by_its_own_size() -> None:
    """Both flows have 162,760 and 101,725 transactions a second of 10 µs."""
    flows = ("--flow", "40 Gbit/s rr1c-200x30k", "--flow", "25 Gbit/s str-writex30k from server")
    (row,) = printed_json("plan", *flows, *ON_OSA, "--server-cost", "10 µs/transaction")
    (one,) = row["pools"]
    writes_tps = 25e9 / 8 / 30720
    assert one["side"] == "server"
    assert one["busy_count"]["value"] == pytest.approx(10e-6 * (RATE_TPS + writes_tps))


def test_a_host_whose_cpus_are_counted_limits_the_rate() -> None:
    """Four cores at 100 µs a transaction: 40,000 /s, below what the adapters carry."""
    host = ("--client-host", HOST, "--client-cost", "100 µs/transaction")
    (row,) = printed_json(*PREDICT, *host)
    limits = {each["name"]: each for each in row["limits"]}
    assert limits["client_cpus"]["value_bps"] == pytest.approx(40e3 * 8 * RESPONSE_BYTES)
    assert row["binding"] == "client_cpus"
    (with_gain,) = printed_json(*PREDICT, *host, "--smt-gain", "1.3")
    assert with_gain["throughput_bps"]["value"] == pytest.approx(52e3 * 8 * RESPONSE_BYTES)
    (planned,) = printed_json(*PLAN, *host, exit_code=1)
    assert planned["holds"] is False
    assert planned["pools"][0]["present_count"] == 4


def test_a_prediction_has_the_cost_and_the_cpus_of_the_side_and_no_latency() -> None:
    (row,) = printed_json(*PREDICT, "--server-cost", "0.1 cores/(Gbit/s)")
    assert row["cpu_us_per_gbit"]["server"]["value"] == pytest.approx(100e3)
    assert row["cpu_us_per_gbit"]["client"] is None
    busy = 0.1 * row["throughput_bps"]["value"] / 1e9 * EXCHANGED_BYTES / RESPONSE_BYTES
    assert row["cpu_busy"]["server"]["value"] == pytest.approx(busy)
    assert row["transaction_time_s"] is None
    (without,) = printed_json(*PREDICT)
    assert row["throughput_bps"] == without["throughput_bps"]
    assert row["published"] == without["published"]
    shown = words(printed(*PREDICT, "--server-cost", "0.1 cores/(Gbit/s)"))
    assert "given as 0.1 cores/(Gbit/s) = 100,000 µs/Gbit of payload in both directions" in shown


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--client-cost", "10 Gbit/s"), "--client-cost: '10 Gbit/s': not a unit of CPU cost"),
        (("--client-cost", "160000"), "--client-cost: '160000': the unit is missing"),
        (("--server-cost", "35 µs"), "--server-cost: '35 µs': not a unit of CPU cost"),
        (("--server-cost", "-3 µs/Gbit"), "must not be negative"),
        (("--server-cost", "0 cores/(Gbit/s)"), "a CPU cost must be above 0"),
        (("--smt-gain", "1.3"), "--smt-gain needs --client-cost or --server-cost"),
        (("--client-cost", "3 µs/Gbit", "--smt-gain", "2.5"), "--smt-gain must be from 1 to 2"),
        (
            ("--client-cost", "3 µs/Gbit", "--smt-gain", "1.3", "--cpu-time-basis", "thread"),
            "--smt-gain is for core time",
        ),
    ],
)
def test_a_wrong_cost_is_refused_with_its_option(options: tuple[str, ...], problem: str) -> None:
    assert problem in words(refusal(*PLAN, *options))


def test_a_cost_beside_cpu_times_of_the_same_side_is_refused(tmp_path: Path) -> None:
    host = tmp_path / "own.toml"
    host.write_text(
        'title = "own"\nkind = "own"\ncpu_time_basis = "thread"\n'
        '[defaults]\nsource = "lab"\nlocator = "run 3"\ngrade = "measured"\n'
        '[core_count]\nvalue = 4\nunit = "1"\n'
        '[send.per_packet]\nvalue = 1\nunit = "µs"\n[receive.per_packet]\nvalue = 1\nunit = "µs"\n',
        encoding="utf-8",
    )
    cost = ("--client-cost", "3 µs/Gbit")
    both = refusal(*PLAN, *cost, "--client-host", str(host))
    assert "give --client-cost or --client-host, not both: own has CPU times" in words(both)
    (row,) = printed_json(*PLAN, *cost, "--server-host", str(host), exit_code=1)
    assert [each["cost"] for each in row["pools"]] == ["3 µs/Gbit", None]
    zvm = ("--path", "zvm-vswitch-layer2-1gbe", "--mtu", "1492")
    on_path = ("predict", "--workload", "awm-rr", *zvm)
    assert "has CPU times of the client" in words(refusal(*on_path, *cost))


def test_time_of_cores_and_of_threads_are_never_mixed(tmp_path: Path) -> None:
    host = tmp_path / "own.toml"
    host.write_text(
        'title = "own"\nkind = "own"\ncpu_time_basis = "thread"\n'
        '[defaults]\nsource = "lab"\nlocator = "run 3"\ngrade = "measured"\n'
        '[core_count]\nvalue = 4\nunit = "1"\n[threads_per_core]\nvalue = 2\nunit = "1"\n',
        encoding="utf-8",
    )
    on_host = ("--client-host", str(host), "--client-cost", "0.16 cores/(Gbit/s)")
    problem = words(refusal(*PLAN, *on_host, "--cpu-time-basis", "core"))
    assert "is core time, and own counts thread time" in problem
    (row,) = printed_json(*PLAN, *on_host, exit_code=1)
    (one,) = row["pools"]
    assert (one["time_basis"], one["present_count"], one["core_count"]["value"]) == ("thread", 8, 5)


@pytest.mark.parametrize(
    ("cost", "low", "high"),
    [
        ("0.14..0.18 cores/(Gbit/s)", 0.14, 0.18),
        ("5..8 (Gbit/s)/core", 0.125, 0.2),  # more data per core cost less
    ],
)
def test_a_range_of_costs_is_a_range_of_cores(cost: str, low: float, high: float) -> None:
    known = pool("--server-cost", cost)
    scale = 40 * EXCHANGED_BYTES / RESPONSE_BYTES
    busy, cores = known["busy_count"], known["core_count"]
    assert (busy["low"], busy["high"]) == pytest.approx((low * scale, high * scale))  # type: ignore[index]
    ends = [math.ceil(end * scale / 0.7) for end in (low, high)]
    assert [cores["low"], cores["high"]] == ends  # type: ignore[index]


def test_a_range_bounds_the_rate_by_its_lower_end() -> None:
    """Four cores at 100 to 125 µs: at most 40,000 transactions a second."""
    host = ("--client-host", HOST, "--client-cost", "100..125 µs/transaction", "--smt-gain", "1")
    (row,) = printed_json(*PREDICT, *host)
    limits = {each["name"]: each for each in row["limits"]}
    assert limits["client_cpus"]["value_bps"] == pytest.approx(40e3 * 8 * RESPONSE_BYTES)
    assert limits["client_cpus"]["low_bps"] == pytest.approx(32e3 * 8 * RESPONSE_BYTES)
    cost = row["cpu_s_per_transaction"]["client"]
    assert (cost["low"], cost["high"]) == pytest.approx((100e-6, 125e-6))


@pytest.mark.parametrize(
    ("cost", "hint"),
    [
        ("0.18..0.14 cores/(Gbit/s)", "a range is from its lower to its upper end"),
        ("30 µs/transaction..4 cores/(Gbit/s)", "both ends of a range have the unit of one"),
        ("0..1 cores/(Gbit/s)", "a CPU cost must be above 0"),
        ("3 Gbit/s", "a rate has no CPU time"),
        ("4 µs", "a time for how much data?"),
        ("4 cores", "of how much data? write cores/(Gbit/s)"),
    ],
)
def test_what_is_no_cost_is_refused_with_what_is_wrong_and_all_units(cost: str, hint: str) -> None:
    text = words(refusal(*PLAN, "--server-cost", cost))
    assert "--server-cost" in text
    assert hint in text
    assert ("write one of µs/Gbit, ms/MB" in text) == ("range" not in hint and "above" not in hint)


TIMES = """
[send]
per_message = { value = 5, unit = "µs" }
[receive]
per_message = { value = 5, unit = "µs" }
"""


def own_host(path: Path, *facts: str, times: str = "") -> str:
    """A record of a host; its id is the name of the file."""
    defaults = '[defaults]\nsource = "lab"\nlocator = "run 3"\ngrade = "measured"\n'
    top = 'title = "mine"\nkind = "own"\ncore_count = { value = 64, unit = "1" }\n'
    path.write_text("\n".join((top, *facts, defaults, times)), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("client", "server", "note"),
    [
        (
            'clock_rate = { value = 5200, unit = "MHz" }',
            'clock_rate = { value = 2.4, unit = "GHz" }',
            "clock rates differ, 5.2 GHz (client) and 2.4 GHz (server): do not compare the CPUs",
        ),
        (
            'cpu_time_basis = "core"',
            'cpu_time_basis = "thread"',
            "CPUs of the client are cores, of the server threads: do not compare them",
        ),
        (
            'hypervisor = { value = "KVM" }',
            "",
            "only the CPU time of the client is that of a guest: the sides do not compare",
        ),
    ],
)
def test_hosts_of_two_kinds_are_the_first_note(
    tmp_path: Path, client: str, server: str, note: str
) -> None:
    """Record against record: clocks, what a CPU is, and guest or whole host."""
    one = own_host(tmp_path / "one.toml", client, times=TIMES)
    two = own_host(tmp_path / "two.toml", server, times=TIMES)
    for command in (PLAN, PREDICT):
        (row,) = printed_json(*command, "--client-host", one, "--server-host", two)
        assert row["notes"][0].startswith(note)
        (row,) = printed_json(*command, "--client-host", one, "--server-host", one)
        assert not row["notes"][0].startswith(note)


@pytest.mark.parametrize(
    ("cost", "answer"),
    [
        ("0.14..0.18 cores/(Gbit/s)", "a run is checked against one figure: give the lower end"),
        ("35 µs/transaction", "a run is checked against a cost per data"),
        ("5 cycles/byte", "convert it with its clock first (netmodel consumption convert)"),
        ("3 Gbit/s", "a rate has no CPU time"),
    ],
)
def test_check_takes_one_figure_per_data(cost: str, answer: str) -> None:
    line = ("check", "run.json", "--line-rate", "10Gbit/s", "--mtu", "1500", "--client-cpus", "2")
    text = words(refusal(*line, "--client-cost", cost))
    assert f"--client-cost: {cost!r}" in text
    assert answer in text


def predicted_cost(*options: str, adapter: str = "ethernet-25gbe", mtu: int = 9000) -> list[float]:
    """CPU cost of the server per data, with its range. [µs/Gbit]"""
    path = ("--sender", adapter, "--receiver", adapter, "--mtu", str(mtu), "--connections", "10")
    cost = ("--server-cost", "100000 µs/Gbit")
    (row,) = printed_json("predict", "--workload", "rr1c-200x30k", *path, *cost, *options)
    return [row["cpu_us_per_gbit"]["server"][end] for end in ("low", "value", "high")]


def test_a_cost_of_the_same_case_stays_as_given() -> None:
    found = predicted_cost("--cost-measured-with", "mtu=9000 connections=10")
    assert predicted_cost("--cost-measured-with", "mtu=9000,connections=10") == found
    assert found == [pytest.approx(1e5)] * 3


@pytest.mark.parametrize(
    ("case", "problem"),
    [
        (" ", "--cost-measured-with: it names no condition"),
        ("mtu=abc", "--cost-measured-with: 'abc' does not start with a number"),
        ("connections=0", "--cost-measured-with: connections must be at least 1"),
        ("message=0", "--cost-measured-with: message must be at least 1"),
        ("mtuu=1500", "no condition is called 'mtuu'; did you mean"),
        ("mtu=1500 mtu=9000", "mtu is given twice"),
    ],
)
def test_a_wrong_case_of_a_cost_says_what_is_wrong(case: str, problem: str) -> None:
    options = ("--server-cost", "1 ms/MB", "--cost-measured-with", case)
    assert problem in words(refusal(*PREDICT, *options))
