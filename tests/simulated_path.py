"""
Transactions that pass a path frame by frame, or message by message, one event after the other.

It shares no formula with the package: it reads the parameters of a path and of its traffic, cuts
messages into frames itself, and lets each stage serve what comes to it in order. Frames are
those of TCP over IPv4 over Ethernet.
"""

import heapq
import math
import random
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from netmodel.ceilings import ByteLayer
from netmodel.path import Path, Pool, Stage, Times, Traffic

__all__ = ["HEADER_BYTES", "Run", "simulated"]

HEADER_BYTES = 20 + 20 + 12
"""IPv4 (RFC 791), TCP (RFC 9293) and its timestamps, padded to words (RFC 7323)."""
LINK_BYTES = 14 + 4
"""Addresses and type, and the check sequence (IEEE 802.3, clause 3)."""
LEAST_FRAME_BYTES = 64
"""The shortest frame (IEEE 802.3, clause 4)."""
SILENT_BYTES = 8 + 12
"""Preamble with its delimiter, and the gap (IEEE 802.3, clauses 3 and 4)."""
STREAM_FRAMES = 8
"""Frames that each connection of a stream has under way where no window limits it."""

SAVED_S = 1e-4
"""What a rate cap saves up at most: more than a transaction of the tests takes."""

TO_SERVER, TO_CLIENT = 0, 1


class Run(NamedTuple):
    """
    What a simulated run shows.

    Parameters
    ----------
    duration_s : float
        From the empty path until the last transaction is over, with the think time after it. [s]
    ends_s, times_s : list of float
        When each of them was over, and how long it took. [s]
    busy_s : dict of str to float
        Time that the servers of each stage and pool were busy, all together. [s]
    """

    duration_s: float
    ends_s: list[float]
    times_s: list[float]
    busy_s: dict[str, float]

    @property
    def rate_tps(self) -> float:
        """
        Transactions per second since the path was empty. [1/s]

        What was served for those that are not over only lowers it, so that service times
        without scatter hold every upper bound in it exactly, however short the run.
        """
        return len(self.ends_s) / self.duration_s

    @property
    def settled_rate_tps(self) -> float:
        """Transactions per second without the first third of them. [1/s]"""
        first = len(self.ends_s) // 3
        return (len(self.ends_s) - 1 - first) / (self.ends_s[-1] - self.ends_s[first])

    @property
    def mean_time_s(self) -> float:
        """Mean time of a transaction. [s]"""
        return math.fsum(self.times_s) / len(self.times_s)

    @property
    def scatter_ratio(self) -> float:
        """Standard error of the time between ends, from the means of 20 batches, over it."""
        batch_count = 20
        size = len(self.ends_s) // batch_count
        ends_s = [0.0, *self.ends_s[size - 1 :: size]][: batch_count + 1]
        batches = [later - earlier for earlier, later in pairwise(ends_s)]
        mean = sum(batches) / batch_count
        square = sum((each - mean) ** 2 for each in batches) / (batch_count - 1)
        return math.sqrt(square / batch_count) / mean


@dataclass(slots=True, eq=False)
class Message:
    """What a connection sends at a time, and how many frames of it are not delivered."""

    connection: "Connection"
    way: int
    frame_count: float
    missing_count: float = field(init=False)

    def __post_init__(self) -> None:
        self.missing_count = self.frame_count


@dataclass(slots=True, eq=False)
class Frame:
    """One frame; of a message, unless it is an acknowledgement."""

    connection: "Connection"
    way: int
    payload_bytes: float
    message: Message | None = None
    begins: int = 0
    position: int = 0
    answered_bytes: float = 0
    layer_bytes: dict[ByteLayer, float] = field(init=False)

    def __post_init__(self) -> None:
        frame_bytes = max(self.payload_bytes + HEADER_BYTES + LINK_BYTES, LEAST_FRAME_BYTES)
        self.layer_bytes = {
            ByteLayer.PAYLOAD: self.payload_bytes,
            ByteLayer.FRAME: frame_bytes,
            ByteLayer.WIRE: frame_bytes + SILENT_BYTES,
            ByteLayer.FRAME_WITHOUT_FCS: self.payload_bytes + HEADER_BYTES + LINK_BYTES - 4,
            ByteLayer.PACKETS_AS_BITS: 1 / 8,
            ByteLayer.PACKET: self.payload_bytes + HEADER_BYTES,
        }


Frames: TypeAlias = tuple[Frame, ...]


class Job(NamedTuple):
    """Frames that a stage serves together, for a time, and what it then does with them."""

    connection: "Connection"
    came_s: float
    service_s: float
    frames: Frames
    then: Callable[[Frames], None]


@dataclass
class Servers:
    """Free servers of a pool, and who waits for them."""

    free: float
    places: list["Place"] = field(default_factory=list)

    def freed(self) -> None:
        self.free += 1
        for place in sorted(self.places, key=lambda each: each.waiting_since_s):
            place.start()


