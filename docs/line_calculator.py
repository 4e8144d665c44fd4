"""
The line calculator: its formulas as JavaScript, and its layers as data, both from the library.

The formulas of a line, a message and a transaction are called with SymPy symbols in place of
numbers, and what they return is printed as JavaScript. What they require of their arguments is
noted on the way, so that the page refuses what the library refuses, with the same words. A stack
of unknown layers is a stack of four zones, whose sizes are functions of the page; those are made
of the library's functions over layers, called with one layer and the rest.

As a Sphinx extension this module writes `FILE` and `EXAMPLE` before the documents are read. As a
script it writes them at once: ``python docs/line_calculator.py``.
"""

import json
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import sympy
from calculator_layers import data
from sympy import Max, Min
from sympy.printing.jscode import JavascriptCodePrinter

from netmodel import numeric
from netmodel.ceilings import LineCeiling
from netmodel.ceilings._line import _ceiling
from netmodel.framing import (
    LAYER_FORMS,
    Layer,
    Level,
    Stack,
    nesting,
)
from netmodel.framing.stack import _ROCE, _STREAMS

FILE = Path("_static/calculator/formulas.js")
"""In the folder of the documents, beside the script that a person wrote."""
EXAMPLE = FILE.with_name("example.txt")
SCRIPTS = (FILE.name, "calculator.js", "page.js")
"""In the order in which they need each other."""
_RELATIONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "above": operator.gt,
    "at least": operator.ge,
    "at most": operator.le,
    "below": operator.lt,
}


def _number(name: str) -> sympy.Symbol:
    return sympy.Symbol(name, nonnegative=True)


def _count(name: str) -> sympy.Symbol:
    """A number that the library takes from 1 on, which is a check of its own."""
    return sympy.Symbol(name, positive=True)


def _call(function: str, *arguments: Any) -> sympy.Expr:
    """A call of a function of the page."""
    return sympy.Function(function, nonnegative=True)(*arguments)


# Layers and stacks of symbols


class _Layers(Layer):
    """
    Layers, or one layer, that only the page knows.

    Parameters
    ----------
    place : str
        Where the page has them.
    one : bool
        Whether it is one layer.
    """

    is_stepped = True  # type: ignore[assignment]
    pads_up_to_mtu = True

    def __init__(self, place: str, *, one: bool = False) -> None:
        fields = {"_symbol": sympy.Symbol(place), "_of": "layer_" if one else ""}
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def _call(self, function: str, *arguments: Any) -> sympy.Expr:
        return _call(self._of + function, self._symbol, *arguments)

    def size_bytes(self, content_bytes: Any, mtu_bytes: Any) -> Any:
        return self._call("size_bytes", content_bytes, mtu_bytes)

    def padding_bytes(self, content_bytes: Any, mtu_bytes: Any) -> Any:
        if self._of:
            return self._call("padding_bytes", content_bytes, mtu_bytes)
        return self._call("padding_bytes", content_bytes)

    def room_bytes(self, size_bytes: Any) -> Any:
        return self._call("room_bytes", size_bytes)

    def mean_content_bytes(self, size_bytes: Any) -> Any:
        return self._call("mean_content_bytes", size_bytes)

    @property
    def fixed_bytes(self) -> Any:
        return self._attribute("fixed_bytes")

    @property
    def minimum_content_bytes(self) -> Any:
        return self._attribute("smallest_content_bytes", "minimum_content_bytes")

    @property
    def minimum_mtu_bytes(self) -> Any:
        return _number("stack.own_minimum_mtu_bytes")

    message_header_bytes = message_trailer_bytes = cdc_message_bytes = 0

    def _attribute(self, of_layers: str, of_one: str = "") -> Any:
        if self._of:
            return _number(f"{self._symbol}.{of_one or of_layers}")
        return self._call(of_layers)


class _OfRdma(_Layers):
    """Layers of which one has more in the first packet of a message, or in the last."""

    message_header_bytes = property(lambda self: _number("stack.message_header_bytes"))
    message_trailer_bytes = property(lambda self: _number("stack.message_trailer_bytes"))


