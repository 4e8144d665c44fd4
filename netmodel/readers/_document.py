"""Texts and JSON documents of measurement tools; errors name the file and the place in it."""

import hashlib
import io
import json
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from netmodel.errors import ParseError, UnknownFormatError
from netmodel.printable import SHOWN_LENGTH, cut
from netmodel.reading import read_bytes, reason_of
from netmodel.units.prefixes import MEBI

LARGEST = 1e18
"""
Largest number in a result. Nothing that is measured is larger: 1e18 bit is what 1 Tbit/s carries in
11 days. Products of two such numbers stay finite.
"""
GZIP_MARK, ZIP_MARK = b"\x1f\x8b", b"PK\x03\x04"
"""First bytes of every gzip file (RFC 1952, section 2.3.1) and of zip (APPNOTE, section 4.3.7)."""
_CONTROL = rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f]"
"""No text in Latin-1 has these; a terminal prints ESC before colours."""
_NUMBERS = frozenset({int, float})
_DECODER = json.JSONDecoder()
_LONGEST_LINE = 200
"""Characters of a tool's message, which then fits on two or three lines of a terminal."""
_LARGEST_UNPACKED_BYTES = 64 * MEBI
"""A result of flent, the one tool that packs, has some MB; a small bomb unpacks to gigabytes."""
_COLOUR = (  # patterns that few texts need are compiled when they are used
    r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|</?(?:pre|code)\b[^<>\n]*>"
)
"""Sequences of a terminal (ECMA-48), titles that shells set with them, and marks of web pages."""
_BLANK = "[\xa0\u2000-\u200b\u202f\u3000\ufeff]"
"""Blanks of Unicode (category Zs) but the usual one, and those of no width, as web pages have."""
_SOFT_BREAK = r"=(?<=[^=\n]{60}=)\r?\n"
"""End of a line of mail that goes on in the next (RFC 2045, section 6.7), but not of a rule."""
_TIME = r"\d\d:\d\d:\d\d(?:[.,]\d+)?"
_DAY = r"[A-Z][a-z]{2} [ \d]\d"
_STAMP = rf"(?:\d{{4}}[-/]\d\d[-/]\d\d[T ])?{_TIME}(?:Z| ?[+-]\d\d:?\d\d)?"
_LEVELS = r"TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR(?!:)"
_LEVEL = rf"(?:\[\S+\] )?(?:\[(?i:{_LEVELS}) *\]|(?:{_LEVELS})\b)"
_OF_TOOLS = r"nuttcp-|Download|Upload|[\w.-]+: (?:error|interrupt|remote|the|failed|unable) "
_LOGGER = rf"(?!{_OF_TOOLS})[\w.@/:-]+(?:\[\d+\])?"
"""Name of what logs a line; what tools themselves put before a colon stays."""
_BEFORE = (
    r"[ \t]*(?:>[> ]* ?"  # quotes in mail and Markdown
    rf"|\[?{_STAMP}\]?:? [\w.-]+ [\w.@-]+\[\d+\]: "  # journalctl -o short-iso
    # logs with times or levels, each perhaps before the name of the logger
    rf"|(?:\[?{_STAMP}\]?|{_LEVEL})(?: *[|:-])?[ \t]+(?:{_LOGGER}(?::| [|-]|\]) +)?"
    r"|(?!(?:port|[oi]packets) )[\w.-]+ +\| "  # docker compose, not a row of TRex
    r"|\[pod/[^\]\s]*\] "  # kubectl logs --prefix
    r"|[|│`] *"  # a border, or code in Markdown
    rf"|{_LEVEL}:[\w.]+:"  # logging of Python
    # syslog, journald, ts, but no words of a tool
    rf"|{_DAY} {_TIME} (?:(?!CPU |TCP |establish )[\w.-]+ [\w.@-]+(?:\[\d+\])?: )?"
    rf"|[A-Z][a-z]{{2}} {_DAY} {_TIME} \d{{4}} )"  # iperf3 --timestamps
)
_BORDER = re.compile(r"[|│`]+\s*$")
_STRING = r'"(?:[^"\\]|\\.)*"'
_LOGGED = (  # possessive: a blank is of one part alone, and a line takes linear time
    rf'\{{(?:"\w+": ?+(?:{_STRING}|[^,"{{]*), ?+)*?'
    rf'"(?:log|msg|message)": ?+(?P<text>{_STRING})[,}}].*'
)
"""A line of the JSON log of docker, and of other logs in JSON."""
_LISTED = (
    r'\s*(?:"(?:stdout|stderr|msg)": |(?:\w+=(?:"[^"]*"|[^"\s]*) )+msg=)?'
    rf"(?P<text>{_STRING})(?:,| \w+=.*)?"
)
"""A line of what ansible prints, or its whole output in one; a line of ``logfmt``."""


