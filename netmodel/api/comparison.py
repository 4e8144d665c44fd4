"""One case against another: ratios that documents print, else those of two predictions."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import shorten
from typing import Any, Literal

from netmodel.api import arguments
from netmodel.api._questions import predict
from netmodel.api.arguments import Case, Condition, given_case
from netmodel.consumption import Side
from netmodel.errors import ContradictionError, DomainError, NetmodelError, UnknownRecordError
from netmodel.estimates import Bound
from netmodel.framing.presets import LINK_MTU_BYTES
from netmodel.published import Answer, comparison
from netmodel.published.rows import IN_ORDER, USUAL_CASE, change_of, said_once, words_of
from netmodel.records import workload as workload_of
from netmodel.records.transports import transport_records
from netmodel.terminal import Column, Shown
from netmodel.text import range_text

_OF_THE_VARIANT = frozenset({"window", "loss", "protocol"})
"""Conditions of a variant that the baseline has only where it names them too."""
_RATES = ("transaction_time", "throughput", "transaction_rate")
_COSTS = ("cpu_consumption", "cpu_time_per_transaction", "cpu_efficiency", "cpu_time")
_OTHERS = ("cpu_utilisation", "drop_count", "buffer_memory", "queue_length")
_WITHOUT_METRIC = "performance"
"""Faster or slower, and not in which quantity: a row only where nothing else is printed."""
_ENDS = ("client", "server")
_ARGUMENTS = {key: key for key in ("workload", "path", "connections", "protocol", "km")}
_ARGUMENTS |= {"mtu": "mtu_bytes", "window": "window_bytes", "loss": "loss_ratio"}
"""Arguments of a prediction, by the conditions that they are of."""
_PLACES = {"transaction_time": "transaction_time_s", "throughput": "throughput_bps"}
"""Attributes of what is predicted, by their quantities."""
_NAMES = {"cpu_consumption": "CPU per data", "cpu_time_per_transaction": "CPU per transaction"}
"""Quantities in a sentence, where their names are no words."""
_LEADS = {"side": "for the", **dict.fromkeys(("connections", "km", "mtu"), "at")}
"""Words before a condition in a sentence; before others it is "for"."""
_SAME_RATIO = 0.01
"""Change of two predictions that is none: they are no better."""
_WORD_COUNT = 30
"""Words of the sentence that decides."""
_PLACE = 20
"""Most characters of places in a table: titles of pages are longer, and JSON has them whole."""
_SHOWN_CASES = 3
"""Cases of a quantity that a sentence lists; of more the ends."""


@dataclass(frozen=True)
class Comparison(Shown):
    """
    A variant against a baseline.

    Parameters
    ----------
    baseline, variant : mapping of str to str or number
        Conditions of both cases, whole.
    rows : tuple of Answer
        Ratio of the variant to the baseline for each quantity, side and number of connections:
        status ``printed`` or ``two_figures``, else ``modelled`` (the ratio of two predictions), or
        ``not_published``. What tells rows of a quantity apart is in their `conditions`.
    notes : tuple of str
        The most important first.
    """

    baseline: Case
    variant: Case
    rows: tuple[Answer, ...]
    notes: tuple[str, ...] = ()

    def row(self, quantity: str, **conditions: Condition) -> Answer:
        """
        Return the row of a quantity.

        Parameters
        ----------
        quantity : str
            Such as ``"throughput"`` or ``"cpu_consumption"``.
        **conditions
            Of the row where there are several, such as ``side="server"`` or ``connections=10``.

        Raises
        ------
        UnknownRecordError
            If there is no such row, or there are several; names those that there are.
        """
        of_quantity = [row for row in self.rows if row.quantity == quantity]
        found = [row for row in of_quantity if conditions.items() <= row.conditions.items()]
        if len(found) == 1:
            return found[0]
        names = "; ".join(f"{row.quantity} {words_of(row.conditions)}" for row in self.rows)
        what = f"{quantity} {words_of(conditions)}".rstrip()
        raise UnknownRecordError(f"{len(found) or 'no'} rows of {what}; there are: {names}")

    @property
    def answer(self) -> str:
        """The answer in one sentence: what differs, what both share, what is known to change."""
        shared = {key: x for key, x in self.variant.items() if self.baseline.get(key) == x}
        usual = {k: x for k, x in USUAL_CASE.items() if self.variant.get(k) != self.baseline.get(k)}
        cases = (_without(case, shared) for case in (self.variant, self.baseline))
        first, second = (words_of(case) or words_of(usual) or "the default" for case in cases)
        title = f"{first} against {second}{f' ({words_of(shared)})' if shared else ''}"
        answer, *others = _facts(self.rows, self.variant)
        for fact in others:
            longer = f"{answer}; {fact}"
            if len(f"{title} {longer}".replace(" %", "").split()) <= _WORD_COUNT:
                answer = longer
        return f"{title}: {answer}."

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; the rows are those of the JSON of ``netmodel compare``."""
        cases = {"baseline": dict(self.baseline), "variant": dict(self.variant)}
        rows = [
            {"side": x.conditions.get("side"), "connection_count": x.conditions.get("connections")}
            | x.to_dict()
            | {"conditions": _without(x.conditions, ("side", "connections")), **cases}
            for x in self.rows
        ]
        return {"answer": self.answer, **cases, "rows": rows, "notes": list(self.notes)}

    @property
    def columns(self) -> list[Column]:
        """Cells of the rows that are known, by column."""
        names = {row.quantity for row in self.rows if row.status != "not_published"}
        known = sorted((x for x in self.rows if x.quantity in names), key=lambda x: x.is_converted)
        places = ("; ".join(row.places).replace(" document", "") for row in known)
        cells = {
            "quantity": [_name(row) for row in known],
            "case": [words_of(_without(row.conditions, self.variant)) for row in known],
            "change": [row.change or "not published" for row in known],
            "status": [row.status.replace("_", " ") for row in known],
            "place": [shorten(each, _PLACE, placeholder=" …") for each in places],
        }
        return [Column(name, each, rank=int(name == "status")) for name, each in cells.items()]

    __repr__ = Shown.__str__