class Place:
    """A stage in a run: it serves in order, with so many servers, or delays all alike."""

    def __init__(self, run: "Simulation", stage: Stage, pool: Servers | None) -> None:
        self.run, self.stage, self.pool = run, stage, pool
        self.is_delay = stage.parallel_count is None and stage.pool is None
        count = math.inf if stage.parallel_count is None else stage.parallel_count
        self.queue_count = int(count) if stage.hashes_flows else 1
        self.free = [1 if stage.hashes_flows else count] * self.queue_count
        self.queues: list[deque[Job]] = [deque() for _ in range(self.queue_count)]
        self.hashes: dict[Connection, int] = {}
        self.served: set[Connection] = set()
        self.held: dict[Message, list[Frame]] = {}
        self.came_count: Counter[Message] = Counter()
        self.used_s = 0.0
        self.busy_s = 0.0
        if pool is not None:
            pool.places.append(self)

    def arrive(self, frame: Frame) -> None:
        """A frame comes in: it waits for those that it is served with."""
        if frame.message is None:
            self.take((frame,))
            return
        times = self.times(frame.way)
        waits_for_all = self.run.by_message or (
            self.run.waits and not self.is_delay and times.per_message_s > 0
        )
        size = math.inf if waits_for_all else self.stage.segments_per_packet
        if size == 1:
            self.take((frame,))
            return
        message = frame.message
        held = self.held.setdefault(message, [])
        held.append(frame)
        self.came_count[message] += 1
        if len(held) < size and self.came_count[message] < message.frame_count:
            return
        frames = tuple(held)
        held.clear()
        if not waits_for_all or self.run.by_message or len(frames) == 1:
            self.take(frames)
        else:
            self.serve(frames, times.per_message_s, self.after_message)

    def after_message(self, frames: Frames) -> None:
        """The time of the message is over, and that of its frames begins."""
        size = self.stage.segments_per_packet
        for first in range(0, len(frames), size):
            self.take(frames[first : first + size], is_begun=True)

    def take(self, frames: Frames, is_begun: bool = False) -> None:
        self.serve(frames, self.service_s(frames, is_begun), self.pass_on)

    def serve(self, frames: Frames, service_s: float, then: Callable[[Frames], None]) -> None:
        """Into the queue of a server; or out at once, where no server is needed."""
        if self.is_delay:
            self.run.after(service_s, then, frames)
            return
        service_s *= self.run.scatter()
        self.busy_s += service_s
        if not self.stage.delays:
            self.run.after(self.capped_s(service_s), then, frames)
            return
        connection = frames[0].connection
        queue = 0
        if self.queue_count > 1:
            drawn = self.run.chance.randrange(self.queue_count)
            queue = self.hashes.setdefault(connection, drawn)
        self.queues[queue].append(Job(connection, self.run.now_s, service_s, frames, then))
        self.start()

    def capped_s(self, service_s: float) -> float:
        """How long a cap holds back what comes, which saves up for a while as token buckets do."""
        begun_s = max(self.used_s, self.run.now_s - SAVED_S)
        self.used_s = begun_s + service_s / self.stage.parallel_count
        return max(0.0, self.used_s - self.run.now_s)

    @property
    def waiting_since_s(self) -> float:
        return min((queue[0].came_s for queue in self.queues if queue), default=math.inf)

    def start(self) -> None:
        """Begin what servers are free for."""
        for index, queue in enumerate(self.queues):
            begun = True
            while begun and queue and self.free[index] > 0:
                begun = (self.pool is None or self.pool.free > 0) and self.begin(index, queue)

    def begin(self, index: int, queue: deque[Job]) -> bool:
        """Begin the first job that may begin, if there is one."""
        for job in queue:
            if not self.stage.is_serial or job.connection not in self.served:
                break
        else:
            return False
        queue.remove(job)
        self.free[index] -= 1
        self.served.add(job.connection)
        if self.pool is not None:
            self.pool.free -= 1
        self.run.after(job.service_s, self.end, index, job)
        return True

    def end(self, index: int, job: Job) -> None:
        self.free[index] += 1
        self.served.discard(job.connection)
        job.then(job.frames)
        if self.pool is not None:
            self.pool.freed()
        self.start()

    def pass_on(self, frames: Frames) -> None:
        for frame in frames:
            self.run.forward(frame)

    def times(self, way: int) -> Times:
        return self.stage.to_client if way == TO_CLIENT else self.stage.to_server

    def service_s(self, frames: Frames, is_begun: bool) -> float:
        """What frames take that are served together."""
        stage, chance = self.stage, self.run.chance
        times = self.times(frames[0].way)
        bytes_here = sum(frame.layer_bytes[stage.byte_layer] for frame in frames)
        service_s = times.per_byte_s * bytes_here
        if frames[0].message is None and times.per_ack_s is not None:
            return service_s + times.per_ack_s
        packet_count = math.ceil(len(frames) / stage.segments_per_packet)
        service_s += times.per_frame_s * packet_count
        if times.per_interrupt_s:
            is_due = [chance.random() * stage.frames_per_interrupt < 1 for _ in frames]
            service_s += times.per_interrupt_s * sum(is_due)
        begun_count = sum(frame.begins for frame in frames)
        if self.is_delay:
            return service_s + times.per_message_s
        if not is_begun:
            service_s += times.per_message_s * begun_count
        if times.per_wakeup_s:
            is_woken = [chance.random() * stage.messages_per_wakeup < 1 for _ in range(begun_count)]
            service_s += times.per_wakeup_s * sum(is_woken)
        return service_s


