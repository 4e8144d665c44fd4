"""
The interpreter of what statements declare in ``computed``: one rule after the other.

It knows rules, units and the statements that records hold, and no document: what a statement is
computed from is data. A declaration that makes no sense is a `ParseError` that names the file, the
statement and the key; a sound one whose conditions are not met raises `NotComputable`.
"""

import importlib
import inspect
import operator
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import reduce
from itertools import product
from math import inf, isinf, isnan
from typing import Any, NoReturn, TypeAlias

from netmodel.ceilings import LineCeiling, line_ceiling
from netmodel.errors import NetmodelError, ParseError, UnitError, UnknownRecordError
from netmodel.framing import Hop, MtuFate, PathMtu, parse_stack
from netmodel.framing.layers._internet import MIN_IPV4_MTU_BYTES
from netmodel.judging._evidence._amounts import (
    NUMBER,
    PERCENT,
    POINTS,
    Amount,
    Computed,
    base_unit,
    in_words_of,
)
from netmodel.judging._evidence._predictions import (
    RATIO_DIGITS,
    NotComputable,
    OverPath,
    Sources,
    over_distance,
    predicted,
    steered,
)
from netmodel.records import (
    Relation,
    Statement,
    Value,
    dataset,
    host,
    link,
    statement,
    statements,
    workload,
)
from netmodel.records import _rules as rules
from netmodel.records._figures import with_unit
from netmodel.records._load import unknown_record, validated
from netmodel.records._statements import statement_file
from netmodel.records._subjects import Change, Configuration
from netmodel.records._tables import Table
from netmodel.tuning import encode_rps_mask, pages_per_packet_count
from netmodel.tuning._buffers import PAGE_BYTES
from netmodel.units import split_quantity
from netmodel.units._prefixes import KILO

Ends: TypeAlias = tuple[float, float]

FORMULA_PACKAGES = ("ceilings", "concurrency", "consumption", "transport", "tuning")
_UNIT_OF_WORD = {
    "bytes": "byte",
    "bps": "bit/s",
    "s": "s",
    "m": "m",
    "ratio": NUMBER,
    "count": NUMBER,
}
"""Base units by the words that end names of functions, parameters and parts of statements."""
_BASE_UNITS = frozenset(_UNIT_OF_WORD.values())
"""A printed unit that comes to none of them is a letter, such as the K of 32K."""
_BELOW_RATIO = 1 - 1e-8
"""What an end that is not reached is taken times: less, by less than any figure is printed to."""
_OPERATIONS: Mapping[str, tuple[Callable[[float, float], float], str]] = {
    "add": (operator.add, "plus"),
    "subtract": (operator.sub, "minus"),
    "multiply": (operator.mul, "times"),
    "divide": (operator.truediv, "over"),
}
_CASE_WORDS = {"workload": "", "mtu_bytes": "MTU "}
_RECORDS: Mapping[str, Callable[[str], Any]] = {"host": host, "link": link, "workload": workload}


def computed(about: Statement, sources: Sources) -> Computed:
    """
    What a statement is computed to be, in its own unit.

    Raises
    ------
    NotComputable
        If the conditions of a rule are not met.
    ParseError
        If the declaration makes no sense.
    """
    if about.computed is None:
        raise NotComputable("no computation is declared")
    run = _Run(about, sources)
    amount = run.amount(about.computed, "computed")
    try:
        result = in_words_of(about, amount)
    except UnitError as error:
        run.fail("computed", str(error))
    return replace(
        result,
        inputs=tuple(run.inputs),
        record_inputs=tuple(run.record_inputs),
        cells=tuple(run.cells),
        taken_by=run.taken_by,
        is_restated=bool(run.are_restated) and all(run.are_restated),
    )


def printed_amount(
    about: Statement, other: Statement, rule: rules.Figure, sources: Sources
) -> Amount:
    """
    The figure of another statement, to compare with this one; of a change its ratio.

    Raises
    ------
    ParseError
        If it prints no figure, or a change that is no ratio.
    """
    return _Run(about, sources).printed(other, rule, "repeats")


def implied(about: Statement, sources: Sources) -> list[str]:
    """What follows from a statement that is not modelled, in words."""
    run = _Run(about, sources)
    return [
        run.implication(implication, f"implies.{i}") for i, implication in enumerate(about.implies)
    ]


