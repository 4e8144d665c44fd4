"""Options and arguments whose values have names: text to the command, completed in a shell."""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import click

from netmodel._text import near_name

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

ChoiceT = TypeVar("ChoiceT")
FILE_ITEM = "file"
"""Type of an item in whose place the shell lists files."""


class Named(click.ParamType[str]):
    """
    Text with names that a shell completes.

    Parameters
    ----------
    names : callable
        The names; called for completion alone, so that it may list directories.
    or_file : bool
        Whether a file serves too.
    between : str
        What stands between several names, as the blank of a case; empty for one name.
    """

    name = "text"

    def __init__(
        self, names: Callable[[], Iterable[str]], *, or_file: bool = False, between: str = ""
    ) -> None:
        self._names, self._or_file, self._between = names, or_file, between

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        return click.STRING.convert(value, param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> "list[CompletionItem[str]]":
        from click.shell_completion import CompletionItem

        _use_own_data(ctx)
        before, between, last = incomplete.rpartition(self._between or "\0")
        names = dict.fromkeys(each for each in self._names() if each.startswith(last))
        items = [CompletionItem(before + between + each) for each in names]
        if self._or_file and (not items or "/" in incomplete):
            return [CompletionItem(incomplete, type=FILE_ITEM)]
        return items


class ValueText(Named):
    """Text that a question reads, shown by the kind of its value."""

    def __init__(self, name: str) -> None:
        super().__init__(lambda: ())
        self.name = name

    def __repr__(self) -> str:
        return self.name.upper()


class Choice(click.Choice[ChoiceT]):
    """A choice, with or without capitals and hyphens, that says which one may have been meant."""

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> ChoiceT:
        if isinstance(value, str):
            names = [str(self.normalize_choice(each, ctx)) for each in self.choices]
            same = [each for each in names if _plain(each) == _plain(value)]
            value = same[0] if len(same) == 1 else value
        return super().convert(value, param, ctx)

    def get_invalid_choice_message(self, value: object, ctx: click.Context | None) -> str:
        problem = super().get_invalid_choice_message(value, ctx)
        near = near_name(
            str(value), (str(self.normalize_choice(each, ctx)) for each in self.choices)
        )
        return f"{problem} Did you mean {near!r}?" if near else problem


def _plain(name: str) -> str:
    """A name without what people write in several ways: capitals, hyphens, underscores, blanks."""
    return re.sub(r"[-_\s]", "", name).casefold()


def _use_own_data(ctx: click.Context) -> None:
    """Register the directories of --own-data, as the command will."""
    from netmodel.records import register_data

    for directory in ctx.find_root().params.get("directories") or ():
        with suppress(Exception):  # a directory that is none has no names
            register_data(directory)


def record_ids(*kinds: str) -> Iterable[str]:
    """Ids of the records of these kinds, by the names of their files."""
    from netmodel.records.files import catalog_files

    return [name for kind in kinds for name in catalog_files(kind)]


def _dataset_ids() -> Iterable[str]:
    from netmodel.records.files import dataset_files

    return dataset_files()


def _layers() -> Iterable[str]:
    from netmodel.framing._grammar import LAYER_FORMS

    return (*LAYER_FORMS, "ipip")


CASE_NAMES = (
    *("adapter", "client", "server", "path", "layer", "level", "workload", "payload", "mtu"),
    *("connections", "side", "rps", "km", "protocol", "window", "loss", "attributes", "trunks"),
    *("processor", "buffer_count", "txqueuelen", "mtu_bypass", "dcbflush_local", "os", "tool"),
)
"""Conditions of a case to compare, of which users ask most; their module takes long to load."""


MODELS = (
    *("adapter", "host", "scalability", "saturation", "knee", "batching", "power"),
    *("amortised", "coalescing", "falling-cost", "plateau-cost", "auto"),
)
"""Those of netmodel.calibration, which takes long to load; a test compares them."""
AXES = (
    *("adapter=", "sender=", "receiver=", "path=", "workload=", "mtu=", "link-mtu=", "payload="),
    *("line-rate=", "connections=", "km=", "rtt=", "window=", "loss="),
)
"""Names of axes of a sweep that a shell completes."""


def _formulas() -> Iterable[str]:
    from netmodel.symbolic.formulas import formulas_by_name

    return [*formulas_by_name(), *(each.__name__ for each in formulas_by_name().values())]


def _case_words() -> Iterable[str]:
    ids = record_ids("adapters", "paths", "hosts", "workloads")
    return [*(f"{each}=" for each in CASE_NAMES), *ids]


RECORD_KINDS = ("adapters", "hosts", "paths", "workloads")
any_record = Named(partial(record_ids, *RECORD_KINDS), or_file=True)
an_adapter = Named(partial(record_ids, "adapters"), or_file=True)
a_path = Named(partial(record_ids, "paths"), or_file=True)
a_host = Named(partial(record_ids, "hosts"), or_file=True)
a_workload = Named(partial(record_ids, "workloads"), or_file=True)
a_flow = Named(
    lambda: (*record_ids("workloads"), "in", "out", "from", "client", "server"), between=" "
)
a_case = Named(_case_words, between=" ")
what_to_calibrate = Named(lambda: (*_dataset_ids(), *record_ids("adapters"), "host"), or_file=True)
what_to_measure = Named(lambda: ("facts",))
a_stack = Named(_layers, between="/")
a_formula = Named(_formulas)
a_file = Named(lambda: (), or_file=True)
