"""A calculation written out: formula, numbers with units, result and source."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import Any

from netmodel._dataclasses import dataclass
from netmodel._html import definition_table
from netmodel._numeric import is_symbol
from netmodel._numpy import np
from netmodel._recording import Operand, Step
from netmodel._terminal import fitted, known_width
from netmodel._text import listed
from netmodel.ceilings import LineCeiling, MessageCeiling
from netmodel.errors import DomainError
from netmodel.symbolic._dimensions import dimension, unit_of_argument, unit_of_result
from netmodel.symbolic._docstrings import documentation
from netmodel.symbolic._formulas import Formula, Function, formula_of
from netmodel.symbolic._latex import symbol_of
from netmodel.symbolic._reasons import reason_of
from netmodel.symbolic._record import read_number, record
from netmodel.symbolic._written import Latex, Text, Written, latex_number, number_text

_LONGEST = 70
"""Characters of a line; a formula that is longer has its parts on lines of their own."""
_SHORTEST = 30
"""Of a part that is used twice and has a line of its own."""
_WIDTH, _NARROWEST = 98, 40
"""Columns of the text: what a page of the documentation shows, and what is left behind a name."""
_UNITARY = frozenset({"negative", "absolute"})
"""Operations that need no line of their own."""


@dataclass(frozen=True)
class Given:
    """
    An argument of an explained calculation.

    Parameters
    ----------
    name : str
        Name.
    value : object
        Number in base units, or what is no quantity.
    text : str
        The same with its unit.
    is_default : bool
        Whether it was left out.
    """

    name: str
    value: Any
    text: str
    is_default: bool


@dataclass(frozen=True)
class Line:
    """
    One line of a calculation.

    Parameters
    ----------
    name : str
        What is computed: a result, or a part such as ``[1]``.
    formula : str
        With names.
    numbers : str
        With numbers and units.
    value : float
        Result in base units.
    text : str
        Result with its unit.
    latex : str
        The whole line as LaTeX, for an ``aligned`` environment.
    """

    name: str
    formula: str
    numbers: str
    value: float
    text: str
    latex: str


@dataclass(frozen=True)
class Explanation:
    """
    A calculation with its numbers filled in.

    Parameters
    ----------
    name : str
        Dotted name of the formula.
    summary : str
        What it computes.
    given : tuple of Given
        Arguments.
    lines : tuple of Line
        The calculation, the result last.
    conditions : tuple of str
        Which case of the formula holds, where it has several.
    source : str
        Documents and places.

    Examples
    --------
    >>> from netmodel.symbolic import explain
    >>> explanation = explain("framing.wire_bytes", packet_bytes=1500)
    >>> explanation.value, explanation.lines[-1].numbers
    (1538.0, '20 B + max(64 B, 1500 B + 14 B + 4 B)')
    """

    name: str
    summary: str
    given: tuple[Given, ...]
    lines: tuple[Line, ...]
    conditions: tuple[str, ...]
    source: str

    @property
    def value(self) -> float:
        """The result in base units."""
        return self.lines[-1].value

    @property
    def text(self) -> str:
        """The calculation as plain text."""
        return self.text_within(known_width() or _WIDTH)

    def text_within(self, columns: int) -> str:
        """The calculation as plain text, wrapped to a number of columns."""
        names = [each.name for each in self.given]
        width = max(map(len, names), default=0)
        rows = [
            f"  {each.name:{width}}  {each.text}{' (default)' if each.is_default else ''}"
            for each in self.given
        ]
        parts = [_wrapped("", f"{self.name}: {self.summary}", columns)]
        if rows:
            parts.append("\n".join(["Given", *rows]))
        parts.append("\n".join(["Calculation", *self._calculation(columns)]))
        if self.conditions:
            cases = (_wrapped("  ", each, columns) for each in self.conditions)
            parts.append("\n".join(["Case", *cases]))
        if self.source:
            parts.append(_wrapped("", f"Source: {self.source}", columns))
        return "\n\n".join(parts)

    def _calculation(self, columns: int) -> Iterator[str]:
        for line in self.lines:
            indent = " " * (len(line.name) + 2)
            yield _wrapped(f"  {line.name} = ", line.formula, columns)
            last = line.formula
            for each in (line.numbers, line.text):
                if each != last:
                    yield _wrapped(f"{indent} = ", each, columns)
                last = each

    @property
    def latex(self) -> str:
        """The calculation as LaTeX, without the delimiters of a formula."""
        body = " \\\\\n".join(each.latex for each in self.lines)
        return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values in base units, as in the JSON of ``netmodel explain``."""
        return {
            "formula": self.name,
            "summary": self.summary,
            "arguments": {
                each.name: each.value if isinstance(each.value, int | float) else str(each.value)
                for each in self.given
            },
            "lines": [
                {
                    "name": each.name,
                    "formula": each.formula,
                    "numbers": each.numbers,
                    "value": each.value,
                    "text": each.text,
                }
                for each in self.lines
            ],
            "conditions": list(self.conditions),
            "value": self.value,
            "source": self.source,
        }

    def __str__(self) -> str:
        return fitted(self.text)

    def __repr__(self) -> str:
        return f"<Explanation {self.lines[-1].name} = {self.lines[-1].text}>"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex}$"

    def _repr_html_(self) -> str:
        rows = [
            *(
                (each.name, each.text + (" (default)" if each.is_default else ""))
                for each in self.given
            ),
            *((each.name, f"{each.formula} = {each.numbers} = {each.text}") for each in self.lines),
            *(("case", each) for each in self.conditions),
            ("source", self.source),
        ]
        return definition_table(f"{self.name}: {self.summary}", rows)