_OBJECT = re.compile(r"(?:^|[\[,\}])\s*\{", re.MULTILINE)
_END_OF_BLANKS = re.compile(r"\s*")
_STRING_OR_PRINTF_NAN = re.compile(rf"{_STRING}|-?\bnan\b")


class RawText(NamedTuple):
    """Text of a file, with what it came from."""

    source: str
    text: str
    sha256: str


Source: TypeAlias = str | os.PathLike[str] | bytes | RawText
"""A path, the content of a file as bytes, or a text that was read before."""


def read_text(source: Source) -> RawText:
    """
    Return the text of a source; gzip and zip are unpacked, up to 64 MiB.

    Raises
    ------
    UnknownFormatError
        If the file is not text.
    ParseError
        If the file cannot be read, is empty, or unpacks to more.
    """
    if isinstance(source, RawText):
        return source
    if isinstance(source, bytes):
        name, content = "<bytes>", source
    else:
        name = os.fspath(source)
        try:
            content = read_bytes(name)
        except IsADirectoryError:
            raise ParseError(name, "is a directory; name the files in it") from None
        except (OSError, ValueError) as error:
            text = "; it is a text, no name: give read_result(text.encode())" * ("\n" in name)
            raise ParseError(name, f"cannot be read: {reason_of(error)}{text}") from None
    members = _unpacked(name, content)
    if sum(map(len, members)) > _LARGEST_UNPACKED_BYTES and members != [content]:
        raise ParseError(name, f"unpacks to more than {_LARGEST_UNPACKED_BYTES} byte")
    try:
        text = "\n".join(map(_decoded, members))
    except UnicodeDecodeError:
        raise UnknownFormatError(name, "not a text file", "not text") from None
    text = _with_usual_blanks(text)
    if not text or text.isspace():
        raise ParseError(name, "the file is empty")
    return RawText(name, text, hashlib.sha256(content).hexdigest())


def _unpacked(name: str, content: bytes) -> list[bytes]:
    """Return the files that gzip or zip packed, up to a byte more than is allowed."""
    if not content.startswith((GZIP_MARK, ZIP_MARK)):
        return [content]
    import gzip
    import zipfile

    left, members = _LARGEST_UNPACKED_BYTES + 1, list[bytes]()
    try:
        if content.startswith(GZIP_MARK):
            with gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
                return [packed.read(left)]
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for info in archive.infolist():
                with archive.open(info) as member:
                    members.append(member.read(left - sum(map(len, members))))
        return members
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError):
        raise ParseError(name, "not a text file: packed, but damaged or cut off") from None


def _decoded(content: bytes) -> str:
    """Return text in a Unicode encoding, else in Latin-1 without control characters."""
    try:
        return content.decode(json.detect_encoding(content))
    except UnicodeDecodeError:
        if re.search(_CONTROL, content):
            raise
        return content.decode("latin-1")


def _with_usual_blanks(text: str) -> str:
    return text if text.isascii() else re.sub(_BLANK, " ", text)


def load_json_values(raw: RawText, faults: list[ParseError] | None = None) -> list[Any]:
    """
    Return all JSON values of a text, one after the other.

    Raises
    ------
    ParseError
        If the text is not JSON; the message names line and column. With a list for faults it goes
        there where values stand before it.
    """
    import orjson  # three times as fast as json

    # integers beyond 64 bits become floats, which are as much too large
    with suppress(ValueError):
        return [orjson.loads(raw.text)]
    text = raw.text
    if "nan" in text:
        # C prints nan where the json module reads NaN; strings stay unchanged
        text = _STRING_OR_PRINTF_NAN.sub(lambda at: at[0] if at[0][0] == '"' else "NaN", text)
    values, behind = list[Any](), ""
    try:
        values.extend(_values(text))
        return values
    except json.JSONDecodeError as error:
        behind = text[error.pos :]
        problem = "the text ends too early" if not behind.strip() else error.msg
        problem += f" at line {error.lineno}, column {error.colno}"
    except ValueError:
        problem = "a number has too many digits"
    except RecursionError:
        problem = "nested too deeply"
    fault = ParseError(raw.source, f"not valid JSON: {problem}")
    if faults is None or not values or "\n{" in behind:  # results behind it would be lost
        raise fault
    faults.append(fault)
    return values


def _values(text: str) -> Iterator[Any]:
    position = len(text) - len(text.lstrip())
    while position < len(text):
        value, end = _DECODER.raw_decode(text, position)
        yield value
        position = _END_OF_BLANKS.match(text, end).end()  # type: ignore[union-attr]


def load_json_document(raw: RawText, content: str = "results") -> "Node":
    """
    Return the only JSON value of a text.

    Raises
    ------
    ParseError
        If the text is not JSON, or holds several values.
    """
    values = load_json_values(raw)
    if len(values) > 1:
        raise ParseError(raw.source, f"holds {len(values)} {content}; keep one in a file")
    return Node(raw.source, "", values[0])


