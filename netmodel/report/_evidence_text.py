"""What the ledger of published statements comes to: four groups, in text and in Markdown."""

from collections import Counter
from collections.abc import Iterator, Sequence

from netmodel.judging._evidence._kinds import EvidenceKind
from netmodel.judging._evidence._ledger import Evidence
from netmodel.report import text_table

_HOLDING = (
    EvidenceKind.CONSISTENT,
    EvidenceKind.DERIVED,
    EvidenceKind.LOOK_UP,
    EvidenceKind.NOTATION,
    EvidenceKind.INPUT,
)
"""What agrees without being predicted, from the strongest support to the weakest."""
_DISAGREEING = (EvidenceKind.CONTRADICTED, EvidenceKind.DOUBTFUL)
_OTHERS = "no model: they name no quantity, figure or case that could be missed"
_GIVEN = "given"
_GIVEN_WORDS = "no model: they are given, such as facts of a set-up and settings"
_PREDICTED_ROWS = 3
"""With the models below, a document fits twenty lines."""
_DISAGREEING_ROWS = 6
"""As many as the document with most of them has."""
_ALL = "all"


def kind_words(kind: EvidenceKind) -> str:
    """A kind as text has it."""
    return kind.value.replace("look_up", "look-up").replace("_", " ")


def model_words(row: Evidence) -> str:
    """What a statement is computed by, as text has it."""
    return row.computed_by.replace("_mtu", " MTU")


def answer_text(ledger: Sequence[Evidence]) -> str:
    """The answer in one sentence: how many statements count as each kind."""
    tally = Counter(row.kind for row in ledger)
    counts = ", ".join(f"{tally[kind]} {kind_words(kind)}" for kind in EvidenceKind if tally[kind])
    sources = list(dict.fromkeys(row.statement.source for row in ledger))
    whose = sources[0] if len(sources) == 1 else f"{len(sources)} documents"
    return f"{len(ledger)} statements of {whose}: {counts}."


def summary_lines(ledger: Sequence[Evidence]) -> Iterator[str]:
    """What was predicted, what else holds, what disagrees and what waits, in about twenty lines."""
    predicted = of_kinds(ledger, EvidenceKind.PREDICTED)
    by = Counter(map(model_words, predicted)).most_common()
    models = f" ({', '.join(f'{name} {count}' for name, count in by)})" if by else ""
    yield f"predicted without being an input: {len(predicted)}{models}"
    # paths say more than headers, and figures more than words
    shown = sorted(predicted, key=_least_telling)[:_PREDICTED_ROWS]
    yield from (f"  {row_text(row)}" for row in shown)
    if len(predicted) > len(shown):
        yield f"  and {len(predicted) - len(shown)} more"
    tally = Counter(row.kind for row in ledger)
    holding = ", ".join(f"{tally[kind]} {kind_words(kind)}" for kind in _HOLDING if tally[kind])
    yield f"holds besides: {holding or 'nothing'}"
    disagreeing = of_kinds(ledger, *_DISAGREEING)
    counts = ", ".join(f"{tally[kind]} {kind_words(kind)}" for kind in _DISAGREEING)
    yield f"disagrees: {counts}"
    is_one = len({row.statement.source for row in ledger}) == 1
    named = disagreeing[:_DISAGREEING_ROWS] if is_one else disagreeing
    yield from (f"  {kind_words(row.kind)}: {row_text(row)}" for row in named)
    if len(disagreeing) > len(named):
        yield f"  and {len(disagreeing) - len(named)} more"
    waiting = waits(ledger)
    yield f"not modelled: {sum(waiting.values())}, by what they wait for"
    width = max((len(str(count)) for count in waiting.values()), default=0)
    yield from (f"  {count:{width}} {model}" for model, count in waiting.items())


def _least_telling(row: Evidence) -> tuple[bool, bool]:
    return not row.statement.has_figure, row.computed_by != "path"


def of_kinds(ledger: Sequence[Evidence], *kinds: EvidenceKind) -> list[Evidence]:
    """Rows of these kinds, one kind after the other."""
    return [row for kind in kinds for row in ledger if row.kind is kind]


def waits(ledger: Sequence[Evidence]) -> dict[str, int]:
    """How many statements wait for each model, most first; those that no model helps at the end."""
    counts = Counter(_waits_for(row) for row in of_kinds(ledger, EvidenceKind.NOT_MODELLED))
    last = (_GIVEN_WORDS, _OTHERS)
    ordered = [name for name, _ in counts.most_common() if name not in last]
    return {name: counts[name] for name in (*ordered, *last) if counts[name]}


def _waits_for(row: Evidence) -> str:
    is_given = row.reason.partition(": ")[0] == _GIVEN
    return row.waits_for or (_GIVEN_WORDS if is_given else _OTHERS)


def row_text(row: Evidence) -> str:
    """A statement and what is computed for it, in a line."""
    return f"{row.statement.id}: {row.statement.claim}; computed {row.computed}"


def row_lines(row: Evidence) -> Iterator[str]:
    """All that is known of a statement."""
    about = row.statement
    computed = f"; computed {row.computed}" if row.computed else ""
    yield f"{kind_words(row.kind):13} {about.id} ({about.source}, {about.locator})"
    yield f"{'':13} {about.claim}{computed}: {row.reason}"
    for name, texts in (("inputs", row.inputs), ("note", row.notes)):
        if texts:
            yield f"{'':13} {name}: {', '.join(texts)}"


def counts_table(ledger: Sequence[Evidence]) -> str:
    """How many statements of each document count as each kind."""
    documents = list(dict.fromkeys(row.statement.source for row in ledger))
    tally = Counter((row.kind, row.statement.source) for row in ledger)
    sums = [_ALL] if len(documents) > 1 else []
    rows = []
    for kind in EvidenceKind:
        counts = [tally[kind, document] for document in documents]
        rows.append([kind_words(kind), *map(str, counts), *(str(sum(counts)) for _ in sums)])
    totals = [sum(tally[kind, document] for kind in EvidenceKind) for document in documents]
    rows.append([_ALL, *map(str, totals), *(str(sum(totals)) for _ in sums)])
    table = [["kind", *documents, *sums], *rows]
    return text_table(table, right_aligned=range(1, len(table[0])))