class _OfSmcr(_OfRdma):
    """Layers of which one, that of SMC-R, sends a message of its own after each message."""

    cdc_message_bytes = LAYER_FORMS["smcr"].make().cdc_message_bytes


class _OneLayer(Layer):
    """A layer without padding or records, whose lengths the page knows."""

    def __init__(self, protocol: str, place: str) -> None:
        super().__init__(protocol, Level.INTERNET, (), frozenset())
        for name in ("fixed_bytes", "header_bytes", "fragment_header_bytes", "minimum_mtu_bytes"):
            object.__setattr__(self, name, _number(f"{place}.{name}"))


class _Family(Enum):
    """Stacks whose messages the library treats alike."""

    UNIT = "unit"
    """Each message begins a segment."""
    UNSPLIT = "unsplit"
    """The same, and a message is one segment at most."""
    STREAM = "stream"
    """Messages may share segments."""
    DATAGRAM = "datagram"
    """IPv4 splits a message that is too long for a packet."""
    DATAGRAM_OVER_IPV6 = "datagram over IPv6"
    RDMA = "rdma"
    """The first packet of a message has a header more."""
    SMCR = "smcr"
    """The same, and a message of the protocol follows each message."""


class _Stack(Stack):
    """A stack of a family, of which only the page knows the layers."""

    def __init__(self, family: _Family, inner: str = "stack.inner") -> None:
        of_inner = {_Family.RDMA: _OfRdma, _Family.SMCR: _OfSmcr}.get(family, _Layers)
        inner_layers: tuple[Layer, ...] = (of_inner(inner),)
        if family in {_Family.DATAGRAM, _Family.DATAGRAM_OVER_IPV6}:
            ip = "ipv4" if family is _Family.DATAGRAM else "ipv6"
            inner_layers = (_OneLayer(ip, f"{inner}[0]"), _OneLayer("udp", f"{inner}[1]"))
        protocols = {
            _Family.UNIT: ("",),
            _Family.STREAM: (min(_STREAMS), ""),
            _Family.RDMA: (min(_ROCE),),
            _Family.SMCR: (min(_ROCE),),
        }.get(family, ("udp",))
        fields: dict[str, Any] = {
            "layers": (),
            "protocols": protocols,
            "link_layers": (_Layers("stack.link"),),
            "tunnel_layers": (_Layers("stack.tunnel"),),
            "inner_layers": inner_layers,
            "record_layers": (_Layers("stack.records"),) if family is _Family.STREAM else (),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __hash__(self) -> int:
        return id(self)

    @cached_property
    def _acknowledging(self) -> Stack:
        """The layers as far as the one that acknowledges."""
        stack = _Stack(_Family.UNIT, "stack.acknowledging")
        content = SimpleNamespace(acknowledgement_bytes=_number("stack.acknowledgement_bytes"))
        object.__setattr__(stack, "layers", (content,))
        return stack


class _Line(LineCeiling):
    """A line whose frame the page puts together."""

    parts = ()


def _layer_of_kind(kind: str) -> Layer:
    """A layer of a kind, whose lengths the page knows."""
    lengths = {
        name: _number(f"layer.{name}")
        for name in {
            "records": ("record_bytes", "block_bytes"),
            "plain": (),
            "blocks": ("block_bytes", "padded_trailer_bytes"),
            "blocks up to the MTU": ("block_bytes", "padded_trailer_bytes"),
        }[kind]
    }
    layer = Layer("", Level.LINK, (), frozenset(), pads_up_to_mtu=kind.endswith("MTU"), **lengths)
    object.__setattr__(layer, "fixed_bytes", _number("layer.fixed_bytes"))
    return layer


# Formulas as JavaScript


@dataclass(frozen=True)
class _Check:
    """What a formula requires of a quantity."""

    name: str
    value: Any
    relation: str
    limit: Any
    unit: str


@contextmanager
def _noted_checks() -> Iterator[list[_Check]]:
    """Call formulas with symbols, and note what they require of those that are arguments."""
    checks: list[_Check] = []
    require = numeric._require

    def note(name: str, value: Any, relation: str, limit: Any, unit: str) -> Any:
        # the rest follows from what is required of the arguments
        is_asked = isinstance(value, sympy.Symbol) or name == "outer_packet_bytes"
        surely = isinstance(limit, int) and _RELATIONS[relation](value, limit) == True  # noqa: E712
        check = _Check(name, value, relation, limit, unit)
        if is_asked and not surely and check not in checks:
            checks.append(check)
        return require(name, value, relation, limit, unit)

    with (
        patch.object(numeric, "_require", note),
        patch.object(sympy, "Max", _larger),
        patch.object(sympy, "Min", lambda first, second: -_larger(-first, -second)),
        patch.object(sympy, "ceiling", _ceiling_of),
        patch.object(sympy, "floor", lambda value: -_ceiling_of(-value)),
    ):
        yield checks


def _larger(first: Any, second: Any) -> sympy.Expr:
    """The larger as it stands: whether one is always larger takes SymPy seconds to find out."""
    both = [sympy.sympify(first), sympy.sympify(second)]
    if all(each.could_extract_minus_sign() for each in both):
        return -Min(*(-each for each in both), evaluate=False)
    return Max(*both, evaluate=False)


class _CeilingOfQuotient(sympy.Function):  # type: ignore[misc]
    """
    The ceiling of a numerator over a denominator.

    Only one rounded division gives the right whole number: that by a common factor 1/denominator,
    which SymPy would make of several quotients, rounds twice.
    """


def _ceiling_of(value: sympy.Expr) -> sympy.Expr:
    return _CeilingOfQuotient(*sympy.fraction(value))


class _Printer(JavascriptCodePrinter):
    """Calls of functions of the page as they stand; a fraction only where it is exact."""

    def _print_Rational(self, fraction: sympy.Rational) -> str:  # noqa: N802
        if fraction.q & (fraction.q - 1):
            raise ValueError(f"1/{fraction.q} is not exact in binary; divide by a symbol")
        return str(super()._print_Rational(fraction))

    def _print__CeilingOfQuotient(self, quotient: sympy.Expr) -> str:  # noqa: N802
        numerator, denominator = quotient.args
        if denominator == 1:
            return f"Math.ceil({self._print(numerator)})"
        over = sympy.Mul(numerator, sympy.Pow(denominator, -1), evaluate=False)
        return f"Math.ceil({self._print(over)})"


_PRINTER = _Printer({"allow_unknown_functions": True})


def _function(
    arguments: Sequence[str], result: object, checks: Sequence[_Check] = (), before: str = ""
) -> str:
    """Parameters and body of a function that requires and returns something."""
    flat: list[sympy.Expr] = [
        sympy.sympify(each) for check in checks for each in (check.value, check.limit)
    ]
    checked = len(flat)
    shape = _flattened(result, flat)
    replacements, reduced = sympy.cse(flat, symbols=sympy.numbered_symbols("x", start=1))
    lines = [f"const {name} = {_PRINTER.doprint(value)};" for name, value in replacements]
    printed = [_PRINTER.doprint(each) for each in reduced]
    for check, value, limit in zip(checks, printed[:checked:2], printed[1:checked:2], strict=True):
        field = check.value if isinstance(check.value, sympy.Symbol) else check.name
        lines.append(
            f'require("{field}", "{check.name}", {value}, "{check.relation}", {limit}, '
            f'"{check.unit}");'
        )
    returned = _filled(shape, iter(printed[checked:]))
    lines.append(f"return {returned};")
    body = "\n".join(f"    {line}" for line in ([before] if before else []) + lines)
    return f"({', '.join(arguments)}) {{\n{body}\n  }}"


def _flattened(result: Any, into: list[sympy.Expr]) -> Any:
    """The keys of a result, whose values go into a list."""
    if isinstance(result, dict):
        return {name: _flattened(value, into) for name, value in result.items()}
    if result is None:
        return "null"
    into.append(sympy.sympify(result))
    return None


def _filled(shape: Any, printed: Iterator[str]) -> str:
    if isinstance(shape, dict):
        return f"{{{', '.join(f'{name}: {_filled(one, printed)}' for name, one in shape.items())}}}"
    return shape or next(printed)


def _layer_functions(kind: str) -> dict[str, str]:
    """The formulas of a layer."""
    layer = _layer_of_kind(kind)
    content, size, mtu = map(_number, ("content_bytes", "around_bytes", "mtu_bytes"))
    around = ("layer", "content_bytes", "mtu_bytes")
    functions = {
        "size_bytes": _function(around, layer.size_bytes(content, mtu)),
        "padding_bytes": _function(around, layer.padding_bytes(content, mtu)),
        "room_bytes": _function(("layer", "around_bytes"), layer.room_bytes(size)),
        "record_count": _function(("layer", "content_bytes"), layer.record_count(content)),
    }
    if kind == "records":
        mean = layer.mean_content_bytes(size)
        functions["mean_content_bytes"] = _function(("layer", "around_bytes"), mean)
    return functions


def _nesting_functions() -> Iterator[str]:
    """The formulas of nested layers, as those of the first one and of the rest."""
    content, size, mtu = map(_number, ("content_bytes", "around_bytes", "mtu_bytes"))
    nested: dict[str, tuple[Callable[..., Any], tuple[sympy.Symbol, ...]]] = {
        "size_bytes": (nesting.size_bytes, (content, mtu)),
        "padding_bytes": (nesting.padding_bytes, (content,)),
        "room_bytes": (nesting.room_bytes, (size,)),
        "mean_content_bytes": (nesting.mean_content_bytes, (size,)),
        "fixed_bytes": (nesting.fixed_bytes, ()),
        "smallest_content_bytes": (nesting.smallest_content_bytes, ()),
    }
    for name, (formula, arguments) in nested.items():
        of_none = _PRINTER.doprint(sympy.sympify(formula((), *arguments)))
        of_some = formula((_Layers("layer", one=True), _Layers("rest")), *arguments)
        split = f"if (!layers.length) return {of_none};\n    const [layer, ...rest] = layers;"
        yield f"function {name}" + _function(
            ("layers", *map(str, arguments)), of_some, before=split
        ).replace("\n  }", "\n}").replace("\n    ", "\n  ")


def _stack_functions(family: _Family) -> dict[str, str]:
    """The formulas of a line, a message and a transaction over a stack."""
    stack = _Stack(family)
    rate, mtu = map(_number, ("line_rate_bps", "mtu_bytes"))
    line = _Line(rate, mtu, stack)  # type: ignore[arg-type]
    message, request, response, per_ack = map(
        _count, ("message_bytes", "request_bytes", "response_bytes", "segments_per_ack")
    )
    of_line = ("stack", "line_rate_bps", "mtu_bytes")
    functions = {}
    with _noted_checks() as checks:
        numeric.require_above("line_rate_bps", rate, 0, "bit/s")
        _ceiling.__wrapped__(rate, mtu, stack)
        result = line.to_dict()
        del result["parts"]
        for name in ("segment_bytes", "packet_bytes", "outer_packet_bytes"):
            result[name] = getattr(line, name)
        functions["line"] = _function(of_line, result, checks)
    asked: Mapping[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
        "message": (lambda: line.message(message).to_dict(), ("message_bytes",)),
        "transaction": (
            lambda: line.transaction(request, response).to_dict(),
            ("request_bytes", "response_bytes"),
        ),
        "acknowledged_transaction": (
            lambda: line.transaction(request, response, per_ack).to_dict(),
            ("request_bytes", "response_bytes", "segments_per_ack"),
        ),
        "acknowledged": (
            lambda: {"acknowledged_payload_rate_bps": line.acknowledged_payload_rate_bps(per_ack)},
            ("segments_per_ack",),
        ),
    }
    for name, (ask, arguments) in asked.items():
        with _noted_checks() as more:
            result = ask()
        of_these = [check for check in more if check not in checks]
        functions[name] = _function((*of_line, *arguments), result, of_these)
    return functions


def script() -> str:
    """The file as a whole: functions, and data about layers."""
    with _noted_checks():
        return _script()


def _script() -> str:
    kinds = ",\n".join(
        f'"{kind}": {_methods(_layer_functions(kind))}'
        for kind in ("plain", "blocks", "blocks up to the MTU", "records")
    )
    families = ",\n".join(
        f'"{family.value}": {_methods(_stack_functions(family))}' for family in _Family
    )
    return _FRAME % {
        "kinds": kinds,
        "nested": "\n".join(_nesting_functions()),
        "families": families,
        "data": json.dumps(data(), indent=None, sort_keys=False, ensure_ascii=False),
    }


def _methods(functions: Mapping[str, str]) -> str:
    return "{\n" + ",\n".join(f"  {name}{text}" for name, text in functions.items()) + "\n}"


_FRAME = """\
// Written by docs/line_calculator.py from the formulas and layers of netmodel: change those.
"use strict";
const netmodelLine = (() => {
const DATA = %(data)s;

class Refusal extends Error {
  constructor(field, message) { super(message); this.field = field; }
}
const RELATIONS = {
  "above": (value, limit) => value > limit,
  "at least": (value, limit) => value >= limit,
  "at most": (value, limit) => value <= limit,
  "below": (value, limit) => value < limit
};
function worded(text, words) {
  return text.replace(/\\{(\\w+)\\}/g, (whole, name) => name in words ? words[name] : whole);
}
function require(field, name, value, relation, limit, unit) {
  if (RELATIONS[relation](value, limit)) return;
  throw new Refusal(field, worded(DATA.refusals.limit, {name, relation, limit, unit, value}));
}

// formulas of one layer
const KINDS = {
%(kinds)s
};
const layer_size_bytes = (layer, ...given) => KINDS[layer.kind].size_bytes(layer, ...given);
const layer_padding_bytes = (layer, ...given) => KINDS[layer.kind].padding_bytes(layer, ...given);
const layer_room_bytes = (layer, ...given) => KINDS[layer.kind].room_bytes(layer, ...given);
const layer_record_count = (layer, ...given) => KINDS[layer.kind].record_count(layer, ...given);
const layer_mean_content_bytes = (layer, ...given) =>
  KINDS[layer.kind].mean_content_bytes(layer, ...given);

// formulas of nested layers
%(nested)s

// formulas of a line, its messages and transactions, by the family of the stack
const FAMILIES = {
%(families)s
};

return {DATA, FAMILIES, Refusal, worded, layer_size_bytes, layer_padding_bytes, layer_record_count,
  layer_mean_content_bytes};
})();
"""


def example() -> str:
    """What the page shows where no script runs: a command, and what it prints."""
    from click.testing import CliRunner

    from netmodel.cli import main

    arguments = ["ceiling", "--line-rate", "25Gbit/s", "--mtu", "1500"]
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    return f"$ netmodel {' '.join(arguments)}\n{result.output}"


def write(directory: Path) -> None:
    """Write the files below a folder of documents, unless they are there already."""
    for file, text in ((FILE, script()), (EXAMPLE, example())):
        target = directory / file
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_text("utf-8") != text:
            target.write_text(text, "utf-8")


def _add_files(app: Any, page: str, *_: object) -> None:
    if page == "calculator":
        app.add_css_file("calculator/calculator.css")
        for script in SCRIPTS:
            app.add_js_file(f"calculator/{script}", loading_method="defer")


def setup(app: Any) -> dict[str, bool]:
    """Write the script before Sphinx copies static files, and load it on the page alone."""
    app.connect("builder-inited", lambda app: write(Path(app.srcdir)))
    app.connect("html-page-context", _add_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    write(Path(__file__).parent)