@dataclass
class _Run:
    """One statement being computed; `varied` are parts of its subject that cases replace."""

    about: Statement
    sources: Sources
    varied: Mapping[str, Any] = field(default_factory=dict)
    inputs: dict[str, None] = field(default_factory=dict)
    record_inputs: dict[str, None] = field(default_factory=dict)
    cells: dict[str, None] = field(default_factory=dict)
    are_restated: list[bool] = field(default_factory=list)
    taken_by: str = ""

    def fail(self, place: str, problem: str) -> NoReturn:
        raise ParseError(self.file, f"statements ({self.about.id}).{place}: {problem}")

    @property
    def file(self) -> str:
        return statement_file(self.about.id)

    @property
    def subject(self) -> Configuration:
        return self.about.subject.model_copy(update=dict(self.varied))

    def amount(self, rule: rules.Computation, place: str) -> Amount:
        """The amount that a rule makes, with the reason that it was given in data."""
        try:
            made = self._amount(rule, place)
        except (NotComputable, ParseError):
            raise
        except (NetmodelError, ArithmeticError, ValueError) as error:
            self.fail(place, str(error))
        if isnan(made.low) or isnan(made.high):
            self.fail(place, "comes to no number")
        return replace(made, text=f"{made.text}; {rule.because}") if rule.because else made

    def _amount(self, rule: rules.Computation, place: str) -> Amount:
        match rule:
            case rules.Constant():
                return _constant(rule.value)
            case rules.Figure():
                return self._figure(rule, place)
            case rules.Record():
                return self._of_record(rule, place)
            case rules.Distinct():
                return self._distinct(rule, place)
            case rules.Arithmetic():
                return self._arithmetic(rule, place)
            case rules.Ratio():
                return self._ratio(rule, place)
            case rules.Members():
                return self._members(rule, place)
            case rules.Frame():
                return self._frame(rule, place)
            case rules.Ceiling():
                return self._ceiling(rule, place)
            case rules.Frames():
                return self._frames(rule, place)
            case rules.Pages():
                return self._pages(rule, place)
            case rules.PathMtu():
                return self._path_mtu(rule, place)
            case rules.OneFrame():
                return self._one_frame()
            case rules.Formula():
                return self._formula(rule, place)
            case rules.Path():
                return self._path(rule, place)
            case rules.Steering():
                return self._change(steered(self.about, self.subject, self.sources))
            case rules.Transports():
                return self._change(over_distance(self.about, self.subject, self.sources))
            case rules.Cells():
                return self._cells(rule, place)
            case rules.Reading():
                return self._reading(rule, place)
            case rules.Range():
                return self._range(rule, place)
            case rules.Cases():
                return self._cases(rule, place)

    # ---- figures of statements and records

    def _figure(self, rule: rules.Figure, place: str) -> Amount:
        source = self._input(rule.statement, f"{place}.statement") if rule.statement else self.about
        for name in rule.also:
            again = self._input(name, f"{place}.also")
            if (again.value, again.unit) != (source.value, source.unit):
                self.fail(f"{place}.also", f"{name} prints {again.claim}, not {source.claim}")
        if rule.field != "value":
            return self._part(source, rule, place)
        return self.printed(source, rule, place)

    def printed(self, source: Statement, rule: rules.Figure, place: str) -> Amount:
        """The figure of a statement; of a change its ratio."""
        ends: tuple[Decimal | None, Decimal | None] | None = source.interval
        if rule.reading == "printed":
            ends = (source.low, source.high) if source.value is None else (source.value,) * 2
        elif rule.reading == "rounded" and source.value is not None:
            ends = source.model_copy(update={"relation": Relation.EQUAL}).interval
        if ends is None or None in ends or source.unit is None:
            self.fail(place, f"{source.id} prints no figure")
        low, high = (float(end) for end in ends if end is not None)
        text = f"{source.claim} ({source.id})"
        if source.change is Change.FACTOR:
            return Amount(low, high, NUMBER, text)
        if source.change is not None:
            if source.unit != PERCENT:
                self.fail(
                    place, f"the change of {source.id} is in {source.unit}, not a factor or %"
                )
            sign = -1 if source.change is Change.LESS else 1
            low, high = sorted(1 + sign * end / 100 for end in (low, high))
            return Amount(low, high, NUMBER, text)
        base, scale = base_unit(rule.unit or source.unit)
        read = f", read as {rule.unit}" if rule.unit else ""
        return Amount(low * scale, high * scale, base, f"{text}{read}")

    def _part(self, source: Statement, rule: rules.Figure, place: str) -> Amount:
        part, _, name = rule.field.partition(".")
        if part == "given":
            value = source.given.get(name)
        elif part in ("subject", "baseline"):
            config = self.subject if source is self.about and part == "subject" else None
            value = getattr(config or getattr(source, part), name, None)
        else:
            value = None
        if isinstance(value, tuple) and len(value) == 1:
            (value,) = value
        if value is None or isinstance(value, bool | tuple):
            self.fail(f"{place}.field", f"{source.id} has no single figure {rule.field!r}")
        if isinstance(value, str):
            amount = _constant(value)
        elif name.endswith("_km"):
            metres = float(value) * KILO
            amount = _exactly(metres, "m", f"{value} km")
        else:
            base, scale = (
                base_unit(rule.unit) if rule.unit else (_unit_of_name(name) or NUMBER, 1.0)
            )
            amount = _exactly(float(value) * scale, base, with_unit(str(value), rule.unit or base))
        whose = "" if source is self.about else f" ({source.id})"
        return replace(amount, text=f"{amount.text}{whose}")

    def _input(self, name: str, place: str) -> Statement:
        """Another statement, which is an input from now on."""
        source = self._other(name, place)
        self.inputs[name] = None
        return source

    def _other(self, name: str, place: str) -> Statement:
        try:
            source = statement(name)
        except UnknownRecordError as error:
            self.fail(place, str(error))
        if source.id == self.about.id:
            self.fail(place, "a statement is not computed from itself")
        return source

    def _distinct(self, rule: rules.Distinct, place: str) -> Amount:
        if rule.dataset is not None:
            table = self._table(rule.dataset, str(rule.table), place)
            chosen = _rows(table, rule.where, rule.of)
            values = dict.fromkeys(chosen.text(rule.of))
            whose = f"{rule.table} of {rule.dataset}"
        else:
            values = {}
            for each in statements(self.about.source):
                wanted = all(
                    any(str(each.subject.part(name)) == str(value) for value in some)
                    for name, some in rule.where.items()
                )
                # The count itself may name what it counts.
                if wanted and each.id != self.about.id:
                    both = (each.subject, each.baseline)
                    named = (side.part(rule.of) for side in both if side is not None)
                    values |= dict.fromkeys(str(part) for part in named if part is not None)
            whose = f"the statements of {self.about.source}"
        if not values:
            self.fail(f"{place}.of", f"{whose} have no {rule.of}")
        return _exactly(len(values), NUMBER, f"{rule.of} in {whose}: {', '.join(values)}")

    def _table(self, name: str, file: str, place: str) -> Table:
        tables = dataset(name).tables
        if file not in tables:
            self.fail(f"{place}.table", str(unknown_record("table", file, tables)))
        return tables[file]

    def _of_record(self, rule: rules.Record, place: str) -> Amount:
        records = {**_RECORDS, "adapter": self.sources.adapter}
        value = records[rule.kind](rule.id)
        cited = value
        for name in rule.field.split("."):
            cited, value = value, getattr(value, name, None)
        places = {
            (getattr(each, "source", None), getattr(each, "locator", None))
            for each in (cited, value)
        }
        is_same_place = (self.about.source, self.about.locator) in places
        if is_same_place and place == "computed":
            self.taken_by = f"{rule.field} of {rule.id}"
        if isinstance(value, tuple) and value and self.about.value is not None:
            printed = float(self.about.value)
            nearest = min(value, key=lambda number: abs(number - printed))
            text = f"{rule.field} of {rule.id}, {_listed(value)}"
            return _exactly(float(nearest), _unit_of_name(rule.field) or NUMBER, text)
        if isinstance(value, Value):
            base, scale = base_unit(value.unit)
            ends = [float(end) * scale for end in value.interval or ()]
            # Exact unless the record says otherwise: its rounding is that of the record's maker.
            if value.value is not None and value.relation is Relation.EQUAL:
                ends = [float(value.value) * scale] * 2
            text = f"{rule.field} of {rule.id}, {value} ({value.source})"
            return Amount(ends[0], ends[1], base, text)
        if not isinstance(value, int | float) or isinstance(value, bool):
            self.fail(f"{place}.field", f"{rule.kind} {rule.id} has no figure {rule.field!r}")
        unit = _unit_of_name(rule.field) or NUMBER
        return _exactly(float(value), unit, f"{rule.field} {value} of {rule.id}")

    # ---- arithmetic

    def _arithmetic(self, rule: rules.Arithmetic, place: str) -> Amount:
        parts = [self.amount(operand, f"{place}.of.{i}") for i, operand in enumerate(rule.of)]
        operation, word = _OPERATIONS[rule.operation]
        units = [part.unit for part in parts]
        if rule.operation in ("add", "subtract"):
            if len(set(units)) != 1:
                self.fail(place, f"{rule.operation} takes one unit; got {' and '.join(units)}")
            unit = POINTS if units[0] == PERCENT and rule.operation == "subtract" else units[0]
        elif rule.operation == "divide" and units[1:] == units[:1]:
            unit = NUMBER
        else:
            named = [unit for unit in units if unit != NUMBER]
            is_inverse = rule.operation == "divide" and named != units[:1]
            if len(named) > 1 or (named and is_inverse):
                self.fail(place, f"{rule.operation} of {' and '.join(units)} has no unit here")
            unit = named[0] if named else NUMBER
        ends = [(part.low, part.high) for part in parts]
        results = [reduce(operation, corner) for corner in product(*ends)]
        return Amount(min(results), max(results), unit, f" {word} ".join(p.text for p in parts))

    def _ratio(self, rule: rules.Ratio, place: str) -> Amount:
        first, second = self.amount(rule.of, f"{place}.of"), self.amount(rule.over, f"{place}.over")
        if first.unit != second.unit:
            self.fail(place, f"a ratio takes one unit; got {first.unit} and {second.unit}")
        low, high = first.low / second.high, first.high / second.low
        if isinstance(rule.of, rules.Path) and isinstance(rule.over, rules.Path):
            low, high = round(low, RATIO_DIGITS), round(high, RATIO_DIGITS)
            # A claim of a difference without workload or connections is about those that
            # adapters or lines limit.
            subject, change = self.about.subject, self.about.change
            is_named = subject.all_workloads and (subject.connection_counts or subject.direction)
            is_pair = subject.sender_adapter is not None and subject.receiver_adapter is not None
            is_difference = self.about.relation is Relation.SIGN and change is not Change.SAME
            is_unspecific = is_difference and not (is_named or is_pair)
            if is_unspecific and rule.of.path is None and low <= 1 <= high:
                raise NotComputable(
                    "needs service times of hosts: names no connection counts; at many, line or "
                    "adapter limit both, at few, hosts may"
                )
        return Amount(low, high, NUMBER, f"{first.text} over {second.text}")

    def _members(self, rule: rules.Members, place: str) -> Amount:
        part, _, name = rule.of.partition(".")
        members = self.about.given.get(name) if part == "given" else None
        if not isinstance(members, tuple):
            self.fail(f"{place}.of", f"{rule.of!r} is not a list of this statement")
        if rule.rule == "count":
            span = f": {members[0]} to {members[-1]}" if members else ""
            return _exactly(len(members), NUMBER, f"{name} listed{span}")
        if not all(isinstance(cpu, Decimal) and cpu == int(cpu) for cpu in members):
            self.fail(f"{place}.of", f"{rule.of} are no CPU numbers")
        mask = int(encode_rps_mask(map(int, members)).replace(",", ""), 16)  # hexadecimal
        listed = " ".join(map(str, members)) or "none"
        return _exactly(
            mask, NUMBER, f"one bit for each CPU listed ({listed}), {mask:#x} or {mask:#b}"
        )

    def _reading(self, rule: rules.Reading, place: str) -> Amount:
        amount = self.amount(rule.of, f"{place}.of")
        own, own_scale = base_unit(self.about.unit or NUMBER)
        is_letter = own not in _BASE_UNITS
        if self.about.value is None:
            self.fail(place, "the statement prints no single figure whose unit could be read")
        readings = []
        for name in rule.units:
            base, size = base_unit(name)
            if base != amount.unit or not (own == amount.unit or is_letter):
                self.fail(f"{place}.units", f"{amount.unit} is not read in {name}")
            readings.append((abs(amount.low / size - float(self.about.value)), size, name))
        _, size, name = min(readings)
        scale = own_scale / size
        text = f"{amount.text}, in {name}"
        unit = own if is_letter else amount.unit
        return replace(
            amount, low=amount.low * scale, high=amount.high * scale, unit=unit, text=text
        )

    def _range(self, rule: rules.Range, place: str) -> Amount:
        low = self.amount(rule.low, f"{place}.low")
        high = None if rule.high is None else self.amount(rule.high, f"{place}.high")
        if high is None:
            return Amount(low.low, inf, low.unit, f"{low.text} or more")
        if high.unit != low.unit:
            self.fail(place, f"a range takes one unit; got {low.unit} and {high.unit}")
        if high.high < low.low:
            self.fail(place, f"low must not exceed high; got {low.low:g} and {high.high:g}")
        ends = low.low, high.high
        text = low.text if rule.low == rule.high else f"{low.text} to {high.text}"
        if rule.reaches_high:
            return Amount(*ends, low.unit, text)
        below = ends[1] * _BELOW_RATIO
        return Amount(ends[0], below, low.unit, text, shown=ends)

    # ---- frames and lines

    def _mtu_bytes(self, rule: rules.Computation | None, place: str) -> int:
        if rule is None:
            if self.subject.mtu_bytes is None:
                raise NotComputable("names no MTU, which decides what a line carries")
            return self.subject.mtu_bytes
        return self._whole(self.amount(rule, f"{place}.mtu_bytes"), "byte", f"{place}.mtu_bytes")

    def _whole(self, amount: Amount, unit: str, place: str) -> int:
        is_whole = amount.low == amount.high == int(amount.low)
        if amount.unit not in (unit, NUMBER) or not is_whole:
            self.fail(place, f"must be a whole number of {unit}; got {amount.text}")
        return int(amount.low)

    def _line(self, rate_bps: float, rule: Any, place: str) -> LineCeiling:
        return line_ceiling(
            rate_bps, self._mtu_bytes(rule.mtu_bytes, place), parse_stack(rule.headers)
        )

    def _frame(self, rule: rules.Frame, place: str) -> Amount:
        line = self._line(1.0, rule, place)
        sums = {
            "payload": line.payload_bytes,
            "overhead": line.overhead_bytes,
            "frame": line.wire_bytes,
        }
        text = f"{rule.part} of a full frame at MTU {line.mtu_bytes} ({rule.headers})"
        if rule.part == "efficiency":
            return _exactly(line.efficiency_ratio, NUMBER, text)
        sizes = {**{part.name: part.bytes for part in line.parts}, **sums}
        if rule.part not in sizes:
            unknown = unknown_record("part of a frame", rule.part, [*sizes, "efficiency"])
            self.fail(f"{place}.part", str(unknown))
        return _exactly(sizes[rule.part], "byte", text)

    def _ceiling(self, rule: rules.Ceiling, place: str) -> Amount:
        if rule.line_rate is not None:
            rate = self.amount(rule.line_rate, f"{place}.line_rate")
        elif self.subject.line_rate is not None:
            rate = _constant(self.subject.line_rate)
        else:
            raise NotComputable("names no line rate, of which headers leave a payload rate")
        if rate.unit != "bit/s":
            self.fail(f"{place}.line_rate", f"must be a rate; got {rate.text}")
        line = self._line(rate.low, rule, place)
        text = f"payload ceiling of a line of {rate.text} at MTU {line.mtu_bytes}"
        return _exactly(line.payload_rate_bps, "bit/s", text)

    def _frames(self, rule: rules.Frames, place: str) -> Amount:
        size = self._whole(self.amount(rule.of, f"{place}.of"), "byte", f"{place}.of")
        line = self._line(1.0, rule, place)
        count = line.message(size).frame_count
        frames = f"{count} frame{'s' * (count != 1)}"
        return _exactly(count, NUMBER, f"{frames} for {size} byte at MTU {line.mtu_bytes}")

    def _pages(self, rule: rules.Pages, place: str) -> Amount:
        size = self._whole(self.amount(rule.of, f"{place}.of"), "byte", f"{place}.of")
        page_bytes: int = PAGE_BYTES
        if rule.page_bytes is not None:
            place = f"{place}.page_bytes"
            page_bytes = self._whole(self.amount(rule.page_bytes, place), "byte", place)
        count = float(pages_per_packet_count(size, page_bytes))
        return _exactly(count, NUMBER, f"pages of {page_bytes} byte for a packet of {size} byte")

    def _path_mtu(self, rule: rules.PathMtu, place: str) -> Amount:
        where = f"{place}.sender_mtu_bytes"
        sender = self._whole(self.amount(rule.sender_mtu_bytes, where), "byte", where)
        mtus = [
            self._whole(self.amount(operand, f"{place}.hops.{i}"), "byte", f"{place}.hops.{i}")
            for i, operand in enumerate(rule.hops)
        ]
        path = self._hops(mtus, is_silent=rule.silent)
        outcome = path.outcome(sender)
        silent = ", which drop larger packets silently" if rule.silent else ""
        text = f"a sender with MTU {sender} over hops with {_listed(tuple(mtus))}{silent}"
        match rule.part:
            case "path_mtu":
                return _exactly(min(sender, path.mtu_bytes), "byte", f"path MTU of {text}")
            case "packet":
                return _exactly(outcome.packet_bytes, "byte", f"packets of {text}")
            case "carried":
                carried = outcome.fate is not MtuFate.STALLS
                return _exactly(float(carried), NUMBER, f"full packets of {text}: {outcome.reason}")

        def passes(last: int) -> bool:
            hops = self._hops([*mtus[:-1], last], is_silent=rule.silent)
            return hops.outcome(sender).fate is MtuFate.PASSES

        possible = range(MIN_IPV4_MTU_BYTES, sender + 1)
        needed = bisect_left(possible, True, key=passes)  # a larger MTU passes what a smaller does
        if needed == len(possible):
            self.fail(f"{place}.hops", f"no MTU of the last hop lets packets of {sender} byte pass")
        text = f"smallest MTU of the last hop that passes all of {text}"
        return _exactly(possible[needed], "byte", text)

    @staticmethod
    def _hops(mtus: Sequence[int], *, is_silent: bool) -> PathMtu:
        return PathMtu(
            Hop(f"hop {number}", mtu, sends_too_big=not is_silent)
            for number, mtu in enumerate(mtus, start=1)
        )

    def _one_frame(self) -> Amount:
        subject, baseline = self.about.subject, self.about.baseline
        if subject.workload is None or subject.mtu_bytes is None:
            raise NotComputable("names no workload or no MTU, so that its frames are not known")
        others = baseline.model_dump(exclude_defaults=True) if baseline is not None else {}
        if set(others) != {"mtu_bytes"}:
            raise NotComputable("compares more than two MTUs")
        load = workload(subject.workload)
        smaller = min(subject.mtu_bytes, others["mtu_bytes"])
        payload_bytes = line_ceiling(1.0, smaller).payload_bytes
        if load.is_stream or max(load.request_bytes, load.response_bytes) > payload_bytes:
            raise NotComputable("needs a CPU model of hosts: takes more frames at the smaller MTU")
        text = (
            f"request and response of {load.request_bytes} and {load.response_bytes} byte are one "
            f"frame each, which carries {payload_bytes:.0f} byte at MTU {smaller}"
        )
        return _exactly(1.0, NUMBER, text)

    # ---- formulas, paths and tables

    def _formula(self, rule: rules.Formula, place: str) -> Amount:
        package, _, name = rule.name.partition(".")
        if package not in FORMULA_PACKAGES:
            unknown = unknown_record("package of formulas", package, FORMULA_PACKAGES)
            self.fail(f"{place}.name", str(unknown))
        module = importlib.import_module(f"netmodel.{package}")
        function = getattr(module, name, None) if name in module.__all__ else None
        if not inspect.isfunction(function):
            public = [name for name in module.__all__ if inspect.isfunction(getattr(module, name))]
            self.fail(f"{place}.name", str(unknown_record("formula", name, public)))
        given = {
            key: self.amount(operand, f"{place}.arguments.{key}")
            for key, operand in rule.arguments.items()
        }
        try:
            inspect.signature(function).bind(**given)
        except TypeError as error:
            self.fail(f"{place}.arguments", f"{name}(): {error}")
        for key, amount in given.items():
            wanted = _unit_of_name(key)
            if wanted is not None and amount.unit != wanted:
                self.fail(f"{place}.arguments.{key}", f"must be in {wanted}; got {amount.unit}")
            if isinf(amount.low) or isinf(amount.high):
                self.fail(
                    f"{place}.arguments.{key}", 'is open at one end; take reading = "printed"'
                )
        # Formulas rise or fall with each argument, so the ends are among the corners.
        corners = product(*({amount.low, amount.high} for amount in given.values()))
        results = [function(**dict(zip(given, corner, strict=True))) for corner in corners]
        unit = _unit_of_name(name)
        if unit is None or not all(isinstance(number, int | float) for number in results):
            self.fail(f"{place}.name", f"{name} does not make a single number of a known unit")
        arguments = ", ".join(f"{key} = {amount.text}" for key, amount in given.items())
        return Amount(min(results), max(results), unit, f"{name}({arguments})")

    def _path(self, rule: rules.Path, place: str) -> Amount:
        if rule.side == "baseline" and self.about.baseline is None:
            self.fail(f"{place}.side", "this statement has no baseline")
        mtu = None if rule.mtu_bytes is None else self._mtu_bytes(rule.mtu_bytes, place)
        rate = predicted(rule, self.about, self.subject, mtu, self.sources)
        self.record_inputs |= dict.fromkeys(rate.statements)
        self.cells |= dict.fromkeys(rate.cells)
        self.are_restated.append(rate.is_restated)
        unit = "s" if rule.quantity == "transaction_time" else "bit/s"
        unit = NUMBER if rule.rule == "line_share" else unit
        return Amount(rate.low, rate.high, unit, rate.text)

    def _change(self, change: OverPath) -> Amount:
        """What a record says that a change makes of the quantity, with the inputs of the record."""
        self.record_inputs |= dict.fromkeys(change.statements)
        self.are_restated.append(change.is_restated)
        return Amount(change.low, change.high, NUMBER, change.text)

    def _cells(self, rule: rules.Cells, place: str) -> Amount:
        table = self._table(rule.dataset, rule.table, place)
        base, scale = base_unit(table.column(rule.column).unit or "")
        chosen = _rows(table, rule.where, rule.column)
        where = ", ".join(f"{name} {_listed(values)}" for name, values in rule.where.items())
        if chosen.row_count == 0:
            self.fail(f"{place}.where", f"no cell of {rule.dataset}/{rule.table} has {where}")
        figures = scale * chosen.numbers(rule.column)
        if rule.minus:
            return self._differences(rule, place, table, chosen, where)
        margins = scale * chosen.half_widths(rule.column)
        shown = float(figures.min()), float(figures.max())
        if rule.gain == "less":
            figures = -figures
        # Rounding may favour a claim of "more" or "less" at every cell.
        loose = float((figures + margins).min()), float((figures - margins).max())
        ends = float(figures.min()), float(figures.max())
        text = _cells_text(len(figures), rule, where)
        self.cells[text] = None
        return Amount(*ends, base, text, every=True, loose=loose, shown=shown)

    def _differences(
        self, rule: rules.Cells, place: str, table: Table, chosen: Table, where: str
    ) -> Amount:
        """Each cell less its partner, which has the same keys and the values of minus."""
        base, scale = base_unit(table.column(rule.column).unit or "")
        for name in rule.keys:
            table.column(name)  # an unknown column is an error that names similar ones
        minus = {name: (value,) for name, value in rule.minus.items()}
        figures, partners = (
            {
                tuple(cells[name] for name in rule.keys): scale * float(cells[rule.column])
                for cells in rows.rows()
            }
            for rows in (chosen, _rows(table, {**rule.where, **minus}, rule.column))
        )
        differences = [figures[key] - partners[key] for key in figures if key in partners]
        less = ", ".join(f"{name} {value}" for name, value in rule.minus.items())
        if not differences:
            self.fail(f"{place}.minus", f"no cell has {less} and the same {' '.join(rule.keys)}")
        if len(figures) != chosen.row_count:
            self.fail(f"{place}.keys", "are the same in several rows; add columns")
        text = _cells_text(len(differences), rule, f"{where}, less {less}")
        self.cells[text] = None
        unit = POINTS if base == PERCENT else base
        return Amount(min(differences), max(differences), unit, text, every=len(differences) > 1)

    # ---- several cases

    def _cases(self, rule: rules.Cases, place: str) -> Amount:
        if rule.names and len(rule.names) != len(rule.of):
            self.fail(f"{place}.names", f"must be {len(rule.of)}, one for each rule")
        cases: list[Amount] = []
        for values in product(*rule.vary.values()):
            varied = {
                name: (value,) if name == "connection_counts" else value
                for name, value in zip(rule.vary, values, strict=True)
            }
            validated(
                self.file, Configuration, varied, (f"statements ({self.about.id})", place, "vary")
            )
            case = replace(self, varied={**self.varied, **varied})
            label = " at ".join(
                f"{_CASE_WORDS.get(name, name.replace('_', ' ') + ' ')}{value}"
                for name, value in zip(rule.vary, values, strict=True)
            )
            for i, operand in enumerate(rule.of):
                amount = case.amount(
                    operand, f"{place}.of.{i}" if len(rule.of) > 1 else f"{place}.of"
                )
                text = f"{label}: {amount.text}" if label else amount.text
                cases.append(replace(amount, text=text))
        units = {amount.unit for amount in cases}
        if len(units) != 1:
            self.fail(place, f"cases take one unit; got {' and '.join(sorted(units))}")
        return self._all_of(cases, rule.names)

    def _all_of(self, cases: list[Amount], names: tuple[str, ...]) -> Amount:
        text = "; ".join(case.text for case in cases)
        hull = min(case.low for case in cases), max(case.high for case in cases)
        unit = cases[0].unit
        if any(case.every for case in cases):
            loose = [case.loose or (case.low, case.high) for case in cases]
            ends = min(low for low, _ in loose), max(high for _, high in loose)
            caption = ", ".join(
                f"{_span(case.shown or (case.low, case.high))} {unit} {name}"
                for case, name in zip(cases, names, strict=False)
            )
            return Amount(*hull, unit, text, True, ends, caption=caption)
        # Of one case the interval; of several what all of them have in common, unless a
        # difference without a figure is claimed, which has to be allowed from end to end.
        is_sign = self.about.relation is Relation.SIGN and self.about.change is not Change.SAME
        if is_sign or len(cases) == 1:
            return Amount(*hull, unit, text)
        shared = max(case.low for case in cases), min(case.high for case in cases)
        return Amount(*shared, unit, text, shown=hull)

    def implication(self, implied: rules.Implication, place: str) -> str:
        amount = self.amount(implied.value, f"{place}.value")
        base, factor = base_unit(implied.unit)
        if base != amount.unit:
            self.fail(f"{place}.unit", f"the value is in {amount.unit}, not in {implied.unit}")
        ends = sorted({f"{end / factor:.3g}" for end in (amount.low, amount.high)}, key=float)
        figure = " to ".join(ends)
        return implied.text.replace(
            "{}", figure if implied.unit == NUMBER else f"{figure} {implied.unit}"
        )


