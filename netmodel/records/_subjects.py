"""What statements and observations are about."""

from enum import Enum
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field

from netmodel.framing.layers._internet import MIN_IPV4_MTU_BYTES
from netmodel.records._figures import Number
from netmodel.records._values import FROZEN, MAX_MTU_BYTES, Text

Count = Annotated[int, Field(strict=True, ge=1)]
MtuBytes = Annotated[int, Field(strict=True, ge=MIN_IPV4_MTU_BYTES, le=MAX_MTU_BYTES)]
TRANSPORT_MODES = (2, 3)
"""Layers that an adapter can work at: frames of Ethernet, or packets of IP."""


def _each_once(counts: tuple[int, ...]) -> tuple[int, ...]:
    if len(set(counts)) < len(counts):
        raise ValueError(f"must name each number once; got {', '.join(map(str, counts))}")
    return counts


def _transport_mode(layer: int | str) -> int | str:
    if isinstance(layer, int) and layer not in TRANSPORT_MODES:
        raise ValueError(f"must be 2 or 3, or the id of a header layer; got {layer}")
    return layer


ConnectionNumbers = Annotated[tuple[Count, ...], AfterValidator(_each_once)]


class QuantityKind(Enum):
    """What a statement is about."""

    BUFFER_COUNT = "buffer_count"
    BUFFER_MEMORY = "buffer_memory"
    BUFFER_SIZE = "buffer_size"
    BYTE_COUNT = "byte_count"
    CLOCK_RATE = "clock_rate"
    CONNECTION_COUNT = "connection_count"
    CORE_COUNT = "core_count"
    CPU_CONSUMPTION = "cpu_consumption"
    CPU_EFFICIENCY = "cpu_efficiency"
    CPU_MASK = "cpu_mask"
    CPU_TIME = "cpu_time"
    CPU_TIME_PER_TRANSACTION = "cpu_time_per_transaction"
    CPU_UTILISATION = "cpu_utilisation"
    DISTANCE = "distance"
    DROP_COUNT = "drop_count"
    DURATION = "duration"
    ERROR_COUNT = "error_count"
    GAIN = "gain"
    HEADER_SIZE = "header_size"
    ITEM_COUNT = "item_count"
    LATENCY = "latency"
    LAYER_DIFFERENCE = "layer_difference"
    LINE_RATE = "line_rate"
    MEMORY_SIZE = "memory_size"
    MESSAGE_SIZE = "message_size"
    MTU = "mtu"
    OVERHEAD_SIZE = "overhead_size"
    PACKET_COUNT = "packet_count"
    PAGE_COUNT = "page_count"
    PAYLOAD_RATE = "payload_rate"
    PAYLOAD_RATIO = "payload_ratio"
    PAYLOAD_SIZE = "payload_size"
    PROCESSOR_COUNT = "processor_count"
    QUEUE_COUNT = "queue_count"
    QUEUE_LENGTH = "queue_length"
    SYSTEM_COUNT = "system_count"
    THREAD_COUNT = "thread_count"
    THROUGHPUT = "throughput"
    TRANSACTION_RATE = "transaction_rate"
    TRANSACTION_TIME = "transaction_time"
    VERSION = "version"


class Change(Enum):
    """
    How the quantity of the subject stands to that of the baseline.

    ``MORE`` and ``LESS`` by the figure, or by an unknown amount without one;
    ``FACTOR`` times that of the baseline; ``SAME`` within 5 %.
    """

    MORE = "more"
    LESS = "less"
    FACTOR = "factor"
    SAME = "same"


class Configuration(BaseModel):
    """
    What a statement is about: each part is present where the document specifies it.

    Parameters
    ----------
    adapter, sender_adapter, receiver_adapter, host, link, path : str
        Ids of the catalog; a path may also be a label that its file declares.
    workload : str
        Id of a workload.
    workloads : tuple of str
        Ids of workloads that one statement names together.
    mtu_bytes, message_bytes : int
        [byte]
    connection_counts : tuple of int
        Connections at the same time, one number for each run.
    side : str
        Whose quantity it is: client, server, sender or receiver.
    direction : str
        ``"in"`` or ``"out"``, as seen from the host of the adapter.
    line_rate : str
        With its unit.
    distance_km : decimal.Decimal
        [km]
    hypervisor_level, version, processor_type, processor_kind : str
        As printed.
    layer : int or str
        Transport mode 2 or 3 of an adapter, or the id of a layer of headers.
    transport : str
        tcp, smcr or udp.
    receive_packet_steering, large_send : bool
        Whether they are on.
    processor_count, trunk_count : int
        How many.
    interface, setting, tool, item, load, payload : str
        In words: the interface, the name or value of a tuning parameter, the
        tool, the thing that is counted, how heavy the load is, what is sent.
    table : int
        Number of the table in the document.
    """

    model_config = FROZEN

    adapter: Text | None = None
    sender_adapter: Text | None = None
    receiver_adapter: Text | None = None
    host: Text | None = None
    link: Text | None = None
    path: Text | None = None
    hypervisor_level: Text | None = None
    layer: Annotated[Count | Text, AfterValidator(_transport_mode)] | None = None
    workload: Text | None = None
    workloads: tuple[Text, ...] = ()
    mtu_bytes: MtuBytes | None = None
    message_bytes: Count | None = None
    connection_counts: ConnectionNumbers = ()
    side: Literal["client", "server", "sender", "receiver"] | None = None
    direction: Literal["in", "out"] | None = None
    line_rate: Text | None = None
    distance_km: Annotated[Number, Field(ge=0)] | None = None
    transport: Literal["tcp", "smcr", "udp"] | None = None
    receive_packet_steering: Annotated[bool, Field(strict=True)] | None = None
    large_send: Annotated[bool, Field(strict=True)] | None = None
    processor_count: Count | None = None
    processor_kind: Text | None = None
    processor_type: Text | None = None
    trunk_count: Count | None = None
    interface: Text | None = None
    setting: Text | None = None
    version: Text | None = None
    tool: Text | None = None
    item: Text | None = None
    load: Text | None = None
    payload: Text | None = None
    table: Count | None = None

    @property
    def adapters(self) -> tuple[str, ...]:
        """Ids of all adapters that it names."""
        named = (self.adapter, self.sender_adapter, self.receiver_adapter)
        return tuple(name for name in named if name is not None)

    def part(self, name: str) -> object:
        """A part by its name; None for one that the document does not specify."""
        value = vars(self).get(name)
        return None if value == () else value

    @property
    def all_workloads(self) -> tuple[str, ...]:
        """Ids of all workloads that it names."""
        return (*self.workloads, *([self.workload] if self.workload else []))

    def __str__(self) -> str:
        parts = self.model_dump(mode="json", exclude_defaults=True)
        return ", ".join(f"{name} {worded(value)}" for name, value in parts.items())


def worded(value: object) -> str:
    """A part of a configuration as a reader reads it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list | tuple):
        return " ".join(str(item) for item in value)
    return str(value)