@arguments.in_base_units
def compare(
    *,
    baseline: arguments.Conditions | None = None,
    variant: arguments.Conditions | None = None,
    workload: arguments.AWorkload | None = None,
    mtu_bytes: arguments.Size | None = None,
    connections: arguments.Counts | None = None,
    km: arguments.Kilometres | None = None,
    protocol: Literal["tcp", "smc-r"] | None = None,
) -> Comparison:
    """
    Compare two cases: ratios of throughput, transaction time and CPU cost.

    Parameters
    ----------
    baseline : str or mapping
        Case to start from: conditions such as ``"adapter=osa-express6s-10gbe mtu=1500"``, or
        values alone where they are ids (``"osa-express6s-10gbe"``). Names are `adapter` (or
        `client` and `server`), `path`, `layer`, `mtu`, `connections`, `rps`, `km`, `protocol`,
        `window`, `loss`, and the settings of published rows.
    variant : str or mapping, optional
        Conditions that change; what one case does not name is as in the other.
    workload : Workload, str or path, optional
        Messages to exchange: a workload of the catalog, or your own in a ``.toml`` file. Any by
        default.
    mtu_bytes : int or str, optional
        IP MTU of the innermost interface, inside any tunnel; in all cases. [byte]
    connections : int, str or sequence of int, optional
        Connections at the same time; each printed number by default.
    km : float, str or sequence of float, optional
        Distance between the sites, in km of fibre; several give a case for each. [km]
    protocol : {"tcp", "smc-r"}, optional
        Protocol that carries the data of sockets; TCP by default.

    Returns
    -------
    comparison : Comparison
        With a row for each quantity, side and number of connections: the printed ratio, else that
        of two printed figures, else that of two predictions (status ``modelled``), else the
        nearest printed rows, each with what differs.

    Raises
    ------
    UnknownRecordError
        If a name or value is not known; names near ones.
    ContradictionError
        If a condition is given twice.
    DomainError
        If the cases do not differ, or a value cannot be.
    UnitError
        If a number is none.

    Notes
    -----
    A baseline without MTU, beside a variant with one, has the usual 1500 byte; a note says so.

    Examples
    --------
    >>> import netmodel
    >>> result = netmodel.compare(
    ...     baseline="osa-express7s-25gbe", variant="roce-express2.1-25gbe",
    ...     workload="rr1c-200x1000", mtu_bytes=1500, connections=50)
    >>> result.row("transaction_time").value
    0.6
    """
    if (baseline, variant, protocol) == (None, None, "smc-r"):
        baseline, variant, protocol = {"protocol": "tcp"}, {"protocol": "smc-r"}, None
    elif baseline is None or variant is None:
        raise DomainError(arguments.named("give {baseline} and {variant}, or {protocol} smc-r"))
    given = {"workload": getattr(workload, "id", workload), "mtu": mtu_bytes, "protocol": protocol}
    given |= {"km": km, "connections": connections}
    points = [given_case(each) for each in arguments.cases_of(given, ("km", "connections"))]
    varied = {key for own in points for key in own if own[key] != points[0][key]}
    rows, notes = list[Answer](), list[str]()
    for own in points:
        pair = _completed(baseline, variant, own)
        at = {key: own[key] for key in own if key in varied}
        rows += [replace(row, conditions={**at, **row.conditions}) for row in _rows(*pair)]
    first, second = (_without(case, varied) for case in pair)
    if "mtu" not in baseline and first.get("mtu") != second.get("mtu"):
        notes.append(f"baseline without MTU: the usual {LINK_MTU_BYTES} assumed")
    if "protocol" in second and "workload" not in second:
        notes.append(arguments.named("give {workload} and {km} for modelled figures, too"))
    found = Comparison(first, second, tuple(rows))
    notes = [x for x in [*notes, *_notes(rows)] if x.split(": ", 1)[-1] not in found.answer]
    return replace(found, notes=tuple(dict.fromkeys(notes)))


