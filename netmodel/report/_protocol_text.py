"""How published comparisons of protocols over distance stand to the model, in text."""

from collections import Counter
from collections.abc import Iterator, Sequence

from netmodel.judging._protocol_verdicts import (
    ProtocolEvidence,
    ProtocolVerdict,
    stream_windows,
)

_ORDER = (ProtocolVerdict.CONTRADICTS, ProtocolVerdict.NOT_EXPLAINED, ProtocolVerdict.EXPLAINED)
"""What needs attention comes first."""


def answer_text(rows: Sequence[ProtocolEvidence]) -> str:
    """The answer in one sentence."""
    if not rows:
        return "No statement compares two protocols."
    tally = Counter(row.verdict for row in rows)
    return (
        f"{len(rows)} comparisons: {tally[ProtocolVerdict.EXPLAINED]} explained, "
        f"{tally[ProtocolVerdict.NOT_EXPLAINED]} not explained, "
        f"{tally[ProtocolVerdict.CONTRADICTS]} contradict another figure of the same case."
    )


def verdict_lines(rows: Sequence[ProtocolEvidence], verbose: bool = False) -> Iterator[str]:
    """Each comparison below its verdict; with `verbose` what is computed and from what."""
    for verdict in _ORDER:
        own = [row for row in rows if row.verdict is verdict]
        if own:
            yield f"{verdict.value}: {len(own)}"
        for row in own:
            parts = (("computed ", row.computed), ("margin ", row.margin))
            words = "; ".join([row.statement.claim, *(f"{k}{text}" for k, text in parts if text)])
            yield f"  {row.statement.id}: {words}" + (f"; {row.reason}" if verbose else "")


def note_lines(rows: Sequence[ProtocolEvidence]) -> Iterator[str]:
    """What the verdicts rest on."""
    if not rows:
        return
    streams = {str(row.statement.subject.workload): None for row in rows}
    for name in streams:
        windows = stream_windows(name) if name != "None" else None
        if windows is not None:
            yield f"note: {name}: the gain grows with distance: {windows.text}"
    yield "note: gains are computed from other cases, as latency and throughput repeat each other"
    yield "note: figures of 'up to' are read as reached; equipment on the fibre counts as no delay"