def shown(value: object) -> str:
    """Return a value for a message: the first line of a text, cut where it is long."""
    if isinstance(value, str):
        first, *others = value[:SHOWN_LENGTH].splitlines() or [""]
        value = f"{first}…" if others else first
    try:
        return cut(json.dumps(value, ensure_ascii=False))
    except RecursionError:
        return "values nested too deeply"


def one_line(text: str) -> str:
    """Return the first line of a tool's message, cut where it is long."""
    first, *others = text.strip()[: _LONGEST_LINE + 1].splitlines() or [""]
    return f"{first[:_LONGEST_LINE]}…" if others or len(first) > _LONGEST_LINE else first


@dataclass(slots=True)
class Node:
    """A value in a JSON document and its key; not frozen, because that is quicker to make."""

    source: str
    key: str | int
    value: Any
    within: "Node | None" = None

    @property
    def path(self) -> str:
        """The keys from the document to this value, each behind a dot, made for errors alone."""
        key = f"[{self.key}]" if isinstance(self.key, int) else f".{self.key}"
        return f"{self.within.path}{key}" if self.within else key.removeprefix(".")

    def fault(self, problem: str) -> ParseError:
        """Return an error that names the file and this key."""
        path = ".".join(map(cut, self.path.removeprefix(".").split(".")))
        return ParseError(self.source, f"{path or 'the document'} {problem}")

    def members(self) -> dict[str, Any]:
        """Return the values of this object, by their keys."""
        if not isinstance(self.value, dict):
            raise self.fault("must be an object")
        return self.value

    def require_list(self) -> list[Any]:
        """Return the values of this list."""
        if not isinstance(self.value, list):
            raise self.fault("must be a list")
        return self.value

    def has(self, key: str) -> bool:
        """Return True if this object has the key."""
        return key in (self.value if type(self.value) is dict else self.members())

    def child(self, key: str, default: Any = None) -> "Node":
        """Return the value under a key, required where there is no default; null is none."""
        members = self.value if type(self.value) is dict else self.members()
        found = members.get(key)
        if found is None and default is None and key not in members:
            raise Node(self.source, key, None, self).fault("is missing")
        return Node(self.source, key, default if found is None else found, self)

    def each(self) -> list["Node"]:
        """Return the values of this list, each with its path."""
        return [Node(self.source, index, x, self) for index, x in enumerate(self.require_list())]

    def in_lists(self, key: str) -> list["Node"]:
        """Return the values of the lists under a key of each object of this list."""
        found = list[Node]()
        for index, value in enumerate(self.require_list()):
            listed = value.get(key) if type(value) is dict else None
            if type(listed) is not list:
                listed = Node(self.source, index, value, self).child(key).require_list()
            for each in listed:
                found.append(Node(self.source, key, each, self))
        return found

    def number(self, key: str, default: float | None = None) -> float:
        """Return a number that is neither negative nor larger than any measured one."""
        members = self.value
        value: Any = (members if type(members) is dict else self.members()).get(key)
        if type(value) in _NUMBERS and 0 <= value <= LARGEST:
            return value  # type: ignore[no-any-return]
        if value is None and default is not None:
            return default
        child = self.child(key)
        if type(value) not in _NUMBERS:
            raise child.fault(f"must be a number; got {shown(value)}")
        raise child.fault(f"must be from 0 to {LARGEST:g}; got {shown(value)}")

    def count(self, key: str, default: int | None = None) -> int:
        """Return a whole number that is not negative."""
        value = self.number(key, default)
        if type(value) is int:
            return value
        if value != int(value):
            raise self.child(key).fault(f"must be a whole number; got {shown(value)}")
        return int(value)

    def text(self, key: str, default: str | None = None) -> str:
        """Return a string."""
        value = self.members().get(key)
        if value is None and default is not None:
            return default
        if not isinstance(value, str):
            raise self.child(key).fault(f"must be a string; got {shown(value)}")
        return value


# Text as people post it


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
    """Return the text without what stands before each line of a log, quote or terminal."""
    import html

    text = html.unescape(re.sub(_SOFT_BREAK, "", re.sub(_COLOUR, "", text)))
    cleaned_line = partial(_cleaned_line, re.compile(_BEFORE))
    return "\n".join(map(cleaned_line, _with_usual_blanks(text).split("\n")))


def _cleaned_line(before: re.Pattern[str], line: str) -> str:
    for pattern in (_LOGGED, _LISTED) if '"' in line else ():
        if match := re.fullmatch(pattern, line.rstrip("\r")):
            with suppress(ValueError):
                return cleaned(json.loads(match["text"]).rstrip("\n"))
    while match := before.match(line):
        line = line[match.end() :]
    return _BORDER.sub("", line).expandtabs()
