# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import NamedTuple, overload

from netmodel._numeric import FloatOrArray, Floats, Number, QuantityLike

FIRST_WITH_FLITS: int
PAYLOADS_BYTES: tuple[int, ...]
USUAL_PAYLOAD_BYTES: int
USUAL_READ_REQUEST_BYTES: int

class Headers(NamedTuple):
    write: int
    read: int
    completion: int

LARGEST_READ_REQUEST_BYTES: int

class Traffic(NamedTuple):
    upstream: FloatOrArray
    downstream: FloatOrArray

def pcie_raw_rate_bps(generation: int, lanes: int) -> float: ...
def pcie_tlp_ceiling_bps(generation: int, lanes: int) -> float: ...
def pcie_tlp_rate_bps(
    generation: int, lanes: int, max_payload_bytes: int = USUAL_PAYLOAD_BYTES
) -> float: ...
@overload
def pcie_write_rate_bps(
    tlp_rate_bps: Number,
    data_bytes: Number,
    max_payload_bytes: Number = USUAL_PAYLOAD_BYTES,
    *,
    flit_mode: bool = False,
) -> float: ...
@overload
def pcie_write_rate_bps(
    tlp_rate_bps: QuantityLike,
    data_bytes: QuantityLike,
    max_payload_bytes: QuantityLike = USUAL_PAYLOAD_BYTES,
    *,
    flit_mode: bool = False,
) -> Floats: ...
@overload
def pcie_read_rate_bps(
    tlp_rate_bps: Number,
    data_bytes: Number,
    max_payload_bytes: Number = USUAL_PAYLOAD_BYTES,
    *,
    flit_mode: bool = False,
) -> float: ...
@overload
def pcie_read_rate_bps(
    tlp_rate_bps: QuantityLike,
    data_bytes: QuantityLike,
    max_payload_bytes: QuantityLike = USUAL_PAYLOAD_BYTES,
    *,
    flit_mode: bool = False,
) -> Floats: ...
@overload
def pcie_read_latency_rate_bps(
    tag_count: Number, max_read_request_bytes: Number, latency_s: Number
) -> float: ...
@overload
def pcie_read_latency_rate_bps(
    tag_count: QuantityLike, max_read_request_bytes: QuantityLike, latency_s: QuantityLike
) -> Floats: ...
def headers_of(flit_mode: bool) -> Headers: ...
def memory_write(
    data_bytes: FloatOrArray, max_payload_bytes: FloatOrArray, headers: Headers
) -> Traffic: ...
def memory_read(
    data_bytes: FloatOrArray,
    max_payload_bytes: FloatOrArray,
    max_read_request_bytes: FloatOrArray,
    headers: Headers,
) -> Traffic: ...
def host_write(data_bytes: int, headers: Headers) -> Traffic: ...
def host_read(data_bytes: int, headers: Headers) -> Traffic: ...
@overload
def data_rate_bps(tlp_rate_bps: Number, data_bytes: float, traffic: Traffic) -> float: ...
@overload
def data_rate_bps(
    tlp_rate_bps: QuantityLike, data_bytes: FloatOrArray, traffic: Traffic
) -> Floats: ...
@overload
def checked_sizes(data_bytes: Number, max_payload_bytes: Number) -> tuple[float, float]: ...
@overload
def checked_sizes(
    data_bytes: QuantityLike, max_payload_bytes: QuantityLike
) -> tuple[Floats, Floats]: ...
