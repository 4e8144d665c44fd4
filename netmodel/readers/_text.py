"""Text as people post it: without what editors, mail programs, terminals and logs put into it."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress

_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
"""Sequences of a terminal (ECMA-48), and the titles that shells set with them."""
_TIME = r"\d\d:\d\d:\d\d(?:[.,]\d+)?"
_DAY = r"[A-Z][a-z]{2} [ \d]\d"
_ZONE = r"(?:Z| ?[+-]\d\d:?\d\d)?"
_SENDER = r"(?:\S+ [\w.@-]+(?:\[\d+\])?: )"
_BEFORE = re.compile(
    r"[ \t]*>[> ]* ?"  # quotes in mail and Markdown
    r"|(?!(?:port|[oi]packets) )[\w.-]+ +\| "  # docker compose, not a row of TRex
    r"|\[pod/[^\]\s]*\] "  # kubectl logs --prefix
    rf"|\[?\d{{4}}-\d\d-\d\d[T ]{_TIME}{_ZONE}\]?:? (?:[\w.-]+ [\w.@-]+\[\d+\]: )?"
    rf"|\[{_TIME}\] "
    rf"|{_DAY} {_TIME} {_SENDER}"  # syslog, journald
    rf"|[A-Z][a-z]{{2}} {_DAY} {_TIME} \d{{4}} "  # iperf3 --timestamps
)
_LOGGED = re.compile(r'\{"log":("(?:[^"\\]|\\.)*")[,}].*')
"""A line of the JSON log of docker."""
_LISTED = re.compile(r'\s*(?:"(?:stdout|stderr|msg)": )?("(?:[^"\\]|\\.)*"),?')
"""A line of what ansible prints, or its whole output in one."""


_OBJECT = re.compile(r"(?:^|[\[,\}])\s*\{", re.MULTILINE)
_DECODER = json.JSONDecoder()


def json_spans(text: str) -> Iterator[tuple[int, int]]:
    """Begin and end of each JSON object that begins a line, or stands in a list."""
    end = 0
    while begin := _OBJECT.search(text, end):
        start = end = begin.end() - 1
        try:
            _, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            end += 1
        else:
            yield start, end


def cleaned(text: str) -> str:
    """The text without what stands before each line of a log, quote or terminal."""
    text = _COLOUR.sub("", text)
    return "\n".join(map(_cleaned_line, text.split("\n")))


def _cleaned_line(line: str) -> str:
    for pattern in (_LOGGED, _LISTED):
        if match := pattern.fullmatch(line.rstrip("\r")):
            with suppress(ValueError):
                return cleaned(json.loads(match[1]).rstrip("\n"))
    while match := _BEFORE.match(line):
        line = line[match.end() :]
    return line
