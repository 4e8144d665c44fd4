# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import overload

from netmodel._numeric import Floats, Number, QuantityLike

@overload
def memory_path_payload_rate_bps(
    message_bytes: Number, time_per_message_s: Number, copy_rate_bps: Number
) -> float: ...
@overload
def memory_path_payload_rate_bps(
    message_bytes: QuantityLike, time_per_message_s: QuantityLike, copy_rate_bps: QuantityLike
) -> Floats: ...