@dataclass(eq=False)
class Connection:
    """What a connection has under way."""

    credit_bytes: list[float]
    began_s: float = 0.0
    waiting: tuple[deque[Frame], deque[Frame]] = field(default_factory=lambda: (deque(), deque()))
    unanswered: list[float] = field(default_factory=list)
    stream: Iterator[Frame] | None = None


class Simulation:
    """All connections on a path, from the empty path on."""

    def __init__(
        self, path: Path, traffic: Traffic, mtu_bytes: int, *, seed: int, **kind: bool
    ) -> None:
        self.traffic, self.chance = traffic, random.Random(seed)
        self.waits = traffic.waits
        self.by_message = kind.get("by_message", False)
        self.is_exponential = kind.get("is_exponential", False)
        self.segment_bytes = mtu_bytes - HEADER_BYTES
        pools = {pool.name: Servers(_count(pool)) for pool in path.pools}
        places = [
            Place(self, stage, None if stage.pool is None else pools[stage.pool])
            for stage in path.stages
        ]
        self.all_places = places
        self.places = tuple(
            [place for place in in_order if place.times(way) != Times()]
            for way, in_order in ((TO_SERVER, places), (TO_CLIENT, places[::-1]))
        )
        delays = [place for place in places if place.is_delay]
        self.back_s = [
            sum(place.times(1 - way).per_message_s for place in delays)
            for way in (TO_SERVER, TO_CLIENT)
        ]
        self.now_s = 0.0
        self.events: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self.event_count = 0
        self.ends_s: list[float] = []
        self.times_s: list[float] = []
        self.stream_bytes = 0.0
        self.has_window = path.window_bytes is not None or not traffic.waits
        frame_bytes = min(traffic.payload_bytes, self.segment_bytes)
        self.window_bytes: float = math.inf if traffic.waits else STREAM_FRAMES * frame_bytes
        if traffic.shares_segments:
            self.window_bytes = STREAM_FRAMES * self.segment_bytes
        if path.window_bytes is not None:
            self.window_bytes = path.window_bytes
        self.shares_segments = traffic.shares_segments
        self.acknowledges = traffic.segments_per_ack is not None
        self.is_ending = False

    def run(self, count: int) -> Run:
        """As many transactions as that."""
        begin = self.request if self.waits else self.begin_stream
        for _ in range(self.traffic.connection_count):
            begin(Connection([self.window_bytes, self.window_bytes]))
        while self.events and not (len(self.ends_s) >= count and not self.acknowledges):
            self.is_ending = len(self.ends_s) >= count
            self.now_s, _, action, values = heapq.heappop(self.events)
            action(*values)
        stages = {place.stage.name: place.busy_s for place in self.all_places}
        think_s = self.traffic.think_time_s
        last_s = max(think_s, *self.back_s) if self.has_window else think_s
        return Run(self.now_s + last_s, self.ends_s, self.times_s, stages)

    def after(self, time_s: float, action: Callable[..., None], *values: Any) -> None:
        self.event_count += 1
        heapq.heappush(self.events, (self.now_s + time_s, self.event_count, action, values))

    def scatter(self) -> float:
        return self.chance.expovariate(1) if self.is_exponential else 1.0

    def request(self, connection: Connection) -> None:
        if self.is_ending:
            return
        connection.began_s = self.now_s
        way = TO_SERVER if self.traffic.request_bytes else TO_CLIENT
        self.send(connection, way)

    def send(self, connection: Connection, way: int) -> None:
        size = self.traffic.response_bytes if way == TO_CLIENT else self.traffic.request_bytes
        connection.waiting[way].extend(self.message(connection, way, size))
        self.transmit(connection, way)

    def message(self, connection: Connection, way: int, size: float) -> Iterator[Frame]:
        """Full frames, and a last one with what is left."""
        message = Message(connection, way, math.ceil(size / self.segment_bytes))
        for index in range(message.frame_count):
            payload_bytes = min(size - index * self.segment_bytes, self.segment_bytes)
            yield Frame(connection, way, payload_bytes, message, int(index == 0))

    def transmit(self, connection: Connection, way: int) -> None:
        """Send what the window allows."""
        waiting, credit_bytes = connection.waiting[way], connection.credit_bytes
        while True:
            if not waiting and connection.stream is not None and not self.is_ending:
                waiting.append(next(connection.stream))
            if not waiting or waiting[0].payload_bytes > credit_bytes[way]:
                return
            credit_bytes[way] -= waiting[0].payload_bytes
            self.forward(waiting.popleft())

    def forward(self, frame: Frame) -> None:
        """To the next place on its way."""
        places = self.places[frame.way]
        if frame.position == len(places):
            self.delivered(frame)
            return
        frame.position += 1
        places[frame.position - 1].arrive(frame)

    def delivered(self, frame: Frame) -> None:
        """A frame has passed all places."""
        connection, message = frame.connection, frame.message
        if message is None:
            self.credit(connection, 1 - frame.way, frame.answered_bytes)
            return
        message.missing_count -= 1
        if self.traffic.segments_per_ack is not None:
            self.acknowledge(frame)
        elif self.has_window:
            self.after(
                self.back_s[frame.way], self.credit, connection, frame.way, frame.payload_bytes
            )
        if self.shares_segments:
            self.stream_bytes += frame.payload_bytes
            while len(self.ends_s) < self.stream_bytes // self.traffic.payload_bytes:
                self.ends_s.append(self.now_s)
            return
        if message.missing_count:
            return
        if self.waits and frame.way == TO_SERVER and self.traffic.response_bytes:
            self.send(connection, TO_CLIENT)
            return
        self.ends_s.append(self.now_s)
        self.times_s.append(self.now_s - connection.began_s)
        if self.waits:
            self.after(self.traffic.think_time_s, self.request, connection)

    def acknowledge(self, frame: Frame) -> None:
        """A pure acknowledgement for so many frames, and for the last of a message."""
        connection = frame.connection
        connection.unanswered.append(frame.payload_bytes)
        if (
            len(connection.unanswered) < self.traffic.segments_per_ack
            and frame.message.missing_count
        ):
            return
        ack = Frame(connection, 1 - frame.way, 0)
        ack.answered_bytes = sum(connection.unanswered)
        connection.unanswered.clear()
        self.forward(ack)

    def credit(self, connection: Connection, way: int, size: float) -> None:
        connection.credit_bytes[way] += size
        self.transmit(connection, way)

    def begin_stream(self, connection: Connection) -> None:
        way = TO_SERVER if self.traffic.request_bytes else TO_CLIENT
        size = self.traffic.payload_bytes
        shares = self.traffic.shares_segments
        frames = self.full_frames if shares else self.messages
        connection.stream = frames(connection, way, size)
        self.transmit(connection, way)

    def messages(self, connection: Connection, way: int, size: float) -> Iterator[Frame]:
        while True:
            yield from self.message(connection, way, size)

    def full_frames(self, connection: Connection, way: int, size: float) -> Iterator[Frame]:
        """Frames of messages that begin where the one before ends."""
        message = Message(connection, way, math.inf)
        sent_bytes, begun_count = 0, 0
        while True:
            sent_bytes += self.segment_bytes
            until_here = math.ceil(sent_bytes / size)
            yield Frame(connection, way, self.segment_bytes, message, until_here - begun_count)
            begun_count = until_here