def _completed(baseline: Any, variant: Any, common: Case) -> tuple[Case, Case]:
    """Return both cases whole: what one side does not name is that of the other."""
    for key, value in (*baseline.items(), *variant.items()):
        if common.get(key, value) != value:
            raise ContradictionError(f"{key} is given with a case and for all: leave out one")
    first, second = map(_with_ends, (baseline, variant))
    whole = {**common, **first, **second}
    # a setting of the variant may be all that differs: the baseline then has what is usual
    usual = {"mtu": LINK_MTU_BYTES, **said_once()["usual"]}
    for shared in (_without(second, _OF_THE_VARIANT), _without(usual, {*usual} - {*second})):
        if (start := {**common, **shared, **first}) != whole:
            return start, whole
    raise DomainError("the variant does not differ from the baseline")


def _with_ends(case: Case) -> Case:
    """Return a case with the adapter of both ends at each; of a direction alone as it is."""
    both = dict.fromkeys(_ENDS, case.get("adapter", "")) | _without(case, {"adapter"})
    return both if "adapter" in case and "direction" not in case else case


def _without(case: Mapping[str, Condition], names: Collection[str]) -> Case:
    return {key: value for key, value in case.items() if key not in names}


# ---- rows


def _rows(baseline: Case, variant: Case) -> list[Answer]:
    """Return one row for each quantity, side and number of connections."""
    quantities = (*_RATES, *_COSTS, *_OTHERS, _WITHOUT_METRIC)
    found = [row for row in comparison(variant, baseline, quantities) if _suits(row, variant)]
    rows = list[Answer]()
    for names in (_RATES, _COSTS):
        family = [row for row in found if row.quantity in names]
        best = max(family, key=lambda row: sum(not near.is_converted for near in row.nearest))
        # rates follow from each other, and so do CPU costs: of those the first that is printed
        # itself is taken, else the first that follows; a time stands beside a rate
        cells = dict[Any, Answer]()
        for row in sorted(filter(_is_known, family), key=lambda row: row.is_converted):
            place = row.quantity == "transaction_time", *sorted(row.conditions.items())
            cells.setdefault(place, row)
        printed = [row for row in family if row in cells.values()]
        known = printed or [*_modelled(baseline, variant, family)]
        is_open = not printed and all(row.quantity != best.quantity for row in known)
        rows += [*[best] * is_open, *known]
    others = _OTHERS if any(map(_is_known, rows)) else (*_OTHERS, _WITHOUT_METRIC)
    rows += [row for row in found if row.quantity in others and _is_known(row)]
    return [row for row in rows if row.status != "not_published" or row.nearest] or rows[:1]


def _is_known(row: Answer) -> bool:
    """Return whether documents print the ratio of a row, or both figures."""
    return row.status in {"printed", "two_figures"}


