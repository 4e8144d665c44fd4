# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import overload

from netmodel._numeric import Floats, Number, QuantityLike

LEGACY_AGGREGATE_BYTES: int
BIG_TCP_AGGREGATE_BYTES: int

@overload
def segments_per_aggregate_count(
    segment_bytes: Number, max_aggregate_bytes: Number = LEGACY_AGGREGATE_BYTES
) -> float: ...
@overload
def segments_per_aggregate_count(
    segment_bytes: QuantityLike, max_aggregate_bytes: QuantityLike = LEGACY_AGGREGATE_BYTES
) -> Floats: ...
