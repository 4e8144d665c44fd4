"""What netmodel computes for a published statement: the rules, and what each holds it against."""

from collections.abc import Callable

from netmodel.judging._evidence._arithmetic import (
    buffers,
    consumption_examples,
    default_buffers,
    doubled_buffer,
    masks,
    named_processors,
    processors_of_cores,
    short_counters,
    threads,
)
from netmodel.judging._evidence._book import Book
from netmodel.judging._evidence._computed import Computed
from netmodel.judging._evidence._framing import (
    fewer_packets,
    frame_sums,
    header_sizes,
    line_ceilings,
    packets,
    pages,
    smaller_hop,
)
from netmodel.judging._evidence._laws import (
    enough_trunks,
    faster_line,
    gain_at_distance,
    longer_queue,
    newer_processor,
    throughput_from_latency,
    trunk_caps,
    twice_the_distance,
)
from netmodel.judging._evidence._rates import (
    between_adapters,
    large_mtu_gain,
    line_reached,
    same_frames,
    stated_rate,
)
from netmodel.judging._evidence._tables import (
    gains,
    layer_differences,
    standing_changes,
    table_ranges,
)
from netmodel.records import Statement

__all__ = ["RULES"]

RULES: tuple[tuple[str, Callable[[Statement, Book], Computed | None]], ...] = (
    ("framing", header_sizes),
    ("framing", frame_sums),
    ("framing", packets),
    ("framing", fewer_packets),
    ("framing", smaller_hop),
    ("ceiling", line_ceilings),
    ("ceiling", large_mtu_gain),
    ("ceiling", faster_line),
    ("path", between_adapters),
    ("path", stated_rate),
    ("path", line_reached),
    ("path", same_frames),
    ("path", trunk_caps),
    ("path", enough_trunks),
    ("arithmetic", consumption_examples),
    ("arithmetic", threads),
    ("arithmetic", processors_of_cores),
    ("arithmetic", named_processors),
    ("arithmetic", pages),
    ("arithmetic", twice_the_distance),
    ("arithmetic", newer_processor),
    ("notation", masks),
    ("notation", buffers),
    ("notation", doubled_buffer),
    ("notation", short_counters),
    ("reference", default_buffers),
    ("queueing", longer_queue),
    ("littles_law", throughput_from_latency),
    ("propagation", gain_at_distance),
    ("summary", table_ranges),
    ("summary", gains),
    ("summary", layer_differences),
    ("summary", standing_changes),
)
"""What a claim is held against, and the rule that computes it."""