def _suits(row: Answer, variant: Case) -> bool:
    """
    Return whether a row is of a quantity that the workload has.

    A stream has a transaction time only where a client asks for it, and a document prints it. Where
    no workload is known, it may have one that is printed of the case or of a near one.
    """
    name = row.conditions.get("workload", variant.get("workload"))
    load = None if name is None else workload_of(str(name))
    if row.quantity != "transaction_time" or (load and not load.is_stream):
        return True
    is_printed = _is_known(row) and (load is None or load.request is not None)
    return not row.is_converted and (is_printed or (load is None and bool(row.nearest)))


def _modelled(baseline: Case, variant: Case, family: Sequence[Answer]) -> Iterator[Answer]:
    """Yield ratios of expected values, or of bounds of the same kind, in place of open rows."""
    pair = [_prediction(case) for case in (variant, baseline)]
    if None in pair:
        return
    of, limits = {row.quantity: row for row in family}, [str(x.binding) for x in pair]
    expected = [each.expected for each in pair if each.expected]
    known, names = (pair, ["throughput"]) if len(expected) < len(pair) else (expected, [*_PLACES])
    figures = [(name, Case(), [getattr(each, _PLACES[name]) for each in known]) for name in names]
    costs = ((side.value, [each.cpu_us_per_gbit[side] for each in pair]) for side in Side)
    figures += [("cpu_consumption", {"side": side}, each) for side, each in costs]
    for name, own, (first, second) in figures:
        if name not in of or None in (first, second) or first.bound is not second.bound:
            continue
        value, low, high = float(first.value / second.value), None, None
        relation, words, where = "about", "expected values", ""
        if first.bound in (Bound.UPPER, Bound.LOWER):
            refuted = _is_refuted(value, of[name], variant)
            # or lines bound both sides, and no document finds them full at a distance
            if refuted or ("km" in variant and all(limit.startswith("wire") for limit in limits)):
                continue
            relation, words = f"{first.bound.value}_bounds", f"{first.bound.value} bounds"
            where = " and ".join(dict.fromkeys(limits))
        else:
            low, high = float(first.low / second.high), float(first.high / second.low)
            where = f"{low:.3g} to {high:.3g}"
        said = change_of("about" if low else "equal", value, value, 2, _SAME_RATIO)
        found: dict[str, Any] = {"status": "modelled", "relation": relation, "value": value}
        found |= {"low": low, "high": high, "change": f"{said} ({'modelled' if low else words})"}
        found["text"] = f"{value:.3g} times, the ratio of two {words} ({where})"
        found["notes"] = sum((x.notes for x in family if x.places), ()) or of[name].notes
        yield replace(of[name], **found, conditions={**of[name].conditions, **own})


def _is_refuted(value: float, row: Answer, case: Case) -> bool:
    """
    Return whether printed ratios on both sides of a case leave out a value between them.

    They are the nearest below it and above it in connections, or in km, and equal in all else.
    """
    wide = 1 + _SAME_RATIO
    for key in IN_ORDER & case.keys():
        beside = [(y, x.interval) for x in row.nearest if x.differs == (key,) for y in x.of[key]]
        # the nearest row comes first
        sides = {float(y) > float(case[key]): ends for y, ends in reversed(beside)}.values()
        ends = [end for each in sides for end in each]
        if len(sides) == 2 and not min(ends) / wide <= value <= wide * max(ends):
            return True
    return False


def _prediction(case: Case) -> Any:
    """Return the prediction of a case; None where it has a condition that no model reads."""
    others = _without(case, {*_ARGUMENTS, *_ENDS, "side"})
    if "workload" not in case or not others.items() <= USUAL_CASE.items():
        return None
    load = workload_of(str(case["workload"]))
    if "path" not in case and {"km", "protocol"} <= {*case} and not {*_ENDS} & {*case}:
        case = _ends_of(str(case["protocol"]), load.is_stream) | case
    given: dict[str, Any] = {_ARGUMENTS[key]: case[key] for key in case if key in _ARGUMENTS}
    ends = {} if "path" in given else {"sender": load.sender, "receiver": load.sender.other}
    given |= {name: case.get(side.value) for name, side in ends.items()}
    try:
        found = predict(**given)
    except NetmodelError:
        return None  # as where nothing is predicted of a workload without a size
    return None if found.is_unbounded else found


