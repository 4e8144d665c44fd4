"""Strategies of workloads, adapters, stages and paths, and what is none."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from netmodel._dataclasses import dataclass
from netmodel._grades import Grade
from netmodel._numeric import QuantityLike
from netmodel.consumption import Side
from netmodel.framing import Stack, parse_stack
from netmodel.framing._path_mtu import LARGEST_MTU_BYTES
from netmodel.path import ByteLayer, Path, Pool, Prediction, Stage, Times, Traffic, predict_path
from netmodel.records import Adapter
from netmodel.testing._frames import (
    NO_NUMBERS,
    PLAIN_MTU_BYTES,
    everyday_stacks,
    line_rates,
    mtus,
)
from netmodel.units._prefixes import GIGA

MAX_MESSAGE_BYTES = 1_000_000
"""Hundreds of full frames: larger messages add nothing but more of the same. [byte]"""
MAX_CONNECTION_COUNT = 300
"""Beyond the 250 connections of the measured workloads of the catalog."""
_FEW_PIECES_BYTES = 3000
"""Messages of one frame or two at MTU 1500, half of all: the last frame of a message matters
most in small ones. [byte]"""
_MOST_IN_UDP_BYTES = 16383
"""Fits a datagram, with headers of any record, in the smallest number of tunnels. [byte]"""
_MOST_SEGMENTS_PER_PACKET = 45
"""Of 1448 byte in 65535, the largest packet of large send."""


# Workloads


def _or_nothing(known: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.just(0) | known


def _or_none(known: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | known


message_sizes = st.integers(1, _FEW_PIECES_BYTES) | st.integers(1, MAX_MESSAGE_BYTES)
# half of all few, of which each matters
connection_counts = st.integers(1, 4) | st.integers(1, MAX_CONNECTION_COUNT)
# the shortest choice is the simplest to Hypothesis: one connection needs a branch
_counts_or_none = st.just(1) | connection_counts | st.none()


def _times(*scales_s: float) -> st.SearchStrategy[float]:
    """Times of up to three digits, from the first scale down; they shrink to one of it."""
    return st.builds(
        lambda count, scale_s: count * scale_s, st.integers(1, 999), st.sampled_from(scales_s)
    )


think_times = _times(1e-6, 1e-5)  # up to 10 ms: longer ones leave every path idle
exchanges = st.builds(
    Traffic,
    message_sizes,
    message_sizes,
    _counts_or_none,
    think_time_s=_or_nothing(think_times),
)
streams = st.builds(
    lambda size, returns, **more: Traffic(*((0, size) if returns else (size, 0)), **more),
    message_sizes,
    st.booleans(),
    connection_count=_counts_or_none,
    waits=st.booleans(),
    shares_segments=st.booleans(),
    segments_per_ack=_or_none(st.integers(1, 16)),  # two by RFC 9293, more with large receive
)


def workloads() -> st.SearchStrategy[Traffic]:
    """
    What connections exchange: requests and responses, and streams in either direction.

    Returns
    -------
    workloads : hypothesis.strategies.SearchStrategy of Traffic
        Messages of 1 to 1,000,000 byte, 1 to 300 connections or an unknown number, think times up
        to 10 ms. `netmodel.predict` takes each in place of a workload. Shrinks to one connection
        that exchanges messages of one byte without think time.

    Examples
    --------
    >>> from hypothesis import given
    >>> @given(workloads())
    ... def test_the_sender_has_payload(traffic):
    ...     assert traffic.payload_bytes >= 1
    >>> test_the_sender_has_payload()
    """
    return exchanges | streams


# Adapters


def _value(number: Decimal, unit: str) -> dict[str, Any]:
    return {
        "value": number,
        "unit": unit,
        "source": "netmodel.testing",
        "locator": "drawn",
        "grade": Grade.MEASURED,
    }


def _adapter_document(line_rate_bps: float, shares: Mapping[str, int | None]) -> dict[str, Any]:
    """The parts of an adapter; shares are thousandths of its line, by direction."""
    line_gbps = Decimal(repr(line_rate_bps)) / int(GIGA)
    return {
        "id": "drawn-adapter",
        "title": "drawn adapter",
        "kind": "drawn",
        "line_rate": _value(line_gbps, "Gbit/s"),
        "observations": [
            _value(line_gbps * share / 1000, "Gbit/s")
            | {
                "quantity": "payload_rate",
                "direction": direction,
                "workload": "str-writex30k",
                "mtu_bytes": PLAIN_MTU_BYTES,
            }
            for direction, share in shares.items()
            if share is not None
        ],
    }


adapter_documents = st.builds(
    _adapter_document,
    line_rates(),
    st.fixed_dictionaries(
        # below the 0.941 that headers leave at MTU 1500 without timestamps
        {direction: _or_none(st.integers(10, 900)) for direction in ("in", "out")}
    ),
)


def adapters() -> st.SearchStrategy[Adapter]:
    """
    Adapters of 10 Mbit/s to 400 Gbit/s, with measured limits of either direction or without.

    Returns
    -------
    adapters : hypothesis.strategies.SearchStrategy of Adapter
        Limits are payload rates of streams at MTU 1500, from 1 % to 90 % of the line. Shrinks to
        an adapter of 10 Gbit/s without limits of its own.

    Examples
    --------
    >>> from hypothesis import given, settings
    >>> @given(adapters())
    ... @settings(max_examples=10, deadline=None)
    ... def test_limits_are_below_the_line(adapter):
    ...     for seen in adapter.observations:
    ...         assert seen.rate_bps < adapter.line_rate_bps
    >>> test_limits_are_below_the_line()
    """
    return adapter_documents.map(lambda document: Adapter(**document))


# Stages


message_times = _times(1e-6, 1e-9)  # of adapters some hundred ns, of CPUs some µs
byte_times = _times(1e-9, 1e-11, 1e-12)  # of a line 0.02 ns (400 Gbit/s) to 0.8 µs (10 Mbit/s)
stage_times = st.builds(
    Times,
    per_message_s=_or_nothing(message_times),
    per_frame_s=_or_nothing(message_times),
    per_byte_s=_or_nothing(byte_times),
    per_wakeup_s=_or_nothing(message_times),
    per_interrupt_s=_or_nothing(message_times),
    per_ack_s=_or_none(_or_nothing(message_times)),
)
shares = st.just(1) | st.floats(1, _MOST_SEGMENTS_PER_PACKET)
server_counts = st.integers(1, 16) | st.floats(0.25, 16)  # shares of CPUs, as of an LPAR, too
tunnel_stacks = st.sampled_from(
    [
        "ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps",
        "ethernet/ipv4/esp+suite=aes-cbc-sha256/ipv4/tcp+timestamps",
        "ethernet/vlan/ipv6/gre/ipv4/tcp",
    ]
).map(parse_stack)
delay_stages = st.builds(
    lambda there, back: Stage(
        name="stage", to_server=Times(there), to_client=Times(back), parallel_count=None
    ),
    message_times,
    message_times,
)
cap_stages = st.builds(
    lambda per_byte_s, count, layer: Stage(
        name="stage",
        to_server=Times(per_byte_s=per_byte_s),
        to_client=Times(per_byte_s=per_byte_s),
        parallel_count=count,
        byte_layer=layer,
        delays=False,
    ),
    byte_times,
    st.integers(1, 4),  # members of an aggregate
    st.sampled_from(ByteLayer),
)
shared_parts: dict[str, st.SearchStrategy[Any]] = {
    "name": st.just("stage"),
    "to_server": stage_times,
    "to_client": stage_times,
    "byte_layer": st.sampled_from(ByteLayer),
    "stack": _or_none(tunnel_stacks | everyday_stacks),
    **dict.fromkeys(("messages_per_wakeup", "frames_per_interrupt", "segments_per_packet"), shares),
    "mtu_bytes": _or_none(st.integers(PLAIN_MTU_BYTES, LARGEST_MTU_BYTES)),
}
server_stages = st.builds(Stage, **shared_parts, parallel_count=server_counts)
hashed_stages = st.builds(
    Stage,
    **shared_parts,
    parallel_count=st.integers(1, 16),  # receive queues
    hashes_flows=st.just(True),
)
pooled_stages = st.builds(
    Stage,
    **shared_parts,
    parallel_count=_or_none(server_counts),
    pool=st.sampled_from([side.value for side in Side]),
)
# one server, the same time of every message in both directions
plain_stage = st.just(Stage(name="stage", to_server=Times(1e-6), to_client=Times(1e-6)))
unhashed_stages = st.one_of(plain_stage, server_stages, delay_stages, cap_stages, pooled_stages)
path_pools = st.tuples(
    *(st.builds(Pool, st.just(side.value), server_counts, st.just(side)) for side in Side)
)


def stages() -> st.SearchStrategy[Stage]:
    """
    Stages of every kind: servers, delay centres, rate caps, members of a pool, hashed queues.

    Returns
    -------
    stages : hypothesis.strategies.SearchStrategy of Stage
        Service times of 1 ns to 999 µs for messages and frames and up to 1 µs for bytes, some
        with a stack or an MTU of their own. Pools have the names ``"client"`` and ``"server"``,
        which every path of `paths` has. Shrinks to one server that takes 1 µs for a message.

    Examples
    --------
    >>> from hypothesis import given, settings
    >>> @given(stages())
    ... @settings(max_examples=10, deadline=None)
    ... def test_twice_reversed_is_the_same(stage):
    ...     assert stage.reversed.reversed == stage
    >>> test_twice_reversed_is_the_same()
    """
    return unhashed_stages | hashed_stages


# Paths


@dataclass(frozen=True)
class PathCase:
    """
    A path, what passes it, and in what frames: all that a prediction takes.

    Parameters
    ----------
    path : Path
        Stages and pools.
    traffic : Traffic
        What connections exchange.
    mtu_bytes : int or array_like
        Largest packet of the innermost interface. [byte]
    stack : Stack
        Headers of each frame.

    Examples
    --------
    >>> from netmodel.framing import tcp_stack
    >>> from netmodel.path import Stage, Times
    >>> cpu = Stage(name="cpu", to_server=Times(per_message_s=6e-6))
    >>> case = PathCase(Path(stages=(cpu,)), Traffic(1000, 500), 1500, tcp_stack())
    >>> case.predict().binding
    'cpu'
    """

    path: Path
    traffic: Traffic
    mtu_bytes: QuantityLike
    stack: Stack

    def predict(self) -> Prediction:
        """The prediction of `netmodel.path.predict_path`."""
        return predict_path(self.path, self.traffic, self.mtu_bytes, self.stack)

    def with_path(self, **changes: Any) -> "PathCase":
        """The same with other fields of the path."""
        return replace(self, path=replace(self.path, **changes))

    def with_traffic(self, **changes: Any) -> "PathCase":
        """The same with other fields of the traffic."""
        return replace(self, traffic=replace(self.traffic, **changes))


@st.composite
def _paths(draw: st.DrawFn, each: st.SearchStrategy[Stage]) -> Path:
    is_far = draw(st.integers(0, 3)) == 3
    first = Times(draw(_times(1e-9, 1e-10) if is_far else message_times))
    drawn = draw(st.lists(delay_stages if is_far else each, min_size=int(is_far), max_size=5))
    windows_bytes = st.integers(1000, 10_000_000)
    return Path(
        stages=(
            Stage(name="first", to_server=first, to_client=first, side=Side.CLIENT),
            *(replace(stage, name=f"stage{place}") for place, stage in enumerate(drawn)),
        ),
        pools=draw(path_pools),
        window_bytes=draw(st.integers(1000, 20_000) if is_far else _or_none(windows_bytes)),
    )


def paths(stages: st.SearchStrategy[Stage] | None = None) -> st.SearchStrategy[Path]:
    """
    Paths of one to six stages, the first of which always limits; one in four is far.

    Parameters
    ----------
    stages : hypothesis.strategies.SearchStrategy of Stage, optional
        Of the stages behind the first; `stages` when left out. A stage may use the pools
        ``"client"`` and ``"server"``.

    Returns
    -------
    paths : hypothesis.strategies.SearchStrategy of Path
        With both pools and often a window. Not every workload and stack go with every path:
        `path_cases` draws those that do. Shrinks to a single stage of 1 µs for each message.

    Examples
    --------
    >>> from hypothesis import given, settings
    >>> @given(paths())
    ... @settings(max_examples=10, deadline=None)
    ... def test_a_path_has_pools_for_both_hosts(path):
    ...     assert {pool.name for pool in path.pools} == {"client", "server"}
    >>> test_a_path_has_pools_for_both_hosts()
    """
    return _paths(_of_all_kinds() if stages is None else stages)


_of_all_kinds = stages


@st.composite
def _path_cases(
    draw: st.DrawFn, workloads: st.SearchStrategy[Traffic], stages: st.SearchStrategy[Stage]
) -> PathCase:
    path, traffic, stack = draw(_paths(stages)), draw(workloads), draw(everyday_stacks)
    used = [stack, *(stage.stack for stage in path.stages if stage.stack is not None)]
    if not all(each.acknowledging_layer for each in used):
        # a datagram holds a whole message, and is not acknowledged
        traffic = replace(
            traffic,
            request_bytes=min(traffic.request_bytes, _MOST_IN_UDP_BYTES),
            response_bytes=min(traffic.response_bytes, _MOST_IN_UDP_BYTES),
            segments_per_ack=None,
        )
    return PathCase(path, traffic, draw(case_mtus), stack)


case_mtus = mtus()


def path_cases(
    workloads: st.SearchStrategy[Traffic] | None = None,
    stages: st.SearchStrategy[Stage] | None = None,
) -> st.SearchStrategy[PathCase]:
    """
    Paths with a workload, an MTU and a stack that go with them, ready to be predicted.

    Parameters
    ----------
    workloads : hypothesis.strategies.SearchStrategy of Traffic, optional
        What connections exchange; `workloads` when left out. Over UDP, messages are cut to one
        datagram.
    stages : hypothesis.strategies.SearchStrategy of Stage, optional
        As in `paths`.

    Returns
    -------
    path_cases : hypothesis.strategies.SearchStrategy of PathCase
        `PathCase.predict` answers for each. Shrinks to a single stage, one connection, MTU 1500
        and ``ethernet/ipv4/tcp``.

    Examples
    --------
    >>> from hypothesis import given, settings
    >>> @given(path_cases())
    ... @settings(max_examples=10, deadline=None)
    ... def test_every_path_has_a_bottleneck(case):
    ...     assert case.predict().binding
    >>> test_every_path_has_a_bottleneck()
    """
    return _path_cases(
        exchanges | streams if workloads is None else workloads,
        _of_all_kinds() if stages is None else stages,
    )


# What is none


def _one_of_each(faults: Mapping[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """A mapping with one wrong value, by its name."""
    return st.one_of(
        *(
            wrong.map(lambda value, name=name: {name: value})  # type: ignore[misc]
            for name, wrong in faults.items()
        )
    )


def invalid_workloads() -> st.SearchStrategy[dict[str, Any]]:
    """
    Arguments that make no workload: nothing to send, negative sizes, less than one connection.

    Returns
    -------
    invalid_workloads : hypothesis.strategies.SearchStrategy of dict
        Keyword arguments, of which one is wrong: `Traffic` refuses each set with `DomainError`.

    Examples
    --------
    >>> from netmodel.path import Traffic
    >>> from netmodel.testing import assert_refuses
    >>> assert_refuses(
    ...     lambda arguments: Traffic(**arguments), arguments=invalid_workloads()
    ... )
    """
    faults = {
        "connection_count": st.floats(max_value=1, exclude_max=True) | _others_than_none,
        "segments_per_ack": st.floats(max_value=1, exclude_max=True) | _others_than_none,
        "think_time_s": st.floats(max_value=0, exclude_max=True) | _no_numbers,
        "response_bytes": st.floats(max_value=0, exclude_max=True) | _no_numbers,
        "request_bytes": st.floats(max_value=0, exclude_max=True) | _no_numbers | st.just(0),
    }
    counts = st.sampled_from(["connection_count", "segments_per_ack"])
    zero = counts.map(lambda name: {"request_bytes": 1, name: 0})
    return zero | _one_of_each(faults).map(lambda wrong: {"request_bytes": 1} | wrong)


_no_numbers = st.sampled_from(NO_NUMBERS)
_others_than_none = st.sampled_from([each for each in NO_NUMBERS if each is not None])


def invalid_adapters() -> st.SearchStrategy[dict[str, Any]]:
    """
    Fields that make no adapter: a wrong line rate, a limit above the line, a misspelt field.

    Returns
    -------
    invalid_adapters : hypothesis.strategies.SearchStrategy of dict
        Keyword arguments with one fault: `Adapter` refuses each set with
        ``pydantic.ValidationError``, which is a `ValueError`.

    Examples
    --------
    >>> from netmodel.records import Adapter
    >>> from netmodel.testing import assert_refuses
    >>> assert_refuses(lambda fields: Adapter(**fields), fields=invalid_adapters(), examples=10)
    """
    return st.builds(_with_fault, adapter_documents, st.sampled_from(_ADAPTER_FAULTS))


def _with_fault(document: dict[str, Any], fault: str) -> dict[str, Any]:
    line_rate = document["line_rate"]
    if fault == "missing":
        return {name: value for name, value in document.items() if name != "line_rate"}
    if fault == "misspelt":
        return document | {"line_rates": line_rate}
    if fault == "above the line":
        limit = _value(line_rate["value"] * 2, "Gbit/s")
        limit |= {"quantity": "payload_rate", "direction": "in"}
        return document | {"observations": [limit]}
    wrong: dict[str, Any] = {
        "negative": {"value": -line_rate["value"]},
        "float": {"value": float(line_rate["value"])},
        "unit": {"unit": "GB/s"},
        "no rate": {"unit": "byte"},
        "assumed without a reason": {"grade": Grade.ASSUMED},
    }[fault]
    return document | {"line_rate": line_rate | wrong}


_ADAPTER_FAULTS = (
    *("missing", "misspelt", "above the line", "negative", "float", "unit", "no rate"),
    "assumed without a reason",
)


def invalid_paths() -> st.SearchStrategy[dict[str, Any]]:
    """
    Arguments that make no path: no stage, two of one name, a pool that is not there.

    Returns
    -------
    invalid_paths : hypothesis.strategies.SearchStrategy of dict
        Keyword arguments, of which one is wrong: `Path` refuses each set with `DomainError`.

    Examples
    --------
    >>> from netmodel.path import Path
    >>> from netmodel.testing import assert_refuses
    >>> assert_refuses(lambda arguments: Path(**arguments), arguments=invalid_paths())
    """
    faults = {
        "stages": st.sampled_from(_WRONG_STAGES),
        "pools": st.sampled_from(_WRONG_POOLS),
        "window_bytes": st.floats(max_value=1, exclude_max=True) | _others_than_none,
        "loss_ratio": st.floats(max_value=0, exclude_max=True) | _others_than_none,
    }
    return _one_of_each(faults).map(lambda wrong: {"stages": (_STAGE,)} | wrong)


_STAGE = Stage(name="stage", to_server=Times(1e-6))  # whatever it is, it is one
_STRAY = Stage(name="stray", pool="nowhere")
_WRONG_STAGES = ((), (_STAGE, _STAGE), (_STAGE, _STRAY), None, "stage", (_STAGE, "stage"), _STAGE)
_WRONG_POOLS = ((Pool("stage", 1),), None, (_STAGE,))
