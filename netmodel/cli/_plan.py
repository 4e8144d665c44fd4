"""``netmodel plan``."""

import shlex
import sys
from datetime import UTC, datetime
from typing import Annotated, Any

import netmodel.report
from netmodel import __version__
from netmodel.api import plan as plan_of
from netmodel.api.arguments import ArgumentsError
from netmodel.api.kinds import Kind
from netmodel.cli._console import drawn
from netmodel.cli._derived import answering
from netmodel.report.plan_text import plan_blocks
from netmodel.report.text import notes_text


def plans(
    scenario: Annotated[str, Kind("scenario.toml")] = "", /, **given: Annotated[Any, plan_of]
) -> Any:
    """Plan adapters and CPUs for a demand, with spares.

    Give a scenario file with traffic, candidates and policy, which options on failures and use
    replace; or --flow, and --adapter, or --sender with --receiver, or --path. Repeat --adapter,
    --mtu or --link-mtu to compare candidates. in and out are as seen from the server, and ask for
    its adapters. Rates of adapters are upper bounds, so their number is a lower bound, and says so.
    Exit code 1: no candidate carries the demand.

    \b
    Examples: netmodel plan order-system.toml
              netmodel plan --flow "18 Gbit/s in" --adapter osa-express7s-25gbe
                  --mtu 1500
    """
    if not scenario:
        return plan_of(**given)
    from netmodel.api import plan_scenario
    from netmodel.records.scenarios import Policy

    for name in given.keys() - Policy.model_fields.keys():
        raise ArgumentsError(f"{{{name}}} beside a scenario: write it into the file")
    return plan_scenario(scenario, **given)


def _plot(answer: Any, path: str) -> bytes:
    known = answer.candidates
    is_single = len(known) == 1 and known[0].chosen_count is not None
    return drawn(netmodel.report.plot_plan(known[0] if is_single else known), path)


def _page(answer: Any, _: str) -> bytes:
    command = shlex.join(["netmodel", *sys.argv[1:]])
    today = datetime.now(UTC).astimezone().date()
    page = netmodel.report.plan_page(answer, command=command, version=__version__, made_on=today)
    return page.encode()


plan = answering(
    plans,
    lambda answer, more: [*plan_blocks(answer, more), notes_text(answer.notes, more)],
    exit_code=lambda answer: int(not answer.holds),
    files={"plot": _plot, "html": _page},
    first=("flows", "adapters", "mtu_bytes", "spares", "client_cost"),
)