def _wrapped(start: str, text: str, columns: int) -> str:
    """A text behind its start, broken between words, but not between a number and its unit."""
    kept = re.sub(r"(?<=\d) (?=[a-zA-Zµ])", "\xa0", text)
    lines = wrap(
        kept,
        max(columns - len(start), _NARROWEST),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return (start + f"\n{' ' * len(start)}".join(lines)).replace("\xa0", " ")


def explain(
    formula: "Function | str | LineCeiling | MessageCeiling", **arguments: object
) -> Explanation:
    r"""
    A calculation step by step, with the numbers filled in.

    Parameters
    ----------
    formula : callable, str, LineCeiling or MessageCeiling
        As in :func:`~netmodel.symbolic.expression`, with one result; or the
        ceiling of a line, which is explained header by header.
    **arguments : object
        Arguments of the formula: numbers, or text with a unit.

    Returns
    -------
    explanation : Explanation
        Arguments, formula, substitution, result and source; as text, LaTeX and
        plain values.

    Raises
    ------
    DomainError
        If an argument is missing or outside its domain, or the formula has no
        symbolic form.
    UnitError
        If a text is no quantity of the argument.
    UnknownFormulaError
        If no formula has this name.
    ContradictionError
        If the formula has no such argument.

    Notes
    -----
    The lines follow from the definition of the formula, called once with
    quantities that record what is done to them. A part that is used twice, or
    is long, has a line of its own: ``[1]``, ``[2]``.

    References
    ----------
    RFC 6349, section 4.1.1, for the ceiling of a line.

    Examples
    --------
    >>> from netmodel.symbolic import explain
    >>> print(explain("ceilings.wire_time_s", wire_bytes=1538, line_rate_bps="25 Gbit/s"))
    ceilings.wire_time_s: Time that a frame or message holds the line.
    <BLANKLINE>
    Given
      line_rate_bps  25 Gbit/s
      wire_bytes     1538 B
    <BLANKLINE>
    Calculation
      wire_time_s = 8 bit/B · wire_bytes / line_rate_bps
                  = 8 bit/B · 1538 B / 25 Gbit/s
                  = 492.16 ns
    <BLANKLINE>
    Source: RFC 6349, section 4.1.1.
    """
    if isinstance(formula, LineCeiling | MessageCeiling):
        return _of_ceiling(formula)
    found = formula_of(formula)
    reason = reason_of(found)
    if reason is not None:
        raise DomainError(f"{found.name} cannot be explained: {reason}")
    if found.short_name == "line_ceiling":
        asked = _read(found, arguments)
        message_bytes = asked.pop("message_bytes", None)
        _arguments(found, asked)
        ceiling = found.function(**asked)
        return _of_ceiling(ceiling if message_bytes is None else ceiling.message(message_bytes))
    given = _arguments(found, _read(found, arguments))
    numbers = {each.name: each.value for each in given}
    result = found.function(**numbers)
    recorded = record(found, numbers)
    if not recorded.is_single:
        raise DomainError(f"{found.name} has several results: explain the formula of one of them")
    values = [float(numbers[name]) for name in recorded.names]
    written = Written(recorded, values)
    if (
        written.faults
    ):  # the dimensions fit only where a factor is 8 bit/byte, or another of its kind
        written = Written(recorded, values, converts=True)
    (operand,) = recorded.results.values()
    lines = _lines(found, written, operand, float(result))
    documented = documentation(found.function)
    return Explanation(
        found.name,
        documented.summary,
        tuple(given),
        tuple(lines),
        tuple(_conditions(written, operand)),
        documented.references.replace("``", ""),
    )


def _read(formula: Formula, arguments: Mapping[str, object]) -> dict[str, Any]:
    """Arguments as numbers, stacks and members."""
    return {
        name: read_number(name, value) if formula.takes_symbols(name) else value
        for name, value in formula.given(arguments).items()
    }


def _arguments(formula: Formula, given: Mapping[str, Any]) -> list[Given]:
    """All arguments of a call; DomainError where one is missing or no number."""
    lacking = [
        name
        for name, parameter in formula.parameters.items()
        if given.get(name) is None and parameter.default is parameter.empty
    ]
    if lacking:
        raise DomainError(f"{formula.name} needs {listed(lacking)} too")
    for name, value in given.items():
        is_one = np.ndim(value) == 0 and not is_symbol(value) and value is not ...
        if formula.takes_symbols(name) and not is_one:
            raise DomainError(f"{name} must be one number to explain {formula.name}; got {value!r}")
    known = [
        (name, given.get(name, parameter.default), name not in given)
        for name, parameter in formula.parameters.items()
    ]
    return [
        Given(name, value, _text_of(formula, name, value), is_default)
        for name, value, is_default in known
        if value is not None
    ]


def _text_of(formula: Formula, name: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(getattr(value, "value", value))
    return number_text(float(value), dimension(unit_of_argument(formula, name)))


def _lines(formula: Formula, written: Written, operand: Operand, result: float) -> Iterator[Line]:
    """Parts that are used twice or are long, and the result."""
    labels: dict[int, str] = {}
    uses = Counter(_used(written, operand))
    for place in sorted(uses):
        step = written.step(place)
        if step is None or place == operand or step.operation in _UNITARY | {"where"}:
            continue
        text = Text(written, with_numbers=False, lines=labels).line(place)
        if len(text) > (_LONGEST if uses[place] == 1 else _SHORTEST):
            labels[place] = f"[{len(labels) + 1}]"
            yield _line(written, labels, place, labels[place])
    unit = unit_of_result(formula, formula.short_name)
    yield _line(written, labels, operand, formula.short_name, number_text(result, dimension(unit)))


def _line(
    written: Written, labels: Mapping[int, str], operand: Operand, name: str, text: str = ""
) -> Line:
    # the labels of parts that come later are not there yet
    known = {place: label for place, label in labels.items() if place != operand}
    value = float(written.value(operand))
    text = text or number_text(value, written.shown(operand))
    formula = Text(written, with_numbers=False, lines=known).of(operand)
    numbers = Text(written, with_numbers=True, lines=known).of(operand)
    of_names = Latex(written, with_numbers=False, lines=known).of(operand)
    of_numbers = Latex(written, with_numbers=True, lines=known).of(operand)
    left = f"y_{{{name[1:-1]}}}" if name.startswith("[") else symbol_of(name)
    return Line(name, formula, numbers, value, text, _aligned(left, of_names, of_numbers, text))


def _aligned(left: str, *sides: str) -> str:
    *formulas, result = sides
    return " \\\\\n".join(
        [
            f"{left} &= {formulas[0]}",
            *(f"&= {each}" for each in (*formulas[1:], latex_number(result))),
        ]
    )


def _used(written: Written, operand: Operand) -> Iterator[int]:
    """Places that a formula shows, each as often as it is shown; of a choice what is chosen."""
    seen: set[int] = set()

    def below(each: Operand) -> Iterator[int]:
        step = written.step(each)
        if step is None:
            return
        assert isinstance(each, int)
        yield each
        if each not in seen:
            seen.add(each)
            for inner in _shown(written, step):
                yield from below(inner)

    return below(operand)


def _shown(written: Written, step: Step) -> tuple[Operand, ...]:
    """Operands of a step as they are written."""
    if step.operation == "where":
        return (written.chosen(step),)
    inner = written.step(step.operands[0])
    if step.operation == "negative" and inner and inner.operation in {"maximum", "ceil"}:
        return inner.operands
    return step.operands


def _conditions(written: Written, operand: Operand) -> Iterator[str]:
    """Which branch each choice takes, and why."""
    writer = Text(written, with_numbers=False, lines={})
    with_numbers = Text(written, with_numbers=True, lines={})
    for place in sorted(set(_used(written, operand))):
        step = written.step(place)
        if step is not None and step.operation == "where":
            condition = step.operands[0]
            holds = "" if written.value(condition) else "not "
            yield f"{holds}{writer.of(condition)}: {with_numbers.of(condition)}"


def _of_ceiling(ceiling: "LineCeiling | MessageCeiling") -> Explanation:
    """The ceiling of a line as a sum of headers, and what remains for the payload."""
    stack = ceiling.stack
    given: tuple[Given, ...] = (
        Given("line_rate_bps", ceiling.line_rate_bps, _of("bit/s", ceiling.line_rate_bps), False),
        Given("mtu_bytes", ceiling.mtu_bytes, _of("byte", ceiling.mtu_bytes), False),
        Given("stack", stack, str(stack), False),
    )
    if isinstance(ceiling, MessageCeiling):
        size = ceiling.message_bytes
        given = (*given, Given("message_bytes", size, _of("byte", size), False))
        lines = (*_message_lines(ceiling),)
        summary = "What a line carries in messages of one size, each sent by itself."
    else:
        lines = (*_frame_lines(ceiling),)
        summary = "What a line carries when every packet is full."
    name = "ceilings.line_ceiling"
    source = documentation(formula_of(name).function).references
    return Explanation(name, summary, given, lines, (), source)


def _of(unit: str, value: float) -> str:
    return number_text(float(value), dimension(unit))


def _frame_lines(ceiling: LineCeiling) -> Iterator[Line]:
    rate = ceiling.line_rate_bps
    payload, wire = float(ceiling.payload_bytes), float(ceiling.wire_bytes)
    around = [each for each in ceiling.parts if each.name != "payload"]
    yield _hand_line(
        "overhead_bytes",
        " + ".join(each.name for each in around),
        " + ".join(_of("byte", each.bytes) for each in around),
        (wire - payload, "byte"),
        " + ".join(rf"\mathrm{{{each.name.replace('_', chr(92) + ',')}}}" for each in around),
    )
    inside = _inner_headers(ceiling)
    if inside:
        yield _hand_line(
            "payload_bytes",
            f"mtu_bytes − ({' + '.join(inside)})",
            f"{_of('byte', ceiling.mtu_bytes)} − "
            f"({' + '.join(_of('byte', each) for each in inside.values())})",
            (payload, "byte"),
            r"\mathrm{MTU} - \left("
            + " + ".join(rf"\mathrm{{{each}}}" for each in inside)
            + r"\right)",
        )
    else:
        yield _hand_line(
            "payload_bytes",
            "wire_bytes − overhead_bytes",
            f"{_of('byte', wire)} − {_of('byte', wire - payload)}",
            (payload, "byte"),
            "W - O",
        )
    yield _hand_line(
        "efficiency_ratio",
        "payload_bytes / (payload_bytes + overhead_bytes)",
        f"{_of('byte', payload)} / ({_of('byte', payload)} + {_of('byte', wire - payload)})",
        (ceiling.efficiency_ratio, ""),
        r"\frac{D}{D + O}",
    )
    yield _hand_line(
        "frame_rate_fps",
        "line_rate_bps / (8 · (payload_bytes + overhead_bytes))",
        f"{_of('bit/s', rate)} / (8 bit/B · {_of('byte', wire)})",
        (ceiling.frame_rate_fps, "frame/s"),
        r"\frac{R_\mathrm{line}}{8 \left(D + O\right)}",
    )
    yield _hand_line(
        "payload_rate_bps",
        "line_rate_bps · efficiency_ratio",
        f"{_of('bit/s', rate)} · {_of('', ceiling.efficiency_ratio)}",
        (ceiling.payload_rate_bps, "bit/s"),
        r"R_\mathrm{line} \, \eta",
    )


def _inner_headers(ceiling: LineCeiling) -> dict[str, float]:
    """Headers between the MTU and the payload, by layer; none where they depend on the payload."""
    layers = ceiling.stack.inner_layers
    if ceiling.stack.record_layers or any(each.is_stepped for each in layers):
        return {}
    names = Counter(each.protocol for each in layers)
    if max(names.values()) > 1 or ceiling.mtu_bytes - sum(each.fixed_bytes for each in layers) != (
        ceiling.payload_bytes
    ):
        return {}
    return {each.protocol: float(each.fixed_bytes) for each in layers}


def _message_lines(ceiling: MessageCeiling) -> Iterator[Line]:
    wire = float(ceiling.wire_bytes)
    of_wire = explain(
        "framing.Stack.message_wire_bytes",
        stack=ceiling.stack,
        message_bytes=ceiling.message_bytes,
        mtu_bytes=ceiling.mtu_bytes,
    )
    yield from of_wire.lines
    yield _hand_line(
        "payload_rate_bps",
        "line_rate_bps · message_bytes / message_wire_bytes",
        f"{_of('bit/s', ceiling.line_rate_bps)} · {_of('byte', ceiling.message_bytes)} / "
        f"{_of('byte', wire)}",
        (ceiling.payload_rate_bps, "bit/s"),
        rf"\frac{{R_\mathrm{{line}} n}}{{{symbol_of('message_wire_bytes')}}}",
    )


def _hand_line(name: str, formula: str, numbers: str, result: tuple[float, str], tex: str) -> Line:
    value, unit = result
    text = number_text(float(value), dimension(unit))
    if unit == "frame/s":
        text = f"{value:,.1f} frame/s"
    return Line(name, formula, numbers, float(value), text, _aligned(symbol_of(name), tex, text))
