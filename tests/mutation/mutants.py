"""The faults that can be planted: in Python source, and in figures of TOML and CSV."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

__all__ = ["KINDS", "MODULE", "Mutant", "mutants_of"]

MODULE = "<module>"
KINDS = ("constant", "operator", "key", "line", "digit")

COMPARISONS = {
    ast.Lt: ("<", ("<=", ">=")),
    ast.LtE: ("<=", ("<", ">")),
    ast.Gt: (">", (">=", "<=")),
    ast.GtE: (">=", (">", "<")),
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.Is: ("is", ("is not",)),
    ast.IsNot: (r"is\s+not", ("is",)),
    ast.In: ("in", ("not in",)),
    ast.NotIn: (r"not\s+in", ("in",)),
}
ARITHMETIC: dict[type[ast.operator], tuple[str, tuple[str, ...]]] = {
    ast.Add: ("+", ("-",)),
    ast.Sub: ("-", ("+",)),
    ast.Mult: ("*", ("/",)),
    ast.Div: ("/", ("*",)),
    ast.FloorDiv: ("//", ("/",)),
    ast.Mod: ("%", ("*",)),
    ast.Pow: ("**", ("*",)),
    ast.BitAnd: ("&", ("|",)),
    ast.BitOr: ("|", ("&",)),
}
SWAPPED_NAMES = {
    "min": "max",
    "max": "min",
    "minimum": "maximum",
    "maximum": "minimum",
    "ceil": "floor",
    "floor": "ceil",
    "any": "all",
    "all": "any",
}
GUARDS = (ast.Raise, ast.Return, ast.Continue, ast.Break)
HARMLESS_KEYWORDS = {"strict", "stacklevel"}
"""Arguments of calls that guard the programmer and change no result."""

TEXT_KEYS = (
    r"(?:id|title|source|locator|note|notes|name|names|url|wording|text|reason|slide|place"
    r"|description|meaning|printed_as|document_title|test_bed|transcription|assumed|unknown)"
)
FIGURE = re.compile(r"(?<![\w.\-])\d[\d.]*(?![\w]*-)")


@dataclass(frozen=True)
class Mutant:
    """One fault: ``new`` in place of the bytes ``begin`` to ``end`` of a file."""

    file: str
    function: str
    kind: str
    begin: int
    end: int
    new: str
    was: str
    becomes: str
    line: int

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What it is, wherever its line moves."""
        return self.file, self.function, self.was, self.becomes

    def applied(self, source: bytes) -> bytes:
        return source[: self.begin] + self.new.encode() + source[self.end :]


def mutants_of(root: Path, file: str) -> list[Mutant]:
    """Every fault of one file of the checkout at ``root``."""
    source = (root / file).read_bytes()
    found = _of_python(source) if file.endswith(".py") else _of_figures(source, file)
    unique: dict[tuple[int, int, str], Mutant] = {}
    for function, kind, begin, end, new in found:
        lines = _lines(source, begin, end, new)
        unique[begin, end, new] = Mutant(file, function, kind, begin, end, new, *lines)
    return list(unique.values())


Found = tuple[str, str, int, int, str]


def _lines(source: bytes, begin: int, end: int, new: str) -> tuple[str, str, int]:
    """The lines that a fault changes, as they were and as they become, and their number."""
    first = source.rfind(b"\n", 0, begin) + 1
    last = source.find(b"\n", end)
    last = len(source) if last < 0 else last
    was = source[first:last].decode()
    becomes = (source[first:begin] + new.encode() + source[end:last]).decode()
    return was.strip(), becomes.strip(), source.count(b"\n", 0, first) + 1


def _of_python(source: bytes) -> Iterator[Found]:
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    yield from _Finder(source, starts).found_in(ast.parse(source), ())


