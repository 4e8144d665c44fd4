"""Plans of changed inputs, and of volumes that grow."""

import datetime

import pytest
from planning.planned import COSTED, OSA, STREAM, planned

from netmodel.planning import Headroom
from netmodel.planning.what_if import growth_of, headroom_of


def test_each_input_is_changed_alone_and_planned_again() -> None:
    """n = D / 0.7 / 13.4, and one spare; cores are 0.2 of D / 1.25 at the server."""
    plan = planned(STREAM, path=COSTED)
    assert {
        row["change"]: (row["adapter_count"], row["core_count"]) for row in plan.sensitivities
    } == {
        "36 Gbit/s of str-writex30k": (5, 9 + 8),
        "44 Gbit/s of str-writex30k": (6, 11 + 10),
        "60 % use": (6, 11 + 10),
        "80 % use": (5, 8 + 8),
    }


def test_each_flow_has_changes_of_its_own_in_the_unit_given() -> None:
    plan = planned(STREAM, "100000/s rr1c-200x1000", path=OSA)
    changes = [row["change"] for row in plan.sensitivities]
    assert changes[2:4] == ["90,000/s of rr1c-200x1000", "110,000/s of rr1c-200x1000"]


@pytest.mark.parametrize(("share", "texts"), [(0.05, ["10 %", "15 %"]), (0.95, ["85 %", "100 %"])])
def test_the_share_that_may_be_used_stays_one(share: float, texts: list[str]) -> None:
    plan = planned(STREAM, headroom=Headroom(share))
    assert [x["change"] for x in plan.sensitivities if "use" in x["change"]] == [
        f"{text} use" for text in texts
    ]


def test_volumes_may_grow_until_the_plan_needs_more() -> None:
    """Five of six adapters carry 5 x 13.4 x 0.7 = 46.9 Gbit/s: 1.1725 times 40."""
    plan = planned(STREAM)
    assert headroom_of(plan.there) == pytest.approx(1.172)
    assert (plan.there.too_small(1.172), plan.there.too_small(1.173)) == ("", "server_adapter_in")
    start = datetime.date(2026, 12, 1)
    # ln 1.1725 / ln 1.2 = 0.8728 years, 318.8 days
    growth = growth_of(plan.there, [0.2], start, 5)
    assert growth.exhausted_on == start + datetime.timedelta(days=319)
    assert growth_of(plan.there, [0.01], start, 5).to_dict() == {
        "start": "2026-12-01",
        "horizon_on": "2031-12-01",
        "exhausted_on": None,
        "exhausted_by": None,
    }