def _ends_of(protocol: str, is_stream: bool) -> Case:
    """Return the adapters and conditions that a protocol over a distance is calibrated for."""
    for record in transport_records():
        for known in record.protocols.values():
            if known.transport.replace("smcr", "smc-r") == protocol:
                counts: Case = {} if is_stream else {"connections": max(record.connection_counts)}
                return {"mtu": known.mtu_bytes, **dict.fromkeys(_ENDS, known.adapter), **counts}
    return {}


# ---- text


def _name(row: Answer) -> str:
    """Return the quantity of a row in words."""
    return _NAMES.get(row.quantity, row.quantity.replace("_", " ").replace("cpu", "CPU"))


def _facts(rows: Sequence[Answer], variant: Case) -> list[str]:
    """Return the known changes, one for each quantity; else the nearest printed one."""
    known = [x for x in rows if _is_known(x) or (x.status, x.relation) == ("modelled", "about")]
    direct = [row for row in known if not row.is_converted] or known
    names = dict.fromkeys(row.quantity for row in direct)
    facts = [_fact([row for row in direct if row.quantity == name], variant) for name in names]
    rest = [x.conditions for x in rows if x.status == "not_published"]
    rest = [x for x in rest if not any(x.items() <= row.conditions.items() for row in known)]
    if facts and (where := " or ".join(dict.fromkeys(map(words_of, rest)))):
        facts[0] += f", not published with {where}"
    if not all(row.quantity.startswith("cpu") for row in known):
        return facts
    why = "predictions not comparable" if "workload" in variant else "models need a workload"
    nearest = {3: f"no document compares them, and {why}"}
    for row in [row for row in rows if not _is_known(row)]:
        figures = (x for x in row.nearest if x.low is not None or x.relation == "same")
        beside = [x for x in figures if IN_ORDER >= {*x.differs}][:2]
        near, at = (beside, "at") if beside else (row.nearest[:1], "with")
        own = [f"{x.change} {at} {words_of({k: x.of.get(k, ()) for k in x.differs})}" for x in near]
        if own:
            nearest.setdefault(0 if beside else 2, f"nearest {_name(row)} {', '.join(own)}")
        if row.status == "modelled" and abs((row.value or 1) - 1) > _SAME_RATIO:
            nearest.setdefault(1, f"{_name(row)} {row.text}")
    return [f"not published; {nearest[min(nearest)]}", *facts]


def _fact(rows: Sequence[Answer], named: Collection[str]) -> str:
    """Return the changes of a quantity with the cases that they are of; of many the ends."""
    is_one, every = len({row.change for row in rows}) == 1 < len(rows), [x.conditions for x in rows]
    cells: dict[str, Answer] = {}
    for row in rows:
        own = _without(row.conditions, named).items()
        varying = {k: x for k, x in own if not rows[1:] or any(y.get(k, x) != x for y in every)}
        lead = _LEADS.get(next(iter(varying), ""), "for")
        where = f" {lead} {words_of(varying)}" if varying and not is_one else ""
        cells.setdefault(row.change + where, row)
    figures = [(text, x) for text, x in cells.items() if x.relation not in {"more", "less"}]
    sizes = [(x.value or sum((x.low or 1, x.high or 1)) / 2, text) for text, x in figures]
    if len(cells) > _SHOWN_CASES and len(sizes) > 1:
        some = f"{figures[0][1].change} in {len(figures)} of {len(cells)} cases"
        ends = range_text(min(sizes)[1], max(sizes)[1])
        return f"{_name(rows[0])} {some if len({x.change for _, x in figures}) == 1 else ends}"
    return f"{_name(rows[0])} {', '.join(cells)}"


def _notes(rows: Sequence[Answer]) -> Iterator[str]:
    """Yield notes on the rows: caveats, other rows about the case, what to measure."""
    yield from (f"{_name(row)} is doubtful: {row.doubt}" for row in rows if row.doubt)
    direct, caveats = [row for row in rows if not row.is_converted], dict[str, str]()
    for row in direct:
        # of a printed figure behind its place
        text = row.text.partition("); ")[2] if row.status == "printed" else row.text
        caveats.setdefault(text * (row.status != "not_published"), _name(row))
    yield from (f"{name}: {text}" for text, name in caveats.items() if text)
    yield from (f"{_name(x)} also: " * _is_known(x) + note for x in direct for note in x.notes)