def _count(pool: Pool) -> float:
    return math.inf if pool.parallel_count is None else pool.parallel_count


def simulated(
    path: Path,
    traffic: Traffic,
    mtu_bytes: int,
    *,
    count: int,
    seed: int = 1,
    by_message: bool = False,
    is_exponential: bool = False,
) -> Run:
    """
    Let connections pass a path, frame by frame, until so many transactions are over.

    Parameters
    ----------
    path : Path
        Stages in the order in which requests pass them, of plain numbers.
    traffic : Traffic
        With the number of connections; a stream goes one way.
    mtu_bytes : int
        Largest packet. [byte]
    count : int
        Transactions, or writes of a stream.
    seed : int
        Of the hashes, the interrupts, the wake-ups and the scatter.
    by_message : bool
        Whether each stage serves whole messages.
    is_exponential : bool
        Whether times of service are exponential, in place of always the same.

    Notes
    -----
    A stage that takes time for messages has all of one before it begins, and then serves its
    frames. It wakes up with the first of them. An interrupt comes with each frame at the
    chance that makes as many as the path says, and so do wake-ups. Large send and receive
    take as many segments as make a packet, or the rest of the message, and pass them on together.
    """
    kind = {"by_message": by_message, "is_exponential": is_exponential}
    return Simulation(path, traffic, mtu_bytes, seed=seed, **kind).run(count)
