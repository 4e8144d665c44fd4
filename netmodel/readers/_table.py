"""
One reader for all tools that print text: the forms of their lines are tables of patterns.

A form is a regular expression for a whole line, without blanks at its ends. A group that has the
name of a field of `Measurement` gives its value, in the unit that the table of the tool names;
``size`` beside ``size_unit`` is a figure with its unit. Lines of no form are passed over: prompts,
prose, and what newer versions print.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from itertools import dropwhile
from types import MappingProxyType
from typing import Any

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers._commands import asked
from netmodel.readers._document import RawText
from netmodel.readers._formats import Format, read_parts
from netmodel.readers._printed import Hit, Run, Units, address_of, started

_WRAPPED_LINES = 3
"""Lines that a mail program makes of one at most: 76 characters of each, and no tool has 200."""

SUMS = frozenset({"SUM", "-1"})
"""Names of the sum of all streams, in text and in CSV."""
_PROSE = frozenset({"error", "complaint", "notice", "warning", "text", "value", "options"})
"""Groups that end with their line: what stands below may be a prompt."""
_OF_FAILED = frozenset({"tool_version", "recorded_by"})
"""Fields of a run that failed; it has no values."""
_NARROWEST_LINE = 55
"""Characters of a line that a mail program broke and of the next word, without blanks between."""


class Found(defaultdict[str, list[Hit]]):
    """Lines of a run by their forms."""

    def __init__(self, source: str, hits: Iterable[Hit]) -> None:
        super().__init__(list)
        self.source = source
        self.hits = list(hits)
        for hit in self.hits:
            self[hit.form].append(hit)

    def first(self, *forms: str) -> Hit | None:
        """Return the first line of these forms."""
        return next((hit for form in forms for hit in self[form]), None)

    def needed(self, form: str, begin: str) -> Hit:
        """Return the line of a form that must be there once, and how it begins."""
        if not self[form]:
            raise ParseError(self.source, f"the text stops before its line {begin!r}")
        hit, *others = self[form]
        if others:
            raise others[0].fault(f"a second line {begin!r}; keep one result in a file")
        return hit


def table_format(
    name: str,
    *,
    marks: str,
    forms: Mapping[str, str],
    read: Callable[[Run, Found], list[Run] | None],
    begins: Mapping[str, str],
    units: Units = MappingProxyType({}),
    implied: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    fails: Mapping[str, str] = MappingProxyType({}),
    side: Side | None = None,
    part: str = "run",
    before: str = "",
    passed_over: tuple[str, str] = ("", ""),
    program: str = "",
) -> Format:
    """
    Return the format of a tool that prints text.

    Parameters
    ----------
    name : str
        Of the format; without ``-text`` that of the tool.
    marks : str
        Pattern of lines that no other tool prints.
    forms : mapping of str to str
        Patterns of lines; the first that fits counts.
    read : callable
        Sets the other fields of a run from its lines, or returns its measurements.
    begins : mapping of str to str
        Forms of lines with which another run begins, behind lines of these forms.
    units : mapping of str to float or mapping
        Units of groups, 1 where none is named.
    implied : mapping of str to mapping
        Fields that a line of a form implies.
    fails : mapping of str to str
        Forms of lines that report an error, of a run without lines of these forms.
    side : Side, optional
        End that prints this.
    part : str
        Name of each of several runs, before its number; a group of this name gives another.
    before : str
        Pattern of what may stand before each line.
    passed_over : tuple of str
        Forms between which lines are those of another end.
    program : str
        Name in a command line, of the form ``command``, whose options are read.
    """
    tool = name.removesuffix("-text")
    patterns = {form: re.compile(f"{before}(?:{pattern})") for form, pattern in forms.items()}
    command = re.compile(rf"(?:.*[\s/\\$#>%])?{program}(?:\.exe)? +(?P<options>-.*)")
    patterns = {"command": command, **patterns} if program else patterns
    # behind the end of a line, which re finds faster than the begin of one
    mark = re.compile(rf"\n[ \t]*+(?:{marks})", re.MULTILINE)

    def read_runs(raw: RawText) -> list[Run]:
        # what ends a run before the first
        hits = [*dropwhile(lambda hit: hit.form == "done", _hits(raw, patterns, units))]
        if all(hit.form == "command" for hit in hits):
            raise ParseError(raw.source, f"not a result of {tool}: no line is of its form")

        def read_one(own: list[Hit]) -> list[Run]:
            run, found = started(raw, tool, recorded_by=side), Found(raw.source, own)
            failed = [form for form, others in fails.items() if not found.first(*others.split())]
            errors = [hit.text("error").strip() for form in failed for hit in found[form]]
            for hit in own:
                fields = {**hit.known(), **implied.get(hit.form, {})}
                fields |= asked(program, hit.text("options"))
                run |= {name: fields[name] for name in fields if not errors or name in _OF_FAILED}
            if errors:
                return [Run(run, error="; ".join(dict.fromkeys(errors)))]
            return read(run, found) or [run]

        parts = segments(_of_this_end(hits, *passed_over), begins)
        parts = [own for own in parts if {hit.form for hit in own} != {"command"}]
        names = [next((hit.text("part") for hit in own if hit.has("part")), part) for own in parts]
        unread = [started(raw, tool, recorded_by=side)] * len(parts)
        reads = [partial(read_one, own) for own in parts]
        return read_parts([*zip(names, unread, reads, strict=True)])

    return Format(name, lambda text: mark.search(f"\n{text}") is not None, read_runs, mark)


def _of_this_end(hits: Iterable[Hit], first: str, last: str) -> Iterator[Hit]:
    """Yield the lines but those that another end printed."""
    is_other = False
    for hit in hits:
        is_other = (is_other or hit.form == first) and hit.form != last
        if not is_other:
            yield hit


def segments(hits: Iterable[Hit], begins: Mapping[str, str]) -> list[list[Hit]]:
    """Return the lines of each run: one begins with a line of a form that stands behind others."""
    runs: list[list[Hit]] = [[]]
    seen: set[str] = set()
    for hit in hits:
        if seen & set(begins.get(hit.form, "").split()):
            runs.append([])
            seen.clear()
        runs[-1].append(hit)
        seen.add(hit.form)
    return runs


def _hits(raw: RawText, forms: Mapping[str, re.Pattern[str]], units: Units) -> list[Hit]:
    """Return the lines of known forms, also those that a mail program wrapped."""

    def hit_of(number: int, line: str) -> Hit | None:
        text = line.strip()
        for form, pattern in forms.items():
            if match := pattern.fullmatch(text):
                return Hit(raw.source, number, line, form, match.groupdict(), units)
        return None

    def rank(hit: Hit | None) -> tuple[int, int]:
        """Return the place of the form, and how much of the line is read."""
        if hit is None:
            return len(order), 0
        read = [text for name, text in hit.groups.items() if text and name not in _PROSE]
        return order[hit.form], -sum(map(len, read))

    # text before a carriage return is a line too
    lines = [
        (number, text)
        for number, line in enumerate(raw.text.split("\n"), start=1)
        for text in line.split("\r")
        if text.strip()
    ]
    order = {form: number for number, form in enumerate(forms)}
    alone = [hit_of(*line) for line in lines]
    hits: list[Hit] = []
    begin = 0
    while begin < len(lines):
        hit, end, (number, joined) = alone[begin], begin + 1, lines[begin]
        while end < min(begin + _WRAPPED_LINES, len(lines)) and alone[end] is None:
            before, behind = lines[end - 1][1].rstrip(), lines[end][1].strip()
            if len(before) + len(behind.split()[0]) < _NARROWEST_LINE:
                break
            joined, end = f"{joined.rstrip()} {behind}", end + 1
            if rank(longer := hit_of(number, joined)) < rank(hit):
                hit, begin = longer, end - 1
        hits += [hit] if hit else []
        begin += 1
    return hits


def name_ends(run: Run, hits: Iterable[Hit]) -> None:
    """
    Set the id of a run, from address and port of both ends of each connection, sorted.

    It is the same at both ends, and None where an address or a port is not printed. It has no time:
    only one end may print it, and two clocks may round it to different minutes.
    """
    ends = [(hit.text(end), hit.text(f"{end}_port")) for hit in hits for end in ("near", "far")]
    run.name_hosts([host for host, _ in ends], are_both_ends=True)
    if ends and all(address_of(host) and port != "0" for host, port in ends):
        names = [f"{address_of(host)} port {port}" for host, port in ends]
        pairs = {" and ".join(sorted(pair)) for pair in zip(names[::2], names[1::2], strict=True)}
        run["run_id"] = f"{run['tool']}: {', '.join(sorted(pairs))}"


def count_ids(run: Run, ids: Collection[str], summed: Collection[str]) -> None:
    """
    Set the number of streams; goodput is a lower bound if lines of some are missing, and no sum.

    Tools print a sum below several streams: without it a text is cut off, and may lack other
    streams too, unless it reports their number.
    """
    told, seen, count = run["stream_count"] or 0, len({*ids} - SUMS), len({*summed})
    whole_count = max(told, seen)
    run["stream_count"] = whole_count or None
    is_cut_off = not told and seen > 1
    if (is_cut_off or count < whole_count) and SUMS.isdisjoint(summed):
        of_all = whole_count if told else "an unknown number of"
        run.note(f"lines of only {count} of {of_all} streams: goodput is a lower bound")
        run["is_lower_bound"] = True


def count_intervals(run: Run, rows: Iterable[Hit], intervals: Iterable[Hit]) -> None:
    """Set the largest windows of the streams, and the number of intervals with losses."""
    windows_bytes = defaultdict[str, float](float)
    for hit in rows:
        if hit.has("window"):
            id_, window = hit.text("id"), hit.figure("window")
            windows_bytes[id_] = max(windows_bytes[id_], window.value)
    of_streams = (x for x in intervals if x.has("retransmits") and x.text("id") not in SUMS)
    counts = [hit.count("retransmits") for hit in of_streams]
    run["congestion_window_bytes"] = round(sum(windows_bytes.values())) or None
    run["lossy_interval_count"] = sum(map(bool, counts)) if counts else None
