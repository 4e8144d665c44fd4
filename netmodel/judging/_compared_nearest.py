"""Published comparisons of cases like those that were asked for."""

import math
from dataclasses import dataclass
from typing import Any

from netmodel._text import listed
from netmodel.judging._compared_cases import differing, is_same, listed_differences, short_name
from netmodel.judging._compared_facts import COUNT, PATH, Case, Fact, Published

SHOWN_NEAREST = 3
"""Nearest cases that a table of one screen has room for."""
MOST_CONFLICTS = 2
"""Conditions in which a nearest case may differ: with three of them it is another question."""
CARDS = ("adapter", "sender_adapter", "receiver_adapter")
"""Conditions whose values are adapters."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """A published comparison of a case like the one that was asked for."""

    fact: Fact
    differs: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        fact = self.fact
        return {
            "id": fact.id,
            "quantity": fact.quantity,
            "text": fact.printed,
            "low": _finite(fact.low),
            "high": _finite(fact.high),
            "document": fact.source,
            "locator": fact.locator,
            "differs": self.differs,
        }


def distance(fact: Fact, variant: Case, conflicts: frozenset[str]) -> tuple[float, ...]:
    """How far a case is: by conditions, then by the number of connections."""
    own, asked = fact.subject.get(COUNT), variant.get(COUNT)
    ratio = abs(math.log(own / asked)) if isinstance(own, int) and isinstance(asked, int) else 0.0
    unnamed = sum(key not in fact.subject for key in variant)
    return len(conflicts), not fact.has_ratio, unnamed, ratio


def with_other_values(known: Published, baseline: Case, variant: Case) -> tuple[Nearest, ...]:
    """Comparisons on the same path or adapters that vary the same conditions between others."""
    wanted = differing(baseline, variant)
    equipment = [key for key in (PATH, *CARDS) if key in variant and key not in wanted]
    found = []
    for own in known.facts:
        for fact in (own, own.reversed()):
            if not equipment or differing(fact.subject, fact.baseline) != wanted:
                continue
            if not all(is_same(key, fact.subject.get(key), variant[key]) for key in equipment):
                continue
            others = _named_otherwise(fact, variant) - wanted
            if len(others) > MOST_CONFLICTS:
                continue
            texts = [
                listed_differences(own_case, asked, differing(own_case, asked) & wanted)
                for own_case, asked in ((fact.subject, variant), (fact.baseline, baseline))
            ]
            numbers = [
                abs(math.log(known_value / value))
                for key, value in variant.items()
                if key in wanted
                and isinstance(value, int)
                and isinstance(known_value := fact.subject.get(key), int)
                and value
                and known_value
            ]
            near = (len(others), sum(numbers), *distance(fact, variant, others))
            rank = (sum(map(bool, texts)), *near)
            texts.append(listed_differences(fact.subject, variant, others))
            found.append((rank, Nearest(fact, "; ".join(filter(None, texts)))))
    found.sort(key=lambda each: each[0])
    return tuple(each for _, each in found[:SHOWN_NEAREST])


def with_other_differences(known: Published, baseline: Case, variant: Case) -> tuple[Nearest, ...]:
    """Comparisons of the variant, or of the baseline, with something else."""
    wanted = differing(baseline, variant)
    found = []
    for own in known.facts:
        for fact in (own, own.reversed()):
            keys = differing(fact.subject, fact.baseline)
            if not keys <= wanted or not keys:
                continue
            if not all(
                is_same(key, fact.subject.get(key), variant.get(key))
                and is_same(key, fact.baseline.get(key), baseline.get(key))
                for key in keys
            ):
                continue
            others = _named_otherwise(fact, variant) - keys
            if len(others - wanted) <= MOST_CONFLICTS:
                text = listed_differences(fact.subject, variant, others)
                missing = listed([short_name(key) for key in sorted(wanted - keys)] or ["nothing"])
                text = "; ".join(filter(None, [f"does not vary {missing}", text]))
                found.append((distance(fact, variant, others), Nearest(fact, text)))
    found.sort(key=lambda each: each[0])
    return tuple(each for _, each in found[:SHOWN_NEAREST])


def _named_otherwise(fact: Fact, variant: Case) -> frozenset[str]:
    """Conditions of the variant that a comparison names with another value."""
    return frozenset(
        key
        for key, value in variant.items()
        if key in fact.subject and not is_same(key, fact.subject[key], value)
    )


def variable_conditions(known: Published, variant: Case) -> tuple[str, ...]:
    """Conditions that documents vary for the equipment of the variant."""
    names = [key for key in ("adapter", "sender_adapter", PATH, "workload") if key in variant]
    names = names or list(variant)
    found: dict[str, None] = {}
    for fact in known.facts:
        if all(
            any(is_same(key, case.get(key), variant[key]) for case in (fact.subject, fact.baseline))
            for key in names
        ):
            found |= dict.fromkeys(sorted(differing(fact.subject, fact.baseline)))
    return tuple(map(short_name, found))


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
