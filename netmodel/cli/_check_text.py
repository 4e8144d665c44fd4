"""A verdict as lines of text."""

from collections.abc import Sequence

from netmodel.judging import Verdict
from netmodel.report import NOTE_COUNT, LimitRow, note_rows, verdict_row

__all__ = ["verdict_lines"]

_INDENT = " " * 4


def verdict_lines(verdict: Verdict, is_verbose: bool = False) -> list[str]:
    """The verdict on a run in one sentence, and indented lines with what it rests on."""
    row = verdict_row(verdict)
    notes = note_rows(row.warnings, None if is_verbose else NOTE_COUNT)
    rest = (
        row.name,
        row.repeats_text,
        *_limit_texts(row.limits),
        row.tolerance_text,
        *(row.tolerance_parts if is_verbose else ()),
        *row.cpu_texts,
        *(f"{name}: {text}" if name else text for name, text in notes),
    )
    return [f"{row.word}: {row.reason}", *(f"{_INDENT}{text}" for text in rest if text)]


def _limit_texts(limits: Sequence[LimitRow]) -> list[str]:
    """Limits that the user specified, and those that the run reports, by their size."""
    texts = []
    for is_specified, name in ((True, "limits"), (False, "reported by the run")):
        chosen = [limit for limit in limits if limit.is_specified is is_specified]
        ordered = sorted(chosen, key=lambda limit: limit.value)
        if len(ordered) > 1 or (ordered and not is_specified):
            texts.append(f"{name}: {', '.join(map(_limit_text, ordered))}")
    return texts


def _limit_text(limit: LimitRow) -> str:
    spread = f" ({limit.spread_text})" if limit.spread_text else ""
    return f"{limit.name} {limit.value_text}{spread}"