class _Finder:
    def __init__(self, source: bytes, starts: list[int]) -> None:
        self.source, self.starts = source, starts

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        begin = self.starts[node.lineno - 1] + node.col_offset
        return begin, self.starts[node.end_lineno - 1] + node.end_col_offset

    def found_in(self, node: ast.AST, names: tuple[str, ...]) -> Iterator[Found]:
        """Faults of a node and of all below it."""
        function = ".".join(names) or MODULE
        if isinstance(node, ast.expr | ast.stmt):
            for kind, begin, end, new in self.faults(node):
                yield function, kind, begin, end, new
        for child in _code_below(node):
            inner = isinstance(child, ast.FunctionDef | ast.ClassDef)
            yield from self.found_in(child, (*names, child.name) if inner else names)

    def faults(self, node: ast.expr | ast.stmt) -> Iterator[tuple[str, int, int, str]]:
        begin, end = self.span(node)
        match node:
            case ast.Constant(value=bool() as value):
                yield "constant", begin, end, str(not value)
            case ast.Constant(value=int() | float()):
                for new in _other_numbers(self.source[begin:end].decode()):
                    yield "constant", begin, end, new
            case ast.Compare(left=left, ops=ops, comparators=operands):
                for one, operator, other in zip([left, *operands], ops, operands, strict=False):
                    yield from self.swapped(one, other, *COMPARISONS[type(operator)])
            case ast.BinOp(left=left, op=operator, right=right):
                if type(operator) in ARITHMETIC and not _is_text(left):
                    old, others = ARITHMETIC[type(operator)]
                    yield from self.swapped(left, right, re.escape(old), others)
                    if isinstance(operator, ast.Mult):
                        for kept in (left, right):
                            first, last = self.span(kept)
                            yield "operator", begin, end, f"({self.source[first:last].decode()})"
            case ast.UnaryOp(op=ast.USub()):
                yield "operator", begin, begin + len("-"), " "
            case ast.UnaryOp(op=ast.Not()):
                yield "operator", begin, begin + len("not"), ""
            case ast.BoolOp(op=operator, values=values):
                old, new = ("and", "or") if isinstance(operator, ast.And) else ("or", "and")
                for one, other in pairwise(values):
                    yield from self.swapped(one, other, old, (new,))
            case ast.Call(func=ast.Name(id=name)) if name in SWAPPED_NAMES:
                first, last = self.span(node.func)
                if name in {"min", "max", "any", "all"} or self.has_import(SWAPPED_NAMES[name]):
                    yield "operator", first, last, SWAPPED_NAMES[name]
            case ast.Call(func=ast.Attribute(attr=name) as method) if name in SWAPPED_NAMES:
                last = self.span(method)[1]
                yield "operator", last - len(name), last, SWAPPED_NAMES[name]
            case ast.IfExp(test=test):
                yield from self.negated(test)
            case ast.If(test=test, body=[guarded], orelse=[]) if isinstance(guarded, GUARDS):
                first, last = self.span(test)
                yield "line", first, last, "False"
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                pass  # imports that architecture tests judge
            case ast.If(test=test):
                yield from self.negated(test)
            case ast.Expr(value=ast.Call()) | ast.AugAssign():
                yield "line", begin, end, "pass"
            case ast.Continue() | ast.Break():
                yield "line", begin, end, "pass"
        for text in _keys(node):
            first, last = self.span(text)
            yield "key", first, last, repr(f"{text.value}_")

    def negated(self, test: ast.expr) -> Iterator[tuple[str, int, int, str]]:
        if isinstance(test, ast.Compare | ast.UnaryOp):
            return  # they have faults of their own
        first, last = self.span(test)
        yield "operator", first, last, f"not ({self.source[first:last].decode()})"

    def swapped(
        self, left: ast.expr, right: ast.expr, old: str, others: tuple[str, ...]
    ) -> Iterator[tuple[str, int, int, str]]:
        """Other operators between two operands."""
        between = self.span(left)[1]
        text = self.source[between : self.span(right)[0]].decode()
        found = re.search(old, re.sub(r"#.*", lambda comment: " " * len(comment[0]), text))
        if found and text.isascii():
            for new in others:
                yield "operator", between + found.start(), between + found.end(), new

    def has_import(self, name: str) -> bool:
        return re.search(rf"^(from .*|    )\b{name}\b".encode(), self.source, re.M) is not None


def _code_below(node: ast.AST) -> Iterator[ast.AST]:
    """Child nodes that take part in computing: no annotation, decorator, message or text."""
    if isinstance(node, ast.Raise | ast.JoinedStr | ast.Assert):
        return
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
        return
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list", "type_comment"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            harmless = isinstance(child, ast.keyword) and child.arg in HARMLESS_KEYWORDS
            if isinstance(child, ast.AST) and not harmless:
                yield child


def _keys(node: ast.expr | ast.stmt) -> Iterator[ast.Constant]:
    """Texts that select a value: of a subscript, of get and pop, of a dictionary."""
    match node:
        case ast.Subscript(slice=ast.Constant(value=str()) as key):
            yield key
        case ast.Call(func=ast.Attribute(attr="get" | "pop"), args=[ast.Constant() as key, *_]):
            if isinstance(key.value, str):
                yield key
        case ast.Dict(keys=keys):
            for each in keys:
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    yield each


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _other_numbers(printed: str) -> list[str]:
    """One more, one less, and the first digit and the last one changed."""
    if printed.isdecimal():
        number = int(printed)
        return [str(number + 1)] if number == 0 else [str(number + 1), str(number - 1)]
    mantissa = re.match(r"[\d_.]+", printed)
    if mantissa is None or not re.fullmatch(r"[\d_.]+(e[-+]?\d+)?", printed):
        return []
    digits = [place for place, sign in enumerate(mantissa[0]) if sign.isdecimal()]
    return list(dict.fromkeys(_digit_changed(printed, place) for place in (digits[0], digits[-1])))


def _digit_changed(text: str, place: int) -> str:
    return f"{text[:place]}{(int(text[place]) + 1) % 10}{text[place + 1 :]}"


def _of_figures(source: bytes, file: str) -> Iterator[Found]:
    """Each digit of each figure, changed; no digit of names, texts and places."""
    offset, table = 0, MODULE
    for number, raw in enumerate(source.splitlines(keepends=True)):
        line = raw.decode()
        header = re.match(r"\[+(.+?)\]+\s*$", line)
        table = header[1] if header else table
        if file.endswith(".csv"):
            searched = line if number else ""
        elif header or re.match(rf"\s*(#|{TEXT_KEYS}\s*=)", line):
            searched = ""
        else:
            key = line.find("=") + 1
            searched = " " * key + line[key:].split(" #")[0]
        for figure in FIGURE.finditer(searched):
            for place, sign in enumerate(figure[0], figure.start()):
                if sign.isdecimal():
                    begin = offset + len(line[:place].encode())
                    yield table, "digit", begin, begin + 1, str((int(sign) + 1) % 10)
        offset += len(raw)