def _constant(value: Decimal | str) -> Amount:
    number, unit = split_quantity(value) if isinstance(value, str) else (value, NUMBER)
    base, scale = base_unit(unit or NUMBER)
    return _exactly(float(number) * scale, base, str(value))


def _exactly(value: float, unit: str, text: str) -> Amount:
    return Amount(value, value, unit, text)


def _unit_of_name(name: str) -> str | None:
    """Base unit that a name says, such as ``_bytes``; None where it says none."""
    *others, last = [word for word in name.split("_") if word in (*_UNIT_OF_WORD, "per")] or [""]
    return None if "per" in others[-1:] and last == "s" else _UNIT_OF_WORD.get(last)


def _rows(table: Table, where: Mapping[str, tuple[Any, ...]], column: str) -> Table:
    """Rows whose cells are any of those wanted, and that print a figure in the column."""
    kept = set(table.row_numbers) - set(table.where(**{column: None}).row_numbers)
    for name, values in where.items():
        kept &= {row for value in values for row in table.where(**{name: value}).row_numbers}
    rows = [i for i, number in enumerate(table.row_numbers) if number in kept]
    return replace(
        table,
        cells=tuple(table.cells[i] for i in rows),
        row_numbers=tuple(table.row_numbers[i] for i in rows),
    )


def _cells_text(count: int, rule: rules.Cells, where: str) -> str:
    cells = f"{count} {rule.table}" if count > 1 else f"a cell of {rule.table}"
    return f"{cells} of {rule.dataset} ({where})"


def _listed(values: tuple[Any, ...]) -> str:
    return " ".join(map(str, values))


def _span(ends: Ends) -> str:
    return f"{ends[0]:g} to {ends[1]:g}"
