# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import overload

from netmodel._numeric import (
    Floats,
    Number,
    QuantityLike,
)

RDMA_MTUS_BYTES: tuple[int, ...]
RDMA_HEADERS_BYTES: int

@overload
def rdma_mtu_bytes(mtu_bytes: Number) -> float: ...
@overload
def rdma_mtu_bytes(mtu_bytes: QuantityLike) -> Floats: ...
